/*
 * Models from declarations. Why: formats rely on the text form, the rules and the generator of a
 * declaration, and test only what they add.
 */
#include "harness/records.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/core/test_fixture.h"

struct mixed {
    uint64_t key;
    int16_t change;
    uint8_t kind;
    struct bo_span name;
};

static const struct bo_field mixed_fields[] = {
    BO_FIELD(struct mixed, key, BO_HEX),
    BO_FIELD(struct mixed, change, BO_SIGNED),
    BO_FIELD(struct mixed, kind, BO_DECIMAL, .max = 9, .optional = true),
    BO_FIELD(struct mixed, name, BO_NAME),
};

#define SHAPE(text_form, order_of, ...)                                                    \
    {                                                                                      \
        .name = "mixed", .unit = "things", .record_nbytes = sizeof(struct mixed),          \
        .fields = mixed_fields, .n_fields = N_ELEMENTS(mixed_fields), .order = (order_of), \
        .text = (text_form), __VA_ARGS__                                                   \
    }

static const char *no_main(const void *before, const void *record)
{
    const struct mixed *mixed = record;
    return bo_span_equal(mixed->name, bo_span_of("main")) ? "thing is called main" : NULL;
}

static const struct bo_shape lines = SHAPE(BO_LINES, BO_MAP, .flaw = no_main),
                             json = SHAPE(BO_JSON, BO_ASCENDING),
                             any = SHAPE(BO_LINES, BO_ANY_ORDER);

struct range {
    uint32_t start, end;
    uint64_t value;
};

static const struct bo_field range_fields[] = {
    BO_FIELD(struct range, start, BO_DECIMAL),
    BO_FIELD(struct range, end, BO_DECIMAL),
    BO_FIELD(struct range, value, BO_DECIMAL, .uniform = true),
};

static const struct bo_shape ranges = {.name = "ranges",
                                       .unit = "ranges",
                                       .record_nbytes = sizeof(struct range),
                                       .fields = range_fields,
                                       .n_fields = N_ELEMENTS(range_fields),
                                       .order = BO_INTERVALS};

struct signed_key {
    int32_t at;
};
static const struct bo_field signed_fields[] = {BO_FIELD(struct signed_key, at, BO_SIGNED)};
struct hash {
    uint64_t hash;
};
static const struct bo_field hash_fields[] = {BO_FIELD(struct hash, hash, BO_HEX, .uniform = true)};
static const struct bo_shape signed_keys = {.name = "signed",
                                            .unit = "keys",
                                            .record_nbytes = sizeof(struct signed_key),
                                            .fields = signed_fields,
                                            .n_fields = 1,
                                            .order = BO_MAP},
                             hashes = {.name = "hashes",
                                       .unit = "keys",
                                       .record_nbytes = sizeof(struct hash),
                                       .fields = hash_fields,
                                       .n_fields = 1,
                                       .order = BO_MAP};

struct limited {
    uint8_t first, second;
};
static const struct bo_field limited_fields[] = {
    BO_FIELD(struct limited, first, BO_DECIMAL, .max = 9),
    BO_FIELD(struct limited, second, BO_DECIMAL, .max = 19)};
static const struct bo_shape limits = {.name = "limits",
                                       .unit = "things",
                                       .record_nbytes = sizeof(struct limited),
                                       .fields = limited_fields,
                                       .n_fields = 2,
                                       .order = BO_ANY_ORDER};

struct words {
    uint16_t word, last;
};
static const struct bo_field word_fields[] = {
    BO_FIELD(struct words, word, BO_HEX, .optional = true),
    BO_FIELD(struct words, last, BO_HEX, .max = 0xfe),
};
#define WORDS(text_form)                                                                 \
    {                                                                                    \
        .name = "words", .unit = "words", .record_nbytes = sizeof(struct words),         \
        .fields = word_fields, .n_fields = 2, .order = BO_ANY_ORDER, .text = (text_form) \
    }
static const struct bo_shape words = WORDS(BO_LINES), json_words = WORDS(BO_JSON);

static const struct bo_shape *const shapes[] = {&lines,  &json,        &any,
                                                &ranges, &signed_keys, &hashes};

