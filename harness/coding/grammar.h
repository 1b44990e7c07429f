/*
 * A grammar of names: names as sequences of phrases. The rules are made by recursive pairing.
 *
 * A symbol is a byte (a terminal) or a pair of symbols (a rule); it denotes the string that it
 * expands to. Some symbols have codes; a name is 1 to BO_MAX_NAME_CODES codes. See grammar.md for
 * the order of the rules and for their coding.
 */
#ifndef BO_GRAMMAR_H
#define BO_GRAMMAR_H

#include "harness/core/bits.h"
#include "harness/core/bytes.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    BO_MAX_NAME_CODES = 15, /* the number of codes fits 4 bits */
    BO_MAX_PHRASE_NBYTES = 1 << 16,
    /*
     * Every name of up to this size can be written in 15 codes. Among any 16 phrases, two
     * neighbours can be joined to one phrase. Otherwise the eight pairs would be longer than 8
     * phrases can be.
     */
    BO_MAX_NAME_NBYTES = 8 * BO_MAX_PHRASE_NBYTES,
    BO_MAX_CODE_BITS = 24,
    BO_WIDE_LOAD = 8,    /* bytes that reading a code may access, from the code's first byte on */
    BO_TEXT_MARGIN = 32, /* bytes that may be read before and after the text of the phrases */
    BO_PHRASES_TEXT_OFF = 36, /* where a grammar announces the bytes of its phrases */
};

/* The maximum size of all expanded phrases in a file of this size. It also applies to encoders. */
static inline uint64_t bo_max_text_nbytes(uint64_t file_nbytes)
{
    const uint64_t most = 64 * file_nbytes + (UINT64_C(1) << 20);
    return most < INT32_MAX ? most : INT32_MAX; /* its size is computed in a size_t */
}

/* The number of low bits of the Rice codes for the differences of siblings' right symbols. */
static inline unsigned bo_rice_bits(uint64_t n_siblings, uint64_t n_symbols)
{
    const unsigned width = bo_bit_width(n_symbols), own = bo_bit_width(2 * n_siblings);
    const unsigned bits = width > own ? width - own : 0;
    return bits + (2 * n_siblings << bits <= n_symbols);
}

/* ---- making a grammar ------------------------------------------------------------------------ */

struct bo_grammar {
    uint8_t terminals[256]; /* ascending */
    uint32_t n_terminals;
    uint32_t n_rules;
    /*
     * Rule r is symbol n_terminals + r. Left symbols are in non-descending order. So are the right
     * symbols of the rules with the same left symbol.
     */
    uint32_t (*rules)[2];
    bool *has_code; /* indexed by symbol; symbols with a code are numbered in order */
    uint32_t n_codes;
    unsigned code_bits;   /* at least 1 */
    uint32_t text_nbytes; /* of all phrases with codes, expanded */
    /* name i has n_name_codes[i] codes; its first is number sum(n_name_codes[0..i-1]) */
    uint8_t *n_name_codes;
    uint32_t *codes;
    size_t n_codes_used;
};

/* The level of effort to make the grammar small. */
enum bo_grammar_level {
    BO_GRAMMAR_SMALL,
    BO_GRAMMAR_FAST, /* a fifth of the time, and 1.1 to 1.5 times the bytes */
};

/*
 * Makes a grammar for the names, none of them empty, in `arena`. While it works it needs about 8
 * bytes for each byte of the names that is not part of a prefix shared with the name before.
 * BO_UNSUPPORTED when a name is too long (BO_MAX_NAME_NBYTES) or there are too many.
 */
enum bo_status bo_make_grammar(const struct bo_span *names, size_t n_names,
                               enum bo_grammar_level level, struct bo_arena *arena,
                               struct bo_grammar *grammar, struct bo_error *err);

/* Appends the grammar, without the names' codes. */
void bo_put_grammar(const struct bo_grammar *grammar, struct bo_writer *out);

/* ---- reading --------------------------------------------------------------------------------- */

