/*
 * LLVM's extensible binary sample profile: the reader, and the codec. Opening reads what a compiler
 * reads before its first function: the section table, the summary, all names and all offsets.
 */
#include "codecs/autofdo/extbinary/extbinary.h"

#include <stdlib.h>

#include "codecs/autofdo/model.h"

/* The fewest bytes that things of each kind need: no more than these may be announced. */
enum {
    NAME_NBYTES = 2,
    OFFSET_NBYTES = 2,
    RECORD_NBYTES = 4,
    TARGET_NBYTES = 2,
    CALLSITE_NBYTES = 6,
};

struct reader {
    struct bo_span in;
    struct bo_arena *arena;
    size_t starts[EXTBINARY_N_SECTIONS], sizes[EXTBINARY_N_SECTIONS];
    struct autofdo_summary summary;
    struct bo_span *names; /* by index */
    size_t n_names;
    struct autofdo_name_table functions; /* numbered as in the section of offsets */
    size_t *offs;                        /* by number: in the file; then the end of the last one */
};

/* Bytes that are being read. */
struct input {
    struct bo_cursor in;
    struct bo_arena *arena;
    struct bo_error *err;
    size_t owed; /* bytes that what has been announced, and not yet read, needs at least */
};

static struct input input_of(const struct reader *r, enum extbinary_section section,
                             struct bo_arena *arena, struct bo_error *err)
{
    return (struct input){bo_cursor_at(r->in, r->starts[section], r->sizes[section]), arena, err,
                          0};
}

static uint64_t off_of(const struct input *in)
{
    return (uint64_t)in->in.base + in->in.off;
}

/* A number of things of at least nbytes each. */
static enum bo_status get_number(struct input *in, size_t nbytes, size_t *n_ret)
{
    const uint64_t off = off_of(in);
    uint64_t n = 0;
    const enum bo_status status = bo_get_uvarint64(&in->in, &n, in->err);
    const size_t left = bo_left(&in->in);
    if (!status && (in->owed > left || n > (left - in->owed) / nbytes))
        return bo_fail(in->err, BO_TRUNCATED, off,
                       "more things are announced than the section has room for");
    *n_ret = (size_t)n;
    in->owed += *n_ret * nbytes;
    return status;
}

static enum bo_status get_name(const struct reader *r, struct input *in, struct bo_span *name)
{
    const uint64_t off = off_of(in);
    uint64_t index = 0;
    const enum bo_status status = bo_get_uvarint64(&in->in, &index, in->err);
    if (status)
        return status;
    if (index >= r->n_names)
        return bo_fail(in->err, BO_CORRUPT, off, "no name has this index");
    *name = r->names[index];
    return BO_OK;
}

