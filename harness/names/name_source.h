/*
 * Random names of functions: C and mangled C++ names as compilers make them, and names that are
 * hard for encodings: with shared prefixes, names that are prefixes of others, arbitrary bytes. The
 * name generators of formats use these parts.
 */
#ifndef BO_NAME_SOURCE_H
#define BO_NAME_SOURCE_H

#include "harness/core/bytes.h"
#include "harness/core/random.h"

/* ---- drafts ---------------------------------------------------------------------------------- */

/* A name under construction; n starts at 0. */
struct bo_draft {
    uint8_t p[2048]; /* text that does not fit is dropped */
    size_t n;
};

void bo_draft_bytes(struct bo_draft *d, const void *p, size_t n);
void bo_draft_text(struct bo_draft *d, const char *text);
void bo_draft_number(struct bo_draft *d, uint64_t v); /* decimal */

/* Appends one of the texts of an array. */
#define BO_DRAFT_ONE_OF(d, random, texts) \
    bo_draft_one_of(d, random, texts, sizeof texts / sizeof *texts)
void bo_draft_one_of(struct bo_draft *d, struct bo_random *random, const char *const *texts,
                     uint32_t n_texts);

/* ---- parts of names -------------------------------------------------------------------------- */

/* "getNodeList", or "get_node_list" in C; at least one word. */
void bo_draft_identifier(struct bo_draft *d, struct bo_random *random, bool is_c);

/* "7getNode": the length, then the identifier. */
void bo_draft_component(struct bo_draft *d, struct bo_random *random, bool is_c);

/* A mangled name of C++: _ZN, scopes, perhaps a template, the function, E, parameters. */
void bo_draft_cxx_name(struct bo_draft *d, struct bo_random *random);

/* The start of the previous name, cut anywhere, with another end, so that prefixes are shared. */
void bo_draft_related_name(struct bo_draft *d, struct bo_random *random, struct bo_span before);

/*
 * Names that are hard for encodings: any bytes, one byte, one of the texts, long names, prefixes of
 * others. May append nothing.
 */
void bo_draft_strange_name(struct bo_draft *d, struct bo_random *random, struct bo_span before,
                           const char *const *texts, uint32_t n_texts);

#endif
