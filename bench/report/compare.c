/* Compares two runs. */
#include "bench/report/compare.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/report/comparison.h"
#include "bench/report/outliers.h"
#include "bench/runs/noise.h"
#include "bench/runs/results.h"
#include "bench/stats/layouts.h"
#include "bench/stats/stats.h"

const char *const bo_verdict_names[] = {"equal", "no difference", "unknown", "better", "worse"};

/* ---- one figure ------------------------------------------------------------------------------ */

/* Less is better. */
static enum bo_verdict judge_exact(double before, double after)
{
    return after < before ? BO_BETTER : after > before ? BO_WORSE : BO_EQUAL;
}

/* A new failure is worse; a failure in both builds is no change. */
static bool judge_failures(const char *before, const char *after, struct bo_change *change)
{
    if (!before && !after)
        return false;
    change->failure = after ? after : before;
    change->verdict = before && after ? BO_EQUAL : after ? BO_WORSE : BO_BETTER;
    return true;
}

/* The logarithms of a row's times: ratios become differences. */
static double *log_times(const struct bo_run_row *row, struct bo_arena *arena)
{
    double *times = bo_array_or_abort(arena, row->n, sizeof *times);
    for (unsigned i = 0; i < row->n; i++)
        times[i] = log(row->times_ns[i]);
    return times;
}

static void name_outliers(const struct bo_run_row *before, const struct bo_run_row *after,
                          struct bo_arena *arena, struct bo_change *change)
{
    unsigned n_before, n_after;
    const char *a = bo_outliers_text(before, arena, &n_before);
    const char *b = bo_outliers_text(after, arena, &n_after);
    change->n_outliers = n_before + n_after;
    if (a || b)
        change->outliers = bo_arena_printf(arena, "%s%s%s%s%s", a ? "old " : "", a ? a : "",
                                           a && b ? ", " : "", b ? "new " : "", b ? b : "");
}

/*
 * The smallest p that the test can give for samples of these sizes: one order among all, on either
 * side. The widest interval of the shift misses it with this probability.
 */
static double least_p(const struct bo_change *change)
{
    const double a = change->n_before, b = change->n_after;
    return fmin(1, 2 * exp(lgamma(a + 1) + lgamma(b + 1) - lgamma(a + b + 1)));
}

static struct bo_layout_effect effect_of(const struct bo_run_row *row, struct bo_arena *arena)
{
    const struct bo_repetitions repetitions = {log_times(row, arena), row->layouts, row->n};
    return bo_layout_effect(&repetitions, BO_CONFIDENCE);
}

/* Repetitions in one layout are not independent samples of it, so the layouts are compared. */
static void contrast_layouts(const struct bo_run_row *before, const struct bo_run_row *after,
                             struct bo_arena *arena, struct bo_change *change)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    const struct bo_layout_effect a = effect_of(before, arena), b = effect_of(after, arena);
    struct bo_interval interval;
    double shift;
    bo_arena_rewind(arena, mark);
    if (a.n_layouts < 2 || b.n_layouts < 2)
        return;
    change->has_layouts = true;
    change->p = bo_layouts_differ(&a, &b, BO_CONFIDENCE, &shift, &interval);
    change->ratio = exp(shift);
    change->interval =
        (struct bo_interval){exp(interval.low), exp(interval.high), interval.coverage};
}

/* Computes everything but the verdict, which needs the correction over all times. */
static void contrast_times(const struct bo_run_row *before, const struct bo_run_row *after,
                           struct bo_arena *arena, struct bo_change *change)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    double *a = log_times(before, arena), *b = log_times(after, arena);
    bo_sort_doubles(a, before->n);
    bo_sort_doubles(b, after->n);
    const struct bo_contrast contrast =
        bo_contrast_samples(a, before->n, b, after->n, BO_CONFIDENCE);
    bo_arena_rewind(arena, mark);
    name_outliers(before, after, arena, change);
    change->p = contrast.p;
    change->superiority = contrast.superiority;
    change->ratio = exp(contrast.shift);
    change->interval =
        1 - least_p(change) >= BO_CONFIDENCE
            ? (struct bo_interval){exp(contrast.interval.low), exp(contrast.interval.high),
                                   contrast.interval.coverage}
            : (struct bo_interval){NAN, NAN, 0};
    if (before->layouts && after->layouts)
        contrast_layouts(before, after, arena, change);
    change->verdict = BO_UNKNOWN;
}

