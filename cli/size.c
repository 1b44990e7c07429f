/* `bakeoff size`: bytes per codec and section, raw and compressed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/measure/sizes.h"
#include "bench/report/comparison.h"
#include "bench/report/fields.h"
#include "bench/report/sizes.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/options.h"
#include "corpora/documents.h"

int bo_cmd_size(int argc, char **argv);

enum { WIDTH = 160 }; /* of tables */

/* ---- by field -------------------------------------------------------------------------------- */

static json_t *grid_json(const struct bo_grid *grid)
{
    json_t *rows = json_array();
    for (size_t r = 1; r < bo_grid_n_rows(grid); r++) {
        json_t *row = json_object();
        for (unsigned c = 0; c < grid->n_columns; c++) {
            const double v = grid->values[r * grid->n_columns + c];
            json_object_set_new(row, grid->cells[c],
                                isnan(v) ? json_string(grid->cells[r * grid->n_columns + c])
                                         : json_real(v));
        }
        json_array_append_new(rows, row);
    }
    return rows;
}

/*
 * Prints the fields of a document and the codecs' bytes for them, or adds them to the list (if not
 * NULL). Draws a picture if `svg` is a path.
 */
static bool show_fields(const struct bo_document *document, const char *svg, json_t *list)
{
    const struct bo_sizes_options options = {.compress = false};
    struct bo_field_size *fields;
    struct bo_grid by_field, stored;
    struct bo_drawing drawing;
    struct bo_arena arena;
    bool ok = true;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const unsigned n = bo_field_sizes(document, &arena, &fields);
    const struct bo_sizes sizes = bo_sizes_measure(document, &options, &arena);
    bo_fields_grid(fields, n, &arena, &by_field);
    bo_stored_grid(document, &sizes, fields, n, &arena, &stored);
    if (list) {
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", document->name, "fields",
                                              grid_json(&by_field), "stored", grid_json(&stored)));
    } else {
        printf("%s: fields; order 1: given the preceding value, without the cost of statistics\n\n",
               document->name);
        bo_grid_text(&by_field, WIDTH, stdout);
        printf("\nAs stored, by the sections that codecs mark; -: not a field of the model\n\n");
        bo_grid_text(&stored, WIDTH, stdout);
    }
    if (svg) {
        bo_drawing_begin(&drawing, &arena);
        bo_plot_fields(document, &sizes, fields, n, svg, &drawing);
        ok = bo_drawing_end(&drawing) && ok;
    }
    bo_arena_free(&arena);
    return ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* The files that the user names, or the embedded corpora. */
static bool load_documents(const struct bo_format *format, char *const *paths, int n,
                           struct bo_documents *documents)
{
    bool ok = n > 0 || bo_documents_list(format, BO_DOCUMENTS_EMBEDDED, documents);
    for (int i = 0; i < n && ok; i++)
        ok = bo_documents_add(format, paths[i], documents);
    if (ok && documents->n == 0)
        ok = !bo_usage_error("size", "no documents");
    for (size_t i = 0; i < documents->n && ok; i++)
        ok = bo_document_load(&documents->items[i]);
    return ok;
}

static struct bo_progress start_progress(const struct bo_documents *documents)
{
    uint64_t n_steps = 0;
    for (size_t i = 0; i < documents->n; i++)
        n_steps += bo_sizes_count(documents->items[i].format);
    return bo_progress_start("sizes", n_steps);
}

static json_t *documents_json(const struct bo_documents *documents,
                              const struct bo_sizes_options *options)
{
    json_t *json = json_array();
    for (size_t i = 0; i < documents->n; i++)
        json_array_append_new(json, bo_sizes_json(&documents->items[i], options));
    bo_progress_end(options->progress);
    return json;
}

