/*
 * Split records of shape-code: tables too large or too unusual for a shape, cut into blocks of 2^k
 * quanta.
 *
 *   u8   255
 *   u8   k (0 .. 31) | shift << 6
 *   u8   bits of an index entry (0 .. 32) | (bytes of `least` - 1) << 6
 *   u8   bits of a block's bias (0 .. 32)
 *   int  least: 1 .. 4 bytes, little-endian, signed
 *   index, unless there is one block: for each block, the offset of its bytes from the index's end;
 *     bit-packed, then padded to a byte
 *   blocks, each starting at a byte, fields least significant bit first:
 *     6   n - 1, for n runs that touch the block
 *     6   w
 *     1   clustered; if 1:
 *     5     low bits of a value (below w)
 *     6     clusters - 1
 *     .   bias
 *     .   upper parts of the n - 1 boundaries: for each in order, a 0 bit for each step up to pc >>
 *         l, then a 1 bit; then 0 bits up to 2^(k-l) in all; l = max(0, k - bits of (n - 1))
 *     .   low l bits of each boundary
 *     .   n values: clustered, low bits and above them the cluster's number, then each cluster's
 *         high part (w - low bits); else w bits each
 *
 * The value of a run is least + ((bias + value) << shift) mod 2^32. A block of one run may be
 * referred to again.
 */
#include "codecs/pcdata/shape_code/shape_code.h"
#include "harness/core/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    MAX_BLOCK_RUNS = 64,
    MAX_BLOCK_SHIFT = 31,
    HEAD_NBYTES = 4,
    N_NBITS = 6,
    W_NBITS = 6,
    LOW_NBITS = 5,
    CLUSTERS_NBITS = 6,
    BLOCK_HEAD_NBITS = N_NBITS + W_NBITS + 1,
};

/* ---- writing: one block ---------------------------------------------------------------------- */

/* What a record's blocks have in common. */
struct split_plan {
    const struct pcdata_table *table;
    unsigned quantum_shift, block_shift, shift, bias_nbits;
    int32_t least;
    uint32_t text_quanta;
};

/* A block before it is written. */
struct draft_block {
    unsigned n, value_nbits, nbits; /* nbits: of the whole block */
    bool clustered;
    unsigned low_nbits, n_clusters;
    uint32_t bias;
    uint32_t values[MAX_BLOCK_RUNS], clusters[MAX_BLOCK_RUNS];
};

static unsigned boundary_low_nbits(unsigned block_shift, unsigned n_boundaries)
{
    const unsigned width = bo_bit_width(n_boundaries);
    return block_shift > width ? block_shift - width : 0;
}

/* Groups the values by what is above low_nbits; returns the number of groups. */
static unsigned find_clusters(const struct draft_block *b, unsigned low_nbits, uint32_t *clusters)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->n; i++) {
        const uint32_t high = b->values[i] >> low_nbits;
        unsigned c = 0;
        while (c < n && clusters[c] != high)
            c++;
        if (c == n)
            clusters[n++] = high;
    }
    return n;
}

static void choose_value_coding(struct draft_block *b)
{
    uint32_t clusters[MAX_BLOCK_RUNS];
    unsigned best = b->n * b->value_nbits;
    for (unsigned low = 0; b->n > 3 && low + 1 < b->value_nbits; low++) {
        const unsigned n = find_clusters(b, low, clusters);
        const unsigned nbits = LOW_NBITS + CLUSTERS_NBITS + b->n * (low + bo_bit_width(n - 1)) +
                               n * (b->value_nbits - low);
        if (nbits >= best)
            continue;
        best = nbits;
        b->clustered = true;
        b->low_nbits = low;
    }
    if (b->clustered)
        b->n_clusters = find_clusters(b, b->low_nbits, b->clusters);
    b->nbits += best;
}

