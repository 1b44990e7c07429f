/*
 * predicted: which files are rejected, and at which byte. Why: the generic checks damage bytes at
 * random. They rarely make a header that contradicts its streams, or names that expand to far more
 * than the file. So the tests here rewrite single header fields. Dictionaries that expand too far
 * are written by the codec's own encoder, whose file is included for that.
 */
#include "harness/core/test_cmocka.h"

#include "codecs/templight/predicted/predicted.c"

#include "codecs/templight/model.h"
#include "codecs/templight/text.h"

#define TEST_WRITES
#include "harness/test_decode.h"
#define TEST_FORMAT "templight"
#include "harness/test_format.h"
#include "harness/core/test_fixture.h"

static const char text[] =
    "---\nname: 'A<int, B<int> >'\nkind: TemplateInstantiation\nevent: Begin\n"
    "orig: 'a.h:3:4'\npoi: 'b.cpp:5:6'\n"
    "---\nname: B<int>\nkind: Memoization\nevent: Begin\n"
    "orig: 'a.h:1:4'\npoi: ''\ntime: 0.5\nmemory: 7\n"
    "---\nevent: End\norig: 'c.h:1:1'\n"
    "---\nevent: End\n";

static void encode_text(void)
{
    void *model;
    struct bo_error err = {0};
    assert_int_equal(templight_parse(bo_span_of(text), &arena, &model, &err), BO_OK);
    bo_writer_reset(&out);
    assert_int_equal(encode(NULL, model, &out, &err), BO_OK);
}

static enum bo_status try_bytes(struct bo_span in, struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    void *model;
    const enum bo_status status = decode(NULL, in, &arena, &model, err);
    if (status) /* a valid case expands to far more than its bytes, and is slow */
        test_keep_met("predicted", in, status, err);
    bo_arena_rewind(&arena, mark);
    return status;
}

/* Bytes of the head, in which all numbers are small: the place of each field. */
enum {
    AT_N_TRACES,
    AT_VERSION,
    AT_SOURCE,
    AT_FLAGS,
    AT_RECORDS,
    AT_NAMES,
    AT_FILES,
    AT_NODES,
    AT_PARTS,
    AT_TEXT,
    AT_STREAMS,
    AT_BYTES = AT_STREAMS + PREDICTED_N_STREAMS
};

TEST_WITH(test_heads, set_up, tear_down)
{
    static const struct {
        size_t at;
        int by; /* what is added to that byte */
        enum bo_status status;
        const char *what;
    } cases[] = {
        {AT_N_TRACES, -1, BO_CORRUPT, "bytes after the header of a file without traces"},
        {AT_N_TRACES, 126, BO_TRUNCATED, "file is too short for its traces"},
        {AT_SOURCE, 127, BO_TRUNCATED, "file ends inside a trace's header"},
        {AT_FLAGS, 1, BO_CORRUPT, "unknown flags of a trace"},
        {AT_NAMES, -1, BO_CORRUPT, "more names than announced"},
        {AT_NAMES, 1, BO_CORRUPT, "counts of the trace differ from its content"},
        {AT_FILES, -1, BO_CORRUPT, "more files than announced"},
        {AT_FILES, 1, BO_CORRUPT, "counts of the trace differ from its content"},
        {AT_NODES, -1, BO_CORRUPT, "more pieces of names than announced"},
        {AT_NODES, 1, BO_CORRUPT, "counts of the trace differ from its content"},
        {AT_PARTS, -1, BO_CORRUPT, "more pieces of names than announced"},
        {AT_PARTS, 1, BO_CORRUPT, "counts of the trace differ from its content"},
        {AT_TEXT, -1, BO_CORRUPT, "coded texts are longer than announced"},
        {AT_TEXT, 1, BO_CORRUPT, "texts have another length than announced"},
        {AT_STREAMS, 1, BO_TRUNCATED, "file ends inside the streams"},
        {AT_STREAMS + 1, -1, BO_CORRUPT, "bytes after the streams"},
    };
    struct bo_error err;
    encode_text();
    assert_int_equal(out.p[AT_FLAGS], 3);
    assert_int_equal(out.p[AT_RECORDS], 4);
    assert_int_equal(out.p[AT_NAMES], 2);
    assert_int_equal(out.p[AT_FILES], 3);
    assert_int_equal(try_bytes(bo_writer_span(&out), &err), BO_OK);
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        out.p[cases[i].at] = (uint8_t)(out.p[cases[i].at] + cases[i].by);
        assert_int_equal(try_bytes(bo_writer_span(&out), &err), cases[i].status);
        assert_string_equal(err.what, cases[i].what);
        out.p[cases[i].at] = (uint8_t)(out.p[cases[i].at] - cases[i].by);
    }
}

