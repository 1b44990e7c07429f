/*
 * list-table: a control. It reads the list's bytes (list.c), and builds a hash table of all names
 * in memory, as a tool does that looks up more than a few names.
 *
 * Entries are numbered in the order of the list. Slots, at least twice as many as names and a
 * power of two, hold half of a name's hash and the name's first entry plus 1; probing is linear.
 */
#include "codecs/lprf/list/list.h"

struct slot {
    uint32_t fingerprint;
    uint32_t first; /* 0: empty */
};

/* An entry of the list. */
struct listed {
    uint32_t name_n;
    uint32_t next; /* the next entry of the same name, plus 1; 0: none */
    size_t off;    /* of the name */
};

struct index {
    struct slot *slots;
    size_t mask;
    struct listed *entries;
    size_t n, cap;
};

static enum bo_status put_index(struct lprf_writer *w, struct bo_error *err)
{
    return lprf_put_list(w, err);
}

static inline struct bo_span name_of(const struct lprf_file *file, const struct listed *entry)
{
    return (struct bo_span){file->in.p + entry->off, entry->name_n};
}

/* Numbers the list's entries. */
static enum bo_status read_entries(const struct lprf_file *file, struct index *index,
                                   struct bo_error *err)
{
    struct lprf_entry entry;
    for (size_t off = LPRF_HEADER_NBYTES; off < file->end_of_index; index->n++) {
        const enum bo_status status =
            lprf_read_list_entry(file, file->end_of_index, &off, &entry, err);
        if (status)
            return status;
        if (!bo_grow(file->arena, &index->entries, index->n, 1, &index->cap))
            return bo_fail_alloc(err, file->arena);
        index->entries[index->n] = (struct listed){.name_n = (uint32_t)entry.name.n,
                                                   .off = (size_t)(entry.name.p - file->in.p)};
    }
    if (index->n >= UINT32_MAX)
        return bo_fail(err, BO_UNSUPPORTED, LPRF_HEADER_NBYTES, "list has 2^32 - 1 names or more");
    return BO_OK;
}

/* The slot of the name, or the empty one where it would go. */
static inline struct slot *slot_of(const struct lprf_file *file, const struct index *index,
                                   struct bo_span name, uint64_t hash)
{
    const uint32_t fingerprint = (uint32_t)(hash >> 32);
    for (size_t s = (size_t)hash & index->mask;; s = (s + 1) & index->mask) {
        struct slot *slot = &index->slots[s];
        if (slot->first == 0 ||
            (slot->fingerprint == fingerprint &&
             bo_span_equal(name_of(file, &index->entries[slot->first - 1]), name)))
            return slot;
    }
}

static enum bo_status open_index(const struct lprf_file *file, struct index *index,
                                 struct bo_error *err)
{
    *index = (struct index){.n = 0};
    const enum bo_status status = read_entries(file, index, err);
    if (status)
        return status;
    size_t n_slots = 16;
    while (n_slots < 2 * index->n)
        n_slots *= 2;
    index->mask = n_slots - 1;
    index->slots = bo_zalloc_array(file->arena, n_slots, sizeof *index->slots);
    if (!index->slots)
        return bo_fail_alloc(err, file->arena);
    /* From the last entry on, so that the slot has the first of equal names. */
    for (size_t i = index->n; i-- > 0;) {
        const struct bo_span name = name_of(file, &index->entries[i]);
        const uint64_t hash = lprf_hash_name(name, 0);
        struct slot *slot = slot_of(file, index, name, hash);
        slot->fingerprint = (uint32_t)(hash >> 32);
        index->entries[i].next = slot->first;
        slot->first = (uint32_t)i + 1;
    }
    return BO_OK;
}

/* The entry with number match->next, less 1. */
static inline enum bo_status find_more(const struct lprf_file *file, const struct index *index,
                                       struct bo_span name, struct lprf_match *match,
                                       struct bo_error *err)
{
    (void)err; /* open_index has checked the list */
    match->off = 0;
    if (match->next) {
        const struct listed *entry = &index->entries[match->next - 1];
        match->off = (size_t)bo_le64(file->in.p + entry->off + entry->name_n);
        match->next = entry->next;
    }
    return BO_OK;
}

static inline enum bo_status find(const struct lprf_file *file, const struct index *index,
                                  struct bo_span name, struct lprf_match *match,
                                  struct bo_error *err)
{
    match->next = slot_of(file, index, name, lprf_hash_name(name, 0))->first;
    return find_more(file, index, name, match, err);
}

static enum bo_status each(const struct lprf_file *file, const struct index *index, bool keep,
                           lprf_visit *visit, void *context, struct bo_error *err)
{
    (void)keep; /* names lie in the file */
    return lprf_each_of_list(file, visit, context, err);
}

static inline enum lprf_order order_of(const struct index *index)
{
    return LPRF_FILE_ORDER;
}

static inline bool file_is_alphabetical(const struct index *index)
{
    return false;
}

#define LPRF_INDEX list_table
#define LPRF_INDEX_NAME "list-table"
#define LPRF_INDEX_NUMBER 0
#define LPRF_INDEX_ROLE BO_CONTROL
#define LPRF_INDEX_SUMMARY "the list, with a hash table in memory that open builds"
#define LPRF_INDEX_SHARES 1
#define LPRF_INDEX_READS "list"
#define LPRF_INDEX_CHOICES LPRF_LIST_CHOICES
#include "codecs/lprf/cross.h"
