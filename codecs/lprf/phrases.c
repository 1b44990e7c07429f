/*
 * phrases: names as phrases of a grammar, found by a perfect hash, and verified.
 *
 *   24  the head of slots.h; own: codes of all names together
 *   48  u8   1 when file order is the alphabetical order, else 0
 *       the grammar (harness/coding/grammar.md)
 *       pilots, and groups of 32 slots: after the cells of each
 *         u32  where the codes of the first slot's name start, in codes
 *         u8   n[16]: the number of codes of each slot's name, the even slot's in the low half;
 *              0: no name
 *       codes of all names, in the order of the slots, bit-packed, and BO_WIDE_LOAD zeros
 *       repeats (slots.h)
 *       where file order is not alphabetical: the place in it of each function, in the order of the
 *         records, bit-packed in as many bits as functions - 1 has, and BO_WIDE_LOAD zeros
 *
 * A lookup hashes the name, finds its slot, and compares the phrases in it with the name.
 */
#include "codecs/lprf/slots.h"
#include "harness/coding/grammar.h"
#include "harness/core/bits.h"

enum {
    GRAMMAR_OFF = LPRF_HEADER_NBYTES + LPRF_SLOTS_HEAD_NBYTES + 1,
    NAMES_A_BUCKET = 5,
    FAST_NAMES_A_BUCKET = 4, /* 0.1 bytes a name more, half of the search */
    GROUP_NBYTES = LPRF_CELLS_NBYTES + 4 + LPRF_GROUP_SLOTS / 2,
};

struct index {
    struct lprf_slots slots;
    struct bo_phrases *phrases;
    const uint8_t *codes;
    uint32_t n_codes;
    const uint8_t *order; /* NULL when file order is alphabetical */
    unsigned order_bits;
};

