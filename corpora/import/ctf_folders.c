/* Finds folders of CTF traces: those with metadata. */
#include "corpora/import/ctf.h"

#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_DEPTH = 12,        /* levels of folders below the given one */
    MAX_ENTRIES = 1 << 16, /* a folder with more entries is not a folder of traces */
    MAGIC_N = 4,
    TEXT_MAGIC_N = 10,
};

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* The folder's metadata, or NULL if it is no regular file. Opening does not wait, as for a FIFO. */
static FILE *open_metadata(const char *folder, struct stat *st)
{
    char *path = NULL;
    const int fd = asprintf(&path, "%s/metadata", folder) < 0
                       ? -1
                       : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    free(path);
    FILE *file = fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode) ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* True when the folder has metadata: text, or packets of either byte order. */
static bool is_trace(const char *folder)
{
    char head[TEXT_MAGIC_N];
    struct stat st;
    FILE *file = open_metadata(folder, &st);
    if (!file)
        return false;
    const size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    return n == sizeof head && (memcmp(head, "/* CTF 1.8", TEXT_MAGIC_N) == 0 ||
                                memcmp(head, "\x57\x1d\xd1\x75", MAGIC_N) == 0 ||
                                memcmp(head, "\x75\xd1\x1d\x57", MAGIC_N) == 0);
}

/*
 * Packets of metadata start with a magic number, a UUID of 16 bytes and a checksum. The sizes of
 * the content and of the packet follow, in bits.
 */
bool ctf_metadata_is_whole(const char *folder)
{
    enum { HEAD_NBYTES = 37, BITS_OFF = 28 };
    uint8_t head[HEAD_NBYTES] = {0};
    struct stat st;
    uint64_t off = 0;
    FILE *file = open_metadata(folder, &st);
    bool whole = file != NULL;
    while (whole && off < (uint64_t)st.st_size) {
        whole =
            fseeko(file, (off_t)off, SEEK_SET) == 0 && fread(head, 1, sizeof head, file) >= MAGIC_N;
        const bool is_little = memcmp(head, "\x57\x1d\xd1\x75", MAGIC_N) == 0;
        if (off == 0 && !is_little && memcmp(head, "\x75\xd1\x1d\x57", MAGIC_N) != 0)
            break; /* text */
        const uint8_t *bits = head + BITS_OFF;
        const uint32_t nbytes = (is_little ? bo_le32(bits) : bo_be32(bits)) / 8;
        off += nbytes;
        whole = whole && nbytes >= HEAD_NBYTES && off <= (uint64_t)st.st_size;
    }
    if (file)
        fclose(file);
    return whole;
}

bool ctf_find(const char *folder, bool (*found)(void *context, const char *path), void *context)
{
    char *root = strdup(folder), *const roots[] = {root, NULL};
    FTS *walk = root ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name) : NULL;
    bool goes_on = walk != NULL;
    size_t n = 0;
    for (FTSENT *entry; goes_on && n <= MAX_ENTRIES && (entry = fts_read(walk)); n++) {
        if (entry->fts_info == FTS_D && entry->fts_level > MAX_DEPTH)
            fts_set(walk, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_D && is_trace(entry->fts_path))
            goes_on = found(context, entry->fts_path);
    }
    const bool listed = walk && n <= MAX_ENTRIES;
    if (walk)
        fts_close(walk);
    free(root);
    return listed;
}

static bool note_one(void *context, const char *path)
{
    *(bool *)context = true;
    return false;
}

bool ctf_is_in(const char *folder)
{
    bool any = false;
    ctf_find(folder, note_one, &any);
    return any;
}
