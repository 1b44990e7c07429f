/*
 * The proposal's files and snapshots from outside: a library of JSON reads what json.c writes, a
 * snapshot is the state that its history answers, and depth costs neither stack nor squares.
 */
#include <jansson.h>

#include "codecs/statehist/json.h"
#include "codecs/statehist/parts.h"
#include "codecs/statehist/test_model.h"
#include "harness/core/doubles.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

static const char *const snapshot_codecs[] = {"snapshot-json", "snapshot-today", "snapshot-packed"};

static struct bo_span encode(const char *codec, const void *model)
{
    struct bo_writer out;
    struct bo_error error = {0};
    bo_writer_init(&out, &arena);
    const struct bo_codec *found = bo_find_codec(format, codec);
    if (found->encode(found, model, &out, &error))
        fail_msg("%s: %s", codec, error.what);
    uint8_t *p = bo_alloc(&arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    const struct bo_span in = {p, out.n};
    bo_writer_free(&out);
    return in;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static struct bo_span put_double(uint64_t bits, bool bare)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    statehist_json_put_double(&out, bits, bare);
    uint8_t *p = bo_alloc(&arena, out.n + 1);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    p[out.n] = '\0';
    const struct bo_span text = {p, out.n};
    bo_writer_free(&out);
    return text;
}

static const struct {
    double v;
    const char *text;
} doubles[] = {
    {0.0, "0.0"},
    {-0.0, "-0.0"},
    {1.0, "1.0"},
    {-17.23, "-17.23"},
    {0.1, "0.1"},
    {1e22, "1e+22"},
    {5e-324, "5e-324"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    {1.0 / 3, "0.3333333333333333"},
};

TEST_WITH(test_doubles, set_up, tear_down)
{
    for (size_t i = 0; i < N_ELEMENTS(doubles); i++)
        assert_string_equal(put_double(bo_double_bits(doubles[i].v), false).p, doubles[i].text);
    assert_string_equal(put_double(STATEHIST_NAN | 5, false).p, "\"NaN\"");
    assert_string_equal(put_double(UINT64_C(0xfff8000000000001), false).p, "\"NaN\"");
    assert_string_equal(put_double(UINT64_C(0xfff0000000000000), false).p, "\"-Infinity\"");
    assert_string_equal(put_double(UINT64_C(0x7ff0000000000000), true).p, "Infinity");
    struct bo_random random = bo_random_seeded(1);
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t bits = bo_random_u64(&random);
        uint64_t again;
        struct statehist_json j = {.in = put_double(bits, i % 2), .arena = &arena};
        assert_true(statehist_json_double(&j, i % 2, &again) && statehist_json_end(&j));
        assert_true(again == (statehist_is_nan(bits) ? STATEHIST_NAN : bits));
    }
}

/* ---- strings --------------------------------------------------------------------------------- */

static void expect_json(struct bo_span text, bool as_gson, const char *expected)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    statehist_json_put_string(&out, text, as_gson);
    bo_put_u8(&out, 0);
    assert_string_equal(out.p, expected);
    bo_writer_free(&out);
}

/* Escapes as Gson writes them for HTML, and as JSON requires them. */
TEST_WITH(test_strings, set_up, tear_down)
{
    static const struct bo_span text =
        BYTES("\0\x01\b\t\n\f\r\x1f "
              "\"\\/<>&='\x7f\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x81\xa8"
              "\xc3\xa4\xf0\x9f\x98\x80\xe2\x80\xa9");
    expect_json(
        text, true,
        "\"\\u0000\\u0001\\b\\t\\n\\f\\r\\u001f \\\"\\\\/\\u003c\\u003e\\u0026\\u003d\\u0027\x7f"
        "\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\xe2\x81\xa8\xc3\xa4\xf0\x9f\x98\x80\\u2029\"");
    expect_json(text, false,
                "\"\\u0000\\u0001\\b\\t\\n\\f\\r\\u001f \\\"\\\\/<>&='\x7f"
                "\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"
                "\xe2\x81\xa8\xc3\xa4\xf0\x9f\x98\x80\xe2\x80\xa9\"");
}

/* ---- the library judges ---------------------------------------------------------------------- */

static json_t *load(struct bo_span in)
{
    json_error_t error;
    json_t *root =
        json_loadb((const char *)in.p, in.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!root)
        fail_msg("%s at %d of %.*s", error.text, error.position, (int)in.n, (const char *)in.p);
    return root;
}