static unsigned order_bits(size_t n_functions)
{
    return n_functions > 1 ? bo_bit_width(n_functions - 1) : 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The groups, and where each name's codes start in the order of the slots. */
static void put_groups(const struct lprf_writer *w, const struct lprf_slot_plan *plan,
                       const struct bo_grammar *grammar)
{
    uint32_t n_codes = 0;
    for (size_t group = 0; group < lprf_n_groups(plan->hash.n_slots); group++) {
        uint8_t counts[LPRF_GROUP_SLOTS / 2] = {0};
        lprf_put_cells(w, plan, group);
        bo_mark(w->out, "names");
        bo_put_le32(w->out, n_codes);
        for (unsigned k = 0; k < LPRF_GROUP_SLOTS; k++) {
            const size_t slot = group * LPRF_GROUP_SLOTS + k;
            if (slot >= plan->hash.n_slots || plan->name_at[slot] == LPRF_NO_NAME)
                continue;
            const unsigned n = grammar->n_name_codes[plan->name_at[slot]];
            counts[k / 2] |= (uint8_t)(n << 4 * (k % 2));
            n_codes += n;
        }
        bo_put_bytes(w->out, counts, sizeof counts);
    }
}

/* The codes of all names in the order of the slots; `starts` is scratch for all names. */
static void put_codes(const struct lprf_writer *w, const struct lprf_slot_plan *plan,
                      const struct bo_grammar *grammar, uint32_t *starts)
{
    struct bo_bit_writer bits = {w->out, 0};
    uint32_t start = 0;
    for (size_t i = 0; i < plan->n_names; i++) {
        starts[i] = start;
        start += grammar->n_name_codes[i];
    }
    bo_mark(w->out, "names");
    for (uint32_t slot = 0; slot < plan->hash.n_slots; slot++) {
        const uint32_t name = plan->name_at[slot];
        for (unsigned i = 0; name != LPRF_NO_NAME && i < grammar->n_name_codes[name]; i++)
            bo_put_bits(&bits, grammar->codes[starts[name] + i], grammar->code_bits);
    }
    bo_put_zeros(w->out, BO_WIDE_LOAD);
}

static void put_order(const struct lprf_writer *w, const struct lprf_slot_plan *plan)
{
    struct bo_bit_writer bits = {w->out, 0};
    const unsigned width = order_bits(w->model->n_functions);
    bo_mark(w->out, "order");
    for (uint32_t slot = 0; slot < plan->hash.n_slots; slot++) {
        const uint32_t name = plan->name_at[slot];
        if (name == LPRF_NO_NAME)
            continue;
        for (uint32_t i = plan->first[name]; i < plan->first[name + 1]; i++)
            bo_put_bits(&bits, plan->functions[i], width);
    }
    bo_put_zeros(w->out, BO_WIDE_LOAD);
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    struct lprf_slot_plan plan;
    struct bo_grammar grammar;
    enum bo_status status =
        lprf_plan_slots(w, w->fast ? FAST_NAMES_A_BUCKET : NAMES_A_BUCKET, &plan, err);
    if (!status)
        status =
            bo_make_grammar(plan.names, plan.n_names, w->fast ? BO_GRAMMAR_FAST : BO_GRAMMAR_SMALL,
                            w->out->arena, &grammar, err);
    uint32_t *starts = bo_alloc_array(w->out->arena, plan.n_names, sizeof *starts);
    if (status)
        return status;
    if (!starts)
        return bo_fail_alloc(err, w->out->arena);
    if (grammar.n_codes_used > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "grammar has 2^32 codes or more");
    lprf_put_slots_head(w, &plan, (uint32_t)grammar.n_codes_used);
    bo_put_u8(w->out, plan.is_alphabetical);
    bo_put_grammar(&grammar, w->out);
    lprf_put_pilots(w, &plan);
    put_groups(w, &plan, &grammar);
    put_codes(w, &plan, &grammar, starts);
    lprf_put_repeats(w, &plan);
    if (!plan.is_alphabetical)
        put_order(w, &plan);
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
    *index = (struct index){.phrases = bo_alloc(file->arena, sizeof *index->phrases)};
    if (!index->phrases)
        return bo_fail_alloc(err, file->arena);
    struct lprf_slots *slots = &index->slots;
    enum bo_status status = lprf_open_slots_head(file, slots, &off, err);
    if (status)
        return status;
    const uint8_t *alphabetical = lprf_take_part(file, &off, 1, 1, err);
    if (!alphabetical)
        return BO_TRUNCATED;
    if (*alphabetical > 1)
        return bo_fail(err, BO_CORRUPT, off - 1, "order is neither 0 nor 1");
    status = bo_open_phrases(file->in, &off, file->end_of_index, file->arena->keep_nbytes,
                             file->arena, index->phrases, err);
    if (status)
        return status;
    index->n_codes = slots->own;
    slots->group_nbytes = GROUP_NBYTES;
    index->order_bits = order_bits(slots->n_functions);
    const uint64_t codes_nbits = (uint64_t)index->n_codes * index->phrases->code_bits;
    const uint64_t order_nbits = (uint64_t)slots->n_functions * index->order_bits;
    if (!(slots->hash.pilots = lprf_take_part(file, &off, slots->hash.n_buckets, 2, err)) ||
        !(slots->groups =
              lprf_take_part(file, &off, lprf_n_groups(slots->hash.n_slots), GROUP_NBYTES, err)) ||
        !(index->codes =
              lprf_take_part(file, &off, (codes_nbits + 7) / 8 + BO_WIDE_LOAD, 1, err)) ||
        !(slots->repeats = lprf_take_part(file, &off, slots->n_repeats, LPRF_REPEAT_NBYTES, err)) ||
        (!*alphabetical && !(index->order = lprf_take_part(
                                 file, &off, (order_nbits + 7) / 8 + BO_WIDE_LOAD, 1, err))))
        return BO_TRUNCATED;
    if (off != file->end_of_index)
        return bo_fail(err, BO_CORRUPT, off, "bytes after the last part of the index");
    return BO_OK;
}

/* The number of codes of a slot's name, and the number of its first code among all codes. */
static inline unsigned codes_of(const struct lprf_slots *slots, uint32_t slot, uint64_t *first_ret)
{
    const uint64_t halves = 0x0f0f0f0f0f0f0f0fu;
    const uint8_t *p = lprf_group_of(slots, slot) + LPRF_CELLS_NBYTES;
    const unsigned k = slot % LPRF_GROUP_SLOTS, shift = 4 * (k % 16);
    const bool upper = k >= 16;
    const uint64_t v0 = bo_le64(p + 4), v1 = bo_le64(p + 12), mask = (UINT64_C(1) << shift) - 1;
    const uint64_t a = upper ? v0 : v0 & mask, b = upper ? v1 & mask : 0;
    /* at most 31 x 15 = 465: each half sums up to a byte's worth */
    const uint64_t sum_a = ((a & halves) + (a >> 4 & halves)) * 0x0101010101010101u >> 56;
    const uint64_t sum_b = ((b & halves) + (b >> 4 & halves)) * 0x0101010101010101u >> 56;
    *first_ret = bo_le32(p) + sum_a + sum_b;
    return (unsigned)((upper ? v1 : v0) >> shift) & 15;
}

/* The place of the code counts of a slot's group: the offset of errors about a name's codes. */
static inline uint64_t codes_off(const struct lprf_file *file, const struct index *index,
                                 uint32_t slot)
{
    return (uint64_t)(lprf_group_of(&index->slots, slot) - file->in.p) + LPRF_CELLS_NBYTES;
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    const struct lprf_slots *slots = &index->slots;
    const uint64_t hash = lprf_hash_name(name, slots->hash.seed);
    const uint32_t slot = lprf_slot_at(slots->hash.n_slots, lprf_sent_to(&slots->hash, hash));
    uint64_t first;
    bool equal;
    const unsigned n = codes_of(slots, slot, &first);
    match->off = 0;
    if (n == 0 || name.n > BO_MAX_NAME_NBYTES)
        return BO_OK;
    if (first + n > index->n_codes ||
        bo_spells(index->phrases, index->codes, first, n, name, &equal))
        return bo_fail(err, BO_CORRUPT, codes_off(file, index, slot), "name has an invalid code");
    if (!equal)
        return BO_OK;
    match->next = slot;
    return lprf_match_at(file, lprf_cell_off(lprf_group_of(slots, slot), slot), match, err);
}

static enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                struct bo_span name, struct lprf_match *match, struct bo_error *err)
{
    return lprf_match_more(file, &index->slots, match, err);
}

