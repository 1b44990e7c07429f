/* The progress line. */
#include "harness/core/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/core/clock.h"

struct bo_progress bo_progress_start(const char *what, uint64_t total)
{
    return (struct bo_progress){
        .what = what,
        .total = total,
        .started_ns = bo_wall_ns(),
        .shown = isatty(STDERR_FILENO),
    };
}

void bo_progress_left(const struct bo_progress *progress, char text_ret[32])
{
    const uint64_t done = progress->done, spent_ns = bo_wall_ns() - progress->started_ns;
    const uint64_t left = progress->total > done ? progress->total - done : 0;
    const uint64_t left_s =
        done ? (uint64_t)((double)spent_ns / (double)done * (double)left / 1e9) : 0;
    if (done)
        snprintf(text_ret, 32, "%" PRIu64 ":%02" PRIu64, left_s / 60, left_s % 60);
    else
        snprintf(text_ret, 32, "?");
}

void bo_progress_step(struct bo_progress *progress, uint64_t n, const char *detail)
{
    enum { REDRAW_NS = 200000000 };
    const uint64_t now = bo_wall_ns();
    char left[32];
    progress->done += n;
    if (!progress->shown || now - progress->drawn_ns < REDRAW_NS)
        return;
    progress->drawn_ns = now;
    bo_progress_left(progress, left);
    fprintf(stderr, "\r\033[K%s: %" PRIu64 "/%" PRIu64 ", about %s left  %.80s", progress->what,
            progress->done, progress->total, left, detail ? detail : "");
    fflush(stderr);
}

void bo_progress_end(struct bo_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
