/*
 * predicted: an archive of traces. Records, names and places are coded one after the other, each
 * predicted from its contexts, with a binary range coder. Opening decodes the whole file.
 *
 *   uvarint     number of traces; if it is 0, the file ends here
 *   per trace:
 *     uvarint     version
 *     uvarint     bytes of the source, and the source
 *     u8          flags: 1 some record has a time, 2 some record has memory
 *     6 uvarints  numbers of records, names, files, nodes, parts of all nodes, and bytes of texts
 *   5 uvarints  bytes of each stream: structure, names, refs, locations, times
 *   the streams, in this order
 *   zeros       if needed, up to ceil(units / 64) bytes for the file; the units are the sum of all
 *               records, names, files, nodes, parts and bytes of texts
 *
 * README.md specifies the streams.
 */
#include "codecs/templight/predicted/predicted.h"

#include "codecs/templight/names.h"

/* Limits of what a byte of a file may decode to, so that nothing far larger is built. */
enum { UNITS_PER_BYTE = 64 };

static const char *const stream_names[PREDICTED_N_STREAMS] = {
    [PREDICTED_STRUCTURE] = "structure", [PREDICTED_NAMES] = "names", [PREDICTED_REFS] = "refs",
    [PREDICTED_LOCATIONS] = "locations", [PREDICTED_TIMES] = "times",
};

/* ---- how much there is ----------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

/* All units of a trace. */
static uint64_t sum_of(const struct predicted_counts *counts)
{
    return add(add(add(counts->n_records, counts->n_names), add(counts->n_files, counts->n_nodes)),
               add(counts->n_parts, counts->n_text));
}

static uint64_t least_nbytes(uint64_t n_units)
{
    return n_units / UNITS_PER_BYTE + (n_units % UNITS_PER_BYTE != 0);
}

/* Of all traces; what sizes of tables follow from. */
struct totals {
    uint64_t n_units, n_coded, n_text;
};

static void add_to_totals(struct totals *totals, const struct predicted_counts *counts)
{
    totals->n_units = add(totals->n_units, sum_of(counts));
    totals->n_coded = add(totals->n_coded, add(counts->n_records, counts->n_parts));
    totals->n_text = add(totals->n_text, counts->n_text);
}

/* ---- encoding -------------------------------------------------------------------------------- */

/* A trace that is being encoded. */
struct encoded_trace {
    struct templight_dictionary dictionary;
    struct predicted_counts counts;
    uint32_t *name_pieces;
};

static enum bo_status split_names(const struct templight_trace *trace, struct bo_arena *arena,
                                  struct encoded_trace *t, struct bo_error *err)
{
    t->name_pieces = bo_alloc_array(arena, trace->n_names, sizeof *t->name_pieces);
    if (!t->name_pieces || !templight_dictionary_init(&t->dictionary, TEMPLIGHT_SPLIT_WIKI, arena))
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < trace->n_names; i++) {
        const enum bo_status status =
            templight_dictionary_add(&t->dictionary, trace->names[i], &t->name_pieces[i], err);
        if (status)
            return status;
    }
    return BO_OK;
}

/* Counts the bytes of the coded texts: leaves, each shape once, and files. */
static bool count_texts(const struct templight_trace *trace,
                        const struct templight_dictionary *dictionary, struct bo_arena *arena,
                        uint64_t *n_ret)
{
    struct bo_texts shapes;
    uint64_t n = 0;
    if (!bo_texts_init(&shapes, false, arena))
        return false;
    for (uint32_t i = 0; i < dictionary->n_pieces; i++) {
        const struct templight_piece *piece = &dictionary->pieces[i];
        const uint32_t n_shapes = shapes.n;
        uint32_t number;
        if (piece->n_ids &&
            !bo_texts_add(&shapes, templight_piece_marked(dictionary, piece), &number))
            return false;
        if (piece->n_ids == 0 || shapes.n > n_shapes)
            n += piece->marked_nbytes + UINT64_C(1);
    }
    for (uint32_t i = 0; i < trace->n_files; i++)
        n += trace->files[i].n + UINT64_C(1);
    *n_ret = n;
    return true;
}

