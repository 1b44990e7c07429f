/*
 * Lists of ascending numbers that are searched in place, without unpacking them. A list consists of
 * blocks of up to 64 numbers. A block is an Elias-Fano list, or a bitmap if its numbers are close.
 *
 *   block, of m numbers from `base` (the first) on, with l low bits:
 *     l > 0: l low bits of (number - base) of each number but the first; then their high bits: for
 *       each a 0 bit for every step up and a 1 bit
 *     l = 0: for each number after base, bit number - base - 1 is a 1
 *   The high bits, or the bitmap, have up to 256 bits. Something else may lie before them.
 *
 *   list of n numbers: head, in bytes: the first number as a varint; if n > 1, a byte B and a byte
 *     O, and the bytes of the body as a varint
 *   body, in bits: for each block a B-bit base (from the first number), 6 bits for l, an O-bit
 *     place (in bits, from the end of these); then the blocks
 */
#ifndef STATEHIST_ASCENDING_H
#define STATEHIST_ASCENDING_H

#include "harness/core/bits.h"
#include "harness/core/cpu.h"

enum {
    ASCENDING_BLOCK = 64,
    ASCENDING_UPPER_NBITS = 256,
    ASCENDING_LOW_FIELD = 6, /* bits of l */
    /* Bytes from any bit on that reading may touch, beside what a block's fields say. */
    ASCENDING_MARGIN = 48,
};

/*
 * The instrumentation of sanitizers and fuzzers multiplies with each inlined copy: with it, a file
 * in which everything is inlined takes minutes to compile.
 */
#if defined(__AFL_COMPILER)
#define ASCENDING_INLINE static inline
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define ASCENDING_INLINE static inline
#endif
#endif
#ifndef ASCENDING_INLINE
#define ASCENDING_INLINE __attribute__((always_inline)) static inline
#endif

/*
 * For functions whose inlined copies would cost more than calls. call_F() calls F() where inlining
 * F() is not worth its code size.
 */
#define ASCENDING_CALL __attribute__((noinline, unused)) static

/* ---- bits ------------------------------------------------------------------------------------ */

/* The nbits (at most 64) at `bit`; touches up to 9 bytes. */
ASCENDING_INLINE uint64_t ascending_bits(const uint8_t *p, uint64_t bit, unsigned nbits)
{
    const unsigned shift = bit % 8;
    uint64_t v = bo_le64(p + bit / 8) >> shift;
    if (__builtin_expect(nbits + shift > 64, 0))
        v |= (uint64_t)p[bit / 8 + 8] << 1 << (63 - shift);
    return nbits < 64 ? v & ((UINT64_C(1) << nbits) - 1) : v;
}

/* The 64 bits at `bit`. */
ASCENDING_INLINE uint64_t ascending_word(const uint8_t *p, uint64_t bit)
{
    const unsigned shift = bit % 8;
    return bo_le64(p + bit / 8) >> shift | (uint64_t)p[bit / 8 + 8] << 1 << (63 - shift);
}

/*
 * Whether the CPU has pdep and popcnt, tested at each use: a second copy of all queries for
 * x86-64-v3 would double their object code. Numbers of lists and time-index's points have copies,
 * since shifts of x86-64-v3 matter there. False before the first ascending_open().
 */
ASCENDING_INLINE bool ascending_has_v3(void)
{
#if defined(__x86_64__)
    return __builtin_expect((__atomic_load_n(&bo_cpu_chosen, __ATOMIC_RELAXED) & BO_PATH_V3) != 0,
                            1);
#else
    return false;
#endif
}

ASCENDING_CALL unsigned ascending_popcount_portable(uint64_t v)
{
    return (unsigned)__builtin_popcountll(v);
}

ASCENDING_INLINE unsigned ascending_popcount(uint64_t v)
{
#if defined(__x86_64__)
    if (ascending_has_v3()) {
        uint64_t n;
        __asm__("popcnt %1, %0" : "=r"(n) : "r"(v) : "cc");
        return (unsigned)n;
    }
#endif
    return ascending_popcount_portable(v);
}

