/*
 * predicted: an archive of traces. The functions below define which values of a record or a name
 * are coded, in which order and with which contexts. Each is written once for both directions: it
 * encodes its argument or decodes a value, and returns the value. README.md specifies the format.
 */
#ifndef TEMPLIGHT_PREDICTED_H
#define TEMPLIGHT_PREDICTED_H

#include "codecs/templight/templight.h"
#include "codecs/templight/tokenise.h"
#include "harness/coding/context_model.h"
#include "harness/core/text_set.h"

/* Coded bits lie in streams by what they are about. */
enum predicted_stream {
    PREDICTED_STRUCTURE, /* kinds */
    PREDICTED_NAMES,
    PREDICTED_REFS, /* Ends, records that are known, names that are known */
    PREDICTED_LOCATIONS,
    PREDICTED_TIMES,
    PREDICTED_N_STREAMS
};

/* Contexts of the guesser, numbered: their numbers are part of the format. */
enum predicted_site {
    PREDICTED_RECORD,
    PREDICTED_KIND,
    PREDICTED_KIND_NUMBER,
    PREDICTED_NAME,
    PREDICTED_ORIGIN,
    PREDICTED_LOCATION,
    PREDICTED_FILE,
    PREDICTED_FILE_TEXT,
    PREDICTED_LINE,
    PREDICTED_COLUMN,
    PREDICTED_HAS_OWN_ORIGIN,
    PREDICTED_OWN_ORIGIN,
    PREDICTED_WHOLE,
    PREDICTED_BASE,
    PREDICTED_PART,
    PREDICTED_IS_LEAF,
    PREDICTED_SHAPE,
    PREDICTED_N_PARTS,
    PREDICTED_TEXT,
    PREDICTED_HAS_TIME,
    PREDICTED_TIME,
    PREDICTED_MEMORY,
    PREDICTED_N_SITES
};

#define PREDICTED_NONE UINT32_MAX /* no piece, no node */

/* How much there is of a trace. */
struct predicted_counts {
    bool has_times, has_memory; /* some record */
    uint64_t n_records, n_names, n_files;
    uint64_t n_nodes; /* pieces of names */
    uint64_t n_parts; /* of all nodes */
    uint64_t n_text;  /* bytes of leaves, shapes and files, each with its NUL */
};

/* ---- nodes of names -------------------------------------------------------------------------- */

/* A piece of a name: a shape (a text with markers) and its parts, or a leaf (a text). */
struct predicted_node {
    struct bo_span marked;
    uint32_t first_part, n_parts;
    uint32_t base; /* its first part; of a leaf itself */
};

/* The position of a node: its parent, and its index among the parent's parts. */
struct predicted_place {
    uint32_t base, index;     /* of the node that it is a part of; PREDICTED_NONE: of none */
    uint32_t before, before2; /* the parts before it, or their substitutes */
    uint64_t above;           /* hash of the parent's position */
    size_t n_outer;           /* frames that are outside of that node */
};

/* A node that is being coded. */
struct predicted_frame {
    struct predicted_place place;
    uint32_t piece;         /* encoding: in the dictionary */
    uint32_t first, n_open; /* its parts so far, in open_parts */
    struct bo_span marked;
    uint32_t n_parts; /* 0 until its shape is known */
    /* what is learned when it has a number */
    unsigned site, n_contexts;
    uint64_t contexts[BO_GUESS_CONTEXTS];
};

struct predicted_shape {
    struct bo_span marked;
    uint32_t n_parts;
};

/* ---- sets of small tuples -------------------------------------------------------------------- */

/* Four numbers each, found by their values. */
struct predicted_set {
    uint32_t (*items)[4]; /* n of them */
    uint32_t n;
    size_t cap;
    uint32_t *slots; /* numbers plus 1; 0: nothing */
    size_t n_slots;  /* a power of two */
    uint64_t seed;
};

/* The number of an item, or PREDICTED_NONE. */
uint32_t predicted_find(const struct predicted_set *set, const uint32_t item[4]);

/* ---- a trace --------------------------------------------------------------------------------- */

