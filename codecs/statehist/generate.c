/*
 * Generated state histories, made as by a state system: attributes first, then events, each
 * at a later time and with some changes, which close intervals; at the end all others close.
 *
 * Each draw is a statement of its own: the same seed must give the same model everywhere.
 */
#include "codecs/statehist/generate.h"

/* A history being made. */
struct maker {
    struct statehist_builder builder;
    struct bo_random *random;
    struct bo_texts taken;           /* parents with names */
    uint8_t *habits;                 /* by quark; enum statehist_habit */
    struct statehist_interval *open; /* by quark: what has not closed */
    size_t n_quarks;                 /* wanted */
    size_t n_left;                   /* changes that are still wanted */
    int64_t start, now;
    uint32_t top, instance; /* quarks of this kind that came last: parents of the next ones */
};

/* ---- attributes ------------------------------------------------------------------------------ */

/* Directories at the top, instances (threads, CPUs) in them, fields in these; odd trees, too. */
static uint32_t draw_parent(struct maker *m, uint32_t quark)
{
    const uint32_t choice = bo_random_below(m->random, 16);
    if (bo_random_one_in(m->random, bo_random_strangeness(m->random)))
        return quark ? bo_random_below(m->random, quark) : STATEHIST_ROOT;
    if (m->top == STATEHIST_ROOT || (choice == 0 && quark < 64)) {
        m->top = quark;
        m->instance = STATEHIST_ROOT;
        return STATEHIST_ROOT;
    }
    if (m->instance == STATEHIST_ROOT || choice < 4) {
        m->instance = quark;
        return m->top;
    }
    return m->instance;
}

static enum statehist_habit draw_habit(struct maker *m, uint32_t quark)
{
    static const uint8_t usual[] = {
        STATEHIST_STATUS,  STATEHIST_NUMBER, STATEHIST_TEXT, STATEHIST_STATUS, STATEHIST_NUMBER,
        STATEHIST_COUNTER, STATEHIST_RATIO,  STATEHIST_FLAG, STATEHIST_MIXED,  STATEHIST_DIRECTORY};
    const uint32_t drawn = bo_random_below(m->random, sizeof usual);
    return quark == m->top        ? STATEHIST_DIRECTORY
           : quark == m->instance ? STATEHIST_STATUS
                                  : (enum statehist_habit)usual[drawn];
}

static bool add_attribute(struct maker *m, struct bo_span name, uint32_t parent)
{
    const uint32_t quark = m->builder.n_quarks;
    if (!name.p || !statehist_add_attribute(&m->builder, name, parent))
        return false;
    m->habits[quark] = (uint8_t)draw_habit(m, quark);
    struct statehist_interval *open = &m->open[quark];
    *open = (struct statehist_interval){.start = m->start, .quark = quark};
    const bool begins_null = !bo_random_one_in(m->random, 4) && m->n_left;
    if (!statehist_draw_value(m->random, (enum statehist_habit)m->habits[quark], &m->builder, open))
        return false;
    if (begins_null) {
        open->type = STATEHIST_NULL;
        open->value = 0;
    }
    return true;
}

static bool draw_attribute(struct maker *m)
{
    const uint32_t parent = draw_parent(m, m->builder.n_quarks);
    const struct bo_span name = statehist_draw_name(m->random, parent, &m->taken);
    return add_attribute(m, name, parent);
}

/* An attribute with this name, which its siblings do not have. */
static bool add_named_attribute(struct maker *m, struct bo_span name, uint32_t parent)
{
    bool is_new;
    struct bo_span kept;
    return statehist_take_name(&m->taken, parent, name, &is_new, &kept) &&
           add_attribute(m, kept, parent);
}

