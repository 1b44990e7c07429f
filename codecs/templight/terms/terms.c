/*
 * terms: names as terms, records by what followed the last time. README.md specifies the layout.
 *
 *   0  "TLtm"
 *   4  u32  traces
 *      each trace:
 *        u32 version, u32 names, u32 files, u32 bytes of each of the next four parts
 *        source, names (put.c), files, records (records_put.c)
 */
#include "codecs/templight/model.h"
#include "codecs/templight/names.h"
#include "codecs/templight/terms/history.h"
#include "codecs/templight/terms/kept.h"
#include "codecs/templight/terms/records.h"
#include "codecs/templight/terms/terms.h"

enum {
    MAGIC_NBYTES = 4,
    HEAD_NBYTES = 8,
    N_PARTS = 4,
    TRACE_NBYTES = 12 + 4 * N_PARTS,
    PART_SOURCE = 0,
    PART_NAMES,
    PART_FILES,
    PART_RECORDS,
};

static const uint8_t magic[MAGIC_NBYTES] = {'T', 'L', 't', 'm'};

/* ---- writing --------------------------------------------------------------------------------- */

static enum bo_status put_files(const struct templight_trace *trace,
                                struct templight_totals *totals, struct bo_writer *out,
                                struct bo_error *err)
{
    struct templight_text_plan plan;
    struct templight_bit_writer w = {.out = out};
    if (trace->n_files == 0)
        return BO_OK;
    const enum bo_status status =
        templight_plan_texts(trace->files, trace->n_files, out->arena, &plan, err);
    if (status)
        return status;
    for (uint32_t i = 0; i < trace->n_files; i++)
        totals->files_nbytes += trace->files[i].n;
    const uint64_t most = bo_max_text_nbytes(out->n);
    /* More than a reader accepts. Without a grammar, a byte spells at most eight. */
    if (plan.has_grammar &&
        (totals->phrases_nbytes + plan.grammar.text_nbytes > most || totals->files_nbytes > most))
        plan.has_grammar = false;
    totals->phrases_nbytes += plan.has_grammar ? plan.grammar.text_nbytes : 0;
    templight_put_texts_grammar(&plan, "locations", out);
    for (uint32_t i = 0; i < trace->n_files; i++)
        templight_put_text(&w, &plan, i);
    templight_end_bits(&w);
    return totals->files_nbytes <= bo_max_text_nbytes(out->n)
               ? BO_OK
               : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "names of files take 2 GiB or more");
}

static enum bo_status put_trace(const struct templight_trace *trace,
                                struct templight_totals *totals, struct bo_writer *out,
                                struct bo_error *err)
{
    size_t ends[N_PARTS + 1];
    bo_mark(out, "header");
    const size_t head = out->n;
    bo_put_zeros(out, TRACE_NBYTES);
    ends[0] = out->n;
    bo_put_bytes(out, trace->source.p, trace->source.n);
    ends[1] = out->n;
    enum bo_status status = templight_put_terms(trace, totals, out, err);
    ends[2] = out->n;
    if (!status)
        status = put_files(trace, totals, out, err);
    ends[3] = out->n;
    if (!status)
        status = templight_put_records(trace, out, err);
    ends[4] = out->n;
    if (status || out->status)
        return status ? status : bo_writer_status(out, err);
    bo_set_le32(out->p + head, trace->version);
    bo_set_le32(out->p + head + 4, trace->n_names);
    bo_set_le32(out->p + head + 8, trace->n_files);
    for (unsigned i = 0; i < N_PARTS; i++) {
        if (ends[i + 1] - ends[i] > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "part of a trace takes 4 GiB or more");
        bo_set_le32(out->p + head + 12 + 4 * i, (uint32_t)(ends[i + 1] - ends[i]));
    }
    return BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct templight_model *m = model;
    struct templight_totals totals = {0};
    bo_mark(out, "header");
    bo_put_bytes(out, magic, sizeof magic);
    bo_put_le32(out, (uint32_t)m->n_traces);
    for (size_t i = 0; i < m->n_traces; i++) {
        const struct bo_arena_mark mark = bo_arena_mark(out->arena);
        const enum bo_status status = put_trace(&m->traces[i], &totals, out, err);
        if (status)
            return status;
        bo_arena_rewind(out->arena, mark);
    }
    return bo_writer_status(out, err);
}

