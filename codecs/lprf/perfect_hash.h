/*
 * A perfect hash: a slot of its own for each of a set of 64-bit hashes.
 * The low half of a hash selects a bucket. The pilot of the bucket, found by search, maps the
 * high half to a slot that no other hash has. The low half and the slot of the high half determine
 * the hash, so a slot needs fewer than 64 bits to distinguish its hash from all others.
 */
#ifndef LPRF_PERFECT_HASH_H
#define LPRF_PERFECT_HASH_H

#include "harness/core/bits.h"

struct lprf_perfect_hash {
    const uint8_t *pilots;       /* n_buckets x u16 */
    uint32_t n_buckets, n_slots; /* at least one of each */
    uint32_t seed;               /* of the names' hashes */
};

/*
 * The place of a hash's high half under its bucket's pilot: a permutation of 32-bit numbers. The
 * upper part of the place determines the slot.
 */
static inline uint32_t lprf_send(uint32_t high, uint32_t pilot)
{
    return (high ^ pilot * 0x9e3779b1u) * 0x85ebca6bu;
}

static inline uint32_t lprf_bucket_of(const struct lprf_perfect_hash *ph, uint64_t hash)
{
    return (uint32_t)((uint64_t)(uint32_t)hash * ph->n_buckets >> 32);
}

static inline uint32_t lprf_sent_to(const struct lprf_perfect_hash *ph, uint64_t hash)
{
    const uint32_t pilot = bo_le16(ph->pilots + 2 * (size_t)lprf_bucket_of(ph, hash));
    return lprf_send((uint32_t)(hash >> 32), pilot);
}

/* The slot of a place: below n_slots. */
static inline uint32_t lprf_slot_at(uint32_t n_slots, uint32_t place)
{
    return (uint32_t)((uint64_t)place * n_slots >> 32);
}

/*
 * Bits of a fingerprint: the smallest number with which equal slots and fingerprints imply equal
 * hashes, 64 - floor(log2 slots). If that is above 57, it is 64, so that one load reads a
 * fingerprint at any place.
 */
static inline unsigned lprf_fingerprint_width(uint32_t n_slots)
{
    const unsigned width = 64 - (bo_bit_width(n_slots) - 1);
    return width <= 57 ? width : 64;
}

/* The low half of the hash above the low width - 32 bits of the place. */
static inline uint64_t lprf_fingerprint(uint64_t hash, uint32_t place, unsigned width)
{
    const unsigned n_low = width - 32;
    return (uint64_t)(uint32_t)hash << n_low | (place & ((UINT64_C(1) << n_low) - 1));
}

/*
 * Finds pilots for n names, whose hashes (lprf_hash_name) are distinct under the seed found. Fills
 * *ph_ret, with the pilots as bytes, and the slot of each name. All memory is from `arena`; the
 * search needs some 40 bytes of scratch memory a name. n_per_bucket is the mean number of names in
 * a bucket: with a higher number, there are fewer pilots, and the search takes longer.
 */
enum bo_status lprf_make_perfect_hash(const struct bo_span *names, size_t n, unsigned n_per_bucket,
                                      struct bo_arena *arena, struct lprf_perfect_hash *ph_ret,
                                      uint32_t **slots_ret, struct bo_error *err);

#endif
