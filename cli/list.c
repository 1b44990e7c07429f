/* bakeoff list: formats with their query kinds and workloads, codecs, documents of the corpora. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/report/grid.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/options.h"
#include "corpora/documents.h"
#include "harness/core/suggest.h"

int bo_cmd_list(int argc, char **argv);

/* ---- formats --------------------------------------------------------------------------------- */

static void print_format(const struct bo_format *format)
{
    printf("%s: %s\n", format->name, format->summary);
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        printf("  %s%s%s: %s\n", kind->name, *kind->usage ? " " : "", kind->usage, kind->summary);
        for (unsigned w = 0; w < kind->n_workloads; w++)
            printf("    %-10s %s\n", kind->workloads[w].name, kind->workloads[w].summary);
    }
}

/* A library's version is null if the program was built without it. */
static json_t *optionals_json(const struct bo_format *format)
{
    json_t *all = json_array();
    for (const struct bo_optional *o = format->optionals; o && o->codecs; o++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s?}", "codecs", o->codecs, "library",
                                             o->library, "version", o->version));
    return all;
}

static json_t *format_json(const struct bo_format *format)
{
    json_t *kinds = json_array();
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        json_t *workloads = json_array();
        for (unsigned w = 0; w < kind->n_workloads; w++)
            json_array_append_new(workloads, json_string(kind->workloads[w].name));
        json_array_append_new(kinds, json_pack("{s:s, s:s, s:s, s:o}", "kind", kind->name,
                                               "arguments", kind->usage, "summary", kind->summary,
                                               "workloads", workloads));
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "format", format->name, "summary", format->summary,
                     "kinds", kinds, "optional", optionals_json(format));
}

static int list_formats(bool json)
{
    json_t *all = json_array();
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        if (json)
            json_array_append_new(all, format_json(*f));
        else
            print_format(*f);
    }
    if (json)
        return bo_json_print(all, BO_EXIT_OK);
    json_decref(all);
    return BO_EXIT_OK;
}

/* ---- codecs ---------------------------------------------------------------------------------- */

static json_t *codec_json(const struct bo_format *format, const struct bo_codec *codec)
{
    json_t *kinds = json_array();
    for (unsigned k = 0; k < format->n_kinds; k++)
        if (codec->kinds >> k & 1)
            json_array_append_new(kinds, json_string(format->kinds[k].name));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s?, s:s?, s:s?, s:b, s:b}", "format",
                     format->name, "codec", codec->name, "role", bo_role_name(codec->role),
                     "access", bo_access_name(codec->access), "kinds", kinds, "summary",
                     codec->summary, "spec", codec->spec, "reads", codec->reads, "level_of",
                     codec->level_of, "choices", codec->choices, "optional", codec->optional,
                     "lossy", codec->reduce != NULL);
}

static void print_missing(const struct bo_format *format)
{
    for (const struct bo_optional *o = format->optionals; o && o->codecs; o++)
        if (!o->version)
            printf("%s/%s: not in this program, which was built without %s (make deps-optional)\n",
                   format->name, o->codecs, o->library);
}

static int list_codecs(bool json)
{
    json_t *all = json_array();
    if (!json)
        printf("%-34s %-11s %-7s %s\n", "codec", "role", "access", "what it is");
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (const struct bo_codec *const *c = (*f)->codecs; *c; c++) {
            char name[96];
            snprintf(name, sizeof name, "%s/%s", (*f)->name, (*c)->name);
            if (json)
                json_array_append_new(all, codec_json(*f, *c));
            else
                printf("%-34s %-11s %-7s %s\n", name, bo_role_name((*c)->role),
                       bo_access_name((*c)->access), (*c)->summary);
        }
    if (json)
        return bo_json_print(all, BO_EXIT_OK);
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        print_missing(*f);
    json_decref(all);
    return BO_EXIT_OK;
}

/* ---- corpora --------------------------------------------------------------------------------- */

static const char *whereabouts(const struct bo_document *document)
{
    if (document->n_drawn)
        return "drawn";
    if (document->external)
        return "external";
    return document->embedded ? "embedded" : document->present ? "fetched" : "not fetched";
}

