/*
 * Names as terms that no writer writes: references to what is not there or not complete, more than
 * was announced, and bombs. Each is put together symbol by symbol.
 */
#include "codecs/templight/terms/history.h"
#include "codecs/templight/terms/records.h"
#include "codecs/templight/terms/terms.h"
#include "harness/test_decode.h"
#include "harness/core/test_fixture.h"
#include "harness/registry.h"

/* The heads of these files: `A`, `<` part `>`, two parts without any text, and nothing. */
enum {
    HEAD_A = TEMPLIGHT_HEADS,
    HEAD_ARGUMENT,
    HEAD_PAIR,
    HEAD_EMPTY,
    TOP, /* name 1, step 0 */
    N_SYMBOLS,
    COPY_FIRST = TEMPLIGHT_COPY,                        /* of the head around */
    COPY_OUTER = TEMPLIGHT_COPY + TEMPLIGHT_COPY_PARTS, /* of the one around that */
    SAME_NAME = TEMPLIGHT_BACK,
    LAST_NAME = TEMPLIGHT_BACK + 1,
    MAX_NAMES = 64,
    MAX_SYMBOLS = 24,
    N_STEPS = 4,
};

struct symbol {
    uint32_t symbol, step; /* step of SAME_NAME and LAST_NAME */
};

struct counts {
    uint32_t longest, total, depth, n_ops, n_ranges;
    uint32_t n_more_bits; /* in the stream than the names have */
};

static const struct counts enough = {100, 100, 4, 16, 8, 0};

static void put_tables(struct templight_bit_writer *w, const struct templight_words *words,
                       const struct templight_words *steps, uint32_t n_names,
                       const uint32_t *starts)
{
    static const struct bo_span shapes[] = {BYTES("A"), BYTES("<\0>"), BYTES("\0\0"), BYTES("")};
    for (unsigned i = 0; i < N_ELEMENTS(shapes); i++) {
        templight_put_bits(w, 0, 1); /* no base */
        templight_put_gamma(w, (uint32_t)shapes[i].n);
        for (size_t k = 0; k < shapes[i].n; k++)
            templight_put_bits(w, shapes[i].p[k], 8);
    }
    for (unsigned i = 0; i < N_ELEMENTS(shapes); i++)
        templight_put_gamma(w, i);
    for (unsigned place = 0; place < TEMPLIGHT_N_PLACES; place++)
        assert_true(templight_put_code(w, words, &arena));
    assert_true(templight_put_code(w, steps, &arena));
    templight_put_bits(w, n_names > 1, bo_bit_width(n_names - 1));
    templight_put_bits(w, 0, TEMPLIGHT_STEP_BITS);
    templight_put_ascending(w, starts + 1, templight_n_groups(n_names) - 1);
    templight_end_bits(w);
}

/* A file of these names, opened. */
static void open_names(const struct symbol (*names)[MAX_SYMBOLS], const uint32_t *n_symbols,
                       uint32_t n_names, const struct counts *counts, struct templight_terms *terms)
{
    static const uint32_t used[] = {COPY_FIRST,    COPY_OUTER, SAME_NAME,  LAST_NAME, HEAD_A,
                                    HEAD_ARGUMENT, HEAD_PAIR,  HEAD_EMPTY, TOP};
    uint32_t uses[N_SYMBOLS] = {0}, step_uses[TEMPLIGHT_STEPS] = {0}, starts[MAX_NAMES];
    struct templight_words words, steps;
    struct bo_writer out, tables, stream;
    bo_writer_init(&out, &arena);
    bo_writer_init(&tables, &arena);
    bo_writer_init(&stream, &arena);
    struct templight_bit_writer to_tables = {.out = &tables}, to_stream = {.out = &stream};
    for (unsigned i = 0; i < N_ELEMENTS(used); i++)
        uses[used[i]] = 1;
    for (unsigned i = 0; i < N_STEPS; i++)
        step_uses[i] = 1;
    assert_true(templight_fit_words(uses, N_SYMBOLS, &arena, &words));
    assert_true(templight_fit_words(step_uses, TEMPLIGHT_STEPS, &arena, &steps));
    for (uint32_t i = 0; i < n_names; i++) {
        if (i % TEMPLIGHT_NAMES_A_GROUP == 0)
            starts[i / TEMPLIGHT_NAMES_A_GROUP] = (uint32_t)(8 * stream.n + to_stream.n_bits);
        for (uint32_t k = 0; k < n_symbols[i]; k++) {
            const struct symbol *s = &names[i][k];
            templight_put_symbol(&to_stream, &words, s->symbol);
            if (s->symbol == SAME_NAME || s->symbol == LAST_NAME)
                templight_put_symbol(&to_stream, &steps, s->step);
        }
    }
    templight_put_bits(&to_stream, 0, counts->n_more_bits);
    const uint32_t nbits = (uint32_t)(8 * stream.n + to_stream.n_bits);
    templight_end_bits(&to_stream);
    put_tables(&to_tables, &words, &steps, n_names, starts);
    const uint32_t numbers[] = {
        counts->longest, counts->total,    counts->depth,      4,    4, 1, 100,
        counts->n_ops,   counts->n_ranges, (uint32_t)tables.n, nbits};
    for (unsigned i = 0; i < N_ELEMENTS(numbers); i++)
        bo_put_uvarint(&out, numbers[i]);
    bo_put_u8(&out, 0); /* no grammar */
    bo_put_bytes(&out, tables.p, tables.n);
    bo_put_bytes(&out, stream.p, stream.n);
    bo_put_zeros(&out, n_names); /* fingerprints */
    uint8_t *copy = bo_alloc(&arena, out.n);
    memcpy(copy, out.p, out.n);
    const struct bo_span in = {copy, out.n};
    size_t off = 0;
    struct templight_totals totals = {0};
    struct bo_error error = {0};
    if (templight_open_terms(in, &off, in.n, n_names, &totals, &arena, terms, &error))
        fail_msg("opening: %s", error.what);
    terms->buffer = bo_alloc(&arena, counts->longest + TEMPLIGHT_SLACK);
    assert_int_equal(off, in.n);
    bo_writer_free(&stream);
    bo_writer_free(&tables);
    bo_writer_free(&out);
}

#define NOT_THERE "names are not where the index says"
#define TOO_MUCH "expanded name differs from its announced size"

