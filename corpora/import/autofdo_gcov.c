/*
 * The importer of GCC's AutoFDO profiles, .gcov or .afdo: an independent reader of all layouts in
 * use.
 *
 * Versions: 0x3430372a and 1 have strings with a length in words, padded with NULs to a full word.
 * 2 has strings with a length in bytes and one NUL. 3 is like 2, with a summary, files and
 * timestamps in addition.
 *
 * All integers are little-endian. Sections have a fixed order. Real files have wrong section
 * lengths, so every reader ignores them. The summary is computed again from the counts. A profile
 * must be complete; GCC reads zeros past the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "corpora/import/autofdo_fold.h"
#include "corpora/import/import.h"

enum {
    MAGIC = 0x67636461, /* "adcg" in the file */
    VERSION_407 = 0x3430372a,
    VERSION_1 = 1,
    VERSION_2 = 2,
    VERSION_3 = 3,
    INDIRECT_CALLS = 7, /* the one type of histogram */
    WORD_NBYTES = 4,
};

#define TAG_SUMMARY 0xa8000000u
#define TAG_NAMES 0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES 0xae000000u
#define TAG_WORKING_SET 0xaf000000u
#define NO_FILE UINT32_MAX

/* The smallest sizes of things in a file. */
enum {
    HEAD_NBYTES = 8,
    TIMESTAMP_NBYTES = 8,
    INSTANCE_NBYTES = 12,
    RECORD_NBYTES = 16,
    CALLSITE_NBYTES = 4 + INSTANCE_NBYTES,
    TARGET_NBYTES = 20,
};

struct string {
    struct bo_span text;
    size_t off; /* in the file */
};

struct name {
    struct string string;
    struct name *same; /* the first name of the same text; in a HEAD file, several may have it */
    uint32_t own_file; /* of this entry of the table */
    uint32_t file;     /* the first known file of this text, in `same` */
    bool sound;        /* functions may have this name; in `same` */
    bool has_body;     /* a function or a callee of this profile has this name; in `same` */
    bool is_function;  /* of its own */
};

struct reader {
    struct bo_cursor in;
    struct bo_arena *arena;
    struct bo_error *err;
    bool padded;   /* strings are counted in words */
    bool extended; /* summary, files, timestamps */
    uint32_t n_files, n_names;
    struct string *files;
    struct name *names;
    struct name **sorted; /* by text */
    /*
     * The minimum size of announced things that are not read yet. It limits the memory for
     * announced things to a few times the size of the file.
     */
    uint64_t n_announced;
};

/* ---- integers, strings, announcements -------------------------------------------------------- */

static enum bo_status fail_here(struct reader *r, enum bo_status status, const char *what)
{
    return bo_fail_here(r->err, status, &r->in, what);
}

static enum bo_status fail_end(struct reader *r)
{
    return fail_here(r, BO_TRUNCATED, "file ends inside the profile");
}

static enum bo_status fail_alloc(struct reader *r)
{
    return bo_fail_alloc(r->err, r->arena);
}

static enum bo_status get_u32(struct reader *r, uint32_t *v_ret)
{
    return bo_get_le32(&r->in, v_ret) ? BO_OK : fail_end(r);
}

static enum bo_status get_u64(struct reader *r, uint64_t *v_ret)
{
    return bo_get_le64(&r->in, v_ret) ? BO_OK : fail_end(r);
}

/* Counts are signed in GCC. */
static enum bo_status get_count(struct reader *r, uint64_t *v_ret)
{
    const size_t off = r->in.off;
    const enum bo_status status = get_u64(r, v_ret);
    if (status || *v_ret <= INT64_MAX)
        return status;
    return bo_fail(r->err, BO_CORRUPT, off, "count of 2^63 or more");
}

static enum bo_status expect(struct reader *r, uint32_t wanted, enum bo_status otherwise,
                             const char *what)
{
    const size_t off = r->in.off;
    uint32_t found;
    const enum bo_status status = get_u32(r, &found);
    if (status || found == wanted)
        return status;
    return bo_fail(r->err, otherwise, off, what);
}

/* A section's tag and its length, which is ignored. */
static enum bo_status get_section(struct reader *r, uint32_t tag, const char *what)
{
    uint32_t ignored;
    const enum bo_status status = expect(r, tag, BO_CORRUPT, what);
    return status ? status : get_u32(r, &ignored);
}

static enum bo_status announce(struct reader *r, uint64_t n, unsigned nbytes, size_t off,
                               const char *what)
{
    const uint64_t left = bo_left(&r->in);
    if (left < r->n_announced || n * nbytes > left - r->n_announced)
        return bo_fail(r->err, BO_TRUNCATED, off, what);
    r->n_announced += n * nbytes;
    return BO_OK;
}

