/* Compares held-out documents with the digests in git. */
#include "corpora/sealed.h"

#include <jansson.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The SHA-256 of the canonical text. False when the text cannot be printed. */
static bool digest_of(const struct bo_document *document, char digest_ret[65])
{
    struct bo_arena arena;
    struct bo_writer text;
    struct bo_error error = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    const bool ok = document->format->print(document->model, &text, &error) == BO_OK &&
                    SHA256Data(text.p, text.n, digest_ret);
    if (!ok)
        fprintf(stderr, "bakeoff: %s: cannot compute the digest\n", document->path);
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return ok;
}

static const char *text_of(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text ? text : "";
}

static const json_t *find_entry(const json_t *sealed, const struct bo_document *document)
{
    const json_t *entry;
    size_t i;
    json_array_foreach(json_object_get(sealed, "documents"), i, entry)
    {
        if (strcmp(text_of(entry, "format"), document->format->name) == 0 &&
            strcmp(text_of(entry, "name"), document->name) == 0)
            return entry;
    }
    return NULL;
}

static bool check(const json_t *sealed, struct bo_document *document)
{
    char digest[65];
    const json_t *entry = find_entry(sealed, document);
    if (!entry) {
        fprintf(stderr, "bakeoff: %s: note: not sealed: it is missing in corpora/held-out.json\n",
                document->path);
        return true;
    }
    if (!digest_of(document, digest))
        return false;
    if (strcmp(digest, text_of(entry, "sha256")) != 0) {
        fprintf(stderr,
                "bakeoff: %s: not the sealed document: SHA-256 %s differs from %s in "
                "corpora/held-out.json\n",
                document->path, digest, text_of(entry, "sha256"));
        return false;
    }
    snprintf(document->sealed, sizeof document->sealed, "%s", text_of(entry, "sealed"));
    return true;
}

bool bo_documents_check_sealed(struct bo_documents *documents)
{
    char *folder = bo_corpora_folder(), *path = NULL;
    json_error_t error;
    json_t *sealed = NULL;
    bool ok = true;
    if (folder && asprintf(&path, "%s/held-out.json", folder) < 0)
        abort();
    if (path && access(path, F_OK) == 0 && !(sealed = json_load_file(path, 0, &error))) {
        fprintf(stderr, "bakeoff: %s: line %d: %s\n", path, error.line, error.text);
        ok = false;
    }
    for (size_t i = 0; i < documents->n && ok; i++)
        if (documents->items[i].held_out)
            ok = check(sealed, &documents->items[i]);
    json_decref(sealed);
    free(path);
    free(folder);
    return ok;
}
