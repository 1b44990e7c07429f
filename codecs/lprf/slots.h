/*
 * Slots: what the indexes with a perfect hash share. Each name has a slot, from which its records
 * are found.
 *
 * Layout, after the header (little-endian):
 *
 *   24  u32  functions
 *   28  u32  names: functions of one name have one slot
 *   32  u32  slots, at least 1
 *   36  u32  buckets, at least 1
 *   40  u32  seed of the names' hashes
 *   44  u32  the index's own
 *   48  what is the index's own (grammar, fingerprints)
 *       u16  pilots[buckets]
 *       groups of 32 slots, of LPRF_CELLS_NBYTES bytes and what the index stores after them:
 *         u32  where the records of the first slot start, from the first record
 *         u8   shift
 *         u8   sizes[32]: bytes of a slot's records, >> shift; 0 for a slot without a name
 *       what is the index's own
 *       (functions - names) x { u32 slot, u32 record }: the further records of names that have
 *         several, by slot, then in file order; offsets from the first record
 *
 * Records lie in the order of the slots, those of one slot in file order. The records of a slot
 * start at a multiple of 2^shift bytes from the start of its group's; zeros fill the gap. No zeros
 * follow the last record of the file.
 */
#ifndef LPRF_SLOTS_H
#define LPRF_SLOTS_H

#include "codecs/lprf/file.h"
#include "codecs/lprf/perfect_hash.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    LPRF_SLOTS_HEAD_NBYTES = 24,
    LPRF_GROUP_SLOTS = 32,
    LPRF_CELLS_NBYTES = 4 + 1 + LPRF_GROUP_SLOTS,
    LPRF_REPEAT_NBYTES = 8,
};

#define LPRF_NO_NAME UINT32_MAX

/* ---- writing --------------------------------------------------------------------------------- */

/* The slots of all names, and the places of their records. */
struct lprf_slot_plan {
    struct bo_span *names; /* distinct, in alphabetical order */
    size_t n_names;
    uint32_t *functions;  /* by name, those of one name in file order */
    uint32_t *first;      /* by name: its first one in `functions`; one more than names */
    bool is_alphabetical; /* the file's order */
    struct lprf_perfect_hash hash;
    uint32_t *name_at; /* by slot; LPRF_NO_NAME for a free one */
    /* by slot: the offset of its records from the first one, and their bytes without the gap */
    uint64_t *offs;
    uint64_t *sizes;
    uint8_t *shifts; /* by group */
};

/* Plans all slots; n_per_bucket as for lprf_make_perfect_hash. */
enum bo_status lprf_plan_slots(const struct lprf_writer *w, unsigned n_per_bucket,
                               struct lprf_slot_plan *plan, struct bo_error *err);

void lprf_put_slots_head(const struct lprf_writer *w, const struct lprf_slot_plan *plan,
                         uint32_t own);
void lprf_put_pilots(const struct lprf_writer *w, const struct lprf_slot_plan *plan);
void lprf_put_cells(const struct lprf_writer *w, const struct lprf_slot_plan *plan, size_t group);
void lprf_put_repeats(const struct lprf_writer *w, const struct lprf_slot_plan *plan);

/* Writes all records at the offsets in the cells; replaces lprf_end. */
enum bo_status lprf_end_slots(struct lprf_writer *w, const struct lprf_slot_plan *plan,
                              struct bo_error *err);