/* Announced things are being read now. */
static void arrive(struct reader *r, unsigned nbytes)
{
    r->n_announced -= nbytes;
}

/*
 * Reads the number of things, each of at least nbytes, and allocates an array for them. The caller
 * calls arrive for each.
 */
static enum bo_status get_array(struct reader *r, unsigned nbytes, size_t size, uint32_t *n_ret,
                                void *array_ret, const char *what)
{
    const size_t off = r->in.off;
    enum bo_status status = get_u32(r, n_ret);
    if (!status)
        status = announce(r, *n_ret, nbytes, off, what);
    if (status)
        return status;
    void *array = bo_zalloc_array(r->arena, *n_ret, size);
    memcpy(array_ret, &array, sizeof array);
    return array ? BO_OK : fail_alloc(r);
}

static enum bo_status get_string(struct reader *r, struct string *string_ret)
{
    const size_t off = r->in.off;
    const uint8_t *p;
    uint32_t length;
    const enum bo_status status = get_u32(r, &length);
    if (status)
        return status;
    const uint64_t nbytes = (uint64_t)length * (r->padded ? WORD_NBYTES : 1);
    if (nbytes > bo_left(&r->in))
        return bo_fail(r->err, BO_TRUNCATED, off, "string is longer than the rest of the file");
    string_ret->off = r->in.off;
    if (!bo_get_bytes(&r->in, (size_t)nbytes, &p))
        return fail_end(r);
    const uint8_t *end = memchr(p, 0, (size_t)nbytes);
    if (!end)
        return bo_fail(r->err, BO_CORRUPT, string_ret->off, "string is not terminated");
    string_ret->text = (struct bo_span){p, (size_t)(end - p)};
    /* The terminator takes one byte, or the rest of a word. */
    const size_t n_end = (size_t)nbytes - string_ret->text.n;
    for (size_t i = 0; i < n_end; i++)
        if (end[i] || i == (r->padded ? WORD_NBYTES : 1))
            return bo_fail(r->err, BO_CORRUPT, string_ret->off + string_ret->text.n + i,
                           "string continues after its terminator");
    return BO_OK;
}

/* ---- header and summary ---------------------------------------------------------------------- */

static enum bo_status get_header(struct reader *r)
{
    uint32_t version, ignored, tag = 0;
    enum bo_status status = expect(r, MAGIC, BO_CORRUPT, "no AutoFDO profile of GCC");
    const size_t off = r->in.off;
    if (!status)
        status = get_u32(r, &version);
    if (!status)
        status = get_u32(r, &ignored);
    if (status)
        return status;
    if (version != VERSION_407 && (version < VERSION_1 || version > VERSION_3))
        return bo_fail(r->err, BO_UNSUPPORTED, off, "version is not 0x3430372a, 1, 2 or 3");
    if (bo_left(&r->in) >= sizeof tag)
        tag = bo_le32(r->in.p + r->in.off);
    /* By default, a tool writes the layout of version 3 under 0x3430372a. */
    r->extended = version == VERSION_3 || (version == VERSION_407 && tag == TAG_SUMMARY);
    r->padded = !r->extended && version != VERSION_2;
    return BO_OK;
}

/*
 * Skips the summary: five totals, then entries of a cutoff, a count and a number of counters. It
 * has no length.
 */
static enum bo_status pass_summary(struct reader *r)
{
    enum { TOTALS_NBYTES = 5 * 8, ENTRY_NBYTES = 4 + 8 + 8 };
    const uint8_t *ignored;
    uint64_t n;
    enum bo_status status = expect(r, TAG_SUMMARY, BO_CORRUPT, "no summary where it has to be");
    if (status)
        return status;
    if (!bo_get_bytes(&r->in, TOTALS_NBYTES, &ignored))
        return fail_end(r);
    const size_t off = r->in.off;
    status = get_u64(r, &n);
    if (status)
        return status;
    if (n > bo_left(&r->in) / ENTRY_NBYTES)
        return bo_fail(r->err, BO_TRUNCATED, off,
                       "more entries than the rest of the file can hold");
    bo_get_bytes(&r->in, (size_t)n * ENTRY_NBYTES, &ignored);
    return BO_OK;
}

