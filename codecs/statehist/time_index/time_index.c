/* time-index: opening, and the codec. */
#include "codecs/statehist/time_index/unpacked.h"
#include "harness/core/cpu.h"

/* ---- damage ---------------------------------------------------------------------------------- */

__attribute__((cold)) void time_index_report_damage(const struct time_index *index,
                                                    const uint8_t *where, const char *what)
{
    const bool is_inside = where >= index->in.p && where <= index->in.p + index->in.n;
    (void)bo_fail(index->damage, BO_CORRUPT,
                  is_inside ? (uint64_t)(where - index->in.p) : index->in.n, what);
}

/* ---- classes and shapes ---------------------------------------------------------------------- */

static enum bo_status open_class(struct bo_cursor *c, struct bo_arena *arena,
                                 struct time_index_class *class, struct bo_error *err)
{
    uint64_t n_codes = 1;
    enum bo_status status;
    class->first[STATEHIST_NULL] = 0;
    for (unsigned t = STATEHIST_NULL + 1; t < STATEHIST_N_TYPES; t++) {
        uint32_t n;
        if ((status = bo_get_uvarint32(c, &n, err)))
            return status;
        class->values[t].n = n;
        class->first[t] = (uint32_t)n_codes;
        n_codes += n;
        if (n_codes > UINT32_MAX)
            return bo_fail_here(err, BO_CORRUPT, c, "class has too many values");
    }
    class->first[STATEHIST_N_TYPES] = (uint32_t)n_codes;
    class->code_nbits = bo_bit_width(n_codes - 1);
    for (unsigned t = STATEHIST_NULL + 1; t < STATEHIST_N_TYPES; t++)
        if ((status = ascending_open(c, class->values[t].n, &class->values[t], err)))
            return status;
    size_t n_slots = 1;
    while (n_slots < n_codes && n_slots < TIME_INDEX_MAX_SLOTS)
        n_slots *= 2;
    class->slot_mask = (uint32_t)n_slots - 1;
    class->slots = bo_zalloc_array(arena, n_slots, sizeof *class->slots);
    return class->slots ? BO_OK : bo_fail_alloc(err, arena);
}

static enum bo_status open_shapes(struct time_index *index, struct bo_cursor *c,
                                  struct bo_error *err)
{
    for (uint32_t i = 0; i < index->n_shapes; i++) {
        uint32_t v;
        if (!bo_get_le32(c, &v))
            return bo_fail_here(err, BO_TRUNCATED, c, "shapes run past their section's end");
        struct time_index_shape *s = &index->shapes[i];
        s->n = v & 127;
        s->class = v >> 7 & 63;
        s->l = v >> 13 & 63;
        s->nulls = v >> 19 & 3;
        s->n_local = v >> 21 & 63;
        if (s->n == 0 || s->n > TIME_INDEX_MAX_SHAPED || s->class >= index->n_classes ||
            (s->nulls == TIME_INDEX_COUNTING && s->n_local) || v >> 27) {
            c->off -= 4;
            return bo_fail_here(err, BO_CORRUPT, c, "shape has an invalid field");
        }
        const unsigned code_nbits = index->classes[s->class].code_nbits;
        s->stored_nbits = (uint8_t)time_index_stored_nbits(s->n_local, code_nbits);
        s->local = (uint16_t)(s->n > 1 ? (s->n - 2) * s->l : 0);
        s->stored = (uint16_t)(s->local + s->n_local * code_nbits);
        s->upper = (uint16_t)(s->stored + time_index_n_stored(s->n, s->nulls) * s->stored_nbits);
    }
    return BO_OK;
}

/* ---- sections -------------------------------------------------------------------------------- */

struct head {
    uint32_t n_times;
    uint64_t nbytes[TIME_INDEX_N_SECTIONS];
};