/* Two names each. */
static const struct row {
    const char *row;
    struct symbol names[2][MAX_SYMBOLS];
    uint32_t n_symbols[2];
    struct counts counts; /* longest 0: enough */
    const char *texts[2]; /* or what is wrong with them */
} rows[] = {
    {"a reference to the last name",
     {{{HEAD_ARGUMENT, 0}, {HEAD_A, 0}}, {{HEAD_ARGUMENT, 0}, {LAST_NAME, 0}}},
     {2, 2},
     {0},
     {"<A>", "<<A>>"}},
    {"a copy, a reference to the same name, and to a part",
     {{{HEAD_PAIR, 0}, {HEAD_ARGUMENT, 0}, {HEAD_A, 0}, {COPY_FIRST, 0}},
      {{HEAD_PAIR, 0}, {LAST_NAME, 1}, {HEAD_PAIR, 0}, {HEAD_A, 0}, {COPY_OUTER, 0}}},
     {4, 5},
     {0},
     {"<A><A>", "<A>A<A>"}},
    {"a name in itself",
     {{{HEAD_ARGUMENT, 0}, {SAME_NAME, 0}}, {{HEAD_A, 0}}},
     {2, 1},
     {0},
     {NOT_THERE, NOT_THERE}},
    {"a part in itself",
     {{{HEAD_ARGUMENT, 0}, {HEAD_ARGUMENT, 0}, {SAME_NAME, 1}}, {{HEAD_A, 0}}},
     {3, 1},
     {0},
     {NOT_THERE, NOT_THERE}},
    {"a part that comes later",
     {{{HEAD_PAIR, 0}, {SAME_NAME, 1}, {HEAD_ARGUMENT, 0}, {HEAD_A, 0}}, {{HEAD_A, 0}}},
     {4, 1},
     {0},
     {NOT_THERE, NOT_THERE}},
    {"a name before the first",
     {{{LAST_NAME, 0}}, {{HEAD_A, 0}}},
     {1, 1},
     {0},
     {NOT_THERE, NOT_THERE}},
    {"a top that comes later", {{{TOP, 0}}, {{HEAD_A, 0}}}, {1, 1}, {0}, {NOT_THERE, NOT_THERE}},
    {"a step of the next name",
     {{{HEAD_A, 0}}, {{HEAD_PAIR, 0}, {HEAD_ARGUMENT, 0}, {HEAD_A, 0}, {LAST_NAME, 2}}},
     {1, 4},
     {0},
     {"A", TOO_MUCH}},
    {"a step that no name has",
     {{{HEAD_ARGUMENT, 0}, {HEAD_A, 0}}, {{HEAD_ARGUMENT, 0}, {LAST_NAME, 2}}},
     {2, 2},
     {0},
     {"<A>", TOO_MUCH}},
    {"an empty term of the next name",
     {{{HEAD_ARGUMENT, 0}, {HEAD_A, 0}},
      {{HEAD_PAIR, 0}, {HEAD_PAIR, 0}, {HEAD_EMPTY, 0}, {HEAD_EMPTY, 0}, {LAST_NAME, 2}}},
     {2, 5},
     {0},
     {"<A>", TOO_MUCH}},
    {"a copy of the part that it fills",
     {{{HEAD_ARGUMENT, 0}, {COPY_FIRST, 0}}, {{HEAD_A, 0}}},
     {2, 1},
     {0},
     {NOT_THERE, NOT_THERE}},
    {"a copy from outside of the name",
     {{{HEAD_ARGUMENT, 0}, {COPY_OUTER, 0}}, {{HEAD_A, 0}}},
     {2, 1},
     {0},
     {NOT_THERE, NOT_THERE}},
    {"a copy in place of a name",
     {{{COPY_FIRST, 0}}, {{HEAD_A, 0}}},
     {1, 1},
     {0},
     {NOT_THERE, NOT_THERE}},
    {"a bit after the last name",
     {{{HEAD_A, 0}}, {{HEAD_A, 0}}},
     {1, 1},
     {100, 100, 1, 16, 8, 1},
     {NOT_THERE, NOT_THERE}},
    {"a longer name than announced",
     {{{HEAD_ARGUMENT, 0}, {HEAD_A, 0}}, {{HEAD_A, 0}}},
     {2, 1},
     {2, 100, 1, 16, 8, 0},
     {TOO_MUCH, "A"}},
    {"deeper names than announced",
     {{{HEAD_ARGUMENT, 0}, {HEAD_ARGUMENT, 0}, {HEAD_ARGUMENT, 0}, {HEAD_ARGUMENT, 0}, {HEAD_A, 0}},
      {{HEAD_A, 0}}},
     {5, 1},
     {100, 100, 1, 16, 8, 0},
     {NOT_THERE, NOT_THERE}},
    {"more operations than announced",
     {{{HEAD_A, 0}}, {{HEAD_A, 0}}},
     {1, 1},
     {100, 100, 1, 1, 2, 0},
     {NOT_THERE, NOT_THERE}},
    {"more terms than announced",
     {{{HEAD_ARGUMENT, 0}, {HEAD_A, 0}}, {{HEAD_ARGUMENT, 0}, {HEAD_ARGUMENT, 0}, {HEAD_A, 0}}},
     {2, 3},
     {100, 100, 2, 20, 2, 0},
     {NOT_THERE, NOT_THERE}},
    {"more terms than announced, in the name before",
     {{{HEAD_ARGUMENT, 0}, {HEAD_ARGUMENT, 0}, {HEAD_A, 0}}, {{HEAD_A, 0}}},
     {3, 1},
     {100, 100, 2, 12, 2, 0},
     {NOT_THERE, NOT_THERE}},
};

static void expect_name(struct templight_terms *terms, uint32_t name, const char *text,
                        const char *row)
{
    struct bo_error error = {0};
    uint32_t n;
    const bool good = strcmp(text, NOT_THERE) != 0 && strcmp(text, TOO_MUCH) != 0;
    const enum bo_status status =
        templight_spell_name(terms, name, NULL, terms->buffer, &n, &error);
    if (status != (good ? BO_OK : BO_CORRUPT) ||
        (good ? n != strlen(text) || memcmp(terms->buffer, text, n) != 0
              : strcmp(error.what, text) != 0))
        fail_msg("%s: name %u: %s", row, name, status ? error.what : "taken, or another");
}

/* Each of the first n names has the same text, or the same error, when those before are known. */
static void expect_same_when_known(struct templight_terms *terms, uint32_t n_names, const char *row)
{
    struct templight_known *known = bo_zalloc_array(&arena, terms->cap_ranges, sizeof *known);
    for (uint32_t name = 0; name < n_names; name++) {
        uint8_t *text = bo_alloc(&arena, terms->longest + TEMPLIGHT_SLACK);
        struct bo_error alone_error = {0}, error = {0};
        uint32_t alone_n, n;
        const enum bo_status alone =
            templight_spell_name(terms, name, NULL, terms->buffer, &alone_n, &alone_error);
        if (alone != templight_spell_name(terms, name, known, text, &n, &error) ||
            (alone ? strcmp(alone_error.what, error.what) != 0
                   : n != alone_n || memcmp(text, terms->buffer, n) != 0))
            fail_msg("%s: name %u depends on what is known", row, name);
    }
}

