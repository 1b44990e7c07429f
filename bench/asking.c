/* Batches of queries. */
#include "bench/asking.h"

#include <stdlib.h>

#include "bench/clock.h"
#include "bench/measure.h"
#include "bench/pages.h"

enum {
    MAX_CALLS = 4096,   /* chunks in a batch */
    WARM_NS = 2000000,  /* a repetition warms up for so long, or one pass over the set */
    PAGES_SAMPLE = 256, /* queries whose pages are counted */
    SPARE_ANSWERS =
        16 << 10, /* bytes beyond the right answers: the no-op codec's have their own sizes */
};

/* The first repetition verifies the whole set, or what a very slow reader answers in so long. */
static const uint64_t verify_ns = 5000000000u;

struct asking {
    const struct bo_opened *opened;
    const struct bo_questions *questions;
    struct bo_sink answers;
    size_t next;  /* chunk */
    size_t calls; /* chunks in a batch */
    enum bo_status status;
};

static const struct bo_chunk *take_chunk(struct asking *asking)
{
    const struct bo_chunk *chunk = &asking->questions->chunks[asking->next];
    asking->next = asking->next + 1 < asking->questions->n_chunks ? asking->next + 1 : 0;
    return chunk;
}

static uint64_t run(void *context)
{
    struct asking *asking = context;
    const struct bo_opened *opened = asking->opened;
    uint64_t n = 0;
    for (size_t i = 0; i < asking->calls; i++) {
        const struct bo_chunk *chunk = take_chunk(asking);
        asking->status = bo_questions_ask(asking->questions, chunk, opened->codec, opened->reader,
                                          &asking->answers);
        if (asking->status)
            return 0;
        n += chunk->n;
    }
    return n;
}

/* Asks one chunk and compares its answers. */
static bool verify_chunk(struct asking *asking, char *message)
{
    const struct bo_opened *opened = asking->opened;
    const struct bo_chunk *chunk = take_chunk(asking);
    const enum bo_status status =
        bo_questions_ask(asking->questions, chunk, opened->codec, opened->reader, &asking->answers);
    size_t wrong;
    if (status) {
        snprintf(message, BO_MAX_MESSAGE, "refuses a query of %zu to %zu: %s", chunk->first,
                 chunk->first + chunk->n - 1, bo_status_name(status));
        return false;
    }
    if (opened->answers_right &&
        !bo_questions_right(asking->questions, chunk, &asking->answers, &wrong)) {
        snprintf(message, BO_MAX_MESSAGE, "wrong answer: query %zu of the set", wrong);
        return false;
    }
    return true;
}

/*
 * Verifies chunks for so long, at most the whole set once. How many queries were right goes to
 * *n_ret.
 */
static bool verify(struct asking *asking, uint64_t max_ns, size_t *n_ret, char *message)
{
    const uint64_t start = bo_cpu_ns();
    const size_t n_chunks = asking->questions->n_chunks;
    *n_ret = 0;
    for (size_t i = 0; i < n_chunks && (i == 0 || bo_cpu_ns() - start < max_ns); i++) {
        *n_ret += asking->questions->chunks[asking->next].n;
        if (!verify_chunk(asking, message))
            return false;
    }
    return true;
}

static uint64_t time_batch(struct asking *asking)
{
    const uint64_t start = bo_cpu_ns();
    run(asking);
    return bo_cpu_ns() - start;
}

/*
 * Doubles the batch until the clock can tell it; the faster of two tries, for an interrupt may fall
 * into one.
 */
static void size_batch(struct asking *asking)
{
    for (asking->calls = 1; asking->calls < MAX_CALLS; asking->calls *= 2) {
        const uint64_t once = time_batch(asking), again = time_batch(asking);
        if ((once < again ? once : again) >= BO_MIN_BATCH_NS)
            return;
    }
}

/* The mean number of distinct pages of the input that one query reads. */
static bool count_pages(struct asking *asking, struct bo_record *exact, char *message)
{
    const struct bo_opened *opened = asking->opened;
    const size_t n = asking->questions->n;
    const size_t n_sample = n < PAGES_SAMPLE ? n : PAGES_SAMPLE;
    uint64_t n_touched = 0;
    bool ok = true;
    if (!bo_pages_watch(opened->payload)) {
        snprintf(message, BO_MAX_MESSAGE, "cannot watch the pages of the input");
        return false;
    }
    for (size_t i = 0; ok && i < n_sample; i++) {
        const struct bo_chunk one = {.first = i * n / n_sample, .n = 1};
        ok = bo_pages_rearm() && bo_questions_ask(asking->questions, &one, opened->codec,
                                                  opened->reader, &asking->answers) == BO_OK;
        n_touched += bo_pages_touched();
        if (!ok)
            snprintf(message, BO_MAX_MESSAGE, "refuses query %zu by itself", one.first);
    }
    bo_pages_unwatch();
    if (ok)
        bo_record_count(exact, "touched_pages", (double)n_touched / (double)n_sample);
    return ok;
}

bool bo_measure_asking(const struct bo_opened *opened, const struct bo_bench_row *row,
                       double min_time_s, unsigned round, bool is_first, struct bo_record *record,
                       struct bo_record *exact)
{
    const struct bo_questions *questions = row->questions;
    const size_t room = questions->max_answers_nbytes + SPARE_ANSWERS;
    struct asking asking = {.opened = opened,
                            .questions = questions,
                            .answers = {.p = malloc(room), .cap = room},
                            .next = round * 7919u % questions->n_chunks};
    if (!asking.answers.p)
        abort();
    const struct bo_timed timed = {.run = run, .context = &asking};
    size_t n_verified;
    bool ok = verify(&asking, is_first ? verify_ns : WARM_NS, &n_verified, record->message) &&
              (!is_first || !opened->answers_right || count_pages(&asking, exact, record->message));
    if (ok) {
        size_batch(&asking);
        ok = bo_measure(row->name, min_time_s, &timed, record);
        if (!ok)
            snprintf(record->message, sizeof record->message, "gave up: %s",
                     bo_status_name(asking.status));
    }
    if (ok && is_first) {
        const double n = (double)questions->n;
        bo_record_count(exact, "set_queries", n);
        bo_record_count(exact, "verified_queries", opened->answers_right ? (double)n_verified : 0);
        bo_record_count(exact, "answer_bytes", (double)questions->answers_nbytes / n);
    }
    free(asking.answers.p);
    return ok;
}
