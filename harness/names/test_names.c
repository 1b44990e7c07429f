/*
 * Matching and drawing of names. Why: oracles and workloads of all formats with names depend on it.
 * A wrong match hides a wrong codec, and a "miss" that is present measures something else.
 */
#include "harness/names/names.h"

#include "harness/core/arena.h"
#include "harness/core/test_fixture.h"

/* Neither the name nor the number is the first member. */
struct item {
    uint32_t before;
    struct bo_span name;
    uint8_t between;
    uint64_t number;
};

static const struct bo_names nothing = {.size = sizeof(struct item)};

/* n items with few short names, so many names occur repeatedly. */
static struct item *make_items(size_t n, struct bo_random *random)
{
    struct item *items = bo_zalloc_array(&arena, n, sizeof *items);
    assert_non_null(items);
    for (size_t i = 0; i < n; i++) {
        uint8_t *name = bo_alloc(&arena, 20);
        const size_t n_bytes = bo_random_below(random, 20);
        for (size_t k = 0; k < n_bytes; k++)
            name[k] = k % 4 ? 'x' : (uint8_t)('a' + bo_random_below(random, 3));
        items[i].name = (struct bo_span){name, n_bytes};
        items[i].number = bo_random_below(random, 3);
    }
    return items;
}

/* ---- matching -------------------------------------------------------------------------------- */

static size_t find_plainly(const struct item *items, size_t n, const struct item *wanted,
                           bool by_number)
{
    for (size_t i = 0; i < n; i++)
        if (bo_span_equal(items[i].name, wanted->name) &&
            (!by_number || items[i].number == wanted->number))
            return i;
    return BO_NOT_FOUND;
}

TEST(test_matches)
{
    enum { N = 300 };
    unsigned n_found = 0, n_absent = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct bo_random random = bo_random_seeded(seed);
        const size_t n = bo_random_below(&random, N), n_wanted = bo_random_below(&random, N);
        const struct item *items = make_items(n, &random), *wanted = make_items(n_wanted, &random);
        size_t found[N];
        for (unsigned by_number = 0; by_number < 2; by_number++) {
            const struct bo_names present = BO_NUMBERED_NAMES(items, n, name, number);
            const struct bo_names names = by_number
                                              ? BO_NUMBERED_NAMES(wanted, n_wanted, name, number)
                                              : BO_NAMES(wanted, n_wanted, name);
            assert_int_equal(bo_match_names(&names, &present, found), BO_OK);
            for (size_t i = 0; i < n_wanted; i++) {
                assert_true(found[i] == find_plainly(items, n, &wanted[i], by_number));
                n_found += found[i] != BO_NOT_FOUND;
                n_absent += found[i] == BO_NOT_FOUND;
            }
        }
    }
    assert_true(n_found > 1000 && n_absent > 1000); /* otherwise this test covers little */
}

TEST(test_matches_of_nothing)
{
    const struct item item = {.name = BYTES("f")};
    const struct bo_names one = BO_NAMES(&item, 1, name);
    size_t found = 7;
    assert_int_equal(bo_match_names(&nothing, &one, &found), BO_OK);
    assert_int_equal(found, 7);
    assert_int_equal(bo_match_names(&one, &nothing, &found), BO_OK);
    assert_true(found == BO_NOT_FOUND);
}

/* ---- present and absent names ---------------------------------------------------------------- */

TEST(test_present_names)
{
    enum { N = 50, N_DRAWN = 2000 };
    struct bo_random random = bo_random_seeded(1);
    const struct item *items = make_items(N, &random);
    const struct bo_names names = BO_NAMES(items, N, name);
    static struct bo_span drawn[N_DRAWN];
    unsigned n_of[N] = {0};
    assert_int_equal(bo_draw_present_names(&names, &random, N_DRAWN, drawn), N_DRAWN);
    for (size_t d = 0; d < N_DRAWN; d++)
        for (size_t i = 0; i < N; i++)
            n_of[i] += drawn[d].p == items[i].name.p;
    for (size_t i = 0; i < N; i++)
        assert_in_range(n_of[i], 10, 80); /* the expected number is 40 */
    assert_int_equal(bo_draw_present_names(&nothing, &random, N_DRAWN, drawn), 0);
}

