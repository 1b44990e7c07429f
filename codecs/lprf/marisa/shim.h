/* C interface of libmarisa: building a trie into bytes, and looking names up in such bytes. */
#ifndef LPRF_MARISA_SHIM_H
#define LPRF_MARISA_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lprf_marisa_status {
    LPRF_MARISA_OK,
    LPRF_MARISA_NO_MEMORY,
    LPRF_MARISA_REFUSED, /* the library rejects the input; it reports no reason */
};

/* ---- building -------------------------------------------------------------------------------- */

struct lprf_marisa_builder;

/* NULL without memory. lprf_marisa_end_build frees it. */
struct lprf_marisa_builder *lprf_marisa_begin_build(void);

/* Adds a name; the same one may come again. */
enum lprf_marisa_status lprf_marisa_add(struct lprf_marisa_builder *builder, const uint8_t *name,
                                        size_t nbytes);

/*
 * Builds the trie of all names. Its bytes belong to the builder. They depend on the machine's byte
 * order and word size.
 */
enum lprf_marisa_status lprf_marisa_build(struct lprf_marisa_builder *builder,
                                          const uint8_t **p_ret, size_t *nbytes_ret,
                                          uint32_t *n_names_ret);

/* The number that the trie gave to the i-th name that was added. */
uint32_t lprf_marisa_id(const struct lprf_marisa_builder *builder, size_t i);

void lprf_marisa_end_build(struct lprf_marisa_builder *builder);

/* ---- reading --------------------------------------------------------------------------------- */

struct lprf_marisa;

/* Reads the trie in place: the bytes, aligned to 8, must stay. lprf_marisa_close frees it. */
enum lprf_marisa_status lprf_marisa_open(const void *p, size_t nbytes,
                                         struct lprf_marisa **trie_ret, uint32_t *n_names_ret);

/* For bo_arena_on_release. */
void lprf_marisa_close(void *trie);

/* *found_ret is true if there is such a name; *id_ret is its number then. */
enum lprf_marisa_status lprf_marisa_find(struct lprf_marisa *trie, const uint8_t *name,
                                         size_t nbytes, bool *found_ret, uint32_t *id_ret);

/* The name of an id below the number of names; valid until the next call for this trie. */
enum lprf_marisa_status lprf_marisa_spell(struct lprf_marisa *trie, uint32_t id,
                                          const uint8_t **p_ret, size_t *nbytes_ret);

#endif
