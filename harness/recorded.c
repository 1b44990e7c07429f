/* Reading recorded workloads. */
#include "harness/recorded.h"

#include "harness/core/text.h"
#include "harness/registry.h"

static const char magic[] = "# bakeoff-workload 1";

/* ---- lines and fields ------------------------------------------------------------------------ */

/* The copy of the file. Fields end with NUL after they are read. */
struct reader {
    struct bo_recorded *recorded;
    struct bo_arena *arena;
    struct bo_error *err;
    char *text;
    size_t n, off;
    char **fields; /* fields of the line */
    size_t *offs;  /* offset of each field in the file */
    size_t n_fields, cap_fields, cap_offs;
};

static enum bo_status fail(const struct reader *r, size_t off, const char *what)
{
    return bo_fail(r->err, BO_CORRUPT, off, what);
}

/* The end of the line at r->off, or of the text. */
static size_t line_end(const struct reader *r)
{
    const char *newline = memchr(r->text + r->off, '\n', r->n - r->off);
    return newline ? (size_t)(newline - r->text) : r->n;
}

/* Replaces \t, \n, \r and \\ in place. False at any other escape. The field ends with NUL. */
static bool unescape(char *field, size_t n)
{
    static const char codes[] = "tnr\\", bytes[] = "\t\n\r\\";
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        if (field[i] != '\\') {
            field[to++] = field[i];
            continue;
        }
        const char *code = i + 1 < n && field[i + 1] ? strchr(codes, field[i + 1]) : NULL;
        if (!code)
            return false;
        field[to++] = bytes[code - codes];
        i++;
    }
    field[to] = 0;
    return true;
}

/* Splits the line at its tabs. */
static enum bo_status split(struct reader *r)
{
    const size_t end = line_end(r);
    if (memchr(r->text + r->off, 0, end - r->off))
        return fail(r, r->off, "NUL in a line");
    r->n_fields = 0;
    for (size_t at = r->off; at <= end;) {
        const char *tab = memchr(r->text + at, '\t', end - at);
        const size_t to = tab ? (size_t)(tab - r->text) : end;
        if (!bo_grow(r->arena, &r->fields, r->n_fields, 1, &r->cap_fields) ||
            !bo_grow(r->arena, &r->offs, r->n_fields, 1, &r->cap_offs))
            return bo_fail_alloc(r->err, r->arena);
        r->fields[r->n_fields] = r->text + at;
        r->offs[r->n_fields++] = at;
        if (!unescape(r->text + at, to - at))
            return fail(r, at, "escape is not one of \\t, \\n, \\r, \\\\");
        at = to + 1;
    }
    r->off = end < r->n ? end + 1 : end;
    return BO_OK;
}

/* ---- the header ------------------------------------------------------------------------------ */

enum { FORMAT, DOCUMENT, PROGRAM, VERSION, MEANS, N_REQUIRED, STRETCH = N_REQUIRED, N_KEYS };

static const char *const keys[N_KEYS] = {
    "# format: ", "# document: ", "# program: ", "# version: ", "# recorded: ", "# stretch: "};

static bool parse_digest(struct bo_span value, uint64_t *digest_ret)
{
    *digest_ret = 0;
    for (size_t i = 0; i < value.n; i++) {
        const char *digits = "0123456789abcdef",
                   *digit = value.p[i] ? strchr(digits, value.p[i]) : NULL;
        if (!digit)
            return false;
        *digest_ret = *digest_ret << 4 | (uint64_t)(digit - digits);
    }
    return value.n == 16;
}

static enum bo_status take_field(struct reader *r, unsigned key, size_t off, struct bo_span value)
{
    struct bo_recorded_header *header = &r->recorded->header;
    uint64_t stretch = 0;
    switch (key) {
    case FORMAT:
        for (const struct bo_format *const *f = bo_formats; *f; f++)
            if (bo_word_is(value, (*f)->name))
                r->recorded->format = *f;
        return r->recorded->format ? BO_OK : bo_fail(r->err, BO_UNSUPPORTED, off, "unknown format");
    case DOCUMENT:
        return parse_digest(value, &header->document)
                   ? BO_OK
                   : fail(r, off, "document's digest is not 16 lower-case hexadecimal digits");
    case PROGRAM:
        header->program = value;
        return BO_OK;
    case VERSION:
        header->version = value;
        return BO_OK;
    case MEANS:
        header->means = value;
        return BO_OK;
    default:
        if (!bo_parse_u64(value, 1 << 20, &stretch) || !stretch)
            return fail(r, off, "stretch is not a number from 1 to 1048576");
        header->stretch = (size_t)stretch;
        return BO_OK;
    }
}

