/* The text form of unwind tables: what it rejects where, and models that survive it. */
#define TEST_FORMAT "unwind"

#include "codecs/unwind/queries.h"
#include "codecs/unwind/unwind.h"
#include "harness/core/random.h"
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
    {"@rewind 1\n", BO_CORRUPT, "expected `unwind 1` in the first line"},
    {"unwind@\n", BO_CORRUPT, "expected `unwind 1` in the first line"},
    {"unwind @one\n", BO_CORRUPT, "expected `unwind 1` in the first line"},
    {" @\n", BO_CORRUPT, "expected `unwind 1` in the first line"},
    {"unwind 1\n@", BO_CORRUPT, "expected `arch amd64`, `arch arm64` or `arch s390x`"},
    {"unwind 1\n@march amd64\n", BO_CORRUPT, "expected `arch amd64`, `arch arm64` or `arch s390x`"},
    {"unwind 1\narch amd64 joined @x\n", BO_CORRUPT, "unexpected word at the line's end"},
    {HEAD "fn @0x 8\n", BO_CORRUPT, "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn @0x11111111111111111 8\n", BO_CORRUPT,
     "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn @0x1g 8\n", BO_CORRUPT, "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn @0x1` 8\n", BO_CORRUPT, "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn @0x1: 8\n", BO_CORRUPT, "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn @0x1/ 8\n", BO_CORRUPT, "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn @0x1A 8\n", BO_CORRUPT, "start is not a hexadecimal number below 2^64 with 0x"},
    {HEAD "fn 0xfffffffffffffff0 @16\n", BO_CORRUPT, "function ends past 2^64"},
    {HEAD "fn 0x10 8 S @S\n", BO_CORRUPT, "expected S, B, rep=N or the line's end, in this order"},
    {HEAD "fn 0x10 8 B @B\n", BO_CORRUPT, "expected S, B, rep=N or the line's end, in this order"},
    {HEAD "fn 0x10 8 rep=2 @S\n", BO_CORRUPT,
     "expected S, B, rep=N or the line's end, in this order"},
    {HEAD "fn 0x10 8 rep=2 @B\n", BO_CORRUPT,
     "expected S, B, rep=N or the line's end, in this order"},
    {HEAD "fn 0x10 8 rep=2 @rep=2\n", BO_CORRUPT,
     "expected S, B, rep=N or the line's end, in this order"},
    {ONE "@4294967296 x s s\n", BO_CORRUPT, "expected `fn`, `calls`, `real` or a row's offset"},
    {ONE "1@\n", BO_CORRUPT, "expected a CFA"},
    {ONE "1 x@\n", BO_CORRUPT, "expected the rule of the return address"},
    {ONE "1 @r6+8 s s\n", BO_CORRUPT,
     "CFA is not x, or a register with an offset, as in sp+8 or *r10-16"},
    {ONE "1 @sp+ s s\n", BO_CORRUPT,
     "CFA is not x, or a register with an offset, as in sp+8 or *r10-16"},
    {ONE "1 @sp-0 s s\n", BO_CORRUPT,
     "CFA is not x, or a register with an offset, as in sp+8 or *r10-16"},
    {ONE "1 @sp+-8 s s\n", BO_CORRUPT,
     "CFA is not x, or a register with an offset, as in sp+8 or *r10-16"},
    {ONE "1 @sp-2147483649 s s\n", BO_CORRUPT,
     "CFA is not x, or a register with an offset, as in sp+8 or *r10-16"},
    {ONE "1 sp+8 @r s\n", BO_CORRUPT, "rule is not s, u, x, c-8, v+8, r16 or *sp+8"},
    {ONE "1 sp+8 @r16x s\n", BO_CORRUPT, "rule is not s, u, x, c-8, v+8, r16 or *sp+8"},
    {ONE "1 sp+8 @sx s\n", BO_CORRUPT, "rule is not s, u, x, c-8, v+8, r16 or *sp+8"},
    {ONE "1 sp+8 @z s\n", BO_CORRUPT, "rule is not s, u, x, c-8, v+8, r16 or *sp+8"},
    {ONE "1 sp+8 s s @b\n", BO_CORRUPT, "expected `a` or the line's end"},
    {"unwind 1\narch arm64\nfn 0x10 8\n0 sp+8 s s a @a\n", BO_CORRUPT,
     "unexpected word at the line's end"},
    {ONE "calls @0x0\n", BO_CORRUPT, "return address is not a hexadecimal number above 0 with 0x"},
    {ONE "real 1@\n", BO_CORRUPT, "expected two sizes"},
    {ONE "real 1 @18446744073709551616\n", BO_CORRUPT, "size is not an integer below 2^64"},
    {ONE "real 1 2 @3\n", BO_CORRUPT, "unexpected word at the line's end"},
    {ONE " @\n", BO_CORRUPT, "line of spaces"},
};

