/* Looks up the parts of a run, and formats their names. */
#include "bench/runs/run.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/plan.h"
#include "bench/stats/stats.h"
#include "harness/core/cpu.h"
#include "harness/core/print.h"
#include "harness/format_report.h"
#include "harness/registry.h"

bool bo_is_query(const char *label)
{
    return strchr(label, '/') != NULL;
}

struct bo_interval bo_drawn_interval(const struct bo_run_row *row)
{
    return isnan(row->interval.low) ? (struct bo_interval){row->median_ns, row->median_ns, 0}
                                    : row->interval;
}

struct bo_interval_counts bo_count_intervals(const struct bo_run_document *document)
{
    struct bo_interval_counts counts = {0, 0};
    for (unsigned c = 0; c < document->n_codecs; c++)
        for (unsigned l = 0; l < document->n_labels; l++) {
            const struct bo_run_row *row = document->codecs[c].rows[l];
            if (!row || row->n == 0 || row->failure)
                continue;
            if (isnan(row->interval.low))
                counts.n_without++;
            else
                counts.n_with++;
        }
    return counts;
}

const struct bo_row_values *bo_values_of(const struct bo_run_row *row, const char *counter)
{
    for (unsigned i = 0; row && i < row->n_counters; i++)
        if (strcmp(row->counters[i].name, counter) == 0)
            return &row->counters[i];
    return NULL;
}

double bo_run_counter(const struct bo_run_row *row, const char *counter)
{
    const struct bo_row_values *found = bo_values_of(row, counter);
    if (!found)
        return NAN;
    double *values = bo_or_abort(malloc(row->n * sizeof *values));
    size_t n = 0;
    for (unsigned i = 0; i < row->n; i++)
        if (!isnan(found->values[i]))
            values[n++] = found->values[i];
    const double median = bo_median(values, n);
    free(values);
    return median;
}

const char *bo_run_refusal(const struct bo_run_codec *codec)
{
    return codec->has_bytes ? NULL : bo_refusal_in(codec->size->status);
}

bool bo_same_encoding(const struct bo_run_codec *a, const struct bo_run_codec *b)
{
    return strcmp(a->reads ? a->reads : a->name, b->reads ? b->reads : b->name) == 0;
}

char *bo_named_with_role(struct bo_arena *arena, const struct bo_run_codec *codec)
{
    return codec ? bo_arena_printf(arena, "%s (%s)", codec->name, codec->role)
                 : bo_arena_printf(arena, "nothing");
}

/* ---- finding --------------------------------------------------------------------------------- */

static uint64_t first_bytes(const struct bo_run_document *document)
{
    return document->n_codecs ? document->codecs[0].bytes : 0;
}

const struct bo_run_document *bo_run_document(const struct bo_run *run, const char *format,
                                              const char *document)
{
    const struct bo_run_document *found = NULL;
    for (size_t i = 0; i < run->n_documents; i++) {
        const struct bo_run_document *d = &run->documents[i];
        if (strcmp(d->format, format) != 0 || (document && strcmp(d->name, document) != 0) ||
            (!document && d->scale))
            continue;
        if (!found || (found->held_out && !d->held_out) ||
            (found->held_out == d->held_out && first_bytes(d) > first_bytes(found)))
            found = d;
    }
    return found;
}

const struct bo_run_codec *bo_run_codec(const struct bo_run_document *document, const char *codec)
{
    for (unsigned i = 0; i < document->n_codecs; i++)
        if (strcmp(document->codecs[i].name, codec) == 0)
            return &document->codecs[i];
    return NULL;
}

struct bo_run_document *bo_document_with(const struct bo_run_document *document,
                                         bool wanted(const struct bo_run_codec *codec, void *arg),
                                         void *arg, struct bo_arena *arena)
{
    struct bo_run_document *copy = bo_array_or_abort(arena, 1, sizeof *copy);
    *copy = *document;
    copy->codecs = bo_array_or_abort(arena, document->n_codecs, sizeof *copy->codecs);
    copy->n_codecs = 0;
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (wanted(&document->codecs[c], arg))
            copy->codecs[copy->n_codecs++] = document->codecs[c];
    return copy;
}

const struct bo_run_row *bo_run_row(const struct bo_run_document *document,
                                    const struct bo_run_codec *codec, const char *label)
{
    for (unsigned l = 0; codec && label && l < document->n_labels; l++)
        if (strcmp(document->labels[l], label) == 0)
            return codec->rows[l];
    return NULL;
}

/* The document's label that is the first n bytes of `name`, or NULL. */
static const char *label_called(const struct bo_run_document *document, const char *name, size_t n)
{
    for (unsigned l = 0; l < document->n_labels; l++)
        if (strlen(document->labels[l]) == n && strncmp(document->labels[l], name, n) == 0)
            return document->labels[l];
    return NULL;
}