static bool is_string(const json_t *json, struct bo_span text)
{
    return json_is_string(json) &&
           bo_span_equal(text, (struct bo_span){(const uint8_t *)json_string_value(json),
                                                json_string_length(json)});
}

static void judge_value(const json_t *json, const struct statehist_model *model,
                        const struct statehist_interval *at)
{
    switch (at->type) {
    case STATEHIST_INT:
    case STATEHIST_LONG:
        assert_true(json_is_integer(json) && json_integer_value(json) == (int64_t)at->value);
        break;
    case STATEHIST_DOUBLE:
        if (!bo_double_is_finite(at->value))
            assert_true(json_is_string(json));
        else
            assert_true(json_is_real(json) && bo_double_bits(json_real_value(json)) == at->value);
        break;
    case STATEHIST_STRING:
        assert_true(is_string(json, model->strings[at->value]));
        break;
    case STATEHIST_BOOL:
        assert_true(json_is_boolean(json) && json_is_true(json) == (at->value != 0));
        break;
    default:
        assert_true(json_is_null(json));
    }
}

/* How many nodes the library finds, each where the model has it. */
static uint32_t count_nodes(const json_t *node, uint32_t quark, const struct statehist_model *model)
{
    uint32_t n = 0;
    const char *name;
    json_t *child;
    json_object_foreach(json_object_get(node, "children"), name, child)
    {
        const uint32_t key = (uint32_t)json_integer_value(json_object_get(child, "key"));
        assert_true(key < model->n_quarks && model->attributes[key].parent == quark);
        assert_true(bo_span_equal(bo_span_of(name), model->attributes[key].name));
        n += 1 + count_nodes(child, key, model);
    }
    return n;
}

static void judge_snapshot(const struct statehist_model *model)
{
    struct statehist_part parts[3];
    json_t *roots[3];
    assert_int_equal(statehist_get_parts(encode("snapshot-json", model), 3, parts, NULL), BO_OK);
    for (unsigned i = 0; i < 3; i++)
        roots[i] = load(parts[i].in);
    const json_t *types = json_object_get(roots[0], "types");
    const json_t *values = json_object_get(roots[2], "values");
    assert_true(json_array_size(types) == model->n_quarks);
    assert_true(json_array_size(values) == model->n_quarks);
    assert_true(json_integer_value(json_object_get(roots[2], "time")) == model->start);
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        const json_t *value = json_array_get(values, q), *type = json_array_get(types, q);
        assert_true(json_integer_value(json_object_get(value, "key")) == q);
        assert_string_equal(json_string_value(json_object_get(type, "type")),
                            statehist_type_names[model->intervals[q].type]);
        judge_value(json_object_get(value, "value"), model, &model->intervals[q]);
    }
    assert_true(count_nodes(json_object_get(roots[1], "root"), STATEHIST_ROOT, model) ==
                model->n_quarks);
    for (unsigned i = 0; i < 3; i++)
        json_decref(roots[i]);
}

/* Today's file is JSON where it has no bare NaN. */
static void judge_todays(const struct statehist_model *model)
{
    for (size_t i = 0; i < model->n_intervals; i++)
        if (model->intervals[i].type == STATEHIST_DOUBLE &&
            !bo_double_is_finite(model->intervals[i].value))
            return;
    json_t *root = load(encode("snapshot-today", model));
    const json_t *attributes = json_object_get(root, "attributes");
    assert_true(json_array_size(attributes) == model->n_quarks);
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        const json_t *attribute = json_array_get(attributes, q);
        const json_t *path = json_object_get(attribute, "Path");
        uint32_t at = q;
        for (size_t i = json_array_size(path); i-- > 0; at = model->attributes[at].parent)
            assert_true(is_string(json_array_get(path, i), model->attributes[at].name));
        assert_true(at == STATEHIST_ROOT);
        if (model->intervals[q].type != STATEHIST_NULL)
            judge_value(json_object_get(json_object_get(attribute, "Value"), "value"), model,
                        &model->intervals[q]);
    }
    json_decref(root);
}

/* ---- history, snapshot, state ---------------------------------------------------------------- */

