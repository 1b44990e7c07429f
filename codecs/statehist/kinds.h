/*
 * Which attributes are of one kind: those of one name, or whose names are numbers under one kind.
 */
#ifndef STATEHIST_KINDS_H
#define STATEHIST_KINDS_H

#include "codecs/statehist/statehist.h"

static inline bool statehist_is_number(struct bo_span name)
{
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] < '0' || name.p[i] > '9')
            return false;
    return name.n > 0;
}

/* A hash of each quark's kind. */
static inline void statehist_kinds(const struct statehist_attribute *attributes, uint32_t n_quarks,
                                   uint64_t *kinds_ret)
{
    for (uint32_t q = 0; q < n_quarks; q++) {
        const struct statehist_attribute *a = &attributes[q];
        kinds_ret[q] = statehist_is_number(a->name)
                           ? bo_mix64(a->parent == STATEHIST_ROOT ? 1 : kinds_ret[a->parent])
                           : statehist_hash(a->name);
    }
}

#endif