static enum bo_status read_header(struct reader *r)
{
    bool seen[N_KEYS] = {false};
    size_t end = line_end(r);
    if (!bo_word_is((struct bo_span){(const uint8_t *)r->text, end}, magic))
        return fail(r, 0, "first line is not \"# bakeoff-workload 1\"");
    for (r->off = end < r->n ? end + 1 : end; r->off < r->n && r->text[r->off] == '#';
         r->off = end < r->n ? end + 1 : end) {
        end = line_end(r);
        const struct bo_span line = {(const uint8_t *)r->text + r->off, end - r->off};
        struct bo_span value;
        unsigned key = 0;
        while (key < N_KEYS && !bo_word_after(line, keys[key], &value))
            key++;
        if (key == N_KEYS)
            return fail(r, r->off, "unknown field of the header");
        if (seen[key])
            return fail(r, r->off, "field of the header occurs twice");
        seen[key] = true;
        const enum bo_status status = take_field(r, key, r->off, value);
        if (status)
            return status;
    }
    for (unsigned key = 0; key < N_REQUIRED; key++)
        if (!seen[key])
            return fail(r, r->off, "header lacks format, document, program, version or recorded");
    return BO_OK;
}

/* ---- queries --------------------------------------------------------------------------------- */

static enum bo_status start_action(struct reader *r)
{
    struct bo_recorded *recorded = r->recorded;
    size_t n_queries = 0;
    for (unsigned k = 0; k < recorded->format->n_kinds; k++)
        n_queries += recorded->kinds[k].n;
    if (r->n_fields != 2)
        return fail(r, r->offs[0], "action has no name or several fields");
    if (recorded->n_actions == 0 && n_queries)
        return fail(r, r->offs[0], "query precedes the first action");
    if (recorded->n_actions && recorded->actions[recorded->n_actions - 1].n == 0)
        return fail(r, r->offs[0], "previous action has no queries");
    if (recorded->n_actions == UINT32_MAX)
        return bo_fail(r->err, BO_OVER_LIMIT, r->offs[0], "too many actions");
    if (!bo_grow(r->arena, &recorded->actions, recorded->n_actions, 1, &recorded->cap_actions))
        return bo_fail_alloc(r->err, r->arena);
    recorded->actions[recorded->n_actions++] =
        (struct bo_recorded_action){.name = bo_span_of(r->fields[1]), .first = recorded->n_runs};
    return BO_OK;
}

/* Continues the last run of the action, or starts a new one. */
static enum bo_status count_in_action(struct reader *r, unsigned k, size_t i)
{
    struct bo_recorded *recorded = r->recorded;
    if (!recorded->n_actions)
        return BO_OK;
    struct bo_recorded_action *action = &recorded->actions[recorded->n_actions - 1];
    if (action->n && recorded->runs[recorded->n_runs - 1].kind == k) {
        recorded->runs[recorded->n_runs - 1].n++;
        return BO_OK;
    }
    if (!bo_grow(r->arena, &recorded->runs, recorded->n_runs, 1, &recorded->cap_runs))
        return bo_fail_alloc(r->err, r->arena);
    recorded->runs[recorded->n_runs++] = (struct bo_recorded_run){k, i, 1};
    action->n++;
    return BO_OK;
}

/* Makes room for one more query of the kind. */
static bool grow_kind(struct reader *r, const struct bo_query_kind *kind,
                      struct bo_recorded_kind *of)
{
    size_t cap_places = of->cap;
    if (of->n < of->cap)
        return true;
    if (!bo_grow(r->arena, &of->places, of->n, 1, &cap_places))
        return false;
    uint8_t *queries = bo_alloc_array(r->arena, cap_places, kind->query_size);
    if (!queries)
        return false;
    if (of->n)
        memcpy(queries, of->queries, of->n * kind->query_size);
    of->queries = queries;
    of->cap = cap_places;
    return true;
}

