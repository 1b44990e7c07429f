/* Answers from a file of shared trees. */
#include "codecs/autofdo/shared_trees/shared_trees.h"

/* ---- visiting a function --------------------------------------------------------------------- */

struct visit {
    struct autofdo_trees *trees;
    struct autofdo_count_reader counts;
    struct autofdo_digest digest;
    struct bo_sink *sink; /* for targets; may be NULL */
    struct bo_error *err;
};

static enum bo_status fail_count(const struct visit *visit)
{
    return bo_fail(visit->err, BO_CORRUPT,
                   autofdo_off_of(visit->trees, &visit->trees->counts, visit->counts.bits.bit),
                   "count is not a valid code");
}

static enum bo_status name_hash(struct visit *visit, uint32_t name, uint64_t *hash_ret)
{
    uint64_t *hash = &visit->trees->hashes[name];
    if (*hash == 0) {
        struct bo_span string;
        const enum bo_status status = autofdo_string(visit->trees, name, &string, visit->err);
        if (status)
            return status;
        *hash = autofdo_hash_name(string);
    }
    *hash_ret = *hash;
    return BO_OK;
}

static enum bo_status tell_target(struct visit *visit, uint32_t name, uint64_t count)
{
    struct bo_span string;
    const enum bo_status status = autofdo_string(visit->trees, name, &string, visit->err);
    if (status)
        return status;
    const size_t room = (string.n + 7) / 8 * 8;
    struct autofdo_found *found = bo_sink_take(visit->sink, sizeof *found + room);
    if (!found)
        return BO_OVER_LIMIT;
    *found = (struct autofdo_found){count, string.n};
    memset((uint8_t *)(found + 1) + room - 8, 0, 8); /* a name is not empty */
    memcpy(found + 1, string.p, string.n);
    return BO_OK;
}

static enum bo_status visit_own(struct visit *visit, const struct autofdo_spot *spot)
{
    uint64_t *hash = &visit->digest.hash, count, target;
    if (!autofdo_take_count(&visit->counts, &count))
        return fail_count(visit);
    if (spot->kind == AUTOFDO_RECORD) {
        visit->digest.n_records++;
        autofdo_visit_record(hash, spot->line, spot->discriminator, count);
        return BO_OK;
    }
    visit->digest.n_targets++;
    enum bo_status status = name_hash(visit, spot->name, &target);
    if (status)
        return status;
    autofdo_visit_target(hash, target, count);
    return visit->sink ? tell_target(visit, spot->name, count) : BO_OK;
}

/* The variant's sums are known, so all of it has been read, and it is not too deep. */
static enum bo_status visit_variant(struct visit *visit, uint32_t name, uint32_t number)
{
    const struct autofdo_trees *trees = visit->trees;
    const struct autofdo_variant *variant = &trees->variants[number];
    const struct autofdo_part *parts = trees->parts + variant->first_part;
    uint64_t own;
    enum bo_status status = name_hash(visit, name, &own);
    if (status)
        return status;
    visit->digest.n_instances++;
    autofdo_visit_instance(&visit->digest.hash, own);
    for (uint32_t i = 0; i < variant->n_own; i++)
        if ((status = visit_own(visit, &trees->spots[parts[i].spot])))
            return status;
    for (uint32_t i = variant->n_own; i < variant->n_parts; i++) {
        const struct autofdo_spot *spot = &trees->spots[parts[i].spot];
        autofdo_visit_callsite(&visit->digest.hash, spot->line, spot->discriminator);
        if ((status = visit_variant(visit, spot->name, parts[i].variant)))
            return status;
    }
    autofdo_visit_end(&visit->digest.hash);
    return BO_OK;
}

/*
 * The function of this name, which is the i-th; targets go to the sink when there is one.
 * *n_left_ref is how much the functions of one query may still expand to.
 */
static enum bo_status visit_function(struct autofdo_trees *trees, uint32_t name, uint32_t i,
                                     uint64_t *n_left_ref, struct bo_sink *sink,
                                     struct autofdo_answer *answer, struct bo_error *err)
{
    struct visit visit = {trees, autofdo_counts_of(trees, i), {.n_functions = 1}, sink, err};
    const uint32_t root = trees->first_variants[name];
    enum bo_status status = autofdo_timestamp_of(trees, i, &answer->timestamp, err);
    if (status)
        return status;
    if (root == trees->first_variants[name + 1])
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->structure, 0),
                       "function has no tree");
    if ((status = autofdo_sum_variant(trees, name, root, 1, err)))
        return status;
    const struct autofdo_sums *sums = &trees->variants[root].sums;
    const uint64_t n = (uint64_t)sums->n_instances + sums->n_records + sums->n_targets;
    if (n > *n_left_ref)
        return bo_fail(err, BO_OVER_LIMIT, autofdo_entry_off(trees, name),
                       "trees expand to more than the limit");
    *n_left_ref -= n;
    if (!autofdo_take_count(&visit.counts, &answer->head))
        return fail_count(&visit);
    autofdo_visit_head(&visit.digest.hash, answer->head, answer->timestamp);
    if ((status = visit_variant(&visit, name, root)))
        return status;
    if (visit.counts.bits.bit != visit.counts.end)
        return fail_count(&visit);
    answer->digest = visit.digest;
    answer->n_targets = visit.digest.n_targets;
    return BO_OK;
}

/* ---- looking up ------------------------------------------------------------------------------ */

