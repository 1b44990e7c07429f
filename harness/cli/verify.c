/* bakeoff verify: every check, every codec, on these documents; or a file of test vectors. */
#include <stdio.h>
#include <unistd.h>

#include "corpora/import/vectors.h"
#include "harness/check.h"
#include "harness/cli/cli.h"
#include "harness/cli/documents.h"
#include "harness/cli/json.h"
#include "harness/cli/options.h"

int bo_cmd_verify(int argc, char **argv);

struct tally {
    unsigned long passed, failed, skipped;
    json_t *results; /* NULL for the plain form */
};

static const char *outcome_name(enum bo_outcome outcome)
{
    static const char *const names[] = {"passed", "failed", "skipped"};
    return names[outcome];
}

static void note(struct tally *tally, const char *document, const char *codec, const char *check,
                 const struct bo_check_result *result)
{
    const bool failed = result->outcome == BO_FAIL;
    tally->passed += result->outcome == BO_PASS;
    tally->failed += failed;
    tally->skipped += result->outcome == BO_SKIP;
    const char *detail = failed ? result->finding.detail : result->why_skipped;
    if (tally->results) {
        json_array_append_new(tally->results,
                              json_pack("{s:s, s:s, s:s, s:s, s:I, s:s*, s:s*}", "document",
                                        document, "codec", codec, "check", check, "status",
                                        outcome_name(result->outcome), "cases",
                                        (json_int_t)result->n_cases, "class",
                                        failed ? result->finding.class : NULL, "detail", detail));
        return;
    }
    printf("%-8s %-28s %-26s %-20s", outcome_name(result->outcome), document, codec, check);
    if (result->outcome == BO_PASS)
        printf(" %12llu cases\n", (unsigned long long)result->n_cases);
    else
        printf(" %s%s%s\n", failed ? result->finding.class : "", failed ? ": " : "",
               detail ? detail : "");
}

/* ---- documents ------------------------------------------------------------------------------- */

/* print, parse, print: the same model, the same text. */
static struct bo_check_result check_text_form(const struct bo_format *format, const void *model)
{
    struct bo_check_result result = {.outcome = BO_PASS, .n_cases = 1};
    struct bo_arena arena;
    struct bo_writer text, again;
    struct bo_error error = {0};
    void *parsed = NULL;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    bo_writer_init(&again, &arena);
    const bool ok = format->print(model, &text, &error) == BO_OK &&
                    format->parse(bo_writer_span(&text), &arena, &parsed, &error) == BO_OK &&
                    format->print(parsed, &again, &error) == BO_OK &&
                    bo_span_equal(bo_writer_span(&text), bo_writer_span(&again)) &&
                    !format->differ(model, parsed);
    if (!ok)
        result = (struct bo_check_result){
            .outcome = BO_FAIL,
            .finding = {format->name, "-", "text form", "itself", "round-trip", ""}};
    bo_writer_free(&again);
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return result;
}

static void verify_model(const struct bo_format *format, const char *only_codec, const char *name,
                         const void *model, const struct bo_effort *effort, struct tally *tally)
{
    const bool show = isatty(STDERR_FILENO);
    const struct bo_check_result text = check_text_form(format, model);
    note(tally, name, "-", "text-form", &text);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        if (only_codec && strcmp((*c)->name, only_codec) != 0)
            continue;
        for (const struct bo_check *check = bo_checks; check->name; check++) {
            if (show)
                fprintf(stderr, "\r\033[K%s: %s: %s", name, (*c)->name, check->name);
            const struct bo_check_result result = check->run(format, *c, model, effort);
            if (show)
                fputs("\r\033[K", stderr);
            note(tally, name, (*c)->name, check->name, &result);
        }
    }
}

static bool verify_documents(struct bo_documents *documents, const char *only_codec,
                             const struct bo_effort *effort, struct tally *tally)
{
    for (size_t i = 0; i < documents->n; i++) {
        struct bo_document *d = &documents->items[i];
        if (!bo_document_load(d))
            return false;
        verify_model(d->format, only_codec, d->name, d->model, effort, tally);
    }
    return true;
}

static bool verify_generated(const struct bo_format *format, const char *only_codec,
                             unsigned long long n, const struct bo_effort *effort,
                             struct tally *tally)
{
    for (unsigned long long i = 0; i < n; i++) {
        struct bo_arena arena;
        struct bo_error error = {0};
        struct bo_random random = bo_random_seeded(effort->seed + i);
        void *model = NULL;
        char name[48];
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        snprintf(name, sizeof name, "generated-%llu", (unsigned long long)effort->seed + i);
        const enum bo_status status =
            format->generate(&random, (size_t)i % 20, &arena, &model, &error);
        if (status)
            bo_file_error(name, &error);
        else
            verify_model(format, only_codec, name, model, effort, tally);
        bo_arena_free(&arena);
        if (status)
            return false;
    }
    return true;
}

/* ---- vectors --------------------------------------------------------------------------------- */

