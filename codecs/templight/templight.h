/*
 * Templight: traces of template instantiation, as a compiler writes them while it works.
 *
 * The model and the queries. Public to the format's codecs and to importers; see README.md in this
 * folder for the text form and the byte layouts.
 */
#ifndef TEMPLIGHT_H
#define TEMPLIGHT_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "harness/codec.h"
#include "harness/format.h"

/* ---- the model: traces, each of one run of a compiler ---------------------------------------- */

#define TEMPLIGHT_NONE UINT32_MAX /* no such file, no such name */

enum {
    /* What the real writer puts in a header; any number is valid. */
    TEMPLIGHT_VERSION = 1,
    /* Kinds that have names (templight_kind_names); any other number is valid, too. */
    TEMPLIGHT_N_NAMED_KINDS = 24,
    TEMPLIGHT_MEMOIZATION = 23,
};

/* A place in a source file. */
struct templight_location {
    uint32_t file; /* of the trace, or TEMPLIGHT_NONE: absent, and the rest is 0 */
    uint32_t line, column;
};

/*
 * A Begin or an End. What is absent is 0 (or an absent location), so that equal records have equal
 * fields.
 *
 * An End closes the innermost Begin that is still open. Its kind, name and location are those of
 * this Begin, and are not stored twice. So is its origin, except that some Ends have an origin of
 * their own, which may be absent. Where no Begin is open, an End has an origin of its own or none.
 * A Begin need not end.
 */
struct templight_record {
    uint64_t time_bits; /* the double's, in seconds: NaN and -0.0 stay what they are */
    uint64_t memory;    /* bytes */
    uint32_t kind;      /* of a Begin */
    uint32_t name;      /* of a Begin: which of the trace's names */
    struct templight_location location; /* of a Begin: the point of instantiation */
    struct templight_location origin; /* where the template is; of an End only if has_own_origin */
    bool is_end;
    bool has_time, has_memory;
    bool has_own_origin; /* of an End whose origin is not that of its Begin */
};

/*
 * Names and files are tables without repetition, in the order of their first use: by the Begins; by
 * the locations of the records, a record's location before its origin. None is unused. Both are any
 * bytes but NUL, and may be empty.
 */
struct templight_trace {
    uint32_t version;
    struct bo_span source; /* the file that was compiled; empty when unknown; no NUL */
    uint32_t n_names, n_files;
    const struct bo_span *names, *files;
    size_t n_records;
    const struct templight_record *records;
};

struct templight_model {
    size_t n_traces; /* fits 32 bits */
    const struct templight_trace *traces;
};

extern const char *const templight_kind_names[TEMPLIGHT_N_NAMED_KINDS];

/* NULL when a text may be a name, a file or a source, else a static phrase. */
const char *templight_text_flaw(struct bo_span text);

/* The same as an error, whose offset is that of the NUL in the text. */
enum bo_status templight_check_text(struct bo_span text, struct bo_error *err);

/* NULL when the model keeps the rules above, else a static phrase. Scratch memory from `arena`. */
const char *templight_model_flaw(const struct templight_model *model, struct bo_arena *arena);

static inline bool templight_same_location(const struct templight_location *a,
                                           const struct templight_location *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* A trace or a name that does not exist is BO_OUT_OF_RANGE. */
enum templight_query_kind {
    TEMPLIGHT_NAME,       /* struct templight_name_query; a struct templight_text in a sink */
    TEMPLIGHT_EXPAND_ALL, /* nothing; in a sink, for each trace a struct templight_names */
    TEMPLIGHT_STREAM,     /* nothing; a struct templight_digest of all records of all traces */
    TEMPLIGHT_FIND,       /* struct templight_text_query; a uint32_t: the name, or TEMPLIGHT_NONE */
    TEMPLIGHT_PREFIX,     /* struct templight_text_query; a struct templight_matches */
    TEMPLIGHT_N_KINDS
};

struct templight_name_query {
    uint32_t trace, name;
};

struct templight_text_query {
    struct bo_span text; /* any bytes */
    uint32_t trace;
};

/* The name's bytes follow, and zeros to a multiple of 8. */
struct templight_text {
    uint64_t nbytes;
};

/* For each name, in order, a struct templight_text follows. */
struct templight_names {
    uint64_t n;
};

enum { TEMPLIGHT_N_MATCHES = 8 };

struct templight_matches {
    uint64_t n; /* names of the trace that begin with the text */
    /* the first of these in the order of their bytes, and TEMPLIGHT_NONE where there are no more */
    uint32_t names[TEMPLIGHT_N_MATCHES];
};

/*
 * A digest of every field of all records, and of the bytes of each Begin's name. The hash is a
 * chain, so when a name occurs again, a reader can reuse its text, but not a hash of it.
 */
struct templight_digest {
    uint64_t n_begins, n_ends;
    uint64_t name_nbytes; /* over all Begins */
    uint64_t hash;
};

static inline size_t templight_padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* ---- the digest's definition ----------------------------------------------------------------- */

/*
 * Starts at all zero. Each trace: its header, then its records in order. Files are mixed in by
 * their numbers.
 */
static inline void templight_mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * 0x9e3779b97f4a7c15u;
    *hash ^= *hash >> 29;
}

static inline void templight_digest_header(struct templight_digest *digest, uint32_t version,
                                           struct bo_span source)
{
    templight_mix(&digest->hash, version + 1ull);
    digest->hash = XXH3_64bits_withSeed(source.p, source.n, digest->hash);
}

static inline void templight_digest_location(uint64_t *hash,
                                             const struct templight_location *location)
{
    templight_mix(hash, (uint64_t)location->file << 32 | location->line);
    templight_mix(hash, location->column);
}

/* The name is that of a Begin; of an End it is ignored. */
static inline void templight_digest_record(struct templight_digest *digest,
                                           const struct templight_record *record,
                                           struct bo_span name)
{
    uint64_t *hash = &digest->hash;
    const unsigned flags = (unsigned)record->is_end | (unsigned)record->has_time << 1 |
                           (unsigned)record->has_memory << 2 |
                           (unsigned)record->has_own_origin << 3;
    templight_mix(hash, (uint64_t)record->kind << 4 | flags);
    if (record->has_time)
        templight_mix(hash, record->time_bits);
    if (record->has_memory)
        templight_mix(hash, record->memory);
    if (!record->is_end || record->has_own_origin)
        templight_digest_location(hash, &record->origin);
    if (record->is_end) {
        digest->n_ends++;
        return;
    }
    templight_digest_location(hash, &record->location);
    *hash = XXH3_64bits_withSeed(name.p, name.n, *hash);
    digest->name_nbytes += name.n;
    digest->n_begins++;
}

#endif
