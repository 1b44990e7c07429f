/* Picks by machine. */
#include "bench/report/machines.h"

#include <math.h>
#include <string.h>

#include "bench/report/picks.h"
#include "harness/core/print.h"
#include "harness/registry.h"

const char *bo_machine_of(const struct bo_run *run)
{
    return bo_environment_fact(&run->environment, "machine");
}

/* Whether the run has the document with the same content and main workload. */
static bool has_measured(const struct bo_run *run, const struct bo_run_document *document)
{
    const struct bo_run_document *other = bo_run_document(run, document->format, document->name);
    if (!other || !other->xxh3 || !document->xxh3 || strcmp(other->xxh3, document->xxh3) != 0)
        return false;
    const char *label = bo_run_main_label(document), *other_label = bo_run_main_label(other);
    return label && other_label && strcmp(label, other_label) == 0;
}

unsigned bo_common_documents(const struct bo_run *run, const struct bo_run *other,
                             const char *format, struct bo_arena *arena,
                             const struct bo_run_document ***documents_ret)
{
    const unsigned n_ordinary = bo_format_documents(run, format, BO_ORDINARY, arena, documents_ret);
    unsigned n = 0;
    for (unsigned d = 0; d < n_ordinary; d++)
        if (run == other || has_measured(other, (*documents_ret)[d]))
            (*documents_ret)[n++] = (*documents_ret)[d];
    return bo_keep_preferred(format, *documents_ret, n);
}

unsigned bo_machine_runs(const struct bo_run *const *runs, size_t n, const char *format,
                         struct bo_arena *arena, const struct bo_run *const **runs_ret)
{
    const struct bo_run **found = bo_array_or_abort(arena, BO_MAX_MACHINES, sizeof *found);
    unsigned n_found = 0;
    for (size_t i = 0; i < n && n_found < BO_MAX_MACHINES; i++) {
        const struct bo_run_document **documents;
        bool is_new =
            i == 0 || (!runs[i]->environment.partial &&
                       bo_common_documents(runs[i], runs[0], format, arena, &documents) > 0);
        for (unsigned k = 0; k < n_found; k++)
            is_new = is_new && strcmp(bo_machine_of(found[k]), bo_machine_of(runs[i])) != 0;
        if (is_new)
            found[n_found++] = runs[i];
    }
    *runs_ret = found;
    return n_found;
}

/* "shape-code", or "shape-code, packed-starts" where they differ. */
static void add_texts(struct bo_grid *grid, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        bo_grid_add(grid, "%s", a);
    else
        bo_grid_add(grid, "%s, %s", a, b);
}

/* "0.249, 0.303": a ratio on two machines. */
static void add_ratios(struct bo_grid *grid, double a, double b)
{
    add_texts(grid, isnan(a) ? "-" : bo_significant(grid->arena, a),
              isnan(b) ? "-" : bo_significant(grid->arena, b));
}

/* Adds a row for two machines, over the documents that both measured. False without such. */
static bool add_pair(struct bo_grid *grid, const struct bo_run *first, const struct bo_run *further,
                     const char *format, bool *same_ret)
{
    const struct bo_run *const pair[] = {first, further};
    struct bo_main_pick picks[2];
    const struct bo_run_document **documents;
    unsigned n = 0;
    for (unsigned k = 0; k < 2; k++) {
        n = bo_common_documents(pair[k], pair[1 - k], format, grid->arena, &documents);
        if (n)
            picks[k] = bo_main_pick_of(pair[k], documents, n, grid->arena);
        if (!n || !picks[k].pick)
            return false;
    }
    const struct bo_main_pick *a = &picks[0], *b = &picks[1];
    bo_grid_add(grid, "%s", format);
    bo_grid_add(grid, "%u", n);
    bo_grid_add(grid, "%s", bo_run_main_label(documents[0]));
    add_texts(grid, bo_machine_of(pair[0]), bo_machine_of(pair[1]));
    add_texts(grid, a->pick->name, b->pick->name);
    add_texts(grid, a->pick->path, b->pick->path);
    add_texts(grid, bo_clarity_names[a->all.clarity], bo_clarity_names[b->all.clarity]);
    add_ratios(grid, a->status_quo.size, b->status_quo.size);
    add_ratios(grid, a->status_quo.time, b->status_quo.time);
    add_ratios(grid, a->proposal.size, b->proposal.size);
    add_ratios(grid, a->proposal.time, b->proposal.time);
    bo_grid_end_row(grid);
    *same_ret = strcmp(a->pick->name, b->pick->name) == 0;
    return true;
}

void bo_report_machines(const struct bo_report *report, const struct bo_page *page)
{
    struct bo_grid grid;
    char *same = bo_arena_printf(report->arena, "%s", ""), *other = same;
    bo_grid_begin(&grid, report->arena, 11, "format", "documents", "query", "machines", "pick",
                  "code path", "clear", "bytes over status quo", "time over status quo",
                  "bytes over proposal", "time over proposal", NULL);
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct bo_report_run *source = bo_report_run_of(report, (*f)->name, false);
        const struct bo_page of = bo_report_page(report, source);
        const struct bo_run *const *runs;
        const unsigned n =
            source ? bo_machine_runs(of.runs, of.n_runs, (*f)->name, report->arena, &runs) : 0;
        unsigned n_pairs = 0, n_same = 0;
        for (unsigned k = 1; k < n; k++) {
            bool is_same = false;
            n_pairs += add_pair(&grid, runs[0], runs[k], (*f)->name, &is_same);
            n_same += is_same;
        }
        char **text = n_same == n_pairs ? &same : &other;
        if (n_pairs)
            *text =
                bo_arena_printf(report->arena, "%s%s**%s**", *text, **text ? ", " : "", (*f)->name);
    }
    if (bo_grid_n_rows(&grid) == 1)
        return;
    fprintf(report->out,
            "\n### By machine\n\n"
            "The picks on each further machine, compared with those on the format's first machine, "
            "over the documents that both measured with the same main workload. Two values in a "
            "cell are those of the first and of the further machine. Times of different processors "
            "are never averaged. The newest run of a machine counts; the runs may be of different "
            "versions of the codecs.\n\n"
            "The pick is the same on all of them for %s; it differs for %s.\n\n",
            *same ? same : "no format", *other ? other : "no format");
    bo_page_grid(page, &grid, "the picks by machine");
}