static enum bo_status prepare(const struct templight_trace *trace, struct bo_arena *arena,
                              struct encoded_trace *t, struct bo_error *err)
{
    enum bo_status status = templight_check_text(trace->source, err);
    for (uint32_t i = 0; i < trace->n_files && !status; i++)
        status = templight_check_text(trace->files[i], err);
    if (!status)
        status = split_names(trace, arena, t, err);
    if (status)
        return status;
    t->counts = (struct predicted_counts){
        .n_records = trace->n_records,
        .n_names = trace->n_names,
        .n_files = trace->n_files,
        .n_nodes = t->dictionary.n_pieces,
        .n_parts = t->dictionary.n_ids,
    };
    for (size_t i = 0; i < trace->n_records; i++) {
        t->counts.has_times |= trace->records[i].has_time;
        t->counts.has_memory |= trace->records[i].has_memory;
    }
    return count_texts(trace, &t->dictionary, arena, &t->counts.n_text) ? BO_OK
                                                                        : bo_fail_alloc(err, arena);
}

static enum bo_status encode_trace(struct predicted *p, const struct templight_trace *trace,
                                   const struct encoded_trace *t, struct bo_error *err)
{
    const size_t n_pieces = t->dictionary.n_pieces;
    struct predicted_tables tables;
    p->trace = trace;
    p->dictionary = &t->dictionary;
    p->name_pieces = t->name_pieces;
    p->counts = t->counts;
    p->piece_nodes = bo_alloc_array(p->arena, n_pieces, sizeof *p->piece_nodes);
    p->coded_files = bo_alloc_array(p->arena, trace->n_files, sizeof *p->coded_files);
    if (!p->piece_nodes || !p->coded_files ||
        !predicted_make_tables(&tables, &t->counts, p->arena) || !predicted_start_trace(p, &tables))
        return bo_fail_alloc(err, p->arena);
    for (size_t i = 0; i < n_pieces; i++)
        p->piece_nodes[i] = PREDICTED_NONE;
    for (uint32_t i = 0; i < trace->n_files; i++)
        p->coded_files[i] = TEMPLIGHT_NONE;
    for (size_t i = 0; i < trace->n_records && predicted_has_memory(p); i++) {
        struct templight_record record = trace->records[i];
        predicted_code_record(p, &record);
    }
    return predicted_has_memory(p) ? BO_OK : bo_fail_alloc(err, p->arena);
}

static void put_counts(const struct templight_trace *trace, const struct predicted_counts *counts,
                       struct bo_writer *out)
{
    bo_mark(out, "header");
    bo_put_uvarint(out, trace->version);
    bo_put_uvarint(out, trace->source.n);
    bo_put_bytes(out, trace->source.p, trace->source.n);
    bo_mark(out, "structure");
    bo_put_u8(out, (uint8_t)(counts->has_times | counts->has_memory << 1));
    bo_put_uvarint(out, counts->n_records);
    bo_put_uvarint(out, counts->n_names);
    bo_put_uvarint(out, counts->n_files);
    bo_put_uvarint(out, counts->n_nodes);
    bo_put_uvarint(out, counts->n_parts);
    bo_put_uvarint(out, counts->n_text);
}

static void put_streams(const struct bo_writer *streams, struct bo_writer *out)
{
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++)
        bo_put_uvarint(out, streams[i].n);
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++) {
        bo_mark(out, stream_names[i]);
        bo_put_bytes(out, streams[i].p, streams[i].n);
    }
}

