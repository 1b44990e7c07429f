/*
 * Templight models: building, the rules, comparing, generating. Why: every codec is compared
 * through these, so a model that says less than the trace, or a comparison that overlooks a field,
 * would hide mistakes of all of them.
 */
#include "codecs/templight/test_model.h"

#include <stdio.h>

#include "harness/core/test_fixture.h"
#include "harness/names/extreme_names.h"
#include "harness/registry.h"

static const struct templight_location nowhere = {TEMPLIGHT_NONE, 0, 0};

/* ---- sets of texts --------------------------------------------------------------------------- */

TEST(test_texts_are_numbered)
{
    struct bo_texts texts;
    char text[16];
    uint32_t number;
    assert_true(bo_texts_init(&texts, true, &arena));
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 5000; i++) {
            const int n = snprintf(text, sizeof text, "%u", i);
            assert_true(
                bo_texts_add(&texts, (struct bo_span){(const uint8_t *)text, (size_t)n}, &number));
            assert_int_equal(number, i);
        }
    assert_int_equal(texts.n, 5000);
    assert_true(bo_span_equal(texts.texts[4321], bo_span_of("4321")));
    assert_int_equal(bo_texts_find(&texts, bo_span_of("77")), 77);
    assert_int_equal(bo_texts_find(&texts, bo_span_of("5000")), TEMPLIGHT_NONE);
    assert_true(bo_texts_add(&texts, (struct bo_span){NULL, 0}, &number));
    assert_int_equal(number, 5000);
    assert_int_equal(bo_texts_find(&texts, bo_span_of("")), 5000);
}

/* Long texts that are not copied are found by address, or else by their bytes. */
TEST(test_long_texts)
{
    enum { N = 3000, NBYTES = 5000 };
    static uint8_t bytes[NBYTES + N], same[NBYTES + N];
    struct bo_texts texts;
    uint32_t number;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = same[i] = (uint8_t)(i * i >> 7);
    assert_true(bo_texts_init(&texts, false, &arena));
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < N; i++) { /* more than are remembered; each from its own byte on */
            const struct bo_span text = {(round == 1 ? same : bytes) + i, NBYTES - i % 2};
            assert_true(bo_texts_add(&texts, text, &number));
            assert_int_equal(number, i);
            assert_true(bo_texts_add(&texts, text, &number));
            assert_int_equal(number, i);
        }
    assert_int_equal(texts.n, N);
    assert_ptr_equal(texts.texts[7].p, bytes + 7);
}

/* ---- building -------------------------------------------------------------------------------- */

static struct templight_entry begin_of(const char *name, const char *file, const char *origin)
{
    return (struct templight_entry){
        .name = bo_span_of(name),
        .location = {true, bo_span_of(file), 1, 2},
        .origin = {true, bo_span_of(origin), 3, 4},
    };
}

TEST(test_tables_in_the_order_of_use)
{
    struct templight_builder builder;
    struct templight_model *model;
    const struct templight_entry entries[] = {
        begin_of("b", "y", "x"),
        {.is_end = true, .has_origin = true, .origin = {true, bo_span_of("w"), 1, 1}},
        begin_of("a", "x", "z"),
        begin_of("b", "z", "w"),
    };
    templight_builder_init(&builder, true, &arena);
    assert_true(templight_start_trace(&builder, 1, bo_span_of("s")));
    for (size_t i = 0; i < N_ELEMENTS(entries); i++)
        assert_true(templight_add_entry(&builder, &entries[i]));
    assert_true(templight_finish(&builder, &model));
    const struct templight_trace *trace = model->traces;
    static const char *const files[] = {"y", "x", "w", "z"};
    assert_int_equal(trace->n_names, 2);
    assert_true(bo_span_equal(trace->names[0], bo_span_of("b")));
    assert_int_equal(trace->n_files, N_ELEMENTS(files));
    for (size_t i = 0; i < N_ELEMENTS(files); i++)
        assert_true(bo_span_equal(trace->files[i], bo_span_of(files[i])));
    assert_int_equal(trace->records[3].name, 0);
    assert_int_equal(trace->records[3].location.file, 3);
    assert_null(templight_model_flaw(model, &arena));
}

