/* A dictionary that is read: checking, adding up, expanding. */
#include "codecs/templight/definitions.h"

/* More than any sum that is allowed. */
#define TOO_MUCH (UINT64_C(1) << 62)

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < TOO_MUCH ? a + b : TOO_MUCH;
}

bool templight_definitions_init(struct templight_definitions *definitions, size_t trace_nbytes,
                                size_t n, struct bo_arena *arena)
{
    *definitions =
        (struct templight_definitions){.arena = arena, .trace_nbytes = trace_nbytes, .cap = n};
    definitions->items = bo_alloc_array(arena, n, sizeof *definitions->items);
    return definitions->items != NULL;
}

/* ---- limits ---------------------------------------------------------------------------------- */

/*
 * A name may have 128 KiB more than the trace has bytes, and all names together 64 KiB for each
 * entry and as many bytes as the trace. Our writer stays below that, since it keeps names of more
 * than 64 KiB whole; real ones have 28 931 bytes at most. Visits have the same limits, so
 * entries with an empty text count, too.
 */
static bool one_is_too_long(const struct templight_definitions *d, uint64_t n)
{
    return n > d->trace_nbytes + 2 * TEMPLIGHT_MAX_SPLIT_NBYTES;
}

static bool all_are_too_long(const struct templight_definitions *d, uint64_t n)
{
    return n > d->trace_nbytes + (uint64_t)TEMPLIGHT_MAX_SPLIT_NBYTES * d->n;
}

/* ---- entries --------------------------------------------------------------------------------- */

static size_t count_markers(struct bo_span marked)
{
    size_t n = 0;
    for (size_t i = 0; i < marked.n; i++)
        n += marked.p[i] == '\0';
    return n;
}

static enum bo_status check_ids(const struct templight_definitions *d,
                                const struct templight_raw_definition *raw, struct bo_error *err)
{
    const size_t n_markers = count_markers(raw->marked);
    for (size_t i = 0; i < raw->n_ids; i++)
        if (raw->ids[i].id >= d->n)
            return bo_fail(err, BO_CORRUPT, raw->ids[i].off,
                           raw->ids[i].id == d->n ? "dictionary entry refers to itself"
                                                  : "dictionary entry refers to a later one");
    if (n_markers > raw->n_ids)
        return bo_fail(err, BO_CORRUPT, raw->off, "dictionary entry has more markers than ids");
    if (n_markers < raw->n_ids)
        return bo_fail(err, BO_CORRUPT, raw->ids[n_markers].off,
                       "dictionary entry has more ids than markers");
    return BO_OK;
}

static bool make_room(struct templight_definitions *d, size_t n_ids)
{
    return bo_grow(d->arena, &d->items, d->n, 1, &d->cap) &&
           bo_grow(d->arena, &d->ids, d->n_ids, n_ids, &d->cap_ids);
}

enum bo_status templight_define(struct templight_definitions *definitions,
                                const struct templight_raw_definition *raw, struct bo_error *err)
{
    struct templight_definitions *d = definitions;
    const enum bo_status status = check_ids(d, raw, err);
    if (status)
        return status;
    if (d->n == TEMPLIGHT_NONE - 1)
        return bo_fail(err, BO_UNSUPPORTED, raw->off, "2^32 - 1 entries or more");
    if (!make_room(d, raw->n_ids))
        return bo_fail_alloc(err, d->arena);
    struct templight_definition item = {
        .marked = raw->marked,
        .nbytes = raw->marked.n - raw->n_ids,
        .n_visits = 1,
        .first_id = d->n_ids,
        .n_ids = (uint32_t)raw->n_ids,
        .depth = 1,
        .name = TEMPLIGHT_NONE,
    };
    for (size_t i = 0; i < raw->n_ids; i++) {
        const struct templight_definition *part = &d->items[raw->ids[i].id];
        item.nbytes = add(item.nbytes, part->nbytes);
        item.n_visits = add(item.n_visits, part->n_visits);
        if (item.depth <= part->depth)
            item.depth = part->depth + 1;
        d->ids[d->n_ids++] = raw->ids[i].id;
    }
    if (one_is_too_long(d, item.nbytes) || one_is_too_long(d, item.n_visits))
        return bo_fail(err, BO_OVER_LIMIT, raw->off, "dictionary entry would expand to too much");
    if (d->max_depth < item.depth)
        d->max_depth = item.depth;
    d->items[d->n++] = item;
    return BO_OK;
}

enum bo_status templight_refer(struct templight_definitions *definitions,
                               const struct templight_raw_name *name, bool *is_new,
                               struct templight_definition **definition_ret, struct bo_error *err)
{
    struct templight_definitions *d = definitions;
    if (name->id >= d->n)
        return bo_fail(err, BO_CORRUPT, name->off,
                       "name refers to a dictionary entry that does not precede it");
    struct templight_definition *item = *definition_ret = &d->items[name->id];
    *is_new = item->name == TEMPLIGHT_NONE;
    if (!*is_new)
        return BO_OK;
    d->used_nbytes = add(d->used_nbytes, item->nbytes);
    d->used_visits = add(d->used_visits, item->n_visits);
    if (all_are_too_long(d, d->used_nbytes) || all_are_too_long(d, d->used_visits))
        return bo_fail(err, BO_OVER_LIMIT, name->off, "names would expand to too much");
    return BO_OK;
}

/* ---- expanding ------------------------------------------------------------------------------- */

/* Copies text up to the next marker, or the end; true at a marker, which is passed. */
static bool copy_to_marker(struct bo_span marked, size_t *at, uint8_t **to)
{
    const uint8_t *start = marked.p + *at;
    const size_t left = marked.n - *at;
    const uint8_t *marker = left ? memchr(start, '\0', left) : NULL;
    const size_t n = marker ? (size_t)(marker - start) : left;
    if (n)
        memcpy(*to, start, n);
    *to += n;
    *at += n + (marker != NULL);
    return marker != NULL;
}

void templight_expand(const struct templight_definitions *definitions, uint32_t id,
                      struct templight_task *tasks, uint8_t *to)
{
    const struct templight_definitions *d = definitions;
    size_t n_tasks = 1;
    tasks[0] = (struct templight_task){.id = id};
    while (n_tasks) {
        struct templight_task *task = &tasks[n_tasks - 1];
        const struct templight_definition *item = &d->items[task->id];
        if (copy_to_marker(item->marked, &task->at, &to))
            tasks[n_tasks++] =
                (struct templight_task){.id = d->ids[item->first_id + task->next_id++]};
        else
            n_tasks--;
    }
}

void templight_expand_once(const struct templight_definitions *definitions, uint32_t id,
                           struct templight_task *tasks, const uint8_t **texts, uint8_t *to)
{
    const struct templight_definitions *d = definitions;
    uint8_t *const start = to;
    size_t n_tasks = 1;
    tasks[0] = (struct templight_task){.id = id};
    while (n_tasks) {
        struct templight_task *task = &tasks[n_tasks - 1];
        const struct templight_definition *item = &d->items[task->id];
        if (!copy_to_marker(item->marked, &task->at, &to)) {
            texts[task->id] = start + task->start;
            n_tasks--;
            continue;
        }
        const uint32_t part = d->ids[item->first_id + task->next_id++];
        const size_t nbytes = (size_t)d->items[part].nbytes;
        if (!texts[part]) {
            tasks[n_tasks++] = (struct templight_task){.id = part, .start = (size_t)(to - start)};
            continue;
        }
        memcpy(to, texts[part], nbytes);
        to += nbytes;
    }
}
