/*
 * Names and paths of generated AutoFDO models: C, mangled C++ and Rust, the endings that compilers
 * add, and values at which encodings fail (names that are prefixes of others, any bytes, 64 KiB).
 *
 * Each draw is a statement of its own: C leaves the order of evaluation inside an expression to the
 * compiler, and the same seed must give the same model everywhere.
 */
#include <stdio.h>

#include "codecs/autofdo/generate.h"
#include "harness/names/name_source.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* Scopes and 16 digits of a hash. */
static void put_rust_name(struct bo_draft *d, struct bo_random *r)
{
    static const char *const crates[] = {"4core", "5alloc", "3std", "9keystore2", "9hashbrown"};
    bo_draft_text(d, "_ZN");
    BO_DRAFT_ONE_OF(d, r, crates);
    bo_draft_component(d, r, true);
    bo_draft_component(d, r, true);
    const uint64_t hash = bo_random_u64(r);
    char text[24];
    snprintf(text, sizeof text, "17h%016llxE", (unsigned long long)hash);
    bo_draft_text(d, text);
}

/* What compilers append; a unit's own number is one of few. */
static void put_ending(struct bo_draft *d, struct bo_random *r)
{
    static const char *const endings[] = {
        ".__uniq.225254283024301264832516283117214936302",
        ".__uniq.98300234712887350716354902387412009871",
        ".__uniq.7",
        ".llvm.13704852331968424511",
        ".cold",
        ".part.0",
        ".constprop.0.isra.0",
        "C4Ev",
        "D4Ev",
        "C4EPKc",
    };
    BO_DRAFT_ONE_OF(d, r, endings);
}

/* Names that a text form may misread. */
static const char *const strange_names[] = {
    "f:1",  ":",    "a:b:3",    "std::vector<int>::push_back",          "x#y",  "a b",
    "a[1]", "a.b.", "\xc3\xa9", "emplace<void (*&)(void*), void*&>",    "a: 1", "a:1 b",
    "\x7f", "!",    "\xff\xfe", "operator new(unsigned long, int: 5)x",
};

/*
 * Replaces what names may not contain. Also replaces a colon in front, which LLVM does not accept
 * in a target.
 */
static void keep_rules(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] < ' ')
            p[i] = (uint8_t)(p[i] + '!');
    if ((p[0] >= '0' && p[0] <= '9') || p[0] == '#' || p[0] == '!' || p[0] == '[' || p[0] == ':' ||
        p[0] == ' ')
        p[0] = '_';
    if (p[n - 1] == ' ')
        p[n - 1] = '_';
    for (size_t i = 0; i < n && autofdo_name_flaw((struct bo_span){p, n}); i++)
        if (p[i] == ' ')
            p[i] = '_';
}

/* Repeats the draft up to a length that existing readers reject, and that exceeds 16 bits. */
static struct bo_span very_long_name(const struct bo_draft *d, size_t n, struct bo_arena *arena)
{
    uint8_t *p = bo_alloc(arena, n);
    for (size_t i = 0; p && i < n; i++)
        p[i] = d->p[i % d->n];
    if (p)
        keep_rules(p, n); /* it may end inside the draft, at a blank */
    return (struct bo_span){p, n};
}

struct bo_span autofdo_random_name(struct bo_random *r, bool is_c, struct bo_span before,
                                   struct bo_arena *arena)
{
    static const size_t long_sizes[] = {16383, 16384, 65535, 65536};
    struct bo_draft d;
    d.n = 0;
    const bool is_strange = bo_random_one_in(r, bo_random_strangeness(r));
    const uint32_t class = bo_random_below(r, 256);
    if (is_strange)
        bo_draft_strange_name(&d, r, before, strange_names,
                              sizeof strange_names / sizeof *strange_names);
    else if (class >= 160 && before.n)
        bo_draft_related_name(&d, r, before);
    else if (is_c)
        bo_draft_identifier(&d, r, true);
    else if (class >= 120)
        put_rust_name(&d, r);
    else
        bo_draft_cxx_name(&d, r);
    if (d.n == 0)
        bo_draft_text(&d, "f");
    if (class % 8 == 1)
        put_ending(&d, r);
    keep_rules(d.p, d.n);
    if (is_strange && class == 255) {
        const uint32_t which = bo_random_below(r, 4);
        return very_long_name(&d, long_sizes[which], arena);
    }
    uint8_t *p = bo_alloc(arena, d.n);
    if (p)
        memcpy(p, d.p, d.n);
    return (struct bo_span){p, d.n};
}

/* ---- paths ----------------------------------------------------------------------------------- */

struct bo_span autofdo_random_path(struct bo_random *r, uint32_t n_paths, struct bo_arena *arena)
{
    static const char *const folders[] = {
        "",
        "src/",
        "/build/project-1.2/lib/",
        "/usr/include/c++/12/bits/",
        "../third party/\xc3\xa9/",
        "./",
        "runtime/gc/collector/",
        "/",
    };
    static const char *const names[] = {"parse", "heap", "string", "list", "x"};
    static const char *const types[] = {".cc", ".c", ".h", ".tcc", ""};
    const uint32_t number = bo_random_below(r, n_paths);
    char text[96];
    snprintf(text, sizeof text, "%s%s%u%s", folders[number % 8], names[number % 5],
             (unsigned)number, types[number / 5 % 5]);
    const size_t n = number ? strlen(text) : 0;
    uint8_t *p = bo_alloc(arena, n);
    if (p && n)
        memcpy(p, text, n);
    return (struct bo_span){p, n};
}