/* The origin of an End is kept only when it differs from its Begin's. */
TEST(test_origins_of_ends)
{
    static const struct {
        bool has_begin, is_given, present;
        uint32_t line;
        bool own;
    } cases[] = {
        {true, false, false, 0, false},  {true, true, true, 3, false},
        {true, true, true, 5, true},     {true, true, false, 0, true},
        {false, true, true, 3, true},    {false, true, false, 0, false},
        {false, false, false, 0, false},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct templight_builder builder;
        struct templight_model *model;
        const struct templight_entry begin = begin_of("n", "f", "f");
        struct templight_entry end = {.is_end = true, .has_origin = cases[i].is_given};
        if (cases[i].present)
            end.origin = (struct templight_place){true, bo_span_of("f"), cases[i].line, 4};
        templight_builder_init(&builder, true, &arena);
        assert_true(templight_start_trace(&builder, 1, bo_span_of("")));
        if (cases[i].has_begin)
            assert_true(templight_add_entry(&builder, &begin));
        assert_true(templight_add_entry(&builder, &end));
        assert_true(templight_finish(&builder, &model));
        const struct templight_record *record = &model->traces->records[cases[i].has_begin];
        assert_int_equal(record->has_own_origin, cases[i].own);
        assert_int_equal(record->origin.line, cases[i].own ? cases[i].line : 0);
        assert_null(templight_model_flaw(model, &arena));
    }
}

/* ---- less of a model ------------------------------------------------------------------------- */

TEST(test_without_own_origins)
{
    void *reduced;
    const struct templight_model *model =
        parse_text("---\nname: a\nkind: Memoization\nevent: Begin\norig: 'x:1:1'\npoi: 'y:1:1'\n"
                   "---\nevent: End\norig: 'only here:1:1'\n"
                   "---\nname: a\nkind: Memoization\nevent: Begin\norig: 'z:1:1'\npoi: 'x:1:1'\n"
                   "---\nevent: End\norig: ''\n",
                   &arena);
    assert_int_equal(model->traces->n_files, 4);
    assert_int_equal(templight_without_own_origins(NULL, model, &arena, &reduced, NULL), BO_OK);
    assert_null(templight_model_flaw(reduced, &arena));
    const struct templight_trace *trace = ((struct templight_model *)reduced)->traces;
    assert_int_equal(trace->n_files, 3);
    assert_true(bo_span_equal(trace->files[2], bo_span_of("z")));
    assert_int_equal(trace->records[2].origin.file, 2);
    assert_int_equal(trace->records[2].location.file, 1);
    for (size_t i = 0; i < trace->n_records; i++)
        assert_false(trace->records[i].has_own_origin);
    for (uint64_t seed = 0; seed < 40; seed++) {
        const struct templight_model *generated = generate_model(seed, 60, &arena);
        assert_int_equal(templight_without_own_origins(NULL, generated, &arena, &reduced, NULL),
                         BO_OK);
        assert_null(templight_model_flaw(reduced, &arena));
    }
}

/* ---- counts ---------------------------------------------------------------------------------- */

TEST(test_counts)
{
    const struct templight_model *model =
        parse_text("---\nname: aab\nkind: Memoization\nevent: Begin\norig: 'x:1:1'\n"
                   "poi: 'yy:2:1'\ntime: 1\nmemory: 5\n"
                   "---\nevent: End\ntime: 2\n"
                   "---\nname: b\nkind: TemplateInstantiation\nevent: Begin\norig: ''\n"
                   "poi: 'x:4:1'\nmemory: 6\n"
                   "---\nevent: End\norig: 'z:1:7'\n"
                   "---\nname: aab\nkind: Memoization\nevent: Begin\norig: 'x:1:1'\n"
                   "poi: 'x:4:2'\n"
                   "---\nevent: End\n"
                   "# trace: {version: 1, source: ''}\n"
                   "---\nname: c\nkind: Memoization\nevent: Begin\norig: 'x:1:1'\npoi: ''\n"
                   "memory: 5\n",
                   &arena);
    static const struct bo_unit expected[] = {
        {"begins", 4}, {"records", 7}, {"names", 3}, {"name bytes", 5}, {"files", 4}, {"traces", 2},
    };
    struct bo_unit units[BO_MAX_UNITS];
    assert_int_equal(format->units(model, units), N_ELEMENTS(expected));
    for (size_t i = 0; i < N_ELEMENTS(expected); i++) {
        assert_string_equal(units[i].name, expected[i].name);
        assert_true(units[i].n == expected[i].n);
    }
    /*
     * Which fields the records have: six combinations in seven records, 17.6515. Kinds and
     * names: one of four differs, 3.2451 each. Numbers of files 1 1 1 1, 0 0, 2 and two that are
     * absent: 16.5293. Lines 1 1 1 1, 4 4, 2: 9.6515. Columns 1 1 1 1 1, 2, 7: 8.0418. Times: 2.
     * Memory 5 5 6: 2.7549. Bytes of the names a a b b c, of the files y y x x z: 7.6096 each.
     */
    const double expected_nbytes =
        (17.651484454403228 + 2 * 3.2451124978365313 + 16.52932501298081 + 9.651484454403228 +
         8.041843979966416 + 2 + 2.7548875021634682 + 2 * 7.609640474436812) /
        8;
    const double floor_nbytes = bo_entropy_floor_nbytes(format, model, &arena);
    assert_true(floor_nbytes > expected_nbytes - 1e-9 && floor_nbytes < expected_nbytes + 1e-9);
    struct bo_arena none;
    bo_arena_init(&none, 0);
    assert_true(bo_entropy_floor_nbytes(format, model, &none) < 0);
}

