/* Makes a grammar for names: chooses the symbols with codes, numbers them, and writes them. */
#include "harness/coding/grammar.h"

#include <limits.h>

#include "harness/coding/words.h"
#include "harness/core/bits.h"

enum {
    N_BYTES = 256,     /* the terminals during the construction */
    LEAST_PART = 192,  /* of the highest count, for a pair to be replaced in a round: of 256 */
    MAX_MIN_USES = 40, /* see fit_codes */
    MAX_TRIES = 128,   /* see fit_codes, too: all real names need fewer */
};

/* ---- the symbols with codes ------------------------------------------------------------------ */

/*
 * The chosen codes and rules: how often names and rules use each symbol directly. A symbol that
 * names use directly has a code; an unused rule is dropped.
 */
struct settlement {
    uint32_t *direct, *in_rules; /* indexed by symbol */
    uint32_t n_codes, n_rules;
    uint32_t n_byte_codes; /* codes for single bytes */
    uint64_t n_codes_used;
};

/* The thresholds below which a rule is dropped, or its code is replaced by its two symbols. */
struct limits {
    uint32_t min_uses;   /* a rule that only names use must be used this often */
    uint32_t min_direct; /* a symbol that names use less often gets no code */
    /* of the symbols used exactly min_direct times, this many get no code, either */
    uint32_t n_extra;
};

static void settle(const struct bo_rules *rules, const uint32_t *direct, struct limits limits,
                   struct settlement *s)
{
    memcpy(s->direct, direct, (N_BYTES + rules->n) * sizeof *direct);
    memset(s->in_rules, 0, (N_BYTES + rules->n) * sizeof *s->in_rules);
    s->n_codes = s->n_byte_codes = s->n_rules = 0;
    s->n_codes_used = 0;
    for (uint32_t r = rules->n; r-- > 0;) {
        uint32_t *uses = &s->direct[N_BYTES + r];
        const uint32_t left = rules->pairs[r][0], right = rules->pairs[r][1];
        const bool extra = *uses == limits.min_direct && limits.n_extra;
        limits.n_extra -= extra;
        if (extra || *uses < limits.min_direct ||
            (*uses < limits.min_uses && s->in_rules[N_BYTES + r] == 0)) {
            s->direct[left] += *uses;
            s->direct[right] += *uses;
            *uses = 0;
        }
        s->n_codes += *uses > 0;
        s->n_codes_used += *uses;
        if (*uses == 0 && s->in_rules[N_BYTES + r] == 0)
            continue;
        s->n_rules++;
        s->in_rules[left]++;
        s->in_rules[right]++;
    }
    for (uint32_t byte = 0; byte < N_BYTES; byte++) {
        s->n_byte_codes += s->direct[byte] > 0;
        s->n_codes_used += s->direct[byte];
    }
    s->n_codes += s->n_byte_codes;
}

/* Bits of the codes and the rules. For the rules this is an estimate: see put_rules. */
static uint64_t cost_nbits(const struct settlement *s, unsigned code_bits)
{
    return s->n_codes_used * code_bits +
           (uint64_t)s->n_rules * (bo_bit_width(s->n_rules + N_BYTES) + 1);
}

/* Searches for limits near the given ones with at most n_max codes. False if none have so few. */
static bool fit_codes(const struct bo_rules *rules, const uint32_t *direct, uint32_t n_max,
                      struct limits *limits, struct settlement *s)
{
    unsigned n_tries = 0;
    settle(rules, direct, *limits, s);
    while (s->n_codes > n_max) {
        uint32_t n_equal = 0;
        for (uint32_t r = 0; r < rules->n; r++)
            n_equal += s->direct[N_BYTES + r] == limits->min_direct;
        if (n_equal + n_max > s->n_codes) {
            /* dropping some of these rules may suffice; their symbols may then need codes */
            limits->n_extra += s->n_codes - n_max;
            if (limits->n_extra <= n_equal && n_tries++ < MAX_TRIES) {
                settle(rules, direct, *limits, s);
                continue;
            }
        }
        if (s->n_byte_codes > n_max || ++limits->min_direct > MAX_MIN_USES)
            return false; /* with fewer rule codes, more bytes need codes */
        limits->n_extra = 0;
        n_tries = 0;
        settle(rules, direct, *limits, s);
    }
    return true;
}

