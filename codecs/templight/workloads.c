/*
 * How queries of Templight are drawn: in order, uniformly, by how often names are used, and around
 * the names that there are.
 *
 * Each draw is a statement of its own: the same seed must give the same queries everywhere.
 */
#include "codecs/templight/workloads.h"

static size_t random_index(struct bo_random *random, uint64_t n)
{
    return (size_t)(bo_random_u64(random) % n);
}

/* ---- names by number --------------------------------------------------------------------------- */

static uint64_t count_names(const struct templight_model *model)
{
    uint64_t n = 0;
    for (size_t t = 0; t < model->n_traces; t++)
        n += model->traces[t].n_names;
    return n;
}

/* The i-th name of all traces. */
static struct templight_name_query name_at(const struct templight_model *model, uint64_t i)
{
    size_t t = 0;
    for (; i >= model->traces[t].n_names; t++)
        i -= model->traces[t].n_names;
    return (struct templight_name_query){(uint32_t)t, (uint32_t)i};
}

/* From the first on, again and again. */
static size_t draw_sequential(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                              size_t n, void *queries)
{
    (void)random;
    (void)arena;
    const struct templight_model *model = opaque;
    struct templight_name_query *q = queries, next = {0, 0};
    if (!count_names(model))
        return 0;
    for (size_t i = 0; i < n; i++) {
        while (next.name >= model->traces[next.trace].n_names)
            next = (struct templight_name_query){(uint32_t)((next.trace + 1) % model->n_traces), 0};
        q[i] = next;
        next.name++;
    }
    return n;
}

static size_t draw_uniform(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    (void)arena;
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_name_query *q = queries;
    for (size_t i = 0; i < n && n_names; i++)
        q[i] = name_at(model, random_index(random, n_names));
    return n_names ? n : 0;
}

/* The name of a random Begin: of one before or behind, where a random record is an End. */
static size_t draw_used(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    (void)arena;
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_name_query *q = queries;
    for (size_t i = 0; i < n && n_names; i++) {
        const uint32_t t = name_at(model, random_index(random, n_names)).trace;
        const struct templight_trace *trace = &model->traces[t];
        size_t r = random_index(random, trace->n_records);
        while (r && trace->records[r].is_end)
            r--;
        while (trace->records[r].is_end)
            r++; /* there are names, so there is a Begin */
        q[i] = (struct templight_name_query){t, trace->records[r].name};
    }
    return n_names ? n : 0;
}

size_t templight_draw_name_edges(const void *opaque, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries)
{
    (void)arena;
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_name_query *q = queries;
    for (size_t i = 0; i < n && n_names; i++) {
        q[i] = name_at(model, random_index(random, n_names));
        const uint32_t last = model->traces[q[i].trace].n_names - 1;
        const uint32_t back = bo_random_below(random, 3);
        const bool is_last = bo_random_one_in(random, 2);
        q[i].name = back > last ? 0 : is_last ? last - back : back;
    }
    return n_names ? n : 0;
}

/* ---- texts ------------------------------------------------------------------------------------- */

static void set_text(struct templight_text_query *query, uint32_t trace, struct bo_span text)
{
    memset(query, 0, sizeof *query);
    query->trace = trace;
    query->text = text;
}

/* A random name as a text query; there must be names. */
static void pick_name(const struct templight_model *model, uint64_t n_names,
                      struct bo_random *random, struct templight_text_query *query)
{
    const struct templight_name_query where = name_at(model, random_index(random, n_names));
    set_text(query, where.trace, model->traces[where.trace].names[where.name]);
}

static size_t draw_hit(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                       size_t n, void *queries)
{
    (void)arena;
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_text_query *q = queries;
    for (size_t i = 0; i < n && n_names; i++)
        pick_name(model, n_names, random, &q[i]);
    return n_names ? n : 0;
}

static bool has_name(const struct templight_trace *trace, struct bo_span text)
{
    for (uint32_t i = 0; i < trace->n_names; i++)
        if (bo_span_equal(trace->names[i], text))
            return true;
    return false;
}

/* The text with one byte changed, in the arena; false when that refuses. An empty one stays. */
static bool change_byte(struct bo_span *text, struct bo_random *random, struct bo_arena *arena)
{
    uint8_t *p = bo_alloc(arena, text->n);
    if (!p || text->n == 0)
        return p != NULL;
    memcpy(p, text->p, text->n);
    const size_t at = random_index(random, text->n);
    p[at] = (uint8_t)('!' + bo_random_below(random, '~' - '!'));
    text->p = p;
    return true;
}

/* Names with a byte changed. Small documents may have next to none: it gives up after some tries. */
static size_t draw_miss(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_text_query *q = queries;
    size_t n_drawn = 0;
    for (size_t tries = 0; tries < 4 * n && n_drawn < n && n_names; tries++) {
        pick_name(model, n_names, random, &q[n_drawn]);
        if (!change_byte(&q[n_drawn].text, random, arena))
            break;
        n_drawn += !has_name(&model->traces[q[n_drawn].trace], q[n_drawn].text);
    }
    return n_drawn;
}

