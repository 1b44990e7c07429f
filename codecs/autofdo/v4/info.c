/*
 * Version 4: symbol names and symbol info, as read.
 *
 * Functions are visited in place, or rebuilt; both read the same location records in the same
 * order. Recursion ends at AUTOFDO_MAX_DEPTH.
 */
#include "codecs/autofdo/v4/v4.h"

/* ---- symbol names ---------------------------------------------------------------------------- */

enum { SYMBOL_NBYTES = 12 }; /* of an entry that is not compact */

static enum bo_status info_nbytes(const struct autofdo_v4_file *file,
                                  const struct autofdo_v4_unit *unit, size_t *nbytes_ret,
                                  struct bo_error *err)
{
    struct autofdo_v4_cursor c;
    const enum bo_status status = autofdo_v4_enter(file, unit->info, AUTOFDO_V4_INFO, &c, err);
    *nbytes_ret = status ? 0 : c.at.n;
    return status;
}

/* Reads the next entry ahead; a compact one has the distance from the offset before. */
static enum bo_status read_ahead(struct autofdo_v4_symbols *s, struct bo_error *err)
{
    uint64_t id = 0, at = 0;
    s->next_off = s->c.at.base + s->c.at.off;
    enum bo_status status = autofdo_v4_take(&s->c, 4, &id, err);
    if (!status)
        status = autofdo_v4_take(&s->c, 8, &at, err);
    if (status)
        return status;
    if (s->c.compact && at > s->info_nbytes)
        return bo_fail(err, BO_CORRUPT, s->next_off, "function lies outside its section");
    s->next_id = (uint32_t)id;
    s->next_at = s->c.compact ? s->next_at + at : at;
    if (s->next_at >= s->info_nbytes)
        return bo_fail(err, BO_CORRUPT, s->next_off, "function lies outside its section");
    return BO_OK;
}

enum bo_status autofdo_v4_open_symbols(const struct autofdo_v4_file *file,
                                       const struct autofdo_v4_unit *unit,
                                       struct autofdo_v4_symbols *s, struct bo_error *err)
{
    *s = (struct autofdo_v4_symbols){.n = 0};
    enum bo_status status = info_nbytes(file, unit, &s->info_nbytes, err);
    if (!status)
        status = autofdo_v4_enter(file, unit->symbols, AUTOFDO_V4_SYMBOLS, &s->c, err);
    const size_t off = s->c.at.base + s->c.at.off;
    if (!status)
        status = autofdo_v4_take_number(&s->c, file->compact ? 2 : SYMBOL_NBYTES, &s->n, err);
    if (!status && s->n == 0)
        return bo_fail(err, BO_CORRUPT, off, "file has no functions");
    if (!status)
        status = read_ahead(s, err);
    if (!status && s->next_at != 1)
        return bo_fail(err, BO_CORRUPT, s->next_off, "first function does not start at 0");
    return status;
}

enum bo_status autofdo_v4_next_symbol(struct autofdo_v4_symbols *s,
                                      struct autofdo_v4_symbol *symbol, struct bo_error *err)
{
    *symbol =
        (struct autofdo_v4_symbol){s->next_id, s->next_off, (size_t)s->next_at, s->info_nbytes};
    if (++s->n_read == s->n)
        return autofdo_v4_take_end(&s->c, err);
    const enum bo_status status = read_ahead(s, err);
    if (status)
        return status;
    if (s->next_at <= symbol->at || s->next_id <= symbol->id)
        return bo_fail(err, BO_CORRUPT, s->next_off, "functions are not in order");
    symbol->to = (size_t)s->next_at;
    return BO_OK;
}

/* Entry i, of a section that is not compact. */
static void read_symbol(const struct autofdo_v4_symbols *s, size_t first_off, uint32_t i,
                        struct autofdo_v4_symbol *symbol)
{
    const size_t off = first_off + (size_t)i * SYMBOL_NBYTES;
    const uint8_t *p = s->c.at.p + off;
    const uint64_t at = bo_be64(p + 4);
    const uint64_t to = i + 1 < s->n ? bo_be64(p + SYMBOL_NBYTES + 4) : s->info_nbytes;
    symbol->id = bo_be32(p);
    symbol->off = s->c.at.base + off;
    symbol->at = at < s->info_nbytes ? (size_t)at : s->info_nbytes;
    symbol->to = to < s->info_nbytes ? (size_t)to : s->info_nbytes;
}

