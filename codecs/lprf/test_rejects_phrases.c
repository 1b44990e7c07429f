/*
 * Bad indexes on a perfect hash: for each, the status, the byte and the phrase that decode must
 * answer with; and what decode takes, lookups must answer rightly. Why: nothing in such an index
 * says where a part starts; each part leads into the next by numbers that a writer found, and a
 * slot that is off by one answers with another function's counters.
 */
#define TEST_FORMAT "lprf"
#include "codecs/lprf/test_index.h"
#include "harness/coding/grammar.h"
#include "harness/test_format.h"

#define ZEROS_8 "\0\0\0\0\0\0\0\0"
#define ZEROS_28 ZEROS_8 ZEROS_8 ZEROS_8 "\0\0\0\0"

#define A_PART_RUNS "a part of the index runs past its end"
#define INVALID_CODES "name has an invalid code"
#define CODES_FOLLOW "codes do not start where the slot before ends"
#define CELLS_FOLLOW "cells do not follow each other"
#define CELLS_END "cells do not end where the file does"
#define OTHER_SLOT "name belongs to another slot"
#define NOT_ALL "slots do not hold all functions"
#define OUTSIDE "record lies outside its slot"
#define OVERLAP "records overlap or leave a gap"
#define NOT_A_PERMUTATION "function order is not a permutation"
#define NOT_USED "phrases are not all used"
#define UNREAD "symbol is a rule that has not been read"
#define MORE_RULES "grammar has more rules than announced"
#define PADDING "padding is not 0"

/* ---- phrases --------------------------------------------------------------------------------- */

/*
 * Slot 0 is "abc", the third function; 1 "b", the first; 2 free; 3 "ab", the second and the fourth.
 * The records start after byte 153.
 */
static const struct test_pattern phrases = {
    "phrases+u64", 8, 4,
    BYTES("\x04\0\0\0\x03\0\0\0\x04\0\0\0\x01\0\0\0\0\0\0\0\x06\0\0\0" /* 6 codes */
          "\0"                                                         /* not alphabetical */
          "\0\0\0\0\0\0\0\0\0\0\0\0\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\0\0\0\0\x03\0\0\0"                 /* 57: no rules, 3 bytes of text */
          "\0\x07"                             /* no siblings; 66: a, b, c have codes */
          "\x07\0"                             /* the pilot */
          "\0\0\0\0\0"                         /* 69: the first record; 73: the shift */
          "\x18\x18\0\x30" ZEROS_28 "\0\0\0\0" /* 106: the first code */
          "\x13\x20\0\0\0\0\0\0" ZEROS_8       /* 110: 3, 1, 0, 2 codes */
          "\x64\x04" ZEROS_8                   /* 126: a b c, b, a b */
          "\x03\0\0\0\x48\0\0\0"               /* 136: slot 3 has another */
          "\xd2" ZEROS_8)};                    /* 144: 2, 0, 1, 3 */