static void verify_vector(const struct bo_format *format, const json_t *vector, const void *model,
                          const struct bo_effort *effort, struct tally *tally)
{
    const char *name = json_string_value(json_object_get(vector, "name"));
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        struct bo_check_result result = {.outcome = BO_PASS, .n_cases = 1};
        const char *why = NULL;
        const enum bo_vector_verdict verdict = bo_vector_check(*c, vector, model, &why);
        if (verdict == BO_VECTOR_SILENT)
            continue;
        for (const struct bo_check *check = bo_checks;
             verdict == BO_VECTOR_PASS && check->name && result.outcome != BO_FAIL; check++)
            if (strcmp(check->name, "damage") != 0)
                result = check->run(format, *c, model, effort);
        if (verdict == BO_VECTOR_FAIL) {
            result.outcome = BO_FAIL;
            result.finding =
                (struct bo_finding){format->name, "-", (*c)->name, "vector", "other-bytes", ""};
            snprintf(result.finding.detail, sizeof result.finding.detail, "%s", why);
        }
        note(tally, name ? name : "unnamed", (*c)->name, "vector", &result);
    }
}

static bool verify_vectors(const struct bo_format *format, const char *path,
                           const struct bo_effort *effort, struct tally *tally)
{
    const struct bo_vector_reader *reader = bo_find_vector_reader(format->name);
    if (!reader) {
        fprintf(stderr, "bakeoff: %s: there are no vectors of %s\n", path, format->name);
        return false;
    }
    json_error_t json_error;
    json_t *vectors = json_load_file(path, 0, &json_error);
    if (!json_is_array(vectors)) {
        fprintf(stderr, "bakeoff: %s: %s at byte %d\n", path,
                vectors ? "not an array of vectors" : json_error.text,
                vectors ? 0 : json_error.position);
        json_decref(vectors);
        return false;
    }
    bool ok = true;
    size_t i;
    json_t *vector;
    json_array_foreach(vectors, i, vector)
    {
        struct bo_arena arena;
        struct bo_error error = {0};
        void *model = NULL;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        ok = ok && reader->model(vector, &arena, &model, &error) == BO_OK;
        if (ok)
            verify_vector(format, vector, model, effort, tally);
        else if (error.what)
            fprintf(stderr, "bakeoff: %s: vector %zu: %s\n", path, i, error.what);
        bo_arena_free(&arena);
        if (!ok)
            break;
    }
    json_decref(vectors);
    return ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int conclude(struct tally *tally, const char *format)
{
    const int code = tally->failed ? BO_EXIT_FAILED : BO_EXIT_OK;
    if (tally->results)
        return bo_json_print(json_pack("{s:s, s:I, s:I, s:I, s:o}", "format", format, "passed",
                                       (json_int_t)tally->passed, "failed",
                                       (json_int_t)tally->failed, "skipped",
                                       (json_int_t)tally->skipped, "results", tally->results),
                             code);
    if (tally->skipped)
        printf("%lu skipped\n", tally->skipped);
    printf("%lu passed, %lu failed\n", tally->passed, tally->failed);
    return code;
}

int bo_cmd_verify(int argc, char **argv)
{
    const char *seed = NULL, *vectors = NULL, *generate = NULL, *codec = NULL;
    bool json = false;
    const struct bo_option options[] = {
        {"--seed", 0, "S", "of everything that is sampled or generated (default 1)", &seed, NULL},
        {"--codec", 0, "C", "only this codec", &codec, NULL},
        {"--generate", 0, "N", "also N generated documents", &generate, NULL},
        {"--vectors", 0, "FILE.json", "check test vectors instead", &vectors, NULL},
        {"--json", 0, NULL, "for programs", NULL, &json},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "verify", "FORMAT [F.txt...] [--seed S] [--vectors FILE.json]",
        "Runs every check of every codec on these documents: files, folders, or names from\n"
        "`bakeoff list corpora`; without any, on the embedded ones. Exits 1 when a check fails.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n < 1)
        return bo_usage_error("verify", "needs a format");
    unsigned long long seed_value = 1, n_generated = 0;
    const struct bo_format *format = bo_need_format("verify", argv[1]);
    if (!format || !bo_option_u64("verify", "--seed", seed, UINT64_MAX, &seed_value) ||
        !bo_option_u64("verify", "--generate", generate, 100000, &n_generated))
        return BO_EXIT_USAGE;
    if (codec && !bo_find_codec(format, codec))
        return bo_usage_error("verify", "%s has no codec %s", format->name, codec);
    if (vectors && n > 1)
        return bo_usage_error("verify", "--vectors goes without documents");

    struct bo_effort effort = bo_effort_default();
    effort.seed = seed_value;
    struct tally tally = {.results = json ? json_array() : NULL};
    struct bo_documents documents = {NULL, 0};
    bool ok = true;
    if (vectors)
        ok = verify_vectors(format, vectors, &effort, &tally);
    else if (n == 1)
        ok = bo_documents_list(format, BO_DOCUMENTS_EMBEDDED, &documents);
    for (int i = 2; i <= n && ok; i++)
        ok = bo_documents_add(format, argv[i], &documents);
    ok = ok && verify_documents(&documents, codec, &effort, &tally);
    ok = ok && verify_generated(format, codec, n_generated, &effort, &tally);
    bo_documents_free(&documents);
    if (!ok) {
        json_decref(tally.results);
        return BO_EXIT_USAGE;
    }
    return conclude(&tally, format->name);
}