/* Each name is queried twice: the second query returns the same error. */
TEST_WITH(test_rejects, set_up, tear_down)
{
    struct templight_terms terms;
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        const struct counts *counts = rows[i].counts.longest ? &rows[i].counts : &enough;
        for (unsigned first = 0; first < 2; first++) {
            open_names(rows[i].names, rows[i].n_symbols, 2, counts, &terms);
            for (unsigned k = 0; k < 4; k++)
                expect_name(&terms, (first + k) % 2, rows[i].texts[(first + k) % 2], rows[i].row);
        }
        open_names(rows[i].names, rows[i].n_symbols, 2, counts, &terms);
        expect_same_when_known(&terms, 2, rows[i].row);
    }
}

static void add_symbol(struct symbol *name, uint32_t *n, uint32_t symbol, uint32_t step)
{
    name[(*n)++] = (struct symbol){symbol, step};
}

/*
 * The first name is empty. The second one has it in a pair whose second part is a copy of the first
 * one, and this pair in such a pair, so often; then n_text times `A`. The third one has the pair of
 * step 2 of the second one four times. Words of references in the second one: 4, and for each
 * further level as many again, and 6, 8, 10 and so on. A name of n bytes may have 6 x (longest + 2)
 * and 24 x (n + 2).
 */
TEST_WITH(test_copies_of_copies, set_up, tear_down)
{
    static const struct {
        uint32_t levels, n_text, longest;
        const char *texts[3];
    } cases[] = {
        {2, 1, 100, {"", "A", ""}},       /* 14 words; 4 x 10 */
        {3, 1, 100, {"", "A", TOO_MUCH}}, /* 36; 4 x 22 */
        {4, 1, 100, {"", TOO_MUCH, TOO_MUCH}},
        {3, 4, 4, {"", "AAAA", TOO_MUCH}}, /* of 36 */
        {2, 1, 4, {"", "A", TOO_MUCH}},
        {4, 5, 5, {"", TOO_MUCH, TOO_MUCH}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const uint32_t levels = cases[i].levels, n_text = cases[i].n_text;
        struct symbol names[3][MAX_SYMBOLS] = {{{HEAD_EMPTY, 0}}};
        uint32_t n_symbols[3] = {1, 0, 0};
        struct templight_terms terms;
        for (uint32_t k = 0; k <= levels; k++)
            add_symbol(names[1], &n_symbols[1], HEAD_PAIR, 0);
        add_symbol(names[1], &n_symbols[1], LAST_NAME, 0);
        for (uint32_t k = 0; k < levels; k++)
            add_symbol(names[1], &n_symbols[1], COPY_FIRST, 0);
        for (uint32_t k = 0; k + 1 < n_text; k++) {
            add_symbol(names[1], &n_symbols[1], HEAD_PAIR, 0);
            add_symbol(names[1], &n_symbols[1], HEAD_A, 0);
        }
        add_symbol(names[1], &n_symbols[1], HEAD_A, 0);
        add_symbol(names[2], &n_symbols[2], HEAD_PAIR, 0);
        for (unsigned k = 0; k < 2; k++) {
            add_symbol(names[2], &n_symbols[2], HEAD_PAIR, 0);
            add_symbol(names[2], &n_symbols[2], LAST_NAME, 2);
            add_symbol(names[2], &n_symbols[2], LAST_NAME, 2);
        }
        const struct counts counts = {cases[i].longest, 100, levels + 1, 60, 16, 0};
        open_names((const struct symbol(*)[MAX_SYMBOLS])names, n_symbols, 3, &counts, &terms);
        for (uint32_t name = 0; name < 3; name++)
            expect_name(&terms, name, cases[i].texts[name], "copies of copies");
        open_names((const struct symbol(*)[MAX_SYMBOLS])names, n_symbols, 3, &counts, &terms);
        expect_same_when_known(&terms, 3, "copies of copies");
    }
}

/* Each name is twice the last one, which is empty: 2^59 operations, and no byte. */
TEST_WITH(test_empty_bomb, set_up, tear_down)
{
    enum { N = 60 };
    static struct symbol names[N][MAX_SYMBOLS];
    uint32_t n_symbols[N];
    struct templight_terms terms;
    struct bo_error error = {0};
    uint32_t n;
    for (uint32_t i = 0; i < N; i++) {
        names[i][0].symbol = HEAD_PAIR;
        names[i][1].symbol = names[i][2].symbol = LAST_NAME;
        n_symbols[i] = 3;
    }
    names[0][0].symbol = HEAD_EMPTY;
    n_symbols[0] = 1;
    open_names((const struct symbol(*)[MAX_SYMBOLS])names, n_symbols, N,
               &(struct counts){100, 100, N, 5 * N, N, 0}, &terms);
    expect_name(&terms, 2, "", "doubled twice");
    expect_name(&terms, 3, TOO_MUCH, "doubled thrice");
    expect_same_when_known(&terms, 6, "doubled");
    assert_int_equal(templight_spell_name(&terms, N - 1, NULL, terms.buffer, &n, &error),
                     BO_CORRUPT);
    assert_string_equal(error.what, TOO_MUCH);
}

/* Each name has the last one in it, before its own part. */
TEST_WITH(test_deep_references, set_up, tear_down)
{
    enum { N = 10, DEPTH = 4 };
    static struct symbol names[N][MAX_SYMBOLS];
    uint32_t n_symbols[N] = {1};
    struct templight_terms terms;
    names[0][0].symbol = HEAD_A;
    for (uint32_t i = 1; i < N; i++) {
        names[i][0].symbol = HEAD_PAIR;
        names[i][1].symbol = LAST_NAME;
        names[i][2].symbol = HEAD_A;
        n_symbols[i] = 3;
    }
    open_names((const struct symbol(*)[MAX_SYMBOLS])names, n_symbols, N,
               &(struct counts){100, 100, DEPTH, 4 * N, N, 0}, &terms);
    expect_name(&terms, DEPTH, "AAAAA", "as deep as announced");
    expect_name(&terms, N - 1, TOO_MUCH, "deeper than announced");
    expect_same_when_known(&terms, DEPTH + 1, "deep");
}

/* Queries for names of a bad group do not change the answers for a good one. */
TEST_WITH(test_bad_group, set_up, tear_down)
{
    enum { N = TEMPLIGHT_NAMES_A_GROUP + 1 };
    static struct symbol names[N][MAX_SYMBOLS];
    uint32_t n_symbols[N];
    struct templight_terms terms;
    for (uint32_t i = 0; i < N; i++) {
        names[i][0].symbol = HEAD_A;
        n_symbols[i] = 1;
    }
    names[N - 2][0].symbol = COPY_FIRST;
    open_names((const struct symbol(*)[MAX_SYMBOLS])names, n_symbols, N,
               &(struct counts){100, 100, 1, N, N, 0}, &terms);
    for (unsigned i = 0; i < 3; i++)
        expect_name(&terms, 0, NOT_THERE, "of the bad group");
    expect_name(&terms, N - 1, "A", "of the good group");
}

/* ---- numbers before the names ---------------------------------------------------------------- */

static size_t set_uvarint(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v > 127; v >>= 7)
        to[n++] = (uint8_t)(v | 128);
    to[n++] = (uint8_t)v;
    return n;
}

