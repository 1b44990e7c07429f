/*
 * A run's results (the JSON that `bakeoff bench --json` writes) as tables and pictures need them:
 * documents, their codecs in order, and each codec's row for each thing that was measured.
 */
#ifndef BO_REPORT_RUN_H
#define BO_REPORT_RUN_H

#include <jansson.h>
#include <stdbool.h>

#include "bench/stats/interval.h"
#include "harness/core/arena.h"
#include "harness/format_report.h"

/* Of every interval in a report. */
#define BO_CONFIDENCE 0.95

/* What was measured of one codec on one document under one label. */
struct bo_run_row {
    const char *format, *codec, *document;
    const char *label;           /* "point/uniform", "encode" */
    unsigned n;                  /* repetitions that have a time */
    const json_t **repetitions;  /* their entries */
    double median_ns;            /* an operation or query; NaN when n is 0 */
    struct bo_interval interval; /* of the median over the repetitions */
    const char *failure;         /* NULL while the row is sound */
    size_t cap;                  /* room in repetitions */
};

struct bo_run_codec {
    const char *name, *role, *access; /* role and access "-" where nobody knows them */
    const char *reads;  /* the codec whose bytes it reads; NULL when they are its own */
    const json_t *size; /* bo_sizes_json's entry of its encoding, or NULL */
    bool has_bytes;
    uint64_t bytes;                 /* of the encoding */
    const char *leaves_out;         /* what its encoding does not hold; NULL: it holds everything */
    bool probabilistic;             /* what is absent may be answered wrongly */
    bool optional;                  /* built where its library is */
    double n_survived;              /* executions by fuzzers; where the document has_survived */
    bool is_noop;                   /* measures the harness; has no encoding */
    const struct bo_run_row **rows; /* one a label of the document; NULL where there is none */
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
    const json_t *sizes; /* bo_sizes_json's object */
    /*
     * Google Benchmark's of the run that timed it: the run's own, or that of a part
     * (bench/runs/shards.h).
     */
    const json_t *context;
    const char *unit; /* plural: what sizes are divided by; NULL without units */
    uint64_t n_units;
    bool has_survived;   /* see bo_fuzz_mark_run */
    bool scale;          /* made for curves over sizes: stands in no comparison */
    bool held_out;       /* stands in no mean but that of its kind (report_held_out.h) */
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
    json_t *json;
    const json_t *context, *ours; /* Google Benchmark's, and "bakeoff" in it */
    const char *partial;          /* "3 of 28 documents" of an interrupted run; else NULL */
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
bool bo_run_take(json_t *json, const char *name, struct bo_run *run_ret);
void bo_run_free(struct bo_run *run);

/*
 * The path of the results below `folder` (folder/MACHINE/DATE.json) that stand for `format`: of the
 * runs that measured it, the newest of those that are not partial, or of all. A malloced string;
 * NULL after a message when there are none.
 */
char *bo_run_newest(const char *folder, const char *format);

/* The path of this machine's newest partial results below `folder`; the same. */
char *bo_run_newest_partial(const char *folder);

/* Whether the run has a document of the format: one for curves over sizes, or one of the others. */
bool bo_run_measured(const struct bo_run *run, const char *format, bool scale);

/*
 * Loads runs below `folder` that together measured all formats, and all curves over sizes, that any
 * there did, none that adds nothing: those of published depth before other ones, partial ones last;
 * newest first. `first` (may be NULL) is the path of a run that goes before all. Paths and runs are
 * in `arena`; free each run. 0 after a message.
 */
size_t bo_runs_newest(const char *folder, const char *first, struct bo_arena *arena,
                      struct bo_run **runs_ret, const char ***paths_ret);

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

/* A counter's median over the repetitions; NaN when there is none, also for a NULL row. */
double bo_run_counter(const struct bo_run_row *row, const char *counter);

/*
 * A string in the run's environment, or in that in which a document was timed; "unknown" without.
 */
const char *bo_run_fact(const struct bo_run *run, const char *key);
const char *bo_document_fact(const struct bo_run_document *document, const char *key);

/* "3 of 28 documents" where the document's run was interrupted; else NULL. */
char *bo_document_partial(const struct bo_run_document *document, struct bo_arena *arena);

/* "shard 2 of 3" where results of several runs were put together; else NULL. */
char *bo_document_part(const struct bo_run_document *document, struct bo_arena *arena);

/* What to know of times in a table over documents of several runs; NULL when all are of one. */
const char *bo_parts_note(const struct bo_run *run);

/* Whether a label is a query kind and workload, not an operation. */
bool bo_is_query(const char *label);

/* Whether a query of the label is for the whole document, so that its time grows with it. */
bool bo_is_whole_label(const struct bo_run_document *document, const char *label);

/* Whether each query of the label opens a reader of its own, opening included. */
bool bo_is_fresh_label(const struct bo_run_document *document, const char *label);

/*
 * Whether the codec answers the label's questions from what it unpacked when it opened, so that
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
