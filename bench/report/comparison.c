/* Comparisons. */
#include "bench/report/comparison.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/front.h"
#include "bench/report/fuzz.h"
#include "bench/report/paths.h"

/* ---- labels ---------------------------------------------------------------------------------- */

bool bo_label_wanted(struct bo_label_filter *filter, const char *label)
{
    const char *slash = strchr(label, '/');
    char kind[BO_MAX_NAME];
    snprintf(kind, sizeof kind, "%.*s", slash ? (int)(slash - label) : (int)strlen(label), label);
    const bool has_kind = bo_filter_allows(&filter->kinds, kind);
    return (slash ? bo_filter_allows(&filter->workloads, slash + 1) : filter->workloads.n == 0) &&
           has_kind;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* The larger distance of the interval's ends from the median, in percent of it. */
static double spread_percent(const struct bo_run_row *row)
{
    const double below = row->median_ns - row->interval.low;
    const double above = row->interval.high - row->median_ns;
    return row->median_ns > 0 ? 100 * fmax(below, above) / row->median_ns : 0;
}

char *bo_time_cell(struct bo_arena *arena, const struct bo_run_row *row, struct bo_time_unit unit,
                   enum bo_detail detail)
{
    if (row && row->failure)
        return bo_arena_printf(arena, "failed");
    if (!row || row->n == 0)
        return bo_arena_printf(arena, "-");
    const char *median = bo_significant(arena, row->median_ns / unit.ns);
    const bool has_interval = !isnan(row->interval.low);
    if (detail == BO_WITH_PERCENT && has_interval)
        return bo_arena_printf(arena, "%s +-%.0f%%", median, ceil(spread_percent(row)));
    char *text = bo_arena_printf(arena, "%s", median);
    if (detail != BO_WITH_PERCENT && has_interval)
        text = bo_arena_printf(arena, "%s [%s, %s]", median,
                               bo_significant(arena, row->interval.low / unit.ns),
                               bo_significant(arena, row->interval.high / unit.ns));
    const double p10 = bo_run_counter(row, "p10_ns"), p90 = bo_run_counter(row, "p90_ns");
    if (detail != BO_WITH_SPREAD || isnan(p10) || isnan(p90))
        return text;
    return bo_arena_printf(arena, "%s (%s-%s)", text, bo_significant(arena, p10 / unit.ns),
                           bo_significant(arena, p90 / unit.ns));
}

struct bo_time_unit bo_column_unit(const struct bo_run_document *document, unsigned label)
{
    double ns = NAN;
    for (unsigned c = 0; c < document->n_codecs && isnan(ns); c++)
        if (document->codecs[c].rows[label])
            ns = document->codecs[c].rows[label]->median_ns;
    return bo_time_unit_for(ns);
}

/* The codec's bytes over those of the document's baseline; NaN where one of them is unknown. */
static double bytes_ratio(const struct bo_run_document *document, const struct bo_run_codec *codec)
{
    const struct bo_run_codec *baseline = document->baseline;
    return codec->has_bytes && baseline && baseline->has_bytes && baseline->bytes
               ? (double)codec->bytes / (double)baseline->bytes
               : NAN;
}

char *bo_ratio_cell(struct bo_arena *arena, const struct bo_run_document *document,
                    const struct bo_run_codec *codec)
{
    return bo_fixed(arena, bytes_ratio(document, codec), 3);
}

char *bo_per_unit_cell(struct bo_arena *arena, const struct bo_run_document *document,
                       const struct bo_run_codec *codec)
{
    const double bytes = codec->has_bytes ? (double)codec->bytes : NAN;
    return bo_fixed(arena, bytes / (double)document->n_units, 2);
}

char *bo_singular(struct bo_arena *arena, const char *plural)
{
    const int n = (int)strlen(plural);
    if (n > 3 && strcmp(plural + n - 3, "ies") == 0)
        return bo_arena_printf(arena, "%.*sy", n - 3, plural);
    return bo_arena_printf(arena, "%.*s", n > 1 && plural[n - 1] == 's' ? n - 1 : n, plural);
}

char *bo_unit_text(struct bo_arena *arena, const struct bo_run_document *document)
{
    return bo_singular(arena, document->unit ? document->unit : "units");
}

/* "-" before a codec's first byte, and if it cannot hold the document; "failed" when it failed. */
static char *bytes_cell(struct bo_arena *arena, const struct bo_run_codec *codec)
{
    if (codec->has_bytes)
        return bo_arena_printf(arena, "%" PRIu64, codec->bytes);
    return bo_arena_printf(
        arena, strcmp(codec->size->status, "ok") != 0 && !bo_run_refusal(codec) ? "failed" : "-");
}

/* ---- the memory of an operation -------------------------------------------------------------- */

const struct bo_memory_measure bo_memory_measures[] = {
    {"encode", "encode_peak_bytes", "encode peak"},
    {"encode", "encode_scratch_bytes", "encode scratch"},
    {"decode", "decode_peak_bytes", "decode peak"},
    {"merge", "merge_peak_bytes", "merge peak"},
    {"open", "open_bytes_allocated", "open allocates"},
    {NULL, NULL, NULL},
};

static bool has_label(const struct bo_run_document *document, struct bo_label_filter *filter,
                      const char *label)
{
    for (unsigned l = 0; l < document->n_labels; l++)
        if (strcmp(document->labels[l], label) == 0)
            return bo_label_wanted(filter, label);
    return false;
}

/* The first wanted query label, whose pages are shown. */
static const char *pages_label(const struct bo_run_document *document,
                               struct bo_label_filter *filter)
{
    for (unsigned l = 0; l < document->n_labels; l++)
        if (bo_is_query(document->labels[l]) && bo_label_wanted(filter, document->labels[l]))
            return document->labels[l];
    return NULL;
}

/* ---- for people ------------------------------------------------------------------------------ */

static double sound_median(const struct bo_run_row *row)
{
    return row && !row->failure ? row->median_ns : NAN;
}

/* Adds a cell with its value. */
static void add_valued(struct bo_grid *grid, const char *heading, const char *text, double v)
{
    bo_grid_column(grid, heading, text);
    bo_grid_value(grid, v);
}

/*
 * True when a table has a column of paths: if the run recorded them. The caption of an RFC table
 * has them instead.
 */
static bool shows_paths(const struct bo_run_document *document, enum bo_detail detail)
{
    for (unsigned c = 0; c < document->n_codecs && detail != BO_WITH_PERCENT; c++)
        if (bo_runs_path(&document->codecs[c]))
            return true;
    return false;
}

/* Adds the times of the queries, or of the operations. */
static void add_times(const struct bo_run_document *document, const struct bo_run_codec *codec,
                      struct bo_label_filter *filter, bool queries, enum bo_detail detail,
                      struct bo_grid *grid)
{
    for (unsigned l = 0; l < document->n_labels; l++) {
        const char *label = document->labels[l];
        if (bo_is_query(label) != queries || !bo_label_wanted(filter, label))
            continue;
        const struct bo_time_unit unit = bo_column_unit(document, l);
        const struct bo_figure figure = {label, BO_TIME, label, NULL};
        const char *portable =
            shows_paths(document, detail)
                ? bo_portable_cell(grid->arena, document, codec, &figure, unit.ns)
                : "";
        const char *time = bo_time_cell(grid->arena, codec->rows[l], unit, detail);
        add_valued(grid, bo_arena_printf(grid->arena, "%s, %s", label, unit.name),
                   bo_arena_printf(grid->arena, "%s%s", time, portable),
                   sound_median(codec->rows[l]));
    }
}

static void add_memory(const struct bo_run_document *document, const struct bo_run_codec *codec,
                       struct bo_label_filter *filter, struct bo_grid *grid)
{
    for (const struct bo_memory_measure *m = bo_memory_measures; m->label; m++) {
        if (!has_label(document, filter, m->label))
            continue;
        const double v = bo_run_counter(bo_run_row(document, codec, m->label), m->counter);
        add_valued(grid, m->heading, bo_nbytes_text(grid->arena, v), v);
    }
}

void bo_comparison(const struct bo_run_document *document, struct bo_label_filter *filter,
                   enum bo_detail detail, struct bo_arena *arena, struct bo_grid *grid_ret)
{
    struct bo_grid *grid = grid_ret;
    bo_grid_init(grid, arena, shows_paths(document, detail) ? 4 : 3);
    const char *pages = pages_label(document, filter);
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        bo_grid_column(grid, "codec", bo_codec_cell(arena, codec));
        bo_grid_column(grid, "role", codec->role);
        bo_grid_column(grid, "access", codec->access);
        if (shows_paths(document, detail))
            bo_grid_column(grid, "path (portable C in round brackets)", codec->path);
        const double bytes = codec->has_bytes ? (double)codec->bytes : NAN;
        add_valued(grid, "bytes", bytes_cell(arena, codec), bytes);
        add_valued(grid, "ratio", bo_ratio_cell(arena, document, codec),
                   bytes_ratio(document, codec));
        add_valued(grid, bo_arena_printf(arena, "B/%s", bo_unit_text(arena, document)),
                   bo_per_unit_cell(arena, document, codec), bytes / (double)document->n_units);
        add_times(document, codec, filter, true, detail, grid);
        add_times(document, codec, filter, false, detail, grid);
        add_memory(document, codec, filter, grid);
        const double n_pages =
            pages ? bo_run_counter(bo_run_row(document, codec, pages), "touched_pages") : NAN;
        if (pages)
            add_valued(grid, bo_arena_printf(arena, "pages, %s", pages),
                       bo_significant(arena, n_pages), n_pages);
        if (document->has_survived)
            add_valued(grid, "survived", bo_executions_text(arena, codec->n_survived),
                       codec->n_survived);
        bo_grid_end_row(grid);
    }
}

