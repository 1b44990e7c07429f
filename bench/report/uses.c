/* Uses as tables. */
#include "bench/report/uses.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/figure.h"
#include "bench/report/paths.h"
#include "bench/runs/noise.h"
#include "harness/codec.h"
#include "harness/core/print.h"

/* ---- one line a codec ------------------------------------------------------------------------ */

const char *bo_fact_about(const struct bo_use_fact *facts, const char *codec)
{
    for (const struct bo_use_fact *fact = facts; fact && fact->codecs; fact++)
        if (fnmatch(fact->codecs, codec, 0) == 0)
            return fact->text;
    return NULL;
}

/* The use's limit on this document. NaN when it is a factor of a figure that the baseline lacks. */
static double limit_of(const struct bo_run_document *document, const struct bo_use *use)
{
    return use->of_baseline
               ? use->limit * bo_figure_value(document, document->baseline, &use->figure)
               : use->limit;
}

static const char *verdict(double v, double limit)
{
    return isnan(v) || isnan(limit) ? "-" : v <= limit ? "yes" : "no";
}

/* The figure, and whether it is within the limit. */
static void add_use(const struct bo_run_document *document, const struct bo_run_codec *codec,
                    const struct bo_use *use, struct bo_grid *grid)
{
    struct bo_arena *arena = grid->arena;
    const double v = bo_figure_value(document, codec, &use->figure);
    bo_grid_column(grid, bo_arena_printf(arena, "%s: %s", use->use, use->figure.heading),
                   bo_arena_printf(arena, "%s%s",
                                   bo_figure_cell(arena, document, codec, &use->figure),
                                   bo_portable_cell(arena, document, codec, &use->figure, 1)));
    bo_grid_value(grid, v);
    if (use->limit > 0)
        bo_grid_column(grid, bo_arena_printf(arena, "%s: %s", use->use, use->fit),
                       verdict(v, limit_of(document, use)));
}

void bo_uses_grid(const struct bo_run_document *document, const struct bo_uses *uses,
                  struct bo_arena *arena, struct bo_grid *grid_ret)
{
    const struct bo_run_codec **codecs;
    const unsigned n = bo_ranked_codecs(document, arena, &codecs);
    bo_grid_init(grid_ret, arena, 2);
    for (unsigned i = 0; i < n; i++) {
        if (bo_run_refusal(codecs[i]) || bo_is_path(document, codecs[i]))
            continue;
        bo_grid_column(grid_ret, "codec", bo_codec_cell(arena, codecs[i]));
        bo_grid_column(grid_ret, "role", codecs[i]->role);
        for (const struct bo_use *use = uses->uses; use->use; use++)
            if (bo_figure_known(document, &use->figure))
                add_use(document, codecs[i], use, grid_ret);
        const char *fact = bo_fact_about(uses->facts, codecs[i]->name);
        if (uses->facts_use)
            bo_grid_column(grid_ret,
                           bo_arena_printf(arena, "%s: %s", uses->facts_use, uses->facts_heading),
                           fact ? fact : "-");
        if (uses->given_use)
            bo_grid_column(grid_ret, bo_arena_printf(arena, "%s (1)", uses->given_use),
                           codecs[i]->has_bytes && !codecs[i]->optional ? "yes" : "-");
        bo_grid_end_row(grid_ret);
    }
}

/* ---- picks ----------------------------------------------------------------------------------- */

/*
 * The first limit of the use that the codec exceeds, or whose figure it lacks. NULL when it meets
 * all.
 */
static const struct bo_use *exceeded(const struct bo_run_document *document,
                                     const struct bo_run_codec *codec, const struct bo_uses *uses,
                                     const char *use_name)
{
    for (const struct bo_use *use = uses->uses; use->use; use++)
        if (use->limit > 0 && strcmp(use->use, use_name) == 0 &&
            !(bo_figure_value(document, codec, &use->figure) <= limit_of(document, use)))
            return use;
    return NULL;
}

