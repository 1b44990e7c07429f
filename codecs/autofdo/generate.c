/*
 * Random AutoFDO models.
 *
 * Shapes follow real profiles roughly (half of the records zero, long tails, most discriminators 0,
 * few targets, the same inlined subtrees again and again, lines that wrap), and favour values at
 * which encodings fail: counts up to 2^64 - 1, discriminators of 32 bits that collide when they are
 * folded, instances as deep as the model allows.
 *
 * Each draw is a statement of its own: C leaves the order of evaluation inside an expression to the
 * compiler, and the same seed must give the same model everywhere.
 */
#include "codecs/autofdo/generate.h"

#include <stdlib.h>

#include "codecs/autofdo/model.h"

/* ---- numbers --------------------------------------------------------------------------------- */

/* Numbers at which widths change. */
static uint64_t strange_number(struct bo_random *r)
{
    static const unsigned widths[] = {7, 8, 14, 16, 21, 28, 31, 32, 35, 42, 49, 56, 63, 64, 0, 1};
    const uint32_t w = bo_random_below(r, sizeof widths / sizeof *widths);
    const uint64_t power = widths[w] < 64 ? UINT64_C(1) << widths[w] : 0;
    const uint32_t minus = bo_random_below(r, 2);
    return power - minus;
}

uint64_t autofdo_random_count(struct bo_random *r)
{
    const uint32_t class = bo_random_below(r, 16);
    if (class < 8)
        return 0;
    if (class == 15 && bo_random_one_in(r, bo_random_strangeness(r)))
        return strange_number(r);
    const uint32_t a = bo_random_below(r, 28);
    const uint32_t b = bo_random_below(r, 28);
    const uint64_t bits = bo_random_u32(r);
    return 1 + (bits & ((UINT64_C(1) << (a < b ? a : b)) - 1));
}

uint32_t autofdo_random_line(struct bo_random *r)
{
    const uint32_t class = bo_random_below(r, 64);
    if (class < 56)
        return bo_random_below(r, 64);
    if (class < 62)
        return bo_random_below(r, 2000);
    const uint32_t before = bo_random_below(r, 300);
    return class == 62 ? AUTOFDO_MAX_LINE - before : bo_random_below(r, AUTOFDO_MAX_LINE + 1);
}

uint32_t autofdo_random_discriminator(struct bo_random *r)
{
    const uint32_t class = bo_random_below(r, 64);
    if (class < 48)
        return 0;
    if (class < 62)
        return 1 + bo_random_below(r, 24);
    if (class == 62)
        return bo_random_u32(r);
    const uint32_t low = bo_random_below(r, 4);
    const uint32_t high = bo_random_below(r, 4);
    return high << 16 | low;
}

/* ---- a profile being made -------------------------------------------------------------------- */

/* A finished subtree that may occur again. */
struct subtree {
    struct autofdo_instance instance;
    unsigned height; /* instances from its root down, the root counted */
    size_t n_instances;
    size_t long_nbytes; /* of its long names, at every occurrence */
};

enum {
    N_SUBTREES = 32,
    MAX_FUNCTION_INSTANCES = 400,
    /* Texts repeat a name at each use: a name of 64 KiB in a hundred places is 25 MB of escapes. */
    LONG_NAME = 1024,
    MAX_LONG_NBYTES = 1 << 20,
};

struct profile {
    struct bo_random *random;
    struct bo_arena *arena;
    struct autofdo_function *functions;
    size_t n, cap;
    struct autofdo_name_table names;   /* all so far */
    struct autofdo_name_table defined; /* those of functions and callees */
    struct autofdo_name_table own;     /* those of functions */
    struct subtree subtrees[N_SUBTREES];
    size_t n_subtrees;
    bool is_c, has_timestamps;
    uint32_t n_paths;        /* 0: no files */
    uint32_t max_records;    /* of an instance, mostly */
    size_t n_instances_left; /* that this function may still have */
    size_t long_nbytes;      /* of long names so far, at every occurrence */
};