/* ---- names and files ------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const struct name *x = *(const struct name *const *)a, *y = *(const struct name *const *)b;
    const int order = bo_span_compare(x->string.text, y->string.text);
    return order ? order : (x > y) - (x < y);
}

/* Copies the names in their order, so that their addresses compare like names. */
static enum bo_status sort_names(struct reader *r)
{
    size_t nbytes = 0;
    r->sorted = bo_alloc_array(r->arena, r->n_names, sizeof *r->sorted);
    if (!r->sorted)
        return fail_alloc(r);
    for (uint32_t i = 0; i < r->n_names; i++) {
        r->sorted[i] = &r->names[i];
        nbytes += r->names[i].string.text.n;
    }
    if (r->n_names > 1)
        qsort(r->sorted, r->n_names, sizeof *r->sorted, compare_names);
    uint8_t *p = bo_alloc(r->arena, nbytes);
    if (!p)
        return fail_alloc(r);
    for (uint32_t i = 0; i < r->n_names; i++) {
        struct name *name = r->sorted[i], *before = i ? r->sorted[i - 1]->same : NULL;
        if (before && bo_span_equal(before->string.text, name->string.text)) {
            name->same = before;
            if (before->file == NO_FILE)
                before->file = name->file;
            continue;
        }
        name->same = name;
        if (name->string.text.n)
            memcpy(p, name->string.text.p, name->string.text.n);
        name->string.text.p = p;
        p += name->string.text.n;
    }
    return BO_OK;
}

static enum bo_status get_file_names(struct reader *r)
{
    enum bo_status status = get_array(r, WORD_NBYTES, sizeof *r->files, &r->n_files, &r->files,
                                      "more files than the rest of the file can hold");
    for (uint32_t i = 0; i < r->n_files && !status; i++) {
        arrive(r, WORD_NBYTES);
        status = get_string(r, &r->files[i]);
    }
    return status;
}

static enum bo_status get_file_index(struct reader *r, uint32_t *file_ret)
{
    const size_t off = r->in.off;
    const enum bo_status status = get_u32(r, file_ret);
    if (status || *file_ret == NO_FILE || *file_ret < r->n_files)
        return status;
    return bo_fail(r->err, BO_CORRUPT, off, "file of a name is not in the file table");
}

static enum bo_status get_names(struct reader *r)
{
    const unsigned nbytes = r->extended ? 2 * WORD_NBYTES : WORD_NBYTES;
    enum bo_status status = get_section(r, TAG_NAMES, "no names where they have to be");
    if (!status && r->extended)
        status = get_file_names(r);
    if (!status)
        status = get_array(r, nbytes, sizeof *r->names, &r->n_names, &r->names,
                           "more names than the rest of the file can hold");
    for (uint32_t i = 0; i < r->n_names && !status; i++) {
        arrive(r, nbytes);
        r->names[i].file = NO_FILE;
        status = get_string(r, &r->names[i].string);
        if (!status && r->extended)
            status = get_file_index(r, &r->names[i].file);
        r->names[i].own_file = r->names[i].file;
    }
    return status ? status : sort_names(r);
}

/* The name of a function, callee or target. `off` is the offset of its use. */
static enum bo_status use_name(struct reader *r, uint64_t index, size_t off, struct name **name_ret)
{
    if (index >= r->n_names)
        return bo_fail(r->err, BO_CORRUPT, off, "name is not in the name table");
    struct name *name = r->names[index].same;
    const char *flaw = name->sound ? NULL : autofdo_name_flaw(name->string.text);
    if (flaw)
        return bo_fail(r->err, BO_CORRUPT, name->string.off, flaw);
    name->sound = true;
    *name_ret = name;
    return BO_OK;
}

/* ---- functions ------------------------------------------------------------------------------- */

static enum bo_status get_target(struct reader *r, struct autofdo_target *target)
{
    struct name *name;
    uint64_t index;
    arrive(r, TARGET_NBYTES);
    enum bo_status status =
        expect(r, INDIRECT_CALLS, BO_UNSUPPORTED, "histogram of another type than that of calls");
    const size_t off = r->in.off;
    if (!status)
        status = get_u64(r, &index);
    if (!status)
        status = use_name(r, index, off, &name);
    if (!status)
        status = get_count(r, &target->count);
    if (!status)
        target->name = name->string.text;
    return status;
}

/* A word contains a line and a discriminator. */
static enum bo_status get_place(struct reader *r, uint32_t *line_ret, uint32_t *discriminator_ret)
{
    uint32_t word = 0;
    const enum bo_status status = get_u32(r, &word);
    *line_ret = word >> 16;
    *discriminator_ret = word & 0xffff;
    return status;
}

