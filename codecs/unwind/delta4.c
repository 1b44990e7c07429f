/*
 * delta4: the tables of OpenTelemetry's eBPF profiler, rows of 4 bytes in pages of 64 KiB of text,
 * with the numbers of distinct unwind infos of 12 bytes. Little-endian.
 *
 * A row whose info has a merge opcode is two stretches: where it begins, and a byte or two later
 * with a CFA that is 8 bytes further or nearer.
 */
#include "codecs/unwind/deltas.h"

#define HOLDS_SIGNALS true

enum { PAGES, ROWS, INFOS, N_PARTS };
enum { PAGE_NBYTES = 24, ENTRY_NBYTES = 4, INFO_NBYTES = 12, PAGE_SHIFT = 16 };

/* Bases of the CFA, and rules of FP (on amd64: the place; elsewhere: of RA and FP). */
enum {
    FP_SAME = 0, /* amd64 */
    AT_CFA = 1,  /* amd64: FP; elsewhere: RA, and FP is the same */
    BASE_SP = 2,
    BASE_FP = 3,
    BOTH_SAME = 4, /* not amd64 */
    BASE_REGISTER = 5,
    FRAME = 6, /* RA at the CFA, FP below it; not amd64 */
    DEREFERENCED = 0x80,
};
enum { COMMAND = 0x8000, INVALID = COMMAND, STOP = COMMAND | 1, SIGNAL = COMMAND | 3 };
enum { LESS = 0x80, MERGED_STEP = 8, MAX_MERGED = 2, MAX_REG = 15 };

/* FP is this many bytes below RA in a frame. */
static const uint8_t fp_below_ra[UNWIND_N_ARCHS] = {[UNWIND_ARM64] = 8, [UNWIND_S390X] = 24};

/* The rules that SIGNAL encodes: glibc's frame of a signal on amd64. */
static const struct unwind_state signal_frame = {
    .kinds = UNWIND_CFA_MEMORY | UNWIND_MEMORY << 2 | UNWIND_MEMORY << 5,
    .cfa_reg = 7,
    .cfa_off = 160,
    .ra_reg = 7,
    .ra_off = 168,
    .fp_reg = 7,
    .fp_off = 120,
};

struct info {
    uint8_t opcode, fp_opcode, merge, zero;
    int32_t param, fp_param;
};
_Static_assert(sizeof(struct info) == INFO_NBYTES, "infos have no padding");

static bool make_cfa(enum unwind_arch arch, const struct unwind_state *s, struct info *info)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    const uint8_t reg = unwind_cfa_reg(s);
    const bool memory = unwind_cfa(s) == UNWIND_CFA_MEMORY;
    if (unwind_cfa(s) == UNWIND_CFA_OTHER)
        return false;
    info->param = s->cfa_off;
    if (reg == machine->sp || reg == machine->fp) {
        info->opcode =
            (uint8_t)((reg == machine->sp ? BASE_SP : BASE_FP) | (memory ? DEREFERENCED : 0));
        return !memory || s->cfa_off % 8 == 0;
    }
    info->opcode = BASE_REGISTER;
    info->param = (int32_t)((uint32_t)s->cfa_off << 1 | reg);
    return !memory && reg <= MAX_REG && s->cfa_off % 8 == 0 && s->cfa_off >= INT32_MIN / 2 &&
           s->cfa_off <= INT32_MAX / 2;
}

/* The rules of RA and FP. */
static bool make_rules(enum unwind_arch arch, const struct unwind_state *s, struct info *info)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    const enum unwind_rule ra = unwind_ra(s), fp = unwind_fp(s);
    info->fp_param = s->fp_off;
    if (arch == UNWIND_AMD64) {
        const bool memory = fp == UNWIND_MEMORY;
        info->fp_opcode = fp == UNWIND_AT_CFA                  ? AT_CFA
                          : memory && s->fp_reg == machine->sp ? BASE_SP
                          : memory                             ? BASE_FP
                                                               : FP_SAME;
        return ra == UNWIND_AT_CFA && s->ra_off == -8 &&
               (fp == UNWIND_SAME || fp == UNWIND_AT_CFA ||
                (memory && (s->fp_reg == machine->sp || s->fp_reg == machine->fp)));
    }
    if (ra == UNWIND_SAME && fp == UNWIND_REGISTER) {
        info->fp_opcode = BASE_REGISTER;
        info->fp_param = s->fp_reg;
        return arch == UNWIND_S390X;
    }
    info->fp_opcode = ra == UNWIND_SAME ? BOTH_SAME : fp == UNWIND_SAME ? AT_CFA : FRAME;
    info->fp_param = s->ra_off;
    return (ra == UNWIND_SAME && fp == UNWIND_SAME) ||
           (ra == UNWIND_AT_CFA &&
            (fp == UNWIND_SAME ||
             (fp == UNWIND_AT_CFA && (int64_t)s->ra_off - s->fp_off == fp_below_ra[arch])));
}

