/* bakeoff vectors: conformance vectors of a codec. */
#include "corpora/vectors.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "harness/core/files.h"

int bo_cmd_vectors(int argc, char **argv);

static void print_vectors(const void *vectors, FILE *out)
{
    json_dumpf(vectors, out, JSON_INDENT(1));
    putc('\n', out);
}

int bo_cmd_vectors(int argc, char **argv)
{
    const char *path = NULL;
    const struct bo_option options[] = {
        {"--output", 'o', "F.json", "write here instead of to standard output", &path, NULL},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "vectors", "FORMAT/CODEC [-o F.json]",
        "Writes conformance vectors: small models with their encoding in hex and answers, and\n"
        "inputs that a reader must reject, each with the rule. The vectors are the same on every\n"
        "machine; docs/vectors.md has the schema. `bakeoff verify FORMAT --vectors F.json` checks\n"
        "them.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 1)
        return bo_usage_error("vectors", "expects FORMAT/CODEC");
    const struct bo_format *format;
    const struct bo_codec *codec = bo_need_codec("vectors", argv[1], &format);
    if (!codec)
        return BO_EXIT_USAGE;
    json_t *vectors = bo_vectors_make(format, codec);
    const bool ok = bo_output_printed(path, print_vectors, vectors);
    json_decref(vectors);
    return ok ? BO_EXIT_OK : BO_EXIT_USAGE;
}
