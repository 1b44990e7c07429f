/*
 * Bytes of the rivals' writers, and models at the limits of codecs. All SFrame sections were dumped
 * by binutils' objdump (version 1 by 2.40, the others by 2.47) with these rows; a decoder that
 * agrees with readelf on 100 000 rows reads the sections of eh-frame.
 */
#define TEST_FORMAT "unwind"
#include <inttypes.h>

#include "codecs/unwind/text.h"
#include "codecs/unwind/unwind.h"
#include "harness/check/check.h"
#include "harness/test_format.h"

static const char amd64_text[] = "unwind 1\n"
                                 "arch amd64\n"
                                 "fn 0x1000 16\n"
                                 "0 sp+16 c-8 s\n"
                                 "6 sp+24 c-8 s\n"
                                 "fn 0x1010 32 rep=16\n"
                                 "0 sp+8 c-8 s\n"
                                 "11 sp+16 c-8 s\n"
                                 "fn 0x1030 7\n"
                                 "0 sp+8 c-8 s\n"
                                 "1 sp+16 c-8 c-16\n"
                                 "4 fp+16 c-8 c-16\n"
                                 "6 sp+8 c-8 c-16\n"
                                 "fn 0x1040 300\n"
                                 "0 sp+8 c-8 s\n"
                                 "5 r10+0 c-8 s\n"
                                 "9 *fp-8 c-8 *fp+0\n"
                                 "290 sp+8 c-8 s\n"
                                 "fn 0x1180 9 S\n"
                                 "0 *sp+160 *sp+168 *sp+120\n"
                                 "fn 0x1190 34\n"
                                 "0 sp+8 u s\n";

/* The first two rows are one of delta4. */
static const char merged_text[] = "unwind 1\n"
                                  "arch amd64\n"
                                  "fn 0x11000 7\n"
                                  "0 sp+8 c-8 s\n"
                                  "2 sp+16 c-8 s\n"
                                  "5 fp+16 c-8 c-16\n"
                                  "6 sp+8 c-8 c-16\n";

static const char arm64_text[] = "unwind 1\n"
                                 "arch arm64\n"
                                 "fn 0x10000 40 B\n"
                                 "0 sp+0 s s\n"
                                 "4 sp+0 s s a\n"
                                 "8 sp+32 c-24 c-32 a\n"
                                 "32 sp+0 s s a\n"
                                 "36 sp+0 s s\n"
                                 "fn 0x10028 8\n"
                                 "0 sp+0 s s\n";

static const char s390x_text[] = "unwind 1\n"
                                 "arch s390x\n"
                                 "fn 0x2000 60\n"
                                 "0 sp+160 s s\n"
                                 "6 sp+160 c-48 c-72\n"
                                 "16 sp+408 c-48 c-72\n"
                                 "44 fp+408 c-48 c-72\n"
                                 "fn 0x2040 30\n"
                                 "0 sp+160 s s\n"
                                 "4 sp+160 r16 s\n"
                                 "8 sp+160 r16 r18\n";

static const struct {
    const char *text, *codec, *parts; /* in hexadecimal, one after the other */
} cases[] = {
    {amd64_text, "eh-frame",
     "1400000000000000017a5200017810011b0c070890010000140000001c000000e0ffffff10000000"
     "000e10460e1800001c00000034000000d8ffffff20000000000f0b770880003f1a3b2a3324220000"
     "1c00000054000000d8ffffff0700000000410e108602430d06420c07080000002400000074000000"
     "c8ffffff2c010000000a450c0a00440f0376780610060276000319010b0000001400000000000000"
     "017a525300017810011b0c0708900100200000001c000000c800000009000000000f0477a0010610"
     "100377a80110060377f8000010000000d8000000b4000000220000000007100000000000011b033b"
     "fcffffff060000000000000018000000100000003000000030000000500000004000000070000000"
     "80010000b000000090010000d4000000"},
    {amd64_text, "sframe-v1",
     "e2de01010300f80003000000080000001b0000000000000033000000000000001000000000000000"
     "0200000000100000002000000006000000020000001030000000070000000c000000040000000000"
     "03100603180003080b0310000308010510f0040410f0060508f0"},
    {amd64_text, "sframe-v2",
     "e2de02050300f80004000000090000001d0000000000000050000000e4ffffff1000000000000000"
     "0200000000000000e0ffffff20000000060000000200000010100000ecffffff070000000c000000"
     "040000000000000038010000220000001b00000001000000000000000003100603180003080b0310"
     "000308010510f0040410f0060508f00000"},
    {amd64_text, "sframe-v3",
     "e2de03050300f800060000000e000000600000000000000060000000e4ffffffffffffff10000000"
     "00000000e4ffffffffffffff200000000b000000f4ffffffffffffff0700000016000000f4ffffff"
     "ffffffff2c0100002a00000024010000000000000900000046000000240100000000000022000000"
     "59000000020000000000031006031802001000100003080b03100400000000000308010510f00404"
     "10f0060508f004000101000000043908050004510009000a33f80033002201043908010080010000"
     "2c3b00a0003b00a8003b00780001000000000000"},
    {amd64_text, "orc",
     "0000000002000000080000000f000000100000001700000018000000150000001400000012000000"
     "1800000019000000190000002e010000340100005401000072010000100000000502180000000502"
     "0800000005021000000005020800000005021000000005020800000005021000f0ff15021000f0ff"
     "14020800f0ff1502080000000502000000000602f8ff000048020800000005020000000000000000"
     "00000001000000000000000000000c00000010000000"},
    {merged_text, "delta16",
     "0010010000000000000002000800000002100100000000000000020010000000"
     "0510010000000000000001011000f0ff0610010000000000000002010800f0ff"
     "07100100000000000000040000000000"},
    {merged_text, "delta8",
     "01000000000000000000000005000000"
     "00100200080000000210020010000000051001011000f0ff061002010800f0ff0710040000000000"},
    {merged_text, "delta4",
     "000000000000000001000000000000000000000004000000"
     "00100000051001000610020007100080"
     "0200020008000000000000000301000010000000f0ffffff0201000008000000f0ffffff"},
    {arm64_text, "eh-frame",
     "1400000000000000017a52420004781e011b0c1f000000001c0000001c000000e0ffffff28000000"
     "00412d410a0e209e039d04460b412d001000000000000000017a520004781e011b0c1f0010000000"
     "18000000d4ffffff080000000000000000000000011b033bfcffffff020000000000000018000000"
     "280000004c000000"},
    {arm64_text, "sframe-v1",
     "e2de0101020000000200000006000000140000000000000022000000000000002800000000000000"
     "05000000202800000008000000110000000100000000000300048300088720e8e020830024030000"
     "0300"},
    {arm64_text, "sframe-v2",
     "e2de0205020000000200000006000000140000000000000028000000e4ffffff2800000000000000"
     "0500000020000000f8ffffff08000000110000000100000000000000000300048300088720e8e020"
     "8300240300000300"},
    {arm64_text, "sframe-v3",
     "e2de03050200000002000000060000001e0000000000000020000000e4ffffffffffffff28000000"
     "00000000fcffffffffffffff08000000160000000500200000000300048300088720e8e020830024"
     "03000100000000000300"},
    {s390x_text, "eh-frame",
     "0000001400000000017a520002780e011b0c0fa0010000000000001c0000001cffffffe00000003c"
     "00438e068b09450e98034e0d0b000000000000180000003c000000000000001e0042090e1042090b"
     "1200000000000000011b033bfffffffc0000000200000000000000180000004000000038"},
    {s390x_text, "sframe-v2",
     "dee202050400000000000002000000070000001e0000000000000028ffffffe40000003c00000000"
     "0000000400000000000000100000001e000000120000000300000000000300060700d0b810071fd0"
     "b82c061fd0b8000300040500210807002125"},
    {s390x_text, "sframe-v3",
     "dee203050400000000000002000000070000002e0000000000000020ffffffffffffffe40000003c"
     "0000000000000000000000140000001e000000170004000000000300060700d0b810071fd0b82c06"
     "1fd0b8000300010000047900040879008100080c790081009100"},
};

/* A text, a codec, and the payload that it encodes. */
struct coded {
    struct bo_arena arena;
    struct bo_writer text, out;
    const struct bo_codec *codec;
    uint8_t *part; /* the first one */
};

/* Begins a text. */
static void begin_text(struct bo_writer *text, const char *arch, struct bo_arena *arena)
{
    bo_arena_init(arena, BO_ARENA_UNLIMITED);
    bo_writer_init(text, arena);
    bo_put_text(text, "unwind 1\narch %s\n", arch);
}

static void begin_coded(struct coded *c, const char *codec, const char *arch)
{
    c->codec = bo_find_codec(test_format(), codec);
    begin_text(&c->text, arch, &c->arena);
    bo_writer_init(&c->out, &c->arena);
}

static void expect_error(enum bo_status status, const struct bo_error *err, const char *what)
{
    if (what ? !status || strcmp(err->what, what) != 0 : status != BO_OK)
        fail_msg("%s, not %s", status ? err->what : "no error", what ? what : "no error");
}

/* Encodes the text, and returns its model; `what`: the expected error, or NULL. */
static const void *encode_coded(struct coded *c, const char *what)
{
    struct bo_error err;
    bo_put_u8(&c->text, 0);
    const void *model = parse_text((const char *)c->text.p, &c->arena);
    expect_error(c->codec->encode(c->codec, model, &c->out, &err), &err, what);
    c->part = what ? NULL : c->out.p + UNWIND_FRAME_HEADER + 8 * (size_t)bo_le16(c->out.p + 2);
    return model;
}

static const struct unwind_model *decode_coded(struct coded *c, const char *what)
{
    struct bo_error err;
    void *model = NULL;
    expect_error(c->codec->decode(c->codec, bo_writer_span(&c->out), &c->arena, &model, &err), &err,
                 what);
    return model;
}

static void end_coded(struct coded *c)
{
    bo_writer_free(&c->out);
    bo_writer_free(&c->text);
    bo_arena_free(&c->arena);
}

/* What a query finds at a PC. */
static struct unwind_point_answer answer_at(struct coded *c, uint64_t pc)
{
    const struct unwind_point point = {.pc = pc};
    struct unwind_point_answer answer;
    void *reader;
    assert_int_equal(c->codec->open(c->codec, bo_writer_span(&c->out), &c->arena, &reader, NULL),
                     BO_OK);
    c->codec->query(c->codec, reader, UNWIND_POINT, &point, 1, &answer, NULL);
    return answer;
}

/* Encodes a whole text. */
static const void *encode_text(struct coded *c, const char *codec, const char *text)
{
    begin_coded(c, codec, "");
    bo_writer_reset(&c->text);
    bo_put_text(&c->text, "%s", text);
    return encode_coded(c, NULL);
}

static uint8_t hex_byte(const char *p)
{
    const char digits[] = {p[0], p[1], 0};
    return (uint8_t)strtoul(digits, NULL, 16);
}

TEST(test_bytes)
{
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct coded c;
        encode_text(&c, cases[i].codec, cases[i].text);
        const size_t n = strlen(cases[i].parts) / 2;
        assert_int_equal(c.out.n, (size_t)(c.part - c.out.p) + n + UNWIND_OVERREAD);
        for (size_t k = 0; k < n; k++)
            if (c.part[k] != hex_byte(cases[i].parts + 2 * k))
                fail_msg("case %zu, %s: byte %zu", i, cases[i].codec, k);
        end_coded(&c);
    }
}

/* What the encodings have no form for is refused or reduced, not written wrong. */
TEST(test_empty)
{
    for (const struct bo_codec *const *codec = test_format()->codecs; *codec; codec++) {
        struct coded c;
        encode_text(&c, (*codec)->name, "unwind 1\narch amd64\n");
        assert_int_equal(decode_coded(&c, NULL)->n_functions, 0);
        c.out.p[8] = 1; /* Base */
        void *model;
        if ((*codec)->decode(*codec, bo_writer_span(&c.out), &c.arena, &model, NULL) == BO_OK)
            fail_msg("%s: Base of a model without functions", (*codec)->name);
        end_coded(&c);
    }
}