/* ---- opening --------------------------------------------------------------------------------- */

#define TOO_MANY_FILES "number of files exceeds what their bits can hold"

struct trace {
    uint32_t version, n_files;
    struct bo_span source;
    size_t names_off, files_off, files_nbytes;
    struct templight_terms terms;
    struct templight_records records;
    struct terms_kept kept;
};

struct reader {
    struct bo_span in;
    struct bo_arena *arena;
    struct trace *traces;
    uint32_t n_traces;
    size_t keep_left; /* bytes that it may keep beside what it keeps */
    struct templight_totals totals;
};

static enum bo_status open_trace(struct reader *r, struct bo_cursor *c, struct trace *trace,
                                 struct bo_error *err)
{
    const struct bo_span in = r->in;
    const uint8_t *head, *parts[N_PARTS];
    size_t nbytes[N_PARTS];
    if (!bo_get_bytes(c, TRACE_NBYTES, &head))
        return bo_fail_here(err, BO_TRUNCATED, c, "file ends inside a trace's header");
    for (unsigned i = 0; i < N_PARTS; i++) {
        nbytes[i] = bo_le32(head + 12 + 4 * i);
        if (!bo_get_bytes(c, nbytes[i], &parts[i]))
            return bo_fail_here(err, BO_TRUNCATED, c, "file ends inside a trace");
    }
    trace->version = bo_le32(head);
    trace->n_files = bo_le32(head + 8);
    trace->source = (struct bo_span){parts[PART_SOURCE], nbytes[PART_SOURCE]};
    trace->files_off = (size_t)(parts[PART_FILES] - in.p);
    trace->files_nbytes = nbytes[PART_FILES];
    /* Queries allocate room for numbers of files without reading the files. */
    if (trace->n_files > 2 * (uint64_t)trace->files_nbytes)
        return bo_fail(err, BO_CORRUPT, trace->files_off, TOO_MANY_FILES);
    size_t off = trace->names_off = (size_t)(parts[PART_NAMES] - in.p);
    const size_t end = off + nbytes[PART_NAMES], records = (size_t)(parts[PART_RECORDS] - in.p);
    const uint32_t n_names = bo_le32(head + 4);
    enum bo_status status =
        templight_open_terms(in, &off, end, n_names, &r->totals, r->arena, &trace->terms, err);
    if (!status && off != end)
        return bo_fail(err, BO_CORRUPT, off, "bytes after the names");
    if (!status)
        status = templight_open_records(in, records, nbytes[PART_RECORDS], n_names, trace->n_files,
                                        &trace->records, err);
    return status;
}

static enum bo_status open_file(const struct bo_codec *self, struct bo_span in,
                                struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    const uint8_t *head;
    if (!bo_get_bytes(&c, HEAD_NBYTES, &head))
        return bo_fail(err, BO_TRUNCATED, 0, "file ends inside its header");
    if (memcmp(head, magic, sizeof magic) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "magic number is not that of terms");
    struct reader *r = bo_zalloc_array(arena, 1, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    *r = (struct reader){.in = in,
                         .arena = arena,
                         .n_traces = bo_le32(head + MAGIC_NBYTES),
                         .keep_left = arena->keep_nbytes};
    if (r->n_traces > bo_left(&c) / TRACE_NBYTES)
        return bo_fail(err, BO_TRUNCATED, MAGIC_NBYTES, "file is too short for its traces");
    r->traces = bo_zalloc_array(arena, r->n_traces, sizeof *r->traces);
    if (!r->traces)
        return bo_fail_alloc(err, arena);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < r->n_traces; i++) {
        const enum bo_status status = open_trace(r, &c, &r->traces[i], err);
        if (status)
            return status;
        const struct templight_terms *terms = &r->traces[i].terms;
        longest = terms->longest > longest ? terms->longest : longest;
    }
    if (bo_left(&c))
        return bo_fail_here(err, BO_CORRUPT, &c, "bytes after the last trace");
    uint8_t *buffer = bo_alloc(arena, (size_t)longest + TEMPLIGHT_SLACK);
    if (!buffer)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < r->n_traces; i++)
        r->traces[i].terms.buffer = buffer;
    *reader_ret = r;
    return BO_OK;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Spells a name into the buffer. */