/* Chooses the codes with the smallest total size, and leaves n_reserve codes free. */
static void choose_codes(const struct bo_rules *rules, const uint32_t *direct, uint32_t n_reserve,
                         struct settlement *s)
{
    struct limits best = {2, 1, 0};
    uint64_t best_nbits = UINT64_MAX;
    for (uint32_t min_uses = 2; min_uses <= 4; min_uses++) {
        settle(rules, direct, (struct limits){min_uses, 1, 0}, s);
        const unsigned width = bo_bit_width(s->n_codes + n_reserve);
        for (unsigned bits = width; bits + 3 > width && bits > 1; bits--) {
            struct limits limits = {min_uses, 1, 0};
            const uint32_t n_max = UINT32_C(1) << bits;
            if (n_max <= n_reserve || !fit_codes(rules, direct, n_max - n_reserve, &limits, s))
                break;
            const uint64_t nbits = cost_nbits(s, bits);
            if (nbits < best_nbits) {
                best = limits;
                best_nbits = nbits;
            }
        }
    }
    settle(rules, direct, best, s);
}

/* ---- names as codes -------------------------------------------------------------------------- */

struct sequences {
    uint32_t *symbols; /* of all names, one after the other */
    uint8_t *lengths;  /* indexed by name */
    size_t n_names;
    size_t n, cap;
    uint32_t *stack;
    size_t stack_cap;
    uint32_t n_folded; /* rules that fold() added */
};

static bool push(uint32_t **array, size_t n, size_t *cap, uint32_t symbol, struct bo_arena *arena)
{
    if (!bo_grow_from(4096, arena, array, n, 1, cap))
        return false;
    (*array)[n] = symbol;
    return true;
}

/* Appends the symbol as symbols that have codes. */
static bool append_coded(struct sequences *seq, const struct bo_rules *rules,
                         const struct settlement *s, uint32_t symbol, struct bo_arena *arena)
{
    size_t depth = 0;
    for (;;) {
        if (symbol < N_BYTES || s->direct[symbol]) {
            if (!push(&seq->symbols, seq->n, &seq->cap, symbol, arena))
                return false;
            seq->n++;
            if (depth == 0)
                return true;
            symbol = seq->stack[--depth];
            continue;
        }
        if (!push(&seq->stack, depth, &seq->stack_cap, rules->pairs[symbol - N_BYTES][1], arena))
            return false;
        depth++;
        symbol = rules->pairs[symbol - N_BYTES][0];
    }
}

/*
 * Joins neighbours to new rules until a name of n symbols is short enough. Two neighbours that fit
 * always exist: see BO_MAX_NAME_NBYTES. False when the arena refuses.
 */
static bool fold(uint32_t *symbols, size_t *n, struct bo_rules *rules, struct sequences *seq,
                 struct bo_arena *arena)
{
    while (*n > BO_MAX_NAME_CODES) {
        size_t kept = 0, n_pairs = *n - BO_MAX_NAME_CODES;
        for (size_t i = 0; i < *n;) {
            const bool fits = i + 1 < *n && bo_symbol_size(rules, symbols[i]) +
                                                    bo_symbol_size(rules, symbols[i + 1]) <=
                                                BO_MAX_PHRASE_NBYTES;
            if (n_pairs == 0 || !fits) {
                symbols[kept++] = symbols[i++];
                continue;
            }
            if (!bo_add_rule(rules, symbols[i], symbols[i + 1], arena))
                return false;
            symbols[kept++] = N_BYTES + rules->n - 1;
            seq->n_folded++;
            n_pairs--;
            i += 2;
        }
        *n = kept;
    }
    return true;
}

/* Writes one name, a text of symbols, in at most BO_MAX_NAME_CODES symbols with codes. */
static bool spell_name(const uint32_t *text, size_t n, struct bo_rules *rules,
                       const struct settlement *s, struct sequences *seq, struct bo_arena *arena)
{
    const size_t start = seq->n;
    for (size_t i = 0; i < n; i++)
        if (!append_coded(seq, rules, s, text[i], arena))
            return false;
    size_t length = seq->n - start;
    if (!fold(seq->symbols + start, &length, rules, seq, arena))
        return false;
    seq->n = start + length;
    seq->lengths[seq->n_names++] = (uint8_t)length;
    return true;
}