static enum bo_status take_query(struct reader *r)
{
    struct bo_recorded *recorded = r->recorded;
    const bool hit = strcmp(r->fields[0], "hit") == 0;
    const size_t at = hit ? 1 : 0;
    if (r->n_fields == at)
        return fail(r, r->offs[0], "`hit` without a query");
    const struct bo_query_kind *kind = bo_find_kind(recorded->format, r->fields[at]);
    if (!kind)
        return fail(r, r->offs[at], "unknown query kind");
    const unsigned k = bo_kind_index(recorded->format, kind);
    struct bo_recorded_kind *of = &recorded->kinds[k];
    if (!grow_kind(r, kind, of))
        return bo_fail_alloc(r->err, r->arena);
    struct bo_error error = {0};
    const size_t n_args = r->n_fields - at - 1;
    _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
    const enum bo_status status =
        n_args > INT32_MAX ? BO_OVER_LIMIT
                           : kind->parse((int)n_args, r->fields + at + 1, r->arena, query, &error);
    if (status == BO_BAD_USAGE)
        return fail(r, r->offs[at], error.what);
    if (status)
        return bo_fail(r->err, status, r->offs[at], error.what ? error.what : "too many arguments");
    memcpy(of->queries + of->n * kind->query_size, query, kind->query_size);
    of->places[of->n++] = (struct bo_recorded_place){
        r->offs[0], recorded->n_actions ? (uint32_t)(recorded->n_actions - 1) : 0, hit};
    of->n_hits += hit;
    return count_in_action(r, k, of->n - 1);
}

static enum bo_status read_line(struct reader *r)
{
    const size_t start = r->off;
    if (r->text[start] == '#')
        return fail(r, start, "header line after the first query");
    enum bo_status status = split(r);
    if (status == BO_OK)
        status = strcmp(r->fields[0], "action") == 0 ? start_action(r) : take_query(r);
    return status;
}

enum bo_status bo_recorded_parse(struct bo_span text, struct bo_arena *arena,
                                 struct bo_recorded **recorded_ret, struct bo_error *err)
{
    struct reader r = {.arena = arena, .err = err, .n = text.n};
    r.recorded = bo_alloc(arena, sizeof *r.recorded);
    r.text = bo_alloc(arena, text.n + 1);
    if (!r.recorded || !r.text)
        return bo_fail_alloc(err, arena);
    *r.recorded = (struct bo_recorded){.format = NULL};
    if (text.n)
        memcpy(r.text, text.p, text.n);
    r.text[text.n] = 0;
    enum bo_status status = read_header(&r);
    while (status == BO_OK && r.off < r.n)
        status = read_line(&r);
    const struct bo_recorded *recorded = r.recorded;
    if (status == BO_OK && recorded->n_actions && recorded->actions[recorded->n_actions - 1].n == 0)
        status = fail(&r, r.n, "last action has no queries");
    *recorded_ret = r.recorded;
    return status;
}

/* ---- checks on a document -------------------------------------------------------------------- */

/* Runs n queries from the i-th on with the oracle; the sink grows as needed. */
static enum bo_status run_oracle(const struct bo_query_kind *kind,
                                 const struct bo_recorded_kind *of, size_t i, size_t n,
                                 const void *model, struct bo_arena *arena, struct bo_sink *sink)
{
    const uint8_t *queries = of->queries + i * kind->query_size;
    if (kind->answer_size)
        return kind->oracle(model, queries, n, sink->p);
    for (;;) {
        sink->n = 0;
        const enum bo_status status = kind->oracle(model, queries, n, sink);
        if (status != BO_OVER_LIMIT)
            return status;
        if (!bo_grow(arena, &sink->p, sink->cap, sink->cap, &sink->cap))
            return BO_NO_MEMORY;
    }
}

