/* Held-out documents beside the others. */
#include "bench/report/held_out.h"

#include <math.h>
#include <string.h>

static bool counts(const struct bo_run_document *document, const char *format, bool held_out)
{
    return strcmp(document->format, format) == 0 && !document->scale &&
           document->held_out == held_out;
}

unsigned bo_n_documents(const struct bo_run *run, const char *format, bool held_out)
{
    unsigned n = 0;
    for (size_t d = 0; d < run->n_documents; d++)
        n += counts(&run->documents[d], format, held_out);
    return n;
}

/* A codec's bytes (label NULL) or time; NaN if missing. */
static double figure(const struct bo_run_document *document, const struct bo_run_codec *codec,
                     const char *label)
{
    if (!codec)
        return NAN;
    if (!label)
        return codec->has_bytes && codec->bytes ? (double)codec->bytes : NAN;
    const struct bo_run_row *row = bo_run_row(document, codec, label);
    return row && !row->failure && row->median_ns > 0 ? row->median_ns : NAN;
}

/* The mean ratio of the codec to the baseline; NaN if one of them lacks a figure on a document. */
static double mean_ratio(const struct bo_run *run, const char *format, bool held_out,
                         const char *codec, const char *label)
{
    double sum = 0;
    unsigned n = 0;
    for (size_t d = 0; d < run->n_documents; d++) {
        const struct bo_run_document *document = &run->documents[d];
        if (!counts(document, format, held_out) || document->n_codecs == 0)
            continue;
        sum += log(figure(document, bo_run_codec(document, codec), label) /
                   figure(document, document->baseline, label));
        n++;
    }
    return n ? exp(sum / n) : NAN;
}

static void add_side_by_side(const struct bo_run *run, const char *format, const char *codec,
                             const char *label, struct bo_grid *grid)
{
    const double known = mean_ratio(run, format, false, codec, label);
    const double held_out = mean_ratio(run, format, true, codec, label);
    bo_grid_ratio(grid, known);
    bo_grid_ratio(grid, held_out);
    bo_grid_ratio(grid, held_out / known);
}

/* The common property of the documents that are not held out. */
static const char *kind_of_others(const struct bo_run *run, const char *format)
{
    for (size_t d = 0; d < run->n_documents; d++)
        if (counts(&run->documents[d], format, false) && !run->documents[d].embedded)
            return "other";
    return "embedded";
}

bool bo_held_out_grid(const struct bo_run *run, const char *format, struct bo_arena *arena,
                      struct bo_grid *grid_ret)
{
    const struct bo_run_document *main = bo_run_document(run, format, NULL);
    if (!main || bo_n_documents(run, format, true) == 0 || bo_n_documents(run, format, false) == 0)
        return false;
    const struct bo_run_codec **codecs;
    const unsigned n = bo_ranked_codecs(main, arena, &codecs);
    const char *label = bo_run_main_label(main), *others = kind_of_others(run, format);
    const char *const what[] = {"bytes", label};
    bo_grid_init(grid_ret, arena, 2);
    bo_grid_texts(grid_ret, "codec", "role", NULL);
    for (unsigned i = 0; i < 2 && what[i]; i++) {
        bo_grid_add(grid_ret, "%s, %s", what[i], others);
        bo_grid_add(grid_ret, "%s, held-out", what[i]);
        bo_grid_add(grid_ret, "%s, held-out over %s", what[i], others);
    }
    bo_grid_end_row(grid_ret);
    for (unsigned c = 0; c < n; c++) {
        bo_grid_texts(grid_ret, bo_codec_cell(arena, codecs[c]), codecs[c]->role, NULL);
        add_side_by_side(run, format, codecs[c]->name, NULL, grid_ret);
        if (label)
            add_side_by_side(run, format, codecs[c]->name, label, grid_ret);
        bo_grid_end_row(grid_ret);
    }
    return true;
}

char *bo_held_out_caption(const struct bo_run *run, const char *format, struct bo_arena *arena)
{
    const struct bo_run_document *main = bo_run_document(run, format, NULL);
    const char *label = main ? bo_run_main_label(main) : NULL;
    const unsigned n = bo_n_documents(run, format, true);
    char *names = bo_arena_printf(arena, "%s", "");
    for (size_t d = 0; d < run->n_documents; d++)
        if (counts(&run->documents[d], format, true))
            names =
                bo_arena_printf(arena, "%s%s%s", names, *names ? ", " : "", run->documents[d].name);
    const unsigned n_others = bo_n_documents(run, format, false);
    return bo_arena_printf(
        arena,
        "%s: geometric means over %u %s document%s and over %u held-out one%s (%s), of bytes%s%s "
        "over those of %s on the same document",
        format, n_others, kind_of_others(run, format), n_others == 1 ? "" : "s", n,
        n == 1 ? "" : "s", names, label ? " and of the time of " : "", label ? label : "",
        bo_named_with_role(arena, main ? main->baseline : NULL));
}
