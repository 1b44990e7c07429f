/* bakeoff convert: from one codec's bytes to another's. */
#include "cli/options.h"
#include "cli/transcode.h"

int bo_cmd_convert(int argc, char **argv);

int bo_cmd_convert(int argc, char **argv)
{
    const char *out = NULL;
    const struct bo_option options[] = {
        {"--output", 'o', "FILE", "write here instead of to standard output", &out, NULL},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {"convert", "FORMAT/CODEC-A FORMAT/CODEC-B F.bin -o G.bin",
                                   "Decodes with one codec and encodes with another.", options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 3)
        return bo_usage_error("convert", "expects two FORMAT/CODEC and one file");
    const struct bo_format *format, *to_format;
    const struct bo_codec *from = bo_need_codec("convert", argv[1], &format);
    const struct bo_codec *to = from ? bo_need_codec("convert", argv[2], &to_format) : NULL;
    if (!to)
        return BO_EXIT_USAGE;
    if (format != to_format)
        return bo_usage_error("convert", "%s and %s are different formats", format->name,
                              to_format->name);
    struct bo_input in;
    struct bo_span payload;
    if (bo_open_payload(format, from, argv[3], false, &in, &payload))
        return BO_EXIT_USAGE;
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model = NULL;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const enum bo_status status = from->decode(from, payload, &arena, &model, &error);
    if (error.off != BO_NO_OFFSET)
        /* errors report offsets in the file, not in its payload */
        error.off += (uint64_t)(payload.p - in.bytes.p);
    const int code =
        status ? bo_file_error(in.path, &error) : bo_write_payload(format, to, model, out, false);
    bo_arena_free(&arena);
    bo_input_close(&in);
    return code;
}
