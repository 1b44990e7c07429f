/* Documents distributed to shards, and results that cannot be merged. */
#include "bench/report/test_sample.h"

#include "bench/runs/shards.h"
#include "harness/registry.h"

enum { N_DOCUMENTS = 11, N_SHARDS = 4 };

/* In a wrong order. Three documents of the second format are for curves. */
static void list_documents(struct bo_documents *documents)
{
    documents->items = calloc(N_DOCUMENTS, sizeof *documents->items);
    assert_non_null(documents->items);
    documents->n = N_DOCUMENTS;
    for (int i = 0; i < N_DOCUMENTS; i++) {
        struct bo_document *d = &documents->items[i];
        d->format = bo_formats[i % 2];
        d->scale = i % 2 == 1 && i < 6;
        assert_true(asprintf(&d->name, "document-%d", (i * 7) % N_DOCUMENTS) > 0);
        d->path = strdup(d->name);
        d->provenance = strdup("");
        bo_arena_init(&d->arena, 0);
    }
}

/* Every document is in one shard, and shards have even sizes, whatever the order of the list. */
TEST(test_deals_all_out_once)
{
    unsigned seen[2][N_DOCUMENTS] = {{0}}, curves_in = 0;
    char list[17] = "";
    for (unsigned k = 1; k <= N_SHARDS; k++) {
        struct bo_documents documents;
        unsigned n_curves = 0;
        list_documents(&documents);
        json_t *json = bo_shard_take((struct bo_shard){k, N_SHARDS}, &documents);
        for (size_t i = 0; i < documents.n; i++) {
            const struct bo_document *d = &documents.items[i];
            seen[d->format == bo_formats[1]][atoi(d->name + strlen("document-"))]++;
            n_curves += d->scale;
        }
        assert_in_range(documents.n - n_curves, 2, 3);
        assert_true(n_curves == 0 || n_curves == 3); /* times of one curve are compared */
        curves_in += n_curves != 0;
        const char *hash = text_at(json, "list");
        assert_true(!*list || strcmp(list, hash) == 0);
        snprintf(list, sizeof list, "%s", hash);
        json_decref(json);
        bo_documents_free(&documents);
    }
    assert_int_equal(curves_in, 1);
    unsigned n = 0;
    for (unsigned f = 0; f < 2; f++)
        for (unsigned i = 0; i < N_DOCUMENTS; i++) {
            assert_true(seen[f][i] <= 1);
            n += seen[f][i];
        }
    assert_int_equal(n, N_DOCUMENTS);
}

/* ---- merging --------------------------------------------------------------------------------- */

/* The sample's d-th document as shard d + 1 of 2. */
static json_t *make_shard(size_t d)
{
    json_t *json = sample_json(), *entries = json_object_get(json, "benchmarks"), *entry;
    json_t *ours = sample_ours(json);
    json_object_set_new(ours, "shard",
                        json_pack("{s:i, s:i, s:i, s:s}", "shard", (int)d + 1, "of", 2, "documents",
                                  2, "list", "0123"));
    json_array_remove(json_object_get(ours, "documents"), 1 - d);
    for (size_t i = json_array_size(entries); i-- > 0;) {
        entry = json_array_get(entries, i);
        if (!strstr(text_at(entry, "run_name"), sample_documents[d]))
            json_array_remove(entries, i);
    }
    return json;
}

static json_t *merge_two(json_t *a, json_t *b, bool partial, char why[BO_MAX_SHARD_ERROR])
{
    const json_t *runs[] = {a, b};
    const char *names[] = {"a.json", "b.json"};
    snprintf(why, BO_MAX_SHARD_ERROR, "%s", "");
    json_t *merged = bo_shards_merge(runs, names, 2, partial, why);
    json_decref(a);
    json_decref(b);
    return merged;
}

/* The merged parts print the same as the whole run, except for the captions. */
TEST(test_merged_is_the_whole)
{
    char why[BO_MAX_SHARD_ERROR];
    const struct bo_run *merged = sample_take(merge_two(make_shard(1), make_shard(0), false, why));
    assert_int_equal(merged->n_documents, 2);
    for (unsigned d = 0; d < 2; d++) {
        char *a = sample_print(*state, "md", sample_documents[d], NULL);
        char *b = sample_print(merged, "md", sample_documents[d], NULL);
        for (char *p = a, *q = b; *p != '\n' || p[1] != '\n'; p++, q++)
            assert_int_equal(*p, *q);
        assert_has(b, d ? "shard 2 of 2" : "shard 1 of 2");
        assert_lacks(a, "shard");
    }
}