static enum bo_status spell_name(struct trace *trace, uint32_t name, struct bo_span *text_ret,
                                 struct bo_error *err)
{
    uint8_t *const buffer = trace->terms.buffer;
    uint32_t n = 0;
    trace->kept.n_spelled++;
    const enum bo_status status = templight_spell_name(&trace->terms, name, NULL, buffer, &n, err);
    *text_ret = (struct bo_span){buffer, n};
    return status;
}

/* Spells into the answer, or into the buffer first if the answer is too close to the sink's end. */
static enum bo_status answer_name(struct reader *r, const struct templight_name_query *query,
                                  struct bo_sink *sink, struct bo_error *err)
{
    if (query->trace >= r->n_traces || query->name >= r->traces[query->trace].terms.n_names)
        return BO_OUT_OF_RANGE;
    struct trace *trace = &r->traces[query->trace];
    struct templight_terms *terms = &trace->terms;
    if (trace->kept.texts) {
        const uint32_t *place = &trace->kept.places[query->name];
        const size_t nbytes = 8 * (size_t)(place[1] - place[0]);
        uint8_t *to = bo_sink_take(sink, nbytes);
        if (!to)
            return BO_OVER_LIMIT;
        memcpy(to, trace->kept.texts + 8 * (size_t)place[0], nbytes);
        return BO_OK;
    }
    trace->kept.n_spelled++;
    const bool direct = templight_has_room(terms, sink->cap - sink->n);
    uint8_t *text = direct ? sink->p + sink->n + sizeof(struct templight_text) : terms->buffer;
    uint32_t n;
    const enum bo_status status = templight_spell_name(terms, query->name, NULL, text, &n, err);
    if (status)
        return status;
    if (direct) {
        sink->n += templight_frame_text(text, n);
        return BO_OK;
    }
    uint8_t *to = templight_take_text(sink, n);
    if (!to)
        return BO_OVER_LIMIT;
    memcpy(to, text, n);
    return BO_OK;
}

static enum bo_status answer_all(struct reader *r, struct bo_sink *sink, struct bo_error *err)
{
    for (uint32_t t = 0; t < r->n_traces; t++) {
        struct trace *trace = &r->traces[t];
        struct templight_names *head = bo_sink_take(sink, sizeof *head);
        uint64_t n;
        if (!head)
            return BO_OVER_LIMIT;
        head->n = trace->terms.n_names;
        if (trace->kept.texts) {
            const size_t nbytes = 8 * (size_t)trace->kept.places[head->n];
            uint8_t *to = bo_sink_take(sink, nbytes);
            if (!to)
                return BO_OVER_LIMIT;
            memcpy(to, trace->kept.texts, nbytes);
            continue;
        }
        trace->kept.n_spelled += head->n;
        const enum bo_status status = templight_spell_all(
            &trace->terms, r->arena, (struct templight_all_names){.framed = true},
            sink->p + sink->n, sink->cap - sink->n, NULL, &n, err);
        if (status)
            return status;
        sink->n += (size_t)n;
    }
    return BO_OK;
}

struct streaming {
    struct templight_digest *digest;
    const struct bo_span *names;
};

