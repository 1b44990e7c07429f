/* Keeping names for later queries, and answering from what is kept. */
#include "codecs/templight/terms/kept.h"

enum { ROUNDING = 15 }; /* bytes that the arena may add to an allocation */

static bool take(size_t *left, uint64_t nbytes)
{
    if (nbytes > *left)
        return false;
    *left -= (size_t)nbytes;
    return true;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void find_places(struct terms_kept *kept, uint32_t n_names)
{
    size_t at = 0;
    for (uint32_t i = 0; i < n_names; i++) {
        kept->places[i] = (uint32_t)(at / 8);
        at += sizeof(struct templight_text) + templight_padded(terms_kept_text(kept, i).n);
    }
    kept->places[n_names] = (uint32_t)(at / 8);
}

enum bo_status terms_keep_texts(struct terms_kept *kept, struct templight_terms *terms,
                                struct bo_arena *arena, size_t *left, struct bo_error *err)
{
    const uint64_t places_nbytes = (terms->n_names + UINT64_C(1)) * sizeof *kept->places;
    const uint64_t cap = terms->total_nbytes + terms->n_names * UINT64_C(15) +
                         sizeof(struct templight_text) + terms->longest + TEMPLIGHT_SLACK;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint64_t n;
    kept->tried_texts = true;
    if (cap / 8 > UINT32_MAX || !take(left, cap + places_nbytes + 2 * ROUNDING))
        return BO_OK;
    kept->places = bo_alloc(arena, (size_t)places_nbytes);
    kept->texts = kept->places ? bo_alloc(arena, (size_t)cap) : NULL;
    enum bo_status status = kept->texts ? BO_OK : bo_fail_alloc(err, arena);
    if (!status) {
        const struct bo_arena_mark scratch = bo_arena_mark(arena);
        status = templight_spell_all(terms, arena, (struct templight_all_names){.framed = true},
                                     kept->texts, cap, NULL, &n, err);
        bo_arena_rewind(arena, scratch);
    }
    if (!status) {
        find_places(kept, terms->n_names);
        return BO_OK;
    }
    bo_arena_rewind(arena, mark);
    *left += (size_t)(cap + places_nbytes + 2 * ROUNDING);
    kept->texts = NULL;
    kept->tried_texts = status != BO_NO_MEMORY;
    return status == BO_NO_MEMORY ? status : BO_OK;
}

enum bo_status terms_list_names(struct terms_kept *kept, struct templight_terms *terms,
                                struct bo_arena *arena, bool alone, struct bo_span **names_ret,
                                struct bo_error *err)
{
    uint64_t n;
    struct bo_span *names = *names_ret = bo_alloc_array(arena, terms->n_names, sizeof *names);
    if (!names)
        return bo_fail_alloc(err, arena);
    if (kept->texts && !alone) {
        for (uint32_t i = 0; i < terms->n_names; i++)
            names[i] = terms_kept_text(kept, i);
        return BO_OK;
    }
    if (terms->total_nbytes > SIZE_MAX / 2)
        return bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET,
                       "names expand to more than the address space holds");
    const size_t cap = (size_t)terms->total_nbytes + sizeof(struct templight_text) +
                       terms->longest + TEMPLIGHT_SLACK;
    uint8_t *to = bo_alloc(arena, cap);
    if (!to)
        return bo_fail_alloc(err, arena);
    kept->n_spelled += terms->n_names;
    const struct templight_all_names how = {.framed = false, .alone = alone};
    return templight_spell_all(terms, arena, how, to, cap, names, &n, err);
}

/* ---- a name by its text ---------------------------------------------------------------------- */

/* Where a text's slots start, and what its slot has above the name. */
static size_t first_slot(const struct terms_kept *kept, uint64_t hash)
{
    return (size_t)(hash >> (64 - kept->slot_bits));
}

static uint32_t tag_of(const struct terms_kept *kept, uint64_t hash)
{
    return (uint32_t)hash << kept->name_bits;
}

/*
 * False for a damaged file, whose queries must not depend on what is kept: where a fingerprint is
 * wrong, so that the name is not found by it; and where names collide in the table more often than
 * texts that differ do, since one text many times would take time in the square of their number.
 */
static bool fill_slots(struct terms_kept *kept, const struct templight_terms *terms,
                       const struct bo_span *names)
{
    const size_t mask = ((size_t)1 << kept->slot_bits) - 1;
    uint64_t n_left = 64 + 8 * (uint64_t)terms->n_names;
    for (uint32_t i = 0; i < terms->n_names; i++) {
        if (terms->fingerprints[i] != templight_fingerprint(names[i]))
            return false;
        const uint64_t hash = XXH3_64bits(names[i].p, names[i].n);
        size_t slot = first_slot(kept, hash);
        for (; kept->slots[slot]; slot = (slot + 1) & mask)
            if (n_left-- == 0)
                return false;
        kept->slots[slot] = tag_of(kept, hash) | (i + 1);
    }
    return true;
}

enum bo_status terms_keep_slots(struct terms_kept *kept, struct templight_terms *terms,
                                struct bo_arena *arena, size_t *left, struct bo_error *err)
{
    const unsigned slot_bits = bo_bit_width(terms->n_names) + 1; /* so at most half are in use */
    const uint64_t nbytes = (UINT64_C(1) << slot_bits) * sizeof *kept->slots;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct bo_span *names;
    bool is_filled = false;
    kept->tried_slots = true;
    if (slot_bits > 31 || !take(left, nbytes))
        return BO_OK;
    kept->slot_bits = slot_bits;
    kept->name_bits = slot_bits - 1;
    kept->slots = bo_zalloc_array(arena, (size_t)1 << slot_bits, sizeof *kept->slots);
    enum bo_status status = kept->slots ? BO_OK : bo_fail_alloc(err, arena);
    if (!status) {
        const struct bo_arena_mark scratch = bo_arena_mark(arena);
        status = terms_list_names(kept, terms, arena, false, &names, err);
        is_filled = !status && fill_slots(kept, terms, names);
        bo_arena_rewind(arena, scratch);
    }
    if (is_filled)
        return BO_OK;
    bo_arena_rewind(arena, mark);
    *left += (size_t)nbytes;
    kept->slots = NULL;
    kept->tried_slots = status != BO_NO_MEMORY;
    return status == BO_NO_MEMORY ? status : BO_OK;
}

enum bo_status terms_find_kept(struct terms_kept *kept, struct templight_terms *terms,
                               struct bo_span text, uint32_t *answer, struct bo_error *err)
{
    const uint64_t hash = XXH3_64bits(text.p, text.n);
    const uint32_t tag = tag_of(kept, hash), name_mask = (UINT32_C(1) << kept->name_bits) - 1;
    const size_t mask = ((size_t)1 << kept->slot_bits) - 1;
    for (size_t slot = first_slot(kept, hash); kept->slots[slot]; slot = (slot + 1) & mask) {
        if ((kept->slots[slot] & ~name_mask) != tag)
            continue;
        const uint32_t name = (kept->slots[slot] & name_mask) - 1;
        struct bo_span own = {terms->buffer, 0};
        if (kept->texts) {
            own = terms_kept_text(kept, name);
        } else {
            uint32_t n;
            const enum bo_status status =
                templight_spell_name(terms, name, NULL, terms->buffer, &n, err);
            if (status)
                return status;
            own.n = n;
            kept->n_spelled++;
        }
        if (bo_span_equal(own, text)) {
            *answer = name;
            return BO_OK;
        }
    }
    *answer = TEMPLIGHT_NONE;
    return BO_OK;
}