static const struct test_case phrases_cases[] = {
    /* the head */
    {"more names than functions", 4, BYTES("\x05"), 0, BO_CORRUPT, 4, "more names than functions"},
    {"as many slots as names", 8, BYTES("\x03"), 0, BO_CORRUPT, 8,
     "number of slots is not above that of names"},
    {"no slots", 8, BYTES("\0"), 0, BO_CORRUPT, 8, "number of slots is not above that of names"},
    {"2^32 - 1 slots", 8, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 69, A_PART_RUNS},
    {"number of buckets is 0", 12, BYTES("\0"), 0, BO_CORRUPT, 12, "number of buckets is 0"},
    {"2^32 - 1 buckets", 12, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 67, A_PART_RUNS},
    {"33 slots", 8, BYTES("\x21"), 0, BO_TRUNCATED, 69, A_PART_RUNS},
    {"five slots", 8, BYTES("\x05"), 0, BO_CORRUPT, 106, OTHER_SLOT},
    {"another seed", 16, BYTES("\x01"), 0, BO_CORRUPT, 106, OTHER_SLOT},
    {"2^32 - 1 codes", 20, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 126, A_PART_RUNS},
    {"five codes", 20, BYTES("\x05"), 0, BO_CORRUPT, 106, CODES_FOLLOW},
    {"seven codes", 20, BYTES("\x07"), 0, BO_CORRUPT, 0, NOT_ALL},
    {"one name less", 4, BYTES("\x02"), 0, BO_TRUNCATED, 152, A_PART_RUNS},
    {"2^32 - 1 functions", 0, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 136, A_PART_RUNS},
    {"five functions", 0, BYTES("\x05"), 9, BO_CORRUPT, 152, NOT_A_PERMUTATION},
    {"three functions of two names", 0, BYTES("\x03\0\0\0\x02"), 0, BO_CORRUPT, 0,
     "slots hold more functions than there are"},
    {"order 2", 24, BYTES("\x02"), 0, BO_CORRUPT, 24, "order is neither 0 nor 1"},
    {"order 1 and an order", 24, BYTES("\x01"), 0, BO_CORRUPT, 144,
     "bytes after the last part of the index"},
    {"alphabetical", 24, BYTES("\x01"), -9, BO_OK, 0, NULL},
    {"bytes after", 0, BYTES("\x04"), 1, BO_CORRUPT, 153, "bytes after the last part of the index"},
    /* the grammar */
    {"2^32 - 1 rules", 57, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 57,
     "rules run past the index's end"},
    {"a rule that is not there", 57, BYTES("\x01"), 0, BO_CORRUPT, 66, UNREAD},
    {"more text", 61, BYTES("\x04"), 0, BO_CORRUPT, 25, NOT_USED},
    {"less text", 61, BYTES("\x02"), 0, BO_CORRUPT, 106, INVALID_CODES},
    {"bits beyond the symbols", 66, BYTES("\x0f"), 0, BO_CORRUPT, 66, "bits beyond the symbols"},
    {"fewer codes", 66, BYTES("\x06"), 0, BO_CORRUPT, 152,
     "bytes after the last part of the index"},
    /* pilots */
    {"another pilot", 67, BYTES("\x08"), 0, BO_CORRUPT, 106, OTHER_SLOT},
    {"the highest pilot", 67, BYTES("\xff\xff"), 0, BO_CORRUPT, 106, OTHER_SLOT},
    /* cells */
    {"first record not first", 69, BYTES("\x01"), 0, BO_CORRUPT, 69, CELLS_FOLLOW},
    {"first record far away", 69, BYTES("\0\0\0\x80"), 0, BO_CORRUPT, 69, CELLS_FOLLOW},
    {"shift 32", 73, BYTES("\x20"), 0, BO_CORRUPT, 69, CELLS_FOLLOW},
    {"shift 64", 73, BYTES("\x40"), 0, BO_CORRUPT, 69, CELLS_FOLLOW},
    {"shift 255", 73, BYTES("\xff"), 0, BO_CORRUPT, 69, CELLS_FOLLOW},
    {"shift 31", 73, BYTES("\x1f"), 0, BO_CORRUPT, 69, CELLS_FOLLOW},
    {"shift 1", 73, BYTES("\x01"), 0, BO_CORRUPT, 69, "index points past the file's end"},
    {"halves", 73, BYTES("\x01\x0c\x0c\0\x18"), 0, BO_OK, 0, NULL},
    {"eighths", 73, BYTES("\x03\x03\x03\0\x06"), 0, BO_OK, 0, NULL},
    {"sixteenths", 73, BYTES("\x04\x02\x02\0\x03"), 0, BO_CORRUPT, 69, CELLS_END},
    {"record cut short", 74, BYTES("\x17\x19"), 0, BO_CORRUPT, 153 + 24, OVERLAP},
    {"record too long", 74, BYTES("\x19\x17"), 0, BO_CORRUPT, 153 + 24, OVERLAP},
    {"record without a name", 76, BYTES("\x01"), 0, BO_CORRUPT, 76, "record without a name"},
    {"name without a record", 74, BYTES("\0\x30"), 0, BO_CORRUPT, 74, "name without a record"},
    {"records of slots swapped", 75, BYTES("\x30\0\x18"), 0, BO_CORRUPT, 140, OUTSIDE},
    {"last record too long", 77, BYTES("\x31"), 0, BO_CORRUPT, 69, CELLS_END},
    {"last record too short", 77, BYTES("\x2f"), 0, BO_CORRUPT, 69, CELLS_END},
    {"a slot beyond the last", 78, BYTES("\x01"), 0, BO_CORRUPT, 78, PADDING},
    {"the last slot of the group", 105, BYTES("\x01"), 0, BO_CORRUPT, 105, PADDING},
    /* codes */
    {"first code not first", 106, BYTES("\x01"), 0, BO_CORRUPT, 106, CODES_FOLLOW},
    {"first code far away", 106, BYTES("\xff\xff\xff\xff"), 0, BO_CORRUPT, 106, CODES_FOLLOW},
    {"a code taken from the next", 110, BYTES("\x14\x10"), 0, BO_CORRUPT, 106, OTHER_SLOT},
    {"a code more", 111, BYTES("\x30"), 0, BO_CORRUPT, 106, CODES_FOLLOW},
    {"fifteen codes", 110, BYTES("\x1f"), 0, BO_CORRUPT, 106, CODES_FOLLOW},
    {"record, but no codes", 110, BYTES("\x10"), 0, BO_CORRUPT, 74, "record without a name"},
    {"codes, but no record", 111, BYTES("\x21"), 0, BO_CORRUPT, 76, "name without a record"},
    {"codes beyond the last slot", 112, BYTES("\x01"), 0, BO_CORRUPT, 112, PADDING},
    {"codes of the group's last slot", 125, BYTES("\x10"), 0, BO_CORRUPT, 125, PADDING},
    {"code out of range", 126, BYTES("\x67"), 0, BO_CORRUPT, 106, INVALID_CODES},
    {"last code out of range", 127, BYTES("\x0c"), 0, BO_CORRUPT, 106, INVALID_CODES},
    {"another name", 126, BYTES("\x24"), 0, BO_CORRUPT, 106, OTHER_SLOT},
    {"names swapped", 126, BYTES("\x44\x06"), 0, BO_CORRUPT, 106, OTHER_SLOT},
    {"bits after the codes", 127, BYTES("\x14"), 0, BO_CORRUPT, 127, PADDING},
    {"bytes after the codes", 135, BYTES("\x01"), 0, BO_CORRUPT, 135, PADDING},
    /* repeats */
    {"repeat of a free slot", 136, BYTES("\x02"), 0, BO_CORRUPT, 0, NOT_ALL},
    {"repeat of no slot", 136, BYTES("\x04"), 0, BO_CORRUPT, 0, NOT_ALL},
    {"repeat of another slot", 136, BYTES("\0"), 0, BO_CORRUPT, 140, OUTSIDE},
    {"repeat of the next slot's record", 136, BYTES("\0\0\0\0\x18"), 0, BO_CORRUPT, 140, OUTSIDE},
    {"repeat of the first record", 140, BYTES("\x30"), 0, BO_CORRUPT, 140, OUTSIDE},
    {"repeat after its slot", 140, BYTES("\x60"), 0, BO_CORRUPT, 140, OUTSIDE},
    {"repeat far away", 140, BYTES("\xff\xff\xff\xff"), 0, BO_CORRUPT, 140, OUTSIDE},
    {"repeat inside a record", 140, BYTES("\x47"), 0, BO_CORRUPT, 153 + 72, OVERLAP},
    {"repeat after a gap", 140, BYTES("\x49"), 0, BO_CORRUPT, 153 + 72, OVERLAP},
    /* the order */
    {"another order", 144, BYTES("\xd8"), 0, BO_OK, 0, NULL},
    {"a place twice", 144, BYTES("\xd6"), 0, BO_CORRUPT, 144, NOT_A_PERMUTATION},
    {"functions of a name descend", 144, BYTES("\x72"), 0, BO_CORRUPT, 144,
     "functions of a name do not ascend"},
    {"bytes after the order", 152, BYTES("\x80"), 0, BO_CORRUPT, 152, PADDING},
};

