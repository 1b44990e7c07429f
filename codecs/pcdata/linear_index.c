/*
 * linear-index: the alternate encoding of the seed. PCs are split into chunks of 256 quanta; a
 * record is an index of chunk offsets, then the chunks. Three readers of the same bytes: scalar,
 * SIMD, and one without branches.
 *
 *   index, for k chunks, of the offsets of chunks 1 .. k-1 from the index's end:
 *     nothing            k = 1
 *     (k-1) x u8         all offsets <= 0xff, the first <= 0xfd
 *     0xfe (k-1) x u16   all offsets <= 0xffff
 *     0xff (k-1) x u32   otherwise
 *   chunk:
 *     u8   n
 *     u8   pcs[n]        low bytes of the PCs, above the chunk's first, where the value changes
 *     u2   vlen[n+1]     lengths of the values: 1, 2, 3 stand for 1, 2, 4 bytes; padded with 0
 *                        bits to a byte
 *     int  vals[n+1]     vals[0]: the chunk's first value, and the bias that is added to the others
 *                        mod 2^32
 *
 * A constant chunk (n = 0) is stored once per record and value; later equal ones refer to it.
 */
#include "codecs/pcdata/pcdata.h"

#include <simde/x86/sse2.h>

#include "harness/core/cpu.h"

enum { CHUNK_SHIFT = 8, CHUNK_QUANTA = 1 << CHUNK_SHIFT, INDEX_U16 = 0xfe, INDEX_U32 = 0xff };

static uint64_t n_chunks_of(uint32_t text_quanta)
{
    return ((uint64_t)text_quanta + CHUNK_QUANTA - 1) >> CHUNK_SHIFT;
}

/* Bytes of the vlen array of n values. */
static inline size_t vlen_nbytes(size_t n)
{
    return (n + 3) / 4;
}

/* ---- writing --------------------------------------------------------------------------------- */

static unsigned value_code(int32_t v)
{
    return v == (int8_t)v ? 1 : v == (int16_t)v ? 2 : 3;
}

static const uint8_t code_nbytes[4] = {0, 1, 2, 4};

/* The runs of one chunk: `first` covers its start, those up to `end` start inside it. */
struct chunk_runs {
    uint32_t first, end;
};

/*
 * The runs of the chunk that starts at `start` quanta. `run` is the run that covers the quantum
 * before the chunk, or run 0.
 */
static struct chunk_runs chunk_at(const struct pcdata_table *table, unsigned quantum_shift,
                                  uint64_t start, uint32_t run)
{
    while (run + 1 < table->n_runs && table->runs[run + 1].pc >> quantum_shift <= start)
        run++;
    uint32_t end = run + 1;
    while (end < table->n_runs && table->runs[end].pc >> quantum_shift < start + CHUNK_QUANTA)
        end++;
    return (struct chunk_runs){run, end};
}

static size_t chunk_nbytes(const struct pcdata_table *table, struct chunk_runs c)
{
    const uint32_t bias = (uint32_t)table->runs[c.first].value;
    const size_t n = c.end - c.first - 1;
    size_t nbytes = 1 + n + vlen_nbytes(n + 1) + code_nbytes[value_code((int32_t)bias)];
    for (uint32_t i = c.first + 1; i < c.end; i++)
        nbytes += code_nbytes[value_code((int32_t)((uint32_t)table->runs[i].value - bias))];
    return nbytes;
}

static void put_chunk(const struct pcdata_table *table, unsigned quantum_shift, struct chunk_runs c,
                      struct bo_writer *out)
{
    const uint32_t bias = (uint32_t)table->runs[c.first].value;
    bo_put_u8(out, (uint8_t)(c.end - c.first - 1));
    for (uint32_t i = c.first + 1; i < c.end; i++)
        bo_put_u8(out, (uint8_t)(table->runs[i].pc >> quantum_shift));
    const size_t n_vlen = vlen_nbytes(c.end - c.first);
    uint8_t *vlen = bo_put_space(out, n_vlen);
    const size_t vlen_off = out->n - n_vlen; /* the buffer may move */
    if (vlen)
        memset(vlen, 0, n_vlen);
    for (uint32_t i = c.first; i < c.end && !out->status; i++) {
        const uint32_t v = (uint32_t)table->runs[i].value - (i == c.first ? 0 : bias);
        const unsigned code = value_code((int32_t)v), k = i - c.first;
        uint8_t *p = bo_put_space(out, code_nbytes[code]);
        if (!p)
            return;
        for (unsigned b = 0; b < code_nbytes[code]; b++)
            p[b] = (uint8_t)(v >> (8 * b));
        out->p[vlen_off + k / 4] |= (uint8_t)(code << (k % 4 * 2));
    }
}

