/* The walk through records that writing and reading share. */
#include "codecs/templight/terms/history.h"

const uint8_t terms_stream_of[TERMS_N_CODES] = {
    [TERMS_CODE_KIND] = TERMS_STRUCTURE,    [TERMS_CODE_LOCATION] = TERMS_LOCATIONS,
    [TERMS_CODE_ORIGIN] = TERMS_LOCATIONS,  [TERMS_CODE_OWN_ORIGIN] = TERMS_LOCATIONS,
    [TERMS_CODE_OWN_GAP] = TERMS_LOCATIONS, [TERMS_CODE_FILE] = TERMS_LOCATIONS,
    [TERMS_CODE_LINE] = TERMS_LOCATIONS,    [TERMS_CODE_COLUMN] = TERMS_LOCATIONS,
    [TERMS_CODE_RUN] = TERMS_REFS, /* and all others */
};

const uint16_t terms_n_symbols_of[TERMS_N_CODES] = {
    [TERMS_CODE_RUN] = TERMS_RUN_MOST + 1,
    [TERMS_CODE_MISS] = 4,
    [TERMS_CODE_FIRST_BEGIN] = 4,
    [TERMS_CODE_FIRST_END] = 4,
    [TERMS_CODE_TUPLE] = TEMPLIGHT_CLASSES,
    [TERMS_CODE_KIND] = TERMS_N_KINDS,
    [TERMS_CODE_NAME] = 2 + TEMPLIGHT_CLASSES,
    [TERMS_CODE_LOCATION] = 3 + TEMPLIGHT_CLASSES,
    [TERMS_CODE_ORIGIN] = 3 + TEMPLIGHT_CLASSES,
    [TERMS_CODE_OWN_ORIGIN] = 1 + TEMPLIGHT_CLASSES,
    [TERMS_CODE_OWN_GAP] = TEMPLIGHT_CLASSES,
    [TERMS_CODE_FILE] = 2 + TEMPLIGHT_CLASSES,
    [TERMS_CODE_LINE] = TEMPLIGHT_CLASSES,
    [TERMS_CODE_COLUMN] = TERMS_COLUMN_EXACT + TEMPLIGHT_CLASSES,
};

/* Symbols of TERMS_CODE_MISS and TERMS_CODE_FIRST_*. */
enum { EVENT_END, EVENT_NEW, EVENT_OLD, EVENT_AS_BEFORE_LAST };

/* ---- the coder ------------------------------------------------------------------------------- */

static void list_item(struct terms_coder *c, struct terms_item item)
{
    if (bo_grow(c->arena, &c->items, c->n_items, 1, &c->cap_items))
        c->items[c->n_items++] = item;
    else
        c->refused = true;
}

/* False, when reading, for no symbol; or when memory ends. */
static inline bool say(struct terms_coder *c, unsigned code, uint32_t *symbol)
{
    if (c->writes) {
        list_item(c, (struct terms_item){.code = (uint8_t)code, .symbol = (uint16_t)*symbol});
        return !c->refused;
    }
    *symbol = templight_take_symbol(&c->bits[terms_stream_of[code]], &c->codes[code]);
    return *symbol != TEMPLIGHT_NO_SYMBOL;
}

/* A number's bits after its class, which is known to both sides. */
static inline void say_rest(struct terms_coder *c, unsigned code, uint32_t class, uint32_t *v)
{
    if (!c->writes) {
        *v = templight_take_rest(&c->bits[terms_stream_of[code]], class);
    } else if (class > 1) {
        struct terms_item *item = &c->items[c->n_items - 1];
        item->rest = *v - (UINT32_C(1) << (class - 1));
        item->rest_nbits = (uint8_t)(class - 1);
    }
}

/* A number in classes that start at a symbol of the code. */
static bool say_number(struct terms_coder *c, unsigned code, uint32_t *v)
{
    uint32_t class = c->writes ? bo_bit_width(*v) : 0;
    if (!say(c, code, &class))
        return false;
    say_rest(c, code, class, v);
    return true;
}

/*
 * Codes one of n known values: as one of the guesses (TERMS_NOTHING: no guess), else as its
 * distance back from the last value, or as new. *is_new is true for a new value, whose number is n.
 */
