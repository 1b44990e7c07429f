/*
 * Planning a file of shared trees: sorts names, finds equal trees, lists the places of each name.
 */
#include <stdlib.h>

#include "codecs/autofdo/model.h"
#include "codecs/autofdo/shared_trees/shared_trees.h"

/* ---- strings --------------------------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
    const struct bo_span *x = a, *y = b;
    return bo_span_compare(*x, *y);
}

/* The depth of models bounds the recursion. */
static bool add_names(struct autofdo_name_table *names, const struct autofdo_instance *instance)
{
    size_t number;
    if (!autofdo_names_add(names, instance->name, &number))
        return false;
    for (size_t i = 0; i < instance->n_records; i++)
        for (size_t t = 0; t < instance->records[i].n_targets; t++)
            if (!autofdo_names_add(names, instance->records[i].targets[t].name, &number))
                return false;
    for (size_t i = 0; i < instance->n_callsites; i++)
        if (!add_names(names, &instance->callsites[i].callee))
            return false;
    return true;
}

/* The state of planning. */
struct planner {
    struct autofdo_plan *plan;
    struct bo_arena *arena;
    struct autofdo_name_table names;
    uint32_t *order; /* by number in the table: the name's place in order */
    /* Trees, each once: as words that describe the instance, with callees by their trees. */
    uint32_t *words;
    size_t n_words, cap_words;
    struct tree {
        size_t first_word, n_words;
        uint32_t name, variant; /* the latter of its name, once all trees are known */
        uint64_t hash;
    } * trees;
    size_t n_trees, cap_trees;
    uint32_t *slots; /* a tree's number + 1; 0: free */
    size_t mask;
    uint32_t *roots;        /* by function: its tree */
    uint64_t target_nbytes; /* of the targets' names so far */
};

static enum bo_status plan_strings(struct planner *p, struct bo_error *err)
{
    const struct autofdo_model *model = p->plan->model;
    struct autofdo_name_table paths;
    size_t number = 0;
    bool ok = autofdo_names_init(&p->names, model->n_functions, p->arena) &&
              autofdo_names_init(&paths, 0, p->arena);
    for (size_t i = 0; ok && i < model->n_functions; i++)
        ok = add_names(&p->names, &model->functions[i].body);
    for (size_t i = 0; ok && i < model->n_files; i++)
        ok = autofdo_names_add(&p->names, model->files[i].name, &number) &&
             (model->files[i].path.n == 0 ||
              autofdo_names_add(&paths, model->files[i].path, &number));
    struct autofdo_plan *plan = p->plan;
    if (ok) {
        plan->n_names = p->names.n;
        plan->n_paths = paths.n;
        plan->strings =
            bo_alloc_array(p->arena, plan->n_names + plan->n_paths, sizeof *plan->strings);
        p->order = bo_alloc_array(p->arena, plan->n_names, sizeof *p->order);
    }
    if (!ok || !plan->strings || !p->order)
        return bo_fail_alloc(err, p->arena);
    if (plan->n_names + plan->n_paths >= UINT32_MAX / 2)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "2^31 - 1 names or more");
    for (size_t i = 0; i < plan->n_names; i++)
        plan->strings[i] = p->names.names[i];
    for (size_t i = 0; i < plan->n_paths; i++)
        plan->strings[plan->n_names + i] = paths.names[i];
    qsort(plan->strings, plan->n_names, sizeof *plan->strings, compare_spans);
    qsort(plan->strings + plan->n_names, plan->n_paths, sizeof *plan->strings, compare_spans);
    for (size_t i = 0; i < plan->n_names + plan->n_paths; i++)
        plan->text_nbytes += plan->strings[i].n;
    for (size_t i = 0; i < plan->n_names; i++) {
        (void)autofdo_names_find(&p->names, plan->strings[i], &number);
        p->order[number] = (uint32_t)i;
    }
    return BO_OK;
}

