/*
 * snapshot-today: the one file of JSON that Trace Compass writes.
 *
 *   {"snapshot_format_version":1,"ssid":"","snapshot_version":0,"timestamp":0,
 *    "attributes":[{"Path":[NAMES],
 *      "Value":{"start":T,"end":E,"quark":Q,"type":CLASS,"value":V}},...],
 *    "fEndTime":T,"fStartTime":T}
 *
 * Attributes come in order of quarks. E is -2^63: the state goes on. CLASS is a class of Java, or
 * null, which has no value. Written as by Gson: doubles that are not finite are bare words, and
 * < > & = ' are escaped.
 */
#include "codecs/statehist/json.h"
#include "codecs/statehist/snapshot/snapshot.h"
#include "harness/core/random.h"
#include "harness/core/text.h"

static const char *const classes[STATEHIST_N_TYPES] = {
    "null",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Double",
    "java.lang.String",
    "java.lang.Boolean",
};

/* The limit for names in all paths: a deep tree has long paths. */
#define MAX_PATH_NAMES (UINT64_C(1) << 26)
static const char too_many_names[] = "paths have more than 2^26 names in all";

/* ---- writing --------------------------------------------------------------------------------- */

static enum bo_status measure_paths(const struct statehist_model *model, uint32_t *depths,
                                    uint32_t *deepest_ret, struct bo_error *err)
{
    uint64_t n = 0;
    *deepest_ret = 0;
    for (uint32_t q = 0; q < model->n_quarks; q++) {
        const uint32_t parent = model->attributes[q].parent;
        depths[q] = parent == STATEHIST_ROOT ? 1 : depths[parent] + 1;
        *deepest_ret = depths[q] > *deepest_ret ? depths[q] : *deepest_ret;
        n += depths[q];
    }
    return n <= MAX_PATH_NAMES ? BO_OK : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, too_many_names);
}

/* `path`: room for a path's quarks. */
static void put_path(const struct statehist_model *model, uint32_t quark, uint32_t depth,
                     uint32_t *path, struct bo_writer *out)
{
    for (uint32_t i = depth; i-- > 0; quark = model->attributes[quark].parent)
        path[i] = quark;
    bo_mark(out, "paths");
    bo_put_text(out, "{\"Path\":[");
    for (uint32_t i = 0; i < depth; i++) {
        if (i)
            bo_put_u8(out, ',');
        statehist_json_put_string(out, model->attributes[path[i]].name, true);
    }
    bo_put_u8(out, ']');
}

static void put_interval(const struct statehist_model *model, uint32_t quark, struct bo_writer *out)
{
    const struct statehist_interval *at = &model->intervals[quark];
    bo_mark(out, "values");
    bo_put_text(out, ",\"Value\":{\"start\":");
    statehist_json_put_integer(out, at->start);
    bo_put_text(out, ",\"end\":");
    statehist_json_put_integer(out, INT64_MIN);
    bo_put_text(out, ",\"quark\":%lu,\"type\":\"%s\"", (unsigned long)quark, classes[at->type]);
    if (at->type != STATEHIST_NULL) {
        bo_put_text(out, ",\"value\":");
        statehist_json_put_value(out, at->type, at->value,
                                 at->type == STATEHIST_STRING ? model->strings[at->value]
                                                              : (struct bo_span){NULL, 0},
                                 true);
    }
    bo_put_text(out, "}}");
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    uint32_t deepest;
    enum bo_status status = statehist_expect_snapshot(model, err);
    if (status)
        return status;
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    uint32_t *depths = bo_alloc_array(out->arena, model->n_quarks, sizeof *depths);
    if (!depths)
        return bo_fail_alloc(err, out->arena);
    status = measure_paths(model, depths, &deepest, err);
    if (status)
        return status;
    uint32_t *path = bo_alloc_array(out->arena, deepest, sizeof *path);
    if (!path)
        return bo_fail_alloc(err, out->arena);
    bo_mark(out, "header");
    bo_put_text(out, "{\"snapshot_format_version\":1,\"ssid\":\"\",\"snapshot_version\":0,"
                     "\"timestamp\":0,\"attributes\":[");
    for (uint32_t q = 0; q < model->n_quarks && !out->status; q++) {
        if (q)
            bo_put_u8(out, ',');
        put_path(model, q, depths[q], path, out);
        put_interval(model, q, out);
    }
    bo_mark(out, "header");
    bo_put_text(out, "],\"fEndTime\":");
    statehist_json_put_integer(out, model->end);
    bo_put_text(out, ",\"fStartTime\":");
    statehist_json_put_integer(out, model->start);
    bo_put_u8(out, '}');
    bo_arena_rewind(out->arena, mark);
    return bo_writer_status(out, err);
}

/* ---- reading: the tree ----------------------------------------------------------------------- */

