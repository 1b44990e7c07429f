/*
 * The styles of tables: their layout, their figures compared with the results, and that failures
 * stay visible.
 */
#include "bench/report/test_sample.h"

#include <sys/stat.h>
#include <unistd.h>

#include "harness/core/print.h"

/* ---- layout ---------------------------------------------------------------------------------- */

TEST(markdown_rows_have_equal_columns)
{
    char *text = sample_print(*state, "md", NULL, NULL);
    assert_int_equal(*text, '|');
    assert_int_equal(count_of(text, "\n|"), N_SAMPLE_CODECS + 1);
    assert_true(count_of(text, "|---") >= 10); /* columns */
    assert_int_equal(check_tables(text), 1);
}

TEST(rfc_stays_in_72_columns)
{
    char *text = sample_print(*state, "rfc", NULL, NULL), *rest = text, *line;
    size_t longest = 0, n_lines = 0;
    while ((line = next_line(&rest))) {
        longest = strlen(line) > longest ? strlen(line) : longest;
        n_lines++;
    }
    assert_true(longest <= BO_RFC_WIDTH);
    assert_true(longest > BO_RFC_WIDTH / 2);
    assert_true(n_lines > 2 * N_SAMPLE_CODECS);
}

TEST(rfc_says_how_to_judge_and_repeat)
{
    char *text = sample_print(*state, "rfc", NULL, NULL);
    static const char *const needed[] = {
        "0123456789abcdef",
        "Test CPU",
        "n = 20 repetitions",
        "95%",
        "commit 01234567890",
        ("make && make corpora && build/bakeoff bench --format pcdata --corpus 'large sample, of a "
         "user'"),
        "table pcdata --results again.json --style rfc",
        "made for a test",
        "2025-03-01",
    };
    char *joined = bo_arena_printf(&arena, "%s", text); /* words may stand on two lines */
    size_t n = 0;
    for (const char *p = text; *p; p++)
        if (!(strchr(" \n\\", *p) && n && joined[n - 1] == ' '))
            joined[n++] = *p == '\n' || *p == '\\' ? ' ' : *p;
    joined[n] = 0;
    assert_has_all(joined, needed, N_ELEMENTS(needed));
}

/* If the user selects rows, no answer is printed. */
static char *rfc_without_answer(const struct bo_run *run)
{
    struct bo_table table = {.run = run, .format = "pcdata", .options = " --kind point"};
    table.document = bo_run_document(run, "pcdata", NULL);
    const struct bo_table_style *rfc = &bo_table_styles[1];
    assert_string_equal(rfc->name, "rfc");
    rfc->print(&table, &arena, printing());
    return printed_text();
}

/* The front, the status quo, proposals, failures, and the codecs that the answer names. */
TEST(rfc_has_the_codecs_that_matter)
{
    static const char *const shown[] = {"varint-delta ", "linear-index ", "liar ", "broken "};
    char *text = rfc_without_answer(*state);
    assert_has_all(text, shown, N_ELEMENTS(shown));
    assert_lacks(text, "\nnoop ");
    assert_lacks(text, "\nframe-24 "); /* liar is smaller and faster */
    assert_has(text, "5 of 7 codecs: the Pareto front of bytes and point/uniform");
    text = sample_print(*state, "rfc", NULL, NULL);
    assert_has(text, "6 of 7 codecs: ");
    assert_has(text, "\nframe-24 "); /* the runner-up */
}

/* A codec that stores less than the others does not exclude them. */
TEST(codecs_that_leave_something_out_have_a_front_of_their_own)
{
    json_t *json = sample_json();
    for (size_t d = 0; d < 2; d++)
        json_object_set_new(sample_size(json, d, "liar"), "leaves_out", json_string("names"));
    const char *text = rfc_without_answer(sample_take(json));
    assert_has(text, "\nliar (<) ");
    assert_has(text, "\nframe-24 ");
}

/* The paths of codecs that the table does not show. */
TEST(rfc_has_the_paths_of_its_rows)
{
    json_t *json = sample_json();
    json_object_set_new(
        sample_ours(json), "paths",
        json_pack("{s:s, s:s}", "pcdata/liar", "x86-64-v3", "pcdata/frame-24", "x86-64-v4"));
    const char *text = rfc_without_answer(sample_take(json));
    assert_has(text, "liar x86-64-v3,");
    assert_lacks(text, "x86-64-v4");
}

