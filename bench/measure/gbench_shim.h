/*
 * A C interface to Google Benchmark: one benchmark at a time, timed by its caller in whole batches.
 */
#ifndef BO_GBENCH_SHIM_H
#define BO_GBENCH_SHIM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bo_gbench_case {
    const char *name;
    uint64_t n_batches; /* of a repetition */
    /* runs one batch and returns its time in seconds, negative to give up */
    double (*batch)(void *context);
    void *context;
};

/* Totals of a repetition. */
struct bo_gbench_result {
    double manual_s; /* the sum of what `batch` returned */
    double cpu_s;    /* processor time by Google Benchmark's own clock, including the harness */
};

/* One repetition. False when a batch gave up. */
bool bo_gbench_run(const struct bo_gbench_case *bench, struct bo_gbench_result *result_ret);

/*
 * The machine as Google Benchmark describes it in a context: num_cpus, mhz_per_cpu,
 * cpu_scaling_enabled, caches, load_avg. It is read once, before any fork. The caller owns the
 * object.
 */
json_t *bo_gbench_machine(void);

#ifdef __cplusplus
}
#endif

#endif