/* Where the constant chunks of a record lie, by value: open addressing. */
struct constant_chunks {
    struct constant_slot {
        uint32_t value, off;
        bool used;
    } * slots;
    size_t mask;
};

/* The slot of this value: used, or free and to be filled. */
static struct constant_slot *find_constant(const struct constant_chunks *map, uint32_t value)
{
    size_t i = bo_mix64(value) & map->mask;
    while (map->slots[i].used && map->slots[i].value != value)
        i = (i + 1) & map->mask;
    return &map->slots[i];
}

/* The layout of a record before it is written: each chunk's offset from the index's end. */
struct plan {
    uint64_t n_chunks;
    uint64_t nbytes;   /* of all chunks */
    uint32_t *offsets; /* offsets[c] < the running total: an earlier constant chunk */
};

static enum bo_status plan_chunks(const struct pcdata_table *table, unsigned quantum_shift,
                                  struct bo_arena *arena, struct plan *plan, struct bo_error *err)
{
    plan->n_chunks = n_chunks_of(table->text_len >> quantum_shift);
    plan->offsets = bo_alloc_array(arena, (size_t)plan->n_chunks, sizeof *plan->offsets);
    /* A constant chunk that differs from the one before it needs a run of its own. */
    uint64_t n_constants = plan->n_chunks < table->n_runs ? plan->n_chunks : table->n_runs;
    size_t n_slots = 4;
    while (n_slots < 2 * n_constants)
        n_slots *= 2;
    struct constant_chunks map = {.mask = n_slots - 1};
    map.slots = bo_zalloc_array(arena, n_slots, sizeof *map.slots);
    if (!plan->offsets || !map.slots)
        return bo_fail_alloc(err, arena);
    struct chunk_runs c = {0, 0};
    for (uint64_t i = 0; i < plan->n_chunks; i++) {
        c = chunk_at(table, quantum_shift, i << CHUNK_SHIFT, c.first);
        if (plan->nbytes > UINT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "chunks of a table take 4 GiB or more");
        plan->offsets[i] = (uint32_t)plan->nbytes;
        if (c.end - c.first == 1) {
            const uint32_t value = (uint32_t)table->runs[c.first].value;
            struct constant_slot *slot = find_constant(&map, value);
            if (slot->used) {
                plan->offsets[i] = slot->off;
                continue;
            }
            *slot = (struct constant_slot){value, plan->offsets[i], true};
        }
        plan->nbytes += chunk_nbytes(table, c);
    }
    return BO_OK;
}

static void put_index(const struct plan *plan, struct bo_writer *out)
{
    uint32_t max = 0;
    for (uint64_t c = 1; c < plan->n_chunks; c++)
        max = plan->offsets[c] > max ? plan->offsets[c] : max;
    if (plan->n_chunks == 1)
        return;
    const bool one_byte = max <= 0xff && plan->offsets[1] < INDEX_U16;
    if (!one_byte)
        bo_put_u8(out, max <= 0xffff ? INDEX_U16 : INDEX_U32);
    for (uint64_t c = 1; c < plan->n_chunks; c++) {
        if (one_byte)
            bo_put_u8(out, (uint8_t)plan->offsets[c]);
        else if (max <= 0xffff)
            bo_put_le16(out, (uint16_t)plan->offsets[c]);
        else
            bo_put_le32(out, plan->offsets[c]);
    }
}

static enum bo_status put_record(const struct pcdata_table *table, unsigned quantum_shift,
                                 struct bo_writer *out, struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    struct plan plan = {0};
    const enum bo_status status = plan_chunks(table, quantum_shift, out->arena, &plan, err);
    if (status)
        return status;
    bo_mark(out, "index");
    put_index(&plan, out);
    bo_mark(out, "chunks");
    struct chunk_runs c = {0, 0};
    uint64_t nbytes = 0;
    for (uint64_t i = 0; i < plan.n_chunks; i++) {
        if (plan.offsets[i] < nbytes)
            continue;
        c = chunk_at(table, quantum_shift, i << CHUNK_SHIFT, c.first);
        put_chunk(table, quantum_shift, c, out);
        nbytes += chunk_nbytes(table, c);
    }
    bo_arena_rewind(out->arena, mark);
    return BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return pcdata_put_frame(model, put_record, out, err);
}

