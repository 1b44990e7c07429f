/*
 * The changes of states that follow from LTTng's memory events, which liblttng-ust-libc-wrapper
 * records.
 */
#include "corpora/import/ctf_states.h"

static bool number(struct ctf_memory *memory, const struct ctf_event *e, const char *field,
                   uint64_t *v_ret)
{
    memory->lacks = field;
    return ctf_number(e, field, v_ret);
}

/* A thread whose number was not recorded is -1. */
static bool thread_of(struct ctf_memory *memory, const struct ctf_event *e,
                      struct memory_thread *thread)
{
    uint64_t tid;
    *thread = (struct memory_thread){.tid = -1};
    if (ctf_context_number(e, "vtid", &tid))
        thread->tid = (int32_t)tid;
    if (!ctf_context_text(e, "procname", &thread->name))
        thread->name = (struct bo_span){NULL, 0};
    return state_clean_text(memory->states.system.builder.arena, &thread->name);
}

/* An allocation at address 0 is a failed call. */
static enum ctf_reading allocate(struct ctf_memory *memory, const struct ctf_event *e,
                                 uint64_t address, uint64_t nbytes)
{
    struct memory_thread thread;
    return address == 0 || (thread_of(memory, e, &thread) &&
                            memory_allocate(&memory->states, &thread, address, nbytes))
               ? CTF_READ
               : CTF_REFUSED;
}

static enum ctf_reading on_malloc(struct ctf_memory *memory, const struct ctf_event *e)
{
    uint64_t address, nbytes;
    return number(memory, e, "ptr", &address) && number(memory, e, "size", &nbytes)
               ? allocate(memory, e, address, nbytes)
               : CTF_MALFORMED;
}

/* A failed call leaves the caller's pointer, which may be that of another block, in out_ptr. */
static enum ctf_reading on_posix_memalign(struct ctf_memory *memory, const struct ctf_event *e)
{
    uint64_t address, nbytes, result;
    if (ctf_number(e, "result", &result) && result != 0)
        return CTF_READ;
    return number(memory, e, "out_ptr", &address) && number(memory, e, "size", &nbytes)
               ? allocate(memory, e, address, nbytes)
               : CTF_MALFORMED;
}

static enum ctf_reading on_calloc(struct ctf_memory *memory, const struct ctf_event *e)
{
    uint64_t address, n, nbytes;
    return number(memory, e, "ptr", &address) && number(memory, e, "nmemb", &n) &&
                   number(memory, e, "size", &nbytes)
               ? allocate(memory, e, address, n * nbytes)
               : CTF_MALFORMED;
}

static enum ctf_reading on_free(struct ctf_memory *memory, const struct ctf_event *e)
{
    uint64_t address;
    return number(memory, e, "ptr", &address) ? allocate(memory, e, address, 0) : CTF_MALFORMED;
}

/* A failed call does not change the old block. */
static enum ctf_reading on_realloc(struct ctf_memory *memory, const struct ctf_event *e)
{
    uint64_t from, to, nbytes;
    if (!number(memory, e, "in_ptr", &from) || !number(memory, e, "ptr", &to) ||
        !number(memory, e, "size", &nbytes))
        return CTF_MALFORMED;
    if (to == 0)
        return CTF_READ;
    const enum ctf_reading freed = allocate(memory, e, from, 0);
    return freed ? freed : allocate(memory, e, to, nbytes);
}

enum ctf_reading ctf_memory_event(struct ctf_memory *memory, const struct ctf_event *event)
{
    static const char now[] = "lttng_ust_libc:", before_2_7[] = "ust_libc:";
    static const struct handler {
        const char *call;
        enum ctf_reading (*handle)(struct ctf_memory *memory, const struct ctf_event *e);
    } handlers[] = {
        {"malloc", on_malloc}, {"calloc", on_calloc},   {"realloc", on_realloc},
        {"free", on_free},     {"memalign", on_malloc}, {"posix_memalign", on_posix_memalign},
    };
    const char *call = strncmp(event->name, now, sizeof now - 1) == 0 ? event->name + sizeof now - 1
                       : strncmp(event->name, before_2_7, sizeof before_2_7 - 1) == 0
                           ? event->name + sizeof before_2_7 - 1
                           : "";
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(call, handlers[i].call) == 0) {
            memory->n_events++;
            return handlers[i].handle(memory, event);
        }
    return CTF_READ;
}
