/*
 * LLVM's extensible binary sample profile in its forms: decoding, queries and the codecs. The form
 * with compressed sections, which needs a library, is in zlib.c.
 */
#include <stdlib.h>

#include "codecs/autofdo/extbinary/extbinary.h"

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

/* After a failure in a compressed section, the error names the section's first byte in the file. */
static enum bo_status located(const struct extbinary_reader *r, enum bo_status status,
                              struct bo_error *err)
{
    if (!status || !err || !err->what || !r->is_unpacked || err->off == BO_NO_OFFSET)
        return status;
    for (unsigned s = 0; s < EXTBINARY_N_SECTIONS; s++)
        if (err->off >= r->starts[s] && err->off <= r->starts[s] + r->sizes[s]) {
            err->off = r->packed_starts[s];
            break; /* it is an offset in the file now */
        }
    return status;
}

enum bo_status extbinary_open_codec(const struct bo_codec *self, struct bo_span in,
                                    struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct extbinary_reader *r = bo_zalloc_array(arena, 1, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    r->form = extbinary_form_of(self);
    r->in = in;
    r->arena = arena;
    *reader_ret = r;
    return located(r, extbinary_open(r, err), err);
}

/* The functions, in the order of the file. */
static enum bo_status list(struct extbinary_reader *r, struct extbinary_place **places_ret,
                           size_t *n_ret, struct bo_error *err)
{
    if (r->form->is_eytzinger)
        return extbinary_list(r, r->arena, places_ret, n_ret, err);
    *places_ret = r->places;
    *n_ret = r->n_places;
    return BO_OK;
}

static enum bo_status decode_functions(struct extbinary_reader *r, struct autofdo_model *model,
                                       struct bo_error *err)
{
    struct extbinary_place *places = NULL;
    size_t n = 0;
    enum bo_status status = r->form->is_eytzinger ? extbinary_check_names(r, err) : BO_OK;
    if (!status)
        status = list(r, &places, &n, err);
    if (status)
        return status;
    struct autofdo_function *functions = bo_alloc_array(r->arena, n, sizeof *functions);
    struct autofdo_summary summary;
    if (!functions)
        return bo_fail_alloc(err, r->arena);
    for (size_t f = 0; f < n && !status; f++)
        status = extbinary_read(r, &places[f], true, r->arena, &functions[f], err);
    if (status)
        return status;
    if (n)
        qsort(functions, n, sizeof *functions, autofdo_compare_functions);
    *model = (struct autofdo_model){.n_functions = n, .functions = functions};
    status = autofdo_summarize(model, r->arena, &summary, err);
    if (!status && !same_summary(&summary, &r->summary))
        return bo_fail(err, BO_CORRUPT, r->starts[EXTBINARY_SUMMARY],
                       "summary disagrees with the functions");
    return status;
}

enum bo_status extbinary_decode(const struct bo_codec *self, struct bo_span in,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    void *reader;
    struct autofdo_model *model = bo_alloc(arena, sizeof *model);
    if (!model)
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    const enum bo_status status = extbinary_open_codec(self, in, arena, &reader, err);
    return status ? status : located(reader, decode_functions(reader, model, err), err);
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
static enum bo_status answer(struct extbinary_reader *r, const struct extbinary_place *place,
                             bool to_the_end, struct autofdo_answer *found, struct bo_sink *sink,
                             struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(r->arena);
    struct autofdo_function function;
    enum bo_status status = extbinary_read(r, place, to_the_end, r->arena, &function, err);
    *found = (struct autofdo_answer){.head = function.head, .digest.n_functions = 1};
    autofdo_visit_head(&found->digest.hash, function.head, 0);
    if (!status && !visit(&function.body, &found->digest, sink))
        status = BO_OVER_LIMIT;
    found->n_targets = found->digest.n_targets;
    bo_arena_rewind(r->arena, mark);
    return status;
}

static enum bo_status answer_function(struct extbinary_reader *r, struct bo_span name,
                                      struct bo_sink *sink, struct bo_error *err)
{
    struct autofdo_answer found = {0};
    struct extbinary_place place;
    bool is_there;
    uint8_t *p = bo_sink_take(sink, sizeof found);
    if (!p)
        return BO_OVER_LIMIT;
    enum bo_status status = extbinary_find(r, name, &place, &is_there, err);
    if (!status && is_there)
        status = answer(r, &place, !r->form->is_eytzinger, &found, sink, err);
    memcpy(p, &found, sizeof found);
    return status;
}

static enum bo_status answer_scan(struct extbinary_reader *r, struct autofdo_digest *sum,
                                  struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(r->arena);
    struct extbinary_place *places = NULL;
    size_t n = 0;
    enum bo_status status = list(r, &places, &n, err);
    *sum = (struct autofdo_digest){0};
    for (size_t f = 0; f < n && !status; f++) {
        struct autofdo_answer found;
        status = answer(r, &places[f], true, &found, NULL, err);
        sum->n_functions++;
        sum->n_instances += found.digest.n_instances;
        sum->n_records += found.digest.n_records;
        sum->n_targets += found.digest.n_targets;
        sum->hash += found.digest.hash;
    }
    bo_arena_rewind(r->arena, mark);
    return status;
}

/* Without files, the unit of the empty path has all functions. */
static enum bo_status answer_unit(struct extbinary_reader *r, struct bo_span path,
                                  struct autofdo_digest *sum, struct bo_error *err)
{
    *sum = (struct autofdo_digest){0};
    return path.n ? BO_OK : answer_scan(r, sum, err);
}

enum bo_status extbinary_query(const struct bo_codec *self, void *reader, unsigned kind,
                               const void *queries, size_t n, void *answers, struct bo_error *err)
{
    struct extbinary_reader *r = reader;
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
            return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "unknown query kind");
        }
    return located(r, status, err);
}

