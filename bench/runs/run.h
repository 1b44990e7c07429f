/*
 * A run's results (the JSON that `bakeoff bench --json` writes) in the form that tables and
 * pictures need: its environment, documents, their codecs in order, and each codec's row for each
 * label. The file is read once (read.c); no other code of the report accesses its JSON.
 */
#ifndef BO_REPORT_RUN_H
#define BO_REPORT_RUN_H

#include <stdbool.h>

#include "bench/stats/interval.h"
#include "harness/core/arena.h"
#include "harness/format_report.h"

/* The confidence level of every interval in a report. */
#define BO_CONFIDENCE 0.95

/* ---- named values ---------------------------------------------------------------------------- */

/* "tables" 250, "libc" "2.36", "quick" 1: true is 1, false is 0. */
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

/* NULL, or NaN, if there is no such text or number. */
const char *bo_pair_text(const struct bo_pairs *pairs, const char *name);
double bo_pair_number(const struct bo_pairs *pairs, const char *name);

/* "250 tables, 3000 runs"; in the arena. */
char *bo_counts_text(const struct bo_pairs *counts, struct bo_arena *arena);

struct bo_text_list {
    const char **items;
    unsigned n;
};

/* ---- environment ----------------------------------------------------------------------------- */

struct bo_cache {
    const char *type; /* "Data", "Instruction", "Unified" */
    unsigned level;
    uint64_t nbytes;
};

/* Of a run, or of one of the runs that were merged (bench/runs/shards.h). */
struct bo_environment {
    struct bo_pairs facts; /* machine, build and run: "cpu", "commit", "date", "rounds" */
    struct bo_pairs libraries, optional_codecs, seeds;
    struct bo_pairs processor; /* "family", "isa", ...: bench/measure/processor.h */
    struct bo_pairs paths;     /* code path by "format/codec", for codecs that have several */
    struct bo_pairs options;   /* of `bench` */
    struct bo_pairs shard;     /* "shard", "of"; empty when the run has all documents */
    /* "id", "with"; empty unless the run is interleaved (interleave.h) */
    struct bo_pairs interleaved;
    /* "n", "seed", "linker", "functions"; empty without layouts (links.h) */
    struct bo_pairs layouts;
    struct bo_cache *caches;
    unsigned n_caches;
    double load_avg[3];
    unsigned n_load_avg;
    struct bo_text_list events; /* events that the processor counted */
    bool has_events, has_optional_codecs;
    const char *partial; /* "3 of 28 documents" of an interrupted run; else NULL */
};

/* A text or number of it; "unknown" or NaN if missing. */
const char *bo_environment_fact(const struct bo_environment *environment, const char *name);
double bo_environment_number(const struct bo_environment *environment, const char *name);

/* "shard 2 of 3" if the environment is that of a shard; else NULL. */
char *bo_shard_text(const struct bo_environment *environment, struct bo_arena *arena);

/* ---- sizes ----------------------------------------------------------------------------------- */

/* One encoding of a document. */
struct bo_size {
    const char *name, *role, *access; /* "-" if missing in the file */
    const char *status;               /* "ok", or the reason why there are no bytes */
    const char *leaves_out;           /* see struct bo_run_codec */
    bool probabilistic, optional, has_bytes;
    uint64_t bytes;           /* the sum of the sections */
    struct bo_pairs sections; /* bytes by name */
    struct bo_pairs aside;    /* sections that are the same for every codec, not counted */
    /* bytes by name of the compressor (bo_compressors), of those that ran */
    struct bo_pairs compressed;
};

/* The sizes of all encodings of a document. */
struct bo_sizes {
    struct bo_pairs units; /* sizes are divided by the first one */
    double entropy_floor;  /* bytes; NaN if unknown */
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
    double bytes;       /* of the file that it makes; NaN without one */
    struct bo_job *jobs;
    unsigned n_jobs;
};

/* ---- rows, codecs, documents ----------------------------------------------------------------- */

/* A number that the repetitions of a row have: "iterations", "p10_ns", "touched_pages". */
struct bo_row_values {
    const char *name;
    double *values; /* by repetition; NaN for missing values */
};

/*
 * How a row was measured (bench/measure/plan.h): the unchanged codec, its portable path, with a
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
    BO_OTHER_VARIANT = BO_N_RUN_VARIANTS, /* unknown to this version */
};

/* The measurements of one codec on one document under one label. */
struct bo_run_row {
    const char *format, *codec, *document;
    const char *label; /* "point/uniform", "encode" */
    enum bo_run_variant variant;
    /* path that ran; NULL if the codec has only one, or the run did not record it */
    const char *path;
    unsigned *layouts; /* the layout's number, by repetition; NULL without layouts */
    /*
     * The standard deviation between layouts of the logarithm of the time (bench/stats/layouts.h):
     * 0.05 is about 5%. NaN without layouts.
     */
    double layout_sd;
    unsigned n;       /* repetitions that have a time; 0 when the row failed */
    double *times_ns; /* per operation or query, by repetition */
    struct bo_row_values *counters;
    unsigned n_counters;
    double median_ns; /* NaN when n is 0 */
    /* Of the median over the repetitions. In a run with layouts, of the mean over these. */
    struct bo_interval interval;
    const char *failure; /* NULL unless the row failed */
};