/* Drafts the block whose runs are `first` to first + n - 1. */
static void draft_block(const struct split_plan *plan, uint32_t first, unsigned n,
                        struct draft_block *b)
{
    uint32_t least = UINT32_MAX, most = 0;
    *b = (struct draft_block){.n = n};
    for (unsigned i = 0; i < n; i++) {
        const uint32_t value = (uint32_t)plan->table->runs[first + i].value;
        b->values[i] = (value - (uint32_t)plan->least) >> plan->shift;
        least = b->values[i] < least ? b->values[i] : least;
        most = b->values[i] > most ? b->values[i] : most;
    }
    for (unsigned i = 0; i < n; i++)
        b->values[i] -= least;
    b->bias = least;
    b->value_nbits = bo_bit_width(most - least);
    const unsigned l = boundary_low_nbits(plan->block_shift, n - 1);
    b->nbits = BLOCK_HEAD_NBITS + plan->bias_nbits + (n - 1) + (1u << (plan->block_shift - l)) +
               (n - 1) * l;
    choose_value_coding(b);
}

static void put_block(const struct split_plan *plan, const struct draft_block *b, uint32_t first,
                      uint64_t block_start, struct bo_writer *out)
{
    struct bo_bit_writer w = {.out = out};
    const unsigned l = boundary_low_nbits(plan->block_shift, b->n - 1);
    const uint32_t n_buckets = 1u << (plan->block_shift - l);
    const struct pcdata_run *runs = plan->table->runs + first;
    bo_put_bits(&w, b->n - 1, N_NBITS);
    bo_put_bits(&w, b->value_nbits, W_NBITS);
    bo_put_bits(&w, b->clustered, 1);
    if (b->clustered) {
        bo_put_bits(&w, b->low_nbits, LOW_NBITS);
        bo_put_bits(&w, b->n_clusters - 1, CLUSTERS_NBITS);
    }
    bo_put_bits(&w, b->bias, plan->bias_nbits);
    uint32_t bucket = 0;
    for (unsigned i = 1; i < b->n; i++) {
        const uint32_t pc = (runs[i].pc >> plan->quantum_shift) - (uint32_t)block_start;
        for (; bucket < pc >> l; bucket++)
            bo_put_bits(&w, 0, 1);
        bo_put_bits(&w, 1, 1);
    }
    for (; bucket < n_buckets; bucket++)
        bo_put_bits(&w, 0, 1);
    for (unsigned i = 1; i < b->n; i++) {
        const uint32_t pc = (runs[i].pc >> plan->quantum_shift) - (uint32_t)block_start;
        bo_put_bits(&w, pc & ((1u << l) - 1), l);
    }
    if (!b->clustered) {
        for (unsigned i = 0; i < b->n; i++)
            bo_put_bits(&w, b->values[i], b->value_nbits);
        return;
    }
    for (unsigned i = 0; i < b->n; i++) {
        unsigned c = 0;
        while (b->clusters[c] != b->values[i] >> b->low_nbits)
            c++;
        bo_put_bits(&w, b->values[i] & ((1u << b->low_nbits) - 1), b->low_nbits);
        bo_put_bits(&w, c, bo_bit_width(b->n_clusters - 1));
    }
    for (unsigned c = 0; c < b->n_clusters; c++)
        bo_put_bits(&w, b->clusters[c], b->value_nbits - b->low_nbits);
}

/* ---- writing: a record ----------------------------------------------------------------------- */

/* Walks the blocks of a plan in order. */
struct block_walk {
    uint64_t block, n_blocks, start; /* start: quanta */
    uint32_t first;                  /* the run that covers the start */
    unsigned n;                      /* runs that touch the block; MAX_BLOCK_RUNS + 1 for more */
    bool repeats;                    /* the same one run as the whole block before */
};

static bool next_block(const struct split_plan *plan, struct block_walk *walk)
{
    const struct pcdata_table *table = plan->table;
    const bool was_constant = walk->block && walk->n == 1;
    const uint32_t previous = walk->first;
    walk->n_blocks = ((uint64_t)(plan->text_quanta - 1) >> plan->block_shift) + 1;
    if (walk->block == walk->n_blocks)
        return false;
    walk->start = walk->block++ << plan->block_shift;
    const uint64_t end = walk->start + (UINT64_C(1) << plan->block_shift);
    while (walk->first + 1 < table->n_runs &&
           table->runs[walk->first + 1].pc >> plan->quantum_shift <= walk->start)
        walk->first++;
    walk->n = 1;
    while (walk->first + walk->n < table->n_runs && walk->n <= MAX_BLOCK_RUNS &&
           table->runs[walk->first + walk->n].pc >> plan->quantum_shift < end)
        walk->n++;
    walk->repeats = was_constant && walk->n == 1 && walk->first == previous;
    return true;
}

