/* Renames names, as if they came from another program. */
#include "harness/names/renaming.h"

enum {
    MIN_WORD_N = 3,   /* shorter words stay */
    RARE_SHARE = 100, /* words in more than one of this many names stay */
    MIN_RARE = 3,
    N_CONTEXTS = 1 << 16,
};

static bool is_capital(uint8_t c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_small(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}

/* The next word at or after *off, which moves past it. False at the end. */
static bool next_word(struct bo_span name, size_t *off, struct bo_span *word_ret)
{
    for (size_t i = *off; i < name.n;) {
        const size_t start = i;
        if (!is_capital(name.p[i]) && !is_small(name.p[i])) {
            i++;
            continue;
        }
        i++;
        while (i < name.n && is_small(name.p[i]))
            i++;
        if (i - start < MIN_WORD_N)
            continue;
        *word_ret = (struct bo_span){name.p + start, i - start};
        *off = i;
        return true;
    }
    return false;
}

bool bo_renaming_init(struct bo_renaming *renaming, struct bo_random *random,
                      struct bo_arena *arena)
{
    *renaming = (struct bo_renaming){.arena = arena, .random = random};
    return bo_texts_init(&renaming->words, true, arena);
}

bool bo_renaming_learn(struct bo_renaming *renaming, struct bo_span name)
{
    struct bo_span word;
    for (size_t off = 0; next_word(name, &off, &word);) {
        const uint32_t n = renaming->words.n;
        uint32_t number;
        if (!bo_texts_add(&renaming->words, word, &number))
            return false;
        if (number == n) {
            if (!bo_grow(renaming->arena, &renaming->n_names, n, 1, &renaming->cap_counts))
                return false;
            renaming->n_names[n] = 0;
            renaming->n_letters += word.n;
        }
        renaming->n_names[number]++;
    }
    return true;
}

/* ---- letters --------------------------------------------------------------------------------- */

/* The letters that precede letter i. The first letters of a word have fewer. */
static uint32_t context_of(const uint8_t *word, size_t i)
{
    return (i > 1 ? (uint32_t)word[i - 2] << 8 : 0) | (i > 0 ? word[i - 1] : 0);
}

bool bo_renaming_begin(struct bo_renaming *renaming, size_t n_names)
{
    const struct bo_texts *words = &renaming->words;
    struct bo_arena *arena = renaming->arena;
    renaming->n_rare =
        n_names / RARE_SHARE > MIN_RARE ? (uint32_t)(n_names / RARE_SHARE) : MIN_RARE;
    renaming->replacements =
        bo_zalloc_array(arena, (size_t)words->n + 1, sizeof *renaming->replacements);
    renaming->letters = bo_alloc(arena, renaming->n_letters + 1);
    renaming->places = bo_alloc_array(arena, renaming->n_letters + 1, sizeof *renaming->places);
    renaming->first = bo_zalloc_array(arena, N_CONTEXTS + 2, sizeof *renaming->first);
    if (!renaming->replacements || !renaming->letters || !renaming->places || !renaming->first)
        return false;
    for (uint32_t w = 0; w < words->n; w++)
        for (size_t i = 0; i < words->texts[w].n; i++)
            renaming->first[context_of(words->texts[w].p, i) + 2]++;
    for (uint32_t c = 1; c < N_CONTEXTS + 2; c++)
        renaming->first[c] += renaming->first[c - 1];
    size_t off = 0;
    for (uint32_t w = 0; w < words->n; off += words->texts[w++].n)
        for (size_t i = 0; i < words->texts[w].n; i++) {
            renaming->letters[off + i] = words->texts[w].p[i];
            renaming->places[renaming->first[context_of(words->texts[w].p, i) + 1]++] =
                (uint32_t)(off + i);
        }
    return true;
}

void bo_renaming_next(struct bo_renaming *renaming)
{
    memset(renaming->replacements, 0, renaming->words.n * sizeof *renaming->replacements);
}

/* ---- names ----------------------------------------------------------------------------------- */

/*
 * If no letter follows a context in the real words, the replacement continues with the letters of
 * the old word.
 */
static bool replace(struct bo_renaming *renaming, struct bo_span word, struct bo_span *to)
{
    uint8_t *letters = bo_alloc(renaming->arena, word.n);
    if (!letters)
        return false;
    for (size_t i = 0; i < word.n; i++) {
        const uint32_t context = context_of(letters, i), first = renaming->first[context],
                       n = renaming->first[context + 1] - first;
        letters[i] =
            n ? renaming->letters[renaming->places[first + bo_random_below(renaming->random, n)]]
              : word.p[i];
    }
    *to = (struct bo_span){letters, word.n};
    return true;
}

bool bo_rename(struct bo_renaming *renaming, struct bo_span name, struct bo_span *renamed_ret)
{
    struct bo_span word;
    uint8_t *copy = NULL;
    *renamed_ret = name;
    for (size_t off = 0; next_word(name, &off, &word);) {
        const uint32_t number = bo_texts_find(&renaming->words, word);
        if (number == BO_NO_TEXT || renaming->n_names[number] >= renaming->n_rare)
            continue;
        struct bo_span *to = &renaming->replacements[number];
        if (!to->p && !replace(renaming, word, to))
            return false;
        if (!copy) {
            copy = bo_alloc(renaming->arena, name.n);
            if (!copy)
                return false;
            memcpy(copy, name.p, name.n);
        }
        memcpy(copy + (word.p - name.p), to->p, to->n);
        *renamed_ret = (struct bo_span){copy, name.n};
    }
    return true;
}
