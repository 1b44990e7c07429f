/*
 * The generic checks: properties that every codec of every format must hold. Tests, fuzzers and
 * `bakeoff verify` all call these, so that a property is stated once.
 */
#ifndef BO_CHECK_H
#define BO_CHECK_H

#include "harness/format.h"

/* What broke, between whom. All strings but `detail` are static or belong to the format. */
struct bo_finding {
    const char *format;
    const char *kind;  /* the query kind, or "-" */
    const char *a, *b; /* a codec, and whom it disagrees with: "oracle", "itself", another codec */
    const char *class
        ; /* "round-trip", "wrong-answer", "accepts-garbage", ...: with the above, the bucket */
    char detail[240];   /* for people: which query, which offset */
    char answers[1024]; /* both answers to the query as text, a line each; empty without a query */
};

enum bo_outcome { BO_PASS, BO_FAIL, BO_SKIP };

/* How hard to look; start from bo_effort_default(). A 0 means none, not all. */
struct bo_effort {
    uint64_t seed; /* of everything sampled */
    /* per query kind: all when there are no more than this, else so many drawn */
    uint64_t max_queries;
    /* encodings up to this many bytes see every prefix and every byte changed */
    size_t max_damage_full;
    size_t n_damage_sample; /* larger ones see at most so many of each, fewer the larger they are */
    size_t budget_nbytes;   /* arena budget of every call */
    uint64_t max_failures;  /* allocation failures injected, from the first on */
    bool whole;             /* large documents are damaged and failed as densely as small ones */
    /*
     * the codec's encoding of the model, where the caller has it; p is NULL where the check encodes
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

/*
 * Offers arbitrary bytes to every reader of one encoding: `codec` and those that read its bytes.
 * Each open, decode and query must end in BO_OK or a named error, however often it is run. All must
 * agree on accepting the bytes (a lazy codec's open may accept more than its decode). Accepted
 * bytes must answer as the oracle does on the decoded model, and must encode and decode again to
 * the same model; in a canonical encoding (bo_codec.choices), to the same bytes. *accepted_ret (may
 * be NULL) says whether the bytes were accepted. False, with *finding filled, when a property
 * broke.
 */
bool bo_check_bytes(const struct bo_format *format, const struct bo_codec *codec, struct bo_span in,
                    const struct bo_effort *effort, bool *accepted_ret, struct bo_finding *finding);

/*
 * Offers arbitrary bytes to the parser of the format's text form, which must end in BO_OK or a
 * named error; what it accepts must print, and parse again to the same model.
 */
bool bo_check_text(const struct bo_format *format, struct bo_span text,
                   const struct bo_effort *effort, bool *accepted_ret, struct bo_finding *finding);

/*
 * Queries of a model that damaged bytes once held. They are run on lazy readers of bytes that
 * decode rejects, besides queries made from words of these bytes.
 */
struct bo_probes {
    const uint8_t *queries[BO_MAX_KINDS]; /* by kind */
    size_t n[BO_MAX_KINDS];
};

/* Draws them into `arena`, as many as it has room for. */
void bo_probes_draw(const struct bo_format *format, const void *model, struct bo_arena *arena,
                    struct bo_probes *probes);

/* The same on bytes that already end at a guard page; probes may be NULL. */
bool bo_check_bytes_in_place(const struct bo_format *format, const struct bo_codec *codec,
                             struct bo_span in, const struct bo_probes *probes,
                             const struct bo_effort *effort, bool *accepted_ret,
                             struct bo_finding *finding);

/* One line: `BAKEOFF-DIFF format= kind= a= b= class=`, then the detail. */
void bo_finding_print(const struct bo_finding *finding, struct bo_writer *out);

#endif
