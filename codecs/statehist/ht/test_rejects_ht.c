/*
 * Bad history tree files: each is refused with its place and reason by decoding and, unless only
 * the whole file shows it, by the query that reads the node. The real program takes some in
 * silence, and visits a node that hangs below itself for ever.
 *
 * All are made from one file by changing some bytes: four nodes in blocks of 4096 bytes, of which
 * node 1 is the root and the others are leaves.
 */
#define TEST_FORMAT "statehist"
#include <stdio.h>

#include "codecs/statehist/ht/reader.h"
#include "harness/check/check.h"
#include "harness/test_format.h"
#include "harness/core/test_fixture.h"

enum {
    BLOCK = 4096,
    N_NODES = 4,
    ROOT = 1,
    TREE = HT_HEADER_NBYTES + N_NODES * BLOCK, /* the attribute tree */
    FILE_NBYTES = TREE + 140,
};

#define NODE(k) (HT_HEADER_NBYTES + (k)*BLOCK)

/* Places in the root, which has three children and two intervals: of quark 0 and 2. */
enum {
    N_CHILDREN = NODE(ROOT) + 37,
    NUMBERS = N_CHILDREN + 4,
    STARTS = NUMBERS + 4 * 50,
    START_OF_SECOND = STARTS + 3,
    START_OF_NONE = STARTS + 3 * 3,
    ENDS = STARTS + 3 * 3 + 47 * 9,
    END_OF_SECOND = ENDS + 3,
    MIN_QUARKS = ENDS + 3 * 3 + 47 * 9,
    MAX_QUARKS = MIN_QUARKS + 4 * 50,
    FIRST = MAX_QUARKS + 4 * 50, /* null */
    FIRST_DURATION = FIRST + 2,
    FIRST_QUARK = FIRST + 5,
    FIRST_TYPE = FIRST + 9,
    SECOND = FIRST + 10, /* "xyz" */
    SECOND_TYPE = SECOND + 9,
    SECOND_TEXT = SECOND + 12,
    AFTER_ROOT = SECOND_TEXT + 4,
};

/* Places in the leaves: intervals of 13 bytes each, ints of quark 1, one every 10 ns. */
enum {
    LEAF_FIRST = NODE(0) + 37,
    LEAF_SECOND = LEAF_FIRST + 13,
    LEAF_QUARK = 4,
    LEAF_TYPE = 8,
};

/* ---- the file -------------------------------------------------------------------------------- */

static struct bo_span make_file(const struct bo_codec *codec)
{
    static char text[65536];
    size_t n = (size_t)sprintf(text, "# statehistory-tsv 1\n# start: 1000\n# end: 8999\n"
                                     "Q\t0\t-1\ta\nQ\t1\t0\tb\nQ\t2\t-1\tc\n");
    for (int i = 0; i < 800; i++)
        n += (size_t)sprintf(text + n, "I\t1\t%d\t%d\ti\t%d\n", 1000 + 10 * i, 1009 + 10 * i, i);
    sprintf(text + n, "I\t0\t1000\t8999\tn\t\nI\t2\t1000\t8999\ts\txyz\n");
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(codec->encode(codec, parse_text(text, &arena), &out, NULL), BO_OK);
    uint8_t *copy = bo_alloc(&arena, out.n);
    assert_non_null(copy);
    memcpy(copy, out.p, out.n);
    const struct bo_span in = {copy, out.n};
    bo_writer_free(&out);
    return in;
}

static const struct bo_codec *ht_4k(void)
{
    return bo_find_codec(format, "ht-4k");
}

struct verdict {
    enum bo_status status;
    size_t off;
    const char *what; /* how it starts */
};

static void expect_error(const char *row, const char *doing, enum bo_status status,
                         const struct bo_error *error, const struct verdict *expected)
{
    if (status != expected->status || error->off != expected->off ||
        strncmp(error->what, expected->what, strlen(expected->what)) != 0)
        fail_msg("%s: %s: %s at byte %lld: %s", row, doing, bo_status_name(status),
                 (long long)error->off, error->what ? error->what : "-");
}

