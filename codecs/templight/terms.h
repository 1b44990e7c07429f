/*
 * terms: a trace's names as terms (a head and its arguments, nested), with references to terms that
 * came before. README.md specifies the layout.
 *
 * Writing is in terms_plan.c (which term is said how) and terms_put.c; reading in terms_read.c;
 * records are in terms_records_put.c and terms_records_read.c, what both go by in terms_history.c.
 */
#ifndef TEMPLIGHT_TERMS_H
#define TEMPLIGHT_TERMS_H

#include "codecs/templight/templight.h"
#include "codecs/templight/terms_text.h"
#include "codecs/templight/tokenise.h"

/* Where a term stands: what its symbol's code is chosen by. */
enum templight_place_of_term {
    TEMPLIGHT_AT_NAME,        /* it is the whole name */
    TEMPLIGHT_FIRST_OF_SHAPE, /* of the parts of a head without a base */
    TEMPLIGHT_LATER_OF_SHAPE,
    TEMPLIGHT_FIRST_ARGUMENT, /* of a head with one */
    TEMPLIGHT_LATER_ARGUMENT,
    TEMPLIGHT_N_PLACES
};

static inline unsigned templight_place_of_part(bool has_base, uint32_t i)
{
    return TEMPLIGHT_FIRST_OF_SHAPE + 2u * has_base + (i > 0);
}

enum {
    TEMPLIGHT_COPY_LEVELS = 3, /* how far up what is copied may be, */
    TEMPLIGHT_COPY_PARTS = 4,  /* and which part of that head */
    /* Symbols: */
    TEMPLIGHT_INLINE = 0, /* a leaf's text follows */
    TEMPLIGHT_OTHER = 1,  /* a head's or a top's number follows */
    TEMPLIGHT_COPY = 2,
    TEMPLIGHT_BACK = TEMPLIGHT_COPY + TEMPLIGHT_COPY_LEVELS * TEMPLIGHT_COPY_PARTS,
    TEMPLIGHT_HEADS = TEMPLIGHT_BACK + TEMPLIGHT_CLASSES, /* then heads, then tops */
    /* Symbols of a name that can be referred to, if no more stand before it in its block. */
    TEMPLIGHT_STEPS = 64,
    TEMPLIGHT_STEP_BITS = 6,
    TEMPLIGHT_NAMES_A_BLOCK = 4,
    TEMPLIGHT_BLOCKS_A_GROUP = 8,
    TEMPLIGHT_GROUP_NBYTES = 4 + 2 * (TEMPLIGHT_BLOCKS_A_GROUP - 1),
    TEMPLIGHT_FAR =
        UINT16_MAX, /* a block starts so many bits behind its group, or more: untold, and
                                     no term refers to what is in it */
};

/* What all names of a file of so many bytes may come to; each alone, TEMPLIGHT_MAX_SPLIT_NBYTES twice. */
static inline uint64_t templight_max_terms_nbytes(uint64_t file_nbytes, uint32_t n_names)
{
    return file_nbytes + (uint64_t)TEMPLIGHT_MAX_SPLIT_NBYTES * n_names;
}

/* What find compares first. */
static inline uint8_t templight_fingerprint(struct bo_span name)
{
    return (uint8_t)(XXH3_64bits(name.p, name.n) >> 56);
}

/* ---- a plan: which symbols say the names ------------------------------------------------------- */

struct templight_shape {
    struct bo_span marked; /* each NUL is a hole */
    uint32_t n_holes;
    bool has_base; /* the first hole has the head's text */
};

struct templight_head {
    uint32_t shape;
    uint32_t base; /* a piece, or TEMPLIGHT_NONE */
    uint32_t n_uses;
    uint32_t number; /* in the file, TEMPLIGHT_NONE for a leaf that is used once */
};

/* A symbol of a name. */
struct templight_item {
    uint32_t symbol;
    uint32_t
        value; /* a piece of TEMPLIGHT_INLINE, a number of TEMPLIGHT_OTHER, names back of _BACK */
    uint8_t place, step;
};

struct templight_top {
    uint32_t name;
    uint8_t step;
};

struct templight_plan {
    struct templight_dictionary dictionary;
    uint32_t *name_pieces; /* by name */
    uint32_t *piece_heads; /* by piece */
    struct templight_shape *shapes;
    uint32_t n_shapes;
    struct templight_head *heads; /* in the order in which they were found */
    uint32_t n_heads;
    uint32_t *numbered_heads; /* by number */
    uint32_t n_numbered;
    struct templight_top *tops;
    uint32_t n_tops;
    struct templight_item *items;
    size_t n_items, cap_items;
    size_t *first_items; /* by name, and the end */
    uint32_t depth;      /* of the deepest piece */
    uint32_t *uses[TEMPLIGHT_N_PLACES];
    uint32_t n_symbols;
    uint32_t step_uses[TEMPLIGHT_STEPS];
};