static enum bo_status expect_end(const struct input *in)
{
    return bo_left(&in->in)
               ? bo_fail_here(in->err, BO_CORRUPT, &in->in, "bytes behind a section's last")
               : BO_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum bo_status open_header(struct reader *r, struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(r->in);
    const uint8_t *magic = NULL;
    uint8_t version = 0;
    uint64_t n_sections = 0;
    if (!bo_get_bytes(&c, EXTBINARY_MAGIC_NBYTES, &magic) || !bo_get_u8(&c, &version) ||
        !bo_get_le64(&c, &n_sections))
        return bo_fail(err, BO_TRUNCATED, r->in.n, "file ends in its header");
    if (memcmp(magic, extbinary_magic, EXTBINARY_MAGIC_NBYTES) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "magic number is not that of an extensible binary");
    if (version != EXTBINARY_VERSION)
        return bo_fail(err, BO_UNSUPPORTED, EXTBINARY_MAGIC_NBYTES, "version is not 103");
    if (n_sections != EXTBINARY_N_SECTIONS)
        return bo_fail(err, BO_UNSUPPORTED, EXTBINARY_MAGIC_NBYTES + 1, "sections are not 7");
    return r->in.n < EXTBINARY_DATA_OFF
               ? bo_fail(err, BO_TRUNCATED, r->in.n, "file ends in its header")
               : BO_OK;
}

/* One entry of the table. Sections follow each other: *end is that of those before. */
static enum bo_status open_entry(struct reader *r, enum extbinary_section section, size_t *end,
                                 struct bo_error *err)
{
    const size_t at = EXTBINARY_TABLE_OFF + section * (size_t)EXTBINARY_ENTRY_NBYTES;
    const uint8_t *entry = r->in.p + at;
    const uint64_t size = bo_le64(entry + 24);
    uint64_t flags = bo_le64(entry + 8);
    if (bo_le64(entry) != extbinary_kinds[section])
        return bo_fail(err, BO_UNSUPPORTED, at, "section is of another kind");
    if (section == EXTBINARY_NAMES)
        flags &= ~EXTBINARY_HAS_UNIQUE;
    if (flags)
        return bo_fail(err, BO_UNSUPPORTED, at + 8, "flags of a section are not supported");
    if (bo_le64(entry + 16) != *end)
        return bo_fail(err, BO_CORRUPT, at + 16, "section does not start where another one ends");
    if (size > r->in.n - *end)
        return bo_fail(err, BO_TRUNCATED, at + 24, "section runs past the file's end");
    if (section == EXTBINARY_CONTEXTS && size != 1)
        return bo_fail(err, BO_UNSUPPORTED, at + 24, "profile has contexts");
    if ((section == EXTBINARY_SYMBOLS || section == EXTBINARY_METADATA) && size)
        return bo_fail(err, BO_UNSUPPORTED, at + 24, "section is not empty");
    r->starts[section] = *end;
    r->sizes[section] = (size_t)size;
    *end += (size_t)size;
    return BO_OK;
}

static enum bo_status open_sections(struct reader *r, struct bo_error *err)
{
    size_t end = EXTBINARY_DATA_OFF;
    enum bo_status status = open_header(r, err);
    for (unsigned i = 0; i < EXTBINARY_N_SECTIONS && !status; i++)
        status = open_entry(r, extbinary_order[i], &end, err);
    if (!status && end < r->in.n)
        return bo_fail(err, BO_CORRUPT, end, "bytes behind the last section");
    if (!status && r->in.p[r->starts[EXTBINARY_CONTEXTS]])
        return bo_fail(err, BO_UNSUPPORTED, r->starts[EXTBINARY_CONTEXTS], "profile has contexts");
    return status;
}

static enum bo_status open_summary(struct reader *r, struct bo_error *err)
{
    struct input in = input_of(r, EXTBINARY_SUMMARY, r->arena, err);
    struct autofdo_summary *summary = &r->summary;
    uint64_t *const fields[] = {&summary->total_count, &summary->max_count, &summary->max_head,
                                &summary->n_counts, &summary->n_functions};
    uint64_t n = 0;
    enum bo_status status = BO_OK;
    for (unsigned i = 0; i < sizeof fields / sizeof *fields && !status; i++)
        status = bo_get_uvarint64(&in.in, fields[i], err);
    uint64_t off = off_of(&in);
    if (!status)
        status = bo_get_uvarint64(&in.in, &n, err);
    if (!status && n != AUTOFDO_N_CUTOFFS)
        return bo_fail(err, BO_UNSUPPORTED, off, "summary does not have 16 entries");
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS && !status; i++) {
        off = off_of(&in);
        status = bo_get_uvarint64(&in.in, &n, err);
        if (!status && n != autofdo_cutoffs[i])
            return bo_fail(err, BO_UNSUPPORTED, off, "cutoff is not the one of this entry");
        if (!status)
            status = bo_get_uvarint64(&in.in, &summary->entries[i].min_count, err);
        if (!status)
            status = bo_get_uvarint64(&in.in, &summary->entries[i].n_counts, err);
    }
    return status ? status : expect_end(&in);
}

