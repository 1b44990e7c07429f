/* The query kinds of unwind tables: answers, workloads, their form on the command line. */
#include "codecs/unwind/queries.h"

#include <inttypes.h>
#include <stdlib.h>

#include "codecs/unwind/text.h"
#include "harness/core/text.h"
#include "harness/queries.h"

/* ---- the oracle ------------------------------------------------------------------------------ */

/* The number of functions that start at or before a PC. */
static uint32_t n_starts(const struct unwind_model *model, uint64_t pc)
{
    uint32_t low = 0, high = model->n_functions;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (model->functions[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The function at a PC, or NULL. */
static const struct unwind_function *function_at(const struct unwind_model *model, uint64_t pc)
{
    const uint32_t n = n_starts(model, pc);
    const struct unwind_function *f = n ? &model->functions[n - 1] : NULL;
    return f && pc < unwind_end(f) ? f : NULL;
}

static enum bo_status point_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct unwind_model *model = opaque;
    const struct unwind_point *points = queries;
    struct unwind_point_answer *answer = answers;
    for (size_t i = 0; i < n; i++, answer++) {
        const struct unwind_function *f = function_at(model, points[i].pc);
        *answer = (struct unwind_point_answer){0};
        if (!f)
            continue;
        uint32_t off = (uint32_t)(points[i].pc - f->start);
        off = f->rep ? off % f->rep : off;
        answer->start = model->joined ? 0 : f->start;
        answer->flags = f->flags;
        uint32_t n_rows = 0; /* that start at or before the PC */
        while (n_rows < f->n_rows && f->rows[n_rows].off <= off)
            n_rows++;
        answer->found = n_rows ? UNWIND_ROW : UNWIND_NO_ROW;
        if (n_rows)
            answer->state = f->rows[n_rows - 1].state;
    }
    return BO_OK;
}

static enum bo_status put_function(const struct unwind_function *f, struct bo_sink *sink)
{
    struct unwind_function_answer *answer =
        unwind_answer_function(sink, f->start, f->length, f->flags, f->rep);
    if (!answer)
        return BO_OVER_LIMIT;
    for (uint32_t r = 0; r < f->n_rows; r++)
        if (!unwind_answer_row(sink, answer, f->rows[r].off, &f->rows[r].state))
            return BO_OVER_LIMIT;
    return BO_OK;
}

static enum bo_status function_oracle(const void *opaque, const void *queries, size_t n,
                                      void *answers)
{
    const struct unwind_at *at = queries;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const struct unwind_function *f = function_at(opaque, at[i].pc);
        status = f ? put_function(f, answers) : BO_OUT_OF_RANGE;
    }
    return status;
}

static enum bo_status scan_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct unwind_model *model = opaque;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        struct unwind_scan_answer *answer = bo_sink_take(answers, sizeof *answer);
        if (!answer)
            return BO_OVER_LIMIT;
        answer->n_functions = model->n_functions;
        for (uint32_t f = 0; f < model->n_functions && !status; f++)
            status = put_function(&model->functions[f], answers);
    }
    return status;
}

/* ---- all queries, wrong ones, edges ---------------------------------------------------------- */

/* All PCs of functions, and the one after each function unless the next function starts there. */
static uint64_t point_count(const void *opaque)
{
    const struct unwind_model *model = opaque;
    uint64_t n = 0;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        n += f->length;
        n += i + 1 == model->n_functions || f[1].start != unwind_end(f);
    }
    return n;
}

static bool point_at(const void *opaque, uint64_t i, void *query)
{
    const struct unwind_model *model = opaque;
    struct unwind_point *q = query;
    const uint32_t next = i ? n_starts(model, q->pc) : 0;
    if (next && q->pc < unwind_end(&model->functions[next - 1]))
        q->pc++;
    else if (next < model->n_functions)
        q->pc = model->functions[next].start;
    else
        return false;
    q->turn = 0;
    return true;
}

