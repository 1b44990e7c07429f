/*
 * The query kinds of PCDATA: their expected answers, their workloads, and their syntax on the
 * command line.
 */
#include "codecs/pcdata/queries.h"

#include <stdlib.h>

#include "harness/core/text.h"

/* ---- point: the oracle ----------------------------------------------------------------------- */

/* The expected answer: the last run that starts at or before the PC. */
static enum bo_status point_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct pcdata_model *model = opaque;
    const struct pcdata_point *points = queries;
    int32_t *values = answers;
    for (size_t i = 0; i < n; i++) {
        if (points[i].table >= model->n_tables)
            return BO_OUT_OF_RANGE;
        const struct pcdata_table *table = &model->tables[points[i].table];
        if (points[i].pc >= table->text_len || points[i].pc % model->quantum)
            return BO_OUT_OF_RANGE;
        for (uint32_t r = 0; r < table->n_runs && table->runs[r].pc <= points[i].pc; r++)
            values[i] = table->runs[r].value;
    }
    return BO_OK;
}

/* ---- point: all queries, wrong ones, and edges ----------------------------------------------- */

static uint64_t point_count(const void *opaque)
{
    const struct pcdata_model *model = opaque;
    uint64_t n = 0;
    for (uint32_t t = 0; t < model->n_tables; t++)
        n += model->tables[t].text_len / model->quantum;
    return n;
}

static bool point_at(const void *opaque, uint64_t i, void *query)
{
    const struct pcdata_model *model = opaque;
    struct pcdata_point *q = query;
    if (i == 0) {
        *q = (struct pcdata_point){0, 0};
        return model->n_tables > 0;
    }
    if (q->table >= model->n_tables)
        return false;
    const uint64_t pc = (uint64_t)q->pc + model->quantum;
    if (pc < model->tables[q->table].text_len) {
        q->pc = (uint32_t)pc;
        return true;
    }
    *q = (struct pcdata_point){q->table + 1, 0};
    return q->table < model->n_tables;
}

static bool point_invalid_at(const void *opaque, uint64_t i, void *query)
{
    const struct pcdata_model *model = opaque;
    struct pcdata_point *q = query;
    enum { NO_TABLE = 2, WAYS = 4, MAX_TABLES = 64 };
    if (i < NO_TABLE) {
        *q = i ? (struct pcdata_point){UINT32_MAX, UINT32_MAX}
               : (struct pcdata_point){model->n_tables, 0};
        return true;
    }
    const uint64_t t = (i - NO_TABLE) / WAYS;
    if (t >= model->n_tables || t >= MAX_TABLES)
        return false;
    const uint32_t end = model->tables[t].text_len;
    const uint32_t pcs[WAYS] = {
        end, end <= UINT32_MAX - model->quantum ? end + model->quantum : end,
        UINT32_MAX - (model->quantum - 1),  /* at or after the longest text's end */
        model->quantum > 1 ? end - 1 : end, /* inside, but between two PCs */
    };
    *q = (struct pcdata_point){(uint32_t)t, pcs[(i - NO_TABLE) % WAYS]};
    return true;
}

static struct pcdata_point uniform_point(const struct pcdata_model *model, struct bo_random *random,
                                         uint32_t t)
{
    const uint32_t quanta = model->tables[t].text_len / model->quantum;
    return (struct pcdata_point){t, bo_random_below(random, quanta) * model->quantum};
}

/* The first PC of a run, or the last one of the run before it. */
static size_t point_draw_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                               size_t n, void *queries)
{
    const struct pcdata_model *model = opaque;
    struct pcdata_point *q = queries;
    if (!model->n_tables)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t t = bo_random_below(random, model->n_tables);
        const struct pcdata_table *table = &model->tables[t];
        const uint32_t r = bo_random_below(random, table->n_runs + 1);
        const uint32_t edge = r < table->n_runs ? table->runs[r].pc : table->text_len;
        const bool before = edge == table->text_len || (edge && bo_random_one_in(random, 2));
        q[i] = (struct pcdata_point){t, before ? edge - model->quantum : edge};
    }
    return n;
}

/* ---- point: workloads ------------------------------------------------------------------------ */

static size_t draw_uniform(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    const struct pcdata_model *model = opaque;
    struct pcdata_point *q = queries;
    if (!model->n_tables)
        return 0;
    for (size_t i = 0; i < n; i++)
        q[i] = uniform_point(model, random, bo_random_below(random, model->n_tables));
    return n;
}