static enum bo_status find_by_halves(const struct autofdo_v4_symbols *s, uint32_t id,
                                     bool *found_ret, struct autofdo_v4_symbol *symbol,
                                     struct bo_error *err)
{
    const size_t first_off = s->c.at.off - SYMBOL_NBYTES;
    uint32_t lo = 0;
    for (uint32_t hi = s->n; lo < hi;) {
        const uint32_t mid = lo + (hi - lo) / 2;
        read_symbol(s, first_off, mid, symbol);
        if (symbol->id == id) {
            *found_ret = true;
            return symbol->at < symbol->to
                       ? BO_OK
                       : bo_fail(err, BO_CORRUPT, symbol->off, "functions are not in order");
        }
        if (symbol->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return BO_OK;
}

enum bo_status autofdo_v4_find_symbol(const struct autofdo_v4_file *file,
                                      const struct autofdo_v4_unit *unit, uint32_t id,
                                      bool *found_ret, struct autofdo_v4_symbol *symbol,
                                      struct bo_error *err)
{
    struct autofdo_v4_symbols s;
    enum bo_status status = autofdo_v4_open_symbols(file, unit, &s, err);
    *found_ret = false;
    if (!status && !file->compact)
        return find_by_halves(&s, id, found_ret, symbol, err);
    for (uint32_t i = 0; i < s.n && !status; i++) {
        status = autofdo_v4_next_symbol(&s, symbol, err);
        if (!status && symbol->id >= id) {
            *found_ret = symbol->id == id;
            return BO_OK;
        }
    }
    return status;
}

/* ---- location records ------------------------------------------------------------------------ */

struct info {
    struct autofdo_v4_cursor c; /* ends with the function */
    /*
     * The least bytes of location records that were announced and not read: so that records inside
     * records cannot announce the same bytes again.
     */
    size_t n_owed;
    size_t least_record, least_target; /* bytes */
    const struct autofdo_v4_strings *strings;
};

/* A location record without its targets or the callee's instance, which follow it. */
struct location {
    size_t off;
    bool is_known, is_first;
    unsigned type;
    uint32_t line, discriminator;
    uint64_t count;     /* of a count */
    uint32_t n_targets; /* of a count */
    uint32_t callee;    /* of a callsite: the string id */
};

static enum bo_status open_info(const struct autofdo_v4_file *file,
                                const struct autofdo_v4_unit *unit,
                                const struct autofdo_v4_symbol *symbol,
                                const struct autofdo_v4_strings *strings, struct info *info,
                                struct bo_error *err)
{
    *info = (struct info){.strings = strings,
                          .least_record = file->compact ? 2 : 5,
                          .least_target = file->compact ? 2 : 5};
    const enum bo_status status =
        autofdo_v4_enter(file, unit->info, AUTOFDO_V4_INFO, &info->c, err);
    if (!status && symbol->id >= strings->n)
        return bo_fail(err, BO_CORRUPT, symbol->off, "string id is out of range");
    info->c.at.off = symbol->at;
    info->c.at.n = symbol->to;
    return status;
}

/* A number of elements of at least `least` bytes each, in addition to those owed. */
static enum bo_status take_number(struct info *info, size_t least, uint32_t *n_ret,
                                  struct bo_error *err)
{
    const size_t off = info->c.at.off;
    const enum bo_status status = autofdo_v4_take_number(&info->c, least, n_ret, err);
    const size_t left = bo_left(&info->c.at);
    if (!status && (info->n_owed > left || *n_ret > (left - info->n_owed) / least)) {
        info->c.at.off = off;
        return bo_fail_here(err, BO_TRUNCATED, &info->c.at, "more records than bytes left");
    }
    return status;
}

static enum bo_status take_n_records(struct info *info, uint32_t *n_ret, struct bo_error *err)
{
    *n_ret = 0;
    const enum bo_status status = take_number(info, info->least_record, n_ret, err);
    info->n_owed += *n_ret * info->least_record;
    return status;
}

static enum bo_status take_id(struct info *info, uint32_t *id_ret, struct bo_error *err)
{
    const size_t off = info->c.at.off;
    uint64_t id = 0;
    const enum bo_status status = autofdo_v4_take(&info->c, 4, &id, err);
    if (!status && id >= info->strings->n) {
        info->c.at.off = off;
        return bo_fail_here(err, BO_CORRUPT, &info->c.at, "string id is out of range");
    }
    *id_ret = (uint32_t)id;
    return status;
}

/* A count of the width that the code names; in compact sections every width is a varint. */
static enum bo_status take_count(struct info *info, unsigned code, uint64_t *count_ret,
                                 struct bo_error *err)
{
    const size_t off = info->c.at.off;
    const unsigned max_code = info->c.compact ? 1 : 4;
    *count_ret = 0;
    if (code > max_code)
        return bo_fail_here(err, BO_CORRUPT, &info->c.at, "width of a count is unknown");
    if (code == 0)
        return BO_OK;
    const unsigned nbytes = info->c.compact ? 8 : 1u << (code - 1);
    const enum bo_status status = autofdo_v4_take(&info->c, nbytes, count_ret, err);
    const unsigned least = autofdo_v4_width_code(*count_ret);
    if (!status && least < code) {
        info->c.at.off = off;
        return bo_fail_here(err, BO_CORRUPT, &info->c.at, "count is wider than it needs");
    }
    return status;
}

static enum bo_status skip_unknown(struct info *info, struct bo_error *err)
{
    uint64_t size = 0;
    const enum bo_status status = autofdo_v4_take(&info->c, 4, &size, err);
    if (status)
        return status;
    if (size > bo_left(&info->c.at))
        return bo_fail_here(err, BO_TRUNCATED, &info->c.at,
                            "unknown record runs past its function's end");
    info->c.at.off += (size_t)size;
    return BO_OK;
}

static enum bo_status take_place(struct info *info, const struct location *last, struct location *l,
                                 bool has_discriminator, struct bo_error *err)
{
    uint64_t line = 0, discriminator = 0;
    enum bo_status status = autofdo_v4_take(&info->c, 4, &line, err);
    if (!status && info->c.compact && !l->is_first)
        line += last->line;
    if (!status && line > AUTOFDO_MAX_LINE)
        return bo_fail(err, BO_CORRUPT, l->off, "line is above 65535");
    if (!status && has_discriminator)
        status = autofdo_v4_take(&info->c, 4, &discriminator, err);
    if (!status && has_discriminator && discriminator == 0)
        return bo_fail(err, BO_CORRUPT, l->off, "discriminator is 0");
    l->line = (uint32_t)line;
    l->discriminator = (uint32_t)discriminator;
    return status;
}

static enum bo_status take_rest_of_count(struct info *info, unsigned flags, struct location *l,
                                         struct bo_error *err)
{
    enum bo_status status = take_count(info, flags & AUTOFDO_V4_WIDTH, &l->count, err);
    if (status || !(flags & AUTOFDO_V4_HAS_TARGETS))
        return status;
    const size_t off = info->c.at.off;
    status = take_number(info, info->least_target, &l->n_targets, err);
    if (!status && l->n_targets == 0) {
        info->c.at.off = off;
        return bo_fail_here(err, BO_CORRUPT, &info->c.at, "number of targets is 0");
    }
    return status;
}

/* True when a record may follow another of its type. */
static bool follows(const struct location *last, const struct location *l)
{
    if (l->is_first)
        return true;
    if (l->line != last->line)
        return l->line > last->line;
    if (l->discriminator != last->discriminator)
        return l->discriminator > last->discriminator;
    return l->type == AUTOFDO_V4_CALLSITE && l->callee > last->callee;
}

/*
 * Reads the next record of an instance. *l is the last known record before it; its `off` is 0 when
 * no record is known. When the new record is unknown, only is_known changes.
 */
static enum bo_status take_location(struct info *info, struct location *l, struct bo_error *err)
{
    const struct location last = *l;
    uint64_t flags = 0;
    const size_t off = info->c.at.base + info->c.at.off;
    enum bo_status status = autofdo_v4_take(&info->c, 1, &flags, err);
    if (status)
        return status;
    info->n_owed -= info->least_record;
    const unsigned type = (unsigned)flags >> 5;
    l->is_known = type <= AUTOFDO_V4_CALLSITE;
    if (!l->is_known)
        return skip_unknown(info, err);
    *l = (struct location){.off = off, .is_known = true, .type = type};
    l->is_first = !last.off || last.type < type;
    if (last.off && last.type > type)
        return bo_fail(err, BO_CORRUPT, off, "count after callsites");
    if (type == AUTOFDO_V4_CALLSITE && (flags & (AUTOFDO_V4_HAS_TARGETS | AUTOFDO_V4_WIDTH)))
        return bo_fail(err, BO_CORRUPT, off, "callsite has a count");
    status = take_place(info, &last, l, (flags & AUTOFDO_V4_HAS_DISCRIMINATOR) != 0, err);
    if (!status)
        status = type == AUTOFDO_V4_COUNT ? take_rest_of_count(info, (unsigned)flags, l, err)
                                          : take_id(info, &l->callee, err);
    if (!status && !follows(&last, l))
        return bo_fail(err, BO_CORRUPT, off, "records are not in order");
    return status;
}

/* Target i of a record; *id is the one before. */
static enum bo_status take_target(struct info *info, uint32_t i, uint32_t *id, uint64_t *count_ret,
                                  struct bo_error *err)
{
    const size_t off = info->c.at.base + info->c.at.off;
    const uint32_t last = *id;
    uint64_t code = 0;
    enum bo_status status = info->c.compact ? BO_OK : autofdo_v4_take(&info->c, 1, &code, err);
    if (!status)
        status = take_id(info, id, err);
    if (!status && i > 0 && *id <= last)
        return bo_fail(err, BO_CORRUPT, off, "targets are not in order");
    if (status)
        return status;
    return info->c.compact ? autofdo_v4_take(&info->c, 8, count_ret, err)
                           : take_count(info, (unsigned)code, count_ret, err);
}

static enum bo_status take_head(struct info *info, uint64_t *head_ret, uint64_t *timestamp_ret,
                                struct bo_error *err)
{
    const enum bo_status status = autofdo_v4_take(&info->c, 8, head_ret, err);
    return status ? status : autofdo_v4_take(&info->c, 8, timestamp_ret, err);
}

static enum bo_status fail_depth(const struct location *l, struct bo_error *err)
{
    return bo_fail(err, BO_OVER_LIMIT, l->off, "instances are nested more than 256 deep");
}

/* ---- rebuilding ------------------------------------------------------------------------------ */

struct builder {
    struct info info;
    struct bo_arena *arena;
    bool *is_callee;
};

static enum bo_status build_record(struct builder *b, const struct location *l,
                                   struct autofdo_record *record, struct bo_error *err)
{
    struct autofdo_target *targets = bo_alloc_array(b->arena, l->n_targets, sizeof *targets);
    enum bo_status status = targets ? BO_OK : bo_fail_alloc(err, b->arena);
    uint32_t id = 0;
    for (uint32_t i = 0; i < l->n_targets && !status; i++) {
        status = take_target(&b->info, i, &id, &targets[i].count, err);
        if (!status)
            targets[i].name = b->info.strings->names[id];
    }
    *record = (struct autofdo_record){l->line, l->discriminator, l->count, l->n_targets, targets};
    return status;
}

static enum bo_status build_instance(struct builder *b, uint32_t id, unsigned depth,
                                     struct autofdo_instance *instance, struct bo_error *err)
{
    struct location l = {.off = 0};
    struct autofdo_callsite *callsites = NULL;
    uint32_t n = 0;
    *instance = (struct autofdo_instance){.name = b->info.strings->names[id]};
    enum bo_status status = take_n_records(&b->info, &n, err);
    if (status)
        return status;
    struct autofdo_record *records = bo_alloc_array(b->arena, n, sizeof *records);
    if (!records)
        return bo_fail_alloc(err, b->arena);
    instance->records = records;
    for (uint32_t i = 0; i < n && !status; i++) {
        status = take_location(&b->info, &l, err);
        if (status || !l.is_known)
            continue;
        if (l.type == AUTOFDO_V4_COUNT) {
            status = build_record(b, &l, &records[instance->n_records++], err);
            continue;
        }
        if (depth == AUTOFDO_MAX_DEPTH)
            return fail_depth(&l, err);
        if (!callsites)
            instance->callsites = callsites = bo_alloc_array(b->arena, n - i, sizeof *callsites);
        if (!callsites)
            return bo_fail_alloc(err, b->arena);
        struct autofdo_callsite *callsite = &callsites[instance->n_callsites++];
        callsite->line = l.line;
        callsite->discriminator = l.discriminator;
        b->is_callee[l.callee] = true;
        status = build_instance(b, l.callee, depth + 1, &callsite->callee, err);
    }
    return status;
}

enum bo_status autofdo_v4_build(const struct autofdo_v4_file *file,
                                const struct autofdo_v4_unit *unit,
                                const struct autofdo_v4_symbol *symbol,
                                const struct autofdo_v4_strings *strings, struct bo_arena *arena,
                                bool *is_callee, struct autofdo_function *function,
                                struct bo_error *err)
{
    struct builder b = {.arena = arena, .is_callee = is_callee};
    enum bo_status status = open_info(file, unit, symbol, strings, &b.info, err);
    if (!status)
        status = take_head(&b.info, &function->head, &function->timestamp, err);
    if (!status)
        status = build_instance(&b, symbol->id, 1, &function->body, err);
    return status ? status : autofdo_v4_take_end(&b.info.c, err);
}

/* ---- visiting -------------------------------------------------------------------------------- */

struct visitor {
    struct info info;
    struct autofdo_answer *answer;
    struct bo_sink *sink; /* NULL: the digest is enough */
    uint64_t hash;
};

static enum bo_status put_target(struct visitor *v, struct bo_span name, uint64_t count,
                                 struct bo_error *err)
{
    const size_t padded = (name.n + 7) & ~(size_t)7;
    struct autofdo_found *found = bo_sink_take(v->sink, sizeof *found + padded);
    if (!found)
        return BO_OVER_LIMIT;
    const struct autofdo_found head = {count, name.n};
    memcpy(found, &head, sizeof head);
    uint8_t *p = (uint8_t *)found + sizeof head;
    memcpy(p, name.p, name.n);
    memset(p + name.n, 0, padded - name.n);
    v->answer->n_targets++;
    return BO_OK;
}

static enum bo_status visit_record(struct visitor *v, const struct location *l,
                                   struct bo_error *err)
{
    uint32_t id = 0;
    enum bo_status status = BO_OK;
    autofdo_visit_record(&v->hash, l->line, l->discriminator, l->count);
    v->answer->digest.n_records++;
    v->answer->digest.n_targets += l->n_targets;
    for (uint32_t i = 0; i < l->n_targets && !status; i++) {
        uint64_t count = 0;
        status = take_target(&v->info, i, &id, &count, err);
        if (status)
            break;
        autofdo_visit_target(&v->hash, v->info.strings->hashes[id], count);
        if (v->sink)
            status = put_target(v, v->info.strings->names[id], count, err);
    }
    return status;
}

static enum bo_status visit_instance(struct visitor *v, uint32_t id, unsigned depth,
                                     struct bo_error *err)
{
    struct location l = {.off = 0};
    uint32_t n = 0;
    enum bo_status status = take_n_records(&v->info, &n, err);
    autofdo_visit_instance(&v->hash, v->info.strings->hashes[id]);
    v->answer->digest.n_instances++;
    for (uint32_t i = 0; i < n && !status; i++) {
        status = take_location(&v->info, &l, err);
        if (status || !l.is_known)
            continue;
        if (l.type == AUTOFDO_V4_COUNT) {
            status = visit_record(v, &l, err);
            continue;
        }
        if (depth == AUTOFDO_MAX_DEPTH)
            return fail_depth(&l, err);
        autofdo_visit_callsite(&v->hash, l.line, l.discriminator);
        status = visit_instance(v, l.callee, depth + 1, err);
    }
    autofdo_visit_end(&v->hash);
    return status;
}

enum bo_status autofdo_v4_visit(const struct autofdo_v4_file *file,
                                const struct autofdo_v4_unit *unit,
                                const struct autofdo_v4_symbol *symbol,
                                const struct autofdo_v4_strings *strings,
                                struct autofdo_answer *answer, struct bo_sink *sink,
                                struct bo_error *err)
{
    struct visitor v = {.answer = answer, .sink = sink};
    uint64_t head = 0, timestamp = 0;
    enum bo_status status = open_info(file, unit, symbol, strings, &v.info, err);
    if (!status)
        status = take_head(&v.info, &head, &timestamp, err);
    if (status)
        return status;
    autofdo_visit_head(&v.hash, head, timestamp);
    status = visit_instance(&v, symbol->id, 1, err);
    if (!status)
        status = autofdo_v4_take_end(&v.info.c, err);
    answer->head = head;
    answer->timestamp = timestamp;
    answer->digest.n_functions++;
    answer->digest.hash += v.hash;
    return status;
}
