/*
 * delta8: the array that lightswitch holds in memory, rows of 8 bytes in pages of 64 KiB of text.
 * Little-endian.
 */
#include "codecs/unwind/deltas.h"

#define HOLDS_SIGNALS false

enum { PAGES, ROWS, N_PARTS };
enum { PAGE_NBYTES = 16, ENTRY_NBYTES = 8, PAGE_SHIFT = 16 };

/* RA is this many bytes above a saved FP; 0: RA is at CFA - 8. */
static const uint8_t ra_above_fp[UNWIND_N_ARCHS] = {
    [UNWIND_AMD64] = 0, [UNWIND_ARM64] = 8, [UNWIND_S390X] = 24};

struct table {
    struct unwind_frame frame;
    size_t n, n_pages;
};

/* The rule of RA that a rule of FP implies. */
static enum unwind_rule implied_ra(enum unwind_arch arch, bool fp_at_cfa, int32_t fp_off,
                                   int32_t *off_ret)
{
    const uint8_t above = ra_above_fp[arch];
    *off_ret = above == 0 ? -8 : fp_at_cfa ? fp_off + above : 0;
    return above == 0 || fp_at_cfa ? UNWIND_AT_CFA : UNWIND_SAME;
}

/* CFA on sp or fp, offsets of 16 bits, RA as implied, FP same or at the CFA. */
static bool hold(const struct unwind_model *model, uint8_t flags, struct unwind_state *s)
{
    const bool at_cfa = unwind_fp(s) == UNWIND_AT_CFA && unwind_is_int16(s->fp_off);
    int32_t ra_off = 0;
    const enum unwind_rule ra = implied_ra(model->arch, at_cfa, at_cfa ? s->fp_off : 0, &ra_off);
    delta_reduce(unwind_ra(s) == ra && s->ra_off == ra_off && delta_cfa_is_plain(model, s) &&
                     s->cfa_off >= 0 && s->cfa_off <= UINT16_MAX,
                 s);
    return true;
}

static enum bo_status put_flats(const struct unwind_flats *flats, const struct unwind_model *model,
                                struct bo_writer *out, struct unwind_frame_writer *w,
                                struct bo_error *err)
{
    if (flats->n > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "2^32 rows or more");
    bo_mark(out, "pages");
    for (size_t i = 0, first = 0; i < flats->n; first = i) {
        const uint64_t page = flats->p[first].pc >> PAGE_SHIFT;
        while (i < flats->n && flats->p[i].pc >> PAGE_SHIFT == page)
            i++;
        bo_put_le64(out, page);
        bo_put_le32(out, (uint32_t)first);
        bo_put_le32(out, (uint32_t)i);
    }
    unwind_frame_end_part(w);
    bo_mark(out, "rows");
    for (size_t i = 0; i < flats->n; i++) {
        const struct unwind_flat *f = &flats->p[i];
        bo_put_le16(out, (uint16_t)f->pc);
        bo_put_u8(out, delta_cfa_type(model, f));
        bo_put_u8(out, delta_fp_type(f));
        bo_put_le16(out, (uint16_t)f->state.cfa_off);
        bo_put_le16(out, (uint16_t)f->state.fp_off);
    }
    unwind_frame_end_part(w);
    return BO_OK;
}

static inline const uint8_t *page_of(const struct table *t, size_t page)
{
    return t->frame.parts[PAGES].p + page * PAGE_NBYTES;
}

/* The last page with a number of at most `key`; 0 if all numbers are higher. */
static inline size_t last_page(const struct table *t, uint64_t key)
{
    size_t low = 0, n = t->n_pages;
    while (n > 1) {
        const size_t half = n / 2;
        low = bo_le64(page_of(t, low + half)) <= key ? low + half : low;
        n -= half;
    }
    return low;
}

static enum bo_status open_table(struct bo_span in, struct table *t, struct bo_error *err)
{
    const enum bo_status status = unwind_frame_open(in, N_PARTS, &t->frame, err);
    if (status)
        return status;
    const struct bo_span pages = t->frame.parts[PAGES], rows = t->frame.parts[ROWS];
    t->n = rows.n / ENTRY_NBYTES;
    t->n_pages = pages.n / PAGE_NBYTES;
    if (pages.n % PAGE_NBYTES || rows.n % ENTRY_NBYTES)
        return bo_fail(err, BO_CORRUPT, t->frame.part_off[PAGES],
                       "size of the pages is not a multiple of 16, or that of the rows of 8");
    uint64_t before = 0;
    uint32_t end = 0;
    for (size_t i = 0; i < t->n_pages; i++) {
        const uint64_t page = bo_le64(page_of(t, i)), off = t->frame.part_off[PAGES] + 16 * i;
        if (page >> (64 - PAGE_SHIFT) || (i && page <= before))
            return bo_fail(err, BO_CORRUPT, off, "page numbers do not ascend below 2^48");
        if (bo_le32(page_of(t, i) + 8) != end || bo_le32(page_of(t, i) + 12) <= end)
            return bo_fail(err, BO_CORRUPT, off + 8,
                           "rows of a page do not start where those of the page before end");
        before = page;
        end = bo_le32(page_of(t, i) + 12);
    }
    return end != t->n ? bo_fail(err, BO_CORRUPT, t->frame.part_off[ROWS],
                                 "rows do not end where those of the last page do")
                       : BO_OK;
}

static inline const char *read_row(const struct table *t, size_t i, uint64_t page,
                                   struct unwind_flat *flat)
{
    const uint8_t *p = t->frame.parts[ROWS].p + i * ENTRY_NBYTES;
    const int16_t fp_off = (int16_t)bo_le16(p + 6);
    int32_t ra_off = 0;
    const enum unwind_rule ra = implied_ra(t->frame.arch, p[3] == DELTA_FP_AT_CFA, fp_off, &ra_off);
    *flat = (struct unwind_flat){.pc = page << PAGE_SHIFT | bo_le16(p)};
    return delta_flat(t->frame.arch, p[2], p[3], bo_le16(p + 4), fp_off, ra, ra_off, flat);
}

struct cursor {
    size_t i, page;
};

static inline bool has_next(const struct table *t, const struct cursor *c)
{
    return c->i < t->n;
}

static const char *next_flat(const struct table *t, struct cursor *c, struct unwind_flat *flat)
{
    while (c->i >= bo_le32(page_of(t, c->page) + 12))
        c->page++;
    return read_row(t, c->i++, bo_le64(page_of(t, c->page)), flat);
}

/* A PC below the first row of its page belongs to the last row before this page. */
static inline bool look_up(const struct table *t, uint64_t pc, struct unwind_flat *flat)
{
    if (t->n == 0 || pc < t->frame.base)
        return false;
    const size_t page = last_page(t, pc >> PAGE_SHIFT);
    const uint8_t *p = page_of(t, page);
    const uint32_t first = bo_le32(p + 8),
                   key = bo_le64(p) == pc >> PAGE_SHIFT ? (uint16_t)pc : UINT16_MAX;
    const size_t i =
        delta_last_row(t->frame.parts[ROWS].p, ENTRY_NBYTES, first, bo_le32(p + 12) - first, key);
    read_row(t, i, bo_le64(page_of(t, page - (i < first))), flat);
    return flat->known;
}

#define OWN_CURSOR
#include "codecs/unwind/flat.h"

const struct bo_codec unwind_delta8 = {
    .name = "delta8",
    .summary = "lightswitch's table: rows of 8 bytes in pages of 64 KiB of text",
    .spec = "codecs/unwind/README.md#delta8",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_SCAN,
    .reduce = reduce,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
