/* The names of a trace, expanded: numbering them while reading, and answering from their table. */
#include "codecs/templight/names.h"

/* ---- numbering names ------------------------------------------------------------------------- */

bool templight_namer_init(struct templight_namer *namer, size_t trace_nbytes, size_t n,
                          struct bo_arena *arena)
{
    *namer = (struct templight_namer){.arena = arena, .cap_texts = n};
    namer->texts = bo_alloc_array(arena, n, sizeof *namer->texts);
    return namer->texts &&
           templight_definitions_init(&namer->definitions, trace_nbytes, n, arena) &&
           bo_texts_init(&namer->names, false, arena);
}

/* Makes room for the texts of all entries so far, and for the deepest one's tasks. */
static bool make_room(struct templight_namer *namer)
{
    const struct templight_definitions *definitions = &namer->definitions;
    if (!bo_grow(namer->arena, &namer->texts, namer->n_texts, definitions->n - namer->n_texts,
                 &namer->cap_texts))
        return false;
    while (namer->n_texts < definitions->n)
        namer->texts[namer->n_texts++] = NULL;
    return bo_grow(namer->arena, &namer->tasks, 0, definitions->max_depth, &namer->cap_tasks);
}

/*
 * Expands an entry that no Begin has had before, unless it is a part of one that has been expanded.
 */
static bool expand(struct templight_namer *namer, uint32_t id, struct bo_span *text)
{
    const uint64_t nbytes = namer->definitions.items[id].nbytes;
    if (!make_room(namer))
        return false;
    if (!namer->texts[id]) {
        uint8_t *to = nbytes <= SIZE_MAX ? bo_alloc(namer->arena, (size_t)nbytes) : NULL;
        if (!to)
            return false;
        templight_expand_once(&namer->definitions, id, namer->tasks, namer->texts, to);
    }
    *text = (struct bo_span){namer->texts[id], (size_t)nbytes};
    return true;
}

