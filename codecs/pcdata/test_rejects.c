/*
 * Bad payloads: for each, the status, the byte and the phrase that every reader must answer with.
 * Why: readers face bytes from anywhere, and an error that names the wrong byte sends its reader to
 * the wrong place.
 *
 * A new codec adds rows to `records`; the frame's rows hold for all codecs alike.
 */
#include "codecs/pcdata/test_frame.h"

/* ---- one record ------------------------------------------------------------------------------ */

/* The area is one record of one table; `off` counts from the area's start. */
struct record_case {
    const char *codec, *row;
    struct bo_span area;
    uint32_t quanta; /* of the text */
    enum bo_status status;
    uint64_t off;
    const char *what;
};

#define VARINT_CUT "varint runs past the end"
#define VARINT_LONG "varint is not in its shortest form"
#define VARINT_BIG "varint overflows its type"
#define LEFT_OVER "bytes of the area belong to no table"

#define NOT_NEXT "table's record is neither the next one nor an earlier one"

static const struct record_case records[] = {
    /* varint-delta: what is right, then each way to be wrong */
    {"varint-delta", "a run", BYTES("\x02\x01\x00"), 1, BO_OK, 0, NULL},
    {"varint-delta", "-1 at PC 0", BYTES("\x00\x01\x00"), 1, BO_OK, 0, NULL},
    {"varint-delta", "a run of 2^32 - 1 quanta", BYTES("\x02\xff\xff\xff\xff\x0f\x00"), UINT32_MAX,
     BO_OK, 0, NULL},
    {"varint-delta", "delta cut", BYTES("\x80"), 1, BO_TRUNCATED, 0, VARINT_CUT},
    {"varint-delta", "a lone 00", BYTES("\x00"), 1, BO_TRUNCATED, 1, VARINT_CUT},
    {"varint-delta", "length missing", BYTES("\x02"), 1, BO_TRUNCATED, 1, VARINT_CUT},
    {"varint-delta", "length cut", BYTES("\x02\x80"), 1, BO_TRUNCATED, 1, VARINT_CUT},
    {"varint-delta", "no end", BYTES("\x02\x01"), 1, BO_TRUNCATED, 2, VARINT_CUT},
    {"varint-delta", "no end after two runs", BYTES("\x02\x01\x03\x02"), 3, BO_TRUNCATED, 4,
     VARINT_CUT},
    {"varint-delta", "delta overlong", BYTES("\x82\x00\x01\x00"), 1, BO_CORRUPT, 0, VARINT_LONG},
    {"varint-delta", "length overlong", BYTES("\x02\x81\x00\x00"), 1, BO_CORRUPT, 1, VARINT_LONG},
    {"varint-delta", "end overlong", BYTES("\x02\x01\x80\x00"), 1, BO_CORRUPT, 2, VARINT_LONG},
    {"varint-delta", "delta of 2^32", BYTES("\x80\x80\x80\x80\x10\x01\x00"), 1, BO_CORRUPT, 0,
     VARINT_BIG},
    {"varint-delta", "delta of six bytes", BYTES("\x82\x80\x80\x80\x80\x00\x01\x00"), 1, BO_CORRUPT,
     0, VARINT_BIG},
    {"varint-delta", "length of 2^32", BYTES("\x02\x80\x80\x80\x80\x10\x00"), UINT32_MAX,
     BO_CORRUPT, 1, VARINT_BIG},
    {"varint-delta", "first run empty", BYTES("\x02\x00\x04\x01\x00"), 1, BO_CORRUPT, 1,
     "run of length 0"},
    {"varint-delta", "first run empty, value -1", BYTES("\x00\x00\x04\x01\x00"), 1, BO_CORRUPT, 1,
     "run of length 0"},
    {"varint-delta", "second run empty", BYTES("\x02\x01\x04\x00\x00"), 2, BO_CORRUPT, 3,
     "run of length 0"},
    {"varint-delta", "run past the text", BYTES("\x02\x02\x00"), 1, BO_CORRUPT, 1,
     "run ends past the text's end"},
    {"varint-delta", "second run past the text", BYTES("\x02\x02\x02\x02\x00"), 3, BO_CORRUPT, 3,
     "run ends past the text's end"},
    {"varint-delta", "a run after the text", BYTES("\x02\x01\x02\x01\x00"), 1, BO_CORRUPT, 3,
     "run ends past the text's end"},
    {"varint-delta", "lengths that add up past 2^32", BYTES("\x02\x05\x02\xff\xff\xff\xff\x0f\x00"),
     10, BO_CORRUPT, 3, "run ends past the text's end"},
    {"varint-delta", "ends early", BYTES("\x02\x01\x00"), 2, BO_CORRUPT, 2,
     "record ends before the text does"},
    {"varint-delta", "ends early after two runs", BYTES("\x02\x01\x02\x81\x01\x00"), 131,
     BO_CORRUPT, 5, "record ends before the text does"},
    {"varint-delta", "bytes after the end", BYTES("\x02\x01\x00\x00"), 1, BO_CORRUPT, 3, LEFT_OVER},

    /* linear-index, one chunk: n, PCs, value lengths, values */
    {"linear-index", "constant", BYTES("\x00\x01\x05"), 256, BO_OK, 0, NULL},
    {"linear-index", "values of 2, 4, 1 bytes",
     BYTES("\x02\x01\xff\x1e\x05\x00\x00\x00\x01\x00\x07"), 256, BO_OK, 0, NULL},
    {"linear-index", "only n", BYTES("\x00"), 1, BO_TRUNCATED, 0, "chunk runs past the area's end"},
    {"linear-index", "n larger than the area", BYTES("\xff\x01\x02"), 256, BO_TRUNCATED, 0,
     "chunk runs past the area's end"},
    {"linear-index", "value lengths missing", BYTES("\x02\x01\x02"), 9, BO_TRUNCATED, 0,
     "chunk runs past the area's end"},
    {"linear-index", "value missing", BYTES("\x01\x03\x05\x07"), 9, BO_TRUNCATED, 4,
     "value runs past the area's end"},
    {"linear-index", "value cut", BYTES("\x00\x03\x07\x00\x00"), 9, BO_TRUNCATED, 2,
     "value runs past the area's end"},
    {"linear-index", "n larger than the text", BYTES("\x03\x01\x02\x03\x55\x01\x01\x02\x03"), 3,
     BO_CORRUPT, 3, "PC past the text's end"},
    {"linear-index", "PC at the text's end", BYTES("\x01\x09\x05\x01\x01"), 9, BO_CORRUPT, 1,
     "PC past the text's end"},
    {"linear-index", "PC 0 listed", BYTES("\x01\x00\x05\x01\x01"), 9, BO_CORRUPT, 1,
     "PCs of a chunk do not ascend"},
    {"linear-index", "PC listed twice", BYTES("\x02\x04\x04\x15\x01\x01\x02"), 9, BO_CORRUPT, 2,
     "PCs of a chunk do not ascend"},
    {"linear-index", "PCs descend", BYTES("\x03\x04\x05\x03\x55\x01\x01\x02\x03"), 9, BO_CORRUPT, 3,
     "PCs of a chunk do not ascend"},
    {"linear-index", "PC that changes nothing", BYTES("\x01\x04\x05\x01\x00"), 9, BO_CORRUPT, 4,
     "listed PC does not change the value"},
    {"linear-index", "second PC that changes nothing", BYTES("\x02\x04\x05\x15\x01\x03\x03"), 9,
     BO_CORRUPT, 6, "listed PC does not change the value"},
    {"linear-index", "bias of length 0", BYTES("\x00\x00\x05"), 9, BO_CORRUPT, 1,
     "value of length 0"},
    {"linear-index", "value of length 0", BYTES("\x01\x04\x01\x05\x05"), 9, BO_CORRUPT, 2,
     "value of length 0"},
    {"linear-index", "fifth value of length 0",
     BYTES("\x04\x01\x02\x03\x04\x55\x00\x05\x01\x02\x03\x04"), 9, BO_CORRUPT, 6,
     "value of length 0"},
    {"linear-index", "padding bits", BYTES("\x00\x05\x05"), 9, BO_CORRUPT, 1,
     "bits after the value lengths are not 0"},
    {"linear-index", "padding bits of the last byte",
     BYTES("\x04\x01\x02\x03\x04\x55\x41\x05\x01\x02\x03\x04"), 9, BO_CORRUPT, 6,
     "bits after the value lengths are not 0"},
    {"linear-index", "bytes after the chunk", BYTES("\x00\x01\x05\x00"), 9, BO_CORRUPT, 3,
     LEFT_OVER},

    /* linear-index, more chunks: the index */
    {"linear-index", "two chunks", BYTES("\x03\x00\x01\x05\x00\x01\x06"), 300, BO_OK, 0, NULL},
    {"linear-index", "a constant chunk again", BYTES("\x00\x00\x01\x05"), 300, BO_OK, 0, NULL},
    {"linear-index", "index of u16", BYTES("\xfe\x03\x00\x00\x01\x05\x00\x01\x06"), 300, BO_OK, 0,
     NULL},
    {"linear-index", "index of u32", BYTES("\xff\x03\x00\x00\x00\x00\x01\x05\x00\x01\x06"), 300,
     BO_OK, 0, NULL},
    {"linear-index", "index longer than the area", BYTES("\x00\x00\x01\x05"), 256 * 5 + 1,
     BO_TRUNCATED, 0, "chunk index is longer than the area"},
    {"linear-index", "index of a text of 4 GiB", BYTES("\x00\x00\x01\x05"), UINT32_MAX,
     BO_TRUNCATED, 0, "chunk index is longer than the area"},
    {"linear-index", "no index", BYTES(""), 300, BO_CORRUPT, 64,
     "record offset is past the area's end"},
    {"linear-index", "u16 index cut", BYTES("\xfe\x03"), 300, BO_TRUNCATED, 0,
     "chunk index is longer than the area"},
    {"linear-index", "u32 index cut", BYTES("\xff\x03\x00\x00"), 300, BO_TRUNCATED, 0,
     "chunk index is longer than the area"},
    {"linear-index", "index and no chunks", BYTES("\x03"), 300, BO_TRUNCATED, 1,
     "chunk runs past the area's end"},
    {"linear-index", "second chunk missing", BYTES("\x03\x00\x01\x05"), 300, BO_TRUNCATED, 4,
     "chunk runs past the area's end"},
    {"linear-index", "offset out of range", BYTES("\xfd\x00\x01\x05\x00\x01\x06"), 300, BO_CORRUPT,
     0, "chunk offset leaves a gap"},
    {"linear-index", "gap between chunks", BYTES("\x04\x00\x01\x05\x00\x00\x01\x06"), 300,
     BO_CORRUPT, 0, "chunk offset leaves a gap"},
    {"linear-index", "u16 offset out of range", BYTES("\xfe\x03\x01\x00\x01\x05\x00\x01\x06"), 300,
     BO_CORRUPT, 1, "chunk offset leaves a gap"},
    {"linear-index", "u32 offset out of range",
     BYTES("\xff\x00\x00\x00\x00\x03\x00\x00\x80\x00\x01\x05\x00\x01\x06"), 600, BO_CORRUPT, 5,
     "chunk offset leaves a gap"},
    {"linear-index", "a chunk of two values again", BYTES("\x00\x01\x05\x05\x01\x02"), 300,
     BO_CORRUPT, 0, "chunk offset repeats a chunk of many values"},
    {"linear-index", "a later one of two values again",
     BYTES("\x03\x03\x00\x01\x05\x01\x05\x05\x01\x02"), 600, BO_CORRUPT, 1,
     "chunk offset repeats a chunk of many values"},
    {"linear-index", "offset inside a chunk", BYTES("\x01\x00\x01\x05"), 300, BO_CORRUPT, 0,
     "chunk offset repeats a chunk of many values"},
    {"linear-index", "a constant chunk inside the last one",
     BYTES("\x05\x01\x04\x09\x05\x07\0\x01\x05"), 300, BO_CORRUPT, 0,
     "repeated chunk ends after the chunks before it"},
    {"linear-index", "PC past the text in the last chunk",
     BYTES("\x03\x00\x01\x05\x01\x2c\x05\x06\x01"), 300, BO_CORRUPT, 5, "PC past the text's end"},

    /* raw */
    {"raw", "one value", BYTES("\x01\x02\x03\x04"), 1, BO_OK, 0, NULL},
    {"raw", "value cut", BYTES("\x01\x02\x03"), 1, BO_TRUNCATED, 0,
     "record runs past the area's end"},
    {"raw", "value missing", BYTES("\x01\x02\x03\x04"), 2, BO_TRUNCATED, 0,
     "record runs past the area's end"},
    {"raw", "a text of 4 GiB", BYTES("\x01\x02\x03\x04"), UINT32_MAX, BO_TRUNCATED, 0,
     "record runs past the area's end"},
    {"raw", "bytes after the values", BYTES("\x01\x02\x03\x04\x05"), 1, BO_CORRUPT, 4, LEFT_OVER},

    /* run-array: n, starts, values */
    {"run-array", "one run", BYTES("\x01\0\0\0\0\0\0\0\x05\0\0\0"), 1, BO_OK, 0, NULL},
    {"run-array", "n cut", BYTES("\x01\0\0"), 1, BO_TRUNCATED, 0,
     "record runs past the area's end"},
    {"run-array", "value cut", BYTES("\x01\0\0\0\0\0\0\0\x05\0\0"), 1, BO_TRUNCATED, 0,
     "record runs past the area's end"},
    {"run-array", "n of 2^32 - 1", BYTES("\xff\xff\xff\xff\0\0\0\0\x05\0\0\0"), 1, BO_TRUNCATED, 0,
     "record runs past the area's end"},
    {"run-array", "no runs", BYTES("\0\0\0\0"), 1, BO_CORRUPT, 0, "record has no runs"},
    {"run-array", "first run not at 0", BYTES("\x01\0\0\0\x01\0\0\0\x05\0\0\0"), 9, BO_CORRUPT, 4,
     "starts of the runs do not ascend from 0"},
    {"run-array", "a start twice", BYTES("\x02\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0\x06\0\0\0"), 9,
     BO_CORRUPT, 8, "starts of the runs do not ascend from 0"},
    {"run-array", "starts descend",
     BYTES("\x03\0\0\0\0\0\0\0\x05\0\0\0\x04\0\0\0\x05\0\0\0\x06\0\0\0\x07\0\0\0"), 9, BO_CORRUPT,
     12, "starts of the runs do not ascend from 0"},
    {"run-array", "start at the text's end",
     BYTES("\x02\0\0\0\0\0\0\0\x09\0\0\0\x05\0\0\0\x06\0\0\0"), 9, BO_CORRUPT, 8,
     "run starts past the text's end"},
    {"run-array", "a value twice", BYTES("\x02\0\0\0\0\0\0\0\x08\0\0\0\x05\0\0\0\x05\0\0\0"), 9,
     BO_CORRUPT, 16, "neighbouring runs have the same value"},
    {"run-array", "bytes after the values", BYTES("\x01\0\0\0\0\0\0\0\x05\0\0\0\0"), 1, BO_CORRUPT,
     12, LEFT_OVER},
};