/*
 * The same with a grammar of three rules: slot 1 is "mainA", 2 "mainB", 3 "mainC", of which "main"
 * has a code. The order is 0, 2, 1.
 */
static const struct test_pattern mains = {
    "phrases+u64", 8, 3,
    BYTES("\x03\0\0\0\x03\0\0\0\x04\0\0\0\x01\0\0\0\0\0\0\0\x06\0\0\0\0"
          "\0\0\0\0\0\0\0\0\x0e\0\0\0\x02\x62\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\x03\0\0\0\x07\0\0\0"               /* 57: 3 rules, 7 bytes of text */
          "\x88\x74\x64\0"                     /* 65: the rules */
          "\x07\x02"                           /* 69: which have codes */
          "\x01\0"                             /* the pilot */
          "\0\0\0\0\0"                         /* 73: cells */
          "\0\x18\x18\x18" ZEROS_28 "\0\0\0\0" /* 110: codes */
          "\x20\x22\0\0\0\0\0\0" ZEROS_8       /* 0, 2, 2, 2 */
          "\x73\x0b" ZEROS_8                   /* 130 */
          "\x18" ZEROS_8)};                    /* 140: 0, 2, 1 */

static const struct test_case mains_cases[] = {
    {"two rules", 57, BYTES("\x02"), 0, BO_CORRUPT, 68, MORE_RULES},
    {"four rules", 57, BYTES("\x04"), 0, BO_CORRUPT, 69, UNREAD},
    {"rules without end", 65, BYTES("\xff\xff\xff\xff"), 0, BO_CORRUPT, 69, MORE_RULES},
    {"bits after the rules", 68, BYTES("\x80"), 0, BO_CORRUPT, 69,
     "bits after the rules are not 0"},
    {"a rule of itself", 67, BYTES("\x94"), 0, BO_CORRUPT, 110, INVALID_CODES},
    {"rules in a circle", 66, BYTES("\x94"), 0, BO_CORRUPT, 110, INVALID_CODES},
    {"right symbol out of range", 67, BYTES("\xf4"), 0, BO_CORRUPT, 68,
     "right symbol of a rule is out of range"},
    {"another code instead", 70, BYTES("\x01"), 0, BO_CORRUPT, 110, OTHER_SLOT},
    {"place out of range", 140, BYTES("\x1b"), 0, BO_CORRUPT, 140, NOT_A_PERMUTATION},
    {"bits after the order", 140, BYTES("\x58"), 0, BO_CORRUPT, 140, PADDING},
};