/* ---- a document ------------------------------------------------------------------------------ */

struct comparing {
    struct bo_document_changes *document;
    const struct bo_run *before, *after;
    struct bo_arena *arena;
    double *noise; /* by label of the new run's document */
    size_t cap, relative_cap;
};

/* The larger noise of the two runs for the query kind or operation. NaN if neither has one. */
static double noise_of(const struct comparing *c, const char *label)
{
    const struct bo_run_document *document = c->document->after;
    return fmax(bo_noise_of(c->before, document->format, document->name, label).limit,
                bo_noise_of(c->after, document->format, document->name, label).limit);
}

static double noise_under(const struct comparing *c, const char *label)
{
    unsigned l = 0;
    while (strcmp(c->document->after->labels[l], label) != 0)
        l++;
    return c->noise[l];
}

static void add_change(struct comparing *c, const struct bo_change *change)
{
    struct bo_document_changes *document = c->document;
    bo_abort_unless(bo_grow(c->arena, &document->changes, document->n, 1, &c->cap));
    document->changes[document->n++] = *change;
}

static void compare_exact(struct comparing *c, const char *codec, const char *what, double before,
                          double after)
{
    if (isnan(before) || isnan(after))
        return;
    add_change(c, &(struct bo_change){.codec = codec,
                                      .what = what,
                                      .before = before,
                                      .after = after,
                                      .verdict = judge_exact(before, after)});
}

static void compare_sizes(struct comparing *c, const struct bo_run_codec *before,
                          const struct bo_run_codec *after)
{
    if (before->reads || after->reads) /* reported for the codec that writes the encoding */
        return;
    compare_exact(c, after->name, "bytes", before->has_bytes ? (double)before->bytes : NAN,
                  after->has_bytes ? (double)after->bytes : NAN);
    for (unsigned i = 0; i < after->size->compressed.n; i++) {
        const struct bo_pair *packed = &after->size->compressed.items[i];
        compare_exact(c, after->name, packed->name,
                      bo_pair_number(&before->size->compressed, packed->name), packed->number);
    }
}

/* Adds a note once. */
static void add_note(const struct comparing *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_note(const struct comparing *c, const char *format, ...)
{
    struct bo_document_changes *document = c->document;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < document->n_notes; i++)
        if (strcmp(document->notes[i], text) == 0)
            return;
    bo_abort_unless(
        bo_grow(c->arena, &document->notes, document->n_notes, 1, &document->notes_cap));
    document->notes[document->n_notes++] = bo_arena_printf(c->arena, "%s", text);
}

/* Runs without a hash of their queries are assumed to have run the same queries. */
static bool same_queries(const struct bo_document_changes *document, const char *label)
{
    const char *a = bo_pair_text(&document->before->query_set, label);
    const char *b = bo_pair_text(&document->after->query_set, label);
    return !a || !b || strcmp(a, b) == 0;
}

/* Means over different numbers of queries are not comparable. Older runs counted those of 256. */
static bool same_pages_sample(const struct comparing *c)
{
    const double before = bo_environment_number(&c->before->environment, "pages_sample");
    const double after = bo_environment_number(&c->after->environment, "pages_sample");
    const bool same = (isnan(before) ? 256 : before) == (isnan(after) ? 256 : after);
    if (!same)
        add_note(c, "pages: not compared: the runs counted those of different numbers of queries");
    return same;
}

/* The time of a document's codec under a label; NaN without one. */
static double time_of(const struct bo_run_document *document, const char *codec, const char *label)
{
    const struct bo_run_row *row = bo_run_row(document, bo_run_codec(document, codec), label);
    return row && row->n && !row->failure ? row->median_ns : NAN;
}