/*
 * One number is at its limit, then one past it. Nothing follows the numbers, so the texts are
 * missing where they are accepted. Of the file, only its size counts.
 */
TEST_WITH(test_announced_names, set_up, tear_down)
{
    enum { LONGEST, TOTAL, DEPTH, SHAPES, HEADS, TOPS, STARTS, WORDS, RANGES, TABLES, NBITS };
    enum { N_NUMBERS = NBITS + 1, NAMES = N_NUMBERS, OFF = 3, FILE = 1000, SPLIT = 65536 };
    static const char bomb[] = "names would expand to too much";
    static const char deep[] = "depth of names exceeds their length",
                      terms[] = "more terms than bits";
    static const char heads[] = "more heads than the tables hold";
    static const uint64_t huge = UINT64_C(1) << 31;
    static const struct {
        const char *what;
        unsigned number;
        uint32_t limit;
        uint64_t file_nbytes;
        unsigned other; /* number, if its value is not 0 */
        uint32_t value;
        struct templight_totals before; /* of earlier traces */
    } cases[] = {
        {bomb, LONGEST, FILE + 2 * SPLIT, FILE, TOTAL, FILE + 3 * SPLIT, {0}},
        {bomb, TOTAL, FILE + 3 * SPLIT, FILE, 0, 0, {0}},
        {bomb, STARTS, 64 * FILE + (1 << 20), FILE, 0, 0, {0}},
        {bomb, STARTS, INT32_MAX, huge, 0, 0, {0}},
        {bomb, TOTAL, FILE + 4 * SPLIT - 5, FILE, 0, 0, {.n_names = 1, .names_nbytes = 5}},
        {bomb, STARTS, 64 * FILE + (1 << 20) - 5, FILE, 0, 0, {.starts_nbytes = 5}},
        {deep, DEPTH, FILE + 1, FILE, 0, 0, {0}},
        {deep, DEPTH, 100, FILE, NBITS, 100, {0}},
        {deep, DEPTH, (1 << 30) - 1, huge, 0, 0, {0}},
        {"longest name is longer than all names together", LONGEST, FILE + 1, FILE, 0, 0, {0}},
        {heads, SHAPES, 800, FILE, TABLES, 100, {0}},
        {heads, HEADS, 800, FILE, TABLES, 100, {0}},
        {heads, TOPS, 800, FILE, TABLES, 100, {0}},
        {heads, HEADS, (1 << 21) - 2, FILE, 0, 0, {0}}, /* and one top */
        {"tables are too long", TABLES, 1 << 27, FILE, 0, 0, {0}},
        {"more names than bits", NAMES, 50, FILE, NBITS, 50, {0}},
        {terms, NAMES, 60, FILE, 0, 0, {0}},
        {terms, RANGES, 3 + 1000, FILE, NBITS, 1000, {0}},
        {terms, WORDS, 3 * 1000, FILE, NBITS, 1000, {0}},
    };
    for (size_t i = 0; i < 2 * N_ELEMENTS(cases); i++) {
        const uint64_t nbytes = cases[i / 2].file_nbytes, past = i % 2;
        uint64_t numbers[] = {nbytes, nbytes + 1, 1,  1,       1,    1,
                              1,      1,          60, 1 << 20, huge, /* names */ 3};
        uint8_t bytes[128];
        struct templight_terms opened;
        struct bo_error error = {0};
        size_t off = OFF, end = OFF;
        if (cases[i / 2].value)
            numbers[cases[i / 2].other] = cases[i / 2].value;
        numbers[cases[i / 2].number] = cases[i / 2].limit + past;
        for (unsigned k = 0; k < N_NUMBERS; k++)
            end += set_uvarint(bytes + end, numbers[k]);
        struct templight_totals totals = cases[i / 2].before;
        const enum bo_status status =
            templight_open_terms((struct bo_span){bytes, (size_t)nbytes}, &off, end,
                                 (uint32_t)numbers[NAMES], &totals, &arena, &opened, &error);
        const char *what = past ? cases[i / 2].what : "file ends before the texts";
        if (status != (!past          ? BO_TRUNCATED
                       : what == bomb ? BO_OVER_LIMIT
                                      : BO_CORRUPT) ||
            strcmp(error.what, what) != 0 || error.off != (past ? OFF : end))
            fail_msg("case %zu: %s", i / 2, error.what);
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Opens names that have no texts and heads, with these tables. */
static void expect_tables(struct bo_span tables, uint32_t n_shapes, uint32_t n_tops,
                          uint32_t n_names, uint32_t nbits, const char *flaw)
{
    const uint32_t numbers[] = {0, 0, 0,       n_shapes,           0,    n_tops,
                                0, 0, n_names, (uint32_t)tables.n, nbits};
    struct templight_terms terms;
    struct templight_totals totals = {0};
    struct bo_error error = {0};
    struct bo_writer out;
    size_t off = 0;
    bo_writer_init(&out, &arena);
    for (unsigned i = 0; i < N_ELEMENTS(numbers); i++)
        bo_put_uvarint(&out, numbers[i]);
    bo_put_u8(&out, 0); /* no grammar */
    bo_put_bytes(&out, tables.p, tables.n);
    bo_put_zeros(&out, (nbits + 7) / 8 + n_names); /* the stream, fingerprints */
    assert_int_equal(templight_open_terms(bo_writer_span(&out), &off, out.n, n_names, &totals,
                                          &arena, &terms, &error),
                     flaw ? BO_CORRUPT : BO_OK);
    assert_string_equal(error.what ? error.what : "", flaw ? flaw : "");
    bo_writer_free(&out);
}

/* A shape's text may end where the tables do, not after them. */
TEST_WITH(test_shape_at_the_end, set_up, tear_down)
{
    /* no base; in gamma code 14; 14 bytes */
    static const uint8_t tables[] = {0x0f, 'a', 'b', 'c', 'd', 'e', 'f', 'g',
                                     'h',  'i', 'j', 'k', 'l', 'm', 'n'};
    expect_tables((struct bo_span){tables, 14}, 1, 0, 1, 1, "shape is invalid");
    expect_tables((struct bo_span){tables, 15}, 1, 0, 1, 1, "bits after the tables");
}

/* A top is one of the names. Groups start one after the other, before the end of the bits. */
TEST_WITH(test_tops_and_groups, set_up, tear_down)
{
    enum { N = 2 * TEMPLIGHT_NAMES_A_GROUP + 1, NBITS = 40 };
    static const char index[] = "index is invalid";
    static const struct {
        uint32_t top, starts[2];
        const char *flaw;
    } cases[] = {
        {N - 1, {1, NBITS - 1}, NULL}, {N, {1, NBITS - 1}, "top-level term is invalid"},
        {0, {16, 17}, NULL},           {0, {16, 16}, index},
        {0, {0, 16}, index},           {0, {16, NBITS}, index},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_writer tables;
        bo_writer_init(&tables, &arena);
        struct templight_bit_writer w = {.out = &tables};
        templight_put_bits(&w, 0, 5 * (TEMPLIGHT_N_PLACES + 1)); /* empty codes */
        templight_put_bits(&w, cases[i].top, bo_bit_width(N - 1));
        templight_put_bits(&w, 0, TEMPLIGHT_STEP_BITS);
        templight_put_ascending(&w, cases[i].starts, 2);
        templight_end_bits(&w);
        expect_tables(bo_writer_span(&tables), 0, 1, N, NBITS, cases[i].flaw);
        bo_writer_free(&tables);
    }
}

/* ---- records --------------------------------------------------------------------------------- */

static enum bo_status keep_record(void *context, const struct templight_record *record,
                                  struct bo_error *err)
{
    *(struct templight_record *)context = *record;
    return BO_OK;
}

/* The numbers before records: one is at its limit, or one past it. The codes are empty. */
TEST_WITH(test_announced_records, set_up, tear_down)
{
    enum { OFF = 2, NBYTES = 32, MOST = 8 * NBYTES + 1 };
    static const char many[] = "more records than the file can hold", none[] = "record is invalid";
    static const struct {
        uint32_t numbers[4]; /* records, open ones, tuples, places */
        const char *what;
    } cases[] = {
        {{2048 * NBYTES, 1, 1, 1}, none},
        {{2048 * NBYTES + 1, 1, 1, 1}, many},
        {{5, 5, 1, 1}, none},
        {{5, 6, 1, 1}, many},
        {{1, 1, MOST, 1}, none},
        {{1, 1, MOST + 1, 1}, many},
        {{1, 1, 1, MOST}, none},
        {{1, 1, 1, MOST + 1}, many},
        {{1, 1, 0, 1}, many},
        {{1, 1, 1, 0}, many},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        uint8_t bytes[OFF + NBYTES] = {0};
        const struct bo_span in = {bytes, sizeof bytes};
        struct templight_records records;
        struct templight_record record;
        struct bo_error error = {0};
        for (size_t k = 0, at = OFF; k < 4; k++)
            at += set_uvarint(bytes + at, cases[i].numbers[k]);
        enum bo_status status = templight_open_records(in, OFF, NBYTES, 0, 0, &records, &error);
        assert_int_equal(status != BO_OK, cases[i].numbers[0] > 2048 * NBYTES);
        if (!status)
            status = templight_each_record(&records, &arena, keep_record, &record, &error);
        assert_int_equal(status, BO_CORRUPT);
        assert_int_equal(error.off, OFF);
        if (strcmp(error.what, cases[i].what) != 0)
            fail_msg("case %zu: %s", i, error.what);
    }
}

enum { MAX_ITEMS = 13 };

/* Opens records of these symbols and times, with so many names and files. */
static void open_timed_records(const uint32_t numbers[4], const struct terms_item items[MAX_ITEMS],
                               uint32_t n_names, uint32_t n_files, struct bo_span times,
                               struct templight_records *records)
{
    struct bo_writer out, part;
    struct bo_error error;
    bo_writer_init(&out, &arena);
    for (unsigned i = 0; i < 4; i++)
        bo_put_uvarint(&out, numbers[i]);
    for (unsigned stream = 0; stream < TERMS_N_STREAMS; stream++) {
        static struct templight_words words[TERMS_N_CODES];
        bo_writer_init(&part, &arena);
        struct templight_bit_writer w = {.out = &part};
        for (unsigned code = 0; code < TERMS_N_CODES; code++) {
            uint32_t uses[TERMS_RUN_MOST + 1] = {0};
            for (unsigned i = 0; i < MAX_ITEMS; i++)
                uses[items[i].symbol] += items[i].code == code && code != TERMS_CODE_RUN;
            if (terms_stream_of[code] == stream)
                assert_true(templight_fit_words(uses, N_ELEMENTS(uses), &arena, &words[code]) &&
                            templight_put_code(&w, &words[code], &arena));
        }
        for (unsigned i = 0; i < MAX_ITEMS; i++)
            if (terms_stream_of[items[i].code] == stream && items[i].code != TERMS_CODE_RUN) {
                templight_put_symbol(&w, &words[items[i].code], items[i].symbol);
                templight_put_bits(&w, items[i].rest, items[i].rest_nbits);
            }
        templight_end_bits(&w);
        bo_put_uvarint(&out, part.n);
        bo_put_bytes(&out, part.p, part.n);
        bo_writer_free(&part);
    }
    bo_put_bytes(&out, times.p, times.n);
    uint8_t *copy = bo_alloc(&arena, out.n);
    memcpy(copy, out.p, out.n);
    const struct bo_span in = {copy, out.n};
    bo_writer_free(&out);
    assert_int_equal(templight_open_records(in, 0, in.n, n_names, n_files, records, &error), BO_OK);
}

/* The same with one name and file if there are tuples, without times. */
static void open_records(const uint32_t numbers[4], const struct terms_item items[MAX_ITEMS],
                         struct templight_records *records)
{
    open_timed_records(numbers, items, numbers[2] - 1, numbers[2] - 1, (struct bo_span)BYTES("\0"),
                       records);
}

/* clang-format off */
/* A symbol, and bits after it; a new Begin, whose kind and name are new; a new place in line 0. */
#define SYMBOL(code, symbol, rest, nbits) {rest, symbol, TERMS_CODE_##code, nbits}
#define NEW_BEGIN SYMBOL(OWN_GAP, 0, 0, 0), SYMBOL(FIRST_BEGIN, 1, 0, 0), \
    SYMBOL(KIND, 0, 0, 32), SYMBOL(NAME, 0, 0, 0)
#define NEW_PLACE(code, file, column) SYMBOL(code, 0, 0, 0), SYMBOL(FILE, file, 0, 0), \
    SYMBOL(LINE, 0, 0, 0), SYMBOL(COLUMN, column, 0, 0)
/* A Begin with a new location: the origin, one place back, is absent. */
#define LOCATED(file, column) \
    {NEW_BEGIN, NEW_PLACE(LOCATION, file, column), SYMBOL(ORIGIN, 4, 0, 0)}
/* An End with an origin of its own, after a Begin with the one place that there is. */
#define OWN(symbol, rest, nbits) \
    {NEW_BEGIN, SYMBOL(LOCATION, 1, 0, 0), NEW_PLACE(ORIGIN, 0, 0), SYMBOL(FIRST_BEGIN, 0, 0, 0), \
     SYMBOL(OWN_ORIGIN, symbol, rest, nbits), SYMBOL(OWN_GAP, 0, 0, 0)}
/* clang-format on */

/* Numbers of records at and past their bounds. */
TEST_WITH(test_values_of_records, set_up, tear_down)
{
    static const char bad_code[] = "code lengths of records do not form a prefix code";
    static const char invalid[] = "record is invalid";
    static const struct {
        const char *row, *what;
        uint32_t column, numbers[4];
        struct terms_item items[MAX_ITEMS];
    } cases[] = {
        {"column 127", NULL, 127, {1, 1, 2, 2}, LOCATED(0, 127)},
        {"column 0 as a class", NULL, 0, {1, 1, 2, 2}, LOCATED(0, 128)},
        {"column 1 as a class", NULL, 1, {1, 1, 2, 2}, LOCATED(0, 129)},
        {"the last file, before the first", invalid, 0, {1, 1, 2, 2}, LOCATED(1, 0)},
        {"one file back, before the first", invalid, 0, {1, 1, 2, 2}, LOCATED(2, 0)},
        {"an absent origin", NULL, 0, {2, 1, 2, 2}, OWN(3, 0, 1)},
        {"an origin before the absent one", invalid, 0, {2, 1, 2, 2}, OWN(3, 1, 1)},
        {"an origin of class 32", invalid, 0, {2, 1, 2, 2}, OWN(33, 0, 31)},
        {"an origin of class 33", bad_code, 0, {2, 1, 2, 2}, OWN(34, 0, 32)},
        {"tuple 0",
         invalid,
         0,
         {1, 0, 1, 1},
         {SYMBOL(OWN_GAP, 1, 0, 0), SYMBOL(FIRST_BEGIN, 2, 0, 0), SYMBOL(TUPLE, 0, 0, 0)}},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct templight_records records;
        struct templight_record record;
        struct bo_error error = {0};
        open_records(cases[i].numbers, cases[i].items, &records);
        const enum bo_status status =
            templight_each_record(&records, &arena, keep_record, &record, &error);
        if (status != (cases[i].what ? BO_CORRUPT : BO_OK) ||
            (status && strcmp(error.what, cases[i].what) != 0))
            fail_msg("%s: %s", cases[i].row, error.what ? error.what : "accepted");
        assert_true(status || (record.location.column == cases[i].column &&
                               record.has_own_origin == record.is_end));
    }
}

#define TIME "\1\2\3\4\5\6\7\x08"
#define PAST_TIMES "times run past the end"
#define FLAGS "flags of times or memories are out of range"
#define CONTRADICTION "times or memory of a record contradict the first byte"
#define NOT_SOME "times of some records that are those of none or of all"

/* A Begin and an End: their times and memories, and counts that differ from what is read. */
TEST_WITH(test_times_of_records, set_up, tear_down)
{
    static const struct terms_item items[MAX_ITEMS] = OWN(3, 0, 1);
    static const struct {
        struct bo_span times;
        enum bo_status status;
        const char *what;
        uint32_t numbers[4]; /* of records 0: those of the items */
        uint32_t n_names, n_files;
    } cases[] = {
        {BYTES("\0"), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\1" TIME TIME), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\2\1" TIME "\0"), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\2\0\1" TIME), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\4\2\1"), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\x08\2\7\0"), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\x09\1" TIME "\3" TIME "\1"), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\6\2\1\3" TIME "\1"), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\x0a\1" TIME "\2\1"), BO_OK, NULL, {0}, 1, 1},
        {BYTES("\3"), BO_CORRUPT, FLAGS, {0}, 1, 1},
        {BYTES("\x0c"), BO_CORRUPT, FLAGS, {0}, 1, 1},
        {BYTES("\x10"), BO_CORRUPT, FLAGS, {0}, 1, 1},
        {BYTES("\2\0\0"), BO_CORRUPT, NOT_SOME, {0}, 1, 1},
        {BYTES("\2\1" TIME "\1" TIME), BO_CORRUPT, NOT_SOME, {0}, 1, 1},
        {BYTES("\x08\0\0"), BO_CORRUPT, NOT_SOME, {0}, 1, 1},
        {BYTES("\x08\2\1\2\1"), BO_CORRUPT, NOT_SOME, {0}, 1, 1},
        {BYTES("\x09\0"), BO_CORRUPT, CONTRADICTION, {0}, 1, 1},
        {BYTES("\6\1"), BO_CORRUPT, CONTRADICTION, {0}, 1, 1},
        {BYTES("\2\2"), BO_CORRUPT, CONTRADICTION, {0}, 1, 1},
        {BYTES("\x08\1"), BO_CORRUPT, CONTRADICTION, {0}, 1, 1},
        {BYTES("\x0a\4"), BO_CORRUPT, CONTRADICTION, {0}, 1, 1},
        {BYTES(""), BO_TRUNCATED, PAST_TIMES, {0}, 1, 1},
        {BYTES("\2"), BO_TRUNCATED, PAST_TIMES, {0}, 1, 1},
        {BYTES("\1" TIME "\1\2\3\4\5\6\7"), BO_TRUNCATED, PAST_TIMES, {0}, 1, 1},
        {BYTES("\4\2"), BO_TRUNCATED, "varint runs past the end", {0}, 1, 1},
        {BYTES("\0\0"), BO_CORRUPT, "bytes after the times", {0}, 1, 1},
        {BYTES("\0"), BO_CORRUPT, "records do not have all names and files", {0}, 2, 1},
        {BYTES("\0"), BO_CORRUPT, "records do not have all names and files", {0}, 1, 2},
        {BYTES("\0"), BO_CORRUPT, "fewer open Begins than announced", {2, 2, 2, 2}, 1, 1},
        {BYTES("\0"), BO_CORRUPT, "fewer different Begins than announced", {2, 1, 3, 2}, 1, 1},
        {BYTES("\0"), BO_CORRUPT, "fewer different places than announced", {2, 1, 2, 3}, 1, 1},
        {BYTES("\0"), BO_CORRUPT, "record is invalid", {2, 0, 2, 2}, 1, 1},
        {BYTES("\0"), BO_CORRUPT, "record is invalid", {2, 1, 1, 2}, 1, 1},
        {BYTES("\0"), BO_CORRUPT, "record is invalid", {2, 1, 2, 1}, 1, 1},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++)
        for (unsigned keeps = 0; keeps < 2; keeps++) {
            static const uint32_t as_is[4] = {2, 1, 2, 2};
            struct templight_records records;
            struct templight_record record;
            struct bo_error error = {0};
            size_t left = SIZE_MAX;
            open_timed_records(cases[i].numbers[0] ? cases[i].numbers : as_is, items,
                               cases[i].n_names, cases[i].n_files, cases[i].times, &records);
            if (keeps)
                assert_int_equal(templight_keep_events(&records, &arena, &left, &error), BO_OK);
            assert_int_equal(records.events.items != NULL, keeps && !cases[i].what);
            const enum bo_status status =
                templight_each_record(&records, &arena, keep_record, &record, &error);
            if (status != cases[i].status || (status && strcmp(error.what, cases[i].what) != 0))
                fail_msg("case %zu: %s", i, error.what ? error.what : "accepted");
            if (!status && !keeps)
                assert_true(record.is_end &&
                            (!record.has_time || record.time_bits == UINT64_C(0x0807060504030201)));
        }
}

