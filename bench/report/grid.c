/* Grids and their forms. */
#include "bench/report/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/print.h"

void bo_grid_init(struct bo_grid *grid, struct bo_arena *arena, unsigned n_left)
{
    *grid = (struct bo_grid){.arena = arena, .n_left = n_left};
}

static void make_room(struct bo_grid *grid, size_t n)
{
    bo_abort_unless(bo_grow(grid->arena, &grid->cells, grid->n_cells, n, &grid->cap) &&
                    bo_grow(grid->arena, &grid->values, grid->n_cells, n, &grid->values_cap));
}

void bo_grid_add(struct bo_grid *grid, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    bo_abort_unless(vasprintf(&text, format, args) >= 0);
    va_end(args);
    make_room(grid, 1);
    grid->values[grid->n_cells] = NAN;
    grid->cells[grid->n_cells++] = bo_arena_printf(grid->arena, "%s", text);
    free(text);
}

static void add_texts(struct bo_grid *grid, va_list texts)
{
    for (const char *text; (text = va_arg(texts, const char *));)
        bo_grid_add(grid, "%s", text);
}

void bo_grid_begin(struct bo_grid *grid, struct bo_arena *arena, unsigned n_left, ...)
{
    va_list headings;
    bo_grid_init(grid, arena, n_left);
    va_start(headings, n_left);
    add_texts(grid, headings);
    va_end(headings);
    bo_grid_end_row(grid);
}

void bo_grid_texts(struct bo_grid *grid, ...)
{
    va_list texts;
    va_start(texts, grid);
    add_texts(grid, texts);
    va_end(texts);
}

void bo_grid_column(struct bo_grid *grid, const char *heading, const char *text)
{
    if (grid->n_columns == 0) {
        bo_abort_unless(
            bo_grow(grid->arena, &grid->headings, grid->n_headings, 1, &grid->headings_cap));
        grid->headings[grid->n_headings++] = heading;
    }
    bo_grid_add(grid, "%s", text);
}

void bo_grid_value(struct bo_grid *grid, double v)
{
    grid->values[grid->n_cells - 1] = v;
}

/* Moves the headings of the first row's columns before it. */
static void insert_headings(struct bo_grid *grid)
{
    const size_t n = grid->n_cells;
    bo_abort_unless(grid->n_headings == n);
    make_room(grid, n);
    for (size_t c = 0; c < n; c++) {
        grid->cells[n + c] = grid->cells[c];
        grid->values[n + c] = grid->values[c];
        grid->cells[c] = grid->headings[c];
        grid->values[c] = NAN;
    }
    grid->n_cells += n;
}

void bo_grid_end_row(struct bo_grid *grid)
{
    if (grid->n_columns == 0) {
        grid->n_columns = (unsigned)grid->n_cells;
        if (grid->n_headings)
            insert_headings(grid);
    }
    bo_abort_unless(grid->n_columns && grid->n_cells % grid->n_columns == 0);
}

size_t bo_grid_n_rows(const struct bo_grid *grid)
{
    return grid->n_columns ? grid->n_cells / grid->n_columns : 0;
}

static const char *cell_at(const struct bo_grid *grid, size_t row, unsigned column)
{
    return grid->cells[row * grid->n_columns + column];
}

char *bo_fixed(struct bo_arena *arena, double v, int n_decimals)
{
    return isfinite(v) ? bo_arena_printf(arena, "%.*f", n_decimals, v)
                       : bo_arena_printf(arena, "-");
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void print_markdown_cell(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '|')
            putc('\\', out);
        putc(*text == '\n' ? ' ' : *text, out);
    }
}

void bo_grid_markdown(const struct bo_grid *grid, FILE *out)
{
    const size_t n_rows = bo_grid_n_rows(grid);
    for (size_t r = 0; r < n_rows; r++) {
        for (unsigned c = 0; c < grid->n_columns; c++) {
            fputs("| ", out);
            print_markdown_cell(cell_at(grid, r, c), out);
            putc(' ', out);
        }
        fputs("|\n", out);
        for (unsigned c = 0; r == 0 && c < grid->n_columns; c++)
            fputs(c < grid->n_left ? "|---" : "|---:", out);
        if (r == 0)
            fputs("|\n", out);
    }
}

/* ---- HTML ------------------------------------------------------------------------------------ */

static void print_html(const char *text, size_t n, FILE *out)
{
    for (; n--; text++) {
        const char *plain = *text == '<'    ? "&lt;"
                            : *text == '>'  ? "&gt;"
                            : *text == '&'  ? "&amp;"
                            : *text == '"'  ? "&quot;"
                            : *text == '\n' ? " "
                                            : NULL;
        if (plain)
            fputs(plain, out);
        else
            putc(*text, out);
    }
}

void bo_print_html(const char *text, FILE *out)
{
    print_html(text, strlen(text), out);
}

