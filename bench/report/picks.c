/* Picks as a table. */
#include "bench/report/picks.h"

#include <math.h>
#include <string.h>

#include "bench/report/paths.h"
#include "bench/report/report.h"
#include "harness/core/print.h"
#include "harness/registry.h"

unsigned bo_format_documents(const struct bo_run *run, const char *format, unsigned sorts,
                             struct bo_arena *arena, const struct bo_run_document ***documents_ret)
{
    const struct bo_run_document **documents =
        bo_array_or_abort(arena, run->n_documents, sizeof *documents);
    unsigned n = 0;
    for (size_t d = 0; d < run->n_documents; d++) {
        const struct bo_run_document *document = &run->documents[d];
        const unsigned sort = document->scale      ? BO_FOR_CURVES
                              : document->held_out ? BO_HELD_OUT
                                                   : BO_ORDINARY;
        if (strcmp(document->format, format) == 0 && sorts & sort)
            documents[n++] = document;
    }
    *documents_ret = documents;
    return n;
}

unsigned bo_keep_preferred(const char *format, const struct bo_run_document **documents, unsigned n)
{
    const struct bo_format_report *notes = bo_report_of(format);
    const char *names = notes && notes->main_label ? notes->main_label : "";
    unsigned n_kept = 0;
    for (size_t length; *names && n_kept == 0; names += length + strspn(names + length, " ")) {
        length = strcspn(names, " ");
        for (unsigned d = 0; d < n; d++) {
            const char *label = bo_run_main_label(documents[d]);
            if (label && strlen(label) == length && strncmp(label, names, length) == 0)
                documents[n_kept++] = documents[d];
        }
    }
    return n_kept ? n_kept : n;
}

unsigned bo_compared_documents(const struct bo_run *run, const char *format, const char *corpus,
                               bool held_out, struct bo_arena *arena,
                               const struct bo_run_document *const **documents_ret)
{
    const struct bo_run_document **documents;
    unsigned n;
    if (corpus) {
        documents = bo_array_or_abort(arena, 1, sizeof *documents);
        documents[0] = bo_run_document(run, format, corpus);
        n = documents[0] != NULL;
    } else {
        n = bo_format_documents(run, format, held_out ? BO_HELD_OUT : BO_ORDINARY, arena,
                                &documents);
        n = bo_keep_preferred(format, documents, n);
    }
    *documents_ret = documents;
    return n;
}

static void main_wishes(const struct bo_run *run, const struct bo_run_document *document,
                        struct bo_arena *arena, struct bo_wish *wishes_ret)
{
    const char *label = bo_run_main_label(document);
    const struct bo_figure time = {bo_arena_printf(arena, "%s, ns", label ? label : "no query"),
                                   BO_TIME, label, NULL};
    wishes_ret[BO_MAIN_SIZE] = (struct bo_wish){
        .name = "size", .figure = {"bytes", BO_SIZE_PER_UNIT, NULL, NULL}, .weight = 1};
    wishes_ret[BO_MAIN_TIME] = (struct bo_wish){.name = "lookup", .figure = time, .weight = 1};
    bo_wishes_set_noise(run, document->format, wishes_ret, BO_N_MAIN_WISHES);
}

static const struct bo_main_ratios no_ratios = {NULL, NAN, NAN};

static bool has_role(const struct bo_run_codec *codec, enum bo_role role)
{
    return strcmp(codec->role, bo_role_name(role)) == 0;
}

/* To none when the pick itself is a proposal, or no proposal was weighed. */
static struct bo_main_ratios to_best_proposal(const struct bo_pick *pick)
{
    const struct bo_picked_codec *c = pick->codecs;
    unsigned i = 0;
    while (i < pick->n_weighed && !has_role(c[i].codec, BO_PROPOSED))
        i++;
    if (i == 0 || i == pick->n_weighed)
        return no_ratios;
    return (struct bo_main_ratios){c[i].codec,
                                   c[0].ratios[BO_MAIN_SIZE] / c[i].ratios[BO_MAIN_SIZE],
                                   c[0].ratios[BO_MAIN_TIME] / c[i].ratios[BO_MAIN_TIME]};
}

