/*
 * The range coder and the mixing of predictions. Why: a lost carry shows once in thousands of
 * bytes. An unchecked end accepts damaged bytes. A model that predicts differently on another
 * machine decodes to garbage there.
 */
#include "harness/core/test_cmocka.h"

#include "harness/coding/mixing.h"
#include "harness/coding/range_coder.h"
#include "harness/core/random.h"

#define TEST_WRITES
#include "harness/core/test_fixture.h"

enum { N_BITS = 20000 };

/* The k-th probability and bit of a test sequence. Some probabilities are at their limits. */
struct drawn {
    uint32_t p;
    bool bit;
};

static struct drawn draw(struct bo_random *random)
{
    static const uint32_t extremes[] = {1, 2, 32768, 65534, 65535};
    struct drawn d = {.p = 1 + bo_random_below(random, 65535)};
    if (bo_random_below(random, 3) == 0)
        d.p = extremes[bo_random_below(random, N_ELEMENTS(extremes))];
    d.bit = bo_random_below(random, 65536) < d.p;
    if (bo_random_below(random, 50) == 0)
        d.bit = !d.bit; /* the unlikely bit, also at the limits */
    return d;
}

static size_t encode_drawn(uint64_t seed, size_t n)
{
    struct bo_random random = bo_random_seeded(seed);
    struct bo_range_coder c = bo_range_encoder(&out);
    bo_writer_reset(&out);
    for (size_t i = 0; i < n; i++) {
        const struct drawn d = draw(&random);
        assert_true(bo_range_code(&c, d.p, d.bit) == d.bit);
    }
    bo_range_finish(&c);
    return out.n;
}

/* NULL when the decoded bits are those of the sequence and the end is valid. */
static const char *decode_drawn(uint64_t seed, size_t n, struct bo_span in)
{
    struct bo_random random = bo_random_seeded(seed);
    struct bo_range_coder c = bo_range_decoder(in);
    for (size_t i = 0; i < n; i++) {
        const struct drawn d = draw(&random);
        if (bo_range_code(&c, d.p, !d.bit) != d.bit)
            return "another bit";
        if (bo_range_ran_out(&c))
            return "ran out";
    }
    return bo_range_flaw(&c);
}

TEST_WITH(test_round_trip, set_up, tear_down)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        encode_drawn(seed, N_BITS);
        assert_null(decode_drawn(seed, N_BITS, bo_writer_span(&out)));
    }
    for (size_t n = 0; n < 300; n++) {
        encode_drawn(n, n);
        assert_null(decode_drawn(n, n, bo_writer_span(&out)));
    }
}

/* Computed by hand: probabilities of one half. A number followed by zeros is sufficient. */
TEST_WITH(test_known_bytes, set_up, tear_down)
{
    static const struct {
        const char *bits;
        struct bo_span bytes;
    } cases[] = {
        {"", BYTES("")},
        {"1", BYTES("")},
        {"0", BYTES("\x80")},
        {"10", BYTES("\x40")},
        {"01", BYTES("\x80")},
        {"00", BYTES("\xc0")},
        {"11111111", BYTES("\x00")},
        {"111111110", BYTES("\x00\x80")},
        {"000000000", BYTES("\xff\x80")},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_range_coder c = bo_range_encoder(&out);
        bo_writer_reset(&out);
        for (const char *bit = cases[i].bits; *bit; bit++)
            bo_range_code(&c, 32768, *bit == '1');
        bo_range_finish(&c);
        assert_int_equal(out.n, cases[i].bytes.n);
        assert_true(bo_span_equal(bo_writer_span(&out), cases[i].bytes));
    }
}

