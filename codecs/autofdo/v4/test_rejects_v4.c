/*
 * Bad files of version 4: for each, the status, the byte and the phrase that decode must answer
 * with; lazy readers of them must end in an answer or in a named error. Why: sections are found by
 * numbers and offsets that a file states about itself, tries and records nest without sizes, and a
 * reader of a part sees none of what a reader of everything could compare.
 */
#include "codecs/autofdo/v4/test_v4.h"

/* In a part of the small file, n_removed bytes at `at` become `bytes`. */
struct test_case {
    const char *row;
    unsigned part;
    size_t at, n_removed;
    struct bo_span bytes;
    enum bo_status status;
    uint64_t off; /* from the start of the part; of the file for HEADER */
    unsigned off_part;
    const char *what;
};

#define NUMBER "section number is out of range"
#define OTHER_TYPE "section is of another type"
#define ID_RANGE "string id is out of range"
#define IDS_ORDER "string ids are not 0, 1, 2, ... in order"
#define ENTRIES_LEFT "more entries than the section has bytes"
#define RECORDS_LEFT "more records than bytes left"
#define INTEGER_END "section ends within an integer"
#define TEXT_END "text runs past its section's end"
#define MORE_BYTES "bytes after a section's last"
#define FFFF "\xff\xff\xff\xff"

static const struct test_case header_cases[] = {
    {"magic of gcov's other format", HEADER, 0, 1, BYTES("a"), BO_CORRUPT, 0, HEADER,
     "magic is not \"gcov\""},
    {"version 3", HEADER, 7, 1, BYTES("\x03"), BO_UNSUPPORTED, 4, HEADER, "version is not 4"},
    {"version 5", HEADER, 7, 1, BYTES("\x05"), BO_UNSUPPORTED, 4, HEADER, "version is not 4"},
    {"little-endian version", HEADER, 4, 4, BYTES("\x04\0\0\0"), BO_UNSUPPORTED, 4, HEADER,
     "version is not 4"},
    {"a reserved bit", HEADER, 8, 1, BYTES("\x01"), BO_UNSUPPORTED, 8, HEADER,
     "reserved bits of the header are set"},
    {"compact header", HEADER, 8, 1, BYTES("\x80"), BO_CORRUPT, 0, FILES,
     "compact flag differs between section and header"},
    {"2^56 - 1 sections", HEADER, 9, 7, BYTES("\xff\xff\xff\xff\xff\xff\xff"), BO_TRUNCATED, 9,
     HEADER, "section table runs past the file's end"},
    {"one section less", HEADER, 15, 1, BYTES("\x03"), BO_CORRUPT, 16, HEADER,
     "gap before a section"},
    {"one section more", HEADER, 15, 1, BYTES("\x05"), BO_CORRUPT, 16, HEADER,
     "sections overlap or are not in order"},
    {"summary in the header", HEADER, 23, 1, BYTES("\x10"), BO_CORRUPT, 16, HEADER,
     "sections overlap or are not in order"},
    {"summary after the file", HEADER, 16, 1, BYTES("\x80"), BO_CORRUPT, 32, HEADER,
     "gap before a section"},
    {"summary of 2^64 - 1 bytes", HEADER, 24, 8, BYTES(FFFF FFFF), BO_TRUNCATED, 16, HEADER,
     "section runs past the file's end"},
    {"summary a byte longer", HEADER, 31, 1, BYTES("\x72"), BO_CORRUPT, 32, HEADER,
     "sections overlap or are not in order"},
    {"summary a byte shorter", HEADER, 31, 1, BYTES("\x70"), BO_CORRUPT, 32, HEADER,
     "gap before a section"},
    {"summary is the file names", HEADER, 16, 16, BYTES("\0\0\0\0\0\0\x01\xe1" U8("\x16")),
     BO_CORRUPT, 16, HEADER, "gap before a section"},
    {"no file names", HEADER, 40, 8, BYTES(U8("\0")), BO_CORRUPT, 40, HEADER,
     "section has no bytes"},
    {"the last longer than the file", HEADER, 111, 1, BYTES("\x1b"), BO_TRUNCATED, 96, HEADER,
     "section runs past the file's end"},
    {"the last a byte shorter", HEADER, 111, 1, BYTES("\x19"), BO_CORRUPT, 639, HEADER,
     "bytes after the last section"},
    {"a gap of a byte", HEADER, 55, 9,
     BYTES("\xf8"
           "\0\0\0\0\0\0\0\x21"),
     BO_CORRUPT, 48, HEADER, "gap before a section"},
};

