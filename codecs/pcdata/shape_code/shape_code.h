/*
 * Inside shape-code: what its files share. The layout is in shape_code.c.
 *
 *   shape_code.c  shaped records, the readers, the codec
 *   dictionary.c  the dictionary's bytes
 *   choice.c      the encoder's choice of a dictionary for one binary
 *   split.c       split records, for tables that no shape fits
 */
#ifndef PCDATA_SHAPE_CODE_H
#define PCDATA_SHAPE_CODE_H

#include "codecs/pcdata/pcdata.h"
#include "harness/core/bits.h"

enum {
    SHAPE_MAX_SHAPES = 254, /* codes 0 .. 253; */
    SHAPE_SPLIT_CODE = 255, /* starts a split record */
    SHAPE_MAX_BASES = 16,
    SHAPE_MAX_TEMPLATES = 512,
    SHAPE_MAX_RUNS = 32, /* of a shaped record */
    SHAPE_MAX_LOW_NBITS = 9,
    SHAPE_MAX_LOWS_NBITS = 256, /* all low parts of a record */
    SHAPE_MAX_UPPER_NBITS = 62,
    SHAPE_MAX_VALUE_NBITS = 31,
};

/* A table's values, less the least of them and shifted, when they are shared by many tables. */
struct shape_template {
    uint8_t n_runs;
    uint8_t value_nbits;
    uint32_t values[SHAPE_MAX_RUNS];
};

/* The layout of a record, which its code selects. */
struct shape {
    uint8_t n_runs;      /* values in the record or template: at least as many as the table has */
    uint8_t low_nbits;   /* of each boundary; its other bits are in the upper part */
    uint8_t bias_nbytes; /* 0 .. 4 */
    uint8_t base;        /* index of the dictionary's base, to which the bias is added */
    uint8_t shift;       /* 0 .. 3: trailing zero bits of each value, not stored */
    uint8_t value_nbits; /* stored of each value; of a template, its own */
    int16_t template;    /* index, or -1: the record has values of its own */
};

struct shape_dictionary {
    uint32_t n_bases, n_templates, n_shapes;
    int32_t bases[SHAPE_MAX_BASES];
    struct shape_template templates[SHAPE_MAX_TEMPLATES];
    struct shape shapes[SHAPE_MAX_SHAPES];
};

/* What the choice of a shape depends on. */
struct shape_facts {
    uint32_t n_runs, text_quanta;
    int32_t min, max; /* of the values */
    uint8_t shift;    /* 0 .. 3: trailing zero bits that all (value - min) have */
    int16_t template; /* of the dictionary, or -1 */
    uint32_t cost;    /* bits, with the best shape so far */
};

/* ---- the dictionary's bytes ------------------------------------------------------------------ */

/* The least size of a dictionary: a reader of the first record loads bytes before the record. */
enum { SHAPE_MIN_DICTIONARY_NBYTES = 32 };

void shape_put_dictionary(const struct shape_dictionary *dictionary, struct bo_writer *out);

/*
 * A shape as the readers use it. Positions of fields count bits from SHAPE_FIELD_ORIGIN_NBYTES
 * bytes below the reference (or below the area's start, for a template), so that they are never
 * negative.
 */
enum { SHAPE_FIELD_ORIGIN_NBYTES = 4096, SHAPE_LANES_NBYTES = 64 };

struct shape_constants {
    uint64_t in_record;  /* all ones: fields are in the record; 0: in the dictionary */
    uint32_t value_at;   /* of value 0, in bits from the origin */
    int32_t value_step;  /* to the next value: minus its width */
    uint32_t value_mask; /* width ones, shifted */
    uint32_t bias_mask;
    uint32_t base;
    uint16_t lows_off; /* low bits of a boundary, times SHAPE_LANES_NBYTES: ready to index by */
    int8_t bias_at;    /* minus the bias's bytes */
    uint8_t n_runs;    /* 0: no such shape */
};

_Static_assert(sizeof(struct shape_constants) == 32, "two shapes share a cache line");

static inline unsigned shape_low_nbits(const struct shape_constants *s)
{
    return s->lows_off / SHAPE_LANES_NBYTES;
}

/*
 * Reads the dictionary at the area's start into 256 shapes; *nbytes_ret is where the records start.
 */
enum bo_status shape_read_dictionary(const struct pcdata_frame *frame,
                                     struct shape_constants *shapes, uint32_t *nbytes_ret,
                                     struct bo_error *err);

/* ---- the choice ------------------------------------------------------------------------------ */

#define SHAPE_NO_FIT UINT32_MAX

/* Bits that a table takes with a shape, or SHAPE_NO_FIT. */
uint32_t shape_cost(const struct shape_dictionary *dictionary, const struct shape *shape,
                    const struct shape_facts *facts);

/*
 * Chooses bases, templates and shapes for a model, and each table's code (SHAPE_SPLIT_CODE when
 * none fits). codes and facts have one entry a table. Time: about 250 x tables, on top of a search
 * among a sample of the tables.
 */
enum bo_status shape_choose(const struct pcdata_model *model, struct bo_arena *arena,
                            struct shape_dictionary *dictionary, struct shape_facts *facts,
                            uint8_t *codes, struct bo_error *err);

/* ---- split records --------------------------------------------------------------------------- */

enum bo_status shape_put_split(const struct pcdata_table *table, unsigned quantum_shift,
                               struct bo_writer *out, struct bo_error *err);

/* As pcdata_walk_record; the cursor is at the code byte. */
enum bo_status shape_walk_split(struct bo_cursor *in, uint32_t text_quanta, unsigned quantum_shift,
                                struct pcdata_collector *runs, struct bo_error *err);

int32_t shape_lookup_split(const uint8_t *record, uint32_t text_quanta, uint32_t pc);
int32_t shape_lookup_split_v3(const uint8_t *record, uint32_t text_quanta, uint32_t pc);
void shape_scan_split(const uint8_t *record, uint32_t text_quanta, struct pcdata_scan_out *out);

#endif
