/* A line that says how far long work has come: on a terminal only, on stderr. */
#ifndef BO_PROGRESS_H
#define BO_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct bo_progress {
    const char *what; /* "measuring" */
    uint64_t total;   /* steps */
    uint64_t done;
    uint64_t started_ns, drawn_ns;
    bool shown; /* stderr is a terminal */
};

struct bo_progress bo_progress_start(const char *what, uint64_t total);

/* n steps are done; detail (may be NULL) names what is done. Redraws a few times a second. */
void bo_progress_step(struct bo_progress *progress, uint64_t n, const char *detail);

/*
 * "4:10": the time that the steps left would take at the pace of those done; "?" before the first.
 */
void bo_progress_left(const struct bo_progress *progress, char text_ret[32]);

/* Wipes the line. */
void bo_progress_end(struct bo_progress *progress);

#endif