/* Without references, each term has its head and parts, or is a copy beside one. */
enum bo_status templight_plan_terms(const struct templight_trace *trace, bool refers,
                                    struct bo_arena *arena, struct templight_plan *plan,
                                    struct bo_error *err);

/* Appends what templight_open_terms reads; nothing for no names. */
enum bo_status templight_put_terms(const struct templight_trace *trace, struct bo_writer *out,
                                   struct bo_error *err);

/* ---- reading --------------------------------------------------------------------------------- */

/* Text of a shape between two holes, or before the first or behind the last. */
struct templight_literal {
    uint32_t off, nbytes; /* in the reader's `marked` */
};

struct templight_read_shape {
    uint32_t first_literal; /* of n_holes + 1 */
    uint32_t n_holes;
    bool has_base;
};

/* What a head starts with: the text before its base, the base, and the text up to the first part. */
struct templight_read_head {
    uint32_t shape;
    uint32_t text_bit; /* of the base, in the tables */
    uint32_t off;      /* in `starts` of the reader, when it has been met; else TEMPLIGHT_NONE */
    uint32_t nbytes;
};

/* Where a term stands in the stream. */
struct templight_term_at {
    uint32_t bit, name;
    unsigned place;
};

struct templight_read_top {
    struct templight_term_at at; /* its bit is TEMPLIGHT_NONE until it is looked for */
    uint32_t step;
};

struct templight_term_frame {
    const struct templight_read_shape *shape; /* NULL: of a reference, to come back from */
    uint32_t hole;                            /* that is being filled */
    uint32_t start;                           /* of what fills it, in the output */
    struct templight_term_at back;
    uint32_t starts[TEMPLIGHT_COPY_PARTS], ends[TEMPLIGHT_COPY_PARTS];
};

/* The names of one trace. None is expanded; heads and phrases are that have been met. */
struct templight_terms {
    struct bo_span in; /* the file */
    uint32_t n_names;
    uint32_t longest;      /* name, in bytes */
    uint64_t total_nbytes; /* of all names */
    struct templight_text_reader texts;
    struct templight_bits tables, stream;
    uint32_t stream_nbits;
    uint8_t *marked; /* the shapes' texts */
    struct templight_literal *literals;
    struct templight_read_shape *shapes;
    struct templight_read_head *heads;
    uint8_t *starts; /* of heads */
    uint32_t n_starts, cap_starts;
    struct templight_read_top *tops;
    uint32_t n_shapes, n_heads, n_tops;
    unsigned number_bits; /* of TEMPLIGHT_OTHER */
    struct templight_code codes[TEMPLIGHT_N_PLACES], steps;
    const uint8_t *groups; /* where blocks of names start */
    const uint8_t *fingerprints;
    /* scratch memory */
    struct templight_term_frame *frames;
    uint32_t cap_frames;
    uint32_t *parts_left;
    uint8_t *buffer; /* for the longest name, and TEMPLIGHT_SLACK */
};

/*
 * Reads the part at *off of a file, which ends there at `end` at the latest, and moves *off behind it.
 * Names are looked at when they are asked for.
 */
enum bo_status templight_open_terms(struct bo_span in, size_t *off, size_t end, uint32_t n_names,
                                    struct bo_arena *arena, struct templight_terms *terms,
                                    struct bo_error *err);

/* Where a name stands. */
enum bo_status templight_locate_name(struct templight_terms *terms, uint32_t name,
                                     struct templight_term_at *at_ret, struct bo_error *err);

/* Texts that have been spelled already and stay where they are; those of tops are added. */
struct templight_known {
    const struct bo_span *names; /* all before the one that is spelled */
    struct bo_span *tops;        /* NULL: not yet */
};

/*
 * Spells the name that stands there to `to`, which has room for the longest one and TEMPLIGHT_SLACK;
 * *at is moved to the next one's place. `known` may be NULL.
 */
enum bo_status templight_spell_term(struct templight_terms *terms, struct templight_term_at *at,
                                    const struct templight_known *known, uint8_t *to,
                                    uint32_t *nbytes_ret, struct bo_error *err);

/* Whether the index tells that a name stands there. It tells where each block starts. */
bool templight_is_in_index(const struct templight_terms *terms, const struct templight_term_at *at);

/* Whether all names have been spelled when that is where the next one would be. */
static inline bool templight_is_last_term(const struct templight_terms *terms,
                                          const struct templight_term_at *at)
{
    return at->bit == terms->stream_nbits;
}

#endif