/* ---- for programs ---------------------------------------------------------------------------- */

/* The columns of a label after its number of repetitions. */
static const char *const figures[] = {"median_ns", "low_ns", "high_ns", "p10_ns", "p90_ns"};
enum { N_FIGURES = sizeof figures / sizeof *figures };

static double figure_of(const struct bo_run_row *row, unsigned figure)
{
    const double values[] = {row->median_ns, row->interval.low, row->interval.high};
    return figure < 3 ? values[figure] : bo_run_counter(row, figures[figure]);
}

/* The exact counters of a label: the i-th, NULL past the last. */
static const char *counter_of(const char *label, unsigned i)
{
    if (bo_is_query(label))
        return i == 0 ? "touched_pages" : i == 1 ? "units_per_query" : NULL;
    for (const struct bo_memory_measure *m = bo_memory_measures; m->label; m++)
        if (strcmp(label, m->label) == 0 && i-- == 0)
            return m->counter;
    return NULL;
}

static char *number_cell(struct bo_arena *arena, double v)
{
    return isnan(v) ? bo_arena_printf(arena, "%s", "") : bo_arena_printf(arena, "%.9g", v);
}

/* The wanted labels of several documents, each once. */
struct labels {
    const char **names;
    size_t n, cap;
};

static void collect_labels(const struct bo_run_document *document, struct bo_label_filter *filter,
                           struct bo_arena *arena, struct labels *labels)
{
    for (unsigned l = 0; l < document->n_labels; l++) {
        const char *label = document->labels[l];
        bool known = !bo_label_wanted(filter, label);
        for (size_t i = 0; i < labels->n && !known; i++)
            known = strcmp(labels->names[i], label) == 0;
        if (known)
            continue;
        bo_abort_unless(bo_grow(arena, &labels->names, labels->n, 1, &labels->cap));
        labels->names[labels->n++] = label;
    }
}

