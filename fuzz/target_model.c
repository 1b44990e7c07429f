/*
 * <format>_model: the input is the entropy of a model, which must pass every check with one
 * encoding and its readers. Since each codec is compared with the oracle, all of them agree. With
 * all of a format's thirty codecs, an engine would run only ten models a second.
 *
 * Input: the generator's entropy, then N_PARAMS bytes: the encoding and the seed of the samples,
 * the number of small changes to the model, and their entropy.
 */
#include "fuzz/target.h"

enum { MAX_MUTATIONS = 3, N_PARAMS = 2 + 8 * MAX_MUTATIONS };

static const void *mutate(const void *model, struct bo_random *params, struct bo_arena *arena)
{
    struct bo_error err = {0};
    void *changed;
    if (bo_fuzz_format->mutate(model, params, arena, &changed, &err))
        bo_fuzz_report_status(bo_fuzz_format, "format", "mutate-fails", &err);
    return changed;
}

static void check_codec(const struct bo_codec *codec, const void *model,
                        const struct bo_effort *effort)
{
    bool accepted = false;
    for (const struct bo_check *check = bo_checks; check->name; check++) {
        const struct bo_check_result result = check->run(bo_fuzz_format, codec, model, effort);
        if (result.outcome == BO_FAIL)
            bo_fuzz_report(&result.finding);
        accepted |= result.outcome == BO_PASS;
    }
    bo_fuzz_count(bo_fuzz_format, codec, accepted);
}

/* Checks an encoding, all its readers and levels. */
static void check_encoding(const struct bo_codec *encoding, const void *model,
                           struct bo_effort effort)
{
    struct bo_shared_encoding shared = {0};
    for (const struct bo_codec *const *codec = bo_fuzz_format->codecs; *codec; codec++)
        if (bo_layout_of(bo_fuzz_format, *codec) == encoding) {
            bo_share_encoding(&shared, bo_fuzz_format, *codec, model, &effort);
            check_codec(*codec, model, &effort);
        }
    bo_shared_encoding_free(&shared);
}

/* A query may decode the whole model, so a large one gets fewer. */
static void limit_work(struct bo_effort *effort, size_t model_nbytes)
{
    enum { FULL_NBYTES = 16384, MIN_QUERIES = 16 };
    if (model_nbytes > FULL_NBYTES)
        effort->max_queries = effort->max_queries * FULL_NBYTES / model_nbytes + MIN_QUERIES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    struct bo_span entropy = {data, nbytes};
    struct bo_random params = bo_fuzz_take_params(&entropy, N_PARAMS);
    const uint8_t choice = bo_random_u8(&params);
    struct bo_effort effort = bo_fuzz_effort(1u + choice);
    const struct bo_codec *encoding =
        bo_fuzz_encoding(bo_fuzz_format, choice % bo_fuzz_n_encodings(bo_fuzz_format), nbytes);
    struct bo_arena arena;
    bo_arena_init(&arena, effort.budget_nbytes);
    const void *model = bo_fuzz_generate(bo_fuzz_format, entropy, &arena);
    bo_fuzz_show("generated", model);
    for (uint32_t left = bo_random_below(&params, MAX_MUTATIONS + 1); left; left--) {
        model = mutate(model, &params, &arena);
        bo_fuzz_show("mutated", model);
    }
    limit_work(&effort, arena.region_nbytes);
    check_encoding(encoding, model, effort);
    bo_arena_free(&arena);
    return 0;
}
