/*
 * Payloads of packed-starts, made by hand: lists, single and several blocks, each with the
 * status, the byte and the phrase that the decoder must report. Why: fields are bits whose places
 * depend on each other, so a wrong one moves all that follow, and none may be read outside the
 * area.
 */
#include <inttypes.h>

#include "codecs/pcdata/test_frame.h"

#define LONG_BIAS "bias of a list is not as short as possible"
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
#define REPEATS "record repeats an earlier one"
#define DIFFERS "record differs from the encoding of its runs"
#define NOT_NEXT "block does not follow the one before it"

static const struct test_area cases[] = {
    /* short lists: 3 bits n, 2 base, 4 width; starts, values */
    {"constant", BYTES("\0\0"), 1, BO_OK, 0, NULL, 0},
    {"constant with a value", BYTES("\x80\x12"), 1, BO_OK, 0, NULL, 0},
    {"list cut", BYTES("\xe0"), 1, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"bits after a constant", BYTES("\0\x02"), 1, BO_CORRUPT, 0, AFTER_RECORD, 0},
    {"byte after a constant", BYTES("\0\0\0"), 1, BO_CORRUPT, 2, LEFT_OVER, 0},
    {"two runs", BYTES("\x21\x42"), 2, BO_OK, 0, NULL, 0},
    {"runs cut", BYTES("\xe1\x03\0\x10\0"), 2, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"no width of two runs", BYTES("\x01\x02"), 2, BO_CORRUPT, 0, NO_CHANGE, 0},
    {"6 starts of 10 bits", BYTES("\x26\x02\x10\x60\0\x02\x0a\0\x48\x05"), 257, BO_OK, 0, NULL, 0},
    {"6 starts of 11 bits", BYTES("\x26\x02\x20\x80\x01\x10\xa0\0\0\x51\x01"), 513, BO_CORRUPT, 0,
     TOO_MANY, 0},
    {"start of 33 bits", BYTES("\x21\xfc\xff\xff\xff\x09"), UINT32_MAX, BO_OK, 0, NULL, 0},
    {"start with its highest bit", BYTES("\x21\xa2"), 16, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start at 0", BYTES("\x21\x40"), 2, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start twice", BYTES("\x22\x22\x04"), 4, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start at the text's end", BYTES("\x21\x46"), 3, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start without a change", BYTES("\x21\x62"), 2, BO_CORRUPT, 0, NO_CHANGE, 0},
    /* wide lists: 7, 3 bits n, 5 width, 3 bytes of the bias; bias, starts, values */
    {"constant of 2^31", BYTES("\x07\x80\0\0\0\x80"), UINT32_MAX, BO_OK, 0, NULL, 0},
    {"values of 31 bits", BYTES("\x27\x3f\0\x01\0\0\0\xf8\xff\xff\xff\x03"), 2, BO_OK, 0, NULL, 0},
    {"bias of no bytes", BYTES("\x07\0"), 1, BO_CORRUPT, 0, LONG_BIAS, 0},
    {"bias of two bytes for one", BYTES("\x07\x40\xff\0"), 1, BO_CORRUPT, 0, LONG_BIAS, 0},
    {"bias of 5 bytes", BYTES("\x07\xa0\0\0\0\0\x80"), 1, BO_CORRUPT, 0, LONG_BIAS, 0},
    {"bias cut", BYTES("\x07\x40\0"), 1, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"7 starts of a wide list", BYTES("\xe7\x21\0\x21\x43\x65\xa7\x0a"), 8, BO_CORRUPT, 0, TOO_MANY,
     0},
    /* long lists: 7, form 1, 2 bits base, 4 width, 5 n; starts, values */
    {"long list of one word", BYTES("\x8f\x38\x21\x43\x65\xa7\x0a"), 8, BO_OK, 0, NULL, 0},
    {"long list with fields of 3 bits for 1", BYTES("\x8f\x39\x21\x43\x65\x87\x20\x08\x02"), 8,
     BO_CORRUPT, 1, DIFFERS, 0},
    {"two words", BYTES("\x8f\x68\x03\x06\x09\x0c\x0f\x12\x15\x18\x1b\x1e\x21\x24\x27\xaa\x2a"),
     128, BO_OK, 0, NULL, 0},
    {"15 starts", BYTES("\x8f\x78\x41\x0c\x52\xcc\x41\x49\x2d\xd6\xdc\x53\x55\x05"), 16, BO_CORRUPT,
     0, DIFFERS, 0},
    {"16 starts", BYTES("\x8f\x80\x81\x30\x10\x85\x71\x20\x89\xb2\x30\x8d\xf3\x40\xaa\xaa\0"), 17,
     BO_CORRUPT, 0, TOO_MANY, 0},
    {"11 starts of 10 bits",
     BYTES("\x8f\x58\x01\x08\x30\0\x01\x05\x18\x70\0\x02\x09\x28\xb0\x80\xaa\x02"), 257, BO_OK, 0,
     NULL, 0},
    {"12 starts of 10 bits",
     BYTES("\x8f\x60\x01\x08\x30\0\x01\x05\x18\x70\0\x02\x09\x28\xb0\0\x03\xaa\x0a"), 257,
     BO_CORRUPT, 0, TOO_MANY, 0},
    {"long list cut", BYTES("\x8f\x68\x03\x06\x09\x0c\x0f\x12\x15\x18\x1b\x1e\x21\x24\x27\xaa"),
     128, BO_TRUNCATED, 0, PAST_THE_END, 0},
    /* one block: 7, form 2, 3 base, description (6 m, 4 l, 5 c, 3 g, 2 search), bias; the block */
    {"counts", BYTES("\x17\x81\x04\0\x01\x0a"), 16, BO_CORRUPT, 0, DIFFERS, 0},
    {"Elias-Fano", BYTES("\x17\x81\x04\x0c\x5e\x01"), 16, BO_CORRUPT, 0, DIFFERS, 0},
    {"no start", BYTES("\x17\x80\x04\0\0"), 16, BO_CORRUPT, 0, NO_START, 0},
    {"fields without bits", BYTES("\x17\x81\0\0\x01\x01"), 16, BO_CORRUPT, 0, OUT_OF_RANGE, 0},
    {"fields of 33 bits", BYTES("\x17\x81\x7c\x01\x01\0\0\0\0\0"), 16, BO_CORRUPT, 0, OUT_OF_RANGE,
     0},
    {"high parts with numbers of 5 bits", BYTES("\x17\x81\x84\x02\x01\0\0\0\0\0"), 16, BO_CORRUPT,
     0, OUT_OF_RANGE, 0},
    {"values of 31 bits in a block", BYTES("\x17\x81\x7c\0\x01\0\0\0\x80\xfe\xff\xff\xff"), 16,
     BO_CORRUPT, 0, DIFFERS, 0},
    {"bias of 32 bits", BYTES("\xf7\x81\x04\xf0\xff\xff\xff\x0f\x01\x0a"), 16, BO_CORRUPT, 0,
     DIFFERS, 0},
    {"bias of 33 bits", BYTES("\xf7\x81\x04\0\0\0\0\x10\x01\x0a"), 16, BO_CORRUPT, 0, WIDE_BIAS, 0},
    {"bias of a block cut", BYTES("\xf7\x81\x04\0\0\0\0"), 16, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"block cut", BYTES("\x17\x81\x04\0"), 16, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"32 counts", BYTES("\x17\x01\x04\0\0\0\0\0\0\0\0\x40\x02"), 32, BO_CORRUPT, 0, DIFFERS, 0},
    {"33 counts", BYTES("\x17\x01\x04\0\0\0\0\0\0\0\0\0\x09"), 33, BO_CORRUPT, 0, BUCKETS, 0},
    {"127 bits of Elias-Fano",
     BYTES("\x17\x01\x04\x0c\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x5f\x01"),
     126, BO_CORRUPT, 0, DIFFERS, 0},
    {"128 bits of Elias-Fano",
     BYTES("\x17\x01\x04\x0c\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xbf\x02"),
     127, BO_CORRUPT, 0, BUCKETS, 0},
    {"start that no bucket has", BYTES("\x17\x81\x04\0\0\x0a"), 16, BO_CORRUPT, 0, ALL_STARTS, 0},
    {"two starts for one", BYTES("\x17\x81\x04\0\x02\x0a"), 16, BO_CORRUPT, 0, ALL_STARTS, 0},
    {"Elias-Fano of two buckets for one", BYTES("\x17\x81\x04\x0c\x5f\x01"), 16, BO_CORRUPT, 0,
     ALL_STARTS, 0},
    {"Elias-Fano that ends with a start", BYTES("\x17\x81\x04\x0c\x4f\x01"), 16, BO_CORRUPT, 0,
     ALL_STARTS, 0},
    {"full bucket", BYTES("\x17\xc4\x04\x04\x03\x42\xca\x12"), 16, BO_CORRUPT, 0, DIFFERS, 0},
    {"full bucket without a start more", BYTES("\x17\xc3\x04\x04\x03\x40\xca\x02"), 16, BO_CORRUPT,
     0, ALL_STARTS, 0},
    {"full bucket that has no 3 starts", BYTES("\x17\xc4\x04\x04\x02\x44\xca\x12"), 16, BO_CORRUPT,
     0, ALL_STARTS, 0},
    {"full bucket that does not exist", BYTES("\x17\xc4\x04\x04\x23\x42\xca\x12"), 16, BO_CORRUPT,
     0, ALL_STARTS, 0},
    {"full bucket twice", BYTES("\x17\xc5\x04\x08\x03\x02\x84\x94\xa5\x06"), 16, BO_CORRUPT, 0,
     ALL_STARTS, 0},
    {"start of a block at 0", BYTES("\x17\x81\x04\0\x01\x08"), 16, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"starts of a bucket that descend", BYTES("\x17\x82\x04\0\x02\x1c"), 16, BO_CORRUPT, 0,
     NO_ASCENT, 0},
    {"start of a block at its end", BYTES("\x17\x81\x04\0\xa4"), 5, BO_CORRUPT, 0, NO_ASCENT, 0},
    {"start of a block without a change", BYTES("\x17\x81\x04\0\x01\x0b"), 16, BO_CORRUPT, 0,
     NO_CHANGE, 0},
    {"high parts", BYTES("\x17\x81\x84\0\x01\xf4\xc8\x01"), 16, BO_CORRUPT, 0, DIFFERS, 0},
    {"high parts of 32 bits with the low one",
     BYTES("\x17\x81\x84\0\x01\xf4\x07\0\0\0\x1c\0\0\0\0"), 16, BO_CORRUPT, 0, DIFFERS, 0},
    {"high parts of 33 bits with the low ones",
     BYTES("\x17\x81\x88\0\x01\xe8\x1f\0\0\0\x70\0\0\0\0"), 16, BO_CORRUPT, 0, HIGH_PARTS, 0},
    {"high parts cut", BYTES("\x17\x81\x84\0\x01\xf4\x07\0\0\0\x1c\0\0\0"), 16, BO_TRUNCATED, 0,
     PAST_THE_END, 0},
    {"bits after high parts", BYTES("\x17\x81\x84\0\x01\xf4\xc8\x03"), 16, BO_CORRUPT, 0,
     AFTER_BLOCK, 0},
    /* several blocks: 7, form 3, 3 base, 5 k, 5 o, 6 b, bias; then description, o offset, b bias */
    {"one constant block", BYTES("\x1f\x04\0\0\0\0"), 16, BO_CORRUPT, 0, DIFFERS, 0},
    {"two blocks, one value", BYTES("\x1f\x04\0\0\0\0\0\0"), 17, BO_CORRUPT, 0, DIFFERS, 0},
    {"bias of a block of 33 bits", BYTES("\x1f\x04\x84\0\0\0\0\0\0\0"), 16, BO_CORRUPT, 0,
     BLOCK_BIAS, 0},
    {"index cut", BYTES("\x1f\x04\0\0\0\0"), 1u << 20, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"bits after an index", BYTES("\x1f\x04\0\0\0\x10"), 16, BO_CORRUPT, 0, AFTER_INDEX, 0},
    {"low bits of a block of one run", BYTES("\x1f\x04\0\x40\0\0"), 16, BO_CORRUPT, 0,
     CONSTANT_BLOCK, 0},
    {"width of a block of one run", BYTES("\x1f\x04\0\0\x04\0"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK,
     0},
    {"numbers of a block of one run", BYTES("\x1f\x04\0\0\x80\0"), 16, BO_CORRUPT, 0,
     CONSTANT_BLOCK, 0},
    {"search of a block of one run", BYTES("\x1f\x04\0\0\0\x04"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK,
     0},
    {"offset of one run", BYTES("\x1f\x24\0\0\0\x10"), 16, BO_CORRUPT, 0, CONSTANT_BLOCK, 0},
    {"block of two runs", BYTES("\x1f\x04\0\x81\x04\0\x01\x0a"), 16, BO_CORRUPT, 0, DIFFERS, 0},
    {"two blocks of two runs", BYTES("\x1f\x44\x08\x81\x04\0\x81\x04\x60\x01\x0a\x01\x0a"), 32,
     BO_CORRUPT, 0, DIFFERS, 0},
    {"block past the end", BYTES("\x1f\x04\0\x81\x04\0"), 16, BO_TRUNCATED, 0, PAST_THE_END, 0},
    {"block after a gap", BYTES("\x1f\x24\0\x81\x04\x10\0\x01\x0a"), 16, BO_CORRUPT, 0, NOT_NEXT,
     0},
    {"block over another", BYTES("\x1f\x44\0\x81\x04\x40\x20\x01\0\x01\x0a\x01\x0a"), 32,
     BO_CORRUPT, 0, NOT_NEXT, 0},
};

TEST(test_bad_payloads)
{
    test_expect_areas("packed-starts", cases, N_ELEMENTS(cases));
}

/* Two tables refer to two records of the same bytes, or to one. */
TEST(test_equal_records)
{
    static struct test_payload payload;
    const struct test_verdict ok = {BO_OK, 0, NULL};
    const struct test_verdict again = {BO_CORRUPT, TEST_AREA_OFF + 2, REPEATS};
    test_payload_make(&payload, 0, (struct bo_span)BYTES("\x21\x42"),
                      (struct test_entry[]){{0, 2}, {0, 4}}, 2);
    test_expect("packed-starts", "one record", test_payload_span(&payload), &ok);
    test_payload_make(&payload, 0, (struct bo_span)BYTES("\x21\x42\x21\x42"),
                      (struct test_entry[]){{0, 2}, {2, 2}}, 2);
    test_expect("packed-starts", "a record twice", test_payload_span(&payload), &again);
}

/* Lists whose starts have each number of bits: other lanes of a word. */
TEST(test_widths)
{
    const struct bo_format *format = bo_find_format("pcdata");
    const struct bo_codec *codec = bo_find_codec(format, "packed-starts");
    const struct bo_check *check = bo_find_check("oracle");
    const struct bo_effort effort = bo_effort_default();
    for (unsigned nbits = 4; nbits <= 32; nbits++) {
        const uint32_t n = (uint32_t)((UINT64_C(1) << nbits) - 1);
        struct bo_arena arena;
        struct bo_writer text;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&text, &arena);
        bo_put_text(&text, "pcdata 1\nquantum 1\n");
        for (unsigned n_runs = 2; n_runs <= 15; n_runs++) {
            bo_put_text(&text, "table %" PRIu32 " kind=pcln refs=1\n", n);
            for (unsigned r = 0; r < n_runs; r++)
                bo_put_text(&text, "%" PRIu32 " %u\n", (uint32_t)((uint64_t)n * r / n_runs), r);
        }
        bo_put_u8(&text, 0);
        const void *model = parse_text((const char *)text.p, &arena);
        const struct bo_check_result r = check->run(format, codec, model, &effort);
        if (r.outcome != BO_PASS)
            fail_msg("starts of %u bits: %s", nbits, r.finding.detail);
        bo_writer_free(&text);
        bo_arena_free(&arena);
    }
}

TEST_FILE(NULL, NULL)