/* Before all others: quark 0, and those in it. */
static bool add_extreme_attributes(struct maker *m, const struct statehist_extreme *extreme)
{
    const struct bo_span text = extreme->text;
    uint32_t number;
    if (!add_named_attribute(m, bo_span_of("extreme"), STATEHIST_ROOT) ||
        (text.p && !statehist_add_string(&m->builder, text, &number)))
        return false;
    m->habits[0] = STATEHIST_COUNTER;
    m->open[0].type = text.p ? STATEHIST_STRING : STATEHIST_NULL;
    m->open[0].value = text.p ? number : 0;
    for (size_t i = 0; i < extreme->names.n; i++)
        if (!add_named_attribute(m, extreme->names.p[i], extreme->nests ? (uint32_t)i : 0))
            return false;
    return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Some attributes change often, most seldom. */
static uint32_t draw_quark(struct maker *m)
{
    const uint32_t below = bo_random_below(m->random, m->builder.n_quarks) + 1;
    return bo_random_below(m->random, below);
}

/* Skips changes to the same value except for a few, because real state systems store some. */
static bool change(struct maker *m, uint32_t quark)
{
    struct statehist_interval *open = &m->open[quark], next = *open;
    const enum statehist_habit habit = (enum statehist_habit)m->habits[quark];
    const bool stays = bo_random_one_in(m->random, 8 * bo_random_strangeness(m->random));
    if (open->start == m->now)
        return true;
    if (!stays && !statehist_draw_value(m->random, habit, &m->builder, &next))
        return false;
    if (!stays && next.type == open->type && next.value == open->value)
        return true;
    open->end = m->now - 1;
    if (!statehist_add_interval(&m->builder, open))
        return false;
    next.start = m->now;
    *open = next;
    m->n_left--;
    return true;
}

/* Clock noise, now and then a pause; never so long that time runs out. */
static void pass_time(struct maker *m, bool stretches, size_t n_events)
{
    const uint64_t left = (uint64_t)INT64_MAX - (uint64_t)m->now;
    const uint64_t share = left / (n_events + 2) + 1, most = share < left ? share : left;
    const uint32_t drawn = bo_random_u32(m->random);
    const uint64_t noise = drawn >> (drawn % 64 ? 18 : drawn / 64 % 18);
    const uint64_t step = stretches ? most - most / 8 + drawn % (most / 8 + 1) : 1 + noise;
    m->now += (int64_t)(step < most ? step : most);
}

/* `stretches`: over all times that there are. */
static bool make_events(struct maker *m, bool stretches)
{
    enum { MOST_CHANGES = 4 };
    size_t n_events = m->n_left;
    for (; n_events && m->n_left && !bo_random_exhausted(m->random); n_events--) {
        pass_time(m, stretches, n_events);
        uint32_t n = 1 + bo_random_below(m->random, MOST_CHANGES);
        for (; n && m->n_left; n--) {
            const uint32_t quark = draw_quark(m);
            if (!change(m, quark))
                return false;
        }
    }
    return true;
}

static bool make_extreme_changes(struct maker *m, bool stretches, uint32_t n)
{
    m->n_left += n;
    for (; n; n--) {
        pass_time(m, stretches, n);
        if (!change(m, 0))
            return false;
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int64_t draw_start(struct bo_random *random, bool stretches)
{
    static const int64_t odd[] = {0, 1, -1, INT64_MIN, INT64_MIN + 1, INT64_MAX - (1 << 20)};
    const uint32_t choice = bo_random_below(random, 16);
    const uint32_t drawn = bo_random_u32(random);
    if (stretches && choice % 2)
        return INT64_MIN;
    return choice < 6 ? odd[choice] : INT64_C(1457113582794565804) + drawn;
}

/* How many of the intervals go to attributes: all, where each has but one. */
static size_t draw_n_quarks(struct bo_random *random, size_t scale, bool is_instant)
{
    enum { MOST = 1 << 24 };
    const uint32_t mean = 1 + bo_random_below(random, 24);
    const uint32_t few = 1 + bo_random_below(random, 12);
    const size_t n = is_instant ? scale : mean % 4 == 0 ? few : 1 + scale / mean;
    return n > scale ? scale : n > MOST ? MOST : n;
}

static bool set_up(struct maker *m)
{
    struct bo_arena *arena = m->builder.arena;
    m->habits = bo_alloc_array(arena, m->n_quarks, sizeof *m->habits);
    m->open = bo_alloc_array(arena, m->n_quarks, sizeof *m->open);
    return m->habits && m->open && bo_texts_init(&m->taken, false, arena);
}

/* Intervals that are still open end with the history. */
static bool close_all(struct maker *m, int64_t end)
{
    for (uint32_t quark = 0; quark < m->builder.n_quarks; quark++) {
        m->open[quark].end = end;
        if (!statehist_add_interval(&m->builder, &m->open[quark]))
            return false;
    }
    return true;
}

enum bo_status statehist_generate(struct bo_random *random, size_t scale, struct bo_arena *arena,
                                  void **model_ret, struct bo_error *err)
{
    struct maker m = {.random = random, .top = STATEHIST_ROOT, .instance = STATEHIST_ROOT};
    struct statehist_model *model;
    struct statehist_extreme extreme = {.n_changes = 0};
    struct bo_random aside;
    const bool is_extreme = bo_random_extreme_seeded(random, &aside) && scale;
    const bool is_instant = bo_random_below(random, 8) == 1;
    const bool stretches = bo_random_below(random, 8) == 1;
    m.start = m.now = draw_start(random, stretches);
    m.n_quarks = draw_n_quarks(random, scale, is_instant);
    m.n_left = scale - m.n_quarks;
    bool ok = !is_extreme || statehist_draw_extreme(&aside, arena, &extreme);
    if (is_extreme)
        m.n_quarks += 1 + extreme.names.n;
    ok = ok && statehist_builder_init(&m.builder, true, arena) && set_up(&m);
    m.random = &aside;
    ok = ok && (!is_extreme || add_extreme_attributes(&m, &extreme));
    m.random = random;
    while (ok && m.builder.n_quarks < m.n_quarks && !bo_random_exhausted(random))
        ok = draw_attribute(&m);
    if (m.builder.n_quarks == 0)
        m.n_left = 0;
    m.random = &aside;
    ok = ok && (is_instant || make_extreme_changes(&m, stretches, extreme.n_changes));
    m.random = random;
    ok = ok && make_events(&m, stretches);
    const bool ends_at_once = bo_random_below(random, 8) == 1;
    if (!is_instant && !ends_at_once)
        pass_time(&m, stretches, 0);
    const int64_t end = stretches && !is_instant ? INT64_MAX : m.now;
    if (!ok || !close_all(&m, end) ||
        statehist_finish(&m.builder, m.start, end, &model, NULL) != BO_OK)
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}
