/*
 * The exact sizes of a document under every codec: one computation for `size`, `bench` and the
 * report.
 */
#ifndef BO_SIZES_H
#define BO_SIZES_H

#include <jansson.h>

#include "bench/progress.h"
#include "harness/cli/documents.h"

struct bo_sizes_options {
    bool compress;                                   /* also under each of bo_compressors */
    struct bo_progress *progress;                    /* one step a codec; NULL for none */
    bool (*wants)(void *context, const char *codec); /* NULL for all codecs */
    void *context;
};

/* Codecs that stand in a size table: all but the second readers of another codec's bytes. */
unsigned bo_sizes_count(const struct bo_format *format);

/*
 * {"name", "units": {}, "entropy_floor", "codecs": [{"name", "role", "access", "bytes", "sections":
 * {}, "aside": {}, "zstd19", "lz4", "xz9", "status"}]}: all in bytes. `bytes` is the sum of
 * `sections`; `aside` holds what stands beside because it is the same for every codec. A codec that
 * cannot hold the document has a status other than "ok" that says why, and no bytes. NULL when
 * there is no memory; the caller owns the object.
 */
json_t *bo_sizes_json(const struct bo_document *document, const struct bo_sizes_options *options);

#endif