/* True when the variant measures the same as the unchanged codec. */
static bool is_same(const struct bo_run_document *document, const struct bo_run_codec *codec,
                    enum bo_run_variant variant)
{
    if (variant == BO_PORTABLE)
        return strcmp(codec->path, bo_cpu_path(0)) == 0;
    if (variant == BO_HUGE)
        return false;
    const struct bo_format *format = bo_find_format(document->format);
    const struct bo_codec *known = format ? bo_find_codec(format, codec->name) : NULL;
    return known && !known->keeps;
}

const struct bo_run_row *bo_run_variant_row(const struct bo_run_document *document,
                                            const struct bo_run_codec *codec,
                                            enum bo_run_variant variant, const char *label)
{
    if (!codec || variant >= BO_N_RUN_VARIANTS)
        return NULL;
    const struct bo_run_row *const *rows = codec->variants[variant];
    for (unsigned l = 0; rows && l < document->n_labels; l++)
        if (strcmp(document->labels[l], label) == 0)
            return rows[l];
    return variant == BO_AS_IS || (!rows && is_same(document, codec, variant))
               ? bo_run_row(document, codec, label)
               : NULL;
}

const struct bo_run_row *bo_run_next_row(const struct bo_run_document *document,
                                         const struct bo_run_codec *codec, unsigned *at)
{
    const struct bo_run_row *found = NULL;
    for (; !found && *at < BO_N_RUN_VARIANTS * document->n_labels; (*at)++) {
        const unsigned variant = *at / document->n_labels;
        const struct bo_run_row *const *rows =
            variant == BO_AS_IS ? codec->rows : codec->variants[variant];
        found = rows ? rows[*at % document->n_labels] : NULL;
    }
    return found;
}

char *bo_run_row_codec(const struct bo_run_row *row, struct bo_arena *arena)
{
    return bo_arena_printf(arena, "%s%s", row->codec,
                           row->variant < BO_N_RUN_VARIANTS ? bo_variants[row->variant].suffix
                                                            : "");
}

const char *bo_run_main_label(const struct bo_run_document *document)
{
    const struct bo_format_report *notes = bo_report_of(document->format);
    const char *names = notes && notes->main_label ? notes->main_label : "";
    for (size_t n; *names; names += n + strspn(names + n, " ")) {
        n = strcspn(names, " ");
        const char *label = label_called(document, names, n);
        if (label)
            return label;
    }
    for (unsigned l = 0; l < document->n_labels; l++)
        if (bo_is_query(document->labels[l]))
            return document->labels[l];
    return NULL;
}

bool bo_is_whole_label(const struct bo_run_document *document, const char *label)
{
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (!isnan(bo_run_counter(bo_run_row(document, &document->codecs[c], label),
                                  "units_per_query")))
            return true;
    return false;
}

bool bo_is_fresh_label(const struct bo_run_document *document, const char *label)
{
    char name[128];
    const struct bo_format *format = bo_find_format(document->format);
    const char *slash = strchr(label, '/');
    if (!format || !slash)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(slash - label), label);
    const struct bo_query_kind *kind = bo_find_kind(format, name);
    const struct bo_workload *workload = kind ? bo_find_workload(kind, slash + 1) : NULL;
    return workload && workload->fresh;
}

bool bo_is_unpacked(const struct bo_run_document *document, const struct bo_run_codec *codec,
                    const char *label)
{
    return label && bo_is_query(label) && !bo_is_fresh_label(document, label) &&
           strcmp(codec->access, bo_access_name(BO_WHOLE)) == 0;
}

char *bo_codec_cell(struct bo_arena *arena, const struct bo_run_codec *codec)
{
    return bo_arena_printf(arena, "%s%s%s", codec->name, codec->probabilistic ? " (~)" : "",
                           codec->leaves_out ? " (<)" : "");
}

unsigned bo_ranked_codecs(const struct bo_run_document *document, struct bo_arena *arena,
                          const struct bo_run_codec ***codecs_ret)
{
    const struct bo_run_codec **codecs =
        bo_array_or_abort(arena, document->n_codecs, sizeof *codecs);
    unsigned n = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned c = 0; c < document->n_codecs; c++)
            if (!document->codecs[c].is_noop && document->codecs[c].probabilistic == (pass == 1))
                codecs[n++] = &document->codecs[c];
    *codecs_ret = codecs;
    return n;
}

#define PROBABILISTIC_NOTE                                                            \
    "(~): answers for absent keys may be wrong, with a probability that the codec's " \
    "specification states. Such a codec is ranked only among codecs of this kind."
#define LEAVES_OUT_NOTE                                                                         \
    "(<): this codec does not store all of the document, and was measured on the part that "    \
    "it stores. The first difference from the document: %s. Such a codec is never a pick, and " \
    "has a Pareto front among codecs of this kind."