/*
 * Bytes of all blocks and their index; UINT64_MAX when a block has too many runs or the sum passes
 * `limit`.
 */
static uint64_t plan_nbytes(const struct split_plan *plan, uint64_t limit)
{
    struct block_walk walk = {0};
    uint64_t nbytes = 0;
    while (next_block(plan, &walk)) {
        struct draft_block b;
        if (walk.n > MAX_BLOCK_RUNS || nbytes + walk.n_blocks / 8 > limit)
            return UINT64_MAX;
        if (walk.repeats)
            continue;
        draft_block(plan, walk.first, walk.n, &b);
        nbytes += (b.nbits + 7) / 8;
    }
    return walk.n_blocks == 1 ? nbytes : nbytes + (walk.n_blocks * bo_bit_width(nbytes) + 7) / 8;
}

static struct split_plan make_plan(const struct pcdata_table *table, unsigned quantum_shift)
{
    struct split_plan plan = {
        .table = table,
        .quantum_shift = quantum_shift,
        .least = table->runs[0].value,
        .text_quanta = table->text_len >> quantum_shift,
    };
    int32_t most = plan.least;
    for (uint32_t i = 1; i < table->n_runs; i++) {
        plan.least = table->runs[i].value < plan.least ? table->runs[i].value : plan.least;
        most = table->runs[i].value > most ? table->runs[i].value : most;
    }
    uint32_t bits = 1u << 3;
    for (uint32_t i = 0; i < table->n_runs; i++)
        bits |= (uint32_t)table->runs[i].value - (uint32_t)plan.least;
    plan.shift = (unsigned)__builtin_ctz(bits);
    plan.bias_nbits = bo_bit_width(((uint32_t)most - (uint32_t)plan.least) >> plan.shift);

    const unsigned widest = bo_bit_width(plan.text_quanta - 1);
    uint64_t best = UINT64_MAX;
    unsigned best_shift = 0;
    for (unsigned k = widest < MAX_BLOCK_SHIFT ? widest : MAX_BLOCK_SHIFT;; k--) {
        plan.block_shift = k;
        const uint64_t nbytes = plan_nbytes(&plan, best);
        if (nbytes < best) {
            best = nbytes;
            best_shift = k;
        }
        const uint64_t n_blocks_below = (uint64_t)plan.text_quanta >> (k ? k - 1 : 0);
        if (k == 0 || (best != UINT64_MAX && n_blocks_below > best))
            break;
    }
    plan.block_shift = best_shift;
    return plan;
}

/*
 * Writes the blocks, noting each one's offset; a constant block like one of the last few is not
 * written again.
 */
static void put_blocks(const struct split_plan *plan, uint32_t *offsets, struct bo_writer *blocks)
{
    enum { REMEMBERED = 16 };
    struct {
        uint32_t value, off;
    } constants[REMEMBERED];
    unsigned n_constants = 0;
    struct block_walk walk = {0};
    while (next_block(plan, &walk) && !blocks->status) {
        const uint32_t value = (uint32_t)plan->table->runs[walk.first].value;
        uint32_t *off = &offsets[walk.block - 1];
        *off = (uint32_t)blocks->n;
        if (walk.n == 1) {
            unsigned i = 0;
            const unsigned n = n_constants < REMEMBERED ? n_constants : REMEMBERED;
            while (i < n && constants[i].value != value)
                i++;
            if (i < n) {
                *off = constants[i].off;
                continue;
            }
            constants[n_constants % REMEMBERED].value = value;
            constants[n_constants++ % REMEMBERED].off = *off;
        }
        struct draft_block b;
        draft_block(plan, walk.first, walk.n, &b);
        put_block(plan, &b, walk.first, walk.start, blocks);
    }
}

static unsigned signed_nbytes(int32_t v)
{
    return v == (int8_t)v ? 1 : v == (int16_t)v ? 2 : v >= -(1 << 23) && v < 1 << 23 ? 3 : 4;
}

