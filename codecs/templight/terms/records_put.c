/* Records beside names as terms: writing. */
#include "codecs/templight/model.h"
#include "codecs/templight/terms/history.h"
#include "codecs/templight/terms/records.h"

static const char *const stream_marks[TERMS_N_STREAMS] = {"refs", "structure", "locations"};

/* ---- listing the symbols --------------------------------------------------------------------- */

/* The writer's numbers of tuples and locations. */
struct numbers {
    struct bo_texts tuples, locations;
};

static bool number_location(struct numbers *n, const struct templight_location *location,
                            uint32_t *number)
{
    const uint32_t key[] = {location->file, location->line, location->column};
    return bo_texts_add(&n->locations, (struct bo_span){(const uint8_t *)key, sizeof key}, number);
}

static bool number_tuple(struct numbers *n, const struct templight_record *record, uint32_t *number)
{
    const struct templight_location *a = &record->location, *b = &record->origin;
    const uint32_t key[] = {record->kind, record->name, a->file, a->line,
                            a->column,    b->file,      b->line, b->column};
    return bo_texts_add(&n->tuples, (struct bo_span){(const uint8_t *)key, sizeof key}, number);
}

static bool write_begin(struct terms_coder *c, struct terms_history *h, struct numbers *n,
                        const struct templight_record *record)
{
    struct terms_places places = {0, 0};
    uint32_t event;
    if (!number_tuple(n, record, &event))
        return false;
    event++;
    if (event == h->n_tuples && (!number_location(n, &record->location, &places.location) ||
                                 !number_location(n, &record->origin, &places.origin)))
        return false;
    if (!terms_code_event(c, h, record, places, &event))
        return false;
    return terms_begin(h, event, c->arena);
}

static bool write_end(struct terms_coder *c, struct terms_history *h, struct numbers *n,
                      const struct templight_record *record)
{
    uint32_t event = TERMS_END, own_origin = TERMS_NOTHING;
    if (!terms_code_event(c, h, record, (struct terms_places){0, 0}, &event) ||
        (record->has_own_origin && !number_location(n, &record->origin, &own_origin)))
        return false;
    const uint32_t tuple = h->n_open ? h->open[--h->n_open] : 0;
    h->event = 2 * tuple + 1;
    return terms_code_own_origin(c, h, &record->origin, &own_origin, tuple);
}

static bool list_items(struct terms_coder *c, struct terms_history *h,
                       const struct templight_trace *trace)
{
    struct numbers n;
    uint32_t absent;
    if (!bo_texts_init(&n.tuples, true, c->arena) || !bo_texts_init(&n.locations, true, c->arena) ||
        !number_location(&n, &(struct templight_location){TEMPLIGHT_NONE, 0, 0}, &absent) ||
        !terms_start_gap(c, h))
        return false;
    for (size_t i = 0; i < trace->n_records; i++)
        if (!(trace->records[i].is_end ? write_end : write_begin)(c, h, &n, &trace->records[i]))
            return false;
    terms_end_gap(c, h);
    return true;
}

/* Room for anything that a trace may have; each record has a tuple and two locations at most. */
static void set_limits(struct terms_history *h, const struct templight_trace *trace)
{
    *h = (struct terms_history){
        .max_tuples = (uint32_t)trace->n_records + 1,
        .max_locations = 2 * (uint32_t)trace->n_records + 1,
        .max_files = trace->n_files,
        .max_names = trace->n_names,
    };
}

static uint32_t deepest(const struct templight_trace *trace)
{
    uint32_t n = 0, most = 0;
    for (size_t i = 0; i < trace->n_records; i++) {
        n = trace->records[i].is_end ? n - (n > 0) : n + 1;
        most = n > most ? n : most;
    }
    return most;
}

/* The items of one stream, and its codes before. */
static bool put_stream(const struct terms_coder *c, unsigned stream, struct bo_writer *out)
{
    struct templight_bit_writer w = {.out = out};
    struct templight_words words[TERMS_N_CODES];
    for (unsigned code = 0; code < TERMS_N_CODES; code++) {
        uint32_t uses[TERMS_RUN_MOST + 1] = {0};
        if (terms_stream_of[code] != stream)
            continue;
        for (size_t i = 0; i < c->n_items; i++)
            if (c->items[i].code == code)
                uses[c->items[i].symbol]++;
        if (!templight_fit_words(uses, terms_n_symbols_of[code], c->arena, &words[code]) ||
            !templight_put_code(&w, &words[code], c->arena))
            return false;
    }
    for (size_t i = 0; i < c->n_items; i++) {
        const struct terms_item *item = &c->items[i];
        if (terms_stream_of[item->code] != stream)
            continue;
        templight_put_symbol(&w, &words[item->code], item->symbol);
        templight_put_bits(&w, item->rest, item->rest_nbits);
    }
    templight_end_bits(&w);
    return true;
}

/* ---- times and memory ------------------------------------------------------------------------ */

static unsigned who_has(size_t n, size_t n_records)
{
    return n == 0 ? TERMS_OF_NONE : n == n_records ? TERMS_OF_ALL : TERMS_OF_SOME;
}

static void put_times(const struct templight_trace *trace, struct bo_writer *out)
{
    size_t n_times = 0, n_memories = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < trace->n_records; i++) {
        n_times += trace->records[i].has_time;
        n_memories += trace->records[i].has_memory;
    }
    const unsigned times = who_has(n_times, trace->n_records);
    const unsigned memories = who_has(n_memories, trace->n_records);
    bo_put_u8(out, (uint8_t)(times | memories << 2));
    for (size_t i = 0; i < trace->n_records; i++) {
        const struct templight_record *record = &trace->records[i];
        if (times == TERMS_OF_SOME || memories == TERMS_OF_SOME)
            bo_put_u8(out, (uint8_t)(record->has_time | record->has_memory << 1));
        if (record->has_time)
            bo_put_le64(out, record->time_bits);
        if (record->has_memory) {
            bo_put_uvarint(out, bo_zigzag64((int64_t)(record->memory - last)));
            last = record->memory;
        }
    }
}

/* ---- the file -------------------------------------------------------------------------------- */

enum bo_status templight_put_records(const struct templight_trace *trace, struct bo_writer *out,
                                     struct bo_error *err)
{
    struct terms_coder c = {.writes = true, .arena = out->arena};
    struct terms_history h;
    if (trace->n_records > INT32_MAX - 1)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "more records than 31-bit numbers count");
    set_limits(&h, trace);
    if (!terms_init_history(&h, out->arena) || !list_items(&c, &h, trace))
        return bo_fail_alloc(err, out->arena);
    bo_mark(out, "structure");
    bo_put_uvarint(out, trace->n_records);
    bo_put_uvarint(out, deepest(trace));
    bo_put_uvarint(out, h.n_tuples);
    bo_put_uvarint(out, h.n_locations);
    for (unsigned stream = 0; stream < TERMS_N_STREAMS; stream++) {
        struct bo_writer part;
        bo_writer_init(&part, out->arena);
        const bool ok = put_stream(&c, stream, &part) && !part.status;
        if (ok) {
            bo_mark(out, "structure");
            bo_put_uvarint(out, part.n);
            bo_mark(out, stream_marks[stream]);
            bo_put_bytes(out, part.p, part.n);
        }
        bo_writer_free(&part);
        if (!ok)
            return bo_fail_alloc(err, out->arena);
    }
    bo_mark(out, "times");
    put_times(trace, out);
    return bo_writer_status(out, err);
}
