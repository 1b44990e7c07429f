/* Readers of one encoding, and ratios of two codecs' figures. */
#include "bench/report/paths.h"

#include <math.h>
#include <string.h>

#include "bench/report/figure.h"
#include "harness/core/print.h"
#include "harness/registry.h"

static const struct bo_codec *known_codec(const struct bo_run_document *document, const char *name)
{
    const struct bo_format *format = bo_find_format(document->format);
    return format ? bo_find_codec(format, name) : NULL;
}

bool bo_runs_path(const struct bo_run_codec *codec)
{
    return codec->path && strcmp(codec->path, "-") != 0;
}

bool bo_is_portable(const struct bo_run_document *document, const struct bo_run_codec *codec)
{
    const struct bo_codec *known = known_codec(document, codec->name);
    return bo_runs_path(codec) ? strcmp(codec->path, "portable") == 0 : known && !known->paths;
}

/* A codec missing in the registry is assumed to have no other code. */
static bool has_other_code(const struct bo_run_document *document, const struct bo_run_codec *codec)
{
    const struct bo_codec *known = known_codec(document, codec->name);
    return bo_runs_path(codec) ? strcmp(codec->path, "portable") != 0 : known && known->paths;
}

bool bo_is_path(const struct bo_run_document *document, const struct bo_run_codec *codec)
{
    const struct bo_codec *known = known_codec(document, codec->name);
    const struct bo_codec *of =
        known ? bo_encoding_of(bo_find_format(document->format), known) : NULL;
    return of && known != of && known->paths != of->paths && !(known->paths & ~of->paths);
}

bool bo_has_paths(const struct bo_run_document *document)
{
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (has_other_code(document, &document->codecs[c]))
            return true;
    return false;
}

/*
 * The codec's row under a label in portable C: that of its portable variant; else its own, if it
 * ran as portable C; else that of one of its paths that did. NULL if none was measured.
 */
static const struct bo_run_row *portable_row(const struct bo_run_document *document,
                                             const struct bo_run_codec *codec, const char *label)
{
    const struct bo_run_row *row = bo_run_variant_row(document, codec, BO_PORTABLE, label);
    if (row || bo_is_portable(document, codec))
        return row ? row : bo_run_row(document, codec, label);
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const struct bo_run_codec *path = &document->codecs[c];
        if (path != codec && bo_same_encoding(path, codec) && bo_is_path(document, path) &&
            bo_is_portable(document, path))
            return bo_run_row(document, path, label);
    }
    return NULL;
}

char *bo_portable_cell(struct bo_arena *arena, const struct bo_run_document *document,
                       const struct bo_run_codec *codec, const struct bo_figure *figure,
                       double unit)
{
    const bool depends = bo_is_time(figure) || figure->kind == BO_UNIT_RATE;
    if (!depends || !has_other_code(document, codec) ||
        isnan(bo_figure_value(document, codec, figure)))
        return bo_arena_printf(arena, "%s", "");
    const struct bo_run_row *row = portable_row(document, codec, figure->label);
    if (row && row->failure)
        return bo_arena_printf(arena, " (failed)");
    return bo_arena_printf(arena, " (%s)",
                           bo_significant(arena, bo_figure_of_row(document, row, figure) / unit));
}

/* ---- ratios ---------------------------------------------------------------------------------- */

struct bo_mean_ratio bo_figure_range(const struct bo_run_document *document, const char *name,
                                     const struct bo_figure *figure, bool portable)
{
    const struct bo_run_codec *codec = bo_run_codec(document, name);
    const struct bo_run_row *row = portable && codec ? portable_row(document, codec, figure->label)
                                                     : bo_run_row(document, codec, figure->label);
    const double v = portable && figure->label ? bo_figure_of_row(document, row, figure)
                     : codec                   ? bo_figure_value(document, codec, figure)
                                               : NAN;
    if ((figure->kind == BO_COUNTER || figure->kind == BO_COUNTER_PER_UNIT) && v < 1)
        return (struct bo_mean_ratio){1, 1, 1};
    if (!bo_is_time(figure) || !(v > 0))
        return (struct bo_mean_ratio){v, v, v};
    return (struct bo_mean_ratio){v, v * row->interval.low / row->median_ns,
                                  v * row->interval.high / row->median_ns};
}

struct bo_mean_ratio bo_figure_over(const struct bo_run_document *const *documents, unsigned n,
                                    const char *codec, const char *other,
                                    const struct bo_figure *figure, bool portable)
{
    struct bo_mean_ratio sum = {0, 0, 0};
    for (unsigned d = 0; d < n; d++) {
        const struct bo_mean_ratio a = bo_figure_range(documents[d], codec, figure, portable);
        const struct bo_mean_ratio b = bo_figure_range(documents[d], other, figure, portable);
        sum.ratio += log(a.ratio / b.ratio) / n;
        sum.low += log(a.low / b.high) / n;
        sum.high += log(a.high / b.low) / n;
    }
    return (struct bo_mean_ratio){exp(sum.ratio), exp(sum.low), exp(sum.high)};
}

struct bo_mean_ratio bo_bytes_over(const struct bo_run_document *const *documents, unsigned n,
                                   const char *codec, const char *other)
{
    return bo_figure_over(documents, n, codec, other,
                          &(struct bo_figure){"bytes", BO_SIZE_PER_UNIT, NULL, NULL}, false);
}

struct bo_mean_ratio bo_time_over(const struct bo_run_document *const *documents, unsigned n,
                                  const char *codec, const char *other, const char *label,
                                  bool portable)
{
    return bo_figure_over(documents, n, codec, other,
                          &(struct bo_figure){label, BO_TIME, label, NULL}, portable);
}

bool bo_is_difference(const struct bo_mean_ratio *ratio)
{
    return !isnan(ratio->ratio) && !(ratio->low <= 1 && ratio->high >= 1);
}

/* ---- readers --------------------------------------------------------------------------------- */

const struct bo_run_codec *bo_fastest_reader(const struct bo_run_document *const *documents,
                                             unsigned n, const struct bo_run_codec *codec,
                                             const char *label, bool portable)
{
    const struct bo_run_codec *fastest = NULL;
    for (unsigned c = 0; c < documents[0]->n_codecs; c++) {
        const struct bo_run_codec *reader = &documents[0]->codecs[c];
        if (reader->is_noop || !bo_same_encoding(reader, codec) ||
            bo_is_path(documents[0], reader) ||
            isnan(bo_time_over(documents, n, reader->name, reader->name, label, portable).ratio))
            continue;
        if (!fastest ||
            bo_time_over(documents, n, reader->name, fastest->name, label, portable).ratio < 1)
            fastest = reader;
    }
    return fastest;
}

bool bo_portable_failed(const struct bo_run_document *const *documents, unsigned n,
                        const struct bo_run_codec *codec, const char *label)
{
    for (unsigned d = 0; d < n; d++)
        for (unsigned c = 0; c < documents[d]->n_codecs; c++) {
            const struct bo_run_codec *reader = &documents[d]->codecs[c];
            const struct bo_run_row *row =
                bo_same_encoding(reader, codec) ? portable_row(documents[d], reader, label) : NULL;
            if (row && row->failure)
                return true;
        }
    return false;
}
