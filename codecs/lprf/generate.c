/*
 * Random LPRF models: generated, or derived from another model by one change.
 *
 * Shapes follow real profiles roughly (names of C and mangled names of C++ that share prefixes;
 * most functions of C++ with one counter; few distinct hashes; many zeros, long tails). Cases in
 * which encodings may have bugs are frequent: names that are prefixes of others, any bytes in
 * names, counters up to 2^64-1.
 *
 * Each draw is a statement of its own: C leaves the order of evaluation inside an expression to the
 * compiler, and the same seed must give the same model everywhere.
 */
#include "codecs/lprf/generate.h"

#include <stdlib.h>

#include "codecs/lprf/model.h"
#include "harness/names/name_source.h"

/* ---- a profile being made -------------------------------------------------------------------- */

/* Clang hashes the control flow, so equal hashes mostly have equal numbers of counters. */
struct shape {
    uint64_t hash;
    size_t n_counters;
};

enum { N_SHAPES = 512 };

struct profile {
    struct bo_random *random;
    struct bo_arena *arena;
    struct lprf_function *functions;
    size_t n, cap;
    struct lprf_key_table keys;
    struct shape shapes[N_SHAPES]; /* seen; the first two are those of most functions of C++ */
    size_t n_shapes;
    bool is_c;           /* else C++ */
    uint32_t dead_of_16; /* functions that never ran */
};

/* ---- names ----------------------------------------------------------------------------------- */

/* Half of the functions of a C file are static: their names begin with the file's. */
static void put_c_name(struct bo_draft *d, struct bo_random *r)
{
    static const char *const files[] = {"", "sqlite3.c:", "shell.c:", "lex.c:"};
    BO_DRAFT_ONE_OF(d, r, files);
    bo_draft_identifier(d, r, true);
}

/* Names that a plain line of a text form cannot represent, or that a parser may misread. */
static const char *const strange_names[] = {
    "123", "-1", "+18446744073709551615", "#f",   ":ir",   "\"f\"",    "a\\b",
    " f ", "\t", "-[Foo bar:]",           "a\nb", "a\r\n", "\xff\xfe", "\xc3\xa9"};

static void draft_name(const struct profile *profile, struct bo_draft *d)
{
    struct bo_random *r = profile->random;
    const struct bo_span none = {NULL, 0};
    const struct bo_span before = profile->n ? profile->functions[profile->n - 1].name : none;
    d->n = 0;
    const bool strange = bo_random_one_in(r, bo_random_strangeness(r));
    const uint32_t class = bo_random_below(r, 256);
    if (strange)
        bo_draft_strange_name(d, r, before, strange_names,
                              sizeof strange_names / sizeof *strange_names);
    else if (class == 255 && before.n)
        bo_draft_bytes(d, before.p, before.n); /* the same name; the hashes differ */
    else if (class >= 128 && before.n)
        bo_draft_related_name(d, r, before);
    else if (profile->is_c)
        put_c_name(d, r);
    else
        bo_draft_cxx_name(d, r);
    if (d->n == 0)
        bo_draft_text(d, "f");
}

/* ---- hashes and counters --------------------------------------------------------------------- */

static size_t random_n_counters(const struct profile *profile)
{
    struct bo_random *r = profile->random;
    const uint32_t class = bo_random_below(r, 64);
    if (class < (profile->is_c ? 14 : 40))
        return 1;
    if (class < (profile->is_c ? 50 : 60))
        return 1 + bo_random_below(r, 8);
    if (class < 63)
        return 1 + bo_random_below(r, 40);
    return 1 + bo_random_below(r, 600);
}

/* Six bits for each branch while they fit, as clang makes them; then all 64. */
static uint64_t random_hash(struct bo_random *r, size_t n_counters)
{
    const uint64_t bits = bo_random_u64(r);
    return n_counters < 10 ? bits >> (64 - 6 * n_counters) : bits;
}

/* Mostly one that has been seen. */
static struct shape random_shape(struct profile *profile)
{
    struct bo_random *r = profile->random;
    const uint32_t class = bo_random_below(r, 32);
    if (class < (profile->is_c ? 5 : 26))
        return profile->shapes[class % 3 == 2];
    if (class < (profile->is_c ? 16 : 29)) {
        const uint32_t i = bo_random_below(r, (uint32_t)profile->n_shapes);
        return profile->shapes[i];
    }
    struct shape shape;
    shape.n_counters = random_n_counters(profile);
    shape.hash = random_hash(r, shape.n_counters);
    const size_t at =
        profile->n_shapes < N_SHAPES ? profile->n_shapes++ : 2 + bo_random_below(r, N_SHAPES - 2);
    profile->shapes[at] = shape;
    return shape;
}

