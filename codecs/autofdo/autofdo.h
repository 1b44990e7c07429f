/*
 * AutoFDO: sampled profiles of programs, from a function's name to its tree of counts.
 *
 * The model and the queries. Public to the format's codecs and to importers; see README.md in this
 * folder for the text form and the byte layouts.
 */
#ifndef AUTOFDO_H
#define AUTOFDO_H

#include "harness/codec.h"
#include "harness/format.h"

/* ---- the model: all functions of one profile ------------------------------------------------- */

enum {
    AUTOFDO_MAX_DEPTH = 256,  /* nested instances, the function itself included */
    AUTOFDO_MAX_LINE = 65535, /* lines are modulo 65536: those before the function's start wrap */
    AUTOFDO_N_CUTOFFS = 16,   /* entries of the detailed summary */
};

/* The callee of an indirect or direct call, and the number of its calls. */
struct autofdo_target {
    struct bo_span name;
    uint64_t count;
};

/* What was counted at one place of an instance's own body. */
struct autofdo_record {
    uint32_t line; /* from the function's first line, at most AUTOFDO_MAX_LINE */
    uint32_t discriminator;
    uint64_t count;
    size_t n_targets;
    const struct autofdo_target *targets; /* by name, each once */
};

/*
 * A function's counts, either of the function itself or of a place where it was inlined. An
 * instance without records and callsites is valid.
 */
struct autofdo_instance {
    struct bo_span name;
    size_t n_records, n_callsites;
    const struct autofdo_record *records; /* by (line, discriminator), each place once */
    const struct autofdo_callsite
        *callsites; /* by (line, discriminator, name of callee), each once */
};

/* A place at which a function was inlined. */
struct autofdo_callsite {
    uint32_t line, discriminator; /* as a record's; a place may have records and callees */
    struct autofdo_instance callee;
};

/* A function with its own code, not an inlined instance. */
struct autofdo_function {
    uint64_t head;      /* how often it was entered */
    uint64_t timestamp; /* when it first ran; 0 without one */
    struct autofdo_instance body;
};

/* The source file in which a function, possibly one that was only inlined, is defined. */
struct autofdo_file {
    struct bo_span name; /* of the function */
    struct bo_span path; /* may be empty */
};

/*
 * Everything is in canonical order: by the names' unsigned bytes, a prefix before the longer name.
 * Existing writers use the order of their hash tables, which has no meaning.
 */
struct autofdo_model {
    size_t n_functions;
    const struct autofdo_function *functions; /* by name, each once */
    size_t n_files;
    const struct autofdo_file
        *files; /* by name, each once; of functions and callees in the profile */
};

/*
 * NULL if a function may have this name, else a static phrase. Names have at least one byte, no
 * control characters, no blank at either end, and do not start with a digit, '#', '!', '[' or ':'.
 * They do not contain a colon, digits and a blank in a row, which ends a name in LLVM's text form.
 * Real names contain blanks: "emplace<void (*&)(void*), void*&>".
 */
const char *autofdo_name_flaw(struct bo_span name);

/* The same for a path: no control characters. */
const char *autofdo_path_flaw(struct bo_span path);

/* NULL if the model follows the rules above, else a static phrase. Scratch memory from `arena`. */
const char *autofdo_model_flaw(const struct autofdo_model *model, struct bo_arena *arena);

/* The path of a function's file, NULL when it has none. */
const struct bo_span *autofdo_path_of(const struct autofdo_model *model, struct bo_span name);

/* Sums saturate at 2^64 - 1. */
static inline uint64_t autofdo_add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

/* ---- the summary: what v3 and v4 store, computed from the model ------------------------------ */

extern const uint32_t autofdo_cutoffs[AUTOFDO_N_CUTOFFS]; /* parts per million, ascending */

/*
 * The summary of the counts of all body records, including those of inlined instances, in
 * descending order. Equal counts form one group. Entry i states how many counts, in whole groups,
 * reach total * cutoff / 10^6 (rounded down), and the least of them. Totals saturate.
 */