static const struct test_case summary_cases[] = {
    {"another total", SUMMARY, 8, 1, BYTES("\x2d"), BO_CORRUPT, 0, SUMMARY,
     "summary disagrees with the functions"},
    {"another highest head", SUMMARY, 24, 1, BYTES("\x03"), BO_CORRUPT, 0, SUMMARY,
     "summary disagrees with the functions"},
    {"another number of counts", SUMMARY, 32, 1, BYTES("\x03"), BO_CORRUPT, 0, SUMMARY,
     "summary disagrees with the functions"},
    {"another entry", SUMMARY, 68, 1, BYTES("\x02"), BO_CORRUPT, 0, SUMMARY,
     "summary disagrees with the functions"},
    {"17 entries", SUMMARY, 48, 1, BYTES("\x11"), BO_UNSUPPORTED, 41, SUMMARY,
     "summary does not have 16 entries"},
    {"another cutoff", SUMMARY, 52, 1, BYTES("\x11"), BO_UNSUPPORTED, 49, SUMMARY,
     "summary has another cutoff"},
    {"a byte less", SUMMARY, 368, 1, BYTES(""), BO_TRUNCATED, 361, SUMMARY, INTEGER_END},
    {"a byte more", SUMMARY, 369, 0, BYTES("\0"), BO_CORRUPT, 369, SUMMARY, MORE_BYTES},
    {"another type", SUMMARY, 0, 1, BYTES("\x03"), BO_CORRUPT, 0, SUMMARY, OTHER_TYPE},
    {"compact", SUMMARY, 0, 1, BYTES("\x82"), BO_CORRUPT, 0, SUMMARY,
     "compact flag differs between section and header"},
};

static const struct test_case files_cases[] = {
    {"2^32 - 1 files", FILES, 1, 4, BYTES(FFFF), BO_TRUNCATED, 1, FILES, ENTRIES_LEFT},
    {"a file more", FILES, 4, 1, BYTES("\x02"), BO_TRUNCATED, 1, FILES, ENTRIES_LEFT},
    {"no files", FILES, 4, 1, BYTES("\0"), BO_CORRUPT, 5, FILES, MORE_BYTES},
    {"a path past the end", FILES, 5, 2, BYTES("\xff\xff"), BO_TRUNCATED, 7, FILES, TEXT_END},
    {"a path with a control character", FILES, 8, 1, BYTES("\n"), BO_CORRUPT, 5, FILES, NULL},
    {"strings are section 6", FILES, 13, 1, BYTES("\x06"), BO_CORRUPT, 10, FILES, NUMBER},
    {"symbols are section 2^32 - 1", FILES, 14, 4, BYTES(FFFF), BO_CORRUPT, 14, FILES, NUMBER},
    {"info is the header's summary", FILES, 21, 1, BYTES("\0"), BO_CORRUPT, 0, SUMMARY, OTHER_TYPE},
    {"symbols and info change places", FILES, 17, 5, BYTES("\x03" U4("\x04")), BO_CORRUPT, 0,
     SYMBOLS, OTHER_TYPE},
    {"a file twice", FILES, 4, 1 + 17,
     BYTES("\x02" UNIT("a.c", "\x02", "\x04", "\x03") UNIT("a.c", "\x02", "\x04", "\x03")),
     BO_CORRUPT, 22, FILES, "paths are not in order"},
    {"two files of the same functions", FILES, 4, 1 + 17,
     BYTES("\x02" UNIT("a.c", "\x02", "\x04", "\x03") UNIT("a.d", "\x02", "\x04", "\x03")),
     BO_CORRUPT, 22, FILES, "sections are not in the order of their files"},
    {"two files of the same symbols", FILES, 4, 1 + 17,
     BYTES("\x02" UNIT("a.c", "\x02", "\x04", "\x03") UNIT("a.d", "\x02", "\x04", "\x05")),
     BO_CORRUPT, 22, FILES, "sections are not in the order of their files"},
    {"two files of the same info", FILES, 4, 1 + 17,
     BYTES("\x02" UNIT("a.c", "\x02", "\x04", "\x03") UNIT("a.d", "\x02", "\x05", "\x03")),
     BO_CORRUPT, 22, FILES, "sections are not in the order of their files"},
    {"string tables downwards", FILES, 4, 1 + 17,
     BYTES("\x02" UNIT("a.c", "\x02", "\x04", "\x03") UNIT("a.d", "\x01", "\x05", "\x05")),
     BO_CORRUPT, 22, FILES, "sections are not in the order of their files"},
    {"a byte more", FILES, 22, 0, BYTES("\0"), BO_CORRUPT, 22, FILES, MORE_BYTES},
    {"a byte less", FILES, 21, 1, BYTES(""), BO_TRUNCATED, 18, FILES, INTEGER_END},
};

