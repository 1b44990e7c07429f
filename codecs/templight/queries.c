/*
 * The query kinds of Templight: their correct answers and their form on the command line.
 * workloads.c draws queries.
 */
#include "codecs/templight/queries.h"

#include "codecs/templight/workloads.h"
#include "harness/core/text.h"
#include "harness/queries.h"

/* ---- right answers: names -------------------------------------------------------------------- */

static bool put_text(struct bo_sink *sink, struct bo_span name)
{
    const size_t n = (name.n + 7) / 8 * 8;
    struct templight_text *text = bo_sink_take(sink, sizeof *text + n);
    if (!text)
        return false;
    text->nbytes = name.n;
    uint8_t *bytes = (uint8_t *)(text + 1);
    memset(bytes, 0, n);
    for (size_t i = 0; i < name.n; i++)
        bytes[i] = name.p[i];
    return true;
}

static enum bo_status name_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct templight_model *model = opaque;
    const struct templight_name_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        if (q[i].trace >= model->n_traces || q[i].name >= model->traces[q[i].trace].n_names)
            return BO_OUT_OF_RANGE;
        if (!put_text(answers, model->traces[q[i].trace].names[q[i].name]))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

static bool put_names(struct bo_sink *sink, const struct templight_trace *trace)
{
    struct templight_names *names = bo_sink_take(sink, sizeof *names);
    if (!names)
        return false;
    names->n = trace->n_names;
    for (uint32_t i = 0; i < trace->n_names; i++)
        if (!put_text(sink, trace->names[i]))
            return false;
    return true;
}

static enum bo_status expand_all_oracle(const void *opaque, const void *queries, size_t n,
                                        void *answers)
{
    const struct templight_model *model = opaque;
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < model->n_traces; t++)
            if (!put_names(answers, &model->traces[t]))
                return BO_OVER_LIMIT;
    return BO_OK;
}

/* ---- right answers: records ------------------------------------------------------------------ */

static enum bo_status stream_oracle(const void *opaque, const void *queries, size_t n,
                                    void *answers)
{
    const struct templight_model *model = opaque;
    struct templight_digest digest = {0}, *digests = answers;
    for (size_t t = 0; t < model->n_traces; t++) {
        const struct templight_trace *trace = &model->traces[t];
        templight_digest_header(&digest, trace->version, trace->source);
        for (size_t i = 0; i < trace->n_records; i++) {
            const struct templight_record *record = &trace->records[i];
            const struct bo_span none = {NULL, 0};
            templight_digest_record(&digest, record,
                                    record->is_end ? none : trace->names[record->name]);
        }
    }
    for (size_t i = 0; i < n; i++)
        digests[i] = digest;
    return BO_OK;
}

/* ---- right answers: texts -------------------------------------------------------------------- */

static uint32_t find(const struct templight_trace *trace, struct bo_span text)
{
    for (uint32_t i = 0; i < trace->n_names; i++)
        if (bo_span_equal(trace->names[i], text))
            return i;
    return TEMPLIGHT_NONE;
}

static enum bo_status find_oracle(const void *opaque, const void *queries, size_t n, void *answers)
{
    const struct templight_model *model = opaque;
    const struct templight_text_query *q = queries;
    for (size_t i = 0; i < n; i++) {
        if (q[i].trace >= model->n_traces)
            return BO_OUT_OF_RANGE;
        ((uint32_t *)answers)[i] = find(&model->traces[q[i].trace], q[i].text);
    }
    return BO_OK;
}

static bool begins_with(struct bo_span name, struct bo_span text)
{
    return name.n >= text.n && (text.n == 0 || memcmp(name.p, text.p, text.n) == 0);
}

/* Puts a name in its place among the matches, of which the last may fall off. */
static void insert_match(const struct templight_trace *trace, uint32_t name,
                         struct templight_matches *matches)
{
    uint64_t at = matches->n < TEMPLIGHT_N_MATCHES ? matches->n : TEMPLIGHT_N_MATCHES;
    for (; at && bo_span_compare(trace->names[name], trace->names[matches->names[at - 1]]) < 0;
         at--)
        if (at < TEMPLIGHT_N_MATCHES)
            matches->names[at] = matches->names[at - 1];
    if (at < TEMPLIGHT_N_MATCHES)
        matches->names[at] = name;
    matches->n++;
}