static enum bo_status encode_traces(const struct templight_model *model, struct predicted *p,
                                    struct bo_writer *streams, struct bo_writer *out,
                                    struct bo_error *err)
{
    const size_t start = out->n;
    struct totals totals = {0};
    bo_mark(out, "structure");
    bo_put_uvarint(out, model->n_traces);
    if (model->n_traces == 0)
        return BO_OK;
    struct encoded_trace *traces = bo_alloc_array(p->arena, model->n_traces, sizeof *traces);
    enum bo_status status = traces ? BO_OK : bo_fail_alloc(err, p->arena);
    for (size_t i = 0; i < model->n_traces && !status; i++) {
        status = prepare(&model->traces[i], p->arena, &traces[i], err);
        if (!status) {
            put_counts(&model->traces[i], &traces[i].counts, out);
            add_to_totals(&totals, &traces[i].counts);
        }
    }
    if (status)
        return status;
    if (totals.n_text > UINT32_MAX / 2)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "2 GiB of texts or more");
    uint8_t *history = bo_alloc(p->arena, (size_t)totals.n_text + BO_GUESS_TEXT_START);
    if (!history || !bo_guesser_init(&p->guesser, PREDICTED_N_SITES, totals.n_coded, history,
                                     (uint32_t)totals.n_text, p->arena))
        return bo_fail_alloc(err, p->arena);
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++)
        p->coders[i] = bo_range_encoder(&streams[i]);
    for (size_t i = 0; i < model->n_traces && !status; i++)
        status = encode_trace(p, &model->traces[i], &traces[i], err);
    for (unsigned i = 0; i < PREDICTED_N_STREAMS && !status; i++) {
        bo_range_finish(&p->coders[i]);
        status = bo_writer_status(&streams[i], err);
    }
    if (status)
        return status;
    put_streams(streams, out);
    bo_mark(out, "structure");
    const uint64_t least = least_nbytes(totals.n_units), nbytes = out->n - start;
    if (nbytes < least)
        bo_put_zeros(out, (size_t)(least - nbytes));
    return BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct templight_model *model = opaque;
    struct bo_arena *arena = out->arena;
    struct bo_writer streams[PREDICTED_N_STREAMS];
    struct predicted *p = bo_zalloc_array(arena, 1, sizeof *p);
    if (!p)
        return bo_fail_alloc(err, arena);
    p->arena = arena;
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++)
        bo_writer_init(&streams[i], arena);
    const enum bo_status status = encode_traces(model, p, streams, out, err);
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++)
        bo_writer_free(&streams[i]);
    return status ? status : bo_writer_status(out, err);
}

/* ---- reading the head ------------------------------------------------------------------------ */

/* A trace that is being read. */
struct read_trace {
    uint32_t version;
    struct bo_span source;
    struct predicted_counts counts;
    struct predicted_tables tables; /* files in coding order */
    struct templight_record *records;
    struct bo_span *files; /* in the model's order */
};

struct head {
    size_t n_traces;
    struct read_trace *traces;
    struct totals totals;
    struct bo_span streams[PREDICTED_N_STREAMS];
    size_t off; /* of the first stream */
};

static enum bo_status get_counts(struct bo_cursor *c, struct read_trace *t, struct bo_error *err)
{
    struct predicted_counts *counts = &t->counts;
    uint64_t *const numbers[] = {&counts->n_records, &counts->n_names, &counts->n_files,
                                 &counts->n_nodes,   &counts->n_parts, &counts->n_text};
    uint32_t nbytes;
    uint8_t flags;
    enum bo_status status = bo_get_uvarint32(c, &t->version, err);
    if (!status)
        status = bo_get_uvarint32(c, &nbytes, err);
    if (status)
        return status;
    t->source.n = nbytes;
    if (!bo_get_bytes(c, nbytes, &t->source.p) || !bo_get_u8(c, &flags))
        return bo_fail_here(err, BO_TRUNCATED, c, "file ends inside a trace's header");
    const char *flaw = templight_text_flaw(t->source);
    if (flaw || flags > 3)
        return bo_fail_here(err, BO_CORRUPT, c, flaw ? flaw : "unknown flags of a trace");
    counts->has_times = flags & 1;
    counts->has_memory = flags >> 1;
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = bo_get_uvarint64(c, numbers[i], err);
    return status;
}

/* The streams lie in the file, all units have their share of it, and nothing follows. */
static enum bo_status get_streams(struct bo_cursor *c, struct head *head, struct bo_error *err)
{
    uint64_t nbytes[PREDICTED_N_STREAMS], end;
    enum bo_status status = BO_OK;
    for (unsigned i = 0; i < PREDICTED_N_STREAMS && !status; i++)
        status = bo_get_uvarint64(c, &nbytes[i], err);
    if (status)
        return status;
    head->off = c->off;
    end = c->off;
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++) {
        const uint64_t start = end;
        end = add(end, nbytes[i]);
        if (end > c->n)
            return bo_fail(err, BO_TRUNCATED, c->n, "file ends inside the streams");
        head->streams[i] = (struct bo_span){c->p + start, (size_t)nbytes[i]};
    }
    const uint64_t least = least_nbytes(head->totals.n_units);
    if (head->totals.n_text > UINT32_MAX / 2)
        return bo_fail_here(err, BO_UNSUPPORTED, c, "2 GiB of texts or more");
    if (least > c->n)
        return bo_fail(err, BO_TRUNCATED, c->n, "file is shorter than its counts need");
    for (uint64_t i = end; i < c->n; i++)
        if (i >= least || c->p[i])
            return bo_fail(err, BO_CORRUPT, i, "bytes after the streams");
    return BO_OK;
}

