/*
 * The query kinds of AutoFDO: their expected answers and their form on the command line. How
 * queries are drawn is in workloads.c.
 */
#include "codecs/autofdo/queries.h"

#include <stdlib.h>

#include "codecs/autofdo/workloads.h"
#include "harness/queries.h"

/* ---- a visit --------------------------------------------------------------------------------- */

/* One function being visited. */
struct visit {
    struct autofdo_digest digest;
    struct bo_sink *targets; /* receives them in the order of the visit; NULL to skip them */
    bool is_full;            /* the sink had no room for one */
};

static size_t padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

static void put_found(struct visit *visit, const struct autofdo_target *target)
{
    const size_t n = padded(target->name.n);
    struct autofdo_found *found = bo_sink_take(visit->targets, sizeof *found + n);
    if (!found) {
        visit->is_full = true;
        return;
    }
    *found = (struct autofdo_found){target->count, target->name.n};
    uint8_t *name = (uint8_t *)(found + 1);
    memset(name, 0, n);
    memcpy(name, target->name.p, target->name.n);
}

static void visit_record(struct visit *visit, const struct autofdo_record *record)
{
    uint64_t *hash = &visit->digest.hash;
    autofdo_visit_record(hash, record->line, record->discriminator, record->count);
    visit->digest.n_records++;
    visit->digest.n_targets += record->n_targets;
    for (size_t i = 0; i < record->n_targets && !visit->is_full; i++) {
        const struct autofdo_target *target = &record->targets[i];
        autofdo_visit_target(hash, autofdo_hash_name(target->name), target->count);
        if (visit->targets)
            put_found(visit, target);
    }
}

static void visit_instance(struct visit *visit, const struct autofdo_instance *instance)
{
    uint64_t *hash = &visit->digest.hash;
    autofdo_visit_instance(hash, autofdo_hash_name(instance->name));
    visit->digest.n_instances++;
    for (size_t i = 0; i < instance->n_records && !visit->is_full; i++)
        visit_record(visit, &instance->records[i]);
    for (size_t i = 0; i < instance->n_callsites && !visit->is_full; i++) {
        const struct autofdo_callsite *callsite = &instance->callsites[i];
        autofdo_visit_callsite(hash, callsite->line, callsite->discriminator);
        visit_instance(visit, &callsite->callee);
    }
    autofdo_visit_end(hash);
}

static struct visit visit_function(const struct autofdo_function *function, struct bo_sink *targets)
{
    struct visit visit = {.digest.n_functions = 1, .targets = targets};
    autofdo_visit_head(&visit.digest.hash, function->head, function->timestamp);
    visit_instance(&visit, &function->body);
    return visit;
}

static void add_digest(struct autofdo_digest *sum, const struct autofdo_digest *digest)
{
    sum->n_functions += digest->n_functions;
    sum->n_instances += digest->n_instances;
    sum->n_records += digest->n_records;
    sum->n_targets += digest->n_targets;
    sum->hash += digest->hash;
}

/* ---- right answers: one function ------------------------------------------------------------- */

static const struct autofdo_function *find_function(const struct autofdo_model *model,
                                                    struct bo_span name)
{
    size_t low = 0, high = model->n_functions;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = bo_span_compare(model->functions[middle].body.name, name);
        if (order == 0)
            return &model->functions[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static enum bo_status function_oracle(const void *model, const void *queries, size_t n,
                                      void *answers)
{
    const struct autofdo_name_query *q = queries;
    struct bo_sink *sink = answers;
    for (size_t i = 0; i < n; i++) {
        const struct autofdo_function *function = find_function(model, q[i].name);
        struct autofdo_answer *answer = bo_sink_take(sink, sizeof *answer);
        if (!answer)
            return BO_OVER_LIMIT;
        *answer = (struct autofdo_answer){0};
        if (!function)
            continue;
        const struct visit visit = visit_function(function, sink);
        if (visit.is_full)
            return BO_OVER_LIMIT;
        answer->head = function->head;
        answer->timestamp = function->timestamp;
        answer->digest = visit.digest;
        answer->n_targets = visit.digest.n_targets;
    }
    return BO_OK;
}

/* ---- right answers: several functions -------------------------------------------------------- */

/* The functions' paths one after the other: functions and files are both by name. */
struct path_walk {
    const struct autofdo_model *model;
    size_t f, file;
};

/* The path of function walk->f, "" when it has no file. Advances the walk. */
static struct bo_span next_path(struct path_walk *walk)
{
    static const uint8_t nothing[1];
    const struct autofdo_model *model = walk->model;
    const struct bo_span name = model->functions[walk->f++].body.name;
    while (walk->file < model->n_files && bo_span_compare(model->files[walk->file].name, name) < 0)
        walk->file++;
    const bool has_file =
        walk->file < model->n_files && bo_span_equal(model->files[walk->file].name, name);
    const struct bo_span path = has_file ? model->files[walk->file].path : (struct bo_span){0};
    return path.n ? path : (struct bo_span){nothing, 0};
}

static enum bo_status tu_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct autofdo_model *model = opaque;
    const struct autofdo_path_query *q = queries;
    struct autofdo_digest *digests = answers;
    for (size_t i = 0; i < n; i++) {
        struct path_walk walk = {.model = model};
        digests[i] = (struct autofdo_digest){0};
        for (size_t f = 0; f < model->n_functions; f++) {
            if (!bo_span_equal(next_path(&walk), q[i].path))
                continue;
            const struct visit visit = visit_function(&model->functions[f], NULL);
            add_digest(&digests[i], &visit.digest);
        }
    }
    return BO_OK;
}

static enum bo_status scan_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_digest sum = {0}, *digests = answers;
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct visit visit = visit_function(&model->functions[f], NULL);
        add_digest(&sum, &visit.digest);
    }
    for (size_t i = 0; i < n; i++)
        digests[i] = sum;
    return BO_OK;
}

