/* Measures the queries of a workload on an open reader. */
#ifndef BO_QUERY_BATCHES_H
#define BO_QUERY_BATCHES_H

#include "bench/measure/plan.h"

enum { BO_PAGES_SAMPLE = 64 }; /* queries of a set whose pages are counted */

/* A document opened by a codec. */
struct bo_opened {
    const struct bo_codec *codec;
    void *reader;
    struct bo_span payload; /* page-aligned, a mapping of its own */
    size_t keep_nbytes;     /* see struct bo_arena */
    /* the payload and the readers are in huge pages: see struct bo_arena */
    bool huge_pages;
    const struct bo_arena *arena; /* of the reader */
    bool answers_right;           /* false for the no-op codec: no verification, no page counts */
};

/* Opens the payload again, in an arena that is initialised here. The caller frees it. */
enum bo_status bo_open_in(const struct bo_opened *opened, struct bo_arena *arena, void **reader_ret,
                          struct bo_error *err);

/*
 * Compares the answers of a row, once or for as long as options->verify_s allows, on a document of
 * n_units. Sets in *exact: set_queries, verified_queries, answer_bytes, units_per_query for a kind
 * that returns the whole document, and touched_pages, the mean over a sample of single queries.
 * touched_pages is not set for huge pages, which counting would split. On false, the message
 * (BO_MAX_MESSAGE) is the reason.
 */
bool bo_check_queries(const struct bo_opened *opened, const struct bo_bench_row *row,
                      uint64_t n_units, const struct bo_bench_options *options,
                      struct bo_record *exact, char *message);

/*
 * Runs one repetition, which starts at a position in the set that depends on the round. Compares
 * the answers of the warm-up queries. The caches are emptied before each batch of a cold workload.
 * If the codec's readers keep something, the reader must have been opened for this row; the record
 * then has fresh_ns, the time of each of its first queries (one call), and reader_bytes, the bytes
 * that it holds at the end. On false, record->message is the reason.
 */
bool bo_measure_queries(const struct bo_opened *opened, const struct bo_bench_row *row,
                        const struct bo_bench_options *options, unsigned round,
                        struct bo_record *record);

/*
 * Runs one repetition of all actions of a recorded session. Each action is timed separately, at
 * least once. record->real_ns is the time of the median action, worst_action_ns that of the longest
 * one; the time of an action is its median over the passes of the repetition. Answers are compared
 * before the row's first repetition.
 */
bool bo_measure_actions(const struct bo_opened *opened, const struct bo_bench_row *row,
                        double min_time_s, bool is_first, struct bo_record *record,
                        struct bo_record *exact);

#endif
