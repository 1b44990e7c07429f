/* Sizes as a table. */
#include "bench/report/parts.h"
#include "bench/report/picks.h"

#include <math.h>
#include <string.h>

#include "bench/report/grid.h"

enum { MAX_COLUMNS = 24 };

/* ---- one size -------------------------------------------------------------------------------- */

/* Of the file that a program of the field makes of the document. */
static double program_nbytes(const struct bo_run_document *document, const char *name)
{
    for (unsigned i = 0; i < document->n_programs; i++)
        if (strcmp(document->programs[i].name, name) == 0)
            return document->programs[i].bytes;
    return NAN;
}

/* NaN where the run has none. */
static double column_nbytes(const struct bo_run_document *document,
                            const struct bo_size_column *column)
{
    const struct bo_run_codec *codec = column->codec ? bo_run_codec(document, column->codec) : NULL;
    if (column->program)
        return program_nbytes(document, column->program);
    if (!codec || !codec->has_bytes)
        return NAN;
    if (column->section)
        return bo_pair_number(&codec->size->sections, column->section);
    return column->outer ? bo_pair_number(&codec->size->compressed, column->outer)
                         : (double)codec->bytes;
}

/* ---- the lines ------------------------------------------------------------------------------- */

/* Sums over the lines so far, by column. */
struct sums {
    double nbytes[MAX_COLUMNS];
    double log_left[MAX_COLUMNS]; /* of bytes over the first column's */
    double n_units;
    unsigned n; /* lines */
};

static void add_cell(struct bo_grid *grid, const struct bo_size_column *column, double nbytes,
                     double first, double n_units)
{
    if (isnan(nbytes))
        bo_grid_add(grid, "-");
    else if (column->form == BO_SIZE_CHANGE)
        bo_grid_add(grid, "%+.1f%%", 100 * (nbytes / first - 1));
    else if (column->form == BO_SIZE_SHARE)
        bo_grid_add(grid, "%.1f%%", 100 * nbytes / first);
    else if (column->form == BO_SIZE_OF_UNIT)
        bo_grid_add(grid, "%.3f", nbytes / n_units);
    else
        bo_grid_add(grid, "%.0f", nbytes);
}

static void add_line(const struct bo_run_document *document, const struct bo_size_table *table,
                     struct sums *sums, struct bo_grid *grid)
{
    const double first = column_nbytes(document, &table->columns[0]);
    if (!(first > 0))
        return;
    bo_grid_add(grid, "%s", document->name);
    for (unsigned c = 0; table->columns[c].heading; c++) {
        const double nbytes = column_nbytes(document, &table->columns[c]);
        add_cell(grid, &table->columns[c], nbytes, first, (double)document->n_units);
        sums->nbytes[c] += nbytes;
        sums->log_left[c] += log(nbytes / first);
    }
    bo_grid_end_row(grid);
    sums->n_units += (double)document->n_units;
    sums->n++;
}

static void add_total(const struct bo_size_table *table, const struct sums *sums,
                      struct bo_grid *grid)
{
    bo_grid_add(grid, "*together*");
    for (unsigned c = 0; table->columns[c].heading; c++)
        add_cell(grid, &table->columns[c], sums->nbytes[c], sums->nbytes[0], sums->n_units);
    bo_grid_end_row(grid);
}

static bool is_relative(const struct bo_size_column *column)
{
    return column->form == BO_SIZE_CHANGE || column->form == BO_SIZE_SHARE;
}

static void add_mean(const struct bo_size_table *table, const struct sums *sums,
                     struct bo_grid *grid)
{
    bo_grid_add(grid, "*geometric mean*");
    for (unsigned c = 0; table->columns[c].heading; c++)
        if (is_relative(&table->columns[c]))
            add_cell(grid, &table->columns[c], exp(sums->log_left[c] / sums->n), 1, 1);
        else
            bo_grid_add(grid, "%s", "");
    bo_grid_end_row(grid);
}

static bool any_relative(const struct bo_size_table *table)
{
    for (unsigned c = 0; table->columns[c].heading; c++)
        if (is_relative(&table->columns[c]))
            return true;
    return false;
}

static struct sums fill_grid(const struct bo_run *run, const char *format,
                             const struct bo_size_table *table, struct bo_grid *grid)
{
    struct sums sums = {.n = 0};
    bo_grid_add(grid, "%s", table->first_heading);
    for (unsigned c = 0; table->columns[c].heading; c++)
        bo_grid_add(grid, "%s", table->columns[c].heading);
    bo_grid_end_row(grid);
    const struct bo_run_document **documents;
    const unsigned n = bo_format_documents(run, format, BO_ORDINARY, grid->arena, &documents);
    for (unsigned d = 0; d < n; d++)
        add_line(documents[d], table, &sums, grid);
    if (sums.n > 1) {
        add_total(table, &sums, grid);
        if (any_relative(table))
            add_mean(table, &sums, grid);
    }
    return sums;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* "{v4c}" in an answer: the total of the column with that heading. */
static void print_figure(const struct bo_size_table *table, const struct sums *sums,
                         const char *heading, size_t n, FILE *out)
{
    unsigned c = 0;
    while (table->columns[c].heading && (strlen(table->columns[c].heading) != n ||
                                         memcmp(table->columns[c].heading, heading, n) != 0))
        c++;
    const double nbytes = table->columns[c].heading ? sums->nbytes[c] : NAN;
    if (isnan(nbytes))
        fprintf(out, "(not measured)");
    else if (is_relative(&table->columns[c]))
        fprintf(out, "%.1f%%", 100 * nbytes / sums->nbytes[0]);
    else if (table->columns[c].form == BO_SIZE_OF_UNIT)
        fprintf(out, "%.3f", nbytes / sums->n_units);
    else
        fprintf(out, "%.0f", nbytes);
}

static void print_answer(const struct bo_size_table *table, const struct sums *sums, FILE *out)
{
    fputc('\n', out);
    for (const char *p = table->answer; *p;) {
        const size_t plain = strcspn(p, "{");
        fprintf(out, "%.*s", (int)plain, p);
        p += plain;
        if (*p) {
            const size_t n = strcspn(++p, "}");
            print_figure(table, sums, p, n, out);
            p += n + (p[n] != 0);
        }
    }
    fputc('\n', out);
}

void bo_page_size_table(const struct bo_page *page, const char *format,
                        const struct bo_size_table *table)
{
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 1);
    const struct sums sums = fill_grid(page->run, format, table, &grid);
    fprintf(page->out, "\n### %s\n\n%s\n\n", table->title, table->text);
    bo_page_grid(page, &grid, table->title);
    if (table->answer && sums.n)
        print_answer(table, &sums, page->out);
}