static enum bo_status prefix_oracle(const void *opaque, const void *queries, size_t n,
                                    void *answers)
{
    const struct templight_model *model = opaque;
    const struct templight_text_query *q = queries;
    struct templight_matches *matches = answers;
    for (size_t i = 0; i < n; i++) {
        if (q[i].trace >= model->n_traces)
            return BO_OUT_OF_RANGE;
        const struct templight_trace *trace = &model->traces[q[i].trace];
        memset(&matches[i], 0, sizeof matches[i]);
        for (unsigned k = 0; k < TEMPLIGHT_N_MATCHES; k++)
            matches[i].names[k] = TEMPLIGHT_NONE;
        for (uint32_t name = 0; name < trace->n_names; name++)
            if (begins_with(trace->names[name], q[i].text))
                insert_match(trace, name, &matches[i]);
    }
    return BO_OK;
}

/* ---- all queries ----------------------------------------------------------------------------- */

static uint64_t count_names(const void *opaque)
{
    const struct templight_model *model = opaque;
    uint64_t n = 0;
    for (size_t t = 0; t < model->n_traces; t++)
        n += model->traces[t].n_names;
    return n;
}

/* The i-th name of the model; false past the last. */
static bool locate(const struct templight_model *model, uint64_t i,
                   struct templight_name_query *where)
{
    for (size_t t = 0; t < model->n_traces; t++) {
        if (i < model->traces[t].n_names) {
            *where = (struct templight_name_query){(uint32_t)t, (uint32_t)i};
            return true;
        }
        i -= model->traces[t].n_names;
    }
    return false;
}

static bool name_at(const void *model, uint64_t i, void *query)
{
    return locate(model, i, query);
}

/* There are too many texts to list: these are the names of each trace. */
static bool find_at(const void *opaque, uint64_t i, void *query)
{
    const struct templight_model *model = opaque;
    struct templight_text_query *q = query;
    struct templight_name_query where;
    if (!locate(model, i, &where))
        return false;
    memset(q, 0, sizeof *q);
    q->text = model->traces[where.trace].names[where.name];
    q->trace = where.trace;
    return true;
}

static uint64_t count_prefixes(const void *model)
{
    return 2 * count_names(model);
}

/* Each name, then half of it. */
static bool prefix_at(const void *model, uint64_t i, void *query)
{
    struct templight_text_query *q = query;
    if (!find_at(model, i / 2, q))
        return false;
    if (i % 2)
        q->text.n /= 2;
    return true;
}

/* Traces, and names of the first and last trace, that do not exist: just past the end, and far. */
static bool invalid_name_at(const void *opaque, uint64_t i, void *query)
{
    const struct templight_model *model = opaque;
    const uint32_t n_traces = (uint32_t)model->n_traces;
    const uint32_t trace = i < 2 ? (i ? UINT32_MAX : n_traces) : i < 4 ? 0 : n_traces - 1;
    if (i >= 6 || (i >= 2 && n_traces == 0))
        return false;
    const uint32_t name = i < 2 ? 0 : i % 2 ? UINT32_MAX : model->traces[trace].n_names;
    *(struct templight_name_query *)query = (struct templight_name_query){trace, name};
    return true;
}

static bool invalid_text_at(const void *opaque, uint64_t i, void *query)
{
    const struct templight_model *model = opaque;
    struct templight_text_query *q = query;
    if (i >= 2)
        return false;
    memset(q, 0, sizeof *q);
    q->text = bo_span_of("std");
    q->trace = i ? UINT32_MAX : (uint32_t)model->n_traces;
    return true;
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool parse_u32(const char *arg, uint32_t *v_ret)
{
    uint64_t v;
    if (!bo_parse_u64(bo_span_of(arg), UINT32_MAX, &v))
        return false;
    *v_ret = (uint32_t)v;
    return true;
}

static enum bo_status parse_name(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                 struct bo_error *err)
{
    struct templight_name_query *q = query;
    if (n_args != 2 || !parse_u32(args[0], &q->trace) || !parse_u32(args[1], &q->name))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET,
                       "expects the numbers of a trace and of a name, from 0 on");
    return BO_OK;
}

static enum bo_status parse_text(int n_args, char *const *args, struct bo_arena *arena, void *query,
                                 struct bo_error *err)
{
    struct templight_text_query *q = query;
    memset(q, 0, sizeof *q);
    if (n_args != 2 || !parse_u32(args[0], &q->trace))
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET,
                       "expects the number of a trace, from 0 on, and a text");
    q->text = bo_span_of(args[1]);
    return BO_OK;
}

static void put_count(struct bo_writer *out, const char *name, uint64_t v)
{
    bo_put_text(out, "%s %llu\n", name, (unsigned long long)v);
}

