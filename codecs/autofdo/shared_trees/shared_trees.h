/*
 * Common parts of the codecs of shared trees: a profile as names, trees of inlined instances, each
 * stored once, and separate counts. README.md specifies the layout.
 *
 * Each name has one list of places (records, call targets, inlined callees), and variants: subsets
 * of the list, with the variant of each callee. A function is the first variant of its name,
 * expanded, with the counts in the order of a visit.
 */
#ifndef AUTOFDO_SHARED_TREES_H
#define AUTOFDO_SHARED_TREES_H

#include "codecs/autofdo/autofdo.h"
#include "codecs/autofdo/shared_trees/prefix_code.h"

enum {
    AUTOFDO_BLOCK_NAMES = 16, /* strings, or entries of names, that are read at once */
    AUTOFDO_RECENT = 12,      /* counts that a count may repeat */
    AUTOFDO_COUNT_CODES = 9,
};

/* What follows in a list of places. */
enum autofdo_next { AUTOFDO_END, AUTOFDO_RECORD, AUTOFDO_TARGET, AUTOFDO_CALLSITE };

/* The codes of a file, in the order of the file. */
enum autofdo_code_kind {
    AUTOFDO_SIZES,      /* numbers: bits of blocks and functions */
    AUTOFDO_SHARED,     /* numbers: bytes that a name has in common with the one before */
    AUTOFDO_PIECES,     /* phrases of a name */
    AUTOFDO_VARIANTS,   /* numbers: of a name */
    AUTOFDO_NEXT_FIRST, /* enum autofdo_next: at a list's start, or after a record */
    AUTOFDO_NEXT_TARGET,
    AUTOFDO_NEXT_CALLSITE,
    AUTOFDO_RECORD_LINE, /* numbers: lines from the record before on */
    AUTOFDO_CALLSITE_LINE,
    AUTOFDO_STEP, /* numbers: discriminators on the line of the place before, from its own */
    AUTOFDO_DISCRIMINATOR, /* numbers: others */
    AUTOFDO_PRESENT,       /* 4 places of a list: which of them a variant has */
    AUTOFDO_COUNTS,        /* by the width of the count before: repetitions, and numbers: steps */
    AUTOFDO_N_CODES = AUTOFDO_COUNTS + AUTOFDO_COUNT_CODES,
};

/* The symbols that a code may have: from the first one on, below max_symbols. */
static inline unsigned autofdo_first_symbol(unsigned code)
{
    return code == AUTOFDO_PIECES; /* a string has at least one phrase */
}

static inline unsigned autofdo_max_symbols(unsigned code)
{
    return code == AUTOFDO_PIECES || code == AUTOFDO_PRESENT             ? 16
           : code >= AUTOFDO_NEXT_FIRST && code <= AUTOFDO_NEXT_CALLSITE ? AUTOFDO_CALLSITE + 1
           : code >= AUTOFDO_COUNTS ? AUTOFDO_RECENT + AUTOFDO_NUMBER_SYMBOLS
                                    : AUTOFDO_NUMBER_SYMBOLS;
}

/* Whether each symbol takes at least a bit, so that bytes bound the number of places. */
static inline bool autofdo_spends_bits(unsigned code)
{
    return (code >= AUTOFDO_NEXT_FIRST && code <= AUTOFDO_NEXT_CALLSITE) || code == AUTOFDO_PRESENT;
}

/* The prefix code of the item that follows a place of this kind. */
static inline unsigned autofdo_next_code(unsigned kind)
{
    static const uint8_t codes[] = {AUTOFDO_NEXT_FIRST, AUTOFDO_NEXT_FIRST, AUTOFDO_NEXT_TARGET,
                                    AUTOFDO_NEXT_CALLSITE};
    return codes[kind];
}

/* The code of a count that follows another count. */
static inline unsigned autofdo_count_code(uint64_t last)
{
    const unsigned code = bo_bit_width(last) / 3;
    return AUTOFDO_COUNTS + (code < AUTOFDO_COUNT_CODES ? code : AUTOFDO_COUNT_CODES - 1);
}

/* The width of indexes below n. */
static inline unsigned autofdo_index_bits(uint64_t n)
{
    return n > 1 ? bo_bit_width(n - 1) : 0;
}

static inline size_t autofdo_n_blocks(size_t n, uint32_t block)
{
    return (n + block - 1) / block;
}

/* Instances, records and targets of all functions together, for a file of so many bytes. */
static inline uint64_t autofdo_max_expanded(uint64_t file_nbytes)
{
    return 16 * file_nbytes + (UINT64_C(1) << 10);
}

