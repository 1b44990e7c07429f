/* Predicts symbols, numbers and texts from their contexts. */
#include "harness/coding/context_model.h"

#include "harness/core/bits.h"

enum {
    N_EVIDENCE = 80, /* values of the evidence of a context for a candidate */
    N_ESCAPES = 117, /* values of the evidence for a new symbol */
    MAX_HINTED = 4,  /* candidates that come from hints only */
    MAX_RUN = 31,    /* the length of a match, at most */
    TEXT_ORDERS = 5, /* contexts of 0, 1, 2, ... preceding bytes */
    TEXT_CONTEXTS = TEXT_ORDERS + 3,
    /* inputs, rounded up to a multiple of four */
    SYMBOL_INPUTS = (BO_GUESS_CONTEXTS + 2 + 3) / 4 * 4, /* one for the hint and one constant */
    BIT_INPUTS = (2 * TEXT_CONTEXTS + 2 + 3) / 4 * 4,    /* two per context, 2 more */
    LISTED_SETS = 8 + 2 * (BO_GUESS_CONTEXTS + 1),
    NEW_SETS = BO_GUESS_SELECTORS + BO_GUESS_CONTEXTS + 1,
    BIT_SETS = 64 + 16,
    BIAS = 256,
    FIRST_WEIGHT = 15000,
    SYMBOL_RATE = 8,
    TEXT_RATE = 2,
    HINT_LIMIT = 30,
    ESCAPE_LIMIT = 20,
    BIT_LIMIT = 30,
    /*
     * Entries of a page. A file that repeats itself uses few entries, at random places: small pages
     * hold fewer others, and need more pointers.
     */
    SLOT_PAGE = 8,
    COUNTER_PAGE = 32,
};

struct bo_guess_site {
    /* the tables for symbols and for bits are allocated at first use */
    bool has_symbols, has_bits;
    bo_counter evidence[BO_GUESS_CONTEXTS][N_EVIDENCE];
    bo_counter escape[BO_GUESS_CONTEXTS][N_ESCAPES];
    bo_counter runs[MAX_RUN + 1];
    int32_t listed_weights[LISTED_SETS][SYMBOL_INPUTS];
    int32_t new_weights[NEW_SETS][SYMBOL_INPUTS];
    int32_t bit_weights[BIT_SETS][BIT_INPUTS];
};

/* ---- initialisation -------------------------------------------------------------------------- */

static struct bo_guess_site *symbols_of(const struct bo_guesser *guesser, unsigned i)
{
    struct bo_guess_site *site = &guesser->sites[i];
    if (site->has_symbols)
        return site;
    site->has_symbols = true;
    bo_mix_fill(site->evidence[0], BO_GUESS_CONTEXTS * N_EVIDENCE, BO_NEW_COUNTER);
    bo_mix_fill(site->escape[0], BO_GUESS_CONTEXTS * N_ESCAPES, BO_NEW_COUNTER);
    bo_mix_fill(site->listed_weights[0], LISTED_SETS * SYMBOL_INPUTS, FIRST_WEIGHT);
    bo_mix_fill(site->new_weights[0], NEW_SETS * SYMBOL_INPUTS, FIRST_WEIGHT);
    return site;
}

static struct bo_guess_site *bits_of(const struct bo_guesser *guesser, unsigned i)
{
    struct bo_guess_site *site = &guesser->sites[i];
    if (site->has_bits)
        return site;
    site->has_bits = true;
    bo_mix_fill(site->runs, MAX_RUN + 1, (bo_counter)3 << 30);
    bo_mix_fill(site->bit_weights[0], BIT_SETS * BIT_INPUTS, FIRST_WEIGHT);
    return site;
}

/* The number of bits of a table with room for n, within limits. */
static unsigned table_bits(uint64_t n, unsigned least, unsigned most)
{
    const unsigned bits = bo_bit_width(n);
    return bits < least ? least : bits > most ? most : bits;
}

