/*
 * How names are split. Why: whoever claims to write as Templight does must make its entries, id for
 * id, of names that confuse simpler splitters; and names that nest deep have crashed or stalled
 * writers.
 */
#include <stdlib.h>

#include "codecs/templight/test_model.h"
#include "codecs/templight/tokenise.h"

/* ---- entries --------------------------------------------------------------------------------- */

/* Entries as text: markers as dots, then ids; a line each. */
static void print_entries(const struct templight_dictionary *dictionary, struct bo_writer *out)
{
    for (uint32_t id = 0; id < dictionary->n_pieces; id++) {
        const struct templight_piece *piece = &dictionary->pieces[id];
        const struct bo_span marked = templight_piece_marked(dictionary, piece);
        for (size_t i = 0; i < marked.n; i++)
            bo_put_u8(out, marked.p[i] ? marked.p[i] : '.');
        for (uint32_t i = 0; i < piece->n_ids; i++)
            bo_put_text(out, "%s%u", i ? "," : "  ", templight_piece_ids(dictionary, piece)[i]);
        bo_put_u8(out, '\n');
    }
}

static void expect_entries(enum templight_rule rule, const char *name, const char *expected)
{
    struct bo_arena arena;
    struct templight_dictionary dictionary;
    struct bo_writer out;
    uint32_t id;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    assert_true(templight_dictionary_init(&dictionary, rule, &arena));
    assert_int_equal(templight_dictionary_add(&dictionary, bo_span_of(name), &id, NULL), BO_OK);
    print_entries(&dictionary, &out);
    if (!bo_span_equal(bo_writer_span(&out), bo_span_of(expected)))
        fail_msg("%s becomes\n%.*s, not\n%s", name, (int)out.n, (const char *)out.p, expected);
    assert_int_equal(id, dictionary.n_pieces - 1);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* The entries that Templight's own writer makes of each name. */
TEST(test_code)
{
    static const struct {
        const char *name, *entries;
    } rows[] = {
        {"std::basic_string<char, std::char_traits<char>, std::allocator<char>>",
         "std\nbasic_string\nchar\nchar_traits\n.::.<.>  0,3,2\nallocator\n.::.<.>  0,5,2\n"
         ".::.<., ., .>  0,1,2,4,6\n"},
        {"std::operator<<", "std\noperator<<\n.::.  0,1\n"},
        {"std::operator<<<char, int>", "std\noperator<<\nchar\nint\n.::.<., .>  0,1,2,3\n"},
        {"std::chrono::operator<<long, int>",
         "std\nchrono\noperator<\nlong\nint\n.::.::.<., .>  0,1,2,3,4\n"},
        {"P<int>::operator->", "P\nint\noperator->\n.<.>::.  0,1,2\n"},
        {"C<&(anonymous namespace)::S::operator->>",
         "C\n&(anonymous namespace)\nS\noperator-\n.::.::.  1,2,3\n>\n.<.>.  0,4,5\n"},
        {"std::function<int (int, const char *)>",
         "std\nfunction\nint (int\nconst char *)\n.::.<., .>  0,1,2,3\n"},
        {"Ch<','>", "Ch\n'\n.<.,.>  0,1,1\n"},
        {"C<'<'>", "C<'<'>\n"},
        {"arg_t<n, enable_if_t<(n > 25)>>",
         "arg_t\nn\nenable_if_t\n(n\n 25)\n.<. >.  2,3,4\n>\n.<., .>.  0,1,5,6\n"},
        {"decltype(a<1>())::t", "decltype(a\n1\n())\nt\n.<.>.::.  0,1,2,3\n"},
        {"A<>", "A\n\n.<.>  0,1\n"},
        {"A< >", "A\n \n.<.>  0,1\n"},
        {"A<B<C> >", "A\nB\nC\n.<.>  1,2\n.<. >  0,3\n"},
        {"A<b >", "A\nb\n.<. >  0,1\n"},
        {"A< b>", "A\nb\n.< .>  0,1\n"},
        {"a<b", "a<b\n"},
        {"a::b<c", "a\nb<c\n.::.  0,1\n"},
        /* Further consequences of the rule. */
        {"", "\n"},
        {"::", "::\n"},
        {"::a", "::a\n"},
        {"::a::b", "a\nb\n::.::.  0,1\n"},
        {"a::", "a\n.::  0\n"},
        {"a:::b", "a\n:b\n.::.  0,1\n"},
        {">", ">\n"},
        {"<", "<\n"},
        {"<>", "\n<.>  0\n"},
        {"X<a, b<c", "X\na\n.<., b<c  0,1\n"},
        {"A<a><b>", "A\na\nb\n.<.><.>  0,1,2\n"},
        {"A<   >", "A\n \n.<  .>  0,1\n"},
        {"a<operator<b>>", "a\noperator<b>\n.<.>  0,1\n"},
        {"operator<=", "operator<=\n"},
        {"x operator<<", "x operator<<\n"},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++)
        expect_entries(TEMPLIGHT_SPLIT_SCOPES, rows[i].name, rows[i].entries);
}

/* The wiki's example, and what else its steps say. */
TEST(test_wiki)
{
    static const struct {
        const char *name, *entries;
    } rows[] = {
        {"std::basic_string<char, std::char_traits<char>, std::allocator<char>>",
         "std::basic_string\nchar\nstd::char_traits\n.<.>  2,1\nstd::allocator\n.<.>  4,1\n"
         ".<., ., .>  0,1,3,5\n"},
        {"std::operator<<", "std::operator<<\n"},
        {"std::operator<<<char, int>", "std::operator<<\nchar\nint\n.<., .>  0,1,2\n"},
        {"P<int>::operator->", "P\nint\noperator->\n.<.>::.  0,1,2\n"},
        {"C<&S::operator->>", "C\n&S::operator->\n.<.>  0,1\n"},
        {"std::function<int (int, const char *)>",
         "std::function\nint (int, const char *)\n.<.>  0,1\n"},
        {"arg_t<n, enable_if_t<(n > 25)>>",
         "arg_t\nn\nenable_if_t\n(n > 25)\n.<.>  2,3\n.<., .>  0,1,4\n"},
        {"A<B>::C<D>::e", "A\nB\nC\nD\ne\n.<.>::.  2,3,4\n.<.>::.  0,1,5\n"},
        {"decltype(a<1>())::t", "decltype(a\n1\n())::t\n.<.>.  0,1,2\n"},
        {"A<>", "A\n.<>  0\n"},
        {"A<B<C> >", "A\nB\nC\n.<.>  1,2\n.<. >  0,3\n"},
        {"a<b", "a<b\n"},
        {"(a < b)::c<d>", "(a < b)::c<d>\n"},
        {"f<(a < b), c>", "f\n(a < b)\nc\n.<., .>  0,1,2\n"},
        {"f<a[b, c], {d, e}>", "f\na[b, c]\n{d, e}\n.<., .>  0,1,2\n"},
        {"f<a(b<c), d>", "f\na(b<c)\nd\n.<., .>  0,1,2\n"},
        {"", "\n"},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++)
        expect_entries(TEMPLIGHT_SPLIT_WIKI, rows[i].name, rows[i].entries);
}

/* Ours: what is around a type comes off first, then a scope that has a list, then the list. */
TEST(test_types)
{
    static const struct {
        const char *name, *entries;
    } rows[] = {
        {"std::basic_string<char, std::char_traits<char>, std::allocator<char>>",
         "std::basic_string\nchar\nstd::char_traits\n.<.>  2,1\nstd::allocator\n.<.>  4,1\n"
         ".<., ., .>  0,1,3,5\n"},
        {"A<B>::C<D>::e", "A\nB\n.<.>  0,1\nC\nD\n.<.>  3,4\n.::.  2,5\ne\n.::.  6,7\n"},
        {"const A<int> &", "A\nint\n.<.>  0,1\nconst .  2\n. &  3\n"},
        {"volatile A<B> *const", "A\nB\n *const\n.<.>.  0,1,2\nvolatile .  3\n"},
        {"A<B> **&&", "A\nB\n.<.>  0,1\n. *  2\n.*  3\n.&&  4\n"},
        {"A<B> const...", "A\nB\n.<.>  0,1\n. const  2\n....  3\n"},
        {"&A<B>::f", "A\nB\n.<.>  0,1\nf\n.::.  2,3\n&.  4\n"},
        {"const char *", "const char *\n"},
        {"A<B>::", "A\nB\n.<.>  0,1\n.::  2\n"},
        {"A<B>:::c", "A\nB\n.<.>  0,1\n:c\n.::.  2,3\n"},
        {"A<B>::operator&", "A\nB\n.<.>  0,1\noperator&\n.::.  2,3\n"},
        {"operator&<A>", "operator&\nA\n.<.>  0,1\n"},
        {"P<int>::operator->", "P\nint\n.<.>  0,1\noperator->\n.::.  2,3\n"},
        {"f(a::b<c>)::d<e::f>::g",
         "f(a::b\nc\n)\n.<.>.  0,1,2\nd\ne::f\n.<.>  4,5\n.::.  3,6\ng\n.::.  7,8\n"},
        {"f(a<b>::c)", "f(a\nb\nc)\n.<.>::.  0,1,2\n"},
        {"(a < b)::c<d>", "(a < b)::c\nd\n.<.>  0,1\n"},
        {"A<>", "A\n.<>  0\n"},
        {"a<b", "a<b\n"},
        {"", "\n"},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++)
        expect_entries(TEMPLIGHT_SPLIT_TYPES, rows[i].name, rows[i].entries);
}

/* A part that is there already is found by its text, wherever it occurred. */
TEST(test_found_again)
{
    static const char *const names[] = {"A<std::b>", "std::b", "std", "b::A", "A<std::b>"};
    static const uint32_t expected[] = {4, 3, 1, 5, 4};
    struct bo_arena arena;
    struct templight_dictionary dictionary;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_true(templight_dictionary_init(&dictionary, TEMPLIGHT_SPLIT_SCOPES, &arena));
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        uint32_t id;
        assert_int_equal(templight_dictionary_add(&dictionary, bo_span_of(names[i]), &id, NULL),
                         BO_OK);
        assert_int_equal(id, expected[i]);
    }
    bo_arena_free(&arena);
}

