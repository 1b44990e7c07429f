/*
 * fingerprints: a perfect hash that stores 64 bits of each name, and names as phrases for
 * iteration.
 *
 *   24  the head of slots.h; own: codes of all names together
 *   48  pilots
 *       fingerprints of F bits, one a slot, 0 for a free one, bit-packed, and BO_WIDE_LOAD zeros
 *       groups of 32 slots: their cells (slots.h)
 *       repeats (slots.h)
 *       the grammar (harness/coding/grammar.md)
 *       names of all functions in file order, bit-packed: 2 bits s, the number of codes that it
 *           shares with the start of the name before it (at most 3 are counted); as many ones as it
 *           has further codes, and a zero; these codes
 *
 * A fingerprint consists of the low half of the hash, above the low F - 32 bits of the place of its
 * high half (perfect_hash.h). F is the smallest number with which equal slots and fingerprints
 * imply equal hashes, 64 - floor(log2 slots), or 64 if that is above 57, so that one load reads a
 * fingerprint. So no two names of the file are confused. A name that is not in the file is found
 * with a probability of slots / 2^64.
 */
#include "codecs/lprf/slots.h"
#include "harness/coding/grammar.h"
#include "harness/core/bits.h"

enum {
    NAMES_A_BUCKET = 5,
    FAST_NAMES_A_BUCKET = 4, /* 0.1 bytes a name more, half of the search */
    MAX_SHARED = 3,
};

struct index {
    struct lprf_slots slots;
    const uint8_t *fingerprints;
    unsigned width; /* of a fingerprint, bits */
    uint64_t mask;
    size_t grammar_off; /* read only when a query returns names */
};

/* ---- writing --------------------------------------------------------------------------------- */

static void put_fingerprints(const struct lprf_writer *w, const struct lprf_slot_plan *plan)
{
    const unsigned width = lprf_fingerprint_width(plan->hash.n_slots);
    struct bo_bit_writer bits = {w->out, 0};
    bo_mark(w->out, "fingerprints");
    for (uint32_t slot = 0; slot < plan->hash.n_slots; slot++) {
        const uint32_t name = plan->name_at[slot];
        uint64_t v = 0;
        if (name != LPRF_NO_NAME) {
            const uint64_t hash = lprf_hash_name(plan->names[name], plan->hash.seed);
            v = lprf_fingerprint(hash, lprf_sent_to(&plan->hash, hash), width);
        }
        bo_put_bits(&bits, (uint32_t)v, 32);
        bo_put_bits(&bits, (uint32_t)(v >> 32), width - 32);
    }
    bo_put_zeros(w->out, BO_WIDE_LOAD);
}

/* The names of all functions in file order, for the grammar. */
static struct bo_span *names_of(const struct lprf_writer *w)
{
    const size_t n = w->model->n_functions;
    struct bo_span *names = bo_alloc_array(w->out->arena, n, sizeof *names);
    for (size_t f = 0; names && f < n; f++)
        names[f] = w->model->functions[f].name;
    return names;
}

