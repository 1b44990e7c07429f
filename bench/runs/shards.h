/*
 * Measuring on several machines: each run measures a part of the documents (a shard), and the
 * results are merged. A document is in one shard, so all its times are from one machine and one
 * run.
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
 * Removes the documents of other shards from a list that is not loaded yet. Documents are sorted by
 * format and name and distributed in turn. Those of a format that are made for curves stay
 * together, since curves compare their times. Returns the entry for the results: {"shard": k, "of":
 * n, "documents": total number, "list": a hash of all their names}. The caller owns it.
 */
json_t *bo_shard_take(struct bo_shard shard, struct bo_documents *documents);

/*
 * Merges results of shards (objects that bo_run_take accepts; also results of this function with
 * `partial`). Each document gets "part", an index into context.bakeoff.parts, the contexts of the
 * shards. Facts that differ between parts are only there. Without some of the shards, the result is
 * marked as partial: bakeoff.partial is {"measured", "of"}, numbers of documents. `names` are for
 * messages.
 *
 * NULL with *why_ret filled, "B.json: ...", when a run is not a shard, when two differ in commit,
 * build, options or list of documents, when a shard or a document occurs twice, or, without
 * `partial`, when a shard is missing. The caller owns the result.
 */
json_t *bo_shards_merge(const json_t *const *runs, const char *const *names, size_t n, bool partial,
                        char why_ret[BO_MAX_SHARD_ERROR]);

#endif
