/*
 * Observes codecs while inputs are replayed: the lines that each operation of each codec covers,
 * and the inputs that cost most.
 */
#ifndef BO_FUZZ_OBSERVE_H
#define BO_FUZZ_OBSERVE_H

#include "harness/format.h"

/*
 * A copy of the format with observed codecs, for the targets. It records the costs of open and
 * decode and, in a build with clang's coverage, the counters. Only one format at a time.
 */
const struct bo_format *bo_fuzz_observe(const struct bo_format *format);

/* Sets the path of the current input, which is stored if the input has the highest cost. */
void bo_fuzz_observe_input(const char *path);

/*
 * Writes a line for each codec and operation that had input: codec, operation, the slowest input,
 * its nanoseconds and bytes, the input with the largest allocations, its allocated bytes and its
 * bytes. Bytes are those of the encoding that was read. False when the file cannot be written.
 */
bool bo_fuzz_write_worst(const char *path);

/*
 * Writes DIR/CODEC.OPERATION.profraw for each codec and operation; nothing in a build without
 * coverage. False when a file cannot be written.
 */
bool bo_fuzz_write_coverage(const char *dir);

#endif
