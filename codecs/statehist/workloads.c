/*
 * How queries of state histories are drawn.
 *
 * Each draw is a statement of its own: the same seed must give the same queries everywhere.
 */
#include "codecs/statehist/workloads.h"

#include "harness/core/text.h"

/* ---- times and intervals --------------------------------------------------------------------- */

static int64_t time_between(struct bo_random *random, int64_t from, int64_t to)
{
    const uint64_t length = (uint64_t)to - (uint64_t)from;
    const uint64_t drawn = bo_random_u64(random);
    return (int64_t)((uint64_t)from + (length == UINT64_MAX ? drawn : drawn % (length + 1)));
}

static const struct statehist_interval *draw_interval(const struct statehist_model *model,
                                                      struct bo_random *random)
{
    return &model->intervals[bo_random_index(random, model->n_intervals)];
}

/* A time that steps over the ends of the history is left where it is. */
static int64_t step(const struct statehist_model *model, int64_t time, int by)
{
    const bool stays = (by < 0 && time == model->start) || (by > 0 && time == model->end);
    return stays ? time : time + by;
}

/* At or beside an end of a random interval, or of the history. */
static int64_t draw_edge(const struct statehist_model *model, struct bo_random *random,
                         const struct statehist_interval **interval_ret)
{
    const struct statehist_interval *at = draw_interval(model, random);
    const uint32_t choice = bo_random_below(random, 8);
    *interval_ret = at;
    switch (choice) {
    case 0:
        return model->start;
    case 1:
        return model->end;
    case 2:
        return step(model, at->start, -1);
    case 3:
        return step(model, at->end, 1);
    case 4:
        return step(model, at->start, 1);
    case 5:
        return at->end;
    default:
        return at->start;
    }
}

/* ---- points ---------------------------------------------------------------------------------- */

static size_t draw_uniform(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    const struct statehist_model *model = opaque;
    struct statehist_point_query *q = queries;
    for (size_t i = 0; i < n && model->n_quarks; i++) {
        const uint32_t quark = (uint32_t)bo_random_index(random, model->n_quarks);
        const int64_t time = time_between(random, model->start, model->end);
        q[i] = (struct statehist_point_query){time, quark, 0};
    }
    return model->n_quarks ? n : 0;
}

/* As often as a timeline changes: a random time of a random interval. */
static size_t draw_weighted(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    const struct statehist_model *model = opaque;
    struct statehist_point_query *q = queries;
    for (size_t i = 0; i < n && model->n_intervals; i++) {
        const struct statehist_interval *at = draw_interval(model, random);
        q[i] =
            (struct statehist_point_query){time_between(random, at->start, at->end), at->quark, 0};
    }
    return model->n_intervals ? n : 0;
}

size_t statehist_draw_point_edges(const void *opaque, struct bo_random *random,
                                  struct bo_arena *arena, size_t n, void *queries)
{
    const struct statehist_model *model = opaque;
    struct statehist_point_query *q = queries;
    for (size_t i = 0; i < n && model->n_intervals; i++) {
        const struct statehist_interval *at;
        const int64_t time = draw_edge(model, random, &at);
        const bool other = bo_random_one_in(random, 4);
        const uint32_t quark =
            other ? (uint32_t)bo_random_index(random, model->n_quarks) : at->quark;
        q[i] = (struct statehist_point_query){time, quark, 0};
    }
    return model->n_intervals ? n : 0;
}

/* ---- times ----------------------------------------------------------------------------------- */

static size_t draw_times(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    const struct statehist_model *model = opaque;
    struct statehist_time_query *q = queries;
    for (size_t i = 0; i < n; i++)
        q[i].time = time_between(random, model->start, model->end);
    return n;
}

