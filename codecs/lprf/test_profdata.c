/*
 * LLVM's indexed profiles. Why: the codec represents what LLVM writes, so each byte must be the one
 * that LLVM's program writes. A model that such a file cannot hold must be an error.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codecs/lprf/test_model.h"
#include "harness/check/check.h"
#include "harness/core/files.h"

static const struct bo_codec *profdata(void)
{
    return bo_find_codec(test_format(), "profdata");
}

/* Values beyond the limits of LLVM's files are errors; values at the limits are stored. */
TEST(test_limits)
{
    const struct {
        const char *refusal; /* NULL: held */
        struct lprf_function functions[2];
    } cases[] = {
        {"profdata holds functions by name and hash, in no other order",
         {FUNCTION("b", 1, 1), FUNCTION("a", 1, 1)}},
        {"profdata holds functions by name and hash, in no other order",
         {FUNCTION("a", 2, 1), FUNCTION("a", 1, 1)}},
        {"hash is 2^64 - 1 or 2^64 - 2, which LLVM's tables reserve",
         {FUNCTION("a", 1, 1), FUNCTION("b", UINT64_MAX, 1)}},
        {"hash is 2^64 - 1 or 2^64 - 2, which LLVM's tables reserve",
         {FUNCTION("a", 1, 1), FUNCTION("b", UINT64_MAX - 1, 1)}},
        {"maximum count belongs to a function that LLVM's summary leaves out",
         {FUNCTION("a", 1, 1), FUNCTION("b", 1, UINT64_MAX)}},
        {"maximum count belongs to a function that LLVM's summary leaves out",
         {FUNCTION("a", 1, 1), FUNCTION("b", 1, UINT64_MAX - 1)}},
        {"maximum count belongs to a function that LLVM's summary leaves out",
         {FUNCTION("a", 1, 1), FUNCTION("b", UINT64_C(1) << 60, 2)}},
        {NULL, {FUNCTION("a", 1, UINT64_MAX - 2), FUNCTION("b", UINT64_MAX - 2, 9, UINT64_MAX)}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct lprf_model model = {2, cases[i].functions};
        const char *refusal = cases[i].refusal;
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error error = {0};
        void *decoded;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        assert_int_equal(profdata()->encode(profdata(), &model, &out, &error),
                         refusal ? BO_UNSUPPORTED : BO_OK);
        if (refusal) {
            assert_string_equal(error.what, refusal);
        } else {
            assert_int_equal(
                profdata()->decode(profdata(), bo_writer_span(&out), &arena, &decoded, &error),
                BO_OK);
            assert_null(test_format()->differ(&model, decoded));
        }
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/* ---- profiles -------------------------------------------------------------------------------- */

struct profile {
    struct lprf_function *functions;
    size_t n, cap;
    struct bo_arena *arena;
};

static void add(struct profile *profile, const char *name, uint64_t hash, size_t n_counters,
                struct bo_random *random)
{
    const struct bo_span span = bo_span_of(name);
    uint8_t *p = bo_alloc(profile->arena, span.n);
    uint64_t *counters = bo_alloc_array(profile->arena, n_counters, sizeof *counters);
    assert_true(p && counters);
    assert_true(bo_grow(profile->arena, &profile->functions, profile->n, 1, &profile->cap));
    memcpy(p, span.p, span.n);
    for (size_t i = 0; i < n_counters; i++)
        counters[i] = bo_random_u64(random) >> (24 + bo_random_below(random, 40));
    profile->functions[profile->n++] =
        (struct lprf_function){{p, span.n}, hash, n_counters, counters};
}

static int by_name_and_hash(const void *a, const void *b)
{
    const struct lprf_function *x = a, *y = b;
    const int order = bo_span_compare(x->name, y->name);
    return order ? order : (x->hash > y->hash) - (x->hash < y->hash);
}

static struct lprf_model sorted(struct profile *profile)
{
    qsort(profile->functions, profile->n, sizeof *profile->functions, by_name_and_hash);
    return (struct lprf_model){profile->n, profile->functions};
}

/* Names with 1 to 49 functions, which LLVM's table of a name's records grows for twice. */
static struct lprf_model several_hashes(struct bo_arena *arena)
{
    struct profile profile = {.arena = arena};
    struct bo_random random = bo_random_seeded(1);
    for (unsigned i = 1; i <= 49; i++)
        for (unsigned j = 0; j < i; j++) {
            char name[16];
            snprintf(name, sizeof name, "f%u", i);
            add(&profile, name, bo_random_u64(&random) >> 4, 1 + j % 3, &random);
        }
    return sorted(&profile);
}

/* Enough names for the table of names to grow four times, and to change its size at the end. */
static struct lprf_model many_names(struct bo_arena *arena)
{
    struct profile profile = {.arena = arena};
    struct bo_random random = bo_random_seeded(2);
    for (unsigned i = 0; i < 700; i++) {
        char name[32];
        snprintf(name, sizeof name, "name%u.c:%x", i % 9, i * 2654435761u);
        add(&profile, name, bo_random_u64(&random) >> 4, 1 + i % 5, &random);
    }
    return sorted(&profile);
}

/* Functions that the summary leaves out, and a sum past 2^64. */
static const struct lprf_function strange_functions[] = {
    FUNCTION("a", 1, UINT64_C(1) << 63, 0, UINT64_MAX),
    FUNCTION("b", UINT64_C(1) << 60 | 5, UINT64_C(1) << 62, 3),
    FUNCTION("c", 1, UINT64_C(1) << 63, UINT64_MAX - 1, 0, 0),
    FUNCTION("d", UINT64_MAX - 2, 4, 4, 4),
};

/* Every check on names with up to 49 functions. */
TEST(test_checks)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct lprf_model model = several_hashes(&arena);
    struct bo_effort effort = bo_effort_default();
    effort.max_failures = 64;
    for (const struct bo_check *check = bo_checks; check->name; check++) {
        const struct bo_check_result result =
            check->run(test_format(), profdata(), &model, &effort);
        if (result.outcome != BO_PASS)
            fail_msg("%s: %s %s", check->name, result.finding.detail,
                     result.why_skipped ? result.why_skipped : "");
    }
    bo_arena_free(&arena);
}

/* ---- LLVM ------------------------------------------------------------------------------------ */

static void write_file(const char *folder, const char *name, struct bo_span bytes)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
    assert_int_equal(fclose(file), 0);
}

/*
 * LLVM writes our bytes for our text, and our text for our bytes. LLVM 19 writes version 12, which
 * differs in the version alone.
 */
static void expect_same(unsigned llvm, const struct lprf_model *model, struct bo_arena *arena)
{
    char folder[64], command[512];
    struct bo_writer out;
    struct bo_error error = {0};
    bo_writer_init(&out, arena);
    if (profdata()->encode(profdata(), model, &out, &error))
        fail_msg("%s", error.what);
    out.p[8] = llvm == 19 ? 12 : 13;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    write_file(folder, "text", print_text(model, arena));
    write_file(folder, "ours", bo_writer_span(&out));
    snprintf(command, sizeof command,
             "cd %s && llvm-profdata-%u merge text -o theirs && cmp ours theirs && "
             "llvm-profdata-%u merge --text ours -o - | cmp - text && "
             "llvm-profdata-%u show ours >shown; code=$?; rm -rf %s; exit $code",
             folder, llvm, llvm, llvm, folder);
    assert_int_equal(system(command), 0);
    bo_writer_free(&out);
}

TEST(test_llvm)
{
    static const unsigned versions[] = {19, 22};
    unsigned n_run = 0;
    for (size_t i = 0; i < N_ELEMENTS(versions); i++) {
        char command[64];
        snprintf(command, sizeof command, "command -v llvm-profdata-%u >/dev/null", versions[i]);
        if (system(command)) {
            print_message("note: not run: profdata under llvm-profdata-%u, which is missing\n",
                          versions[i]);
            continue;
        }
        struct bo_arena arena;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const struct lprf_model models[] = {several_hashes(&arena),
                                            many_names(&arena),
                                            {N_ELEMENTS(strange_functions), strange_functions}};
        for (size_t m = 0; m < N_ELEMENTS(models); m++)
            expect_same(versions[i], &models[m], &arena);
        bo_arena_free(&arena);
        n_run++;
    }
    if (n_run == 0)
        skip();
}

/*
 * All hashes go to the same slot of LLVM's table of a name's records. An encoder that probes from
 * the first slot for each hash would compare 5 * 10^10 of them, beyond the limit of processor time.
 * decode also encodes, so a file could make it slow.
 */
TEST(test_same_slot)
{
    enum { N = 300000, SLOTS_NBITS = 20 };
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    struct profile profile = {.arena = &arena};
    struct bo_random random = bo_random_seeded(3);
    static const uint64_t one[] = {1};
    uint64_t inverse = 1;
    for (unsigned i = 0; i < 6; i++) /* of LLVM's factor, mod 2^64: each step doubles its bits */
        inverse *= 2 - UINT64_C(0xbf58476d1ce4e5b9) * inverse;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t mixed = i << SLOTS_NBITS;
        mixed ^= mixed >> 31 ^ mixed >> 62; /* undoes mixed ^= mixed >> 31 */
        add(&profile, "main", mixed * inverse, 1, &random);
        profile.functions[i].counters = one;
    }
    const struct lprf_model model = sorted(&profile);
    for (size_t f = 0; f < N; f++) /* no hash is left out of the summary */
        ((struct lprf_function *)(uintptr_t)model.functions)[f].counters =
            model.functions[0].counters;
    assert_int_equal(profdata()->encode(profdata(), &model, &out, NULL), BO_OK);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
