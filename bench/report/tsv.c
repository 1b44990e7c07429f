/* Reading tab-separated values. */
#include "bench/report/tsv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/print.h"

struct bo_tsv bo_tsv_read(const char *folder, const char *name, struct bo_arena *arena)
{
    struct bo_tsv tsv = {.n = 0};
    char *line = NULL;
    size_t cap_line = 0, cap = 0;
    FILE *in = fopen(bo_arena_printf(arena, "%s/%s.tsv", folder, name), "r");
    if (!in)
        return tsv;
    tsv.made = "";
    for (ssize_t n; (n = getline(&line, &cap_line, in)) > 0;) {
        line[strcspn(line, "\n")] = 0;
        char *text = bo_arena_printf(arena, "%s", line);
        if (*text == '#' && !*tsv.made)
            tsv.made = text + strspn(text, "# ");
        if (*text == '#' || !*text)
            continue;
        bo_abort_unless(bo_grow(arena, &tsv.rows, tsv.n, 1, &cap));
        for (unsigned c = 0; c < BO_TSV_MAX_CELLS; c++)
            tsv.rows[tsv.n].cells[c] = text ? strsep(&text, "\t") : "";
        tsv.n++;
    }
    free(line);
    fclose(in);
    return tsv;
}

const struct bo_tsv_row *bo_tsv_find(const struct bo_tsv *tsv, const char *first,
                                     const char *second)
{
    for (size_t i = 0; i < tsv->n; i++)
        if (strcmp(tsv->rows[i].cells[0], first) == 0 &&
            (!second || strcmp(tsv->rows[i].cells[1], second) == 0))
            return &tsv->rows[i];
    return NULL;
}

double bo_tsv_number(const struct bo_tsv_row *row, unsigned cell)
{
    char *end;
    const char *text = row ? row->cells[cell] : "";
    const double v = strtod(text, &end);
    return end == text ? NAN : v;
}
