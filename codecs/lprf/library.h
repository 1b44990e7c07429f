/*
 * What the indexes of optional libraries share: a part of the file that the library writes, and
 * reads without validation. A checksum precedes the part, and open compares it.
 *
 * Layout of the index's start (little-endian; the part itself has the library's memory layout):
 *
 *   24  u8   width of places (index.h)
 *   25  3 x u8  0
 *   28  u32  names N
 *   32  u64  bytes of the part; 0 without names
 *   40  u64  XXH3 of 64 bits, seed 0, of the part
 *   48  the part
 *
 * The checksum detects accidental damage. It does not detect bytes forged with a matching checksum,
 * so these codecs are for measurements on trusted files only.
 */
#ifndef LPRF_LIBRARY_H
#define LPRF_LIBRARY_H

#include "codecs/lprf/index.h"

enum { LPRF_PART_OFF = LPRF_HEADER_NBYTES + 24 };

struct lprf_library_part {
    unsigned width;
    uint32_t n_names;
    struct bo_span
        part;   /* starts at a multiple of 8 in memory; a copy where it did not in the file */
    size_t end; /* in the file */
};

/* Writes the head and the part. The part's bytes count in the section `section`. */
void lprf_put_library_part(const struct lprf_writer *w, unsigned width, uint32_t n_names,
                           struct bo_span part, const char *section);

/* Reads and checks the head and the part. */
enum bo_status lprf_open_library_part(const struct lprf_file *file, struct lprf_library_part *part,
                                      struct bo_error *err);

#endif
