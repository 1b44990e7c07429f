/*
 * Bad grammars: what opening rejects, with its offset, and violations that are only detected by
 * expansion. Why: a few bytes of grammar can denote more text than there is memory, or an infinite
 * text.
 */
#include "harness/coding/grammar.h"

#include "harness/core/test_fixture.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* Symbols a, b, c, ab, ac, (ab)c; the last three have codes. test_grammar.c describes the bits. */
static const struct bo_span pattern =
    BYTES("\0\0\0\0\0\0\0\0\0\0\0\0\x0e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\x03\0\0\0\x07\0\0\0\x53\x12\x38");

struct change {
    const char *row;
    size_t at;
    struct bo_span bytes;
    enum bo_status status;
    uint64_t off;
    const char *what;
};

#define UNREAD "symbol is a rule that has not been read"
#define MORE_RULES "grammar has more rules than announced"
#define OUT_OF_RANGE "right symbol of a rule is out of range"

static const struct change changes[] = {
    {"as it is", 0, BYTES(""), BO_OK, 0, NULL},
    {"no terminals", 12, BYTES("\0"), BO_CORRUPT, 40, UNREAD},
    {"2^32 - 1 rules", 32, BYTES("\xff\xff\xff\xff"), BO_TRUNCATED, 32,
     "rules run past the index's end"},
    {"16 rules", 32, BYTES("\x10"), BO_TRUNCATED, 32, "rules run past the index's end"},
    {"15 rules", 32, BYTES("\x0f"), BO_TRUNCATED, 32, "rules run past the index's end"},
    {"two rules", 32, BYTES("\x02"), BO_CORRUPT, 42, MORE_RULES},
    {"text of 2^32 - 1 bytes", 36, BYTES("\xff\xff\xff\xff"), BO_CORRUPT, 36,
     "phrases are longer than the file allows"},
    {"a byte more than allowed", 36, BYTES("\xc1\x0a\x10"), BO_CORRUPT, 36,
     "phrases are longer than the file allows"},
    {"as much as allowed", 36, BYTES("\xc0\x0a\x10"), BO_OK, 0, NULL},
    {"no rules of terminals", 40, BYTES("\0"), BO_CORRUPT, 41, UNREAD},
    {"four siblings", 40, BYTES("\x0f"), BO_CORRUPT, 41, MORE_RULES},
    /* ab, ac; the first step is 5, the number of symbols, which would lead back to 0 */
    {"step of all symbols", 32, BYTES("\x02\0\0\0\x04\0\0\0\xdb\0\x18"), BO_CORRUPT, 41,
     OUT_OF_RANGE},
    /* ac, then 4 symbols further: ab, if differences wrapped around */
    {"siblings that descend", 32, BYTES("\x02\0\0\0\x04\0\0\0\xcb\0\x18"), BO_CORRUPT, 42,
     OUT_OF_RANGE},
    {"the same rule twice", 32, BYTES("\x02\0\0\0\x04\0\0\0\x0b\0\x18"), BO_OK, 0, NULL},
    {"right symbol 6", 41, BYTES("\x32"), BO_CORRUPT, 42, OUT_OF_RANGE},
    {"right symbol 7", 41, BYTES("\x3a"), BO_CORRUPT, 42, OUT_OF_RANGE},
    {"a fourth rule", 41, BYTES("\x52"), BO_CORRUPT, 42, MORE_RULES},
    {"bit beyond the symbols", 42, BYTES("\x78"), BO_CORRUPT, 42, "bits beyond the symbols"},
};

static enum bo_status open_changed(const struct change *change, size_t n, struct bo_error *error)
{
    struct bo_phrases phrases;
    uint8_t bytes[64];
    size_t off = 0;
    memcpy(bytes, pattern.p, pattern.n);
    if (change->bytes.n)
        memcpy(bytes + change->at, change->bytes.p, change->bytes.n);
    return bo_open_phrases((struct bo_span){bytes, pattern.n}, &off, n, SIZE_MAX, &arena, &phrases,
                           error);
}