static const struct test_case strings_cases[] = {
    {"2^32 - 1 strings", STRINGS, 1, 4, BYTES(FFFF), BO_TRUNCATED, 1, STRINGS, ENTRIES_LEFT},
    {"a string more", STRINGS, 4, 1, BYTES("\x04"), BO_CORRUPT, 5, STRINGS,
     "trie has fewer strings than its table announces"},
    {"a string less", STRINGS, 4, 1, BYTES("\x02"), BO_CORRUPT, 29, STRINGS, ID_RANGE},
    {"127 children", STRINGS, 5, 1, BYTES("\x7f"), BO_TRUNCATED, 34, STRINGS, INTEGER_END},
    {"children of the last leaf", STRINGS, 29, 1, BYTES("\xff"), BO_TRUNCATED, 34, STRINGS,
     INTEGER_END},
    {"the root is a string", STRINGS, 5, 1, BYTES("\x82" U4("\0")), BO_CORRUPT, 5, STRINGS, NULL},
    {"fewer children", STRINGS, 5, 1, BYTES("\x01"), BO_CORRUPT, 5, STRINGS,
     "trie has fewer strings than its table announces"},
    {"no root", STRINGS, 5, 29, BYTES(""), BO_TRUNCATED, 1, STRINGS, ENTRIES_LEFT},
    {"a label past the end", STRINGS, 26, 2, BYTES("\xff\xff"), BO_TRUNCATED, 28, STRINGS,
     TEXT_END},
    {"an empty label", STRINGS, 26, 3, BYTES("\0\0"), BO_CORRUPT, 26, STRINGS,
     "label of an edge is empty"},
    {"an id twice", STRINGS, 25, 1, BYTES("\0"), BO_CORRUPT, 21, STRINGS, IDS_ORDER},
    {"an id too early", STRINGS, 17, 1, BYTES("\x01"), BO_CORRUPT, 13, STRINGS, IDS_ORDER},
    {"an id out of range", STRINGS, 33, 1, BYTES("\x03"), BO_CORRUPT, 29, STRINGS, ID_RANGE},
    {"an id of 2^32 - 1", STRINGS, 14, 4, BYTES(FFFF), BO_CORRUPT, 13, STRINGS, ID_RANGE},
    {"edges downwards", STRINGS, 12, 1, BYTES("d"), BO_CORRUPT, 18, STRINGS,
     "edges of a node are not in order"},
    {"an edge twice", STRINGS, 20, 1, BYTES("b"), BO_CORRUPT, 18, STRINGS,
     "edges of a node are not in order"},
    {"a leaf that is no string", STRINGS, 29, 5, BYTES("\0"), BO_CORRUPT, 29, STRINGS,
     "leaf ends no string"},
    {"an edge that was not compressed", STRINGS, 26, 8,
     BYTES("\0\x01"
           "x"
           "\x01"
           "\0\x01"
           "y"
           "\x80" U4("\x02")),
     BO_CORRUPT, 29, STRINGS, "node with one child ends no string"},
    {"a blank in a name", STRINGS, 20, 1, BYTES(" "), BO_CORRUPT, 18, STRINGS,
     "edges of a node are not in order"},
    {"NUL in a name", STRINGS, 12, 1, BYTES("\0"), BO_CORRUPT, 13, STRINGS, NULL},
    {"a digit first", STRINGS, 8, 1, BYTES("1"), BO_CORRUPT, 13, STRINGS, NULL},
    {"a byte more", STRINGS, 34, 0, BYTES("\0"), BO_CORRUPT, 34, STRINGS, MORE_BYTES},
    {"a byte less", STRINGS, 33, 1, BYTES(""), BO_TRUNCATED, 30, STRINGS, INTEGER_END},
};

static const struct test_case symbols_cases[] = {
    {"2^32 - 1 functions", SYMBOLS, 1, 4, BYTES(FFFF), BO_TRUNCATED, 1, SYMBOLS, ENTRIES_LEFT},
    {"no functions", SYMBOLS, 4, 13, BYTES("\0"), BO_CORRUPT, 1, SYMBOLS, "file has no functions"},
    {"an id out of range", SYMBOLS, 8, 1, BYTES("\x03"), BO_CORRUPT, 5, SYMBOLS, ID_RANGE},
    {"starts at 0", SYMBOLS, 16, 1, BYTES("\0"), BO_CORRUPT, 5, SYMBOLS,
     "first function does not start at 0"},
    {"starts at 2", SYMBOLS, 16, 1, BYTES("\x02"), BO_CORRUPT, 5, SYMBOLS,
     "first function does not start at 0"},
    {"starts after its section", SYMBOLS, 16, 1, BYTES("\x3c"), BO_CORRUPT, 5, SYMBOLS,
     "function lies outside its section"},
    {"a function twice", SYMBOLS, 4, 13, BYTES("\x02" U4("\0") U8("\x01") U4("\0") U8("\x02")),
     BO_CORRUPT, 17, SYMBOLS, "functions are not in order"},
    {"two functions in one place", SYMBOLS, 4, 13,
     BYTES("\x02" U4("\0") U8("\x01") U4("\x01") U8("\x01")), BO_CORRUPT, 17, SYMBOLS,
     "functions are not in order"},
    {"a function cut by the next", SYMBOLS, 4, 13,
     BYTES("\x02" U4("\0") U8("\x01") U4("\x01") U8("\x20")), BO_TRUNCATED, 28, INFO, ENTRIES_LEFT},
    {"a byte more", SYMBOLS, 17, 0, BYTES("\0"), BO_CORRUPT, 17, SYMBOLS, MORE_BYTES},
};

