/* The matrix, and a table for each axis. */
#include "bench/report/axes.h"

#include <math.h>
#include <string.h>

#include "bench/measure/axes.h"
#include "bench/report/comparison.h"
#include "bench/report/figure.h"

/* Codecs, one for each distinct part. */
struct parts {
    const struct bo_run_codec **codecs;
    unsigned n;
};

static bool same_first(const char *a, const char *b)
{
    const size_t n = bo_first_part_length(a);
    return n == bo_first_part_length(b) && memcmp(a, b, n) == 0;
}

static bool same_second(const char *a, const char *b)
{
    return strcmp(bo_second_part(a), bo_second_part(b)) == 0;
}

/* The distinct parts of the codecs that have two. */
static struct parts find_parts(const struct bo_run_document *document, struct bo_arena *arena,
                               bool (*same)(const char *a, const char *b))
{
    struct parts parts;
    const unsigned n = bo_ranked_codecs(document, arena, &parts.codecs);
    parts.n = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct bo_run_codec *codec = parts.codecs[i];
        bool known = !bo_second_part(codec->name);
        for (unsigned p = 0; p < parts.n && !known; p++)
            known = same(parts.codecs[p]->name, codec->name);
        if (!known)
            parts.codecs[parts.n++] = codec; /* never overwrites the codec in use */
    }
    return parts;
}

/* The document's first codec of two parts, in the order of the format. */
static const char *fixed_codec(const struct bo_run_document *document)
{
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (bo_second_part(document->codecs[c].name))
            return document->codecs[c].name;
    return NULL;
}

bool bo_has_axes(const struct bo_run_document *document)
{
    return fixed_codec(document) != NULL;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

/* "12.3 B; 45.6 ns" */
static char *matrix_cell(struct bo_arena *arena, const struct bo_run_document *document,
                         const struct bo_run_codec *codec)
{
    const struct bo_run_row *row =
        codec ? bo_run_row(document, codec, bo_run_main_label(document)) : NULL;
    if (!codec || bo_run_refusal(codec))
        return bo_arena_printf(arena, "-");
    if (!codec->has_bytes || (row && row->failure))
        return bo_arena_printf(arena, "failed");
    const struct bo_time_unit unit = bo_time_unit_for(row ? row->median_ns : NAN);
    return bo_arena_printf(arena, "%s; %s %s", bo_per_unit_cell(arena, document, codec),
                           bo_significant(arena, row ? row->median_ns / unit.ns : NAN), unit.name);
}

static const struct bo_run_codec *crossing(const struct bo_run_document *document,
                                           const char *first, const char *second)
{
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const char *name = document->codecs[c].name;
        if (bo_second_part(name) && same_first(name, first) && same_second(name, second))
            return &document->codecs[c];
    }
    return NULL;
}

void bo_axes_matrix(const struct bo_run_document *document, struct bo_arena *arena,
                    struct bo_grid *grid_ret)
{
    const struct parts lines = find_parts(document, arena, same_first);
    const struct parts columns = find_parts(document, arena, same_second);
    bo_grid_init(grid_ret, arena, 1);
    for (unsigned l = 0; l < lines.n; l++) {
        const char *first = lines.codecs[l]->name;
        bo_grid_column(grid_ret, "",
                       bo_arena_printf(arena, "%.*s%s", (int)bo_first_part_length(first), first,
                                       lines.codecs[l]->probabilistic ? " (~)" : ""));
        for (unsigned c = 0; c < columns.n; c++) {
            const char *second = columns.codecs[c]->name;
            bo_grid_column(grid_ret, bo_second_part(second),
                           matrix_cell(arena, document, crossing(document, first, second)));
        }
        bo_grid_end_row(grid_ret);
    }
}

/* ---- one axis -------------------------------------------------------------------------------- */

static bool is_on_axis(const char *codec, const char *fixed, bool first)
{
    if (!bo_second_part(codec))
        return first;
    return first ? same_second(codec, fixed) : same_first(codec, fixed);
}

void bo_axis_grid(const struct bo_run_document *document, const struct bo_axes *axes, bool first,
                  struct bo_arena *arena, struct bo_grid *grid_ret)
{
    const struct bo_figure *figures = first ? axes->first_figures : axes->second_figures;
    const struct bo_run_codec **codecs;
    const unsigned n = bo_ranked_codecs(document, arena, &codecs);
    const char *fixed = fixed_codec(document);
    bo_grid_init(grid_ret, arena, 2);
    for (unsigned i = 0; i < n; i++) {
        if (!fixed || !is_on_axis(codecs[i]->name, fixed, first))
            continue;
        bo_grid_column(grid_ret, "codec", bo_codec_cell(arena, codecs[i]));
        bo_grid_column(grid_ret, "role", codecs[i]->role);
        for (const struct bo_figure *f = figures; f->heading; f++)
            if (bo_figure_known(document, f))
                bo_grid_column(grid_ret, f->heading, bo_figure_cell(arena, document, codecs[i], f));
        bo_grid_end_row(grid_ret);
    }
}

/* ---- the page -------------------------------------------------------------------------------- */

void bo_page_axes(const struct bo_page *page, const struct bo_run_document *document,
                  const struct bo_axes *axes)
{
    struct bo_grid grid;
    const char *fixed = fixed_codec(document), *note = bo_mark_note(document, page->arena);
    const char *label = bo_run_main_label(document);
    if (!fixed)
        return;
    fprintf(page->out,
            "\n**Both, %s.** One line per %s, one column per coding of the %s. A cell has the "
            "bytes per %s of the whole file and the median time of `%s`.\n\n",
            document->name, axes->first, axes->second, bo_unit_text(page->arena, document),
            label ? label : "no query");
    bo_axes_matrix(document, page->arena, &grid);
    bo_page_grid(page, &grid, "both parts");
    if (note)
        fprintf(page->out, "\n%s\n", note);
    fprintf(page->out,
            "\n**The %s alone, %s.** The %s are %s in all lines; `%s, B` counts the other "
            "bytes.\n\n",
            axes->first, document->name, axes->second, bo_second_part(fixed), axes->first);
    bo_axis_grid(document, axes, true, page->arena, &grid);
    bo_page_grid(page, &grid, axes->first);
    fprintf(page->out, "\n**The %s alone, %s.** The %s is %.*s in all lines.\n\n", axes->second,
            document->name, axes->first, (int)bo_first_part_length(fixed), fixed);
    bo_axis_grid(document, axes, false, page->arena, &grid);
    bo_page_grid(page, &grid, axes->second);
}
