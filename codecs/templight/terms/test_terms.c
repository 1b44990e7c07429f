/*
 * Names as terms. Why: a name is composed of bits at positions that other bits give. Whatever these
 * contain, decoding terminates and stays inside the buffer. Names of any shape and depth
 * round-trip.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codecs/templight/terms/kept.h"
#include "codecs/templight/terms/prefix_code.h"
#include "codecs/templight/test_model.h"
#include "harness/check/agreement.h"
#include "harness/check/check.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

static const struct bo_codec *terms(void)
{
    return bo_find_codec(format, "terms");
}

/* A trace of one Begin for each name, without an End. */
static const struct templight_model *model_of(const struct bo_span *names, uint32_t n)
{
    static struct templight_model model;
    static struct templight_trace trace;
    struct templight_record *records = bo_zalloc_array(&arena, n, sizeof *records);
    for (uint32_t i = 0; i < n; i++) {
        records[i].name = i;
        records[i].location.file = records[i].origin.file = TEMPLIGHT_NONE;
    }
    trace = (struct templight_trace){
        .version = 1, .n_names = n, .names = names, .n_records = n, .records = records};
    model = (struct templight_model){1, &trace};
    return &model;
}

static struct bo_span encoded(const struct templight_model *model)
{
    struct bo_writer out;
    struct bo_error error = {0};
    bo_writer_init(&out, &arena);
    if (terms()->encode(terms(), model, &out, &error))
        fail_msg("encoding: %s", error.what);
    uint8_t *copy = bo_alloc(&arena, out.n);
    memcpy(copy, out.p, out.n);
    const struct bo_span span = {copy, out.n};
    bo_writer_free(&out);
    return span;
}

static void expect_name(void *reader, uint32_t name, struct bo_span text)
{
    const struct templight_name_query query = {0, name};
    uint8_t *answer = bo_alloc(&arena, text.n + 16);
    struct bo_sink sink = {answer, 0, text.n + 16};
    struct templight_text head;
    struct bo_error error;
    assert_int_equal(terms()->query(terms(), reader, TEMPLIGHT_NAME, &query, 1, &sink, &error),
                     BO_OK);
    memcpy(&head, answer, sizeof head);
    assert_int_equal(head.nbytes, text.n);
    assert_memory_equal(answer + sizeof head, text.p, text.n);
}

/* The names come back, all together and one at a time. */
static void expect_names(const struct bo_span *names, uint32_t n)
{
    const struct templight_model *model = model_of(names, n);
    const struct bo_span bytes = encoded(model);
    void *decoded, *reader;
    struct bo_error error = {0};
    if (test_decode(terms(), bytes, &arena, &decoded, &error))
        fail_msg("decoding: %s", error.what);
    assert_null(templight_differ(model, decoded));
    assert_int_equal(terms()->open(terms(), bytes, &arena, &reader, NULL), BO_OK);
    for (uint32_t i = 0; i < n; i++) {
        const struct templight_text_query by_text = {names[i], 0};
        uint32_t number;
        expect_name(reader, i, names[i]);
        assert_int_equal(
            terms()->query(terms(), reader, TEMPLIGHT_FIND, &by_text, 1, &number, &error), BO_OK);
        assert_int_equal(number, i);
    }
}

/* ---- the layout ------------------------------------------------------------------------------ */

/* A trace of one Begin of the name `A`, byte by byte. */
TEST_WITH(test_layout, set_up, tear_down)
{
    static const struct bo_span name = BYTES("A");
    const struct bo_span bytes = encoded(model_of(&name, 1));
    static const uint8_t head[] = {
        'T', 'L', 't', 'm', 1, 0, 0, 0, /* one trace */
        1,   0,   0,   0,               /* version */
        1,   0,   0,   0,   0, 0, 0, 0, /* names, files */
        0,   0,   0,   0,               /* bytes of the source */
    };
    assert_true(bytes.n > sizeof head);
    assert_memory_equal(bytes.p, head, sizeof head);
    const uint32_t n_names = bo_le32(bytes.p + 24), n_files = bo_le32(bytes.p + 28);
    const uint32_t n_records = bo_le32(bytes.p + 32);
    assert_int_equal(n_files, 0);
    assert_int_equal(36 + n_names + n_records, bytes.n);
    const uint8_t *names = bytes.p + 36;
    assert_int_equal(names[0], 1); /* the longest name */
    assert_int_equal(names[1], 1); /* all names */
    assert_int_equal(names[2], 1); /* depth */
    assert_int_equal(names[3], 1); /* shapes */
    assert_int_equal(names[4], 0); /* heads: the leaf occurs once */
    assert_int_equal(names[5], 0); /* tops */
    assert_int_equal(names[6], 0); /* bytes of heads' starts */
    assert_int_equal(names[7], 2); /* operations: a leaf in the stream */
    assert_int_equal(names[8], 1); /* terms that can be referred to */
    assert_int_equal(names[n_names - 1], XXH3_64bits("A", 1) >> 56);
}