static struct test_payload payload;

TEST(test_records)
{
    for (size_t i = 0; i < N_ELEMENTS(records); i++) {
        const struct record_case *c = &records[i];
        const struct test_entry entry = {0, c->quanta};
        const struct test_verdict verdict = {c->status, TEST_AREA_OFF + c->off, c->what};
        test_payload_make(&payload, 0, c->area, &entry, 1);
        test_expect(c->codec, c->row, test_payload_span(&payload), &verdict);
    }
}

/* ---- the frame ------------------------------------------------------------------------------- */

/*
 * Two tables of quantum 2. Their records are varint-delta's, but errors of the frame come first for
 * every codec.
 */
static void make_two_tables(void)
{
    static const struct bo_span area = BYTES("\x02\x03\x00\x04\x05\x00");
    static const struct test_entry entries[] = {{0, 3}, {3, 5}};
    test_payload_make(&payload, 1, area, entries, 2);
}

/* Where things lie in that payload. */
enum { PADDING_OFF = 22, DIRECTORY_OFF = 24 + 64, END = DIRECTORY_OFF + 2 * 13 };

static void expect_all(const char *row, struct bo_span in, const struct test_verdict *verdict)
{
    const struct bo_format *format = bo_find_format("pcdata");
    for (const struct bo_codec *const *c = format->codecs; *c; c++)
        if (!(*c)->reads)
            test_expect((*c)->name, row, in, verdict);
}

