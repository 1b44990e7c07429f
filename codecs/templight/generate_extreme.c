/* Traces at the limits, one shape each. */
#include "codecs/templight/generate.h"
#include "harness/names/extreme_names.h"

enum { MAX_DEPTH = 10000, MAX_NESTED_ARGUMENTS = 360, N_SHARED_ARGUMENTS = 32 };

static bool add_begin(struct templight_builder *builder, struct bo_random *r, struct bo_span name)
{
    const struct templight_place location = templight_random_place(r);
    const struct templight_place origin = templight_random_place(r);
    const uint32_t kind = templight_random_kind(r);
    const struct templight_entry entry = {
        .kind = kind, .name = name, .location = location, .origin = origin};
    return templight_add_entry(builder, &entry);
}

static bool add_end(struct templight_builder *builder)
{
    const struct templight_entry end = {.is_end = true};
    return templight_add_entry(builder, &end);
}

/* A Begin of each name, which ends at once. */
static bool add_names(struct templight_builder *builder, struct bo_random *r,
                      struct bo_extreme_names names)
{
    bool ok = names.p != NULL;
    for (size_t i = 0; ok && i < names.n; i++)
        ok = add_begin(builder, r, names.p[i]) && add_end(builder);
    return ok;
}

/* Begins inside each other; half of the traces end before the Begins do. */
static bool nest_begins(struct templight_builder *builder, struct bo_random *r)
{
    const uint32_t n = bo_random_extreme_size(r, MAX_DEPTH);
    const bool stops = bo_random_one_in(r, 2);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++)
        ok = add_begin(builder, r, bo_span_of(i % 2 ? "A<int>" : "B<A<int> >"));
    while (ok && builder->n_open && !stops)
        ok = add_end(builder);
    return ok;
}

static bool nest_names(struct templight_builder *builder, struct bo_random *r)
{
    return add_names(builder, r, bo_nested_names(r, builder->arena));
}

static bool lengthen_name(struct templight_builder *builder, struct bo_random *r)
{
    const uint32_t n = bo_random_around(r, UINT32_C(1) << 16);
    return add_names(builder, r, bo_long_name(r, n, builder->arena));
}

/* Each name is the argument of the next one. */
static bool nest_arguments(struct templight_builder *builder, struct bo_random *r)
{
    const size_t n = bo_random_extreme_size(r, MAX_NESTED_ARGUMENTS);
    struct bo_span *names = bo_alloc_array(builder->arena, n, sizeof *names);
    uint8_t *p = bo_alloc_array(builder->arena, n, 3);
    if (!names || !p)
        return false;
    for (size_t i = 0; i < n; i++) {
        memcpy(p + 2 * i, "A<", 2);
        p[2 * n + i] = '>';
    }
    for (size_t i = 0; i < n; i++)
        names[i] = (struct bo_span){p + 2 * (n - 1 - i), 3 * (i + 1)};
    return add_names(builder, r, (struct bo_extreme_names){names, n});
}

/* Names with one argument, which nests. */
static bool share_arguments(struct templight_builder *builder, struct bo_random *r)
{
    char after[3 * N_SHARED_ARGUMENTS];
    for (size_t i = 0; i < N_SHARED_ARGUMENTS; i++) {
        memcpy(after + 2 * i, i ? "A<" : "<S", 2);
        after[2 * N_SHARED_ARGUMENTS + i] = '>';
    }
    const struct bo_span before = bo_span_of("std::"),
                         shared = {(const uint8_t *)after, sizeof after};
    return add_names(builder, r, bo_sibling_names(r, before, shared, builder->arena));
}

/* Begins of one name, each in a file of its own. */
static bool add_files(struct templight_builder *builder, struct bo_random *r)
{
    const struct bo_span before = bo_span_of("/usr/include/"), after = bo_span_of(".h");
    const struct bo_extreme_names files = bo_sibling_names(r, before, after, builder->arena);
    bool ok = files.p != NULL;
    for (size_t i = 0; ok && i < files.n; i++) {
        const struct templight_place place = {true, files.p[i], 1, 1};
        const struct templight_entry begin = {
            .name = bo_span_of("A<int>"), .location = place, .origin = place};
        ok = templight_add_entry(builder, &begin) && add_end(builder);
    }
    return ok;
}

bool templight_add_extreme_trace(struct templight_builder *builder, struct bo_random *r)
{
    static bool (*const shapes[])(struct templight_builder *, struct bo_random *) = {
        nest_begins, nest_names, lengthen_name, nest_arguments, share_arguments, add_files};
    const struct bo_span no_source = {NULL, 0};
    const uint32_t shape = bo_random_below(r, sizeof shapes / sizeof *shapes);
    return templight_start_trace(builder, TEMPLIGHT_VERSION, no_source) &&
           shapes[shape](builder, r);
}
