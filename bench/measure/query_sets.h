/*
 * A workload's queries on one document, with the right answers: drawn once, run on every codec, and
 * cut into chunks. Each chunk is one call.
 */
#ifndef BO_QUERY_SETS_H
#define BO_QUERY_SETS_H

#include "harness/format.h"

/* Every set is drawn from this seed, mixed with the names of its kind and workload. */
enum { BO_QUERY_SEED = 1 };

/* Bytes. A set whose answers need more is cut short; it is empty if one answer alone needs more. */
enum { BO_MAX_ANSWERS_NBYTES = 256 << 20 };

/* Queries between two emptyings of the caches in a cold workload. */
enum { BO_COLD_BATCH = 64 };

/* Consecutive queries and their right answers. */
struct bo_chunk {
    size_t first, n; /* queries */
    size_t answers_off, answers_nbytes;
};

struct bo_query_set {
    const struct bo_query_kind *kind;
    const struct bo_workload *workload;
    const char *label; /* "point/uniform": the names of both */
    unsigned kind_index;
    size_t n;
    const uint8_t *queries;
    const uint8_t *answers; /* the oracle's */
    size_t answers_nbytes;
    const struct bo_chunk *chunks;
    size_t n_chunks;
    size_t max_answers_nbytes; /* of a chunk */
    bool too_large;            /* n is 0 because one answer alone exceeds the limit */
};

/* The only query is for the whole document: its time grows with the document. */
static inline bool bo_is_whole(const struct bo_query_kind *kind)
{
    return kind->query_size == 0 && kind->answer_size == 0;
}

/*
 * Draws a set in `arena` and runs the oracle. *set_ret has n = 0 when the document has no
 * input for the workload or an answer is too large. A set is cut short if the sum of its answers
 * would be too large. The set is the same on every machine. Aborts when memory is exhausted.
 */
enum bo_status bo_query_set_draw(const struct bo_format *format, const struct bo_query_kind *kind,
                                 const struct bo_workload *workload, const void *model,
                                 struct bo_arena *arena, struct bo_query_set *set_ret,
                                 struct bo_error *err);

/*
 * Runs the chunk's queries on a reader and sets answers->n to the number of answer bytes. `answers`
 * has room for max_answers_nbytes. In a dependent workload the first query of a chunk is
 * independent, and each later one is linked to the answer before it. On failure, *err is the
 * codec's error, or empty (err->what is NULL).
 */
enum bo_status bo_query_set_run(const struct bo_query_set *query_set, const struct bo_chunk *chunk,
                                const struct bo_codec *codec, void *reader, struct bo_sink *answers,
                                struct bo_error *err);

/* Reads the chunk's queries and their texts once, like a caller that has just made them. */
void bo_query_set_touch(const struct bo_query_set *query_set, const struct bo_chunk *chunk);

/*
 * True when the answers to the chunk equal the oracle's. If not, *wrong_ret is the first query
 * answered wrongly (for a kind of variable answer size: the chunk's first).
 */
bool bo_query_set_is_right(const struct bo_query_set *query_set, const struct bo_chunk *chunk,
                           const struct bo_sink *answers, size_t *wrong_ret);

#endif
