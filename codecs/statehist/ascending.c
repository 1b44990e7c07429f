/* Ascending numbers: opening and writing lists. */
#include "codecs/statehist/ascending.h"

/* ---- opening --------------------------------------------------------------------------------- */

enum bo_status ascending_open(struct bo_cursor *c, uint32_t n, struct ascending_list *list,
                              struct bo_error *err)
{
    *list = (struct ascending_list){.n = n,
                                    .n_blocks = n / ASCENDING_BLOCK + (n % ASCENDING_BLOCK > 0)};
    uint8_t base_nbits, place_nbits;
    uint64_t nbytes;
    const uint8_t *body;
    enum bo_status status;
    (void)bo_cpu_paths(); /* ascending_has_v3() expects the choice to be made */
    if (n == 0)
        return BO_OK;
    if ((status = bo_get_uvarint64(c, &list->first, err)) || n == 1)
        return status;
    if (!bo_get_u8(c, &base_nbits) || !bo_get_u8(c, &place_nbits))
        return bo_fail_here(err, BO_TRUNCATED, c, "list ends inside its header");
    if (base_nbits > 64 || place_nbits > 56) {
        c->off -= 2;
        return bo_fail_here(err, BO_CORRUPT, c, "list has fields of too many bits");
    }
    if ((status = bo_get_uvarint64(c, &nbytes, err)))
        return status;
    if (nbytes > bo_left(c) || !bo_get_bytes(c, (size_t)nbytes, &body))
        return bo_fail_here(err, BO_TRUNCATED, c, "list runs past its section's end");
    list->body = body;
    list->body_nbits = 8 * nbytes;
    list->base_nbits = base_nbits;
    list->place_nbits = place_nbits;
    list->entry_nbits = base_nbits + ASCENDING_LOW_FIELD + place_nbits;
    list->blocks = (uint64_t)list->n_blocks * list->entry_nbits;
    if (list->blocks > list->body_nbits)
        return bo_fail_here(err, BO_CORRUPT, c, "list has more numbers than bytes");
    if (ascending_bits(body, 0, base_nbits) != 0) { /* else the first number would be two */
        c->off -= (size_t)nbytes;
        return bo_fail_here(err, BO_CORRUPT, c, "first block of a list does not start at 0");
    }
    return BO_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

void ascending_put_bits(struct bo_bit_writer *out, uint64_t v, unsigned nbits)
{
    if (out->used + nbits > 64) {
        ascending_put_bits(out, v & UINT32_MAX, 32);
        v >>= 32;
        nbits -= 32;
    }
    const unsigned left = out->used ? 8 - out->used : 0;
    uint8_t bytes[8];
    if (nbits == 0 || out->out->status)
        return;
    if (out->used)
        out->out->p[out->out->n - 1] |= (uint8_t)(v << out->used);
    out->used = (out->used + nbits) % 8;
    if (nbits <= left)
        return;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(v >> left >> 8 * i);
    bo_put_bytes(out->out, bytes, (nbits - left + 7) / 8);
}

/*
 * The size is least at the first l from which one more low bit saves no more than it costs: it
 * saves half of the zeros of the high bits, rounded up, so each further bit saves less.
 */
unsigned ascending_choose(const uint64_t *numbers, unsigned n, unsigned *nbits_ret)
{
    const uint64_t span = numbers[n - 1] - numbers[0], n_after = n - 1;
    const unsigned span_nbits = bo_bit_width(span);
    unsigned l = span_nbits > 9 ? span_nbits - 9 : 1;
    while (n_after + (span >> l) > ASCENDING_UPPER_NBITS)
        l++;
    while ((span >> l) - (span >> l >> 1) > n_after)
        l++;
    const uint64_t all = n_after * l + n_after + (span >> l);
    const bool is_bitmap = span <= ASCENDING_UPPER_NBITS && span <= all;
    *nbits_ret = (unsigned)(is_bitmap ? span : all);
    return is_bitmap ? 0 : l;
}

void ascending_put_lows(const uint64_t *numbers, unsigned n, unsigned l, struct bo_bit_writer *out)
{
    for (unsigned i = 1; i < n && l; i++)
        ascending_put_bits(out, (numbers[i] - numbers[0]) & ((UINT64_C(1) << l) - 1), l);
}

void ascending_put_uppers(const uint64_t *numbers, unsigned n, unsigned l,
                          struct bo_bit_writer *out)
{
    uint64_t at = 0; /* the step that bits are at */
    for (unsigned i = 1; i < n; i++) {
        const uint64_t above = numbers[i] - numbers[0], to = l ? above >> l : above - 1;
        for (; to - at > 31; at += 32)
            ascending_put_bits(out, 0, 32);
        ascending_put_bits(out, UINT64_C(1) << (to - at), (unsigned)(to - at) + 1);
        at = to + (l == 0);
    }
}

enum bo_status ascending_put(const uint64_t *numbers, uint32_t n, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    const uint32_t n_blocks = (n + 63) / ASCENDING_BLOCK;
    uint8_t *ls = bo_alloc(out->arena, n_blocks);
    uint64_t *places = bo_alloc_array(out->arena, n_blocks, sizeof *places), place = 0;
    if (!ls || !places)
        return bo_fail_alloc(err, out->arena);
    if (n)
        bo_put_uvarint(out, numbers[0]);
    for (uint32_t b = 0; b < n_blocks; b++) {
        const uint32_t i = b * ASCENDING_BLOCK, left = n - i;
        unsigned nbits;
        ls[b] = (uint8_t)ascending_choose(numbers + i, left < 64 ? left : 64, &nbits);
        places[b] = place;
        place += nbits;
    }
    if (n > 1) {
        const unsigned base_nbits = bo_bit_width(numbers[(n_blocks - 1) * 64] - numbers[0]);
        const unsigned place_nbits = bo_bit_width(places[n_blocks - 1]);
        const uint64_t entries = (uint64_t)n_blocks * (base_nbits + place_nbits + 6);
        struct bo_bit_writer bits = {.out = out};
        bo_put_u8(out, (uint8_t)base_nbits);
        bo_put_u8(out, (uint8_t)place_nbits);
        bo_put_uvarint(out, (entries + place + 7) / 8);
        for (uint32_t b = 0; b < n_blocks; b++) {
            ascending_put_bits(&bits, numbers[b * ASCENDING_BLOCK] - numbers[0], base_nbits);
            ascending_put_bits(&bits, ls[b], ASCENDING_LOW_FIELD);
            ascending_put_bits(&bits, places[b], place_nbits);
        }
        for (uint32_t b = 0; b < n_blocks; b++) {
            const uint32_t i = b * ASCENDING_BLOCK, m = n - i < 64 ? n - i : 64;
            ascending_put_lows(numbers + i, m, ls[b], &bits);
            ascending_put_uppers(numbers + i, m, ls[b], &bits);
        }
    }
    bo_arena_rewind(out->arena, mark);
    return bo_writer_status(out, err);
}

void ascending_put_run(uint64_t first, uint32_t n, struct bo_writer *out)
{
    const uint32_t n_blocks = (n + 63) / ASCENDING_BLOCK;
    struct bo_bit_writer bits = {.out = out};
    bo_put_uvarint(out, first);
    if (n == 1)
        return;
    const unsigned base_nbits = bo_bit_width((n_blocks - 1) * (uint64_t)ASCENDING_BLOCK);
    const unsigned row_nbits = n < ASCENDING_BLOCK ? n - 1 : ASCENDING_BLOCK - 1;
    bo_put_u8(out, (uint8_t)base_nbits);
    bo_put_u8(out, 0);
    bo_put_uvarint(out,
                   ((uint64_t)n_blocks * (base_nbits + ASCENDING_LOW_FIELD) + row_nbits + 7) / 8);
    for (uint32_t b = 0; b < n_blocks; b++) {
        ascending_put_bits(&bits, b * (uint64_t)ASCENDING_BLOCK, base_nbits);
        ascending_put_bits(&bits, 0, ASCENDING_LOW_FIELD);
    }
    ascending_put_bits(&bits, (UINT64_C(1) << row_nbits) - 1, row_nbits);
}

enum bo_status ascending_expect(const struct ascending_list *list, const uint64_t *numbers,
                                struct bo_arena *arena, uint64_t off, struct bo_error *err)
{
    const size_t n = (size_t)(list->body_nbits / 8), first_n = bo_uvarint_nbytes(list->first);
    struct bo_writer again;
    if (list->n < 2)
        return BO_OK;
    bo_writer_init(&again, arena);
    enum bo_status status = ascending_put(numbers, list->n, &again, err);
    if (!status &&
        (again.n != first_n + 2 + bo_uvarint_nbytes(n) + n ||
         again.p[first_n] != list->base_nbits || again.p[first_n + 1] != list->place_nbits ||
         memcmp(again.p + again.n - n, list->body, n) != 0))
        status = bo_fail(err, BO_CORRUPT, off, "list is not in its canonical form");
    bo_writer_free(&again);
    return status;
}
