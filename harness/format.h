/*
 * What a format is: a model, its text form, the ways it is read, and the codecs that compete for
 * it.
 *
 * Everything that knows a model's inside is here, behind void *; codecs and the code in this table
 * cast once, at their top.
 */
#ifndef BO_FORMAT_H
#define BO_FORMAT_H

#include "harness/codec.h"
#include "harness/coding/entropy.h"
#include "harness/core/random.h"
#include "harness/format_report.h"

enum { BO_MAX_QUERY_NBYTES = 64, BO_MAX_KINDS = 16 };

/* Queries that are given, not drawn: what a real program ran (harness/recorded.h). */
struct bo_given {
    const uint8_t *queries; /* the workload's n_queries, of the kind's query_size */
    const size_t *starts;   /* queries that start an action, ascending; NULL: none */
    size_t n_starts;
    size_t stretch; /* of a cold workload: queries between two emptyings of the caches; 0: usual */
};

/* How the queries of a measurement are drawn. */
struct bo_workload {
    const char *name;    /* "uniform" */
    const char *summary; /* one line */
    /*
     * Distinct queries that make one round, which is repeated: small sets fit the caches. The
     * driver draws this many.
     */
    size_t n_queries;
    /*
     * Each query depends on the answer before it, through the kind's `link`: latency, not
     * throughput.
     */
    bool dependent;
    /*
     * The caches are emptied before each small batch: what the first query_set of a process cost.
     */
    bool cold;
    /*
     * Not 0: so many consecutive queries are run on a reader that has just been opened, and opening
     * counts: what the first answers cost, of readers that keep what they have read, too.
     */
    size_t fresh;
    const struct bo_given *given; /* NULL: they are drawn */
    /*
     * Fills n queries; the same generator state gives the same queries on every machine. Returns
     * how many it could draw: fewer than n, also 0, when the document has no such place to ask for
     * or the arena, which holds texts made for the queries, refuses.
     */
    size_t (*draw)(const void *model, struct bo_random *random, struct bo_arena *arena, size_t n,
                   void *queries);
};

/* One way a format is read. */
struct bo_query_kind {
    const char *name;    /* "point" */
    const char *summary; /* one line */
    const char *usage;   /* the command line's arguments: "TABLE PC" */
    /* Bytes, at most BO_MAX_QUERY_NBYTES; 0: there is but one query, which says nothing. */
    size_t query_size;
    /* A query starts with a struct bo_span: text (a name) that lies elsewhere. */
    bool has_text;
    /* Bytes; 0: variable, written to a struct bo_sink. Answers compare with memcmp. */
    size_t answer_size;
    const struct bo_workload *workloads;
    unsigned n_workloads;

    /*
     * The right answers, from the model alone, sharing no code with any codec. As bo_codec.query.
     */
    enum bo_status (*oracle)(const void *model, const void *queries, size_t n, void *answers);

    /*
     * All valid queries of a model, in order: how many, and the i-th, false past the last. Callers
     * ask for i = 0, 1, ... and leave the query before in *query, from which a kind may step on.
     */
    uint64_t (*count)(const void *model);
    bool (*at)(const void *model, uint64_t i, void *query);

    /* As bo_workload.draw, of queries beside which the answer changes: where off-by-ones live. */
    size_t (*draw_edges)(const void *model, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries);

    /*
     * The i-th invalid query, which every codec must refuse with BO_OUT_OF_RANGE; false when i is
     * past the last.
     */
    bool (*invalid_at)(const void *model, uint64_t i, void *query);

    /*
     * Makes a query depend on the answer before it without leaving the document; NULL without such
     * workloads.
     */
    void (*link)(void *query, const void *previous_answer);

    /*
     * The command line's arguments to a query, which may point to them and into the arena; a query
     * and its answer to text (one line or more).
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

/* What merging lost, and where it failed. */
struct bo_merge_report {
    uint64_t n_saturated; /* sums that stopped at the largest number there is */
    struct bo_span where; /* the name of what contradicts itself, when merging fails; points into a
                             model */
};

/* Codecs on top of a library, which are built where it is there. */
struct bo_optional {
    const char *codecs;  /* "marisa+*" */
    const char *library; /* "libmarisa" */
    const char *version; /* of the library; NULL: not built here */
};

struct bo_format {
    const char *name, *summary;
    const struct bo_format_report *report;
    const struct bo_query_kind *kinds;
    unsigned n_kinds;                     /* at most BO_MAX_KINDS */
    const struct bo_codec *const *codecs; /* NULL-terminated; the status quo first */
    const struct bo_optional *optionals;  /* ends with NULL codecs; or NULL */

    /* The text form. print(parse(x)) is canonical. Errors count bytes of the text. */
    enum bo_status (*parse)(struct bo_span text, struct bo_arena *arena, void **model_ret,
                            struct bo_error *err);
    enum bo_status (*print)(const void *model, struct bo_writer *out, struct bo_error *err);

    /* NULL when equal, else a static phrase that says in what they differ. */
    const char *(*differ)(const void *a, const void *b);

    /*
     * A new model from randomness. scale is the number of units (tables, functions, ...) for a
     * seeded source and an upper bound for a fuzzer's bytes.
     */
    enum bo_status (*generate)(struct bo_random *random, size_t scale, struct bo_arena *arena,
                               void **model_ret, struct bo_error *err);

    /* A copy of the model with one small valid change. */
    enum bo_status (*mutate)(const void *model, struct bo_random *random, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

    /*
     * A model of about n_units units, drawn so that what it has is distributed as in `like`, which
     * a real document is: for curves over sizes. NULL where there are real documents of all sizes.
     * It may point into `like`.
     */
    enum bo_status (*resample)(const void *like, size_t n_units, struct bo_random *random,
                               struct bo_arena *arena, void **model_ret, struct bo_error *err);

    /*
     * One model that adds n others up, as the field's tools merge profiles; NULL where that means
     * nothing. It may point into them. BO_CORRUPT when they contradict each other.
     */
    enum bo_status (*merge)(const void *const *models, size_t n, struct bo_arena *arena,
                            void **model_ret, struct bo_merge_report *report, struct bo_error *err);

    /*
     * Counts of the model's things, at most BO_MAX_UNITS, the one that sizes are divided by first.
     * Returns how many.
     */
    unsigned (*units)(const void *model, struct bo_unit *units_ret);

    /*
     * The model's fields, value by value: what an encoding has to say. Their order-0 entropy is a
     * floor for codecs that model no context.
     */
    void (*fields)(const void *model, struct bo_sequences *out);
};

#endif
