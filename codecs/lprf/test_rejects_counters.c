/*
 * Bad records: for each coding of counters, the status, the byte and the phrase that decode must
 * answer with; and what lookups make of the same bytes. Why: numbers of counters are announced, and
 * what multiplies them may wrap around.
 */
#define TEST_FORMAT "lprf"
#include "harness/check/check.h"
#include "harness/test_format.h"

#include "harness/core/test_fixture.h"

/* What the codec itself writes for the functions of `text`. */
struct pattern {
    const char *codec, *text;
    struct bo_span section;
};

/* Offsets count from the start of the counters' section. */
struct bad {
    const char *row;
    struct bo_span section;
    enum bo_status status;
    uint64_t off;
    const char *what;
};

/* Two counters, 1 and 2, of a function of hash 3. */
#define ONE_FUNCTION "a\n# Func Hash:\n3\n# Num Counters:\n2\n# Counter Values:\n1\n2\n"
#define HASH "\3\0\0\0\0\0\0\0"
#define COUNTERS_PAST "counters run past the file's end"
#define NO_SHORTEST "varint is not in its shortest form"

/* ---- u64 ------------------------------------------------------------------------------------- */

#define ONE_AND_TWO "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0"

static const struct pattern u64 = {"trie+u64", ONE_FUNCTION,
                                   BYTES(HASH "\2\0\0\0\0\0\0\0" ONE_AND_TWO)};

static const struct bad bad_u64[] = {
    {"head cut", BYTES(HASH "\2\0\0\0\0\0\0"), BO_TRUNCATED, 0, "record runs past the file's end"},
    {"nothing but the head", BYTES(HASH "\2\0\0\0\0\0\0\0"), BO_TRUNCATED, 8, COUNTERS_PAST},
    {"no counter", BYTES(HASH "\0\0\0\0\0\0\0\0" ONE_AND_TWO), BO_CORRUPT, 8,
     "function without a counter"},
    {"one too many", BYTES(HASH "\3\0\0\0\0\0\0\0" ONE_AND_TWO), BO_TRUNCATED, 8, COUNTERS_PAST},
    {"half a counter", BYTES(HASH "\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0"), BO_TRUNCATED, 8,
     COUNTERS_PAST},
    {"2^61", BYTES(HASH "\0\0\0\0\0\0\0\x20" ONE_AND_TWO), BO_TRUNCATED, 8, COUNTERS_PAST},
    {"2^61 + 2", BYTES(HASH "\2\0\0\0\0\0\0\x20" ONE_AND_TWO), BO_TRUNCATED, 8, COUNTERS_PAST},
    {"2^32 + 2", BYTES(HASH "\2\0\0\0\1\0\0\0" ONE_AND_TWO), BO_TRUNCATED, 8, COUNTERS_PAST},
    {"2^64 - 1", BYTES(HASH "\xff\xff\xff\xff\xff\xff\xff\xff" ONE_AND_TWO), BO_TRUNCATED, 8,
     COUNTERS_PAST},
    {"one too few", BYTES(HASH "\1\0\0\0\0\0\0\0" ONE_AND_TWO), BO_CORRUPT, 24,
     "bytes after the last record"},
};

/* ---- varint ---------------------------------------------------------------------------------- */

static const struct pattern varint = {"trie+varint", ONE_FUNCTION, BYTES(HASH "\2\1\2")};

static const struct bad bad_varint[] = {
    {"hash cut", BYTES("\3\0\0\0\0\0\0"), BO_TRUNCATED, 0, "record runs past the file's end"},
    {"no number", BYTES(HASH), BO_TRUNCATED, 8, "varint runs past the end"},
    {"no counter", BYTES(HASH "\0\1\2"), BO_CORRUPT, 8, "function without a counter"},
    {"one too many", BYTES(HASH "\3\1\2"), BO_TRUNCATED, 8, COUNTERS_PAST},
    {"2^64 - 1", BYTES(HASH "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\1\2"), BO_TRUNCATED, 8,
     COUNTERS_PAST},
    {"2^64", BYTES(HASH "\x80\x80\x80\x80\x80\x80\x80\x80\x80\2\1\2"), BO_CORRUPT, 8,
     "varint overflows its type"},
    {"number too long", BYTES(HASH "\x82\0\1\2"), BO_CORRUPT, 8, NO_SHORTEST},
    {"counter too long", BYTES(HASH "\2\1\x82\0"), BO_CORRUPT, 10, NO_SHORTEST},
    {"counter cut", BYTES(HASH "\2\1\x82"), BO_TRUNCATED, 10, "varint runs past the end"},
    {"one too few", BYTES(HASH "\1\1\2"), BO_CORRUPT, 10, "bytes after the last record"},
};

/* ---- packed ---------------------------------------------------------------------------------- */

#define TABLE "\1\0\0\0" HASH "\2"
#define HASH_4 "\4\0\0\0\0\0\0\0"
#define TABLE_PAST "hash table runs past the file's end"

static const struct pattern packed = {"trie+packed", ONE_FUNCTION, BYTES(TABLE "\0\3\1\2")};

