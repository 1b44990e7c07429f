/*
 * Names in pieces: the dictionary that Templight's writer builds, the one that its wiki describes,
 * and ours. README.md states the three rules.
 * An entry is a marked text, in which each NUL (a marker) denotes another entry, and the ids of
 * those entries in order. An entry's parts have smaller ids than the entry.
 */
#ifndef TEMPLIGHT_TOKENISE_H
#define TEMPLIGHT_TOKENISE_H

#include "harness/core/bytes.h"

enum templight_rule {
    TEMPLIGHT_SPLIT_NEVER,  /* every name is one entry, whole */
    TEMPLIGHT_SPLIT_WIKI,   /* at argument lists */
    TEMPLIGHT_SPLIT_SCOPES, /* at argument lists and at `::`, as the code does */
    TEMPLIGHT_SPLIT_TYPES,  /* at argument lists, after scopes that have some, around types */
};

/* Longer names are kept whole. The longest real one has 28 931 bytes. */
enum { TEMPLIGHT_MAX_SPLIT_NBYTES = 1 << 16 };

struct templight_piece {
    size_t marked_off; /* in the dictionary's `marked` */
    size_t first_id;   /* in its `ids` */
    uint32_t marked_nbytes, n_ids;
};

/* A list of arguments or a part of one that is being split; see tokenise.c. */
struct templight_token;

struct templight_dictionary {
    enum templight_rule rule;
    size_t max_split_nbytes; /* TEMPLIGHT_MAX_SPLIT_NBYTES, unless the caller sets another */
    struct bo_arena *arena;
    struct templight_piece *pieces; /* by id */
    uint32_t n_pieces;
    size_t cap_pieces;
    uint8_t *marked; /* of all pieces, one after the other; what is being built after them */
    size_t n_marked, cap_marked;
    uint32_t *ids;
    size_t n_ids, cap_ids;
    uint32_t *slots; /* ids plus 1, by hash; 0: nothing */
    size_t n_slots;  /* a power of two */
    uint64_t seed;   /* of the hash; unpredictable */
    /* scratch memory for the name that is being split */
    struct templight_token *tokens;
    size_t cap_tokens;
    uint32_t *closers;
    size_t cap_closers;
    uint32_t *scopes, *lists; /* by our rule only */
    size_t cap_scopes, cap_lists;
    uint8_t *building; /* a stack: the marked texts of unfinished tokens */
    size_t n_building, cap_building;
    uint32_t *building_ids;
    size_t n_building_ids, cap_building_ids;
};

/* False when the arena refuses. */
bool templight_dictionary_init(struct templight_dictionary *dictionary, enum templight_rule rule,
                               struct bo_arena *arena);

/*
 * The id of a name. Adds the entries that it needs and that do not exist yet, parts first. Takes
 * time and memory linear in the name, however deep it nests. BO_UNSUPPORTED, with its place in the
 * name, for a NUL.
 */
enum bo_status templight_dictionary_add(struct templight_dictionary *dictionary,
                                        struct bo_span name, uint32_t *id_ret,
                                        struct bo_error *err);

static inline struct bo_span templight_piece_marked(const struct templight_dictionary *dictionary,
                                                    const struct templight_piece *piece)
{
    return (struct bo_span){dictionary->marked + piece->marked_off, piece->marked_nbytes};
}

static inline const uint32_t *templight_piece_ids(const struct templight_dictionary *dictionary,
                                                  const struct templight_piece *piece)
{
    return dictionary->ids + piece->first_id;
}

#endif