TEST(test_largest_numbers)
{
    static const struct limited most = {9, 19}, first = {10, 19}, second = {9, 20};
    assert_null(bo_record_flaw(&limits, NULL, &most));
    assert_string_equal(bo_record_flaw(&limits, NULL, &first), limited_fields[0].wrong);
    assert_string_equal(bo_record_flaw(&limits, NULL, &second), limited_fields[1].wrong);
}

static struct bo_span print(const struct bo_shape *shape, const void *model)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    assert_int_equal(bo_records_print(shape, model, &out, NULL), BO_OK);
    uint8_t *p = bo_alloc(&arena, out.n);
    assert_non_null(p);
    memcpy(p, out.p, out.n);
    const struct bo_span text = {p, out.n};
    bo_writer_free(&out);
    return text;
}

/* ---- the text form --------------------------------------------------------------------------- */

static void expect_text(const struct bo_shape *shape, const char *text)
{
    struct bo_error error = {0};
    void *model;
    if (bo_records_parse(shape, bo_span_of(text), &arena, &model, &error))
        fail_msg("%s at byte %u of:\n%s", error.what, (unsigned)error.off, text);
    assert_true(bo_span_equal(print(shape, model), bo_span_of(text)));
}

TEST_WITH(test_text_is_canonical, set_up, tear_down)
{
    expect_text(&lines, "mixed 1\n0x0 -32768 0 \\e\n0x1 32767 - a b\\\\ \\x0a\n"
                        "0xffffffffffffffff 0 9 \xff-\n");
    expect_text(&any, "mixed 1\n0x2 1 1 main\n0x1 1 1 main\n0x1 1 1 main\n");
    expect_text(&json, "{\"format\": \"mixed\", \"version\": 1}\n"
                       "{\"key\": \"0x0\", \"change\": -1, \"kind\": null, \"name\": \"\"}\n"
                       "{\"key\": \"0x0\", \"change\": 1, \"kind\": 9, \"name\": \"\\\"\\\\"
                       "\\u001f\xc3\xa4\"}\n");
    expect_text(&ranges, "ranges 1\n0 1 18446744073709551615\n1 4294967295 0\n");
    expect_text(&ranges, "ranges 1\n");
    expect_text(&words, "words 1\n0xfffe 0xfe\n- 0x0\n");
    expect_text(&json_words, "{\"format\": \"words\", \"version\": 1}\n"
                             "{\"word\": null, \"last\": \"0x0\"}\n"
                             "{\"word\": \"0xfffe\", \"last\": \"0xfe\"}\n");
}

TEST_WITH(test_text_with_blanks_and_comments, set_up, tear_down)
{
    void *a, *b;
    const char *loose = "\n# a comment\n{ \"format\" : \"mixed\",\"version\":1 }\n\n"
                        "{\"key\":\t\"0x7\",\"change\":5\t,\"kind\":2,\"name\":\"\\u007f\"} \n";
    assert_int_equal(bo_records_parse(&json, bo_span_of(loose), &arena, &a, NULL), BO_OK);
    const struct bo_span text = print(&json, a);
    assert_int_equal(bo_records_parse(&json, text, &arena, &b, NULL), BO_OK);
    assert_null(bo_records_differ(&json, a, b));
    const struct mixed *first = ((struct bo_records *)a)->items;
    assert_true(first->key == 7 && first->change == 5 && first->kind == 2 && first->name.n == 1 &&
                first->name.p[0] == 0x7f);
}

/* A text with one @ before the byte that the error names. */
static void expect_mistake(const struct bo_shape *shape, const char *marked, const char *what)
{
    char text[256];
    struct bo_error error = {0};
    void *model;
    const size_t off = (size_t)(strchr(marked, '@') - marked);
    memcpy(text, marked, off);
    strcpy(text + off, marked + off + 1);
    const enum bo_status status = bo_records_parse(shape, bo_span_of(text), &arena, &model, &error);
    if (status != BO_CORRUPT || error.off != off || strcmp(error.what, what) != 0)
        fail_msg("%s: %s at byte %u, not %s", marked, error.what ? error.what : "no error",
                 (unsigned)error.off, what);
}

