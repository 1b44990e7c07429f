/* Files in and out: mapped or piped, unpacked by their magic, written whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "harness/cli/cli.h"

/* What a packed file may unpack to: more is a bomb, or a document for a larger machine. */
#define MAX_UNPACKED_NBYTES ((uint64_t)4 << 30)

static bool fail(const char *path, const char *what)
{
    fprintf(stderr, "bakeoff: %s: %s\n", path, what);
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A buffer that unpacking and reading from pipes fill. */
struct buffer {
    uint8_t *p;
    size_t n, cap;
};

static bool buffer_reserve(struct buffer *b)
{
    if (b->n < b->cap)
        return true;
    const size_t cap = b->cap ? 2 * b->cap : 1 << 16;
    uint8_t *p = cap <= MAX_UNPACKED_NBYTES ? realloc(b->p, cap) : NULL;
    if (!p)
        return false;
    b->p = p;
    b->cap = cap;
    return true;
}

static bool read_all(int fd, struct buffer *b)
{
    for (;;) {
        if (!buffer_reserve(b))
            return false;
        const ssize_t n = read(fd, b->p + b->n, b->cap - b->n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        b->n += (size_t)n;
    }
}

static const char *unpack_zstd(struct bo_span packed, struct buffer *b)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    ZSTD_inBuffer in = {packed.p, packed.n, 0};
    size_t left = 1;
    const char *flaw = stream ? NULL : "out of memory";
    while (!flaw && (in.pos < in.size || left)) {
        if (!buffer_reserve(b)) {
            flaw = "unpacks to more than 4 GiB";
            break;
        }
        ZSTD_outBuffer out = {b->p, b->cap, b->n};
        const size_t before = in.pos;
        left = ZSTD_decompressStream(stream, &out, &in);
        if (ZSTD_isError(left))
            flaw = "damaged zstd data";
        else if (in.pos == before && out.pos == b->n)
            flaw = "zstd data ends early";
        b->n = out.pos;
    }
    ZSTD_freeDStream(stream);
    return flaw;
}

static const char *unpack_xz(struct bo_span packed, struct buffer *b)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    const char *flaw = NULL;
    if (lzma_stream_decoder(&stream, UINT64_C(256) << 20, LZMA_CONCATENATED) != LZMA_OK)
        return "out of memory";
    stream.next_in = packed.p;
    stream.avail_in = packed.n;
    for (lzma_ret ret = LZMA_OK; !flaw && ret != LZMA_STREAM_END;) {
        if (!buffer_reserve(b)) {
            flaw = "unpacks to more than 4 GiB";
            break;
        }
        stream.next_out = b->p + b->n;
        stream.avail_out = b->cap - b->n;
        ret = lzma_code(&stream, LZMA_FINISH);
        b->n = b->cap - stream.avail_out;
        if (ret != LZMA_OK && ret != LZMA_STREAM_END)
            flaw = ret == LZMA_BUF_ERROR ? "xz data ends early" : "damaged xz data";
    }
    lzma_end(&stream);
    return flaw;
}

static bool starts_with(struct bo_span bytes, const char *magic, size_t n)
{
    return bytes.n >= n && memcmp(bytes.p, magic, n) == 0;
}

static void release(struct bo_input *in)
{
    if (in->mapped)
        munmap(in->map, in->map_nbytes);
    else
        free(in->map);
}

/* Replaces packed bytes by what they unpack to. */
static bool unpack(struct bo_input *in)
{
    struct buffer b = {0};
    const char *flaw;
    if (starts_with(in->bytes, "\x28\xb5\x2f\xfd", 4))
        flaw = unpack_zstd(in->bytes, &b);
    else if (starts_with(in->bytes,
                         "\xfd"
                         "7zXZ\0",
                         6))
        flaw = unpack_xz(in->bytes, &b);
    else
        return true;
    release(in);
    *in = (struct bo_input){.path = in->path, .bytes = {b.p, b.n}, .map = b.p};
    return flaw ? fail(in->path, flaw) : true;
}

static bool map_file(int fd, size_t nbytes, struct bo_input *in)
{
    void *map = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    *in = (struct bo_input){in->path, {map, nbytes}, map, nbytes, true};
    return true;
}

static bool read_or_map(int fd, struct bo_input *in)
{
    struct stat st;
    if (fstat(fd, &st))
        return fail(in->path, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return fail(in->path, "is a directory");
    if (S_ISREG(st.st_mode) && st.st_size > 0 && map_file(fd, (size_t)st.st_size, in))
        return true;
    struct buffer b = {0};
    if (!read_all(fd, &b)) {
        free(b.p);
        return fail(in->path, errno ? strerror(errno) : "too large");
    }
    *in = (struct bo_input){.path = in->path, .bytes = {b.p, b.n}, .map = b.p};
    return true;
}

bool bo_input_open(const char *path, struct bo_input *in)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    *in = (struct bo_input){.path = is_stdin ? "standard input" : path};
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(path, strerror(errno));
    bool ok = read_or_map(fd, in);
    if (!is_stdin)
        close(fd);
    if (ok && !unpack(in)) {
        bo_input_close(in);
        ok = false;
    }
    return ok;
}

void bo_input_close(struct bo_input *in)
{
    release(in);
    *in = (struct bo_input){.path = NULL};
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool write_all(int fd, struct bo_span bytes)
{
    while (bytes.n) {
        const ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    return true;
}

/* A name for mkstemp and mkdtemp to complete: they put what is unique in the place of six X. */
static bool name_temporary(const char *start, char *temporary, size_t n)
{
    enum { N_UNIQUE = 6 };
    const size_t length = strlen(start);
    if (length + 1 + N_UNIQUE >= n) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(temporary, start, length);
    temporary[length] = '.';
    memset(temporary + length + 1, 'X', N_UNIQUE);
    temporary[length + 1 + N_UNIQUE] = 0;
    return true;
}

bool bo_temporary_folder(char *path, size_t n)
{
    const char *parent = getenv("TMPDIR");
    char start[4096];
    if (!parent || !*parent)
        parent = "/tmp";
    if ((size_t)snprintf(start, sizeof start, "%s/bakeoff", parent) >= sizeof start) {
        errno = ENAMETOOLONG;
        return false;
    }
    return name_temporary(start, path, n) && mkdtemp(path);
}

/* A new file beside `path`, its permissions those that a plain create would give. */
static int create_beside(const char *path, char *temporary, size_t n)
{
    const int fd = name_temporary(path, temporary, n) ? mkstemp(temporary) : -1;
    if (fd >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(fd, 0666 & ~mask);
    }
    return fd;
}

bool bo_output(const char *path, struct bo_span bytes)
{
    if (!path || strcmp(path, "-") == 0) {
        fflush(stdout);
        return write_all(STDOUT_FILENO, bytes) ? true : fail("standard output", strerror(errno));
    }
    struct stat st;
    const bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    char temporary[4096];
    const int fd = special ? open(path, O_WRONLY | O_CLOEXEC)
                           : create_beside(path, temporary, sizeof temporary);
    if (fd < 0)
        return fail(path, strerror(errno));
    bool ok = write_all(fd, bytes);
    ok = close(fd) == 0 && ok;
    if (!special) {
        ok = ok && rename(temporary, path) == 0;
        if (!ok) {
            const int saved = errno;
            unlink(temporary);
            errno = saved;
        }
    }
    return ok ? true : fail(path, strerror(errno));
}
