/* Sizes as JSON. */
#include "bench/measure/sizes.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/measure/compress.h"
#include "bench/measure/operations.h"
#include "harness/registry.h"

unsigned bo_sizes_count(const struct bo_format *format)
{
    unsigned n = 0;
    for (const struct bo_codec *const *c = format->codecs; *c; c++)
        n += !(*c)->reads;
    return n;
}

static json_t *sections_json(const struct bo_writer *out, bool counted)
{
    json_t *sections = json_object();
    for (unsigned i = 0; i < out->n_sections; i++)
        if (out->sections[i].counted == counted)
            json_object_set_new(sections, out->sections[i].name,
                                json_integer((json_int_t)bo_writer_section_nbytes(out, i)));
    return sections;
}

static void add_compressed(json_t *codec, const struct bo_writer *out, struct bo_arena *arena)
{
    struct bo_writer counted;
    bo_writer_init(&counted, arena);
    bo_writer_copy_counted(out, &counted);
    if (bo_writer_status(&counted, NULL) == BO_OK) {
        for (const struct bo_compressor *c = bo_compressors; c->name; c++) {
            const uint64_t n = c->compressed_nbytes(bo_writer_span(&counted));
            json_object_set_new(codec, c->name,
                                n == UINT64_MAX ? json_null() : json_integer((json_int_t)n));
        }
    }
    bo_writer_free(&counted);
}

/* Adds the reason why the codec cannot hold the whole document. */
static void add_what_is_left_out(json_t *json, const struct bo_format *format,
                                 const struct bo_codec *codec, const void *model,
                                 struct bo_arena *arena)
{
    const void *held;
    if (bo_held_model(format, codec, model, arena, &held, NULL))
        return;
    const char *difference = format->differ(model, held);
    if (difference)
        json_object_set_new(json, "leaves_out", json_string(difference));
}

static json_t *codec_json(const struct bo_format *format, const struct bo_codec *codec,
                          const void *model, bool compress)
{
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error err = {0};
    char status[256] = "ok";
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    json_t *json = json_pack("{s:s, s:s, s:s, s:o*, s:o*}", "name", codec->name, "role",
                             bo_role_name(codec->role), "access", bo_access_name(codec->access),
                             "probabilistic", codec->probabilistic ? json_true() : NULL, "optional",
                             codec->optional ? json_true() : NULL);
    if (codec->encode(codec, model, &out, &err)) {
        bo_say_error(&err, status, sizeof status);
    } else {
        json_object_set_new(json, "bytes", json_integer((json_int_t)bo_writer_counted(&out)));
        json_object_set_new(json, "sections", sections_json(&out, true));
        json_t *aside = sections_json(&out, false);
        if (json_object_size(aside))
            json_object_set(json, "aside", aside);
        json_decref(aside);
        add_what_is_left_out(json, format, codec, model, &arena);
        if (compress && bo_writer_counted(&out) <= BO_MAX_COMPRESSED_NBYTES)
            add_compressed(json, &out, &arena);
    }
    json_object_set_new(json, "status", json_string(status));
    bo_writer_free(&out);
    bo_arena_free(&arena);
    return json;
}

static json_t *units_json(const struct bo_format *format, const void *model)
{
    struct bo_unit units[BO_MAX_UNITS];
    const unsigned n = format->units(model, units);
    json_t *json = json_object();
    for (unsigned i = 0; i < n; i++)
        json_object_set_new(json, units[i].name, json_integer((json_int_t)units[i].n));
    return json;
}

/* ---- all codecs, side by side ---------------------------------------------------------------- */

/* State that the threads share. Each thread processes the next codec that no thread has started. */
struct work {
    const struct bo_document *document;
    const struct bo_sizes_options *options;
    const struct bo_codec **codecs;
    json_t **sizes;
    unsigned n;
    atomic_uint next;
    pthread_mutex_t progress;
};

static void *measure_codecs(void *opaque)
{
    struct work *work = opaque;
    for (unsigned i; (i = atomic_fetch_add(&work->next, 1)) < work->n;) {
        work->sizes[i] = codec_json(work->document->format, work->codecs[i], work->document->model,
                                    work->options->compress);
        if (work->options->progress) {
            pthread_mutex_lock(&work->progress);
            bo_progress_step(work->options->progress, 1, work->codecs[i]->name);
            pthread_mutex_unlock(&work->progress);
        }
    }
    return NULL;
}

/* If the system refuses a thread, the others do its work. The current thread always works. */
static void measure_side_by_side(struct work *work)
{
    enum { MAX_THREADS = 16 };
    pthread_t threads[MAX_THREADS];
    const long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned n = 0;
    json_object_seed(0); /* jansson requires this before threads */
    pthread_mutex_init(&work->progress, NULL);
    while (n < MAX_THREADS && n + 1 < n_processors && n + 1 < work->n &&
           pthread_create(&threads[n], NULL, measure_codecs, work) == 0)
        n++;
    measure_codecs(work);
    while (n)
        pthread_join(threads[--n], NULL);
    pthread_mutex_destroy(&work->progress);
}

static json_t *codecs_json(const struct bo_document *document,
                           const struct bo_sizes_options *options)
{
    struct work work = {.document = document, .options = options};
    const unsigned n = bo_sizes_count(document->format);
    work.codecs = bo_or_abort(calloc(n + 1, sizeof *work.codecs));
    work.sizes = bo_or_abort(calloc(n + 1, sizeof *work.sizes));
    for (const struct bo_codec *const *c = document->format->codecs; *c; c++)
        if (!(*c)->reads && (!options->wants || options->wants(options->context, document, *c)))
            work.codecs[work.n++] = *c;
    measure_side_by_side(&work);
    json_t *codecs = json_array();
    for (unsigned i = 0; i < work.n; i++)
        json_array_append_new(codecs, work.sizes[i]);
    free(work.codecs);
    free(work.sizes);
    return codecs;
}

json_t *bo_sizes_json(const struct bo_document *document, const struct bo_sizes_options *options)
{
    const struct bo_format *format = document->format;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const double floor_nbytes = ceil(bo_entropy_floor_nbytes(format, document->model, &arena));
    bo_arena_free(&arena);
    return json_pack("{s:s, s:o, s:I, s:o}", "name", document->name, "units",
                     units_json(format, document->model), "entropy_floor", (json_int_t)floor_nbytes,
                     "codecs", codecs_json(document, options));
}
