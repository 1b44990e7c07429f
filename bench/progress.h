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

/* One step is done; detail (may be NULL) names what comes next. Redraws a few times a second. */
void bo_progress_step(struct bo_progress *progress, const char *detail);

/* Wipes the line. */
void bo_progress_end(struct bo_progress *progress);

#endif
