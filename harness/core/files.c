/* Writes files: completely or not at all. source.c reads files. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/core/files.h"

FILE *bo_memory_open(struct bo_memory_file *file)
{
    file->out = open_memstream(&file->text, &file->nbytes);
    if (!file->out)
        abort();
    return file->out;
}

struct bo_span bo_memory_bytes(const struct bo_memory_file *file)
{
    if (fflush(file->out))
        abort(); /* only when memory is exhausted */
    return (struct bo_span){(const uint8_t *)file->text, file->nbytes};
}

void bo_memory_free(struct bo_memory_file *file)
{
    fclose(file->out);
    free(file->text);
}

static bool fail(const char *path, const char *what)
{
    fprintf(stderr, "bakeoff: %s: %s\n", path, what);
    return false;
}

bool bo_write_all(int fd, struct bo_span bytes)
{
    while (bytes.n) {
        const ssize_t n = write(fd, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return false;
        bytes.p += n;
        bytes.n -= (size_t)n;
    }
    return true;
}

/* As bo_drain.write. After a failure, nothing more is written. */
static bool write_outlet(void *context, struct bo_span bytes)
{
    struct bo_outlet *outlet = context;
    if (!outlet->why_failed && !bo_write_all(outlet->fd, bytes))
        outlet->why_failed = errno;
    return !outlet->why_failed;
}

/* ---- temporary files ------------------------------------------------------------------------- */

/* Makes a template for mkstemp and mkdtemp: six X at its end, which they replace. */
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

bool bo_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
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

static mode_t mode_of_new_file(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Creates a new file in the folder of `path`. */
static int create_beside(const char *path, mode_t mode, char *temporary, size_t n)
{
    const char *slash = strrchr(path, '/');
    char start[4096];
    snprintf(start, sizeof start, "%.*s.bakeoff", slash ? (int)(slash - path) + 1 : 0, path);
    const int fd = name_temporary(start, temporary, n) ? mkstemp(temporary) : -1;
    if (fd >= 0)
        fchmod(fd, mode);
    return fd;
}

/* The temporary file that a signal removes: the one opened last. */
static char temporary_of_signal[sizeof((struct bo_outlet *)NULL)->temporary];
static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

/* The signal has its default action again, and ends the program when this returns. */
static void remove_temporary(int signal_number)
{
    unlink(temporary_of_signal);
    raise(signal_number);
}

/* Signals that the program handles or ignores stay as they are. */
static void set_signals(void (*from)(int), void (*to)(int))
{
    const struct sigaction action = {.sa_handler = to, .sa_flags = SA_RESETHAND | SA_RESTART};
    for (unsigned i = 0; i < N_ENDING_SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(ending_signals[i], NULL, &now) == 0 && now.sa_handler == from)
            sigaction(ending_signals[i], &action, NULL);
    }
}

static void watch_temporary(const char *temporary)
{
    memcpy(temporary_of_signal, temporary, strlen(temporary) + 1);
    set_signals(SIG_DFL, remove_temporary);
}

/* ---- outlets --------------------------------------------------------------------------------- */

/* Creates the temporary file of outlet->path. `st` describes the existing file; NULL: none. */
static int create_temporary(struct bo_outlet *outlet, const struct stat *st)
{
    char *resolved = st ? realpath(outlet->path, NULL) : strdup(outlet->path);
    if (!resolved)
        return -1;
    const size_t n = strlen(resolved) + 1;
    int fd = -1;
    if (n > sizeof outlet->target)
        errno = ENAMETOOLONG;
    else if (!st || access(resolved, W_OK) == 0)
        fd = create_beside(memcpy(outlet->target, resolved, n),
                           st ? st->st_mode & 07777 : mode_of_new_file(), outlet->temporary,
                           sizeof outlet->temporary);
    free(resolved);
    if (fd >= 0)
        watch_temporary(outlet->temporary);
    return fd;
}

bool bo_outlet_open(const char *path, struct bo_outlet *outlet)
{
    struct stat st;
    const bool is_stdout = !path || strcmp(path, "-") == 0;
    *outlet = (struct bo_outlet){.drain = {write_outlet, outlet},
                                 .path = is_stdout ? "standard output" : path,
                                 .fd = STDOUT_FILENO};
    if (is_stdout) {
        fflush(stdout);
        return true;
    }
    const bool exists = stat(path, &st) == 0, special = exists && !S_ISREG(st.st_mode);
    outlet->has_temporary = !special;
    outlet->fd =
        special ? open(path, O_WRONLY | O_CLOEXEC) : create_temporary(outlet, exists ? &st : NULL);
    if (outlet->fd >= 0)
        return true;
    fprintf(stderr, "bakeoff: %s: cannot create this output: %s\n", path,
            errno == ENOENT ? "its folder does not exist" : strerror(errno));
    return false;
}

bool bo_outlet_close(struct bo_outlet *outlet, bool keep)
{
    int why = outlet->why_failed;
    if (outlet->fd != STDOUT_FILENO && close(outlet->fd) && !why)
        why = errno;
    if (outlet->has_temporary) {
        if (keep && !why && rename(outlet->temporary, outlet->target))
            why = errno;
        if (!keep || why)
            unlink(outlet->temporary);
        set_signals(remove_temporary, SIG_DFL);
    }
    return why ? fail(outlet->path, strerror(why)) : true;
}

bool bo_output(const char *path, struct bo_span bytes)
{
    struct bo_outlet outlet;
    if (!bo_outlet_open(path, &outlet))
        return false;
    write_outlet(&outlet, bytes);
    return bo_outlet_close(&outlet, true);
}

bool bo_output_printed(const char *path, void (*print)(const void *what, FILE *out),
                       const void *what)
{
    struct bo_memory_file file;
    print(what, bo_memory_open(&file));
    const bool ok = bo_output(path, bo_memory_bytes(&file));
    bo_memory_free(&file);
    return ok;
}
