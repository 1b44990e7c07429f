/*
 * AutoFDO models: their rules, equality, and merging.
 */
#include "codecs/autofdo/model.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t autofdo_hash_name(struct bo_span name)
{
    return XXH3_64bits(name.p, name.n);
}

/* ---- the table of names ---------------------------------------------------------------------- */

/* Open addressing, at most half full. If hashes are equal, the names are compared. */
struct autofdo_name_slot {
    uint64_t hash;
    size_t number_plus_1; /* 0: free */
};

enum { MIN_SLOTS = 16 };

static bool make_slots(struct autofdo_name_table *table, size_t n_slots)
{
    table->slots = bo_zalloc_array(table->arena, n_slots, sizeof *table->slots);
    table->mask = n_slots - 1;
    return table->slots;
}

bool autofdo_names_init(struct autofdo_name_table *table, size_t n_names, struct bo_arena *arena)
{
    size_t n_slots = bo_first_cap(arena, MIN_SLOTS);
    n_names = bo_first_cap(arena, n_names);
    while (n_slots / 2 < n_names && n_slots <= SIZE_MAX / 2)
        n_slots *= 2;
    *table = (struct autofdo_name_table){.arena = arena};
    if (!make_slots(table, n_slots))
        return false;
    table->seed = bo_mix64((uintptr_t)table->slots);
    return true;
}

/* The slot of the name, or the free one where it belongs. */
static struct autofdo_name_slot *find_slot(const struct autofdo_name_table *table,
                                           struct bo_span name, uint64_t hash)
{
    size_t at = (size_t)hash & table->mask;
    for (; table->slots[at].number_plus_1; at = (at + 1) & table->mask)
        if (table->slots[at].hash == hash &&
            bo_span_equal(table->names[table->slots[at].number_plus_1 - 1], name))
            break;
    return &table->slots[at];
}

/* Doubles the slots; the memory of the old ones stays in the arena. */
static bool grow_slots(struct autofdo_name_table *table)
{
    const struct autofdo_name_slot *old = table->slots;
    const size_t n_old = table->mask + 1;
    if (n_old > SIZE_MAX / 2 || !make_slots(table, 2 * n_old))
        return false;
    for (size_t i = 0; i < n_old; i++) {
        if (!old[i].number_plus_1)
            continue;
        size_t at = (size_t)old[i].hash & table->mask;
        while (table->slots[at].number_plus_1)
            at = (at + 1) & table->mask;
        table->slots[at] = old[i];
    }
    return true;
}

bool autofdo_names_add(struct autofdo_name_table *table, struct bo_span name, size_t *number_ret)
{
    const uint64_t hash = XXH3_64bits_withSeed(name.p, name.n, table->seed);
    struct autofdo_name_slot *slot = find_slot(table, name, hash);
    if (slot->number_plus_1) {
        *number_ret = slot->number_plus_1 - 1;
        return true;
    }
    if (table->n >= table->mask / 2) {
        if (!grow_slots(table))
            return false;
        slot = find_slot(table, name, hash);
    }
    if (!bo_grow(table->arena, &table->names, table->n, 1, &table->cap))
        return false;
    table->names[table->n] = name;
    *number_ret = table->n++;
    *slot = (struct autofdo_name_slot){hash, table->n};
    return true;
}

bool autofdo_names_find(const struct autofdo_name_table *table, struct bo_span name,
                        size_t *number_ret)
{
    const uint64_t hash = XXH3_64bits_withSeed(name.p, name.n, table->seed);
    const struct autofdo_name_slot *slot = find_slot(table, name, hash);
    *number_ret = slot->number_plus_1 - 1;
    return slot->number_plus_1;
}

/* ---- rules of names and paths ---------------------------------------------------------------- */

/* A colon, digits and a blank in a row, which end a target in the text form. */
static bool holds_count(struct bo_span name)
{
    bool after_colon = false;
    for (size_t i = 0; i < name.n; i++) {
        const bool is_digit = name.p[i] >= '0' && name.p[i] <= '9';
        if (after_colon && name.p[i] == ' ' && name.p[i - 1] != ':')
            return true;
        after_colon = name.p[i] == ':' || (after_colon && is_digit);
    }
    return false;
}

