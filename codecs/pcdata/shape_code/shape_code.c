/*
 * shape-code: bakeoff's own encoding. One byte of a record, the code, selects the record's layout,
 * its shape, from a dictionary of up to 254 shapes that is chosen for the binary. With a shape's
 * constants, all lookups execute the same instructions: all Elias-Fano boundaries are compared at
 * once, then a value of fixed width is read.
 *
 *   area: dictionary, then records, bit-packed one after the other
 *
 *   dictionary (bit-packed, then padded with 0 to a byte, and to at least 32 bytes):
 *     8    number of bases, then 32 bits each
 *     16   number of templates, then for each: 5 runs - 1; 5 w; w bits a value, the last first
 *     8    number of shapes, then for each: 1 has a template; 4 l; 3 bias bytes; 4 base; 2 shift;
 *          and 9 template, or 5 runs - 1 and 5 w
 *
 *   shaped record, for a table of n runs, with the reference at the byte P of its code:
 *     below P, going down: the bias; the low l bits of each boundary; a w-bit field for each of the
 *       shape's runs (with a template: none)
 *     P: the code
 *     from P + 1: for each boundary (the starts of runs 1 .. n-1) in order, a 0 bit for each step
 *       up to its pc >> l, then a 1 bit; then 0 bits up to (text length - 1) >> l in all
 *     one 0 bit, which may be the first bit of the next record
 *   Field i of those below P ends where field i - 1 starts: the first is nearest to P.
 *
 *   The value of run i is base + bias + (field i << shift) mod 2^32. A shape may have more runs
 *   than the table: unused fields are 0.
 *
 *   A record that starts with 255 is split into blocks: see split.c. It starts at a byte, after a
 *   0 bit.
 */
#include "codecs/pcdata/shape_code/shape_code.h"

#include "harness/core/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { MAX_GAP_NBITS = 15 };

/* ---- the reader ------------------------------------------------------------------------------ */

/*
 * For the vector reader, by l: the permutation and the shifts that move the low parts, which end
 * below the bias, into 16-bit lanes.
 */
enum { N_LOWS = SHAPE_MAX_LOW_NBITS + 1 };

struct low_tables {
    _Alignas(64) uint8_t bytes[N_LOWS][SHAPE_LANES_NBYTES]; /* source of each lane's byte */
    _Alignas(64) uint8_t
        shifts[N_LOWS]
              [SHAPE_LANES_NBYTES]; /* left shift that puts the low part at the lane's top */
    _Alignas(64) uint8_t widths[N_LOWS][SHAPE_LANES_NBYTES]; /* l */
};

struct shape_reader {
    struct pcdata_frame frame;
    struct low_tables *lows;
    struct shape_constants shapes[256];
};

static void fill_low_tables(struct low_tables *lows)
{
    memset(lows, 0, sizeof *lows);
    for (int l = 0; l < N_LOWS; l++)
        for (int lane = 0; lane < SHAPE_LANES_NBYTES / 2; lane++) {
            const int bit = 8 * 32 - (lane + 1) * l; /* in the 32 bytes below the bias */
            const int from = bit < 0 ? 0 : bit;
            lows->bytes[l][2 * lane] = (uint8_t)(from / 8);
            lows->bytes[l][2 * lane + 1] = (uint8_t)(from / 8 + 1) % 64;
            lows->shifts[l][2 * lane] = (uint8_t)(16 - l - from % 8);
            lows->widths[l][2 * lane] = (uint8_t)l;
        }
}

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * The two parts of a shaped record: the fields below its reference, in ascending order of bits, and
 * the rest.
 */
struct shaped_bits {
    struct bo_writer below, above;
    uint32_t n_below, n_above; /* bits */
};

