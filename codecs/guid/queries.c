/*
 * The query kind of sets of GUIDs: expected answers from the model alone, how queries are drawn,
 * and their form on the command line. Each draw of a random number is a statement of its own.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codecs/guid/queries.h"
#include "harness/core/text.h"
#include "harness/queries.h"

static const struct guid_entry *entries_of(const void *model, size_t *n_ret)
{
    const struct bo_records *records = model;
    *n_ret = records->n;
    return records->items;
}

/* ---- find: right answers --------------------------------------------------------------------- */

static enum bo_status find_oracle(const void *model, const void *queries, size_t n, void *answers)
{
    const struct guid_find_query *q = queries;
    struct guid_find_answer *a = answers;
    size_t n_entries;
    const struct guid_entry *entries = entries_of(model, &n_entries);
    for (size_t i = 0; i < n; i++) {
        const size_t e = bo_records_lower_bound(&guid_shape, model, q[i].guid);
        a[i] = (struct guid_find_answer){GUID_ABSENT, 0};
        if (e == n_entries || entries[e].guid != q[i].guid)
            continue;
        const bool has_body = entries[e].nbytes != GUID_NO_BODY;
        a[i] = (struct guid_find_answer){has_body ? GUID_HAS_BODY : GUID_IS_MEMBER,
                                         has_body ? entries[e].nbytes : 0};
    }
    return BO_OK;
}

static uint64_t count_find(const void *model)
{
    return ((const struct bo_records *)model)->n;
}

static bool find_at(const void *model, uint64_t i, void *query)
{
    size_t n;
    const struct guid_entry *entries = entries_of(model, &n);
    if (i >= n)
        return false;
    *(struct guid_find_query *)query = (struct guid_find_query){entries[i].guid};
    return true;
}

/* ---- find: drawing --------------------------------------------------------------------------- */

static size_t draw_uniform(const void *model, struct bo_random *random, struct bo_arena *arena,
                           size_t n, void *queries)
{
    struct guid_find_query *q = queries;
    size_t n_entries;
    const struct guid_entry *entries = entries_of(model, &n_entries);
    for (size_t i = 0; i < n && n_entries; i++)
        q[i].guid = entries[bo_random_index(random, n_entries)].guid;
    return n_entries ? n : 0;
}

/* Random numbers that are not in the set, as GUIDs of names that have no profile. */
static size_t draw_miss(const void *model, struct bo_random *random, struct bo_arena *arena,
                        size_t n, void *queries)
{
    struct guid_find_query *q = queries;
    size_t n_entries;
    const struct guid_entry *entries = entries_of(model, &n_entries);
    for (size_t i = 0; i < n;) {
        q[i].guid = bo_random_u64(random);
        const size_t e = bo_records_lower_bound(&guid_shape, model, q[i].guid);
        if (e < n_entries && entries[e].guid == q[i].guid && bo_random_exhausted(random))
            return i;
        i += e == n_entries || entries[e].guid != q[i].guid;
    }
    return n;
}

/* Members, and numbers that differ from one in a bit or by 1; without members, random numbers. */
static size_t draw_edges(const void *model, struct bo_random *random, struct bo_arena *arena,
                         size_t n, void *queries)
{
    struct guid_find_query *q = queries;
    size_t n_entries;
    entries_of(model, &n_entries);
    if (n_entries == 0)
        return draw_miss(model, random, arena, n, queries);
    const size_t n_drawn = draw_uniform(model, random, arena, n, queries);
    for (size_t i = 0; i < n_drawn; i++) {
        const uint32_t how = bo_random_below(random, 4);
        const uint32_t bit = bo_random_below(random, 64);
        if (how == 1)
            q[i].guid ^= UINT64_C(1) << bit;
        else if (how > 1)
            q[i].guid += how == 2 ? 1 : UINT64_MAX;
    }
    return n_drawn;
}

/* state >> 8 is 0 in every answer: the query depends on the answer, but is not changed. */
static void link_find(void *query, const void *previous_answer)
{
    ((struct guid_find_query *)query)->guid +=
        ((const struct guid_find_answer *)previous_answer)->state >> 8;
}

static const struct bo_workload find_workloads[] = {
    {.name = "uniform",
     .summary = "members, each as often as the others",
     .n_queries = 1 << 18,
     .draw = draw_uniform},
    {.name = "chain",
     .summary = "as uniform, each query waiting for the answer before it",
     .n_queries = 1 << 18,
     .dependent = true,
     .draw = draw_uniform},
    {.name = "hot",
     .summary = "1024 members again and again",
     .n_queries = 1 << 10,
     .draw = draw_uniform},
    {.name = "miss", .summary = "absent GUIDs", .n_queries = 1 << 18, .draw = draw_miss},
    {.name = "cold",
     .summary = "as uniform, the caches emptied before each small batch",
     .n_queries = 1 << 10,
     .cold = true,
     .draw = draw_uniform},
    {.name = "first",
     .summary = "as uniform, each on a reader just opened, opening included",
     .n_queries = 1 << 4,
     .fresh = true,
     .draw = draw_uniform},
};

/* ---- find: the command line ------------------------------------------------------------------ */

static bool parse_guid(const char *text, uint64_t *guid_ret)
{
    if (strncmp(text, "0x", 2) != 0)
        return bo_parse_u64(bo_span_of(text), UINT64_MAX, guid_ret);
    const size_t n_digits = strspn(text + 2, "0123456789abcdefABCDEF");
    *guid_ret = strtoull(text + 2, NULL, 16);
    return n_digits > 0 && n_digits <= 16 && text[2 + n_digits] == 0;
}

static enum bo_status parse_find(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                 struct bo_error *err)
{
    uint64_t guid;
    if (n_args != 1 || !parse_guid(args[0], &guid))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET,
                       "expects a GUID, a number, decimal or 0x...");
    *(struct guid_find_query *)query = (struct guid_find_query){guid};
    return BO_OK;
}

static void print_find(const void *query, struct bo_span answer, struct bo_writer *out)
{
    const struct guid_find_query *q = query;
    const struct guid_find_answer *a = (const void *)answer.p;
    bo_put_text(out, "0x%" PRIx64 ": ", q->guid);
    if (a->state == GUID_HAS_BODY)
        bo_put_text(out, "a body of %" PRIu32 " bytes\n", a->nbytes);
    else
        bo_put_text(out, a->state == GUID_IS_MEMBER ? "a member without a body\n" : "absent\n");
}

const struct bo_query_kind guid_kinds[GUID_N_KINDS] = {
    [GUID_FIND] = {.name = "find",
                   .summary = "whether a GUID is in the set, and the extent of its body",
                   .usage = "GUID",
                   .query_size = sizeof(struct guid_find_query),
                   .answer_size = sizeof(struct guid_find_answer),
                   .workloads = find_workloads,
                   .n_workloads = sizeof find_workloads / sizeof *find_workloads,
                   .oracle = find_oracle,
                   .count = count_find,
                   .at = find_at,
                   .draw_edges = draw_edges,
                   .invalid_at = bo_none_invalid,
                   .link = link_find,
                   .parse = parse_find,
                   .print = print_find},
};
