/*
 * Grammars of names: made, written, opened, and expanded in both ways. Why: codecs only see the
 * grammars of real names. These tests cover the sizes and shapes at which a grammar is rebuilt,
 * folded, or read by another path.
 */
#include "harness/coding/grammar.h"
#include "harness/coding/pairing.h"

#include <stdio.h>
#include <limits.h>
#include <stdlib.h>

#include "harness/core/bits.h"
#include "harness/core/random.h"
#include "harness/core/test_fixture.h"

/* A heap block of exactly these bytes, so that AddressSanitizer detects any read beside it. */
static struct bo_span exact_copy(struct bo_span bytes)
{
    uint8_t *p = malloc(bytes.n ? bytes.n : 1);
    assert_non_null(p);
    if (bytes.n)
        memcpy(p, bytes.p, bytes.n);
    return (struct bo_span){p, bytes.n};
}

static void free_copy(struct bo_span copy)
{
    free((void *)(uintptr_t)copy.p);
}

/* An opened grammar, and the packed codes of the names. */
struct opened {
    struct bo_span bytes, codes;
    struct bo_phrases phrases;
};

static void open_grammar(const struct bo_grammar *grammar, size_t keep_nbytes, struct opened *o)
{
    struct bo_writer out;
    struct bo_error error = {0};
    size_t off = 0;
    bo_writer_init(&out, &arena);
    bo_put_grammar(grammar, &out);
    assert_int_equal(out.status, BO_OK);
    o->bytes = exact_copy(bo_writer_span(&out));
    bo_writer_reset(&out);
    struct bo_bit_writer bits = {.out = &out};
    for (size_t i = 0; i < grammar->n_codes_used; i++)
        bo_put_bits(&bits, grammar->codes[i], grammar->code_bits);
    bo_put_zeros(&out, BO_WIDE_LOAD);
    o->codes = exact_copy(bo_writer_span(&out));
    bo_writer_free(&out);
    const enum bo_status status =
        bo_open_phrases(o->bytes, &off, o->bytes.n, keep_nbytes, &arena, &o->phrases, &error);
    if (status)
        fail_msg("%s at byte %llu", error.what, (unsigned long long)error.off);
    assert_int_equal(off, o->bytes.n);
    assert_int_equal(o->phrases.n_codes, grammar->n_codes);
    assert_int_equal(o->phrases.code_bits, grammar->code_bits);
}

static void close_grammar(struct opened *o)
{
    free_copy(o->bytes);
    free_copy(o->codes);
}

static bool spells(struct opened *o, uint64_t first, unsigned n, struct bo_span name)
{
    bool equal = false;
    assert_int_equal(bo_spells(&o->phrases, o->codes.p, first, n, name, &equal), BO_OK);
    return equal;
}

/*
 * The codes expand to the name. Longer and shorter names, and names with another byte at `at`, are
 * not equal.
 */
static void expect_only(struct opened *o, uint64_t first, unsigned n, struct bo_span name,
                        size_t at)
{
    const struct bo_span copy = exact_copy(name);
    uint8_t *byte = (uint8_t *)(uintptr_t)(copy.p + at);
    assert_true(spells(o, first, n, copy));
    *byte ^= 0x20;
    assert_false(spells(o, first, n, copy));
    *byte ^= 0x20;
    assert_false(spells(o, first, n, (struct bo_span){copy.p, copy.n - 1}));
    free_copy(copy);
    uint8_t *longer = malloc(name.n + 1);
    assert_non_null(longer);
    memcpy(longer, name.p, name.n);
    longer[name.n] = name.p[0];
    assert_false(spells(o, first, n, (struct bo_span){longer, name.n + 1}));
    free(longer);
}

/*
 * Both ways of spelling, for all names; the compare goes first, so that it expands the phrases, of
 * which so many bytes are kept.
 */
