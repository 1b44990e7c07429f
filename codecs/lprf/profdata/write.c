/*
 * Writes indexed profiles in the same order of bytes as LLVM's own writer. The order results from
 * the writer's tables in memory:
 *
 * - Names are inserted into a chained hash table in ascending order, each at the front of its
 *   bucket. The table starts with 64 buckets, and doubles whenever it is 3/4 full, including the
 *   name to be inserted. If the file has another number of buckets, the table changes to that
 *   number at the end. On each change, the buckets are visited in order, each from its front, and
 *   every name is inserted at the front of its new bucket.
 * - The records of a name are inserted into a table with open addressing in ascending order of
 *   their hashes. It has 4 slots, or 64 from 3 records on, and doubles whenever it is 3/4 full.
 */
#include "codecs/lprf/chained.h"
#include "codecs/lprf/profdata/profdata.h"
#include "harness/core/md5.h"

/* ---- the order of the names ------------------------------------------------------------------ */

struct name {
    uint64_t hash;
    size_t first, end;  /* its functions */
    size_t next_plus_1; /* the name after it in its bucket; 0: none */
};

/* The table to be written. */
struct plan {
    const struct lprf_model *model;
    struct bo_arena *arena;
    struct name *names; /* ascending */
    size_t n_names;
    size_t *heads; /* of each bucket the name at its front plus 1, or 0 */
    size_t n_buckets;
    size_t *order; /* the functions, each name's in the order of its records */
};

static void enter(struct plan *plan, size_t i)
{
    size_t *head = &plan->heads[plan->names[i].hash & (plan->n_buckets - 1)];
    plan->names[i].next_plus_1 = *head;
    *head = i + 1;
}

/* Changes the number of buckets; false when the arena refuses. */
static bool change_buckets(struct plan *plan, size_t n_buckets)
{
    const size_t *old = plan->heads, n_old = plan->n_buckets;
    plan->heads = bo_zalloc_array(plan->arena, n_buckets, sizeof *plan->heads);
    if (!plan->heads)
        return false;
    plan->n_buckets = n_buckets;
    for (size_t b = 0; b < n_old; b++)
        for (size_t i = old[b], next; i; i = next) {
            next = plan->names[i - 1].next_plus_1;
            enter(plan, i - 1);
        }
    return true;
}

static bool enter_names(struct plan *plan)
{
    enum { FIRST_BUCKETS = 64 };
    if (!change_buckets(plan, FIRST_BUCKETS))
        return false;
    for (size_t i = 0; i < plan->n_names; i++) {
        if (4 * (i + 1) >= 3 * plan->n_buckets && !change_buckets(plan, 2 * plan->n_buckets))
            return false;
        enter(plan, i);
    }
    const size_t n_buckets = (size_t)lprf_n_buckets_for(plan->n_names);
    return n_buckets == plan->n_buckets || change_buckets(plan, n_buckets);
}

/* ---- the order of a name's records ----------------------------------------------------------- */

struct slot {
    size_t function_plus_1; /* 0: free */
    /* so many slots of the probe sequence from this one are known to be taken */
    size_t n_taken;
};

static uint64_t mix(uint64_t hash)
{
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    return hash ^ hash >> 31;
}

/*
 * From a taken slot, the probe sequence steps by 1, then by 2, 3, ... Slots stay taken, so a probe
 * continues where the last probe from the same first slot ended. So the time is linear in the
 * number of functions with one first slot.
 */
static void place(const struct lprf_model *model, struct slot *slots, size_t n_slots, size_t f)
{
    const size_t home = (size_t)mix(model->functions[f].hash) & (n_slots - 1);
    uint64_t t = slots[home].n_taken;
    while (slots[(home + t * (t + 1) / 2) & (n_slots - 1)].function_plus_1)
        t++;
    slots[(home + t * (t + 1) / 2) & (n_slots - 1)].function_plus_1 = f + 1;
    slots[home].n_taken = t + 1;
}

