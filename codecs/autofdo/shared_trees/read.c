/* Reading strings, lists and variants of a file of shared trees, each when first needed. */
#include "codecs/autofdo/shared_trees/shared_trees.h"

/* ---- strings --------------------------------------------------------------------------------- */

enum bo_status autofdo_string(struct autofdo_trees *trees, uint32_t i, struct bo_span *string_ret,
                              struct bo_error *err)
{
    if (trees->texts[i].n == 0) {
        const enum bo_status status = trees->kind->load(trees, i, err);
        if (status)
            return status;
    }
    *string_ret = (struct bo_span){trees->text + trees->texts[i].off, trees->texts[i].n};
    return BO_OK;
}

/*
 * If the part of a string that it does not share contains no blank and no control character, the
 * string is as valid as the one before. Only other strings are checked as a whole.
 */
const char *autofdo_string_flaw(const struct autofdo_trees *trees, uint32_t i, uint32_t shared,
                                struct bo_span string)
{
    if (i % trees->kind->block_strings && i != trees->n_names) {
        const struct autofdo_text *last = &trees->texts[i - 1];
        if (shared < last->n && trees->text[last->off + shared] >= string.p[shared])
            return "strings do not ascend";
        unsigned n_low = 0;
        for (size_t at = shared; at < string.n; at++)
            n_low |= string.p[at] <= ' ' || string.p[at] == 0x7f;
        if (shared && !n_low)
            return NULL;
    }
    return i < trees->n_names ? autofdo_name_flaw(string) : autofdo_path_flaw(string);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A block while it is read. */
struct block {
    struct autofdo_trees *trees;
    struct autofdo_bits bits;
    uint64_t end; /* in bits */
};

static enum bo_status fail_at(const struct block *b, enum bo_status status, const char *what,
                              struct bo_error *err)
{
    return bo_fail(err, status, autofdo_off_of(b->trees, &b->trees->structure, b->bits.bit), what);
}

/* The codes of a place's lines; those of its discriminator follow from whether there are any. */
static inline unsigned lines_code(unsigned kind)
{
    return kind == AUTOFDO_RECORD ? AUTOFDO_RECORD_LINE : AUTOFDO_CALLSITE_LINE;
}

/* The place of a record or callsite, from the one before on. */
static bool read_place(const struct autofdo_table *tables, struct autofdo_bits *bits,
                       const struct autofdo_spot *last, struct autofdo_spot *spot)
{
    uint64_t lines, discriminator;
    if (!autofdo_take_number(bits, &tables[lines_code(spot->kind)], &lines) ||
        lines > AUTOFDO_MAX_LINE - last->line ||
        !autofdo_take_number(bits, &tables[lines ? AUTOFDO_DISCRIMINATOR : AUTOFDO_STEP],
                             &discriminator))
        return false;
    const uint32_t from = lines ? 0 : last->discriminator;
    if (discriminator > UINT32_MAX - from)
        return false;
    spot->line = last->line + (uint32_t)lines;
    spot->discriminator = from + (uint32_t)discriminator;
    return true;
}

/* A lookahead of bits: v starts with those after the first `used`. */
struct ahead {
    uint64_t v;
    unsigned used;
};

/* A number of less than `width` bits; false if it is longer, or if the bits are not a number. */
static inline bool look_at_number(struct ahead *ahead, const struct autofdo_table *table,
                                  unsigned width, uint32_t *number_ret)
{
    const unsigned word = (unsigned)ahead->v & table->mask, symbol = table->words[word].symbol;
    unsigned nbits = table->words[word].nbits;
    *number_ret = symbol;
    if (symbol >= AUTOFDO_EXACT) {
        const unsigned rest = autofdo_number_rest(symbol);
        if (symbol >= AUTOFDO_EXACT + 2 * (width - 5))
            return false;
        *number_ret = (uint32_t)(autofdo_number_base(symbol) |
                                 (ahead->v >> nbits & ((UINT64_C(1) << rest) - 1)));
        nbits += rest;
    }
    ahead->v >>= nbits;
    ahead->used += nbits;
    return true;
}

/*
 * The same place, if it is inside the lookahead, as nearly all places are; otherwise false. Three
 * words of 10 bits and rests of 14 and 13 are 57 bits, as many as autofdo_peek has.
 */
static inline bool look_at_place(const struct autofdo_table *tables,
                                 const struct autofdo_spot *last, struct ahead *ahead,
                                 struct autofdo_spot *spot)
{
    uint32_t lines, discriminator;
    if (!look_at_number(ahead, &tables[lines_code(spot->kind)], 17, &lines) ||
        !look_at_number(ahead, &tables[lines ? AUTOFDO_DISCRIMINATOR : AUTOFDO_STEP], 16,
                        &discriminator))
        return false;
    const uint32_t from = lines ? 0 : last->discriminator;
    spot->line = last->line + lines;
    spot->discriminator = from + discriminator;
    return spot->line <= AUTOFDO_MAX_LINE && spot->discriminator >= from;
}

/* Whether an item may follow another one in a list; the order is strict, so no item is repeated. */
static bool may_follow(const struct autofdo_spot *last, const struct autofdo_spot *spot)
{
    if (spot->kind == AUTOFDO_TARGET)
        return last->kind == AUTOFDO_RECORD ||
               (last->kind == AUTOFDO_TARGET && last->name < spot->name);
    if (spot->kind == AUTOFDO_RECORD && last->kind == AUTOFDO_CALLSITE)
        return false;
    if (last->kind == AUTOFDO_END ||
        (spot->kind == AUTOFDO_CALLSITE && last->kind != AUTOFDO_CALLSITE))
        return true; /* the first of its kind */
    if (spot->line != last->line || spot->discriminator != last->discriminator)
        return true; /* further on: steps do not go back */
    return spot->kind == AUTOFDO_CALLSITE && last->name < spot->name;
}

/*
 * A spot of a known kind, whose word is at the start of the lookahead. Returns NULL, or the rule
 * that the spot breaks.
 */
static inline const char *read_spot(const struct autofdo_trees *trees, struct autofdo_bits *bits,
                                    const struct autofdo_spot *last, struct ahead ahead,
                                    struct autofdo_spot *spot)
{
    static const struct autofdo_spot start = {0};
    const uint64_t after_kind = bits->bit + ahead.used;
    const unsigned kind = spot->kind;
    spot->name = 0;
    if (kind == AUTOFDO_TARGET) {
        spot->line = last->line;
        spot->discriminator = last->discriminator;
    } else {
        const struct autofdo_spot *from =
            kind == AUTOFDO_CALLSITE && last->kind != AUTOFDO_CALLSITE ? &start : last;
        if (!look_at_place(trees->tables, from, &ahead, spot)) {
            bits->bit = after_kind;
            if (!read_place(trees->tables, bits, from, spot))
                return "place is out of range";
            ahead.used = 0;
        }
    }
    bits->bit += ahead.used;
    if (kind != AUTOFDO_RECORD) {
        spot->name = (uint32_t)autofdo_take_bits(bits, autofdo_index_bits(trees->n_names));
        if (spot->name >= trees->n_names)
            return "name out of range";
    }
    return may_follow(last, spot) ? NULL : "places do not ascend";
}

/*
 * Reads a name's list: records by place, each followed by its targets by name, then callsites by
 * place and name. *n_own_ret is the number of items before the first callsite.
 *
 * `last` is the item before, of kind AUTOFDO_END at the start. It decides three things: the code of
 * the next item's kind (`next`), the base of its line and discriminator, and which items may follow
 * (may_follow). Places of callsites start again at line 0, because they are a second ascending
 * sequence. Each item takes at least one bit (autofdo_spends_bits), so b->end bounds the length of
 * the list; spots_cap bounds the sum of all lists.
 */
static enum bo_status read_list(struct block *b, uint32_t name, uint32_t *n_own_ret,
                                struct bo_error *err)
{
    static const struct autofdo_spot start = {0};
    struct autofdo_trees *trees = b->trees;
    struct autofdo_bits bits = b->bits;
    const struct autofdo_spot *last = &start;
    struct autofdo_spot *const first = trees->spots + trees->n_spots, *spot = first;
    const struct autofdo_spot *const end = trees->spots + trees->spots_cap;
    const char *flaw = NULL;
    uint32_t n_own = 0;
    for (; !flaw; last = spot++) {
        const struct autofdo_table *table = &trees->tables[autofdo_next_code(last->kind)];
        const uint64_t v = autofdo_peek(&bits);
        const unsigned kind = table->words[v & table->mask].symbol;
        const unsigned n_kind = table->words[v & table->mask].nbits;
        if (kind == AUTOFDO_END || kind > AUTOFDO_CALLSITE || spot == end ||
            bits.bit + n_kind > b->end) {
            bits.bit += n_kind;
            flaw = kind == AUTOFDO_END ? NULL : "list of places has no end";
            break;
        }
        spot->kind = kind;
        n_own += kind != AUTOFDO_CALLSITE;
        flaw = read_spot(trees, &bits, last, (struct ahead){v >> n_kind, n_kind}, spot);
    }
    b->bits = bits;
    trees->lists[name] = (struct autofdo_list){trees->n_spots, (uint32_t)(spot - first)};
    trees->n_spots += (uint32_t)(spot - first);
    *n_own_ret = n_own;
    return flaw ? fail_at(b, BO_CORRUPT, flaw, err) : BO_OK;
}

/* ---- variants -------------------------------------------------------------------------------- */

/* A variant that has all places of the list. */
static enum bo_status add_all(struct block *b, const struct autofdo_list *list, uint32_t n_own,
                              struct autofdo_variant *variant, struct bo_error *err)
{
    struct autofdo_trees *trees = b->trees;
    if (list->n_spots > trees->parts_cap - trees->n_parts)
        return fail_at(b, BO_CORRUPT, "more places than announced", err);
    for (uint32_t i = 0; i < list->n_spots; i++)
        trees->parts[trees->n_parts + i] = (struct autofdo_part){list->first_spot + i, 0};
    trees->n_parts += list->n_spots;
    variant->n_parts = list->n_spots;
    variant->n_own = n_own;
    return BO_OK;
}

/* Which places of the list the variant has. */
static enum bo_status read_present(struct block *b, const struct autofdo_list *list,
                                   struct autofdo_variant *variant, struct bo_error *err)
{
    struct autofdo_trees *trees = b->trees;
    bool has_record = false;
    for (uint32_t spot = 0; spot < list->n_spots; spot += 4) {
        const uint32_t left = list->n_spots - spot;
        const unsigned present = autofdo_take_symbol(&b->bits, &trees->tables[AUTOFDO_PRESENT]);
        if (present > (left < 4 ? (1u << left) - 1 : 15))
            return fail_at(b, BO_CORRUPT, "variant selects a place beyond its list", err);
        if (b->bits.bit > b->end) /* zeros past the end select nothing, without limit */
            return fail_at(b, BO_CORRUPT, "block does not end where the index says", err);
        for (uint32_t i = 0; i < 4 && i < left; i++) {
            const unsigned kind = trees->spots[list->first_spot + spot + i].kind;
            if (kind == AUTOFDO_RECORD)
                has_record = present >> i & 1;
            if (!(present >> i & 1))
                continue;
            if (trees->n_parts == trees->parts_cap)
                return fail_at(b, BO_CORRUPT, "more places than announced", err);
            if (kind == AUTOFDO_TARGET && !has_record)
                return fail_at(b, BO_CORRUPT, "target precedes the record of its place", err);
            trees->parts[trees->n_parts++] = (struct autofdo_part){list->first_spot + spot + i, 0};
            variant->n_parts++;
            variant->n_own += kind != AUTOFDO_CALLSITE;
        }
    }
    return BO_OK;
}

static enum bo_status read_callees(struct block *b, const struct autofdo_variant *variant,
                                   struct bo_error *err)
{
    struct autofdo_trees *trees = b->trees;
    for (uint32_t i = variant->n_own; i < variant->n_parts; i++) {
        struct autofdo_part *part = &trees->parts[variant->first_part + i];
        const uint32_t callee = trees->spots[part->spot].name;
        const uint32_t n = trees->first_variants[callee + 1] - trees->first_variants[callee];
        part->variant = (uint32_t)autofdo_take_bits(&b->bits, autofdo_index_bits(n));
        if (part->variant >= n)
            return fail_at(b, BO_CORRUPT, "variant of a callee is out of range", err);
        part->variant += trees->first_variants[callee];
    }
    return BO_OK;
}

static enum bo_status read_next(struct block *b, uint32_t name, struct bo_error *err)
{
    struct autofdo_trees *trees = b->trees;
    const uint32_t first = trees->first_variants[name], end = trees->first_variants[name + 1];
    uint32_t n_own;
    if (first == end)
        return BO_OK;
    enum bo_status status = read_list(b, name, &n_own, err);
    const struct autofdo_list *list = &trees->lists[name];
    if (!status && end - first > 1 && list->n_spots == 0)
        status = fail_at(b, BO_CORRUPT, "name has several variants, but no call", err);
    for (uint32_t v = first; v < end && !status; v++) {
        struct autofdo_variant *variant = &trees->variants[v];
        *variant = (struct autofdo_variant){.first_part = trees->n_parts};
        status = end - first == 1 ? add_all(b, list, n_own, variant, err)
                                  : read_present(b, list, variant, err);
        if (!status)
            status = read_callees(b, variant, err);
    }
    return status;
}

/* After a failure, the state of the reader is as before. */
enum bo_status autofdo_read_entry(struct autofdo_trees *trees, uint32_t name, struct bo_error *err)
{
    const uint32_t block = name / AUTOFDO_BLOCK_NAMES, first = block * AUTOFDO_BLOCK_NAMES;
    uint32_t next = first + trees->n_entries_read[block];
    if (name < next)
        return BO_OK;
    struct block b = {trees,
                      autofdo_bits_of(&trees->structure, next > first ? trees->next_entries[block]
                                                                      : trees->entry_starts[block]),
                      trees->entry_starts[block + 1]};
    const uint32_t n_spots = trees->n_spots, n_parts = trees->n_parts;
    enum bo_status status = BO_OK;
    for (; next <= name && !status; next++)
        status = read_next(&b, next, err);
    const bool is_all = next - first == AUTOFDO_BLOCK_NAMES || next == trees->n_names;
    if (!status && (is_all ? b.bits.bit != b.end : b.bits.bit > b.end))
        status = fail_at(&b, BO_CORRUPT, "block does not end where the index says", err);
    if (!status) {
        trees->n_entries_read[block] = (uint8_t)(next - first);
        trees->next_entries[block] = b.bits.bit;
    }
    if (status) {
        trees->n_spots = n_spots;
        trees->n_parts = n_parts;
    }
    return status;
}

/* ---- everything ------------------------------------------------------------------------------ */

/* The first string of each block is not compared with the one before when it is spelled. */
static enum bo_status read_strings(struct autofdo_trees *trees, struct bo_error *err)
{
    struct bo_span last = {NULL, 0};
    for (uint32_t i = 0; i < trees->n_names + trees->n_paths; i++) {
        struct bo_span string;
        const enum bo_status status = autofdo_string(trees, i, &string, err);
        if (status)
            return status;
        if (i % trees->kind->block_strings == 0 && i && i != trees->n_names &&
            bo_span_compare(last, string) >= 0)
            return bo_fail(err, BO_CORRUPT,
                           autofdo_off_of(trees, &trees->strings,
                                          trees->string_starts[i / trees->kind->block_strings]),
                           "strings do not ascend");
        last = string;
    }
    return trees->kind->finish ? trees->kind->finish(trees, err) : BO_OK;
}

enum bo_status autofdo_read_all(struct autofdo_trees *trees, struct bo_error *err)
{
    enum bo_status status = read_strings(trees, err);
    for (uint32_t name = 0; name < trees->n_names && !status; name++)
        status = autofdo_read_entry(trees, name, err);
    if (status)
        return status;
    if (trees->n_text != trees->text_cap)
        return bo_fail(err, BO_CORRUPT, 0, "names are shorter than announced");
    if (trees->n_spots != trees->spots_cap || trees->n_parts != trees->parts_cap)
        return bo_fail(err, BO_CORRUPT, 0, "fewer places than announced");
    const struct autofdo_bits rest =
        autofdo_bits_of(&trees->structure, trees->entry_starts[trees->n_entry_blocks]);
    if (autofdo_peek(&rest))
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->structure, rest.bit),
                       "padding is not 0");
    return BO_OK;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static const char too_deep[] = "functions are inlined too deeply";