/* Writes all names. `text` has room for the longest. False when the arena refuses. */
static bool spell_names(const struct bo_symbol_texts *texts, uint32_t *text, struct bo_rules *rules,
                        const struct settlement *s, struct sequences *seq, struct bo_arena *arena)
{
    seq->n = seq->n_folded = seq->n_names = 0;
    for (size_t i = 0, n = 0; i < texts->n; i++) {
        if (texts->words[i] & BO_TEXT_HEAD)
            n = texts->words[i] & ~BO_TEXT_HEAD;
        else
            text[n++] = bo_text_symbol(texts->words[i]);
        const bool is_last = i + 1 == texts->n || texts->words[i + 1] & BO_TEXT_HEAD;
        if (is_last && !spell_name(text, n, rules, s, seq, arena))
            return false;
    }
    return true;
}

/* ---- numbering ------------------------------------------------------------------------------- */

/* The rules that are kept, as lists by left symbol, and the symbols' numbers in the file. */
struct numbering {
    uint32_t *first; /* indexed by symbol: start of its list in `rules`; one extra entry */
    uint32_t *rules, *scratch;
    uint32_t *number; /* indexed by symbol */
    uint32_t *order;  /* symbols in the order of their numbers */
    uint32_t n;
};

/* Numbers the terminals first, then the rules of symbol 0, of symbol 1, ... in list order. */
static void assign_numbers(struct numbering *numbering, const uint8_t *terminals,
                           uint32_t n_terminals)
{
    numbering->n = 0;
    for (uint32_t i = 0; i < n_terminals; i++) {
        numbering->number[terminals[i]] = numbering->n;
        numbering->order[numbering->n++] = terminals[i];
    }
    for (uint32_t i = 0; i < numbering->n; i++) {
        const uint32_t symbol = numbering->order[i];
        for (uint32_t r = numbering->first[symbol]; r < numbering->first[symbol + 1]; r++) {
            const uint32_t rule = N_BYTES + numbering->rules[r];
            numbering->number[rule] = numbering->n;
            numbering->order[numbering->n++] = rule;
        }
    }
}

/* Sorts rules by the number of their right symbol (merge sort). True when the order changed. */
static bool sort_siblings(uint32_t *list, size_t n, uint32_t *scratch, const struct bo_rules *rules,
                          const uint32_t *number)
{
    if (n < 2)
        return false;
    const size_t half = n / 2;
    bool moved = sort_siblings(list, half, scratch, rules, number);
    moved |= sort_siblings(list + half, n - half, scratch, rules, number);
    memcpy(scratch, list, half * sizeof *list);
    for (size_t i = 0, j = half, k = 0; i < half; k++) {
        const bool later =
            j < n && number[rules->pairs[list[j]][1]] < number[rules->pairs[scratch[i]][1]];
        moved |= later;
        list[k] = later ? list[j++] : scratch[i++];
    }
    return moved;
}

/*
 * Numbers the symbols so that left symbols ascend, and the right symbols of siblings (the rules of
 * one left symbol) ascend. Sorting siblings changes the numbers by which they are sorted, so it is
 * repeated until nothing changes. It terminates: the order of two rules depends only on their own
 * symbols, which have fewer bytes. After k rounds, all rules are in order that differ within k
 * symbols of depth. For most names three rounds suffice.
 */
static void number_symbols(struct numbering *numbering, const struct bo_rules *rules,
                           const uint8_t *terminals, uint32_t n_terminals)
{
    bool moved = true;
    while (moved) {
        assign_numbers(numbering, terminals, n_terminals);
        moved = false;
        for (uint32_t s = 0; s < N_BYTES + rules->n; s++)
            moved |= sort_siblings(numbering->rules + numbering->first[s],
                                   numbering->first[s + 1] - numbering->first[s],
                                   numbering->scratch, rules, numbering->number);
    }
    assign_numbers(numbering, terminals, n_terminals);
}

/* ---- making a grammar ------------------------------------------------------------------------ */

struct maker {
    const struct bo_span *names;
    size_t n_names;
    enum bo_grammar_level level;
    struct bo_arena *arena;
    struct bo_symbol_texts texts; /* of symbols */
    uint32_t *text;               /* one of them */
    struct bo_rules rules;
    struct settlement settled;
    struct sequences sequences;
};

