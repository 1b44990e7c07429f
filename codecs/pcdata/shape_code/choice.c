/*
 * The encoder's choice of a dictionary: the bases, value templates and 254 shapes that make one
 * binary's tables small.
 *
 * For every table of a sample, the shapes that fit it exactly, and slightly larger ones, are
 * proposed. Of the most frequent proposals, those that save the most bits are selected one by one
 * (a greedy search). The gain of the others only falls, so a gain is computed again only when it is
 * the highest.
 */
#include <stdlib.h>

#include "codecs/pcdata/shape_code/shape_code.h"

enum {
    MAX_PROPOSALS = 6000,
    MAX_SAMPLE = 20000,
    SHAPE_NBITS = 25,       /* what a shape costs in the dictionary */
    MAX_TEMPLATE_NBITS = 16 /* of a template's values */
};

/* ---- costs ----------------------------------------------------------------------------------- */

uint32_t shape_cost(const struct shape_dictionary *dictionary, const struct shape *s,
                    const struct shape_facts *f)
{
    if (s->n_runs < f->n_runs)
        return SHAPE_NO_FIT;
    const uint32_t lows = (s->n_runs - 1u) * s->low_nbits;
    const uint32_t n_buckets = (f->text_quanta - 1) >> s->low_nbits;
    if (lows > SHAPE_MAX_LOWS_NBITS || n_buckets > SHAPE_MAX_UPPER_NBITS ||
        n_buckets + f->n_runs - 1 > SHAPE_MAX_UPPER_NBITS)
        return SHAPE_NO_FIT;
    const uint32_t upper = n_buckets + f->n_runs - 1;
    const int32_t base = dictionary->bases[s->base];
    const int64_t bias =
        s->bias_nbytes == 4 ? (uint32_t)f->min - (uint32_t)base : (int64_t)f->min - base;
    const uint32_t fixed = 8 + 8u * s->bias_nbytes + lows + upper;
    if (bias < 0 || (s->bias_nbytes && bias >> (8 * s->bias_nbytes)))
        return SHAPE_NO_FIT;
    if (s->template >= 0) /* number of runs and shift are those of all tables with this template */
        return s->template == f->template && (s->bias_nbytes || bias == 0) ? fixed : SHAPE_NO_FIT;
    if (f->shift < s->shift || (!s->bias_nbytes && bias & ((1 << s->shift) - 1)))
        return SHAPE_NO_FIT;
    const int64_t range = (int64_t)f->max - (s->bias_nbytes ? f->min : base);
    return range >> s->shift >> s->value_nbits ? SHAPE_NO_FIT : fixed + s->n_runs * s->value_nbits;
}

static void collect_facts(const struct pcdata_model *model, struct shape_facts *facts)
{
    const unsigned quantum_shift = (unsigned)__builtin_ctz(model->quantum);
    for (uint32_t t = 0; t < model->n_tables; t++) {
        const struct pcdata_table *table = &model->tables[t];
        int32_t min = table->runs[0].value, max = min;
        for (uint32_t i = 1; i < table->n_runs; i++) {
            min = table->runs[i].value < min ? table->runs[i].value : min;
            max = table->runs[i].value > max ? table->runs[i].value : max;
        }
        uint32_t bits = 1u << 3;
        for (uint32_t i = 0; i < table->n_runs; i++)
            bits |= (uint32_t)table->runs[i].value - (uint32_t)min;
        facts[t] = (struct shape_facts){
            .n_runs = table->n_runs,
            .text_quanta = table->text_len >> quantum_shift,
            .min = min,
            .max = max,
            .shift = (uint8_t)__builtin_ctz(bits),
            .template = -1,
            .cost = 64 + 20 * table->n_runs, /* about what a split record takes */
        };
    }
}

/* ---- bases ----------------------------------------------------------------------------------- */

