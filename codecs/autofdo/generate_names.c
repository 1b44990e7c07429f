/*
 * Names and paths of generated AutoFDO models: C, mangled C++ and Rust, the endings that compilers
 * add, and what breaks encodings (names that begin each other, any bytes, 64 KiB).
 *
 * Each draw is a statement of its own: C leaves the order of evaluation inside an expression to the
 * compiler, and the same seed must give the same model everywhere.
 */
#include <stdio.h>

#include "codecs/autofdo/generate.h"

/* ---- drafts ---------------------------------------------------------------------------------- */

struct draft {
    uint8_t p[2048]; /* what does not fit is left out */
    size_t n;
};

static void put_bytes(struct draft *d, const void *p, size_t n)
{
    n = n < sizeof d->p - d->n ? n : sizeof d->p - d->n;
    if (n)
        memcpy(d->p + d->n, p, n);
    d->n += n;
}

static void put_text(struct draft *d, const char *text)
{
    put_bytes(d, text, strlen(text));
}

static void put_number(struct draft *d, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)v);
    put_text(d, text);
}

/* One of the texts, which are an array. */
#define PUT_ONE_OF(d, r, texts)                                                  \
    do {                                                                         \
        const uint32_t which = bo_random_below(r, sizeof texts / sizeof *texts); \
        put_text(d, texts[which]);                                               \
    } while (0)

/* ---- mangled names --------------------------------------------------------------------------- */

/* "getNodeList", or "get_node_list" in C; at least one word. */
static void put_identifier(struct draft *d, struct bo_random *r, bool is_c)
{
    static const char *const words[] = {
        "get",   "set",    "node",   "value",  "list",   "parse",  "read",  "write",
        "open",  "close",  "index",  "table",  "cursor", "thread", "page",  "expr",
        "lock",  "buffer", "string", "map",    "alloc",  "free",   "init",  "find",
        "next",  "insert", "erase",  "visit",  "emit",   "field",  "type",  "class",
        "block", "hash",   "result", "method", "heap",   "symbol", "image", "space",
    };
    const uint32_t n_words = 1 + bo_random_below(r, 4);
    for (uint32_t i = 0; i < n_words; i++) {
        const uint32_t w = bo_random_below(r, sizeof words / sizeof *words);
        char word[16];
        snprintf(word, sizeof word, "%s", words[w]);
        if (i && is_c)
            put_text(d, "_");
        else if (i)
            word[0] = (char)(word[0] - 'a' + 'A');
        put_text(d, word);
    }
}

/* "7getNode": the length, then the identifier. */
static void put_component(struct draft *d, struct bo_random *r, bool is_c)
{
    struct draft identifier;
    identifier.n = 0;
    put_identifier(&identifier, r, is_c);
    put_number(d, identifier.n);
    put_bytes(d, identifier.p, identifier.n);
}

static void put_parameters(struct draft *d, struct bo_random *r)
{
    static const char *const types[] = {
        "i",   "j",    "m",    "b",
        "Pv",  "PKc",  "S0_",  "RKS1_",
        "OT_", "Lb1E", "DpT_", "NSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE",
    };
    const uint32_t n = bo_random_below(r, 4);
    for (uint32_t i = 0; i < n; i++)
        PUT_ONE_OF(d, r, types);
    if (n == 0)
        put_text(d, "v");
}

/* _ZN, scopes, perhaps a template, the function, E, parameters. */
static void put_cxx_name(struct draft *d, struct bo_random *r)
{
    static const char *const scopes[] = {
        "3art2gc9collector", "3art6mirror", "St3__1",    "7android",
        "7leveldb",          "6icu_71",     "7android2", "3art11ClassLinker",
    };
    static const char *const special[] = {"C1", "C2", "C4", "D0", "D2", "D4", "aS", "ixEm", "cl"};
    put_text(d, bo_random_one_in(r, 4) ? "_ZNK" : "_ZN");
    PUT_ONE_OF(d, r, scopes);
    put_component(d, r, false);
    if (bo_random_one_in(r, 3)) {
        put_text(d, "I");
        put_parameters(d, r);
        put_text(d, "E");
    }
    if (bo_random_one_in(r, 4))
        PUT_ONE_OF(d, r, special);
    else
        put_component(d, r, false);
    put_text(d, "E");
    put_parameters(d, r);
}