/* Both times are divided by those of one codec, the baseline of the old run. */
static void put_side_by_side(struct comparing *c, const char *codec,
                             const struct bo_run_row *before, const struct bo_run_row *after)
{
    struct bo_document_changes *document = c->document;
    const char *baseline = document->before->baseline->name;
    const double old = time_of(document->before, baseline, after->label);
    const double new = time_of(document->after, baseline, after->label);
    if (!before->n || !after->n || strcmp(baseline, codec) == 0)
        return;
    if (isnan(old) != isnan(new))
        add_note(c, "%s, the baseline, has no time in the %s run: no ratios of %s", baseline,
                 isnan(old) ? "old" : "new", after->label);
    if (isnan(old) || isnan(new))
        return;
    bo_abort_unless(
        bo_grow(c->arena, &document->relative, document->n_relative, 1, &c->relative_cap));
    document->relative[document->n_relative++] = (struct bo_relative_time){
        codec, after->label, before->median_ns / old, after->median_ns / new};
}

/* The codec's row of the same variant and label; NULL without one. */
static const struct bo_run_row *row_like(const struct bo_run_document *document,
                                         const struct bo_run_codec *codec,
                                         const struct bo_run_row *row)
{
    const struct bo_run_row *found;
    unsigned at = 0;
    while ((found = bo_run_next_row(document, codec, &at)))
        if (found->variant == row->variant && strcmp(found->label, row->label) == 0)
            break;
    return found;
}

static void compare_row(struct comparing *c, const struct bo_run_row *before,
                        const struct bo_run_row *after)
{
    const char *codec = bo_run_row_codec(after, c->arena);
    struct bo_change change = {.codec = codec,
                               .what = after->label,
                               .is_time = true,
                               .before = before->median_ns,
                               .after = after->median_ns,
                               .n_before = before->n,
                               .n_after = after->n,
                               .p = NAN};
    if (judge_failures(before->failure, after->failure, &change)) {
        add_change(c, &change);
        return;
    }
    if (!same_queries(c->document, after->label)) {
        add_note(c, "%s: not compared: the two runs have different queries", after->label);
        return;
    }
    if (before->n && after->n && !c->document->times_not_compared) {
        contrast_times(before, after, c->arena, &change);
        change.noise = noise_under(c, after->label);
        add_change(c, &change);
    }
    if (c->document->times_not_compared)
        put_side_by_side(c, codec, before, after);
    for (const char *const *counter = bo_exact_counters; *counter; counter++)
        if (strcmp(*counter, "touched_pages") != 0 || same_pages_sample(c))
            compare_exact(c, codec, bo_arena_printf(c->arena, "%s: %s", after->label, *counter),
                          bo_run_counter(before, *counter), bo_run_counter(after, *counter));
}

/* Applies Holm's correction over the document's times, then sets their verdicts. */
static void judge_times(struct bo_document_changes *document, double threshold,
                        struct bo_arena *arena)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    double *p = bo_array_or_abort(arena, document->n, sizeof *p);
    size_t n = 0;
    for (size_t i = 0; i < document->n; i++)
        if (document->changes[i].is_time && !document->changes[i].failure)
            p[n++] = document->changes[i].p;
    bo_holm(p, n);
    n = 0;
    for (size_t i = 0; i < document->n; i++) {
        struct bo_change *change = &document->changes[i];
        if (!change->is_time || change->failure)
            continue;
        change->p = p[n++];
        if (bo_is_noise(&(struct bo_noise){.limit = change->noise}, change->ratio))
            change->verdict = BO_NO_DIFFERENCE;
        else if (change->p < 1 - BO_CONFIDENCE && change->ratio > 1 + threshold)
            change->verdict = BO_WORSE;
        else if (change->p < 1 - BO_CONFIDENCE && change->ratio < 1 / (1 + threshold))
            change->verdict = BO_BETTER;
    }
    bo_arena_rewind(arena, mark);
}

/*
 * Notes the codecs that only one run measured, and the rows of common codecs that only one run
 * measured.
 */
static void note_missing(const struct comparing *c, const struct bo_run_document *of,
                         const struct bo_run_document *in, const char *which)
{
    for (unsigned i = 0; i < of->n_codecs; i++) {
        const struct bo_run_codec *codec = &of->codecs[i], *other = bo_run_codec(in, codec->name);
        const struct bo_run_row *row;
        unsigned at = 0;
        if (!other)
            add_note(c, "only in the %s run: %s", which, codec->name);
        while (other && (row = bo_run_next_row(of, codec, &at)))
            if (!row_like(in, other, row) && row->variant == BO_AS_IS)
                add_note(c, "only in the %s run: %s", which, row->label);
            else if (!row_like(in, other, row))
                add_note(c, "only in the %s run: %s of %s", which, row->label,
                         bo_run_row_codec(row, c->arena));
    }
}

