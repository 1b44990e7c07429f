/* The progress line. */
#include "bench/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "bench/clock.h"

struct bo_progress bo_progress_start(const char *what, uint64_t total)
{
    return (struct bo_progress){
        .what = what,
        .total = total,
        .started_ns = bo_wall_ns(),
        .shown = isatty(STDERR_FILENO),
    };
}

void bo_progress_step(struct bo_progress *progress, const char *detail)
{
    enum { REDRAW_NS = 200000000 };
    const uint64_t now = bo_wall_ns();
    progress->done++;
    if (!progress->shown || now - progress->drawn_ns < REDRAW_NS)
        return;
    progress->drawn_ns = now;
    const double per_step = (double)(now - progress->started_ns) / (double)progress->done;
    const uint64_t left = progress->total > progress->done ? progress->total - progress->done : 0;
    const uint64_t left_s = (uint64_t)(per_step * (double)left / 1e9);
    fprintf(stderr,
            "\r\033[K%s: %" PRIu64 "/%" PRIu64 ", about %" PRIu64 ":%02" PRIu64 " left  %.60s",
            progress->what, progress->done, progress->total, left_s / 60, left_s % 60,
            detail ? detail : "");
    fflush(stderr);
}

void bo_progress_end(struct bo_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
