/* One small profile in each GCOV layout, byte by byte, for the tests of these codecs. */
#ifndef AUTOFDO_TEST_GCOV_H
#define AUTOFDO_TEST_GCOV_H

#include "codecs/autofdo/autofdo.h"
#include "harness/core/test_cmocka.h"
#include "harness/registry.h"
#include "harness/test_decode.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Integers below 256, tags by their highest byte, places with both parts below 256. */
#define U4(low) low "\0\0\0"
#define U8(low) low "\0\0\0\0\0\0\0"
#define TAG(high) "\0\0\0" high
#define PLACE(line, discriminator) discriminator "\0" line "\0"

/* Repetition. */
#define X4(x) x x x x
#define X8(x) X4(x) X4(x)
#define X32(x) X8(x) X8(x) X8(x) X8(x)
#define X128(x) X32(x) X32(x) X32(x) X32(x)

/* clang-format off */

#define HEADER(version) "adcg" version U4("\0")
#define ENTRY(cutoff, least, n) cutoff U8(least) U8(n)
#define SUMMARY \
    TAG("\xa8") U8("\x0c") U8("\x07") U8("\x05") U8("\x03") U8("\x01") U8("\x10") \
    ENTRY("\x10\x27\0\0", "\0", "\0") \
    ENTRY("\xa0\x86\x01\0", "\x07", "\x01") ENTRY("\x40\x0d\x03\0", "\x07", "\x01") \
    ENTRY("\xe0\x93\x04\0", "\x07", "\x01") ENTRY("\x80\x1a\x06\0", "\x07", "\x01") \
    ENTRY("\x20\xa1\x07\0", "\x07", "\x01") ENTRY("\xc0\x27\x09\0", "\x07", "\x01") \
    ENTRY("\x60\xae\x0a\0", "\x03", "\x02") ENTRY("\0\x35\x0c\0", "\x03", "\x02") \
    ENTRY("\xa0\xbb\x0d\0", "\x03", "\x02") ENTRY("\xf0\x7e\x0e\0", "\x02", "\x03") \
    ENTRY("\x30\x1b\x0f\0", "\x02", "\x03") ENTRY("\x58\x3e\x0f\0", "\x02", "\x03") \
    ENTRY("\xdc\x41\x0f\0", "\x02", "\x03") ENTRY("\x36\x42\x0f\0", "\x02", "\x03") \
    ENTRY("\x3f\x42\x0f\0", "\x02", "\x03")

/* "a" with a record, a record with the target "t", and the callee "b" with a record of its own. */
#define BODY \
    U4("\x01") U4("\x02") U4("\x01") \
    PLACE("\x01", "\0") U4("\0") U8("\x07") \
    PLACE("\x02", "\x01") U4("\x01") U8("\x03") U4("\x07") U8("\x03") U8("\x03") \
    PLACE("\x03", "\0") U4("\x02") U4("\x01") U4("\0") \
    "\0\0\xff\xff" U4("\0") U8("\x02")

/* The module group, and the working set up to its sets. */
#define END TAG("\xae") U4("\0") U4("\0") TAG("\xaf") "\x80\x01\0\0"
#define WORKING_SETS X128(U4("\0") U8("\x07"))

/* ---- the files ------------------------------------------------------------------------------- */

/*
 * The summary's entries start at 64; the section of names at 384, its files at 392, its names at
 * 412, 425, 435, 445; that of functions at 455, "a" at 467, its body at 483, its records at 495 and
 * 511, its target at 527, its callsite at 547; the module group at 579; the working set at 591.
 */
#define SMALL_V3 \
    HEADER(U4("\x03")) SUMMARY \
    TAG("\xaa") U4("\x09") \
    U4("\x02") U4("\x04") "f.c\0" U4("\x04") "g.h\0" \
    U4("\x04") U4("\x01") "\0\xff\xff\xff\xff" U4("\x02") "a\0" U4("\0") \
    U4("\x02") "b\0" U4("\x01") U4("\x02") "t\0\xff\xff\xff\xff" \
    TAG("\xac") U4("\x1b") U4("\x01") U8("\x05") U8("\x09") BODY END WORKING_SETS

