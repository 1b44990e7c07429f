/* Varints and the growing writer. */
#include "harness/core/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- varints --------------------------------------------------------------------------------- */

/* max_bits: 32 or 64. */
static enum bo_status get_uvarint(struct bo_cursor *c, unsigned max_bits, uint64_t *v_ret,
                                  struct bo_error *err)
{
    uint64_t v = 0;
    size_t off = c->off;
    for (unsigned shift = 0;; shift += 7) {
        if (off == c->n)
            return bo_fail_here(err, BO_TRUNCATED, c, "varint runs past the end");
        const uint8_t byte = c->p[off++];
        const uint64_t group = byte & 0x7f;
        if (shift >= max_bits || (shift + 7 > max_bits && group >> (max_bits - shift)))
            return bo_fail_here(err, BO_CORRUPT, c, "varint overflows its type");
        v |= group << shift;
        if (byte < 0x80) {
            if (byte == 0 && shift > 0)
                return bo_fail_here(err, BO_CORRUPT, c, "varint is not in its shortest form");
            break;
        }
    }
    c->off = off;
    *v_ret = v;
    return BO_OK;
}

enum bo_status bo_get_uvarint32(struct bo_cursor *c, uint32_t *v_ret, struct bo_error *err)
{
    uint64_t v = 0;
    const enum bo_status status = get_uvarint(c, 32, &v, err);
    *v_ret = (uint32_t)v;
    return status;
}

enum bo_status bo_get_uvarint64(struct bo_cursor *c, uint64_t *v_ret, struct bo_error *err)
{
    *v_ret = 0;
    return get_uvarint(c, 64, v_ret, err);
}

/* ---- the writer ------------------------------------------------------------------------------ */

void bo_writer_init(struct bo_writer *out, struct bo_arena *arena)
{
    *out = (struct bo_writer){.arena = arena};
}

void bo_writer_free(struct bo_writer *out)
{
    bo_arena_charge(out->arena, out->cap + out->cap_marks * sizeof *out->marks, 0);
    free(out->p);
    free(out->marks);
    bo_writer_init(out, out->arena);
}

void bo_writer_reset(struct bo_writer *out)
{
    out->n = 0;
    out->status = BO_OK;
    out->n_sections = 0;
    out->n_marks = 0;
}

/*
 * Grows a buffer of the writer and charges it to the arena. p_ref is the address of the pointer to
 * it. False (and the status set) when refused; the buffer is then unchanged.
 */
static bool grow(struct bo_writer *out, void *p_ref, size_t *cap, size_t need, size_t size)
{
    const size_t least = bo_first_cap(out->arena, 64);
    size_t new_cap = *cap > SIZE_MAX / 2 ? need : 2 * *cap;
    new_cap = new_cap < need ? need : new_cap;
    new_cap = new_cap < least ? least : new_cap;
    if (new_cap > SIZE_MAX / size || !bo_arena_charge(out->arena, *cap * size, new_cap * size)) {
        out->status = new_cap > SIZE_MAX / size ? BO_OVER_LIMIT : out->arena->refusal;
        return false;
    }
    void *p;
    memcpy(&p, p_ref, sizeof p);
    void *grown = realloc(p, new_cap * size);
    if (!grown) {
        bo_arena_charge(out->arena, new_cap * size, *cap * size);
        out->status = BO_NO_MEMORY;
        return false;
    }
    memcpy(p_ref, &grown, sizeof grown);
    *cap = new_cap;
    return true;
}

/*
 * The section of that name, or n_sections. Names are mostly the same string, so addresses are
 * compared first. Comparing texts would take a time that depends on where the linker put them.
 */
static unsigned find_section(const struct bo_writer *out, const char *name)
{
    for (unsigned i = 0; i < out->n_sections; i++)
        if (out->sections[i].name == name)
            return i;
    unsigned i = 0;
    while (i < out->n_sections && strcmp(out->sections[i].name, name) != 0)
        i++;
    return i;
}

static void mark(struct bo_writer *out, const char *name, bool counted)
{
    if (out->status)
        return;
    const unsigned i = find_section(out, name);
    if (i == out->n_sections) {
        if (i == BO_MAX_SECTIONS) {
            out->status = BO_BAD_USAGE;
            return;
        }
        out->sections[out->n_sections++] = (struct bo_section){.name = name, .counted = counted};
    }
    if (out->n_marks == out->cap_marks &&
        !grow(out, &out->marks, &out->cap_marks, out->n_marks + 1, sizeof *out->marks))
        return;
    out->marks[out->n_marks++] = (struct bo_run_mark){out->n, i};
}

