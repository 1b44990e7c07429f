/*
 * The batch loop of perfect_hash.c, included once for each code path: QUERY is its name, SELECT
 * finds a one in a word, ATTRIBUTE chooses the path.
 */
#include "codecs/guid/select_query.h"

/* Where the body of a slot starts and ends. Returns NULL, or the rule that its group breaks. */
ATTRIBUTE static inline __attribute__((always_inline)) const char *CONCAT(QUERY, _extent)(
    const struct reader *reader, uint32_t slot, uint64_t entry, struct guid_find_answer *answer)
{
    const struct shape *shape = &reader->shape;
    const uint32_t first = slot / GROUP * GROUP, i = slot - first;
    const uint8_t *group = reader->groups + slot / GROUP * 4;
    const uint32_t base = bo_le32(group);
    const uint64_t from = first + (uint64_t)(base >> shape->low_bits);
    const uint64_t to = first + GROUP + (uint64_t)(bo_le32(group + 4) >> shape->low_bits);
    if (__builtin_expect(from > to || from > reader->n_end_bits, 0))
        return "ends of a group run past their bits";
    /* The 1 bit of the slot before, and the end of its body. */
    const uint64_t n_bits = (to < reader->n_end_bits ? to : reader->n_end_bits) - from;
    const uint32_t before = i - (i > 0);
    const uint64_t found = CONCAT(QUERY, _select_near)(reader->ends, from, n_bits, before, 0, 4);
    const uint64_t next = from + (i ? found + 1 : 0);
    const uint64_t start = i ? (from + found - (slot - 1)) << shape->low_bits |
                                   low_of(reader, entry_at(reader, slot - 1))
                             : base;
    const uint64_t ahead = bo_le64(reader->ends + next / 8) >> next % 8;
    uint64_t gap = (uint64_t)__builtin_ctzll(ahead | UINT64_C(1) << 63);
    if (__builtin_expect(gap > 56, 0))
        gap = next < from + n_bits
                  ? CONCAT(QUERY, _select)(reader->ends, next, from + n_bits - next, 0, 0)
                  : 0;
    const uint64_t end = (next + gap - slot) << shape->low_bits | low_of(reader, entry);
    *answer = guid_extent((uint32_t)start, (uint32_t)end);
    return NULL;
}

ATTRIBUTE static enum bo_status QUERY(const struct reader *shared,
                                      const struct guid_find_query *queries, size_t n,
                                      struct guid_find_answer *answers, struct bo_error *err)
{
    /* A copy, which writes to answers cannot change. */
    const struct reader own = *shared, *reader = &own;
    const char *flaw = NULL;
    for (size_t i = 0; i < n && !flaw; i++) {
        const uint64_t key = queries[i].guid * GUID_FACTOR;
        const uint32_t fingerprint = fingerprint_of(key), pilot = pilot_of(reader, fingerprint);
        if (__builtin_expect(pilot == LISTED, 0)) {
            answers[i] = find_listed(reader, queries[i].guid);
            continue;
        }
        const uint32_t slot = slot_of(&reader->shape, key, pilot);
        const uint64_t entry = entry_at(reader, slot);
        answers[i] = (struct guid_find_answer){GUID_ABSENT, 0};
        if ((uint32_t)entry == fingerprint)
            flaw = CONCAT(QUERY, _extent)(reader, slot, entry, &answers[i]);
    }
    return flaw ? bo_fail(err, BO_CORRUPT, HEAD_NBYTES, flaw) : BO_OK;
}
