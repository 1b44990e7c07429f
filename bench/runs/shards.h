/*
 * Measuring past one machine: each run measures a part of the documents (a shard), and the results
 * are put together. A document lies in one shard, so its times are of one machine and one run.
 */
#ifndef BO_SHARDS_H
#define BO_SHARDS_H

#include <jansson.h>

#include "corpora/documents.h"

/* Shard k of n, counted from 1; n = 0: all documents. */
struct bo_shard {
    unsigned k, n;
};

enum { BO_MAX_SHARDS = 1000000, BO_MAX_SHARD_ERROR = 600 };

/* "2/3"; false for any other text. */
bool bo_shard_parse(const char *text, struct bo_shard *shard_ret);

/*
 * Takes the documents of other shards off a list that is not loaded yet. Documents are sorted by
 * format and name and dealt out in turn; those of a format that are made for curves stay together,
 * as curves compare their times. Returns what results say of the shard: {"shard": k, "of": n,
 * "documents": how many all are, "list": a hash of all their names}. The caller owns it.
 */
json_t *bo_shard_take(struct bo_shard shard, struct bo_documents *documents);

/*
 * Puts results of shards together (objects that bo_run_take accepts; also ones that this made with
 * `partial`). Each document gets "part", an index into context.bakeoff.parts, where the contexts of
 * the shards are; facts that not all parts share stand only there. `names` are for messages.
 *
 * NULL with *why_ret filled, "B.json: ...", when a run is no shard, when two are of different
 * commits, builds, options or lists of documents, when a shard or a document is there twice, or,
 * without `partial`, when a shard is missing. The caller owns the result.
 */
json_t *bo_shards_merge(const json_t *const *runs, const char *const *names, size_t n, bool partial,
                        char why_ret[BO_MAX_SHARD_ERROR]);

#endif