/* The text up to a random one of its "<" and "::", with it; all of it where there is none. */
static struct bo_span cut_at_mark(struct bo_span text, struct bo_random *random)
{
    size_t n_marks = 0;
    for (size_t i = 0; i < text.n; i++)
        n_marks += text.p[i] == '<' || (i && text.p[i] == ':' && text.p[i - 1] == ':');
    size_t left = n_marks ? random_index(random, n_marks) : n_marks;
    for (size_t i = 0; i < text.n && n_marks; i++)
        if ((text.p[i] == '<' || (i && text.p[i] == ':' && text.p[i - 1] == ':')) && left-- == 0)
            return (struct bo_span){text.p, i + 1};
    return text;
}

/* What begins a name: a scope, or a template without its arguments. */
static size_t draw_scope(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    struct templight_text_query *q = queries;
    n = draw_hit(opaque, random, arena, n, queries);
    for (size_t i = 0; i < n; i++)
        q[i].text = cut_at_mark(q[i].text, random);
    return n;
}

/* ---- texts around the names -------------------------------------------------------------------- */

/* Any but the names themselves: what readers may stumble upon. */
static struct bo_span strange_text(struct bo_random *random)
{
#define TEXT(literal)                                \
    {                                                \
        (const uint8_t *)literal, sizeof literal - 1 \
    }
    static const struct bo_span texts[] = {
        TEXT(""),  TEXT("\0"), TEXT("\xff"), TEXT("<"),  TEXT(">"),     TEXT("::"),
        TEXT(","), TEXT(" "),  TEXT("std"),  TEXT("s"),  TEXT("std::"), TEXT("operator<"),
        TEXT("'"), TEXT("A"),  TEXT("A<"),   TEXT("A<>")};
#undef TEXT
    return texts[bo_random_below(random, sizeof texts / sizeof *texts)];
}

static bool append_byte(struct bo_span *text, struct bo_random *random, struct bo_arena *arena)
{
    static const uint8_t bytes[] = {0, ' ', '>', ':', 'a', 0xff};
    uint8_t *p = bo_alloc(arena, text->n + 1);
    if (!p)
        return false;
    if (text->n)
        memcpy(p, text->p, text->n);
    p[text->n] = bytes[bo_random_below(random, sizeof bytes)];
    *text = (struct bo_span){p, text->n + 1};
    return true;
}

size_t templight_draw_text_edges(const void *opaque, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries)
{
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_text_query *q = queries;
    bool ok = true;
    size_t i = 0;
    for (; i < n && ok && model->n_traces; i++) {
        const uint32_t choice = bo_random_below(random, 6);
        const uint32_t trace = (uint32_t)random_index(random, model->n_traces);
        const struct bo_span strange = strange_text(random);
        set_text(&q[i], trace, strange);
        if (!n_names || choice == 0)
            continue;
        pick_name(model, n_names, random, &q[i]);
        if (choice == 1)
            ok = append_byte(&q[i].text, random, arena);
        else if (choice == 2)
            q[i].text.n -= q[i].text.n != 0;
        else if (choice == 3)
            ok = change_byte(&q[i].text, random, arena);
        else if (choice == 4)
            q[i].trace = (uint32_t)random_index(random, model->n_traces);
    }
    return ok ? i : i - 1;
}

size_t templight_draw_whole(const void *model, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    (void)model;
    (void)random;
    (void)arena;
    (void)queries;
    return n < 1 ? n : 1;
}

/* ---- the tables -------------------------------------------------------------------------------- */

const struct bo_workload templight_name_workloads[TEMPLIGHT_N_NAME_WORKLOADS] = {
    {
        .name = "sequential",
        .summary = "names in the order of their numbers; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_sequential,
    },
    {
        .name = "uniform",
        .summary = "uniform over all names; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_uniform,
    },
    {
        .name = "used",
        .summary = "names as often as records use them; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_used,
    },
    {
        .name = "cold",
        .summary = "as uniform, the caches emptied before each small batch; 2^10 queries",
        .n_queries = 1 << 10,
        .cold = true,
        .draw = draw_uniform,
    },
};

const struct bo_workload templight_whole_workloads[TEMPLIGHT_N_WHOLE_WORKLOADS] = {
    {
        .name = "whole",
        .summary = "all of the document; one query",
        .n_queries = 1,
        .draw = templight_draw_whole,
    },
};

const struct bo_workload templight_find_workloads[TEMPLIGHT_N_FIND_WORKLOADS] = {
    {
        .name = "hit",
        .summary = "names that are there, uniform; 2^10 queries",
        .n_queries = 1 << 10,
        .draw = draw_hit,
    },
    {
        .name = "miss",
        .summary = "names with one byte changed, which are not there; 2^10 queries",
        .n_queries = 1 << 10,
        .draw = draw_miss,
    },
};

const struct bo_workload templight_prefix_workloads[TEMPLIGHT_N_PREFIX_WORKLOADS] = {
    {
        .name = "scope",
        .summary = "names up to one of their :: or <; 2^8 queries",
        .n_queries = 1 << 8,
        .draw = draw_scope,
    },
    {
        .name = "miss",
        .summary = "names with one byte changed, with which next to none begins; 2^8 queries",
        .n_queries = 1 << 8,
        .draw = draw_miss,
    },
};
