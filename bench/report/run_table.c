/* Printing results. */
#include "bench/report/run_table.h"

#include <math.h>
#include <string.h>

#include "bench/report/grid.h"
#include "bench/runs/results.h"
#include "harness/core/print.h"

enum { MAX_COLUMNS = 64 };

/* ---- times ----------------------------------------------------------------------------------- */

/* Seconds for NaN: a column without times. */
static struct bo_time_unit unit_of(double ns)
{
    return bo_time_unit_for(isnan(ns) ? INFINITY : ns);
}

char *bo_table_time(struct bo_arena *arena, double ns, double scale_ns)
{
    const double v = ns / unit_of(scale_ns).ns;
    return bo_arena_printf(arena, "%.*f", v < 0.0995 ? 4 : v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v);
}

/* ---- a document's table ---------------------------------------------------------------------- */

/* The rows of one label, under one heading. */
struct column {
    const char *label;
    double scale_ns; /* the first median: sets the unit */
};

/* The labels of all cells, each once. Returns their number. */
static unsigned find_columns(const struct bo_plan *plan, struct column columns[MAX_COLUMNS])
{
    unsigned n = 0;
    for (unsigned i = 0; i < plan->n_cells; i++)
        for (unsigned r = 0; r < plan->cells[i].n_rows; r++) {
            const struct bo_bench_row *row = &plan->cells[i].rows[r];
            unsigned c = 0;
            while (c < n && strcmp(columns[c].label, row->label) != 0)
                c++;
            if (c == MAX_COLUMNS)
                continue;
            if (c == n)
                columns[n++] = (struct column){row->label, NAN};
            if (isnan(columns[c].scale_ns))
                columns[c].scale_ns = bo_row_median(row, NULL);
        }
    return n;
}

/* NULL if there is no such row, or the codec does not hold the document. */
static const struct bo_bench_row *find_row(const struct bo_bench_cell *cell, const char *label)
{
    for (unsigned r = 0; r < cell->n_rows && !bo_cell_refusal(cell); r++)
        if (strcmp(cell->rows[r].label, label) == 0)
            return &cell->rows[r];
    return NULL;
}

/* "12.3 [11.9-14.0]": the median, p10 and p90. */
static char *time_cell(struct bo_arena *arena, const struct bo_bench_row *row, double scale_ns)
{
    if (!row || (row->n_times == 0 && !row->failure[0]))
        return bo_arena_printf(arena, "-");
    if (row->failure[0])
        return bo_arena_printf(arena, "failed");
    return bo_arena_printf(arena, "%s [%s-%s]",
                           bo_table_time(arena, bo_row_median(row, NULL), scale_ns),
                           bo_table_time(arena, bo_row_median(row, "p10_ns"), scale_ns),
                           bo_table_time(arena, bo_row_median(row, "p90_ns"), scale_ns));
}

/* "open, us", with room for a unit of two letters, so that columns are as wide for any unit. */
static char *heading_of(struct bo_arena *arena, const struct column *column)
{
    const char *text =
        bo_arena_printf(arena, "%s, %s", column->label, unit_of(column->scale_ns).name);
    return bo_arena_printf(arena, "%*s", (int)strlen(column->label) + 4, text);
}

static void print_times(const struct bo_plan *plan, unsigned width, FILE *out)
{
    const struct bo_document *document = plan->on->document;
    struct column columns[MAX_COLUMNS];
    const unsigned n = find_columns(plan, columns);
    struct bo_arena arena;
    struct bo_grid grid;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_grid_init(&grid, &arena, 1);
    grid.whole_headings = true;
    for (unsigned i = 0; i < plan->n_cells && n > 0; i++) {
        const struct bo_bench_cell *cell = &plan->cells[i];
        bo_grid_column(&grid, "",
                       bo_arena_printf(&arena, "%s%s", cell->codec->name, cell->variant->suffix));
        for (unsigned c = 0; c < n; c++)
            bo_grid_column(
                &grid, heading_of(&arena, &columns[c]),
                time_cell(&arena, find_row(cell, columns[c].label), columns[c].scale_ns));
        bo_grid_end_row(&grid);
    }
    fprintf(out, "\n%s/%s: median over repetitions [p10-p90 over batches], CPU time an operation\n",
            document->format->name, document->name);
    bo_grid_text(&grid, width, out);
    bo_arena_free(&arena);
}

/* ---- failures and omissions ------------------------------------------------------------------ */

static void print_failures(const struct bo_plan *plan, FILE *out)
{
    for (unsigned c = 0; c < plan->n_cells; c++) {
        const struct bo_bench_cell *cell = &plan->cells[c];
        if (bo_cell_refusal(cell)) {
            fprintf(out, "not held: %s by %s: %s\n", cell->on->document->name, cell->codec->name,
                    bo_cell_refusal(cell));
            continue;
        }
        for (unsigned r = 0; r < cell->n_rows; r++)
            if (cell->rows[r].failure[0])
                fprintf(out, "failed: %s: %s\n", cell->rows[r].name, cell->rows[r].failure);
    }
}

static void print_empty_sets(const struct bo_bench_document *on, FILE *out)
{
    for (unsigned s = 0; s < on->n_sets; s++)
        if (on->sets[s].n == 0)
            fprintf(out, "not run: %s of %s: %s\n", on->sets[s].label, on->document->name,
                    on->sets[s].too_large ? "one answer alone is too large for a set"
                                          : "the document has no input for it");
}

void bo_table_print(const struct bo_plan *plan, unsigned width, FILE *out)
{
    print_times(plan, width, out);
    print_failures(plan, out);
    print_empty_sets(plan->on, out);
}
