/* The state of reading an extensible binary. */
#ifndef AUTOFDO_EXTBINARY_INPUT_H
#define AUTOFDO_EXTBINARY_INPUT_H

#include "codecs/autofdo/extbinary/extbinary.h"

struct extbinary_input {
    struct bo_cursor in;
    struct bo_arena *arena;
    struct bo_error *err;
    size_t owed; /* the least bytes of elements that are announced and not yet read */
};

static inline struct extbinary_input extbinary_input(const struct extbinary_reader *r,
                                                     enum extbinary_section section,
                                                     struct bo_error *err)
{
    return (struct extbinary_input){bo_cursor_at(r->in, r->starts[section], r->sizes[section]),
                                    r->arena, err, 0};
}

static inline uint64_t extbinary_off(const struct extbinary_input *in)
{
    return (uint64_t)in->in.base + in->in.off;
}

/* A number of elements of at least nbytes each. */
static inline enum bo_status extbinary_get_number(struct extbinary_input *in, size_t nbytes,
                                                  size_t *n_ret)
{
    const uint64_t off = extbinary_off(in);
    uint64_t n = 0;
    const enum bo_status status = bo_get_uvarint64(&in->in, &n, in->err);
    const size_t left = bo_left(&in->in);
    if (!status && (in->owed > left || n > (left - in->owed) / nbytes))
        return bo_fail(in->err, BO_TRUNCATED, off,
                       "count exceeds what the rest of the section can hold");
    *n_ret = (size_t)n;
    in->owed += *n_ret * nbytes;
    return status;
}

static inline enum bo_status extbinary_get_index(const struct extbinary_reader *r,
                                                 struct extbinary_input *in, size_t *index_ret)
{
    const uint64_t off = extbinary_off(in);
    uint64_t index = 0;
    const enum bo_status status = bo_get_uvarint64(&in->in, &index, in->err);
    if (!status && index >= r->n_names)
        return bo_fail(in->err, BO_CORRUPT, off, "name index is out of range");
    *index_ret = (size_t)index;
    return status;
}

/* The bytes by which names are compared and hashed: the name's, or its GUID's in the file. */
static inline struct bo_span extbinary_key(const struct extbinary_reader *r, size_t index)
{
    return r->names
               ? r->names[index]
               : (struct bo_span){r->guids + EXTBINARY_GUID_NBYTES * index, EXTBINARY_GUID_NBYTES};
}

#endif
