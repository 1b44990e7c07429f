/* Plans a run. */
#include "bench/measure/plan.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/measure/axes.h"
#include "bench/measure/huge.h"
#include "bench/measure/noop.h"
#include "harness/core/cpu.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/*
 * The minimum time of a repetition. It suffices for a median over about ten batches; a longer one
 * would not be better, since forking, verifying and warming up take most of the time.
 */
#define LEAST_TIME_S 0.001
#define MOST_TIME_S 0.008
#define OWN_SHARE 0.4

/* ---- filters --------------------------------------------------------------------------------- */

bool bo_filter_parse(const char *list, struct bo_filter *names_ret)
{
    *names_ret = (struct bo_filter){.n = 0};
    while (list) {
        const size_t n = strcspn(list, ",");
        if (n == 0 || n >= BO_MAX_NAME || names_ret->n == BO_MAX_NAMES)
            return false;
        memcpy(names_ret->names[names_ret->n++], list, n);
        list = list[n] ? list + n + 1 : NULL;
    }
    return true;
}

bool bo_filter_allows(struct bo_filter *names, const char *name)
{
    bool allowed = names->n == 0;
    for (unsigned i = 0; i < names->n; i++) {
        if (fnmatch(names->names[i], name, FNM_NOESCAPE) == 0)
            names->met[i] = allowed = true;
        if (names->met[i])
            continue;
        names->near[i].word = names->names[i]; /* the filter may have been copied */
        bo_suggest_offer(&names->near[i], name);
    }
    return allowed;
}

const char *bo_filter_unmatched(struct bo_filter *names, const char **suggestion_ret)
{
    for (unsigned i = 0; i < names->n; i++) {
        if (names->met[i])
            continue;
        if (suggestion_ret)
            *suggestion_ret = bo_suggestion_text(&names->near[i]);
        return names->names[i];
    }
    return NULL;
}

/* ---- documents ------------------------------------------------------------------------------- */

/* True when the query is the one that curves over sizes use. */
static bool is_of_curves(const struct bo_format *format, const struct bo_query_kind *kind,
                         const struct bo_workload *workload)
{
    char label[128];
    const struct bo_format_report *report = format->report;
    if (!report || !report->curve_label)
        return kind == format->kinds && workload == kind->workloads;
    snprintf(label, sizeof label, "%s/%s", kind->name, workload->name);
    return strcmp(report->curve_label, label) == 0;
}

static bool wants_workload(struct bo_bench_options *options, const struct bo_document *document,
                           const struct bo_query_kind *kind, const struct bo_workload *workload)
{
    return bo_filter_allows(&options->workloads, workload->name) &&
           (!document->scale || is_of_curves(document->format, kind, workload));
}

static enum bo_status draw_set(struct bo_bench_options *options, struct bo_bench_document *on,
                               unsigned k, const struct bo_workload *workload,
                               struct bo_arena *arena, struct bo_error *err)
{
    const struct bo_format *format = on->document->format;
    if (!wants_workload(options, on->document, &format->kinds[k], workload))
        return BO_OK;
    return bo_query_set_draw(format, &format->kinds[k], workload, on->document->model, arena,
                             &on->sets[on->n_sets++], err);
}

/*
 * The query sets of one kind: the synthetic ones, then those of the document's recorded workload.
 */
static enum bo_status draw_kind(struct bo_bench_options *options, struct bo_bench_document *on,
                                unsigned k, struct bo_arena *arena, struct bo_error *err)
{
    const struct bo_query_kind *kind = &on->document->format->kinds[k];
    const struct bo_recorded *recorded = on->document->recorded;
    struct bo_workload *given = bo_array_or_abort(arena, BO_N_RECORDED_WORKLOADS, sizeof *given);
    unsigned n = 0;
    enum bo_status status = BO_OK;
    for (unsigned w = 0; w < kind->n_workloads && status == BO_OK; w++)
        status = draw_set(options, on, k, &kind->workloads[w], arena, err);
    if (status == BO_OK && recorded)
        status = bo_recorded_workloads(recorded, k, arena, given, &n, err);
    for (unsigned w = 0; w < n && status == BO_OK; w++)
        status = draw_set(options, on, k, &given[w], arena, err);
    return status;
}

