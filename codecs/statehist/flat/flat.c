/*
 * history.bin, in four variants: today's file as the proposal describes it (flat), and the files
 * with declared types that it proposes. Each encoding is a set of files: history.bin, types.json
 * (not in flat), tree.json.
 *
 *   history.bin = header, records
 *   header (56 bytes) = "TChistor", version u8 (1), layout u8 (below), 2 bytes of 0, quarks u32,
 *     start i64, end i64, records u64, hash of tree.json u64 (XXH3), hash of types.json u64 (0 in
 *       flat)
 *   record = start i64, end i64, quark u32, [type u8], value
 *
 * Numbers are little-endian, times in ns, both ends included. A record has a type where no type is
 * declared for its quark: in flat, and where types.json says any. Types are those of today's file:
 * -1 null, 0 int, 1 string, 2 long, 3 double; and 4 bool, which that file lacks.
 *
 *   value: null nothing; int 4 bytes, long and double 8, bool 1 (0 or 1); string a length of 2
 *     bytes and
 *   the UTF-8 text. A length of 65535 or more is stored as 65535 and 4 more bytes.
 *
 *   0 flat               no declared types
 *   1 typed              a type is declared where all intervals of a timeline share it; null is a
 *     type
 *   2 typed-null         a type is declared where all values share it; bit 31 of the quark: null
 *   3 typed-null-sorted  the same, records by quark and start; in the others they lie in the order
 *     of closing
 */
#include "codecs/statehist/flat/flat.h"

#include "codecs/statehist/model.h"
#include "harness/core/utf8.h"

#define MAGIC "TChistor"
enum {
    MAGIC_NBYTES = 8,
    VERSION_OFF = 8,
    LAYOUT_OFF = 9,
    ZEROS_OFF = 10,
    N_QUARKS_OFF = 12,
    START_OFF = 16,
    END_OFF = 24,
    N_RECORDS_OFF = 32,
    TREE_HASH_OFF = 40,
    TYPES_HASH_OFF = 48,
    HEADER_NBYTES = 56,
};

static const struct statehist_flat_layout flat_layout = {0, false, true, false};
static const struct statehist_flat_layout typed_layout = {1, true, true, false};
static const struct statehist_flat_layout typed_null_layout = {2, true, false, false};
static const struct statehist_flat_layout typed_null_sorted_layout = {3, true, false, true};

/* ---- writing --------------------------------------------------------------------------------- */

static void put_value(const struct statehist_model *model, const struct statehist_interval *at,
                      struct bo_writer *out)
{
    switch (at->type) {
    case STATEHIST_INT:
        bo_put_le32(out, (uint32_t)at->value);
        break;
    case STATEHIST_LONG:
    case STATEHIST_DOUBLE:
        bo_put_le64(out, at->value);
        break;
    case STATEHIST_BOOL:
        bo_put_u8(out, (uint8_t)at->value);
        break;
    case STATEHIST_STRING: {
        const struct bo_span text = model->strings[at->value];
        if (text.n < STATEHIST_FLAT_ESCAPE) {
            bo_put_le16(out, (uint16_t)text.n);
        } else {
            bo_put_le16(out, STATEHIST_FLAT_ESCAPE);
            bo_put_le32(out, (uint32_t)text.n);
        }
        bo_put_bytes(out, text.p, text.n);
        break;
    }
    default:
        break;
    }
}

static void put_record(const struct statehist_model *model, const struct statehist_interval *at,
                       const struct statehist_flat_layout *layout, uint8_t declared,
                       struct bo_writer *out)
{
    static const uint8_t codes[] = {0xff, 0, 2, 3, 1, 4}; /* by enum statehist_type */
    const bool null_bit = !layout->null_counts && declared != STATEHIST_ANY &&
                          declared != STATEHIST_NULL && at->type == STATEHIST_NULL;
    bo_put_le64(out, (uint64_t)at->start);
    bo_put_le64(out, (uint64_t)at->end);
    bo_put_le32(out, at->quark | (null_bit ? STATEHIST_FLAT_NULL_BIT : 0));
    if (declared == STATEHIST_ANY)
        bo_put_u8(out, codes[at->type]);
    put_value(model, at, out);
}

