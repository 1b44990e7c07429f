/* Reads files: mapped or piped, decompressed by their magic number, in pieces or as a whole. */
#include "harness/core/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The largest size to which a whole file may be decompressed. Larger files are decompression bombs,
 * or documents for a larger machine.
 */
#define MAX_WHOLE_NBYTES ((uint64_t)4 << 30)

enum { HEAD_NBYTES = 1 << 16, PACKED_NBYTES = 1 << 17 };

static const char no_memory[] = "out of memory";

static bool fail(const char *path, const char *what)
{
    fprintf(stderr, "bakeoff: %s: %s\n", path, what);
    return false;
}

/* ---- bytes of the file ----------------------------------------------------------------------- */

static const char *read_plain(struct bo_file_source *file, uint8_t *to, size_t n, size_t *n_ret)
{
    ssize_t got;
    do
        got = read(file->fd, to, n);
    while (got < 0 && errno == EINTR);
    *n_ret = got < 0 ? 0 : (size_t)got;
    return got < 0 ? strerror(errno) : NULL;
}

/* Reads more packed bytes after all have been decompressed. */
static const char *fill_packed(struct bo_file_source *file)
{
    if (file->packed_off < file->packed_n || file->has_all_packed)
        return NULL;
    file->packed_off = file->packed_n = 0;
    const char *flaw = read_plain(file, file->packed, PACKED_NBYTES, &file->packed_n);
    file->has_all_packed = file->packed_n == 0;
    return flaw;
}

/* ---- decompressed bytes: each function returns at least one, except at the end --------------- */

static const char *read_zstd(struct bo_file_source *file, uint8_t *to, size_t n, size_t *n_ret)
{
    ZSTD_outBuffer out = {to, n, 0};
    while (out.pos == 0) {
        const char *flaw = fill_packed(file);
        if (flaw)
            return flaw;
        if (file->has_all_packed && !file->in_frame)
            break;
        ZSTD_inBuffer in = {file->packed, file->packed_n, file->packed_off};
        const size_t left = ZSTD_decompressStream(file->zstd, &out, &in);
        if (ZSTD_isError(left))
            return "damaged zstd data";
        if (file->has_all_packed && left && out.pos == 0)
            return "zstd data ends early";
        file->packed_off = in.pos;
        file->in_frame = left;
    }
    *n_ret = out.pos;
    return NULL;
}

static const char *read_xz(struct bo_file_source *file, uint8_t *to, size_t n, size_t *n_ret)
{
    lzma_stream *xz = &file->xz;
    lzma_ret ret = LZMA_OK;
    xz->next_out = to;
    xz->avail_out = n;
    while (xz->avail_out == n && ret != LZMA_STREAM_END) {
        const char *flaw = fill_packed(file);
        if (flaw)
            return flaw;
        xz->next_in = file->packed + file->packed_off;
        xz->avail_in = file->packed_n - file->packed_off;
        ret = lzma_code(xz, file->has_all_packed ? LZMA_FINISH : LZMA_RUN);
        file->packed_off = file->packed_n - xz->avail_in;
        if (ret == LZMA_BUF_ERROR && file->has_all_packed)
            return "xz data ends early";
        if (ret != LZMA_OK && ret != LZMA_STREAM_END && ret != LZMA_BUF_ERROR)
            return "damaged xz data";
    }
    *n_ret = n - xz->avail_out;
    return NULL;
}

static const char *read_unpacked(struct bo_file_source *file, uint8_t *to, size_t n, size_t *n_ret)
{
    *n_ret = 0;
    return file->packing == BO_ZSTD_FILE ? read_zstd(file, to, n, n_ret)
           : file->packing == BO_XZ_FILE ? read_xz(file, to, n, n_ret)
                                         : read_plain(file, to, n, n_ret);
}

