/*
 * REPORT.md and its pictures: the front, names that cover nothing, and required contents of the
 * page.
 */
#include "bench/report/test_sample.h"

#include <ctype.h>

#include "bench/report/caption.h"
#include "bench/report/front.h"
#include "bench/report/keep.h"
#include "bench/report/labels.h"
#include "bench/report/report.h"
#include "bench/report/tsv.h"
#include "harness/core/print.h"
#include "harness/format_report.h"
#include "harness/recorded.h"
#include "harness/registry.h"

/* ---- the front ------------------------------------------------------------------------------- */

TEST(the_front_by_hand)
{
    struct bo_front_point points[] = {
        {.bytes = 10, .ns = 9}, {.bytes = 10, .ns = 8},
        {.bytes = 12, .ns = 8}, {.bytes = 20, .ns = 7},
        {.bytes = 30, .ns = 7}, {.bytes = 40, .ns = 1},
        {.bytes = 40, .ns = 1}, {.bytes = 1, .ns = 1, .kind = BO_FRONT_UNPACKED},
    };
    static const bool expected[] = {false, true, false, true, false, true, true, true};
    bo_front_mark(points, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(points[i].on_front, expected[i]);
}

/*
 * If the time excludes opening, codecs that unpack everything are not rivals of those that read in
 * place.
 */
TEST(unpacked_codecs_have_a_front_of_their_own)
{
    struct bo_front_point *points;
    const struct bo_run_row row = {.n = 1, .median_ns = 5};
    const struct bo_run_row *rows[] = {&row, &row};
    const char *labels[] = {"point/uniform", "point/first"};
    struct bo_run_codec codecs[] = {
        {.name = "archive", .access = "whole", .has_bytes = true, .bytes = 1, .rows = rows},
        {.name = "index", .access = "random", .has_bytes = true, .bytes = 2, .rows = rows},
    };
    const struct bo_run_document document = {
        .format = "statehist", .labels = labels, .n_labels = 2, .codecs = codecs, .n_codecs = 2};
    assert_int_equal(bo_front_points(&document, "point/uniform", &arena, &points), 2);
    assert_string_equal(points[0].codec->name, "index");
    assert_true(points[0].on_front && points[1].on_front);
    assert_int_equal(points[1].kind, BO_FRONT_UNPACKED);
    assert_int_equal(bo_front_points(&document, "point/first", &arena, &points), 2);
    assert_string_equal(points[0].codec->name, "archive");
    assert_true(points[0].on_front && !points[1].on_front);
}

TEST(failed_and_empty_codecs_are_no_points)
{
    struct bo_front_point *points;
    const struct bo_run_document *document = bo_run_document(*state, "pcdata", "small-sample");
    size_t n = bo_front_points(document, "point/uniform", &arena, &points);
    assert_int_equal(n, 5); /* neither the one that cannot hold the document nor the no-op codec */
    assert_string_equal(points[0].codec->name, "liar");
    n = bo_front_points(document, "point/pc-4096", &arena, &points);
    assert_int_equal(n, 4);
    assert_string_equal(points[0].codec->name, "frame-24");
    assert_true(points[0].on_front);
    assert_int_equal(bo_front_points(document, "no/label", &arena, &points), 0);
}

/* ---- names in a picture ---------------------------------------------------------------------- */

static double common_area(double left_a, double top_a, double right_a, double bottom_a,
                          const struct bo_picture_label *b)
{
    const double w = fmin(right_a, b->left + b->width) - fmax(left_a, b->left);
    const double h = fmin(bottom_a, b->top + b->height) - fmax(top_a, b->top);
    return w > 0 && h > 0 ? w * h : 0;
}

TEST(names_cover_nothing)
{
    enum { N = 14 };
    struct bo_picture_label labels[N];
    const struct bo_picture_box line = {0, 198, 800, 202};
    for (int i = 0; i < N; i++) /* a crowd, and two at the frame */
        labels[i] = (struct bo_picture_label){.x = i < N - 2 ? 300 + 9 * (i % 4) : 799 * (i % 2),
                                              .y = i < N - 2 ? 180 + 12 * (i / 4) : 2,
                                              .width = 110,
                                              .height = 16};
    bo_labels_place(labels, N, &line, 1, 13, 800, 400);
    for (int i = 0; i < N; i++) {
        const struct bo_picture_label *l = &labels[i];
        assert_true(l->left >= 0 && l->top >= 0);
        assert_true(l->left + l->width <= 800 && l->top + l->height <= 400);
        assert_true(common_area(line.left, line.top, line.right, line.bottom, l) < 1e-6);
        for (int j = 0; j < N; j++) {
            assert_true(common_area(labels[j].x - 6.5, labels[j].y - 6.5, labels[j].x + 6.5,
                                    labels[j].y + 6.5, l) < 1e-6);
            assert_true(i == j ||
                        common_area(labels[j].left, labels[j].top, labels[j].left + labels[j].width,
                                    labels[j].top + labels[j].height, l) < 1e-6);
        }
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

TEST(pictures_name_their_codecs)
{
    static const char *const pictures[] = {
        "pcdata-small-sample-size-time.svg", "pcdata-large_sample__of_a_user-size-time.svg",
        "pcdata-small-sample-workloads.svg", "pcdata-large_sample__of_a_user-workloads.svg"};
    make_folder();
    const struct bo_report_run source = {.run = *state};
    const struct bo_report report = {.runs = &source, .n = 1};
    assert_true(bo_pictures_draw(&report, 0, folder));
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        assert_file_has(pictures[i], ">frame-24<");
        assert_file_has(pictures[i], ">varint-delta-cached<");
        assert_file_has(pictures[i], "</svg>");
    }
    static const char sections[] = "pcdata-large_sample__of_a_user-sections.svg";
    static const char scatter[] = "pcdata-large_sample__of_a_user-scatter.svg";
    assert_file_has(sections, ">frame-24<");
    assert_file_has(sections, ">0.725<"); /* its bytes, of the first one's */
    assert_file_has(scatter, ">varint-delta-cached<");
    assert_file_has("pcdata.csv", "\"large sample, of a user\",frame-24,new,");
    assert_int_equal(remove_folder(), 7);
}

/* ---- the page -------------------------------------------------------------------------------- */

static char *report_text(const struct bo_run *run)
{
    const struct bo_report report = printing_report(run, "");
    bo_report_print(&report, true);
    return printed_text();
}

static char *environments_text(const struct bo_run *run)
{
    const struct bo_report report = printing_report(run, "../");
    bo_report_environments(&report);
    return printed_text();
}

static char *documents_text(const struct bo_run *run)
{
    const struct bo_report report = printing_report(run, "../");
    bo_report_documents(&report, bo_find_format("pcdata"));
    return printed_text();
}

/* A mean over fewer documents is not comparable. */
TEST(no_mean_over_some_documents)
{
    json_t *json = sample_json();
    json_object_del(sample_size(json, 0, "frame-24"), "bytes");
    sample_drop(json, "pcdata/frame-24/small", "");
    char *text = report_text(sample_take(json));
    assert_has(text, "| *geometric mean* |  | 1.000 | 1.250 | - | - | 0.600 |");
    assert_has(text, "| *worst* |  | 1.000 | 1.250 | - | - | 0.600 |");
}

/* A document without measurements. */
TEST(a_document_without_codecs)
{
    json_t *json = sample_json();
    json_array_append_new(json_object_get(sample_ours(json), "documents"),
                          json_pack("{s:s, s:s}", "format", "pcdata", "name", "empty"));
    assert_has(report_text(sample_take(json)),
               "| *geometric mean* |  | 1.000 | 1.250 | 0.725 | - | 0.600 |");
}

/* Times measured before a wrong answer are not figures. */
TEST(a_failed_row_has_no_times)
{
    json_t *json = sample_json();
    sample_add(json_object_get(json, "benchmarks"), 5, "pcdata/liar/%s/point/pc-4096",
               sample_documents[0]);
    const struct bo_run *run = sample_take(json);
    const struct bo_run_document *document = bo_run_document(run, "pcdata", sample_documents[0]);
    const struct bo_run_row *row =
        bo_run_row(document, bo_run_codec(document, "liar"), "point/pc-4096");
    assert_string_equal(row->failure, "wrong answer: query 12 of the set");
    assert_int_equal(row->n, 0);
    assert_true(isnan(row->median_ns));
}

TEST(the_cap_of_code_paths)
{
    static const char *const caps[][2] = {{"x86-64-v3", "v3"}, {"v1", "v1"}, {"", ""}};
    for (unsigned i = 0; i < 3; i++) {
        json_t *json = sample_json();
        json_object_set_new(sample_ours(json), "processor",
                            json_pack("{s:s}", "isa_cap", caps[i][0]));
        assert_string_equal(bo_caption_program(&sample_take(json)->environment, &arena),
                            bo_arena_printf(&arena, "BAKEOFF_ISA=%s build/bakeoff", caps[i][1]));
    }
}

TEST(the_page_holds_what_it_must)
{
    static const char *const needed[] = {
        "\n## pcdata\n",
        "\n**What the consumer reads.** The Go runtime ",
        "\n### The picks\n",
        "](results/test-cpu-2c/pcdata-large_sample__of_a_user-size-time.svg)",
        "| small-sample | liar (new; 0.600; 312 ns) |", /* the smallest is also the fastest */
        "| *geometric mean* |  | 1.000 | 1.250 | 0.725 | - | 0.600 |",
        "[results/pcdata.md](results/pcdata.md) has times on all documents",
        " of the 2 documents of this run.",
        "\n## What was not measured\n",
        "[results/environments.md](results/environments.md)",
        "[results/sizes.md](results/sizes.md)",
    };
    assert_has_all(report_text(*state), needed, N_ELEMENTS(needed));
}

TEST(the_environments_hold_what_they_must)
{
    static const char *const needed[] = {
        "[REPORT.md](../REPORT.md)",
        "\n## The environment of pcdata\n",
        "| processor | Test CPU, 2 CPUs, L2 1 MiB |",
        "| counted by the processor | instructions, cycles |",
        "git checkout 0123456789012345678901234567890123456789\nmake\nmake corpora ",
        ("\nbuild/bakeoff bench --json results/ --format pcdata --corpus 'small-sample,"
         "large sample, of a user'\n"),
    };
    assert_has_all(environments_text(*state), needed, N_ELEMENTS(needed));
}

/* The recipe repeats the run: its depth, layouts, selection and held-out documents. */
TEST(recipes_have_the_options_of_the_run)
{
    json_t *json = sample_json(), *ours = sample_ours(json);
    json_object_set_new(ours, "layouts", json_pack("{s:i, s:i}", "n", 3, "seed", 7));
    json_object_set_new(ours, "rounds", json_integer(6));
    json_object_set_new(
        ours, "options",
        json_pack("{s:s, s:s, s:b}", "depth", "full", "kind", "point,open", "compress", 0));
    json_object_set_new(json_array_get(json_object_get(ours, "documents"), 0), "held_out",
                        json_true());
    const struct bo_run *run = sample_take(json);
    static const char *const needed[] = {
        "| layouts | n 3, seed 7 |",
        ("\nbuild/bakeoff bench --json results/ --format pcdata --corpus 'large sample, of a user' "
         "--held-out FOLDER --kind point,open --full --no-compress --layouts 3:7 "
         "--repetitions 6\n"),
        "\nFOLDER contains the held-out documents: small-sample.\n",
    };
    assert_has_all(environments_text(run), needed, N_ELEMENTS(needed));
    char *text = sample_print(run, "md", NULL, NULL);
    assert_has(text, "with 95% intervals of the mean over 3 layouts by Student's t");
}

/* Whatever the runs measured, REPORT.md stays readable. Long tables are in results/. */
TEST(the_report_is_short)
{
    enum { MAX_LINES = 600 };
    unsigned n = 0;
    FILE *file = fopen("REPORT.md", "r");
    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;)
        n += c == '\n';
    fclose(file);
    assert_in_range(n, 1, MAX_LINES);
}

/* A chapter has lines for the two largest documents; the format's page has all. */
TEST(chapters_have_the_largest_documents)
{
    json_t *json = sample_json(), *documents = json_object_get(sample_ours(json), "documents");
    for (int i = 0; i < 4; i++) {
        json_t *copy = json_deep_copy(json_array_get(documents, 0)), *codec;
        size_t c;
        json_object_set_new(copy, "name", json_sprintf("copy-%d", i));
        json_array_foreach(json_object_get(copy, "codecs"), c, codec)
        {
            const json_t *bytes = json_object_get(codec, "bytes");
            if (bytes)
                json_object_set_new(codec, "bytes",
                                    json_integer(json_integer_value(bytes) * (i + 3)));
        }
        json_array_append_new(documents, copy);
    }
    const struct bo_run *run = sample_take(json);
    const char *sizes = assert_has(report_text(run), "### Sizes on all documents");
    assert_has(sizes, "\n| copy-2 | 5000 |");
    assert_lacks(sizes, "\n| copy-1 |");
    assert_lacks(sizes, "\n| large sample, of a user |");
    assert_has(sizes, "\nThe tables here have the 2 largest documents;");
    assert_has(documents_text(run), "\n| small-sample | 1000 |");
}

/* A held-out document is not among the largest ones, however large. */
TEST(chapters_have_no_held_out_documents)
{
    json_t *json = sample_json(), *documents = json_object_get(sample_ours(json), "documents");
    json_object_set_new(json_array_get(documents, 1), "held_out", json_true());
    const char *text = report_text(sample_take(json));
    assert_has(assert_has(text, "### Sizes on all documents"), "\n| small-sample | 1000 |");
    assert_has(text, "\n| small-sample | liar (new; 0.600; ");
    assert_lacks(text, "| large sample, of a user");
}

/* The times of a document without the page's query are those of another query, which is named. */
TEST(other_queries_are_named)
{
    json_t *json = sample_json(), *entry;
    size_t i;
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
    {
        const char *name = text_at(entry, "run_name"), *label = strstr(name, "point/uniform");
        if (label && strstr(name, sample_documents[1]))
            json_object_set_new(entry, "run_name",
                                json_sprintf("%.*spoint/recorded", (int)(label - name), name));
    }
    const struct bo_run *run = sample_take(json);
    const char *text = report_text(run);
    assert_has(text, "the median time of `point/recorded`, or of the query beside a document.");
    assert_has(text, "\n| large sample, of a user | ");
    assert_has(text, "\n| small-sample (`point/uniform`) | ");
    const char *times = assert_has(documents_text(run), "\nTime of `point/recorded` over that of "
                                                        "varint-delta (status quo), for documents "
                                                        "that have this query:\n");
    char *table = bo_arena_printf(&arena, "%.*s", (int)(strstr(times, "\n### ") - times), times);
    assert_has(table, "\n| large sample, of a user | ");
    assert_lacks(table, "small-sample");
    assert_lacks(table, "*geometric mean*");
}

/* A codec's code is everything that the linker keeps for it, not only its own file. */
TEST(the_code_is_what_the_linker_keeps)
{
    const struct bo_tsv adoption = bo_tsv_read("results", "adoption", &arena);
    const struct bo_tsv_row *row = bo_tsv_find(&adoption, "pcdata", "shape-code");
    assert_non_null(row);
    assert_true(bo_tsv_number(row, 2) > 4); /* its own four files, and those they need */
    assert_true(bo_tsv_number(row, 6) > bo_tsv_number(row, 7)); /* all, queries */
    char *text = documents_text(*state);
    if (!strstr(text, bo_arena_printf(&arena, "| %s | %s | %s | %s | %s | %s |", row->cells[2],
                                      row->cells[3], row->cells[4], row->cells[5], row->cells[6],
                                      row->cells[7])))
        fail_msg("the page lacks the row of shape-code in results/adoption.tsv");
}

/* Both documents, with links from the folder that the page lies in. */
TEST(each_document_has_its_figures)
{
    static const char *const needed[] = {
        "\n## All documents\n",
        "\n### The original benchmark's table\n",
        "\n### The code\n",
        "\n## small-sample\n",
        "\n## large sample, of a user\n",
        "](../results/test-cpu-2c/pcdata-large_sample__of_a_user-sections.svg)",
        "- failed: liar, point/pc-4096: wrong answer: query 12 of the set\n",
        "- failed: broken: " SAMPLE_FLAW "\n",
    };
    assert_has_all(documents_text(*state), needed, N_ELEMENTS(needed));
}

/* Pages show only pictures that are in git: two per format. */
TEST(pages_show_pictures_that_are_in_git)
{
    char *text = documents_text(*state);
    for (const char *p = text; (p = strstr(p, ".svg)")); p++)
        if (strncmp(p - strlen("-sections"), "-sections", strlen("-sections")) != 0)
            fail_msg("%.*s", 80, p - 40);
}

/* A codec whose readers keep something has its times and memory with each budget. */
TEST(budgets_are_a_table)
{
    static const char *const suffixes[] = {"@keep=0", "@keep=1048576", "@keep=16777216", ""};
    json_t *json = sample_json(), *entries = json_object_get(json, "benchmarks");
    for (unsigned i = 0; i < 3; i++)
        json_object_set_new(sample_add(entries, 70.0 - 10 * i,
                                       "pcdata/frame-24%s/small-sample/point/uniform", suffixes[i]),
                            "reader_bytes", json_integer(1024 << i));
    /* Rows without memory are not drawn, although the budget changes their time most. */
    for (unsigned i = 0; i < 4; i += 3)
        sample_add(entries, i ? 1 : 9000, "pcdata/frame-24%s/small-sample/point/pc-4096",
                   suffixes[i]);
    const struct bo_run *run = sample_take(json);
    char *text = documents_text(run);
    assert_has(text, "| frame-24 | point/uniform | - | 70.0 | 60.0 | 50.0 | 320 | 1.00 "
                     "KiB | 2.00 KiB | 4.00 KiB | - |\n");
    /* The picture has a point if both a time and the memory are known. */
    const struct bo_run_document *document = bo_run_document(run, "pcdata", "small-sample");
    assert_string_equal(bo_keep_label(document), "point/uniform");
    struct bo_drawing drawing;
    bo_drawing_begin(&drawing, &arena);
    bo_plot_keep(document, "unused.svg", &drawing);
    assert_has((const char *)bo_memory_bytes(&drawing.script).p,
               "\n1024 70\n2048 60\n4096 50\n\n\n");
    bo_memory_free(&drawing.script);
    assert_lacks(documents_text(*state), "**What readers keep.**");
    const struct bo_run *plain = *state;
    assert_null(bo_keep_label(bo_run_document(plain, "pcdata", "small-sample")));
}

/*
 * Rows in huge pages are next to the ordinary ones, with the bytes that actually were in huge
 * pages.
 */
TEST(huge_pages_are_a_table)
{
    json_t *json = sample_json(), *entries = json_object_get(json, "benchmarks");
    json_object_set_new(sample_add(entries, 160, "pcdata/frame-24@huge/small-sample/point/uniform"),
                        "huge_bytes", json_integer(4 << 20));
    const struct bo_run *run = sample_take(json);
    char *text = documents_text(run);
    assert_has(text, "**Huge pages.** Queries on small-sample");
    assert_has(text, "| frame-24 | point/uniform | 320 [318, 321] | 160 | 0.501 | 4.00 MiB |\n");
    const struct bo_run_document *document = bo_run_document(run, "pcdata", "small-sample");
    const struct bo_run_codec *quo = bo_run_codec(document, "varint-delta");
    assert_null(bo_run_variant_row(document, quo, BO_HUGE, "point/uniform"));
    assert_lacks(documents_text(*state), "**Huge pages.**");
}

/* The anchor that a heading "### history.bin" has: "historybin". */
static bool has_heading(const char *spec)
{
    char path[256], line[512], anchor[512];
    const char *hash = strchr(spec, '#');
    bool found = false;
    if (!hash)
        return false;
    snprintf(path, sizeof path, "%.*s", (int)(hash - spec), spec);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (!found && fgets(line, sizeof line, file)) {
        size_t n = 0;
        const char *p = line + strspn(line, "#");
        if (p == line || *p != ' ')
            continue;
        for (p++; *p && *p != '\n'; p++)
            if (isalnum((unsigned char)*p) || *p == '-' || *p == ' ')
                anchor[n++] = *p == ' ' ? '-' : (char)tolower((unsigned char)*p);
        anchor[n] = 0;
        found = strcmp(anchor, hash + 1) == 0;
    }
    fclose(file);
    return found;
}

TEST(codecs_lead_to_their_specification)
{
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (const struct bo_codec *const *c = (*f)->codecs; *c; c++) {
            if (!has_heading((*c)->spec))
                fail_msg("%s/%s: no heading for %s", (*f)->name, (*c)->name, (*c)->spec);
        }
}

static bool is_query(const struct bo_format *format, const char *label)
{
    char *workload = bo_arena_printf(&arena, "%s", label);
    const struct bo_query_kind *kind = bo_find_kind(format, strsep(&workload, "/"));
    if (!kind || !workload)
        return false;
    for (unsigned w = 0; w < BO_N_RECORDED_WORKLOADS; w++)
        if (strcmp(bo_recorded_names[w], workload) == 0)
            return true;
    return bo_find_workload(kind, workload) != NULL;
}

/* An unknown name would silently fall back to the first query. */
TEST(the_first_workload_is_of_a_query)
{
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct bo_format_report *notes = (*f)->report;
        char labels[512], *rest = labels, *label;
        snprintf(labels, sizeof labels, "%s %s", notes->main_label ? notes->main_label : "",
                 notes->curve_label ? notes->curve_label : "");
        while ((label = strsep(&rest, " ")))
            if (*label && !is_query(*f, label))
                fail_msg("%s has no query %s", (*f)->name, label);
    }
}

