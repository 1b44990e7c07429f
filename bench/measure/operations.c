/*
 * Measures batches of whole operations. Each operation has an arena of its own, released after the
 * batch.
 */
#include "bench/measure/operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "bench/measure/heap.h"
#include "bench/measure/measure.h"
#include "harness/core/clock.h"

enum {
    MAX_OPERATIONS = 1024, /* in a batch */
    WARM_OPERATIONS = 4,
    MAX_MAPPINGS = 256,       /* in a batch if each operation has a mapping of its own */
    NO_SHARE_NS = 1000000,    /* above this, preparing and releasing are negligible */
    NO_WARMING_NS = 50000000, /* above this, a cold heap is negligible */
};

/* The resources of one operation in a batch, released after it. */
struct slot {
    struct bo_arena arena;
    struct bo_writer out;
    void *map;
};

struct batch {
    const struct bo_bench_cell *cell;
    enum bo_operation operation;
    struct bo_span payload;
    unsigned n; /* operations */
    struct slot slots[MAX_OPERATIONS];
    void *model; /* of the last decode or merge */
    struct bo_error err;
    /* Record of the row's first operation: */
    struct bo_record *exact;
    struct bo_heap_use heap_start;
    bool has_heap, ran, right;
};

void bo_say_error(const struct bo_error *err, char *message, size_t message_nbytes)
{
    const char *status = bo_status_name(err->status), *what = err->what ? err->what : "";
    if (err->off == BO_NO_OFFSET)
        snprintf(message, message_nbytes, "%s: %s", status, what);
    else
        snprintf(message, message_nbytes, "%s at byte %" PRIu64 ": %s", status, err->off, what);
}

/* ---- a batch --------------------------------------------------------------------------------- */

static bool prepare(void *context)
{
    struct batch *batch = context;
    for (unsigned i = 0; i < batch->n; i++) {
        struct slot *slot = &batch->slots[i];
        bo_arena_init(&slot->arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&slot->out, &slot->arena);
        slot->map = NULL;
        if (batch->operation != BO_OPEN_COLD || batch->payload.n == 0)
            continue;
        slot->map =
            mmap(NULL, batch->payload.n, PROT_READ, MAP_PRIVATE, batch->cell->payload->fd, 0);
        if (slot->map == MAP_FAILED) {
            batch->n = i;
            bo_fail(&batch->err, BO_IO, BO_NO_OFFSET, "cannot map the payload");
            return false;
        }
    }
    return true;
}

static void release(void *context)
{
    struct batch *batch = context;
    for (unsigned i = 0; i < batch->n; i++) {
        struct slot *slot = &batch->slots[i];
        bo_writer_free(&slot->out);
        bo_arena_free(&slot->arena);
        if (slot->map)
            munmap(slot->map, batch->payload.n);
    }
}

/* Merges two files, as a tool does. Here they are equal, which the code does not exploit. */
static enum bo_status merge(struct batch *batch, struct slot *slot)
{
    const struct bo_codec *codec = batch->cell->codec;
    struct bo_merge_report report;
    void *models[2];
    for (unsigned i = 0; i < 2; i++) {
        const enum bo_status status =
            codec->decode(codec, batch->payload, &slot->arena, &models[i], &batch->err);
        if (status)
            return status;
    }
    const enum bo_status status = batch->cell->on->document->format->merge(
        (const void *const *)models, 2, &slot->arena, &batch->model, &report, &batch->err);
    return status ? status : codec->encode(codec, batch->model, &slot->out, &batch->err);
}

static enum bo_status operate(struct batch *batch, struct slot *slot)
{
    const struct bo_codec *codec = batch->cell->codec;
    void *reader;
    switch (batch->operation) {
    case BO_ENCODE:
        return codec->encode(codec, batch->cell->on->document->model, &slot->out, &batch->err);
    case BO_DECODE:
        return codec->decode(codec, batch->payload, &slot->arena, &batch->model, &batch->err);
    case BO_MERGE:
        return merge(batch, slot);
    case BO_OPEN:
        return codec->open(codec, batch->payload, &slot->arena, &reader, &batch->err);
    default:
        return codec->open(codec, (struct bo_span){slot->map, batch->payload.n}, &slot->arena,
                           &reader, &batch->err);
    }
}