static enum bo_status read_head(struct time_index *index, struct bo_cursor *c, struct head *head,
                                struct bo_error *err)
{
    const uint8_t *magic;
    uint64_t start, end;
    uint32_t n_intervals;
    uint8_t direct;
    enum bo_status status;
    if (!bo_get_bytes(c, sizeof time_index_magic, &magic))
        return bo_fail_here(err, BO_TRUNCATED, c, "file ends inside its header");
    if (memcmp(magic, time_index_magic, sizeof time_index_magic) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "magic number is not that of time-index");
    if (!bo_get_le64(c, &start) || !bo_get_le64(c, &end) || !bo_get_u8(c, &direct))
        return bo_fail_here(err, BO_TRUNCATED, c, "file ends inside its header");
    index->start = (int64_t)start;
    index->end = (int64_t)end;
    index->direct = direct;
    if (index->start > index->end)
        return bo_fail(err, BO_CORRUPT, 4, "history ends before it starts");
    if (direct > 1)
        return bo_fail(err, BO_CORRUPT, 20, "kind of keys is neither 0 nor 1");
    if ((status = bo_get_uvarint32(c, &index->n_quarks, err)) ||
        (status = bo_get_uvarint32(c, &n_intervals, err)) ||
        (status = bo_get_uvarint32(c, &head->n_times, err)) ||
        (status = bo_get_uvarint32(c, &index->n_strings, err)) ||
        (status = bo_get_uvarint32(c, &index->n_classes, err)) ||
        (status = bo_get_uvarint32(c, &index->n_shapes, err)))
        return status;
    if (direct && head->n_times)
        return bo_fail(err, BO_CORRUPT, 20, "unused table of times");
    index->n_intervals = n_intervals;
    for (unsigned i = 0; i < TIME_INDEX_N_SECTIONS; i++)
        if ((status = bo_get_uvarint64(c, &head->nbytes[i], err)))
            return status;
    /* An interval takes a bit at least. */
    if (n_intervals > 8 * head->nbytes[TIME_INDEX_RECORDS] || n_intervals < index->n_quarks)
        return bo_fail_here(err, BO_CORRUPT, c, "number of intervals is out of range");
    if (index->n_classes == 0 || index->n_classes > TIME_INDEX_MAX_CLASSES)
        return bo_fail_here(err, BO_CORRUPT, c, "number of classes is not 1 to 64");
    if (index->n_shapes > TIME_INDEX_MAX_SHAPES ||
        index->n_shapes > head->nbytes[TIME_INDEX_SHAPES] / 4)
        return bo_fail_here(err, BO_CORRUPT, c, "more shapes than their section has room for");
    if (index->n_quarks > INT32_MAX)
        return bo_fail_here(err, BO_CORRUPT, c, "too many quarks");
    return BO_OK;
}

/* A cursor over the next section. */
static enum bo_status take_section(struct bo_cursor *c, uint64_t nbytes, struct bo_cursor *section,
                                   struct bo_error *err)
{
    const size_t n = bo_left(c) < ASCENDING_MARGIN ? 0 : bo_left(c) - ASCENDING_MARGIN;
    const uint8_t *ignored;
    if (nbytes > n)
        return bo_fail(err, BO_TRUNCATED, c->n, "section runs past the file's end");
    *section = (struct bo_cursor){.p = c->p + c->off, .n = (size_t)nbytes, .base = c->off};
    (void)bo_get_bytes(c, (size_t)nbytes, &ignored);
    return BO_OK;
}

static enum bo_status section_end(const struct bo_cursor *section, struct bo_error *err)
{
    return bo_left(section) == 0
               ? BO_OK
               : bo_fail_here(err, BO_CORRUPT, section, "bytes after the content of a section");
}

/* Parts lie after the places of parts; a part is read when it is needed. */
static enum bo_status open_checkpoints(struct time_index *index, struct bo_cursor *c,
                                       struct bo_error *err)
{
    enum bo_status status = bo_get_uvarint32(c, &index->n_segments, err);
    index->era = 1;
    if (status || index->n_segments == 0)
        return status ? status : section_end(c, err);
    if ((status = bo_get_uvarint32(c, &index->era, err)))
        return status;
    if (index->era == 0)
        return bo_fail_here(err, BO_CORRUPT, c, "era has no segments");
    if ((status = ascending_open(c, index->n_segments - 1, &index->cuts, err)) ||
        (status = ascending_open(c, index->n_segments, &index->parts, err)))
        return status;
    index->part_bytes = (struct bo_span){c->p + c->off, bo_left(c)};
    return index->n_segments <= index->part_bytes.n
               ? BO_OK
               : bo_fail_here(err, BO_CORRUPT, c, "more segments than bytes");
}