/* Names, figures and words of any length must not break any width. */
TEST(text_grids_cut_and_wrap)
{
    static const char x[] =
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    for (unsigned width = 24; width <= 80; width++) {
        struct bo_grid grid;
        char *rest, *line, *words = bo_arena_printf(&arena, "word");
        size_t longest = 0;
        bo_grid_init(&grid, &arena, 1);
        for (unsigned row = 0; row < 3; row++) {
            for (unsigned column = 0; column < 12; column++) {
                const int n = (int)((row * 31 + column * column * 7) % (column == 5 ? 79 : 13));
                bo_grid_add(&grid, "%.*s", n, x);
                words = bo_arena_printf(&arena, "%s %.*s", words, n, x);
            }
            bo_grid_end_row(&grid);
        }
        FILE *out = printing();
        bo_grid_text(&grid, width, out);
        bo_print_wrapped(out, words, width, "   ");
        rest = printed_text();
        while ((line = next_line(&rest)))
            longest = strlen(line) > longest ? strlen(line) : longest;
        assert_true(longest <= width);
    }
}

TEST(tex_rows_have_equal_columns)
{
    char *text = sample_print(*state, "tex", NULL, NULL), *rest = text, *line;
    unsigned columns = 0;
    while ((line = next_line(&rest))) {
        if (!strstr(line, " \\\\"))
            continue;
        unsigned n = 1;
        for (const char *p = line; (p = strstr(p, " & ")); p++)
            n++;
        columns = columns ? columns : n;
        assert_int_equal(n, columns);
    }
    assert_true(columns > 10);
    text = sample_print(*state, "tex", NULL, NULL);
    assert_has(text, "\\toprule");
    for (const char *p = text; (p = strchr(p, '%')); p++)
        assert_int_equal(p[-1], '\\'); /* else it starts a comment */
}

TEST(tex_by_hand)
{
    struct bo_grid grid;
    bo_grid_begin(&grid, &arena, 2, "codec", "role", "B/table", "ratio", NULL);
    bo_grid_texts(&grid, "a_b", "new & ~old^2", "50%", "\\{#$}", NULL);
    bo_grid_end_row(&grid);
    bo_grid_tex(&grid, printing());
    assert_string_equal(printed_text(), "\\begin{tabular}{llrr}\n"
                                        "\\toprule\n"
                                        "codec & role & B/table & ratio \\\\\n"
                                        "\\midrule\n"
                                        "a\\_b & new \\& \\~{}old\\^{}2 & 50\\% & "
                                        "\\textbackslash{}\\{\\#\\$\\} \\\\\n"
                                        "\\bottomrule\n"
                                        "\\end{tabular}\n");
}

/* ---- figures --------------------------------------------------------------------------------- */

/* The n-th field of a line without quoted fields before it. */
static char *field(char *line, unsigned n)
{
    while (n--) {
        line += *line == '"' ? strcspn(line + 1, "\"") + 2 : strcspn(line, ",");
        assert_int_equal(*line, ',');
        line++;
    }
    return line;
}

static unsigned find_field(const char *heading, const char *name)
{
    unsigned n = 0;
    for (const char *p = heading; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ','), n++)
        if (strncmp(p, name, strlen(name)) == 0 && strchr(",", p[strlen(name)]))
            return n;
    fail_msg("no column %s", name);
    return 0;
}

