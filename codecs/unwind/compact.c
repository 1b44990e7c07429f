/*
 * compact-unwind: Apple's __unwind_info, one u32 of encoding for each function, in pages of at most
 * 4096 bytes without their unused ends. The states are correct only in the body of a function, not
 * in its prologue and epilogue. Little-endian; amd64 and arm64.
 */
#include <stdlib.h>

#include "codecs/unwind/reduce.h"

enum {
    N_PARTS = 1,
    HEADER_NBYTES = 28,
    INDEX_NBYTES = 12,
    PAGE_WORDS = 1021, /* after the head of a compressed page */
    REGULAR = 2,
    COMPRESSED = 3,
    REGULAR_HEAD = 8,
    COMPRESSED_HEAD = 12,
    MAX_REGULAR = 511,
    MAX_COMMON = 127,
    MAX_ENCODINGS = 256,
    MODE_SHIFT = 24,
    AMD64_FRAME = 1,
    FRAMELESS = 2,
    ARM64_FRAME = 4,
    MAX_SAVED = 6,
    RBP = 6, /* of the registers that may be saved */
};
#define HOLDS_SIGNALS false
#define MAX_PAGE_SPAN (UINT32_C(1) << 24)

struct table {
    struct unwind_frame frame;
    size_t n;
    uint32_t n_pages, n_common, index_off;
};

/* ---- encodings ------------------------------------------------------------------------------- */

/* Weights of a permutation's digits, by the number of registers. */
static const uint8_t weights[MAX_SAVED + 1][MAX_SAVED] = {
    {0}, {1}, {5, 1}, {20, 4, 1}, {60, 12, 3, 1}, {120, 24, 6, 2, 1}, {120, 24, 6, 2, 1, 0}};

/* The encoding of a state; 0: no encoding. */
static uint32_t encoding_of(enum unwind_arch arch, const struct unwind_state *s)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    const uint8_t reg = unwind_cfa_reg(s);
    const bool frame = reg == machine->fp && s->cfa_off == 16 && unwind_ra(s) == UNWIND_AT_CFA &&
                       s->ra_off == -8 && unwind_fp(s) == UNWIND_AT_CFA && s->fp_off == -16;
    if (unwind_cfa(s) != UNWIND_CFA_REGISTER || s->cfa_off < 0)
        return 0;
    if (frame)
        return (uint32_t)(arch == UNWIND_AMD64 ? AMD64_FRAME : ARM64_FRAME) << MODE_SHIFT;
    if (reg != machine->sp)
        return 0;
    if (arch == UNWIND_ARM64) {
        const bool same = unwind_ra(s) == UNWIND_SAME && unwind_fp(s) == UNWIND_SAME;
        return same && s->cfa_off % 16 == 0 && s->cfa_off / 16 < 4096
                   ? (uint32_t)FRAMELESS << MODE_SHIFT | (uint32_t)(s->cfa_off / 16) << 12
                   : 0;
    }
    if (unwind_ra(s) != UNWIND_AT_CFA || s->ra_off != -8 || s->cfa_off % 8 || s->cfa_off / 8 > 255)
        return 0;
    const uint32_t encoding = (uint32_t)FRAMELESS << MODE_SHIFT | (uint32_t)(s->cfa_off / 8) << 16;
    if (unwind_fp(s) == UNWIND_SAME)
        return encoding;
    if (unwind_fp(s) != UNWIND_AT_CFA || s->fp_off % 8 || s->fp_off > -16 ||
        s->fp_off < -8 * (MAX_SAVED + 1))
        return 0;
    const uint32_t n = (uint32_t)(-s->fp_off / 8 - 1);
    /* rbp lowest, then rbx, r12, ...: the first digit is 5, the others are 0. */
    return encoding | n << 10 | (RBP - 1u) * weights[n][0];
}

/*
 * Where rbp is among n saved registers, from the lowest, by their permutation, which is below
 * MAX_SAVED * weights[n][0]; n: it is not.
 */
static unsigned place_of_rbp(unsigned n, unsigned permutation)
{
    bool used[MAX_SAVED + 1] = {false};
    for (unsigned i = 0; i < n; i++) {
        const unsigned weight = weights[n][i];
        unsigned digit = weight ? permutation / weight : 0, reg = 1;
        permutation -= digit * weight;
        while (used[reg] || digit-- != 0)
            reg++;
        used[reg] = true;
        if (reg == RBP)
            return i;
    }
    return n;
}

