/* Programs as a table. */
#include "bench/report/parts.h"

#include <math.h>
#include <string.h>

#include "bench/report/comparison.h"
#include "bench/stats/stats.h"

/* The median of a job's wall times in ms with its interval: "17.9 [17.5, 18.2]". */
static char *time_cell(struct bo_arena *arena, const struct bo_job *job)
{
    const size_t n = job->n;
    double *values = bo_array_or_abort(arena, n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = job->wall_ns[i] / 1e6;
    if (n == 0)
        return bo_arena_printf(arena, "-");
    bo_sort_doubles(values, n);
    const struct bo_interval interval = bo_median_interval(values, n, BO_CONFIDENCE);
    char *median = bo_significant(arena, bo_percentile(values, n, 0.5));
    return isnan(interval.low)
               ? median
               : bo_arena_printf(arena, "%s [%s, %s]", median, bo_significant(arena, interval.low),
                                 bo_significant(arena, interval.high));
}

static void add_heading(const struct bo_run_document *document,
                        const struct bo_program_run *program, struct bo_grid *grid)
{
    bo_grid_texts(grid, "document", "program", "bytes", "ratio", NULL);
    bo_grid_add(grid, "B/%s", bo_unit_text(grid->arena, document));
    for (unsigned i = 0; i < program->n_jobs; i++)
        bo_grid_add(grid, "%s, ms", program->jobs[i].label);
    bo_grid_end_row(grid);
}

static void add_program(const struct bo_run_document *document,
                        const struct bo_program_run *program, unsigned n_columns,
                        struct bo_grid *grid)
{
    enum { BEFORE_JOBS = 5 };
    static const struct bo_job no_job = {.n = 0};
    const double n = program->bytes;
    const struct bo_run_codec *baseline = document->baseline;
    const double ratio = baseline && baseline->has_bytes ? n / (double)baseline->bytes : NAN;
    bo_grid_add(grid, "%s", document->name);
    if (strcmp(program->status, "ok") == 0)
        bo_grid_add(grid, "%s (process), %s", program->name, program->version);
    else
        bo_grid_add(grid, "%s: %s", program->name, program->status);
    bo_grid_texts(grid, bo_fixed(grid->arena, n, 0), bo_fixed(grid->arena, ratio, 3),
                  bo_significant(grid->arena, n / (double)document->n_units), NULL);
    for (unsigned c = BEFORE_JOBS; c < n_columns; c++)
        bo_grid_add(grid, "%s",
                    time_cell(grid->arena, c - BEFORE_JOBS < program->n_jobs
                                               ? &program->jobs[c - BEFORE_JOBS]
                                               : &no_job));
    bo_grid_end_row(grid);
}

void bo_page_programs(const struct bo_page *page, const char *format)
{
    struct bo_grid grid;
    const struct bo_run *run = page->run;
    bo_grid_init(&grid, page->arena, 2);
    for (int heading = 1; heading >= 0; heading--)
        for (size_t d = 0; d < run->n_documents; d++) {
            const struct bo_run_document *document = &run->documents[d];
            for (unsigned i = 0; i < document->n_programs; i++) {
                const struct bo_program_run *program = &document->programs[i];
                if (strcmp(document->format, format) != 0)
                    break;
                /* the first program that ran has all columns */
                if (heading && program->n_jobs && grid.n_columns == 0)
                    add_heading(document, program, &grid);
                else if (!heading && grid.n_columns)
                    add_program(document, program, grid.n_columns, &grid);
                else if (!heading)
                    fprintf(page->out, "\n%s on %s: %s.\n", program->name, document->name,
                            program->status);
            }
        }
    if (grid.n_columns == 0)
        return;
    fprintf(
        page->out,
        "\n### The field's own programs\n\n"
        "These programs are run as their users run them. Times are wall-clock times from the start "
        "of a process to its end: median [95%% interval, from 6 repetitions on]. In the first "
        "column, the program reads no file; the times in the other columns include this time. "
        "Ratio: bytes of the program's file over those of %s.\n\n",
        bo_named_with_role(page->arena, bo_run_document(run, format, NULL)->baseline));
    bo_page_grid(page, &grid, "the programs");
}