static const struct test_case info_cases[] = {
    {"2^32 - 1 records", INFO, 17, 4, BYTES(FFFF), BO_TRUNCATED, 17, INFO, ENTRIES_LEFT},
    {"a record more", INFO, 20, 1, BYTES("\x03"), BO_TRUNCATED, 51, INFO, RECORDS_LEFT},
    {"a record less", INFO, 20, 1, BYTES("\x01"), BO_CORRUPT, 38, INFO, MORE_BYTES},
    {"records announced twice", INFO, 20, 1, BYTES("\x07"), BO_TRUNCATED, 28, INFO, RECORDS_LEFT},
    {"2^32 - 1 records inside", INFO, 51, 4, BYTES(FFFF), BO_TRUNCATED, 51, INFO, ENTRIES_LEFT},
    {"a count of width 5", INFO, 21, 1, BYTES("\x0d"), BO_CORRUPT, 26, INFO,
     "width of a count is unknown"},
    {"a count wider than it needs", INFO, 21, 7, BYTES("\x0b" U4("\x01") "\0\0\x01\x2c"),
     BO_CORRUPT, 26, INFO, "count is wider than it needs"},
    {"a zero that is there", INFO, 55, 5, BYTES("\x01" U4("\0") "\0"), BO_CORRUPT, 60, INFO,
     "count is wider than it needs"},
    {"line 65536", INFO, 57, 1, BYTES("\x01"), BO_CORRUPT, 55, INFO, "line is above 65535"},
    {"line 2^32 - 1", INFO, 22, 4, BYTES(FFFF), BO_CORRUPT, 21, INFO, "line is above 65535"},
    {"discriminator 0", INFO, 46, 1, BYTES("\0"), BO_CORRUPT, 38, INFO, "discriminator is 0"},
    {"no targets", INFO, 28, 10, BYTES(U4("\0")), BO_CORRUPT, 28, INFO, "number of targets is 0"},
    {"2^32 - 1 targets", INFO, 28, 4, BYTES(FFFF), BO_TRUNCATED, 28, INFO, ENTRIES_LEFT},
    {"a target out of range", INFO, 36, 1, BYTES("\x03"), BO_CORRUPT, 33, INFO, ID_RANGE},
    {"a target twice", INFO, 31, 7, BYTES("\x02\x01" U4("\x01") "\x05\x01" U4("\x01") "\x05"),
     BO_CORRUPT, 38, INFO, "targets are not in order"},
    {"a target's count of width 255", INFO, 32, 1, BYTES("\xff"), BO_CORRUPT, 37, INFO,
     "width of a count is unknown"},
    {"a callee out of range", INFO, 50, 1, BYTES("\x03"), BO_CORRUPT, 47, INFO, ID_RANGE},
    {"a callsite with a count", INFO, 38, 1, BYTES("\x31"), BO_CORRUPT, 38, INFO,
     "callsite has a count"},
    {"a callsite with targets", INFO, 38, 1, BYTES("\x38"), BO_CORRUPT, 38, INFO,
     "callsite has a count"},
    {"a count after a callsite", INFO, 20, 40,
     BYTES("\x02\x20" U4("\x02") U4("\x02") U4("\0") "\0" U4("\x01")), BO_CORRUPT, 38 - 4, INFO,
     "count after callsites"},
    {"a place twice", INFO, 20, 40, BYTES("\x02\0" U4("\x01") "\0" U4("\x01")), BO_CORRUPT, 26,
     INFO, "records are not in order"},
    {"discriminators downwards", INFO, 20, 40,
     BYTES("\x02\x10" U4("\x01") U4("\x02") "\x10" U4("\x01") U4("\x01")), BO_CORRUPT, 30, INFO,
     "records are not in order"},
    {"a callsite twice", INFO, 20, 40,
     BYTES("\x02\x20" U4("\x02") U4("\x02") U4("\0") "\x20" U4("\x02") U4("\x02") U4("\0")),
     BO_CORRUPT, 34, INFO, "records are not in order"},
    {"an unknown record past the end", INFO, 55, 5, BYTES("\xff" U4("\x01")), BO_TRUNCATED, 60,
     INFO, "unknown record runs past its function's end"},
    {"a byte more", INFO, 60, 0, BYTES("\0"), BO_CORRUPT, 60, INFO, MORE_BYTES},
    {"a byte less", INFO, 59, 1, BYTES(""), BO_TRUNCATED, 51, INFO, ENTRIES_LEFT},
};