/* The first PC of a row, the last one of the row before it, a function's end, or far outside. */
static size_t point_draw_edges(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                               size_t n, void *queries)
{
    const struct unwind_model *model = opaque;
    struct unwind_point *q = queries;
    for (size_t i = 0; i < n; i++) {
        const uint32_t way = bo_random_below(random, 64);
        uint64_t pc = 0;
        if (model->n_functions == 0 || way == 0) {
            pc = bo_random_u64(random);
        } else {
            const uint32_t number = bo_random_below(random, model->n_functions);
            const struct unwind_function *f = &model->functions[number];
            const uint32_t r = bo_random_below(random, f->n_rows + 1);
            pc = f->start + (r < f->n_rows ? f->rows[r].off : f->length);
            if (f->rep && r < f->n_rows)
                pc += (uint64_t)f->rep * bo_random_below(random, f->length / f->rep + 1);
            pc -= way % 2;
        }
        q[i] = (struct unwind_point){pc, 0};
    }
    return n;
}

static uint64_t function_count(const void *opaque)
{
    return ((const struct unwind_model *)opaque)->n_functions;
}

static bool function_query_at(const void *opaque, uint64_t i, void *query)
{
    const struct unwind_model *model = opaque;
    if (i >= model->n_functions)
        return false;
    const struct unwind_function *f = &model->functions[i];
    *(struct unwind_at *)query = (struct unwind_at){f->start + i % f->length};
    return true;
}

/* After each function, before each, and both ends of the address space. */
static bool function_invalid_at(const void *opaque, uint64_t i, void *query)
{
    enum { MAX_FUNCTIONS = 64 };
    const struct unwind_model *model = opaque;
    struct unwind_at *q = query;
    uint64_t n = 0;
    for (uint64_t k = 0; k < 2 + 2 * (uint64_t)MAX_FUNCTIONS; k++) {
        const uint64_t f = (k - 2) / 2;
        uint64_t pc = k ? UINT64_MAX : 0;
        if (k >= 2) {
            if (f >= model->n_functions)
                return false;
            pc = k % 2 ? unwind_end(&model->functions[f]) : model->functions[f].start - 1;
        }
        if (!function_at(model, pc) && n++ == i) {
            q->pc = pc;
            return true;
        }
    }
    return false;
}

static size_t function_draw_uniform(const void *opaque, struct bo_random *random,
                                    struct bo_arena *arena, size_t n, void *queries)
{
    const struct unwind_model *model = opaque;
    struct unwind_at *q = queries;
    for (size_t i = 0; i < n && model->n_functions; i++) {
        const struct unwind_function *f =
            &model->functions[bo_random_below(random, model->n_functions)];
        q[i].pc = f->start + bo_random_below(random, f->length);
    }
    return model->n_functions ? n : 0;
}

/* ---- workloads of points --------------------------------------------------------------------- */

/* Every byte of text is equally likely, as if a program spent its time evenly. */
static size_t draw_uniform(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    const struct unwind_model *model = opaque;
    struct unwind_point *q = queries;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    uint64_t *sums = bo_alloc_array(arena, model->n_functions, sizeof *sums), sum = 0;
    if (!sums || model->n_functions == 0)
        return 0;
    for (uint32_t f = 0; f < model->n_functions; f++)
        sums[f] = sum += model->functions[f].length;
    for (size_t i = 0; i < n; i++) {
        const struct unwind_function *f =
            &model->functions[bo_random_by_weight(random, sums, model->n_functions)];
        q[i] = (struct unwind_point){f->start + bo_random_below(random, f->length), 0};
    }
    bo_arena_rewind(arena, mark);
    return n;
}

/* A caller looks up the byte before the return address: the call itself. */
static size_t draw_calls(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    const struct unwind_model *model = opaque;
    struct unwind_point *q = queries;
    for (size_t i = 0; i < n && model->n_calls; i++)
        q[i] = (struct unwind_point){model->calls[bo_random_below(random, model->n_calls)] - 1, 0};
    return model->n_calls ? n : 0;
}

static size_t draw_chain(const void *model, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    struct unwind_point *q = queries, other = {0, 0};
    n = draw_calls(model, random, arena, n, queries);
    for (size_t i = 0; i < n; i++) {
        draw_calls(model, random, arena, 1, &other);
        q[i].turn = q[i].pc ^ other.pc;
    }
    return n;
}