struct bo_main_pick bo_main_pick_of(const struct bo_run *run,
                                    const struct bo_run_document *const *documents, unsigned n,
                                    struct bo_arena *arena)
{
    struct bo_wish *wishes = bo_array_or_abort(arena, BO_N_MAIN_WISHES, sizeof *wishes);
    struct bo_pick pick;
    const char *why;
    struct bo_main_pick main = {
        .all = {.clarity = BO_NO_RIVAL}, .status_quo = no_ratios, .proposal = no_ratios};
    main_wishes(run, documents[0], arena, wishes);
    if (!bo_pick_codec(documents, n, wishes, BO_N_MAIN_WISHES, arena, &pick, &why) ||
        !pick.n_weighed)
        return main;
    const struct bo_run_codec *baseline = documents[0]->baseline;
    main.pick = pick.codecs[0].codec;
    main.all = pick;
    if (has_role(baseline, BO_STATUS_QUO)) /* all ratios of the pick are relative to it */
        main.status_quo = (struct bo_main_ratios){baseline, pick.codecs[0].ratios[BO_MAIN_SIZE],
                                                  pick.codecs[0].ratios[BO_MAIN_TIME]};
    main.proposal = to_best_proposal(&pick);
    return main;
}

/* ---- overview -------------------------------------------------------------------------------- */

static void add_codec(struct bo_grid *grid, const struct bo_run_codec *codec)
{
    if (codec)
        bo_grid_add(grid, "%s (%s)", codec->name, codec->role);
    else
        bo_grid_add(grid, "-");
}

static void add_ratio(struct bo_grid *grid, double v)
{
    bo_grid_add(grid, "%s", bo_significant(grid->arena, v));
    bo_grid_value(grid, v);
}

static void add_ratios(struct bo_grid *grid, const struct bo_main_ratios *ratios)
{
    add_ratio(grid, ratios->size);
    add_ratio(grid, ratios->time);
}

/* The times of both in portable C. */
static void add_portable(struct bo_grid *grid, const struct bo_run_document *const *documents,
                         unsigned n, const struct bo_main_pick *pick, const struct bo_run_codec *to)
{
    const char *label = bo_run_main_label(documents[0]);
    const struct bo_run_codec *a =
        pick->pick && label ? bo_fastest_reader(documents, n, pick->pick, label, true) : NULL;
    const struct bo_run_codec *b = to ? bo_fastest_reader(documents, n, to, label, true) : NULL;
    add_ratio(grid, a && b ? bo_time_over(documents, n, a->name, b->name, label, true).ratio : NAN);
}

/* The line of a format that the run measured, with a link that begins with `link`. */
static void add_format(struct bo_grid *grid, const struct bo_run *run, const char *format,
                       const char *link)
{
    const struct bo_run_document *const *documents;
    const unsigned n = bo_compared_documents(run, format, NULL, false, grid->arena, &documents);
    if (n == 0 || documents[0]->n_codecs == 0)
        return;
    const struct bo_main_pick pick = bo_main_pick_of(run, documents, n, grid->arena);
    bo_grid_add(grid, "[%s](%s%s)", format, link, format);
    bo_grid_add(grid, "%u", n);
    bo_grid_add(grid, "%s",
                bo_run_main_label(documents[0]) ? bo_run_main_label(documents[0]) : "-");
    add_codec(grid, pick.pick);
    add_codec(grid, pick.all.runner_up ? pick.all.runner_up->codec : NULL);
    bo_grid_add(grid, "%s", bo_clarity_names[pick.all.clarity]);
    add_codec(grid, pick.status_quo.to);
    add_codec(grid, pick.proposal.to);
    add_ratios(grid, &pick.status_quo);
    add_ratios(grid, &pick.proposal);
    add_portable(grid, documents, n, &pick, pick.status_quo.to);
    add_portable(grid, documents, n, &pick, pick.proposal.to);
    bo_grid_end_row(grid);
}

void bo_report_glance(const struct bo_report *report, const struct bo_page *page, const char *link)
{
    struct bo_grid grid;
    bo_grid_begin(&grid, page->arena, 8, "format", "documents", "query", "pick", "runner-up",
                  "clear", "status quo", "best proposal", "bytes over status quo",
                  "time over status quo", "bytes over proposal", "time over proposal",
                  "time over status quo, portable C", "time over proposal, portable C", NULL);
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct bo_report_run *source = bo_report_run_of(report, (*f)->name, false);
        if (source)
            add_format(&grid, source->run, (*f)->name, link);
    }
    fprintf(
        page->out,
        "The pick of a format is the codec with the lowest product of bytes and time of one query, "
        "as geometric means over the documents measured with this query. Its bytes and times are "
        "divided by those of the status quo and of the best proposal: below 1, the pick is better. "
        "The last two columns compare the fastest portable readers of both encodings, which may be "
        "other codecs; \"-\" if one of them was not measured. The runner-up is the next codec of "
        "another encoding. The pick is *clear* if neither the 95%% intervals of the times nor the "
        "A/A interval can change the order of the two. Other weights may give other picks: see the "
        "picks by use, and `bakeoff pick`.\n\n");
    bo_page_grid(page, &grid, "the pick of each format");
}
