/*
 * shape-code's bad payloads: dictionaries, shaped and split records that no encoder writes, each
 * with the status, the byte and the phrase that its readers must report. Why: its records are
 * bits that overlap in bytes and reach below their reference, so there are more ways to be wrong
 * than in the other codecs, and none may read outside.
 */
#include "codecs/pcdata/test_frame.h"

/* Dictionaries of 32 bytes. A base of 0 and one shape, which the next three bytes define. */
#define ZEROS_21 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define ZEROS_24 ZEROS_21 "\0\0\0"
#define NO_SHAPES "\0\0\0\0\0\0\0\0" ZEROS_24
#define ONE_BASE "\x01\0\0\0\0\0\0\x01"
#define ONE_RUN ONE_BASE "\x20\0\0" ZEROS_21
#define TWO_RUNS ONE_BASE "\x20\x40\x08" ZEROS_21
#define THREE_RUNS ONE_BASE "\x22\x80\x08" ZEROS_21 /* the same, and a low bit of each start */
#define UNUSED_FIELDS "fields of unused runs are not 0"
#define DICTIONARY_CUT "dictionary runs past the area's end"
#define NO_SUCH "low part, bias or base of a shape is out of range"
#define UPPER_FLAW "upper parts do not fit the shape and the text"
#define SPLIT_WIDTHS "widths of a split record do not fit"
#define NOT_NEXT "table's record is neither the next one nor an earlier one"
#define LEFT_OVER "bytes of the area belong to no table"