static void shape_table(const struct pcdata_table *table, const struct shape_facts *f,
                        const struct shape_dictionary *d, uint8_t code, unsigned quantum_shift,
                        struct shaped_bits *bits)
{
    const struct shape *s = &d->shapes[code];
    struct bo_bit_writer below = {.out = &bits->below}, above = {.out = &bits->above};
    const uint32_t base = (uint32_t)d->bases[s->base];
    const uint32_t least = s->bias_nbytes || s->template >= 0 ? (uint32_t)f->min : base;
    const unsigned value_nbits = s->template >= 0 ? 0 : s->value_nbits;
    bo_writer_reset(&bits->below);
    bo_writer_reset(&bits->above);
    for (unsigned i = s->n_runs; value_nbits && i-- > 0;)
        bo_put_bits(&below,
                    i < f->n_runs ? ((uint32_t)table->runs[i].value - least) >> s->shift : 0,
                    value_nbits);
    const uint32_t low_mask = (1u << s->low_nbits) - 1;
    for (unsigned i = s->n_runs; i-- > 1;)
        bo_put_bits(&below, i < f->n_runs ? table->runs[i].pc >> quantum_shift & low_mask : 0,
                    s->low_nbits);
    bo_put_bits(&below, least - base, 8u * s->bias_nbytes);
    bo_put_bits(&above, code, 8);
    const uint32_t n_buckets = (f->text_quanta - 1) >> s->low_nbits;
    uint32_t bucket = 0;
    for (uint32_t i = 1; i < f->n_runs; i++) {
        for (; bucket < table->runs[i].pc >> quantum_shift >> s->low_nbits; bucket++)
            bo_put_bits(&above, 0, 1);
        bo_put_bits(&above, 1, 1);
    }
    for (; bucket < n_buckets; bucket++)
        bo_put_bits(&above, 0, 1);
    bits->n_below = (s->n_runs - 1u) * s->low_nbits + 8u * s->bias_nbytes + s->n_runs * value_nbits;
    bits->n_above = 8 + f->n_runs - 1 + n_buckets;
}

/* The area as it grows. After a shaped record, a 0 bit is still to be written. */
struct record_writer {
    struct bo_bit_writer bits;
    bool owes_zero;
    size_t area_start;
};

static uint64_t bits_so_far(const struct record_writer *w)
{
    const uint64_t nbytes = w->bits.out->n - w->area_start;
    return 8 * nbytes - (w->bits.used ? 8 - w->bits.used : 0);
}

static void put_bits_of(struct bo_bit_writer *w, const struct bo_writer *from, uint32_t nbits)
{
    for (uint32_t i = 0; i < nbits && !from->status; i += 8)
        bo_put_bits(w, from->p[i / 8] & ((1u << (nbits - i < 8 ? nbits - i : 8)) - 1),
                    nbits - i < 8 ? nbits - i : 8);
}

/* Appends a shaped record; returns its reference, in the area. */
static uint32_t put_shaped(struct record_writer *w, const struct shaped_bits *bits)
{
    const uint64_t end = bits_so_far(w);
    uint64_t reference = (end + bits->n_below + 7) / 8;
    const struct bo_writer *first = bits->n_below ? &bits->below : &bits->above;
    if (w->owes_zero && 8 * reference - bits->n_below == end && !first->status && first->p[0] & 1)
        reference++;
    for (uint64_t gap = 8 * reference - bits->n_below - end; gap; gap--)
        bo_put_bits(&w->bits, 0, 1);
    put_bits_of(&w->bits, &bits->below, bits->n_below);
    put_bits_of(&w->bits, &bits->above, bits->n_above);
    w->owes_zero = true;
    return (uint32_t)reference;
}

/* Appends the bytes of a split record. */
static uint32_t put_split(struct record_writer *w, const struct bo_writer *record)
{
    if (w->owes_zero && w->bits.used == 0)
        bo_put_u8(w->bits.out, 0);
    bo_align_bits(&w->bits);
    const uint32_t reference = (uint32_t)(w->bits.out->n - w->area_start);
    bo_put_bytes(w->bits.out, record->p, record->n);
    w->owes_zero = false;
    return reference;
}

/*
 * The encoder's state. `keys` contains the bits of each distinct record, with their counts.
 */