/* The state of an encoding; false: nothing is known. */
static bool state_of(enum unwind_arch arch, uint32_t encoding, struct unwind_state *s)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    const unsigned mode = encoding >> MODE_SHIFT & 15;
    *s = (struct unwind_state){0};
    if (mode == (arch == UNWIND_AMD64 ? AMD64_FRAME : ARM64_FRAME)) {
        *s = (struct unwind_state){
            .cfa_reg = machine->fp, .cfa_off = 16, .ra_off = -8, .fp_off = -16};
        s->kinds = unwind_pack(UNWIND_CFA_REGISTER, UNWIND_AT_CFA, UNWIND_AT_CFA);
        return true;
    }
    if (mode != FRAMELESS)
        return false;
    if (arch == UNWIND_ARM64) {
        s->cfa_reg = machine->sp;
        s->cfa_off = (int32_t)(16 * (encoding >> 12 & 0xfff));
        return true;
    }
    const unsigned n = encoding >> 10 & 7, permutation = encoding & 0x3ff;
    if (n > MAX_SAVED || (n && permutation >= MAX_SAVED * weights[n][0]))
        return false;
    const unsigned place = place_of_rbp(n, permutation);
    s->cfa_reg = machine->sp;
    s->cfa_off = (int32_t)(8 * (encoding >> 16 & 0xff));
    s->ra_off = -8;
    s->kinds = unwind_pack(UNWIND_CFA_REGISTER, UNWIND_AT_CFA, UNWIND_SAME);
    if (place < n) {
        s->fp_off = -8 - 8 * (int32_t)(n - place);
        s->kinds = unwind_pack(UNWIND_CFA_REGISTER, UNWIND_AT_CFA, UNWIND_AT_CFA);
    }
    return true;
}

static bool hold(const struct unwind_model *model, uint8_t flags, struct unwind_state *s)
{
    return state_of(model->arch, encoding_of(model->arch, s), s);
}

/* The model with one row for each function: the row that covers the most bytes. */
static const struct unwind_model *one_row_each(const struct unwind_model *model,
                                               struct bo_arena *arena)
{
    struct unwind_builder b = {.arena = arena};
    if (model->joined) /* its rows are those of functions */
        return model;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        const uint32_t extent = f->rep && f->rep < f->length ? f->rep : f->length;
        uint32_t best = 0, most = 0;
        for (uint32_t r = 0; r < f->n_rows; r++) {
            const uint32_t n = (r + 1 < f->n_rows ? f->rows[r + 1].off : extent) - f->rows[r].off;
            best = n > most ? r : best;
            most = n > most ? n : most;
        }
        if (!unwind_add_function(&b, f->start, f->length, f->flags, 0) ||
            (f->n_rows && !unwind_add_row(&b, 0, &f->rows[best].state)))
            return NULL;
    }
    struct unwind_model *out = unwind_build(&b, model->arch);
    if (out) {
        out->calls = model->calls;
        out->n_calls = model->n_calls;
    }
    return out;
}

/* ---- writing --------------------------------------------------------------------------------- */

static int compare_common(const void *a, const void *b)
{
    const uint32_t *const x = a, *const y = b; /* count, encoding */
    if (x[0] != y[0])
        return x[0] < y[0] ? 1 : -1;
    return x[1] < y[1] ? 1 : -1;
}

struct plan {
    const struct unwind_flats *flats;
    uint64_t base;
    uint32_t *encodings; /* of each flat */
    size_t n;
    uint32_t common[MAX_COMMON];
    uint32_t n_common;
};

static bool choose_common(struct plan *plan, struct bo_arena *arena)
{
    struct unwind_interner in;
    uint32_t(*counts)[2] = bo_zalloc_array(arena, plan->n, sizeof *counts);
    if (!counts)
        return false;
    unwind_interner_init(&in, sizeof(uint32_t), arena);
    for (size_t i = 0; i < plan->n; i++) {
        const uint32_t number = unwind_intern(&in, &plan->encodings[i]);
        if (number == UINT32_MAX)
            return false;
        counts[number][0]++;
        counts[number][1] = plan->encodings[i];
    }
    if (in.n)
        qsort(counts, in.n, sizeof *counts, compare_common);
    while (plan->n_common < MAX_COMMON && plan->n_common < in.n && counts[plan->n_common][0] > 1) {
        plan->common[plan->n_common] = counts[plan->n_common][1];
        plan->n_common++;
    }
    return true;
}

