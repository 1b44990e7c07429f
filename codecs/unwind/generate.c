/*
 * Random unwind tables: generated, or made from others by one change.
 *
 * Most functions have the rows that compilers write: a prologue that pushes registers or makes a
 * frame, a body, an epilogue. The other functions favour values at which encodings fail: offsets
 * at the limits of 8, 16 and 32 bits, rows beyond 255 and 65 535 bytes, registers of two-byte
 * control words, first rows that are not at 0, patterns, holes of 1, 15 and 16 bytes.
 */
#include "codecs/unwind/generate.h"

enum { MAX_CALLS = 64 };

struct maker {
    struct bo_random *random;
    struct unwind_builder b;
    enum unwind_arch arch;
    uint64_t at; /* where the next function may start */
    bool refused;
};

/* ---- states ---------------------------------------------------------------------------------- */

static struct unwind_state plain_state(const struct maker *m)
{
    const struct unwind_machine *machine = &unwind_machines[m->arch];
    struct unwind_state s = {.cfa_reg = machine->sp};
    if (m->arch == UNWIND_AMD64) {
        s.cfa_off = 8;
        s.ra_off = -8;
        s.kinds = unwind_pack(UNWIND_CFA_REGISTER, UNWIND_AT_CFA, UNWIND_SAME);
    } else if (m->arch == UNWIND_S390X) {
        s.cfa_off = 160;
    }
    return s;
}

static int32_t strange_offset(struct bo_random *r)
{
    static const int32_t limits[] = {0,         1,         -1,      127,   128,   -128,
                                     -129,      255,       256,     32767, 32768, -32768,
                                     INT32_MAX, INT32_MIN, 8 * 127, 1016};
    const uint32_t way = bo_random_below(r, 4);
    if (way == 0)
        return limits[bo_random_below(r, sizeof limits / sizeof *limits)];
    if (way == 1)
        return (int32_t)bo_random_u32(r);
    return (int32_t)(8 * bo_random_below(r, 64)) - 256;
}

static uint8_t strange_register(struct maker *m)
{
    static const uint8_t limits[] = {0, 7, 6, 29, 31, 32, 63, 64, 127, 15, 11};
    return limits[bo_random_below(m->random, sizeof limits)];
}

static void strange_rule(struct maker *m, enum unwind_rule *rule, int32_t *off, uint8_t *reg)
{
    *rule = (enum unwind_rule)bo_random_below(m->random, UNWIND_N_RULES);
    *off = 0;
    *reg = 0;
    if (*rule == UNWIND_AT_CFA || *rule == UNWIND_CFA_PLUS || *rule == UNWIND_MEMORY)
        *off = strange_offset(m->random);
    if (*rule == UNWIND_REGISTER || *rule == UNWIND_MEMORY)
        *reg = strange_register(m);
}

static struct unwind_state strange_state(struct maker *m)
{
    struct unwind_state s = plain_state(m);
    enum unwind_cfa_kind cfa = unwind_cfa(&s);
    enum unwind_rule ra = unwind_ra(&s), fp = unwind_fp(&s);
    const uint32_t what = 1 + bo_random_below(m->random, 15);
    if (what & 1) {
        cfa = (enum unwind_cfa_kind)bo_random_below(m->random, 3);
        s.cfa_reg = cfa == UNWIND_CFA_OTHER ? 0 : strange_register(m);
        s.cfa_off = cfa == UNWIND_CFA_OTHER ? 0 : strange_offset(m->random);
    }
    if (what & 2)
        strange_rule(m, &ra, &s.ra_off, &s.ra_reg);
    if (what & 4)
        strange_rule(m, &fp, &s.fp_off, &s.fp_reg);
    if (what & 8 && m->arch == UNWIND_ARM64)
        s.cfa_reg |= UNWIND_SIGNED;
    s.kinds = unwind_pack(cfa, ra, fp);
    return s;
}

/* ---- functions ------------------------------------------------------------------------------- */

static uint32_t aligned(const struct maker *m, uint32_t n)
{
    const uint32_t factor = unwind_machines[m->arch].code_factor;
    return n < factor ? factor : n / factor * factor;
}

