/*
 * Symbols, numbers and texts predicted from contexts. Why: encoder and decoder agree only while
 * their states are equal. A counter that one of them updates and the other does not corrupts all
 * following symbols.
 */
#include "harness/core/test_cmocka.h"

#include "harness/coding/context_model.h"
#include "harness/core/random.h"

#define TEST_WRITES
#include "harness/core/test_fixture.h"

enum { N_SITES = 4, N_UNITS = 500, N_TEXT = 20000, N_STEPS = 6000 };

struct fixture {
    struct bo_guesser guesser;
    struct bo_range_coder coder;
};

static void start(struct fixture *f, const struct bo_span *in)
{
    uint8_t *history = bo_alloc(&arena, N_TEXT + BO_GUESS_TEXT_START);
    assert_non_null(history);
    assert_true(bo_guesser_init(&f->guesser, N_SITES, N_UNITS, history, N_TEXT, &arena));
    if (!in)
        bo_writer_reset(&out);
    f->coder = in ? bo_range_decoder(*in) : bo_range_encoder(&out);
}

/* ---- all kinds of values, mixed -------------------------------------------------------------- */

static const char *const words[] = {"", "std::vector", "std::vector<int>::iterator", "a", "vector"};

static void step_symbol(struct fixture *f, struct bo_random *random, uint32_t *n, uint32_t *last)
{
    const bool decoding = !f->coder.out;
    struct bo_guess g = bo_guess(0, *n);
    uint32_t symbol =
        bo_random_below(random, 20) && *n ? bo_random_below(random, *n) : BO_GUESS_NEW;
    if (*n && bo_random_below(random, 3))
        symbol = (*last + 1) % *n; /* a predictable symbol */
    for (uint64_t i = 0; i < BO_GUESS_CONTEXTS; i++)
        bo_guess_context(&g, bo_pair_hash(*last >> i, i));
    bo_guess_hint(&g, *last + 1, 1);
    bo_guess_hint(&g, BO_GUESS_NEW, 2);
    assert_int_equal(bo_guess_symbol(&f->guesser, &f->coder, &g, decoding ? 0 : symbol), symbol);
    if (symbol == BO_GUESS_NEW) {
        bo_guess_learn_new(&f->guesser, g.site, g.contexts, g.n_contexts, *n);
        symbol = (*n)++;
    } else {
        bo_guess_learn(&f->guesser, &g, symbol);
    }
    *last = symbol;
}

/* The caller codes the symbol by other means, and the model still learns it. */
static void step_listed(struct fixture *f, struct bo_random *random)
{
    const bool decoding = !f->coder.out;
    const uint32_t symbol = bo_random_below(random, 40);
    struct bo_guess g = bo_guess(1, 40);
    g.always = 7;
    g.n_listed = symbol % 2; /* of an earlier use */
    bo_guess_context(&g, 0);
    bo_guess_context(&g, symbol / 8);
    const uint32_t found = bo_guess_listed(&f->guesser, &f->coder, &g, decoding ? 0 : symbol);
    assert_true(found == symbol || (found == BO_GUESS_OTHER && symbol != 7));
    bo_guess_learn(&f->guesser, &g, symbol);
}

static void step_other(struct fixture *f, struct bo_random *random)
{
    const bool decoding = !f->coder.out;
    const uint64_t contexts[] = {1, 2};
    const unsigned width = bo_random_below(random, 65);
    uint64_t v = bo_random_u64(random);
    v = width < 64 ? v & ((UINT64_C(1) << width) - 1) : v;
    assert_true(bo_guess_number(&f->guesser, &f->coder, 2, contexts, 2, decoding ? 0 : v) == v);
    const unsigned n_bits = width % 33;
    const uint32_t bits = n_bits < 32 ? (uint32_t)v & ((1u << n_bits) - 1) : (uint32_t)v;
    const uint32_t coded = decoding ? 0 : bits;
    assert_int_equal(bo_guess_bits(&f->guesser, &f->coder, 2, contexts, 1, n_bits, coded), bits);
}

static void step_text(struct fixture *f, struct bo_random *random)
{
    static const struct bo_span with_nuls[] = {BYTES("\0"), BYTES("a\0\0b")};
    const struct bo_span none = {NULL, 0};
    const uint32_t k = bo_random_below(random, 7);
    const uint32_t n_nuls = k < 5 ? 0 : k - 4;
    const struct bo_span coded = k < 5 ? bo_span_of(words[k]) : with_nuls[k - 5];
    const struct bo_span read =
        bo_guess_text(&f->guesser, &f->coder, 3, n_nuls, n_nuls, f->coder.out ? coded : none);
    assert_true(bo_span_equal(read, coded));
}

static void run(struct fixture *f, uint64_t seed)
{
    struct bo_random random = bo_random_seeded(seed);
    uint32_t n = 0, last = 0;
    for (unsigned i = 0; i < N_STEPS; i++)
        switch (bo_random_below(&random, 8)) {
        case 0:
            step_listed(f, &random);
            break;
        case 1:
            step_other(f, &random);
            break;
        case 2:
            step_text(f, &random);
            break;
        default:
            step_symbol(f, &random, &n, &last);
        }
    assert_null(f->guesser.flaw);
}

