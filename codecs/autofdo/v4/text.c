/*
 * v4-text: version 4's textual format, for people; and its codec, which reads the whole text.
 *
 * It has the binary format's shape: functions by their files, counts apart from call targets. There
 * is no summary, which follows from the rest.
 */
#include "codecs/autofdo/v4/text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "codecs/autofdo/decoded.h"

/* A function and its file; no path when it has none. */
struct placed {
    const struct bo_span *path;
    const struct autofdo_function *function;
};

/* ---- words ----------------------------------------------------------------------------------- */

static void put_indent(struct bo_writer *out, unsigned n)
{
    uint8_t *p = bo_put_space(out, n);
    if (p)
        memset(p, ' ', n);
}

static void put_literal(struct bo_writer *out, const char *s)
{
    bo_put_bytes(out, s, strlen(s));
}

/* Writes the byte in its quoted form, of up to 4 bytes. Returns the end of it. */
static uint8_t *put_quoted(uint8_t *p, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    if (byte < ' ' || byte > '~') {
        const uint32_t high = (uint8_t)digits[byte >> 4], low = (uint8_t)digits[byte & 15];
        bo_set_le32(p, '\\' | 'x' << 8 | high << 16 | low << 24);
        return p + 4;
    }
    if (byte == '"' || byte == '\\')
        *p++ = '\\';
    *p++ = byte;
    return p;
}

/*
 * In pieces, each byte once: a name may have 64 KiB of bytes to escape, and may occur many times in
 * a profile.
 */
static void put_string(struct bo_writer *out, struct bo_span s)
{
    enum { PIECE_NBYTES = 1024 };
    uint8_t piece[4 * PIECE_NBYTES];
    bo_put_u8(out, '"');
    for (size_t i = 0; i < s.n && !out->status;) {
        uint8_t *p = piece;
        for (const size_t end = s.n - i < PIECE_NBYTES ? s.n : i + PIECE_NBYTES; i < end; i++)
            p = put_quoted(p, s.p[i]);
        bo_put_bytes(out, piece, (size_t)(p - piece));
    }
    bo_put_u8(out, '"');
}

static void put_name(struct bo_writer *out, struct bo_span name)
{
    bool is_plain = autofdo_v4_text_is_first(name.p[0]);
    for (size_t i = 1; i < name.n && is_plain; i++)
        is_plain = autofdo_v4_text_is_rest(name.p[i]);
    if (is_plain)
        bo_put_bytes(out, name.p, name.n);
    else
        put_string(out, name);
}

static void put_place(struct bo_writer *out, uint32_t line, uint32_t discriminator)
{
    bo_put_decimal(out, line);
    if (discriminator) {
        bo_put_u8(out, '.');
        bo_put_decimal(out, discriminator);
    }
}

/* ---- instances ------------------------------------------------------------------------------- */

static void put_counts(struct bo_writer *out, const struct autofdo_instance *instance,
                       unsigned indent)
{
    for (size_t i = 0; i < instance->n_records; i++) {
        const struct autofdo_record *record = &instance->records[i];
        if (i == 0) {
            put_indent(out, indent);
            put_literal(out, "counts = { ");
        } else {
            put_literal(out, ", ");
        }
        put_place(out, record->line, record->discriminator);
        put_literal(out, " = ");
        bo_put_decimal(out, record->count);
    }
    if (instance->n_records)
        put_literal(out, " }\n");
}

static void put_targets(struct bo_writer *out, const struct autofdo_record *record)
{
    put_place(out, record->line, record->discriminator);
    put_literal(out, " -> { ");
    for (size_t t = 0; t < record->n_targets; t++) {
        if (t)
            put_literal(out, ", ");
        put_name(out, record->targets[t].name);
        put_literal(out, " = ");
        bo_put_decimal(out, record->targets[t].count);
    }
    put_literal(out, " }");
}

static void put_callsites(struct bo_writer *out, const struct autofdo_instance *instance,
                          unsigned indent)
{
    bool is_first = true;
    for (size_t i = 0; i < instance->n_records; i++) {
        if (!instance->records[i].n_targets)
            continue;
        if (is_first)
            put_indent(out, indent);
        put_literal(out, is_first ? "callsites = { " : ", ");
        put_targets(out, &instance->records[i]);
        is_first = false;
    }
    if (!is_first)
        put_literal(out, " }\n");
}

