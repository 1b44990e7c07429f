/*
 * PCDATA: the tables that a Go binary keeps for each function, from PC to an int32.
 *
 * The model, the queries, and the frame that all codecs of the format share. Public to the format's
 * codecs and to importers; see README.md in this folder for the text form and the byte layouts.
 */
#ifndef PCDATA_H
#define PCDATA_H

#include "harness/codec.h"
#include "harness/format.h"

/* ---- the model: all tables of one binary ----------------------------------------------------- */

/* What a table maps to; PCDATA_INDEX0 + n is the function's PCDATA table n. */
enum pcdata_table_kind {
    PCDATA_PCSP,
    PCDATA_PCFILE,
    PCDATA_PCLN,
    PCDATA_INDEX0,
    PCDATA_MAX_KIND = UINT8_MAX,
};

/* The value holds from byte `pc` of the function to the next run, or to the end of the text. */
struct pcdata_run {
    uint32_t pc; /* bytes; a multiple of the quantum */
    int32_t value;
};

/* At least one run, the first at PC 0; PCs ascend below text_len; neighbours differ in value. */
struct pcdata_table {
    uint32_t text_len; /* bytes; a positive multiple of the quantum */
    uint32_t n_runs;
    uint32_t refs; /* functions that refer to this table */
    uint8_t kind;  /* enum pcdata_table_kind */
    const struct pcdata_run *runs;
};

struct pcdata_model {
    uint32_t quantum; /* 1, 2 or 4: PCs of the architecture are multiples of it */
    uint32_t n_tables;
    const struct pcdata_table *tables;
};

/*
 * Returns NULL when the model keeps the rules above, else a static phrase. *table_ret (may be NULL)
 * is then the table concerned.
 */
const char *pcdata_model_flaw(const struct pcdata_model *model, uint32_t *table_ret);

/* ---- queries --------------------------------------------------------------------------------- */

enum pcdata_query_kind { PCDATA_POINT, PCDATA_SCAN, PCDATA_SPAN, PCDATA_N_KINDS };

/* The value at byte `pc` of table `table`; the answer is an int32_t. */
struct pcdata_point {
    uint32_t table, pc;
};

/* All runs of a table; the answer is a struct pcdata_scan_answer and its runs, in a sink. */
struct pcdata_scan {
    uint32_t table;
};

struct pcdata_scan_answer {
    uint32_t n_runs;
    struct pcdata_run runs[];
};

/*
 * The value at a PC, as for a point, and the start of its run in bytes. The run is that of the
 * model: an encoding may cut it in two.
 */
struct pcdata_span_answer {
    int32_t value;
    uint32_t start;
};

/* ---- the frame: what every codec's payload has in common ------------------------------------- */

/*
 * Layout (all integers little-endian; n tables):
 *
 *   0   u8   version, 1
 *   1   u8   log2 of the quantum: 0, 1, 2
 *   2   u16  0
 *   4   u32  n
 *   8   u32  area size in bytes
 *   12  u32  0
 *   16  the area: each table's record, equal ones stored once (the only part where codecs differ)
 *       zeros to the next multiple of 8, then PCDATA_OVERREAD zeros
 *       n x { u32 record's offset in the area, u32 text length in quanta }
 *       n x { u32 functions that refer to the table }
 *       n x { u8 kind }
 */
enum { PCDATA_FRAME_HEADER = 16, PCDATA_OVERREAD = 64, PCDATA_FRAME_VERSION = 1 };

struct pcdata_frame {
    struct bo_span area;
    uint32_t n_tables;
    unsigned quantum_shift;
    const uint8_t *directory; /* n x 8 bytes; see above */
    const uint8_t *refs;
    const uint8_t *kinds;
};

/*
 * Checks everything but the records: after BO_OK every table number below n_tables has a directory
 * entry with an offset inside the area and a text length that fits its type, and PCDATA_OVERREAD
 * bytes may be read past the area.
 */
enum bo_status pcdata_frame_open(struct bo_span in, struct pcdata_frame *frame,
                                 struct bo_error *err);

static inline uint32_t pcdata_record_off(const struct pcdata_frame *frame, uint32_t table)
{
    return bo_le32(frame->directory + 8 * (size_t)table);
}

/* In quanta. */
static inline uint32_t pcdata_text_quanta(const struct pcdata_frame *frame, uint32_t table)
{
    return bo_le32(frame->directory + 8 * (size_t)table + 4);
}

