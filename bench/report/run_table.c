/* Printing results. */
#include "bench/report/run_table.h"

#include <math.h>

#include "bench/runs/results.h"
#include "harness/core/print.h"

enum { MAX_COLUMNS = 64, CELL = 64 };

/* ---- times ----------------------------------------------------------------------------------- */

/* Seconds for NaN: a column without times. */
static struct bo_time_unit unit_of(double ns)
{
    return bo_time_unit_for(isnan(ns) ? INFINITY : ns);
}

void bo_table_format_time(double ns, double scale_ns, char *text_ret, size_t nbytes)
{
    const double v = ns / unit_of(scale_ns).ns;
    snprintf(text_ret, nbytes, "%.*f", v < 0.0995 ? 4 : v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v);
}

/* ---- a document's table ---------------------------------------------------------------------- */

/* The rows of one label, under one heading. */
struct column {
    const char *label;
    double scale_ns; /* the first median: sets the unit */
    unsigned width;
};

struct layout {
    const struct bo_plan *plan;
    struct column columns[MAX_COLUMNS];
    unsigned n_columns;
    unsigned name_width;
};

/* NULL if there is no such row, or the codec does not hold the document. */
static const struct bo_bench_row *find_row(const struct bo_bench_cell *cell, const char *label)
{
    for (unsigned r = 0; r < cell->n_rows && !bo_cell_refusal(cell); r++)
        if (strcmp(cell->rows[r].label, label) == 0)
            return &cell->rows[r];
    return NULL;
}

static void format_cell(const struct bo_bench_row *row, double scale_ns, char text[CELL])
{
    char median[20], p10[20], p90[20];
    if (!row || (row->n_times == 0 && !row->failure[0])) {
        snprintf(text, CELL, "-");
    } else if (row->failure[0]) {
        snprintf(text, CELL, "failed");
    } else {
        bo_table_format_time(bo_row_median(row, NULL), scale_ns, median, sizeof median);
        bo_table_format_time(bo_row_median(row, "p10_ns"), scale_ns, p10, sizeof p10);
        bo_table_format_time(bo_row_median(row, "p90_ns"), scale_ns, p90, sizeof p90);
        snprintf(text, CELL, "%s [%s-%s]", median, p10, p90);
    }
}

static void add_column(struct layout *layout, const struct bo_bench_row *row)
{
    struct column *column = NULL;
    for (unsigned c = 0; c < layout->n_columns && !column; c++)
        if (strcmp(layout->columns[c].label, row->label) == 0)
            column = &layout->columns[c];
    if (!column && layout->n_columns == MAX_COLUMNS)
        return;
    if (!column) {
        column = &layout->columns[layout->n_columns++];
        *column = (struct column){row->label, NAN, (unsigned)strlen(row->label) + 4};
    }
    if (isnan(column->scale_ns))
        column->scale_ns = bo_row_median(row, NULL);
}

static void widen(struct layout *layout, const struct bo_bench_cell *cell)
{
    char text[CELL];
    const unsigned name_width =
        (unsigned)(strlen(cell->codec->name) + strlen(cell->variant->suffix));
    if (name_width > layout->name_width)
        layout->name_width = name_width;
    for (unsigned c = 0; c < layout->n_columns; c++) {
        struct column *column = &layout->columns[c];
        format_cell(find_row(cell, column->label), column->scale_ns, text);
        if (strlen(text) > column->width)
            column->width = (unsigned)strlen(text);
    }
}

static void print_columns(const struct layout *layout, unsigned first, unsigned end, FILE *out)
{
    char text[CELL];
    fprintf(out, "%-*s", (int)layout->name_width, "");
    for (unsigned c = first; c < end; c++) {
        const struct column *column = &layout->columns[c];
        snprintf(text, sizeof text, "%s, %s", column->label, unit_of(column->scale_ns).name);
        fprintf(out, "  %*s", (int)column->width, text);
    }
    fputc('\n', out);
    for (unsigned i = 0; i < layout->plan->n_cells; i++) {
        const struct bo_bench_cell *cell = &layout->plan->cells[i];
        fprintf(out, "%s%-*s", cell->codec->name,
                (int)(layout->name_width - strlen(cell->codec->name)), cell->variant->suffix);
        for (unsigned c = first; c < end; c++) {
            const struct column *column = &layout->columns[c];
            format_cell(find_row(cell, column->label), column->scale_ns, text);
            fprintf(out, "  %*s", (int)column->width, text);
        }
        fputc('\n', out);
    }
}

static void print_times(const struct bo_plan *plan, unsigned width, FILE *out)
{
    const struct bo_document *document = plan->on->document;
    struct layout layout = {.plan = plan};
    for (unsigned i = 0; i < plan->n_cells; i++)
        for (unsigned r = 0; r < plan->cells[i].n_rows; r++)
            add_column(&layout, &plan->cells[i].rows[r]);
    for (unsigned i = 0; i < plan->n_cells; i++)
        widen(&layout, &plan->cells[i]);
    fprintf(out, "\n%s/%s: median over repetitions [p10-p90 over batches], CPU time an operation\n",
            document->format->name, document->name);
    for (unsigned first = 0; first < layout.n_columns;) {
        unsigned end = first, used = layout.name_width;
        while (end < layout.n_columns &&
               (end == first || used + 2 + layout.columns[end].width <= width))
            used += 2 + layout.columns[end++].width;
        print_columns(&layout, first, end, out);
        first = end;
        if (first < layout.n_columns)
            fputc('\n', out);
    }
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
