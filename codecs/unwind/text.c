/*
 * The text form of unwind tables.
 *
 *   unwind 1
 *   arch amd64|arm64|s390x [joined]
 *   fn START LENGTH [S] [B] [rep=N]     for each function, then for each of its rows:
 *   OFF CFA RA FP [a]
 *   calls PC PC ...                     any number of lines after the functions
 *   real EHFRAME HDR                    the last line, or absent
 */
#include "codecs/unwind/text.h"

#include <inttypes.h>

#include "harness/core/text.h"

/* ---- printing -------------------------------------------------------------------------------- */

static void print_register(const struct unwind_machine *machine, unsigned reg,
                           struct bo_writer *out)
{
    if (reg == machine->sp)
        bo_put_text(out, "sp");
    else if (reg == machine->fp)
        bo_put_text(out, "fp");
    else
        bo_put_text(out, "r%u", reg);
}

static void print_rule(const struct unwind_machine *machine, enum unwind_rule rule, int32_t off,
                       unsigned reg, struct bo_writer *out)
{
    static const char *const words[UNWIND_N_RULES] = {" s", " u", " c", " v", " r", " *", " x"};
    bo_put_text(out, "%s", words[rule]);
    if (rule == UNWIND_REGISTER)
        bo_put_text(out, "%u", reg);
    if (rule == UNWIND_MEMORY)
        print_register(machine, reg, out);
    if (rule == UNWIND_AT_CFA || rule == UNWIND_CFA_PLUS || rule == UNWIND_MEMORY)
        bo_put_text(out, "%+" PRId32, off);
}

void unwind_print_row(enum unwind_arch arch, uint32_t off, const struct unwind_state *s,
                      struct bo_writer *out)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    bo_put_text(out, "%" PRIu32 " ", off);
    if (unwind_cfa(s) == UNWIND_CFA_OTHER) {
        bo_put_text(out, "x");
    } else {
        bo_put_text(out, "%s", unwind_cfa(s) == UNWIND_CFA_MEMORY ? "*" : "");
        print_register(machine, unwind_cfa_reg(s), out);
        bo_put_text(out, "%+" PRId32, s->cfa_off);
    }
    print_rule(machine, unwind_ra(s), s->ra_off, s->ra_reg, out);
    print_rule(machine, unwind_fp(s), s->fp_off, s->fp_reg, out);
    bo_put_text(out, "%s\n", unwind_is_signed(s) ? " a" : "");
}

enum bo_status unwind_print(const void *opaque, struct bo_writer *out, struct bo_error *err)
{
    enum { CALLS_A_LINE = 8 };
    const struct unwind_model *model = opaque;
    bo_put_text(out, "unwind 1\narch %s%s\n", unwind_machines[model->arch].name,
                model->joined ? " joined" : "");
    for (uint32_t i = 0; i < model->n_functions && !out->status; i++) {
        const struct unwind_function *f = &model->functions[i];
        bo_put_text(out, "fn 0x%" PRIx64 " %" PRIu32 "%s%s", f->start, f->length,
                    f->flags & UNWIND_SIGNAL ? " S" : "", f->flags & UNWIND_KEY_B ? " B" : "");
        if (f->rep)
            bo_put_text(out, " rep=%u", f->rep);
        bo_put_text(out, "\n");
        for (uint32_t r = 0; r < f->n_rows; r++)
            unwind_print_row(model->arch, f->rows[r].off, &f->rows[r].state, out);
    }
    for (uint32_t i = 0; i < model->n_calls; i++)
        bo_put_text(out, "%s 0x%" PRIx64 "%s", i % CALLS_A_LINE ? "" : "calls", model->calls[i],
                    i % CALLS_A_LINE == CALLS_A_LINE - 1 || i + 1 == model->n_calls ? "\n" : "");
    if (model->real_nbytes || model->real_hdr_nbytes)
        bo_put_text(out, "real %" PRIu64 " %" PRIu64 "\n", model->real_nbytes,
                    model->real_hdr_nbytes);
    return bo_writer_status(out, err);
}

/* ---- parsing: words -------------------------------------------------------------------------- */

struct parser {
    struct bo_text text;
    struct bo_error *err;
    struct unwind_builder builder;
    const struct unwind_machine *machine;
    enum unwind_arch arch;
    bool joined;
    uint64_t *calls;
    size_t n_calls, cap_calls;
    uint64_t real_nbytes, real_hdr_nbytes;
};

static enum bo_status fail(const struct parser *p, size_t off, const char *what)
{
    return bo_fail(p->err, BO_CORRUPT, off, what);
}

