/* Parts of a file that a library wrote: see library.h. */
#include "codecs/lprf/library.h"

void lprf_put_library_part(const struct lprf_writer *w, unsigned width, uint32_t n_names,
                           struct bo_span part, const char *section)
{
    bo_mark(w->out, "tables");
    bo_put_le32(w->out, width);
    bo_put_le32(w->out, n_names);
    bo_put_le64(w->out, part.n);
    bo_put_le64(w->out, lprf_hash_name(part, 0));
    bo_mark(w->out, section);
    bo_put_bytes(w->out, part.p, part.n);
}

/*
 * Bytes that are aligned for a library: the given ones if they start at a multiple of 8, else a
 * copy in the arena; p is NULL when the arena refuses.
 */
static struct bo_span aligned(struct bo_span bytes, struct bo_arena *arena)
{
    return (uintptr_t)bytes.p % 8 ? lprf_keep_name(bytes, arena) : bytes;
}

enum bo_status lprf_open_library_part(const struct lprf_file *file, struct lprf_library_part *part,
                                      struct bo_error *err)
{
    const uint8_t *p = file->in.p + LPRF_HEADER_NBYTES;
    const size_t end = file->end_of_index;
    if (end < LPRF_PART_OFF)
        return bo_fail(err, BO_TRUNCATED, end, "index ends inside its header");
    if (p[0] < 1 || p[0] > 8)
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES, "width of places is not 1 to 8");
    if (p[1] || p[2] || p[3])
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 1, "padding is not 0");
    const uint64_t n = bo_le64(p + 8);
    if (n > end - LPRF_PART_OFF)
        return bo_fail(err, BO_TRUNCATED, LPRF_HEADER_NBYTES + 8,
                       "the library's part runs past the index's end");
    part->width = p[0];
    part->n_names = bo_le32(p + 4);
    part->end = LPRF_PART_OFF + (size_t)n;
    if ((n == 0) != (part->n_names == 0))
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 8,
                       "only one of the library part's size and the number of names is 0");
    const struct bo_span bytes = {file->in.p + LPRF_PART_OFF, (size_t)n};
    if (lprf_hash_name(bytes, 0) != bo_le64(p + 16))
        return bo_fail(err, BO_CORRUPT, LPRF_HEADER_NBYTES + 16,
                       "the library's part is not what was written");
    part->part = aligned(bytes, file->arena);
    return part->part.p ? BO_OK : bo_fail_alloc(err, file->arena);
}
