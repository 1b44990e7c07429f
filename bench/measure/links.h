/*
 * Links this program again with its functions in other orders, since the address of a hot loop
 * changes its time. The links contain the same code at different addresses. The objects come from
 * the build tree; lld reads the order from a list of symbols.
 */
#ifndef BO_LINKS_H
#define BO_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/stats/layouts.h"

struct bo_links {
    char *programs[BO_MAX_LAYOUTS]; /* paths */
    unsigned n;
    uint64_t seed;        /* the order of link k is drawn from seed and k */
    unsigned n_functions; /* functions that have a place in the order */
    char linker[64];      /* "Debian LLD 14.0.6" */
    char folder[256];     /* of the programs */
};

/*
 * Makes n links in a folder of their own. False after a message: without the file that `make`
 * writes beside the program (PROGRAM.link, the command of the link), if an object is missing or
 * newer than that file, without ld.lld, or when linking fails. The caller must remove them in
 * either case.
 */
bool bo_links_make(unsigned n, uint64_t seed, struct bo_links *links_ret);
void bo_links_remove(struct bo_links *links);

#endif
