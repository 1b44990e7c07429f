/*
 * Version 4 of GCC's AutoFDO profile, as proposed: readers that read only the parts they need, and
 * the codecs.
 * The plain reader finds a function by searching one string table after the other, because
 * tables are self-contained. The indexed reader loads all tables when it opens, for repeated
 * queries.
 */
#include "codecs/autofdo/model.h"
#include "codecs/autofdo/v4/v4.h"

/* Where a function is. */
struct address {
    uint32_t unit;
    struct autofdo_v4_symbol symbol;
};

struct reader {
    struct autofdo_v4_file file;
    struct bo_arena *arena;
    /* of an indexed reader */
    struct autofdo_v4_strings *strings; /* by unit; NULL in a plain one */
    struct autofdo_name_table names;
    struct address *addresses; /* by the names' numbers */
    size_t cap_addresses;
};

/* ---- opening --------------------------------------------------------------------------------- */

static enum bo_status open_plain(const struct bo_codec *self, struct bo_span in,
                                 struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct reader *r = bo_zalloc_array(arena, 1, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    r->arena = arena;
    *reader_ret = r;
    return autofdo_v4_open(in, arena, &r->file, err);
}

static enum bo_status index_function(struct reader *r, uint32_t unit,
                                     const struct autofdo_v4_symbol *symbol, struct bo_error *err)
{
    const struct autofdo_v4_strings *strings = &r->strings[unit];
    const size_t n = r->names.n;
    size_t number;
    if (symbol->id >= strings->n)
        return bo_fail(err, BO_CORRUPT, symbol->off, "string id is out of range");
    if (!autofdo_names_add(&r->names, strings->names[symbol->id], &number))
        return bo_fail_alloc(err, r->arena);
    if (number < n)
        return bo_fail(err, BO_CORRUPT, symbol->off, "duplicate function");
    if (!bo_grow(r->arena, &r->addresses, number, 1, &r->cap_addresses))
        return bo_fail_alloc(err, r->arena);
    r->addresses[number] = (struct address){unit, *symbol};
    return BO_OK;
}

static enum bo_status index_unit(struct reader *r, uint32_t u, struct bo_error *err)
{
    const struct autofdo_v4_unit *unit = &r->file.units[u];
    struct autofdo_v4_symbols symbols;
    enum bo_status status = BO_OK;
    if (u > 0 && unit->strings == unit[-1].strings)
        r->strings[u] = r->strings[u - 1];
    else
        status = autofdo_v4_load_strings(&r->file, unit->strings, r->arena, &r->strings[u], err);
    if (!status)
        status = autofdo_v4_open_symbols(&r->file, unit, &symbols, err);
    for (uint32_t i = 0; !status && i < symbols.n; i++) {
        struct autofdo_v4_symbol symbol;
        status = autofdo_v4_next_symbol(&symbols, &symbol, err);
        if (!status)
            status = index_function(r, u, &symbol, err);
    }
    return status;
}

static enum bo_status open_indexed(const struct bo_codec *self, struct bo_span in,
                                   struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    enum bo_status status = open_plain(self, in, arena, reader_ret, err);
    if (status)
        return status;
    struct reader *r = *reader_ret;
    r->strings = bo_alloc_array(arena, r->file.n_units, sizeof *r->strings);
    if (!r->strings || !autofdo_names_init(&r->names, r->file.n_units, arena))
        return bo_fail_alloc(err, arena);
    for (uint32_t u = 0; u < r->file.n_units && !status; u++)
        status = index_unit(r, u, err);
    return status;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* The strings of unit u, loaded into the arena unless the reader has them. */
static enum bo_status strings_of(struct reader *r, uint32_t u, struct autofdo_v4_strings *strings,
                                 struct bo_error *err)
{
    if (r->strings) {
        *strings = r->strings[u];
        return BO_OK;
    }
    return autofdo_v4_load_strings(&r->file, r->file.units[u].strings, r->arena, strings, err);
}

static enum bo_status find_plain(const struct reader *r, struct bo_span name, bool *found_ret,
                                 struct address *address, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    bool has_string = false;
    uint32_t id = 0;
    *found_ret = false;
    for (uint32_t u = 0; u < r->file.n_units && !status && !*found_ret; u++) {
        const struct autofdo_v4_unit *unit = &r->file.units[u];
        if (u == 0 || unit->strings != unit[-1].strings)
            status = autofdo_v4_find_string(&r->file, unit->strings, name, &has_string, &id, err);
        if (!status && has_string)
            status = autofdo_v4_find_symbol(&r->file, unit, id, found_ret, &address->symbol, err);
        address->unit = u;
    }
    return status;
}

static enum bo_status find(const struct reader *r, struct bo_span name, bool *found_ret,
                           struct address *address, struct bo_error *err)
{
    size_t number;
    if (!r->strings)
        return find_plain(r, name, found_ret, address, err);
    *found_ret = autofdo_names_find(&r->names, name, &number);
    if (*found_ret)
        *address = r->addresses[number];
    return BO_OK;
}

static enum bo_status answer_function(struct reader *r, struct bo_span name, struct bo_sink *sink,
                                      struct bo_error *err)
{
    struct autofdo_answer answer = {0};
    struct autofdo_v4_strings strings;
    struct address address = {0};
    bool found = false;
    uint8_t *p = bo_sink_take(sink, sizeof answer);
    if (!p)
        return BO_OVER_LIMIT;
    enum bo_status status = find(r, name, &found, &address, err);
    if (!status && found)
        status = strings_of(r, address.unit, &strings, err);
    if (!status && found)
        status = autofdo_v4_visit(&r->file, &r->file.units[address.unit], &address.symbol, &strings,
                                  &answer, sink, err);
    memcpy(p, &answer, sizeof answer);
    return status;
}

static enum bo_status answer_functions(struct reader *r, const struct autofdo_name_query *queries,
                                       size_t n, struct bo_sink *sink, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++) {
        const struct bo_arena_mark mark = bo_arena_mark(r->arena);
        status = answer_function(r, queries[i].name, sink, err);
        bo_arena_rewind(r->arena, mark);
    }
    return status;
}

/* Adds up the functions of a unit. */
static enum bo_status visit_unit(const struct reader *r, const struct autofdo_v4_unit *unit,
                                 const struct autofdo_v4_strings *strings,
                                 struct autofdo_answer *answer, struct bo_error *err)
{
    struct autofdo_v4_symbols symbols;
    enum bo_status status = autofdo_v4_open_symbols(&r->file, unit, &symbols, err);
    for (uint32_t i = 0; !status && i < symbols.n; i++) {
        struct autofdo_v4_symbol symbol;
        status = autofdo_v4_next_symbol(&symbols, &symbol, err);
        if (!status)
            status = autofdo_v4_visit(&r->file, unit, &symbol, strings, answer, NULL, err);
    }
    return status;
}

static enum bo_status answer_unit(struct reader *r, struct bo_span path,
                                  struct autofdo_digest *digest, struct bo_error *err)
{
    const struct autofdo_v4_unit *unit = autofdo_v4_find_unit(&r->file, path);
    const struct bo_arena_mark mark = bo_arena_mark(r->arena);
    struct autofdo_v4_strings strings;
    struct autofdo_answer answer = {0};
    enum bo_status status = BO_OK;
    if (unit) {
        status = strings_of(r, (uint32_t)(unit - r->file.units), &strings, err);
        if (!status)
            status = visit_unit(r, unit, &strings, &answer, err);
    }
    bo_arena_rewind(r->arena, mark);
    *digest = answer.digest;
    return status;
}

static enum bo_status answer_units(struct reader *r, const struct autofdo_path_query *queries,
                                   size_t n, struct autofdo_digest *digests, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = answer_unit(r, queries[i].path, &digests[i], err);
    return status;
}

/* Units that share a string table are neighbours: each table is loaded once. */
static enum bo_status answer_scan(struct reader *r, struct autofdo_digest *digest,
                                  struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(r->arena);
    struct autofdo_v4_strings strings;
    struct autofdo_answer answer = {0};
    enum bo_status status = BO_OK;
    for (uint32_t u = 0; u < r->file.n_units && !status; u++) {
        const struct autofdo_v4_unit *unit = &r->file.units[u];
        if (u == 0 || unit->strings != unit[-1].strings) {
            bo_arena_rewind(r->arena, mark);
            status = strings_of(r, u, &strings, err);
        }
        if (!status)
            status = visit_unit(r, unit, &strings, &answer, err);
    }
    bo_arena_rewind(r->arena, mark);
    *digest = answer.digest;
    return status;
}

static enum bo_status answer_scans(struct reader *r, size_t n, struct autofdo_digest *digests,
                                   struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = answer_scan(r, &digests[i], err);
    return status;
}

static enum bo_status answer_summaries(const struct reader *r, size_t n,
                                       struct autofdo_summary *summaries, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = autofdo_v4_read_summary(&r->file, &summaries[i], err);
    return status;
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    switch ((enum autofdo_query_kind)kind) {
    case AUTOFDO_SUMMARY:
        return answer_summaries(reader, n, answers, err);
    case AUTOFDO_FUNCTION:
        return answer_functions(reader, queries, n, answers, err);
    case AUTOFDO_TU:
        return answer_units(reader, queries, n, answers, err);
    case AUTOFDO_SCAN:
        return answer_scans(reader, n, answers, err);
    case AUTOFDO_N_KINDS:
        break;
    }
    return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "unknown query kind");
}

