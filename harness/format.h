/*
 * A format: a model, its text form, its query kinds, and the codecs that compete for it.
 *
 * Only code in this table and the codecs know the members of a model, which is passed as void *.
 * They cast it once, at the start of a function.
 */
#ifndef BO_FORMAT_H
#define BO_FORMAT_H

#include "harness/codec.h"
#include "harness/coding/entropy.h"
#include "harness/core/random.h"
#include "harness/format_report.h"

enum { BO_MAX_QUERY_NBYTES = 64, BO_MAX_KINDS = 16 };

/* Queries recorded from a real program instead of drawn (harness/recorded.h). */
struct bo_given {
    const uint8_t *queries; /* n_queries of the workload, each of the kind's query_size */
    const size_t *starts;   /* indexes of the queries that start an action, ascending; NULL: none */
    size_t n_starts;
    size_t stretch; /* cold workload: queries between two flushes of the caches; 0: default */
};

/* How the queries of a measurement are drawn. */
struct bo_workload {
    const char *name;    /* "uniform" */
    const char *summary; /* one line */
    /*
     * The number of distinct queries of one round, which is repeated. Small sets fit the caches.
     * The driver draws this many.
     */
    size_t n_queries;
    /*
     * Each query depends on the answer before it, through the kind's `link`. This measures latency,
     * not throughput.
     */
    bool dependent;
    /*
     * The caches are emptied before each small batch: the cost of the first query_set of a process.
     */
    bool cold;
    /*
     * If not 0, this many consecutive queries are run on a newly opened reader, and opening is
     * included. This measures the cost of the first answers, also for readers that keep what they
     * have read.
     */
    size_t fresh;
    const struct bo_given *given; /* NULL: the queries are drawn */
    /*
     * Draws n queries. The same generator state gives the same queries on every machine. Returns
     * the number drawn. It is less than n, possibly 0, when the document has no such place to
     * query, or the arena, which holds texts made for the queries, refuses.
     */
    size_t (*draw)(const void *model, struct bo_random *random, struct bo_arena *arena, size_t n,
                   void *queries);
};

/* A query kind: one way to read a format. */
struct bo_query_kind {
    const char *name;    /* "point" */
    const char *summary; /* one line */
    const char *usage;   /* arguments on the command line: "TABLE PC" */
    /*
     * Bytes of a query, at most BO_MAX_QUERY_NBYTES. 0: there is only one query, without arguments.
     */
    size_t query_size;
    /* A query starts with a struct bo_span, which points to text (a name). */
    bool has_text;
    /*
     * Bytes of an answer. 0: variable, written to a struct bo_sink. Answers are compared with
     * memcmp.
     */
    size_t answer_size;
    const struct bo_workload *workloads;
    unsigned n_workloads;

    /*
     * The right answers, computed from the model only. Shares no code with any codec. As
     * bo_codec.query.
     */
    enum bo_status (*oracle)(const void *model, const void *queries, size_t n, void *answers);

    /*
     * The number of valid queries of a model, and the i-th of them; false past the last. Callers
     * pass i = 0, 1, ... and leave the previous query in *query, from which a kind may derive the
     * next one.
     */
    uint64_t (*count)(const void *model);
    bool (*at)(const void *model, uint64_t i, void *query);

    /*
     * As bo_workload.draw, for queries next to which the answer changes. These find off-by-one
     * errors.
     */
    size_t (*draw_edges)(const void *model, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries);

    /*
     * The i-th invalid query, which every codec must reject with BO_OUT_OF_RANGE. False when i is
     * past the last.
     */
    bool (*invalid_at)(const void *model, uint64_t i, void *query);

    /*
     * Makes a query depend on the previous answer, and keeps it inside the document. NULL without
     * such workloads.
     */
    void (*link)(void *query, const void *previous_answer);

    /*
     * `parse` reads a query from the arguments of the command line; it may point to them and into
     * the arena. `print` writes a query and its answer as text of one or more lines.
     */
    enum bo_status (*parse)(int n_args, char *const *args, struct bo_arena *arena, void *query,
                            struct bo_error *err);
    void (*print)(const void *query, struct bo_span answer, struct bo_writer *out);
};

/* A count of things in a document: {"tables", 42826}. */
struct bo_unit {
    const char *name; /* plural */
    uint64_t n;
};

enum { BO_MAX_UNITS = 6 };

/* What a merge lost, and why it failed. */
struct bo_merge_report {
    uint64_t n_saturated; /* sums that were limited to the largest number */
    struct bo_span where; /* the name of what contradicts itself, when merging fails; points into a
                             model */
};

/* Codecs that need a library. They are built if the library is installed. */
struct bo_optional {
    const char *codecs;  /* "marisa+*" */
    const char *library; /* "libmarisa" */
    const char *version; /* version of the library; NULL: not built */
};

struct bo_format {
    const char *name, *summary;
    const struct bo_format_report *report;
    const struct bo_query_kind *kinds;
    unsigned n_kinds;                     /* at most BO_MAX_KINDS */
    const struct bo_codec *const *codecs; /* NULL-terminated; the status quo first */
    const struct bo_optional *optionals;  /* ends with NULL codecs; or NULL */

    /* The text form. print(parse(x)) is canonical. Errors report byte offsets in the text. */
    enum bo_status (*parse)(struct bo_span text, struct bo_arena *arena, void **model_ret,
                            struct bo_error *err);
    enum bo_status (*print)(const void *model, struct bo_writer *out, struct bo_error *err);

    /* NULL when the models are equal, else a static phrase that names the difference. */
    const char *(*differ)(const void *a, const void *b);

    /*
     * A new random model. scale is the number of units (tables, functions, ...) for a seeded
     * source, and an upper bound for the bytes of a fuzzer.
     */
    enum bo_status (*generate)(struct bo_random *random, size_t scale, struct bo_arena *arena,
                               void **model_ret, struct bo_error *err);

    /* A copy of the model with one small valid change. */
    enum bo_status (*mutate)(const void *model, struct bo_random *random, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

    /*
     * A model of about n_units units whose properties have the same distributions as in `like`, a
     * real document. For curves over sizes. NULL if there are real documents of all sizes. It may
     * point into `like`.
     */
    enum bo_status (*resample)(const void *like, size_t n_units, struct bo_random *random,
                               struct bo_arena *arena, void **model_ret, struct bo_error *err);

    /*
     * One model that is the sum of n others, as the field's tools merge profiles. NULL if a sum has
     * no meaning. It may point into them. BO_CORRUPT when they contradict each other.
     */
    enum bo_status (*merge)(const void *const *models, size_t n, struct bo_arena *arena,
                            void **model_ret, struct bo_merge_report *report, struct bo_error *err);

    /*
     * Counts of things in the model, at most BO_MAX_UNITS. Sizes are divided by the first one.
     * Returns the number of counts.
     */
    unsigned (*units)(const void *model, struct bo_unit *units_ret);

    /*
     * The model's fields, value by value: the information that an encoding must hold. Their order-0
     * entropy is a floor for codecs without context models.
     */
    void (*fields)(const void *model, struct bo_sequences *out);
};

#endif
