/*
 * Recursive pairing in rounds.
 *
 * Each round makes rules of the pairs of neighbouring symbols that are nearly as frequent as the
 * most frequent one, and replaces them in one pass. The working memory is the texts of symbols and
 * one table of pairs. Replacing pairs in the exact order of their counts would need lists of all
 * their positions.
 *
 * A prefix that a text shares with the text before is replaced and counted once. The counts are
 * updated from round to round: a pass subtracts the pairs that it removes and adds new ones.
 */
#include "harness/coding/pairing.h"

enum {
    MIN_COUNT = 2,  /* a rule's occurrences */
    MAX_YIELDS = 8, /* a higher limit does not change the result for real names */
    FILTER_BITS = 1 << 16,
};

#define UNMADE UINT32_MAX

/* ---- counts of pairs ------------------------------------------------------------------------- */

struct pair {
    uint32_t left, right;
    uint32_t count;
    uint32_t count_before; /* this pass */
    uint32_t symbol;       /* its replacement in this pass; UNMADE until it occurs; 0: not chosen */
};

/*
 * A pair's count never rises after the round that made its younger symbol. So pairs that occur less
 * than MIN_COUNT times may be forgotten between rounds.
 */
struct pair_table {
    struct pair *pairs;
    size_t n, cap;
    uint32_t *slots; /* index of a pair plus 1; 0: empty */
    size_t mask, n_slots;
    uint8_t maybe_chosen[FILTER_BITS / 8]; /* one bit per hash: such a pair may be chosen */
    size_t first_cap;                      /* of pairs */
    uint32_t n_symbols;                    /* before this pass */
    struct bo_arena *arena;
};

static uint64_t pair_key(const struct pair *pair)
{
    return (uint64_t)pair->left << 32 | pair->right;
}

static inline uint64_t hash_pair(uint32_t left, uint32_t right)
{
    return ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15u;
}

static size_t find_slot(const struct pair_table *table, uint32_t left, uint32_t right)
{
    size_t i = (size_t)(hash_pair(left, right) >> 32) & table->mask;
    while (table->slots[i] && (table->pairs[table->slots[i] - 1].left != left ||
                               table->pairs[table->slots[i] - 1].right != right))
        i = (i + 1) & table->mask;
    return i;
}

/* Rebuilds the slots. Their number is at least twice the capacity for pairs. */
static bool index_pairs(struct pair_table *table)
{
    size_t n_slots = 4;
    while (n_slots < 2 * table->cap)
        n_slots *= 2;
    if (n_slots > table->n_slots) {
        table->slots = bo_alloc_array(table->arena, n_slots, sizeof *table->slots);
        table->n_slots = n_slots;
        table->mask = n_slots - 1;
    }
    if (!table->slots)
        return false;
    memset(table->slots, 0, n_slots * sizeof *table->slots);
    for (size_t i = 0; i < table->n; i++)
        table->slots[find_slot(table, table->pairs[i].left, table->pairs[i].right)] =
            (uint32_t)i + 1;
    return true;
}

/* True when the pair becomes a rule neither in this pass nor in a later one. */
static bool is_dead(const struct pair_table *table, const struct pair *pair)
{
    return pair->count < MIN_COUNT && pair->symbol == 0 && pair->left < table->n_symbols &&
           pair->right < table->n_symbols;
}

/* Forgets the dead pairs when they are at least half of all. False when the arena refuses. */
static bool drop_pairs(struct pair_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->n; i++)
        kept += !is_dead(table, &table->pairs[i]);
    if (kept > table->n / 2)
        return true;
    kept = 0;
    for (size_t i = 0; i < table->n; i++)
        if (!is_dead(table, &table->pairs[i]))
            table->pairs[kept++] = table->pairs[i];
    table->n = kept;
    return index_pairs(table);
}

static bool make_room_for_pair(struct pair_table *table)
{
    const size_t cap = table->cap;
    return bo_grow_from(table->first_cap, table->arena, &table->pairs, table->n, 1, &table->cap) &&
           (table->cap == cap || index_pairs(table));
}