static void put_history(const struct statehist_model *model,
                        const struct statehist_flat_layout *layout, const uint8_t *types,
                        struct bo_writer *out)
{
    bo_mark(out, "history");
    bo_put_bytes(out, MAGIC, MAGIC_NBYTES);
    bo_put_u8(out, 1);
    bo_put_u8(out, layout->id);
    bo_put_zeros(out, 2);
    bo_put_le32(out, model->n_quarks);
    bo_put_le64(out, (uint64_t)model->start);
    bo_put_le64(out, (uint64_t)model->end);
    bo_put_le64(out, model->n_intervals);
    bo_put_zeros(out, 16); /* hashes of what comes later */
    for (size_t i = 0; i < model->n_intervals && !out->status; i++) {
        const struct statehist_interval *at =
            &model->intervals[layout->by_quark ? i : model->closing[i]];
        put_record(model, at, layout, types[at->quark], out);
    }
}

/* The hash of what has been written since `start`; none where writing failed. */
static uint64_t hash_since(const struct bo_writer *out, size_t start)
{
    if (out->status)
        return 0;
    return statehist_hash((struct bo_span){out->p + start, out->n - start});
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    const struct statehist_flat_layout *layout = self->own;
    for (uint32_t i = 0; i < model->n_strings; i++)
        if (model->strings[i].n > INT32_MAX)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "string has 2^31 bytes or more");
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    uint8_t *types = statehist_declare_types(model, layout->null_counts, out->arena);
    if (!types)
        return bo_fail_alloc(err, out->arena);
    if (!layout->has_types)
        memset(types, STATEHIST_ANY, model->n_quarks);
    size_t head;
    unsigned n_parts = 0;
    statehist_put_parts(out, layout->has_types ? 3 : 2, &head);
    const size_t history = out->n;
    put_history(model, layout, types, out);
    statehist_end_part(out, head, n_parts++);
    uint64_t types_hash = 0;
    if (layout->has_types) {
        const size_t start = out->n;
        statehist_put_types_json(types, model->n_quarks, out);
        types_hash = hash_since(out, start);
        statehist_end_part(out, head, n_parts++);
    }
    bo_arena_rewind(out->arena, mark);
    const size_t start = out->n;
    const enum bo_status status = statehist_put_tree_json(model, out, err);
    if (status)
        return status;
    statehist_end_part(out, head, n_parts);
    bo_set_le64(out->p + history + TREE_HASH_OFF, hash_since(out, start));
    bo_set_le64(out->p + history + TYPES_HASH_OFF, types_hash);
    return BO_OK;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* The end of each timeline so far. */
struct timeline_end {
    int64_t at;
    bool begun;
};

/* A check of all records, in order. */
struct checking {
    const struct statehist_flat *f;
    struct bo_cursor c;
    struct timeline_end *ends; /* by quark */
    uint32_t last_quark;
    int64_t last_end;
};

/* The bytes of the value: that they are there, and are such a value. */
static enum bo_status check_value(struct bo_cursor *c, uint32_t type, struct bo_error *err)
{
    static const uint8_t sizes[] = {0, 4, 8, 8, 2, 1};
    const uint8_t *p;
    const size_t off = c->off;
    uint32_t n = 0;
    if (!bo_get_bytes(c, sizes[type], &p))
        return bo_fail_here(err, BO_TRUNCATED, c, "file ends inside a value");
    if (type == STATEHIST_BOOL && *p > 1)
        return bo_fail(err, BO_CORRUPT, (uint64_t)c->base + off, "bool is neither 0 nor 1");
    if (type != STATEHIST_STRING)
        return BO_OK;
    n = bo_le16(p);
    if (n == STATEHIST_FLAT_ESCAPE && !bo_get_le32(c, &n))
        return bo_fail_here(err, BO_TRUNCATED, c, "file ends inside a value");
    if (n < STATEHIST_FLAT_ESCAPE && c->off - off > 2)
        return bo_fail(err, BO_CORRUPT, (uint64_t)c->base + off,
                       "length of a string is not in its shortest form");
    if (!bo_get_bytes(c, n, &p))
        return bo_fail(err, BO_TRUNCATED, (uint64_t)c->base + off, "file ends inside a string");
    return bo_is_utf8((struct bo_span){p, n})
               ? BO_OK
               : bo_fail(err, BO_CORRUPT, (uint64_t)c->base + off, "string is not UTF-8");
}

