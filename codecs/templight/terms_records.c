/*
 * Records: writing and reading are one walk, in which a coder takes symbols from the walk, or gives them
 * to it. So both sides know the same at each step.
 */
#include "codecs/templight/terms_records.h"

#include "codecs/templight/model.h"

enum {
    RUN_MOST = 255, /* what follows a longer run is a run of its own */
    COLUMN_EXACT = 128,
    N_KIND_SYMBOLS = 64, /* kinds by number of first use; the last symbol: any other kind */
    END = 0,             /* of events: no Begin */
};

#define NOTHING UINT32_MAX

/* The codes, in the order of the file. */
enum {
    CODE_RUN,         /* events that are as the last time */
    CODE_MISS,        /* an event that is not */
    CODE_FIRST_BEGIN, /* an event after one that is the first of its kind: after a Begin, */
    CODE_FIRST_END,   /* after an End */
    CODE_TUPLE,       /* tuples back, by class */
    CODE_KIND,
    CODE_NAME,
    CODE_LOCATION,
    CODE_ORIGIN,
    CODE_OWN_ORIGIN,
    CODE_OWN_GAP, /* Ends before the next whose origin is not as the last time */
    CODE_FILE,
    CODE_LINE,
    CODE_COLUMN,
    N_CODES
};

/* What lies together in the file, one behind the other: each has its codes in front. */
enum { STREAM_REFS, STREAM_STRUCTURE, STREAM_LOCATIONS, N_STREAMS };

static const char *const stream_marks[N_STREAMS] = {"refs", "structure", "locations"};

static const uint8_t stream_of[N_CODES] = {
    [CODE_KIND] = STREAM_STRUCTURE,    [CODE_LOCATION] = STREAM_LOCATIONS,
    [CODE_ORIGIN] = STREAM_LOCATIONS,  [CODE_OWN_ORIGIN] = STREAM_LOCATIONS,
    [CODE_OWN_GAP] = STREAM_LOCATIONS, [CODE_FILE] = STREAM_LOCATIONS,
    [CODE_LINE] = STREAM_LOCATIONS,    [CODE_COLUMN] = STREAM_LOCATIONS,
    [CODE_RUN] = STREAM_REFS, /* and all others */
};

static const uint16_t n_symbols_of[N_CODES] = {
    [CODE_RUN] = RUN_MOST + 1,
    [CODE_MISS] = 4,
    [CODE_FIRST_BEGIN] = 4,
    [CODE_FIRST_END] = 4,
    [CODE_TUPLE] = TEMPLIGHT_CLASSES,
    [CODE_KIND] = N_KIND_SYMBOLS,
    [CODE_NAME] = 2 + TEMPLIGHT_CLASSES,
    [CODE_LOCATION] = 3 + TEMPLIGHT_CLASSES,
    [CODE_ORIGIN] = 3 + TEMPLIGHT_CLASSES,
    [CODE_OWN_ORIGIN] = 2 + TEMPLIGHT_CLASSES,
    [CODE_OWN_GAP] = TEMPLIGHT_CLASSES,
    [CODE_FILE] = 2 + TEMPLIGHT_CLASSES,
    [CODE_LINE] = TEMPLIGHT_CLASSES,
    [CODE_COLUMN] = COLUMN_EXACT + TEMPLIGHT_CLASSES,
};

/* Symbols of CODE_MISS and CODE_FIRST_*. */
enum { EVENT_END, EVENT_NEW, EVENT_OLD, EVENT_AS_BEFORE_LAST };

/* ---- the coder ----------------------------------------------------------------------------------- */

struct item {
    uint32_t rest;
    uint16_t symbol;
    uint8_t code, rest_nbits;
};

struct coder {
    bool writes;
    struct bo_arena *arena;
    /* writing: all is listed first, since codes are fitted to it */
    struct item *items;
    size_t n_items, cap_items;
    bool refused;
    /* reading */
    struct templight_bits bits[N_STREAMS];
    struct templight_code *codes;
};

static void list_item(struct coder *c, struct item item)
{
    if (c->n_items == c->cap_items) {
        struct item *items = bo_grow_array(c->arena, c->items, c->n_items, c->n_items + 1,
                                           &c->cap_items, sizeof *items);
        if (!items) {
            c->refused = true;
            return;
        }
        c->items = items;
    }
    c->items[c->n_items++] = item;
}