/* ---- checking and decoding ------------------------------------------------------------------- */

struct index_form {
    unsigned entry_nbytes;
    size_t nbytes; /* of the whole index, with its marker */
};

static enum bo_status read_index_form(struct bo_cursor *in, uint64_t n_chunks,
                                      struct index_form *form, struct bo_error *err)
{
    *form = (struct index_form){0};
    if (n_chunks == 1)
        return BO_OK;
    const uint8_t first = in->p[in->off]; /* a record starts inside the area */
    form->entry_nbytes = first == INDEX_U32 ? 4 : first == INDEX_U16 ? 2 : 1;
    const uint64_t nbytes = (first >= INDEX_U16) + (n_chunks - 1) * form->entry_nbytes;
    if (nbytes > bo_left(in))
        return bo_fail_here(err, BO_TRUNCATED, in, "chunk index is longer than the area");
    form->nbytes = (size_t)nbytes;
    return BO_OK;
}

static inline uint32_t index_entry(const uint8_t *index, unsigned entry_nbytes, uint64_t chunk)
{
    const size_t i = (size_t)chunk - 1;
    return entry_nbytes == 1   ? index[i]
           : entry_nbytes == 2 ? bo_le16(index + 1 + 2 * i)
                               : bo_le32(index + 1 + 4 * i);
}

static inline uint32_t load_value(const uint8_t *p, unsigned code)
{
    return code == 1   ? (uint32_t)(int8_t)p[0]
           : code == 2 ? (uint32_t)(int16_t)bo_le16(p)
                       : bo_le32(p);
}

/* BO_CORRUPT at the byte `p` of what the cursor spans. */
static enum bo_status fail_at(struct bo_error *err, const struct bo_cursor *in, const uint8_t *p,
                              const char *what)
{
    return bo_fail(err, BO_CORRUPT, in->base + (uint64_t)(p - in->p), what);
}

/* Reads one chunk whose first quantum is `start`; the cursor ends after it. */
static enum bo_status walk_chunk(struct bo_cursor *in, uint64_t start, uint32_t text_quanta,
                                 unsigned quantum_shift, struct pcdata_collector *runs,
                                 struct bo_error *err)
{
    uint8_t n;
    const uint8_t *pcs, *vlen, *p;
    const struct bo_cursor chunk_at_byte = *in;
    if (!bo_get_u8(in, &n) || !bo_get_bytes(in, n, &pcs) ||
        !bo_get_bytes(in, vlen_nbytes(n + 1u), &vlen))
        return bo_fail_here(err, BO_TRUNCATED, &chunk_at_byte, "chunk runs past the area's end");
    if ((n + 1) % 4 && vlen[n / 4] >> ((n + 1) % 4 * 2))
        return fail_at(err, in, vlen + n / 4, "bits after the value lengths are not 0");
    uint32_t bias = 0, previous = 0;
    for (unsigned i = 0; i <= n; i++) {
        const unsigned code = vlen[i / 4] >> (i % 4 * 2) & 3;
        if (code == 0)
            return fail_at(err, in, vlen + i / 4, "value of length 0");
        if (!bo_get_bytes(in, code_nbytes[code], &p))
            return bo_fail_here(err, BO_TRUNCATED, in, "value runs past the area's end");
        const uint32_t value = bias + load_value(p, code);
        if (i == 0)
            bias = value;
        else if (value == previous)
            return fail_at(err, in, p, "listed PC does not change the value");
        if (i > 0 && (pcs[i - 1] == 0 || (i > 1 && pcs[i - 1] <= pcs[i - 2])))
            return fail_at(err, in, pcs + i - 1, "PCs of a chunk do not ascend");
        const uint64_t pc = start + (i ? pcs[i - 1] : 0);
        if (pc >= text_quanta)
            return fail_at(err, in, pcs + i - 1, "PC past the text's end");
        if (!pcdata_collect(runs, (uint32_t)pc << quantum_shift, (int32_t)value))
            return bo_fail_alloc(err, runs->arena);
        previous = value;
    }
    return BO_OK;
}

/*
 * Chunks lie one after the other, without gaps. Only a constant chunk may be referred to again. So
 * the work for a record is bounded by its bytes.
 */
