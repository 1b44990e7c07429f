/*
 * malloc and free for arena.c in builds with AddressSanitizer or MemorySanitizer, included by a
 * compiler option.
 *
 * The allocators of sanitizers return a block of more than 128 KiB to the system when it is freed,
 * and the next one gets fresh pages. Where page faults are slow, these took two thirds of the time
 * of templight's checks. So some of these blocks are kept. No byte of a kept block may be accessed,
 * and none past the new size when it is reused.
 */
#ifndef BO_REUSE_LARGE_BLOCKS_H
#define BO_REUSE_LARGE_BLOCKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "harness/core/forbid.h"

struct bo_large_block {
    size_t nbytes;
    _Alignas(16) unsigned char data[];
};

enum { BO_N_KEPT = 16, BO_LEAST_KEPT = 128 << 10, BO_MOST_KEPT = 4 << 20 };
static _Atomic(struct bo_large_block *) bo_kept[BO_N_KEPT];

static inline void *bo_reusing_malloc(size_t nbytes)
{
    for (unsigned i = 0; i < BO_N_KEPT && nbytes >= BO_LEAST_KEPT; i++) {
        struct bo_large_block *block = atomic_exchange(&bo_kept[i], NULL);
        if (block && block->nbytes >= nbytes && block->nbytes / 2 <= nbytes) {
            BO_ALLOW(block->data, nbytes);
            return block->data;
        }
        if (block)
            free(atomic_exchange(&bo_kept[i], block));
    }
    struct bo_large_block *block =
        nbytes <= PTRDIFF_MAX - sizeof *block ? malloc(sizeof *block + nbytes) : NULL;
    if (!block)
        return NULL;
    block->nbytes = nbytes;
    return block->data;
}

static inline void bo_reusing_free(void *p)
{
    static atomic_uint n_freed;
    if (!p)
        return;
    struct bo_large_block *block =
        (struct bo_large_block *)((char *)p - offsetof(struct bo_large_block, data));
    if (block->nbytes >= BO_LEAST_KEPT && block->nbytes <= BO_MOST_KEPT) {
        BO_FORBID(block->data, block->nbytes);
        block = atomic_exchange(&bo_kept[atomic_fetch_add(&n_freed, 1) % BO_N_KEPT], block);
    }
    free(block);
}

#define malloc bo_reusing_malloc
#define free bo_reusing_free

#endif
