/*
 * varint-delta: what the Go linker writes and the Go runtime reads (runtime/symtab.go, pcvalue).
 *
 * A record is a sequence of runs, then a 0 byte:
 *
 *   varint   zigzag of (value - previous value) mod 2^32; the first previous value is -1
 *   uvarint  length of the run in quanta, above 0
 *
 * The first delta may be 0 (value -1 at PC 0); any later 0 ends the record. The runs' lengths add
 * up to the text's.
 */
#include "codecs/pcdata/pcdata.h"

/* ---- writing --------------------------------------------------------------------------------- */

static enum bo_status put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                 struct bo_writer *out, struct bo_error *err)
{
    bo_mark(out, "runs");
    uint32_t previous = UINT32_MAX;
    for (uint32_t i = 0; i < table->n_runs; i++) {
        const uint32_t value = (uint32_t)table->runs[i].value;
        const uint32_t end = i + 1 < table->n_runs ? table->runs[i + 1].pc : table->text_len;
        bo_put_uvarint(out, bo_zigzag32((int32_t)(value - previous)));
        bo_put_uvarint(out, (end - table->runs[i].pc) >> quantum_shift);
        previous = value;
    }
    bo_put_u8(out, 0);
    return bo_writer_status(out, err);
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return pcdata_put_frame(model, put_record, out, err);
}

/* ---- checking and decoding ------------------------------------------------------------------- */

static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    uint32_t value = UINT32_MAX, pc = 0;
    for (;;) {
        const struct bo_cursor at = *in;
        uint32_t delta, quanta;
        enum bo_status status = bo_get_uvarint32(in, &delta, err);
        if (status)
            return status;
        if (delta == 0 && pc > 0)
            return pc == text_quanta
                       ? BO_OK
                       : bo_fail_here(err, BO_CORRUPT, &at, "record ends before the text does");
        const struct bo_cursor length_at = *in;
        status = bo_get_uvarint32(in, &quanta, err);
        if (status)
            return status;
        if (quanta == 0)
            return bo_fail_here(err, BO_CORRUPT, &length_at, "run of length 0");
        if (quanta > text_quanta - pc)
            return bo_fail_here(err, BO_CORRUPT, &length_at, "run ends past the text's end");
        value += (uint32_t)bo_unzigzag32(delta);
        if (!pcdata_collect(runs, pc << frame->quantum_shift, (int32_t)value))
            return bo_fail_alloc(err, runs->arena);
        pc += quanta;
    }
}

/* ---- reading records that open has checked --------------------------------------------------- */

/* Reads a varint that open has checked. */
static inline const uint8_t *take_uvarint(const uint8_t *p, uint32_t *v_ret)
{
    uint32_t v = *p++;
    if (v >= 0x80) {
        v &= 0x7f;
        for (unsigned shift = 7;; shift += 7) {
            const uint32_t byte = *p++;
            v |= (byte & 0x7f) << shift;
            if (byte < 0x80)
                break;
        }
    }
    *v_ret = v;
    return p;
}

static inline int32_t lookup(const void *reader, const uint8_t *record, uint32_t text_quanta,
                             uint32_t pc)
{
    uint32_t value = UINT32_MAX, end = 0, delta, quanta;
    do {
        record = take_uvarint(record, &delta);
        record = take_uvarint(record, &quanta);
        value += (uint32_t)bo_unzigzag32(delta);
        end += quanta;
    } while (end <= pc);
    return (int32_t)value;
}

static void scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    uint32_t value = UINT32_MAX, delta, quanta;
    for (uint32_t pc = 0; pc < text_quanta; pc += quanta) {
        record = take_uvarint(record, &delta);
        record = take_uvarint(record, &quanta);
        value += (uint32_t)bo_unzigzag32(delta);
        if (!pcdata_scan_add(out, pc, (int32_t)value))
            return;
    }
}

#include "codecs/pcdata/plain_reader.h"

