/* What the writer and the reader of the trie share. The layout is in trie.c. */
#ifndef LPRF_TRIE_H
#define LPRF_TRIE_H

#include "codecs/lprf/index.h"

enum {
    TRIE_ROOT_IS_LEAF = 16, /* in the index's first byte */
    TRIE_HAS_PLACES = 1,    /* in a node's first byte */
    TRIE_LONG_LABEL = 31,   /* label length from which a varint stores it */
    TRIE_MANY_CHILDREN = 6, /* from this number on, leaf bits are in bytes of their own, */
    TRIE_MANY_CODE = 7      /* and this instead of a number */
};

/* The index and the records of a file that lprf_begin has begun. */
enum bo_status lprf_put_trie(struct lprf_writer *w, struct bo_error *err);

#endif