/* The expansion of a code. */
struct bo_phrase {
    uint32_t off;    /* offset in the text; while nbytes is BO_NOT_YET, the symbol */
    uint32_t nbytes; /* BO_NOT_YET (longer than any name) until the first use */
};

#define BO_NOT_YET UINT32_MAX
#define BO_NO_SYMBOL UINT32_MAX
#define BO_RULE_KEPT UINT32_C(0x80000000)

struct bo_phrases {
    uint8_t terminals[256];
    uint32_t n_terminals, n_rules;
    /* of a rule whose phrase is kept: BO_RULE_KEPT plus its offset in the text, and its size */
    uint32_t (*rules)[2];
    uint8_t *in_rule;        /* one bit for each symbol that such a rule had */
    const uint8_t *has_code; /* in the file: one bit for each symbol */
    /* indexed by code; from the last code up to 2^code_bits, BO_NO_SYMBOL */
    struct bo_phrase *table;
    uint32_t n_codes;
    unsigned code_bits;
    uint8_t *text; /* the phrases kept so far; after them one that is not kept */
    uint32_t text_nbytes, keep_cap;
    uint32_t text_cap;         /* bytes of all phrases */
    struct bo_phrase expanded; /* the last one; if not kept, valid until the next one */
    uint32_t *stack;           /* for the expansion */
    uint32_t stack_cap;
};

/*
 * Reads the grammar at *off of a file, which ends at `end`, and moves *off past it. Phrases are
 * expanded when a name first uses them, so queries change the table and the text. Circular rules
 * are detected at that time. The reader keeps up to keep_nbytes of text. Other phrases are expanded
 * each time that they are needed.
 */
enum bo_status bo_open_phrases(struct bo_span in, size_t *off, size_t end, size_t keep_nbytes,
                               struct bo_arena *arena, struct bo_phrases *phrases,
                               struct bo_error *err);

/*
 * Expands a code's phrase, which is not kept yet, to phrases->expanded. Keeps it if there is room.
 * BO_CORRUPT when the code has no phrase, when its rules are circular, or when the phrase is longer
 * than BO_MAX_PHRASE_NBYTES or than what is left of text_cap.
 */
enum bo_status bo_expand_phrase(struct bo_phrases *phrases, uint32_t code);

/*
 * For decoders that keep all phrases, after all names have been read. BO_CORRUPT at byte `off`
 * unless every code has been used, the phrases have the size that the file states, and every symbol
 * has a code or is part of a rule.
 */
enum bo_status bo_expect_all_used(const struct bo_phrases *phrases, struct bo_arena *arena,
                                  uint64_t off, struct bo_error *err);

/* The i-th of the codes that start at `codes`. The codes are followed by room for wide loads. */
static inline uint32_t bo_code_at(const struct bo_phrases *phrases, const uint8_t *codes,
                                  uint64_t i)
{
    const uint64_t bit = i * phrases->code_bits;
    return (uint32_t)(bo_le64(codes + bit / 8) >> bit % 8) &
           ((UINT32_C(1) << phrases->code_bits) - 1);
}

/* True when n bytes are equal. Reads no other bytes. Optimised for a few tens of bytes. */
static inline bool bo_bytes_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    if (n >= 8) {
        for (size_t i = 0; i + 8 <= n; i += 8)
            if (bo_le64(a + i) != bo_le64(b + i))
                return false;
        return bo_le64(a + n - 8) == bo_le64(b + n - 8);
    }
    if (n >= 4)
        return bo_le32(a) == bo_le32(b) && bo_le32(a + n - 4) == bo_le32(b + n - 4);
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

#if defined(__SSE2__) && !defined(__SANITIZE_MEMORY__)
#define BO_SSE2 1
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#undef BO_SSE2
#endif
#endif
#endif

