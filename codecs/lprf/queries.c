/*
 * The query kinds of LPRF: their right answers and their form on the command line. How queries are
 * drawn is in workloads.c.
 */
#include "codecs/lprf/queries.h"

#include <stdlib.h>

#include "codecs/lprf/text.h"
#include "codecs/lprf/workloads.h"

/* ---- finding: one pass over the model for a whole batch --------------------------------------- */

/* A name that is asked for, and the first function that it fits. */
struct question {
    struct bo_span name;
    const uint64_t *hash; /* NULL: any */
    const struct lprf_function *found;
    size_t next;    /* question of the same slot, plus 1; 0: none */
    size_t same_as; /* the question that is asked instead: this one, or an equal one before it */
};

/* A batch of questions, by slots that tell most names apart at a glance. */
struct batch {
    struct question *questions;
    size_t *slots; /* first question, plus 1; 0: none */
    size_t mask;
};

/* From the length and a few bytes: names of one slot are compared, so it need not tell more apart. */
static uint64_t glance(struct bo_span name)
{
    uint64_t middle = 0, end = 0;
    const size_t n = name.n < 8 ? name.n : 8;
    for (size_t i = 0; i < n; i++) {
        middle = middle << 8 | name.p[(name.n - n) / 2 + i];
        end = end << 8 | name.p[name.n - n + i];
    }
    return bo_mix64(name.n + middle * UINT64_C(0x9e3779b97f4a7c15) + bo_mix64(end));
}

static bool is_same_question(const struct question *a, const struct question *b)
{
    return bo_span_equal(a->name, b->name) && (!a->hash || *a->hash == *b->hash);
}

/* Puts question i, whose name and hash are set, into its slot; an equal one stands there for it. */
static void add_question(struct batch *batch, size_t i)
{
    struct question *question = &batch->questions[i];
    size_t *slot = &batch->slots[glance(question->name) & batch->mask];
    for (size_t j = *slot; j; j = batch->questions[j - 1].next)
        if (is_same_question(&batch->questions[j - 1], question)) {
            question->same_as = j - 1;
            return;
        }
    question->same_as = i;
    question->next = *slot;
    *slot = i + 1;
}

/* The function answers what it fits and what has no answer yet: the first one in file order wins. */
static void offer_function(struct batch *batch, const struct lprf_function *function)
{
    for (size_t j = batch->slots[glance(function->name) & batch->mask]; j;
         j = batch->questions[j - 1].next) {
        struct question *question = &batch->questions[j - 1];
        if (!question->found && bo_span_equal(question->name, function->name) &&
            (!question->hash || *question->hash == function->hash))
            question->found = function;
    }
}

static void batch_free(struct batch *batch)
{
    free(batch->questions);
    free(batch->slots);
}

/*
 * Asks n queries, keys or names, of the model. BO_OK, with the answers in the batch until
 * batch_free, or BO_NO_MEMORY.
 */
static enum bo_status batch_ask(struct batch *batch, const struct lprf_model *model,
                                const void *queries, size_t n, bool are_keys)
{
    const struct lprf_key_query *keys = queries;
    const struct lprf_name_query *names = queries;
    size_t n_slots = 64;
    while (n_slots < 4 * n)
        n_slots *= 2;
    batch->questions = calloc(n + 1, sizeof *batch->questions);
    batch->slots = calloc(n_slots, sizeof *batch->slots);
    batch->mask = n_slots - 1;
    if (!batch->questions || !batch->slots) {
        batch_free(batch);
        return BO_NO_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        batch->questions[i].name = are_keys ? keys[i].name : names[i].name;
        batch->questions[i].hash = are_keys ? &keys[i].hash : NULL;
        add_question(batch, i);
    }
    for (size_t f = 0; f < model->n_functions; f++)
        offer_function(batch, &model->functions[f]);
    return BO_OK;
}

static const struct lprf_function *answer_to(const struct batch *batch, size_t i)
{
    return batch->questions[batch->questions[i].same_as].found;
}

/* ---- the lookups: right answers --------------------------------------------------------------- */