/* The text at `p` and the end of its line; returns what follows the text. */
static const uint8_t *put_line(const uint8_t *p, struct bo_writer *out)
{
    struct templight_text text;
    memcpy(&text, p, sizeof text);
    p += sizeof text;
    bo_put_bytes(out, p, (size_t)text.nbytes);
    bo_put_u8(out, '\n');
    return p + templight_padded((size_t)text.nbytes);
}

static void print_name(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    put_line(bytes.p, out);
}

/* For each name its trace, its number, and itself. */
static void print_names(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    const uint8_t *p = bytes.p;
    for (uint64_t t = 0; p < bytes.p + bytes.n && !out->status; t++) {
        struct templight_names names;
        memcpy(&names, p, sizeof names);
        p += sizeof names;
        for (uint64_t i = 0; i < names.n; i++) {
            bo_put_text(out, "%llu %llu ", (unsigned long long)t, (unsigned long long)i);
            p = put_line(p, out);
        }
    }
}

static void print_digest(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    struct templight_digest digest;
    memcpy(&digest, bytes.p, sizeof digest);
    put_count(out, "begins", digest.n_begins);
    put_count(out, "ends", digest.n_ends);
    put_count(out, "name-bytes", digest.name_nbytes);
    bo_put_text(out, "hash 0x%016llx\n", (unsigned long long)digest.hash);
}

static void print_found(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    uint32_t name;
    memcpy(&name, bytes.p, sizeof name);
    if (name == TEMPLIGHT_NONE)
        bo_put_text(out, "no such name\n");
    else
        put_count(out, "name", name);
}

static void print_matches(const void *query, struct bo_span bytes, struct bo_writer *out)
{
    struct templight_matches matches;
    memcpy(&matches, bytes.p, sizeof matches);
    put_count(out, "matches", matches.n);
    for (unsigned i = 0; i < TEMPLIGHT_N_MATCHES && matches.names[i] != TEMPLIGHT_NONE; i++)
        put_count(out, "name", matches.names[i]);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct bo_query_kind templight_kinds[TEMPLIGHT_N_KINDS] = {
    [TEMPLIGHT_NAME] =
        {
            .name = "name",
            .summary = "the text of one name, by its number",
            .usage = "TRACE NAME",
            .query_size = sizeof(struct templight_name_query),
            .workloads = templight_name_workloads,
            .n_workloads = TEMPLIGHT_N_NAME_WORKLOADS,
            .oracle = name_oracle,
            .count = count_names,
            .at = name_at,
            .draw_edges = templight_draw_name_edges,
            .invalid_at = invalid_name_at,
            .parse = parse_name,
            .print = print_name,
        },
    [TEMPLIGHT_EXPAND_ALL] =
        {
            .name = "expand-all",
            .summary = "the texts of all names, in the order of their numbers",
            .oracle = expand_all_oracle,
            .print = print_names,
            BO_WHOLE_QUERY,
        },
    [TEMPLIGHT_STREAM] =
        {
            .name = "stream",
            .summary = "all records in order, each with its name's text, digested",
            .answer_size = sizeof(struct templight_digest),
            .oracle = stream_oracle,
            .print = print_digest,
            BO_WHOLE_QUERY,
        },
    [TEMPLIGHT_FIND] =
        {
            .name = "find",
            .summary = "the number of a name, by its text",
            .usage = "TRACE TEXT",
            .query_size = sizeof(struct templight_text_query),
            .has_text = true,
            .answer_size = sizeof(uint32_t),
            .workloads = templight_find_workloads,
            .n_workloads = TEMPLIGHT_N_FIND_WORKLOADS,
            .oracle = find_oracle,
            .count = count_names,
            .at = find_at,
            .draw_edges = templight_draw_text_edges,
            .invalid_at = invalid_text_at,
            .parse = parse_text,
            .print = print_found,
        },
    [TEMPLIGHT_PREFIX] =
        {
            .name = "prefix",
            .summary = "how many names begin with a text, and the first of them",
            .usage = "TRACE TEXT",
            .query_size = sizeof(struct templight_text_query),
            .has_text = true,
            .answer_size = sizeof(struct templight_matches),
            .workloads = templight_prefix_workloads,
            .n_workloads = TEMPLIGHT_N_PREFIX_WORKLOADS,
            .oracle = prefix_oracle,
            .count = count_prefixes,
            .at = prefix_at,
            .draw_edges = templight_draw_text_edges,
            .invalid_at = invalid_text_at,
            .parse = parse_text,
            .print = print_matches,
        },
};
