/*
 * Runs gnuplot between two files in memory, so that no path needs quoting and no picture is
 * half-written. One process draws all pictures, since starting it takes three times as long as
 * drawing one.
 */
#include "bench/report/gnuplot.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/core/files.h"

static bool fill(int fd, const char *text)
{
    const size_t n = strlen(text);
    for (size_t off = 0; off < n;) {
        const ssize_t got = write(fd, text + off, n - off);
        if (got <= 0)
            return false;
        off += (size_t)got;
    }
    return lseek(fd, 0, SEEK_SET) == 0;
}

/*
 * Returns the exit code, 127 if there is no gnuplot, or -1. Spawned, because fork would copy the
 * page tables of all results.
 */
static int run_between(int in, int out)
{
    static char name[] = "gnuplot";
    char *const argv[] = {name, NULL};
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status;
    if (posix_spawn_file_actions_init(&files))
        return -1;
    int failure = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (!failure)
        failure = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (!failure)
        failure = posix_spawnp(&pid, name, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failure)
        return failure == ENOENT ? 127 : -1;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The end of the picture at `p`; NULL when it is incomplete. */
static const char *end_of_picture(const char *p, const char *end)
{
    static const char last[] = "</svg>\n\n";
    const char *found = memmem(p, (size_t)(end - p), last, sizeof last - 1);
    return found ? found + sizeof last - 1 : NULL;
}

/* Writes the pictures. Returns the number written. */
static size_t save(int fd, const char *const *paths, size_t n_paths)
{
    struct stat st;
    if (fstat(fd, &st) || st.st_size == 0)
        return 0;
    const size_t nbytes = (size_t)st.st_size;
    char *map = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return 0;
    size_t n = 0;
    const char *p = end_of_picture(map, map + nbytes), *next;
    while (p && n < n_paths && (next = end_of_picture(p, map + nbytes)) &&
           bo_output(paths[n], (struct bo_span){(const uint8_t *)p, (size_t)(next - p)})) {
        p = next;
        n++;
    }
    munmap(map, nbytes);
    return n;
}

bool bo_gnuplot(const char *script, const char *const *paths, size_t n_paths)
{
    const int in = memfd_create("script", MFD_CLOEXEC), out = memfd_create("pictures", MFD_CLOEXEC);
    int code = -1;
    if (in >= 0 && out >= 0 && fill(in, script))
        code = run_between(in, out);
    const size_t n = code == 127 || out < 0 ? 0 : save(out, paths, n_paths);
    if (code == 127 && n_paths)
        fprintf(stderr, "bakeoff: %s: gnuplot is not installed; `make deps` installs it\n",
                paths[0]);
    else if (n < n_paths)
        fprintf(stderr, "bakeoff: %s: gnuplot drew no picture (exit code %d)\n", paths[n], code);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return n == n_paths;
}
