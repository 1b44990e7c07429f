/*
 * A history that differs from another by one change: of a value, of a border between two intervals,
 * of an attribute, of all times.
 */
#include "codecs/statehist/generate.h"

enum change {
    CHANGE_VALUE,
    SPLIT,  /* an interval; both halves keep the value */
    MERGE,  /* with the interval before; that one's value goes */
    MOVE,   /* its start */
    RENAME, /* an attribute */
    ADD_ATTRIBUTE,
    DROP_ATTRIBUTE, /* the last one */
    MOVE_END,       /* of the history */
    MOVE_ALL,       /* by one time */
    TAKE_INSTANT,   /* what remains is the state at one time */
    N_CHANGES,
};

/* What is changed where. */
struct plan {
    enum change change;
    const struct statehist_model *from;
    struct statehist_interval target; /* an interval of it */
    size_t at;                        /* which */
    int64_t time;                     /* where it is split, where a border goes, ... */
    struct bo_random *random;
    struct statehist_builder builder;
};

/* Any of from..to. */
static int64_t draw_time(struct bo_random *random, int64_t from, int64_t to)
{
    const uint64_t n = (uint64_t)to - (uint64_t)from + 1;
    const uint64_t drawn = bo_random_u64(random);
    return (int64_t)((uint64_t)from + (n ? drawn % n : drawn));
}

static bool is_first(const struct plan *plan)
{
    return plan->from->first[plan->target.quark] == plan->at;
}

/* What cannot be done where it was drawn becomes a change of a value. */
static void settle(struct plan *plan)
{
    const struct statehist_model *from = plan->from;
    const struct statehist_interval *at = &plan->target;
    switch (plan->change) {
    case SPLIT:
        if (at->start == at->end)
            plan->change = CHANGE_VALUE;
        else
            plan->time = draw_time(plan->random, at->start + 1, at->end);
        break;
    case MERGE:
    case MOVE:
        if (is_first(plan))
            plan->change = CHANGE_VALUE;
        else
            plan->time = draw_time(plan->random, from->intervals[plan->at - 1].start + 1, at->end);
        break;
    case TAKE_INSTANT:
        plan->time = bo_random_one_in(plan->random, 2)
                         ? at->start
                         : draw_time(plan->random, from->start, from->end);
        break;
    case MOVE_END:
        /* Up to the largest time, or just after the last change. */
        plan->time = from->end == INT64_MAX ? from->end
                     : bo_random_one_in(plan->random, 4)
                         ? INT64_MAX
                         : draw_time(plan->random, from->end, INT64_MAX);
        break;
    case MOVE_ALL:
        plan->change = from->end == INT64_MAX ? CHANGE_VALUE : MOVE_ALL;
        break;
    default:
        break;
    }
}

static void draw_plan(struct plan *plan)
{
    const struct statehist_model *from = plan->from;
    plan->change = (enum change)bo_random_below(plan->random, N_CHANGES);
    if (from->n_intervals == 0) {
        plan->change = ADD_ATTRIBUTE;
        return;
    }
    plan->at = bo_random_index(plan->random, from->n_intervals);
    plan->target = from->intervals[plan->at];
    settle(plan);
}

/* ---- intervals ------------------------------------------------------------------------------- */

static bool draw_other_value(struct plan *plan, struct statehist_interval *interval)
{
    const uint32_t habit = bo_random_below(plan->random, STATEHIST_N_HABITS);
    return statehist_draw_value(plan->random, (enum statehist_habit)habit, &plan->builder,
                                interval);
}

/*
 * Adds an interval of the old history as it is in the new one. Strings have the same numbers in
 * both.
 */