struct autofdo_summary {
    uint64_t total_count;
    uint64_t max_count;
    uint64_t max_head;    /* of functions */
    uint64_t n_counts;    /* body records */
    uint64_t n_functions; /* not inlined */
    struct autofdo_entry {
        uint64_t min_count, n_counts;
    } entries[AUTOFDO_N_CUTOFFS];
};

/* Takes scratch memory from `arena`. */
enum bo_status autofdo_summarize(const struct autofdo_model *model, struct bo_arena *arena,
                                 struct autofdo_summary *summary_ret, struct bo_error *err);

/* ---- queries --------------------------------------------------------------------------------- */

enum autofdo_query_kind {
    AUTOFDO_SUMMARY,  /* nothing; a struct autofdo_summary */
    AUTOFDO_FUNCTION, /* struct autofdo_name_query; a struct autofdo_answer in a sink */
    AUTOFDO_TU,   /* struct autofdo_path_query; a struct autofdo_digest of all functions in it */
    AUTOFDO_SCAN, /* nothing; a struct autofdo_digest of all functions */
    AUTOFDO_N_KINDS
};

struct autofdo_name_query {
    struct bo_span name; /* of a function with its own code */
};

/*
 * A translation unit: the functions of one source file. Functions without a file are in the unit of
 * the path "".
 */
struct autofdo_path_query {
    struct bo_span path;
};

/*
 * A digest of all that is read of functions: names (also those of callees and targets), places,
 * counts. Digests of several functions are added; the order of reading does not matter.
 */
struct autofdo_digest {
    uint64_t n_functions;
    uint64_t n_instances; /* a function's own, too */
    uint64_t n_records, n_targets;
    uint64_t hash;
};

/* One function: n_functions is 1. All 0, and no targets, when no function has that name. */
struct autofdo_answer {
    uint64_t head, timestamp;
    struct autofdo_digest digest;
    uint64_t n_targets;
    /* Then, for each target in the function and what it inlines, in the order of a visit: */
    /* struct autofdo_found */
};

/* One target of an answer. The name's bytes follow, and zeros to a multiple of 8. */
struct autofdo_found {
    uint64_t count;
    uint64_t name_nbytes;
};

/* ---- the digest's definition ----------------------------------------------------------------- */

/*
 * A function is visited in this order: its head; then the instance: its name, its records in order
 * (each with its targets in order), its callsites in order (each place, then the callee's
 * instance), its end. The hash of a visit is a chain over all of these; digests add the hashes of
 * functions.
 */
static inline void autofdo_mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * 0x9e3779b97f4a7c15u;
    *hash ^= *hash >> 29;
}

uint64_t autofdo_hash_name(struct bo_span name);

static inline void autofdo_visit_head(uint64_t *hash, uint64_t head, uint64_t timestamp)
{
    *hash = 0;
    autofdo_mix(hash, head);
    autofdo_mix(hash, timestamp);
}

static inline void autofdo_visit_instance(uint64_t *hash, uint64_t name_hash)
{
    autofdo_mix(hash, name_hash + 1);
}

static inline void autofdo_visit_record(uint64_t *hash, uint32_t line, uint32_t discriminator,
                                        uint64_t count)
{
    autofdo_mix(hash, (uint64_t)line << 32 | discriminator);
    autofdo_mix(hash, count + 2);
}

static inline void autofdo_visit_target(uint64_t *hash, uint64_t name_hash, uint64_t count)
{
    autofdo_mix(hash, name_hash + 3);
    autofdo_mix(hash, count);
}

static inline void autofdo_visit_callsite(uint64_t *hash, uint32_t line, uint32_t discriminator)
{
    autofdo_mix(hash, ~((uint64_t)line << 32 | discriminator));
}

static inline void autofdo_visit_end(uint64_t *hash)
{
    autofdo_mix(hash, 4);
}

#endif
