/* MD5 (RFC 1321), which LLVM uses for hashes of names. Not for security. */
#ifndef BO_MD5_H
#define BO_MD5_H

#include "harness/core/bytes.h"

/* The first 8 bytes of the digest, as a little-endian number. */
uint64_t bo_md5_low64(struct bo_span bytes);

#endif
