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
    struct bo_span program, version, means; /* the program, its version, and the recording method */
    size_t stretch; /* queries of a typical walk through the data; 0: not stated */
};

/* The queries of one kind, in the order in which they were run. */
struct bo_recorded_kind {
    size_t n, n_hits, cap;
    uint8_t *queries; /* query_size bytes each */
    struct bo_recorded_place {
        size_t off;      /* of the query's line in the file */
        uint32_t action; /* its number; 0 in a file without actions */
        bool hit; /* a hit in the consumer's own cache; a reader without a cache runs this query */
    } * places;
};

/* Consecutive queries of one kind within an action. */
struct bo_recorded_run {
    unsigned kind;
    size_t first, n; /* indexes of the kind's queries */
};

/* An action of the user, and the runs of queries that it caused, from `first` on. */
struct bo_recorded_action {
    struct bo_span name;
    size_t first, n; /* runs */
};

struct bo_recorded {
    const struct bo_format *format;
    struct bo_recorded_header header;
    struct bo_recorded_kind kinds[BO_MAX_KINDS];
    struct bo_recorded_run *runs; /* the runs of all actions */
    size_t n_runs, cap_runs;
    struct bo_recorded_action *actions;
    size_t n_actions, cap_actions;
};

/*
 * Reads a file. The result is in `arena`; `text` need not outlive the call. BO_CORRUPT and
 * BO_UNSUPPORTED with the offset of the line or field that breaks a rule.
 */
enum bo_status bo_recorded_parse(struct bo_span text, struct bo_arena *arena,
                                 struct bo_recorded **recorded_ret, struct bo_error *err);

/*
 * Runs every query with the oracle. BO_OUT_OF_RANGE, with the offset of its line, for an invalid
 * query.
 */
enum bo_status bo_recorded_check(const struct bo_recorded *recorded, const void *model,
                                 struct bo_arena *arena, struct bo_error *err);

enum { BO_N_RECORDED_WORKLOADS = 3 };

/*
 * The workloads of one kind: recorded (without hits of the consumer's cache), recorded-all if there
 * are hits, recorded-cold. Returns their number, 0 when the program ran no such query. They point
 * into `recorded`.
 */
enum bo_status bo_recorded_workloads(const struct bo_recorded *recorded, unsigned kind,
                                     struct bo_arena *arena,
                                     struct bo_workload workloads_ret[BO_N_RECORDED_WORKLOADS],
                                     unsigned *n_ret, struct bo_error *err);

extern const char *const bo_recorded_names[BO_N_RECORDED_WORKLOADS];

/*
 * Writes the header of a new file: all fields except the last three, which the recorder must add.
 */
void bo_recorded_put_header(const struct bo_format *format, uint64_t document,
                            struct bo_writer *out);

#endif
