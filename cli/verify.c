/* bakeoff verify: runs every check of every codec on documents, or a file of test vectors. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/options.h"
#include "corpora/documents.h"
#include "corpora/import/vectors.h"
#include "corpora/vectors.h"
#include "harness/check/check.h"
#include "harness/core/input.h"
#include "harness/core/progress.h"
#include "harness/core/suggest.h"
#include "harness/core/workers.h"

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
    if (failed)
        fputs(result->finding.answers, stdout);
}

/* ---- documents ------------------------------------------------------------------------------- */

/* Prints, parses and prints again: the model and the text must be the same. */
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
            .finding = {format->name, "-", "text form", "itself", "round-trip", "", ""}};
    bo_writer_free(&again);
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return result;
}

/* ---- effort ---------------------------------------------------------------------------------- */

/* The effort of each level; --help documents these numbers. */
struct level {
    const char *name;
    uint64_t max_queries, least_queries; /* for each query kind */
    /* queries of a large document: this divided by the size of its text */
    uint64_t query_text_nbytes;
    uint64_t damaged_text_nbytes; /* damaged inputs of a large document: likewise */
    size_t max_damage_full, n_damage_sample;
    uint64_t max_failures;
};

static const struct level levels[] = {
    {"low", 5000, 200, 1000000000, 4000000, 200, 60, 40},
    {"normal", 50000, 1000, 12000000000, 25000000, 1500, 600, 200},
    {"full", UINT64_MAX, 0, 0, 0, 1500, 600, 200},
    {.name = NULL},
};

#define LEVELS_HELP                                                        \
    "--effort, for each codec and document whose text form has T bytes:\n" \
    "                                        low     normal   full\n"      \
    "  queries of each kind, at most         5,000   50,000   all\n"       \
    "    on large documents                  1 GB/T  12 GB/T  all\n"       \
    "    but at least                        200     1,000    all\n"       \
    "  texts that a document lacks, at most  2,500   25,000   100,000\n"   \
    "  every byte and prefix is damaged in\n"                              \
    "    encodings of up to                  200 B   1,500 B  1,500 B\n"   \
    "  samples of each in longer encodings   60      600      600\n"       \
    "    on large documents                  4 MB/T  25 MB/T  600\n"       \
    "  allocation failures of each function  40      200      200\n"       \
    "Documents of more than 1,000 units are damaged an eighth as often, except with full."

static const struct level *find_level(const char *name)
{
    struct bo_suggestion near = bo_suggest(name);
    for (const struct level *level = levels; level->name; level++) {
        if (strcmp(level->name, name) == 0)
            return level;
        bo_suggest_offer(&near, level->name);
    }
    bo_usage_error("verify", "no effort '%s'%s; the levels are low, normal and full", name,
                   bo_suggestion_text(&near));
    return NULL;
}

static uint64_t clamp(uint64_t v, uint64_t least, uint64_t most)
{
    return v < least ? least : v > most ? most : v;
}

/* The effort of a level for a document. The total work is bounded for documents of any length. */
static struct bo_effort effort_for(const struct level *level, uint64_t seed,
                                   const struct bo_document *document)
{
    /* For documents with more than 1000 units, the check uses an eighth of the sample. */
    enum { LARGE_UNITS = 1000, OF_LARGE_ONE_IN = 8 };
    struct bo_effort effort = bo_effort_default();
    struct bo_unit units[BO_MAX_UNITS] = {{NULL, 0}};
    document->format->units(document->model, units);
    const uint64_t one_in = units[0].n > LARGE_UNITS ? OF_LARGE_ONE_IN : 1;
    const uint64_t n = document->text_nbytes + 1;
    effort.seed = seed;
    effort.max_queries = level->max_queries;
    effort.max_damage_full = level->max_damage_full;
    effort.n_damage_sample = level->n_damage_sample;
    effort.max_failures = level->max_failures;
    effort.whole = level->query_text_nbytes == 0;
    if (effort.whole)
        return effort;
    effort.max_queries =
        clamp(level->query_text_nbytes / n, level->least_queries, level->max_queries);
    effort.n_damage_sample =
        (size_t)clamp(one_in * (level->damaged_text_nbytes / n), one_in, level->n_damage_sample);
    return effort;
}

/* ---- jobs: a check of a codec on a document -------------------------------------------------- */

