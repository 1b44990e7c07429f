/*
 * hash-open: open addressing. Slots of 8 bytes, four in five of them full, store half of a name's
 * hash and the name's offset. The names are in file order.
 *
 *   24  u8   kind of the hash: 1, XXH3 of 64 bits
 *   25  u8   width of places (index.h)
 *   26  u16  0
 *   28  u32  names N
 *   32  u64  slots S
 *   40  S slots; an empty one is 0:
 *         u32  fingerprint: the hash's high half
 *         u32  where the name's entry starts, in bytes from the first entry, plus 1
 *       N entries, in the order of each name's first function:
 *         varint  bytes of the name, above 0
 *         places of its records
 *         the name
 *
 * A name's home is slot (fingerprint * H >> 32), with H = N + N / 4 + 1 (rounded down). Names
 * ascend by fingerprint, then by bytes. Each name has the first slot, from its home on, that is
 * after the slot of the name before. S is H, or more if the last name needs it. So a probe never
 * wraps around, and may stop at a higher fingerprint.
 */
#include "codecs/lprf/index.h"

enum { HASH_XXH3_64 = 1, SLOTS_OFF = LPRF_HEADER_NBYTES + 16 };

struct index {
    const uint8_t *slots;
    size_t n_slots, n_homes, entries_off;
    unsigned width;
    uint32_t n_names;
};

static uint64_t n_homes_for(uint64_t n_names)
{
    return n_names + n_names / 4 + 1;
}

static inline size_t home_of(uint32_t fingerprint, size_t n_homes)
{
    return (size_t)((uint64_t)fingerprint * n_homes >> 32);
}

static inline uint32_t fingerprint_of(struct bo_span name)
{
    return (uint32_t)(lprf_hash_name(name, 0) >> 32);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The functions, while they are sorted into the table. */
struct plan {
    const struct lprf_model *model;
    uint64_t *keys; /* fingerprint << 32; then, for the first function of a name, its slot plus 1 */
    uint32_t
        *next; /* as lprf_link_by_key leaves it; then the next function of the same name, plus 1 */
    uint32_t first;
    uint32_t *at; /* where each function's place is written, from the index's start */
    unsigned width;
    size_t n_names, n_homes, n_slots;
};

static bool repeats(const struct plan *plan, uint64_t previous_key, uint32_t previous, uint32_t f)
{
    return previous_key == plan->keys[f] && lprf_same_name(plan->model, previous, f);
}

static enum bo_status link_functions(struct plan *plan, struct bo_arena *arena,
                                     struct bo_error *err)
{
    const struct lprf_model *model = plan->model;
    const size_t n = model->n_functions;
    plan->keys = bo_alloc_array(arena, n, sizeof *plan->keys);
    plan->next = bo_alloc_array(arena, n, sizeof *plan->next);
    if (!plan->keys || !plan->next)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < n; f++)
        plan->keys[f] = (uint64_t)fingerprint_of(model->functions[f].name) << 32;
    const enum bo_status status =
        lprf_link_by_key(model, plan->keys, plan->next, &plan->first, arena, err);
    if (status)
        return status;
    plan->at = bo_alloc_array(arena, n, sizeof *plan->at);
    return plan->at ? BO_OK : bo_fail_alloc(err, arena);
}

/* Counts names, slots and bytes. */
static void count(struct plan *plan, struct lprf_index_nbytes *nbytes)
{
    uint32_t previous = 0;
    for (uint32_t link = plan->first; link; link = plan->next[link - 1]) {
        const uint32_t f = link - 1;
        const size_t name_n = plan->model->functions[f].name.n;
        nbytes->places += plan->width;
        if (!plan->n_names || !repeats(plan, plan->keys[previous], previous, f)) {
            plan->n_names++;
            nbytes->names += name_n;
            nbytes->tables += bo_uvarint_nbytes(name_n);
        }
        previous = f;
    }
    plan->n_homes = (size_t)n_homes_for(plan->n_names);
}