/* ---- all names ------------------------------------------------------------------------------- */

/* The state of a walk through all slots. */
struct walk {
    const struct lprf_file *file;
    const struct index *index;
    bool keep;
    struct bo_span buffer; /* for the last name, when names are not kept */
    struct lprf_cell_walk cells;
    uint64_t code;
    uint32_t function;
    uint64_t *seen; /* places in file order, a bit each */
    uint32_t last_order;
};

/* Expands the name of a slot. A lookup of this name must find the same slot. */
static enum bo_status spell_name(struct walk *walk, uint32_t slot, unsigned n,
                                 struct bo_span *name_ret, struct bo_error *err)
{
    const struct index *index = walk->index;
    const struct lprf_perfect_hash *hash = &index->slots.hash;
    uint32_t codes[BO_MAX_NAME_CODES];
    for (unsigned i = 0; i < n; i++)
        codes[i] = bo_code_at(index->phrases, index->codes, walk->code + i);
    const uint64_t off = codes_off(walk->file, index, slot);
    const enum bo_status status = bo_spell_name(index->phrases, codes, n, walk->keep, &walk->buffer,
                                                walk->file->arena, off, name_ret, err);
    if (status)
        return status;
    if (lprf_slot_at(hash->n_slots, lprf_sent_to(hash, lprf_hash_name(*name_ret, hash->seed))) !=
        slot)
        return bo_fail(err, BO_CORRUPT, off, "name belongs to another slot");
    return BO_OK;
}

/*
 * Stores the next function's place in file order; its number in record order if the index stores no
 * order. `further`: not the first function of its name. BO_CORRUPT when the places are not a
 * permutation, or do not ascend within a name.
 */
static enum bo_status take_order(struct walk *walk, bool further, uint64_t *order_ret,
                                 struct bo_error *err)
{
    const struct index *index = walk->index;
    const uint32_t i = walk->function++;
    *order_ret = i;
    if (!index->order)
        return BO_OK;
    const uint64_t bit = (uint64_t)i * index->order_bits;
    const uint64_t off = (uint64_t)(index->order - walk->file->in.p) + bit / 8;
    const uint32_t order = bo_bits_at(index->order, bit, index->order_bits);
    if (order >= index->slots.n_functions || walk->seen[order / 64] >> order % 64 & 1)
        return bo_fail(err, BO_CORRUPT, off, "function order is not a permutation");
    if (further && order < walk->last_order)
        return bo_fail(err, BO_CORRUPT, off, "functions of a name do not ascend");
    walk->seen[order / 64] |= UINT64_C(1) << order % 64;
    walk->last_order = *order_ret = order;
    return BO_OK;
}

