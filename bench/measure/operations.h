/* Measures encode, decode, merge and open of a codec on a document. */
#ifndef BO_OPERATIONS_H
#define BO_OPERATIONS_H

#include "bench/measure/plan.h"

/*
 * One repetition of a row that is no query. The row's first one compares a decoded or merged
 * document with the right model before anything is timed, and `exact` gets the memory figures of
 * one operation. On false, record->message says why.
 */
bool bo_measure_operation(const struct bo_bench_cell *cell, const struct bo_bench_row *row,
                          struct bo_span payload, double min_time_s, bool is_first,
                          struct bo_record *record, struct bo_record *exact);

/* "corrupt at byte 1042: child count exceeds the node's end", as messages have it. */
void bo_say_error(const struct bo_error *err, char *message, size_t message_nbytes);

#endif