TEST(csv_has_the_figures_of_the_results)
{
    char *text = sample_print(*state, "csv", NULL, NULL), *rest = text;
    char *heading = next_line(&rest);
    for (unsigned d = 0; d < 2; d++)
        for (unsigned c = 0; c < N_SAMPLE_CODECS; c++) {
            char *line = next_line(&rest);
            assert_non_null(line);
            assert_int_equal(
                strncmp(field(line, 1), sample_codecs[c].name, strlen(sample_codecs[c].name)), 0);
            for (unsigned l = 0; l < N_SAMPLE_LABELS; l++) {
                char name[64];
                snprintf(name, sizeof name, "%s median_ns", sample_labels[l]);
                const unsigned at = find_field(heading, name);
                const bool failed = sample_codecs[c].bytes < 0 ||
                                    (strcmp(sample_codecs[c].name, "liar") == 0 && l == 4);
                if (failed || !sample_has(c, l)) {
                    assert_int_equal(*field(line, at), ',');
                    continue;
                }
                assert_true(strtod(field(line, at), NULL) == sample_median(c, l, d));
                assert_true(strtod(field(line, at + 1), NULL) == sample_time(c, l, d, SAMPLE_LOW));
                assert_true(strtod(field(line, at + 2), NULL) == sample_time(c, l, d, SAMPLE_HIGH));
                assert_true(strtod(field(line, at + 3), NULL) == 7);
            }
        }
    assert_null(next_line(&rest));
}

TEST(names_of_one_unit)
{
    assert_string_equal(bo_singular(&arena, "tables"), "table");
    assert_string_equal(bo_singular(&arena, "entries"), "entry");
    assert_string_equal(bo_singular(&arena, "ies"), "ie");
    assert_string_equal(bo_singular(&arena, "s"), "s");
    assert_string_equal(bo_singular(&arena, "data"), "data");
}

TEST(csv_has_the_units_of_queries_for_whole_documents)
{
    json_t *json = sample_json(), *entries = json_object_get(json, "benchmarks");
    json_object_set_new(sample_add(entries, 77, "pcdata/frame-24/small-sample/all/whole"),
                        "units_per_query", json_integer(250));
    char *text = sample_print(sample_take(json), "csv", "small-sample", NULL), *rest = text;
    char *heading = next_line(&rest), *line = next_line(&rest);
    while (line && strncmp(field(line, 1), "frame-24", 8) != 0)
        line = next_line(&rest);
    assert_non_null(line);
    assert_true(strtod(field(line, find_field(heading, "all/whole units_per_query")), NULL) == 250);
}

/* Compares a figure in CSV, "" if missing, with that in JSON, null if missing. */
static void assert_same_figure(const char *field_start, const json_t *value)
{
    if (strchr(",\n", *field_start) || *field_start == 0)
        assert_true(!value || json_is_null(value));
    else
        assert_true(json_number_value(value) == strtod(field_start, NULL));
}

TEST(json_has_the_figures_of_csv)
{
    static const char *const figures[] = {"repetitions", "median_ns", "low_ns",
                                          "high_ns",     "p10_ns",    "p90_ns"};
    char *csv = sample_print(*state, "csv", NULL, NULL), *rest = csv;
    char *text = sample_print(*state, "json", NULL, NULL);
    json_t *object = json_loads(text, 0, NULL), *documents = json_object_get(object, "documents");
    assert_int_equal(json_array_size(documents), 2);
    char *heading = next_line(&rest);
    for (unsigned i = 0; i < 2 * N_SAMPLE_CODECS; i++) {
        const json_t *codecs =
            json_object_get(json_array_get(documents, i / N_SAMPLE_CODECS), "codecs");
        const json_t *codec = json_array_get(codecs, i % N_SAMPLE_CODECS);
        char *line = next_line(&rest);
        assert_same_figure(field(line, find_field(heading, "bytes")),
                           json_object_get(codec, "bytes"));
        for (unsigned l = 0; l < N_SAMPLE_LABELS; l++) {
            const json_t *row = json_object_get(json_object_get(codec, "rows"), sample_labels[l]);
            char name[64];
            for (unsigned f = row ? 0 : 1; f < sizeof figures / sizeof *figures; f++) {
                snprintf(name, sizeof name, "%s %s", sample_labels[l], figures[f]);
                assert_same_figure(field(line, find_field(heading, name)),
                                   json_object_get(row, f ? figures[f] : "n"));
            }
        }
    }
    json_decref(object);
}