static bool replay_interval(struct plan *plan, size_t i)
{
    struct statehist_interval interval = plan->from->intervals[i], rest = interval;
    const bool is_target = i == plan->at, is_before = i + 1 == plan->at;
    bool ok = true;
    switch (plan->change) {
    case CHANGE_VALUE:
        ok = !is_target || draw_other_value(plan, &interval);
        break;
    case SPLIT:
        if (!is_target)
            break;
        interval.end = plan->time - 1;
        rest.start = plan->time;
        return statehist_add_interval(&plan->builder, &interval) &&
               statehist_add_interval(&plan->builder, &rest);
    case MERGE:
        if (is_before)
            return true;
        if (is_target)
            interval.start = plan->from->intervals[i - 1].start;
        break;
    case MOVE:
        if (is_before)
            interval.end = plan->time - 1;
        if (is_target)
            interval.start = plan->time;
        break;
    case DROP_ATTRIBUTE:
        if (interval.quark + 1 == plan->from->n_quarks)
            return true;
        break;
    case MOVE_END:
        if (interval.end == plan->from->end)
            interval.end = plan->time;
        break;
    case MOVE_ALL:
        interval.start++;
        interval.end++;
        break;
    default:
        break;
    }
    return ok && statehist_add_interval(&plan->builder, &interval);
}

static bool replay_intervals(struct plan *plan)
{
    const struct statehist_model *from = plan->from;
    uint32_t number;
    for (uint32_t i = 0; i < from->n_strings; i++)
        if (!statehist_add_string(&plan->builder, from->strings[i], &number))
            return false;
    for (size_t i = 0; i < from->n_intervals; i++)
        if (!replay_interval(plan, from->closing[i]))
            return false;
    return true;
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Names that are there stay, but for that of a renamed attribute. */
static bool replay_attributes(struct plan *plan, struct bo_texts *taken)
{
    const struct statehist_model *from = plan->from;
    bool is_new;
    struct bo_span name;
    for (uint32_t q = 0; q < from->n_quarks; q++)
        if (!statehist_take_name(taken, from->attributes[q].parent, from->attributes[q].name,
                                 &is_new, &name))
            return false;
    const uint32_t n = from->n_quarks - (plan->change == DROP_ATTRIBUTE && from->n_quarks);
    for (uint32_t q = 0; q < n; q++) {
        const uint32_t parent = from->attributes[q].parent;
        const bool is_renamed = plan->change == RENAME && plan->target.quark == q;
        name = is_renamed ? statehist_draw_name(plan->random, parent, taken)
                          : from->attributes[q].name;
        if ((is_renamed && !name.p) || !statehist_add_attribute(&plan->builder, name, parent))
            return false;
    }
    return true;
}

/* A new one, which is null all the time or what another one is. */
static bool add_attribute(struct plan *plan, struct bo_texts *taken)
{
    const struct statehist_model *from = plan->from;
    const uint32_t n = from->n_quarks;
    const uint32_t drawn = bo_random_below(plan->random, n + 1);
    const uint32_t parent = drawn < n ? drawn : STATEHIST_ROOT;
    const struct bo_span name = statehist_draw_name(plan->random, parent, taken);
    const bool is_copy = n && bo_random_one_in(plan->random, 2);
    struct statehist_interval interval = {.start = from->start, .end = from->end, .quark = n};
    if (!name.p || !statehist_add_attribute(&plan->builder, name, parent))
        return false;
    if (!is_copy)
        return statehist_add_interval(&plan->builder, &interval);
    for (uint32_t i = from->first[plan->target.quark]; i < from->first[plan->target.quark + 1];
         i++) {
        interval = from->intervals[i];
        interval.quark = n;
        if (!statehist_add_interval(&plan->builder, &interval))
            return false;
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

enum bo_status statehist_mutate(const void *model, struct bo_random *random, struct bo_arena *arena,
                                void **model_ret, struct bo_error *err)
{
    struct plan plan = {.from = model, .random = random};
    struct statehist_model *changed;
    struct bo_texts taken;
    draw_plan(&plan);
    if (plan.change == TAKE_INSTANT)
        return statehist_take_instant(model, plan.time, arena, model_ret, err);
    int64_t start = plan.from->start, end = plan.from->end;
    const bool ok = statehist_builder_init(&plan.builder, true, arena) &&
                    bo_texts_init(&taken, false, arena) && replay_attributes(&plan, &taken) &&
                    replay_intervals(&plan) &&
                    (plan.change != ADD_ATTRIBUTE || add_attribute(&plan, &taken));
    if (plan.change == MOVE_END)
        end = plan.time;
    if (plan.change == MOVE_ALL) {
        start++;
        end++;
    }
    if (!ok || statehist_finish(&plan.builder, start, end, &changed, NULL) != BO_OK)
        return bo_fail_alloc(err, arena);
    *model_ret = changed;
    return BO_OK;
}
