/*
 * The text form of AutoFDO: LLVM's sample-profile text, as `llvm-profdata merge --sample --text`
 * prints it.
 *
 *   NAME:TOTAL:HEAD                              a function
 *    LINE[.DISCRIMINATOR]: COUNT [NAME:COUNT]... a record of it, with its targets
 *    LINE[.DISCRIMINATOR]: NAME:TOTAL            what is inlined there, one blank deeper
 *
 * Data that LLVM does not support is in comments, which LLVM skips: `#@ timestamp N` right before a
 * function, `#@ file NAME<tab>PATH` anywhere. Names may contain blanks. Totals are computed when
 * printing, and skipped when reading. See README.md.
 */
#include "codecs/autofdo/text.h"

#include <stdlib.h>

#include "codecs/autofdo/model.h"

static const char timestamp_word[] = "timestamp", file_word[] = "file";

/* ---- totals ---------------------------------------------------------------------------------- */

/* The totals of instances, in the order of a visit: records do not count there, callees do. */
struct totals {
    uint64_t *of;
    size_t n;
};

static uint64_t n_instances(const struct autofdo_instance *instance)
{
    uint64_t n = 1;
    for (size_t i = 0; i < instance->n_callsites; i++)
        n += n_instances(&instance->callsites[i].callee);
    return n;
}

/* The sum of all counts of the instance and of what it inlines. */
static uint64_t compute_totals(const struct autofdo_instance *instance, struct totals *totals)
{
    const size_t at = totals->n++;
    uint64_t total = 0;
    for (size_t i = 0; i < instance->n_records; i++)
        total = autofdo_add(total, instance->records[i].count);
    for (size_t i = 0; i < instance->n_callsites; i++)
        total = autofdo_add(total, compute_totals(&instance->callsites[i].callee, totals));
    return totals->of[at] = total;
}

/* ---- printing -------------------------------------------------------------------------------- */

struct printer {
    struct bo_writer *out;
    const uint64_t *next_total;
    struct autofdo_target *targets; /* room for those of one record */
    size_t cap_targets;
};

static void put_name(struct bo_writer *out, struct bo_span name, uint64_t v)
{
    bo_put_bytes(out, name.p, name.n);
    bo_put_u8(out, ':');
    bo_put_decimal(out, v);
}

/* The start of a line inside an instance that is `depth` deep. */
static void put_place(struct bo_writer *out, unsigned depth, uint32_t line, uint32_t discriminator)
{
    uint8_t *blanks = bo_put_space(out, depth);
    if (blanks)
        memset(blanks, ' ', depth);
    bo_put_decimal(out, line);
    if (discriminator) {
        bo_put_u8(out, '.');
        bo_put_decimal(out, discriminator);
    }
    bo_put_bytes(out, ": ", 2);
}

/* LLVM's order of targets: by descending count, then by name. */
static int compare_targets(const void *a, const void *b)
{
    const struct autofdo_target *x = a, *y = b;
    const int order = (x->count < y->count) - (x->count > y->count);
    return order ? order : bo_span_compare(x->name, y->name);
}

static void put_targets(struct printer *p, const struct autofdo_record *record)
{
    const size_t n = record->n_targets;
    if (!bo_grow(p->out->arena, &p->targets, 0, n, &p->cap_targets)) {
        p->out->status = bo_fail_alloc(NULL, p->out->arena);
        return;
    }
    struct autofdo_target *const sorted = p->targets;
    memcpy(sorted, record->targets, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_targets);
    for (size_t i = 0; i < n; i++) {
        bo_put_u8(p->out, ' ');
        put_name(p->out, sorted[i].name, sorted[i].count);
    }
}

/* What follows an instance's own line. */
static void put_body(struct printer *p, const struct autofdo_instance *instance, unsigned depth)
{
    for (size_t i = 0; i < instance->n_records && !p->out->status; i++) {
        const struct autofdo_record *record = &instance->records[i];
        put_place(p->out, depth, record->line, record->discriminator);
        bo_put_decimal(p->out, record->count);
        if (record->n_targets)
            put_targets(p, record);
        bo_put_u8(p->out, '\n');
    }
    for (size_t i = 0; i < instance->n_callsites && !p->out->status; i++) {
        const struct autofdo_callsite *callsite = &instance->callsites[i];
        put_place(p->out, depth, callsite->line, callsite->discriminator);
        put_name(p->out, callsite->callee.name, *p->next_total++);
        bo_put_u8(p->out, '\n');
        put_body(p, &callsite->callee, depth + 1);
    }
}

static void put_function(struct printer *p, const struct autofdo_function *function)
{
    if (function->timestamp) {
        bo_put_text(p->out, "#@ %s ", timestamp_word);
        bo_put_decimal(p->out, function->timestamp);
        bo_put_u8(p->out, '\n');
    }
    put_name(p->out, function->body.name, *p->next_total++);
    bo_put_u8(p->out, ':');
    bo_put_decimal(p->out, function->head);
    bo_put_u8(p->out, '\n');
    put_body(p, &function->body, 1);
}

static void put_files(struct bo_writer *out, const struct autofdo_model *model)
{
    for (size_t i = 0; i < model->n_files; i++) {
        const struct autofdo_file *file = &model->files[i];
        bo_put_text(out, "#@ %s ", file_word);
        bo_put_bytes(out, file->name.p, file->name.n);
        if (file->path.n)
            bo_put_u8(out, '\t');
        bo_put_bytes(out, file->path.p, file->path.n);
        bo_put_u8(out, '\n');
    }
}

/* A function and where its totals are. */
struct listed {
    const struct autofdo_function *function;
    const uint64_t *totals;
};

/* LLVM's order of functions: by descending total, then by name. */
static int compare_listed(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    if (*x->totals != *y->totals)
        return *x->totals < *y->totals ? 1 : -1;
    return autofdo_compare_functions(x->function, y->function);
}

static enum bo_status print_functions(const struct autofdo_model *model, struct bo_writer *out)
{
    uint64_t n = 0;
    for (size_t f = 0; f < model->n_functions; f++)
        n += n_instances(&model->functions[f].body);
    struct totals totals = {bo_alloc_array(out->arena, (size_t)n, sizeof *totals.of), 0};
    struct listed *listed = bo_alloc_array(out->arena, model->n_functions, sizeof *listed);
    if (!totals.of || !listed)
        return out->status = bo_fail_alloc(NULL, out->arena);
    for (size_t f = 0; f < model->n_functions; f++) {
        listed[f] = (struct listed){&model->functions[f], totals.of + totals.n};
        compute_totals(&model->functions[f].body, &totals);
    }
    qsort(listed, model->n_functions, sizeof *listed, compare_listed);
    struct printer p = {.out = out};
    for (size_t f = 0; f < model->n_functions && !out->status; f++) {
        p.next_total = listed[f].totals;
        put_function(&p, listed[f].function);
    }
    return out->status;
}

enum bo_status autofdo_print(const void *model, struct bo_writer *out, struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    put_files(out, model);
    if (!out->status)
        print_functions(model, out);
    bo_arena_rewind(out->arena, mark);
    return bo_writer_status(out, err);
}