/* A Begin that is open, and the Begins that have ended in it last: numbers of records, 0: none. */
struct predicted_open {
    uint32_t record, last, last2;
};

/* The surroundings of the Begin whose name is coded. Nodes, or PREDICTED_NONE. */
struct predicted_around {
    uint32_t kind;
    uint32_t outer, outer_base;      /* the Begin that is open */
    uint32_t inner, inner_base;      /* the last one that has ended in it */
    uint32_t outer_name, inner_name; /* numbers plus 1; 0: none */
};

enum { PREDICTED_HISTORY = 6 };

struct predicted {
    struct bo_arena *arena; /* of scratch memory */
    struct bo_guesser guesser;
    struct bo_range_coder coders[PREDICTED_N_STREAMS];
    bool decoding;
    bool no_memory;
    const char *flaw; /* decoding: what is wrong with what was read */

    /* of the trace that is being coded: */
    struct predicted_counts counts;
    const struct templight_trace *trace;           /* encoding */
    const struct templight_dictionary *dictionary; /* encoding: all names' */
    uint32_t *piece_nodes;                         /* encoding: by piece */
    uint32_t *coded_files;                         /* encoding: by the model's number */
    const uint32_t *name_pieces;                   /* encoding: by name */

    struct predicted_node *nodes; /* n_nodes so far */
    uint32_t *parts;              /* n_parts so far */
    uint32_t n_nodes, n_parts;
    uint32_t *open_parts;
    uint32_t n_open_parts;
    struct predicted_frame *frames;
    size_t n_frames, cap_frames;
    uint32_t *last_of_base;        /* by base: the last node that it had, plus 1 */
    uint32_t *node_names;          /* by node: the name that it is, plus 1 */
    struct bo_texts shape_numbers; /* by text */
    struct predicted_shape *shapes;
    uint32_t n_shapes;
    size_t cap_shapes;
    uint32_t recent[3]; /* nodes, the latest first */

    uint32_t *name_nodes; /* n_names so far */
    uint32_t n_names;
    uint32_t *name_origins; /* of the last Begin that had it */
    struct bo_span *files;  /* in coding order; n_files so far */
    uint32_t *file_numbers; /* the model's, or TEMPLIGHT_NONE */
    uint32_t *file_lines;   /* coded last, by file */
    uint32_t n_files, n_numbered_files;
    struct predicted_set kinds, places, records;
    struct predicted_open *open; /* from 1 on; 0: no Begin */
    size_t n_open, cap_open;
    uint32_t history[PREDICTED_HISTORY]; /* records, the latest first; 0: an End */
    uint32_t last_file, last_file2;
    struct predicted_around around;
    uint64_t last_time, last_memory;
};

/* What is read of a trace, but for its records. */
struct predicted_tables {
    struct predicted_node *nodes;
    uint32_t *parts;
    uint32_t *name_nodes;
    struct bo_span *files;
};

/* Makes room for what is counted. False when the arena refuses. */
bool predicted_make_tables(struct predicted_tables *tables, const struct predicted_counts *counts,
                           struct bo_arena *arena);

/* Prepares for a trace whose counts are set. False when the arena of scratch memory refuses. */
bool predicted_start_trace(struct predicted *p, const struct predicted_tables *tables);

static inline bool predicted_has_memory(const struct predicted *p)
{
    return !p->no_memory && !p->guesser.no_memory;
}

/* True while there is no error; a decoder stops after one. */
static inline bool predicted_is_sound(const struct predicted *p)
{
    return !p->flaw && !p->guesser.flaw && predicted_has_memory(p);
}

/* A name: by its piece in the dictionary, when encoding. Its node, or any when it is not sound. */
uint32_t predicted_code_name(struct predicted *p, uint32_t piece);

/* Encodes a record, or decodes it except for the final numbers of its name and files. */
void predicted_code_record(struct predicted *p, struct templight_record *record);

/* Adds an item that is not there. Returns its number; sets no_memory when the arena refuses. */
uint32_t predicted_add(struct predicted *p, struct predicted_set *set, const uint32_t item[4]);

#endif
