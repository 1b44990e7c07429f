/*
 * The history tree file, where its shape matters: the attribute tree as Java writes it, trees of
 * many levels, the part of the closing order that a file does not store, and histories that the
 * file cannot hold.
 */
#define TEST_FORMAT "statehist"
#include <stdio.h>

#include "codecs/statehist/ht/reader.h"
#include "codecs/statehist/ht/write.h"
#include "codecs/statehist/model.h"
#include "harness/check/check.h"
#include "harness/test_format.h"
#include "harness/core/test_fixture.h"

static const struct bo_codec *ht(void)
{
    return bo_find_codec(format, "ht");
}

static const struct bo_codec *ht_4k(void)
{
    return bo_find_codec(format, "ht-4k");
}

/* The encoding of a model, in the arena. */
static struct bo_span encode(const struct bo_codec *codec, const void *model)
{
    struct bo_writer out;
    struct bo_error error = {0};
    bo_writer_init(&out, &arena);
    if (codec->encode(codec, model, &out, &error))
        fail_msg("%s", error.what);
    uint8_t *copy = bo_alloc(&arena, out.n);
    assert_non_null(copy);
    memcpy(copy, out.p, out.n);
    const struct bo_span span = {copy, out.n};
    bo_writer_free(&out);
    return span;
}

static void *decode(const struct bo_codec *codec, struct bo_span in)
{
    struct bo_error error = {0};
    void *model;
    if (codec->decode(codec, in, &arena, &model, &error))
        fail_msg("%s at byte %llu", error.what, (unsigned long long)error.off);
    return model;
}

