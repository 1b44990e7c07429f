/* A set of texts: hashed, with open addressing. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "harness/core/random.h"
#include "harness/core/text_set.h"

bool bo_texts_init(struct bo_texts *texts, bool copies, struct bo_arena *arena)
{
    *texts =
        (struct bo_texts){.n_slots = 2 * bo_first_cap(arena, 32), .copies = copies, .arena = arena};
    texts->slots = bo_zalloc_array(arena, texts->n_slots, sizeof *texts->slots);
    texts->seed = bo_mix64((uintptr_t)texts->slots);
    return texts->slots != NULL;
}

static uint32_t hash_of(const struct bo_texts *texts, struct bo_span text)
{
    return (uint32_t)XXH3_64bits_withSeed(text.p, text.n, texts->seed);
}

/* The slot of a text, or the empty slot where it belongs. */
static uint32_t *slot_of(const struct bo_texts *texts, struct bo_span text, uint32_t hash)
{
    size_t i = hash & (texts->n_slots - 1);
    for (; texts->slots[i]; i = (i + 1) & (texts->n_slots - 1)) {
        const uint32_t number = texts->slots[i] - 1;
        if (texts->hashes[number] == hash && bo_span_equal(texts->texts[number], text))
            break;
    }
    return &texts->slots[i];
}

/* Doubles the number of slots. */
static bool spread_out(struct bo_texts *texts)
{
    const size_t n_slots = 2 * texts->n_slots;
    uint32_t *slots = bo_zalloc_array(texts->arena, n_slots, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t number = 0; number < texts->n; number++) {
        size_t i = texts->hashes[number] & (n_slots - 1);
        while (slots[i])
            i = (i + 1) & (n_slots - 1);
        slots[i] = number + 1;
    }
    texts->slots = slots;
    texts->n_slots = n_slots;
    return true;
}

static bool append_text(struct bo_texts *texts, struct bo_span text, uint32_t hash)
{
    const size_t n = texts->n;
    if (!bo_grow(texts->arena, &texts->texts, n, 1, &texts->cap) ||
        !bo_grow(texts->arena, &texts->hashes, n, 1, &texts->cap_hashes))
        return false;
    if (texts->copies && !bo_keep_span(texts->arena, &text))
        return false;
    texts->texts[n] = text;
    texts->hashes[n] = hash;
    texts->n++;
    return true;
}

static inline bool find_or_append(struct bo_texts *texts, struct bo_span text, uint32_t *number_ret)
{
    const uint32_t hash = hash_of(texts, text);
    uint32_t *slot = slot_of(texts, text, hash);
    if (*slot) {
        *number_ret = *slot - 1;
        return true;
    }
    *number_ret = texts->n;
    if (!append_text(texts, text, hash))
        return false;
    *slot = texts->n;
    return texts->n <= texts->n_slots / 2 || spread_out(texts);
}

struct bo_recent_text {
    struct bo_span text;
    uint32_t number;
};

static bool add_long(struct bo_texts *texts, struct bo_span text, uint32_t *number_ret)
{
    enum { N_RECENT = 1024 };
    if (!texts->recent &&
        !(texts->recent = bo_zalloc_array(texts->arena, N_RECENT, sizeof *texts->recent)))
        return false;
    struct bo_recent_text *recent =
        &texts->recent[bo_mix64((uintptr_t)text.p ^ texts->seed) % N_RECENT];
    if (recent->text.p == text.p && recent->text.n == text.n) {
        *number_ret = recent->number;
        return true;
    }
    if (!find_or_append(texts, text, number_ret))
        return false;
    *recent = (struct bo_recent_text){text, *number_ret};
    return true;
}

bool bo_texts_add(struct bo_texts *texts, struct bo_span text, uint32_t *number_ret)
{
    enum { LONG_NBYTES = 4096 };
    if (__builtin_expect(text.n >= LONG_NBYTES, 0) && !texts->copies)
        return add_long(texts, text, number_ret);
    return find_or_append(texts, text, number_ret);
}

uint32_t bo_texts_find(const struct bo_texts *texts, struct bo_span text)
{
    const uint32_t slot = *slot_of(texts, text, hash_of(texts, text));
    return slot ? slot - 1 : BO_NO_TEXT;
}