TEST(test_frame)
{
    static const struct {
        const char *row;
        size_t at;
        uint32_t value; /* u8 below 24 and in the padding, u32 in the directory */
        struct test_verdict verdict;
    } cases[] = {
        {"version 0", 0, 0, {BO_UNSUPPORTED, 0, "unknown frame version"}},
        {"version 2", 0, 2, {BO_UNSUPPORTED, 0, "unknown frame version"}},
        {"quantum 8", 1, 3, {BO_CORRUPT, 1, "quantum is not 1, 2 or 4"}},
        {"reserved byte 2", 2, 1, {BO_CORRUPT, 2, "reserved bytes are not 0"}},
        {"reserved byte 3", 3, 1, {BO_CORRUPT, 2, "reserved bytes are not 0"}},
        {"reserved byte 12", 12, 1, {BO_CORRUPT, 12, "reserved bytes are not 0"}},
        {"reserved byte 15", 15, 1, {BO_CORRUPT, 12, "reserved bytes are not 0"}},
        {"a table more", 4, 3, {BO_TRUNCATED, END, "ends inside the area or its directory"}},
        {"a table less", 4, 1, {BO_CORRUPT, END - 13, "bytes follow the directory"}},
        {"2^31 tables", 7, 0x80, {BO_TRUNCATED, END, "ends inside the area or its directory"}},
        {"larger area", 8, 9, {BO_TRUNCATED, END, "ends inside the area or its directory"}},
        {"area of 2^31", 11, 0x80, {BO_TRUNCATED, END, "ends inside the area or its directory"}},
        {"no area", 8, 0, {BO_CORRUPT, END - 8, "bytes follow the directory"}},
        {"padding", PADDING_OFF, 1, {BO_CORRUPT, PADDING_OFF, "padding is not 0"}},
        {"end of the room", DIRECTORY_OFF - 1, 1, {BO_CORRUPT, PADDING_OFF, "padding is not 0"}},
        {"record at the area's end",
         DIRECTORY_OFF,
         6,
         {BO_CORRUPT, DIRECTORY_OFF, "record offset is past the area's end"}},
        {"second record far away",
         DIRECTORY_OFF + 8,
         UINT32_MAX,
         {BO_CORRUPT, DIRECTORY_OFF + 8, "record offset is past the area's end"}},
        {"text length 0",
         DIRECTORY_OFF + 4,
         0,
         {BO_CORRUPT, DIRECTORY_OFF + 4, "text length is 0"}},
        {"second text length 0",
         DIRECTORY_OFF + 12,
         0,
         {BO_CORRUPT, DIRECTORY_OFF + 12, "text length is 0"}},
        {"text of 4 GiB",
         DIRECTORY_OFF + 12,
         UINT32_C(1) << 31,
         {BO_CORRUPT, DIRECTORY_OFF + 12, "text length is 4 GiB or more"}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        make_two_tables();
        if (cases[i].at < DIRECTORY_OFF)
            payload.p[cases[i].at] = (uint8_t)cases[i].value;
        else
            bo_set_le32(payload.p + cases[i].at, cases[i].value);
        expect_all(cases[i].row, test_payload_span(&payload), &cases[i].verdict);
    }
}

TEST(test_every_prefix_of_a_frame)
{
    make_two_tables();
    assert_int_equal(payload.n, END);
    for (size_t n = 0; n < END; n++) {
        const struct test_verdict verdict = {BO_TRUNCATED, n,
                                             n < 16 ? "payload ends inside the frame's header"
                                                    : "ends inside the area or its directory"};
        expect_all("prefix", (struct bo_span){payload.p, n}, &verdict);
    }
    payload.p[END] = 0;
    expect_all("a byte more", (struct bo_span){payload.p, END + 1},
               &(struct test_verdict){BO_CORRUPT, END, "bytes follow the directory"});
}

/*
 * Where records of several tables may lie. Records are 3 bytes of varint-delta: value, length, 00.
 */
TEST(test_directory)
{
    static const struct {
        const char *row;
        struct bo_span area;
        uint32_t n_tables;
        struct test_entry entries[3];
        enum bo_status status;
        uint64_t off; /* from the area's start */
        const char *what;
    } cases[] = {
        {"in order", BYTES("\x02\x01\0\x04\x01\0"), 2, {{0, 1}, {3, 1}}, BO_OK, 0, NULL},
        {"shared", BYTES("\x02\x01\0\x04\x01\0"), 3, {{0, 1}, {3, 1}, {0, 1}}, BO_OK, 0, NULL},
        {"first not at 0", BYTES("\x02\x02\x01\0"), 1, {{1, 1}}, BO_CORRUPT, 1, NOT_NEXT},
        {"out of order",
         BYTES("\x02\x01\0\x04\x01\0"),
         2,
         {{3, 1}, {0, 1}},
         BO_CORRUPT,
         3,
         NOT_NEXT},
        {"gap", BYTES("\x02\x01\0\0\x04\x01\0"), 2, {{0, 1}, {4, 1}}, BO_CORRUPT, 4, NOT_NEXT},
        {"inside a record",
         BYTES("\x02\x01\0\x04\x01\0"),
         3,
         {{0, 1}, {3, 1}, {4, 1}},
         BO_CORRUPT,
         4,
         "record lies inside another table's"},
        {"a record of nobody",
         BYTES("\x02\x01\0\x04\x01\0"),
         2,
         {{0, 1}, {0, 1}},
         BO_CORRUPT,
         3,
         LEFT_OVER},
        {"a zero of nobody", BYTES("\x02\x01\0\0"), 2, {{0, 1}, {0, 1}}, BO_CORRUPT, 3, LEFT_OVER},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        test_payload_make(&payload, 0, cases[i].area, cases[i].entries, cases[i].n_tables);
        const struct test_verdict verdict = {cases[i].status, TEST_AREA_OFF + cases[i].off,
                                             cases[i].what};
        test_expect("varint-delta", cases[i].row, test_payload_span(&payload), &verdict);
    }
}

/* An earlier record is walked again for another text length, and may be wrong for that one only. */
TEST(test_shared_record_of_another_length)
{
    static const struct test_entry entries[] = {{0, 1}, {0, 2}};
    test_payload_make(&payload, 0, (struct bo_span)BYTES("\x02\x01\x00"), entries, 2);
    test_expect(
        "varint-delta", "another length", test_payload_span(&payload),
        &(struct test_verdict){BO_CORRUPT, TEST_AREA_OFF + 2, "record ends before the text does"});
    test_payload_make(&payload, 0, (struct bo_span)BYTES("\x00\x01\x05"), entries, 2);
    test_expect("linear-index", "another length", test_payload_span(&payload),
                &(struct test_verdict){BO_OK, 0, NULL});
}

/*
 * For another text length, a record that two tables share would end inside the record after it, or
 * inside itself.
 */
TEST(test_shared_record_of_another_end)
{
    static const struct {
        const char *codec;
        struct bo_span area;
        struct test_entry entries[3];
    } cases[] = {
        {"raw", BYTES("\x01\0\0\0\x02\0\0\0"), {{0, 1}, {4, 1}, {0, 2}}},
        {"raw", BYTES("\x01\0\0\0\x02\0\0\0\x03\0\0\0"), {{0, 2}, {8, 1}, {0, 1}}},
        {"packed-starts", BYTES("\x21\x42\x08\0"), {{0, 5}, {2, 1}, {0, 129}}},
    };
    static const struct test_verdict accepted = {BO_OK, 0, NULL},
                                     rejected = {
                                         BO_CORRUPT, TEST_AREA_OFF,
                                         "record ends at another byte for another text length"};
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        for (uint32_t n = 2; n <= 3; n++) {
            test_payload_make(&payload, 0, cases[i].area, cases[i].entries, n);
            test_expect(cases[i].codec, "another end", test_payload_span(&payload),
                        n == 2 ? &accepted : &rejected);
        }
}

/*
 * 16 tables of different lengths share a record of 348 runs and 2788 bytes. All walks but the first
 * take 15 * 3136 runs and bytes: 16 for each byte of the area and of the entries, which are 8 bytes
 * each, of 19 tables. So with three more tables they are accepted, with two they are not.
 */
TEST(test_shared_record_of_many_lengths)
{
    enum { N_RUNS = 348, N_LENGTHS = 16 };
    static uint8_t area[4 + 8 * N_RUNS];
    static struct test_entry entries[N_LENGTHS + 3];
    const struct bo_codec *codec = bo_find_codec(bo_find_format("pcdata"), "run-array");
    const struct test_verdict accepted = {BO_OK, 0, NULL},
                              refused = {BO_OVER_LIMIT, TEST_AREA_OFF,
                                         "record is shared by too many tables of other lengths"};
    bo_set_le32(area, N_RUNS);
    for (uint32_t i = 0; i < N_RUNS; i++) {
        bo_set_le32(area + 4 + 4 * i, i);
        bo_set_le32(area + 4 + 4 * (N_RUNS + i), i);
    }
    for (uint32_t t = 0; t < N_LENGTHS + 3; t++)
        entries[t].quanta = N_RUNS + (t < 3 ? 0 : t - 3);
    for (uint32_t more = 2; more <= 3; more++) {
        struct bo_arena arena;
        struct bo_error error = {0};
        void *reader;
        test_payload_make(&payload, 0, (struct bo_span){area, sizeof area}, entries + 3 - more,
                          N_LENGTHS + more);
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const enum bo_status status =
            codec->open(codec, test_payload_span(&payload), &arena, &reader, &error);
        test_expect_verdict("run-array", "open", "many lengths", more < 3 ? &refused : &accepted,
                            status, &error);
        bo_arena_free(&arena);
    }
}

/*
 * A document without tables: what encode makes of it opens; bytes of an area that nobody refers to
 * do not.
 */
static void check_no_tables(const struct bo_codec *codec)
{
    const struct pcdata_model empty = {.quantum = 4};
    struct bo_arena arena;
    struct bo_writer encoded;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&encoded, &arena);
    assert_int_equal(codec->encode(codec, &empty, &encoded, NULL), BO_OK);
    test_expect(codec->name, "no tables", bo_writer_span(&encoded),
                &(struct test_verdict){BO_OK, 0, NULL});
    const uint32_t area_n = bo_le32(encoded.p + 8);
    assert_true(area_n < sizeof payload.p / 2);
    uint8_t *area = bo_alloc(&arena, area_n + 1u);
    memcpy(area, encoded.p + TEST_AREA_OFF, area_n);
    area[area_n] = 1;
    test_payload_make(&payload, 2, (struct bo_span){area, area_n + 1u}, NULL, 0);
    test_expect(codec->name, "a byte and no tables", test_payload_span(&payload),
                &(struct test_verdict){BO_CORRUPT, TEST_AREA_OFF + area_n, LEFT_OVER});
    bo_writer_free(&encoded);
    bo_arena_free(&arena);
}