bool bo_guesser_init(struct bo_guesser *guesser, unsigned n_sites, uint64_t n_units,
                     uint8_t *history, uint32_t n_text, struct bo_arena *arena)
{
    const unsigned counter_bits = table_bits(16 * n_units, 10, 20);
    *guesser = (struct bo_guesser){
        .arena = arena,
        .slot_bits = table_bits(4 * n_units, 8, 19),
        .counter_shift = 64 - counter_bits,
        .match_bits = table_bits(4 * n_units, 8, 16),
        .history = history,
        .n_history = BO_GUESS_TEXT_START,
        .n_left = n_text,
        .spare_slot = {.escape = BO_NEW_COUNTER},
        .spare_counter = BO_NEW_COUNTER,
    };
    guesser->sites = bo_alloc_array(arena, n_sites, sizeof *guesser->sites);
    guesser->slots = bo_zalloc_array(arena, ((size_t)1 << guesser->slot_bits) / SLOT_PAGE,
                                     sizeof *guesser->slots);
    guesser->counters = bo_zalloc_array(arena, ((size_t)1 << counter_bits) / COUNTER_PAGE,
                                        sizeof *guesser->counters);
    guesser->matches =
        bo_zalloc_array(arena, (size_t)1 << guesser->match_bits, sizeof *guesser->matches);
    if (!guesser->sites || !guesser->slots || !guesser->counters || !guesser->matches)
        return false;
    for (unsigned i = 0; i < n_sites; i++)
        guesser->sites[i].has_symbols = guesser->sites[i].has_bits = false;
    memset(history, 0, BO_GUESS_TEXT_START);
    bo_mixing_init(&guesser->mixing);
    return true;
}

/* ---- coding one bit -------------------------------------------------------------------------- */

static bool code_mixed(struct bo_mix *mix, struct bo_range_coder *coder, bool bit, int32_t rate)
{
    bo_mix_add(mix, BIAS);
    bit = bo_range_code(coder, bo_mix_predict(mix), bit);
    bo_mix_learn(mix, bit, rate);
    return bit;
}

/* ---- evidence of contexts -------------------------------------------------------------------- */

/* Entry `at` of a page that is not there yet. */
__attribute__((noinline)) static struct bo_guess_slot *add_slot(struct bo_guesser *guesser,
                                                                size_t at)
{
    struct bo_guess_slot *page = bo_zalloc_array(guesser->arena, SLOT_PAGE, sizeof *page);
    guesser->slots[at / SLOT_PAGE] = page;
    guesser->no_memory |= !page;
    return page ? &page[at % SLOT_PAGE] : &guesser->spare_slot;
}

__attribute__((noinline)) static bo_counter *add_counter(struct bo_guesser *guesser, size_t at)
{
    bo_counter *page = bo_alloc_array(guesser->arena, COUNTER_PAGE, sizeof *page);
    guesser->counters[at / COUNTER_PAGE] = page;
    guesser->no_memory |= !page;
    if (!page)
        return &guesser->spare_counter;
    bo_mix_fill(page, COUNTER_PAGE, BO_NEW_COUNTER);
    return &page[at % COUNTER_PAGE];
}

/*
 * The slot of a context. If it has none and there is no free one, the slot of another context is
 * cleared for it.
 */
static struct bo_guess_slot *find_slot(struct bo_guesser *guesser, uint64_t hash)
{
    enum { NEIGHBOURS = 4 };
    const uint32_t check = (uint32_t)(hash >> 32) | 1;
    const size_t at = (size_t)hash & (((size_t)1 << guesser->slot_bits) - 1);
    struct bo_guess_slot *page = guesser->slots[at / SLOT_PAGE];
    struct bo_guess_slot *free_slot = page ? &page[at % SLOT_PAGE] : add_slot(guesser, at);
    for (size_t i = 0; i < NEIGHBOURS && page; i++) {
        struct bo_guess_slot *slot = &page[(at ^ i) % SLOT_PAGE];
        if (slot->check == check)
            return slot;
        if (slot->check == 0) {
            free_slot = slot;
            break;
        }
    }
    *free_slot = (struct bo_guess_slot){.check = check, .escape = BO_NEW_COUNTER};
    return free_slot;
}