static enum bo_status open_sections(struct time_index *index, struct bo_cursor *c,
                                    const struct head *head, struct bo_arena *arena,
                                    struct bo_error *err)
{
    struct bo_cursor sections[TIME_INDEX_N_SECTIONS];
    enum bo_status status;
    for (unsigned i = 0; i < TIME_INDEX_N_SECTIONS; i++)
        if ((status = take_section(c, head->nbytes[i], &sections[i], err)))
            return status;
    if (bo_left(c) < ASCENDING_MARGIN)
        return bo_fail(err, BO_TRUNCATED, c->n, "file ends before the end of the margin");
    for (size_t i = 0; i < ASCENDING_MARGIN; i++)
        if (c->p[c->off + i])
            return bo_fail(err, BO_CORRUPT, c->off + i, "margin is not 0");
    if (bo_left(c) > ASCENDING_MARGIN)
        return bo_fail(err, BO_CORRUPT, c->off + ASCENDING_MARGIN, "bytes follow the end");
    if ((status = ascending_open(&sections[TIME_INDEX_TIMES], head->n_times, &index->times, err)) ||
        (status = section_end(&sections[TIME_INDEX_TIMES], err)) ||
        (status = ascending_open(&sections[TIME_INDEX_STRINGS], index->n_strings,
                                 &index->string_ends, err)))
        return status;
    index->strings.p = sections[TIME_INDEX_STRINGS].p + sections[TIME_INDEX_STRINGS].off;
    index->strings.n = bo_left(&sections[TIME_INDEX_STRINGS]);
    for (uint32_t i = 0; i < index->n_classes; i++)
        if ((status = open_class(&sections[TIME_INDEX_CLASSES], arena, &index->classes[i], err)))
            return status;
    if ((status = section_end(&sections[TIME_INDEX_CLASSES], err)) ||
        (status = open_shapes(index, &sections[TIME_INDEX_SHAPES], err)) ||
        (status = section_end(&sections[TIME_INDEX_SHAPES], err)) ||
        (status =
             ascending_open(&sections[TIME_INDEX_PLACES], index->n_quarks, &index->places, err)) ||
        (status = section_end(&sections[TIME_INDEX_PLACES], err)))
        return status;
    if ((status = open_checkpoints(index, &sections[TIME_INDEX_CHECKPOINTS], err)))
        return status;
    index->records = sections[TIME_INDEX_RECORDS].p;
    index->records_nbits = 8 * (uint64_t)sections[TIME_INDEX_RECORDS].n;
    index->tree = (struct bo_span){sections[TIME_INDEX_TREE].p, sections[TIME_INDEX_TREE].n};
    return BO_OK;
}

/* ---- parts of checkpoints -------------------------------------------------------------------- */

bool time_index_part(const struct time_index *index, uint32_t k, struct bo_cursor *part)
{
    uint64_t place;
    if (!ascending_at(&index->parts, k, &place) || place > index->part_bytes.n)
        return time_index_damaged(index, index->part_bytes.p, "places of checkpoints are damaged");
    *part = bo_cursor_at(index->in, (size_t)(index->part_bytes.p - index->in.p + place),
                         (size_t)(index->part_bytes.n - place));
    return true;
}

