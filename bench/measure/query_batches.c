/* Measures batches of queries. */
#include "bench/measure/query_batches.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/measure/caches.h"
#include "bench/measure/measure.h"
#include "bench/measure/operations.h"
#include "bench/measure/pages.h"
#include "harness/core/clock.h"

enum {
    MAX_CALLS = 4096, /* chunks in a batch */
    /* batches in a cold repetition: emptying the caches takes some ms for each */
    COLD_CALLS = 4,
    FEW_COLD_CALLS = 1, /* the same if a repetition is to be shorter than SHORT_NS */
    SHORT_NS = 2000000,
    FRESH_PAGES_SAMPLE = 8, /* queries whose pages are counted if each opens a reader */
    MAX_PAGES = 1 << 13,    /* the sample ends when it has touched this many pages */
    TRY_AGAIN_NS = 10 * BO_MIN_BATCH_NS, /* above this, an interrupt is negligible */
    SPARE_ANSWERS =
        16 << 10, /* bytes besides the right answers: the no-op codec's answers have other sizes */
};

struct querying {
    const struct bo_opened *opened;
    const struct bo_query_set *query_set;
    struct bo_sink answers;
    size_t next;       /* next chunk */
    size_t calls;      /* chunks in a batch */
    uint64_t chunk_ns; /* time of the last verified chunk */
    enum bo_status status;
    struct bo_error err;
};

enum bo_status bo_open_in(const struct bo_opened *opened, struct bo_arena *arena, void **reader_ret,
                          struct bo_error *err)
{
    bo_arena_init(arena, BO_ARENA_UNLIMITED);
    arena->keep_nbytes = opened->keep_nbytes;
    arena->huge_pages = opened->huge_pages;
    return opened->codec->open(opened->codec, opened->payload, arena, reader_ret, err);
}

static const struct bo_chunk *take_chunk(struct querying *querying)
{
    const struct bo_chunk *chunk = &querying->query_set->chunks[querying->next];
    querying->next = querying->next + 1 < querying->query_set->n_chunks ? querying->next + 1 : 0;
    return chunk;
}

/* Opens a reader, runs n queries and closes it. Appends the answers to *answers. */
static enum bo_status run_fresh(struct querying *querying, size_t query, size_t n,
                                struct bo_sink *answers)
{
    const struct bo_opened *opened = querying->opened;
    const struct bo_chunk few = {.first = query, .n = n};
    struct bo_sink answer = {.p = answers->p + answers->n, .cap = answers->cap - answers->n};
    struct bo_arena arena;
    void *reader;
    enum bo_status status = bo_open_in(opened, &arena, &reader, &querying->err);
    if (status == BO_OK)
        status = bo_query_set_run(querying->query_set, &few, opened->codec, reader, &answer,
                                  &querying->err);
    answers->n += answer.n;
    bo_arena_free(&arena);
    return status;
}

static enum bo_status run_chunk(struct querying *querying, const struct bo_chunk *chunk)
{
    querying->status = BO_OK;
    const size_t fresh = querying->query_set->workload->fresh;
    if (fresh) {
        querying->answers.n = 0;
        for (size_t i = 0; i < chunk->n && querying->status == BO_OK; i += fresh)
            querying->status =
                run_fresh(querying, chunk->first + i, chunk->n - i < fresh ? chunk->n - i : fresh,
                          &querying->answers);
        return querying->status;
    }
    return querying->status =
               bo_query_set_run(querying->query_set, chunk, querying->opened->codec,
                                querying->opened->reader, &querying->answers, &querying->err);
}

/*
 * Runs before a cold batch. Afterwards, the caches contain only its queries and the buffer for the
 * answers.
 */
static bool empty_caches(void *context)
{
    struct querying *querying = context;
    const struct bo_chunk *chunk = &querying->query_set->chunks[querying->next];
    bo_caches_empty();
    bo_caches_flush(querying->opened->payload.p, querying->opened->payload.n);
    if (querying->opened->arena)
        bo_arena_visit(querying->opened->arena, bo_caches_flush);
    bo_query_set_touch(querying->query_set, chunk);
    memset(querying->answers.p, 0, chunk->answers_nbytes);
    return true;
}

static uint64_t run(void *context)
{
    struct querying *querying = context;
    uint64_t n = 0;
    for (size_t i = 0; i < querying->calls; i++) {
        const struct bo_chunk *chunk = take_chunk(querying);
        if (run_chunk(querying, chunk))
            return 0;
        n += chunk->n;
    }
    return n;
}

/* "truncated at byte 12: ...": the codec's own phrase if it has one. */
static void say_status(const struct querying *querying, char *text, size_t nbytes)
{
    if (querying->err.what && querying->err.status == querying->status)
        bo_say_error(&querying->err, text, nbytes);
    else
        snprintf(text, nbytes, "%s", bo_status_name(querying->status));
}

