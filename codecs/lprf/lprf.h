/*
 * LPRF: profiles of instrumented programs, from a function's name to its counters.
 *
 * The model and the queries. Public to the format's codecs and to importers; see README.md in this
 * folder for the text form and the byte layouts, cross.h for the functions of an index, and
 * counters.h for the codings of the counters.
 */
#ifndef LPRF_H
#define LPRF_H

#include "harness/codec.h"
#include "harness/format.h"

/* ---- the model: all functions of one profile ------------------------------------------------- */

/* Keys are (name, hash): merged profiles hold several functions of one name. */
struct lprf_function {
    struct bo_span name;      /* any bytes, at least one */
    uint64_t hash;            /* the front end's; opaque */
    size_t n_counters;        /* at least one */
    const uint64_t *counters; /* the first is the number of calls */
};

/* No two functions have the same key. The order is kept. */
struct lprf_model {
    size_t n_functions;
    const struct lprf_function *functions;
};

/*
 * Returns NULL when the model keeps the rules above, else a static phrase. *function_ret (may be
 * NULL) is then the function concerned. Allocates memory from `arena`; if the arena
 * refuses, the phrase reports that.
 */
const char *lprf_model_flaw(const struct lprf_model *model, struct bo_arena *arena,
                            size_t *function_ret);

/* The highest first counter of all functions, 0 without functions: the maximum in the header. */
uint64_t lprf_maximum(const struct lprf_model *model);

/* ---- queries --------------------------------------------------------------------------------- */

enum lprf_query_kind {
    LPRF_LOOKUP,     /* struct lprf_name_query; a struct lprf_answer in a sink */
    LPRF_LOOKUP_KEY, /* struct lprf_key_query; the same */
    LPRF_CONTAINS,   /* struct lprf_name_query; a uint32_t, 1 when there is such a function */
    LPRF_ITERATE,    /* nothing; struct lprf_visited of all functions in file order, in a sink */
    LPRF_ITERATE_SORTED, /* the same in alphabetical order, equal names in file order */
    LPRF_SUMMARY,        /* nothing; a uint64_t: lprf_maximum */
    LPRF_N_KINDS
};

struct lprf_name_query {
    struct bo_span name;
};

struct lprf_key_query {
    struct bo_span name;
    uint64_t hash;
};

/*
 * The first function of the name in file order, or the one of the key. All 0 when no function
 * matches: functions have at least one counter.
 */
struct lprf_answer {
    uint64_t hash;
    uint64_t n_counters;
    uint64_t counters[];
};

/* One function of an iteration. The name's bytes follow, and zeros to a multiple of 8. */
struct lprf_visited {
    uint64_t name_nbytes;
    uint64_t hash;
    uint64_t n_counters;
    uint64_t counters[];
};

#endif