/* Four bases that reach any least value with a bias, then the most frequent ones near 0. */
static void choose_bases(const struct shape_facts *facts, uint32_t n_tables,
                         struct shape_dictionary *d)
{
    enum { NEAR = 256, RARE = 16 };
    static const int32_t always[] = {-1, -128, -32768, 0};
    uint32_t counts[2 * NEAR] = {0};
    for (uint32_t t = 0; t < n_tables; t++)
        if (facts[t].min >= -NEAR && facts[t].min < NEAR)
            counts[facts[t].min + NEAR]++;
    for (d->n_bases = 0; d->n_bases < 4; d->n_bases++) {
        d->bases[d->n_bases] = always[d->n_bases];
        if (always[d->n_bases] >= -NEAR)
            counts[always[d->n_bases] + NEAR] = 0;
    }
    for (; d->n_bases < SHAPE_MAX_BASES; d->n_bases++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < 2 * NEAR; i++)
            best = counts[i] > counts[best] ? i : best;
        if (counts[best] < RARE)
            break;
        d->bases[d->n_bases] = (int32_t)best - NEAR;
        counts[best] = 0;
    }
}

static int find_base(const struct shape_dictionary *d, int32_t value)
{
    for (uint32_t i = 0; i < d->n_bases; i++)
        if (d->bases[i] == value)
            return (int)i;
    return -1;
}

/* ---- templates ------------------------------------------------------------------------------- */

/* A list of values that tables share. */
struct value_list {
    uint32_t first; /* table */
    uint32_t n_tables, saved_nbits;
};