/* Where and when a document was timed, for results of several runs. */
static const char *const timing_facts[] = {"machine", "cpu", "date"};
enum { N_TIMING_FACTS = sizeof timing_facts / sizeof *timing_facts };

static void add_raw_label(const char *label, const struct bo_run_row *row, struct bo_grid *grid)
{
    struct bo_arena *arena = grid->arena;
    const bool sound = row && row->n && !row->failure;
    bo_grid_column(grid, bo_arena_printf(arena, "%s repetitions", label),
                   bo_arena_printf(arena, "%u", row ? row->n : 0));
    for (unsigned f = 0; f < N_FIGURES; f++)
        bo_grid_column(grid, bo_arena_printf(arena, "%s %s", label, figures[f]),
                       number_cell(arena, sound ? figure_of(row, f) : NAN));
    for (unsigned i = 0; counter_of(label, i); i++)
        bo_grid_column(grid, bo_arena_printf(arena, "%s %s", label, counter_of(label, i)),
                       number_cell(arena, bo_run_counter(row, counter_of(label, i))));
}

const char *bo_first_failure(const struct bo_run_document *document,
                             const struct bo_run_codec *codec, enum bo_run_variant variant,
                             const char **label_ret)
{
    const struct bo_run_row *row;
    unsigned at = 0;
    *label_ret = NULL;
    if (strcmp(codec->size->status, "ok") != 0)
        return codec->size->status;
    while ((row = bo_run_next_row(document, codec, &at)))
        if (row->variant == variant && row->failure) {
            *label_ret = row->label;
            return row->failure;
        }
    return NULL;
}

