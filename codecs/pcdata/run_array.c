/*
 * run-array: a control, the simplest random-access encoding. A record is the number of runs, their
 * starts, their values, all u32 little-endian; a lookup is a binary search.
 *
 *   u32  n, above 0
 *   u32  starts[n]  quanta, ascending from 0
 *   u32  values[n]
 */
#include "codecs/pcdata/pcdata.h"

static enum bo_status put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                 struct bo_writer *out, struct bo_error *err)
{
    bo_mark(out, "counts");
    bo_put_le32(out, table->n_runs);
    bo_mark(out, "starts");
    for (uint32_t i = 0; i < table->n_runs; i++)
        bo_put_le32(out, table->runs[i].pc >> quantum_shift);
    bo_mark(out, "values");
    for (uint32_t i = 0; i < table->n_runs; i++)
        bo_put_le32(out, (uint32_t)table->runs[i].value);
    return bo_writer_status(out, err);
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return pcdata_put_frame(model, put_record, out, err);
}

/* BO_CORRUPT at the byte `p` of what the cursor spans. */
static enum bo_status fail_at(struct bo_error *err, const struct bo_cursor *in, const uint8_t *p,
                              const char *what)
{
    return bo_fail(err, BO_CORRUPT, in->base + (uint64_t)(p - in->p), what);
}

static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    const struct bo_cursor at = *in;
    uint32_t n;
    if (!bo_get_le32(in, &n) || bo_left(in) / 8 < n)
        return bo_fail_here(err, BO_TRUNCATED, &at, "record runs past the area's end");
    if (n == 0)
        return bo_fail_here(err, BO_CORRUPT, &at, "record has no runs");
    const uint8_t *starts = in->p + in->off, *values = starts + 4 * (size_t)n;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *start_at = starts + 4 * (size_t)i, *value_at = values + 4 * (size_t)i;
        const uint32_t pc = bo_le32(start_at);
        if (i ? pc <= bo_le32(start_at - 4) : pc != 0)
            return fail_at(err, in, start_at, "starts of the runs do not ascend from 0");
        if (pc >= text_quanta)
            return fail_at(err, in, start_at, "run starts past the text's end");
        const int32_t value = (int32_t)bo_le32(value_at);
        if (i && value == runs->last_value)
            return fail_at(err, in, value_at, "neighbouring runs have the same value");
        if (!pcdata_collect(runs, pc << frame->quantum_shift, value))
            return bo_fail_alloc(err, runs->arena);
    }
    in->off += 8 * (size_t)n;
    return BO_OK;
}

/* Binary search without branches: `base` is always a run that starts at or before pc. */
static inline int32_t lookup(const void *reader, const uint8_t *record, uint32_t text_quanta,
                             uint32_t pc)
{
    const size_t n = bo_le32(record);
    const uint8_t *starts = record + 4;
    size_t base = 0;
    for (size_t left = n; left > 1;) {
        const size_t half = left / 2;
        base += bo_le32(starts + 4 * (base + half)) <= pc ? half : 0;
        left -= half;
    }
    return (int32_t)bo_le32(starts + 4 * (n + base));
}

static void scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    const size_t n = bo_le32(record);
    for (size_t i = 0; i < n; i++)
        if (!pcdata_scan_add(out, bo_le32(record + 4 + 4 * i),
                             (int32_t)bo_le32(record + 4 + 4 * (n + i))))
            return;
}

#include "codecs/pcdata/plain_reader.h"

const struct bo_codec pcdata_run_array = {
    .name = "run-array",
    .summary = "fixed-width starts and values, binary search",
    .spec = "codecs/pcdata/README.md#run-array",
    .choices = "which equal tables share bytes",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