/* Orders the records of functions [first, end), which have one name; false: the arena refuses. */
static bool order_records(struct plan *plan, size_t first, size_t end)
{
    enum { FIRST_SLOTS = 4, NEXT_SLOTS = 64 };
    const struct bo_arena_mark mark = bo_arena_mark(plan->arena);
    size_t n_slots = FIRST_SLOTS;
    struct slot first_slots[FIRST_SLOTS] = {{0}}, *slots = first_slots;
    for (size_t f = first; f < end; f++) {
        if (4 * (f + 1 - first) >= 3 * n_slots) {
            const struct slot *old = slots;
            const size_t n_old = n_slots;
            n_slots = n_slots == FIRST_SLOTS ? NEXT_SLOTS : 2 * n_slots;
            slots = bo_zalloc_array(plan->arena, n_slots, sizeof *slots);
            if (!slots)
                return false;
            for (size_t i = 0; i < n_old; i++)
                if (old[i].function_plus_1)
                    place(plan->model, slots, n_slots, old[i].function_plus_1 - 1);
        }
        place(plan->model, slots, n_slots, f);
    }
    for (size_t i = 0, f = first; i < n_slots; i++)
        if (slots[i].function_plus_1)
            plan->order[f++] = slots[i].function_plus_1 - 1;
    bo_arena_rewind(plan->arena, mark);
    return true;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static bool find_names(struct plan *plan)
{
    const struct lprf_model *model = plan->model;
    for (size_t f = 0; f < model->n_functions; plan->n_names++) {
        struct name *name = &plan->names[plan->n_names];
        *name = (struct name){.hash = bo_md5_low64(model->functions[f].name), .first = f};
        do
            f++;
        while (f < model->n_functions &&
               bo_span_equal(model->functions[f].name, model->functions[name->first].name));
        name->end = f;
        if (!order_records(plan, name->first, name->end))
            return false;
    }
    return true;
}

static enum bo_status make_plan(struct plan *plan, struct bo_error *err)
{
    const size_t n = plan->model->n_functions;
    plan->names = bo_alloc_array(plan->arena, n, sizeof *plan->names);
    plan->order = bo_alloc_array(plan->arena, n, sizeof *plan->order);
    return plan->names && plan->order && find_names(plan) && enter_names(plan)
               ? BO_OK
               : bo_fail_alloc(err, plan->arena);
}

static enum bo_status check_held(const struct lprf_model *model, uint64_t llvm_maximum,
                                 struct bo_error *err)
{
    for (size_t f = 0; f < model->n_functions; f++) {
        const struct lprf_function *function = &model->functions[f];
        const int order = f ? bo_span_compare(model->functions[f - 1].name, function->name) : -1;
        if (order > 0 || (order == 0 && model->functions[f - 1].hash > function->hash))
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "profdata holds functions by name and hash, in no other order");
        if (function->hash >= UINT64_MAX - 1)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "hash is 2^64 - 1 or 2^64 - 2, which LLVM's tables reserve");
    }
    return llvm_maximum == lprf_maximum(model)
               ? BO_OK
               : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                         "maximum count belongs to a function that LLVM's summary leaves out");
}

/* ---- the bytes ------------------------------------------------------------------------------- */

static uint8_t *put_u64(uint8_t *p, uint64_t v)
{
    bo_set_le64(p, v);
    return p + 8;
}

/* The model has no bitmap bytes of MC/DC and no values; the record has their numbers only. */
static uint8_t *put_record(uint8_t *p, const struct lprf_function *function)
{
    p = put_u64(p, function->hash);
    p = put_u64(p, function->n_counters);
    for (size_t i = 0; i < function->n_counters; i++)
        p = put_u64(p, function->counters[i]);
    p = put_u64(p, 0);
    return put_u64(p, PROFDATA_VALUE_DATA);
}

static uint8_t *put_item(const struct plan *plan, uint8_t *p, const struct name *name)
{
    const struct bo_span text = plan->model->functions[name->first].name;
    uint8_t *head = p;
    put_u64(head, name->hash);
    put_u64(head + 8, text.n);
    memcpy(head + LPRF_ITEM_HEAD_NBYTES, text.p, text.n);
    uint8_t *data = p = head + LPRF_ITEM_HEAD_NBYTES + text.n;
    for (size_t i = name->first; i < name->end; i++)
        p = put_record(p, &plan->model->functions[plan->order[i]]);
    put_u64(head + 16, (uint64_t)(p - data));
    return p;
}

/* Puts the items of bucket b at `p`; returns the end, or NULL when there are too many. */
static uint8_t *put_bucket(const struct plan *plan, uint8_t *p, size_t b)
{
    uint8_t *count = p;
    size_t n = 0;
    p += LPRF_COUNT_NBYTES;
    for (size_t i = plan->heads[b]; i; i = plan->names[i - 1].next_plus_1) {
        p = put_item(plan, p, &plan->names[i - 1]);
        n++;
    }
    bo_set_le16(count, (uint16_t)n);
    return n <= UINT16_MAX ? p : NULL;
}

