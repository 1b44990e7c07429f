/* The Pareto front of size and time. */
#include "bench/report/front.h"

#include <stdlib.h>

static bool beats(const struct bo_front_point *a, const struct bo_front_point *b)
{
    return a->kind == b->kind && a->bytes <= b->bytes && a->ns <= b->ns &&
           (a->bytes < b->bytes || a->ns < b->ns);
}

void bo_front_mark(struct bo_front_point *points, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        points[i].on_front = true;
        for (size_t j = 0; j < n; j++)
            if (beats(&points[j], &points[i]))
                points[i].on_front = false;
    }
}

static int by_kind_bytes_time(const void *a, const void *b)
{
    const struct bo_front_point *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

enum bo_front_kind bo_front_kind_of(const struct bo_run_document *document,
                                    const struct bo_run_codec *codec, const char *label)
{
    if (codec->probabilistic)
        return BO_FRONT_PROBABILISTIC;
    if (codec->leaves_out)
        return BO_FRONT_LEAVES_OUT;
    return bo_is_unpacked(document, codec, label) ? BO_FRONT_UNPACKED : BO_FRONT_READ_IN_PLACE;
}

size_t bo_front_points(const struct bo_run_document *document, const char *label,
                       struct bo_arena *arena, struct bo_front_point **points_ret)
{
    struct bo_front_point *points =
        bo_array_or_abort(arena, document->n_codecs + 1u, sizeof *points);
    size_t n = 0;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *codec = &document->codecs[c];
        const struct bo_run_row *row = bo_run_row(document, codec, label);
        if (codec->has_bytes && !codec->is_noop && row && row->n && !row->failure)
            points[n++] = (struct bo_front_point){.codec = codec,
                                                  .row = row,
                                                  .bytes = (double)codec->bytes,
                                                  .ns = row->median_ns,
                                                  .kind = bo_front_kind_of(document, codec, label)};
    }
    qsort(points, n, sizeof *points, by_kind_bytes_time);
    bo_front_mark(points, n);
    *points_ret = points;
    return n;
}

bool bo_has_points(const struct bo_run_document *document, struct bo_arena *arena)
{
    struct bo_front_point *points;
    const char *label = bo_run_main_label(document);
    return label && bo_front_points(document, label, arena, &points) > 0;
}