static enum bo_status get_record(struct reader *r, struct autofdo_record *record)
{
    struct autofdo_target *targets;
    uint32_t n;
    arrive(r, RECORD_NBYTES);
    enum bo_status status = get_place(r, &record->line, &record->discriminator);
    if (status)
        return status;
    const size_t off = r->in.off;
    status = get_u32(r, &n);
    if (!status)
        status = get_count(r, &record->count);
    if (!status)
        status =
            announce(r, n, TARGET_NBYTES, off, "more targets than the rest of the file can hold");
    if (status)
        return status;
    targets = bo_alloc_array(r->arena, n, sizeof *targets);
    if (!targets)
        return fail_alloc(r);
    for (uint32_t i = 0; i < n && !status; i++)
        status = get_target(r, &targets[i]);
    record->n_targets = n;
    record->targets = targets;
    return status;
}

static enum bo_status get_instance(struct reader *r, unsigned depth,
                                   struct autofdo_instance *instance);

static enum bo_status get_callsite(struct reader *r, unsigned depth,
                                   struct autofdo_callsite *callsite)
{
    arrive(r, CALLSITE_NBYTES);
    const enum bo_status status = get_place(r, &callsite->line, &callsite->discriminator);
    return status ? status : get_instance(r, depth + 1, &callsite->callee);
}

/*
 * Reads the three numbers at an instance's start, and allocates memory for the things that they
 * announce.
 */
static enum bo_status get_instance_head(struct reader *r, struct autofdo_instance *instance,
                                        struct autofdo_record **records_ret,
                                        struct autofdo_callsite **callsites_ret)
{
    const size_t off = r->in.off;
    uint32_t index, n_records, n_callsites;
    struct name *name;
    enum bo_status status = get_u32(r, &index);
    if (!status)
        status = get_u32(r, &n_records);
    if (!status)
        status = get_u32(r, &n_callsites);
    if (!status)
        status = use_name(r, index, off, &name);
    if (!status)
        status = announce(r, n_records, RECORD_NBYTES, off + 4,
                          "more records than the rest of the file can hold");
    if (!status)
        status = announce(r, n_callsites, CALLSITE_NBYTES, off + 8,
                          "more callsites than the rest of the file can hold");
    if (status)
        return status;
    *records_ret = bo_alloc_array(r->arena, n_records, sizeof **records_ret);
    *callsites_ret = bo_alloc_array(r->arena, n_callsites, sizeof **callsites_ret);
    if (!*records_ret || !*callsites_ret)
        return fail_alloc(r);
    name->has_body = true;
    *instance = (struct autofdo_instance){name->string.text, n_records, n_callsites, *records_ret,
                                          *callsites_ret};
    return BO_OK;
}

static enum bo_status get_instance(struct reader *r, unsigned depth,
                                   struct autofdo_instance *instance)
{
    struct autofdo_record *records;
    struct autofdo_callsite *callsites;
    if (depth > AUTOFDO_MAX_DEPTH)
        return fail_here(r, BO_OVER_LIMIT, "inlined instances are nested more than 256 deep");
    enum bo_status status = get_instance_head(r, instance, &records, &callsites);
    if (status)
        return status;
    for (size_t i = 0; i < instance->n_records && !status; i++)
        status = get_record(r, &records[i]);
    for (size_t i = 0; i < instance->n_callsites && !status; i++)
        status = get_callsite(r, depth, &callsites[i]);
    return status;
}

static enum bo_status get_function(struct reader *r, struct autofdo_function *function)
{
    enum bo_status status = get_count(r, &function->head);
    if (!status && r->extended)
        status = get_u64(r, &function->timestamp);
    const size_t at = r->in.off; /* of the name */
    if (!status)
        status = get_instance(r, 1, &function->body);
    if (!status)
        r->names[bo_le32(r->in.p + at)].is_function = true;
    return status;
}