/* That the interval follows the one before it in its timeline, and the record that before it. */
static enum bo_status check_times(struct checking *k, int64_t start, int64_t end, uint32_t quark,
                                  uint64_t off, struct bo_error *err)
{
    struct timeline_end *before = &k->ends[quark];
    if (start > end)
        return bo_fail(err, BO_CORRUPT, off, "interval ends before it starts");
    if (end > k->f->end)
        return bo_fail(err, BO_CORRUPT, off + 8, "interval ends after the history");
    if (before->begun ? start <= before->at : start < k->f->start)
        return bo_fail(err, BO_CORRUPT, off,
                       before->begun ? "timeline overlaps itself"
                                     : "interval starts before the history");
    if (before->begun ? start - 1 != before->at : start != k->f->start)
        return bo_fail(err, BO_CORRUPT, off, "timeline has a gap");
    if (k->f->layout->by_quark ? quark < k->last_quark : end < k->last_end)
        return bo_fail(err, BO_CORRUPT, off + (k->f->layout->by_quark ? 16 : 8),
                       k->f->layout->by_quark ? "records are not in order of quarks"
                                              : "records are not in order of their ends");
    *before = (struct timeline_end){end, true};
    k->last_quark = quark;
    k->last_end = end;
    return BO_OK;
}

static enum bo_status check_record(struct checking *k, struct bo_error *err)
{
    const struct statehist_flat *f = k->f;
    const uint64_t off = (uint64_t)k->c.base + k->c.off;
    const uint8_t *p;
    if (!bo_get_bytes(&k->c, STATEHIST_FLAT_HEAD, &p))
        return bo_fail(err, BO_TRUNCATED, off, "file ends inside a record");
    const uint32_t word = bo_le32(p + 16);
    const uint32_t quark = f->layout->null_counts ? word : word & ~STATEHIST_FLAT_NULL_BIT;
    if (quark >= f->n_quarks)
        return bo_fail(err, BO_CORRUPT, off + 16, "quark is out of range");
    enum bo_status status =
        check_times(k, (int64_t)bo_le64(p), (int64_t)bo_le64(p + 8), quark, off, err);
    if (status)
        return status;
    uint32_t type = f->types[quark];
    if (quark != word) {
        if (type == STATEHIST_ANY || type == STATEHIST_NULL)
            return bo_fail(err, BO_CORRUPT, off + 16,
                           type == STATEHIST_ANY ? "null bit is set in a record with a type byte"
                                                 : "null bit where no value is declared");
        type = STATEHIST_NULL;
    }
    if (type == STATEHIST_ANY) {
        enum { CUSTOM = 20 };
        uint8_t code;
        if (!bo_get_u8(&k->c, &code))
            return bo_fail_here(err, BO_TRUNCATED, &k->c, "file ends inside a type");
        type = statehist_flat_type(code);
        if (type == STATEHIST_N_TYPES)
            return bo_fail(
                err, code == CUSTOM ? BO_UNSUPPORTED : BO_CORRUPT, off + STATEHIST_FLAT_HEAD,
                code == CUSTOM ? "custom values (type 20) are not supported" : "unknown type");
    }
    return check_value(&k->c, type, err);
}