static void put_names(const struct lprf_writer *w, const struct bo_grammar *grammar)
{
    struct bo_bit_writer bits = {w->out, 0};
    const uint32_t *codes = grammar->codes, *before = codes;
    unsigned n_before = 0;
    bo_mark(w->out, "names");
    for (size_t f = 0; f < w->model->n_functions; f++) {
        const unsigned n = grammar->n_name_codes[f];
        unsigned shared = 0;
        while (shared < MAX_SHARED && shared < n && shared < n_before &&
               codes[shared] == before[shared])
            shared++;
        bo_put_bits(&bits, shared, 2);
        bo_put_bits(&bits, (1u << (n - shared)) - 1, n - shared + 1);
        for (unsigned i = shared; i < n; i++)
            bo_put_bits(&bits, codes[i], grammar->code_bits);
        before = codes;
        codes += n;
        n_before = n;
    }
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    struct lprf_slot_plan plan;
    struct bo_grammar grammar;
    enum bo_status status =
        lprf_plan_slots(w, w->fast ? FAST_NAMES_A_BUCKET : NAMES_A_BUCKET, &plan, err);
    const struct bo_span *names = status ? NULL : names_of(w);
    if (!status && !names)
        return bo_fail_alloc(err, w->out->arena);
    if (!status)
        status = bo_make_grammar(names, w->model->n_functions,
                                 w->fast ? BO_GRAMMAR_FAST : BO_GRAMMAR_SMALL, w->out->arena,
                                 &grammar, err);
    if (status)
        return status;
    if (grammar.n_codes_used > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "grammar has 2^32 codes or more");
    lprf_put_slots_head(w, &plan, (uint32_t)grammar.n_codes_used);
    lprf_put_pilots(w, &plan);
    put_fingerprints(w, &plan);
    for (size_t group = 0; group < lprf_n_groups(plan.hash.n_slots); group++)
        lprf_put_cells(w, &plan, group);
    lprf_put_repeats(w, &plan);
    bo_put_grammar(&grammar, w->out);
    put_names(w, &grammar);
    lprf_end_index(w);
    if (!w->out->status && grammar.text_nbytes > bo_max_text_nbytes(w->out->n - w->start))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "phrases expand to more than 64 times the index + 2^20 bytes");
    return lprf_end_slots(w, &plan, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    size_t off;
    struct lprf_slots *slots = &index->slots;
    const enum bo_status status = lprf_open_slots_head(file, slots, &off, err);
    if (status)
        return status;
    slots->group_nbytes = LPRF_CELLS_NBYTES;
    index->width = lprf_fingerprint_width(slots->hash.n_slots);
    index->mask = UINT64_MAX >> (64 - index->width);
    const uint64_t nbits = (uint64_t)slots->hash.n_slots * index->width;
    if (!(slots->hash.pilots = lprf_take_part(file, &off, slots->hash.n_buckets, 2, err)) ||
        !(index->fingerprints =
              lprf_take_part(file, &off, (nbits + 7) / 8 + BO_WIDE_LOAD, 1, err)) ||
        !(slots->groups = lprf_take_part(file, &off, lprf_n_groups(slots->hash.n_slots),
                                         LPRF_CELLS_NBYTES, err)) ||
        !(slots->repeats = lprf_take_part(file, &off, slots->n_repeats, LPRF_REPEAT_NBYTES, err)))
        return BO_TRUNCATED;
    index->grammar_off = off;
    return BO_OK;
}

/* The fingerprint in a slot. */
static inline uint64_t kept_at(const struct index *index, uint32_t slot)
{
    const uint64_t bit = (uint64_t)slot * index->width;
    return bo_le64(index->fingerprints + bit / 8) >> bit % 8 & index->mask;
}

/* The slot of a name; false when the slot has another fingerprint. */
static inline bool find_slot(const struct index *index, struct bo_span name, uint32_t *slot_ret)
{
    const struct lprf_perfect_hash *ph = &index->slots.hash;
    const uint64_t hash = lprf_hash_name(name, ph->seed);
    const uint32_t place = lprf_sent_to(ph, hash);
    const uint32_t slot = lprf_slot_at(ph->n_slots, place);
    *slot_ret = slot;
    return kept_at(index, slot) == lprf_fingerprint(hash, place, index->width);
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    uint32_t slot;
    match->off = 0;
    if (!find_slot(index, name, &slot))
        return BO_OK;
    const uint8_t *group = lprf_group_of(&index->slots, slot);
    if (__builtin_expect(lprf_cell_nbytes(group, slot) == 0, 0))
        return BO_OK; /* a free slot, and an absent name whose fingerprint happens to be 0 */
    match->next = slot;
    return lprf_match_at(file, lprf_cell_off(group, slot), match, err);
}

static enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                struct bo_span name, struct lprf_match *match, struct bo_error *err)
{
    return lprf_match_more(file, &index->slots, match, err);
}