static void begin_function(struct maker *m, uint8_t flags, uint8_t rep)
{
    static const uint8_t holes[] = {0, 0, 1, 3, 8, 15, 16, 40};
    uint64_t start = m->at + holes[bo_random_below(m->random, sizeof holes)];
    if (!bo_random_one_in(m->random, 16))
        start = (start + 15) & ~UINT64_C(15);
    m->refused |= !unwind_add_function(&m->b, start, 0, flags, rep);
    m->at = start;
}

static void add_row(struct maker *m, uint32_t off, const struct unwind_state *state)
{
    if (!m->refused)
        m->refused = !unwind_add_row(&m->b, off, state);
}

static void end_function(struct maker *m, uint32_t length)
{
    if (m->refused)
        return;
    m->b.functions[m->b.n_functions - 1].length = length;
    m->at += length;
}

/* Pushes, a body, pops. */
static void add_ordinary(struct maker *m)
{
    struct bo_random *r = m->random;
    const uint32_t n_pushes = bo_random_below(r, 7), body = 1 + bo_random_below(r, 400);
    const bool frame = bo_random_one_in(r, 3), twice = bo_random_one_in(r, 4);
    const struct unwind_machine *machine = &unwind_machines[m->arch];
    const struct unwind_state plain = plain_state(m);
    struct unwind_state s = plain;
    uint32_t off = 0;
    begin_function(m, 0, 0);
    add_row(m, 0, &s);
    for (uint32_t i = 0; i < n_pushes; i++) {
        off += aligned(m, 1 + bo_random_below(r, 4));
        s.cfa_off += m->arch == UNWIND_AMD64 ? 8 : 16;
        if (i == 0) {
            const enum unwind_rule ra = UNWIND_AT_CFA;
            s.ra_off = m->arch == UNWIND_AMD64 ? -8 : -48;
            s.fp_off = -16;
            s.kinds = unwind_pack(UNWIND_CFA_REGISTER, ra, UNWIND_AT_CFA);
        }
        add_row(m, off, &s);
    }
    if (frame) {
        off += aligned(m, 3);
        s.cfa_reg = machine->fp;
        add_row(m, off, &s);
    }
    const struct unwind_state in_body = s;
    for (uint32_t i = 0; i <= (twice ? 1u : 0u); i++) {
        off += aligned(m, body);
        add_row(m, off, &plain);
        off += aligned(m, 1 + bo_random_below(r, 4));
        if (i < (twice ? 1u : 0u))
            add_row(m, off, &in_body);
    }
    end_function(m, off);
}

static void add_strange(struct maker *m)
{
    static const uint32_t gaps[] = {1, 1, 2, 4, 16, 255, 256, 4096, 65535, 65536, 70000};
    struct bo_random *r = m->random;
    const bool pattern = bo_random_one_in(r, 6);
    const uint8_t flags = (uint8_t)bo_random_below(r, 4);
    const uint8_t rep =
        pattern ? (bo_random_one_in(r, 2) ? 16 : (uint8_t)(1 + bo_random_below(r, 255))) : 0;
    const uint32_t n = bo_random_below(r, 8), one = 1 + bo_random_below(r, 300);
    uint32_t off = bo_random_one_in(r, 4) ? aligned(m, bo_random_below(r, 9)) : 0;
    begin_function(m, flags, rep);
    if (rep == 16 && bo_random_one_in(r, 2)) {
        struct unwind_state s = plain_state(m);
        add_row(m, 0, &s);
        s.cfa_off += 8;
        add_row(m, 1 + bo_random_below(r, 15), &s);
        end_function(m, 16 * (1 + bo_random_below(r, 40)));
        return;
    }
    for (uint32_t i = 0; i < n && (!rep || off < rep); i++) {
        const struct unwind_state s = bo_random_one_in(r, 4) ? plain_state(m) : strange_state(m);
        const uint32_t gap = gaps[bo_random_below(r, sizeof gaps / sizeof *gaps)];
        add_row(m, off, &s);
        off += bo_random_one_in(r, 8) ? gap : aligned(m, gap);
    }
    const uint32_t least = n ? off : 1;
    end_function(m, rep ? (least > one ? least : one) : least + bo_random_below(r, 3));
}

