/*
 * The files that the proposal splits a history or a snapshot into, one after the other in one
 * encoding: types.json, tree.json, and what the codec has besides.
 */
#ifndef STATEHIST_PARTS_H
#define STATEHIST_PARTS_H

#include "codecs/statehist/statehist.h"

/* ---- a set of files -------------------------------------------------------------------------- */

enum { STATEHIST_MAX_PARTS = 3 };

struct statehist_part {
    struct bo_span in;
    size_t off; /* in the encoding */
};

/* Writes the head of a set of n files; *head_ret is where its lengths lie. */
void statehist_put_parts(struct bo_writer *out, unsigned n, size_t *head_ret);

/* File i ends here: the next one starts. */
void statehist_end_part(struct bo_writer *out, size_t head, unsigned i);

enum bo_status statehist_get_parts(struct bo_span in, unsigned n, struct statehist_part *parts_ret,
                                   struct bo_error *err);

/* ---- types.json ------------------------------------------------------------------------------ */

/* A timeline's declared type is an enum statehist_type (null: none has a value), or this. */
#define STATEHIST_ANY STATEHIST_N_TYPES

extern const char *const statehist_type_names[STATEHIST_ANY + 1];

/* A type by its name in JSON; false for an unknown name. `variant` is a synonym of any. */
bool statehist_type_of(struct bo_span name, bool or_any, uint8_t *type_ret);

/*
 * By quark, the one type of a timeline's values, or any. Null is a type like others where
 * `null_counts`, else it goes with every type. NULL when the arena refuses.
 */
uint8_t *statehist_declare_types(const struct statehist_model *model, bool null_counts,
                                 struct bo_arena *arena);

void statehist_put_types_json(const uint8_t *types, uint32_t n, struct bo_writer *out);

enum bo_status statehist_read_types_json(const struct statehist_part *part, struct bo_arena *arena,
                                         uint8_t **types_ret, uint32_t *n_ret,
                                         struct bo_error *err);

/* ---- tree.json ------------------------------------------------------------------------------- */

enum bo_status statehist_put_tree_json(const struct statehist_model *model, struct bo_writer *out,
                                       struct bo_error *err);

/* The attributes of n quarks, each of which must be there. Names lie in the input or the arena. */
enum bo_status statehist_read_tree_json(const struct statehist_part *part, uint32_t n,
                                        struct bo_arena *arena,
                                        struct statehist_attribute **attributes_ret,
                                        struct bo_error *err);

#endif