static bool wants_actions(struct bo_bench_options *options, const struct bo_document *document)
{
    return document->recorded && document->recorded->n_actions &&
           bo_filter_allows(&options->kinds, BO_ACTIONS_KIND) &&
           bo_filter_allows(&options->workloads, BO_ACTIONS_WORKLOAD);
}

static enum bo_status draw_sets(struct bo_bench_options *options, struct bo_bench_document *on,
                                struct bo_arena *arena, struct bo_error *err)
{
    const struct bo_format *format = on->document->format;
    unsigned n_workloads = 0;
    for (unsigned k = 0; k < format->n_kinds; k++)
        n_workloads += format->kinds[k].n_workloads + BO_N_RECORDED_WORKLOADS;
    on->sets = bo_array_or_abort(arena, n_workloads, sizeof *on->sets);
    enum bo_status status = BO_OK;
    for (unsigned k = 0; k < format->n_kinds && status == BO_OK; k++)
        if (bo_filter_allows(&options->kinds, format->kinds[k].name) && on->kinds >> k & 1)
            status = draw_kind(options, on, k, arena, err);
    if (status == BO_OK && wants_actions(options, on->document))
        status =
            bo_actions_make(on->document->recorded, on->document->model, arena, &on->actions, err);
    return status;
}

static enum bo_status plan_document(struct bo_bench_options *options,
                                    const struct bo_document *document, unsigned kinds,
                                    struct bo_arena *arena, struct bo_bench_document *on,
                                    struct bo_error *err)
{
    struct bo_unit units[BO_MAX_UNITS];
    struct bo_writer text;
    const struct bo_format *format = document->format;
    bo_writer_init(&text, arena);
    enum bo_status status = format->print(document->model, &text, err);
    *on = (struct bo_bench_document){.document = document, .kinds = kinds, .text_nbytes = text.n};
    bo_writer_free(&text);
    if (format->units(document->model, units))
        on->n_units = units[0].n;
    return status ? status : draw_sets(options, on, arena, err);
}

/* ---- variants -------------------------------------------------------------------------------- */

const struct bo_variant bo_variants[BO_N_VARIANTS] = {
    {"", false, SIZE_MAX, false},
    {"@portable", true, SIZE_MAX, false},
    {"@keep=0", false, 0, false},
    {"@keep=1048576", false, 1 << 20, false},
    {"@keep=16777216", false, 16 << 20, false},
    {"@huge", false, SIZE_MAX, true},
};

bool bo_has_variant(const struct bo_bench_options *options, const struct bo_document *document,
                    const struct bo_codec *codec, const struct bo_variant *variant)
{
    if (variant->portable)
        return !document->scale && codec->paths & bo_cpu_paths();
    if (variant->huge)
        return document->text_nbytes >= BO_HUGE_TEXT_NBYTES && bo_huge_allowed();
    return variant->keep_nbytes == SIZE_MAX ||
           (options->budgets && !document->scale && codec->keeps);
}

/* ---- rows ------------------------------------------------------------------------------------ */

const char *const bo_operations[] = {
    [BO_ENCODE] = "encode", [BO_DECODE] = "decode",       [BO_MERGE] = "merge",
    [BO_OPEN] = "open",     [BO_OPEN_COLD] = "open-cold",
};

/* Adds a row that measures what `row` says. */
static void add_row(const struct bo_bench_options *options, struct bo_bench_cell *cell,
                    struct bo_bench_row row, struct bo_arena *arena)
{
    const struct bo_document *document = cell->on->document;
    row.name = bo_arena_printf(arena, "%s/%s%s/%s/%s", document->format->name, cell->codec->name,
                               cell->variant->suffix, document->name, row.label);
    row.times = bo_or_abort(bo_alloc_array(arena, options->rounds, sizeof *row.times));
    cell->rows[cell->n_rows++] = row;
}