/* Decoding, opening and scanning; and the generic checks of any bytes. */
static void expect_verdict(const char *row, struct bo_span in, const struct verdict *expected)
{
    struct bo_error error = {0};
    struct statehist_digest digest;
    struct bo_finding finding = {0};
    const struct bo_effort effort = bo_effort_default();
    void *model, *reader;
    enum bo_status status = test_decode(ht_4k(), in, &arena, &model, &error);
    expect_error(row, "decode", status, &error, expected);
    status = ht_4k()->open(ht_4k(), in, &arena, &reader, &error);
    if (!status)
        status = ht_4k()->query(ht_4k(), reader, STATEHIST_SCAN, NULL, 1, &digest, &error);
    if (status)
        expect_error(row, "open and scan", status, &error, expected);
    if (!bo_check_bytes(format, ht_4k(), in, &effort, NULL, &finding))
        fail_msg("%s: %s: %s", row, finding.class, finding.detail);
}

/* ---- changed bytes --------------------------------------------------------------------------- */

struct change {
    const char *row;
    size_t off;
    struct bo_span bytes;
    struct verdict verdict;
};

#define ROW(row, off, bytes, status, error_off, what) \
    {                                                 \
        row, off, BYTES(bytes),                       \
        {                                             \
            status, error_off, what                   \
        }                                             \
    }

#define PAST_BLOCK "node's content runs past its block"
#define NOT_EMPTY "place without a child is not empty"
#define NO_BLOCKS "blocks are not of 4096 to 2^24 bytes"
#define NO_WIDTH "maximum number of children is below 2 or exceeds a block"

static const struct change header_changes[] = {
    ROW("no magic", 0, "\1", BO_CORRUPT, 0, "magic number is not that of a history tree"),
    ROW("the classic tree of the data store", 4, "\x08", BO_UNSUPPORTED, 4,
        "history tree is not of version 11"),
    ROW("the overlapping tree of the data store", 1, "\xa8", BO_CORRUPT, 0, "magic number"),
    ROW("version 10", 4, "\x0a", BO_UNSUPPORTED, 4, "history tree is not of version 11"),
    ROW("version 12", 4, "\x0c", BO_UNSUPPORTED, 4, "history tree is not of version 11"),
    ROW("another provider", 8, "\2", BO_UNSUPPORTED, 8, "state provider is not of version 1"),
    ROW("blocks of 0", 12, "\0\0\0\0", BO_UNSUPPORTED, 12, NO_BLOCKS),
    ROW("blocks of -1", 12, "\xff\xff\xff\xff", BO_UNSUPPORTED, 12, NO_BLOCKS),
    ROW("blocks of 2^31 - 1", 12, "\xff\xff\xff\x7f", BO_UNSUPPORTED, 12, NO_BLOCKS),
    ROW("blocks of 2^24", 12, "\0\0\0\1", BO_TRUNCATED, 20, "nodes run past the end of the file"),
    ROW("other blocks", 12, "\0\x11", BO_TRUNCATED, 20, "nodes run past the end of the file"),
    ROW("no children", 16, "\0", BO_UNSUPPORTED, 16, NO_WIDTH),
    ROW("one child", 16, "\1", BO_UNSUPPORTED, 16, NO_WIDTH),
    ROW("two children", 16, "\2", BO_CORRUPT, N_CHILDREN,
        "number of children of a core node is out of range"),
    ROW("135 children, which fit a block", 16, "\x87", BO_CORRUPT, STARTS, NOT_EMPTY),
    ROW("136 children", 16, "\x88", BO_UNSUPPORTED, 16, NO_WIDTH),
    ROW("-1 children", 16, "\xff\xff\xff\xff", BO_UNSUPPORTED, 16, NO_WIDTH),
    ROW("2^20 children", 16, "\0\0\x10\0", BO_UNSUPPORTED, 16, NO_WIDTH),
    ROW("2^31 - 1 children", 16, "\xff\xff\xff\x7f", BO_UNSUPPORTED, 16, NO_WIDTH),
    ROW("49 children", 16, "\x31", BO_CORRUPT, STARTS - 4, "child's time is not in the node's"),
    ROW("51 children", 16, "\x33", BO_CORRUPT, STARTS, NOT_EMPTY),
    ROW("no nodes", 20, "\0", BO_CORRUPT, 20, "there are no nodes"),
    ROW("-1 nodes", 20, "\xff\xff\xff\xff", BO_CORRUPT, 20, "there are no nodes"),
    ROW("a node less", 20, "\3", BO_CORRUPT, NODE(3),
        "attribute tree is not an ArrayList in a Java stream"),
    ROW("a node more", 20, "\5", BO_TRUNCATED, 20, "nodes run past the end of the file"),
    ROW("2^31 - 1 nodes", 20, "\xff\xff\xff\x7f", BO_TRUNCATED, 20,
        "nodes run past the end of the file"),
    ROW("root -1", 24, "\xff\xff\xff\xff", BO_CORRUPT, 24, "root is not among the nodes"),
    ROW("root 4", 24, "\4", BO_CORRUPT, 24, "root is not among the nodes"),
    ROW("another root", 24, "\0", BO_CORRUPT, NODE(0) + HT_PARENT_OFF, "root has a parent"),
    ROW("another start", 28, "\xe7", BO_CORRUPT, NODE(ROOT) + HT_START_OFF,
        "root does not start where the history starts"),
    ROW("something after it", 36, "\1", BO_CORRUPT, 36, "unused part of the header is not 0"),
    ROW("something at its end", 4095, "\1", BO_CORRUPT, 4095, "unused part of the header is not 0"),
};