static int compare_lists(const void *a, const void *b)
{
    const struct value_list *x = a, *y = b;
    if (x->saved_nbits != y->saved_nbits)
        return x->saved_nbits < y->saved_nbits ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static unsigned range_nbits(const struct shape_facts *f)
{
    return bo_bit_width(((uint32_t)f->max - (uint32_t)f->min) >> f->shift);
}

/* The list's bytes, by which equal lists are found. */
static void put_list(const struct pcdata_table *table, const struct shape_facts *f,
                     struct bo_writer *keys)
{
    bo_put_u8(keys, f->shift);
    for (uint32_t i = 0; i < table->n_runs; i++)
        bo_put_le16(keys,
                    (uint16_t)(((uint32_t)table->runs[i].value - (uint32_t)f->min) >> f->shift));
}

static void make_template(const struct pcdata_table *table, const struct shape_facts *f,
                          struct shape_template *template)
{
    *template = (struct shape_template){(uint8_t)table->n_runs, (uint8_t)range_nbits(f), {0}};
    for (uint32_t i = 0; i < table->n_runs; i++)
        template->values[i] = ((uint32_t)table->runs[i].value - (uint32_t)f->min) >> f->shift;
}

/*
 * Selects the lists that save the most; sets in each table's facts the template that it could use.
 */
static enum bo_status choose_templates(const struct pcdata_model *model, struct shape_facts *facts,
                                       struct pcdata_record_index *index, struct bo_arena *arena,
                                       struct shape_dictionary *d, struct bo_error *err)
{
    enum { WORTH_NBITS = 64, FEW_TABLES = 2 };
    struct bo_writer keys;
    struct value_list *lists = bo_alloc_array(arena, model->n_tables, sizeof *lists);
    uint32_t *list_of = bo_alloc_array(arena, model->n_tables, sizeof *list_of);
    int16_t *template_of = bo_alloc_array(arena, model->n_tables, sizeof *template_of);
    if (!lists || !list_of || !template_of)
        return bo_fail_alloc(err, arena);
    bo_writer_init(&keys, arena);
    uint32_t n_lists = 0;
    for (uint32_t t = 0; t < model->n_tables && !keys.status; t++) {
        const unsigned nbits = range_nbits(&facts[t]);
        list_of[t] = UINT32_MAX;
        if (facts[t].n_runs < 2 || facts[t].n_runs > SHAPE_MAX_RUNS || nbits > MAX_TEMPLATE_NBITS)
            continue;
        const size_t start = keys.n;
        put_list(&model->tables[t], &facts[t], &keys);
        if (keys.status)
            break;
        bool found;
        uint32_t *number =
            pcdata_record_find(index, keys.p, (uint32_t)start, (uint32_t)(keys.n - start), &found);
        if (found) {
            bo_writer_truncate(&keys, start);
            lists[*number].saved_nbits += facts[t].n_runs * nbits;
        } else {
            *number = n_lists++;
            lists[*number] = (struct value_list){.first = t};
        }
        lists[*number].n_tables++;
        list_of[t] = *number;
    }
    const enum bo_status status = bo_writer_status(&keys, err);
    bo_writer_free(&keys);
    if (status)
        return status;

    qsort(lists, n_lists, sizeof *lists, compare_lists);
    memset(template_of, 0xff, model->n_tables * sizeof *template_of);
    d->n_templates = 0;
    for (uint32_t i = 0; i < n_lists && d->n_templates < SHAPE_MAX_TEMPLATES; i++) {
        const uint32_t t = lists[i].first;
        if (lists[i].n_tables <= FEW_TABLES || lists[i].saved_nbits <= WORTH_NBITS)
            continue;
        template_of[list_of[t]] = (int16_t)d->n_templates;
        make_template(&model->tables[t], &facts[t], &d->templates[d->n_templates++]);
    }
    for (uint32_t t = 0; t < model->n_tables; t++)
        if (list_of[t] != UINT32_MAX)
            facts[t].template = template_of[list_of[t]];
    return BO_OK;
}

/* ---- proposals ------------------------------------------------------------------------------- */

struct proposal {
    struct shape shape;
    uint32_t n_made;   /* how often */
    uint32_t measured; /* the number of selected shapes for which `gain` was computed */
    int64_t gain;      /* bits; an upper bound once more shapes are taken */
};

/* A set of proposals: open addressing; n_made is 0 in a free slot. */
struct proposals {
    struct proposal *slots;
    size_t mask, n;
};

static uint64_t pack_shape(const struct shape *s)
{
    return (uint64_t)s->n_runs | (uint64_t)s->low_nbits << 8 | (uint64_t)s->bias_nbytes << 16 |
           (uint64_t)s->base << 24 | (uint64_t)s->shift << 32 | (uint64_t)s->value_nbits << 40 |
           (uint64_t)(uint16_t)s->template << 48;
}

static void propose(struct proposals *set, struct shape shape)
{
    if (4 * set->n >= 3 * set->mask) /* full: proposals that first occur this late are rare */
        return;
    const uint64_t packed = pack_shape(&shape);
    size_t i = bo_mix64(packed) & set->mask;
    while (set->slots[i].n_made && pack_shape(&set->slots[i].shape) != packed)
        i = (i + 1) & set->mask;
    set->n += set->slots[i].n_made == 0;
    set->slots[i].shape = shape;
    set->slots[i].n_made++;
}

/* The low part that makes boundaries smallest, or -1 when none fits a shaped record. */
static int best_low_nbits(const struct shape_facts *f)
{
    int best = -1;
    uint32_t best_nbits = UINT32_MAX;
    for (unsigned l = 0; l <= SHAPE_MAX_LOW_NBITS; l++) {
        const uint32_t lows = (f->n_runs - 1) * l;
        const uint32_t upper = f->n_runs - 1 + ((f->text_quanta - 1) >> l);
        if (upper > SHAPE_MAX_UPPER_NBITS || lows > SHAPE_MAX_LOWS_NBITS ||
            lows + upper >= best_nbits)
            continue;
        best = (int)l;
        best_nbits = lows + upper;
    }
    return best;
}

/*
 * A shape with a bias of as many bytes as this table needs above one of the bases that are always
 * there.
 */
static struct shape with_bias(const struct shape_dictionary *d, const struct shape_facts *f,
                              struct shape s)
{
    if (f->min < -32768) {
        s.base = (uint8_t)find_base(d, -1);
        s.bias_nbytes = 4;
    } else if (f->min < -1) {
        s.base = (uint8_t)find_base(d, f->min < -128 ? -32768 : -128);
        s.bias_nbytes = f->min < -128 ? 2 : 1;
    } else {
        const uint32_t bias = (uint32_t)f->min + 1;
        s.base = (uint8_t)find_base(d, -1);
        s.bias_nbytes = bias < 1u << 8 ? 1 : bias < 1u << 16 ? 2 : bias < 1u << 24 ? 3 : 4;
    }
    return s;
}

/* The ways to store a table's values, given the way to store its boundaries. Returns how many. */
static unsigned value_variants(const struct shape_dictionary *d, const struct shape_facts *f,
                               struct shape s, struct shape variants[6])
{
    enum { LOOSE_NBITS = 8 };
    unsigned n = 0;
    const int own_base = find_base(d, f->min);
    const unsigned nbits = range_nbits(f);
    s.template = -1;
    s.shift = f->shift > 1 ? f->shift : 0;
    s.value_nbits = (uint8_t)bo_bit_width(((uint32_t)f->max - (uint32_t)f->min) >> s.shift);
    variants[n++] = with_bias(d, f, s);
    if (own_base >= 0) {
        variants[n] = s;
        variants[n++].base = (uint8_t)own_base;
    }
    if (f->min >= -1) { /* values above -1: no bias at all */
        struct shape v = s;
        v.base = (uint8_t)find_base(d, -1);
        v.shift = ((uint32_t)f->min + 1) & ((1u << s.shift) - 1) ? 0 : s.shift;
        v.value_nbits = (uint8_t)bo_bit_width(((uint64_t)f->max + 1) >> v.shift);
        if (v.value_nbits <= nbits + f->shift + LOOSE_NBITS)
            variants[n++] = v;
    }
    if (f->min >= 0 && f->shift > 1 && !(f->min & ((1 << f->shift) - 1))) {
        struct shape v = s;
        v.base = (uint8_t)find_base(d, 0);
        v.value_nbits = (uint8_t)bo_bit_width((uint32_t)f->max >> v.shift);
        variants[n++] = v;
    }
    if (f->template >= 0) {
        struct shape v = s;
        v.template = f->template;
        v.shift = f->shift;
        v.value_nbits = d->templates[f->template].value_nbits;
        variants[n++] = with_bias(d, f, v);
        if (own_base >= 0) {
            variants[n] = v;
            variants[n++].base = (uint8_t)own_base;
        }
    }
    return n;
}

static void propose_for(const struct shape_dictionary *d, const struct shape_facts *f,
                        struct proposals *set)
{
    enum { MANY_RUNS = 10 };
    const int best = best_low_nbits(f);
    if (best < 0)
        return;
    for (int l = best - 1; l <= best + 1; l++) {
        if (l < 0 || l > SHAPE_MAX_LOW_NBITS || (f->n_runs == 1 && l != best))
            continue;
        struct shape variants[6];
        const struct shape s = {.n_runs = (uint8_t)f->n_runs, .low_nbits = (uint8_t)l};
        const unsigned n = value_variants(d, f, s, variants);
        for (unsigned v = 0; v < n; v++) {
            if (variants[v].value_nbits > SHAPE_MAX_VALUE_NBITS)
                continue;
            propose(set, variants[v]);
            const unsigned loose = f->n_runs > MANY_RUNS ? 2 : f->n_runs > 2 ? 1 : 0;
            for (unsigned i = 0; i < loose && l == best && variants[v].template <0; i++) {
                if (++variants[v].n_runs > SHAPE_MAX_RUNS)
                    break;
                propose(set, variants[v]);
            }
        }
    }
}

/* ---- the greedy choice ----------------------------------------------------------------------- */

static int compare_proposals(const void *a, const void *b)
{
    const struct proposal *x = a, *y = b;
    if (x->n_made != y->n_made)
        return x->n_made < y->n_made ? 1 : -1;
    const uint64_t p = pack_shape(&x->shape), q = pack_shape(&y->shape);
    return p < q ? -1 : p > q;
}

/* The sampled tables, grouped by their number of runs. */
struct sample {
    struct shape_facts *facts;
    uint32_t
        starts[SHAPE_MAX_RUNS + 2]; /* those with r runs are facts[starts[r] .. starts[r + 1]) */
};

static enum bo_status take_sample(const struct shape_facts *facts, uint32_t n_tables,
                                  struct bo_arena *arena, struct sample *sample,
                                  struct bo_error *err)
{
    const uint32_t step = n_tables / MAX_SAMPLE + 1;
    uint32_t next[SHAPE_MAX_RUNS + 2];
    *sample =
        (struct sample){.facts = bo_alloc_array(arena, n_tables / step + 1, sizeof *sample->facts)};
    if (!sample->facts)
        return bo_fail_alloc(err, arena);
    for (uint32_t t = 0; t < n_tables; t += step)
        if (facts[t].n_runs <= SHAPE_MAX_RUNS)
            sample->starts[facts[t].n_runs + 1]++;
    for (unsigned r = 1; r < SHAPE_MAX_RUNS + 2; r++)
        sample->starts[r] += sample->starts[r - 1];
    memcpy(next, sample->starts, sizeof next);
    for (uint32_t t = 0; t < n_tables; t += step)
        if (facts[t].n_runs <= SHAPE_MAX_RUNS)
            sample->facts[next[facts[t].n_runs]++] = facts[t];
    return BO_OK;
}

/* The sampled tables that a shape may be for: its own number of runs, or a few less. */
static struct shape_facts *candidates(const struct sample *sample, const struct shape *s,
                                      uint32_t *n_ret)
{
    enum { SLACK = 2, LARGE = 12, LARGE_SLACK = 4 };
    const unsigned slack = s->template >= 0 ? 0 : s->n_runs >= LARGE ? LARGE_SLACK : SLACK;
    const unsigned least = s->n_runs > slack ? s->n_runs - slack : 1;
    *n_ret = sample->starts[s->n_runs + 1] - sample->starts[least];
    return sample->facts + sample->starts[least];
}

static int64_t measure(const struct shape_dictionary *d, const struct sample *sample,
                       const struct shape *s)
{
    uint32_t n;
    const struct shape_facts *f = candidates(sample, s, &n);
    int64_t gain = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t cost = shape_cost(d, s, &f[i]);
        gain += cost < f[i].cost ? f[i].cost - cost : 0;
    }
    return gain;
}