/*
 * True when the cell measures this operation. It does not if it uses the same function as the codec
 * whose bytes it reads. On a document for curves, only operations of the curves are measured; for a
 * variant, only those that it may change.
 */
static bool has_operation(const struct bo_bench_cell *cell, enum bo_operation operation)
{
    const struct bo_codec *codec = cell->codec;
    if (cell->on->document->scale && operation != BO_ENCODE && operation != BO_OPEN)
        return false;
    if (cell->variant->keep_nbytes != SIZE_MAX || cell->variant->huge ||
        (cell->variant->portable && operation != BO_DECODE && operation != BO_OPEN))
        return false;
    if (operation == BO_ENCODE)
        return codec->encode && !codec->reads;
    if (operation == BO_DECODE)
        return codec->decode && !codec->reads;
    if (operation == BO_MERGE)
        return cell->on->document->format->merge && codec->encode && codec->decode && !codec->reads;
    return true;
}

/*
 * Opening a reader in huge pages clears at least 2 MiB. A workload that opens a reader every few
 * queries would only measure that.
 */
static bool has_workload(const struct bo_bench_cell *cell, const struct bo_workload *workload)
{
    return !cell->variant->huge || !workload->fresh;
}

static void add_rows(struct bo_bench_options *options, struct bo_bench_cell *cell,
                     struct bo_arena *arena)
{
    cell->rows =
        bo_array_or_abort(arena, BO_N_OPERATIONS + cell->on->n_sets + 1, sizeof *cell->rows);
    for (unsigned i = 0; i < BO_N_OPERATIONS; i++)
        if (bo_filter_allows(&options->kinds, bo_operations[i]) && !options->workloads.n &&
            has_operation(cell, i))
            add_row(options, cell, (struct bo_bench_row){.label = bo_operations[i], .operation = i},
                    arena);
    for (unsigned s = 0; s < cell->on->n_sets; s++) {
        const struct bo_query_set *set = &cell->on->sets[s];
        const struct bo_bench_row row = {
            .label = set->label, .operation = BO_QUERY, .query_set = set};
        if (set->n && cell->codec->kinds >> set->kind_index & 1 &&
            has_workload(cell, set->workload))
            add_row(options, cell, row, arena);
    }
    const struct bo_actions *actions = &cell->on->actions;
    const struct bo_bench_row row = {.label = BO_ACTIONS_KIND "/" BO_ACTIONS_WORKLOAD,
                                     .operation = BO_ACTIONS,
                                     .actions = actions};
    if (actions->n && !(actions->kinds & ~cell->codec->kinds) && !cell->variant->huge &&
        cell->codec != &bo_noop_codec)
        add_row(options, cell, row, arena);
}

const char *bo_refusal_in(const char *message)
{
    static const char unsupported[] = "unsupported: ";
    return strncmp(message, unsupported, strlen(unsupported)) == 0 ? message + strlen(unsupported)
                                                                   : NULL;
}

const char *bo_cell_refusal(const struct bo_bench_cell *cell)
{
    return cell->payload->ready || cell->n_rows == 0 ? NULL : bo_refusal_in(cell->rows[0].failure);
}

/* ---- cells ----------------------------------------------------------------------------------- */

bool bo_is_measured(const struct bo_document *document, const struct bo_codec *codec)
{
    return !document->scale || bo_on_first_axis(document->format, codec->name);
}

/* The payload of the cell's encoding: that of an earlier cell of the document, or a new one. */
static enum bo_status find_payload(struct bo_plan *plan, struct bo_bench_cell *cell,
                                   struct bo_arena *arena, struct bo_error *err)
{
    const struct bo_format *format = cell->on->document->format;
    const struct bo_codec *encoding = bo_encoding_of(format, cell->codec);
    for (unsigned i = 0; i < plan->n_cells; i++) {
        const struct bo_bench_cell *other = &plan->cells[i];
        if (other->on == cell->on && bo_encoding_of(format, other->codec) == encoding) {
            cell->payload = other->payload;
            return BO_OK;
        }
    }
    cell->payload = bo_array_or_abort(arena, 1, sizeof *cell->payload);
    cell->payload->fd = memfd_create("payload", MFD_CLOEXEC);
    if (cell->payload->fd < 0)
        return bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot create a file in memory");
    return BO_OK;
}

