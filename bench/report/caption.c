/* Captions. */
#include "bench/report/caption.h"

#include <inttypes.h>
#include <string.h>

#include "harness/core/print.h"
#include "harness/registry.h"

static const char *string_of(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "unknown";
}

/* ", L2 1 MiB" */
static char *cache_text(struct bo_arena *arena, const json_t *cache)
{
    const json_int_t kib = json_integer_value(json_object_get(cache, "size")) / 1024;
    const char *type = string_of(cache, "type");
    const json_int_t level = json_integer_value(json_object_get(cache, "level"));
    const char *suffix = strcmp(type, "Data") == 0          ? "d"
                         : strcmp(type, "Instruction") == 0 ? "i"
                                                            : "";
    const bool mib = kib >= 1024 && kib % 1024 == 0;
    return bo_arena_printf(arena, ", L%" PRId64 "%s %" PRId64 " %s", (int64_t)level, suffix,
                           (int64_t)(mib ? kib / 1024 : kib), mib ? "MiB" : "KiB");
}

char *bo_caption_processor(const json_t *context, struct bo_arena *arena)
{
    char *text = bo_arena_printf(arena, "%s, %" PRId64 " CPUs",
                                 string_of(json_object_get(context, "bakeoff"), "cpu"),
                                 (int64_t)json_integer_value(json_object_get(context, "num_cpus")));
    size_t i;
    const json_t *cache;
    json_array_foreach(json_object_get(context, "caches"), i, cache) text =
        bo_arena_printf(arena, "%s%s", text, cache_text(arena, cache));
    return text;
}

char *bo_caption_sample(const struct bo_run_document *document, struct bo_arena *arena)
{
    unsigned least = UINT32_MAX, most = 0;
    const struct bo_interval_counts intervals = bo_count_intervals(document);
    for (unsigned c = 0; c < document->n_codecs; c++)
        for (unsigned l = 0; l < document->n_labels; l++) {
            const struct bo_run_row *row = document->codecs[c].rows[l];
            if (!row || row->n == 0 || row->failure)
                continue;
            least = row->n < least ? row->n : least;
            most = row->n > most ? row->n : most;
        }
    if (most == 0)
        return bo_arena_printf(arena, "nothing was timed");
    char *n =
        least == most
            ? bo_arena_printf(arena, "n = %u repetition%s", most, most == 1 ? "" : "s")
            : bo_arena_printf(arena, "n = %u repetitions (%u of slow operations)", most, least);
    if (!intervals.n_with)
        return bo_arena_printf(arena, "medians of %s; no 95%% intervals, which need 6 repetitions",
                               n);
    return bo_arena_printf(arena, "medians of %s, with 95%% intervals by order statistics%s", n,
                           intervals.n_without == 0 ? "" : "; no interval below 6 repetitions");
}

/* " --kind point" where the run had the option; "". */
static char *option_text(const json_t *options, const char *name, struct bo_arena *arena)
{
    const char *value = json_string_value(json_object_get(options, name));
    return value ? bo_arena_printf(arena, " --%s %s", name, bo_shell_quoted(arena, value))
                 : bo_arena_printf(arena, "%s", "");
}

const char *bo_document_argument(const struct bo_run_document *document)
{
    const char *file = json_string_value(json_object_get(document->sizes, "file"));
    return file ? file : document->name;
}

char *bo_caption_bench(const struct bo_run_document *document, struct bo_arena *arena)
{
    const json_t *ours = json_object_get(document->context, "bakeoff");
    const json_t *options = json_object_get(ours, "options");
    const json_t *rounds = json_object_get(ours, "rounds");
    const char *depth = json_string_value(json_object_get(options, "depth"));
    const bool is_quick = json_is_true(json_object_get(options, "quick"));
    const bool is_full = depth && strcmp(depth, "full") == 0;
    return bo_arena_printf(arena, "build/bakeoff bench --format %s --corpus %s%s%s%s%s%s%s",
                           document->format, bo_shell_quoted(arena, bo_document_argument(document)),
                           option_text(options, "codec", arena),
                           option_text(options, "kind", arena),
                           option_text(options, "workload", arena), is_quick ? " --quick" : "",
                           is_full ? " --full" : "",
                           rounds ? bo_arena_printf(arena, " --repetitions %" PRId64,
                                                    (int64_t)json_integer_value(rounds))
                                  : "");
}