static enum bo_status open_names(struct reader *r, struct bo_error *err)
{
    struct input in = input_of(r, EXTBINARY_NAMES, r->arena, err);
    enum bo_status status = get_number(&in, NAME_NBYTES, &r->n_names);
    if (status)
        return status;
    r->names = bo_alloc_array(r->arena, r->n_names, sizeof *r->names);
    if (!r->names)
        return bo_fail_alloc(err, r->arena);
    for (size_t i = 0; i < r->n_names; i++) {
        struct bo_span *name = &r->names[i];
        const size_t left = bo_left(&in.in);
        name->p = in.in.p + in.in.off;
        const uint8_t *nul = left ? memchr(name->p, 0, left) : NULL;
        if (!nul)
            return bo_fail_here(err, BO_TRUNCATED, &in.in, "name does not end in its section");
        name->n = (size_t)(nul - name->p);
        const char *flaw = autofdo_name_flaw(*name);
        if (!flaw && i && bo_span_compare(r->names[i - 1], *name) >= 0)
            flaw = "names are not in order";
        if (flaw)
            return bo_fail_here(err, BO_CORRUPT, &in.in, flaw);
        in.in.off += name->n + 1;
    }
    return expect_end(&in);
}

/* Offsets ascend from 0, and each is that of another function. */
static enum bo_status open_offset(struct reader *r, struct input *in, size_t number)
{
    const uint64_t off = off_of(in);
    struct bo_span name;
    uint64_t at = 0;
    size_t found;
    enum bo_status status = get_name(r, in, &name);
    if (status)
        return status;
    if (!autofdo_names_add(&r->functions, name, &found))
        return bo_fail_alloc(in->err, r->arena);
    if (found != number)
        return bo_fail(in->err, BO_CORRUPT, off, "profile has a function twice");
    const uint64_t at_off = off_of(in);
    status = bo_get_uvarint64(&in->in, &at, in->err);
    if (status)
        return status;
    const size_t start = r->starts[EXTBINARY_FUNCTIONS];
    if (at >= r->sizes[EXTBINARY_FUNCTIONS])
        return bo_fail(in->err, BO_CORRUPT, at_off, "function lies outside its section");
    if (number ? start + at <= r->offs[number - 1] : at)
        return bo_fail(in->err, BO_CORRUPT, at_off, "functions are not in the order of offsets");
    r->offs[number] = start + (size_t)at;
    return BO_OK;
}