struct encoder {
    struct pcdata_frame_writer frame;
    const struct shape_dictionary *dictionary;
    const struct shape_facts *facts;
    const uint8_t *codes;
    struct shaped_bits shaped;
    struct bo_writer keys;
};

static enum bo_status put_table(struct encoder *e, uint32_t t, struct record_writer *w,
                                struct bo_error *err)
{
    const struct pcdata_table *table = &e->frame.model->tables[t];
    const bool split = e->codes[t] == SHAPE_SPLIT_CODE;
    const size_t key = e->keys.n;
    enum bo_status status = BO_OK;
    if (split) {
        status = shape_put_split(table, e->frame.quantum_shift, &e->keys, err);
    } else {
        shape_table(table, &e->facts[t], e->dictionary, e->codes[t], e->frame.quantum_shift,
                    &e->shaped);
        bo_put_le32(&e->keys, e->shaped.n_above);
        bo_put_bytes(&e->keys, e->shaped.above.p, e->shaped.above.n);
        bo_put_bytes(&e->keys, e->shaped.below.p, e->shaped.below.n);
        status = bo_writer_status(&e->shaped.below, err);
        status = status ? status : bo_writer_status(&e->shaped.above, err);
    }
    status = status ? status : bo_writer_status(&e->keys, err);
    if (status)
        return status;
    if (e->keys.n > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "records take 4 GiB or more");
    bool found;
    uint32_t *reference = pcdata_record_find(&e->frame.index, e->keys.p, (uint32_t)key,
                                             (uint32_t)(e->keys.n - key), &found);
    const struct bo_writer record = {.p = e->keys.p + key, .n = e->keys.n - key};
    if (!found || !pcdata_may_share(&e->frame, table, record.n, w->bits.out->n - w->area_start)) {
        bo_mark(w->bits.out, split ? "split records" : "shaped records");
        *reference = split ? put_split(w, &record) : put_shaped(w, &e->shaped);
    }
    if (found)
        bo_writer_truncate(&e->keys, key);
    e->frame.offsets[t] = *reference;
    return bo_writer_status(w->bits.out, err);
}

static enum bo_status put_tables(struct encoder *e, struct bo_writer *out, struct bo_error *err)
{
    struct record_writer w = {.bits = {.out = out}, .area_start = e->frame.area_start};
    bo_mark(out, "dictionary");
    shape_put_dictionary(e->dictionary, out);
    bo_writer_init(&e->keys, out->arena);
    bo_writer_init(&e->shaped.below, out->arena);
    bo_writer_init(&e->shaped.above, out->arena);
    enum bo_status status = bo_writer_status(out, err);
    for (uint32_t t = 0; t < e->frame.model->n_tables && !status; t++)
        status = put_table(e, t, &w, err);
    bo_writer_free(&e->shaped.above);
    bo_writer_free(&e->shaped.below);
    bo_writer_free(&e->keys);
    return status;
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct pcdata_model *model = opaque;
    struct shape_dictionary *dictionary = bo_alloc(out->arena, sizeof *dictionary);
    struct shape_facts *facts = bo_alloc_array(out->arena, model->n_tables, sizeof *facts);
    uint8_t *codes = bo_alloc(out->arena, model->n_tables);
    if (!dictionary || !facts || !codes)
        return bo_fail_alloc(err, out->arena);
    enum bo_status status = shape_choose(model, out->arena, dictionary, facts, codes, err);
    if (status)
        return status;
    struct encoder e = {.dictionary = dictionary, .facts = facts, .codes = codes};
    status = pcdata_frame_begin(&e.frame, model, out, err);
    status = status ? status : put_tables(&e, out, err);
    return status ? status : pcdata_frame_end(&e.frame, err);
}

/* ---- reading shaped records ------------------------------------------------------------------ */

#define INLINE __attribute__((always_inline)) static inline