struct bo_run_codec {
    const char *name, *role, *access; /* role and access are "-" if unknown */
    const char *reads;          /* the codec whose bytes it reads; NULL when they are its own */
    const char *path;           /* the code path that ran: "portable"; "-" if unknown */
    const struct bo_size *size; /* of its encoding; no sections if the file has none */
    bool has_bytes;
    uint64_t bytes; /* of the encoding */
    /* the parts of a model that its encoding does not hold; NULL: it holds everything */
    const char *leaves_out;
    bool probabilistic;             /* answers for absent keys may be wrong */
    bool optional;                  /* built only if its library is installed */
    double n_survived;              /* executions by fuzzers, if the document has_survived */
    bool is_noop;                   /* measures the harness; has no encoding */
    const struct bo_run_row **rows; /* by label of the document; NULL without a row */
    /* The same for its variants. An array is NULL if the run has no row of the variant. */
    const struct bo_run_row **variants[BO_N_RUN_VARIANTS];
};

/* True when both read one encoding. A comparison of encodings has one place for them. */
bool bo_same_encoding(const struct bo_run_codec *a, const struct bo_run_codec *b);

/*
 * The reason why the encoding cannot hold the document ("holds one instant"). NULL when it can, or
 * has failed otherwise.
 */
const char *bo_run_refusal(const struct bo_run_codec *codec);

struct bo_run_document {
    const char *format, *name;
    const char *provenance; /* NULL if unknown */
    const char *xxh3;       /* of its content; NULL if unknown */
    const char *file;       /* the name of the user's file; or NULL */
    bool embedded;
    struct bo_sizes sizes;
    struct bo_pairs query_set; /* by label: identifies the queries by a hash of the answers */
    struct bo_text_list without_place; /* labels for which the document has no input */
    struct bo_text_list too_large;     /* labels with too large an answer */
    struct bo_program_run *programs;
    unsigned n_programs;
    /*
     * Of the run that timed the document: the run's own, or that of a part (bench/runs/shards.h).
     */
    const struct bo_environment *environment;
    const char *unit; /* plural name of the unit that sizes are divided by; NULL without units */
    uint64_t n_units;
    bool has_survived; /* see bo_fuzz_mark_run */
    bool scale;        /* made for curves over sizes: not part of comparisons */
    bool held_out;     /* held out: only part of the means of held-out documents (held_out.h) */
    /* for a held-out document: the date since when its digest is in git, "2026-11-24"; or NULL */
    const char *sealed;
    const char **labels; /* operations, then queries, as the run has them */
    unsigned n_labels;
    struct bo_run_codec *codecs; /* in the format's order; the no-op codec last */
    unsigned n_codecs;
    /*
     * The baseline of ratios, the same codec for all documents of a format: the first status quo
     * that has bytes for all of them, or else the first codec. NULL without codecs.
     */
    const struct bo_run_codec *baseline;
};

struct bo_run {
    struct json_t *json; /* the file, which owns the texts; for code that writes it again */
    const char *path;    /* of the file, or another name for messages */
    struct bo_environment environment;
    struct bo_environment *parts; /* of the runs that were merged; after them, the run's own */
    size_t n_parts;
    struct bo_run_row *rows;
    size_t n_rows;
    struct bo_run_document *documents;
    size_t n_documents;
    struct bo_arena arena;
};

/* Reads a file of results. False after a message that names it. Call bo_run_free in either case. */
bool bo_run_load(const char *path, struct bo_run *run_ret);

/* The same, but leaves an empty run when the file does not contain `word`: parsing takes longer. */
bool bo_run_load_with(const char *word, const char *path, struct bo_run *run_ret);

/* Takes ownership of a JSON value, named `name` in messages. False after a message. */
bool bo_run_take(struct json_t *json, const char *name, struct bo_run *run_ret);
void bo_run_free(struct bo_run *run);

/*
 * Loads the results below `folder` (folder/MACHINE/DATE.json) that represent `format`: the newest
 * of the runs that measured it and are not partial, or of all if all are partial. `machine` is the
 * MACHINE, or NULL for all. False after a message when no run qualifies. Call bo_run_free in either
 * case.
 */
bool bo_run_load_newest(const char *folder, const char *machine, const char *format,
                        struct bo_run *run_ret);

/* The same for this machine's newest partial results below `folder`. */
bool bo_run_load_newest_partial(const char *folder, struct bo_run *run_ret);

/*
 * True when the run has a document of the format: one for curves over sizes, or one of the others.
 */
bool bo_run_measured(const struct bo_run *run, const char *format, bool scale);

/*
 * Loads runs below `folder` that together contain everything that each machine there measured: all
 * formats and all curves over sizes. Runs that add nothing are left out. Runs of published depth
 * come first, partial ones last; the newest first, but a run of selected documents after an older
 * run of its depth that measured more documents of a format. `first` (may be NULL) is the path of a
 * run that precedes all. `machine`: as above. The runs are in `arena`; free each. 0 after a
 * message.
 */
