/*
 * The frame that all PCDATA payloads share: header, area of records, directory. Layout in pcdata.h.
 */
#include "codecs/pcdata/pcdata.h"
#include "harness/core/bits.h"

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status check_directory(const struct pcdata_frame *frame, size_t directory_off,
                                      struct bo_error *err)
{
    for (uint32_t t = 0; t < frame->n_tables; t++) {
        const uint32_t quanta = pcdata_text_quanta(frame, t);
        const uint64_t at = directory_off + 8 * (uint64_t)t;
        if (pcdata_record_off(frame, t) >= frame->area.n)
            return bo_fail(err, BO_CORRUPT, at, "record offset is past the area's end");
        if (quanta == 0)
            return bo_fail(err, BO_CORRUPT, at + 4, "text length is 0");
        if (quanta > UINT32_MAX >> frame->quantum_shift)
            return bo_fail(err, BO_CORRUPT, at + 4, "text length is 4 GiB or more");
    }
    return BO_OK;
}

static bool all_zero(struct bo_span in, size_t off, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (in.p[off + i])
            return false;
    return true;
}

enum bo_status pcdata_frame_open(struct bo_span in, struct pcdata_frame *frame,
                                 struct bo_error *err)
{
    if (in.n < PCDATA_FRAME_HEADER)
        return bo_fail(err, BO_TRUNCATED, in.n, "payload ends inside the frame's header");
    if (in.p[0] != PCDATA_FRAME_VERSION)
        return bo_fail(err, BO_UNSUPPORTED, 0, "unknown frame version");
    if (in.p[1] > 2)
        return bo_fail(err, BO_CORRUPT, 1, "quantum is not 1, 2 or 4");
    if (!all_zero(in, 2, 2))
        return bo_fail(err, BO_CORRUPT, 2, "reserved bytes are not 0");
    if (!all_zero(in, 12, 4))
        return bo_fail(err, BO_CORRUPT, 12, "reserved bytes are not 0");
    const uint32_t n_tables = bo_le32(in.p + 4), area_n = bo_le32(in.p + 8);
    const uint64_t area_end = PCDATA_FRAME_HEADER + (uint64_t)area_n;
    const uint64_t directory_off = (area_end + 7) / 8 * 8 + PCDATA_OVERREAD;
    const uint64_t end = directory_off + 13 * (uint64_t)n_tables;
    if (end > in.n)
        return bo_fail(err, BO_TRUNCATED, in.n, "ends inside the area or its directory");
    if (end < in.n)
        return bo_fail(err, BO_CORRUPT, end, "bytes follow the directory");
    if (!all_zero(in, (size_t)area_end, (size_t)(directory_off - area_end)))
        return bo_fail(err, BO_CORRUPT, area_end, "padding is not 0");
    const uint8_t *directory = in.p + directory_off;
    *frame = (struct pcdata_frame){
        .area = {in.p + PCDATA_FRAME_HEADER, area_n},
        .n_tables = n_tables,
        .quantum_shift = in.p[1],
        .directory = directory,
        .refs = directory + 8 * (size_t)n_tables,
        .kinds = directory + 12 * (size_t)n_tables,
    };
    return check_directory(frame, (size_t)directory_off, err);
}

/* ---- rebuilding runs ------------------------------------------------------------------------- */

bool pcdata_collect(struct pcdata_collector *runs, uint32_t pc, int32_t value)
{
    if (runs->n && value == runs->last_value)
        return true;
    if (runs->arena) {
        if (!bo_grow(runs->arena, &runs->runs, runs->n, 1, &runs->cap))
            return false;
        runs->runs[runs->n] = (struct pcdata_run){pc, value};
    }
    runs->n++;
    runs->last_value = value;
    return true;
}

/* Moves a collector's runs into an array of their exact number. */
static const struct pcdata_run *keep_runs(const struct pcdata_collector *runs,
                                          struct bo_arena *arena)
{
    struct pcdata_run *kept = bo_alloc_array(arena, runs->n, sizeof *kept);
    if (kept)
        memcpy(kept, runs->runs, runs->n * sizeof *kept);
    return kept;
}

/*
 * The directory entries seen so far, by value, so that a record that many tables share is walked
 * once.
 */
struct seen_entries {
    const struct pcdata_frame *frame;
    uint32_t *slots; /* table number + 1; 0: free */
    uint32_t mask;
    uint64_t seed; /* of the hash: unpredictable, so no file can have entries that all collide */
    /* a bit for each byte of the area: a record's first byte, its last byte */
    uint8_t *starts, *ends;
};

