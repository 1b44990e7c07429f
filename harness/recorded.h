/*
 * Recorded workloads: the queries that a real program ran on a document, in their order.
 *
 * The file format, bakeoff-workload 1, is specified in docs/workloads.md. It is the same for all
 * formats: a query is written with the arguments that `bakeoff query` takes.
 */
#ifndef BO_RECORDED_H
#define BO_RECORDED_H

#include "harness/format.h"

/* A header's fields; texts point into the copy of the file that the arena holds. */
struct bo_recorded_header {
    uint64_t document;                      /* XXH3-64 of the document's canonical text form */
    struct bo_span program, version, means; /* the program that ran, and how it was recorded */
    size_t stretch; /* queries of a typical walk through the data; 0: not stated */
};

/* The queries of one kind, in the order in which they were run. */
struct bo_recorded_kind {
    size_t n, n_hits, cap;
    uint8_t *queries; /* of query_size bytes */
    struct bo_recorded_place {
        size_t off;      /* of the query's line in the file */
        uint32_t action; /* its number; 0 in a file without actions */
        bool hit; /* answered by the consumer's own cache: a reader without a cache runs it */
    } * places;
};

/* Consecutive queries of one kind within an action. */
struct bo_recorded_run {
    unsigned kind;
    size_t first, n; /* in the kind's queries */
};

/* What a user did, and the queries that this caused: runs from first on. */
struct bo_recorded_action {
    struct bo_span name;
    size_t first, n; /* runs */
};

struct bo_recorded {
    const struct bo_format *format;
    struct bo_recorded_header header;
    struct bo_recorded_kind kinds[BO_MAX_KINDS];
    struct bo_recorded_run *runs; /* of all actions */
    size_t n_runs, cap_runs;
    struct bo_recorded_action *actions;
    size_t n_actions, cap_actions;
};

/*
 * Reads a file. Everything is in `arena`; `text` is not kept. BO_CORRUPT and BO_UNSUPPORTED with
 * the byte of the line or field that breaks a rule.
 */
enum bo_status bo_recorded_parse(struct bo_span text, struct bo_arena *arena,
                                 struct bo_recorded **recorded_ret, struct bo_error *err);

/* Runs every query with the oracle: BO_OUT_OF_RANGE, with its line's byte, for an invalid one. */
enum bo_status bo_recorded_check(const struct bo_recorded *recorded, const void *model,
                                 struct bo_arena *arena, struct bo_error *err);

enum { BO_N_RECORDED_WORKLOADS = 3 };

/*
 * The workloads of one kind: recorded (without the consumer's hits), recorded-all where there are
 * hits, recorded-cold. Returns how many; 0 when the program ran no such query. They point into
 * `recorded`.
 */
enum bo_status bo_recorded_workloads(const struct bo_recorded *recorded, unsigned kind,
                                     struct bo_arena *arena,
                                     struct bo_workload workloads_ret[BO_N_RECORDED_WORKLOADS],
                                     unsigned *n_ret, struct bo_error *err);

extern const char *const bo_recorded_names[BO_N_RECORDED_WORKLOADS];

/* The header of a new file: all fields but the last three, which are the recorder's to fill in. */
void bo_recorded_put_header(const struct bo_format *format, uint64_t document,
                            struct bo_writer *out);

#endif