/* The coded size follows from the probabilities of the bits. */
TEST_WITH(test_cost, set_up, tear_down)
{
    static const struct {
        uint32_t p;
        size_t n, at_least, at_most;
    } cases[] = {
        {32768, 80000, 10000, 10001},
        {65535, 45426 * 80, 9, 12}, /* eight bits for each byte, and the last bytes */
        {32768 + 16384, 80000, 4150, 4152},
        {1, 100, 199, 201},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        struct bo_range_coder c = bo_range_encoder(&out);
        bo_writer_reset(&out);
        for (size_t k = 0; k < cases[i].n; k++)
            bo_range_code(&c, cases[i].p, true);
        bo_range_finish(&c);
        assert_in_range(out.n, cases[i].at_least, cases[i].at_most);
    }
}

/* Errors: every truncation, an extra byte, and each changed byte that changes no bit. */
TEST_WITH(test_ends, set_up, tear_down)
{
    enum { N = 400 };
    uint8_t bytes[N];
    const size_t n = encode_drawn(7, N);
    assert_in_range(n, 20, N - 1);
    memcpy(bytes, out.p, n);
    for (size_t cut = 0; cut < n; cut++)
        assert_non_null(decode_drawn(7, N, (struct bo_span){bytes, cut}));
    bytes[n] = 0;
    assert_string_equal(decode_drawn(7, N, (struct bo_span){bytes, n + 1}),
                        "bytes left after the coded bits");
    size_t n_silent = 0;
    for (size_t i = 0; i < n; i++)
        for (unsigned v = 1; v < 256; v++) {
            bytes[i] ^= (uint8_t)v;
            n_silent += decode_drawn(7, N, (struct bo_span){bytes, n}) == NULL;
            bytes[i] ^= (uint8_t)v;
        }
    assert_int_equal(n_silent, 0);
}

/* A decoder that has read past the end reports it at once, however many bits follow. */
TEST(test_runs_out)
{
    struct bo_range_coder c = bo_range_decoder((struct bo_span){(const uint8_t *)"", 0});
    size_t n = 0;
    for (; !bo_range_ran_out(&c) && n < 100; n++)
        bo_range_code(&c, 32768, false);
    assert_int_equal(n, 8);
}

/* ---- mixing ---------------------------------------------------------------------------------- */

TEST(test_logits)
{
    struct bo_mixing mixing;
    bo_mixing_init(&mixing);
    uint32_t last = 0;
    for (int logit = -BO_MAX_LOGIT; logit <= BO_MAX_LOGIT; logit++) {
        const uint32_t p = bo_probability(logit);
        assert_in_range(p, last, 65535);
        assert_in_range(p + bo_probability(-logit), 65535, 65537);
        last = p;
    }
    assert_int_equal(bo_probability(0), 32768);
    assert_int_equal(bo_probability(256), 47911);
    assert_int_equal(bo_probability(320),
                     (47911 + 53581) / 2); /* halfway between two entries of the table */
    assert_int_equal(bo_probability(BO_MAX_LOGIT + 1), bo_probability(BO_MAX_LOGIT));
    assert_int_equal(bo_probability(-100000), 1);
    for (int i = 0; i < BO_LOGIT_TABLE; i++) {
        const int logit = mixing.logits[i];
        assert_true(bo_probability(logit) >= 16u * (unsigned)i + 8 || logit == BO_MAX_LOGIT);
        assert_true(bo_probability(logit - 1) < 16u * (unsigned)i + 8 || logit == -BO_MAX_LOGIT);
    }
}

TEST(test_counters)
{
    struct bo_mixing mixing;
    bo_mixing_init(&mixing);
    bo_counter counter = BO_NEW_COUNTER;
    bo_count(&mixing, &counter, true, 255); /* two thirds of the way */
    assert_int_equal(counter >> 10, (1u << 21) + (uint32_t)(((1ull << 21) - 1) * 43690 >> 16));
    assert_int_equal(bo_counter_seen(counter), 1);
    bo_count(&mixing, &counter, false, 255); /* two fifths of the way back */
    assert_in_range(bo_counter_probability(counter), 32760, 32768);
    for (unsigned i = 0; i < 1000; i++)
        bo_count(&mixing, &counter, true, 30);
    assert_int_equal(bo_counter_seen(counter), 30);
    assert_in_range(bo_counter_probability(counter), 65530, 65535);
    for (unsigned i = 0; i < 1000; i++)
        bo_count(&mixing, &counter, false, 255);
    assert_int_equal(bo_counter_seen(counter), 255);
    assert_in_range(bo_counter_probability(counter), 0, 400);
}