/* The full state at a time, as the codec answers it; NaNs as JSON has them. */
static struct bo_span full_state(const char *codec_name, const void *model, int64_t time)
{
    const struct bo_codec *codec = bo_find_codec(format, codec_name);
    const struct statehist_time_query query = {time};
    const size_t cap = 16 + 10 * (size_t)((const struct statehist_model *)model)->n_quarks + 16;
    struct bo_sink sink = {bo_alloc(&arena, cap), 0, cap};
    void *reader;
    assert_int_equal(codec->open(codec, encode(codec_name, model), &arena, &reader, NULL), BO_OK);
    assert_int_equal(codec->query(codec, reader, STATEHIST_FULL_STATE, &query, 1, &sink, NULL),
                     BO_OK);
    struct statehist_values *head = (struct statehist_values *)(void *)sink.p;
    uint64_t *values = (uint64_t *)(void *)(head + 1);
    const uint8_t *types = (const uint8_t *)(values + head->n);
    for (size_t i = 0; i < head->n; i++)
        if (types[i] == STATEHIST_DOUBLE && statehist_is_nan(values[i]))
            values[i] = STATEHIST_NAN;
    return (struct bo_span){sink.p, sink.n};
}

/* Two levels of JSON an attribute, of the 2048 that jansson reads; test_deep_tree has more. */
static bool jansson_reads(const struct statehist_model *model)
{
    enum { MAX_DEPTH = 1000 };
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        unsigned depth = 1;
        for (uint32_t p = model->attributes[q].parent; p != STATEHIST_ROOT && depth <= MAX_DEPTH;
             p = model->attributes[p].parent)
            depth++;
        if (depth > MAX_DEPTH)
            return false;
    }
    return true;
}

TEST_WITH(test_snapshots_of_histories, set_up, tear_down)
{
    static const char *const histories[] = {"flat", "typed", "typed-null", "typed-null-sorted"};
    unsigned n_judged = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const struct bo_arena_mark mark = bo_arena_mark(&arena);
        const struct statehist_model *model = generate_model(seed, 20 + 5 * seed, &arena);
        if (!jansson_reads(model))
            continue;
        n_judged++;
        struct bo_random random = bo_random_seeded(seed);
        const int64_t times[] = {
            model->start, model->end,
            model->n_intervals
                ? model->intervals[bo_random_below(&random, (uint32_t)model->n_intervals)].end
                : model->start};
        for (size_t t = 0; t < N_ELEMENTS(times); t++) {
            void *snapshot;
            assert_int_equal(statehist_take_instant(model, times[t], &arena, &snapshot, NULL),
                             BO_OK);
            judge_snapshot(snapshot);
            judge_todays(snapshot);
            const struct bo_span expected = full_state(histories[seed % 4], model, times[t]);
            for (size_t c = 0; c < N_ELEMENTS(snapshot_codecs); c++)
                assert_true(
                    bo_span_equal(expected, full_state(snapshot_codecs[c], snapshot, times[t])));
        }
        bo_arena_rewind(&arena, mark);
    }
    assert_true(n_judged > 50);
}

/* JSON has one NaN of all doubles. A long with the bits of a NaN is another value. */
TEST_WITH(test_nans_are_doubles, set_up, tear_down)
{
    void *reduced;
    const void *model = parse_text(HISTORY(5, 5) "Q\t0\t-1\ta\nQ\t1\t-1\tb\nQ\t2\t-1\tc\n"
                                                 "I\t0\t5\t5\tl\t9221120237041090565\n"
                                                 "I\t1\t5\t5\td\t0xfff8000000000005\n"
                                                 "I\t2\t5\t5\td\t-Infinity\n",
                                   &arena);
    const struct bo_codec *codec = bo_find_codec(format, "snapshot-json");
    assert_int_equal(codec->reduce(codec, model, &arena, &reduced, NULL), BO_OK);
    const struct statehist_interval *at = ((const struct statehist_model *)reduced)->intervals;
    assert_true(at[0].value == (STATEHIST_NAN | 5) && at[1].value == STATEHIST_NAN);
    assert_true(at[2].value == UINT64_C(0xfff0000000000000));
}

/* A history of more than an instant is no snapshot. */
TEST_WITH(test_no_snapshot, set_up, tear_down)
{
    const void *model = parse_text(HISTORY(1, 2) "Q\t0\t-1\ta\nI\t0\t1\t2\tn\t\n", &arena);
    for (size_t c = 0; c < N_ELEMENTS(snapshot_codecs); c++) {
        struct bo_writer out;
        bo_writer_init(&out, &arena);
        const struct bo_codec *codec = bo_find_codec(format, snapshot_codecs[c]);
        assert_int_equal(codec->encode(codec, model, &out, NULL), BO_UNSUPPORTED);
        bo_writer_free(&out);
    }
}

/* ---- depth ----------------------------------------------------------------------------------- */