static inline bo_counter *find_counter(struct bo_guesser *guesser, uint64_t hash)
{
    const size_t at = (size_t)(hash >> guesser->counter_shift);
    bo_counter *page = guesser->counters[at / COUNTER_PAGE];
    return __builtin_expect(page != NULL, 1) ? &page[at % COUNTER_PAGE] : add_counter(guesser, at);
}

static void find_slots(struct bo_guesser *guesser, struct bo_guess *guess)
{
    for (unsigned i = 0; i < guess->n_contexts; i++)
        guess->slots[i] =
            find_slot(guesser, bo_pair_hash(guess->contexts[i], 16 * guess->site + i + 1));
}

static unsigned hits_class(unsigned hits)
{
    return hits >= 8 ? 7 : hits >= 6 ? 6 : hits - 1;
}

/* The evidence for a candidate. *knows_ret is set if the context has seen it. */
static unsigned evidence_of(const struct bo_guess_slot *slot, uint32_t symbol, bool *knows_ret)
{
    *knows_ret = false;
    if (slot->n == 0)
        return 0;
    for (unsigned i = 0; i < slot->n; i++)
        if (slot->symbols[i] == symbol) {
            *knows_ret = true;
            return 8 + 8 * (3 * i + slot->n - 1) + hits_class(slot->hits[i]);
        }
    return slot->n + (slot->hits[0] >= 3 ? 3 : 0);
}

