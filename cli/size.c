/* `bakeoff size`: bytes per codec and section, raw and compressed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/measure/compress.h"
#include "bench/measure/sizes.h"
#include "bench/report/fields.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/options.h"
#include "corpora/documents.h"

int bo_cmd_size(int argc, char **argv);

/* ---- the plain form -------------------------------------------------------------------------- */

static uint64_t get_count(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* "index 12, chunks 345" */
static void print_sections(const json_t *sections, const char *before)
{
    const char *name;
    json_t *nbytes;
    json_object_foreach((json_t *)sections, name, nbytes)
    {
        printf("%s%s %" JSON_INTEGER_FORMAT, before, name, json_integer_value(nbytes));
        before = ", ";
    }
}

/* A quotient with this many decimals, or "-" if the divisor is 0. */
static void print_quotient(uint64_t a, uint64_t b, int width, int decimals)
{
    if (b)
        printf("  %*.*f", width, decimals, (double)a / (double)b);
    else
        printf("  %*s", width, "-");
}

/* Shared by the columns. */
struct table {
    int name_width;
    uint64_t first_bytes, n_units;
    bool compressed;
};

static void print_codec(const struct table *table, const json_t *codec)
{
    const char *status = json_string_value(json_object_get(codec, "status"));
    printf("%-*s", table->name_width, json_string_value(json_object_get(codec, "name")));
    if (strcmp(status, "ok") != 0) {
        printf("  %s\n", status);
        return;
    }
    const uint64_t bytes = get_count(codec, "bytes");
    printf("  %12" PRIu64, bytes);
    print_quotient(bytes, table->n_units, 10, 2);
    print_quotient(bytes, table->first_bytes, 6, 3);
    for (const struct bo_compressor *c = bo_compressors; table->compressed && c->name; c++)
        if (json_is_integer(json_object_get(codec, c->name)))
            printf("  %10" PRIu64, get_count(codec, c->name));
        else
            printf("  %10s", "-"); /* too large, or the library failed */
    print_sections(json_object_get(codec, "sections"), "  ");
    print_sections(json_object_get(codec, "aside"), "; aside: ");
    putchar('\n');
}

static void print_heading(const struct table *table, const char *unit)
{
    char per_unit[40];
    snprintf(per_unit, sizeof per_unit, "/%s", unit);
    printf("%-*s  %12s  %10s  %6s", table->name_width, "", "bytes", per_unit, "ratio");
    for (const struct bo_compressor *c = bo_compressors; table->compressed && c->name; c++)
        printf("  %10s", c->like);
    printf("  sections\n");
}

static void print_document(const json_t *document, bool compressed)
{
    struct table table = {.compressed = compressed};
    const char *unit = "unit", *name;
    json_t *n, *units = json_object_get(document, "units");
    printf("%s:", json_string_value(json_object_get(document, "name")));
    json_object_foreach(units, name, n)
    {
        if (table.n_units == 0) {
            table.n_units = (uint64_t)json_integer_value(n);
            unit = name;
        }
        printf(" %" JSON_INTEGER_FORMAT " %s,", json_integer_value(n), name);
    }
    printf(" entropy floor %" PRIu64 " bytes\n", get_count(document, "entropy_floor"));

    size_t i;
    json_t *codec, *codecs = json_object_get(document, "codecs");
    json_array_foreach(codecs, i, codec)
    {
        const int width = (int)json_string_length(json_object_get(codec, "name"));
        table.name_width = width > table.name_width ? width : table.name_width;
    }
    table.first_bytes = get_count(json_array_get(codecs, 0), "bytes");
    print_heading(&table, unit);
    json_array_foreach(codecs, i, codec) print_codec(&table, codec);
}

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
    enum { WIDTH = 160 };
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
    for (size_t i = 0; i < documents->n && ok; i++)
        ok = bo_document_load(&documents->items[i]);
    return ok;
}

static json_t *documents_json(const struct bo_documents *documents, bool compress)
{
    uint64_t n_steps = 0;
    for (size_t i = 0; i < documents->n; i++)
        n_steps += bo_sizes_count(documents->items[i].format);
    struct bo_progress progress = bo_progress_start("sizes", n_steps);
    const struct bo_sizes_options options = {.compress = compress, .progress = &progress};
    json_t *json = json_array();
    for (size_t i = 0; i < documents->n; i++)
        json_array_append_new(json, bo_sizes_json(&documents->items[i], &options));
    bo_progress_end(&progress);
    return json;
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
        "Prints what each codec's encoding of the documents takes: bytes, bytes per unit, ratio "
        "to\n"
        "the first codec, counted bytes after zstd -19, lz4 -9 and xz -9, and each section.\n"
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
    json_t *json = documents_json(&documents, !no_compress);
    bo_documents_free(&documents);
    if (as_json)
        return bo_json_print(json_pack("{s:s, s:o}", "format", format->name, "documents", json),
                             BO_EXIT_OK);
    size_t i;
    json_t *document;
    json_array_foreach(json, i, document)
    {
        if (i)
            putchar('\n');
        print_document(document, !no_compress);
    }
    json_decref(json);
    return BO_EXIT_OK;
}