bool time_index_open_set(const struct time_index *index, struct bo_cursor *part,
                         struct time_index_set *set)
{
    uint32_t n;
    set->at = 0;
    set->is_damaged = false;
    if (bo_get_uvarint32(part, &n, index->damage) ||
        ascending_open(part, n, &set->groups, index->damage))
        return false;
    set->words = part->p + part->off;
    if (n > bo_left(part) / 8)
        return time_index_damaged(index, set->words, "checkpoint has more groups than bytes");
    part->off += 8 * (size_t)n;
    uint64_t n_quarks = 0;
    for (uint32_t i = 0; i < n; i++)
        n_quarks += ascending_popcount(bo_le64(set->words + 8 * (size_t)i));
    set->n = (uint32_t)n_quarks;
    return n_quarks <= index->n_quarks ||
           time_index_damaged(index, set->words, "checkpoint has more quarks than there are");
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static bool open_kept(const struct ascending_list *list, struct time_index_limits *limits,
                      struct bo_arena *arena, struct time_index_kept *kept)
{
    const uint32_t n = list->n_blocks;
    const size_t nbytes = n * (sizeof *kept->known + ASCENDING_BLOCK * sizeof *kept->numbers);
    if (n == 0 || n > limits->max_kept || nbytes > limits->max_nbytes)
        return true;
    limits->max_nbytes -= nbytes;
    kept->known = bo_zalloc_array(arena, n, sizeof *kept->known);
    kept->numbers = bo_alloc_array(arena, (size_t)n * ASCENDING_BLOCK, sizeof *kept->numbers);
    return kept->known && kept->numbers;
}

/* Two to four for each block of times, so that most have none or one. */
static bool open_slices(struct time_index *index, struct bo_arena *arena)
{
    enum { MOST_NBITS = 16 };
    if (index->direct)
        return true;
    const unsigned nbits = bo_bit_width((uint64_t)index->end - (uint64_t)index->start);
    const unsigned wanted = bo_bit_width(index->times.n_blocks) + 1;
    const unsigned field = wanted < MOST_NBITS ? wanted : MOST_NBITS; /* of a slice's number */
    index->slice_nbits = nbits < field ? 0 : nbits - field;
    index->slices = bo_zalloc_array(arena, ((size_t)1 << field) + 1, sizeof *index->slices);
    return index->slices;
}

/* How many numbers block b has, which are unpacked; 0 when it is damaged. */
static unsigned keep(const struct ascending_list *list, uint32_t b,
                     const struct time_index_kept *kept)
{
    uint64_t *numbers = kept->numbers + (size_t)b * ASCENDING_BLOCK;
    struct ascending_block block = {.n = 1};
    numbers[0] = list->first;
    return list->n == 1 ||
                   (ascending_list_block(list, b, &block) && ascending_block_all(&block, numbers))
               ? block.n
               : 0;
}

bool time_index_keep_times(const struct time_index *index, uint32_t b)
{
    const uint64_t length = (uint64_t)index->end - (uint64_t)index->start;
    const uint64_t *times = index->kept_times.numbers + (size_t)b * ASCENDING_BLOCK;
    const unsigned n = keep(&index->times, b, &index->kept_times);
    bool ascending = true;
    if (n == 0)
        return time_index_damaged(index, index->times.body, "times are damaged");
    for (unsigned i = 1; i < n; i++)
        ascending &= times[i] > times[i - 1];
    if (times[0] == 0 || !ascending || times[n - 1] > length)
        return time_index_damaged(index, index->times.body, "change lies outside of the history");
    index->kept_times.known[b] = true;
    return true;
}

bool time_index_keep_places(const struct time_index *index, uint32_t b)
{
    uint64_t *places = index->kept_places.numbers + (size_t)b * ASCENDING_BLOCK;
    const unsigned n = keep(&index->places, b, &index->kept_places);
    if (n == 0)
        return time_index_damaged(index, index->places.body, "places of records are damaged");
    for (unsigned i = 0; i < n; i++) /* none after the records may be taken for an open one */
        places[i] = places[i] > index->records_nbits ? index->records_nbits + 1 : places[i];
    index->kept_places.known[b] = true;
    if (index->unpacked)
        memset(index->unpacked->n_reads + (size_t)b * ASCENDING_BLOCK, 0,
               ASCENDING_BLOCK * sizeof *index->unpacked->n_reads);
    return true;
}

/*
 * Allocates the room for parts of checkpoints: at least for one part, which is at most two entries
 * a quark, or one bit a quark.
 */
static bool open_stored(struct time_index *index, struct time_index_limits *limits,
                        struct bo_arena *arena)
{
    const uint32_t max_stored = limits->max_stored;
    const uint64_t n_quarks = index->n_quarks;
    /* Without checkpoints there is one part, built from timelines, with one entry a quark. */
    const bool has_checkpoints = index->n_segments;
    const uint64_t most = has_checkpoints ? 8 * (uint64_t)index->part_bytes.n : n_quarks;
    const uint64_t wanted = max_stored + 2 * n_quarks;
    if (max_stored == 0 || (!has_checkpoints && n_quarks > max_stored))
        return true;
    const uint32_t n_parts = has_checkpoints ? index->n_segments : 1;
    const size_t parts_nbytes = n_parts * sizeof *index->kept_parts;
    const size_t room = limits->max_nbytes < parts_nbytes
                            ? 0
                            : (limits->max_nbytes - parts_nbytes) / sizeof *index->stored;
    const size_t least = (size_t)(2 * n_quarks < most ? 2 * n_quarks : most);
    if (room < least)
        return true;
    index->generation = 1;
    index->least_stored = least;
    index->max_stored = (size_t)(wanted < most ? wanted : most);
    index->max_stored = room < index->max_stored ? room : index->max_stored;
    limits->max_nbytes -= parts_nbytes + index->max_stored * sizeof *index->stored;
    index->kept_parts = bo_zalloc_array(arena, n_parts, sizeof *index->kept_parts);
    index->stored = bo_alloc_array(arena, index->max_stored, sizeof *index->stored);
    return index->kept_parts && index->stored;
}

/* ---- opening --------------------------------------------------------------------------------- */

enum bo_status time_index_open_within(struct bo_span in, struct time_index_limits limits,
                                      struct bo_arena *arena, void **reader_ret,
                                      struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    struct head head;
    struct time_index *index = bo_zalloc_array(arena, 1, sizeof *index);
    struct bo_error *damage = bo_zalloc_array(arena, 1, sizeof *damage);
    if (!index || !damage)
        return bo_fail_alloc(err, arena);
    index->in = in;
    index->damage = damage;
    enum bo_status status = read_head(index, &c, &head, err);
    if (status)
        return status;
    index->classes = bo_zalloc_array(arena, index->n_classes, sizeof *index->classes);
    index->shapes = bo_alloc_array(arena, index->n_shapes, sizeof *index->shapes);
    if (!index->classes || !index->shapes)
        return bo_fail_alloc(err, arena);
    index->key_nbits =
        bo_bit_width(index->direct ? (uint64_t)index->end - (uint64_t)index->start : head.n_times);
    index->max_key = index->direct ? UINT64_MAX : head.n_times ? head.n_times - 1 : 0;
    index->shape_nbits = index->n_shapes ? bo_bit_width(index->n_shapes) : 1;
    if ((status = open_sections(index, &c, &head, arena, err)))
        return status;
    /* The list of places has shown that the file has so many quarks. */
    if (!(index->class_of = bo_alloc(arena, index->n_quarks)) || !open_slices(index, arena) ||
        !open_kept(&index->times, &limits, arena, &index->kept_times) ||
        !open_kept(&index->places, &limits, arena, &index->kept_places) ||
        !open_stored(index, &limits, arena) || !time_index_open_unpacked(index, &limits, arena))
        return bo_fail_alloc(err, arena);
    *reader_ret = index;
    return BO_OK;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    const struct time_index_limits limits = {TIME_INDEX_MAX_KEPT, TIME_INDEX_MAX_UNPACKED,
                                             TIME_INDEX_MAX_STORED, arena->keep_nbytes};
    return time_index_open_within(in, limits, arena, reader_ret, err);
}

/* ---- the codec ------------------------------------------------------------------------------- */

const struct bo_codec statehist_time_index = {
    .name = "time-index",
    .summary = "each time once; timelines as Elias-Fano lists of places among the times",
    .spec = "codecs/statehist/README.md#time-index",
    .choices = "classes, shapes, the table of times, low bits, dictionaries, checkpoints",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .lazy = true,
    .keeps = true,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .paths = BO_PATH_V3,
    .encode = time_index_encode,
    .decode = time_index_decode,
    .open = open,
    .query = time_index_query,
};
