/*
 * Reduces a model to what an encoding can store: maps states and, for encodings without function
 * boundaries, replaces functions by stretches of text.
 */
#ifndef UNWIND_REDUCE_H
#define UNWIND_REDUCE_H

#include "codecs/unwind/unwind.h"

/* Maps a state, in a function with `flags`, to what can be stored; false: the PCs are unknown. */
typedef bool unwind_hold_state(const struct unwind_model *model, uint8_t flags,
                               struct unwind_state *state);

static inline bool unwind_is_int16(int32_t v)
{
    return v >= INT16_MIN && v <= INT16_MAX;
}

/* One state from a PC on, or none: what encodings without function boundaries store. */
struct unwind_flat {
    uint64_t pc;
    struct unwind_state state;
    bool known;
    uint8_t flags; /* of the function */
};

struct unwind_flats {
    struct unwind_flat *p;
    size_t n;
};

/*
 * All rows in order, neighbours different, an unknown one after each stretch. The row before a hole
 * of less than 16 bytes also applies in the hole. Pattern functions are written out. If `signals`
 * is false, signal frames are unknown. BO_UNSUPPORTED for patterns that would take 2^20 rows or
 * more together, and for a state that applies to 4 GiB of text or more.
 */
enum bo_status unwind_flatten(const struct unwind_model *model, unwind_hold_state *hold,
                              bool signals, struct bo_arena *arena, struct unwind_flats *flats,
                              struct bo_error *err);

/* The joined model of known stretches, split where flags change; NULL if memory is refused. */
struct unwind_model *unwind_join(const struct unwind_flats *flats, const struct unwind_model *from,
                                 struct bo_arena *arena);

#endif