static const struct change node_changes[] = {
    ROW("type 9", NODE(2), "\x09", BO_CORRUPT, NODE(2), "node is neither core nor leaf"),
    ROW("type 0", NODE(2), "\0", BO_CORRUPT, NODE(2), "node is neither core nor leaf"),
    ROW("the end before the start", NODE(2) + HT_END_OFF, "\0\0\0", BO_CORRUPT,
        NODE(2) + HT_END_OFF, "node ends before it starts"),
    ROW("the end zeroed", NODE(ROOT) + HT_END_OFF, "\0\0\0\0\0\0\0\0", BO_CORRUPT,
        NODE(ROOT) + HT_END_OFF, "node ends before it starts"),
    ROW("another node's number", NODE(2) + HT_NUMBER_OFF, "\3", BO_CORRUPT, NODE(2) + HT_NUMBER_OFF,
        "node number differs from its position"),
    ROW("another parent", NODE(2) + HT_PARENT_OFF, "\3", BO_CORRUPT, NODE(2) + HT_PARENT_OFF,
        "parent of a node is not the node that lists it"),
    ROW("a child without a parent", NODE(2) + HT_PARENT_OFF, "\xff\xff\xff\xff", BO_CORRUPT,
        NODE(2) + HT_PARENT_OFF, "parent of a node is not the node that lists it"),
    ROW("a root with a parent", NODE(ROOT) + HT_PARENT_OFF, "\0\0\0\0", BO_CORRUPT,
        NODE(ROOT) + HT_PARENT_OFF, "root has a parent"),
    ROW("2^31 - 1 intervals", NODE(0) + HT_N_INTERVALS_OFF, "\xff\xff\xff\x7f", BO_CORRUPT,
        NODE(0) + HT_N_INTERVALS_OFF, "node has more intervals than fit its block"),
    ROW("-1 intervals", NODE(0) + HT_N_INTERVALS_OFF, "\xff\xff\xff\xff", BO_CORRUPT,
        NODE(0) + HT_N_INTERVALS_OFF, "node has more intervals than fit its block"),
    ROW("579 intervals", NODE(0) + HT_N_INTERVALS_OFF, "\x43\2", BO_CORRUPT, 0,
        "interval starts outside of its node"),
    ROW("580 intervals", NODE(0) + HT_N_INTERVALS_OFF, "\x44\2", BO_CORRUPT,
        NODE(0) + HT_N_INTERVALS_OFF, "node has more intervals than fit its block"),
    ROW("no intervals", NODE(0) + HT_N_INTERVALS_OFF, "\0\0", BO_CORRUPT,
        NODE(0) + HT_MIN_QUARK_OFF, "node has another smallest quark"),
    ROW("an interval less", NODE(0) + HT_N_INTERVALS_OFF, "\x22\1", BO_CORRUPT, 0,
        "unused part of the block is not 0"),
    ROW("an interval more", NODE(3) + HT_N_INTERVALS_OFF, "\xdb", BO_CORRUPT, 0,
        "interval starts outside of its node"),
    ROW("another smallest quark", NODE(0) + HT_MIN_QUARK_OFF, "\0", BO_CORRUPT,
        NODE(0) + HT_MIN_QUARK_OFF, "node has another smallest quark"),
    ROW("another largest quark", NODE(0) + HT_MAX_QUARK_OFF, "\2", BO_CORRUPT,
        NODE(0) + HT_MAX_QUARK_OFF, "node has another largest quark"),
    ROW("something after the intervals", AFTER_ROOT, "\1", BO_CORRUPT, AFTER_ROOT,
        "unused part of the block is not 0"),
};

