/*
 * The generic checks: properties that every codec of every format must have. Tests, fuzzers and
 * `bakeoff verify` all call these, so each property is stated once.
 */
#ifndef BO_CHECK_H
#define BO_CHECK_H

#include "harness/format.h"

/*
 * A failed property, and the two sides that disagree. All strings but `detail` are static or belong
 * to the format.
 */
struct bo_finding {
    const char *format;
    const char *kind;  /* the query kind, or "-" */
    const char *a, *b; /* a codec, and the other side: "oracle", "itself" or another codec */
    const char
        *class;       /* "round-trip", "wrong-answer", "accepts-garbage", ...; part of the bucket */
    char detail[240]; /* for people: the query, the offset */
    /* both answers to the query as text, one line each; empty without a query */
    char answers[1024];
};

enum bo_outcome { BO_PASS, BO_FAIL, BO_SKIP };

/* How much a check does. Start from bo_effort_default(). A 0 means none, not all. */
struct bo_effort {
    uint64_t seed; /* for all random samples */
    /* per query kind: all queries if there are no more than this, else a sample of this size */
    uint64_t max_queries;
    /* in encodings up to this size, every prefix is tried and every byte is changed */
    size_t max_damage_full;
    size_t n_damage_sample; /* samples of each in larger encodings, fewer the larger they are */
    size_t budget_nbytes;   /* arena budget of every call */
    bool budget_is_ample;   /* decode, open and queries of any bytes must stay within it */
    uint64_t max_failures;  /* allocation failures to inject, from the first allocation on */
    bool whole; /* large documents get as many damaged copies and failures per byte as small ones */
    /*
     * the codec's encoding of the model, if the caller has it; p is NULL if the check must encode
     */
    struct bo_span encoding;
};

struct bo_effort bo_effort_default(void);

struct bo_check_result {
    enum bo_outcome outcome;
    uint64_t n_cases;          /* queries run, damaged inputs offered, ... */
    const char *why_skipped;   /* static; for BO_SKIP */
    struct bo_finding finding; /* for BO_FAIL */
};

/* A property of one codec on one model. */
struct bo_check {
    const char *name, *summary;
    struct bo_check_result (*run)(const struct bo_format *format, const struct bo_codec *codec,
                                  const void *model, const struct bo_effort *effort);
};

extern const struct bo_check bo_checks[]; /* ends with a NULL name */

/* The check of this name, which must exist. */
const struct bo_check *bo_find_check(const char *name);

/* One encoding of a model, for all checks of the codecs that write it. Starts as {0}. */
struct bo_shared_encoding {
    const struct bo_codec *writer; /* NULL: no encoding */
    const void *model;
    struct bo_arena arena;
    struct bo_writer bytes;
};

/*
 * Sets effort->encoding to the codec's encoding of the model. Encodes unless the previous codec
 * wrote the same bytes with the same functions. If encoding fails, effort->encoding.p is NULL, and
 * each check reports the failure. Valid until the next call with another codec or model.
 */
void bo_share_encoding(struct bo_shared_encoding *shared, const struct bo_format *format,
                       const struct bo_codec *codec, const void *model, struct bo_effort *effort);
void bo_shared_encoding_free(struct bo_shared_encoding *shared);

/*
 * Offers arbitrary bytes to every reader of one encoding: `codec` and the codecs that read its
 * bytes. Each open, decode and query must end in BO_OK or a named error, also when repeated. All
 * readers must agree on whether the bytes are accepted (the open of a lazy codec may accept more
 * than its decode). Queries on accepted bytes must give the oracle's answers on the decoded model.
 * Accepted bytes must encode and decode again to the same model; if the encoding is canonical
 * (bo_codec.choices), to the same bytes. *accepted_ret (may be NULL) says whether the bytes were
 * accepted. False, with *finding filled, when a property failed.
 */
bool bo_check_bytes(const struct bo_format *format, const struct bo_codec *codec, struct bo_span in,
                    const struct bo_effort *effort, bool *accepted_ret, struct bo_finding *finding);

/*
 * Offers arbitrary bytes to the parser of the format's text form, which must end in BO_OK or a
 * named error. An accepted text must print, and parse again to the same model.
 */
bool bo_check_text(const struct bo_format *format, struct bo_span text,
                   const struct bo_effort *effort, bool *accepted_ret, struct bo_finding *finding);

/*
 * Queries drawn from the model before its bytes were damaged. They are run on lazy readers of bytes
 * that decode rejects, together with queries made from words of these bytes.
 */
struct bo_probes {
    const uint8_t *queries[BO_MAX_KINDS]; /* by kind */
    size_t n[BO_MAX_KINDS];
};

/* Draws probes into `arena`, as many as fit. */
void bo_probes_draw(const struct bo_format *format, const void *model, struct bo_arena *arena,
                    struct bo_probes *probes);

enum { BO_N_EXTREMES = 4, BO_MAX_EXTREME_NBYTES = 10 };

/*
 * Copies bytes to copy[0, in.n + BO_MAX_EXTREME_NBYTES), with a number near a limit instead of the
 * byte (as a varint) or the four bytes at `at` < in.n: a count or a size may be announced there.
 */
struct bo_span bo_with_extreme(struct bo_span in, size_t at, unsigned way, uint8_t *copy);

/* The same for bytes that already end at a guard page. probes may be NULL. */
bool bo_check_bytes_in_place(const struct bo_format *format, const struct bo_codec *codec,
                             struct bo_span in, const struct bo_probes *probes,
                             const struct bo_effort *effort, bool *accepted_ret,
                             struct bo_finding *finding);

/* Prints one line: `BAKEOFF-DIFF format= kind= a= b= class=`, then the detail. */
void bo_finding_print(const struct bo_finding *finding, struct bo_writer *out);

#endif