/* One function, "f", in the last of two slots: nothing follows its cell. */
static const struct test_pattern one = {
    "phrases+u64", 8, 1,
    BYTES("\x01\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01"
          "\0\0\0\0\0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\0\0\0\0\x01\0\0\0\0\x01\0\0"
          "\0\0\0\0\0" /* 69: cells */
          "\0\x18\0\0" ZEROS_28 "\0\0\0\0\x10\0\0\0\0\0\0\0" ZEROS_8 "\0" ZEROS_8)};

static const struct test_case one_cases[] = {
    {"rounded up to 2^31", 73, BYTES("\x1f\0\x01"), 0, BO_OK, 0, NULL},
    {"rounded up to 2^32", 73, BYTES("\x20\0\x01"), 0, BO_CORRUPT, 69, CELLS_FOLLOW},
    {"rounded up too far", 73, BYTES("\x1f\0\x02"), 0, BO_CORRUPT, 69, CELLS_END},
    {"a bit after the only code", 126, BYTES("\x02"), 0, BO_CORRUPT, 126, PADDING},
    {"code 1 of one", 126, BYTES("\x01"), 0, BO_CORRUPT, 106, INVALID_CODES},
};

TEST(test_phrases)
{
    test_expect_cases(&one, one_cases, N_ELEMENTS(one_cases));
    test_expect_cases(&phrases, phrases_cases, N_ELEMENTS(phrases_cases));
    test_expect_cases(&mains, mains_cases, N_ELEMENTS(mains_cases));
}

/* ---- fingerprints ---------------------------------------------------------------------------- */

/* The same slots as in `phrases`. */
static const struct test_pattern fingerprints = {
    "fingerprints+u64", 9, 4,
    BYTES("\x04\0\0\0\x03\0\0\0\x04\0\0\0\x01\0\0\0\0\0\0\0\x08\0\0\0" /* 8 codes */
          "\x07\0"                                                     /* the pilot */
          "\x01\xfe\x2b\x13\x50\x39\x2f\x89"                           /* 26 */
          "\xd9\x4a\x58\x74\x3f\x84\xd8\x44" ZEROS_8 "\x59\x83\x33\xc3\x5c\x73\xd5\x24" ZEROS_8
          "\0\0\0\0\0"                                     /* 66: cells */
          "\x18\x18\0\x30" ZEROS_28 "\x03\0\0\0\x48\0\0\0" /* 103: repeats */
          "\0\0\0\0\0\0\0\0\0\0\0\0\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\0\0\0\0\x03\0\0\0\0\x07" /* 143 */
          "\x14\x23\x53")};          /* 153: b; ab; "ab" c; "ab" */