/* ---- the rules ------------------------------------------------------------------------------- */

enum { N_SAMPLE_NAMES = 2, N_SAMPLE_FILES = 2, N_SAMPLE_RECORDS = 4 };

/* A small model that can be broken. */
struct sample {
    struct bo_span names[N_SAMPLE_NAMES], files[N_SAMPLE_FILES];
    struct templight_record records[N_SAMPLE_RECORDS];
    struct templight_trace trace;
    struct templight_model model;
};

static void make_sample(struct sample *s)
{
    *s = (struct sample){
        .names = {bo_span_of("a"), bo_span_of("b")},
        .files = {bo_span_of("f"), bo_span_of("g")},
        .records =
            {{.name = 0, .location = {0, 1, 1}, .origin = {1, 1, 1}, .has_time = true},
             {.name = 1, .location = nowhere, .origin = {0, 7, 1}, .kind = 99},
             {.is_end = true, .location = nowhere, .origin = {1, 7, 1}, .has_own_origin = true},
             {.is_end = true, .location = nowhere, .origin = nowhere, .has_memory = true}},
    };
    s->trace = (struct templight_trace){
        .version = 1,
        .source = bo_span_of("s"),
        .n_names = N_SAMPLE_NAMES,
        .n_files = N_SAMPLE_FILES,
        .names = s->names,
        .files = s->files,
        .n_records = N_SAMPLE_RECORDS,
        .records = s->records,
    };
    s->model = (struct templight_model){1, &s->trace};
}

/* One way to break the sample, by its number; false past the last. */
static bool break_sample(struct sample *s, unsigned way)
{
    static const uint8_t with_nul[] = {'a', 0};
    struct templight_record *r = s->records;
    switch (way) {
    case 0:
        s->names[1] = s->names[0];
        return true;
    case 1:
        s->files[1] = s->files[0];
        return true;
    case 2:
        s->names[0] = (struct bo_span){with_nul, 2};
        return true;
    case 3:
        s->files[0] = (struct bo_span){with_nul, 2};
        return true;
    case 4:
        s->trace.source = (struct bo_span){with_nul, 2};
        return true;
    case 5:
        r[0].name = 1;
        return true;
    case 6:
        r[1].name = 2;
        return true;
    case 7:
        r[1].name = 0;
        return true;
    case 8:
        r[0].location.file = 1;
        return true;
    case 9:
        r[1].origin.file = 2;
        return true;
    case 10:
        r[0].has_time = false;
        r[0].time_bits = 1;
        return true;
    case 11:
        r[3].has_memory = false;
        r[3].memory = 1;
        return true;
    case 12:
        r[1].location.line = 1;
        return true;
    case 13:
        r[0].has_own_origin = true;
        return true;
    case 14:
        r[2].kind = 1;
        return true;
    case 15:
        r[2].name = 1;
        return true;
    case 16:
        r[2].location = r[0].location;
        return true;
    case 17:
        r[2].has_own_origin = false;
        return true;
    case 18:
        r[2].origin = r[1].origin;
        return true;
    case 19:
        r[3].origin = r[0].origin;
        r[3].has_own_origin = true;
        return true;
    case 20:
        s->trace.n_records = 1;
        return true;
    case 21:
        s->trace.n_names = 1;
        return true;
    case 22:
        s->trace.n_files = 1;
        return true;
    case 23:
        r[1].location.column = 1;
        return true;
    default:
        return false;
    }
}