static const struct change child_changes[] = {
    ROW("0 children", N_CHILDREN, "\0", BO_CORRUPT, N_CHILDREN,
        "number of children of a core node is out of range"),
    ROW("51 children", N_CHILDREN, "\x33", BO_CORRUPT, N_CHILDREN,
        "number of children of a core node is out of range"),
    ROW("-1 children", N_CHILDREN, "\xff\xff\xff\xff", BO_CORRUPT, N_CHILDREN,
        "number of children of a core node is out of range"),
    ROW("a child of number -1", NUMBERS + 8, "\xff\xff\xff\xff", BO_CORRUPT, NUMBERS + 8,
        "child numbers are out of range or do not ascend"),
    ROW("a child less", N_CHILDREN, "\2", BO_CORRUPT, NUMBERS + 8, NOT_EMPTY),
    ROW("a child more", N_CHILDREN, "\4", BO_CORRUPT, NUMBERS + 12,
        "child numbers are out of range or do not ascend"),
    ROW("itself as a child", NUMBERS, "\1", BO_CORRUPT, NODE(ROOT) + HT_PARENT_OFF,
        "parent of a node is not the node that lists it"),
    ROW("a child that is not there", NUMBERS + 8, "\4", BO_CORRUPT, NUMBERS + 8,
        "child numbers are out of range or do not ascend"),
    ROW("a child twice", NUMBERS + 8, "\2", BO_CORRUPT, NUMBERS + 8,
        "child numbers are out of range or do not ascend"),
    ROW("another start of a child", START_OF_SECOND + 1, "\x48", BO_CORRUPT, NODE(2) + HT_START_OFF,
        "start of a node differs from its parent's"),
    ROW("a start before the node's", START_OF_SECOND + 1, "\0\2", BO_CORRUPT, START_OF_SECOND,
        "child's time is not in the node's"),
    ROW("another end of a child", END_OF_SECOND + 1, "\xa7", BO_CORRUPT, NODE(2) + HT_END_OFF,
        "end of a node differs from its parent's"),
    ROW("an end after the node's", END_OF_SECOND + 1, "\xff\xff", BO_CORRUPT, END_OF_SECOND,
        "child's time is not in the node's"),
    ROW("an end before the start", END_OF_SECOND + 1, "\0\x08", BO_CORRUPT, END_OF_SECOND,
        "child's time is not in the node's"),
    ROW("a time of 100 bytes", STARTS, "\x64", BO_CORRUPT, STARTS, "number has more than 8 bytes"),
    ROW("a time of 200 bytes", STARTS, "\xc8", BO_CORRUPT, STARTS, "number has more than 8 bytes"),
    ROW("a time of 9 bytes", STARTS, "\x09", BO_CORRUPT, STARTS, "number has more than 8 bytes"),
    ROW("a start where no child is", START_OF_NONE + 1, "\4", BO_CORRUPT, START_OF_NONE, NOT_EMPTY),
    ROW("another smallest quark", MIN_QUARKS + 4, "\0", BO_CORRUPT, NODE(2) + HT_MIN_QUARK_OFF,
        "parent has other bounds of the node's quarks"),
    ROW("another largest quark", MAX_QUARKS + 4, "\2", BO_CORRUPT, NODE(2) + HT_MIN_QUARK_OFF,
        "parent has other bounds of the node's quarks"),
    ROW("a smallest quark where no child is", MIN_QUARKS + 12, "\1", BO_CORRUPT, MIN_QUARKS + 12,
        NOT_EMPTY),
    ROW("a largest quark where no child is", MAX_QUARKS + 12, "\1", BO_CORRUPT, MAX_QUARKS + 12,
        NOT_EMPTY),
};