/* ---- all names ------------------------------------------------------------------------------- */

/* The place of a slot's records according to its cell, checked once for all slots. */
struct place {
    uint32_t off;    /* from the first record */
    uint32_t repeat; /* the slot's first; then the next that has not been visited */
    uint32_t n_left; /* functions that have not been visited */
    uint32_t gap;
};

/* Names in file order. */
struct walk {
    const struct lprf_file *file;
    const struct index *index;
    struct bo_phrases phrases;
    struct bo_bit_cursor bits;         /* of the names */
    uint32_t codes[BO_MAX_NAME_CODES]; /* of the last name */
    unsigned n_codes;
    uint64_t n_codes_read; /* of all names; those shared count as often as they are used */
    struct place *places;  /* by slot */
    struct bo_span *names; /* by slot, if names are kept: of the functions visited; else NULL */
};

/* Slots whose fingerprint is 0 and that have no records are free. */
static enum bo_status read_places(struct walk *walk, struct bo_error *err)
{
    const struct lprf_slots *slots = &walk->index->slots;
    struct lprf_cell_walk cells = {.off = 0};
    walk->places = bo_alloc_array(walk->file->arena, slots->hash.n_slots, sizeof *walk->places);
    if (!walk->places)
        return bo_fail_alloc(err, walk->file->arena);
    for (uint32_t slot = 0; slot < slots->hash.n_slots; slot++) {
        const uint8_t *group = lprf_group_of(slots, slot);
        const bool has_name = lprf_cell_nbytes(group, slot) > 0;
        const uint32_t off = (uint32_t)cells.off;
        uint32_t n_repeats;
        const enum bo_status status =
            lprf_walk_cell(walk->file, slots, slot, has_name, &cells, &n_repeats, err);
        if (status)
            return status;
        walk->places[slot] = (struct place){off, cells.repeat - n_repeats, has_name + n_repeats,
                                            (uint32_t)cells.gap};
        if (has_name)
            cells.gap = ((size_t)1 << group[4]) - 1;
        else if (kept_at(walk->index, slot))
            return bo_fail(err, BO_CORRUPT,
                           (uint64_t)(walk->index->fingerprints - walk->file->in.p) +
                               (uint64_t)slot * walk->index->width / 8,
                           "free slot has a fingerprint");
    }
    const enum bo_status status = lprf_end_cells(walk->file, slots, &cells, err);
    return status ? status
                  : lprf_expect_zeros(walk->file, walk->index->fingerprints,
                                      (uint64_t)slots->hash.n_slots * walk->index->width,
                                      (size_t)(slots->groups - walk->index->fingerprints), err);
}

static enum bo_status open_names(struct walk *walk, struct bo_error *err)
{
    const struct lprf_file *file = walk->file;
    size_t off = walk->index->grammar_off;
    const enum bo_status status = bo_open_phrases(file->in, &off, file->end_of_index, SIZE_MAX,
                                                  file->arena, &walk->phrases, err);
    if (status)
        return status;
    walk->bits =
        (struct bo_bit_cursor){.in = {file->in.p, file->end_of_index}, .bit = 8 * (uint64_t)off};
    return read_places(walk, err);
}

/* Reads the next function of a slot. False if it has no further one, or one of another name. */
static bool take_function(const struct walk *walk, uint32_t slot, struct lprf_entry *entry)
{
    struct place *place = &walk->places[slot];
    if (place->n_left == 0)
        return false;
    if (walk->names && walk->names[slot].n && !bo_span_equal(walk->names[slot], entry->name))
        return false;
    if (walk->names)
        walk->names[slot] = entry->name;
    entry->off = walk->file->records_off + place->off;
    entry->gap = place->gap;
    if (--place->n_left) {
        const uint8_t *p = walk->index->slots.repeats + LPRF_REPEAT_NBYTES * (size_t)place->repeat;
        place->off = bo_le32(p + 4);
        place->gap = 0;
        place->repeat++;
    }
    return true;
}

