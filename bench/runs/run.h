/*
 * A run's results (the JSON that `bakeoff bench --json` writes) as tables and pictures need them:
 * its environment, documents, their codecs in order, and each codec's row for each thing that was
 * measured. The file is read once (read.c); nothing else of the report knows JSON objects.
 */
#ifndef BO_REPORT_RUN_H
#define BO_REPORT_RUN_H

#include <stdbool.h>

#include "bench/stats/interval.h"
#include "harness/core/arena.h"
#include "harness/format_report.h"

/* The report has no memory budget: it ends where the system refuses memory. Zeroed. */
void *bo_array_or_abort(struct bo_arena *arena, size_t n, size_t size);
void bo_abort_unless(bool has_grown);

/* Of every interval in a report. */
#define BO_CONFIDENCE 0.95

/* ---- named values ---------------------------------------------------------------------------- */

/* "tables" 250, "libc" "2.36", "quick" 1: true is 1, false 0. */
struct bo_pair {
    const char *name;
    const char *text; /* NULL: a number */
    double number;    /* NaN: a text */
};

/* In the order of the file. */
struct bo_pairs {
    struct bo_pair *items;
    unsigned n;
};

/* NULL, or NaN, where there is no such text or number. */
const char *bo_pair_text(const struct bo_pairs *pairs, const char *name);
double bo_pair_number(const struct bo_pairs *pairs, const char *name);

/* "250 tables, 3000 runs"; in the arena. */
char *bo_counts_text(const struct bo_pairs *counts, struct bo_arena *arena);

struct bo_texts {
    const char **items;
    unsigned n;
};

/* ---- where and how --------------------------------------------------------------------------- */

struct bo_cache {
    const char *type; /* "Data", "Instruction", "Unified" */
    unsigned level;
    uint64_t nbytes;
};

/* Of a run, or of one of the runs that were put together (bench/runs/shards.h). */
struct bo_environment {
    struct bo_pairs facts; /* machine, build and run: "cpu", "commit", "date", "rounds" */
    struct bo_pairs libraries, optional_codecs, seeds;
    struct bo_pairs processor;   /* "family", "isa", ...: bench/measure/processor.h */
    struct bo_pairs paths;       /* code path by "format/codec"; of codecs that have several */
    struct bo_pairs options;     /* of `bench` */
    struct bo_pairs shard;       /* "shard", "of"; empty when the run is of all documents */
    struct bo_pairs interleaved; /* "id", "with"; empty when the run is not (interleave.h) */
    struct bo_pairs layouts;     /* "n", "seed", "linker", "functions"; empty without (links.h) */
    struct bo_cache *caches;
    unsigned n_caches;
    double load_avg[3];
    unsigned n_load_avg;
    struct bo_texts events; /* counted by the processor */
    bool has_events, has_optional_codecs;
    const char *partial; /* "3 of 28 documents" of an interrupted run; else NULL */
};

/* A text or number of it; "unknown" or NaN without. */
const char *bo_environment_fact(const struct bo_environment *environment, const char *name);
double bo_environment_number(const struct bo_environment *environment, const char *name);

/* "shard 2 of 3" where the environment is that of a shard; else NULL. */
char *bo_shard_text(const struct bo_environment *environment, struct bo_arena *arena);

/* ---- sizes ----------------------------------------------------------------------------------- */

/* One encoding of a document. */
struct bo_size {
    const char *name, *role, *access; /* "-" where the file does not say */
    const char *status;               /* "ok", or why there are no bytes */
    const char *leaves_out;           /* see struct bo_run_codec */
    bool probabilistic, optional, has_bytes;
    uint64_t bytes;             /* the sum of the sections */
    struct bo_pairs sections;   /* bytes by name */
    struct bo_pairs aside;      /* what is the same for every codec and not counted */
    struct bo_pairs compressed; /* bytes by bo_compressors' names, of those that ran */
};

/* Of all encodings of a document. */
struct bo_sizes {
    struct bo_pairs units; /* the first one is what sizes are divided by */
    double entropy_floor;  /* bytes; NaN where it is unknown */
    struct bo_size *codecs;
    unsigned n_codecs;
};

/* Encodes a loaded document by bo_sizes_json; in the arena. */
struct bo_sizes_options;
struct bo_document;
struct bo_sizes bo_sizes_measure(const struct bo_document *document,
                                 const struct bo_sizes_options *options, struct bo_arena *arena);

/* ---- programs of the field ------------------------------------------------------------------- */

struct bo_job {
    const char *label;
    double *wall_ns; /* from the start of the process to its end */
    unsigned n;
};

struct bo_program_run {
    const char *name, *version;
    const char *status; /* "ok", or what is missing */
    double bytes;       /* of the file that it makes; NaN without */
    struct bo_job *jobs;
    unsigned n_jobs;
};

/* ---- rows, codecs, documents ----------------------------------------------------------------- */

/* A number that the repetitions of a row have: "iterations", "p10_ns", "touched_pages". */
struct bo_row_values {
    const char *name;
    double *values; /* by repetition; NaN where it has none */
};