static const struct change interval_changes[] = {
    ROW("a start of 9 bytes", FIRST, "\x09", BO_CORRUPT, FIRST, "number has more than 8 bytes"),
    ROW("a duration of 255 bytes", FIRST_DURATION, "\xff", BO_CORRUPT, FIRST_DURATION,
        "number has more than 8 bytes"),
    ROW("a duration with a zero on top", FIRST_DURATION, "\2\x42\0", BO_CORRUPT, FIRST_DURATION,
        "number is not in its shortest form"),
    ROW("a start before the node's", FIRST, "\1\2", BO_CORRUPT, FIRST,
        "interval starts outside of its node"),
    ROW("a longer duration", FIRST_DURATION, "\2\x43", BO_CORRUPT, FIRST_DURATION,
        "interval ends outside of its node"),
    ROW("a duration below 0", LEAF_FIRST + 2, "\1\2", BO_CORRUPT, LEAF_FIRST + 2,
        "interval ends outside of its node"),
    ROW("quark is out of range", FIRST_QUARK, "\3", BO_CORRUPT, FIRST_QUARK,
        "quark is not in the attribute tree"),
    ROW("quark -1", FIRST_QUARK, "\xff\xff\xff\xff", BO_CORRUPT, FIRST_QUARK,
        "quark is not in the attribute tree"),
    ROW("another quark", FIRST_QUARK, "\1", BO_CORRUPT, NODE(ROOT) + HT_MIN_QUARK_OFF,
        "node has another smallest quark"),
    ROW("type 99", FIRST_TYPE, "\x63", BO_CORRUPT, FIRST_TYPE, "unknown type of a value"),
    ROW("type 4", FIRST_TYPE, "\4", BO_CORRUPT, FIRST_TYPE, "unknown type of a value"),
    ROW("a custom type", SECOND_TYPE, "\x14\3\0\x15", BO_UNSUPPORTED, SECOND_TYPE + 3,
        "value is of the custom type with this id"),
    ROW("a string of -1", SECOND_TYPE + 1, "\xff\xff", BO_CORRUPT, SECOND_TYPE + 1,
        "length of a string is below 0"),
    ROW("a string of -32768", SECOND_TYPE + 1, "\0\x80", BO_CORRUPT, SECOND_TYPE + 1,
        "length of a string is below 0"),
    ROW("a string beyond the block, that may be empty", SECOND_TYPE + 1, "\xff\x7f\0", BO_CORRUPT,
        SECOND_TYPE + 1, "string runs past its node's block"),
    ROW("a string beyond the block", SECOND_TYPE + 1, "\xff\x7f", BO_CORRUPT, SECOND_TYPE + 1,
        "string runs past its node's block"),
    ROW("a string up to the block's end", SECOND_TYPE + 1, "\x09\x0a", BO_CORRUPT, SECOND_TYPE + 1,
        "string runs past its node's block"),
    ROW("a shorter string", SECOND_TYPE + 1, "\2", BO_CORRUPT, SECOND_TEXT + 2,
        "string does not end with a 0"),
    ROW("no 0 after a string", SECOND_TEXT + 3, "x", BO_CORRUPT, SECOND_TEXT + 3,
        "string does not end with a 0"),
    ROW("a string that is not UTF-8", SECOND_TEXT, "\xff", BO_CORRUPT, SECOND_TEXT,
        "string is not UTF-8"),
    ROW("half a surrogate", SECOND_TEXT, "\xed\xa0\x80", BO_CORRUPT, SECOND_TEXT,
        "string is not UTF-8"),
    ROW("the order", LEAF_SECOND, "\1\3", BO_CORRUPT, LEAF_SECOND,
        "intervals of the node are not in order"),
    ROW("a gap", LEAF_SECOND, "\1\x0e\1\x0b", BO_CORRUPT, LEAF_SECOND, "timeline has a gap"),
    ROW("an overlap", LEAF_SECOND, "\1\x0c\1\x0d", BO_CORRUPT, LEAF_SECOND,
        "timeline overlaps itself"),
    ROW("a gap before a value of the root", SECOND, "\1\4\2\x41", BO_CORRUPT, SECOND,
        "timeline has a gap"),
    ROW("a timeline that ends early", FIRST_DURATION, "\2\x41", BO_CORRUPT, NODE(ROOT),
        "timeline does not last to the end"),
};