TEST(json_says_where_figures_come_from)
{
    char *text = sample_print(*state, "json", "small-sample", "point");
    json_t *object = json_loads(text, 0, NULL);
    const json_t *document = json_array_get(json_object_get(object, "documents"), 0);
    const json_t *codecs = json_object_get(document, "codecs"), *broken = json_array_get(codecs, 4);
    const json_t *run = json_object_get(object, "run");
    assert_string_equal(text_at(run, "machine"), "test-cpu-2c");
    assert_int_equal(strlen(text_at(run, "commit")), 40);
    assert_int_equal(strlen(text_at(document, "xxh3")), 16);
    assert_true(json_number_value(json_object_get(json_object_get(object, "interval"),
                                                  "confidence")) == BO_CONFIDENCE);
    assert_string_equal(text_at(broken, "failure"), SAMPLE_FLAW);
    assert_true(json_is_null(json_object_get(broken, "bytes")));
    assert_null(json_object_get(json_object_get(json_array_get(codecs, 0), "rows"), "encode"));
    json_decref(object);
}

TEST(markdown_has_the_figures_of_the_results)
{
    char *text = sample_print(*state, "md", "small-sample", "point");
    char expected[96];
    const char *line =
        assert_has(text, "| linear-index | proposed | random | 1250 | 1.250 | 5.00 |");
    snprintf(expected, sizeof expected, "| %.0f [%.0f, %.0f] |", sample_median(2, 3, 0),
             sample_time(2, 3, 0, SAMPLE_LOW), sample_time(2, 3, 0, SAMPLE_HIGH));
    assert_true(assert_has(line, expected) < strchr(line, '\n'));
    assert_lacks(text, "encode");
}

TEST(a_reader_has_the_bytes_of_its_encoding)
{
    char *text = sample_print(*state, "md", "small-sample", NULL);
    assert_has(text, "| varint-delta-cached | status quo | random | 1000 | 1.000 |");
    assert_has(text, "| noop | control | - | - | - |");
}

TEST(the_largest_document_is_the_one_shown)
{
    char *text = sample_print(*state, "md", NULL, NULL);
    assert_has(text, "| varint-delta | status quo | random | 2000 |");
}

/* ---- few repetitions ------------------------------------------------------------------------- */

/* With fewer than 6 repetitions no style prints an interval, and styles for people explain it. */
TEST(few_repetitions_have_no_interval)
{
    static const char none[] = "no 95% intervals, which need 6 repetitions";
    for (unsigned n = 1; n <= 6; n++) {
        const struct bo_run *run = sample_take(sample_json_of(n));
        const bool few = n < 6;
        char *text = sample_print(run, "md", "small-sample", NULL);
        assert_true((strchr(text, '[') == NULL) == few);
        assert_true((strstr(text, none) != NULL) == few);
        text = sample_print(run, "rfc", "small-sample", NULL);
        assert_true((strstr(text, "+-") == NULL) == few);
        text = sample_print(run, "gobench", "small-sample", NULL);
        assert_true((strstr(text, "\n# Fewer than 6 repetitions") != NULL) == few);
        text = sample_print(run, "csv", "small-sample", NULL);
        char *rest = text, *heading = next_line(&rest), *line = next_line(&rest);
        assert_true((*field(line, find_field(heading, "open low_ns")) == ',') == few);
        text = sample_print(run, "json", "small-sample", NULL);
        assert_true((strstr(text, "\"low_ns\": null") != NULL) || !few);
    }
}

/* ---- failures -------------------------------------------------------------------------------- */

TEST(failures_stay_visible)
{
    static const char *const people[] = {"md", "rfc", "tex"};
    for (size_t i = 0; i < 3; i++) {
        char *text = sample_print(*state, people[i], NULL, NULL);
        assert_has(assert_has(text, "broken"), "failed");
        assert_has(text, "failed: broken: " SAMPLE_FLAW);
        assert_has(text, "failed: liar, point/pc-4096: wrong answer");
    }
    char *text = sample_print(*state, "md", NULL, "point");
    const char *liar = strstr(text, "| liar |"), *broken = strstr(text, "| broken |");
    assert_non_null(memmem(liar, strcspn(liar, "\n"), " | failed | ", 12));
    assert_non_null(memmem(broken, strcspn(broken, "\n"), " | failed | failed | ", 21));
    text = sample_print(*state, "csv", NULL, NULL);
    assert_has(text, SAMPLE_FLAW);
    assert_has(text, "point/pc-4096: wrong answer: query 12 of the set");
}