static const struct test_case callees_cases[] = {
    {"2^32 - 1 paths", CALLEES, 1, 4, BYTES(FFFF), BO_TRUNCATED, 1, CALLEES, ENTRIES_LEFT},
    {"a path of the file names", CALLEES, 7, 3, BYTES("a.c"), BO_CORRUPT, 5, CALLEES,
     "path is among the file names"},
    {"a path longer than the section", CALLEES, 5, 2, BYTES("\xff\xff"), BO_TRUNCATED, 7, CALLEES,
     TEXT_END},
    {"a path with NUL", CALLEES, 8, 1, BYTES("\0"), BO_CORRUPT, 5, CALLEES, NULL},
    {"paths downwards", CALLEES, 4, 6,
     BYTES("\x02\0\x03"
           "x.h"
           "\0\x03"
           "w.h"),
     BO_CORRUPT, 10, CALLEES, "paths are not in order"},
    {"2^32 - 1 files", CALLEES, 10, 4, BYTES(FFFF), BO_TRUNCATED, 10, CALLEES, ENTRIES_LEFT},
    {"no files", CALLEES, 10, 16, BYTES(U4("\0")), BO_CORRUPT, 10, CALLEES,
     "section of callee files is empty"},
    {"a path of no file", CALLEES, 4, 6,
     BYTES("\x02\0\x03"
           "x.h"
           "\0\x03"
           "y.h"),
     BO_CORRUPT, 12, CALLEES, "path is used by no function"},
    {"a unit out of range", CALLEES, 17, 1, BYTES("\x01"), BO_CORRUPT, 14, CALLEES,
     "file number is out of range"},
    {"a string out of range", CALLEES, 21, 1, BYTES("\x03"), BO_CORRUPT, 14, CALLEES, ID_RANGE},
    {"the file of a target", CALLEES, 21, 1, BYTES("\x01"), BO_CORRUPT, 14, CALLEES,
     "file belongs to neither a function nor a callee"},
    {"the file of a function", CALLEES, 21, 1, BYTES("\0"), BO_CORRUPT, 14, CALLEES,
     "duplicate file of a function"},
    {"a path out of range", CALLEES, 25, 1, BYTES("\x02"), BO_CORRUPT, 14, CALLEES,
     "path number is out of range"},
    {"a name twice", CALLEES, 13, 13,
     BYTES("\x02" U4("\0") U4("\x02") U4("\x01") U4("\0") U4("\x02") U4("\0")), BO_CORRUPT, 26,
     CALLEES, "names are not in order"},
    {"a byte more", CALLEES, 26, 0, BYTES("\0"), BO_CORRUPT, 26, CALLEES, MORE_BYTES},
    {"of type 1", CALLEES, 0, 1, BYTES("\x01"), BO_CORRUPT, 0, CALLEES,
     "section belongs to no file"},
    {"of type 5", CALLEES, 0, 1, BYTES("\x05"), BO_CORRUPT, 0, CALLEES,
     "section belongs to no file"},
};