/* One page's local encodings; the number of an encoding, or -1 for a new one. */
static int number_of(const struct plan *plan, const uint32_t *local, uint32_t n_local,
                     uint32_t encoding)
{
    for (uint32_t i = 0; i < plan->n_common; i++)
        if (plan->common[i] == encoding)
            return (int)i;
    for (uint32_t i = 0; i < n_local; i++)
        if (local[i] == encoding)
            return (int)(plan->n_common + i);
    return -1;
}

/* The number of entries from `first` on in a compressed page, and its local encodings. */
static size_t fill_page(const struct plan *plan, size_t first, uint32_t *local, uint32_t *n_local)
{
    size_t n = 0, words = 0;
    *n_local = 0;
    for (; first + n < plan->n; n++) {
        const uint32_t encoding = plan->encodings[first + n];
        const bool is_new = number_of(plan, local, *n_local, encoding) < 0;
        const size_t cost = is_new ? 2 : 1;
        if (words + cost > PAGE_WORDS || (is_new && plan->n_common + *n_local == MAX_ENCODINGS) ||
            plan->flats->p[first + n].pc - plan->flats->p[first].pc >= MAX_PAGE_SPAN)
            break;
        if (is_new)
            local[(*n_local)++] = encoding;
        words += cost;
    }
    return n;
}

static void put_page(const struct plan *plan, size_t first, size_t n, bool regular,
                     const uint32_t *local, uint32_t n_local, struct bo_writer *out)
{
    bo_put_le32(out, regular ? REGULAR : COMPRESSED);
    bo_put_le16(out, regular ? REGULAR_HEAD : COMPRESSED_HEAD);
    bo_put_le16(out, (uint16_t)n);
    if (!regular) {
        bo_put_le16(out, (uint16_t)(COMPRESSED_HEAD + 4 * n));
        bo_put_le16(out, (uint16_t)n_local);
    }
    for (size_t i = first; i < first + n; i++) {
        const uint32_t at = (uint32_t)(plan->flats->p[i].pc - plan->base);
        if (regular) {
            bo_put_le32(out, at);
            bo_put_le32(out, plan->encodings[i]);
        } else {
            const uint32_t from = (uint32_t)(plan->flats->p[first].pc - plan->base);
            const int number = number_of(plan, local, n_local, plan->encodings[i]);
            bo_put_le32(out, (at - from) | (uint32_t)number << 24);
        }
    }
    for (uint32_t i = 0; i < n_local && !regular; i++)
        bo_put_le32(out, local[i]);
}

static enum bo_status put_flats(const struct unwind_flats *flats, const struct unwind_model *model,
                                struct bo_writer *out, struct unwind_frame_writer *w,
                                struct bo_error *err)
{
    struct plan plan = {.flats = flats, .base = unwind_base(model), .n = flats->n};
    const uint64_t end = flats->n ? flats->p[flats->n - 1].pc - plan.base : 0;
    uint32_t local[MAX_ENCODINGS], n_local, n_pages = 0;
    if (model->arch == UNWIND_S390X)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "compact unwind has no s390x");
    if (end > INT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "text has 2^31 bytes or more");
    plan.encodings = bo_alloc_array(out->arena, plan.n, sizeof *plan.encodings);
    if (!plan.encodings)
        return bo_fail_alloc(err, out->arena);
    for (size_t i = 0; i < plan.n; i++)
        plan.encodings[i] = flats->p[i].known ? encoding_of(model->arch, &flats->p[i].state) : 0;
    if (!choose_common(&plan, out->arena))
        return bo_fail_alloc(err, out->arena);
    struct bo_writer pages, index;
    bo_writer_init(&pages, out->arena);
    bo_writer_init(&index, out->arena);
    for (size_t first = 0; first < plan.n; n_pages++) {
        size_t n = fill_page(&plan, first, local, &n_local);
        const bool regular = n < MAX_REGULAR && first + n < plan.n;
        if (regular)
            n = plan.n - first < MAX_REGULAR ? plan.n - first : MAX_REGULAR;
        bo_put_le32(&index, (uint32_t)(flats->p[first].pc - plan.base));
        bo_put_le32(&index, (uint32_t)pages.n);
        put_page(&plan, first, n, regular, local, n_local, &pages);
        first += n;
    }
    const uint32_t index_off = HEADER_NBYTES + 4 * plan.n_common;
    const uint32_t pages_off = index_off + INDEX_NBYTES * (n_pages + 1);
    const uint32_t header[] = {1, HEADER_NBYTES, plan.n_common, index_off,
                               0, index_off,     n_pages + 1};
    bo_mark(out, "index");
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        bo_put_le32(out, header[i]);
    for (uint32_t i = 0; i < plan.n_common; i++)
        bo_put_le32(out, plan.common[i]);
    for (uint32_t i = 0; i < n_pages && !index.status; i++) {
        bo_put_le32(out, bo_le32(index.p + 8 * (size_t)i));
        bo_put_le32(out, pages_off + bo_le32(index.p + 8 * (size_t)i + 4));
        bo_put_le32(out, pages_off);
    }
    bo_put_le32(out, (uint32_t)end);
    bo_put_le32(out, 0);
    bo_put_le32(out, pages_off);
    bo_mark(out, "pages");
    bo_put_bytes(out, pages.p, pages.n);
    unwind_frame_end_part(w);
    const enum bo_status status =
        pages.status ? bo_writer_status(&pages, err) : bo_writer_status(&index, err);
    bo_writer_free(&pages);
    bo_writer_free(&index);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const uint8_t *index_of(const struct table *t, size_t page)
{
    return t->frame.parts[0].p + t->index_off + page * INDEX_NBYTES;
}

