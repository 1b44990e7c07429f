/*
 * A small run as `bench --json` writes it, with known figures: two documents of pcdata; the status
 * quo, a reader and an encoding that are in the registry, one that is not, one that cannot hold the
 * document, one that answers wrongly; and the no-op codec.
 */
#ifndef BO_TEST_REPORT_SAMPLE_H
#define BO_TEST_REPORT_SAMPLE_H

#include "harness/core/test_cmocka.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/report.h"
#include "bench/report/styles.h"
#include "bench/report/test_printed.h"

/*
 * The reason why one codec cannot hold the documents. Contains the character that ends a cell in
 * Markdown.
 */
#define SAMPLE_FLAW "corrupt: 1|2 tables"
#define SAMPLE_FLAW_IN_CELL "corrupt: 1\\|2 tables"

enum { SAMPLE_REPETITIONS = 20, SAMPLE_TABLES = 250 };

/*
 * Neighbours of the median, 6th and 15th of 20: the interval of order statistics that contains the
 * median with 95.9%.
 */
enum { SAMPLE_LOW = 6, SAMPLE_HIGH = 15 };

static const struct sample_codec {
    const char *name, *role; /* role NULL: no size of its own */
    int bytes; /* of the first document; the second's are twice as many; -1: none, it fails */
    double ns; /* the least time of the first label */
} sample_codecs[] = {
    {"varint-delta", "status quo", 1000, 30},
    {"varint-delta-cached", NULL, 1000, 35},
    {"linear-index", "proposed", 1250, 20},
    {"frame-24", "new", 725, 17},
    {"broken", "new", -1, 0},
    {"liar", "new", 600, 9},
    {"noop", NULL, 16, 0.25},
};
enum { N_SAMPLE_CODECS = sizeof sample_codecs / sizeof *sample_codecs };

static const char *const sample_labels[] = {"encode", "decode", "open", "point/uniform",
                                            "point/pc-4096"};
enum { N_SAMPLE_LABELS = sizeof sample_labels / sizeof *sample_labels };

static const char *const sample_documents[] = {"small-sample", "large sample, of a user"};

/* The r-th smallest of a row's times, from 1: multiples of a quarter, which JSON holds exactly. */
static inline double sample_time(unsigned codec, unsigned label, unsigned document, unsigned r)
{
    return sample_codecs[codec].ns + 100 * label + 1000 * document + 0.25 * r;
}

static inline double sample_median(unsigned codec, unsigned label, unsigned document)
{
    return sample_time(codec, label, document, SAMPLE_REPETITIONS / 2) + 0.125;
}

static inline bool sample_has(unsigned codec, unsigned label)
{
    return sample_codecs[codec].role ||
           label >= 2; /* readers and the no-op codec are only opened and queried */
}

/* ---- looking into it ------------------------------------------------------------------------- */

/* The part of the results' context that is bakeoff's own. */
static inline json_t *sample_ours(const json_t *json)
{
    return json_object_get(json_object_get(json, "context"), "bakeoff");
}

static inline const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* The sizes of a codec in the d-th document. */
static inline json_t *sample_size(const json_t *json, size_t d, const char *codec)
{
    const json_t *document = json_array_get(json_object_get(sample_ours(json), "documents"), d);
    json_t *size = NULL, *entry;
    size_t i;
    json_array_foreach(json_object_get(document, "codecs"), i, entry)
    {
        if (strcmp(text_at(entry, "name"), codec) == 0)
            size = entry;
    }
    assert_non_null(size);
    return size;
}

/* ---- making it ------------------------------------------------------------------------------- */

static inline json_t *sample_sizes(unsigned document)
{
    json_t *codecs = json_array();
    for (unsigned c = 0; c < N_SAMPLE_CODECS; c++) {
        const struct sample_codec *codec = &sample_codecs[c];
        const int bytes = codec->bytes * (int)(document + 1);
        if (!codec->role)
            continue;
        json_t *entry = json_pack("{s:s, s:s, s:s}", "name", codec->name, "role", codec->role,
                                  "access", "random");
        if (bytes >= 0)
            json_object_update_new(
                entry, json_pack("{s:i, s:{s:i, s:i}, s:{s:i}, s:i, s:i, s:i, s:s}", "bytes", bytes,
                                 "sections", "index", 100, "runs", bytes - 100, "aside",
                                 "directory", 77, "zstd19", bytes - 200, "lz4", bytes - 150, "xz9",
                                 bytes - 250, "status", "ok"));
        else
            json_object_set_new(entry, "status", json_string(SAMPLE_FLAW));
        json_array_append_new(codecs, entry);
    }
    return json_pack("{s:s, s:{s:i, s:i}, s:i, s:o, s:s, s:s, s:b, s:s, s:i, s:[]}", "name",
                     sample_documents[document], "units", "tables", SAMPLE_TABLES, "runs", 3000,
                     "entropy_floor", 500, "codecs", codecs, "format", "pcdata", "provenance",
                     "made for a test | with a bar", "embedded", document == 0, "xxh3",
                     "0123456789abcdef", "text_bytes", 5000, "not_asked");
}

