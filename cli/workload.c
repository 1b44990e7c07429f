/* bakeoff workload: checks recorded workloads against their documents. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "corpora/documents.h"
#include "harness/core/suggest.h"

int bo_cmd_workload(int argc, char **argv);

/* The document that the user names; NULL after a message. */
static struct bo_document *load(const struct bo_format *format, const char *name,
                                struct bo_documents *documents)
{
    if (!format)
        format = bo_documents_format("workload", name);
    if (!format || !bo_documents_add(format, name, documents))
        return NULL;
    if (documents->n != 1) {
        bo_usage_error("workload", "%s contains %zu documents instead of one", name, documents->n);
        return NULL;
    }
    return bo_document_load(&documents->items[0]) ? &documents->items[0] : NULL;
}

/* "pcdata prof: point 446929 (44246 hits); 0 actions". */
static void print_counts(const struct bo_recorded *recorded, const char *document)
{
    const char *before = "";
    printf("%s %s:", recorded->format->name, document);
    for (unsigned k = 0; k < recorded->format->n_kinds; k++) {
        const struct bo_recorded_kind *of = &recorded->kinds[k];
        if (of->n)
            printf("%s %s %zu (%zu hits)", before, recorded->format->kinds[k].name, of->n,
                   of->n_hits);
        before = of->n ? "," : before;
    }
    printf("; %zu actions\n", recorded->n_actions);
}

static int check_on(const struct bo_recorded *recorded, const struct bo_input *in,
                    const struct bo_document *document, struct bo_arena *arena)
{
    struct bo_error err = {0};
    if (recorded->header.document != document->hash) {
        fprintf(stderr,
                "bakeoff: %s: recorded on the document %016" PRIx64 ", and %s is %016" PRIx64 "\n",
                in->path, recorded->header.document, document->name, document->hash);
        return BO_EXIT_FAILED;
    }
    if (bo_recorded_check(recorded, document->model, arena, &err)) {
        bo_recorded_say(in, &err);
        return BO_EXIT_FAILED;
    }
    print_counts(recorded, document->name);
    return BO_EXIT_OK;
}

static int check(const char *path, const char *name)
{
    struct bo_input in;
    struct bo_arena arena;
    struct bo_recorded *recorded = NULL;
    struct bo_error err = {0};
    struct bo_documents documents = {NULL, 0};
    int code = BO_EXIT_USAGE;
    if (!bo_input_open(path, &in))
        return code;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const bool ok = bo_recorded_parse(in.bytes, &arena, &recorded, &err) == BO_OK;
    if (!ok)
        bo_recorded_say(&in, &err);
    const struct bo_document *document = ok ? load(recorded->format, name, &documents) : NULL;
    if (document)
        code = check_on(recorded, &in, document, &arena);
    bo_documents_free(&documents);
    bo_arena_free(&arena);
    bo_input_close(&in);
    return code;
}

/* Prints the header up to the recorder's own fields. `format` may be NULL. */
static int print_header(const struct bo_format *format, const char *name)
{
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_documents documents = {NULL, 0};
    int code = BO_EXIT_USAGE;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const struct bo_document *document = load(format, name, &documents);
    if (document) {
        bo_recorded_put_header(document->format, document->hash, &out);
        code = bo_output(NULL, bo_writer_span(&out)) ? BO_EXIT_OK : BO_EXIT_USAGE;
    }
    bo_writer_free(&out);
    bo_arena_free(&arena);
    bo_documents_free(&documents);
    return code;
}

int bo_cmd_workload(int argc, char **argv)
{
    const char *name = NULL;
    const struct bo_option options[] = {
        {"--format", 0, "FORMAT", "of DOC (default: the one that accepts it)", &name, NULL},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "workload", "check FILE DOC | header [--format FORMAT] DOC",
        "check: whether FILE is a recorded workload (docs/workloads.md) of the document DOC, and\n"
        "all its queries are inside the document. header: the first lines of a new file; the\n"
        "recorder adds program, version and recorded. DOC is a document of the corpora or a file.\n"
        "Exit code 1: FILE was recorded on another document, or has a query outside of DOC.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    const struct bo_format *format = name ? bo_need_format("workload", name) : NULL;
    if (name && !format)
        return BO_EXIT_USAGE;
    if (n == 3 && !name && strcmp(argv[1], "check") == 0)
        return check(argv[2], argv[3]);
    if (n == 2 && strcmp(argv[1], "header") == 0)
        return print_header(format, argv[2]);
    return bo_usage_error("workload", "expects check FILE DOC, or header [--format FORMAT] DOC");
}