TEST(test_opening)
{
    struct bo_error error = {0};
    for (size_t i = 0; i < N_ELEMENTS(changes); i++) {
        const struct change *change = &changes[i];
        const enum bo_status status = open_changed(change, pattern.n, &error);
        if (status != change->status ||
            (status && (error.off != change->off || strcmp(error.what, change->what) != 0)))
            fail_msg("%s: %s at byte %llu: %s", change->row, bo_status_name(status),
                     (unsigned long long)error.off, error.what ? error.what : "-");
    }
    for (size_t n = 0; n < pattern.n; n++)
        assert_int_not_equal(open_changed(&changes[0], n, &error), BO_OK);
}

/* ---- expanding ------------------------------------------------------------------------------- */

enum { MAX_RULES = BO_MAX_PHRASE_NBYTES };

static uint32_t rules[MAX_RULES][2];
static bool has_code[MAX_RULES + 1];

/* One terminal, `a`; only the highest symbol has a code. */
static enum bo_status expand(uint32_t n_rules, uint32_t text_nbytes, size_t *nbytes_ret)
{
    const struct bo_grammar grammar = {.terminals = "a",
                                       .n_terminals = 1,
                                       .n_rules = n_rules,
                                       .rules = rules,
                                       .has_code = has_code,
                                       .text_nbytes = text_nbytes};
    const struct bo_arena_mark mark = bo_arena_mark(&arena);
    const uint32_t code = 0;
    struct bo_phrases phrases;
    struct bo_writer out;
    size_t off = 0;
    memset(has_code, 0, sizeof has_code);
    has_code[n_rules] = true;
    bo_writer_init(&out, &arena);
    bo_put_grammar(&grammar, &out);
    assert_int_equal(
        bo_open_phrases(bo_writer_span(&out), &off, out.n, SIZE_MAX, &arena, &phrases, NULL),
        BO_OK);
    enum bo_status status = bo_expand_phrase(&phrases, code);
    *nbytes_ret = phrases.text_nbytes;
    assert_true(status || phrases.table[0].nbytes == phrases.text_nbytes);
    assert_true(phrases.text_nbytes <= phrases.text_cap);
    bo_writer_free(&out);
    bo_arena_rewind(&arena, mark);
    return status;
}

static void expect_nbytes(uint32_t n_rules, uint32_t text_nbytes, size_t expected)
{
    size_t nbytes;
    assert_int_equal(expand(n_rules, text_nbytes, &nbytes), BO_OK);
    assert_int_equal(nbytes, expected);
}

static void expect_no_end(uint32_t n_rules, uint32_t text_nbytes)
{
    size_t nbytes;
    assert_int_equal(expand(n_rules, text_nbytes, &nbytes), BO_CORRUPT);
    assert_int_equal(nbytes, 0);
}

/* Each rule doubles the one before: 16 of them make the longest phrase. */
TEST(test_doubling)
{
    for (uint32_t r = 0; r < 32; r++)
        rules[r][0] = rules[r][1] = r;
    expect_nbytes(16, 1 << 16, 1 << 16);
    expect_nbytes(16, 1 << 20, 1 << 16);
    expect_no_end(16, (1 << 16) - 1);
    expect_no_end(17, 1 << 17);
    expect_no_end(32, 1 << 20);
    expect_no_end(1, 1);
    expect_no_end(1, 0);
}

/*
 * Rules nested as deep as a phrase is long, on the left or on the right: the stack suffices. One
 * more level is too long.
 */
TEST(test_depth)
{
    for (uint32_t r = 0; r < MAX_RULES; r++)
        rules[r][0] = r, rules[r][1] = 0;
    expect_nbytes(MAX_RULES - 1, 1 << 20, MAX_RULES);
    expect_no_end(MAX_RULES, 1 << 20);
    for (uint32_t r = 0; r < MAX_RULES; r++)
        rules[r][0] = 0, rules[r][1] = r;
    expect_nbytes(MAX_RULES - 1, 1 << 20, MAX_RULES);
    expect_no_end(MAX_RULES, 1 << 20);
}

