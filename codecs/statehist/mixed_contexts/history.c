/* mixed-contexts: the state before the first change, and values. */
#include "codecs/statehist/kinds.h"
#include "codecs/statehist/mixed_contexts/mixed_contexts.h"

/* ---- kinds and owners ------------------------------------------------------------------------ */

static uint32_t number_of(struct bo_span name)
{
    uint32_t v = 0;
    if (!statehist_is_number(name) || name.n > 9)
        return UINT32_MAX;
    for (size_t i = 0; i < name.n; i++)
        v = 10 * v + (name.p[i] - '0');
    return v;
}

/* Kinds in the order in which they come up; the last class has all those that are left. */
static bool assign_classes(struct mixed_history *h, const struct statehist_attribute *attributes)
{
    uint64_t known[MIXED_MAX_CLASSES];
    uint32_t n[MIXED_MAX_CLASSES + 1] = {0}, n_known = 0;
    const struct bo_arena_mark mark = bo_arena_mark(h->arena);
    uint64_t *kinds = bo_alloc_array(h->arena, h->n_quarks, sizeof *kinds);
    if (!kinds)
        return false;
    statehist_kinds(attributes, h->n_quarks, kinds);
    for (uint32_t q = 0; q < h->n_quarks; q++) {
        uint32_t class = 0;
        while (class < n_known && known[class] != kinds[q])
            class ++;
        if (class == n_known && n_known < MIXED_MAX_CLASSES - 1)
            known[n_known++] = kinds[q];
        h->quarks[q].class = class;
        h->quarks[q].in_class = n[class]++;
    }
    bo_arena_rewind(h->arena, mark);
    h->n_classes = n_known + 1;
    h->classes = bo_zalloc_array(h->arena, h->n_classes, sizeof *h->classes);
    for (uint32_t c = 0; h->classes && c < h->n_classes; c++) {
        h->classes[c].quarks = bo_alloc_array(h->arena, n[c], sizeof *h->classes[c].quarks);
        if (!h->classes[c].quarks)
            return false;
        h->classes[c].last = h->classes[c].last_but_one = STATEHIST_ROOT;
        h->classes[c].values.n = 1;
    }
    for (uint32_t q = 0; h->classes && q < h->n_quarks; q++) {
        struct mixed_class *class = &h->classes[h->quarks[q].class];
        class->quarks[class->n++] = q;
    }
    return h->classes != NULL;
}

/* An attribute's owner is its ancestor one level below the top. */
static void assign_owners(struct mixed_history *h, const struct statehist_attribute *attributes)
{
    for (uint32_t q = 0; q < h->n_quarks; q++) {
        const uint32_t parent = attributes[q].parent;
        const bool owned = parent != STATEHIST_ROOT && attributes[parent].parent != STATEHIST_ROOT;
        h->quarks[q].owner = owned ? h->quarks[parent].owner : h->n_owners++;
        h->quarks[q].number = owned ? UINT32_MAX : number_of(attributes[q].name);
    }
}

