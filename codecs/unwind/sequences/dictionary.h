/*
 * sequences: the dictionary. It stores once what functions have in common: states; transitions
 * (which state follows which, and the bits of the distance); and lists, the sequences of states of
 * whole functions.
 *
 * The dictionary is one stream of the range coder in harness/coding, read when a reader is opened.
 * The writer and the reader are one traversal.
 */
#ifndef UNWIND_DICTIONARY_H
#define UNWIND_DICTIONARY_H

#include "codecs/unwind/unwind.h"

/* Numbers of states: two reserved values, then the states of rows. */
enum { UNWIND_LIST_END, UNWIND_NO_STATE, UNWIND_FIRST_STATE };

enum {
    UNWIND_LIST_HOLE = 4,    /* of a list's flags, beside UNWIND_SIGNAL and UNWIND_KEY_B */
    UNWIND_LIST_PATTERN = 8, /* `rep` is not 0 */
    UNWIND_MAX_WIDTH = 32,
};

/* The distance from the start of a state's row to that of the next one, in units. */
struct unwind_transition {
    uint32_t from, to; /* states */
    uint32_t base;     /* the distance is this plus a field */
    uint8_t width;     /* bits of the field */
};

/* One row of a list. */
struct unwind_step {
    uint32_t state;      /* UNWIND_NO_STATE: there is no row here */
    uint32_t transition; /* to the next state or the end */
};

/* The sequence of states of a function. All but a hole have at least one step. */
struct unwind_list {
    uint32_t first, n; /* steps */
    uint32_t implied;  /* the step whose distance follows from the function's length */
    uint8_t flags, rep;
};

struct unwind_dictionary {
    struct bo_arena *arena;
    struct unwind_state *states; /* the first UNWIND_FIRST_STATE are zeros */
    size_t n_states, cap_states;
    struct unwind_transition *transitions;
    size_t n_transitions, cap_transitions;
    struct unwind_step *steps;
    size_t n_steps, cap_steps;
    struct unwind_list *lists;
    size_t n_lists, cap_lists;
};

/*
 * Writes a dictionary's lists after those of the stream `known`, with which d begins and which is
 * empty for none. Transitions must be unique; only those of steps are written.
 */
enum bo_status unwind_put_dictionary(const struct unwind_dictionary *d, struct bo_span known,
                                     struct bo_writer *out, struct bo_error *err);

/*
 * Reads a dictionary that fills `in`, which is at offset `at` of the payload. Adds it to that of
 * the stream `known`, which is empty for none. BO_OVER_LIMIT when its lists have more steps than
 * max_steps.
 */
enum bo_status unwind_get_dictionary(struct bo_span known, struct bo_span in, uint64_t at,
                                     uint64_t max_steps, enum unwind_arch arch,
                                     struct bo_arena *arena, struct unwind_dictionary *d_ret,
                                     struct bo_error *err);

/* The dictionary of a known stream; false without memory. */
bool unwind_known_dictionary(struct bo_span known, struct bo_arena *arena,
                             struct unwind_dictionary *d_ret);

#endif
