/*
 * The records of a trace whose names are stored as terms. The sequence of Begins and Ends is
 * predicted from what followed the last time. The contents of a Begin are stored once for each
 * distinct Begin.
 */
#ifndef TEMPLIGHT_TERMS_RECORDS_H
#define TEMPLIGHT_TERMS_RECORDS_H

#include "codecs/templight/templight.h"
#include "codecs/templight/terms/prefix_code.h"

/* Appends what templight_open_records reads: records, then times. */
enum bo_status templight_put_records(const struct templight_trace *trace, struct bo_writer *out,
                                     struct bo_error *err);

/* A trace's records in a file. */
struct templight_records {
    struct bo_span in; /* the file */
    uint32_t n_records, n_names, n_files;
    size_t off, nbytes;
};

/* Looks at no more than how many there are. */
enum bo_status templight_open_records(struct bo_span in, size_t off, size_t nbytes,
                                      uint32_t n_names, uint32_t n_files,
                                      struct templight_records *records, struct bo_error *err);

/* Reads all records; each is handed to `visit`, which may fail. Scratch memory from `arena`. */
typedef enum bo_status templight_visit_record(void *context, const struct templight_record *record,
                                              struct bo_error *err);
enum bo_status templight_each_record(const struct templight_records *records,
                                     struct bo_arena *arena, templight_visit_record *visit,
                                     void *context, struct bo_error *err);

#endif
