/*
 * The history tree file of Trace Compass, version 11: what its writer and its readers share. The
 * layout is in README.md.
 */
#ifndef STATEHIST_HT_H
#define STATEHIST_HT_H

#include "codecs/statehist/statehist.h"

enum {
    HT_MAGIC = 0x05ffa900,
    HT_VERSION = 11,
    HT_PROVIDER_VERSION = 1, /* of the program that computed the states; models lack it */

    HT_HEADER_NBYTES = 4096,
    HT_USED_HEADER_NBYTES = 36,

    /* Of a node, in its block. */
    HT_TYPE_OFF = 0,
    HT_START_OFF = 1,
    HT_END_OFF = 9,
    HT_MIN_QUARK_OFF = 17,
    HT_MAX_QUARK_OFF = 21,
    HT_NUMBER_OFF = 25,
    HT_PARENT_OFF = 29,
    HT_N_INTERVALS_OFF = 33,
    HT_NODE_HEADER_NBYTES = 37,

    HT_CORE = 1,
    HT_LEAF = 2,

    HT_NULL = 0xff, /* types of values */
    HT_INT = 0,
    HT_STRING = 1,
    HT_LONG = 2,
    HT_DOUBLE = 3,
    HT_CUSTOM = 20,

    HT_MIN_INTERVAL_NBYTES = 1 + 1 + 4 + 1,
    HT_MAX_STRING_NBYTES = 32767,

    HT_MAX_BLOCK_NBYTES = 1 << 24,
};

#define HT_NO_PARENT UINT32_MAX

/* What a node without intervals has as bounds, and a place for a child without one. */
#define HT_NONE_MIN_QUARK INT32_MAX
#define HT_NONE_MAX_QUARK INT32_MIN
#define HT_NO_CHILD_START INT64_MIN
#define HT_NO_CHILD_END INT64_MAX
#define HT_NO_CHILD_MIN_QUARK 0
#define HT_NO_CHILD_MAX_QUARK INT32_MAX

/* How large nodes are, and how wide: what a file's header says. */
struct ht_config {
    uint32_t block_nbytes;
    uint32_t max_children;
};

struct ht_child {
    uint32_t number;
    int64_t start, end;
    int32_t min_quark, max_quark; /* of all below, too */
};

/* ---- numbers of variable length -------------------------------------------------------------- */

/* A count of bytes, and that many bytes of number + bias. The bias keeps -3 to -1 short. */
enum { HT_VARINT_BIAS = 3, HT_MAX_VARINT_NBYTES = 9 };

static inline unsigned ht_varint_nbytes(uint64_t v)
{
    v += HT_VARINT_BIAS;
    return 1 + (v ? (71 - (unsigned)__builtin_clzll(v)) / 8 : 0);
}

/* Returns the byte after it. */
static inline uint8_t *ht_set_varint(uint8_t *p, uint64_t v)
{
    const unsigned n = ht_varint_nbytes(v) - 1;
    v += HT_VARINT_BIAS;
    *p++ = (uint8_t)n;
    for (unsigned i = 0; i < n; i++)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Bytes that a core node has for children, before the numbers of variable length. */
static inline size_t ht_fixed_core_nbytes(const struct ht_config *config)
{
    return 4 + 3 * (size_t)4 * config->max_children;
}

static inline uint64_t ht_block_off(const struct ht_config *config, uint32_t number)
{
    return HT_HEADER_NBYTES + (uint64_t)config->block_nbytes * number;
}

/* ---- the attribute tree, as a stream of Java objects (ht_attributes.c) ----------------------- */

enum bo_status ht_put_attributes(const struct statehist_attribute *attributes, uint32_t n,
                                 struct bo_writer *out, struct bo_error *err);

/* Reads from byte `off` to the end of `in`. Names may point into `in`. */
enum bo_status ht_get_attributes(struct bo_span in, size_t off, struct bo_arena *arena,
                                 const struct statehist_attribute **attributes_ret, uint32_t *n_ret,
                                 struct bo_error *err);

#endif
