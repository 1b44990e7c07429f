/*
 * The header of a file that holds one codec's payload, so that bytes of the wrong codec, damaged
 * bytes and bad payloads have different errors.
 *
 *   0   8 bytes  89 42 4b 4f 0d 0a 1a 0a: "BKO" between bytes that text transfers damage
 *   8   u8       header version, 1
 *   9   u8       length of the format's name
 *   10  u8       length of the codec's name
 *   11  u8       0
 *   12  u32      header size: the payload's offset, a multiple of 64 (the rest of the header is 0)
 *   16  u64      payload size
 *   24  u64      XXH3-64 of the payload, seed 0
 *   32  the format's name, the codec's name: ASCII, no terminators
 *
 * Integers are little-endian. The payload starts aligned, so that a mapped file is read where it
 * lies.
 */
#ifndef BO_FILE_H
#define BO_FILE_H

#include "harness/codec.h"
#include "harness/format.h"

/* Appends the header for `payload`, then the payload. */
void bo_file_put(const struct bo_format *format, const struct bo_codec *codec,
                 struct bo_span payload, struct bo_writer *out);

/*
 * Finds the payload in the bytes of a file that this codec can read: written by it, or by the codec
 * whose bytes it reads. BO_BAD_USAGE when another codec wrote the file; bo_file_names returns its
 * name.
 */
enum bo_status bo_file_open(const struct bo_format *format, const struct bo_codec *codec,
                            struct bo_span file, struct bo_span *payload_ret, struct bo_error *err);

/*
 * The names of the format and the codec that wrote the file, pointing into it. Empty when it has no
 * intact header.
 */
void bo_file_names(struct bo_span file, struct bo_span *format_ret, struct bo_span *codec_ret);

#endif
