/* gnuplot between two files in memory: no quoting of paths, no half-written pictures. */
#include "bench/report/gnuplot.h"

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

/* The exit code, or -1. */
static int run_between(int in, int out)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        execlp("gnuplot", "gnuplot", (char *)NULL);
        _exit(127);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static bool save(int fd, const char *path)
{
    struct stat st;
    if (fstat(fd, &st) || st.st_size == 0)
        return false;
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return false;
    const bool ok = bo_output(path, (struct bo_span){map, (size_t)st.st_size});
    munmap(map, (size_t)st.st_size);
    return ok;
}

bool bo_gnuplot(const char *script, const char *path)
{
    const int in = memfd_create("script", MFD_CLOEXEC), out = memfd_create("picture", MFD_CLOEXEC);
    int code = -1;
    if (in >= 0 && out >= 0 && fill(in, script))
        code = run_between(in, out);
    const bool ok = code == 0 && save(out, path);
    if (code == 127)
        fprintf(stderr, "bakeoff: %s: gnuplot is not installed; `make deps` does\n", path);
    else if (!ok)
        fprintf(stderr, "bakeoff: %s: gnuplot made no picture (exit code %d)\n", path, code);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok;
}