/* ---- bytes that say more than there is ------------------------------------------------------- */

enum { NAMES_PART = 36 }; /* where the names of a file of one trace without a source start */

/* A copy whose byte at `off` has `bits` flipped must be corrupt, for this reason. */
static void expect_rejected(struct bo_span in, size_t off, uint8_t bits, const char *what)
{
    uint8_t *copy = bo_alloc(&arena, in.n);
    struct bo_error error = {0};
    void *decoded;
    memcpy(copy, in.p, in.n);
    copy[off] ^= bits;
    const enum bo_status status =
        test_decode(terms(), (struct bo_span){copy, in.n}, &arena, &decoded, &error);
    if (status != BO_CORRUPT || strcmp(error.what, what) != 0)
        fail_msg("byte %zu: %s, not %s", off, status ? error.what : "accepted", what);
}

/*
 * Numbers that a reader takes for limits are those of the names and records, and what fills up a
 * byte is 0: else many files would be one trace.
 */
TEST_WITH(test_exact, set_up, tear_down)
{
    static const struct bo_span names[] = {BYTES("abc<abc, abc>::abcd"), BYTES("abc")};
    static const struct {
        unsigned number; /* of the names' numbers */
        uint8_t bits;
        const char *what;
    } numbers[] = {
        {0, 7, "names are shorter than announced"},
        {1, 64, "names are shorter than announced"},
        {2, 4, "terms have another number of levels than announced"},
        {6, 64, "heads' texts are shorter than announced"},
        {7, 64, "another number of words or terms than announced"},
        {8, 4, "another number of words or terms than announced"},
    };
    const struct templight_model *model = model_of(names, 2);
    const struct templight_record *begins = model->traces[0].records;
    const struct templight_record closed[] = {begins[0], {.is_end = true}, begins[1]};
    struct templight_trace trace = model->traces[0];
    trace.records = closed;
    trace.n_records = 3;
    const struct bo_span bytes = encoded(&(struct templight_model){1, &trace});
    const size_t records = NAMES_PART + bo_le32(bytes.p + 24) + bo_le32(bytes.p + 28);
    const uint8_t *head = bytes.p + NAMES_PART;
    for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
        assert_in_range(head[numbers[i].number], 1, 0x3f);
        expect_rejected(bytes, NAMES_PART + numbers[i].number, numbers[i].bits, numbers[i].what);
    }
    assert_in_range(head[9], 1, 0x7f); /* of the tables and the stream: one byte each, too */
    assert_in_range(head[10], 1, 0x7f);
    assert_int_equal(head[11], 1);
    expect_rejected(bytes, NAMES_PART + 12 + 32 + 4, 0x40, "phrases are not all used");
    const size_t end_of_stream = records - 2;
    assert_int_not_equal(head[10] % 8, 0);
    expect_rejected(bytes, end_of_stream - 1, 1, "bits after the last name");
    assert_memory_equal(bytes.p + records, "\3\1\3\1", 4);
    expect_rejected(bytes, records + 1, 3, "fewer open Begins than announced");
    expect_rejected(bytes, records + 2, 4, "fewer different Begins than announced");
    expect_rejected(bytes, records + 3, 4, "fewer different places than announced");
    size_t off = records + 4;
    for (unsigned stream = 0; stream < 3; stream++) {
        off += 1 + bytes.p[off];
        if (stream != 1) /* which fills its last byte */
            expect_rejected(bytes, off - 1, 1, "bits after the last record of a stream");
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

TEST_WITH(test_tricky_names, set_up, tear_down)
{
    static const struct bo_span names[] = {
        BYTES(""),
        BYTES("A"),
        BYTES("<"),
        BYTES(">"),
        BYTES("A<>"),
        BYTES("A< >"),
        BYTES("A<,>"),
        BYTES("::"),
        BYTES("A<B>::C"),
        BYTES("A<B>::"),
        BYTES("A<A<A<B>>>"),
        BYTES("f<x, f<x>, x, f<x>>"),
        BYTES("\xff\xfe"),
        BYTES("A<\xff>"),
        BYTES("operator<<"),
        BYTES("operator<<<int>"),
        BYTES("const A<B> &"),
        BYTES("A<B> **&&"),
        BYTES("a\nb"),
        BYTES("A<B, A<B>>"),
        BYTES("A<B>::C<A<B>::C<D>, A<B>>::E"),
    };
    expect_names(names, N_ELEMENTS(names));
    for (uint32_t i = 0; i < N_ELEMENTS(names); i++)
        expect_names(&names[i], 1);
}

/* Copies and references in each other: every name has the last two in it. */
TEST_WITH(test_nested_references, set_up, tear_down)
{
    enum { N = 40 };
    static char texts[N][4096];
    struct bo_span names[N];
    strcpy(texts[0], "a<b>");
    strcpy(texts[1], "c<a<b>, a<b>>");
    for (unsigned i = 0; i < N; i++) {
        if (i > 1)
            snprintf(texts[i], sizeof texts[i], "t%u<%.1000s, p<%.1000s>, %.1000s>", i % 5,
                     texts[i - 1], texts[i - 2], texts[i - 1]);
        names[i] = bo_span_of(texts[i]);
    }
    expect_names(names, 7);
    expect_names(names, N);
}

/*
 * References to steps of earlier names have a limit, and copies have none: the step of `K<p>` is
 * N + 2. From 64 steps on, only the copy is possible.
 */
TEST_WITH(test_copy_of_a_late_step, set_up, tear_down)
{
    for (unsigned n = TEMPLIGHT_STEPS - 4; n < TEMPLIGHT_STEPS + 4; n++) {
        char text[1024] = "W<";
        struct bo_span name;
        for (unsigned i = 0; i < n; i++)
            snprintf(text + strlen(text), 16, "a%u<x>,", i);
        strcat(text, "M<K<p>,K<p>>>");
        name = bo_span_of(text);
        expect_names(&name, 1);
    }
}

/*
 * Heads that have the same long list of arguments. If the text from their bases to the first part
 * counted for each of them, it would exceed what a reader accepts.
 */
TEST_WITH(test_long_list, set_up, tear_down)
{
    enum { N = 200, NBYTES = 16000 };
    struct bo_span names[N];
    for (unsigned i = 0; i < N; i++) {
        char *p = bo_alloc(&arena, NBYTES);
        memset(p, ' ', NBYTES);
        p[snprintf(p, NBYTES, "A%03u<", i)] = ' ';
        memcpy(p + NBYTES - 4, "int>", 4);
        names[i] = (struct bo_span){(uint8_t *)p, NBYTES};
    }
    assert_in_range(encoded(model_of(names, N)).n, NBYTES, 2 * NBYTES);
    expect_names(names, N);
}

/* Names that nest as deep as they are long, and names kept whole. */
TEST_WITH(test_deep_names, set_up, tear_down)
{
    static const struct {
        const char *start, *end;
        size_t n;
    } rows[] = {
        {"A<", ">", 20000},        {"A<", ">", 100000},  {"<", "", 100000}, {"A<B>::", "", 10000},
        {"A<const ", "> &", 5000}, {"A<B,", ">", 10000}, {"::", "", 50000}, {"A<b>", " &", 9000},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        const size_t n_start = strlen(rows[i].start), n_end = strlen(rows[i].end);
        uint8_t *p = bo_alloc(&arena, rows[i].n * (n_start + n_end) + 1);
        for (size_t k = 0; k < rows[i].n; k++) {
            memcpy(p + k * n_start, rows[i].start, n_start);
            memcpy(p + rows[i].n * n_start + k * n_end, rows[i].end, n_end);
        }
        const struct bo_span names[] = {{p, rows[i].n * (n_start + n_end)}, bo_span_of("A<B>")};
        expect_names(names, 2);
    }
}

/*
 * Texts that repeat one byte take almost no space as phrases. If they exceed what a reader expands
 * (1 MiB and 64 times the size of the file), they are stored without phrases.
 */
TEST_WITH(test_texts_above_the_limit, set_up, tear_down)
{
    enum { MAX = 60, NBYTES = 60000 };
    struct bo_span texts[MAX];
    for (unsigned i = 0; i < MAX; i++) {
        uint8_t *p = bo_alloc(&arena, NBYTES);
        memset(p, 'A' + (int)i, NBYTES);
        memcpy(p + NBYTES - 3, "<x>", 3);
        texts[i] = (struct bo_span){p, NBYTES};
    }
    assert_in_range(encoded(model_of(texts, 15)).n, 1, NBYTES);
    for (uint32_t n = 20; n <= MAX; n += MAX - 20) { /* heads; and phrases, too */
        assert_true(encoded(model_of(texts, n)).n > n * (size_t)(NBYTES - 3));
        expect_names(texts, n);
    }
    struct bo_span name = BYTES("f");
    struct templight_record *records = bo_zalloc_array(&arena, MAX, sizeof *records);
    for (uint32_t i = 0; i < MAX; i++) {
        records[i].location.file = i;
        records[i].origin.file = TEMPLIGHT_NONE;
    }
    struct templight_trace trace = {.version = 1,
                                    .n_names = 1,
                                    .names = &name,
                                    .n_files = MAX,
                                    .files = texts,
                                    .n_records = MAX,
                                    .records = records};
    const struct templight_model model = {1, &trace};
    for (unsigned same = 0; same < 2; same++) { /* of one byte each; of the same one */
        for (unsigned i = 0; i < MAX && same; i++) {
            memset((uint8_t *)(uintptr_t)texts[i].p, 'A', NBYTES);
            memset((uint8_t *)(uintptr_t)texts[i].p, 'B', i);
        }
        const struct bo_span bytes = encoded(&model);
        void *decoded;
        assert_true(same || bytes.n > MAX * (size_t)NBYTES);
        assert_int_equal(test_decode(terms(), bytes, &arena, &decoded, NULL), BO_OK);
        assert_null(templight_differ(&model, decoded));
    }
}

/*
 * The limits are those of a file: of many traces with the same names, only the first ones have
 * phrases. The names are terms with parts, and then leaves.
 */
TEST_WITH(test_limits_of_all_traces, set_up, tear_down)
{
    enum { N_NAMES = 15, N_TRACES = 30, NBYTES = 60000 };
    struct templight_trace traces[N_TRACES];
    const struct templight_model model = {N_TRACES, traces};
    struct bo_span names[N_NAMES];
    for (unsigned leaves = 0; leaves < 2; leaves++) {
        for (unsigned i = 0; i < N_NAMES; i++) {
            uint8_t *p = bo_alloc(&arena, NBYTES);
            memset(p, 'A' + (int)i, NBYTES);
            if (!leaves)
                memcpy(p + NBYTES - 3, "<x>", 3);
            names[i] = (struct bo_span){p, NBYTES};
        }
        for (unsigned i = 0; i < N_TRACES; i++)
            traces[i] = *model_of(names, N_NAMES)->traces;
        const struct bo_span bytes = encoded(&model);
        void *decoded;
        assert_true(bytes.n < (N_TRACES - 1) * (size_t)N_NAMES * NBYTES); /* some have phrases, */
        assert_true(bytes.n > N_NAMES * NBYTES);                          /* and some have not */
        assert_int_equal(test_decode(terms(), bytes, &arena, &decoded, NULL), BO_OK);
        assert_null(templight_differ(&model, decoded));
    }
}

/* A text of 65536 bytes, of which one is repeated, has phrases; a longer one is stored as it is. */
TEST_WITH(test_longest_text, set_up, tear_down)
{
    enum { MOST = 65536 };
    uint8_t *p = bo_alloc(&arena, MOST + 1);
    memset(p, 'A', MOST + 1);
    for (size_t n = MOST - 1; n <= MOST + 1; n++) {
        const struct bo_span name = {p, n};
        assert_int_equal(encoded(model_of(&name, 1)).n > n, n > MOST);
    }
}

/* Columns up to 127 have symbols of their own. */
TEST_WITH(test_columns, set_up, tear_down)
{
    const struct templight_model *model =
        parse_text("---\nname: A\nkind: Memoization\nevent: Begin\norig: 'a:1:127'\n"
                   "poi: 'a:1:128'\n---\nevent: End\norig: 'a:1:129'\n",
                   &arena);
    void *decoded;
    assert_int_equal(test_decode(terms(), encoded(model), &arena, &decoded, NULL), BO_OK);
    assert_null(templight_differ(model, decoded));
}

/* A name is the first one queried, or is queried before those that it refers to. */
TEST_WITH(test_any_order, set_up, tear_down)
{
    enum { N = 100 };
    static char texts[N][256];
    struct bo_span names[N];
    struct bo_random random = bo_random_seeded(7);
    for (unsigned i = 0; i < N; i++) {
        const unsigned a = i ? (unsigned)bo_random_below(&random, i) : 0;
        const unsigned b = i ? (unsigned)bo_random_below(&random, i) : 0;
        snprintf(texts[i], sizeof texts[i], "n%u<%.100s, %.100s>", i, texts[a], texts[b]);
        names[i] = bo_span_of(texts[i]);
    }
    const struct bo_span bytes = encoded(model_of(names, N));
    for (uint32_t first = N; first-- > 0;) {
        void *reader;
        assert_int_equal(terms()->open(terms(), bytes, &arena, &reader, NULL), BO_OK);
        expect_name(reader, first, names[first]);
        for (uint32_t i = N; i-- > 0;)
            expect_name(reader, i, names[i]);
    }
}

/* ---- bad files ------------------------------------------------------------------------------- */

/*
 * Every byte of a file, changed: what decode takes answers as the oracle does; nothing else
 * happens.
 */
TEST_WITH(test_damage, set_up, tear_down)
{
    static const struct bo_span names[] = {BYTES("A"), BYTES("A<B>"), BYTES("C<A<B>, A<B>>"),
                                           BYTES("C<A<B>, D>::e")};
    const struct bo_span bytes = encoded(model_of(names, N_ELEMENTS(names)));
    const struct bo_effort effort = bo_effort_default();
    uint8_t *damaged = malloc(bytes.n);
    assert_non_null(damaged);
    for (size_t i = 0; i < bytes.n; i++)
        for (unsigned bit = 0; bit < 8; bit += 3) {
            struct bo_finding finding;
            bool accepted;
            memcpy(damaged, bytes.p, bytes.n);
            damaged[i] ^= (uint8_t)(1u << bit);
            if (!bo_check_bytes(format, terms(), (struct bo_span){damaged, bytes.n}, &effort,
                                &accepted, &finding))
                fail_msg("byte %zu bit %u: %s %s", i, bit, finding.class, finding.detail);
        }
    free(damaged);
}

static void expect_open(struct bo_span bytes, enum bo_status status, uint64_t off, const char *what)
{
    struct bo_error error = {0};
    void *reader;
    assert_int_equal(terms()->open(terms(), bytes, &arena, &reader, &error), status);
    if (status == BO_OK)
        return;
    assert_string_equal(error.what, what);
    assert_int_equal(error.off, off);
}

/* A file whose counts announce what it cannot hold is refused before anything is built. */
TEST_WITH(test_rejects, set_up, tear_down)
{
    static const struct bo_span name = BYTES("A");
    const struct bo_span good = encoded(model_of(&name, 1));
    static const struct {
        size_t at;
        uint8_t v;
        enum bo_status status;
        uint64_t off;
        const char *what;
    } rows[] = {
        {0, 'X', BO_CORRUPT, 0, "magic number is not that of terms"},
        {4, 9, BO_TRUNCATED, 4, "file is too short for its traces"},
        {4, 0, BO_CORRUPT, 8, "bytes after the last trace"},
        {20, 255, BO_TRUNCATED, 36, "file ends inside a trace"},
        {36, 2, BO_CORRUPT, 36, "longest name is longer than all names together"},
        {38, 3, BO_CORRUPT, 36, "depth of names exceeds their length"},
        {40, 127, BO_CORRUPT, 36, "more heads than the tables hold"},
        {41, 127, BO_CORRUPT, 36, "more heads than the tables hold"},
        {43, 127, BO_CORRUPT, 36, "more terms than bits"},
        {44, 0, BO_CORRUPT, 36, "more terms than bits"},
        {44, 127, BO_CORRUPT, 36, "more terms than bits"},
        {46, 0, BO_CORRUPT, 36, "depth of names exceeds their length"},
        {47, 2, BO_CORRUPT, 47, "number of grammars is neither 0 nor 1"},
    };
    uint8_t *bytes = bo_alloc(&arena, good.n);
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        memcpy(bytes, good.p, good.n);
        bytes[rows[i].at] = rows[i].v;
        expect_open((struct bo_span){bytes, good.n}, rows[i].status, rows[i].off, rows[i].what);
    }
    for (size_t n = 0; n < good.n; n++) {
        struct bo_error error = {0};
        void *reader;
        assert_int_equal(
            terms()->open(terms(), (struct bo_span){good.p, n}, &arena, &reader, &error),
            BO_TRUNCATED);
    }
}

