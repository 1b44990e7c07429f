/*
 * The naive reader. No expanded name is kept, but hashes of all names are. Each name is expanded
 * once for its hash. The hashes are needed because two entries may represent one name, and for
 * searches by text.
 */
#include "codecs/templight/naive.h"

#include "codecs/templight/names.h"
#include "harness/core/random.h"

/* A name: of an entry, or stored in a record. */
struct naive_name {
    const uint8_t *text; /* NULL: the entry's */
    uint64_t nbytes;
    uint64_t hash;
    uint32_t id;
};

struct naive_trace {
    uint32_t version;
    struct bo_span source;
    struct templight_definitions definitions;
    struct naive_name *names;
    uint32_t n_names;
    size_t cap_names;
    struct templight_record *records;
    size_t n_records, cap_records;
    uint32_t *slots; /* names plus 1, by hash; 0: nothing */
    size_t n_slots;  /* a power of two */
};

struct naive {
    struct bo_arena *arena;
    struct naive_trace *traces;
    size_t n_traces, cap_traces;
    struct templight_task *tasks; /* for the deepest entry */
    size_t cap_tasks;
    uint8_t *buffer; /* for the longest name that is put together, twice */
    size_t cap_buffer;
    uint64_t seed; /* of the hashes; unpredictable */
};

/* ---- putting names together ------------------------------------------------------------------ */

/* The name's text, in the buffer from byte `at` on when it is not in the input. */
static struct bo_span put_together(const struct naive *r, const struct naive_trace *trace,
                                   const struct naive_name *name, size_t at)
{
    if (name->text)
        return (struct bo_span){name->text, (size_t)name->nbytes};
    templight_expand(&trace->definitions, name->id, r->tasks, r->buffer + at);
    return (struct bo_span){r->buffer + at, (size_t)name->nbytes};
}

/* Makes room in the buffer and the stack for any two names of the trace. */
static bool make_room(struct naive *r, const struct naive_trace *trace, uint64_t nbytes)
{
    if (nbytes > SIZE_MAX / 4)
        return false;
    return bo_grow(r->arena, &r->buffer, 0, 2 * (size_t)nbytes, &r->cap_buffer) &&
           bo_grow(r->arena, &r->tasks, 0, trace->definitions.max_depth, &r->cap_tasks);
}

/* ---- names by their texts -------------------------------------------------------------------- */

/*
 * The slot of a text, or the empty one where it would be. The text may lie in the buffer's start.
 */
static uint32_t *find_slot(const struct naive *r, const struct naive_trace *trace,
                           struct bo_span text, uint64_t hash)
{
    size_t i = (size_t)hash & (trace->n_slots - 1);
    for (; trace->slots[i]; i = (i + 1) & (trace->n_slots - 1)) {
        const struct naive_name *name = &trace->names[trace->slots[i] - 1];
        if (name->hash == hash && name->nbytes == text.n &&
            bo_span_equal(put_together(r, trace, name, r->cap_buffer / 2), text))
            break;
    }
    return &trace->slots[i];
}

static bool spread_out(struct naive *r, struct naive_trace *trace)
{
    const size_t n_slots = 2 * trace->n_slots;
    uint32_t *slots = bo_zalloc_array(r->arena, n_slots, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t n = 0; n < trace->n_names; n++) {
        size_t i = (size_t)trace->names[n].hash & (n_slots - 1);
        while (slots[i])
            i = (i + 1) & (n_slots - 1);
        slots[i] = n + 1;
    }
    trace->slots = slots;
    trace->n_slots = n_slots;
    return true;
}

