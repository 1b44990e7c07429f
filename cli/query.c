/* bakeoff query: answers one query from a codec's bytes, as text. */
#include <stdio.h>

#include "cli/options.h"
#include "cli/transcode.h"
#include "harness/core/print.h"

int bo_cmd_query(int argc, char **argv);

/*
 * Runs a query. The answer's buffer grows until it fits. Answers of variable size use a sink. *err
 * is empty before.
 */
static enum bo_status run_query(const struct bo_codec *codec, void *reader, unsigned k,
                                const struct bo_query_kind *kind, const void *query,
                                struct bo_arena *arena, struct bo_span *answer_ret,
                                struct bo_error *err)
{
    for (size_t cap = kind->answer_size ? kind->answer_size : 4096;; cap *= 4) {
        struct bo_sink sink = {.p = bo_alloc(arena, cap), .cap = cap};
        if (!sink.p)
            return bo_fail_alloc(err, arena);
        const enum bo_status status = codec->query(codec, reader, k, query, 1,
                                                   kind->answer_size ? (void *)sink.p : &sink, err);
        if (status == BO_OVER_LIMIT && !err->what && !kind->answer_size)
            continue; /* the sink was full */
        *answer_ret = (struct bo_span){sink.p, kind->answer_size ? kind->answer_size : sink.n};
        return status;
    }
}

/* `written`: the query as the user wrote it. */
static int answer(const struct bo_format *format, const struct bo_codec *codec,
                  const struct bo_query_kind *kind, const void *query, const char *written,
                  struct bo_span payload, const struct bo_input *in, struct bo_arena *arena)
{
    struct bo_writer text;
    struct bo_error error = {0};
    struct bo_span found = {0};
    void *reader = NULL;
    int code = BO_EXIT_OK;
    bo_writer_init(&text, arena);
    enum bo_status status = codec->open(codec, payload, arena, &reader, &error);
    if (!status)
        status = run_query(codec, reader, bo_kind_index(format, kind), kind, query, arena, &found,
                           &error);
    if (status == BO_OUT_OF_RANGE)
        bo_fail(&error, status, BO_NO_OFFSET,
                bo_arena_printf(arena, "query is outside of the document: %s", written));
    if (!status)
        kind->print(query, found, &text);
    else if (error.off != BO_NO_OFFSET)
        error.off += (uint64_t)(payload.p - in->bytes.p);
    if (status)
        code = bo_file_error(in->path, &error);
    if (code == BO_EXIT_OK && !bo_output(NULL, bo_writer_span(&text)))
        code = BO_EXIT_USAGE;
    bo_writer_free(&text);
    return code;
}

int bo_cmd_query(int argc, char **argv)
{
    bool raw = false;
    const struct bo_option options[] = {
        {"--raw", 0, NULL, "the file is the codec's bytes alone, without the file header", NULL,
         &raw},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {"query", "FORMAT/CODEC F.bin KIND ARGS...",
                                   "Runs one query; `bakeoff list formats` shows the kinds and "
                                   "their arguments.",
                                   options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n < 3)
        return bo_usage_error("query",
                              "expects FORMAT/CODEC, a file, a query kind and its arguments");
    const struct bo_format *format;
    const struct bo_codec *codec = bo_need_codec("query", argv[1], &format);
    const struct bo_query_kind *kind = codec ? bo_need_kind("query", format, argv[3]) : NULL;
    if (!kind)
        return BO_EXIT_USAGE;
    if (!(codec->kinds >> bo_kind_index(format, kind) & 1))
        return bo_usage_error("query", "%s does not support the query kind %s", codec->name,
                              kind->name);
    _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
    struct bo_error error = {0};
    struct bo_arena arena;
    struct bo_input in;
    struct bo_span payload;
    int code = BO_EXIT_USAGE;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (kind->parse(n - 3, argv + 4, &arena, query, &error)) {
        bo_usage_error("query", "%s (%s%s%s)", error.what, kind->name, *kind->usage ? " " : "",
                       kind->usage);
    } else if (!bo_open_payload(format, codec, argv[2], raw, &in, &payload)) {
        const char *written = kind->name;
        for (int i = 4; i <= n; i++)
            written = bo_arena_printf(&arena, "%s %s", written, argv[i]);
        code = answer(format, codec, kind, query, written, payload, &in, &arena);
        bo_input_close(&in);
    }
    bo_arena_free(&arena);
    return code;
}