/* Bytes of the names of a function's targets, each as often as it occurs, for the same. */
static inline uint64_t autofdo_max_target_nbytes(uint64_t file_nbytes)
{
    return 64 * file_nbytes + (UINT64_C(1) << 16);
}

/* Bytes of all strings together, for the same. */
static inline uint64_t autofdo_max_text(uint64_t file_nbytes)
{
    const uint64_t most = 64 * file_nbytes + (UINT64_C(1) << 17);
    return most < INT32_MAX ? most : INT32_MAX; /* their sizes are kept in 32 bits */
}

/* The counts that a function had last, the newest first. It starts with a 0. */
struct autofdo_recent {
    uint64_t counts[AUTOFDO_RECENT];
    unsigned n;
};

static inline void autofdo_recent_start(struct autofdo_recent *recent)
{
    recent->counts[0] = 0;
    recent->n = 1;
}

/* Moves a count to the front from index `from`, which is recent->n for a new count. */
static inline void autofdo_recent_move(struct autofdo_recent *recent, unsigned from, uint64_t count)
{
    if (from == recent->n) {
        from = recent->n < AUTOFDO_RECENT ? recent->n : AUTOFDO_RECENT - 1;
        recent->n = from + 1;
    }
    for (; from > 0; from--)
        recent->counts[from] = recent->counts[from - 1];
    recent->counts[0] = count;
}

/* ---- the contents of a file, for writing ----------------------------------------------------- */

/* A place of a name's list. */
struct autofdo_spot {
    uint32_t line, discriminator;
    uint32_t kind; /* AUTOFDO_RECORD, AUTOFDO_TARGET or AUTOFDO_CALLSITE */
    uint32_t name; /* of a target or callee */
};

/* A place that a variant has. */
struct autofdo_part {
    uint32_t spot;    /* for writing, in its name's list; for reading, among all spots */
    uint32_t variant; /* of a callee: of its name */
};

struct autofdo_plan_variant {
    size_t first_part, n_parts;
};

struct autofdo_plan_entry {
    size_t first_spot, n_spots;
    size_t first_variant, n_variants;
};

struct autofdo_plan {
    const struct autofdo_model *model;
    struct bo_arena *arena;
    size_t n_names, n_paths;            /* paths: those that are not empty */
    struct bo_span *strings;            /* the names in order, then the paths in order */
    struct autofdo_plan_entry *entries; /* by name */
    struct autofdo_spot *spots;
    size_t n_spots;
    struct autofdo_plan_variant *variants;
    size_t n_variants;
    struct autofdo_part *parts;
    size_t n_parts;
    uint32_t *functions; /* their names */
    uint32_t *path_of;   /* by name: 0 none, 1 empty, 2 + number of the path */
    uint64_t text_nbytes;
    uint64_t target_nbytes; /* of the targets' names of one function, at most */
    uint64_t expanded;      /* instances, records and targets of all functions */
};

/* Makes the plan in `arena`. */
enum bo_status autofdo_plan_trees(const struct autofdo_model *model, struct bo_arena *arena,
                                  struct autofdo_plan *plan, struct bo_error *err);

/* ---- a file, for reading --------------------------------------------------------------------- */

struct autofdo_trees;

/* How a codec keeps its strings. */
struct autofdo_strings {
    uint8_t magic[4];
    uint32_t block_strings; /* that are read at once */
    /*
     * Appends all strings of the plan: what all blocks need, then the blocks. starts[i] is where
     * block i starts, in bits from the section's start; after the last one is where it ends. Fits
     * the strings' own codes, which the caller writes.
     */
    enum bo_status (*put)(const struct autofdo_plan *plan, struct autofdo_code *codes,
                          struct bo_writer *out, uint64_t *starts, struct bo_error *err);
    /* Reads the part before the blocks: the section's first head_nbytes. */
    enum bo_status (*open)(struct autofdo_trees *trees, size_t head_nbytes, struct bo_error *err);
    /* Spells string i, those before it in its block, and perhaps more of the block. */
    enum bo_status (*load)(struct autofdo_trees *trees, uint32_t i, struct bo_error *err);
    /* After all blocks were spelled: the part of the head that none of them used. May be NULL. */
    enum bo_status (*finish)(const struct autofdo_trees *trees, struct bo_error *err);
};

/* A string that has been spelled; n is 0 before. */
struct autofdo_text {
    uint32_t off, n;
};

/* A name's list, once it has been read. */
struct autofdo_list {
    uint32_t first_spot, n_spots;
};

/* What a variant expands to; n_instances is 0 before it is known. */
struct autofdo_sums {
    uint32_t n_instances, n_records, n_targets, depth;
    uint32_t target_nbytes; /* of the targets' names, each as often as it occurs */
};

