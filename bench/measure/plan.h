/* The plan of a run: cells (a codec on a document), their rows, and the results of each. */
#ifndef BO_PLAN_H
#define BO_PLAN_H

#include "bench/measure/actions.h"
#include "bench/measure/record.h"
#include "corpora/documents.h"
#include "harness/core/suggest.h"

/* ---- options of the caller ------------------------------------------------------------------- */

enum { BO_MAX_NAMES = 64, BO_MAX_NAME = 64 };

/*
 * A filter of names. Without names it accepts everything; a * matches any characters. It records
 * which of its names matched something, and the nearest candidate for the others.
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

/* True when the filter accepts `name`. */
bool bo_filter_allows(struct bo_filter *names, const char *name);

/*
 * The first name that matched nothing, or NULL; *suggestion_ret (may be NULL) is then the text of
 * bo_suggestion_text for it.
 */
const char *bo_filter_unmatched(struct bo_filter *names, const char **suggestion_ret);

struct bo_bench_options {
    struct bo_filter codecs, kinds, workloads; /* kinds: also the operations' labels */
    unsigned rounds;    /* repetitions of each row, each in a process of its own */
    double min_time_s;  /* of a repetition */
    double verify_s;    /* a row's answers are compared once, or for this long if that is shorter */
    bool checks;        /* only compares answers and counts pages; bo_rounds_run sets it */
    unsigned timeout_s; /* wall-clock time of a process */
    uint64_t order_seed; /* of the shuffles */
    /*
     * On the clock of bo_wall_ns; 0: none. After the first round, a round that would end later is
     * not started.
     */
    uint64_t deadline_ns;
    bool budgets; /* also with budgets for what readers keep: see bo_variants */
    /*
     * Programs that measure in other layouts (agents.h), one per round in turn; NULL: this program.
     */
    struct bo_agents *agents;
};

/* ---- the plan -------------------------------------------------------------------------------- */

enum bo_operation { BO_ENCODE, BO_DECODE, BO_MERGE, BO_OPEN, BO_OPEN_COLD, BO_QUERY, BO_ACTIONS };

/* The operations before BO_QUERY, which have labels. */
enum { BO_N_OPERATIONS = BO_QUERY };
extern const char *const bo_operations[BO_N_OPERATIONS];

struct bo_bench_row {
    const char *name;  /* "pcdata/linear-index/go-cmd/point/uniform" */
    const char *label; /* the end of the name: "point/uniform", "encode" */
    enum bo_operation operation;
    const struct bo_query_set *query_set; /* of BO_QUERY */
    const struct bo_actions *actions;     /* of BO_ACTIONS */
    struct bo_record exact;               /* only counters */
    struct bo_record *times;              /* one per repetition; room for options.rounds */
    unsigned n_times;
    unsigned n_rounds; /* rounds that have measured it */
    bool is_due;       /* to be measured in the current round */
    /* "" while the row has no failure. A failed row is not measured again. */
    char failure[BO_MAX_MESSAGE];
};

/* An encoded document in an unnamed file, which all processes share. */
struct bo_payload {
    int fd;
    bool ready;
    uint64_t nbytes, counted_nbytes;
};

/*
 * The text after "unsupported: " in a message, the reason why a codec cannot hold a document; NULL
 * without it.
 */
const char *bo_refusal_in(const char *message);

/* ---- variants -------------------------------------------------------------------------------- */

/*
 * A way to measure a codec: unchanged, with a restriction, or in other pages. The first variant is
 * the unchanged codec. Rows of the others have the suffix after the codec's name.
 */
struct bo_variant {
    const char *suffix; /* "", "@portable", "@keep=1048576" */
    bool portable;      /* on its portable path, for codecs that run another path by default */
    /* bytes that readers may keep (struct bo_arena), for codecs that keep something */
    size_t keep_nbytes;
    /* encoding and reader in huge pages (huge.h), for queries of open readers */
    bool huge;
};

/*
 * Documents with less text are not measured in huge pages. Their encodings have at most a few MiB,
 * and the processor's second-level TLB covers these with pages of 4 KiB.
 */
enum { BO_HUGE_TEXT_NBYTES = 16 << 20 };

enum { BO_N_VARIANTS = 6 };
extern const struct bo_variant bo_variants[BO_N_VARIANTS];

/*
 * True when a codec is measured in this variant on this machine: the portable variant if its
 * default code path is another one; a budget if its readers keep what they read and the options
 * want budgets; huge pages if the document is large and the system provides them. Of the curves'
 * documents, only the last variant is measured.
 */
bool bo_has_variant(const struct bo_bench_options *options, const struct bo_document *document,
                    const struct bo_codec *codec, const struct bo_variant *variant);

struct bo_bench_cell {
    const struct bo_codec *codec;
    const struct bo_variant *variant;
    const struct bo_bench_document *on;
    struct bo_payload *payload; /* shared with other readers of the encoding */
    struct bo_bench_row *rows;
    unsigned n_rows;
};

/*
 * The reason why the cell's encoding cannot hold the document; all its rows then fail, which is not
 * an error. NULL if it can.
 */
const char *bo_cell_refusal(const struct bo_bench_cell *cell);

struct bo_bench_document {
    const struct bo_document *document;
    unsigned kinds;       /* bit k is set if it has queries of the kind k, unless filtered out */
    uint64_t text_nbytes; /* of the canonical text */
    uint64_t n_units;     /* number of the format's first unit */
    struct bo_query_set *sets;
    unsigned n_sets;
    struct bo_actions actions; /* of the recorded workload; n is 0 without actions */
};

struct bo_plan {
    /* the whole document; a cell has another one if its encoding cannot hold all of it */
    struct bo_bench_document *on;
    struct bo_bench_cell *cells; /* codecs in the format's order, then the no-op codec */
    unsigned n_cells, n_rows;
};

/*
 * True when a codec is measured on a document. On a document for curves, only codecs of the first
 * axis are measured: encoding, opening and the first workload.
 */
bool bo_is_measured(const struct bo_document *document, const struct bo_codec *codec);

/*
 * Draws all queries and lays out the rows, in `arena`, whose blocks become huge pages: forking is
 * faster with fewer pages. The document must outlive the plan. Aborts when memory is exhausted.
 */
enum bo_status bo_plan_make(struct bo_bench_options *options, const struct bo_document *document,
                            struct bo_arena *arena, struct bo_plan *plan_ret, struct bo_error *err);

/*
 * The maximum number of rows for a document; it includes query sets that turn out empty. Marks the
 * names in the filters that match something.
 */
uint64_t bo_plan_count_rows(struct bo_bench_options *options, const struct bo_document *document);

/* Steps of progress for a repetition of a row: about proportional to its time on the document. */
uint64_t bo_row_steps(const struct bo_document *document);

/*
 * The maximum time of a repetition in seconds for a run of about budget_s: 8 ms if there are few
 * rows, at least 1 ms.
 */
double bo_plan_min_time(uint64_t n_rows, unsigned rounds, double budget_s);

/* Closes the payloads' files. */
void bo_plan_close(struct bo_plan *plan);

#endif