static enum bo_status need_word(const struct parser *p, struct bo_line *line, const char *what,
                                struct bo_span *word_ret, size_t *off_ret)
{
    return bo_line_word(line, word_ret, off_ret) ? BO_OK : fail(p, *off_ret, what);
}

static enum bo_status need_end(const struct parser *p, struct bo_line *line)
{
    struct bo_span word;
    size_t off;
    return bo_line_word(line, &word, &off) ? fail(p, off, "unexpected word at the line's end")
                                           : BO_OK;
}

/* 0x and lower-case digits without leading zeros. */
static bool parse_hex(struct bo_span word, uint64_t *v_ret)
{
    struct bo_span digits;
    uint64_t v = 0;
    if (!bo_word_after(word, "0x", &digits) || digits.n == 0 || digits.n > 16 ||
        (digits.n > 1 && digits.p[0] == '0'))
        return false;
    for (size_t i = 0; i < digits.n; i++) {
        const unsigned c = digits.p[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        v = v << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *v_ret = v;
    return true;
}

/* A signed offset, whose sign is always written. */
static bool parse_offset(struct bo_span word, int32_t *off_ret)
{
    int64_t v;
    const bool plus = word.n && word.p[0] == '+';
    const struct bo_span digits = {word.p + plus, word.n - plus};
    if (word.n < 2 || (!plus && word.p[0] != '-') ||
        (plus && (digits.p[0] < '0' || digits.p[0] > '9')) ||
        !bo_parse_i64(digits, INT32_MIN, INT32_MAX, &v))
        return false;
    *off_ret = (int32_t)v;
    return true;
}

/* Digits that begin a word, as a register's number; the rest of the word in *rest_ret. */
static bool parse_number(struct bo_span word, struct bo_span *rest_ret, uint8_t *reg_ret)
{
    size_t n = 0;
    uint64_t v;
    while (n < word.n && word.p[n] >= '0' && word.p[n] <= '9')
        n++;
    if (!bo_parse_u64((struct bo_span){word.p, n}, UNWIND_MAX_REGISTER, &v))
        return false;
    *reg_ret = (uint8_t)v;
    *rest_ret = (struct bo_span){word.p + n, word.n - n};
    return true;
}

/* sp+8, fp-16, r10+0: a register that is sp or fp is not written as its number. */
static bool parse_register_plus(const struct parser *p, struct bo_span word, uint8_t *reg_ret,
                                int32_t *off_ret)
{
    struct bo_span rest;
    if (bo_word_after(word, "sp", &rest))
        *reg_ret = p->machine->sp;
    else if (bo_word_after(word, "fp", &rest))
        *reg_ret = p->machine->fp;
    else if (!bo_word_after(word, "r", &rest) || !parse_number(rest, &rest, reg_ret) ||
             *reg_ret == p->machine->sp || *reg_ret == p->machine->fp)
        return false;
    return parse_offset(rest, off_ret);
}

static bool parse_cfa(const struct parser *p, struct bo_span word, struct unwind_state *state)
{
    enum unwind_cfa_kind kind = UNWIND_CFA_REGISTER;
    struct bo_span rest = word;
    if (bo_word_is(word, "x")) {
        state->kinds |= UNWIND_CFA_OTHER;
        return true;
    }
    if (bo_word_after(word, "*", &rest))
        kind = UNWIND_CFA_MEMORY;
    state->kinds |= (uint8_t)kind;
    return parse_register_plus(p, rest, &state->cfa_reg, &state->cfa_off);
}

static bool parse_rule(const struct parser *p, struct bo_span word, enum unwind_rule *rule_ret,
                       uint8_t *reg_ret, int32_t *off_ret)
{
    static const char letters[UNWIND_N_RULES + 1] = "sucvr*x";
    const char *letter = word.n && word.p[0] ? strchr(letters, word.p[0]) : NULL;
    struct bo_span rest = {word.p + 1, word.n - 1};
    if (!letter)
        return false;
    *rule_ret = (enum unwind_rule)(letter - letters);
    switch (*rule_ret) {
    case UNWIND_AT_CFA:
    case UNWIND_CFA_PLUS:
        return parse_offset(rest, off_ret);
    case UNWIND_REGISTER:
        return parse_number(rest, &rest, reg_ret) && rest.n == 0;
    case UNWIND_MEMORY:
        return parse_register_plus(p, rest, reg_ret, off_ret);
    default:
        return rest.n == 0;
    }
}

/* ---- parsing: lines -------------------------------------------------------------------------- */

/* Parses `key VALUE`; returns the word of the value. */
static enum bo_status parse_header(struct parser *p, const char *key, const char *what,
                                   struct bo_line *line, struct bo_span *value_ret, size_t *off_ret)
{
    struct bo_span word;
    *off_ret = p->text.off;
    if (!bo_text_line(&p->text, line) || !bo_line_word(line, &word, off_ret) ||
        !bo_word_is(word, key))
        return fail(p, *off_ret, what);
    return need_word(p, line, what, value_ret, off_ret);
}

static enum bo_status parse_arch(struct parser *p)
{
    static const char what[] = "expected `arch amd64`, `arch arm64` or `arch s390x`";
    struct bo_line line;
    struct bo_span word;
    size_t off;
    enum bo_status status = parse_header(p, "arch", what, &line, &word, &off);
    if (status)
        return status;
    for (unsigned i = 0; i < UNWIND_N_ARCHS; i++)
        if (bo_word_is(word, unwind_machines[i].name)) {
            p->arch = (enum unwind_arch)i;
            p->machine = &unwind_machines[i];
        }
    if (!p->machine)
        return fail(p, off, what);
    if (bo_line_word(&line, &word, &off)) {
        if (!bo_word_is(word, "joined"))
            return fail(p, off, "expected `joined` or the line's end");
        p->joined = true;
    }
    return need_end(p, &line);
}

static enum bo_status parse_function(struct parser *p, struct bo_line *line)
{
    const struct unwind_builder *b = &p->builder;
    struct bo_span word, value;
    size_t off;
    uint64_t start, length, rep = 0;
    uint8_t flags = 0;
    enum bo_status status = need_word(p, line, "expected a start", &word, &off);
    if (status)
        return status;
    if (!parse_hex(word, &start))
        return fail(p, off, "start is not a hexadecimal number below 2^64 with 0x");
    if (b->n_functions && start < unwind_end(&b->functions[b->n_functions - 1]))
        return fail(p, off, "function starts before the end of the one before");
    status = need_word(p, line, "expected a length", &word, &off);
    if (status)
        return status;
    if (!bo_parse_u64(word, UINT32_MAX, &length))
        return fail(p, off, "length is not an integer below 2^32");
    if (length == 0)
        return fail(p, off, "function length is 0");
    if (length > UINT64_MAX - start)
        return fail(p, off, "function ends past 2^64");
    for (bool more = bo_line_word(line, &word, &off); more;
         more = bo_line_word(line, &word, &off)) {
        if (bo_word_is(word, "S") && !flags && !rep) {
            flags = UNWIND_SIGNAL;
        } else if (bo_word_is(word, "B") && !(flags & UNWIND_KEY_B) && !rep) {
            flags |= UNWIND_KEY_B;
        } else if (bo_word_after(word, "rep=", &value) && !rep) {
            if (!bo_parse_u64(value, UINT8_MAX, &rep) || rep == 0)
                return fail(p, off, "pattern's size is not an integer from 1 to 255");
        } else {
            return fail(p, off, "expected S, B, rep=N or the line's end, in this order");
        }
    }
    if (b->n_functions == UINT32_MAX / 2)
        return fail(p, off, "too many functions");
    return unwind_add_function(&p->builder, start, (uint32_t)length, flags, (uint8_t)rep)
               ? BO_OK
               : bo_fail_alloc(p->err, b->arena);
}

static enum bo_status parse_row(struct parser *p, struct bo_line *line, struct bo_span off_word,
                                size_t at)
{
    struct unwind_builder *b = &p->builder;
    const struct unwind_function *f = &b->functions[b->n_functions - 1];
    const struct unwind_row *last = f->n_rows ? &b->rows[b->n_rows - 1] : NULL;
    struct unwind_state state = {0};
    enum unwind_rule ra, fp;
    struct bo_span word;
    uint64_t row_off;
    size_t off;
    if (!bo_parse_u64(off_word, UINT32_MAX, &row_off))
        return fail(p, at, "expected `fn`, `calls`, `real` or a row's offset");
    if (row_off >= f->length)
        return fail(p, at, "row is past the function's end");
    if (f->rep && row_off >= f->rep)
        return fail(p, at, "row is past the pattern's end");
    if (last && row_off <= last->off)
        return fail(p, at, "offsets of rows do not ascend");
    enum bo_status status = need_word(p, line, "expected a CFA", &word, &off);
    if (status)
        return status;
    if (!parse_cfa(p, word, &state))
        return fail(p, off, "CFA is not x, or a register with an offset, as in sp+8 or *r10-16");
    status = need_word(p, line, "expected the rule of the return address", &word, &off);
    if (status)
        return status;
    if (!parse_rule(p, word, &ra, &state.ra_reg, &state.ra_off))
        return fail(p, off, "rule is not s, u, x, c-8, v+8, r16 or *sp+8");
    status = need_word(p, line, "expected the rule of the frame pointer", &word, &off);
    if (status)
        return status;
    if (!parse_rule(p, word, &fp, &state.fp_reg, &state.fp_off))
        return fail(p, off, "rule is not s, u, x, c-8, v+8, r16 or *sp+8");
    state.kinds = unwind_pack(unwind_cfa(&state), ra, fp);
    if (bo_line_word(line, &word, &off)) {
        if (!bo_word_is(word, "a"))
            return fail(p, off, "expected `a` or the line's end");
        if (p->arch != UNWIND_ARM64)
            return fail(p, off, "return address is signed on a machine other than arm64");
        state.cfa_reg |= UNWIND_SIGNED;
    }
    if (last && unwind_same_state(&last->state, &state))
        return fail(p, at, "neighbouring rows are equal");
    if (!unwind_add_row(b, (uint32_t)row_off, &state))
        return bo_fail_alloc(p->err, b->arena);
    return need_end(p, line);
}

static enum bo_status parse_calls(struct parser *p, struct bo_line *line)
{
    struct bo_span word;
    size_t off;
    uint64_t pc;
    while (bo_line_word(line, &word, &off)) {
        if (!parse_hex(word, &pc) || pc == 0)
            return fail(p, off, "return address is not a hexadecimal number above 0 with 0x");
        if (!bo_grow(p->builder.arena, &p->calls, p->n_calls, 1, &p->cap_calls))
            return bo_fail_alloc(p->err, p->builder.arena);
        p->calls[p->n_calls++] = pc;
    }
    return p->n_calls < UINT32_MAX ? BO_OK : fail(p, off, "too many calls");
}

static enum bo_status parse_real(struct parser *p, struct bo_line *line)
{
    uint64_t *const numbers[] = {&p->real_nbytes, &p->real_hdr_nbytes};
    struct bo_span word;
    size_t off;
    for (unsigned i = 0; i < 2; i++) {
        const enum bo_status status = need_word(p, line, "expected two sizes", &word, &off);
        if (status)
            return status;
        if (!bo_parse_u64(word, UINT64_MAX, numbers[i]))
            return fail(p, off, "size is not an integer below 2^64");
    }
    return need_end(p, line);
}

static enum bo_status parse_lines(struct parser *p)
{
    struct bo_line line;
    bool had_calls = false, had_real = false;
    while (bo_text_line(&p->text, &line)) {
        struct bo_span word;
        size_t off;
        enum bo_status status = need_word(p, &line, "line of spaces", &word, &off);
        if (status)
            return status;
        if (had_real)
            return fail(p, off, "line follows the sizes of the real sections");
        if (bo_word_is(word, "real")) {
            had_real = true;
            status = parse_real(p, &line);
        } else if (bo_word_is(word, "calls")) {
            had_calls = true;
            status = parse_calls(p, &line);
        } else if (had_calls) {
            return fail(p, off, "function or row follows the calls");
        } else if (bo_word_is(word, "fn")) {
            status = parse_function(p, &line);
        } else if (p->builder.n_functions == 0) {
            return fail(p, off, "expected `fn`, `calls` or `real`");
        } else {
            status = parse_row(p, &line, word, off);
        }
        if (status)
            return status;
    }
    return BO_OK;
}

enum bo_status unwind_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                            struct bo_error *err)
{
    static const char first_line[] = "expected `unwind 1` in the first line";
    struct parser p = {.text = {.in = text}, .err = err, .builder = {.arena = arena}};
    struct bo_line line;
    struct bo_span word;
    uint64_t version;
    size_t off;
    enum bo_status status = parse_header(&p, "unwind", first_line, &line, &word, &off);
    if (status)
        return status;
    if (!bo_parse_u64(word, UINT32_MAX, &version))
        return fail(&p, off, first_line);
    if (version != 1)
        return bo_fail(err, BO_UNSUPPORTED, off, "unknown version of the text form");
    status = need_end(&p, &line);
    status = status ? status : parse_arch(&p);
    status = status ? status : parse_lines(&p);
    if (status)
        return status;
    struct unwind_model *model = unwind_build(&p.builder, p.arch);
    if (!model)
        return bo_fail_alloc(err, arena);
    model->joined = p.joined;
    model->calls = p.calls;
    model->n_calls = (uint32_t)p.n_calls;
    model->real_nbytes = p.real_nbytes;
    model->real_hdr_nbytes = p.real_hdr_nbytes;
    *model_ret = model;
    return BO_OK;
}
