/*
 * Names and places from randomness. Most names have the shape of real ones: scopes, arguments that
 * are names again, operators whose signs look like brackets. The odd ones are those that a splitter
 * at brackets, or a reader of YAML, may stumble over.
 *
 * Each draw is a statement of its own: the same seed must give the same names everywhere.
 */
#include "codecs/templight/generate.h"

#define N_ELEMENTS(array) (sizeof(array) / sizeof *(array))
#define PICK(random, array) (array)[bo_random_below(random, N_ELEMENTS(array))]

/* ---- names as compilers print them ----------------------------------------------------------- */

static const char *const scopes[] = {"",
                                     "std::",
                                     "std::",
                                     "boost::hana::",
                                     "std::__detail::",
                                     "(anonymous namespace)::",
                                     "__gnu_cxx::",
                                     "lib::v2::"};
static const char *const templates[] = {
    "vector",  "basic_string", "pair", "tuple",     "allocator", "map", "char_traits",      "_Node",
    "is_same", "function",     "hash", "enable_if", "S",         "Box", "integral_constant"};
static const char *const leaves[] = {
    "int",      "char", "unsigned long", "const char *", "bool",
    "double &", "T",    "_Args &&",      "void",         "std::nullptr_t"};
static const char *const values[] = {
    "0",     "true",           "1UL",       "'<'", "'>'", "','", "'\\x03'", "(n > 25)", "(1>0)",
    "T < U", "&S::operator->", "sizeof(T)", "-1"};
static const char *const members[] = {"operator<",  "operator<<", "operator->", "operator>>",
                                      "operator()", "operator<=", "push_back",  "type",
                                      "value",      "_M_insert",  "~S",         "operator bool"};

static void put_identifier(struct bo_random *random, struct bo_draft *draft)
{
    BO_DRAFT_ONE_OF(draft, random, templates);
    if (bo_random_one_in(random, 3))
        bo_draft_number(draft, bo_random_below(random, 500));
}

static void put_argument(struct bo_random *random, const struct bo_texts *before, unsigned depth,
                         struct bo_draft *draft);

static void put_arguments(struct bo_random *random, const struct bo_texts *before, unsigned depth,
                          struct bo_draft *draft)
{
    const uint32_t n = bo_random_below(random, bo_random_one_in(random, 32) ? 20 : 4);
    bo_draft_text(draft, "<");
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            bo_draft_text(draft, ", ");
        put_argument(random, before, depth + 1, draft);
    }
    bo_draft_text(draft, ">");
}

static void put_template(struct bo_random *random, const struct bo_texts *before, unsigned depth,
                         struct bo_draft *draft)
{
    BO_DRAFT_ONE_OF(draft, random, scopes);
    put_identifier(random, draft);
    if (!bo_random_one_in(random, 8))
        put_arguments(random, before, depth, draft);
    if (bo_random_one_in(random, 4)) {
        bo_draft_text(draft, "::");
        BO_DRAFT_ONE_OF(draft, random, members);
        if (bo_random_one_in(random, 3))
            put_arguments(random, before, depth, draft);
    }
}

static void put_lambda(struct bo_random *random, struct bo_draft *draft)
{
    const struct bo_span file = templight_random_file(random);
    bo_draft_text(draft, "(lambda at ");
    bo_draft_bytes(draft, file.p, file.n);
    bo_draft_text(draft, ":");
    bo_draft_number(draft, bo_random_below(random, 900));
    bo_draft_text(draft, ":");
    bo_draft_number(draft, bo_random_below(random, 80));
    bo_draft_text(draft, ")");
}