/* One line for a codec as it ran, or for its portable path, NAME@portable. */
static void add_raw_row(const struct bo_run_document *document, const struct bo_run_codec *codec,
                        bool is_portable, const struct labels *labels, bool parts,
                        struct bo_grid *grid)
{
    struct bo_arena *arena = grid->arena;
    const enum bo_run_variant variant = is_portable ? BO_PORTABLE : BO_AS_IS;
    const char *label, *failure = bo_first_failure(document, codec, variant, &label);
    const char *reads = is_portable ? codec->name : codec->reads;
    bo_grid_column(grid, "document", document->name);
    bo_grid_column(grid, "codec",
                   bo_arena_printf(arena, "%s%s", codec->name, is_portable ? "@portable" : ""));
    bo_grid_column(grid, "role", codec->role);
    bo_grid_column(grid, "access", codec->access);
    bo_grid_column(grid, "path", is_portable ? "portable" : codec->path);
    bo_grid_column(grid, "reads", reads ? reads : "");
    bo_grid_column(grid, "bytes",
                   number_cell(arena, codec->has_bytes ? (double)codec->bytes : NAN));
    bo_grid_column(grid, "ratio", bo_ratio_cell(arena, document, codec));
    bo_grid_column(grid, "bytes_per_unit", bo_per_unit_cell(arena, document, codec));
    for (size_t l = 0; l < labels->n; l++)
        add_raw_label(labels->names[l],
                      bo_run_variant_row(document, codec, variant, labels->names[l]), grid);
    bo_grid_column(grid, "error",
                   bo_arena_printf(arena, "%s%s%s", failure && label ? label : "",
                                   failure && label ? ": " : "", failure ? failure : ""));
    for (size_t i = 0; parts && i < N_TIMING_FACTS; i++)
        bo_grid_column(grid, timing_facts[i],
                       bo_environment_fact(document->environment, timing_facts[i]));
    bo_grid_end_row(grid);
}

static void add_raw_rows(const struct bo_run_document *document, const struct labels *labels,
                         bool parts, struct bo_grid *grid)
{
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        add_raw_row(document, codec, false, labels, parts, grid);
        if (codec->variants[BO_PORTABLE])
            add_raw_row(document, codec, true, labels, parts, grid);
    }
}

void bo_comparison_raw(const struct bo_run *run, const char *format,
                       const struct bo_run_document *document, struct bo_label_filter *filter,
                       struct bo_arena *arena, struct bo_grid *grid_ret)
{
    struct labels labels = {.n = 0};
    const bool parts = bo_parts_note(run) != NULL;
    bo_grid_init(grid_ret, arena, 0);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t d = 0; d < run->n_documents; d++) {
            const struct bo_run_document *one = &run->documents[d];
            if (document ? one != document : strcmp(one->format, format) != 0)
                continue;
            if (pass == 0)
                collect_labels(one, filter, arena, &labels);
            else
                add_raw_rows(one, &labels, parts, grid_ret);
        }
    }
}

/* ---- the same as JSON ------------------------------------------------------------------------ */