TEST(test_rules)
{
    /* By the number of the way. */
    static const char *const flaws[] = {
        "table holds a text twice",
        "table holds a text twice",
        "text holds a NUL",
        "text holds a NUL",
        "text holds a NUL",
        "name out of the order of first use",
        "name out of the order of first use",
        "table holds a text that nothing uses",
        "file out of the order of first use",
        "file out of the order of first use",
        "absent field is not 0",
        "absent field is not 0",
        "absent location has a line",
        "Begin has an origin of its own",
        "End with fields of a Begin",
        "End with fields of a Begin",
        "End with fields of a Begin",
        "origin at an End that has none of its own",
        "End repeats its Begin's origin",
        "End repeats its Begin's origin",
        "table holds a text that nothing uses",
        "name out of the order of first use",
        "file out of the order of first use",
        "absent location has a line",
    };
    struct sample sample;
    make_sample(&sample);
    assert_null(templight_model_flaw(&sample.model, &arena));
    unsigned way = 0;
    for (; break_sample(&sample, way); way++) {
        const char *flaw = templight_model_flaw(&sample.model, &arena);
        if (!flaw || strcmp(flaw, flaws[way]) != 0)
            fail_msg("breakage %u: %s", way, flaw ? flaw : "not noticed");
        make_sample(&sample);
    }
    assert_int_equal(way, N_ELEMENTS(flaws));
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void change_sample(struct sample *s, unsigned way)
{
    struct templight_record *r = s->records;
    switch (way) {
    case 0:
        s->trace.version = 2;
        break;
    case 1:
        s->trace.source = bo_span_of("t");
        break;
    case 2:
        s->names[1] = bo_span_of("c");
        break;
    case 3:
        s->files[0] = bo_span_of("h");
        break;
    case 4:
        r[0].kind = 3;
        break;
    case 5:
        r[1].name = 0;
        break;
    case 6:
        r[0].location.line = 9;
        break;
    case 7:
        r[0].location.column = 9;
        break;
    case 8:
        r[0].origin.file = 0;
        break;
    case 9:
        r[2].has_own_origin = false;
        break;
    case 10:
        r[0].time_bits = UINT64_C(1) << 63;
        break;
    case 11:
        r[0].has_time = false;
        break;
    case 12:
        r[3].memory = 1;
        break;
    case 13:
        r[3].has_memory = false;
        break;
    case 14:
        r[3].is_end = false;
        break;
    case 15:
        s->trace.n_records--;
        break;
    case 16:
        s->trace.n_names--;
        break;
    case 17:
        s->trace.n_files--;
        break;
    default:
        s->model.n_traces = 0;
        break;
    }
}

TEST(test_every_difference_shows)
{
    struct sample a, b;
    make_sample(&a);
    make_sample(&b);
    assert_null(templight_differ(&a.model, &b.model));
    for (unsigned way = 0; way <= 18; way++) {
        change_sample(&b, way);
        if (!templight_differ(&a.model, &b.model) || !templight_differ(&b.model, &a.model))
            fail_msg("change %u is not noticed", way);
        make_sample(&b);
    }
}

/* ---- generating ------------------------------------------------------------------------------ */

static const char *flaw_of(const void *model, struct bo_arena *scratch)
{
    return templight_model_flaw(model, scratch);
}

TEST(test_generated_models_keep_the_rules)
{
    expect_valid_models(120, 89, flaw_of);
}

TEST(test_generated_from_bytes)
{
    expect_models_from_bytes(300, flaw_of, NULL);
}

static struct {
    bool open, closed, most_in_16_bits, longer_than_16_bits, arguments, names, files, nested;
} limits;

/* How many names consist of another name of the trace and bytes after it. */
static size_t count_longer(const struct templight_trace *trace)
{
    size_t n = 0;
    for (uint32_t i = 1; i < trace->n_names; i++) {
        const struct bo_span shorter = trace->names[i - 1], name = trace->names[i];
        n += shorter.n && shorter.n + 1 == name.n && memcmp(shorter.p, name.p, shorter.n) == 0;
    }
    return n;
}

static void note_name(struct bo_span name)
{
    size_t n_arguments = 0;
    while (2 * n_arguments + 1 < name.n && memcmp(name.p + 2 * n_arguments, "A<", 2) == 0)
        n_arguments++;
    limits.arguments |= n_arguments > 180 && name.n == 3 * n_arguments;
    limits.most_in_16_bits |= name.n == UINT16_MAX;
    limits.longer_than_16_bits |= name.n > UINT16_MAX;
}

static void note_trace(const struct templight_trace *trace)
{
    size_t n_open = 0, most_open = 0;
    for (size_t i = 0; i < trace->n_records; i++) {
        const bool is_end = trace->records[i].is_end;
        n_open = is_end ? n_open - (n_open != 0) : n_open + 1;
        most_open = n_open > most_open ? n_open : most_open;
    }
    limits.open |= n_open > 5000;
    limits.closed |= most_open > 5000 && n_open == 0;
    limits.files |= trace->n_files > BO_MAX_SIBLING_NAMES / 2;
    limits.names |= trace->n_names > BO_MAX_SIBLING_NAMES / 2;
    limits.nested |= count_longer(trace) >= BO_MAX_NESTED_NAMES / 2;
    for (uint32_t i = 0; i < trace->n_names; i++)
        note_name(trace->names[i]);
}

static void note_limits(const void *opaque)
{
    const struct templight_model *model = opaque;
    for (size_t t = 0; t < model->n_traces; t++)
        note_trace(&model->traces[t]);
}

TEST(test_extreme_models)
{
    expect_extreme_models(2000, flaw_of, note_limits);
    assert_true(limits.open && limits.closed && limits.most_in_16_bits);
    assert_true(limits.longer_than_16_bits && limits.arguments && limits.names);
    assert_true(limits.files && limits.nested);
}

TEST(test_same_seed_same_model)
{
    expect_same_seed_same_model(200);
    expect_uses_decide();
}

TEST(test_most_mutations_change_something)
{
    unsigned n_changed = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        void *model = generate_model(seed, seed % 90, &arena), *changed;
        for (unsigned step = 0; step < 10; step++) {
            struct bo_random random = bo_random_seeded(seed << 8 | step);
            assert_int_equal(format->mutate(model, &random, &arena, &changed, NULL), BO_OK);
            n_changed += templight_differ(model, changed) != NULL;
            model = changed;
        }
    }
    assert_in_range(n_changed, 900, 1200);
}