static void expect_all_spelled(const struct bo_span *names, size_t n_names,
                               const struct bo_grammar *grammar, size_t keep_nbytes)
{
    struct bo_error error = {0};
    struct opened o;
    struct bo_span buffer = {NULL, 0}, spelled;
    uint64_t first = 0;
    open_grammar(grammar, keep_nbytes, &o);
    for (size_t i = 0; i < n_names; i++) {
        const unsigned n = grammar->n_name_codes[i];
        assert_in_range(n, 1, BO_MAX_NAME_CODES);
        expect_only(&o, first, n, names[i], i * 7 % names[i].n);
        assert_int_equal(bo_spell_name(&o.phrases, grammar->codes + first, n, i % 2, &buffer,
                                       &arena, 0, &spelled, &error),
                         BO_OK);
        assert_int_equal(spelled.n, names[i].n);
        assert_memory_equal(spelled.p, names[i].p, spelled.n);
        first += n;
    }
    assert_int_equal(first, grammar->n_codes_used);
    assert_true(o.phrases.text_nbytes <= keep_nbytes);
    if (keep_nbytes >= o.phrases.text_cap)
        assert_int_equal(bo_expect_all_used(&o.phrases, &arena, 0, &error), BO_OK);
    close_grammar(&o);
}

/* At both levels; *grammar is the small one. */
static void expect_round_trip(const struct bo_span *names, size_t n_names,
                              struct bo_grammar *grammar)
{
    static const size_t keeps[] = {SIZE_MAX, 0, 1, 40, 1000};
    struct bo_error error = {0};
    for (unsigned fast = 2; fast-- > 0;) {
        const enum bo_grammar_level level = fast ? BO_GRAMMAR_FAST : BO_GRAMMAR_SMALL;
        assert_int_equal(bo_make_grammar(names, n_names, level, &arena, grammar, &error), BO_OK);
        for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++)
            expect_all_spelled(names, n_names, grammar, keeps[i]);
    }
}

static uint8_t *filled(size_t n)
{
    uint8_t *p = bo_alloc(&arena, n);
    assert_non_null(p);
    memset(p, 'a', n);
    return p;
}

/* ---- small grammars -------------------------------------------------------------------------- */

TEST(test_few_names)
{
    struct bo_grammar grammar;
    const struct bo_span two[] = {BYTES("main"), BYTES("x")};
    expect_round_trip(NULL, 0, &grammar);
    assert_int_equal(grammar.n_codes, 0);
    expect_round_trip(two, 1, &grammar);
    expect_round_trip(two + 1, 1, &grammar);
    assert_int_equal(grammar.n_codes, 1);
    assert_int_equal(grammar.code_bits, 1);
    expect_round_trip(two, 2, &grammar);
}

/* Names of one byte: all of them are terminals, and need a code. */
TEST(test_all_bytes)
{
    struct bo_grammar grammar;
    struct bo_span names[256];
    uint8_t bytes[256];
    for (unsigned i = 0; i < 256; i++) {
        bytes[i] = (uint8_t)(255 - i);
        names[i] = (struct bo_span){bytes + i, 1};
    }
    expect_round_trip(names, 256, &grammar);
    assert_int_equal(grammar.n_terminals, 256);
    assert_int_equal(grammar.n_codes, 256);
    assert_int_equal(grammar.code_bits, 8);
    names[0].n = 256; /* and one name of all bytes */
    expect_round_trip(names, 256, &grammar);
}

TEST(test_names_alike)
{
    enum { N = 500 };
    struct bo_grammar grammar;
    struct bo_span names[N];
    const uint8_t *p = filled(N);
    for (size_t i = 0; i < N; i++)
        names[i] = (struct bo_span)BYTES("_ZN4llvm2cl3optE");
    expect_round_trip(names, N, &grammar);
    assert_int_equal(grammar.n_codes, 1);
    assert_int_equal(grammar.n_codes_used, N);
    for (size_t i = 0; i < N; i++)
        names[i] = (struct bo_span){p, 1 + i}; /* each name is a prefix of the next */
    expect_round_trip(names, N, &grammar);
    assert_int_equal(grammar.n_terminals, 1);
}

/* ---- long names ------------------------------------------------------------------------------ */

/* A name that needs more codes than allowed, unless rules are made only for it. */
TEST(test_folding)
{
    enum { N = 60, MAX = 400 };
    struct bo_random random = bo_random_seeded(3);
    struct bo_grammar grammar;
    struct bo_span names[N];
    uint8_t *p = filled(N * MAX);
    bool is_folded = false;
    for (size_t i = 0; i < N * MAX; i++)
        p[i] = bo_random_u8(&random);
    for (size_t i = 0; i < N; i++)
        names[i] = (struct bo_span){p + i * MAX, 1 + i * (MAX - 1) / (N - 1)};
    expect_round_trip(names, N, &grammar);
    for (size_t i = 0; i < N; i++)
        is_folded |= grammar.n_name_codes[i] == BO_MAX_NAME_CODES;
    assert_true(is_folded);
    for (size_t n = 14; n <= 18; n++) { /* on both sides of the limit for one name */
        names[0] = (struct bo_span){p, n};
        expect_round_trip(names, 1, &grammar);
        assert_int_equal(grammar.n_codes_used, n < 15 ? n : 15);
    }
}

