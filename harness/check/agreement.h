/*
 * A reader against the oracle: batches of queries whose answers must agree. What the checks are
 * made of.
 */
#ifndef BO_CONTEST_H
#define BO_CONTEST_H

#include "harness/check/check.h"

enum { BO_CONTEST_BATCH = 512 };

/* A batch of queries and the two sets of answers that must agree. */
struct bo_agreement {
    const struct bo_format *format;
    const struct bo_codec *codec;
    const struct bo_query_kind *kind;
    const void *model;
    void *reader;
    uint8_t *queries; /* BO_CONTEST_BATCH of them */
    struct bo_sink expected, got;
    struct bo_arena *arena;
    struct bo_finding *finding;
    struct bo_error error; /* of the codec's last refusal */
};

/*
 * Fills queries, expected and got, the rest being set; false with the finding filled when memory is
 * out.
 */
bool bo_agreement_init(struct bo_agreement *c);

/* Queries the oracle, first n queries; answers go to `expected`, which grows until they fit. */
enum bo_status bo_agreement_run_oracle(struct bo_agreement *c, size_t n);

/* Runs the same queries on the codec, after the oracle; answers go to `got`. */
enum bo_status bo_agreement_run_codec(struct bo_agreement *c, size_t n);

/* The codec's answers. */
struct bo_span bo_agreement_got(const struct bo_agreement *c);

/*
 * Writes a query as its text and 32-bit words of the host, in decimal: enough to ask it again. At
 * least 64 bytes of room.
 */
void bo_agreement_describe_query(const struct bo_agreement *c, const uint8_t *query, char *text,
                                 size_t n);

/*
 * Runs all queries of every kind that the codec answers, or a sample by `effort`. False with the
 * finding filled at the first answer that differs from the oracle's. *n_cases counts queries. The
 * queries and answers of one kind take memory of their own, up to the budget.
 */
bool bo_agreement_all_kinds(const struct bo_format *format, const struct bo_codec *codec,
                            const void *model, void *reader, const struct bo_effort *effort,
                            uint64_t *n_cases, struct bo_finding *finding);

/* ---- findings -------------------------------------------------------------------------------- */

/* Fills a finding (NULL is allowed) with an empty detail. kind may be NULL. */
void bo_finding_set(struct bo_finding *finding, const struct bo_format *format,
                    const struct bo_query_kind *kind, const struct bo_codec *codec, const char *b,
                    const char *class);

/* Sets the detail to what an error says. */
void bo_finding_explain(struct bo_finding *finding, const char *doing,
                        const struct bo_error *error);

/* What somebody answered to a query; a status other than BO_OK: no answer. */
struct bo_reply {
    const char *whose; /* a codec's name, or "oracle" */
    enum bo_status status;
    struct bo_span answer;
};

/*
 * Sets the answers: of each the first line that differs, as the kind prints it, and the line's
 * number. An answer that is wrong may be malformed, so that it is printed in a process of its own.
 */
void bo_finding_compare(struct bo_finding *finding, const struct bo_query_kind *kind,
                        const void *query, const struct bo_reply *a, const struct bo_reply *b);

/*
 * True when an error is complete: a named status other than OK, the same in *error, and a phrase.
 */
bool bo_error_is_complete(enum bo_status status, const struct bo_error *error);

/* ---- allocation failures --------------------------------------------------------------------- */

/*
 * Which allocation fails: each of the first n_first in turn, then one drawn from each doubling, so
 * that of an operation with 10^6 allocations late ones fail, too, in about the time of two runs.
 */
struct bo_failures {
    uint64_t n_first;
    struct bo_random random;
    uint64_t at; /* the allocation's number, from 1 */
};

/* Goes on to the next failure; false when n_first is 0, which means none. */
static inline bool bo_next_failure(struct bo_failures *f)
{
    const uint32_t span = f->at < UINT32_MAX ? (uint32_t)f->at : UINT32_MAX;
    f->at += 1 + (f->at < f->n_first ? 0 : bo_random_below(&f->random, span ? span : 1));
    return f->n_first != 0;
}

/* Whether an operation ended as it must: in success when all allocations succeeded, else named. */
static inline bool bo_ends_well(enum bo_status status, const struct bo_error *error,
                                bool is_complete)
{
    return is_complete ? status == BO_OK
                       : status == BO_NO_MEMORY && bo_error_is_complete(status, error);
}

#endif
