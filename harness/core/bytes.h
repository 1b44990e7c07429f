/*
 * Bytes in and bytes out: spans, fixed-width integers of either byte order, a bounds-checked
 * cursor, varints, and a growing writer that remembers which section each byte belongs to.
 *
 * Nothing here depends on the host's byte order, word size or alignment.
 */
#ifndef BO_BYTES_H
#define BO_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "harness/core/arena.h"
#include "harness/core/error.h"

/* ---- spans ----------------------------------------------------------------------------------- */

struct bo_span {
    const uint8_t *p;
    size_t n; /* bytes */
};

static inline bool bo_span_equal(struct bo_span a, struct bo_span b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Compares by unsigned bytes; a prefix comes before longer spans. Returns as memcmp. */
static inline int bo_span_compare(struct bo_span a, struct bo_span b)
{
    const size_t n = a.n < b.n ? a.n : b.n;
    const int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Replaces a span by a copy of its bytes in the arena. False when the arena refuses. */
static inline bool bo_keep_span(struct bo_arena *arena, struct bo_span *span)
{
    uint8_t *copy = bo_alloc(arena, span->n);
    if (!copy)
        return false;
    if (span->n)
        memcpy(copy, span->p, span->n);
    span->p = copy;
    return true;
}

/* The length of the common prefix. Compares words first: encoders and mutators call it often. */
static inline size_t bo_common_prefix(struct bo_span a, struct bo_span b)
{
    const size_t most = a.n < b.n ? a.n : b.n;
    size_t n = a.p == b.p ? most : 0;
    while (most - n >= 8 && memcmp(a.p + n, b.p + n, 8) == 0)
        n += 8;
    while (n < most && a.p[n] == b.p[n])
        n++;
    return n;
}

/* The bytes of a C string, without its NUL. */
static inline struct bo_span bo_span_of(const char *text)
{
    return (struct bo_span){(const uint8_t *)text, strlen(text)};
}

/* ---- fixed-width integers -------------------------------------------------------------------- */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BO_FROM_LE(bits, v) __builtin_bswap##bits(v)
#define BO_FROM_BE(bits, v) (v)
#else
#define BO_FROM_LE(bits, v) (v)
#define BO_FROM_BE(bits, v) __builtin_bswap##bits(v)
#endif

/* Loads and stores at any alignment. Compilers emit one instruction for each. */
#define BO_DEFINE_ACCESS(order, ORDER, bits)                              \
    static inline uint##bits##_t bo_##order##bits(const uint8_t *p)       \
    {                                                                     \
        uint##bits##_t v;                                                 \
        memcpy(&v, p, sizeof v);                                          \
        return BO_FROM_##ORDER(bits, v);                                  \
    }                                                                     \
    static inline void bo_set_##order##bits(uint8_t *p, uint##bits##_t v) \
    {                                                                     \
        v = BO_FROM_##ORDER(bits, v);                                     \
        memcpy(p, &v, sizeof v);                                          \
    }
BO_DEFINE_ACCESS(le, LE, 16)
BO_DEFINE_ACCESS(le, LE, 32)
BO_DEFINE_ACCESS(le, LE, 64)
BO_DEFINE_ACCESS(be, BE, 16)
BO_DEFINE_ACCESS(be, BE, 32)
BO_DEFINE_ACCESS(be, BE, 64)
#undef BO_DEFINE_ACCESS

/* ---- zigzag: small magnitudes of either sign become small unsigned numbers ------------------- */

static inline uint32_t bo_zigzag32(int32_t v)
{
    return ((uint32_t)v << 1) ^ (v < 0 ? UINT32_MAX : 0);
}

static inline int32_t bo_unzigzag32(uint32_t u)
{
    return (int32_t)((u >> 1) ^ (0 - (u & 1)));
}

static inline uint64_t bo_zigzag64(int64_t v)
{
    return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

static inline int64_t bo_unzigzag64(uint64_t u)
{
    return (int64_t)((u >> 1) ^ (0 - (u & 1)));
}

/* ---- the cursor: reads never pass the end ---------------------------------------------------- */

struct bo_cursor {
    const uint8_t *p;
    size_t n;    /* bytes readable from p */
    size_t off;  /* of the next byte, from p; errors report it plus `base` */
    size_t base; /* offset of p in the input that errors refer to */
};

static inline struct bo_cursor bo_cursor(struct bo_span in)
{
    return (struct bo_cursor){.p = in.p, .n = in.n};
}

/* A cursor over bytes [off, off + n) of `in`; the caller has checked the range. */
static inline struct bo_cursor bo_cursor_at(struct bo_span in, size_t off, size_t n)
{
    return (struct bo_cursor){.p = in.p + off, .n = n, .base = off};
}

static inline size_t bo_left(const struct bo_cursor *c)
{
    return c->n - c->off;
}

static inline enum bo_status bo_fail_here(struct bo_error *err, enum bo_status status,
                                          const struct bo_cursor *c, const char *what)
{
    return bo_fail(err, status, (uint64_t)c->base + c->off, what);
}

/* Each getter returns false, and reads nothing, when too few bytes are left. */
static inline bool bo_get_bytes(struct bo_cursor *c, size_t n, const uint8_t **p_ret)
{
    if (bo_left(c) < n)
        return false;
    *p_ret = c->p + c->off;
    c->off += n;
    return true;
}

static inline bool bo_get_u8(struct bo_cursor *c, uint8_t *v_ret)
{
    if (c->off == c->n)
        return false;
    *v_ret = c->p[c->off++];
    return true;
}

#define BO_DEFINE_GETTER(order, bits)                                                   \
    static inline bool bo_get_##order##bits(struct bo_cursor *c, uint##bits##_t *v_ret) \
    {                                                                                   \
        const uint8_t *p;                                                               \
        if (!bo_get_bytes(c, bits / 8, &p))                                             \
            return false;                                                               \
        *v_ret = bo_##order##bits(p);                                                   \
        return true;                                                                    \
    }
BO_DEFINE_GETTER(le, 16)
BO_DEFINE_GETTER(le, 32)
BO_DEFINE_GETTER(le, 64)
BO_DEFINE_GETTER(be, 16)
BO_DEFINE_GETTER(be, 32)
BO_DEFINE_GETTER(be, 64)
#undef BO_DEFINE_GETTER

/*
 * Base-128 varints as in Go and protobuf, least significant group first. Errors name the first byte
 * of the varint: BO_TRUNCATED at the end of the input; BO_CORRUPT for a value that does not fit or
 * a last group of zero (not the shortest form). On an error the cursor does not move.
 */
enum bo_status bo_get_uvarint32(struct bo_cursor *c, uint32_t *v_ret, struct bo_error *err);
enum bo_status bo_get_uvarint64(struct bo_cursor *c, uint64_t *v_ret, struct bo_error *err);

/* Size of the shortest varint of v: 1 to 10 bytes. */
static inline unsigned bo_uvarint_nbytes(uint64_t v)
{
    return v ? (70u - (unsigned)__builtin_clzll(v)) / 7u : 1;
}

/* ---- the writer ------------------------------------------------------------------------------ */

enum { BO_MAX_SECTIONS = 24 };

/*
 * A named part of an encoding. The size of an encoding is the sum of its counted sections. Sections
 * that are the same for every codec of the format are not counted (see bo_mark_aside).
 */
struct bo_section {
    const char *name;
    bool counted;
};

struct bo_writer {
    uint8_t *p;
    size_t n, cap;
    /* is charged for the buffer; encoders also take scratch memory from it */
    struct bo_arena *arena;
    enum bo_status status; /* the first failure; later writes do nothing */
    struct bo_section sections[BO_MAX_SECTIONS];
    unsigned n_sections;
    struct bo_run_mark *marks; /* the section of each run of bytes, in order */
    size_t n_marks, cap_marks;
};

/* From byte `off` on, bytes belong to sections[section]. */
struct bo_run_mark {
    size_t off;
    unsigned section;
};

/* The arena must outlive the writer. bo_writer_free releases the buffer. */
void bo_writer_init(struct bo_writer *out, struct bo_arena *arena);
void bo_writer_free(struct bo_writer *out);

/* Discards the content and keeps the buffer. */
void bo_writer_reset(struct bo_writer *out);

/*
 * The bytes that follow belong to the section `name` (a static string). Sections of the same name
 * are added up.
 */
void bo_mark(struct bo_writer *out, const char *name);
void bo_mark_aside(struct bo_writer *out, const char *name);

/* The number of bytes in counted sections. Bytes before the first mark are counted, too. */
uint64_t bo_writer_counted(const struct bo_writer *out);

/* The number of bytes in section i, for i < n_sections. */
uint64_t bo_writer_section_nbytes(const struct bo_writer *out, unsigned i);

/* Copies the counted bytes to `to`, in order: the input of an outer compressor. */
void bo_writer_copy_counted(const struct bo_writer *out, struct bo_writer *to);

/* Removes everything from byte `off` on, with the marks there. */
void bo_writer_truncate(struct bo_writer *out, size_t off);

/* Makes room for n more bytes and returns them for the caller to fill, or NULL after a failure. */
uint8_t *bo_put_space(struct bo_writer *out, size_t n);

void bo_put_bytes(struct bo_writer *out, const void *p, size_t n);
void bo_put_zeros(struct bo_writer *out, size_t n);
void bo_put_u8(struct bo_writer *out, uint8_t v);
void bo_put_le16(struct bo_writer *out, uint16_t v);
void bo_put_le32(struct bo_writer *out, uint32_t v);
void bo_put_le64(struct bo_writer *out, uint64_t v);
void bo_put_be16(struct bo_writer *out, uint16_t v);
void bo_put_be32(struct bo_writer *out, uint32_t v);
void bo_put_be64(struct bo_writer *out, uint64_t v);
void bo_put_uvarint(struct bo_writer *out, uint64_t v);

/* Appends a number in decimal. */
void bo_put_decimal(struct bo_writer *out, uint64_t v);

/*
 * Appends text, formatted as by printf. The number of instructions in the C library depends on the
 * address of the format, so encoders of text use the functions above.
 */
void bo_put_text(struct bo_writer *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* BO_OK, or the writer's first failure as an error. Encoders end with it. */
enum bo_status bo_writer_status(const struct bo_writer *out, struct bo_error *err);

static inline struct bo_span bo_writer_span(const struct bo_writer *out)
{
    return (struct bo_span){out->p, out->n};
}

#endif