/*
 * Names at 24, 29, 35, 41; the section of functions at 47, "a" at 59, its body at 67, its records
 * at 79 and 95, its target at 111, its callsite at 131; the module group at 163; the working set at
 * 175.
 */
#define SMALL_V2 \
    HEADER(U4("\x02")) \
    TAG("\xaa") U4("\x09") \
    U4("\x04") U4("\x01") "\0" U4("\x02") "a\0" U4("\x02") "b\0" U4("\x02") "t\0" \
    TAG("\xac") U4("\x1b") U4("\x01") U8("\x05") BODY END WORKING_SETS

/* Names at 24, 32, 40, 48. */
#define SMALL_V407 \
    HEADER("*704") \
    TAG("\xaa") U4("\x09") \
    U4("\x04") U4("\x01") "\0\0\0\0" U4("\x01") "a\0\0\0" U4("\x01") "b\0\0\0" \
    U4("\x01") "t\0\0\0" \
    TAG("\xac") U4("\x1b") U4("\x01") U8("\x05") BODY END WORKING_SETS

/* clang-format on */

static inline const struct bo_codec *gcov_codec(const char *name)
{
    const struct bo_codec *codec = bo_find_codec(bo_find_format("autofdo"), name);
    if (!codec)
        fail_msg("no codec %s", name);
    return codec;
}

/* clang-format off */
/*
 * Version 3 as perf-gcov writes it: name 0 is a real one, a static function of one name in two
 * files has two entries, and the working set is one word. "f" of "a.c" and "f" of "b.c"; "main"
 * inlines both on one line. Five counts of 7.
 */
#define REST_OF_ENTRIES(entry) \
    entry("\xa0\x86\x01\0") entry("\x40\x0d\x03\0") entry("\xe0\x93\x04\0") \
    entry("\x80\x1a\x06\0") entry("\x20\xa1\x07\0") entry("\xc0\x27\x09\0") \
    entry("\x60\xae\x0a\0") entry("\0\x35\x0c\0") entry("\xa0\xbb\x0d\0") \
    entry("\xf0\x7e\x0e\0") entry("\x30\x1b\x0f\0") entry("\x58\x3e\x0f\0") \
    entry("\xdc\x41\x0f\0") entry("\x36\x42\x0f\0") entry("\x3f\x42\x0f\0")
#define FIVE_SEVENS(cutoff) ENTRY(cutoff, "\x07", "\x05")
#define SEVEN(line) PLACE(line, "\0") U4("\0") U8("\x07")
#define TWO_FILES \
    HEADER(U4("\x03")) \
    TAG("\xa8") U8("\x23") U8("\x07") U8("\x02") U8("\x05") U8("\x03") U8("\x10") \
    ENTRY("\x10\x27\0\0", "\0", "\0") REST_OF_ENTRIES(FIVE_SEVENS) \
    TAG("\xaa") U4("\x50") U4("\x02") U4("\x04") "a.c\0" U4("\x04") "b.c\0" \
    U4("\x03") U4("\x02") "f\0" U4("\0") U4("\x02") "f\0" U4("\x01") \
    U4("\x05") "main\0" U4("\0") \
    TAG("\xac") U4("\xff") U4("\x03") \
    U8("\x01") U8("\x09") U4("\0") U4("\x01") U4("\0") SEVEN("\x01") \
    U8("\x02") U8("\x05") U4("\x01") U4("\x02") U4("\0") SEVEN("\x01") SEVEN("\x02") \
    U8("\x01") U8("\0") U4("\x02") U4("\0") U4("\x02") \
    PLACE("\x03", "\0") U4("\0") U4("\x01") U4("\0") SEVEN("\x01") \
    PLACE("\x03", "\0") U4("\x01") U4("\x01") U4("\0") SEVEN("\x01") \
    TAG("\xae") U4("\0") U4("\0") TAG("\xaf") U4("\x04") U4("\0")

/* What it says when functions of one name are one. */
#define TWO_FILES_TEXT                                                           \
    "#@ file f\ta.c\n#@ file main\ta.c\n#@ timestamp 5\nf:21:3\n 1: 14\n 2: 7\n" \
    "main:14:1\n 3: f:14\n  1: 14\n"

/* clang-format on */

#endif
