/* Writes the input of the scripts in bench/report/plots, and runs gnuplot. */
#include "bench/report/canvas.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/report/assets.h"
#include "harness/core/print.h"

/* ---- gnuplot --------------------------------------------------------------------------------- */

/*
 * Returns the exit code, 127 if there is no gnuplot, or -1. Spawned, because fork would copy the
 * page tables of all results.
 */
static int run_between(int in, int out)
{
    static char name[] = "gnuplot";
    char *const argv[] = {name, NULL};
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status;
    if (posix_spawn_file_actions_init(&files))
        return -1;
    int failure = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (!failure)
        failure = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (!failure)
        failure = posix_spawnp(&pid, name, &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failure)
        return failure == ENOENT ? 127 : -1;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The end of the picture at `p`; NULL when it is incomplete. */
static const char *end_of_picture(const char *p, const char *end)
{
    static const char last[] = "</svg>\n\n";
    const char *found = memmem(p, (size_t)(end - p), last, sizeof last - 1);
    return found ? found + sizeof last - 1 : NULL;
}

/* Writes the pictures. Returns the number written. */
static size_t save(int fd, const char *const *paths, size_t n_paths)
{
    struct stat st;
    if (fstat(fd, &st) || st.st_size == 0)
        return 0;
    const size_t nbytes = (size_t)st.st_size;
    char *map = mmap(NULL, nbytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return 0;
    size_t n = 0;
    const char *p = end_of_picture(map, map + nbytes), *next;
    while (p && n < n_paths && (next = end_of_picture(p, map + nbytes)) &&
           bo_output(paths[n], (struct bo_span){(const uint8_t *)p, (size_t)(next - p)})) {
        p = next;
        n++;
    }
    munmap(map, nbytes);
    return n;
}

/*
 * Runs gnuplot between two files in memory, so that no path needs quoting and no picture is
 * half-written. One process draws all pictures, since starting it takes three times as long as
 * drawing one. Drops the first picture, and writes the others to the paths. False after a message
 * that names the first picture that was not drawn.
 */
static bool run_gnuplot(const char *script, const char *const *paths, size_t n_paths)
{
    const int in = memfd_create("script", MFD_CLOEXEC), out = memfd_create("pictures", MFD_CLOEXEC);
    int code = -1;
    if (in >= 0 && out >= 0 && dprintf(in, "%s", script) >= 0 && lseek(in, 0, SEEK_SET) == 0)
        code = run_between(in, out);
    const size_t n = code == 127 || out < 0 ? 0 : save(out, paths, n_paths);
    if (code == 127 && n_paths)
        fprintf(stderr, "bakeoff: %s: gnuplot is not installed; `make deps` installs it\n",
                paths[0]);
    else if (n < n_paths)
        fprintf(stderr, "bakeoff: %s: gnuplot drew no picture (exit code %d)\n", paths[n], code);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
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