/* False, when reading, for no symbol; or when memory ends. */
static inline bool say(struct coder *c, unsigned code, uint32_t *symbol)
{
    if (c->writes) {
        list_item(c, (struct item){.code = (uint8_t)code, .symbol = (uint16_t)*symbol});
        return !c->refused;
    }
    *symbol = templight_take_symbol(&c->bits[stream_of[code]], &c->codes[code]);
    return *symbol != TEMPLIGHT_NO_SYMBOL;
}

/* A number's bits behind its class, which is known to both sides. */
static inline void say_rest(struct coder *c, unsigned code, uint32_t class, uint32_t *v)
{
    if (!c->writes) {
        *v = templight_take_rest(&c->bits[stream_of[code]], class);
    } else if (class > 1 && c->n_items) {
        struct item *item = &c->items[c->n_items - 1];
        item->rest = *v - (UINT32_C(1) << (class - 1));
        item->rest_nbits = (uint8_t)(class - 1);
    }
}

/* A number in classes that start at a symbol of the code. */
static bool say_number(struct coder *c, unsigned code, uint32_t *v)
{
    uint32_t class = c->writes ? bo_bit_width(*v) : 0;
    if (!say(c, code, &class))
        return false;
    say_rest(c, code, class, v);
    return true;
}

/*
 * One of n things that are known, by the last of which it is told how far back it is, or a new one; but
 * first, whether it is one of the guesses (NOTHING: none). *is_new: true when it is new, and has number n.
 */
static bool say_known(struct coder *c, unsigned code, const uint32_t *guesses, unsigned n_guesses,
                      uint32_t n, uint32_t *v, bool *is_new)
{
    uint32_t symbol = 0, back = 0;
    if (c->writes && *v < n) {
        back = n - 1 - *v;
        symbol = 1 + n_guesses + bo_bit_width(back);
        for (unsigned i = n_guesses; i-- > 0;)
            if (guesses[i] == *v)
                symbol = 1 + i;
    }
    if (!say(c, code, &symbol))
        return false;
    *is_new = symbol == 0;
    if (symbol == 0) {
        *v = n;
        return true;
    }
    if (symbol <= n_guesses) {
        *v = guesses[symbol - 1];
        return *v < n;
    }
    say_rest(c, code, symbol - 1 - n_guesses, &back);
    *v = n - 1 - back;
    return back < n;
}

/* ---- what both sides know ------------------------------------------------------------------------ */

struct tuple {
    uint32_t kind, name;
    uint32_t location, origin;
    uint32_t own_origin; /* of its last End: a location, or NOTHING when it had none of its own */
};

struct history {
    /* tuple 0 stands for no Begin */
    struct tuple *tuples;
    uint32_t n_tuples, max_tuples;
    uint32_t (*next)[2]; /* by event: what followed the last time, and what before that */
    uint32_t event;      /* the last one: its tuple times 2, and 1 for an End */
    uint32_t *open;      /* tuples */
    uint32_t n_open, max_open;
    /* location 0 is absent */
    struct templight_location *locations;
    uint32_t n_locations, max_locations;
    uint32_t *location_under; /* by the origin around it: the last location */
    uint32_t *origin_at;      /* by location: the last origin */
    uint32_t *origin_of;      /* by name */
    uint32_t last_file;       /* of new locations */
    uint32_t *last_lines;     /* by file */
    uint32_t n_files, max_files, n_names, max_names;
    uint32_t *kinds;
    uint32_t n_kinds;
    uint32_t own_gap; /* Ends before the next whose origin is not as guessed; the writer: so far */
    size_t gap_item;  /* writing: where that goes */
    /* the run of guessed events */
    bool in_run, run_goes_on;
    uint32_t run_left;
    size_t run_item; /* writing */
};

