/*
 * The text form of Templight: what `clang++ -Xclang -templight-dump -fsyntax-only` prints.
 *
 *   ---
 *   name:            'std::vector<int>'
 *   kind:            TemplateInstantiation
 *   event:           Begin
 *   orig:            'vector.h:425:11'
 *   poi:             'main.cpp:3:18'
 *
 * This file prints, text_parse.c reads. Times, memory and headers, which clang does not print, have
 * lines of our own. See README.md.
 */
#include "codecs/templight/text.h"

#include <stdio.h>
#include <stdlib.h>

#include "codecs/templight/yaml.h"

const struct templight_later_kind templight_later_kinds[] = {
    {1000, "LambdaExpressionSubstitution"},
    {1001, "BuildingDeductionGuides"},
    {1002, "TypeAliasTemplateInstantiation"},
    {1003, "PartialOrderingTTP"},
    {0, NULL},
};

/* ---- times ----------------------------------------------------------------------------------- */

static double double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

#define BITS_OF_NAN UINT64_C(0x7ff8000000000000)
#define BITS_OF_INF UINT64_C(0x7ff0000000000000)
#define SIGN_BIT (UINT64_C(1) << 63)

void templight_time_text(uint64_t bits, char text[TEMPLIGHT_TIME_NBYTES])
{
    const size_t n = TEMPLIGHT_TIME_NBYTES;
    if (bits == BITS_OF_NAN)
        snprintf(text, n, ".nan");
    else if ((bits & ~SIGN_BIT) == BITS_OF_INF)
        snprintf(text, n, bits & SIGN_BIT ? "-.inf" : ".inf");
    else if ((bits & ~SIGN_BIT) > BITS_OF_INF)
        snprintf(text, n, "0x%016llX", (unsigned long long)bits);
    else
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, n, "%.*g", digits, double_of(bits));
            if (bits_of(strtod(text, NULL)) == bits)
                break;
        }
}

bool templight_read_time(struct bo_span span, uint64_t *bits_ret)
{
    char text[TEMPLIGHT_TIME_NBYTES], *end;
    if (span.n == 0 || span.n >= sizeof text)
        return false;
    memcpy(text, span.p, span.n);
    text[span.n] = '\0';
    const bool is_bits = strncmp(text, "0x", 2) == 0;
    const char *digits = is_bits ? text + 2 : text;
    *bits_ret = strcmp(text, ".nan") == 0    ? BITS_OF_NAN
                : strcmp(text, ".inf") == 0  ? BITS_OF_INF
                : strcmp(text, "-.inf") == 0 ? BITS_OF_INF | SIGN_BIT
                                             : 0;
    if (*bits_ret)
        return true;
    if (strspn(digits, is_bits ? "0123456789abcdefABCDEF" : "0123456789+-.eE") != strlen(digits))
        return false;
    *bits_ret = is_bits ? strtoull(digits, &end, 16) : bits_of(strtod(digits, &end));
    return end == text + span.n && (!is_bits || span.n == 18);
}

/* ---- printing -------------------------------------------------------------------------------- */

/* Keys as LLVM aligns them: values start in column 18. */
#define KEY(name) name ":                  ", 17

/* FILE:LINE:COLUMN as a scalar; nothing for an absent one. */
static void put_place(struct bo_writer *out, const struct templight_place *place)
{
    const enum templight_quoting quoting =
        place->present ? templight_quoting_of(place->file) : TEMPLIGHT_SINGLE;
    /* The colons alone require quotes: a file's name that needs no more can be put as it is. */
    if (quoting <= TEMPLIGHT_SINGLE) {
        bo_put_u8(out, '\'');
        if (place->present) {
            bo_put_bytes(out, place->file.p, place->file.n);
            bo_put_u8(out, ':');
            bo_put_decimal(out, place->line);
            bo_put_u8(out, ':');
            bo_put_decimal(out, place->column);
        }
        bo_put_bytes(out, "'\n", 2);
        return;
    }
    const size_t start = out->n;
    bo_put_bytes(out, place->file.p, place->file.n);
    bo_put_text(out, ":%u:%u", (unsigned)place->line, (unsigned)place->column);
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    const size_t n = out->n - start;
    uint8_t *text = out->status ? NULL : bo_alloc(out->arena, n);
    if (text) {
        memcpy(text, out->p + start, n);
        bo_writer_truncate(out, start);
        templight_put_scalar(out, (struct bo_span){text, n}, quoting);
        bo_put_u8(out, '\n');
    } else if (!out->status) {
        out->status = out->arena->refusal;
    }
    bo_arena_rewind(out->arena, mark);
}

