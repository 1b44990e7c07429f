/* A file that is read piece by piece: unpacked by its magic, and its first bytes known before. */
#ifndef BO_CLI_SOURCE_H
#define BO_CLI_SOURCE_H

#include <lzma.h>
#include <zstd.h>

#include "harness/core/input.h"
#include "harness/core/stream.h"

enum bo_packing { BO_PLAIN_FILE, BO_ZSTD_FILE, BO_XZ_FILE };

struct bo_file_source {
    struct bo_source source; /* unpacked bytes, from the first one on */
    const char *path;        /* for messages */
    int fd;
    enum bo_packing packing;
    ZSTD_DStream *zstd;
    bool in_frame; /* of zstd */
    lzma_stream xz;
    uint8_t *packed; /* read, and not unpacked yet: from packed_off on */
    size_t packed_n, packed_off;
    bool has_all_packed;
    struct bo_span head; /* unpacked, what has been looked at and is still to be given */
    uint8_t *head_bytes;
};

/*
 * Opens `path`, "-" for standard input, and makes `head` its first bytes: 64 KiB, or all. False
 * after a message.
 */
bool bo_source_open(const char *path, struct bo_file_source *file);

/*
 * What is left, as a whole: mapped where that is possible. The source is closed then, whether it
 * went well or not. False after a message.
 */
bool bo_source_take(struct bo_file_source *file, struct bo_input *in);

void bo_source_close(struct bo_file_source *file);

#endif
