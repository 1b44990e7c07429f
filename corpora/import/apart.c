/*
 * Runs work in a process of its own. Its answer: status, length of the phrase, offset, phrase,
 * output.
 */
#include "corpora/import/apart.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/core/files.h"
#include "harness/core/workers.h"

struct answer {
    enum bo_status status;
    uint32_t phrase_n;
    uint64_t off;
};

static unsigned patience_s; /* set in the process of the work */

void apart_goes_on(void)
{
    const struct itimerval left = {.it_value.tv_sec = patience_s};
    setitimer(ITIMER_PROF, &left, NULL);
}

/* ---- the process of the work ----------------------------------------------------------------- */

static void limit_memory(uint64_t nbytes)
{
    struct rlimit limit;
    unsigned long used_pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%lu", &used_pages) == 1 && getrlimit(RLIMIT_AS, &limit) == 0) {
        const uint64_t most = nbytes + (uint64_t)used_pages * (uint64_t)sysconf(_SC_PAGESIZE);
        if (limit.rlim_cur == RLIM_INFINITY || most < limit.rlim_cur) {
            limit.rlim_cur = (rlim_t)most;
            setrlimit(RLIMIT_AS, &limit);
        }
    }
    if (file)
        fclose(file);
}

static void work(const struct apart *apart, struct bo_arena *arena, int fd)
{
    struct bo_error error = {0};
    struct bo_writer out;
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    if (apart->memory_nbytes)
        limit_memory(apart->memory_nbytes);
    patience_s = apart->patience_s;
    apart_goes_on();
    bo_writer_init(&out, arena);
    const enum bo_status status = apart->work(apart->context, &out, &error);
    const char *phrase = error.what ? error.what : "";
    const struct answer answer = {status, (uint32_t)strlen(phrase), error.off};
    const struct bo_span text = bo_writer_span(&out);
    const bool ok = bo_write_all(fd, (struct bo_span){(const uint8_t *)&answer, sizeof answer}) &&
                    bo_write_all(fd, (struct bo_span){(const uint8_t *)phrase, answer.phrase_n}) &&
                    (status || bo_write_all(fd, text));
    _exit(ok ? 0 : 1);
}

/* ---- the calling process --------------------------------------------------------------------- */

static enum bo_status say(struct bo_arena *arena, struct bo_error *err, enum bo_status status,
                          const char *who, const char *what)
{
    const size_t n = strlen(who), m = strlen(what);
    char *phrase = bo_alloc(arena, n + m + 1);
    if (!phrase)
        return bo_fail_alloc(err, arena);
    memcpy(phrase, who, n);
    memcpy(phrase + n, what, m + 1);
    return bo_fail(err, status, BO_NO_OFFSET, phrase);
}

static bool read_all(int fd, struct bo_writer *bytes)
{
    uint8_t room[1 << 16];
    for (;;) {
        const ssize_t got = read(fd, room, sizeof room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        bo_put_bytes(bytes, room, (size_t)got);
    }
}

static enum bo_status take_answer(struct bo_span bytes, struct bo_arena *arena,
                                  struct bo_span *out_ret, struct bo_error *err)
{
    struct answer answer;
    memcpy(&answer, bytes.p, sizeof answer);
    bytes = (struct bo_span){bytes.p + sizeof answer, bytes.n - sizeof answer};
    if (answer.phrase_n > bytes.n)
        return bo_fail(err, BO_IO, BO_NO_OFFSET, "answer is truncated");
    if (answer.phrase_n) {
        char *phrase = bo_alloc(arena, (size_t)answer.phrase_n + 1);
        if (!phrase)
            return bo_fail_alloc(err, arena);
        memcpy(phrase, bytes.p, answer.phrase_n);
        phrase[answer.phrase_n] = 0;
        bo_fail(err, answer.status, answer.off, phrase);
    } else if (answer.status) {
        bo_fail(err, answer.status, answer.off, bo_status_name(answer.status));
    }
    const size_t n = bytes.n - answer.phrase_n;
    uint8_t *out = bo_alloc(arena, n);
    if (!out)
        return bo_fail_alloc(err, arena);
    if (n)
        memcpy(out, bytes.p + answer.phrase_n, n);
    *out_ret = (struct bo_span){out, n};
    return answer.status;
}

static enum bo_status judge(const struct apart *apart, int how, struct bo_writer *bytes,
                            struct bo_arena *arena, struct bo_span *out_ret, struct bo_error *err)
{
    if (WIFSIGNALED(how))
        return say(arena, err, BO_CORRUPT, apart->who,
                   WTERMSIG(how) == SIGPROF ? " makes no progress on it" : " crashed on it");
    const struct bo_span all = bo_writer_span(bytes);
    if (bo_writer_status(bytes, err))
        return bo_writer_status(bytes, err);
    if (all.n < sizeof(struct answer) || WEXITSTATUS(how))
        return say(arena, err, BO_CORRUPT, apart->who, " ended without an answer");
    return take_answer(all, arena, out_ret, err);
}

enum bo_status apart_run(const struct apart *apart, struct bo_arena *arena, struct bo_span *out_ret,
                         struct bo_error *err)
{
    int ends[2], how = 0;
    struct bo_writer bytes;
    fflush(NULL);
    if (pipe(ends))
        return bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot create a pipe");
    const pid_t process = bo_fork();
    if (process == 0) {
        close(ends[0]);
        work(apart, arena, ends[1]);
    }
    close(ends[1]);
    bo_writer_init(&bytes, arena);
    const bool all_read = process > 0 && read_all(ends[0], &bytes);
    close(ends[0]);
    while (process > 0 && waitpid(process, &how, 0) < 0 && errno == EINTR)
        ;
    const enum bo_status status =
        all_read ? judge(apart, how, &bytes, arena, out_ret, err)
                 : bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot start a process or read from it");
    bo_writer_free(&bytes);
    return status;
}
