/*
 * <format>_import_<name>: the input is a file for one importer of the format, or a stream of events
 * (ctf_events.h).
 *
 * No file may crash an importer. An accepted file gives a model whose text form parses to the same
 * model, and every encoding of the format stores that model or reports that it cannot.
 */
#include <stdio.h>
#include <stdlib.h>

#include "corpora/import/import.h"
#include "fuzz/limits.h"
#include "fuzz/target.h"
#include "harness/check/agreement.h"
#include "harness/core/guard.h"

#ifdef BO_FUZZ_EVENTS
#include "fuzz/ctf_events.h"
#endif

#define IMPORTER_OF_(format, name) format##_##name##_importer
#define IMPORTER_OF(format, name) IMPORTER_OF_(format, name)
#define the_importer IMPORTER_OF(BO_FORMAT, BO_IMPORTER)
extern const struct bo_importer the_importer;

/*
 * N_PARAMS: the number of bytes at the end of a file from which options are drawn. They are part of
 * the file, too. MAX_ENCODED: models with a longer text form are not encoded. A compressed file may
 * expand to a model of megabytes. Codecs with context models encode it at 0.5 us a byte, and at 20
 * us a byte when libFuzzer traces comparisons.
 */
enum { N_PARAMS = 16, MAX_ENCODED = 2 * BO_FUZZ_MAX_INPUT_NBYTES };

/* The import under test: the file, its options, and the importer's results. */
struct import {
    struct bo_span file;
    const struct bo_import_options *options; /* NULL: none */
    struct bo_arena arena;
    struct bo_error error;
    enum bo_status status;
    void *model;
};

_Noreturn static void report(const char *b, const char *class, const char *detail,
                             const struct bo_error *error)
{
    struct bo_finding finding = {.format = bo_fuzz_format->name,
                                 .kind = "-",
                                 .a = the_importer.name,
                                 .b = b,
                                 .class = class};
    if (error)
        bo_finding_explain(&finding, detail, error);
    else
        snprintf(finding.detail, sizeof finding.detail, "%s", detail);
    bo_fuzz_report(&finding);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Imports, with allocation number fail_at failing (0: none). Every error must be a named one. */
static void import(struct import *in, uint64_t fail_at)
{
    bo_arena_init(&in->arena, bo_fuzz_effort(1).budget_nbytes);
    in->arena.fail_at = fail_at;
    in->error = (struct bo_error){0};
    in->model = NULL;
#ifdef BO_FUZZ_EVENTS
    bo_fuzz_events = in->file;
    in->status = the_importer.import_folder("", &in->arena, &in->model, &in->error);
#else
    in->status = the_importer.import(in->file, in->options, &in->arena, &in->model, &in->error);
#endif
    if (in->status && !bo_error_is_complete(in->status, &in->error))
        report("itself", "unnamed-error", bo_status_name(in->status), NULL);
    if (in->status == BO_NO_MEMORY && !fail_at)
        report("itself", "allocation-failure", "reported although no allocation failed", NULL);
    if (in->status && in->error.off != BO_NO_OFFSET && in->error.off > in->file.n)
        report("itself", "unnamed-error", "offset past the end of the file", &in->error);
}

/* Each of the first allocations fails once, and one of the others. */
static void import_with_failures(const struct import *complete)
{
    const uint64_t n_allocs = complete->arena.n_allocs;
    const struct bo_effort effort = bo_fuzz_effort(1);
    for (uint64_t i = 0; i <= effort.max_failures && i < n_allocs; i++) {
        struct import again = {.file = complete->file, .options = complete->options};
        const uint64_t drawn = bo_mix64(n_allocs + complete->file.n) % n_allocs;
        import(&again, 1 + (i < effort.max_failures ? i : drawn));
        if (again.status != BO_NO_MEMORY)
            report("itself", "allocation-failure", bo_status_name(again.status), NULL);
        bo_arena_free(&again.arena);
    }
}

/* ---- the imported model ---------------------------------------------------------------------- */

static void check_text(const struct import *in, struct bo_writer *text)
{
    struct bo_error error = {0};
    void *parsed = NULL;
    if (bo_fuzz_format->print(in->model, text, &error))
        report("text", "accepts-garbage", "the model does not print", &error);
    if (bo_fuzz_format->parse(bo_writer_span(text), text->arena, &parsed, &error))
        report("text", "accepts-garbage", "the text form does not parse", &error);
    const char *difference = bo_fuzz_format->differ(in->model, parsed);
    if (difference)
        report("text", "accepts-garbage", difference, NULL);
}

static void check_encodings(const struct import *in)
{
    const struct bo_effort effort = bo_fuzz_effort(1);
    const struct bo_check *round_trip = bo_find_check("round-trip");
    for (const struct bo_codec *const *c = bo_fuzz_format->codecs; *c; c++) {
        if ((*c)->reads)
            continue;
        const struct bo_check_result result =
            round_trip->run(bo_fuzz_format, *c, in->model, &effort);
        if (result.outcome == BO_FAIL)
            bo_fuzz_report(&result.finding);
        bo_fuzz_count(bo_fuzz_format, *c, result.outcome == BO_PASS);
    }
}

/* ---- the same, record by record -------------------------------------------------------------- */

struct streamed {
    struct bo_span left;
    struct bo_writer out;
};

/* Reads pieces of one to eight bytes, so that every token is split in some run. */
static const char *read_piece(void *context, uint8_t *to, size_t n, size_t *n_ret)
{
    struct streamed *s = context;
    const size_t piece = 1 + s->left.n % 8;
    n = n < piece ? n : piece;
    n = n < s->left.n ? n : s->left.n;
    if (n)
        memcpy(to, s->left.p, n);
    s->left = (struct bo_span){s->left.p + n, s->left.n - n};
    *n_ret = n;
    return NULL;
}

static bool write_piece(void *context, struct bo_span bytes)
{
    bo_put_bytes(&((struct streamed *)context)->out, bytes.p, bytes.n);
    return true;
}

/* `stream` accepts what `import` accepts, and writes the model's text form. */
static void check_stream(const struct import *in, struct bo_span text)
{
    struct bo_arena arena;
    struct streamed s = {.left = in->file};
    struct bo_source source = {read_piece, &s};
    struct bo_drain drain = {write_piece, &s};
    struct bo_error error = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&s.out, &arena);
    const enum bo_status status = the_importer.stream(&source, &drain, &error);
    if (status && !bo_error_is_complete(status, &error))
        report("stream", "unnamed-error", bo_status_name(status), NULL);
    if (in->status != BO_OVER_LIMIT && (in->status || status) &&
        (status != in->status || error.off != in->error.off))
        report("stream", "readers-disagree", status ? "stream" : "import",
               status ? &error : &in->error);
    if (!status && !in->status && !bo_span_equal(bo_writer_span(&s.out), text))
        report("stream", "readers-disagree", "the texts differ", NULL);
    bo_writer_free(&s.out);
    bo_arena_free(&arena);
}

