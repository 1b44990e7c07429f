/* Held-out documents beside the others. */
#include "bench/report/held_out.h"

#include "bench/report/paths.h"
#include "bench/report/picks.h"

struct documents {
    const struct bo_run_document **items;
    unsigned n;
};

static struct documents documents_of(const struct bo_run *run, const char *format, unsigned sort,
                                     struct bo_arena *arena)
{
    struct documents documents;
    documents.n = bo_format_documents(run, format, sort, arena, &documents.items);
    return documents;
}

/* The mean ratio of the codec's bytes (label NULL) or times to those of the other one. */
static double mean_ratio(const struct documents *on, const char *codec, const char *other,
                         const char *label)
{
    return label ? bo_time_over(on->items, on->n, codec, other, label, false).ratio
                 : bo_bytes_over(on->items, on->n, codec, other).ratio;
}

/* The common property of the documents that are not held out. */
static const char *kind_of_others(const struct documents *others)
{
    for (unsigned d = 0; d < others->n; d++)
        if (!others->items[d]->embedded)
            return "other";
    return "embedded";
}

bool bo_held_out_grid(const struct bo_run *run, const char *format, struct bo_arena *arena,
                      struct bo_grid *grid_ret)
{
    const struct bo_run_document *main = bo_run_document(run, format, NULL);
    const struct documents held_out = documents_of(run, format, BO_HELD_OUT, arena);
    const struct documents others = documents_of(run, format, BO_ORDINARY, arena);
    if (held_out.n == 0 || others.n == 0)
        return false;
    const struct bo_run_codec **codecs;
    const unsigned n = bo_ranked_codecs(main, arena, &codecs);
    const char *kind = kind_of_others(&others);
    const char *const labels[] = {NULL, bo_run_main_label(main)};
    bo_grid_init(grid_ret, arena, 2);
    for (unsigned c = 0; c < n; c++) {
        bo_grid_columns(grid_ret, "codec", bo_codec_cell(arena, codecs[c]), "role", codecs[c]->role,
                        NULL);
        for (unsigned i = 0; i < (labels[1] ? 2 : 1); i++) {
            const char *name = codecs[c]->name, *other = main->baseline->name;
            const char *what = labels[i] ? labels[i] : "bytes";
            const double known = mean_ratio(&others, name, other, labels[i]);
            const double unseen = mean_ratio(&held_out, name, other, labels[i]);
            bo_grid_columns(grid_ret, bo_arena_printf(arena, "%s, %s", what, kind),
                            bo_fixed(arena, known, 3), bo_arena_printf(arena, "%s, held-out", what),
                            bo_fixed(arena, unseen, 3),
                            bo_arena_printf(arena, "%s, held-out over %s", what, kind),
                            bo_fixed(arena, unseen / known, 3), NULL);
        }
        bo_grid_end_row(grid_ret);
    }
    return true;
}

char *bo_held_out_caption(const struct bo_run *run, const char *format, struct bo_arena *arena)
{
    const struct bo_run_document *main = bo_run_document(run, format, NULL);
    const char *label = main ? bo_run_main_label(main) : NULL;
    const struct documents held_out = documents_of(run, format, BO_HELD_OUT, arena);
    const struct documents others = documents_of(run, format, BO_ORDINARY, arena);
    char *names = bo_arena_printf(arena, "%s", "");
    for (unsigned d = 0; d < held_out.n; d++)
        names = bo_arena_printf(arena, "%s%s%s", names, d ? ", " : "", held_out.items[d]->name);
    return bo_arena_printf(
        arena,
        "%s: geometric means over %u %s document%s and over %u held-out one%s (%s), of bytes%s%s "
        "over those of %s on the same document",
        format, others.n, kind_of_others(&others), others.n == 1 ? "" : "s", held_out.n,
        held_out.n == 1 ? "" : "s", names, label ? " and of the time of " : "", label ? label : "",
        bo_named_with_role(arena, main ? main->baseline : NULL));
}