/* The longest allowed names, in units that do not fill a phrase. One more byte is rejected. */
TEST(test_longest_names)
{
    static const size_t lengths[] = {65535, 65536, 65537, BO_MAX_NAME_NBYTES};
    static const unsigned periods[] = {1, 3, 7, 251, 32771};
    struct bo_random random = bo_random_seeded(4);
    struct bo_grammar grammar;
    struct bo_error error = {0};
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    for (size_t k = 0; k < N_ELEMENTS(periods); k++)
        for (size_t i = 0; i < N_ELEMENTS(lengths); i++) {
            uint8_t *p = filled(lengths[i]);
            for (size_t at = 0; at < lengths[i]; at++)
                p[at] = at < periods[k] ? bo_random_u8(&random) : p[at - periods[k]];
            const struct bo_span name = {p, lengths[i]};
            expect_round_trip(&name, 1, &grammar);
            bo_arena_rewind(&arena, mark);
        }
    const struct bo_span longer = {filled(BO_MAX_NAME_NBYTES + 1), BO_MAX_NAME_NBYTES + 1};
    for (unsigned fast = 0; fast < 2; fast++) {
        assert_int_equal(bo_make_grammar(&longer, 1, fast ? BO_GRAMMAR_FAST : BO_GRAMMAR_SMALL,
                                         &arena, &grammar, &error),
                         BO_UNSUPPORTED);
        assert_string_equal(error.what, "name is longer than 512 KiB");
    }
    bo_arena_rewind(&arena, mark);
}

/* Arrays start with one element: the table of pairs moves while texts are replaced. */
TEST(test_pairs_move)
{
    static const struct bo_span names[] = {
        BYTES("d"),          BYTES("dd"),      BYTES("ddabddabdda"), BYTES("ddaddaa"),
        BYTES("ddaddaadda"), BYTES("ddaddad"), BYTES("ddcaaaaaaaa"), BYTES("ddcaaaaaaaaaa"),
        BYTES("ddcac"),      BYTES("ddcacd"),  BYTES("ddccccccccc"), BYTES("ddd"),
    };
    struct bo_grammar grammar;
    const size_t first_cap = arena.max_first_cap;
    arena.max_first_cap = 1;
    expect_round_trip(names, N_ELEMENTS(names), &grammar);
    arena.max_first_cap = first_cap;
}

/* The number of rules that this many rounds make of a text and of one that occurs twice. */
static uint32_t n_rules_after(unsigned max_rounds, const uint8_t *once, const uint8_t *twice,
                              size_t n)
{
    struct bo_rules rules = {.n_terminals = 256, .max_size = UINT32_MAX};
    struct bo_symbol_texts texts = {.n_texts = 3, .longest = n};
    texts.words = bo_alloc_array(&arena, 3 * (n + 3), sizeof *texts.words);
    assert_non_null(texts.words);
    for (unsigned t = 0; t < 3; t++) {
        texts.words[texts.n++] = BO_TEXT_HEAD | (t == 2 ? (uint32_t)n : 0);
        for (size_t i = 0; i < n && t < 2; i++)
            texts.words[texts.n++] = t ? twice[i] : once[i];
    }
    texts.cap = 3 * (n + 3);
    assert_true(bo_pair_up(&texts, &rules, 192, max_rounds, &arena));
    return rules.n;
}

/*
 * A text of letters of two bytes in which no ordered pair of neighbours occurs twice. In `down`,
 * each pair of letters is better than the pair before it. If pairs yielded to better ones without
 * limit, each round would replace one pair, and 5000 rounds would be needed. 32 suffice.
 */
