/*
 * LLVM's extensible binary sample profile: opening. Except in an Eytzinger form, it reads what a
 * compiler reads before its first function: the summary, all names and all offsets.
 */
#include <stdlib.h>

#include "codecs/autofdo/extbinary/input.h"

/* The least bytes of an element of each kind, which bound the announced numbers. */
enum { NAME_NBYTES = 2, OFFSET_NBYTES = 2 };

static enum bo_status expect_end(const struct extbinary_input *in)
{
    return bo_left(&in->in)
               ? bo_fail_here(in->err, BO_CORRUPT, &in->in, "bytes after a section's last")
               : BO_OK;
}

/* ---- the section table ----------------------------------------------------------------------- */

static enum bo_status open_header(struct extbinary_reader *r, struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(r->in);
    const uint8_t *magic = NULL;
    uint8_t version = 0;
    uint64_t n_sections = 0;
    if (!bo_get_bytes(&c, EXTBINARY_MAGIC_NBYTES, &magic) || !bo_get_u8(&c, &version) ||
        !bo_get_le64(&c, &n_sections))
        return bo_fail(err, BO_TRUNCATED, r->in.n, "file ends in its header");
    if (memcmp(magic, extbinary_magic, EXTBINARY_MAGIC_NBYTES) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "magic number is not that of an extensible binary");
    if (version != r->form->version)
        return bo_fail(err, BO_UNSUPPORTED, EXTBINARY_MAGIC_NBYTES, "version is not the codec's");
    if (n_sections != r->form->n_sections)
        return bo_fail(err, BO_UNSUPPORTED, EXTBINARY_MAGIC_NBYTES + 1,
                       "number of sections is not the codec's");
    return r->in.n < extbinary_data_off(r->form)
               ? bo_fail(err, BO_TRUNCATED, r->in.n, "file ends in its header")
               : BO_OK;
}

/* Entry i of the table. Sections follow each other: *end is that of those before. */
static enum bo_status open_entry(struct extbinary_reader *r, unsigned i, size_t *end,
                                 struct bo_error *err)
{
    const size_t at = EXTBINARY_TABLE_OFF + i * (size_t)EXTBINARY_ENTRY_NBYTES;
    const enum extbinary_section section = r->form->table[i].section;
    const uint8_t *entry = r->in.p + at;
    const uint64_t size = bo_le64(entry + 24);
    uint64_t flags = bo_le64(entry + 8);
    if (bo_le64(entry) != extbinary_kinds[section])
        return bo_fail(err, BO_UNSUPPORTED, at, "section is of another kind");
    if (section == EXTBINARY_NAMES)
        flags &= ~EXTBINARY_HAS_UNIQUE;
    if (flags != r->form->table[i].flags)
        return bo_fail(err, BO_UNSUPPORTED, at + 8, "unknown flags of a section");
    if (bo_le64(entry + 16) != *end)
        return bo_fail(err, BO_CORRUPT, at + 16,
                       "section does not start where the one before ends");
    if (size > r->in.n - *end)
        return bo_fail(err, BO_TRUNCATED, at + 24, "section runs past the file's end");
    if ((section == EXTBINARY_SYMBOLS || section == EXTBINARY_METADATA) && size)
        return bo_fail(err, BO_UNSUPPORTED, at + 24, "section is not empty");
    r->starts[section] = *end;
    r->sizes[section] = (size_t)size;
    *end += (size_t)size;
    return BO_OK;
}

static enum bo_status open_sections(struct extbinary_reader *r, struct bo_error *err)
{
    enum bo_status status = open_header(r, err);
    size_t end = extbinary_data_off(r->form);
    for (unsigned i = 0; i < r->form->n_sections && !status; i++)
        status = open_entry(r, r->form->order[i], &end, err);
    if (!status && end < r->in.n)
        return bo_fail(err, BO_CORRUPT, end, "bytes after the last section");
    if (!status && r->form->unpack)
        status = r->form->unpack(r, err);
    const size_t at = r->starts[EXTBINARY_CONTEXTS];
    if (!status && !r->form->is_split && (r->sizes[EXTBINARY_CONTEXTS] != 1 || r->in.p[at]))
        return bo_fail(err, BO_UNSUPPORTED, at, "profile has contexts");
    return status;
}

