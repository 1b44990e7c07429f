/* Reads whole files, in any supported compression. */
#ifndef BO_INPUT_H
#define BO_INPUT_H

#include "harness/core/bytes.h"

/*
 * The bytes of a file: mapped, or read from standard input, or decompressed if its magic number
 * says .xz or .zst.
 */
struct bo_input {
    const char *path; /* as the user gave it */
    struct bo_span bytes;
    void *map; /* memory to unmap or free */
    size_t map_nbytes;
    bool mapped;
};

/* Opens `path`, "-" for standard input. False after a message. */
bool bo_input_open(const char *path, struct bo_input *in);
void bo_input_close(struct bo_input *in);

#endif