void bo_mark(struct bo_writer *out, const char *name)
{
    mark(out, name, true);
}

void bo_mark_aside(struct bo_writer *out, const char *name)
{
    mark(out, name, false);
}

static size_t mark_end(const struct bo_writer *out, size_t i)
{
    return i + 1 < out->n_marks ? out->marks[i + 1].off : out->n;
}

uint64_t bo_writer_section_nbytes(const struct bo_writer *out, unsigned section)
{
    uint64_t n = 0;
    for (size_t i = 0; i < out->n_marks; i++)
        if (out->marks[i].section == section)
            n += mark_end(out, i) - out->marks[i].off;
    return n;
}

uint64_t bo_writer_counted(const struct bo_writer *out)
{
    uint64_t n = out->n;
    for (size_t i = 0; i < out->n_marks; i++)
        if (!out->sections[out->marks[i].section].counted)
            n -= mark_end(out, i) - out->marks[i].off;
    return n;
}

void bo_writer_copy_counted(const struct bo_writer *out, struct bo_writer *to)
{
    bo_put_bytes(to, out->p, out->n_marks ? out->marks[0].off : out->n);
    for (size_t i = 0; i < out->n_marks; i++)
        if (out->sections[out->marks[i].section].counted)
            bo_put_bytes(to, out->p + out->marks[i].off, mark_end(out, i) - out->marks[i].off);
}

void bo_writer_truncate(struct bo_writer *out, size_t off)
{
    if (out->status)
        return;
    out->n = off;
    while (out->n_marks && out->marks[out->n_marks - 1].off >= off)
        out->n_marks--;
}

uint8_t *bo_put_space(struct bo_writer *out, size_t n)
{
    if (out->status)
        return NULL;
    if (n > out->cap - out->n) {
        if (n > SIZE_MAX - out->n) {
            out->status = BO_OVER_LIMIT;
            return NULL;
        }
        if (!grow(out, &out->p, &out->cap, out->n + n, 1))
            return NULL;
    }
    uint8_t *p = out->p + out->n;
    out->n += n;
    return p;
}

void bo_put_bytes(struct bo_writer *out, const void *from, size_t n)
{
    uint8_t *p = n ? bo_put_space(out, n) : NULL;
    if (p)
        memcpy(p, from, n);
}

void bo_put_zeros(struct bo_writer *out, size_t n)
{
    uint8_t *p = n ? bo_put_space(out, n) : NULL;
    if (p)
        memset(p, 0, n);
}

void bo_put_u8(struct bo_writer *out, uint8_t v)
{
    uint8_t *p = bo_put_space(out, 1);
    if (p)
        *p = v;
}

#define DEFINE_PUT(order, bits)                                        \
    void bo_put_##order##bits(struct bo_writer *out, uint##bits##_t v) \
    {                                                                  \
        uint8_t *p = bo_put_space(out, bits / 8);                      \
        if (p)                                                         \
            bo_set_##order##bits(p, v);                                \
    }
DEFINE_PUT(le, 16)
DEFINE_PUT(le, 32)
DEFINE_PUT(le, 64)
DEFINE_PUT(be, 16)
DEFINE_PUT(be, 32)
DEFINE_PUT(be, 64)

void bo_put_uvarint(struct bo_writer *out, uint64_t v)
{
    uint8_t *p = bo_put_space(out, bo_uvarint_nbytes(v));
    if (!p)
        return;
    for (; v >= 0x80; v >>= 7)
        *p++ = (uint8_t)(v | 0x80);
    *p = (uint8_t)v;
}

void bo_put_decimal(struct bo_writer *out, uint64_t v)
{
    uint8_t text[20];
    size_t start = sizeof text;
    do
        text[--start] = (uint8_t)('0' + v % 10);
    while (v /= 10);
    bo_put_bytes(out, text + start, sizeof text - start);
}

void bo_put_text(struct bo_writer *out, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    uint8_t *p = n >= 0 ? bo_put_space(out, (size_t)n + 1) : NULL; /* +1: vsnprintf's NUL */
    if (p) {
        vsnprintf((char *)p, (size_t)n + 1, format, again);
        out->n--;
    }
    va_end(again);
}

enum bo_status bo_writer_status(const struct bo_writer *out, struct bo_error *err)
{
    switch (out->status) {
    case BO_OK:
        return BO_OK;
    case BO_OVER_LIMIT:
        return bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET, "needs more memory than the budget");
    case BO_BAD_USAGE:
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "more sections than a writer can mark");
    default:
        return bo_fail(err, out->status, BO_NO_OFFSET, "out of memory");
    }
}