/* ---- parts in other pages -------------------------------------------------------------------- */

#define ENDS "<!-- report ends -->\n"

/* The page with its parts filled in; NULL if one is faulty. */
static char *filled_in(const struct bo_run *run, const char *page)
{
    const struct bo_report report = printing_report(run, "../");
    const bool ok = bo_inserts_print(&report, page, "test.md");
    char *text = printed_text();
    return ok ? text : NULL;
}

TEST(parts_are_filled_in)
{
    const char *text =
        filled_in(*state, "before\n<!-- report: picture pcdata -->\nold\n" ENDS "between\n"
                          "<!-- report: picks pcdata -->\n" ENDS
                          "<!-- report: picks lprf -->\nkept\n" ENDS "after");
    static const char first[] =
        "before\n<!-- report: picture pcdata -->\n![pcdata on large sample, of a user: bytes "
        "against "
        "time, with the Pareto "
        "front](../results/test-cpu-2c/pcdata-large_sample__of_a_user-size-time.svg)\n" ENDS
        "between\n<!-- report: picks pcdata -->\nBy bytes and";
    assert_non_null(text);
    assert_memory_equal(text, first, sizeof first - 1);
    assert_lacks(text, "old");
    assert_has(text, "| small-sample | liar (new; 0.600; 312 ns) |");
    assert_has(text, "<!-- report: picks lprf -->\nkept\n" ENDS "after");
    /* filled in again, it is the same */
    assert_string_equal(filled_in(*state, text), text);
}

TEST(the_glance_links_to_the_report)
{
    const char *text = filled_in(*state, "<!-- report: glance all -->\n" ENDS);
    assert_has(text, "\n| [pcdata](../REPORT.md#pcdata) | 2 | point/uniform | liar (new) | "
                     "frame-24 (new) | yes | varint-delta (status quo) | linear-index "
                     "(proposed) | ");
}

TEST(faulty_parts_are_reported)
{
    static const char *const faulty[] = {
        "<!-- report: picks pcdata -->\nno end",  "<!-- report: picks nowhere -->\n" ENDS,
        "<!-- report: nothing pcdata -->\n" ENDS, "<!-- report: picks -->\n" ENDS,
        "<!-- report: picks pcdata -- >\n" ENDS,
    };
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++)
        assert_null(filled_in(*state, faulty[i]));
}

/* ---- tables ---------------------------------------------------------------------------------- */

TEST(all_tables_have_equal_columns)
{
    assert_true(check_tables(report_text(*state)) >= 6);
    assert_true(check_tables(environments_text(*state)) >= 1);
    assert_true(check_tables(documents_text(*state)) >= 15);
}

TEST_FILE(sample_setup, sample_teardown)
