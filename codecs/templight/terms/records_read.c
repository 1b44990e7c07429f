/* Records beside names as terms: reading. */
#include "codecs/templight/terms/history.h"
#include "codecs/templight/terms/records.h"

/* ---- times and memory ------------------------------------------------------------------------ */

struct times {
    struct bo_cursor in;
    unsigned times, memories;
    uint64_t last;
    uint32_t n_records, n_times, n_memories; /* read so far */
};

static enum bo_status start_times(struct times *t, struct bo_error *err)
{
    uint8_t who;
    if (!bo_get_u8(&t->in, &who))
        return bo_fail_here(err, BO_TRUNCATED, &t->in, "times run past the end");
    t->times = who & 3;
    t->memories = who >> 2;
    return t->times > TERMS_OF_SOME || t->memories > TERMS_OF_SOME
               ? bo_fail(err, BO_CORRUPT, t->in.base, "flags of times or memories are out of range")
               : BO_OK;
}

static enum bo_status take_some_times(struct times *t, struct templight_record *record,
                                      struct bo_error *err)
{
    uint8_t has = 0;
    record->has_time = t->times == TERMS_OF_ALL;
    record->has_memory = t->memories == TERMS_OF_ALL;
    if (t->times == TERMS_OF_SOME || t->memories == TERMS_OF_SOME) {
        if (!bo_get_u8(&t->in, &has))
            return bo_fail_here(err, BO_TRUNCATED, &t->in, "times run past the end");
        record->has_time = has & 1;
        record->has_memory = has >> 1 & 1;
        const bool agrees =
            (t->times == TERMS_OF_SOME || has % 2 == (t->times == TERMS_OF_ALL)) &&
            (t->memories == TERMS_OF_SOME || has / 2 == (t->memories == TERMS_OF_ALL));
        if (has > 3 || !agrees)
            return bo_fail(err, BO_CORRUPT, t->in.base + t->in.off - 1,
                           "times or memory of a record contradict the first byte");
    }
    t->n_times += record->has_time;
    t->n_memories += record->has_memory;
    if (record->has_time && !bo_get_le64(&t->in, &record->time_bits))
        return bo_fail_here(err, BO_TRUNCATED, &t->in, "times run past the end");
    if (!record->has_memory)
        return BO_OK;
    uint64_t change;
    const enum bo_status status = bo_get_uvarint64(&t->in, &change, err);
    if (!status)
        record->memory = t->last += (uint64_t)bo_unzigzag64(change);
    return status;
}

