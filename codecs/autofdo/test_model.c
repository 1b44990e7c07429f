/*
 * AutoFDO models and how they are made. Why: the checks are only as good as the models that they
 * try.
 */
#include "codecs/autofdo/test_model.h"

#include "harness/core/test_fixture.h"
#include "harness/registry.h"

/* ---- rules ----------------------------------------------------------------------------------- */

TEST(test_names_and_paths)
{
    static const char *const good[] = {"f", "_ZN1fEv", "a:b",  "x#![0", "\x7f",  "\xff",
                                       ".", "a b",     "a: b", "a:1b",  "a 1:1", "x:1:"};
    static const char *const bad[] = {"",   "0f",  "#f", "!f",    "[f",       "a\tb",
                                      " a", "f\n", "a ", "a:1 b", "a:b:12 c", "\x01"};
    for (size_t i = 0; i < N_ELEMENTS(good); i++)
        assert_null(autofdo_name_flaw(bo_span_of(good[i])));
    for (size_t i = 0; i < N_ELEMENTS(bad); i++)
        assert_non_null(autofdo_name_flaw(bo_span_of(bad[i])));
    assert_non_null(autofdo_name_flaw((struct bo_span)BYTES("a\0b")));
    assert_null(autofdo_path_flaw(bo_span_of("")));
    assert_null(autofdo_path_flaw(bo_span_of("/a b/\xc3\xa9#.c")));
    assert_non_null(autofdo_path_flaw(bo_span_of("a\nb")));
    assert_non_null(autofdo_path_flaw(bo_span_of("a\x7f")));
    assert_non_null(autofdo_path_flaw((struct bo_span)BYTES("\0")));
}

/* A model that keeps all rules, in parts that tests change. */
struct parts {
    struct autofdo_target targets[2];
    struct autofdo_record records[2];
    struct autofdo_callsite callsites[2];
    struct autofdo_function functions[2];
    struct autofdo_file files[2];
    struct autofdo_model model;
};

static void make_parts(struct parts *p)
{
    memset(p, 0, sizeof *p);
    p->targets[0] = (struct autofdo_target){bo_span_of("t1"), 3};
    p->targets[1] = (struct autofdo_target){bo_span_of("t2"), 4};
    p->records[0] = (struct autofdo_record){1, 0, 5, 2, p->targets};
    p->records[1] = (struct autofdo_record){1, 2, 6, 0, NULL};
    p->callsites[0] = (struct autofdo_callsite){7, 0, {.name = bo_span_of("c1")}};
    p->callsites[1] = (struct autofdo_callsite){7, 0, {.name = bo_span_of("c2")}};
    p->functions[0] =
        (struct autofdo_function){8, 9, {bo_span_of("f"), 2, 2, p->records, p->callsites}};
    p->functions[1] = (struct autofdo_function){0, 0, {.name = bo_span_of("g")}};
    p->files[0] = (struct autofdo_file){bo_span_of("c2"), bo_span_of("a.c")};
    p->files[1] = (struct autofdo_file){bo_span_of("f"), bo_span_of("")};
    p->model = (struct autofdo_model){2, p->functions, 2, p->files};
}