/* Value i of a record. The offsets of templates are relative to `area`. */
INLINE int32_t value_of(const struct shape_constants *s, const uint8_t *area, const uint8_t *record,
                        uint32_t i)
{
    const uint32_t at = s->value_at + i * (uint32_t)s->value_step;
    const uint8_t *from =
        area + ((uint64_t)(record - area) & s->in_record) + at / 8 - SHAPE_FIELD_ORIGIN_NBYTES;
    const uint32_t bias = bo_le32(record + s->bias_at) & s->bias_mask;
    const uint64_t fields = bo_le64(from) >> at % 8;
    const unsigned shift = s->value_mask ? (unsigned)__builtin_ctz(s->value_mask) : 0;
    return (int32_t)((((uint32_t)fields << shift) & s->value_mask) + bias + s->base);
}

/* The low part of boundary i. */
INLINE uint32_t low_of(const struct shape_constants *s, const uint8_t *record, unsigned l,
                       uint32_t i)
{
    const uint32_t ends_below = (i + 1) * l;
    return bo_le32(record + s->bias_at - (ends_below + 7) / 8) >> (-ends_below & 7) &
           ((1u << l) - 1);
}

static inline int32_t lookup_portable(const void *opaque, const uint8_t *record,
                                      uint32_t text_quanta, uint32_t pc)
{
    const struct shape_reader *reader = opaque;
    const struct shape_constants *s = &reader->shapes[*record];
    if (*record == SHAPE_SPLIT_CODE)
        return shape_lookup_split(record, text_quanta, pc);
    const unsigned l = shape_low_nbits(s);
    uint64_t upper = bo_le64(record + 1);
    uint32_t i = 0;
    for (uint32_t bucket = pc >> l; bucket; upper >>= 1) {
        i += upper & 1;
        bucket -= ~upper & 1;
    }
    for (; upper & 1 && low_of(s, record, l, i) <= (pc & ((1u << l) - 1)); upper >>= 1)
        i++;
    return value_of(s, reader->frame.area.p, record, i);
}

#if defined(__x86_64__)
/* As value_of, with one instruction for mask and shift. */
BO_V3 INLINE int32_t value_of_v3(const struct shape_constants *s, const uint8_t *area,
                                 const uint8_t *record, uint32_t i)
{
    const uint32_t at = s->value_at + i * (uint32_t)s->value_step;
    const uint8_t *from =
        area + ((uint64_t)(record - area) & s->in_record) + at / 8 - SHAPE_FIELD_ORIGIN_NBYTES;
    const uint32_t field = _pdep_u32((uint32_t)(bo_le64(from) >> at % 8), s->value_mask);
    return (int32_t)(field + ((bo_le32(record + s->bias_at) & s->bias_mask) + s->base));
}

BO_V3 INLINE int32_t lookup_v3(const void *opaque, const uint8_t *record, uint32_t text_quanta,
                               uint32_t pc)
{
    const struct shape_reader *reader = opaque;
    const struct shape_constants *s = &reader->shapes[*record];
    if (__builtin_expect(*record == SHAPE_SPLIT_CODE, 0))
        return shape_lookup_split_v3(record, text_quanta, pc);
    const unsigned l = shape_low_nbits(s);
    const uint32_t bucket = pc >> l, low = _bzhi_u32(pc, l);
    uint64_t upper = bo_le64(record + 1);
    /* A 0 bit is put in front, so that bucket 0 needs no special case. */
    const unsigned at = (unsigned)_tzcnt_u64(_pdep_u64(UINT64_C(1) << bucket, ~(upper << 1)));
    uint32_t i = at - bucket;
    for (upper >>= at; upper & 1 && low_of(s, record, l, i) <= low; upper >>= 1)
        i++;
    return value_of_v3(s, reader->frame.area.p, record, i);
}

/* Loads the upper parts into a mask register directly; compilers use more instructions. */
BO_VBMI2 INLINE __mmask64 load_mask(const uint8_t *p)
{
    __mmask64 mask;
    __asm__("kmovq %1, %0" : "=k"(mask) : "m"(*(const uint8_t(*)[8])p));
    return mask;
}