/* "[text](target)" and "*text*". Text in brackets after a figure is smaller. */
static void print_html_cell(const char *text, FILE *out)
{
    const size_t n = strlen(text);
    const char *middle = strstr(text, "]("), *interval = strstr(text, " [");
    if (*text == '[' && middle && text[n - 1] == ')') {
        fputs("<a href=\"", out);
        print_html(middle + 2, n - 1 - (size_t)(middle + 2 - text), out);
        fputs("\">", out);
        print_html(text + 1, (size_t)(middle - text) - 1, out);
        fputs("</a>", out);
    } else if (n > 2 && *text == '*' && text[n - 1] == '*') {
        fputs("<em>", out);
        print_html(text + 1, n - 2, out);
        fputs("</em>", out);
    } else if (interval) {
        print_html(text, (size_t)(interval - text), out);
        fputs(" <small>", out);
        bo_print_html(interval + 1, out);
        fputs("</small>", out);
    } else {
        bo_print_html(text, out);
    }
}

/* Longer texts may break into lines. */
enum { LONG_CELL = 36 };

void bo_grid_html(const struct bo_grid *grid, const char *name, FILE *out)
{
    const size_t n_rows = bo_grid_n_rows(grid);
    fprintf(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    bo_print_html(name, out);
    fprintf(out, "\"><table data-left=\"%u\">\n", grid->n_left);
    for (size_t r = 0; r < n_rows; r++) {
        fputs(r == 0 ? "<thead><tr>" : r == 1 ? "<tbody><tr>" : "<tr>", out);
        for (unsigned c = 0; c < grid->n_columns; c++) {
            const char *tag = r == 0 || c == 0 ? "th" : "td";
            const double v = grid->values[r * grid->n_columns + c];
            fprintf(out, "<%s", tag);
            if (r == 0 || c == 0)
                fputs(r == 0 ? " scope=\"col\"" : " scope=\"row\"", out);
            else if (c < grid->n_left && strlen(cell_at(grid, r, c)) > LONG_CELL)
                fputs(" class=\"long\"", out);
            if (isfinite(v))
                fprintf(out, " data-v=\"%.9g\"", v);
            putc('>', out);
            print_html_cell(cell_at(grid, r, c), out);
            fprintf(out, "</%s>", tag);
        }
        fputs(r == 0 ? "</tr></thead>\n" : "</tr>\n", out);
    }
    fputs(n_rows > 1 ? "</tbody></table></div>\n" : "</table></div>\n", out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void print_csv_cell(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

void bo_grid_csv(const struct bo_grid *grid, FILE *out)
{
    const size_t n_rows = bo_grid_n_rows(grid);
    for (size_t r = 0; r < n_rows; r++)
        for (unsigned c = 0; c < grid->n_columns; c++) {
            print_csv_cell(cell_at(grid, r, c), out);
            putc(c + 1 < grid->n_columns ? ',' : '\n', out);
        }
}

/* ---- LaTeX ----------------------------------------------------------------------------------- */

void bo_print_tex(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (strchr("&%$#_{}", *text))
            fprintf(out, "\\%c", *text);
        else if (*text == '\\')
            fputs("\\textbackslash{}", out);
        else if (*text == '~' || *text == '^')
            fprintf(out, "\\%c{}", *text);
        else
            putc(*text, out);
    }
}

void bo_grid_tex(const struct bo_grid *grid, FILE *out)
{
    const size_t n_rows = bo_grid_n_rows(grid);
    fputs("\\begin{tabular}{", out);
    for (unsigned c = 0; c < grid->n_columns; c++)
        putc(c < grid->n_left ? 'l' : 'r', out);
    fputs("}\n\\toprule\n", out);
    for (size_t r = 0; r < n_rows; r++) {
        for (unsigned c = 0; c < grid->n_columns; c++) {
            fputs(c ? " & " : "", out);
            bo_print_tex(cell_at(grid, r, c), out);
        }
        fputs(" \\\\\n", out);
        if (r == 0)
            fputs("\\midrule\n", out);
    }
    fputs("\\bottomrule\n\\end{tabular}\n", out);
}

/* ---- plain text ------------------------------------------------------------------------------ */

enum { GAP = 2 };

/*
 * Cuts the next line of a heading from *rest. Returns its length. Breaks are after '/' and at
 * spaces.
 */
static size_t take_heading_line(bool whole, const char **rest, const char **line_ret)
{
    const char *p = whole ? *rest : *rest + strspn(*rest, " ");
    size_t n = strcspn(p, whole ? "" : "/ ");
    n += p[n] == '/';
    *line_ret = p;
    *rest = p + n;
    return n;
}

static unsigned count_heading_lines(bool whole, const char *heading, size_t *width_ret)
{
    unsigned n_lines = 0;
    const char *line;
    *width_ret = 0;
    while (heading[strspn(heading, " ")]) {
        const size_t n = take_heading_line(whole, &heading, &line);
        *width_ret = n > *width_ret ? n : *width_ret;
        n_lines++;
    }
    return n_lines;
}

/* A line with the part of a text that fits, padded to the width. */
static char *add_aligned(struct bo_arena *arena, const char *line, const char *text, size_t n,
                         size_t width, bool left)
{
    const bool cut = n > width;
    const size_t shown = cut ? width - 1 : n;
    const int padding = (int)(width - shown - cut);
    return bo_arena_printf(arena, "%s%*s%.*s%s%*s", line, left ? 0 : padding, "", (int)shown, text,
                           cut ? "~" : "", left ? padding : 0, "");
}

/* A group of adjacent columns, after the first column. */
struct panel {
    const struct bo_grid *grid;
    const size_t *widths;
    unsigned first, end;
    FILE *out;
};

/* Prints one line of cells without trailing spaces. */
static void print_line(const struct panel *panel, const char *const *texts, const size_t *lengths)
{
    struct bo_arena *arena = panel->grid->arena;
    char *line = add_aligned(arena, "", texts[0], lengths[0], panel->widths[0], true);
    for (unsigned c = panel->first; c < panel->end; c++) {
        line = bo_arena_printf(arena, "%s%*s", line, GAP, "");
        line = add_aligned(arena, line, texts[c], lengths[c], panel->widths[c],
                           c < panel->grid->n_left);
    }
    size_t n = strlen(line);
    while (n && line[n - 1] == ' ')
        n--;
    fprintf(panel->out, "%.*s\n", (int)n, line);
}

static void print_panel_heading(const struct panel *panel)
{
    const struct bo_grid *grid = panel->grid;
    const char **texts = bo_array_or_abort(grid->arena, grid->n_columns, sizeof *texts);
    const char **rests = bo_array_or_abort(grid->arena, grid->n_columns, sizeof *rests);
    size_t *lengths = bo_array_or_abort(grid->arena, grid->n_columns, sizeof *lengths);
    unsigned *missing = bo_array_or_abort(grid->arena, grid->n_columns, sizeof *missing);
    unsigned n_lines = 0;
    size_t width;
    for (unsigned c = 0; c < grid->n_columns; c++) {
        rests[c] = cell_at(grid, 0, c);
        missing[c] = count_heading_lines(grid->whole_headings, rests[c], &width);
        if ((c == 0 || (c >= panel->first && c < panel->end)) && missing[c] > n_lines)
            n_lines = missing[c];
    }
    for (unsigned left = n_lines; left > 0; left--) { /* short headings are aligned to the bottom */
        for (unsigned c = 0; c < grid->n_columns; c++) {
            texts[c] = "";
            lengths[c] = missing[c] >= left
                             ? take_heading_line(grid->whole_headings, &rests[c], &texts[c])
                             : 0;
        }
        print_line(panel, texts, lengths);
    }
}

static void print_panel(const struct panel *panel)
{
    const struct bo_grid *grid = panel->grid;
    size_t *lengths = bo_array_or_abort(grid->arena, grid->n_columns, sizeof *lengths);
    print_panel_heading(panel);
    for (size_t r = 1; r < bo_grid_n_rows(grid); r++) {
        for (unsigned c = 0; c < grid->n_columns; c++)
            lengths[c] = strlen(cell_at(grid, r, c));
        print_line(panel, &grid->cells[r * grid->n_columns], lengths);
    }
}

/* The width of each column, limited so that it fits beside the first column. */
static size_t *measure_columns(const struct bo_grid *grid, unsigned width)
{
    size_t *widths = bo_array_or_abort(grid->arena, grid->n_columns, sizeof *widths);
    for (unsigned c = 0; c < grid->n_columns; c++) {
        const size_t max = c == 0 ? width / 2 : width - widths[0] - GAP;
        count_heading_lines(grid->whole_headings, cell_at(grid, 0, c), &widths[c]);
        for (size_t r = 1; r < bo_grid_n_rows(grid); r++) {
            const size_t n = strlen(cell_at(grid, r, c));
            widths[c] = n > widths[c] ? n : widths[c];
        }
        widths[c] = widths[c] < max ? widths[c] : max;
    }
    return widths;
}

void bo_grid_text(const struct bo_grid *grid, unsigned width, FILE *out)
{
    if (grid->n_columns == 0)
        return;
    const size_t *widths = measure_columns(grid, width);
    struct panel panel = {.grid = grid, .widths = widths, .first = 1, .out = out};
    do {
        size_t used = widths[0];
        panel.end = panel.first;
        while (panel.end < grid->n_columns && used + GAP + widths[panel.end] <= width)
            used += GAP + widths[panel.end++];
        print_panel(&panel);
        panel.first = panel.end;
        if (panel.first < grid->n_columns)
            putc('\n', out);
    } while (panel.first < grid->n_columns);
}
