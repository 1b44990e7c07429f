/*
 * Tables of codecs made of two parts, of uses and of curves: every figure is from the right row,
 * picks respect their limits, and probabilistic codecs are only ranked among themselves.
 */
#include "bench/report/test_sample.h"

#include "bench/measure/axes.h"
#include "bench/report/axes.h"
#include "bench/report/curves.h"
#include "bench/report/front.h"
#include "bench/report/parts.h"
#include "bench/report/uses.h"

/* On a document of 100 functions. Figures of larger ones are proportional. */
static const struct codec {
    const char *name;
    bool probabilistic;
    int bytes, second_bytes, outer;
    double find_ns, encode_ns, open_ns, scratch;
} codecs[] = {
    {"flat+fixed", false, 5000, 1000, 900, 400, 3000, 10, 0},
    {"flat+packed", false, 4500, 500, 800, 410, 3500, 10, 5000},
    {"tree+fixed", false, 2600, 1000, 950, 50, 9000, 20, 1600},
    {"tree+packed", false, 2100, 500, 850, 60, 9500, 20, 6600},
    {"plain", false, 9000, 0, 2000, 70, 2000, 1000, 1700},
    {"guess+fixed", true, 1500, 1000, 700, 5, 1000, 10, 100},
};
enum { N_CODECS = sizeof codecs / sizeof *codecs };

static const struct document {
    const char *name;
    int n_functions;
    bool scale;
} documents[] = {{"real", 100, false},
                 {"other", 50, false},
                 {"c4", 10000, true},
                 {"c2", 100, true},
                 {"c6", 1000000, true}};
enum { N_DOCUMENTS = sizeof documents / sizeof *documents };

static const struct bo_figure first_figures[] = {
    {"index, B", BO_FIRST_PART_PER_UNIT, NULL, "counters"},
    {"find, ns", BO_TIME, "find/hot", NULL},
    {"nowhere, ns", BO_TIME, "find/nowhere", NULL},
    {NULL, BO_TIME, NULL, NULL},
};
static const struct bo_figure second_figures[] = {
    {"file, B", BO_SIZE_PER_UNIT, NULL, NULL},
    {NULL, BO_TIME, NULL, NULL},
};
static const struct bo_axes axes = {"index", "counters", first_figures, second_figures};