/* Announced lengths are what stops bombs: 2^32 - 1 bytes of a name, and 2^62 of all. */
TEST_WITH(test_bombs, set_up, tear_down)
{
    static const uint8_t longest[] = {0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1, 1, 0, 0, 0, 2, 1, 1, 1};
    static const uint8_t total[] = {1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40,
                                    1, 1,    0,    0,    0,    2,    1,    1,    1};
    static const struct bo_span rows[] = {{longest, sizeof longest}, {total, sizeof total}};
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        uint8_t bytes[64] = {'T', 'L', 't', 'm', 1};
        bytes[12] = 1; /* names */
        bytes[24] = (uint8_t)rows[i].n;
        memcpy(bytes + 36, rows[i].p, rows[i].n);
        expect_open((struct bo_span){bytes, 36 + rows[i].n}, BO_OVER_LIMIT, 36,
                    "names would expand to too much");
    }
}

/* A file's name takes half a byte at least. */
TEST_WITH(test_announced_files, set_up, tear_down)
{
    enum { NBYTES = 2, N_MORE = 1 + NBYTES }; /* 1: no grammar */
    static const struct bo_span name = BYTES("A");
    const struct bo_span good = encoded(model_of(&name, 1));
    const size_t files = NAMES_PART + bo_le32(good.p + 24);
    uint8_t *bytes = bo_zalloc_array(&arena, good.n + N_MORE, 1);
    memcpy(bytes, good.p, files);
    memcpy(bytes + files + N_MORE, good.p + files, good.n - files);
    bo_set_le32(bytes + 28, N_MORE);
    for (unsigned past = 0; past < 2; past++) {
        struct bo_error error = {0};
        void *decoded;
        bo_set_le32(bytes + 16, 2 * NBYTES + past);
        const struct bo_span in = {bytes, good.n + N_MORE};
        assert_int_equal(test_decode(terms(), in, &arena, &decoded, &error), BO_CORRUPT);
        assert_string_equal(error.what, past ? "number of files exceeds what their bits can hold"
                                             : "codes of file names are invalid");
        assert_int_equal(error.off, files + 1);
    }
    bo_set_le32(bytes + 16, 2 * N_MORE);
    const struct bo_span in = {bytes, good.n + N_MORE};
    expect_open(in, BO_OK, 0, "");
    bo_set_le32(bytes + 16, 2 * N_MORE + 1);
    expect_open(in, BO_CORRUPT, files, "number of files exceeds what their bits can hold");
}

