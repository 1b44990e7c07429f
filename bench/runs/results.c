/* Rows as JSON. */
#include "bench/runs/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/measure/query_batches.h"
#include "bench/runs/noise.h"
#include "bench/stats/stats.h"
#include "harness/core/cpu.h"
#include "harness/core/files.h"
#include "harness/core/hash.h"

double bo_row_median(const struct bo_bench_row *row, const char *counter)
{
    const unsigned n = row->n_times ? row->times[0].n_counters : 0;
    unsigned at = 0;
    while (counter && at < n && strcmp(row->times[0].counters[at].name, counter) != 0)
        at++;
    if (counter && at == n)
        return NAN;
    double *values = bo_or_abort(malloc((row->n_times + 1) * sizeof *values));
    for (unsigned i = 0; i < row->n_times; i++)
        values[i] = counter ? row->times[i].counters[at].value : row->times[i].real_ns;
    const double median = bo_median(values, row->n_times);
    free(values);
    return median;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* A row's place in the run. */
struct place {
    const struct bo_bench_cell *cell;
    const struct bo_bench_row *row;
    bool has_layouts; /* of the run */
};

static json_t *entry_start(const struct place *place, unsigned repetition)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i}", "name", place->row->name, "run_name",
                     place->row->name, "run_type", "iteration", "repetitions",
                     (int)place->row->n_times, "threads", 1, "repetition_index", (int)repetition);
}

/* A count as an integer, with all its digits; any other value as a real. */
static json_t *number_json(double v)
{
    return v == floor(v) && fabs(v) < 9007199254740992.0 ? json_integer((json_int_t)v)
                                                         : json_real(v);
}

/* Counters that hold for every repetition: the payload's size, and the row's exact ones. */
static void add_exact(json_t *entry, const struct place *place)
{
    const struct bo_payload *payload = place->cell->payload;
    if (payload->ready)
        json_object_set_new(entry, "bytes", json_integer((json_int_t)payload->counted_nbytes));
    for (unsigned i = 0; i < place->row->exact.n_counters; i++)
        json_object_set_new(entry, place->row->exact.counters[i].name,
                            number_json(place->row->exact.counters[i].value));
}

/* How the row was measured, if the codec has several variants. */
static void add_variant(json_t *entry, const struct place *place)
{
    const struct bo_codec *codec = place->cell->codec;
    const struct bo_variant *variant = place->cell->variant;
    if (codec->paths)
        json_object_set_new(entry, "path",
                            json_string(bo_cpu_path(variant->portable ? 0 : codec->paths)));
    if (variant->keep_nbytes != SIZE_MAX)
        json_object_set_new(entry, "keep_bytes", json_integer((json_int_t)variant->keep_nbytes));
}

static void add_iteration(json_t *entries, const struct place *place, unsigned repetition)
{
    const struct bo_record *record = &place->row->times[repetition];
    json_t *entry = entry_start(place, repetition);
    json_object_set_new(entry, "iterations", json_integer((json_int_t)record->iterations));
    json_object_set_new(entry, "real_time", json_real(record->real_ns));
    json_object_set_new(entry, "cpu_time", json_real(record->cpu_ns));
    json_object_set_new(entry, "time_unit", json_string("ns"));
    if (place->has_layouts)
        json_object_set_new(entry, "layout", json_integer((json_int_t)record->layout));
    add_variant(entry, place);
    for (unsigned i = 0; i < record->n_counters; i++)
        json_object_set_new(entry, record->counters[i].name,
                            number_json(record->counters[i].value));
    add_exact(entry, place);
    json_array_append_new(entries, entry);
}

static void add_failure(json_t *entries, const struct place *place)
{
    json_t *entry = entry_start(place, place->row->n_times);
    json_object_set_new(entry, "error_occurred", json_true());
    json_object_set_new(entry, "error_message", json_string(place->row->failure));
    json_array_append_new(entries, entry);
}