TEST_WITH(test_round_trip, set_up, tear_down)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    for (uint64_t seed = 1; seed < 6; seed++) {
        start(f, NULL);
        run(f, seed);
        bo_range_finish(&f->coder);
        const struct bo_span in = bo_writer_span(&out);
        start(f, &in);
        run(f, seed);
        assert_null(bo_range_flaw(&f->coder));
    }
}

/* The same bytes on every machine. */
TEST_WITH(test_same_everywhere, set_up, tear_down)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    start(f, NULL);
    run(f, 1);
    bo_range_finish(&f->coder);
    uint32_t hash = 0;
    for (size_t i = 0; i < out.n; i++)
        hash = hash * 31 + out.p[i];
    assert_int_equal(out.n, 0x1b77);
    assert_int_equal(hash, 0xc98dd482);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Bytes of 1000 symbols, each coded with one context and one hint. */
static size_t cost(struct fixture *f, uint32_t (*symbol_at)(uint32_t i),
                   uint64_t (*context)(uint32_t i), uint32_t (*hint)(uint32_t i))
{
    start(f, NULL);
    for (uint32_t i = 0; i < 1000; i++) {
        struct bo_guess g = bo_guess(0, 256);
        bo_guess_context(&g, 1);
        bo_guess_context(&g, context(i));
        bo_guess_hint(&g, hint(i), 5);
        bo_guess_symbol(&f->guesser, &f->coder, &g, symbol_at(i));
        bo_guess_learn(&f->guesser, &g, symbol_at(i));
    }
    bo_range_finish(&f->coder);
    return out.n;
}

static uint32_t noise(uint32_t i)
{
    struct bo_random random = bo_random_seeded(i);
    return bo_random_below(&random, 256);
}

static uint64_t nothing(uint32_t i)
{
    return 2;
}

static uint32_t no_hint(uint32_t i)
{
    return BO_GUESS_NEW;
}

static uint32_t by_tens(uint32_t i)
{
    return noise(i % 10);
}

static uint64_t modulo_ten(uint32_t i)
{
    return i % 10;
}

TEST_WITH(test_learns, set_up, tear_down)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    assert_in_range(cost(f, noise, nothing, no_hint), 1000,
                    1200);                                  /* 8 bits each, and little overhead */
    assert_in_range(cost(f, noise, nothing, noise), 1, 60); /* the hint is always right */
    assert_in_range(cost(f, by_tens, modulo_ten, no_hint), 10,
                    80);                                           /* the context is always right */
    assert_in_range(cost(f, by_tens, nothing, no_hint), 200, 500); /* one of ten */
}

/* ---- invalid input --------------------------------------------------------------------------- */

/* On any bytes, symbols are known ones, texts end, and invalid values are reported. */
TEST_WITH(test_nonsense, set_up, tear_down)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    uint8_t bytes[64];
    unsigned n_flaws = 0, n_texts_too_long = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct bo_random random = bo_random_seeded(seed);
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)bo_random_below(&random, 256);
        const struct bo_span in = {bytes, sizeof bytes};
        const struct bo_span none = {NULL, 0};
        start(f, &in);
        f->guesser.n_left = 20;
        for (uint32_t i = 0; i < 20 && !f->guesser.flaw; i++) {
            struct bo_guess g = bo_guess(0, 5);
            bo_guess_context(&g, 0);
            bo_guess_context(&g, i % 2);
            const uint32_t symbol = bo_guess_symbol(&f->guesser, &f->coder, &g, 0);
            assert_true(symbol < 5 || symbol == BO_GUESS_NEW);
        }
        n_flaws += f->guesser.flaw != NULL;
        f->guesser.flaw = NULL;
        const struct bo_span text = bo_guess_text(&f->guesser, &f->coder, 3, 0, 1, none);
        assert_true(text.n <= 20);
        n_texts_too_long += f->guesser.flaw != NULL;
    }
    assert_in_range(n_flaws, 1, 299);
    assert_in_range(n_texts_too_long, 1, 300);
}

TEST_WITH(test_no_memory, set_up, tear_down)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    enum { N_OF_INIT = 4 };
    static uint8_t history[BO_GUESS_TEXT_START];
    uint64_t n_allocs = N_OF_INIT;
    for (uint64_t n = 1; n <= n_allocs; n++) {
        struct bo_arena failing;
        bo_arena_init(&failing, BO_ARENA_UNLIMITED);
        failing.fail_at = n;
        const bool ok = bo_guesser_init(&f->guesser, N_SITES, 1, history, 0, &failing);
        assert_int_equal(ok, n > N_OF_INIT);
        if (ok) { /* pages of the tables, which are allocated when they are used */
            uint32_t n_symbols = 0, last = 0;
            struct bo_random random = bo_random_seeded(1);
            bo_writer_reset(&out);
            f->coder = bo_range_encoder(&out);
            for (unsigned i = 0; i < 20; i++)
                step_symbol(f, &random, &n_symbols, &last);
            assert_int_equal(f->guesser.no_memory, failing.n_allocs >= n);
            n_allocs = failing.n_allocs;
        }
        n_allocs = n == N_OF_INIT ? n + 1 : n_allocs;
        bo_arena_free(&failing);
    }
    assert_in_range(n_allocs, N_OF_INIT + 2, 1000);
}

TEST_FILE(NULL, NULL)