/*
 * Looks up a string among those from `first` up to `end`; *found_ret is `end` if it is absent. The
 * first strings of blocks are compared before the others of one block. Which strings are decoded
 * already changes nothing: in a damaged file, too, the result depends on the string alone.
 */
static enum bo_status find_string(struct autofdo_trees *trees, struct bo_span sought,
                                  uint32_t first, uint32_t end, uint32_t *found_ret,
                                  struct bo_error *err)
{
    const uint32_t block_strings = trees->kind->block_strings, first_block = first / block_strings;
    uint32_t block = first_block, end_block = first == end ? block : (end - 1) / block_strings + 1;
    struct bo_span string;
    enum bo_status status;
    *found_ret = end;
    /* The first block that starts after the sought string is among those from `block` on. */
    while (block < end_block) {
        const uint32_t middle = block + (end_block - block) / 2;
        const uint32_t at = middle == first_block ? first : middle * block_strings;
        if ((status = autofdo_string(trees, at, &string, err)))
            return status;
        const int order = bo_span_compare(sought, string);
        if (order == 0) {
            *found_ret = at;
            return BO_OK;
        }
        if (order < 0)
            end_block = middle;
        else
            block = middle + 1;
    }
    if (block == first_block)
        return BO_OK;
    const uint64_t block_end = (uint64_t)block * block_strings;
    uint32_t high = block_end < end ? (uint32_t)block_end : end;
    uint32_t low = 1 + (block - 1 == first_block ? first : (block - 1) * block_strings);
    if (low < high && (status = autofdo_string(trees, high - 1, &string, err)))
        return status; /* all strings before it in the block are decoded as well */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct autofdo_text *text = &trees->texts[middle];
        const int order =
            bo_span_compare(sought, (struct bo_span){trees->text + text->off, text->n});
        if (order == 0) {
            *found_ret = middle;
            return BO_OK;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return BO_OK;
}

static enum bo_status answer_function(struct autofdo_trees *trees,
                                      const struct autofdo_name_query *query, struct bo_sink *sink,
                                      struct bo_error *err)
{
    uint32_t name, i;
    struct autofdo_answer *answer = bo_sink_take(sink, sizeof *answer);
    if (!answer)
        return BO_OVER_LIMIT;
    *answer = (struct autofdo_answer){0};
    const enum bo_status status = find_string(trees, query->name, 0, trees->n_names, &name, err);
    if (status || name == trees->n_names || !autofdo_function_of(trees, name, &i))
        return status;
    uint64_t n_left = autofdo_max_expanded(trees->in.n);
    return visit_function(trees, name, i, &n_left, sink, answer, err);
}

static void add_digest(struct autofdo_digest *sum, const struct autofdo_digest *digest)
{
    sum->n_functions += digest->n_functions;
    sum->n_instances += digest->n_instances;
    sum->n_records += digest->n_records;
    sum->n_targets += digest->n_targets;
    sum->hash += digest->hash;
}

/* All functions whose path has one of these numbers; all functions if `every`. */
static enum bo_status answer_some(struct autofdo_trees *trees, bool every, uint64_t path,
                                  uint64_t other_path, struct autofdo_digest *digest,
                                  struct bo_error *err)
{
    uint32_t i = 0;
    uint64_t n_left = autofdo_max_expanded(trees->in.n);
    *digest = (struct autofdo_digest){0};
    for (uint32_t name = 0; autofdo_next_function(trees, &name); name++, i++) {
        struct autofdo_answer answer;
        const uint64_t own = every ? 0 : autofdo_field(&trees->paths, trees->path_bits, name);
        if (!every && own != path && own != other_path)
            continue;
        const enum bo_status status = visit_function(trees, name, i, &n_left, NULL, &answer, err);
        if (status)
            return status;
        add_digest(digest, &answer.digest);
    }
    return BO_OK;
}

static enum bo_status answer_tu(struct autofdo_trees *trees, const struct autofdo_path_query *query,
                                struct autofdo_digest *digest, struct bo_error *err)
{
    const uint32_t end = trees->n_names + trees->n_paths;
    uint32_t found;
    *digest = (struct autofdo_digest){0};
    if (query->path.n == 0)
        return answer_some(trees, false, 0, 1, digest, err);
    const enum bo_status status = find_string(trees, query->path, trees->n_names, end, &found, err);
    if (status || found == end)
        return status;
    const uint64_t path = found - trees->n_names + UINT64_C(2);
    return answer_some(trees, false, path, path, digest, err);
}

enum bo_status autofdo_query_trees(const struct bo_codec *self, void *reader, unsigned kind,
                                   const void *queries, size_t n, void *answers,
                                   struct bo_error *err)
{
    struct autofdo_trees *trees = reader;
    const struct autofdo_name_query *names = queries;
    const struct autofdo_path_query *paths = queries;
    struct autofdo_digest *digests = answers;
    struct autofdo_summary *summaries = answers;
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        switch ((enum autofdo_query_kind)kind) {
        case AUTOFDO_SUMMARY:
            summaries[i] = trees->summary;
            break;
        case AUTOFDO_FUNCTION:
            status = answer_function(trees, &names[i], answers, err);
            break;
        case AUTOFDO_TU:
            status = answer_tu(trees, &paths[i], &digests[i], err);
            break;
        case AUTOFDO_SCAN:
            status = answer_some(trees, true, 0, 0, &digests[i], err);
            break;
        case AUTOFDO_N_KINDS:
            return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "unknown query kind");
        }
    return status;
}