#ifdef BO_SSE2
/* One bit for each of 32 bytes: set if they are equal. */
static inline uint32_t bo_equal_32(const uint8_t *a, const uint8_t *b)
{
    const __m128i *x = (const __m128i *)(const void *)a, *y = (const __m128i *)(const void *)b;
    const __m128i low = _mm_cmpeq_epi8(_mm_loadu_si128(x), _mm_loadu_si128(y));
    const __m128i high = _mm_cmpeq_epi8(_mm_loadu_si128(x + 1), _mm_loadu_si128(y + 1));
    return (uint32_t)_mm_movemask_epi8(low) | (uint32_t)_mm_movemask_epi8(high) << 16;
}
#endif

/*
 * True when the phrase occurs in the name at byte `at`, where at least as many bytes are left. Most
 * phrases have up to 32 bytes, and a branch predictor cannot predict their lengths well. So these
 * are compared without a branch, in 32 bytes that end no later than the name. The buffer must have
 * 32 readable bytes around the name.
 */
static inline bool bo_phrase_at(const uint8_t *phrase, uint32_t nbytes, struct bo_span name,
                                size_t at)
{
#ifdef BO_SSE2
    if (__builtin_expect(name.n >= BO_TEXT_MARGIN, 1)) {
        const size_t left = name.n - at;
        const size_t back = left < BO_TEXT_MARGIN ? BO_TEXT_MARGIN - left : 0;
        const uint64_t differ = (uint32_t)~bo_equal_32(phrase - back, name.p + at - back);
        const unsigned n_head = nbytes < BO_TEXT_MARGIN ? nbytes : BO_TEXT_MARGIN;
        if (differ >> back & ((UINT64_C(1) << n_head) - 1))
            return false;
        size_t done = BO_TEXT_MARGIN;
        for (; done + BO_TEXT_MARGIN <= nbytes; done += BO_TEXT_MARGIN)
            if (~bo_equal_32(phrase + done, name.p + at + done))
                return false;
        return done >= nbytes || !~bo_equal_32(phrase + nbytes - BO_TEXT_MARGIN,
                                               name.p + at + nbytes - BO_TEXT_MARGIN);
    }
#endif
    return bo_bytes_equal(phrase, name.p + at, nbytes);
}

/*
 * Compares a name with n codes from number `first` on. BO_CORRUPT, without filling an error, for
 * bad codes or rules.
 */
static inline enum bo_status bo_spells(struct bo_phrases *phrases, const uint8_t *codes,
                                       uint64_t first, unsigned n, struct bo_span name,
                                       bool *equal_ret)
{
    const uint32_t mask = (UINT32_C(1) << phrases->code_bits) - 1;
    uint64_t bit = first * phrases->code_bits;
    size_t at = 0;
    *equal_ret = false;
    for (unsigned i = 0; i < n; i++, bit += phrases->code_bits) {
        const uint32_t code = (uint32_t)(bo_le64(codes + bit / 8) >> bit % 8) & mask;
        struct bo_phrase phrase = phrases->table[code];
        if (__builtin_expect(phrase.nbytes > name.n - at, 0)) {
            if (phrase.nbytes != BO_NOT_YET)
                return BO_OK;
            if (bo_expand_phrase(phrases, code))
                return BO_CORRUPT;
            phrase = phrases->expanded;
            if (phrase.nbytes > name.n - at)
                return BO_OK;
        }
        if (!bo_phrase_at(phrases->text + phrase.off, phrase.nbytes, name, at))
            return BO_OK;
        at += phrase.nbytes;
    }
    *equal_ret = at == name.n;
    return BO_OK;
}

/*
 * Expands n codes into `name`, which has room for cap bytes. *n_ret is the length, also when it
 * exceeds cap. BO_CORRUPT as above.
 */
enum bo_status bo_spell(struct bo_phrases *phrases, const uint32_t *codes, unsigned n,
                        uint8_t *name, size_t cap, size_t *n_ret);

/*
 * The same with allocated memory: in `arena` permanently if names are kept, else in *buffer, which
 * grows there. Errors report byte `off`.
 */
enum bo_status bo_spell_name(struct bo_phrases *phrases, const uint32_t *codes, unsigned n,
                             bool keep, struct bo_span *buffer, struct bo_arena *arena,
                             uint64_t off, struct bo_span *name_ret, struct bo_error *err);

#endif