/* The same PC of many tables: those whose text reaches it. */
static size_t draw_at_pc(const struct pcdata_model *model, struct bo_random *random, uint32_t pc,
                         size_t n, struct pcdata_point *q)
{
    uint32_t n_long = 0;
    for (uint32_t t = 0; t < model->n_tables; t++)
        n_long += model->tables[t].text_len > pc;
    if (!n_long)
        return 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t t;
        do
            t = bo_random_below(random, model->n_tables);
        while (model->tables[t].text_len <= pc);
        q[i] = (struct pcdata_point){t, pc};
    }
    return n;
}

static size_t draw_pc_0(const void *model, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    return draw_at_pc(model, random, 0, n, queries);
}

static size_t draw_pc_4096(const void *model, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    return draw_at_pc(model, random, 4096, n, queries);
}

/* Seven of eight queries repeat the one before: the best case of a cache. */
static size_t draw_hot_7to1(const void *model, struct bo_random *random, struct bo_arena *arena,
                            size_t n, void *queries)
{
    struct pcdata_point *q = queries;
    if (n % 8 || !draw_uniform(model, random, arena, n / 8, q))
        return 0;
    for (size_t i = n; i-- > 0;)
        q[i] = q[i / 8];
    return n;
}

/* PCs whose last bit the previous answer may flip: both resulting PCs are in the text. */
static size_t draw_chain(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    const struct pcdata_model *model = opaque;
    struct pcdata_point *q = queries;
    if (!draw_uniform(model, random, arena, n, q))
        return 0;
    for (size_t i = 0; i < n; i++)
        q[i].pc &= ~(4u | 2u | 1u); /* room for the link below, whatever the quantum */
    for (size_t i = 0; i < n; i++)
        if (q[i].pc + 4 >= model->tables[q[i].table].text_len)
            q[i].pc = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (model->tables[q[i].table].text_len > 4)
            q[kept++] = q[i];
    return kept;
}

static void point_link(void *query, const void *previous_answer)
{
    int32_t value;
    memcpy(&value, previous_answer, sizeof value);
    ((struct pcdata_point *)query)->pc ^= (uint32_t)value & 4;
}

static int compare_targets(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/*
 * Tables drawn by the number of functions that refer to them, as in a stack walk. The drawn
 * positions in the sum of all references are sorted, so that one pass finds their tables, then
 * shuffled.
 */
static size_t draw_traceback(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                             size_t n, void *queries)
{
    const struct pcdata_model *model = opaque;
    struct pcdata_point *q = queries;
    _Static_assert(sizeof *q == sizeof(uint64_t), "a query's place holds a position meanwhile");
    uint64_t total = 0;
    for (uint32_t t = 0; t < model->n_tables; t++)
        total += model->tables[t].refs;
    if (!total)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t position = bo_random_u64(random) % total;
        memcpy(&q[i], &position, sizeof position);
    }
    qsort(q, n, sizeof *q, compare_targets);
    uint64_t before = 0;
    uint32_t t = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t position;
        memcpy(&position, &q[i], sizeof position);
        while (position >= before + model->tables[t].refs)
            before += model->tables[t++].refs;
        q[i] = uniform_point(model, random, t);
    }
    for (size_t i = n; i > 1; i--) {
        const uint32_t j = bo_random_below(random, (uint32_t)i);
        const struct pcdata_point swapped = q[i - 1];
        q[i - 1] = q[j];
        q[j] = swapped;
    }
    return n;
}

/* About log2 of v, above 0. */
static unsigned log2_of(uint32_t v)
{
    return 31 - (unsigned)__builtin_clz(v);
}

/* A rank below n, of weight about 1 / (rank + 1): uniform on a logarithmic scale. */
static uint32_t draw_rank(struct bo_random *random, uint32_t n)
{
    const uint32_t low = UINT32_C(1) << bo_random_below(random, log2_of(n) + 1);
    const uint32_t room = n - low + 1 < low ? n - low + 1 : low;
    return low - 1 + bo_random_below(random, room);
}

/*
 * As in recorded Go programs: of some 10^4 tables 100 make half of the queries; half of the PCs
 * are in the first two runs of the table, a tenth after the 16th.
 */
