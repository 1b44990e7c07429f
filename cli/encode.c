/* bakeoff encode: from the text form to a codec's bytes. */
#include "cli/options.h"
#include "cli/transcode.h"

int bo_cmd_encode(int argc, char **argv);

int bo_cmd_encode(int argc, char **argv)
{
    const char *out = NULL;
    bool raw = false;
    const struct bo_option options[] = {
        {"--output", 'o', "FILE", "write here instead of to standard output", &out, NULL},
        {"--raw", 0, NULL, "the codec's bytes alone, without the file header", NULL, &raw},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "encode", "FORMAT/CODEC F.txt -o F.bin",
        "Encodes a text form (\"-\": standard input; .xz and .zst are unpacked).", options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 2)
        return bo_usage_error("encode", "expects FORMAT/CODEC and one file");
    const struct bo_format *format;
    const struct bo_codec *codec = bo_need_codec("encode", argv[1], &format);
    if (!codec)
        return BO_EXIT_USAGE;
    struct bo_arena arena;
    void *model = NULL;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    int code = bo_read_text(format, argv[2], &arena, &model);
    if (code == BO_EXIT_OK)
        code = bo_write_payload(format, codec, model, out, raw);
    bo_arena_free(&arena);
    return code;
}
