/* A state system, for importers of traces. */
#include "corpora/import/state_system.h"

#include "harness/core/utf8.h"

enum { MAX_NAME_NBYTES = 256 }; /* of tasks and interrupts in traces */

bool state_system_init(struct state_system *system, int64_t start, struct bo_arena *arena)
{
    *system = (struct state_system){.start = start, .now = start};
    return statehist_builder_init(&system->builder, true, arena) &&
           bo_texts_init(&system->paths, true, arena);
}

/* A path that is too long is cut, before a character. */
static struct bo_span path_of(uint8_t path[4 + MAX_NAME_NBYTES], uint32_t parent,
                              struct bo_span name)
{
    size_t n = name.n < MAX_NAME_NBYTES ? name.n : MAX_NAME_NBYTES;
    while (n && n < name.n && (name.p[n] & 0xc0) == 0x80)
        n--;
    bo_set_le32(path, parent);
    if (n)
        memcpy(path + 4, name.p, n);
    return (struct bo_span){path, 4 + n};
}

bool state_attribute(struct state_system *system, uint32_t parent, struct bo_span name,
                     uint32_t *quark_ret)
{
    uint8_t path[4 + MAX_NAME_NBYTES];
    const uint32_t n = system->paths.n;
    if (!bo_texts_add(&system->paths, path_of(path, parent, name), quark_ret))
        return false;
    if (*quark_ret < n)
        return true;
    if (!bo_grow(system->builder.arena, &system->open, n, 1, &system->cap_open))
        return false;
    system->open[n] = (struct statehist_interval){.start = system->start, .quark = n};
    const struct bo_span kept = system->paths.texts[n];
    return statehist_add_attribute(&system->builder, (struct bo_span){kept.p + 4, kept.n - 4},
                                   parent);
}

uint32_t state_find(const struct state_system *system, uint32_t parent, struct bo_span name)
{
    uint8_t path[4 + MAX_NAME_NBYTES];
    const uint32_t quark = bo_texts_find(&system->paths, path_of(path, parent, name));
    return quark == BO_NO_TEXT ? STATEHIST_ROOT : quark;
}

bool state_set(struct state_system *system, uint32_t quark, enum statehist_type type,
               uint64_t value)
{
    struct statehist_interval *open = &system->open[quark];
    if (open->type == (uint32_t)type && open->value == value)
        return true;
    if (open->start < system->now) {
        open->end = system->now - 1;
        if (!statehist_add_interval(&system->builder, open))
            return false;
    }
    open->start = system->now;
    open->type = type;
    open->value = value;
    return true;
}

bool state_set_string(struct state_system *system, uint32_t quark, struct bo_span string)
{
    uint32_t number;
    return statehist_add_string(&system->builder, string, &number) &&
           state_set(system, quark, STATEHIST_STRING, number);
}

bool state_clean_text(struct bo_arena *arena, struct bo_span *text)
{
    if (text->n == 0 || (bo_is_utf8(*text) && !memchr(text->p, 0, text->n)))
        return true;
    uint8_t *copy = bo_alloc(arena, text->n);
    for (size_t i = 0; copy && i < text->n; i++)
        copy[i] = text->p[i] >= ' ' && text->p[i] < 0x7f ? text->p[i] : '?';
    text->p = copy;
    return copy != NULL;
}

enum bo_status state_system_finish(struct state_system *system, struct statehist_model **model_ret,
                                   struct bo_error *err)
{
    struct statehist_flaw flaw;
    for (uint32_t quark = 0; quark < system->builder.n_quarks; quark++) {
        system->open[quark].end = system->now;
        if (!statehist_add_interval(&system->builder, &system->open[quark]))
            return bo_fail_alloc(err, system->builder.arena);
    }
    const enum bo_status status =
        statehist_finish(&system->builder, system->start, system->now, model_ret, &flaw);
    return status ? statehist_fail(err, status, BO_NO_OFFSET, &flaw, system->builder.arena) : BO_OK;
}