/* One rule broken at a time, by writing a number or a name over a part. */
TEST(test_flaws)
{
    static struct parts p;
    const struct {
        uint32_t *number;
        struct bo_span *name;
        const char *text; /* of the name */
        const char *flaw;
        uint32_t v; /* of the number */
    } cases[] = {
        {NULL, &p.functions[0].body.name, "", "empty name", 0},
        {NULL, &p.callsites[0].callee.name, "[c", "name starts with a digit, #, !, [ or a colon",
         0},
        {NULL, &p.targets[1].name, "u ", "name starts or ends with a blank", 0},
        {NULL, &p.targets[1].name, "u\n", "name holds a control character", 0},
        {NULL, &p.targets[1].name, "t1", "targets are not in the order of their names, each once",
         0},
        {NULL, &p.functions[1].body.name, "f",
         "functions are not in the order of their names, each once", 0},
        {NULL, &p.callsites[1].callee.name, "c1",
         "callsites are not in the order of places and names, each once", 0},
        {NULL, &p.files[1].name, "c2",
         "files are not in the order of their functions' names, each once", 0},
        {NULL, &p.files[1].name, "t1", "file of a function that is not in the profile", 0},
        {NULL, &p.files[0].path, "\n", "path holds a control character", 0},
        {&p.records[0].line, NULL, NULL, "records are not in the order of their places, each once",
         2},
        {&p.records[1].discriminator, NULL, NULL,
         "records are not in the order of their places, each once", 0},
        {&p.records[1].line, NULL, NULL, "record's line is above 65535", 65536},
        {&p.callsites[1].line, NULL, NULL, "callsite's line is above 65535", 65536},
        {&p.callsites[0].discriminator, NULL, NULL,
         "callsites are not in the order of places and names, each once", 1},
    };
    make_parts(&p);
    assert_null(autofdo_model_flaw(&p.model, &arena));
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        make_parts(&p);
        if (cases[i].number)
            *cases[i].number = cases[i].v;
        else
            *cases[i].name = bo_span_of(cases[i].text);
        const size_t region_nbytes = arena.region_nbytes;
        const char *flaw = autofdo_model_flaw(&p.model, &arena);
        assert_int_equal(arena.region_nbytes, region_nbytes);
        if (!flaw || strcmp(flaw, cases[i].flaw) != 0)
            fail_msg("case %zu: %s", i, flaw ? flaw : "no flaw");
    }
    struct bo_arena none;
    bo_arena_init(&none, 0);
    make_parts(&p);
    assert_non_null(autofdo_model_flaw(&p.model, &none));
}

TEST(test_depth)
{
    static struct autofdo_callsite callsites[AUTOFDO_MAX_DEPTH + 1];
    struct autofdo_function function = {.body = {bo_span_of("f"), 0, 1, NULL, callsites}};
    const struct autofdo_model model = {1, &function, 0, NULL};
    for (size_t i = 0; i <= AUTOFDO_MAX_DEPTH; i++)
        callsites[i] =
            (struct autofdo_callsite){1, 0, {bo_span_of("c"), 0, 1, NULL, callsites + i + 1}};
    callsites[AUTOFDO_MAX_DEPTH - 2].callee.n_callsites = 0;
    assert_null(autofdo_model_flaw(&model, &arena));
    callsites[AUTOFDO_MAX_DEPTH - 2].callee.n_callsites = 1;
    callsites[AUTOFDO_MAX_DEPTH - 1].callee.n_callsites = 0;
    assert_string_equal(autofdo_model_flaw(&model, &arena),
                        "instances are nested more than 256 deep");
}

TEST(test_path_of)
{
    static struct parts p;
    make_parts(&p);
    assert_true(bo_span_equal(*autofdo_path_of(&p.model, bo_span_of("c2")), bo_span_of("a.c")));
    assert_int_equal(autofdo_path_of(&p.model, bo_span_of("f"))->n, 0);
    assert_null(autofdo_path_of(&p.model, bo_span_of("g")));
    assert_null(autofdo_path_of(&p.model, bo_span_of("")));
}

/* Names by number, also after the table has grown many times. */
TEST(test_table_of_names)
{
    struct autofdo_name_table table;
    size_t number;
    assert_true(autofdo_names_init(&table, 0, &arena));
    for (unsigned round = 0; round < 2; round++)
        for (size_t i = 0; i < 3000; i++) {
            uint8_t *name = bo_alloc(&arena, 2);
            bo_set_le16(name, (uint16_t)i);
            assert_true(autofdo_names_add(&table, (struct bo_span){name, 2}, &number));
            assert_int_equal(number, i);
            assert_true(autofdo_names_find(&table, (struct bo_span){name, 2}, &number));
            assert_int_equal(number, i);
        }
    assert_int_equal(table.n, 3000);
    assert_false(autofdo_names_find(&table, bo_span_of("three"), &number));
}

/* ---- equality and counts --------------------------------------------------------------------- */

