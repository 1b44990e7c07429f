/*
 * Compares a reader with the oracle: batches of queries whose answers must agree. The checks are
 * built on this.
 */
#ifndef BO_AGREEMENT_H
#define BO_AGREEMENT_H

#include "harness/check/check.h"

enum { BO_AGREEMENT_BATCH = 512 };

/* A batch of queries and the two sets of answers that must agree. */
struct bo_agreement {
    const struct bo_format *format;
    const struct bo_codec *codec;
    const struct bo_query_kind *kind;
    const void *model;
    void *reader;
    uint8_t *queries; /* room for BO_AGREEMENT_BATCH queries */
    struct bo_sink expected, got;
    struct bo_arena *arena;
    struct bo_finding *finding;
    struct bo_error error; /* the last error of the codec */
};

/*
 * Allocates queries, expected and got; the caller has set the other members. False with the finding
 * filled when memory is exhausted.
 */
bool bo_agreement_init(struct bo_agreement *c);

/*
 * Runs the oracle on the first n queries. The answers go to `expected`, which grows until they fit.
 */
enum bo_status bo_agreement_run_oracle(struct bo_agreement *c, size_t n);

/* Runs the same queries on the codec, after the oracle; answers go to `got`. */
enum bo_status bo_agreement_run_codec(struct bo_agreement *c, size_t n);

/* The codec's answers. */
struct bo_span bo_agreement_got(const struct bo_agreement *c);

/*
 * Writes a query as text and as 32-bit words of the host in decimal, so that it can be repeated.
 * The text's room n is at least 64 bytes.
 */
void bo_agreement_describe_query(const struct bo_agreement *c, const uint8_t *query, char *text,
                                 size_t n);

/*
 * Runs all queries of every kind that the codec supports, or a sample limited by `effort`. False
 * with the finding filled at the first answer that differs from the oracle's. *n_cases counts
 * queries. Then some queries of each kind are run again, since the reader may answer them from what
 * it has kept of later kinds. The buffers of each kind are allocated separately, within the budget.
 */
bool bo_agreement_all_kinds(const struct bo_format *format, const struct bo_codec *codec,
                            const void *model, void *reader, const struct bo_effort *effort,
                            uint64_t *n_cases, struct bo_finding *finding);

/* ---- findings -------------------------------------------------------------------------------- */

/* Fills a finding (NULL is allowed) with an empty detail. kind may be NULL. */
void bo_finding_set(struct bo_finding *finding, const struct bo_format *format,
                    const struct bo_query_kind *kind, const struct bo_codec *codec, const char *b,
                    const char *class);

/* Sets the finding's detail to the text of an error. */
void bo_finding_explain(struct bo_finding *finding, const char *doing,
                        const struct bo_error *error);

/* One side's answer to a query. A status other than BO_OK means that there is no answer. */
struct bo_reply {
    const char *whose; /* a codec's name, or "oracle" */
    enum bo_status status;
    struct bo_span answer;
};

/*
 * Sets the finding's answers: the first line of each reply that differs, as the kind prints it, and
 * its number. A wrong answer may be malformed, so it is printed in a process of its own.
 */
void bo_finding_compare(struct bo_finding *finding, const struct bo_query_kind *kind,
                        const void *query, const struct bo_reply *a, const struct bo_reply *b);

/*
 * True when the error is complete: a named status other than BO_OK, the same status in *error, and
 * a phrase.
 */
bool bo_error_is_complete(enum bo_status status, const struct bo_error *error);

/* ---- allocation failures --------------------------------------------------------------------- */

/*
 * The allocations to fail: each of the first n_first, then one drawn at random from each doubling.
 * So late allocations of an operation with 10^6 of them fail, too, in about the time of two runs.
 */
struct bo_failures {
    uint64_t n_first;
    struct bo_random random;
    uint64_t at; /* the allocation's number, from 1 */
};

/* Moves to the next failure. False when n_first is 0, which disables failures. */
static inline bool bo_next_failure(struct bo_failures *f)
{
    const uint32_t span = f->at < UINT32_MAX ? (uint32_t)f->at : UINT32_MAX;
    f->at += 1 + (f->at < f->n_first ? 0 : bo_random_below(&f->random, span ? span : 1));
    return f->n_first != 0;
}

/*
 * True when an operation ended correctly: with success if no allocation failed, else with a named
 * error.
 */
static inline bool bo_ends_well(enum bo_status status, const struct bo_error *error,
                                bool is_complete)
{
    return is_complete ? status == BO_OK
                       : status == BO_NO_MEMORY && bo_error_is_complete(status, error);
}

#endif
