/* The attribute tree as a stream of bits, which is read as a whole. */
#ifndef STATEHIST_TREE_H
#define STATEHIST_TREE_H

#include "codecs/statehist/model.h"

/* Appends parents and names of all attributes. */
enum bo_status statehist_pack_tree(const struct statehist_model *model, struct bo_writer *out,
                                   struct bo_error *err);

/* Adds the attributes, which fill the rest of the cursor, to a builder, which must copy names. */
enum bo_status statehist_unpack_tree(struct bo_cursor c, uint32_t n_quarks,
                                     struct statehist_builder *builder, struct bo_error *err);

#endif