static size_t draw_skewed(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                          size_t n, void *queries)
{
    enum { EARLY = 2, LATE = 16 };
    const struct pcdata_model *model = opaque;
    struct pcdata_point *q = queries;
    if (!model->n_tables)
        return 0;
    const uint64_t order = bo_random_u64(random);
    for (size_t i = 0; i < n; i++) {
        const uint64_t rank = draw_rank(random, model->n_tables);
        const uint32_t t = (uint32_t)(bo_mix64(order + rank) % model->n_tables);
        const struct pcdata_table *table = &model->tables[t];
        const uint32_t way = bo_random_below(random, 10);
        const uint32_t first = way < 5 ? 0 : way < 9 ? EARLY : LATE;
        const uint32_t end = way < 5 ? EARLY : way < 9 ? LATE : table->n_runs;
        const uint32_t last = end < table->n_runs ? end : table->n_runs;
        const uint32_t from = first < last ? first : 0;
        const struct pcdata_run *run = &table->runs[from + bo_random_below(random, last - from)];
        const uint32_t run_end =
            run + 1 < table->runs + table->n_runs ? run[1].pc : table->text_len;
        const uint32_t quanta = (run_end - run->pc) / model->quantum;
        q[i] = (struct pcdata_point){t, run->pc + bo_random_below(random, quanta) * model->quantum};
    }
    return n;
}

static const struct bo_workload point_workloads[] = {
    {.name = "uniform",
     .summary = "tables uniform, PCs uniform in the table; 2^20 queries",
     .n_queries = 1 << 20,
     .draw = draw_uniform},
    {.name = "skewed",
     .summary = "tables by popularity and mostly early runs, as recorded programs; 2^18 queries",
     .n_queries = 1 << 18,
     .draw = draw_skewed},
    {.name = "hot",
     .summary = "as uniform, but 1024 queries again and again (the original benchmark's method)",
     .n_queries = 1024,
     .draw = draw_uniform},
    {.name = "hot-7to1",
     .summary = "1024 queries, each run eight times in a row",
     .n_queries = 8192,
     .draw = draw_hot_7to1},
    {.name = "pc-0", .summary = "PC 0 of 1024 tables", .n_queries = 1024, .draw = draw_pc_0},
    {.name = "pc-4096",
     .summary = "PC 4096 of 1024 tables that reach it",
     .n_queries = 1024,
     .draw = draw_pc_4096},
    {.name = "traceback",
     .summary = "tables drawn by how many functions refer to them; 2^18 queries",
     .n_queries = 1 << 18,
     .draw = draw_traceback},
    {.name = "chain",
     .summary = "as uniform, but each PC depends on the last answer: latency; 2^17 queries",
     .n_queries = 1 << 17,
     .dependent = true,
     .draw = draw_chain},
};

/* ---- point: the command line ----------------------------------------------------------------- */

static bool parse_u32_argument(const char *arg, uint32_t *v_ret)
{
    uint64_t v;
    const bool ok =
        bo_parse_u64((struct bo_span){(const uint8_t *)arg, strlen(arg)}, UINT32_MAX, &v);
    *v_ret = ok ? (uint32_t)v : 0;
    return ok;
}

static enum bo_status point_parse(int n_args, char *const *args, struct bo_arena *arena,
                                  void *query, struct bo_error *err)
{
    struct pcdata_point q;
    if (n_args != 2 || !parse_u32_argument(args[0], &q.table) ||
        !parse_u32_argument(args[1], &q.pc))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expects a table number and a PC");
    *(struct pcdata_point *)query = q;
    return BO_OK;
}

static void point_print(const void *query, struct bo_span answer, struct bo_writer *out)
{
    int32_t value;
    memcpy(&value, answer.p, sizeof value);
    bo_put_text(out, "%d\n", value);
}

/* ---- span ------------------------------------------------------------------------------------ */

static enum bo_status span_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct pcdata_model *model = opaque;
    const struct pcdata_point *points = queries;
    struct pcdata_span_answer *spans = answers;
    for (size_t i = 0; i < n; i++) {
        int32_t value = 0;
        const enum bo_status status = point_oracle(model, &points[i], 1, &value);
        if (status)
            return status;
        const struct pcdata_run *run = model->tables[points[i].table].runs;
        for (uint32_t r = 1; r < model->tables[points[i].table].n_runs && run[1].pc <= points[i].pc;
             r++)
            run++;
        spans[i] = (struct pcdata_span_answer){value, run->pc};
    }
    return BO_OK;
}

static const struct bo_workload span_workloads[] = {
    {.name = "uniform",
     .summary = "tables uniform, PCs uniform in the table; 2^14 queries",
     .n_queries = 1 << 14,
     .draw = draw_uniform},
};

static void span_print(const void *query, struct bo_span answer, struct bo_writer *out)
{
    struct pcdata_span_answer span;
    memcpy(&span, answer.p, sizeof span);
    bo_put_text(out, "%d %u\n", span.value, span.start);
}