static bool make_info(enum unwind_arch arch, const struct unwind_state *s, struct info *info)
{
    *info = (struct info){0};
    return make_cfa(arch, s, info) && make_rules(arch, s, info);
}

static bool hold(const struct unwind_model *model, uint8_t flags, struct unwind_state *s)
{
    struct info info;
    if (flags & UNWIND_SIGNAL)
        return model->arch == UNWIND_AMD64 && unwind_same_state(s, &signal_frame);
    if (unwind_ra(s) == UNWIND_UNDEFINED)
        *s = delta_outermost;
    s->cfa_reg = unwind_cfa_reg(s);
    return unwind_ra(s) == UNWIND_UNDEFINED || make_info(model->arch, s, &info);
}

/* ---- writing --------------------------------------------------------------------------------- */

struct entry {
    uint64_t pc;
    uint32_t index;
};

/* The merge opcode of an info and the next row's, 0 where they cannot be one row. */
static uint8_t merge_of(const struct info *info, const struct info *next, uint64_t distance)
{
    const int64_t step = (int64_t)next->param - info->param;
    if (distance > MAX_MERGED || (info->opcode != BASE_SP && info->opcode != BASE_FP) ||
        info->opcode != next->opcode || info->fp_opcode != next->fp_opcode ||
        info->fp_param != next->fp_param || (step != MERGED_STEP && step != -MERGED_STEP))
        return 0;
    return (uint8_t)(distance | (step < 0 ? LESS : 0));
}

/* The info of a row; false if the row is a command, then in *index_ret. */
static bool info_of(const struct unwind_model *model, const struct unwind_flat *f,
                    struct info *info, uint32_t *index_ret)
{
    *index_ret = !f->known                                  ? INVALID
                 : f->flags & UNWIND_SIGNAL                 ? SIGNAL
                 : unwind_ra(&f->state) == UNWIND_UNDEFINED ? STOP
                                                            : 0;
    return *index_ret == 0 && make_info(model->arch, &f->state, info);
}

static void put_pages(const struct entry *entries, size_t n, struct bo_writer *out)
{
    for (size_t i = 0, first = 0; i < n; first = i) {
        const uint64_t page = entries[first].pc >> PAGE_SHIFT;
        while (i < n && entries[i].pc >> PAGE_SHIFT == page)
            i++;
        bo_put_le64(out, 0);
        bo_put_le64(out, page);
        bo_put_le32(out, (uint32_t)first);
        bo_put_le16(out, (uint16_t)(i - first));
        bo_put_le16(out, 0);
    }
}

static void put_infos(const struct unwind_interner *infos, struct bo_writer *out)
{
    for (size_t i = 0; i < infos->n; i++) {
        const struct info *info = (const struct info *)infos->items + i;
        bo_put_u8(out, info->opcode);
        bo_put_u8(out, info->fp_opcode);
        bo_put_u8(out, info->merge);
        bo_put_u8(out, 0);
        bo_put_le32(out, (uint32_t)info->param);
        bo_put_le32(out, (uint32_t)info->fp_param);
    }
}

