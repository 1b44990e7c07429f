/* Held-out documents beside the others. */
#include "bench/report/held_out.h"

#include <math.h>

#include "bench/report/paths.h"
#include "bench/report/picks.h"

/* The documents of a format: those that are held out, and the others. */
struct documents {
    const struct bo_run_document **held_out, **others;
    unsigned n_held_out, n_others;
};

static struct documents documents_of(const struct bo_run *run, const char *format,
                                     struct bo_arena *arena)
{
    struct documents d;
    d.n_held_out = bo_format_documents(run, format, BO_HELD_OUT, arena, &d.held_out);
    d.n_others = bo_format_documents(run, format, BO_ORDINARY, arena, &d.others);
    return d;
}

static bool all_have(const struct bo_run_document *const *documents, unsigned n, const char *label)
{
    for (unsigned d = 0; d < n; d++)
        if (!documents[d]->baseline ||
            isnan(bo_time_over(&documents[d], 1, documents[d]->baseline->name,
                               documents[d]->baseline->name, label, false)
                      .ratio))
            return false;
    return true;
}

/* The main query of the ordinary documents or of the held-out ones, if all have it; or NULL. */
static const char *common_label(const struct documents *d)
{
    const char *const labels[] = {bo_run_main_label(d->others[0]),
                                  bo_run_main_label(d->held_out[0])};
    for (unsigned i = 0; i < 2; i++)
        if (labels[i] && all_have(d->others, d->n_others, labels[i]) &&
            all_have(d->held_out, d->n_held_out, labels[i]))
            return labels[i];
    return NULL;
}

/* The mean ratio of the codec's bytes (label NULL) or times to those of the other one. */
static double mean_ratio(const struct bo_run_document *const *on, unsigned n, const char *codec,
                         const char *other, const char *label)
{
    return label ? bo_time_over(on, n, codec, other, label, false).ratio
                 : bo_bytes_over(on, n, codec, other).ratio;
}

/* The common property of the documents that are not held out. */
static const char *kind_of_others(const struct documents *documents)
{
    for (unsigned d = 0; d < documents->n_others; d++)
        if (!documents->others[d]->embedded)
            return "other";
    return "embedded";
}

char *bo_held_out_grid(const struct bo_run *run, const char *format, struct bo_arena *arena,
                       struct bo_grid *grid_ret)
{
    const struct bo_run_document *main = bo_run_document(run, format, NULL);
    const struct documents d = documents_of(run, format, arena);
    if (d.n_held_out == 0 || d.n_others == 0)
        return NULL;
    const struct bo_run_codec **codecs;
    const unsigned n = bo_ranked_codecs(main, arena, &codecs);
    const char *kind = kind_of_others(&d);
    const char *const labels[] = {NULL, common_label(&d)};
    bo_grid_init(grid_ret, arena, 2);
    for (unsigned c = 0; c < n; c++) {
        bo_grid_column(grid_ret, "codec", bo_codec_cell(arena, codecs[c]));
        bo_grid_column(grid_ret, "role", codecs[c]->role);
        for (unsigned i = 0; i < (labels[1] ? 2 : 1); i++) {
            const char *name = codecs[c]->name, *other = main->baseline->name;
            const char *what = labels[i] ? labels[i] : "bytes";
            const double known = mean_ratio(d.others, d.n_others, name, other, labels[i]);
            const double unseen = mean_ratio(d.held_out, d.n_held_out, name, other, labels[i]);
            bo_grid_column(grid_ret, bo_arena_printf(arena, "%s, %s", what, kind),
                           bo_fixed(arena, known, 3));
            bo_grid_column(grid_ret, bo_arena_printf(arena, "%s, held-out", what),
                           bo_fixed(arena, unseen, 3));
            bo_grid_column(grid_ret, bo_arena_printf(arena, "%s, held-out over %s", what, kind),
                           bo_fixed(arena, unseen / known, 3));
        }
        bo_grid_end_row(grid_ret);
    }
    char *names = bo_arena_printf(arena, "%s", "");
    for (unsigned i = 0; i < d.n_held_out; i++)
        names = bo_arena_printf(arena, "%s%s%s", names, i ? ", " : "", d.held_out[i]->name);
    return bo_arena_printf(
        arena,
        "%s: geometric means over %u %s document%s and over %u held-out one%s (%s), of bytes%s%s "
        "over those of %s on the same document",
        format, d.n_others, kind, d.n_others == 1 ? "" : "s", d.n_held_out,
        d.n_held_out == 1 ? "" : "s", names, labels[1] ? " and of the time of " : "",
        labels[1] ? labels[1] : "", bo_named_with_role(arena, main->baseline));
}
