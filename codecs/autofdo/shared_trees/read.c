/* Reading strings, lists and variants of a file of shared trees, each when it is needed first. */
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
 * A string that goes on behind what it shares without a blank or a control character is as good as
 * the one before: only others are looked at as a whole.
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

/* The place of a record or callsite, from the one before on. */
static bool read_place(struct block *b, const struct autofdo_spot *last, struct autofdo_spot *spot)
{
    const struct autofdo_table *tables = b->trees->tables;
    uint64_t lines, discriminator;
    if (!autofdo_take_number(
            &b->bits,
            &tables[spot->kind == AUTOFDO_RECORD ? AUTOFDO_RECORD_LINE : AUTOFDO_CALLSITE_LINE],
            &lines) ||
        lines > AUTOFDO_MAX_LINE - last->line ||
        !autofdo_take_number(&b->bits, &tables[lines ? AUTOFDO_DISCRIMINATOR : AUTOFDO_STEP],
                             &discriminator))
        return false;
    const uint32_t from = lines ? 0 : last->discriminator;
    if (discriminator > UINT32_MAX - from)
        return false;
    spot->line = last->line + (uint32_t)lines;
    spot->discriminator = from + (uint32_t)discriminator;
    return true;
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

static enum bo_status read_spot(struct block *b, const struct autofdo_spot *last,
                                struct autofdo_spot *spot, struct bo_error *err)
{
    static const struct autofdo_spot start = {0};
    if (spot->kind == AUTOFDO_TARGET) {
        spot->line = last->line;
        spot->discriminator = last->discriminator;
    } else if (!read_place(b,
                           spot->kind == AUTOFDO_CALLSITE && last->kind != AUTOFDO_CALLSITE ? &start
                                                                                            : last,
                           spot)) {
        return fail_at(b, BO_CORRUPT, "place is out of range", err);
    }
    if (spot->kind != AUTOFDO_RECORD)
        spot->name = (uint32_t)autofdo_take_bits(&b->bits, autofdo_index_bits(b->trees->n_names));
    if (spot->name >= b->trees->n_names)
        return fail_at(b, BO_CORRUPT, "name out of range", err);
    if (!may_follow(last, spot))
        return fail_at(b, BO_CORRUPT, "places do not ascend", err);
    return BO_OK;
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
    struct autofdo_trees *trees = b->trees;
    struct autofdo_list *list = &trees->lists[name];
    struct autofdo_spot last = {0};
    unsigned next = AUTOFDO_NEXT_FIRST;
    *list = (struct autofdo_list){trees->n_spots, 0};
    *n_own_ret = 0;
    for (;;) {
        struct autofdo_spot spot = {.kind = autofdo_take_symbol(&b->bits, &trees->tables[next])};
        if (spot.kind == AUTOFDO_END)
            return BO_OK;
        if (spot.kind > AUTOFDO_CALLSITE || trees->n_spots == trees->spots_cap ||
            b->bits.bit > b->end)
            return fail_at(b, BO_CORRUPT, "list of places has no end", err);
        const enum bo_status status = read_spot(b, &last, &spot, err);
        if (status)
            return status;
        trees->spots[trees->n_spots++] = last = spot;
        list->n_spots++;
        *n_own_ret += spot.kind != AUTOFDO_CALLSITE;
        next = autofdo_next_code(spot.kind);
    }
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
        for (uint32_t i = 0; i < 4 && i < left; i++) {
            const unsigned kind = trees->spots[list->first_spot + spot + i].kind;
            if (kind == AUTOFDO_RECORD)
                has_record = present >> i & 1;
            if (!(present >> i & 1))
                continue;
            if (trees->n_parts == trees->parts_cap || b->bits.bit > b->end)
                return fail_at(b, BO_CORRUPT, "more places than announced", err);
            if (kind == AUTOFDO_TARGET && !has_record)
                return fail_at(b, BO_CORRUPT, "target without its record", err);
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
            return fail_at(b, BO_CORRUPT, "callee has no such variant", err);
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
        status = fail_at(b, BO_CORRUPT, "variants do not differ", err);
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

/* After a failure, as much has been read as before. */
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
        status = fail_at(&b, BO_CORRUPT, "block does not end where it should", err);
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
        return bo_fail(err, BO_CORRUPT, 0, "there are fewer places than announced");
    const struct autofdo_bits rest =
        autofdo_bits_of(&trees->structure, trees->entry_starts[trees->n_entry_blocks]);
    if (autofdo_peek(&rest))
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->structure, rest.bit),
                       "padding is not 0");
    return BO_OK;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static const char too_deep[] = "functions are inlined too deeply";

/* Adds a callee's sums; false when they go too far. */
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
    const uint64_t off =
        autofdo_off_of(trees, &trees->structure, trees->entry_starts[name / AUTOFDO_BLOCK_NAMES]);
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
            return bo_fail(err, BO_OVER_LIMIT, off, "trees expand too far");
    }
    trees->variants[variant].sums = sums;
    return BO_OK;
}