static bool say_known(struct terms_coder *c, unsigned code, const uint32_t *guesses,
                      unsigned n_guesses, uint32_t n, uint32_t *v, bool *is_new)
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
        for (unsigned i = 0; i + 1 < symbol; i++)
            if (guesses[i] == *v)
                return false; /* must be coded as the first right guess */
        return *v < n;
    }
    say_rest(c, code, symbol - 1 - n_guesses, &back);
    *v = n - 1 - back;
    for (unsigned i = 0; i < n_guesses; i++)
        if (guesses[i] == *v)
            return false; /* must be coded as a guess */
    return back < n;
}

/* ---- the history ----------------------------------------------------------------------------- */

bool terms_init_history(struct terms_history *h, struct bo_arena *arena)
{
    h->tuples = bo_alloc_array(arena, h->max_tuples, sizeof *h->tuples);
    h->next = bo_alloc_array(arena, 2 * (size_t)h->max_tuples, sizeof *h->next);
    h->locations = bo_alloc_array(arena, h->max_locations, sizeof *h->locations);
    h->location_under = bo_alloc_array(arena, h->max_locations, sizeof *h->location_under);
    h->origin_at = bo_alloc_array(arena, h->max_locations, sizeof *h->origin_at);
    h->origin_of = bo_alloc_array(arena, h->max_names, sizeof *h->origin_of);
    h->last_lines = bo_zalloc_array(arena, h->max_files, sizeof *h->last_lines);
    h->kinds = bo_zalloc_array(arena, TERMS_N_KINDS, sizeof *h->kinds);
    if (!h->tuples || !h->next || !h->locations || !h->location_under || !h->origin_at ||
        !h->origin_of || !h->last_lines || !h->kinds)
        return false;
    memset(h->next, 0xff, 2 * sizeof *h->next);
    memset(h->origin_of, 0xff, h->max_names * sizeof *h->origin_of);
    h->tuples[0] = (struct terms_tuple){.own_origin = TERMS_NOTHING};
    h->n_tuples = h->n_locations = 1;
    h->locations[0] = (struct templight_location){TEMPLIGHT_NONE, 0, 0};
    h->location_under[0] = h->origin_at[0] = TERMS_NOTHING;
    return true;
}

bool terms_begin(struct terms_history *h, uint32_t tuple, struct bo_arena *arena)
{
    if (!bo_grow(arena, &h->open, h->n_open, 1, &h->cap_open))
        return false;
    h->open[h->n_open++] = tuple;
    h->event = 2 * tuple;
    return true;
}

/* ---- locations ------------------------------------------------------------------------------- */

static bool say_new_location(struct terms_coder *c, struct terms_history *h,
                             struct templight_location *location)
{
    const uint32_t guess = h->last_file;
    uint32_t line = 0, column = location->column;
    bool is_new;
    if (h->n_locations == h->max_locations ||
        !say_known(c, TERMS_CODE_FILE, &guess, 1, h->n_files, &location->file, &is_new) ||
        (is_new && h->n_files == h->max_files))
        return false;
    h->n_files += is_new;
    h->last_file = location->file;
    uint32_t *last_line = &h->last_lines[location->file];
    if (c->writes)
        line = bo_zigzag32((int32_t)(location->line - *last_line));
    if (!say_number(c, TERMS_CODE_LINE, &line))
        return false;
    *last_line = location->line = *last_line + (uint32_t)bo_unzigzag32(line);
    uint32_t symbol =
        column < TERMS_COLUMN_EXACT ? column : TERMS_COLUMN_EXACT + bo_bit_width(column);
    if (!say(c, TERMS_CODE_COLUMN, &symbol))
        return false;
    if (symbol >= TERMS_COLUMN_EXACT)
        say_rest(c, TERMS_CODE_COLUMN, symbol - TERMS_COLUMN_EXACT, &column);
    else
        column = symbol;
    location->column = column;
    h->location_under[h->n_locations] = h->origin_at[h->n_locations] = TERMS_NOTHING;
    h->locations[h->n_locations++] = *location;
    return true;
}

