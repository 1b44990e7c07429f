/*
 * The text form and merging, against llvm-profdata. Why: both claim to be what LLVM does, to the
 * byte, and where we refuse what LLVM takes, the README says what LLVM does with it.
 */
#include "codecs/autofdo/test_model.h"
#include "harness/core/files.h"

#include <stdio.h>
#include <stdlib.h>

static const struct bo_format *format;
static struct bo_arena arena;
static char folder[64];

static int set_up(void **state)
{
    format = bo_find_format("autofdo");
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    return bo_temporary_folder(folder, sizeof folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    bo_arena_free(&arena);
    return rmdir(folder);
}

static void need_llvm(void)
{
    if (system("command -v llvm-profdata-14 >/dev/null") == 0)
        return;
    print_message("note: not run: texts under llvm-profdata-14, which is missing\n");
    skip();
}

/* What llvm-profdata makes of n texts, with a NUL after; p is NULL when it refuses. */
static struct bo_span through_llvm(const struct bo_span *texts, unsigned n)
{
    enum { MAX = 1 << 22 };
    struct bo_writer command;
    bo_writer_init(&command, &arena);
    bo_put_text(&command, "cd %s && llvm-profdata-14 merge --sample --text -o out", folder);
    for (unsigned i = 0; i < n; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s/in%u", folder, i);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(texts[i].p, 1, texts[i].n, file), texts[i].n);
        assert_int_equal(fclose(file), 0);
        bo_put_text(&command, " in%u", i);
    }
    bo_put_text(&command, " 2>/dev/null && cat out");
    bo_put_u8(&command, 0);
    FILE *pipe = popen((const char *)command.p, "r");
    uint8_t *p = bo_alloc(&arena, MAX);
    assert_non_null(pipe);
    const size_t n_read = fread(p, 1, MAX - 1, pipe);
    assert_true(n_read < MAX - 1);
    p[n_read] = 0;
    const int code = pclose(pipe);
    bo_writer_reset(&command);
    bo_put_text(&command, "cd %s && rm -f in* out", folder);
    bo_put_u8(&command, 0);
    assert_int_equal(system((const char *)command.p), 0);
    bo_writer_free(&command);
    return (struct bo_span){code ? NULL : p, n_read};
}

/* The model without what LLVM has no place for. */
static struct autofdo_model *for_llvm(const struct autofdo_model *model)
{
    struct autofdo_model *copy = bo_alloc(&arena, sizeof *copy);
    struct autofdo_function *functions =
        bo_alloc_array(&arena, model->n_functions, sizeof *functions);
    for (size_t f = 0; f < model->n_functions; f++) {
        functions[f] = model->functions[f];
        functions[f].timestamp = 0;
    }
    *copy = (struct autofdo_model){model->n_functions, functions, 0, NULL};
    return copy;
}

/* What we print, LLVM prints, too; the comments of timestamps and files do not disturb it. */
TEST(test_same_text)
{
    need_llvm();
    unsigned n = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        const struct autofdo_model *model = generate_model(seed, 3 * seed, &arena);
        if (!model->n_functions)
            continue;
        const struct bo_span text = print_text(model, &arena);
        const struct bo_span bare = print_text(for_llvm(model), &arena);
        if (!bo_span_equal(through_llvm(&text, 1), bare))
            fail_msg("seed %u: LLVM prints something else", (unsigned)seed);
        n++;
        bo_arena_free(&arena);
    }
    assert_true(n >= 20);
}

/* A sum that does not fit is the end for LLVM: such models are left out. */
static bool stays_small(const struct autofdo_model *model, const struct bo_merge_report *report)
{
    struct autofdo_summary summary;
    assert_int_equal(autofdo_summarize(model, &arena, &summary, NULL), BO_OK);
    return report->n_saturated == 0 && summary.total_count < UINT64_MAX;
}

TEST(test_same_sum)
{
    need_llvm();
    unsigned n = 0;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct bo_random random = bo_random_seeded(seed);
        void *mutant = generate_model(seed, 12, &arena);
        const struct autofdo_model *model = mutant;
        for (unsigned i = 0; i < 8; i++)
            assert_int_equal(format->mutate(mutant, &random, &arena, &mutant, NULL), BO_OK);
        const void *const models[] = {for_llvm(model), for_llvm(mutant)};
        struct bo_merge_report report;
        void *merged;
        assert_int_equal(format->merge(models, 2, &arena, &merged, &report, NULL), BO_OK);
        if (!stays_small(merged, &report))
            continue;
        const struct bo_span texts[] = {print_text(models[0], &arena),
                                        print_text(models[1], &arena)};
        if (!bo_span_equal(through_llvm(texts, 2), print_text(merged, &arena)))
            fail_msg("seed %u: LLVM adds up to something else", (unsigned)seed);
        n++;
        bo_arena_free(&arena);
    }
    assert_true(n >= 10);
}

/* Texts, and LLVM's output for them, as stated in the README. NULL: LLVM rejects the text. */
TEST(test_what_llvm_does)
{
    static const struct {
        const char *text, *llvm;
        bool is_taken; /* by us; then our canonical text is LLVM's */
    } cases[] = {
        {"f:5:1\r\n\r\n# c\r\n  # d\r\n 007: 05\r\n", "f:5:1\n 7: 5\n", true},
        {"f:11:1\n 1: 5 a:1\n 1: 6  a:2\n", "f:11:1\n 1: 11 a:3\n", true},
        {"f:1:1\n 1: g:5\n  2: 1\n 1: g:6\n 3: 0\n", "f:1:1\n 3: 0\n 1: g:11\n  2: 1\n", false},
        {"f:0:1\n 1: 1 a: 1:3 b c:4\n", "f:0:1\n 1: 1 b c:4 a: 1:3\n", false},
        {"f:1:1\n 1: 5\nf:3:2\n 2: 7\n", "f:3:2\n 2: 7\n", false},
        {"f:1:1\n 1: 5 a:1 a:7\n", "f:1:1\n 1: 5 a:7\n", false},
        {"f:1:1\n 3: g:5\n    2: 5\n", "f:1:1\n 3: g:5\n  2: 5\n", false},
        {"f:1:1\n 70000.1: 5\n", "f:1:1\n 70000.1: 5\n", false},
        {"f:1:1\n 70000: 5\n", NULL, false},
        {"f:1:1\n 1: 18446744073709551615\n 1: 6\n", NULL, false},
        {"f:1:1\n 1: 5 :f:1\n", NULL, false},
        {"f:5:1\n 1: 5\n !CFGChecksum: 3\n", "f:5:1\n 1: 5\n !CFGChecksum: 3\n", false},
        {"[f]:5:1\n 1: 5\n", "[f]:5:1\n 1: 5\n", false},
        {"", NULL, false},
    };
    need_llvm();
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct bo_span text = bo_span_of(cases[i].text), llvm = through_llvm(&text, 1);
        if (!cases[i].llvm) {
            assert_null(llvm.p);
            continue;
        }
        assert_non_null(llvm.p);
        assert_string_equal((const char *)llvm.p, cases[i].llvm);
        if (cases[i].is_taken)
            assert_true(bo_span_equal(print_text(parse_text(cases[i].text, &arena), &arena), llvm));
    }
}

TEST_FILE(set_up, tear_down)