static void set_bit(uint8_t *bits, size_t i)
{
    bits[i / 8] |= (uint8_t)(1u << i % 8);
}

static uint64_t directory_entry(const struct pcdata_frame *frame, uint32_t table)
{
    return bo_le64(frame->directory + 8 * (size_t)table);
}

static bool seen_init(struct seen_entries *seen, const struct pcdata_frame *frame,
                      struct bo_arena *arena)
{
    uint64_t n_slots = 16;
    while (n_slots < 2 * (uint64_t)frame->n_tables)
        n_slots *= 2;
    *seen = (struct seen_entries){.frame = frame, .mask = (uint32_t)(n_slots - 1)};
    seen->slots = bo_zalloc_array(arena, (size_t)n_slots, sizeof *seen->slots);
    seen->seed = bo_mix64((uintptr_t)seen->slots);
    seen->starts = bo_zalloc_array(arena, frame->area.n / 8 + 1, 1);
    seen->ends = bo_zalloc_array(arena, frame->area.n / 8 + 1, 1);
    return seen->slots && seen->starts && seen->ends;
}

/*
 * The slot of the first table with the same directory entry: its number + 1, or 0 and to be filled.
 */
static uint32_t *seen_find(const struct seen_entries *seen, uint32_t table)
{
    const uint64_t entry = directory_entry(seen->frame, table);
    uint32_t i = (uint32_t)bo_mix64(entry ^ seen->seed) & seen->mask;
    while (seen->slots[i] && directory_entry(seen->frame, seen->slots[i] - 1) != entry)
        i = (i + 1) & seen->mask;
    return &seen->slots[i];
}

/* The end of the record at `off`, which has been walked. Above `most` if the record passes it. */
static size_t known_end(const struct seen_entries *seen, size_t off, size_t most)
{
    while (off < most && !bo_bit_at(seen->ends, off))
        off++;
    return off + 1;
}

struct walker {
    const struct pcdata_frame *frame;
    const struct pcdata_layout *layout;
    struct seen_entries seen;
    struct pcdata_collector runs;         /* of the record walked last */
    uint64_t next_bit;                    /* of the area: where the record before ended */
    struct bo_writer again;               /* the record that layout->put writes of these runs */
    struct pcdata_record_index different; /* with layout->put: the records walked, by their bytes */
    /* Runs and bytes walked in records that had been walked before, for another text length. */
    uint64_t n_again;
};

/* True when the bits from `from` to `to` are few enough to be alignment, and all 0. */
static bool is_gap(const struct walker *w, uint64_t from, uint64_t to)
{
    if (to < from || to - from > w->layout->max_gap_nbits)
        return false;
    for (uint64_t bit = from; bit < to; bit++)
        if (bo_bit_at(w->frame->area.p, bit))
            return false;
    return true;
}

/*
 * A record may belong to tables of several text lengths, and is walked once for each length. This
 * is the most runs and bytes of all walks but the first, in proportion to the bytes of the area and
 * of the directory (8 bytes a table). So the work on a hostile file is linear in its size. The
 * embedded documents have at most 0.06 for each byte. The limit is lower for canonical encodings,
 * whose records are also written again, which costs more than a walk. As they cannot store a record
 * twice, a small file may have more.
 */
static uint64_t max_again(bool canonical, size_t area_nbytes, uint32_t n_tables)
{
    const uint64_t nbytes = area_nbytes + 8 * (uint64_t)n_tables;
    return canonical ? 65536 + 4 * nbytes : 16 * nbytes;
}

/* Checks, for a canonical encoding, that the record up to `end` is what the writer produces. */
static enum bo_status check_canonical(struct walker *w, uint32_t table,
                                      const struct bo_cursor *start, size_t end, bool known,
                                      struct bo_error *err)
{
    const struct pcdata_frame *frame = w->frame;
    const struct pcdata_table runs = {
        .text_len = pcdata_text_quanta(frame, table) << frame->quantum_shift,
        .n_runs = (uint32_t)w->runs.n,
        .runs = w->runs.runs,
    };
    bo_writer_reset(&w->again);
    enum bo_status status = w->layout->put(&runs, frame->quantum_shift, &w->again, err);
    status = status ? status : bo_writer_status(&w->again, err);
    if (status)
        return status;
    struct bo_cursor at = *start;
    while (at.off < end && at.off - start->off < w->again.n &&
           at.p[at.off] == w->again.p[at.off - start->off])
        at.off++;
    if (at.off < end || w->again.n != end - start->off)
        return bo_fail_here(err, BO_CORRUPT, &at, "record differs from the encoding of its runs");
    bool found = false;
    if (!known)
        pcdata_record_find(&w->different, start->p, (uint32_t)start->off,
                           (uint32_t)(end - start->off), &found);
    return found ? bo_fail_here(err, BO_CORRUPT, start, "record repeats an earlier one") : BO_OK;
}