static enum bo_status digest_record(void *context, const struct templight_record *record,
                                    struct bo_error *err)
{
    const struct streaming *s = context;
    const struct bo_span none = {(const uint8_t *)"", 0};
    templight_digest_record(s->digest, record, record->is_end ? none : s->names[record->name]);
    return BO_OK;
}

/* The same for all records whose events are kept, in one loop. */
static void digest_kept(const struct trace *trace, const struct bo_span *names,
                        struct templight_digest *digest_ret)
{
    static const struct bo_span none = {(const uint8_t *)"", 0};
    const struct templight_events events = trace->records.events;
    struct templight_digest digest = *digest_ret;
    for (uint32_t i = 0; i < trace->records.n_records; i++) {
        struct templight_record record;
        terms_set_record(events.items[i], events.tuples, events.locations, &record);
        templight_digest_record(&digest, &record, record.is_end ? none : names[record.name]);
    }
    *digest_ret = digest;
}

static enum bo_status answer_stream(struct reader *r, struct templight_digest *digest,
                                    struct bo_error *err)
{
    *digest = (struct templight_digest){0};
    for (uint32_t t = 0; t < r->n_traces; t++) {
        struct trace *trace = &r->traces[t];
        struct bo_span *names;
        enum bo_status status =
            terms_list_names(&trace->kept, &trace->terms, r->arena, false, &names, err);
        if (status)
            return status;
        struct streaming streaming = {digest, names};
        templight_digest_header(digest, trace->version, trace->source);
        if (trace->records.events.items && !trace->records.events.has_times)
            digest_kept(trace, names, digest);
        else
            status =
                templight_each_record(&trace->records, r->arena, digest_record, &streaming, err);
        if (status)
            return status;
    }
    return BO_OK;
}

/* Names that have the text's fingerprint are spelled and compared. */
static enum bo_status answer_find(struct reader *r, const struct templight_text_query *query,
                                  uint32_t *answer, struct bo_error *err)
{
    if (query->trace >= r->n_traces)
        return BO_OUT_OF_RANGE;
    struct trace *trace = &r->traces[query->trace];
    const struct templight_terms *terms = &trace->terms;
    *answer = TEMPLIGHT_NONE;
    if (terms->n_names == 0 || query->text.n > terms->longest)
        return BO_OK;
    if (trace->kept.slots)
        return terms_find_kept(&trace->kept, &trace->terms, query->text, answer, err);
    const uint8_t fingerprint = templight_fingerprint(query->text);
    const uint8_t *p = terms->fingerprints, *const end = p + terms->n_names;
    for (; p < end && (p = memchr(p, fingerprint, (size_t)(end - p))); p++) {
        struct bo_span text;
        const uint32_t name = (uint32_t)(p - terms->fingerprints);
        const enum bo_status status = spell_name(trace, name, &text, err);
        if (status)
            return status;
        if (bo_span_equal(text, query->text)) {
            *answer = name;
            break;
        }
    }
    return BO_OK;
}

/* Keeps the first of the matches in the order of their texts. */
static void keep_match(struct templight_matches *matches, const struct bo_span *names,
                       uint32_t name)
{
    uint64_t i = matches->n < TEMPLIGHT_N_MATCHES ? matches->n : TEMPLIGHT_N_MATCHES;
    matches->n++;
    if (i == TEMPLIGHT_N_MATCHES && bo_span_compare(names[name], names[matches->names[i - 1]]) >= 0)
        return;
    i -= i == TEMPLIGHT_N_MATCHES;
    for (; i > 0 && bo_span_compare(names[name], names[matches->names[i - 1]]) < 0; i--)
        matches->names[i] = matches->names[i - 1];
    matches->names[i] = name;
}

