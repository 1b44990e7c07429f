/*
 * mixed-contexts: bakeoff's own, for archives. Changes are coded one by one, each predicted from
 * the earlier ones in several contexts at once. See README.md.
 */
#ifndef STATEHIST_MIXED_CONTEXTS_H
#define STATEHIST_MIXED_CONTEXTS_H

#include "codecs/statehist/mixed_contexts/coder.h"
#include "codecs/statehist/model.h"
#include "harness/core/bits.h"

enum { MIXED_MAX_CLASSES = 63 };

/* A value, as changes have it. */
struct mixed_value {
    uint32_t type;
    uint64_t value;
};

/* Values of one class, in order of their first use; number 0 is null. */
struct mixed_values {
    struct mixed_value *values;
    uint32_t n;
    size_t cap;
    uint32_t *slots; /* numbers; 0: nothing */
    size_t n_slots;
    uint64_t seed;                    /* of the slots' hash; unpredictable */
    uint64_t last[STATEHIST_N_TYPES]; /* the latest new one of each type */
};

/* An attribute, while the history is coded. */
struct mixed_quark {
    int64_t start; /* of the interval that it is in */
    uint32_t class, owner;
    uint32_t in_class;          /* its place among those of its class */
    uint32_t value, before;     /* numbers of the values it has and had */
    uint32_t seen, seen_before; /* their form in contexts: the same; or steps of a counter */
    uint32_t number;            /* its name, if that is one; else UINT32_MAX */
    uint32_t event;             /* number of the event in which it changed last; 0: none yet */
};

struct mixed_class {
    uint32_t *quarks;
    uint32_t n;
    uint32_t last, last_but_one; /* the quarks that changed last */
    uint32_t n_met;              /* 1 + the largest in_class of those that have changed */
    bool counts; /* numbers of values are coded as steps from the attribute's last one */
    struct mixed_values values;
};

/* A change at one time. */
struct mixed_change {
    uint64_t time; /* above the start of the history */
    uint32_t quark;
    uint32_t interval; /* of the model; that starts then */
};

/* The state of encoding or decoding. */
struct mixed_history {
    struct mixed_coder coder;
    struct bo_arena *arena;
    bool reads;
    int64_t start, end;
    uint32_t n_quarks, n_strings;
    size_t n_intervals;
    size_t nbytes; /* reading: of the file */
    size_t n_text; /* reading: bytes of strings so far */
    struct mixed_quark *quarks;
    struct mixed_class *classes;
    uint32_t n_classes, n_owners;
    bool has_counters;   /* some classes count */
    uint32_t *met;       /* by owner and class: the quark that changed last */
    uint32_t *followers; /* hashed: the quark that followed in a context */
    unsigned hash_bits;
    uint32_t *by_number;                 /* hashed: owners by the number that names them */
    uint32_t *changed;                   /* quarks, at one time */
    size_t n_changes;                    /* so far */
    const struct statehist_model *model; /* writing */
    size_t max_nbytes;                   /* writing: to end when there are more */
    struct statehist_builder *builder;   /* reading */
    const char *what;                    /* the error; NULL: none so far */
};

enum mixed_kind {
    MIXED_CLASS,
    MIXED_CANDIDATE,
    MIXED_QUARK,
    MIXED_VALUE,
    MIXED_TYPE,
    MIXED_NEW,
    MIXED_STEP,
    MIXED_COUNT,
    MIXED_DELTA,
    MIXED_DURATION,
    MIXED_N_KINDS
};

/* Where the quark of an owner and class that changed last is noted, from 1. */
static inline uint32_t *mixed_met(const struct mixed_history *history, uint32_t owner,
                                  uint32_t class)
{
    return &history->met[(size_t)owner * history->n_classes + class];
}

static inline size_t mixed_slot(const struct mixed_history *history, uint64_t a, uint64_t b)
{
    return (size_t)(mixed_hash(mixed_hash(a, 3), b) * UINT64_C(0xd6e8feb86659fd93) >>
                    (64 - history->hash_bits));
}

/*
 * Writing: whether the output is already too long to be kept: longer than max_nbytes; for larger
 * histories, longer than a quarter of max_nbytes plus the share of it that the intervals so far
 * have.
 */
static inline bool mixed_is_too_long(const struct mixed_history *history)
{
    enum { LARGE = 4096 };
    const double nbytes = (double)history->max_nbytes,
                 share = (double)history->n_changes / (double)history->n_intervals;
    return !history->reads &&
           (double)history->coder.range.out->n >
               (history->max_nbytes < LARGE || share > 0.75 ? nbytes : nbytes * (0.25 + share));
}

/* Fills what depends on the tree alone. */
bool mixed_prepare(struct mixed_history *history, const struct statehist_attribute *attributes);

/* The difference between the numbers of two values, as contexts use it. */
static inline uint32_t mixed_step(uint32_t from, uint32_t to)
{
    return (uint32_t)bo_zigzag64((int64_t)to - (int64_t)from);
}

/* Encodes or decodes which classes count. mixed_find_counters: chooses these; false if none. */
void mixed_code_counters(struct mixed_history *history);
bool mixed_find_counters(struct mixed_history *history);

/* Codes all intervals, time by time. changes: encoding only, by time. False: out of memory. */
bool mixed_code_events(struct mixed_history *history, const struct mixed_change *changes,
                       size_t n_changes, uint32_t n_events);

/* Encodes or decodes all intervals, timeline by timeline. */
bool mixed_code_timelines(struct mixed_history *history);

/*
 * Encodes or decodes the number of a value of a class, and the value itself when it is new.
 * `before` is the number of the attribute's last value, for classes that count.
 */
bool mixed_code_value(struct mixed_history *history, const struct mixed_contexts *contexts,
                      uint32_t class, uint32_t before, const struct mixed_value *value,
                      uint32_t *number_ret);

#endif
