/*
 * <format>_model: the input is the entropy of a model, which must pass every check with every
 * codec.
 *
 * Input: the generator's entropy, then N_PARAMS bytes: the seed of what is sampled, how many small
 * changes are made to the model, and their entropy.
 */
#include "fuzz/target.h"

enum { MAX_MUTATIONS = 3, N_PARAMS = 2 + 8 * MAX_MUTATIONS };

static const void *mutate(const void *model, struct bo_random *params, struct bo_arena *arena)
{
    struct bo_error err = {0};
    void *changed;
    if (fuzz_format->mutate(model, params, arena, &changed, &err))
        bo_fuzz_report_status(fuzz_format, "format", "mutate-fails", &err);
    return changed;
}

static void check_all(const void *model, const struct bo_effort *effort)
{
    for (const struct bo_codec *const *codec = fuzz_format->codecs; *codec; codec++) {
        if ((*codec)->optional)
            continue;
        for (const struct bo_check *check = bo_checks; check->name; check++) {
            const struct bo_check_result result = check->run(fuzz_format, *codec, model, effort);
            if (result.outcome == BO_FAIL)
                bo_fuzz_report(&result.finding);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    struct bo_span entropy = {data, nbytes};
    struct bo_random params = bo_fuzz_take_params(&entropy, N_PARAMS);
    const struct bo_effort effort = bo_fuzz_effort(1u + bo_random_u8(&params));
    struct bo_arena arena;
    bo_arena_init(&arena, effort.budget_nbytes);
    const void *model = bo_fuzz_generate(fuzz_format, entropy, &arena);
    for (uint32_t left = bo_random_below(&params, MAX_MUTATIONS + 1); left; left--)
        model = mutate(model, &params, &arena);
    check_all(model, &effort);
    bo_arena_free(&arena);
    return 0;
}