static void put_argument(struct bo_random *random, const struct bo_texts *before, unsigned depth,
                         struct bo_draft *draft)
{
    const uint32_t choice = bo_random_below(random, 16);
    const bool is_deep = depth > 6 || bo_random_exhausted(random);
    if (choice < 4 && before->n) {
        const struct bo_span name = before->texts[bo_random_below(random, before->n)];
        bo_draft_bytes(draft, name.p, name.n);
    } else if (choice < 9 && !is_deep) {
        put_template(random, before, depth, draft);
    } else if (choice < 13) {
        BO_DRAFT_ONE_OF(draft, random, leaves);
    } else if (choice < 14) {
        BO_DRAFT_ONE_OF(draft, random, values);
    } else if (choice < 15) {
        put_lambda(random, draft);
    } else {
        BO_DRAFT_ONE_OF(draft, random, leaves);
        bo_draft_text(draft, " (");
        BO_DRAFT_ONE_OF(draft, random, leaves);
        bo_draft_text(draft, ", ");
        BO_DRAFT_ONE_OF(draft, random, leaves);
        bo_draft_text(draft, ")");
    }
}

void templight_random_name(struct bo_random *random, const struct bo_texts *before,
                           struct bo_draft *draft)
{
    draft->n = 0;
    if (bo_random_one_in(random, bo_random_strangeness(random)))
        templight_strange_name(random, before, draft);
    else if (bo_random_one_in(random, 16))
        put_argument(random, before, 0, draft);
    else
        put_template(random, before, 0, draft);
}

/* ---- odd names ------------------------------------------------------------------------------- */

static const char *const odd[] = {
    "",
    " ",
    "<",
    ">",
    ",",
    "::",
    ":",
    "<<",
    ">>",
    "<>",
    "<<<",
    ">::<",
    "a<b",
    "a::b<c",
    "A<>",
    "A< >",
    "A<B<C> >",
    "A<B>>",
    "A<,>",
    "A<, ,>",
    "C<'<'>",
    "Ch<','>",
    "::A<::B>",
    "A<B>::",
    "operator<",
    "operator<<",
    "operator<<<",
    "operator<<<char, int>",
    "operator<<long, int>",
    "x::operator<",
    "P<int>::operator->",
    "C<&(anonymous namespace)::S::operator->>",
    "arg_t<n, enable_if_t<(n > 25)>>",
    "decltype(a<1>())::t",
    "std::function<int (int, const char *)>",
    "unnamed template type parameter 1 of f",
    "it's",
    "''",
    "'",
    "\"",
    "\\",
    "# no comment",
    "- item",
    "---",
    "...",
    "null",
    "~",
    "true",
    "1.5",
    "0x1F",
    ".inf",
    "!!binary AAAA",
    "[a]",
    "{a: b}",
    "key: value",
    "%TAG",
    "@",
    "`",
    "a\tb",
    "\ta",
    "a ",
    "a\nb",
    "a\r",
    "\x7f",
    "\x01",
    "\x1b[0m",
    "caf\xc3\xa9",
    "\xc2\x85",
    "\xc2\xa0",
    "\xe2\x80\xa8",
    "\xef\xbb\xbf",
    "\xf0\x9f\x98\x80",
    "\xff",
    "\xff\xfe\xc3",
    "\xc0\x80",
    "\xed\xa0\x80",
    "a\xff<b\xff>",
};

static void put_repeated(struct bo_draft *draft, const char *text, uint32_t n)
{
    for (; n; n--)
        bo_draft_text(draft, text);
}

/*
 * One of the odd ones, or what hurts any encoding of names; a NUL, which no name has, is a bracket.
 */
static void put_odd(struct bo_random *random, const struct bo_texts *before, struct bo_draft *draft)
{
    const struct bo_span last =
        before->n ? before->texts[before->n - 1] : (struct bo_span){NULL, 0};
    if (!bo_random_one_in(random, 3)) {
        BO_DRAFT_ONE_OF(draft, random, odd);
        return;
    }
    bo_draft_strange_name(draft, random, last, odd, N_ELEMENTS(odd));
    for (size_t i = 0; i < draft->n; i++)
        if (draft->p[i] == 0)
            draft->p[i] = '<';
}