static void accept(struct shape_dictionary *d, const struct sample *sample, const struct shape *s)
{
    uint32_t n;
    struct shape_facts *f = candidates(sample, s, &n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t cost = shape_cost(d, s, &f[i]);
        f[i].cost = cost < f[i].cost ? cost : f[i].cost;
    }
    d->shapes[d->n_shapes++] = *s;
}

/*
 * True when x precedes y: a larger gain, or more proposals (`list` is in that order).
 */
static bool comes_first(const struct proposal *x, const struct proposal *y)
{
    return x->gain != y->gain ? x->gain > y->gain : x < y;
}

/* Restores a heap whose element i may be too small. */
static void sift_down(struct proposal **heap, size_t n, size_t i)
{
    for (;;) {
        size_t first = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
            first = comes_first(heap[child], heap[first]) ? child : first;
        if (first == i)
            return;
        struct proposal *moved = heap[i];
        heap[i] = heap[first];
        heap[first] = moved;
        i = first;
    }
}

/*
 * Selects shapes until no other one saves more than its place in the dictionary costs. The gain of
 * the heap's top is computed again until it stays on top.
 */
static void take_best(struct shape_dictionary *d, const struct sample *sample,
                      struct proposal **heap, size_t n)
{
    for (size_t i = n; i-- > 0;)
        sift_down(heap, n, i);
    while (n && d->n_shapes < SHAPE_MAX_SHAPES && heap[0]->gain > SHAPE_NBITS) {
        struct proposal *best = heap[0];
        if (best->measured == d->n_shapes) {
            accept(d, sample, &best->shape);
            heap[0] = heap[--n];
        } else {
            best->gain = measure(d, sample, &best->shape);
            best->measured = d->n_shapes;
        }
        sift_down(heap, n, 0);
    }
}

