/*
 * terms: a trace's names as terms (a head and its arguments, nested), with references to terms that
 * came before. README.md specifies the layout.
 *
 * plan.c chooses how each term is coded, and put.c writes names. read.c opens names, and spell.c
 * unpacks and spells them. records_put.c and records_read.c write and read records; history.c
 * contains the steps that both share.
 */
#ifndef TEMPLIGHT_TERMS_H
#define TEMPLIGHT_TERMS_H

#include "codecs/templight/templight.h"
#include "codecs/templight/terms/text.h"
#include "codecs/templight/tokenise.h"

/* The position of a term, which selects the prefix code of its symbol. */
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
    /*
     * A term is referred to by its name and its step there: 0 is the name, 1, 2, ... are its terms
     * that have parts, in the order of their first symbols. Steps from here on are not referred to.
     */
    TEMPLIGHT_STEPS = 64,
    TEMPLIGHT_STEP_BITS = 6,
    TEMPLIGHT_NAMES_A_GROUP = 16,          /* the index stores where each group starts */
    TEMPLIGHT_MAX_TABLES_NBYTES = 1 << 27, /* so texts of shapes and heads are below OP_TERM */
    TEMPLIGHT_MAX_WORDS = INT32_MAX,       /* of one name */
    TEMPLIGHT_SPARE_FRAMES = 2, /* of a reader's stacks, above the levels of the deepest term */
};

static inline uint32_t templight_n_groups(uint32_t n_names)
{
    return n_names / TEMPLIGHT_NAMES_A_GROUP + (n_names % TEMPLIGHT_NAMES_A_GROUP > 0);
}

/* Sums over the traces so far. They have limits, since a file may have many traces. */
struct templight_totals {
    uint64_t n_names;
    uint64_t names_nbytes, starts_nbytes; /* as the traces announce them */
    uint64_t phrases_nbytes;              /* of all grammars */
    uint64_t files_nbytes;                /* names of files */
};

/*
 * The limit for the bytes of all names of a file of file_nbytes. That of one name is the file's
 * bytes plus twice TEMPLIGHT_MAX_SPLIT_NBYTES.
 */
static inline uint64_t templight_max_terms_nbytes(uint64_t file_nbytes, uint64_t n_names)
{
    return file_nbytes + TEMPLIGHT_MAX_SPLIT_NBYTES * n_names;
}

/* The byte of a name that `find` compares first. */
static inline uint8_t templight_fingerprint(struct bo_span name)
{
    return (uint8_t)(XXH3_64bits(name.p, name.n) >> 56);
}

/* ---- a plan: the symbols that code the names ------------------------------------------------- */

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

enum bo_status templight_plan_terms(const struct templight_trace *trace, struct bo_arena *arena,
                                    struct templight_plan *plan, struct bo_error *err);

/* Appends what templight_open_terms reads; nothing for no names. */
enum bo_status templight_put_terms(const struct templight_trace *trace,
                                   struct templight_totals *totals, struct bo_writer *out,
                                   struct bo_error *err);

/* ---- reading --------------------------------------------------------------------------------- */

/*
 * Names that a query has needed are unpacked: their symbols are translated to operations, each of
 * one word or two. Texts of names, and of other terms with parts, are not kept.
 *
 *   a text's number                      copies that text
 *   TEMPLIGHT_OP_TERM | step, name       spells a term that came before
 *   TEMPLIGHT_OP_LEAF, bit               spells the leaf there in the stream
 */
#define TEMPLIGHT_OP_LEAF (UINT32_C(1) << 31)
#define TEMPLIGHT_OP_TERM (UINT32_C(1) << 30)
enum { TEMPLIGHT_OP_WORDS = 2 };

/* The operations of a term. */
struct templight_range {
    uint32_t start, end; /* end is TEMPLIGHT_NONE while it is unpacked */
};

struct templight_read_shape {
    uint32_t first_text; /* of n_holes + 1: before, between and after holes */
    uint32_t n_holes;
    uint32_t n_words; /* that a name takes for a head of this shape: see README.md */
    bool has_base;
};

struct templight_read_head {
    uint32_t shape;
    uint32_t text_bit; /* of the base, in the tables */
};

struct templight_read_top {
    uint32_t name, step;
};

/* A head whose parts are being unpacked. */
struct templight_unpacking_frame {
    const struct templight_read_shape *shape;
    uint32_t hole;  /* that is being filled */
    uint32_t start; /* of what fills it, in the operations */
    uint32_t range; /* of the term */
    struct templight_range parts[TEMPLIGHT_COPY_PARTS];
    uint32_t part_ranges[TEMPLIGHT_COPY_PARTS]; /* of parts that have parts */
    uint32_t depth;                             /* of the deepest part so far */
    uint32_t part_depths[TEMPLIGHT_COPY_PARTS];
};

