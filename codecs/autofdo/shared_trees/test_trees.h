/*
 * A small profile as shared trees, byte by byte: what the tests compare and damage. A zstd frame
 * depends on the library's version, so the second file is for reading only.
 */
#ifndef AUTOFDO_TEST_TREES_H
#define AUTOFDO_TEST_TREES_H

#include "codecs/autofdo/test_model.h"
#include "harness/check/check.h"

/* A target, callees, a function in itself, a zero, files, a timestamp. */
#define TEST_TREES_TEXT                                           \
    "#@ file ab\ta.c\n#@ file x\tx.h\n"                           \
    "#@ timestamp 7\nab:300:2\n 1: 300 ac:5\n 2.3: x:0\n  0: 0\n" \
    "x:9:4\n 0: 0\n 3: 9\n 5: x:0\n  0: 0\n"

static const struct bo_span test_trees_file =
    BYTES("\x61\x66\x73\x74\x02\x01\x03\x02\x0b\x06\x07\x07\x3e\x2a\x30\x04" /* 0: head */
          "\xb5\x02\xac\x02\x04\x05\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00" /* 16: summary */
          "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc5\x04\x01\x00"
          "\x00\x00\x00\x00\x00\x00\x00"
          "\x13\x75\x7f\x45\x10\xf8\x0f\x41\x7f\x6e\xe0\xcf\x11\xf4\xdf\x10" /* 55: index */
          "\x54\xfc\x17\xf0\x1f\xc1\x9f\xce\xa0\xe0\xbf\x02\x01\xff\x11\xfc"
          "\x57\x00\xa1\xff\x6a\x9c\x94\xff\x55\xa8\x52\x87\xa0\xff\x02\x70"
          "\x52\x5f\x5f\xf2\x1f\x00\x00\x00\x00\xc0\x59\xbb\x05"
          "\x05"                                                             /* 116: functions */
          "\x32"                                                             /* 117: paths */
          "\x01"                                                             /* 118: timestamps */
          "\x00\x00\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x0e\x01\x00\x01" /* 119: grammar */
          "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
          "\x00\x00\x00\x00\x06\x00\x00\x00\x00\x3f"
          "\x47\x9b\x4a\x30\x0a\x02" /* 161: names */
          "\x56\x54\xe1\x34"         /* 167: structure */
          "\x4c\xd5\x54\x09" /* 171: counts */);

static const struct bo_span test_trees_zstd_file =
    BYTES("\x61\x66\x73\x7a\x02\x01\x03\x02\x0b\x06\x07\x07\x3c\x00\x1c\x04" /* 0: head */
          "\xb5\x02\xac\x02\x04\x05\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00" /* 16: summary */
          "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc5\x04\x01\x00"
          "\x00\x00\x00\x00\x00\x00\x00"
          "\x18\x75\x7f\x45\xd4\x00\x00\x18\xf8\x73\x04\xfd\x37\x04\x15\xff" /* 55: index */
          "\x05\xfc\x47\xf0\xa7\x33\x28\xf8\xaf\x40\xc0\x7f\x04\xff\x15\x40"
          "\xe8\xbf\x1a\x27\xe5\x7f\x15\xaa\xd4\x21\xe8\xbf\x00\x9c\xd4\xd7"
          "\x97\xfc\x07\x00\x00\x00\x00\x70\x06\xbb\x05"
          "\x05"                                                             /* 114: functions */
          "\x32"                                                             /* 115: paths */
          "\x01"                                                             /* 116: timestamps */
          "\x28\xb5\x2f\xfd\x20\x13\x99\x00\x00\x01\x00\x00\x00\x61\x62\x00" /* 117: names */
          "\x63\x00\x78\x00\x61\x2e\x63\x00\x78\x2e\x68\x00"
          "\x56\x54\xe1\x34" /* 145: structure */
          "\x4c\xd5\x54\x09" /* 149: counts */);

/* NULL, with a message, where it was not built. */
static inline const struct bo_codec *test_trees_codec(const char *name)
{
    const struct bo_codec *codec = bo_find_codec(bo_find_format("autofdo"), name);
    if (!codec)
        print_message("%s was not built here\n", name);
    return codec;
}

#endif
