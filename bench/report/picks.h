/*
 * Which codec suits small files and quick lookups alike, over all documents: what `bakeoff pick`
 * says.
 */
#ifndef BO_REPORT_PICKS_H
#define BO_REPORT_PICKS_H

#include "bench/report/page.h"
#include "bench/report/pick.h"

/* How the main pick compares with another codec: its bytes and time over that one's. */
struct bo_main_ratios {
    const struct bo_run_codec *to; /* NULL: no such codec, and the ratios are NaN */
    double size, time;
};

/* The wishes of the main pick, which weigh alike: bytes, and the main query's time. */
enum { BO_MAIN_SIZE, BO_MAIN_TIME, BO_N_MAIN_WISHES };

/*
 * The pick for small files and quick lookups alike, the best one of another encoding, and what it
 * beats.
 */
struct bo_main_pick {
    const struct bo_run_codec *pick, *runner_up; /* NULL: none */
    enum bo_clarity clarity;
    struct bo_pick all;               /* where there is a pick; in the arena */
    struct bo_main_ratios status_quo; /* the baseline, where that is a status quo */
    struct bo_main_ratios
        proposal; /* the proposed codec with the best score, unless the pick is one */
};

/*
 * What `bakeoff pick` says of the n documents, all of one format, at least one, when no weights are
 * given.
 */
struct bo_main_pick bo_main_pick_of(const struct bo_run_document *const *documents, unsigned n,
                                    struct bo_arena *arena);

/*
 * The run's documents of a format: the one called `corpus`, or (NULL) all that are not for curves,
 * those held out or the others; where some have the workload that the format prefers, these alone.
 * An array in the arena. Returns how many.
 */
unsigned bo_compared_documents(const struct bo_run *run, const char *format, const char *corpus,
                               bool held_out, struct bo_arena *arena,
                               const struct bo_run_document *const **documents_ret);

/*
 * A table of the picks of formats: its heading; the line of a format that the run measured, with a
 * link that begins with `link` ("#"); the table with its explanation.
 */
void bo_picks_begin(struct bo_grid *grid_ret, struct bo_arena *arena);
void bo_picks_add(struct bo_grid *grid, const struct bo_run *run, const char *format,
                  const char *link);
void bo_page_picks(const struct bo_page *page, const struct bo_grid *grid);

#endif