TEST(test_nul)
{
    static const struct bo_span name = BYTES("a<b\0c>");
    struct bo_arena arena;
    struct templight_dictionary dictionary;
    struct bo_error error = {0};
    uint32_t id;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_true(templight_dictionary_init(&dictionary, TEMPLIGHT_SPLIT_SCOPES, &arena));
    assert_int_equal(templight_dictionary_add(&dictionary, name, &id, &error), BO_UNSUPPORTED);
    assert_int_equal(error.off, 3);
    assert_string_equal(error.what, "text holds a NUL");
    assert_int_equal(dictionary.n_pieces, 0);
    bo_arena_free(&arena);
}

/* ---- putting together ------------------------------------------------------------------------ */

/* Where a name is while it is put together: an entry, and how far. */
struct place {
    uint32_t id, next_id;
    size_t at;
};

/* Fails unless the entries spell the name: with a stack of its own, and byte by byte. */
static void expect_spells(const struct templight_dictionary *dictionary, uint32_t id,
                          struct bo_span name)
{
    struct place *stack = malloc((dictionary->n_pieces + (size_t)1) * sizeof *stack);
    size_t n = 1, at = 0;
    assert_non_null(stack);
    stack[0] = (struct place){.id = id};
    while (n) {
        struct place *top = &stack[n - 1];
        const struct templight_piece *piece = &dictionary->pieces[top->id];
        const struct bo_span marked = templight_piece_marked(dictionary, piece);
        if (top->at == marked.n) {
            assert_int_equal(top->next_id, piece->n_ids);
            n--;
            continue;
        }
        const uint8_t c = marked.p[top->at++];
        if (c) {
            assert_true(at < name.n && name.p[at] == c);
            at++;
            continue;
        }
        assert_true(top->next_id < piece->n_ids);
        const uint32_t part = templight_piece_ids(dictionary, piece)[top->next_id++];
        assert_true(part < top->id); /* so the stack has room */
        stack[n++] = (struct place){.id = part};
    }
    assert_int_equal(at, name.n);
    free(stack);
}

