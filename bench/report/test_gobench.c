/*
 * Go's benchmark format: every line by its grammar, as benchstat reads it, and every figure there.
 */
#include "bench/report/test_sample.h"

#include <ctype.h>

/* ---- the grammar ----------------------------------------------------------------------------- */

/* Takes a word off the line; "" at its end. */
static char *take_word(char **rest)
{
    char *word = *rest + strspn(*rest, " \t");
    const size_t n = strcspn(word, " \t");
    *rest = word + n + (word[n] != 0);
    word[n] = 0;
    return word;
}

static bool is_number(const char *word)
{
    char *end;
    strtod(word, &end);
    return *word && !*end;
}

/* name iterations {value unit}+ */
static void check_result(char *line, char *units_ret, double *ns_ret)
{
    char *rest = line;
    const char *name = take_word(&rest) + strlen("Benchmark");
    assert_false(islower((unsigned char)*name));
    const char *iterations = take_word(&rest);
    assert_true(*iterations && strspn(iterations, "0123456789") == strlen(iterations));
    unsigned n_pairs = 0;
    units_ret[0] = 0;
    while (*rest) {
        const char *value = take_word(&rest);
        const char *unit = take_word(&rest);
        assert_true(is_number(value));
        assert_true(*unit && !is_number(unit));
        assert_lacks(units_ret, unit); /* each unit once */
        strcat(strcat(units_ret, unit), " ");
        if (strcmp(unit, "ns/op") == 0)
            *ns_ret = strtod(value, NULL);
        n_pairs++;
    }
    assert_true(n_pairs >= 1);
}

/* key: value, the key lower case and one word */
static bool is_config(const char *line)
{
    const char *colon = strchr(line, ':');
    if (!colon || !islower((unsigned char)*line) || (colon[1] != ' ' && colon[1] != 0))
        return false;
    for (const char *p = line; p < colon; p++)
        if (isspace((unsigned char)*p) || isupper((unsigned char)*p))
            return false;
    return true;
}

TEST(every_line_parses)
{
    char *text = sample_print(*state, "gobench", NULL, NULL), *rest = text, *line;
    unsigned n_results = 0, n_configs = 0, n_failures = 0, expected = 0;
    char units[256];
    while ((line = next_line(&rest))) {
        double ns = 0;
        if (strncmp(line, "Benchmark", 9) == 0) {
            check_result(line, units, &ns);
            assert_true(ns > 0);
            n_results++;
        } else if (strncmp(line, "--- FAIL: Benchmark", 19) == 0) {
            n_failures++;
            line = next_line(&rest);
            assert_int_equal(strncmp(line, "    ", 4), 0);
        } else {
            assert_true(is_config(line));
            assert_int_equal(n_results, 0); /* they stand before what they describe */
            n_configs++;
        }
    }
    for (unsigned c = 0; c < N_SAMPLE_CODECS; c++)
        for (unsigned l = 0; l < N_SAMPLE_LABELS; l++)
            expected += sample_codecs[c].bytes >= 0 && sample_has(c, l);
    assert_int_equal(n_configs, 4);
    assert_int_equal(n_results,
                     (expected - 1) * 2 * SAMPLE_REPETITIONS); /* the liar lost one label */
    assert_int_equal(n_failures, 2 * (N_SAMPLE_LABELS + 1));
}

/* ---- content --------------------------------------------------------------------------------- */

TEST(a_line_by_hand)
{
    char *text = sample_print(*state, "gobench", "small-sample", "point");
    char expected[256];
    snprintf(expected, sizeof expected,
             "BenchmarkPcdata/corpus=small-sample/kind=point/workload=uniform/codec=linear-index-1 "
             "100 %.6g ns/op 5 B/table 2.5 pages/op\n",
             sample_time(2, 3, 0, 1));
    assert_has(text, expected);
    assert_has(text, "goos: linux\ngoarch: amd64\npkg: bakeoff\ncpu: Test CPU\n");
    assert_lacks(text, "kind=open");
    assert_lacks(text, "large");
}

/*
 * A document's name may contain anything. If a codec's name ends like a number of processors, all
 * names get one.
 */
TEST(names_are_words_with_equal_ends)
{
    char *text = sample_print(*state, "gobench", NULL, NULL), *rest = text, *line;
    unsigned n = 0;
    assert_has(text, "/corpus=large_sample,_of_a_user/kind=");
    assert_has(text, "/codec=frame-24-1 ");
    while ((line = next_line(&rest)))
        if (strncmp(line, "Benchmark", 9) == 0) {
            const size_t end = strcspn(line, " ");
            assert_int_equal(strncmp(line + end - 2, "-1", 2), 0);
            n++;
        }
    assert_true(n > 0);
}

/* Without such a codec names end in the codec, as other tools print them. */
TEST(ordinary_names_have_no_processors)
{
    json_t *json = json_pack("{s:{s:{s:[{s:s, s:s, s:{}, s:[]}]}}, s:[{s:s, s:s, s:f, s:i}]}",
                             "context", "bakeoff", "documents", "name", "d", "format", "pcdata",
                             "units", "codecs", "benchmarks", "run_type", "iteration", "run_name",
                             "pcdata/linear-index/d/open", "real_time", 5.0, "iterations", 3);
    char *text = sample_print(sample_take(json), "gobench", NULL, NULL);
    assert_has(text, "\nBenchmarkPcdata/corpus=d/kind=open/codec=linear-index 3 5 ns/op\n");
}

TEST_FILE(sample_setup, sample_teardown)