const char *autofdo_name_flaw(struct bo_span name)
{
    if (name.n == 0)
        return "empty name";
    unsigned n_low = 0, n_blanks = 0;
    for (size_t i = 0; i < name.n; i++) {
        n_low |= name.p[i] < ' ';
        n_blanks |= name.p[i] == ' ';
    }
    if (n_low)
        return "name holds a control character";
    if (n_blanks && (name.p[0] == ' ' || name.p[name.n - 1] == ' '))
        return "name starts or ends with a blank";
    if (n_blanks && holds_count(name))
        return "name holds a colon, digits and a blank in a row";
    const uint8_t first = name.p[0];
    if ((first >= '0' && first <= '9') || first == '#' || first == '!' || first == '[' ||
        first == ':')
        return "name starts with a digit, #, !, [ or a colon";
    return NULL;
}

const char *autofdo_path_flaw(struct bo_span path)
{
    unsigned n_control = 0;
    for (size_t i = 0; i < path.n; i++)
        n_control |= path.p[i] < ' ' || path.p[i] == 0x7f;
    return n_control ? "path holds a control character" : NULL;
}

/* ---- rules of models ------------------------------------------------------------------------- */

struct checker {
    struct bo_arena *arena;
    struct bo_error *err;
    struct autofdo_name_table with_file; /* names that have a file */
    bool *is_there;                      /* such a name, in the profile */
};

static enum bo_status fail_rule(const struct checker *c, const char *what)
{
    return bo_fail(c->err, BO_CORRUPT, BO_NO_OFFSET, what);
}

static enum bo_status check_name(const struct checker *c, struct bo_span name)
{
    const char *flaw = autofdo_name_flaw(name);
    return flaw ? fail_rule(c, flaw) : BO_OK;
}

static enum bo_status check_record(const struct checker *c, const struct autofdo_record *record)
{
    if (record->line > AUTOFDO_MAX_LINE)
        return fail_rule(c, "record's line is above 65535");
    for (size_t i = 0; i < record->n_targets; i++) {
        const enum bo_status status = check_name(c, record->targets[i].name);
        if (status)
            return status;
        if (i && bo_span_compare(record->targets[i - 1].name, record->targets[i].name) >= 0)
            return fail_rule(c, "targets are not in the order of their names, each once");
    }
    return BO_OK;
}

static int compare_callsites(const struct autofdo_callsite *a, const struct autofdo_callsite *b)
{
    const uint64_t x = autofdo_place(a->line, a->discriminator);
    const uint64_t y = autofdo_place(b->line, b->discriminator);
    return x != y ? (x > y) - (x < y) : bo_span_compare(a->callee.name, b->callee.name);
}

/* depth counts the instances around this one, and itself. */
static enum bo_status check_instance(const struct checker *c,
                                     const struct autofdo_instance *instance, unsigned depth)
{
    if (depth > AUTOFDO_MAX_DEPTH)
        return fail_rule(c, "instances are nested more than 256 deep");
    enum bo_status status = check_name(c, instance->name);
    size_t number;
    if (c->with_file.n && autofdo_names_find(&c->with_file, instance->name, &number))
        c->is_there[number] = true;
    for (size_t i = 0; i < instance->n_records && !status; i++) {
        const struct autofdo_record *record = &instance->records[i];
        if (i && autofdo_place(record[-1].line, record[-1].discriminator) >=
                     autofdo_place(record->line, record->discriminator))
            return fail_rule(c, "records are not in the order of their places, each once");
        status = check_record(c, record);
    }
    for (size_t i = 0; i < instance->n_callsites && !status; i++) {
        const struct autofdo_callsite *callsite = &instance->callsites[i];
        if (callsite->line > AUTOFDO_MAX_LINE)
            return fail_rule(c, "callsite's line is above 65535");
        if (i && compare_callsites(callsite - 1, callsite) >= 0)
            return fail_rule(c, "callsites are not in the order of places and names, each once");
        status = check_instance(c, &callsite->callee, depth + 1);
    }
    return status;
}

static enum bo_status check_files(struct checker *c, const struct autofdo_model *model)
{
    if (!autofdo_names_init(&c->with_file, model->n_files, c->arena))
        return bo_fail_alloc(c->err, c->arena);
    c->is_there = bo_zalloc_array(c->arena, model->n_files, sizeof *c->is_there);
    if (!c->is_there)
        return bo_fail_alloc(c->err, c->arena);
    for (size_t i = 0; i < model->n_files; i++) {
        const struct autofdo_file *file = &model->files[i];
        const char *flaw = autofdo_path_flaw(file->path);
        size_t number;
        if (flaw)
            return fail_rule(c, flaw);
        if (i && bo_span_compare(file[-1].name, file->name) >= 0)
            return fail_rule(c, "files are not in the order of their functions' names, each once");
        if (!autofdo_names_add(&c->with_file, file->name, &number))
            return bo_fail_alloc(c->err, c->arena);
    }
    return BO_OK;
}