/* Visits all functions of a slot. */
static enum bo_status visit_slot(struct walk *walk, uint32_t slot, lprf_visit *visit, void *context,
                                 struct bo_error *err)
{
    const struct lprf_file *file = walk->file;
    const struct lprf_slots *slots = &walk->index->slots;
    uint64_t first;
    uint32_t n_repeats;
    struct lprf_entry entry = {.gap = walk->cells.gap,
                               .off = file->records_off + (size_t)walk->cells.off};
    const unsigned n = codes_of(slots, slot, &first);
    enum bo_status status = lprf_walk_cell(file, slots, slot, n > 0, &walk->cells, &n_repeats, err);
    if (status)
        return status;
    if (first != walk->code || first + n > walk->index->n_codes)
        return bo_fail(err, BO_CORRUPT, codes_off(file, walk->index, slot),
                       "codes do not start where the slot before ends");
    if (n == 0)
        return BO_OK;
    if ((status = spell_name(walk, slot, n, &entry.name, err)))
        return status;
    walk->code += n;
    walk->cells.gap = ((size_t)1 << lprf_group_of(slots, slot)[4]) - 1;
    for (uint32_t i = 0; i <= n_repeats; i++) {
        if (i) {
            const uint32_t repeat = walk->cells.repeat - n_repeats + i - 1;
            entry.off = file->records_off +
                        bo_le32(slots->repeats + LPRF_REPEAT_NBYTES * (size_t)repeat + 4);
            entry.gap = 0;
        }
        if (walk->function == slots->n_functions)
            return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES,
                           "slots hold more functions than there are");
        if ((status = take_order(walk, i > 0, &entry.order, err)) ||
            (status = visit(context, &entry, err)))
            return status;
    }
    return BO_OK;
}

/* Checks the padding of the last group, of the codes and of the order. */
static enum bo_status check_padding(const struct lprf_file *file, const struct index *index,
                                    struct bo_error *err)
{
    const struct lprf_slots *slots = &index->slots;
    enum bo_status status = BO_OK;
    if (slots->hash.n_slots % LPRF_GROUP_SLOTS) {
        const uint8_t *counts = lprf_group_of(slots, slots->hash.n_slots) + LPRF_CELLS_NBYTES + 4;
        status = lprf_expect_zeros(file, counts, 4 * (slots->hash.n_slots % LPRF_GROUP_SLOTS),
                                   LPRF_GROUP_SLOTS / 2, err);
    }
    if (!status)
        status = lprf_expect_zeros(file, index->codes,
                                   (uint64_t)index->n_codes * index->phrases->code_bits,
                                   (size_t)(slots->repeats - index->codes), err);
    if (!status && index->order)
        status =
            lprf_expect_zeros(file, index->order, (uint64_t)slots->n_functions * index->order_bits,
                              (size_t)(file->in.p + file->end_of_index - index->order), err);
    return status;
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    struct bo_phrases phrases;
    struct index whole = *index; /* with all phrases, in memory for this walk alone */
    size_t off = GRAMMAR_OFF;
    if (index->phrases->keep_cap < index->phrases->text_cap) {
        whole.phrases = &phrases;
        const enum bo_status status = bo_open_phrases(file->in, &off, file->end_of_index, SIZE_MAX,
                                                      file->arena, &phrases, err);
        if (status)
            return status;
    }
    struct walk walk = {.file = file, .index = &whole, .keep = keep};
    const struct lprf_slots *slots = &index->slots;
    walk.seen = bo_zalloc_array(file->arena, (size_t)slots->n_functions / 64 + 1, 8);
    if (!walk.seen)
        return bo_fail_alloc(err, file->arena);
    for (uint32_t slot = 0; slot < slots->hash.n_slots; slot++) {
        const enum bo_status status = visit_slot(&walk, slot, visit, context, err);
        if (status)
            return status;
    }
    if (walk.function != slots->n_functions || walk.code != index->n_codes)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES, "slots do not hold all functions");
    enum bo_status status = bo_expect_all_used(whole.phrases, file->arena, GRAMMAR_OFF, err);
    if (!status)
        status = lprf_end_cells(file, slots, &walk.cells, err);
    return status ? status : check_padding(file, index, err);
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_UNORDERED;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return index->order == NULL;
}

#define LPRF_INDEX phrases
#define LPRF_INDEX_NAME "phrases"
#define LPRF_INDEX_NUMBER 7
#define LPRF_INDEX_ROLE BO_NEW
#define LPRF_INDEX_CHOICES "the cut of names into phrases, the pilots of the hash, units of sizes"
#define LPRF_INDEX_KEEPS 1
#define LPRF_INDEX_FAST phrases_fast
#define LPRF_INDEX_KEEPS_ORDER (LPRF_HEADER_NBYTES + LPRF_SLOTS_HEAD_NBYTES)
#define LPRF_INDEX_SUMMARY "names as phrases of a grammar, behind a perfect hash; exact"
#include "codecs/lprf/cross.h"