/* Reads the codes of the next name. */
static enum bo_status read_codes(struct walk *walk, struct bo_error *err)
{
    const uint64_t off = walk->bits.bit / 8;
    const unsigned n_before = walk->n_codes;
    uint32_t shared, more;
    if (!bo_get_bits(&walk->bits, 2, &shared))
        return bo_fail(err, BO_TRUNCATED, off, "names run past the index's end");
    if (shared > walk->n_codes)
        return bo_fail(err, BO_CORRUPT, off, "prefix is longer than the name before");
    for (walk->n_codes = shared;; walk->n_codes++) {
        if (!bo_get_bits(&walk->bits, 1, &more))
            return bo_fail(err, BO_TRUNCATED, off, "names run past the index's end");
        if (!more)
            break;
        if (walk->n_codes == BO_MAX_NAME_CODES)
            return bo_fail(err, BO_CORRUPT, off, "name has too many codes");
    }
    for (unsigned i = shared; i < walk->n_codes; i++) {
        const uint32_t before = walk->codes[i];
        if (!bo_get_bits(&walk->bits, walk->phrases.code_bits, &walk->codes[i]))
            return bo_fail(err, BO_TRUNCATED, off, "names run past the index's end");
        if (i == shared && shared < MAX_SHARED && shared < n_before && walk->codes[i] == before)
            return bo_fail(err, BO_CORRUPT, off, "name shares more codes than announced");
    }
    walk->n_codes_read += walk->n_codes;
    return walk->n_codes ? BO_OK : bo_fail(err, BO_CORRUPT, off, "name without a code");
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    struct walk walk = {.file = file, .index = index};
    struct lprf_entry entry = {.order = 0};
    struct bo_span buffer = {NULL, 0};
    enum bo_status status = open_names(&walk, err);
    if (!status && keep) {
        walk.names = bo_zalloc_array(file->arena, index->slots.hash.n_slots, sizeof *walk.names);
        status = walk.names ? BO_OK : bo_fail_alloc(err, file->arena);
    }
    for (; !status && entry.order < index->slots.n_functions; entry.order++) {
        const uint64_t off = walk.bits.bit / 8;
        uint32_t slot;
        if ((status = read_codes(&walk, err)) ||
            (status = bo_spell_name(&walk.phrases, walk.codes, walk.n_codes, keep, &buffer,
                                    file->arena, off, &entry.name, err)))
            return status;
        if (!find_slot(index, entry.name, &slot) || !take_function(&walk, slot, &entry))
            return bo_fail(err, BO_CORRUPT, off, "name has no slot");
        status = visit(context, &entry, err);
    }
    if (status)
        return status;
    for (uint32_t slot = 0; slot < index->slots.hash.n_slots; slot++)
        if (walk.places[slot].n_left)
            return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES, "slot without a name");
    if (walk.n_codes_read != index->slots.own)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 20,
                       "names have another number of codes than announced");
    if ((status = bo_expect_all_used(&walk.phrases, file->arena, index->grammar_off, err)))
        return status;
    if ((walk.bits.bit + 7) / 8 != file->end_of_index)
        return bo_fail(err, BO_CORRUPT, walk.bits.bit / 8, "bytes after the names");
    return lprf_expect_zeros(file, file->in.p, walk.bits.bit, file->end_of_index, err);
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_FILE_ORDER;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX fingerprints
#define LPRF_INDEX_NAME "fingerprints"
#define LPRF_INDEX_NUMBER 8
#define LPRF_INDEX_ROLE BO_NEW
#define LPRF_INDEX_CHOICES "the cut of names into phrases, the pilots of the hash, units of sizes"
#define LPRF_INDEX_FAST fingerprints_fast
#define LPRF_INDEX_PROBABILISTIC 1
#define LPRF_INDEX_SUMMARY "64 bits of a name, behind a perfect hash; absent names by chance"
#include "codecs/lprf/cross.h"