/* Runs one chunk and compares its answers. */
static bool verify_chunk(struct querying *querying, char *message)
{
    const struct bo_chunk *chunk = take_chunk(querying);
    size_t wrong;
    const uint64_t start = bo_cpu_ns();
    const enum bo_status status = run_chunk(querying, chunk);
    querying->chunk_ns = bo_cpu_ns() - start;
    if (status) {
        char why[BO_MAX_MESSAGE - 60];
        say_status(querying, why, sizeof why);
        snprintf(message, BO_MAX_MESSAGE, "refuses a query of %zu to %zu: %s", chunk->first,
                 chunk->first + chunk->n - 1, why);
        return false;
    }
    if (querying->opened->answers_right &&
        !bo_query_set_is_right(querying->query_set, chunk, &querying->answers, &wrong)) {
        snprintf(message, BO_MAX_MESSAGE, "wrong answer: query %zu of the set", wrong);
        return false;
    }
    return true;
}

/* The progress of the verification, and the time of a chunk. */
struct verified {
    size_t n_queries;
    uint64_t chunk_ns;
    double first_ns; /* time per query of the first chunk */
};

/* Verifies chunks for this long, at most the whole set once. */
static bool verify(struct querying *querying, uint64_t max_ns, struct verified *verified,
                   char *message)
{
    const uint64_t start = bo_cpu_ns();
    const size_t n_chunks = querying->query_set->n_chunks;
    *verified = (struct verified){.n_queries = 0};
    for (size_t i = 0; i < n_chunks && (i == 0 || bo_cpu_ns() - start < max_ns); i++) {
        verified->n_queries += querying->query_set->chunks[querying->next].n;
        if (!verify_chunk(querying, message))
            return false;
        verified->chunk_ns = (bo_cpu_ns() - start) / (i + 1);
        if (i == 0)
            verified->first_ns = (double)querying->chunk_ns / (double)verified->n_queries;
    }
    return true;
}

static uint64_t time_batch(struct querying *querying)
{
    const uint64_t start = bo_cpu_ns();
    run(querying);
    return bo_cpu_ns() - start;
}

/*
 * Doubles the batch until it is long enough for the clock's resolution. Takes the faster of two
 * tries, because an interrupt may delay one. Returns the time of the batch.
 */
static uint64_t size_batch(struct querying *querying)
{
    uint64_t ns = 0;
    for (querying->calls = 1;; querying->calls *= 2) {
        const uint64_t once = time_batch(querying);
        ns = once;
        if (once < TRY_AGAIN_NS) {
            const uint64_t again = time_batch(querying);
            ns = once < again ? once : again;
        }
        if (ns >= BO_MIN_BATCH_NS || querying->calls >= MAX_CALLS)
            return ns;
    }
}

/* The batches of the row's first repetition: sets the size of the next ones, returns their time. */
static uint64_t size_again(struct querying *querying, const struct bo_record *first)
{
    const struct bo_query_set *set = querying->query_set;
    const double n = (double)first->iterations / bo_record_counter(first, "batches")->value;
    const double calls = n * (double)set->n_chunks / (double)set->n + 0.5;
    querying->calls = calls < 1 ? 1 : (size_t)calls;
    return (uint64_t)(first->real_ns * n);
}

/*
 * Runs one repetition in batches: for min_time_s, or a few cold batches. The batch size is found by
 * trial, unless one chunk takes long enough (chunk_ns) or an earlier repetition has set it.
 */
static bool time_batches(struct querying *querying, const struct bo_bench_row *row,
                         double min_time_s, uint64_t chunk_ns, struct bo_record *record)
{
    const bool cold = querying->query_set->workload->cold;
    const struct bo_timed timed = {
        .prepare = cold ? empty_caches : NULL, .run = run, .context = querying};
    querying->calls = 1;
    uint64_t n_batches = min_time_s * 1e9 < SHORT_NS ? FEW_COLD_CALLS : COLD_CALLS;
    if (!cold) {
        const uint64_t ns = chunk_ns >= TRY_AGAIN_NS ? chunk_ns
                            : row->n_times           ? size_again(querying, row->times)
                                                     : size_batch(querying);
        n_batches = bo_batches_for(min_time_s, (double)ns);
    }
    if (bo_measure(row->name, n_batches, &timed, record))
        return true;
    char why[BO_MAX_MESSAGE - 20];
    say_status(querying, why, sizeof why);
    snprintf(record->message, sizeof record->message, "gave up: %s", why);
    return false;
}

/*
 * Replaces the reader by a new one, which has run no query. *n_pages_ref is the number of pages
 * that opening touches; SIZE_MAX: not known yet, and counted by this call. If there are many, all
 * pages are made readable before opening, which avoids the faults.
 */
