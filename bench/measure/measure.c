/* One repetition of one row. */
#include "bench/measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "bench/measure/events.h"
#include "bench/measure/gbench_shim.h"
#include "bench/stats/stats.h"
#include "harness/core/arena.h"
#include "harness/core/clock.h"

/* Sums over the batches of a repetition. */
struct tally {
    const struct bo_timed *timed;
    double *batch_ns; /* per operation, with room for all batches */
    size_t n_batches;
    uint64_t n_operations, wall_ns;
    struct bo_events events;
};

static double time_batch(void *context)
{
    struct tally *tally = context;
    const struct bo_timed *timed = tally->timed;
    if (timed->prepare && !timed->prepare(timed->context))
        return -1;
    bo_events_start(&tally->events);
    const uint64_t wall = bo_wall_ns(), cpu = bo_cpu_ns();
    const uint64_t n = timed->run(timed->context);
    const uint64_t cpu_ns = bo_cpu_ns() - cpu;
    tally->wall_ns += bo_wall_ns() - wall;
    bo_events_stop(&tally->events);
    if (timed->release)
        timed->release(timed->context);
    if (n == 0)
        return -1;
    tally->n_operations += n;
    tally->batch_ns[tally->n_batches++] = (double)cpu_ns / (double)n;
    return (double)cpu_ns * 1e-9;
}

uint64_t bo_batches_for(double min_time_s, double batch_ns)
{
    const double n = ceil(min_time_s * 1e9 / fmax(batch_ns, 1));
    return n < 1 ? 1 : (uint64_t)n;
}

bool bo_measure(const char *name, uint64_t n_batches, const struct bo_timed *timed,
                struct bo_record *record)
{
    struct tally tally = {.timed = timed,
                          .batch_ns = bo_or_abort(calloc(n_batches, sizeof *tally.batch_ns))};
    const struct bo_gbench_case bench = {
        .name = name, .n_batches = n_batches, .batch = time_batch, .context = &tally};
    struct bo_gbench_result result;
    bo_events_open(&tally.events, bo_processor_events);
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
        for (unsigned i = 0; i < tally.events.n; i++)
            bo_record_count(record, tally.events.events[i]->name,
                            bo_events_count(&tally.events, i) / n);
    }
    bo_events_close(&tally.events);
    free(tally.batch_ns);
    return ok;
}