/*
 * Compares all boundaries at once, without a loop. The position of the j-th 1 bit, less j, is the
 * j-th upper part. A byte permutation moves the low parts into their lanes. A compare and a
 * popcount count the boundaries at or below pc. Bits after the record do no harm: because of the 0
 * bit that follows the record, they decode to boundaries above any pc.
 */
BO_VBMI2 INLINE int32_t lookup_vbmi2(const void *opaque, const uint8_t *record,
                                     uint32_t text_quanta, uint32_t pc)
{
    const struct shape_reader *reader = opaque;
    const struct shape_constants *s = &reader->shapes[*record];
    if (__builtin_expect(*record == SHAPE_SPLIT_CODE, 0))
        return shape_lookup_split_v3(record, text_quanta, pc);
    /* 1, 2, ...: a lane without a 1 bit holds 0, and 0 - (j + 1) is large. */
    const __m512i iota = _mm512_set_epi8(
        64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
        41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19,
        18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
    const uint8_t *tables = (const uint8_t *)reader->lows + s->lows_off;
    __m512i lows =
        _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(record + s->bias_at - 32)));
    lows = _mm512_permutexvar_epi8(_mm512_load_si512(tables), lows);
    lows = _mm512_sllv_epi16(lows, _mm512_load_si512(tables + offsetof(struct low_tables, shifts)));
    const __m256i positions =
        _mm512_castsi512_si256(_mm512_maskz_compress_epi8(load_mask(record + 1), iota));
    const __m256i uppers = _mm256_sub_epi8(positions, _mm512_castsi512_si256(iota));
    const __m512i boundaries =
        _mm512_shldv_epi16(_mm512_cvtepu8_epi16(uppers), lows,
                           _mm512_load_si512(tables + offsetof(struct low_tables, widths)));
    const __mmask32 reached = _mm512_cmple_epu16_mask(boundaries, _mm512_set1_epi16((short)pc));
    return value_of_v3(s, reader->frame.area.p, record, (uint32_t)__builtin_popcount(reached));
}
#endif

static void scan_record(const void *opaque, const uint8_t *record, uint32_t text_quanta,
                        struct pcdata_scan_out *out)
{
    const struct shape_reader *reader = opaque;
    const struct shape_constants *s = &reader->shapes[*record];
    if (*record == SHAPE_SPLIT_CODE) {
        shape_scan_split(record, text_quanta, out);
        return;
    }
    const unsigned l = shape_low_nbits(s);
    const uint32_t n_buckets = (text_quanta - 1) >> l;
    const uint8_t *area = reader->frame.area.p;
    uint32_t i = 0, bucket = 0;
    pcdata_scan_add(out, 0, value_of(s, area, record, 0));
    for (uint64_t upper = bo_le64(record + 1); bucket < n_buckets || upper & 1; upper >>= 1) {
        if (upper & 1) {
            const uint32_t pc = bucket << l | low_of(s, record, l, i);
            if (!pcdata_scan_add(out, pc, value_of(s, area, record, ++i)))
                return;
        } else {
            bucket++;
        }
    }
}

/* ---- checking and decoding ------------------------------------------------------------------- */

/*
 * The upper parts: as many 0 bits as there are buckets below the last, at most n_runs - 1 ones, and
 * then a 0 bit.
 */
static bool measure_upper(const struct shape_constants *s, const uint8_t *record,
                          uint32_t text_quanta, unsigned *nbits_ret)
{
    const unsigned l = shape_low_nbits(s);
    const uint32_t n_buckets = (text_quanta - 1) >> l;
    const uint64_t upper = bo_le64(record + 1);
    unsigned ones = 0, at = 0;
    if (n_buckets > SHAPE_MAX_UPPER_NBITS)
        return false;
    for (uint32_t zeros = 0; zeros < n_buckets || (at < 64 && upper >> at & 1); at++) {
        if (at >= SHAPE_MAX_UPPER_NBITS)
            return false;
        ones += upper >> at & 1;
        zeros += ~(upper >> at) & 1;
    }
    *nbits_ret = at;
    return ones < s->n_runs;
}