/* Records that are announced and do not come take no room. */
TEST_WITH(test_announced_records, set_up, tear_down)
{
    enum { N = 30000, N_MORE = 2 }; /* bytes of its varint, but for the one that was there */
    static const struct bo_span name = BYTES("A");
    const struct bo_span good = encoded(model_of(&name, 1));
    const size_t records = 36 + bo_le32(good.p + 24);
    uint8_t *bytes = bo_alloc(&arena, good.n + N_MORE);
    memcpy(bytes, good.p, records);
    memcpy(bytes + records + N_MORE, good.p + records, good.n - records);
    bytes[records] = (N & 127) | 128;
    bytes[records + 1] = (N >> 7 & 127) | 128;
    bytes[records + 2] = N >> 14;
    bo_set_le32(bytes + 32, (uint32_t)(good.n - records + N_MORE));
    const size_t before = arena.peak_nbytes;
    struct bo_error error = {0};
    void *decoded;
    assert_int_equal(
        test_decode(terms(), (struct bo_span){bytes, good.n + N_MORE}, &arena, &decoded, &error),
        BO_CORRUPT);
    assert_string_equal(error.what, "record is invalid");
    assert_true(arena.peak_nbytes - before < N * sizeof(struct templight_record) / 2);
}

/* ---- prefix codes ---------------------------------------------------------------------------- */

