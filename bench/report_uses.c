/* Uses as tables. */
#include "bench/report_uses.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "bench/report_text.h"
#include "harness/codec.h"

/* ---- one line a codec ------------------------------------------------------------------------ */

static void add_heading(const struct bo_run_document *document, const struct bo_uses *uses,
                        struct bo_grid *grid)
{
    bo_grid_add(grid, "codec");
    bo_grid_add(grid, "role");
    for (const struct bo_use *use = uses->uses; use->use; use++) {
        if (!bo_figure_known(document, &use->figure, NULL))
            continue;
        bo_grid_add(grid, "%s: %s", use->use, use->figure.heading);
        if (use->limit > 0)
            bo_grid_add(grid, "%s: %s", use->use, use->fit);
    }
    if (uses->told_use)
        bo_grid_add(grid, "%s: %s", uses->told_use, uses->told_heading);
    if (uses->given_use)
        bo_grid_add(grid, "%s (1)", uses->given_use);
    bo_grid_end_row(grid);
}

/* What is known of the codec, "-" when nothing is. */
static const char *told_of(const struct bo_uses *uses, const char *codec)
{
    const struct bo_use_fact *fact = uses->told;
    while (fact->codecs && fnmatch(fact->codecs, codec, 0) != 0)
        fact++;
    return fact->codecs ? fact->text : "-";
}

/* The use's limit on this document; NaN when it is a factor on what the first codec lacks. */
static double limit_of(const struct bo_run_document *document, const struct bo_use *use)
{
    return use->of_first
               ? use->limit * bo_figure_value(document, &document->codecs[0], &use->figure, NULL)
               : use->limit;
}

static const char *verdict(double v, double limit)
{
    return isnan(v) || isnan(limit) ? "-" : v <= limit ? "yes" : "no";
}

void bo_uses_grid(const struct bo_run_document *document, const struct bo_uses *uses,
                  struct bo_arena *arena, struct bo_grid *grid_ret)
{
    const struct bo_run_codec **codecs;
    const unsigned n = bo_ranked_codecs(document, arena, &codecs);
    bo_grid_init(grid_ret, arena, 2);
    add_heading(document, uses, grid_ret);
    for (unsigned i = 0; i < n; i++) {
        bo_grid_add(grid_ret, "%s", bo_codec_cell(arena, codecs[i]));
        bo_grid_add(grid_ret, "%s", codecs[i]->role);
        for (const struct bo_use *use = uses->uses; use->use; use++) {
            if (!bo_figure_known(document, &use->figure, NULL))
                continue;
            bo_grid_add(grid_ret, "%s",
                        bo_figure_cell(arena, document, codecs[i], &use->figure, NULL));
            if (use->limit > 0)
                bo_grid_add(grid_ret, "%s",
                            verdict(bo_figure_value(document, codecs[i], &use->figure, NULL),
                                    limit_of(document, use)));
        }
        if (uses->told_use)
            bo_grid_add(grid_ret, "%s", told_of(uses, codecs[i]->name));
        if (uses->given_use)
            bo_grid_add(grid_ret, "%s", codecs[i]->has_bytes && !codecs[i]->optional ? "yes" : "-");
        bo_grid_end_row(grid_ret);
    }
}

/* ---- picks ----------------------------------------------------------------------------------- */

/* Whether the codec keeps every limit of a use; one without the figure does not. */
static bool is_fit(const struct bo_run_document *document, const struct bo_run_codec *codec,
                   const struct bo_uses *uses, const char *use_name)
{
    for (const struct bo_use *use = uses->uses; use->use; use++)
        if (use->limit > 0 && strcmp(use->use, use_name) == 0 &&
            !(bo_figure_value(document, codec, &use->figure, NULL) <= limit_of(document, use)))
            return false;
    return true;
}

bool bo_is_library_control(const struct bo_run_codec *codec)
{
    return codec->optional && strcmp(codec->role, bo_role_name(BO_CONTROL)) == 0;
}

const struct bo_run_codec *bo_use_pick(const struct bo_run_document *document,
                                       const struct bo_uses *uses, const struct bo_use *use,
                                       bool probabilistic)
{
    const struct bo_run_codec *best = NULL;
    double best_v = INFINITY;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        const double v = bo_figure_value(document, codec, &use->figure, NULL);
        if (codec->is_noop || bo_is_library_control(codec) || codec->leaves_out ||
            codec->probabilistic != probabilistic || !(v < best_v) ||
            !is_fit(document, codec, uses, use->use))
            continue;
        best = codec;
        best_v = v;
    }
    return best;
}

/* "trie+packed (proposed; 12.3)" */
static char *pick_cell(struct bo_arena *arena, const struct bo_run_document *document,
                       const struct bo_uses *uses, const struct bo_use *use, bool probabilistic)
{
    const struct bo_run_codec *pick = bo_use_pick(document, uses, use, probabilistic);
    if (!pick)
        return bo_arena_printf(arena, "none");
    return bo_arena_printf(
        arena, "%s (%s; %s)", bo_codec_cell(arena, pick), pick->role,
        bo_significant(arena, bo_figure_value(document, pick, &use->figure, NULL)));
}

/*
 * The codecs among which a use picks: those with the verdict "streams"; "all" where the use has no
 * limit.
 */
static const char *condition(const struct bo_uses *uses, const char *use_name)
{
    for (const struct bo_use *use = uses->uses; use->use; use++)
        if (use->limit > 0 && strcmp(use->use, use_name) == 0)
            return use->fit;
    return "all";
}

static bool any_probabilistic(const struct bo_run_document *document)
{
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (document->codecs[c].probabilistic)
            return true;
    return false;
}

static void print_picks(const struct bo_page *page, const struct bo_run_document *document,
                        const struct bo_uses *uses)
{
    const bool marked = any_probabilistic(document);
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 5);
    bo_grid_add(&grid, "use");
    bo_grid_add(&grid, "lowest");
    bo_grid_add(&grid, "among");
    bo_grid_add(&grid, "pick");
    if (marked)
        bo_grid_add(&grid, "pick of the (~)");
    bo_grid_end_row(&grid);
    for (const struct bo_use *use = uses->uses; use->use; use++) {
        if (!use->picks || !bo_figure_known(document, &use->figure, NULL))
            continue;
        bo_grid_add(&grid, "%s", use->use);
        bo_grid_add(&grid, "%s", use->figure.heading);
        bo_grid_add(&grid, "%s", condition(uses, use->use));
        bo_grid_add(&grid, "%s", pick_cell(page->arena, document, uses, use, false));
        if (marked)
            bo_grid_add(&grid, "%s", pick_cell(page->arena, document, uses, use, true));
        bo_grid_end_row(&grid);
    }
    fprintf(page->out, "\nThe picks for %s, by these figures:\n\n", document->name);
    bo_grid_markdown(&grid, page->out);
}

/* ---- the page -------------------------------------------------------------------------------- */

void bo_page_uses(const struct bo_page *page, const struct bo_run_document *document,
                  const struct bo_uses *uses)
{
    struct bo_grid grid;
    const char *note = bo_mark_note(document);
    bo_uses_grid(document, uses, page->arena, &grid);
    fprintf(page->out, "\n**The uses, %s.**\n\n", document->name);
    bo_grid_markdown(&grid, page->out);
    if (uses->given_use)
        fprintf(page->out, "\n(1): %s\n", uses->given_note);
    if (note)
        fprintf(page->out, "\n%s\n", note);
    print_picks(page, document, uses);
}