/* ---- right answers: the summary, not as autofdo_summarize does it ---------------------------- */

/* All counts, to be sorted. */
struct counts {
    uint64_t *p;
    size_t n, cap;
};

static bool append_counts(struct counts *counts, const struct autofdo_instance *instance)
{
    const size_t n_more = instance->n_records;
    if (n_more > counts->cap - counts->n) {
        const size_t cap = 2 * (counts->n + n_more);
        uint64_t *grown = realloc(counts->p, cap * sizeof *grown);
        if (!grown)
            return false;
        counts->p = grown;
        counts->cap = cap;
    }
    for (size_t i = 0; i < n_more; i++)
        counts->p[counts->n++] = instance->records[i].count;
    for (size_t i = 0; i < instance->n_callsites; i++)
        if (!append_counts(counts, &instance->callsites[i].callee))
            return false;
    return true;
}

static int compare_downwards(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* v * cutoff / 10^6 by long division. */
static uint64_t scale(uint64_t v, uint32_t cutoff)
{
    const uint64_t low = (v & UINT32_MAX) * cutoff;
    const uint64_t high = (v >> 32) * cutoff + (low >> 32);
    return (high / 1000000 << 32) | ((high % 1000000 << 32 | (low & UINT32_MAX)) / 1000000);
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static struct autofdo_summary summary_of(const struct counts *counts)
{
    struct autofdo_summary summary = {.n_counts = counts->n};
    for (size_t i = 0; i < counts->n; i++)
        summary.total_count = add_saturating(summary.total_count, counts->p[i]);
    summary.max_count = counts->n ? counts->p[0] : 0;
    for (unsigned e = 0; e < AUTOFDO_N_CUTOFFS; e++) {
        const uint64_t wanted = scale(summary.total_count, autofdo_cutoffs[e]);
        uint64_t sum = 0;
        size_t n = 0;
        for (; n < counts->n && sum < wanted; n++)
            sum = add_saturating(sum, counts->p[n]);
        while (n && n < counts->n && counts->p[n] == counts->p[n - 1])
            n++; /* equal counts are adjacent */
        summary.entries[e] = (struct autofdo_entry){n ? counts->p[n - 1] : 0, n};
    }
    return summary;
}

static enum bo_status summary_oracle(const void *opaque, const void *queries, size_t n,
                                     void *answers)
{
    const struct autofdo_model *model = opaque;
    struct counts counts = {0};
    uint64_t max_head = 0;
    for (size_t f = 0; f < model->n_functions; f++) {
        const uint64_t head = model->functions[f].head;
        max_head = head > max_head ? head : max_head;
        if (!append_counts(&counts, &model->functions[f].body)) {
            free(counts.p);
            return BO_NO_MEMORY;
        }
    }
    if (counts.n)
        qsort(counts.p, counts.n, sizeof *counts.p, compare_downwards);
    struct autofdo_summary summary = summary_of(&counts), *summaries = answers;
    free(counts.p);
    summary.max_head = max_head;
    summary.n_functions = model->n_functions;
    for (size_t i = 0; i < n; i++)
        summaries[i] = summary;
    return BO_OK;
}

/* ---- all queries ----------------------------------------------------------------------------- */

static uint64_t count_functions(const void *model)
{
    return ((const struct autofdo_model *)model)->n_functions;
}

static bool name_at(const void *opaque, uint64_t i, void *query)
{
    const struct autofdo_model *model = opaque;
    if (i >= model->n_functions)
        return false;
    *(struct autofdo_name_query *)query =
        (struct autofdo_name_query){model->functions[i].body.name};
    return true;
}

/* Steps from one path to the next in the order of their bytes. */
static bool path_at(const void *opaque, uint64_t i, void *query)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_path_query *q = query;
    struct path_walk walk = {.model = model};
    struct bo_span next = {NULL, 0};
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct bo_span path = next_path(&walk);
        if ((i == 0 || bo_span_compare(path, q->path) > 0) &&
            (!next.p || bo_span_compare(path, next) < 0))
            next = path;
    }
    if (!next.p)
        return false;
    q->path = next;
    return true;
}