/* ---- the target ------------------------------------------------------------------------------ */

static void check_import(struct bo_span file, const struct bo_import_options *options)
{
    struct import in = {.file = file, .options = options};
    struct bo_writer text;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    import(&in, 0);
    if (in.status == BO_OK) {
        bo_fuzz_show(the_importer.name, in.model);
        check_text(&in, &text);
        if (text.n <= MAX_ENCODED)
            check_encodings(&in);
        import_with_failures(&in);
    }
    if (the_importer.stream && !options)
        check_stream(&in, bo_writer_span(&text));
    bo_writer_free(&text);
    bo_arena_free(&arena);
    bo_arena_free(&in.arena);
}

/*
 * Options from the last bytes of the file, small or arbitrary numbers. If an option is a file, the
 * input is that file, a NUL, and the importer's own file.
 */
static struct bo_import_options draw_options(struct bo_span *file)
{
    struct bo_import_options options = {0};
    struct bo_span left = *file;
    struct bo_random params = bo_fuzz_take_params(&left, N_PARAMS);
    for (const struct bo_import_option *o = the_importer.options; o && o->name; o++) {
        uint8_t *field = (uint8_t *)&options + o->field;
        if (o->kind == BO_IMPORT_FILE) {
            const uint8_t *nul = file->n ? memchr(file->p, 0, file->n) : NULL;
            const size_t n = nul ? (size_t)(nul - file->p) : 0;
            memcpy(field, &(struct bo_span){file->p, n}, sizeof *file);
            *file = nul ? (struct bo_span){nul + 1, file->n - n - 1} : *file;
        } else if (o->kind == BO_IMPORT_NUMBER) {
            uint64_t v = bo_random_u64(&params);
            v = v % 2 ? v >> 1 : v >> 56;
            v = v > o->max ? o->max : v;
            memcpy(field, &v, sizeof v);
        }
    }
    return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    struct bo_guarded guarded;
    if (strcmp(the_importer.format, bo_fuzz_format->name) != 0 ||
        !bo_guarded_copy((struct bo_span){data, nbytes}, &guarded))
        abort();
    if (the_importer.sniff)
        the_importer.sniff(guarded.span);
    check_import(guarded.span, NULL);
    if (the_importer.options) {
        struct bo_span file = guarded.span;
        const struct bo_import_options options = draw_options(&file);
        check_import(file, &options);
    }
    bo_guarded_free(&guarded);
    return 0;
}
