/* A proposal's sizes as a table. */
#include "bench/report_proposal.h"

#include <math.h>
#include <string.h>

#include "bench/report_grid.h"

enum { MAX_COLUMNS = 24 };

/* ---- one size -------------------------------------------------------------------------------- */

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Of the file that a program of the field makes of the document. */
static double program_nbytes(const struct bo_run_document *document, const char *name)
{
    const json_t *programs = json_object_get(document->sizes, "programs"), *program;
    size_t i;
    json_array_foreach(programs, i, program)
    {
        const char *its_name = json_string_value(json_object_get(program, "name"));
        if (its_name && strcmp(its_name, name) == 0)
            return number_of(program, "bytes");
    }
    return NAN;
}

/* NaN where the run has none. */
static double column_nbytes(const struct bo_run_document *document,
                            const struct bo_proposal_column *column)
{
    const struct bo_run_codec *codec = column->codec ? bo_run_codec(document, column->codec) : NULL;
    if (column->program)
        return program_nbytes(document, column->program);
    if (!codec || !codec->has_bytes)
        return NAN;
    return column->outer ? number_of(codec->size, column->outer) : (double)codec->bytes;
}

/* ---- the lines ------------------------------------------------------------------------------- */

/* What the lines so far add up to, by column. */
struct sums {
    double nbytes[MAX_COLUMNS];
    double log_left[MAX_COLUMNS]; /* of bytes over the first column's */
    unsigned n;                   /* lines */
};

/* "-43.2%", of the first column's bytes. */
static void add_cell(struct bo_grid *grid, const struct bo_proposal_column *column, double nbytes,
                     double first)
{
    if (isnan(nbytes))
        bo_grid_add(grid, "-");
    else if (column->is_change)
        bo_grid_add(grid, "%+.1f%%", 100 * (nbytes / first - 1));
    else
        bo_grid_add(grid, "%.0f", nbytes);
}

static void add_line(const struct bo_run_document *document, const struct bo_proposal *proposal,
                     struct sums *sums, struct bo_grid *grid)
{
    const double first = column_nbytes(document, &proposal->columns[0]);
    if (!(first > 0))
        return;
    bo_grid_add(grid, "%s", document->name);
    for (unsigned c = 0; proposal->columns[c].heading; c++) {
        const double nbytes = column_nbytes(document, &proposal->columns[c]);
        add_cell(grid, &proposal->columns[c], nbytes, first);
        sums->nbytes[c] += nbytes;
        sums->log_left[c] += log(nbytes / first);
    }
    bo_grid_end_row(grid);
    sums->n++;
}

static void add_total(const struct bo_proposal *proposal, const struct sums *sums,
                      struct bo_grid *grid)
{
    bo_grid_add(grid, "*total*");
    for (unsigned c = 0; proposal->columns[c].heading; c++)
        add_cell(grid, &proposal->columns[c], sums->nbytes[c], sums->nbytes[0]);
    bo_grid_end_row(grid);
}

static void add_mean(const struct bo_proposal *proposal, const struct sums *sums,
                     struct bo_grid *grid)
{
    bo_grid_add(grid, "*geometric mean*");
    for (unsigned c = 0; proposal->columns[c].heading; c++)
        if (proposal->columns[c].is_change)
            add_cell(grid, &proposal->columns[c], exp(sums->log_left[c] / sums->n), 1);
        else
            bo_grid_add(grid, "%s", "");
    bo_grid_end_row(grid);
}

static struct sums fill_grid(const struct bo_run *run, const char *format,
                             const struct bo_proposal *proposal, struct bo_grid *grid)
{
    struct sums sums = {.n = 0};
    bo_grid_add(grid, "%s", proposal->first_heading);
    for (unsigned c = 0; proposal->columns[c].heading; c++)
        bo_grid_add(grid, "%s", proposal->columns[c].heading);
    bo_grid_end_row(grid);
    for (size_t d = 0; d < run->n_documents; d++)
        if (strcmp(run->documents[d].format, format) == 0 && !run->documents[d].scale)
            add_line(&run->documents[d], proposal, &sums, grid);
    if (sums.n > 1) {
        add_total(proposal, &sums, grid);
        add_mean(proposal, &sums, grid);
    }
    return sums;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* "{v4c}" in an answer: what the column of that heading takes in total, in percent of the first. */
static void print_share(const struct bo_proposal *proposal, const struct sums *sums,
                        const char *heading, size_t n, FILE *out)
{
    unsigned c = 0;
    while (proposal->columns[c].heading && (strlen(proposal->columns[c].heading) != n ||
                                            memcmp(proposal->columns[c].heading, heading, n) != 0))
        c++;
    const double share =
        proposal->columns[c].heading ? 100 * sums->nbytes[c] / sums->nbytes[0] : NAN;
    if (isnan(share))
        fprintf(out, "(not measured)");
    else
        fprintf(out, "%.1f%%", share);
}

static void print_answer(const struct bo_proposal *proposal, const struct sums *sums, FILE *out)
{
    fputc('\n', out);
    for (const char *p = proposal->answer; *p;) {
        const size_t plain = strcspn(p, "{");
        fprintf(out, "%.*s", (int)plain, p);
        p += plain;
        if (*p) {
            const size_t n = strcspn(++p, "}");
            print_share(proposal, sums, p, n, out);
            p += n + (p[n] != 0);
        }
    }
    fputc('\n', out);
}

void bo_page_proposal(const struct bo_page *page, const char *format,
                      const struct bo_proposal *proposal)
{
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 1);
    const struct sums sums = fill_grid(page->run, format, proposal, &grid);
    fprintf(page->out, "\n### %s\n\n%s\n\n", proposal->title, proposal->text);
    bo_grid_markdown(&grid, page->out);
    if (proposal->answer && sums.n)
        print_answer(proposal, &sums, page->out);
}