void templight_strange_name(struct bo_random *random, const struct bo_texts *before,
                            struct bo_draft *draft)
{
    const uint32_t choice = bo_random_below(random, 16);
    const uint32_t n = 1 + bo_random_below(random, 255);
    draft->n = 0;
    switch (choice) {
    case 0:
        put_repeated(draft, "A<", n);
        put_repeated(draft, ">", n);
        break;
    case 1:
        bo_draft_text(draft, "A<");
        put_repeated(draft, ",", n);
        bo_draft_text(draft, ">");
        break;
    case 2:
        put_repeated(draft, bo_random_one_in(random, 2) ? "<" : "A<", n);
        break;
    case 3:
        put_repeated(draft, bo_random_one_in(random, 2) ? "::" : "a::", n);
        break;
    case 4:
        for (uint32_t i = 0; i < n % 32; i++) {
            const uint8_t byte = (uint8_t) "<>,: oA'"[bo_random_below(random, 8)];
            bo_draft_bytes(draft, &byte, 1);
        }
        break;
    default:
        put_odd(random, before, draft);
        break;
    }
}

/* ---- the rest of a record -------------------------------------------------------------------- */

struct bo_span templight_random_file(struct bo_random *random)
{
    static const char *const files[] = {
        "main.cpp",
        "/usr/include/c++/12/bits/stl_vector.h",
        "/usr/include/c++/12/bits/basic_string.h",
        "/usr/include/c++/12/type_traits",
        "/usr/include/boost/hana/tuple.hpp",
        "/usr/include/c++/12/tuple",
        "src/parser.h",
        "/usr/include/c++/12/bits/move.h",
    };
    static const char *const odd_files[] = {
        "",     ":", "a:1:2", "C:\\x.h", "it's.h", "<scratch space>", "\xff.h", "caf\xc3\xa9.h",
        "a\nb", " ",
    };
    const char *file = bo_random_one_in(random, bo_random_strangeness(random))
                           ? PICK(random, odd_files)
                           : PICK(random, files);
    return (struct bo_span){(const uint8_t *)file, strlen(file)};
}

static uint32_t random_line(struct bo_random *random)
{
    static const uint32_t extremes[] = {0,         1, 127, 128, INT32_MAX, (uint32_t)INT32_MAX + 6,
                                        UINT32_MAX};
    if (bo_random_one_in(random, bo_random_strangeness(random)))
        return PICK(random, extremes);
    return 1 + bo_random_below(random, 3000);
}

struct templight_place templight_random_place(struct bo_random *random)
{
    struct templight_place place = {.present = true};
    if (bo_random_one_in(random, 32))
        return (struct templight_place){0};
    place.file = templight_random_file(random);
    place.line = random_line(random);
    place.column =
        bo_random_one_in(random, 64) ? random_line(random) : 1 + bo_random_below(random, 80);
    return place;
}

uint32_t templight_random_kind(struct bo_random *random)
{
    static const uint32_t odd_kinds[] = {24, 99, 1000, 1003, 1004, INT32_MAX, UINT32_MAX};
    if (bo_random_one_in(random, bo_random_strangeness(random)))
        return PICK(random, odd_kinds);
    return bo_random_one_in(random, 2) ? TEMPLIGHT_MEMOIZATION
                                       : bo_random_below(random, TEMPLIGHT_N_NAMED_KINDS);
}

uint64_t templight_random_time(struct bo_random *random)
{
    static const uint64_t odd_times[] = {0,
                                         1,
                                         UINT64_C(1) << 63,
                                         UINT64_C(0x7ff0000000000000),
                                         UINT64_C(0xfff0000000000000),
                                         UINT64_C(0x7ff8000000000000),
                                         UINT64_C(0xfff8000000000000),
                                         UINT64_C(0x7ff0000000000001),
                                         UINT64_MAX};
    if (bo_random_one_in(random, bo_random_strangeness(random)))
        return PICK(random, odd_times);
    const double seconds = bo_random_below(random, 60000000) / 1e6;
    uint64_t bits;
    memcpy(&bits, &seconds, sizeof bits);
    return bits;
}

uint64_t templight_random_memory(struct bo_random *random)
{
    static const uint64_t odd_sizes[] = {0, 1, UINT64_C(3) << 30, UINT64_C(100) << 30, UINT64_MAX};
    if (bo_random_one_in(random, bo_random_strangeness(random)))
        return PICK(random, odd_sizes);
    return (uint64_t)bo_random_below(random, 1 << 20) * 4096;
}