static enum bo_status choose_shapes(struct shape_dictionary *d, const struct shape_facts *facts,
                                    uint32_t n_tables, struct bo_arena *arena, struct bo_error *err)
{
    enum { MOST_SLOTS = 1 << 16, SLOTS_A_TABLE = 64 };
    struct sample sample;
    const enum bo_status status = take_sample(facts, n_tables, arena, &sample, err);
    if (status)
        return status;
    size_t n_slots = SLOTS_A_TABLE;
    while (n_slots < MOST_SLOTS && n_slots < (size_t)SLOTS_A_TABLE * n_tables)
        n_slots *= 2;
    struct proposals set = {.mask = n_slots - 1};
    set.slots = bo_zalloc_array(arena, n_slots, sizeof *set.slots);
    if (!set.slots)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < sample.starts[SHAPE_MAX_RUNS + 1]; i++)
        propose_for(d, &sample.facts[i], &set);

    size_t n = 0;
    for (size_t i = 0; i <= set.mask; i++)
        if (set.slots[i].n_made)
            set.slots[n++] = set.slots[i];
    qsort(set.slots, n, sizeof *set.slots, compare_proposals);
    n = n < MAX_PROPOSALS ? n : MAX_PROPOSALS;
    struct proposal **heap = bo_alloc_array(arena, n, sizeof *heap);
    if (!heap)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < n; i++) {
        set.slots[i].gain = measure(d, &sample, &set.slots[i].shape);
        heap[i] = &set.slots[i];
    }
    d->n_shapes = 0;
    take_best(d, &sample, heap, n);
    return BO_OK;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static uint8_t best_code(const struct shape_dictionary *d, const struct shape_facts *f)
{
    uint8_t code = SHAPE_SPLIT_CODE;
    uint32_t best = SHAPE_NO_FIT;
    for (uint32_t i = 0; i < d->n_shapes; i++) {
        const uint32_t cost = shape_cost(d, &d->shapes[i], f);
        if (cost < best) {
            best = cost;
            code = (uint8_t)i;
        }
    }
    return code;
}