bool bo_is_library_control(const struct bo_run_codec *codec)
{
    return codec->optional && strcmp(codec->role, bo_role_name(BO_CONTROL)) == 0;
}

static enum bo_field field_of(const struct bo_run_document *document,
                              const struct bo_run_codec *codec, const char *label)
{
    if (codec->probabilistic)
        return BO_MAY_BE_WRONG;
    if (strcmp(codec->role, bo_role_name(BO_CONTROL)) == 0)
        return BO_FIRST_CONTROL;
    return bo_is_unpacked(document, codec, label) ? BO_UNPACKED : BO_IN_PLACE;
}

struct ranked {
    const struct bo_run_codec *codec;
    double v;
    unsigned order;
};

static int by_figure(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->v != y->v ? (x->v > y->v) - (x->v < y->v) : (int)x->order - (int)y->order;
}

static bool has_encoding(const struct bo_run_codec *const *codecs, unsigned n,
                         const struct bo_run_codec *codec)
{
    for (unsigned i = 0; i < n; i++)
        if (bo_same_encoding(codecs[i], codec))
            return true;
    return false;
}

/* True when the use would rank the codec, ignoring its limits. */
static bool is_ranked(const struct bo_run_document *document, const struct bo_run_codec *codec,
                      const struct bo_use *use)
{
    return !codec->is_noop && !bo_is_library_control(codec) && !bo_is_path(document, codec) &&
           !isnan(bo_figure_value(document, codec, &use->figure));
}

unsigned bo_use_rank(const struct bo_run_document *document, const struct bo_uses *uses,
                     const struct bo_use *use, enum bo_field field, struct bo_arena *arena,
                     const struct bo_run_codec ***codecs_ret)
{
    struct ranked *ranked = bo_array_or_abort(arena, document->n_codecs + 1u, sizeof *ranked);
    const struct bo_run_codec **codecs =
        bo_array_or_abort(arena, document->n_codecs + 1u, sizeof *codecs);
    unsigned n = 0;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        if (is_ranked(document, codec, use) && !(codec->leaves_out && field == BO_IN_PLACE) &&
            field_of(document, codec, use->figure.label) == field &&
            !exceeded(document, codec, uses, use->use))
            ranked[n++] = (struct ranked){codec, bo_figure_value(document, codec, &use->figure), c};
    }
    qsort(ranked, n, sizeof *ranked, by_figure);
    unsigned n_encodings = 0;
    for (unsigned i = 0; i < n; i++)
        if (!has_encoding(codecs, n_encodings, ranked[i].codec))
            codecs[n_encodings++] = ranked[i].codec;
    *codecs_ret = codecs;
    return n_encodings;
}

/* "trie+packed (proposed; 12.3)"; "-" for NULL. */
static char *codec_cell(struct bo_arena *arena, const struct bo_run_document *document,
                        const struct bo_use *use, const struct bo_run_codec *codec)
{
    if (!codec)
        return bo_arena_printf(arena, "-");
    return bo_arena_printf(arena, "%s (%s; %s)", bo_codec_cell(arena, codec), codec->role,
                           bo_significant(arena, bo_figure_value(document, codec, &use->figure)));
}

/*
 * "1.23x": the runner-up's figure divided by the pick's. For times with the range from their
 * intervals, "1.23x [1.20, 1.26]".
 */
