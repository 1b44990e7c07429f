/* bakeoff import: a real file of the field to the text form. */
#include <stdio.h>

#include "corpora/import/import.h"
#include "harness/cli/options.h"
#include "harness/cli/transcode.h"

int bo_cmd_import(int argc, char **argv);

static int unknown_source(const struct bo_input *in, const char *format_name)
{
    fprintf(stderr, "bakeoff: %s: no importer of %s takes this file; there are\n", in->path,
            format_name);
    for (const struct bo_importer *const *i = bo_importers; *i; i++)
        if (strcmp((*i)->format, format_name) == 0)
            fprintf(stderr, "  %-12s %s\n", (*i)->name, (*i)->summary);
    return BO_EXIT_USAGE;
}

int bo_cmd_import(int argc, char **argv)
{
    const char *out = NULL, *functions = NULL, *seed = NULL;
    const struct bo_option options[] = {
        {"--output", 'o', "FILE", "write here instead of to standard output", &out, NULL},
        {"--functions", 0, "N", "keep a sample of N whole functions", &functions, NULL},
        {"--seed", 0, "S", "of the sample (default 1)", &seed, NULL},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "import", "FORMAT SOURCE [-o F.txt]",
        "Reads a real file (pcdata: a Go binary) and writes the format's text form.", options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 2)
        return bo_usage_error("import", "takes a format and one file");
    unsigned long long max_functions = 0, seed_value = 1;
    const struct bo_format *format = bo_need_format("import", argv[1]);
    struct bo_input in;
    if (!format || !bo_option_u64("import", "--functions", functions, UINT32_MAX, &max_functions) ||
        !bo_option_u64("import", "--seed", seed, UINT64_MAX, &seed_value) ||
        !bo_input_open(argv[2], &in))
        return BO_EXIT_USAGE;
    const struct bo_import_options import_options = {(uint32_t)max_functions, seed_value};
    const struct bo_importer *importer = bo_find_importer(format->name, in.bytes);
    int code;
    if (importer) {
        struct bo_arena arena;
        struct bo_error error = {0};
        void *model = NULL;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const enum bo_status status =
            importer->import(in.bytes, &import_options, &arena, &model, &error);
        code = status ? bo_file_error(in.path, &error) : bo_write_text(format, model, out);
        bo_arena_free(&arena);
    } else {
        code = unknown_source(&in, format->name);
    }
    bo_input_close(&in);
    return code;
}
