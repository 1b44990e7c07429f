/* bakeoff import: from a real file of the field to the text form. */
#include <stdio.h>

#include "cli/options.h"
#include "cli/transcode.h"
#include "corpora/documents.h"
#include "corpora/import/import.h"
#include "harness/core/source.h"

int bo_cmd_import(int argc, char **argv);

/* ---- options of all importers ---------------------------------------------------------------- */

enum { MAX_OPTIONS = 32 };

/* The value given for one name, for all importers with an option of that name. */
struct given {
    const char *name;
    const char *value;
    bool flag;
};

struct option_table {
    struct bo_option rows[MAX_OPTIONS + 1]; /* rows for the parser and --help */
    char help[MAX_OPTIONS + 1][120];
    char text[2048]; /* text for --help: all importers */
    struct given given[MAX_OPTIONS];
    unsigned n_rows, n_given;
};

static struct given *find_given(struct option_table *table, const char *name)
{
    for (unsigned i = 0; i < table->n_given; i++)
        if (strcmp(table->given[i].name, name) == 0)
            return &table->given[i];
    table->given[table->n_given] = (struct given){.name = name};
    return &table->given[table->n_given++];
}

static bool is_given(const struct given *given)
{
    return given->value || given->flag;
}

static void add_importer_options(struct option_table *table, const struct bo_importer *importer)
{
    for (const struct bo_import_option *o = importer->options;
         o && o->name && table->n_rows < MAX_OPTIONS; o++) {
        char *help = table->help[table->n_rows];
        struct given *given = find_given(table, o->name);
        snprintf(help, sizeof *table->help, "%s %s: %s", importer->format, importer->name, o->help);
        table->rows[table->n_rows++] = (struct bo_option){o->name,
                                                          0,
                                                          o->argument,
                                                          help,
                                                          o->argument ? &given->value : NULL,
                                                          o->argument ? NULL : &given->flag};
    }
}

static void make_table(struct option_table *table, const char **out)
{
    *table = (struct option_table){.n_rows = 1};
    table->rows[0] = (struct bo_option){
        "--output", 'o', "FILE", "write here instead of to standard output", out, NULL};
    size_t n = (size_t)snprintf(
        table->text, sizeof table->text,
        "Reads a real file or folder of the field and writes the format's text form. An empty "
        "file\n"
        "is an error, also where the text form of an empty document is empty. The importers:");
    for (const struct bo_importer *const *i = bo_importers; *i; i++) {
        add_importer_options(table, *i);
        if (n < sizeof table->text)
            n += (size_t)snprintf(table->text + n, sizeof table->text - n, "\n  %s %s: %s",
                                  (*i)->format, (*i)->name, (*i)->summary);
    }
}

/* ---- the importer ---------------------------------------------------------------------------- */

static const struct bo_import_options default_options = {.seed = 1, .instant = BO_IMPORT_ALL_TIMES};