static bool init_history(struct history *h, struct bo_arena *arena)
{
    h->tuples = bo_zalloc_array(arena, h->max_tuples, sizeof *h->tuples);
    h->next = bo_alloc_array(arena, 2 * (size_t)h->max_tuples, sizeof *h->next);
    h->open = bo_alloc_array(arena, h->max_open, sizeof *h->open);
    h->locations = bo_alloc_array(arena, h->max_locations, sizeof *h->locations);
    h->location_under = bo_alloc_array(arena, h->max_locations, sizeof *h->location_under);
    h->origin_at = bo_alloc_array(arena, h->max_locations, sizeof *h->origin_at);
    h->origin_of = bo_alloc_array(arena, h->max_names, sizeof *h->origin_of);
    h->last_lines = bo_zalloc_array(arena, h->max_files, sizeof *h->last_lines);
    h->kinds = bo_zalloc_array(arena, N_KIND_SYMBOLS, sizeof *h->kinds);
    if (!h->tuples || !h->next || !h->open || !h->locations || !h->location_under ||
        !h->origin_at || !h->origin_of || !h->last_lines || !h->kinds)
        return false;
    memset(h->next, 0xff, 2 * sizeof *h->next);
    memset(h->origin_of, 0xff, h->max_names * sizeof *h->origin_of);
    h->tuples[0].own_origin = NOTHING;
    h->n_tuples = h->n_locations = 1;
    h->locations[0] = (struct templight_location){TEMPLIGHT_NONE, 0, 0};
    h->location_under[0] = h->origin_at[0] = NOTHING;
    return true;
}

/* ---- locations -------------------------------------------------------------------------------------- */

static bool say_new_location(struct coder *c, struct history *h,
                             struct templight_location *location)
{
    const uint32_t guess = h->last_file;
    uint32_t line = 0, column = location->column;
    bool is_new;
    if (h->n_locations == h->max_locations ||
        !say_known(c, CODE_FILE, &guess, 1, h->n_files, &location->file, &is_new) ||
        (is_new && h->n_files == h->max_files))
        return false;
    h->n_files += is_new;
    h->last_file = location->file;
    uint32_t *last_line = &h->last_lines[location->file];
    if (c->writes)
        line = bo_zigzag32((int32_t)(location->line - *last_line));
    if (!say_number(c, CODE_LINE, &line))
        return false;
    *last_line = location->line = *last_line + (uint32_t)bo_unzigzag32(line);
    uint32_t symbol = column < COLUMN_EXACT ? column : COLUMN_EXACT + bo_bit_width(column);
    if (!say(c, CODE_COLUMN, &symbol))
        return false;
    if (symbol >= COLUMN_EXACT)
        say_rest(c, CODE_COLUMN, symbol - COLUMN_EXACT, &column);
    else
        column = symbol;
    location->column = column;
    h->location_under[h->n_locations] = h->origin_at[h->n_locations] = NOTHING;
    h->locations[h->n_locations++] = *location;
    return true;
}

/* *location: what it is when it is new, for the writer. */
static bool say_location(struct coder *c, struct history *h, unsigned code, const uint32_t *guesses,
                         unsigned n_guesses, struct templight_location location, uint32_t *number)
{
    bool is_new;
    return say_known(c, code, guesses, n_guesses, h->n_locations, number, &is_new) &&
           (!is_new || say_new_location(c, h, &location));
}

/* ---- tuples ------------------------------------------------------------------------------------------ */

/* Kinds are few: they stand where they occur first, and have symbols from then on. */
static bool say_kind(struct coder *c, struct history *h, uint32_t kind, uint32_t *kind_ret)
{
    uint32_t symbol = 0;
    while (c->writes && symbol < h->n_kinds && h->kinds[symbol] != kind)
        symbol++;
    if (!say(c, CODE_KIND, &symbol) || symbol > h->n_kinds)
        return false;
    if (symbol == h->n_kinds || symbol == N_KIND_SYMBOLS - 1) {
        if (!c->writes)
            kind = templight_take_bits(&c->bits[STREAM_STRUCTURE], 32);
        else {
            c->items[c->n_items - 1].rest = kind;
            c->items[c->n_items - 1].rest_nbits = 32;
        }
        h->kinds[symbol] = kind;
        h->n_kinds += symbol == h->n_kinds && symbol < N_KIND_SYMBOLS - 1;
    }
    *kind_ret = h->kinds[symbol];
    return true;
}

/* Numbers of locations that the writer knows beforehand; both may be new. */
struct known_places {
    uint32_t location, origin;
};