static uint64_t run(void *context)
{
    struct batch *batch = context;
    for (unsigned i = 0; i < batch->n; i++)
        if (operate(batch, &batch->slots[i]))
            return 0;
    batch->ran = true;
    return batch->n;
}

/* ---- the first operation: verified, and its memory measured ---------------------------------- */

/*
 * Memory of encoding besides its output: the region, and other writers; for a codec that uses a
 * library, all that the allocator sees. Their peaks may be at different times, so this is an upper
 * bound, usually exact without a library.
 */
static double scratch_nbytes(const struct batch *batch, const struct bo_heap_use *heap)
{
    const struct slot *slot = &batch->slots[0];
    const bool has_library = batch->cell->codec->optional;
    const uint64_t region = has_library ? 0 : slot->arena.region_peak_nbytes;
    const uint64_t others = has_library ? heap->peak_nbytes : slot->arena.charged_peak_nbytes;
    const uint64_t output = slot->out.cap + slot->out.cap_marks * sizeof *slot->out.marks;
    return (double)(region + (others > output ? others - output : 0));
}

/*
 * Measures the memory. The arena's own figures are exact; jemalloc's also include memory that a
 * codec's libraries allocate outside the arena.
 */
static void weigh(const struct batch *batch, const struct bo_heap_use *heap)
{
    static const struct {
        const char *peak, *n_allocs;
    } names[BO_N_OPERATIONS] = {
        [BO_ENCODE] = {"encode_peak_bytes", "encode_allocs"},
        [BO_DECODE] = {"decode_peak_bytes", "decode_allocs"},
        [BO_MERGE] = {"merge_peak_bytes", "merge_allocs"},
        [BO_OPEN] = {"open_bytes_allocated", "open_allocs"},
        [BO_OPEN_COLD] = {"open_bytes_allocated", "open_allocs"},
    };
    struct bo_record *exact = batch->exact;
    const struct bo_arena *arena = &batch->slots[0].arena;
    const enum bo_operation operation = batch->operation;
    bo_record_count(exact, names[operation].peak, (double)arena->peak_nbytes);
    if (operation == BO_ENCODE && (batch->has_heap || !batch->cell->codec->optional))
        bo_record_count(exact, "encode_scratch_bytes", scratch_nbytes(batch, heap));
    bo_record_count(exact, names[operation].n_allocs, (double)arena->n_allocs);
    if (batch->has_heap) {
        bo_record_count(exact, "heap_allocated_bytes", (double)heap->allocated_nbytes);
        bo_record_count(exact, "heap_peak_bytes", (double)heap->peak_nbytes);
    }
}

/* True when the decoded or merged model is right. */
static bool is_model_right(struct batch *batch)
{
    const struct bo_document *document = batch->cell->on->document;
    const struct bo_format *format = document->format;
    const void *const twice[] = {document->model, document->model};
    void *merged = NULL;
    const void *right = document->model;
    struct bo_merge_report report;
    if (batch->operation != BO_DECODE && batch->operation != BO_MERGE)
        return true;
    if (batch->operation == BO_MERGE) {
        if (format->merge(twice, 2, &batch->slots[0].arena, &merged, &report, &batch->err))
            return false;
        right = merged;
    }
    const char *differ = format->differ(right, batch->model);
    if (differ)
        bo_fail(&batch->err, BO_CORRUPT, BO_NO_OFFSET, differ);
    return !differ;
}

static bool prepare_first(void *context)
{
    struct batch *batch = context;
    if (!prepare(batch))
        return false;
    batch->has_heap = bo_heap_start(&batch->heap_start);
    return true;
}

static void release_first(void *context)
{
    struct batch *batch = context;
    struct bo_heap_use heap = {0};
    if (batch->has_heap)
        heap = bo_heap_since(&batch->heap_start);
    if (batch->ran) {
        weigh(batch, &heap);
        batch->right = is_model_right(batch);
    }
    release(batch);
}

