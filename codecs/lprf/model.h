/* Rules, equality and merging of LPRF models, and the table of keys that these use. */
#ifndef LPRF_MODEL_H
#define LPRF_MODEL_H

#include "codecs/lprf/lprf.h"

/* Entries of struct bo_format. */
const char *lprf_differ(const void *a, const void *b);
enum bo_status lprf_merge(const void *const *models, size_t n, struct bo_arena *arena,
                          void **model_ret, struct bo_merge_report *report, struct bo_error *err);

/*
 * lprf_model_flaw as a status: BO_CORRUPT with the phrase and no offset, or the arena's error.
 * *function_ret is the function concerned. The arena is unchanged when it returns.
 */
enum bo_status lprf_check_rules(const struct lprf_model *model, struct bo_arena *arena,
                                size_t *function_ret, struct bo_error *err);

/* Numbers of functions by key (name and hash), from 0 on in the order in which they were added. */
struct lprf_key_table {
    struct lprf_key_slot *slots;
    size_t mask;   /* slots - 1 */
    size_t n;      /* keys */
    uint64_t seed; /* of the hash: unpredictable, so no file can have keys that all collide */
    struct bo_arena *arena;
};

/* Room for n_keys before it grows; false when the arena refuses. */
bool lprf_keys_init(struct lprf_key_table *table, size_t n_keys, struct bo_arena *arena);

/*
 * Gives the key of `function` the next number, table->n, when the table does not have it.
 * *number_ret is the key's number, old or new. functions[i] must hold the key of each number i
 * given before. False when the arena refuses.
 */
bool lprf_keys_add(struct lprf_key_table *table, const struct lprf_function *functions,
                   const struct lprf_function *function, size_t *number_ret);

#endif