/* PCs between functions, where there are such; and as many after the last. */
static size_t draw_miss(const void *opaque, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    const struct unwind_model *model = opaque;
    struct unwind_point *q = queries;
    for (size_t i = 0; i < n && model->n_functions; i++) {
        const uint32_t f = bo_random_below(random, model->n_functions);
        const uint64_t end = unwind_end(&model->functions[f]);
        const uint64_t next =
            f + 1 < model->n_functions ? model->functions[f + 1].start : end + UINT32_C(4096);
        const uint64_t hole = next > end ? next - end : 0;
        const uint32_t into =
            hole ? bo_random_below(random, hole < 4096 ? (uint32_t)hole : 4096) : 0;
        const uint64_t last = unwind_end(&model->functions[model->n_functions - 1]);
        q[i] = (struct unwind_point){hole ? end + into : last + bo_random_below(random, 4096), 0};
    }
    return model->n_functions ? n : 0;
}

/* A mask, not a branch, so that the next PC depends on this answer. */
static void point_link(void *query, const void *previous_answer)
{
    struct unwind_point *q = query;
    struct unwind_point_answer answer;
    memcpy(&answer, previous_answer, sizeof answer);
    q->pc ^= q->turn & (0 - (uint64_t)((uint32_t)answer.state.cfa_off >> 3 & 1));
}

static const struct bo_workload point_workloads[] = {
    {.name = "uniform",
     .summary = "every byte of text equally likely; 2^18 queries",
     .n_queries = 1 << 18,
     .draw = draw_uniform},
    {.name = "calls",
     .summary = "the byte before return addresses of direct calls; 2^18 queries",
     .n_queries = 1 << 18,
     .draw = draw_calls},
    {.name = "chain",
     .summary = "as calls, but each PC depends on the last answer: latency; 2^16 queries",
     .n_queries = 1 << 16,
     .dependent = true,
     .draw = draw_chain},
    {.name = "hot",
     .summary = "1024 PCs of uniform again and again",
     .n_queries = 1024,
     .draw = draw_uniform},
    {.name = "miss",
     .summary = "PCs between functions and after the last one; 2^14 queries",
     .n_queries = 1 << 14,
     .draw = draw_miss},
};