static const struct test_area cases[] = {
    /* the dictionary, at least 32 bytes: bases, templates, shapes */
    {"no dictionary", BYTES("\0\0\0"), 1, BO_TRUNCATED, 3, DICTIONARY_CUT, 32},
    {"short dictionary", BYTES(ZEROS_24 "\0\0\0\0\0\0\0"), 1, BO_TRUNCATED, 4, DICTIONARY_CUT, 32},
    {"base cut", BYTES("\x01\0\0\0"), 1, BO_TRUNCATED, 1, DICTIONARY_CUT, 32},
    {"17 bases", BYTES("\x11" ZEROS_24 "\0\0\0\0\0\0\0"), 1, BO_CORRUPT, 1,
     "dictionary has more than 16 bases", 32},
    {"513 templates", BYTES("\0\x01\x02" ZEROS_24 "\0\0\0\0\0"), 1, BO_CORRUPT, 3,
     "dictionary has more than 512 templates", 32},
    {"template cut", BYTES("\0\x01\0\x01\x40"), 1, BO_TRUNCATED, 4, DICTIONARY_CUT, 32},
    {"255 shapes", BYTES("\0\0\0\xff" ZEROS_24 "\0\0\0\0"), 1, BO_CORRUPT, 4,
     "dictionary has more than 254 shapes", 32},
    {"bits after the dictionary", BYTES("\0\0\0\0\x01\0\0\0" ZEROS_24), 1, BO_CORRUPT, 4,
     "bits after the dictionary are not 0", 32},
    {"10 low bits", BYTES(ONE_BASE "\x34\0\0" ZEROS_21), 1, BO_CORRUPT, 11, NO_SUCH, 32},
    {"bias of 5 bytes", BYTES(ONE_BASE "\xa0\0\0" ZEROS_21), 1, BO_CORRUPT, 11, NO_SUCH, 32},
    {"base 1 of 1", BYTES(ONE_BASE "\x20\x01\0" ZEROS_21), 1, BO_CORRUPT, 11, NO_SUCH, 32},
    {"values of 33 bits", BYTES(ONE_BASE "\x20\x20\xf8" ZEROS_21), 1, BO_CORRUPT, 11,
     "shape with too many low bits or too wide values", 32},
    {"values of 32 bits", BYTES(ONE_BASE "\x20\x10\xf8" ZEROS_21 "\0\0\0\0\x07\0"), 1, BO_OK, 0,
     NULL, 37},
    {"32 runs of 9 low bits", BYTES(ONE_BASE "\x32\xc0\x07" ZEROS_21), 1, BO_CORRUPT, 11,
     "shape with too many low bits or too wide values", 32},
    {"template 0 of 0", BYTES(ONE_BASE "\x21\0\0" ZEROS_21), 1, BO_CORRUPT, 10,
     "template of a shape is out of range", 32},

    /*
     * shaped records; here a shape of one run, and one of two, with a bias of a byte and values of
     * a bit
     */
    {"constant", BYTES(ONE_RUN "\x07\0"), 1, BO_OK, 0, NULL, 33},
    {"constant, two quanta", BYTES(ONE_RUN "\x07\0\0"), 2, BO_OK, 0, NULL, 33},
    {"two runs", BYTES(TWO_RUNS "\x40\x07\0\x02"), 2, BO_OK, 0, NULL, 34},
    /* below the code: a zero, three values (the last run's first), two low bits, the bias */
    {"two runs of three", BYTES(THREE_RUNS "\x90\x07\0\x01"), 2, BO_OK, 0, NULL, 34},
    {"unused value", BYTES(THREE_RUNS "\x98\x07\0\x01"), 2, BO_CORRUPT, 34, UNUSED_FIELDS, 34},
    {"unused low part", BYTES(THREE_RUNS "\xd0\x07\0\x01"), 2, BO_CORRUPT, 34, UNUSED_FIELDS, 34},
    {"code of no shape", BYTES(ONE_RUN "\x07\x01"), 1, BO_CORRUPT, 33, "code has no shape", 33},
    {"upper parts missing", BYTES(ONE_RUN "\x07\0"), 2, BO_TRUNCATED, 33,
     "upper parts run past the area's end", 33},
    {"more boundaries than the shape's", BYTES(ONE_RUN "\x07\0\x02"), 2, BO_CORRUPT, 33, UPPER_FLAW,
     33},
    {"a boundary after the last bucket", BYTES(ONE_RUN "\x07\0\x01"), 1, BO_CORRUPT, 33, UPPER_FLAW,
     33},
    {"text longer than upper parts hold", BYTES(ONE_RUN "\x07\0\0\0\0\0\0\0\0"), 64, BO_CORRUPT, 33,
     UPPER_FLAW, 33},
    {"fields in the dictionary", BYTES(ONE_RUN "\0"), 1, BO_CORRUPT, 32,
     "fields of a record overlap the dictionary", 32},
    {"boundary at 0", BYTES(TWO_RUNS "\x40\x07\0\x01"), 2, BO_CORRUPT, 34,
     "boundaries of a record do not ascend", 34},
    {"boundary that changes nothing", BYTES(TWO_RUNS "\0\x07\0\x02"), 2, BO_CORRUPT, 34,
     "boundary does not change the value", 34},
    {"bits between records", BYTES(TWO_RUNS "\x41\x07\0\x02"), 2, BO_CORRUPT, 34, NOT_NEXT, 34},
    {"a byte after the record", BYTES(ONE_RUN "\x07\0\x01"), 1, BO_CORRUPT, 33, UPPER_FLAW, 33},
    {"two bytes after the record", BYTES(ONE_RUN "\x07\0\0\x01"), 1, BO_CORRUPT, 34, LEFT_OVER, 33},

    /*
     * split records: 255, k and shift, index bits and bytes of least - 1, bias bits, least, index,
     * blocks
     */
    {"one block", BYTES(NO_SHAPES "\xff\0\0\0\x05\0\0"), 1, BO_OK, 0, NULL, 32},
    {"one block of 2^31 quanta", BYTES(NO_SHAPES "\xff\x1f\0\0\x05\0\0"), 1u << 31, BO_OK, 0, NULL,
     32},
    {"the same block twice", BYTES(NO_SHAPES "\xff\x1f\0\0\x05\0\0"), UINT32_MAX, BO_OK, 0, NULL,
     32},
    {"a block inside the last one",
     BYTES(NO_SHAPES "\xff\x02\x04\0\0\x60\x01\x44\x68\x24\x02\0\0\x02\x40\0"), 8, BO_CORRUPT, 32,
     "repeated block ends after the blocks before it", 32},
    {"split record cut", BYTES(NO_SHAPES "\xff\0\0\0"), 1, BO_TRUNCATED, 32,
     "split record runs past the area's end", 32},
    {"block of 2^32 quanta", BYTES(NO_SHAPES "\xff\x20\0\0\x05\0\0"), 1, BO_CORRUPT, 32,
     SPLIT_WIDTHS, 32},
    {"index of 33 bits", BYTES(NO_SHAPES "\xff\0\x21\0\x05\0\0"), 9, BO_CORRUPT, 32, SPLIT_WIDTHS,
     32},
    {"bias of 33 bits", BYTES(NO_SHAPES "\xff\0\0\x21\x05\0\0"), 1, BO_CORRUPT, 32, SPLIT_WIDTHS,
     32},
    {"index of one block", BYTES(NO_SHAPES "\xff\0\x01\0\x05\0\0\0"), 1, BO_CORRUPT, 32,
     "record with one block has an index", 32},
    {"2^32 - 1 blocks in no bytes", BYTES(NO_SHAPES "\xff\0\0\0\x05\0\0"), UINT32_MAX, BO_CORRUPT,
     32, "several blocks without an index", 32},
    {"index cut", BYTES(NO_SHAPES "\xff\0\x20\0\x05\0\0"), 257, BO_TRUNCATED, 32,
     "index runs past the area's end", 32},
    {"least of 4 bytes, 1 there", BYTES(NO_SHAPES "\xff\0\xc0\0\x05"), 1, BO_TRUNCATED, 32,
     "index runs past the area's end", 32},
    {"no block", BYTES(NO_SHAPES "\xff\0\0\0\x05"), 1, BO_TRUNCATED, 37,
     "block starts past the area's end", 32},
    {"block cut", BYTES(NO_SHAPES "\xff\0\0\0\x05\0"), 1, BO_TRUNCATED, 37,
     "block runs past the area's end", 32},
    {"values of 33 bits in a block", BYTES(NO_SHAPES "\xff\0\0\0\x05\x40\x08"), 1, BO_CORRUPT, 37,
     "value widths of a block do not fit", 32},
    /* of clusters: 31 low bits, the cluster's number, and the high part of 1 bit, or none */
    {"31 low bits of two clusters", BYTES(NO_SHAPES "\xff\0\0\0\x05\0\xf8\x07\0\0\0\0\0"), 1, BO_OK,
     0, NULL, 32},
    {"31 low bits of three clusters", BYTES(NO_SHAPES "\xff\0\0\0\x05\0\xf8\x0b\0\0\0\0\0"), 1,
     BO_CORRUPT, 37, "value widths of a block do not fit", 32},
    {"31 low bits of 31", BYTES(NO_SHAPES "\xff\0\0\0\x05\xc0\xf7\x07\0\0\0\0\0"), 1, BO_CORRUPT,
     37, "value widths of a block do not fit", 32},
    {"boundary missing", BYTES(NO_SHAPES "\xff\0\0\0\x05\x01\0"), 1, BO_CORRUPT, 37,
     "block has too few boundaries", 32},
    {"boundary too many", BYTES(NO_SHAPES "\xff\0\0\0\x05\0\x20"), 1, BO_CORRUPT, 37,
     "block has too many boundaries", 32},
    {"bytes after the blocks", BYTES(NO_SHAPES "\xff\0\0\0\x05\0\0\x01"), 1, BO_CORRUPT, 39,
     LEFT_OVER, 32},
};

