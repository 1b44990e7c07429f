/* Reads a file of results into struct bo_run. No other code accesses its JSON. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/measure/compress.h"
#include "bench/measure/noop.h"
#include "bench/measure/sizes.h"
#include "bench/measure/plan.h"
#include "bench/runs/run.h"
#include "bench/stats/layouts.h"
#include "bench/stats/stats.h"
#include "harness/core/input.h"
#include "harness/core/print.h"
#include "harness/core/text_set.h"
#include "harness/registry.h"

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const char *text_or(const json_t *object, const char *key, const char *missing)
{
    const char *text = text_of(object, key);
    return text ? text : missing;
}

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Files of others may have any number. */
static bool is_count(double v)
{
    return v >= 0 && v < 0x1p64;
}

static bool is_true(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

/* ---- named values ---------------------------------------------------------------------------- */

/* Adds texts, numbers and truth values of an object; other values are skipped. */
static void add_pairs(struct bo_arena *arena, const json_t *object, struct bo_pairs *pairs)
{
    const struct bo_pairs before = *pairs;
    const char *name;
    json_t *value;
    pairs->items =
        bo_array_or_abort(arena, before.n + json_object_size(object), sizeof *pairs->items);
    if (before.n)
        memcpy(pairs->items, before.items, before.n * sizeof *before.items);
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        struct bo_pair pair = {name, json_string_value(value), NAN};
        if (json_is_number(value))
            pair.number = json_number_value(value);
        else if (json_is_boolean(value))
            pair.number = json_is_true(value);
        if (pair.text || !isnan(pair.number))
            pairs->items[pairs->n++] = pair;
    }
}

static struct bo_pairs pairs_of(struct bo_arena *arena, const json_t *object, const char *key)
{
    struct bo_pairs pairs = {NULL, 0};
    add_pairs(arena, json_object_get(object, key), &pairs);
    return pairs;
}

static struct bo_text_list texts_of(struct bo_arena *arena, const json_t *object, const char *key)
{
    const json_t *array = json_object_get(object, key), *item;
    struct bo_text_list texts = {
        bo_array_or_abort(arena, json_array_size(array), sizeof *texts.items), 0};
    size_t i;
    json_array_foreach(array, i, item)
    {
        if (json_is_string(item))
            texts.items[texts.n++] = json_string_value(item);
    }
    return texts;
}

/* ---- environment ----------------------------------------------------------------------------- */

static char *partial_text(const json_t *ours, struct bo_arena *arena)
{
    const json_t *partial = json_object_get(ours, "partial");
    return partial ? bo_arena_printf(arena, "%.0f of %.0f documents",
                                     number_of(partial, "measured"), number_of(partial, "of"))
                   : NULL;
}