static bool add_name(struct naive *r, struct naive_trace *trace, struct naive_name *name,
                     uint32_t *number_ret)
{
    if (!make_room(r, trace, name->nbytes))
        return false;
    const struct bo_span text = put_together(r, trace, name, 0);
    name->hash = XXH3_64bits_withSeed(text.p, text.n, r->seed);
    uint32_t *slot = find_slot(r, trace, text, name->hash);
    if (*slot) {
        *number_ret = *slot - 1;
        return true;
    }
    const size_t n = trace->n_names;
    if (!bo_grow(r->arena, &trace->names, n, 1, &trace->cap_names))
        return false;
    trace->names[n] = *name;
    *number_ret = trace->n_names++;
    *slot = trace->n_names;
    return trace->n_names <= trace->n_slots / 2 || spread_out(r, trace);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool start_trace(struct naive *r, const struct templight_walk *walk)
{
    enum { FIRST_SLOTS = 64 };
    if (!bo_grow(r->arena, &r->traces, r->n_traces, 1, &r->cap_traces))
        return false;
    const struct templight_counts counts = templight_count_ahead(walk);
    struct naive_trace *trace = &r->traces[r->n_traces++];
    *trace = (struct naive_trace){
        .version = walk->version,
        .source = walk->source,
        .cap_records = counts.n_records,
        .n_slots = 2 * bo_first_cap(r->arena, FIRST_SLOTS / 2),
    };
    trace->slots = bo_zalloc_array(r->arena, trace->n_slots, sizeof *trace->slots);
    trace->records = bo_alloc_array(r->arena, counts.n_records, sizeof *trace->records);
    return trace->slots && trace->records &&
           templight_definitions_init(&trace->definitions, walk->trace.in.n, counts.n_definitions,
                                      r->arena);
}

static enum bo_status take_name(struct naive *r, struct naive_trace *trace,
                                const struct templight_raw_name *raw, uint32_t *number_ret,
                                struct bo_error *err)
{
    struct naive_name name = {.text = raw->text.p, .nbytes = raw->text.n};
    struct templight_definition *definition = NULL;
    if (raw->form == TEMPLIGHT_NAME_IS_COMPRESSED)
        return bo_fail(err, BO_UNSUPPORTED, raw->off, "name is compressed on its own");
    if (raw->form == TEMPLIGHT_NAME_IS_ID) {
        bool is_new;
        const enum bo_status status =
            templight_refer(&trace->definitions, raw, &is_new, &definition, err);
        if (status)
            return status;
        *number_ret = definition->name;
        if (!is_new)
            return BO_OK;
        name = (struct naive_name){.id = raw->id, .nbytes = definition->nbytes};
    }
    if (!add_name(r, trace, &name, number_ret))
        return bo_fail_alloc(err, r->arena);
    if (definition)
        definition->name = *number_ret;
    return BO_OK;
}

static enum bo_status take_record(struct naive *r, const struct templight_walk *walk,
                                  struct bo_error *err)
{
    struct naive_trace *trace = &r->traces[r->n_traces - 1];
    const size_t n = trace->n_records;
    if (!bo_grow(r->arena, &trace->records, n, 1, &trace->cap_records))
        return bo_fail_alloc(err, r->arena);
    struct templight_record *record = &trace->records[n];
    *record = walk->record;
    trace->n_records++;
    return record->is_end ? BO_OK : take_name(r, trace, &walk->name, &record->name, err);
}

enum bo_status templight_open_naive(const struct bo_codec *self, struct bo_span in,
                                    struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct naive *r = bo_zalloc_array(arena, 1, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    r->arena = arena;
    r->seed = bo_mix64((uintptr_t)r);
    r->buffer = bo_alloc(arena, 0);
    if (!r->buffer)
        return bo_fail_alloc(err, arena);
    struct templight_walk walk;
    enum templight_event event;
    templight_walk_init(&walk, in, arena);
    do {
        enum bo_status status = templight_walk_on(&walk, &event, err);
        if (!status && event == TEMPLIGHT_AT_TRACE)
            status = start_trace(r, &walk) ? BO_OK : bo_fail_alloc(err, arena);
        else if (!status && event == TEMPLIGHT_AT_DEFINITION)
            status =
                templight_define(&r->traces[r->n_traces - 1].definitions, &walk.definition, err);
        else if (!status && event == TEMPLIGHT_AT_RECORD)
            status = take_record(r, &walk, err);
        if (status)
            return status;
    } while (event != TEMPLIGHT_AT_END);
    *reader_ret = r;
    return BO_OK;
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool put_name(const struct naive *r, const struct naive_trace *trace,
                     const struct naive_name *name, struct bo_sink *sink)
{
    uint8_t *to = templight_take_text(sink, name->nbytes);
    if (!to)
        return false;
    if (!name->text)
        templight_expand(&trace->definitions, name->id, r->tasks, to);
    else if (name->nbytes)
        memcpy(to, name->text, (size_t)name->nbytes);
    return true;
}

static enum bo_status answer_name(const struct naive *r, const struct templight_name_query *query,
                                  struct bo_sink *sink)
{
    if (query->trace >= r->n_traces || query->name >= r->traces[query->trace].n_names)
        return BO_OUT_OF_RANGE;
    const struct naive_trace *trace = &r->traces[query->trace];
    return put_name(r, trace, &trace->names[query->name], sink) ? BO_OK : BO_OVER_LIMIT;
}

static enum bo_status answer_all(const struct naive *r, struct bo_sink *sink)
{
    for (size_t t = 0; t < r->n_traces; t++) {
        const struct naive_trace *trace = &r->traces[t];
        struct templight_names *head = bo_sink_take(sink, sizeof *head);
        if (!head)
            return BO_OVER_LIMIT;
        head->n = trace->n_names;
        for (uint32_t i = 0; i < trace->n_names; i++)
            if (!put_name(r, trace, &trace->names[i], sink))
                return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static void answer_stream(const struct naive *r, struct templight_digest *digest)
{
    *digest = (struct templight_digest){0};
    for (size_t t = 0; t < r->n_traces; t++) {
        const struct naive_trace *trace = &r->traces[t];
        templight_digest_header(digest, trace->version, trace->source);
        for (size_t i = 0; i < trace->n_records; i++) {
            const struct templight_record *record = &trace->records[i];
            struct bo_span text = {(const uint8_t *)"", 0};
            if (!record->is_end)
                text = put_together(r, trace, &trace->names[record->name], 0);
            templight_digest_record(digest, record, text);
        }
    }
}

static enum bo_status answer_find(const struct naive *r, const struct templight_text_query *query,
                                  uint32_t *answer)
{
    if (query->trace >= r->n_traces)
        return BO_OUT_OF_RANGE;
    const uint64_t hash = XXH3_64bits_withSeed(query->text.p, query->text.n, r->seed);
    const uint32_t slot = *find_slot(r, &r->traces[query->trace], query->text, hash);
    *answer = slot ? slot - 1 : TEMPLIGHT_NONE;
    return BO_OK;
}

enum bo_status templight_query_naive(const struct bo_codec *self, void *reader, unsigned kind,
                                     const void *queries, size_t n, void *answers,
                                     struct bo_error *err)
{
    const struct naive *r = reader;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        switch (kind) {
        case TEMPLIGHT_NAME:
            status = answer_name(r, &((const struct templight_name_query *)queries)[i], answers);
            break;
        case TEMPLIGHT_EXPAND_ALL:
            status = answer_all(r, answers);
            break;
        case TEMPLIGHT_STREAM:
            answer_stream(r, &((struct templight_digest *)answers)[i]);
            break;
        case TEMPLIGHT_FIND:
            status = answer_find(r, &((const struct templight_text_query *)queries)[i],
                                 &((uint32_t *)answers)[i]);
            break;
        default:
            return BO_BAD_USAGE;
        }
    return status;
}
