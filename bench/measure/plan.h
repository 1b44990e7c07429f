/* What a run measures: cells (a codec on a document), their rows, and what came of each. */
#ifndef BO_PLAN_H
#define BO_PLAN_H

#include "bench/measure/actions.h"
#include "bench/measure/record.h"
#include "corpora/documents.h"
#include "harness/core/suggest.h"

/* ---- options of the caller ------------------------------------------------------------------- */

enum { BO_MAX_NAMES = 64, BO_MAX_NAME = 64 };

/*
 * A filter: no names allow everything; a * in one matches any characters. Remembers which names
 * matched something, and what was nearest to the others.
 */
struct bo_filter {
    char names[BO_MAX_NAMES][BO_MAX_NAME];
    bool met[BO_MAX_NAMES];
    struct bo_suggestion near[BO_MAX_NAMES];
    unsigned n;
};

/*
 * Splits "a,b,c" (NULL: no names). False when a name is empty or too long, or there are too many.
 */
bool bo_filter_parse(const char *list, struct bo_filter *names_ret);

/* Whether the filter lets `name` through. */
bool bo_filter_allows(struct bo_filter *names, const char *name);

/*
 * The first name that matched nothing, or NULL; *suggestion_ret (may be NULL) is then the text of
 * bo_suggestion_text for it.
 */
const char *bo_filter_unmatched(struct bo_filter *names, const char **suggestion_ret);

struct bo_bench_options {
    struct bo_filter codecs, kinds, workloads; /* kinds: also the operations' labels */
    unsigned rounds;   /* repetitions of each row, each in a process of its own */
    double min_time_s; /* of a repetition */
    double verify_s;   /* a row's answers are compared once, or for so long where that is shorter */
    unsigned timeout_s;  /* on the wall, of a process */
    uint64_t order_seed; /* of the shuffles */
    /* Programs that measure in other layouts (agents.h), one round each in turn; NULL: this one. */
    struct bo_agents *agents;
};

/* ---- the plan -------------------------------------------------------------------------------- */

enum bo_operation { BO_ENCODE, BO_DECODE, BO_MERGE, BO_OPEN, BO_OPEN_COLD, BO_QUERY, BO_ACTIONS };

/* All before BO_QUERY, with their labels. */
enum { BO_N_OPERATIONS = BO_QUERY };
extern const struct bo_operation_label {
    const char *label;
    enum bo_operation operation;
} bo_operations[BO_N_OPERATIONS];

struct bo_bench_row {
    const char *name;  /* "pcdata/linear-index/go-cmd/point/uniform" */
    const char *label; /* its end: "point/uniform", "encode" */
    enum bo_operation operation;
    const struct bo_query_set *query_set; /* of BO_QUERY */
    const struct bo_actions *actions;     /* of BO_ACTIONS */
    struct bo_record exact;               /* counters only */
    struct bo_record *times;              /* one a repetition; room for options.rounds */
    unsigned n_times;
    unsigned n_rounds; /* that have measured it */
    bool is_due;       /* in the round that runs */
    /* "" while the row is sound; a failed row is not measured again. */
    char failure[BO_MAX_MESSAGE];
};

/* An encoded document in a file without a name, shared by all processes. */
struct bo_payload {
    int fd;
    bool ready;
    uint64_t nbytes, counted_nbytes;
};

/*
 * What follows "unsupported: " in a message, which is why a codec cannot hold a document; else
 * NULL.
 */
const char *bo_refusal_in(const char *message);

/* ---- variants -------------------------------------------------------------------------------- */

/*
 * How a codec is measured: as it is, with less, or in other pages. The first variant is a codec
 * as it is. Rows of the others have the suffix behind the codec's name.
 */
struct bo_variant {
    const char *suffix; /* "", "@portable", "@keep=1048576" */
    bool portable;      /* on its portable path: of codecs that have taken another one */
    size_t keep_nbytes; /* that readers may keep (struct bo_arena): of codecs that keep something */
    bool huge;          /* encoding and reader in huge pages (huge.h): queries of open readers */
};

/*
 * Documents with less text have no rows in huge pages: their encodings are a few MiB at most, whose
 * addresses the processor's second-level TLB holds in pages of 4 KiB.
 */
enum { BO_HUGE_TEXT_NBYTES = 16 << 20 };

enum { BO_N_VARIANTS = 6 };
extern const struct bo_variant bo_variants[BO_N_VARIANTS];

/*
 * Whether a codec is measured so, on this machine: the portable variant where its code path is
 * another one; a budget where its readers keep what they read; huge pages where the document is
 * large and the system has them. Curves have no variants but the last.
 */
bool bo_has_variant(const struct bo_document *document, const struct bo_codec *codec,
                    const struct bo_variant *variant);

struct bo_bench_cell {
    const struct bo_codec *codec;
    const struct bo_variant *variant;
    const struct bo_bench_document *on;
    struct bo_payload *payload; /* shared with the other readers of the encoding */
    struct bo_bench_row *rows;
    unsigned n_rows;
};

/*
 * Why the cell's encoding cannot hold the document, which fails all rows and is no mistake; else
 * NULL.
 */
const char *bo_cell_refusal(const struct bo_bench_cell *cell);

struct bo_bench_document {
    const struct bo_document *document;
    /* the plan's document that this is; another one where an encoding cannot hold all of that */
    const struct bo_bench_document *whole;
    uint64_t text_nbytes; /* of the canonical text */
    uint64_t n_units;     /* of the format's first unit */
    struct bo_query_set *sets;
    unsigned n_sets;
    struct bo_actions actions; /* of the recorded workload; none: n is 0 */
};

struct bo_plan {
    struct bo_bench_document *documents;
    unsigned n_documents;
    struct bo_bench_cell
        *cells; /* document by document, codecs in the format's order, then the no-op codec */
    unsigned n_cells, n_rows;
};

/*
 * Whether a codec is measured on a document. On one for curves over sizes only the codecs of the
 * first axis are, encoding, opening and answering the first workload.
 */
bool bo_is_measured(const struct bo_document *document, const struct bo_codec *codec);

/* Draws all queries and lays out the rows, in `arena`. The documents must outlive the plan. */
enum bo_status bo_plan_make(struct bo_bench_options *options, const struct bo_document *documents,
                            size_t n_documents, struct bo_arena *arena, struct bo_plan *plan_ret,
                            struct bo_error *err);

/*
 * How many rows the documents have at most: sets of queries that turn out empty are counted. Marks
 * the names in the filters that match something.
 */
uint64_t bo_plan_count_rows(struct bo_bench_options *options, const struct bo_document *documents,
                            size_t n_documents);

/*
 * How long a repetition may last, in seconds, so that the run takes about budget_s: 8 ms where the
 * rows are few, 1 ms at least.
 */
double bo_plan_min_time(uint64_t n_rows, unsigned rounds, double budget_s);

/* Closes the payloads' files. */
void bo_plan_close(struct bo_plan *plan);

#endif