static unsigned escape_of(const struct bo_guess_slot *slot)
{
    const unsigned hits = slot->hits[0] < 4 ? slot->hits[0] : 4;
    const unsigned symbols = slot->n ? 4 * (slot->n - 1u) + hits : 0;
    const unsigned escape =
        bo_counter_seen(slot->escape) ? 1 + (bo_counter_probability(slot->escape) >> 13) : 0;
    return 9 * symbols + escape;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static bool code_is_new(struct bo_guesser *guesser, struct bo_range_coder *coder,
                        struct bo_guess *guess, bool is_new)
{
    struct bo_guess_site *site = symbols_of(guesser, guess->site);
    bo_counter *used[BO_GUESS_CONTEXTS];
    unsigned longest = 0;
    struct bo_mix mix = {.n = 0};
    for (unsigned i = 0; i < guess->n_contexts; i++) {
        used[i] = &site->escape[i][escape_of(guess->slots[i])];
        bo_mix_add(&mix, bo_counter_logit(&guesser->mixing, *used[i]));
        longest = guess->slots[i]->n ? i + 1 : longest;
    }
    mix.weights[0] = site->new_weights[guess->selector];
    mix.weights[1] = site->new_weights[BO_GUESS_SELECTORS + longest];
    is_new = code_mixed(&mix, coder, is_new, SYMBOL_RATE);
    for (unsigned i = 0; i < guess->n_contexts; i++) {
        bo_count(&guesser->mixing, used[i], is_new, BO_MAX_COUNT);
        bo_count(&guesser->mixing, &guess->slots[i]->escape, is_new, ESCAPE_LIMIT);
    }
    return is_new;
}

static void put_on(struct bo_guess *guess, uint32_t symbol)
{
    if (guess->n_listed < BO_GUESS_LISTED && symbol < guess->n_symbols &&
        !bo_guess_is_listed(guess, symbol))
        guess->listed[guess->n_listed++] = symbol;
}

/*
 * Lists the hints that were right in at least 1% of the cases or were never used, the best first.
 */
static void list_hints(struct bo_guess *guess, bo_counter *const *counters)
{
    enum { HOPELESS = 600 };
    for (unsigned n = 0; n < MAX_HINTED; n++) {
        const bo_counter *best = NULL;
        uint32_t symbol = 0;
        for (unsigned i = 0; i < guess->n_hints; i++)
            if ((!best || *counters[i] >> 10 > *best >> 10) && guess->hints[i] < guess->n_symbols &&
                !bo_guess_is_listed(guess, guess->hints[i])) {
                best = counters[i];
                symbol = guess->hints[i];
            }
        if (!best || (bo_counter_seen(*best) && bo_counter_probability(*best) < HOPELESS))
            return;
        put_on(guess, symbol);
    }
}

/*
 * Lists the latest symbol of each context, long contexts first, then the symbols before these, then
 * the hints, whose counters go to `counters`.
 */
static void make_list(struct bo_guesser *guesser, struct bo_guess *guess, bo_counter **counters)
{
    guess->n_listed = 0;
    for (unsigned age = 0; age < BO_GUESS_REMEMBERED; age++)
        for (unsigned i = guess->n_contexts; i-- > 0;)
            if (age < guess->slots[i]->n && guess->n_listed < BO_GUESS_LISTED - MAX_HINTED - 1)
                put_on(guess, guess->slots[i]->symbols[age]);
    for (unsigned i = 0; i < guess->n_hints; i++)
        counters[i] = find_counter(
            guesser, bo_pair_hash(guess->keys[i], (UINT64_C(5) << 40) + 64 * guess->site + i));
    list_hints(guess, counters);
    put_on(guess, guess->always);
}

/* The logit of the best hint for this symbol. */
static int hint_logit(const struct bo_guesser *guesser, const struct bo_guess *guess,
                      bo_counter *const *counters, uint32_t symbol, bool *is_hinted_ret)
{
    const bo_counter *best = NULL;
    for (unsigned i = 0; i < guess->n_hints; i++)
        if (guess->hints[i] == symbol && (!best || *counters[i] >> 10 > *best >> 10))
            best = counters[i];
    *is_hinted_ret = best != NULL;
    return best ? bo_counter_logit(&guesser->mixing, *best) : 0;
}

/* Codes whether the symbol is the k-th of the list. */
static bool code_is_listed(struct bo_guesser *guesser, struct bo_range_coder *coder,
                           const struct bo_guess *guess, bo_counter *const *counters, unsigned k,
                           bool is_it)
{
    struct bo_guess_site *site = symbols_of(guesser, guess->site);
    bo_counter *used[BO_GUESS_CONTEXTS];
    struct bo_mix mix = {.n = 0};
    unsigned n_knowing = 0;
    bool knows, is_hinted;
    for (unsigned i = 0; i < guess->n_contexts; i++) {
        used[i] = &site->evidence[i][evidence_of(guess->slots[i], guess->listed[k], &knows)];
        bo_mix_add(&mix, bo_counter_logit(&guesser->mixing, *used[i]));
        n_knowing += knows;
    }
    bo_mix_add(&mix, hint_logit(guesser, guess, counters, guess->listed[k], &is_hinted));
    mix.weights[0] = site->listed_weights[k < 7 ? k : 7];
    mix.weights[1] = site->listed_weights[8 + n_knowing + (is_hinted ? BO_GUESS_CONTEXTS + 1 : 0)];
    is_it = code_mixed(&mix, coder, is_it, SYMBOL_RATE);
    for (unsigned i = 0; i < guess->n_contexts; i++)
        bo_count(&guesser->mixing, used[i], is_it, BO_MAX_COUNT);
    return is_it;
}

/* Codes whether the symbol is in the list. The slots have been looked up. */
static uint32_t code_listed(struct bo_guesser *guesser, struct bo_range_coder *coder,
                            struct bo_guess *guess, uint32_t symbol)
{
    bo_counter *counters[BO_GUESS_HINTS];
    uint32_t found = BO_GUESS_OTHER;
    make_list(guesser, guess, counters);
    for (unsigned k = 0; k < guess->n_listed && found == BO_GUESS_OTHER; k++)
        if (code_is_listed(guesser, coder, guess, counters, k, guess->listed[k] == symbol))
            found = guess->listed[k];
    return found;
}

uint32_t bo_guess_listed(struct bo_guesser *guesser, struct bo_range_coder *coder,
                         struct bo_guess *guess, uint32_t symbol)
{
    find_slots(guesser, guess);
    return code_listed(guesser, coder, guess, symbol);
}

uint32_t bo_guess_symbol(struct bo_guesser *guesser, struct bo_range_coder *coder,
                         struct bo_guess *guess, uint32_t symbol)
{
    const bool decoding = !coder->out;
    find_slots(guesser, guess);
    if (guess->n_symbols == 0 || code_is_new(guesser, coder, guess, symbol == BO_GUESS_NEW))
        return BO_GUESS_NEW;
    const uint32_t found = code_listed(guesser, coder, guess, symbol);
    if (found != BO_GUESS_OTHER)
        return found;
    const uint64_t contexts[] = {0, guess->contexts[0], guess->contexts[1]};
    symbol = bo_guess_bits(guesser, coder, guess->site, contexts, 3,
                           bo_bit_width(guess->n_symbols - 1), symbol);
    if (decoding && symbol >= guess->n_symbols) {
        guesser->flaw = "coded symbol that is not known yet";
        return 0;
    }
    if (decoding && bo_guess_is_listed(guess, symbol))
        guesser->flaw = "coded symbol is one of the candidates";
    return symbol;
}

/* Moves the symbol to the front; the others lose a quarter of their hits. */
static void remember(struct bo_guess_slot *slot, uint32_t symbol)
{
    unsigned i = 0;
    uint8_t hits = 1;
    while (i < slot->n && slot->symbols[i] != symbol)
        i++;
    if (i < slot->n)
        hits = slot->hits[i] < UINT8_MAX ? (uint8_t)(slot->hits[i] + 1) : UINT8_MAX;
    else if (i < BO_GUESS_REMEMBERED)
        slot->n++;
    else
        i--;
    for (; i > 0; i--) {
        slot->symbols[i] = slot->symbols[i - 1];
        slot->hits[i] = (uint8_t)(slot->hits[i - 1] - slot->hits[i - 1] / 4);
    }
    slot->symbols[0] = symbol;
    slot->hits[0] = hits;
}

void bo_guess_learn_new(struct bo_guesser *guesser, unsigned site, const uint64_t *contexts,
                        unsigned n_contexts, uint32_t symbol)
{
    for (unsigned i = 0; i < n_contexts; i++)
        remember(find_slot(guesser, bo_pair_hash(contexts[i], 16 * site + i + 1)), symbol);
}

void bo_guess_learn(struct bo_guesser *guesser, const struct bo_guess *guess, uint32_t symbol)
{
    for (unsigned i = 0; i < guess->n_hints; i++)
        if (guess->hints[i] < guess->n_symbols)
            bo_count(&guesser->mixing,
                     find_counter(guesser, bo_pair_hash(guess->keys[i], (UINT64_C(5) << 40) +
                                                                            64 * guess->site + i)),
                     guess->hints[i] == symbol, HINT_LIMIT);
    bo_guess_learn_new(guesser, guess->site, guess->contexts, guess->n_contexts, symbol);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* Adds two inputs: the logit of a counter, and its confidence. */
static void add_input(const struct bo_guesser *guesser, struct bo_mix *mix, bo_counter counter)
{
    bo_mix_add(mix, bo_counter_logit(&guesser->mixing, counter));
    bo_mix_add(mix, bo_counter_seen(counter)
                        ? ((int32_t)bo_counter_probability(counter) - 32768) / 32
                        : 0);
}

/* Codes a bit with the counters of these hashes. */
static bool code_bit(struct bo_guesser *guesser, struct bo_range_coder *coder, unsigned site,
                     const uint64_t *hashes, unsigned n, unsigned selector, bool bit)
{
    struct bo_guess_site *s = bits_of(guesser, site);
    bo_counter *used[TEXT_CONTEXTS];
    struct bo_mix mix = {.n = 0};
    for (unsigned i = 0; i < n; i++) {
        used[i] = find_counter(guesser, hashes[i]);
        add_input(guesser, &mix, *used[i]);
    }
    const unsigned seen = bo_counter_seen(*used[n - 1]);
    mix.weights[0] = s->bit_weights[selector];
    mix.weights[1] = s->bit_weights[64 + (seen < 15 ? seen : 15)];
    bit = code_mixed(&mix, coder, bit, SYMBOL_RATE);
    for (unsigned i = 0; i < n; i++)
        bo_count(&guesser->mixing, used[i], bit, i == 0 ? BO_MAX_COUNT : BIT_LIMIT);
    return bit;
}

uint32_t bo_guess_bits(struct bo_guesser *guesser, struct bo_range_coder *coder, unsigned site,
                       const uint64_t *contexts, unsigned n_contexts, unsigned n_bits, uint32_t v)
{
    uint64_t hashes[TEXT_CONTEXTS];
    uint64_t node = 1; /* a 1, followed by the bits coded so far */
    for (unsigned b = n_bits; b-- > 0;) {
        for (unsigned i = 0; i < n_contexts; i++)
            hashes[i] = bo_pair_hash(contexts[i], (node << 8) + 16 * site + i);
        node = node << 1 | code_bit(guesser, coder, site, hashes, n_contexts, b, v >> b & 1);
    }
    return (uint32_t)(node - (UINT64_C(1) << n_bits));
}

uint64_t bo_guess_number(struct bo_guesser *guesser, struct bo_range_coder *coder, unsigned site,
                         const uint64_t *contexts, unsigned n_contexts, uint64_t v)
{
    enum { LOW = 20 };
    uint64_t hashes[TEXT_CONTEXTS];
    const unsigned coded = bo_bit_width(v);
    unsigned width = 0;
    bool more = true;
    while (width < 64 && more) {
        for (unsigned i = 0; i < n_contexts; i++)
            hashes[i] =
                bo_pair_hash(contexts[i], (UINT64_C(7) << 40) + 1024 * width + 16 * site + i);
        more = code_bit(guesser, coder, site, hashes, n_contexts, 32 + width / 4, width < coded);
        width += more;
    }
    if (width < 2)
        return width;
    for (unsigned i = 0; i < n_contexts; i++)
        hashes[i] = bo_pair_hash(contexts[i], (UINT64_C(9) << 40) + width);
    /*
     * the upper bits are predicted from their contexts, 20 at a time; the bits below hardly repeat
     */
    uint64_t sofar = 1;
    for (unsigned left = width - 1; left;) {
        const unsigned n = left < LOW ? left : LOW;
        left -= n;
        const uint32_t part = (uint32_t)(v >> left & ((1u << n) - 1));
        sofar = sofar << n | bo_guess_bits(guesser, coder, site, hashes, n_contexts, n, part);
        for (unsigned i = 0; i < n_contexts; i++)
            hashes[i] = bo_pair_hash(hashes[i], sofar);
    }
    return sofar;
}

/* ---- texts ----------------------------------------------------------------------------------- */

struct text_state {
    uint64_t contexts[TEXT_CONTEXTS];
    uint64_t word, sort;
    uint32_t start, at; /* offsets in the history */
    uint32_t match;     /* start of an earlier text that may repeat */
    unsigned run;       /* bytes that have matched so far; 0: there is no match */
};

static bool is_of_a_word(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Contexts of the next byte: the preceding bytes of this text, the word, the sort of text. */
static void make_text_contexts(const struct bo_guesser *guesser, struct text_state *t)
{
    const uint32_t length = t->at - t->start;
    uint64_t hash = 0;
    unsigned n = 0;
    t->contexts[n++] = 0;
    for (uint32_t order = 1; order <= TEXT_ORDERS; order++) {
        const uint32_t byte = order <= length ? guesser->history[t->at - order] : 256;
        hash = bo_pair_hash(hash, byte);
        t->contexts[n++] = hash;
    }
    t->contexts[n++] = bo_pair_hash(t->word, 77);
    t->contexts[n++] = bo_pair_hash(t->sort, length < 3 ? bo_pair_hash(length, hash)
                                                        : guesser->history[t->at - 1]);
}

static bool code_text_bit(struct bo_guesser *guesser, struct bo_range_coder *coder, unsigned site,
                          struct text_state *t, uint32_t node, unsigned b, bool bit)
{
    struct bo_guess_site *s = bits_of(guesser, site);
    bo_counter *used[TEXT_CONTEXTS];
    struct bo_mix mix = {.n = 0};
    unsigned longest = 0;
    for (unsigned i = 0; i < TEXT_CONTEXTS; i++) {
        used[i] = find_counter(guesser, bo_pair_hash(t->contexts[i], node * 256 + 16 * site + i));
        add_input(guesser, &mix, *used[i]);
        if (i <= TEXT_ORDERS && bo_counter_seen(*used[i]))
            longest = i;
    }
    const uint32_t expected = 256u | guesser->history[t->match];
    const bool matches = t->run && expected >> (b + 1) == node;
    bo_counter *run = &s->runs[t->run];
    const int logit = bo_counter_logit(&guesser->mixing, *run);
    bo_mix_add(&mix, !matches ? 0 : expected >> b & 1 ? logit : -logit);
    mix.weights[0] = s->bit_weights[longest + (matches ? TEXT_ORDERS + 1 : 0)];
    mix.weights[1] = s->bit_weights[64 + (t->run < 15 ? t->run : 15)];
    bit = code_mixed(&mix, coder, bit, TEXT_RATE);
    if (matches)
        bo_count(&guesser->mixing, run, (expected >> b & 1) == bit, BO_MAX_COUNT);
    for (unsigned i = 0; i < TEXT_CONTEXTS; i++)
        bo_count(&guesser->mixing, used[i], bit, i < 2 ? BO_MAX_COUNT : BIT_LIMIT);
    return bit;
}

/* Adds the byte to the state. Continues the match, or looks for a new one. */
static void take_text_byte(struct bo_guesser *guesser, struct text_state *t, uint8_t byte)
{
    guesser->history[t->at++] = byte;
    t->word = is_of_a_word(byte) ? bo_pair_hash(t->word, byte + 1u) : 0;
    if (t->run && guesser->history[t->match] == byte) {
        t->run += t->run < MAX_RUN;
        t->match++;
    } else {
        t->run = 0;
    }
    if (t->at - t->start < 4)
        return;
    const uint64_t hash = bo_pair_hash(bo_le32(guesser->history + t->at - 4), 5);
    uint32_t *place = &guesser->matches[hash >> (64 - guesser->match_bits)];
    if (t->run == 0 && *place) {
        t->match = *place;
        t->run = 1;
    }
    *place = t->at;
}

struct bo_span bo_guess_text(struct bo_guesser *guesser, struct bo_range_coder *coder,
                             unsigned site, uint64_t context, uint32_t n_nuls, struct bo_span text)
{
    const bool encoding = coder->out;
    struct text_state t = {.sort = context, .start = guesser->n_history, .at = guesser->n_history};
    uint32_t n_left = n_nuls;
    for (size_t i = 0;; i++) {
        const uint8_t coded = encoding && i < text.n ? text.p[i] : 0;
        uint32_t node = 1;
        make_text_contexts(guesser, &t);
        for (unsigned b = 8; b-- > 0;)
            node = node << 1 | code_text_bit(guesser, coder, site, &t, node, b, coded >> b & 1);
        const uint8_t byte = (uint8_t)node;
        if (guesser->n_left == 0 || bo_range_ran_out(coder)) {
            guesser->flaw = "coded texts are longer than announced";
            break;
        }
        guesser->n_left--;
        if (byte == 0 && n_left-- == 0) {
            guesser->history[t.at++] = 0;
            break;
        }
        take_text_byte(guesser, &t, byte);
    }
    const uint32_t nbytes = t.at - t.start - !guesser->flaw;
    guesser->n_history = t.at;
    return (struct bo_span){guesser->history + t.start, nbytes};
}
