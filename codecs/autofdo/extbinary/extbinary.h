/*
 * LLVM's extensible binary sample profile, version 103: the section table that its writer and its
 * reader share. README.md in the folder above specifies the layout.
 */
#ifndef AUTOFDO_EXTBINARY_H
#define AUTOFDO_EXTBINARY_H

#include "codecs/autofdo/autofdo.h"

/* Sections in the order of the table. */
enum extbinary_section {
    EXTBINARY_SUMMARY,
    EXTBINARY_NAMES,
    EXTBINARY_CONTEXTS,
    EXTBINARY_OFFSETS,
    EXTBINARY_FUNCTIONS,
    EXTBINARY_SYMBOLS,
    EXTBINARY_METADATA,
    EXTBINARY_N_SECTIONS
};

enum {
    EXTBINARY_VERSION = 103,
    EXTBINARY_MAGIC_NBYTES = 9,
    EXTBINARY_TABLE_OFF = EXTBINARY_MAGIC_NBYTES + 1 + 8,
    EXTBINARY_ENTRY_NBYTES = 4 * 8, /* kind, flags, offset, bytes */
    EXTBINARY_DATA_OFF = EXTBINARY_TABLE_OFF + EXTBINARY_N_SECTIONS * EXTBINARY_ENTRY_NBYTES,
};

/* Flag of the names: one of them contains EXTBINARY_UNIQUE. */
#define EXTBINARY_HAS_UNIQUE (UINT64_C(4) << 32)
#define EXTBINARY_UNIQUE ".__uniq."

extern const uint8_t extbinary_magic[EXTBINARY_MAGIC_NBYTES];

/* Kinds, by place in the table. */
extern const uint8_t extbinary_kinds[EXTBINARY_N_SECTIONS];

/* Sections in the order of their bytes: a function's offset is known when it has been written. */
extern const uint8_t extbinary_order[EXTBINARY_N_SECTIONS];

/* Appends the encoding of the model without timestamps and files. As bo_codec.encode. */
enum bo_status extbinary_encode(const struct bo_codec *self, const void *model,
                                struct bo_writer *out, struct bo_error *err);

#endif
