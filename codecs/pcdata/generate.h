/* Random models: entries of struct bo_format, and their parts. */
#ifndef PCDATA_GENERATE_H
#define PCDATA_GENERATE_H

#include "codecs/pcdata/pcdata.h"

enum bo_status pcdata_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                               void **model_ret, struct bo_error *err);
enum bo_status pcdata_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

/* ---- parts, for both ------------------------------------------------------------------------- */

/* The longest random text of a table: an index of chunks grows with the length of the text. */
enum { PCDATA_MAX_RANDOM_QUANTA = 1 << 22 };

struct pcdata_tables {
    struct pcdata_table *p;
    uint32_t n;
};

/* Tables whose runs, lengths or number are at the limits; false when the arena refuses. */
bool pcdata_extreme_tables(struct bo_random *random, uint32_t quantum, struct bo_arena *arena,
                           struct pcdata_tables *tables_ret);

#endif
