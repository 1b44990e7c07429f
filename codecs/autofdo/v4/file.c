/* Version 4: integers, the header, the section table, file names and the summary, as read. */
#include "codecs/autofdo/v4/v4.h"

/* ---- integers -------------------------------------------------------------------------------- */

static enum bo_status take_varint(struct autofdo_v4_cursor *c, unsigned nbytes, uint64_t *v_ret,
                                  struct bo_error *err)
{
    const size_t off = c->at.off;
    const enum bo_status status = bo_get_uvarint64(&c->at, v_ret, err);
    if (!status && nbytes < 8 && *v_ret >> 8 * nbytes) {
        c->at.off = off;
        return bo_fail_here(err, BO_CORRUPT, &c->at, "varint overflows its field");
    }
    return status;
}

enum bo_status autofdo_v4_take(struct autofdo_v4_cursor *c, unsigned nbytes, uint64_t *v_ret,
                               struct bo_error *err)
{
    if (c->compact && nbytes > 1)
        return take_varint(c, nbytes, v_ret, err);
    const uint8_t *p;
    if (!bo_get_bytes(&c->at, nbytes, &p))
        return bo_fail_here(err, BO_TRUNCATED, &c->at, "section ends within an integer");
    uint64_t v = 0;
    for (unsigned i = 0; i < nbytes; i++)
        v = v << 8 | p[i];
    *v_ret = v;
    return BO_OK;
}

enum bo_status autofdo_v4_take_number(struct autofdo_v4_cursor *c, size_t min_nbytes,
                                      uint32_t *n_ret, struct bo_error *err)
{
    const size_t off = c->at.off;
    uint64_t n = 0;
    const enum bo_status status = autofdo_v4_take(c, 4, &n, err);
    if (status)
        return status;
    if (n > bo_left(&c->at) / min_nbytes) {
        c->at.off = off;
        return bo_fail_here(err, BO_TRUNCATED, &c->at, "more entries than the section has bytes");
    }
    *n_ret = (uint32_t)n;
    return BO_OK;
}

enum bo_status autofdo_v4_take_text(struct autofdo_v4_cursor *c, struct bo_span *text_ret,
                                    struct bo_error *err)
{
    uint64_t n = 0;
    const enum bo_status status = autofdo_v4_take(c, 2, &n, err);
    if (status)
        return status;
    text_ret->n = (size_t)n;
    if (!bo_get_bytes(&c->at, text_ret->n, &text_ret->p))
        return bo_fail_here(err, BO_TRUNCATED, &c->at, "text runs past its section's end");
    return BO_OK;
}

enum bo_status autofdo_v4_take_end(const struct autofdo_v4_cursor *c, struct bo_error *err)
{
    return bo_left(&c->at) ? bo_fail_here(err, BO_CORRUPT, &c->at, "bytes after a section's last")
                           : BO_OK;
}

/* ---- the section table ----------------------------------------------------------------------- */

/* The header's two ranges and the table's, each visited once, in the order of the file. */
struct ranges {
    const uint8_t *in;
    uint64_t n_table, table_done;
    bool summary_done, files_done;
};

/* Where the next range by start is stored, of those not visited yet. */
static size_t first_range(const struct ranges *r)
{
    size_t first = 0;
    if (!r->summary_done)
        first = AUTOFDO_V4_SUMMARY_OFF;
    if (!r->files_done &&
        (!first || bo_be64(r->in + AUTOFDO_V4_FILES_OFF) < bo_be64(r->in + first)))
        first = AUTOFDO_V4_FILES_OFF;
    const size_t entry = AUTOFDO_V4_HEADER_NBYTES + (size_t)r->table_done * AUTOFDO_V4_RANGE_NBYTES;
    if (r->table_done < r->n_table && (!first || bo_be64(r->in + entry) < bo_be64(r->in + first)))
        first = entry;
    return first;
}

static void tick_off(struct ranges *r, size_t range_off, uint64_t number,
                     struct autofdo_v4_file *file)
{
    if (range_off == AUTOFDO_V4_SUMMARY_OFF) {
        r->summary_done = true;
        file->summary_number = number;
    } else if (range_off == AUTOFDO_V4_FILES_OFF) {
        r->files_done = true;
        file->files_number = number;
    } else {
        r->table_done++;
    }
}

/*
 * Sections follow each other from the table's end to the file's end; those of the table are in its
 * order. So their numbers need no sorting.
 */
