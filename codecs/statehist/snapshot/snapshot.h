/*
 * Snapshots: histories of one instant, in which each attribute has one interval, from that time to
 * that time. Encodings of snapshots contain nothing else.
 */
#ifndef STATEHIST_SNAPSHOT_H
#define STATEHIST_SNAPSHOT_H

#include "codecs/statehist/statehist.h"

/* An attribute's value, as answers have it. */
struct statehist_instant_value {
    uint64_t value; /* a string's is its hash */
    uint32_t type;
    struct bo_span string; /* where it is one */
};

/* A snapshot that has been read. */
struct statehist_instant {
    int64_t time;
    uint32_t n_quarks;
    const struct statehist_attribute *attributes;
    struct statehist_instant_value *values;
};

/* BO_UNSUPPORTED unless the model is a snapshot. */
enum bo_status statehist_expect_snapshot(const struct statehist_model *model, struct bo_error *err);

/*
 * The model with every NaN as the one that JSON has; itself when there is no other. As
 * bo_codec.reduce.
 */
enum bo_status statehist_reduce_nans(const struct bo_codec *self, const void *model,
                                     struct bo_arena *arena, void **model_ret,
                                     struct bo_error *err);

enum bo_status statehist_instant_model(const struct statehist_instant *instant,
                                       struct bo_arena *arena, void **model_ret,
                                       struct bo_error *err);

/* As bo_codec.query; the reader is a struct statehist_instant. */
enum bo_status statehist_query_instant(const struct bo_codec *self, void *reader, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err);

#endif