/* What is read, and attributes by parent and name. */
struct today {
    struct bo_arena *arena;
    struct statehist_instant *snapshot;
    struct statehist_attribute *attributes;
    size_t cap_attributes, cap_values;
    uint32_t *slots;  /* quarks plus 1; 0: nothing */
    size_t n_slots;   /* a power of two */
    uint64_t seed;    /* unpredictable */
    uint64_t n_names; /* of all paths so far */
    int64_t start, end;
    bool has_times; /* of the first attribute: all others must have the same */
    int64_t first_start;
    size_t first_start_off;
};

static uint32_t *slot_of(const struct today *t, uint32_t parent, struct bo_span name)
{
    size_t i =
        (size_t)XXH3_64bits_withSeed(name.p, name.n, bo_mix64(t->seed + parent)) & (t->n_slots - 1);
    for (; t->slots[i]; i = (i + 1) & (t->n_slots - 1)) {
        const struct statehist_attribute *at = &t->attributes[t->slots[i] - 1];
        if (at->parent == parent && bo_span_equal(at->name, name))
            break;
    }
    return &t->slots[i];
}

/* Room for one more. */
static bool make_room(struct today *t)
{
    const uint32_t n = t->snapshot->n_quarks;
    if (!bo_grow(t->arena, &t->attributes, n, 1, &t->cap_attributes) ||
        !bo_grow(t->arena, &t->snapshot->values, n, 1, &t->cap_values))
        return false;
    if (n < t->n_slots / 2)
        return true;
    const size_t n_slots = t->n_slots ? 2 * t->n_slots : 4 * bo_first_cap(t->arena, 16);
    uint32_t *slots = bo_zalloc_array(t->arena, n_slots, sizeof *slots);
    if (!slots)
        return false;
    t->slots = slots;
    t->n_slots = n_slots;
    for (uint32_t q = 0; q < n; q++)
        *slot_of(t, t->attributes[q].parent, t->attributes[q].name) = q + 1;
    return true;
}

/* A path: all of it but the last name must be known. */
static bool read_path(struct statehist_json *j, struct today *t)
{
    const uint32_t quark = t->snapshot->n_quarks;
    struct bo_span name = {NULL, 0}, next;
    uint32_t parent = STATEHIST_ROOT, n = 0;
    size_t off = j->off, next_off;
    if (!statehist_json_take(j, '[', "not a list"))
        return false;
    for (; statehist_json_element(j, n == 0); n++) {
        if (!statehist_json_string(j, &next, &next_off))
            return false;
        if (++t->n_names > MAX_PATH_NAMES)
            return statehist_json_fail(j, BO_UNSUPPORTED, next_off, too_many_names);
        if (next.n && memchr(next.p, '\0', next.n))
            return statehist_json_fail(j, BO_CORRUPT, next_off, "name holds a NUL");
        if (n) {
            const uint32_t slot = *slot_of(t, parent, name);
            if (slot == 0)
                return statehist_json_fail(j, BO_UNSUPPORTED, off,
                                           "path contains a name that is not an earlier attribute");
            parent = slot - 1;
        }
        name = next;
        off = next_off;
    }
    if (j->status)
        return false;
    if (n == 0)
        return statehist_json_fail(j, BO_CORRUPT, j->off - 1, "path without a name");
    uint32_t *slot = slot_of(t, parent, name);
    if (*slot)
        return statehist_json_fail(j, BO_CORRUPT, off, "path occurs twice");
    *slot = quark + 1;
    t->attributes[quark] = (struct statehist_attribute){name, parent};
    return true;
}

/* ---- reading: values ------------------------------------------------------------------------- */

/* An integer and its offset. */
static bool read_number(struct statehist_json *j, int64_t *v_ret, size_t *off_ret)
{
    statehist_json_peek(j);
    *off_ret = j->off;
    return statehist_json_integer(j, INT64_MIN, INT64_MAX, v_ret);
}

/* The value from `at` to `end`, by its class. `at` is empty when the member is missing. */
static bool take_value(struct statehist_json *j, struct statehist_json *at, size_t end,
                       struct bo_span class, size_t class_off, struct statehist_instant_value *v)
{
    v->type = 0;
    while (v->type < STATEHIST_N_TYPES && !bo_word_is(class, classes[v->type]))
        v->type++;
    if (v->type == STATEHIST_N_TYPES)
        return statehist_json_fail(j, BO_UNSUPPORTED, class_off, "unknown class of a value");
    *v = (struct statehist_instant_value){.type = v->type};
    if ((v->type == STATEHIST_NULL) != !at->in.p)
        return statehist_json_fail(j, BO_CORRUPT, class_off,
                                   at->in.p ? "null has a value" : "class without a value");
    return !at->in.p ||
           statehist_json_skipped_value(j, at, end, v->type, true, &v->value, &v->string);
}

