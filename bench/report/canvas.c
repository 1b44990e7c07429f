/* Writes the input of the scripts in bench/report/plots. */
#include "bench/report/canvas.h"

#include <math.h>
#include <stdlib.h>

#include "bench/report/assets.h"
#include "bench/report/gnuplot.h"
#include "bench/runs/run.h"
#include "harness/core/print.h"

void bo_drawing_begin(struct bo_drawing *drawing, struct bo_arena *arena)
{
    *drawing = (struct bo_drawing){.arena = arena};
    drawing->out = open_memstream(&drawing->text, &drawing->nbytes);
    if (!drawing->out)
        abort();
    /*
     * A first picture that is dropped: gnuplot starts a picture with the last colour of the
     * previous one.
     */
    bo_picture_begin(drawing, NULL, "");
    bo_picture_end(drawing, "plot [0:1] [0:1] 2 notitle\n");
}

bool bo_drawing_end(struct bo_drawing *drawing)
{
    fclose(drawing->out);
    const bool ok = drawing->n == 0 || bo_gnuplot(drawing->text, drawing->paths, drawing->n);
    free(drawing->text);
    return ok;
}

void bo_picture_begin(struct bo_drawing *drawing, const char *path, const char *title)
{
    if (path) {
        bo_abort_unless(bo_grow(drawing->arena, &drawing->paths, drawing->n, 1, &drawing->cap));
        drawing->paths[drawing->n++] = bo_arena_printf(drawing->arena, "%s", path);
    }
    fputs("reset session\n", drawing->out);
    bo_picture_number(drawing, "width", BO_PICTURE_WIDTH);
    bo_picture_number(drawing, "height", BO_PICTURE_HEIGHT);
    bo_picture_number(drawing, "left", BO_PICTURE_LEFT);
    bo_picture_number(drawing, "right", BO_PICTURE_RIGHT);
    bo_picture_number(drawing, "top", BO_PICTURE_TOP);
    bo_picture_number(drawing, "bottom", BO_PICTURE_BOTTOM);
    bo_picture_number(drawing, "font", BO_PICTURE_FONT);
    bo_picture_number(drawing, "glyph", BO_GLYPH_WIDTH);
    bo_picture_text(drawing, "title", title);
}

void bo_picture_number(struct bo_drawing *drawing, const char *name, double v)
{
    fprintf(drawing->out, "%s = real(%.17g)\n", name, v);
}

void bo_picture_text(struct bo_drawing *drawing, const char *name, const char *text)
{
    fprintf(drawing->out, "%s = '", name);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', drawing->out);
        putc(*text < ' ' && *text >= 0 ? ' ' : *text, drawing->out);
    }
    fputs("'\n", drawing->out);
}

void bo_picture_table(struct bo_drawing *drawing, const char *name)
{
    fprintf(drawing->out, "$%s << END\n", name);
}

void bo_picture_table_end(struct bo_drawing *drawing)
{
    fputs("END\n", drawing->out);
}

void bo_picture_cell(struct bo_drawing *drawing, const char *text)
{
    putc('"', drawing->out);
    for (; *text; text++)
        putc(*text == '"' ? '\'' : *text, drawing->out);
    putc('"', drawing->out);
}

void bo_picture_end(struct bo_drawing *drawing, const char *script)
{
    fprintf(drawing->out, "%s%s", bo_plot_common_gp, script);
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

void bo_picture_scale(struct bo_drawing *drawing, const char *name, struct bo_scale scale)
{
    fprintf(drawing->out, "%s_low = real(%.9g)\n%s_high = real(%.9g)\n", name, scale.low, name,
            scale.high);
}