/* ---- the codecs ------------------------------------------------------------------------------ */

const uint8_t extbinary_magic[] = {0x84, 0xe4, 0xd0, 0xb1, 0xf4, 0xc9, 0x94, 0xa8, 0x53};
const uint8_t extbinary_kinds[] = {1, 2, 6, 4, 32, 4, 32, 3, 5};

/* There are neither timestamps nor files. */
enum bo_status extbinary_reduce(const struct bo_codec *self, const void *opaque,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    const struct autofdo_model *model = opaque;
    const size_t n = model->n_functions;
    struct autofdo_model *reduced = bo_alloc(arena, sizeof *reduced);
    struct autofdo_function *functions = bo_alloc_array(arena, n, sizeof *functions);
    if (!reduced || !functions)
        return bo_fail_alloc(err, arena);
    for (size_t f = 0; f < n; f++) {
        functions[f] = model->functions[f];
        functions[f].timestamp = 0;
    }
    *reduced = (struct autofdo_model){n, functions, 0, NULL};
    *model_ret = reduced;
    if (!extbinary_form_of(self)->has_guids)
        return BO_OK;
    const enum bo_status status = extbinary_rename(reduced, arena, &reduced, err);
    *model_ret = reduced;
    return status;
}

static const struct extbinary_form strings = {
    .version = 103,
    .n_sections = 7,
    .table = {{EXTBINARY_SUMMARY, 0},
              {EXTBINARY_NAMES, 0},
              {EXTBINARY_CONTEXTS, 0},
              {EXTBINARY_OFFSETS, 0},
              {EXTBINARY_FUNCTIONS, 0},
              {EXTBINARY_SYMBOLS, 0},
              {EXTBINARY_METADATA, 0}},
    .order = {0, 1, 2, 4, 5, 3, 6},
};

/* Functions with callsites, then those without. Offsets are known when functions are written. */
#define SPLIT(names_flags, offsets_flags)                                 \
    .n_sections = 8, .has_guids = true, .is_split = true,                 \
    .table = {{EXTBINARY_SUMMARY, 0},                                     \
              {EXTBINARY_NAMES, EXTBINARY_GUIDS | (names_flags)},         \
              {EXTBINARY_OFFSETS, (offsets_flags)},                       \
              {EXTBINARY_FUNCTIONS, 0},                                   \
              {EXTBINARY_FLAT_OFFSETS, EXTBINARY_FLAT | (offsets_flags)}, \
              {EXTBINARY_FLAT_FUNCTIONS, EXTBINARY_FLAT},                 \
              {EXTBINARY_SYMBOLS, 0},                                     \
              {EXTBINARY_METADATA, 0}},                                   \
    .order = {0, 1, 3, 2, 5, 4, 6, 7}

static const struct extbinary_form guids = {.version = 103, SPLIT(0, 0)};
static const struct extbinary_form eytzinger = {
    .version = 104,
    .is_eytzinger = true,
    SPLIT(EXTBINARY_EYTZINGER_NAMES, EXTBINARY_EYTZINGER_OFFSETS),
};

#define FUNCTIONS                                                                       \
    .access = BO_RANDOM, .lazy = true, .kinds = (1u << AUTOFDO_N_KINDS) - 1,            \
    .reduce = extbinary_reduce, .encode = extbinary_encode, .decode = extbinary_decode, \
    .open = extbinary_open_codec, .query = extbinary_query

const struct bo_codec autofdo_extbinary = {
    .name = "extbinary",
    .summary = "LLVM's extensible binary, version 103: names and an index of functions",
    .spec = "codecs/autofdo/README.md#extbinary",
    .choices = "the order of functions and targets, totals, unused names, a flag of the names",
    .role = BO_STATUS_QUO,
    .own = &strings,
    FUNCTIONS,
};

const struct bo_codec autofdo_extbinary_md5_split = {
    .name = "extbinary-md5-split",
    .summary = "as extbinary, with GUIDs for names, and functions without callsites apart",
    .spec = "codecs/autofdo/README.md#extbinary-md5-split",
    .choices =
        "the order of functions, targets and names, totals, unused names, a flag of the names",
    .role = BO_STATUS_QUO,
    .own = &guids,
    FUNCTIONS,
};

const struct bo_codec autofdo_extbinary_eytzinger = {
    .name = "extbinary-eytzinger",
    .summary = "as extbinary-md5-split, with name and offset tables that are searched in place",
    .spec = "codecs/autofdo/README.md#extbinary-eytzinger",
    .choices = "the order of functions and targets, totals, unused names, a flag of the names",
    .role = BO_PROPOSED,
    .own = &eytzinger,
    FUNCTIONS,
};