/* Events are kept within as many bytes as they take, and not within one less. */
TEST_WITH(test_budget_of_events, set_up, tear_down)
{
    static const struct terms_item items[MAX_ITEMS] = LOCATED(0, 7);
    size_t before = SIZE_MAX;
    for (unsigned i = 0; i < 3; i++) {
        struct templight_records records;
        struct bo_error error = {0};
        size_t left = before;
        open_records((const uint32_t[]){1, 1, 2, 2}, items, &records);
        assert_int_equal(templight_keep_events(&records, &arena, &left, &error), BO_OK);
        assert_int_equal(records.events.items != NULL, i < 2);
        assert_true(i == 0 || left == (i == 1 ? 0 : before));
        before -= i == 0 ? left : 1;
    }
}

/* clang-format off */
/* The name `X`; one Begin; two Begins and Ends: a run of 1 and a gap of 2 Ends. */
#define NAME_X \
    BYTES("\x01\x01\x01\x00\x00\x00\x00\x02\x01\x05\x2d\x00\x0a\x00\x00\x00\x00\x00\x00\x00" \
          "\x00\x0a\xc0\x71")
#define ONE_BEGIN \
    BYTES("\x01\x01\x02\x01\x07\x00\x02\x81\x00\x01\x40\x00\x06\x0a\x00\x00\x00\x00\x00\x09" \
          "\x0a\x04\x16\x0d\x00\x28\x00\x00\x04\x00")