static inline size_t lprf_n_groups(uint32_t n_slots)
{
    return (size_t)(((uint64_t)n_slots + LPRF_GROUP_SLOTS - 1) / LPRF_GROUP_SLOTS);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct lprf_slots {
    uint32_t n_functions, n_names, own;
    struct lprf_perfect_hash hash;
    const uint8_t *groups;
    size_t group_nbytes;
    const uint8_t *repeats;
    uint32_t n_repeats;
};

/* Reads the head, and moves *off past it. Does not check that the file has the parts. */
enum bo_status lprf_open_slots_head(const struct lprf_file *file, struct lprf_slots *slots,
                                    size_t *off, struct bo_error *err);

/*
 * Returns the part of n x size bytes at *off, which must end inside the index, and moves *off past
 * it. Returns NULL and sets the error when the part does not end there.
 */
const uint8_t *lprf_take_part(const struct lprf_file *file, size_t *off, uint64_t n, size_t size,
                              struct bo_error *err);

/* 32 bytes from here + 32 - n on are n times 0xff, then zeros. */
extern const uint8_t lprf_ones_then_zeros[2 * LPRF_GROUP_SLOTS];

/* The sum of the first n of 32 bytes. No branch depends on n, which is unpredictable. */
static inline uint32_t lprf_sum_bytes_portable(const uint8_t *p, unsigned n)
{
    const uint8_t *mask = lprf_ones_then_zeros + LPRF_GROUP_SLOTS - n;
    const uint64_t low = 0x00ff00ff00ff00ffu;
    uint64_t sums = 0;
    for (unsigned i = 0; i < LPRF_GROUP_SLOTS; i += 8) {
        const uint64_t v = bo_le64(p + i) & bo_le64(mask + i);
        sums += (v & low) + (v >> 8 & low);
    }
    return (uint32_t)(sums * 0x0001000100010001u >> 48);
}

static inline uint32_t lprf_sum_bytes(const uint8_t *p, unsigned n)
{
#if defined(__SSE2__)
    const uint8_t *mask = lprf_ones_then_zeros + LPRF_GROUP_SLOTS - n;
    const __m128i a = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)p),
                                    _mm_loadu_si128((const __m128i *)(const void *)mask));
    const __m128i b = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)(p + 16)),
                                    _mm_loadu_si128((const __m128i *)(const void *)(mask + 16)));
    const __m128i sums =
        _mm_add_epi64(_mm_sad_epu8(a, _mm_setzero_si128()), _mm_sad_epu8(b, _mm_setzero_si128()));
    return (uint32_t)(_mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8)));
#else
    return lprf_sum_bytes_portable(p, n);
#endif
}

static inline const uint8_t *lprf_group_of(const struct lprf_slots *slots, uint32_t slot)
{
    return slots->groups + slot / LPRF_GROUP_SLOTS * slots->group_nbytes;
}

/* The bytes that a slot's records take, with the gap after. */
static inline uint64_t lprf_cell_nbytes(const uint8_t *group, uint32_t slot)
{
    return (uint64_t)group[5 + slot % LPRF_GROUP_SLOTS] << (group[4] & 63);
}

/* Where a slot's records start, from the first record. */
static inline uint64_t lprf_cell_off(const uint8_t *group, uint32_t slot)
{
    const uint64_t before = lprf_sum_bytes(group + 5, slot % LPRF_GROUP_SLOTS);
    return bo_le32(group) + (before << (group[4] & 31));
}

/* Sets the match to a record at `off` from the first one, which must be inside the file. */
static inline enum bo_status lprf_match_at(const struct lprf_file *file, uint64_t off,
                                           struct lprf_match *match, struct bo_error *err)
{
    if (__builtin_expect(off >= file->in.n - file->records_off, 0))
        return bo_fail(err, BO_CORRUPT, file->end_of_index, "index points past the file's end");
    match->off = file->records_off + (size_t)off;
    return BO_OK;
}

/*
 * Moves a match from one record of a name to the next; match->next holds the slot in its low 32
 * bits (a size_t may have no more). The next record is found by the offset of the last one.
 */
enum bo_status lprf_match_more(const struct lprf_file *file, const struct lprf_slots *slots,
                               struct lprf_match *match, struct bo_error *err);

/* The state of a walk through all cells in order. */
struct lprf_cell_walk {
    uint64_t off;    /* where the next slot's records must start */
    uint32_t repeat; /* the next one */
    size_t gap;      /* the most zeros that may lie before the next record */
};

/*
 * Checks the cell of the next slot, whether it has a name or not, and its repeats. *n_ret is how
 * many repeats it has, from walk->repeat - *n_ret on.
 */
enum bo_status lprf_walk_cell(const struct lprf_file *file, const struct lprf_slots *slots,
                              uint32_t slot, bool has_name, struct lprf_cell_walk *walk,
                              uint32_t *n_ret, struct bo_error *err);

/*
 * Checks after the last slot that all repeats have been read, that the cells end where the file
 * does, and that the rest of the last group is 0.
 */
enum bo_status lprf_end_cells(const struct lprf_file *file, const struct lprf_slots *slots,
                              const struct lprf_cell_walk *walk, struct bo_error *err);

/* Fails where one of the bits from `bit` to the end of the n bytes at `p` is not 0. */
enum bo_status lprf_expect_zeros(const struct lprf_file *file, const uint8_t *p, uint64_t bit,
                                 size_t n, struct bo_error *err);

#endif
