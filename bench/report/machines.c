/* Picks by machine. */
#include "bench/report/machines.h"

#include <math.h>
#include <string.h>

#include "bench/report/picks.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* One run a machine, of those that measured a format. */
struct machines {
    const struct bo_run **runs;
    unsigned n;
};

static const char *machine_of(const struct bo_run *run)
{
    return bo_environment_fact(&run->environment, "machine");
}

static struct machines machines_of(const struct bo_report *report, const char *format)
{
    struct machines m = {bo_array_or_abort(report->arena, report->n + 1, sizeof *m.runs), 0};
    for (size_t i = 0; i < report->n; i++) {
        const struct bo_run *run = report->runs[i].run;
        bool is_new = bo_run_measured(run, format, false) && !run->environment.partial;
        for (unsigned k = 0; k < m.n; k++)
            is_new = is_new && strcmp(machine_of(m.runs[k]), machine_of(run)) != 0;
        if (is_new)
            m.runs[m.n++] = run;
    }
    return m;
}

static bool all_measured(const struct machines *m, const struct bo_run_document *document)
{
    for (unsigned k = 0; k < m->n; k++) {
        const struct bo_run_document *other =
            bo_run_document(m->runs[k], document->format, document->name);
        if (!other || !other->xxh3 || !document->xxh3 || strcmp(other->xxh3, document->xxh3) != 0)
            return false;
    }
    return true;
}

/* The documents of a run that the runs of all machines have. */
static unsigned common_documents(const struct machines *m, unsigned k, const char *format,
                                 struct bo_arena *arena,
                                 const struct bo_run_document ***documents_ret)
{
    const struct bo_run_document *const *all;
    const unsigned n_all = bo_compared_documents(m->runs[k], format, NULL, false, arena, &all);
    const struct bo_run_document **documents =
        bo_array_or_abort(arena, n_all + 1, sizeof *documents);
    unsigned n = 0;
    for (unsigned d = 0; d < n_all; d++)
        if (all_measured(m, all[d]))
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
static char *conclusion(const struct machines *pair, const struct bo_main_pick *picks,
                        const char *format, unsigned n_documents, struct bo_arena *arena)
{
    const char *plural = n_documents == 1 ? "" : "s";
    const char *a = machine_of(pair->runs[0]), *b = machine_of(pair->runs[1]);
    if (strcmp(picks[0].pick->name, picks[1].pick->name) == 0)
        return bo_arena_printf(arena, "- **%s**, %u document%s: `%s` is the pick on %s and %s.\n",
                               format, n_documents, plural, picks[0].pick->name, a, b);
    return bo_arena_printf(
        arena, "- **%s**, %u document%s: the pick is `%s` on %s, but `%s` on %s.\n", format,
        n_documents, plural, picks[0].pick->name, a, picks[1].pick->name, b);
}

/* Two machines, over the documents that both measured; "" where there are none. */
static char *add_pair(struct bo_grid *grid, const struct machines *pair, const char *format,
                      struct bo_arena *arena)
{
    struct bo_main_pick picks[2];
    unsigned n = 0;
    for (unsigned k = 0; k < 2; k++) {
        const struct bo_run_document **documents;
        n = common_documents(pair, k, format, arena, &documents);
        if (n)
            picks[k] = bo_main_pick_of(documents, n, arena);
        if (!n || !picks[k].pick)
            return bo_arena_printf(arena, "%s", "");
    }
    for (unsigned k = 0; k < 2; k++)
        add_pick(grid, pair->runs[k], format, n, &picks[k]);
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
        const struct machines all = machines_of(report, (*f)->name);
        for (unsigned k = 1; k < all.n; k++) {
            const struct bo_run *runs[] = {all.runs[0], all.runs[k]};
            const struct machines pair = {runs, 2};
            text = bo_arena_printf(report->arena, "%s%s", text,
                                   add_pair(&grid, &pair, (*f)->name, report->arena));
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