static const struct test_case fingerprints_cases[] = {
    {"2^32 - 1 slots", 8, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 26, A_PART_RUNS},
    {"33 slots", 8, BYTES("\x21"), 0, BO_TRUNCATED, 26, A_PART_RUNS},
    {"2^32 - 1 buckets", 12, BYTES("\xff\xff\xff\xff"), 0, BO_TRUNCATED, 24, A_PART_RUNS},
    {"another seed", 16, BYTES("\x01"), 0, BO_CORRUPT, 153, "name has no slot"},
    {"nine codes", 20, BYTES("\x09"), 0, BO_CORRUPT, 20,
     "names have another number of codes than announced"},
    {"another pilot", 24, BYTES("\x08"), 0, BO_CORRUPT, 153, "name has no slot"},
    {"wrong fingerprint", 26, BYTES("\x02"), 0, BO_CORRUPT, 154, "name has no slot"},
    {"wrong upper half", 33, BYTES("\x88"), 0, BO_CORRUPT, 154, "name has no slot"},
    {"free slot has a fingerprint", 49, BYTES("\x01"), 0, BO_CORRUPT, 42,
     "free slot has a fingerprint"},
    {"bytes after the fingerprints", 58, BYTES("\x01"), 0, BO_CORRUPT, 58, PADDING},
    {"first record not first", 66, BYTES("\x01"), 0, BO_CORRUPT, 66, CELLS_FOLLOW},
    {"shift 32", 70, BYTES("\x20"), 0, BO_CORRUPT, 66, CELLS_FOLLOW},
    {"eighths", 70, BYTES("\x03\x03\x03\0\x06"), 0, BO_OK, 0, NULL},
    {"record cut short", 71, BYTES("\x17\x19"), 0, BO_CORRUPT, 156 + 24, OVERLAP},
    {"record without a name", 71, BYTES("\x0c\x18\x0c"), 0, BO_CORRUPT, 0, "slot without a name"},
    {"name without a record", 71, BYTES("\0\x30"), 0, BO_CORRUPT, 26,
     "free slot has a fingerprint"},
    {"last record too long", 74, BYTES("\x31"), 0, BO_CORRUPT, 66, CELLS_END},
    {"a slot beyond the last", 75, BYTES("\x01"), 0, BO_CORRUPT, 75, PADDING},
    {"repeat of a free slot", 103, BYTES("\x02"), 0, BO_CORRUPT, 103,
     "repeats are not in the order of the slots"},
    {"repeat of another slot", 103, BYTES("\0"), 0, BO_CORRUPT, 107, OUTSIDE},
    {"repeat inside a record", 107, BYTES("\x47"), 0, BO_CORRUPT, 156 + 72, OVERLAP},
    {"repeat after a gap", 70, BYTES("\x03\x03\x03\0\x06" ZEROS_28 "\x03\0\0\0\x49"), 0, BO_CORRUPT,
     156 + 72, OVERLAP},
    {"one name less", 4, BYTES("\x02"), 8, BO_TRUNCATED, 151, "rules run past the index's end"},
    {"three functions", 0, BYTES("\x03\0\0\0\x02"), 0, BO_CORRUPT, 0, "slot without a name"},
    {"more text", 147, BYTES("\x04"), 0, BO_CORRUPT, 111, NOT_USED},
    {"less text", 147, BYTES("\x02"), 0, BO_CORRUPT, 154, INVALID_CODES},
    {"first name shares", 153, BYTES("\x15"), 0, BO_CORRUPT, 153,
     "prefix is longer than the name before"},
    {"name shares too much", 153, BYTES("\xd4"), 0, BO_CORRUPT, 153,
     "prefix is longer than the name before"},
    {"no codes", 153, BYTES("\x10"), 0, BO_CORRUPT, 153, "name without a code"},
    {"sixteen codes", 153, BYTES("\xfc\xff\x03"), 4, BO_CORRUPT, 153, "name has too many codes"},
    {"codes without end", 153, BYTES("\xfc\xff\xff"), 0, BO_CORRUPT, 153,
     "name has too many codes"},
    {"a name too often", 155, BYTES("\x09"), 0, BO_CORRUPT, 155, "name has no slot"},
    {"code out of range", 153, BYTES("\x34"), 0, BO_CORRUPT, 153, INVALID_CODES},
    {"another name", 153, BYTES("\x24"), 0, BO_CORRUPT, 153, "name has no slot"},
    {"names run on", 155, BYTES("\xd3"), 0, BO_TRUNCATED, 155, "names run past the index's end"},
    {"bytes after", 0, BYTES("\x04"), 1, BO_CORRUPT, 156, "bytes after the names"},
};