/* ---- paths ----------------------------------------------------------------------------------- */

/*
 * A codec's portable path is in its row. In styles for programs, it is a row with the path's name.
 */
TEST(paths_are_named)
{
    json_t *json = sample_json();
    sample_add_portable(json, "liar", 1.5);
    const struct bo_run *run = sample_take(json);
    char *text = sample_print(run, "md", NULL, "point");
    const double median = sample_median(5, 3, 1), portable = 1.5 * median;
    char cell[64];
    assert_has(text, "| access | path (portable C in round brackets) | bytes |");
    const char *liar = assert_has(text, "| liar | new | random | x86-64-v3 | ");
    snprintf(cell, sizeof cell, "| %s [", bo_significant(&arena, median));
    assert_non_null(memmem(liar, strcspn(liar, "\n"), cell, strlen(cell)));
    snprintf(cell, sizeof cell, "] (%s) |", bo_significant(&arena, portable));
    assert_non_null(memmem(liar, strcspn(liar, "\n"), cell, strlen(cell)));
    text = sample_print(run, "tex", NULL, "point");
    assert_has(text, "liar & new & random & x86-64-v3 & ");
    text = sample_print(run, "csv", NULL, "point");
    assert_has(text, ",liar,new,random,x86-64-v3,,");
    assert_has(text, ",liar@portable,new,random,portable,liar,");
}

/* A wrong answer of the portable path is not the same as no measurement. */
TEST(failures_of_portable_paths_are_named)
{
    json_t *json = sample_json();
    sample_add_portable(json, "liar", 1.5);
    sample_fail(json, "liar@portable");
    const struct bo_run *run = sample_take(json);
    char *text = sample_print(run, "md", NULL, "point");
    const char *liar = assert_has(text, "| liar | new | random | x86-64-v3 | ");
    assert_non_null(memmem(liar, strcspn(liar, "\n"), "] (failed) |", 12));
    assert_has(text, "failed: liar, point/pc-4096: wrong answer: query 12 of the set");
    assert_has(text, "failed: liar@portable, encode: wrong answer");
    text = sample_print(run, "csv", NULL, "point");
    liar = assert_has(text, ",liar@portable,new,random,portable,liar,");
    assert_non_null(memmem(liar, strcspn(liar, "\n"), ",encode: wrong answer", 21));
}

/* ---- numbers --------------------------------------------------------------------------------- */

/*
 * A document that a codec cannot hold is not a failure: the row has dashes, and a line with the
 * reason.
 */
TEST(refusals_are_no_failures)
{
    static const char flaw[] = "\"" SAMPLE_FLAW "\"", refusal[] = "\"unsupported: toys\"";
    json_t *json = sample_json();
    char *text = json_dumps(json, 0);
    json_decref(json);
    for (char *at; (at = strstr(text, flaw));) {
        char *longer;
        assert_true(
            asprintf(&longer, "%.*s%s%s", (int)(at - text), text, refusal, at + strlen(flaw)) > 0);
        free(text);
        text = longer;
    }
    const struct bo_run *run = sample_take(json_loads(text, 0, NULL));
    free(text);
    text = sample_print(run, "md", NULL, "point");
    const char *broken = strstr(text, "| broken |");
    assert_non_null(memmem(broken, strcspn(broken, "\n"), " | - | - | ", 11));
    assert_null(memmem(broken, strcspn(broken, "\n"), "failed", 6));
    assert_has(text, "- not held by broken: toys\n");
    assert_lacks(text, "failed: broken");
}

/* Conversions of such numbers to integers are undefined. */
TEST(numbers_that_are_no_counts_are_ignored)
{
    static const double numbers[] = {1e308, 0x1p64, -1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_t *json = sample_json(), *entry;
        json_t *document = json_array_get(json_object_get(sample_ours(json), "documents"), 0);
        size_t at;
        json_object_set_new(json_object_get(document, "units"), "tables", json_real(numbers[i]));
        json_object_del(document, "codecs");
        json_array_foreach(json_object_get(json, "benchmarks"), at, entry)
            json_object_set_new(entry, "bytes", json_real(numbers[i]));
        const struct bo_run *run = sample_take(json);
        assert_null(run->documents[0].unit);
        assert_int_equal(run->documents[0].n_units, 0);
        assert_false(run->documents[0].codecs[0].has_bytes);
        assert_has(sample_print(run, "md", "small-sample", NULL), "| frame-24 |");
    }
}