/* Checks the limits of names. Sets the words that their texts take and the longest of them. */
static enum bo_status measure(struct maker *m, struct bo_error *err)
{
    struct bo_symbol_texts *texts = &m->texts;
    uint64_t n = 0, n_all = m->n_names;
    struct bo_span before = {NULL, 0};
    for (size_t i = 0; i < m->n_names; before = m->names[i++]) {
        const struct bo_span name = m->names[i];
        if (name.n > BO_MAX_NAME_NBYTES)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "name is longer than 512 KiB");
        n_all += name.n;
        n += 3 + name.n - bo_common_prefix(before, name); /* a head, and two words for pairing */
        texts->longest = name.n > texts->longest ? name.n : texts->longest;
    }
    if (n_all > BO_TEXT_COUNTS / 2) /* numbers of symbols stay below */
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "names take more than 512 MiB, with one byte more for each");
    texts->cap = (size_t)n;
    return BO_OK;
}

/* Makes texts of the bytes of the names. False when the arena refuses. */
static bool lay_out(struct maker *m)
{
    struct bo_symbol_texts *texts = &m->texts;
    texts->words = bo_alloc_array(m->arena, texts->cap, sizeof *texts->words);
    if (!texts->words)
        return false;
    struct bo_span before = {NULL, 0};
    for (size_t i = 0; i < m->n_names; before = m->names[i++]) {
        size_t j = bo_common_prefix(before, m->names[i]);
        texts->words[texts->n++] = BO_TEXT_HEAD | (uint32_t)j;
        for (; j < m->names[i].n; j++)
            texts->words[texts->n++] = m->names[i].p[j];
    }
    texts->n_texts = m->n_names;
    return true;
}

/* Makes the rules, and texts of symbols. */
static enum bo_status make_rules(struct maker *m, struct bo_error *err)
{
    const enum bo_status status = measure(m, err);
    if (status)
        return status;
    const bool made =
        m->level == BO_GRAMMAR_FAST
            ? bo_pair_words(m->names, m->n_names, &m->rules, &m->texts, m->arena)
            : lay_out(m) && bo_pair_up(&m->texts, &m->rules, LEAST_PART, UINT_MAX, m->arena);
    m->text = made ? bo_alloc_array(m->arena, m->texts.longest, sizeof *m->text) : NULL;
    m->sequences.lengths = made ? bo_alloc_array(m->arena, m->n_names, 1) : NULL;
    return m->text && m->sequences.lengths ? BO_OK : bo_fail_alloc(err, m->arena);
}

/* Adds to direct[symbol] how often the texts contain it. `since` has room for the longest text. */
static void count_symbols(const struct maker *m, uint32_t *since, uint32_t *direct)
{
    uint32_t text = 0;
    size_t n = 0;
    for (size_t i = 0; i <= m->texts.n; i++) {
        const uint32_t word = i < m->texts.n ? m->texts.words[i] : BO_TEXT_HEAD;
        if (!(word & BO_TEXT_HEAD)) {
            m->text[n] = bo_text_symbol(word);
            since[n++] = text;
            continue;
        }
        for (size_t j = word & ~BO_TEXT_HEAD; j < n; j++)
            direct[m->text[j]] += text + 1 - since[j];
        n = word & ~BO_TEXT_HEAD;
        text += i > 0;
    }
}

/* Chooses the codes and writes the names in them. */
static enum bo_status code_names(struct maker *m, struct bo_error *err)
{
    const size_t n_symbols = N_BYTES + m->rules.n;
    const uint32_t n_rules = m->rules.n;
    uint32_t *direct = bo_zalloc_array(m->arena, n_symbols, sizeof *direct);
    m->settled.direct = bo_alloc_array(m->arena, n_symbols, sizeof *m->settled.direct);
    m->settled.in_rules = bo_alloc_array(m->arena, n_symbols, sizeof *m->settled.in_rules);
    uint32_t *since = bo_alloc_array(m->arena, m->texts.longest, sizeof *since);
    if (!direct || !m->settled.direct || !m->settled.in_rules || !since)
        return bo_fail_alloc(err, m->arena);
    count_symbols(m, since, direct);
    for (uint32_t n_reserve = 0, tries = 0;; tries++) {
        m->rules.n = n_rules; /* without the rules that fold() added */
        if (m->level == BO_GRAMMAR_FAST)
            settle(&m->rules, direct, (struct limits){2, 1, 0}, &m->settled);
        else
            choose_codes(&m->rules, direct, n_reserve, &m->settled);
        if (!spell_names(&m->texts, m->text, &m->rules, &m->settled, &m->sequences, m->arena))
            return bo_fail_alloc(err, m->arena);
        if (m->level == BO_GRAMMAR_FAST || m->sequences.n_folded <= n_reserve || tries == 2)
            return BO_OK;
        n_reserve =
            m->sequences.n_folded; /* their codes must not make all other codes one bit longer */
    }
}