/* The same slots as in `mains`. */
static const struct test_pattern fingerprint_mains = {
    "fingerprints+u64", 9, 3,
    BYTES("\x03\0\0\0\x03\0\0\0\x04\0\0\0\x01\0\0\0\0\0\0\0\x06\0\0\0\x01\0" ZEROS_8
          "\x87\x04\x18\x7f\xf3\xc0\x31\x12\x56\x17\x72\xb7\x77\xaa\x6b\xfc"
          "\x25\xca\x53\xc8\xb0\x8d\xf8\x94" ZEROS_8 "\0\0\0\0\0"
          "\0\x18\x18\x18" ZEROS_28
          "\0\0\0\0\0\0\0\0\x0e\0\0\0\x02\x62\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\x03\0\0\0\x07\0\0\0\x88\x74\x64\0\x07\x02"
          "\x6c\xca\x0a")}; /* 149: main A; "main" C; "main" B */

static const struct test_case fingerprint_mains_cases[] = {
    {"bits after the names", 151, BYTES("\x8a"), 0, BO_CORRUPT, 151, PADDING},
    {"a name twice", 151, BYTES("\x04"), 0, BO_CORRUPT, 150, "name has no slot"},
    {"a rule of itself", 145, BYTES("\x94"), 0, BO_CORRUPT, 149, INVALID_CODES},
};

/*
 * Two names of 32 bytes that start with the first 8 bytes of XXH3's secret, so that the next 8 do
 * not change the hash with seed 0. One slot has both; a writer would take another seed.
 */
static const struct test_pattern equal_hashes = {
    "fingerprints+u64", 9, 2,
    BYTES("\x02\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\0\0"
          "\0\0\0\0\x1c\0\0\0\0\0\0\0\0\0\0\0"
          "\0\0\xb1\xd9\x95\xe2\x18\xd5\xd9\x65\0\0\0\0\0\0"
          "\0\0\0\0\0\0\0\0\x30\0\0\0\0\0\0\0"
          "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\0\0\0\0\0\0\0\x01\0\0\0\x18\0\0\0\0"
          "\0\0\0\x08\0\0\x02\x06\x08\0\0\0\x10\0\x04\0"
          "\0\0\0\x10\0\0\x41\0\0\0\0\0\0\0\x40\x05"
          "\0\0\0\x14\0\0\0\x24\x0d\x19\x50\xe7\0\xb3\x9f\xfc"
          "\xff\xea\x26\x80\xc4\x10\x11\x55\xff\xbf\0\x12\xcb\xcc\x54\x05")};

TEST(test_fingerprints)
{
    test_expect_case(&equal_hashes, &(struct test_case){"two names in a slot", 0, BYTES(""), 0,
                                                        BO_CORRUPT, 152, "name has no slot"});
    test_expect_cases(&fingerprints, fingerprints_cases, N_ELEMENTS(fingerprints_cases));
    test_expect_cases(&fingerprint_mains, fingerprint_mains_cases,
                      N_ELEMENTS(fingerprint_mains_cases));
}

/* ---- lookups --------------------------------------------------------------------------------- */