/* The name's number in order; the name is in the table. */
static uint32_t number_of(const struct planner *p, struct bo_span name)
{
    size_t number = 0;
    (void)autofdo_names_find(&p->names, name, &number);
    return p->order[number];
}

/* The path's number in order; the path is in the table. */
static uint32_t path_number(const struct autofdo_plan *plan, struct bo_span path)
{
    size_t low = 0, high = plan->n_paths;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (bo_span_compare(plan->strings[plan->n_names + middle], path) <= 0)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static enum bo_status plan_files(struct planner *p, struct bo_error *err)
{
    struct autofdo_plan *plan = p->plan;
    plan->path_of = bo_zalloc_array(p->arena, plan->n_names, sizeof *plan->path_of);
    if (!plan->path_of)
        return bo_fail_alloc(err, p->arena);
    for (size_t i = 0; i < plan->model->n_files; i++) {
        const struct autofdo_file *file = &plan->model->files[i];
        plan->path_of[number_of(p, file->name)] =
            file->path.n ? 2 + path_number(plan, file->path) : 1;
    }
    return BO_OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* Words of a spot: line, discriminator, kind, name, and a callee's tree (0 for others). */
enum { SPOT_WORDS = 5 };

static bool push_spot(struct planner *p, struct autofdo_spot spot, uint32_t tree)
{
    if (!bo_grow_from(4096, p->arena, &p->words, p->n_words, SPOT_WORDS, &p->cap_words))
        return false;
    uint32_t *word = p->words + p->n_words;
    word[0] = spot.line;
    word[1] = spot.discriminator;
    word[2] = spot.kind;
    word[3] = spot.name;
    word[4] = tree;
    p->n_words += SPOT_WORDS;
    return true;
}

static bool grow_slots(struct planner *p)
{
    const size_t n_slots = p->slots ? 2 * (p->mask + 1) : 2 * bo_first_cap(p->arena, 1 << 7);
    uint32_t *slots = bo_zalloc_array(p->arena, n_slots, sizeof *slots);
    if (!slots)
        return false;
    p->slots = slots;
    p->mask = n_slots - 1;
    for (size_t i = 0; i < p->n_trees; i++) {
        size_t slot = (size_t)p->trees[i].hash & p->mask;
        while (p->slots[slot])
            slot = (slot + 1) & p->mask;
        p->slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

/* The tree of the words from `first` on. If an equal tree exists, the words are removed. */
static bool settle_tree(struct planner *p, uint32_t name, size_t first, uint32_t *tree_ret)
{
    const size_t n = p->n_words - first;
    uint64_t hash = name;
    for (size_t i = 0; i < n; i++)
        autofdo_mix(&hash, p->words[first + i]);
    hash ^= hash >> 32;
    size_t slot = (size_t)hash & p->mask;
    for (; p->slots[slot]; slot = (slot + 1) & p->mask) {
        const struct tree *tree = &p->trees[p->slots[slot] - 1];
        if (tree->hash == hash && tree->name == name && tree->n_words == n &&
            (n == 0 || memcmp(p->words + tree->first_word, p->words + first, 4 * n) == 0)) {
            p->n_words = first;
            *tree_ret = p->slots[slot] - 1;
            return true;
        }
    }
    if (!bo_grow_from(256, p->arena, &p->trees, p->n_trees, 1, &p->cap_trees))
        return false;
    p->slots[slot] = (uint32_t)p->n_trees + 1;
    *tree_ret = (uint32_t)p->n_trees;
    p->trees[p->n_trees++] = (struct tree){first, n, name, 0, hash};
    return 2 * p->n_trees < p->mask || grow_slots(p);
}

/* Also counts what the tree expands to. */
static bool plant(struct planner *p, const struct autofdo_instance *instance, uint32_t *tree_ret)
{
    uint32_t *callees = bo_alloc_array(p->arena, instance->n_callsites, sizeof *callees);
    if (!callees)
        return false;
    for (size_t i = 0; i < instance->n_callsites; i++)
        if (!plant(p, &instance->callsites[i].callee, &callees[i]))
            return false;
    const size_t first = p->n_words;
    for (size_t i = 0; i < instance->n_records; i++) {
        const struct autofdo_record *r = &instance->records[i];
        if (!push_spot(p, (struct autofdo_spot){r->line, r->discriminator, AUTOFDO_RECORD, 0}, 0))
            return false;
        for (size_t t = 0; t < r->n_targets; t++)
            if (!push_spot(p,
                           (struct autofdo_spot){r->line, r->discriminator, AUTOFDO_TARGET,
                                                 number_of(p, r->targets[t].name)},
                           0))
                return false;
        p->plan->expanded += 1 + r->n_targets;
        for (size_t t = 0; t < r->n_targets; t++)
            p->target_nbytes += r->targets[t].name.n;
    }
    for (size_t i = 0; i < instance->n_callsites; i++) {
        const struct autofdo_callsite *c = &instance->callsites[i];
        if (!push_spot(p,
                       (struct autofdo_spot){c->line, c->discriminator, AUTOFDO_CALLSITE,
                                             number_of(p, c->callee.name)},
                       callees[i]))
            return false;
    }
    p->plan->expanded++;
    return settle_tree(p, number_of(p, instance->name), first, tree_ret);
}

static enum bo_status plant_all(struct planner *p, struct bo_error *err)
{
    struct autofdo_plan *plan = p->plan;
    const size_t n = plan->model->n_functions;
    p->roots = bo_alloc_array(p->arena, n, sizeof *p->roots);
    plan->functions = bo_alloc_array(p->arena, n, sizeof *plan->functions);
    if (!p->roots || !plan->functions || !grow_slots(p))
        return bo_fail_alloc(err, p->arena);
    for (size_t i = 0; i < n; i++) {
        p->target_nbytes = 0;
        if (!plant(p, &plan->model->functions[i].body, &p->roots[i]))
            return bo_fail_alloc(err, p->arena);
        if (p->target_nbytes > plan->target_nbytes)
            plan->target_nbytes = p->target_nbytes;
        plan->functions[i] = number_of(p, plan->model->functions[i].body.name);
    }
    return p->n_trees < UINT32_MAX / 2 && p->n_words < UINT32_MAX / 2
               ? BO_OK
               : bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "2^31 - 1 places or more");
}

/* ---- lists and variants ---------------------------------------------------------------------- */

/* Records and their targets first, then callsites: each kind by place and name. */
static int compare_spots(const void *a, const void *b)
{
    const struct autofdo_spot *x = a, *y = b;
    const bool x_calls = x->kind == AUTOFDO_CALLSITE, y_calls = y->kind == AUTOFDO_CALLSITE;
    if (x_calls != y_calls)
        return x_calls - y_calls;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->discriminator != y->discriminator)
        return x->discriminator < y->discriminator ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static struct autofdo_spot spot_of(const uint32_t *word)
{
    return (struct autofdo_spot){word[0], word[1], word[2], word[3]};
}

/* The trees of each name, a function's own first, else in the order of the visit. */
static bool number_variants(struct planner *p, uint32_t **by_name_ret)
{
    struct autofdo_plan *plan = p->plan;
    uint32_t *by_name = bo_alloc_array(p->arena, p->n_trees, sizeof *by_name);
    bool *is_root = bo_zalloc_array(p->arena, p->n_trees, 1);
    plan->entries = bo_zalloc_array(p->arena, plan->n_names, sizeof *plan->entries);
    if (!by_name || !is_root || !plan->entries)
        return false;
    size_t first = 0;
    for (size_t i = 0; i < p->n_trees; i++)
        plan->entries[p->trees[i].name].n_variants++;
    for (size_t i = 0; i < plan->n_names; i++) {
        plan->entries[i].first_variant = first;
        first += plan->entries[i].n_variants;
        plan->entries[i].n_variants = 0;
    }
    for (size_t i = 0; i < plan->model->n_functions; i++)
        is_root[p->roots[i]] = true;
    for (unsigned roots = 2; roots-- > 0;)
        for (size_t i = 0; i < p->n_trees; i++) {
            if (is_root[i] != roots)
                continue;
            struct autofdo_plan_entry *entry = &plan->entries[p->trees[i].name];
            p->trees[i].variant = (uint32_t)entry->n_variants++;
            by_name[entry->first_variant + p->trees[i].variant] = (uint32_t)i;
        }
    *by_name_ret = by_name;
    return true;
}

/* The list of a name: the places of all its trees, each once. */
static void list_spots(struct planner *p, struct autofdo_plan_entry *entry, const uint32_t *trees)
{
    struct autofdo_plan *plan = p->plan;
    entry->first_spot = plan->n_spots;
    struct autofdo_spot *spots = plan->spots + entry->first_spot;
    size_t n = 0, kept = 0;
    for (size_t v = 0; v < entry->n_variants; v++) {
        const struct tree *tree = &p->trees[trees[entry->first_variant + v]];
        for (size_t i = 0; i < tree->n_words; i += SPOT_WORDS)
            spots[n++] = spot_of(p->words + tree->first_word + i);
    }
    if (entry->n_variants > 1)
        qsort(spots, n, sizeof *spots, compare_spots);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare_spots(&spots[kept - 1], &spots[i]))
            spots[kept++] = spots[i];
    entry->n_spots = kept;
    plan->n_spots += kept;
}

/* Both are in order, so one pass over both is enough. */
static void list_parts(struct planner *p, const struct autofdo_plan_entry *entry,
                       const struct tree *tree, struct autofdo_plan_variant *variant)
{
    struct autofdo_plan *plan = p->plan;
    const struct autofdo_spot *spots = plan->spots + entry->first_spot;
    uint32_t spot = 0;
    variant->first_part = plan->n_parts;
    for (size_t i = 0; i < tree->n_words; i += SPOT_WORDS, spot++) {
        const uint32_t *word = p->words + tree->first_word + i;
        const struct autofdo_spot sought = spot_of(word);
        while (compare_spots(&spots[spot], &sought))
            spot++;
        plan->parts[plan->n_parts++] = (struct autofdo_part){
            spot, sought.kind == AUTOFDO_CALLSITE ? p->trees[word[4]].variant : 0};
    }
    variant->n_parts = plan->n_parts - variant->first_part;
}

static enum bo_status plan_entries(struct planner *p, struct bo_error *err)
{
    struct autofdo_plan *plan = p->plan;
    const size_t n = p->n_words / SPOT_WORDS;
    uint32_t *by_name;
    plan->spots = bo_alloc_array(p->arena, n, sizeof *plan->spots);
    plan->parts = bo_alloc_array(p->arena, n, sizeof *plan->parts);
    plan->variants = bo_alloc_array(p->arena, p->n_trees, sizeof *plan->variants);
    if (!plan->spots || !plan->parts || !plan->variants || !number_variants(p, &by_name))
        return bo_fail_alloc(err, p->arena);
    plan->n_variants = p->n_trees;
    for (size_t i = 0; i < plan->n_names; i++) {
        struct autofdo_plan_entry *entry = &plan->entries[i];
        list_spots(p, entry, by_name);
        for (size_t v = 0; v < entry->n_variants; v++)
            list_parts(p, entry, &p->trees[by_name[entry->first_variant + v]],
                       &plan->variants[entry->first_variant + v]);
    }
    return BO_OK;
}

enum bo_status autofdo_plan_trees(const struct autofdo_model *model, struct bo_arena *arena,
                                  struct autofdo_plan *plan, struct bo_error *err)
{
    struct planner p = {.plan = plan, .arena = arena};
    *plan = (struct autofdo_plan){.model = model, .arena = arena};
    enum bo_status status = plan_strings(&p, err);
    if (status || (status = plan_files(&p, err)) || (status = plant_all(&p, err)))
        return status;
    return plan_entries(&p, err);
}