static void expect_code(const uint32_t *uses, uint32_t n)
{
    struct bo_writer out;
    struct templight_words words;
    static struct templight_code code;
    bo_writer_init(&out, &arena);
    struct templight_bit_writer w = {.out = &out};
    assert_true(templight_fit_words(uses, n, &arena, &words));
    assert_true(templight_put_code(&w, &words, &arena));
    for (uint32_t i = 0; i < n; i++)
        if (uses[i])
            templight_put_symbol(&w, &words, i);
    templight_end_bits(&w);
    struct templight_bits bits = {out.p, out.n, 0};
    assert_int_equal(templight_read_code(&bits, n, &arena, &code), BO_OK);
    for (uint32_t i = 0; i < n; i++)
        if (uses[i])
            assert_int_equal(templight_take_symbol(&bits, &code), i);
    assert_false(templight_past_end(&bits));
    assert_int_equal((bits.bit + 7) / 8, out.n);
    bo_writer_free(&out);
}

static void expect_longest_word(const uint32_t *uses, uint32_t n, unsigned nbits)
{
    struct templight_words words;
    unsigned longest = 0;
    assert_true(templight_fit_words(uses, n, &arena, &words));
    for (uint32_t i = 0; i < n; i++)
        longest = words.nbits[i] > longest ? words.nbits[i] : longest;
    assert_int_equal(longest, nbits);
}