/* merged_text's parts with one byte changed: what decode rejects, with which words. */
static const struct {
    const char *codec;
    size_t at; /* from the first part on */
    uint8_t value;
    const char *what;
} damages[] = {
    {"eh-frame", 0, 3, "record is too short for its id"},
    {"rows-zstd", 0, 0, "ends of frames do not ascend in the part"},
    {"eh-frame", 0, 4, "not a CIE of version 1"},
    {"eh-frame", 0, 5, "augmentation does not start with zR"},
    {"eh-frame", 0, 6, "augmentation does not start with zR"},
    {"eh-frame", 0, 7, "factors are not the machine's"},
    {"eh-frame", 0, 8, "factors are not the machine's"},
    {"eh-frame", 0, 9, "factors are not the machine's"},
    {"eh-frame", 0, 10, "return address is not the machine's"},
    {"eh-frame", 0, 11, "pointer encoding is not 1b"},
    {"eh-frame", 0, 12, "pointer encoding is not 1b"},
    {"eh-frame", 0, 13, "CIE defines no CFA"},
    {"eh-frame", 8, 2, "not a CIE of version 1"},
    {"eh-frame", 9, 0x79, "augmentation does not start with zR"},
    {"eh-frame", 10, 0x72, "augmentation does not start with zR"},
    {"eh-frame", 11, 0x58, "augmentation letter is unknown or repeated"},
    {"eh-frame", 12, 2, "factors are not the machine's"},
    {"eh-frame", 13, 0x77, "factors are not the machine's"},
    {"eh-frame", 14, 17, "return address is not the machine's"},
    {"eh-frame", 15, 2, "pointer encoding is not 1b"},
    {"eh-frame", 16, 0x1a, "pointer encoding is not 1b"},
    {"eh-frame", 17, 0x41, "CIE contains an advance instruction"},
    {"eh-frame", 17, 0xc7, "restore of an initial rule in a CIE"},
    {"eh-frame", 24, 8, "FDE is too short"},
    {"eh-frame", 28, 0x18, "CIE pointer does not point to a CIE"},
    {"eh-frame", 28, 0x1d, "CIE pointer does not point to a CIE"},
    {"eh-frame", 32, 0xe1, "FDE is not the table's next entry"},
    {"eh-frame", 35, 0xfe, "function starts before Base"},
    {"eh-frame", 36, 0, "function length is 0, or there is augmentation data"},
    {"eh-frame", 40, 1, "function length is 0, or there is augmentation data"},
    {"eh-frame", 60, 2, "header does not start with 01 1b 03 3b and -4"},
    {"eh-frame", 64, 0xfb, "header does not start with 01 1b 03 3b and -4"},
    {"eh-frame", 68, 0, "number of entries does not match the table's size"},
    {"eh-frame", 68, 2, "number of entries does not match the table's size"},
    {"eh-frame", 72, 1, "FDE is not the table's next entry"},
    {"eh-frame", 76, 0, "FDE is not the table's next entry"},
    {"rows", 0, 1, "function starts are not in order from Base"},
    {"rows", 4, 0, "function length is 0"},
    {"rows", 8, 1, "first rows do not ascend from 0"},
    {"rows", 12, 4, "unknown flag, or padding that is not 0"},
    {"rows", 14, 1, "unknown flag, or padding that is not 0"},
    {"rows", 15, 1, "unknown flag, or padding that is not 0"},
    {"rows", 13, 6, "row is past the function's or the pattern's end"},
    {"rows", 13, 7, NULL},
    {"rows", 4, 6, "row is past the function's or the pattern's end"},
    {"rows", 36, 0, "offsets of rows do not ascend"},
    {"rows", 40, 8, "neighbouring rows are equal"},
    {"orc", 25, 0x0a, "signal bit, or bits above it, are set"},
    {"orc", 25, 3, "entry of another type than call has registers or offsets"},
    {"orc", 49, 3, "type or register of an entry is unknown"},
    {"orc", 49, 1, "the last entry does not end the text"},
    {"orc", 24, 1, "type or register of an entry is unknown"},
    {"orc", 24, 10, "type or register of an entry is unknown"},
    {"orc", 24, 0x25, "type or register of an entry is unknown"},
    {"orc", 24, 0x35, "type or register of an entry is unknown"},
    {"orc", 24, 0x55, "type or register of an entry is unknown"},
    {"orc", 22, 8, "frame pointer in its register has an offset"},
    {"orc", 24, 2, "register that has no offset has one"},
    {"orc", 24, 3, "register that has no offset has one"},
    {"orc", 24, 6, "register that has no offset has one"},
    {"orc", 24, 7, "register that has no offset has one"},
    {"orc", 24, 4, NULL},
    {"orc", 24, 9, NULL},
    {"orc", 54, 3, "lookup is not the last entry at or below the block's start"},
    {"compact-unwind", 0, 2, "version, offsets or counts of the header are wrong"},
    {"compact-unwind", 4, 29, "version, offsets or counts of the header are wrong"},
    {"compact-unwind", 8, 1, "version, offsets or counts of the header are wrong"},
    {"compact-unwind", 12, 29, "version, offsets or counts of the header are wrong"},
    {"compact-unwind", 16, 1, "version, offsets or counts of the header are wrong"},
    {"compact-unwind", 20, 29, "version, offsets or counts of the header are wrong"},
    {"compact-unwind", 24, 0, "version, offsets or counts of the header are wrong"},
    {"compact-unwind", 24, 6, "version, offsets or counts of the header are wrong"},
    {"compact-unwind", 36, 53, "offset of the LSDA array is not that of the first page"},
    {"compact-unwind", 48, 53, "offset of the LSDA array is not that of the first page"},
    {"compact-unwind", 32, 53, "page is not where the one before ends"},
    {"compact-unwind", 52, 4, "kind of a page is unknown"},
    {"compact-unwind", 58, 0, "counts or offsets of a page are out of range"},
    {"compact-unwind", 56, 13, "counts or offsets of a page are out of range"},
    {"compact-unwind", 60, 21, "counts or offsets of a page are out of range"},
    {"compact-unwind", 62, 3, "counts or offsets of a page are out of range"},
    {"compact-unwind", 62, 1, "encoding number is out of range"},
    {"compact-unwind", 67, 2, "encoding number is out of range"},
    {"compact-unwind", 44, 1, "bytes follow the last page, or no sentinel"},
    {"compact-unwind", 40, 8, "last entry is not where the sentinel is"},
    {"compact-unwind", 28, 1, "entries do not ascend from Base, or the first says nothing"},
    {"compact-unwind", 64, 1, "page does not begin where the index says"},
    {"compact-unwind", 75, 0x12, "encoding has flags, or an entry is 2^31 bytes away"},
    {"sframe-v2", 0, 0xe3, "bad magic number"},
    {"sframe-v2", 2, 3, "version is not the codec's"},
    {"sframe-v2", 3, 4, "flags are not 1 or 5"},
    {"sframe-v2", 3, 7, "flags are not 1 or 5"},
    {"sframe-v2", 4, 2, "machine is not the frame's"},
    {"sframe-v2", 5, 1, "fixed offsets are not those of the machine"},
    {"sframe-v2", 6, 0xf0, "fixed offsets are not those of the machine"},
    {"sframe-v2", 7, 1, "size of the section is not that of its header, functions and rows"},
    {"sframe-v2", 8, 2, "functions or rows do not start where the part before ends"},
    {"sframe-v2", 12, 5, "bytes follow the last row, or the header has another number of rows"},
    {"sframe-v2", 16, 15, "size of the section is not that of its header, functions and rows"},
    {"sframe-v2", 20, 1, "functions or rows do not start where the part before ends"},
    {"sframe-v2", 24, 21, "functions or rows do not start where the part before ends"},
    {"sframe-v2", 31, 0x7f, "function starts too far from Base"},
    {"sframe-v2", 32, 0, "function is empty or ends past 2^64"},
    {"sframe-v2", 36, 1, "rows do not start where those of the function before end"},
    {"sframe-v2", 40, 3, "bytes follow the last row, or the header has another number of rows"},
    {"sframe-v2", 44, 3, "width of row starts, or a flag, is unknown"},
    {"sframe-v2", 44, 8, "width of row starts, or a flag, is unknown"},
    {"sframe-v2", 44, 16, "pattern bit and repeat size contradict each other"},
    {"sframe-v2", 44, 0x40, "width of row starts, or a flag, is unknown"},
    {"sframe-v2", 45, 16, "pattern bit and repeat size contradict each other"},
    {"sframe-v2", 46, 1, "padding is not 0"},
    {"sframe-v2", 47, 1, "padding is not 0"},
    {"sframe-v2", 48, 1, NULL},
    {"sframe-v2", 49, 1, "row without words in version 1, or with an info byte"},
    {"sframe-v2", 49, 9, "row has more words than the machine's rules"},
    {"sframe-v2", 51, 0, "row starts do not ascend below the function's length and repeat size"},
    {"sframe-v2", 51, 7, "row starts do not ascend below the function's length and repeat size"},
    {"sframe-v2", 53, 8, "neighbouring rows are equal"},
    {"sequences", 0, 0, "number of entries is not the segments' sum"},
    {"sequences", 0, 2, "segment runs past the part's end"},
    {"sequences", 4, 0, "Base is not 0, but there are no functions"},
    {"sequences", 4, 2, "number of entries is not the segments' sum"},
    {"sequences", 8, 1, "sizes of records and dictionary do not match the part's"},
    {"sequences", 12, 19, "sizes of records and dictionary do not match the part's"},
    {"sequences", 16, 3, "unit or bits of long list numbers are out of range"},
    {"sequences", 17, 25, "unit or bits of long list numbers are out of range"},
    {"sequences", 18, 1, "unit or bits of long list numbers are out of range"},
    {"sequences", 19, 1, "unit or bits of long list numbers are out of range"},
    {"sequences", 20, 1, "first segment does not start at Base"},
    {"sequences", 24, 0, "segments overlap, are empty, or exceed 4 GiB"},
    {"sequences", 24, 6, NULL},
    {"sequences", 28, 0, "segments overlap, are empty, or exceed 4 GiB"},
    {"sequences", 28, 2, "upper bits do not have one 1 for each entry and end in 10"},
    {"sequences", 30, 1, "segment has more than 65535 entries"},
    {"sequences", 32, 0, "number of buckets is out of range"},
    {"sequences", 32, 2, "upper bits do not have one 1 for each entry and end in 10"},
    {"sequences", 36, 9, "quantum or low bits of a segment are out of range"},
    {"sequences", 36, 32, "quantum or low bits of a segment are out of range"},
    {"sequences", 37, 32, "quantum or low bits of a segment are out of range"},
    {"sequences", 38, 1, "quantum or low bits of a segment are out of range"},
    {"sequences", 39, 1, "quantum or low bits of a segment are out of range"},
    {"sequences", 40, 1, "sample of the starts is wrong"},
    {"sequences", 42, 3, "upper bits do not have one 1 for each entry and end in 10"},
    {"sequences", 42, 0, "upper bits do not have one 1 for each entry and end in 10"},
    {"sequences", 42, 4, "upper bits do not have one 1 for each entry and end in 10"},
    {"sequences", 43, 1, "bits after the last bucket are not 0"},
    {"sequences", 50, 1, "block's records do not follow those of the block before"},
    {"sequences", 54, 1, "record runs past the records' end"},
    {"sequences", 54, 2, "entries after the last one are not 0"},
    {"sequences", 56, 1, "entries after the last one are not 0"},
    {"sequences", 62, 1, "list number is out of range"},
    {"sequences", 62, 255, "long list number without a special record"},
    {"sequences", 63, 1, "entries after the last one are not 0"},
    {"delta16", 10, 0, "type of a row's CFA is unknown"},
    {"delta16", 10, 5, "type of a row's CFA is unknown"},
    {"delta16", 11, 2, "type of a row's frame pointer is unknown"},
    {"delta16", 11, 4, "type of a row's frame pointer is unknown"},
    {"delta16", 8, 1, "offset of RA that is not used is not 0"},
    {"delta16", 14, 1, "frame pointer that is not in memory has an offset"},
    {"delta16", 10, 3, "row without a CFA has an offset of it"},
    {"delta16", 75, 1, "end of a function has a rule of FP"},
    {"delta16", 74, 2, "the last entry does not end the text"},
    {"delta16", 16, 0, "entries do not ascend from Base, or the first says nothing"},
    {"delta16", 28, 8, "neighbouring entries are equal"},
    {"delta8", 6, 1, "page numbers do not ascend below 2^48"},
    {"delta8", 8, 1, "rows of a page do not start where those of the page before end"},
    {"delta8", 12, 4, "rows do not end where those of the last page do"},
    {"delta8", 18, 7, "type of a row's CFA is unknown"},
    {"delta8", 22, 1, "frame pointer that is not in memory has an offset"},
    {"delta4", 0, 1, "file or map of a page is not 0"},
    {"delta4", 14, 1, "page numbers do not ascend below 2^48"},
    {"delta4", 16, 1, "rows of a page do not start where those of the page before end"},
    {"delta4", 20, 3, "rows do not end where those of the last page do"},
    {"delta4", 26, 3, "number of an info is out of range"},
    {"delta4", 38, 2, "command is not known"},
    {"delta4", 38, 4, "command is not known"},
    {"delta4", 40, 6, "opcode or parameter of a CFA is not known"},
    {"delta4", 40, 0x83, "merge opcode is not known, or padding is not 0"},
    {"delta4", 41, 4, "opcode or parameter of RA and FP is not known"},
    {"delta4", 42, 3, "merge opcode is not known, or padding is not 0"},
    {"delta4", 43, 1, "merge opcode is not known, or padding is not 0"},
    {"delta4", 48, 1, "opcode or parameter of RA and FP is not known"},
};

TEST(test_rejects)
{
    for (size_t i = 0; i < N_ELEMENTS(damages); i++) {
        struct coded c;
        if (!bo_find_codec(test_format(), damages[i].codec)) /* an optional one */
            continue;
        encode_text(&c, damages[i].codec, merged_text);
        c.part[damages[i].at] = damages[i].value;
        decode_coded(&c, damages[i].what);
        end_coded(&c);
    }
}