static size_t long_nbytes_of(struct bo_span name)
{
    return name.n < LONG_NAME ? 0 : name.n;
}

/* Whether names of so many bytes, all long, may be added. */
static bool has_room(const struct profile *profile, size_t long_nbytes)
{
    return !long_nbytes || profile->long_nbytes + long_nbytes <= MAX_LONG_NBYTES;
}

/* A new name, or (mostly) one that has been seen. */
static bool pick_name(struct profile *profile, bool is_new, struct bo_span *name_ret)
{
    struct bo_random *r = profile->random;
    const size_t n = profile->names.n;
    is_new |= bo_random_one_in(r, 4);
    if (!is_new && n) {
        const uint32_t a = bo_random_below(r, (uint32_t)n);
        const uint32_t b = bo_random_below(r, (uint32_t)n);
        *name_ret = profile->names.names[a < b ? a : b];
        if (has_room(profile, long_nbytes_of(*name_ret))) {
            profile->long_nbytes += long_nbytes_of(*name_ret);
            return true;
        }
    }
    const struct bo_span none = {NULL, 0}, before = n ? profile->names.names[n - 1] : none;
    size_t number;
    *name_ret = autofdo_random_name(r, profile->is_c, before, profile->arena);
    profile->long_nbytes += long_nbytes_of(*name_ret);
    return name_ret->p && autofdo_names_add(&profile->names, *name_ret, &number);
}

static bool fill_targets(struct profile *profile, struct autofdo_record *record)
{
    struct bo_random *r = profile->random;
    const size_t n = 1 + bo_random_below(r, bo_random_one_in(r, 32) ? 40 : 3);
    struct autofdo_target *targets = bo_alloc_array(profile->arena, n, sizeof *targets);
    if (!targets)
        return false;
    for (size_t i = 0; i < n; i++) {
        targets[i].count = autofdo_random_count(r);
        if (!pick_name(profile, false, &targets[i].name))
            return false;
    }
    record->targets = targets;
    record->n_targets = n;
    return true;
}