static enum bo_status get_head(struct bo_span in, struct bo_arena *arena, struct head *head,
                               struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    uint64_t n_traces;
    enum bo_status status = bo_get_uvarint64(&c, &n_traces, err);
    if (status)
        return status;
    *head = (struct head){.n_traces = (size_t)n_traces};
    if (n_traces > bo_left(&c))
        return bo_fail_here(err, BO_TRUNCATED, &c, "file is too short for its traces");
    head->traces = bo_zalloc_array(arena, head->n_traces, sizeof *head->traces);
    if (!head->traces)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < head->n_traces && !status; i++) {
        status = get_counts(&c, &head->traces[i], err);
        if (!status)
            add_to_totals(&head->totals, &head->traces[i].counts);
    }
    if (status)
        return status;
    if (n_traces)
        return get_streams(&c, head, err);
    return bo_left(&c) ? bo_fail_here(err, BO_CORRUPT, &c,
                                      "bytes after the header of a file without traces")
                       : BO_OK;
}

/* ---- reading the streams --------------------------------------------------------------------- */

/* A sequence of bits has one encoding, so it ends where and as the writer ends it. */
static enum bo_status check_ends(const struct predicted *p, const struct head *head,
                                 struct bo_error *err)
{
    size_t off = head->off;
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++) {
        const char *flaw = bo_range_flaw(&p->coders[i]);
        if (flaw)
            return bo_fail(err, BO_CORRUPT, off, flaw);
        off += head->streams[i].n;
    }
    return BO_OK;
}

static bool ran_out(const struct predicted *p)
{
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++)
        if (bo_range_ran_out(&p->coders[i]))
            return true;
    return false;
}

/* Why reading has stopped, if it has. */
static enum bo_status soundness(const struct predicted *p, const struct head *head,
                                struct bo_error *err)
{
    if (!predicted_has_memory(p))
        return bo_fail_alloc(err, p->arena);
    const char *flaw = p->flaw      ? p->flaw
                       : ran_out(p) ? "coded bits end too early"
                                    : p->guesser.flaw;
    return flaw ? bo_fail(err, BO_CORRUPT, head->off, flaw) : BO_OK;
}

static enum bo_status read_trace(struct predicted *p, const struct head *head,
                                 const struct read_trace *t, struct bo_error *err)
{
    const struct templight_location nowhere = {TEMPLIGHT_NONE, 0, 0};
    const uint32_t n_left = p->guesser.n_left;
    bool has_times = false, has_memory = false;
    p->counts = t->counts;
    if (!predicted_start_trace(p, &t->tables))
        return bo_fail_alloc(err, p->arena);
    for (size_t i = 0; i < t->counts.n_records; i++) {
        t->records[i] = (struct templight_record){.location = nowhere, .origin = nowhere};
        predicted_code_record(p, &t->records[i]);
        const enum bo_status status = soundness(p, head, err);
        if (status)
            return status;
        has_times |= t->records[i].has_time;
        has_memory |= t->records[i].has_memory;
    }
    if (has_times != t->counts.has_times || has_memory != t->counts.has_memory)
        return bo_fail(err, BO_CORRUPT, head->off,
                       "flags of times or memories disagree with the records");
    if (n_left - p->guesser.n_left != t->counts.n_text)
        return bo_fail(err, BO_CORRUPT, head->off, "texts have another length than announced");
    if (p->n_names != t->counts.n_names || p->n_files != t->counts.n_files ||
        p->n_nodes != t->counts.n_nodes || p->n_parts != t->counts.n_parts)
        return bo_fail(err, BO_CORRUPT, head->off, "counts of the trace differ from its content");
    for (uint32_t i = 0; i < p->n_files; i++)
        t->files[p->file_numbers[i]] = p->files[i];
    return BO_OK;
}

