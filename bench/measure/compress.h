/* The outer compressors that sizes are also given under. */
#ifndef BO_COMPRESS_H
#define BO_COMPRESS_H

#include "harness/core/bytes.h"

struct bo_compressor {
    const char *name; /* the key in JSON: "zstd19" */
    const char *like; /* the command that makes bytes like these: "zstd -19" */
    /* Bytes of the compressed form, frame included; UINT64_MAX when the library fails. */
    uint64_t (*compressed_nbytes)(struct bo_span in);
};

extern const struct bo_compressor bo_compressors[]; /* ends with a NULL name */

#endif
