/* Reads a grammar from a file and expands names with it. */
#include "harness/coding/grammar.h"
#include "harness/core/bits.h"

/* ---- bits of the rules ----------------------------------------------------------------------- */

/* Reads bits least significant first. Past the end it reads zeros. */
struct bit_reader {
    struct bo_span in;
    uint64_t bit; /* the next one; keeps counting past the end */
};

/* The next 57 bits at least. */
static inline uint64_t peek(const struct bit_reader *r)
{
    const uint64_t byte = r->bit / 8;
    if (__builtin_expect(byte + 8 <= r->in.n, 1))
        return bo_le64(r->in.p + byte) >> r->bit % 8;
    uint64_t v = 0;
    for (unsigned i = 0; byte + i < r->in.n; i++)
        v |= (uint64_t)r->in.p[byte + i] << 8 * i;
    return v >> r->bit % 8;
}

/* Reads n bits, at most 32. */
static inline uint32_t take(struct bit_reader *r, unsigned nbits)
{
    const uint32_t v = (uint32_t)(peek(r) & ((UINT64_C(1) << nbits) - 1));
    r->bit += nbits;
    return v;
}

/* Reads ones up to and including the next zero, and returns their number. Stops after `max`. */
static inline uint32_t take_ones(struct bit_reader *r, uint32_t max)
{
    uint32_t n_ones = 0;
    while (n_ones <= max) {
        const uint32_t zeros = ~(uint32_t)peek(r);
        const unsigned run = zeros ? (unsigned)__builtin_ctz(zeros) : 32;
        n_ones += run;
        r->bit += run;
        if (run < 32) {
            r->bit++;
            break;
        }
    }
    return n_ones;
}

/* Bytes of which at least one bit has been read. */
static size_t nbytes_taken(const struct bit_reader *r)
{
    return (size_t)((r->bit + 7) / 8);
}

/* True when the unread bits of the last byte are zeros. */
static bool is_padded(const struct bit_reader *r)
{
    return (peek(r) & ((1u << (8 - r->bit % 8) % 8) - 1)) == 0;
}

/* ---- rules ----------------------------------------------------------------------------------- */

/*
 * A Rice code whose lowest bits are `low`, at most 32: ones up to `max`, the next zero, these bits.
 */
static inline uint64_t take_rice(struct bit_reader *r, unsigned low, uint32_t max)
{
    const uint64_t v = peek(r), zeros = ~v;
    const unsigned run = (unsigned)__builtin_ctzll(zeros | UINT64_C(1) << 24);
    if (__builtin_expect(run < 24 && run <= max, 1)) {
        r->bit += run + 1 + low;
        return ((uint64_t)run << low) + (v >> (run + 1) & ((UINT64_C(1) << low) - 1));
    }
    const uint64_t high = take_ones(r, max);
    return (high << low) + take(r, low);
}

/* Reads the right symbols of n rules whose left symbol is `left`. */
static bool read_siblings(struct bit_reader *bits, uint32_t left, uint32_t n, uint32_t n_symbols,
                          uint32_t (*rules)[2])
{
    if (n == 1) {
        rules[0][0] = left;
        rules[0][1] = take(bits, bo_bit_width(n_symbols - 1));
        return rules[0][1] < n_symbols;
    }
    const unsigned low = bo_rice_bits(n, n_symbols);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t step = take_rice(bits, low, n_symbols >> low);
        if (step >= n_symbols - previous)
            return false;
        previous += (uint32_t)step;
        rules[i][0] = left;
        rules[i][1] = previous;
    }
    return true;
}