struct job {
    const struct bo_document *document;
    const struct bo_codec *codec; /* NULL: the check of the text form */
    const struct bo_check *check;
};

struct verification {
    const struct level *level;
    uint64_t seed;
    struct bo_filter codecs;
    unsigned n_workers;
    struct tally *tally;
    struct job *jobs;
    size_t n_jobs;
    struct bo_progress progress;
    struct bo_shared_encoding encoding; /* for a worker process: the one that its last job used */
};

static const char *name_of_codec(const struct job *job)
{
    return job->codec ? job->codec->name : "-";
}

static void run_job(void *context, size_t i, void *result)
{
    struct verification *v = context;
    const struct job *job = &v->jobs[i];
    const struct bo_document *d = job->document;
    struct bo_effort effort = effort_for(v->level, v->seed, d);
    if (!job->codec) {
        *(struct bo_check_result *)result = check_text_form(d->format, d->model);
        return;
    }
    bo_share_encoding(&v->encoding, d->format, job->codec, d->model, &effort);
    *(struct bo_check_result *)result = job->check->run(d->format, job->codec, d->model, &effort);
}

static void job_crashed(void *context, size_t i, const char *how, void *result)
{
    const struct job *job = &((struct verification *)context)->jobs[i];
    struct bo_check_result *r = result;
    *r = (struct bo_check_result){.outcome = BO_FAIL};
    r->finding = (struct bo_finding){.format = job->document->format->name,
                                     .kind = "-",
                                     .a = name_of_codec(job),
                                     .b = "itself",
                                     .class = "crash"};
    snprintf(r->finding.detail, sizeof r->finding.detail, "%s", how);
}

static void job_done(void *context, size_t i, const void *result)
{
    struct verification *v = context;
    const struct job *job = &v->jobs[i];
    bo_progress_end(&v->progress); /* clears the progress line before printing another one */
    note(v->tally, job->document->name, name_of_codec(job),
         job->check ? job->check->name : "text-form", result);
}

static bool show_progress(void *context, size_t n_finished)
{
    struct verification *v = context;
    char detail[96] = "";
    if (n_finished < v->n_jobs) {
        const struct job *job = &v->jobs[n_finished];
        snprintf(detail, sizeof detail, "%s: %s", job->document->name, name_of_codec(job));
    }
    if (n_finished > v->progress.done)
        bo_progress_step(&v->progress, n_finished - v->progress.done, detail);
    return true;
}

static void add_jobs(struct verification *v, const struct bo_document *document)
{
    v->jobs[v->n_jobs++] = (struct job){document, NULL, NULL};
    for (const struct bo_codec *const *c = document->format->codecs; *c; c++)
        for (const struct bo_check *check = bo_checks;
             check->name && bo_filter_allows(&v->codecs, (*c)->name); check++)
            v->jobs[v->n_jobs++] = (struct job){document, *c, check};
}

/* Runs every check on n loaded documents. */
static bool verify_loaded(struct verification *v, const struct bo_document *documents, size_t n)
{
    size_t n_checks = 0, n_codecs = 0;
    while (bo_checks[n_checks].name)
        n_checks++;
    while (documents->format->codecs[n_codecs])
        n_codecs++;
    v->jobs = calloc(n * (1 + n_checks * n_codecs), sizeof *v->jobs);
    if (!v->jobs) {
        fprintf(stderr, "bakeoff: out of memory\n");
        return false;
    }
    v->n_jobs = 0;
    for (size_t i = 0; i < n; i++)
        add_jobs(v, &documents[i]);
    v->progress = bo_progress_start("verifying", v->n_jobs);
    const struct bo_jobs jobs = {
        .n = v->n_jobs,
        .result_nbytes = sizeof(struct bo_check_result),
        .context = v,
        .run = run_job,
        .crashed = job_crashed,
        .done = job_done,
        .tick = show_progress,
    };
    const bool ok = bo_jobs_run(&jobs, v->n_workers);
    bo_shared_encoding_free(&v->encoding); /* the documents are freed next */
    bo_progress_end(&v->progress);
    free(v->jobs);
    return ok;
}

/*
 * Loads as many documents at a time as fit, so that no processor waits for the last job of a
 * document.
 */