static const struct change tree_changes[] = {
    ROW("no stream", TREE, "\xad", BO_CORRUPT, TREE, "attribute tree is not an ArrayList"),
    ROW("another stream version", TREE + 3, "\4", BO_CORRUPT, TREE + 3,
        "attribute tree is not an ArrayList"),
    ROW("another magic number", TREE + 9, "\x72", BO_CORRUPT, TREE + 9,
        "attribute tree is not an ArrayList"),
    ROW("a reference as the list", TREE + 10, "q", BO_CORRUPT, TREE + 10,
        "attribute tree is not an ArrayList"),
    ROW("another class", TREE + 14, "javax", BO_CORRUPT, TREE + 18,
        "attribute tree is not an ArrayList"),
    ROW("another serialVersionUID", TREE + 33, "\x79", BO_CORRUPT, TREE + 33,
        "attribute tree is not an ArrayList"),
    ROW("a size of 2^31 - 1", TREE + 53, "\x7f\xff\xff\xff", BO_CORRUPT, TREE + 59,
        "list's capacity is not its size"),
    ROW("2^31 - 1 paths", TREE + 53, "\x7f\xff\xff\xffw\4\x7f\xff\xff\xff", BO_TRUNCATED, TREE + 53,
        "list has more paths than there are bytes"),
    ROW("-1 paths", TREE + 53, "\xff\xff\xff\xff", BO_CORRUPT, TREE + 53,
        "number of elements is negative"),
    ROW("no block data", TREE + 57, "z", BO_CORRUPT, TREE + 57, "list's capacity is not its size"),
    ROW("a list of objects", TREE + 63, "s", BO_CORRUPT, TREE + 63,
        "list holds another object than a path"),
    ROW("a null", TREE + 63, "p", BO_CORRUPT, TREE + 63, "list holds another object than a path"),
    ROW("arrays of objects", TREE + 79, "O", BO_CORRUPT, TREE + 79,
        "path is not an array of strings"),
    ROW("an empty path", TREE + 99, "\0\0\0\0", BO_CORRUPT, TREE + 99, "path has no names"),
    ROW("-1 names", TREE + 99, "\xff\xff\xff\xff", BO_CORRUPT, TREE + 99, "path has no names"),
    ROW("2^31 - 1 names", TREE + 99, "\x7f\xff\xff\xff", BO_TRUNCATED, TREE + 103,
        "attribute tree ends early"),
    ROW("a name that is null", TREE + 103, "p", BO_CORRUPT, TREE + 103,
        "path contains an object that is not a name"),
    ROW("a name beyond the end", TREE + 104, "\xff", BO_TRUNCATED, TREE + 106,
        "attribute tree ends early"),
    ROW("a name of 65535 bytes with a length of 8", TREE + 103, "\x7c\0\0\0\0\0\0\xff\xff",
        BO_CORRUPT, TREE + 104, "length of 8 bytes for a name of less than 65536"),
    ROW("a name of 65536 bytes beyond the end", TREE + 103, "\x7c\0\0\0\0\0\1\0\0", BO_TRUNCATED,
        TREE + 112, "attribute tree ends early"),
    ROW("a NUL in a name", TREE + 106, "\0", BO_CORRUPT, TREE + 106, "name holds a NUL"),
    ROW("a name that is not UTF-8", TREE + 106, "\x80", BO_CORRUPT, TREE + 106,
        "name is not in Java's UTF-8"),
    ROW("a name of 4 bytes a character", TREE + 106, "\xf0", BO_CORRUPT, TREE + 106,
        "name is not in Java's UTF-8"),
    ROW("another class of a path", TREE + 112, "\3", BO_CORRUPT, TREE + 112,
        "path is not an array of strings"),
    ROW("an attribute that has not come", TREE + 120, "b", BO_CORRUPT, TREE + 117,
        "path contains an attribute that does not precede it"),
    ROW("a name that should be *", TREE + 120, "a", BO_CORRUPT, TREE + 117,
        "name is that of the path before, and not *"),
    ROW("a name twice", TREE + 138, "a", BO_CORRUPT, TREE + 135,
        "name is that of the path before, and not *"),
    ROW("an attribute twice", TREE + 138, "*", BO_CORRUPT, TREE + 135, "duplicate attribute"),
    ROW("no end of the list", TREE + 139, "w", BO_CORRUPT, TREE + 139,
        "list does not end after its paths"),
};

/* Where the table has no offset, any will do. */
static void expect_changes(const struct change *changes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct bo_span in = make_file(ht_4k());
        struct verdict verdict = changes[i].verdict;
        struct bo_error error;
        void *model;
        memcpy((uint8_t *)(uintptr_t)in.p + changes[i].off, changes[i].bytes.p, changes[i].bytes.n);
        if (verdict.off == 0 && changes[i].off >= HT_HEADER_NBYTES &&
            test_decode(ht_4k(), in, &arena, &model, &error)) {
            assert_true(error.off / BLOCK == changes[i].off / BLOCK);
            verdict.off = (size_t)error.off;
        }
        expect_verdict(changes[i].row, in, &verdict);
        tear_down(NULL);
    }
}

#define TEST_CHANGES(name, changes)                   \
    TEST_WITH(name, set_up, tear_down)                \
    {                                                 \
        expect_changes(changes, N_ELEMENTS(changes)); \
    }
TEST_CHANGES(test_header, header_changes)
TEST_CHANGES(test_nodes, node_changes)
TEST_CHANGES(test_children, child_changes)
TEST_CHANGES(test_intervals, interval_changes)
TEST_CHANGES(test_tree, tree_changes)

/* ---- cut, and with more after --------------------------------------------------------------- */