static enum bo_status check_ranges(struct autofdo_v4_file *file, struct bo_error *err)
{
    struct ranges ranges = {.in = file->in.p, .n_table = file->n_sections - 2};
    uint64_t end = AUTOFDO_V4_HEADER_NBYTES + ranges.n_table * AUTOFDO_V4_RANGE_NBYTES;
    for (uint64_t number = 0; number < file->n_sections; number++) {
        const size_t range_off = first_range(&ranges);
        const uint64_t off = bo_be64(file->in.p + range_off);
        const uint64_t size = bo_be64(file->in.p + range_off + 8);
        if (off < end)
            return bo_fail(err, BO_CORRUPT, range_off, "sections overlap or are not in order");
        if (off > file->in.n || size > file->in.n - off)
            return bo_fail(err, BO_TRUNCATED, range_off, "section runs past the file's end");
        if (off > end)
            return bo_fail(err, BO_CORRUPT, range_off, "gap before a section");
        if (size == 0)
            return bo_fail(err, BO_CORRUPT, range_off + 8, "section has no bytes");
        end += size;
        tick_off(&ranges, range_off, number, file);
    }
    return end == file->in.n ? BO_OK
                             : bo_fail(err, BO_CORRUPT, end, "bytes after the last section");
}

static enum bo_status check_header(struct autofdo_v4_file *file, struct bo_error *err)
{
    const struct bo_span in = file->in;
    if (in.n < AUTOFDO_V4_HEADER_NBYTES)
        return bo_fail(err, BO_TRUNCATED, in.n, "file is shorter than a header");
    if (bo_be32(in.p) != AUTOFDO_V4_MAGIC)
        return bo_fail(err, BO_CORRUPT, 0, "magic is not \"gcov\"");
    if (bo_be32(in.p + 4) != AUTOFDO_V4_VERSION)
        return bo_fail(err, BO_UNSUPPORTED, 4, "version is not 4");
    if (in.p[8] & ~AUTOFDO_V4_COMPACT)
        return bo_fail(err, BO_UNSUPPORTED, 8, "reserved bits of the header are set");
    const uint64_t n = bo_be64(in.p + 8) & (UINT64_MAX >> 8);
    if (n > (in.n - AUTOFDO_V4_HEADER_NBYTES) / AUTOFDO_V4_RANGE_NBYTES)
        return bo_fail(err, BO_TRUNCATED, 9, "section table runs past the file's end");
    file->compact = (in.p[8] & AUTOFDO_V4_COMPACT) != 0;
    file->n_sections = n + 2;
    return check_ranges(file, err);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Where the range of section `number` is written. */
static size_t range_of(const struct autofdo_v4_file *file, uint64_t number)
{
    if (number == file->summary_number)
        return AUTOFDO_V4_SUMMARY_OFF;
    if (number == file->files_number)
        return AUTOFDO_V4_FILES_OFF;
    const uint64_t entry = number - (number > file->summary_number) - (number > file->files_number);
    return AUTOFDO_V4_HEADER_NBYTES + (size_t)entry * AUTOFDO_V4_RANGE_NBYTES;
}

size_t autofdo_v4_section_off(const struct autofdo_v4_file *file, uint64_t number)
{
    return (size_t)bo_be64(file->in.p + range_of(file, number));
}

enum bo_status autofdo_v4_enter(const struct autofdo_v4_file *file, uint64_t number,
                                enum autofdo_v4_type type, struct autofdo_v4_cursor *c,
                                struct bo_error *err)
{
    const size_t range = range_of(file, number);
    const size_t off = (size_t)bo_be64(file->in.p + range);
    const size_t size = (size_t)bo_be64(file->in.p + range + 8);
    const uint8_t bitmask = file->in.p[off];
    if ((bitmask & ~AUTOFDO_V4_COMPACT) != (int)type)
        return bo_fail(err, BO_CORRUPT, off, "section is of another type");
    if (((bitmask & AUTOFDO_V4_COMPACT) != 0) != file->compact)
        return bo_fail(err, BO_CORRUPT, off, "compact flag differs between section and header");
    c->at = bo_cursor_at(file->in, off, size);
    c->at.off = 1;
    c->compact = file->compact;
    return BO_OK;
}

/* ---- file names ------------------------------------------------------------------------------ */

static enum bo_status take_section_number(const struct autofdo_v4_file *file,
                                          struct autofdo_v4_cursor *c, uint32_t *number_ret,
                                          struct bo_error *err)
{
    const size_t off = c->at.off;
    uint64_t number = 0;
    const enum bo_status status = autofdo_v4_take(c, 4, &number, err);
    if (status)
        return status;
    if (number >= file->n_sections) {
        c->at.off = off;
        return bo_fail_here(err, BO_CORRUPT, &c->at, "section number is out of range");
    }
    *number_ret = (uint32_t)number;
    return BO_OK;
}

static enum bo_status take_unit(const struct autofdo_v4_file *file, struct autofdo_v4_cursor *c,
                                struct autofdo_v4_unit *unit, struct bo_error *err)
{
    unit->off = c->at.base + c->at.off;
    enum bo_status status = autofdo_v4_take_text(c, &unit->path, err);
    if (!status && autofdo_path_flaw(unit->path))
        return bo_fail(err, BO_CORRUPT, unit->off, autofdo_path_flaw(unit->path));
    if (!status)
        status = take_section_number(file, c, &unit->strings, err);
    if (!status)
        status = take_section_number(file, c, &unit->symbols, err);
    return status ? status : take_section_number(file, c, &unit->info, err);
}

/*
 * Paths ascend, so that binary search finds one. So do sections: then files that share a string
 * table are neighbours, and none shares its functions, so that no reader reads a section twice.
 */
static const char *order_flaw(const struct autofdo_v4_unit *last,
                              const struct autofdo_v4_unit *unit)
{
    if (bo_span_compare(last->path, unit->path) >= 0)
        return "paths are not in order";
    if (unit->strings < last->strings || unit->symbols <= last->symbols || unit->info <= last->info)
        return "sections are not in the order of their files";
    return NULL;
}

static enum bo_status read_units(struct autofdo_v4_file *file, struct bo_arena *arena,
                                 struct bo_error *err)
{
    struct autofdo_v4_cursor c = {.compact = false};
    enum bo_status status = autofdo_v4_enter(file, file->files_number, AUTOFDO_V4_FILES, &c, err);
    if (!status)
        status = autofdo_v4_take_number(&c, file->compact ? 4 : 14, &file->n_units, err);
    if (status)
        return status;
    file->units = bo_alloc_array(arena, file->n_units, sizeof *file->units);
    if (!file->units)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < file->n_units && !status; i++) {
        status = take_unit(file, &c, &file->units[i], err);
        const char *flaw =
            !status && i > 0 ? order_flaw(&file->units[i - 1], &file->units[i]) : NULL;
        if (flaw)
            return bo_fail(err, BO_CORRUPT, file->units[i].off, flaw);
    }
    return status ? status : autofdo_v4_take_end(&c, err);
}