static enum bo_status put_answers(const struct batch *batch, size_t n, struct bo_sink *sink)
{
    for (size_t i = 0; i < n; i++) {
        const struct lprf_function *found = answer_to(batch, i);
        const size_t n_counters = found ? found->n_counters : 0;
        struct lprf_answer *answer =
            bo_sink_take(sink, sizeof *answer + n_counters * sizeof *answer->counters);
        if (!answer)
            return BO_OVER_LIMIT;
        answer->hash = found ? found->hash : 0;
        answer->n_counters = n_counters;
        if (found)
            memcpy(answer->counters, found->counters, n_counters * sizeof *answer->counters);
    }
    return BO_OK;
}

static enum bo_status lookup_oracle(const void *model, const void *queries, size_t n, void *answers)
{
    struct batch batch;
    enum bo_status status = batch_ask(&batch, model, queries, n, false);
    if (status)
        return status;
    status = put_answers(&batch, n, answers);
    batch_free(&batch);
    return status;
}

static enum bo_status lookup_key_oracle(const void *model, const void *queries, size_t n,
                                        void *answers)
{
    struct batch batch;
    enum bo_status status = batch_ask(&batch, model, queries, n, true);
    if (status)
        return status;
    status = put_answers(&batch, n, answers);
    batch_free(&batch);
    return status;
}

static enum bo_status contains_oracle(const void *model, const void *queries, size_t n,
                                      void *answers)
{
    uint32_t *is_there = answers;
    struct batch batch;
    const enum bo_status status = batch_ask(&batch, model, queries, n, false);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        is_there[i] = answer_to(&batch, i) != NULL;
    batch_free(&batch);
    return BO_OK;
}

/* ---- the whole: right answers ----------------------------------------------------------------- */

static size_t padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

static size_t visited_nbytes(const struct lprf_function *function)
{
    return sizeof(struct lprf_visited) + function->n_counters * sizeof *function->counters +
           padded(function->name.n);
}

/* Puts one function of an iteration; the sink has room. */
static void put_visited(const struct lprf_function *function, struct bo_sink *sink)
{
    struct lprf_visited *visited = bo_sink_take(sink, visited_nbytes(function));
    const size_t n = function->n_counters;
    visited->name_nbytes = function->name.n;
    visited->hash = function->hash;
    visited->n_counters = n;
    memcpy(visited->counters, function->counters, n * sizeof *visited->counters);
    uint8_t *name = (uint8_t *)&visited->counters[n];
    memset(name, 0, padded(function->name.n));
    memcpy(name, function->name.p, function->name.n);
}

/* False when n iterations do not fit into the sink. */
static bool has_room(const struct bo_sink *sink, const struct lprf_model *model, size_t n)
{
    size_t room = n ? (sink->cap - sink->n) / n : 0;
    for (size_t f = 0; f < model->n_functions; f++) {
        const size_t nbytes = visited_nbytes(&model->functions[f]);
        if (nbytes > room)
            return false;
        room -= nbytes;
    }
    return true;
}

static enum bo_status iterate_oracle(const void *opaque, const void *queries, size_t n,
                                     void *answers)
{
    (void)queries;
    const struct lprf_model *model = opaque;
    if (!has_room(answers, model, n))
        return BO_OVER_LIMIT;
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < model->n_functions; f++)
            put_visited(&model->functions[f], answers);
    return BO_OK;
}