static enum bo_status open_summary(struct extbinary_reader *r, struct bo_error *err)
{
    struct extbinary_input in = extbinary_input(r, EXTBINARY_SUMMARY, err);
    struct autofdo_summary *summary = &r->summary;
    uint64_t *const fields[] = {&summary->total_count, &summary->max_count, &summary->max_head,
                                &summary->n_counts, &summary->n_functions};
    uint64_t n = 0;
    enum bo_status status = BO_OK;
    for (unsigned i = 0; i < sizeof fields / sizeof *fields && !status; i++)
        status = bo_get_uvarint64(&in.in, fields[i], err);
    uint64_t off = extbinary_off(&in);
    if (!status)
        status = bo_get_uvarint64(&in.in, &n, err);
    if (!status && n != AUTOFDO_N_CUTOFFS)
        return bo_fail(err, BO_UNSUPPORTED, off, "summary does not have 16 entries");
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS && !status; i++) {
        off = extbinary_off(&in);
        status = bo_get_uvarint64(&in.in, &n, err);
        if (!status && n != autofdo_cutoffs[i])
            return bo_fail(err, BO_UNSUPPORTED, off, "cutoff of a summary entry has another value");
        if (!status)
            status = bo_get_uvarint64(&in.in, &summary->entries[i].min_count, err);
        if (!status)
            status = bo_get_uvarint64(&in.in, &summary->entries[i].n_counts, err);
    }
    return status ? status : expect_end(&in);
}

/* ---- names ----------------------------------------------------------------------------------- */

static enum bo_status open_strings(struct extbinary_reader *r, struct extbinary_input *in)
{
    enum bo_status status = extbinary_get_number(in, NAME_NBYTES, &r->n_names);
    if (status)
        return status;
    r->names = bo_alloc_array(r->arena, r->n_names, sizeof *r->names);
    if (!r->names)
        return bo_fail_alloc(in->err, r->arena);
    for (size_t i = 0; i < r->n_names; i++) {
        struct bo_span *name = &r->names[i];
        const size_t left = bo_left(&in->in);
        name->p = in->in.p + in->in.off;
        const uint8_t *nul = left ? memchr(name->p, 0, left) : NULL;
        if (!nul)
            return bo_fail_here(in->err, BO_TRUNCATED, &in->in, "name does not end in its section");
        name->n = (size_t)(nul - name->p);
        const char *flaw = autofdo_name_flaw(*name);
        if (!flaw && i && bo_span_compare(r->names[i - 1], *name) >= 0)
            flaw = "names are not in order";
        if (flaw)
            return bo_fail_here(in->err, BO_CORRUPT, &in->in, flaw);
        in->in.off += name->n + 1;
    }
    return BO_OK;
}

/* The GUIDs themselves are not read. */
static enum bo_status open_guids(struct extbinary_reader *r, struct extbinary_input *in)
{
    const enum bo_status status = extbinary_get_number(in, EXTBINARY_GUID_NBYTES, &r->n_names);
    if (!status)
        bo_get_bytes(&in->in, EXTBINARY_GUID_NBYTES * r->n_names, &r->guids);
    return status;
}

static enum bo_status open_eytzinger(struct extbinary_reader *r, struct extbinary_input *in)
{
    size_t *const n_ret[EXTBINARY_EYTZINGER_COUNTS] = {&r->n_nested, &r->n_flat, &r->n_names};
    const size_t off = in->in.base;
    uint64_t n;
    const uint64_t left = bo_left(&in->in) / 8;
    for (unsigned i = 0; i < EXTBINARY_EYTZINGER_COUNTS; i++) {
        if (!bo_get_le64(&in->in, &n))
            return bo_fail(in->err, BO_TRUNCATED, off, "names section ends inside its counts");
        if (n > left)
            return bo_fail(in->err, BO_TRUNCATED, off + 8 * (size_t)i,
                           "count exceeds what the rest of the section can hold");
        *n_ret[i] = (size_t)n;
    }
    r->n_names += r->n_nested + r->n_flat;
    if (!bo_get_bytes(&in->in, EXTBINARY_GUID_NBYTES * r->n_names, &r->guids))
        return bo_fail(in->err, BO_TRUNCATED, off,
                       "count exceeds what the rest of the section can hold");
    if (r->sizes[EXTBINARY_OFFSETS] != EXTBINARY_OFFSET_NBYTES * r->n_nested)
        return bo_fail(in->err, BO_CORRUPT, r->starts[EXTBINARY_OFFSETS],
                       "numbers of offsets and names differ");
    if (r->sizes[EXTBINARY_FLAT_OFFSETS] != EXTBINARY_OFFSET_NBYTES * r->n_flat)
        return bo_fail(in->err, BO_CORRUPT, r->starts[EXTBINARY_FLAT_OFFSETS],
                       "numbers of offsets and names differ");
    return BO_OK;
}