/* Adds a note if the repetitions are so few that no difference could pass the correction. */
static void note_power(const struct comparing *c)
{
    const struct bo_document_changes *document = c->document;
    double least = 1;
    unsigned n = 0;
    for (size_t i = 0; i < document->n; i++) {
        const struct bo_change *change = &document->changes[i];
        if (!change->is_time || change->failure || change->has_layouts)
            continue;
        least = fmin(least, least_p(change));
        n++;
    }
    if (n && least * n >= 1 - BO_CONFIDENCE)
        add_note(c,
                 "too few repetitions for %u times: no difference could be detected (p is at least "
                 "%.2g)",
                 n, fmin(1, least * n));
}

static void compare_documents(struct bo_document_changes *document, const struct bo_run *in_before,
                              const struct bo_run *in_after, double threshold,
                              struct bo_arena *arena)
{
    struct comparing c = {
        .document = document, .before = in_before, .after = in_after, .arena = arena};
    c.noise = bo_array_or_abort(arena, document->after->n_labels, sizeof *c.noise);
    for (unsigned l = 0; l < document->after->n_labels; l++)
        c.noise[l] = noise_of(&c, document->after->labels[l]);
    for (unsigned i = 0; i < document->after->n_codecs; i++) {
        const struct bo_run_codec *after = &document->after->codecs[i];
        const struct bo_run_codec *before = bo_run_codec(document->before, after->name);
        const struct bo_run_row *row;
        unsigned at = 0;
        if (!before)
            continue;
        compare_sizes(&c, before, after);
        while ((row = bo_run_next_row(document->after, after, &at))) {
            const struct bo_run_row *old = row_like(document->before, before, row);
            if (old)
                compare_row(&c, old, row);
        }
    }
    note_missing(&c, document->before, document->after, "old");
    note_missing(&c, document->after, document->before, "new");
    note_power(&c);
    judge_times(document, threshold, arena);
    for (size_t i = 0; i < document->n; i++)
        document->n_of[document->changes[i].verdict]++;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bool same_fact(const struct bo_run_document *a, const struct bo_run_document *b,
                      const char *key)
{
    return strcmp(bo_environment_fact(a->environment, key),
                  bo_environment_fact(b->environment, key)) == 0;
}

/* All runs record caches; they differ between processors of the same name. */
static bool same_caches(const struct bo_environment *a, const struct bo_environment *b)
{
    bool same = a->n_caches == b->n_caches;
    for (unsigned i = 0; i < a->n_caches && same; i++)
        same =
            a->caches[i].level == b->caches[i].level && a->caches[i].nbytes == b->caches[i].nbytes;
    return same;
}

static bool same_cap(const struct bo_environment *a, const struct bo_environment *b)
{
    const char *x = bo_pair_text(&a->processor, "isa_cap");
    const char *y = bo_pair_text(&b->processor, "isa_cap");
    return strcmp(x ? x : "", y ? y : "") == 0;
}

/* The reason why times of the two are not comparable; NULL when they are. */
static const char *difference(const struct bo_run_document *a, const struct bo_run_document *b)
{
    if (!same_fact(a, b, "machine") || !same_fact(a, b, "cpu") ||
        !same_caches(a->environment, b->environment))
        return "measured on different processors";
    if (!same_cap(a->environment, b->environment))
        return "measured with different values of BAKEOFF_ISA";
    return NULL;
}

static bool same_content(const struct bo_run_document *a, const struct bo_run_document *b)
{
    return a->xxh3 && b->xxh3 && strcmp(a->xxh3, b->xxh3) == 0;
}

size_t bo_compare_runs(const struct bo_run *before, const struct bo_run *after, double threshold,
                       struct bo_arena *arena, struct bo_document_changes **documents_ret)
{
    struct bo_document_changes *documents =
        bo_array_or_abort(arena, after->n_documents + 1, sizeof *documents);
    size_t n = 0;
    for (size_t d = 0; d < after->n_documents; d++) {
        const struct bo_run_document *document = &after->documents[d];
        const struct bo_run_document *old =
            bo_run_document(before, document->format, document->name);
        if (!old)
            continue;
        documents[n] = (struct bo_document_changes){.before = old, .after = document};
        documents[n].times_not_compared = difference(old, document);
        if (same_content(old, document))
            compare_documents(&documents[n], before, after, threshold, arena);
        else
            documents[n].times_not_compared = "not the same document";
        n++;
    }
    *documents_ret = documents;
    return n;
}

const char *bo_compare_how(const struct bo_run *before, const struct bo_run *after)
{
    const char *a = bo_pair_text(&before->environment.interleaved, "id");
    const char *b = bo_pair_text(&after->environment.interleaved, "id");
    return a && b && strcmp(a, b) == 0
               ? "Measured in turns, in one run."
               : "Measured in two runs: background load may differ between them.";
}

/* ---- for people ------------------------------------------------------------------------------ */

static const char *figure_cell(const struct bo_change *change, double v, struct bo_arena *arena)
{
    if (isnan(v))
        return "failed";
    if (!change->is_time)
        return bo_arena_printf(arena, v == floor(v) ? "%.0f" : "%.3f", v);
    const struct bo_time_unit unit =
        bo_time_unit_for(isnan(change->before) ? change->after : change->before);
    return bo_arena_printf(arena, "%s %s", bo_significant(arena, v / unit.ns), unit.name);
}

static void add_row(struct bo_grid *grid, const struct bo_change *change)
{
    struct bo_arena *arena = grid->arena;
    bo_grid_texts(grid, change->codec, change->what, figure_cell(change, change->before, arena),
                  figure_cell(change, change->after, arena), NULL);
    if (change->failure) {
        bo_grid_texts(grid, "-", "-", "-", NULL);
    } else if (!change->is_time) {
        bo_grid_texts(grid, bo_fixed(arena, change->after / change->before, 4), "exact", "-", NULL);
    } else {
        if (isnan(change->interval.low))
            bo_grid_add(grid, "%.3f", change->ratio);
        else
            bo_grid_add(grid, "%.3f [%.3f, %.3f]", change->ratio, change->interval.low,
                        change->interval.high);
        bo_grid_add(grid, "%.2g", change->p);
        bo_grid_add(grid, "%u of %u%s%s", change->n_outliers, change->n_before + change->n_after,
                    change->outliers ? ": " : "", change->outliers ? change->outliers : "");
    }
    bo_grid_add(grid, "%s%s%s", bo_verdict_names[change->verdict], change->failure ? ": " : "",
                change->failure ? change->failure : "");
    bo_grid_end_row(grid);
}

static void print_grid(const struct bo_grid *grid, unsigned width, FILE *out)
{
    if (bo_grid_n_rows(grid) == 1)
        return;
    putc('\n', out);
    if (width == BO_COMPARE_MARKDOWN) {
        bo_grid_markdown(grid, out);
    } else {
        bo_grid_text(grid, width, out);
        putc('\n', out);
    }
}

static void print_side_by_side(const struct bo_document_changes *document, unsigned width,
                               struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    if (!document->n_relative)
        return;
    bo_grid_begin(&grid, arena, 2, "codec", "what", "before", "after", "ratio of ratios", NULL);
    fprintf(out, "%stimes over those of %s, each on its own processor:\n",
            width == BO_COMPARE_MARKDOWN ? "\n" : "  ", document->before->baseline->name);
    for (size_t i = 0; i < document->n_relative; i++) {
        const struct bo_relative_time *r = &document->relative[i];
        bo_grid_texts(&grid, r->codec, r->what, bo_significant(arena, r->before),
                      bo_significant(arena, r->after), NULL);
        bo_grid_add(&grid, "%.3f", r->after / r->before);
        bo_grid_end_row(&grid);
    }
    print_grid(&grid, width, out);
}

static char *counts_text(const size_t n_of[BO_WORSE + 1], struct bo_arena *arena)
{
    return bo_arena_printf(
        arena, "%zu better, %zu worse, %zu no difference, %zu unknown, %zu equal", n_of[BO_BETTER],
        n_of[BO_WORSE], n_of[BO_NO_DIFFERENCE], n_of[BO_UNKNOWN], n_of[BO_EQUAL]);
}

static void print_document(const struct bo_document_changes *document, bool all, unsigned width,
                           struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    bool missing = false; /* an interval that does not exist */
    bo_grid_begin(&grid, arena, 2, "codec", "what", "before", "after", "ratio", "p (Holm)",
                  "outliers", "verdict", NULL);
    for (size_t i = 0; i < document->n; i++)
        if (all || document->changes[i].verdict >= BO_BETTER) {
            add_row(&grid, &document->changes[i]);
            missing = missing || (document->changes[i].is_time && !document->changes[i].failure &&
                                  isnan(document->changes[i].interval.low));
        }
    const bool markdown = width == BO_COMPARE_MARKDOWN;
    char *counts = counts_text(document->n_of, arena);
    fprintf(out, "%s%s on %s: %s%s%s\n", markdown ? "\n#### " : "", document->after->format,
            document->after->name, counts,
            document->times_not_compared ? "; times were not compared: " : "",
            document->times_not_compared ? document->times_not_compared : "");
    for (size_t i = 0; i < document->n_notes; i++)
        fprintf(out, "%snote: %s\n", markdown ? "- " : "  ", document->notes[i]);
    if (missing)
        fprintf(out, "%snote: a ratio without brackets has no 95%% interval: too few repetitions\n",
                markdown ? "- " : "  ");
    print_grid(&grid, width, out);
    print_side_by_side(document, width, arena, out);
}

void bo_compare_print(const struct bo_document_changes *documents, size_t n, bool all,
                      unsigned width, struct bo_arena *arena, FILE *out)
{
    size_t n_of[BO_WORSE + 1] = {0};
    for (size_t d = 0; d < n; d++) {
        print_document(&documents[d], all, width, arena, out);
        for (unsigned v = 0; v <= BO_WORSE; v++)
            n_of[v] += documents[d].n_of[v];
    }
    fprintf(out, "%s%s\n", width == BO_COMPARE_MARKDOWN ? "\nTogether: " : "",
            counts_text(n_of, arena));
}

/* ---- for programs ---------------------------------------------------------------------------- */

static json_t *change_json(const struct bo_change *change)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:o, s:o, s:s*}", "codec", change->codec, "what",
                               change->what, "verdict", bo_verdict_names[change->verdict], "before",
                               bo_number_json(change->before), "after",
                               bo_number_json(change->after), "failure", change->failure);
    if (change->is_time && !change->failure)
        json_object_update_new(
            object, json_pack("{s:f, s:o, s:o, s:f, s:f, s:f, s:i, s:i, s:i, s:o, s:s*}", "ratio",
                              change->ratio, "low", bo_number_json(change->interval.low), "high",
                              bo_number_json(change->interval.high), "coverage",
                              change->interval.coverage, "p", change->p, "superiority",
                              change->superiority, "n_before", (int)change->n_before, "n_after",
                              (int)change->n_after, "outliers", (int)change->n_outliers, "noise",
                              bo_number_json(change->noise), "outliers_are", change->outliers));
    return object;
}