static void add_rows(json_t *entries, const struct bo_plan *plan, bool has_layouts)
{
    struct place place = {.has_layouts = has_layouts};
    for (unsigned c = 0; c < plan->n_cells; c++) {
        place.cell = &plan->cells[c];
        for (unsigned r = 0; r < place.cell->n_rows; r++) {
            place.row = &place.cell->rows[r];
            for (unsigned i = 0; i < place.row->n_times; i++)
                add_iteration(entries, &place, i);
            if (place.row->failure[0])
                add_failure(entries, &place);
        }
    }
}

const char *const bo_exact_counters[] = {"touched_pages",
                                         "open_bytes_allocated",
                                         "encode_peak_bytes",
                                         "encode_scratch_bytes",
                                         "decode_peak_bytes",
                                         "merge_peak_bytes",
                                         NULL};

/* ---- texts ----------------------------------------------------------------------------------- */

struct bo_results {
    json_t *context;
    struct bo_memory_file entries; /* of the documents so far, a line for each */
};

enum { JSON_FLAGS = JSON_REAL_PRECISION(7) };

static void put_text(const struct bo_memory_file *file, FILE *out)
{
    const struct bo_span text = bo_memory_bytes(file);
    fwrite(text.p, 1, text.n, out);
}

/* Adds entries with the separator before each. */
static void add_entries(struct bo_results *results, const json_t *entries)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(entries, i, entry)
    {
        fputs(ftell(results->entries.out) ? ",\n" : "\n", results->entries.out);
        json_dumpf(entry, results->entries.out, JSON_FLAGS);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* True when the document is a user's file and not part of the corpora. */
static bool is_users_file(const struct bo_document *document)
{
    return strcmp(document->provenance, document->path) == 0;
}

/*
 * The names of the sets without queries because an answer is too large if `too_large`, else because
 * the document has no input for them.
 */
static json_t *empty_sets(const struct bo_bench_document *on, bool too_large)
{
    json_t *names = json_array();
    for (unsigned s = 0; s < on->n_sets; s++)
        if (on->sets[s].n == 0 && on->sets[s].too_large == too_large)
            json_array_append_new(names, json_string(on->sets[s].label));
    return names;
}

/*
 * Identifies the queries of each label by a hash of the right answers and their number. Builds that
 * draw other queries are not comparable.
 */
static json_t *query_sets_json(const struct bo_bench_document *on)
{
    json_t *query_set = json_object();
    for (unsigned s = 0; s < on->n_sets; s++) {
        const struct bo_query_set *set = &on->sets[s];
        if (set->n)
            json_object_set_new(
                query_set, set->label,
                json_sprintf("%zu answers, %016" PRIx64, set->n,
                             bo_hash((struct bo_span){set->answers, set->answers_nbytes})));
    }
    return query_set;
}

/*
 * Adds to a document's sizes its origin, and the workloads that could not be run. A user's file is
 * named without its folder, since results are shared.
 */
static void add_provenance(json_t *sizes, const struct bo_bench_document *on)
{
    const struct bo_document *d = on->document;
    const bool is_users = is_users_file(d);
    json_t *more =
        json_pack("{s:s, s:s*, s:s, s:b, s:b, s:o*, s:s*, s:o, s:I, s:o, s:o, s:o}", "format",
                  d->format->name, "file", is_users ? basename(d->path) : NULL, "provenance",
                  is_users ? "a file of the user's" : d->provenance, "embedded", d->embedded,
                  "scale", d->scale, "held_out", d->held_out ? json_true() : NULL, "sealed",
                  *d->sealed ? d->sealed : NULL, "xxh3", json_sprintf("%016" PRIx64, d->hash),
                  "text_bytes", (json_int_t)on->text_nbytes, "questions", query_sets_json(on),
                  "not_asked", empty_sets(on, false), "too_large", empty_sets(on, true));
    json_object_update_new(sizes, more);
}

/* Results with this context and no document. */
static struct bo_results *make_results(json_t *context)
{
    struct bo_results *results = bo_or_abort(calloc(1, sizeof *results));
    results->context = context;
    bo_memory_open(&results->entries);
    return results;
}

struct bo_results *bo_results_start(const struct bo_bench_options *options, json_t *context)
{
    json_t *ours = json_object_get(context, "bakeoff");
    json_object_set_new(ours, "rounds", json_integer((json_int_t)options->rounds));
    json_object_set_new(ours, "min_time_s", json_real(options->min_time_s));
    json_object_set_new(ours, "pages_sample", json_integer(BO_PAGES_SAMPLE));
    json_object_set_new(ours, "timeout_s", json_integer((json_int_t)options->timeout_s));
    json_object_set_new(ours, "seeds",
                        json_pack("{s:i, s:I}", "queries", BO_QUERY_SEED, "order",
                                  (json_int_t)options->order_seed));
    json_object_set_new(ours, "documents", json_array());
    return make_results(context);
}

struct bo_results *bo_results_of(const json_t *json)
{
    struct bo_results *results = make_results(json_incref(json_object_get(json, "context")));
    add_entries(results, json_object_get(json, "benchmarks"));
    return results;
}

json_t *bo_results_context(const struct bo_results *results)
{
    return results->context;
}

void bo_results_free(struct bo_results *results)
{
    if (!results)
        return;
    bo_memory_free(&results->entries);
    json_decref(results->context);
    free(results);
}

/* A/A comparisons and the size of the layout effect, by query kind and operation. */
static void add_noise(json_t *document, json_t *entries)
{
    struct bo_run run;
    const char *format = json_string_value(json_object_get(document, "format"));
    const char *name = json_string_value(json_object_get(document, "name"));
    json_t *alone = json_pack("{s:{s:{s:[O]}}, s:O}", "context", "bakeoff", "documents", document,
                              "benchmarks", entries);
    if (bo_run_take(alone, "results", &run))
        json_object_set_new(document, "noise", bo_noise_json(&run, format, name));
    bo_run_free(&run);
}

static json_t *ours_of(const json_t *context)
{
    return json_object_get(context, "bakeoff");
}

void bo_results_add(struct bo_results *results, const struct bo_plan *plan, json_t *sizes)
{
    json_t *ours = ours_of(results->context), *entries = json_array();
    add_provenance(sizes, plan->on);
    json_array_append_new(json_object_get(ours, "documents"), sizes);
    add_rows(entries, plan, json_object_get(ours, "layouts") != NULL);
    add_noise(sizes, entries);
    add_entries(results, entries);
    json_decref(entries);
}

/* ---- partial results ------------------------------------------------------------------------- */

/* "pcdata/go-cmd 0123456789abcdef" of each document. */
static json_t *list_json(const struct bo_documents *documents)
{
    json_t *list = json_array();
    for (size_t i = 0; i < documents->n; i++) {
        const struct bo_document *d = &documents->items[i];
        json_array_append_new(list,
                              json_sprintf("%s/%s %016" PRIx64, d->format->name, d->name, d->hash));
    }
    return list;
}

void bo_results_mark(json_t *context, const struct bo_documents *all)
{
    json_t *ours = ours_of(context), *documents = json_object_get(ours, "documents"), *document;
    size_t i, n_complete = 0;
    json_array_foreach(documents, i, document) n_complete +=
        !json_object_get(document, "complete_rounds");
    if (n_complete == all->n)
        json_object_del(ours, "partial");
    else
        json_object_set_new(ours, "partial",
                            json_pack("{s:i, s:i, s:o}", "measured", (int)n_complete, "of",
                                      (int)all->n, "documents", list_json(all)));
}

/* True when "format/codec/document/label" is of format/document. */
static bool is_row_of(const char *name, const char *format, const char *document)
{
    const size_t n_format = strlen(format), n_document = strlen(document);
    if (strncmp(name, format, n_format) != 0 || name[n_format] != '/')
        return false;
    const char *slash = strchr(name + n_format + 1, '/');
    return slash && strncmp(slash + 1, document, n_document) == 0 && slash[1 + n_document] == '/';
}

static void remove_rows(json_t *entries, const char *format, const char *document)
{
    for (size_t i = json_array_size(entries); i-- > 0;)
        if (is_row_of(json_string_value(json_object_get(json_array_get(entries, i), "run_name")),
                      format, document))
            json_array_remove(entries, i);
}

/* The first of `keys` (ends with NULL) whose values differ; NULL when none does. */
static const char *first_difference(const json_t *a, const json_t *b, const char *const *keys)
{
    for (; *keys; keys++) {
        const json_t *x = json_object_get(a, *keys), *y = json_object_get(b, *keys);
        if ((x || y) && !json_equal(x, y))
            return *keys;
    }
    return NULL;
}

static char *value_text(const json_t *object, const char *key)
{
    char *text = json_dumps(json_object_get(object, key), JSON_ENCODE_ANY | JSON_COMPACT);
    return text ? text : strdup("nothing");
}

bool bo_results_resume(const char *path, json_t *json, const struct bo_documents *all,
                       struct bo_results **results)
{
    static const char *const keys[] = {
        "machine", "cpu",     "processor", "paths",  "libraries", "optional_codecs", "program_xxh3",
        "flags",   "options", "shard",     "rounds", "layouts",   "plugins",         NULL};
    json_t *ours = ours_of(json_object_get(json, "context")), *fresh = ours_of((*results)->context);
    json_t *list = list_json(all), *documents = json_object_get(ours, "documents");
    const bool same_documents =
        json_equal(list, json_object_get(json_object_get(ours, "partial"), "documents"));
    json_decref(list);
    const char *key = first_difference(ours, fresh, keys);
    if (key) {
        char *was = value_text(ours, key), *is = value_text(fresh, key);
        fprintf(stderr, "bakeoff: %s: cannot be resumed: its %s is %s, this run's is %s\n", path,
                key, was, is);
        free(was);
        free(is);
        return false;
    }
    if (!same_documents) {
        fprintf(stderr, "bakeoff: %s: cannot be resumed: its documents differ from this run's\n",
                path);
        return false;
    }
    for (size_t i = json_array_size(documents); i-- > 0;) {
        const json_t *document = json_array_get(documents, i);
        if (!json_object_get(document, "complete_rounds"))
            continue;
        remove_rows(json_object_get(json, "benchmarks"),
                    json_string_value(json_object_get(document, "format")),
                    json_string_value(json_object_get(document, "name")));
        json_array_remove(documents, i);
    }
    bo_results_free(*results);
    *results = bo_results_of(json);
    return true;
}

bool bo_results_have(const struct bo_results *results, const struct bo_document *document)
{
    const json_t *known;
    size_t i;
    json_array_foreach(json_object_get(ours_of(results->context), "documents"), i, known)
    {
        const char *format = json_string_value(json_object_get(known, "format"));
        const char *name = json_string_value(json_object_get(known, "name"));
        if (strcmp(format, document->format->name) == 0 && strcmp(name, document->name) == 0)
            return true;
    }
    return false;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void print_results(const void *context, FILE *out)
{
    const struct bo_results *results = context;
    fputs("{\"context\": ", out);
    json_dumpf(results->context, out, JSON_FLAGS | JSON_INDENT(1));
    fputs(",\n\"benchmarks\": [", out);
    put_text(&results->entries, out);
    fputs("\n]}\n", out);
}

bool bo_results_save(const char *path, const struct bo_results *results)
{
    return bo_output_printed(path, print_results, results);
}

json_t *bo_results_json(const struct bo_results *results)
{
    struct bo_memory_file file;
    print_results(results, bo_memory_open(&file));
    const struct bo_span text = bo_memory_bytes(&file);
    json_t *json = json_loadb((const char *)text.p, text.n, 0, NULL);
    bo_memory_free(&file);
    return json;
}
