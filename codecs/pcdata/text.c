/*
 * The text form of PCDATA, and what makes a model valid.
 *
 *   pcdata 1
 *   quantum Q
 *   table TEXTLEN kind=K refs=N      for each table, then for each of its runs:
 *   PC VALUE
 *
 * K is pcsp, pcfile, pcln or pcdata0, pcdata1, ...; the parser also accepts its number (0, 1, 2, 3
 * for pcdata0, ...).
 */
#include "codecs/pcdata/text.h"

#include <stdio.h>

#include "harness/core/text.h"

static const char *const kind_names[PCDATA_INDEX0] = {"pcsp", "pcfile", "pcln"};

/* ---- validity -------------------------------------------------------------------------------- */

static const char *table_flaw(const struct pcdata_table *table, uint32_t quantum)
{
    if (table->text_len == 0)
        return "text length is 0";
    if (table->text_len % quantum)
        return "text length is not a multiple of the quantum";
    if (table->n_runs == 0)
        return "table has no runs";
    if (table->runs[0].pc != 0)
        return "first run does not start at PC 0";
    for (uint32_t i = 0; i < table->n_runs; i++) {
        const struct pcdata_run run = table->runs[i];
        if (run.pc % quantum)
            return "PC is not a multiple of the quantum";
        if (run.pc >= table->text_len)
            return "PC is past the text's end";
        if (i && run.pc <= table->runs[i - 1].pc)
            return "PCs do not ascend";
        if (i && run.value == table->runs[i - 1].value)
            return "neighbouring runs have the same value";
    }
    return NULL;
}

const char *pcdata_model_flaw(const struct pcdata_model *model, uint32_t *table_ret)
{
    uint32_t ignored;
    table_ret = table_ret ? table_ret : &ignored;
    *table_ret = 0;
    if (model->quantum != 1 && model->quantum != 2 && model->quantum != 4)
        return "quantum is not 1, 2 or 4";
    for (uint32_t t = 0; t < model->n_tables; t++) {
        const char *flaw = table_flaw(&model->tables[t], model->quantum);
        *table_ret = t;
        if (flaw)
            return flaw;
    }
    return NULL;
}

const char *pcdata_differ(const void *a_model, const void *b_model)
{
    const struct pcdata_model *a = a_model, *b = b_model;
    if (a->quantum != b->quantum)
        return "the quantum differs";
    if (a->n_tables != b->n_tables)
        return "the number of tables differs";
    for (uint32_t t = 0; t < a->n_tables; t++) {
        const struct pcdata_table *x = &a->tables[t], *y = &b->tables[t];
        if (x->text_len != y->text_len)
            return "a table's text length differs";
        if (x->kind != y->kind || x->refs != y->refs)
            return "a table's kind or reference count differs";
        if (x->n_runs != y->n_runs)
            return "a table's number of runs differs";
        for (uint32_t i = 0; i < x->n_runs; i++)
            if (x->runs[i].pc != y->runs[i].pc || x->runs[i].value != y->runs[i].value)
                return "a run differs";
    }
    return NULL;
}

/* ---- printing -------------------------------------------------------------------------------- */

enum bo_status pcdata_print(const void *opaque, struct bo_writer *out, struct bo_error *err)
{
    const struct pcdata_model *model = opaque;
    bo_put_text(out, "pcdata 1\nquantum %u\n", model->quantum);
    for (uint32_t t = 0; t < model->n_tables && !out->status; t++) {
        const struct pcdata_table *table = &model->tables[t];
        char kind[16];
        if (table->kind < PCDATA_INDEX0)
            snprintf(kind, sizeof kind, "%s", kind_names[table->kind]);
        else
            snprintf(kind, sizeof kind, "pcdata%d", table->kind - PCDATA_INDEX0);
        bo_put_text(out, "table %u kind=%s refs=%u\n", table->text_len, kind, table->refs);
        for (uint32_t i = 0; i < table->n_runs; i++)
            bo_put_text(out, "%u %d\n", table->runs[i].pc, table->runs[i].value);
    }
    return bo_writer_status(out, err);
}

/* ---- parsing --------------------------------------------------------------------------------- */

struct parser {
    struct bo_text text;
    struct bo_arena *arena;
    struct bo_error *err;
    struct pcdata_table *tables;
    size_t n_tables, cap_tables;
    struct pcdata_run *runs; /* of all tables, in order */
    size_t n_runs, cap_runs;
    uint32_t quantum;
};

static enum bo_status fail(const struct parser *p, size_t off, const char *what)
{
    return bo_fail(p->err, BO_CORRUPT, off, what);
}

/* Reads the next word; fails with `what` at the end of the line. */
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

/* A header line: `key N`. */
static enum bo_status parse_header(struct parser *p, const char *key, const char *what,
                                   uint64_t *v_ret, size_t *off_ret)
{
    struct bo_line line = {.off = p->text.off};
    struct bo_span word;
    *off_ret = p->text.off;
    if (!bo_text_line(&p->text, &line) || !bo_line_word(&line, &word, off_ret) ||
        !bo_word_is(word, key))
        return fail(p, *off_ret, what);
    const enum bo_status status = need_word(p, &line, what, &word, off_ret);
    if (status)
        return status;
    if (!bo_parse_u64(word, UINT32_MAX, v_ret))
        return fail(p, *off_ret, what);
    return need_end(p, &line);
}

static bool parse_kind(struct bo_span word, uint8_t *kind_ret)
{
    struct bo_span number;
    uint64_t v;
    for (unsigned k = 0; k < PCDATA_INDEX0; k++)
        if (bo_word_is(word, kind_names[k])) {
            *kind_ret = (uint8_t)k;
            return true;
        }
    if (bo_word_after(word, "pcdata", &number)) {
        if (!bo_parse_u64(number, PCDATA_MAX_KIND - PCDATA_INDEX0, &v))
            return false;
        v += PCDATA_INDEX0;
    } else if (!bo_parse_u64(word, PCDATA_MAX_KIND, &v)) {
        return false;
    }
    *kind_ret = (uint8_t)v;
    return true;
}

