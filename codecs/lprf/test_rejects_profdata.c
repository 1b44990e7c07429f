/*
 * Bad indexed profiles: for each, the status, the byte and the phrase that decode must answer with;
 * and what decode takes, lookups must answer rightly.
 * Why: LLVM's own reader trusts such a file, and much of it has only one right value.
 */
#include "codecs/lprf/test_model.h"
#include "harness/check/check.h"

/*
 * Of the functions "ab" (hashes 1 and 4), "abc" and "b". Items at 522 (two records, at 548 and
 * 596), 636 and 705 (one record, at 730); the table, of 8 buckets, at 776.
 */
static const struct lprf_function functions[] = {
    FUNCTION("ab", 1, 5),
    FUNCTION("ab", 4, 6, 7),
    FUNCTION("abc", 2, 8),
    FUNCTION("b", 3, 9),
};
enum { NBYTES = 872 };

#define NOT_LLVM "byte differs from what LLVM writes for these functions"
#define GAP "items of a bucket do not start where the bucket before ends"
#define OUTSIDE "table lies outside the index"

/* A number that is another one. */
struct wrong_number {
    const char *row;
    size_t at;
    uint64_t v;
    enum bo_status status;
    uint64_t off;
    const char *what;
};

static const struct wrong_number wrong_numbers[] = {
    {"raw profile", 0, UINT64_C(0x8172666f72706cff), BO_CORRUPT, 0,
     "magic number is not that of an indexed profile"},
    {"version 12", 8, 12, BO_UNSUPPORTED, 8, "not version 13 of a front end's profile"},
    {"profile of IR", 8, UINT64_C(1) << 56 | 13, BO_UNSUPPORTED, 8,
     "not version 13 of a front end's profile"},
    {"unused word", 16, 1, BO_CORRUPT, 16, NOT_LLVM},
    {"unknown hash", 24, 1, BO_UNSUPPORTED, 24, "hash is of an unknown kind"},
    {"table before the items", 32, 512, BO_CORRUPT, 32, OUTSIDE},
    {"table not aligned", 32, 777, BO_CORRUPT, 32, OUTSIDE},
    {"table at the end", 32, 848, BO_CORRUPT, 32, OUTSIDE},
    {"table far away", 32, UINT64_MAX - 7, BO_CORRUPT, 32, OUTSIDE},
    {"memory profiles are not supported", 40, 72, BO_UNSUPPORTED, 40,
     "memory profiles are not supported"},
    {"binary ids", 48, 848, BO_CORRUPT, 48, NOT_LLVM},
    {"temporal profiles are not supported", 56, 72, BO_UNSUPPORTED, 56,
     "temporal profiles are not supported"},
    {"names of vtables", 64, 0, BO_CORRUPT, 64, NOT_LLVM},
    {"fields of the summary", 72, 7, BO_CORRUPT, 72, NOT_LLVM},
    {"maximum", 104, 10, BO_CORRUPT, 104, NOT_LLVM},
    {"last cutoff", 512, 6, BO_CORRUPT, 512, NOT_LLVM},
    {"hash of a name", 522, 0, BO_CORRUPT, 522, NOT_LLVM},
    {"no name", 530, 0, BO_CORRUPT, 530, "function without a name"},
    {"long name", 530, 231, BO_TRUNCATED, 530, "name runs into the table"},
    {"name of 2^63", 530, UINT64_C(1) << 63, BO_TRUNCATED, 530, "name runs into the table"},
    {"data into the table", 538, 229, BO_TRUNCATED, 538, "data runs into the table"},
    {"data ends in a record", 538, 79, BO_TRUNCATED, 596, "record runs past its item's end"},
    {"no counter", 556, 0, BO_CORRUPT, 556, "function without a counter"},
    {"counters past the item", 556, 8, BO_TRUNCATED, 556, "counters run past their item's end"},
    {"2^61 counters", 556, UINT64_C(1) << 61, BO_TRUNCATED, 556,
     "counters run past their item's end"},
    {"bitmap", 580, 1, BO_UNSUPPORTED, 580, "MC/DC bitmaps are not supported"},
    {"values", 588, UINT64_C(1) << 32 | 16, BO_UNSUPPORTED, 588,
     "value profiles are not supported"},
    {"same hash", 548, 1, BO_CORRUPT, 596, "two functions have the same name and hash"},
    {"reserved hash", 548, UINT64_MAX, BO_UNSUPPORTED, BO_NO_OFFSET,
     "hash is 2^64 - 1 or 2^64 - 2, which LLVM's tables reserve"},
    {"maximum not in the summary", 746, UINT64_MAX, BO_UNSUPPORTED, BO_NO_OFFSET,
     "maximum count belongs to a function that LLVM's summary leaves out"},
    {"another counter", 746, 8, BO_CORRUPT, 104, NOT_LLVM},
    {"four buckets", 776, 4, BO_CORRUPT, 776, "number of buckets does not suit that of names"},
    {"2^63 names", 784, UINT64_C(1) << 63, BO_CORRUPT, 776,
     "number of buckets does not suit that of names"},
    {"four names", 784, 4, BO_CORRUPT, 784, NOT_LLVM},
    {"bucket in the header", 792, 512, BO_CORRUPT, 792, "bucket lies outside the items"},
    {"bucket in the table", 792, 775, BO_CORRUPT, 792, "bucket lies outside the items"},
    {"bucket of another", 792, 703, BO_CORRUPT, 792, GAP},
    {"bucket left out", 792, 0, BO_CORRUPT, 808, GAP},
    {"bucket used twice", 800, 520, BO_CORRUPT, 800, GAP},
    {"binary id", 856, 1, BO_CORRUPT, 856, NOT_LLVM},
};