enum bo_status shape_put_split(const struct pcdata_table *table, unsigned quantum_shift,
                               struct bo_writer *out, struct bo_error *err)
{
    const struct split_plan plan = make_plan(table, quantum_shift);
    const uint64_t n_blocks = ((uint64_t)(plan.text_quanta - 1) >> plan.block_shift) + 1;
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    uint32_t *offsets = bo_alloc_array(out->arena, (size_t)n_blocks, sizeof *offsets);
    if (!offsets)
        return bo_fail_alloc(err, out->arena);
    struct bo_writer blocks;
    bo_writer_init(&blocks, out->arena);
    put_blocks(&plan, offsets, &blocks);
    enum bo_status status = bo_writer_status(&blocks, err);
    if (!status && blocks.n > UINT32_MAX)
        status = bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "blocks of a table take 4 GiB or more");

    uint32_t max_off = 0;
    for (uint64_t i = 0; i < n_blocks && !status; i++)
        max_off = offsets[i] > max_off ? offsets[i] : max_off;
    const unsigned index_nbits = bo_bit_width(max_off), least_nbytes = signed_nbytes(plan.least);
    bo_put_u8(out, SHAPE_SPLIT_CODE);
    bo_put_u8(out, (uint8_t)(plan.block_shift | plan.shift << 6));
    bo_put_u8(out, (uint8_t)(index_nbits | (least_nbytes - 1) << 6));
    bo_put_u8(out, (uint8_t)plan.bias_nbits);
    for (unsigned i = 0; i < least_nbytes; i++)
        bo_put_u8(out, (uint8_t)((uint32_t)plan.least >> (8 * i)));
    struct bo_bit_writer w = {.out = out};
    for (uint64_t i = 0; i < n_blocks && n_blocks > 1 && !status; i++)
        bo_put_bits(&w, offsets[i], index_nbits);
    bo_put_bytes(out, blocks.p, blocks.n);
    bo_writer_free(&blocks);
    bo_arena_rewind(out->arena, mark);
    return status;
}

/* ---- reading what is known to be well-formed ------------------------------------------------- */

#define INLINE __attribute__((always_inline)) static inline

struct split_head {
    unsigned block_shift, shift, index_nbits, bias_nbits;
    int32_t least;
    const uint8_t *index, *blocks;
};

/* Where the fields of a block are, in bits from its first byte. */
struct split_block {
    unsigned n_boundaries, value_nbits, low_nbits, cluster_nbits;
    bool clustered;
    uint32_t bias;
    unsigned l; /* low bits of a boundary */
    unsigned upper_at, lows_at, values_at;
};

INLINE uint64_t n_blocks_of(uint32_t text_quanta, unsigned block_shift)
{
    return ((uint64_t)(text_quanta - 1) >> block_shift) + 1;
}

INLINE struct split_head read_head(const uint8_t *record, uint32_t text_quanta)
{
    const uint64_t w = bo_le64(record);
    const unsigned unused_nbits = 24 - 8 * (w >> 22 & 3);
    struct split_head h = {
        .block_shift = w >> 8 & 63,
        .shift = w >> 14 & 3,
        .index_nbits = w >> 16 & 63,
        .bias_nbits = w >> 24 & 63,
        .least = (int32_t)((uint32_t)(w >> 32) << unused_nbits) >> unused_nbits,
        .index = record + HEAD_NBYTES + 1 + (w >> 22 & 3),
    };
    const uint64_t n = n_blocks_of(text_quanta, h.block_shift);
    h.blocks = h.index + (n > 1 ? (n * h.index_nbits + 7) / 8 : 0);
    return h;
}

INLINE const uint8_t *find_block(const struct split_head *h, uint32_t text_quanta, uint64_t block)
{
    if (n_blocks_of(text_quanta, h->block_shift) == 1)
        return h->blocks;
    return h->blocks + bo_bits_at(h->index, block * h->index_nbits, h->index_nbits);
}