static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    const uint8_t *index = in->p + in->off;
    const uint64_t n_chunks = n_chunks_of(text_quanta);
    struct index_form form;
    enum bo_status status = read_index_form(in, n_chunks, &form, err);
    if (status)
        return status;
    in->off += form.nbytes;
    const size_t chunks_off = in->off;
    for (uint64_t c = 0; c < n_chunks && !status; c++) {
        const uint64_t start = c << CHUNK_SHIFT;
        const uint32_t off = c ? index_entry(index, form.entry_nbytes, c) : 0;
        const size_t next = in->off - chunks_off;
        const uint8_t *entry = in->p + chunks_off - (n_chunks - c) * form.entry_nbytes;
        if (off > next)
            return fail_at(err, in, entry, "chunk offset leaves a gap");
        if (off == next) {
            status = walk_chunk(in, start, text_quanta, frame->quantum_shift, runs, err);
            continue;
        }
        struct bo_cursor earlier = *in;
        earlier.off = chunks_off + off;
        if (earlier.p[earlier.off] != 0)
            return fail_at(err, in, entry, "chunk offset repeats a chunk of many values");
        status = walk_chunk(&earlier, start, text_quanta, frame->quantum_shift, runs, err);
        if (!status && earlier.off > in->off)
            return fail_at(err, in, entry, "repeated chunk ends after the chunks before it");
    }
    return status;
}

static const struct pcdata_layout layout = {.walk = walk_record};

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    return pcdata_decode_frame(in, &layout, arena, model_ret, err);
}

/* ---- reading records that open has checked: what the readers share --------------------------- */

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct pcdata_frame *frame = bo_alloc(arena, sizeof *frame);
    if (!frame)
        return bo_fail_alloc(err, arena);
    *reader_ret = frame;
    return pcdata_open_frame(in, &layout, arena, frame, err);
}

static inline const uint8_t *find_chunk(const uint8_t *record, uint32_t text_quanta, uint32_t chunk)
{
    const size_t n_entries = (text_quanta - 1) >> CHUNK_SHIFT;
    if (n_entries == 0)
        return record;
    if (__builtin_expect(record[0] < INDEX_U16, 1))
        return record + n_entries + (chunk ? record[chunk - 1] : 0);
    const unsigned entry_nbytes = record[0] == INDEX_U16 ? 2 : 4;
    const uint8_t *chunks = record + 1 + n_entries * entry_nbytes;
    return chunks + (chunk ? index_entry(record, entry_nbytes, chunk) : 0);
}

static void scan_record(const void *reader, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    const uint32_t n_chunks = (uint32_t)n_chunks_of(text_quanta);
    for (uint32_t c = 0; c < n_chunks; c++) {
        const uint8_t *chunk = find_chunk(record, text_quanta, c);
        const unsigned n = chunk[0];
        const uint8_t *pcs = chunk + 1, *vlen = pcs + n, *p = vlen + vlen_nbytes(n + 1);
        const uint32_t start = c << CHUNK_SHIFT, bias = load_value(p, vlen[0] & 3);
        if (!pcdata_scan_add(out, start, (int32_t)bias))
            return;
        p += code_nbytes[vlen[0] & 3];
        for (unsigned i = 1; i <= n; i++) {
            const unsigned code = vlen[i / 4] >> (i % 4 * 2) & 3;
            if (!pcdata_scan_add(out, start + pcs[i - 1], (int32_t)(bias + load_value(p, code))))
                return;
            p += code_nbytes[code];
        }
    }
}

/* ---- searching a chunk, and summing lengths: with branches, and without ---------------------- */

#define INLINE __attribute__((always_inline)) static inline

INLINE unsigned count_scalar(const uint8_t *pcs, unsigned n, unsigned low)
{
    unsigned count = 0;
    while (count < n && pcs[count] <= low)
        count++;
    return count;
}

