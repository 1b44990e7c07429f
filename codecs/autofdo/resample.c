/*
 * Profiles with any number of functions, drawn from a real profile.
 *
 * The real functions are repeated; each repetition represents another program. In a repetition,
 * rare words in all names and paths are replaced (harness/names/renaming.h), and the counts of each
 * function are multiplied by one number between 4/5 and 5/4, so that equal counts stay equal. From
 * the last (or only) repetition, the required number of functions is taken, evenly spaced. Lines,
 * and how functions are inlined, are not changed.
 */
#include "codecs/autofdo/resample.h"

#include <stdlib.h>

#include "codecs/autofdo/model.h"
#include "harness/names/renaming.h"

struct program {
    const struct autofdo_model *like;
    struct bo_random *random;
    struct bo_arena *arena;
    struct bo_error *err;
    struct bo_renaming renaming;
    struct bo_texts taken; /* names of functions */
    uint64_t factor;       /* of the function's counts, over 2^16 */
};

/* ---- names ----------------------------------------------------------------------------------- */

static bool learn(struct program *program, const struct autofdo_instance *instance, size_t *n)
{
    bool ok = bo_renaming_learn(&program->renaming, instance->name);
    ++*n;
    for (size_t i = 0; i < instance->n_callsites && ok; i++)
        ok = learn(program, &instance->callsites[i].callee, n);
    return ok;
}

static bool learn_all(struct program *program)
{
    const struct autofdo_model *like = program->like;
    size_t n = 0;
    for (size_t i = 0; i < like->n_functions; i++)
        if (!learn(program, &like->functions[i].body, &n))
            return false;
    return bo_renaming_begin(&program->renaming, n);
}

static bool rename_it(struct program *program, struct bo_span *name)
{
    return bo_rename(&program->renaming, *name, name);
}

/*
 * No two functions have the same name: if a name is taken already, a number is appended, as
 * compilers do for copies of functions.
 */
