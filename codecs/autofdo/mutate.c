/*
 * One change of an AutoFDO model: somewhere in a function's tree, of a function, or of a file.
 *
 * Everything that contains the change is copied; the rest is shared with the old model. The changed
 * function is brought into canonical order again, so a record that moves to the place of another
 * record is added to it.
 */
#include <stdlib.h>

#include "codecs/autofdo/generate.h"
#include "codecs/autofdo/model.h"

struct mutator {
    struct bo_random *random;
    struct bo_arena *arena;
    struct bo_error *err;
    struct autofdo_function *functions; /* with room for one more */
    size_t n_functions;
    struct autofdo_file *files; /* with room for one more */
    size_t n_files;
};

static size_t random_index(struct bo_random *random, size_t n)
{
    return (size_t)(bo_random_u64(random) % n);
}

/* A copy of n elements with room for one more, or NULL. */
static void *copy_array(struct bo_arena *arena, const void *from, size_t n, size_t size)
{
    void *copy = bo_alloc_array(arena, n + 1, size);
    if (copy && n)
        memcpy(copy, from, n * size);
    return copy;
}

/* ---- changes of an instance ------------------------------------------------------------------ */

/* A new name, or one that is in the instance already; p is NULL when the arena refuses. */
static struct bo_span some_name(const struct mutator *m, const struct autofdo_instance *instance)
{
    if (bo_random_one_in(m->random, 2))
        return autofdo_random_name(m->random, false, instance->name, m->arena);
    if (instance->n_callsites)
        return instance->callsites[random_index(m->random, instance->n_callsites)].callee.name;
    return instance->name;
}

static bool change_targets(const struct mutator *m, const struct autofdo_instance *instance,
                           struct autofdo_record *record)
{
    const size_t n = record->n_targets;
    struct autofdo_target *targets = copy_array(m->arena, record->targets, n, sizeof *targets);
    if (!targets)
        return false;
    record->targets = targets;
    const uint32_t way = n ? bo_random_below(m->random, 3) : 0;
    const size_t at = n ? random_index(m->random, n) : 0;
    if (way == 0) {
        targets[n].count = autofdo_random_count(m->random);
        targets[n].name = some_name(m, instance);
        record->n_targets++;
        return targets[n].name.p;
    }
    if (way == 1)
        targets[at].count = autofdo_random_count(m->random);
    else
        targets[at] = targets[--record->n_targets];
    return true;
}

static bool change_records(const struct mutator *m, struct autofdo_instance *instance)
{
    const size_t n = instance->n_records;
    struct autofdo_record *records = copy_array(m->arena, instance->records, n, sizeof *records);
    if (!records)
        return false;
    instance->records = records;
    const uint32_t way = n ? bo_random_below(m->random, 6) : 0;
    struct autofdo_record *record = &records[n ? random_index(m->random, n) : 0];
    switch (way) {
    case 0:
        record = &records[n];
        *record = (struct autofdo_record){.line = autofdo_random_line(m->random)};
        record->discriminator = autofdo_random_discriminator(m->random);
        record->count = autofdo_random_count(m->random);
        instance->n_records++;
        return true;
    case 1:
        *record = records[--instance->n_records];
        return true;
    case 2:
        record->line = autofdo_random_line(m->random);
        return true;
    case 3:
        record->discriminator = autofdo_random_discriminator(m->random);
        return true;
    case 4:
        record->count = autofdo_random_count(m->random);
        return true;
    default:
        return change_targets(m, instance, record);
    }
}

/* Callsites are the instance's own already, with room for one more. */
static bool change_callsites(const struct mutator *m, struct autofdo_instance *instance,
                             struct autofdo_callsite *callsites)
{
    const size_t n = instance->n_callsites;
    const uint32_t way = n ? bo_random_below(m->random, 5) : 0;
    const size_t at = n ? random_index(m->random, n) : 0;
    switch (way) {
    case 0: /* a callee without anything */
        callsites[n] = (struct autofdo_callsite){.line = autofdo_random_line(m->random)};
        callsites[n].discriminator = autofdo_random_discriminator(m->random);
        callsites[n].callee.name = some_name(m, instance);
        instance->n_callsites++;
        return callsites[n].callee.name.p;
    case 1:
        callsites[at] = callsites[--instance->n_callsites];
        return true;
    case 2: /* the same subtree again, elsewhere */
        callsites[n] = callsites[at];
        callsites[n].line = autofdo_random_line(m->random);
        instance->n_callsites++;
        return true;
    case 3:
        callsites[at].discriminator = autofdo_random_discriminator(m->random);
        return true;
    default:
        callsites[at].callee.name = some_name(m, instance);
        return callsites[at].callee.name.p;
    }
}

/* Changes the instance or one inside it; depth counts the instances around it and itself. */
static bool change_instance(const struct mutator *m, struct autofdo_instance *instance,
                            unsigned depth)
{
    const size_t n = instance->n_callsites;
    struct autofdo_callsite *callsites =
        copy_array(m->arena, instance->callsites, n, sizeof *callsites);
    if (!callsites)
        return false;
    instance->callsites = callsites;
    if (n && !bo_random_one_in(m->random, 3)) {
        const size_t at = random_index(m->random, n);
        return change_instance(m, &callsites[at].callee, depth + 1);
    }
    const bool of_records = bo_random_one_in(m->random, 2);
    return of_records || depth == AUTOFDO_MAX_DEPTH ? change_records(m, instance)
                                                    : change_callsites(m, instance, callsites);
}

static enum bo_status change_body(const struct mutator *m, struct autofdo_function *function)
{
    struct autofdo_instance raw = function->body;
    const struct autofdo_instance *const part = &raw;
    uint64_t n_saturated = 0;
    if (!change_instance(m, &raw, 1))
        return bo_fail_alloc(m->err, m->arena);
    return autofdo_sum_instances(&part, 1, false, m->arena, &function->body, &n_saturated, m->err);
}

