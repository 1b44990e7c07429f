/* Counts against golden ones: what differs, and what cannot be compared. */
#include "harness/core/test_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/insns.h"

static const struct bo_insns counted[] = {
    {"pcdata", "tiny", "raw", "encode", 1000},
    {"pcdata", "tiny", "raw", "point/uniform", 20},
};

/* The output of comparing the counts above with a golden text; malloced. */
static char *compare(const char *golden, size_t *n_said_ret)
{
    char *text = NULL;
    size_t nbytes;
    FILE *out = open_memstream(&text, &nbytes);
    assert_non_null(out);
    *n_said_ret = bo_insns_compare(counted, 2,
                                   (struct bo_span){(const uint8_t *)golden, strlen(golden)}, out);
    fclose(out);
    return text;
}

static void expect(const char *golden, const char *said)
{
    size_t n_said;
    char *text = compare(golden, &n_said);
    assert_string_equal(text, said);
    assert_true((n_said != 0) == (*said != 0));
    free(text);
}

#define ENCODE(count) "pcdata\ttiny\traw\tencode\t" count "\n"
#define QUERY(count) "pcdata\ttiny\traw\tpoint/uniform\t" count "\n"
#define WITHIN_30 "# Within: 1%, and 30 instructions of an operation that allocates\n"

TEST(test_tells_what_differs)
{
    expect(ENCODE("1009.0") QUERY("20.0"), "");
    expect(ENCODE("1011.0") QUERY("20.0"),
           "pcdata/raw/tiny/encode: 1000.0 instructions, was 1011.0 (-1.1%)\n");
    expect("# Within: 5%\n" ENCODE("1011.0") QUERY("20.0"), "");
    expect("# Within: 0.5%\n" ENCODE("1009.0") QUERY("20.0"),
           "pcdata/raw/tiny/encode: 1000.0 instructions, was 1009.0 (-0.9%)\n");
    expect(WITHIN_30 ENCODE("1040.0") QUERY("22.0"),
           "pcdata/raw/tiny/point/uniform: 20.0 instructions, was 22.0 (-9.1%)\n");
    expect(WITHIN_30 ENCODE("1041.0") QUERY("20.0"),
           "pcdata/raw/tiny/encode: 1000.0 instructions, was 1041.0 (-3.9%)\n");
    expect(ENCODE("1000.0"), "pcdata/raw/tiny/point/uniform: 20.0 instructions, new\n");
    expect(ENCODE("1000.0") QUERY("20.0") "pcdata\ttiny\traw\topen\t9.0\n",
           "pcdata/raw/tiny/open: was 9.0, is not counted any more\n");
}

static const char *incomparable(const char *golden, const char *made_with, struct bo_arena *arena)
{
    return bo_insns_incomparable((struct bo_span){(const uint8_t *)golden, strlen(golden)},
                                 made_with, arena);
}

TEST(test_tells_what_cannot_be_compared)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const char *golden = "# Counts\n# Made with: gcc 12\npcdata\ttiny\traw\tencode\t1009.0\n";
    assert_null(incomparable(golden, "gcc 12", &arena));
    assert_string_equal(incomparable(golden, "gcc 13", &arena), "gcc 12");
    assert_string_equal(incomparable("# Counts\n", "gcc 13", &arena), "an unknown build");
    bo_arena_free(&arena);
}

/* Written counts are comparable with themselves, and equal. */
TEST(test_round_trip)
{
    char made_with[512], *text = NULL;
    size_t nbytes;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_insns_made_with(made_with, sizeof made_with);
    FILE *out = open_memstream(&text, &nbytes);
    bo_insns_write(counted, 2, out);
    fclose(out);
    assert_null(incomparable(text, made_with, &arena));
    expect(text, "");
    bo_arena_free(&arena);
    free(text);
}

TEST_FILE(NULL, NULL)
