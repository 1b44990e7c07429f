/* Shared by the fuzz targets: parameters, limits, reports. */
#include "fuzz/target.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/core/guard.h"

bool bo_fuzz_prints;

/* Units (tables, functions, ...) of a generated model, at most. */
enum { MAX_SCALE = 16 };

struct bo_random bo_fuzz_take_params(struct bo_span *input, size_t n_params)
{
    const size_t n = n_params < input->n ? n_params : input->n;
    input->n -= n;
    return bo_random_from_bytes((struct bo_span){input->p + input->n, n});
}

static uint64_t *map_counts(const char *path)
{
    const size_t nbytes = 2 * BO_FUZZ_MAX_CODECS * sizeof(uint64_t);
    const int fd = open(path, O_RDWR | O_CREAT, 0666);
    void *p = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)nbytes) == 0)
        p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) {
        perror(path);
        exit(2);
    }
    close(fd);
    return p;
}

void bo_fuzz_count(const struct bo_format *format, const struct bo_codec *codec, bool accepted)
{
    static uint64_t *counts;
    static bool is_open;
    const char *path = is_open ? NULL : getenv("BAKEOFF_FUZZ_COUNTS");
    is_open = true;
    if (path)
        counts = map_counts(path);
    for (size_t i = 0; counts && i < BO_FUZZ_MAX_CODECS && format->codecs[i]; i++)
        if (format->codecs[i] == codec) {
            __atomic_fetch_add(&counts[i], 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(&counts[BO_FUZZ_MAX_CODECS + i], accepted, __ATOMIC_RELAXED);
        }
}

struct bo_effort bo_fuzz_effort(uint64_t seed)
{
    return (struct bo_effort){
        .seed = seed,
        .max_queries = 192,
        .max_damage_full = 1,
        .n_damage_sample = 0,
        .budget_nbytes = (size_t)64 << 20,
        .max_failures = 4,
    };
}

/*
 * True for layouts that every build has, so that an encoding number has the same meaning in each
 * build.
 */
static bool is_everywhere(const struct bo_codec *codec)
{
    return !codec->reads && !codec->level_of && !codec->optional;
}

/*
 * True for an available encoding of bakeoff's own that needs a library. Controls are only as safe
 * as their libraries.
 */
static bool is_ours_here(const struct bo_codec *codec)
{
    return !codec->reads && codec->optional && codec->role == BO_NEW;
}

unsigned bo_fuzz_n_encodings(const struct bo_format *format)
{
    unsigned n = 0;
    for (const struct bo_codec *const *c = format->codecs; *c; c++)
        n += is_everywhere(*c);
    return n;
}

const struct bo_codec *bo_fuzz_encoding(const struct bo_format *format, unsigned i, size_t nbytes)
{
    const struct bo_codec *const *c = format->codecs;
    if (nbytes % BO_FUZZ_OURS_ONE_IN == 0)
        for (; *c; c++)
            if (is_ours_here(*c))
                return *c;
    for (c = format->codecs;; c++)
        if (is_everywhere(*c) && i-- == 0)
            return *c;
}

const void *bo_fuzz_generate(const struct bo_format *format, struct bo_span entropy,
                             struct bo_arena *arena)
{
    struct bo_random random = bo_random_from_bytes(entropy);
    struct bo_error err = {0};
    void *model;
    if (format->generate(&random, MAX_SCALE, arena, &model, &err))
        bo_fuzz_report_status(format, "format", "generate-fails", &err);
    return model;
}

void bo_fuzz_show(const char *title, const void *model)
{
    struct bo_arena arena;
    struct bo_writer text;
    struct bo_error error = {0};
    if (!bo_fuzz_prints)
        return;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    printf("# %s\n", title);
    if (bo_fuzz_format->print(model, &text, &error))
        printf("# cannot be printed: %s\n", error.what ? error.what : "no phrase");
    else
        fwrite(text.p, 1, text.n, stdout);
    fflush(stdout);
    bo_writer_free(&text);
    bo_arena_free(&arena);
}

/*
 * Prints the model that a codec decodes or, without one, the parser of the text form. Nothing
 * unless bo_fuzz_prints.
 */
static void show_decoded(const struct bo_format *format, const struct bo_codec *codec,
                         struct bo_span bytes, const struct bo_effort *effort)
{
    const char *name = codec ? codec->name : "the parser of the text form";
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model = NULL;
    char title[80];
    if (!bo_fuzz_prints)
        return;
    bo_arena_init(&arena, effort->budget_nbytes);
    snprintf(title, sizeof title, "decoded by %s", name);
    if ((codec ? codec->decode(codec, bytes, &arena, &model, &error)
               : format->parse(bytes, &arena, &model, &error)) == BO_OK)
        bo_fuzz_show(title, model);
    else
        printf("# rejected by %s: %s\n", name, error.what ? error.what : "no phrase");
    fflush(stdout);
    bo_arena_free(&arena);
}

void bo_fuzz_offer_to_all(const struct bo_format *format, struct bo_span bytes,
                          const struct bo_effort *effort)
{
    for (const struct bo_codec *const *c = format->codecs; *c; c++)
        if (is_everywhere(*c) || is_ours_here(*c))
            bo_fuzz_offer(format, *c, bytes, NULL, effort);
}

void bo_fuzz_offer(const struct bo_format *format, const struct bo_codec *encoding,
                   struct bo_span bytes, const void *model, const struct bo_effort *effort)
{
    struct bo_finding finding;
    struct bo_guarded guarded;
    struct bo_probes probes;
    struct bo_arena arena;
    bool accepted = false;
    bo_arena_init(&arena, effort->budget_nbytes);
    if (model)
        bo_probes_draw(format, model, &arena, &probes);
    if (!bo_guarded_copy(bytes, &guarded))
        abort();
    show_decoded(format, encoding, guarded.span, effort);
    if (!bo_check_bytes_in_place(format, encoding, guarded.span, model ? &probes : NULL, effort,
                                 &accepted, &finding))
        bo_fuzz_report(&finding);
    bo_guarded_free(&guarded);
    bo_arena_free(&arena);
    for (const struct bo_codec *const *c = format->codecs; *c; c++)
        if (bo_encoding_of(format, *c) == encoding)
            bo_fuzz_count(format, *c, accepted);
}

void bo_fuzz_offer_text(const struct bo_format *format, struct bo_span text,
                        const struct bo_effort *effort)
{
    struct bo_finding finding;
    bool accepted;
    show_decoded(format, NULL, text, effort);
    if (!bo_check_text(format, text, effort, &accepted, &finding))
        bo_fuzz_report(&finding);
}

void bo_fuzz_report(const struct bo_finding *finding)
{
    struct bo_arena arena;
    struct bo_writer line;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&line, &arena);
    bo_finding_print(finding, &line);
    fwrite(line.p, 1, line.n, stderr);
    fflush(stderr);
    abort();
}

void bo_fuzz_report_status(const struct bo_format *format, const char *codec, const char *class,
                           const struct bo_error *err)
{
    struct bo_finding finding = {
        .format = format->name, .kind = "-", .a = codec, .b = "itself", .class = class};
    snprintf(finding.detail, sizeof finding.detail, "%s at byte %" PRIu64 ": %s",
             bo_status_name(err->status), err->off, err->what ? err->what : "no phrase");
    bo_fuzz_report(&finding);
}