/* Runs one operation as a warm-up and measures its time. */
static bool warm_once(struct batch *batch, uint64_t *ns_ret)
{
    batch->n = 1;
    if (!prepare(batch))
        return false;
    const uint64_t cpu = bo_cpu_ns();
    const bool ok = run(batch) == 1;
    *ns_ret = bo_cpu_ns() - cpu;
    release(batch);
    return ok;
}

/*
 * Returns the number of operations in a batch that is long enough for the clock's resolution. On
 * entry, *ns is the time of the first operation, which was a warm-up. On return, it is the time of
 * the fastest of a few operations, from which the number is computed.
 */
static unsigned batch_size(struct batch *batch, uint64_t *ns)
{
    for (unsigned i = 0; i < WARM_OPERATIONS && *ns < BO_MIN_BATCH_NS; i++) {
        uint64_t warm_ns;
        if (warm_once(batch, &warm_ns) && warm_ns < *ns)
            *ns = warm_ns;
    }
    const uint64_t n = BO_MIN_BATCH_NS / (*ns + 1) + 1;
    const unsigned max = batch->operation == BO_OPEN_COLD ? MAX_MAPPINGS : MAX_OPERATIONS;
    return n < max ? (unsigned)n : max;
}

/*
 * The share of the operations in a batch's wall time. The rest is preparing and releasing (for
 * example 256 mappings). Without this correction, min_time_s would require too many batches.
 */
static double timed_share(struct batch *batch)
{
    const uint64_t start = bo_wall_ns();
    if (!prepare(batch))
        return 1; /* the measurement fails in the same way and reports it */
    const uint64_t ready = bo_wall_ns();
    run(batch);
    const uint64_t done = bo_wall_ns();
    release(batch);
    return (double)(done - ready) / (double)(bo_wall_ns() - start + 1);
}

/*
 * The row's first operation: verified, its memory measured, and timed in *record as a batch of its
 * own.
 */
static bool measure_first(struct batch *batch, const struct bo_bench_row *row,
                          struct bo_record *record, uint64_t *ns_ret)
{
    const struct bo_timed timed = {prepare_first, release_first, run, batch};
    batch->n = 1;
    if (!bo_measure(row->name, 1, &timed, record) || !batch->right)
        return false;
    *ns_ret = (uint64_t)record->real_ns;
    return true;
}

/* A repetition of operations that take about ns each. */
static bool measure_batches(struct batch *batch, const struct bo_bench_row *row, double min_time_s,
                            uint64_t ns, struct bo_record *record)
{
    const struct bo_timed timed = {prepare, release, run, batch};
    batch->n = batch_size(batch, &ns);
    const double share = ns < NO_SHARE_NS ? timed_share(batch) : 1;
    record->n_counters = 0;
    return bo_measure(row->name, bo_batches_for(min_time_s * share, (double)ns * batch->n), &timed,
                      record);
}

/* A slow operation does not run twice: its first run is the first repetition. */
static bool measure(struct batch *batch, const struct bo_bench_row *row, double min_time_s,
                    bool is_first, struct bo_record *record)
{
    uint64_t ns = is_first ? 0 : (uint64_t)row->times[0].real_ns;
    if (is_first && !measure_first(batch, row, record, &ns))
        return false;
    if (ns >= NO_WARMING_NS)
        return is_first || measure_batches(batch, row, min_time_s, ns, record);
    return (is_first || warm_once(batch, &ns)) &&
           measure_batches(batch, row, min_time_s, ns, record);
}

bool bo_measure_operation(const struct bo_bench_cell *cell, const struct bo_bench_row *row,
                          struct bo_span payload, double min_time_s, bool is_first,
                          struct bo_record *record, struct bo_record *exact)
{
    static struct batch batch; /* too large for the stack; a process measures one thing at a time */
    batch = (struct batch){
        .cell = cell, .operation = row->operation, .payload = payload, .exact = exact};
    if (measure(&batch, row, min_time_s, is_first, record)) {
        const double per_s = 1e9 / record->real_ns;
        bo_record_count(record, "items_per_second", per_s * (double)cell->on->n_units);
        bo_record_count(record, "bytes_per_second", per_s * (double)cell->on->text_nbytes);
        return true;
    }
    bo_say_error(&batch.err, record->message, sizeof record->message);
    return false;
}