/*
 * The weights learn which of two inputs to trust and which to invert. They stay within their
 * limits.
 */
TEST(test_learning)
{
    struct bo_random random = bo_random_seeded(1);
    int32_t weights[BO_MIX_SETS][4] = {{BO_MIX_ONE / 2, BO_MIX_ONE / 2}, {0, 0}};
    uint32_t p = 0;
    bool bit = false;
    for (unsigned i = 0; i < 3000; i++) {
        struct bo_mix mix = {.weights = {weights[0], weights[1]}};
        bit = bo_random_below(&random, 2);
        bo_mix_add(&mix, bit ? -500 : 500);
        bo_mix_add(&mix, bo_random_below(&random, 2) ? 500 : -500);
        p = bo_mix_predict(&mix);
        bo_mix_learn(&mix, bit, 4);
    }
    assert_true(bit ? p > 65000 : p < 536);
    assert_true(weights[0][0] < -2 * BO_MIX_ONE && weights[1][0] < -2 * BO_MIX_ONE);
    for (unsigned i = 0; i < 100000; i++) {
        struct bo_mix mix = {.weights = {weights[0], weights[1]}};
        bo_mix_add(&mix, i % 2 ? BO_MAX_LOGIT : -BO_MAX_LOGIT);
        bo_mix_add(&mix, 0);
        bo_mix_predict(&mix);
        bo_mix_learn(&mix, i % 3, 8);
        assert_in_range(weights[0][0] + (1 << 19), 0, 1 << 20);
    }
}

/* The same numbers on every machine: a hash of weights, counters and bytes after many bits. */
TEST_WITH(test_same_everywhere, set_up, tear_down)
{
    struct bo_mixing mixing;
    struct bo_random random = bo_random_seeded(99);
    int32_t weights[4][4] = {{20000, 20000, 0}, {9000, 9000, 9000}, {0, 1, 2}, {30000, 0, 0}};
    bo_counter counters[64];
    bo_mixing_init(&mixing);
    for (unsigned i = 0; i < 64; i++)
        counters[i] = BO_NEW_COUNTER;
    struct bo_range_coder c = bo_range_encoder(&out);
    bo_writer_reset(&out);
    uint32_t history = 0;
    for (unsigned i = 0; i < N_BITS; i++) {
        const bool bit = bo_random_below(&random, 8) < (history % 16 == 5 ? 7u : 1u);
        bo_counter *a = &counters[history % 16], *b = &counters[16 + history % 4];
        struct bo_mix mix = {.weights = {weights[history % 2], weights[2 + history / 2 % 2]}};
        bo_mix_add(&mix, bo_counter_logit(&mixing, *a));
        bo_mix_add(&mix, bo_counter_logit(&mixing, *b));
        bo_mix_add(&mix, 256);
        bo_range_code(&c, bo_mix_predict(&mix), bit);
        bo_mix_learn(&mix, bit, 5);
        bo_count(&mixing, a, bit, 255);
        bo_count(&mixing, b, bit, 20);
        history = history << 1 | bit;
    }
    bo_range_finish(&c);
    uint32_t hash = 0;
    for (size_t i = 0; i < out.n; i++)
        hash = hash * 31 + out.p[i];
    for (unsigned s = 0; s < 4; s++)
        for (unsigned i = 0; i < 3; i++)
            hash = hash * 31 + (uint32_t)weights[s][i];
    assert_int_equal(out.n, 0x55c);
    assert_int_equal(hash, 0xeb830149);
}

TEST_FILE(NULL, NULL)