TEST(test_differences)
{
    static const char base[] =
        "#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n";
    static const char *const cases[][2] = {
        {"", "the number of functions differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:2\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n",
         "a function's head count differs"},
        {"#@ file c\ta.c\n#@ timestamp 5\nf:0:1\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n",
         "a function's timestamp differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nx:0:1\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n",
         "the name of a function or callee differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.3: 5 t:6\n 3: c:0\n  4: 7\n",
         "a record's place differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 2.2: 5 t:6\n 3: c:0\n  4: 7\n",
         "a record's place differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 4 t:6\n 3: c:0\n  4: 7\n",
         "a record's count differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5\n 3: c:0\n  4: 7\n",
         "a record's number of targets differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 u:6\n 3: c:0\n  4: 7\n",
         "a target's name differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 t:7\n 3: c:0\n  4: 7\n",
         "a target's count differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 t:6\n 2: c:0\n  4: 7\n",
         "a callsite's place differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 t:6\n 3.1: c:0\n  4: 7\n",
         "a callsite's place differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n 4: c:0\n",
         "an instance's number of callsites differs"},
        {"#@ file c\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n  5: 0\n",
         "an instance's number of records differs"},
        {"#@ timestamp 4\nf:0:1\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n", "the number of files differs"},
        {"#@ file f\ta.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n",
         "the name of a function with a file differs"},
        {"#@ file c\tb.c\n#@ timestamp 4\nf:0:1\n 1.2: 5 t:6\n 3: c:0\n  4: 7\n",
         "a file's path differs"},
    };
    const struct autofdo_model *model = parse_text(base, &arena);
    assert_null(format->differ(model, parse_text(base, &arena)));
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        assert_string_equal(format->differ(model, parse_text(cases[i][0], &arena)), cases[i][1]);
}

TEST(test_counts)
{
    const struct autofdo_model *model = parse_text(
        "#@ file c\ta.c\n#@ file f\ta.c\nf:0:1\n 1: 5 c:6\n 3: c:0\n  4: 5\ng:0:1\n", &arena);
    static const struct bo_unit expected[] = {
        {"functions", 2}, {"instances", 3}, {"records", 2}, {"targets", 1}, {"name bytes", 3},
    };
    struct bo_unit units[BO_MAX_UNITS];
    assert_int_equal(format->units(model, units), N_ELEMENTS(expected));
    for (size_t i = 0; i < N_ELEMENTS(expected); i++) {
        assert_string_equal(units[i].name, expected[i].name);
        assert_true(units[i].n == expected[i].n);
    }
    /*
     * Names f g c c: 6. Records 1 1 0 and callsites 1 0 0: 2.7549 each. Targets 1 0: 2. Lines 1 3
     * 4: 4.7549. Bytes f g c: 4.7549; a . c: 4.7549. All others are equal, or there is one of them.
     */
    const double expected_nbytes = (6 + 2 * 2.754887502163468 + 2 + 3 * 4.754887502163468) / 8;
    const double floor_nbytes = bo_entropy_floor_nbytes(format, model, &arena);
    assert_true(floor_nbytes > expected_nbytes - 1e-9 && floor_nbytes < expected_nbytes + 1e-9);
    struct bo_arena none;
    bo_arena_init(&none, 0);
    assert_true(bo_entropy_floor_nbytes(format, model, &none) < 0);
}

/* ---- generation and mutation ----------------------------------------------------------------- */

static const char *flaw_of(const void *model, struct bo_arena *scratch)
{
    return autofdo_model_flaw(model, scratch);
}

TEST(test_generated_models_are_valid)
{
    expect_valid_models(40, 40, flaw_of);
}

/* What models of random bytes hold at least once: where encodings break. */
struct extremes {
    bool one_byte, long_name, very_long_name, high_byte, prefix, uniq;
    bool last_line, zero, largest, two_to_63, wide_discriminator, many_targets;
    bool deepest, same_place, empty_instance, timestamp, empty_path, file_of_callee;
    bool nested_names, many_callsites, many_records;
};

