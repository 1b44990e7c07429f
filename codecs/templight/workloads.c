/*
 * How queries of Templight are drawn: in order, uniformly, by how often names are used, and near
 * existing names.
 *
 * Each draw is a statement of its own: the same seed must give the same queries everywhere.
 */
#include "codecs/templight/workloads.h"

#include "harness/names/names.h"
#include "harness/queries.h"

/* ---- names by number ------------------------------------------------------------------------- */

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
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_name_query *q = queries;
    for (size_t i = 0; i < n && n_names; i++)
        q[i] = name_at(model, bo_random_index(random, n_names));
    return n_names ? n : 0;
}

/* How many of the traces' Begins have each name: summed up, as bo_random_by_weight() takes it. */
static void sum_uses(const struct templight_model *model, uint64_t *sums, uint64_t n_names)
{
    uint64_t *of_trace = sums, sum = 0;
    memset(sums, 0, n_names * sizeof *sums);
    for (size_t t = 0; t < model->n_traces; t++) {
        const struct templight_trace *trace = &model->traces[t];
        for (size_t r = 0; r < trace->n_records; r++)
            if (!trace->records[r].is_end)
                of_trace[trace->records[r].name]++;
        of_trace += trace->n_names;
    }
    for (uint64_t i = 0; i < n_names; i++)
        sums[i] = sum += sums[i];
}

/* The name of a random Begin. */
static size_t draw_used(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint64_t *sums = bo_alloc_array(arena, n_names, sizeof *sums);
    struct templight_name_query *q = queries;
    if (!sums || !n_names)
        return 0;
    sum_uses(model, sums, n_names);
    for (size_t i = 0; i < n; i++)
        q[i] = name_at(model, bo_random_by_weight(random, sums, n_names));
    bo_arena_rewind(arena, mark);
    return n;
}

size_t templight_draw_name_edges(const void *opaque, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries)
{
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_name_query *q = queries;
    for (size_t i = 0; i < n && n_names; i++) {
        q[i] = name_at(model, bo_random_index(random, n_names));
        const uint32_t last = model->traces[q[i].trace].n_names - 1;
        const uint32_t back = bo_random_below(random, 3);
        const bool is_last = bo_random_one_in(random, 2);
        q[i].name = back > last ? 0 : is_last ? last - back : back;
    }
    return n_names ? n : 0;
}

/* ---- texts ----------------------------------------------------------------------------------- */

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
    const struct templight_name_query where = name_at(model, bo_random_index(random, n_names));
    set_text(query, where.trace, model->traces[where.trace].names[where.name]);
}

static size_t draw_hit(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                       size_t n, void *queries)
{
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_text_query *q = queries;
    for (size_t i = 0; i < n && n_names; i++)
        pick_name(model, n_names, random, &q[i]);
    return n_names ? n : 0;
}

/* The trace's names but the empty one, in the arena; NULL when that refuses. */
static struct bo_span *names_with_bytes(const struct templight_trace *trace, struct bo_arena *arena,
                                        size_t *n_ret)
{
    struct bo_span *names = bo_alloc_array(arena, trace->n_names, sizeof *names);
    *n_ret = 0;
    for (uint32_t i = 0; names && i < trace->n_names; i++)
        if (trace->names[i].n)
            names[(*n_ret)++] = trace->names[i];
    return names;
}

/* Up to n names that are one byte off the trace's and not in it. */
static size_t draw_miss_in(const struct templight_model *model, uint32_t t,
                           struct bo_random *random, struct bo_arena *arena, size_t n,
                           struct templight_text_query *queries)
{
    size_t n_names;
    const struct bo_span *names = names_with_bytes(&model->traces[t], arena, &n_names);
    struct bo_span *drawn = bo_alloc_array(arena, n, sizeof *drawn);
    if (!names || !drawn)
        return 0;
    const struct bo_names present = {names, n_names, sizeof *names, 0, SIZE_MAX};
    n = bo_draw_absent_names(&present, random, arena, n, drawn);
    for (size_t i = 0; i < n; i++)
        set_text(&queries[i], t, drawn[i]);
    return n;
}

/* Of one trace after the other, as many as it has of the names. */
static size_t draw_miss(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct templight_model *model = opaque;
    const uint64_t n_names = count_names(model);
    struct templight_text_query *q = queries;
    uint64_t n_so_far = 0;
    size_t n_drawn = 0;
    for (uint32_t t = 0; t < model->n_traces && n_names; t++) {
        n_so_far += model->traces[t].n_names;
        const size_t aim = (size_t)(n * n_so_far / n_names);
        n_drawn += draw_miss_in(model, t, random, arena, aim - n_drawn, q + n_drawn);
    }
    return n_drawn;
}

/* The text up to and including a random one of its "<" and "::"; all of it without any. */
static struct bo_span cut_at_mark(struct bo_span text, struct bo_random *random)
{
    size_t n_marks = 0;
    for (size_t i = 0; i < text.n; i++)
        n_marks += text.p[i] == '<' || (i && text.p[i] == ':' && text.p[i - 1] == ':');
    size_t left = n_marks ? bo_random_index(random, n_marks) : n_marks;
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

/* ---- texts around the names ------------------------------------------------------------------ */

/* Texts that are difficult for readers with any names. */
static struct bo_span strange_text(struct bo_random *random)
{
    static const char *const texts[] = {"<", ">",     "::",        ",",  " ", "std", "s",
                                        "'", "std::", "operator<", "A<", "A", "A<>", "\xff"};
    static const struct bo_span nul = {(const uint8_t *)"", 1};
    const uint32_t i = bo_random_below(random, sizeof texts / sizeof *texts + 1);
    return i ? bo_span_of(texts[i - 1]) : nul;
}

size_t templight_draw_text_edges(const void *opaque, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries)
{
    const struct templight_model *model = opaque;
    struct templight_text_query *q = queries;
    for (size_t i = 0; i < n && model->n_traces; i++) {
        const uint32_t choice = bo_random_below(random, 6);
        const uint32_t t = (uint32_t)bo_random_index(random, model->n_traces);
        const struct templight_trace *trace = &model->traces[t];
        const struct bo_names names = {trace->names, trace->n_names, sizeof *trace->names, 0,
                                       SIZE_MAX};
        const size_t name = names.n ? bo_random_index(random, names.n) : 0;
        const struct bo_span text =
            choice ? bo_name_edge(&names, name, random, arena) : strange_text(random);
        if (!text.p)
            return i;
        set_text(&q[i], t, text);
        if (choice == 1)
            q[i].trace = (uint32_t)bo_random_index(random, model->n_traces);
    }
    return model->n_traces ? n : 0;
}

/* ---- the tables ------------------------------------------------------------------------------ */

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
    {
        .name = "first",
        .summary = "as uniform, each run on a reader just opened, opening included; 2^4 queries",
        .n_queries = 1 << 4,
        .fresh = 1,
        .draw = draw_uniform,
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