INLINE struct split_block read_block(const struct split_head *h, const uint8_t *p)
{
    const uint64_t w = bo_le64(p);
    struct split_block b = {
        .n_boundaries = w & 63,
        .value_nbits = w >> 6 & 63,
        .clustered = w >> 12 & 1,
    };
    unsigned at = BLOCK_HEAD_NBITS;
    if (b.clustered) {
        b.low_nbits = w >> 13 & 31;
        b.cluster_nbits = bo_bit_width(w >> 18 & 63);
        at += LOW_NBITS + CLUSTERS_NBITS;
    }
    b.bias = (uint32_t)(w >> at & ((UINT64_C(1) << h->bias_nbits) - 1));
    b.l = boundary_low_nbits(h->block_shift, b.n_boundaries);
    b.upper_at = at + h->bias_nbits;
    b.lows_at = b.upper_at + b.n_boundaries + (1u << (h->block_shift - b.l));
    b.values_at = b.lows_at + b.n_boundaries * b.l;
    return b;
}

INLINE int32_t read_value(const struct split_head *h, const struct split_block *b, const uint8_t *p,
                          unsigned i)
{
    uint32_t value;
    if (b->clustered) {
        const unsigned nbits = b->low_nbits + b->cluster_nbits;
        const uint32_t field = bo_bits_at(p, b->values_at + i * nbits, nbits);
        const unsigned high_nbits = b->value_nbits - b->low_nbits;
        const unsigned highs_at = b->values_at + (b->n_boundaries + 1) * nbits;
        value = bo_bits_at(p, highs_at + (field >> b->low_nbits) * high_nbits, high_nbits)
                    << b->low_nbits |
                (field & ((1u << b->low_nbits) - 1));
    } else {
        value = bo_bits_at(p, b->values_at + i * b->value_nbits, b->value_nbits);
    }
    return (int32_t)((uint32_t)h->least + ((b->bias + value) << h->shift));
}

/* Up to 128 bits from `bit` on. */
struct upper_bits {
    uint64_t word[2];
};

INLINE struct upper_bits read_upper(const uint8_t *p, unsigned bit)
{
    const uint8_t *from = p + bit / 8;
    const unsigned s = bit % 8;
    const uint64_t a = bo_le64(from), b = bo_le64(from + 8);
    return (struct upper_bits){
        {a >> s | b << 1 << (63 - s), b >> s | (uint64_t)from[16] << 1 << (63 - s)}};
}

/* The bits from `at` on, below 128. */
INLINE uint64_t upper_from(const struct upper_bits *u, unsigned at)
{
    return at < 64 ? u->word[0] >> at | u->word[1] << 1 << (63 - at) : u->word[1] >> (at - 64);
}

/* Where the bucket starts: after the bucket-th 0 bit. */
INLINE unsigned bucket_start_portable(const struct upper_bits *u, unsigned bucket)
{
    unsigned at = 0;
    for (; bucket; at++)
        bucket -= ~(u->word[at / 64] >> at % 64) & 1;
    return at;
}

typedef unsigned bucket_start(const struct upper_bits *u, unsigned bucket);

INLINE int32_t lookup_split(const uint8_t *record, uint32_t text_quanta, uint32_t pc,
                            bucket_start *start_of)
{
    const struct split_head h = read_head(record, text_quanta);
    const uint8_t *p = find_block(&h, text_quanta, pc >> h.block_shift);
    const struct split_block b = read_block(&h, p);
    const uint32_t in_block = pc & ((1u << h.block_shift) - 1);
    const struct upper_bits upper = read_upper(p, b.upper_at);
    const uint32_t bucket = in_block >> b.l, low = in_block & ((1u << b.l) - 1);
    const unsigned at = start_of(&upper, bucket);
    unsigned i = at - bucket, low_at = b.lows_at + i * b.l;
    for (uint64_t ones = upper_from(&upper, at); ones & 1; ones >>= 1, i++, low_at += b.l)
        if (bo_bits_at(p, low_at, b.l) > low)
            break;
    return read_value(&h, &b, p, i);
}

int32_t shape_lookup_split(const uint8_t *record, uint32_t text_quanta, uint32_t pc)
{
    return lookup_split(record, text_quanta, pc, bucket_start_portable);
}

#if defined(__x86_64__)
BO_V3 INLINE unsigned bucket_start_v3(const struct upper_bits *u, unsigned bucket)
{
    const uint64_t zeros = ~u->word[0];
    const unsigned n = (unsigned)__builtin_popcountll(zeros);
    if (bucket == 0)
        return 0;
    return bucket <= n
               ? (unsigned)_tzcnt_u64(_pdep_u64(UINT64_C(1) << (bucket - 1), zeros)) + 1
               : (unsigned)_tzcnt_u64(_pdep_u64(UINT64_C(1) << (bucket - n - 1), ~u->word[1])) + 65;
}