/* Whether the fields after those of n runs are 0; a template has as many values as the table. */
static bool unused_are_zero(const struct shape_constants *s, const uint8_t *area,
                            const uint8_t *record, uint32_t n)
{
    const unsigned l = shape_low_nbits(s);
    const uint32_t least = s->base + (bo_le32(record + s->bias_at) & s->bias_mask);
    if (!s->in_record)
        return n == s->n_runs;
    for (uint32_t i = n; i < s->n_runs; i++)
        if (low_of(s, record, l, i - 1) || (uint32_t)value_of(s, area, record, i) != least)
            return false;
    return true;
}

static enum bo_status walk_shaped(const struct shape_reader *reader, const uint8_t *record,
                                  const struct bo_cursor *at, uint32_t text_quanta,
                                  unsigned nbits_upper, unsigned quantum_shift,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    const struct shape_constants *s = &reader->shapes[*record];
    const unsigned l = shape_low_nbits(s);
    const uint64_t upper = bo_le64(record + 1);
    const uint8_t *area = at->p;
    uint32_t i = 0, bucket = 0, previous = 0;
    int32_t value = value_of(s, area, record, 0);
    if (!pcdata_collect(runs, 0, value))
        return bo_fail_alloc(err, runs->arena);
    for (unsigned bit = 0; bit < nbits_upper; bit++) {
        if (!(upper >> bit & 1)) {
            bucket++;
            continue;
        }
        const uint32_t pc = bucket << l | low_of(s, record, l, i);
        const int32_t next = value_of(s, area, record, ++i);
        if (pc <= previous || pc >= text_quanta)
            return bo_fail_here(err, BO_CORRUPT, at, "boundaries of a record do not ascend");
        if (next == value)
            return bo_fail_here(err, BO_CORRUPT, at, "boundary does not change the value");
        if (!pcdata_collect(runs, pc << quantum_shift, next))
            return bo_fail_alloc(err, runs->arena);
        previous = pc;
        value = next;
    }
    return unused_are_zero(s, area, record, i + 1)
               ? BO_OK
               : bo_fail_here(err, BO_CORRUPT, at, "fields of unused runs are not 0");
}

static enum bo_status walk_record(const struct pcdata_frame *frame, void *context,
                                  struct bo_cursor *in, uint32_t text_quanta,
                                  struct pcdata_collector *runs, struct bo_error *err)
{
    const struct shape_reader *reader = context;
    const uint8_t *record = in->p + in->off;
    const struct bo_cursor at_record = *in;
    if (bo_left(in) == 0)
        return bo_fail_here(err, BO_TRUNCATED, in, "record starts past the area's end");
    if (*record == SHAPE_SPLIT_CODE)
        return shape_walk_split(in, text_quanta, frame->quantum_shift, runs, err);
    const struct shape_constants *s = &reader->shapes[*record];
    unsigned nbits_upper;
    if (s->n_runs == 0)
        return bo_fail_here(err, BO_CORRUPT, in, "code has no shape");
    if (!measure_upper(s, record, text_quanta, &nbits_upper))
        return bo_fail_here(err, BO_CORRUPT, in, "upper parts do not fit the shape and the text");
    const unsigned l = shape_low_nbits(s);
    const uint32_t values = s->in_record ? s->n_runs * (uint32_t)-s->value_step : 0;
    runs->nbits_before = (s->n_runs - 1u) * l + values - 8 * (uint32_t)s->bias_at;
    if (runs->nbits_before > 8 * ((uint64_t)in->off - SHAPE_MIN_DICTIONARY_NBYTES))
        return bo_fail_here(err, BO_CORRUPT, in, "fields of a record overlap the dictionary");
    const unsigned nbytes = 1 + (nbits_upper + 7) / 8;
    if (nbytes > bo_left(in))
        return bo_fail_here(err, BO_TRUNCATED, in, "upper parts run past the area's end");
    in->off += nbytes;
    runs->nbits_unused = 8 * nbytes - 8 - nbits_upper;
    return walk_shaped(reader, record, &at_record, text_quanta, nbits_upper, frame->quantum_shift,
                       runs, err);
}

