/* Rebuilding the model from a file of shared trees. */
#include "codecs/autofdo/shared_trees/shared_trees.h"

/* What is built, and how much of it; the arrays have room for all. */
struct builder {
    struct autofdo_trees *trees;
    struct autofdo_count_reader counts;
    struct autofdo_record *records;
    struct autofdo_target *targets;
    struct autofdo_callsite *callsites;
    size_t n_records, n_targets, n_callsites;
    bool *is_used; /* by name: something refers to it */
    struct bo_error *err;
};

static struct bo_span name_of(const struct autofdo_trees *trees, uint32_t name)
{
    return (struct bo_span){trees->text + trees->texts[name].off, trees->texts[name].n};
}

static enum bo_status fail_count(const struct builder *b)
{
    return bo_fail(b->err, BO_CORRUPT,
                   autofdo_off_of(b->trees, &b->trees->counts, b->counts.bits.bit),
                   "count is not a valid code");
}

/* ---- functions ------------------------------------------------------------------------------- */

static enum bo_status build_own(struct builder *b, const struct autofdo_spot *spot)
{
    uint64_t count;
    if (!autofdo_take_count(&b->counts, &count))
        return fail_count(b);
    if (spot->kind == AUTOFDO_RECORD) {
        b->records[b->n_records++] = (struct autofdo_record){spot->line, spot->discriminator, count,
                                                             0, b->targets + b->n_targets};
    } else {
        b->targets[b->n_targets++] = (struct autofdo_target){name_of(b->trees, spot->name), count};
        b->records[b->n_records - 1].n_targets++;
    }
    return BO_OK;
}

/* The variant's sums are known, so it is not too deep, and the arrays have room for it. */
static enum bo_status build_variant(struct builder *b, uint32_t name, uint32_t number,
                                    struct autofdo_instance *instance)
{
    const struct autofdo_trees *trees = b->trees;
    const struct autofdo_variant *variant = &trees->variants[number];
    const struct autofdo_part *parts = trees->parts + variant->first_part;
    struct autofdo_callsite *callsites = b->callsites + b->n_callsites;
    enum bo_status status;
    *instance = (struct autofdo_instance){.name = name_of(trees, name),
                                          .n_callsites = variant->n_parts - variant->n_own,
                                          .records = b->records + b->n_records,
                                          .callsites = callsites};
    b->n_callsites += instance->n_callsites;
    for (uint32_t i = 0; i < variant->n_own; i++)
        if ((status = build_own(b, &trees->spots[parts[i].spot])))
            return status;
    instance->n_records = (size_t)(b->records + b->n_records - instance->records);
    for (uint32_t i = variant->n_own; i < variant->n_parts; i++, callsites++) {
        const struct autofdo_spot *spot = &trees->spots[parts[i].spot];
        callsites->line = spot->line;
        callsites->discriminator = spot->discriminator;
        if ((status = build_variant(b, spot->name, parts[i].variant, &callsites->callee)))
            return status;
    }
    return BO_OK;
}

/* Makes room for all functions once their sums are known. */
static enum bo_status alloc_instances(struct builder *b, struct bo_arena *arena)
{
    struct autofdo_trees *trees = b->trees;
    uint64_t n_instances = 0, n_records = 0, n_targets = 0;
    for (uint32_t name = 0; autofdo_next_function(trees, &name); name++) {
        const uint32_t root = trees->first_variants[name];
        const uint64_t off = autofdo_entry_off(trees, name);
        if (root == trees->first_variants[name + 1])
            return bo_fail(b->err, BO_CORRUPT, off, "function has no tree");
        const enum bo_status status = autofdo_sum_variant(trees, name, root, 1, b->err);
        if (status)
            return status;
        n_instances += trees->variants[root].sums.n_instances;
        n_records += trees->variants[root].sums.n_records;
        n_targets += trees->variants[root].sums.n_targets;
        if (n_instances + n_records + n_targets > autofdo_max_expanded(trees->in.n))
            return bo_fail(b->err, BO_OVER_LIMIT, off, "trees expand to more than the limit");
    }
    b->records = bo_alloc_array(arena, (size_t)n_records, sizeof *b->records);
    b->targets = bo_alloc_array(arena, (size_t)n_targets, sizeof *b->targets);
    b->callsites = bo_alloc_array(arena, (size_t)n_instances, sizeof *b->callsites);
    return b->records && b->targets && b->callsites ? BO_OK : bo_fail_alloc(b->err, arena);
}

static enum bo_status build_functions(struct builder *b, struct bo_arena *arena,
                                      struct autofdo_model *model)
{
    struct autofdo_trees *trees = b->trees;
    struct autofdo_function *functions =
        bo_alloc_array(arena, trees->n_functions, sizeof *functions);
    if (!functions)
        return bo_fail_alloc(b->err, arena);
    uint32_t i = 0;
    uint64_t least = 0; /* timestamp that is not 0 */
    for (uint32_t name = 0; autofdo_next_function(trees, &name); name++, i++) {
        struct autofdo_function *function = &functions[i];
        b->is_used[name] = true;
        b->counts = autofdo_counts_of(trees, i);
        enum bo_status status = autofdo_timestamp_of(trees, i, &function->timestamp, b->err);
        if (status)
            return status;
        if (function->timestamp && (least == 0 || function->timestamp < least))
            least = function->timestamp;
        if (!autofdo_take_count(&b->counts, &function->head))
            return fail_count(b);
        if ((status = build_variant(b, name, trees->first_variants[name], &function->body)))
            return status;
        if (b->counts.bits.bit != b->counts.end)
            return fail_count(b);
    }
    if (least != trees->first_timestamp)
        return bo_fail(b->err, BO_CORRUPT, autofdo_off_of(trees, &trees->timestamps, 0),
                       "no function has the least timestamp");
    const struct autofdo_bits rest =
        autofdo_bits_of(&trees->counts, trees->count_starts[trees->n_functions]);
    if (autofdo_peek(&rest))
        return bo_fail(b->err, BO_CORRUPT, autofdo_off_of(trees, &trees->counts, rest.bit),
                       "padding is not 0");
    model->n_functions = trees->n_functions;
    model->functions = functions;
    return BO_OK;
}

