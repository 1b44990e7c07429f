/*
 * Watching codecs at work while inputs are replayed: which lines each operation of each codec
 * covers, and which inputs cost most.
 */
#ifndef BO_FUZZ_OBSERVE_H
#define BO_FUZZ_OBSERVE_H

#include "harness/format.h"

/*
 * A copy of the format whose codecs are observed: what the targets then use. Costs of open and
 * decode are kept, and, in a build with clang's coverage, counters. One format at a time.
 */
const struct bo_format *bo_fuzz_observe(const struct bo_format *format);

/* The path of the input that runs now; it is kept with what it costs most. */
void bo_fuzz_observe_input(const char *path);

/*
 * A line for each codec and operation that had input: codec, operation, the input that was slowest,
 * its nanoseconds and bytes, the hungriest input, what it allocated and its bytes. Bytes are those
 * of the encoding that was read. False when the file cannot be written.
 */
bool bo_fuzz_write_worst(const char *path);

/*
 * DIR/CODEC.OPERATION.profraw for each codec and operation; nothing in a build without coverage.
 * False when a file cannot be written.
 */
bool bo_fuzz_write_coverage(const char *dir);

#endif
