/* zstd, LZ4 and xz, each at the level that is usual when only size matters. */
#include "bench/measure/compress.h"

#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <zstd.h>

static uint64_t zstd19_nbytes(struct bo_span in)
{
    const size_t cap = ZSTD_compressBound(in.n);
    void *out = malloc(cap);
    const size_t n = out ? ZSTD_compress(out, cap, in.p, in.n, 19) : 0;
    free(out);
    return out && !ZSTD_isError(n) ? n : UINT64_MAX;
}

static uint64_t lz4_nbytes(struct bo_span in)
{
    const LZ4F_preferences_t preferences = {
        .frameInfo = {.blockSizeID = LZ4F_max4MB, .contentSize = in.n},
        .compressionLevel = 9, /* LZ4HC */
    };
    const size_t cap = LZ4F_compressFrameBound(in.n, &preferences);
    void *out = malloc(cap);
    const size_t n = out ? LZ4F_compressFrame(out, cap, in.p, in.n, &preferences) : 0;
    free(out);
    return out && !LZ4F_isError(n) ? n : UINT64_MAX;
}

/* The stream goes to a buffer that is reused: only its length matters. */
static uint64_t xz9_nbytes(struct bo_span in)
{
    uint8_t out[4096];
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_easy_encoder(&stream, 9, LZMA_CHECK_CRC64) != LZMA_OK)
        return UINT64_MAX;
    stream.next_in = in.p;
    stream.avail_in = in.n;
    lzma_ret ret;
    do {
        stream.next_out = out;
        stream.avail_out = sizeof out;
        ret = lzma_code(&stream, LZMA_FINISH);
    } while (ret == LZMA_OK);
    const uint64_t n = stream.total_out;
    lzma_end(&stream);
    return ret == LZMA_STREAM_END ? n : UINT64_MAX;
}

const struct bo_compressor bo_compressors[] = {
    {"zstd19", "zstd -19", zstd19_nbytes},
    {"lz4", "lz4 -9", lz4_nbytes},
    {"xz9", "xz -9", xz9_nbytes},
    {NULL, NULL, NULL},
};
