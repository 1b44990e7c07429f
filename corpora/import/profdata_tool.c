/*
 * Runs llvm-profdata without a shell.
 *
 * Its input and outputs are files in memory. So no file can be left on a disk, and no pipe can
 * block.
 */
#include "corpora/import/profdata_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

static const char plain_name[] = "llvm-profdata";
static const char *const versioned_names[] = {
    "llvm-profdata-22", "llvm-profdata-21", "llvm-profdata-20",
    "llvm-profdata-19", "llvm-profdata-18", "llvm-profdata-17",
    "llvm-profdata-16", "llvm-profdata-15", "llvm-profdata-14",
};

/* Starts the program. Returns 0, or an error number. */
static int spawn(const char *name, const struct profdata_tool *tool,
                 const posix_spawn_file_actions_t *actions, pid_t *pid_ret)
{
    /* The program gets copies: it may write to them. */
    char words[PROFDATA_MAX_ARGS + 1][32], *argv[PROFDATA_MAX_ARGS + 2] = {words[0]};
    snprintf(words[0], sizeof *words, "%s", name);
    for (size_t i = 0; i < PROFDATA_MAX_ARGS && tool->args[i]; i++) {
        argv[i + 1] = words[i + 1];
        snprintf(words[i + 1], sizeof *words, "%s", tool->args[i]);
    }
    return posix_spawnp(pid_ret, name, actions, NULL, argv, environ);
}

/* Starts the first of the programs that is found in PATH. Returns 0, or an error number. */
static int spawn_any(const struct profdata_tool *tool, const posix_spawn_file_actions_t *actions,
                     pid_t *pid_ret)
{
    int code = tool->newest_first ? ENOENT : spawn(plain_name, tool, actions, pid_ret);
    for (size_t i = 0; i < sizeof versioned_names / sizeof *versioned_names && code == ENOENT; i++)
        code = spawn(versioned_names[i], tool, actions, pid_ret);
    if (code == ENOENT && tool->newest_first)
        code = spawn(plain_name, tool, actions, pid_ret);
    return code;
}

static enum bo_status spawn_on(const struct profdata_tool *tool, const struct streams *s,
                               pid_t *pid_ret, struct bo_error *err)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET,
                       "out of memory while starting llvm-profdata");
    for (int i = 0; i < N_STREAMS && !code; i++)
        code = posix_spawn_file_actions_adddup2(&actions, s->fd[i], i);
    if (!code)
        code = spawn_any(tool, &actions, pid_ret);
    posix_spawn_file_actions_destroy(&actions);
    if (code == ENOENT)
        return bo_fail(
            err, BO_UNSUPPORTED, BO_NO_OFFSET,
            "reading this file requires llvm-profdata, which is not installed (Debian: llvm)");
    return code ? fail_io(err, "cannot start llvm-profdata") : BO_OK;
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
    pid_t pid, waited;
    int exit_status = 0;
    const enum bo_status status = spawn_on(tool, s, &pid, err);
    if (status)
        return status;
    do
        waited = waitpid(pid, &exit_status, 0);
    while (waited < 0 && errno == EINTR);
    if (waited != pid)
        return fail_io(err, "cannot wait for llvm-profdata");
    if (WIFSIGNALED(exit_status))
        return bo_fail(err, BO_CORRUPT, BO_NO_OFFSET, "llvm-profdata crashed on this file");
    if (WEXITSTATUS(exit_status))
        return fail_said(s, arena, err);
    return read_all(s->fd[STDOUT_FILENO], arena, text_ret, err);
}

enum bo_status profdata_tool_text(const struct profdata_tool *tool, struct bo_span profile,
                                  struct bo_arena *arena, struct bo_span *text_ret,
                                  struct bo_error *err)
{
    struct streams s;
    enum bo_status status;
    if (open_streams(&s) && write_all(s.fd[STDIN_FILENO], profile))
        status = run_on(tool, &s, arena, text_ret, err);
    else
        status = fail_io(err, "out of memory for a copy of the profile");
    close_streams(&s);
    return status;
}
