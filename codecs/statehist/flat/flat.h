/* history.bin as it is read: records of one interval each, with or without their types. */
#ifndef STATEHIST_FLAT_H
#define STATEHIST_FLAT_H

#include "codecs/statehist/parts.h"

/* What the variants differ in. */
struct statehist_flat_layout {
    uint8_t id;       /* in the header */
    bool has_types;   /* types.json declares the types; else each record has its own */
    bool null_counts; /* as a type like others; else records have a null bit */
    bool by_quark;    /* records by quark and start; else in the order of closing */
};

struct statehist_flat {
    const struct statehist_flat_layout *layout;
    struct bo_arena *arena;
    int64_t start, end;
    struct bo_span records;
    size_t records_off; /* in the encoding */
    uint32_t n_quarks;
    size_t n_records;
    const uint8_t *types; /* declared, by quark */
    const struct statehist_attribute *attributes;
    const uint8_t **marks; /* where each STATEHIST_FLAT_STEP-th record starts */
    size_t n_marks;
};

enum {
    STATEHIST_FLAT_STEP = 16,
    STATEHIST_FLAT_HEAD = 20, /* bytes of start, end, quark */
    STATEHIST_FLAT_ESCAPE = 0xffff,
};
#define STATEHIST_FLAT_NULL_BIT (UINT32_C(1) << 31)

/* A record where it lies. */
struct statehist_record {
    int64_t start, end;
    uint32_t quark, type;
    const uint8_t *value;
    size_t text_nbytes; /* of a string, whose text `value` is */
    const uint8_t *next;
};

/* Types of records have the numbers of today's file. bool, which that file lacks, is 4. */
static inline uint32_t statehist_flat_type(uint8_t code)
{
    static const uint8_t types[] = {STATEHIST_NULL, STATEHIST_INT,    STATEHIST_STRING,
                                    STATEHIST_LONG, STATEHIST_DOUBLE, STATEHIST_BOOL};
    code++; /* null is -1 */
    return code < sizeof types ? types[code] : STATEHIST_N_TYPES;
}

/* The record at p, which has been checked. What is not used of it costs nothing. */
static inline struct statehist_record statehist_record_at(const struct statehist_flat *f,
                                                          const uint8_t *p)
{
    static const uint8_t nbytes[STATEHIST_N_TYPES + 1] = {0, 4, 8, 8, 0, 1};
    const uint32_t word = bo_le32(p + 16);
    struct statehist_record r = {
        .start = (int64_t)bo_le64(p),
        .end = (int64_t)bo_le64(p + 8),
        .quark = word & ~STATEHIST_FLAT_NULL_BIT,
        .value = p + STATEHIST_FLAT_HEAD,
    };
    r.type = f->types[r.quark];
    if (r.type == STATEHIST_ANY)
        r.type = statehist_flat_type(*r.value++);
    else if (word & STATEHIST_FLAT_NULL_BIT)
        r.type = STATEHIST_NULL;
    r.next = r.value + nbytes[r.type];
    if (r.type == STATEHIST_STRING) {
        r.text_nbytes = bo_le16(r.value);
        r.value += 2;
        if (__builtin_expect(r.text_nbytes == STATEHIST_FLAT_ESCAPE, 0)) {
            r.text_nbytes = bo_le32(r.value);
            r.value += 4;
        }
        r.next = r.value + r.text_nbytes;
    }
    return r;
}

/* The value as answers have it. */
static inline uint64_t statehist_record_value(const struct statehist_record *r)
{
    switch (r->type) {
    case STATEHIST_INT:
        return (uint64_t)(int64_t)(int32_t)bo_le32(r->value);
    case STATEHIST_LONG:
    case STATEHIST_DOUBLE:
        return bo_le64(r->value);
    case STATEHIST_STRING:
        return statehist_hash((struct bo_span){r->value, r->text_nbytes});
    case STATEHIST_BOOL:
        return *r->value;
    default:
        return 0;
    }
}

/* As bo_codec.query. */
enum bo_status statehist_query_flat(const struct bo_codec *self, void *reader, unsigned kind,
                                    const void *queries, size_t n, void *answers,
                                    struct bo_error *err);

#endif
