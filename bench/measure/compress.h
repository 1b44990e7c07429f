/* The outer compressors under which sizes are also reported. */
#ifndef BO_COMPRESS_H
#define BO_COMPRESS_H

#include "harness/core/bytes.h"

struct bo_compressor {
    const char *name; /* the key in JSON: "zstd19" */
    const char *like; /* the command line with the same output: "zstd -19" */
    /* Size of the compressed form, including the frame. UINT64_MAX when the library fails. */
    uint64_t (*compressed_nbytes)(struct bo_span in);
};

extern const struct bo_compressor bo_compressors[]; /* ends with a NULL name */

#endif