static enum bo_status answer_prefix(struct reader *r, const struct templight_text_query *query,
                                    struct templight_matches *matches, struct bo_error *err)
{
    if (query->trace >= r->n_traces)
        return BO_OUT_OF_RANGE;
    struct trace *trace = &r->traces[query->trace];
    struct bo_span *names;
    const enum bo_status status =
        terms_list_names(&trace->kept, &trace->terms, r->arena, false, &names, err);
    if (status)
        return status;
    matches->n = 0;
    for (unsigned i = 0; i < TEMPLIGHT_N_MATCHES; i++)
        matches->names[i] = TEMPLIGHT_NONE;
    for (uint32_t i = 0; i < trace->terms.n_names; i++)
        if (names[i].n >= query->text.n &&
            (query->text.n == 0 || memcmp(names[i].p, query->text.p, query->text.n) == 0))
            keep_match(matches, names, i);
    return BO_OK;
}

/* ---- what is kept for later queries ---------------------------------------------------------- */

static enum bo_status keep_of_trace(struct reader *r, struct trace *trace, unsigned kind,
                                    struct bo_error *err)
{
    struct terms_kept *kept = &trace->kept;
    const bool has_spelled = kept->n_spelled >= trace->terms.n_names && trace->terms.n_names;
    enum bo_status status = BO_OK;
    if (kind == TEMPLIGHT_FIND && has_spelled && !kept->tried_slots)
        status = terms_keep_slots(kept, &trace->terms, r->arena, &r->keep_left, err);
    if (!status && has_spelled && !kept->tried_texts)
        status = terms_keep_texts(kept, &trace->terms, r->arena, &r->keep_left, err);
    if (!status && kind == TEMPLIGHT_STREAM)
        status = templight_keep_events(&trace->records, r->arena, &r->keep_left, err);
    return status;
}

/* Prepares for a query of a trace, or of all traces for TEMPLIGHT_NONE. */
static enum bo_status keep(struct reader *r, uint32_t trace, unsigned kind, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    if (trace < r->n_traces)
        return keep_of_trace(r, &r->traces[trace], kind, err);
    for (uint32_t i = 0; i < r->n_traces && trace == TEMPLIGHT_NONE && !status; i++)
        status = keep_of_trace(r, &r->traces[i], kind, err);
    return status;
}