static bool verify_documents(struct verification *v, struct bo_documents *documents)
{
    const size_t max_nbytes = (size_t)256 << 20;
    for (size_t i = 0, n; i < documents->n; i += n) {
        size_t nbytes = 0;
        bool ok = true;
        for (n = 0; ok && i + n < documents->n && nbytes < max_nbytes; n++) {
            ok = bo_document_load(&documents->items[i + n]);
            nbytes += documents->items[i + n].arena.peak_nbytes;
        }
        ok = ok && verify_loaded(v, &documents->items[i], n);
        for (size_t k = i; k < i + n; k++) {
            bo_arena_free(&documents->items[k].arena);
            documents->items[k].model = NULL;
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool verify_generated(struct verification *v, const struct bo_format *format,
                             unsigned long long n)
{
    bool ok = true;
    for (unsigned long long i = 0; i < n && ok; i++) {
        struct bo_error error = {0};
        struct bo_random random = bo_random_seeded(v->seed + i);
        char name[48];
        struct bo_document document = {.format = format, .name = name};
        bo_arena_init(&document.arena, BO_ARENA_UNLIMITED);
        snprintf(name, sizeof name, "generated-%llu", (unsigned long long)v->seed + i);
        ok = format->generate(&random, (size_t)i % 20, &document.arena, &document.model, &error) ==
             BO_OK;
        if (ok)
            ok = verify_loaded(v, &document, 1);
        else
            bo_file_error(name, &error);
        bo_arena_free(&document.arena);
    }
    return ok;
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
                (struct bo_finding){format->name, "-", (*c)->name, "vector", "other-bytes", "", ""};
            snprintf(result.finding.detail, sizeof result.finding.detail, "%s", why);
        }
        note(tally, name ? name : "unnamed", (*c)->name, "vector", &result);
    }
}

/* Checks vectors that are models with the bytes of several codecs. */
static bool verify_models(const struct bo_format *format, const char *path, const json_t *vectors,
                          const struct bo_effort *effort, struct tally *tally)
{
    const struct bo_vector_reader *reader = bo_find_vector_reader(format->name);
    if (!reader) {
        fprintf(stderr, "bakeoff: %s: the folder has no vectors of %s\n", path, format->name);
        return false;
    }
    bool ok = true;
    size_t i;
    const json_t *vector;
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
    return ok;
}

struct checked {
    struct tally *tally;
    const char *codec;
};

static void note_vector(void *context, const char *name, const struct bo_vector_finding *finding)
{
    const struct checked *checked = context;
    struct bo_check_result result = {.outcome = finding ? BO_FAIL : BO_PASS, .n_cases = 1};
    if (finding) {
        result.finding.class = "vector";
        snprintf(result.finding.detail, sizeof result.finding.detail, "%s", finding->detail);
    }
    note(checked->tally, name, checked->codec, "vector", &result);
}

/* Checks the vectors of one codec (corpora/vectors.h) with every reader of its bytes. */
static bool verify_conformance(const struct bo_format *format, const char *path,
                               const json_t *vectors, struct tally *tally)
{
    const char *of = json_string_value(json_object_get(vectors, "format"));
    const char *name = json_string_value(json_object_get(vectors, "codec")), *why = NULL;
    if (!of || !name) {
        fprintf(stderr, "bakeoff: %s: no vectors: the object at byte 0 has no string \"%s\"\n",
                path, of ? "codec" : "format");
        return false;
    }
    if (strcmp(of, format->name) != 0) {
        fprintf(stderr, "bakeoff: %s: the vectors are for %s, not for %s\n", path, of,
                format->name);
        return false;
    }
    const struct bo_codec *codec = bo_need_codec_of("verify", format, name);
    for (const struct bo_codec *const *c = format->codecs; codec && *c && !why; c++)
        if (*c == codec || ((*c)->reads && strcmp((*c)->reads, name) == 0))
            bo_vectors_check(format, *c, vectors, note_vector, &(struct checked){tally, (*c)->name},
                             &why);
    if (why)
        fprintf(stderr, "bakeoff: %s: %s\n", path, why);
    return codec && !why;
}

static bool verify_vectors(const struct bo_format *format, const char *path,
                           const struct bo_effort *effort, struct tally *tally)
{
    struct bo_input in;
    json_error_t error;
    if (!bo_input_open(path, &in))
        return false;
    json_t *vectors = json_loadb((const char *)in.bytes.p, in.bytes.n, 0, &error);
    bo_input_close(&in);
    bool ok = false;
    if (json_is_array(vectors))
        ok = verify_models(format, path, vectors, effort, tally);
    else if (json_is_object(vectors))
        ok = verify_conformance(format, path, vectors, tally);
    else
        fprintf(stderr, "bakeoff: %s: %s at byte %d\n", path,
                vectors ? "neither vectors of a codec nor an array of them" : error.text,
                vectors ? 0 : error.position);
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

/* The options of the command line. */
struct request {
    const struct bo_format *format;
    struct bo_filter codecs;
    const char *vectors;
    const struct level *level;
    unsigned long long seed, n_generated, n_workers;
    bool json;
};

static bool verify_all(const struct request *request, char *const *names, int n,
                       struct tally *tally)
{
    struct verification v = {.level = request->level,
                             .seed = request->seed,
                             .codecs = request->codecs,
                             .n_workers = (unsigned)request->n_workers,
                             .tally = tally};
    struct bo_documents documents = {NULL, 0};
    bool ok = n > 0 || bo_documents_list(request->format, BO_DOCUMENTS_EMBEDDED, &documents);
    for (int i = 0; i < n && ok; i++)
        ok = bo_documents_add(request->format, names[i], &documents);
    ok = ok && verify_documents(&v, &documents) &&
         verify_generated(&v, request->format, request->n_generated);
    bo_documents_free(&documents);
    return ok;
}

static int verify(const struct request *request, char *const *names, int n)
{
    struct tally tally = {.results = request->json ? json_array() : NULL};
    struct bo_effort effort = bo_effort_default();
    effort.seed = request->seed;
    bool ok = request->vectors ? verify_vectors(request->format, request->vectors, &effort, &tally)
                               : verify_all(request, names, n, &tally);
    if (ok && tally.passed + tally.failed == 0) {
        fprintf(stderr, "bakeoff: verify: no %s of %s to verify\n",
                request->vectors ? "vectors" : "documents", request->format->name);
        ok = false;
    }
    if (ok)
        return conclude(&tally, request->format->name);
    json_decref(tally.results);
    return BO_EXIT_USAGE;
}

int bo_cmd_verify(int argc, char **argv)
{
    struct request request = {.seed = 1, .n_workers = bo_n_processors()};
    const char *codecs = NULL, *seed = NULL, *generate = NULL, *effort = "normal", *jobs = NULL;
    const struct bo_option options[] = {
        {"--effort", 0, "low|normal|full", "amount of checking (default normal), see above",
         &effort, NULL},
        {"--codec", 0, "C[,...]", "only these (a * is any text)", &codecs, NULL},
        {"--generate", 0, "N", "also N generated documents", &generate, NULL},
        {"--seed", 0, "S", "of everything that is sampled or generated (default 1)", &seed, NULL},
        {"--jobs", 'j', "N", "worker processes (default: the processors; 0: none)", &jobs, NULL},
        {"--vectors", 0, "FILE.json", "check test vectors instead", &request.vectors, NULL},
        {"--json", 0, NULL, "for programs", NULL, &request.json},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "verify", "FORMAT [F.txt...] [--effort low|normal|full] [--vectors FILE.json]",
        "Runs every check of every codec on these documents: files, folders, or names from\n"
        "`bakeoff list corpora`; without any, on the embedded ones. Exits 1 when a check fails.\n"
        "A check that crashes fails with class `crash`, and the others continue.\n\n" LEVELS_HELP,
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n < 1)
        return bo_usage_error("verify", "needs a format");
    request.format = bo_need_format("verify", argv[1]);
    if (!request.format || !(request.level = find_level(effort)) ||
        !bo_option_u64("verify", "--seed", seed, UINT64_MAX, &request.seed) ||
        !bo_option_u64("verify", "--jobs", jobs, 256, &request.n_workers) ||
        !bo_option_u64("verify", "--generate", generate, 100000, &request.n_generated) ||
        !bo_need_codecs("verify", codecs, request.format, &request.codecs))
        return BO_EXIT_USAGE;
    if (request.vectors && (n > 1 || codecs || generate))
        return bo_usage_error("verify",
                              "--vectors cannot be combined with documents, --codec or --generate");
    return verify(&request, argv + 2, n - 1);
}
