/* Frames of zstd, for codecs that are built where libzstd is. */
#ifndef BO_ZSTD_FRAME_H
#define BO_ZSTD_FRAME_H

#include <zstd.h>

#include "harness/core/bytes.h"

/*
 * Writes the content as one frame, which contains its size. While the library runs, its memory
 * counts towards the arena's limit. BO_NO_MEMORY if the library or the writer runs out of memory.
 */
static inline enum bo_status bo_put_zstd_frame(ZSTD_CCtx *context, struct bo_span content,
                                               int level, struct bo_writer *out,
                                               struct bo_error *err)
{
    const size_t start = out->n, cap = ZSTD_compressBound(content.n);
    uint8_t *p = bo_put_space(out, cap);
    if (!p)
        return bo_writer_status(out, err);
    const size_t n = ZSTD_compressCCtx(context, p, cap, content.p, content.n, level);
    const size_t library_nbytes = ZSTD_sizeof_CCtx(context);
    if (ZSTD_isError(n))
        return bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "zstd fails");
    if (!bo_arena_charge(out->arena, 0, library_nbytes))
        return bo_fail_alloc(err, out->arena);
    bo_arena_charge(out->arena, library_nbytes, 0);
    bo_writer_truncate(out, start + n);
    return BO_OK;
}

#endif