/* Answers to a query for all names or records, or for some of them: these take scratch memory. */
static enum bo_status answer_many(struct reader *r, unsigned kind,
                                  const struct templight_text_query *texts, size_t i, void *answers,
                                  struct bo_error *err)
{
    const uint32_t trace = kind == TEMPLIGHT_PREFIX ? texts[i].trace : TEMPLIGHT_NONE;
    enum bo_status status = keep(r, trace, kind, err);
    if (status)
        return status;
    const struct bo_arena_mark mark = bo_arena_mark(r->arena);
    if (kind == TEMPLIGHT_EXPAND_ALL)
        status = answer_all(r, answers, err);
    else if (kind == TEMPLIGHT_STREAM)
        status = answer_stream(r, &((struct templight_digest *)answers)[i], err);
    else if (kind == TEMPLIGHT_PREFIX)
        status = answer_prefix(r, &texts[i], &((struct templight_matches *)answers)[i], err);
    else
        status = BO_BAD_USAGE;
    bo_arena_rewind(r->arena, mark);
    return status;
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct reader *r = reader;
    const struct templight_name_query *names = queries;
    const struct templight_text_query *texts = queries;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        if (kind == TEMPLIGHT_NAME) {
            status = keep(r, names[i].trace, kind, err);
            if (!status)
                status = answer_name(r, &names[i], answers, err);
        } else if (kind == TEMPLIGHT_FIND) {
            status = keep(r, texts[i].trace, kind, err);
            if (!status)
                status = answer_find(r, &texts[i], &((uint32_t *)answers)[i], err);
        } else {
            status = answer_many(r, kind, texts, i, answers, err);
        }
    }
    return status;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static enum bo_status read_files(struct reader *r, const struct trace *trace,
                                 struct bo_arena *arena, struct bo_span **files_ret,
                                 struct bo_error *err)
{
    struct bo_cursor c = bo_cursor_at(r->in, trace->files_off, trace->files_nbytes);
    struct templight_text_reader texts;
    *files_ret = NULL;
    if (trace->n_files == 0)
        return bo_left(&c) ? bo_fail(err, BO_CORRUPT, trace->files_off,
                                     "trace without files has bytes for files")
                           : BO_OK;
    const enum bo_status status =
        templight_open_texts(r->in, &c, &r->totals.phrases_nbytes, arena, &texts, err);
    if (status)
        return status;
    struct templight_bits bits = {c.p + c.off, bo_left(&c), 0};
    if (trace->n_files > 2 * (uint64_t)bits.n)
        return bo_fail_here(err, BO_CORRUPT, &c, TOO_MANY_FILES);
    struct bo_span *files = *files_ret = bo_alloc_array(arena, trace->n_files, sizeof *files);
    if (!files)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < trace->n_files; i++) {
        struct templight_output out = {.n = 0};
        if (!templight_measure_text(&texts, bits, &out.cap))
            return bo_fail_here(err, BO_CORRUPT, &c, "codes of file names are invalid");
        r->totals.files_nbytes += out.cap;
        if (r->totals.files_nbytes > bo_max_text_nbytes(r->in.n))
            return bo_fail_here(err, BO_OVER_LIMIT, &c, "names of files would expand to too much");
        out.to = bo_alloc(arena, (size_t)out.cap + TEMPLIGHT_SLACK);
        if (!out.to)
            return bo_fail_alloc(err, arena);
        if (!templight_spell_text(&texts, &bits, &out) || templight_past_end(&bits))
            return bo_fail_here(err, BO_CORRUPT, &c, "codes of file names are invalid");
        files[i] = (struct bo_span){out.to, out.n};
    }
    if (!templight_is_end(&bits))
        return bo_fail_here(err, BO_CORRUPT, &c, "bits after the names of files");
    return texts.has_phrases ? bo_expect_all_used(&texts.phrases, arena, trace->files_off, err)
                             : BO_OK;
}

/*
 * Memory for announced records is allocated in advance only up to so many a byte of the file, and
 * for more records when they are read.
 */
enum { BELIEVED_RECORDS = 16 };

struct collecting {
    struct bo_arena *arena;
    struct templight_record *records;
    size_t n, cap;
};

static enum bo_status collect_record(void *context, const struct templight_record *record,
                                     struct bo_error *err)
{
    struct collecting *c = context;
    if (!bo_grow(c->arena, &c->records, c->n, 1, &c->cap))
        return bo_fail_alloc(err, c->arena);
    c->records[c->n++] = *record;
    return BO_OK;
}

static enum bo_status check_fingerprints(const struct trace *trace, const struct bo_span *names,
                                         struct bo_error *err)
{
    const struct templight_terms *terms = &trace->terms;
    for (uint32_t i = 0; i < terms->n_names; i++)
        if (terms->fingerprints[i] != templight_fingerprint(names[i]))
            return bo_fail(err, BO_CORRUPT, (uint64_t)(terms->fingerprints - terms->in.p) + i,
                           "fingerprint is not that of the name");
    return BO_OK;
}

/* Whether bases are valid texts where no name has used the head. */
static bool are_texts(struct templight_terms *terms)
{
    for (uint32_t i = 0; i < terms->n_heads; i++) {
        const struct templight_read_head *head = &terms->heads[i];
        struct templight_bits text = terms->tables;
        uint32_t nbytes;
        text.bit = head->text_bit;
        if (terms->pieces[terms->n_literals + i].n == BO_NOT_YET &&
            terms->shapes[head->shape].has_base &&
            !templight_measure_text(&terms->texts, text, &nbytes))
            return false;
    }
    return true;
}