static enum bo_status check_records(struct statehist_flat *f, struct bo_error *err)
{
    const size_t n_marks = (f->n_records + STATEHIST_FLAT_STEP - 1) / STATEHIST_FLAT_STEP;
    f->marks = bo_alloc_array(f->arena, n_marks, sizeof *f->marks);
    const struct bo_arena_mark mark = bo_arena_mark(f->arena);
    struct checking k = {.f = f, .c = bo_cursor(f->records), .last_end = INT64_MIN};
    k.c.base = f->records_off;
    k.ends = bo_zalloc_array(f->arena, f->n_quarks, sizeof *k.ends);
    if (!f->marks || !k.ends)
        return bo_fail_alloc(err, f->arena);
    for (size_t i = 0; i < f->n_records; i++) {
        if (i % STATEHIST_FLAT_STEP == 0)
            f->marks[f->n_marks++] = k.c.p + k.c.off;
        const enum bo_status status = check_record(&k, err);
        if (status)
            return status;
    }
    if (bo_left(&k.c))
        return bo_fail_here(err, BO_CORRUPT, &k.c, "bytes after the last record");
    for (uint32_t q = 0; q < f->n_quarks; q++)
        if (!k.ends[q].begun || k.ends[q].at != f->end)
            return bo_fail_here(err, BO_CORRUPT, &k.c, "a timeline does not last to the end");
    bo_arena_rewind(f->arena, mark);
    return BO_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum bo_status read_header(struct statehist_flat *f, const struct statehist_part *part,
                                  struct bo_error *err)
{
    const uint8_t *p = part->in.p;
    const uint64_t off = part->off;
    if (part->in.n < HEADER_NBYTES)
        return bo_fail(err, BO_TRUNCATED, off + part->in.n, "file ends inside the header");
    if (memcmp(p, MAGIC, MAGIC_NBYTES) != 0)
        return bo_fail(err, BO_CORRUPT, off, "magic number is not that of a flat history");
    if (p[VERSION_OFF] != 1)
        return bo_fail(err, BO_UNSUPPORTED, off + VERSION_OFF, "unknown version");
    if (p[LAYOUT_OFF] != f->layout->id)
        return bo_fail(err, BO_CORRUPT, off + LAYOUT_OFF, "layout is not the codec's");
    if (bo_le16(p + ZEROS_OFF))
        return bo_fail(err, BO_CORRUPT, off + ZEROS_OFF, "reserved bytes are not 0");
    f->n_quarks = bo_le32(p + N_QUARKS_OFF);
    f->start = (int64_t)bo_le64(p + START_OFF);
    f->end = (int64_t)bo_le64(p + END_OFF);
    const uint64_t n = bo_le64(p + N_RECORDS_OFF);
    f->records = (struct bo_span){p + HEADER_NBYTES, part->in.n - HEADER_NBYTES};
    f->records_off = part->off + HEADER_NBYTES;
    if (f->start > f->end)
        return bo_fail(err, BO_CORRUPT, off + START_OFF, "history ends before it starts");
    if (n > f->records.n / STATEHIST_FLAT_HEAD || n > UINT32_MAX)
        return bo_fail(err, BO_TRUNCATED, off + N_RECORDS_OFF,
                       "more records than there is room for");
    if (f->n_quarks > n)
        return bo_fail(err, BO_CORRUPT, off + N_QUARKS_OFF, "more quarks than records");
    f->n_records = (size_t)n;
    return BO_OK;
}

/* That the other files are those that were written with this history. */
static enum bo_status check_hash(const struct statehist_part *history, size_t at,
                                 const struct statehist_part *file, const char *what,
                                 struct bo_error *err)
{
    if (bo_le64(history->in.p + at) != (file ? statehist_hash(file->in) : 0))
        return bo_fail(err, BO_CORRUPT, (uint64_t)history->off + at, what);
    return BO_OK;
}

static enum bo_status read_files(struct statehist_flat *f, struct bo_span in, struct bo_error *err)
{
    struct statehist_part parts[STATEHIST_MAX_PARTS], *history = parts;
    const unsigned n_parts = f->layout->has_types ? 3 : 2;
    struct statehist_part *types = f->layout->has_types ? &parts[1] : NULL;
    struct statehist_part *tree = &parts[n_parts - 1];
    struct statehist_attribute *attributes;
    uint8_t *declared;
    uint32_t n_types;
    enum bo_status status = statehist_get_parts(in, n_parts, parts, err);
    if (!status)
        status = read_header(f, history, err);
    if (!status && types)
        status = statehist_read_types_json(types, f->arena, &declared, &n_types, err);
    if (!status && types && n_types != f->n_quarks)
        status = bo_fail(err, BO_CORRUPT, (uint64_t)history->off + N_QUARKS_OFF,
                         "number of quarks in types.json differs from the history's");
    if (!status)
        status = statehist_read_tree_json(tree, f->n_quarks, f->arena, &attributes, err);
    if (!status)
        status =
            check_hash(history, TREE_HASH_OFF, tree, "tree.json belongs to another history", err);
    if (!status)
        status = check_hash(history, TYPES_HASH_OFF, types, "types.json belongs to another history",
                            err);
    if (status)
        return status;
    if (!types) {
        declared = bo_alloc_array(f->arena, f->n_quarks, 1);
        if (!declared)
            return bo_fail_alloc(err, f->arena);
        memset(declared, STATEHIST_ANY, f->n_quarks);
    }
    f->types = declared;
    f->attributes = attributes;
    return check_records(f, err);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct statehist_flat *f = bo_zalloc_array(arena, 1, sizeof *f);
    if (!f)
        return bo_fail_alloc(err, arena);
    f->layout = self->own;
    f->arena = arena;
    *reader_ret = f;
    return read_files(f, in, err);
}

/* ---- decoding -------------------------------------------------------------------------------- */

static bool build(const struct statehist_flat *f, struct statehist_builder *b)
{
    if (!statehist_builder_init(b, false, f->arena) ||
        !statehist_reserve(b, f->n_quarks, f->n_records))
        return false;
    for (uint32_t q = 0; q < f->n_quarks; q++)
        if (!statehist_add_attribute(b, f->attributes[q].name, f->attributes[q].parent))
            return false;
    const uint8_t *p = f->records.p;
    for (size_t i = 0; i < f->n_records; i++) {
        const struct statehist_record r = statehist_record_at(f, p);
        struct statehist_interval interval = {r.start, r.end, 0, r.quark, r.type};
        uint32_t string;
        if (r.type != STATEHIST_STRING)
            interval.value = statehist_record_value(&r);
        else if (statehist_add_string(b, (struct bo_span){r.value, r.text_nbytes}, &string))
            interval.value = string;
        else
            return false;
        if (!statehist_add_interval(b, &interval))
            return false;
        p = r.next;
    }
    return true;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    void *reader = NULL;
    struct statehist_builder builder;
    struct statehist_flaw flaw;
    const enum bo_status status = open(self, in, arena, &reader, err);
    if (status)
        return status;
    const struct statehist_flat *f = reader;
    if (!build(f, &builder))
        return bo_fail_alloc(err, arena);
    struct statehist_model *model;
    const enum bo_status built = statehist_finish(&builder, f->start, f->end, &model, &flaw);
    if (built)
        return statehist_fail(err, built, BO_NO_OFFSET, &flaw, arena);
    *model_ret = model;
    return BO_OK;
}

/* ---- the codecs ------------------------------------------------------------------------------ */

#define FLAT_CODEC(id, codec_name, codec_role, text)                              \
    const struct bo_codec statehist_##id = {                                      \
        .name = codec_name,                                                       \
        .summary = text,                                                          \
        .spec = "codecs/statehist/README.md#historybin",                          \
        .choices = "the spelling of the JSON parts, the types that are declared", \
        .role = codec_role,                                                       \
        .access = BO_RANDOM,                                                      \
        .kinds = (1u << STATEHIST_N_KINDS) - 1,                                   \
        .own = &id##_layout,                                                      \
        .encode = encode,                                                         \
        .decode = decode,                                                         \
        .open = open,                                                             \
        .query = statehist_query_flat,                                            \
    }

FLAT_CODEC(flat, "flat", BO_CONTROL,
           "start, end, quark, type, value: today's file as the proposal describes it");
FLAT_CODEC(typed, "typed", BO_PROPOSED,
           "the proposal to the letter: types.json where a timeline has one type, null being one");
FLAT_CODEC(typed_null, "typed-null", BO_PROPOSED,
           "the proposal with its null bit: types.json where all values have one type");
FLAT_CODEC(typed_null_sorted, "typed-null-sorted", BO_PROPOSED,
           "typed-null with its records by timeline");