#define TWO_PAIRS \
    BYTES("\x04\x01\x02\x01\x0b\x0b\x02\x00\x58\x10\x50\x60\x50\x01\x40\x42\x06\x0a\x00\x00" \
          "\x00\x00\x00\x09\x0a\x04\x14\x1a\x00\xa0\xc0\x00\x00\x00")
/* clang-format on */

/* Files that break one rule of decoding, each beside one that does not break it. */
TEST_WITH(test_rules_of_decoding, set_up, tear_down)
{
    static const struct {
        const char *row, *what;
        struct bo_span names, records;
    } cases[] = {
        {"as the writer has it", NULL, NAME_X, TWO_PAIRS},
        {"an event after a run of 0 that is the expected one", "record is invalid", NAME_X,
         BYTES("\x04\x01\x02\x01\x0c\x0a\x00\x28\x00\xb0\x20\xa0\xc0\xa0\x02\x80"
               "\x80\x06\x0a\x00\x00\x00\x00\x00\x09\x0a\x04\x14\x1a\x00\xa0\xc0"
               "\x00\x00\x00")},
        {"an own origin that is the expected one", "record is invalid", NAME_X,
         BYTES("\x04\x01\x02\x01\x0b\x0b\x02\x00\x58\x10\x50\x60\x50\x01\x40\x42"
               "\x06\x0a\x00\x00\x00\x00\x00\x0b\x0a\x04\x14\x1a\x14\x00\x58\x10"
               "\x00\x00\x80\x00")},
        {"a run of 200 before the last record", "run goes beyond the last record", NAME_X,
         BYTES("\x04\x01\x02\x01\x0d\x0b\x30\x0e\x20\x01\x60\x41\x41\x81\x40\x05"
               "\x01\x08\x06\x0a\x00\x00\x00\x00\x00\x09\x0a\x04\x14\x1a\x00\xa0"
               "\xc0\x00\x00\x00")},
        {"a gap of 1000 Ends", "gap goes beyond the last End", NAME_X,
         BYTES("\x04\x01\x02\x01\x0b\x0b\x02\x00\x58\x10\x50\x60\x50\x01\x40\x42"
               "\x06\x0a\x00\x00\x00\x00\x00\x0b\x0a\x04\x14\x1a\x00\xa1\xc8\x00"
               "\x03\xd0\x00\x00")},
        {"a base of no use", NULL,
         BYTES("\x01\x01\x01\x01\x01\x00\x00\x02\x01\x0c\x2d\x00\xa0\x08\x00\x00"
               "\x00\x00\xac\x85\x00\x00\x00\x00\x00\x00\x00\x00\x0a\xc0\x71"),
         ONE_BEGIN},
        {"a base of no use, with codes of no grammar", "head of a term is invalid",
         BYTES("\x01\x01\x01\x01\x01\x00\x00\x02\x01\x07\x2d\x00\xa0\x0f\x85\x00"
               "\x00\x00\x00\x00\x00\x00\x00\x0a\xc0\x71"),
         ONE_BEGIN},
        {"two levels", NULL,
         BYTES("\x04\x04\x02\x01\x01\x00\x02\x04\x01\x0d\x2e\x00\x15\x04\xf0\x00"
               "\xfa\x14\x59\xe1\x64\x06\xf0\x00\x00\x00\x00\x00\x00\x05\x08\xbd"),
         ONE_BEGIN},
        {"four levels, one announced", "terms have another number of levels than announced",
         BYTES("\x0a\x0a\x01\x01\x01\x00\x02\x08\x03\x0d\x30\x00\x15\x04\xf0\x00"
               "\xfa\x14\x59\xe1\x64\x06\xf0\x00\x00\x60\x00\x00\x00\x01\x42\x74"),
         ONE_BEGIN},
        {"three levels, none announced", "terms have another number of levels than announced",
         BYTES("\x07\x07\x00\x01\x01\x00\x02\x06\x02\x0d\x2f\x00\x15\x04\xf0\x00"
               "\xfa\x14\x59\xe1\x64\x06\xf0\x00\x00\x40\x00\x00\x00\x02\x84\x41"),
         ONE_BEGIN},
        {"one word", NULL,
         BYTES("\x00\x00\x01\x01\x01\x00\x00\x01\x01\x06\x01\x00\x61\x45\x9e\x00"
               "\x00\x00\x00\x2d"),
         ONE_BEGIN},
        {"one word, none announced", "another number of words or terms than announced",
         BYTES("\x00\x00\x01\x01\x01\x00\x00\x00\x01\x06\x01\x00\x61\x45\x9e\x00"
               "\x00\x00\x00\x2d"),
         ONE_BEGIN},
    };
    const struct bo_codec *terms = bo_find_codec(bo_find_format("templight"), "terms");
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct bo_span names = cases[i].names, records = cases[i].records;
        const uint32_t numbers[] = {1, 1, 1, 0, 0, (uint32_t)names.n, 0, (uint32_t)records.n};
        struct bo_writer file;
        struct bo_error error = {0};
        void *model;
        bo_writer_init(&file, &arena);
        bo_put_bytes(&file, "TLtm", 4);
        for (size_t k = 0; k < N_ELEMENTS(numbers); k++)
            bo_put_le32(&file, numbers[k]);
        bo_put_bytes(&file, names.p, names.n);
        bo_put_bytes(&file, records.p, records.n);
        const enum bo_status status =
            test_decode(terms, bo_writer_span(&file), &arena, &model, &error);
        if (status != (cases[i].what ? BO_CORRUPT : BO_OK) ||
            (status && strcmp(error.what, cases[i].what) != 0))
            fail_msg("%s: %s", cases[i].row, status ? error.what : "accepted");
        bo_writer_free(&file);
    }
}

