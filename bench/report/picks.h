/*
 * The codec that is best when small files and fast lookups have equal weight, over all documents:
 * the answer of `bakeoff pick`.
 */
#ifndef BO_REPORT_PICKS_H
#define BO_REPORT_PICKS_H

#include "bench/report/pick.h"

/* The main pick's bytes and time, divided by those of another codec. */
struct bo_main_ratios {
    const struct bo_run_codec *to; /* NULL: no such codec, and the ratios are NaN */
    double size, time;
};

/* The wishes of the main pick, with equal weights: bytes, and the main query's time. */
enum { BO_MAIN_SIZE, BO_MAIN_TIME, BO_N_MAIN_WISHES };

/*
 * The pick when small files and fast lookups have equal weight, the best codec with another
 * encoding, and the codecs that the pick is compared with.
 */
struct bo_main_pick {
    const struct bo_run_codec *pick;  /* NULL: none */
    struct bo_pick all;               /* in the arena; without a pick, it has no codecs */
    struct bo_main_ratios status_quo; /* the baseline, if it is a status quo */
    /* the proposed codec with the best score, unless the pick is one */
    struct bo_main_ratios proposal;
};

/* The answer of `bakeoff pick` without weights for the n >= 1 documents, all of one format. */
struct bo_main_pick bo_main_pick_of(const struct bo_run *run,
                                    const struct bo_run_document *const *documents, unsigned n,
                                    struct bo_arena *arena);

/* The sorts of documents: in comparisons, held out of them, or for curves over sizes. */
enum { BO_ORDINARY = 1, BO_HELD_OUT = 2, BO_FOR_CURVES = 4 };

/* The run's documents of a format of these sorts: an array in the arena. Returns their number. */
unsigned bo_format_documents(const struct bo_run *run, const char *format, unsigned sorts,
                             struct bo_arena *arena, const struct bo_run_document ***documents_ret);

/*
 * Keeps the documents that have the workload which the format prefers (a recorded one), if some
 * have it: a mean over different workloads has no meaning. Returns their number.
 */
unsigned bo_keep_preferred(const char *format, const struct bo_run_document **documents,
                           unsigned n);

/*
 * The run's documents of a format: the one called `corpus`, or (NULL) the held-out ones or the
 * ordinary ones; if some have the workload that the format prefers, only these. An array in the
 * arena. Returns their number.
 */
unsigned bo_compared_documents(const struct bo_run *run, const char *format, const char *corpus,
                               bool held_out, struct bo_arena *arena,
                               const struct bo_run_document *const **documents_ret);

#endif