/* NULL, or the broken rule. */
static const char *read_rules(struct bit_reader *bits, struct bo_phrases *p)
{
    const uint32_t n_symbols = p->n_terminals + p->n_rules;
    uint32_t n_found = 0, symbol = 0;
    while (symbol < n_symbols) {
        const uint32_t n_known = p->n_terminals + n_found;
        const uint64_t next = peek(bits);
        if (symbol == n_known)
            return "symbol is a rule that has not been read";
        if (!(next & 1)) { /* symbols that no rule starts with, a bit each */
            const unsigned zeros = next ? (unsigned)__builtin_ctzll(next) : 32;
            const uint32_t skipped = zeros < n_known - symbol ? zeros : n_known - symbol;
            bits->bit += skipped;
            symbol += skipped;
            continue;
        }
        const uint32_t n = take_ones(bits, p->n_rules - n_found);
        if (n > p->n_rules - n_found)
            return "grammar has more rules than announced";
        if (!read_siblings(bits, symbol, n, n_symbols, p->rules + n_found))
            return "right symbol of a rule is out of range";
        n_found += n;
        symbol++;
    }
    /* All n_rules are read, else a symbol would have no rule. */
    return is_padded(bits) ? NULL : "bits after the rules are not 0";
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Numbers the symbols whose bit is set. */
static enum bo_status make_table(struct bo_phrases *p, const uint8_t *has_code,
                                 struct bo_arena *arena, struct bo_error *err)
{
    const uint32_t n_symbols = p->n_terminals + p->n_rules;
    for (uint32_t i = 0; i < (n_symbols + 7) / 8; i++)
        p->n_codes += (uint32_t)__builtin_popcount(has_code[i]);
    p->code_bits = p->n_codes > 1 ? bo_bit_width(p->n_codes - 1) : 1;
    if (p->code_bits > BO_MAX_CODE_BITS)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "phrases have more than 2^24 codes");
    p->table = bo_alloc_array(arena, (size_t)1 << p->code_bits, sizeof *p->table);
    if (!p->table)
        return bo_fail_alloc(err, arena);
    struct bo_phrase *phrase = p->table;
    for (uint32_t i = 0; i < (n_symbols + 7) / 8; i++)
        for (uint32_t bits = has_code[i]; bits; bits &= bits - 1)
            *phrase++ = (struct bo_phrase){8 * i + (uint32_t)__builtin_ctz(bits), BO_NOT_YET};
    while (phrase < p->table + ((size_t)1 << p->code_bits))
        *phrase++ = (struct bo_phrase){BO_NO_SYMBOL, BO_NOT_YET};
    return BO_OK;
}

/*
 * Allocates the rules, the stack and the text. If not all phrases are kept, there is room for one
 * more after the kept ones.
 */
static bool alloc_phrases(struct bo_phrases *p, size_t keep_nbytes, struct bo_arena *arena)
{
    p->keep_cap = p->text_cap < keep_nbytes ? p->text_cap : (uint32_t)keep_nbytes;
    const uint32_t left = p->text_cap - p->keep_cap;
    const size_t text_nbytes =
        (size_t)p->keep_cap + (left < BO_MAX_PHRASE_NBYTES ? left : BO_MAX_PHRASE_NBYTES);
    p->stack_cap = p->n_rules < BO_MAX_PHRASE_NBYTES ? p->n_rules : BO_MAX_PHRASE_NBYTES;
    p->rules = bo_alloc_array(arena, p->n_rules, sizeof *p->rules);
    p->in_rule = bo_zalloc_array(arena, ((size_t)p->n_terminals + p->n_rules + 7) / 8, 1);
    p->stack = bo_alloc_array(arena, p->stack_cap, sizeof *p->stack);
    uint8_t *text = bo_alloc(arena, text_nbytes + 2 * BO_TEXT_MARGIN);
    p->text = text ? text + BO_TEXT_MARGIN : NULL;
    return p->rules && p->in_rule && p->stack && text;
}