static bool read_interval(struct statehist_json *j, struct today *t)
{
    static const char *const members[] = {"start", "end", "quark", "type", "value", NULL};
    enum { ALL_BUT_VALUE = 15 };
    struct statehist_json value = {.off = 0};
    struct bo_span class = {NULL, 0};
    int64_t start = 0, end = 0, quark = 0;
    size_t start_off = 0, end_off = 0, quark_off = 0, class_off = 0, value_end = 0;
    uint32_t seen = 0, which = 0;
    if (!statehist_json_take(j, '{', "not an object"))
        return false;
    while (!j->status && which != STATEHIST_JSON_CLOSED &&
           statehist_json_member(j, members, ALL_BUT_VALUE, &seen, &which))
        if (which == 0)
            read_number(j, &start, &start_off);
        else if (which == 1)
            read_number(j, &end, &end_off);
        else if (which == 2)
            read_number(j, &quark, &quark_off);
        else if (which == 3)
            statehist_json_string(j, &class, &class_off);
        else if (which == 4) {
            statehist_json_peek(j);
            value = *j;
            statehist_json_skip_scalar(j);
            value_end = j->off;
        }
    if (j->status)
        return false;
    if (quark != t->snapshot->n_quarks)
        return statehist_json_fail(j, BO_UNSUPPORTED, quark_off,
                                   "attributes are not in the order of their quarks");
    if (!t->has_times) {
        t->has_times = true;
        t->first_start = start;
        t->first_start_off = start_off;
    }
    if (start != t->first_start)
        return statehist_json_fail(j, BO_CORRUPT, start_off,
                                   "start of an interval differs from the snapshot's");
    if (end != INT64_MIN && end != start)
        return statehist_json_fail(j, BO_CORRUPT, end_off,
                                   "end is neither open nor the time of the snapshot");
    return take_value(j, &value, value_end, class, class_off, &t->snapshot->values[quark]);
}

static bool read_attributes(struct statehist_json *j, struct today *t)
{
    static const char *const members[] = {"Path", "Value", NULL};
    if (!statehist_json_take(j, '[', "not a list"))
        return false;
    for (; statehist_json_element(j, t->snapshot->n_quarks == 0); t->snapshot->n_quarks++) {
        uint32_t seen = 0, which = 0;
        if (t->snapshot->n_quarks == INT32_MAX || !make_room(t)) {
            j->status = bo_fail_alloc(j->err, t->arena);
            return false;
        }
        if (!statehist_json_take(j, '{', "not an object"))
            return false;
        while (!j->status && which != STATEHIST_JSON_CLOSED &&
               statehist_json_member(j, members, 3, &seen, &which))
            if (which == 0)
                read_path(j, t);
            else if (which == 1)
                read_interval(j, t);
        if (j->status)
            return false;
    }
    return !j->status;
}

static enum bo_status read_all(struct statehist_json *j, struct today *t)
{
    static const char *const members[] = {"snapshot_format_version",
                                          "ssid",
                                          "snapshot_version",
                                          "timestamp",
                                          "attributes",
                                          "fEndTime",
                                          "fStartTime",
                                          NULL};
    enum { ALL = 127 };
    struct bo_span ssid;
    int64_t ignored;
    size_t end_off = 0, start_off;
    uint32_t seen = 0, which = 0;
    statehist_json_take(j, '{', "not an object");
    while (!j->status && which != STATEHIST_JSON_CLOSED &&
           statehist_json_member(j, members, ALL, &seen, &which))
        if (which == 0)
            statehist_json_version(j);
        else if (which == 1)
            statehist_json_string(j, &ssid, NULL);
        else if (which == 2 || which == 3)
            statehist_json_integer(j, INT32_MIN, INT32_MAX, &ignored);
        else if (which == 4)
            read_attributes(j, t);
        else if (which == 5)
            read_number(j, &t->end, &end_off);
        else if (which == 6)
            read_number(j, &t->start, &start_off);
    if (!statehist_json_end(j))
        return j->status;
    if (t->end != t->start)
        statehist_json_fail(j, BO_UNSUPPORTED, end_off, "snapshot of more than one instant");
    else if (t->has_times && t->first_start != t->start)
        statehist_json_fail(j, BO_CORRUPT, t->first_start_off,
                            "start of an interval differs from the snapshot's");
    return j->status;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct statehist_instant *snapshot = bo_zalloc_array(arena, 1, sizeof *snapshot);
    struct statehist_json j = {.in = in, .arena = arena, .err = err};
    struct today t = {.arena = arena, .snapshot = snapshot};
    if (!snapshot)
        return bo_fail_alloc(err, arena);
    t.seed = bo_mix64((uintptr_t)snapshot);
    const enum bo_status status = read_all(&j, &t);
    snapshot->time = t.start;
    snapshot->attributes = t.attributes;
    *reader_ret = snapshot;
    return status;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    void *reader = NULL;
    const enum bo_status status = open(self, in, arena, &reader, err);
    return status ? status : statehist_instant_model(reader, arena, model_ret, err);
}

const struct bo_codec statehist_snapshot_today = {
    .name = "snapshot-today",
    .summary = "the one file of JSON that Trace Compass writes as a snapshot",
    .spec = "codecs/statehist/README.md#snapshot-today",
    .choices = "white space and the spelling of JSON",
    .role = BO_STATUS_QUO,
    .access = BO_WHOLE,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .reduce = statehist_reduce_nans,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = statehist_query_instant,
};