/* Adds a callee's sums; false if they exceed the limits. */
static bool add_sums(const struct autofdo_trees *trees, struct autofdo_sums *sums,
                     const struct autofdo_sums *callee)
{
    const uint64_t max = autofdo_max_expanded(trees->in.n);
    const uint64_t n = (uint64_t)sums->n_instances + sums->n_records + sums->n_targets +
                       callee->n_instances + callee->n_records + callee->n_targets;
    const uint64_t target_nbytes = (uint64_t)sums->target_nbytes + callee->target_nbytes;
    if (n > max || n > UINT32_MAX || target_nbytes > UINT32_MAX ||
        target_nbytes > autofdo_max_target_nbytes(trees->in.n))
        return false;
    sums->n_instances += callee->n_instances;
    sums->n_records += callee->n_records;
    sums->n_targets += callee->n_targets;
    sums->target_nbytes = (uint32_t)target_nbytes;
    if (sums->depth <= callee->depth)
        sums->depth = callee->depth + 1;
    return true;
}

/* What a place of a variant at this depth adds to its sums. */
static enum bo_status sum_part(struct autofdo_trees *trees, const struct autofdo_part *part,
                               unsigned depth, struct autofdo_sums *sums_ret, struct bo_error *err)
{
    const struct autofdo_spot *spot = &trees->spots[part->spot];
    struct bo_span target;
    enum bo_status status;
    *sums_ret = (struct autofdo_sums){0};
    switch (spot->kind) {
    case AUTOFDO_TARGET:
        if ((status = autofdo_string(trees, spot->name, &target, err)))
            return status;
        sums_ret->n_targets = 1;
        sums_ret->target_nbytes = (uint32_t)target.n;
        return BO_OK;
    case AUTOFDO_CALLSITE:
        if ((status = autofdo_sum_variant(trees, spot->name, part->variant, depth + 1, err)))
            return status;
        *sums_ret = trees->variants[part->variant].sums;
        return BO_OK;
    default:
        sums_ret->n_records = 1;
        return BO_OK;
    }
}

enum bo_status autofdo_sum_variant(struct autofdo_trees *trees, uint32_t name, uint32_t variant,
                                   unsigned depth, struct bo_error *err)
{
    const uint64_t off = autofdo_entry_off(trees, name);
    enum bo_status status = autofdo_read_entry(trees, name, err);
    if (status || trees->variants[variant].sums.n_instances)
        return status;
    if (depth > AUTOFDO_MAX_DEPTH)
        return bo_fail(err, BO_OVER_LIMIT, off, too_deep);
    struct autofdo_sums sums = {.n_instances = 1, .depth = 1}, part;
    const struct autofdo_variant *v = &trees->variants[variant];
    for (uint32_t i = 0; i < v->n_parts; i++) {
        if ((status = sum_part(trees, &trees->parts[v->first_part + i], depth, &part, err)))
            return status;
        if (part.depth == AUTOFDO_MAX_DEPTH)
            return bo_fail(err, BO_OVER_LIMIT, off, too_deep);
        if (!add_sums(trees, &sums, &part))
            return bo_fail(err, BO_OVER_LIMIT, off, "trees expand to more than the limit");
    }
    trees->variants[variant].sums = sums;
    return BO_OK;
}
