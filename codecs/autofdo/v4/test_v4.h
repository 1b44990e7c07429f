/*
 * The same small profile in version 4, normal and compact, section by section: what tests compare,
 * damage, and add to. Shares nothing with the writer.
 */
#ifndef AUTOFDO_TEST_V4_H
#define AUTOFDO_TEST_V4_H

#include "codecs/autofdo/test_model.h"
#include "harness/check/check.h"

#define U4(low) "\0\0\0" low
#define U8(low) "\0\0\0\0\0\0\0" low

#define TEST_V4_TEXT                    \
    "#@ file ab\ta.c\n#@ file x\tx.h\n" \
    "#@ timestamp 7\nab:300:2\n 1: 300 ac:5\n 2.3: x:0\n  0: 0\n"

/* An entry of the file names; the path has three bytes. */
#define UNIT(path, strings, symbols, info) "\0\x03" path U4(strings) U4(symbols) U4(info)

/* Sections by their numbers. */
enum { SUMMARY, FILES, STRINGS, INFO, SYMBOLS, CALLEES, N_PARTS, HEADER = N_PARTS };
enum { MAX_PARTS = 12 };

/* After each cutoff of the summary: the one count reaches it. */
#define RC "\0\0\0\0\0\0\x01\x2c\0\0\0\0\0\0\0\x01"
#define ENTRIES                                                                     \
    "\0\0\x27\x10" RC "\0\x01\x86\xa0" RC "\0\x03\x0d\x40" RC "\0\x04\x93\xe0" RC   \
    "\0\x06\x1a\x80" RC "\0\x07\xa1\x20" RC "\0\x09\x27\xc0" RC "\0\x0a\xae\x60" RC \
    "\0\x0c\x35\0" RC "\0\x0d\xbb\xa0" RC "\0\x0e\x7e\xf0" RC "\0\x0f\x1b\x30" RC   \
    "\0\x0f\x3e\x58" RC "\0\x0f\x41\xdc" RC "\0\x0f\x42\x36" RC "\0\x0f\x42\x3f" RC

/* clang-format off */
static const struct bo_span normal_parts[N_PARTS] = {
    BYTES("\x02\0\0\0\0\0\0\x01\x2c\0\0\0\0\0\0\x01\x2c" /* total and highest count: 300 */
          U8("\x02") U8("\x02") U8("\x01") U8("\x10") ENTRIES),
    BYTES("\x03" U4("\x01") UNIT("a.c", "\x02", "\x04", "\x03")),
    BYTES("\x01" U4("\x03") "\x02"                    /* 5: the root */
          "\0\x01" "a" "\x02"                         /* 9: its children are ab and ac */
          "\0\x01" "b" "\x80" U4("\0")                /* 13 */
          "\0\x01" "c" "\x80" U4("\x01")              /* 21 */
          "\0\x01" "x" "\x80" U4("\x02")),            /* 29 */
    BYTES("\x05" U8("\x02") U8("\x07") U4("\x02")
          "\x0a" U4("\x01") "\x01\x2c" U4("\x01")     /* 21 */
          "\x01" U4("\x01") "\x05"                     /* 32: the target */
          "\x30" U4("\x02") U4("\x03") U4("\x02")      /* 38 */
          U4("\x01") "\0" U4("\0")),                   /* 51; 55 */
    BYTES("\x04" U4("\x01") U4("\0") U8("\x01")),
    BYTES("\x06" U4("\x01") "\0\x03" "x.h" U4("\x01")
          U4("\0") U4("\x02") U4("\x01")),
};
/* clang-format on */

#define RV "\xac\x02\x01"
#define VARINT_ENTRIES                                                                        \
    "\x90\x4e" RV "\xa0\x8d\x06" RV "\xc0\x9a\x0c" RV "\xe0\xa7\x12" RV "\x80\xb5\x18" RV     \
    "\xa0\xc2\x1e" RV "\xc0\xcf\x24" RV "\xe0\xdc\x2a" RV "\x80\xea\x30" RV "\xa0\xf7\x36" RV \
    "\xf0\xfd\x39" RV "\xb0\xb6\x3c" RV "\xd8\xfc\x3c" RV "\xdc\x83\x3d" RV "\xb6\x84\x3d" RV \
    "\xbf\x84\x3d" RV

/* clang-format off */
static const struct bo_span compact_parts[N_PARTS] = {
    BYTES("\x82\xac\x02\xac\x02\x02\x02\x01\x10" VARINT_ENTRIES),
    BYTES("\x83\x01" "\x03" "a.c" "\x02\x04\x03"),
    BYTES("\x81\x03" "\x02"                         /* 2: the root */
          "\x01" "a" "\x02"                         /* 5 */
          "\x01" "b" "\x80\0"                       /* 8 */
          "\x01" "c" "\x80\x01"                     /* 12 */
          "\x01" "x" "\x80\x02"),                   /* 16 */
    BYTES("\x85\x02\x07\x02"
          "\x09\x01\xac\x02\x01" "\x01\x05"        /* 4; 9: the target */
          "\x30\x02\x03\x02"                        /* 11 */
          "\x01" "\0\0"),                           /* 15: one record; 16 */
    BYTES("\x84\x01" "\0\x01"),
    BYTES("\x86\x01" "\x03" "x.h" "\x01" "\0\x02\x01"),
};
/* clang-format on */

struct test_file {
    uint8_t p[8192];
    size_t n;
};

static inline void append(struct test_file *file, const void *p, size_t n)
{
    assert_true(n <= sizeof file->p - file->n);
    if (n)
        memcpy(file->p + file->n, p, n);
    file->n += n;
}

static inline void append_be64(struct test_file *file, uint64_t v)
{
    uint8_t bytes[8];
    bo_set_be64(bytes, v);
    append(file, bytes, sizeof bytes);
}

/*
 * A file of these parts, in their order; `summary` and `files` are the numbers of the two that the
 * header knows. starts_ret (may be NULL) has room for all parts.
 */
static inline void assemble(struct test_file *file, bool compact, const struct bo_span *parts,
                            unsigned n, unsigned summary, unsigned files, size_t *starts_ret)
{
    size_t starts[MAX_PARTS];
    assert_true(n <= MAX_PARTS);
    file->n = 0;
    append(file, "gcov\0\0\0\x04", 8);
    append_be64(file, (uint64_t)compact << 63 | (n - 2));
    for (size_t i = 0, off = 48 + 16 * (n - 2); i < n; off += parts[i++].n)
        starts[i] = off;
    append_be64(file, starts[summary]);
    append_be64(file, parts[summary].n);
    append_be64(file, starts[files]);
    append_be64(file, parts[files].n);
    for (unsigned i = 0; i < n; i++) {
        if (i == summary || i == files)
            continue;
        append_be64(file, starts[i]);
        append_be64(file, parts[i].n);
    }
    for (unsigned i = 0; i < n; i++)
        append(file, parts[i].p, parts[i].n);
    if (starts_ret)
        memcpy(starts_ret, starts, n * sizeof *starts);
}

static inline struct bo_span file_span(const struct test_file *file)
{
    return (struct bo_span){file->p, file->n};
}

static inline const struct bo_codec *codec_of(const char *name)
{
    const struct bo_codec *codec = bo_find_codec(bo_find_format("autofdo"), name);
    if (!codec)
        fail_msg("no codec %s", name);
    return codec;
}

#endif