enum bo_status templight_number_name(struct templight_namer *namer,
                                     const struct templight_raw_name *raw, uint32_t *number_ret,
                                     struct bo_error *err)
{
    struct templight_definition *definition = NULL;
    struct bo_span text = raw->text;
    if (raw->form == TEMPLIGHT_NAME_IS_COMPRESSED)
        return bo_fail(err, BO_UNSUPPORTED, raw->off, "name is compressed on its own");
    if (raw->form == TEMPLIGHT_NAME_IS_ID) {
        bool is_new;
        const enum bo_status status =
            templight_refer(&namer->definitions, raw, &is_new, &definition, err);
        if (status)
            return status;
        *number_ret = definition->name;
        if (!is_new)
            return BO_OK;
        if (!expand(namer, raw->id, &text))
            return bo_fail_alloc(err, namer->arena);
    }
    if (!bo_texts_add(&namer->names, text, number_ret))
        return bo_fail_alloc(err, namer->arena);
    if (definition)
        definition->name = *number_ret;
    return BO_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

struct decoder {
    struct bo_arena *arena;
    struct templight_trace *traces;
    struct templight_namer *namers;
    size_t n_traces, cap_traces, cap_namers;
    struct templight_record *records; /* of the trace that is being read */
    size_t n_records, cap_records;
};

static bool start_trace(struct decoder *d, const struct templight_walk *walk)
{
    const size_t n = d->n_traces;
    if (!bo_grow(d->arena, &d->traces, n, 1, &d->cap_traces) ||
        !bo_grow(d->arena, &d->namers, n, 1, &d->cap_namers))
        return false;
    d->traces[n] = (struct templight_trace){.version = walk->version, .source = walk->source};
    const struct templight_counts counts = templight_count_ahead(walk);
    d->n_records = 0;
    d->cap_records = counts.n_records;
    d->records = bo_alloc_array(d->arena, counts.n_records, sizeof *d->records);
    return d->records &&
           templight_namer_init(&d->namers[n], walk->trace.in.n, counts.n_definitions, d->arena);
}

static enum bo_status add_record(struct decoder *d, const struct templight_walk *walk,
                                 struct bo_error *err)
{
    if (!bo_grow(d->arena, &d->records, d->n_records, 1, &d->cap_records))
        return bo_fail_alloc(err, d->arena);
    struct templight_record *record = &d->records[d->n_records++];
    *record = walk->record;
    return record->is_end
               ? BO_OK
               : templight_number_name(&d->namers[d->n_traces], &walk->name, &record->name, err);
}

static void end_trace(struct decoder *d, const struct templight_walk *walk)
{
    struct templight_trace *trace = &d->traces[d->n_traces];
    trace->names = d->namers[d->n_traces].names.texts;
    trace->n_names = d->namers[d->n_traces].names.n;
    trace->files = walk->files.texts;
    trace->n_files = walk->files.n;
    trace->records = d->records;
    trace->n_records = d->n_records;
    d->n_traces++;
}

static enum bo_status take(struct decoder *d, const struct templight_walk *walk,
                           enum templight_event event, struct bo_error *err)
{
    switch (event) {
    case TEMPLIGHT_AT_TRACE:
        return start_trace(d, walk) ? BO_OK : bo_fail_alloc(err, d->arena);
    case TEMPLIGHT_AT_DEFINITION:
        return templight_define(&d->namers[d->n_traces].definitions, &walk->definition, err);
    case TEMPLIGHT_AT_RECORD:
        return add_record(d, walk, err);
    case TEMPLIGHT_AT_TRACE_END:
        end_trace(d, walk);
        return BO_OK;
    case TEMPLIGHT_AT_END:
        break;
    }
    return BO_OK;
}

enum bo_status templight_decode_traces(struct bo_span in, struct bo_arena *arena,
                                       struct templight_decoded **decoded_ret, struct bo_error *err)
{
    struct decoder d = {.arena = arena};
    struct templight_walk walk;
    enum templight_event event;
    templight_walk_init(&walk, in, arena);
    do {
        enum bo_status status = templight_walk_on(&walk, &event, err);
        if (!status)
            status = take(&d, &walk, event, err);
        if (status)
            return status;
    } while (event != TEMPLIGHT_AT_END);
    struct templight_decoded *decoded = bo_alloc(arena, sizeof *decoded);
    if (!decoded)
        return bo_fail_alloc(err, arena);
    *decoded = (struct templight_decoded){{d.n_traces, d.traces}, d.namers};
    *decoded_ret = decoded;
    return BO_OK;
}

/* ---- answers --------------------------------------------------------------------------------- */

uint8_t *templight_take_text(struct bo_sink *sink, uint64_t nbytes)
{
    const size_t padded = templight_padded((size_t)nbytes);
    if (nbytes > sink->cap)
        return NULL;
    struct templight_text *text = bo_sink_take(sink, sizeof *text + padded);
    if (!text)
        return NULL;
    uint8_t *to = (uint8_t *)(text + 1);
    text->nbytes = nbytes;
    memset(to + nbytes, 0, padded - (size_t)nbytes);
    return to;
}

static bool put_text(struct bo_sink *sink, struct bo_span text)
{
    uint8_t *to = templight_take_text(sink, text.n);
    if (to && text.n)
        memcpy(to, text.p, text.n);
    return to != NULL;
}

static bool put_all(struct bo_sink *sink, const struct bo_texts *names)
{
    struct templight_names *head = bo_sink_take(sink, sizeof *head);
    if (!head)
        return false;
    head->n = names->n;
    for (uint32_t i = 0; i < names->n; i++)
        if (!put_text(sink, names->texts[i]))
            return false;
    return true;
}

/* Puts a name among the first matches, when it is one of them. */
static void add_match(const struct bo_texts *names, uint32_t name,
                      struct templight_matches *matches)
{
    size_t i = matches->n < TEMPLIGHT_N_MATCHES ? (size_t)matches->n : TEMPLIGHT_N_MATCHES;
    matches->n++;
    for (; i > 0; i--) {
        const uint32_t before = matches->names[i - 1];
        if (bo_span_compare(names->texts[before], names->texts[name]) < 0)
            break;
        if (i < TEMPLIGHT_N_MATCHES)
            matches->names[i] = before;
    }
    if (i < TEMPLIGHT_N_MATCHES)
        matches->names[i] = name;
}

/* The table is in the order of use, so all of it is searched. */
static void answer_prefix(const struct bo_texts *names, struct bo_span prefix,
                          struct templight_matches *matches)
{
    matches->n = 0;
    for (size_t i = 0; i < TEMPLIGHT_N_MATCHES; i++)
        matches->names[i] = TEMPLIGHT_NONE;
    for (uint32_t i = 0; i < names->n; i++) {
        const struct bo_span text = names->texts[i];
        if (text.n >= prefix.n && (prefix.n == 0 || memcmp(text.p, prefix.p, prefix.n) == 0))
            add_match(names, i, matches);
    }
}

static enum bo_status answer_name(const struct templight_namer *namers, size_t n_traces,
                                  const struct templight_name_query *query, struct bo_sink *sink)
{
    if (query->trace >= n_traces || query->name >= namers[query->trace].names.n)
        return BO_OUT_OF_RANGE;
    return put_text(sink, namers[query->trace].names.texts[query->name]) ? BO_OK : BO_OVER_LIMIT;
}

static enum bo_status answer_all(const struct templight_namer *namers, size_t n_traces,
                                 struct bo_sink *sink)
{
    for (size_t t = 0; t < n_traces; t++)
        if (!put_all(sink, &namers[t].names))
            return BO_OVER_LIMIT;
    return BO_OK;
}

enum bo_status templight_answer_names(const struct templight_namer *namers, size_t n_traces,
                                      unsigned kind, const void *queries, size_t n, void *answers)
{
    const struct templight_text_query *texts = queries;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        if (kind == TEMPLIGHT_NAME)
            status = answer_name(namers, n_traces,
                                 &((const struct templight_name_query *)queries)[i], answers);
        else if (kind == TEMPLIGHT_EXPAND_ALL)
            status = answer_all(namers, n_traces, answers);
        else if (texts[i].trace >= n_traces)
            status = BO_OUT_OF_RANGE;
        else if (kind == TEMPLIGHT_FIND)
            ((uint32_t *)answers)[i] = bo_texts_find(&namers[texts[i].trace].names, texts[i].text);
        else if (kind == TEMPLIGHT_PREFIX)
            answer_prefix(&namers[texts[i].trace].names, texts[i].text,
                          &((struct templight_matches *)answers)[i]);
        else
            status = BO_BAD_USAGE;
    }
    return status;
}

static void stream_decoded(const struct templight_model *model, struct templight_digest *digest)
{
    *digest = (struct templight_digest){0};
    for (size_t t = 0; t < model->n_traces; t++) {
        const struct templight_trace *trace = &model->traces[t];
        const struct bo_span none = {(const uint8_t *)"", 0};
        templight_digest_header(digest, trace->version, trace->source);
        for (size_t r = 0; r < trace->n_records; r++) {
            const struct templight_record *record = &trace->records[r];
            templight_digest_record(digest, record,
                                    record->is_end ? none : trace->names[record->name]);
        }
    }
}

enum bo_status templight_query_decoded(const struct bo_codec *self, void *reader, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err)
{
    const struct templight_decoded *decoded = reader;
    if (kind != TEMPLIGHT_STREAM)
        return templight_answer_names(decoded->namers, decoded->model.n_traces, kind, queries, n,
                                      answers);
    for (size_t i = 0; i < n; i++)
        stream_decoded(&decoded->model, &((struct templight_digest *)answers)[i]);
    return BO_OK;
}