static const struct bo_workload function_workloads[] = {
    {.name = "uniform",
     .summary = "all rows of functions drawn uniformly; 2^14 queries",
     .n_queries = 1 << 14,
     .draw = function_draw_uniform},
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum bo_status parse_pc(int n_args, char *const *args, uint64_t *pc_ret,
                               struct bo_error *err)
{
    char *end = NULL;
    const bool any = n_args == 1 && args[0][0] >= '0' && args[0][0] <= '9';
    *pc_ret = any ? strtoull(args[0], &end, 0) : 0;
    return any && *end == '\0'
               ? BO_OK
               : bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expected one PC, as 0x401000");
}

static enum bo_status point_parse(int n_args, char *const *args, struct bo_arena *arena,
                                  void *query, struct bo_error *err)
{
    struct unwind_point q = {0, 0};
    const enum bo_status status = parse_pc(n_args, args, &q.pc, err);
    *(struct unwind_point *)query = q;
    return status;
}

static enum bo_status function_parse(int n_args, char *const *args, struct bo_arena *arena,
                                     void *query, struct bo_error *err)
{
    struct unwind_at q = {0};
    const enum bo_status status = parse_pc(n_args, args, &q.pc, err);
    *(struct unwind_at *)query = q;
    return status;
}

/* An answer does not contain its machine, so registers are printed as numbers. */
static void print_state(uint64_t off, const struct unwind_state *state, struct bo_writer *out)
{
    static const char *const cfa[] = {"", "*", "x"};
    static const char *const rules[] = {"s", "u", "c", "v", "r", "*r", "x"};
    bo_put_text(out, "%" PRIu64 " cfa=%s", off, cfa[unwind_cfa(state) % 3]);
    if (unwind_cfa(state) != UNWIND_CFA_OTHER)
        bo_put_text(out, "r%u%+" PRId32, unwind_cfa_reg(state), state->cfa_off);
    for (unsigned i = 0; i < 2; i++) {
        const enum unwind_rule rule = i ? unwind_fp(state) : unwind_ra(state);
        bo_put_text(out, " %s=%s", i ? "fp" : "ra", rules[rule % UNWIND_N_RULES]);
        if (rule == UNWIND_REGISTER || rule == UNWIND_MEMORY)
            bo_put_text(out, "%u", i ? state->fp_reg : state->ra_reg);
        if (rule == UNWIND_AT_CFA || rule == UNWIND_CFA_PLUS || rule == UNWIND_MEMORY)
            bo_put_text(out, "%+" PRId32, i ? state->fp_off : state->ra_off);
    }
    bo_put_text(out, "%s\n", unwind_is_signed(state) ? " signed" : "");
}

static const char *flags_text(unsigned flags)
{
    static const char *const texts[] = {"", " S", " B", " S B"};
    return texts[flags & UNWIND_ALL_FLAGS];
}

static void point_print(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    struct unwind_point_answer answer;
    memcpy(&answer, bytes.p, sizeof answer);
    if (answer.found == UNWIND_NO_FUNCTION) {
        bo_put_text(out, "no function\n");
        return;
    }
    bo_put_text(out, "0x%" PRIx64 "%s ", answer.start, flags_text(answer.flags));
    if (answer.found == UNWIND_NO_ROW)
        bo_put_text(out, "no row\n");
    else
        print_state(((const struct unwind_point *)query)->pc - answer.start, &answer.state, out);
}

static struct bo_span print_function(struct bo_span bytes, struct bo_writer *out)
{
    struct unwind_function_answer answer;
    memcpy(&answer, bytes.p, sizeof answer);
    bo_put_text(out, "0x%" PRIx64 " %" PRIu32 "%s", answer.start, answer.length,
                flags_text(answer.flags));
    if (answer.rep)
        bo_put_text(out, " rep=%u", answer.rep);
    bo_put_text(out, "\n");
    const uint8_t *p = bytes.p + sizeof answer;
    for (uint32_t r = 0; r < answer.n_rows; r++, p += sizeof(struct unwind_row)) {
        struct unwind_row row;
        memcpy(&row, p, sizeof row);
        print_state(row.off, &row.state, out);
    }
    return (struct bo_span){p, (size_t)(bytes.p + bytes.n - p)};
}

static void function_print(const void *query, struct bo_span answer, struct bo_writer *out)
{
    print_function(answer, out);
}

static void scan_print(const void *query, struct bo_span answer, struct bo_writer *out)
{
    struct unwind_scan_answer head;
    memcpy(&head, answer.p, sizeof head);
    answer = (struct bo_span){answer.p + sizeof head, answer.n - sizeof head};
    for (uint32_t f = 0; f < head.n_functions; f++)
        answer = print_function(answer, out);
}

const struct bo_query_kind unwind_kinds[UNWIND_N_KINDS] = {
    [UNWIND_POINT] =
        {
            .name = "point",
            .summary = "the row at a PC, with the start and flags of its function",
            .usage = "PC",
            .query_size = sizeof(struct unwind_point),
            .answer_size = sizeof(struct unwind_point_answer),
            .workloads = point_workloads,
            .n_workloads = sizeof point_workloads / sizeof *point_workloads,
            .oracle = point_oracle,
            .count = point_count,
            .at = point_at,
            .invalid_at = bo_none_invalid,
            .draw_edges = point_draw_edges,
            .link = point_link,
            .parse = point_parse,
            .print = point_print,
        },
    [UNWIND_FUNCTION] =
        {
            .name = "function",
            .summary = "the function at a PC, with all its rows",
            .usage = "PC",
            .query_size = sizeof(struct unwind_at),
            .workloads = function_workloads,
            .n_workloads = sizeof function_workloads / sizeof *function_workloads,
            .oracle = function_oracle,
            .count = function_count,
            .at = function_query_at,
            .invalid_at = function_invalid_at,
            .draw_edges = function_draw_uniform,
            .parse = function_parse,
            .print = function_print,
        },
    [UNWIND_SCAN] =
        {
            .name = "scan",
            .summary = "all functions with all their rows",
            BO_WHOLE_QUERY,
            .oracle = scan_oracle,
            .print = scan_print,
        },
};