static enum bo_status put_flats(const struct unwind_flats *flats, const struct unwind_model *model,
                                struct bo_writer *out, struct unwind_frame_writer *w,
                                struct bo_error *err)
{
    struct unwind_interner infos;
    struct entry *entries = bo_alloc_array(out->arena, flats->n, sizeof *entries);
    size_t n = 0;
    if (!entries)
        return bo_fail_alloc(err, out->arena);
    unwind_interner_init(&infos, sizeof(struct info), out->arena);
    for (size_t i = 0; i < flats->n; i++, n++) {
        const struct unwind_flat *f = &flats->p[i];
        struct info info, next;
        uint32_t command;
        entries[n].pc = f->pc;
        if (info_of(model, f, &info, &entries[n].index)) {
            if (i + 1 < flats->n && info_of(model, f + 1, &next, &command))
                info.merge = merge_of(&info, &next, f[1].pc - f->pc);
            i += info.merge != 0;
            entries[n].index = unwind_intern(&infos, &info);
            if (entries[n].index == UINT32_MAX)
                return bo_fail_alloc(err, out->arena);
            if (entries[n].index >= COMMAND)
                return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "more than 32768 infos");
        }
    }
    /* A page holds at most 65 535 rows: unmerged stretches at neighbouring bytes do
     * occur, but 65 536 in one page only in generated models. */
    for (size_t i = UINT16_MAX; i < n; i++)
        if (entries[i].pc >> PAGE_SHIFT == entries[i - UINT16_MAX].pc >> PAGE_SHIFT)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "page has 65536 rows or more");
    if (n > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "2^32 rows or more");
    bo_mark(out, "pages");
    put_pages(entries, n, out);
    unwind_frame_end_part(w);
    bo_mark(out, "rows");
    for (size_t i = 0; i < n; i++) {
        bo_put_le16(out, (uint16_t)entries[i].pc);
        bo_put_le16(out, (uint16_t)entries[i].index);
    }
    unwind_frame_end_part(w);
    bo_mark(out, "infos");
    put_infos(&infos, out);
    unwind_frame_end_part(w);
    return BO_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct table {
    struct unwind_frame frame;
    size_t n, n_pages, n_infos;
};

static inline const uint8_t *page_of(const struct table *t, size_t page)
{
    return t->frame.parts[PAGES].p + page * PAGE_NBYTES;
}

static inline uint64_t number_of(const uint8_t *page)
{
    return bo_le64(page + 8);
}

static inline uint32_t end_of(const uint8_t *page)
{
    return bo_le32(page + 16) + bo_le16(page + 20);
}

/* The state of RA and FP; false: the opcode is unknown, or a parameter that is not used is not 0 */
static inline bool rules_of(enum unwind_arch arch, const struct info *info, struct unwind_state *s)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    enum unwind_rule ra = UNWIND_AT_CFA, fp = UNWIND_SAME;
    if (arch == UNWIND_AMD64) {
        const bool memory = info->fp_opcode == BASE_SP || info->fp_opcode == BASE_FP;
        fp = memory ? UNWIND_MEMORY : info->fp_opcode == AT_CFA ? UNWIND_AT_CFA : UNWIND_SAME;
        s->ra_off = -8;
        s->fp_off = info->fp_param;
        s->fp_reg = !memory ? 0 : info->fp_opcode == BASE_SP ? machine->sp : machine->fp;
        s->kinds |= unwind_pack(UNWIND_CFA_REGISTER, ra, fp);
        return info->fp_opcode <= BASE_FP && (info->fp_opcode != FP_SAME || !info->fp_param);
    }
    if (info->fp_opcode == BOTH_SAME || info->fp_opcode == BASE_REGISTER) {
        const bool same = info->fp_opcode == BOTH_SAME;
        s->fp_reg = same ? 0 : (uint8_t)info->fp_param;
        s->kinds |=
            unwind_pack(UNWIND_CFA_REGISTER, UNWIND_SAME, same ? UNWIND_SAME : UNWIND_REGISTER);
        return same ? info->fp_param == 0
                    : arch == UNWIND_S390X && (uint32_t)info->fp_param <= UNWIND_MAX_REGISTER;
    }
    const bool frame = info->fp_opcode == FRAME;
    s->ra_off = info->fp_param;
    s->fp_off = frame ? (int32_t)((uint32_t)info->fp_param - fp_below_ra[arch]) : 0;
    s->kinds |= unwind_pack(UNWIND_CFA_REGISTER, ra, frame ? UNWIND_AT_CFA : UNWIND_SAME);
    return (frame && info->fp_param >= INT32_MIN + fp_below_ra[arch]) || info->fp_opcode == AT_CFA;
}