enum bo_status bo_recorded_check(const struct bo_recorded *recorded, const void *model,
                                 struct bo_arena *arena, struct bo_error *err)
{
    enum { BATCH = 256 };
    for (unsigned k = 0; k < recorded->format->n_kinds; k++) {
        const struct bo_query_kind *kind = &recorded->format->kinds[k];
        const struct bo_recorded_kind *of = &recorded->kinds[k];
        struct bo_sink sink = {.cap = BATCH * (kind->answer_size ? kind->answer_size : 64)};
        sink.p = bo_alloc(arena, sink.cap);
        if (!sink.p)
            return bo_fail_alloc(err, arena);
        size_t most = BATCH;
        for (size_t i = 0; i < of->n;) {
            const size_t n = of->n - i < most ? of->n - i : most;
            const enum bo_status status = run_oracle(kind, of, i, n, model, arena, &sink);
            if (status == BO_NO_MEMORY)
                return bo_fail_alloc(err, arena);
            if (status && n == 1)
                return bo_fail(err, BO_OUT_OF_RANGE, of->places[i].off,
                               "query outside the document");
            most = status ? 1 : most;
            i += status ? 0 : n;
        }
    }
    return BO_OK;
}

/* ---- workloads ------------------------------------------------------------------------------- */

static const struct bo_workload variants[BO_N_RECORDED_WORKLOADS] = {
    {.name = "recorded", .summary = "as a real program ran them, without its cache's hits"},
    {.name = "recorded-all", .summary = "as recorded, with the hits of the program's own cache"},
    {.name = "recorded-cold",
     .summary = "as recorded, the caches emptied before each walk or action",
     .cold = true},
};

const char *const bo_recorded_names[BO_N_RECORDED_WORKLOADS] = {"recorded", "recorded-all",
                                                                "recorded-cold"};

/* The queries that are not hits of the consumer's cache, with the starts of actions among them. */
static struct bo_given *without_hits(const struct bo_recorded *recorded, unsigned k,
                                     struct bo_arena *arena, size_t *n_ret)
{
    const struct bo_recorded_kind *of = &recorded->kinds[k];
    const size_t size = recorded->format->kinds[k].query_size;
    struct bo_given *given = bo_alloc(arena, sizeof *given);
    uint8_t *queries = bo_alloc_array(arena, of->n - of->n_hits, size);
    size_t *starts = bo_alloc_array(arena, recorded->n_actions + 1, sizeof *starts);
    if (!given || !queries || !starts)
        return NULL;
    *given = (struct bo_given){queries, starts, 0, recorded->header.stretch};
    size_t n = 0;
    uint32_t action = 0;
    for (size_t i = 0; i < of->n; i++) {
        if (of->places[i].hit)
            continue;
        if (n && of->places[i].action != action)
            starts[given->n_starts++] = n;
        action = of->places[i].action;
        memcpy(queries + n++ * size, of->queries + i * size, size);
    }
    if (recorded->n_actions)
        given->stretch = SIZE_MAX;
    *n_ret = n;
    return given;
}

enum bo_status bo_recorded_workloads(const struct bo_recorded *recorded, unsigned k,
                                     struct bo_arena *arena,
                                     struct bo_workload workloads_ret[BO_N_RECORDED_WORKLOADS],
                                     unsigned *n_ret, struct bo_error *err)
{
    const struct bo_recorded_kind *of = &recorded->kinds[k];
    size_t n_given = 0;
    *n_ret = 0;
    if (of->n == 0)
        return BO_OK;
    struct bo_given *given = without_hits(recorded, k, arena, &n_given);
    struct bo_given *all = bo_alloc(arena, sizeof *all);
    if (!given || !all)
        return bo_fail_alloc(err, arena);
    *all = (struct bo_given){of->queries, NULL, 0, 0};
    for (unsigned v = 0; v < BO_N_RECORDED_WORKLOADS; v++) {
        const bool is_all = v == 1;
        if (is_all ? of->n_hits == 0 : n_given == 0)
            continue;
        struct bo_workload *workload = &workloads_ret[(*n_ret)++];
        *workload = variants[v];
        workload->given = is_all ? all : given;
        workload->n_queries = is_all ? of->n : n_given;
    }
    return BO_OK;
}

void bo_recorded_put_header(const struct bo_format *format, uint64_t document,
                            struct bo_writer *out)
{
    bo_put_text(out, "%s\n%s%s\n%s%016llx\n", magic, keys[FORMAT], format->name, keys[DOCUMENT],
                (unsigned long long)document);
}