/* A row of SFrame that is complete is not truncated. */
TEST(test_status_of_rows)
{
    static const struct {
        size_t at;
        uint8_t value;
        enum bo_status status;
        const char *what;
    } rows[] = {{40, 5, BO_TRUNCATED, "row runs past the section's end"}, /* one more row */
                {49, 0x63, BO_CORRUPT, "words of a row have 8 bytes"}};
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct coded c;
        struct bo_error err;
        void *model;
        encode_text(&c, "sframe-v2", merged_text);
        c.part[rows[i].at] = rows[i].value;
        assert_int_equal(c.codec->decode(c.codec, bo_writer_span(&c.out), &c.arena, &model, &err),
                         rows[i].status);
        assert_string_equal(err.what, rows[i].what);
        end_coded(&c);
    }
}

/* Adds zero bytes to the end of a part, and returns the first of them. */
static uint8_t *lengthen_part(struct coded *c, unsigned part, size_t n)
{
    const size_t part_at = (size_t)(c->part - c->out.p);
    bo_put_zeros(&c->out, n);
    c->part = c->out.p + part_at;
    uint8_t *sizes = c->out.p + UNWIND_FRAME_HEADER, *end = c->part;
    for (unsigned i = 0; i <= part; i++)
        end += bo_le64(sizes + 8 * (size_t)i);
    memmove(end + n, end, (size_t)(c->out.p + c->out.n - end) - n);
    memset(end, 0, n);
    bo_set_le64(sizes + 8 * (size_t)part, bo_le64(sizes + 8 * (size_t)part) + n);
    return end;
}

/* Parts whose size is not that of their records, or not what other parts say. */
TEST(test_longer_parts)
{
    static const char delta4_sizes[] =
        "size of pages, rows or infos is not a multiple of 24, 4 or 12, or too large";
    static const struct {
        const char *codec;
        unsigned part, n;
        const char *what;
    } parts[] = {
        {"rows", 0, 1, "size of the functions is not a multiple of 16"},
        {"rows", 1, 1, "size of the rows is not a multiple of 20"},
        {"rows-zstd", 0, 1, "size of the frames' ends is not a multiple of 4"},
        {"rows-zstd", 1, 1, "frames do not fill the part"},
        {"rows-zstd", 2, 1, "size of the frames' ends is not a multiple of 4"},
        {"rows-zstd", 3, 1, "frames do not fill the part"},
        {"eh-frame", 0, 1, "bytes follow the terminator"},
        {"eh-frame", 1, 1, "number of entries does not match the table's size"},
        {"eh-frame", 1, 8, "number of entries does not match the table's size"},
        {"sframe-v2", 0, 1, "size of the section is not that of its header, functions and rows"},
        {"orc", 0, 1, "sizes of addresses and entries do not match"},
        {"orc", 0, 4, "sizes of addresses and entries do not match"},
        {"orc", 1, 1, "sizes of addresses and entries do not match"},
        {"orc", 2, 1, "size of the lookup table does not match the addresses"},
        {"orc", 2, 4, "size of the lookup table does not match the addresses"},
        {"compact-unwind", 0, 1, "bytes follow the last page, or no sentinel"},
        {"delta16", 0, 1, "size of the rows is not a multiple of 16"},
        {"delta8", 0, 1, "size of the pages is not a multiple of 16, or that of the rows of 8"},
        {"delta8", 1, 1, "size of the pages is not a multiple of 16, or that of the rows of 8"},
        {"delta8", 0, 16, "page numbers do not ascend below 2^48"},
        {"delta8", 1, 8, "rows do not end where those of the last page do"},
        {"delta4", 0, 1, delta4_sizes},
        {"delta4", 1, 1, delta4_sizes},
        {"delta4", 2, 1, delta4_sizes},
        {"delta4", 0, 24, "page numbers do not ascend below 2^48"},
        {"delta4", 1, 4, "rows do not end where those of the last page do"},
        {"delta4", 2, 12 * (32768 - 3), "opcode or parameter of a CFA is not known"},
        {"delta4", 2, 12 * (32769 - 3), delta4_sizes},
        {"sequences", 0, 1, "sizes of records and dictionary do not match the part's"},
        {"predicted-rows", 0, 1, "bytes left after the coded bits"},
    };
    for (size_t i = 0; i < N_ELEMENTS(parts); i++) {
        struct coded c;
        if (!bo_find_codec(test_format(), parts[i].codec)) /* an optional one */
            continue;
        encode_text(&c, parts[i].codec, merged_text);
        lengthen_part(&c, parts[i].part, parts[i].n);
        decode_coded(&c, parts[i].what);
        end_coded(&c);
    }
}

/*
 * Parts that no writer writes, each beside one with the rule kept: numbers of more than 8 or 32
 * bits, a hole after a hole, patterns whose distances end before or after their block, and symbols
 * that are written anew although one of the two lists of predicted-rows has them.
 */
TEST(test_forms)
{
    static const char is_off[] = "distances of a pattern function do not end where its block does",
                      is_anew[] = "symbol is written anew although it is known";
    static const struct {
        const char *codec, *part; /* in hexadecimal */
        const char *what;
    } forms[] = {
        {"sequences",
         "0100000001000000000000000d000000000000000000000010000000010000000100000000000000"
         "00000100000000000000000000000000000000000000000000000000000000000000000000007fbf"
         "c03e11fea763712df8acb1",
         "field has more than 32 bits"},
        {"sequences",
         "0100000001000000000000000d000000000000000000000010000000010000000100000000000000"
         "0000010000000000000000000000000000000000000000000000000000000000000000000000401f"
         "ffdfe01f08ff53b1b8253f",
         "flags of a list are unknown or contradict each other"},
        {"sequences",
         "0100000001000000000000000d000000000000000000000010000000010000000100000000000000"
         "000001000000000000000000000000000000000000000000000000000000000000000000000043c1"
         "ffdfe01f08ff53b1b82503",
         NULL},
        {"sequences",
         "0100000001000000000000000e000000000000000000000010000000010000000100000000000000"
         "000001000000000000000000000000000000000000000000000000000000000000000000000043c0"
         "1effdfe01f08ff53b1b82503",
         "pattern's size is 0 or above 255"},
        {"sequences",
         "01000000030000000000000007000000000000000000000040000000030000000100000000060000"
         "00000700000000000000000000000000000000000000000100000000000000000000000000000004"
         "030000000000000000003feff00f846562",
         NULL},
        {"sequences",
         "01000000040000000000000007000000000000000000000040000000040000000100000000060000"
         "00000f00000000000000000000000000000000000000000101000000000000000000000000000004"
         "c20000000000000000003feff00f846562",
         "hole has padding, or is not between functions"},
        {"predicted-rows", "01000000007f78fe606ff6f691cc0d7c", NULL},
        {"predicted-rows", "01000000007f78fe606ff6f691cc9e42", is_off},
        {"predicted-rows", "01000000007f78fe606ff6f691c9784cc5", is_off},
        {"predicted-rows", "01000000023fc7de6252cc200f3b1a0c963fa01f",
         "distance between rows is 0, or a function exceeds 4 GiB"},
        {"predicted-rows", "02000000003fc7de6252cc7fbc3209", NULL},
        {"predicted-rows", "02000000003fc7de6252cc7fbc5b08", is_anew},
        {"predicted-rows", "03000000003fc7de6252cc7fbc7592c2e50862", NULL},
        {"predicted-rows", "03000000003fc7de6252cc7fbc7592c2e51844", is_anew},
    };
    for (size_t i = 0; i < N_ELEMENTS(forms); i++) {
        struct coded c;
        encode_text(&c, forms[i].codec, "unwind 1\narch amd64\nfn 0x1000 16\n0 sp+8 c-8 s\n");
        const size_t n = strlen(forms[i].part) / 2;
        bo_set_le64(c.out.p + UNWIND_FRAME_HEADER, n);
        c.out.n = (size_t)(c.part - c.out.p);
        for (size_t k = 0; k < n; k++)
            bo_put_u8(&c.out, hex_byte(forms[i].part + 2 * k));
        bo_put_zeros(&c.out, UNWIND_OVERREAD);
        decode_coded(&c, forms[i].what);
        end_coded(&c);
    }
}

/* Sections that end inside their header. */
TEST(test_shortest_sections)
{
    static const struct {
        const char *codec;
        size_t n; /* bytes of the header */
        const char *what;
    } sections[] = {
        {"sframe-v1", 28, "section is shorter than its header"},
        {"sframe-v2", 28, "section is shorter than its header"},
        {"sframe-v3", 28, "section is shorter than its header"},
    };
    for (size_t i = 0; i < N_ELEMENTS(sections); i++) {
        struct coded c;
        encode_text(&c, sections[i].codec, merged_text);
        uint8_t *size = c.out.p + UNWIND_FRAME_HEADER;
        uint8_t *end = c.part + bo_le64(size), *cut = c.part + sections[i].n - 1;
        memmove(cut, end, (size_t)(c.out.p + c.out.n - end));
        c.out.n -= (size_t)(end - cut);
        bo_set_le64(size, sections[i].n - 1);
        decode_coded(&c, sections[i].what);
        end_coded(&c);
    }
}

/*
 * Encodes amd64_text as .eh_frame, whose program of functions[2] becomes these bytes, followed by
 * DW_CFA_nop.
 */
static void encode_program(struct coded *c, const uint8_t *bytes, size_t n)
{
    enum { PROGRAM_NBYTES = 15 };
    encode_text(c, "eh-frame", amd64_text);
    uint8_t *program = memmem(c->out.p, c->out.n, "\x41\x0e\x10\x86\x02", 5);
    assert_non_null(program);
    assert_true(n <= PROGRAM_NBYTES);
    memset(program, 0, PROGRAM_NBYTES);
    memcpy(program, bytes, n);
}

/* The second row of a pattern is inside the function, and in the block of 16 bytes. */
TEST(test_short_pattern)
{
    enum { SECOND_ROW = 11, LIT0 = 0x30 };
    struct coded c;
    encode_text(&c, "eh-frame", amd64_text);
    uint8_t *length = memmem(c.out.p, c.out.n, "\x20\0\0\0\0\x0f\x0b", 7);
    uint8_t *literal = memmem(c.out.p, c.out.n, "\x3b\x2a\x33\x24\x22", 5);
    assert_true(length && literal);
    *length = SECOND_ROW;
    decode_coded(&c, "function is shorter than its pattern");
    *length = SECOND_ROW + 1;
    decode_coded(&c, NULL);
    *length = 32;
    *literal = LIT0 + 15;
    assert_int_equal(decode_coded(&c, NULL)->functions[1].rep, 16);
    *literal = LIT0 + 16;
    assert_int_equal(decode_coded(&c, NULL)->functions[1].rep, 0);
    end_coded(&c);
}

/* The rows of a pattern may have other rules than a function has at first. */
TEST(test_rules_of_a_pattern)
{
    static const char text[] = "unwind 1\narch amd64\nfn 0x1010 32 rep=16\n"
                               "0 sp+8 c-8 c-16\n11 sp+16 c-8 c-16\n"
                               "fn 0x2000 8\n0 sp+8 c-8 s\nfn 0x2010 8\n0 sp+8 c-8 s\n";
    struct coded c;
    const void *model = encode_text(&c, "eh-frame", text);
    assert_null(test_format()->differ(model, decode_coded(&c, NULL)));
    end_coded(&c);
}

/* A program of .eh_frame may remember eight states, and no more. */
TEST(test_remembered)
{
    enum { REMEMBER = 0x0a };
    static const uint8_t program[] = {REMEMBER, REMEMBER, REMEMBER, REMEMBER, REMEMBER,
                                      REMEMBER, REMEMBER, REMEMBER, REMEMBER};
    for (size_t n = 8; n <= 9; n++) {
        struct coded c;
        encode_program(&c, program, n);
        decode_coded(&c, n == 8 ? NULL : "more than 8 states are remembered");
        end_coded(&c);
    }
}

/* A CIE that returns to the state before its CFA defines none. */
TEST(test_cfa_that_is_undone)
{
    enum { PROGRAM = 17, N = 5, REMEMBER = 0x0a, RESTORE = 0x0b };
    struct coded c;
    encode_text(&c, "eh-frame", merged_text);
    assert_int_equal(c.part[PROGRAM + N], 0); /* two nops, up to a multiple of 4 */
    assert_int_equal(c.part[PROGRAM + N + 1], 0);
    memmove(c.part + PROGRAM + 1, c.part + PROGRAM, N);
    c.part[PROGRAM] = REMEMBER;
    decode_coded(&c, NULL);
    c.part[PROGRAM + N + 1] = RESTORE;
    decode_coded(&c, "CIE defines no CFA");
    end_coded(&c);
}