static struct bo_span make_file(struct bo_arena *arena)
{
    const struct lprf_model model = {N_ELEMENTS(functions), functions};
    struct bo_writer out;
    uint8_t *p = bo_alloc(arena, NBYTES + 8);
    bo_writer_init(&out, arena);
    assert_non_null(p);
    const struct bo_codec *codec = bo_find_codec(test_format(), "profdata");
    assert_int_equal(codec->encode(codec, &model, &out, NULL), BO_OK);
    assert_int_equal(out.n, NBYTES);
    memset(p, 0, NBYTES + 8);
    memcpy(p, out.p, NBYTES);
    bo_writer_free(&out);
    return (struct bo_span){p, NBYTES};
}

static void expect(const char *row, struct bo_span in, enum bo_status status, uint64_t off,
                   const char *what)
{
    const struct bo_codec *codec = bo_find_codec(test_format(), "profdata");
    const struct bo_effort effort = bo_effort_default();
    struct bo_arena arena;
    struct bo_error error = {0};
    struct bo_finding finding = {0};
    void *model;
    bool accepted;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const enum bo_status got = test_decode(codec, in, &arena, &model, &error);
    if (got != status || (status && (error.off != off || strcmp(error.what, what) != 0)))
        fail_msg("%s: %s at byte %lld: %s; not %s at %lld: %s", row, bo_status_name(got),
                 (long long)error.off, error.what ? error.what : "-", bo_status_name(status),
                 (long long)off, what ? what : "-");
    bo_arena_free(&arena);
    if (!bo_check_bytes(test_format(), codec, in, &effort, &accepted, &finding))
        fail_msg("%s: %s: %s", row, finding.class, finding.detail);
    assert_int_equal(accepted, status == BO_OK);
}

TEST(test_numbers)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    expect("as it is", make_file(&arena), BO_OK, 0, NULL);
    for (size_t i = 0; i < N_ELEMENTS(wrong_numbers); i++) {
        const struct wrong_number *wrong = &wrong_numbers[i];
        const struct bo_span file = make_file(&arena);
        bo_set_le64((uint8_t *)(uintptr_t)file.p + wrong->at, wrong->v);
        expect(wrong->row, file, wrong->status, wrong->off, wrong->what);
    }
    bo_arena_free(&arena);
}

/* What is wrong in less or in more than one number. */
TEST(test_other_bytes)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    uint8_t *p = (uint8_t *)(uintptr_t)make_file(&arena).p;
    bo_set_le16(p + 520, 0);
    expect("no items", (struct bo_span){p, NBYTES}, BO_CORRUPT, 520, "bucket is empty");

    p = (uint8_t *)(uintptr_t)make_file(&arena).p;
    bo_set_le16(p + 703, 2);
    expect("an item more", (struct bo_span){p, NBYTES}, BO_TRUNCATED, 770,
           "item runs into the table");

    p = (uint8_t *)(uintptr_t)make_file(&arena).p;
    p[775] = 1;
    expect("padding", (struct bo_span){p, NBYTES}, BO_CORRUPT, 770 + 5, NOT_LLVM);

    uint8_t record[48];
    p = (uint8_t *)(uintptr_t)make_file(&arena).p;
    memcpy(record, p + 548, 48);
    memmove(p + 548, p + 596, 40);
    memcpy(p + 548 + 40, record, 48);
    expect("records of a name swapped", (struct bo_span){p, NBYTES}, BO_CORRUPT, 548, NOT_LLVM);

    p = (uint8_t *)(uintptr_t)make_file(&arena).p;
    expect("8 bytes more", (struct bo_span){p, NBYTES + 8}, BO_CORRUPT, 776,
           "buckets do not end where the index does");
    for (size_t n = 0; n < NBYTES; n++) {
        struct bo_error error = {0};
        void *model;
        const struct bo_codec *codec = bo_find_codec(test_format(), "profdata");
        const enum bo_status status =
            test_decode(codec, (struct bo_span){p, n}, &arena, &model, &error);
        assert_true(n < 552 ? status == BO_TRUNCATED && error.off == n &&
                                  strcmp(error.what, "file ends in the header") == 0
                            : status != BO_OK);
    }
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
