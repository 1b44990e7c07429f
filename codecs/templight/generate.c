/*
 * Templight models from randomness: made whole, or made from another by one change.
 *
 * Records nest as a compiler's do. Most names occur again, with the same kind and
 * origin; most Begins are memoizations, which end at once.
 *
 * Each draw is a statement of its own: the same seed must give the same model everywhere.
 */
#include "codecs/templight/generate.h"

/* ---- a new model ----------------------------------------------------------------------------- */

enum { N_RECENT = 64 };

/* A trace being made. */
struct maker {
    struct templight_builder *builder;
    struct bo_random *random;
    /* Begins of before, to be drawn again; their names and files stay in the builder's sets. */
    struct templight_entry recent[N_RECENT];
    uint32_t n_recent;
    bool has_times, has_memory;
};

/* A flag as most records of the trace have it. */
static bool usual_or_not(struct bo_random *random, bool usual)
{
    return bo_random_one_in(random, bo_random_strangeness(random)) ? !usual : usual;
}

static void draw_figures(struct maker *m, struct templight_entry *entry)
{
    entry->has_time = usual_or_not(m->random, m->has_times);
    entry->has_memory = usual_or_not(m->random, m->has_memory);
    if (entry->has_time)
        entry->time_bits = templight_random_time(m->random);
    if (entry->has_memory)
        entry->memory = templight_random_memory(m->random);
}

/* A Begin that was not there before, or only in parts. */
static void draw_new_begin(struct maker *m, struct bo_draft *draft, struct templight_entry *entry)
{
    const struct bo_texts *names = &m->builder->names;
    entry->kind = templight_random_kind(m->random);
    if (names->n && bo_random_one_in(m->random, 4)) {
        entry->name = names->texts[bo_random_below(m->random, names->n)];
    } else {
        templight_random_name(m->random, names, draft);
        entry->name = (struct bo_span){draft->p, draft->n};
    }
    entry->location = templight_random_place(m->random);
    entry->origin = templight_random_place(m->random);
}

static bool add_begin(struct maker *m)
{
    struct bo_draft draft;
    struct templight_entry entry = {0};
    if (m->n_recent && !bo_random_one_in(m->random, 3)) {
        entry = m->recent[bo_random_below(m->random, m->n_recent)];
        if (bo_random_one_in(m->random, 2))
            entry.location = templight_random_place(m->random);
        if (bo_random_one_in(m->random, 4))
            entry.kind = TEMPLIGHT_MEMOIZATION;
    } else {
        draw_new_begin(m, &draft, &entry);
    }
    draw_figures(m, &entry);
    if (!templight_add_entry(m->builder, &entry))
        return false;
    /* The set's own copy of the name stays; that in the draft does not. */
    entry.name = m->builder->names.texts[templight_open_begin(m->builder)->name];
    const uint32_t slot =
        m->n_recent < N_RECENT ? m->n_recent++ : bo_random_below(m->random, N_RECENT);
    m->recent[slot] = entry;
    return true;
}

static bool add_end(struct maker *m)
{
    struct templight_entry entry = {.is_end = true};
    draw_figures(m, &entry);
    entry.has_origin = bo_random_one_in(m->random, 64);
    if (entry.has_origin)
        entry.origin = templight_random_place(m->random);
    return templight_add_entry(m->builder, &entry);
}

static bool closes_now(struct maker *m)
{
    if (m->builder->n_open == 0) /* an End alone */
        return bo_random_one_in(m->random, 8 * bo_random_strangeness(m->random));
    const bool at_once = templight_open_begin(m->builder)->kind == TEMPLIGHT_MEMOIZATION;
    return !bo_random_one_in(m->random, at_once ? 16 : m->builder->n_open < 12 ? 2 : 8);
}

static bool make_trace(struct templight_builder *builder, struct bo_random *random, size_t n_begins)
{
    struct maker m = {.builder = builder, .random = random};
    const bool is_plain = !bo_random_one_in(random, 4);
    const uint32_t version = is_plain ? TEMPLIGHT_VERSION : templight_random_kind(random);
    struct bo_span source = {NULL, 0};
    if (bo_random_one_in(random, 2))
        source = templight_random_file(random);
    m.has_times = bo_random_one_in(random, 3);
    m.has_memory = bo_random_one_in(random, 4);
    bool ok = templight_start_trace(builder, version, source);
    while (ok && n_begins && !bo_random_exhausted(random)) {
        const bool closes = closes_now(&m);
        n_begins -= !closes;
        ok = closes ? add_end(&m) : add_begin(&m);
    }
    /* A compiler that stops half-way leaves some open. */
    const bool stops = bo_random_one_in(random, 8);
    while (ok && builder->n_open && !stops)
        ok = add_end(&m);
    return ok;
}

