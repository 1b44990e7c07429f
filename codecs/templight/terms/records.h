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

struct terms_tuple;

/* The events of all records, for reading them again. */
struct templight_events {
    bool tried;     /* they are kept, or could not be: then records are read from the file */
    bool has_times; /* some records have a time or memory, which is in the file only */
    /*
     * By record: of a Begin, 2 x its tuple; of an End, 1 + 2 x (1 + the location of its own
     * origin), or 1 without one. NULL: not kept.
     */
    uint32_t *items;
    struct terms_tuple *tuples;
    struct templight_location *locations;
};

/* A trace's records in a file. */
struct templight_records {
    struct bo_span in; /* the file */
    uint32_t n_records, n_names, n_files;
    size_t off, nbytes;
    struct templight_events events;
};

/* Looks at no more than how many there are. */
enum bo_status templight_open_records(struct bo_span in, size_t off, size_t nbytes,
                                      uint32_t n_names, uint32_t n_files,
                                      struct templight_records *records, struct bo_error *err);

/*
 * Keeps the events for later, unless they take more than *left bytes, of which they take what they
 * need. BO_NO_MEMORY when there is no memory; nothing has changed then. Invalid records are not
 * kept.
 */
enum bo_status templight_keep_events(struct templight_records *records, struct bo_arena *arena,
                                     size_t *left, struct bo_error *err);

/* Reads all records; each is handed to `visit`, which may fail. Scratch memory from `arena`. */
typedef enum bo_status templight_visit_record(void *context, const struct templight_record *record,
                                              struct bo_error *err);
enum bo_status templight_each_record(const struct templight_records *records,
                                     struct bo_arena *arena, templight_visit_record *visit,
                                     void *context, struct bo_error *err);

#endif