json_t *bo_number_json(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *bo_counts_json(const struct bo_pairs *counts)
{
    json_t *object = json_object();
    for (unsigned i = 0; i < counts->n; i++)
        json_object_set_new(object, counts->items[i].name,
                            json_integer((json_int_t)counts->items[i].number));
    return object;
}

/* Of an encoding's own bytes; null without sections. */
static json_t *sections_json(const struct bo_run_codec *codec, const struct bo_pairs *sections)
{
    return codec->reads || !sections->n ? json_null() : bo_counts_json(sections);
}

/* The groups in which fronts are computed: see front.h. */
static const char *const front_names[] = {
    [BO_FRONT_READ_IN_PLACE] = "read in place",
    [BO_FRONT_UNPACKED] = "unpacked",
    [BO_FRONT_LEAVES_OUT] = "leaves out",
    [BO_FRONT_PROBABILISTIC] = "probabilistic",
};

static json_t *row_json(const struct bo_run_document *document, const struct bo_run_codec *codec,
                        const struct bo_run_row *row)
{
    const bool sound = row->n && !row->failure;
    json_t *object = json_pack("{s:i, s:s?, s:s}", "n", (int)row->n, "failure", row->failure,
                               "among", front_names[bo_front_kind_of(document, codec, row->label)]);
    for (unsigned f = 0; f < N_FIGURES; f++)
        json_object_set_new(object, figures[f], bo_number_json(sound ? figure_of(row, f) : NAN));
    json_object_set_new(
        object, "coverage",
        bo_number_json(sound && !isnan(row->interval.low) ? row->interval.coverage : NAN));
    for (unsigned i = 0; counter_of(row->label, i); i++)
        json_object_set_new(object, counter_of(row->label, i),
                            bo_number_json(bo_run_counter(row, counter_of(row->label, i))));
    return object;
}

static json_t *codec_json(const struct bo_run_document *document, const struct bo_run_codec *codec,
                          struct bo_label_filter *filter)
{
    const double bytes = codec->has_bytes ? (double)codec->bytes : NAN;
    const char *label, *failure = bo_first_failure(document, codec, BO_AS_IS, &label);
    json_t *rows = json_object();
    for (unsigned l = 0; l < document->n_labels; l++)
        if (codec->rows[l] && bo_label_wanted(filter, document->labels[l]))
            json_object_set_new(rows, document->labels[l],
                                row_json(document, codec, codec->rows[l]));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:b, s:s?, s:b, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:s?}",
        "name", codec->name, "role", codec->role, "access", codec->access, "path", codec->path,
        "portable", (int)bo_is_portable(document, codec), "is_path",
        (int)bo_is_path(document, codec), "reads", codec->reads, "probabilistic",
        (int)codec->probabilistic, "leaves_out", codec->leaves_out, "bytes",
        codec->has_bytes ? json_integer((json_int_t)codec->bytes) : json_null(), "ratio",
        bo_number_json(bytes_ratio(document, codec)), "bytes_per_unit",
        bo_number_json(document->n_units ? bytes / (double)document->n_units : NAN), "sections",
        sections_json(codec, &codec->size->sections), "aside",
        sections_json(codec, &codec->size->aside), "rows", rows, "failed_at",
        failure ? label : NULL, "failure", failure);
}

json_t *bo_comparison_json(const struct bo_run_document *document, struct bo_label_filter *filter)
{
    json_t *codecs = json_array();
    for (unsigned c = 0; c < document->n_codecs; c++)
        json_array_append_new(codecs, codec_json(document, &document->codecs[c], filter));
    return json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:s?, s:s?, s:s?, s:o}", "format",
                     document->format, "name", document->name, "provenance", document->provenance,
                     "xxh3", document->xxh3, "units", bo_counts_json(&document->sizes.units),
                     "unit", document->unit, "main_row", bo_run_main_label(document), "baseline",
                     document->baseline ? document->baseline->name : NULL, "codecs", codecs);
}

/* ---- failures -------------------------------------------------------------------------------- */

size_t bo_comparison_failures(const struct bo_run_document *document, struct bo_arena *arena,
                              const char ***lines_ret)
{
    /* at most one of the codec and one of each label and variant */
    const size_t n_lines = document->n_codecs * (1u + BO_N_RUN_VARIANTS * document->n_labels);
    const char **lines = bo_array_or_abort(arena, n_lines, sizeof *lines);
    size_t n = 0;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        const char *label, *failure = bo_first_failure(document, codec, BO_AS_IS, &label);
        const char *whole = label ? NULL : failure, *last = whole;
        enum bo_run_variant variant = BO_AS_IS;
        const struct bo_run_row *row;
        unsigned at = 0;
        if (bo_run_refusal(codec)) {
            lines[n++] =
                bo_arena_printf(arena, "not held by %s: %s", codec->name, bo_run_refusal(codec));
            continue;
        }
        if (whole)
            lines[n++] = bo_arena_printf(arena, "failed: %s: %s", codec->name, whole);
        while ((row = bo_run_next_row(document, codec, &at))) {
            last = row->variant == variant ? last : whole;
            variant = row->variant;
            if (!row->failure || (last && strcmp(last, row->failure) == 0))
                continue; /* the same failure again */
            last = row->failure;
            lines[n++] = bo_arena_printf(arena, "failed: %s, %s: %s", bo_run_row_codec(row, arena),
                                         row->label, last);
        }
    }
    *lines_ret = lines;
    return n;
}