TEST(test_no_tables)
{
    const struct bo_format *format = bo_find_format("pcdata");
    for (const struct bo_codec *const *c = format->codecs; *c; c++)
        if (!(*c)->reads)
            check_no_tables(*c);
}

/* ---- queries without a place ---------------------------------------------------------------- */

static const struct bo_span small_document =
    BYTES("pcdata 1\nquantum 4\ntable 40 kind=pcln refs=1\n0 1\n8 2\n12 3\n");

/* Opens the encoding of a text form with one codec. */
static void *open_text(const struct bo_format *format, const struct bo_codec *codec,
                       struct bo_span text, struct bo_arena *arena, struct bo_writer *encoded)
{
    void *model, *reader;
    assert_int_equal(format->parse(text, arena, &model, NULL), BO_OK);
    assert_int_equal(codec->encode(codec, model, encoded, NULL), BO_OK);
    assert_int_equal(codec->open(codec, bo_writer_span(encoded), arena, &reader, NULL), BO_OK);
    return reader;
}

static void check_points(const struct bo_codec *codec, void *reader)
{
    static const struct {
        struct pcdata_point q;
        enum bo_status status;
        int32_t value;
    } cases[] = {
        {{0, 0}, BO_OK, 1},
        {{0, 4}, BO_OK, 1},
        {{0, 8}, BO_OK, 2},
        {{0, 36}, BO_OK, 3},
        {{0, 40}, BO_OUT_OF_RANGE, 0}, /* the text's length */
        {{0, 44}, BO_OUT_OF_RANGE, 0},
        {{0, UINT32_MAX - 3}, BO_OUT_OF_RANGE, 0},
        {{0, 1}, BO_OUT_OF_RANGE, 0}, /* between two PCs */
        {{0, 2}, BO_OUT_OF_RANGE, 0},
        {{0, 35}, BO_OUT_OF_RANGE, 0},
        {{0, UINT32_MAX}, BO_OUT_OF_RANGE, 0},
        {{1, 0}, BO_OUT_OF_RANGE, 0}, /* no such table */
        {{UINT32_MAX, 0}, BO_OUT_OF_RANGE, 0},
    };
    for (unsigned round = 0; round < 2; round++) /* a second time, for readers with a cache */
        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
            int32_t value = 0;
            const enum bo_status status =
                codec->query(codec, reader, PCDATA_POINT, &cases[i].q, 1, &value, NULL);
            if (status != cases[i].status || (!status && value != cases[i].value))
                fail_msg("%s: point %u %u: %s, %d", codec->name, cases[i].q.table, cases[i].q.pc,
                         bo_status_name(status), value);
        }
}

