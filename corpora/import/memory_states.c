/* The bytes allocated by threads, event by event. */
#include "corpora/import/memory_states.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>

struct memory_block {
    uint64_t address, nbytes;
    struct memory_block *next; /* list of unused ones */
};

static int compare_blocks(const void *a, const void *b)
{
    const uint64_t x = ((const struct memory_block *)a)->address,
                   y = ((const struct memory_block *)b)->address;
    return x < y ? -1 : x > y;
}

static void keep_block(void *block)
{
    (void)block; /* the arena releases it */
}

static void free_tree(void *root)
{
    tdestroy(*(void **)root, keep_block);
}

bool memory_states_init(struct memory_states *states, int64_t start, struct bo_arena *arena)
{
    *states = (struct memory_states){.blocks = bo_zalloc_array(arena, 1, sizeof *states->blocks)};
    return states->blocks && bo_arena_on_release(arena, free_tree, states->blocks) &&
           state_system_init(&states->system, start, arena);
}

/* A thread has a name from its first change on. */
static bool change(struct memory_states *states, const struct memory_thread *thread, uint64_t by)
{
    char text[24];
    uint32_t node, sum, name;
    struct state_system *system = &states->system;
    snprintf(text, sizeof text, "%" PRId64, thread->tid);
    if (!state_attribute(system, STATEHIST_ROOT, bo_span_of(text), &node) ||
        !state_attribute(system, node, bo_span_of("UST_MEMORY_MEMORY_ATTRIBUTE"), &sum))
        return false;
    const struct statehist_interval *now = &system->open[sum];
    const bool is_first = now->type == STATEHIST_NULL;
    const uint64_t before = is_first ? 0 : now->value;
    const struct bo_span called = thread->tid == -1 ? bo_span_of("Others") : thread->name;
    if (is_first && called.p &&
        (!state_attribute(system, node, bo_span_of("UST_MEMORY_PROCNAME_ATTRIBUTE"), &name) ||
         !state_set_string(system, name, called)))
        return false;
    return state_set(system, sum, STATEHIST_LONG, before + by);
}

bool memory_allocate(struct memory_states *states, const struct memory_thread *thread,
                     uint64_t address, uint64_t nbytes)
{
    if (nbytes == 0)
        return memory_free(states, thread, address);
    if (!states->free) {
        states->free = bo_alloc(states->system.builder.arena, sizeof *states->free);
        if (!states->free)
            return false;
        states->free->next = NULL;
    }
    struct memory_block *block = states->free, *next = block->next;
    block->address = address;
    struct memory_block **found = tsearch(block, states->blocks, compare_blocks);
    if (!found)
        return false;
    if (*found == block)
        states->free = next;
    (*found)->nbytes = nbytes;
    return change(states, thread, nbytes);
}

bool memory_free(struct memory_states *states, const struct memory_thread *thread, uint64_t address)
{
    const struct memory_block wanted = {.address = address};
    struct memory_block **found = tfind(&wanted, states->blocks, compare_blocks);
    if (!found)
        return true;
    struct memory_block *block = *found;
    const uint64_t nbytes = block->nbytes;
    tdelete(block, states->blocks, compare_blocks);
    block->next = states->free;
    states->free = block;
    return change(states, thread, 0 - nbytes);
}
