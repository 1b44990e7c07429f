/* The text form of unwind tables: what it rejects where, and models that survive it. */
#define TEST_FORMAT "unwind"
#include "codecs/unwind/unwind.h"
#include "harness/test_format.h"

static const char *flaw_of(const void *model, struct bo_arena *arena)
{
    return unwind_model_flaw(model, NULL);
}

TEST(test_survives)
{
    expect_texts_survive(40, 20);
}

TEST(test_generator)
{
    expect_valid_models(60, 20, flaw_of);
    expect_models_from_bytes(60, flaw_of, NULL);
    expect_same_seed_same_model(20);
    expect_uses_decide();
    expect_failing_allocations(6, 6);
}

#define HEAD "unwind 1\narch amd64\n"
#define ONE HEAD "fn 0x10 8\n"

static const struct marked_mistake mistakes[] = {
    {"@", BO_CORRUPT, "expected `unwind 1` in the first line"},
    {"unwind @2\n", BO_UNSUPPORTED, "unknown version of the text form"},
    {"unwind 1 @x\n", BO_CORRUPT, "unexpected word at the line's end"},
    {"unwind 1\narch @mips\n", BO_CORRUPT, "expected `arch amd64`, `arch arm64` or `arch s390x`"},
    {"unwind 1\narch amd64 @x\n", BO_CORRUPT, "expected `joined` or the line's end"},
    {HEAD "@0 sp+8 s s\n", BO_CORRUPT, "expected `fn`, `calls` or `real`"},
    {HEAD "fn @16 8\n", BO_CORRUPT, "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn @0x010 8\n", BO_CORRUPT, "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn@\n", BO_CORRUPT, "expected a start"},
    {HEAD "fn 0x10@\n", BO_CORRUPT, "expected a length"},
    {HEAD "fn 0x10 @0\n", BO_CORRUPT, "function length is 0"},
    {HEAD "fn 0x10 @4294967296\n", BO_CORRUPT, "length is not an integer below 2^32"},
    {HEAD "fn 0xffffffffffffffff @1\n", BO_CORRUPT, "function ends past 2^64"},
    {ONE "fn @0x17 8\n", BO_CORRUPT, "function starts before the end of the one before"},
    {HEAD "fn 0x10 8 B @S\n", BO_CORRUPT, "expected S, B, rep=N or the line's end, in this order"},
    {HEAD "fn 0x10 8 @rep=0\n", BO_CORRUPT, "pattern's size is not an integer from 1 to 255"},
    {HEAD "fn 0x10 8 @rep=256\n", BO_CORRUPT, "pattern's size is not an integer from 1 to 255"},
    {HEAD "fn 0x10 8 rep=2\n@2 x s s\n", BO_CORRUPT, "row is past the pattern's end"},
    {ONE "@8 x s s\n", BO_CORRUPT, "row is past the function's end"},
    {ONE "1 x s s\n@1 x u s\n", BO_CORRUPT, "offsets of rows do not ascend"},
    {ONE "1 x s s\n@2 x s s\n", BO_CORRUPT, "neighbouring rows are equal"},
    {ONE "1 @r7+8 s s\n", BO_CORRUPT,
     "CFA is not x, or a register with an offset, as in sp+8 or *r10-16"},
    {ONE "1 @sp8 s s\n", BO_CORRUPT,
     "CFA is not x, or a register with an offset, as in sp+8 or *r10-16"},
    {ONE "1 @r128+8 s s\n", BO_CORRUPT,
     "CFA is not x, or a register with an offset, as in sp+8 or *r10-16"},
    {ONE "1 sp+8 @c8 s\n", BO_CORRUPT, "rule is not s, u, x, c-8, v+8, r16 or *sp+8"},
    {ONE "1 sp+8 s @c+2147483648\n", BO_CORRUPT, "rule is not s, u, x, c-8, v+8, r16 or *sp+8"},
    {ONE "1 sp+8 s @\n", BO_CORRUPT, "expected the rule of the frame pointer"},
    {ONE "1 sp+8 s s @a\n", BO_CORRUPT, "return address is signed on a machine other than arm64"},
    {ONE "calls @17\n", BO_CORRUPT, "return address is not a hexadecimal number above 0 with 0x"},
    {ONE "calls 0x11\n@0 x s s\n", BO_CORRUPT, "function or row follows the calls"},
    {ONE "real 1 2\n@calls 0x11\n", BO_CORRUPT, "line follows the sizes of the real sections"},
};

TEST(test_mistakes)
{
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
}

/* Models at the bounds of the rules, which the parser of the text form checks. */
TEST(test_flaws)
{
    static const struct {
        unsigned arch;
        uint64_t start;
        uint32_t offs[2];
        const char *flaw;
    } cases[] = {{UNWIND_S390X, UINT64_MAX - 8, {3, 4}, ""},
                 {UNWIND_N_ARCHS, 16, {3, 4}, "machine number is out of range"},
                 {UNWIND_AMD64, UINT64_MAX - 7, {3, 4}, "function ends past 2^64"},
                 {UNWIND_AMD64, 16, {3, 8}, "row is past the function's end"},
                 {UNWIND_AMD64, 16, {3, 5}, "row is past the pattern's end"},
                 {UNWIND_AMD64, 16, {3, 3}, "offsets of rows do not ascend"}};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct unwind_row rows[] = {{cases[i].offs[0], {.cfa_off = 8}},
                                          {cases[i].offs[1], {.cfa_off = 16}}};
        const struct unwind_function f = {cases[i].start, 8, .n_rows = 2, .rep = 5, .rows = rows};
        const struct unwind_model model = {
            .arch = (enum unwind_arch)cases[i].arch, .n_functions = 1, .functions = &f};
        const char *flaw = unwind_model_flaw(&model, NULL);
        assert_string_equal(flaw ? flaw : "", cases[i].flaw);
    }
}

TEST_FILE(NULL, NULL)
