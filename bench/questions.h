/*
 * A workload's queries on one document, with the right answers: drawn once, asked of every codec,
 * cut into chunks that are asked by one call each.
 */
#ifndef BO_QUESTIONS_H
#define BO_QUESTIONS_H

#include "harness/format.h"

/* Every set is drawn from this seed, mixed with the names of its kind and workload. */
enum { BO_QUESTION_SEED = 1 };

/* Consecutive queries, and where their right answers lie. */
struct bo_chunk {
    size_t first, n; /* queries */
    size_t answers_off, answers_nbytes;
};

struct bo_questions {
    const struct bo_format *format;
    const struct bo_query_kind *kind;
    const struct bo_workload *workload;
    unsigned kind_index;
    size_t n;
    const uint8_t *queries;
    const uint8_t *answers; /* the oracle's */
    size_t answers_nbytes;
    const struct bo_chunk *chunks;
    size_t n_chunks;
    size_t max_answers_nbytes; /* of a chunk */
};

/*
 * Draws a set in `arena` and asks the oracle. *questions_ret has n = 0 when the document has no
 * place to ask for. The same on every machine.
 */
enum bo_status bo_questions_draw(const struct bo_format *format, const struct bo_query_kind *kind,
                                 const struct bo_workload *workload, const void *model,
                                 struct bo_arena *arena, struct bo_questions *questions_ret,
                                 struct bo_error *err);

/*
 * Asks a reader the chunk's queries; answers->n becomes the bytes answered. `answers` has room for
 * max_answers_nbytes. A dependent workload's first query of a chunk stands by itself, each later
 * one is linked to the answer before it.
 */
enum bo_status bo_questions_ask(const struct bo_questions *questions, const struct bo_chunk *chunk,
                                const struct bo_codec *codec, void *reader,
                                struct bo_sink *answers);

/*
 * Whether the answers to the chunk are the oracle's. If not, *wrong_ret is the first query answered
 * wrongly (for a kind of variable answer size: the chunk's first).
 */
bool bo_questions_right(const struct bo_questions *questions, const struct bo_chunk *chunk,
                        const struct bo_sink *answers, size_t *wrong_ret);

#endif