/*
 * Removes shapes and templates without users, and sorts the shapes by their number of users, so
 * that the frequent ones share cache lines.
 */
static void tidy(struct shape_dictionary *d, uint8_t *codes, uint32_t n_tables)
{
    uint32_t n_users[256] = {0}, n_kept = 0, n_templates = 0;
    uint8_t order[256], new_code[256];
    struct shape kept[SHAPE_MAX_SHAPES];
    int16_t new_template[SHAPE_MAX_TEMPLATES];
    for (uint32_t t = 0; t < n_tables; t++)
        n_users[codes[t]]++;
    for (uint32_t i = 0; i < d->n_shapes; i++) {
        if (!n_users[i])
            continue;
        uint32_t at = n_kept++; /* insertion sort, stable */
        for (; at && n_users[order[at - 1]] < n_users[i]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)i;
    }
    memset(new_template, 0xff, sizeof new_template);
    new_code[SHAPE_SPLIT_CODE] = SHAPE_SPLIT_CODE;
    for (uint32_t i = 0; i < n_kept; i++) {
        new_code[order[i]] = (uint8_t)i;
        kept[i] = d->shapes[order[i]];
        if (kept[i].template >= 0)
            new_template[kept[i].template] = 0;
    }
    for (uint32_t i = 0; i < d->n_templates; i++)
        if (new_template[i] == 0) {
            d->templates[n_templates] = d->templates[i];
            new_template[i] = (int16_t)n_templates++;
        }
    d->n_templates = n_templates;
    d->n_shapes = n_kept;
    for (uint32_t i = 0; i < n_kept; i++) {
        d->shapes[i] = kept[i];
        if (kept[i].template >= 0)
            d->shapes[i].template = new_template[kept[i].template];
    }
    for (uint32_t t = 0; t < n_tables; t++)
        codes[t] = new_code[codes[t]];
}

enum bo_status shape_choose(const struct pcdata_model *model, struct bo_arena *arena,
                            struct shape_dictionary *d, struct shape_facts *facts, uint8_t *codes,
                            struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct pcdata_record_index index;
    collect_facts(model, facts);
    choose_bases(facts, model->n_tables, d);
    if (!pcdata_record_index_init(&index, model->n_tables, arena))
        return bo_fail_alloc(err, arena);
    enum bo_status status = choose_templates(model, facts, &index, arena, d, err);
    status = status ? status : choose_shapes(d, facts, model->n_tables, arena, err);
    if (status)
        return status;
    for (uint32_t t = 0; t < model->n_tables; t++)
        codes[t] = best_code(d, &facts[t]);
    tidy(d, codes, model->n_tables);
    bo_arena_rewind(arena, mark);
    return BO_OK;
}
