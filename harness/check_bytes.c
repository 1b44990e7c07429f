/* Arbitrary bytes, offered to every reader of an encoding. */
#include <stdio.h>

#include "harness/contest.h"
#include "harness/guard.h"
#include "harness/registry.h"

/* What one reader made of the bytes. */
struct reception {
    enum bo_status open, decode;
    struct bo_error open_error, decode_error;
    void *reader, *model;
};

static bool same_verdict(enum bo_status a, enum bo_status b)
{
    const bool memory = a == BO_OVER_LIMIT || b == BO_OVER_LIMIT;
    return memory || (a == BO_OK) == (b == BO_OK);
}

static bool receive(const struct bo_format *format, const struct bo_codec *codec, struct bo_span in,
                    struct bo_arena *arena, struct reception *r, struct bo_finding *finding)
{
    *r = (struct reception){BO_OK, BO_OK, {0}, {0}, NULL, NULL};
    r->open = codec->open(in, arena, &r->reader, &r->open_error);
    r->decode = codec->decode(in, arena, &r->model, &r->decode_error);
    if ((r->open && !bo_well_told(r->open, &r->open_error)) ||
        (r->decode && !bo_well_told(r->decode, &r->decode_error))) {
        bo_finding_set(finding, format, NULL, codec, "itself", "unnamed-error");
        return false;
    }
    if (!same_verdict(r->open, r->decode)) {
        bo_finding_set(finding, format, NULL, codec, "itself", "open-decode-disagree");
        bo_finding_explain(finding, r->open ? "open refuses" : "decode refuses",
                           r->open ? &r->open_error : &r->decode_error);
        return false;
    }
    return true;
}

/* What was decoded encodes again, and then decodes to the same. */
static bool survives_again(const struct bo_format *format, const struct bo_codec *codec,
                           const void *model, const struct bo_effort *effort,
                           struct bo_finding *finding)
{
    struct bo_arena arena;
    struct bo_writer again;
    struct bo_error error = {0};
    void *model_again = NULL;
    bo_arena_init(&arena, effort->budget_nbytes);
    bo_writer_init(&again, &arena);
    enum bo_status status = codec->encode(model, &again, &error);
    if (!status)
        status = codec->decode(bo_writer_span(&again), &arena, &model_again, &error);
    const char *difference = status ? NULL : format->differ(model, model_again);
    if (status && status != BO_OVER_LIMIT) {
        bo_finding_set(finding, format, NULL, codec, "itself", "decoded-does-not-encode");
        bo_finding_explain(finding, "what was decoded", &error);
    } else if (difference) {
        bo_finding_set(finding, format, NULL, codec, "itself", "decoded-changes");
        if (finding)
            snprintf(finding->detail, sizeof finding->detail, "%s", difference);
    }
    bo_writer_free(&again);
    bo_arena_free(&arena);
    return (!status || status == BO_OVER_LIMIT) && !difference;
}

/*
 * What was decoded keeps the format's rules: its text form parses, to the same model. A codec that
 * skips a rule agrees with itself about the nonsense that it took; the parser does not.
 */
static bool keeps_the_rules(const struct bo_format *format, const struct bo_codec *codec,
                            const void *model, const struct bo_effort *effort,
                            struct bo_finding *finding)
{
    struct bo_arena arena;
    struct bo_writer text;
    struct bo_error error = {0};
    void *parsed = NULL;
    bo_arena_init(&arena, effort->budget_nbytes);
    bo_writer_init(&text, &arena);
    enum bo_status status = format->print(model, &text, &error);
    if (!status)
        status = format->parse(bo_writer_span(&text), &arena, &parsed, &error);
    const char *difference = status ? NULL : format->differ(model, parsed);
    const bool kept = status == BO_OVER_LIMIT || (!status && !difference);
    if (!kept) {
        bo_finding_set(finding, format, NULL, codec, "text", "accepts-garbage");
        if (status)
            bo_finding_explain(finding, "the text of what was decoded", &error);
        else if (finding)
            snprintf(finding->detail, sizeof finding->detail, "%s", difference);
    }
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return kept;
}

static bool check_guarded_bytes(const struct bo_format *format, const struct bo_codec *codec,
                                struct bo_span in, struct bo_arena *arena,
                                const struct bo_effort *effort, bool *accepted_ret,
                                struct bo_finding *finding)
{
    struct reception main, other;
    if (!receive(format, codec, in, arena, &main, finding))
        return false;
    *accepted_ret = main.open == BO_OK && main.decode == BO_OK;
    if (*accepted_ret && (!keeps_the_rules(format, codec, main.model, effort, finding) ||
                          !survives_again(format, codec, main.model, effort, finding)))
        return false;
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        if (bo_encoding_of(format, *c) != codec)
            continue;
        if (!receive(format, *c, in, arena, &other, finding))
            return false;
        if (!same_verdict(main.open, other.open)) {
            bo_finding_set(finding, format, NULL, codec, (*c)->name, "readers-disagree");
            bo_finding_explain(finding, main.open ? "the first refuses" : "the second refuses",
                               main.open ? &main.open_error : &other.open_error);
            return false;
        }
        const char *difference =
            *accepted_ret && other.decode == BO_OK ? format->differ(main.model, other.model) : NULL;
        if (difference) {
            bo_finding_set(finding, format, NULL, codec, (*c)->name, "readers-disagree");
            bo_finding_explain(finding, "decoded",
                               &(struct bo_error){BO_CORRUPT, BO_NO_OFFSET, difference});
            return false;
        }
        uint64_t n_cases = 0;
        if (*accepted_ret && other.open == BO_OK &&
            !bo_contest_all_kinds(format, *c, main.model, other.reader, arena, effort, &n_cases,
                                  finding))
            return false;
    }
    return true;
}

/* As bo_check_bytes, on bytes that already end at a guard page. */
bool bo_check_bytes_in_place(const struct bo_format *format, const struct bo_codec *codec,
                             struct bo_span in, const struct bo_effort *effort, bool *accepted_ret,
                             struct bo_finding *finding)
{
    struct bo_arena arena;
    bo_arena_init(&arena, effort->budget_nbytes);
    const bool ok = check_guarded_bytes(format, codec, in, &arena, effort, accepted_ret, finding);
    bo_arena_free(&arena);
    return ok;
}

bool bo_check_bytes(const struct bo_format *format, const struct bo_codec *codec, struct bo_span in,
                    const struct bo_effort *effort, bool *accepted_ret, struct bo_finding *finding)
{
    bool accepted = false;
    struct bo_guarded guarded;
    if (!bo_guarded_copy(in, &guarded)) {
        bo_finding_set(finding, format, NULL, codec, "itself", "check-out-of-memory");
        return false;
    }
    const bool ok =
        bo_check_bytes_in_place(format, codec, guarded.span, effort, &accepted, finding);
    if (accepted_ret)
        *accepted_ret = accepted;
    bo_guarded_free(&guarded);
    return ok;
}
