/*
 * Payloads of counted-buckets that no encoder writes: whole and split records, each with the
 * status, the byte and the phrase that the decoder must report. Why: fields are bits whose places
 * depend on each other, so a wrong one moves all that follow, and none may be read outside the
 * area.
 */
#include "codecs/pcdata/test_frame.h"

#define PAST_THE_END "record runs past the area's end"
#define AFTER_RECORD "bits after a record are not 0"
#define LEFT_OVER "bytes of the area belong to no table"
#define NO_START "values have a width, but no run starts after the first"
#define NO_ASCENT "starts of runs do not ascend below the text's end"
#define CONSTANT_BLOCK "block of one run with more than a bias"
#define NOT_NEXT "block does not follow the one before it"

static const struct test_area cases[] = {
    /* whole records: 4 bits low, 4 width, 3 base; counts, bias, values and starts */
    {"constant", BYTES("\0\0"), 1, BO_OK, 0, NULL, 0},
    {"constant of 2^32 - 1 quanta", BYTES("\0\x3c\0"), UINT32_MAX, BO_OK, 0, NULL, 0},
    {"low bits of a constant", BYTES("\x01\0"), 1, BO_CORRUPT, 0, "low bits in a record of one run",
     0},
    {"bias cut", BYTES("\0\x3d\0"), 1, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"bits after a constant", BYTES("\0\x08"), 1, BO_CORRUPT, 0, AFTER_RECORD, 0},
    {"byte after a constant", BYTES("\0\0\0"), 1, BO_CORRUPT, 2, LEFT_OVER, 0},
    {"two runs", BYTES("\x10\x21\x01"), 2, BO_OK, 0, NULL, 0},
    {"30 buckets", BYTES("\x10\x01\0\0\0\0\0\0\x20\x01"), 30, BO_OK, 0, NULL, 0},
    {"31 buckets", BYTES("\x10\x01\0\0\0\0\0\0\x20\x01"), 31, BO_CORRUPT, 0, "more than 30 buckets",
     0},
    {"no start", BYTES("\x10\x01"), 2, BO_CORRUPT, 0, NO_START, 0},
    {"runs cut", BYTES("\xe0\x79\0"), 2, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"start at 0", BYTES("\x10\x09\x01"), 2, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start twice", BYTES("\x11\x11\x07"), 4, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start at the text's end", BYTES("\x12\xc9\x01"), 3, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start without a change", BYTES("\x10\xa1\x01"), 2, BO_CORRUPT, 0,
     "start of a run does not change the value", 0},

    /* split records: 4 bits k - 4, 15, 5 o, 6 b, 3 base; entries of 5 width, 1 clustered, 3 low */
    {"one block", BYTES("\xf0\0\x10\0"), 16, BO_OK, 0, NULL, 0},
    {"two blocks, one value", BYTES("\xf0\0\x10\0\0"), 17, BO_OK, 0, NULL, 0},
    {"bias of 33 bits", BYTES("\xf0\x20\x14\0"), 16, BO_CORRUPT, 0,
     "bias of a block has more than 32 bits", 0},
    {"index cut", BYTES("\xf0\0\x10\0"), 1u << 20, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"bits after an index", BYTES("\xf0\0\x10\x80"), 16, BO_CORRUPT, 0,
     "bits after an index are not 0", 0},
    {"low bits of a block of one run", BYTES("\xf0\0\x10\x10"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK,
     0},
    {"clusters of one run", BYTES("\xf0\0\x10\x08"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK, 0},
    {"offset of one run", BYTES("\xf0\x01\x10\x80"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK, 0},
    {"block of two runs", BYTES("\xf0\0\x50\x10\x40\0\x06"), 16, BO_OK, 0, NULL, 0},
    {"block past the end", BYTES("\xf0\0\x50\x10"), 16, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"block without a start", BYTES("\xf0\0\x50\x10\0\0\0"), 16, BO_CORRUPT, 0, NO_START, 0},
    {"block after a gap", BYTES("\xf0\x01\x50\x90\0\x40\0\x06"), 16, BO_CORRUPT, 0, NOT_NEXT, 0},
    {"5 low bits of 4", BYTES("\xf0\0\x50\x50\x09\x01"), 16, BO_CORRUPT, 0,
     "more low bits than a start has", 0},
    {"listed starts", BYTES("\xf0\0\x50\x70\x81\x99\0"), 16, BO_OK, 0, NULL, 0},
    {"values of 32 bits", BYTES("\xf0\0\xd0\x77\0\0\0\0\xc0\xfc\xff\xff\xff\x03"), 16, BO_OK, 0,
     NULL, 0},
    {"clusters", BYTES("\xf0\x03\x10\xfa\x01\x12\x80\x08\x01\x73\x06"), 16, BO_OK, 0, NULL, 0},
    {"bits in front of clusters", BYTES("\xf0\x03\x10\xfa\x01\x13\x80\x08\x01\x73\x06"), 16,
     BO_CORRUPT, 0, NOT_NEXT, 0},
    {"clusters at another place", BYTES("\xf0\x03\x10\x7a\x02\x12\x80\x08\x01\x73\x06"), 16,
     BO_CORRUPT, 0, NOT_NEXT, 0},
    {"third high part of two", BYTES("\xf0\x04\x10\x7a\x02\x28\x12\0\x09\x01\xe6\x19"), 16,
     BO_CORRUPT, 0, "number of a high part that the block does not have", 0},
    {"clusters of all bits", BYTES("\xf0\x03\x10\x7a\x01\0\x40\x01\xc0\x04\x24\0"), 16, BO_CORRUPT,
     0, "clusters without high parts", 0},
};

static void test_bad_payloads(void **state)
{
    (void)state;
    test_expect_areas("counted-buckets", cases, N_ELEMENTS(cases));
}

static int run_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_FILE(run_file)
