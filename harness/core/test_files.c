/*
 * Files are written completely or not at all. Why: results and encodings replace older ones, which
 * must stay where writing fails.
 */
#include "harness/core/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/core/test_cmocka.h"

static void expect_content(const char *path, const char *expected)
{
    char content[16] = "";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    content[fread(content, 1, sizeof content - 1, in)] = 0;
    fclose(in);
    assert_string_equal(content, expected);
}

TEST(test_whole_or_not_at_all)
{
    char folder[1024], path[1100];
    struct bo_outlet outlet;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    assert_true(bo_is_folder(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_false(bo_is_folder(path));
    assert_true(bo_output(path, bo_span_of("first")));
    assert_false(bo_is_folder(path));
    expect_content(path, "first");
    assert_true(bo_outlet_open(path, &outlet));
    assert_true(outlet.drain.write(outlet.drain.context, bo_span_of("second")));
    expect_content(path, "first"); /* until it is closed */
    (void)bo_outlet_close(&outlet, false);
    expect_content(path, "first");
    assert_true(bo_output(path, bo_span_of("third")));
    expect_content(path, "third");
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
}

/* A path without room for the six letters that make it unique. */
TEST(test_names_that_do_not_fit)
{
    static char parent[5000], long_folder[6000];
    char folder[8];
    assert_false(bo_temporary_folder(folder, sizeof folder));
    const char *usual = getenv("TMPDIR");
    char *kept = usual ? strdup(usual) : NULL;
    memset(parent, '/', sizeof parent - 1);
    setenv("TMPDIR", parent, true);
    errno = 0;
    assert_false(bo_temporary_folder(long_folder, sizeof long_folder));
    assert_int_equal(errno, ENAMETOOLONG);
    setenv("TMPDIR", "/tmp", true); /* "/tmp/bakeoff.", six letters and the NUL: 20 bytes */
    assert_false(bo_temporary_folder(long_folder, 19));
    assert_true(bo_temporary_folder(long_folder, 20));
    assert_int_equal(rmdir(long_folder), 0);
    if (kept)
        setenv("TMPDIR", kept, true);
    else
        unsetenv("TMPDIR");
    free(kept);
}

TEST_FILE(NULL, NULL)