TEST(test_bad_payloads)
{
    test_expect_areas("shape-code", cases, N_ELEMENTS(cases));
}

/*
 * So many different numbers of runs, lengths of text, least values and ranges that the set of
 * proposed shapes becomes full: the writer then leaves out what it does not have yet.
 */
TEST(test_many_proposals)
{
    enum { N_TABLES = 12000, MAX_RUNS = 32 };
    const struct bo_format *format = bo_find_format("pcdata");
    const struct bo_codec *codec = bo_find_codec(format, "shape-code");
    struct bo_arena arena;
    struct bo_writer out;
    void *decoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    struct pcdata_table *tables = bo_alloc_array(&arena, N_TABLES, sizeof *tables);
    for (uint32_t i = 0; i < N_TABLES; i++) {
        const uint32_t n = 2 + i % (MAX_RUNS - 1), shift = i / 31 % 4;
        const int32_t least = (int32_t)(8 * (i % 16)), top = INT32_C(64) << i % 25;
        struct pcdata_run *runs = bo_alloc_array(&arena, n, sizeof *runs);
        for (uint32_t k = 0; k < n; k++)
            runs[k] = (struct pcdata_run){k, least + (k % 2 ? 1 << shift : 0)};
        runs[1].value = least + top;
        tables[i] = (struct pcdata_table){
            .text_len = n << i % 10, .n_runs = n, .refs = 1, .kind = PCDATA_PCLN, .runs = runs};
    }
    const struct pcdata_model model = {1, N_TABLES, tables};
    assert_null(pcdata_model_flaw(&model, NULL));
    bo_writer_init(&out, &arena);
    assert_int_equal(codec->encode(codec, &model, &out, NULL), BO_OK);
    assert_int_equal(codec->decode(codec, bo_writer_span(&out), &arena, &decoded, NULL), BO_OK);
    assert_null(format->differ(&model, decoded));
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