/* A Begin that has not been like this before; *record has its kind, name and places for the writer. */
static bool say_tuple(struct coder *c, struct history *h, const struct templight_record *record,
                      struct known_places places)
{
    if (h->n_tuples == h->max_tuples)
        return false;
    struct tuple *tuple = &h->tuples[h->n_tuples];
    const struct tuple *last = tuple - 1;
    const struct tuple *around = &h->tuples[h->n_open ? h->open[h->n_open - 1] : 0];
    const uint32_t name_guess = h->n_tuples > 1 ? last->name : NOTHING;
    bool is_new;
    *tuple = (struct tuple){.name = record->name,
                            .location = places.location,
                            .origin = places.origin,
                            .own_origin = NOTHING};
    if (!say_kind(c, h, record->kind, &tuple->kind) ||
        !say_known(c, CODE_NAME, &name_guess, 1, h->n_names, &tuple->name, &is_new) ||
        (is_new && h->n_names == h->max_names))
        return false;
    h->n_names += is_new;
    const uint32_t location_guesses[] = {last->location, h->location_under[around->origin]};
    if (!say_location(c, h, CODE_LOCATION, location_guesses, 2, record->location, &tuple->location))
        return false;
    const uint32_t origin_guesses[] = {h->origin_of[tuple->name], h->origin_at[tuple->location]};
    if (!say_location(c, h, CODE_ORIGIN, origin_guesses, 2, record->origin, &tuple->origin))
        return false;
    h->location_under[around->origin] = tuple->location;
    h->origin_of[tuple->name] = h->origin_at[tuple->location] = tuple->origin;
    memset(h->next[2 * (size_t)h->n_tuples], 0xff, 2 * sizeof *h->next);
    h->n_tuples++;
    return true;
}

/* ---- events ----------------------------------------------------------------------------------------- */

/* Whether the next event is the guess. */
static bool say_guessed(struct coder *c, struct history *h, uint32_t guess, uint32_t event,
                        bool *is_guess)
{
    uint32_t run = 0;
    if (!h->in_run) {
        h->run_item = c->n_items;
        if (!say(c, CODE_RUN, &run))
            return false;
        h->in_run = true;
        h->run_left = run;
        h->run_goes_on = run == RUN_MOST;
    }
    if (c->writes) {
        *is_guess = event == guess;
        if (*is_guess)
            h->in_run = ++c->items[h->run_item].symbol < RUN_MOST;
        else
            h->in_run = false;
        return true;
    }
    *is_guess = h->run_left > 0;
    if (h->run_left)
        h->run_left--;
    else
        h->in_run = false;
    if (h->run_left == 0 && h->run_goes_on)
        h->in_run = false;
    return true;
}

/* The next event: END or a tuple, which may be a new one. */
static bool say_event(struct coder *c, struct history *h, const struct templight_record *record,
                      struct known_places places, uint32_t *event)
{
    uint32_t *next = h->next[h->event];
    uint32_t symbol = 0, back = 0;
    unsigned code = CODE_MISS;
    bool is_guess = false;
    if (next[0] != NOTHING) {
        if (!say_guessed(c, h, next[0], *event, &is_guess))
            return false;
        *event = is_guess ? next[0] : *event;
    } else {
        h->in_run = false;
        code = h->event % 2 ? CODE_FIRST_END : CODE_FIRST_BEGIN;
        if (!c->writes && h->run_left)
            return false;
    }
    if (is_guess)
        return true;
    if (c->writes) {
        back = h->n_tuples - 1 - *event;
        symbol = *event == h->n_tuples ? EVENT_NEW
                 : *event == next[1]   ? EVENT_AS_BEFORE_LAST
                 : *event == END       ? EVENT_END
                                       : EVENT_OLD;
    }
    if (!say(c, code, &symbol))
        return false;
    if (symbol == EVENT_END) {
        *event = END;
    } else if (symbol == EVENT_AS_BEFORE_LAST) {
        *event = next[1];
    } else if (symbol == EVENT_OLD) {
        if (!say_number(c, CODE_TUPLE, &back) || back + 1 >= h->n_tuples)
            return false;
        *event = h->n_tuples - 1 - back;
    } else {
        *event = h->n_tuples;
        if (!say_tuple(c, h, record, places))
            return false;
    }
    next[1] = next[0];
    next[0] = *event;
    return *event != NOTHING;
}

/* The next number of Ends whose origins are as guessed. The writer fills it in when it knows. */
static bool start_gap(struct coder *c, struct history *h)
{
    h->gap_item = c->n_items;
    h->own_gap = 0;
    return say_number(c, CODE_OWN_GAP, &h->own_gap);
}

