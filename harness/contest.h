/*
 * A reader against the oracle: batches of queries whose answers must agree. What the checks are
 * made of.
 */
#ifndef BO_CONTEST_H
#define BO_CONTEST_H

#include "harness/check.h"

enum { BO_CONTEST_BATCH = 512 };

/* A batch of queries and the two sets of answers that must agree. */
struct bo_contest {
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
bool bo_contest_init(struct bo_contest *c);

/* Asks about the first n queries; answers go to `expected`, whose buffer grows until they fit. */
enum bo_status bo_contest_ask_oracle(struct bo_contest *c, size_t n);

/* Asks the codec, after the oracle has been asked the same; answers go to `got`. */
enum bo_status bo_contest_ask_codec(struct bo_contest *c, size_t n);

/*
 * Writes a query as its text and 32-bit words of the host, in decimal: enough to ask it again. At
 * least 64 bytes of room.
 */
void bo_contest_describe_query(const struct bo_contest *c, const uint8_t *query, char *text,
                               size_t n);

/*
 * Asks the reader everything, or a sample as `effort` says, in every query kind that the codec
 * answers. False with the finding filled at the first answer that is not the oracle's. *n_cases
 * counts queries. What is asked and answered in a kind takes memory of its own, up to the budget.
 */
bool bo_contest_all_kinds(const struct bo_format *format, const struct bo_codec *codec,
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

/*
 * True when an error is well told: a named status other than OK, the same in *error, and a phrase.
 */
bool bo_well_told(enum bo_status status, const struct bo_error *error);

#endif
