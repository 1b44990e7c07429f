/* Which codecs none of their kind beats in both size and time. */
#ifndef BO_REPORT_FRONT_H
#define BO_REPORT_FRONT_H

#include "bench/runs/run.h"

/* What is compared among itself only. */
enum bo_front_kind {
    BO_FRONT_READ_IN_PLACE,
    /* access `whole`, an open reader: the time is that of memory, without the opening before it */
    BO_FRONT_UNPACKED,
    BO_FRONT_PROBABILISTIC,
};

/* Of a codec under a label; operations are compared whatever the codec does when it opens. */
enum bo_front_kind bo_front_kind_of(const struct bo_run_document *document,
                                    const struct bo_run_codec *codec, const char *label);

struct bo_front_point {
    const struct bo_run_codec *codec;
    const struct bo_run_row *row;
    double bytes, ns;
    enum bo_front_kind kind;
    bool on_front; /* no other of its kind is as small and as fast, and better in one */
};

/*
 * The codecs that have bytes and a sound time under `label`, by bytes, then by time, without the
 * no-op codec. Kinds come one after the other. Returns how many; the array is in the arena.
 */
size_t bo_front_points(const struct bo_run_document *document, const char *label,
                       struct bo_arena *arena, struct bo_front_point **points_ret);

/* Marks the fronts of points in any order, one of each kind. */
void bo_front_mark(struct bo_front_point *points, size_t n);

#endif