/*
 * How a row was measured (bench/measure/plan.h): the codec as it is, on its portable path, with a
 * budget for what its readers keep, or in huge pages.
 */
enum bo_run_variant {
    BO_AS_IS,
    BO_PORTABLE,
    BO_KEEP_0,
    BO_KEEP_1M,
    BO_KEEP_16M,
    BO_HUGE,
    BO_N_RUN_VARIANTS,
    BO_OTHER_VARIANT = BO_N_RUN_VARIANTS, /* that this version does not know */
};

/* What was measured of one codec on one document under one label. */
struct bo_run_row {
    const char *format, *codec, *document;
    const char *label; /* "point/uniform", "encode" */
    enum bo_run_variant variant;
    const char *path;  /* that ran; NULL where the codec has one, or the run did not record it */
    unsigned *layouts; /* by repetition: the layout's number; NULL where the run has none */
    /*
     * The standard deviation between layouts of the logarithm of the time (bench/stats/layouts.h):
     * 0.05 is about 5%. NaN without layouts.
     */
    double layout_sd;
    unsigned n;       /* repetitions that have a time */
    double *times_ns; /* by repetition, of an operation or query */
    struct bo_row_values *counters;
    unsigned n_counters;
    double median_ns; /* NaN when n is 0 */
    /* Of the median over the repetitions; where there are layouts, of the mean over these. */
    struct bo_interval interval;
    const char *failure; /* NULL while the row is sound */
};

struct bo_run_codec {
    const char *name, *role, *access; /* role and access "-" where nobody knows them */
    const char *reads;          /* the codec whose bytes it reads; NULL when they are its own */
    const char *path;           /* the code path that ran: "portable"; "-" where it is unknown */
    const struct bo_size *size; /* of its encoding; without sections where the file has none */
    bool has_bytes;
    uint64_t bytes;                 /* of the encoding */
    const char *leaves_out;         /* what its encoding does not hold; NULL: it holds everything */
    bool probabilistic;             /* what is absent may be answered wrongly */
    bool optional;                  /* built where its library is */
    double n_survived;              /* executions by fuzzers; where the document has_survived */
    bool is_noop;                   /* measures the harness; has no encoding */
    const struct bo_run_row **rows; /* one a label of the document; NULL without a row */
    /* The same of its variants; an array is NULL where the run has no row of the variant. */
    const struct bo_run_row **variants[BO_N_RUN_VARIANTS];
};

/* Whether both read one encoding: a comparison of encodings has one place for them. */
bool bo_same_encoding(const struct bo_run_codec *a, const struct bo_run_codec *b);

/*
 * Why the encoding cannot hold the document ("holds one instant"); NULL when it can, or fails
 * otherwise.
 */
const char *bo_run_refusal(const struct bo_run_codec *codec);

struct bo_run_document {
    const char *format, *name;
    const char *provenance; /* NULL where it is unknown */
    const char *xxh3;       /* of its content; NULL where it is unknown */
    const char *file;       /* the name of the user's file that it was read from, or NULL */
    bool embedded;
    struct bo_sizes sizes;
    struct bo_pairs query_set;     /* label to what identifies the queries: a hash of the answers */
    struct bo_texts without_place; /* labels for which the document has no place */
    struct bo_texts too_large;     /* labels with a too large answer */
    struct bo_program_run *programs;
    unsigned n_programs;
    /* Of the run that timed it: the run's own, or that of a part (bench/runs/shards.h). */
    const struct bo_environment *environment;
    const char *unit; /* plural: what sizes are divided by; NULL without units */
    uint64_t n_units;
    bool has_survived;   /* see bo_fuzz_mark_run */
    bool scale;          /* made for curves over sizes: part of no comparison */
    bool held_out;       /* part of no mean but that of its kind (held_out.h) */
    const char *sealed;  /* held out: since when its digest is in git, "2026-11-24"; or NULL */
    const char **labels; /* operations, then queries, as the run has them */
    unsigned n_labels;
    struct bo_run_codec *codecs; /* in the format's order; the no-op codec last */
    unsigned n_codecs;
    /*
     * What ratios refer to, one name for all documents of a format: the first status quo that every
     * one of them has bytes of, or else the first codec. NULL without codecs.
     */
    const struct bo_run_codec *baseline;
};

struct bo_run {
    struct json_t *json; /* the file: for those who write it again; holds the texts */
    struct bo_environment environment;
    struct bo_environment *parts; /* of the runs that were put together */
    size_t n_parts;
    struct bo_run_row *rows;
    size_t n_rows;
    struct bo_run_document *documents;
    size_t n_documents;
    struct bo_arena arena;
};

/*
 * Reads a file of results; false after a message that names it. Release with bo_run_free either
 * way.
 */
bool bo_run_load(const char *path, struct bo_run *run_ret);

/* Takes over a JSON value, named `name` in messages. False after a message. */
bool bo_run_take(struct json_t *json, const char *name, struct bo_run *run_ret);
void bo_run_free(struct bo_run *run);

