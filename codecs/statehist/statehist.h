/*
 * State histories of Trace Compass: what each attribute of a traced system was, at any time.
 *
 * The model and the queries. Public to the format's codecs and to importers; see README.md in this
 * folder for the text form and the byte layouts.
 */
#ifndef STATEHIST_H
#define STATEHIST_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "harness/codec.h"
#include "harness/format.h"

/* ---- the model: one history ------------------------------------------------------------------ */

enum statehist_type {
    STATEHIST_NULL, /* there is no value */
    STATEHIST_INT,  /* 32 bits, signed */
    STATEHIST_LONG, /* 64 bits, signed */
    STATEHIST_DOUBLE,
    STATEHIST_STRING,
    STATEHIST_BOOL,
    STATEHIST_N_TYPES
};

#define STATEHIST_ROOT UINT32_MAX /* the parent of top-level attributes */

/* A node of the attribute tree. Its number is its quark. */
struct statehist_attribute {
    struct bo_span name; /* UTF-8 without NUL, may be empty; unlike its siblings' */
    uint32_t parent;     /* a smaller quark, or STATEHIST_ROOT */
};

/* The value of an attribute from `start` to `end`, both included. */
struct statehist_interval {
    int64_t start, end; /* ns, start <= end */
    /*
     * null: 0; int and long: the number, sign-extended; double: its bits, all NaNs as they are;
     * string: which of the model's strings; bool: 0 or 1.
     */
    uint64_t value;
    uint32_t quark;
    uint32_t type; /* enum statehist_type */
};

/*
 * Intervals lie timeline by timeline: by quark, then by start. Each timeline covers start..end of
 * the history without gap or overlap. Neighbours may have equal values, and are not merged then.
 *
 * `closing` is the order in which a state system closed and stored the intervals. Ends do not
 * descend in it, but do not determine it, since several intervals may have one end. Encodings that
 * store intervals in this order (the history tree) need it. Histories that differ only in it are
 * equal.
 */
struct statehist_model {
    int64_t start, end; /* of the history, both included */
    uint32_t n_quarks;  /* below 2^31 */
    uint32_t n_strings;
    const struct statehist_attribute *attributes; /* by quark */
    const struct bo_span *strings;                /* distinct, each used; in order of first use */
    size_t n_intervals;                           /* fits 32 bits */
    const struct statehist_interval *intervals;
    const uint32_t *first;   /* by quark: its first interval; n_quarks + 1 of them */
    const uint32_t *closing; /* intervals by number; ends do not descend */
};

/* NULL when the model keeps the rules above, else a static phrase. Scratch memory from `arena`. */
const char *statehist_model_flaw(const struct statehist_model *model, struct bo_arena *arena);

/* ---- queries --------------------------------------------------------------------------------- */

/* A quark that does not exist, and a time outside of the history, is BO_OUT_OF_RANGE. */
enum statehist_query_kind {
    STATEHIST_POINT,      /* struct statehist_point_query; a struct statehist_state */
    STATEHIST_FULL_STATE, /* struct statehist_time_query; a struct statehist_values in a sink */
    STATEHIST_RANGE,      /* struct statehist_range_query; a struct statehist_columns in a sink */
    STATEHIST_WINDOW,     /* struct statehist_window_query; a struct statehist_states in a sink */
    STATEHIST_SCAN,       /* nothing; a struct statehist_digest of all intervals */
    STATEHIST_EXPORT,     /* struct statehist_time_query; a struct statehist_snapshot in a sink */
    STATEHIST_TIMES,      /* struct statehist_window_query, STATEHIST_LISTED; as WINDOW */
    STATEHIST_RANGE2D,    /* struct statehist_window_query, STATEHIST_ALWAYS; as WINDOW */
    STATEHIST_N_KINDS
};

/*
 * In answers, a value is that of the model, but a string's is its hash (XXH3 of 64 bits, seed 0),
 * so that answers have a fixed size; only EXPORT delivers strings.
 */
struct statehist_state {
    int64_t start, end;
    uint64_t value;
    uint32_t type;
    uint32_t padding; /* 0 */
};

struct statehist_point_query {
    int64_t time;
    uint32_t quark;
    uint32_t padding;
};

struct statehist_time_query {
    int64_t time;
};

/* All attributes at one time. Then n values of 8 bytes, n types of 1 byte, zeros up to 8 bytes. */
struct statehist_values {
    uint64_t n;
};

/* The intervals of one attribute that have a time in from..to. from > to is out of range, too. */
struct statehist_range_query {
    int64_t from, to;
    uint32_t quark;
    uint32_t padding;
};

/*
 * In order of time. Then n starts and n values of 8 bytes, n types of 1 byte, zeros up to 8 bytes.
 * The others end where the next one starts.
 */
struct statehist_columns {
    uint64_t n;
    int64_t end; /* of the last one */
};

enum { STATEHIST_MAX_WINDOW_TIMES = 65536 };

/* Which times a window has. */
enum statehist_form {
    STATEHIST_EVENLY, /* n_times: from + i * (to - from) / (n_times - 1), down; 1: only from */
    STATEHIST_LISTED, /* n_times of a list, ascending; the first is `from`, the last is `to` */
    STATEHIST_ALWAYS, /* all from `from` to `to`; n_times is not used */
};