static void end_gap(struct coder *c, const struct history *h)
{
    struct item *item = &c->items[h->gap_item];
    const unsigned class = bo_bit_width(h->own_gap);
    item->symbol = (uint16_t) class;
    item->rest_nbits = (uint8_t)(class > 1 ? class - 1 : 0);
    item->rest = class > 1 ? h->own_gap - (UINT32_C(1) << (class - 1)) : 0;
}

/*
 * An End's own origin, or NOTHING, is guessed to be that of the last End of its tuple. Where it is not,
 * symbol 0 says that it has none; else comes how far back it is, plus 1, or 0 for a new location.
 */
static bool say_own_origin(struct coder *c, struct history *h,
                           const struct templight_location *location, uint32_t *own_origin,
                           uint32_t tuple)
{
    uint32_t *guess = &h->tuples[tuple].own_origin;
    if (c->writes ? *own_origin == *guess : h->own_gap > 0) {
        h->own_gap += c->writes ? 1u : -1u;
        *own_origin = *guess;
        return true;
    }
    uint32_t symbol = 0, back = 0;
    if (c->writes) {
        end_gap(c, h);
        back = h->n_locations - *own_origin;
        symbol = *own_origin == NOTHING ? 0 : 1 + bo_bit_width(back);
    }
    if (!say(c, CODE_OWN_ORIGIN, &symbol))
        return false;
    *guess = NOTHING;
    if (symbol) {
        struct templight_location own = *location;
        say_rest(c, CODE_OWN_ORIGIN, symbol - 1, &back);
        if (back > h->n_locations)
            return false;
        *guess = h->n_locations - back;
        if (back == 0 && !say_new_location(c, h, &own))
            return false;
    }
    *own_origin = *guess;
    return start_gap(c, h);
}

/* ---- writing ------------------------------------------------------------------------------------- */

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

static bool write_begin(struct coder *c, struct history *h, struct numbers *n,
                        const struct templight_record *record)
{
    struct known_places places = {0, 0};
    uint32_t event;
    if (!number_tuple(n, record, &event))
        return false;
    event++;
    if (event == h->n_tuples && (!number_location(n, &record->location, &places.location) ||
                                 !number_location(n, &record->origin, &places.origin)))
        return false;
    if (!say_event(c, h, record, places, &event))
        return false;
    h->event = 2 * event;
    h->open[h->n_open++] = event;
    return true;
}

static bool write_end(struct coder *c, struct history *h, struct numbers *n,
                      const struct templight_record *record)
{
    uint32_t event = END, own_origin = NOTHING;
    if (!say_event(c, h, record, (struct known_places){0, 0}, &event) ||
        (record->has_own_origin && !number_location(n, &record->origin, &own_origin)))
        return false;
    const uint32_t tuple = h->n_open ? h->open[--h->n_open] : 0;
    h->event = 2 * tuple + 1;
    return say_own_origin(c, h, &record->origin, &own_origin, tuple);
}

static bool list_items(struct coder *c, struct history *h, const struct templight_trace *trace)
{
    struct numbers n;
    uint32_t absent;
    if (!bo_texts_init(&n.tuples, true, c->arena) || !bo_texts_init(&n.locations, true, c->arena) ||
        !number_location(&n, &(struct templight_location){TEMPLIGHT_NONE, 0, 0}, &absent) ||
        !start_gap(c, h))
        return false;
    for (size_t i = 0; i < trace->n_records; i++)
        if (!(trace->records[i].is_end ? write_end : write_begin)(c, h, &n, &trace->records[i]))
            return false;
    end_gap(c, h);
    return true;
}