/* Checks out the commit, fetches what is not in the repository, measures the document, prints. */
static char *command_text(const struct bo_run_document *document, const char *table_options,
                          struct bo_arena *arena)
{
    const char *commit = bo_document_fact(document, "commit");
    const bool embedded = json_is_true(json_object_get(document->sizes, "embedded"));
    const bool is_file = json_object_get(document->sizes, "file") != NULL;
    char *checkout =
        strcmp(commit, "unknown") == 0
            ? bo_arena_printf(arena, "%s", "")
            : bo_arena_printf(arena, "git checkout %.*s && ", (int)strcspn(commit, "+"), commit);
    return bo_arena_printf(
        arena, "%smake && %s%s --json again.json && build/bakeoff table %s --results again.json %s",
        checkout, embedded || is_file ? "" : "make corpora && ", bo_caption_bench(document, arena),
        document->format, table_options);
}

static char *corpus_text(const struct bo_run_document *document, struct bo_arena *arena)
{
    char *text = bo_arena_printf(arena, "%s (%s), XXH3-64 %s", document->name,
                                 string_of(document->sizes, "provenance"),
                                 string_of(document->sizes, "xxh3"));
    const char *name;
    json_t *n;
    json_object_foreach(json_object_get(document->sizes, "units"), name, n) text =
        bo_arena_printf(arena, "%s, %" PRId64 " %s", text, (int64_t)json_integer_value(n), name);
    return text;
}

struct bo_caption bo_caption_make(const struct bo_run_document *document, const char *table_options,
                                  struct bo_arena *arena)
{
    const struct bo_format *format = bo_find_format(document->format);
    const char *part = bo_document_part(document, arena);
    const char *partial = bo_document_partial(document, arena);
    struct bo_caption caption = {
        .corpus = corpus_text(document, arena),
        .machine = bo_arena_printf(
            arena, "%s; %s; %s %s", bo_caption_processor(document->context, arena),
            bo_document_fact(document, "kernel"), bo_document_fact(document, "compiler"),
            bo_document_fact(document, "flags")),
        .sample = bo_arena_printf(arena, "CPU time, %s; all answers checked before timing",
                                  bo_caption_sample(document, arena)),
        .run = bo_arena_printf(arena, "%s, commit %s%s%s%s%s", bo_document_fact(document, "date"),
                               bo_document_fact(document, "commit"), part ? ", " : "",
                               part ? part : "", partial ? ", partial run: " : "",
                               partial ? partial : ""),
        .file = json_string_value(json_object_get(document->sizes, "file")),
        .command = command_text(document, table_options, arena),
    };
    caption.what = bo_arena_printf(arena, "%s%s%s; ratio: bytes over those of %s", document->format,
                                   format ? ": " : "", format ? format->summary : "",
                                   bo_named_with_role(arena, document->baseline));
    return caption;
}

void bo_caption_print(const struct bo_caption *caption, unsigned width, FILE *out)
{
    const char *const lines[][2] = {{"Format:", caption->what},
                                    {"Corpus:", caption->corpus},
                                    {"Machine:", caption->machine},
                                    {"Sample:", caption->sample},
                                    {"Run:", caption->run}};
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        bo_print_wrapped(out, bo_arena_printf(&arena, "%-8s %s", lines[i][0], lines[i][1]), width,
                         "         ");
    if (caption->file)
        bo_print_wrapped(
            out,
            bo_arena_printf(&arena, "Again, where %s is in the current folder:", caption->file),
            width, "");
    else
        fputs("Again:\n", out);
    bo_arena_free(&arena);
    bo_print_command(out, caption->command, width, "  ");
}
