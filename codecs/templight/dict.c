/*
 * dict, dict-wiki, flat, plain: a trace as protocol buffers, with the dictionary that Templight's
 * writer builds, the one that its wiki describes, one of whole names, or no dictionary. And
 * dict-batch, dict-naive: other readers of dict's bytes.
 * The codecs' own reader is sequential, like Templight's: it reads one message after the other
 * and expands names in that order. It keeps the names, and reads the records again for each query
 * on them.
 */
#include "codecs/templight/naive.h"
#include "codecs/templight/names.h"

#define FREE_IN_PROTOBUF "the order of fields, the length of varints, numbers of names"

/* ---- the sequential reader ------------------------------------------------------------------- */

struct sequential {
    struct bo_span in;
    struct bo_arena *arena;
    struct templight_namer *namers;
    size_t n_traces, cap_traces;
};

static enum bo_status take_event(struct sequential *s, const struct templight_walk *walk,
                                 enum templight_event event, struct bo_error *err)
{
    if (event == TEMPLIGHT_AT_TRACE) {
        const struct templight_counts counts = templight_count_ahead(walk);
        if (!bo_grow(s->arena, &s->namers, s->n_traces, 1, &s->cap_traces) ||
            !templight_namer_init(&s->namers[s->n_traces], walk->trace.in.n, counts.n_definitions,
                                  s->arena))
            return bo_fail_alloc(err, s->arena);
        s->n_traces++;
        return BO_OK;
    }
    struct templight_namer *namer = &s->namers[s->n_traces - 1];
    uint32_t name;
    if (event == TEMPLIGHT_AT_DEFINITION)
        return templight_define(&namer->definitions, &walk->definition, err);
    if (event == TEMPLIGHT_AT_RECORD && !walk->record.is_end)
        return templight_number_name(namer, &walk->name, &name, err);
    return BO_OK;
}

static enum bo_status open_sequential(const struct bo_codec *self, struct bo_span in,
                                      struct bo_arena *arena, void **reader_ret,
                                      struct bo_error *err)
{
    struct sequential *s = bo_zalloc_array(arena, 1, sizeof *s);
    if (!s)
        return bo_fail_alloc(err, arena);
    s->in = in;
    s->arena = arena;
    struct templight_walk walk;
    enum templight_event event;
    templight_walk_init(&walk, in, arena);
    do {
        enum bo_status status = templight_walk_on(&walk, &event, err);
        if (!status && event != TEMPLIGHT_AT_END)
            status = take_event(s, &walk, event, err);
        if (status)
            return status;
    } while (event != TEMPLIGHT_AT_END);
    *reader_ret = s;
    return BO_OK;
}

/* Opening has numbered the names, so an entry's text is found by its id. */
static struct bo_span text_of(const struct templight_namer *namer,
                              const struct templight_raw_name *raw)
{
    return raw->form == TEMPLIGHT_NAME_IS_TEXT
               ? raw->text
               : namer->names.texts[namer->definitions.items[raw->id].name];
}

static enum bo_status stream(const struct sequential *s, struct templight_digest *digest,
                             struct bo_error *err)
{
    struct templight_walk walk;
    enum templight_event event;
    size_t n_traces = 0;
    *digest = (struct templight_digest){0};
    templight_walk_init(&walk, s->in, s->arena);
    do {
        const enum bo_status status = templight_walk_on(&walk, &event, err);
        if (status)
            return status;
        if (event == TEMPLIGHT_AT_TRACE) {
            templight_digest_header(digest, walk.version, walk.source);
            n_traces++;
        } else if (event == TEMPLIGHT_AT_RECORD) {
            const struct bo_span none = {(const uint8_t *)"", 0};
            templight_digest_record(
                digest, &walk.record,
                walk.record.is_end ? none : text_of(&s->namers[n_traces - 1], &walk.name));
        }
    } while (event != TEMPLIGHT_AT_END);
    return BO_OK;
}

static enum bo_status query_sequential(const struct bo_codec *self, void *reader, unsigned kind,
                                       const void *queries, size_t n, void *answers,
                                       struct bo_error *err)
{
    const struct sequential *s = reader;
    if (kind != TEMPLIGHT_STREAM)
        return templight_answer_names(s->namers, s->n_traces, kind, queries, n, answers);
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const struct bo_arena_mark mark = bo_arena_mark(s->arena);
        status = stream(s, &((struct templight_digest *)answers)[i], err);
        bo_arena_rewind(s->arena, mark);
    }
    return status;
}