/* Compares 32 listed PCs at a time; lanes past n are masked off. */
INLINE unsigned count_simd(const uint8_t *pcs, unsigned n, unsigned low)
{
    const simde__m128i target = simde_mm_set1_epi8((char)low);
    for (unsigned count = 0;; n -= 32, pcs += 32) {
        const simde__m128i a = simde_mm_loadu_si128((const simde__m128i *)pcs);
        const simde__m128i b = simde_mm_loadu_si128((const simde__m128i *)(pcs + 16));
        const simde__m128i a_hits = simde_mm_cmpeq_epi8(simde_mm_min_epu8(a, target), a);
        const simde__m128i b_hits = simde_mm_cmpeq_epi8(simde_mm_min_epu8(b, target), b);
        const uint32_t hits = (uint32_t)simde_mm_movemask_epi8(a_hits) |
                              (uint32_t)simde_mm_movemask_epi8(b_hits) << 16;
        if (__builtin_expect(n <= 32, 1))
            return count + (unsigned)__builtin_popcount(hits & (uint32_t)((UINT64_C(1) << n) - 1));
        count += (unsigned)__builtin_popcount(hits);
        if (hits != UINT32_MAX)
            return count;
    }
}

/* Bytes of the four values of each byte of vlen. */
#define LENGTH(code) ((code) == 3 ? 4 : (code))
#define LENGTHS_1(sum) (sum), (sum) + LENGTH(1), (sum) + LENGTH(2), (sum) + LENGTH(3)
#define LENGTHS_2(sum)                                                          \
    LENGTHS_1(sum), LENGTHS_1((sum) + LENGTH(1)), LENGTHS_1((sum) + LENGTH(2)), \
        LENGTHS_1((sum) + LENGTH(3))
#define LENGTHS_3(sum)                                                          \
    LENGTHS_2(sum), LENGTHS_2((sum) + LENGTH(1)), LENGTHS_2((sum) + LENGTH(2)), \
        LENGTHS_2((sum) + LENGTH(3))
static const uint8_t lengths_of_4[256] = {LENGTHS_3(0), LENGTHS_3(LENGTH(1)), LENGTHS_3(LENGTH(2)),
                                          LENGTHS_3(LENGTH(3))};

/* The value after `count` of the chunk's n listed PCs. */
INLINE int32_t value_branchy(const uint8_t *chunk, unsigned n, unsigned count)
{
    const uint8_t *vlen = chunk + 1 + n, *vals = vlen + vlen_nbytes(n + 1);
    const uint32_t bias = load_value(vals, vlen[0] & 3);
    if (count == 0)
        return (int32_t)bias;
    for (; count >= 4; count -= 4)
        vals += lengths_of_4[*vlen++];
    vals += lengths_of_4[*vlen & ((1u << 2 * count) - 1)];
    return (int32_t)(bias + load_value(vals, *vlen >> (2 * count) & 3));
}

/* Bytes of the values whose 2-bit lengths are in w: 1 for 01, 2 for 10, 4 for 11. */
INLINE unsigned sum_lengths(uint64_t w)
{
    const uint64_t low_bits = 0x5555555555555555u;
    const uint64_t again = (w >> 1 & low_bits) | (w & w << 1 & ~low_bits);
    return (unsigned)(__builtin_popcountll(w) + __builtin_popcountll(again));
}

/* A value of 1, 2 or 4 bytes, sign-extended by shifts. */
INLINE uint32_t load_value_branchless(const uint8_t *p, unsigned code)
{
    const unsigned unused_nbits = (32 - (4u << code)) & 31; /* 24, 16, 0 */
    return (uint32_t)((int32_t)(bo_le32(p) << unused_nbits) >> unused_nbits);
}

/* As value_branchy; the one branch is for chunks of more than 32 values. */
INLINE int32_t value_branchless(const uint8_t *chunk, unsigned n, unsigned count)
{
    const uint8_t *vlen = chunk + 1 + n, *vals = vlen + vlen_nbytes(n + 1);
    uint64_t w = bo_le64(vlen);
    const uint32_t bias =
        load_value_branchless(vals, w & 3) & (0u - (count != 0)); /* the first value is all bias */
    for (; __builtin_expect(count >= 32, 0); count -= 32) {
        vals += sum_lengths(w);
        w = bo_le64(vlen += 8);
    }
    const unsigned code = w >> (2 * count) & 3;
    vals += sum_lengths(w & ((UINT64_C(1) << 2 * count) - 1));
    return (int32_t)(load_value_branchless(vals, code) + bias);
}

INLINE int32_t lookup_scalar(const void *reader, const uint8_t *record, uint32_t text_quanta,
                             uint32_t pc)
{
    const uint8_t *chunk = find_chunk(record, text_quanta, pc >> CHUNK_SHIFT);
    return value_branchy(chunk, chunk[0], count_scalar(chunk + 1, chunk[0], pc % CHUNK_QUANTA));
}