static bool is_one_byte_off(struct bo_span a, struct bo_span b)
{
    size_t n_other = a.n == b.n ? 0 : 2;
    for (size_t i = 0; i < a.n && n_other < 2; i++)
        n_other += a.p[i] != b.p[i];
    return n_other == 1;
}

/* n names of one byte each, and "main". */
static struct bo_names crowd(unsigned n)
{
    static uint8_t bytes[256];
    static struct item items[257];
    items[0].name = (struct bo_span)BYTES("main");
    for (unsigned i = 0; i < n; i++) {
        bytes[i] = (uint8_t)i;
        items[i + 1].name = (struct bo_span){&bytes[i], 1};
    }
    return n < 256 ? BO_NAMES(items, n + 1, name) : BO_NAMES(items + 1, n, name);
}

TEST(test_absent_names)
{
    enum { N = 300 };
    static struct bo_span drawn[N];
    const struct bo_names names = crowd(100);
    struct bo_random random = bo_random_seeded(3);
    assert_int_equal(bo_draw_absent_names(&names, &random, &arena, N, drawn), N);
    for (size_t d = 0; d < N; d++) {
        bool is_near = false;
        for (size_t i = 0; i < names.n; i++) {
            assert_false(bo_span_equal(bo_name_at(&names, i), drawn[d]));
            is_near |= is_one_byte_off(bo_name_at(&names, i), drawn[d]);
        }
        assert_true(is_near);
    }
    /* All names of one byte are present: no absent one exists, and the result says so. */
    const struct bo_names all = crowd(256);
    assert_int_equal(bo_draw_absent_names(&all, &random, &arena, N, drawn), 0);
    assert_int_equal(bo_draw_absent_names(&nothing, &random, &arena, N, drawn), 0);
    struct bo_arena none;
    bo_arena_init(&none, 0);
    assert_int_equal(bo_draw_absent_names(&names, &random, &none, N, drawn), 0);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Which edges of a name were drawn at least once. */
struct seen {
    bool itself, empty, prefix, shorter, longer, changed, very_long;
    unsigned n_branch; /* cut where "_ZN1aF" diverges, or one byte later */
};

static void note(struct seen *seen, struct bo_span name, struct bo_span edge)
{
    const bool begins = edge.n <= name.n && memcmp(edge.p, name.p, edge.n) == 0;
    seen->itself |= bo_span_equal(name, edge);
    seen->empty |= edge.n == 0;
    seen->prefix |= begins && edge.n > 0 && edge.n < name.n;
    seen->n_branch += begins && (edge.n == 5 || edge.n == 6);
    seen->shorter |= !begins && edge.n == name.n - 1;
    seen->longer |= edge.n == name.n + 1;
    seen->changed |= is_one_byte_off(name, edge);
    seen->very_long |= edge.n == 70000;
}

TEST(test_edges)
{
    static const struct item items[] = {
        {.name = BYTES("_ZN1aEv")}, {.name = BYTES("_ZN1aFi")}, {.name = BYTES("main")}};
    const struct bo_names names = BO_NAMES(items, N_ELEMENTS(items), name);
    struct bo_random random = bo_random_seeded(5);
    struct seen seen = {0};
    for (unsigned i = 0; i < 4000; i++) {
        const struct bo_span edge = bo_name_edge(&names, 0, &random, &arena);
        assert_non_null(edge.p);
        note(&seen, items[0].name, edge);
    }
    assert_true(seen.itself && seen.empty && seen.prefix && seen.shorter);
    assert_true(seen.longer && seen.changed && seen.very_long);
    assert_true(seen.n_branch > 600); /* 3 of 16 are cut there deliberately, some by chance */
}

/* Absent and empty names have edges, too. A full arena has a distinct result. */
TEST(test_edges_of_nothing)
{
    const struct item item = {.name = {NULL, 0}};
    const struct bo_names empty = BO_NAMES(&item, 1, name);
    struct bo_random random = bo_random_seeded(6);
    struct bo_arena none;
    unsigned n_refused = 0;
    bo_arena_init(&none, 0);
    for (unsigned i = 0; i < 500; i++) {
        assert_non_null(bo_name_edge(&nothing, 0, &random, &arena).p);
        assert_non_null(bo_name_edge(&empty, 0, &random, &arena).p);
        n_refused += bo_name_edge(&empty, 0, &random, &none).p == NULL;
    }
    assert_in_range(n_refused, 100, 400);
}

TEST_FILE(set_up, tear_down)
