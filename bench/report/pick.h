/*
 * The codec that suits given wishes (weights and limits on measures) best on one document or
 * several, the certainty of this pick, and the range of weights in which it stays the same.
 */
#ifndef BO_PICK_H
#define BO_PICK_H

#include <stdio.h>

#include "bench/report/figure.h"
#include "harness/format_report.h"

enum { BO_MAX_WISHES = 16 };

enum bo_limit_kind {
    BO_NO_LIMIT,
    BO_LIMIT,             /* in the measure's own unit */
    BO_LIMIT_OF_BASELINE, /* as a factor of the documents' baseline (bench/runs/run.h) */
};

/* A measure; lower is better. */
struct bo_wish {
    const char *name; /* "size" */
    struct bo_figure figure;
    double weight; /* 0: only a limit */
    enum bo_limit_kind limit_kind;
    double limit;
    double noise; /* of times: the limit of struct bo_noise; below 1 or NaN: not known */
};

/* A codec under the wishes: ratios to the baseline, geometric means over the documents. */
struct bo_picked_codec {
    const struct bo_run_codec *codec; /* of the first document */
    double ratios[BO_MAX_WISHES];
    /* Of the ratios, from the medians' 95% intervals; NaN if a median has none. */
    double lows[BO_MAX_WISHES], highs[BO_MAX_WISHES];
    double score; /* weighted geometric mean of the ratios; NaN when it is not weighed */
    /* no other weighed codec is at least as good in all measures, and better in one */
    bool on_front;
    char *left_out; /* the reason why it is not weighed; NULL */
};

/*
 * The range of a weight, with the other weights fixed, in which the pick's encoding stays the same.
 */
struct bo_weight_range {
    double low, high;                            /* 0 and INFINITY if nothing changes it */
    const struct bo_picked_codec *below, *above; /* the pick outside the range; NULL: the same */
};

/*
 * Whether the pick is ahead of the runner-up even with each median at the worse end of its
 * interval, and by more than times differ from themselves.
 */
enum bo_clarity { BO_IS_CLEAR, BO_NOT_CLEAR, BO_NO_RIVAL, BO_NO_INTERVAL };

/* "yes", "no", "no rival", "no 95% interval" */
extern const char *const bo_clarity_names[BO_NO_INTERVAL + 1];

struct bo_pick {
    const struct bo_wish *wishes;
    unsigned n_wishes;
    const struct bo_run_document *const *documents;
    unsigned n_documents;
    struct bo_picked_codec *codecs; /* weighed codecs by score, the pick first; then the others */
    unsigned n_codecs, n_weighed;
    /*
     * The best codec with another encoding than the pick. Other readers of the same encoding are
     * not rivals. NULL: none.
     */
    const struct bo_picked_codec *runner_up;
    struct bo_weight_range ranges[BO_MAX_WISHES];
    enum bo_clarity clarity;
};

/*
 * Weighs all codecs that can be picks and have every measure on every document (all of one format,
 * at least one). The wishes must outlive the pick. False after a message in *why_ret (in the arena)
 * when the baseline lacks a measure, so that ratios do not exist.
 */
bool bo_pick_codec(const struct bo_run_document *const *documents, unsigned n_documents,
                   const struct bo_wish *wishes, unsigned n_wishes, struct bo_arena *arena,
                   struct bo_pick *pick_ret, const char **why_ret);

/*
 * The wishes of one of the format's uses (harness/format_report.h): each picking figure weighs 1.
 */
unsigned bo_wishes_of_use(const struct bo_uses *uses, const char *use, struct bo_wish *wishes_ret);

/* Sets the noise of times to the A/A limits of the format in the run. */
void bo_wishes_set_noise(const struct bo_run *run, const char *format, struct bo_wish *wishes,
                         unsigned n);

/* The table of codecs, the winner and the reason, ranges of weights, and the rows used. */
void bo_pick_print(const struct bo_pick *pick, unsigned width, struct bo_arena *arena, FILE *out);

/* The same for programs; the caller owns it. */
struct json_t *bo_pick_json(const struct bo_pick *pick);

#endif