/* Counts how often names and rules use each symbol in the final grammar. */
static enum bo_status count_uses(const struct maker *m, struct settlement *s, struct bo_error *err)
{
    const size_t n_symbols = N_BYTES + m->rules.n;
    s->direct = bo_zalloc_array(m->arena, n_symbols, sizeof *s->direct);
    s->in_rules = bo_zalloc_array(m->arena, n_symbols, sizeof *s->in_rules);
    if (!s->direct || !s->in_rules)
        return bo_fail_alloc(err, m->arena);
    for (size_t i = 0; i < m->sequences.n; i++)
        s->direct[m->sequences.symbols[i]]++;
    s->n_rules = 0;
    for (uint32_t r = m->rules.n; r-- > 0;) {
        if (s->direct[N_BYTES + r] == 0 && s->in_rules[N_BYTES + r] == 0)
            continue;
        s->n_rules++;
        s->in_rules[m->rules.pairs[r][0]]++;
        s->in_rules[m->rules.pairs[r][1]]++;
    }
    return BO_OK;
}

static bool is_used(const struct settlement *s, uint32_t symbol)
{
    return s->direct[symbol] || s->in_rules[symbol];
}

static enum bo_status number(const struct maker *m, const struct settlement *s,
                             struct bo_grammar *g, struct numbering *numbering,
                             struct bo_error *err)
{
    const size_t n_symbols = N_BYTES + m->rules.n;
    uint32_t *first = bo_zalloc_array(m->arena, n_symbols + 2, sizeof *first);
    uint32_t *rules = bo_alloc_array(m->arena, s->n_rules, sizeof *rules);
    uint32_t *scratch = bo_alloc_array(m->arena, s->n_rules, sizeof *scratch);
    uint32_t *by_symbol = bo_alloc_array(m->arena, n_symbols, sizeof *by_symbol);
    uint32_t *order = bo_alloc_array(m->arena, n_symbols, sizeof *order);
    if (!first || !rules || !scratch || !by_symbol || !order)
        return bo_fail_alloc(err, m->arena);
    for (uint32_t byte = 0; byte < N_BYTES; byte++)
        if (is_used(s, byte))
            g->terminals[g->n_terminals++] = (uint8_t)byte;
    for (uint32_t r = 0; r < m->rules.n; r++)
        if (is_used(s, N_BYTES + r))
            first[m->rules.pairs[r][0] + 2]++;
    for (size_t symbol = 2; symbol < n_symbols + 2; symbol++)
        first[symbol] += first[symbol - 1];
    /*
     * Filling the lists advances first[symbol + 1] from the start of the symbol's list to its end.
     */
    for (uint32_t r = 0; r < m->rules.n; r++)
        if (is_used(s, N_BYTES + r))
            rules[first[m->rules.pairs[r][0] + 1]++] = r;
    *numbering = (struct numbering){first, rules, scratch, by_symbol, order, 0};
    number_symbols(numbering, &m->rules, g->terminals, g->n_terminals);
    return BO_OK;
}

