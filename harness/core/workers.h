/*
 * Runs independent jobs on all processors. Workers are processes, so a job that crashes only fails
 * itself, and the others continue.
 */
#ifndef BO_WORKERS_H
#define BO_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct bo_jobs {
    size_t n;
    /* size of a result. A result is plain data, with pointers only to memory that existed before */
    size_t result_nbytes;
    void *context;

    /* Runs a job in a worker. Jobs are started in order. */
    void (*run)(void *context, size_t job, void *result);
    /* Fills in the result of a job that crashed its worker; how: "Segmentation fault" */
    void (*crashed)(void *context, size_t job, const char *how, void *result);
    /* Called in this process, in the order of the jobs. */
    void (*done)(void *context, size_t job, const void *result);
    /*
     * Called in this process, about ten times a second, with the number of finished jobs; may be
     * NULL. False ends all workers.
     */
    bool (*tick)(void *context, size_t n_finished);
};

/* fork(2); SIGKILL ends the child when this process ends. */
pid_t bo_fork(void);

/* Processors that this process may run on. */
unsigned bo_n_processors(void);

/*
 * Runs all jobs on n_workers processes; 0 runs them in this process, for debugging. False when
 * `tick` ended them, and after a message when a process or memory is not available.
 */
bool bo_jobs_run(const struct bo_jobs *jobs, unsigned n_workers);

#endif