struct autofdo_variant {
    uint32_t first_part, n_parts;
    uint32_t n_own; /* of its parts, the first ones: records and targets; callsites follow */
    struct autofdo_sums sums;
};

/* A part of a file, in bits or bytes from its start. */
struct autofdo_section {
    const uint8_t *p;
    size_t n;
};

struct autofdo_trees {
    struct bo_span in;
    struct bo_arena *arena;
    const struct autofdo_strings *kind;
    uint32_t n_names, n_paths, n_functions;
    uint64_t first_timestamp;
    unsigned timestamp_bits, path_bits;
    struct autofdo_summary summary; /* as stored */
    size_t summary_off;
    struct autofdo_section index, paths, timestamps, strings, structure, counts;
    struct autofdo_table tables[AUTOFDO_N_CODES];
    const uint8_t *is_function; /* a bit a name */
    uint32_t *ranks;            /* functions before each 64 names */
    uint64_t *string_starts;    /* by part, in bits of the section, and the end */
    uint64_t *entry_starts;     /* by block */
    uint64_t *count_starts;     /* by function */
    size_t n_string_blocks, n_entry_blocks;
    uint32_t *first_variants; /* by name, and how many there are */
    void *speller;            /* the strings' own */
    /* what has been read so far */
    struct autofdo_text *texts; /* by string */
    uint64_t *hashes;           /* by name; 0: not known */
    uint8_t *text;
    uint32_t n_text, text_cap;
    uint8_t *n_entries_read; /* by block of names: lists and variants, from its first name on */
    uint64_t *next_entries; /* by block of names of which some have been read: the next one's bit */
    struct autofdo_list *lists; /* by name */
    struct autofdo_spot *spots;
    struct autofdo_variant *variants;
    struct autofdo_part *parts;
    uint32_t n_spots, n_parts, spots_cap, parts_cap;
};

/* Where a bit of a section lies, for errors. */
static inline uint64_t autofdo_off_of(const struct autofdo_trees *trees,
                                      const struct autofdo_section *section, uint64_t bit)
{
    return (uint64_t)(section->p - trees->in.p) + (bit / 8 < section->n ? bit / 8 : section->n);
}

/* Where the block of a name's entry starts in the file. */
static inline uint64_t autofdo_entry_off(const struct autofdo_trees *trees, uint32_t name)
{
    return autofdo_off_of(trees, &trees->structure,
                          trees->entry_starts[name / AUTOFDO_BLOCK_NAMES]);
}

static inline struct autofdo_bits autofdo_bits_of(const struct autofdo_section *section,
                                                  uint64_t bit)
{
    return (struct autofdo_bits){section->p, section->n, bit};
}

/* Reads the head and the index of a file. */
enum bo_status autofdo_open_trees(struct bo_span in, const struct autofdo_strings *kind,
                                  struct bo_arena *arena, struct autofdo_trees **trees_ret,
                                  struct bo_error *err);

/* The string with this number; its bytes do not move later. */
enum bo_status autofdo_string(struct autofdo_trees *trees, uint32_t i, struct bo_span *string_ret,
                              struct bo_error *err);

/*
 * Checks string i, which shares `shared` bytes with the one before. Returns NULL, or the rule that
 * it breaks. The one before has been read, unless i is the first of a block.
 */
const char *autofdo_string_flaw(const struct autofdo_trees *trees, uint32_t i, uint32_t shared,
                                struct bo_span string);

/*
 * Reads all strings, lists and variants, and checks what a single block cannot show: strings ascend
 * from block to block, and the totals equal those of the header.
 */
enum bo_status autofdo_read_all(struct autofdo_trees *trees, struct bo_error *err);

/* Reads a name's list and variants, and those before it in its block, unless that has been done. */
enum bo_status autofdo_read_entry(struct autofdo_trees *trees, uint32_t name, struct bo_error *err);

/*
 * Reads all that a name's variant needs, down to the last callee, and adds it up: sums are known
 * from then on. `depth` is the variant's own, from 1 on. BO_OVER_LIMIT for what is too deep or too
 * large.
 */
enum bo_status autofdo_sum_variant(struct autofdo_trees *trees, uint32_t name, uint32_t variant,
                                   unsigned depth, struct bo_error *err);