TEST_WITH(test_lengths, set_up, tear_down)
{
    const struct bo_span whole = make_file(ht_4k());
    uint8_t *longer = bo_alloc(&arena, whole.n + 1);
    memcpy(longer, whole.p, whole.n);
    longer[whole.n] = 0;
    expect_verdict("a byte more", (struct bo_span){longer, whole.n + 1},
                   &(struct verdict){BO_CORRUPT, whole.n, "bytes after the attribute tree"});
    const size_t cuts[] = {0,    20,        4095,      4096,      NODE(1),    NODE(2) + 5, TREE - 1,
                           TREE, TREE + 30, TREE + 55, TREE + 90, TREE + 120, whole.n - 1};
    for (size_t i = 0; i < N_ELEMENTS(cuts); i++) {
        const size_t n = cuts[i];
        const struct verdict verdict = {BO_TRUNCATED,
                                        n < 4096   ? n
                                        : n < TREE ? 20
                                                   : n,
                                        n < 4096   ? "file is shorter than its header"
                                        : n < TREE ? "nodes run past the end of the file"
                                                   : ""};
        struct bo_error error;
        void *model;
        const struct bo_span in = {whole.p, n};
        assert_int_equal(test_decode(ht_4k(), in, &arena, &model, &error), BO_TRUNCATED);
        if (n < TREE || n == TREE)
            expect_verdict("a cut file", in, &verdict);
        else
            assert_true(error.off >= TREE && error.off <= n);
    }
}

