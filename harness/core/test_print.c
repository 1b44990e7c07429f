/*
 * Texts and numbers of reports. Why: every table and every command that a reader copies is printed
 * by these functions.
 */
#include "harness/core/print.h"

#include <math.h>
#include <stdlib.h>

#include "harness/core/test_fixture.h"

/* A shell reads a quoted text as the original text. No line break is inserted into it. */
TEST(test_quoted)
{
    static const char *const texts[][2] = {{"/tmp/a-b_c.txt", "/tmp/a-b_c.txt"},
                                           {"", "''"},
                                           {"a b", "'a b'"},
                                           {"hash-*", "'hash-*'"},
                                           {"it's", "'it'\\''s'"}};
    char *text = NULL;
    size_t nbytes;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(bo_shell_quoted(&arena, texts[i][0]), texts[i][1]);
    FILE *out = open_memstream(&text, &nbytes);
    assert_non_null(out);
    bo_print_command(out, "bench --corpus 'a long name of a file' /a/path/longer/than/a/line", 20,
                     " ");
    fclose(out);
    assert_string_equal(text, " bench --corpus \\\n 'a long name of a file' \\\n"
                              " /a/path/longer/than/a/line\n");
    free(text);
}

/* A command that is pasted with its line breaks is still one command. */
TEST(test_commands)
{
    char *text = NULL;
    size_t nbytes;
    FILE *out = open_memstream(&text, &nbytes);
    assert_non_null(out);
    bo_print_command(out, "git checkout abc && make bench", 20, "  ");
    fclose(out);
    assert_string_equal(text, "  git checkout abc \\\n  && make bench\n");
    free(text);
}

/* Only a word longer than a line is cut; this text has no such word. */
TEST(test_wrapped)
{
    static const char sentence[] = "a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh";
    for (unsigned width = 10; width <= 50; width++) {
        char *text = NULL;
        size_t nbytes, n = 0;
        FILE *out = open_memstream(&text, &nbytes);
        assert_non_null(out);
        bo_print_wrapped(out, sentence, width, " ");
        fclose(out);
        for (size_t i = 0; i < nbytes; i++)
            if (text[i] > ' ')
                text[n++] = text[i];
            else if (n && text[n - 1] != ' ')
                text[n++] = ' ';
        text[n - 1] = 0; /* the newline at the end */
        assert_string_equal(text, sentence);
        free(text);
    }
}

/* A line has up to `width` characters; a word that is longer than a line is split. */
TEST(test_width)
{
    static const struct {
        const char *text;
        unsigned width;
        const char *printed;
    } cases[] = {
        {"", 5, "\n"},
        {"  \n a\n\nb ", 5, "a b\n"},
        {"aa bb cc", 5, "aa bb\n cc\n"},
        {"aa bb cc", 4, "aa\n bb\n cc\n"},
        {"aa bb cc", 8, "aa bb cc\n"},
        {"aa bb cc", 7, "aa bb\n cc\n"},
        {"abcdefgh", 5, "abcde\n fgh\n"},
        {"abcdefghij", 5, "abcde\n fghi\n j\n"},
        {"it's so", 4, "it's\n so\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        size_t nbytes;
        FILE *out = open_memstream(&text, &nbytes);
        assert_non_null(out);
        bo_print_wrapped(out, cases[i].text, cases[i].width, " ");
        fclose(out);
        assert_string_equal(text, cases[i].printed);
        free(text);
    }
}

TEST(test_numbers)
{
    static const struct {
        double v;
        const char *text;
    } known[] = {{0, "0.00"},
                 {1, "1.00"},
                 {9.994, "9.99"},
                 {9.996, "10.0"},
                 {99.96, "100"},
                 {1234.4, "1234"},
                 {0.01234, "0.0123"},
                 {NAN, "-"},
                 {-9.996, "-10.0"},
                 {1.5e-7, "0.000000150"},
                 {1.5e-8, "0.000000015"},
                 {1e-12, "0.000000000"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_string_equal(bo_significant(&arena, known[i].v), known[i].text);
    assert_string_equal(bo_nbytes_text(&arena, 1023), "1023 B");
    assert_string_equal(bo_nbytes_text(&arena, 1536), "1.50 KiB");
    assert_string_equal(bo_nbytes_text(&arena, 1024), "1.00 KiB");
    assert_string_equal(bo_nbytes_text(&arena, 0x1p20 - 1), "1024 KiB");
    assert_string_equal(bo_nbytes_text(&arena, 0x1p20), "1.00 MiB");
    assert_string_equal(bo_nbytes_text(&arena, 0x1p40), "1024 GiB");
    assert_string_equal(bo_nbytes_text(&arena, NAN), "-");
    assert_string_equal(bo_time_unit_for(9999).name, "ns");
    assert_string_equal(bo_time_unit_for(1e4).name, "us");
    assert_string_equal(bo_time_unit_for(9.999e6).name, "us");
    assert_string_equal(bo_time_unit_for(1e7).name, "ms");
    assert_string_equal(bo_time_unit_for(9.999e9).name, "ms");
    assert_string_equal(bo_time_unit_for(1e10).name, "s");
}

TEST_FILE(set_up, tear_down)