/* ---- extremes -------------------------------------------------------------------------------- */

/* One function of many rows, each a step of one code unit. */
static void add_many_rows(struct maker *m, struct bo_random *aside)
{
    const uint32_t n = bo_random_one_in(aside, 2) ? bo_random_around(aside, 65536)
                                                  : bo_random_extreme_size(aside, 4000);
    const uint32_t step = unwind_machines[m->arch].code_factor;
    begin_function(m, 0, 0);
    for (uint32_t i = 0; i < n; i++) {
        struct unwind_state s = plain_state(m);
        s.cfa_off += (int32_t)(8 * (i % 5));
        add_row(m, i * step, &s);
    }
    end_function(m, n * step);
}

/* Functions of one row, no two states equal. */
static void add_many_states(struct maker *m, struct bo_random *aside)
{
    const uint32_t n = bo_random_extreme_size(aside, 2000);
    for (uint32_t i = 0; i < n && !m->refused; i++) {
        struct unwind_state s = plain_state(m);
        s.cfa_off += (int32_t)(8 * i);
        begin_function(m, 0, 0);
        add_row(m, 0, &s);
        end_function(m, 16);
    }
}

/* A function of nearly 2^31 bytes with rows at the limits of offsets. */
static void add_long(struct maker *m, struct bo_random *aside)
{
    static const uint32_t offs[] = {0, 252, 256, 65532, 65536, 1 << 24, 1 << 30};
    begin_function(m, 0, 0);
    for (uint32_t i = 0; i < sizeof offs / sizeof *offs; i++) {
        struct unwind_state s = plain_state(m);
        s.cfa_off += (int32_t)(16 * i);
        add_row(m, offs[i], &s);
    }
    end_function(m, (UINT32_C(1) << 30) + 4 * (1 + bo_random_below(aside, 100)));
}

/* Adjacent functions with and without rows. */
static void add_touching(struct maker *m, struct bo_random *aside)
{
    const uint32_t n = bo_random_extreme_size(aside, 600);
    for (uint32_t i = 0; i < n && !m->refused; i++) {
        const struct unwind_state s = plain_state(m);
        m->refused |= !unwind_add_function(&m->b, m->at, 0, (uint8_t)(i / 7 % 4), 0);
        if (i % 3)
            add_row(m, 0, &s);
        end_function(m, unwind_machines[m->arch].code_factor * (1 + i % 2));
    }
}

static void add_extreme(struct maker *m, struct bo_random *aside)
{
    static void (*const shapes[])(struct maker *, struct bo_random *) = {
        add_many_rows, add_many_states, add_long, add_touching};
    shapes[bo_random_below(aside, sizeof shapes / sizeof *shapes)](m, aside);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void add_any(struct maker *m)
{
    const uint32_t way = bo_random_below(m->random, 16);
    if (bo_random_one_in(m->random, bo_random_strangeness(m->random)) || way == 15)
        add_strange(m);
    else
        add_ordinary(m);
}

/* Return addresses inside of functions and after them. */
static bool add_calls(struct maker *m, struct unwind_model *model)
{
    const uint32_t n = model->n_functions ? bo_random_below(m->random, MAX_CALLS) : 0;
    uint64_t *calls = bo_alloc_array(m->b.arena, n, sizeof *calls);
    if (!calls)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct unwind_function *f =
            &model->functions[bo_random_below(m->random, model->n_functions)];
        calls[i] = f->start + 1 + bo_random_below(m->random, f->length);
    }
    model->calls = calls;
    model->n_calls = n;
    return true;
}

