/*
 * run-pairs: an encoding of PCDATA outside of bakeoff's tree. A record is the number of runs, then
 * the start and the value of each run. A start is next to its value, so a lookup ends on the cache
 * line that contains the value.
 *
 *   u32  n, above 0
 *   n pairs of
 *     u32  start  quanta, ascending from 0
 *     u32  value
 */
#include "codecs/pcdata/pcdata.h"
#include "harness/plugin.h"

enum { PAIR_NBYTES = 8 };

static enum bo_status put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                 struct bo_writer *out, struct bo_error *err)
{
    bo_mark(out, "counts");
    bo_put_le32(out, table->n_runs);
    bo_mark(out, "pairs");
    for (uint32_t i = 0; i < table->n_runs; i++) {
        bo_put_le32(out, table->runs[i].pc >> quantum_shift);
        bo_put_le32(out, (uint32_t)table->runs[i].value);
    }
    return bo_writer_status(out, err);
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return pcdata_put_frame(model, put_record, out, err);
}

/*
 * Checks a record and passes its runs on. lookup and scan_record may read an accepted record
 * without further checks.
 */
static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    (void)context;
    const struct bo_cursor at = *in;
    uint32_t n, start, value, next = 0;
    if (!bo_get_le32(in, &n))
        return bo_fail_here(err, BO_TRUNCATED, &at, "record runs past the area's end");
    if (n == 0)
        return bo_fail_here(err, BO_CORRUPT, &at, "record has no runs");
    for (uint32_t i = 0; i < n; i++) {
        const struct bo_cursor pair = *in;
        if (!bo_get_le32(in, &start) || !bo_get_le32(in, &value))
            return bo_fail_here(err, BO_TRUNCATED, &at, "record runs past the area's end");
        if (i ? start < next : start != 0)
            return bo_fail_here(err, BO_CORRUPT, &pair, "starts of the runs do not ascend from 0");
        if (start >= text_quanta)
            return bo_fail_here(err, BO_CORRUPT, &pair, "run starts past the text's end");
        if (i && (int32_t)value == runs->last_value)
            return bo_fail_here(err, BO_CORRUPT, &pair, "neighbouring runs have the same value");
        if (!pcdata_collect(runs, start << frame->quantum_shift, (int32_t)value))
            return bo_fail_alloc(err, runs->arena);
        next = start + 1;
    }
    return BO_OK;
}

static inline int32_t lookup(const void *reader, const uint8_t *record, uint32_t text_quanta,
                             uint32_t pc)
{
    (void)reader;
    (void)text_quanta;
    const uint8_t *pairs = record + 4;
    size_t base = 0;
    for (size_t left = bo_le32(record); left > 1;) {
        const size_t half = left / 2;
        base += bo_le32(pairs + PAIR_NBYTES * (base + half)) <= pc ? half : 0;
        left -= half;
    }
    return (int32_t)bo_le32(pairs + PAIR_NBYTES * base + 4);
}

static void scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    (void)reader;
    (void)text_quanta;
    const size_t n = bo_le32(record);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *pair = record + 4 + PAIR_NBYTES * i;
        pcdata_scan_add(out, bo_le32(pair), (int32_t)bo_le32(pair + 4));
    }
}

#include "codecs/pcdata/plain_reader.h"

static const struct bo_codec run_pairs = {
    .name = "run-pairs",
    .summary = "starts and values side by side, binary search",
    .spec = "examples/plugin/run_pairs.c",
    .choices = "which equal tables share bytes",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .kinds = 1u << PCDATA_POINT | 1u << PCDATA_SCAN,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};

BO_PLUGIN("pcdata", &run_pairs)
