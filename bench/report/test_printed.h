/* The output of printing functions as text, for tests. Texts live in the arena of the fixture. */
#ifndef BO_TEST_PRINTED_H
#define BO_TEST_PRINTED_H

#include <string.h>

#include "bench/report/page.h"
#include "harness/core/files.h"
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