static char *lead_cell(struct bo_arena *arena, const struct bo_run *run,
                       const struct bo_run_document *document, const struct bo_use *use,
                       const struct bo_run_codec *pick, const struct bo_run_codec *second)
{
    const double ratio = bo_figure_value(document, second, &use->figure) /
                         bo_figure_value(document, pick, &use->figure);
    char *text = bo_arena_printf(arena, "%sx", bo_significant(arena, ratio));
    if (!bo_is_time(&use->figure))
        return text;
    const struct bo_noise noise = bo_noise_of(run, document->format, NULL, use->figure.label);
    const struct bo_interval a = bo_run_row(document, pick, use->figure.label)->interval;
    const struct bo_interval b = bo_run_row(document, second, use->figure.label)->interval;
    if (bo_is_noise(&noise, ratio))
        return bo_arena_printf(arena, "no difference");
    if (isnan(a.low) || isnan(b.low))
        return bo_arena_printf(arena, "%s, no 95%% interval", text);
    if (!(a.low > 0))
        return text;
    return bo_arena_printf(arena, "%s [%s, %s]", text, bo_significant(arena, b.low / a.high),
                           bo_significant(arena, b.high / a.low));
}

/* "B/table at most 1.25x that of varint-delta (status quo)"; "-" if the use has no limit. */
static char *limit_cell(struct bo_arena *arena, const struct bo_run_document *document,
                        const struct bo_uses *uses, const char *use_name)
{
    char *text = NULL;
    for (const struct bo_use *use = uses->uses; use->use; use++) {
        if (use->limit <= 0 || strcmp(use->use, use_name) != 0)
            continue;
        text = bo_arena_printf(arena, "%s%s%s at most %s", text ? text : "", text ? ", " : "",
                               use->figure.heading, bo_significant(arena, use->limit));
        if (use->of_baseline)
            text = bo_arena_printf(arena, "%sx that of %s", text,
                                   bo_named_with_role(arena, document->baseline));
    }
    return text ? text : bo_arena_printf(arena, "-");
}

/*
 * The codecs that the limits exclude, with the figure that is too high: "linear-index (proposed;
 * 1.28x)"; "-" for none. Of the readers of one encoding, only one is listed.
 */
static char *excluded_cell(struct bo_arena *arena, const struct bo_run_document *document,
                           const struct bo_uses *uses, const struct bo_use *use)
{
    const struct bo_run_codec **codecs =
        bo_array_or_abort(arena, document->n_codecs + 1u, sizeof *codecs);
    unsigned n = 0;
    char *text = NULL;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        const struct bo_use *limit = exceeded(document, codec, uses, use->use);
        if (!limit || !is_ranked(document, codec, use) || has_encoding(codecs, n, codec))
            continue;
        codecs[n++] = codec;
        const double v = bo_figure_value(document, codec, &limit->figure);
        const double of = limit->of_baseline ? limit_of(document, limit) / limit->limit : 1;
        text = bo_arena_printf(arena, "%s%s%s (%s; %s%s)", text ? text : "", text ? ", " : "",
                               bo_codec_cell(arena, codec), codec->role,
                               bo_significant(arena, v / of), limit->of_baseline ? "x" : "");
    }
    return text ? text : bo_arena_printf(arena, "-");
}

static bool has_limit(const struct bo_uses *uses)
{
    const struct bo_use *use = uses->uses;
    while (use->use && use->limit <= 0)
        use++;
    return use->use != NULL;
}

/* The columns of picks. A column without any codec is left out. */
static const char *const field_headings[BO_N_FIELDS] = {
    [BO_IN_PLACE] = "pick",
    [BO_UNPACKED] = "first of the unpacked",
    [BO_MAY_BE_WRONG] = "first of the (~)",
    [BO_FIRST_CONTROL] = "first of the controls",
};

static bool is_picked(const struct bo_run_document *document, const struct bo_use *use)
{
    return use->picks && bo_figure_known(document, &use->figure);
}

static bool any_in_field(const struct bo_page *page, const struct bo_run_document *document,
                         const struct bo_uses *uses, enum bo_field field)
{
    const struct bo_run_codec **codecs;
    for (const struct bo_use *use = uses->uses; use->use; use++)
        if (is_picked(document, use) &&
            bo_use_rank(document, uses, use, field, page->arena, &codecs))
            return true;
    return false;
}

