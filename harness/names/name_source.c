/*
 * Random names of functions.
 *
 * Each draw is a separate statement: C does not define the order of evaluation inside an
 * expression, and a seed must give the same names everywhere.
 */
#include "harness/names/name_source.h"

#include <stdio.h>

/* ---- drafts ---------------------------------------------------------------------------------- */

void bo_draft_bytes(struct bo_draft *d, const void *p, size_t n)
{
    n = n < sizeof d->p - d->n ? n : sizeof d->p - d->n;
    if (n)
        memcpy(d->p + d->n, p, n);
    d->n += n;
}

void bo_draft_text(struct bo_draft *d, const char *text)
{
    bo_draft_bytes(d, text, strlen(text));
}

void bo_draft_number(struct bo_draft *d, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)v);
    bo_draft_text(d, text);
}

void bo_draft_one_of(struct bo_draft *d, struct bo_random *random, const char *const *texts,
                     uint32_t n_texts)
{
    const uint32_t i = bo_random_below(random, n_texts);
    bo_draft_text(d, texts[i]);
}

/* ---- mangled names --------------------------------------------------------------------------- */

void bo_draft_identifier(struct bo_draft *d, struct bo_random *r, bool is_c)
{
    static const char *const words[] = {
        "get",   "set",    "node",   "value", "list",   "parse",  "read",  "write",
        "open",  "close",  "index",  "table", "cursor", "btree",  "page",  "expr",
        "token", "buffer", "string", "map",   "alloc",  "free",   "init",  "find",
        "next",  "insert", "erase",  "visit", "emit",   "lower",  "type",  "decl",
        "block", "hash",   "result", "state", "module", "symbol", "debug", "scope",
    };
    const uint32_t n_words = 1 + bo_random_below(r, 4);
    for (uint32_t i = 0; i < n_words; i++) {
        char word[16];
        const uint32_t w = bo_random_below(r, sizeof words / sizeof *words);
        snprintf(word, sizeof word, "%s", words[w]);
        if (i && is_c)
            bo_draft_text(d, "_");
        else if (i)
            word[0] = (char)(word[0] - 'a' + 'A');
        bo_draft_text(d, word);
    }
    if (bo_random_one_in(r, 8)) {
        const uint32_t number = bo_random_below(r, 1000);
        bo_draft_number(d, number);
    }
}

void bo_draft_component(struct bo_draft *d, struct bo_random *r, bool is_c)
{
    struct bo_draft identifier;
    identifier.n = 0;
    bo_draft_identifier(&identifier, r, is_c);
    bo_draft_number(d, identifier.n);
    bo_draft_bytes(d, identifier.p, identifier.n);
}

/* A type, mangled as by C++ compilers. depth limits the nesting of templates. */
static void put_type(struct bo_draft *d, struct bo_random *r, unsigned depth)
{
    static const char *const simple[] = {"i",   "j",   "m",   "b",    "Pv",   "PKc",
                                         "RKm", "S0_", "S1_", "RS2_", "OS3_", "x"};
    const uint32_t class = bo_random_below(r, 16);
    if (class < 10 || depth == 0) {
        BO_DRAFT_ONE_OF(d, r, simple);
    } else if (class < 12) {
        bo_draft_text(d, "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
    } else if (class < 14) {
        bo_draft_text(d, "St6vectorI");
        put_type(d, r, depth - 1);
        bo_draft_text(d, "SaIS4_EE");
    } else {
        bo_draft_text(d, "N");
        bo_draft_component(d, r, false);
        bo_draft_component(d, r, false);
        bo_draft_text(d, "I");
        put_type(d, r, depth - 1);
        bo_draft_text(d, "EE");
    }
}

static void put_parameters(struct bo_draft *d, struct bo_random *r)
{
    const uint32_t n = bo_random_below(r, 4);
    for (uint32_t i = 0; i < n; i++)
        put_type(d, r, 3);
    if (n == 0)
        bo_draft_text(d, "v");
}

void bo_draft_cxx_name(struct bo_draft *d, struct bo_random *r)
{
    static const char *const scopes[] = {
        "6google8protobuf8compiler",
        "6google8protobuf8internal",
        "3re2",
        "5boost6spirit2qi",
        "8nlohmann16json_abi_v3_11_2",
        "4llvm2cl",
        "5clang4sema",
        "St",
    };
    const uint32_t scope = bo_random_below(r, sizeof scopes / sizeof *scopes);
    bo_draft_text(d, bo_random_one_in(r, 4) ? "_ZNK" : "_ZN");
    bo_draft_text(d, scopes[scope]);
    bo_draft_component(d, r, false);
    if (bo_random_one_in(r, 3)) {
        bo_draft_text(d, "I");
        put_parameters(d, r);
        bo_draft_text(d, "E");
    }
    if (bo_random_one_in(r, 4)) {
        static const char *const special[] = {"C1", "C2", "D0", "D1", "D2", "aS", "ixEm", "clEv"};
        BO_DRAFT_ONE_OF(d, r, special);
    } else {
        bo_draft_component(d, r, false);
    }
    bo_draft_text(d, "E");
    put_parameters(d, r);
}

/* ---- related and strange names --------------------------------------------------------------- */

/* A position in the previous name, so that the start fits. */
static uint32_t random_cut(struct bo_random *r, struct bo_span before)
{
    const size_t room = sizeof((struct bo_draft *)0)->p;
    return bo_random_below(r, (uint32_t)(before.n < room ? before.n : room) + 1);
}

void bo_draft_related_name(struct bo_draft *d, struct bo_random *r, struct bo_span before)
{
    const uint32_t cut = random_cut(r, before);
    bo_draft_bytes(d, before.p, cut);
    bo_draft_component(d, r, false);
    if (bo_random_one_in(r, 2))
        put_parameters(d, r);
}

void bo_draft_strange_name(struct bo_draft *d, struct bo_random *r, struct bo_span before,
                           const char *const *texts, uint32_t n_texts)
{
    const uint32_t way = bo_random_below(r, 8);
    uint32_t n = 0;
    switch (way) {
    case 0:
        break; /* one byte, below */
    case 1:
        bo_draft_one_of(d, r, texts, n_texts);
        return;
    case 2: /* a prefix of the previous name */
        n = random_cut(r, before);
        bo_draft_bytes(d, before.p, n);
        return;
    case 3: /* that name and a byte */
        bo_draft_bytes(d, before.p, before.n);
        break;
    case 4: /* longer than one byte can count */
        for (n = 250 + bo_random_below(r, 1500); d->n < n;)
            bo_draft_bytes(d, before.n ? before.p : (const uint8_t *)"x", before.n ? before.n : 1);
        d->n = n;
        return;
    default:
        for (n = bo_random_below(r, 12); n; n--) {
            const uint8_t any = bo_random_u8(r);
            bo_draft_bytes(d, &any, 1);
        }
        return;
    }
    const uint8_t last = bo_random_u8(r);
    bo_draft_bytes(d, &last, 1);
}
