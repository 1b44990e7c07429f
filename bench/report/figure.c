/* Looks figures up. */
#include "bench/report/figure.h"

#include <math.h>
#include <string.h>

#include "bench/report/fields.h"
#include "harness/core/print.h"

static double per_unit(const struct bo_run_document *document, double v)
{
    return document->n_units ? v / (double)document->n_units : NAN;
}

/* Bytes of the sections that are not of the second part. */
static double first_part_nbytes(const struct bo_run_codec *codec, const char *second_sections)
{
    const struct bo_pairs *sections = &codec->size->sections;
    double sum = sections->n ? 0 : NAN;
    for (unsigned i = 0; i < sections->n; i++)
        if (!bo_is_listed(second_sections, sections->items[i].name))
            sum += sections->items[i].number;
    return sum;
}

double bo_figure_of_row(const struct bo_run_document *document, const struct bo_run_row *row,
                        const struct bo_figure *figure)
{
    if (!row || !row->n || row->failure)
        return NAN;
    switch (figure->kind) {
    case BO_TIME:
        return row->median_ns;
    case BO_TIME_PER_UNIT:
        return per_unit(document, row->median_ns);
    case BO_COUNTER:
        return bo_run_counter(row, figure->counter);
    case BO_COUNTER_PER_UNIT:
        return per_unit(document, bo_run_counter(row, figure->counter));
    case BO_UNIT_RATE:
        return bo_pair_number(&document->sizes.units, figure->counter) / row->median_ns;
    default:
        return NAN;
    }
}

double bo_figure_value(const struct bo_run_document *document, const struct bo_run_codec *codec,
                       const struct bo_figure *figure)
{
    switch (figure->kind) {
    case BO_SIZE_PER_UNIT:
        return codec->has_bytes ? per_unit(document, (double)codec->bytes) : NAN;
    case BO_OUTER_PER_UNIT:
        return per_unit(document, bo_pair_number(&codec->size->compressed, figure->counter));
    case BO_FIRST_PART_PER_UNIT:
        return per_unit(document, first_part_nbytes(codec, figure->counter));
    default:
        return bo_figure_of_row(document, bo_run_row(document, codec, figure->label), figure);
    }
}

bool bo_is_time(const struct bo_figure *figure)
{
    return figure->kind == BO_TIME || figure->kind == BO_TIME_PER_UNIT;
}

char *bo_figure_cell(struct bo_arena *arena, const struct bo_run_document *document,
                     const struct bo_run_codec *codec, const struct bo_figure *figure)
{
    const struct bo_run_row *row = bo_run_row(document, codec, figure->label);
    if (bo_run_refusal(codec))
        return bo_arena_printf(arena, "-");
    if ((row && row->failure) || strcmp(codec->size->status, "ok") != 0)
        return bo_arena_printf(arena, "failed");
    return bo_significant(arena, bo_figure_value(document, codec, figure));
}

bool bo_figure_known(const struct bo_run_document *document, const struct bo_figure *figure)
{
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (!document->codecs[c].is_noop &&
            !isnan(bo_figure_value(document, &document->codecs[c], figure)))
            return true;
    return false;
}
