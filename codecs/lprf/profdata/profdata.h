/* What the writer and the reader of LLVM's indexed profiles share. The layout is in profdata.c. */
#ifndef LPRF_PROFDATA_H
#define LPRF_PROFDATA_H

#include "codecs/lprf/lprf.h"

enum {
    PROFDATA_VERSION = 13,
    PROFDATA_VERSION_OFF = 8,
    PROFDATA_TABLE_OFF_OFF = 32, /* of the offset of the table */
    PROFDATA_SUMMARY_OFF = 72,
    PROFDATA_SUMMARY_WORDS = 56,
    PROFDATA_MAXIMUM_OFF = PROFDATA_SUMMARY_OFF + 32,
    PROFDATA_ITEMS_OFF = PROFDATA_SUMMARY_OFF + 8 * PROFDATA_SUMMARY_WORDS,
    PROFDATA_RECORD_NBYTES = 32, /* of a record, without its counters */
    PROFDATA_VALUE_DATA = 8,     /* value data without values: so many bytes, 0 kinds, as a u64 */
    PROFDATA_TAIL_NBYTES = 16,   /* after the table */
};

extern const uint8_t profdata_magic[8];

/* Entry of struct bo_codec. */
enum bo_status profdata_encode(const struct bo_codec *self, const void *model,
                               struct bo_writer *out, struct bo_error *err);

/* Fills in the summary as LLVM computes it. BO_OK, or the arena's error. */
enum bo_status profdata_summarize(const struct lprf_model *model, struct bo_arena *arena,
                                  uint64_t words[PROFDATA_SUMMARY_WORDS], struct bo_error *err);

#endif