INLINE int32_t lookup_simd(const void *reader, const uint8_t *record, uint32_t text_quanta,
                           uint32_t pc)
{
    const uint8_t *chunk = find_chunk(record, text_quanta, pc >> CHUNK_SHIFT);
    return value_branchless(chunk, chunk[0], count_simd(chunk + 1, chunk[0], pc % CHUNK_QUANTA));
}

/*
 * As lookup_simd, but reads the index without branches, except the rare one for wide entries. For
 * chunk 0, it reads the byte before the record, which is in the frame, and does not use it.
 */
INLINE int32_t lookup_branchless(const void *reader, const uint8_t *record, uint32_t text_quanta,
                                 uint32_t pc)
{
    const size_t n_entries = (text_quanta - 1) >> CHUNK_SHIFT, number = pc >> CHUNK_SHIFT;
    const uint8_t *chunk =
        record + n_entries + (record[(ptrdiff_t)number - 1] & -(size_t)(number != 0));
    if (__builtin_expect((n_entries != 0) & (record[0] >= INDEX_U16), 0))
        chunk = find_chunk(record, text_quanta, (uint32_t)number);
    return value_branchless(chunk, chunk[0], count_simd(chunk + 1, chunk[0], pc % CHUNK_QUANTA));
}

/* ---- the readers ----------------------------------------------------------------------------- */

/* A reader's query function, compiled for the baseline and for x86-64-v3. */
#define DEFINE_QUERY(name)                                                                       \
    static enum bo_status name##_portable(const struct pcdata_frame *frame,                      \
                                          const struct pcdata_point *queries, size_t n,          \
                                          int32_t *answers)                                      \
    {                                                                                            \
        return pcdata_answer_points(frame, NULL, lookup_##name, queries, n, answers);            \
    }                                                                                            \
    BO_V3 static enum bo_status name##_v3(const struct pcdata_frame *frame,                      \
                                          const struct pcdata_point *queries, size_t n,          \
                                          int32_t *answers)                                      \
    {                                                                                            \
        return pcdata_answer_points(frame, NULL, lookup_##name, queries, n, answers);            \
    }                                                                                            \
    static enum bo_status query_##name(const struct bo_codec *self, void *reader, unsigned kind, \
                                       const void *queries, size_t n, void *answers,             \
                                       struct bo_error *err)                                     \
    {                                                                                            \
        (void)err;                                                                               \
        const struct pcdata_frame *frame = reader;                                               \
        if (kind == PCDATA_SCAN)                                                                 \
            return pcdata_answer_scans(frame, NULL, scan_record, queries, n, answers);           \
        if (kind == PCDATA_SPAN)                                                                 \
            return pcdata_answer_spans(frame, NULL, scan_record, queries, n, answers);           \
        return bo_cpu_has_v3() ? name##_v3(frame, queries, n, answers)                           \
                               : name##_portable(frame, queries, n, answers);                    \
    }

DEFINE_QUERY(scalar)
DEFINE_QUERY(simd)
DEFINE_QUERY(branchless)

#define LINEAR_INDEX_CODEC(symbol, codec_name, encoding, reader, text)      \
    const struct bo_codec symbol = {                                        \
        .name = codec_name,                                                 \
        .summary = text,                                                    \
        .spec = "codecs/pcdata/README.md#linear-index",                     \
        .choices = "which equal tables share bytes, the widths of numbers", \
        .reads = encoding,                                                  \
        .role = BO_PROPOSED,                                                \
        .access = BO_RANDOM,                                                \
        .kinds = (1u << PCDATA_N_KINDS) - 1,                                \
        .paths = BO_PATH_V3,                                                \
        .encode = encode,                                                   \
        .decode = decode,                                                   \
        .open = open,                                                       \
        .query = query_##reader,                                            \
    }

LINEAR_INDEX_CODEC(pcdata_linear_index, "linear-index", NULL, scalar,
                   "chunks of 256 quanta behind an index, searched byte by byte (the proposal)");
LINEAR_INDEX_CODEC(pcdata_linear_index_simd, "linear-index-simd", "linear-index", simd,
                   "linear-index, 32 PCs compared at a time, values without branches");
LINEAR_INDEX_CODEC(pcdata_linear_index_branchless, "linear-index-branchless", "linear-index",
                   branchless, "linear-index-simd, and an index without branches");