TEST_WITH(test_mistakes_of_lines, set_up, tear_down)
{
    static const char version[] = "first line does not name the format and its version 1";
    expect_mistake(&lines, "@", version);
    expect_mistake(&lines, "@mixed 2\n", version);
    expect_mistake(&lines, "@mixed1\n", version);
    expect_mistake(&lines, "mixed 1\n0x0@", "record ends before its field change");
    expect_mistake(&lines, "mixed 1\n0x0 1 1@", "record ends before its field name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 @", "name is missing; an empty one is written as \\e");
    expect_mistake(&lines, "mixed 1\n@0 1 1 a", "key is not a value in its range");
    expect_mistake(&lines, "mixed 1\n@0x 1 1 a", "key is not a value in its range");
    expect_mistake(&lines, "mixed 1\n@0x01 1 1 a", "key is not a value in its range");
    expect_mistake(&lines, "mixed 1\n@0xA 1 1 a", "key is not a value in its range");
    expect_mistake(&lines, "mixed 1\n@0x11111111111111111 1 1 a",
                   "key is not a value in its range");
    expect_mistake(&lines, "mixed 1\n0x0 @ 1 1 a", "change is not a value in its range");
    expect_mistake(&lines, "mixed 1\n0x0 @32768 1 a", "change is not a value in its range");
    expect_mistake(&lines, "mixed 1\n0x0 @-32769 1 a", "change is not a value in its range");
    expect_mistake(&lines, "mixed 1\n0x0 1 @10 a", "kind is not a value in its range");
    expect_mistake(&lines, "mixed 1\n0x0 1 @255 a", "kind is not a value in its range");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\\y", "escape is not one of those of a name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\\x0", "escape is not one of those of a name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\\x41", "escape is not one of those of a name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\\x20", "escape is not one of those of a name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\\", "escape is not one of those of a name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\tb",
                   "control character in a name without an escape");
    expect_mistake(&lines, "mixed 1\n0x1 1 1 a\n@0x1 1 1 b", "key is out of order");
    expect_mistake(&lines, "mixed 1\n@0x1 1 1 main", "thing is called main");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\\x1g", "escape is not one of those of a name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\\xg1", "escape is not one of those of a name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\\x7e", "escape is not one of those of a name");
    expect_mistake(&lines, "mixed 1\n0x0 1 1 a@\x7f",
                   "control character in a name without an escape");
    expect_mistake(&lines, "mixed 1\n@0x/ 1 1 a", "key is not a value in its range");
    expect_mistake(&lines, "mixed 1\n@0x: 1 1 a", "key is not a value in its range");
    expect_mistake(&lines, "mixed 1\n@0x` 1 1 a", "key is not a value in its range");
    expect_mistake(&lines, "mixed 1\n@0xg 1 1 a", "key is not a value in its range");
    expect_mistake(&words, "words 1\n@0x10000 0x0", "word is not a value in its range");
    expect_mistake(&words, "words 1\n0x0 @0xff", "last is not a value in its range");
    expect_mistake(&ranges, "ranges 1\n0 1 1@ 1", "text after the last field");
    expect_mistake(&ranges, "ranges 1\n0 1 @", "value is not a value in its range");
    expect_mistake(&ranges, "ranges 1\n@1 1 1", "end is out of order");
    expect_mistake(&ranges, "ranges 1\n1 3 1\n@2 4 1", "start is out of order");
    expect_mistake(&ranges, "ranges 1\n0 @4294967296 1", "end is not a value in its range");
    expect_mistake(&signed_keys, "signed 1\n-1\n0\n@-1", "at is out of order");
}