/* A term that is spelled inside of another. */
struct templight_spelling_frame {
    const uint32_t *op, *end; /* to go on with */
    uint32_t range, start;    /* that is spelled, and where in the output it starts */
};

/* The names of one trace. */
struct templight_terms {
    struct bo_span in; /* the file */
    uint32_t n_names;
    uint32_t longest;      /* name, in bytes */
    uint64_t total_nbytes; /* of all names */
    struct templight_text_reader texts;
    struct templight_bits tables, stream;
    uint32_t stream_nbits;
    uint8_t *marked; /* the shapes' texts */
    uint8_t *starts; /* of heads that have been unpacked */
    uint32_t n_starts, cap_starts;
    /*
     * The shapes' texts, then each head's up to its first part, which is BO_NOT_YET long until it
     * is read.
     */
    struct bo_span *pieces;
    uint32_t n_literals;
    struct templight_read_shape *shapes;
    struct templight_read_head *heads;
    struct templight_read_top *tops;
    uint32_t n_shapes, n_heads, n_tops;
    unsigned number_bits; /* of TEMPLIGHT_OTHER */
    struct templight_code codes[TEMPLIGHT_N_PLACES], steps;
    uint32_t *groups; /* bits where they start in the stream, and its end */
    const uint8_t *fingerprints;
    /* what has been unpacked */
    uint32_t *ops;
    uint32_t n_ops, cap_ops;
    uint64_t n_words; /* that the specification counts for what has been unpacked; n_ops at most */
    struct templight_range *ranges; /* a name's, then those of its terms with parts */
    uint32_t n_ranges, cap_ranges;
    uint32_t *depths; /* by range: levels of the term, as far as names before it are unpacked */
    uint32_t deepest; /* of the names unpacked */
    uint32_t *first_ranges; /* by name: its own, plus 1; 0: not unpacked */
    uint32_t *n_steps;      /* by name that is unpacked */
    /* scratch memory */
    uint32_t cap_frames;
    struct templight_unpacking_frame *unpacking;
    struct templight_spelling_frame *spelling;
    uint8_t *buffer; /* of the caller, for the longest name, and TEMPLIGHT_SLACK */
};

/*
 * Reads the part at *off of a file, which ends there at `end` at the latest, and moves *off past
 * it. Names are validated when they are queried. The caller provides terms->buffer.
 */
enum bo_status templight_open_terms(struct bo_span in, size_t *off, size_t end, uint32_t n_names,
                                    struct templight_totals *totals, struct bo_arena *arena,
                                    struct templight_terms *terms, struct bo_error *err);

/* A range's text. */
struct templight_known {
    const uint8_t *p; /* NULL: not known */
    uint32_t nbytes;
    uint32_t n_words; /* of a reference to it; while it is spelled, the words that were left */
};

/*
 * Spells a name to `to`, which has room for the longest one and TEMPLIGHT_SLACK. `known`, if not
 * NULL, contains by range the texts that have been spelled already and stay where they are.
 * References are copied from there. Ranges that are spelled become known. Whether a name can be
 * spelled does not depend on what is known.
 */
enum bo_status templight_spell_name(struct templight_terms *terms, uint32_t name,
                                    struct templight_known *known, uint8_t *to,
                                    uint32_t *nbytes_ret, struct bo_error *err);

/* ---- all names ------------------------------------------------------------------------------- */

/*
 * Completes a struct templight_text in place: writes its header before the nbytes bytes at `text`
 * and zeros after them. Returns the bytes of header, text and padding. The caller has left room for
 * the header, and TEMPLIGHT_SLACK bytes after the longest name.
 */
static inline size_t templight_frame_text(uint8_t *text, uint32_t nbytes)
{
    const struct templight_text head = {nbytes};
    memcpy(text - sizeof head, &head, sizeof head);
    memset(text + nbytes, 0, sizeof(uint64_t)); /* more than the padding: others go over the rest */
    return sizeof head + templight_padded(nbytes);
}

static inline bool templight_has_room(const struct templight_terms *terms, uint64_t nbytes)
{
    return nbytes >= sizeof(struct templight_text) + terms->longest + TEMPLIGHT_SLACK;
}

struct templight_all_names {
    bool framed; /* each is a struct templight_text with its padding; else they are listed */
    bool alone;  /* each is expanded separately, so that an error in any of them is found */
};

/*
 * Spells all names into `to`, one after the other, and stores in *n_ret how many bytes they take.
 * `names` are their texts where they are listed. BO_OVER_LIMIT when `cap` bytes are too few.
 * Scratch memory from `arena`.
 */
enum bo_status templight_spell_all(struct templight_terms *terms, struct bo_arena *arena,
                                   struct templight_all_names how, uint8_t *to, uint64_t cap,
                                   struct bo_span *names, uint64_t *n_ret, struct bo_error *err);

#endif