TEST(test_mistakes)
{
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
}

/* A byte 0 is no rule's letter. */
TEST(test_zero_byte)
{
    static const char text[] = ONE "1 sp+8 \0 s\n";
    expect_mistake((struct bo_span){(const uint8_t *)text, sizeof text - 1}, strlen(text),
                   BO_CORRUPT, "rule is not s, u, x, c-8, v+8, r16 or *sp+8");
}

/* Texts at the bounds of numbers are printed as they were. */
TEST(test_bounds)
{
    static const char *const texts[] = {
        HEAD,
        HEAD "fn 0x0 1\n",
        HEAD "fn 0xffffffffffffffef 16\n",
        HEAD "fn 0x10 4294967295 S B rep=255\n254 r127+2147483647 r127 *r127-2147483648\n",
        ONE "fn 0x18 8\n",
        HEAD "real 0 4294967295\n",
        HEAD "real 4294967295 0\n",
        HEAD "calls 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0xffffffffffffffff\ncalls 0x9\n",
    };
    for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
        struct bo_arena arena;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const struct bo_span again = print_text(parse_text(texts[i], &arena), &arena);
        assert_string_equal((const char *)again.p, texts[i]);
        bo_arena_free(&arena);
    }
}

/* Each part of a model in which two may differ. */
TEST(test_differ)
{
    static const char *const texts[][2] = {
        {"unwind 1\narch arm64\nfn 0x10 8\n0 x s s\n", "the machine differs"},
        {"unwind 1\narch amd64 joined\nfn 0x10 8\n0 x s s\n",
         "only one model has function boundaries"},
        {ONE "0 x s s\nfn 0x20 8\n", "the number of functions differs"},
        {HEAD "fn 0x11 8\n0 x s s\n", "a function's start or length differs"},
        {HEAD "fn 0x10 9\n0 x s s\n", "a function's start or length differs"},
        {HEAD "fn 0x10 8 S\n0 x s s\n", "a function's flags or pattern differ"},
        {HEAD "fn 0x10 8 rep=8\n0 x s s\n", "a function's flags or pattern differ"},
        {ONE, "a function's number of rows differs"},
        {ONE "1 x s s\n", "a row differs"},
        {ONE "0 x u s\n", "a row differs"},
    };
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const void *model = parse_text(ONE "0 x s s\n", &arena);
    assert_null(test_format()->differ(model, parse_text(ONE "0 x s s\n", &arena)));
    for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
        const char *difference = test_format()->differ(model, parse_text(texts[i][0], &arena));
        assert_string_equal(difference ? difference : "", texts[i][1]);
    }
    bo_arena_free(&arena);
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