/* ---- files and leftovers --------------------------------------------------------------------- */

static enum bo_status build_files(struct builder *b, struct bo_arena *arena,
                                  struct autofdo_model *model)
{
    static const uint8_t nothing[1];
    const struct autofdo_trees *trees = b->trees;
    struct autofdo_file *files =
        bo_alloc_array(arena, trees->path_bits ? trees->n_names : 0, sizeof *files);
    bool *is_used = bo_zalloc_array(arena, trees->n_paths, sizeof *is_used);
    if (!files || !is_used)
        return bo_fail_alloc(b->err, arena);
    for (uint32_t name = 0; trees->path_bits && name < trees->n_names; name++) {
        const uint64_t path = autofdo_field(&trees->paths, trees->path_bits, name);
        const uint64_t off =
            autofdo_off_of(trees, &trees->paths, (uint64_t)name * trees->path_bits);
        if (path == 0)
            continue;
        if (path > trees->n_paths + UINT64_C(1))
            return bo_fail(b->err, BO_CORRUPT, off, "path out of range");
        if (trees->first_variants[name] == trees->first_variants[name + 1])
            return bo_fail(b->err, BO_CORRUPT, off, "file of a name that belongs to no function");
        struct autofdo_file *file = &files[model->n_files++];
        file->name = name_of(trees, name);
        file->path = (struct bo_span){nothing, 0};
        if (path > 1) {
            file->path = name_of(trees, trees->n_names + (uint32_t)path - 2);
            is_used[path - 2] = true;
        }
    }
    model->files = files;
    for (uint32_t i = 0; i < trees->n_paths; i++)
        if (!is_used[i])
            return bo_fail(b->err, BO_CORRUPT, autofdo_off_of(trees, &trees->paths, 0),
                           "path is used by no function");
    return trees->path_bits == 0 || model->n_files
               ? BO_OK
               : bo_fail(b->err, BO_CORRUPT, 4, "path fields have bits, but there are no paths");
}

/* Everything in the file must be reachable from the functions. */
static enum bo_status check_use(struct builder *b, struct bo_arena *arena)
{
    const struct autofdo_trees *trees = b->trees;
    const uint64_t off = autofdo_off_of(trees, &trees->structure, 0);
    bool *is_present = bo_zalloc_array(arena, trees->n_spots, sizeof *is_present);
    if (!is_present)
        return bo_fail_alloc(b->err, arena);
    for (uint32_t i = 0; i < trees->n_parts; i++)
        is_present[trees->parts[i].spot] = true;
    for (uint32_t i = 0; i < trees->n_spots; i++) {
        if (!is_present[i])
            return bo_fail(b->err, BO_CORRUPT, off, "place belongs to no variant");
        if (trees->spots[i].kind != AUTOFDO_RECORD)
            b->is_used[trees->spots[i].name] = true;
    }
    for (uint32_t i = 0; i < trees->n_names; i++)
        if (!b->is_used[i])
            return bo_fail(b->err, BO_CORRUPT, off,
                           "name belongs to no function, target or callee");
    for (uint32_t i = 0; i < trees->first_variants[trees->n_names]; i++)
        if (trees->variants[i].sums.n_instances == 0)
            return bo_fail(b->err, BO_CORRUPT, off, "variant is not part of any function");
    return BO_OK;
}

/* Queries use the stored summary without a check, so it must be correct. */
static enum bo_status check_summary(const struct builder *b, const struct autofdo_model *model,
                                    struct bo_arena *arena)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct autofdo_summary summary;
    const enum bo_status status = autofdo_summarize(model, arena, &summary, b->err);
    bo_arena_rewind(arena, mark);
    if (!status && memcmp(&summary, &b->trees->summary, sizeof summary) != 0)
        return bo_fail(b->err, BO_CORRUPT, b->trees->summary_off,
                       "summary disagrees with the counts");
    return status;
}

enum bo_status autofdo_decode_trees(struct bo_span in, const struct autofdo_strings *kind,
                                    struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct builder b = {.err = err};
    enum bo_status status = autofdo_open_trees(in, kind, arena, &b.trees, err);
    if (status || (status = autofdo_read_all(b.trees, err)))
        return status;
    struct autofdo_model *model = bo_zalloc_array(arena, 1, sizeof *model);
    b.is_used = bo_zalloc_array(arena, b.trees->n_names, sizeof *b.is_used);
    if (!model || !b.is_used)
        return bo_fail_alloc(err, arena);
    if ((status = alloc_instances(&b, arena)) || (status = build_functions(&b, arena, model)) ||
        (status = build_files(&b, arena, model)) || (status = check_use(&b, arena)) ||
        (status = check_summary(&b, model, arena)))
        return status;
    *model_ret = model;
    return BO_OK;
}