/* Bytes that were read ahead come first. */
static const char *read_source(void *context, uint8_t *to, size_t n, size_t *n_ret)
{
    struct bo_file_source *file = context;
    if (file->head.n == 0)
        return read_unpacked(file, to, n, n_ret);
    *n_ret = n < file->head.n ? n : file->head.n;
    memcpy(to, file->head.p, *n_ret);
    file->head = (struct bo_span){file->head.p + *n_ret, file->head.n - *n_ret};
    return NULL;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool starts_with(struct bo_span bytes, const char *magic, size_t n)
{
    return bytes.n >= n && memcmp(bytes.p, magic, n) == 0;
}

/* Reads up to n bytes; fewer only at the end. */
static const char *read_fully(struct bo_file_source *file, uint8_t *to, size_t n, size_t *n_ret)
{
    const char *flaw = NULL;
    size_t got = 1;
    for (*n_ret = 0; *n_ret < n && got && !flaw; *n_ret += got)
        flaw = read_unpacked(file, to + *n_ret, n - *n_ret, &got);
    return flaw;
}

/* The magic number says that the file is compressed: it is decompressed from here on. */
static const char *start_unpacking(struct bo_file_source *file)
{
    static const char xz_magic[] = "\xfd"
                                   "7zXZ";
    if (starts_with(file->head, "\x28\xb5\x2f\xfd", 4)) {
        file->packing = BO_ZSTD_FILE;
        file->zstd = ZSTD_createDStream();
        if (!file->zstd)
            return no_memory;
    } else if (starts_with(file->head, xz_magic, sizeof xz_magic)) {
        const lzma_stream none = LZMA_STREAM_INIT;
        file->packing = BO_XZ_FILE;
        file->xz = none;
        if (lzma_stream_decoder(&file->xz, UINT64_C(256) << 20, LZMA_CONCATENATED) != LZMA_OK)
            return no_memory;
    } else {
        return NULL;
    }
    file->packed = malloc(PACKED_NBYTES);
    if (!file->packed)
        return no_memory;
    memcpy(file->packed, file->head.p, file->head.n);
    file->packed_n = file->head.n;
    return read_fully(file, file->head_bytes, HEAD_NBYTES, &file->head.n);
}

static const char *look_at_head(struct bo_file_source *file)
{
    file->head_bytes = malloc(HEAD_NBYTES);
    file->head.p = file->head_bytes;
    if (!file->head_bytes)
        return no_memory;
    const char *flaw = read_fully(file, file->head_bytes, HEAD_NBYTES, &file->head.n);
    return flaw ? flaw : start_unpacking(file);
}

bool bo_source_open(const char *path, struct bo_file_source *file)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    struct stat st;
    *file = (struct bo_file_source){
        .source = {read_source, file},
        .path = is_stdin ? "standard input" : path,
        .fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC),
    };
    if (file->fd < 0)
        return fail(path, strerror(errno));
    const char *flaw = fstat(file->fd, &st)  ? strerror(errno)
                       : S_ISDIR(st.st_mode) ? "is a directory"
                                             : look_at_head(file);
    if (!flaw)
        return true;
    bo_source_close(file);
    return fail(file->path, flaw);
}

void bo_source_close(struct bo_file_source *file)
{
    ZSTD_freeDStream(file->zstd);
    if (file->packing == BO_XZ_FILE)
        lzma_end(&file->xz);
    free(file->packed);
    free(file->head_bytes);
    if (file->fd > STDIN_FILENO)
        close(file->fd);
    *file = (struct bo_file_source){.path = file->path, .fd = -1};
}

/* ---- as a whole ------------------------------------------------------------------------------ */

/*
 * A file that is not compressed is mapped if possible. Standard input may be a file whose first
 * bytes another program has read.
 */
static bool map_whole(const struct bo_file_source *file, size_t nbytes, struct bo_input *in)
{
    if (file->fd == STDIN_FILENO || file->packing != BO_PLAIN_FILE || nbytes == 0)
        return false;
    void *map = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, file->fd, 0);
    if (map == MAP_FAILED)
        return false;
    *in = (struct bo_input){file->path, {map, nbytes}, map, nbytes, true};
    return true;
}

static const char *read_whole(struct bo_file_source *file, struct bo_input *in)
{
    uint8_t *bytes = NULL;
    size_t n = 0, cap = 0, got = 1;
    const char *flaw = NULL;
    while (got && !flaw) {
        if (n == cap) {
            cap = cap ? 2 * cap : HEAD_NBYTES;
            uint8_t *grown = cap <= MAX_WHOLE_NBYTES ? realloc(bytes, cap) : NULL;
            if (!grown) {
                flaw = cap > MAX_WHOLE_NBYTES ? "has more than 4 GiB, unpacked" : no_memory;
                break;
            }
            bytes = grown;
        }
        flaw = read_source(file, bytes + n, cap - n, &got);
        n += got;
    }
    if (flaw)
        free(bytes);
    else
        *in = (struct bo_input){.path = file->path, .bytes = {bytes, n}, .map = bytes};
    return flaw;
}

bool bo_source_take(struct bo_file_source *file, struct bo_input *in)
{
    struct stat st;
    const off_t size = fstat(file->fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
    const size_t nbytes = (size_t)size; /* 0: unknown; of 32 bits on some machines */
    const char *flaw = (off_t)nbytes != size         ? "is larger than the address space"
                       : map_whole(file, nbytes, in) ? NULL
                                                     : read_whole(file, in);
    bo_source_close(file);
    return flaw ? fail(file->path, flaw) : true;
}

bool bo_input_open(const char *path, struct bo_input *in)
{
    struct bo_file_source file;
    *in = (struct bo_input){.path = path};
    return bo_source_open(path, &file) && bo_source_take(&file, in);
}

void bo_input_close(struct bo_input *in)
{
    if (in->mapped)
        munmap(in->map, in->map_nbytes);
    else
        free(in->map);
    *in = (struct bo_input){.path = NULL};
}