/* Functions and states that break a rule, each the second of a model. */
TEST(test_flaws_of_functions)
{
    enum { OTHER = UNWIND_CFA_OTHER };
    static const struct {
        uint64_t start;
        uint32_t length;
        uint8_t flags;
        struct unwind_state state, next;
        const char *flaw;
    } cases[] = {
        {16, 8, 0, {0}, {.cfa_off = 8}, ""},
        {16, 8, UNWIND_ALL_FLAGS, {.cfa_reg = 127}, {.kinds = OTHER}, ""},
        {16, 0, 0, {0}, {.cfa_off = 8}, "function length is 0"},
        {16, 8, 4, {0}, {.cfa_off = 8}, "unknown function flag"},
        {15, 8, 0, {0}, {.cfa_off = 8}, "function starts before the end of the one before"},
        {16, 8, 0, {.cfa_off = 8}, {.cfa_off = 8}, "neighbouring rows are equal"},
        {16, 8, 0, {.kinds = 3}, {0}, "unknown kind of CFA"},
        {16,
         8,
         0,
         {.kinds = OTHER, .cfa_off = 8},
         {0},
         "CFA by an expression has a register or an offset"},
        {16,
         8,
         0,
         {.kinds = OTHER, .cfa_reg = 1},
         {0},
         "CFA by an expression has a register or an offset"},
        {16,
         8,
         0,
         {.cfa_reg = UNWIND_SIGNED},
         {0},
         "return address is signed on a machine other than arm64"},
        {16, 8, 0, {.kinds = UNWIND_N_RULES << 2}, {0}, "unknown rule"},
        {16, 8, 0, {.kinds = UNWIND_N_RULES << 5}, {0}, "unknown rule"},
        {16, 8, 0, {.kinds = UNWIND_REGISTER << 2, .ra_reg = 127}, {0}, ""},
        {16,
         8,
         0,
         {.kinds = UNWIND_REGISTER << 2, .ra_reg = 128},
         {0},
         "register number exceeds 127"},
        {16, 8, 0, {.ra_off = 8}, {0}, "rule without a register or an offset has one"},
        {16, 8, 0, {.fp_reg = 1}, {0}, "rule without a register or an offset has one"},
        {16, 8, 0, {.kinds = UNWIND_CFA_PLUS << 5, .fp_off = 8}, {0}, ""},
        {16, 8, 0, {.kinds = UNWIND_MEMORY << 5, .fp_off = 8, .fp_reg = 7}, {0}, ""},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct unwind_row rows[] = {{0, cases[i].state}, {1, cases[i].next}};
        const struct unwind_function functions[] = {{8, 8, .n_rows = 0},
                                                    {.start = cases[i].start,
                                                     .length = cases[i].length,
                                                     .flags = cases[i].flags,
                                                     .n_rows = 2,
                                                     .rows = rows}};
        const struct unwind_model model = {.n_functions = 2, .functions = functions};
        uint32_t function = 2;
        const char *flaw = unwind_model_flaw(&model, &function);
        assert_string_equal(flaw ? flaw : "", cases[i].flaw);
        assert_int_equal(function, 1);
    }
}

/* The start is 0 in a joined model, so the offset is the PC. */
TEST(test_printed_points)
{
    static const struct {
        const char *arch;
        uint64_t pc;
        const char *answer;
    } cases[] = {
        {"amd64", UINT64_C(0x200001005), "0x200001000 S 5 cfa=r7+8 ra=c-8 fp=s\n"},
        {"amd64 joined", UINT64_C(0x200001005), "0x0 S 8589938693 cfa=r7+8 ra=c-8 fp=s\n"},
        {"amd64", UINT64_C(0x200001003), "0x200001000 S no row\n"},
        {"amd64", UINT64_C(0x200001010), "no function\n"},
    };
    const struct bo_query_kind *kind = &unwind_kinds[UNWIND_POINT];
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct unwind_point query = {.pc = cases[i].pc};
        struct unwind_point_answer answer;
        struct bo_arena arena;
        struct bo_writer text, out;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&text, &arena);
        bo_writer_init(&out, &arena);
        bo_put_text(&text, "unwind 1\narch %s\nfn 0x200001000 16 S\n4 sp+8 c-8 s\n", cases[i].arch);
        bo_put_u8(&text, 0);
        kind->oracle(parse_text((const char *)text.p, &arena), &query, 1, &answer);
        kind->print(&query, (struct bo_span){(const uint8_t *)&answer, sizeof answer}, &out);
        bo_put_u8(&out, 0);
        assert_string_equal((const char *)out.p, cases[i].answer);
        bo_writer_free(&out);
        bo_writer_free(&text);
        bo_arena_free(&arena);
    }
}

/*
 * The hashes of these pairs with the seed sizeof(pair) lie in 1/64 of the slots. The interner has
 * another seed. With that one it would compare 10^11 pairs, beyond the limit of processor time.
 */
TEST(test_colliding_items)
{
    enum { N_PAIRS = 500000, N_SLOTS = 1 << 20 };
    struct bo_arena arena;
    struct unwind_interner in;
    uint32_t pair[2] = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    unwind_interner_init(&in, sizeof pair, &arena);
    for (uint32_t n = 0; n < N_PAIRS; pair[0]++)
        if (bo_mix64(bo_mix64(sizeof pair ^ (uint64_t)pair[0])) % N_SLOTS < N_SLOTS / 64)
            assert_int_equal(unwind_intern(&in, pair), n++);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