const struct bo_codec pcdata_varint_delta = {
    .name = "varint-delta",
    .summary = "value delta and run length as varints, read from the start (Go today)",
    .spec = "codecs/pcdata/README.md#varint-delta",
    .choices = "which equal tables share bytes",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};

/* ---- the same bytes after the Go runtime's cache -------------------------------------------- */

/*
 * Go 1.21's pcvalueCache: two sets of eight entries. The lowest bit of (PC / pointer size) selects
 * the set, which is searched from the front. A new entry is stored at the front; the entry that was
 * there moves to a random place. The runtime's key is the absolute PC and the table's offset; here
 * it is a (table, PC) pair.
 */
enum { CACHE_SETS = 2, CACHE_WAYS = 8, POINTER_NBYTES = 8 };

#define NO_KEY UINT64_MAX /* no table has number UINT32_MAX */

struct cached_reader {
    struct pcdata_frame frame;
    uint32_t random; /* xorshift32 state: replacement must not depend on the machine */
    struct cache_entry {
        uint64_t key; /* table << 32 | pc, or NO_KEY */
        int32_t value;
    } sets[CACHE_SETS][CACHE_WAYS];
};

static enum bo_status cached_open(const struct bo_codec *self, struct bo_span in,
                                  struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct cached_reader *reader = bo_alloc(arena, sizeof *reader);
    if (!reader)
        return bo_fail_alloc(err, arena);
    reader->random = 2463534242u;
    for (unsigned s = 0; s < CACHE_SETS; s++)
        for (unsigned w = 0; w < CACHE_WAYS; w++)
            reader->sets[s][w] = (struct cache_entry){NO_KEY, 0};
    *reader_ret = reader;
    return pcdata_open_frame(in, &layout, arena, &reader->frame, err);
}

static uint32_t next_random(struct cached_reader *reader)
{
    uint32_t x = reader->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return reader->random = x;
}

static enum bo_status cached_points(struct cached_reader *reader,
                                    const struct pcdata_point *queries, size_t n, int32_t *answers)
{
    for (size_t i = 0; i < n; i++) {
        const struct pcdata_point q = queries[i];
        if (q.table >= reader->frame.n_tables)
            return BO_OUT_OF_RANGE;
        const uint64_t key = (uint64_t)q.table << 32 | q.pc;
        struct cache_entry *set = reader->sets[q.pc / POINTER_NBYTES % CACHE_SETS];
        unsigned way = 0;
        while (way < CACHE_WAYS && set[way].key != key)
            way++;
        if (way < CACHE_WAYS) {
            answers[i] = set[way].value;
            continue;
        }
        const enum bo_status status =
            pcdata_answer_points(&reader->frame, NULL, lookup, &q, 1, &answers[i]);
        if (status)
            return status;
        set[next_random(reader) % CACHE_WAYS] = set[0];
        set[0] = (struct cache_entry){key, answers[i]};
    }
    return BO_OK;
}

static enum bo_status cached_query(const struct bo_codec *self, void *opaque, unsigned kind,
                                   const void *queries, size_t n, void *answers,
                                   struct bo_error *err)
{
    struct cached_reader *reader = opaque;
    if (kind == PCDATA_SPAN)
        return pcdata_answer_spans(&reader->frame, NULL, scan_record, queries, n, answers);
    return kind == PCDATA_POINT
               ? cached_points(reader, queries, n, answers)
               : pcdata_answer_scans(&reader->frame, NULL, scan_record, queries, n, answers);
}

const struct bo_codec pcdata_varint_delta_cached = {
    .name = "varint-delta-cached",
    .summary = "varint-delta behind the cache of the Go 1.21 runtime (2 sets of 8)",
    .spec = "codecs/pcdata/README.md#varint-delta",
    .choices = "which equal tables share bytes",
    .reads = "varint-delta",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = cached_open,
    .query = cached_query,
};