static void expect_round_trip(enum templight_rule rule, struct bo_span name, size_t max_entries)
{
    struct bo_arena arena;
    struct templight_dictionary dictionary;
    uint32_t id;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_true(templight_dictionary_init(&dictionary, rule, &arena));
    dictionary.max_split_nbytes = SIZE_MAX;
    assert_int_equal(templight_dictionary_add(&dictionary, name, &id, NULL), BO_OK);
    expect_spells(&dictionary, id, name);
    assert_in_range(dictionary.n_pieces, 1, max_entries);
    /* Memory is linear in the name, too. */
    assert_true(arena.peak_nbytes < 4096 + 1024 * (name.n + 1));
    bo_arena_free(&arena);
}

/* Names of all short sequences of what splitters look at. */
TEST(test_all_short_names)
{
    static const char *const parts[] = {"<", ">", ",", "::", " ", "a", "operator<", "(", ")", "-"};
    enum { LENGTH = 5 };
    size_t n_names = 1;
    for (unsigned i = 0; i < LENGTH; i++)
        n_names *= N_ELEMENTS(parts);
    for (size_t n = 0; n < n_names; n++) {
        char name[64] = "";
        size_t rest = n;
        for (unsigned i = 0; i < LENGTH; i++, rest /= N_ELEMENTS(parts))
            strcat(name, parts[rest % N_ELEMENTS(parts)]);
        expect_round_trip(TEMPLIGHT_SPLIT_SCOPES, bo_span_of(name), 100);
        expect_round_trip(TEMPLIGHT_SPLIT_WIKI, bo_span_of(name), 100);
        expect_round_trip(TEMPLIGHT_SPLIT_TYPES, bo_span_of(name), 100);
    }
}