TEST(test_refuses)
{
    static const struct {
        const char *key, *value; /* JSON, in the second shard's context.bakeoff */
        const char *why;
    } cases[] = {
        {"commit", "\"f00\"",
         "b.json: is of another commit than a.json: f00, not "
         "0123456789012345678901234567890123456789"},
        {"compiler", "\"clang 14\"",
         "b.json: is of another compiler than a.json: clang 14, not gcc 12.2.0"},
        {"flags", "\"-O3\"", "b.json: is of other compiler flags than a.json: -O3, not -O2"},
        {"libraries", "{\"zstd\": \"1\"}",
         "b.json: is of other libraries than a.json: {\"zstd\": \"1\"}, not nothing"},
        {"options", "{\"quick\": true}",
         "b.json: is of other options than a.json: {\"quick\": true}, not nothing"},
        {"rounds", "5", "b.json: is of another number of repetitions than a.json: 5, not nothing"},
        {"shard", "null", "b.json: is not a shard; `bakeoff bench --shard K/N` makes them"},
        {"shard", "{\"shard\": 3, \"of\": 2, \"list\": \"0123\"}",
         "b.json: is not a shard; `bakeoff bench --shard K/N` makes them"},
        {"shard", "{\"shard\": 2, \"of\": 3, \"list\": \"0123\"}",
         "b.json: is a shard of 3, a.json one of 2"},
        {"shard", "{\"shard\": 2, \"of\": 2, \"list\": \"4567\"}",
         "b.json: is a shard of another list of documents than a.json"},
        {"shard", "{\"shard\": 1, \"of\": 2, \"list\": \"0123\"}",
         "b.json: shard 1/2 occurs twice"},
    };
    char why[BO_MAX_SHARD_ERROR];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *a = make_shard(0), *b = make_shard(1);
        json_object_set_new(sample_ours(b), cases[i].key,
                            json_loads(cases[i].value, JSON_DECODE_ANY, NULL));
        assert_null(merge_two(a, b, true, why));
        assert_string_equal(why, cases[i].why);
    }
    json_t *a = make_shard(0), *b = make_shard(0);
    json_object_set_new(json_object_get(sample_ours(b), "shard"), "shard", json_integer(2));
    assert_null(merge_two(a, b, true, why));
    assert_string_equal(why, "b.json: pcdata/small-sample is in a.json, too");
}

/* Without a shard the result is partial, and may be merged with that shard later. */
TEST(test_missing_shards)
{
    char why[BO_MAX_SHARD_ERROR] = "";
    const char *name = "a.json", *names[] = {"a.json", "b.json"};
    json_t *one = make_shard(0), *other = make_shard(1);
    const json_t *run = one;
    assert_null(bo_shards_merge(&run, &name, 1, false, why));
    assert_string_equal(why, "a.json: with these files, of 2 shards there are missing: 2; "
                             "--partial merges what is there");
    json_t *part = bo_shards_merge(&run, &name, 1, true, why);
    const json_t *both[] = {part, other};
    json_t *whole = bo_shards_merge(both, names, 2, true, why);
    assert_string_equal(sample_take(part)->environment.partial, "1 of 2 documents");
    assert_null(sample_take(whole)->environment.partial);
    json_decref(other);
    json_object_set_new(sample_ours(one), "parts", json_array());
    assert_null(bo_shards_merge(&run, &name, 1, true, why));
    assert_string_equal(why, "a.json: has an empty list of parts");
    json_decref(one);
}

/* Facts in which the parts differ are kept for each part. */
TEST(test_keeps_what_is_shared)
{
    char why[BO_MAX_SHARD_ERROR];
    json_t *a = make_shard(0), *b = make_shard(1);
    json_object_set_new(sample_ours(b), "machine", json_string("other-cpu-8c"));
    json_object_set_new(json_object_get(b, "context"), "num_cpus", json_integer(8));
    const struct bo_run *run = sample_take(merge_two(a, b, false, why));
    assert_string_equal(bo_environment_fact(&run->environment, "machine"), "several");
    assert_string_equal(bo_environment_fact(&run->environment, "cpu"), "Test CPU");
    assert_true(isnan(bo_environment_number(&run->environment, "num_cpus")));
    assert_string_equal(bo_environment_fact(run->documents[0].environment, "machine"),
                        "other-cpu-8c");
    assert_string_equal(bo_environment_fact(run->documents[1].environment, "machine"),
                        "test-cpu-2c");
    assert_non_null(bo_parts_note(run));
}

TEST_FILE(sample_setup, sample_teardown)