/*
 * A grammar ends inside its part, whatever follows the part. All grammars of a file together have
 * one limit.
 */
TEST_WITH(test_grammars_of_a_file, set_up, tear_down)
{
    /* there is one: no terminals, no rules, 5 bytes of text */
    enum { OFF = 4, TEXT = OFF + 1 + 32 + 4, NBYTES = TEXT + 4 - OFF };
    static const uint8_t bytes[OFF + NBYTES + 4] = {[OFF] = 1, [TEXT] = 5};
    const struct bo_span in = {bytes, sizeof bytes};
    struct templight_text_reader texts;
    struct bo_error error = {0};
    uint64_t n = 0;
    struct bo_cursor whole = bo_cursor_at(in, OFF, NBYTES), cut = bo_cursor_at(in, OFF, NBYTES - 1);
    assert_int_equal(templight_open_texts(in, &whole, &n, &arena, &texts, &error), BO_OK);
    assert_int_equal(bo_left(&whole), 0);
    assert_int_equal(n, 5);
    assert_int_equal(templight_open_texts(in, &cut, &n, &arena, &texts, &error), BO_TRUNCATED);
    assert_int_equal(error.off, OFF + 1);
    for (unsigned past = 0; past < 2; past++) {
        struct bo_cursor c = bo_cursor_at(in, OFF, NBYTES);
        n = bo_max_text_nbytes(in.n) - 5 + past;
        assert_int_equal(templight_open_texts(in, &c, &n, &arena, &texts, &error),
                         past ? BO_CORRUPT : BO_OK);
    }
    assert_string_equal(error.what, "phrases are longer than the file allows");
    assert_int_equal(error.off, TEXT);
}