/* Less than 2 GiB of texts pass this limit; the file is then too short for its counts. */
TEST_WITH(test_most_texts, set_up, tear_down)
{
    struct bo_error err;
    encode_text();
    for (uint32_t past = 0; past < 2; past++) {
        struct bo_writer changed;
        bo_writer_init(&changed, &arena);
        bo_put_bytes(&changed, out.p, AT_TEXT);
        bo_put_uvarint(&changed, (UINT64_C(1) << 31) - 1 + past);
        bo_put_bytes(&changed, out.p + AT_TEXT + 1, out.n - AT_TEXT - 1);
        assert_int_equal(try_bytes(bo_writer_span(&changed), &err),
                         past ? BO_UNSUPPORTED : BO_TRUNCATED);
        assert_string_equal(err.what, past ? "2 GiB of texts or more"
                                           : "file is shorter than its counts need");
        bo_writer_free(&changed);
    }
}

/* The largest column, and the largest step between lines. */
TEST_WITH(test_largest_places, set_up, tear_down)
{
    static const char place[] = "---\nname: A\nkind: Memoization\nevent: Begin\norig: ''\n"
                                "poi: 'a.h:2147483648:4294967295'\n";
    void *model, *decoded;
    struct bo_error err = {0};
    assert_int_equal(templight_parse(bo_span_of(place), &arena, &model, &err), BO_OK);
    assert_int_equal(encode(NULL, model, &out, &err), BO_OK);
    assert_int_equal(decode(NULL, bo_writer_span(&out), &arena, &decoded, &err), BO_OK);
    assert_null(templight_differ(model, decoded));
}

/*
 * Every cut is truncated, a byte more is corrupt, and so is nearly every changed bit of a stream.
 */
TEST_WITH(test_cuts, set_up, tear_down)
{
    struct bo_error err;
    encode_text();
    const size_t n = out.n;
    bo_put_u8(&out, 0);
    for (size_t cut = 0; cut < n; cut++)
        assert_int_equal(try_bytes((struct bo_span){out.p, cut}, &err), BO_TRUNCATED);
    assert_int_equal(try_bytes((struct bo_span){out.p, n + 1}, &err), BO_CORRUPT);
    assert_int_equal(err.off, n);
    size_t n_taken = 0;
    for (size_t i = AT_BYTES; i < n; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            out.p[i] ^= (uint8_t)(1u << bit);
            const enum bo_status status = try_bytes((struct bo_span){out.p, n}, &err);
            assert_true(status == BO_OK || status == BO_CORRUPT || status == BO_OVER_LIMIT);
            n_taken += status == BO_OK;
            out.p[i] ^= (uint8_t)(1u << bit);
        }
    assert_in_range(n_taken, 0, (n - AT_BYTES) / 2);
}

