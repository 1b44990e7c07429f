/* Programs as a table. */
#include "bench/report/programs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/comparison.h"
#include "bench/stats/stats.h"

/* The programs of a document of the format, or NULL. */
static const json_t *programs_of(const struct bo_run_document *document, const char *format)
{
    const json_t *programs = json_object_get(document->sizes, "programs");
    return strcmp(document->format, format) == 0 && json_array_size(programs) ? programs : NULL;
}

static const char *string_of(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "unknown";
}

/* The median of a job's wall times in ms with its interval: "17.9 [17.5, 18.2]". */
static char *time_cell(struct bo_arena *arena, const json_t *job)
{
    const json_t *times = json_object_get(job, "wall_ns");
    const size_t n = json_array_size(times);
    double *values = bo_alloc_array(arena, n + 1, sizeof *values);
    if (!values)
        abort();
    for (size_t i = 0; i < n; i++)
        values[i] = json_number_value(json_array_get(times, i)) / 1e6;
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

static void add_heading(const struct bo_run_document *document, const json_t *program,
                        struct bo_grid *grid)
{
    size_t i;
    const json_t *job;
    bo_grid_add(grid, "document");
    bo_grid_add(grid, "program");
    bo_grid_add(grid, "bytes");
    bo_grid_add(grid, "ratio");
    bo_grid_add(grid, "B/%s", document->unit ? bo_singular(grid->arena, document->unit) : "unit");
    json_array_foreach(json_object_get(program, "jobs"), i, job)
        bo_grid_add(grid, "%s, ms", string_of(job, "label"));
    bo_grid_end_row(grid);
}

static void add_program(const struct bo_run_document *document, const json_t *program,
                        unsigned n_columns, struct bo_grid *grid)
{
    enum { BEFORE_JOBS = 5 };
    const json_t *bytes = json_object_get(program, "bytes");
    const bool ok = strcmp(string_of(program, "status"), "ok") == 0;
    const json_t *jobs = json_object_get(program, "jobs");
    const double n = json_is_integer(bytes) ? (double)json_integer_value(bytes) : NAN;
    const struct bo_run_codec *baseline = document->baseline;
    const double bytes_of_baseline =
        baseline && baseline->has_bytes ? (double)baseline->bytes : NAN;
    const double ratio = n / bytes_of_baseline;
    bo_grid_add(grid, "%s", document->name);
    if (ok)
        bo_grid_add(grid, "%s (process), %s", string_of(program, "name"),
                    string_of(program, "version"));
    else
        bo_grid_add(grid, "%s: %s", string_of(program, "name"), string_of(program, "status"));
    bo_grid_add(grid, "%s", isnan(n) ? "-" : bo_arena_printf(grid->arena, "%.0f", n));
    bo_grid_add(grid, "%s", isnan(ratio) ? "-" : bo_arena_printf(grid->arena, "%.3f", ratio));
    bo_grid_add(grid, "%s", bo_significant(grid->arena, n / (double)document->n_units));
    for (unsigned c = BEFORE_JOBS; c < n_columns; c++)
        bo_grid_add(grid, "%s", time_cell(grid->arena, json_array_get(jobs, c - BEFORE_JOBS)));
    bo_grid_end_row(grid);
}

void bo_page_programs(const struct bo_page *page, const char *format)
{
    struct bo_grid grid;
    const struct bo_run *run = page->run;
    bo_grid_init(&grid, page->arena, 2);
    for (int heading = 1; heading >= 0; heading--)
        for (size_t d = 0; d < run->n_documents; d++) {
            const json_t *programs = programs_of(&run->documents[d], format), *program;
            size_t i;
            json_array_foreach(programs, i, program)
            {
                /* the first that ran knows all columns */
                const bool ran = json_array_size(json_object_get(program, "jobs")) > 0;
                if (heading && ran && grid.n_columns == 0)
                    add_heading(&run->documents[d], program, &grid);
                else if (!heading && grid.n_columns)
                    add_program(&run->documents[d], program, grid.n_columns, &grid);
                else if (!heading)
                    fprintf(page->out, "\n%s on %s: %s.\n", string_of(program, "name"),
                            run->documents[d].name, string_of(program, "status"));
            }
        }
    if (grid.n_columns == 0)
        return;
    fprintf(
        page->out,
        "\n### The field's own programs\n\nRun as their users run them: wall time from the "
        "start of a process to its end, median [95%% interval, from 6 repetitions on]. "
        "The time of the first column, in which nothing is read, is in all others. Ratio: bytes of "
        "the program's file over "
        "those of %s.\n\n",
        bo_named_with_role(page->arena, bo_run_document(run, format, NULL)->baseline));
    bo_page_grid(page, &grid, "the programs");
}
