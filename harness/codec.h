/*
 * What a codec is: one encoding of a format, and the code that reads it.
 *
 * The contract, which the generic checks (check.h) and the fuzzers enforce:
 *   - decode(encode(model)) equals the model (or what `reduce` leaves of it); encoding gives the
 *     same bytes on every machine;
 *   - after open has returned BO_OK, no query touches memory outside the input, whatever it holds;
 *   - what decode rejects, open rejects, too. A lazy codec may open it; each query then ends in an
 *     error or in an answer, and the answer does not depend on the queries before;
 *   - all memory comes from the arena passed in; nothing is printed, aborted or kept in globals;
 *   - work is linear in the input (queries: in the record that they read).
 */
#ifndef BO_CODEC_H
#define BO_CODEC_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"

/* The role of a codec in a comparison. */
enum bo_role {
    BO_STATUS_QUO, /* what the field uses today */
    BO_PROPOSED,   /* what the format's seed document proposes */
    BO_CONTROL,    /* a baseline: the limit of the hardware, or what an hour of work would give */
    BO_NEW,        /* bakeoff's own */
};

/* The smallest part of the payload that must be read for one answer. */
enum bo_access {
    BO_RANDOM, /* one answer; no general-purpose compressor */
    BO_BLOCK,  /* one block */
    BO_WHOLE,  /* everything */
};

struct bo_codec {
    const char *name;    /* "linear-index" */
    const char *summary; /* one line */
    const char *spec;    /* where the layout is specified */
    /* if this codec reads the bytes of another codec, the name of that codec; else NULL */
    const char *reads;
    /*
     * If this codec is a level of another codec, the name of that codec; else NULL. A level has an
     * encoder of its own, which writes the same layout with other choices. Everything else is
     * shared.
     */
    const char *level_of;
    enum bo_role role;
    enum bo_access access;
    /*
     * open reads only what it needs, so its cost does not grow with the document. Damage elsewhere
     * is an error of a query that reads it, or is not noticed: only decode checks all rules.
     */
    bool lazy;
    /*
     * Answers for absent keys may be wrong, with a probability that `spec` states. Such a codec is
     * ranked only among codecs of its kind.
     */
    bool probabilistic;
    /*
     * Built only if its library is installed (struct bo_optional). Golden files and the numbers of
     * encodings in fuzz targets leave it out, so these are the same in every build. A build that
     * has it and in which it is bakeoff's own (BO_NEW) also fuzzes it, with some inputs.
     */
    bool optional;
    /*
     * What an encoder may choose freely: "which shapes are in the dictionary". NULL: the encoding
     * is canonical. One model then has exactly one encoding, and decode rejects all other bytes.
     */
    const char *choices;
    /*
     * A reader keeps what it has read for later queries, up to arena->keep_nbytes. It must give
     * correct answers for every value of keep_nbytes, including 0.
     */
    bool keeps;
    unsigned kinds; /* bit k is set if the codec answers the format's query kind k natively */
    unsigned paths; /* code for processor levels: BO_PATH_... (core/cpu.h); 0: portable */

    /*
     * The functions receive the codec on which they are called, so several codecs can share them.
     * Only these functions read `own`, which distinguishes the codecs that share them.
     */
    const void *own;

    /*
     * The part of a model that the encoding holds, for an encoding that cannot hold everything:
     * some fields are left out or numbers are rounded. decode(encode(model)) equals this part, and
     * queries answer from it. NULL: the encoding holds everything. The result may point into the
     * model.
     */
    enum bo_status (*reduce)(const struct bo_codec *self, const void *model, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

    /*
     * Appends the model's encoding to `out` and marks its sections. Scratch memory comes from
     * out->arena. BO_UNSUPPORTED when the encoding cannot hold this model. A codec that `reads` the
     * bytes of another has the encoder of that one.
     */
    enum bo_status (*encode)(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err);

    /* Decodes the whole model into `arena`. The model may point into `in`. */
    enum bo_status (*decode)(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err);

    /*
     * Makes a reader in `arena` that answers queries from `in`; both must outlive it. Queries may
     * take scratch memory from `arena` and must release it before they return.
     */
    enum bo_status (*open)(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err);

    /*
     * Answers n queries of one kind, in order and independently of each other. Looking ahead in the
     * batch is not allowed: the batch exists only to make call overhead negligible. For a kind with
     * a fixed answer size, `answers` is an array of n answers; for a variable size it is a struct
     * bo_sink. BO_OUT_OF_RANGE when a query is out of range, BO_OVER_LIMIT when a sink is full,
     * an error when a lazy codec reads bad bytes; the answers are then unspecified. An error of the
     * bytes is stored in *err (which may be NULL). A query out of range and a full sink store
     * nothing there: a caller that gives the sink more room can so distinguish a full sink from
     * bytes that exceed a limit.
     */
    enum bo_status (*query)(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err);
};

/*
 * The destination of answers of variable size. They are appended one after the other, each in the
 * kind's documented layout. After BO_OVER_LIMIT, n is unspecified: a caller that tries again with
 * more room sets it to its value before the query.
 */
struct bo_sink {
    uint8_t *p;    /* aligned to 8 bytes */
    size_t n, cap; /* bytes */
};

/* Room for nbytes of answer, or NULL. The caller then returns BO_OVER_LIMIT. */
static inline void *bo_sink_take(struct bo_sink *sink, uint64_t nbytes)
{
    if (nbytes > sink->cap - sink->n)
        return NULL;
    void *p = sink->p + sink->n;
    sink->n += (size_t)nbytes;
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