static enum bo_status open_names(struct extbinary_reader *r, struct bo_error *err)
{
    struct extbinary_input in = extbinary_input(r, EXTBINARY_NAMES, err);
    const enum bo_status status = r->form->is_eytzinger ? open_eytzinger(r, &in)
                                  : r->form->has_guids  ? open_guids(r, &in)
                                                        : open_strings(r, &in);
    return status ? status : expect_end(&in);
}

/* ---- offsets --------------------------------------------------------------------------------- */

/* Offsets ascend from 0, and each is that of another function. */
static enum bo_status open_offset(struct extbinary_reader *r, struct extbinary_input *in,
                                  struct extbinary_place *place, bool is_first)
{
    const uint64_t off = extbinary_off(in);
    uint64_t at = 0;
    size_t found;
    enum bo_status status = extbinary_get_index(r, in, &place->name);
    if (status)
        return status;
    if (!autofdo_names_add(&r->functions, extbinary_key(r, place->name), &found))
        return bo_fail_alloc(in->err, r->arena);
    if (found != r->n_places)
        return bo_fail(in->err, BO_CORRUPT, off, "duplicate function");
    const uint64_t at_off = extbinary_off(in);
    status = bo_get_uvarint64(&in->in, &at, in->err);
    if (status)
        return status;
    const size_t start = r->starts[place->section];
    if (at >= r->sizes[place->section])
        return bo_fail(in->err, BO_CORRUPT, at_off, "function lies outside its section");
    if (is_first ? at : start + at <= place[-1].start)
        return bo_fail(in->err, BO_CORRUPT, at_off, "functions are not in the order of offsets");
    place->start = start + (size_t)at;
    place->end = start + r->sizes[place->section];
    if (!is_first)
        place[-1].end = place->start;
    return BO_OK;
}

static enum bo_status open_offsets(struct extbinary_reader *r, enum extbinary_section offsets,
                                   enum extbinary_section functions, struct bo_error *err)
{
    struct extbinary_input in = extbinary_input(r, offsets, err);
    size_t n = 0;
    enum bo_status status = extbinary_get_number(&in, OFFSET_NBYTES, &n);
    if (status)
        return status;
    if ((!r->functions.slots && !autofdo_names_init(&r->functions, n, r->arena)) ||
        !bo_grow(r->arena, &r->places, r->n_places, n, &r->cap_places))
        return bo_fail_alloc(err, r->arena);
    for (size_t i = 0; i < n && !status; i++) {
        r->places[r->n_places].section = functions;
        status = open_offset(r, &in, &r->places[r->n_places], i == 0);
        r->n_places += !status;
    }
    if (!status && !n && r->sizes[functions])
        return bo_fail(err, BO_CORRUPT, r->starts[functions], "bytes after a section's last");
    return status ? status : expect_end(&in);
}