static bool make_unique(struct program *program, struct bo_span *name)
{
    const uint32_t before = program->taken.n;
    uint32_t number;
    if (!bo_texts_add(&program->taken, *name, &number))
        return false;
    for (uint32_t i = 0; program->taken.n == before; i++) {
        struct bo_writer text;
        bo_writer_init(&text, program->arena);
        bo_put_text(&text, "%.*s.part.%u", (int)name->n, (const char *)name->p, (unsigned)i);
        const bool ok = bo_writer_status(&text, NULL) == BO_OK &&
                        bo_texts_add(&program->taken, bo_writer_span(&text), &number);
        bo_writer_free(&text);
        if (!ok)
            return false;
        if (program->taken.n > before)
            *name = program->taken.texts[number];
    }
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Counts above 0 stay above 0. */
static uint64_t scaled(const struct program *program, uint64_t count)
{
    const uint64_t v = (count >> 16) * program->factor + ((count & 0xffff) * program->factor >> 16);
    return count && v == 0 ? 1 : v;
}

static bool copy_targets(struct program *program, struct autofdo_record *record)
{
    struct autofdo_target *targets =
        bo_alloc_array(program->arena, record->n_targets + 1, sizeof *targets);
    if (!targets)
        return false;
    for (size_t i = 0; i < record->n_targets; i++) {
        targets[i] = record->targets[i];
        targets[i].count = scaled(program, targets[i].count);
        if (!rename_it(program, &targets[i].name))
            return false;
    }
    record->targets = targets;
    return true;
}

/* With new names, in the old order. */
static bool copy_instance(struct program *program, const struct autofdo_instance *from,
                          struct autofdo_instance *to)
{
    struct autofdo_record *records =
        bo_alloc_array(program->arena, from->n_records + 1, sizeof *records);
    struct autofdo_callsite *callsites =
        bo_alloc_array(program->arena, from->n_callsites + 1, sizeof *callsites);
    if (!records || !callsites)
        return false;
    *to = *from;
    to->records = records;
    to->callsites = callsites;
    for (size_t i = 0; i < from->n_records; i++) {
        records[i] = from->records[i];
        records[i].count = scaled(program, records[i].count);
        if (!copy_targets(program, &records[i]))
            return false;
    }
    for (size_t i = 0; i < from->n_callsites; i++) {
        callsites[i] = from->callsites[i];
        if (!copy_instance(program, &from->callsites[i].callee, &callsites[i].callee))
            return false;
    }
    return rename_it(program, &to->name);
}

static enum bo_status draw_function(struct program *program, size_t real,
                                    struct autofdo_function *to)
{
    struct autofdo_instance copy;
    const struct autofdo_instance *parts[] = {&copy};
    uint64_t n_saturated = 0;
    const struct autofdo_function *from = &program->like->functions[real];
    program->factor = 52429 + bo_random_below(program->random, 81920 - 52429);
    if (!copy_instance(program, &from->body, &copy))
        return bo_fail_alloc(program->err, program->arena);
    *to = (struct autofdo_function){scaled(program, from->head), from->timestamp, {.n_records = 0}};
    const enum bo_status status = autofdo_sum_instances(parts, 1, false, program->arena, &to->body,
                                                        &n_saturated, program->err);
    if (status)
        return status;
    return make_unique(program, &to->body.name) ? BO_OK
                                                : bo_fail_alloc(program->err, program->arena);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool add_files(struct program *program, struct autofdo_file *files, size_t *n)
{
    for (size_t i = 0; i < program->like->n_files; i++) {
        struct autofdo_file *file = &files[*n];
        *file = program->like->files[i];
        if (!rename_it(program, &file->name) || !rename_it(program, &file->path))
            return false;
        ++*n;
    }
    return true;
}

static bool note_names(const struct autofdo_instance *instance, struct bo_texts *names)
{
    uint32_t number;
    bool ok = bo_texts_add(names, instance->name, &number);
    for (size_t i = 0; i < instance->n_callsites && ok; i++)
        ok = note_names(&instance->callsites[i].callee, names);
    return ok;
}

/* Sorts files; keeps one for each name, of names in the profile. */
static bool tidy_files(const struct autofdo_model *model, struct autofdo_file *files, size_t *n,
                       struct bo_arena *arena)
{
    struct bo_texts names;
    size_t kept = 0;
    if (!bo_texts_init(&names, false, arena))
        return false;
    for (size_t i = 0; i < model->n_functions; i++)
        if (!note_names(&model->functions[i].body, &names))
            return false;
    qsort(files, *n, sizeof *files, autofdo_compare_files);
    for (size_t i = 0; i < *n; i++)
        if (bo_texts_find(&names, files[i].name) != BO_NO_TEXT &&
            (kept == 0 || !bo_span_equal(files[kept - 1].name, files[i].name)))
            files[kept++] = files[i];
    *n = kept;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum bo_status draw(struct program *program, size_t n_wanted,
                           struct autofdo_function *functions, struct autofdo_file *files,
                           struct autofdo_model *model)
{
    const size_t n_like = program->like->n_functions;
    while (model->n_functions < n_wanted) {
        const size_t left = n_wanted - model->n_functions, n = left < n_like ? left : n_like;
        bo_renaming_next(&program->renaming);
        for (size_t i = 0; i < n; i++) {
            const enum bo_status status =
                draw_function(program, i * n_like / n, &functions[model->n_functions]);
            if (status)
                return status;
            model->n_functions++;
        }
        if (!add_files(program, files, &model->n_files))
            return bo_fail_alloc(program->err, program->arena);
    }
    model->functions = functions;
    model->files = files;
    qsort(functions, model->n_functions, sizeof *functions, autofdo_compare_functions);
    return tidy_files(model, files, &model->n_files, program->arena)
               ? BO_OK
               : bo_fail_alloc(program->err, program->arena);
}

enum bo_status autofdo_resample(const void *like, size_t n_units, struct bo_random *random,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct program program = {.like = like, .random = random, .arena = arena, .err = err};
    if (program.like->n_functions == 0)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "profile has no functions to draw from");
    const size_t n_programs = n_units / program.like->n_functions + 1;
    struct autofdo_model *model = bo_zalloc_array(arena, 1, sizeof *model);
    struct autofdo_function *functions = bo_alloc_array(arena, n_units + 1, sizeof *functions);
    struct autofdo_file *files =
        bo_alloc_array(arena, n_programs * program.like->n_files + 1, sizeof *files);
    if (!model || !functions || !files || !bo_texts_init(&program.taken, true, arena) ||
        !bo_renaming_init(&program.renaming, random, arena) || !learn_all(&program))
        return bo_fail_alloc(err, arena);
    const enum bo_status status = draw(&program, n_units, functions, files, model);
    if (!status)
        *model_ret = model;
    return status;
}