/* When all names have been spelled: what the part announces is as much as they need. */
static enum bo_status check_announced(struct trace *trace, const struct bo_span *names,
                                      struct bo_arena *arena, struct bo_error *err)
{
    const struct templight_terms *terms = &trace->terms;
    const char *flaw = NULL;
    size_t longest = 0;
    for (uint32_t i = 0; i < terms->n_names; i++)
        longest = names[i].n > longest ? names[i].n : longest;
    if (longest != terms->longest)
        flaw = "names are shorter than announced";
    else if (terms->n_words != terms->cap_ops || terms->n_ranges != terms->cap_ranges)
        flaw = "another number of words or terms than announced";
    else if (terms->n_names && terms->deepest + TEMPLIGHT_SPARE_FRAMES != terms->cap_frames)
        flaw = "terms have another number of levels than announced";
    else if (terms->n_starts != terms->cap_starts)
        flaw = "heads' texts are shorter than announced";
    if (flaw)
        return bo_fail(err, BO_CORRUPT, trace->names_off, flaw);
    const enum bo_status status =
        terms->texts.has_phrases
            ? bo_expect_all_used(&terms->texts.phrases, arena, trace->names_off, err)
            : BO_OK;
    if (!status && !are_texts(&trace->terms))
        return bo_fail(err, BO_CORRUPT, trace->names_off, "head of a term is invalid");
    return status;
}

static enum bo_status decode_trace(struct reader *r, struct trace *from, struct bo_arena *arena,
                                   struct templight_trace *trace, struct bo_error *err)
{
    struct bo_span *names, *files;
    const uint64_t believed = BELIEVED_RECORDS * (uint64_t)from->records.nbytes;
    const uint32_t n_records = from->records.n_records;
    struct collecting collecting = {.arena = arena,
                                    .cap = n_records < believed ? n_records : (size_t)believed};
    collecting.records = bo_alloc_array(arena, collecting.cap, sizeof *collecting.records);
    if (!collecting.records)
        return bo_fail_alloc(err, arena);
    enum bo_status status = terms_list_names(&from->kept, &from->terms, arena, true, &names, err);
    if (!status)
        status = check_fingerprints(from, names, err);
    if (!status)
        status = check_announced(from, names, arena, err);
    if (!status)
        status = read_files(r, from, arena, &files, err);
    if (!status)
        status = templight_each_record(&from->records, arena, collect_record, &collecting, err);
    if (status)
        return status;
    *trace = (struct templight_trace){
        .version = from->version,
        .source = from->source,
        .n_names = from->terms.n_names,
        .n_files = from->n_files,
        .names = names,
        .files = files,
        .n_records = collecting.n,
        .records = collecting.records,
    };
    return BO_OK;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    void *reader;
    enum bo_status status = open_file(self, in, arena, &reader, err);
    if (status)
        return status;
    struct reader *r = reader;
    struct templight_model *model = bo_alloc(arena, sizeof *model);
    struct templight_trace *traces = bo_alloc_array(arena, r->n_traces, sizeof *traces);
    if (!model || !traces)
        return bo_fail_alloc(err, arena);
    *model = (struct templight_model){r->n_traces, traces};
    for (uint32_t i = 0; i < r->n_traces && !status; i++)
        status = decode_trace(r, &r->traces[i], arena, &traces[i], err);
    if (status)
        return status;
    arena->refusal = BO_OK;
    const char *flaw = templight_model_flaw(model, arena);
    if (flaw && arena->refusal)
        return bo_fail_alloc(err, arena);
    if (flaw)
        return bo_fail(err, BO_CORRUPT, 0, flaw);
    *model_ret = model;
    return BO_OK;
}

const struct bo_codec templight_terms = {
    .name = "terms",
    .summary = "names as nested terms with references back, in prefix codes; records by what "
               "followed the last time",
    .spec = "codecs/templight/README.md#terms",
    .choices = "which terms are references, the grammars, the code lengths, tuples coded twice",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .lazy = true,
    .keeps = true,
    .kinds = (1u << TEMPLIGHT_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open_file,
    .query = query,
};