static bool fill_records(struct profile *profile, struct autofdo_instance *instance)
{
    struct bo_random *r = profile->random;
    const uint32_t max = bo_random_one_in(r, 16) ? 8 * profile->max_records : profile->max_records;
    const size_t n = bo_random_below(r, max + 1);
    struct autofdo_record *records = bo_zalloc_array(profile->arena, n, sizeof *records);
    if (!records)
        return false;
    instance->records = records;
    for (; instance->n_records < n && !bo_random_exhausted(r); instance->n_records++) {
        struct autofdo_record *record = &records[instance->n_records];
        record->line = autofdo_random_line(r);
        record->discriminator = autofdo_random_discriminator(r);
        record->count = autofdo_random_count(r);
        if (bo_random_one_in(r, 12) && !fill_targets(profile, record))
            return false;
    }
    return true;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Keeps the subtree for later reuse. */
static void keep_subtree(struct profile *profile, const struct subtree *subtree)
{
    const uint32_t old = bo_random_below(profile->random, N_SUBTREES);
    const size_t at = profile->n_subtrees < N_SUBTREES ? profile->n_subtrees++ : old;
    profile->subtrees[at] = *subtree;
}

/* A subtree seen before that fits into this depth and what is left; NULL when none fits. */
static const struct subtree *pick_subtree(const struct profile *profile, unsigned depth)
{
    if (!profile->n_subtrees || !bo_random_one_in(profile->random, 2))
        return NULL;
    const uint32_t i = bo_random_below(profile->random, (uint32_t)profile->n_subtrees);
    const struct subtree *subtree = &profile->subtrees[i];
    const bool fits = subtree->height <= AUTOFDO_MAX_DEPTH + 1 - depth &&
                      subtree->n_instances <= profile->n_instances_left &&
                      has_room(profile, subtree->long_nbytes);
    return fits ? subtree : NULL;
}

static bool make_callee(struct profile *profile, unsigned depth, struct subtree *callee);

/* Puts callees into a tree whose records are there; the tree's height and size grow with them. */
static bool fill_callsites(struct profile *profile, unsigned depth, size_t n, struct subtree *tree)
{
    struct bo_random *r = profile->random;
    struct autofdo_callsite *callsites = bo_zalloc_array(profile->arena, n, sizeof *callsites);
    if (!callsites)
        return false;
    tree->instance.callsites = callsites;
    for (size_t i = 0; i < n && profile->n_instances_left && !bo_random_exhausted(r); i++) {
        struct subtree callee;
        if (!make_callee(profile, depth + 1, &callee))
            return false;
        callsites[i].line = autofdo_random_line(r);
        callsites[i].discriminator = autofdo_random_discriminator(r);
        callsites[i].callee = callee.instance;
        tree->instance.n_callsites++;
        tree->n_instances += callee.n_instances;
        tree->height = callee.height >= tree->height ? callee.height + 1 : tree->height;
    }
    return true;
}

/* depth counts the instances around the callee and itself. */
static bool make_callee(struct profile *profile, unsigned depth, struct subtree *callee)
{
    struct bo_random *r = profile->random;
    const struct subtree *again = pick_subtree(profile, depth);
    if (again) {
        *callee = *again;
        profile->n_instances_left -= again->n_instances;
        profile->long_nbytes += again->long_nbytes;
        return true;
    }
    size_t number;
    const size_t long_before = profile->long_nbytes;
    *callee = (struct subtree){.height = 1, .n_instances = 1};
    profile->n_instances_left--;
    if (!pick_name(profile, false, &callee->instance.name) ||
        !autofdo_names_add(&profile->defined, callee->instance.name, &number) ||
        !fill_records(profile, &callee->instance))
        return false;
    const uint32_t n = bo_random_below(r, 16) < 7 ? 1 + bo_random_below(r, 3) : 0;
    if (depth < AUTOFDO_MAX_DEPTH && n && !fill_callsites(profile, depth, n, callee))
        return false;
    callee->long_nbytes = profile->long_nbytes - long_before;
    keep_subtree(profile, callee);
    return true;
}

/* Puts an instance of the same name around the tree. */
static bool wrap(struct profile *profile, struct subtree *tree)
{
    struct autofdo_callsite *callsite = bo_zalloc_array(profile->arena, 1, sizeof *callsite);
    if (!callsite)
        return false;
    callsite->line = autofdo_random_line(profile->random);
    callsite->callee = tree->instance;
    tree->instance.n_records = 0;
    tree->instance.n_callsites = 1;
    tree->instance.callsites = callsite;
    tree->height++;
    profile->long_nbytes += long_nbytes_of(tree->instance.name);
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The function's tree, not in order yet. */
static bool make_body(struct profile *profile, struct bo_span name, struct subtree *body)
{
    struct bo_random *r = profile->random;
    *body = (struct subtree){.instance.name = name, .height = 1, .n_instances = 1};
    profile->n_instances_left = bo_random_one_in(r, 16) ? MAX_FUNCTION_INSTANCES : 24;
    if (!fill_records(profile, &body->instance))
        return false;
    const uint32_t n = bo_random_below(r, 6);
    if (n && !fill_callsites(profile, 1, n, body))
        return false;
    if (!bo_random_one_in(r, 4 * bo_random_strangeness(r)))
        return true;
    const bool is_deepest = bo_random_one_in(r, 4);
    const uint32_t n_left = is_deepest ? 0 : bo_random_below(r, 200);
    while (body->height < AUTOFDO_MAX_DEPTH - n_left && has_room(profile, long_nbytes_of(name)))
        if (!wrap(profile, body))
            return false;
    return true;
}

/* False when the arena refuses. A name that another function has makes no function. */
static bool add_function(struct profile *profile, struct bo_error *err)
{
    struct bo_random *r = profile->random;
    struct bo_span name;
    size_t number, again;
    const size_t n_own = profile->own.n;
    if (!pick_name(profile, true, &name) || !autofdo_names_add(&profile->own, name, &number))
        return false;
    if (number < n_own)
        return true;
    struct subtree body;
    if (!bo_grow(profile->arena, &profile->functions, profile->n, 1, &profile->cap) ||
        !autofdo_names_add(&profile->defined, name, &again) || !make_body(profile, name, &body))
        return false;
    struct autofdo_function *function = &profile->functions[profile->n++];
    const struct autofdo_instance *const part = &body.instance;
    uint64_t n_saturated = 0;
    *function = (struct autofdo_function){.head = autofdo_random_count(r)};
    if (profile->has_timestamps && !bo_random_one_in(r, 16))
        function->timestamp =
            bo_random_one_in(r, bo_random_strangeness(r)) ? strange_number(r) : bo_random_u32(r);
    return autofdo_sum_instances(&part, 1, false, profile->arena, &function->body, &n_saturated,
                                 err) == BO_OK;
}

/* False when the arena refuses. */
static bool add_extreme_function(struct profile *profile, struct bo_random *aside)
{
    struct autofdo_instance body;
    size_t number;
    if (!bo_grow(profile->arena, &profile->functions, profile->n, 1, &profile->cap) ||
        !autofdo_extreme_body(aside, profile->arena, &body) ||
        !autofdo_names_add(&profile->own, body.name, &number) ||
        !autofdo_names_add(&profile->defined, body.name, &number))
        return false;
    profile->functions[profile->n++] = (struct autofdo_function){.body = body};
    return true;
}

/* Files for most functions and callees. */
static bool make_files(const struct profile *profile, struct autofdo_model *model)
{
    struct bo_random *r = profile->random;
    const size_t n = profile->n_paths ? profile->defined.n : 0;
    struct autofdo_file *files = bo_alloc_array(profile->arena, n, sizeof *files);
    size_t n_files = 0;
    if (!files)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (bo_random_one_in(r, 8))
            continue;
        struct autofdo_file *file = &files[n_files++];
        file->name = profile->defined.names[i];
        file->path = autofdo_random_path(r, profile->n_paths, profile->arena);
        if (!file->path.p)
            return false;
    }
    qsort(files, n_files, sizeof *files, autofdo_compare_files);
    model->files = files;
    model->n_files = n_files;
    return true;
}

static bool start_profile(struct profile *profile, struct bo_random *random, struct bo_arena *arena)
{
    *profile = (struct profile){.random = random, .arena = arena};
    profile->is_c = bo_random_one_in(random, 3);
    profile->has_timestamps = bo_random_one_in(random, 2);
    if (bo_random_one_in(random, 2))
        profile->n_paths = 1 + bo_random_below(random, AUTOFDO_N_PATHS);
    profile->max_records = 1 + bo_random_below(random, 8);
    return autofdo_names_init(&profile->names, 0, arena) &&
           autofdo_names_init(&profile->defined, 0, arena) &&
           autofdo_names_init(&profile->own, 0, arena);
}

enum bo_status autofdo_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                                void **model_ret, struct bo_error *err)
{
    struct profile profile;
    struct bo_random aside;
    const bool is_extreme = bo_random_extreme(random, &aside) && scale;
    struct autofdo_model *model = bo_alloc(arena, sizeof *model);
    if (!model || !start_profile(&profile, random, arena) ||
        (is_extreme && !add_extreme_function(&profile, &aside)))
        return bo_fail_alloc(err, arena);
    for (size_t i = is_extreme; i < scale && !bo_random_exhausted(random); i++)
        if (!add_function(&profile, err))
            return bo_fail_alloc(err, arena);
    if (profile.n)
        qsort(profile.functions, profile.n, sizeof *profile.functions, autofdo_compare_functions);
    *model = (struct autofdo_model){.n_functions = profile.n, .functions = profile.functions};
    if (!make_files(&profile, model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}