/* All tables of all traces, as their counts say, and room for all texts. */
static enum bo_status make_room(struct head *head, struct bo_arena *arena, uint8_t **history_ret,
                                struct bo_error *err)
{
    *history_ret = bo_alloc(arena, (size_t)head->totals.n_text + BO_GUESS_TEXT_START);
    if (!*history_ret)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < head->n_traces; i++) {
        struct read_trace *t = &head->traces[i];
        t->records = bo_alloc_array(arena, (size_t)t->counts.n_records, sizeof *t->records);
        t->files = bo_alloc_array(arena, (size_t)t->counts.n_files, sizeof *t->files);
        if (!t->records || !t->files || !predicted_make_tables(&t->tables, &t->counts, arena))
            return bo_fail_alloc(err, arena);
    }
    return BO_OK;
}

static enum bo_status read_streams(const struct head *head, uint8_t *history,
                                   struct bo_arena *arena, struct bo_error *err)
{
    struct predicted *p = bo_zalloc_array(arena, 1, sizeof *p);
    if (!p || !bo_guesser_init(&p->guesser, PREDICTED_N_SITES, head->totals.n_coded, history,
                               (uint32_t)head->totals.n_text, arena))
        return bo_fail_alloc(err, arena);
    p->arena = arena;
    p->decoding = true;
    for (unsigned i = 0; i < PREDICTED_N_STREAMS; i++)
        p->coders[i] = bo_range_decoder(head->streams[i]);
    for (size_t i = 0; i < head->n_traces; i++) {
        const enum bo_status status = read_trace(p, head, &head->traces[i], err);
        if (status)
            return status;
    }
    return check_ends(p, head, err);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* What the nodes stand for; they are checked as a dictionary's entries are. */
static enum bo_status define(const struct read_trace *t, size_t off, struct templight_namer *namer,
                             struct bo_arena *arena, struct bo_error *err)
{
    const size_t n = (size_t)t->counts.n_nodes;
    struct templight_id *ids = bo_alloc_array(arena, (size_t)t->counts.n_parts, sizeof *ids);
    if (!ids || !templight_namer_init(namer, (size_t)t->counts.n_text, n, arena))
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < t->counts.n_parts; i++)
        ids[i] = (struct templight_id){t->tables.parts[i], off};
    for (size_t i = 0; i < n; i++) {
        const struct predicted_node *node = &t->tables.nodes[i];
        const struct templight_raw_definition raw = {
            .marked = node->marked,
            .off = off,
            .ids = ids + node->first_part,
            .n_ids = node->n_parts,
        };
        const enum bo_status status = templight_define(&namer->definitions, &raw, err);
        if (status)
            return status;
    }
    return BO_OK;
}

static enum bo_status name_all(const struct read_trace *t, size_t off,
                               struct templight_namer *namer, struct bo_error *err)
{
    for (uint32_t i = 0; i < t->counts.n_names; i++) {
        const struct templight_raw_name raw = {
            .form = TEMPLIGHT_NAME_IS_ID,
            .id = t->tables.name_nodes[i],
            .off = off,
        };
        uint32_t number;
        const enum bo_status status = templight_number_name(namer, &raw, &number, err);
        if (status)
            return status;
        if (number != i)
            return bo_fail(err, BO_CORRUPT, off, "duplicate name");
    }
    return BO_OK;
}

static bool is_piece(const struct templight_dictionary *dictionary, uint32_t i,
                     const struct read_trace *t)
{
    const struct templight_piece *piece = &dictionary->pieces[i];
    const struct predicted_node *node = &t->tables.nodes[i];
    return bo_span_equal(templight_piece_marked(dictionary, piece), node->marked) &&
           piece->n_ids == node->n_parts &&
           (node->n_parts == 0 ||
            memcmp(templight_piece_ids(dictionary, piece), t->tables.parts + node->first_part,
                   node->n_parts * sizeof *t->tables.parts) == 0);
}