/* Wide enough for the sections of each codec, which are beside its name. */
static unsigned width_of(const struct bo_grid *grid)
{
    size_t name = 0, sections = 0;
    for (size_t r = 0; r < bo_grid_n_rows(grid); r++) {
        const char *const *cells = (const char *const *)grid->cells + r * grid->n_columns;
        name = strlen(cells[0]) > name ? strlen(cells[0]) : name;
        sections = strlen(cells[2]) > sections ? strlen(cells[2]) : sections;
    }
    return name + 2 + sections > WIDTH ? (unsigned)(name + 2 + sections) : WIDTH;
}

static void print_tables(const struct bo_documents *documents,
                         const struct bo_sizes_options *options)
{
    struct bo_arena arena;
    struct bo_grid grid;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    struct bo_sizes *sizes = bo_array_or_abort(&arena, documents->n, sizeof *sizes);
    for (size_t i = 0; i < documents->n; i++)
        sizes[i] = bo_sizes_measure(&documents->items[i], options, &arena);
    bo_progress_end(options->progress);
    for (size_t i = 0; i < documents->n; i++) {
        printf("%s%s: %s\n\n", i ? "\n" : "", documents->items[i].name,
               bo_counts_text(&sizes[i].units, &arena));
        bo_sizes_grid(&sizes[i], true, &arena, &grid);
        bo_grid_text(&grid, width_of(&grid), stdout);
        const char *note = bo_sizes_note(&sizes[i], true, &arena);
        if (note) {
            putchar('\n');
            bo_print_wrapped(stdout, note, WIDTH, "");
        }
    }
    bo_arena_free(&arena);
}

int bo_cmd_size(int argc, char **argv)
{
    bool as_json = false, no_compress = false, by_field = false;
    const char *svg = NULL;
    const struct bo_option options[] = {
        {"--json", 0, NULL, "for scripts", NULL, &as_json},
        {"--no-compress", 0, NULL, "leave the outer compressors out", NULL, &no_compress},
        {"--fields", 0, NULL, "the entropy of each field, and what each codec stores for it", NULL,
         &by_field},
        {"--svg", 0, "FILE", "with --fields and one document: draw them there", &svg, NULL},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "size", "FORMAT [F.txt...] [--fields [--svg FILE]] [--json]",
        "Prints the sizes of each codec's encoding of the documents: sections, bytes, ratio to\n"
        "the first status quo, bytes per unit, and bytes after zstd -19, lz4 -9 and xz -9.\n"
        "Without files: the format's embedded corpora.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (svg && (!by_field || n != 2))
        return bo_usage_error("size", "--svg requires --fields and one file");
    const struct bo_format *format = bo_need_format("size", n ? argv[1] : NULL);
    struct bo_documents documents = {NULL, 0};
    if (!format || !load_documents(format, argv + 2, n - 1, &documents)) {
        bo_documents_free(&documents);
        return BO_EXIT_USAGE;
    }
    if (svg && documents.n != 1) {
        bo_documents_free(&documents);
        return bo_usage_error("size", "--svg requires one document");
    }
    if (by_field) {
        bool ok = true;
        json_t *list = as_json ? json_array() : NULL;
        for (size_t i = 0; i < documents.n && ok; i++) {
            if (i && !list)
                putchar('\n');
            ok = show_fields(&documents.items[i], svg, list);
        }
        bo_documents_free(&documents);
        const int code = ok ? BO_EXIT_OK : BO_EXIT_FAILED;
        return list ? bo_json_print(
                          json_pack("{s:s, s:o}", "format", format->name, "documents", list), code)
                    : code;
    }
    struct bo_progress progress = start_progress(&documents);
    const struct bo_sizes_options measured = {.compress = !no_compress, .progress = &progress};
    int code = BO_EXIT_OK;
    if (as_json)
        code = bo_json_print(json_pack("{s:s, s:o}", "format", format->name, "documents",
                                       documents_json(&documents, &measured)),
                             code);
    else
        print_tables(&documents, &measured);
    bo_documents_free(&documents);
    return code;
}