#define JSON_START "{\"format\": \"mixed\", \"version\": 1}\n{\"key\": "
TEST_WITH(test_mistakes_of_json, set_up, tear_down)
{
    expect_mistake(&json, "{\"format\": @\"other\", \"version\": 1}\n",
                   "first line does not name the format and its version 1");
    expect_mistake(&json, "{\"format\": \"mixed\"@",
                   "first line does not name the format and its version 1");
    expect_mistake(&json, "{@: \"mixed\", \"version\": 1}\n",
                   "first line does not name the format and its version 1");
    static const char *const first_lines[] = {
        "@",
        "@[",
        "{@",
        "{\"format\"@",
        "{\"format\": @",
        "{\"format\": @\"mixer\"",
        "{\"format\": @\"mixed",
        "{\"format\": @\"mixed:",
        "{\"format\": \"mixed\"@",
        "{\"format\": \"mixed\", @",
        "{\"format\": \"mixed\", @\"kind\": 1}",
        "{\"format\": \"mixed\", \"version\"@",
        "{\"format\": \"mixed\", \"version\": @",
        "{\"format\": \"mixed\", \"version\": @2}",
        "{\"format\": \"mixed\", \"version\": 1@",
        "{\"format\": \"mixed\", \"version\": 1@0}",
        "{\"format\": \"mixed\", \"version\": 1}@ ",
    };
    for (size_t i = 0; i < N_ELEMENTS(first_lines); i++)
        expect_mistake(&json, first_lines[i],
                       "first line does not name the format and its version 1");
    expect_mistake(&json_words, "{\"format\": \"words\", \"version\": 1}\n{\"word\": \"@null\"",
                   "word is not a value in its range");
    expect_mistake(&json_words, "{\"format\": \"words\", \"version\": 1}\n{\"word\": @1",
                   "word is not a value in its range");
    expect_mistake(&json_words,
                   "{\"format\": \"words\", \"version\": 1}\n{\"word\": null, \"last\": @null",
                   "last is not a value in its range");
    expect_mistake(&json, JSON_START "\"0x1\", @\"changes\": 1",
                   "record ends before its field change");
    expect_mistake(&json, JSON_START "@1, ", "key is not a value in its range");
    expect_mistake(&json, JSON_START "\"@1\", ", "key is not a value in its range");
    expect_mistake(&json, JSON_START "\"@0x1, ", "string has no end");
    expect_mistake(&json, JSON_START "\"0x1\" @\"change\"", "record ends before its field change");
    expect_mistake(&json, JSON_START "\"0x1\", @\"name\"", "record ends before its field change");
    expect_mistake(&json, JSON_START "\"0x1\", @: 1", "record ends before its field change");
    expect_mistake(&json, JSON_START "\"0x1\", \"change\": \"@1\"",
                   "change is not a value in its range");
    expect_mistake(&json, JSON_START "\"0x1\", \"change\": 1, \"kind\": \"@null\"",
                   "kind is not a value in its range");
    expect_mistake(&json, JSON_START "\"0x1\", \"change\": 1, \"kind\": 1, \"name\": @null",
                   "name is not a value in its range");
    expect_mistake(&json, JSON_START "\"0x1\", \"change\": 1, \"kind\": 1, \"name\": \"@\xff\"}",
                   "name is not UTF-8");
    static const char *const escapes[] = {"\\x0a",          "\\u00e",     "\\u00g0",
                                          "\\ud83d",        "\\ud83d\\n", "\\ud83d\\ud83d",
                                          "\\ude00\\ud83d", "\\N",        "\\U000a"};
    for (size_t i = 0; i < N_ELEMENTS(escapes); i++) {
        char text[160];
        snprintf(text, sizeof text,
                 JSON_START "\"0x1\", \"change\": 1, \"kind\": 1, \"name\": \"a@%s\"}", escapes[i]);
        expect_mistake(&json, text, "escape is not one of those of a name");
    }
    expect_mistake(&json, JSON_START "\"0x1\", \"change\": 1, \"kind\": 1, \"name\": \"a\"@",
                   "object does not end after its last field");
    expect_mistake(&json, JSON_START "\"0x1\", \"change\": 1, \"kind\": 1, \"name\": \"a\"}@,",
                   "text after the last field");
}

/* What other writers of JSON print is accepted, and printed in one way. */
TEST_WITH(test_json_escapes, set_up, tear_down)
{
    static const char written[] = JSON_START
        "\"0x1\", \"change\": 1, \"kind\": 1, \"name\": "
        "\"\\u0041\\u00E9\\u20ac\\ud83d\\uDE00\\b\\f\\n\\r\\t\\/\\\\\\\"\x7f\\u0000\"}\n";
    void *model;
    assert_int_equal(bo_records_parse(&json, bo_span_of(written), &arena, &model, NULL), BO_OK);
    const struct bo_span text = print(&json, model);
    static const char printed[] = JSON_START
        "\"0x1\", \"change\": 1, \"kind\": 1, \"name\": "
        "\"A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\\u0008\\u000c\\u000a\\u000d\\u0009/\\\\\\\""
        "\\u007f\\u0000\"}\n";
    assert_true(bo_span_equal(text, bo_span_of(printed)));
    expect_text(&json, printed);
}