/* By name, and equal names in file order, which is the order of their addresses. */
static int compare_functions(const void *a, const void *b)
{
    const struct lprf_function *x = *(const struct lprf_function *const *)a;
    const struct lprf_function *y = *(const struct lprf_function *const *)b;
    const int order = lprf_compare_names(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

static enum bo_status iterate_sorted_oracle(const void *opaque, const void *queries, size_t n,
                                            void *answers)
{
    (void)queries;
    const struct lprf_model *model = opaque;
    if (!has_room(answers, model, n))
        return BO_OVER_LIMIT;
    const struct lprf_function **sorted = calloc(model->n_functions + 1, sizeof *sorted);
    if (!sorted)
        return BO_NO_MEMORY;
    for (size_t f = 0; f < model->n_functions; f++)
        sorted[f] = &model->functions[f];
    qsort(sorted, model->n_functions, sizeof *sorted, compare_functions);
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < model->n_functions; f++)
            put_visited(sorted[f], answers);
    free(sorted);
    return BO_OK;
}

static enum bo_status summary_oracle(const void *opaque, const void *queries, size_t n,
                                     void *answers)
{
    (void)queries;
    const struct lprf_model *model = opaque;
    uint64_t highest = 0, *maxima = answers;
    for (size_t f = 0; f < model->n_functions; f++) {
        const uint64_t own = model->functions[f].counters[0];
        highest = own > highest ? own : highest;
    }
    for (size_t i = 0; i < n; i++)
        maxima[i] = highest;
    return BO_OK;
}

/* ---- all queries ------------------------------------------------------------------------------ */

static uint64_t count_functions(const void *model)
{
    return ((const struct lprf_model *)model)->n_functions;
}

static bool name_at(const void *opaque, uint64_t i, void *query)
{
    const struct lprf_model *model = opaque;
    if (i >= model->n_functions)
        return false;
    *(struct lprf_name_query *)query = (struct lprf_name_query){model->functions[i].name};
    return true;
}

static bool key_at(const void *opaque, uint64_t i, void *query)
{
    const struct lprf_model *model = opaque;
    if (i >= model->n_functions)
        return false;
    *(struct lprf_key_query *)query =
        (struct lprf_key_query){model->functions[i].name, model->functions[i].hash};
    return true;
}

static uint64_t count_whole(const void *model)
{
    (void)model;
    return 1;
}

static bool whole_at(const void *model, uint64_t i, void *query)
{
    (void)model;
    (void)query;
    return i == 0;
}

/* Every text is a valid question, and so is the whole. */
static bool none_invalid(const void *model, uint64_t i, void *query)
{
    (void)model;
    (void)i;
    (void)query;
    return false;
}

/* ---- the command line ------------------------------------------------------------------------- */

static struct bo_span span_of(const char *text)
{
    return (struct bo_span){(const uint8_t *)text, strlen(text)};
}

static enum bo_status parse_name(int n_args, char *const *args, void *query, struct bo_error *err)
{
    if (n_args != 1)
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "takes a function's name");
    *(struct lprf_name_query *)query = (struct lprf_name_query){span_of(args[0])};
    return BO_OK;
}

static enum bo_status parse_key(int n_args, char *const *args, void *query, struct bo_error *err)
{
    uint64_t hash;
    if (n_args != 2 || !lprf_parse_hash(span_of(args[1]), &hash))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET,
                       "takes a function's name and its hash, decimal or 0x...");
    *(struct lprf_key_query *)query = (struct lprf_key_query){span_of(args[0]), hash};
    return BO_OK;
}

static enum bo_status parse_nothing(int n_args, char *const *args, void *query,
                                    struct bo_error *err)
{
    (void)args;
    (void)query;
    return n_args ? bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "takes no arguments") : BO_OK;
}

static void put_counters(const uint64_t *counters, uint64_t n, struct bo_writer *out)
{
    for (uint64_t i = 0; i < n; i++)
        bo_put_text(out, i ? " %llu" : "%llu", (unsigned long long)counters[i]);
}

static void print_answer(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    (void)query;
    const struct lprf_answer *answer = (const void *)bytes.p;
    if (answer->n_counters == 0) {
        bo_put_text(out, "no such function\n");
        return;
    }
    bo_put_text(out, "hash %llu\ncounters ", (unsigned long long)answer->hash);
    put_counters(answer->counters, answer->n_counters, out);
    bo_put_text(out, "\n");
}

static void print_contains(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    (void)query;
    uint32_t is_there;
    memcpy(&is_there, bytes.p, sizeof is_there);
    bo_put_text(out, is_there ? "yes\n" : "no\n");
}