TEST(test_yielding_pairs)
{
    enum { N = 5000 };
    static bool used[128][128], seen[128][128];
    static uint8_t up[2 * N], down[2 * N];
    struct bo_random random = bo_random_seeded(5);
    for (size_t n = 0; n < N;) {
        const uint8_t left = bo_random_u8(&random) & 127;
        const uint8_t right = bo_random_u8(&random) & 127;
        const uint8_t *before = n ? up + 2 * (n - 1) : NULL;
        if (used[left][right] || (n && (seen[before[1] & 127][left] || seen[right][before[0]])))
            continue;
        if (n)
            seen[before[1] & 127][left] = seen[right][before[0]] = true;
        used[left][right] = true;
        up[2 * n] = down[2 * (N - 1 - n)] = left;
        up[2 * n + 1] = down[2 * (N - 1 - n) + 1] = right | 128;
        n++;
    }
    const struct bo_span hostile[] = {{up, 2 * N}, {down, 2 * N}, {down, 2 * N}};
    struct bo_grammar grammar;
    expect_round_trip(hostile, 3, &grammar);
    assert_int_equal(n_rules_after(64, up, down, 2 * N), n_rules_after(UINT_MAX, up, down, 2 * N));
}

/*
 * The fast level makes one symbol of a prefix that many names share, and of each word; a pair that
 * occurs once makes no rule.
 */
TEST(test_fast_level)
{
    enum { N = 200 };
    static const struct bo_span few[] = {BYTES("abc"), BYTES("def")};
    struct bo_grammar grammar;
    struct bo_span names[N];
    for (size_t i = 0; i < N; i++)
        names[i] = (struct bo_span)BYTES("_ZN4llvm2cl3optE");
    assert_int_equal(bo_make_grammar(names, N, BO_GRAMMAR_FAST, &arena, &grammar, NULL), BO_OK);
    assert_int_equal(grammar.n_codes_used, N);
    uint8_t *p = filled(20 * N);
    for (size_t i = 0; i < N; i++, p += 20)
        names[i] = (struct bo_span){
            p, (size_t)snprintf((char *)p, 20, "_ZN4llvm2clopt%03uEv", (unsigned)i)};
    assert_int_equal(bo_make_grammar(names, N, BO_GRAMMAR_FAST, &arena, &grammar, NULL), BO_OK);
    assert_in_range(grammar.n_codes_used, N + 1, 5 * N);
    assert_int_equal(bo_make_grammar(few, 2, BO_GRAMMAR_FAST, &arena, &grammar, NULL), BO_OK);
    assert_int_equal(grammar.n_rules, 0);
}