/*
 * The path of the results below `folder` (folder/MACHINE/DATE.json) that represent `format`: of the
 * runs that measured it, the newest of those that are not partial, or of all. `machine` is the
 * MACHINE, or NULL for all. A malloced string; NULL after a message when no run qualifies.
 */
char *bo_run_newest(const char *folder, const char *machine, const char *format);

/* The path of this machine's newest partial results below `folder`; the same. */
char *bo_run_newest_partial(const char *folder);

/* Whether the run has a document of the format: one for curves over sizes, or one of the others. */
bool bo_run_measured(const struct bo_run *run, const char *format, bool scale);

/*
 * Loads runs below `folder` that together measured all formats, and all curves over sizes, that
 * each machine there did; none that adds nothing. Runs of published depth precede other ones,
 * partial ones are last; newest first. `first` (may be NULL) is the path of a run that goes before
 * all. `machine`: as above. Paths and runs are in `arena`; free each run. 0 after a message.
 */
size_t bo_runs_newest(const char *folder, const char *machine, const char *first,
                      struct bo_arena *arena, struct bo_run **runs_ret, const char ***paths_ret);

/*
 * "full", "default" or "quick", as `bench` was run; "selected" when it measured only some of the
 * codecs or rows. Runs that do not say were full ones.
 */
const char *bo_run_depth(const struct bo_run *run);

/*
 * NULL when there is no such document or codec. `document` NULL: the format's largest by the first
 * codec's bytes, of those that are not for curves, nor held out where there are others.
 */
const struct bo_run_document *bo_run_document(const struct bo_run *run, const char *format,
                                              const char *document);
const struct bo_run_codec *bo_run_codec(const struct bo_run_document *document, const char *codec);

/*
 * A copy in the arena that has those codecs which `wanted` accepts; its baseline is that of the
 * document.
 */
struct bo_run_document *bo_document_with(const struct bo_run_document *document,
                                         bool wanted(const struct bo_run_codec *codec, void *arg),
                                         void *arg, struct bo_arena *arena);

/* The codec's row under a label, or NULL. */
const struct bo_run_row *bo_run_row(const struct bo_run_document *document,
                                    const struct bo_run_codec *codec, const char *label);

/*
 * The same of a variant. Of a codec with portable code only, the portable row is the row itself; of
 * one whose readers keep nothing, so is the row of any budget. NULL where a variant was not
 * measured, or when the run did not record paths.
 */
const struct bo_run_row *bo_run_variant_row(const struct bo_run_document *document,
                                            const struct bo_run_codec *codec,
                                            enum bo_run_variant variant, const char *label);

/*
 * The label by which codecs are placed and picked: what the format's notes say, or else the first
 * query kind's first workload. NULL without queries.
 */
const char *bo_run_main_label(const struct bo_run_document *document);

/* The interval of the row's median to be drawn: the median alone where it has no interval. */
struct bo_interval bo_drawn_interval(const struct bo_run_row *row);

/*
 * How many of the document's timed rows have an interval of their median, and how many have none.
 */
struct bo_interval_counts {
    unsigned n_with, n_without;
};
struct bo_interval_counts bo_count_intervals(const struct bo_run_document *document);

/* The row's counter of that name; NULL without it, and for a NULL row. */
const struct bo_row_values *bo_values_of(const struct bo_run_row *row, const char *counter);

/* Its median over the repetitions; NaN without it. */
double bo_run_counter(const struct bo_run_row *row, const char *counter);

/* What to know of times in a table over documents of several runs; NULL when all are of one. */
const char *bo_parts_note(const struct bo_run *run);

/* Whether a label is a query kind and workload, not an operation. */
bool bo_is_query(const char *label);

/* Whether a query of the label is for the whole document, so that its time grows with it. */
bool bo_is_whole_label(const struct bo_run_document *document, const char *label);

/* Whether each query of the label opens a reader of its own, opening included. */
bool bo_is_fresh_label(const struct bo_run_document *document, const char *label);

/*
 * Whether the codec answers the queries of the label from what it unpacked when it opened, so that
 * their time is that of memory: access `whole`, an open reader.
 */
bool bo_is_unpacked(const struct bo_run_document *document, const struct bo_run_codec *codec,
                    const char *label);

/*
 * The codec's name as tables have it: marked when it is probabilistic or leaves something out. In
 * the arena.
 */
char *bo_codec_cell(struct bo_arena *arena, const struct bo_run_codec *codec);

/*
 * The document's codecs without the no-op one, the exact ones before the probabilistic, else in
 * their order: an array in the arena. Returns how many.
 */
unsigned bo_ranked_codecs(const struct bo_run_document *document, struct bo_arena *arena,
                          const struct bo_run_codec ***codecs_ret);

/* "varint-delta (status quo)", as text names what figures are compared with; "nothing" for NULL. */
char *bo_named_with_role(struct bo_arena *arena, const struct bo_run_codec *codec);

/* What the marks mean: a sentence or two; NULL when no codec of the document is marked. */
const char *bo_mark_note(const struct bo_run_document *document);

/* What reports say of the format of that name; NULL when there is no such format here. */
const struct bo_format_report *bo_report_of(const char *format);

#endif
