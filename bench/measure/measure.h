/* Times batches of any operation with Google Benchmark, on the CPU clock of this thread. */
#ifndef BO_MEASURE_H
#define BO_MEASURE_H

#include "bench/measure/record.h"

/*
 * The minimum duration of a batch. Reading the clock, a system call of 0.2 to 0.5 us, is at most
 * 0.5% of it.
 */
enum { BO_MIN_BATCH_NS = 100000 };

struct bo_timed {
    /*
     * Called before and after each batch, untimed; NULL: nothing to do. prepare returns false to
     * give up.
     */
    bool (*prepare)(void *context);
    void (*release)(void *context);
    /* The batch: returns how many operations it did, 0 to give up. */
    uint64_t (*run)(void *context);
    void *context;
};

/*
 * The number of batches of batch_ns in a repetition of min_time_s, at least 1. It is fixed before
 * the repetition, so no trial runs of growing length precede it.
 */
uint64_t bo_batches_for(double min_time_s, double batch_ns);

/*
 * Runs one repetition of n_batches and fills the record. real_ns is the median over batches of
 * thread CPU time, which a timer tick in one batch does not change. cpu_ns is Google Benchmark's
 * own time, a mean that includes the harness. The counters are p10_ns and p90_ns (percentiles over
 * batches) and mean_ns of thread CPU time, wall_ns (a mean), batches, and the processor's events if
 * they are supported (events.h). All times and counters but batches are per operation. False when a
 * batch gave up.
 */
bool bo_measure(const char *name, uint64_t n_batches, const struct bo_timed *timed,
                struct bo_record *record);

#endif
