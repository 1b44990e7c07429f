/* Writes the input of the scripts in bench/report/plots, and runs gnuplot. */
#include "bench/report/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/report/assets.h"
#include "harness/core/print.h"

/* ---- gnuplot --------------------------------------------------------------------------------- */

/* Drops the first picture, and writes the others to the paths. Returns the number written. */
static size_t save(const char *p, const char *const *paths, size_t n_paths)
{
    static const char last[] = "</svg>\n\n";
    size_t n = 0; /* with the first one */
    for (const char *end; n <= n_paths && (end = strstr(p, last)); p = end, n++) {
        end += strlen(last);
        if (n && !bo_output(paths[n - 1], (struct bo_span){(const uint8_t *)p, (size_t)(end - p)}))
            break;
    }
    return n ? n - 1 : 0;
}

/*
 * Runs gnuplot between a file in memory and a pipe, so that no path needs quoting and no picture is
 * half-written. One process draws all pictures, since starting it takes three times as long as
 * drawing one. False after a message that names the first picture that was not drawn.
 */
static bool run_gnuplot(const char *script, const char *const *paths, size_t n_paths)
{
    const int in = memfd_create("script", 0);
    char command[80], *pictures = NULL;
    size_t n = 0, cap = 0;
    int status = -1;
    snprintf(command, sizeof command,
             "command -v gnuplot >/dev/null || exit 127; exec gnuplot </dev/fd/%d", in);
    FILE *out = in >= 0 && dprintf(in, "%s", script) >= 0 ? popen(command, "r") : NULL;
    if (out) {
        if (getdelim(&pictures, &cap, 0, out) > 0)
            n = save(pictures, paths, n_paths);
        status = pclose(out);
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == 127)
        fprintf(stderr, "bakeoff: %s: gnuplot is not installed; `make deps` installs it\n",
                paths[0]);
    else if (n < n_paths)
        fprintf(stderr, "bakeoff: %s: gnuplot drew no picture (exit code %d)\n", paths[n], code);
    free(pictures);
    if (in >= 0)
        close(in);
    return n == n_paths;
}

/* ---- pictures -------------------------------------------------------------------------------- */

void bo_drawing_begin(struct bo_drawing *drawing, struct bo_arena *arena)
{
    *drawing = (struct bo_drawing){.arena = arena};
    drawing->out = bo_memory_open(&drawing->script);
    /*
     * A first picture that is dropped: gnuplot starts a picture with the last colour of the
     * previous one.
     */
    bo_picture_begin(drawing, NULL, "");
    bo_picture_end(drawing, "plot [0:1] [0:1] 2 notitle\n");
}

bool bo_drawing_end(struct bo_drawing *drawing)
{
    const char *script = (const char *)bo_memory_bytes(&drawing->script).p;
    const bool ok = drawing->n == 0 || run_gnuplot(script, drawing->paths, drawing->n);
    bo_memory_free(&drawing->script);
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

size_t bo_picture_names(struct bo_drawing *drawing, const char *const *names, size_t n)
{
    size_t longest = 0;
    bo_picture_table(drawing, "names");
    for (size_t i = 0; i < n; i++) {
        longest = strlen(names[i]) > longest ? strlen(names[i]) : longest;
        bo_picture_cell(drawing, names[i]);
        putc('\n', drawing->out);
    }
    bo_picture_table_end(drawing);
    return longest;
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