static void add_pick(const struct bo_page *page, const struct bo_run_document *document,
                     const struct bo_uses *uses, const struct bo_use *use,
                     const bool shown[BO_N_FIELDS], struct bo_grid *grid)
{
    struct bo_arena *arena = page->arena;
    const struct bo_run_codec **codecs;
    bo_grid_column(grid, "use", use->use);
    bo_grid_column(grid, "lowest", use->figure.heading);
    for (unsigned field = 0; field < BO_N_FIELDS; field++) {
        if (field != BO_IN_PLACE && !shown[field])
            continue;
        const unsigned n = bo_use_rank(document, uses, use, field, arena, &codecs);
        bo_grid_column(grid, field_headings[field],
                       codec_cell(arena, document, use, n ? codecs[0] : NULL));
        if (field == BO_IN_PLACE) {
            bo_grid_column(grid, "runner-up",
                           codec_cell(arena, document, use, n > 1 ? codecs[1] : NULL));
            bo_grid_column(grid, "its figure over the pick's",
                           n > 1 ? lead_cell(arena, page->run, document, use, codecs[0], codecs[1])
                                 : "-");
        }
    }
    if (has_limit(uses)) {
        bo_grid_column(grid, "limit", limit_cell(arena, document, uses, use->use));
        bo_grid_column(grid, "excluded by the limit", excluded_cell(arena, document, uses, use));
    }
    bo_grid_end_row(grid);
}

void bo_page_use_picks(const struct bo_page *page, const struct bo_run_document *document,
                       const struct bo_uses *uses)
{
    struct bo_grid grid;
    bool shown[BO_N_FIELDS];
    bo_grid_init(&grid, page->arena, 99);
    for (unsigned field = 0; field < BO_N_FIELDS; field++)
        shown[field] = any_in_field(page, document, uses, field);
    for (const struct bo_use *use = uses->uses; use->use; use++)
        if (is_picked(document, use))
            add_pick(page, document, uses, use, shown, &grid);
    fprintf(page->out,
            "\nThe picks for %s, by these figures. The runner-up is the best codec of another "
            "encoding; other readers of the pick's bytes do not count. In square brackets: the "
            "range of the ratio that the 95%% intervals of the medians allow; if it contains 1, "
            "the measurements show no difference. *No difference*: the ratio is inside the A/A "
            "interval, by which the times of one codec differ from each other.%s\n\n",
            document->name,
            shown[BO_UNPACKED]
                ? " The *unpacked* codecs read the whole file in `open`, which is not part of "
                  "their times."
                : "");
    bo_page_grid(page, &grid, "the picks of the uses");
}

/* ---- the page -------------------------------------------------------------------------------- */

static void print_refusals(const struct bo_page *page, const struct bo_run_document *document)
{
    const char *before = "\nNot in the table: ";
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const char *refusal = bo_run_refusal(&document->codecs[c]);
        if (refusal)
            fprintf(page->out, "%s%s (%s)", before, document->codecs[c].name, refusal);
        before = refusal ? ", " : before;
    }
    if (*before == ',')
        fprintf(page->out, ".\n");
}

void bo_page_uses(const struct bo_page *page, const struct bo_run_document *document,
                  const struct bo_uses *uses)
{
    struct bo_grid grid;
    const char *note = bo_mark_note(document, page->arena);
    bo_uses_grid(document, uses, page->arena, &grid);
    fprintf(page->out, "\n**The uses, %s.**%s\n\n", document->name,
            bo_has_paths(document) ? " In round brackets: the time in portable C, if the codec ran "
                                     "other code; \"-\" if it was not measured."
                                   : "");
    bo_page_grid(page, &grid, "the uses");
    print_refusals(page, document);
    if (uses->given_use)
        fprintf(page->out, "\n(1): %s\n", uses->given_note);
    if (note)
        fprintf(page->out, "\n%s\n", note);
    bo_page_use_picks(page, document, uses);
}
