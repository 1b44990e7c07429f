/* Looking figures up. */
#include "bench/report/figure.h"

#include <math.h>
#include <string.h>

#include "harness/core/print.h"

static double per_unit(const struct bo_run_document *document, double v)
{
    return document->n_units ? v / (double)document->n_units : NAN;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* Bytes of the sections that are not of the second part. */
static double first_part_nbytes(const struct bo_run_codec *codec,
                                const char *const *second_sections)
{
    const json_t *sections = json_object_get(codec->size, "sections");
    const char *name;
    json_t *nbytes;
    double sum = json_is_object(sections) ? 0 : NAN;
    json_object_foreach((json_t *)sections, name, nbytes)
    {
        if (!is_one_of(name, second_sections))
            sum += json_number_value(nbytes);
    }
    return sum;
}

static double outer_nbytes(const struct bo_run_codec *codec, const char *compressor)
{
    const json_t *nbytes = json_object_get(codec->size, compressor);
    return json_is_number(nbytes) ? json_number_value(nbytes) : NAN;
}

/* How many of its units of this name the document has. */
static double unit_count(const struct bo_run_document *document, const char *unit)
{
    const json_t *n = json_object_get(json_object_get(document->sizes, "units"), unit);
    return json_is_number(n) ? json_number_value(n) : NAN;
}

double bo_figure_value(const struct bo_run_document *document, const struct bo_run_codec *codec,
                       const struct bo_figure *figure, const char *const *second_sections)
{
    const struct bo_run_row *row = bo_run_row(document, codec, figure->label);
    const bool sound = row && row->n && !row->failure;
    switch (figure->kind) {
    case BO_TIME:
        return sound ? row->median_ns : NAN;
    case BO_TIME_PER_UNIT:
        return sound ? per_unit(document, row->median_ns) : NAN;
    case BO_COUNTER:
        return sound ? bo_run_counter(row, figure->counter) : NAN;
    case BO_COUNTER_PER_UNIT:
        return sound ? per_unit(document, bo_run_counter(row, figure->counter)) : NAN;
    case BO_UNIT_RATE:
        return sound ? unit_count(document, figure->counter) / row->median_ns : NAN;
    case BO_SIZE_PER_UNIT:
        return codec->has_bytes ? per_unit(document, (double)codec->bytes) : NAN;
    case BO_OUTER_PER_UNIT:
        return per_unit(document, outer_nbytes(codec, figure->counter));
    default:
        return per_unit(document, first_part_nbytes(codec, second_sections));
    }
}

char *bo_figure_cell(struct bo_arena *arena, const struct bo_run_document *document,
                     const struct bo_run_codec *codec, const struct bo_figure *figure,
                     const char *const *second_sections)
{
    const struct bo_run_row *row = bo_run_row(document, codec, figure->label);
    const char *status = json_string_value(json_object_get(codec->size, "status"));
    if (bo_run_refusal(codec))
        return bo_arena_printf(arena, "-");
    if ((row && row->failure) || (status && strcmp(status, "ok") != 0))
        return bo_arena_printf(arena, "failed");
    return bo_significant(arena, bo_figure_value(document, codec, figure, second_sections));
}

bool bo_figure_known(const struct bo_run_document *document, const struct bo_figure *figure,
                     const char *const *second_sections)
{
    for (unsigned c = 0; c < document->n_codecs; c++)
        if (!document->codecs[c].is_noop &&
            !isnan(bo_figure_value(document, &document->codecs[c], figure, second_sections)))
            return true;
    return false;
}