/* Many equal records take few bytes, so the format requires zeros as padding. */
TEST_WITH(test_zeros, set_up, tear_down)
{
    enum { N = 100000 };
    struct templight_builder builder;
    struct templight_model *model;
    struct bo_error err;
    const struct templight_entry end = {.is_end = true};
    templight_builder_init(&builder, false, &arena);
    assert_true(templight_start_trace(&builder, 1, bo_span_of("")));
    for (unsigned i = 0; i < N; i++)
        assert_true(templight_add_entry(&builder, &end));
    assert_true(templight_finish(&builder, &model));
    assert_int_equal(encode(NULL, model, &out, &err), BO_OK);
    assert_int_equal(out.n, (N + UNITS_PER_BYTE - 1) / UNITS_PER_BYTE);
    const struct bo_span whole = bo_writer_span(&out);
    assert_int_equal(try_bytes(whole, &err), BO_OK);
    assert_int_equal(try_bytes((struct bo_span){whole.p, whole.n - 1}, &err), BO_TRUNCATED);
    out.p[whole.n - 1] = 1;
    assert_int_equal(try_bytes(whole, &err), BO_CORRUPT);
    assert_int_equal(err.off, whole.n - 1);
    out.p[whole.n - 1] = 0;
    bo_put_u8(&out, 0); /* one more than are needed */
    assert_int_equal(try_bytes(bo_writer_span(&out), &err), BO_CORRUPT);
    assert_int_equal(err.off, out.n - 1);
}

/* ---- names that no model has ----------------------------------------------------------------- */

/* One Begin for each name; names are pieces of a dictionary that is made by hand. */
static void encode_pieces(struct templight_piece *pieces, uint32_t n_pieces, const char *marked,
                          uint32_t *ids, size_t n_ids, uint32_t *names, uint32_t n_names)
{
    const struct templight_location nowhere = {TEMPLIGHT_NONE, 0, 0};
    struct templight_record records[4] = {{0}};
    struct templight_trace trace = {.version = 1, .source = bo_span_of(""), .records = records};
    struct encoded_trace t = {.name_pieces = names};
    struct bo_writer streams[PREDICTED_N_STREAMS];
    struct totals totals = {0};
    struct bo_error err;
    struct predicted *p = bo_zalloc_array(&arena, 1, sizeof *p);
    trace.n_records = trace.n_names = n_names;
    for (uint32_t i = 0; i < n_names; i++)
        records[i] = (struct templight_record){.name = i, .location = nowhere, .origin = nowhere};
    t.dictionary = (struct templight_dictionary){
        .pieces = pieces,
        .n_pieces = n_pieces,
        .marked = (uint8_t *)(uintptr_t)marked,
        .ids = ids,
        .n_ids = n_ids,
    };
    t.counts = (struct predicted_counts){
        .n_records = n_names, .n_names = n_names, .n_nodes = n_pieces, .n_parts = n_ids};
    assert_true(count_texts(&trace, &t.dictionary, &arena, &t.counts.n_text));
    add_to_totals(&totals, &t.counts);
    p->arena = &arena;
    uint8_t *history = bo_alloc(&arena, (size_t)totals.n_text + BO_GUESS_TEXT_START);
    assert_true(bo_guesser_init(&p->guesser, PREDICTED_N_SITES, totals.n_coded, history,
                                (uint32_t)totals.n_text, &arena));
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++) {
        bo_writer_init(&streams[i], &arena);
        p->coders[i] = bo_range_encoder(&streams[i]);
    }
    assert_int_equal(encode_trace(p, &trace, &t, &err), BO_OK);
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++)
        bo_range_finish(&p->coders[i]);
    bo_writer_reset(&out);
    bo_put_uvarint(&out, 1);
    put_counts(&trace, &t.counts, &out);
    put_streams(streams, &out);
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++)
        bo_writer_free(&streams[i]);
}

/*
 * Doublings: a leaf of one byte, and pieces that are twice the piece before. No name is split so;
 * names that are too long are not spelled out to see it.
 */
TEST_WITH(test_doublings, set_up, tear_down)
{
    static const struct {
        uint32_t n;
        enum bo_status status;
    } cases[] = {{1, BO_CORRUPT},
                 {16, BO_CORRUPT},
                 {18, BO_OVER_LIMIT},
                 {25, BO_OVER_LIMIT},
                 {64, BO_OVER_LIMIT}};
    struct bo_error err;
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct templight_piece pieces[65] = {{.marked_off = 2, .marked_nbytes = 1}};
        uint32_t ids[128], last = cases[i].n;
        for (uint32_t k = 1; k <= cases[i].n; k++) {
            pieces[k] =
                (struct templight_piece){.marked_nbytes = 2, .first_id = 2 * (k - 1), .n_ids = 2};
            ids[2 * (k - 1)] = ids[2 * k - 1] = k - 1;
        }
        encode_pieces(pieces, cases[i].n + 1, "\0\0a", ids, 2 * cases[i].n, &last, 1);
        assert_int_equal(try_bytes(bo_writer_span(&out), &err), cases[i].status);
    }
}