enum bo_status bo_open_phrases(struct bo_span in, size_t *off, size_t end, size_t keep_nbytes,
                               struct bo_arena *arena, struct bo_phrases *p, struct bo_error *err)
{
    enum { BYTES = 256, N_RULES = BYTES / 8, TEXT = BO_PHRASES_TEXT_OFF, HEAD = TEXT + 4 };
    if (end - *off < HEAD)
        return bo_fail(err, BO_TRUNCATED, *off, "index ends before the phrases");
    const uint8_t *head = in.p + *off;
    *p = (struct bo_phrases){.n_rules = bo_le32(head + N_RULES), .text_cap = bo_le32(head + TEXT)};
    for (unsigned byte = 0; byte < BYTES; byte++)
        if (bo_bit_at(head, byte))
            p->terminals[p->n_terminals++] = (uint8_t)byte;
    struct bit_reader bits = {.in = {head + HEAD, end - *off - HEAD}};
    if (p->n_rules / 4 > bits.in.n ||
        p->n_rules > INT32_MAX) /* each rule takes at least two bits */
        return bo_fail(err, BO_TRUNCATED, *off + N_RULES, "rules run past the index's end");
    if (p->text_cap > bo_max_text_nbytes(in.n))
        return bo_fail(err, BO_CORRUPT, *off + TEXT, "phrases are longer than the file allows");
    if (!alloc_phrases(p, keep_nbytes, arena))
        return bo_fail_alloc(err, arena);
    const char *flaw = read_rules(&bits, p);
    if (nbytes_taken(&bits) > bits.in.n)
        return bo_fail(err, BO_TRUNCATED, *off + N_RULES, "rules run past the index's end");
    if (flaw)
        return bo_fail(err, BO_CORRUPT, *off + HEAD + nbytes_taken(&bits), flaw);
    const uint32_t n_symbols = p->n_terminals + p->n_rules;
    const size_t has_code_off = *off + HEAD + nbytes_taken(&bits);
    const size_t has_code_nbytes = ((size_t)n_symbols + 7) / 8;
    if (end - has_code_off < has_code_nbytes)
        return bo_fail(err, BO_TRUNCATED, has_code_off, "index ends inside the phrases");
    if (n_symbols % 8 && in.p[has_code_off + n_symbols / 8] >> n_symbols % 8)
        return bo_fail(err, BO_CORRUPT, has_code_off + n_symbols / 8, "bits beyond the symbols");
    *off = has_code_off + has_code_nbytes;
    p->has_code = in.p + has_code_off;
    return make_table(p, p->has_code, arena, err);
}

/* ---- unused symbols -------------------------------------------------------------------------- */

static bool all_met(const struct bo_phrases *p)
{
    for (uint32_t code = 0; code < p->n_codes; code++)
        if (p->table[code].nbytes == BO_NOT_YET)
            return false;
    return p->text_nbytes == p->text_cap;
}

/* Whether the symbols of a rule are in p->in_rule. */
static bool is_kept(const struct bo_phrases *p, uint32_t rule)
{
    return p->rules[rule][0] & BO_RULE_KEPT;
}

/* Sets the bits of all symbols that phrases of codes contain. `rules` has room for all rules. */
static void mark_used(const struct bo_phrases *p, uint8_t *used, uint32_t *rules)
{
    const uint32_t n_symbols = p->n_terminals + p->n_rules;
    uint32_t n = 0; /* rules whose symbols have not been marked */
    for (uint32_t i = 0; i < (n_symbols + 7) / 8; i++)
        used[i] = p->has_code[i] | p->in_rule[i];
    for (uint32_t r = 0; r < p->n_rules; r++)
        if (!is_kept(p, r) && bo_bit_at(used, p->n_terminals + r))
            rules[n++] = r;
    while (n) {
        const uint32_t *rule = p->rules[rules[--n]];
        for (unsigned side = 0; side < 2; side++) {
            const uint32_t symbol = rule[side];
            if (bo_bit_at(used, symbol))
                continue;
            used[symbol / 8] |= (uint8_t)(1u << symbol % 8);
            if (symbol >= p->n_terminals) /* not kept, as it has no code */
                rules[n++] = symbol - p->n_terminals;
        }
    }
}

enum bo_status bo_expect_all_used(const struct bo_phrases *p, struct bo_arena *arena, uint64_t off,
                                  struct bo_error *err)
{
    const uint32_t n_symbols = p->n_terminals + p->n_rules;
    if (!all_met(p))
        return bo_fail(err, BO_CORRUPT, off, "phrases are not all used");
    uint8_t *used = bo_alloc(arena, (n_symbols + 7) / 8);
    uint32_t *rules = bo_alloc_array(arena, p->n_rules, sizeof *rules);
    if (!used || !rules)
        return bo_fail_alloc(err, arena);
    mark_used(p, used, rules);
    uint32_t n_used = 0;
    for (uint32_t i = 0; i < (n_symbols + 7) / 8; i++)
        n_used += (uint32_t)__builtin_popcount(used[i]);
    if (n_used != n_symbols)
        return bo_fail(err, BO_CORRUPT, off, "symbol that no code uses");
    return BO_OK;
}

/* ---- expanding names ------------------------------------------------------------------------- */

static void mark_in_rule(struct bo_phrases *p, uint32_t symbol)
{
    p->in_rule[symbol / 8] |= (uint8_t)(1u << symbol % 8);
}

