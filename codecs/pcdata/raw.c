/*
 * raw: a control. A record is one int32, little-endian, for each quantum of the text. A lookup is
 * one load, so it is the fastest codec while its records are in the caches; it is also the largest.
 */
#include "codecs/pcdata/pcdata.h"

/*
 * A record of this many quanta, and no more, is written: 256 MiB. Real functions stay below 2^20.
 */
#define MAX_RECORD_QUANTA (UINT32_C(1) << 26)

static enum bo_status put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                 struct bo_writer *out, struct bo_error *err)
{
    const uint32_t n = table->text_len >> quantum_shift;
    if (n > MAX_RECORD_QUANTA)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "text has more than 2^26 quanta");
    bo_mark(out, "values");
    uint8_t *p = bo_put_space(out, 4 * (size_t)n);
    if (!p)
        return bo_writer_status(out, err);
    for (uint32_t i = 0, pc = 0; i < table->n_runs; i++) {
        const uint32_t end = i + 1 < table->n_runs ? table->runs[i + 1].pc >> quantum_shift : n;
        for (; pc < end; pc++, p += 4)
            bo_set_le32(p, (uint32_t)table->runs[i].value);
    }
    return BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return pcdata_put_frame(model, put_record, out, err);
}

static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    const uint8_t *p = NULL;
    if (bo_left(in) / 4 < text_quanta || !bo_get_bytes(in, 4 * (size_t)text_quanta, &p))
        return bo_fail_here(err, BO_TRUNCATED, in, "record runs past the area's end");
    for (uint32_t pc = 0; pc < text_quanta; pc++)
        if (!pcdata_collect(runs, pc << frame->quantum_shift, (int32_t)bo_le32(p + 4 * (size_t)pc)))
            return bo_fail_alloc(err, runs->arena);
    return BO_OK;
}

static inline int32_t lookup(const void *reader, const uint8_t *record, uint32_t text_quanta,
                             uint32_t pc)
{
    return (int32_t)bo_le32(record + 4 * (size_t)pc);
}

static void scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    for (uint32_t pc = 0; pc < text_quanta; pc++)
        if (!pcdata_scan_add(out, pc, (int32_t)bo_le32(record + 4 * (size_t)pc)))
            return;
}

#include "codecs/pcdata/plain_reader.h"

const struct bo_codec pcdata_raw = {
    .name = "raw",
    .summary = "one int32 for each PC",
    .spec = "codecs/pcdata/README.md#raw",
    .choices = "which equal tables share bytes",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