/* A hash table of records by their bytes, so that equal records are stored once. */
struct pcdata_record_index {
    struct pcdata_record_slot *slots;
    uint64_t seed; /* so that no file can have records that all collide */
    uint32_t mask;
};

/* Room for n_records; false when the arena refuses. */
bool pcdata_record_index_init(struct pcdata_record_index *index, uint32_t n_records,
                              struct bo_arena *arena);

/*
 * Looks up the n bytes at base + off, and adds them if they are absent. Every record that was added
 * before must still be at the same base. Returns a pointer to the number that the caller stores for
 * this record. *found_ret is true if the record was there before.
 */
uint32_t *pcdata_record_find(struct pcdata_record_index *index, const uint8_t *base, uint32_t off,
                             uint32_t n, bool *found_ret);

/*
 * A payload being written: pcdata_frame_begin, then the area by the codec, then pcdata_frame_end.
 */
struct pcdata_frame_writer {
    const struct pcdata_model *model;
    struct bo_writer *out;
    unsigned quantum_shift;
    size_t frame_start, area_start; /* in out */
    uint32_t *offsets; /* of each table's record in the area: the codec fills them in */
    struct pcdata_record_index index;
    uint64_t n_again; /* runs and bytes of shared records, for each table but the first */
};

enum bo_status pcdata_frame_begin(struct pcdata_frame_writer *w, const struct pcdata_model *model,
                                  struct bo_writer *out, struct bo_error *err);
enum bo_status pcdata_frame_end(struct pcdata_frame_writer *w, struct bo_error *err);

/*
 * Whether a table may share an earlier record of n bytes, when the area has area_nbytes: readers
 * would accept so much sharing. If so, it counts as shared. Readers count at most as much.
 */
bool pcdata_may_share(struct pcdata_frame_writer *w, const struct pcdata_table *table,
                      size_t nbytes, size_t area_nbytes);

/*
 * Appends the record of one table. PCs of the runs are to be divided by the quantum: pc >> shift.
 */
typedef enum bo_status pcdata_put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                         struct bo_writer *out, struct bo_error *err);

/*
 * Writes a whole payload, record by record. Equal records are stored once, or again where readers
 * would need too much work for a shared record.
 */
enum bo_status pcdata_put_frame(const struct pcdata_model *model, pcdata_put_record *put_record,
                                struct bo_writer *out, struct bo_error *err);

/* The same for a canonical encoding: BO_UNSUPPORTED where a record would be stored again. */
enum bo_status pcdata_put_canonical_frame(const struct pcdata_model *model,
                                          pcdata_put_record *put_record, struct bo_writer *out,
                                          struct bo_error *err);

/* ---- rebuilding runs ------------------------------------------------------------------------- */

/*
 * Collects the runs of one table as a codec's decoder finds them. If the arena is NULL, runs are
 * counted and not stored: so open validates with the same walk with which decode builds the model.
 */
struct pcdata_collector {
    struct bo_arena *arena;
    struct pcdata_run *runs;
    size_t n, cap;
    int32_t last_value;
    /* bits of this record before its offset; 0 for records of whole bytes */
    uint32_t nbits_before;
    uint32_t nbits_unused; /* at the end of the record's last byte; likewise */
};

/*
 * Adds a run that starts at `pc` (in bytes, above the last one's). A value equal to the last one's
 * continues its run. False when the arena refuses.
 */
bool pcdata_collect(struct pcdata_collector *runs, uint32_t pc, int32_t value);

/*
 * Reads the record at the cursor, which spans the area, and leaves the cursor at the record's end:
 * BO_OK only when all of it is inside the area and well-formed. Runs go to the collector.
 */
typedef enum bo_status pcdata_walk_record(const struct pcdata_frame *frame, void *context,
                                          struct bo_cursor *in, uint32_t text_quanta,
                                          struct pcdata_collector *runs, struct bo_error *err);

/* How a codec's records lie in the area. */
struct pcdata_layout {
    pcdata_walk_record *walk;
    /*
     * In a canonical encoding, the function that writes a record; else NULL. The walk then accepts
     * a record only if this function writes the same bytes for its runs, and each record only once.
     */
    pcdata_put_record *put;
    void *context;
    uint32_t first_off;     /* where the first record starts: the bytes before are shared by all */
    uint32_t max_gap_nbits; /* zero bits that alignment may leave between two records */
};