enum bo_status templight_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                                  void **model_ret, struct bo_error *err)
{
    struct templight_builder builder;
    struct templight_model *model;
    struct bo_random aside;
    templight_builder_init(&builder, true, arena);
    if (bo_random_extreme_seeded(random, &aside) && scale &&
        !templight_add_extreme_trace(&builder, &aside))
        return bo_fail_alloc(err, arena);
    const uint32_t choice = bo_random_below(random, 16);
    const size_t n_traces = choice < 12 ? 1 : choice < 15 ? choice - 10 : scale == 0;
    for (size_t t = 0; t < n_traces; t++) {
        const size_t n_begins =
            t + 1 < n_traces ? scale / n_traces : scale - t * (scale / n_traces);
        if (!make_trace(&builder, random, n_begins))
            return bo_fail_alloc(err, arena);
    }
    if (!templight_finish(&builder, &model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}

/* ---- one change ------------------------------------------------------------------------------ */

enum change {
    CHANGE_NAME,
    CHANGE_KIND,
    CHANGE_LOCATION,
    CHANGE_ORIGIN,
    CHANGE_TIME,
    CHANGE_MEMORY,
    CHANGE_SIDE, /* a Begin becomes an End, or the other way */
    DROP_RECORD,
    REPEAT_RECORD,
    N_RECORD_CHANGES,
    CHANGE_HEADER = N_RECORD_CHANGES,
    DROP_TRACE,
    REPEAT_TRACE,
    ADD_TRACE,
    CUT_TRACE, /* at a record */
    N_CHANGES,
};

/* What is changed where. */
struct plan {
    enum change change;
    size_t trace, record;
    struct bo_random *random;
    struct templight_builder builder;
};

/* Another name: of the trace, with a byte changed, or new. */
static void change_name(struct plan *plan, const struct templight_trace *trace,
                        struct bo_draft *draft, struct templight_entry *entry)
{
    const uint32_t choice = bo_random_below(plan->random, 4);
    if (choice == 0) {
        entry->name = trace->names[bo_random_below(plan->random, trace->n_names)];
        return;
    }
    draft->n = entry->name.n;
    if (choice == 1 && draft->n && draft->n <= sizeof draft->p) {
        memcpy(draft->p, entry->name.p, draft->n);
        const size_t at = bo_random_below(plan->random, (uint32_t)draft->n);
        draft->p[at] = (uint8_t)(1 + bo_random_below(plan->random, UINT8_MAX));
    } else if (choice == 2) {
        templight_strange_name(plan->random, &plan->builder.names, draft);
    } else {
        templight_random_name(plan->random, &plan->builder.names, draft);
    }
    entry->name = (struct bo_span){draft->p, draft->n};
}

static void change_entry(struct plan *plan, const struct templight_trace *trace,
                         struct bo_draft *draft, struct templight_entry *entry)
{
    switch (plan->change) {
    case CHANGE_NAME:
        if (!entry->is_end)
            change_name(plan, trace, draft, entry);
        break;
    case CHANGE_KIND:
        entry->kind = templight_random_kind(plan->random);
        break;
    case CHANGE_LOCATION:
        entry->location = templight_random_place(plan->random);
        break;
    case CHANGE_ORIGIN:
        entry->has_origin = true;
        entry->origin = templight_random_place(plan->random);
        break;
    case CHANGE_TIME:
        entry->has_time = !entry->has_time || bo_random_one_in(plan->random, 2);
        entry->time_bits = templight_random_time(plan->random);
        break;
    case CHANGE_MEMORY:
        entry->has_memory = !entry->has_memory || bo_random_one_in(plan->random, 2);
        entry->memory = templight_random_memory(plan->random);
        break;
    case CHANGE_SIDE:
        entry->is_end = !entry->is_end;
        break;
    default:
        break;
    }
}

static bool replay_records(struct plan *plan, const struct templight_trace *trace, bool is_target)
{
    struct bo_draft draft;
    bool ok = true;
    for (size_t i = 0; i < trace->n_records && ok; i++) {
        struct templight_entry entry = templight_entry_of(trace, &trace->records[i]);
        const bool is_here = is_target && i == plan->record;
        if (is_here && plan->change == DROP_RECORD)
            continue;
        if (is_here && plan->change == CUT_TRACE)
            break;
        if (is_here)
            change_entry(plan, trace, &draft, &entry);
        ok = templight_add_entry(&plan->builder, &entry);
        if (ok && is_here && plan->change == REPEAT_RECORD)
            ok = templight_add_entry(&plan->builder, &entry);
    }
    return ok;
}

static bool replay_trace(struct plan *plan, const struct templight_trace *trace, bool is_target)
{
    uint32_t version = trace->version;
    struct bo_span source = trace->source;
    if (is_target && plan->change == CHANGE_HEADER) {
        if (bo_random_one_in(plan->random, 2))
            version = templight_random_kind(plan->random);
        else
            source = templight_random_file(plan->random);
    }
    return templight_start_trace(&plan->builder, version, source) &&
           replay_records(plan, trace, is_target);
}

/* Where the change happens; a change of records needs some. */
static void draw_plan(struct plan *plan, const struct templight_model *model)
{
    plan->change = (enum change)bo_random_below(plan->random, N_CHANGES);
    if (model->n_traces == 0) {
        plan->change = ADD_TRACE;
        return;
    }
    plan->trace = bo_random_below(plan->random, (uint32_t)model->n_traces);
    const size_t n = model->traces[plan->trace].n_records;
    const uint32_t drawn = bo_random_u32(plan->random);
    plan->record = n ? drawn % n : 0;
    if (n == 0 && plan->change < N_RECORD_CHANGES)
        plan->change = CHANGE_HEADER;
}

enum bo_status templight_mutate(const void *opaque, struct bo_random *random,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    const struct templight_model *model = opaque;
    struct plan plan = {.random = random};
    struct templight_model *changed;
    bool ok = true;
    templight_builder_init(&plan.builder, true, arena);
    draw_plan(&plan, model);
    for (size_t t = 0; t < model->n_traces && ok; t++) {
        const bool is_target = t == plan.trace;
        if (is_target && plan.change == DROP_TRACE)
            continue;
        ok = replay_trace(&plan, &model->traces[t], is_target);
        if (ok && is_target && plan.change == REPEAT_TRACE)
            ok = replay_trace(&plan, &model->traces[t], false);
    }
    if (ok && plan.change == ADD_TRACE)
        ok = make_trace(&plan.builder, random, bo_random_below(random, 8));
    if (!ok || !templight_finish(&plan.builder, &changed))
        return bo_fail_alloc(err, arena);
    *model_ret = changed;
    return BO_OK;
}
