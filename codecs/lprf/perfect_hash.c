/* The search for pilots: the fullest buckets first, while most slots are free. */
#include "codecs/lprf/perfect_hash.h"

#include "codecs/lprf/file.h"

enum {
    MAX_PILOT = UINT16_MAX,
    SEEDS_A_SIZE = 4,       /* tried before buckets become smaller */
    FREE_SLOTS_ONE_IN = 64, /* the last names find a free slot in so many trials */
};

struct search {
    const struct bo_span *names;
    size_t n;
    struct lprf_perfect_hash ph;
    uint64_t *hashes;  /* of the names, bucket by bucket */
    uint32_t *name_of; /* the number of the name of each hash */
    uint32_t *first;   /* of each bucket in these; one more than buckets */
    uint32_t *by_size; /* buckets, the fullest first */
    uint32_t *slots;   /* of the names */
    uint8_t *taken;    /* by slot */
    uint8_t *pilots;
};

/* Scratch memory for one search. */
static bool alloc_search(struct search *s, struct bo_arena *arena)
{
    const size_t n_buckets = s->ph.n_buckets;
    s->hashes = bo_alloc_array(arena, s->n, sizeof *s->hashes);
    s->name_of = bo_alloc_array(arena, s->n, sizeof *s->name_of);
    s->first = bo_alloc_array(arena, n_buckets + 1, sizeof *s->first);
    s->by_size = bo_alloc_array(arena, n_buckets, sizeof *s->by_size);
    s->taken = bo_alloc_array(arena, s->ph.n_slots, 1);
    return s->hashes && s->name_of && s->first && s->by_size && s->taken;
}

/* Hashes all names under the seed, and sorts them by bucket. */
static void fill_buckets(struct search *s)
{
    const uint32_t n_buckets = s->ph.n_buckets;
    memset(s->first, 0, ((size_t)n_buckets + 1) * sizeof *s->first);
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t hash = lprf_hash_name(s->names[i], s->ph.seed);
        s->first[lprf_bucket_of(&s->ph, hash) + 1]++;
    }
    for (uint32_t b = 0; b < n_buckets; b++)
        s->first[b + 1] += s->first[b];
    for (size_t i = s->n; i-- > 0;) { /* each bucket fills from its end: first[b + 1] moves down */
        const uint64_t hash = lprf_hash_name(s->names[i], s->ph.seed);
        const uint32_t at = --s->first[lprf_bucket_of(&s->ph, hash) + 1];
        s->hashes[at] = hash;
        s->name_of[at] = (uint32_t)i;
    }
    for (uint32_t b = 0; b < n_buckets; b++)
        s->first[b] = s->first[b + 1];
    s->first[n_buckets] = (uint32_t)s->n;
}

/* Counting sort of the buckets by size, the fullest first. */
static bool sort_buckets(struct search *s, struct bo_arena *arena)
{
    uint32_t fullest = 0;
    for (uint32_t b = 0; b < s->ph.n_buckets; b++)
        if (s->first[b + 1] - s->first[b] > fullest)
            fullest = s->first[b + 1] - s->first[b];
    uint32_t *place = bo_zalloc_array(arena, (size_t)fullest + 2, sizeof *place);
    if (!place)
        return false;
    for (uint32_t b = 0; b < s->ph.n_buckets; b++)
        place[fullest - (s->first[b + 1] - s->first[b]) + 1]++;
    for (uint32_t i = 0; i <= fullest; i++)
        place[i + 1] += place[i];
    for (uint32_t b = 0; b < s->ph.n_buckets; b++)
        s->by_size[place[fullest - (s->first[b + 1] - s->first[b])]++] = b;
    return true;
}

/* Whether a pilot maps all hashes of a bucket to free slots, which are then marked as taken. */
static bool try_pilot(struct search *s, uint32_t first, uint32_t end, uint32_t pilot)
{
    uint32_t i = first;
    for (; i < end; i++) {
        const uint32_t slot =
            lprf_slot_at(s->ph.n_slots, lprf_send((uint32_t)(s->hashes[i] >> 32), pilot));
        if (s->taken[slot])
            break;
        s->taken[slot] = 1;
        s->slots[s->name_of[i]] = slot;
    }
    if (i == end)
        return true;
    while (i-- > first)
        s->taken[s->slots[s->name_of[i]]] = 0;
    return false;
}

static bool find_pilots(struct search *s)
{
    memset(s->taken, 0, s->ph.n_slots);
    memset(s->pilots, 0, 2 * (size_t)s->ph.n_buckets);
    for (uint32_t i = 0; i < s->ph.n_buckets; i++) {
        const uint32_t b = s->by_size[i];
        uint32_t pilot = 0;
        while (!try_pilot(s, s->first[b], s->first[b + 1], pilot))
            if (++pilot > MAX_PILOT)
                return false;
        bo_set_le16(s->pilots + 2 * (size_t)b, (uint16_t)pilot);
    }
    return true;
}

/* One search per seed; *found_ret: whether one succeeded. Only pilots are left in the arena. */
static enum bo_status try_seeds(struct search *s, struct bo_arena *arena, bool *found_ret,
                                struct bo_error *err)
{
    *found_ret = false;
    s->pilots = bo_alloc_array(arena, s->ph.n_buckets, 2);
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    if (!s->pilots || !alloc_search(s, arena))
        return bo_fail_alloc(err, arena);
    for (s->ph.seed = 0; s->ph.seed < SEEDS_A_SIZE; s->ph.seed++) {
        fill_buckets(s);
        if (!sort_buckets(s, arena))
            return bo_fail_alloc(err, arena);
        *found_ret = find_pilots(s);
        if (*found_ret)
            break;
    }
    bo_arena_rewind(arena, mark);
    return BO_OK;
}

enum bo_status lprf_make_perfect_hash(const struct bo_span *names, size_t n, unsigned n_per_bucket,
                                      struct bo_arena *arena, struct lprf_perfect_hash *ph_ret,
                                      uint32_t **slots_ret, struct bo_error *err)
{
    const uint64_t n_slots = (uint64_t)n + n / FREE_SLOTS_ONE_IN + 1;
    if (n_slots > UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "perfect hash needs 2^32 slots or more");
    *slots_ret = bo_alloc_array(arena, n, sizeof **slots_ret);
    if (!*slots_ret)
        return bo_fail_alloc(err, arena);
    for (; n_per_bucket; n_per_bucket--) {
        struct search s = {
            .names = names,
            .n = n,
            .slots = *slots_ret,
            .ph = {.n_buckets = (uint32_t)(n / n_per_bucket) + 1, .n_slots = (uint32_t)n_slots}};
        bool found;
        const enum bo_status status = try_seeds(&s, arena, &found, err);
        if (status)
            return status;
        if (found) {
            s.ph.pilots = s.pilots;
            *ph_ret = s.ph;
            return BO_OK;
        }
    }
    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "no perfect hash found for these names");
}
