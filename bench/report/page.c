/* Tables and pictures on a page. */
#include "bench/report/page.h"

#include <ctype.h>

#include "harness/core/print.h"

void bo_page_grid(const struct bo_page *page, const struct bo_grid *grid, const char *name)
{
    if (page->html_tables)
        bo_grid_html(grid, name, page->out);
    else
        bo_grid_markdown(grid, page->out);
}

void bo_page_picture(const struct bo_page *page, const struct bo_run_document *document,
                     const char *what, const char *text)
{
    if (!page->html_tables && page->pictures)
        fprintf(page->out, "![%s on %s: %s](%s%s/%s)\n", document->format, document->name, text,
                page->root, page->pictures, bo_picture_name(page->arena, document, what));
}

char *bo_picture_name(struct bo_arena *arena, const struct bo_run_document *document,
                      const char *what)
{
    char *name = bo_arena_printf(arena, "%s-%s-%s.svg", document->format, document->name, what);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '-' && *p != '.')
            *p = '_';
    return name;
}