enum bo_status autofdo_v4_open(struct bo_span in, struct bo_arena *arena,
                               struct autofdo_v4_file *file, struct bo_error *err)
{
    *file = (struct autofdo_v4_file){.in = in};
    const enum bo_status status = check_header(file, err);
    return status ? status : read_units(file, arena, err);
}

const struct autofdo_v4_unit *autofdo_v4_find_unit(const struct autofdo_v4_file *file,
                                                   struct bo_span path)
{
    uint32_t lo = 0;
    for (uint32_t hi = file->n_units; lo < hi;) {
        const uint32_t mid = lo + (hi - lo) / 2;
        const int order = bo_span_compare(file->units[mid].path, path);
        if (order == 0)
            return &file->units[mid];
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* ---- the summary ----------------------------------------------------------------------------- */

static enum bo_status take_entry(struct autofdo_v4_cursor *c, uint32_t cutoff,
                                 struct autofdo_entry *entry, struct bo_error *err)
{
    const size_t off = c->at.off;
    uint64_t read = 0;
    enum bo_status status = autofdo_v4_take(c, 4, &read, err);
    if (!status && read != cutoff) {
        c->at.off = off;
        return bo_fail_here(err, BO_UNSUPPORTED, &c->at, "summary has another cutoff");
    }
    if (!status)
        status = autofdo_v4_take(c, 8, &entry->min_count, err);
    return status ? status : autofdo_v4_take(c, 8, &entry->n_counts, err);
}

enum bo_status autofdo_v4_read_summary(const struct autofdo_v4_file *file,
                                       struct autofdo_summary *summary_ret, struct bo_error *err)
{
    struct autofdo_v4_cursor c = {.compact = false};
    uint64_t *const fields[] = {&summary_ret->total_count, &summary_ret->max_count,
                                &summary_ret->max_head, &summary_ret->n_counts,
                                &summary_ret->n_functions};
    uint64_t n_entries = 0;
    enum bo_status status =
        autofdo_v4_enter(file, file->summary_number, AUTOFDO_V4_SUMMARY, &c, err);
    for (unsigned i = 0; i < sizeof fields / sizeof *fields && !status; i++)
        status = autofdo_v4_take(&c, 8, fields[i], err);
    const size_t off = c.at.off;
    if (!status)
        status = autofdo_v4_take(&c, 8, &n_entries, err);
    if (!status && n_entries != AUTOFDO_N_CUTOFFS) {
        c.at.off = off;
        return bo_fail_here(err, BO_UNSUPPORTED, &c.at, "summary does not have 16 entries");
    }
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS && !status; i++)
        status = take_entry(&c, autofdo_cutoffs[i], &summary_ret->entries[i], err);
    return status ? status : autofdo_v4_take_end(&c, err);
}