BO_V3 int32_t shape_lookup_split_v3(const uint8_t *record, uint32_t text_quanta, uint32_t pc)
{
    return lookup_split(record, text_quanta, pc, bucket_start_v3);
}
#else
int32_t shape_lookup_split_v3(const uint8_t *record, uint32_t text_quanta, uint32_t pc)
{
    return shape_lookup_split(record, text_quanta, pc);
}
#endif

void shape_scan_split(const uint8_t *record, uint32_t text_quanta, struct pcdata_scan_out *out)
{
    const struct split_head h = read_head(record, text_quanta);
    const uint64_t n_blocks = n_blocks_of(text_quanta, h.block_shift);
    for (uint64_t block = 0; block < n_blocks; block++) {
        const uint8_t *p = find_block(&h, text_quanta, block);
        const struct split_block b = read_block(&h, p);
        const struct upper_bits upper = read_upper(p, b.upper_at);
        const uint32_t start = (uint32_t)(block << h.block_shift);
        if (!pcdata_scan_add(out, start, read_value(&h, &b, p, 0)))
            return;
        unsigned at = 0;
        for (unsigned i = 0; i < b.n_boundaries; i++, at++) {
            while (!(upper_from(&upper, at) & 1))
                at++;
            const uint32_t low = bo_bits_at(p, b.lows_at + i * b.l, b.l);
            if (!pcdata_scan_add(out, start + ((at - i) << b.l | low),
                                 read_value(&h, &b, p, i + 1)))
                return;
        }
    }
}

/* ---- checking and decoding ------------------------------------------------------------------- */

/* True if all bytes of the block are in the area: then read_block and read_value may be used. */
static bool block_fits(const struct split_block *b, struct bo_cursor *in, unsigned n_clusters)
{
    const unsigned n = b->n_boundaries + 1;
    uint64_t nbits = b->values_at;
    nbits += b->clustered ? (uint64_t)n * (b->low_nbits + b->cluster_nbits) +
                                (uint64_t)n_clusters * (b->value_nbits - b->low_nbits)
                          : (uint64_t)n * b->value_nbits;
    const uint8_t *ignored;
    return bo_get_bytes(in, (size_t)((nbits + 7) / 8), &ignored);
}

/* True if the cluster of value i exists. */
static bool cluster_exists(const struct split_block *b, const uint8_t *p, unsigned i,
                           unsigned n_clusters)
{
    const unsigned nbits = b->low_nbits + b->cluster_nbits;
    return !b->clustered ||
           bo_bits_at(p, b->values_at + i * nbits, nbits) >> b->low_nbits < n_clusters;
}

