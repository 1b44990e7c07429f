/*
 * What a codec is: one encoding of a format, and the code that reads it.
 *
 * The contract, which the generic checks (check.h) and the fuzzers enforce:
 *   - decode(encode(model)) equals the model (or what `reduce` leaves of it); encoding gives the
 *     same bytes on every machine;
 *   - after open has returned BO_OK, no query touches memory outside the input, whatever it holds;
 *   - what decode refuses, open refuses too, or (a lazy codec) the query that meets it;
 *   - all memory comes from the arena passed in; nothing is printed, aborted or kept in globals;
 *   - work is linear in the input (queries: in the record that they read).
 */
#ifndef BO_CODEC_H
#define BO_CODEC_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"

/* What a codec is in a comparison. */
enum bo_role {
    BO_STATUS_QUO, /* what the field uses today */
    BO_PROPOSED,   /* what the format's seed document proposes */
    BO_CONTROL,    /* a baseline: the limit of the hardware, or what an hour of work would give */
    BO_NEW,        /* bakeoff's own */
};

/* How little can be read to get one answer. */
enum bo_access {
    BO_RANDOM, /* one answer, no general compressor in the way */
    BO_BLOCK,  /* a block at a time */
    BO_WHOLE,  /* everything */
};

struct bo_codec {
    const char *name;    /* "linear-index" */
    const char *summary; /* one line */
    const char *spec;    /* where the layout is specified */
    /* for a second reader of another codec's bytes: that codec's name; else NULL */
    const char *reads;
    enum bo_role role;
    enum bo_access access;
    /*
     * open looks only at what it needs, so that its cost does not grow with the document; damage
     * elsewhere is an error of the query that reads it.
     */
    bool lazy;
    /*
     * Answers about what is absent may be wrong, with a probability that `spec` states. Such a
     * codec is never compared with exact ones.
     */
    bool probabilistic;
    /*
     * Built only where its library is there (struct bo_optional). Golden sizes do not know it, and
     * fuzz targets only when it is ours (BO_NEW), so that both are the same everywhere.
     */
    bool optional;
    /*
     * What an encoder chooses freely: "which shapes are in the dictionary". NULL: the encoding is
     * canonical, one model has one encoding, and decode rejects all other bytes.
     */
    const char *choices;
    /*
     * A reader holds what it has read for later queries, within arena->keep_nbytes. It answers with
     * any value of that, 0 too.
     */
    bool keeps;
    unsigned kinds; /* bit k: answers the format's query kind k natively */
    unsigned paths; /* code for processors of some levels: BO_PATH_... (core/cpu.h); 0: portable */

    /*
     * The functions receive the codec that they are called on, so that codecs can share them. `own`
     * is for these functions alone: what distinguishes this codec from others with the same ones.
     */
    const void *own;

    /*
     * What the encoding holds of a model, where it cannot hold all: fields left out, numbers
     * rounded. decode(encode(model)) equals this, and queries answer from it. NULL: everything. It
     * may point into the model.
     */
    enum bo_status (*reduce)(const struct bo_codec *self, const void *model, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

    /*
     * Appends the model's encoding to `out`, with its sections marked. Scratch memory comes from
     * out->arena. BO_UNSUPPORTED when the encoding cannot hold this model.
     */
    enum bo_status (*encode)(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err);

    /* Rebuilds the whole model in `arena`. The model may point into `in`. */
    enum bo_status (*decode)(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

    /*
     * Makes a reader in `arena` that answers queries from `in`; both must outlive it. Queries may
     * take scratch memory from `arena` and give it back before they return.
     */
    enum bo_status (*open)(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err);

    /*
     * Answers n queries of one kind, each by itself and in order: no looking ahead in the batch,
     * which exists only so that the call costs nothing. For a kind of fixed answer size, `answers`
     * is an array of n; for one of variable size it is a struct bo_sink. BO_OUT_OF_RANGE when a
     * query is out of range, BO_OVER_LIMIT when a sink is full, another error when a
     * lazy codec meets bad bytes; the answers are then unspecified. Only the last kind of error
     * must be stored in *err (which may be NULL).
     */
    enum bo_status (*query)(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err);
};

/*
 * Where answers of variable size go: appended one after the other, each in the kind's documented
 * layout.
 */
struct bo_sink {
    uint8_t *p;
    size_t n, cap; /* bytes */
};

/* Room for nbytes of answer, or NULL (answer BO_OVER_LIMIT then). */
static inline void *bo_sink_take(struct bo_sink *sink, size_t nbytes)
{
    if (nbytes > sink->cap - sink->n)
        return NULL;
    void *p = sink->p + sink->n;
    sink->n += nbytes;
    return p;
}

static inline const char *bo_role_name(enum bo_role role)
{
    static const char *const names[] = {"status quo", "proposed", "control", "new"};
    return names[role];
}

static inline const char *bo_access_name(enum bo_access access)
{
    static const char *const names[] = {"random", "block", "whole"};
    return names[access];
}

#endif
