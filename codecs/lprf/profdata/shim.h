/* LLVM's own writer and reader of indexed profiles as C sees them. */
#ifndef LPRF_PROFDATA_SHIM_H
#define LPRF_PROFDATA_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function as LLVM tells of it. */
struct lprf_profdata_function {
    const uint8_t *name; /* in the file's bytes */
    size_t name_nbytes;
    uint64_t hash;
    const uint64_t *counters; /* LLVM's; until it is asked again */
    size_t n_counters;
};

/* ---- writing --------------------------------------------------------------------------------- */

struct lprf_profdata_writer;

/* lprf_profdata_end_write frees it. Memory that LLVM does not get ends the program. */
struct lprf_profdata_writer *lprf_profdata_begin_write(void);

/* Adds a function; no two may have the same key. */
void lprf_profdata_add(struct lprf_profdata_writer *writer,
                       const struct lprf_profdata_function *function);

/* The whole file; its bytes belong to the writer. */
void lprf_profdata_write(struct lprf_profdata_writer *writer, const uint8_t **p_ret,
                         size_t *nbytes_ret);

void lprf_profdata_end_write(struct lprf_profdata_writer *writer);

/* ---- reading --------------------------------------------------------------------------------- */

enum lprf_profdata_status {
    LPRF_PROFDATA_OK,
    LPRF_PROFDATA_NONE,      /* there is no such function (any more) */
    LPRF_PROFDATA_MALFORMED, /* what LLVM says of bytes that it does not take */
};

struct lprf_profdata_reader;

/*
 * Reads the file in place: the bytes, aligned to 8, must stay. NULL when LLVM refuses the header.
 * lprf_profdata_close frees it.
 */
struct lprf_profdata_reader *lprf_profdata_open(const uint8_t *p, size_t nbytes);

/* For bo_arena_on_release. */
void lprf_profdata_close(void *reader);

/* The highest first counter, as LLVM's summary has it. */
uint64_t lprf_profdata_maximum(struct lprf_profdata_reader *reader);

/* True when the table of names has this one. No counters are read. */
bool lprf_profdata_contains(struct lprf_profdata_reader *reader, const uint8_t *name,
                            size_t nbytes);

/* Of all functions of a name, the one with the lowest hash. */
enum lprf_profdata_status lprf_profdata_find_name(struct lprf_profdata_reader *reader,
                                                  const uint8_t *name, size_t nbytes,
                                                  struct lprf_profdata_function *function_ret);

/* What a compiler calls. */
enum lprf_profdata_status lprf_profdata_find_key(struct lprf_profdata_reader *reader,
                                                 const uint8_t *name, size_t nbytes, uint64_t hash,
                                                 struct lprf_profdata_function *function_ret);

/* From here on, lprf_profdata_next tells of all functions, in LLVM's order. False: refused. */
bool lprf_profdata_rewind(struct lprf_profdata_reader *reader);

enum lprf_profdata_status lprf_profdata_next(struct lprf_profdata_reader *reader,
                                             struct lprf_profdata_function *function_ret);

#ifdef __cplusplus
}
#endif

#endif