TEST_WITH(test_deep_tree, set_up, tear_down)
{
    enum { DEPTH = 300000 };
    struct statehist_builder builder;
    struct statehist_model *model;
    void *again;
    assert_true(statehist_builder_init(&builder, false, &arena));
    for (uint32_t q = 0; q < DEPTH; q++) {
        const struct statehist_interval interval = {5, 5, 0, q, STATEHIST_NULL};
        assert_true(statehist_add_attribute(&builder, bo_span_of("a"), q - 1));
        assert_true(statehist_add_interval(&builder, &interval));
    }
    assert_int_equal(statehist_finish(&builder, 5, 5, &model, NULL), BO_OK);
    static const char *const codecs[] = {"flat", "typed-null-sorted", "snapshot-json",
                                         "snapshot-packed"};
    for (size_t c = 0; c < N_ELEMENTS(codecs); c++) {
        const struct bo_codec *codec = bo_find_codec(format, codecs[c]);
        assert_int_equal(codec->decode(codec, encode(codecs[c], model), &arena, &again, NULL),
                         BO_OK);
        assert_null(format->differ(model, again));
    }
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    const struct bo_codec *found = bo_find_codec(format, "snapshot-today");
    assert_int_equal(found->encode(found, model, &out, NULL), BO_UNSUPPORTED);
    bo_writer_free(&out);
}

/* ---- long strings ---------------------------------------------------------------------------- */

TEST_WITH(test_long_strings, set_up, tear_down)
{
    static const size_t lengths[] = {65534, 65535, 65536, 200000};
    for (size_t i = 0; i < N_ELEMENTS(lengths); i++) {
        struct statehist_builder builder;
        struct statehist_model *model;
        struct statehist_interval interval = {5, 5, 0, 0, STATEHIST_STRING};
        uint8_t *text = bo_alloc(&arena, lengths[i]);
        uint32_t number;
        void *again;
        assert_non_null(text);
        memset(text, 'x', lengths[i]);
        assert_true(statehist_builder_init(&builder, false, &arena));
        assert_true(statehist_add_attribute(&builder, bo_span_of("a"), STATEHIST_ROOT));
        assert_true(statehist_add_string(&builder, (struct bo_span){text, lengths[i]}, &number));
        interval.value = number;
        assert_true(statehist_add_interval(&builder, &interval));
        assert_int_equal(statehist_finish(&builder, 5, 5, &model, NULL), BO_OK);
        const struct bo_codec *codec = bo_find_codec(format, "typed-null");
        assert_int_equal(codec->decode(codec, encode("typed-null", model), &arena, &again, NULL),
                         BO_OK);
        assert_null(format->differ(model, again));
    }
}

/* Lengths that a file has no room for are refused before a byte of the strings is read. */
TEST_WITH(test_too_long_strings, set_up, tear_down)
{
    static const struct {
        const char *codec;
        uint64_t most; /* bytes */
        const char *what;
    } cases[] = {
        {"flat", INT32_MAX, "string has 2^31 bytes or more"},
        {"arrays", UINT32_MAX, "4 GiB of texts or more"},
    };
    if (SIZE_MAX == UINT32_MAX) /* no string is so long */
        skip();
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        for (unsigned is_name = 0; is_name < (i ? 2 : 1); is_name++) {
            struct statehist_model model = *(const struct statehist_model *)parse_text(
                HISTORY(5, 5) "Q\t0\t-1\ta\nI\t0\t5\t5\ts\tx\n", &arena);
            struct statehist_attribute attribute = model.attributes[0];
            struct bo_span string = is_name ? model.strings[0] : attribute.name;
            struct bo_span *longest = is_name ? &attribute.name : &string;
            struct bo_error error = {0};
            struct bo_writer out;
            struct bo_arena little;
            const struct bo_codec *codec = bo_find_codec(format, cases[i].codec);
            model.attributes = &attribute;
            model.strings = &string;
            bo_arena_init(&little, 1 << 16);
            longest->n = (size_t)cases[i].most + 1;
            bo_writer_init(&out, &little);
            assert_int_equal(codec->encode(codec, &model, &out, &error), BO_UNSUPPORTED);
            assert_string_equal(error.what, cases[i].what);
            bo_writer_free(&out);
            longest->n = (size_t)cases[i].most;
            bo_writer_init(&out, &little);
            assert_true(codec->encode(codec, &model, &out, &error) != BO_UNSUPPORTED);
            bo_writer_free(&out);
            bo_arena_free(&little);
        }
}

TEST_FILE(NULL, NULL)
