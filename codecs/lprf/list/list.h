/* What list and list-table share. The layout is in list.c. */
#ifndef LPRF_LIST_H
#define LPRF_LIST_H

#include "codecs/lprf/file.h"

/* Offsets are not required to ascend, nor to differ. */
#define LPRF_LIST_CHOICES "the order of records, and which names share one"

/* The index and the records of a file that lprf_begin has begun. */
enum bo_status lprf_put_list(struct lprf_writer *w, struct bo_error *err);

/* Reads the entry at *off, below the index's end; moves *off past it. */
static inline enum bo_status lprf_read_list_entry(const struct lprf_file *file, size_t end,
                                                  size_t *off, struct lprf_entry *entry,
                                                  struct bo_error *err)
{
    const uint8_t *p = file->in.p + *off;
    const size_t left = end - *off;
    if (left < 12)
        return bo_fail(err, BO_TRUNCATED, *off, "index ends inside an entry");
    const uint32_t n = bo_le32(p);
    if (n == 0)
        return bo_fail(err, BO_CORRUPT, *off, "function without a name");
    if (n > left - 12)
        return bo_fail(err, BO_TRUNCATED, *off, "name runs past the index's end");
    const uint64_t record_off = bo_le64(p + 4 + n);
    if (record_off < file->records_off || record_off >= file->in.n)
        return bo_fail(err, BO_CORRUPT, *off + 4 + n, "offset lies outside the records");
    entry->name = (struct bo_span){p + 4, n};
    entry->off = (size_t)record_off;
    *off += 12 + (size_t)n;
    return BO_OK;
}

/* Visits all entries in order. */
enum bo_status lprf_each_of_list(const struct lprf_file *file, lprf_visit *visit, void *context,
                                 struct bo_error *err);

#endif