/* Gives each name its slot, and leaves in `next` only links between functions of one name. */
static void choose_slots(struct plan *plan)
{
    uint64_t previous_key = UINT64_MAX;
    uint32_t previous = 0;
    size_t free_slot = 0;
    for (uint32_t link = plan->first; link;) {
        const uint32_t f = link - 1;
        link = plan->next[f];
        plan->next[f] = 0;
        if (repeats(plan, previous_key, previous, f)) {
            plan->next[previous] = f + 1;
            plan->keys[f] = 0;
        } else {
            previous_key = plan->keys[f];
            const size_t home = home_of((uint32_t)(previous_key >> 32), plan->n_homes);
            const size_t slot = home > free_slot ? home : free_slot;
            free_slot = slot + 1;
            plan->keys[f] = free_slot;
        }
        previous = f;
    }
    plan->n_slots = free_slot > plan->n_homes ? free_slot : plan->n_homes;
}

/* Puts the entry of the name whose first function is f at p[*off]. */
static void put_entry(struct plan *plan, uint8_t *p, size_t *off, uint32_t f)
{
    const struct bo_span name = plan->model->functions[f].name;
    *off += lprf_set_varint(p + *off, name.n);
    for (uint32_t link = f + 1; link; link = plan->next[link - 1]) {
        plan->at[link - 1] = (uint32_t)*off;
        p[*off] = plan->next[link - 1] != 0;
        *off += plan->width;
    }
    memcpy(p + *off, name.p, name.n);
    *off += name.n;
}

static void put_entries(struct plan *plan, uint8_t *p)
{
    const size_t slots_off = SLOTS_OFF - LPRF_HEADER_NBYTES;
    const size_t first_off = slots_off + 8 * plan->n_slots;
    size_t off = first_off;
    for (uint32_t f = 0; f < plan->model->n_functions; f++) {
        if (plan->keys[f] == 0)
            continue; /* stored with an earlier function of that name */
        uint8_t *slot = p + slots_off + 8 * (size_t)(plan->keys[f] - 1);
        bo_set_le32(slot, fingerprint_of(plan->model->functions[f].name));
        bo_set_le32(slot + 4, (uint32_t)(off - first_off) + 1);
        put_entry(plan, p, &off, f);
    }
}

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    struct plan plan = {.model = w->model};
    struct lprf_index_nbytes nbytes = {.names = 0};
    size_t start;
    enum bo_status status = lprf_place_width(w, &plan.width, err);
    if (status || (status = link_functions(&plan, w->out->arena, err)))
        return status;
    count(&plan, &nbytes);
    choose_slots(&plan);
    nbytes.tables += SLOTS_OFF - LPRF_HEADER_NBYTES + 8 * (uint64_t)plan.n_slots;
    if ((status = lprf_put_index_space(w, &nbytes, UINT32_MAX, &start, err)))
        return status;
    uint8_t *p = w->out->p + start;
    p[0] = HASH_XXH3_64;
    p[1] = (uint8_t)plan.width;
    bo_set_le32(p + 4, (uint32_t)plan.n_names);
    bo_set_le64(p + 8, plan.n_slots);
    put_entries(&plan, p);
    lprf_fill_places(w, start, plan.at, plan.width);
    lprf_end_index(w);
    return lprf_end(w, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    const uint8_t *p = file->in.p + LPRF_HEADER_NBYTES;
    const size_t end = file->end_of_index;
    if (end < SLOTS_OFF)
        return bo_fail(err, BO_TRUNCATED, end, "index ends inside its header");
    if (p[0] != HASH_XXH3_64)
        return bo_fail(err, BO_UNSUPPORTED, LPRF_HEADER_NBYTES, "hash is of an unknown kind");
    if (p[1] < 1 || p[1] > 8)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 1, "width of places is not 1 to 8");
    if (p[2] || p[3])
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 2, "padding is not 0");
    index->width = p[1];
    index->n_names = bo_le32(p + 4);
    const uint64_t n_slots = bo_le64(p + 8), n_homes = n_homes_for(index->n_names);
    if (n_slots < n_homes || n_slots - n_homes > index->n_names)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 8,
                       "number of slots does not suit that of names");
    if (n_slots > (end - SLOTS_OFF) / 8)
        return bo_fail(err, BO_TRUNCATED, LPRF_HEADER_NBYTES + 8, "slots run past the index's end");
    index->slots = p + 16;
    index->n_slots = (size_t)n_slots;
    index->n_homes = (size_t)n_homes;
    index->entries_off = SLOTS_OFF + 8 * (size_t)n_slots;
    return BO_OK;
}