size_t statehist_draw_time_edges(const void *opaque, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries)
{
    const struct statehist_model *model = opaque;
    struct statehist_time_query *q = queries;
    if (model->n_intervals == 0)
        return draw_times(model, random, arena, n, queries);
    for (size_t i = 0; i < n; i++) {
        const struct statehist_interval *at;
        q[i].time = draw_edge(model, random, &at);
    }
    return n;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The whole timeline of a random interval. */
static size_t draw_whole_timelines(const void *opaque, struct bo_random *random,
                                   struct bo_arena *arena, size_t n, void *queries)
{
    const struct statehist_model *model = opaque;
    struct statehist_range_query *q = queries;
    for (size_t i = 0; i < n && model->n_intervals; i++)
        q[i] = (struct statehist_range_query){model->start, model->end,
                                              draw_interval(model, random)->quark, 0};
    return model->n_intervals ? n : 0;
}

/* Up to 64 intervals, from a random one on. */
static size_t draw_short(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    enum { MOST = 64 };
    const struct statehist_model *model = opaque;
    struct statehist_range_query *q = queries;
    for (size_t i = 0; i < n && model->n_intervals; i++) {
        const struct statehist_interval *from = draw_interval(model, random);
        const size_t left = model->first[from->quark + 1] - (size_t)(from - model->intervals);
        const size_t more = bo_random_below(random, MOST);
        const struct statehist_interval *to = from + (more < left ? more : left - 1);
        q[i].from = time_between(random, from->start, from->end);
        q[i].to = to == from ? from->end : time_between(random, to->start, to->end);
        q[i].quark = from->quark;
        q[i].padding = 0;
    }
    return model->n_intervals ? n : 0;
}

size_t statehist_draw_range_edges(const void *opaque, struct bo_random *random,
                                  struct bo_arena *arena, size_t n, void *queries)
{
    const struct statehist_model *model = opaque;
    struct statehist_range_query *q = queries;
    for (size_t i = 0; i < n && model->n_intervals; i++) {
        const struct statehist_interval *of_one, *of_other;
        const int64_t one = draw_edge(model, random, &of_one);
        const int64_t other = draw_edge(model, random, &of_other);
        q[i].from = one < other ? one : other;
        q[i].to = one < other ? other : one;
        q[i].quark = of_one->quark;
        q[i].padding = 0;
    }
    return model->n_intervals ? n : 0;
}

/* ---- windows --------------------------------------------------------------------------------- */

static uint32_t grandparent(const struct statehist_model *model, uint32_t quark)
{
    const uint32_t parent = model->attributes[quark].parent;
    return parent == STATEHIST_ROOT ? STATEHIST_ROOT : model->attributes[parent].parent;
}

/*
 * Rows of a view belong together: they are children of one attribute (all threads), or have one
 * name below such children (the system calls of all threads).
 */
static bool same_class(const struct statehist_model *model, uint32_t a, uint32_t b, bool by_name)
{
    const struct statehist_attribute *x = &model->attributes[a], *y = &model->attributes[b];
    const uint32_t above = grandparent(model, a);
    if (!by_name || above == STATEHIST_ROOT)
        return x->parent == y->parent;
    return grandparent(model, b) == above && bo_span_equal(x->name, y->name);
}

/* Up to `most` quarks of the class of one, in order: those from it on, and then the first ones. */
static struct bo_span draw_class(const struct statehist_model *model, uint32_t one, bool by_name,
                                 size_t most, struct bo_arena *arena)
{
    uint8_t *quarks = bo_alloc_array(arena, most, 4);
    size_t n = 0;
    for (uint32_t i = 0; i < model->n_quarks && n < most && quarks; i++) {
        const uint32_t quark = one + i < model->n_quarks ? one + i : one + i - model->n_quarks;
        if (same_class(model, one, quark, by_name))
            bo_set_le32(quarks + 4 * n++, quark);
    }
    return (struct bo_span){quarks, 4 * n};
}

enum { VIEW_TIMES = 1000 }; /* about one a pixel */

/* A span of the history: all of it, a half, a quarter, ... */
static size_t draw_windows(const struct statehist_model *model, struct bo_random *random,
                           struct bo_arena *arena, size_t n, size_t n_rows, unsigned max_zoom,
                           struct statehist_window_query *q)
{
    const uint64_t length = (uint64_t)model->end - (uint64_t)model->start;
    for (size_t i = 0; i < n; i++) {
        if (model->n_intervals == 0)
            return 0;
        const uint32_t quark = draw_interval(model, random)->quark;
        const bool by_name = bo_random_one_in(random, 2);
        const uint64_t span = length >> bo_random_below(random, max_zoom + 1);
        q[i] = (struct statehist_window_query){.n_times = VIEW_TIMES};
        q[i].quarks = draw_class(model, quark, by_name, n_rows, arena);
        if (!q[i].quarks.p)
            return i;
        q[i].from = time_between(random, model->start, (int64_t)((uint64_t)model->end - span));
        q[i].to = (int64_t)((uint64_t)q[i].from + span);
    }
    return n;
}

static size_t draw_view(const void *model, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    enum { ROWS = 64, MAX_ZOOM = 12 };
    return draw_windows(model, random, arena, n, ROWS, MAX_ZOOM, queries);
}

static size_t draw_overview(const void *model, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    enum { ROWS = 4096 };
    return draw_windows(model, random, arena, n, ROWS, 0, queries);
}

size_t statehist_draw_window_edges(const void *opaque, struct bo_random *random,
                                   struct bo_arena *arena, size_t n, void *queries)
{
    enum { MOST_QUARKS = 5 };
    static const uint16_t many_times[] = {1000, 128, 100, 65, 64, 63, 1000, 64};
    const struct statehist_model *model = opaque;
    struct statehist_window_query *q = queries;
    for (size_t i = 0; i < n && model->n_intervals; i++) {
        const struct statehist_interval *at;
        const int64_t one = draw_edge(model, random, &at);
        const int64_t other = draw_edge(model, random, &at);
        const size_t n_quarks = bo_random_below(random, MOST_QUARKS + 1);
        uint8_t *quarks = bo_alloc_array(arena, n_quarks, 4);
        if (!quarks)
            return i;
        for (size_t k = 0; k < n_quarks; k++) {
            const uint32_t quark = (uint32_t)bo_random_index(random, model->n_quarks);
            bo_set_le32(quarks + 4 * k, k ? quark : at->quark);
        }
        const uint32_t choice = bo_random_below(random, 2048);
        q[i] = (struct statehist_window_query){
            .quarks = {quarks, 4 * n_quarks},
            .from = one < other ? one : other,
            .to = one < other ? other : one,
            .n_times = choice == 0   ? STATEHIST_MAX_WINDOW_TIMES
                       : choice < 64 ? many_times[choice % 8]
                                     : 1 + choice % 9,
        };
    }
    return model->n_intervals ? n : 0;
}

/* ---- lists of times, and all times ----------------------------------------------------------- */

/*
 * As Trace Compass makes them: a step of at least 1 for each pixel, and always the last time, with
 * a shorter step before it.
 */
static bool list_times(struct statehist_window_query *q, uint64_t n_pixels, struct bo_arena *arena)
{
    const uint64_t length = (uint64_t)q->to - (uint64_t)q->from;
    const uint64_t step = length / n_pixels ? length / n_pixels : 1;
    const uint64_t n_steps = length / step;
    int64_t *times = bo_alloc_array(arena, (size_t)n_steps + 2, sizeof *times);
    if (!times)
        return false;
    for (uint64_t i = 0; i <= n_steps; i++)
        times[i] = (int64_t)((uint64_t)q->from + i * step);
    q->n_times = (uint32_t)n_steps + 1;
    if (length % step)
        times[q->n_times++] = q->to;
    q->times = times;
    q->form = STATEHIST_LISTED;
    return true;
}

static size_t draw_times_view(const void *model, struct bo_random *random, struct bo_arena *arena,
                              size_t n, void *queries)
{
    enum { ROWS = 72, MAX_ZOOM = 12, PIXELS = 1200 };
    struct statehist_window_query *q = queries;
    n = draw_windows(model, random, arena, n, ROWS, MAX_ZOOM, q);
    for (size_t i = 0; i < n; i++)
        if (!list_times(&q[i], PIXELS, arena))
            return i;
    return n;
}

static size_t always(size_t n, struct statehist_window_query *q)
{
    for (size_t i = 0; i < n; i++)
        q[i].form = STATEHIST_ALWAYS;
    return n;
}

static size_t draw_range2d_view(const void *model, struct bo_random *random, struct bo_arena *arena,
                                size_t n, void *queries)
{
    return always(draw_view(model, random, arena, n, queries), queries);
}

static size_t draw_range2d_whole(const void *model, struct bo_random *random,
                                 struct bo_arena *arena, size_t n, void *queries)
{
    return always(draw_overview(model, random, arena, n, queries), queries);
}

size_t statehist_draw_range2d_edges(const void *model, struct bo_random *random,
                                    struct bo_arena *arena, size_t n, void *queries)
{
    return always(statehist_draw_window_edges(model, random, arena, n, queries), queries);
}

/* Of each window, the ends of some intervals that lie in it, beside its own ends. */
size_t statehist_draw_times_edges(const void *opaque, struct bo_random *random,
                                  struct bo_arena *arena, size_t n, void *queries)
{
    enum { MOST_TIMES = 9 };
    const struct statehist_model *model = opaque;
    struct statehist_window_query *q = queries;
    n = statehist_draw_window_edges(model, random, arena, n, queries);
    for (size_t i = 0; i < n; i++) {
        int64_t *times = bo_alloc_array(arena, MOST_TIMES, sizeof *times);
        if (!times)
            return i;
        times[0] = q[i].from;
        uint32_t n_times = 1;
        for (uint32_t t = bo_random_below(random, MOST_TIMES - 1); t > 0; t--) {
            const struct statehist_interval *at;
            const int64_t time = draw_edge(model, random, &at);
            if (time > times[n_times - 1] && time < q[i].to)
                times[n_times++] = time;
        }
        if (q[i].to > times[n_times - 1])
            times[n_times++] = q[i].to;
        q[i].times = times;
        q[i].n_times = n_times;
        q[i].form = STATEHIST_LISTED;
    }
    return n;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The child of an attribute (or of the root) that has a name; n_quarks for none. */
static uint32_t child_of(const struct statehist_model *model, uint32_t parent, struct bo_span name)
{
    uint32_t quark = parent == STATEHIST_ROOT ? 0 : parent + 1;
    while (quark < model->n_quarks && (model->attributes[quark].parent != parent ||
                                       !bo_span_equal(model->attributes[quark].name, name)))
        quark++;
    return quark;
}

/* True when an attribute is the Exec_name of a thread, whose number is then set. */
static bool names_thread(const struct statehist_model *model, uint32_t threads, uint32_t quark,
                         uint64_t *number)
{
    const uint64_t most = (1 << 22) - 1;
    const struct statehist_attribute *a = &model->attributes[quark];
    return bo_word_is(a->name, "Exec_name") && a->parent != STATEHIST_ROOT &&
           model->attributes[a->parent].parent == threads &&
           bo_parse_u64(model->attributes[a->parent].name, most, number);
}

/* By the number of a thread below *n: the attribute of its name, or n_quarks without a name. */
static uint32_t *find_exec_names(const struct statehist_model *model, struct bo_arena *arena,
                                 uint64_t *n)
{
    const uint32_t threads = child_of(model, STATEHIST_ROOT, bo_span_of("Threads"));
    uint64_t number;
    *n = 0;
    for (uint32_t q = 0; q < model->n_quarks; q++)
        if (names_thread(model, threads, q, &number) && number >= *n)
            *n = number + 1;
    uint32_t *names = bo_alloc_array(arena, (size_t)*n, sizeof *names);
    for (uint64_t i = 0; i < *n && names; i++)
        names[i] = model->n_quarks;
    for (uint32_t q = 0; q < model->n_quarks && names; q++)
        if (names_thread(model, threads, q, &number))
            names[number] = q;
    return names;
}

/*
 * What the view of resources reads for its labels: it walks the threads that each CPU ran in a
 * window, and looks up the name of each at the end of its interval.
 */
static size_t draw_names(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    enum { OF_A_WINDOW = 256 };
    const struct statehist_model *model = opaque;
    struct statehist_point_query *q = queries;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint32_t *cpus = bo_alloc_array(arena, model->n_quarks, sizeof *cpus);
    size_t n_cpus = 0, n_drawn = 0, n_tries = 0;
    uint64_t n_threads = 0;
    for (uint32_t i = 0; i < model->n_quarks && cpus; i++)
        if (bo_word_is(model->attributes[i].name, "Current_thread"))
            cpus[n_cpus++] = i;
    const uint32_t *names = n_cpus ? find_exec_names(model, arena, &n_threads) : NULL;
    while (names && n_drawn < n && n_tries++ < 64 * n) {
        const uint32_t cpu = cpus[bo_random_index(random, n_cpus)];
        const size_t first = model->first[cpu], end = model->first[cpu + 1];
        size_t i = first + bo_random_index(random, end - first);
        for (size_t k = 0; k < OF_A_WINDOW && i < end && n_drawn < n; k++, i++) {
            const struct statehist_interval *at = &model->intervals[i];
            if (at->type == STATEHIST_INT && at->value < n_threads &&
                names[at->value] < model->n_quarks)
                q[n_drawn++] = (struct statehist_point_query){at->end, names[at->value], 0};
        }
    }
    bo_arena_rewind(arena, mark);
    return n_drawn == n ? n : 0;
}

/* ---- the tables ------------------------------------------------------------------------------ */

const struct bo_workload statehist_point_workloads[STATEHIST_N_POINT_WORKLOADS] = {
    {
        .name = "uniform",
        .summary = "uniform over quarks and over time; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_uniform,
    },
    {
        .name = "weighted",
        .summary = "a time of a random interval, so quarks as often as they change; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_weighted,
    },
    {
        .name = "cold",
        .summary = "as weighted, the caches emptied before each small batch; 2^10 queries",
        .n_queries = 1 << 10,
        .cold = true,
        .draw = draw_weighted,
    },
    {
        .name = "first",
        .summary = "as uniform, each run on a reader just opened, opening included; 2^4 queries",
        .n_queries = 1 << 4,
        .fresh = 1,
        .draw = draw_uniform,
    },
    {
        .name = "names",
        .summary = "names of the threads that CPUs ran, at the ends of their intervals, in order: "
                   "the labels of a view; 2^12 queries",
        .n_queries = 1 << 12,
        .draw = draw_names,
    },
};

const struct bo_workload statehist_full_state_workloads[STATEHIST_N_TIME_WORKLOADS] = {
    {
        .name = "uniform",
        .summary = "uniform over time; 2^6 queries",
        .n_queries = 1 << 6,
        .draw = draw_times,
    },
};

const struct bo_workload statehist_range_workloads[STATEHIST_N_RANGE_WORKLOADS] = {
    {
        .name = "whole",
        .summary = "all of a timeline, that of a random interval; 2^4 queries",
        .n_queries = 1 << 4,
        .draw = draw_whole_timelines,
    },
    {
        .name = "short",
        .summary = "up to 64 intervals of a timeline, from a random one on; 2^10 queries",
        .n_queries = 1 << 10,
        .draw = draw_short,
    },
};

const struct bo_workload statehist_window_workloads[STATEHIST_N_WINDOW_WORKLOADS] = {
    {
        .name = "view",
        .summary = "64 rows of a kind, 1000 times of a part of the history, down to 1/4096 of it; "
                   "2^5 queries",
        .n_queries = 1 << 5,
        .draw = draw_view,
    },
    {
        .name = "overview",
        .summary = "all rows of a kind, up to 4096, 1000 times of the whole history; 2^3 queries",
        .n_queries = 1 << 3,
        .draw = draw_overview,
    },
};

const struct bo_workload statehist_times_workloads[STATEHIST_N_TIMES_WORKLOADS] = {
    {
        .name = "view",
        .summary = "72 rows of a kind, a time a pixel of 1200, as Trace Compass lists them, of a "
                   "part of the history; 2^5 queries",
        .n_queries = 1 << 5,
        .draw = draw_times_view,
    },
};

const struct bo_workload statehist_range2d_workloads[STATEHIST_N_RANGE2D_WORKLOADS] = {
    {
        .name = "whole",
        .summary = "all of the timelines of a kind, up to 4096: names and parents of all threads; "
                   "2^3 queries",
        .n_queries = 1 << 3,
        .draw = draw_range2d_whole,
    },
    {
        .name = "view",
        .summary =
            "64 rows of a kind over a part of the history, down to 1/4096 of it; 2^5 queries",
        .n_queries = 1 << 5,
        .draw = draw_range2d_view,
    },
};

const struct bo_workload statehist_export_workloads[STATEHIST_N_TIME_WORKLOADS] = {
    {
        .name = "uniform",
        .summary = "uniform over time; 2^3 queries",
        .n_queries = 1 << 3,
        .draw = draw_times,
    },
};