/* Nodes are numbered as the dictionary numbers its pieces: a name is split in one way only. */
static enum bo_status check_pieces(const struct read_trace *t, size_t off,
                                   const struct templight_namer *namer, struct bo_arena *arena,
                                   struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct templight_dictionary dictionary;
    if (!templight_dictionary_init(&dictionary, TEMPLIGHT_SPLIT_WIKI, arena))
        return bo_fail_alloc(err, arena);
    bool ok = true;
    for (uint32_t i = 0; i < t->counts.n_names && ok; i++) {
        uint32_t piece;
        const enum bo_status status =
            templight_dictionary_add(&dictionary, namer->names.texts[i], &piece, err);
        if (status)
            return status;
        ok = piece == t->tables.name_nodes[i];
    }
    ok = ok && dictionary.n_pieces == t->counts.n_nodes;
    for (uint32_t i = 0; i < t->counts.n_nodes && ok; i++)
        ok = is_piece(&dictionary, i, t);
    bo_arena_rewind(arena, mark);
    return ok ? BO_OK : bo_fail(err, BO_CORRUPT, off, "name is not split as the rule splits it");
}

static enum bo_status check_files(const struct read_trace *t, size_t off, struct bo_arena *arena,
                                  struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct bo_texts files;
    uint32_t number;
    enum bo_status status = BO_OK;
    if (!bo_texts_init(&files, false, arena))
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < t->counts.n_files && !status; i++) {
        if (!bo_texts_add(&files, t->files[i], &number))
            return bo_fail_alloc(err, arena);
        if (number != i)
            status = bo_fail(err, BO_CORRUPT, off, "duplicate file");
    }
    bo_arena_rewind(arena, mark);
    return status;
}

/* ---- the codec ------------------------------------------------------------------------------- */

static enum bo_status finish_trace(const struct read_trace *t, size_t off,
                                   struct templight_namer *namer, struct templight_trace *trace,
                                   struct bo_arena *arena, struct bo_error *err)
{
    enum bo_status status = check_files(t, off, arena, err);
    if (!status)
        status = define(t, off, namer, arena, err);
    if (!status)
        status = name_all(t, off, namer, err);
    if (!status)
        status = check_pieces(t, off, namer, arena, err);
    if (status)
        return status;
    *trace = (struct templight_trace){
        .version = t->version,
        .source = t->source,
        .n_names = namer->names.n,
        .n_files = (uint32_t)t->counts.n_files,
        .names = namer->names.texts,
        .files = t->files,
        .n_records = (size_t)t->counts.n_records,
        .records = t->records,
    };
    return BO_OK;
}

static enum bo_status read_all(struct bo_span in, struct bo_arena *arena,
                               struct templight_decoded **decoded_ret, struct bo_error *err)
{
    struct head head;
    uint8_t *history;
    enum bo_status status = get_head(in, arena, &head, err);
    if (!status)
        status = make_room(&head, arena, &history, err);
    if (!status && head.n_traces) {
        const struct bo_arena_mark mark = bo_arena_mark(arena);
        status = read_streams(&head, history, arena, err);
        bo_arena_rewind(arena, mark);
    }
    if (status)
        return status;
    struct templight_decoded *decoded = bo_alloc(arena, sizeof *decoded);
    struct templight_trace *traces = bo_alloc_array(arena, head.n_traces, sizeof *traces);
    struct templight_namer *namers = bo_alloc_array(arena, head.n_traces, sizeof *namers);
    if (!decoded || !traces || !namers)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < head.n_traces && !status; i++)
        status = finish_trace(&head.traces[i], head.off, &namers[i], &traces[i], arena, err);
    *decoded = (struct templight_decoded){{head.n_traces, traces}, namers};
    *decoded_ret = decoded;
    return status;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct templight_decoded *decoded = NULL;
    const enum bo_status status = read_all(in, arena, &decoded, err);
    if (!status)
        *model_ret = &decoded->model;
    return status;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct templight_decoded *decoded = NULL;
    const enum bo_status status = read_all(in, arena, &decoded, err);
    *reader_ret = decoded;
    return status;
}

const struct bo_codec templight_predicted = {
    .name = "predicted",
    .summary = "an archive: each record, name and place by what its surroundings led to before",
    .spec = "codecs/templight/README.md#predicted",
    .role = BO_NEW,
    .access = BO_WHOLE,
    .kinds = (1u << TEMPLIGHT_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = templight_query_decoded,
};