/* Programs of .eh_frame at the limits of operands: the first row, or the error. */
TEST(test_programs)
{
    static const char no_register[] = "CFA's register is cut off or exceeds 127",
                      no_uoff[] = "CFA's offset is cut off or exceeds 2^31 - 1",
                      no_soff[] = "CFA's offset is cut off or exceeds 32 bits",
                      no_off[] = "offset is cut off or exceeds 32 bits",
                      no_number[] = "register is cut off or exceeds 127",
                      is_long[] = "advance goes past the function's end";
    static const struct {
        unsigned at, n; /* of the program's 15 bytes */
        uint8_t bytes[12];
        const char *expected;
    } programs[] = {
        {0, 2, {0x0e, 0x18}, "0 sp+24 c-8 s\n"},
        {0, 11, {0x0e, 0x98, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, "0 sp+24 c-8 s\n"},
        {0, 11, {0x0e, 0x98, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2}, no_uoff},
        {0, 12, {0x0e, 0x98, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, no_uoff},
        {0, 6, {0x0e, 0xff, 0xff, 0xff, 0xff, 0x07}, "0 sp+2147483647 c-8 s\n"},
        {0, 6, {0x0e, 0x80, 0x80, 0x80, 0x80, 0x08}, no_uoff},
        {0,
         11,
         {0x13, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
         "0 sp+24 c-8 s\n"},
        {0, 10, {0x13, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, "0 sp+24 c-8 s\n"},
        {0, 11, {0x13, 0x83, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, "0 sp-24 c-8 s\n"},
        {0, 11, {0x13, 0x83, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2}, no_soff},
        {0, 11, {0x13, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, no_soff},
        {0, 11, {0x13, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, no_soff},
        {0, 6, {0x13, 0x80, 0x80, 0x80, 0x80, 0x01}, "0 sp-2147483648 c-8 s\n"},
        {0, 6, {0x13, 0x81, 0x80, 0x80, 0x80, 0x01}, no_soff},
        {0, 6, {0x13, 0x81, 0x80, 0x80, 0x80, 0x7f}, "0 sp+2147483640 c-8 s\n"},
        {0, 6, {0x13, 0x80, 0x80, 0x80, 0x80, 0x7f}, no_soff},
        {0, 3, {0x0c, 0x7f, 0x18}, "0 r127+24 c-8 s\n"},
        {0, 4, {0x0c, 0x80, 0x01, 0x18}, no_register},
        {0, 2, {0x0d, 0x06}, "0 fp+8 c-8 s\n"},
        {0, 5, {0x0f, 0x01, 0x96, 0x0e, 0x08}, "CFA has no register or offset to keep"},
        {0, 6, {0x86, 0x80, 0x80, 0x80, 0x80, 0x01}, "0 sp+8 c-8 c-2147483648\n"},
        {0, 6, {0x86, 0x81, 0x80, 0x80, 0x80, 0x01}, no_off},
        {0, 11, {0x86, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, no_off},
        {0, 3, {0x05, 0x06, 0x02}, "0 sp+8 c-8 c-16\n"},
        {0, 7, {0x11, 0x06, 0x80, 0x80, 0x80, 0x80, 0x01}, "0 sp+8 c-8 c-2147483648\n"},
        {0, 7, {0x11, 0x06, 0x81, 0x80, 0x80, 0x80, 0x01}, no_off},
        {0, 3, {0x15, 0x06, 0x7f}, "0 sp+8 c-8 v+8\n"},
        {0, 3, {0x09, 0x06, 0x7f}, "0 sp+8 c-8 r127\n"},
        {0, 4, {0x09, 0x06, 0x80, 0x01}, no_number},
        {0, 5, {0x10, 0x06, 0x02, 0x77, 0x08}, "0 sp+8 c-8 *sp+8\n"},
        {0, 5, {0x16, 0x06, 0x02, 0x77, 0x08}, "0 sp+8 c-8 x\n"},
        {0, 4, {0x10, 0x06, 0x01, 0x77}, "0 sp+8 c-8 x\n"},
        {0, 2, {0x0f, 0x0d}, "0 x c-8 s\n"},
        {0, 2, {0x0f, 0x0e}, "expression runs past the record's end"},
        {0, 4, {0x86, 0x02, 0x06, 0x06}, "0 sp+8 c-8 s\n"},
        {0, 2, {0x83, 0x02}, "0 sp+8 c-8 s\n"},
        {0, 1, {0x46}, "0 sp+8 c-8 s\n"},
        {0, 1, {0x47}, is_long},
        {0, 2, {0x02, 0x06}, "0 sp+8 c-8 s\n"},
        {0, 2, {0x02, 0x07}, is_long},
        {0, 3, {0x03, 0x06, 0x00}, "0 sp+8 c-8 s\n"},
        {0, 3, {0x03, 0x00, 0x01}, is_long},
        {0, 5, {0x04, 0x06, 0x00, 0x00, 0x00}, "0 sp+8 c-8 s\n"},
        {0, 5, {0x04, 0x00, 0x00, 0x00, 0x01}, is_long},
        {0, 1, {0x0b}, "DW_CFA_restore_state without a remembered state"},
        {0, 1, {0x2d}, "signed return address on a machine other than arm64"},
        {0, 1, {0x01}, "unknown instruction"},
        {0, 1, {0x14}, "unknown instruction"},
        {14, 1, {0x07}, "register is cut off"},
        {14, 1, {0x10}, "register is cut off"},
        {14, 1, {0x0f}, "expression runs past the record's end"},
        {14, 1, {0x0c}, no_register},
        {14, 1, {0x0d}, no_register},
        {13, 2, {0x0c, 0x07}, no_uoff},
        {14, 1, {0x0e}, no_uoff},
        {14, 1, {0x13}, no_soff},
        {14, 1, {0x86}, no_off},
        {13, 2, {0x05, 0x06}, no_off},
        {13, 2, {0x11, 0x06}, no_off},
        {13, 2, {0x09, 0x06}, no_number},
        {14, 1, {0x02}, "advance is cut off"},
        {13, 2, {0x03, 0x01}, "advance is cut off"},
        {11, 4, {0x04, 0x01, 0x00, 0x00}, "advance is cut off"},
    };
    for (size_t i = 0; i < N_ELEMENTS(programs); i++) {
        struct coded c;
        struct bo_error err;
        void *model;
        uint8_t program[15] = {0};
        memcpy(program + programs[i].at, programs[i].bytes, programs[i].n);
        encode_program(&c, program, sizeof program);
        bo_writer_reset(&c.text);
        if (c.codec->decode(c.codec, bo_writer_span(&c.out), &c.arena, &model, &err)) {
            bo_put_text(&c.text, "%s", err.what);
        } else {
            const struct unwind_row *row = ((const struct unwind_model *)model)->functions[2].rows;
            unwind_print_row(UNWIND_AMD64, row->off, &row->state, &c.text);
        }
        bo_put_u8(&c.text, 0);
        if (strcmp((const char *)c.text.p, programs[i].expected) != 0)
            fail_msg("case %zu: %s, not %s", i, (const char *)c.text.p, programs[i].expected);
        end_coded(&c);
    }
}

/* Only GNU ld's expression for its PLT is a pattern, and only if no other row follows. */
TEST(test_expression_of_a_pattern)
{
    enum { EXPRESSION_NBYTES = 11, LITERAL = 2 + 6 };
    static const uint8_t program[15] = {
        0x0f, EXPRESSION_NBYTES, 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x33, 0x2a, 0x33, 0x24, 0x22};
    for (size_t i = 2; i <= 2 + EXPRESSION_NBYTES + 1; i++) {
        struct coded c;
        uint8_t changed[15];
        memcpy(changed, program, sizeof program);
        if (i == LITERAL)
            changed[i] = 0x30;
        else if (i < 2 + EXPRESSION_NBYTES)
            changed[i] ^= 1;
        else if (i > 2 + EXPRESSION_NBYTES)
            memcpy(changed + 2 + EXPRESSION_NBYTES, "\x41\x0a", 2);
        encode_program(&c, changed, sizeof changed);
        const uint8_t rep = decode_coded(&c, NULL)->functions[2].rep;
        if (rep != (i == 2 + EXPRESSION_NBYTES ? 16 : 0))
            fail_msg("byte %zu: pattern of %u bytes", i, rep);
        const struct unwind_point_answer answer = answer_at(&c, 0x1030);
        assert_int_equal(unwind_cfa(&answer.state), rep ? UNWIND_CFA_REGISTER : UNWIND_CFA_OTHER);
        end_coded(&c);
    }
}

/* Pairs of rows: .eh_frame has a form for one kind of pattern only. */
TEST(test_forms_of_patterns)
{
    static const struct {
        const char *rows;
        unsigned rep;
        bool is_held;
    } patterns[] = {
        {"0 sp+8 c-8 s\n11 sp+16 c-8 s\n", 16, true},
        {"0 sp+8 c-8 r3\n11 sp+16 c-8 r3\n", 16, true},
        {"0 sp+8 c-8 s\n11 sp+16 c-8 s\n", 15, false},
        {"0 sp+8 c-8 s\n", 16, false},
        {"0 sp+8 c-8 s\n11 sp+16 c-8 s\n12 sp+8 c-8 s\n", 16, false},
        {"1 sp+8 c-8 s\n11 sp+16 c-8 s\n", 16, false},
        {"0 sp+16 c-8 s\n11 sp+24 c-8 s\n", 16, false},
        {"0 sp+0 c-8 s\n11 sp+16 c-8 s\n", 16, false},
        {"0 sp+8 c-8 s\n11 sp+24 c-8 s\n", 16, false},
        {"0 *sp+8 c-8 s\n11 *sp+16 c-8 s\n", 16, false},
        {"0 fp+8 c-8 s\n11 fp+16 c-8 s\n", 16, false},
        {"0 sp+8 c-8 s\n11 fp+16 c-8 s\n", 16, false},
        {"0 sp+8 u s\n11 sp+16 s s\n", 16, false},
        {"0 sp+8 c-8 s\n11 sp+16 c-16 s\n", 16, false},
        {"0 sp+8 c-8 c-16\n11 sp+16 c-8 c-24\n", 16, false},
        {"0 sp+8 r3 s\n11 sp+16 r2 s\n", 16, false},
        {"0 sp+8 c-8 r3\n11 sp+16 c-8 r2\n", 16, false},
    };
    for (size_t i = 0; i < N_ELEMENTS(patterns); i++) {
        struct coded c;
        begin_coded(&c, "eh-frame", "amd64");
        bo_put_text(&c.text, "fn 0x1010 32 rep=%u\n%s", patterns[i].rep, patterns[i].rows);
        encode_coded(&c, NULL);
        if (decode_coded(&c, NULL)->functions[0].rep != (patterns[i].is_held ? 16 : 0))
            fail_msg("pattern of %u bytes: %s", patterns[i].rep, patterns[i].rows);
        end_coded(&c);
    }
}

/* Expressions of a CFA, and the register and offset of those that load a word. */
TEST(test_expressions)
{
    enum { DEF_CFA_EXPRESSION = 0x0f };
    static const struct {
        uint8_t n, bytes[8];
        bool is_memory;
        uint8_t reg;
        int32_t off;
    } expressions[] = {
        {3, {0x77, 0x08, 0x06}, true, 7, 8},
        {3, {0x70, 0x78, 0x06}, true, 0, -8},
        {3, {0x8f, 0x00, 0x06}, true, 31, 0},
        {4, {0x92, 0x7f, 0x08, 0x06}, true, 127, 8},
        {7, {0x77, 0xff, 0xff, 0xff, 0xff, 0x07, 0x06}, true, 7, INT32_MAX},
        {7, {0x77, 0x80, 0x80, 0x80, 0x80, 0x78, 0x06}, true, 7, INT32_MIN},
        {7, {0x77, 0x80, 0x80, 0x80, 0x80, 0x08, 0x06}, .is_memory = false},
        {7, {0x77, 0xff, 0xff, 0xff, 0xff, 0x77, 0x06}, .is_memory = false},
        {5, {0x92, 0x80, 0x01, 0x08, 0x06}, .is_memory = false}, /* register 128 */
        {0, {0}, .is_memory = false},
        {1, {0x92}, .is_memory = false},
        {2, {0x92, 0x07}, .is_memory = false},
        {1, {0x77}, .is_memory = false},
        {2, {0x77, 0x08}, .is_memory = false},
        {3, {0x77, 0x08, 0x05}, .is_memory = false},
        {4, {0x77, 0x08, 0x06, 0x06}, .is_memory = false},
        {3, {0x6f, 0x08, 0x06}, .is_memory = false},
        {3, {0x90, 0x08, 0x06}, .is_memory = false},
    };
    for (size_t i = 0; i < N_ELEMENTS(expressions); i++) {
        struct coded c;
        uint8_t program[2 + sizeof expressions->bytes] = {DEF_CFA_EXPRESSION, expressions[i].n};
        memcpy(program + 2, expressions[i].bytes, expressions[i].n);
        encode_program(&c, program, 2 + (size_t)expressions[i].n);
        const struct unwind_state *first = &decode_coded(&c, NULL)->functions[2].rows[0].state;
        if (unwind_cfa(first) != (expressions[i].is_memory ? UNWIND_CFA_MEMORY : UNWIND_CFA_OTHER))
            fail_msg("case %zu: CFA of kind %u", i, unwind_cfa(first));
        assert_int_equal(first->cfa_reg & UNWIND_MAX_REGISTER, expressions[i].reg);
        assert_int_equal(first->cfa_off, expressions[i].off);
        end_coded(&c);
    }
}

/* The last start of a second function, from that of the first, that codecs hold. */
TEST(test_longest_text)
{
    static const struct {
        const char *codec;
        uint64_t last;
        const char *what;
    } limits[] = {
        {"orc", INT32_MAX - 16, "text has 2^31 bytes or more"},
        {"compact-unwind", INT32_MAX - 16, "text has 2^31 bytes or more"},
        {"eh-frame", INT32_MAX, "addresses span 2^31 bytes or more"},
        {"sframe-v2", INT32_MAX, "addresses or rows exceed 32 bits"},
        {"sframe-v3", INT64_MAX / 2, "addresses or rows exceed 32 bits"},
        {"rows", UINT32_MAX, "functions span 4 GiB or more, or have 2^32 rows or more"},
        {"sequences", UINT32_MAX - 16, "functions span 4 GiB or more"},
        {"predicted-rows", UINT64_C(16) + UINT32_MAX, "hole between functions has 4 GiB or more"},
    };
    for (size_t i = 0; i < 2 * N_ELEMENTS(limits); i++) {
        const bool is_longer = i % 2;
        struct coded c;
        begin_coded(&c, limits[i / 2].codec, "amd64");
        bo_put_text(&c.text, "fn 0x1000 16\n0 sp+8 c-8 s\nfn 0x%" PRIx64 " 16\n0 sp+8 c-8 s\n",
                    0x1000 + limits[i / 2].last + is_longer);
        encode_coded(&c, is_longer ? limits[i / 2].what : NULL);
        if (!is_longer)
            decode_coded(&c, NULL);
        end_coded(&c);
    }
}

/* Encodes n_functions by sequences, all with the same n_rows, without holes. */
static enum bo_status encode_equal(struct coded *c, uint32_t n_functions, uint32_t n_rows,
                                   struct bo_error *err)
{
    enum { MOST_ROWS = 2000, MOST_FUNCTIONS = 300 };
    static struct unwind_row rows[MOST_ROWS];
    static struct unwind_function functions[MOST_FUNCTIONS];
    for (uint32_t i = 0; i < MOST_ROWS; i++)
        rows[i] = (struct unwind_row){
            .off = i,
            .state = {.kinds = unwind_pack(UNWIND_CFA_REGISTER, UNWIND_AT_CFA, UNWIND_SAME),
                      .cfa_reg = 7,
                      .cfa_off = 8 + 8 * (int32_t)(i % 2),
                      .ra_off = -8}};
    for (uint32_t i = 0; i < MOST_FUNCTIONS; i++)
        functions[i] = (struct unwind_function){
            .start = 0x1000 + i * UINT64_C(2048), .length = 2048, .n_rows = n_rows, .rows = rows};
    const struct unwind_model model = {.n_functions = n_functions, .functions = functions};
    begin_coded(c, "sequences", "amd64");
    return c->codec->encode(c->codec, &model, &c->out, err);
}

/*
 * A payload of sequences has at most 256 rows for each byte and 2^17 more, which bounds the work of
 * a reader.
 */
TEST(test_rows_for_a_byte)
{
    enum { FEW = 100, MANY = 300, N_ROWS = 2000 };
    static const uint32_t counts[] = {FEW, MANY};
    for (size_t i = 0; i < N_ELEMENTS(counts); i++) {
        const char *what = counts[i] == FEW ? NULL : "more than 256 rows for each byte";
        struct coded c;
        struct bo_error err;
        expect_error(encode_equal(&c, counts[i], N_ROWS, &err), &err, what);
        if (!what)
            decode_coded(&c, NULL);
        end_coded(&c);
    }
    /* Readers count entries, too; so do writers. */
    uint32_t held = 1, rejected = N_ROWS;
    uint64_t part_nbytes = 0;
    while (rejected - held > 1) {
        const uint32_t middle = held + (rejected - held) / 2;
        struct coded c;
        const bool is_held = encode_equal(&c, MANY, middle, NULL) == BO_OK;
        part_nbytes = is_held ? bo_le64(c.out.p + UNWIND_FRAME_HEADER) : part_nbytes;
        held = is_held ? middle : held;
        rejected = is_held ? rejected : middle;
        end_coded(&c);
    }
    assert_in_range(MANY * (held + UINT64_C(1)), 1, 256 * part_nbytes + (1 << 17));
}

/* A reduced model keeps the calls, from which queries are drawn. */
TEST(test_calls_are_kept)
{
    static const uint64_t calls[] = {0x1005, 0x1045};
    unsigned n_codecs = 0;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    struct unwind_model model = *(const struct unwind_model *)parse_text(amd64_text, &arena);
    model.calls = calls;
    model.n_calls = N_ELEMENTS(calls);
    for (const struct bo_codec *const *c = test_format()->codecs; *c; c++) {
        void *reduced;
        if (!(*c)->reduce)
            continue;
        assert_int_equal((*c)->reduce(*c, &model, &arena, &reduced, NULL), BO_OK);
        const struct unwind_model *left = reduced;
        if (left->calls != calls || left->n_calls != N_ELEMENTS(calls))
            fail_msg("%s: %u calls are left", (*c)->name, left->n_calls);
        n_codecs++;
    }
    assert_true(n_codecs > 5);
    bo_arena_free(&arena);
}

static const char *const archs[] = {"amd64", "arm64", "s390x"};

/* Whether an encoding cannot hold the machine, or addresses that are so far apart. */
static bool is_limit(const char *why_skipped)
{
    static const char *const limits[] = {
        "ORC of this layout is",        "compact unwind has no s390x",
        "SFrame version 1 has no",      "text has 2^31 bytes or",
        "addresses span 2^31 bytes or", "addresses or rows exceed 32",
        "functions span 4 GiB or",      "model is joined",
    };
    for (size_t i = 0; i < N_ELEMENTS(limits); i++)
        if (strncmp(why_skipped, limits[i], strlen(limits[i])) == 0)
            return true;
    return false;
}

/* All codecs decode to the part of the model that they hold, and answer as the oracle does. */
static void expect_held(struct bo_writer *text, const char *arch, struct bo_arena *arena)
{
    const struct bo_effort effort = bo_effort_default();
    bo_put_u8(text, 0);
    const void *model = parse_text((const char *)text->p, arena);
    for (const struct bo_codec *const *c = test_format()->codecs; *c; c++)
        for (const struct bo_check *check = bo_checks; check->name; check++) {
            if (strcmp(check->name, "round-trip") != 0 && strcmp(check->name, "oracle") != 0)
                continue;
            const struct bo_check_result r = check->run(test_format(), *c, model, &effort);
            if (r.outcome == BO_FAIL || (r.outcome == BO_SKIP && !is_limit(r.why_skipped)))
                fail_msg("%s, %s: %s: %s", (*c)->name, arch, check->name,
                         r.outcome == BO_SKIP ? r.why_skipped : r.finding.detail);
        }
    bo_writer_free(text);
    bo_arena_free(arena);
}

/* Offsets at the ends of int32, which no sum or difference of an encoder may exceed. */
TEST(test_extreme_offsets)
{
    static const char *const offsets[] = {"+2147483647", "+2147483640", "-2147483648", "-8", "+0"};
    for (size_t a = 0; a < N_ELEMENTS(archs); a++) {
        struct bo_arena arena;
        struct bo_writer text;
        uint64_t start = 0x1000;
        begin_text(&text, archs[a], &arena);
        for (size_t i = 0; i < 125; i++, start += 16)
            bo_put_text(&text, "fn 0x%" PRIx64 " 16\n0 sp%s c%s c%s\n", start, offsets[i / 25],
                        offsets[i / 5 % 5], offsets[i % 5]);
        expect_held(&text, archs[a], &arena);
    }
}

/* Every rule of CFA, RA and FP, with the machine's registers and another one. */
TEST(test_all_rules)
{
    static const char *const cfas[] = {"sp+8", "sp+176", "fp+16", "r3+8", "*sp+8", "*r3-8", "x"};
    static const char *const rules[] = {"s",  "u",  "c-8", "c-16",  "c+8",   "v-8",   "r3",
                                        "r6", "r7", "r16", "*sp+8", "*fp-8", "*r3+8", "x"};
    enum { N_RULES = N_ELEMENTS(rules) };
    for (size_t a = 0; a < N_ELEMENTS(archs); a++) {
        struct bo_arena arena;
        struct bo_writer text;
        uint64_t start = 0x1000;
        begin_text(&text, archs[a], &arena);
        for (size_t i = 0; i < N_ELEMENTS(cfas) * N_RULES * N_RULES; i++, start += 16)
            bo_put_text(&text, "fn 0x%" PRIx64 " 16\n0 %s %s %s\n", start,
                        cfas[i / (N_RULES * N_RULES)], rules[i / N_RULES % N_RULES],
                        rules[i % N_RULES]);
        expect_held(&text, archs[a], &arena);
    }
}

/*
 * A page of delta4 is 64 KiB, and holds a row less than it has bytes. So does a function of
 * sframe-v3.
 */
TEST(test_most_rows)
{
    for (unsigned n = 65535; n <= 65536; n++) {
        struct coded c;
        void *reduced;
        begin_coded(&c, "delta4", "amd64");
        bo_put_text(&c.text, "fn 0x10000 65536\n");
        for (unsigned i = 0; i < n; i++)
            bo_put_text(&c.text, "%u sp+%u c-8 s\n", i, i % 2 ? 8u : 800u);
        const void *model = encode_coded(&c, n == 65535 ? NULL : "page has 65536 rows or more");
        c.codec = bo_find_codec(test_format(), "sframe-v3");
        assert_int_equal(c.codec->reduce(c.codec, model, &c.arena, &reduced, NULL), BO_OK);
        assert_int_equal(((const struct unwind_model *)reduced)->n_functions, n == 65535);
        end_coded(&c);
    }
}

/* The second page gets the number of the first one. */
TEST(test_equal_pages)
{
    static const struct {
        const char *codec;
        size_t at, page_nbytes;
    } delta[] = {{"delta8", 0, 16}, {"delta4", 8, 24}};
    for (size_t i = 0; i < N_ELEMENTS(delta); i++) {
        struct coded c;
        encode_text(&c, delta[i].codec,
                    "unwind 1\narch amd64\nfn 0x10000 8\n0 sp+8 c-8 s\n"
                    "fn 0x20000 8\n0 sp+8 c-8 s\n");
        uint8_t *number = c.part + delta[i].at;
        decode_coded(&c, NULL);
        memcpy(number + delta[i].page_nbytes, number, 8);
        decode_coded(&c, "page numbers do not ascend below 2^48");
        end_coded(&c);
    }
}

/* Compact unwind holds rbp as the lowest of up to six saved registers. */
TEST(test_saved_registers)
{
    for (int n = 1; n <= 6; n++) {
        struct coded c;
        begin_coded(&c, "compact-unwind", "amd64 joined");
        bo_put_text(&c.text, "fn 0x1000 16\n0 sp+%d c-8 c-%d\n", 8 * n + 16, 8 * n + 8);
        const void *model = encode_coded(&c, NULL);
        assert_null(test_format()->differ(model, decode_coded(&c, NULL)));
        end_coded(&c);
    }
}

/* Of six saved registers in the order of their numbers, the last is rbp: at the highest place. */
TEST(test_last_saved_register)
{
    enum { FRAMELESS = 2 << 24, CFA_64 = 8 << 16, SIX = 6 << 10, RBP_FIRST = 5 * 120 };
    struct coded c;
    unsigned n_found = 0;
    begin_coded(&c, "compact-unwind", "amd64 joined");
    bo_put_text(&c.text, "fn 0x1000 16\n0 sp+64 c-8 c-56\n");
    encode_coded(&c, NULL);
    for (size_t i = 0; i + 4 <= c.out.n; i++)
        if (bo_le32(c.out.p + i) == (FRAMELESS | CFA_64 | SIX | RBP_FIRST)) {
            bo_set_le32(c.out.p + i, FRAMELESS | CFA_64 | SIX);
            n_found++;
        }
    assert_int_equal(n_found, 1);
    assert_int_equal(decode_coded(&c, NULL)->functions[0].rows[0].state.fp_off, -16);
    end_coded(&c);
}

/* A model's last byte may be 2^64 - 2: with a Base one higher, no payload is valid. */
TEST(test_last_byte)
{
    for (const struct bo_codec *const *codec = test_format()->codecs; *codec; codec++) {
        struct coded c;
        struct bo_error err;
        void *model;
        encode_text(&c, (*codec)->name,
                    "unwind 1\narch amd64\nfn 0xfffffffffffffff0 15\n0 sp+8 c-8 s\n");
        decode_coded(&c, NULL);
        c.out.p[8]++;
        if ((*codec)->decode(*codec, bo_writer_span(&c.out), &c.arena, &model, &err) == BO_OK ||
            (!strstr(err.what, "2^64") && !strstr(err.what, "do not ascend from Base")))
            fail_msg("%s: wrong error, or none", (*codec)->name);
        end_coded(&c);
    }
}

/* Rows at the ends of what codecs hold: kept as they are, or reduced before they are encoded. */
TEST(test_held_rows)
{
    static const struct {
        const char *codec, *arch, *row;
        bool is_held;
    } rows[] = {
        {"delta16", "amd64 joined", "sp+32767 c-8 s", true},
        {"delta16", "amd64 joined", "sp+32768 c-8 s", false},
        {"delta16", "amd64 joined", "sp-32768 c-8 s", true},
        {"delta16", "amd64 joined", "sp-32769 c-8 s", false},
        {"delta8", "amd64 joined", "sp+65535 c-8 s", true},
        {"delta8", "amd64 joined", "sp+65536 c-8 s", false},
        {"delta4", "amd64 joined", "r3-1073741824 c-8 s", true},
        {"delta4", "amd64 joined", "r3-1073741832 c-8 s", false},
        {"delta4", "arm64 joined", "sp+8 c-2147483640 c-2147483648", true},
        {"delta4", "s390x joined", "sp+160 s r127", true},
        {"compact-unwind", "amd64 joined", "sp+2040 c-8 s", true},
        {"compact-unwind", "amd64 joined", "sp+2048 c-8 s", false},
        {"delta4", "amd64 joined", "r3+1073741816 c-8 s", true},
        {"delta4", "amd64 joined", "r3+1073741824 c-8 s", false},
        {"delta4", "amd64 joined", "r3+4 c-8 s", false},
        {"delta4", "amd64 joined", "r15+8 c-8 s", true},
        {"delta4", "amd64 joined", "r16+8 c-8 s", false},
        {"delta4", "amd64 joined", "*r3+8 c-8 s", false},
        {"delta4", "amd64 joined", "*sp+8 c-8 s", true},
        {"delta4", "amd64 joined", "*sp+4 c-8 s", false},
        {"delta4", "amd64 joined", "sp+8 c-16 s", false},
        {"delta4", "amd64 joined", "sp+8 c-8 *r3+8", false},
        {"delta4", "arm64 joined", "sp+8 c-8 c-17", false},
        {"delta4", "arm64 joined", "sp+8 s r29", false},
        {"compact-unwind", "amd64 joined", "sp+2044 c-8 s", false},
        {"compact-unwind", "amd64 joined", "sp+64 c-8 c-8", false},
        {"compact-unwind", "amd64 joined", "sp+64 c-8 c-60", false},
        {"compact-unwind", "amd64 joined", "sp+64 c-8 c-64", false},
        {"compact-unwind", "amd64 joined", "fp+16 c-8 c-16", true},
        {"compact-unwind", "amd64 joined", "fp+24 c-8 c-16", false},
        {"compact-unwind", "amd64 joined", "fp+16 c-16 c-16", false},
        {"compact-unwind", "amd64 joined", "fp+16 c-8 c-24", false},
        {"compact-unwind", "arm64 joined", "sp+65520 s s", true},
        {"compact-unwind", "arm64 joined", "sp+65536 s s", false},
        {"compact-unwind", "arm64 joined", "sp+8 s s", false},
        {"compact-unwind", "arm64 joined", "sp+16 c-8 s", false},
        {"orc", "amd64 joined", "*fp+8 c-8 s", true},
        {"orc", "amd64 joined", "r1+0 c-8 s", true},
        {"orc", "amd64 joined", "r5+0 c-8 s", true},
        {"orc", "amd64 joined", "r10+0 c-8 s", true},
        {"orc", "amd64 joined", "r13+0 c-8 s", true},
        {"orc", "amd64 joined", "r10+8 c-8 s", false},
        {"orc", "amd64 joined", "*r10+0 c-8 s", false},
        {"orc", "amd64 joined", "r2+0 c-8 s", false},
        {"orc", "amd64 joined", "sp+32767 c-8 c-32768", true},
        {"orc", "amd64 joined", "sp+32768 c-8 s", false},
        {"orc", "amd64 joined", "sp+8 c-8 c-32769", false},
        {"orc", "amd64 joined", "sp+8 c-16 s", false},
        {"orc", "amd64 joined", "sp+8 c-8 *fp+8", true},
        {"orc", "amd64 joined", "sp+8 c-8 *sp+8", false},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct coded c;
        begin_coded(&c, rows[i].codec, rows[i].arch);
        bo_put_text(&c.text, "fn 0x1000 16\n0 %s\n", rows[i].row);
        void *reduced;
        const bool holds_parts =
            strcmp(rows[i].codec, "delta16") == 0 || strcmp(rows[i].codec, "delta8") == 0;
        const void *model = encode_coded(&c, NULL);
        const struct unwind_model *decoded = decode_coded(&c, NULL);
        assert_int_equal(c.codec->reduce(c.codec, model, &c.arena, &reduced, NULL), BO_OK);
        if (!test_format()->differ(model, decoded) != rows[i].is_held ||
            test_format()->differ(reduced, decoded) ||
            (decoded->n_functions == 0) != (!rows[i].is_held && !holds_parts))
            fail_msg("%s: %s", rows[i].codec, rows[i].row);
        end_coded(&c);
    }
}

/* Infos of delta4 at the limits of their fields: the error, or NULL. */
TEST(test_infos)
{
    static const char no_cfa[] = "opcode or parameter of a CFA is not known",
                      no_rules[] = "opcode or parameter of RA and FP is not known",
                      no_merge[] = "merge opcode is not known, or padding is not 0";
    enum { INFO_AT = 24 + 2 * 4 };
    static const struct {
        const char *arch;
        uint8_t opcode, fp_opcode, merge;
        int32_t param, fp_param;
        const char *what;
    } infos[] = {
        {"amd64", 2, 0, 0, 8, 0, NULL},
        {"amd64", 3, 3, 0, 8, 0, NULL},
        {"amd64", 1, 0, 0, 8, 0, no_cfa},
        {"amd64", 4, 0, 0, 8, 0, no_cfa},
        {"amd64", 6, 0, 0, 8, 0, no_cfa},
        {"amd64", 5, 0, 0, 16 | 3, 0, NULL},
        {"amd64", 5, 0, 0, 16 | 6, 0, no_cfa},
        {"amd64", 5, 0, 0, 16 | 7, 0, no_cfa},
        {"s390x", 5, 4, 0, 16 | 10, 0, NULL},
        {"s390x", 5, 4, 0, 16 | 11, 0, no_cfa},
        {"s390x", 5, 4, 0, 16 | 15, 0, no_cfa},
        {"amd64", 0x85, 0, 0, 16, 0, no_cfa},
        {"amd64", 0x82, 0, 0, 8, 0, NULL},
        {"amd64", 0x82, 0, 0, 12, 0, no_cfa},
        {"amd64", 2, 0, 0, 8, 1, no_rules},
        {"amd64", 2, 4, 0, 8, 0, no_rules},
        {"arm64", 2, 0, 0, 8, 0, no_rules},
        {"arm64", 2, 1, 0, 8, 8, NULL},
        {"arm64", 2, 3, 0, 8, 0, no_rules},
        {"arm64", 2, 4, 0, 8, 0, NULL},
        {"arm64", 2, 4, 0, 8, 1, no_rules},
        {"arm64", 2, 5, 0, 8, 1, no_rules},
        {"s390x", 2, 5, 0, 8, 127, NULL},
        {"s390x", 2, 5, 0, 8, 128, no_rules},
        {"s390x", 2, 5, 0, 8, -1, no_rules},
        {"arm64", 2, 6, 0, 8, INT32_MIN + 8, NULL},
        {"arm64", 2, 6, 0, 8, INT32_MIN + 7, no_rules},
        {"s390x", 2, 6, 0, 8, INT32_MIN + 24, NULL},
        {"s390x", 2, 6, 0, 8, INT32_MIN + 23, no_rules},
        {"amd64", 2, 0, 2, 8, 0, NULL},
        {"amd64", 3, 0, 0x82, 8, 0, NULL},
        {"amd64", 2, 0, 3, 8, 0, no_merge},
        {"amd64", 2, 0, 0x80, 8, 0, no_merge},
        {"amd64", 5, 0, 1, 16 | 3, 0, no_merge},
        {"amd64", 0x82, 0, 1, 8, 0, no_merge},
        {"amd64", 2, 0, 1, INT32_MAX - 8, 0, NULL},
        {"amd64", 2, 0, 1, INT32_MAX - 7, 0, "CFA offset overflows"},
        {"amd64", 2, 0, 0x81, INT32_MIN + 8, 0, NULL},
        {"amd64", 2, 0, 0x81, INT32_MIN + 7, 0, "CFA offset overflows"},
    };
    for (size_t i = 0; i < N_ELEMENTS(infos); i++) {
        struct coded c;
        begin_coded(&c, "delta4", infos[i].arch);
        bo_put_text(&c.text, "fn 0x10000 16\n0 sp+160 %s s\n",
                    strcmp(infos[i].arch, "amd64") == 0 ? "c-8" : "s");
        encode_coded(&c, NULL);
        uint8_t *info = c.part + INFO_AT;
        info[0] = infos[i].opcode;
        info[1] = infos[i].fp_opcode;
        info[2] = infos[i].merge;
        bo_set_le32(info + 4, (uint32_t)infos[i].param);
        bo_set_le32(info + 8, (uint32_t)infos[i].fp_param);
        decode_coded(&c, infos[i].what);
        end_coded(&c);
    }
}

/* Infos that no row has may be equal to others, but they keep the rules. */
TEST(test_unused_infos)
{
    enum { MAX_INFOS = 32768, INFO_NBYTES = 12 };
    struct coded c;
    encode_text(&c, "delta4", merged_text);
    uint8_t *unused = lengthen_part(&c, 2, INFO_NBYTES * (MAX_INFOS - 3));
    for (size_t i = 0; i < MAX_INFOS - 3; i++)
        memcpy(unused + INFO_NBYTES * i, unused - INFO_NBYTES, INFO_NBYTES);
    decode_coded(&c, NULL);
    unused[INFO_NBYTES * (MAX_INFOS - 4) + 2] = 3;
    decode_coded(&c, "merge opcode is not known, or padding is not 0");
    end_coded(&c);
}

/* Commands of delta4: instead of a row's number of an info. */
TEST(test_commands)
{
    static const char is_unknown[] = "command is not known";
    static const struct {
        const char *arch;
        uint16_t command;
        const char *what;
    } commands[] = {
        {"amd64", 0x8000, "entries do not ascend from Base, or the first says nothing"},
        {"arm64", 0x8001, NULL},
        {"amd64", 0x8002, is_unknown},
        {"amd64", 0x8003, NULL},
        {"arm64", 0x8003, is_unknown},
        {"amd64", 0x8004, is_unknown},
        {"amd64", 0x7fff, "number of an info is out of range"},
        {"amd64", 1, "number of an info is out of range"},
    };
    for (size_t i = 0; i < N_ELEMENTS(commands); i++) {
        struct coded c;
        begin_coded(&c, "delta4", commands[i].arch);
        bo_put_text(&c.text, "fn 0x10000 16\n0 sp+160 u s\nfn 0x10010 16\n0 sp+8 %s s\n",
                    strcmp(commands[i].arch, "amd64") == 0 ? "c-8" : "s");
        encode_coded(&c, NULL);
        bo_set_le16(c.part + 24 + 2, commands[i].command);
        decode_coded(&c, commands[i].what);
        end_coded(&c);
    }
}

/* Which neighbouring rows become one row of delta4; a third row is the end. */
TEST(test_merged_rows)
{
    static const struct {
        const char *rows;
        unsigned n;
    } pairs[] = {
        {"0 sp+8 c-8 s\n1 sp+16 c-8 s\n", 2},    {"0 sp+8 c-8 s\n2 sp+16 c-8 s\n", 2},
        {"0 sp+8 c-8 s\n3 sp+16 c-8 s\n", 3},    {"0 fp+16 c-8 s\n1 fp+8 c-8 s\n", 2},
        {"0 sp+8 c-8 s\n1 fp+16 c-8 s\n", 3},    {"0 *sp+8 c-8 s\n1 *sp+16 c-8 s\n", 3},
        {"0 sp+8 c-8 s\n1 sp+16 c-8 c-16\n", 3}, {"0 sp+8 c-8 c-16\n1 sp+16 c-8 c-24\n", 3},
        {"0 sp+8 c-8 s\n1 sp+24 c-8 s\n", 3},    {"0 sp+8 c-8 s\n1 sp+12 c-8 s\n", 3},
        {"0 sp+8 c-8 s\n1 sp+16 u s\n", 3},      {"0 sp+8 c-8 s\n1 sp+16 c-8 c+0\n", 3},
    };
    for (size_t i = 0; i < N_ELEMENTS(pairs); i++) {
        struct coded c;
        begin_coded(&c, "delta4", "amd64");
        bo_put_text(&c.text, "fn 0x10000 16\n%s", pairs[i].rows);
        encode_coded(&c, NULL);
        decode_coded(&c, NULL);
        const uint64_t nbytes = bo_le64(c.out.p + UNWIND_FRAME_HEADER + 8);
        if (nbytes != UINT64_C(4) * pairs[i].n)
            fail_msg("%u bytes of rows: %s", (unsigned)nbytes, pairs[i].rows);
        end_coded(&c);
    }
}

/* Neighbouring entries of delta4 may not both say that nothing is known. */
TEST(test_equal_commands)
{
    struct coded c;
    encode_text(&c, "delta4", merged_text);
    for (unsigned row = 1; row <= 2; row++)
        bo_set_le16(c.part + 24 + 4 * row + 2, 0x8000);
    decode_coded(&c, "neighbouring entries are equal");
    end_coded(&c);
}

/* Compact unwind stores the row that covers the most bytes, of a pattern those of one block. */
TEST(test_longest_row)
{
    static const struct {
        const char *text;
        int cfa_off;
    } functions[] = {
        {"fn 0x1000 100\n0 sp+8 c-8 s\n50 sp+16 c-8 s\n", 8},
        {"fn 0x1000 101\n0 sp+8 c-8 s\n50 sp+16 c-8 s\n", 16},
        {"fn 0x1000 100 rep=16\n0 sp+8 c-8 s\n9 sp+16 c-8 s\n", 8},
        {"fn 0x1000 8 rep=16\n0 sp+8 c-8 s\n5 sp+16 c-8 s\n", 8},
        {"fn 0x1000 100\n0 sp+8 c-8 s\n10 sp+16 c-8 s\n90 sp+24 c-8 s\n", 16},
    };
    for (size_t i = 0; i < N_ELEMENTS(functions); i++) {
        struct coded c;
        begin_coded(&c, "compact-unwind", "amd64");
        bo_put_text(&c.text, "%s", functions[i].text);
        encode_coded(&c, NULL);
        const struct unwind_function *f = decode_coded(&c, NULL)->functions;
        assert_int_equal(f->rows[0].state.cfa_off, functions[i].cfa_off);
        end_coded(&c);
    }
}

/*
 * A compressed page of compact unwind has numbers for 256 encodings. With one more, here that of
 * the end, the page becomes a regular one.
 */
TEST(test_most_encodings)
{
    for (unsigned n = 255; n <= 256; n++) {
        struct coded c;
        begin_coded(&c, "compact-unwind", "amd64 joined");
        bo_put_text(&c.text, "fn 0x1000 1000\n");
        for (unsigned r = 0; r < n; r++)
            bo_put_text(&c.text, "%u sp+%u c-8 %s\n", r, 8 * (r % 200), r < 200 ? "s" : "c-16");
        encode_coded(&c, NULL);
        decode_coded(&c, NULL);
        const uint8_t *page = c.part + bo_le32(c.part + bo_le32(c.part + 20) + 4);
        assert_int_equal(bo_le32(page), n == 255 ? 3 : 2);
        end_coded(&c);
    }
}

/*
 * Compact unwind has no encoding of seven saved registers, and a permutation of n registers is
 * below 6 x 5 x ... of n factors, or of 5 factors for n = 6: of others, nothing is known.
 */
TEST(test_unknown_saved_registers)
{
    static const struct {
        unsigned n, permutation;
        bool is_known;
    } saved[] = {
        {0, 1023, true}, {1, 5, true},    {1, 6, false},   {2, 29, true},   {2, 30, false},
        {3, 119, true},  {3, 120, false}, {4, 359, true},  {4, 360, false}, {5, 719, true},
        {5, 720, false}, {6, 719, true},  {6, 720, false}, {7, 0, false},
    };
    for (size_t i = 0; i < N_ELEMENTS(saved); i++) {
        struct coded c;
        begin_coded(&c, "compact-unwind", "amd64 joined");
        bo_put_text(&c.text,
                    "fn 0x1000 48\n0 fp+16 c-8 c-16\n16 sp+64 c-8 c-56\n32 fp+16 c-8 c-16\n");
        encode_coded(&c, NULL);
        uint8_t *encoding = memmem(c.out.p, c.out.n, "\x58\x1a\x08\x02", 4);
        assert_non_null(encoding);
        bo_set_le16(encoding, (uint16_t)(saved[i].n << 10 | saved[i].permutation));
        const uint8_t found = answer_at(&c, 0x1010).found;
        if ((found == UNWIND_ROW) != saved[i].is_known)
            fail_msg("%u registers, permutation %u", saved[i].n, saved[i].permutation);
        end_coded(&c);
    }
}

/* An empty table of compact unwind has its sentinel at Base. */
TEST(test_empty_index)
{
    struct coded c;
    encode_text(&c, "compact-unwind", "unwind 1\narch amd64\n");
    c.part[28] = 1;
    decode_coded(&c, "bytes follow the last page, or no sentinel");
    end_coded(&c);
}

/* A second function must not start above 2^64 from Base on. */
TEST(test_starts_above_64_bits)
{
    for (const struct bo_codec *const *codec = test_format()->codecs; *codec; codec++) {
        struct coded c;
        struct bo_error err;
        void *model;
        encode_text(&c, (*codec)->name,
                    "unwind 1\narch amd64\nfn 0xffffffffffffff00 16\n0 sp+8 c-8 s\n"
                    "fn 0xffffffffffffffe0 16\n0 sp+16 c-8 s\n");
        decode_coded(&c, NULL);
        c.out.p[8] = 0x40;
        if ((*codec)->decode(*codec, bo_writer_span(&c.out), &c.arena, &model, &err) == BO_OK ||
            (!strstr(err.what, "2^64") && !strstr(err.what, "do not ascend from Base")))
            fail_msg("%s: wrong error, or none", (*codec)->name);
        end_coded(&c);
    }
}

/* The second FDE may start 2^31 - 1 bytes after Base, not later. */
TEST(test_far_record)
{
    enum { CIE_NBYTES = 24, FDE_NBYTES = 20 };
    struct coded c;
    begin_coded(&c, "eh-frame", "amd64");
    bo_put_text(&c.text, "fn 0x0 16\n0 sp+8 c-8 s\nfn 0x7fffffff 16\n0 sp+8 c-8 s\n");
    encode_coded(&c, NULL);
    decode_coded(&c, NULL);
    uint8_t *start = c.part + CIE_NBYTES + FDE_NBYTES + 8, *entry = start + 12 + 4 + 12 + 8;
    assert_int_equal(bo_le32(entry), INT32_MAX);
    bo_set_le32(start, bo_le32(start) + 1);
    bo_set_le32(entry, bo_le32(entry) + 1);
    decode_coded(&c, "function starts 2^31 bytes or more after Base, or ends above 2^64 - 1");
    end_coded(&c);
}

/* A state is remembered if it occurs again at most 1024 rows later. */
TEST(test_look_ahead)
{
    enum { CIE_NBYTES = 28, REMEMBER = 0x0a };
    for (unsigned n = 1024; n <= 1025; n++) {
        struct coded c;
        begin_coded(&c, "eh-frame", "amd64");
        bo_put_text(&c.text, "fn 0x1000 2000\n0 sp+8 c-8 c-16\n");
        for (unsigned r = 1; r <= n; r++)
            bo_put_text(&c.text, "%u fp+%u c-16 s\n", r, 8 + 8 * r);
        bo_put_text(&c.text, "%u sp+8 c-8 c-16\n", n + 1);
        encode_coded(&c, NULL);
        decode_coded(&c, NULL);
        const uint8_t *program = c.part + 4 + bo_le32(c.part) + 17;
        assert_int_equal(program[0], 0x41);
        assert_int_equal(program[1] == REMEMBER, n == 1024);
        end_coded(&c);
    }
}

/* Functions in several blocks of rows-zstd: each is found, with its rows. */
TEST(test_blocks_of_functions)
{
    enum { A_BLOCK = 4096, N_FUNCTIONS = 2 * A_BLOCK + 2, CFA_OFF = 8 };
    static const uint32_t functions[] = {
        0, 1, A_BLOCK - 1, A_BLOCK, A_BLOCK + 1, 2 * A_BLOCK - 1, 2 * A_BLOCK, N_FUNCTIONS - 1};
    struct coded c;
    begin_coded(&c, "rows-zstd", "amd64");
    if (!c.codec) {
        end_coded(&c);
        return;
    }
    for (uint32_t i = 0; i < N_FUNCTIONS; i++)
        bo_put_text(&c.text, "fn 0x%x 8\n0 sp+%u c-8 s\n", 0x1000 + 16 * i, CFA_OFF * i);
    encode_coded(&c, NULL);
    decode_coded(&c, NULL);
    for (size_t i = 0; i < N_ELEMENTS(functions); i++)
        for (unsigned byte = 0; byte <= 8; byte++) {
            const struct unwind_point_answer answer =
                answer_at(&c, 0x1000 + 16 * functions[i] + byte);
            assert_int_equal(answer.found, byte < 8 ? UNWIND_ROW : UNWIND_NO_FUNCTION);
            assert_int_equal(answer.state.cfa_off, byte < 8 ? CFA_OFF * functions[i] : 0);
        }
    assert_int_equal(answer_at(&c, 0xfff).found, UNWIND_NO_FUNCTION);
    end_coded(&c);
}

/* Frames of rows-zstd: nothing follows one, none is empty, and all but the last are full. */
TEST(test_frames)
{
    static const char is_invalid[] = "zstd frame is invalid or not of its block's size";
    static const uint8_t empty[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0};
    struct coded c;
    if (!bo_find_codec(test_format(), "rows-zstd"))
        skip();
    encode_text(&c, "rows-zstd", merged_text);
    lengthen_part(&c, 1, 1);
    c.part[0]++;
    decode_coded(&c, is_invalid);
    end_coded(&c);
    encode_text(&c, "rows-zstd", "unwind 1\narch amd64\nfn 0x1000 8\n");
    *lengthen_part(&c, 2, 4) = sizeof empty;
    memcpy(lengthen_part(&c, 3, sizeof empty), empty, sizeof empty);
    decode_coded(&c, is_invalid);
    end_coded(&c);
    encode_text(&c, "rows-zstd", merged_text);
    const size_t n = (size_t)bo_le64(c.out.p + UNWIND_FRAME_HEADER + 8 * 3);
    bo_set_le32(lengthen_part(&c, 2, 4), (uint32_t)(2 * n));
    uint8_t *second = lengthen_part(&c, 3, n);
    memcpy(second, second - n, n);
    decode_coded(&c, is_invalid);
    end_coded(&c);
}

/* Signal frames next to other functions are functions of their own, also in a scan. */
TEST(test_signal_neighbours)
{
    struct coded c;
    begin_text(&c.text, "amd64", &c.arena);
    bo_put_text(&c.text, "fn 0x1000 16\n0 sp+8 c-8 s\n"
                         "fn 0x1010 16 S\n0 *sp+160 *sp+168 *sp+120\n"
                         "fn 0x1020 16\n0 sp+8 c-8 s\n");
    expect_held(&c.text, "amd64", &c.arena);
}

/* A stretch is shorter than 4 GiB; joined functions are split before they are longer. */
TEST(test_long_stretches)
{
    struct coded c;
    begin_text(&c.text, "amd64", &c.arena);
    bo_put_text(&c.text, "fn 0x1000 4294967279\n0 sp+8 c-8 s\nfn 0x100000fef 16\n0 sp+16 c-8 s\n");
    expect_held(&c.text, "amd64", &c.arena);
    begin_text(&c.text, "amd64", &c.arena);
    bo_put_text(&c.text, "fn 0x1000 4294967279\n0 sp+8 c-8 s\nfn 0x100000fef 17\n0 sp+16 c-8 s\n");
    expect_held(&c.text, "amd64", &c.arena);
    const void *model =
        encode_text(&c, "delta16", "unwind 1\narch amd64\nfn 0x1000 4294967295\n0 sp+8 c-8 s\n");
    decode_coded(&c, NULL);
    bo_set_le64(c.part + 16, bo_le64(c.part + 16) + 1); /* the end of the text */
    decode_coded(&c, "entry holds for 4 GiB or more");
    c.codec = bo_find_codec(test_format(), "predicted-rows");
    bo_writer_reset(&c.out);
    assert_int_equal(c.codec->encode(c.codec, model, &c.out, NULL), BO_OK);
    decode_coded(&c, NULL);
    end_coded(&c);
}

/* Encodings that store function boundaries reject a model without them. */
TEST(test_joined)
{
    struct coded c;
    for (const struct bo_codec *const *codec = test_format()->codecs; *codec; codec++) {
        begin_coded(&c, (*codec)->name, "amd64 joined");
        encode_coded(&c,
                     (*codec)->reduce ? NULL : "model is joined: it has no function boundaries");
        end_coded(&c);
    }
    begin_text(&c.text, "amd64 joined", &c.arena);
    bo_put_text(&c.text, "fn 0x1000 16\n0 sp+8 c-8 s\n4 fp+16 c-8 c-16\n"
                         "fn 0x1018 16\n0 sp+8 c-8 s\n");
    expect_held(&c.text, "amd64", &c.arena);
}

/* A stretch of functions with equal rows, or with padding, may be longer than a function. */
TEST(test_too_long_stretches)
{
    static const char *const codecs[] = {"orc", "compact-unwind", "delta16", "delta8", "delta4"};
    static const struct {
        uint32_t length; /* of a function at 0x1000 with sp+8 */
        uint64_t start;  /* of the next one */
        int32_t cfa_off;
        bool is_held;
    } limits[] = {{UINT32_MAX - 1, UINT64_C(0x100000ffe), 8, true},
                  {UINT32_MAX, UINT64_C(0x100000fff), 8, false},
                  {UINT32_MAX - 15, UINT64_C(0x100000fff), 16, true},
                  {UINT32_MAX - 14, UINT64_C(0x100001000), 16, false}};
    for (size_t i = 0; i < N_ELEMENTS(codecs) * N_ELEMENTS(limits); i++) {
        const unsigned k = i % N_ELEMENTS(limits);
        const bool is_held = limits[k].is_held, has_31_bits = i / N_ELEMENTS(limits) < 2;
        const char *what = is_held ? NULL : "state applies to 4 GiB or more";
        struct coded c;
        struct bo_error err;
        void *reduced;
        begin_coded(&c, codecs[i / N_ELEMENTS(limits)], "amd64");
        bo_put_text(&c.text,
                    "fn 0x1000 %" PRIu32 "\n0 sp+8 c-8 s\nfn 0x%" PRIx64 " 1\n0 sp+%d c-8 s\n",
                    limits[k].length, limits[k].start, (int)limits[k].cfa_off);
        const void *model =
            encode_coded(&c, is_held && has_31_bits ? "text has 2^31 bytes or more" : what);
        expect_error(c.codec->reduce(c.codec, model, &c.arena, &reduced, &err), &err, what);
        if (is_held)
            assert_null(unwind_model_flaw(reduced, NULL));
        if (is_held && !has_31_bits)
            decode_coded(&c, NULL);
        end_coded(&c);
    }
}

/*
 * Patterns that are written out have fewer than 2^20 rows together, which bounds memory; no pattern
 * is longer than 255 bytes.
 */
TEST(test_patterns)
{
    struct coded c;
    for (unsigned i = 0; i < 4; i++) {
        const bool is_over = i % 2, is_one = i < 2;
        begin_coded(&c, "delta16", "amd64");
        bo_put_text(&c.text, "fn 0x1000 %u rep=16\n0 sp+8 c-8 s\n",
                    (1u << (is_one ? 24 : 23)) - !is_over);
        if (!is_one)
            bo_put_text(&c.text, "fn 0x1001000 %u rep=16\n0 sp+8 c-8 s\n8 sp+16 c-8 s\n", 1u << 22);
        encode_coded(&c, is_over ? "pattern functions expand to 2^20 rows or more" : NULL);
        end_coded(&c);
    }
    begin_text(&c.text, "amd64", &c.arena);
    bo_put_text(&c.text, "fn 0x1000 300 rep=255\n0 sp+8 c-8 s\n");
    expect_held(&c.text, "amd64", &c.arena);
}

/* Starts of rows have 1 byte in functions below 256 bytes, 2 below 65 536, 4 above. */
TEST(test_widths_of_starts)
{
    static const unsigned lengths[] = {255, 256, 65535, 65536};
    for (unsigned i = 0; i < N_ELEMENTS(lengths); i++) {
        struct coded c;
        begin_coded(&c, "sframe-v2", "amd64");
        bo_put_text(&c.text, "fn 0x1000 %u\n0 sp+8 c-8 s\n", lengths[i]);
        encode_coded(&c, NULL);
        assert_int_equal(c.part[28 + 16] & 15, (i + 1) / 2); /* the function's info */
        end_coded(&c);
    }
}

/* Of 128 encodings that occur twice, compact unwind has 127 in common. */
TEST(test_common_encodings)
{
    struct coded c;
    begin_coded(&c, "compact-unwind", "amd64");
    for (unsigned i = 0; i < 256; i++)
        bo_put_text(&c.text, "fn 0x%x 8\n0 sp+%u c-8 s\n", 0x1000 + 8 * i, 8 * (i % 128));
    encode_coded(&c, NULL);
    assert_int_equal(bo_le32(c.part + 8), 127);
    decode_coded(&c, NULL);
    end_coded(&c);
}

/*
 * A compressed page of compact unwind spans less than 2^24 bytes, and has 1021 words of entries and
 * encodings. It becomes a regular one if it
 * has fewer than 511 entries and more follow. A query finds the first entry of the second page.
 */
TEST(test_pages)
{
    enum { REGULAR = 2, COMPRESSED = 3 };
    static const struct {
        unsigned n_rows, span, kind, n_entries;
    } pages[] = {{1, (1 << 24) - 1, COMPRESSED, 3}, {1, 1 << 24, REGULAR, 3},
                 {510, 1 << 24, REGULAR, 511},      {511, 1 << 24, COMPRESSED, 511},
                 {1018, 2000, COMPRESSED, 1019},    {1019, 2000, COMPRESSED, 1020},
                 {1020, 2000, COMPRESSED, 1020},    {1022, 2000, COMPRESSED, 1021}};
    for (size_t i = 0; i < N_ELEMENTS(pages); i++) {
        struct coded c;
        begin_coded(&c, "compact-unwind", "amd64 joined");
        bo_put_text(&c.text, "fn 0x1000 %u\n", pages[i].span + (i ? 64u : 0u));
        for (unsigned r = 0; r < pages[i].n_rows; r++)
            bo_put_text(&c.text, "%u sp+%u c-8 s\n", r, 8 + 8 * (r % 2));
        bo_put_text(&c.text, "%u sp+800 c-8 s\n", i ? pages[i].span : 9);
        encode_coded(&c, NULL);
        decode_coded(&c, NULL);
        const uint8_t *page = c.part + bo_le32(c.part + bo_le32(c.part + 20) + 4);
        assert_int_equal(bo_le32(page), pages[i].kind);
        assert_int_equal(bo_le16(page + 6), pages[i].n_entries);
        const struct unwind_point point = {.pc = 0x1000 + pages[i].span};
        const struct bo_span in = bo_writer_span(&c.out);
        struct unwind_point_answer answer;
        void *reader;
        assert_int_equal(c.codec->open(c.codec, in, &c.arena, &reader, NULL), BO_OK);
        c.codec->query(c.codec, reader, UNWIND_POINT, &point, 1, &answer, NULL);
        assert_int_equal(answer.state.cfa_off, i ? 800 : 0);
        end_coded(&c);
    }
}

/* delta4 has numbers for 32 768 infos. CFAs that are not 8 bytes apart are not merged. */
TEST(test_most_infos)
{
    for (unsigned n = 32768; n <= 32769; n++) {
        struct coded c;
        begin_coded(&c, "delta4", "amd64");
        for (unsigned i = 0; i < n; i++)
            bo_put_text(&c.text, "fn 0x%x 8\n0 sp+%u c-8 s\n", 0x1000 + 8 * i, 16 * i);
        encode_coded(&c, n == 32768 ? NULL : "more than 32768 infos");
        if (n == 32768)
            decode_coded(&c, NULL);
        end_coded(&c);
    }
}

/*
 * Sequences: a field has up to 32 bits, here for a distance of 2^31 bytes among small ones;
 * distances stay below a function's length.
 */
TEST(test_distances)
{
    struct coded c;
    begin_text(&c.text, "amd64", &c.arena);
    for (unsigned i = 0; i < 64; i++)
        bo_put_text(&c.text, "fn 0x%x 250\n0 sp+8 c-8 s\n1 sp+16 c-8 s\n", 0x1000 + 256 * i);
    bo_put_text(&c.text, "fn 0x10001 2147483700\n0 sp+8 c-8 s\n2147483690 sp+16 c-8 s\n");
    expect_held(&c.text, "amd64", &c.arena);
    encode_text(&c, "sequences",
                "unwind 1\narch amd64\nfn 0x1000 16\n0 sp+8 c-8 s\n8 sp+16 c-8 s\n");
    c.part[24] = 9; /* the segment's span */
    decode_coded(&c, NULL);
    c.part[24] = 8;
    decode_coded(&c, "distances of a function reach or exceed its length");
    end_coded(&c);
}

/* The sections of an optional codec are in no golden file. */
TEST(test_sections_of_blocks)
{
    static const char *const names[] = {"header",   "function ends", "functions",
                                        "row ends", "rows",          "over-read room"};
    struct coded c;
    if (!bo_find_codec(test_format(), "rows-zstd"))
        skip();
    encode_text(&c, "rows-zstd", "unwind 1\narch amd64\nfn 0x1000 15\n0 sp+8 c-8 s\n");
    assert_int_equal(c.out.n_sections, N_ELEMENTS(names));
    for (unsigned i = 0; i < N_ELEMENTS(names); i++)
        assert_string_equal(c.out.sections[i].name, names[i]);
    end_coded(&c);
}

/* Functions ever further apart, up to 2^30 bytes, and some next to each other between them. */
TEST(test_sparse_text)
{
    struct coded c;
    uint64_t start = 0x1000;
    begin_text(&c.text, "amd64", &c.arena);
    for (unsigned i = 0; i < 31 * 8; i++, start += 16 + (i % 8 ? 0 : UINT64_C(1) << i / 8))
        bo_put_text(&c.text, "fn 0x%" PRIx64 " 16\n0 sp+8 c-8 s\n%u sp+16 c-8 s\n", start,
                    1 + i % 15);
    expect_held(&c.text, "amd64", &c.arena);
}

/* Records of 600 rows: in a block of sequences, a mark cannot say where the last ones begin. */
TEST(test_large_records)
{
    enum { N_FUNCTIONS = 40, N_ROWS = 600 };
    struct coded c;
    struct bo_random random = bo_random_seeded(1);
    uint64_t start = 0x1000;
    begin_text(&c.text, "amd64", &c.arena);
    for (unsigned f = 0; f < N_FUNCTIONS; f++, start += N_ROWS * 4096) {
        bo_put_text(&c.text, "fn 0x%" PRIx64 " %u\n", start, N_ROWS * 4096);
        for (unsigned r = 0; r < N_ROWS; r++)
            bo_put_text(&c.text, "%u sp+%u c-8 s\n",
                        4096 * r + (r ? bo_random_below(&random, 4096) : 0), 8 + 8 * (r % 2));
    }
    expect_held(&c.text, "amd64", &c.arena);
}

/* The first function ends with a block of rows-zstd, and in the second a block begins. */
TEST(test_blocks_of_rows)
{
    enum { ROWS_A_BLOCK = 3276 };
    struct coded c;
    begin_text(&c.text, "amd64", &c.arena);
    for (unsigned f = 1; f <= 2; f++) {
        bo_put_text(&c.text, "fn 0x%x %u\n", 0x1000 * f, ROWS_A_BLOCK + f);
        for (unsigned r = 0; r < ROWS_A_BLOCK - 1 + f; r++)
            bo_put_text(&c.text, "%u sp+%u c-8 s\n", r, 8 + 8 * (r % 2));
    }
    expect_held(&c.text, "amd64", &c.arena);
}

/*
 * A CIE has at most 256 bytes after its length, and there are at most 16: instructions that do
 * nothing, or copies of the CIE, are inserted between the CIE and the FDE.
 */
TEST(test_cies)
{
    enum { CIE_NBYTES = 24, BODY = CIE_NBYTES - 4 };
    for (unsigned i = 0; i < 4; i++) {
        const bool are_cies = i / 2, is_over = i % 2;
        const uint32_t n = are_cies ? CIE_NBYTES * (15u + is_over) : 256u - BODY + is_over;
        struct coded c;
        encode_text(&c, "eh-frame", "unwind 1\narch amd64\nfn 0x1000 16\n0 sp+8 c-8 s\n");
        bo_put_zeros(&c.out, n);
        uint8_t *cie = c.out.p + UNWIND_FRAME_HEADER + 16, *fde = cie + CIE_NBYTES + n,
                *off = c.out.p + c.out.n - UNWIND_OVERREAD - 4;
        memmove(fde, cie + CIE_NBYTES, (size_t)(c.out.p + c.out.n - fde));
        for (uint32_t k = 0; k < n; k++)
            cie[CIE_NBYTES + k] = are_cies ? cie[k] : 0;
        bo_set_le32(cie - 16, bo_le32(cie - 16) + n); /* the part's size */
        bo_set_le32(fde + 8, bo_le32(fde + 8) - n);
        bo_set_le32(off, bo_le32(off) + n);
        if (!are_cies) {
            bo_set_le32(cie, BODY + n);
            bo_set_le32(fde + 4, bo_le32(fde + 4) + n);
        }
        decode_coded(&c, !is_over   ? NULL
                         : are_cies ? "more than 16 CIEs"
                                    : "CIE exceeds 256 bytes");
        end_coded(&c);
    }
}

/* Equal functions take less than a bit each: so many that a reader would need too much memory. */
TEST(test_equal_functions)
{
    for (unsigned is_over = 0; is_over < 2; is_over++) {
        struct coded c;
        begin_coded(&c, "predicted-rows", "amd64");
        for (unsigned f = 0; f < (is_over ? 100000 : 30000); f++)
            bo_put_text(&c.text, "fn 0x%x 16\n0 sp+8 c-8 s\n", 0x1000 + 16 * f);
        encode_coded(&c, is_over ? "more than 64 functions and rows for each byte" : NULL);
        if (!is_over)
            decode_coded(&c, NULL);
        end_coded(&c);
    }
}

TEST_FILE(NULL, NULL)