/* A line for each function: hash, counters and name, with tabs between them. */
static void print_visited(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    (void)query;
    for (size_t off = 0; off < bytes.n && !out->status;) {
        const struct lprf_visited *visited = (const void *)(bytes.p + off);
        const size_t n = (size_t)visited->n_counters;
        const struct bo_span name = {(const uint8_t *)&visited->counters[n],
                                     (size_t)visited->name_nbytes};
        bo_put_text(out, "%llu\t", (unsigned long long)visited->hash);
        put_counters(visited->counters, n, out);
        bo_put_text(out, "\t");
        lprf_put_name(out, name);
        bo_put_text(out, "\n");
        off += sizeof *visited + n * sizeof *visited->counters + padded(name.n);
    }
}

static void print_summary(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    (void)query;
    uint64_t maximum;
    memcpy(&maximum, bytes.p, sizeof maximum);
    bo_put_text(out, "maximum %llu\n", (unsigned long long)maximum);
}

/* ---- the table -------------------------------------------------------------------------------- */

const struct bo_query_kind lprf_kinds[LPRF_N_KINDS] = {
    [LPRF_LOOKUP] =
        {
            .name = "lookup",
            .summary = "hash and counters of the first function of a name",
            .usage = "NAME",
            .query_size = sizeof(struct lprf_name_query),
            .has_text = true,
            .workloads = lprf_name_workloads,
            .n_workloads = LPRF_N_NAME_WORKLOADS,
            .oracle = lookup_oracle,
            .count = count_functions,
            .at = name_at,
            .draw_edges = lprf_draw_name_edges,
            .invalid_at = none_invalid,
            .parse = parse_name,
            .print = print_answer,
        },
    [LPRF_LOOKUP_KEY] =
        {
            .name = "lookup-key",
            .summary = "hash and counters of the function of a name and a hash",
            .usage = "NAME HASH",
            .query_size = sizeof(struct lprf_key_query),
            .has_text = true,
            .workloads = lprf_key_workloads,
            .n_workloads = LPRF_N_KEY_WORKLOADS,
            .oracle = lookup_key_oracle,
            .count = count_functions,
            .at = key_at,
            .draw_edges = lprf_draw_key_edges,
            .invalid_at = none_invalid,
            .parse = parse_key,
            .print = print_answer,
        },
    [LPRF_CONTAINS] =
        {
            .name = "contains",
            .summary = "whether there is a function of a name",
            .usage = "NAME",
            .query_size = sizeof(struct lprf_name_query),
            .has_text = true,
            .answer_size = sizeof(uint32_t),
            .workloads = lprf_name_workloads,
            .n_workloads = LPRF_N_CONTAINS_WORKLOADS,
            .oracle = contains_oracle,
            .count = count_functions,
            .at = name_at,
            .draw_edges = lprf_draw_name_edges,
            .invalid_at = none_invalid,
            .parse = parse_name,
            .print = print_contains,
        },
    [LPRF_ITERATE] =
        {
            .name = "iterate",
            .summary = "all functions in file order",
            .usage = "",
            .workloads = lprf_whole_workloads,
            .n_workloads = LPRF_N_WHOLE_WORKLOADS,
            .oracle = iterate_oracle,
            .count = count_whole,
            .at = whole_at,
            .draw_edges = lprf_draw_whole,
            .invalid_at = none_invalid,
            .parse = parse_nothing,
            .print = print_visited,
        },
    [LPRF_ITERATE_SORTED] =
        {
            .name = "iterate-sorted",
            .summary = "all functions in alphabetical order",
            .usage = "",
            .workloads = lprf_whole_workloads,
            .n_workloads = LPRF_N_WHOLE_WORKLOADS,
            .oracle = iterate_sorted_oracle,
            .count = count_whole,
            .at = whole_at,
            .draw_edges = lprf_draw_whole,
            .invalid_at = none_invalid,
            .parse = parse_nothing,
            .print = print_visited,
        },
    [LPRF_SUMMARY] =
        {
            .name = "summary",
            .summary = "the highest first counter of all functions",
            .usage = "",
            .answer_size = sizeof(uint64_t),
            .workloads = lprf_whole_workloads,
            .n_workloads = LPRF_N_WHOLE_WORKLOADS,
            .oracle = summary_oracle,
            .count = count_whole,
            .at = whole_at,
            .draw_edges = lprf_draw_whole,
            .invalid_at = none_invalid,
            .parse = parse_nothing,
            .print = print_summary,
        },
};
