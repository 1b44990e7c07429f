/*
 * Payloads of packed-starts that no encoder writes: lists, single and several blocks, each with the
 * status, the byte and the phrase that the decoder must report. Why: fields are bits whose places
 * depend on each other, so a wrong one moves all that follow, and none may be read outside the
 * area.
 */
#include "codecs/pcdata/test_frame.h"

#define WIDTH "width of values does not fit the number of runs"
#define PAST_THE_END "record runs past the area's end"
#define AFTER_RECORD "bits after a record are not 0"
#define LEFT_OVER "bytes of the area belong to no table"
#define TOO_MANY "more starts than a list can have"
#define NO_ASCENT "starts of runs do not ascend below the text's end"
#define NO_CHANGE "start of a run does not change the value"
#define OUT_OF_RANGE "description of a block is out of range"
#define NO_START "single block without a start"
#define WIDE_BIAS "bias of a record has more than 32 bits"
#define BUCKETS "more buckets than a block can have"
#define ALL_STARTS "buckets of a block do not have all its starts"
#define HIGH_PARTS "values of a block have more than 32 bits"
#define AFTER_BLOCK "bits after a block are not 0"
#define BLOCK_BIAS "bias of a block has more than 32 bits"
#define AFTER_INDEX "bits after an index are not 0"
#define CONSTANT_BLOCK "block of one run with more than a bias"
#define NOT_NEXT "block does not follow the one before it"