/* The index of the function of this name; false when the name is not that of a function. */
static inline bool autofdo_function_of(const struct autofdo_trees *trees, uint32_t name,
                                       uint32_t *function_ret)
{
    if (!(trees->is_function[name / 8] >> name % 8 & 1))
        return false;
    uint32_t rank = trees->ranks[name / 64];
    for (uint32_t byte = name / 64 * 8; byte < name / 8; byte++)
        rank += (uint32_t)__builtin_popcount(trees->is_function[byte]);
    rank += (uint32_t)__builtin_popcount(trees->is_function[name / 8] & ((1u << name % 8) - 1));
    *function_ret = rank;
    return true;
}

/* Steps from one function's name to the next, from *name on; false at the end. */
static inline bool autofdo_next_function(const struct autofdo_trees *trees, uint32_t *name)
{
    while (*name < trees->n_names && !(trees->is_function[*name / 8] >> *name % 8 & 1))
        ++*name;
    return *name < trees->n_names;
}

/* Numbers of fixed width, at most 64 bits: of function or name i. */
static inline uint64_t autofdo_field(const struct autofdo_section *section, unsigned nbits,
                                     uint32_t i)
{
    struct autofdo_bits bits = autofdo_bits_of(section, (uint64_t)i * nbits);
    const uint64_t low = autofdo_take_bits(&bits, nbits < 32 ? nbits : 32);
    return nbits <= 32 ? low : low | autofdo_take_bits(&bits, nbits - 32) << 32;
}

/* The timestamp of function i. */
static inline enum bo_status autofdo_timestamp_of(const struct autofdo_trees *trees, uint32_t i,
                                                  uint64_t *timestamp_ret, struct bo_error *err)
{
    const uint64_t v =
        trees->timestamp_bits ? autofdo_field(&trees->timestamps, trees->timestamp_bits, i) : 0;
    if (v && v - 1 > UINT64_MAX - trees->first_timestamp)
        return bo_fail(
            err, BO_CORRUPT,
            autofdo_off_of(trees, &trees->timestamps, (uint64_t)i * trees->timestamp_bits),
            "timestamp is 2^64 or more");
    *timestamp_ret = v ? trees->first_timestamp + (v - 1) : 0;
    return BO_OK;
}

/* The counts of a function, one after the other. */
struct autofdo_count_reader {
    struct autofdo_bits bits;
    uint64_t end; /* in bits */
    const struct autofdo_table *tables;
    struct autofdo_recent recent;
};

/* The counts of function i, of which the head is the first. */
static inline struct autofdo_count_reader autofdo_counts_of(const struct autofdo_trees *trees,
                                                            uint32_t i)
{
    struct autofdo_count_reader reader = {autofdo_bits_of(&trees->counts, trees->count_starts[i]),
                                          trees->count_starts[i + 1],
                                          trees->tables,
                                          {{0}, 0}};
    autofdo_recent_start(&reader.recent);
    return reader;
}

/* False if the bits are not a valid count. */
static inline bool autofdo_take_count(struct autofdo_count_reader *reader, uint64_t *count_ret)
{
    struct autofdo_recent *recent = &reader->recent;
    const uint64_t last = recent->counts[0];
    const unsigned symbol =
        autofdo_take_symbol(&reader->bits, &reader->tables[autofdo_count_code(last)]);
    if (symbol == 0) {
        *count_ret = last;
        return true;
    }
    if (symbol < AUTOFDO_RECENT) {
        if (symbol >= recent->n)
            return false;
        *count_ret = recent->counts[symbol];
        autofdo_recent_move(recent, symbol, *count_ret);
        return true;
    }
    if (symbol == AUTOFDO_NO_SYMBOL)
        return false;
    const uint64_t step = autofdo_take_rest(&reader->bits, symbol - AUTOFDO_RECENT);
    *count_ret = last + (uint64_t)bo_unzigzag64(step);
    autofdo_recent_move(recent, recent->n, *count_ret);
    return true;
}

/* ---- what the codecs are made of ------------------------------------------------------------- */

/* The strings of shared-trees. */
extern const struct autofdo_strings autofdo_phrases;

/* Writes what has been planned in out->arena. */
enum bo_status autofdo_put_plan(const struct autofdo_plan *plan, const struct autofdo_strings *kind,
                                struct bo_writer *out, struct bo_error *err);
enum bo_status autofdo_put_trees(const struct autofdo_model *model,
                                 const struct autofdo_strings *kind, struct bo_writer *out,
                                 struct bo_error *err);
enum bo_status autofdo_decode_trees(struct bo_span in, const struct autofdo_strings *kind,
                                    struct bo_arena *arena, void **model_ret, struct bo_error *err);
enum bo_status autofdo_query_trees(const struct bo_codec *self, void *reader, unsigned kind,
                                   const void *queries, size_t n, void *answers,
                                   struct bo_error *err);

#endif