/* *location: what it is when it is new, for the writer. */
static bool say_location(struct terms_coder *c, struct terms_history *h, unsigned code,
                         const uint32_t *guesses, unsigned n_guesses,
                         struct templight_location location, uint32_t *number)
{
    bool is_new;
    return say_known(c, code, guesses, n_guesses, h->n_locations, number, &is_new) &&
           (!is_new || say_new_location(c, h, &location));
}

/* ---- tuples ---------------------------------------------------------------------------------- */

/* Kinds are few: each is stored where it occurs first, and has a symbol from then on. */
static bool say_kind(struct terms_coder *c, struct terms_history *h, uint32_t kind,
                     uint32_t *kind_ret)
{
    uint32_t symbol = 0;
    while (c->writes && symbol < h->n_kinds && h->kinds[symbol] != kind)
        symbol++;
    if (!say(c, TERMS_CODE_KIND, &symbol) || symbol > h->n_kinds)
        return false;
    if (symbol == h->n_kinds) {
        if (!c->writes)
            kind = templight_take_bits(&c->bits[TERMS_STRUCTURE], 32);
        else {
            c->items[c->n_items - 1].rest = kind;
            c->items[c->n_items - 1].rest_nbits = 32;
        }
        h->kinds[symbol] = kind;
        h->n_kinds += symbol < TERMS_N_KINDS - 1;
    }
    *kind_ret = h->kinds[symbol];
    return true;
}

/*
 * A Begin that has not been like this before; *record has its kind, name and places for the writer.
 */