/* What a reader holds after all queries, run twice, when it may keep so much. */
static size_t held_within(const struct templight_model *model, struct bo_span bytes,
                          size_t keep_nbytes)
{
    struct bo_error error = {0};
    struct bo_effort effort = bo_effort_default();
    struct bo_finding finding;
    struct bo_arena own;
    uint64_t n_cases = 0;
    void *reader;
    bo_arena_init(&own, BO_ARENA_UNLIMITED);
    own.keep_nbytes = keep_nbytes;
    effort.max_queries = 1000;
    assert_int_equal(terms()->open(terms(), bytes, &own, &reader, &error), BO_OK);
    for (unsigned i = 0; i < 2; i++)
        if (!bo_agreement_all_kinds(format, terms(), model, reader, &effort, &n_cases, &finding))
            fail_msg("within %zu bytes: %s", keep_nbytes, finding.detail);
    const size_t held = own.region_nbytes + own.charged_nbytes;
    bo_arena_free(&own);
    return held;
}

/*
 * Why: texts, the table of names and the events are kept one by one, as far as the budget goes, and
 * each is another way to an answer.
 */
TEST_WITH(test_budgets, set_up, tear_down)
{
    enum { N = 500 };
    static struct bo_span names[N];
    char text[64];
    for (uint32_t i = 0; i < N; i++) {
        snprintf(text, sizeof text, "a<b<%u>, c%u>", (unsigned)i % 7, (unsigned)i);
        uint8_t *copy = bo_alloc(&arena, sizeof text);
        memcpy(copy, text, sizeof text);
        names[i] = (struct bo_span){copy, strlen(text)};
    }
    const struct templight_model *model = model_of(names, N);
    const struct bo_span bytes = encoded(model);
    const size_t least = held_within(model, bytes, 0);
    size_t n_steps = 0, last = least;
    for (size_t keep = 1 << 10; keep <= 1 << 17; keep += 1 << 12) {
        const size_t held = held_within(model, bytes, keep);
        assert_in_range(held, least, least + keep);
        n_steps += held != last;
        last = held;
    }
    assert_in_range(n_steps, 3, 8); /* one or more of the three */
    assert_int_equal(held_within(model, bytes, SIZE_MAX), last);
}