/* One name. */
struct entry {
    struct bo_span name;
    size_t places_off, places_end;
};

/* Reads the entry at *off, which must end by the index's end; moves *off past it. */
static inline enum bo_status read_entry(const struct lprf_file *file, const struct index *index,
                                        size_t *off, struct entry *entry, struct bo_error *err)
{
    const size_t entry_off = *off, end = file->end_of_index;
    uint64_t name_nbytes;
    enum bo_status status = lprf_index_varint(file, off, end, &name_nbytes, err);
    if (status)
        return status;
    if (name_nbytes == 0)
        return bo_fail(err, BO_CORRUPT, entry_off, "function without a name");
    entry->places_off = *off;
    if ((status = lprf_skip_places(file, off, end, index->width, err)))
        return status;
    if (name_nbytes > end - *off)
        return bo_fail(err, BO_TRUNCATED, entry_off, "name runs past the index's end");
    entry->places_end = *off;
    entry->name = (struct bo_span){file->in.p + *off, (size_t)name_nbytes};
    *off += (size_t)name_nbytes;
    return BO_OK;
}

/* Reads the entry that a full slot points to. */
static inline enum bo_status read_slot(const struct lprf_file *file, const struct index *index,
                                       size_t slot, uint32_t start, struct entry *entry,
                                       struct bo_error *err)
{
    if (start > file->end_of_index - index->entries_off)
        return bo_fail(err, BO_CORRUPT, SLOTS_OFF + 8 * (uint64_t)slot + 4,
                       "slot points past the index's end");
    size_t off = index->entries_off + start - 1;
    return read_entry(file, index, &off, entry, err);
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    const uint32_t fingerprint = fingerprint_of(name);
    match->off = match->next = 0;
    for (size_t s = home_of(fingerprint, index->n_homes); s < index->n_slots; s++) {
        const uint64_t slot = bo_le64(index->slots + 8 * s);
        struct entry entry;
        if ((uint32_t)slot < fingerprint && slot >> 32)
            continue;
        if ((uint32_t)slot != fingerprint || slot >> 32 == 0)
            break;
        const enum bo_status status =
            read_slot(file, index, s, (uint32_t)(slot >> 32), &entry, err);
        if (status)
            return status;
        if (bo_span_equal(entry.name, name))
            return lprf_match_place(file, entry.places_off, entry.places_end, index->width, match,
                                    err);
    }
    return BO_OK;
}

static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    return lprf_match_next_place(file, index->width, match, err);
}

/* Checks, by the fingerprints only, that each name is in the slot that the layout requires. */
static enum bo_status check_slots(const struct index *index, struct bo_error *err)
{
    size_t free_slot = 0, n_full = 0;
    uint32_t last = 0;
    for (size_t s = 0; s < index->n_slots; s++) {
        const uint8_t *p = index->slots + 8 * s;
        const uint64_t off = SLOTS_OFF + 8 * (uint64_t)s;
        const uint32_t fingerprint = bo_le32(p);
        if (bo_le32(p + 4) == 0) {
            if (fingerprint)
                return bo_fail(err, BO_CORRUPT, off, "free slot has a fingerprint");
            continue;
        }
        const size_t home = home_of(fingerprint, index->n_homes);
        if (fingerprint < last)
            return bo_fail(err, BO_CORRUPT, off, "fingerprints do not ascend");
        if (s != (home > free_slot ? home : free_slot))
            return bo_fail(err, BO_CORRUPT, off, "name is not in the first slot that it may take");
        last = fingerprint;
        free_slot = s + 1;
        n_full++;
    }
    if (n_full != index->n_names)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 4,
                       "number of names differs from the announced one");
    if (index->n_slots > index->n_homes && free_slot != index->n_slots)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 8, "more slots than the names need");
    return BO_OK;
}

