/* Finds and loads documents, from the corpora's manifest or from a user's files. */
#include "corpora/documents.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/core/files.h"
#include "harness/core/hash.h"
#include "harness/core/input.h"
#include "harness/core/message.h"
#include "harness/core/suggest.h"
#include "harness/core/utf8.h"
#include "harness/file.h"
#include "harness/registry.h"

/* ---- paths ----------------------------------------------------------------------------------- */

static char *join(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool exists(const char *path)
{
    return access(path, R_OK) == 0;
}

char *bo_corpora_folder(void)
{
    if (exists("corpora/manifest.json"))
        return strdup("corpora");
    char program[4096];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    for (ssize_t i = n, up = 0; i > 0 && up < 4; i--) {
        if (program[i - 1] != '/')
            continue;
        program[i] = 0; /* tries the program's folder, then its parents */
        char *folder = join(program, "corpora"), *manifest = join(program, "corpora/manifest.json");
        const bool found = folder && manifest && exists(manifest);
        free(manifest);
        if (found)
            return folder;
        free(folder);
        up++;
    }
    return NULL;
}

/* ---- the list -------------------------------------------------------------------------------- */

static bool append(struct bo_documents *documents, struct bo_document document)
{
    struct bo_document *items =
        realloc(documents->items, (documents->n + 1) * sizeof *documents->items);
    if (!items || !document.name || !document.path || !document.provenance) {
        fprintf(stderr, "bakeoff: out of memory\n");
        return false;
    }
    documents->items = items;
    documents->items[documents->n++] = document;
    return true;
}

static const char *string_of(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

/* "npm @esbuild/linux-x64 0.28.2, amd64, Go 1.26.5, MIT": the parts that the manifest has. */
static char *describe(const json_t *entry)
{
    const json_t *source = json_object_get(entry, "source");
    const char *go = string_of(entry, "go"), *architecture = string_of(entry, "architecture"),
               *version = string_of(source, "version");
    char *text = NULL;
    return asprintf(&text, "%s %s%s%s%s%s%s%s, %s", string_of(source, "from"),
                    string_of(source, "package"), *version ? " " : "", version,
                    *architecture ? ", " : "", architecture, *go ? ", Go " : "", go,
                    string_of(entry, "licence")) < 0
               ? NULL
               : text;
}

static bool append_entry(const char *corpora, const json_t *entry, const struct bo_format *wanted,
                         struct bo_documents *documents)
{
    const struct bo_format *format = bo_find_format(string_of(entry, "format"));
    const bool embedded = json_is_true(json_object_get(entry, "embedded"));
    if (!format || (wanted && format != wanted))
        return true;
    struct bo_document document = {
        .format = format,
        .name = strdup(string_of(entry, "name")),
        .path = join(corpora, string_of(entry, "file")),
        .provenance = describe(entry),
        .embedded = embedded,
        .sample =
            embedded && json_object_get(json_object_get(entry, "import"), "functions") != NULL,
        .scale = json_is_true(json_object_get(entry, "scale")),
    };
    document.present = document.path && exists(document.path);
    return append(documents, document);
}

static json_t *find_entry(json_t *entries, const struct bo_format *format, const char *name)
{
    size_t i;
    json_t *entry;
    json_array_foreach(entries, i,
                       entry) if (strcmp(string_of(entry, "format"), format->name) == 0 &&
                                  strcmp(string_of(entry, "name"), name) == 0) return entry;
    return NULL;
}

/* One document for each power of ten: "scale-1e2" to "scale-1e6". */
static bool append_drawn(const char *corpora, json_t *documents_json, const json_t *entry,
                         const struct bo_format *wanted, struct bo_documents *documents)
{
    const struct bo_format *format = bo_find_format(string_of(entry, "format"));
    const json_int_t smallest = json_integer_value(json_object_get(entry, "smallest")),
                     largest = json_integer_value(json_object_get(entry, "largest"));
    const json_t *like =
        format ? find_entry(documents_json, format, string_of(entry, "like")) : NULL;
    bool ok = true;
    if (!like || !format->resample || (wanted && format != wanted))
        return true;
    unsigned exponent = 0;
    for (json_int_t n = 1; n <= largest && ok; n *= 10, exponent++) {
        struct bo_document document = {.format = format, .scale = true, .n_drawn = (uint64_t)n};
        if (n < smallest)
            continue;
        document.path = join(corpora, string_of(like, "file"));
        document.present = document.path && exists(document.path);
        ok = asprintf(&document.name, "scale-1e%u", exponent) >= 0 &&
             asprintf(&document.provenance, "drawn as in %s, %s", string_of(like, "name"),
                      string_of(like, "licence")) >= 0 &&
             append(documents, document);
    }
    return ok;
}

static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    static const char *const suffixes[] = {".xz", ".zst", ".txt", ".tsv", ".proftext", ".llvmprof"};
    for (size_t i = 0; name && i < sizeof suffixes / sizeof *suffixes; i++) {
        const size_t n = strlen(name), m = strlen(suffixes[i]);
        if (n > m && strcmp(name + n - m, suffixes[i]) == 0)
            name[n - m] = 0;
    }
    return name;
}

/*
 * Documents that must not be in the repository. The manifest has their origin and a pattern for
 * their paths in $BAKEOFF_CORPORA.
 */
static bool append_external(const json_t *entry, const struct bo_format *wanted,
                            struct bo_documents *documents)
{
    const struct bo_format *format = bo_find_format(string_of(entry, "format"));
    const char *extra = getenv("BAKEOFF_CORPORA");
    glob_t found = {.gl_pathc = 0};
    if (!extra || !format || (wanted && format != wanted))
        return true;
    char *pattern = join(extra, string_of(entry, "files"));
    const int code = pattern ? glob(pattern, 0, NULL, &found) : GLOB_NOSPACE;
    bool ok = code != GLOB_NOSPACE;
    for (size_t i = 0; i < found.gl_pathc && ok; i++)
        ok = append(documents,
                    (struct bo_document){.format = format,
                                         .name = name_of(found.gl_pathv[i]),
                                         .path = strdup(found.gl_pathv[i]),
                                         .provenance = describe(entry),
                                         .external = true,
                                         .scale = json_is_true(json_object_get(entry, "scale")),
                                         .present = true});
    if (code == GLOB_NOSPACE)
        fprintf(stderr, "bakeoff: out of memory\n");
    globfree(&found);
    free(pattern);
    return ok;
}

static bool list_manifest(const struct bo_format *format, struct bo_documents *documents)
{
    char *corpora = bo_corpora_folder();
    char *path = corpora ? join(corpora, "manifest.json") : NULL;
    if (!path) {
        free(corpora);
        fprintf(stderr, "bakeoff: corpora/manifest.json: not found from here\n");
        return false;
    }
    json_error_t error;
    json_t *manifest = json_load_file(path, 0, &error);
    bool ok = manifest != NULL;
    if (!ok)
        fprintf(stderr, "bakeoff: %s: %s at byte %d\n", path, error.text, error.position);
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(manifest, "documents"), i, entry) ok =
        ok && append_entry(corpora, entry, format, documents);
    json_array_foreach(json_object_get(manifest, "drawn"), i, entry) ok =
        ok &&
        append_drawn(corpora, json_object_get(manifest, "documents"), entry, format, documents);
    json_array_foreach(json_object_get(manifest, "external"), i, entry) ok =
        ok && append_external(entry, format, documents);
    json_decref(manifest);
    free(path);
    free(corpora);
    return ok;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Results contain the names of files. JSON is in UTF-8. */
static bool append_path(const struct bo_format *format, const char *path,
                        struct bo_documents *documents)
{
    const char *slash = strrchr(path, '/');
    if (!bo_is_utf8(bo_span_of(slash ? slash + 1 : path))) {
        fprintf(stderr, "bakeoff: %s: file name is not UTF-8\n", path);
        return false;
    }
    return append(documents, (struct bo_document){.format = format,
                                                  .name = name_of(path),
                                                  .path = strdup(path),
                                                  .provenance = strdup(path),
                                                  .present = true});
}

/*
 * True when the format accepts the file: an importer of the format reads it, or it is in the text
 * form.
 */
static bool accepts(const struct bo_format *format, struct bo_span file)
{
    struct bo_arena arena;
    struct bo_error err = {0};
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_importer *importer = bo_find_importer(format->name, file);
    const bool ok = file.n > 0 && (importer ? importer->import(file, NULL, &arena, &model, &err)
                                            : format->parse(file, &arena, &model, &err)) == BO_OK;
    bo_arena_free(&arena);
    return ok;
}

static bool accepts_path(const struct bo_format *format, const char *path)
{
    struct bo_input in;
    if (!bo_input_open(path, &in))
        return false;
    const bool ok = accepts(format, in.bytes);
    bo_input_close(&in);
    return ok;
}

/*
 * True for notes, sources and lists of names, which are next to documents. JSON that the
 * format does not accept is a note, too.
 */
static bool is_note(const struct bo_format *format, const char *path)
{
    static const char *const patterns[] = {"*/README*", "*.md",        "*.sql",         "*.c",
                                           "*.cpp",     "*.awk",       "*.lua",         "*.py",
                                           "*.sh",      "*.workload*", "*/names-*.txt*"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (fnmatch(patterns[i], path, 0) == 0)
            return true;
    return fnmatch("*.json", path, 0) == 0 && !accepts_path(format, path);
}

/* Adds the files of a folder as documents, by name, except notes and sources. */
static bool append_folder(const struct bo_format *format, const char *folder,
                          struct bo_documents *documents)
{
    struct dirent **entries;
    const int n = scandir(folder, &entries, is_visible, alphasort);
    bool ok = n >= 0;
    if (!ok)
        fprintf(stderr, "bakeoff: %s: %s\n", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        char *path = join(folder, entries[i]->d_name);
        struct stat st;
        if (ok && path && stat(path, &st) == 0 && S_ISREG(st.st_mode) && !is_note(format, path))
            ok = append_path(format, path, documents);
        free(path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return ok;
}

static void release(struct bo_document *document)
{
    free(document->name);
    free(document->path);
    free(document->provenance);
    bo_arena_free(&document->arena);
}

static bool is_named(const struct bo_documents *documents, const struct bo_document *document)
{
    for (size_t i = 0; i < documents->n; i++)
        if (documents->items[i].format == document->format &&
            strcmp(documents->items[i].name, document->name) == 0)
            return true;
    return false;
}

/* Moves the documents of a folder in $BAKEOFF_CORPORA to the list. */
static bool append_extra(struct bo_documents *files, struct bo_documents *documents)
{
    bool ok = true;
    for (size_t i = 0; i < files->n; i++) {
        struct bo_document *d = &files->items[i];
        d->external = true;
        if (!ok || is_named(documents, d))
            release(d);
        else if (!(ok = append(documents, *d)))
            release(d);
    }
    free(files->items);
    return ok;
}

/* Lists $BAKEOFF_CORPORA/<format>, if it exists. */
static bool list_extra(const struct bo_format *wanted, struct bo_documents *documents)
{
    const char *extra = getenv("BAKEOFF_CORPORA");
    bool ok = true;
    for (const struct bo_format *const *f = bo_formats; extra && *f && ok; f++) {
        char *folder = wanted && wanted != *f ? NULL : join(extra, (*f)->name);
        struct bo_documents files = {NULL, 0};
        if (folder && bo_is_folder(folder)) {
            ok = append_folder(*f, folder, &files);
            ok = append_extra(&files, documents) && ok;
        }
        free(folder);
    }
    return ok;
}

/* Moves held-out documents to the list. */
static bool append_held_out(struct bo_documents *files, struct bo_documents *documents)
{
    bool ok = true;
    for (size_t i = 0; i < files->n; i++) {
        struct bo_document *d = &files->items[i];
        d->held_out = true;
        if (ok && is_named(documents, d)) {
            fprintf(stderr, "bakeoff: %s: duplicate document name in this run\n", d->path);
            ok = false;
        }
        if (!ok)
            release(d);
        else if (!(ok = append(documents, *d)))
            release(d);
    }
    free(files->items);
    return ok;
}

bool bo_documents_add_held_out(const struct bo_format *format, const char *folder,
                               struct bo_documents *documents)
{
    const size_t n_before = documents->n;
    bool ok = true, any = false;
    struct stat folder_st;
    if (stat(folder, &folder_st) != 0 || !S_ISDIR(folder_st.st_mode)) {
        fprintf(stderr, "bakeoff: %s: no such folder\n", folder);
        return false;
    }
    for (const struct bo_format *const *f = bo_formats; *f && ok; f++) {
        char *path = format && format != *f ? NULL : join(folder, (*f)->name);
        struct bo_documents files = {NULL, 0};
        struct stat st;
        const bool is_subfolder = path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (is_subfolder || format == *f) {
            ok = append_folder(*f, is_subfolder ? path : folder, &files);
            ok = append_held_out(&files, documents) && ok;
            any = true;
        }
        free(path);
    }
    if (!ok || documents->n > n_before)
        return ok;
    fprintf(stderr, "bakeoff: %s: no documents here%s\n", folder,
            any ? "" : "; its subfolders would be called as formats are");
    return false;
}

/* True when a document of this format outside the repository is available. */
static bool any_fetched(const struct bo_documents *documents, const struct bo_format *format)
{
    for (size_t i = 0; i < documents->n; i++) {
        const struct bo_document *d = &documents->items[i];
        if (d->format == format && d->present && !d->embedded && !d->scale)
            return true;
    }
    return false;
}

static bool is_chosen(const struct bo_documents *documents, const struct bo_document *document,
                      enum bo_document_choice choice)
{
    if (!document->present)
        return false;
    if (choice == BO_DOCUMENTS_EMBEDDED)
        return document->embedded;
    return !document->scale && (!document->sample || !any_fetched(documents, document->format));
}

/* Keeps the available documents of the choice. */
static bool filter(struct bo_documents *documents, enum bo_document_choice choice)
{
    bool *chosen = calloc(documents->n + 1, sizeof *chosen);
    if (!chosen) {
        fprintf(stderr, "bakeoff: out of memory\n");
        return false;
    }
    for (size_t i = 0; i < documents->n; i++)
        chosen[i] = is_chosen(documents, &documents->items[i], choice);
    size_t kept = 0;
    for (size_t i = 0; i < documents->n; i++) {
        if (chosen[i])
            documents->items[kept++] = documents->items[i];
        else
            release(&documents->items[i]);
    }
    documents->n = kept;
    free(chosen);
    return true;
}

bool bo_documents_list(const struct bo_format *format, enum bo_document_choice choice,
                       struct bo_documents *documents)
{
    *documents = (struct bo_documents){NULL, 0};
    const bool ok = list_manifest(format, documents) && list_extra(format, documents) &&
                    (choice == BO_DOCUMENTS_ALL || filter(documents, choice));
    if (!ok)
        bo_documents_free(documents);
    return ok;
}

/*
 * Appends the documents of the corpora with this name. False after a message, also when there is
 * none.
 */
static bool add_known(const struct bo_format *format, const char *name,
                      struct bo_documents *documents)
{
    struct bo_documents all;
    if (!bo_documents_list(format, BO_DOCUMENTS_ALL, &all))
        return false;
    bool ok = true, found = false;
    struct bo_suggestion near = bo_suggest(name);
    for (size_t i = 0; i < all.n && ok; i++) {
        struct bo_document *d = &all.items[i];
        bo_suggest_offer(&near, d->name);
        if (strcmp(d->name, name) != 0)
            continue;
        found = true;
        ok = append(documents, (struct bo_document){.format = d->format,
                                                    .name = strdup(d->name),
                                                    .path = strdup(d->path),
                                                    .provenance = strdup(d->provenance),
                                                    .embedded = d->embedded,
                                                    .external = d->external,
                                                    .sample = d->sample,
                                                    .scale = d->scale,
                                                    .n_drawn = d->n_drawn,
                                                    .present = d->present});
        if (!d->present) {
            fprintf(stderr, "bakeoff: %s: not fetched yet; `make corpora` fetches it\n", d->name);
            ok = false;
        }
    }
    if (ok && !found)
        fprintf(stderr,
                "bakeoff: %s: neither a file nor a document of the corpora%s; see "
                "`bakeoff list corpora`\n",
                name, bo_suggestion_text(&near));
    bo_documents_free(&all);
    return ok && found;
}

/* ---- the format of a path or name ------------------------------------------------------------ */

/* Offers the names of the format's documents to `near`, which looks for `name`. */
static bool has_document(const struct bo_format *format, const char *name,
                         struct bo_suggestion *near)
{
    struct bo_documents all;
    bool found = false;
    if (!bo_documents_list(format, BO_DOCUMENTS_ALL, &all))
        return false;
    for (size_t i = 0; i < all.n; i++) {
        found = found || fnmatch(name, all.items[i].name, FNM_NOESCAPE) == 0;
        bo_suggest_offer(near, all.items[i].name);
    }
    bo_documents_free(&all);
    return found;
}

const struct bo_format *bo_documents_format(const char *command, const char *name_or_path)
{
    char list[512] = "";
    const struct bo_format *found = NULL;
    size_t n = 0, length = 0;
    const bool is_path = access(name_or_path, F_OK) == 0, is_folder = bo_is_folder(name_or_path);
    const bool is_file = is_path && !is_folder;
    struct bo_input in = {.path = NULL};
    struct bo_suggestion near = bo_suggest(name_or_path);
    if (is_file && !bo_input_open(name_or_path, &in))
        return NULL;
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        if (is_folder ? bo_find_folder_importer((*f)->name, name_or_path) != NULL
            : is_file ? accepts(*f, in.bytes)
                      : has_document(*f, name_or_path, &near)) {
            found = *f;
            n++;
        }
        if (length < sizeof list)
            length += (size_t)snprintf(list + length, sizeof list - length, " %s", (*f)->name);
    }
    if (is_file)
        bo_input_close(&in);
    if (n == 1)
        return found;
    if (!is_path && n == 0)
        fprintf(stderr,
                "bakeoff: %s: neither a file nor a document of the corpora%s; see "
                "`bakeoff list corpora`\n",
                name_or_path, bo_suggestion_text(&near));
    else
        bo_usage_error(command, "%s: %s; --format chooses one of%s", name_or_path,
                       n ? "accepted by several formats" : "not accepted by any format", list);
    return NULL;
}

bool bo_documents_add(const struct bo_format *format, const char *name_or_path,
                      struct bo_documents *documents)
{
    const size_t n_before = documents->n;
    struct stat st;
    if (strcmp(name_or_path, "-") == 0)
        return append_path(format, name_or_path, documents);
    if (stat(name_or_path, &st) != 0)
        return add_known(format, name_or_path, documents);
    if (!S_ISDIR(st.st_mode) || bo_find_folder_importer(format->name, name_or_path))
        return append_path(format, name_or_path, documents);
    if (!append_folder(format, name_or_path, documents))
        return false;
    if (documents->n == n_before)
        fprintf(stderr, "bakeoff: %s: no documents here\n", name_or_path);
    return documents->n > n_before;
}

/* ---- loading --------------------------------------------------------------------------------- */

static bool hash_model(struct bo_document *document)
{
    struct bo_arena arena;
    struct bo_writer text;
    struct bo_error error = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    const enum bo_status status = document->format->print(document->model, &text, &error);
    if (status)
        bo_file_error(document->path, &error);
    document->hash = bo_hash(bo_writer_span(&text));
    document->text_nbytes = text.n;
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return status == BO_OK;
}

bool bo_import_folder(const struct bo_importer *importer, const char *folder,
                      struct bo_arena *arena, void **model_ret)
{
    struct bo_error error = {0};
    if (importer->import_folder(folder, arena, model_ret, &error)) {
        bo_file_error(folder, &error);
        return false;
    }
    bo_file_note(folder, &error);
    return true;
}

static bool load_file(struct bo_document *document)
{
    struct bo_input in;
    struct bo_error error = {0};
    if (!bo_input_open(document->path, &in))
        return false;
    const struct bo_importer *importer = bo_find_importer(document->format->name, in.bytes);
    const enum bo_status status =
        importer ? importer->import(in.bytes, NULL, &document->arena, &document->model, &error)
                 : document->format->parse(in.bytes, &document->arena, &document->model, &error);
    if (status)
        bo_file_error(in.path, &error);
    else
        bo_file_note(in.path, &error);
    bo_input_close(&in);
    return status == BO_OK;
}

/* Replaces the model of a real document by one that is drawn from it. */
static bool draw(struct bo_document *document)
{
    struct bo_random random = bo_random_seeded(1);
    struct bo_error error = {0};
    if (!document->format->resample(document->model, document->n_drawn, &random, &document->arena,
                                    &document->model, &error))
        return true;
    bo_file_error(document->name, &error);
    return false;
}

bool bo_document_load(struct bo_document *document)
{
    if (document->model)
        return true;
    bo_arena_init(&document->arena, BO_ARENA_UNLIMITED);
    const struct bo_importer *importer =
        bo_is_folder(document->path)
            ? bo_find_folder_importer(document->format->name, document->path)
            : NULL;
    const bool ok =
        importer ? bo_import_folder(importer, document->path, &document->arena, &document->model)
                 : load_file(document);
    return ok && (document->n_drawn == 0 || draw(document)) && hash_model(document);
}

void bo_document_unload(struct bo_document *document)
{
    bo_arena_free(&document->arena);
    document->model = NULL;
    document->recorded = NULL;
}

/* ---- recorded workloads ---------------------------------------------------------------------- */

char *bo_document_recorded_path(const struct bo_document *document)
{
    static const char *const suffixes[] = {"", ".zst", ".xz"};
    const char *slash = strrchr(document->path, '/');
    const int n_folder = slash ? (int)(slash + 1 - document->path) : 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !document->n_drawn; i++) {
        char *path = NULL;
        if (asprintf(&path, "%.*s%s.workload%s", n_folder, document->path, document->name,
                     suffixes[i]) >= 0 &&
            exists(path))
            return path;
        free(path);
    }
    return NULL;
}

void bo_recorded_say(const struct bo_input *in, const struct bo_error *err)
{
    unsigned long line = 1;
    if (err->off == BO_NO_OFFSET) {
        bo_file_error(in->path, err);
        return;
    }
    for (size_t i = 0; i < err->off && i < in->bytes.n; i++)
        line += in->bytes.p[i] == '\n';
    fprintf(stderr, "bakeoff: %s: %s at byte %llu, line %lu (%s)\n", in->path, err->what,
            (unsigned long long)err->off, line, bo_status_name(err->status));
}

struct bo_recorded *bo_recorded_load(const char *path, struct bo_arena *arena)
{
    struct bo_input in;
    struct bo_error err = {0};
    struct bo_recorded *recorded = NULL;
    if (!bo_input_open(path, &in))
        return NULL;
    const enum bo_status status = bo_recorded_parse(in.bytes, arena, &recorded, &err);
    if (status)
        bo_recorded_say(&in, &err);
    bo_input_close(&in);
    return status ? NULL : recorded;
}

bool bo_document_load_recorded(struct bo_document *document)
{
    char *path = bo_document_recorded_path(document);
    if (!path)
        return true;
    document->recorded = bo_recorded_load(path, &document->arena);
    if (document->recorded && (document->recorded->format != document->format ||
                               document->recorded->header.document != document->hash)) {
        fprintf(stderr, "bakeoff: %s: recorded on the document %016llx, and %s is %016llx\n", path,
                (unsigned long long)document->recorded->header.document, document->name,
                (unsigned long long)document->hash);
        document->recorded = NULL;
    }
    free(path);
    return document->recorded != NULL;
}

void bo_documents_leave_out(struct bo_documents *documents, size_t i)
{
    fprintf(stderr, "bakeoff: %s: left out\n", documents->items[i].path);
    bo_documents_take_off(documents, i);
}

void bo_documents_take_off(struct bo_documents *documents, size_t i)
{
    release(&documents->items[i]);
    documents->n--;
    memmove(&documents->items[i], &documents->items[i + 1],
            (documents->n - i) * sizeof *documents->items);
}

void bo_documents_free(struct bo_documents *documents)
{
    for (size_t i = 0; i < documents->n; i++)
        release(&documents->items[i]);
    free(documents->items);
    *documents = (struct bo_documents){NULL, 0};
}