static const struct test_area cases[] = {
    /* lists: 4 bits n, 3 base, 4 width; starts, bias, values */
    {"constant", BYTES("\0\0"), 1, BO_OK, 0, NULL, 0},
    {"constant of 2^32 - 1 quanta", BYTES("\x40\x38\0"), UINT32_MAX, BO_OK, 0, NULL, 0},
    {"width of a constant", BYTES("\x80\x08"), 1, BO_CORRUPT, 0, WIDTH, 0},
    {"no width of two runs", BYTES("\x01\x08"), 2, BO_CORRUPT, 0, WIDTH, 0},
    {"bias cut", BYTES("\x40\x38"), 1, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"bits after a constant", BYTES("\0\x08"), 1, BO_CORRUPT, 0, AFTER_RECORD, 0},
    {"byte after a constant", BYTES("\0\0\0"), 1, BO_CORRUPT, 2, LEFT_OVER, 0},
    {"two runs", BYTES("\x81\x08\x01"), 2, BO_OK, 0, NULL, 0},
    {"two words", BYTES("\x8d\x08\x10\x18\x20\x28\x30\x38\x40\x48\x50\x58\x60\x68\x50\x55\x01"),
     256, BO_OK, 0, NULL, 0},
    {"13 starts of 9 bits",
     BYTES("\x8c\x08\x20\x60\0\x81\x02\x06\x0e\x20\x48\xa0\x60\x01\x03\x55\x05"), 257, BO_OK, 0,
     NULL, 0},
    {"14 starts of 9 bits",
     BYTES("\x8d\x08\x20\x60\0\x81\x02\x06\x0e\x20\x48\xa0\x60\x01\x83\x06\xaa\x2a"), 257,
     BO_CORRUPT, 0, TOO_MANY, 0},
    {"two starts of 32 bits", BYTES("\x82\x08\0\0\0\0\0\0\0\x14"), UINT32_MAX, BO_OK, 0, NULL, 0},
    {"runs cut", BYTES("\x01\x0f\0\x20"), 2, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"start at 0", BYTES("\x81\0\x01"), 2, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start twice", BYTES("\x82\x88\x10"), 4, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start at the text's end", BYTES("\x81\x18\x01"), 3, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start without a change", BYTES("\x81\x88\x01"), 2, BO_CORRUPT, 0, NO_CHANGE, 0},
    /* one block: 14, 3 base, description (6 m, 4 l, 5 c, 3 g, 2 search), bias; the block */
    {"counts of 2 bits", BYTES("\x8e\x80\x02\0\x95"), 16, BO_OK, 0, NULL, 0},
    {"counts of 4 bits", BYTES("\x8e\x80\x02\x02\x51\x02"), 16, BO_OK, 0, NULL, 0},
    {"Elias-Fano", BYTES("\x8e\x80\x02\x04\x96"), 16, BO_OK, 0, NULL, 0},
    {"search 3", BYTES("\x8e\x80\x02\x06\x96"), 16, BO_CORRUPT, 0, OUT_OF_RANGE, 0},
    {"no start", BYTES("\x0e\x80\x02\0\0"), 16, BO_CORRUPT, 0, NO_START, 0},
    {"fields without bits", BYTES("\x8e\x80\0\0\x15"), 16, BO_CORRUPT, 0, OUT_OF_RANGE, 0},
    {"fields of 33 bits", BYTES("\x8e\x80\x7e\0\x15"), 16, BO_CORRUPT, 0, OUT_OF_RANGE, 0},
    {"high parts with numbers of 5 bits", BYTES("\x8e\x80\x42\x01\x15\0\0\0\0"), 16, BO_CORRUPT, 0,
     OUT_OF_RANGE, 0},
    {"values of 32 bits", BYTES("\x8e\x80\x3e\0\x15\0\0\0\xc0\xff\xff\xff\x3f"), 16, BO_OK, 0, NULL,
     0},
    {"bias of 32 bits", BYTES("\xfe\x80\x02\xf8\xff\xff\xff\x07\x95"), 16, BO_OK, 0, NULL, 0},
    {"bias of 33 bits", BYTES("\xfe\x80\x02\0\0\0\0\x08\x95"), 16, BO_CORRUPT, 0, WIDE_BIAS, 0},
    {"bias of a block cut", BYTES("\xfe\x80\x02\0\0\0\0"), 16, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"block cut", BYTES("\x8e\x80\x02\0"), 16, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"32 counts of 2 bits", BYTES("\x8e\0\x02\0\0\0\0\0\0\0\0\x40\x02"), 32, BO_OK, 0, NULL, 0},
    {"33 counts of 2 bits", BYTES("\x8e\0\x02\0\0\0\0\0\0\0\0\0\x09"), 33, BO_CORRUPT, 0, BUCKETS,
     0},
    {"17 counts of 4 bits", BYTES("\x8e\0\x02\x02\0\0\0\0\0\0\0\0\x21"), 17, BO_CORRUPT, 0, BUCKETS,
     0},
    {"127 bits of Elias-Fano",
     BYTES("\x8e\0\x02\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x5f\x01"),
     126, BO_OK, 0, NULL, 0},
    {"128 bits of Elias-Fano",
     BYTES("\x8e\0\x02\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xbf\x02"),
     127, BO_CORRUPT, 0, BUCKETS, 0},
    {"start that no bucket has", BYTES("\x8e\x80\x02\0\x94"), 16, BO_CORRUPT, 0, ALL_STARTS, 0},
    {"two starts for one", BYTES("\x8e\x80\x02\0\x96"), 16, BO_CORRUPT, 0, ALL_STARTS, 0},
    {"Elias-Fano of two buckets for one", BYTES("\x8e\x80\x02\x04\x97"), 16, BO_CORRUPT, 0,
     ALL_STARTS, 0},
    {"Elias-Fano that ends with a start", BYTES("\x8e\x80\x02\x04\x95"), 16, BO_CORRUPT, 0,
     ALL_STARTS, 0},
    {"start of a block at 0", BYTES("\x8e\x80\x02\0\x81"), 16, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"starts of a bucket that descend", BYTES("\x0e\x81\x02\0\x16\x09"), 16, BO_CORRUPT, 0,
     NO_ASCENT, 0},
    {"start of a block at its end", BYTES("\x8e\x80\x02\0\x95"), 5, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start of a block without a change", BYTES("\x8e\x80\x02\0\xd5"), 16, BO_CORRUPT, 0, NO_CHANGE,
     0},
    {"high parts", BYTES("\x8e\x80\x42\0\x15\x8e\x1c"), 16, BO_OK, 0, NULL, 0},
    {"high parts of 32 bits with the low one", BYTES("\x8e\x80\x42\0\x15\xfe\0\0\0\xc0\x01\0\0\0"),
     16, BO_OK, 0, NULL, 0},
    {"high parts of 33 bits with the low ones", BYTES("\x8e\x80\x44\0\x15\xf8\x03\0\0\0\x07\0\0\0"),
     16, BO_CORRUPT, 0, HIGH_PARTS, 0},
    {"high parts cut", BYTES("\x8e\x80\x42\0\x15\xfe\0\0\0\xc0\x01\0\0"), 16, BO_TRUNCATED, 0,
     PAST_THE_END, 0},
    {"bits after high parts", BYTES("\x8e\x80\x42\0\x15\x8e\x3c"), 16, BO_CORRUPT, 0, AFTER_BLOCK,
     0},
    /* several blocks: 15, 3 base, 5 k, 5 o, 6 b, bias; for each a description, b bias, o offset */
    {"one constant block", BYTES("\x0f\x02\0\0\0\0"), 16, BO_OK, 0, NULL, 0},
    {"two blocks, one value", BYTES("\x0f\x02\0\0\0\0\0\0\0"), 17, BO_OK, 0, NULL, 0},
    {"bias of a block of 33 bits", BYTES("\x0f\x02\x42\0\0\0\0\0\0\0\0"), 16, BO_CORRUPT, 0,
     BLOCK_BIAS, 0},
    {"record bias of 33 bits", BYTES("\x7f\x02\0\0\0\0\x80\0\0\0"), 16, BO_CORRUPT, 0, WIDE_BIAS,
     0},
    {"index cut", BYTES("\x0f\x02\0\0\0\0"), 1u << 20, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"bits after an index", BYTES("\x0f\x12\0\0\0\0\x02"), 16, BO_CORRUPT, 0, AFTER_INDEX, 0},
    {"low bits of a block of one run", BYTES("\x0f\x02\0\0\x04\0"), 16, BO_CORRUPT, 0,
     CONSTANT_BLOCK, 0},
    {"width of a block of one run", BYTES("\x0f\x02\0\0\x40\0"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK,
     0},
    {"numbers of a block of one run", BYTES("\x0f\x02\0\0\0\x08"), 16, BO_CORRUPT, 0,
     CONSTANT_BLOCK, 0},
    {"search of a block of one run", BYTES("\x0f\x02\0\0\0\x40"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK,
     0},
    {"offset of one run", BYTES("\x0f\x12\0\0\0\0\x01"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK, 0},
    {"block of two runs", BYTES("\x0f\x02\0\x10\x50\0\x95"), 16, BO_OK, 0, NULL, 0},
    {"two blocks of two runs", BYTES("\x0f\x12\x06\x10\x50\0\x10\x50\0\x0d\x95\x95"), 32, BO_OK, 0,
     NULL, 0},
    {"block past the end", BYTES("\x0f\x02\0\x10\x50\0"), 16, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"block after a gap", BYTES("\x0f\x12\0\x10\x50\0\x01\0\x95"), 16, BO_CORRUPT, 0, NOT_NEXT, 0},
    {"block over another", BYTES("\x0f\x12\0\x10\x50\0\x02\x0a\0\x95\x95"), 32, BO_CORRUPT, 0,
     NOT_NEXT, 0},
};

static void test_bad_payloads(void **state)
{
    (void)state;
    test_expect_areas("packed-starts", cases, N_ELEMENTS(cases));
}

static int run_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_payloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
TEST_FILE(run_file)