TEST(test_lookups)
{
    static const struct test_case in_phrases[] = {
        {"as it is", 0, BYTES(""), 0, BO_OK, 0, NULL},
        {"record at the end", 69, BYTES("\x30"), 0, BO_CORRUPT, 0,
         "index points past the file's end"},
        {"last byte of the file", 69, BYTES("\x2f"), 0, BO_OK, 0, NULL},
        {"shift 31", 73, BYTES("\x1f"), 0, BO_CORRUPT, 0, "index points past the file's end"},
        {"first code far away", 106, BYTES("\xff\xff\xff\xff"), 0, BO_CORRUPT, 0, INVALID_CODES},
        {"codes beyond the last", 106, BYTES("\x01"), 0, BO_CORRUPT, 0, INVALID_CODES},
        {"no text", 61, BYTES("\x01"), 0, BO_CORRUPT, 0, INVALID_CODES},
    };
    static const struct test_case in_fingerprints[] = {
        {"as it is", 0, BYTES(""), 0, BO_OK, 0, NULL},
        {"record at the end", 66, BYTES("\x30"), 0, BO_CORRUPT, 0,
         "index points past the file's end"},
        {"last byte of the file", 66, BYTES("\x2f"), 0, BO_OK, 0, NULL},
        {"no grammar", 143, BYTES("\xff\xff\xff\xff"), 0, BO_OK, 0, NULL},
    };
    for (size_t i = 0; i < N_ELEMENTS(in_phrases); i++)
        test_expect_lookup(&phrases, &in_phrases[i], "ab");
    for (size_t i = 0; i < N_ELEMENTS(in_fingerprints); i++)
        test_expect_lookup(&fingerprints, &in_fingerprints[i], "ab");
}

/* The longest name that can be encoded is found; a longer one is refused, and never found. */
TEST(test_longest_name)
{
    static const char *const codecs[] = {"phrases+u64", "fingerprints+u64"};
    const uint64_t counter = 1;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    uint8_t *name = bo_zalloc_array(&arena, BO_MAX_NAME_NBYTES + 1, 1);
    struct lprf_function function = {
        .name = {name, BO_MAX_NAME_NBYTES}, .n_counters = 1, .counters = &counter};
    const struct lprf_model model = {1, &function};
    for (size_t i = 0; i < N_ELEMENTS(codecs); i++) {
        const struct bo_codec *codec = bo_find_codec(bo_find_format("lprf"), codecs[i]);
        struct bo_writer out;
        struct bo_error error;
        void *reader;
        uint32_t found = 0;
        bo_writer_init(&out, &arena);
        function.name.n = BO_MAX_NAME_NBYTES;
        assert_int_equal(codec->encode(codec, &model, &out, NULL), BO_OK);
        assert_int_equal(codec->open(codec, bo_writer_span(&out), &arena, &reader, NULL), BO_OK);
        const struct lprf_name_query query = {function.name};
        assert_int_equal(codec->query(codec, reader, LPRF_CONTAINS, &query, 1, &found, NULL),
                         BO_OK);
        assert_int_equal(found, 1);
        function.name.n++;
        assert_int_equal(codec->encode(codec, &model, &out, &error), BO_UNSUPPORTED);
        assert_string_equal(error.what, "name is longer than 512 KiB");
        bo_writer_free(&out);
    }
    bo_arena_free(&arena);
}

/* ---- changed bits of what the codec writes --------------------------------------------------- */

static void expect_flip(const char *codec, const struct lprf_model *model, const char *phrase)
{
    bool seen = false;
    note_rejections(bo_find_codec(test_format(), codec), model, &phrase, 1, &seen);
    if (!seen)
        fail_msg("%s: no changed file is rejected with: %s", codec, phrase);
}

TEST(test_changed_bits)
{
    static const uint64_t counter = 1;
    const struct lprf_function functions[] = {
        {.name = bo_span_of("second"), .n_counters = 1, .counters = &counter},
        {.name = bo_span_of("first"), .n_counters = 1, .counters = &counter},
    };
    const struct lprf_function similar[] = {
        {.name = bo_span_of("ap"), .n_counters = 1, .counters = &counter},
        {.name = bo_span_of("bq"), .n_counters = 1, .counters = &counter},
        {.name = bo_span_of("cr"), .n_counters = 1, .counters = &counter},
    };
    const struct lprf_model swapped = {N_ELEMENTS(functions), functions};
    const struct lprf_model alike = {N_ELEMENTS(similar), similar};
    expect_flip("phrases+u64", &swapped,
                "functions are in alphabetical order, but a permutation is stored");
    expect_flip("fingerprints+u64", &alike, "name shares more codes than announced");
}

TEST_FILE(NULL, NULL)