/*
 * The table of names by text is kept if texts differ and have their fingerprints. Equal texts would
 * take N^2 / 2 steps; a name with another fingerprint is not found without the table.
 */
TEST_WITH(test_damaged_names_are_not_kept, set_up, tear_down)
{
    enum { N = 3000, VALID = 0, EQUAL, OTHER_FINGERPRINT };
    static struct bo_span names[N];
    for (unsigned damage = VALID; damage <= OTHER_FINGERPRINT; damage++) {
        struct templight_terms terms;
        struct terms_kept kept = {.n_spelled = 0};
        struct bo_error error = {0};
        struct bo_writer out;
        struct templight_totals written = {0}, totals = {0};
        size_t off = 0, left = SIZE_MAX;
        for (uint32_t i = 0; i < N; i++) {
            uint8_t *text = bo_alloc(&arena, 8);
            snprintf((char *)text, 8, "a%05u", damage == EQUAL ? 0 : (unsigned)i);
            names[i] = (struct bo_span){text, 6};
        }
        bo_writer_init(&out, &arena);
        assert_int_equal(templight_put_terms(model_of(names, N)->traces, &written, &out, &error),
                         BO_OK);
        const struct bo_span in = bo_writer_span(&out);
        assert_int_equal(templight_open_terms(in, &off, in.n, N, &totals, &arena, &terms, &error),
                         BO_OK);
        terms.buffer = bo_alloc(&arena, terms.longest + TEMPLIGHT_SLACK);
        if (damage == OTHER_FINGERPRINT)
            out.p[terms.fingerprints - in.p + N - 1] ^= 1;
        assert_int_equal(terms_keep_slots(&kept, &terms, &arena, &left, &error), BO_OK);
        assert_true(kept.tried_slots);
        assert_int_equal(kept.slots != NULL, damage == VALID);
        assert_int_equal(left != SIZE_MAX, damage == VALID);
        bo_writer_free(&out);
    }
}

/* Texts and their table are kept within as many bytes as they take, and not within one less. */
TEST_WITH(test_exact_budgets, set_up, tear_down)
{
    static const struct bo_span names[] = {BYTES("A"), BYTES("A<B>"), BYTES("C")};
    struct bo_writer out;
    struct templight_terms terms;
    struct templight_totals written = {0}, totals = {0};
    struct bo_error error;
    size_t off = 0;
    bo_writer_init(&out, &arena);
    assert_int_equal(templight_put_terms(model_of(names, 3)->traces, &written, &out, &error),
                     BO_OK);
    const struct bo_span in = bo_writer_span(&out);
    assert_int_equal(templight_open_terms(in, &off, in.n, 3, &totals, &arena, &terms, &error),
                     BO_OK);
    assert_int_equal(totals.starts_nbytes, written.starts_nbytes);
    terms.buffer = bo_alloc(&arena, terms.longest + TEMPLIGHT_SLACK);
    for (unsigned slots = 0; slots < 2; slots++) {
        size_t before = SIZE_MAX;
        for (unsigned i = 0; i < 3; i++) {
            struct terms_kept kept = {.n_spelled = 0};
            size_t left = before;
            assert_int_equal(
                (slots ? terms_keep_slots : terms_keep_texts)(&kept, &terms, &arena, &left, &error),
                BO_OK);
            assert_int_equal(slots ? kept.slots != NULL : kept.texts != NULL, i < 2);
            assert_true(i == 0 || left == (i == 1 ? 0 : before));
            before -= i == 0 ? left : 1;
        }
    }
    bo_writer_free(&out);
}

TEST(test_groups)
{
    for (uint32_t n = 1; n <= 64; n++)
        assert_int_equal(templight_n_groups(n), (n + 15) / 16);
}