/* True if the slot is full, with a smaller fingerprint. */
static bool is_below(const struct index *index, size_t s, uint32_t fingerprint)
{
    if (s >= index->n_slots)
        return false;
    const uint64_t slot = bo_le64(index->slots + 8 * s);
    return slot >> 32 && (uint32_t)slot < fingerprint;
}

/* The first slot from s on that is not below the fingerprint, in steps that grow and shrink. */
static size_t skip_below(const struct index *index, size_t s, uint32_t fingerprint)
{
    size_t step = 1;
    for (; is_below(index, s + step - 1, fingerprint); step *= 2)
        s += step;
    while (step /= 2)
        if (is_below(index, s + step - 1, fingerprint))
            s += step;
    return s;
}

/*
 * Checks that a lookup of the name whose entry starts at `off` finds a slot that points there.
 * check_slots has succeeded: from the name's home on, the slots below its fingerprint come first.
 * After a few of them, the others are skipped, as names with few homes would cost quadratic time.
 */
static enum bo_status check_entry(const struct index *index, size_t off, const struct entry *entry,
                                  struct bo_error *err)
{
    enum { FEW = 16 };
    const uint32_t fingerprint = fingerprint_of(entry->name);
    const uint64_t wanted = (uint64_t)(off - index->entries_off + 1) << 32 | fingerprint;
    unsigned n = 0;
    for (size_t s = home_of(fingerprint, index->n_homes); s < index->n_slots; s++) {
        const uint64_t slot = bo_le64(index->slots + 8 * s);
        if (slot == wanted)
            return BO_OK;
        if ((uint32_t)slot > fingerprint || slot >> 32 == 0)
            break;
        if (++n == FEW)
            s = skip_below(index, s + 1, fingerprint) - 1;
    }
    return bo_fail(err, BO_CORRUPT, off, "no slot that a lookup tries points to this name");
}

/* Checks that names of one fingerprint ascend. All slots are known to point to entries. */
static enum bo_status check_equal_fingerprints(const struct lprf_file *file,
                                               const struct index *index, struct bo_error *err)
{
    uint64_t last = 0;
    for (size_t s = 0; s < index->n_slots; s++) {
        const uint64_t slot = bo_le64(index->slots + 8 * s);
        const bool equal = slot >> 32 && last >> 32 && (uint32_t)slot == (uint32_t)last;
        struct entry a, b;
        if (equal && !read_slot(file, index, s - 1, (uint32_t)(last >> 32), &a, err) &&
            !read_slot(file, index, s, (uint32_t)(slot >> 32), &b, err) &&
            bo_span_compare(a.name, b.name) >= 0)
            return bo_fail(err, BO_CORRUPT, SLOTS_OFF + 8 * (uint64_t)s,
                           "names of one fingerprint do not ascend");
        last = slot;
    }
    return BO_OK;
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    (void)keep; /* names lie in the file */
    enum bo_status status = check_slots(index, err);
    size_t off = index->entries_off;
    uint64_t last_place = 0;
    for (uint32_t i = 0; i < index->n_names && !status; i++) {
        const size_t entry_off = off;
        struct entry entry;
        if ((status = read_entry(file, index, &off, &entry, err)) ||
            (status = check_entry(index, entry_off, &entry, err)))
            return status;
        const uint64_t place = lprf_place(file, entry.places_off, index->width);
        if (i && place <= last_place)
            return bo_fail(err, BO_CORRUPT, entry.places_off, "names are not in file order");
        last_place = place;
        status = lprf_visit_places(file, entry.places_off, entry.places_end, index->width,
                                   entry.name, visit, context, err);
    }
    if (status)
        return status;
    if (off != file->end_of_index)
        return bo_fail(err, BO_CORRUPT, off, "bytes after the last name");
    return check_equal_fingerprints(file, index, err);
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_UNORDERED;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX hash_open
#define LPRF_INDEX_NAME "hash-open"
#define LPRF_INDEX_NUMBER 3
#define LPRF_INDEX_ROLE BO_PROPOSED
#define LPRF_INDEX_WIDTH_OFF (LPRF_HEADER_NBYTES + 1)
#define LPRF_INDEX_SUMMARY "open addressing with 32-bit fingerprints; names in file order"
#include "codecs/lprf/cross.h"