static void put_kind(struct bo_writer *out, uint32_t kind)
{
    const char *name = kind < TEMPLIGHT_N_NAMED_KINDS ? templight_kind_names[kind] : NULL;
    for (size_t i = 0; !name && templight_later_kinds[i].name; i++)
        if (templight_later_kinds[i].kind == kind)
            name = templight_later_kinds[i].name;
    bo_put_bytes(out, KEY("kind"));
    if (name)
        bo_put_bytes(out, name, strlen(name));
    else
        bo_put_decimal(out, kind);
    bo_put_u8(out, '\n');
}

static void put_figures(struct bo_writer *out, const struct templight_entry *entry)
{
    char text[TEMPLIGHT_TIME_NBYTES];
    if (entry->has_time) {
        templight_time_text(entry->time_bits, text);
        bo_put_bytes(out, KEY("time"));
        bo_put_bytes(out, text, strlen(text));
        bo_put_u8(out, '\n');
    }
    if (entry->has_memory) {
        bo_put_bytes(out, KEY("memory"));
        bo_put_decimal(out, entry->memory);
        bo_put_u8(out, '\n');
    }
}

void templight_put_entry(struct bo_writer *out, const struct templight_entry *entry,
                         const struct templight_entry *closed)
{
    const struct templight_entry *begin = entry->is_end ? closed : entry;
    const struct templight_place *origin =
        !begin || (entry->is_end && entry->has_origin) ? &entry->origin : &begin->origin;
    bo_put_bytes(out, "---\n", 4);
    if (begin) {
        bo_put_bytes(out, KEY("name"));
        templight_put_scalar(out, begin->name, templight_quoting_of(begin->name));
        bo_put_u8(out, '\n');
        put_kind(out, begin->kind);
    }
    bo_put_bytes(out, KEY("event"));
    bo_put_bytes(out, entry->is_end ? "End\n" : "Begin\n", entry->is_end ? 4 : 6);
    if (begin || origin->present) {
        bo_put_bytes(out, KEY("orig"));
        put_place(out, origin);
    }
    if (begin) {
        bo_put_bytes(out, KEY("poi"));
        put_place(out, &begin->location);
    }
    put_figures(out, entry);
}

void templight_put_trace_header(struct bo_writer *out, uint32_t version, struct bo_span source)
{
    bo_put_text(out, TEMPLIGHT_TRACE_COMMENT "{version: %u, source: ", (unsigned)version);
    templight_put_scalar(out, source, templight_quoting_of(source));
    bo_put_bytes(out, "}\n", 2);
}

static bool print_trace(const struct templight_trace *trace, struct bo_writer *out)
{
    /* Begins that have not ended, innermost last. */
    size_t n_open = 0, *open = bo_alloc_array(out->arena, trace->n_records, sizeof *open);
    for (size_t i = 0; open && i < trace->n_records && !out->status; i++) {
        const struct templight_entry entry = templight_entry_of(trace, &trace->records[i]);
        struct templight_entry closed;
        const bool closes = entry.is_end && n_open;
        if (closes)
            closed = templight_entry_of(trace, &trace->records[open[--n_open]]);
        else if (!entry.is_end)
            open[n_open++] = i;
        templight_put_entry(out, &entry, closes ? &closed : NULL);
    }
    return open != NULL;
}

enum bo_status templight_print(const void *opaque, struct bo_writer *out, struct bo_error *err)
{
    const struct templight_model *model = opaque;
    for (size_t t = 0; t < model->n_traces && !out->status; t++) {
        const struct templight_trace *trace = &model->traces[t];
        const struct bo_arena_mark mark = bo_arena_mark(out->arena);
        if (t || trace->n_records == 0 ||
            !templight_is_clangs_header(trace->version, trace->source))
            templight_put_trace_header(out, trace->version, trace->source);
        const bool ok = print_trace(trace, out);
        bo_arena_rewind(out->arena, mark);
        if (!ok)
            return bo_fail_alloc(err, out->arena);
    }
    return bo_writer_status(out, err);
}
