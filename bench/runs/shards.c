/* Distributes documents to shards, and merges results. */
#include "bench/runs/shards.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/core/files.h"
#include "harness/core/hash.h"

bool bo_shard_parse(const char *text, struct bo_shard *shard_ret)
{
    char *end;
    const unsigned long k = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '/' || end[1] < '0' || end[1] > '9')
        return false;
    const unsigned long n = strtoul(end + 1, &end, 10);
    *shard_ret = (struct bo_shard){(unsigned)k, (unsigned)n};
    return *end == 0 && k >= 1 && k <= n && n <= BO_MAX_SHARDS;
}

/* ---- distributing ---------------------------------------------------------------------------- */

/*
 * By format and name; the path decides between two documents of one name. Those for curves come
 * last.
 */
static int in_order(const void *a, const void *b)
{
    const struct bo_document *x = a, *y = b;
    int order = x->scale - y->scale;
    if (order == 0)
        order = strcmp(x->format->name, y->format->name);
    if (order == 0)
        order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->path, y->path);
}

static uint64_t hash_list(const struct bo_documents *documents)
{
    struct bo_memory_file list;
    bo_memory_open(&list);
    for (size_t i = 0; i < documents->n; i++)
        fprintf(list.out, "%s/%s\n", documents->items[i].format->name, documents->items[i].name);
    const uint64_t hash = bo_hash(bo_memory_bytes(&list));
    bo_memory_free(&list);
    return hash;
}

json_t *bo_shard_take(struct bo_shard shard, struct bo_documents *documents)
{
    if (documents->n)
        qsort(documents->items, documents->n, sizeof *documents->items, in_order);
    json_t *json = json_pack("{s:i, s:i, s:I, s:o}", "shard", (int)shard.k, "of", (int)shard.n,
                             "documents", (json_int_t)documents->n, "list",
                             json_sprintf("%016" PRIx64, hash_list(documents)));
    unsigned turn = 0;
    const struct bo_format *curves = NULL;
    for (size_t i = 0; i < documents->n;) {
        const struct bo_document *document = &documents->items[i];
        if (!(document->scale && document->format == curves))
            turn = turn % shard.n + 1;
        curves = document->scale ? document->format : NULL;
        if (turn == shard.k)
            i++;
        else
            bo_documents_take_off(documents, i);
    }
    return json;
}

/* ---- what parts must have in common ---------------------------------------------------------- */

struct merging {
    json_t *parts, *documents, *entries;
    json_t *first_of;    /* "format/document": the name of the file that has it */
    const json_t *first; /* "bakeoff" of the first part */
    const char *first_name;
    char *why;
};

static bool refuse(struct merging *m, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct merging *m, const char *name, const char *format, ...)
{
    const int n = snprintf(m->why, BO_MAX_SHARD_ERROR, "%s: ", name);
    va_list arguments;
    va_start(arguments, format);
    if (n > 0 && n < BO_MAX_SHARD_ERROR)
        vsnprintf(m->why + n, BO_MAX_SHARD_ERROR - (size_t)n, format, arguments);
    va_end(arguments);
    return false;
}

/* A JSON value as a short text for a message. Malloced. */
static char *spell(const json_t *value)
{
    enum { LENGTH = 160 };
    if (json_is_string(value))
        return strndup(json_string_value(value), LENGTH);
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_SORT_KEYS);
    if (text && strlen(text) > LENGTH)
        strcpy(text + LENGTH - 3, "...");
    return text ? text : strdup("nothing");
}

static bool must_agree(struct merging *m, const json_t *ours, const char *name, const char *key,
                       const char *what)
{
    const json_t *a = json_object_get(m->first, key), *b = json_object_get(ours, key);
    if ((!a && !b) || json_equal(a, b))
        return true;
    char *was = spell(a), *is = spell(b);
    refuse(m, name, "is of %s than %s: %s, not %s", what, m->first_name, is, was);
    free(was);
    free(is);
    return false;
}

/* A commit that is unknown, or with uncommitted changes, does not identify the program. */
static bool commit_tells(const json_t *ours)
{
    const char *commit = json_string_value(json_object_get(ours, "commit"));
    return commit && strcmp(commit, "unknown") != 0 && !strchr(commit, '+');
}