/* Two nodes of one text are not two names; nor is a name split as no rule splits it. */
TEST_WITH(test_twice, set_up, tear_down)
{
    struct templight_piece pieces[] = {
        {.marked_off = 0, .marked_nbytes = 2},
        {.marked_off = 0, .marked_nbytes = 1},
        {.marked_off = 3, .marked_nbytes = 2, .first_id = 0, .n_ids = 1},
    };
    uint32_t ids[] = {1}, names[] = {0, 2};
    struct bo_error err;
    encode_pieces(pieces, 3, "ab\0\0b", ids, 1, names, 2);
    assert_int_equal(try_bytes(bo_writer_span(&out), &err), BO_CORRUPT);
    assert_string_equal(err.what, "duplicate name");
    encode_pieces(pieces, 3, "ab\0\0c", ids, 1, names, 2);
    assert_int_equal(try_bytes(bo_writer_span(&out), &err), BO_CORRUPT);
    assert_string_equal(err.what, "name is not split as the rule splits it");
}

/* A symbol that may be coded in one way only: what a free encoder writes of names of one letter. */
TEST_WITH(test_other_choices, set_up, tear_down)
{
    static const struct {
        struct bo_span file;
        const char *what;
    } cases[] = {
        {BYTES("\x01\x01\x00\x00\x04\x01\x00\x03\x02\x09\x01\x0a\x02\x01\x00\xce"
               "\xc0\xb2\xa7\xea\x4d\x37\xf0\x5b\x83\xb9\x97\x5f\xbe"),
         "coded record is one of the candidates"},
        {BYTES("\x01\x01\x00\x00\x04\x02\x00\x06\x04\x0d\x01\x0e\x02\x01\x00\xea"
               "\xc0\xb2\xa7\xea\x4d\x37\xf0\x5b\x83\xb9\x60\x5b\x21\x87\x96\x9d"
               "\xbc"),
         "coded symbol is one of the candidates"},
        {BYTES("\x01\x01\x00\x00\x04\x02\x00\x06\x04\x12\x01\x0f\x02\x01\x00\xce"
               "\xc0\xb2\xa7\xea\x4d\x37\xf0\x5b\x83\xb9\x60\x1f\xaf\x36\x49\x96"
               "\x9d\xbc"),
         "shape occurs twice"},
        {BYTES("\x01\x01\x00\x00\x02\x01\x00\x03\x02\x09\x01\x08\x01\x01\x00\x8f"
               "\xc0\xb2\xa7\xea\x4d\x37\xf0\x5c\x96\xb7"),
         "name is not split as the rule splits it"},
        {BYTES("\x01\x01\x00\x00\x02\x01\x02\x01\x00\x0f\x01\x06\x01\x0e\x00\x8f"
               "\x72\x0a\x08\x02\xad\x8e\x96\x57\x6c\xca\x13\xc9\x56\x0f\x23\x28"
               "\x4c\x33\xf4\x31\x1d"),
         "name is not split as the rule splits it"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_error err;
        assert_int_equal(try_bytes(cases[i].file, &err), BO_CORRUPT);
        assert_string_equal(err.what, cases[i].what);
    }
}

/* What a symbol may say in one way only. */
TEST_WITH(test_changed_bits, set_up, tear_down)
{
    static const char *const phrases[] = {
        "coded record is one of the candidates",
        "coded symbol is one of the candidates",
        "flags of times or memories disagree with the records",
        "shape occurs twice",
    };
    expect_rejections("predicted", 10, 3, phrases, N_ELEMENTS(phrases));
}

TEST_FILE(NULL, NULL)