/* Keeps the phrase of the code that was expanded last, also for the phrases that contain it. */
static void keep_phrase(struct bo_phrases *p, uint32_t code)
{
    const uint32_t symbol = p->table[code].off;
    if (symbol >= p->n_terminals) {
        uint32_t *rule = p->rules[symbol - p->n_terminals];
        mark_in_rule(p, rule[0]);
        mark_in_rule(p, rule[1]);
        rule[0] = BO_RULE_KEPT | p->text_nbytes;
        rule[1] = p->expanded.nbytes;
    }
    p->table[code] = p->expanded;
    p->text_nbytes += p->expanded.nbytes;
}

enum bo_status bo_expand_phrase(struct bo_phrases *p, uint32_t code)
{
    uint8_t *const text = p->text + p->text_nbytes;
    const uint32_t room = p->text_cap - p->text_nbytes;
    const uint32_t cap = room < BO_MAX_PHRASE_NBYTES ? room : BO_MAX_PHRASE_NBYTES;
    uint32_t symbol = p->table[code].off, depth = 0, n = 0;
    if (symbol == BO_NO_SYMBOL)
        return BO_CORRUPT;
    for (;;) {
        const uint32_t *rule = symbol < p->n_terminals ? NULL : p->rules[symbol - p->n_terminals];
        if (rule && !(rule[0] & BO_RULE_KEPT)) {
            if (depth == p->stack_cap ||
                n + depth >= cap) /* every symbol on the stack has at least one byte */
                return BO_CORRUPT;
            p->stack[depth++] = rule[1];
            symbol = rule[0];
            continue;
        }
        const uint32_t nbytes = rule ? rule[1] : 1;
        if (nbytes > cap - n)
            return BO_CORRUPT;
        if (!rule)
            text[n] = p->terminals[symbol];
        else
            memcpy(text + n, p->text + (rule[0] & ~BO_RULE_KEPT), nbytes);
        n += nbytes;
        if (depth == 0)
            break;
        symbol = p->stack[--depth];
    }
    p->expanded = (struct bo_phrase){p->text_nbytes, n};
    if (n <= p->keep_cap - p->text_nbytes)
        keep_phrase(p, code);
    return BO_OK;
}

enum bo_status bo_spell(struct bo_phrases *phrases, const uint32_t *codes, unsigned n,
                        uint8_t *name, size_t cap, size_t *n_ret)
{
    *n_ret = 0;
    for (unsigned i = 0; i < n; i++) {
        if (codes[i] >= phrases->n_codes)
            return BO_CORRUPT;
        struct bo_phrase phrase = phrases->table[codes[i]];
        if (phrase.nbytes == BO_NOT_YET) {
            if (bo_expand_phrase(phrases, codes[i]))
                return BO_CORRUPT;
            phrase = phrases->expanded;
        }
        if (*n_ret + phrase.nbytes <= cap)
            memcpy(name + *n_ret, phrases->text + phrase.off, phrase.nbytes);
        *n_ret += phrase.nbytes;
    }
    return BO_OK;
}

enum bo_status bo_spell_name(struct bo_phrases *phrases, const uint32_t *codes, unsigned n,
                             bool keep, struct bo_span *buffer, struct bo_arena *arena,
                             uint64_t off, struct bo_span *name_ret, struct bo_error *err)
{
    uint8_t *p = keep ? NULL : (uint8_t *)(uintptr_t)buffer->p;
    const size_t cap = keep ? 0 : buffer->n;
    size_t nbytes;
    if (bo_spell(phrases, codes, n, p, cap, &nbytes))
        return bo_fail(err, BO_CORRUPT, off, "name has an invalid code");
    if (nbytes > BO_MAX_NAME_NBYTES)
        return bo_fail(err, BO_CORRUPT, off, "name expands to more than 512 KiB");
    if (nbytes > cap) {
        const size_t room = keep ? nbytes : 2 * nbytes;
        p = bo_alloc(arena, room);
        if (!p)
            return bo_fail_alloc(err, arena);
        *buffer = (struct bo_span){p, room};
        bo_spell(phrases, codes, n, p, room, &nbytes);
    }
    *name_ret = (struct bo_span){p, nbytes};
    return BO_OK;
}
