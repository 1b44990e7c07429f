/*
 * A C interface to Google Benchmark: one benchmark at a time, timed by its caller in whole batches.
 */
#ifndef BO_GBENCH_SHIM_H
#define BO_GBENCH_SHIM_H

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

struct bo_gbench_cache {
    char type[16]; /* "Data", "Instruction", "Unified" */
    int level;
    int nbytes;
    int num_sharing; /* processors that share the cache */
};

enum { BO_GBENCH_MAX_CACHES = 16 };

struct bo_gbench_machine {
    int num_cpus;
    double cycles_per_second;
    int scaling; /* frequency scaling: 1 on, 0 off, -1 unknown */
    double load_avg[3];
    unsigned n_load_avg;
    struct bo_gbench_cache caches[BO_GBENCH_MAX_CACHES];
    unsigned n_caches;
};

/* The machine as Google Benchmark describes it. It is read once, before any fork. */
void bo_gbench_describe_machine(struct bo_gbench_machine *machine_ret);

#ifdef __cplusplus
}
#endif

#endif