static enum bo_status try_encode(const struct bo_codec *codec, const void *model,
                                 const char **what_ret)
{
    struct bo_writer out;
    struct bo_error error = {0};
    bo_writer_init(&out, &arena);
    const enum bo_status status = codec->encode(codec, model, &out, &error);
    bo_writer_free(&out);
    *what_ret = error.what;
    return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

/* A history of attributes with nothing to say, by parents and names. */
static void *model_of_tree(const struct statehist_attribute *attributes, uint32_t n)
{
    struct statehist_builder builder;
    struct statehist_model *model;
    struct statehist_flaw flaw = {.what = NULL};
    assert_true(statehist_builder_init(&builder, true, &arena));
    for (uint32_t q = 0; q < n; q++) {
        assert_true(statehist_add_attribute(&builder, attributes[q].name, attributes[q].parent));
        assert_true(statehist_add_interval(
            &builder, &(struct statehist_interval){100, 199, 0, q, STATEHIST_NULL}));
    }
    if (statehist_finish(&builder, 100, 199, &model, &flaw))
        fail_msg("%s", flaw.what);
    return model;
}

/* Of random values, with strings of many lengths: so sizes differ. */
static void draw_value(struct bo_random *random, struct statehist_builder *builder,
                       struct statehist_interval *interval)
{
    static const uint8_t text[400] = {0};
    uint32_t number = 0;
    interval->type = bo_random_below(random, STATEHIST_BOOL);
    interval->value = interval->type == STATEHIST_NULL  ? 0
                      : interval->type == STATEHIST_INT ? bo_random_below(random, 1000)
                                                        : bo_random_u64(random);
    if (interval->type != STATEHIST_STRING)
        return;
    const size_t n = bo_random_one_in(random, 8) ? bo_random_below(random, sizeof text)
                                                 : bo_random_below(random, 12);
    assert_true(statehist_add_string(builder, (struct bo_span){text, n}, &number));
    interval->value = number;
}

/*
 * Attributes of which some seldom change, several at a time, closing in no order: which makes trees
 * of many levels whose upper nodes hold intervals, too. Times of change are up to 2^(max_step_nbits
 * - 1) apart.
 */
static void *model_of_changes(uint64_t seed, uint32_t n_quarks, uint32_t n_changes,
                              unsigned max_step_nbits)
{
    enum { START = 1000, MAX_AT_ONCE = 40 };
    struct bo_random random = bo_random_seeded(seed);
    struct statehist_builder builder;
    struct statehist_model *model;
    struct statehist_flaw flaw = {.what = NULL};
    struct statehist_interval *open = bo_alloc_array(&arena, n_quarks, sizeof *open);
    assert_true(open && statehist_builder_init(&builder, true, &arena));
    for (uint32_t q = 0; q < n_quarks; q++) {
        char name[16];
        snprintf(name, sizeof name, "%u", (unsigned)q);
        open[q] = (struct statehist_interval){.start = START, .quark = q};
        draw_value(&random, &builder, &open[q]);
        assert_true(statehist_add_attribute(&builder, bo_span_of(name), STATEHIST_ROOT));
    }
    int64_t now = START;
    for (uint32_t i = 0; i < n_changes;) {
        now += 1 + bo_random_below(&random, 1u << bo_random_below(&random, max_step_nbits));
        for (uint32_t k = bo_random_below(&random, MAX_AT_ONCE); k-- > 0; i++) {
            const uint32_t few = 1 + n_quarks / (1 + bo_random_below(&random, 50));
            struct statehist_interval *at = &open[bo_random_below(&random, few) % n_quarks];
            if (at->start == now)
                continue;
            at->end = now - 1;
            assert_true(statehist_add_interval(&builder, at));
            at->start = now;
            draw_value(&random, &builder, at);
        }
    }
    for (uint32_t q = n_quarks; q-- > 0;) {
        const uint32_t other = bo_random_below(&random, q + 1);
        const struct statehist_interval last = open[other];
        open[other] = open[q];
        open[q] = last;
        open[q].end = now;
        assert_true(statehist_add_interval(&builder, &open[q]));
    }
    if (statehist_finish(&builder, START, now, &model, &flaw))
        fail_msg("%s", flaw.what);
    return model;
}

/* ---- the attribute tree ---------------------------------------------------------------------- */

#define STREAM_START                                                                          \
    "\xac\xed\0\5w\4\x06\xec\x36\x71sr\0\x13java.util.ArrayListx\x81\xd2\x1d\x99\xc7\x61\x9d" \
    "\3\0\1I\0\4sizexp"
#define STRINGS "ur\0\x13[Ljava.lang.String;\xad\xd2V\xe7\xe9\x1d{G\2\0\0xp"
#define MORE_STRINGS "uq\0~\0\2"

/*
 * As java.io.ObjectOutputStream writes these paths: an object for each name, and one for all "*".
 */
static const struct bo_span java_tree =
    BYTES(STREAM_START "\0\0\0\4w\4\0\0\0\4" /* four paths: */
          STRINGS "\0\0\0\1t\0\7Threads"     /* Threads */
          MORE_STRINGS "\0\0\0\2t\0\1*t\0\2"
                       "12"                                /* *, 12 */
          MORE_STRINGS "\0\0\0\3q\0~\0\6q\0~\0\6t\0\4Prio" /* *, *, Prio */
          MORE_STRINGS "\0\0\0\2q\0~\0\6t\0\x0b"           /* *, and: */
                       "\xc3\xa9\xe2\x82\xac\xed\xa0\xbd\xed\xb8\x80"
                       "x"); /* three characters */

static const struct statehist_attribute tree[] = {
    {BYTES("Threads"), STATEHIST_ROOT},
    {BYTES("12"), 0},
    {BYTES("Prio"), 1},
    {BYTES("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), 0},
};

TEST_WITH(test_java_bytes, set_up, tear_down)
{
    const void *model = model_of_tree(tree, N_ELEMENTS(tree));
    const struct bo_span in = encode(ht(), model);
    assert_int_equal(in.n, 4096 + 65536 + java_tree.n);
    assert_memory_equal(in.p + 4096 + 65536, java_tree.p, java_tree.n);
    assert_null(format->differ(model, decode(ht(), in)));
}

/* The first and the last character of each length in UTF-8, and those around the surrogates. */
TEST_WITH(test_characters, set_up, tear_down)
{
    static const struct statehist_attribute names[] = {
        {BYTES("~"), STATEHIST_ROOT},
        {BYTES("\xc2\x80"), STATEHIST_ROOT},
        {BYTES("\xdf\xbf"), STATEHIST_ROOT},
        {BYTES("\xe0\xa0\x80"), STATEHIST_ROOT},
        {BYTES("\xed\x9f\xbf"), STATEHIST_ROOT},
        {BYTES("\xee\x80\x80"), STATEHIST_ROOT},
        {BYTES("\xef\xbf\xbf"), STATEHIST_ROOT},
        {BYTES("\xf0\x90\x80\x80"), STATEHIST_ROOT},
        {BYTES("\xf4\x8f\xbf\xbf"), STATEHIST_ROOT},
    };
    const void *model = model_of_tree(names, N_ELEMENTS(names));
    unsigned n_codecs = 0;
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        const char *what;
        if (try_encode(*c, model, &what) == BO_UNSUPPORTED) /* a snapshot: it holds one instant */
            continue;
        assert_null(format->differ(model, decode(*c, encode(*c, model))));
        n_codecs++;
    }
    assert_true(n_codecs > 5);
}

/* What trees become when names are read back. */
static void expect_attributes(struct bo_span stream, const struct statehist_attribute *expected,
                              uint32_t n)
{
    const struct statehist_attribute *attributes;
    struct bo_error error = {0};
    uint32_t n_read;
    if (ht_get_attributes(stream, 0, &arena, &attributes, &n_read, &error))
        fail_msg("%s at byte %llu", error.what, (unsigned long long)error.off);
    assert_int_equal(n_read, n);
    for (uint32_t q = 0; q < n; q++) {
        assert_int_equal(attributes[q].parent, expected[q].parent);
        assert_true(bo_span_equal(attributes[q].name, expected[q].name));
    }
}

/* From a program that has one object for equal names, these are referred to. */
TEST_WITH(test_references, set_up, tear_down)
{
    static const struct statehist_attribute shared[] = {
        {BYTES("a"), STATEHIST_ROOT}, {BYTES("b"), STATEHIST_ROOT}, {BYTES("a"), 1}};
    static const struct bo_span stream =
        BYTES(STREAM_START "\0\0\0\3w\4\0\0\0\3" STRINGS "\0\0\0\1t\0\1"
                           "a" MORE_STRINGS "\0\0\0\1t\0\1"
                           "b" MORE_STRINGS "\0\0\0\2t\0\1*q\0~\0\4x");
    expect_attributes(stream, shared, N_ELEMENTS(shared));
}

/* References to an array, to what has not come, to a class. */
TEST_WITH(test_bad_references, set_up, tear_down)
{
    static const struct bo_span streams[] = {
        BYTES(STREAM_START "\0\0\0\1w\4\0\0\0\1" STRINGS "\0\0\0\1q\0~\0\3x"),
        BYTES(STREAM_START "\0\0\0\1w\4\0\0\0\1" STRINGS "\0\0\0\1q\0~\0\4x"),
        BYTES(STREAM_START "\0\0\0\1w\4\0\0\0\1" STRINGS "\0\0\0\1q\0~\0\2x"),
    };
    for (size_t i = 0; i < N_ELEMENTS(streams); i++) {
        const struct statehist_attribute *attributes;
        struct bo_error error = {0};
        uint32_t n;
        assert_int_equal(ht_get_attributes(streams[i], 0, &arena, &attributes, &n, &error),
                         BO_CORRUPT);
        assert_int_equal(error.off, streams[i].n - 5);
        assert_string_equal(error.what, "reference is not to a name before it");
    }
}

/* Names in Java's UTF-8: both sides of each limit of a character's bytes, and characters cut. */
TEST_WITH(test_java_characters, set_up, tear_down)
{
    static const char invalid[] = "name is not in Java's UTF-8", nul[] = "name holds a NUL";
    static const char half[] = "name holds half a character";
    static const struct {
        struct bo_span name;
        const char *what; /* NULL: valid */
        size_t off;       /* in the name */
    } rows[] = {
        {BYTES("\0"), nul, 0},
        {BYTES("a\xc0\x80"), nul, 1},
        {BYTES("\xc0"), invalid, 0},
        {BYTES("\xc0\x81"), invalid, 0},
        {BYTES("\xc1\x80"), invalid, 0},
        {BYTES("\xc2\x80"), NULL, 0},
        {BYTES("\xc2"), invalid, 0},
        {BYTES("\xc2\x7f"), invalid, 0},
        {BYTES("\xc2\xc0"), invalid, 0},
        {BYTES("\xdf\xbf"), NULL, 0},
        {BYTES("\xe0\xa0\x80"), NULL, 0},
        {BYTES("\xe0\x9f\xbf"), invalid, 0},
        {BYTES("ab\xe1\x80"), invalid, 2},
        {BYTES("\xe1\x20\x80"), invalid, 0},
        {BYTES("\xe1\x80\x20"), invalid, 0},
        {BYTES("\xef\xbf\xbf"), NULL, 0},
        {BYTES("\xf0\x80\x80\x80"), invalid, 0},
        {BYTES("\xed\x9f\xbf"), NULL, 0},
        {BYTES("\xee\x80\x80"), NULL, 0},
        {BYTES("\xed\xa0\x80\xed\xb0\x80"), NULL, 0},
        {BYTES("\xed\xaf\xbf\xed\xbf\xbf"), NULL, 0},
        {BYTES("\xed\xb0\x80\xed\xb0\x80"), half, 0},
        {BYTES("\xed\xbf\xbf\xed\xb0\x80"), half, 0},
        {BYTES("\xed\xa0\x80"), half, 0},
        {BYTES("\xed\xa0\x80xyz"), half, 0},
        {BYTES("\xed\xa0\x80\xed\xb0"), half, 0},
        {BYTES("\xed\xa0\x80\xec\xb0\x80"), half, 0},
        {BYTES("\xed\xa0\x80\xed\xaf\x80"), half, 0},
        {BYTES("\xed\xa0\x80\xed\xc0\x80"), half, 0},
        {BYTES("\xed\xa0\x80\xed\xb0\x20"), half, 0},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        uint8_t stream[] = STREAM_START "\0\0\0\1w\4\0\0\0\1" STRINGS "\0\0\0\1t\0\6......x";
        const size_t n_name = rows[i].name.n, off = sizeof stream - 8;
        const struct statehist_attribute *attributes;
        struct bo_error error = {0};
        uint32_t n;
        stream[off - 1] = (uint8_t)n_name;
        memcpy(stream + off, rows[i].name.p, n_name);
        /* What follows an invalid name would complete a character. */
        stream[off + n_name] = rows[i].what ? 0x80 : 'x';
        const struct bo_span in = {stream, off + n_name + 1};
        assert_int_equal(ht_get_attributes(in, 0, &arena, &attributes, &n, &error),
                         rows[i].what ? BO_CORRUPT : BO_OK);
        if (rows[i].what &&
            (strcmp(error.what, rows[i].what) != 0 || error.off != off + rows[i].off))
            fail_msg("row %zu: %s at byte %llu", i, error.what, (unsigned long long)error.off);
    }
}

/* A character of two surrogates beside one whose first byte is that of surrogates. */
TEST_WITH(test_characters_beside_surrogates, set_up, tear_down)
{
    static const struct statehist_attribute name = {BYTES("a\xf0\x90\x80\x80\xed\x9f\xbf"),
                                                    STATEHIST_ROOT};
    static const struct bo_span stream =
        BYTES(STREAM_START "\0\0\0\1w\4\0\0\0\1" STRINGS "\0\0\0\1t\0\x0a"
                           "a\xed\xa0\x80\xed\xb0\x80\xed\x9f\xbfx");
    expect_attributes(stream, &name, 1);
}

/* A stream of the tree ends early wherever it is cut; with a name after "*", too. */
TEST_WITH(test_cut_streams, set_up, tear_down)
{
    static const struct bo_span others =
        BYTES(STREAM_START "\0\0\0\2w\4\0\0\0\2" STRINGS "\0\0\0\1t\0\1"
                           "a" MORE_STRINGS "\0\0\0\2t\0\1*t\0\1bx");
    static const struct statehist_attribute read[] = {{BYTES("a"), STATEHIST_ROOT},
                                                      {BYTES("b"), 0}};
    const struct bo_span streams[] = {java_tree, others};
    expect_attributes(java_tree, tree, N_ELEMENTS(tree));
    expect_attributes(others, read, N_ELEMENTS(read));
    for (size_t i = 0; i < N_ELEMENTS(streams); i++)
        for (size_t n = 0; n < streams[i].n; n++) {
            const struct statehist_attribute *attributes;
            struct bo_error error = {0};
            uint32_t n_read;
            const struct bo_span cut = {streams[i].p, n};
            assert_int_equal(ht_get_attributes(cut, 0, &arena, &attributes, &n_read, &error),
                             BO_TRUNCATED);
            assert_true(error.off <= n);
        }
}

/* One attribute below the other: paths have more names than a file may have, or as many. */
TEST_WITH(test_most_names_of_paths, set_up, tear_down)
{
    enum { DEEPEST = 23169 }; /* which makes 2^28 - 22891 names */
    static struct statehist_attribute chain[DEEPEST + 1];
    for (uint32_t q = 0; q <= DEEPEST; q++)
        chain[q] = (struct statehist_attribute){BYTES("a"), q - 1};
    for (uint32_t n = DEEPEST; n <= DEEPEST + 1; n++) {
        struct bo_arena little;
        struct bo_writer out;
        struct bo_error error = {0};
        bo_arena_init(&little, 1 << 20);
        bo_writer_init(&out, &little);
        const enum bo_status status = ht_put_attributes(chain, n, &out, &error);
        assert_int_equal(status == BO_OVER_LIMIT && error.what &&
                             strcmp(error.what, "paths of attributes have too many names") == 0,
                         n > DEEPEST);
        bo_writer_free(&out);
        bo_arena_free(&little);
    }
}

/* A name of more than 65535 bytes in Java's form has a length of 8 bytes. */
TEST_WITH(test_long_names, set_up, tear_down)
{
    static uint8_t name[70000];
    memset(name, 'x', sizeof name);
    static const size_t lengths[] = {65535, 65536, 70000};
    for (size_t i = 0; i < N_ELEMENTS(lengths); i++) {
        const struct statehist_attribute one[] = {{{name, lengths[i]}, STATEHIST_ROOT}};
        const void *model = model_of_tree(one, 1);
        const struct bo_span in = encode(ht(), model);
        assert_null(format->differ(model, decode(ht(), in)));
        enum { TAG_OFF = 4096 + 65536 + sizeof STREAM_START - 1 + 10 + sizeof STRINGS - 1 + 4 };
        assert_int_equal(in.p[TAG_OFF], lengths[i] > 65535 ? 0x7c : 0x74);
        assert_int_equal(in.n, TAG_OFF + 1 + (lengths[i] > 65535 ? 8 : 2) + lengths[i] + 1);
        for (size_t n = 0; n <= 9; n++) {
            const struct statehist_attribute *attributes;
            struct bo_error error = {0};
            uint32_t n_read;
            assert_int_equal(ht_get_attributes((struct bo_span){in.p, TAG_OFF + n}, 4096 + 65536,
                                               &arena, &attributes, &n_read, &error),
                             BO_TRUNCATED);
        }
    }
}

/* A name "*" is lost where the path before has another name at its place, and only there. */
TEST_WITH(test_wildcards, set_up, tear_down)
{
    static const struct {
        bool holds;
        uint32_t n;
        struct statehist_attribute attributes[4];
    } rows[] = {
        {true, 1, {{BYTES("*"), STATEHIST_ROOT}}},
        {true, 2, {{BYTES("a"), STATEHIST_ROOT}, {BYTES("*"), 0}}},
        {true, 2, {{BYTES("*"), STATEHIST_ROOT}, {BYTES("a"), 0}}},
        {true, 3, {{BYTES("*"), STATEHIST_ROOT}, {BYTES("*"), 0}, {BYTES("*"), 1}}},
        {true, 3, {{BYTES("*"), STATEHIST_ROOT}, {BYTES("a"), 0}, {BYTES("b"), 0}}},
        {true, 2, {{BYTES("a"), STATEHIST_ROOT}, {BYTES("**"), STATEHIST_ROOT}}},
        {false, 2, {{BYTES("a"), STATEHIST_ROOT}, {BYTES("*"), STATEHIST_ROOT}}},
        {false, 3, {{BYTES("a"), STATEHIST_ROOT}, {BYTES("b"), 0}, {BYTES("*"), 0}}},
        {true, 3, {{BYTES("a"), STATEHIST_ROOT}, {BYTES("*"), 0}, {BYTES("c"), 1}}},
        {true, 3, {{BYTES("*"), STATEHIST_ROOT}, {BYTES("a"), STATEHIST_ROOT}, {BYTES("b"), 1}}},
        {false,
         4,
         {{BYTES("a"), STATEHIST_ROOT}, {BYTES("*"), 0}, {BYTES("b"), 0}, {BYTES("c"), 1}}},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        const char *what;
        const void *model = model_of_tree(rows[i].attributes, rows[i].n);
        const enum bo_status status = try_encode(ht(), model, &what);
        assert_int_equal(status, rows[i].holds ? BO_OK : BO_UNSUPPORTED);
        if (rows[i].holds)
            assert_null(format->differ(model, decode(ht(), encode(ht(), model))));
        else
            assert_string_equal(what,
                                "attribute named * follows a path with another name at its level");
    }
}

/* ---- growth ---------------------------------------------------------------------------------- */

static unsigned count_levels(struct bo_span in)
{
    struct ht_file file;
    struct ht_node node;
    struct bo_error error;
    assert_int_equal(ht_open_file(in, &arena, &file, &error), BO_OK);
    struct ht_child *children = bo_alloc_array(&arena, file.config.max_children, sizeof *children);
    struct ht_interval *intervals = bo_alloc_array(&arena, file.max_intervals, sizeof *intervals);
    unsigned n = 1;
    for (uint32_t number = file.root;; number = children[0].number, n++) {
        assert_int_equal(ht_get_node(&file, number, &node, children, intervals, &error), BO_OK);
        if (!node.is_core)
            return n;
    }
}

/*
 * Decoding and encoding again builds the same tree, although a file stores only a part of the
 * closing order.
 */
TEST_WITH(test_growth, set_up, tear_down)
{
    static const struct {
        uint32_t n_quarks, n_changes;
        unsigned max_step_nbits, min_levels;
    } rows[] = {{1, 0, 20, 1},       {10, 100, 20, 1},     {40, 2000, 20, 2},
                {400, 20000, 20, 3}, {5000, 50000, 20, 3}, {400, 20000, 1, 3}};
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        for (uint64_t seed = 0; seed < 12; seed++) {
            const void *model =
                model_of_changes(seed, rows[i].n_quarks, rows[i].n_changes, rows[i].max_step_nbits);
            const struct bo_span in = encode(ht_4k(), model);
            if (count_levels(in) < rows[i].min_levels)
                fail_msg("%u levels", count_levels(in));
            const void *again = decode(ht_4k(), in);
            const char *difference = format->differ(model, again);
            if (difference)
                fail_msg("%s", difference);
            if (!bo_span_equal(in, encode(ht_4k(), again)))
                fail_msg("row %u, seed %u: another tree", (unsigned)i, (unsigned)seed);
            tear_down(NULL);
        }
    }
}

/* The writer's count of a node's bytes equals the size that the reader computes for it. */
TEST_WITH(test_room, set_up, tear_down)
{
    static const struct ht_config config = {.block_nbytes = 4096, .max_children = 5};
    struct bo_writer out;
    struct ht_tree tall;
    struct ht_file file;
    bo_writer_init(&out, &arena);
    assert_int_equal(ht_begin(&tall, &config, 0, &out, &arena, NULL), BO_OK);
    for (int64_t i = 0; i < 20000; i++) {
        const struct ht_item item = {.start = i % 7 ? i : i / 2, .end = i, .type = HT_NULL};
        assert_int_equal(ht_insert(&tall, &item, NULL), BO_OK);
    }
    ht_finish(&tall, 20000);
    assert_int_equal(ht_put_attributes(tree, 1, &out, NULL), BO_OK);
    assert_int_equal(ht_open_file(bo_writer_span(&out), &arena, &file, NULL), BO_OK);
    struct ht_child *children = bo_alloc_array(&arena, config.max_children, sizeof *children);
    struct ht_interval *intervals = bo_alloc_array(&arena, file.max_intervals, sizeof *intervals);
    assert_true(tall.n_levels >= 3);
    for (uint32_t i = 0; i < tall.n_levels; i++) {
        const struct ht_open_node *node = &tall.branch[i];
        const size_t end =
            ht_interval_off(&file, node->number, node->n_intervals, children, intervals);
        assert_int_equal(end - ht_node_off(&file, node->number),
                         node->header_nbytes + node->intervals_nbytes);
    }
    bo_writer_free(&out);
}

/* ---- what the file cannot hold --------------------------------------------------------------- */

TEST_WITH(test_strings, set_up, tear_down)
{
    static const struct {
        size_t n;
        enum bo_status real, small;
    } rows[] = {{0, BO_OK, BO_OK},
                {4000, BO_OK, BO_OK},
                {4033, BO_OK, BO_OK}, /* with a varint of 9 bytes for each time, a whole block */
                {4034, BO_OK, BO_UNSUPPORTED},
                {4096, BO_OK, BO_UNSUPPORTED},
                {32767, BO_OK, BO_UNSUPPORTED},
                {32768, BO_UNSUPPORTED, BO_UNSUPPORTED}};
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        const char *what;
        static char text[40000];
        const int n = sprintf(text, "# statehistory-tsv 1\n# start: -9223372036854775808\n"
                                    "# end: 9223372036854775807\nQ\t0\t-1\ta\n"
                                    "I\t0\t-9223372036854775808\t9223372036854775807\ts\t");
        memset(text + n, 'x', rows[i].n);
        strcpy(text + n + rows[i].n, "\n");
        const void *model = parse_text(text, &arena);
        assert_int_equal(try_encode(ht(), model, &what), rows[i].real);
        assert_int_equal(try_encode(ht_4k(), model, &what), rows[i].small);
        if (rows[i].real == BO_OK)
            assert_null(format->differ(model, decode(ht(), encode(ht(), model))));
    }
}

