/*
 * A record that a measuring process sends to its parent. It is sent as it is in memory, since both
 * processes run the same code.
 */
#ifndef BO_RECORD_H
#define BO_RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum bo_record_type {
    BO_RECORD_START,   /* the row is being measured: if the process dies now, this row fails */
    BO_RECORD_TIME,    /* one repetition's times */
    BO_RECORD_EXACT,   /* counters that hold for every repetition of the row */
    BO_RECORD_FAIL,    /* the row cannot be measured; the message says why */
    BO_RECORD_PAYLOAD, /* the document is encoded, in the shared file */
    BO_RECORD_END,     /* nothing follows; a process that ends without it has died */
    BO_RECORD_TYPE_COUNT
};

enum { BO_MAX_COUNTERS = 16, BO_COUNTER_NAME = 32, BO_MAX_MESSAGE = 240 };

struct bo_counter {
    char name[BO_COUNTER_NAME];
    double value;
};

struct bo_record {
    enum bo_record_type type;
    unsigned row;           /* in the plan of the process's cell */
    unsigned layout;        /* of a time, where a run has layouts; set by the parent */
    uint64_t iterations;    /* operations timed */
    double real_ns, cpu_ns; /* per operation */
    uint64_t payload_nbytes, payload_counted_nbytes;
    struct bo_counter counters[BO_MAX_COUNTERS];
    unsigned n_counters;
    char message[BO_MAX_MESSAGE];
};

/* Adds a counter; one too many is an error of the program and aborts. */
void bo_record_count(struct bo_record *record, const char *name, double value);

/* NULL when the record has no such counter. */
const struct bo_counter *bo_record_counter(const struct bo_record *record, const char *name);

/* False for bytes that are not a record: a process that misbehaves may have sent anything. */
bool bo_record_is_valid(const struct bo_record *record);

#endif