static enum bo_status parse_table(struct parser *p, struct bo_line *line)
{
    struct bo_span word, value;
    size_t off;
    uint64_t text_len, refs;
    uint8_t kind;
    enum bo_status status = need_word(p, line, "expected a text length", &word, &off);
    if (status)
        return status;
    if (!bo_parse_u64(word, UINT32_MAX, &text_len))
        return fail(p, off, "text length is not an integer below 2^32");
    if (text_len == 0)
        return fail(p, off, "text length is 0");
    if (text_len % p->quantum)
        return fail(p, off, "text length is not a multiple of the quantum");
    status = need_word(p, line, "expected kind=K", &word, &off);
    if (status)
        return status;
    if (!bo_word_after(word, "kind=", &value) || !parse_kind(value, &kind))
        return fail(p, off, "expected kind=pcsp, pcfile, pcln or pcdataN");
    status = need_word(p, line, "expected refs=N", &word, &off);
    if (status)
        return status;
    if (!bo_word_after(word, "refs=", &value) || !bo_parse_u64(value, UINT32_MAX, &refs))
        return fail(p, off, "expected refs=N with N below 2^32");
    if (!bo_grow(p->arena, &p->tables, p->n_tables, 1, &p->cap_tables))
        return bo_fail_alloc(p->err, p->arena);
    p->tables[p->n_tables++] =
        (struct pcdata_table){.text_len = (uint32_t)text_len, .refs = (uint32_t)refs, .kind = kind};
    return need_end(p, line);
}

static enum bo_status parse_run(struct parser *p, struct bo_line *line, struct bo_span pc_word,
                                size_t pc_off)
{
    struct bo_span word;
    size_t off;
    uint64_t pc;
    int64_t value;
    struct pcdata_table *table = &p->tables[p->n_tables - 1];
    if (!bo_parse_u64(pc_word, UINT32_MAX, &pc))
        return fail(p, pc_off, "expected `table` or a PC");
    const struct pcdata_run *last = table->n_runs ? &p->runs[p->n_runs - 1] : NULL;
    if (pc % p->quantum)
        return fail(p, pc_off, "PC is not a multiple of the quantum");
    if (!last && pc != 0)
        return fail(p, pc_off, "first run does not start at PC 0");
    if (last && pc <= last->pc)
        return fail(p, pc_off, "PCs do not ascend");
    if (pc >= table->text_len)
        return fail(p, pc_off, "PC is past the text's end");
    enum bo_status status = need_word(p, line, "expected a value", &word, &off);
    if (status)
        return status;
    if (!bo_parse_i64(word, INT32_MIN, INT32_MAX, &value))
        return fail(p, off, "value is not a 32-bit integer");
    if (last && value == last->value)
        return fail(p, off, "neighbouring runs have the same value");
    if (!bo_grow(p->arena, &p->runs, p->n_runs, 1, &p->cap_runs))
        return bo_fail_alloc(p->err, p->arena);
    p->runs[p->n_runs++] = (struct pcdata_run){(uint32_t)pc, (int32_t)value};
    table->n_runs++;
    return need_end(p, line);
}

static enum bo_status parse_tables(struct parser *p)
{
    struct bo_line line;
    while (bo_text_line(&p->text, &line)) {
        struct bo_span word;
        size_t off;
        enum bo_status status = need_word(p, &line, "line of spaces", &word, &off);
        if (status)
            return status;
        const bool starts_table = bo_word_is(word, "table");
        if (starts_table && p->n_tables && p->tables[p->n_tables - 1].n_runs == 0)
            return fail(p, off, "previous table has no runs");
        if (!starts_table && !p->n_tables)
            return fail(p, off, "expected `table`");
        status = starts_table ? parse_table(p, &line) : parse_run(p, &line, word, off);
        if (status)
            return status;
    }
    if (p->n_tables && p->tables[p->n_tables - 1].n_runs == 0)
        return bo_fail(p->err, BO_TRUNCATED, p->text.off, "last table has no runs");
    return p->n_tables > UINT32_MAX / 2 ? fail(p, p->text.off, "too many tables") : BO_OK;
}

enum bo_status pcdata_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                            struct bo_error *err)
{
    struct parser p = {.text = {.in = text}, .arena = arena, .err = err};
    uint64_t version = 0, quantum = 0;
    size_t off;
    enum bo_status status =
        parse_header(&p, "pcdata", "expected `pcdata 1` in the first line", &version, &off);
    if (status)
        return status;
    if (version != 1)
        return bo_fail(err, BO_UNSUPPORTED, off, "unknown version of the text form");
    status = parse_header(&p, "quantum", "expected `quantum Q` in the second line", &quantum, &off);
    if (status)
        return status;
    if (quantum != 1 && quantum != 2 && quantum != 4)
        return fail(&p, off, "quantum is not 1, 2 or 4");
    p.quantum = (uint32_t)quantum;
    status = parse_tables(&p);
    if (status)
        return status;

    const struct pcdata_run *runs = p.runs;
    for (size_t t = 0; t < p.n_tables; runs += p.tables[t++].n_runs)
        p.tables[t].runs = runs;
    struct pcdata_model *model = bo_alloc(arena, sizeof *model);
    if (!model)
        return bo_fail_alloc(err, arena);
    *model = (struct pcdata_model){p.quantum, (uint32_t)p.n_tables, p.tables};
    *model_ret = model;
    return BO_OK;
}