/* Opens frame and dictionary, then walks all records; model_ret as in pcdata_walk_all. */
static enum bo_status read_all(struct bo_span in, struct shape_reader *reader,
                               struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct pcdata_layout layout = {
        .walk = walk_record, .context = reader, .max_gap_nbits = MAX_GAP_NBITS};
    enum bo_status status = pcdata_frame_open(in, &reader->frame, err);
    if (!status)
        status = shape_read_dictionary(&reader->frame, reader->shapes, &layout.first_off, err);
    return status ? status : pcdata_walk_all(&reader->frame, &layout, arena, model_ret, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct shape_reader *reader = bo_alloc(arena, sizeof *reader);
    return reader ? read_all(in, reader, arena, model_ret, err) : bo_fail_alloc(err, arena);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct shape_reader *reader = bo_alloc(arena, sizeof *reader);
    uint8_t *tables = bo_alloc(arena, sizeof *reader->lows + _Alignof(struct low_tables));
    if (!reader || !tables)
        return bo_fail_alloc(err, arena);
    tables += -(uintptr_t)tables % _Alignof(struct low_tables);
    reader->lows = (struct low_tables *)tables;
    fill_low_tables(reader->lows);
    *reader_ret = reader;
    return read_all(in, reader, arena, NULL, err);
}

/* ---- queries --------------------------------------------------------------------------------- */

#define DEFINE_POINTS(level, target, lookup)                                                  \
    target static enum bo_status points_##level(const struct shape_reader *reader,            \
                                                const struct pcdata_point *queries, size_t n, \
                                                int32_t *answers)                             \
    {                                                                                         \
        return pcdata_answer_points(&reader->frame, reader, lookup, queries, n, answers);     \
    }

DEFINE_POINTS(portable, , lookup_portable)
#if defined(__x86_64__)
DEFINE_POINTS(v3, BO_V3, lookup_v3)
DEFINE_POINTS(vbmi2, BO_VBMI2, lookup_vbmi2)
#endif

static enum bo_status query(const struct bo_codec *self, void *opaque, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct shape_reader *reader = opaque;
    if (kind == PCDATA_SCAN)
        return pcdata_answer_scans(&reader->frame, reader, scan_record, queries, n, answers);
    if (kind == PCDATA_SPAN)
        return pcdata_answer_spans(&reader->frame, reader, scan_record, queries, n, answers);
#if defined(__x86_64__)
    if (self->paths & BO_PATH_VBMI2 && bo_cpu_has_vbmi2())
        return points_vbmi2(reader, queries, n, answers);
    if (self->paths & BO_PATH_V3 && bo_cpu_has_v3())
        return points_v3(reader, queries, n, answers);
#endif
    return points_portable(reader, queries, n, answers);
}

const struct bo_codec pcdata_shape_code = {
    .name = "shape-code",
    .summary = "one byte names the record's shape; Elias-Fano boundaries and fixed-width values",
    .spec = "codecs/pcdata/README.md#shape-code",
    .choices = "which shapes the dictionary has, and where tables are split",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .paths = BO_PATH_V3 | BO_PATH_VBMI2,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};

/* The same bytes read with fewer instruction sets, so that the checks compare all code paths. */
const struct bo_codec pcdata_shape_code_bmi2 = {
    .name = "shape-code-bmi2",
    .summary = "shape-code without AVX-512: pdep, and a loop over one bucket",
    .spec = "codecs/pcdata/README.md#shape-code",
    .choices = "which shapes the dictionary has, and where tables are split",
    .reads = "shape-code",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .paths = BO_PATH_V3,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};

const struct bo_codec pcdata_shape_code_portable = {
    .name = "shape-code-portable",
    .summary = "shape-code in plain C",
    .spec = "codecs/pcdata/README.md#shape-code",
    .choices = "which shapes the dictionary has, and where tables are split",
    .reads = "shape-code",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .kinds = (1u << PCDATA_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = query,
};