/* ---- scan ------------------------------------------------------------------------------------ */

static enum bo_status scan_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct pcdata_model *model = opaque;
    const struct pcdata_scan *scans = queries;
    for (size_t i = 0; i < n; i++) {
        if (scans[i].table >= model->n_tables)
            return BO_OUT_OF_RANGE;
        const struct pcdata_table *table = &model->tables[scans[i].table];
        const size_t nbytes = table->n_runs * sizeof *table->runs;
        struct pcdata_scan_answer *answer = bo_sink_take(answers, sizeof *answer + nbytes);
        if (!answer)
            return BO_OVER_LIMIT;
        answer->n_runs = table->n_runs;
        memcpy(answer->runs, table->runs, nbytes);
    }
    return BO_OK;
}

static uint64_t scan_count(const void *model)
{
    return ((const struct pcdata_model *)model)->n_tables;
}

static bool scan_at(const void *model, uint64_t i, void *query)
{
    *(struct pcdata_scan *)query = (struct pcdata_scan){(uint32_t)i};
    return i < scan_count(model);
}

static bool scan_invalid_at(const void *opaque, uint64_t i, void *query)
{
    const struct pcdata_model *model = opaque;
    *(struct pcdata_scan *)query = (struct pcdata_scan){i ? UINT32_MAX : model->n_tables};
    return i < 2;
}

static size_t scan_draw_uniform(const void *opaque, struct bo_random *random,
                                struct bo_arena *arena, size_t n, void *queries)
{
    const struct pcdata_model *model = opaque;
    struct pcdata_scan *q = queries;
    if (!model->n_tables)
        return 0;
    for (size_t i = 0; i < n; i++)
        q[i] = (struct pcdata_scan){bo_random_below(random, model->n_tables)};
    return n;
}

static const struct bo_workload scan_workloads[] = {
    {.name = "uniform",
     .summary = "all runs of tables drawn uniformly; 2^14 scans",
     .n_queries = 1 << 14,
     .draw = scan_draw_uniform},
};

static enum bo_status scan_parse(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                 struct bo_error *err)
{
    uint32_t table;
    if (n_args != 1 || !parse_u32_argument(args[0], &table))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expects a table number");
    *(struct pcdata_scan *)query = (struct pcdata_scan){table};
    return BO_OK;
}

static void scan_print(const void *query, struct bo_span answer, struct bo_writer *out)
{
    const struct pcdata_scan_answer *runs = (const void *)answer.p;
    for (uint32_t i = 0; i < runs->n_runs; i++)
        bo_put_text(out, "%u %d\n", runs->runs[i].pc, runs->runs[i].value);
}

const struct bo_query_kind pcdata_kinds[PCDATA_N_KINDS] = {
    [PCDATA_POINT] =
        {
            .name = "point",
            .summary = "the value at a PC of a table",
            .usage = "TABLE PC",
            .query_size = sizeof(struct pcdata_point),
            .answer_size = sizeof(int32_t),
            .workloads = point_workloads,
            .n_workloads = sizeof point_workloads / sizeof *point_workloads,
            .oracle = point_oracle,
            .count = point_count,
            .at = point_at,
            .invalid_at = point_invalid_at,
            .draw_edges = point_draw_edges,
            .link = point_link,
            .parse = point_parse,
            .print = point_print,
        },
    [PCDATA_SCAN] =
        {
            .name = "scan",
            .summary = "all runs of a table",
            .usage = "TABLE",
            .query_size = sizeof(struct pcdata_scan),
            .workloads = scan_workloads,
            .n_workloads = sizeof scan_workloads / sizeof *scan_workloads,
            .oracle = scan_oracle,
            .count = scan_count,
            .at = scan_at,
            .invalid_at = scan_invalid_at,
            .draw_edges = scan_draw_uniform,
            .parse = scan_parse,
            .print = scan_print,
        },
    [PCDATA_SPAN] =
        {
            .name = "span",
            .summary = "the value at a PC of a table, and the PC at which its run starts",
            .usage = "TABLE PC",
            .query_size = sizeof(struct pcdata_point),
            .answer_size = sizeof(struct pcdata_span_answer),
            .workloads = span_workloads,
            .n_workloads = sizeof span_workloads / sizeof *span_workloads,
            .oracle = span_oracle,
            .count = point_count,
            .at = point_at,
            .invalid_at = point_invalid_at,
            .draw_edges = point_draw_edges,
            .parse = point_parse,
            .print = span_print,
        },
};