static bool open_again(struct querying *querying, struct bo_opened *fresh, struct bo_arena *arena,
                       size_t *n_pages_ref)
{
    const bool is_first = *n_pages_ref == SIZE_MAX;
    if (is_first ? !bo_pages_rearm() : *n_pages_ref > BO_FEW_PAGES && !bo_pages_disarm())
        return false;
    bo_arena_free(arena);
    if (bo_open_in(fresh, arena, &fresh->reader, &querying->err))
        return false;
    if (is_first)
        *n_pages_ref = bo_pages_touched();
    return true;
}

/*
 * The mean number of distinct pages of the input that one query reads, without those that opening
 * reads. A new reader is used, since readers may keep what they have read, unless the codec reads
 * everything in open. A lazy codec gets a new reader for each query, since its queries read what
 * other codecs read in open. A fresh workload opens its own.
 */
static bool count_pages(struct querying *querying, struct bo_record *exact, char *message)
{
    const struct bo_opened *opened = querying->opened;
    const size_t n = querying->query_set->n;
    const bool opens_itself = querying->query_set->workload->fresh;
    const bool opens_again = !opens_itself && opened->codec->lazy;
    const bool opens_once = !opens_itself && opened->codec->access != BO_WHOLE;
    const size_t most = opens_itself ? FRESH_PAGES_SAMPLE : BO_PAGES_SAMPLE;
    const size_t n_sample = n < most ? n : most;
    uint64_t n_touched = 0;
    size_t i = 0, n_opening = opens_again ? SIZE_MAX : BO_FEW_PAGES + 1;
    struct bo_opened fresh = *opened;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (!bo_pages_watch(opened->payload)) {
        snprintf(message, BO_MAX_MESSAGE, "cannot watch the pages of the input");
        return false;
    }
    bool ok = !(opens_again || opens_once) || open_again(querying, &fresh, &arena, &n_opening);
    querying->opened = &fresh;
    for (; ok && i < n_sample && n_touched < MAX_PAGES; i++) {
        const struct bo_chunk one = {.first = i * n / n_sample, .n = 1};
        ok = (!opens_again || open_again(querying, &fresh, &arena, &n_opening)) &&
             bo_pages_rearm() && run_chunk(querying, &one) == BO_OK;
        n_touched += bo_pages_touched();
        if (!ok)
            snprintf(message, BO_MAX_MESSAGE, "rejects query %zu when it is run alone", one.first);
    }
    querying->opened = opened;
    bo_pages_unwatch();
    bo_arena_free(&arena);
    if (ok)
        bo_record_count(exact, "touched_pages", (double)n_touched / (double)i);
    return ok;
}

/* The row's queries, from this chunk on. The caller frees the answers. */
static struct querying start(const struct bo_opened *opened, const struct bo_query_set *query_set,
                             size_t next)
{
    const size_t room = query_set->max_answers_nbytes + SPARE_ANSWERS;
    const struct querying querying = {.opened = opened,
                                      .query_set = query_set,
                                      .answers = {.p = bo_or_abort(malloc(room)), .cap = room},
                                      .next = next % query_set->n_chunks};
    return querying;
}

bool bo_check_queries(const struct bo_opened *opened, const struct bo_bench_row *row,
                      uint64_t n_units, const struct bo_bench_options *options,
                      struct bo_record *exact, char *message)
{
    const struct bo_query_set *query_set = row->query_set;
    const double n = (double)query_set->n;
    struct querying querying = start(opened, query_set, 0);
    struct verified verified;
    const bool ok =
        verify(&querying, (uint64_t)(options->verify_s * 1e9), &verified, message) &&
        (!opened->answers_right || opened->huge_pages || count_pages(&querying, exact, message));
    free(querying.answers.p);
    bo_record_count(exact, "set_queries", n);
    bo_record_count(exact, "verified_queries",
                    opened->answers_right ? (double)verified.n_queries : 0);
    bo_record_count(exact, "answer_bytes", (double)query_set->answers_nbytes / n);
    if (bo_is_whole(query_set->kind))
        bo_record_count(exact, "units_per_query", (double)n_units);
    return ok;
}

bool bo_measure_queries(const struct bo_opened *opened, const struct bo_bench_row *row,
                        const struct bo_bench_options *options, unsigned round,
                        struct bo_record *record)
{
    struct querying querying = start(opened, row->query_set, round * 7919u);
    struct verified verified;
    /* The verification is also the warm-up: half as long as the measurement, at most one pass. */
    const uint64_t warm_ns = (uint64_t)(options->min_time_s * 0.5e9);
    const bool ok = verify(&querying, warm_ns, &verified, record->message) &&
                    time_batches(&querying, row, options->min_time_s, verified.chunk_ns, record);
    if (ok && opened->codec->keeps && !row->query_set->workload->fresh) {
        const struct bo_arena *arena = opened->arena;
        bo_record_count(record, "fresh_ns", verified.first_ns);
        bo_record_count(record, "reader_bytes",
                        (double)(arena->region_nbytes + arena->charged_nbytes));
    }
    free(querying.answers.p);
    return ok;
}