/* ---- changes of functions -------------------------------------------------------------------- */

static bool has_function(const struct mutator *m, struct bo_span name)
{
    for (size_t f = 0; f < m->n_functions; f++)
        if (bo_span_equal(m->functions[f].body.name, name))
            return true;
    return false;
}

/* A name that no function has, made longer until that is so; p is NULL when the arena refuses. */
static struct bo_span new_name(const struct mutator *m, struct bo_span before)
{
    struct bo_span name = autofdo_random_name(m->random, false, before, m->arena);
    while (name.p && has_function(m, name)) {
        uint8_t *longer = copy_array(m->arena, name.p, name.n, 1);
        if (longer)
            longer[name.n] = '_';
        name = (struct bo_span){longer, name.n + 1};
    }
    return name;
}

/* A function like another one, or an empty one. */
static bool add_function(struct mutator *m)
{
    const size_t n = m->n_functions;
    static const uint8_t none[1];
    struct autofdo_function function = {.body.name = {none, 0}};
    if (n)
        function = m->functions[random_index(m->random, n)];
    function.head = autofdo_random_count(m->random);
    function.body.name = new_name(m, function.body.name);
    m->functions[n] = function;
    m->n_functions++;
    return function.body.name.p;
}

/* ---- changes of files ------------------------------------------------------------------------ */

static bool has_file(const struct mutator *m, struct bo_span name)
{
    for (size_t i = 0; i < m->n_files; i++)
        if (bo_span_equal(m->files[i].name, name))
            return true;
    return false;
}

/* Adds a file for a function without one, changes the path of a file, or removes a file. */
static bool change_files(struct mutator *m)
{
    const struct bo_span path = autofdo_random_path(m->random, AUTOFDO_N_PATHS, m->arena);
    const uint32_t way = m->n_files ? bo_random_below(m->random, 3) : 0;
    const size_t at = m->n_files ? random_index(m->random, m->n_files) : 0;
    if (!path.p)
        return false;
    if (way == 0 && m->n_functions) {
        const size_t f = random_index(m->random, m->n_functions);
        const struct bo_span name = m->functions[f].body.name;
        if (!has_file(m, name))
            m->files[m->n_files++] = (struct autofdo_file){name, path};
    } else if (way == 1) {
        m->files[at].path = path;
    } else if (way == 2) {
        m->files[at] = m->files[--m->n_files];
    }
    return true;
}

/* Marks the files of the instance and of what it inlines. */
static void mark_files(const struct autofdo_name_table *names,
                       const struct autofdo_instance *instance, bool *is_there)
{
    size_t number;
    if (autofdo_names_find(names, instance->name, &number))
        is_there[number] = true;
    for (size_t i = 0; i < instance->n_callsites; i++)
        mark_files(names, &instance->callsites[i].callee, is_there);
}

/* Removes the files of functions that are no longer in the profile. */
static bool drop_files(struct mutator *m)
{
    struct autofdo_name_table names;
    bool *is_there = bo_zalloc_array(m->arena, m->n_files, sizeof *is_there);
    bool ok = is_there && autofdo_names_init(&names, m->n_files, m->arena);
    size_t n = 0, number;
    for (size_t i = 0; i < m->n_files && ok; i++)
        ok = autofdo_names_add(&names, m->files[i].name, &number);
    if (!ok)
        return false;
    for (size_t f = 0; f < m->n_functions; f++)
        mark_files(&names, &m->functions[f].body, is_there);
    for (size_t i = 0; i < m->n_files; i++)
        if (is_there[i])
            m->files[n++] = m->files[i];
    m->n_files = n;
    return true;
}

/* ---- one change ------------------------------------------------------------------------------ */

static enum bo_status change_model(struct mutator *m)
{
    const size_t n = m->n_functions;
    struct autofdo_function *function = &m->functions[n ? random_index(m->random, n) : 0];
    bool ok = true;
    switch (n ? bo_random_below(m->random, 12) : 0) {
    case 0:
        ok = add_function(m);
        break;
    case 1:
        *function = m->functions[--m->n_functions];
        break;
    case 2:
        function->body.name = new_name(m, function->body.name);
        ok = function->body.name.p;
        break;
    case 3:
        function->head = autofdo_random_count(m->random);
        break;
    case 4:
        function->timestamp = bo_random_u64(m->random);
        break;
    case 5:
        ok = change_files(m);
        break;
    default:
        return change_body(m, function);
    }
    return ok ? BO_OK : bo_fail_alloc(m->err, m->arena);
}

enum bo_status autofdo_mutate(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                              void **model_ret, struct bo_error *err)
{
    const struct autofdo_model *old = opaque;
    struct autofdo_model *model = bo_alloc(arena, sizeof *model);
    struct mutator m = {
        .random = random,
        .arena = arena,
        .err = err,
        .functions = copy_array(arena, old->functions, old->n_functions, sizeof *old->functions),
        .n_functions = old->n_functions,
        .files = copy_array(arena, old->files, old->n_files, sizeof *old->files),
        .n_files = old->n_files,
    };
    if (!model || !m.functions || !m.files)
        return bo_fail_alloc(err, arena);
    const enum bo_status status = change_model(&m);
    if (status)
        return status;
    if (!drop_files(&m))
        return bo_fail_alloc(err, arena);
    qsort(m.functions, m.n_functions, sizeof *m.functions, autofdo_compare_functions);
    qsort(m.files, m.n_files, sizeof *m.files, autofdo_compare_files);
    *model = (struct autofdo_model){m.n_functions, m.functions, m.n_files, m.files};
    *model_ret = model;
    return BO_OK;
}
