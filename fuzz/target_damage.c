/*
 * <format>_damage: damages a valid encoding of a generated model, and passes it to all its readers.
 *
 * Input: the generator's entropy, then N_PARAMS bytes: the encoding, the number of operators, and
 * their entropy.
 */
#include "fuzz/operators.h"
#include "fuzz/target.h"

/* GROWTH: the number of bytes that the operators may add to an encoding. */
enum { MAX_OPERATORS = 3, N_PARAMS = 2 + 12 * MAX_OPERATORS, GROWTH = 512 };

/* Damages the encoding of nbytes in `out` in place; GROWTH bytes of room follow it. */
static struct bo_span damage(struct bo_writer *out, size_t nbytes, struct bo_random *params)
{
    struct bo_fuzz_buffer buffer = {.p = out->p,
                                    .n = nbytes,
                                    .cap = nbytes + GROWTH,
                                    .marks = out->marks,
                                    .n_marks = out->n_marks};
    for (uint32_t left = 1 + bo_random_below(params, MAX_OPERATORS); left; left--)
        bo_fuzz_apply_operator(BO_FUZZ_ENCODING, &buffer, params);
    return (struct bo_span){buffer.p, buffer.n};
}

/* A model may be too large for an encoding or for the budget. Any other refusal is a finding. */
static bool encode(const struct bo_codec *encoding, const void *model, struct bo_writer *out)
{
    struct bo_error err = {0};
    const enum bo_status status = encoding->encode(encoding, model, out, &err);
    if (status && status != BO_UNSUPPORTED && status != BO_OVER_LIMIT)
        bo_fuzz_report_status(bo_fuzz_format, encoding->name, "encode-fails", &err);
    return status == BO_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    struct bo_span entropy = {data, nbytes};
    struct bo_random params = bo_fuzz_take_params(&entropy, N_PARAMS);
    const uint32_t choice = bo_random_below(&params, bo_fuzz_n_encodings(bo_fuzz_format));
    const struct bo_codec *encoding = bo_fuzz_encoding(bo_fuzz_format, choice, nbytes);
    const struct bo_effort effort = bo_fuzz_effort(1);
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, effort.budget_nbytes);
    bo_writer_init(&out, &arena);
    const void *model = bo_fuzz_generate(bo_fuzz_format, entropy, &arena);
    bo_fuzz_show("generated", model);
    if (encode(encoding, model, &out)) {
        const size_t encoded_nbytes = out.n;
        if (bo_put_space(&out, GROWTH))
            bo_fuzz_offer(bo_fuzz_format, encoding, damage(&out, encoded_nbytes, &params), model,
                          &effort);
    }
    bo_writer_free(&out);
    bo_arena_free(&arena);
    return 0;
}