/* Adds a repetition of the row of that name. Returns its entry, for more figures. */
static inline json_t *sample_add(json_t *entries, double ns, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
static inline json_t *sample_add(json_t *entries, double ns, const char *name, ...)
{
    va_list args;
    va_start(args, name);
    json_t *entry = json_pack("{s:s, s:o, s:f}", "run_type", "iteration", "run_name",
                              json_vsprintf(name, args), "real_time", ns);
    va_end(args);
    json_array_append_new(entries, entry);
    return entry;
}

static inline void sample_row(json_t *entries, unsigned codec, unsigned label, unsigned document)
{
    const char *failure = NULL, *name = sample_codecs[codec].name;
    if (sample_codecs[codec].bytes < 0)
        failure = SAMPLE_FLAW;
    else if (strcmp(name, "liar") == 0 && label == 4)
        failure = "wrong answer: query 12 of the set";
    for (unsigned i = 0; i < (failure ? 1 : SAMPLE_REPETITIONS); i++) {
        const unsigned r = i * 7 % SAMPLE_REPETITIONS + 1; /* every rank once, in disorder */
        json_t *entry =
            sample_add(entries, sample_time(codec, label, document, r), "pcdata/%s/%s/%s", name,
                       sample_documents[document], sample_labels[label]);
        if (failure) {
            json_object_del(entry, "real_time");
            json_object_set_new(entry, "error_occurred", json_true());
            json_object_set_new(entry, "error_message", json_string(failure));
            continue;
        }
        json_object_update_new(entry,
                               json_pack("{s:i, s:f, s:f, s:i, s:f}", "iterations", 100, "p10_ns",
                                         7.0, "p90_ns", 8.0, "bytes",
                                         sample_codecs[codec].bytes * (int)(document + 1),
                                         label < 3 ? "encode_peak_bytes" : "touched_pages", 2.5));
    }
}

static inline json_t *sample_json(void)
{
    json_t *entries = json_array(), *documents = json_array();
    for (unsigned d = 0; d < 2; d++) {
        json_array_append_new(documents, sample_sizes(d));
        for (unsigned c = 0; c < N_SAMPLE_CODECS; c++)
            for (unsigned l = 0; l < N_SAMPLE_LABELS; l++)
                if (sample_has(c, l))
                    sample_row(entries, c, l, d);
    }
    /* Aggregates, which older versions wrote, must be ignored. */
    json_array_append_new(entries,
                          json_pack("{s:s, s:s, s:f}", "run_type", "aggregate", "run_name",
                                    "pcdata/varint-delta/small-sample/open", "real_time", 1.0));
    json_t *json = json_pack(
        "{s:{s:s, s:i, s:[{s:s, s:i, s:i}], s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:[s, s], "
        "s:o}}, s:o}",
        "context", "date", "2025-03-01T12:34:56Z", "num_cpus", 2, "caches", "type", "Unified",
        "level", 2, "size", 1048576, "bakeoff", "machine", "test-cpu-2c", "cpu", "Test CPU",
        "architecture", "x86_64", "kernel", "Linux 6.1", "governor", "none", "compiler",
        "gcc 12.2.0", "flags", "-O2", "commit", "0123456789012345678901234567890123456789",
        "events", "instructions", "cycles", "documents", documents, "benchmarks", entries);
    assert_non_null(json);
    return json;
}

/* Drops the entries whose row's name begins and ends so. */
static inline void sample_drop(json_t *json, const char *start, const char *end)
{
    json_t *entries = json_object_get(json, "benchmarks");
    for (size_t i = json_array_size(entries); i-- > 0;) {
        const char *name = text_at(json_array_get(entries, i), "run_name");
        const size_t n = strlen(name), n_end = strlen(end);
        if (strncmp(name, start, strlen(start)) == 0 && n >= n_end &&
            strcmp(name + n - n_end, end) == 0)
            json_array_remove(entries, i);
    }
}

/* The codec ran a path of x86-64-v3; its portable path takes `factor` times as long. */
static inline void sample_add_portable(json_t *json, const char *codec, double factor)
{
    json_t *entries = json_object_get(json, "benchmarks"), *slow = json_array(), *entry;
    char start[64], path[64];
    size_t i;
    snprintf(start, sizeof start, "pcdata/%s/", codec);
    snprintf(path, sizeof path, "pcdata/%s", codec);
    json_object_set_new(sample_ours(json), "paths", json_pack("{s:s}", path, "x86-64-v3"));
    json_array_foreach(entries, i, entry)
    {
        const char *name = text_at(entry, "run_name");
        json_t *time = json_object_get(entry, "real_time"), *copy;
        if (strncmp(name, start, strlen(start)) != 0 || !time)
            continue;
        copy = json_deep_copy(entry);
        json_object_set_new(copy, "run_name",
                            json_sprintf("%s@portable/%s", path, name + strlen(start)));
        json_object_set_new(copy, "real_time", json_real(factor * json_number_value(time)));
        json_array_append_new(slow, copy);
    }
    json_array_extend(entries, slow);
    json_decref(slow);
}

/* The rows whose names contain `part` have wrong answers. */
static inline void sample_fail(json_t *json, const char *part)
{
    json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
    {
        if (!strstr(text_at(entry, "run_name"), part))
            continue;
        json_object_del(entry, "real_time");
        json_object_set_new(entry, "error_occurred", json_true());
        json_object_set_new(entry, "error_message", json_string("wrong answer"));
    }
}

/* The sample with the first n repetitions of each row. */
static inline json_t *sample_json_of(unsigned n)
{
    json_t *json = sample_json(), *kept = json_array(), *counts = json_object(), *entry;
    size_t i;
    json_array_foreach(json_object_get(json, "benchmarks"), i, entry)
    {
        const char *name = text_at(entry, "run_name");
        const json_int_t before = json_integer_value(json_object_get(counts, name));
        json_object_set_new(counts, name, json_integer(before + 1));
        if (before < n)
            json_array_append(kept, entry);
    }
    json_object_set_new(json, "benchmarks", kept);
    json_decref(counts);
    return json;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static struct bo_run sample_runs[128];
static unsigned n_sample_runs;

/* The run of these results, which it takes ownership of. Released by sample_teardown. */
static inline struct bo_run *sample_take(json_t *json)
{
    assert_true(n_sample_runs < N_ELEMENTS(sample_runs));
    struct bo_run *run = &sample_runs[n_sample_runs++];
    assert_true(bo_run_take(json, "sample", run));
    return run;
}

/* The fixture of a file (test_fixture.h), with the sample as state. */
static inline int sample_setup(void **state)
{
    *state = sample_take(sample_json());
    return set_up(state);
}

static inline int sample_teardown(void **state)
{
    while (n_sample_runs > 0)
        bo_run_free(&sample_runs[--n_sample_runs]);
    return tear_down(state);
}

/* ---- looking at what was printed ------------------------------------------------------------- */

/* The output of a style. NULL document: the largest, or all if the style shows all. */
static inline char *sample_print(const struct bo_run *run, const char *style, const char *document,
                                 const char *kind)
{
    struct bo_table table = {.run = run, .format = "pcdata"};
    table.document = bo_run_document(run, "pcdata", document);
    table.only = document ? table.document : NULL;
    assert_true(bo_filter_parse(kind, &table.filter.kinds));
    const struct bo_table_style *s = bo_table_styles;
    while (s->name && strcmp(s->name, style) != 0)
        s++;
    assert_non_null(s->name);
    s->print(&table, &arena, printing());
    return printed_text();
}

/* A report of the run that is being printed, on a page from which `root` leads to the top. */
static inline struct bo_report printing_report(const struct bo_run *run, const char *root)
{
    static struct bo_report_run source;
    source = (struct bo_report_run){run, "results/test-cpu-2c/x.json", "results/test-cpu-2c"};
    return (struct bo_report){&source, 1, &arena, printing(), root};
}

/* Cuts the next line off *rest and advances it. NULL at the end. */
static inline char *next_line(char **rest)
{
    return *rest && **rest ? strsep(rest, "\n") : NULL;
}

/* Every table renders: each row has as many cells as the heading. Returns the number of tables. */
static inline unsigned check_tables(char *text)
{
    char *rest = text, *line;
    unsigned columns = 0, n_tables = 0;
    while ((line = next_line(&rest))) {
        unsigned n = 0;
        for (const char *p = line; *line == '|' && *p; p++)
            n += *p == '|' && (p == line || p[-1] != '\\');
        n_tables += n && !columns;
        assert_true(!n || !columns || n == columns);
        columns = n;
    }
    return n_tables;
}

#endif