static uint8_t *set_node(uint8_t *p, uint8_t type, uint32_t number, uint32_t parent)
{
    p[HT_TYPE_OFF] = type;
    bo_set_le64(p + HT_START_OFF, (uint64_t)INT64_MIN);
    bo_set_le64(p + HT_END_OFF, INT64_MAX);
    bo_set_le32(p + HT_NUMBER_OFF, number);
    bo_set_le32(p + HT_PARENT_OFF, parent);
    bo_set_le32(p + HT_N_INTERVALS_OFF, 1);
    return p + HT_NODE_HEADER_NBYTES;
}

/* The times of an interval, in a node that starts with the first time of all. */
static uint8_t *set_times(uint8_t *p, int64_t start, int64_t end)
{
    p = ht_set_varint(p, (uint64_t)start - (uint64_t)INT64_MIN);
    return ht_set_varint(p, (uint64_t)end - (uint64_t)start);
}

/*
 * The offset of an interval near the last time takes 1 byte in a node that starts at the first one:
 * its string fills the block there, and would not fit a node that starts with it. Decoding finds an
 * order of closing although no writer makes this file.
 */
TEST_WITH(test_string_that_fills_a_block, set_up, tear_down)
{
    enum { BLOCK = 4096, N_TEXT = BLOCK - HT_NODE_HEADER_NBYTES - (1 + 2) - 4 - 1 - 2 - 1 };
    const int64_t start = INT64_MAX - 2;
    const struct bo_span one = encode(ht_4k(), model_of_tree(tree, 1));
    const size_t n_tree = one.n - HT_HEADER_NBYTES - BLOCK;
    uint8_t *p = bo_zalloc_array(&arena, HT_HEADER_NBYTES + 2 * BLOCK + n_tree, 1);
    memcpy(p, one.p, HT_HEADER_NBYTES);
    memcpy(p + HT_HEADER_NBYTES + 2 * BLOCK, one.p + one.n - n_tree, n_tree);
    bo_set_le32(p + 20, 2); /* nodes */
    bo_set_le32(p + 24, 1); /* the root */
    bo_set_le64(p + 28, (uint64_t)INT64_MIN);

    uint8_t *at = set_node(p + HT_HEADER_NBYTES, HT_LEAF, 0, 1);
    at = set_times(at, start, INT64_MAX);
    at[4] = HT_STRING;
    bo_set_le16(at + 5, N_TEXT);
    memset(at + 7, 'x', N_TEXT);
    assert_ptr_equal(at + 7 + N_TEXT + 1, p + HT_HEADER_NBYTES + BLOCK);

    at = set_node(p + HT_HEADER_NBYTES + BLOCK, HT_CORE, 1, HT_NO_PARENT);
    bo_set_le32(at, 1); /* child 0; then the numbers, starts, ends and quarks of 50 */
    at += 4 + 4 * 50;
    for (int i = 0; i < 50; i++)
        at = ht_set_varint(at, (uint64_t)INT64_MIN);
    for (int i = 0; i < 50; i++)
        at = ht_set_varint(at, INT64_MAX);
    at += 4 * 50;
    for (int i = 0; i < 50; i++, at += 4)
        bo_set_le32(at, i ? INT32_MAX : 0);
    at = set_times(at, INT64_MIN, start - 1);
    at[4] = HT_NULL;

    const struct statehist_model *model =
        decode(ht_4k(), (struct bo_span){p, HT_HEADER_NBYTES + 2 * BLOCK + n_tree});
    assert_int_equal(model->n_intervals, 2);
    assert_int_equal(model->intervals[0].type, STATEHIST_NULL);
    assert_int_equal(model->intervals[1].start, start);
}

