/* Sizes as JSON. */
#include "bench/sizes.h"

#include <math.h>
#include <stdio.h>

#include "bench/compress.h"
#include "bench/operations.h"

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

static json_t *codec_json(const struct bo_codec *codec, const void *model, bool compress)
{
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error err = {0};
    char status[256] = "ok";
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    json_t *json = json_pack("{s:s, s:s, s:s}", "name", codec->name, "role",
                             bo_role_name(codec->role), "access", bo_access_name(codec->access));
    if (codec->encode(model, &out, &err)) {
        bo_say_error(&err, status, sizeof status);
    } else {
        json_object_set_new(json, "bytes", json_integer((json_int_t)bo_writer_counted(&out)));
        json_object_set_new(json, "sections", sections_json(&out, true));
        json_t *aside = sections_json(&out, false);
        if (json_object_size(aside))
            json_object_set(json, "aside", aside);
        json_decref(aside);
        if (compress)
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

json_t *bo_sizes_json(const struct bo_document *document, const struct bo_sizes_options *options)
{
    const struct bo_format *format = document->format;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    json_t *codecs = json_array();
    const double floor_nbytes = ceil(format->entropy_floor_nbytes(document->model, &arena));
    bo_arena_free(&arena);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        if ((*c)->reads || (options->wants && !options->wants(options->context, (*c)->name)))
            continue;
        json_array_append_new(codecs, codec_json(*c, document->model, options->compress));
        if (options->progress)
            bo_progress_step(options->progress, (*c)->name);
    }
    return json_pack("{s:s, s:o, s:I, s:o}", "name", document->name, "units",
                     units_json(format, document->model), "entropy_floor", (json_int_t)floor_nbytes,
                     "codecs", codecs);
}