/* An info's state (of the second stretch if `second`), or the rule that the info breaks. */
static inline const char *state_of(enum unwind_arch arch, const struct info *info, bool second,
                                   struct unwind_state *s)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    const uint8_t base = info->opcode & (uint8_t)~DEREFERENCED;
    const bool memory = info->opcode & DEREFERENCED, plain = base == BASE_SP || base == BASE_FP;
    const int32_t step = !second ? 0 : info->merge & LESS ? -MERGED_STEP : MERGED_STEP;
    *s = (struct unwind_state){.kinds = memory ? UNWIND_CFA_MEMORY : UNWIND_CFA_REGISTER};
    s->cfa_off = (int32_t)((uint32_t)info->param + (uint32_t)step);
    s->cfa_reg = base == BASE_SP ? machine->sp : machine->fp;
    if (base == BASE_REGISTER) {
        s->cfa_reg = info->param & MAX_REG;
        s->cfa_off = (info->param - s->cfa_reg) / 2;
    }
    if ((!plain && (base != BASE_REGISTER || memory || s->cfa_reg == machine->sp ||
                    s->cfa_reg == machine->fp)) ||
        (memory && info->param % 8))
        return "opcode or parameter of a CFA is not known";
    if (!rules_of(arch, info, s))
        return "opcode or parameter of RA and FP is not known";
    if (info->zero || (info->merge && (!plain || memory || (info->merge & ~LESS) > MAX_MERGED ||
                                       (info->merge & ~LESS) == 0)))
        return "merge opcode is not known, or padding is not 0";
    return second && (step < 0) != (s->cfa_off < info->param) ? "CFA offset overflows" : NULL;
}

static inline struct info load_info(const struct table *t, uint32_t i)
{
    const uint8_t *p = t->frame.parts[INFOS].p + (size_t)i * INFO_NBYTES;
    return (struct info){.opcode = p[0],
                         .fp_opcode = p[1],
                         .merge = p[2],
                         .zero = p[3],
                         .param = (int32_t)bo_le32(p + 4),
                         .fp_param = (int32_t)bo_le32(p + 8)};
}

static enum bo_status open_table(struct bo_span in, struct table *t, struct bo_error *err)
{
    const enum bo_status status = unwind_frame_open(in, N_PARTS, &t->frame, err);
    if (status)
        return status;
    t->n = t->frame.parts[ROWS].n / ENTRY_NBYTES;
    t->n_pages = t->frame.parts[PAGES].n / PAGE_NBYTES;
    t->n_infos = t->frame.parts[INFOS].n / INFO_NBYTES;
    if (t->frame.parts[PAGES].n % PAGE_NBYTES || t->frame.parts[ROWS].n % ENTRY_NBYTES ||
        t->frame.parts[INFOS].n % INFO_NBYTES || t->n_infos > COMMAND || t->n > UINT32_MAX)
        return bo_fail(err, BO_CORRUPT, t->frame.part_off[PAGES],
                       "size of pages, rows or infos is not a multiple of 24, 4 or 12, or too "
                       "large");
    uint64_t before = 0;
    uint32_t end = 0;
    for (size_t i = 0; i < t->n_pages; i++) {
        const uint8_t *p = page_of(t, i);
        const uint64_t off = t->frame.part_off[PAGES] + PAGE_NBYTES * i;
        if (bo_le64(p) || bo_le16(p + 22))
            return bo_fail(err, BO_CORRUPT, off, "file or map of a page is not 0");
        if (number_of(p) >> (64 - PAGE_SHIFT) || (i && number_of(p) <= before))
            return bo_fail(err, BO_CORRUPT, off + 8, "page numbers do not ascend below 2^48");
        if (bo_le32(p + 16) != end || bo_le16(p + 20) == 0 || end_of(p) > t->n)
            return bo_fail(err, BO_CORRUPT, off + 16,
                           "rows of a page do not start where those of the page before end");
        before = number_of(p);
        end = end_of(p);
    }
    if (end != t->n)
        return bo_fail(err, BO_CORRUPT, t->frame.part_off[ROWS],
                       "rows do not end where those of the last page do");
    for (uint32_t i = 0; i < t->n_infos; i++) {
        struct unwind_state ignored;
        const struct info info = load_info(t, i);
        const char *flaw = state_of(t->frame.arch, &info, info.merge, &ignored);
        if (flaw)
            return bo_fail(err, BO_CORRUPT, t->frame.part_off[INFOS] + INFO_NBYTES * (uint64_t)i,
                           flaw);
    }
    return BO_OK;
}