static enum bo_status open_offsets(struct reader *r, struct bo_error *err)
{
    struct input in = input_of(r, EXTBINARY_OFFSETS, r->arena, err);
    size_t n = 0;
    enum bo_status status = get_number(&in, OFFSET_NBYTES, &n);
    if (status)
        return status;
    r->offs = bo_alloc_array(r->arena, n + 1, sizeof *r->offs);
    if (!r->offs || !autofdo_names_init(&r->functions, n, r->arena))
        return bo_fail_alloc(err, r->arena);
    for (size_t i = 0; i < n && !status; i++)
        status = open_offset(r, &in, i);
    r->offs[n] = r->starts[EXTBINARY_FUNCTIONS] + r->sizes[EXTBINARY_FUNCTIONS];
    if (!status && !n && r->sizes[EXTBINARY_FUNCTIONS])
        return bo_fail(err, BO_CORRUPT, r->starts[EXTBINARY_FUNCTIONS],
                       "bytes behind a section's last");
    return status ? status : expect_end(&in);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *r = bo_zalloc_array(arena, 1, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    r->in = in;
    r->arena = arena;
    *reader_ret = r;
    enum bo_status status = open_sections(r, err);
    if (!status)
        status = open_summary(r, err);
    if (!status)
        status = open_names(r, err);
    return status ? status : open_offsets(r, err);
}

/* ---- a function ------------------------------------------------------------------------------ */

static enum bo_status get_place(struct input *in, uint32_t *line, uint32_t *discriminator)
{
    const uint64_t off = off_of(in);
    const enum bo_status status = bo_get_uvarint32(&in->in, line, in->err);
    if (!status && *line > AUTOFDO_MAX_LINE)
        return bo_fail(in->err, BO_CORRUPT, off, "line is above 65535");
    return status ? status : bo_get_uvarint32(&in->in, discriminator, in->err);
}

static int compare_targets(const void *a, const void *b)
{
    const struct autofdo_target *x = a, *y = b;
    return bo_span_compare(x->name, y->name);
}

static enum bo_status get_targets(const struct reader *r, struct input *in,
                                  struct autofdo_record *record)
{
    const uint64_t off = off_of(in);
    enum bo_status status = get_number(in, TARGET_NBYTES, &record->n_targets);
    const size_t n = status ? 0 : record->n_targets;
    struct autofdo_target *targets = bo_alloc_array(in->arena, n, sizeof *targets);
    if (status)
        return status;
    if (!targets)
        return bo_fail_alloc(in->err, in->arena);
    record->targets = targets;
    for (size_t t = 0; t < n && !status; t++) {
        in->owed -= TARGET_NBYTES;
        status = get_name(r, in, &targets[t].name);
        if (!status)
            status = bo_get_uvarint64(&in->in, &targets[t].count, in->err);
    }
    if (status || n < 2)
        return status;
    qsort(targets, n, sizeof *targets, compare_targets);
    for (size_t t = 1; t < n; t++)
        if (bo_span_equal(targets[t - 1].name, targets[t].name))
            return bo_fail(in->err, BO_CORRUPT, off, "record has a target twice");
    return BO_OK;
}

static enum bo_status get_records(const struct reader *r, struct input *in,
                                  struct autofdo_instance *instance)
{
    enum bo_status status = get_number(in, RECORD_NBYTES, &instance->n_records);
    if (status)
        return status;
    struct autofdo_record *records =
        bo_alloc_array(in->arena, instance->n_records, sizeof *records);
    if (!records)
        return bo_fail_alloc(in->err, in->arena);
    instance->records = records;
    for (size_t i = 0; i < instance->n_records && !status; i++) {
        struct autofdo_record *record = &records[i];
        const uint64_t off = off_of(in);
        in->owed -= RECORD_NBYTES;
        status = get_place(in, &record->line, &record->discriminator);
        if (!status && i &&
            autofdo_place(record[-1].line, record[-1].discriminator) >=
                autofdo_place(record->line, record->discriminator))
            return bo_fail(in->err, BO_CORRUPT, off, "records are not in order");
        if (!status)
            status = bo_get_uvarint64(&in->in, &record->count, in->err);
        if (!status)
            status = get_targets(r, in, record);
    }
    return status;
}

/* The total is skipped: LLVM's own differ from the sum of the counts. */
static enum bo_status get_instance(const struct reader *r, struct input *in, unsigned depth,
                                   struct autofdo_instance *instance)
{
    uint64_t total;
    if (depth > AUTOFDO_MAX_DEPTH)
        return bo_fail_here(in->err, BO_OVER_LIMIT, &in->in,
                            "instances are nested more than 256 deep");
    enum bo_status status = get_name(r, in, &instance->name);
    if (!status)
        status = bo_get_uvarint64(&in->in, &total, in->err);
    if (!status)
        status = get_records(r, in, instance);
    if (!status)
        status = get_number(in, CALLSITE_NBYTES, &instance->n_callsites);
    if (status)
        return status;
    struct autofdo_callsite *callsites =
        bo_alloc_array(in->arena, instance->n_callsites, sizeof *callsites);
    if (!callsites)
        return bo_fail_alloc(in->err, in->arena);
    instance->callsites = callsites;
    for (size_t i = 0; i < instance->n_callsites && !status; i++) {
        struct autofdo_callsite *site = &callsites[i];
        const uint64_t off = off_of(in);
        in->owed -= CALLSITE_NBYTES;
        status = get_place(in, &site->line, &site->discriminator);
        if (!status)
            status = get_instance(r, in, depth + 1, &site->callee);
        if (status || !i)
            continue;
        const uint64_t before = autofdo_place(site[-1].line, site[-1].discriminator),
                       own = autofdo_place(site->line, site->discriminator);
        if (before > own ||
            (before == own && bo_span_compare(site[-1].callee.name, site->callee.name) >= 0))
            return bo_fail(in->err, BO_CORRUPT, off, "callsites are not in order");
    }
    return status;
}

/* The function of this number. It fills the bytes up to the next one. */
static enum bo_status get_function(const struct reader *r, size_t number, struct bo_arena *arena,
                                   struct autofdo_function *function, struct bo_error *err)
{
    const size_t start = r->offs[number];
    struct input in = {bo_cursor_at(r->in, start, r->offs[number + 1] - start), arena, err, 0};
    *function = (struct autofdo_function){0};
    enum bo_status status = bo_get_uvarint64(&in.in, &function->head, err);
    const uint64_t off = off_of(&in);
    if (!status)
        status = get_instance(r, &in, 1, &function->body);
    if (!status && !bo_span_equal(function->body.name, r->functions.names[number]))
        return bo_fail(err, BO_CORRUPT, off, "function is not the one of this offset");
    if (!status && bo_left(&in.in))
        return bo_fail_here(err, BO_CORRUPT, &in.in, "function ends before the next one starts");
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool same_summary(const struct autofdo_summary *a, const struct autofdo_summary *b)
{
    bool same = a->total_count == b->total_count && a->max_count == b->max_count &&
                a->max_head == b->max_head && a->n_counts == b->n_counts &&
                a->n_functions == b->n_functions;
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS; i++)
        same = same && a->entries[i].min_count == b->entries[i].min_count &&
               a->entries[i].n_counts == b->entries[i].n_counts;
    return same;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    void *reader;
    enum bo_status status = open(self, in, arena, &reader, err);
    if (status)
        return status;
    const struct reader *r = reader;
    const size_t n = r->functions.n;
    struct autofdo_summary summary;
    struct autofdo_model *model = bo_zalloc_array(arena, 1, sizeof *model);
    struct autofdo_function *functions = bo_alloc_array(arena, n, sizeof *functions);
    if (!model || !functions)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < n && !status; f++)
        status = get_function(r, f, arena, &functions[f], err);
    if (status)
        return status;
    if (n)
        qsort(functions, n, sizeof *functions, autofdo_compare_functions);
    model->n_functions = n;
    model->functions = functions;
    *model_ret = model;
    status = autofdo_summarize(model, arena, &summary, err);
    if (!status && !same_summary(&summary, &r->summary))
        return bo_fail(err, BO_CORRUPT, r->starts[EXTBINARY_SUMMARY],
                       "summary disagrees with the functions");
    return status;
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool put_target(const struct autofdo_target *target, struct bo_sink *sink)
{
    const size_t n = (target->name.n + 7) & ~(size_t)7;
    struct autofdo_found *found = bo_sink_take(sink, sizeof *found + n);
    if (!found)
        return false;
    uint8_t *name = (uint8_t *)(found + 1);
    *found = (struct autofdo_found){target->count, target->name.n};
    memcpy(name, target->name.p, target->name.n);
    memset(name + target->name.n, 0, n - target->name.n);
    return true;
}

/* False when the sink, which may be NULL, is full. */
static bool visit(const struct autofdo_instance *instance, struct autofdo_digest *digest,
                  struct bo_sink *sink)
{
    uint64_t *hash = &digest->hash;
    bool has_room = true;
    digest->n_instances++;
    digest->n_records += instance->n_records;
    autofdo_visit_instance(hash, autofdo_hash_name(instance->name));
    for (size_t i = 0; i < instance->n_records; i++) {
        const struct autofdo_record *record = &instance->records[i];
        autofdo_visit_record(hash, record->line, record->discriminator, record->count);
        digest->n_targets += record->n_targets;
        for (size_t t = 0; t < record->n_targets && has_room; t++) {
            const struct autofdo_target *target = &record->targets[t];
            autofdo_visit_target(hash, autofdo_hash_name(target->name), target->count);
            has_room = !sink || put_target(target, sink);
        }
    }
    for (size_t c = 0; c < instance->n_callsites && has_room; c++) {
        const struct autofdo_callsite *site = &instance->callsites[c];
        autofdo_visit_callsite(hash, site->line, site->discriminator);
        has_room = visit(&site->callee, digest, sink);
    }
    autofdo_visit_end(hash);
    return has_room;
}

/* Reads one function into scratch memory, as a compiler does, and visits it. */
static enum bo_status answer(struct reader *r, size_t number, struct autofdo_answer *found,
                             struct bo_sink *sink, struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(r->arena);
    struct autofdo_function function;
    enum bo_status status = get_function(r, number, r->arena, &function, err);
    *found = (struct autofdo_answer){.head = function.head, .digest.n_functions = 1};
    autofdo_visit_head(&found->digest.hash, function.head, 0);
    if (!status && !visit(&function.body, &found->digest, sink))
        status = bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET, "answer is larger than its sink");
    found->n_targets = found->digest.n_targets;
    bo_arena_rewind(r->arena, mark);
    return status;
}

