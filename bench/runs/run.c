/* Reading results. */
#include "bench/runs/run.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/machine.h"
#include "bench/measure/noop.h"
#include "bench/measure/plan.h"
#include "bench/stats/stats.h"
#include "harness/core/input.h"
#include "harness/core/print.h"
#include "harness/format_report.h"
#include "harness/registry.h"

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

bool bo_is_query(const char *label)
{
    return strchr(label, '/') != NULL;
}

/* The report has no memory budget: it ends where the system refuses memory. */
static void must(bool has_grown)
{
    if (!has_grown)
        abort();
}

static void *array_of(struct bo_arena *arena, size_t n, size_t size)
{
    void *array = bo_zalloc_array(arena, n ? n : 1, size);
    if (!array)
        abort();
    return array;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Cuts "format/codec/document/label" at its first three slashes. */
static bool split_name(struct bo_run *run, const char *name, struct bo_run_row *row)
{
    char *text = bo_arena_printf(&run->arena, "%s", name);
    const char **const parts[] = {&row->format, &row->codec, &row->document};
    for (size_t i = 0; i < 3; i++) {
        char *slash = strchr(text, '/');
        if (!slash || slash == text)
            return false;
        *slash = 0;
        *parts[i] = text;
        text = slash + 1;
    }
    row->label = text;
    return *text != 0;
}

/*
 * Where rows are found while they are read: a run may have a million. Values are places in
 * run->rows.
 */
struct row_index {
    json_t *by_name;     /* "format/codec/document/label" to a place */
    json_t *by_document; /* "format/document" to an array of places */
    size_t cap;          /* room in run->rows */
};

static char *document_key(struct bo_run *run, const char *format, const char *document)
{
    return bo_arena_printf(&run->arena, "%s/%s", format, document);
}

static void index_row(struct bo_run *run, struct row_index *index, const char *name)
{
    const struct bo_run_row *row = &run->rows[run->n_rows];
    const char *key = document_key(run, row->format, row->document);
    json_t *places = json_object_get(index->by_document, key);
    if (!places)
        json_object_set_new(index->by_document, key, places = json_array());
    json_object_set_new(index->by_name, name, json_integer((json_int_t)run->n_rows));
    json_array_append_new(places, json_integer((json_int_t)run->n_rows));
}

/* The row that an entry belongs to; NULL when its name is none of ours. */
static struct bo_run_row *row_of(struct bo_run *run, const char *name, struct row_index *index)
{
    const json_t *place = json_object_get(index->by_name, name);
    struct bo_run_row row = {.n = 0};
    if (place)
        return &run->rows[json_integer_value(place)];
    if (!split_name(run, name, &row))
        return NULL;
    must(bo_grow(&run->arena, &run->rows, run->n_rows, 1, &index->cap));
    run->rows[run->n_rows] = row;
    index_row(run, index, name);
    return &run->rows[run->n_rows++];
}

static bool read_entry(struct bo_run *run, const json_t *entry, struct row_index *index)
{
    const char *type = string_of(entry, "run_type"), *name = string_of(entry, "run_name");
    if (!type || strcmp(type, "iteration") != 0)
        return type != NULL;
    struct bo_run_row *row = name ? row_of(run, name, index) : NULL;
    if (!row)
        return false;
    if (json_is_true(json_object_get(entry, "error_occurred"))) {
        const char *message = string_of(entry, "error_message");
        row->failure = message ? message : "failed";
        return true;
    }
    must(bo_grow(&run->arena, &row->repetitions, row->n, 1, &row->cap));
    row->repetitions[row->n++] = entry;
    return json_is_number(json_object_get(entry, "real_time"));
}

/* The numbers under `key` in a row's repetitions, sorted; how many have it. */
static size_t sorted_values(const struct bo_run_row *row, const char *key, double *values)
{
    size_t n = 0;
    for (unsigned i = 0; i < row->n; i++) {
        const json_t *value = json_object_get(row->repetitions[i], key);
        if (json_is_number(value))
            values[n++] = json_number_value(value);
    }
    bo_sort_doubles(values, n);
    return n;
}

static void summarise(struct bo_run *run, struct bo_run_row *row)
{
    double *times = array_of(&run->arena, row->n, sizeof *times);
    const size_t n = sorted_values(row, "real_time", times);
    row->median_ns = n ? bo_percentile(times, n, 0.5) : NAN;
    row->interval =
        n ? bo_median_interval(times, n, BO_CONFIDENCE) : (struct bo_interval){NAN, NAN, 0};
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

double bo_run_counter(const struct bo_run_row *row, const char *counter)
{
    if (!row || row->n == 0)
        return NAN;
    double *values = malloc(row->n * sizeof *values);
    if (!values)
        abort();
    const size_t n = sorted_values(row, counter, values);
    const double median = n ? bo_percentile(values, n, 0.5) : NAN;
    free(values);
    return median;
}

/* ---- documents ------------------------------------------------------------------------------- */

static const json_t *find_size(const struct bo_run_document *document, const char *codec)
{
    size_t i;
    const json_t *entry;
    json_array_foreach(json_object_get(document->sizes, "codecs"), i, entry)
    {
        const char *name = string_of(entry, "name");
        if (name && strcmp(name, codec) == 0)
            return entry;
    }
    return NULL;
}

/*
 * What the registry and the run's sizes know of a codec; a run of another version may know others.
 */
static struct bo_run_codec describe_codec(const struct bo_run_document *document, const char *name)
{
    struct bo_run_codec codec = {.name = name, .role = "-", .access = "-"};
    const struct bo_format *format = bo_find_format(document->format);
    const struct bo_codec *known = format ? bo_find_codec(format, name) : NULL;
    codec.is_noop = strcmp(name, bo_noop_codec.name) == 0;
    codec.reads = known ? known->reads : NULL;
    codec.size = find_size(document, codec.reads ? codec.reads : name);
    const char *role = string_of(codec.size, "role"), *access = string_of(codec.size, "access");
    if (role)
        codec.role = role;
    if (access)
        codec.access = access;
    if (known) {
        codec.role = bo_role_name(known->role);
        codec.access = bo_access_name(known->access);
    }
    codec.probabilistic = (known && known->probabilistic) ||
                          json_is_true(json_object_get(codec.size, "probabilistic"));
    codec.leaves_out = string_of(codec.size, "leaves_out");
    codec.optional = json_is_true(json_object_get(codec.size, "optional"));
    const json_t *bytes = json_object_get(codec.size, "bytes");
    codec.has_bytes = json_is_integer(bytes);
    codec.bytes = (uint64_t)json_integer_value(bytes);
    if (codec.is_noop)
        codec.role = bo_role_name(bo_noop_codec.role);
    return codec;
}

static void add_codec(struct bo_run *run, struct bo_run_document *document, const char *name,
                      size_t *cap)
{
    if (!name || bo_run_codec(document, name))
        return;
    must(bo_grow(&run->arena, &document->codecs, document->n_codecs, 1, cap));
    document->codecs[document->n_codecs++] = describe_codec(document, name);
}

static void add_label(struct bo_run *run, struct bo_run_document *document, const char *label,
                      size_t *cap)
{
    for (unsigned i = 0; i < document->n_labels; i++)
        if (strcmp(document->labels[i], label) == 0)
            return;
    must(bo_grow(&run->arena, &document->labels, document->n_labels, 1, cap));
    document->labels[document->n_labels++] = label;
}

const char *bo_run_refusal(const struct bo_run_codec *codec)
{
    const char *status = string_of(codec->size, "status");
    return codec->has_bytes || !status ? NULL : bo_refusal_in(status);
}

/*
 * Fills each codec's rows but where it cannot hold the document, and the bytes of one whose size is
 * only in its rows.
 */
static void place_rows(struct bo_run *run, struct bo_run_document *document, const json_t *places)
{
    size_t i;
    const json_t *place;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        struct bo_run_codec *codec = &document->codecs[c];
        codec->rows = array_of(&run->arena, document->n_labels, sizeof *codec->rows);
        json_array_foreach(places, i, place)
        {
            const struct bo_run_row *row = &run->rows[json_integer_value(place)];
            if (strcmp(row->codec, codec->name) != 0)
                continue;
            for (unsigned l = 0; l < document->n_labels; l++)
                if (strcmp(document->labels[l], row->label) == 0 && !bo_run_refusal(codec))
                    codec->rows[l] = row;
            const double bytes = bo_run_counter(row, "bytes");
            if (!codec->has_bytes && !codec->is_noop && !isnan(bytes)) {
                codec->has_bytes = true;
                codec->bytes = (uint64_t)bytes;
            }
        }
    }
}

static bool read_document(struct bo_run *run, const json_t *sizes, const struct row_index *index,
                          struct bo_run_document *document_ret)
{
    struct bo_run_document document = {.format = string_of(sizes, "format"),
                                       .name = string_of(sizes, "name"),
                                       .scale = json_is_true(json_object_get(sizes, "scale")),
                                       .held_out = json_is_true(json_object_get(sizes, "held_out")),
                                       .sizes = sizes};
    if (!document.format || !document.name)
        return false;
    void *unit = json_object_iter(json_object_get(sizes, "units"));
    if (unit) {
        document.unit = json_object_iter_key(unit);
        document.n_units = (uint64_t)json_integer_value(json_object_iter_value(unit));
    }
    size_t codecs_cap = 0, labels_cap = 0, i;
    const json_t *entry,
        *places =
            json_object_get(index->by_document, document_key(run, document.format, document.name));
    json_array_foreach(places, i, entry)
    {
        const struct bo_run_row *row = &run->rows[json_integer_value(entry)];
        add_codec(run, &document, row->codec, &codecs_cap);
        add_label(run, &document, row->label, &labels_cap);
    }
    json_array_foreach(json_object_get(sizes, "codecs"), i, entry)
        add_codec(run, &document, string_of(entry, "name"), &codecs_cap);
    const json_t *part = json_array_get(json_object_get(run->ours, "parts"),
                                        (size_t)json_integer_value(json_object_get(sizes, "part")));
    document.context = part ? part : run->context;
    place_rows(run, &document, places);
    *document_ret = document;
    return true;
}

/* ---- what ratios refer to -------------------------------------------------------------------- */

/* Whether every document that is compared with this one has bytes of the codec. */
static bool is_everywhere(const struct bo_run *run, const struct bo_run_document *document,
                          const char *codec)
{
    for (size_t d = 0; d < run->n_documents; d++) {
        const struct bo_run_document *other = &run->documents[d];
        const struct bo_run_codec *found = bo_run_codec(other, codec);
        if (strcmp(other->format, document->format) == 0 && other->scale == document->scale &&
            !(found && found->has_bytes))
            return false;
    }
    return true;
}

static const struct bo_run_codec *baseline_of(const struct bo_run *run,
                                              const struct bo_run_document *document)
{
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        if (strcmp(codec->role, bo_role_name(BO_STATUS_QUO)) == 0 &&
            is_everywhere(run, document, codec->name))
            return codec;
    }
    return document->n_codecs ? document->codecs : NULL;
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

/* ---- partial runs ---------------------------------------------------------------------------- */

static char *partial_text(const json_t *context, struct bo_arena *arena)
{
    const json_t *partial = json_object_get(json_object_get(context, "bakeoff"), "partial");
    return partial ? bo_arena_printf(arena, "%d of %d documents",
                                     (int)json_integer_value(json_object_get(partial, "measured")),
                                     (int)json_integer_value(json_object_get(partial, "of")))
                   : NULL;
}

char *bo_document_partial(const struct bo_run_document *document, struct bo_arena *arena)
{
    return partial_text(document->context, arena);
}

/* ---- a run ----------------------------------------------------------------------------------- */

bool bo_run_take(json_t *json, const char *name, struct bo_run *run_ret)
{
    *run_ret = (struct bo_run){.json = json};
    struct bo_run *run = run_ret;
    bo_arena_init(&run->arena, BO_ARENA_UNLIMITED);
    run->context = json_object_get(json, "context");
    run->ours = json_object_get(run->context, "bakeoff");
    const json_t *entries = json_object_get(json, "benchmarks"), *entry;
    const json_t *documents = json_object_get(run->ours, "documents");
    bool ok = json_is_array(entries) && json_is_array(documents);
    struct row_index index = {.by_name = json_object(), .by_document = json_object()};
    size_t i;
    json_array_foreach(entries, i, entry) ok = ok && read_entry(run, entry, &index);
    for (size_t r = 0; r < run->n_rows; r++)
        summarise(run, &run->rows[r]);
    run->documents = array_of(&run->arena, json_array_size(documents), sizeof *run->documents);
    json_array_foreach(documents, i, entry) ok =
        ok && read_document(run, entry, &index, &run->documents[run->n_documents++]);
    for (size_t d = 0; d < run->n_documents && ok; d++)
        run->documents[d].baseline = baseline_of(run, &run->documents[d]);
    json_decref(index.by_name);
    json_decref(index.by_document);
    if (!ok)
        fprintf(stderr, "bakeoff: %s: not the results of `bakeoff bench --json`\n", name);
    run->partial = partial_text(run->context, &run->arena);
    return ok;
}

bool bo_run_load(const char *path, struct bo_run *run_ret)
{
    json_error_t error;
    struct bo_input in;
    *run_ret = (struct bo_run){.json = NULL};
    if (!bo_input_open(path, &in))
        return false;
    json_t *json = json_loadb((const char *)in.bytes.p, in.bytes.n, 0, &error);
    const char *name = in.path;
    bo_input_close(&in);
    if (json) {
        const bool ok = bo_run_take(json, name, run_ret);
        if (run_ret->partial)
            fprintf(stderr, "bakeoff: %s: note: partial results: %s\n", name, run_ret->partial);
        return ok;
    }
    fprintf(stderr, "bakeoff: %s: %s at byte %d\n", name, error.text, error.position);
    return false;
}

void bo_run_free(struct bo_run *run)
{
    if (run->json) {
        json_decref(run->json);
        bo_arena_free(&run->arena);
    }
    *run = (struct bo_run){.json = NULL};
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
    struct bo_run_document *copy = array_of(arena, 1, sizeof *copy);
    *copy = *document;
    copy->codecs = array_of(arena, document->n_codecs, sizeof *copy->codecs);
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

const char *bo_run_main_label(const struct bo_run_document *document)
{
    const struct bo_format_report *notes = bo_report_of(document->format);
    const char *first = NULL;
    for (unsigned l = 0; l < document->n_labels; l++) {
        if (notes && notes->main_label && strcmp(document->labels[l], notes->main_label) == 0)
            return document->labels[l];
        if (!first && bo_is_query(document->labels[l]))
            first = document->labels[l];
    }
    return first;
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
    const struct bo_format *format = bo_find_format(document->format);
    const char *slash = strchr(label, '/');
    for (unsigned k = 0; format && slash && k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        if (strlen(kind->name) != (size_t)(slash - label) ||
            strncmp(kind->name, label, strlen(kind->name)) != 0)
            continue;
        for (unsigned w = 0; w < kind->n_workloads; w++)
            if (strcmp(kind->workloads[w].name, slash + 1) == 0)
                return kind->workloads[w].fresh;
    }
    return false;
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
    const struct bo_run_codec **codecs = array_of(arena, document->n_codecs, sizeof *codecs);
    unsigned n = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned c = 0; c < document->n_codecs; c++)
            if (!document->codecs[c].is_noop && document->codecs[c].probabilistic == (pass == 1))
                codecs[n++] = &document->codecs[c];
    *codecs_ret = codecs;
    return n;
}

#define PROBABILISTIC_NOTE                                                                 \
    "(~): answers about what is absent may be wrong, with a probability that the codec's " \
    "specification states; such a codec is ranked among its own kind only."
#define LEAVES_OUT_NOTE                                                                       \
    "(<): does not hold all of the document, see its specification; it was measured on what " \
    "it holds."

const char *bo_mark_note(const struct bo_run_document *document)
{
    static const char *const notes[] = {NULL, PROBABILISTIC_NOTE, LEAVES_OUT_NOTE,
                                        PROBABILISTIC_NOTE " " LEAVES_OUT_NOTE};
    unsigned marks = 0;
    for (unsigned c = 0; c < document->n_codecs; c++)
        marks |= (document->codecs[c].probabilistic ? 1u : 0) |
                 (document->codecs[c].leaves_out ? 2u : 0);
    return notes[marks];
}

static const char *fact(const json_t *context, const char *key)
{
    const char *ours = string_of(json_object_get(context, "bakeoff"), key);
    const char *theirs = string_of(context, key);
    return ours ? ours : theirs ? theirs : "unknown";
}

const char *bo_run_fact(const struct bo_run *run, const char *key)
{
    return fact(run->context, key);
}

const char *bo_document_fact(const struct bo_run_document *document, const char *key)
{
    return fact(document->context, key);
}

char *bo_document_part(const struct bo_run_document *document, struct bo_arena *arena)
{
    const json_t *shard = json_object_get(json_object_get(document->context, "bakeoff"), "shard");
    if (!shard)
        return NULL;
    return bo_arena_printf(arena, "shard %d of %d",
                           (int)json_integer_value(json_object_get(shard, "shard")),
                           (int)json_integer_value(json_object_get(shard, "of")));
}

const char *bo_parts_note(const struct bo_run *run)
{
    if (json_array_size(json_object_get(run->ours, "parts")) < 2)
        return NULL;
    return "Sizes, memory and pages are exact on every machine. Times of a document are of one "
           "machine and one run; those of different documents may not be, and only their ratios "
           "are compared.";
}

/* ---- the newest ------------------------------------------------------------------------------ */

/*
 * "20250301T123456Z.json": what `bench` calls a run in a folder; packed by xz, as runs are kept in
 * git, or not.
 */
static bool is_run_name(const char *name)
{
    static const char pattern[] = "ddddddddTddddddZ.json";
    size_t i = 0;
    while (pattern[i] && name[i] &&
           (pattern[i] == 'd' ? isdigit((unsigned char)name[i]) != 0 : pattern[i] == name[i]))
        i++;
    return !pattern[i] && (!name[i] || strcmp(name + i, ".xz") == 0);
}

static int is_run(const struct dirent *entry)
{
    return is_run_name(entry->d_name);
}

static int is_folder(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Every run below the folder, as paths; newest first by name, machines in order. */
static size_t list_runs(const char *folder, struct bo_arena *arena, const char ***paths_ret)
{
    struct dirent **machines, **runs;
    size_t n = 0, cap = 0;
    const char **paths = NULL;
    const int n_machines = scandir(folder, &machines, is_folder, alphasort);
    for (int m = 0; m < n_machines; m++) {
        const char *machine = bo_arena_printf(arena, "%s/%s", folder, machines[m]->d_name);
        const int n_runs = scandir(machine, &runs, is_run, alphasort);
        for (int r = 0; r < n_runs; r++) {
            must(bo_grow(arena, &paths, n, 1, &cap));
            paths[n++] = bo_arena_printf(arena, "%s/%s", machine, runs[r]->d_name);
            free(runs[r]);
        }
        if (n_runs >= 0)
            free(runs);
        free(machines[m]);
    }
    if (n_machines >= 0)
        free(machines);
    *paths_ret = paths;
    return n;
}

static int newer_first(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    const int order = strcmp(strrchr(*y, '/'), strrchr(*x, '/'));
    return order ? order : strcmp(*x, *y);
}

/* All runs below the folder, newest first; 0 after a message. */
static size_t list_newest(const char *folder, struct bo_arena *arena, const char ***paths_ret)
{
    const size_t n = list_runs(folder, arena, paths_ret);
    if (n)
        qsort(*paths_ret, n, sizeof **paths_ret, newer_first);
    else
        fprintf(stderr, "bakeoff: %s: no results there yet; `make bench` makes them\n", folder);
    return n;
}

const char *bo_run_depth(const struct bo_run *run)
{
    static const char *const filters[] = {"codec", "kind", "workload"};
    const json_t *options = json_object_get(run->ours, "options");
    const char *depth = string_of(options, "depth");
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
        if (string_of(options, filters[i]))
            return "selected";
    if (json_is_true(json_object_get(options, "quick")))
        return "quick";
    return depth ? depth : "full";
}

char *bo_run_newest(const char *folder, const char *format)
{
    struct bo_arena arena;
    const char **paths, *found = NULL;
    bool ok = true, is_complete = false;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const size_t n = list_newest(folder, &arena, &paths);
    for (size_t i = 0; i < n && ok && !is_complete; i++) {
        struct bo_run run;
        ok = bo_run_load(paths[i], &run);
        if (ok && bo_run_measured(&run, format, false) && (!found || !run.partial)) {
            found = paths[i];
            is_complete = !run.partial;
        }
        bo_run_free(&run);
    }
    if (n && ok && !found)
        fprintf(stderr, "bakeoff: %s: no results of %s there yet; `make bench` makes them\n",
                folder, format);
    char *path = ok && found ? strdup(found) : NULL;
    bo_arena_free(&arena);
    return path;
}

char *bo_run_newest_partial(const char *folder)
{
    struct bo_arena arena;
    const char **paths;
    char machine[BO_MAX_SLUG], *found = NULL;
    bool ok = true;
    bo_this_machine_slug(machine);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const char *here = bo_arena_printf(&arena, "/%s/", machine);
    const size_t n = list_newest(folder, &arena, &paths);
    for (size_t i = 0; i < n && ok && !found; i++) {
        struct bo_run run = {.json = NULL};
        ok = !strstr(paths[i], here) || bo_run_load(paths[i], &run);
        if (ok && run.partial)
            found = strdup(paths[i]);
        bo_run_free(&run);
    }
    if (n && ok && !found)
        fprintf(stderr, "bakeoff: %s: no partial results of this machine\n", folder);
    bo_arena_free(&arena);
    return found;
}

bool bo_run_measured(const struct bo_run *run, const char *format, bool scale)
{
    for (size_t d = 0; d < run->n_documents; d++)
        if (run->documents[d].scale == scale && strcmp(run->documents[d].format, format) == 0)
            return true;
    return false;
}

/* Whether runs[n] measured anything that none before it did. */
static bool adds_something(const struct bo_run *runs, size_t n)
{
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (unsigned scale = 0; scale < 2; scale++) {
            bool is_new = bo_run_measured(&runs[n], (*f)->name, scale);
            for (size_t i = 0; i < n && is_new; i++)
                is_new = !bo_run_measured(&runs[i], (*f)->name, scale);
            if (is_new)
                return true;
        }
    return false;
}

/* Runs of published depth first, partial ones last. */
static unsigned rank_of(const struct bo_run *run)
{
    static const char *const depths[] = {"full", "default", "quick"};
    unsigned rank = 0;
    while (rank < 3 && strcmp(bo_run_depth(run), depths[rank]) != 0)
        rank++;
    return run->partial ? 4 : rank;
}

/* Runs in the order in which they stand for what they measured, and their paths. */
struct chosen {
    struct bo_run *runs;
    const char **paths;
    size_t n, n_fixed; /* the first ones stay whatever comes */
};

static void remove_run(struct chosen *chosen, size_t i)
{
    bo_run_free(&chosen->runs[i]);
    chosen->n--;
    memmove(&chosen->runs[i], &chosen->runs[i + 1], (chosen->n - i) * sizeof *chosen->runs);
    memmove(&chosen->paths[i], &chosen->paths[i + 1], (chosen->n - i) * sizeof *chosen->paths);
}

/* Puts a run, older than those before, behind those of its rank; removes what adds nothing then. */
static void insert_run(struct chosen *chosen, struct bo_run run, const char *path)
{
    size_t at = chosen->n;
    while (at > chosen->n_fixed && rank_of(&chosen->runs[at - 1]) > rank_of(&run))
        at--;
    memmove(&chosen->runs[at + 1], &chosen->runs[at], (chosen->n - at) * sizeof run);
    memmove(&chosen->paths[at + 1], &chosen->paths[at], (chosen->n - at) * sizeof path);
    chosen->runs[at] = run;
    chosen->paths[at] = path;
    chosen->n++;
    for (size_t i = at; i < chosen->n;) {
        if (adds_something(chosen->runs, i))
            i++;
        else
            remove_run(chosen, i);
    }
}

size_t bo_runs_newest(const char *folder, const char *first, struct bo_arena *arena,
                      struct bo_run **runs_ret, const char ***paths_ret)
{
    const char **paths;
    const size_t n_paths = list_newest(folder, arena, &paths);
    struct chosen chosen = {.runs = array_of(arena, n_paths + 2, sizeof *chosen.runs),
                            .paths = array_of(arena, n_paths + 2, sizeof *chosen.paths)};
    bool ok = n_paths > 0;
    for (size_t i = first ? 0 : 1; i <= n_paths && ok; i++) {
        struct bo_run run;
        const char *path = i ? paths[i - 1] : first;
        ok = bo_run_load(path, &run);
        if (ok)
            insert_run(&chosen, run, path);
        else
            bo_run_free(&run);
        if (i == 0)
            chosen.n_fixed = chosen.n;
    }
    while (!ok && chosen.n)
        remove_run(&chosen, chosen.n - 1);
    *runs_ret = chosen.runs;
    *paths_ret = chosen.paths;
    return chosen.n;
}

const struct bo_format_report *bo_report_of(const char *format)
{
    const struct bo_format *found = bo_find_format(format);
    return found ? found->report : NULL;
}