/* A string leaves a few bytes of the block for the interval after it, whose content is cut. */
TEST_WITH(test_cut_intervals, set_up, tear_down)
{
    static const struct {
        uint8_t type;
        size_t nbytes; /* of the value */
    } types[] = {{HT_INT, 4}, {HT_LONG, 8}, {HT_DOUBLE, 8}, {HT_STRING, 2}, {HT_CUSTOM, 3}};
    enum { HEAD = 2 + 2 + 4, LEFT = NODE(1) - LEAF_FIRST };
    for (size_t i = 0; i < N_ELEMENTS(types); i++)
        for (size_t n = 0; n < HEAD + 1 + types[i].nbytes; n++) {
            const struct bo_span in = make_file(ht_4k());
            uint8_t *p = (uint8_t *)(uintptr_t)in.p, *first = p + LEAF_FIRST, second[HEAD] = {0};
            const size_t n_text = LEFT - n - (HEAD + 1 + 2 + 1);
            memcpy(second, p + LEAF_SECOND, HEAD);
            p[NODE(0) + HT_N_INTERVALS_OFF] = 2;
            p[NODE(0) + HT_N_INTERVALS_OFF + 1] = 0;
            first[LEAF_TYPE] = HT_STRING;
            bo_set_le16(first + HEAD + 1, (uint16_t)n_text);
            memset(first + HEAD + 3, 'x', n_text);
            first[HEAD + 3 + n_text] = 0;
            uint8_t *const at = p + NODE(1) - n;
            memset(at, 0, n);
            memcpy(at, second, n < HEAD ? n : HEAD);
            if (n > HEAD)
                at[HEAD] = types[i].type;
            const size_t part = n < 2 ? 0 : n < 4 ? 2 : n < HEAD ? 4 : n == HEAD ? HEAD : HEAD + 1;
            expect_verdict("a cut interval", in,
                           &(struct verdict){BO_CORRUPT, NODE(1) - n + part, PAST_BLOCK});
            tear_down(NULL);
        }
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* Makes a leaf a core node without intervals, of n children with its own times and quark 1. */
static void make_core(uint8_t *node, const uint32_t *children, unsigned n)
{
    const uint64_t start = bo_le64(node + HT_START_OFF), end = bo_le64(node + HT_END_OFF);
    node[HT_TYPE_OFF] = HT_CORE;
    bo_set_le32(node + HT_N_INTERVALS_OFF, 0);
    bo_set_le32(node + 37, n);
    memset(node + 41, 0, 200);
    for (unsigned i = 0; i < n; i++)
        bo_set_le32(node + 41 + 4 * i, children[i]);
    uint8_t *at = node + 241;
    for (unsigned i = 0; i < 50; i++)
        at = ht_set_varint(at, i < n ? start : (uint64_t)INT64_MIN);
    for (unsigned i = 0; i < 50; i++)
        at = ht_set_varint(at, i < n ? end : (uint64_t)INT64_MAX);
    for (unsigned i = 0; i < 50; i++, at += 4)
        bo_set_le32(at, i < n);
    for (unsigned i = 0; i < 50; i++, at += 4)
        bo_set_le32(at, i < n ? 1 : INT32_MAX);
    memset(at, 0, (size_t)(node + BLOCK - at));
    bo_set_le32(node + HT_MIN_QUARK_OFF, INT32_MAX);
    bo_set_le32(node + HT_MAX_QUARK_OFF, (uint32_t)INT32_MIN);
}

/*
 * Node 2 becomes a core node below the root whose child is the root, or itself: walks end in an
 * error, whatever they look up.
 */
TEST_WITH(test_cycles, set_up, tear_down)
{
    for (uint32_t child = 0; child < N_NODES; child++) {
        const struct bo_span in = make_file(ht_4k());
        uint8_t *node = (uint8_t *)(uintptr_t)in.p + NODE(2);
        make_core(node, &child, 1);
        expect_verdict("a cycle", in,
                       &(struct verdict){BO_CORRUPT, (size_t)(NODE(child) + HT_PARENT_OFF),
                                         "parent of a node is not the node that lists it"});
        tear_down(NULL);
    }
}

/* The first child lists more children than the file has nodes beside those that still wait. */
TEST_WITH(test_too_many_children, set_up, tear_down)
{
    static const uint32_t children[] = {1, 2, 3};
    struct bo_span in = make_file(ht_4k());
    make_core((uint8_t *)(uintptr_t)in.p + NODE(0), children, 2);
    expect_verdict("as many as nodes", in,
                   &(struct verdict){BO_CORRUPT, NODE(1) + HT_PARENT_OFF,
                                     "parent of a node is not the node that lists it"});
    make_core((uint8_t *)(uintptr_t)in.p + NODE(0), children, 3);
    expect_verdict("more than nodes", in,
                   &(struct verdict){BO_CORRUPT, NODE(0) + HT_NODE_HEADER_NBYTES,
                                     "nodes have more children than there are nodes"});
}

/* A fifth node, a sound leaf without intervals, which the root does not have among its children. */
TEST_WITH(test_loose_node, set_up, tear_down)
{
    const struct bo_span in = make_file(ht_4k());
    uint8_t *p = bo_zalloc_array(&arena, in.n + BLOCK, 1);
    assert_non_null(p);
    memcpy(p, in.p, TREE);
    memcpy(p + TREE + BLOCK, in.p + TREE, in.n - TREE);
    memcpy(p + NODE(4), p + NODE(3), HT_NODE_HEADER_NBYTES);
    p[20] = 5;
    bo_set_le32(p + NODE(4) + HT_MIN_QUARK_OFF, INT32_MAX);
    bo_set_le32(p + NODE(4) + HT_MAX_QUARK_OFF, (uint32_t)INT32_MIN);
    bo_set_le32(p + NODE(4) + HT_NUMBER_OFF, 4);
    bo_set_le32(p + NODE(4) + HT_N_INTERVALS_OFF, 0);
    expect_verdict("a loose node", (struct bo_span){p, in.n + BLOCK},
                   &(struct verdict){BO_CORRUPT, NODE(4), "node is not a descendant of the root"});
}

/* ---- holes ----------------------------------------------------------------------------------- */

/* A reader that meets no interval says so, where the whole file would have shown the gap. */
TEST_WITH(test_hole, set_up, tear_down)
{
    const struct bo_span in = make_file(ht_4k());
    memcpy((uint8_t *)(uintptr_t)in.p + LEAF_SECOND, "\1\x0e\1\x0b", 4);
    static const struct statehist_point_query q = {.time = 1010, .quark = 1};
    static const struct statehist_time_query t = {.time = 1010};
    static const struct statehist_range_query range = {1010, 1010, 1, 0};
    struct statehist_state answer;
    uint8_t answers[256];
    struct bo_sink sink = {answers, 0, sizeof answers};
    struct bo_error error = {0};
    void *reader;
    assert_int_equal(ht_4k()->open(ht_4k(), in, &arena, &reader, &error), BO_OK);
    assert_int_equal(ht_4k()->query(ht_4k(), reader, STATEHIST_POINT, &q, 1, &answer, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, "an attribute has no interval at this time");
    assert_int_equal(ht_4k()->query(ht_4k(), reader, STATEHIST_RANGE, &range, 1, &sink, &error),
                     BO_CORRUPT);
    assert_int_equal(ht_4k()->query(ht_4k(), reader, STATEHIST_FULL_STATE, &t, 1, &sink, &error),
                     BO_CORRUPT);
    assert_int_equal(ht_4k()->query(ht_4k(), reader, STATEHIST_EXPORT, &t, 1, &sink, &error),
                     BO_CORRUPT);
}

TEST_FILE(NULL, NULL)