static int list_corpora(bool json)
{
    struct bo_documents documents;
    if (!bo_documents_list(NULL, BO_DOCUMENTS_ALL, &documents))
        return BO_EXIT_USAGE;
    json_t *all = json_array();
    struct bo_arena arena;
    struct bo_grid grid;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_grid_begin(&grid, &arena, 4, "format", "document", "state", "from", NULL);
    for (size_t i = 0; i < documents.n; i++) {
        const struct bo_document *d = &documents.items[i];
        if (json)
            json_array_append_new(all,
                                  json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b}", "format",
                                            d->format->name, "name", d->name, "path", d->path,
                                            "provenance", d->provenance, "state", whereabouts(d),
                                            "embedded", d->embedded, "present", d->present));
        bo_grid_texts(&grid, d->format->name, d->name, whereabouts(d), d->provenance, NULL);
        bo_grid_end_row(&grid);
    }
    if (!json)
        bo_grid_text(&grid, UINT_MAX, stdout);
    bo_arena_free(&arena);
    bo_documents_free(&documents);
    if (json)
        return bo_json_print(all, BO_EXIT_OK);
    json_decref(all);
    return BO_EXIT_OK;
}

/* ---- workloads ------------------------------------------------------------------------------- */

static json_t *workload_json(const struct bo_format *format, const char *kind, const char *name,
                             const char *summary, const char *document, const char *path)
{
    return json_pack("{s:s, s:s?, s:s, s:s, s:s?, s:s?}", "format", format->name, "kind", kind,
                     "workload", name, "summary", summary, "document", document, "path", path);
}

static void list_synthetic(const struct bo_format *format, json_t *all)
{
    for (unsigned k = 0; k < format->n_kinds; k++)
        for (unsigned w = 0; w < format->kinds[k].n_workloads; w++) {
            const struct bo_workload *workload = &format->kinds[k].workloads[w];
            char name[96];
            snprintf(name, sizeof name, "%s/%s", format->kinds[k].name, workload->name);
            if (all)
                json_array_append_new(all,
                                      workload_json(format, format->kinds[k].name, workload->name,
                                                    workload->summary, NULL, NULL));
            else
                printf("%-10s %-24s %s\n", format->name, name, workload->summary);
        }
}

/* Lists a document's recorded workload, if it has one. */
static bool list_recorded(const struct bo_document *document, json_t *all)
{
    struct bo_arena arena;
    char *path = document->present ? bo_document_recorded_path(document) : NULL;
    if (!path)
        return true;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_recorded *recorded = bo_recorded_load(path, &arena);
    if (recorded) {
        const struct bo_span program = recorded->header.program;
        char summary[256];
        snprintf(summary, sizeof summary, "%.*s", (int)(program.n < 200 ? program.n : 200),
                 (const char *)program.p);
        if (all)
            json_array_append_new(all, workload_json(document->format, NULL, "recorded", summary,
                                                     document->name, path));
        else
            printf("%-10s recorded: %-14s %s\n", document->format->name, document->name, summary);
    }
    bo_arena_free(&arena);
    free(path);
    return recorded != NULL;
}

static int list_workloads(bool json)
{
    struct bo_documents documents;
    if (!bo_documents_list(NULL, BO_DOCUMENTS_ALL, &documents))
        return BO_EXIT_USAGE;
    json_t *all = json ? json_array() : NULL;
    bool ok = true;
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        list_synthetic(*f, all);
        for (size_t i = 0; i < documents.n; i++)
            ok = (documents.items[i].format != *f || list_recorded(&documents.items[i], all)) && ok;
    }
    bo_documents_free(&documents);
    const int code = ok ? BO_EXIT_OK : BO_EXIT_USAGE;
    return json ? bo_json_print(all, code) : code;
}

int bo_cmd_list(int argc, char **argv)
{
    bool json = false;
    const struct bo_option options[] = {
        {"--json", 0, NULL, "one of the lists, for programs", NULL, &json},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "list", "[formats|codecs|corpora|workloads]",
        "Without an argument, lists formats, codecs and corpora. The list of formats includes\n"
        "their query kinds and workloads.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    static const struct {
        const char *name;
        int (*list)(bool json);
    } lists[] = {{"formats", list_formats},
                 {"codecs", list_codecs},
                 {"corpora", list_corpora},
                 {"workloads", list_workloads}};
    struct bo_suggestion near = bo_suggest(n ? argv[1] : NULL);
    for (size_t i = 0; i < sizeof lists / sizeof *lists && n == 1; i++) {
        if (strcmp(argv[1], lists[i].name) == 0)
            return lists[i].list(json);
        bo_suggest_offer(&near, lists[i].name);
    }
    if (n == 0 && json)
        return bo_usage_error("list", "--json requires formats, codecs, corpora or workloads");
    if (n != 0)
        return bo_usage_error("list", "needs one of formats, codecs, corpora, workloads%s",
                              bo_suggestion_text(&near));
    list_formats(false);
    putchar('\n');
    list_codecs(false);
    putchar('\n');
    return list_corpora(false);
}