static void put_instance(struct bo_writer *out, const struct autofdo_instance *instance,
                         unsigned indent)
{
    put_counts(out, instance, indent);
    put_callsites(out, instance, indent);
    if (!instance->n_callsites)
        return;
    put_indent(out, indent);
    put_literal(out, "inlined = {\n");
    for (size_t i = 0; i < instance->n_callsites && !out->status; i++) {
        const struct autofdo_callsite *callsite = &instance->callsites[i];
        put_indent(out, indent + 1);
        put_place(out, callsite->line, callsite->discriminator);
        put_literal(out, " -> ");
        put_name(out, callsite->callee.name);
        put_literal(out, " {\n");
        put_instance(out, &callsite->callee, indent + 2);
        put_indent(out, indent + 1);
        put_literal(out, i + 1 < instance->n_callsites ? "},\n" : "}\n");
    }
    put_indent(out, indent);
    put_literal(out, "}\n");
}

static void put_function(struct bo_writer *out, const struct autofdo_function *function)
{
    put_literal(out, " function ");
    put_name(out, function->body.name);
    bo_put_text(out, " {\n  head = %" PRIu64 "\n", function->head);
    if (function->timestamp)
        bo_put_text(out, "  timestamp = %" PRIu64 "\n", function->timestamp);
    put_instance(out, &function->body, 2);
    put_literal(out, " }\n");
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Functions without a file come before an empty path. */
static int compare_paths(const struct bo_span *a, const struct bo_span *b)
{
    return a && b ? bo_span_compare(*a, *b) : (a != NULL) - (b != NULL);
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const int order = compare_paths(x->path, y->path);
    return order ? order : (x->function > y->function) - (x->function < y->function);
}

static void put_functions(struct bo_writer *out, const struct placed *placed, size_t n)
{
    for (size_t i = 0; i < n && !out->status; i++) {
        const struct bo_span *path = placed[i].path;
        if (i == 0 || compare_paths(placed[i - 1].path, path) != 0) {
            put_literal(out, i ? "}\nfile " : "file ");
            if (path)
                put_string(out, *path);
            put_literal(out, path ? " {\n" : "{\n");
        }
        put_function(out, placed[i].function);
    }
    if (n)
        put_literal(out, "}\n");
}

/* The files of names that no function has: both lists are by name. */
static void put_callee_files(struct bo_writer *out, const struct autofdo_model *model)
{
    bool is_first = true;
    for (size_t i = 0, f = 0; i < model->n_files; i++) {
        const struct bo_span name = model->files[i].name;
        while (f < model->n_functions && bo_span_compare(model->functions[f].body.name, name) < 0)
            f++;
        if (f < model->n_functions && bo_span_equal(model->functions[f].body.name, name))
            continue;
        put_literal(out, is_first ? "files = {\n " : ",\n ");
        put_name(out, name);
        put_literal(out, " = ");
        put_string(out, model->files[i].path);
        is_first = false;
    }
    if (!is_first)
        put_literal(out, "\n}\n");
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct autofdo_model *model = opaque;
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    struct placed *placed = bo_alloc_array(out->arena, model->n_functions, sizeof *placed);
    if (!placed)
        return bo_fail_alloc(err, out->arena);
    for (size_t f = 0; f < model->n_functions; f++)
        placed[f] = (struct placed){autofdo_path_of(model, model->functions[f].body.name),
                                    &model->functions[f]};
    if (model->n_functions)
        qsort(placed, model->n_functions, sizeof *placed, compare_placed);
    bo_mark(out, "header");
    put_literal(out, "gcov 4\n");
    bo_mark(out, "structure");
    put_functions(out, placed, model->n_functions);
    bo_mark(out, "callee files");
    put_callee_files(out, model);
    bo_arena_rewind(out->arena, mark);
    return bo_writer_status(out, err);
}

/* ---- the codec ------------------------------------------------------------------------------- */

static enum bo_status open_text(const struct bo_codec *self, struct bo_span in,
                                struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    void *model = NULL;
    const enum bo_status status = autofdo_v4_text_decode(self, in, arena, &model, err);
    return status ? status : autofdo_decoded_open(model, arena, reader_ret, err);
}

const struct bo_codec autofdo_v4_text = {
    .name = "v4-text",
    .summary = "the RFC's companion text, for people",
    .spec = "codecs/autofdo/README.md#version-4-as-text",
    .choices = "white space and the spelling of numbers",
    .role = BO_PROPOSED,
    .access = BO_WHOLE,
    .kinds = (1u << AUTOFDO_N_KINDS) - 1,
    .encode = encode,
    .decode = autofdo_v4_text_decode,
    .open = open_text,
    .query = autofdo_decoded_query,
};