static uint64_t count_paths(const void *model)
{
    struct autofdo_path_query query;
    uint64_t n = 0;
    while (path_at(model, n, &query))
        n++;
    return n;
}

/* ---- the command line ------------------------------------------------------------------------ */

static enum bo_status parse_name(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                 struct bo_error *err)
{
    if (n_args != 1)
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "expects a function's name");
    *(struct autofdo_name_query *)query = (struct autofdo_name_query){bo_span_of(args[0])};
    return BO_OK;
}

static enum bo_status parse_path(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                 struct bo_error *err)
{
    if (n_args > 1)
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET,
                       "expects the path of a file, or no argument for functions without a file");
    *(struct autofdo_path_query *)query =
        (struct autofdo_path_query){bo_span_of(n_args ? args[0] : "")};
    return BO_OK;
}

static void put_count(struct bo_writer *out, const char *name, uint64_t v)
{
    bo_put_text(out, "%s %llu\n", name, (unsigned long long)v);
}

static void put_digest(struct bo_writer *out, const struct autofdo_digest *digest)
{
    put_count(out, "instances", digest->n_instances);
    put_count(out, "records", digest->n_records);
    put_count(out, "targets", digest->n_targets);
    bo_put_text(out, "hash 0x%016llx\n", (unsigned long long)digest->hash);
}

static void print_digest(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    struct autofdo_digest digest;
    memcpy(&digest, bytes.p, sizeof digest);
    put_count(out, "functions", digest.n_functions);
    put_digest(out, &digest);
}

/* Counts, a line each; then a line for each target. */
static void print_answer(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    const struct autofdo_answer *answer = (const void *)bytes.p;
    if (answer->digest.n_functions == 0) {
        bo_put_text(out, "no such function\n");
        return;
    }
    put_count(out, "head", answer->head);
    put_count(out, "timestamp", answer->timestamp);
    put_digest(out, &answer->digest);
    const uint8_t *p = (const uint8_t *)(answer + 1);
    for (uint64_t i = 0; i < answer->n_targets && !out->status; i++) {
        const struct autofdo_found *found = (const void *)p;
        const size_t n = (size_t)found->name_nbytes;
        p += sizeof *found;
        bo_put_text(out, "calls %llu ", (unsigned long long)found->count);
        bo_put_bytes(out, p, n);
        bo_put_u8(out, '\n');
        p += padded(n);
    }
}

static void print_summary(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    struct autofdo_summary summary;
    memcpy(&summary, bytes.p, sizeof summary);
    put_count(out, "total", summary.total_count);
    put_count(out, "maximum", summary.max_count);
    put_count(out, "maximum-head", summary.max_head);
    put_count(out, "records", summary.n_counts);
    put_count(out, "functions", summary.n_functions);
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS; i++)
        bo_put_text(out, "cutoff %u: %llu records of at least %llu\n", (unsigned)autofdo_cutoffs[i],
                    (unsigned long long)summary.entries[i].n_counts,
                    (unsigned long long)summary.entries[i].min_count);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct bo_query_kind autofdo_kinds[AUTOFDO_N_KINDS] = {
    [AUTOFDO_SUMMARY] =
        {
            .name = "summary",
            .summary = "totals, maxima and the counts that make up shares of the total",
            .answer_size = sizeof(struct autofdo_summary),
            .oracle = summary_oracle,
            .print = print_summary,
            BO_WHOLE_QUERY,
        },
    [AUTOFDO_FUNCTION] =
        {
            .name = "function",
            .summary = "head count, timestamp, all counts (digested) and targets of a function",
            .usage = "NAME",
            .query_size = sizeof(struct autofdo_name_query),
            .has_text = true,
            .workloads = autofdo_function_workloads,
            .n_workloads = AUTOFDO_N_FUNCTION_WORKLOADS,
            .oracle = function_oracle,
            .count = count_functions,
            .at = name_at,
            .draw_edges = autofdo_draw_name_edges,
            .invalid_at = bo_none_invalid,
            .parse = parse_name,
            .print = print_answer,
        },
    [AUTOFDO_TU] =
        {
            .name = "tu",
            .summary = "all functions of one source file, digested: what a compiler reads",
            .usage = "[PATH]",
            .query_size = sizeof(struct autofdo_path_query),
            .has_text = true,
            .answer_size = sizeof(struct autofdo_digest),
            .workloads = autofdo_tu_workloads,
            .n_workloads = AUTOFDO_N_TU_WORKLOADS,
            .oracle = tu_oracle,
            .count = count_paths,
            .at = path_at,
            .draw_edges = autofdo_draw_path_edges,
            .invalid_at = bo_none_invalid,
            .parse = parse_path,
            .print = print_digest,
        },
    [AUTOFDO_SCAN] =
        {
            .name = "scan",
            .summary = "all functions, digested",
            .answer_size = sizeof(struct autofdo_digest),
            .oracle = scan_oracle,
            .print = print_digest,
            BO_WHOLE_QUERY,
        },
};