enum bo_status extbinary_open(struct extbinary_reader *r, struct bo_error *err)
{
    enum bo_status status = open_sections(r, err);
    if (!status)
        status = open_summary(r, err);
    if (!status)
        status = open_names(r, err);
    if (!status && !r->form->is_eytzinger)
        status = open_offsets(r, EXTBINARY_OFFSETS, EXTBINARY_FUNCTIONS, err);
    if (!status && !r->form->is_eytzinger && r->form->is_split)
        status = open_offsets(r, EXTBINARY_FLAT_OFFSETS, EXTBINARY_FLAT_FUNCTIONS, err);
    return status;
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* *is_there_ret is false when the offset states that there is no function. */
static enum bo_status eytzinger_place(const struct extbinary_reader *r, size_t name,
                                      struct extbinary_place *place, bool *is_there_ret,
                                      struct bo_error *err)
{
    const bool is_flat = name >= r->n_nested;
    const size_t entry =
        is_flat ? r->starts[EXTBINARY_FLAT_OFFSETS] + EXTBINARY_OFFSET_NBYTES * (name - r->n_nested)
                : r->starts[EXTBINARY_OFFSETS] + EXTBINARY_OFFSET_NBYTES * name;
    const uint32_t at = bo_le32(r->in.p + entry);
    place->section = is_flat ? EXTBINARY_FLAT_FUNCTIONS : EXTBINARY_FUNCTIONS;
    place->name = name;
    *is_there_ret = at != UINT32_MAX;
    if (!*is_there_ret)
        return BO_OK;
    if (at >= r->sizes[place->section])
        return bo_fail(err, BO_CORRUPT, entry, "function lies outside its section");
    place->start = r->starts[place->section] + at;
    place->end = r->starts[place->section] + r->sizes[place->section];
    return BO_OK;
}

enum bo_status extbinary_find(const struct extbinary_reader *r, struct bo_span name,
                              struct extbinary_place *place_ret, bool *is_there_ret,
                              struct bo_error *err)
{
    uint8_t bytes[EXTBINARY_GUID_NBYTES];
    const uint64_t guid = r->form->has_guids ? extbinary_guid(name) : 0;
    size_t i;
    *is_there_ret = false;
    if (r->form->is_eytzinger) {
        if (extbinary_eytzinger_find(r->guids, r->n_nested, guid, &i))
            return eytzinger_place(r, i, place_ret, is_there_ret, err);
        if (extbinary_eytzinger_find(r->guids + EXTBINARY_GUID_NBYTES * r->n_nested, r->n_flat,
                                     guid, &i))
            return eytzinger_place(r, r->n_nested + i, place_ret, is_there_ret, err);
        return BO_OK;
    }
    if (r->form->has_guids) {
        bo_set_le64(bytes, guid);
        name = (struct bo_span){bytes, sizeof bytes};
    }
    *is_there_ret = autofdo_names_find(&r->functions, name, &i);
    if (*is_there_ret)
        *place_ret = r->places[i];
    return BO_OK;
}

/* ---- all of an Eytzinger form ---------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const struct extbinary_place *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* The functions with names from `first` to `last`, which fill the section. */
static enum bo_status list_section(const struct extbinary_reader *r, size_t first, size_t last,
                                   enum extbinary_section section, struct extbinary_place *places,
                                   size_t *n_ret, struct bo_error *err)
{
    const size_t start = r->starts[section];
    enum bo_status status = BO_OK;
    size_t n = 0;
    for (size_t i = first; i < last && !status; i++) {
        bool is_there = false;
        status = eytzinger_place(r, i, &places[n], &is_there, err);
        n += is_there && !status;
    }
    if (status)
        return status;
    if (n)
        qsort(places, n, sizeof *places, compare_places);
    if (n ? places[0].start != start : r->sizes[section])
        return bo_fail(err, BO_CORRUPT, start, "bytes before the first function");
    for (size_t i = 1; i < n; i++) {
        if (places[i].start == places[i - 1].start)
            return bo_fail(err, BO_CORRUPT, places[i].start, "two functions have the same offset");
        places[i - 1].end = places[i].start;
    }
    *n_ret = n;
    return BO_OK;
}

enum bo_status extbinary_list(const struct extbinary_reader *r, struct bo_arena *arena,
                              struct extbinary_place **places_ret, size_t *n_ret,
                              struct bo_error *err)
{
    const size_t n = r->n_nested + r->n_flat;
    size_t n_nested = 0, n_flat = 0;
    struct extbinary_place *places = bo_alloc_array(arena, n, sizeof *places);
    if (!places)
        return bo_fail_alloc(err, arena);
    enum bo_status status =
        list_section(r, 0, r->n_nested, EXTBINARY_FUNCTIONS, places, &n_nested, err);
    if (!status)
        status = list_section(r, r->n_nested, n, EXTBINARY_FLAT_FUNCTIONS, places + n_nested,
                              &n_flat, err);
    *places_ret = places;
    *n_ret = n_nested + n_flat;
    return status;
}

static int compare_guids(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

enum bo_status extbinary_check_names(const struct extbinary_reader *r, struct bo_error *err)
{
    const size_t counts[] = {r->n_nested, r->n_flat, r->n_names - r->n_nested - r->n_flat};
    const uint64_t off = r->starts[EXTBINARY_NAMES];
    size_t first = 0;
    uint64_t *sorted = bo_alloc_array(r->arena, r->n_names, sizeof *sorted);
    size_t *places = bo_alloc_array(r->arena, r->n_names, sizeof *places);
    if (!sorted || !places)
        return bo_fail_alloc(err, r->arena);
    for (unsigned a = 0; a < EXTBINARY_EYTZINGER_COUNTS; first += counts[a++]) {
        extbinary_eytzinger_places(counts[a], places);
        for (size_t i = 0; i < counts[a]; i++) {
            sorted[first + i] = bo_le64(r->guids + EXTBINARY_GUID_NBYTES * (first + places[i]));
            if (i && sorted[first + i - 1] >= sorted[first + i])
                return bo_fail(err, BO_CORRUPT, off, "names are not in Eytzinger order");
        }
    }
    if (r->n_names)
        qsort(sorted, r->n_names, sizeof *sorted, compare_guids);
    for (size_t i = 1; i < r->n_names; i++)
        if (sorted[i - 1] == sorted[i])
            return bo_fail(err, BO_CORRUPT, off, "duplicate name of an array");
    return BO_OK;
}