/* Replaces symbols by their numbers in rules and names. */
static enum bo_status finish(struct maker *m, const struct settlement *s,
                             const struct numbering *numbering, struct bo_grammar *g,
                             struct bo_error *err)
{
    g->n_rules = s->n_rules;
    g->rules = bo_alloc_array(m->arena, g->n_rules, sizeof *g->rules);
    g->has_code = bo_alloc_array(m->arena, numbering->n, sizeof *g->has_code);
    uint32_t *code_of = bo_alloc_array(m->arena, numbering->n, sizeof *code_of);
    uint64_t text_nbytes = 0;
    if (!g->rules || !g->has_code || !code_of)
        return bo_fail_alloc(err, m->arena);
    for (uint32_t i = 0; i < numbering->n; i++) {
        const uint32_t symbol = numbering->order[i];
        g->has_code[i] = s->direct[symbol] > 0;
        code_of[i] = g->n_codes;
        g->n_codes += g->has_code[i];
        text_nbytes += g->has_code[i] ? bo_symbol_size(&m->rules, symbol) : 0;
        for (unsigned side = 0; side < 2 && symbol >= N_BYTES; side++)
            g->rules[i - g->n_terminals][side] =
                numbering->number[m->rules.pairs[symbol - N_BYTES][side]];
    }
    for (size_t i = 0; i < m->sequences.n; i++)
        m->sequences.symbols[i] = code_of[numbering->number[m->sequences.symbols[i]]];
    g->codes = m->sequences.symbols;
    g->n_codes_used = m->sequences.n;
    g->n_name_codes = m->sequences.lengths;
    g->code_bits = g->n_codes > 1 ? bo_bit_width(g->n_codes - 1) : 1;
    if (g->code_bits > BO_MAX_CODE_BITS)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "phrases have more than 2^24 codes");
    if (text_nbytes > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "phrases have 4 GiB of text or more");
    g->text_nbytes = (uint32_t)text_nbytes;
    return BO_OK;
}

enum bo_status bo_make_grammar(const struct bo_span *names, size_t n_names,
                               enum bo_grammar_level level, struct bo_arena *arena,
                               struct bo_grammar *grammar, struct bo_error *err)
{
    struct maker m = {.names = names,
                      .n_names = n_names,
                      .level = level,
                      .arena = arena,
                      .rules = {.n_terminals = N_BYTES, .max_size = BO_MAX_PHRASE_NBYTES}};
    struct settlement uses = {0};
    struct numbering numbering;
    *grammar = (struct bo_grammar){.n_terminals = 0};
    enum bo_status status = make_rules(&m, err);
    if (!status)
        status = code_names(&m, err);
    if (!status)
        status = count_uses(&m, &uses, err);
    if (!status)
        status = number(&m, &uses, grammar, &numbering, err);
    return status ? status : finish(&m, &uses, &numbering, grammar, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_siblings(const struct bo_grammar *g, uint32_t first, uint32_t n,
                         struct bo_bit_writer *bits)
{
    const uint32_t n_symbols = g->n_terminals + g->n_rules;
    if (n == 1) {
        bo_put_bits(bits, g->rules[first][1], bo_bit_width(n_symbols - 1));
        return;
    }
    const unsigned low = bo_rice_bits(n, n_symbols);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t right = g->rules[first + i][1], step = right - previous;
        for (uint32_t high = step >> low; high; high--)
            bo_put_bits(bits, 1, 1);
        bo_put_bits(bits, 0, 1);
        bo_put_bits(bits, step & ((UINT32_C(1) << low) - 1), low);
        previous = right;
    }
}

static void put_rules(const struct bo_grammar *g, struct bo_writer *out)
{
    struct bo_bit_writer bits = {out, 0};
    const uint32_t n_symbols = g->n_terminals + g->n_rules;
    for (uint32_t symbol = 0, rule = 0; symbol < n_symbols; symbol++) {
        uint32_t n = 0;
        for (; rule + n < g->n_rules && g->rules[rule + n][0] == symbol; n++)
            bo_put_bits(&bits, 1, 1);
        bo_put_bits(&bits, 0, 1);
        if (n)
            put_siblings(g, rule, n, &bits);
        rule += n;
    }
}

void bo_put_grammar(const struct bo_grammar *g, struct bo_writer *out)
{
    const uint32_t n_symbols = g->n_terminals + g->n_rules;
    uint8_t bytes[N_BYTES / 8] = {0};
    bo_mark(out, "rules");
    for (uint32_t i = 0; i < g->n_terminals; i++)
        bytes[g->terminals[i] / 8] |= (uint8_t)(1u << g->terminals[i] % 8);
    bo_put_bytes(out, bytes, sizeof bytes);
    bo_put_le32(out, g->n_rules);
    bo_put_le32(out, g->text_nbytes);
    put_rules(g, out);
    struct bo_bit_writer bits = {out, 0};
    for (uint32_t i = 0; i < n_symbols; i++)
        bo_put_bits(&bits, g->has_code[i], 1);
}