static const uint8_t *page_of(const struct table *t, size_t page)
{
    return t->frame.parts[0].p + bo_le32(index_of(t, page) + 4);
}

/* Pages follow each other and fill the part; the numbers of encodings exist. */
static enum bo_status check_page(const struct table *t, size_t page, size_t *off,
                                 struct bo_error *err)
{
    const struct bo_span part = t->frame.parts[0];
    const uint64_t at = t->frame.part_off[0] + *off;
    const uint8_t *p = part.p + *off;
    if (bo_le32(index_of(t, page) + 4) != *off || part.n - *off < COMPRESSED_HEAD)
        return bo_fail(err, BO_CORRUPT, at, "page is not where the one before ends");
    const bool regular = bo_le32(p) == REGULAR;
    const uint32_t n = bo_le16(p + 6);
    if (!regular && bo_le32(p) != COMPRESSED)
        return bo_fail(err, BO_CORRUPT, at, "kind of a page is unknown");
    const uint32_t n_local = regular ? 0 : bo_le16(p + 10);
    const size_t head = regular ? REGULAR_HEAD : COMPRESSED_HEAD;
    const size_t size = head + (regular ? 8 : 4) * (size_t)n + 4 * (size_t)n_local;
    if (n == 0 || (regular && n > MAX_REGULAR) || n + n_local > PAGE_WORDS ||
        bo_le16(p + 4) != head || (!regular && bo_le16(p + 8) != head + 4 * n) ||
        size > part.n - *off)
        return bo_fail(err, BO_CORRUPT, at, "counts or offsets of a page are out of range");
    for (uint32_t i = 0; i < n && !regular; i++)
        if (p[head + 4 * i + 3] >= t->n_common + n_local)
            return bo_fail(err, BO_CORRUPT, at + head + 4 * i, "encoding number is out of range");
    *off += size;
    return BO_OK;
}

static enum bo_status open_table(struct bo_span in, struct table *t, struct bo_error *err)
{
    enum bo_status status = unwind_frame_open(in, N_PARTS, &t->frame, err);
    if (status)
        return status;
    const struct bo_span part = t->frame.parts[0];
    const uint64_t at = t->frame.part_off[0];
    if (t->frame.arch == UNWIND_S390X || part.n < HEADER_NBYTES)
        return bo_fail(err, BO_CORRUPT, at,
                       "part is shorter than its header, or the machine is s390x");
    const uint64_t n_common = bo_le32(part.p + 8), n_index = bo_le32(part.p + 24);
    const uint64_t index_off = HEADER_NBYTES + 4 * n_common;
    const uint64_t pages_off = index_off + INDEX_NBYTES * n_index;
    if (bo_le32(part.p) != 1 || bo_le32(part.p + 4) != HEADER_NBYTES || n_common > MAX_COMMON ||
        bo_le32(part.p + 12) != index_off || bo_le32(part.p + 16) ||
        bo_le32(part.p + 20) != index_off || n_index == 0 || pages_off > part.n)
        return bo_fail(err, BO_CORRUPT, at, "version, offsets or counts of the header are wrong");
    t->n_common = (uint32_t)n_common;
    t->n_pages = (uint32_t)n_index - 1;
    t->index_off = (uint32_t)index_off;
    t->n = 0;
    size_t off = (size_t)pages_off;
    for (size_t i = 0; i <= t->n_pages; i++)
        if (bo_le32(index_of(t, i) + 8) != pages_off)
            return bo_fail(err, BO_CORRUPT, at + index_off,
                           "offset of the LSDA array is not that of the first page");
    for (size_t i = 0; i < t->n_pages; i++) {
        status = check_page(t, i, &off, err);
        if (status)
            return status;
        t->n += bo_le16(page_of(t, i) + 6);
    }
    if (off != part.n || bo_le32(index_of(t, t->n_pages) + 4) ||
        (!t->n_pages && bo_le32(index_of(t, 0))))
        return bo_fail(err, BO_CORRUPT, at + off, "bytes follow the last page, or no sentinel");
    return BO_OK;
}