static const struct bo_use uses[] = {
    {.use = "A", {"find, ns", BO_TIME, "find/hot", NULL}, .picks = true},
    {.use = "B", {"encode, ns", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "B",
     {"scratch, B", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes"},
     .limit = 16,
     .fit = "streams"},
    {.use = "D", {"zstd -19, B", BO_OUTER_PER_UNIT, NULL, "zstd19"}, .picks = true},
    {.use = NULL},
};
static const struct bo_uses all_uses = {
    .text = "words", .uses = uses, .given_use = "E", .given_note = "by a check"};

/* ---- a run ----------------------------------------------------------------------------------- */

/* A program that ran on one document and is missing on the others. */
static json_t *programs_json(const struct document *document)
{
    if (strcmp(document->name, "real") == 0)
        return json_pack("[{s:s, s:s, s:i, s:[{s:s, s:[i, i, i]}], s:s}]", "name", "tool",
                         "version", "tool version 7", "bytes", 10000, "jobs", "label", "look",
                         "wall_ns", 30000000, 10000000, 20000000, "status", "ok");
    return document->scale
               ? json_array()
               : json_pack("[{s:s, s:[], s:s}]", "name", "tool", "jobs", "status", "not here");
}

static json_t *sizes_json(const struct document *document)
{
    json_t *sizes = json_array();
    const double times = document->n_functions / 100.0;
    for (unsigned c = 0; c < N_CODECS; c++) {
        const struct codec *k = &codecs[c];
        json_t *entry = json_pack(
            "{s:s, s:s, s:s, s:i, s:{s:i, s:i}, s:i, s:s}", "name", k->name, "role", "new",
            "access", "random", "bytes", (int)(k->bytes * times), "sections", "names",
            (int)((k->bytes - k->second_bytes) * times), "counters", (int)(k->second_bytes * times),
            "zstd19", (int)(k->outer * times), "status", "ok");
        if (k->probabilistic)
            json_object_set_new(entry, "probabilistic", json_true());
        json_array_append_new(sizes, entry);
    }
    return json_pack("{s:s, s:s, s:b, s:{s:i}, s:o, s:o}", "format", "twofold", "name",
                     document->name, "scale", document->scale, "units", "functions",
                     document->n_functions, "codecs", sizes, "programs", programs_json(document));
}

static void add_entry(json_t *entries, const struct document *document, const char *codec,
                      const char *label, double ns, const char *counter, double value)
{
    json_t *entry = sample_add(entries, ns, "twofold/%s/%s/%s", codec, document->name, label);
    if (counter)
        json_object_set_new(entry, counter, json_real(value));
}

static void add_rows(json_t *entries, const struct document *document)
{
    const double times = document->n_functions / 100.0;
    for (unsigned c = 0; c < N_CODECS; c++) {
        const struct codec *k = &codecs[c];
        add_entry(entries, document, k->name, "encode", k->encode_ns * times,
                  "encode_scratch_bytes", k->scratch * times);
        add_entry(entries, document, k->name, "open", k->open_ns, NULL, 0);
        add_entry(entries, document, k->name, "find/hot", k->find_ns, NULL, 0);
        add_entry(entries, document, k->name, "all/whole", 500 * times, "units_per_query",
                  document->n_functions);
    }
    add_entry(entries, document, "noop", "find/hot", 0.25, NULL, 0);
}

static int make(void **state)
{
    json_t *entries = json_array(), *all = json_array();
    for (unsigned d = 0; d < N_DOCUMENTS; d++) {
        add_rows(entries, &documents[d]);
        json_array_append_new(all, sizes_json(&documents[d]));
    }
    json_t *json = json_pack("{s:{s:{s:o}}, s:o}", "context", "bakeoff", "documents", all,
                             "benchmarks", entries);
    *state = sample_take(json);
    return set_up(state);
}

static const struct bo_run_document *real_document(struct bo_run *run)
{
    return bo_run_document(run, "twofold", NULL);
}

/* ---- names ----------------------------------------------------------------------------------- */

TEST(names_of_two_parts)
{
    assert_null(bo_second_part("plain"));
    assert_string_equal(bo_second_part("a+b"), "b");
    assert_string_equal(bo_second_part("a+b+c"), "c");
    assert_int_equal(bo_first_part_length("plain"), 5);
    assert_int_equal(bo_first_part_length("a+b+c"), 3);
}

/* ---- one axis and both ----------------------------------------------------------------------- */

TEST(documents_for_curves_are_not_compared)
{
    assert_string_equal(real_document(*state)->name, "real"); /* though it is the smallest */
}

TEST(the_matrix_by_hand)
{
    struct bo_grid grid;
    bo_axes_matrix(real_document(*state), &arena, &grid);
    char *text = grid_text(&grid);
    assert_string_equal(text, "|  | fixed | packed |\n"
                              "|---|---:|---:|\n"
                              "| flat | 50.00; 400 ns | 45.00; 410 ns |\n"
                              "| tree | 26.00; 50.0 ns | 21.00; 60.0 ns |\n"
                              "| guess (~) | 15.00; 5.00 ns | - |\n");
}

/* A figure that no codec has gets no column. */
TEST(each_axis_by_hand)
{
    struct bo_grid grid;
    bo_axis_grid(real_document(*state), &axes, true, &arena, &grid);
    char *text = grid_text(&grid);
    assert_string_equal(text, "| codec | role | index, B | find, ns |\n"
                              "|---|---|---:|---:|\n"
                              "| flat+fixed | new | 40.0 | 400 |\n"
                              "| tree+fixed | new | 16.0 | 50.0 |\n"
                              "| plain | new | 90.0 | 70.0 |\n"
                              "| guess+fixed (~) | new | 5.00 | 5.00 |\n");
    bo_axis_grid(real_document(*state), &axes, false, &arena, &grid);
    text = grid_text(&grid);
    assert_string_equal(text, "| codec | role | file, B |\n"
                              "|---|---|---:|\n"
                              "| flat+fixed | new | 50.0 |\n"
                              "| flat+packed | new | 45.0 |\n");
}

/* ---- uses ------------------------------------------------------------------------------------ */

TEST(the_uses_by_hand)
{
    struct bo_grid grid;
    bo_uses_grid(real_document(*state), &all_uses, &arena, &grid);
    char *text = grid_text(&grid);
    assert_has(text, "| codec | role | A: find, ns | B: encode, ns | B: scratch, B | "
                     "B: streams | D: zstd -19, B | E (1) |\n");
    assert_has(text, "| tree+fixed | new | 50.0 | 90.0 | 16.0 | yes | 9.50 | yes |\n");
    assert_has(text, "| plain | new | 70.0 | 20.0 | 17.0 | no | 20.0 | yes |\n");
    assert_lacks(text, "noop");
}

TEST(picks_keep_limits_and_kinds)
{
    static const struct {
        unsigned use;
        enum bo_field field;
        const char *pick;
    } cases[] = {
        {0, BO_IN_PLACE, "tree+fixed"},
        {0, BO_MAY_BE_WRONG, "guess+fixed"}, /* no exact codec is as fast */
        {1, BO_IN_PLACE, "flat+fixed"},      /* plain is faster, and unfit */
        {1, BO_MAY_BE_WRONG, "guess+fixed"},
        {3, BO_IN_PLACE, "flat+packed"},
        {3, BO_MAY_BE_WRONG, "guess+fixed"},
    };
    const struct bo_run_document *document = real_document(*state);
    const struct bo_run_codec **ranked;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(
            bo_use_rank(document, &all_uses, &uses[cases[i].use], cases[i].field, &arena, &ranked));
        assert_string_equal(ranked[0]->name, cases[i].pick);
    }
    const struct bo_use strict[] = {
        {.use = "A", {"find, ns", BO_TIME, "find/hot", NULL}, .limit = 1, .fit = "at once"},
        {.use = NULL},
    };
    const struct bo_uses none = {.text = "words", .uses = strict};
    assert_int_equal(bo_use_rank(document, &none, strict, BO_IN_PLACE, &arena, &ranked), 0);
}

/*
 * Controls and codecs that unpack are never picks for queries on an open reader. A codec that
 * cannot hold the document has a row of its own.
 */
TEST(fields_by_hand)
{
    static const struct bo_use both[] = {
        {.use = "point", {"ns", BO_TIME, "point/uniform", NULL}, .picks = true},
        {.use = "point", {"first, ns", BO_TIME, "point/first", NULL}, .picks = true},
        {.use = NULL},
    };
    static const struct bo_uses its_uses = {.text = "words", .uses = both};
    const struct bo_run_row fast = {.n = 1, .median_ns = 5, .interval = {4, 6, 1}};
    const struct bo_run_row slow = {.n = 1, .median_ns = 10, .interval = {9, 12, 1}};
    const struct bo_run_row *fast_rows[] = {&fast, &fast}, *slow_rows[] = {&slow, &slow},
                            *no_rows[] = {NULL, NULL};
    const char *labels[] = {"point/uniform", "point/first"};
    static const struct bo_size held = {.status = "ok"},
                                refusal = {.status = "unsupported: holds one instant"};
    struct bo_run_codec all[] = {
        {.name = "tree", .role = "status quo", .access = "random", .rows = slow_rows},
        {.name = "index", .role = "new", .access = "random", .rows = fast_rows},
        {.name = "archive", .role = "new", .access = "whole", .rows = fast_rows},
        {.name = "arrays", .role = "control", .access = "random", .rows = fast_rows},
        {.name = "instant", .role = "new", .access = "whole", .size = &refusal, .rows = no_rows},
    };
    for (struct bo_run_codec *codec = all; !codec->size; codec++) {
        codec->size = &held;
        codec->has_bytes = true;
    }
    const struct bo_run_document document = {.format = "statehist",
                                             .name = "d",
                                             .labels = labels,
                                             .n_labels = 2,
                                             .codecs = all,
                                             .n_codecs = 5};
    const struct bo_run nothing_else = {.rows = NULL};
    const struct bo_page page = printing_page(&nothing_else);
    bo_page_uses(&page, &document, &its_uses);
    char *text = printed_text();
    assert_has(text, "| point | ns | index (new; 5.00) | tree (status quo; 10.0) | "
                     "2.00x [1.50, 3.00] | archive (new; 5.00) | arrays (control; 5.00) |\n");
    assert_has(text, "| point | first, ns | index (new; 5.00) | archive (new; 5.00) | "
                     "1.00x [0.667, 1.50] | - | arrays (control; 5.00) |\n");
    assert_has(text, "\nNot in the table: instant (holds one instant).\n");
    assert_lacks(text, "| instant |");
}

TEST(pages_explain_their_marks)
{
    struct bo_page page = printing_page(*state);
    bo_page_uses(&page, real_document(*state), &all_uses);
    char *text = printed_text();
    assert_has(text, "\n(1): by a check\n");
    assert_has(text, "\n(~): answers for absent keys");
    assert_has(text, "| B | encode, ns | flat+fixed (new; 30.0) | "
                     "tree+fixed (new; 90.0) | 3.00x, no 95% interval | "
                     "guess+fixed (~) (new; 10.0) | scratch, B at most 16.0 | "
                     "flat+packed (new; 50.0), tree+packed (new; 66.0), "
                     "plain (new; 17.0) |\n");
    page = printing_page(*state);
    bo_page_axes(&page, real_document(*state), &axes);
    text = printed_text();
    assert_has(text, "The counters are fixed in all lines");
    assert_has(text, "The index is flat in all lines");
    assert_has(text, "\n(~): answers for absent keys");
}

TEST(each_kind_has_its_front)
{
    struct bo_front_point *points;
    const size_t n = bo_front_points(real_document(*state), "find/hot", &arena, &points);
    assert_int_equal(n, N_CODECS);
    assert_string_equal(points[0].codec->name, "tree+packed");
    assert_true(points[0].on_front); /* although guess+fixed is smaller and faster */
    assert_string_equal(points[1].codec->name, "tree+fixed");
    assert_true(points[1].on_front);
    assert_false(points[2].on_front);
    assert_string_equal(points[n - 1].codec->name, "guess+fixed");
    assert_true(points[n - 1].on_front);
}

TEST(whole_queries_are_known)
{
    const struct bo_run_document *document = real_document(*state);
    assert_true(bo_is_whole_label(document, "all/whole"));
    assert_false(bo_is_whole_label(document, "find/hot"));
    assert_false(bo_is_whole_label(document, "no/label"));
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* From 10^4 to 10^6: linear costs have a ratio of 1; a fixed cost shows as growth. */
TEST(curves_by_hand)
{
    struct bo_grid grid;
    const struct bo_run_document **found;
    const size_t n = bo_curve_documents(*state, "twofold", &arena, &found);
    assert_int_equal(n, 3);
    assert_string_equal(found[0]->name, "c2");
    assert_string_equal(found[2]->name, "c6");
    const struct bo_run_document *changed[] = {found[0], found[1], found[2]};
    struct bo_run_document large = *found[2];
    large.n_units = 2000000; /* the same costs over twice the functions */
    changed[2] = &large;
    bo_curves_grid(changed, n, &arena, &grid);
    char *text = grid_text(&grid);
    assert_has(text, "| codec | role | time a query, ns | ratio | exponent | time to encode, over "
                     "functions, ns | ratio | exponent | time to open, ns | ratio | "
                     "exponent | memory to encode, over functions, B | ratio | "
                     "exponent |\n");
    assert_has(
        text,
        "| tree+fixed | new | 50.0 | 1.00 | 0.00 | 45.0 | 0.500 | 0.93 | 20.0 | 1.00 | 0.00 | "
        "8.00 | 0.500 | 0.93 |\n");
    assert_has(text, "| flat+fixed | new | 400 | 1.00 | 0.00 | 15.0 | 0.500 | 0.93 | 10.0 | "
                     "1.00 | 0.00 | 0.00 | - | - |\n");
}

TEST(the_section_of_curves)
{
    struct bo_page page = printing_page(*state);
    bo_page_curves(&page, "twofold");
    char *text = printed_text();
    assert_has(text, "The cost on c6 (1000000 functions), and its ratio to the cost on "
                     "c4 (10000). The query is `find/hot`.");
    page = printing_page(*state);
    bo_page_curves(&page, "pcdata");
    text = printed_text();
    assert_has(text, "BENCH_FLAGS=--scale` measures such documents");
    assert_lacks(text, ".svg");
}

TEST(programs_by_hand)
{
    const struct bo_page page = printing_page(*state);
    bo_page_programs(&page, "twofold");
    char *text = printed_text();
    assert_has(text, "| document | program | bytes | ratio | B/function | look, ms |\n");
    assert_has(text, "| real | tool (process), tool version 7 | 10000 | 2.000 | 100 | "
                     "20.0 |\n");
    assert_has(text, "| other | tool: not here | - | - | - | - |\n");
}

TEST(pictures_of_curves)
{
    struct bo_drawing drawing;
    static const char *const names[] = {"query", "encode", "open", "scratch"};
    make_folder();
    bo_drawing_begin(&drawing, &arena);
    bo_curves_draw(*state, "twofold", folder, &drawing);
    bo_curves_draw(*state, "pcdata", folder, &drawing); /* has none: draws nothing */
    assert_true(bo_drawing_end(&drawing));
    for (size_t i = 0; i < N_ELEMENTS(names); i++)
        assert_file_has(bo_arena_printf(&arena, "twofold-scale-%s.svg", names[i]), "</svg>");
    assert_int_equal(remove_folder(), N_ELEMENTS(names));
}

/* Pictures drawn before a failing script are complete. The others are missing. */
TEST(a_script_that_fails)
{
    struct bo_drawing drawing;
    make_folder();
    bo_drawing_begin(&drawing, &arena);
    for (unsigned i = 0; i < 2; i++) {
        bo_picture_begin(&drawing, path_in(i ? "1.svg" : "0.svg"), "it's a \"title\"");
        bo_picture_end(&drawing, i ? "plot nothing\n" : "plot [1:2] [1:2] x\n");
    }
    assert_false(bo_drawing_end(&drawing));
    struct bo_input in;
    assert_true(bo_input_open(path_in("0.svg"), &in));
    assert_memory_equal(in.bytes.p, "<?xml", 5);
    assert_non_null(memmem(in.bytes.p, in.bytes.n, "it's a \"title\"", 14));
    assert_null(memmem(in.bytes.p + 5, in.bytes.n - 5, "<?xml", 5));
    assert_memory_equal(in.bytes.p + in.bytes.n - 8, "</svg>\n\n", 8);
    bo_input_close(&in);
    assert_int_equal(remove_folder(), 1);
}

TEST_FILE(make, sample_teardown)