static enum bo_status add_cell(struct bo_bench_options *options, struct bo_plan *plan,
                               const struct bo_codec *codec, const struct bo_variant *variant,
                               const struct bo_bench_document *on, struct bo_arena *arena,
                               struct bo_error *err)
{
    struct bo_bench_cell *cell = &plan->cells[plan->n_cells];
    *cell = (struct bo_bench_cell){.codec = codec, .variant = variant, .on = on};
    add_rows(options, cell, arena);
    if (cell->n_rows == 0)
        return BO_OK;
    const enum bo_status status = find_payload(plan, cell, arena, err);
    if (status)
        return status;
    plan->n_rows += cell->n_rows;
    plan->n_cells++;
    return BO_OK;
}

/*
 * The planned part of a document, with queries for the codec, that is for the same encoding or (if
 * `held`) has this model. NULL: none.
 */
static const struct bo_bench_document *find_part(const struct bo_plan *plan,
                                                 const struct bo_codec *codec, const void *held)
{
    const struct bo_format *format = plan->on->document->format;
    const struct bo_bench_document *before = plan->on;
    for (unsigned i = 0; i < plan->n_cells; i++) {
        const struct bo_bench_cell *cell = &plan->cells[i];
        if (codec->kinds & ~cell->on->kinds)
            continue;
        if (!held ? bo_encoding_of(format, cell->codec) == bo_encoding_of(format, codec)
                  : cell->on != before && !format->differ(cell->on->document->model, held))
            return cell->on;
        before = cell->on;
    }
    return NULL;
}

/*
 * Sets *on_ret to the document that the codec is measured on: the plan's, or, if the codec cannot
 * hold the whole document, the part that it holds, with queries on that part.
 */
static enum bo_status plan_held(struct bo_bench_options *options, const struct bo_plan *plan,
                                const struct bo_codec *codec, struct bo_arena *arena,
                                const struct bo_bench_document **on_ret, struct bo_error *err)
{
    const struct bo_bench_document *on = plan->on;
    const struct bo_format *format = on->document->format;
    const void *held;
    *on_ret = bo_encoding_of(format, codec)->reduce ? find_part(plan, codec, NULL) : on;
    if (*on_ret)
        return BO_OK;
    *on_ret = on;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    enum bo_status status = bo_held_model(format, codec, on->document->model, arena, &held, err);
    if (status == BO_UNSUPPORTED)
        return BO_OK; /* encoding reports the reason */
    if (status || !format->differ(on->document->model, held))
        return status;
    const struct bo_bench_document *same = find_part(plan, codec, held);
    if (same) {
        bo_arena_rewind(arena, mark);
        *on_ret = same;
        return BO_OK;
    }
    struct bo_document *document = bo_array_or_abort(arena, 1, sizeof *document);
    struct bo_bench_document *on_held = bo_array_or_abort(arena, 1, sizeof *on_held);
    *document = *on->document;
    document->model = (void *)(uintptr_t)held;
    *on_ret = on_held;
    return plan_document(options, document, codec->kinds, arena, on_held, err);
}

static enum bo_status add_cells(struct bo_bench_options *options, struct bo_plan *plan,
                                struct bo_arena *arena, struct bo_error *err)
{
    const struct bo_document *document = plan->on->document;
    for (const struct bo_codec *const *c = document->format->codecs; *c; c++) {
        if (!bo_filter_allows(&options->codecs, (*c)->name) || !bo_is_measured(document, *c))
            continue;
        const struct bo_bench_document *on_held;
        enum bo_status status = plan_held(options, plan, *c, arena, &on_held, err);
        for (unsigned v = 0; v < BO_N_VARIANTS && status == BO_OK; v++)
            if (bo_has_variant(options, document, *c, &bo_variants[v]))
                status = add_cell(options, plan, *c, &bo_variants[v], on_held, arena, err);
        if (status)
            return status;
    }
    bo_filter_allows(&options->codecs, bo_noop_codec.name); /* never left out */
    return add_cell(options, plan, &bo_noop_codec, &bo_variants[0], plan->on, arena, err);
}