/* Each allocation fails in turn. Why: checks of codecs only try some of those of an encoder. */
TEST(test_no_memory)
{
    enum { N = 40, NBYTES = 32 };
    struct bo_span names[N];
    uint8_t *p = filled(N * NBYTES);
    for (size_t i = 0; i < N; i++, p += NBYTES)
        names[i] =
            (struct bo_span){p, (size_t)snprintf((char *)p, NBYTES, "_ZN%uab_cde%u3fghEv",
                                                 (unsigned)(i * i % 7), (unsigned)(i * 37 % 101))};
    for (unsigned fast = 0; fast < 2; fast++) {
        enum bo_status status = BO_NO_MEMORY;
        uint64_t n_failures = 0;
        while (status) {
            struct bo_arena failing;
            struct bo_grammar grammar;
            bo_arena_init(&failing, BO_ARENA_UNLIMITED);
            failing.fail_at = n_failures + 1;
            status = bo_make_grammar(names, N, fast ? BO_GRAMMAR_FAST : BO_GRAMMAR_SMALL, &failing,
                                     &grammar, NULL);
            assert_int_equal(status, failing.n_allocs > n_failures ? BO_NO_MEMORY : BO_OK);
            n_failures += status != BO_OK;
            bo_arena_free(&failing);
        }
        assert_in_range(n_failures, 20, 5000);
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

/*
 * Phrases of every length at every position of names of every length. Short phrases are compared in
 * wide loads, which end no later than the name.
 */
TEST(test_every_length)
{
    enum { MAX = 80 };
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    uint8_t bytes[MAX];
    for (unsigned i = 0; i < MAX; i++)
        bytes[i] = (uint8_t)(i + 1);
    for (size_t n = 2; n <= MAX; n++)
        for (size_t cut = 1; cut < n; cut++) {
            struct bo_grammar grammar;
            struct opened o;
            /* each occurs twice, so there are two phrases, and then a name of both */
            const struct bo_span names[] = {
                {bytes, cut},           {bytes, cut}, {bytes + cut, n - cut},
                {bytes + cut, n - cut}, {bytes, n},   {bytes, n}};
            assert_int_equal(bo_make_grammar(names, 6, BO_GRAMMAR_SMALL, &arena, &grammar, NULL),
                             BO_OK);
            open_grammar(&grammar, SIZE_MAX, &o);
            uint64_t first = 0;
            for (size_t i = 0; i < 4; i++)
                first += grammar.n_name_codes[i];
            for (size_t at = 0; at < n; at++)
                expect_only(&o, first, grammar.n_name_codes[4], names[4], at);
            close_grammar(&o);
            bo_arena_rewind(&arena, mark);
        }
}

/* ---- the layout ------------------------------------------------------------------------------ */

static void expect_bytes(const struct bo_grammar *grammar, struct bo_span expected)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    bo_put_grammar(grammar, &out);
    assert_int_equal(out.n, expected.n);
    assert_memory_equal(out.p, expected.p, expected.n);
    bo_writer_free(&out);
}

static void expect_spelled(const struct bo_grammar *grammar, uint32_t code, const char *expected)
{
    struct opened o;
    struct bo_span buffer = {NULL, 0}, name;
    open_grammar(grammar, SIZE_MAX, &o);
    assert_int_equal(bo_spell_name(&o.phrases, &code, 1, true, &buffer, &arena, 0, &name, NULL),
                     BO_OK);
    assert_int_equal(name.n, strlen(expected));
    assert_memory_equal(name.p, expected, name.n);
    close_grammar(&o);
}

#define TERMINALS_ABC "\0\0\0\0\0\0\0\0\0\0\0\0\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

/*
 * Symbols a, b, c, ab, ac, (ab)c. Bits from the lowest: a has two rules (110), whose right symbols
 * are 1 above 0 and 1 above that, with one low bit (01 01); b and c have none (0 0); ab has one
 * (10), with c in three bits (010); ac and (ab)c have none (0 0).
 */
TEST(test_layout)
{
    uint32_t rules[][2] = {{0, 1}, {0, 2}, {3, 2}};
    bool has_code[] = {false, false, false, true, true, true};
    const struct bo_grammar grammar = {.terminals = "abc",
                                       .n_terminals = 3,
                                       .n_rules = 3,
                                       .rules = rules,
                                       .has_code = has_code,
                                       .n_codes = 3,
                                       .code_bits = 2,
                                       .text_nbytes = 7};
    const struct bo_span expected = BYTES(TERMINALS_ABC "\x03\0\0\0\x07\0\0\0\x53\x12\x38");
    expect_bytes(&grammar, expected);
    expect_spelled(&grammar, 0, "ab");
    expect_spelled(&grammar, 1, "ac");
    expect_spelled(&grammar, 2, "abc");
}

/* Phrases of all lengths at all places of a name: any byte that differs is noticed. */
TEST(test_comparing)
{
    enum { MOST = 100 };
    uint8_t text[BO_TEXT_MARGIN + MOST + BO_TEXT_MARGIN], changed[sizeof text];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(7 * i);
    for (size_t name_n = 1; name_n <= MOST; name_n += name_n < 40 ? 1 : 19)
        for (size_t at = 0; at < name_n; at += name_n < 40 ? 1 : 5)
            for (uint32_t n = 1; n <= name_n - at; n++) {
                const struct bo_span name = {text + BO_TEXT_MARGIN, name_n};
                memset(changed, 0xee, sizeof changed);
                uint8_t *phrase = changed + BO_TEXT_MARGIN;
                memcpy(phrase, name.p + at, n);
                assert_true(bo_phrase_at(phrase, n, name, at));
                assert_true(bo_bytes_equal(phrase, name.p + at, n));
                for (uint32_t i = 0; i < n; i++) {
                    phrase[i] ^= 1;
                    if (bo_phrase_at(phrase, n, name, at) || bo_bytes_equal(phrase, name.p + at, n))
                        fail_msg("byte %u of %u, at %zu of %zu", i, n, at, name_n);
                    phrase[i] ^= 1;
                }
            }
}

TEST_FILE(set_up, tear_down)