static void expect_declaration(const struct bo_shape *shape, const char *flaw)
{
    struct bo_error err = {0};
    void *model;
    const char *found = bo_shape_flaw(shape);
    assert_string_equal(found ? found : "none", flaw);
    assert_int_equal(bo_records_parse(shape, bo_span_of("mixed 1\n"), &arena, &model, &err),
                     BO_UNSUPPORTED);
    assert_string_equal(err.what, flaw);
}

TEST_WITH(test_declarations, set_up, tear_down)
{
    static const char
        integer[] = "declaration: an integer does not have 1, 2, 4 or 8 bytes",
        name[] = "declaration: a name is not a struct bo_span in the last of several fields",
        form[] = "declaration: a field that is not unsigned is optional or has a maximum",
        outside[] = "declaration: a field is outside of the record",
        intervals[] = "declaration: intervals do not start with two unsigned fields";
    struct bo_field fields[4];
    struct bo_shape shape = any;
    for (size_t i = 0; i < N_ELEMENTS(shapes); i++)
        assert_null(bo_shape_flaw(shapes[i]));
    shape.fields = fields;
#define EXPECT(flaw, change)                         \
    do {                                             \
        memcpy(fields, mixed_fields, sizeof fields); \
        change;                                      \
        expect_declaration(&shape, flaw);            \
    } while (0)
    EXPECT(integer, fields[0].nbytes = 3);
    EXPECT(integer, fields[1].nbytes = 16);
    EXPECT(name, fields[3].nbytes = 8);
    EXPECT(name, fields[2] = fields[3]);
    EXPECT(form, fields[1].optional = true);
    EXPECT(form, fields[1].max = 5);
    EXPECT(form, fields[3].optional = true);
    EXPECT(outside, fields[0].off = sizeof(struct mixed) - 7);
    EXPECT(outside, fields[0].off = SIZE_MAX);
    shape.n_fields = 0;
    EXPECT("declaration: a record has no fields", (void)0);
    shape.n_fields = 1;
    EXPECT(name, fields[0] = fields[3]);
    shape.order = BO_INTERVALS;
    EXPECT(intervals, (void)0);
    shape.n_fields = 4;
    EXPECT(intervals, (void)0); /* the second is signed */
    EXPECT(intervals, fields[0] = fields[1]);
    shape.n_fields = 2;
    EXPECT(intervals, fields[1] = fields[3]);
}

/* ---- generated models ------------------------------------------------------------------------ */

static void expect_sound(const struct bo_shape *shape, const void *model, const char *how,
                         unsigned seed)
{
    void *again;
    struct bo_error error = {0};
    const char *flaw = bo_records_flaw(shape, model);
    if (flaw)
        fail_msg("%s, %s, seed %u: %s", shape->name, how, seed, flaw);
    const struct bo_span text = print(shape, model);
    if (bo_records_parse(shape, text, &arena, &again, &error))
        fail_msg("%s, %s, seed %u: %s at byte %u", shape->name, how, seed, error.what,
                 (unsigned)error.off);
    assert_null(bo_records_differ(shape, model, again));
}

TEST_WITH(test_generated_models_are_sound, set_up, tear_down)
{
    for (size_t s = 0; s < N_ELEMENTS(shapes); s++)
        for (unsigned seed = 0; seed < 60; seed++) {
            struct bo_random random = bo_random_seeded(seed), noise = bo_random_seeded(seed);
            uint8_t entropy[600];
            for (size_t i = 0; i < sizeof entropy; i++)
                entropy[i] = bo_random_u8(&noise);
            if (seed % 2)
                random = bo_random_from_bytes((struct bo_span){entropy, seed * 10});
            void *model, *before;
            assert_int_equal(bo_records_generate(shapes[s], &random, seed, &arena, &model, NULL),
                             BO_OK);
            assert_true(((struct bo_records *)model)->n <= seed);
            expect_sound(shapes[s], model, "generated", seed);
            for (unsigned change = 0; change < 12; change++) {
                before = model;
                const struct bo_span text = print(shapes[s], before);
                assert_int_equal(bo_records_mutate(shapes[s], before, &noise, &arena, &model, NULL),
                                 BO_OK);
                expect_sound(shapes[s], model, "changed", seed);
                assert_true(bo_span_equal(print(shapes[s], before), text));
            }
            assert_int_equal(
                bo_records_resample(shapes[s], before, 50, &noise, &arena, &model, NULL), BO_OK);
            expect_sound(shapes[s], model, "resampled", seed);
        }
}

