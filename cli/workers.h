/*
 * Independent jobs on all processors. Workers are processes, so a job that crashes is reported as a
 * result of that job, and the others go on.
 */
#ifndef BO_WORKERS_H
#define BO_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bo_jobs {
    size_t n;
    size_t result_nbytes; /* of one result: plain data; pointers only to what existed before */
    void *context;

    /* Runs a job in a worker. Jobs are started in order. */
    void (*run)(void *context, size_t job, void *result);
    /* Fills in the result of a job that ended its worker; how: "Segmentation fault" */
    void (*crashed)(void *context, size_t job, const char *how, void *result);
    /* In this process, in the order of the jobs. */
    void (*done)(void *context, size_t job, const void *result);
    /* In this process, about ten times a second, after n_finished jobs; may be NULL. */
    void (*tick)(void *context, size_t n_finished);
};

/* Processors that this process may run on. */
unsigned bo_n_processors(void);

/*
 * Runs all jobs on n_workers processes; 0 runs them in this process, where a debugger sees them.
 * False after a message when there is no process or memory for it.
 */
bool bo_jobs_run(const struct bo_jobs *jobs, unsigned n_workers);

#endif