/* Scopes and 16 digits of a hash. */
static void put_rust_name(struct draft *d, struct bo_random *r)
{
    static const char *const crates[] = {"4core", "5alloc", "3std", "9keystore2", "9hashbrown"};
    put_text(d, "_ZN");
    PUT_ONE_OF(d, r, crates);
    put_component(d, r, true);
    put_component(d, r, true);
    const uint64_t hash = bo_random_u64(r);
    char text[24];
    snprintf(text, sizeof text, "17h%016llxE", (unsigned long long)hash);
    put_text(d, text);
}

/* What compilers append; a unit's own number is one of few. */
static void put_ending(struct draft *d, struct bo_random *r)
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
    PUT_ONE_OF(d, r, endings);
}

/* ---- related and strange names --------------------------------------------------------------- */

/* The start of the name before, cut anywhere, with another end: prefixes are shared. */
static void put_related_name(struct draft *d, struct bo_random *r, struct bo_span before)
{
    const uint32_t n = before.n < sizeof d->p ? (uint32_t)before.n : (uint32_t)sizeof d->p;
    const uint32_t cut = bo_random_below(r, n + 1);
    put_bytes(d, before.p, cut);
    put_component(d, r, false);
    if (bo_random_one_in(r, 2))
        put_parameters(d, r);
}

/* Names that hurt: any bytes, one byte, colons, long, one that begins another. */
static void put_strange_name(struct draft *d, struct bo_random *r, struct bo_span before)
{
    static const char *const texts[] = {
        "f:1",  ":",    "a:b:3",    "std::vector<int>::push_back",          "x#y",  "a b",
        "a[1]", "a.b.", "\xc3\xa9", "emplace<void (*&)(void*), void*&>",    "a: 1", "a:1 b",
        "\x7f", "!",    "\xff\xfe", "operator new(unsigned long, int: 5)x",
    };
    const uint32_t way = bo_random_below(r, 8);
    uint32_t n = 0;
    switch (way) {
    case 0:
        break; /* one byte, below */
    case 1:
        PUT_ONE_OF(d, r, texts);
        return;
    case 2: /* a prefix of the name before */
        n = bo_random_below(r, (uint32_t)(before.n < 4096 ? before.n : 4096) + 1);
        put_bytes(d, before.p, n);
        return;
    case 3: /* that name and a byte */
        put_bytes(d, before.p, before.n);
        break;
    case 4: /* longer than a byte can count */
        for (n = 250 + bo_random_below(r, 1500); d->n < n;)
            put_bytes(d, before.n ? before.p : (const uint8_t *)"x", before.n ? before.n : 1);
        d->n = n;
        return;
    default:
        for (n = bo_random_below(r, 12); n; n--) {
            const uint8_t any = bo_random_u8(r);
            put_bytes(d, &any, 1);
        }
        return;
    }
    const uint8_t last = bo_random_u8(r);
    put_bytes(d, &last, 1);
}

/*
 * What names may not have becomes something else. So does a colon in front, which LLVM does not
 * read in a target.
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

/* As long as the field's readers refuse, and as 16 bits cannot count: the draft over and over. */
static struct bo_span very_long_name(const struct draft *d, size_t n, struct bo_arena *arena)
{
    uint8_t *p = bo_alloc(arena, n);
    for (size_t i = 0; p && i < n; i++)
        p[i] = d->p[i % d->n];
    return (struct bo_span){p, n};
}

struct bo_span autofdo_random_name(struct bo_random *r, bool is_c, struct bo_span before,
                                   struct bo_arena *arena)
{
    static const size_t long_sizes[] = {16383, 16384, 65535, 65536};
    struct draft d;
    d.n = 0;
    const bool is_strange = bo_random_one_in(r, autofdo_strangeness(r));
    const uint32_t class = bo_random_below(r, 256);
    if (is_strange)
        put_strange_name(&d, r, before);
    else if (class >= 160 && before.n)
        put_related_name(&d, r, before);
    else if (is_c)
        put_identifier(&d, r, true);
    else if (class >= 120)
        put_rust_name(&d, r);
    else
        put_cxx_name(&d, r);
    if (d.n == 0)
        put_text(&d, "f");
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