static struct bo_environment read_environment(const json_t *context, struct bo_arena *arena)
{
    enum { MAX_LOADS = 3 };
    const json_t *ours = json_object_get(context, "bakeoff"), *item;
    const json_t *caches = json_object_get(context, "caches");
    size_t i;
    struct bo_environment e = {
        .libraries = pairs_of(arena, ours, "libraries"),
        .optional_codecs = pairs_of(arena, ours, "optional_codecs"),
        .processor = pairs_of(arena, ours, "processor"),
        .paths = pairs_of(arena, ours, "paths"),
        .seeds = pairs_of(arena, ours, "seeds"),
        .options = pairs_of(arena, ours, "options"),
        .shard = pairs_of(arena, ours, "shard"),
        .interleaved = pairs_of(arena, ours, "interleaved"),
        .layouts = pairs_of(arena, ours, "layouts"),
        .caches = bo_array_or_abort(arena, json_array_size(caches), sizeof *e.caches),
        .events = texts_of(arena, ours, "events"),
        .has_events = json_object_get(ours, "events") != NULL,
        .has_optional_codecs = json_object_get(ours, "optional_codecs") != NULL,
        .partial = partial_text(ours, arena),
    };
    add_pairs(arena, ours, &e.facts);
    add_pairs(arena, context, &e.facts);
    json_array_foreach(caches, i, item)
    {
        e.caches[e.n_caches++] =
            (struct bo_cache){text_or(item, "type", "unknown"),
                              (unsigned)json_integer_value(json_object_get(item, "level")),
                              (uint64_t)json_integer_value(json_object_get(item, "size"))};
    }
    json_array_foreach(json_object_get(context, "load_avg"), i, item)
    {
        if (i < MAX_LOADS)
            e.load_avg[e.n_load_avg++] = json_number_value(item);
    }
    return e;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static struct bo_size read_size(const json_t *codec, struct bo_arena *arena)
{
    const json_t *bytes = json_object_get(codec, "bytes");
    struct bo_size size = {
        .name = text_or(codec, "name", "-"),
        .role = text_or(codec, "role", "-"),
        .access = text_or(codec, "access", "-"),
        .status = text_or(codec, "status", "ok"),
        .leaves_out = text_of(codec, "leaves_out"),
        .probabilistic = is_true(codec, "probabilistic"),
        .optional = is_true(codec, "optional"),
        .has_bytes = json_is_integer(bytes),
        .bytes = (uint64_t)json_integer_value(bytes),
        .sections = pairs_of(arena, codec, "sections"),
        .aside = pairs_of(arena, codec, "aside"),
    };
    unsigned n = 0;
    while (bo_compressors[n].name)
        n++;
    size.compressed.items = bo_array_or_abort(arena, n, sizeof *size.compressed.items);
    for (const struct bo_compressor *c = bo_compressors; c->name; c++)
        if (!isnan(number_of(codec, c->name)))
            size.compressed.items[size.compressed.n++] =
                (struct bo_pair){c->name, NULL, number_of(codec, c->name)};
    return size;
}

static struct bo_sizes read_sizes(const json_t *json, struct bo_arena *arena)
{
    const json_t *codecs = json_object_get(json, "codecs"), *codec;
    size_t i;
    struct bo_sizes sizes = {
        .units = pairs_of(arena, json, "units"),
        .entropy_floor = number_of(json, "entropy_floor"),
        .codecs = bo_array_or_abort(arena, json_array_size(codecs), sizeof *sizes.codecs),
    };
    json_array_foreach(codecs, i, codec) sizes.codecs[sizes.n_codecs++] = read_size(codec, arena);
    return sizes;
}

static void release_json(void *json)
{
    json_decref(json);
}

struct bo_sizes bo_sizes_measure(const struct bo_document *document,
                                 const struct bo_sizes_options *options, struct bo_arena *arena)
{
    json_t *json = bo_or_abort(bo_sizes_json(document, options));
    bo_abort_unless(bo_arena_on_release(arena, release_json, json));
    return read_sizes(json, arena);
}

/* ---- programs of the field ------------------------------------------------------------------- */

static struct bo_job read_job(const json_t *json, struct bo_arena *arena)
{
    const json_t *times = json_object_get(json, "wall_ns"), *time;
    struct bo_job job = {text_or(json, "label", "unknown"),
                         bo_array_or_abort(arena, json_array_size(times), sizeof *job.wall_ns), 0};
    size_t i;
    json_array_foreach(times, i, time) job.wall_ns[job.n++] = json_number_value(time);
    return job;
}

static struct bo_program_run read_program(const json_t *json, struct bo_arena *arena)
{
    const json_t *jobs = json_object_get(json, "jobs"), *job;
    size_t i;
    struct bo_program_run program = {
        .name = text_or(json, "name", "unknown"),
        .version = text_or(json, "version", "unknown"),
        .status = text_or(json, "status", "unknown"),
        .bytes = number_of(json, "bytes"),
        .jobs = bo_array_or_abort(arena, json_array_size(jobs), sizeof *program.jobs),
    };
    json_array_foreach(jobs, i, job) program.jobs[program.n_jobs++] = read_job(job, arena);
    return program;
}

static void read_programs(const json_t *programs, struct bo_run_document *document,
                          struct bo_arena *arena)
{
    size_t i;
    const json_t *program;
    document->programs =
        bo_array_or_abort(arena, json_array_size(programs), sizeof *document->programs);
    json_array_foreach(programs, i, program) document->programs[document->n_programs++] =
        read_program(program, arena);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* State while rows are read: their names and repetitions. A run may have a million rows. */
struct reading {
    struct bo_run *run;
    struct bo_texts names; /* their numbers are those of the rows */
    struct row_entries {
        const json_t **items; /* with a time */
        size_t cap;
    } * entries; /* by row */
    size_t rows_cap, entries_cap;
};

_Static_assert((unsigned)BO_N_RUN_VARIANTS == (unsigned)BO_N_VARIANTS, "one for each variant");

/* Cuts "@portable" off a codec's name. */
static enum bo_run_variant cut_variant(char *codec)
{
    char *suffix = strchr(codec, '@');
    unsigned v = 0;
    while (v < BO_N_VARIANTS && strcmp(suffix ? suffix : "", bo_variants[v].suffix) != 0)
        v++;
    if (suffix)
        *suffix = 0;
    return (enum bo_run_variant)v;
}

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
    row->variant = cut_variant((char *)(uintptr_t)row->codec);
    return *text != 0;
}

/* The index of the row that an entry belongs to; SIZE_MAX when its name is not that of a row. */
static size_t row_of(struct reading *reading, const char *name)
{
    struct bo_run *run = reading->run;
    struct bo_run_row row = {.n = 0};
    uint32_t at;
    bo_abort_unless(
        bo_texts_add(&reading->names, (struct bo_span){(const uint8_t *)name, strlen(name)}, &at));
    if (at < run->n_rows)
        return at;
    if (!split_name(run, name, &row))
        return SIZE_MAX;
    bo_abort_unless(bo_grow(&run->arena, &run->rows, run->n_rows, 1, &reading->rows_cap) &&
                    bo_grow(&run->arena, &reading->entries, run->n_rows, 1, &reading->entries_cap));
    run->rows[run->n_rows++] = row;
    reading->entries[at] = (struct row_entries){.items = NULL};
    return at;
}

static bool read_entry(struct reading *reading, const json_t *entry)
{
    const char *type = text_of(entry, "run_type"), *name = text_of(entry, "run_name");
    if (!type || !name || strcmp(type, "iteration") != 0)
        return type && name;
    const size_t at = row_of(reading, name);
    if (at == SIZE_MAX)
        return false;
    struct bo_run_row *row = &reading->run->rows[at];
    struct row_entries *entries = &reading->entries[at];
    if (is_true(entry, "error_occurred")) {
        row->failure = text_or(entry, "error_message", "failed");
        return true;
    }
    bo_abort_unless(bo_grow(&reading->run->arena, &entries->items, row->n, 1, &entries->cap));
    entries->items[row->n++] = entry;
    return json_is_number(json_object_get(entry, "real_time"));
}

/*
 * The row's counter of that name, often the one after the last found. A new counter has no values.
 */
static struct bo_row_values *counter_of(struct bo_arena *arena, struct bo_run_row *row,
                                        const char *name, size_t hint, size_t *cap)
{
    if (hint < row->n_counters && strcmp(row->counters[hint].name, name) == 0)
        return &row->counters[hint];
    for (unsigned i = 0; i < row->n_counters; i++)
        if (strcmp(row->counters[i].name, name) == 0)
            return &row->counters[i];
    bo_abort_unless(bo_grow(arena, &row->counters, row->n_counters, 1, cap));
    struct bo_row_values *counter = &row->counters[row->n_counters++];
    *counter =
        (struct bo_row_values){name, bo_array_or_abort(arena, row->n, sizeof *counter->values)};
    for (unsigned i = 0; i < row->n; i++)
        counter->values[i] = NAN;
    return counter;
}

/*
 * The interval of the mean over layouts. It does not come from a median. If the median over all
 * repetitions, which tables print, is outside, the interval is extended to it.
 */
static struct bo_interval interval_over_layouts(const struct bo_layout_effect *effect,
                                                double median_ns)
{
    return (struct bo_interval){fmin(exp(effect->interval.low), median_ns),
                                fmax(exp(effect->interval.high), median_ns),
                                effect->interval.coverage};
}

/* Computes the effect of layouts on the row. */
static void read_layouts(struct bo_arena *arena, struct bo_run_row *row)
{
    const struct bo_row_values *numbers = bo_values_of(row, "layout");
    row->layout_sd = NAN;
    if (!numbers || row->n == 0)
        return;
    double *logs = bo_array_or_abort(arena, row->n, sizeof *logs);
    row->layouts = bo_array_or_abort(arena, row->n, sizeof *row->layouts);
    for (unsigned i = 0; i < row->n; i++) {
        const double number = numbers->values[i];
        logs[i] = log(row->times_ns[i]);
        row->layouts[i] = number >= 0 && number < BO_MAX_LAYOUTS ? (unsigned)number : 0;
    }
    const struct bo_repetitions repetitions = {logs, row->layouts, row->n};
    const struct bo_layout_effect effect = bo_layout_effect(&repetitions, BO_CONFIDENCE);
    row->layout_sd = effect.between;
    row->interval = effect.n_layouts > 1 ? interval_over_layouts(&effect, row->median_ns)
                                         : (struct bo_interval){NAN, NAN, 0};
}

static void fill_row(struct bo_arena *arena, struct bo_run_row *row, const json_t *const *entries)
{
    size_t cap = 0;
    row->times_ns = bo_array_or_abort(arena, row->n, sizeof *row->times_ns);
    double *sorted = bo_array_or_abort(arena, row->n, sizeof *sorted);
    for (unsigned i = 0; i < row->n; i++) {
        const char *name;
        json_t *value;
        size_t next = 0;
        sorted[i] = row->times_ns[i] = number_of(entries[i], "real_time");
        json_object_foreach((json_t *)(uintptr_t)entries[i], name, value)
        {
            if (!json_is_number(value))
                continue;
            struct bo_row_values *counter = counter_of(arena, row, name, next, &cap);
            counter->values[i] = json_number_value(value);
            next = (size_t)(counter - row->counters) + 1;
        }
    }
    row->median_ns = bo_median(sorted, row->n);
    row->interval = row->n ? bo_median_interval(sorted, row->n, BO_CONFIDENCE)
                           : (struct bo_interval){NAN, NAN, 0};
    row->path = row->n ? text_of(entries[0], "path") : NULL;
    read_layouts(arena, row);
}

static bool read_rows(struct bo_run *run, const json_t *benchmarks)
{
    struct reading reading = {.run = run};
    size_t i;
    const json_t *entry;
    bool ok = json_is_array(benchmarks);
    bo_abort_unless(bo_texts_init(&reading.names, false, &run->arena));
    json_array_foreach(benchmarks, i, entry) ok = ok && read_entry(&reading, entry);
    for (size_t r = 0; r < run->n_rows; r++) {
        if (run->rows[r].failure)
            run->rows[r].n = 0; /* times of wrong answers are not figures */
        fill_row(&run->arena, &run->rows[r], reading.entries[r].items);
    }
    return ok;
}

/* ---- documents ------------------------------------------------------------------------------- */

/*
 * The code path of a codec. Older runs, of versions whose codecs had one path, did not record it.
 */
static const char *path_of(const struct bo_run_document *document, const char *name)
{
    char key[128];
    const struct bo_pairs *paths = &document->environment->paths;
    snprintf(key, sizeof key, "%s/%s", document->format, name);
    const char *path = bo_pair_text(paths, key);
    return path ? path : paths->n ? "portable" : "-";
}

/*
 * The properties of a codec from the registry and the run's sizes. A run of another version may
 * contain other codecs.
 */
static struct bo_run_codec describe_codec(const struct bo_run_document *document, const char *name)
{
    static const struct bo_size no_size = {.role = "-", .access = "-", .status = "ok"};
    struct bo_run_codec codec = {.name = name, .size = &no_size};
    const struct bo_format *format = bo_find_format(document->format);
    const struct bo_codec *known = format ? bo_find_codec(format, name) : NULL;
    codec.is_noop = strcmp(name, bo_noop_codec.name) == 0;
    codec.reads = known ? known->reads : NULL;
    codec.path = path_of(document, name);
    for (unsigned i = document->sizes.n_codecs; i-- > 0;)
        if (strcmp(document->sizes.codecs[i].name, codec.reads ? codec.reads : name) == 0)
            codec.size = &document->sizes.codecs[i];
    codec.role = known ? bo_role_name(known->role) : codec.size->role;
    codec.access = known ? bo_access_name(known->access) : codec.size->access;
    codec.probabilistic = codec.size->probabilistic || (known && known->probabilistic);
    codec.leaves_out = codec.size->leaves_out;
    codec.optional = codec.size->optional;
    codec.has_bytes = codec.size->has_bytes;
    codec.bytes = codec.size->bytes;
    if (codec.is_noop)
        codec.role = bo_role_name(bo_noop_codec.role);
    return codec;
}

static void add_codec(struct bo_run *run, struct bo_run_document *document, const char *name,
                      size_t *cap)
{
    if (bo_run_codec(document, name))
        return;
    bo_abort_unless(bo_grow(&run->arena, &document->codecs, document->n_codecs, 1, cap));
    document->codecs[document->n_codecs++] = describe_codec(document, name);
}

static void add_label(struct bo_run *run, struct bo_run_document *document, const char *label,
                      size_t *cap)
{
    for (unsigned i = 0; i < document->n_labels; i++)
        if (strcmp(document->labels[i], label) == 0)
            return;
    bo_abort_unless(bo_grow(&run->arena, &document->labels, document->n_labels, 1, cap));
    document->labels[document->n_labels++] = label;
}

static bool is_row_of(const struct bo_run_row *row, const struct bo_run_document *document)
{
    return strcmp(row->document, document->name) == 0 && strcmp(row->format, document->format) == 0;
}

/*
 * Adds a row to its codec unless the codec cannot hold the document, and its bytes if only the rows
 * have them.
 */
static void place_row(const struct bo_run_document *document, const struct bo_run_row *row,
                      struct bo_arena *arena)
{
    struct bo_run_codec *codec = document->codecs;
    while (strcmp(row->codec, codec->name) != 0)
        codec++;
    const struct bo_run_row ***rows = &codec->rows;
    if (row->variant != BO_AS_IS)
        rows = row->variant < BO_N_RUN_VARIANTS ? &codec->variants[row->variant] : NULL;
    if (rows && !*rows)
        *rows = bo_array_or_abort(arena, document->n_labels, sizeof **rows);
    for (unsigned l = 0; l < document->n_labels; l++)
        if (rows && strcmp(document->labels[l], row->label) == 0 && !bo_run_refusal(codec))
            (*rows)[l] = row;
    const double bytes = bo_run_counter(row, "bytes");
    if (!codec->has_bytes && !codec->is_noop && is_count(bytes)) {
        codec->has_bytes = true;
        codec->bytes = (uint64_t)bytes;
    }
}

static void read_document_rows(struct bo_run *run, struct bo_run_document *document)
{
    size_t codecs_cap = 0, labels_cap = 0;
    for (size_t r = 0; r < run->n_rows; r++)
        if (is_row_of(&run->rows[r], document)) {
            add_codec(run, document, run->rows[r].codec, &codecs_cap);
            add_label(run, document, run->rows[r].label, &labels_cap);
        }
    for (unsigned c = 0; c < document->sizes.n_codecs; c++)
        add_codec(run, document, document->sizes.codecs[c].name, &codecs_cap);
    for (unsigned c = 0; c < document->n_codecs; c++)
        document->codecs[c].rows =
            bo_array_or_abort(&run->arena, document->n_labels, sizeof *document->codecs[c].rows);
    for (size_t r = 0; r < run->n_rows; r++)
        if (is_row_of(&run->rows[r], document))
            place_row(document, &run->rows[r], &run->arena);
}

static bool read_document(struct bo_run *run, const json_t *json)
{
    const size_t part = (size_t)json_integer_value(json_object_get(json, "part"));
    struct bo_run_document document = {
        .format = text_of(json, "format"),
        .name = text_of(json, "name"),
        .provenance = text_of(json, "provenance"),
        .xxh3 = text_of(json, "xxh3"),
        .file = text_of(json, "file"),
        .embedded = is_true(json, "embedded"),
        .scale = is_true(json, "scale"),
        .held_out = is_true(json, "held_out"),
        .sealed = text_of(json, "sealed"),
        .sizes = read_sizes(json, &run->arena),
        .query_set = pairs_of(&run->arena, json, "questions"),
        .without_place = texts_of(&run->arena, json, "not_asked"),
        .too_large = texts_of(&run->arena, json, "too_large"),
        .environment = &run->parts[part < run->n_parts ? part : run->n_parts],
    };
    if (!document.format || !document.name)
        return false;
    if (document.sizes.units.n && is_count(document.sizes.units.items[0].number)) {
        document.unit = document.sizes.units.items[0].name;
        document.n_units = (uint64_t)document.sizes.units.items[0].number;
    }
    read_programs(json_object_get(json, "programs"), &document, &run->arena);
    read_document_rows(run, &document);
    run->documents[run->n_documents++] = document;
    return true;
}

/* ---- the baseline of ratios ------------------------------------------------------------------ */

/* True when every comparable document has bytes of the codec. */
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

/* ---- a run ----------------------------------------------------------------------------------- */

bool bo_run_take(json_t *json, const char *name, struct bo_run *run_ret)
{
    *run_ret = (struct bo_run){.json = json};
    struct bo_run *run = run_ret;
    bo_arena_init(&run->arena, BO_ARENA_UNLIMITED);
    run->path = bo_arena_printf(&run->arena, "%s", name);
    const json_t *context = json_object_get(json, "context"), *item;
    const json_t *ours = json_object_get(context, "bakeoff");
    const json_t *parts = json_object_get(ours, "parts");
    const json_t *documents = json_object_get(ours, "documents");
    size_t i;
    run->environment = read_environment(context, &run->arena);
    run->parts = bo_array_or_abort(&run->arena, json_array_size(parts) + 1, sizeof *run->parts);
    json_array_foreach(parts, i, item) run->parts[run->n_parts++] =
        read_environment(item, &run->arena);
    run->parts[run->n_parts] = run->environment; /* documents point to it: a run may be copied */
    bool ok = json_is_array(documents) && read_rows(run, json_object_get(json, "benchmarks"));
    run->documents =
        bo_array_or_abort(&run->arena, json_array_size(documents), sizeof *run->documents);
    json_array_foreach(documents, i, item) ok = ok && read_document(run, item);
    for (size_t d = 0; d < run->n_documents && ok; d++)
        run->documents[d].baseline = baseline_of(run, &run->documents[d]);
    if (!ok)
        fprintf(stderr, "bakeoff: %s: not the results of `bakeoff bench --json`\n", name);
    return ok;
}

bool bo_run_load(const char *path, struct bo_run *run_ret)
{
    return bo_run_load_with("", path, run_ret);
}

bool bo_run_load_with(const char *word, const char *path, struct bo_run *run_ret)
{
    json_error_t error;
    struct bo_input in;
    *run_ret = (struct bo_run){.json = NULL};
    if (!bo_input_open(path, &in))
        return false;
    const bool lacks_word = *word && !memmem(in.bytes.p, in.bytes.n, word, strlen(word));
    json_t *json = lacks_word ? NULL : json_loadb((const char *)in.bytes.p, in.bytes.n, 0, &error);
    const char *name = in.path;
    bo_input_close(&in);
    if (lacks_word)
        return true;
    if (json) {
        const bool ok = bo_run_take(json, name, run_ret);
        if (run_ret->environment.partial)
            fprintf(stderr, "bakeoff: %s: note: partial results: %s\n", name,
                    run_ret->environment.partial);
        return ok;
    }
    fprintf(stderr, "bakeoff: %s: not JSON at byte %d\n", name, error.position);
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
