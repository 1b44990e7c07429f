/* Rules, equality and merging of AutoFDO models, adding up instances, and the table of names. */
#ifndef AUTOFDO_MODEL_H
#define AUTOFDO_MODEL_H

#include "codecs/autofdo/autofdo.h"

/* ---- entries of struct bo_format ------------------------------------------------------------- */

const char *autofdo_differ(const void *a, const void *b);
enum bo_status autofdo_merge(const void *const *models, size_t n, struct bo_arena *arena,
                             void **model_ret, struct bo_merge_report *report,
                             struct bo_error *err);

/* ---- order ----------------------------------------------------------------------------------- */

/* A place as one number, which orders places by line, then by discriminator. */
static inline uint64_t autofdo_place(uint32_t line, uint32_t discriminator)
{
    return (uint64_t)line << 32 | discriminator;
}

/* Functions by name, files by name: for qsort. */
int autofdo_compare_functions(const void *a, const void *b);
int autofdo_compare_files(const void *a, const void *b);

/* ---- adding up ------------------------------------------------------------------------------- */

/*
 * Adds up n (at least one) instances into one of the first one's name, in canonical order. Records,
 * targets and callsites of the parts may be in any order and occur several times: those with the
 * same place (and name) are added up. So a single part is brought into canonical order. The sum
 * shares names with the parts. If `are_canonical` (each part follows the model's rules), it also
 * shares arrays that needed no change. *n_saturated grows by the number of sums that saturated at
 * 2^64 - 1. The parts are at most AUTOFDO_MAX_DEPTH deep.
 */
enum bo_status autofdo_sum_instances(const struct autofdo_instance *const *parts, size_t n,
                                     bool are_canonical, struct bo_arena *arena,
                                     struct autofdo_instance *sum_ret, uint64_t *n_saturated,
                                     struct bo_error *err);

/* ---- rules ----------------------------------------------------------------------------------- */

/*
 * autofdo_model_flaw as a status: BO_CORRUPT with the phrase and no offset, or the arena's refusal.
 * The arena is as before when it returns.
 */
enum bo_status autofdo_check_rules(const struct autofdo_model *model, struct bo_arena *arena,
                                   struct bo_error *err);

/* ---- the table of names ---------------------------------------------------------------------- */

/* Names by number, from 0 on in the order in which they were added, each once. */
struct autofdo_name_table {
    struct bo_span *names; /* by number; as they were given, not copied */
    size_t n;
    size_t cap;
    struct autofdo_name_slot *slots;
    size_t mask;   /* slots - 1 */
    uint64_t seed; /* of the hash: unpredictable, so no file can have names that all collide */
    struct bo_arena *arena;
};

/* Room for n_names before it grows; false when the arena refuses. */
bool autofdo_names_init(struct autofdo_name_table *table, size_t n_names, struct bo_arena *arena);

/*
 * Adds the name with the next number, table->n, unless the table contains it. *number_ret is its
 * number, old or new. False if the arena refuses memory.
 */
bool autofdo_names_add(struct autofdo_name_table *table, struct bo_span name, size_t *number_ret);

/* False if the table does not contain the name. */
bool autofdo_names_find(const struct autofdo_name_table *table, struct bo_span name,
                        size_t *number_ret);

#endif