/*
 * Some attributes at some times, as a view reads them when it is drawn. Each interval that contains
 * one of the times is in the answer once, unclipped. Also BO_OUT_OF_RANGE, even without quarks:
 * from > to, n_times outside of its range, a list that does not ascend, and `quarks` whose number
 * of bytes is not a multiple of 4.
 */
struct statehist_window_query {
    struct bo_span quarks; /* of 4 bytes each, little-endian; in any order */
    int64_t from, to;
    uint32_t n_times;     /* 1 to STATEHIST_MAX_WINDOW_TIMES */
    uint32_t form;        /* enum statehist_form */
    const int64_t *times; /* of STATEHIST_LISTED */
};

/* For each quark of the query, in its order: this, and n struct statehist_state by time. */
struct statehist_states {
    uint64_t n;
};

/*
 * Sums over all intervals, so the order in which they are read does not matter. The hash of an
 * interval is a chain over quark, start, end, type and value.
 */
struct statehist_digest {
    uint64_t n_intervals;
    uint64_t hash;
};

/*
 * All attributes at one time, with their intervals and strings. For each quark a struct
 * statehist_exported follows, with the bytes of its string after it, and zeros to a multiple of 8.
 */
struct statehist_snapshot {
    uint64_t n;
};

struct statehist_exported {
    struct statehist_state state; /* a string's value is its hash */
    uint64_t nbytes;              /* of the string; else 0 */
};

/* ---- definitions ----------------------------------------------------------------------------- */

static inline uint64_t statehist_hash(struct bo_span string)
{
    return XXH3_64bits(string.p, string.n);
}

/*
 * The i-th time of a window other than STATEHIST_ALWAYS: that of the list, or
 * from + i * (to - from) / (n_times - 1), rounded down, which is `from` if n_times is 1.
 */
static inline int64_t statehist_window_time(const struct statehist_window_query *q, uint32_t i)
{
    if (q->form == STATEHIST_LISTED)
        return q->times[i];
    const uint64_t length = (uint64_t)q->to - (uint64_t)q->from;
    const uint64_t n = q->n_times > 1 ? q->n_times - 1 : 1;
    return (int64_t)((uint64_t)q->from + length / n * i + length % n * i / n);
}

/* The first of evenly spaced times that lies after `time`, from..to; n_times for none. */
static inline uint32_t statehist_next_evenly(const struct statehist_window_query *q, int64_t time)
{
    const uint64_t length = (uint64_t)q->to - (uint64_t)q->from;
    const uint64_t passed = (uint64_t)time - (uint64_t)q->from;
    if (passed == length)
        return q->n_times;
    /* Rounding adds less than one, so this is not beyond the result. */
    uint32_t i = (uint32_t)((double)passed / (double)length * (double)(q->n_times - 1));
    while (i < q->n_times && statehist_window_time(q, i) <= time)
        i++;
    return i;
}

/* The first of a window's times that is not before `time`; n_times for none. Not of ALWAYS. */
static inline uint32_t statehist_first_from(const struct statehist_window_query *q, int64_t time)
{
    uint32_t low = 0, high = q->n_times;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (statehist_window_time(q, middle) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * For codecs, which start with q->from: the first of a window's times after `time`, which is no
 * earlier than `from`; false for none.
 */
static inline bool statehist_time_after(const struct statehist_window_query *q, int64_t time,
                                        int64_t *next_ret)
{
    if (time >= q->to)
        return false;
    const uint32_t i = q->form == STATEHIST_ALWAYS   ? 0
                       : q->form == STATEHIST_LISTED ? statehist_first_from(q, time + 1)
                                                     : statehist_next_evenly(q, time);
    *next_ret = q->form == STATEHIST_ALWAYS ? time + 1
                : i < q->n_times            ? statehist_window_time(q, i)
                                            : 0;
    return q->form == STATEHIST_ALWAYS || i < q->n_times;
}

/* For codecs: whether one of the window's times lies in start..end. */
static inline bool statehist_holds_time(const struct statehist_window_query *q, int64_t start,
                                        int64_t end)
{
    if (q->form == STATEHIST_ALWAYS || end < q->from || start > q->to)
        return end >= q->from && start <= q->to;
    const uint32_t i = statehist_first_from(q, start);
    return i < q->n_times && statehist_window_time(q, i) <= end;
}

static inline void statehist_mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * 0x9e3779b97f4a7c15u;
    *hash ^= *hash >> 29;
}

/* A string's value is its hash. */
static inline void statehist_digest_interval(struct statehist_digest *digest, uint32_t quark,
                                             int64_t start, int64_t end, uint32_t type,
                                             uint64_t value)
{
    uint64_t hash = 0;
    statehist_mix(&hash, (uint64_t)quark << 8 | type);
    statehist_mix(&hash, (uint64_t)start);
    statehist_mix(&hash, (uint64_t)end);
    statehist_mix(&hash, value);
    digest->n_intervals++;
    digest->hash += hash;
}

#endif