/* Adds to the count of a pair. False when the arena refuses. */
static bool add_pair(struct pair_table *table, uint32_t left, uint32_t right, uint32_t n)
{
    size_t slot = table->cap ? find_slot(table, left, right) : 0;
    if (!table->cap || !table->slots[slot]) {
        if (table->n == table->cap) {
            if (!drop_pairs(table) || !make_room_for_pair(table))
                return false;
            slot = find_slot(table, left, right);
        }
        table->pairs[table->n++] = (struct pair){.left = left, .right = right};
        table->slots[slot] = (uint32_t)table->n;
    }
    table->pairs[table->slots[slot] - 1].count += n;
    return true;
}

/* Subtracts from the count of a pair, unless it has been forgotten. */
static void subtract_pair(struct pair_table *table, uint32_t left, uint32_t right, uint32_t n)
{
    const size_t slot = find_slot(table, left, right);
    if (!table->slots[slot])
        return;
    uint32_t *count = &table->pairs[table->slots[slot] - 1].count;
    *count -= *count < n ? *count : n;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool is_better(const struct pair *a, const struct pair *b)
{
    return a->count_before != b->count_before ? a->count_before > b->count_before
                                              : pair_key(a) < pair_key(b);
}

bool bo_add_rule(struct bo_rules *rules, uint32_t left, uint32_t right, struct bo_arena *arena)
{
    if (!bo_grow_from(4096, arena, &rules->pairs, rules->n, 1, &rules->cap) ||
        !bo_grow_from(4096, arena, &rules->sizes, rules->n, 1, &rules->sizes_cap))
        return false;
    rules->pairs[rules->n][0] = left;
    rules->pairs[rules->n][1] = right;
    rules->sizes[rules->n++] = bo_symbol_size(rules, left) + bo_symbol_size(rules, right);
    return true;
}

static bool fits(const struct bo_rules *rules, const struct pair *pair)
{
    return bo_symbol_size(rules, pair->left) + bo_symbol_size(rules, pair->right) <=
           rules->max_size;
}

/*
 * Chooses the pairs that become rules, those with at least least_part / 256 of the highest count.
 * False without such pairs.
 */
static bool choose_pairs(struct pair_table *table, const struct bo_rules *rules,
                         unsigned least_part)
{
    uint32_t most = 0;
    bool any = false;
    for (size_t i = 0; i < table->n; i++)
        if (table->pairs[i].count > most)
            most = table->pairs[i].count;
    const uint32_t nearly = (uint32_t)(((uint64_t)most * least_part + 255) / 256);
    const uint32_t at_least = nearly > MIN_COUNT ? nearly : MIN_COUNT;
    memset(table->maybe_chosen, 0, sizeof table->maybe_chosen);
    for (size_t i = 0; i < table->n; i++) {
        struct pair *pair = &table->pairs[i];
        const size_t bit = (size_t)(hash_pair(pair->left, pair->right) >> 48);
        if (pair->count < at_least || !fits(rules, pair))
            continue;
        pair->symbol = UNMADE;
        pair->count_before = pair->count;
        table->maybe_chosen[bit / 8] |= (uint8_t)(1u << bit % 8);
        any = true;
    }
    return any;
}

/* False for most pairs that are not chosen. */
static inline bool is_maybe_chosen(const struct pair_table *table, uint32_t left, uint32_t right)
{
    const size_t bit = (size_t)(hash_pair(left, right) >> 48);
    return table->maybe_chosen[bit / 8] >> bit % 8 & 1;
}

/* ---- a pass over all texts ------------------------------------------------------------------- */

/* The current text of a pass, before (old) or after (new) replacing: its words without the head. */
struct side {
    uint32_t *words;
    size_t n;        /* words; of the new side: those before the copy of the old side */
    uint32_t *since; /* the first of the consecutive texts with this word here */
    bool *differs;   /* the pair that ends here counts on this side only */
};

/*
 * The end of the new side is a copy of the old side and is not written out. It consists of the old
 * words from `copied` on, which are the new words from new.n on. No pair differs there.
 */
struct pass {
    struct pair_table *table;
    struct bo_rules *rules;
    uint32_t text; /* its number */
    struct side old, new;
    size_t copied;     /* the first old word of the copy */
    uint32_t *start;   /* indexed by new word, one extra entry: its first old word */
    uint8_t *n_yields; /* same index: pairs in a row before it that yielded */
};

static bool alloc_side(struct side *side, size_t longest, struct bo_arena *arena)
{
    side->n = 0;
    side->words = bo_alloc_array(arena, longest, sizeof *side->words);
    side->since = bo_alloc_array(arena, longest, sizeof *side->since);
    side->differs = bo_alloc_array(arena, longest, sizeof *side->differs);
    return side->words && side->since && side->differs;
}

static bool alloc_pass(struct pass *pass, size_t longest, struct bo_arena *arena)
{
    pass->start = bo_alloc_array(arena, longest + 1, sizeof *pass->start);
    pass->n_yields = bo_alloc_array(arena, longest + 1, sizeof *pass->n_yields);
    return alloc_side(&pass->old, longest, arena) && alloc_side(&pass->new, longest, arena) &&
           pass->start && pass->n_yields;
}

/*
 * The word of a symbol that follows i others. In a run of equal symbols, every other pair counts.
 */
static inline uint32_t word_after(const uint32_t *words, size_t i, uint32_t symbol)
{
    const bool counts = i == 1 || (i > 1 && (symbol != bo_text_symbol(words[i - 1]) ||
                                             symbol != bo_text_symbol(words[i - 2]) ||
                                             !(words[i - 1] & BO_TEXT_COUNTS)));
    return symbol | (counts ? BO_TEXT_COUNTS : 0);
}

/*
 * Subtracts the pairs that replacing removed from the old side, from word i on, in all texts so
 * far.
 */
static void subtract_from(struct pass *pass, size_t i)
{
    const struct side *old = &pass->old;
    for (; i < pass->copied; i++)
        if (old->differs[i])
            subtract_pair(pass->table, bo_text_symbol(old->words[i - 1]),
                          bo_text_symbol(old->words[i]), pass->text - old->since[i]);
}

/*
 * Adds the pairs that are only on the new side, from word i on, in all texts so far. False when the
 * arena refuses.
 */
static bool add_from(struct pass *pass, size_t i)
{
    const struct side *new = &pass->new;
    for (; i < new->n; i++)
        if (new->differs[i] && !add_pair(pass->table, bo_text_symbol(new->words[i - 1]),
                                         bo_text_symbol(new->words[i]), pass->text - new->since[i]))
            return false;
    return true;
}

/* The pair at old word i if it is chosen, else NULL. */
static inline struct pair *chosen_at(const struct pass *pass, size_t i)
{
    const struct pair_table *table = pass->table;
    if (i + 1 >= pass->old.n)
        return NULL;
    const uint32_t left = bo_text_symbol(pass->old.words[i]);
    const uint32_t right = bo_text_symbol(pass->old.words[i + 1]);
    if (!is_maybe_chosen(table, left, right))
        return NULL;
    const uint32_t number = table->slots[find_slot(table, left, right)];
    return number && table->pairs[number - 1].symbol ? &table->pairs[number - 1] : NULL;
}

/* The symbol that replaces a pair. The rule is made at the first occurrence of the pair. */
static bool symbol_of(const struct pass *pass, struct pair *pair, uint32_t *symbol_ret)
{
    if (pair->symbol == UNMADE) {
        pair->symbol = pass->rules->n_terminals + pass->rules->n;
        if (!bo_add_rule(pass->rules, pair->left, pair->right, pass->table->arena))
            return false;
    }
    *symbol_ret = pair->symbol;
    return true;
}

/*
 * Returns the first new word that may differ from the text before, with which this one shares
 * n_shared old words. The replacement of a symbol depends on the symbols before it and on the two
 * after it. Writes out the copied words among the shared ones.
 */
static size_t resume_at(struct pass *pass, size_t n_shared)
{
    struct side *old = &pass->old, *new = &pass->new;
    for (; pass->copied < n_shared; pass->copied++, new->n++) {
        old->differs[pass->copied] = new->differs[new->n] = false;
        new->words[new->n] = old->words[pass->copied];
        pass->start[new->n + 1] = (uint32_t)pass->copied + 1;
        pass->n_yields[new->n + 1] = 0;
    }
    size_t k = new->n < n_shared ? new->n : n_shared;
    while (k && (size_t)pass->start[k - 1] + 2 >= n_shared)
        k--;
    return k;
}

/*
 * Replaces the chosen pairs of the old side from left to right, starting at new word k. Stops past
 * old words n_shared and `last`, as soon as the rest is a copy. A pair yields to a better one that
 * begins with its last symbol, but at most MAX_YIELDS pairs in a row yield. Without this limit, a
 * text could be constructed in which each round replaces one pair. *n_shared becomes the number of
 * new words that the text shares with the text before.
 */
static bool replace_in_text(struct pass *pass, size_t k, size_t last, size_t *n_shared)
{
    struct side *old = &pass->old, *new = &pass->new;
    const size_t first = *n_shared;
    unsigned n_yields = pass->n_yields[k];
    bool is_shared = true, left_is_new = k && pass->start[k] - pass->start[k - 1] == 2;
    bool is_kept = false;
    struct pair *next = NULL; /* the chosen pair at word i; NULL: not looked up, or none */
    size_t i = pass->start[k];
    for (; i < old->n && !(is_kept && i > last && i >= first); k++) {
        struct pair *pair = next ? next : chosen_at(pass, i);
        next = pair ? chosen_at(pass, i + 1) : NULL;
        const bool yields = next && is_better(next, pair) && n_yields < MAX_YIELDS;
        const bool is_new = pair && !yields;
        uint32_t symbol = bo_text_symbol(old->words[i]);
        next = yields ? next : NULL;
        n_yields = yields ? n_yields + 1 : 0;
        if (is_new && !symbol_of(pass, pair, &symbol))
            return false;
        if (is_shared && (k == new->n || symbol != bo_text_symbol(new->words[k]))) {
            is_shared = false;
            *n_shared = k;
            if (!add_from(pass, k))
                return false;
            next = NULL; /* adding pairs moves the others */
        }
        if (!is_shared) {
            new->words[k] = word_after(new->words, k, symbol);
            new->since[k] = pass->text;
        }
        is_kept = !is_new && !left_is_new && old->words[i] == new->words[k];
        old->differs[i] = old->words[i] & BO_TEXT_COUNTS && !is_kept;
        old->since[i] = pass->text;
        new->differs[k] = new->words[k] & BO_TEXT_COUNTS && !is_kept;
        if (is_new) {
            old->differs[i + 1] = old->words[i + 1] & BO_TEXT_COUNTS;
            old->since[i + 1] = pass->text;
        }
        i += 1 + is_new;
        left_is_new = is_new;
        pass->start[k + 1] = (uint32_t)i;
        pass->n_yields[k + 1] = (uint8_t)n_yields;
    }
    if (is_shared) {
        *n_shared = k;
        if (!add_from(pass, k))
            return false;
    }
    new->n = k;
    pass->copied = i;
    return true;
}

/* Moves the words to the end of their memory, so that each text can grow by two words. */
static bool make_room(struct bo_symbol_texts *texts, size_t *from_ret, struct bo_arena *arena)
{
    if (!bo_grow(arena, &texts->words, texts->n, 2 * texts->n_texts, &texts->cap))
        return false;
    *from_ret = texts->cap - texts->n;
    memmove(texts->words + *from_ret, texts->words, texts->n * sizeof *texts->words);
    return true;
}

/*
 * Reads the words of the next text that follow the shared ones, and moves *from past them. Returns
 * the last word that may start a chosen pair. The search begins at the word before the last shared
 * one. SIZE_MAX if no word may.
 */
static size_t read_words(struct pass *pass, const struct bo_symbol_texts *texts, size_t n_shared,
                         size_t *from)
{
    uint32_t *words = pass->old.words;
    size_t n = n_shared, last = SIZE_MAX, at = *from;
    if (n > 1 &&
        is_maybe_chosen(pass->table, bo_text_symbol(words[n - 2]), bo_text_symbol(words[n - 1])))
        last = n - 2;
    for (; at < texts->cap && !(texts->words[at] & BO_TEXT_HEAD); n++) {
        words[n] = texts->words[at++];
        if (n &&
            is_maybe_chosen(pass->table, bo_text_symbol(words[n - 1]), bo_text_symbol(words[n])))
            last = n - 1;
    }
    pass->old.n = n;
    *from = at;
    return last;
}

static bool replace_pairs(struct bo_symbol_texts *texts, struct pass *pass)
{
    struct side *old = &pass->old, *new = &pass->new;
    size_t from;
    if (!make_room(texts, &from, pass->table->arena))
        return false;
    texts->n = old->n = new->n = pass->copied = 0;
    pass->start[0] = pass->n_yields[0] = 0;
    for (pass->text = 0; from < texts->cap; pass->text++) {
        size_t n_shared = texts->words[from++] & ~BO_TEXT_HEAD;
        const bool in_copy = n_shared >= pass->copied + 2;
        const size_t k = in_copy ? 0 : resume_at(pass, n_shared);
        if (!in_copy)
            subtract_from(pass, pass->start[k]);
        const size_t last = read_words(pass, texts, n_shared, &from);
        if (in_copy && last == SIZE_MAX)
            n_shared -= pass->copied - new->n;
        else if (!replace_in_text(pass, in_copy ? resume_at(pass, n_shared) : k,
                                  last == SIZE_MAX ? 0 : last, &n_shared))
            return false;
        texts->words[texts->n++] = BO_TEXT_HEAD | (uint32_t)n_shared;
        const size_t in_new = n_shared < new->n ? new->n - n_shared : 0;
        const size_t in_old = n_shared < new->n ? pass->copied : pass->copied + n_shared - new->n;
        memcpy(texts->words + texts->n, new->words + n_shared, in_new * sizeof *new->words);
        texts->n += in_new;
        memcpy(texts->words + texts->n, old->words + in_old,
               (old->n - in_old) * sizeof *old->words);
        texts->n += old->n - in_old;
    }
    subtract_from(pass, 0);
    return add_from(pass, 0);
}

/* Counts the pairs of the texts as they are, and marks the words whose pairs count. */
static bool count_pairs(struct bo_symbol_texts *texts, struct pass *pass)
{
    struct side *new = &pass->new;
    for (size_t i = 0; i < texts->n; i++) {
        uint32_t *word = &texts->words[i];
        if (*word & BO_TEXT_HEAD) {
            if (!add_from(pass, *word & ~BO_TEXT_HEAD))
                return false;
            pass->text++;
            new->n = *word & ~BO_TEXT_HEAD;
            continue;
        }
        *word = word_after(new->words, new->n, *word);
        new->words[new->n] = *word;
        new->since[new->n] = pass->text - 1;
        new->differs[new->n++] = *word &BO_TEXT_COUNTS;
    }
    return add_from(pass, 0);
}

bool bo_pair_up(struct bo_symbol_texts *texts, struct bo_rules *rules, unsigned least_part,
                unsigned max_rounds, struct bo_arena *arena)
{
    struct pair_table table = {.first_cap = 2 * texts->n_texts + 256, .arena = arena};
    struct pass pass = {.table = &table, .rules = rules};
    if (!alloc_pass(&pass, texts->longest, arena) || !count_pairs(texts, &pass))
        return false;
    for (unsigned round = 0; round < max_rounds; round++) {
        table.n_symbols = rules->n_terminals + rules->n;
        for (size_t i = 0; i < table.n; i++)
            table.pairs[i].symbol = 0;
        if (!drop_pairs(&table))
            return false;
        if (!choose_pairs(&table, rules, least_part))
            return true;
        if (!replace_pairs(texts, &pass))
            return false;
    }
    return true;
}
