/* A line that shows the progress of long work. Only if stderr is a terminal. */
#ifndef BO_PROGRESS_H
#define BO_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct bo_progress {
    const char *what; /* "measuring" */
    uint64_t total;   /* number of steps */
    uint64_t done;
    uint64_t started_ns, drawn_ns;
    bool shown; /* stderr is a terminal */
};

struct bo_progress bo_progress_start(const char *what, uint64_t total);

/*
 * Reports that n steps are done; detail (may be NULL) names the current one. Redraws a few times a
 * second.
 */
void bo_progress_step(struct bo_progress *progress, uint64_t n, const char *detail);

/*
 * "4:10": the estimated time for the remaining steps at the average pace so far; "?" before the
 * first.
 */
void bo_progress_left(const struct bo_progress *progress, char text_ret[32]);

/* Clears the line. */
void bo_progress_end(struct bo_progress *progress);

#endif