/* The largest numbers; in gamma code, also one that is larger. */
TEST_WITH(test_largest_numbers, set_up, tear_down)
{
    static const uint32_t largest = UINT32_MAX;
    static const uint8_t larger[9] = {[4] = 0x80}; /* 32 zeros */
    struct bo_writer out;
    uint32_t v;
    bo_writer_init(&out, &arena);
    struct templight_bit_writer w = {.out = &out};
    templight_put_gamma(&w, UINT32_MAX - 1);
    templight_put_ascending(&w, &largest, 1);
    templight_end_bits(&w);
    struct templight_bits bits = {out.p, out.n, 0};
    assert_true(templight_take_gamma(&bits, &v));
    assert_int_equal(v, UINT32_MAX - 1);
    assert_true(templight_take_ascending(&bits, &v, 1));
    assert_int_equal(v, UINT32_MAX);
    bits = (struct templight_bits){larger, sizeof larger, 0};
    assert_false(templight_take_gamma(&bits, &v));
    bo_writer_free(&out);
}

/* Up to 7 bits fill up the last byte. */
TEST(test_end_of_bits)
{
    static const uint8_t zeros[2];
    for (unsigned bit = 0; bit <= 17; bit++)
        assert_int_equal(templight_is_end(&(struct templight_bits){zeros, 2, bit}),
                         bit > 8 && bit <= 16);
}

/* A complete code with a word of each length and two of the longest: words have up to 20 bits. */
TEST_WITH(test_longest_codes, set_up, tear_down)
{
    static struct templight_code code;
    for (unsigned longest = 19; longest <= 21; longest++) {
        struct bo_writer out;
        bo_writer_init(&out, &arena);
        struct templight_bit_writer w = {.out = &out};
        templight_put_bits(&w, longest, 5);
        for (uint32_t length = 1; length <= longest; length++) {
            const uint32_t symbols[] = {length - 1, length};
            const size_t n = length == longest ? 2 : 1;
            templight_put_gamma(&w, (uint32_t)n);
            templight_put_ascending(&w, symbols, n);
        }
        templight_end_bits(&w);
        struct templight_bits bits = {out.p, out.n, 0};
        assert_int_equal(templight_read_code(&bits, longest + 1, &arena, &code),
                         longest > 20 ? BO_CORRUPT : BO_OK);
        bo_writer_free(&out);
    }
}

/* A word of one bit and two of two bits: the symbol of the first may not have another word. */
TEST_WITH(test_one_word_for_each_symbol, set_up, tear_down)
{
    static struct templight_code code;
    for (uint32_t first = 0; first < 3; first++) {
        static const uint32_t others[] = {1, 2};
        struct bo_writer out;
        bo_writer_init(&out, &arena);
        struct templight_bit_writer w = {.out = &out};
        templight_put_bits(&w, 2, 5);
        templight_put_gamma(&w, 1);
        templight_put_ascending(&w, &first, 1);
        templight_put_gamma(&w, 2);
        templight_put_ascending(&w, others, 2);
        templight_end_bits(&w);
        struct templight_bits bits = {out.p, out.n, 0};
        assert_int_equal(templight_read_code(&bits, 3, &arena, &code), first ? BO_CORRUPT : BO_OK);
        bo_writer_free(&out);
    }
}

/* None, one, many equal, and weights that would make words of more than 20 bits. */
TEST_WITH(test_prefix_codes, set_up, tear_down)
{
    static uint32_t uses[5000];
    expect_code(uses, 10);
    uses[7] = 3;
    expect_code(uses, 10);
    uses[2] = 1;
    expect_code(uses, 10);
    for (uint32_t i = 0; i < N_ELEMENTS(uses); i++)
        uses[i] = 1;
    expect_code(uses, N_ELEMENTS(uses));
    uint32_t a = 1, b = 1;
    for (uint32_t i = 0; i < 45; i++) { /* Fibonacci's numbers make the longest words */
        uses[i] = a;
        b += a;
        a = b - a;
    }
    expect_code(uses, 45);
    expect_longest_word(uses, 45, 20);
    for (uint32_t i = 0; i < N_ELEMENTS(uses); i++)
        uses[i] = i % 3 ? 0 : 1 + i * i;
    expect_code(uses, N_ELEMENTS(uses));
}

TEST_WITH(test_bad_codes, set_up, tear_down)
{
    static const struct {
        const char *row;
        uint8_t bytes[4];
    } rows[] = {
        {"longer words than there are", {0xa8}},      /* 21 bits */
        {"three words of one bit", {0x08 | 1, 0x00}}, /* gamma of 3 */
        {"one word of two bits", {0x10 | 4 | 1, 0x00}},
        {"words beyond the end", {0x10, 0x01}},
        {"two words of one bit, and none of two", {0x13, 0x02, 0x80}},
    };
    static struct templight_code code;
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        struct templight_bits bits = {rows[i].bytes, sizeof rows[i].bytes, 0};
        if (templight_read_code(&bits, 3, &arena, &code) != BO_CORRUPT)
            fail_msg("taken: %s", rows[i].row);
    }
}

TEST_FILE(NULL, NULL)
