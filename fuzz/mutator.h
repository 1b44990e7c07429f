/*
 * The mutator core: plain C, independent of an engine. mutator_libfuzzer.c and mutator_afl.c wrap
 * it.
 */
#ifndef BO_FUZZ_MUTATOR_H
#define BO_FUZZ_MUTATOR_H

#include "fuzz/operators.h"

/*
 * The meaning of each kind's input. The wrappers are compiled once per kind with
 * -DBO_TARGET=<kind>.
 */
#define BO_FUZZ_INPUT_bytes BO_FUZZ_ENCODING
#define BO_FUZZ_INPUT_model BO_FUZZ_ENTROPY
#define BO_FUZZ_INPUT_damage BO_FUZZ_ENTROPY
#define BO_FUZZ_INPUT_import BO_FUZZ_ENCODING
#define BO_FUZZ_INPUT_(target) BO_FUZZ_INPUT_##target
#define BO_FUZZ_INPUT(target) BO_FUZZ_INPUT_(target)

/* The engine's own mutation of p[0, n); returns the new length, at most cap. */
typedef size_t bo_fuzz_byte_mutator(uint8_t *p, size_t n, size_t cap);

/*
 * Mutates p[0, n) in place and returns the new length, at most cap. `other` is a second input to
 * take blocks from (may be empty). mutate_bytes may be NULL, for an engine that runs its byte
 * stages itself.
 */
size_t bo_fuzz_mutate(enum bo_fuzz_input input, uint8_t *p, size_t n, size_t cap,
                      struct bo_span other, uint64_t seed, bo_fuzz_byte_mutator *mutate_bytes);

/*
 * True if BAKEOFF_FUZZ_PLAIN in the environment leaves mutation to the engine, for comparisons with
 * the mutator.
 */
bool bo_fuzz_is_plain(void);

#endif