/* Walks the record of a table whose directory entry is seen for the first time. */
static enum bo_status walk_new_entry(struct walker *w, uint32_t table, struct bo_error *err)
{
    const struct pcdata_frame *frame = w->frame;
    const uint32_t off = pcdata_record_off(frame, table);
    struct bo_cursor in = {.p = frame->area.p, .n = frame->area.n, .off = off};
    in.base = PCDATA_FRAME_HEADER;
    w->runs.n = 0;
    w->runs.nbits_before = w->runs.nbits_unused = 0;
    const bool known = bo_bit_at(w->seen.starts, off);
    if (!known && 8 * (uint64_t)off + 8 <= w->next_bit)
        return bo_fail_here(err, BO_CORRUPT, &in, "record lies inside another table's");
    const struct bo_cursor start = in;
    enum bo_status status = w->layout->walk(frame, w->layout->context, &in,
                                            pcdata_text_quanta(frame, table), &w->runs, err);
    if (status)
        return status;
    if (known) {
        w->n_again += w->runs.n + (in.off - off);
        if (w->n_again > max_again(w->layout->put, frame->area.n, frame->n_tables))
            return bo_fail_here(err, BO_OVER_LIMIT, &start,
                                "record is shared by too many tables of other lengths");
        if (known_end(&w->seen, off, in.off) != in.off)
            return bo_fail_here(err, BO_CORRUPT, &start,
                                "record ends at another byte for another text length");
    }
    if (w->layout->put) {
        status = check_canonical(w, table, &start, in.off, known, err);
        if (status)
            return status;
    }
    if (known)
        return BO_OK;
    if (!is_gap(w, w->next_bit, 8 * (uint64_t)off - w->runs.nbits_before))
        return bo_fail_here(err, BO_CORRUPT, &start,
                            "table's record is neither the next one nor an earlier one");
    w->next_bit = 8 * (uint64_t)in.off - w->runs.nbits_unused;
    set_bit(w->seen.starts, off);
    set_bit(w->seen.ends, in.off - 1);
    return BO_OK;
}

static enum bo_status walk_tables(struct walker *w, struct pcdata_table *tables,
                                  struct bo_arena *arena, struct bo_error *err)
{
    const struct pcdata_frame *frame = w->frame;
    for (uint32_t t = 0; t < frame->n_tables; t++) {
        uint32_t *slot = seen_find(&w->seen, t);
        if (!*slot) {
            const enum bo_status status = walk_new_entry(w, t, err);
            if (status)
                return status;
        }
        if (tables) {
            tables[t] = (struct pcdata_table){
                .text_len = pcdata_text_quanta(frame, t) << frame->quantum_shift,
                .n_runs = *slot ? tables[*slot - 1].n_runs : (uint32_t)w->runs.n,
                .refs = bo_le32(frame->refs + 4 * (size_t)t),
                .kind = frame->kinds[t],
                .runs = *slot ? tables[*slot - 1].runs : keep_runs(&w->runs, arena),
            };
            if (!tables[t].runs)
                return bo_fail_alloc(err, arena);
        }
        *slot = *slot ? *slot : t + 1;
    }
    if (!is_gap(w, w->next_bit, 8 * (uint64_t)frame->area.n))
        return bo_fail(err, BO_CORRUPT, PCDATA_FRAME_HEADER + w->next_bit / 8,
                       "bytes of the area belong to no table");
    return BO_OK;
}

enum bo_status pcdata_walk_all(const struct pcdata_frame *frame, const struct pcdata_layout *layout,
                               struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct walker w = {
        .frame = frame, .layout = layout, .next_bit = 8 * (uint64_t)layout->first_off};
    struct pcdata_table *tables = NULL;
    struct pcdata_model *model = NULL;
    if (model_ret) {
        w.runs.arena = arena;
        tables = bo_alloc_array(arena, frame->n_tables, sizeof *tables);
        model = bo_alloc(arena, sizeof *model);
        if (!tables || !model)
            return bo_fail_alloc(err, arena);
        *model = (struct pcdata_model){1u << frame->quantum_shift, frame->n_tables, tables};
        *model_ret = model;
    }
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    if (!seen_init(&w.seen, frame, arena))
        return bo_fail_alloc(err, arena);
    if (layout->put) {
        w.runs.arena = arena;
        bo_writer_init(&w.again, arena);
        if (!pcdata_record_index_init(&w.different, frame->n_tables, arena))
            return bo_fail_alloc(err, arena);
    }
    const enum bo_status status = walk_tables(&w, tables, arena, err);
    if (layout->put)
        bo_writer_free(&w.again);
    if (!model_ret)
        bo_arena_rewind(arena, mark);
    return status;
}