/* The flat of row i, `ahead` bytes after its start; *merge_ret: that of its info, or 0. */
static inline const char *read_row(const struct table *t, size_t i, uint64_t ahead,
                                   struct unwind_flat *flat, uint8_t *merge_ret)
{
    const uint32_t index = bo_le16(t->frame.parts[ROWS].p + i * ENTRY_NBYTES + 2);
    *merge_ret = 0;
    flat->known = index != INVALID;
    flat->flags = index == SIGNAL ? UNWIND_SIGNAL : 0;
    if (index >= COMMAND) {
        flat->state = index == SIGNAL ? signal_frame
                      : index == STOP ? delta_outermost
                                      : (struct unwind_state){0};
        return (index == SIGNAL && t->frame.arch == UNWIND_AMD64) || index <= STOP
                   ? NULL
                   : "command is not known";
    }
    if (index >= t->n_infos)
        return "number of an info is out of range";
    const struct info info = load_info(t, index);
    *merge_ret = info.merge;
    return state_of(t->frame.arch, &info, info.merge && ahead >= (info.merge & (uint8_t)~LESS),
                    &flat->state);
}

struct cursor {
    size_t i, page;
    uint8_t ahead; /* 0, or the distance of row i's second stretch, which is next */
};

static inline bool has_next(const struct table *t, const struct cursor *c)
{
    return c->i < t->n;
}

static const char *next_flat(const struct table *t, struct cursor *c, struct unwind_flat *flat)
{
    uint8_t merge;
    while (c->i >= end_of(page_of(t, c->page)))
        c->page++;
    const uint64_t pc = number_of(page_of(t, c->page)) << PAGE_SHIFT |
                        bo_le16(t->frame.parts[ROWS].p + c->i * ENTRY_NBYTES);
    *flat = (struct unwind_flat){.pc = pc + c->ahead};
    const char *flaw = read_row(t, c->i, c->ahead, flat, &merge);
    c->ahead = c->ahead ? 0 : merge & (uint8_t)~LESS;
    c->i += c->ahead == 0;
    return flaw;
}

/* A PC below the first row of its page belongs to the last row before this page. */
static inline bool look_up(const struct table *t, uint64_t pc, struct unwind_flat *flat)
{
    size_t page = 0, n = t->n_pages;
    uint8_t merge;
    if (t->n == 0 || pc < t->frame.base)
        return false;
    while (n > 1) {
        const size_t half = n / 2;
        page = number_of(page_of(t, page + half)) <= pc >> PAGE_SHIFT ? page + half : page;
        n -= half;
    }
    const uint8_t *p = page_of(t, page), *rows = t->frame.parts[ROWS].p;
    const uint32_t key = number_of(p) == pc >> PAGE_SHIFT ? (uint16_t)pc : UINT16_MAX;
    const uint32_t first = bo_le32(p + 16);
    const size_t i = delta_last_row(rows, ENTRY_NBYTES, first, bo_le16(p + 20), key);
    const uint64_t at =
        number_of(page_of(t, page - (i < first))) << PAGE_SHIFT | bo_le16(rows + i * ENTRY_NBYTES);
    read_row(t, i, pc - at, flat, &merge);
    return flat->known;
}

#define OWN_CURSOR
#include "codecs/unwind/flat.h"

const struct bo_codec unwind_delta4 = {
    .name = "delta4",
    .summary = "OpenTelemetry's tables: rows of 4 bytes, numbers of distinct infos",
    .spec = "codecs/unwind/README.md#delta4",
    .choices = "the order of infos, and which rows are merged",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .kinds = 1u << UNWIND_POINT | 1u << UNWIND_SCAN,
    .reduce = reduce,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
