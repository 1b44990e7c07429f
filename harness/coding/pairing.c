/*
 * Recursive pairing in rounds.
 *
 * Each round counts all pairs of neighbouring symbols, makes rules of the pairs that are nearly as
 * frequent as the most frequent one, and replaces them in one pass. So the working memory is the
 * text of symbols and one table of pairs. An exact order of pairs would need lists of all their
 * positions.
 */
#include "harness/coding/pairing.h"

enum {
    MIN_COUNT = 2,  /* occurrences of a rule */
    MAX_YIELDS = 8, /* higher values make no difference for real names */
};

/* ---- counting pairs -------------------------------------------------------------------------- */

struct pair {
    uint64_t key; /* left symbol << 32 | right symbol, plus 1; 0: an empty slot */
    uint32_t count;
    uint32_t rank; /* rank among the chosen pairs, from 1; 0: not chosen */
};

/* One table for all rounds: it is cleared for each, and it grows. */
struct pair_table {
    struct pair *slots;
    size_t mask, n;
    uint32_t most; /* the highest count */
    struct pair **chosen;
    size_t n_chosen, cap_chosen;
    struct bo_arena *arena;
};

static uint64_t pair_key(uint32_t left, uint32_t right)
{
    return ((uint64_t)left << 32 | right) + 1;
}

static struct pair *pair_slot(const struct pair_table *table, uint64_t key)
{
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 24) & table->mask;
    while (table->slots[i].key && table->slots[i].key != key)
        i = (i + 1) & table->mask;
    return &table->slots[i];
}

static bool grow_pairs(struct pair_table *table)
{
    const size_t n_slots =
        table->slots ? 2 * (table->mask + 1) : bo_first_cap(table->arena, 1 << 8);
    struct pair_table grown = *table;
    grown.slots = bo_zalloc_array(table->arena, n_slots, sizeof *grown.slots);
    grown.mask = n_slots - 1;
    if (!grown.slots)
        return false;
    for (size_t i = 0; table->slots && i <= table->mask; i++)
        if (table->slots[i].key)
            *pair_slot(&grown, table->slots[i].key) = table->slots[i];
    *table = grown;
    return true;
}

/* Counts all pairs of `text`. In a run of one symbol, every other pair counts. */
static bool count_pairs(const uint32_t *text, size_t n, struct pair_table *table)
{
    memset(table->slots, 0, (table->mask + 1) * sizeof *table->slots);
    table->n = table->most = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        const uint32_t left = text[i], right = text[i + 1];
        if (left == BO_PAIRING_END || right == BO_PAIRING_END)
            continue;
        struct pair *pair = pair_slot(table, pair_key(left, right));
        if (!pair->key) {
            if (2 * table->n >= table->mask) {
                if (!grow_pairs(table))
                    return false;
                pair = pair_slot(table, pair_key(left, right));
            }
            pair->key = pair_key(left, right);
            table->n++;
        }
        if (++pair->count > table->most)
            table->most = pair->count;
        if (left == right && i + 2 < n && text[i + 2] == left)
            i++;
    }
    return true;
}

/* ---- a round --------------------------------------------------------------------------------- */

static bool is_better(const struct pair *a, const struct pair *b)
{
    return a->count != b->count ? a->count > b->count : a->key < b->key;
}

static void sift_down(struct pair **heap, size_t n, size_t i)
{
    for (;;) {
        size_t worst = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
            if (is_better(heap[worst], heap[child]))
                worst = child;
        if (worst == i)
            return;
        struct pair *moved = heap[i];
        heap[i] = heap[worst];
        heap[worst] = moved;
        i = worst;
    }
}

/* Heap sort, the best pair first. */
static void sort_pairs(struct pair **pairs, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(pairs, n, i);
    for (size_t left = n; left > 1;) {
        struct pair *worst = pairs[0];
        pairs[0] = pairs[--left];
        pairs[left] = worst;
        sift_down(pairs, left, 0);
    }
}

/* Ranks the pairs that become rules and lists them in table->chosen. */
static bool choose_pairs(struct pair_table *table, const struct bo_rules *rules)
{
    const uint32_t nearly = table->most - table->most / 4;
    const uint32_t at_least = nearly > MIN_COUNT ? nearly : MIN_COUNT;
    table->n_chosen = 0;
    for (size_t i = 0; i <= table->mask; i++) {
        const uint64_t key = table->slots[i].key - 1;
        if (table->slots[i].count < at_least ||
            bo_symbol_size(rules, (uint32_t)(key >> 32)) + bo_symbol_size(rules, (uint32_t)key) >
                rules->max_size)
            continue;
        if (!bo_grow_from(1024, table->arena, &table->chosen, table->n_chosen, 1,
                          &table->cap_chosen))
            return false;
        table->chosen[table->n_chosen++] = &table->slots[i];
    }
    sort_pairs(table->chosen, table->n_chosen);
    for (size_t i = 0; i < table->n_chosen; i++)
        table->chosen[i]->rank = (uint32_t)i + 1;
    return true;
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

/* The pair at text[i]; NULL when it is not chosen. */
static struct pair *chosen_at(const struct pair_table *table, const uint32_t *text, size_t n,
                              size_t i)
{
    if (i + 1 >= n || text[i] == BO_PAIRING_END || text[i + 1] == BO_PAIRING_END)
        return NULL;
    struct pair *pair = pair_slot(table, pair_key(text[i], text[i + 1]));
    return pair->rank ? pair : NULL;
}

/*
 * Replaces the chosen pairs from left to right. A pair yields to a better one that begins with its
 * last symbol, but at most MAX_YIELDS times in a row. Otherwise, for some texts, each round would
 * replace only one pair. A rule is made at the first occurrence of its pair.
 */
static bool replace_pairs(uint32_t *text, size_t *n, struct pair_table *table,
                          struct bo_rules *rules, uint32_t *symbol_of_rank)
{
    size_t kept = 0;
    unsigned n_yields = 0; /* consecutive yields */
    for (size_t i = 0; i < *n;) {
        const struct pair *pair = chosen_at(table, text, *n, i);
        const struct pair *next = pair ? chosen_at(table, text, *n, i + 1) : NULL;
        const bool yields = next && next->rank < pair->rank && n_yields < MAX_YIELDS;
        n_yields = yields ? n_yields + 1 : 0;
        if (!pair || yields) {
            text[kept++] = text[i++];
            continue;
        }
        uint32_t *symbol = &symbol_of_rank[pair->rank - 1];
        if (*symbol == 0) {
            *symbol = rules->n_terminals + rules->n;
            if (!bo_add_rule(rules, text[i], text[i + 1], table->arena))
                return false;
        }
        text[kept++] = *symbol;
        i += 2;
    }
    *n = kept;
    return true;
}

bool bo_pair_up(uint32_t *text, size_t *n, struct bo_rules *rules, struct bo_arena *arena)
{
    struct pair_table table = {.arena = arena};
    uint32_t *symbol_of_rank = NULL;
    size_t cap = 0;
    if (!grow_pairs(&table))
        return false;
    for (;;) {
        if (!count_pairs(text, *n, &table) || !choose_pairs(&table, rules))
            return false;
        if (table.n_chosen == 0)
            return true;
        if (table.n_chosen > cap) {
            symbol_of_rank = bo_alloc_array(arena, table.cap_chosen, sizeof *symbol_of_rank);
            cap = table.cap_chosen;
            if (!symbol_of_rank)
                return false;
        }
        memset(symbol_of_rank, 0, table.n_chosen * sizeof *symbol_of_rank);
        if (!replace_pairs(text, n, &table, rules, symbol_of_rank))
            return false;
    }
}