/* A bool becomes its text, and is one string with a text that was there. */
TEST_WITH(test_bools, set_up, tear_down)
{
    static const char bools[] = "# statehistory-tsv 1\n# start: 0\n# end: 9\nQ\t0\t-1\ta\n"
                                "I\t0\t0\t3\tb\ttrue\nI\t0\t4\t6\ts\ttrue\nI\t0\t7\t9\tb\tfalse\n";
    static const char strings[] =
        "# statehistory-tsv 1\n# start: 0\n# end: 9\nQ\t0\t-1\ta\n"
        "I\t0\t0\t3\ts\ttrue\nI\t0\t4\t6\ts\ttrue\nI\t0\t7\t9\ts\tfalse\n";
    const void *model = parse_text(bools, &arena), *expected = parse_text(strings, &arena);
    void *reduced;
    assert_int_equal(ht()->reduce(ht(), model, &arena, &reduced, NULL), BO_OK);
    assert_null(format->differ(expected, reduced));
    assert_null(format->differ(expected, decode(ht(), encode(ht(), model))));
    assert_int_equal(((const struct statehist_model *)reduced)->n_strings, 2);
    assert_int_equal(ht()->reduce(ht(), expected, &arena, &reduced, NULL), BO_OK);
    assert_ptr_equal(reduced, expected);
}

