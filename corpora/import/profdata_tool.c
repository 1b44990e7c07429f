/*
 * Runs llvm-profdata without a shell.
 *
 * Its input and outputs are files in memory. So no file can be left on a disk, and no pipe can
 * block.
 */
#include "corpora/import/profdata_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/core/files.h"
#include "harness/core/workers.h"

enum { N_STREAMS = 3, FIRST_OTHER_FD = 3 };

/* The tool's standard input, output and error. */
struct streams {
    int fd[N_STREAMS];
};

static enum bo_status fail_io(struct bo_error *err, const char *what)
{
    return bo_fail(err, BO_IO, BO_NO_OFFSET, what);
}

/* ---- files in memory ------------------------------------------------------------------------- */

/*
 * Creates an empty file, not as one of the standard streams, which may be closed here. -1 on
 * failure.
 */
static int open_memory(void)
{
    const int fd = memfd_create("llvm-profdata", MFD_CLOEXEC);
    if (fd < 0 || fd >= FIRST_OTHER_FD)
        return fd;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_OTHER_FD);
    close(fd);
    return moved;
}

static enum bo_status read_all(int fd, struct bo_arena *arena, struct bo_span *bytes_ret,
                               struct bo_error *err)
{
    struct stat st;
    if (fstat(fd, &st))
        return fail_io(err, "cannot read the output of llvm-profdata");
    const size_t nbytes = (size_t)st.st_size;
    uint8_t *p = bo_alloc(arena, nbytes);
    if (!p)
        return bo_fail_alloc(err, arena);
    for (size_t off = 0; off < nbytes;) {
        const ssize_t n = pread(fd, p + off, nbytes - off, (off_t)off);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_io(err, "cannot read the output of llvm-profdata");
        off += (size_t)n;
    }
    *bytes_ret = (struct bo_span){p, nbytes};
    return BO_OK;
}

static bool open_streams(struct streams *s)
{
    bool ok = true;
    for (int i = 0; i < N_STREAMS; i++) {
        s->fd[i] = open_memory();
        ok = ok && s->fd[i] >= 0;
    }
    return ok;
}

static void close_streams(const struct streams *s)
{
    for (int i = 0; i < N_STREAMS; i++)
        if (s->fd[i] >= 0)
            close(s->fd[i]);
}

/* ---- the program ----------------------------------------------------------------------------- */

enum { CANNOT_RUN = 126, NOT_FOUND = 127 }; /* exit codes of its process, as of a shell */

/* Runs the first of the programs that is found in PATH. Returns only on failure, with errno set. */
static void exec_any(const struct profdata_tool *tool)
{
    static const char plain_name[] = "llvm-profdata";
    /* The program gets copies: it may write to them. */
    char words[PROFDATA_MAX_ARGS + 1][32], *argv[PROFDATA_MAX_ARGS + 2] = {words[0]};
    for (size_t i = 0; i < PROFDATA_MAX_ARGS && tool->args[i]; i++) {
        argv[i + 1] = words[i + 1];
        snprintf(words[i + 1], sizeof *words, "%s", tool->args[i]);
    }
    const unsigned newest = tool->newest ? tool->newest : PROFDATA_NEWEST,
                   n = newest - PROFDATA_OLDEST + 2;
    errno = ENOENT;
    for (unsigned i = 0; i < n && errno == ENOENT; i++) {
        if (i == (tool->newest ? n - 1 : 0))
            snprintf(words[0], sizeof *words, "%s", plain_name);
        else
            snprintf(words[0], sizeof *words, "%s-%u", plain_name, newest - i + !tool->newest);
        execvp(words[0], argv);
    }
}

/* Keeps a lower limit that this process has. */
static void limit(int resource, uint64_t most)
{
    struct rlimit limits;
    if (getrlimit(resource, &limits) == 0 && limits.rlim_cur > most) {
        limits.rlim_cur = (rlim_t)most;
        setrlimit(resource, &limits);
    }
}

/* Messages and profdata_tool.h name these limits. */
static void set_limits(void)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, 600);
    limit(RLIMIT_AS, UINT64_C(16) << 30);
    limit(RLIMIT_FSIZE, UINT64_C(4) << 30);
}

