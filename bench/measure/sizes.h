/*
 * The exact sizes of a document under every codec: one computation for `size`, `bench` and the
 * report.
 */
#ifndef BO_SIZES_H
#define BO_SIZES_H

#include <jansson.h>

#include "corpora/documents.h"
#include "harness/core/progress.h"

/* Larger encodings are not compressed: it would take longer than the measurement. */
enum { BO_MAX_COMPRESSED_NBYTES = 16 << 20 };

struct bo_sizes_options {
    bool compress;                /* also under each of bo_compressors */
    struct bo_progress *progress; /* one step per codec; NULL for none */
    /* NULL for all codecs */
    bool (*wants)(void *context, const struct bo_document *document, const struct bo_codec *codec);
    void *context;
};

/* Codecs in a size table: all except readers of another codec's bytes. */
unsigned bo_sizes_count(const struct bo_format *format);

/*
 * {"name", "units": {}, "entropy_floor", "codecs": [{"name", "role", "access", "bytes", "sections":
 * {}, "aside": {}, "zstd19", "lz4", "xz9", "status"}]}: all in bytes; codecs are encoded in
 * parallel, in as many threads as there are processors. `bytes` is the sum of `sections`. `aside`
 * contains bytes that do not count, because they are the same for every codec. A codec that cannot
 * hold the document has no bytes, and a status other than "ok", which is the reason. NULL when
 * memory is exhausted. The caller owns the object.
 */
json_t *bo_sizes_json(const struct bo_document *document, const struct bo_sizes_options *options);

#endif