/* A name of `start`, n times, and then `end`, n times. */
static struct bo_span repeat(const char *start, const char *end, size_t n)
{
    const size_t n_start = strlen(start), n_end = strlen(end);
    uint8_t *p = malloc(n * (n_start + n_end) + 1);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) {
        memcpy(p + i * n_start, start, n_start);
        memcpy(p + n * n_start + i * n_end, end, n_end);
    }
    return (struct bo_span){p, n * (n_start + n_end)};
}

/* Deep and long names, which take writers that copy at each level hours, or their stacks. */
TEST(test_deep)
{
    enum { N = 100000 };
    static const struct {
        const char *start, *end;
        size_t max_entries;
    } rows[] = {
        {"A<", ">", N + 2},
        {"<", "", 1},
        {"A<", "", 1},
        {"::", "", 1},
        {"A<B,", ">", N + 3},
        {"A<(", ")>", 2 * N + 5},
        {"A<a::", ">", 2 * N + 5},
        {"operator<", ">", 3},
        {"A<>::", "", 3 * N},
        {"a::", "", 3},
        {"A<,", ">", 2 * N + 5},
        {"(<", ")", 3},
        {"<", ">", N + 2},
        {"operator<<<", ">", N + 5},
        {"A<B>::", "", 4 * N},
        {"A<const ", "> &", 3 * N},
        {"const ", "A<b>", 2 * N},
        {"A<b>", " &", 3 * N},
        {"A<b>", "", 3 * N},
    };
    for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
        const struct bo_span name = repeat(rows[i].start, rows[i].end, N);
        expect_round_trip(TEMPLIGHT_SPLIT_SCOPES, name, rows[i].max_entries);
        expect_round_trip(TEMPLIGHT_SPLIT_WIKI, name, 3 * (size_t)N);
        expect_round_trip(TEMPLIGHT_SPLIT_TYPES, name, 3 * (size_t)N + 5);
        free((void *)(uintptr_t)name.p);
    }
}

/* Many arguments: the worst growth that is known. */
TEST(test_wide)
{
    const struct bo_span name = repeat(",", ",", 25000);
    uint8_t *p = (uint8_t *)(uintptr_t)name.p;
    memcpy(p, "A<", 2);
    p[name.n - 1] = '>';
    expect_round_trip(TEMPLIGHT_SPLIT_SCOPES, name, 3);
    expect_round_trip(TEMPLIGHT_SPLIT_WIKI, name, 2);
    expect_round_trip(TEMPLIGHT_SPLIT_TYPES, name, 2);
    free(p);
}

/* Names of more than 64 KiB are kept whole; those of 64 KiB are split. */
TEST(test_kept_whole)
{
    for (size_t extra = 0; extra < 2; extra++) {
        struct bo_arena arena;
        struct templight_dictionary dictionary;
        uint32_t id;
        const struct bo_span long_name = repeat("a,", "", TEMPLIGHT_MAX_SPLIT_NBYTES);
        const struct bo_span name = {long_name.p, TEMPLIGHT_MAX_SPLIT_NBYTES + extra};
        uint8_t *p = (uint8_t *)(uintptr_t)name.p;
        p[1] = '<';
        p[name.n - 1] = '>';
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assert_true(templight_dictionary_init(&dictionary, TEMPLIGHT_SPLIT_SCOPES, &arena));
        assert_int_equal(templight_dictionary_add(&dictionary, name, &id, NULL), BO_OK);
        if (extra)
            assert_int_equal(dictionary.n_pieces, 1);
        else
            assert_in_range(dictionary.n_pieces, 2, 4);
        expect_spells(&dictionary, id, name);
        free(p);
        bo_arena_free(&arena);
    }
}

/* The n-th allocation fails, and the failure is reported. */
TEST(test_no_memory)
{
    for (uint64_t n = 1;; n++) {
        struct bo_arena arena;
        struct templight_dictionary dictionary;
        uint32_t id;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assert_true(templight_dictionary_init(&dictionary, TEMPLIGHT_SPLIT_SCOPES, &arena));
        arena.fail_at = arena.n_allocs + n;
        const enum bo_status status = templight_dictionary_add(
            &dictionary, bo_span_of("a::b<c<d>, e, f, g<h>>::i"), &id, NULL);
        bo_arena_free(&arena);
        if (status == BO_OK) {
            assert_true(n > 3);
            break;
        }
        assert_int_equal(status, BO_NO_MEMORY);
    }
}

TEST_FILE(NULL, NULL)
