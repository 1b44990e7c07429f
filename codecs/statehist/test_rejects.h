/*
 * What the tests of bad files share: sets of files that are put together, good ones that are
 * patched, and what they are refused with.
 */
#ifndef STATEHIST_TEST_REJECTS_H
#define STATEHIST_TEST_REJECTS_H

#include <stdio.h>

#include "codecs/statehist/parts.h"
#include "codecs/statehist/test_model.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

#define TYPES(list) "{\"format\":\"tc-types\",\"version\":1,\"types\":" list "}"
#define TREE(root) "{\"format\":\"tc-tree\",\"version\":1,\"root\":" root "}"

/* A text of JSON, without the @ before the byte that the error names. */
struct text {
    char p[512];
    size_t n, mark; /* SIZE_MAX: none */
};

static inline struct text unmarked(const char *marked)
{
    struct text t = {.n = strlen(marked), .mark = SIZE_MAX};
    assert_true(t.n < sizeof t.p);
    memcpy(t.p, marked, t.n + 1);
    const char *at = strchr(marked, '@');
    if (at) {
        t.mark = (size_t)(at - marked);
        memmove(t.p + t.mark, t.p + t.mark + 1, t.n - t.mark);
        t.n--;
    }
    return t;
}

/* What was written, in the arena; frees the writer. */
static inline struct bo_span kept(struct bo_writer *out)
{
    uint8_t *p = bo_alloc(&arena, out->n);
    assert_non_null(p);
    memcpy(p, out->p, out->n);
    const struct bo_span bytes = {p, out->n};
    bo_writer_free(out);
    return bytes;
}

/* A set of files, and where each starts. */
static inline struct bo_span join(const struct bo_span *files, unsigned n, size_t *offs_ret)
{
    struct bo_writer out;
    size_t head;
    bo_writer_init(&out, &arena);
    statehist_put_parts(&out, n, &head);
    for (unsigned i = 0; i < n; i++) {
        offs_ret[i] = out.n;
        bo_put_bytes(&out, files[i].p, files[i].n);
        statehist_end_part(&out, head, i);
    }
    return kept(&out);
}

static inline struct bo_span encode_text(const char *codec, const char *text)
{
    struct bo_writer out;
    bo_writer_init(&out, &arena);
    const struct bo_codec *found = bo_find_codec(format, codec);
    assert_int_equal(found->encode(found, parse_text(text, &arena), &out, NULL), BO_OK);
    return kept(&out);
}

static inline void expect_refusal(const char *codec_name, const char *row, struct bo_span in,
                                  enum bo_status expected, uint64_t off, const char *what)
{
    const struct bo_codec *codec = bo_find_codec(format, codec_name);
    for (unsigned decodes = 0; decodes < 2; decodes++) {
        struct bo_error error = {0};
        void *result;
        const struct bo_arena_mark mark = bo_arena_mark(&arena);
        const enum bo_status status = decodes ? test_decode(codec, in, &arena, &result, &error)
                                              : codec->open(codec, in, &arena, &result, &error);
        bo_arena_rewind(&arena, mark);
        if (status != expected ||
            (status && (error.status != status || error.off != off || strcmp(error.what, what))))
            fail_msg("%s, %s: %s at byte %llu: %s; not %s at byte %llu: %s", codec_name, row,
                     bo_status_name(status), (unsigned long long)error.off,
                     error.what ? error.what : "-", bo_status_name(expected),
                     (unsigned long long)off, what ? what : "-");
    }
}

/* `nbytes` bytes at `at` of the good set become `bytes`, or it is cut there (nbytes 0). */
struct patch {
    const char *codec, *row;
    size_t at, nbytes;
    uint64_t bytes; /* little-endian */
    enum bo_status status;
    uint64_t off;
    const char *what;
};

/* Each patch alone, of what `text` is in its codec. */
static inline void expect_patches(const char *text, const struct patch *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct patch *c = &rows[i];
        const struct bo_span good = encode_text(c->codec, text);
        uint8_t *p = (uint8_t *)(uintptr_t)good.p;
        expect_refusal(c->codec, "as it is", good, BO_OK, 0, NULL);
        for (size_t k = 0; k < c->nbytes; k++)
            p[c->at + k] = (uint8_t)(c->bytes >> 8 * k);
        expect_refusal(c->codec, c->row, (struct bo_span){p, c->nbytes ? good.n : c->at}, c->status,
                       c->off, c->what);
    }
}

#endif