/* ---- the batch reader ------------------------------------------------------------------------ */

static enum bo_status open_batch(const struct bo_codec *self, struct bo_span in,
                                 struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct templight_decoded *decoded = NULL;
    const enum bo_status status = templight_decode_traces(in, arena, &decoded, err);
    *reader_ret = decoded;
    return status;
}

/* ---- the codecs ------------------------------------------------------------------------------ */

static enum bo_status encode(const struct bo_codec *self, const void *model, bool has_dictionary,
                             enum templight_rule rule, struct bo_writer *out, struct bo_error *err)
{
    void *reduced;
    const enum bo_status status =
        templight_without_own_origins(self, model, out->arena, &reduced, err);
    return status ? status : templight_write_traces(reduced, has_dictionary, rule, out, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct templight_decoded *decoded = NULL;
    const enum bo_status status = templight_decode_traces(in, arena, &decoded, err);
    if (!status)
        *model_ret = &decoded->model;
    return status;
}

#define CODEC(symbol, its_name, has_dictionary, rule, its_role, ...)                      \
    static enum bo_status encode_##symbol(const struct bo_codec *self, const void *model, \
                                          struct bo_writer *out, struct bo_error *err)    \
    {                                                                                     \
        return encode(self, model, has_dictionary, rule, out, err);                       \
    }                                                                                     \
    const struct bo_codec templight_##symbol = {                                          \
        .name = its_name,                                                                 \
        .summary = __VA_ARGS__,                                                           \
        .spec = "codecs/templight/README.md#protocol-buffers",                            \
        .choices = FREE_IN_PROTOBUF,                                                      \
        .role = its_role,                                                                 \
        .access = BO_WHOLE,                                                               \
        .kinds = (1u << TEMPLIGHT_N_KINDS) - 1,                                           \
        .reduce = templight_without_own_origins,                                          \
        .encode = encode_##symbol,                                                        \
        .decode = decode,                                                                 \
        .open = open_sequential,                                                          \
        .query = query_sequential,                                                        \
    }

CODEC(dict, "dict", true, TEMPLIGHT_SPLIT_SCOPES, BO_STATUS_QUO,
      "Templight's own: a dictionary of names in pieces, read message by message");
CODEC(dict_wiki, "dict-wiki", true, TEMPLIGHT_SPLIT_WIKI, BO_PROPOSED,
      "the same, split as its wiki says: scopes stay together");
CODEC(flat, "flat", true, TEMPLIGHT_SPLIT_NEVER, BO_CONTROL,
      "the same messages, each name once and whole");
CODEC(plain, "plain", false, TEMPLIGHT_SPLIT_NEVER, BO_CONTROL,
      "the same messages, each record with its name: Templight's mode 0");

const struct bo_codec templight_dict_batch = {
    .name = "dict-batch",
    .summary = "dict, read by loading and expanding everything at first",
    .spec = "codecs/templight/README.md#protocol-buffers",
    .choices = FREE_IN_PROTOBUF,
    .reads = "dict",
    .role = BO_PROPOSED,
    .access = BO_WHOLE,
    .kinds = (1u << TEMPLIGHT_N_KINDS) - 1,
    .reduce = templight_without_own_origins,
    .encode = encode_dict,
    .decode = decode,
    .open = open_batch,
    .query = templight_query_decoded,
};

const struct bo_codec templight_dict_naive = {
    .name = "dict-naive",
    .summary = "dict, read by loading everything and expanding names when they are looked up",
    .spec = "codecs/templight/README.md#protocol-buffers",
    .choices = FREE_IN_PROTOBUF,
    .reads = "dict",
    .role = BO_PROPOSED,
    .access = BO_WHOLE,
    .kinds = 1u << TEMPLIGHT_NAME | 1u << TEMPLIGHT_EXPAND_ALL | 1u << TEMPLIGHT_STREAM |
             1u << TEMPLIGHT_FIND,
    .reduce = templight_without_own_origins,
    .encode = encode_dict,
    .decode = decode,
    .open = templight_open_naive,
    .query = templight_query_naive,
};
