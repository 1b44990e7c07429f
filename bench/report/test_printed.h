/* The output of printing functions as text, for tests. Texts live in the arena of the fixture. */
#ifndef BO_TEST_PRINTED_H
#define BO_TEST_PRINTED_H

#include <ftw.h>
#include <string.h>

#include "bench/report/page.h"
#include "harness/core/files.h"
#include "harness/core/input.h"
#include "harness/core/print.h"
#include "harness/core/test_fixture.h"

/* ---- printing -------------------------------------------------------------------------------- */

static struct bo_memory_file capture;

static inline FILE *printing(void)
{
    return bo_memory_open(&capture);
}

/* What was printed since printing(). */
static inline char *printed_text(void)
{
    char *text = bo_arena_printf(&arena, "%s", (const char *)bo_memory_bytes(&capture).p);
    bo_memory_free(&capture);
    return text;
}

/* A page of the run that is being printed. */
static inline struct bo_page printing_page(const struct bo_run *run)
{
    return (struct bo_page){.run = run,
                            .root = "",
                            .results = "r.json",
                            .pictures = "p",
                            .arena = &arena,
                            .out = printing()};
}

static inline char *grid_text(const struct bo_grid *grid)
{
    bo_grid_markdown(grid, printing());
    return printed_text();
}

/* ---- a folder -------------------------------------------------------------------------------- */

static char folder[64];

static inline void make_folder(void)
{
    assert_true(bo_temporary_folder(folder, sizeof folder));
}

static inline char *path_in(const char *name)
{
    return bo_arena_printf(&arena, "%s/%s", folder, name);
}

static inline void write_file(const char *name, const char *text)
{
    const struct bo_span bytes = {(const uint8_t *)text, strlen(text)};
    assert_true(bo_output(path_in(name), bytes));
}

static inline void assert_file_has(const char *name, const char *text)
{
    struct bo_input in;
    assert_true(bo_input_open(path_in(name), &in));
    assert_non_null(memmem(in.bytes.p, in.bytes.n, text, strlen(text)));
    bo_input_close(&in);
}

static int n_removed; /* files */

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    n_removed += type == FTW_F;
    return remove(path);
}

/* Returns the number of files that were in the folder and in those that it contained. */
static inline int remove_folder(void)
{
    n_removed = 0;
    assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    return n_removed;
}

/* ---- looking at it --------------------------------------------------------------------------- */

/* Where the text has the part. */
static inline char *assert_has(const char *text, const char *part)
{
    char *at = strstr(text, part);
    if (!at)
        fail_msg("no '%s' in:\n%s", part, text);
    return at;
}

static inline void assert_has_all(const char *text, const char *const *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_has(text, parts[i]);
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' in:\n%s", part, text);
}

static inline unsigned count_of(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

#endif
