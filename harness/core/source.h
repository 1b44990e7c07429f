/*
 * A file that is read in pieces: decompressed by its magic number, with its first bytes available
 * in advance.
 */
#ifndef BO_CLI_SOURCE_H
#define BO_CLI_SOURCE_H

#include <lzma.h>
#include <zstd.h>

#include "harness/core/input.h"
#include "harness/core/stream.h"

enum bo_packing { BO_PLAIN_FILE, BO_ZSTD_FILE, BO_XZ_FILE };

struct bo_file_source {
    struct bo_source source; /* the decompressed bytes, from the first one on */
    const char *path;        /* for messages */
    int fd;
    enum bo_packing packing;
    ZSTD_DStream *zstd;
    bool in_frame; /* of zstd */
    lzma_stream xz;
    uint8_t *packed; /* bytes read but not decompressed yet: from packed_off on */
    size_t packed_n, packed_off;
    bool has_all_packed;
    struct bo_span head; /* decompressed bytes that were read ahead and not returned yet */
    uint8_t *head_bytes;
};

/*
 * Opens `path`, "-" for standard input, and reads its first 64 KiB, or all if it is shorter, into
 * `head`. False after a message.
 */
bool bo_source_open(const char *path, struct bo_file_source *file);

/*
 * Reads the rest as a whole, mapped if possible. Closes the source, on success and on failure.
 * False after a message.
 */
bool bo_source_take(struct bo_file_source *file, struct bo_input *in);

void bo_source_close(struct bo_file_source *file);

#endif
