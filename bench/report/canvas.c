/* What scripts of bench/report/plots read. */
#include "bench/report/canvas.h"

#include <math.h>
#include <stdlib.h>

#include "bench/report/assets.h"
#include "bench/report/gnuplot.h"

void bo_picture_begin(struct bo_picture *picture, const char *title)
{
    picture->out = open_memstream(&picture->text, &picture->nbytes);
    if (!picture->out)
        abort();
    bo_picture_number(picture, "width", BO_PICTURE_WIDTH);
    bo_picture_number(picture, "height", BO_PICTURE_HEIGHT);
    bo_picture_number(picture, "left", BO_PICTURE_LEFT);
    bo_picture_number(picture, "right", BO_PICTURE_RIGHT);
    bo_picture_number(picture, "top", BO_PICTURE_TOP);
    bo_picture_number(picture, "bottom", BO_PICTURE_BOTTOM);
    bo_picture_number(picture, "font", BO_PICTURE_FONT);
    bo_picture_number(picture, "glyph", BO_GLYPH_WIDTH);
    bo_picture_text(picture, "title", title);
}

void bo_picture_number(struct bo_picture *picture, const char *name, double v)
{
    fprintf(picture->out, "%s = real(%.17g)\n", name, v);
}

void bo_picture_text(struct bo_picture *picture, const char *name, const char *text)
{
    fprintf(picture->out, "%s = '", name);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', picture->out);
        putc(*text < ' ' && *text >= 0 ? ' ' : *text, picture->out);
    }
    fputs("'\n", picture->out);
}

void bo_picture_table(struct bo_picture *picture, const char *name)
{
    fprintf(picture->out, "$%s << END\n", name);
}

void bo_picture_table_end(struct bo_picture *picture)
{
    fputs("END\n", picture->out);
}

void bo_picture_cell(struct bo_picture *picture, const char *text)
{
    putc('"', picture->out);
    for (; *text; text++)
        putc(*text == '"' ? '\'' : *text, picture->out);
    putc('"', picture->out);
}

bool bo_picture_draw(struct bo_picture *picture, const char *script, const char *path)
{
    fprintf(picture->out, "%s%s", bo_plot_common_gp, script);
    fclose(picture->out);
    const bool ok = bo_gnuplot(picture->text, path);
    free(picture->text);
    return ok;
}

/* ---- logarithmic axes ------------------------------------------------------------------------ */

void bo_scale_widen(struct bo_scale *scale, double v)
{
    scale->low = v < scale->low ? v : scale->low;
    scale->high = v > scale->high ? v : scale->high;
}

struct bo_scale bo_scale_padded(struct bo_scale scale, double share)
{
    const double octaves = log2(scale.high / scale.low);
    const double pad = exp2(fmax(share * octaves, 0.2));
    return (struct bo_scale){scale.low / pad, scale.high * pad};
}

double bo_scale_position(struct bo_scale scale, double v)
{
    return log(v / scale.low) / log(scale.high / scale.low);
}

void bo_picture_scale(struct bo_picture *picture, const char *name, struct bo_scale scale)
{
    fprintf(picture->out, "%s_low = real(%.9g)\n%s_high = real(%.9g)\n", name, scale.low, name,
            scale.high);
}
