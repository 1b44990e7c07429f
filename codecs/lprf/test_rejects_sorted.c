/*
 * Bad tries and bad front coding: for each, the status, the byte and the phrase that decode must
 * answer with; and what decode takes, lookups must answer rightly.
 * Why: both build names from pieces; a wrong piece makes wrong names, and sizes that contradict
 * each other lead a lookup out of its node or block.
 *
 * The patterns hold the functions "b", "ab", "abc", "ab" (of another hash), in this order, where
 * nothing else is said.
 */
#include "codecs/lprf/test_index.h"

/* ---- trie ------------------------------------------------------------------------------------ */

/* The root at 1; "ab" at 6, with the leaf "abc" at 11; the leaf "b" at 13. */
static const struct test_pattern trie = {"trie+u64", 6, 4,
                                         BYTES("\x01"
                                               "\x00\x11"
                                               "ab"
                                               "\x07"
                                               "\x09\x08"
                                               "bc"
                                               "\x31\x90"
                                               "\x60"
                                               "\x00")};

#define NO_ROOM "child is too short or runs past its node's end"
#define PAST_NODE "node runs past its end"
#define PLACE_CUT "place of a record runs past its end"

static const struct test_case trie_cases[] = {
    {"width 8", 0, BYTES("\x08"), 0, BO_TRUNCATED, 10, PLACE_CUT},
    {"width 9", 0, BYTES("\x09"), 0, BO_CORRUPT, 0, "width of places is not 1 to 8"},
    {"leaf of width 0", 0, BYTES("\x10"), 0, BO_CORRUPT, 0, "width of places is not 1 to 8"},
    {"a trie of nothing", 0, BYTES("\x00"), 0, BO_CORRUPT, 1,
     "bytes after the root of an empty trie"},
    {"root cut", 0, BYTES("\x01"), -11, BO_TRUNCATED, 1, "index ends inside its root"},
    {"root is a leaf", 0, BYTES("\x11"), 0, BO_CORRUPT, 14 + 24, "bytes after the last record"},
    {"one child and no name", 2, BYTES("\x10"), 0, BO_CORRUPT, 1,
     "node with one child ends no name"},
    {"five children", 2, BYTES("\x14"), 0, BO_CORRUPT, 5, "children do not ascend"},
    {"children code 5", 2, BYTES("\x05"), 0, BO_CORRUPT, 2, "number of children is out of range"},
    {"children code 6", 2, BYTES("\x06"), 0, BO_CORRUPT, 2, "number of children is out of range"},
    {"many children, bits set", 2, BYTES("\x0f\x05"), 0, BO_CORRUPT, 2,
     "number of children is out of range"},
    {"five as many children", 2, BYTES("\x07\x04"), 0, BO_CORRUPT, 2,
     "number of children is out of range"},
    {"256 children", 2, BYTES("\x07\xff"), 0, BO_CORRUPT, 2, "number of children is out of range"},
    {"nine children", 2, BYTES("\x07\x08"), 0, BO_TRUNCATED, 1, PAST_NODE},
    {"leaf bit of no child", 2, BYTES("\x31"), 0, BO_CORRUPT, 2,
     "leaf bits after the last child are not 0"},
    {"children descend", 3, BYTES("ba"), 0, BO_CORRUPT, 4, "children do not ascend"},
    {"equal children", 3, BYTES("aa"), 0, BO_CORRUPT, 4, "children do not ascend"},
    {"label past the node", 1, BYTES("\xf0"), 0, BO_TRUNCATED, 1, PAST_NODE},
    {"long label past the node", 1, BYTES("\xf8\x10"), 0, BO_TRUNCATED, 1, PAST_NODE},
    {"long label up to the node's end", 1, BYTES("\xf8\x0b\x05"), 0, BO_CORRUPT, 3,
     "number of children is out of range"},
    {"long label of 2^64 - 1", 1, BYTES("\xf8\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 0,
     BO_TRUNCATED, 1, PAST_NODE},
    {"long label not shortest", 1, BYTES("\xf8\x80\x00"), 0, BO_CORRUPT, 2,
     "varint is not in its shortest form"},
    {"long label cut", 1, BYTES("\xf8\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), 0,
     BO_CORRUPT, 2, "varint overflows its type"},
    {"ends wider than the node", 1, BYTES("\x06"), 0, BO_CORRUPT, 5, NO_ROOM},
    {"end of 0", 5, BYTES("\x00"), 0, BO_CORRUPT, 5, NO_ROOM},
    {"end past the node", 5, BYTES("\x09"), 0, BO_CORRUPT, 5, NO_ROOM},
    {"end at the node's", 5, BYTES("\x08"), 0, BO_CORRUPT, 5, NO_ROOM},
    {"end too late", 5, BYTES("\xff"), 0, BO_CORRUPT, 5, NO_ROOM},
    {"inner node of 2 bytes", 5, BYTES("\x02"), 0, BO_CORRUPT, 5, NO_ROOM},
    {"end too early", 5, BYTES("\x06"), 0, BO_CORRUPT, 12, NO_ROOM},
    {"places without end", 10, BYTES("\x91\x93\x95"), 0, BO_TRUNCATED, 13, PLACE_CUT},
    {"a leaf's places without end", 12, BYTES("\x61"), 0, BO_TRUNCATED, 13, PLACE_CUT},
    {"records of a name descend", 10, BYTES("\x91\x30"), 0, BO_CORRUPT, 11,
     "records of a name do not ascend"},
    {"record past the end", 12, BYTES("\xc0"), 0, BO_CORRUPT, 12,
     "record lies past the file's end"},
    {"record twice", 12, BYTES("\x30"), 0, BO_CORRUPT, 14 + 48, "records overlap or leave a gap"},
    {"ends of 2 bytes", 1, BYTES("\x02\x11\x61\x62\x07\x00\x09\x08\x62\x63\x31\x90\x60\x00"), 1,
     BO_CORRUPT, 1, "width of the ends is not the least"},
    {"no name at the root", 1, BYTES("\x01\x11\x61\x62\x02\x31\x90\x60\x63\x00"), -3, BO_CORRUPT, 6,
     "function without a name"},
};

/* One function, "b": the root is a leaf. */
static const struct test_pattern single = {"trie+u64", 6, 1,
                                           BYTES("\x11\x00"
                                                 "b")};
static const struct test_case single_cases[] = {
    {"empty name", 0, BYTES("\x11"), -1, BO_CORRUPT, 1, "function without a name"},
    {"no place", 0, BYTES("\x11"), -2, BO_TRUNCATED, 1, "index ends inside its root"},
    {"place cut", 0, BYTES("\x13"), 0, BO_TRUNCATED, 1, "index ends inside its root"},
    {"places up to the end", 1, BYTES("\x01"), 0, BO_CORRUPT, 1, "function without a name"},
    {"inner root", 0, BYTES("\x01"), 0, BO_TRUNCATED, 1, "index ends inside its root"},
    {"places of 2 bytes", 0, BYTES("\x12\x00\x00\x62"), 1, BO_CORRUPT, 0,
     "width of places is not the least"},
};

/* No functions. */
static const struct test_pattern nothing = {"trie+u64", 6, 0, BYTES("\x00")};
static const struct test_case nothing_cases[] = {
    {"a byte more", 0, BYTES("\x00"), 1, BO_CORRUPT, 1, "bytes after the root of an empty trie"},
    {"no header", 0, BYTES(""), -1, BO_TRUNCATED, 0, "index ends inside its header"},
};

/* Seven leaves below the root: "a" to "g"; leaf bits at 4, bytes at 5, ends at 12, leaves at 18. */
static const struct test_pattern wide = {"trie+u64", 6, 7,
                                         BYTES("\x02"
                                               "\x00\x07\x06\x7f"
                                               "abcdefg"
                                               "\x02\x04\x06\x08\x0a\x0c"
                                               "\0\0\x30\0\x60\0\x90\0\xc0\0\xf0\0\x20\x01")};
static const struct test_case wide_cases[] = {
    {"padding bit", 4, BYTES("\xff"), 0, BO_CORRUPT, 4, "leaf bits after the last child are not 0"},
    {"ends descend", 13, BYTES("\x01"), 0, BO_CORRUPT, 12, NO_ROOM},
    {"an end twice", 15, BYTES("\x06"), 0, BO_CORRUPT, 14, NO_ROOM},
    {"leaf too small", 17, BYTES("\x0d"), 0, BO_TRUNCATED, 31, PLACE_CUT},
    {"an inner node", 4, BYTES("\x7e"), 0, BO_CORRUPT, 12, NO_ROOM},
};

TEST(test_trie)
{
    test_expect_cases(&trie, trie_cases, N_ELEMENTS(trie_cases));
    test_expect_cases(&single, single_cases, N_ELEMENTS(single_cases));
    test_expect_cases(&nothing, nothing_cases, N_ELEMENTS(nothing_cases));
    test_expect_cases(&wide, wide_cases, N_ELEMENTS(wide_cases));
}

/* ---- front-coded ----------------------------------------------------------------------------- */

/* One block, at 12. */
static const struct test_pattern front = {"front-coded+u64", 7, 4,
                                          BYTES("\x01\x10\0\0\x03\0\0\0"
                                                "\0\0\0\0"
                                                "\x02"
                                                "ab\x31\x90"
                                                "\x02\x01"
                                                "c\x60"
                                                "\x00\x01"
                                                "b\x00")};

static const struct test_case front_cases[] = {
    {"width 0", 0, BYTES("\0"), 0, BO_CORRUPT, 0, "width of places is not 1 to 8"},
    {"width 8", 0, BYTES("\x08"), 0, BO_TRUNCATED, 23, PLACE_CUT},
    {"width 9", 0, BYTES("\x09"), 0, BO_CORRUPT, 0, "width of places is not 1 to 8"},
    {"blocks of 8", 1, BYTES("\x08"), 0, BO_UNSUPPORTED, 1, "blocks are not of 16 names"},
    {"padding in its first byte", 2, BYTES("\x01"), 0, BO_CORRUPT, 2, "padding is not 0"},
    {"padding in its second byte", 2, BYTES("\0\x01"), 0, BO_CORRUPT, 2, "padding is not 0"},
    {"two names", 4, BYTES("\x02"), 0, BO_CORRUPT, 21, "bytes after a block's last name"},
    {"four names", 4, BYTES("\x04"), 0, BO_TRUNCATED, 25, "varint runs past the end"},
    {"2^32 - 1 names", 4, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 4,
     "blocks run past the index's end"},
    {"no names", 4, BYTES("\0"), 0, BO_CORRUPT, 8, "bytes after the last name"},
    {"first block not first", 8, BYTES("\x01"), 0, BO_CORRUPT, 8,
     "block does not start where the one before ends"},
    {"block past the end", 8, BYTES("\x0d"), 0, BO_CORRUPT, 8, "block lies outside the index"},
    {"empty first name", 12, BYTES("\0"), 0, BO_CORRUPT, 12,
     "name is empty or equals the one before"},
    {"the name before", 18, BYTES("\0"), 0, BO_CORRUPT, 18,
     "name is empty or equals the one before"},
    {"prefix too long", 17, BYTES("\x03"), 0, BO_CORRUPT, 17,
     "prefix is longer than the name before"},
    {"prefix of 2^64 - 1", 17, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"), 0, BO_TRUNCATED, 17,
     "varint runs past the end"},
    {"prefix too short", 17, BYTES("\x01\x01\x62"), 0, BO_CORRUPT, 17, "names do not ascend"},
    {"names descend", 17, BYTES("\0\x01\x41"), 0, BO_CORRUPT, 17, "names do not ascend"},
    {"name past the end", 22, BYTES("\x03"), 0, BO_TRUNCATED, 22, "name runs past its block's end"},
    {"length not shortest", 18, BYTES("\x81\0"), 0, BO_CORRUPT, 18,
     "varint is not in its shortest form"},
    {"place missing", 22, BYTES("\x02"), 0, BO_TRUNCATED, 25, PLACE_CUT},
    {"places without end", 24, BYTES("\x01"), 0, BO_TRUNCATED, 25, PLACE_CUT},
    {"records of a name descend", 15, BYTES("\x91\x30"), 0, BO_CORRUPT, 16,
     "records of a name do not ascend"},
    {"record past the end", 20, BYTES("\xc2"), 0, BO_CORRUPT, 20,
     "record lies past the file's end"},
    {"record twice", 20, BYTES("\x30"), 0, BO_CORRUPT, 25 + 48, "records overlap or leave a gap"},
};

/* Seventeen names "a" to "q": a second block, of "q", at 16 + 64. */
static const struct test_pattern blocks = {"front-coded+u64", 7, 17,
                                           BYTES("\x02\x10\0\0\x11\0\0\0"
                                                 "\0\0\0\0\x4f\0\0\0"
                                                 "\x01"
                                                 "a\0\0\0\x01"
                                                 "b\x30\0\0\x01"
                                                 "c\x60\0\0\x01"
                                                 "d\x90\0\0\x01"
                                                 "e\xc0\0\0\x01"
                                                 "f\xf0\0\0\x01"
                                                 "g\x20\x01\0\x01"
                                                 "h\x50\x01\0\x01"
                                                 "i\x80\x01\0\x01"
                                                 "j\xb0\x01\0\x01"
                                                 "k\xe0\x01\0\x01"
                                                 "l\x10\x02\0\x01"
                                                 "m\x40\x02\0\x01"
                                                 "n\x70\x02\0\x01"
                                                 "o\xa0\x02\0\x01"
                                                 "p\xd0\x02\x01"
                                                 "q\0\x03")};

static const struct test_case blocks_cases[] = {
    {"second block early", 12, BYTES("\x4e"), 0, BO_TRUNCATED, 93, PLACE_CUT},
    {"second block late", 12, BYTES("\x50"), 0, BO_CORRUPT, 95, "bytes after a block's last name"},
    {"blocks descend", 8, BYTES("\x50"), 0, BO_CORRUPT, 8, "block lies outside the index"},
    {"second block past the end", 12, BYTES("\x54"), 0, BO_CORRUPT, 8,
     "block lies outside the index"},
    {"second block at the end", 12, BYTES("\x53"), 0, BO_CORRUPT, 95,
     "bytes after a block's last name"},
    {"first name of the last block again", 96, BYTES("p"), 0, BO_CORRUPT, 95,
     "names do not ascend"},
};

TEST(test_front_coded)
{
    test_expect_cases(&front, front_cases, N_ELEMENTS(front_cases));
    test_expect_cases(&blocks, blocks_cases, N_ELEMENTS(blocks_cases));
}

TEST_FILE(NULL, NULL)