/* Numbers of variable length, and their bytes. */
TEST_WITH(test_varints, set_up, tear_down)
{
    static const struct {
        uint64_t v;
        struct bo_span bytes;
    } rows[] = {
        {(uint64_t)-3, BYTES("\0")},
        {0, BYTES("\1\3")},
        {252, BYTES("\1\xff")},
        {253, BYTES("\2\0\1")},
        {65532, BYTES("\2\xff\xff")},
        {65533, BYTES("\3\0\0\1")},
        {(uint64_t)-4, BYTES("\x08\xff\xff\xff\xff\xff\xff\xff\xff")},
        {(uint64_t)INT64_MIN, BYTES("\x08\3\0\0\0\0\0\0\x80")},
        {INT64_MAX, BYTES("\x08\2\0\0\0\0\0\0\x80")},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        uint8_t bytes[HT_MAX_VARINT_NBYTES];
        const size_t n = (size_t)(ht_set_varint(bytes, rows[i].v) - bytes);
        assert_int_equal(n, rows[i].bytes.n);
        assert_int_equal(ht_varint_nbytes(rows[i].v), n);
        assert_memory_equal(bytes, rows[i].bytes.p, n);
    }
}

/* ---- more nodes than are kept ---------------------------------------------------------------- */

TEST_WITH(test_kept, set_up, tear_down)
{
    enum { N_QUERIES = 3000 };
    const struct statehist_model *model = model_of_changes(1, 300, 100000, 20);
    const struct bo_span in = encode(ht_4k(), model);
    struct bo_random random = bo_random_seeded(1);
    struct ht_walk walk = HT_WALK_ALL;
    const struct ht_kept_node *node;
    void *reader;
    assert_int_equal(ht_4k()->open(ht_4k(), in, &arena, &reader, NULL), BO_OK);
    struct ht_reader *const r = reader;
    assert_true(r->file.n_nodes > 2 * HT_N_KEPT);
    for (unsigned i = 0; i < N_QUERIES; i++) {
        const struct statehist_point_query q = {
            model->start +
                (int64_t)(bo_random_u64(&random) % (uint64_t)(model->end - model->start + 1)),
            bo_random_below(&random, model->n_quarks), 0};
        struct statehist_state answer, right;
        assert_int_equal(ht_4k()->query(ht_4k(), reader, STATEHIST_POINT, &q, 1, &answer, NULL),
                         BO_OK);
        assert_int_equal(format->kinds[STATEHIST_POINT].oracle(model, &q, 1, &right), BO_OK);
        assert_memory_equal(&answer, &right, sizeof right);
    }
    ht_walk_begin(r, &walk);
    do
        assert_int_equal(ht_walk_next(r, &walk, &node, NULL), BO_OK);
    while (node);
    /* the kept nodes are the last ones of the walk, which visits each node once */
    for (uint32_t i = 0; i < r->cap_kept; i++)
        assert_true(r->kept[i].used_at + r->cap_kept > r->n_uses);
}

/* ---- queries of many levels ------------------------------------------------------------------ */

/* All kinds, of what upper nodes hold, too, against the oracle. */
TEST_WITH(test_queries, set_up, tear_down)
{
    struct bo_effort effort = bo_effort_default();
    effort.max_queries = 300;
    for (uint64_t seed = 0; seed < 3; seed++) {
        const void *model = model_of_changes(seed, 60 + 200 * (uint32_t)seed, 6000, 20);
        assert_true(count_levels(encode(ht_4k(), model)) >= 3);
        for (const struct bo_check *check = bo_checks; check->name; check++) {
            if (strcmp(check->name, "oracle") != 0 && strcmp(check->name, "round-trip") != 0)
                continue;
            const struct bo_check_result result = check->run(format, ht_4k(), model, &effort);
            if (result.outcome != BO_PASS)
                fail_msg("%s: %s: %s", check->name, result.finding.class, result.finding.detail);
        }
        tear_down(NULL);
    }
}

TEST_FILE(NULL, NULL)