/* Room for anything that a trace may have; each record has a tuple and two locations at most. */
static void set_limits(struct history *h, const struct templight_trace *trace)
{
    *h = (struct history){
        .max_tuples = (uint32_t)trace->n_records + 1,
        .max_open = (uint32_t)trace->n_records,
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
static bool put_stream(const struct coder *c, unsigned stream, struct bo_writer *out)
{
    struct templight_bit_writer w = {.out = out};
    struct templight_words words[N_CODES];
    for (unsigned code = 0; code < N_CODES; code++) {
        uint32_t uses[RUN_MOST + 1] = {0};
        if (stream_of[code] != stream)
            continue;
        for (size_t i = 0; i < c->n_items; i++)
            if (c->items[i].code == code)
                uses[c->items[i].symbol]++;
        if (!templight_fit_words(uses, n_symbols_of[code], c->arena, &words[code]) ||
            !templight_put_code(&w, &words[code], c->arena))
            return false;
    }
    for (size_t i = 0; i < c->n_items; i++) {
        const struct item *item = &c->items[i];
        if (stream_of[item->code] != stream)
            continue;
        templight_put_symbol(&w, &words[item->code], item->symbol);
        templight_put_bits(&w, item->rest, item->rest_nbits);
    }
    templight_end_bits(&w);
    return true;
}

/* ---- times and memory ------------------------------------------------------------------------------ */

enum { OF_NONE, OF_ALL, OF_SOME }; /* records have it */

static unsigned who_has(size_t n, size_t n_records)
{
    return n == 0 ? OF_NONE : n == n_records ? OF_ALL : OF_SOME;
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
        if (times == OF_SOME || memories == OF_SOME)
            bo_put_u8(out, (uint8_t)(record->has_time | record->has_memory << 1));
        if (record->has_time)
            bo_put_le64(out, record->time_bits);
        if (record->has_memory) {
            bo_put_uvarint(out, bo_zigzag64((int64_t)(record->memory - last)));
            last = record->memory;
        }
    }
}

struct times {
    struct bo_cursor in;
    unsigned times, memories;
    uint64_t last;
};

static enum bo_status start_times(struct times *t, struct bo_error *err)
{
    uint8_t who;
    if (!bo_get_u8(&t->in, &who))
        return bo_fail_here(err, BO_TRUNCATED, &t->in, "times end too early");
    t->times = who & 3;
    t->memories = who >> 2;
    return t->times > OF_SOME || t->memories > OF_SOME
               ? bo_fail(err, BO_CORRUPT, t->in.base, "records that have times are none")
               : BO_OK;
}

static enum bo_status take_times(struct times *t, struct templight_record *record,
                                 struct bo_error *err)
{
    uint8_t has = 0;
    record->has_time = t->times == OF_ALL;
    record->has_memory = t->memories == OF_ALL;
    if (t->times == OF_SOME || t->memories == OF_SOME) {
        if (!bo_get_u8(&t->in, &has))
            return bo_fail_here(err, BO_TRUNCATED, &t->in, "times end too early");
        record->has_time = has & 1;
        record->has_memory = has >> 1 & 1;
    }
    if (record->has_time && !bo_get_le64(&t->in, &record->time_bits))
        return bo_fail_here(err, BO_TRUNCATED, &t->in, "times end too early");
    if (!record->has_memory)
        return BO_OK;
    uint64_t change;
    const enum bo_status status = bo_get_uvarint64(&t->in, &change, err);
    if (!status)
        record->memory = t->last += (uint64_t)bo_unzigzag64(change);
    return status;
}

/* ---- all ----------------------------------------------------------------------------------------- */

enum bo_status templight_put_records(const struct templight_trace *trace, struct bo_writer *out,
                                     struct bo_error *err)
{
    struct coder c = {.writes = true, .arena = out->arena};
    struct history h;
    if (trace->n_records > INT32_MAX - 1)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "more records than 31-bit numbers count");
    set_limits(&h, trace);
    if (!init_history(&h, out->arena) || !list_items(&c, &h, trace))
        return bo_fail_alloc(err, out->arena);
    bo_mark(out, "structure");
    bo_put_uvarint(out, trace->n_records);
    bo_put_uvarint(out, deepest(trace));
    bo_put_uvarint(out, h.n_tuples);
    bo_put_uvarint(out, h.n_locations);
    for (unsigned stream = 0; stream < N_STREAMS; stream++) {
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

/* ---- reading ------------------------------------------------------------------------------------- */

/* Reads the numbers that stand in front, and finds the streams. */
static enum bo_status open_streams(const struct templight_records *r, struct coder *c,
                                   struct history *h, struct times *times, struct bo_error *err)
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
    for (unsigned stream = 0; stream < N_STREAMS && !status; stream++) {
        uint32_t n;
        const uint8_t *p;
        if ((status = bo_get_uvarint32(&cursor, &n, err)))
            return status;
        if (!bo_get_bytes(&cursor, n, &p))
            return bo_fail_here(err, BO_TRUNCATED, &cursor, "records end too early");
        c->bits[stream] = (struct templight_bits){p, n, 0};
    }
    if (status)
        return status;
    /* A symbol takes a bit at least, and stands for so many records at most; and so on. */
    const uint64_t nbits = 8 * (uint64_t)r->nbytes;
    if (n_records > (RUN_MOST + 1) * nbits || h->max_open > n_records ||
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
    *records = (struct templight_records){in, 0, n_names, n_files, off, nbytes};
    struct bo_cursor cursor = bo_cursor_at(in, off, nbytes);
    const enum bo_status status = bo_get_uvarint32(&cursor, &records->n_records, err);
    if (!status && records->n_records > 8 * (uint64_t)(RUN_MOST + 1) * nbytes)
        return bo_fail(err, BO_CORRUPT, off, "more records than the file can hold");
    return status;
}

static enum bo_status read_codes(struct coder *c)
{
    enum bo_status status = BO_OK;
    c->codes = bo_alloc_array(c->arena, N_CODES, sizeof *c->codes);
    if (!c->codes)
        return c->arena->refusal;
    for (unsigned stream = 0; stream < N_STREAMS; stream++)
        for (unsigned code = 0; code < N_CODES && !status; code++)
            if (stream_of[code] == stream)
                status = templight_read_code(&c->bits[stream], n_symbols_of[code], c->arena,
                                             &c->codes[code]);
    return status;
}

static bool read_record(struct coder *c, struct history *h, struct templight_record *record)
{
    static const struct templight_record none;
    uint32_t event = END, own_origin = NOTHING;
    if (!say_event(c, h, &none, (struct known_places){0, 0}, &event))
        return false;
    *record = (struct templight_record){.is_end = event == END};
    if (event != END) {
        const struct tuple *tuple = &h->tuples[event];
        if (h->n_open == h->max_open)
            return false;
        h->event = 2 * event;
        h->open[h->n_open++] = event;
        record->kind = tuple->kind;
        record->name = tuple->name;
        record->location = h->locations[tuple->location];
        record->origin = h->locations[tuple->origin];
        return true;
    }
    const uint32_t tuple = h->n_open ? h->open[--h->n_open] : 0;
    h->event = 2 * tuple + 1;
    if (!say_own_origin(c, h, &none.origin, &own_origin, tuple))
        return false;
    record->has_own_origin = own_origin != NOTHING;
    record->location = record->origin = h->locations[0];
    if (record->has_own_origin)
        record->origin = h->locations[own_origin];
    return true;
}

static enum bo_status check_ends(const struct templight_records *r, const struct coder *c,
                                 const struct history *h, const struct times *times,
                                 struct bo_error *err)
{
    const char *flaw = NULL;
    for (unsigned stream = 0; stream < N_STREAMS; stream++)
        if ((c->bits[stream].bit + 7) / 8 != c->bits[stream].n)
            flaw = "records do not end where their stream does";
    if (h->n_names != r->n_names || h->n_files != r->n_files)
        flaw = "records do not have all names and files";
    if (bo_left(&times->in))
        flaw = "bytes behind the times";
    return flaw ? bo_fail(err, BO_CORRUPT, r->off, flaw) : BO_OK;
}

enum bo_status templight_each_record(const struct templight_records *records,
                                     struct bo_arena *arena, templight_visit_record *visit,
                                     void *context, struct bo_error *err)
{
    struct coder c = {.arena = arena};
    struct history h = {.max_names = records->n_names, .max_files = records->n_files};
    struct times times = {.last = 0};
    enum bo_status status = open_streams(records, &c, &h, &times, err);
    if (status)
        return status;
    status = read_codes(&c);
    if (status == BO_CORRUPT)
        return bo_fail(err, status, records->off, "codes of records are none");
    if (status || !init_history(&h, arena))
        return bo_fail_alloc(err, arena);
    bool ok = start_gap(&c, &h);
    for (uint32_t i = 0; i < records->n_records && !status; i++) {
        struct templight_record record;
        ok = ok && read_record(&c, &h, &record);
        for (unsigned stream = 0; stream < N_STREAMS; stream++)
            ok = ok && !templight_past_end(&c.bits[stream]);
        if (!ok)
            return bo_fail(err, BO_CORRUPT, records->off, "records are none");
        status = take_times(&times, &record, err);
        if (!status)
            status = visit(context, &record, err);
    }
    return status ? status : check_ends(records, &c, &h, &times, err);
}
