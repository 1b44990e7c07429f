/* The acceptance matrix. */
#include "bench/report/parts.h"

#include <string.h>

#include "bench/report/tsv.h"

enum { FORMAT, CODEC, IMPLEMENTATION, VALID, ACCEPTED, INVALID, REJECTED, DISAGREEMENTS };

static bool is_same_line(const struct bo_tsv_row *a, const struct bo_tsv_row *b)
{
    return strcmp(a->cells[FORMAT], b->cells[FORMAT]) == 0 &&
           strcmp(a->cells[IMPLEMENTATION], b->cells[IMPLEMENTATION]) == 0;
}

static bool is_first(const struct bo_tsv *tsv, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (is_same_line(&tsv->rows[i], &tsv->rows[row]))
            return false;
    return true;
}

/* Adds all encodings of the row's format that its implementation reads. */
static void add_line(const struct bo_tsv *tsv, const struct bo_tsv_row *row, struct bo_grid *grid)
{
    double sums[DISAGREEMENTS] = {0};
    unsigned n = 0;
    for (size_t i = 0; i < tsv->n; i++) {
        if (!is_same_line(&tsv->rows[i], row))
            continue;
        for (unsigned c = VALID; c < DISAGREEMENTS; c++)
            sums[c] += bo_tsv_number(&tsv->rows[i], c);
        n++;
    }
    bo_grid_texts(grid, row->cells[FORMAT], row->cells[IMPLEMENTATION], NULL);
    bo_grid_add(grid, "%u", n);
    for (unsigned c = VALID; c < DISAGREEMENTS; c++)
        bo_grid_add(grid, "%.0f", sums[c]);
    bo_grid_end_row(grid);
}

void bo_page_acceptance(const struct bo_page *page, const char *folder)
{
    const struct bo_tsv tsv = bo_tsv_read(folder, "acceptance", page->arena);
    struct bo_grid grid;
    if (!tsv.made)
        return;
    bo_grid_begin(&grid, page->arena, 2, "format", "implementation", "encodings", "valid vectors",
                  "accepted", "invalid vectors", "rejected", NULL);
    for (size_t i = 0; i < tsv.n; i++)
        if (is_first(&tsv, i))
            add_line(&tsv, &tsv.rows[i], &grid);
    fprintf(page->out,
            "\n## Acceptance\n\n"
            "The number of [conformance vectors](%sdocs/vectors.md) that each implementation "
            "accepts and rejects. The second readers are written in Python from the specifications "
            "alone. [results/acceptance.tsv](%sresults/acceptance.tsv), written by "
            "`codecs/acceptance.sh`, lists each encoding.\n\n",
            page->root, page->root);
    bo_page_grid(page, &grid, "acceptance");
    const char *before = "\n";
    for (size_t i = 0; i < tsv.n; i++) {
        const char *const *cells = tsv.rows[i].cells;
        if (strcmp(cells[DISAGREEMENTS], "-") == 0)
            continue;
        fprintf(page->out, "%s- %s disagrees about %s/%s: %s.\n", before, cells[IMPLEMENTATION],
                cells[FORMAT], cells[CODEC], cells[DISAGREEMENTS]);
        before = "";
    }
}