enum bo_status pcdata_decode_frame(struct bo_span in, const struct pcdata_layout *layout,
                                   struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct pcdata_frame frame;
    const enum bo_status status = pcdata_frame_open(in, &frame, err);
    return status ? status : pcdata_walk_all(&frame, layout, arena, model_ret, err);
}

enum bo_status pcdata_open_frame(struct bo_span in, const struct pcdata_layout *layout,
                                 struct bo_arena *arena, struct pcdata_frame *frame,
                                 struct bo_error *err)
{
    const enum bo_status status = pcdata_frame_open(in, frame, err);
    return status ? status : pcdata_walk_all(frame, layout, arena, NULL, err);
}

/* ---- writing --------------------------------------------------------------------------------- */

struct pcdata_record_slot {
    uint32_t off, n; /* of the record's bytes; n is 0 in a free slot */
    uint32_t hash;
    uint32_t number; /* the caller's */
};

bool pcdata_record_index_init(struct pcdata_record_index *index, uint32_t n_records,
                              struct bo_arena *arena)
{
    uint64_t n_slots = 16;
    while (n_slots < 2 * (uint64_t)n_records)
        n_slots *= 2;
    index->slots = bo_zalloc_array(arena, (size_t)n_slots, sizeof *index->slots);
    index->seed = bo_mix64((uintptr_t)index->slots);
    index->mask = (uint32_t)(n_slots - 1);
    return index->slots != NULL;
}

static uint32_t hash_bytes(const uint8_t *p, size_t n, uint64_t seed)
{
    uint64_t h = n ^ seed;
    for (; n >= 8; p += 8, n -= 8)
        h = bo_mix64(h ^ bo_le64(p));
    for (; n; p++, n--)
        h = (h ^ *p) * 0x100000001b3u;
    return (uint32_t)(bo_mix64(h) >> 32);
}

uint32_t *pcdata_record_find(struct pcdata_record_index *index, const uint8_t *base, uint32_t off,
                             uint32_t n, bool *found_ret)
{
    const uint32_t hash = hash_bytes(base + off, n, index->seed);
    uint32_t i = hash & index->mask;
    for (; index->slots[i].n; i = (i + 1) & index->mask) {
        struct pcdata_record_slot *slot = &index->slots[i];
        if (slot->hash == hash && slot->n == n && memcmp(base + slot->off, base + off, n) == 0) {
            *found_ret = true;
            return &slot->number;
        }
    }
    index->slots[i] = (struct pcdata_record_slot){off, n, hash, 0};
    *found_ret = false;
    return &index->slots[i].number;
}

enum bo_status pcdata_frame_begin(struct pcdata_frame_writer *w, const struct pcdata_model *model,
                                  struct bo_writer *out, struct bo_error *err)
{
    *w = (struct pcdata_frame_writer){
        .model = model,
        .out = out,
        .quantum_shift = (unsigned)__builtin_ctz(model->quantum),
        .frame_start = out->n,
        .offsets = bo_alloc_array(out->arena, model->n_tables, sizeof *w->offsets),
    };
    if (!w->offsets || !pcdata_record_index_init(&w->index, model->n_tables, out->arena))
        return bo_fail_alloc(err, out->arena);
    bo_mark_aside(out, "header");
    bo_put_u8(out, PCDATA_FRAME_VERSION);
    bo_put_u8(out, (uint8_t)w->quantum_shift);
    bo_put_le16(out, 0);
    bo_put_le32(out, model->n_tables);
    bo_put_le64(out, 0); /* the area's size, known at the end; reserved */
    w->area_start = out->n;
    return bo_writer_status(out, err);
}

enum bo_status pcdata_frame_end(struct pcdata_frame_writer *w, struct bo_error *err)
{
    const struct pcdata_model *model = w->model;
    struct bo_writer *out = w->out;
    const size_t area_n = out->n - w->area_start;
    if (!out->status && area_n > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "records take 4 GiB or more");
    bo_mark_aside(out, "over-read room");
    bo_put_zeros(out, (size_t)(-area_n & 7) + PCDATA_OVERREAD);
    bo_mark_aside(out, "directory");
    for (uint32_t t = 0; t < model->n_tables; t++) {
        bo_put_le32(out, w->offsets[t]);
        bo_put_le32(out, model->tables[t].text_len >> w->quantum_shift);
    }
    for (uint32_t t = 0; t < model->n_tables; t++)
        bo_put_le32(out, model->tables[t].refs);
    for (uint32_t t = 0; t < model->n_tables; t++)
        bo_put_u8(out, model->tables[t].kind);
    if (!out->status)
        bo_set_le32(out->p + w->frame_start + 8, (uint32_t)area_n);
    return bo_writer_status(out, err);
}