/* "nbytes (members); guid (fingerprint-32, perfect-hash-32)": what is missing; NULL: nothing. */
static char *omissions(const struct bo_run_document *document, struct bo_arena *arena)
{
    const struct bo_run_codec *codecs = document->codecs;
    const unsigned n = document->n_codecs;
    bool *is_listed = bo_array_or_abort(arena, n, sizeof *is_listed);
    char *text = NULL;
    for (unsigned c = 0; c < n; c++) {
        const char *before = " (";
        if (!codecs[c].leaves_out || is_listed[c])
            continue;
        text = bo_arena_printf(arena, "%s%s%s", text ? text : "", text ? "; " : "",
                               codecs[c].leaves_out);
        for (unsigned i = c; i < n; i++) {
            if (!codecs[i].leaves_out || strcmp(codecs[i].leaves_out, codecs[c].leaves_out) != 0)
                continue;
            text = bo_arena_printf(arena, "%s%s%s", text, before, codecs[i].name);
            before = ", ";
            is_listed[i] = true;
        }
        text = bo_arena_printf(arena, "%s)", text);
    }
    return text;
}

const char *bo_mark_note(const struct bo_run_document *document, struct bo_arena *arena)
{
    const char *omitted = omissions(document, arena);
    bool probabilistic = false;
    for (unsigned c = 0; c < document->n_codecs; c++)
        probabilistic = probabilistic || document->codecs[c].probabilistic;
    if (!probabilistic && !omitted)
        return NULL;
    const char *text = probabilistic ? PROBABILISTIC_NOTE : "";
    return omitted ? bo_arena_printf(arena, "%s%s" LEAVES_OUT_NOTE, text, probabilistic ? " " : "",
                                     omitted)
                   : text;
}

const char *bo_pair_text(const struct bo_pairs *pairs, const char *name)
{
    for (unsigned i = 0; i < pairs->n; i++)
        if (pairs->items[i].text && strcmp(pairs->items[i].name, name) == 0)
            return pairs->items[i].text;
    return NULL;
}

double bo_pair_number(const struct bo_pairs *pairs, const char *name)
{
    for (unsigned i = 0; i < pairs->n; i++)
        if (!pairs->items[i].text && strcmp(pairs->items[i].name, name) == 0)
            return pairs->items[i].number;
    return NAN;
}

char *bo_counts_text(const struct bo_pairs *counts, struct bo_arena *arena)
{
    char *text = bo_arena_printf(arena, "%s", "");
    for (unsigned i = 0; i < counts->n; i++)
        text = bo_arena_printf(arena, "%s%s%.0f %s", text, i ? ", " : "", counts->items[i].number,
                               counts->items[i].name);
    return text;
}

const char *bo_environment_fact(const struct bo_environment *environment, const char *name)
{
    const char *text = bo_pair_text(&environment->facts, name);
    return text ? text : "unknown";
}

double bo_environment_number(const struct bo_environment *environment, const char *name)
{
    return bo_pair_number(&environment->facts, name);
}

char *bo_shard_text(const struct bo_environment *environment, struct bo_arena *arena)
{
    const struct bo_pairs *shard = &environment->shard;
    return shard->n ? bo_arena_printf(arena, "shard %.0f of %.0f", bo_pair_number(shard, "shard"),
                                      bo_pair_number(shard, "of"))
                    : NULL;
}

const char *bo_parts_note(const struct bo_run *run)
{
    if (run->n_parts < 2)
        return NULL;
    return "Sizes, memory and pages are exact on every machine, except the pages of codecs that "
           "hash names with a random seed. All times of a document are from one machine and one "
           "run. Times of different documents may be from different machines or runs, so only "
           "their ratios are compared.";
}

const struct bo_format_report *bo_report_of(const char *format)
{
    const struct bo_format *found = bo_find_format(format);
    return found ? found->report : NULL;
}

const char *bo_run_depth(const struct bo_run *run)
{
    static const char *const filters[] = {"codec", "kind", "workload"};
    const struct bo_pairs *options = &run->environment.options;
    const char *depth = bo_pair_text(options, "depth");
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (bo_pair_text(options, filters[i]))
            return "selected";
    if (bo_pair_number(options, "quick") == 1)
        return "quick";
    return depth ? depth : "full";
}

bool bo_run_selects_documents(const struct bo_run *run)
{
    return bo_pair_number(&run->environment.options, "corpus") == 1;
}

unsigned bo_run_repetitions(const struct bo_run_document *document, unsigned *least_ret)
{
    unsigned most = 0;
    *least_ret = UINT_MAX;
    for (unsigned c = 0; c < document->n_codecs; c++)
        for (unsigned l = 0; l < document->n_labels; l++) {
            const struct bo_run_row *row = document->codecs[c].rows[l];
            if (!row || row->n == 0 || row->failure)
                continue;
            *least_ret = row->n < *least_ret ? row->n : *least_ret;
            most = row->n > most ? row->n : most;
        }
    return most;
}

bool bo_run_measured(const struct bo_run *run, const char *format, bool scale)
{
    for (size_t d = 0; d < run->n_documents; d++)
        if (run->documents[d].scale == scale && strcmp(run->documents[d].format, format) == 0)
            return true;
    return false;
}