static bool say_tuple(struct terms_coder *c, struct terms_history *h,
                      const struct templight_record *record, struct terms_places places)
{
    if (h->n_tuples == h->max_tuples)
        return false;
    struct terms_tuple *tuple = &h->tuples[h->n_tuples];
    const struct terms_tuple *last = tuple - 1;
    const struct terms_tuple *around = &h->tuples[h->n_open ? h->open[h->n_open - 1] : 0];
    const uint32_t name_guess = h->n_tuples > 1 ? last->name : TERMS_NOTHING;
    bool is_new;
    *tuple = (struct terms_tuple){.name = record->name,
                                  .location = places.location,
                                  .origin = places.origin,
                                  .own_origin = TERMS_NOTHING};
    if (!say_kind(c, h, record->kind, &tuple->kind) ||
        !say_known(c, TERMS_CODE_NAME, &name_guess, 1, h->n_names, &tuple->name, &is_new) ||
        (is_new && h->n_names == h->max_names))
        return false;
    h->n_names += is_new;
    const uint32_t location_guesses[] = {last->location, h->location_under[around->origin]};
    if (!say_location(c, h, TERMS_CODE_LOCATION, location_guesses, 2, record->location,
                      &tuple->location))
        return false;
    const uint32_t origin_guesses[] = {h->origin_of[tuple->name], h->origin_at[tuple->location]};
    if (!say_location(c, h, TERMS_CODE_ORIGIN, origin_guesses, 2, record->origin, &tuple->origin))
        return false;
    /* The guesses above were made from the state before this tuple, so it changes only here. */
    h->location_under[around->origin] = tuple->location;
    h->origin_of[tuple->name] = h->origin_at[tuple->location] = tuple->origin;
    memset(h->next[2 * (size_t)h->n_tuples], 0xff, 2 * sizeof *h->next);
    h->n_tuples++;
    return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Whether the next event is the guess. */
static bool say_guessed(struct terms_coder *c, struct terms_history *h, uint32_t guess,
                        uint32_t event, bool *is_guess)
{
    uint32_t run = 0;
    if (!h->in_run) {
        h->run_item = c->n_items;
        if (!say(c, TERMS_CODE_RUN, &run))
            return false;
        h->in_run = true;
        h->run_left = run;
        h->run_goes_on = run == TERMS_RUN_MOST;
    }
    if (c->writes) {
        *is_guess = event == guess;
        if (*is_guess)
            h->in_run = ++c->items[h->run_item].symbol < TERMS_RUN_MOST;
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

/* The next event: TERMS_END or a tuple, which may be a new one. */
bool terms_code_event(struct terms_coder *c, struct terms_history *h,
                      const struct templight_record *record, struct terms_places places,
                      uint32_t *event)
{
    uint32_t *next = h->next[h->event];
    uint32_t symbol = 0, back = 0;
    unsigned code = TERMS_CODE_MISS;
    bool is_guess = false;
    if (next[0] != TERMS_NOTHING) {
        if (!say_guessed(c, h, next[0], *event, &is_guess))
            return false;
        *event = is_guess ? next[0] : *event;
    } else {
        h->in_run = false;
        code = h->event % 2 ? TERMS_CODE_FIRST_END : TERMS_CODE_FIRST_BEGIN;
        if (!c->writes && h->run_left)
            return false;
    }
    if (is_guess)
        return true;
    if (c->writes) {
        back = h->n_tuples - 1 - *event;
        symbol = *event == h->n_tuples ? EVENT_NEW
                 : *event == next[1]   ? EVENT_AS_BEFORE_LAST
                 : *event == TERMS_END ? EVENT_END
                                       : EVENT_OLD;
    }
    if (!say(c, code, &symbol))
        return false;
    if (symbol == EVENT_END) {
        *event = TERMS_END;
    } else if (symbol == EVENT_AS_BEFORE_LAST) {
        *event = next[1];
    } else if (symbol == EVENT_OLD) {
        if (!say_number(c, TERMS_CODE_TUPLE, &back) || (uint64_t)back + 1 >= h->n_tuples)
            return false;
        *event = h->n_tuples - 1 - back;
    } else {
        *event = h->n_tuples;
        if (!say_tuple(c, h, record, places))
            return false;
    }
    if (*event == next[0])
        return false; /* must be coded as the guess */
    next[1] = next[0];
    next[0] = *event;
    return *event != TERMS_NOTHING;
}

/* The next number of Ends whose origins are as guessed. The writer fills it in later. */
bool terms_start_gap(struct terms_coder *c, struct terms_history *h)
{
    h->gap_item = c->n_items;
    h->own_gap = 0;
    return say_number(c, TERMS_CODE_OWN_GAP, &h->own_gap);
}

void terms_end_gap(struct terms_coder *c, const struct terms_history *h)
{
    struct terms_item *item = &c->items[h->gap_item];
    const unsigned class = bo_bit_width(h->own_gap);
    item->symbol = (uint16_t) class;
    item->rest_nbits = (uint8_t)(class > 1 ? class - 1 : 0);
    item->rest = class > 1 ? h->own_gap - (UINT32_C(1) << (class - 1)) : 0;
}

/*
 * An End's own origin, or TERMS_NOTHING, is guessed to be that of the last End of its tuple. If
 * it is not, symbol 0 means that the End has no origin. Else the symbol is 1 + the class of how
 * far back the origin is; 0 back is a new location.
 */
bool terms_code_own_origin(struct terms_coder *c, struct terms_history *h,
                           const struct templight_location *location, uint32_t *own_origin,
                           uint32_t tuple)
{
    uint32_t *guess = &h->tuples[tuple].own_origin;
    if (c->writes && *own_origin == *guess) {
        h->own_gap++;
        return true;
    }
    uint32_t symbol = 0, back = 0;
    if (c->writes) {
        terms_end_gap(c, h);
        back = h->n_locations - *own_origin;
        symbol = *own_origin == TERMS_NOTHING ? 0 : 1 + bo_bit_width(back);
    }
    if (!say(c, TERMS_CODE_OWN_ORIGIN, &symbol))
        return false;
    const uint32_t expected = *guess;
    *guess = TERMS_NOTHING;
    if (symbol) {
        struct templight_location own = *location;
        say_rest(c, TERMS_CODE_OWN_ORIGIN, symbol - 1, &back);
        if (back > h->n_locations)
            return false;
        *guess = h->n_locations - back;
        if (back == 0 && !say_new_location(c, h, &own))
            return false;
    }
    if (*guess == expected)
        return false; /* must be coded as the guess */
    *own_origin = *guess;
    return terms_start_gap(c, h);
}