/* Entry k of a page: its PC from Base and its encoding. */
static inline uint32_t entry_at(const struct table *t, size_t page, uint32_t k, uint32_t *encoding)
{
    const uint8_t *p = page_of(t, page);
    if (bo_le32(p) == REGULAR) {
        *encoding = bo_le32(p + REGULAR_HEAD + 8 * (size_t)k + 4);
        return bo_le32(p + REGULAR_HEAD + 8 * (size_t)k);
    }
    const uint32_t entry = bo_le32(p + COMPRESSED_HEAD + 4 * (size_t)k), number = entry >> 24;
    const size_t local = bo_le16(p + 8);
    *encoding = number < t->n_common
                    ? bo_le32(t->frame.parts[0].p + HEADER_NBYTES + 4 * (size_t)number)
                    : bo_le32(p + local + 4 * (size_t)(number - t->n_common));
    return bo_le32(index_of(t, page)) + (entry & 0xffffff);
}

static uint32_t n_in_page(const struct table *t, size_t page)
{
    return bo_le16(page_of(t, page) + 6);
}

struct cursor {
    size_t i, page; /* entries and pages before */
    uint32_t k;     /* entries of the page before */
};

static bool has_next(const struct table *t, const struct cursor *c)
{
    return c->i < t->n;
}

static const char *next_flat(const struct table *t, struct cursor *c, struct unwind_flat *flat)
{
    uint32_t encoding;
    for (; c->k == n_in_page(t, c->page); c->k = 0)
        c->page++;
    *flat = (struct unwind_flat){0};
    const uint32_t at = entry_at(t, c->page, c->k, &encoding);
    flat->pc = t->frame.base + at;
    flat->known = state_of(t->frame.arch, encoding, &flat->state);
    if (c->k++ == 0 && at != bo_le32(index_of(t, c->page)))
        return "page does not begin where the index says";
    if (++c->i == t->n && at != bo_le32(index_of(t, t->n_pages)))
        return "last entry is not where the sentinel is";
    return encoding >> 28 || at > INT32_MAX ? "encoding has flags, or an entry is 2^31 bytes away"
                                            : NULL;
}

static inline bool look_up(const struct table *t, uint64_t pc, struct unwind_flat *flat)
{
    const uint64_t off = pc - t->frame.base;
    size_t page = 0, n = t->n_pages;
    uint32_t low = 0, encoding;
    if (n == 0 || pc < t->frame.base || off >= bo_le32(index_of(t, n)))
        return false;
    while (n > 1) {
        const size_t half = n / 2;
        page = bo_le32(index_of(t, page + half)) <= off ? page + half : page;
        n -= half;
    }
    uint32_t left = n_in_page(t, page);
    while (left > 1) {
        const uint32_t half = left / 2;
        low = entry_at(t, page, low + half, &encoding) <= off ? low + half : low;
        left -= half;
    }
    flat->flags = 0;
    flat->pc = t->frame.base + entry_at(t, page, low, &encoding);
    return state_of(t->frame.arch, encoding, &flat->state);
}

#define OWN_CURSOR
#define PREPARE one_row_each
#include "codecs/unwind/flat.h"

const struct bo_codec unwind_compact_unwind = {
    .name = "compact-unwind",
    .summary = "Apple's __unwind_info: one encoding a function, right only in its body",
    .spec = "codecs/unwind/README.md#compact-unwind",
    .choices = "common encodings, kinds of pages, saved registers",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_SCAN,
    .reduce = reduce,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