uint64_t lprf_random_count(struct bo_random *r)
{
    const uint32_t a = bo_random_below(r, 28);
    const uint32_t b = bo_random_below(r, 28);
    const uint64_t bits = bo_random_u64(r);
    return 1 + (bits & ((UINT64_C(1) << (a < b ? a : b)) - 1));
}

/* Counters at which widths change. */
static uint64_t strange_count(struct bo_random *r)
{
    static const unsigned widths[] = {7, 8, 14, 16, 21, 28, 31, 32, 35, 42, 49, 56, 63, 64, 0, 1};
    const uint32_t w = bo_random_below(r, sizeof widths / sizeof *widths);
    const uint64_t power = widths[w] < 64 ? UINT64_C(1) << widths[w] : 0;
    const uint32_t minus = bo_random_below(r, 2);
    return power - minus;
}

/* The function's own counter first; those of its branches are rarely above it. */
static uint64_t branch_count(struct bo_random *r, uint64_t own)
{
    const uint32_t class = bo_random_below(r, 16);
    if (class < 6)
        return 0;
    if (class < 9)
        return own;
    if (class == 15)
        return own + (own >> 1) * bo_random_below(r, 64);
    return own >> bo_random_below(r, 8);
}

static bool fill_counters(const struct profile *profile, struct lprf_function *function)
{
    struct bo_random *r = profile->random;
    const size_t n = function->n_counters;
    uint64_t *counters = bo_zalloc_array(profile->arena, n, sizeof *counters);
    if (!counters)
        return false;
    function->counters = counters;
    if (bo_random_below(r, 16) < profile->dead_of_16)
        return true;
    const bool strange = bo_random_one_in(r, bo_random_strangeness(r));
    counters[0] = strange ? strange_count(r) : lprf_random_count(r);
    for (size_t i = 1; i < n && !bo_random_exhausted(r); i++)
        counters[i] = strange ? strange_count(r) : branch_count(r, counters[0]);
    return true;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A function without its counters. Its key is not always new. False when the arena refuses. */
static bool draft_function(struct profile *profile, struct lprf_function *function)
{
    struct bo_draft name;
    draft_name(profile, &name);
    const struct shape shape = random_shape(profile);
    const bool other_number = bo_random_one_in(profile->random, 256);
    uint8_t *p = bo_alloc(profile->arena, name.n);
    if (!p)
        return false;
    memcpy(p, name.p, name.n);
    *function = (struct lprf_function){
        .name = {p, name.n}, .hash = shape.hash, .n_counters = shape.n_counters + other_number};
    return true;
}

static bool add_function(struct profile *profile)
{
    struct lprf_function function;
    if (!bo_grow(profile->arena, &profile->functions, profile->n, 1, &profile->cap) ||
        !draft_function(profile, &function))
        return false;
    size_t number;
    for (;; function.hash++) { /* until the key is new */
        if (!lprf_keys_add(&profile->keys, profile->functions, &function, &number))
            return false;
        if (number == profile->n)
            break;
    }
    if (!fill_counters(profile, &function))
        return false;
    profile->functions[profile->n++] = function;
    return true;
}

static bool start_profile(struct profile *profile, struct bo_random *random, struct bo_arena *arena)
{
    *profile = (struct profile){.random = random, .arena = arena, .n_shapes = 2};
    profile->shapes[0] = (struct shape){24, 1};
    profile->shapes[1] = (struct shape){0, 1};
    profile->is_c = bo_random_one_in(random, 3);
    profile->dead_of_16 = 2 + bo_random_below(random, 9);
    return lprf_keys_init(&profile->keys, 0, arena);
}

/* False when the arena refuses. */
static bool add_extreme_functions(struct profile *profile, struct bo_random *aside)
{
    struct lprf_functions added;
    size_t number;
    if (!lprf_extreme_functions(aside, profile->arena, &added) ||
        !bo_grow(profile->arena, &profile->functions, profile->n, added.n, &profile->cap))
        return false;
    for (size_t i = 0; i < added.n; i++, profile->n++) {
        profile->functions[profile->n] = added.p[i];
        if (!lprf_keys_add(&profile->keys, profile->functions, &added.p[i], &number))
            return false;
    }
    return true;
}

/* ---- file order ------------------------------------------------------------------------------ */

/* As llvm-profdata writes: by name, then by hash. */
static int compare_keys(const void *a, const void *b)
{
    const struct lprf_function *x = a, *y = b;
    const int order = bo_span_compare(x->name, y->name);
    return order ? order : (x->hash > y->hash) - (x->hash < y->hash);
}

static void shuffle(struct lprf_function *functions, size_t n, struct bo_random *random)
{
    for (size_t i = n; i > 1; i--) {
        const size_t j = bo_random_index(random, i);
        const struct lprf_function moved = functions[i - 1];
        functions[i - 1] = functions[j];
        functions[j] = moved;
    }
}

enum bo_status lprf_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct profile profile;
    struct bo_random aside;
    const bool is_extreme = bo_random_extreme_seeded(random, &aside) && scale;
    struct lprf_model *model = bo_alloc(arena, sizeof *model);
    if (!model || !start_profile(&profile, random, arena) ||
        (is_extreme && !add_extreme_functions(&profile, &aside)))
        return bo_fail_alloc(err, arena);
    const uint32_t order = bo_random_below(random, 3);
    const size_t n_functions = profile.n + scale;
    while (profile.n < n_functions && !bo_random_exhausted(random))
        if (!add_function(&profile))
            return bo_fail_alloc(err, arena);
    if (order == 1 && profile.n)
        qsort(profile.functions, profile.n, sizeof *profile.functions, compare_keys);
    else if (order == 2)
        shuffle(profile.functions, profile.n, random);
    *model = (struct lprf_model){profile.n, profile.functions};
    *model_ret = model;
    return BO_OK;
}

