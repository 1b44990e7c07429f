/*
 * Records beside names as terms: the state that writer and reader share at each step, so that they
 * choose the same codes. Both call the same functions, which write symbols to a coder or read them
 * from it.
 */
#ifndef TEMPLIGHT_TERMS_HISTORY_H
#define TEMPLIGHT_TERMS_HISTORY_H

#include "codecs/templight/templight.h"
#include "codecs/templight/terms/prefix_code.h"

enum {
    TERMS_RUN_MOST = 255, /* what follows a longer run is a run of its own */
    TERMS_COLUMN_EXACT = 128,
    TERMS_N_KINDS = 64, /* kinds by number of first use; the last symbol: any other kind */
    TERMS_END = 0,      /* of events: no Begin */
};

#define TERMS_NOTHING UINT32_MAX

/* The codes, in the order of the file. */
enum {
    TERMS_CODE_RUN,         /* events that are as the last time */
    TERMS_CODE_MISS,        /* an event that is not */
    TERMS_CODE_FIRST_BEGIN, /* an event after one that is the first of its kind: after a Begin, */
    TERMS_CODE_FIRST_END,   /* after an End */
    TERMS_CODE_TUPLE,       /* tuples back, by class */
    TERMS_CODE_KIND,
    TERMS_CODE_NAME,
    TERMS_CODE_LOCATION,
    TERMS_CODE_ORIGIN,
    TERMS_CODE_OWN_ORIGIN,
    TERMS_CODE_OWN_GAP, /* Ends before the next whose origin is not as the last time */
    TERMS_CODE_FILE,
    TERMS_CODE_LINE,
    TERMS_CODE_COLUMN,
    TERMS_N_CODES
};

/* What lies together in the file, one after the other: each has its codes in front. */
enum { TERMS_REFS, TERMS_STRUCTURE, TERMS_LOCATIONS, TERMS_N_STREAMS };

extern const uint8_t terms_stream_of[TERMS_N_CODES];
extern const uint16_t terms_n_symbols_of[TERMS_N_CODES];

/* Which records have a time, or a memory figure. */
enum { TERMS_OF_NONE, TERMS_OF_ALL, TERMS_OF_SOME };

/* ---- the coder ------------------------------------------------------------------------------- */

struct terms_item {
    uint32_t rest;
    uint16_t symbol;
    uint8_t code, rest_nbits;
};

struct terms_coder {
    bool writes;
    struct bo_arena *arena;
    /* writing: all is listed first, since codes are fitted to it */
    struct terms_item *items;
    size_t n_items, cap_items;
    bool refused;
    /* reading */
    struct templight_bits bits[TERMS_N_STREAMS];
    struct templight_code *codes;
};

/* ---- the history ----------------------------------------------------------------------------- */

struct terms_tuple {
    uint32_t kind, name;
    uint32_t location, origin;
    /* of its last End: a location, or TERMS_NOTHING when it had none of its own */
    uint32_t own_origin;
};

/*
 * An event of struct templight_events as a record, without its time and memory; the first location
 * is absent.
 */
static inline void terms_set_record(uint32_t item, const struct terms_tuple *tuples,
                                    const struct templight_location *locations,
                                    struct templight_record *record)
{
    *record = (struct templight_record){.is_end = item & 1};
    if (!record->is_end) {
        const struct terms_tuple *tuple = &tuples[item / 2];
        record->kind = tuple->kind;
        record->name = tuple->name;
        record->location = locations[tuple->location];
        record->origin = locations[tuple->origin];
        return;
    }
    record->has_own_origin = item > 1;
    record->location = locations[0];
    record->origin = locations[record->has_own_origin ? item / 2 - 1 : 0];
}

/*
 * What is known after the events coded so far. Writer and reader hold the same history before each
 * symbol: an element changes only after the symbol that it predicts has been coded.
 *
 * Events. next[event] are the last two different events that followed `event`, the latest first.
 * next[event][0] is the guess. A wrong guess moves it to [1] and puts the new event in front; a
 * right one changes nothing. TERMS_NOTHING: there was none, so there is no guess.
 *
 * Runs. The number of right guesses in a row is one symbol, coded before the first of them. The
 * writer adds the symbol with 0 at index run_item and increments it with each right guess. The
 * reader counts run_left down. A run ends with a wrong guess or with an event without a guess,
 * where run_left must be 0. A run of TERMS_RUN_MOST ends without a wrong guess
 * (run_goes_on): the next guess starts the next run.
 *
 * Gaps. own_gap counts Ends in the same way: those before the next End whose own origin differs
 * from the guess, which is the own_origin of its tuple.
 */
struct terms_history {
    /* tuple 0: no Begin */
    struct terms_tuple *tuples;
    uint32_t n_tuples, max_tuples;
    uint32_t (*next)[2]; /* by event: what followed the last time, and what before that */
    uint32_t event;      /* the last one: its tuple times 2, and 1 for an End */
    uint32_t *open;      /* tuples */
    uint32_t n_open, max_open;
    size_t cap_open;
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

/* Writing: the numbers of a record's locations; both may be new. */
struct terms_places {
    uint32_t location, origin;
};

/* With its max_* set. False when the arena refuses. */
bool terms_init_history(struct terms_history *h, struct bo_arena *arena);

/* A Begin of this tuple is open, and was the last event. False when the arena refuses. */
bool terms_begin(struct terms_history *h, uint32_t tuple, struct bo_arena *arena);

/* ---- the walk: each is false on invalid bytes or without memory ------------------------------ */

/*
 * The next event: TERMS_END or a tuple, which may be a new one. When writing, it is an argument, as
 * are, for a new tuple, the record and the numbers of its places.
 */
bool terms_code_event(struct terms_coder *c, struct terms_history *h,
                      const struct templight_record *record, struct terms_places places,
                      uint32_t *event);

/*
 * The number of Ends whose origins are as guessed, which is coded before the first record. The
 * writer counts them later, and fills in the number after the last record.
 */
bool terms_start_gap(struct terms_coder *c, struct terms_history *h);
void terms_end_gap(struct terms_coder *c, const struct terms_history *h);

/*
 * An End's own origin, or TERMS_NOTHING; an argument when writing. *location is its content if it
 * is new. A reader calls this only if own_gap is 0: else the origin is as guessed.
 */
bool terms_code_own_origin(struct terms_coder *c, struct terms_history *h,
                           const struct templight_location *location, uint32_t *own_origin,
                           uint32_t tuple);

#endif