static void run_tool(const struct profdata_tool *tool, const struct streams *s)
{
    for (int i = 0; i < N_STREAMS; i++)
        if (dup2(s->fd[i], i) < 0)
            _exit(CANNOT_RUN);
    set_limits();
    exec_any(tool);
    _exit(errno == ENOENT ? NOT_FOUND : CANNOT_RUN);
}

static bool holds(struct bo_span text, const char *word)
{
    return memmem(text.p, text.n, word, strlen(word));
}

/* LLVM prints a message and aborts when memory is refused. */
static enum bo_status fail_killed(int signal, const struct streams *s, struct bo_arena *arena,
                                  struct bo_error *err)
{
    struct bo_span said;
    if (signal == SIGXCPU)
        return bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET,
                       "llvm-profdata exceeds 600 s of processor time");
    if (signal == SIGXFSZ)
        return bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET, "output of llvm-profdata exceeds 4 GiB");
    const enum bo_status status = read_all(s->fd[STDERR_FILENO], arena, &said, err);
    if (status)
        return status;
    return holds(said, "out of memory") || holds(said, "bad_alloc")
               ? bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET,
                         "llvm-profdata runs out of memory, of which it may use 16 GiB")
               : bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "llvm-profdata crashed on this file");
}

/* Fails with the tool's message in one line, without the name of the input file. */
static enum bo_status fail_said(const struct streams *s, struct bo_arena *arena,
                                struct bo_error *err)
{
    static const char before[] = "llvm-profdata: ", our_name[] = "/dev/stdin: ";
    const size_t n_before = sizeof before - 1, n_name = sizeof our_name - 1;
    struct bo_span said;
    const enum bo_status status = read_all(s->fd[STDERR_FILENO], arena, &said, err);
    char *line = status ? NULL : bo_alloc(arena, n_before + said.n + 1);
    if (status)
        return status;
    if (!line)
        return bo_fail_alloc(err, arena);
    memcpy(line, before, n_before);
    size_t n = n_before;
    for (size_t i = 0; i < said.n;) {
        if (said.n - i > n_name && memcmp(said.p + i, our_name, n_name) == 0) {
            i += n_name;
            continue;
        }
        const uint8_t byte = said.p[i++];
        line[n++] = byte == '\n' ? ';' : byte < ' ' ? '?' : (char)byte;
    }
    while (n > n_before && line[n - 1] == ';')
        n--;
    line[n] = 0;
    return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET,
                   n > n_before ? line : "llvm-profdata failed without a message");
}

static enum bo_status run_on(const struct profdata_tool *tool, const struct streams *s,
                             struct bo_arena *arena, struct bo_span *text_ret, struct bo_error *err)
{
    int how = 0;
    const pid_t pid = bo_fork();
    if (pid == 0)
        run_tool(tool, s);
    pid_t waited = pid;
    while (pid > 0 && (waited = waitpid(pid, &how, 0)) < 0 && errno == EINTR)
        ;
    if (waited < 0 || (WIFEXITED(how) && WEXITSTATUS(how) == CANNOT_RUN))
        return fail_io(err, "cannot run llvm-profdata");
    if (WIFSIGNALED(how))
        return fail_killed(WTERMSIG(how), s, arena, err);
    if (WEXITSTATUS(how) == NOT_FOUND)
        return bo_fail(
            err, BO_UNSUPPORTED, BO_NO_OFFSET,
            "reading this file requires llvm-profdata, which is not installed (Debian: llvm)");
    if (WEXITSTATUS(how))
        return fail_said(s, arena, err);
    return read_all(s->fd[STDOUT_FILENO], arena, text_ret, err);
}

enum bo_status profdata_tool_text(const struct profdata_tool *tool, struct bo_span profile,
                                  struct bo_arena *arena, struct bo_span *text_ret,
                                  struct bo_error *err)
{
    struct streams s;
    enum bo_status status;
    if (open_streams(&s) && bo_write_all(s.fd[STDIN_FILENO], profile))
        status = run_on(tool, &s, arena, text_ret, err);
    else
        status = fail_io(err, "out of memory for a copy of the profile");
    close_streams(&s);
    return status;
}