json_t *bo_compare_json(const struct bo_document_changes *documents, size_t n)
{
    json_t *all = json_array();
    for (size_t d = 0; d < n; d++) {
        json_t *changes = json_array();
        for (size_t i = 0; i < documents[d].n; i++)
            json_array_append_new(changes, change_json(&documents[d].changes[i]));
        json_t *relative = documents[d].n_relative ? json_array() : NULL;
        for (size_t i = 0; i < documents[d].n_relative; i++) {
            const struct bo_relative_time *r = &documents[d].relative[i];
            json_array_append_new(relative,
                                  json_pack("{s:s, s:s, s:f, s:f}", "codec", r->codec, "what",
                                            r->what, "before", r->before, "after", r->after));
        }
        json_t *notes = json_array();
        for (size_t i = 0; i < documents[d].n_notes; i++)
            json_array_append_new(notes, json_string(documents[d].notes[i]));
        const char *baseline = relative ? documents[d].before->baseline->name : NULL;
        json_array_append_new(all, json_pack("{s:s, s:s, s:o, s:s*, s:s*, s:o*, s:o}", "format",
                                             documents[d].after->format, "document",
                                             documents[d].after->name, "changes", changes,
                                             "times_not_compared", documents[d].times_not_compared,
                                             "baseline", baseline, "over_baseline", relative,
                                             "notes", notes));
    }
    return all;
}
