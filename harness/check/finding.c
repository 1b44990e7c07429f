/* Findings: failed properties, in a form that can be counted and reproduced. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/check/agreement.h"

void bo_finding_set(struct bo_finding *finding, const struct bo_format *format,
                    const struct bo_query_kind *kind, const struct bo_codec *codec, const char *b,
                    const char *class)
{
    if (!finding)
        return;
    *finding = (struct bo_finding){
        .format = format->name,
        .kind = kind ? kind->name : "-",
        .a = codec->name,
        .b = b,
        .class = class,
    };
}

/* Sets the detail from an error. */
void bo_finding_explain(struct bo_finding *finding, const char *doing, const struct bo_error *error)
{
    if (!finding)
        return;
    const int n = snprintf(finding->detail, sizeof finding->detail, "%s: %s", doing,
                           error->what ? error->what : bo_status_name(error->status));
    if (n > 0 && (size_t)n < sizeof finding->detail && error->off != BO_NO_OFFSET)
        snprintf(finding->detail + n, sizeof finding->detail - (size_t)n, " at byte %llu",
                 (unsigned long long)error->off);
}

/* ---- answers --------------------------------------------------------------------------------- */

enum { MAX_PRINTED = 1 << 16, MAX_LINE = 400 };

/*
 * Runs in the child: prints to `fd`. It resets the signal handlers of the parent, since a fuzzer's
 * handlers report a crash.
 */
_Noreturn static void print_and_exit(const struct bo_query_kind *kind, const void *query,
                                     struct bo_span answer, int fd)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
    struct bo_arena arena;
    struct bo_writer text;
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], SIG_DFL);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    alarm(2);
    bo_arena_init(&arena, MAX_PRINTED);
    bo_writer_init(&text, &arena);
    kind->print(query, answer, &text);
    for (size_t done = 0; done < text.n;) {
        const ssize_t n = write(fd, text.p + done, text.n - done);
        if (n <= 0)
            _exit(1);
        done += (size_t)n;
    }
    _exit(0);
}

/* Writes the text of a reply to `out`. */
static void print_reply(const struct bo_query_kind *kind, const void *query,
                        const struct bo_reply *reply, struct bo_writer *out)
{
    uint8_t piece[4096];
    int ends[2], how = 1;
    if (reply->status) {
        bo_put_text(out, "%s\n", bo_status_name(reply->status));
        return;
    }
    if (pipe(ends)) {
        bo_put_text(out, "not printed: no file descriptor is free\n");
        return;
    }
    const pid_t child = fork();
    if (child == 0)
        print_and_exit(kind, query, reply->answer, ends[1]);
    close(ends[1]);
    for (ssize_t n; child > 0 && (n = read(ends[0], piece, sizeof piece)) > 0;)
        bo_put_bytes(out, piece, (size_t)n);
    close(ends[0]);
    if (child > 0 && waitpid(child, &how, 0) == child && how == 0)
        return;
    bo_put_text(out, "malformed answer of %zu bytes:", reply->answer.n);
    for (size_t i = 0; i < reply->answer.n && i < MAX_LINE / 4; i++)
        bo_put_text(out, " %02x", reply->answer.p[i]);
    bo_put_text(out, "\n");
}

/* The line at `off`, including its end; empty at the end of the text. */
static struct bo_span line_at(const struct bo_writer *text, size_t off)
{
    if (off >= text->n)
        return (struct bo_span){NULL, 0};
    const uint8_t *p = text->p + off, *end = memchr(p, '\n', text->n - off);
    return (struct bo_span){p, end ? (size_t)(end - p) + 1 : text->n - off};
}

static size_t put_line(char *to, size_t room, const char *whose, unsigned number,
                       struct bo_span line)
{
    const struct bo_span text = line.n ? line : bo_span_of("(no more lines)\n");
    const size_t n = text.p[text.n - 1] == '\n' ? text.n - 1 : text.n;
    const int put = snprintf(to, room, "%s, line %u: %.*s%s\n", whose, number,
                             (int)(n < MAX_LINE ? n : MAX_LINE), (const char *)text.p,
                             n > MAX_LINE ? "..." : "");
    return put > 0 && (size_t)put < room ? (size_t)put : room - 1;
}

/* For answers whose texts are equal: names the first byte that differs. */
static void put_bytes(char *to, size_t room, const struct bo_reply *a, const struct bo_reply *b)
{
    size_t at = 0;
    while (at < a->answer.n && at < b->answer.n && a->answer.p[at] == b->answer.p[at])
        at++;
    snprintf(to, room,
             "the answers print alike: %s has %zu bytes, %s %zu; they differ from byte %zu\n",
             a->whose, a->answer.n, b->whose, b->answer.n, at);
}

void bo_finding_compare(struct bo_finding *finding, const struct bo_query_kind *kind,
                        const void *query, const struct bo_reply *a, const struct bo_reply *b)
{
    struct bo_arena arena;
    struct bo_writer text_a, text_b;
    if (!finding)
        return;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text_a, &arena);
    bo_writer_init(&text_b, &arena);
    print_reply(kind, query, a, &text_a);
    print_reply(kind, query, b, &text_b);
    unsigned number = 1;
    size_t off = 0;
    struct bo_span line_a = line_at(&text_a, 0), line_b = line_at(&text_b, 0);
    for (; line_a.n && bo_span_equal(line_a, line_b); number++) {
        off += line_a.n;
        line_a = line_at(&text_a, off);
        line_b = line_at(&text_b, off);
    }
    if (line_a.n || line_b.n) {
        const size_t n =
            put_line(finding->answers, sizeof finding->answers, a->whose, number, line_a);
        put_line(finding->answers + n, sizeof finding->answers - n, b->whose, number, line_b);
    } else {
        put_bytes(finding->answers, sizeof finding->answers, a, b);
    }
    bo_writer_free(&text_a);
    bo_writer_free(&text_b);
    bo_arena_free(&arena);
}

/* ---- in text --------------------------------------------------------------------------------- */

void bo_finding_print(const struct bo_finding *finding, struct bo_writer *out)
{
    bo_put_text(out, "BAKEOFF-DIFF format=%s kind=%s a=%s b=%s class=%s\n", finding->format,
                finding->kind, finding->a, finding->b, finding->class);
    if (finding->detail[0])
        bo_put_text(out, "%s\n", finding->detail);
    bo_put_text(out, "%s", finding->answers);
}

bool bo_error_is_complete(enum bo_status status, const struct bo_error *error)
{
    return status > BO_OK && status < BO_STATUS_COUNT && error->status == status && error->what;
}
