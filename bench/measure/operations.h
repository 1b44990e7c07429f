/* Measures encode, decode, merge and open of a codec on a document. */
#ifndef BO_OPERATIONS_H
#define BO_OPERATIONS_H

#include "bench/measure/plan.h"

/*
 * One repetition of a row that is not a query. The row's first repetition compares a decoded or
 * merged document with the right model before anything is timed, and stores the memory figures of
 * one operation in `exact`. On false, record->message is the reason.
 */
bool bo_measure_operation(const struct bo_bench_cell *cell, const struct bo_bench_row *row,
                          struct bo_span payload, double min_time_s, bool is_first,
                          struct bo_record *record, struct bo_record *exact);

/* "corrupt at byte 1042: child count exceeds the node's end", in the form of messages. */
void bo_say_error(const struct bo_error *err, char *message, size_t message_nbytes);

#endif