/* Raises the limit on open files as far as the system allows: each encoding is one. */
static void allow_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

enum bo_status bo_plan_make(struct bo_bench_options *options, const struct bo_document *document,
                            struct bo_arena *arena, struct bo_plan *plan_ret, struct bo_error *err)
{
    struct bo_plan *plan = plan_ret;
    size_t max_cells = 1; /* the no-op codec */
    for (const struct bo_codec *const *c = document->format->codecs; *c; c++)
        max_cells += BO_N_VARIANTS;
    arena->huge_pages = true;
    allow_files();
    *plan = (struct bo_plan){.on = bo_array_or_abort(arena, 1, sizeof *plan->on),
                             .cells = bo_array_or_abort(arena, max_cells, sizeof *plan->cells)};
    const enum bo_status status = plan_document(options, document, ~0u, arena, plan->on, err);
    return status ? status : add_cells(options, plan, arena, err);
}

static unsigned count_cell_rows(struct bo_bench_options *options,
                                const struct bo_document *document, const struct bo_codec *codec,
                                const struct bo_variant *variant)
{
    const struct bo_format *format = document->format;
    const struct bo_bench_document on = {.document = document};
    const struct bo_bench_cell cell = {.codec = codec, .variant = variant, .on = &on};
    unsigned n = 0;
    for (unsigned i = 0; i < BO_N_OPERATIONS; i++)
        n += bo_filter_allows(&options->kinds, bo_operations[i]) && !options->workloads.n &&
             has_operation(&cell, i);
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        if (!bo_filter_allows(&options->kinds, kind->name))
            continue;
        const bool answers = codec->kinds >> k & 1;
        for (unsigned w = 0; w < kind->n_workloads; w++)
            n += wants_workload(options, document, kind, &kind->workloads[w]) && answers &&
                 has_workload(&cell, &kind->workloads[w]);
        for (unsigned w = 0; w < BO_N_RECORDED_WORKLOADS; w++)
            n += document->recorded && document->recorded->kinds[k].n && answers &&
                 bo_filter_allows(&options->workloads, bo_recorded_names[w]);
    }
    return n + wants_actions(options, document);
}

uint64_t bo_plan_count_rows(struct bo_bench_options *options, const struct bo_document *document)
{
    bo_filter_allows(&options->codecs, bo_noop_codec.name); /* never left out */
    uint64_t n = count_cell_rows(options, document, &bo_noop_codec, &bo_variants[0]);
    for (const struct bo_codec *const *c = document->format->codecs; *c; c++)
        for (unsigned v = 0; bo_filter_allows(&options->codecs, (*c)->name) &&
                             bo_is_measured(document, *c) && v < BO_N_VARIANTS;
             v++)
            if (bo_has_variant(options, document, *c, &bo_variants[v]))
                n += count_cell_rows(options, document, *c, &bo_variants[v]);
    return n;
}

/*
 * Measured on a Zen 5 with the embedded documents: 18 ms for all repetitions of a row where the
 * text is small, 27 at 0.8 MB, 62 at 4 MB, 150 at 50 MB.
 */
uint64_t bo_row_steps(const struct bo_document *document)
{
    return 1 + (uint64_t)sqrt((double)document->text_nbytes / 40000);
}

double bo_plan_min_time(uint64_t n_rows, unsigned rounds, double budget_s)
{
    const double share = OWN_SHARE * budget_s / ((double)n_rows * rounds + 1);
    return share < LEAST_TIME_S ? LEAST_TIME_S : share > MOST_TIME_S ? MOST_TIME_S : share;
}

void bo_plan_close(struct bo_plan *plan)
{
    for (unsigned i = 0; i < plan->n_cells; i++) {
        struct bo_payload *payload = plan->cells[i].payload;
        if (payload->fd >= 0)
            close(payload->fd);
        payload->fd = -1;
    }
}
