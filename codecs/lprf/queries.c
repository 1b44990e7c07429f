/*
 * The query kinds of LPRF: their expected answers and their syntax on the command line. Queries are
 * drawn in workloads.c.
 */
#include "codecs/lprf/queries.h"

#include <stdlib.h>

#include "codecs/lprf/text.h"
#include "codecs/lprf/workloads.h"
#include "harness/names/names.h"
#include "harness/queries.h"

/* ---- the lookups: right answers -------------------------------------------------------------- */

/*
 * Finds the functions that n queries, names or keys, look up: their places, or BO_NOT_FOUND. NULL
 * without memory; the caller frees.
 */
static size_t *find_functions(const struct lprf_model *model, const struct bo_names *names)
{
    const struct bo_names present =
        BO_NUMBERED_NAMES(model->functions, model->n_functions, name, hash);
    size_t *found = calloc(names->n + 1, sizeof *found);
    if (found && bo_match_names(names, &present, found) == BO_OK)
        return found;
    free(found);
    return NULL;
}

static enum bo_status put_answers(const struct lprf_model *model, const size_t *found, size_t n,
                                  struct bo_sink *sink)
{
    static const struct lprf_function none = {.hash = 0};
    for (size_t i = 0; i < n; i++) {
        const struct lprf_function *function =
            found[i] == BO_NOT_FOUND ? &none : &model->functions[found[i]];
        const size_t nbytes = function->n_counters * sizeof *function->counters;
        struct lprf_answer *answer = bo_sink_take(sink, sizeof *answer + nbytes);
        if (!answer)
            return BO_OVER_LIMIT;
        answer->hash = function->hash;
        answer->n_counters = function->n_counters;
        if (nbytes)
            memcpy(answer->counters, function->counters, nbytes);
    }
    return BO_OK;
}

static enum bo_status answer_lookups(const struct lprf_model *model, const struct bo_names *names,
                                     struct bo_sink *sink)
{
    size_t *found = find_functions(model, names);
    const enum bo_status status = found ? put_answers(model, found, names->n, sink) : BO_NO_MEMORY;
    free(found);
    return status;
}

static enum bo_status lookup_oracle(const void *model, const void *queries, size_t n, void *answers)
{
    const struct bo_names names = BO_NAMES((const struct lprf_name_query *)queries, n, name);
    return answer_lookups(model, &names, answers);
}

static enum bo_status lookup_key_oracle(const void *model, const void *queries, size_t n,
                                        void *answers)
{
    const struct bo_names names =
        BO_NUMBERED_NAMES((const struct lprf_key_query *)queries, n, name, hash);
    return answer_lookups(model, &names, answers);
}

static enum bo_status contains_oracle(const void *model, const void *queries, size_t n,
                                      void *answers)
{
    const struct bo_names names = BO_NAMES((const struct lprf_name_query *)queries, n, name);
    size_t *found = find_functions(model, &names);
    uint32_t *is_there = answers;
    if (!found)
        return BO_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        is_there[i] = found[i] != BO_NOT_FOUND;
    free(found);
    return BO_OK;
}

/* ---- the whole: right answers ---------------------------------------------------------------- */

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
    const int order = bo_span_compare(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

static enum bo_status iterate_sorted_oracle(const void *opaque, const void *queries, size_t n,
                                            void *answers)
{
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

/* ---- all queries ----------------------------------------------------------------------------- */

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

/* ---- the command line ------------------------------------------------------------------------ */

static enum bo_status parse_name(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                 struct bo_error *err)
{
    if (n_args != 1)
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expects a function's name");
    *(struct lprf_name_query *)query = (struct lprf_name_query){bo_span_of(args[0])};
    return BO_OK;
}

static enum bo_status parse_key(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                struct bo_error *err)
{
    uint64_t hash;
    if (n_args != 2 || !lprf_parse_hash(bo_span_of(args[1]), &hash))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET,
                       "expects a function's name and its hash, decimal or 0x...");
    *(struct lprf_key_query *)query = (struct lprf_key_query){bo_span_of(args[0]), hash};
    return BO_OK;
}

static void put_counters(const uint64_t *counters, uint64_t n, struct bo_writer *out)
{
    for (uint64_t i = 0; i < n; i++)
        bo_put_text(out, i ? " %llu" : "%llu", (unsigned long long)counters[i]);
}

static void print_answer(const void *query, struct bo_span bytes, struct bo_writer *out)
{
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
    uint32_t is_there;
    memcpy(&is_there, bytes.p, sizeof is_there);
    bo_put_text(out, is_there ? "yes\n" : "no\n");
}

/* A line for each function: hash, counters and name, with tabs between them. */
static void print_visited(const void *query, struct bo_span bytes, struct bo_writer *out)
{
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
    uint64_t maximum;
    memcpy(&maximum, bytes.p, sizeof maximum);
    bo_put_text(out, "maximum %llu\n", (unsigned long long)maximum);
}

/* ---- the table ------------------------------------------------------------------------------- */

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
            .invalid_at = bo_none_invalid,
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
            .invalid_at = bo_none_invalid,
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
            .invalid_at = bo_none_invalid,
            .parse = parse_name,
            .print = print_contains,
        },
    [LPRF_ITERATE] =
        {
            .name = "iterate",
            .summary = "all functions in file order",
            .oracle = iterate_oracle,
            .print = print_visited,
            BO_WHOLE_QUERY,
        },
    [LPRF_ITERATE_SORTED] =
        {
            .name = "iterate-sorted",
            .summary = "all functions in alphabetical order",
            .oracle = iterate_sorted_oracle,
            .print = print_visited,
            BO_WHOLE_QUERY,
        },
    [LPRF_SUMMARY] =
        {
            .name = "summary",
            .summary = "the highest first counter of all functions",
            .answer_size = sizeof(uint64_t),
            .oracle = summary_oracle,
            .print = print_summary,
            BO_WHOLE_QUERY,
        },
};
