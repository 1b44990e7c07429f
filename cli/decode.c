/* bakeoff decode: from a codec's bytes to the canonical text form. */
#include "cli/options.h"
#include "cli/transcode.h"

int bo_cmd_decode(int argc, char **argv);

int bo_cmd_decode(int argc, char **argv)
{
    const char *out = NULL;
    bool raw = false;
    const struct bo_option options[] = {
        {"--output", 'o', "FILE", "write here instead of to standard output", &out, NULL},
        {"--raw", 0, NULL, "the file is the codec's bytes alone, without the file header", NULL,
         &raw},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {"decode", "FORMAT/CODEC F.bin [-o F.txt]",
                                   "Decodes a file that `bakeoff encode` wrote.", options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 2)
        return bo_usage_error("decode", "expects FORMAT/CODEC and one file");
    const struct bo_format *format;
    const struct bo_codec *codec = bo_need_codec("decode", argv[1], &format);
    struct bo_input in;
    struct bo_span payload;
    if (!codec || bo_open_payload(format, codec, argv[2], raw, &in, &payload))
        return BO_EXIT_USAGE;
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model = NULL;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const enum bo_status status = codec->decode(codec, payload, &arena, &model, &error);
    if (error.off != BO_NO_OFFSET)
        /* errors report offsets in the file, not in its payload */
        error.off += (uint64_t)(payload.p - in.bytes.p);
    const int code = status ? bo_file_error(in.path, &error) : bo_write_text(format, model, out);
    bo_arena_free(&arena);
    bo_input_close(&in);
    return code;
}