TEST_WITH(test_models_have_what_they_should, set_up, tear_down)
{
    struct bo_random random = bo_random_seeded(1);
    bool changed[2] = {false};
    void *model, *many;
    struct bo_unit units[BO_MAX_UNITS];
    assert_int_equal(bo_records_generate(&any, &random, 100, &arena, &model, NULL), BO_OK);
    assert_int_equal(bo_records_units(&any, model, units), 2);
    assert_true(units[0].n == 100 && units[1].n > 200);
    struct bo_sequences fields = {.arena = &arena};
    uint64_t n_distinct;
    bo_records_fields(&any, model, &fields);
    assert_false(fields.refused);
    assert_true(bo_order0_nbits(&fields.items[0], &n_distinct) > 100 && n_distinct > 2);
    assert_int_equal(bo_records_generate(&ranges, &random, 100, &arena, &model, NULL), BO_OK);
    assert_true(((struct bo_records *)model)->n > 10);
    assert_int_equal(bo_records_generate(&hashes, &random, 100, &arena, &model, NULL), BO_OK);
    assert_int_equal(((struct bo_records *)model)->n, 100);
    /* Some mutations change the number of records, others a field of one record. */
    for (unsigned i = 0; i < 200; i++) {
        assert_int_equal(bo_records_mutate(&hashes, model, &random, &arena, &many, NULL), BO_OK);
        const struct bo_records *before = model, *after = many;
        changed[before->n == after->n] |= bo_records_differ(&hashes, model, many) != NULL;
    }
    assert_true(changed[false] && changed[true]);
    assert_int_equal(bo_records_resample(&hashes, model, 5000, &random, &arena, &many, NULL),
                     BO_OK);
    assert_int_equal(((struct bo_records *)many)->n, 5000);
    /* A document with regular steps keeps them at other sizes. */
    struct range steady[10];
    for (unsigned i = 0; i < 10; i++)
        steady[i] = (struct range){100 * i, 100 * i + 40, i};
    const struct bo_records like = {steady, 10};
    assert_int_equal(bo_records_resample(&ranges, &like, 1000, &random, &arena, &many, NULL),
                     BO_OK);
    const struct bo_records *resampled = many;
    assert_int_equal(resampled->n, 1000);
    const struct range *last = bo_record(&ranges, resampled, 999);
    assert_in_range(last->start, 85000, 100900);
    assert_int_equal(last->end - last->start, 40);
    assert_int_equal(bo_records_lower_bound(&ranges, &like, 101), 2);
    assert_int_equal(bo_records_lower_bound(&ranges, &like, 901), 10);
}

/* A mutation of a range's value leaves its bounds; a new end lies after the start. */
TEST_WITH(test_mutated_ranges, set_up, tear_down)
{
    struct range items[10];
    struct bo_random random = bo_random_seeded(3);
    const struct bo_records steady = {items, 10};
    unsigned n_values = 0, n_ends = 0;
    for (unsigned i = 0; i < 10; i++)
        items[i] = (struct range){100 * i, 100 * i + 40, i};
    for (unsigned i = 0; i < 400; i++) {
        void *mutant;
        assert_int_equal(bo_records_mutate(&ranges, &steady, &random, &arena, &mutant, NULL),
                         BO_OK);
        const struct bo_records *mutated = mutant;
        unsigned n_different = 0, at = 0;
        for (unsigned k = 0; mutated->n == 10 && k < 10; k++)
            if (memcmp(bo_record(&ranges, mutated, k), &items[k], sizeof *items) != 0)
                at = k, n_different++;
        const struct range *range = bo_record(&ranges, mutated, at), *before = &items[at];
        if (n_different != 1 || range->start != before->start)
            continue;
        assert_true(range->value == before->value || range->end == before->end);
        n_values += range->value != before->value;
        n_ends += range->end != before->end;
    }
    assert_true(n_values > 20 && n_ends > 5);
}