size_t bo_runs_newest(const char *folder, const char *machine, const char *first,
                      struct bo_arena *arena, struct bo_run **runs_ret);

/*
 * "full", "default" or "quick", the depth of the run; "selected" when it measured only some of the
 * codecs or rows. Runs without this information were full.
 */
const char *bo_run_depth(const struct bo_run *run);

/* True when the run measured documents that --corpus named. Older runs did not record this. */
bool bo_run_selects_documents(const struct bo_run *run);

/* The most repetitions that a row of the document has; 0 without times. *least_ret: the fewest. */
unsigned bo_run_repetitions(const struct bo_run_document *document, unsigned *least_ret);

/*
 * NULL when there is no such document or codec. `document` NULL: the format's largest by the first
 * codec's bytes, without those for curves, and without held-out ones if there are others.
 */
const struct bo_run_document *bo_run_document(const struct bo_run *run, const char *format,
                                              const char *document);
const struct bo_run_codec *bo_run_codec(const struct bo_run_document *document, const char *codec);

/*
 * A copy in the arena with the codecs that `wanted` accepts. Its baseline is that of the document.
 */
struct bo_run_document *bo_document_with(const struct bo_run_document *document,
                                         bool wanted(const struct bo_run_codec *codec, void *arg),
                                         void *arg, struct bo_arena *arena);

/* The codec's row under a label, or NULL. */
const struct bo_run_row *bo_run_row(const struct bo_run_document *document,
                                    const struct bo_run_codec *codec, const char *label);

/*
 * The same for a variant. For a codec with only portable code, the portable row is the row itself;
 * for one whose readers keep nothing, so is the row of any budget. NULL if a variant was not
 * measured, or when the run did not record paths.
 */
const struct bo_run_row *bo_run_variant_row(const struct bo_run_document *document,
                                            const struct bo_run_codec *codec,
                                            enum bo_run_variant variant, const char *label);

/*
 * The rows of a codec, then those of its variants: the first one from *at on, which is 0 before the
 * first call. NULL at the end.
 */
const struct bo_run_row *bo_run_next_row(const struct bo_run_document *document,
                                         const struct bo_run_codec *codec, unsigned *at);

/* "liar", "liar@portable": the codec in the row's name. In the arena. */
char *bo_run_row_codec(const struct bo_run_row *row, struct bo_arena *arena);

/*
 * The label by which codecs are placed and picked: the one in the format's report notes, or else
 * the first workload of the first query kind. NULL without queries.
 */
const char *bo_run_main_label(const struct bo_run_document *document);

/* The interval of the row's median for pictures: the median alone if there is no interval. */
struct bo_interval bo_drawn_interval(const struct bo_run_row *row);

/* The number of the document's timed rows with and without an interval of their median. */
struct bo_interval_counts {
    unsigned n_with, n_without;
};
struct bo_interval_counts bo_count_intervals(const struct bo_run_document *document);

/* The row's counter of that name. NULL if it has no such counter, and for a NULL row. */
const struct bo_row_values *bo_values_of(const struct bo_run_row *row, const char *counter);

/* Its median over the repetitions; NaN without it. */
double bo_run_counter(const struct bo_run_row *row, const char *counter);

/*
 * A note about the times in a table over documents of several runs. NULL when all documents are
 * from one run.
 */
const char *bo_parts_note(const struct bo_run *run);

/* True when a label is a query kind and workload, not an operation. */
bool bo_is_query(const char *label);

/*
 * True when a query of the label is for the whole document, so that its time grows with the
 * document.
 */
bool bo_is_whole_label(const struct bo_run_document *document, const char *label);

/* True when each query of the label opens a reader of its own, and opening is included. */
bool bo_is_fresh_label(const struct bo_run_document *document, const char *label);

/*
 * True when the codec answers the queries of the label from memory that it unpacked in open (access
 * `whole`, an open reader).
 */
bool bo_is_unpacked(const struct bo_run_document *document, const struct bo_run_codec *codec,
                    const char *label);

/*
 * The codec's name in tables: marked when it is probabilistic or leaves something out. In the
 * arena.
 */
char *bo_codec_cell(struct bo_arena *arena, const struct bo_run_codec *codec);

/*
 * The document's codecs without the no-op codec, the exact ones before the probabilistic ones,
 * otherwise in order: an array in the arena. Returns their number.
 */
unsigned bo_ranked_codecs(const struct bo_run_document *document, struct bo_arena *arena,
                          const struct bo_run_codec ***codecs_ret);

/* "varint-delta (status quo)", the form in texts; "nothing" for NULL. */
char *bo_named_with_role(struct bo_arena *arena, const struct bo_run_codec *codec);

/*
 * The meaning of the marks in a few sentences, in the arena. NULL when no codec of the document is
 * marked.
 */
const char *bo_mark_note(const struct bo_run_document *document, struct bo_arena *arena);

/* The report notes of the format of that name. NULL when there is no such format. */
const struct bo_format_report *bo_report_of(const char *format);

#endif