static enum bo_status check_model(struct checker *c, const struct autofdo_model *model)
{
    enum bo_status status = check_files(c, model);
    for (size_t f = 0; f < model->n_functions && !status; f++) {
        const struct autofdo_function *function = &model->functions[f];
        if (f && bo_span_compare(function[-1].body.name, function->body.name) >= 0)
            return fail_rule(c, "functions are not in the order of their names, each once");
        status = check_instance(c, &function->body, 1);
    }
    for (size_t i = 0; i < model->n_files && !status; i++)
        if (!c->is_there[i])
            return fail_rule(c, "file of a function that is not in the profile");
    return status;
}

enum bo_status autofdo_check_rules(const struct autofdo_model *model, struct bo_arena *arena,
                                   struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct checker c = {.arena = arena, .err = err};
    const enum bo_status status = check_model(&c, model);
    bo_arena_rewind(arena, mark);
    return status;
}

const char *autofdo_model_flaw(const struct autofdo_model *model, struct bo_arena *arena)
{
    struct bo_error error = {0};
    autofdo_check_rules(model, arena, &error);
    return error.what;
}

const struct bo_span *autofdo_path_of(const struct autofdo_model *model, struct bo_span name)
{
    size_t low = 0, high = model->n_files;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = bo_span_compare(model->files[middle].name, name);
        if (order == 0)
            return &model->files[middle].path;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- equality -------------------------------------------------------------------------------- */

static const char *differ_records(const struct autofdo_record *a, const struct autofdo_record *b)
{
    if (a->line != b->line || a->discriminator != b->discriminator)
        return "a record's place differs";
    if (a->count != b->count)
        return "a record's count differs";
    if (a->n_targets != b->n_targets)
        return "a record's number of targets differs";
    for (size_t i = 0; i < a->n_targets; i++) {
        if (!bo_span_equal(a->targets[i].name, b->targets[i].name))
            return "a target's name differs";
        if (a->targets[i].count != b->targets[i].count)
            return "a target's count differs";
    }
    return NULL;
}

static const char *differ_instances(const struct autofdo_instance *a,
                                    const struct autofdo_instance *b)
{
    const char *flaw = NULL;
    if (!bo_span_equal(a->name, b->name))
        return "the name of a function or callee differs";
    if (a->n_records != b->n_records)
        return "an instance's number of records differs";
    if (a->n_callsites != b->n_callsites)
        return "an instance's number of callsites differs";
    for (size_t i = 0; i < a->n_records && !flaw; i++)
        flaw = differ_records(&a->records[i], &b->records[i]);
    for (size_t i = 0; i < a->n_callsites && !flaw; i++) {
        const struct autofdo_callsite *x = &a->callsites[i], *y = &b->callsites[i];
        if (x->line != y->line || x->discriminator != y->discriminator)
            return "a callsite's place differs";
        flaw = differ_instances(&x->callee, &y->callee);
    }
    return flaw;
}

const char *autofdo_differ(const void *a_model, const void *b_model)
{
    const struct autofdo_model *a = a_model, *b = b_model;
    const char *flaw = NULL;
    if (a->n_functions != b->n_functions)
        return "the number of functions differs";
    for (size_t f = 0; f < a->n_functions && !flaw; f++) {
        const struct autofdo_function *x = &a->functions[f], *y = &b->functions[f];
        flaw = x->head != y->head             ? "a function's head count differs"
               : x->timestamp != y->timestamp ? "a function's timestamp differs"
                                              : differ_instances(&x->body, &y->body);
    }
    if (flaw)
        return flaw;
    if (a->n_files != b->n_files)
        return "the number of files differs";
    for (size_t i = 0; i < a->n_files; i++) {
        if (!bo_span_equal(a->files[i].name, b->files[i].name))
            return "the name of a function with a file differs";
        if (!bo_span_equal(a->files[i].path, b->files[i].path))
            return "a file's path differs";
    }
    return NULL;
}