/*
 * Files of about 100 bytes. In one, a name refers to an empty one 2^15 times; in the other, two
 * names of files have 983,040 bytes each.
 */
TEST_WITH(test_files_that_expand, set_up, tear_down)
{
    static const uint8_t names[] = {
        0x54, 0x4c, 0x74, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x42, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xe7, 0x80, 0x08, 0xce, 0x81, 0x10, 0x28, 0x01, 0x01,
        0x01, 0x00, 0x44, 0x11, 0x12, 0x73, 0x00, 0x30, 0x00, 0x08, 0x59, 0x01, 0xbc, 0x2c, 0x8f,
        0xc2, 0x16, 0x47, 0xe1, 0x00, 0x02, 0x80, 0x78, 0x06, 0xb0, 0x00, 0x00, 0x00, 0x00, 0x04,
        0x21, 0x08, 0x42, 0x10, 0x84, 0x21, 0x08, 0x42, 0x10, 0xe0, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    };
    static const uint8_t files[] = {
        0x54, 0x4c, 0x74, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00,
        0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x01, 0x00, 0x81, 0x42, 0xa2, 0x11, 0xa9, 0x64, 0x3a, 0xa1, 0x52, 0xaa, 0x15, 0xab, 0xe5,
        0x7a, 0x00, 0x00, 0x00, 0x01, 0xf0, 0x00, 0x1e, 0x00, 0x00, 0x00,
    };
    /* the second event is a tuple 2^32 - 1 back: one more wraps to 0 */
    static const uint8_t tuples[] = {
        0x54, 0x4c, 0x74, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
        0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x46, 0x00, 0x00, 0x00, 0x2f, 0x00,
        0x00, 0x00, 0x2a, 0x00, 0x00, 0x00, 0x04, 0x04, 0x02, 0x02, 0x01, 0x00, 0x02, 0x04, 0x01,
        0x0e, 0x08, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x03,
        0xa0, 0x09, 0x40, 0x0f, 0x00, 0x0f, 0x90, 0x82, 0x81, 0x00, 0x01, 0x40, 0x00, 0x00, 0x03,
        0xbd, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a,
        0x21, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x00, 0x3f, 0x58,
        0x15, 0xa6, 0x43, 0x02, 0x02, 0x02, 0x03, 0x0d, 0x00, 0x02, 0xc1, 0x40, 0x0a, 0x2c, 0x00,
        0xa0, 0x0b, 0xff, 0xff, 0xff, 0xf8, 0x06, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0f, 0x0a,
        0x00, 0x28, 0x00, 0x05, 0x02, 0x0a, 0x00, 0x2c, 0x36, 0x05, 0x88, 0xe4, 0x48, 0x28, 0x00,
    };
    static const struct {
        struct bo_span file;
        enum bo_status status;
        const char *what;
    } cases[] = {
        {{names, sizeof names}, BO_CORRUPT, "expanded name differs from its announced size"},
        {{tuples, sizeof tuples}, BO_CORRUPT, "record is invalid"},
        {{files, sizeof files}, BO_OVER_LIMIT, "names of files would expand to too much"},
    };
    const struct bo_codec *terms = bo_find_codec(bo_find_format("templight"), "terms");
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_error error = {0};
        void *model;
        assert_int_equal(terms->decode(terms, cases[i].file, &arena, &model, &error),
                         cases[i].status);
        assert_string_equal(error.what, cases[i].what);
    }
}

TEST_FILE(NULL, NULL)