/* The bytes of the whole file by section: those that are marked lie interleaved. */
struct nbytes {
    uint64_t names, hashes, counters, table_off, all;
};

static struct nbytes count_bytes(const struct plan *plan)
{
    struct nbytes nbytes = {0};
    uint64_t items_end = PROFDATA_ITEMS_OFF + LPRF_ITEM_HEAD_NBYTES * (uint64_t)plan->n_names;
    for (size_t b = 0; b < plan->n_buckets; b++)
        items_end += plan->heads[b] ? LPRF_COUNT_NBYTES : 0;
    for (size_t i = 0; i < plan->n_names; i++)
        nbytes.names += plan->model->functions[plan->names[i].first].name.n;
    for (size_t f = 0; f < plan->model->n_functions; f++)
        nbytes.counters += 8 * (uint64_t)plan->model->functions[f].n_counters;
    nbytes.hashes = PROFDATA_RECORD_NBYTES * (uint64_t)plan->model->n_functions;
    items_end += nbytes.names + nbytes.hashes + nbytes.counters;
    nbytes.table_off = (items_end + 7) / 8 * 8;
    nbytes.all = nbytes.table_off + 16 + 8 * (uint64_t)plan->n_buckets + PROFDATA_TAIL_NBYTES;
    return nbytes;
}

static void put_space(struct bo_writer *out, const struct nbytes *nbytes)
{
    const struct {
        const char *section;
        uint64_t n;
    } parts[] = {{"names", nbytes->names},
                 {"hashes", nbytes->hashes},
                 {"counters", nbytes->counters},
                 {"tables", nbytes->all - nbytes->names - nbytes->hashes - nbytes->counters}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bo_mark(out, parts[i].section);
        bo_put_zeros(out, (size_t)parts[i].n);
    }
}

static void put_head(uint8_t *p, const struct nbytes *nbytes,
                     const uint64_t summary[PROFDATA_SUMMARY_WORDS])
{
    memcpy(p, profdata_magic, sizeof profdata_magic);
    bo_set_le64(p + PROFDATA_VERSION_OFF, PROFDATA_VERSION);
    bo_set_le64(p + PROFDATA_TABLE_OFF_OFF, nbytes->table_off);
    bo_set_le64(p + 48, nbytes->all - PROFDATA_TAIL_NBYTES);     /* binary ids */
    bo_set_le64(p + 64, nbytes->all - PROFDATA_TAIL_NBYTES + 8); /* names of vtables */
    for (size_t i = 0; i < PROFDATA_SUMMARY_WORDS; i++)
        bo_set_le64(p + PROFDATA_SUMMARY_OFF + 8 * i, summary[i]);
}

/* The items and the table, into zeros. */
static enum bo_status put_table(const struct plan *plan, uint8_t *file, uint64_t table_off,
                                struct bo_error *err)
{
    uint8_t *p = file + PROFDATA_ITEMS_OFF, *table = file + table_off;
    put_u64(put_u64(table, plan->n_buckets), plan->n_names);
    for (size_t b = 0; b < plan->n_buckets; b++) {
        if (!plan->heads[b])
            continue;
        put_u64(table + 16 + 8 * b, (uint64_t)(p - file));
        if (!(p = put_bucket(plan, p, b)))
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "bucket has more than 65535 names");
    }
    return BO_OK;
}

enum bo_status profdata_encode(const struct bo_codec *self, const void *model,
                               struct bo_writer *out, struct bo_error *err)
{
    struct plan plan = {.model = model, .arena = out->arena};
    uint64_t summary[PROFDATA_SUMMARY_WORDS];
    const size_t start = out->n;
    enum bo_status status = profdata_summarize(model, out->arena, summary, err);
    if (status || (status = check_held(model, summary[4], err)) || (status = make_plan(&plan, err)))
        return status;
    const struct nbytes nbytes = count_bytes(&plan);
    put_space(out, &nbytes);
    if (out->status)
        return bo_writer_status(out, err);
    put_head(out->p + start, &nbytes, summary);
    return put_table(&plan, out->p + start, nbytes.table_off, err);
}