/* Real traces have all of these, or may have: so must generated ones. */
TEST(test_generated_models_have_everything)
{
    struct {
        unsigned several_traces, none, own_origins, absent_places, times, memory, unknown_kinds;
        unsigned lone_ends, left_open, brackets, bytes, empty, again;
    } seen = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        const struct templight_model *model = generate_model(seed, 100, &arena);
        seen.several_traces += model->n_traces > 1;
        seen.none += model->n_traces == 0;
        for (size_t t = 0; t < model->n_traces; t++) {
            const struct templight_trace *trace = &model->traces[t];
            size_t n_open = 0, n_begins = 0;
            for (size_t i = 0; i < trace->n_records; i++) {
                const struct templight_record *r = &trace->records[i];
                seen.own_origins += r->has_own_origin;
                seen.absent_places += !r->is_end && r->location.file == TEMPLIGHT_NONE;
                seen.times += r->has_time;
                seen.memory += r->has_memory;
                seen.unknown_kinds += r->kind >= TEMPLIGHT_N_NAMED_KINDS;
                seen.lone_ends += r->is_end && n_open == 0;
                n_begins += !r->is_end;
                n_open = r->is_end ? n_open - (n_open != 0) : n_open + 1;
            }
            seen.left_open += n_open != 0;
            seen.again += trace->n_names < n_begins;
            for (uint32_t i = 0; i < trace->n_names; i++) {
                const struct bo_span name = trace->names[i];
                seen.brackets += name.n && memchr(name.p, '<', name.n) != NULL;
                seen.bytes += name.n && memchr(name.p, 0xff, name.n) != NULL;
                seen.empty += name.n == 0;
            }
        }
    }
    const unsigned *counts = (const unsigned *)&seen;
    for (size_t i = 0; i < sizeof seen / sizeof *counts; i++)
        if (counts[i] == 0)
            fail_msg("thing %zu was never made", i);
}

TEST(test_each_allocation_fails)
{
    void *changed;
    struct bo_random random = bo_random_seeded(9);
    const void *model = generate_model(4, 30, &arena);
    const uint64_t n_allocs = arena.n_allocs;
    assert_int_equal(format->mutate(model, &random, &arena, &changed, NULL), BO_OK);
    assert_true(arena.n_allocs >= n_allocs + 10); /* there are some that may fail */
    expect_failing_allocations(40, 30);
}

TEST_FILE(set_up, tear_down)
