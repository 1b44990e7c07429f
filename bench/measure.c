/* One repetition of one row. */
#include "bench/measure.h"

#include <stdlib.h>

#include "bench/clock.h"
#include "bench/gbench_shim.h"
#include "bench/stats.h"

/* What the batches of a trial add up to. */
struct tally {
    const struct bo_timed *timed;
    double *batch_ns; /* per operation */
    size_t n_batches, cap_batches;
    uint64_t n_operations, wall_ns;
};

static void begin_trial(void *context)
{
    struct tally *tally = context;
    tally->n_batches = 0;
    tally->n_operations = tally->wall_ns = 0;
}

static void keep_batch(struct tally *tally, double ns)
{
    if (tally->n_batches == tally->cap_batches) {
        tally->cap_batches = tally->cap_batches ? 2 * tally->cap_batches : 256;
        tally->batch_ns = realloc(tally->batch_ns, tally->cap_batches * sizeof *tally->batch_ns);
        if (!tally->batch_ns)
            abort();
    }
    tally->batch_ns[tally->n_batches++] = ns;
}

static double time_batch(void *context)
{
    struct tally *tally = context;
    const struct bo_timed *timed = tally->timed;
    if (timed->prepare && !timed->prepare(timed->context))
        return -1;
    const uint64_t wall = bo_wall_ns(), cpu = bo_cpu_ns();
    const uint64_t n = timed->run(timed->context);
    const uint64_t cpu_ns = bo_cpu_ns() - cpu;
    tally->wall_ns += bo_wall_ns() - wall;
    if (timed->release)
        timed->release(timed->context);
    if (n == 0)
        return -1;
    tally->n_operations += n;
    keep_batch(tally, (double)cpu_ns / (double)n);
    return (double)cpu_ns * 1e-9;
}

bool bo_measure(const char *name, double min_time_s, const struct bo_timed *timed,
                struct bo_record *record)
{
    struct tally tally = {.timed = timed};
    const struct bo_gbench_case bench = {.name = name,
                                         .min_time_s = min_time_s,
                                         .begin = begin_trial,
                                         .batch = time_batch,
                                         .context = &tally};
    struct bo_gbench_result result;
    const bool ok = bo_gbench_run(&bench, &result) && tally.n_operations;
    if (ok) {
        const double n = (double)tally.n_operations;
        bo_sort_doubles(tally.batch_ns, tally.n_batches);
        record->iterations = tally.n_operations;
        record->real_ns = bo_percentile(tally.batch_ns, tally.n_batches, 0.5);
        record->cpu_ns = result.cpu_s * 1e9 / n;
        bo_record_count(record, "p10_ns", bo_percentile(tally.batch_ns, tally.n_batches, 0.1));
        bo_record_count(record, "p90_ns", bo_percentile(tally.batch_ns, tally.n_batches, 0.9));
        bo_record_count(record, "mean_ns", result.manual_s * 1e9 / n);
        bo_record_count(record, "wall_ns", (double)tally.wall_ns / n);
        bo_record_count(record, "batches", (double)tally.n_batches);
    }
    free(tally.batch_ns);
    return ok;
}