bool pcdata_may_share(struct pcdata_frame_writer *w, const struct pcdata_table *table,
                      size_t nbytes, size_t area_nbytes)
{
    const uint64_t n_again = w->n_again + table->n_runs + nbytes;
    if (n_again > max_again(false, area_nbytes, w->model->n_tables))
        return false;
    w->n_again = n_again;
    return true;
}

static enum bo_status put_frame(const struct pcdata_model *model, pcdata_put_record *put_record,
                                bool canonical, struct bo_writer *out, struct bo_error *err)
{
    struct pcdata_frame_writer w;
    enum bo_status status = pcdata_frame_begin(&w, model, out, err);
    for (uint32_t t = 0; t < model->n_tables && !status; t++) {
        const struct pcdata_table *table = &model->tables[t];
        const size_t start = out->n;
        status = put_record(table, w.quantum_shift, out, err);
        status = status ? status : bo_writer_status(out, err);
        if (status)
            break;
        if (out->n - w.area_start > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "records take 4 GiB or more");
        const uint32_t off = (uint32_t)(start - w.area_start);
        const size_t nbytes = out->n - start;
        bool found;
        uint32_t *stored =
            pcdata_record_find(&w.index, out->p + w.area_start, off, (uint32_t)nbytes, &found);
        if (found && canonical)
            w.n_again += table->n_runs + nbytes;
        if (found && (canonical || pcdata_may_share(&w, table, nbytes, off)))
            bo_writer_truncate(out, start);
        else
            *stored = off;
        w.offsets[t] = *stored;
    }
    if (!status && canonical && w.n_again > max_again(true, out->n - w.area_start, model->n_tables))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "records are shared by too many tables");
    return status ? status : pcdata_frame_end(&w, err);
}

enum bo_status pcdata_put_frame(const struct pcdata_model *model, pcdata_put_record *put_record,
                                struct bo_writer *out, struct bo_error *err)
{
    return put_frame(model, put_record, false, out, err);
}

enum bo_status pcdata_put_canonical_frame(const struct pcdata_model *model,
                                          pcdata_put_record *put_record, struct bo_writer *out,
                                          struct bo_error *err)
{
    return put_frame(model, put_record, true, out, err);
}

/* ---- scans ----------------------------------------------------------------------------------- */

enum bo_status pcdata_answer_scans(const struct pcdata_frame *frame, const void *reader,
                                   pcdata_scan_record *scan, const struct pcdata_scan *queries,
                                   size_t n, struct bo_sink *sink)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t table = queries[i].table;
        if (table >= frame->n_tables)
            return BO_OUT_OF_RANGE;
        struct pcdata_scan_answer *answer = bo_sink_take(sink, sizeof *answer);
        if (!answer)
            return BO_OVER_LIMIT;
        const size_t room = (sink->cap - sink->n) / sizeof *answer->runs;
        struct pcdata_scan_out out = {
            .runs = answer->runs,
            .cap = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX,
            .quantum_shift = frame->quantum_shift,
        };
        scan(reader, frame->area.p + pcdata_record_off(frame, table),
             pcdata_text_quanta(frame, table), &out);
        if (!bo_sink_take(sink, out.n * sizeof *answer->runs))
            return BO_OVER_LIMIT;
        answer->n_runs = out.n;
    }
    return BO_OK;
}

enum bo_status pcdata_answer_spans(const struct pcdata_frame *frame, const void *reader,
                                   pcdata_scan_record *scan, const struct pcdata_point *queries,
                                   size_t n, struct pcdata_span_answer *answers)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t table = queries[i].table, pc = queries[i].pc >> frame->quantum_shift;
        if (table >= frame->n_tables || pc >= pcdata_text_quanta(frame, table) ||
            pc << frame->quantum_shift != queries[i].pc)
            return BO_OUT_OF_RANGE;
        struct pcdata_scan_out out = {.quantum_shift = frame->quantum_shift, .target = pc};
        scan(reader, frame->area.p + pcdata_record_off(frame, table),
             pcdata_text_quanta(frame, table), &out);
        answers[i] = (struct pcdata_span_answer){out.last.value, out.last.pc};
    }
    return BO_OK;
}
