/* Conversions between files, models and payloads. */
#include "cli/transcode.h"

#include <stdio.h>

#include "harness/file.h"

int bo_read_text(const struct bo_format *format, const char *path, struct bo_arena *arena,
                 void **model_ret)
{
    struct bo_input in;
    struct bo_error error = {0};
    if (!bo_input_open(path, &in))
        return BO_EXIT_USAGE;
    const enum bo_status status = format->parse(in.bytes, arena, model_ret, &error);
    const int code = status ? bo_file_error(in.path, &error) : BO_EXIT_OK;
    bo_input_close(&in);
    return code;
}

int bo_write_text(const struct bo_format *format, const void *model, const char *path)
{
    struct bo_arena arena;
    struct bo_writer text;
    struct bo_error error = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    int code = BO_EXIT_OK;
    if (format->print(model, &text, &error))
        code = bo_file_error(path ? path : "standard output", &error);
    else if (!bo_output(path, bo_writer_span(&text)))
        code = BO_EXIT_USAGE;
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return code;
}

/* Names the codec that wrote the file, if that is the error. */
static int report_open_error(const struct bo_input *in, const struct bo_error *error)
{
    struct bo_span format, codec;
    bo_file_names(in->bytes, &format, &codec);
    if (error->status != BO_BAD_USAGE || !format.n)
        return bo_file_error(in->path, error);
    fprintf(stderr, "bakeoff: %s: %s: it holds %.*s/%.*s\n", in->path, error->what, (int)format.n,
            (const char *)format.p, (int)codec.n, (const char *)codec.p);
    return BO_EXIT_USAGE;
}

int bo_open_payload(const struct bo_format *format, const struct bo_codec *codec, const char *path,
                    bool raw, struct bo_input *in, struct bo_span *payload_ret)
{
    struct bo_error error = {0};
    if (!bo_input_open(path, in))
        return BO_EXIT_USAGE;
    *payload_ret = in->bytes;
    if (raw || bo_file_open(format, codec, in->bytes, payload_ret, &error) == BO_OK)
        return BO_EXIT_OK;
    const int code = report_open_error(in, &error);
    bo_input_close(in);
    return code;
}

/* Prints a note about everything that an encoding cannot hold. */
static enum bo_status print_what_is_left_out(const struct bo_format *format,
                                             const struct bo_codec *codec, const void *model,
                                             struct bo_arena *arena, struct bo_error *err)
{
    const void *held;
    const enum bo_status status = bo_held_model(format, codec, model, arena, &held, err);
    const char *difference = status ? NULL : format->differ(model, held);
    if (difference)
        fprintf(stderr, "bakeoff: note: %s does not hold everything: %s\n", codec->name,
                difference);
    return status;
}

int bo_write_payload(const struct bo_format *format, const struct bo_codec *codec,
                     const void *model, const char *path, bool raw)
{
    struct bo_arena arena;
    struct bo_writer payload, file;
    struct bo_error error = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&payload, &arena);
    bo_writer_init(&file, &arena);
    enum bo_status status = codec->encode(codec, model, &payload, &error);
    if (!status)
        status = print_what_is_left_out(format, codec, model, &arena, &error);
    if (!status && !raw) {
        bo_file_put(format, bo_layout_of(format, codec), bo_writer_span(&payload), &file);
        status = bo_writer_status(&file, &error);
    }
    int code = BO_EXIT_OK;
    if (status)
        code = bo_file_error(codec->name, &error);
    else if (!bo_output(path, bo_writer_span(raw ? &payload : &file)))
        code = BO_EXIT_USAGE;
    bo_writer_free(&file);
    bo_writer_free(&payload);
    bo_arena_free(&arena);
    return code;
}
