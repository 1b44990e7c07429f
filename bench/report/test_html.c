/*
 * The HTML page: its text, independent of the browser. Its appearance and behaviour are tested in a
 * browser (bench/page/test_page.mjs).
 */
#include "bench/report/test_sample.h"

#include "bench/report/report.h"

static char *print_html(const struct bo_run *run, const char *charts)
{
    const struct bo_report report = printing_report(run, "../../");
    bo_html_print(&report, "/nowhere", charts);
    return printed_text();
}

TEST(the_page_holds_what_it_must)
{
    static const char *const needed[] = {
        "<section class=\"format\" id=\"pcdata\">",
        "<section class=\"document\" data-document=\"small-sample\">",
        "<section class=\"document\" data-document=\"large sample, of a user\">",
        "<td data-v=\"1250\">1250</td>", /* a number to sort by, and its text */
        "<td data-v=\"1.25\">1.250</td>",
        "made for a test | with a bar; XXH3-64",
        "<li>failed: liar, point/pc-4096: wrong answer: query 12 of the set</li>",
        "<summary>The fuzzing record</summary>",
        "<td>Test CPU, 2 CPUs, L2 1 MiB</td>",
        "<a href=\"../../results/test-cpu-2c/x.json\">", /* from build/report */
        "<a href=\"#pcdata\">",
        "default-src 'none'",
    };
    assert_has_all(print_html(*state, NULL), needed, N_ELEMENTS(needed));
}

/*
 * No raw Markdown is left, every element that is opened is closed, and the page makes no network
 * request.
 */
TEST(the_page_is_whole)
{
    static const char *const elements[] = {"table",  "section", "figure",  "details",
                                           "script", "div",     "noscript"};
    char *text = print_html(*state, "/* charts */");
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        char open[32], close[32];
        snprintf(open, sizeof open, "<%s", elements[i]);
        snprintf(close, sizeof close, "</%s>", elements[i]);
        assert_int_equal(count_of(text, open), count_of(text, close));
    }
    assert_int_equal(count_of(text, "|---"), 0);
    assert_int_equal(count_of(text, "src=\"http"), 0);
    assert_int_equal(count_of(text, "href=\"http"), 0);
}

TEST(without_a_library_it_says_so)
{
    char *text = print_html(*state, NULL);
    assert_has(text, "The pictures are static");
    assert_has(text, "This picture was not drawn yet.");
    assert_int_equal(count_of(text, "<noscript>"), 0);
    assert_int_equal(count_of(text, "<figure data-chart=\"workloads\""), 1);
    text = print_html(*state, "/* the library */");
    assert_has(text, "<script>\n/* the library */");
    assert_int_equal(count_of(text, "<figure data-chart=\"workloads\""), 0);
}

/* The figures of each document are there as JSON. */
TEST(figures_can_be_read)
{
    static const char start[] = "<script type=\"application/json\" class=\"figures\">";
    char *text = print_html(*state, NULL), *p = text;
    unsigned n = 0;
    while ((p = strstr(p, start))) {
        p += strlen(start);
        json_t *figures = json_loadb(p, (size_t)(strstr(p, "</script>") - p), 0, NULL);
        assert_int_equal(json_array_size(json_object_get(figures, "codecs")), N_SAMPLE_CODECS);
        json_decref(figures);
        n++;
    }
    assert_int_equal(n, 2);
}

TEST(no_text_ends_its_element)
{
    json_t *value = json_pack("[s]", "</script><!--<b>");
    bo_html_json(value, printing());
    const char *text = printed_text();
    assert_null(strchr(text, '<'));
    json_t *again = json_loads(text, 0, NULL);
    assert_true(json_equal(value, again));
    json_decref(again);
    json_decref(value);
}

TEST(cells_by_hand)
{
    static const char *const cells[][2] = {
        {"a <b> & \"c\"", "a &lt;b&gt; &amp; &quot;c&quot;"},
        {"[the text](to/a#b)", "<a href=\"to/a#b\">the text</a>"},
        {"*worst*", "<em>worst</em>"},
        {"12.3 [12.1, 12.5]", "12.3 <small>[12.1, 12.5]</small>"},
        {"hash+*", "hash+*"},
        {"-", "-"},
    };
    struct bo_grid grid;
    bo_grid_init(&grid, &arena, 0);
    bo_grid_add(&grid, "a heading");
    bo_grid_end_row(&grid);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        bo_grid_add(&grid, "%s", cells[i][0]);
        bo_grid_value(&grid, i == 3 ? 12.25 : NAN);
        bo_grid_end_row(&grid);
    }
    bo_grid_html(&grid, "a \"name\"", printing());
    const char *text = printed_text();
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        assert_has(text, bo_arena_printf(&arena, "<th scope=\"row\"%s>%s</th>",
                                         i == 3 ? " data-v=\"12.25\"" : "", cells[i][1]));
    assert_has(text, "aria-label=\"a &quot;name&quot;\"");
    assert_lacks(text, "\n\n"); /* which would end it inside Markdown */
}

TEST_FILE(sample_setup, sample_teardown)