static const struct bad bad_packed[] = {
    {"table's head cut", BYTES("\1\0\0"), BO_TRUNCATED, 0, "file ends in the hash table"},
    /* Nine times this is 5, in 32 bits. */
    {"table of 477218589", BYTES("\x1d\xc7\x71\x1c" HASH "\2\0\3\1\2"), BO_TRUNCATED, 0,
     TABLE_PAST},
    {"table of two", BYTES("\2\0\0\0" HASH "\2\0\3\1\2"), BO_TRUNCATED, 0, TABLE_PAST},
    {"table of 2^32 - 1", BYTES("\xff\xff\xff\xff" HASH "\2\0\3\1\2"), BO_TRUNCATED, 0, TABLE_PAST},
    {"entry 1 of 1", BYTES(TABLE "\1\3\1\2"), BO_CORRUPT, 13,
     "record's entry of the hash table is out of range"},
    {"200 counters", BYTES("\1\0\0\0" HASH "\xc8\0\3\1\2"), BO_TRUNCATED, 13, COUNTERS_PAST},
    {"number of its own, of 255", BYTES("\1\0\0\0" HASH "\0\0\xff\1\3\1\2"), BO_CORRUPT, 14,
     "number of counters is stored in the record, but fits the hash table"},
    {"number of its own, of 2^64 - 1",
     BYTES("\1\0\0\0" HASH "\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\3\1\2"), BO_TRUNCATED, 13,
     COUNTERS_PAST},
    {"bitmap cut", BYTES("\1\0\0\0" HASH "\x09\0\3"), BO_TRUNCATED, 14,
     "bitmap runs past the file's end"},
    {"bit of no counter", BYTES(TABLE "\0\7\1\2"), BO_CORRUPT, 14,
     "bitmap has bits beyond its counters"},
    {"counter of 0", BYTES(TABLE "\0\3\1\0"), BO_CORRUPT, 16,
     "counter is 0, but its bit in the bitmap is 1"},
    {"counter cut", BYTES(TABLE "\0\3\1"), BO_TRUNCATED, 16, "varint runs past the end"},
    {"bytes after", BYTES(TABLE "\0\3\1\2\2"), BO_CORRUPT, 17, "bytes after the last record"},
    {"unused entry", BYTES("\2\0\0\0" HASH HASH_4 "\2\2\0\3\1\2"), BO_CORRUPT, 12,
     "entry of the hash table has no record"},
};

/* The first two functions have hash 3, the last one 4. */
static const struct pattern shared = {
    "list+packed",
    "a\n# Func Hash:\n3\n# Num Counters:\n1\n# Counter Values:\n1\n\n"
    "b\n# Func Hash:\n3\n# Num Counters:\n1\n# Counter Values:\n2\n\n"
    "c\n# Func Hash:\n4\n# Num Counters:\n1\n# Counter Values:\n1\n",
    BYTES("\2\0\0\0" HASH HASH_4 "\1\1"
          "\0\1\0\2\1\1")};

static const struct bad bad_shared[] = {
    {"rarer entry first",
     BYTES("\2\0\0\0" HASH_4 HASH "\1\1"
           "\1\1\1\2\0\1"),
     BO_CORRUPT, 12, "entries of the hash table are not in order"},
    {"entry twice",
     BYTES("\2\0\0\0" HASH HASH "\1\1"
           "\0\1\0\2\1\1"),
     BO_CORRUPT, 12, "entry of the hash table occurs twice"},
};

/* ---- all ------------------------------------------------------------------------------------- */

/* The file that the codec writes, with this counters' section. */
static struct bo_span file_with(const struct pattern *pattern, struct bo_span section,
                                size_t *off_ret)
{
    struct bo_writer out;
    struct bo_error error = {0};
    const void *model = parse_text(pattern->text, &arena);
    bo_writer_init(&out, &arena);
    const struct bo_codec *found = bo_find_codec(test_format(), pattern->codec);
    assert_int_equal(found->encode(found, model, &out, &error), BO_OK);
    assert_true(out.n > pattern->section.n);
    *off_ret = out.n - pattern->section.n;
    assert_memory_equal(out.p + *off_ret, pattern->section.p, pattern->section.n);
    uint8_t *file = bo_alloc(&arena, *off_ret + section.n);
    assert_non_null(file);
    memcpy(file, out.p, *off_ret);
    memcpy(file + *off_ret, section.p, section.n);
    bo_writer_free(&out);
    return (struct bo_span){file, *off_ret + section.n};
}

static void expect_bad(const struct pattern *pattern, const struct bad *bad, size_t n)
{
    const struct bo_codec *codec = bo_find_codec(test_format(), pattern->codec);
    const struct bo_effort effort = bo_effort_default();
    for (size_t i = 0; i < n; i++) {
        struct bo_error error = {0};
        struct bo_finding finding;
        size_t off;
        bool accepted;
        void *model;
        const struct bo_span in = file_with(pattern, bad[i].section, &off);
        const enum bo_status status = test_decode(codec, in, &arena, &model, &error);
        if (status != bad[i].status || error.off != off + bad[i].off ||
            strcmp(error.what, bad[i].what) != 0)
            fail_msg("%s, %s: %s at %lld: %s", pattern->codec, bad[i].row, bo_status_name(status),
                     (long long)error.off - (long long)off, error.what ? error.what : "-");
        if (!bo_check_bytes(test_format(), codec, in, &effort, &accepted, &finding))
            fail_msg("%s, %s: %s: %s", pattern->codec, bad[i].row, finding.class, finding.detail);
        assert_false(accepted);
    }
}

TEST_WITH(test_u64, set_up, tear_down)
{
    expect_bad(&u64, bad_u64, N_ELEMENTS(bad_u64));
}

TEST_WITH(test_varint, set_up, tear_down)
{
    expect_bad(&varint, bad_varint, N_ELEMENTS(bad_varint));
}

TEST_WITH(test_packed, set_up, tear_down)
{
    expect_bad(&packed, bad_packed, N_ELEMENTS(bad_packed));
    expect_bad(&shared, bad_shared, N_ELEMENTS(bad_shared));
}

TEST_FILE(NULL, NULL)