TEST(other_files_are_refused)
{
    static const char *const others[] = {
        "[]", "{}", "{\"context\": {}, \"benchmarks\": []}",
        "{\"context\": {\"bakeoff\": {\"documents\": []}}, \"benchmarks\": [{\"name\": 1}]}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct bo_run run;
        assert_false(bo_run_take(json_loads(others[i], 0, NULL), "another file", &run));
        bo_run_free(&run);
    }
}

TEST(marks_by_hand)
{
    struct bo_run_codec codecs[] = {{.name = "a"},
                                    {.name = "b", .leaves_out = "a name"},
                                    {.name = "c", .probabilistic = true},
                                    {.name = "d", .leaves_out = "a place"},
                                    {.name = "e", .leaves_out = "a name"}};
    struct bo_run_document document = {.codecs = codecs, .n_codecs = 1};
    assert_string_equal(bo_codec_cell(&arena, &codecs[0]), "a");
    assert_string_equal(bo_codec_cell(&arena, &codecs[1]), "b (<)");
    assert_string_equal(bo_codec_cell(&arena, &codecs[2]), "c (~)");
    assert_null(bo_mark_note(&document, &arena));
    document.n_codecs = 2;
    assert_has(bo_mark_note(&document, &arena), "(<): ");
    assert_lacks(bo_mark_note(&document, &arena), "(~): ");
    document.n_codecs = 5;
    assert_has(bo_mark_note(&document, &arena), " document: a name (b, e); a place (d).");
    assert_has(bo_mark_note(&document, &arena), "(~): ");
}

TEST(marks_are_explained_below_tables)
{
    static const char *const styles[] = {"md", "rfc", "tex"};
    json_t *json = sample_json();
    for (size_t d = 0; d < 2; d++)
        json_object_set_new(sample_size(json, d, "liar"), "leaves_out", json_string("names"));
    const struct bo_run *run = sample_take(json);
    for (size_t i = 0; i < N_ELEMENTS(styles); i++)
        assert_has(sample_print(run, styles[i], NULL, NULL), "this codec does not store");
}

/* ---- the newest run -------------------------------------------------------------------------- */

static void assert_newest_of(const char *machine, const char *format, const char *name)
{
    struct bo_run run;
    assert_int_equal(bo_run_load_newest(folder, machine, format, &run), name != NULL);
    if (name)
        assert_string_equal(run.path, path_in(name));
    bo_run_free(&run);
}

static void assert_newest(const char *format, const char *name)
{
    assert_newest_of(NULL, format, name);
}

/* The newest run of each format; here of the only one that has any. */
static void assert_newest_runs(const char *name)
{
    struct bo_run *runs;
    assert_int_equal(bo_runs_newest(folder, NULL, NULL, &arena, &runs), 1);
    assert_string_equal(runs[0].path, path_in(name));
    assert_ptr_equal(runs[0].documents[0].environment, &runs[0].parts[runs[0].n_parts]);
    assert_string_equal(bo_environment_fact(runs[0].documents[0].environment, "machine"),
                        bo_environment_fact(&runs[0].environment, "machine"));
    bo_run_free(&runs[0]);
}

/*
 * By date over all machines. Files with other names are not runs. A run without the format is
 * skipped.
 */