ASCENDING_CALL unsigned ascending_select_portable(uint64_t v, unsigned k)
{
    /* Bits of each byte and the bytes before it, then of the byte. */
    uint64_t sums = v - (v >> 1 & UINT64_C(0x5555555555555555));
    sums = (sums & UINT64_C(0x3333333333333333)) + (sums >> 2 & UINT64_C(0x3333333333333333));
    sums = ((sums + (sums >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101);
    unsigned at = 0;
    while ((sums >> at & 0xff) <= k)
        at += 8;
    k -= (unsigned)(sums << 8 >> at & 0xff);
    uint64_t byte = v >> at & 0xff;
    while (k--)
        byte &= byte - 1;
    return at + (unsigned)__builtin_ctzll(byte);
}

/* The position of the k-th 1 bit, from 0; v has more than k 1 bits. */
ASCENDING_INLINE unsigned ascending_select(uint64_t v, unsigned k)
{
#if defined(__x86_64__)
    if (ascending_has_v3()) {
        uint64_t bit;
        __asm__("pdep %2, %1, %0" : "=r"(bit) : "r"(UINT64_C(1) << k), "r"(v));
        return (unsigned)__builtin_ctzll(bit);
    }
#endif
    return ascending_select_portable(v, k);
}

/* ---- one block ------------------------------------------------------------------------------- */

struct ascending_block {
    const uint8_t *p;
    uint64_t base;
    uint64_t low, upper; /* bits from p */
    unsigned n;          /* numbers: 1 to 64 */
    unsigned l;
};

/*
 * Number i < n. False when the upper bits have none: then the block is damaged.
 */
ASCENDING_INLINE bool ascending_block_at(const struct ascending_block *block, unsigned i,
                                         uint64_t *number_ret)
{
    *number_ret = block->base;
    if (i == 0)
        return true;
    unsigned k = i - 1;
    for (unsigned at = 0; at < ASCENDING_UPPER_NBITS; at += 64) {
        const uint64_t word = ascending_word(block->p, block->upper + at);
        const unsigned n = ascending_popcount(word);
        if (k < n) {
            const unsigned bit = at + ascending_select(word, k);
            if (block->l == 0)
                *number_ret += (uint64_t)bit + 1;
            else
                *number_ret +=
                    ((uint64_t)(bit - (i - 1)) << block->l) +
                    ascending_bits(block->p, block->low + (uint64_t)(i - 1) * block->l, block->l);
            return true;
        }
        k -= n;
    }
    return false;
}

/* How many numbers of a block are at most a given one, and where that is in the upper bits. */
struct ascending_find {
    unsigned n; /* at least 1 */
    /* The bits of the n - 1 numbers after the first end before this one; UNKNOWN at the end. */
    unsigned at;
};

enum { ASCENDING_UNKNOWN = ASCENDING_UPPER_NBITS + 1 };

/* Requires number >= block->base. */
ASCENDING_INLINE struct ascending_find ascending_block_find(const struct ascending_block *block,
                                                            uint64_t number)
{
    const uint64_t above = number - block->base;
    const unsigned most = block->n - 1;
    const struct ascending_find last = {block->n, ASCENDING_UNKNOWN};
    unsigned n = 0;
    if (block->l == 0) {
        uint64_t left = above < ASCENDING_UPPER_NBITS ? above : ASCENDING_UPPER_NBITS;
        uint64_t at = block->upper;
        for (; left > 64 && n < most; left -= 64, at += 64)
            n += ascending_popcount(ascending_word(block->p, at));
        if (left && n < most)
            n += ascending_popcount(ascending_word(block->p, at) << (64 - left));
        return n < most ? (struct ascending_find){1 + n, (unsigned)(at + left - block->upper)}
                        : last;
    }
    if (most == 0)
        return last;
    const uint64_t bucket = above >> block->l;
    if (bucket >= ASCENDING_UPPER_NBITS)
        return last;
    unsigned at = 0; /* where the bucket's bits start: after the 0 bit number `bucket` */
    if (bucket) {
        unsigned k = (unsigned)bucket - 1;
        for (;; at += 64) {
            if (at == ASCENDING_UPPER_NBITS)
                return last;
            const uint64_t zeros = ~ascending_word(block->p, block->upper + at);
            const unsigned n_zeros = ascending_popcount(zeros);
            if (k < n_zeros) {
                at += ascending_select(zeros, k) + 1;
                break;
            }
            k -= n_zeros;
        }
    }
    n = at - (unsigned)bucket;
    const uint64_t rest = above & ((UINT64_C(1) << block->l) - 1);
    while (n < most && (block->p[(block->upper + at) / 8] >> (block->upper + at) % 8 & 1) &&
           ascending_bits(block->p, block->low + (uint64_t)n * block->l, block->l) <= rest) {
        n++;
        at++;
    }
    return n < most ? (struct ascending_find){1 + n, at} : last;
}

static inline unsigned ascending_block_count(const struct ascending_block *block, uint64_t number)
{
    return ascending_block_find(block, number).n;
}

/* The number whose high bits end with the 1 bit at `bit`, the k-th (from 0). */
ASCENDING_INLINE uint64_t ascending_number_at(const struct ascending_block *block, unsigned bit,
                                              unsigned k)
{
    return block->base +
           (block->l == 0
                ? (uint64_t)bit + 1
                : ((uint64_t)(bit - k) << block->l) +
                      ascending_bits(block->p, block->low + (uint64_t)k * block->l, block->l));
}

/* The last number that was counted; false as for ascending_block_at. */
ASCENDING_INLINE bool ascending_block_before(const struct ascending_block *block,
                                             struct ascending_find found, uint64_t *number_ret)
{
    uint64_t word = 0; /* the 64 bits before `at` */
    if (found.at <= ASCENDING_UPPER_NBITS && found.at)
        word = found.at >= 64 ? ascending_word(block->p, block->upper + found.at - 64)
                              : ascending_word(block->p, block->upper) << (64 - found.at);
    if (found.n == 1 || __builtin_expect(word == 0, 0))
        return ascending_block_at(block, found.n - 1, number_ret);
    *number_ret =
        ascending_number_at(block, found.at - 1 - (unsigned)__builtin_clzll(word), found.n - 2);
    return true;
}

/* The first number that was not counted. Requires found.n < block->n. */
ASCENDING_INLINE bool ascending_block_after(const struct ascending_block *block,
                                            struct ascending_find found, uint64_t *number_ret)
{
    const uint64_t word = ascending_word(block->p, block->upper + found.at);
    if (__builtin_expect(word == 0, 0))
        return ascending_block_at(block, found.n, number_ret);
    *number_ret =
        ascending_number_at(block, found.at + (unsigned)__builtin_ctzll(word), found.n - 1);
    return true;
}

/* All numbers. False if the upper bits have too few 1 bits, or a number exceeds 64 bits. */
bool ascending_block_all(const struct ascending_block *block,
                         uint64_t numbers_ret[ASCENDING_BLOCK]);

/*
 * The n fields (at most 64) of nbits (at most 32) at `bit`; touches up to 16 bytes after them, and
 * fields_ret up to the next multiple of four.
 */
void ascending_fields(const uint8_t *p, uint64_t bit, unsigned nbits, unsigned n,
                      uint64_t fields_ret[ASCENDING_BLOCK]);

/* ---- one list -------------------------------------------------------------------------------- */

struct ascending_list {
    const uint8_t *body;
    uint64_t body_nbits;
    uint64_t first;
    uint64_t blocks; /* where the blocks start: bits from body */
    uint32_t n, n_blocks;
    unsigned base_nbits, place_nbits, entry_nbits;
};

/*
 * Reads the head of a list of n numbers and skips the body. The input has ASCENDING_MARGIN bytes
 * after what the cursor has.
 */
enum bo_status ascending_open(struct bo_cursor *c, uint32_t n, struct ascending_list *list,
                              struct bo_error *err);

/*
 * BO_OK if the list equals, byte for byte, what ascending_put writes for its numbers; else
 * BO_CORRUPT at `off`. Scratch memory from the arena.
 */
enum bo_status ascending_expect(const struct ascending_list *list, const uint64_t *numbers,
                                struct bo_arena *arena, uint64_t off, struct bo_error *err);

/* Block b < n_blocks; false when it lies outside of the list. */
ASCENDING_INLINE bool ascending_list_block(const struct ascending_list *list, uint32_t b,
                                           struct ascending_block *block)
{
    const uint64_t entry = (uint64_t)b * list->entry_nbits;
    const uint64_t at = entry + list->base_nbits;
    block->p = list->body;
    block->base = list->first + ascending_bits(list->body, entry, list->base_nbits);
    block->l = (unsigned)ascending_bits(list->body, at, ASCENDING_LOW_FIELD);
    block->low =
        list->blocks + ascending_bits(list->body, at + ASCENDING_LOW_FIELD, list->place_nbits);
    block->n = b + 1 < list->n_blocks ? ASCENDING_BLOCK : list->n - b * ASCENDING_BLOCK;
    block->upper = block->low + (uint64_t)(block->n - 1) * block->l;
    return block->upper <= list->body_nbits;
}

ASCENDING_INLINE bool ascending_read(const struct ascending_list *list, uint32_t i,
                                     uint64_t *number_ret)
{
    struct ascending_block block;
    *number_ret = list->first;
    if (i == 0)
        return true;
    return ascending_list_block(list, i / ASCENDING_BLOCK, &block) &&
           ascending_block_at(&block, i % ASCENDING_BLOCK, number_ret);
}

ASCENDING_CALL bool ascending_read_portable(const struct ascending_list *list, uint32_t i,
                                            uint64_t *number_ret)
{
    return ascending_read(list, i, number_ret);
}

ASCENDING_CALL BO_V3 bool ascending_read_v3(const struct ascending_list *list, uint32_t i,
                                            uint64_t *number_ret)
{
    return ascending_read(list, i, number_ret);
}

/* Number i < n; false when the list is damaged there. */
static inline bool ascending_at(const struct ascending_list *list, uint32_t i, uint64_t *number_ret)
{
    return (ascending_has_v3() ? ascending_read_v3 : ascending_read_portable)(list, i, number_ret);
}

/* The last of n > 0 blocks from b on whose base is at most `number`; b if no base is. */
ASCENDING_INLINE uint32_t ascending_find_block(const struct ascending_list *list, uint64_t number,
                                               uint32_t b, uint32_t n)
{
    const uint64_t wanted = number - list->first;
    while (n > 1) {
        const uint32_t half = n / 2;
        const uint64_t base =
            ascending_bits(list->body, (uint64_t)(b + half) * list->entry_nbits, list->base_nbits);
        b = base <= wanted ? b + half : b;
        n -= half;
    }
    return b;
}

/*
 * How many numbers are at or below `number`, when block b is the one found; false when it is
 * damaged.
 */
static inline bool ascending_count_in(const struct ascending_list *list, uint64_t number,
                                      uint32_t b, uint32_t *n_ret)
{
    struct ascending_block block;
    *n_ret = 1;
    if (list->n == 1)
        return true;
    if (!ascending_list_block(list, b, &block) || block.base > number)
        return false;
    *n_ret = b * ASCENDING_BLOCK + ascending_block_count(&block, number);
    return true;
}

/* How many numbers are at or below `number`; false when the list is damaged there. */
static inline bool ascending_count(const struct ascending_list *list, uint64_t number,
                                   uint32_t *n_ret)
{
    *n_ret = 0;
    return list->n == 0 || number < list->first ||
           ascending_count_in(list, number, ascending_find_block(list, number, 0, list->n_blocks),
                              n_ret);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The l that makes a block smallest, and what its fields take then: lows, then uppers, in bits. */
unsigned ascending_choose(const uint64_t *numbers, unsigned n, unsigned *nbits_ret);

/* Appends the low bits, and the high bits or bitmap, of a block. */
void ascending_put_lows(const uint64_t *numbers, unsigned n, unsigned l, struct bo_bit_writer *out);
void ascending_put_uppers(const uint64_t *numbers, unsigned n, unsigned l,
                          struct bo_bit_writer *out);

/* Appends up to 64 bits. */
void ascending_put_bits(struct bo_bit_writer *out, uint64_t v, unsigned nbits);

/* Appends a list of numbers, each above the one before. Scratch memory from out->arena. */
enum bo_status ascending_put(const uint64_t *numbers, uint32_t n, struct bo_writer *out,
                             struct bo_error *err);

/* Appends a list of n > 0 consecutive numbers. Its blocks share one row. */
void ascending_put_run(uint64_t first, uint32_t n, struct bo_writer *out);

#endif