/*
 * Walks all records: to build a model or, when model_ret is NULL, only to validate. Records must
 * lie in table order from first_off to the area's end; a table's offset is that of the next record
 * or of an earlier one. So the work is linear for any directory.
 */
enum bo_status pcdata_walk_all(const struct pcdata_frame *frame, const struct pcdata_layout *layout,
                               struct bo_arena *arena, void **model_ret, struct bo_error *err);

/* A codec's decode, for records that need no context: frame, walk, model. */
enum bo_status pcdata_decode_frame(struct bo_span in, const struct pcdata_layout *layout,
                                   struct bo_arena *arena, void **model_ret, struct bo_error *err);

/* A codec's open, for readers that consist of the frame only. Walks every record. */
enum bo_status pcdata_open_frame(struct bo_span in, const struct pcdata_layout *layout,
                                 struct bo_arena *arena, struct pcdata_frame *frame,
                                 struct bo_error *err);

/* ---- answering ------------------------------------------------------------------------------- */

/* The value at `pc` (quanta, below text_quanta) of the record that starts at `record`. */
typedef int32_t pcdata_lookup(const void *reader, const uint8_t *record, uint32_t text_quanta,
                              uint32_t pc);

/* Answers a batch of points, with the checks that all codecs need. `lookup` is inlined, too. */
__attribute__((always_inline)) static inline enum bo_status pcdata_answer_points(
    const struct pcdata_frame *frame, const void *reader, pcdata_lookup *lookup,
    const struct pcdata_point *queries, size_t n, int32_t *answers)
{
    const struct pcdata_frame f = *frame; /* a copy, which stores to the answers cannot change */
    const uint32_t misaligned = (1u << f.quantum_shift) - 1;
    for (size_t i = 0; i < n; i++) {
        const struct pcdata_point q = queries[i];
        if (__builtin_expect(q.table >= f.n_tables, 0))
            return BO_OUT_OF_RANGE;
        const uint64_t entry = bo_le64(f.directory + 8 * (size_t)q.table);
        const uint32_t text_quanta = (uint32_t)(entry >> 32), pc = q.pc >> f.quantum_shift;
        if (__builtin_expect((pc >= text_quanta) | ((q.pc & misaligned) != 0), 0))
            return BO_OUT_OF_RANGE;
        answers[i] = lookup(reader, f.area.p + (uint32_t)entry, text_quanta, pc);
    }
    return BO_OK;
}

/* Where a scan puts the runs of one table. */
struct pcdata_scan_out {
    struct pcdata_run *runs; /* NULL: only the last run up to the target is kept */
    uint32_t n, cap;
    unsigned quantum_shift;
    uint32_t target; /* PC, quanta */
    struct pcdata_run last;
};

/*
 * Adds the run that starts at `pc` quanta; one that repeats the last value continues it. False when
 * it starts after the target of a span: the scan may stop.
 */
__attribute__((always_inline)) static inline bool pcdata_scan_add(struct pcdata_scan_out *out,
                                                                  uint32_t pc, int32_t value)
{
    if (__builtin_expect(!out->runs, 0)) {
        if (pc > out->target)
            return false;
        if (pc == 0 || out->last.value != value)
            out->last = (struct pcdata_run){pc << out->quantum_shift, value};
        return true;
    }
    const bool continues = out->n && out->n <= out->cap && out->runs[out->n - 1].value == value;
    if (!continues && out->n < out->cap)
        out->runs[out->n] = (struct pcdata_run){pc << out->quantum_shift, value};
    out->n += !continues;
    return true;
}

/* Adds all runs of a record that open has validated, or those up to the target. */
typedef void pcdata_scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                                struct pcdata_scan_out *out);

/* Answers a batch of scans; BO_OVER_LIMIT when the sink is full. */
enum bo_status pcdata_answer_scans(const struct pcdata_frame *frame, const void *reader,
                                   pcdata_scan_record *scan, const struct pcdata_scan *queries,
                                   size_t n, struct bo_sink *sink);

/* Answers a batch of spans by scanning their tables. */
enum bo_status pcdata_answer_spans(const struct pcdata_frame *frame, const void *reader,
                                   pcdata_scan_record *scan, const struct pcdata_point *queries,
                                   size_t n, struct pcdata_span_answer *answers);

#endif
