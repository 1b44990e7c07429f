/*
 * The text form of PCDATA. Why: it is what people read, diff and keep, so it must have one
 * spelling, and each mistake in it must be pointed at with its byte.
 */
#include "codecs/pcdata/test_frame.h"

#include "harness/core/test_fixture.h"

#define HEAD "pcdata 1\nquantum 1\n"
#define TABLE HEAD "table 9 kind=pcsp refs=1\n"

/* What is read, and its one canonical spelling. */
TEST(test_canonical_form)
{
    static const char *const cases[][2] = {
        {HEAD, HEAD},
        {"# a comment\n\npcdata 1\n# another\nquantum 4\n", "pcdata 1\nquantum 4\n"},
        {"  pcdata   1  \nquantum   2 \n table   8   kind=pcfile  refs=0 \n  0    -1 \n#\n\n6 2\n",
         "pcdata 1\nquantum 2\ntable 8 kind=pcfile refs=0\n0 -1\n6 2\n"},
        {"pcdata 1\nquantum 1\ntable 1 kind=pcln refs=4294967295\n0 -2147483648",
         "pcdata 1\nquantum 1\ntable 1 kind=pcln refs=4294967295\n0 -2147483648\n"},
        {HEAD "table 4294967295 kind=pcsp refs=1\n0 2147483647\n4294967294 0\n",
         HEAD "table 4294967295 kind=pcsp refs=1\n0 2147483647\n4294967294 0\n"},
        {HEAD "table 1 kind=0 refs=1\n0 0\ntable 1 kind=2 refs=1\n0 0\n",
         HEAD "table 1 kind=pcsp refs=1\n0 0\ntable 1 kind=pcln refs=1\n0 0\n"},
        {HEAD "table 1 kind=3 refs=1\n0 0\ntable 1 kind=255 refs=1\n0 0\n",
         HEAD "table 1 kind=pcdata0 refs=1\n0 0\ntable 1 kind=pcdata252 refs=1\n0 0\n"},
        {HEAD "table 1 kind=pcdata252 refs=1\n0 0\n", HEAD "table 1 kind=pcdata252 refs=1\n0 0\n"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct pcdata_model *model = parse_text(cases[i][0], &arena);
        assert_string_equal((const char *)print_text(model, &arena).p, cases[i][1]);
        assert_null(format->differ(model, parse_text(cases[i][1], &arena)));
        assert_null(pcdata_model_flaw(model, NULL));
    }
}

TEST(test_generated_models_survive)
{
    expect_texts_survive(20, 5);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static const struct marked_mistake mistakes[] = {
    {"@", BO_CORRUPT, "expected `pcdata 1` in the first line"},
    {"@# only a comment\n", BO_CORRUPT, "expected `pcdata 1` in the first line"},
    {"@lprf 1\n", BO_CORRUPT, "expected `pcdata 1` in the first line"},
    {"# note\n@pcdat 1\n", BO_CORRUPT, "expected `pcdata 1` in the first line"},
    {"pcdata@\n", BO_CORRUPT, "expected `pcdata 1` in the first line"},
    {"pcdata @one\n", BO_CORRUPT, "expected `pcdata 1` in the first line"},
    {"pcdata @01\n", BO_CORRUPT, "expected `pcdata 1` in the first line"},
    {"pcdata @1\r\n", BO_CORRUPT, "expected `pcdata 1` in the first line"},
    {"pcdata @2\nquantum 1\n", BO_UNSUPPORTED, "unknown version of the text form"},
    {"pcdata 1 @1\n", BO_CORRUPT, "unexpected word at the line's end"},
    {"pcdata 1\n@", BO_CORRUPT, "expected `quantum Q` in the second line"},
    {"pcdata 1\n  @\n", BO_CORRUPT, "expected `quantum Q` in the second line"},
    {"pcdata 1\nquantum@\n", BO_CORRUPT, "expected `quantum Q` in the second line"},
    {"pcdata 1\n@table 9 kind=pcsp refs=1\n", BO_CORRUPT,
     "expected `quantum Q` in the second line"},
    {"pcdata 1\nquantum @-1\n", BO_CORRUPT, "expected `quantum Q` in the second line"},
    {"pcdata 1\nquantum @0\n", BO_CORRUPT, "quantum is not 1, 2 or 4"},
    {"pcdata 1\nquantum @3\n", BO_CORRUPT, "quantum is not 1, 2 or 4"},
    {"pcdata 1\nquantum @8\n", BO_CORRUPT, "quantum is not 1, 2 or 4"},
    {"pcdata 1\nquantum 1 @x\n", BO_CORRUPT, "unexpected word at the line's end"},
    {HEAD "@0 1\n", BO_CORRUPT, "expected `table`"},
    {HEAD "  @\n", BO_CORRUPT, "line of spaces"},
    {HEAD "table@\n", BO_CORRUPT, "expected a text length"},
    {HEAD "table @x\n", BO_CORRUPT, "text length is not an integer below 2^32"},
    {HEAD "table @4294967296 kind=pcsp refs=1\n", BO_CORRUPT,
     "text length is not an integer below 2^32"},
    {HEAD "table @0 kind=pcsp refs=1\n", BO_CORRUPT, "text length is 0"},
    {"pcdata 1\nquantum 4\ntable @6 kind=pcsp refs=1\n", BO_CORRUPT,
     "text length is not a multiple of the quantum"},
    {HEAD "table 9@\n", BO_CORRUPT, "expected kind=K"},
    {HEAD "table 9 @pcsp refs=1\n", BO_CORRUPT, "expected kind=pcsp, pcfile, pcln or pcdataN"},
    {HEAD "table 9 @kind= refs=1\n", BO_CORRUPT, "expected kind=pcsp, pcfile, pcln or pcdataN"},
    {HEAD "table 9 @kind=pcspx refs=1\n", BO_CORRUPT,
     "expected kind=pcsp, pcfile, pcln or pcdataN"},
    {HEAD "table 9 @kind=pcdata refs=1\n", BO_CORRUPT,
     "expected kind=pcsp, pcfile, pcln or pcdataN"},
    {HEAD "table 9 @kind=pcdata253 refs=1\n", BO_CORRUPT,
     "expected kind=pcsp, pcfile, pcln or pcdataN"},
    {HEAD "table 9 @kind=256 refs=1\n", BO_CORRUPT, "expected kind=pcsp, pcfile, pcln or pcdataN"},
    {HEAD "table 9 kind=pcsp@\n", BO_CORRUPT, "expected refs=N"},
    {HEAD "table 9 kind=pcsp @1\n", BO_CORRUPT, "expected refs=N with N below 2^32"},
    {HEAD "table 9 kind=pcsp @refs=4294967296\n", BO_CORRUPT, "expected refs=N with N below 2^32"},
    {HEAD "table 9 kind=pcsp @refs=-1\n", BO_CORRUPT, "expected refs=N with N below 2^32"},
    {HEAD "table 9 kind=pcsp refs=1 @2\n", BO_CORRUPT, "unexpected word at the line's end"},
    {TABLE "@1 1\n", BO_CORRUPT, "first run does not start at PC 0"},
    {TABLE "@-1 1\n", BO_CORRUPT, "expected `table` or a PC"},
    {TABLE "@tables 9\n", BO_CORRUPT, "expected `table` or a PC"},
    {TABLE "@4294967296 9\n", BO_CORRUPT, "expected `table` or a PC"},
    {TABLE "0@\n", BO_CORRUPT, "expected a value"},
    {TABLE "0 @-0\n", BO_CORRUPT, "value is not a 32-bit integer"},
    {TABLE "0 @+1\n", BO_CORRUPT, "value is not a 32-bit integer"},
    {TABLE "0 @2147483648\n", BO_CORRUPT, "value is not a 32-bit integer"},
    {TABLE "0 @-2147483649\n", BO_CORRUPT, "value is not a 32-bit integer"},
    {TABLE "0 1 @2\n", BO_CORRUPT, "unexpected word at the line's end"},
    {TABLE "0 1\n@0 2\n", BO_CORRUPT, "PCs do not ascend"},
    {TABLE "0 1\n5 2\n@5 3\n", BO_CORRUPT, "PCs do not ascend"},
    {TABLE "0 1\n5 2\n@4 3\n", BO_CORRUPT, "PCs do not ascend"},
    {TABLE "0 1\n@9 2\n", BO_CORRUPT, "PC is past the text's end"},
    {TABLE "0 1\n@10 2\n", BO_CORRUPT, "PC is past the text's end"},
    {TABLE "0 1\n5 @1\n", BO_CORRUPT, "neighbouring runs have the same value"},
    {"pcdata 1\nquantum 4\ntable 8 kind=pcsp refs=1\n0 1\n@6 2\n", BO_CORRUPT,
     "PC is not a multiple of the quantum"},
    {TABLE "@table 9 kind=pcsp refs=1\n0 1\n", BO_CORRUPT, "previous table has no runs"},
    {TABLE "@", BO_TRUNCATED, "last table has no runs"},
    {TABLE "0 1\ntable 9 kind=pcsp refs=1\n# runs are missing\n@", BO_TRUNCATED,
     "last table has no runs"},
};

TEST(test_mistakes)
{
    expect_mistakes(mistakes, N_ELEMENTS(mistakes));
}

/* ---- allocation failures --------------------------------------------------------------------- */

TEST(test_each_allocation_fails)
{
    const struct bo_span text = bo_span_of(TABLE "0 1\n5 2\ntable 7 kind=pcln refs=2\n0 4\n");
    const struct pcdata_model *model = parse_text(TABLE "0 1\n5 2\n", &arena);
    bool parsed = false, printed = false;
    for (uint64_t n = 1; !parsed || !printed; n++) {
        struct bo_arena small;
        struct bo_error error = {0};
        struct bo_writer out;
        void *ret;
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        enum bo_status status = format->parse(text, &small, &ret, &error);
        parsed = small.n_allocs < n;
        assert_int_equal(status, parsed ? BO_OK : BO_NO_MEMORY);
        assert_true(parsed || error.status == BO_NO_MEMORY);
        bo_arena_free(&small);

        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        bo_writer_init(&out, &small);
        status = format->print(model, &out, &error);
        printed = small.n_allocs < n;
        assert_int_equal(status, printed ? BO_OK : BO_NO_MEMORY);
        bo_writer_free(&out);
        bo_arena_free(&small);
    }
}

TEST_FILE(set_up, tear_down)