/* Left symbols precede their rules, but right ones need not. */
TEST(test_circles)
{
    rules[0][0] = 0, rules[0][1] = 1; /* a rule that contains itself */
    expect_no_end(1, 1 << 20);
    rules[0][0] = 0, rules[0][1] = 2; /* two rules that contain each other */
    rules[1][0] = 1, rules[1][1] = 0;
    expect_no_end(2, 1 << 20);
    rules[0][0] = 0,
    rules[0][1] = 0; /* not circular: the right symbol of the second is the third */
    rules[1][0] = 0, rules[1][1] = 3;
    rules[2][0] = 1, rules[2][1] = 0;
    rules[3][0] = 2, rules[3][1] = 0;
    expect_nbytes(4, 5, 5);
}

/* ---- expanding ------------------------------------------------------------------------------- */

/* The pattern, with another size of the text. */
static void open_pattern(uint8_t text_nbytes, struct bo_phrases *phrases)
{
    static uint8_t bytes[64];
    size_t off = 0;
    memcpy(bytes, pattern.p, pattern.n);
    bytes[36] = text_nbytes;
    assert_int_equal(bo_open_phrases((struct bo_span){bytes, pattern.n}, &off, pattern.n, SIZE_MAX,
                                     &arena, phrases, NULL),
                     BO_OK);
}

/* Code 3 fits in the bits of a code, but has no symbol. */
TEST(test_codes_out_of_range)
{
    static const uint8_t packed[1 + BO_WIDE_LOAD] = {3 << 2}; /* 0, 3 */
    static const uint32_t codes[] = {0, 3}, far[] = {UINT32_MAX};
    const struct bo_span name = BYTES("abab"), other = BYTES("xbab");
    struct bo_phrases phrases;
    struct bo_span spelled, buffer = {NULL, 0};
    struct bo_error error = {0};
    bool equal;
    open_pattern(7, &phrases);
    assert_int_equal(bo_spells(&phrases, packed, 0, 2, name, &equal), BO_CORRUPT);
    assert_false(equal);
    assert_int_equal(bo_spells(&phrases, packed, 0, 2, other, &equal),
                     BO_OK); /* code 3 is not reached */
    assert_false(equal);
    assert_int_equal(bo_spell_name(&phrases, codes, 2, true, &buffer, &arena, 77, &spelled, &error),
                     BO_CORRUPT);
    assert_int_equal(error.off, 77);
    assert_string_equal(error.what, "name has an invalid code");
    assert_int_equal(bo_spell_name(&phrases, far, 1, true, &buffer, &arena, 0, &spelled, &error),
                     BO_CORRUPT);
}

/* Phrases fill the stated size of the text, in any order, and never exceed it. */
TEST(test_room_for_text)
{
    struct bo_phrases phrases;
    open_pattern(7, &phrases);
    for (uint32_t code = 3; code-- > 0;) {
        assert_int_equal(bo_expect_all_used(&phrases, &arena, 0, NULL), BO_CORRUPT);
        assert_int_equal(bo_expand_phrase(&phrases, code), BO_OK);
    }
    assert_int_equal(bo_expect_all_used(&phrases, &arena, 0, NULL), BO_OK);
    open_pattern(6, &phrases);
    assert_int_equal(bo_expand_phrase(&phrases, 0), BO_OK);
    assert_int_equal(bo_expand_phrase(&phrases, 1), BO_OK);
    assert_int_equal(bo_expand_phrase(&phrases, 2), BO_CORRUPT);
    assert_int_equal(phrases.text_nbytes, 4);
}