bool mixed_prepare(struct mixed_history *h, const struct statehist_attribute *attributes)
{
    h->quarks = bo_zalloc_array(h->arena, h->n_quarks, sizeof *h->quarks);
    if (!h->quarks || !assign_classes(h, attributes))
        return false;
    assign_owners(h, attributes);
    h->hash_bits = 6;
    while (h->hash_bits < 20 && (size_t)1 << h->hash_bits < 2 * (size_t)h->n_quarks)
        h->hash_bits++;
    h->met = bo_zalloc_array(h->arena, (size_t)h->n_owners * h->n_classes, sizeof *h->met);
    h->followers = bo_zalloc_array(h->arena, (size_t)1 << h->hash_bits, sizeof *h->followers);
    h->by_number = bo_zalloc_array(h->arena, (size_t)1 << h->hash_bits, sizeof *h->by_number);
    h->changed = bo_alloc_array(h->arena, h->n_quarks, sizeof *h->changed);
    if (!h->met || !h->followers || !h->by_number || !h->changed)
        return false;
    for (uint32_t q = 0; q < h->n_quarks; q++) {
        uint32_t *met = mixed_met(h, h->quarks[q].owner, h->quarks[q].class);
        *met = *met ? *met : q + 1;
        if (h->quarks[q].number != UINT32_MAX)
            h->by_number[mixed_slot(h, h->quarks[q].number, 0)] = q + 1;
    }
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

static size_t slot_of(const struct mixed_values *values, const struct mixed_value *value)
{
    size_t at = (size_t)mixed_hash(mixed_hash(value->type, value->value ^ values->seed), 7) &
                (values->n_slots - 1);
    while (values->slots[at] && (values->values[values->slots[at]].type != value->type ||
                                 values->values[values->slots[at]].value != value->value))
        at = (at + 1) & (values->n_slots - 1);
    return at;
}

/* The number of a value that is known; 0: it is not. */
static uint32_t number_of_value(const struct mixed_values *values, const struct mixed_value *value)
{
    return values->n_slots ? values->slots[slot_of(values, value)] : 0;
}

static bool add_value(struct mixed_history *h, struct mixed_values *values,
                      const struct mixed_value *value)
{
    if (!values->cap) {
        if (!bo_grow(h->arena, &values->values, 0, values->n + 1, &values->cap))
            return false;
        values->values[0] = (struct mixed_value){STATEHIST_NULL, 0};
    }
    if (!bo_grow(h->arena, &values->values, values->n, 1, &values->cap))
        return false;
    values->values[values->n++] = *value;
    values->last[value->type] = value->value;
    if (2 * (size_t)values->n > values->n_slots) {
        const size_t n_slots =
            values->n_slots ? 2 * values->n_slots : 4 * bo_first_cap(h->arena, 4);
        uint32_t *slots = bo_zalloc_array(h->arena, n_slots, sizeof *slots);
        if (!slots)
            return false;
        values->slots = slots;
        values->n_slots = n_slots;
        values->seed = bo_mix64((uintptr_t)slots);
        for (uint32_t i = 1; i < values->n; i++)
            values->slots[slot_of(values, &values->values[i])] = i;
    } else {
        values->slots[slot_of(values, value)] = values->n - 1;
    }
    return true;
}

/* A new value: its type, then its difference from the last new value of that type. */
static bool code_new(struct mixed_history *h, uint32_t class, struct mixed_value *value)
{
    struct mixed_values *values = &h->classes[class].values;
    struct mixed_contexts of = {.kind = MIXED_TYPE};
    mixed_add(&of, class, 0, 0);
    value->type = mixed_symbol(&h->coder, &of, 3, value->type);
    if (value->type == STATEHIST_NULL || value->type >= STATEHIST_N_TYPES) {
        h->what = "unknown type";
        return true;
    }
    const uint64_t last = values->last[value->type];
    struct mixed_contexts by = {.kind = MIXED_NEW};
    mixed_add(&by, class, value->type, 0);
    mixed_add(&by, value->type, 1, 0);
    const uint64_t step =
        mixed_number(&h->coder, &by, MIXED_MAX_MODELLED,
                     value->type == STATEHIST_DOUBLE ? value->value ^ last
                                                     : bo_zigzag64((int64_t)(value->value - last)));
    value->value =
        value->type == STATEHIST_DOUBLE ? step ^ last : last + (uint64_t)bo_unzigzag64(step);
    if (h->reads)
        h->what = statehist_value_flaw(value->type, value->value, h->n_strings);
    if (h->reads && !h->what && number_of_value(values, value))
        h->what = "known value is stored as new";
    return h->what || add_value(h, values, value);
}

bool mixed_code_value(struct mixed_history *h, const struct mixed_contexts *contexts,
                      uint32_t class, uint32_t before, const struct mixed_value *value,
                      uint32_t *number_ret)
{
    struct mixed_values *values = &h->classes[class].values;
    struct mixed_value fresh = {STATEHIST_NULL, 0};
    uint32_t number = values->n;
    if (!h->reads) {
        fresh = *value;
        const uint32_t known = number_of_value(values, value);
        if (value->type == STATEHIST_NULL || known)
            number = known;
    }
    uint64_t coded;
    if (h->classes[class].counts)
        coded = before + (uint64_t)bo_unzigzag64(
                             mixed_number(&h->coder, contexts, MIXED_MAX_MODELLED,
                                          bo_zigzag64((int64_t)number - (int64_t)before)));
    else
        coded = mixed_number(&h->coder, contexts, MIXED_MAX_MODELLED, number);
    *number_ret = (uint32_t)coded;
    if (coded < values->n)
        return true;
    if (coded > values->n) {
        h->what = "value number is out of range";
        return true;
    }
    return code_new(h, class, &fresh);
}
