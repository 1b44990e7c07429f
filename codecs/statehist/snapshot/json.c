/*
 * snapshot-json: the proposal's snapshot, three files of JSON: types.json, tree.json, state.json.
 *   state.json = {"format":"tc-state","version":1,"time":T,"values":[{"key":0,"value":V},...]}
 * A value fits the type that types.json declares. Where that type is any, the value has a "type"
 * member beside it. A value may also have a "since" member, the start of the state. It is checked
 * and not kept.
 */
#include "codecs/statehist/json.h"
#include "codecs/statehist/parts.h"
#include "codecs/statehist/snapshot/snapshot.h"

/* ---- writing --------------------------------------------------------------------------------- */

static void put_state(const struct statehist_model *model, struct bo_writer *out)
{
    bo_mark(out, "state");
    bo_put_text(out, "{\"format\":\"tc-state\",\"version\":1,\"time\":");
    statehist_json_put_integer(out, model->start);
    bo_put_text(out, ",\"values\":[");
    for (uint32_t q = 0; q < model->n_quarks && !out->status; q++) {
        const struct statehist_interval *at = &model->intervals[q];
        bo_put_text(out, "%s{\"key\":%lu,\"value\":", q ? "," : "", (unsigned long)q);
        statehist_json_put_value(out, at->type, at->value,
                                 at->type == STATEHIST_STRING ? model->strings[at->value]
                                                              : (struct bo_span){NULL, 0},
                                 false);
        bo_put_u8(out, '}');
    }
    bo_put_text(out, "]}");
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    size_t head;
    enum bo_status status = statehist_expect_snapshot(model, err);
    if (status)
        return status;
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    const uint8_t *types = statehist_declare_types(model, false, out->arena);
    if (!types)
        return bo_fail_alloc(err, out->arena);
    statehist_put_parts(out, 3, &head);
    statehist_put_types_json(types, model->n_quarks, out);
    statehist_end_part(out, head, 0);
    bo_arena_rewind(out->arena, mark);
    status = statehist_put_tree_json(model, out, err);
    if (status)
        return status;
    statehist_end_part(out, head, 1);
    put_state(model, out);
    statehist_end_part(out, head, 2);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct state {
    struct statehist_instant *snapshot;
    const uint8_t *types; /* declared */
    bool *met;            /* by quark */
    int64_t last_since;   /* the latest */
    size_t last_since_off;
    bool has_since;
};

/* An element of the list, before it is known which key it has. */
struct element {
    uint32_t key;
    size_t key_off;
    struct statehist_json value; /* a reader positioned at its first byte */
    size_t value_end;
    struct bo_span type;
    size_t type_off;
    bool has_type, has_since;
    int64_t since;
    size_t since_off;
};

static bool read_members(struct statehist_json *j, struct element *element)
{
    static const char *const members[] = {"key", "value", "type", "since", NULL};
    uint32_t seen = 0, which;
    if (!statehist_json_take(j, '{', "not an object"))
        return false;
    while (statehist_json_member(j, members, 3, &seen, &which)) {
        if (which == STATEHIST_JSON_CLOSED)
            return true;
        if (which == 0) {
            statehist_json_key(j, &element->key, &element->key_off);
        } else if (which == 1) {
            statehist_json_peek(j);
            element->value = *j;
            statehist_json_skip_scalar(j);
            element->value_end = j->off;
        } else if (which == 2) {
            element->has_type = true;
            statehist_json_string(j, &element->type, &element->type_off);
        } else {
            statehist_json_peek(j);
            element->has_since = true;
            element->since_off = j->off;
            statehist_json_integer(j, INT64_MIN, INT64_MAX, &element->since);
        }
    }
    return false;
}

static bool place_value(struct statehist_json *j, struct state *s, struct element *element)
{
    const uint32_t quark = element->key;
    if (quark >= s->snapshot->n_quarks)
        return statehist_json_fail(j, BO_CORRUPT, element->key_off,
                                   "key is not a quark of this snapshot");
    if (s->met[quark])
        return statehist_json_fail(j, BO_CORRUPT, element->key_off, "duplicate key");
    s->met[quark] = true;
    uint8_t type = s->types[quark];
    if (type == STATEHIST_ANY && !element->has_type)
        return statehist_json_fail(j, BO_CORRUPT, element->key_off,
                                   "value has no type, and its quark declares none");
    if (type != STATEHIST_ANY && element->has_type)
        return statehist_json_fail(j, BO_CORRUPT, element->type_off,
                                   "value has a type, but the type of its quark is declared");
    if (element->has_type && !statehist_type_of(element->type, false, &type))
        return statehist_json_fail(j, BO_UNSUPPORTED, element->type_off, "unknown type");
    struct statehist_instant_value *v = &s->snapshot->values[quark];
    /* null has no type of its own, unless a "type" member gives one */
    if (statehist_json_peek(&element->value) == 'n' && !element->has_type)
        type = STATEHIST_NULL;
    v->type = type;
    return statehist_json_skipped_value(j, &element->value, element->value_end, type, false,
                                        &v->value, &v->string);
}

static bool read_values(struct statehist_json *j, struct state *s)
{
    size_t n = 0;
    if (!statehist_json_take(j, '[', "not a list"))
        return false;
    for (; statehist_json_element(j, n == 0); n++) {
        struct element element = {.has_type = false};
        if (!read_members(j, &element) || !place_value(j, s, &element))
            return false;
        if (element.has_since && (!s->has_since || element.since > s->last_since)) {
            s->has_since = true;
            s->last_since = element.since;
            s->last_since_off = element.since_off;
        }
    }
    return !j->status && (n == s->snapshot->n_quarks ||
                          statehist_json_fail(j, BO_CORRUPT, j->off - 1, "a key has no value"));
}

static bool read_state_member(struct statehist_json *j, uint32_t which, void *context)
{
    struct state *s = context;
    return which == 2 ? statehist_json_integer(j, INT64_MIN, INT64_MAX, &s->snapshot->time)
                      : read_values(j, s);
}

static enum bo_status read_state(const struct statehist_part *part, const uint8_t *types,
                                 struct statehist_instant *snapshot, struct bo_arena *arena,
                                 struct bo_error *err)
{
    static const char *const members[] = {"format", "version", "time", "values", NULL};
    struct statehist_json j = {.in = part->in, .base = part->off, .arena = arena, .err = err};
    struct state s = {.snapshot = snapshot, .types = types};
    snapshot->values = bo_zalloc_array(arena, snapshot->n_quarks, sizeof *snapshot->values);
    s.met = bo_zalloc_array(arena, snapshot->n_quarks, sizeof *s.met);
    if (!snapshot->values || !s.met)
        return bo_fail_alloc(err, arena);
    if (!statehist_json_document(&j, "tc-state", members, read_state_member, &s) && s.has_since &&
        s.last_since > snapshot->time)
        statehist_json_fail(&j, BO_CORRUPT, s.last_since_off, "state began after the snapshot");
    return j.status;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct statehist_part parts[STATEHIST_MAX_PARTS];
    struct statehist_instant *snapshot = bo_zalloc_array(arena, 1, sizeof *snapshot);
    struct statehist_attribute *attributes = NULL;
    uint8_t *types = NULL;
    if (!snapshot)
        return bo_fail_alloc(err, arena);
    enum bo_status status = statehist_get_parts(in, 3, parts, err);
    if (!status)
        status = statehist_read_types_json(&parts[0], arena, &types, &snapshot->n_quarks, err);
    if (!status)
        status = statehist_read_tree_json(&parts[1], snapshot->n_quarks, arena, &attributes, err);
    if (!status)
        status = read_state(&parts[2], types, snapshot, arena, err);
    snapshot->attributes = attributes;
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

const struct bo_codec statehist_snapshot_json = {
    .name = "snapshot-json",
    .summary = "the proposal's snapshot: types.json, tree.json, state.json",
    .spec = "codecs/statehist/README.md#snapshot-json",
    .choices = "white space and the spelling of JSON",
    .role = BO_PROPOSED,
    .access = BO_WHOLE,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .reduce = statehist_reduce_nans,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = statehist_query_instant,
};