static const struct bo_import_option *find_option(const struct bo_importer *importer,
                                                  const char *name)
{
    for (const struct bo_import_option *o = importer->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

/* False after a message. */
static bool read_number(const struct bo_import_option *o, const char *text, uint64_t *number_ret)
{
    unsigned long long number = 0;
    if (!bo_option_u64("import", o->name, text, o->max, &number))
        return false;
    if (number < o->min)
        return !bo_usage_error("import", "%s expects a number of at least %llu", o->name,
                               (unsigned long long)o->min);
    *number_ret = number;
    return true;
}

/* False after a message, if an option was given that no importer of the format has. */
static bool makes_sense(const struct option_table *table, const char *format)
{
    for (unsigned g = 0; g < table->n_given; g++) {
        const struct given *given = &table->given[g];
        const struct bo_import_option *o = NULL;
        uint64_t ignored;
        for (const struct bo_importer *const *i = bo_importers; *i && !o; i++)
            o = strcmp((*i)->format, format) == 0 ? find_option(*i, given->name) : NULL;
        if (!is_given(given))
            continue;
        if (!o) {
            bo_usage_error("import", "no importer of %s has the option %s", format, given->name);
            return false;
        }
        if (o->kind == BO_IMPORT_NUMBER && !read_number(o, given->value, &ignored))
            return false;
    }
    return true;
}

/* The importer that an option selects, or else the one that recognises the file; or NULL. */
static const struct bo_importer *choose(const struct option_table *table, const char *format,
                                        struct bo_span file)
{
    for (const struct bo_importer *const *i = bo_importers; *i; i++)
        for (unsigned g = 0; g < table->n_given && strcmp((*i)->format, format) == 0; g++) {
            const struct bo_import_option *o = find_option(*i, table->given[g].name);
            if (o && o->kind == BO_IMPORT_SELECT && is_given(&table->given[g]))
                return *i;
        }
    return bo_find_importer(format, file);
}

static bool has_importers(const char *format)
{
    for (const struct bo_importer *const *i = bo_importers; *i; i++)
        if (strcmp((*i)->format, format) == 0)
            return true;
    return false;
}

static int unknown_source(const char *path, const char *format_name, const char *what)
{
    if (!has_importers(format_name)) {
        fprintf(stderr, "bakeoff: %s: %s has no importers; other commands read its text form\n",
                path, format_name);
        return BO_EXIT_USAGE;
    }
    fprintf(stderr, "bakeoff: %s: no importer of %s accepts this %s; the importers are\n", path,
            format_name, what);
    for (const struct bo_importer *const *i = bo_importers; *i; i++)
        if (strcmp((*i)->format, format_name) == 0)
            fprintf(stderr, "  %-12s %s\n", (*i)->name, (*i)->summary);
    return BO_EXIT_USAGE;
}

/* ---- one import ------------------------------------------------------------------------------ */

/*
 * Sets the importer's options from the given values. `like` is the opened file of BO_IMPORT_FILE.
 */
static bool fill_options(const struct option_table *table, const struct bo_importer *importer,
                         struct bo_import_options *options, struct bo_input *like)
{
    for (unsigned g = 0; g < table->n_given; g++) {
        const struct given *given = &table->given[g];
        const struct bo_import_option *o = find_option(importer, given->name);
        if (!is_given(given))
            continue;
        if (!o) {
            bo_usage_error("import", "importer %s, which accepts this file, has no option %s",
                           importer->name, given->name);
            return false;
        }
        void *field = (char *)options + o->field;
        if (o->kind == BO_IMPORT_NUMBER) {
            if (!read_number(o, given->value, field))
                return false;
        } else if (o->kind == BO_IMPORT_FILE) {
            if (!bo_input_open(given->value, like))
                return false;
            *(struct bo_span *)field = like->bytes;
        }
    }
    return true;
}

static int import_whole(const struct bo_format *format, const struct bo_importer *importer,
                        struct bo_file_source *file, const struct bo_import_options *options,
                        const char *out)
{
    struct bo_input in;
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model = NULL;
    if (!bo_source_take(file, &in))
        return BO_EXIT_USAGE;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const enum bo_status status = importer->import(in.bytes, options, &arena, &model, &error);
    if (!status)
        bo_file_note(in.path, &error);
    const int code = status ? bo_file_error(in.path, &error) : bo_write_text(format, model, out);
    bo_arena_free(&arena);
    bo_input_close(&in);
    return code;
}

static int import_stream(const struct bo_importer *importer, struct bo_file_source *file,
                         const char *out)
{
    struct bo_outlet outlet;
    struct bo_error error = {0};
    if (!bo_outlet_open(out, &outlet)) {
        bo_source_close(file);
        return BO_EXIT_USAGE;
    }
    const bool ok = importer->stream(&file->source, &outlet.drain, &error) == BO_OK;
    bo_source_close(file);
    if (!ok && !outlet.why_failed)
        bo_file_error(file->path, &error);
    return bo_outlet_close(&outlet, ok) && ok ? BO_EXIT_OK : BO_EXIT_USAGE;
}

static int import_file(const struct option_table *table, const struct bo_format *format,
                       struct bo_file_source *file, const char *out)
{
    struct bo_import_options options = default_options;
    struct bo_input like = {.path = NULL};
    const struct bo_importer *importer = choose(table, format->name, file->head);
    int code = importer ? BO_EXIT_USAGE : unknown_source(file->path, format->name, "file");
    if (!importer || !fill_options(table, importer, &options, &like))
        bo_source_close(file);
    else if (importer->stream)
        code = import_stream(importer, file, out);
    else
        code = import_whole(format, importer, file, &options, out);
    if (like.path)
        bo_input_close(&like);
    return code;
}

/* Importers of folders have no options. */
static int import_folder(const struct option_table *table, const struct bo_format *format,
                         const char *folder, const char *out)
{
    struct bo_import_options options = default_options;
    struct bo_arena arena;
    void *model = NULL;
    const struct bo_importer *importer = bo_find_folder_importer(format->name, folder);
    if (!importer)
        return unknown_source(folder, format->name, "folder");
    if (!fill_options(table, importer, &options, &(struct bo_input){.path = NULL}))
        return BO_EXIT_USAGE;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const int code = bo_import_folder(importer, folder, &arena, &model)
                         ? bo_write_text(format, model, out)
                         : BO_EXIT_USAGE;
    bo_arena_free(&arena);
    return code;
}

int bo_cmd_import(int argc, char **argv)
{
    const char *out = NULL;
    struct option_table table;
    make_table(&table, &out);
    const struct bo_usage usage = {"import", "FORMAT SOURCE [-o F.txt]", table.text, table.rows};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 2)
        return bo_usage_error("import", "expects a format and one file or folder");
    struct bo_file_source file;
    const struct bo_format *format = bo_need_format("import", argv[1]);
    if (!format || !makes_sense(&table, format->name))
        return BO_EXIT_USAGE;
    if (bo_is_folder(argv[2]))
        return import_folder(&table, format, argv[2], out);
    if (!bo_source_open(argv[2], &file))
        return BO_EXIT_USAGE;
    if (file.head.n == 0) {
        bo_source_close(&file);
        return bo_file_error(file.path, &(struct bo_error){BO_TRUNCATED, 0, "file is empty"});
    }
    return import_file(&table, format, &file, out);
}