/* ---- the codecs ------------------------------------------------------------------------------ */

static enum bo_status encode_normal(const struct bo_codec *self, const void *model,
                                    struct bo_writer *out, struct bo_error *err)
{
    return autofdo_v4_encode(model, false, false, out, err);
}

static enum bo_status encode_compact(const struct bo_codec *self, const void *model,
                                     struct bo_writer *out, struct bo_error *err)
{
    return autofdo_v4_encode(model, true, false, out, err);
}

static enum bo_status encode_one_table(const struct bo_codec *self, const void *model,
                                       struct bo_writer *out, struct bo_error *err)
{
    return autofdo_v4_encode(model, false, true, out, err);
}

static enum bo_status encode_compact_one_table(const struct bo_codec *self, const void *model,
                                               struct bo_writer *out, struct bo_error *err)
{
    return autofdo_v4_encode(model, true, true, out, err);
}

#define V4_CODEC(symbol, codec_name, codec_summary, first, encode_model, open_reader) \
    const struct bo_codec autofdo_##symbol = {                                        \
        .name = codec_name,                                                           \
        .summary = codec_summary,                                                     \
        .spec = "codecs/autofdo/README.md#version-4",                                 \
        .choices = "the shape of the name tries and the order of their leaves",       \
        .reads = first,                                                               \
        .role = BO_PROPOSED,                                                          \
        .access = BO_BLOCK,                                                           \
        .lazy = true,                                                                 \
        .kinds = (1u << AUTOFDO_N_KINDS) - 1,                                         \
        .encode = encode_model,                                                       \
        .decode = autofdo_v4_decode,                                                  \
        .open = open_reader,                                                          \
        .query = query,                                                               \
    }

V4_CODEC(v4, "v4", "the RFC's sections and tries, a string table per file", NULL, encode_normal,
         open_plain);
V4_CODEC(v4_indexed, "v4-indexed", "v4 with an index of all names, built when it opens", "v4",
         encode_normal, open_indexed);
V4_CODEC(v4_compact, "v4-compact", "v4 with varints", NULL, encode_compact, open_plain);
V4_CODEC(v4_compact_indexed, "v4-compact-indexed",
         "v4-compact with an index of all names, built when it opens", "v4-compact", encode_compact,
         open_indexed);
V4_CODEC(v4_one_table, "v4-one-table", "v4 with one string table for all files", NULL,
         encode_one_table, open_plain);
V4_CODEC(v4_compact_one_table, "v4-compact-one-table",
         "v4-compact with one string table for all files", NULL, encode_compact_one_table,
         open_plain);