static enum bo_status answer_function(struct reader *r, struct bo_span name, struct bo_sink *sink,
                                      struct bo_error *err)
{
    struct autofdo_answer found = {0};
    uint8_t *p = bo_sink_take(sink, sizeof found);
    enum bo_status status = BO_OK;
    size_t number;
    if (!p)
        return bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET, "answer is larger than its sink");
    if (autofdo_names_find(&r->functions, name, &number))
        status = answer(r, number, &found, sink, err);
    memcpy(p, &found, sizeof found);
    return status;
}

static enum bo_status answer_scan(struct reader *r, struct autofdo_digest *sum,
                                  struct bo_error *err)
{
    enum bo_status status = BO_OK;
    *sum = (struct autofdo_digest){0};
    for (size_t f = 0; f < r->functions.n && !status; f++) {
        struct autofdo_answer found;
        status = answer(r, f, &found, NULL, err);
        sum->n_functions++;
        sum->n_instances += found.digest.n_instances;
        sum->n_records += found.digest.n_records;
        sum->n_targets += found.digest.n_targets;
        sum->hash += found.digest.hash;
    }
    return status;
}

/* Without files, the unit of the empty path has all functions. */
static enum bo_status answer_unit(struct reader *r, struct bo_span path, struct autofdo_digest *sum,
                                  struct bo_error *err)
{
    *sum = (struct autofdo_digest){0};
    return path.n ? BO_OK : answer_scan(r, sum, err);
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct reader *r = reader;
    const struct autofdo_name_query *names = queries;
    const struct autofdo_path_query *paths = queries;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        switch ((enum autofdo_query_kind)kind) {
        case AUTOFDO_SUMMARY:
            ((struct autofdo_summary *)answers)[i] = r->summary;
            break;
        case AUTOFDO_FUNCTION:
            status = answer_function(r, names[i].name, answers, err);
            break;
        case AUTOFDO_TU:
            status = answer_unit(r, paths[i].path, (struct autofdo_digest *)answers + i, err);
            break;
        case AUTOFDO_SCAN:
            status = answer_scan(r, (struct autofdo_digest *)answers + i, err);
            break;
        default:
            return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "no such query kind");
        }
    return status;
}

/* ---- the codec ------------------------------------------------------------------------------- */

/* There are neither timestamps nor files. */
static enum bo_status reduce(const struct bo_codec *self, const void *opaque,
                             struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_model *reduced = bo_alloc(arena, sizeof *reduced);
    struct autofdo_function *functions =
        bo_alloc_array(arena, model->n_functions, sizeof *functions);
    if (!reduced || !functions)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < model->n_functions; f++) {
        functions[f] = model->functions[f];
        functions[f].timestamp = 0;
    }
    *reduced = (struct autofdo_model){model->n_functions, functions, 0, NULL};
    *model_ret = reduced;
    return BO_OK;
}

const struct bo_codec autofdo_extbinary = {
    .name = "extbinary",
    .summary = "LLVM's extensible binary, version 103: names and an index of functions",
    .spec = "codecs/autofdo/README.md#extbinary",
    .choices = "the order of functions and targets, totals, unused names, a flag of the names",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .lazy = true,
    .kinds = (1u << AUTOFDO_N_KINDS) - 1,
    .reduce = reduce,
    .encode = extbinary_encode,
    .decode = decode,
    .open = open,
    .query = query,
};