static enum bo_status get_functions(struct reader *r, struct autofdo_function **functions_ret,
                                    size_t *n_ret)
{
    const unsigned nbytes = HEAD_NBYTES + INSTANCE_NBYTES + (r->extended ? TIMESTAMP_NBYTES : 0);
    uint32_t n = 0;
    enum bo_status status = get_section(r, TAG_FUNCTIONS, "no functions where they have to be");
    if (!status)
        status = get_array(r, nbytes, sizeof **functions_ret, &n, functions_ret,
                           "more functions than the rest of the file can hold");
    for (uint32_t i = 0; i < n && !status; i++) {
        arrive(r, nbytes);
        status = get_function(r, *functions_ret + i);
    }
    *n_ret = n;
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

/*
 * Skips the end: no modules, then the working set: 128 pairs of a number of counters and a count.
 * Some tools write one word 0 instead.
 */
static enum bo_status pass_end(struct reader *r)
{
    enum { WORKING_SET_NBYTES = 128 * (4 + 8), SHORT_LENGTH = 4 };
    const uint8_t *ignored;
    uint32_t length;
    enum bo_status status = get_section(r, TAG_MODULES, "no module group where it has to be");
    if (!status)
        status = expect(r, 0, BO_UNSUPPORTED, "groups of modules are not read");
    if (!status)
        status = expect(r, TAG_WORKING_SET, BO_CORRUPT, "no working set where it has to be");
    if (!status)
        status = get_u32(r, &length);
    if (!status && length == SHORT_LENGTH)
        status = expect(r, 0, BO_CORRUPT, "working set of one word that is not 0");
    else if (!status && !bo_get_bytes(&r->in, WORKING_SET_NBYTES, &ignored))
        status = fail_end(r);
    if (!status && bo_left(&r->in))
        status = fail_here(r, BO_CORRUPT, "bytes after the working set");
    return status;
}

/* Copies each path once, however many functions its file defines. */
static enum bo_status use_file(struct reader *r, uint32_t index, bool *used,
                               struct bo_span *path_ret)
{
    struct string *file = &r->files[index];
    if (!used[index]) {
        const char *flaw = autofdo_path_flaw(file->text);
        if (flaw)
            return bo_fail(r->err, BO_CORRUPT, file->off, flaw);
        uint8_t *p = bo_alloc(r->arena, file->text.n);
        if (!p)
            return fail_alloc(r);
        if (file->text.n)
            memcpy(p, file->text.p, file->text.n);
        file->text.p = p;
        used[index] = true;
    }
    *path_ret = file->text;
    return BO_OK;
}

/* Collects each function and callee whose file is in the table of names. */
static enum bo_status collect_files(struct reader *r, struct autofdo_model *model)
{
    bool *used = bo_zalloc_array(r->arena, r->n_files, sizeof *used);
    struct autofdo_file *files = bo_alloc_array(r->arena, r->n_names, sizeof *files);
    if (!used || !files)
        return fail_alloc(r);
    for (uint32_t i = 0; i < r->n_names; i++) {
        const struct name *name = r->sorted[i];
        if (!name->has_body || name->file == NO_FILE)
            continue;
        struct autofdo_file *file = &files[model->n_files++];
        file->name = name->string.text;
        const enum bo_status status = use_file(r, name->file, used, &file->path);
        if (status)
            return status;
    }
    model->files = files;
    return BO_OK;
}

/*
 * A name with several files belongs to several functions, which become one, as in LLVM's formats. A
 * note states how many functions were merged.
 */
static enum bo_status note_files(const struct reader *r)
{
    enum { MAX_NBYTES = 120 };
    const struct name *before = NULL; /* the last function with a body */
    size_t n = 0;
    for (uint32_t i = 0; i < r->n_names; i++) {
        const struct name *name = r->sorted[i];
        if (!name->is_function)
            continue;
        n += before && before->same == name->same && before->own_file != name->own_file;
        before = name;
    }
    if (!n || !r->err)
        return BO_OK;
    char *text = bo_alloc(r->arena, MAX_NBYTES);
    if (!text)
        return bo_fail_alloc(r->err, r->arena);
    snprintf(text, MAX_NBYTES,
             "functions that are added to one of the same name in another file: %zu", n);
    return bo_fail(r->err, BO_OK, BO_NO_OFFSET, text);
}

static enum bo_status import_gcov(struct bo_span file, const struct bo_import_options *options,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct reader r = {.in = bo_cursor(file), .arena = arena, .err = err};
    struct autofdo_function *functions = NULL;
    struct autofdo_model *model = bo_zalloc_array(arena, 1, sizeof *model);
    if (!model)
        return bo_fail_alloc(err, arena);
    enum bo_status status = get_header(&r);
    if (!status && r.extended)
        status = pass_summary(&r);
    if (!status)
        status = get_names(&r);
    if (!status)
        status = get_functions(&r, &functions, &model->n_functions);
    if (!status)
        status = pass_end(&r);
    if (!status && !autofdo_fold(functions, &model->n_functions, arena))
        status = bo_fail_alloc(err, arena);
    if (!status)
        status = collect_files(&r, model);
    if (status)
        return status;
    model->functions = functions;
    *model_ret = model;
    return note_files(&r);
}

static bool has_magic(struct bo_span file)
{
    return file.n >= WORD_NBYTES && bo_le32(file.p) == MAGIC;
}

const struct bo_importer autofdo_gcov_importer = {
    .format = "autofdo",
    .name = "gcov",
    .summary = "GCC's AutoFDO profile, versions 0x3430372a, 1, 2 and 3",
    .sniff = has_magic,
    .import = import_gcov,
};