static void note_name(struct extremes *seen, struct bo_span name)
{
    static const char uniq[] = ".__uniq.";
    seen->one_byte |= name.n == 1;
    seen->long_name |= name.n > 300;
    seen->very_long_name |= name.n >= 65535;
    for (size_t i = 0; i < name.n; i++) {
        seen->high_byte |= name.p[i] >= 0x80;
        seen->uniq |= name.n - i > strlen(uniq) && memcmp(name.p + i, uniq, strlen(uniq)) == 0;
    }
}

/* Whether each name begins the next one, in a list that is longer than any drawn name by name. */
static bool are_nested(const struct autofdo_record *record)
{
    for (size_t i = 1; i < record->n_targets; i++) {
        const struct bo_span shorter = record->targets[i - 1].name, name = record->targets[i].name;
        if (shorter.n >= name.n || memcmp(shorter.p, name.p, shorter.n) != 0)
            return false;
    }
    return record->n_targets > 100;
}

static void note_instance(struct extremes *seen, const struct autofdo_instance *instance,
                          unsigned depth)
{
    note_name(seen, instance->name);
    seen->deepest |= depth == AUTOFDO_MAX_DEPTH;
    seen->empty_instance |= instance->n_records + instance->n_callsites == 0;
    seen->many_callsites |= instance->n_callsites > 1000;
    seen->many_records |= instance->n_records > 2000;
    for (size_t i = 0; i < instance->n_records; i++) {
        const struct autofdo_record *record = &instance->records[i];
        seen->last_line |= record->line == AUTOFDO_MAX_LINE;
        seen->zero |= record->count == 0;
        seen->largest |= record->count == UINT64_MAX;
        seen->two_to_63 |= record->count == UINT64_C(1) << 63;
        seen->wide_discriminator |= record->discriminator > UINT16_MAX;
        seen->many_targets |= record->n_targets > 8;
        seen->nested_names |= are_nested(record);
        for (size_t c = 0; c < instance->n_callsites; c++)
            seen->same_place |= instance->callsites[c].line == record->line;
    }
    for (size_t i = 0; i < instance->n_callsites; i++)
        note_instance(seen, &instance->callsites[i].callee, depth + 1);
}

static void note_model(struct extremes *seen, const struct autofdo_model *model)
{
    size_t n_own = 0;
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct autofdo_function *function = &model->functions[f];
        const struct bo_span name = function->body.name;
        note_instance(seen, &function->body, 1);
        seen->timestamp |= function->timestamp > 0;
        seen->prefix |= f && function[-1].body.name.n < name.n &&
                        memcmp(function[-1].body.name.p, name.p, function[-1].body.name.n) == 0;
        n_own += autofdo_path_of(model, name) != NULL;
    }
    for (size_t i = 0; i < model->n_files; i++)
        seen->empty_path |= model->files[i].path.n == 0;
    seen->file_of_callee |= model->n_files > n_own;
}

static struct extremes extremes;

static void note(const void *model)
{
    note_model(&extremes, model);
}

/* Among them all is what is hard. */
TEST(test_generated_from_bytes)
{
    const struct extremes *seen = &extremes;
    expect_models_from_bytes(400, flaw_of, note);
    assert_true(seen->one_byte && seen->long_name && seen->very_long_name && seen->high_byte);
    assert_true(seen->prefix && seen->uniq && seen->last_line && seen->zero && seen->largest);
    assert_true(seen->two_to_63 && seen->wide_discriminator && seen->many_targets);
    assert_true(seen->deepest && seen->same_place && seen->empty_instance && seen->timestamp);
    assert_true(seen->empty_path && seen->file_of_callee && seen->nested_names);
    assert_true(seen->many_callsites && seen->many_records);
}

TEST(test_same_seed_same_model)
{
    expect_same_seed_same_model(50);
    expect_uses_decide();
}

TEST(test_each_allocation_fails)
{
    expect_failing_allocations(12, 4);
}

TEST_FILE(set_up, tear_down)
