/* The Pareto front of size and time, for each kind of codec. */
#ifndef BO_REPORT_FRONT_H
#define BO_REPORT_FRONT_H

#include "bench/runs/run.h"

/* Codecs are compared only within a kind. */
enum bo_front_kind {
    BO_FRONT_READ_IN_PLACE,
    /* access `whole` with an open reader: the time excludes `open`, which unpacks everything */
    BO_FRONT_UNPACKED,
    BO_FRONT_LEAVES_OUT, /* stores less than the others; never a pick */
    BO_FRONT_PROBABILISTIC,
};

/* The kind of a codec under a label. For operations, opening does not matter. */
enum bo_front_kind bo_front_kind_of(const struct bo_run_document *document,
                                    const struct bo_run_codec *codec, const char *label);

struct bo_front_point {
    const struct bo_run_codec *codec;
    const struct bo_run_row *row;
    double bytes, ns;
    enum bo_front_kind kind;
    bool on_front; /* no other codec of its kind is at least as small and fast, and better in one */
};

/*
 * The codecs that have bytes and a valid time under `label`, by bytes, then by time, without the
 * no-op codec. Kinds follow one another. Returns their number; the array is in the arena.
 */
size_t bo_front_points(const struct bo_run_document *document, const char *label,
                       struct bo_arena *arena, struct bo_front_point **points_ret);

/* True when there are such points under the main label: the document's pictures show them. */
bool bo_has_points(const struct bo_run_document *document, struct bo_arena *arena);

/* Marks the fronts of points in any order, one of each kind. */
void bo_front_mark(struct bo_front_point *points, size_t n);

#endif