/* ---- one change ------------------------------------------------------------------------------ */

/* Raises the hash of function f until no other function has its key. */
static void make_key_new(struct lprf_function *functions, size_t n, size_t f)
{
    for (size_t i = 0; i < n; i++) {
        if (i == f || compare_keys(&functions[i], &functions[f]) != 0)
            continue;
        functions[f].hash++;
        i = SIZE_MAX; /* from the start again */
    }
}

/* Adds a random function at place f. */
static bool replace_function(struct lprf_function *functions, size_t f, struct bo_random *random,
                             struct bo_arena *arena)
{
    struct profile profile;
    if (!start_profile(&profile, random, arena) || !add_function(&profile))
        return false;
    functions[f] = profile.functions[0];
    return true;
}

static bool rename_function(struct lprf_function *function, struct bo_random *random,
                            struct bo_arena *arena)
{
    const size_t n = function->name.n;
    uint8_t *p = bo_alloc(arena, n + 1);
    if (!p)
        return false;
    memcpy(p, function->name.p, n);
    const uint32_t way = bo_random_below(random, 3);
    const size_t at = bo_random_index(random, n);
    if (way < 2)
        p[way ? n : at] = bo_random_u8(random);
    function->name = (struct bo_span){p, way == 0 ? n : way == 1 ? n + 1 : n > 1 ? n - 1 : 1};
    return true;
}

/* A copy of the counters, `more` longer (which may be -1), with one random counter. */
static bool change_counters(struct lprf_function *function, int more, struct bo_random *random,
                            struct bo_arena *arena)
{
    const size_t n = function->n_counters;
    uint64_t *counters = bo_alloc_array(arena, n + 1, sizeof *counters);
    if (!counters)
        return false;
    memcpy(counters, function->counters, n * sizeof *counters);
    function->n_counters = more < 0 && n > 1 ? n - 1 : more > 0 ? n + 1 : n;
    const size_t at = more > 0 ? n : bo_random_index(random, n);
    counters[at] = bo_random_one_in(random, 2) ? strange_count(random) : lprf_random_count(random);
    function->counters = counters;
    return true;
}

enum bo_status lprf_mutate(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                           void **model_ret, struct bo_error *err)
{
    const struct lprf_model *old = opaque;
    struct lprf_model *model = bo_alloc(arena, sizeof *model);
    size_t n = old->n_functions;
    struct lprf_function *functions = bo_alloc_array(arena, n + 1, sizeof *functions);
    if (!model || !functions)
        return bo_fail_alloc(err, arena);
    if (n)
        memcpy(functions, old->functions, n * sizeof *functions);
    size_t f = n ? bo_random_index(random, n) : 0;
    const size_t g = n ? bo_random_index(random, n) : 0;
    const struct lprf_function moved = functions[f];
    bool ok = true;
    switch (n ? bo_random_below(random, 9) : 0) {
    case 0:
        f = n++;
        ok = replace_function(functions, f, random, arena);
        break;
    case 1:
        functions[f] = functions[--n];
        f = 0;
        break;
    case 2:
        ok = rename_function(&functions[f], random, arena);
        break;
    case 3:
        functions[f].hash = bo_random_u64(random);
        break;
    case 4:
        ok = change_counters(&functions[f], 0, random, arena);
        break;
    case 5:
        ok = change_counters(&functions[f], 1, random, arena);
        break;
    case 6:
        ok = change_counters(&functions[f], -1, random, arena);
        break;
    case 7: /* a second function of the name */
        functions[n] = moved;
        f = n++;
        break;
    default:
        functions[f] = functions[g];
        functions[g] = moved;
        break;
    }
    if (!ok)
        return bo_fail_alloc(err, arena);
    if (n)
        make_key_new(functions, n, f);
    *model = (struct lprf_model){n, functions};
    *model_ret = model;
    return BO_OK;
}