static void check_scans(const struct bo_codec *codec, void *reader)
{
    static const uint32_t expected[] = {3, 0, 1, 8, 2, 12, 3};
    uint32_t answer[7];
    const struct pcdata_scan first = {0}, absent = {1}, far_away = {UINT32_MAX};
    struct bo_sink sink = {.p = (uint8_t *)answer, .cap = sizeof answer};
    assert_int_equal(codec->query(codec, reader, PCDATA_SCAN, &first, 1, &sink, NULL), BO_OK);
    assert_int_equal(sink.n, sizeof expected);
    assert_memory_equal(answer, expected, sizeof expected);
    assert_int_equal(codec->query(codec, reader, PCDATA_SCAN, &absent, 1, &sink, NULL),
                     BO_OUT_OF_RANGE);
    assert_int_equal(codec->query(codec, reader, PCDATA_SCAN, &far_away, 1, &sink, NULL),
                     BO_OUT_OF_RANGE);
    for (size_t cap = 0; cap < sizeof answer; cap++) {
        sink = (struct bo_sink){.p = (uint8_t *)answer, .cap = cap};
        assert_int_equal(codec->query(codec, reader, PCDATA_SCAN, &first, 1, &sink, NULL),
                         BO_OVER_LIMIT);
    }
}

TEST(test_out_of_range)
{
    const struct bo_format *format = bo_find_format("pcdata");
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        struct bo_arena arena;
        struct bo_writer encoded;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&encoded, &arena);
        void *reader = open_text(format, *c, small_document, &arena, &encoded);
        check_points(*c, reader);
        check_scans(*c, reader);
        bo_writer_reset(&encoded);
        reader =
            open_text(format, *c, (struct bo_span)BYTES("pcdata 1\nquantum 1\n"), &arena, &encoded);
        const struct pcdata_point q = {0, 0};
        int32_t value;
        assert_int_equal((*c)->query(*c, reader, PCDATA_POINT, &q, 1, &value, NULL),
                         BO_OUT_OF_RANGE);
        bo_writer_free(&encoded);
        bo_arena_free(&arena);
    }
}

/* ---- models that an encoding cannot hold ----------------------------------------------------- */

TEST(test_raw_refuses_huge_texts)
{
    const struct bo_format *format = bo_find_format("pcdata");
    const struct bo_codec *raw = bo_find_codec(format, "raw");
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error error;
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    assert_int_equal(
        format->parse(
            (struct bo_span)BYTES("pcdata 1\nquantum 1\ntable 67108865 kind=pcsp refs=1\n0 1\n"),
            &arena, &model, &error),
        BO_OK);
    assert_int_equal(raw->encode(raw, model, &out, &error), BO_UNSUPPORTED);
    assert_string_equal(error.what, "text has more than 2^26 quanta");
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

TEST_FILE(NULL, NULL)