enum bo_status unwind_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                               void **model_ret, struct bo_error *err)
{
    struct maker m = {.random = random, .b = {.arena = arena}};
    const size_t limit = scale < UINT32_MAX / 4 ? scale : UINT32_MAX / 4;
    struct bo_random aside;
    const bool is_extreme = bo_random_extreme_seeded(random, &aside) && scale;
    m.arch = (enum unwind_arch)bo_random_below(random, UNWIND_N_ARCHS);
    m.at = (uint64_t)bo_random_below(random, 1 << 16) << 12;
    if (bo_random_one_in(random, 8))
        m.at <<= 32;
    if (is_extreme)
        add_extreme(&m, &aside);
    for (size_t left = limit; left && !m.refused && !bo_random_exhausted(random); left--)
        add_any(&m);
    struct unwind_model *model = m.refused ? NULL : unwind_build(&m.b, m.arch);
    if (!model || !add_calls(&m, model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}

/* ---- one change ------------------------------------------------------------------------------ */

/* The change of one function or row, applied while a model is copied. */
enum change {
    ADD_FUNCTION,
    REMOVE_FUNCTION,
    FLAGS,
    STATE,
    ADD_ROW,
    REMOVE_ROW,
    MOVE_START,
    LENGTHEN
};
enum { N_CHANGES = LENGTHEN + 1 };

static void copy_rows(struct maker *m, const struct unwind_function *f, enum change change)
{
    const uint32_t at = bo_random_below(m->random, f->n_rows + 1);
    for (uint32_t r = 0; r < f->n_rows && !m->refused; r++) {
        struct unwind_state s = f->rows[r].state;
        if (r == at && change == REMOVE_ROW)
            continue;
        if (r == at && change == STATE)
            s = strange_state(m);
        add_row(m, f->rows[r].off, &s);
        const uint32_t next = r + 1 < f->n_rows              ? f->rows[r + 1].off
                              : f->rep && f->rep < f->length ? f->rep
                                                             : f->length;
        if (r == at && change == ADD_ROW && next > f->rows[r].off + 1) {
            const uint32_t room = next - f->rows[r].off - 1;
            const uint32_t off = f->rows[r].off + 1 + bo_random_below(m->random, room);
            s = strange_state(m);
            add_row(m, off, &s);
        }
    }
    if (f->n_rows == 0 && change == ADD_ROW) {
        const struct unwind_state s = plain_state(m);
        add_row(m, 0, &s);
    }
}

static void copy_function(struct maker *m, const struct unwind_function *f, uint64_t end_of_room,
                          enum change change)
{
    struct unwind_function to = *f;
    if (change == FLAGS)
        to.flags = (uint8_t)bo_random_below(m->random, 4);
    if (change == LENGTHEN && end_of_room > unwind_end(f) && f->length < UINT32_MAX - 64)
        to.length += 1 + bo_random_below(m->random, end_of_room - unwind_end(f) < 40
                                                        ? (uint32_t)(end_of_room - unwind_end(f))
                                                        : 40);
    if (change == MOVE_START && f->start > m->at)
        to.start -= f->start - m->at < 8 ? f->start - m->at : 1 + bo_random_below(m->random, 8);
    m->refused |= !unwind_add_function(&m->b, to.start, to.length, to.flags, to.rep);
    copy_rows(m, f, change);
    m->at = to.start + to.length;
}

enum bo_status unwind_mutate(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    const struct unwind_model *old = opaque;
    struct maker m = {.random = random, .b = {.arena = arena}, .arch = old->arch};
    const uint32_t n = old->n_functions;
    const uint32_t at = n ? bo_random_below(random, n) : 0;
    const enum change change = n ? (enum change)bo_random_below(random, N_CHANGES) : ADD_FUNCTION;
    for (uint32_t i = 0; i < n && !m.refused; i++) {
        const struct unwind_function *f = &old->functions[i];
        const uint64_t limit = unwind_end(f) + (i + 1 < n ? 0 : 64);
        const uint64_t room = i + 1 < n ? f[1].start : limit > f->start ? limit : unwind_end(f);
        if (i != at || change != REMOVE_FUNCTION)
            copy_function(&m, f, room, i == at ? change : ADD_FUNCTION);
    }
    if (change == ADD_FUNCTION && !m.refused && m.at < UINT64_MAX >> 1)
        add_any(&m);
    struct unwind_model *model = m.refused ? NULL : unwind_build(&m.b, m.arch);
    if (!model)
        return bo_fail_alloc(err, arena);
    model->joined = old->joined;
    model->calls = old->calls;
    model->n_calls = old->n_calls;
    *model_ret = model;
    return BO_OK;
}
