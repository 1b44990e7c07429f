/*
 * Which codec suits given wishes: weights and limits on measures, over one document or several; how
 * sure that is, and how far the weights may move before the answer changes.
 */
#ifndef BO_PICK_H
#define BO_PICK_H

#include "bench/report_figure.h"
#include "bench/report_notes.h"

enum { BO_MAX_WISHES = 16 };

enum bo_limit_kind {
    BO_NO_LIMIT,
    BO_LIMIT,          /* in the measure's own unit */
    BO_LIMIT_OF_FIRST, /* over what the format's first codec has */
};

/* A measure, less of which is better. */
struct bo_wish {
    const char *name; /* "size" */
    struct bo_figure figure;
    double weight; /* 0: has a limit only */
    enum bo_limit_kind limit_kind;
    double limit;
};

/* A codec under the wishes: ratios to the format's first codec, geometric means over the documents. */
struct bo_picked_codec {
    const struct bo_run_codec *codec; /* of the first document */
    double ratios[BO_MAX_WISHES];
    double lows[BO_MAX_WISHES], highs[BO_MAX_WISHES]; /* of the ratios, by the medians' intervals */
    double score;   /* weighted geometric mean of the ratios; NaN when it is not weighed */
    bool on_front;  /* no other one that is weighed is as good in all measures, and better in one */
    char *left_out; /* why it is not weighed; NULL */
};

/* Between which values a weight may lie, the others staying, for the winner to remain so. */
struct bo_weight_range {
    double low, high;                            /* 0 and INFINITY where nothing changes it */
    const struct bo_picked_codec *below, *above; /* who wins beyond; NULL: nobody */
};

struct bo_pick {
    const struct bo_wish *wishes;
    unsigned n_wishes;
    const struct bo_run_document *const *documents;
    unsigned n_documents;
    struct bo_picked_codec *codecs; /* those weighed by score, the best first; then the others */
    unsigned n_codecs, n_weighed;
    struct bo_weight_range ranges[BO_MAX_WISHES];
    /* The winner stays ahead of the runner-up with each median at the worse end of its interval. */
    bool is_clear;
};

/*
 * Weighs all codecs that can be picks and have every measure on every document (all of one format,
 * at least one). The wishes must outlive the pick. False after a message in *why_ret (in the arena)
 * when the first codec lacks a measure, so that there is nothing to compare with.
 */
bool bo_pick_codec(const struct bo_run_document *const *documents, unsigned n_documents,
                   const struct bo_wish *wishes, unsigned n_wishes, struct bo_arena *arena,
                   struct bo_pick *pick_ret, const char **why_ret);

/* The wishes of one of the format's uses (report_notes.h): each picking figure weighs 1. */
unsigned bo_wishes_of_use(const struct bo_uses *uses, const char *use, struct bo_wish *wishes_ret);

/* The table of codecs, the winner and why, ranges of weights, and the rows behind it. */
void bo_pick_print(const struct bo_pick *pick, unsigned width, struct bo_arena *arena, FILE *out);

/* The same for programs; the caller owns it. */
json_t *bo_pick_json(const struct bo_pick *pick);

#endif
