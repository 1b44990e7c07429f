/* Pictures and CSV of a run. */
#include "bench/report/comparison.h"
#include "bench/report/curves.h"
#include "bench/report/front.h"
#include "bench/report/keep.h"
#include "bench/report/plot.h"
#include "bench/report/report.h"
#include "harness/core/files.h"
#include "harness/core/print.h"
#include "harness/registry.h"

static char *path_of(const struct bo_run_document *document, const char *what, const char *folder,
                     struct bo_arena *arena)
{
    return bo_arena_printf(arena, "%s/%s", folder, bo_picture_name(arena, document, what));
}

/* Nothing if no query was measured, or for curves: the page has no such picture either. */
static void draw(const struct bo_run_document *document, const char *folder,
                 struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    if (document->scale || !bo_has_points(document, arena))
        return;
    bo_plot_size_time(document, path_of(document, "size-time", folder, arena), drawing);
    bo_plot_workloads(document, path_of(document, "workloads", folder, arena), drawing);
    if (bo_keep_label(document))
        bo_plot_keep(document, path_of(document, "keep", folder, arena), drawing);
}

/* Of the document that represents its format. */
static void draw_main(const struct bo_run_document *document, const char *folder,
                      struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    if (!bo_has_points(document, arena))
        return;
    bo_plot_sections(document, path_of(document, "sections", folder, arena), drawing);
    bo_plot_scatter(document, path_of(document, "scatter", folder, arena), drawing);
}

static void print_csv(const void *grid, FILE *out)
{
    bo_grid_csv(grid, out);
}

static bool write_csv(const struct bo_run *run, const char *format, const char *folder,
                      struct bo_arena *arena)
{
    struct bo_grid grid;
    struct bo_label_filter filter = {.kinds = {.n = 0}};
    bo_comparison_raw(run, format, NULL, &filter, arena, &grid);
    return bo_output_printed(bo_arena_printf(arena, "%s/%s.csv", folder, format), print_csv, &grid);
}

bool bo_pictures_draw(const struct bo_report *report, size_t i, const char *folder)
{
    const struct bo_report_run *source = &report->runs[i];
    const struct bo_run *run = source->run;
    struct bo_arena arena;
    struct bo_drawing drawing;
    bool ok = true;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_drawing_begin(&drawing, &arena);
    for (size_t d = 0; d < run->n_documents; d++)
        if (bo_report_run_of(report, run->documents[d].format, false) == source)
            draw(&run->documents[d], folder, &drawing);
    for (const struct bo_format *const *f = bo_formats; *f && ok; f++) {
        if (bo_report_run_of(report, (*f)->name, false) == source) {
            draw_main(bo_run_document(run, (*f)->name, NULL), folder, &drawing);
            ok = write_csv(run, (*f)->name, folder, &arena);
        }
        if (bo_report_run_of(report, (*f)->name, true) == source)
            bo_curves_draw(run, (*f)->name, folder, &drawing);
    }
    ok = bo_drawing_end(&drawing) && ok;
    bo_arena_free(&arena);
    return ok;
}
