/*
 * The importer of the YAML that clang prints (-Xclang -templight-dump): the format's own text form,
 * checked and laid out canonically. It works record by record, since a dump may have gigabytes.
 */
#include "codecs/templight/text.h"
#include "corpora/import/import.h"
#include "harness/registry.h"

/* Compares as far as the file goes, since it may be truncated. */
static bool begins_with(struct bo_span file, const char *word)
{
    const size_t n = strlen(word);
    return memcmp(file.p, word, file.n < n ? file.n : n) == 0;
}

/* Recognises YAML documents, perhaps after comments. An empty file is a trace without records. */
static bool looks_like_yaml(struct bo_span file)
{
    return file.n == 0 || begins_with(file, "---\n") || begins_with(file, "---\r\n") ||
           begins_with(file, "# ");
}

static enum bo_status import_yaml(struct bo_span file, const struct bo_import_options *options,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    return bo_find_format("templight")->parse(file, arena, model_ret, err);
}

/* ---- record by record ------------------------------------------------------------------------ */

struct canonical {
    struct templight_text_reader reader;
    struct bo_writer out;
    struct bo_drain *drain;
    uint64_t n_traces;
    /*
     * the header of the current trace is not written yet: its first record decides whether it needs
     * one
     */
    bool owes_header;
};

static void put_owed_header(struct canonical *c)
{
    if (c->owes_header)
        templight_put_trace_header(&c->out, TEMPLIGHT_VERSION, (struct bo_span){NULL, 0});
    c->owes_header = false;
}

static void put_event(struct canonical *c, enum templight_text_event event)
{
    const struct templight_text_reader *reader = &c->reader;
    if (event == TEMPLIGHT_TEXT_RECORD) {
        c->owes_header = false;
        templight_put_entry(&c->out, &reader->entry, reader->closed);
        return;
    }
    put_owed_header(c);
    if (event == TEMPLIGHT_TEXT_END)
        return;
    c->owes_header =
        c->n_traces++ == 0 && templight_is_clangs_header(reader->version, reader->source_file);
    if (!c->owes_header)
        templight_put_trace_header(&c->out, reader->version, reader->source_file);
}

static enum bo_status put_events(struct canonical *c, struct bo_error *err)
{
    enum { PIECE_NBYTES = 1 << 18 };
    enum templight_text_event event;
    do {
        enum bo_status status = templight_text_next(&c->reader, &event);
        if (status)
            return status;
        put_event(c, event);
        status = bo_writer_status(&c->out, err);
        if (status)
            return status;
        if (c->out.n < PIECE_NBYTES && event != TEMPLIGHT_TEXT_END)
            continue;
        if (!c->drain->write(c->drain->context, bo_writer_span(&c->out)))
            return bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot write the output");
        bo_writer_reset(&c->out);
    } while (event != TEMPLIGHT_TEXT_END);
    return BO_OK;
}

static enum bo_status stream_yaml(struct bo_source *file, struct bo_drain *out,
                                  struct bo_error *err)
{
    struct bo_arena arena, passing;
    struct canonical c = {.drain = out};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_arena_init(&passing, BO_ARENA_UNLIMITED);
    bo_writer_init(&c.out, &arena);
    templight_text_open_source(&c.reader, file, &arena, &passing, err);
    const enum bo_status status = put_events(&c, err);
    bo_writer_free(&c.out);
    bo_arena_free(&passing);
    bo_arena_free(&arena);
    return status;
}

const struct bo_importer templight_yaml_importer = {
    .format = "templight",
    .name = "yaml",
    .summary = "the YAML that clang prints with -Xclang -templight-dump",
    .sniff = looks_like_yaml,
    .import = import_yaml,
    .stream = stream_yaml,
};