static enum bo_status walk_block(const struct split_head *h, struct bo_cursor *in, uint64_t start,
                                 uint32_t text_quanta, unsigned quantum_shift,
                                 struct pcdata_collector *runs, struct bo_error *err)
{
    const struct bo_cursor at_block = *in;
    if (bo_left(in) < 1)
        return bo_fail_here(err, BO_TRUNCATED, in, "block starts past the area's end");
    const uint8_t *p = in->p + in->off;
    const struct split_block b = read_block(h, p);
    const unsigned n_clusters = 1 + (unsigned)(bo_le64(p) >> 18 & 63);
    if (b.value_nbits > 32 || (b.clustered && b.low_nbits >= b.value_nbits) ||
        b.low_nbits + b.cluster_nbits > 32)
        return bo_fail_here(err, BO_CORRUPT, &at_block, "value widths of a block do not fit");
    if (!block_fits(&b, in, n_clusters))
        return bo_fail_here(err, BO_TRUNCATED, &at_block, "block runs past the area's end");
    for (unsigned i = 0; i <= b.n_boundaries; i++)
        if (!cluster_exists(&b, p, i, n_clusters))
            return bo_fail_here(err, BO_CORRUPT, &at_block, "cluster is out of range");
    const struct upper_bits upper = read_upper(p, b.upper_at);
    const unsigned n_upper = b.lows_at - b.upper_at;
    unsigned i = 0;
    uint64_t previous = start;
    int32_t value = read_value(h, &b, p, 0);
    if (!pcdata_collect(runs, (uint32_t)start << quantum_shift, value))
        return bo_fail_alloc(err, runs->arena);
    for (unsigned at = 0; at < n_upper; at++) {
        if (!(upper_from(&upper, at) & 1))
            continue;
        if (i == b.n_boundaries)
            return bo_fail_here(err, BO_CORRUPT, &at_block, "block has too many boundaries");
        const uint64_t pc =
            start + ((uint64_t)(at - i) << b.l | bo_bits_at(p, b.lows_at + i * b.l, b.l));
        if (pc <= previous)
            return bo_fail_here(err, BO_CORRUPT, &at_block, "boundaries of a block do not ascend");
        if (pc >= text_quanta || (pc - start) >> h->block_shift)
            return bo_fail_here(err, BO_CORRUPT, &at_block, "boundary past the block's end");
        i++;
        const int32_t next = read_value(h, &b, p, i);
        if (next == value)
            return bo_fail_here(err, BO_CORRUPT, &at_block, "boundary does not change the value");
        if (!pcdata_collect(runs, (uint32_t)pc << quantum_shift, next))
            return bo_fail_alloc(err, runs->arena);
        value = next;
        previous = pc;
    }
    if (i != b.n_boundaries)
        return bo_fail_here(err, BO_CORRUPT, &at_block, "block has too few boundaries");
    return BO_OK;
}

/* Blocks lie one after the other; only a block of a single run may be referred to again. */
enum bo_status shape_walk_split(struct bo_cursor *in, uint32_t text_quanta, unsigned quantum_shift,
                                struct pcdata_collector *runs, struct bo_error *err)
{
    const struct bo_cursor at_record = *in;
    const uint8_t *record = in->p + in->off;
    if (bo_left(in) < HEAD_NBYTES + 1)
        return bo_fail_here(err, BO_TRUNCATED, in, "split record runs past the area's end");
    const struct split_head h = read_head(record, text_quanta);
    const uint64_t n_blocks = n_blocks_of(text_quanta, h.block_shift & 31);
    if (h.block_shift > MAX_BLOCK_SHIFT || h.index_nbits > 32 || h.bias_nbits > 32)
        return bo_fail_here(err, BO_CORRUPT, in, "widths of a split record do not fit");
    if (n_blocks == 1 && h.index_nbits)
        return bo_fail_here(err, BO_CORRUPT, in, "record with one block has an index");
    if (n_blocks > 2 && h.index_nbits == 0) /* else a few bytes could cause work for 2^32 blocks */
        return bo_fail_here(err, BO_CORRUPT, in, "several blocks without an index");
    const uint64_t index_nbytes = n_blocks > 1 ? (n_blocks * h.index_nbits + 7) / 8 : 0;
    const size_t head_nbytes = (size_t)(h.index - record);
    if (bo_left(in) < head_nbytes || bo_left(in) - head_nbytes < index_nbytes)
        return bo_fail_here(err, BO_TRUNCATED, in, "index runs past the area's end");
    in->off += head_nbytes + (size_t)index_nbytes;
    const size_t blocks_off = in->off;
    for (uint64_t block = 0; block < n_blocks; block++) {
        const uint64_t off =
            n_blocks > 1 ? bo_bits_at(h.index, block * h.index_nbits, h.index_nbits) : 0;
        const size_t next = in->off - blocks_off;
        if (off > next)
            return bo_fail_here(err, BO_CORRUPT, &at_record, "block offset leaves a gap");
        struct bo_cursor earlier = *in;
        earlier.off = blocks_off + (size_t)off;
        if (off < next && earlier.p[earlier.off] & 63)
            return bo_fail_here(err, BO_CORRUPT, &at_record,
                                "block offset repeats a block of many runs");
        const enum bo_status status =
            walk_block(&h, off == next ? in : &earlier, block << h.block_shift, text_quanta,
                       quantum_shift, runs, err);
        if (status)
            return status;
        if (off < next && earlier.off > in->off)
            return bo_fail_here(err, BO_CORRUPT, &at_record,
                                "repeated block ends after the blocks before it");
    }
    return BO_OK;
}