/* At the end a decoder has read every code, and every symbol is in a code or a rule. */
TEST(test_all_used)
{
    static const struct {
        const char *row;
        uint8_t has_code, n_met, text_nbytes;
        const char *what;
    } cases[] = {
        {"all", 0x38, 3, 7, NULL},
        {"a code not met", 0x38, 2, 7, "phrases are not all used"},
        {"a code not met, and no text for it", 0x38, 2, 4, "phrases are not all used"},
        {"a rule without a use", 0x28, 2, 5, "symbol that no code uses"},
        {"a rule that another uses", 0x30, 2, 5, NULL},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_phrases phrases;
        struct bo_error error = {0};
        uint8_t bytes[64];
        size_t off = 0;
        memcpy(bytes, pattern.p, pattern.n);
        bytes[36] = cases[i].text_nbytes;
        bytes[42] = cases[i].has_code;
        const struct bo_span in = {bytes, pattern.n};
        assert_int_equal(bo_open_phrases(in, &off, in.n, SIZE_MAX, &arena, &phrases, NULL), BO_OK);
        for (uint32_t code = 0; code < cases[i].n_met; code++)
            assert_int_equal(bo_expand_phrase(&phrases, code), BO_OK);
        const enum bo_status status = bo_expect_all_used(&phrases, &arena, 99, &error);
        if (status != (cases[i].what ? BO_CORRUPT : BO_OK) ||
            (status && (error.off != 99 || strcmp(error.what, cases[i].what) != 0)))
            fail_msg("%s: %s", cases[i].row, status ? error.what : "accepted");
    }
}

/* Rules without a use are found although each is in a rule. */
TEST(test_circular_rules_without_a_use)
{
    static const struct {
        const char *row;
        struct bo_span bytes; /* from the number of rules on */
    } cases[] = {
        /* symbols a, b, c, and rules; a, b, c have codes */
        {"(a, itself)", BYTES("\x01\0\0\0\x03\0\0\0\x0d\x07")},
        {"3 = (a, 4), 4 = (3, a)", BYTES("\x02\0\0\0\x03\0\0\0\x91\0\x07")},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_phrases phrases;
        struct bo_error error = {0};
        uint8_t bytes[64];
        size_t off = 0;
        memcpy(bytes, pattern.p, 32);
        memcpy(bytes + 32, cases[i].bytes.p, cases[i].bytes.n);
        const struct bo_span in = {bytes, 32 + cases[i].bytes.n};
        const enum bo_status opened =
            bo_open_phrases(in, &off, in.n, SIZE_MAX, &arena, &phrases, &error);
        if (opened)
            fail_msg("%s: %s at %d", cases[i].row, error.what, (int)error.off);
        for (uint32_t code = 0; code < 3; code++)
            assert_int_equal(bo_expand_phrase(&phrases, code), BO_OK);
        assert_int_equal(bo_expect_all_used(&phrases, &arena, 99, &error), BO_CORRUPT);
        assert_string_equal(error.what, "symbol that no code uses");
    }
}

/* Fifteen codes could expand to a name that no writer can encode again. */
TEST(test_names_too_long)
{
    uint32_t codes[BO_MAX_NAME_CODES] = {0};
    uint32_t pairs[16][2];
    bool coded[17] = {[16] = true};
    const struct bo_grammar grammar = {.terminals = "a",
                                       .n_terminals = 1,
                                       .n_rules = 16,
                                       .rules = pairs,
                                       .has_code = coded,
                                       .text_nbytes = 1 << 16};
    struct bo_phrases phrases;
    struct bo_writer out;
    struct bo_span name, buffer = {NULL, 0};
    struct bo_error error = {0};
    size_t off = 0;
    for (uint32_t r = 0; r < 16; r++)
        pairs[r][0] = pairs[r][1] = r;
    bo_writer_init(&out, &arena);
    bo_put_grammar(&grammar, &out);
    assert_int_equal(
        bo_open_phrases(bo_writer_span(&out), &off, out.n, SIZE_MAX, &arena, &phrases, NULL),
        BO_OK);
    assert_int_equal(bo_spell_name(&phrases, codes, 8, false, &buffer, &arena, 5, &name, &error),
                     BO_OK);
    assert_int_equal(name.n, BO_MAX_NAME_NBYTES);
    assert_int_equal(bo_spell_name(&phrases, codes, 9, false, &buffer, &arena, 5, &name, &error),
                     BO_CORRUPT);
    assert_int_equal(error.off, 5);
    assert_string_equal(error.what, "name expands to more than 512 KiB");
    bo_writer_free(&out);
}

TEST_FILE(set_up, tear_down)