static inline enum bo_status take_times(struct times *t, struct templight_record *record,
                                        struct bo_error *err)
{
    t->n_records++;
    return t->times == TERMS_OF_NONE && t->memories == TERMS_OF_NONE
               ? BO_OK
               : take_some_times(t, record, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Reads the numbers at the start, and finds the streams. */
static enum bo_status open_streams(const struct templight_records *r, struct terms_coder *c,
                                   struct terms_history *h, struct times *times,
                                   struct bo_error *err)
{
    struct bo_cursor cursor = bo_cursor_at(r->in, r->off, r->nbytes);
    uint32_t n_records;
    enum bo_status status = bo_get_uvarint32(&cursor, &n_records, err);
    if (!status)
        status = bo_get_uvarint32(&cursor, &h->max_open, err);
    if (!status)
        status = bo_get_uvarint32(&cursor, &h->max_tuples, err);
    if (!status)
        status = bo_get_uvarint32(&cursor, &h->max_locations, err);
    for (unsigned stream = 0; stream < TERMS_N_STREAMS && !status; stream++) {
        uint32_t n;
        const uint8_t *p;
        if ((status = bo_get_uvarint32(&cursor, &n, err)))
            return status;
        if (!bo_get_bytes(&cursor, n, &p))
            return bo_fail_here(err, BO_TRUNCATED, &cursor, "records run past the end");
        c->bits[stream] = (struct templight_bits){p, n, 0};
    }
    if (status)
        return status;
    /* A symbol takes at least one bit and codes a limited number of records; and so on. */
    const uint64_t nbits = 8 * (uint64_t)r->nbytes;
    if (n_records > (TERMS_RUN_MOST + 1) * nbits || h->max_open > n_records ||
        h->max_tuples > nbits + 1 || h->max_tuples == 0 || h->max_locations > nbits + 1 ||
        h->max_locations == 0)
        return bo_fail(err, BO_CORRUPT, r->off, "more records than the file can hold");
    times->in = cursor;
    return start_times(times, err);
}

enum bo_status templight_open_records(struct bo_span in, size_t off, size_t nbytes,
                                      uint32_t n_names, uint32_t n_files,
                                      struct templight_records *records, struct bo_error *err)
{
    *records = (struct templight_records){
        .in = in, .n_names = n_names, .n_files = n_files, .off = off, .nbytes = nbytes};
    struct bo_cursor cursor = bo_cursor_at(in, off, nbytes);
    const enum bo_status status = bo_get_uvarint32(&cursor, &records->n_records, err);
    if (!status && records->n_records > 8 * (uint64_t)(TERMS_RUN_MOST + 1) * nbytes)
        return bo_fail(err, BO_CORRUPT, off, "more records than the file can hold");
    return status;
}

static enum bo_status read_codes(struct terms_coder *c)
{
    enum bo_status status = BO_OK;
    c->codes = bo_alloc_array(c->arena, TERMS_N_CODES, sizeof *c->codes);
    if (!c->codes)
        return c->arena->refusal;
    for (unsigned stream = 0; stream < TERMS_N_STREAMS; stream++)
        for (unsigned code = 0; code < TERMS_N_CODES && !status; code++)
            if (terms_stream_of[code] == stream)
                status = templight_read_code(&c->bits[stream], terms_n_symbols_of[code], c->arena,
                                             &c->codes[code]);
    return status;
}

/*
 * The next event inside of a run of guessed ones: most events are. It takes no bits. False where
 * terms_code_event has to read.
 */
static inline bool take_guess(struct terms_history *h, uint32_t *event)
{
    const uint32_t guess = h->next[h->event][0];
    if (!h->in_run || h->run_left == 0 || guess == TERMS_NOTHING)
        return false;
    h->in_run = --h->run_left > 0 || !h->run_goes_on;
    *event = guess;
    return true;
}

static bool past_end(const struct terms_coder *c)
{
    for (unsigned stream = 0; stream < TERMS_N_STREAMS; stream++)
        if (templight_past_end(&c->bits[stream]))
            return true;
    return false;
}

/* The next event, as struct templight_events has them. */
static inline bool read_event(struct terms_coder *c, struct terms_history *h, uint32_t *item)
{
    static const struct templight_record none;
    uint32_t event = TERMS_END, own_origin = TERMS_NOTHING;
    if (!take_guess(h, &event) &&
        (!terms_code_event(c, h, &none, (struct terms_places){0, 0}, &event) || past_end(c)))
        return false;
    if (event != TERMS_END) {
        *item = 2 * event;
        return h->n_open < h->max_open && terms_begin(h, event, c->arena);
    }
    const uint32_t tuple = h->n_open ? h->open[--h->n_open] : 0;
    h->event = 2 * tuple + 1;
    if (h->own_gap > 0) {
        h->own_gap--;
        own_origin = h->tuples[tuple].own_origin;
    } else if (!terms_code_own_origin(c, h, &none.origin, &own_origin, tuple) || past_end(c)) {
        return false;
    }
    *item = 2 * (own_origin + 1) + 1;
    return true;
}

/* "Some" records have a time or memory: neither none of them nor all. */
static bool are_some(unsigned who, uint32_t n, uint32_t n_records)
{
    return n_records ? who != TERMS_OF_SOME || (n && n < n_records) : who == TERMS_OF_NONE;
}

static enum bo_status check_ends(const struct templight_records *r, const struct terms_coder *c,
                                 const struct terms_history *h, uint32_t max_open,
                                 const struct times *times, struct bo_error *err)
{
    const char *flaw = NULL;
    for (unsigned stream = 0; stream < TERMS_N_STREAMS; stream++)
        if (!templight_is_end(&c->bits[stream]))
            flaw = "bits after the last record of a stream";
    if (h->run_left)
        flaw = "run goes beyond the last record";
    if (h->own_gap)
        flaw = "gap goes beyond the last End";
    if (h->n_tuples != h->max_tuples)
        flaw = "fewer different Begins than announced";
    if (h->n_locations != h->max_locations)
        flaw = "fewer different places than announced";
    if (max_open != h->max_open)
        flaw = "fewer open Begins than announced";
    if (!are_some(times->times, times->n_times, times->n_records) ||
        !are_some(times->memories, times->n_memories, times->n_records))
        flaw = "times of some records that are those of none or of all";
    if (h->n_names != r->n_names || h->n_files != r->n_files)
        flaw = "records do not have all names and files";
    if (bo_left(&times->in))
        flaw = "bytes after the times";
    return flaw ? bo_fail(err, BO_CORRUPT, r->off, flaw) : BO_OK;
}

/* Reads all records from the file, and keeps their events where there are items for them. */
static enum bo_status read_all(const struct templight_records *records, struct bo_arena *arena,
                               struct templight_events *events, templight_visit_record *visit,
                               void *context, struct bo_error *err)
{
    struct terms_coder c = {.arena = arena};
    struct terms_history h = {.max_names = records->n_names, .max_files = records->n_files};
    struct times times = {.last = 0};
    enum bo_status status = open_streams(records, &c, &h, &times, err);
    if (status)
        return status;
    status = read_codes(&c);
    if (status == BO_CORRUPT)
        return bo_fail(err, status, records->off,
                       "code lengths of records do not form a prefix code");
    if (status || !terms_init_history(&h, arena))
        return bo_fail_alloc(err, arena);
    uint32_t max_open = 0;
    arena->refusal = BO_OK;
    if (!terms_start_gap(&c, &h) || past_end(&c))
        return bo_fail(err, BO_CORRUPT, records->off, "record is invalid");
    for (uint32_t i = 0; i < records->n_records && !status; i++) {
        struct templight_record record;
        uint32_t item;
        if (!read_event(&c, &h, &item))
            return arena->refusal ? bo_fail_alloc(err, arena)
                                  : bo_fail(err, BO_CORRUPT, records->off, "record is invalid");
        max_open = h.n_open > max_open ? h.n_open : max_open;
        terms_set_record(item, h.tuples, h.locations, &record);
        status = take_times(&times, &record, err);
        if (!status && visit)
            status = visit(context, &record, err);
        if (events)
            events->items[i] = item;
    }
    if (!status)
        status = check_ends(records, &c, &h, max_open, &times, err);
    if (!status && events) {
        memcpy(events->tuples, h.tuples, h.max_tuples * sizeof *h.tuples);
        memcpy(events->locations, h.locations, h.max_locations * sizeof *h.locations);
    }
    return status;
}

/* The same from events that are kept; only times are still in the file. */
static enum bo_status read_kept(const struct templight_records *records,
                                templight_visit_record *visit, void *context, struct bo_error *err)
{
    const struct templight_events events = records->events;
    struct terms_coder c;
    struct terms_history h;
    struct times times = {.last = 0};
    enum bo_status status = open_streams(records, &c, &h, &times, err);
    for (uint32_t i = 0; i < records->n_records && !status; i++) {
        struct templight_record record;
        terms_set_record(events.items[i], events.tuples, events.locations, &record);
        status = take_times(&times, &record, err);
        if (!status)
            status = visit(context, &record, err);
    }
    return status;
}

enum bo_status templight_each_record(const struct templight_records *records,
                                     struct bo_arena *arena, templight_visit_record *visit,
                                     void *context, struct bo_error *err)
{
    return records->events.items ? read_kept(records, visit, context, err)
                                 : read_all(records, arena, NULL, visit, context, err);
}

enum bo_status templight_keep_events(struct templight_records *records, struct bo_arena *arena,
                                     size_t *left, struct bo_error *err)
{
    enum { ROUNDING = 15 }; /* bytes that the arena may add to an allocation */
    struct templight_events *events = &records->events;
    struct terms_coder c;
    struct terms_history h;
    struct times times;
    if (events->tried)
        return BO_OK;
    events->tried = true;
    if (open_streams(records, &c, &h, &times, err))
        return BO_OK;
    const uint64_t nbytes = records->n_records * (uint64_t)sizeof *events->items +
                            h.max_tuples * (uint64_t)sizeof *events->tuples +
                            h.max_locations * (uint64_t)sizeof *events->locations + 3 * ROUNDING;
    if (nbytes > *left || h.max_tuples > INT32_MAX || h.max_locations >= INT32_MAX)
        return BO_OK;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct templight_events kept = {
        .tried = true,
        .has_times = times.times != TERMS_OF_NONE || times.memories != TERMS_OF_NONE,
        .items = bo_alloc_array(arena, records->n_records, sizeof *kept.items),
        .tuples = bo_alloc_array(arena, h.max_tuples, sizeof *kept.tuples),
        .locations = bo_alloc_array(arena, h.max_locations, sizeof *kept.locations),
    };
    enum bo_status status =
        kept.items && kept.tuples && kept.locations ? BO_OK : bo_fail_alloc(err, arena);
    if (!status) {
        const struct bo_arena_mark scratch = bo_arena_mark(arena);
        status = read_all(records, arena, &kept, NULL, NULL, err);
        bo_arena_rewind(arena, scratch);
    }
    if (!status) {
        *events = kept;
        *left -= (size_t)nbytes;
        return BO_OK;
    }
    bo_arena_rewind(arena, mark);
    events->tried = status != BO_NO_MEMORY;
    return status == BO_NO_MEMORY ? status : BO_OK;
}
