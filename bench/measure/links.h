/*
 * This program linked anew with its functions in other orders: the same code in other places, since
 * where a hot loop lies changes its time. From the objects of the build tree, by lld, which takes
 * the order as a list of symbols.
 */
#ifndef BO_LINKS_H
#define BO_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/stats/layouts.h"

struct bo_links {
    char *programs[BO_MAX_LAYOUTS]; /* paths */
    unsigned n;
    uint64_t seed;        /* link k has the order of seed and k */
    unsigned n_functions; /* that have a place in the order */
    char linker[64];      /* "Debian LLD 14.0.6" */
    char folder[256];     /* of the programs */
};

/*
 * Makes n links in a folder of their own. False after a message: without the file that `make`
 * writes beside the program (PROGRAM.link: how it was linked), without an object or with one that
 * is newer than that file, without ld.lld, or when linking fails. The caller removes them either
 * way.
 */
bool bo_links_make(unsigned n, uint64_t seed, struct bo_links *links_ret);
void bo_links_remove(struct bo_links *links);

#endif