TEST(the_newest_run_is_found)
{
    const struct bo_run *run = *state;
    static const char *const files[] = {"a/20250101T000000Z.json", "b/20250201T000000Z.json",
                                        "a/20250301T000000Z.json", "b/notes.json"};
    make_folder();
    assert_newest("pcdata", NULL);
    assert_int_equal(mkdir(path_in("a"), 0777) | mkdir(path_in("b"), 0777), 0);
    json_t *empty =
        json_pack("{s:{s:{s:[]}}, s:[]}", "context", "bakeoff", "documents", "benchmarks");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(json_dump_file(i == 2 ? empty : run->json, path_in(files[i]), 0), 0);
    assert_newest("pcdata", files[1]);
    assert_newest("another", NULL);
    assert_newest_of("a", "pcdata", files[0]);
    assert_newest_of("b", "pcdata", files[1]);
    assert_newest_of("c", "pcdata", NULL);
    assert_newest_runs(files[1]);
    assert_int_equal(remove_folder(), 4);
    json_decref(empty);
}

static void write_run(const json_t *run, const char *depth, bool is_partial, const char *path)
{
    json_t *copy = json_deep_copy(run);
    json_t *ours = sample_ours(copy);
    json_object_set_new(ours, "options", json_pack("{s:s}", "depth", depth));
    if (is_partial)
        json_object_set_new(ours, "partial", json_pack("{s:i, s:i}", "measured", 1, "of", 2));
    assert_int_equal(json_dump_file(copy, path, 0), 0);
    json_decref(copy);
}

/*
 * A report uses a run of published depth if there is one, a table the newest run. Neither uses a
 * partial run if there is another.
 */
TEST(complete_runs_of_published_depth_come_first)
{
    const struct bo_run *run = *state;
    static const struct {
        const char *name, *depth;
        bool is_partial;
        const char *table, *report; /* the expected choices once this run exists, too */
    } cases[] = {
        {"a/20250501T000000Z.json", "full", true, "a/20250501T000000Z.json",
         "a/20250501T000000Z.json"},
        {"a/20250401T000000Z.json", "quick", false, "a/20250401T000000Z.json",
         "a/20250401T000000Z.json"},
        {"a/20250301T000000Z.json", "default", false, "a/20250401T000000Z.json",
         "a/20250301T000000Z.json"},
        {"a/20250201T000000Z.json", "full", false, "a/20250401T000000Z.json",
         "a/20250201T000000Z.json"},
        {"a/20250101T000000Z.json", "full", false, "a/20250401T000000Z.json",
         "a/20250201T000000Z.json"},
    };
    enum { N = sizeof cases / sizeof *cases };
    make_folder();
    assert_int_equal(mkdir(path_in("a"), 0777), 0);
    for (size_t i = 0; i < N; i++) {
        write_run(run->json, cases[i].depth, cases[i].is_partial, path_in(cases[i].name));
        assert_newest("pcdata", cases[i].table);
        assert_newest_runs(cases[i].report);
    }
    for (size_t i = 0; i < N; i++)
        assert_int_equal(unlink(path_in(cases[i].name)), 0);
    /* a complete run of selected rows, and a newer partial one */
    write_run(run->json, "full", true, path_in(cases[0].name));
    write_run(run->json, "selected", false, path_in(cases[1].name));
    assert_newest_runs(cases[1].name);
    assert_int_equal(remove_folder(), 2);
}

/* A run of one document that --corpus selects does not replace an older run of two in a report. */
TEST(selected_documents_do_not_replace_all)
{
    static const char *const names[] = {"a/20250301T000000Z.json", "a/20250201T000000Z.json"};
    const struct bo_run *run = *state;
    make_folder();
    assert_int_equal(mkdir(path_in("a"), 0777), 0);
    json_t *one = sample_json();
    for (unsigned selected = 0; selected < 2; selected++) {
        json_object_set_new(sample_ours(one), "options",
                            json_pack("{s:s, s:b}", "depth", "full", "corpus", (int)selected));
        assert_int_equal(json_dump_file(one, path_in(names[0]), 0), 0);
        write_run(run->json, "full", false, path_in(names[1]));
        assert_newest_runs(names[0]); /* as many documents, or not known to be selected */
        json_array_remove(json_object_get(sample_ours(one), "documents"), 1);
        assert_int_equal(json_dump_file(one, path_in(names[0]), 0), 0);
        assert_newest_runs(names[selected]);
        json_decref(one);
        one = sample_json();
    }
    json_decref(one);
    assert_int_equal(remove_folder(), 2);
}

TEST_FILE(sample_setup, sample_teardown)