static const struct test_case compact_cases[] = {
    {"a normal section", STRINGS, 0, 1, BYTES("\x01"), BO_CORRUPT, 0, STRINGS,
     "compact flag differs between section and header"},
    {"a varint longer than it needs", INFO, 1, 1, BYTES("\x82\0"), BO_CORRUPT, 1, INFO,
     "varint is not in its shortest form"},
    {"a varint above 64 bits", INFO, 1, 1, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
     BO_CORRUPT, 1, INFO, "varint overflows its type"},
    {"a line above 32 bits", INFO, 5, 1, BYTES("\x80\x80\x80\x80\x10"), BO_CORRUPT, 5, INFO,
     "varint overflows its field"},
    {"line 65536", INFO, 17, 1, BYTES("\x80\x80\x04"), BO_CORRUPT, 16, INFO, "line is above 65535"},
    {"a label above 16 bits", STRINGS, 14, 1, BYTES("\x80\x80\x04"), BO_CORRUPT, 14, STRINGS,
     "varint overflows its field"},
    {"an id above 32 bits", STRINGS, 17, 1, BYTES("\x80\x80\x80\x80\x10"), BO_CORRUPT, 17, STRINGS,
     "varint overflows its field"},
    {"a varint without an end", STRINGS, 17, 1, BYTES("\x82"), BO_TRUNCATED, 17, STRINGS,
     "varint runs past the end"},
    {"a count of width 2", INFO, 4, 1, BYTES("\x0a"), BO_CORRUPT, 6, INFO,
     "width of a count is unknown"},
    {"a zero that is there", INFO, 16, 2, BYTES("\x01\0\0"), BO_CORRUPT, 18, INFO,
     "count is wider than it needs"},
    {"a place twice", INFO, 3, 15, BYTES("\x02\0\x01\0\0"), BO_CORRUPT, 6, INFO,
     "records are not in order"},
    {"a distance above 64 bits", SYMBOLS, 1, 3,
     BYTES("\x02\0\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), BO_CORRUPT, 4, SYMBOLS,
     "function lies outside its section"},
    {"a function at its section's end", SYMBOLS, 1, 3, BYTES("\x02\0\x01\x01\x11"), BO_CORRUPT, 4,
     SYMBOLS, "function lies outside its section"},
    {"records announced twice", INFO, 3, 1, BYTES("\x05"), BO_TRUNCATED, 8, INFO, RECORDS_LEFT},
};

/* The small file with the change; starts_ret as in assemble. */
static void make_file(struct test_file *file, bool compact, const struct test_case *change,
                      size_t *starts)
{
    static uint8_t changed[4096];
    struct bo_span parts[N_PARTS];
    memcpy(parts, compact ? compact_parts : normal_parts, sizeof parts);
    if (change->part < N_PARTS) {
        struct bo_span *part = &parts[change->part];
        const size_t tail = change->at + change->n_removed;
        assert_true(tail <= part->n);
        memcpy(changed, part->p, change->at);
        memcpy(changed + change->at, change->bytes.p, change->bytes.n);
        memcpy(changed + change->at + change->bytes.n, part->p + tail, part->n - tail);
        *part = (struct bo_span){changed, part->n - change->n_removed + change->bytes.n};
    }
    assemble(file, compact, parts, N_PARTS, SUMMARY, FILES, starts);
    if (change->part == HEADER) {
        assert_int_equal(change->n_removed, change->bytes.n);
        memcpy(file->p + change->at, change->bytes.p, change->bytes.n);
    }
}

static void expect_case(bool compact, const struct test_case *expected)
{
    static struct test_file file;
    const struct bo_codec *codec = codec_of(compact ? "v4-compact" : "v4");
    const struct bo_effort effort = bo_effort_default();
    size_t starts[N_PARTS + 1] = {0};
    struct bo_arena arena;
    struct bo_error error = {.what = "-"};
    struct bo_finding finding = {0};
    void *model;
    bool accepted;
    make_file(&file, compact, expected, starts);
    starts[HEADER] = 0;
    bo_arena_init(&arena, (size_t)1 << 20); /* no announced number may take much memory */
    const enum bo_status status = test_decode(codec, file_span(&file), &arena, &model, &error);
    const uint64_t off = starts[expected->off_part] + expected->off;
    if (status != expected->status || error.off != off ||
        (expected->what && strcmp(error.what, expected->what) != 0))
        fail_msg("%s: %s: %s at byte %lld: %s; not %s at %lld: %s", codec->name, expected->row,
                 bo_status_name(status), (long long)error.off, error.what,
                 bo_status_name(expected->status), (long long)off,
                 expected->what ? expected->what : "(a flaw of names)");
    bo_arena_free(&arena);
    if (!bo_check_bytes(bo_find_format("autofdo"), codec, file_span(&file), &effort, &accepted,
                        &finding))
        fail_msg("%s: %s: %s: %s", codec->name, expected->row, finding.class, finding.detail);
    assert_false(accepted);
}

TEST(test_cases)
{
    static const struct {
        bool compact;
        const struct test_case *cases;
        size_t n;
    } tables[] = {
        {false, header_cases, N_ELEMENTS(header_cases)},
        {false, summary_cases, N_ELEMENTS(summary_cases)},
        {false, files_cases, N_ELEMENTS(files_cases)},
        {false, strings_cases, N_ELEMENTS(strings_cases)},
        {false, symbols_cases, N_ELEMENTS(symbols_cases)},
        {false, info_cases, N_ELEMENTS(info_cases)},
        {false, callees_cases, N_ELEMENTS(callees_cases)},
        {true, compact_cases, N_ELEMENTS(compact_cases)},
    };
    for (size_t t = 0; t < N_ELEMENTS(tables); t++)
        for (size_t i = 0; i < tables[t].n; i++)
            expect_case(tables[t].compact, &tables[t].cases[i]);
}

/* A query that finds a function by halves compares its place with that of the next. */
TEST(test_query_of_a_place_of_two)
{
    static const struct test_case two = {
        .part = SYMBOLS,
        .at = 4,
        .n_removed = 13,
        .bytes = BYTES("\x02" U4("\0") U8("\x01") U4("\x01") U8("\x01"))};
    static struct test_file file;
    const struct bo_codec *codec = codec_of("v4");
    const struct autofdo_name_query query = {bo_span_of("ab")};
    size_t starts[N_PARTS + 1];
    uint8_t answer[4096];
    struct bo_sink sink = {answer, 0, sizeof answer};
    struct bo_arena arena;
    struct bo_error error;
    void *reader;
    make_file(&file, false, &two, starts);
    bo_arena_init(&arena, (size_t)1 << 20);
    assert_int_equal(codec->open(codec, file_span(&file), &arena, &reader, &error), BO_OK);
    assert_int_equal(codec->query(codec, reader, AUTOFDO_FUNCTION, &query, 1, &sink, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "functions are not in order");
    assert_int_equal(error.off, starts[SYMBOLS] + 5);
    bo_arena_free(&arena);
}

/* No file but the whole one is taken. */
TEST(test_prefixes)
{
    static const struct test_case unchanged = {.part = HEADER, .bytes = BYTES("")};
    static struct test_file file;
    size_t starts[N_PARTS];
    for (int compact = 0; compact < 2; compact++) {
        const struct bo_codec *codec = codec_of(compact ? "v4-compact" : "v4");
        make_file(&file, compact, &unchanged, starts);
        for (size_t n = 0; n <= file.n; n++) {
            struct bo_arena arena;
            struct bo_error error;
            void *model;
            bo_arena_init(&arena, (size_t)1 << 20);
            const enum bo_status status =
                test_decode(codec, (struct bo_span){file.p, n}, &arena, &model, &error);
            assert_int_equal(status == BO_OK, n == file.n);
            bo_arena_free(&arena);
        }
    }
}

/* ---- more or other sections ------------------------------------------------------------------ */

/* The summary and the file names are first; part `off_part` has what is wrong, at `off`. */
static void expect_parts(const struct bo_span *parts, unsigned n, unsigned off_part, uint64_t off,
                         const char *what)
{
    static struct test_file file;
    const struct bo_effort effort = bo_effort_default();
    size_t starts[MAX_PARTS];
    struct bo_arena arena;
    struct bo_error error = {.what = "-"};
    struct bo_finding finding = {0};
    void *model;
    bool accepted;
    assemble(&file, false, parts, n, SUMMARY, FILES, starts);
    bo_arena_init(&arena, (size_t)1 << 20);
    assert_int_equal(test_decode(codec_of("v4"), file_span(&file), &arena, &model, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, what);
    assert_int_equal(error.off, starts[off_part] + off);
    bo_arena_free(&arena);
    if (!bo_check_bytes(bo_find_format("autofdo"), codec_of("v4"), file_span(&file), &effort,
                        &accepted, &finding))
        fail_msg("%s: %s", finding.class, finding.detail);
    assert_false(accepted);
}

/* A section table may end with the file: then it is the sections that do not follow it. */
TEST(test_table_up_to_the_end)
{
    enum { N_HEADER = 48, N_RANGE = 16 };
    static struct test_file file;
    struct bo_arena arena;
    for (unsigned more = 0; more < 2; more++) {
        struct bo_error error = {.what = "-"};
        void *model;
        assemble(&file, false, normal_parts, N_PARTS, SUMMARY, FILES, NULL);
        bo_set_be64(file.p + 8, (file.n - N_HEADER) / N_RANGE + more);
        bo_arena_init(&arena, (size_t)1 << 20);
        const enum bo_status status =
            test_decode(codec_of("v4"), file_span(&file), &arena, &model, &error);
        assert_int_equal(status, more ? BO_TRUNCATED : BO_CORRUPT);
        assert_int_equal(error.off, more ? 9 : 16);
        bo_arena_free(&arena);
    }
}

TEST(test_callee_files_twice)
{
    struct bo_span parts[N_PARTS + 1];
    memcpy(parts, normal_parts, sizeof normal_parts);
    parts[N_PARTS] = normal_parts[CALLEES];
    expect_parts(parts, N_PARTS + 1, N_PARTS, 0, "duplicate section of callee files");
}

TEST(test_sections_of_nobody)
{
    for (unsigned part = SUMMARY; part <= SYMBOLS; part++) {
        struct bo_span parts[N_PARTS + 1];
        memcpy(parts, normal_parts, sizeof normal_parts);
        parts[N_PARTS] = normal_parts[part];
        expect_parts(parts, N_PARTS + 1, N_PARTS, 0, "section belongs to no file");
    }
}

TEST(test_function_in_two_files)
{
    const struct bo_span files = BYTES("\x03" U4("\x02") UNIT("a.c", "\x02", "\x04", "\x03")
                                           UNIT("b.c", "\x05", "\x07", "\x06"));
    const struct bo_span parts[] = {normal_parts[SUMMARY], files,
                                    normal_parts[STRINGS], normal_parts[INFO],
                                    normal_parts[SYMBOLS], normal_parts[STRINGS],
                                    normal_parts[INFO],    normal_parts[SYMBOLS]};
    expect_parts(parts, N_ELEMENTS(parts), 7, 5, "duplicate function");
}

/* A function without a file, of which the callee files say one. */
TEST(test_file_of_a_function_without)
{
    struct bo_span parts[N_PARTS];
    memcpy(parts, normal_parts, sizeof normal_parts);
    parts[FILES] = (struct bo_span)BYTES("\x03" U4("\x01") "\0\0" U4("\x02") U4("\x04") U4("\x03"));
    parts[CALLEES] =
        (struct bo_span)BYTES("\x06" U4("\x01") UNIT("x.h", "\x01", "\0", "\0") U4("\x01"));
    expect_parts(parts, N_PARTS, CALLEES, 14, "file of a function differs from its unit's");
}

/* ---- bombs ----------------------------------------------------------------------------------- */

/*
 * Decodes a compact file of one function whose strings and info are these. *scan_ret (may be NULL)
 * is what a scan of the file returns.
 */
static enum bo_status decode_bomb(struct bo_span strings, struct bo_span info, size_t budget,
                                  enum bo_status *scan_ret, struct bo_error *error)
{
    const struct bo_codec *codec = codec_of("v4-compact");
    const struct bo_span parts[] = {compact_parts[SUMMARY], compact_parts[FILES], strings, info,
                                    compact_parts[SYMBOLS]};
    struct bo_arena arena;
    void *model;
    size_t n = 48 + 16 * 3, off = n;
    for (unsigned i = 0; i < N_ELEMENTS(parts); i++)
        n += parts[i].n;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    uint8_t *file = bo_alloc(&arena, n);
    assert_non_null(file);
    memset(file, 0, n);
    memcpy(file, "gcov\0\0\0\x04\x80\0\0\0\0\0\0\x03", 16);
    for (unsigned i = 0; i < N_ELEMENTS(parts); i++) {
        bo_set_be64(file + 16 + 16 * i, off);
        bo_set_be64(file + 24 + 16 * i, parts[i].n);
        memcpy(file + off, parts[i].p, parts[i].n);
        off += parts[i].n;
    }
    arena.budget_nbytes = arena.region_nbytes + budget;
    const struct bo_span in = {file, n};
    const enum bo_status status = test_decode(codec, in, &arena, &model, error);
    if (scan_ret) {
        struct autofdo_digest digest;
        void *reader;
        assert_int_equal(codec->open(codec, in, &arena, &reader, NULL), BO_OK);
        *scan_ret = codec->query(codec, reader, AUTOFDO_SCAN, NULL, 1, &digest, NULL);
    }
    bo_arena_free(&arena);
    return status;
}

/* n strings "a", "aa", "aaa", ...: n^2 / 2 bytes out of 5 n. */
TEST(test_spelling_bomb)
{
    enum { N = 20000 };
    static uint8_t p[6 * N + 16];
    struct bo_cursor where = {.p = p};
    struct bo_error error;
    p[where.off++] = 0x81;
    for (uint32_t v = N; v || where.off == 1; v >>= 7)
        p[where.off++] = (uint8_t)(v >> 7 ? v | 0x80 : v);
    p[where.off++] = 1;
    for (uint32_t i = 0; i < N; i++) {
        p[where.off++] = 1;
        p[where.off++] = 'a';
        p[where.off++] = i + 1 < N ? 0x81 : 0x80;
        uint32_t v = i;
        for (; v >= 0x80; v >>= 7)
            p[where.off++] = (uint8_t)(v | 0x80);
        p[where.off++] = (uint8_t)v;
    }
    assert_int_equal(decode_bomb((struct bo_span){p, where.off}, compact_parts[INFO],
                                 (size_t)32 << 20, NULL, &error),
                     BO_OVER_LIMIT);
    assert_string_equal(error.what, "strings are too long for their trie");
    assert_true(error.off < 48 + 16 * 3 + 200 + where.off);
}

/* Callsites inside each other, 256 and 257 deep. */
TEST(test_depth_bomb)
{
    for (unsigned depth = 255; depth <= 258; depth++) {
        uint8_t info[5 * 258 + 8] = {0x85, 0, 0};
        size_t n = 3;
        struct bo_error error = {0};
        for (unsigned i = 1; i < depth; i++) {
            memcpy(info + n, "\x01\x20\x01\x02", 4); /* one record: at line 1, x */
            n += 4;
        }
        info[n++] = 0;
        enum bo_status scan;
        const enum bo_status status =
            decode_bomb(compact_parts[STRINGS], (struct bo_span){info, n}, 1 << 20, &scan, &error);
        assert_int_equal(scan, depth <= AUTOFDO_MAX_DEPTH ? BO_OK : BO_OVER_LIMIT);
        if (depth <= AUTOFDO_MAX_DEPTH) { /* the summary is of another profile */
            assert_int_equal(status, BO_CORRUPT);
            assert_string_equal(error.what, "summary disagrees with the functions");
        } else {
            assert_int_equal(status, BO_OVER_LIMIT);
            assert_string_equal(error.what, "instances are nested more than 256 deep");
        }
    }
}

TEST_FILE(NULL, NULL)