TEST_WITH(test_flaws, set_up, tear_down)
{
    struct mixed two[] = {{1, 2, 3, BYTES("x")}, {2, 2, 9, BYTES("y")}};
    const struct bo_records records = {two, 2};
    assert_null(bo_records_flaw(&lines, &records));
    two[1].kind = 255;
    assert_null(bo_records_flaw(&lines, &records));
    two[1].kind = 10;
    assert_string_equal(bo_records_flaw(&lines, &records), "kind is not a value in its range");
    two[1].kind = 9;
    two[1].key = 1;
    assert_string_equal(bo_records_flaw(&lines, &records), "key is out of order");
    assert_null(bo_records_flaw(&json, &records));
    two[1].key = 0;
    assert_string_equal(bo_records_flaw(&json, &records), "key is out of order");
    struct words word = {UINT16_MAX, 0xfe};
    const struct bo_records one = {&word, 1};
    assert_null(bo_records_flaw(&words, &one));
    word.last = UINT16_MAX;
    assert_string_equal(bo_records_flaw(&words, &one), "last is not a value in its range");
    struct signed_key keys[] = {{-5}, {-1}, {3}};
    const struct bo_records below_zero = {keys, 3};
    assert_int_equal(bo_records_lower_bound(&signed_keys, &below_zero, (uint64_t)-5), 0);
    assert_int_equal(bo_records_lower_bound(&signed_keys, &below_zero, (uint64_t)-4), 1);
    assert_int_equal(bo_records_lower_bound(&signed_keys, &below_zero, 0), 2);
    assert_int_equal(bo_records_lower_bound(&signed_keys, &below_zero, 4), 3);
}

/* The number that means "absent" is larger than any that a field holds. */
TEST(test_the_largest_number)
{
    static const struct bo_field fields[] = {
        BO_FIELD(struct mixed, kind, BO_DECIMAL),
        BO_FIELD(struct mixed, kind, BO_DECIMAL, .optional = true),
        BO_FIELD(struct mixed, key, BO_HEX, .optional = true),
        BO_FIELD(struct mixed, kind, BO_DECIMAL, .max = 256),
        BO_FIELD(struct mixed, kind, BO_DECIMAL, .max = 254),
    };
    assert_int_equal(bo_field_max(&fields[3]), 255);
    assert_int_equal(bo_field_max(&fields[4]), 254);
    assert_int_equal(bo_field_max(&mixed_fields[2]), 9);
    assert_int_equal(bo_field_max(&fields[0]), 255);
    assert_int_equal(bo_field_max(&fields[1]), 254);
    assert_true(bo_field_max(&fields[2]) == UINT64_MAX - 1);
}

TEST_WITH(test_differ_names_the_field, set_up, tear_down)
{
    struct mixed a = {1, 2, 3, BYTES("x")}, b = a;
    const struct bo_records one = {&a, 1}, other = {&b, 1}, none = {NULL, 0};
    assert_null(bo_records_differ(&lines, &one, &other));
    assert_string_equal(bo_records_differ(&lines, &one, &none), "number of records");
    b.kind = 4;
    assert_string_equal(bo_records_differ(&lines, &one, &other), "kind");
    b = a;
    b.name = bo_span_of("y");
    assert_string_equal(bo_records_differ(&lines, &one, &other), "name");
}

static enum bo_status make_all(const struct bo_shape *shape, struct bo_arena *small,
                               struct bo_span text, struct bo_error *err)
{
    struct bo_random random = bo_random_seeded(3);
    void *model;
    enum bo_status status = bo_records_generate(shape, &random, 9, small, &model, err);
    for (unsigned i = 0; i < 4 && !status; i++)
        status = bo_records_mutate(shape, model, &random, small, &model, err);
    if (!status)
        status = bo_records_resample(shape, model, 9, &random, small, &model, err);
    return status ? status : bo_records_parse(shape, text, small, &model, err);
}

TEST_WITH(test_failing_allocations, set_up, tear_down)
{
    const struct bo_span text = bo_span_of("mixed 1\n0x1 1 1 \\\\\n0x2 1 1 b\n");
    bool complete = false;
    for (uint64_t n = 1; !complete; n++) {
        struct bo_arena small;
        struct bo_error error = {0};
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        const enum bo_status status = make_all(&lines, &small, text, &error);
        complete = small.n_allocs < n;
        assert_int_equal(status, complete ? BO_OK : BO_NO_MEMORY);
        assert_int_equal(error.status, status);
        bo_arena_free(&small);
    }
}

TEST_FILE(NULL, NULL)
