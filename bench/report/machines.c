/* Picks by machine. */
#include "bench/report/machines.h"

#include <math.h>
#include <string.h>

#include "bench/report/picks.h"
#include "harness/core/print.h"
#include "harness/registry.h"

static const char *machine_of(const struct bo_run *run)
{
    return bo_environment_fact(&run->environment, "machine");
}

unsigned bo_machine_runs(const struct bo_run *const *runs, size_t n, const char *format,
                         struct bo_arena *arena, const struct bo_run *const **runs_ret)
{
    const struct bo_run **found = bo_array_or_abort(arena, BO_MAX_MACHINES, sizeof *found);
    unsigned n_found = 0;
    for (size_t i = 0; i < n && n_found < BO_MAX_MACHINES; i++) {
        bool is_new =
            i == 0 || (bo_run_measured(runs[i], format, false) && !runs[i]->environment.partial);
        for (unsigned k = 0; k < n_found; k++)
            is_new = is_new && strcmp(machine_of(found[k]), machine_of(runs[i])) != 0;
        if (is_new)
            found[n_found++] = runs[i];
    }
    *runs_ret = found;
    return n_found;
}

static bool all_measured(const struct bo_run *const *runs, unsigned n,
                         const struct bo_run_document *document)
{
    for (unsigned k = 0; k < n; k++) {
        const struct bo_run_document *other =
            bo_run_document(runs[k], document->format, document->name);
        if (!other || !other->xxh3 || !document->xxh3 || strcmp(other->xxh3, document->xxh3) != 0)
            return false;
    }
    return true;
}

unsigned bo_common_documents(const struct bo_run *const *runs, unsigned n_runs, unsigned k,
                             const char *format, struct bo_arena *arena,
                             const struct bo_run_document ***documents_ret)
{
    const struct bo_run_document *const *all;
    const unsigned n_all = bo_compared_documents(runs[k], format, NULL, false, arena, &all);
    const struct bo_run_document **documents =
        bo_array_or_abort(arena, n_all + 1, sizeof *documents);
    unsigned n = 0;
    for (unsigned d = 0; d < n_all; d++)
        if (runs[0] == runs[k] || all_measured(runs, n_runs, all[d]))
            documents[n++] = all[d];
    *documents_ret = documents;
    return n;
}

static void add_ratio(struct bo_grid *grid, double v)
{
    bo_grid_add(grid, "%s", isnan(v) ? "-" : bo_significant(grid->arena, v));
    bo_grid_value(grid, v);
}

static void add_pick(struct bo_grid *grid, const struct bo_run *run, const char *format,
                     unsigned n_documents, const struct bo_main_pick *pick)
{
    bo_grid_add(grid, "%s", format);
    bo_grid_add(grid, "%u", n_documents);
    bo_grid_add(grid, "%s", machine_of(run));
    bo_grid_add(grid, "%s", pick->pick->name);
    bo_grid_add(grid, "%s", pick->pick->path);
    bo_grid_add(grid, "%s", bo_clarity_names[pick->clarity]);
    add_ratio(grid, pick->status_quo.to ? pick->status_quo.size : NAN);
    add_ratio(grid, pick->status_quo.to ? pick->status_quo.time : NAN);
    add_ratio(grid, pick->proposal.to ? pick->proposal.size : NAN);
    add_ratio(grid, pick->proposal.to ? pick->proposal.time : NAN);
    bo_grid_end_row(grid);
}

/* Whether two machines have the same pick. */
static char *conclusion(const struct bo_run *const *pair, const struct bo_main_pick *picks,
                        const char *format, unsigned n_documents, struct bo_arena *arena)
{
    const char *plural = n_documents == 1 ? "" : "s";
    const char *a = machine_of(pair[0]), *b = machine_of(pair[1]);
    if (strcmp(picks[0].pick->name, picks[1].pick->name) == 0)
        return bo_arena_printf(arena, "- **%s**, %u document%s: `%s` is the pick on %s and %s.\n",
                               format, n_documents, plural, picks[0].pick->name, a, b);
    return bo_arena_printf(
        arena, "- **%s**, %u document%s: the pick is `%s` on %s, but `%s` on %s.\n", format,
        n_documents, plural, picks[0].pick->name, a, picks[1].pick->name, b);
}

/* Two machines, over the documents that both measured; "" without such documents. */
static char *add_pair(struct bo_grid *grid, const struct bo_run *const *pair, const char *format,
                      struct bo_arena *arena)
{
    struct bo_main_pick picks[2];
    unsigned n = 0;
    for (unsigned k = 0; k < 2; k++) {
        const struct bo_run_document **documents;
        n = bo_common_documents(pair, 2, k, format, arena, &documents);
        if (n)
            picks[k] = bo_main_pick_of(documents, n, arena);
        if (!n || !picks[k].pick)
            return bo_arena_printf(arena, "%s", "");
    }
    for (unsigned k = 0; k < 2; k++)
        add_pick(grid, pair[k], format, n, &picks[k]);
    return conclusion(pair, picks, format, n, arena);
}

void bo_report_machines(const struct bo_report *report, const struct bo_page *page)
{
    static const char *const heading[] = {"format",
                                          "documents",
                                          "machine",
                                          "pick",
                                          "code path",
                                          "clear",
                                          "bytes over status quo",
                                          "time over status quo",
                                          "bytes over proposal",
                                          "time over proposal"};
    struct bo_grid grid;
    char *text = bo_arena_printf(report->arena, "%s", "");
    bo_grid_init(&grid, report->arena, 6);
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        bo_grid_add(&grid, "%s", heading[i]);
    bo_grid_end_row(&grid);
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct bo_report_run *source = bo_report_run_of(report, (*f)->name, false);
        const struct bo_page of = bo_report_page(report, source);
        const struct bo_run *const *runs;
        const unsigned n =
            source ? bo_machine_runs(of.runs, of.n_runs, (*f)->name, report->arena, &runs) : 0;
        for (unsigned k = 1; k < n; k++) {
            const struct bo_run *const pair[] = {runs[0], runs[k]};
            text = bo_arena_printf(report->arena, "%s%s", text,
                                   add_pair(&grid, pair, (*f)->name, report->arena));
        }
    }
    if (bo_grid_n_rows(&grid) == 1)
        return;
    fprintf(report->out,
            "\n### By machine\n\n"
            "The same picks on each machine that was measured, beside those of the format's first "
            "machine, over the documents that both measured. Times of different processors are "
            "never averaged. The newest run of a machine counts; the runs may be of different "
            "versions of the codecs.\n\n%s\n",
            text);
    bo_page_grid(page, &grid, "the picks by machine");
}
