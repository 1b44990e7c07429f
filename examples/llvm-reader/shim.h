/* C interface of LLVM's reader of indexed profiles. Its memory is LLVM's, outside of any arena. */
#ifndef LLVM_READER_SHIM_H
#define LLVM_READER_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct llvm_reader;

/* A function of a profile. Name and counters are the reader's. */
struct llvm_function {
    const uint8_t *name;
    size_t name_nbytes;
    uint64_t hash;
    const uint64_t *counters;
    size_t n_counters;
};

extern const char llvm_summary[]; /* with LLVM's version */

/* NULL when LLVM rejects the header. It checks nothing else: the bytes must be valid, and stay. */
struct llvm_reader *llvm_open(const uint8_t *p, size_t nbytes);

void llvm_close(void *reader);

/* The counters of a function until the next call, and their number; 0 without such a function. */
size_t llvm_find(struct llvm_reader *reader, const uint8_t *name, size_t name_nbytes, uint64_t hash,
                 const uint64_t **counters_ret);

uint64_t llvm_maximum(struct llvm_reader *reader);

/* All functions by name and hash, until the next call. False when LLVM rejects one. */
bool llvm_read_all(struct llvm_reader *reader, const struct llvm_function **functions_ret,
                   size_t *n_ret);

#ifdef __cplusplus
}
#endif

#endif