static bool agree(struct merging *m, const json_t *ours, const char *name)
{
    static const char *const facts[][2] = {
        {"commit", "another commit"},        {"compiler", "another compiler"},
        {"flags", "other compiler flags"},   {"allocator", "another allocator"},
        {"libraries", "other libraries"},    {"optional_codecs", "other optional codecs"},
        {"options", "other options"},        {"rounds", "another number of repetitions"},
        {"timeout_s", "another time limit"}, {"seeds", "other seeds"},
        {"clock", "another clock"},          {"layouts", "other layouts"},
        {"plugins", "other plugins"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (!must_agree(m, ours, name, facts[i][0], facts[i][1]))
            return false;
    return commit_tells(ours) ||
           must_agree(m, ours, name, "program_xxh3",
                      "another program (the commit does not say what it holds)");
}

static json_int_t shard_number(const json_t *ours, const char *key)
{
    return json_integer_value(json_object_get(json_object_get(ours, "shard"), key));
}

/* True when a part is shard k. */
static bool has_shard(const struct merging *m, json_int_t k)
{
    size_t i;
    const json_t *part;
    bool found = false;
    json_array_foreach(m->parts, i, part) found =
        found || shard_number(json_object_get(part, "bakeoff"), "shard") == k;
    return found;
}

static bool agree_about_shards(struct merging *m, const json_t *ours, const char *name)
{
    const json_t *shard = json_object_get(ours, "shard"),
                 *first = json_object_get(m->first, "shard");
    const json_int_t k = shard_number(ours, "shard"), n = shard_number(ours, "of");
    if (!shard || k < 1 || k > n || n > BO_MAX_SHARDS)
        return refuse(m, name, "is not a shard; `bakeoff bench --shard K/N` makes them");
    if (n != shard_number(m->first, "of"))
        return refuse(m, name,
                      "is a shard of %" JSON_INTEGER_FORMAT ", %s one of %" JSON_INTEGER_FORMAT, n,
                      m->first_name, shard_number(m->first, "of"));
    if (!json_equal(json_object_get(shard, "list"), json_object_get(first, "list")))
        return refuse(m, name, "is a shard of another list of documents than %s", m->first_name);
    if (has_shard(m, k))
        return refuse(m, name,
                      "shard %" JSON_INTEGER_FORMAT "/%" JSON_INTEGER_FORMAT " occurs twice", k, n);
    return true;
}

/* ---- merging --------------------------------------------------------------------------------- */

static bool add_part(struct merging *m, const json_t *context, const char *name)
{
    const json_t *ours = json_object_get(context, "bakeoff");
    if (!m->first) {
        m->first = ours;
        m->first_name = name;
    }
    if (!agree_about_shards(m, ours, name) || !agree(m, ours, name))
        return false;
    json_t *part = json_copy((json_t *)(uintptr_t)context),
           *facts = json_copy((json_t *)(uintptr_t)ours);
    json_object_del(facts, "documents");
    json_object_set_new(part, "bakeoff", facts);
    return json_array_append_new(m->parts, part) == 0;
}

/* By format and name, those for curves last. */
static int compare_places(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"format", "name"};
    int order =
        json_is_true(json_object_get(a, "scale")) - json_is_true(json_object_get(b, "scale"));
    for (size_t i = 0; i < 2 && order == 0; i++)
        order = strcmp(json_string_value(json_object_get(a, keys[i])),
                       json_string_value(json_object_get(b, keys[i])));
    return order;
}

/* In an order that does not depend on that of the files. */
static bool add_document(struct merging *m, const json_t *document, size_t first_part,
                         const char *name)
{
    char key[512];
    snprintf(key, sizeof key, "%s/%s", json_string_value(json_object_get(document, "format")),
             json_string_value(json_object_get(document, "name")));
    const char *other = json_string_value(json_object_get(m->first_of, key));
    if (other)
        return refuse(m, name, "%s is in %s, too", key, other);
    json_object_set_new(m->first_of, key, json_string(name));
    const json_int_t part = json_integer_value(json_object_get(document, "part"));
    if (part < 0 || (size_t)part >= json_array_size(m->parts) - first_part)
        return refuse(m, name, "%s is of a part that is not there", key);
    json_t *copy = json_copy((json_t *)(uintptr_t)document);
    json_object_set_new(copy, "part", json_integer((json_int_t)first_part + part));
    size_t at = json_array_size(m->documents);
    while (at && compare_places(json_array_get(m->documents, at - 1), copy) > 0)
        at--;
    return json_array_insert_new(m->documents, at, copy) == 0;
}

static bool add_run(struct merging *m, const json_t *run, const char *name)
{
    const json_t *context = json_object_get(run, "context");
    const json_t *ours = json_object_get(context, "bakeoff");
    const json_t *parts = json_object_get(ours, "parts");
    const size_t first_part = json_array_size(m->parts);
    size_t i;
    json_t *item;
    if (json_object_get(ours, "partial") && !parts)
        return refuse(m, name, "is partial; `bakeoff bench --resume %s` completes it", name);
    if (parts && !json_array_size(parts))
        return refuse(m, name, "has an empty list of parts");
    if (!parts && !add_part(m, context, name))
        return false;
    json_array_foreach((json_t *)(uintptr_t)parts, i,
                       item) if (!add_part(m, item, name)) return false;
    json_array_foreach(json_object_get(ours, "documents"), i,
                       item) if (!add_document(m, item, first_part, name)) return false;
    json_array_extend(m->entries, json_object_get(run, "benchmarks"));
    return true;
}

/* Whether all shards are there; else the reason is that of a refusal. */
static bool all_there(struct merging *m, const char *last_name)
{
    const json_int_t n = shard_number(m->first, "of");
    char missing[200] = "";
    size_t length = 0;
    for (json_int_t k = 1; k <= n; k++)
        if (!has_shard(m, k) && length + 30 < sizeof missing)
            length += (size_t)snprintf(missing + length, sizeof missing - length,
                                       "%s%" JSON_INTEGER_FORMAT, length ? ", " : "", k);
    return length == 0 || refuse(m, last_name,
                                 "with these files, of %" JSON_INTEGER_FORMAT
                                 " shards there are missing: %s; --partial merges what is there",
                                 n, missing);
}

/* Removes the members of an object that the other one lacks or has with another value. */
static void keep_shared(json_t *object, const json_t *other)
{
    void *next;
    const char *key;
    json_t *value;
    json_object_foreach_safe(object, next, key,
                             value) if (!json_equal(value, json_object_get(other, key)))
        json_object_del(object, key);
}

/*
 * The context of the result: the facts that all parts share, the parts and the documents. It is
 * marked as partial when a shard is missing.
 */
static json_t *shared_context(const struct merging *m, bool is_complete)
{
    size_t i;
    json_t *part = json_array_get(m->parts, 0);
    json_t *context = json_copy(part), *ours = json_copy(json_object_get(part, "bakeoff"));
    json_array_foreach(m->parts, i, part)
    {
        keep_shared(ours, json_object_get(part, "bakeoff"));
        keep_shared(context, part);
    }
    if (!json_object_get(ours, "machine"))
        json_object_set_new(ours, "machine", json_string("several"));
    json_object_del(ours, "shard");
    if (!is_complete)
        json_object_set_new(ours, "partial",
                            json_pack("{s:I, s:I}", "measured",
                                      (json_int_t)json_array_size(m->documents), "of",
                                      shard_number(m->first, "documents")));
    json_object_set(ours, "parts", m->parts);
    json_object_set(ours, "documents", m->documents);
    json_object_set_new(context, "bakeoff", ours);
    return context;
}

json_t *bo_shards_merge(const json_t *const *runs, const char *const *names, size_t n, bool partial,
                        char why_ret[BO_MAX_SHARD_ERROR])
{
    struct merging m = {.parts = json_array(),
                        .documents = json_array(),
                        .entries = json_array(),
                        .first_of = json_object(),
                        .why = why_ret};
    bool ok = n > 0;
    json_t *merged = NULL;
    for (size_t i = 0; i < n && ok; i++)
        ok = add_run(&m, runs[i], names[i]);
    const bool is_complete = ok && all_there(&m, names[n - 1]);
    if (is_complete || (ok && partial))
        merged = json_pack("{s:o, s:O}", "context", shared_context(&m, is_complete), "benchmarks",
                           m.entries);
    json_t *const mine[] = {m.parts, m.documents, m.entries, m.first_of};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        json_decref(mine[i]);
    return merged;
}
