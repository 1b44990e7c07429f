/*
 * The importer of lists of symbols, one per line. They become profiles of any size: names are real,
 * and each function gets the hash and the counters of a function drawn from a real profile.
 */
#include "codecs/lprf/model.h"
#include "corpora/import/import.h"
#include "harness/registry.h"

/* ---- the list -------------------------------------------------------------------------------- */

/* The position in the list, and the selection of its names: evenly spaced ones. */
struct list {
    struct bo_span file;
    size_t off;
    uint64_t n, n_kept; /* names in the file, and the number to keep */
    /* grows by n_kept per name, modulo n: a name that makes it wrap around is kept */
    uint64_t phase;
};

/* The next line without its end; false at the end of the file. */
static bool next_line(struct list *list, struct bo_span *name_ret)
{
    if (list->off == list->file.n)
        return false;
    const uint8_t *start = list->file.p + list->off;
    const uint8_t *end = memchr(start, '\n', list->file.n - list->off);
    *name_ret = (struct bo_span){start, end ? (size_t)(end - start) : list->file.n - list->off};
    list->off += name_ret->n + (end ? 1 : 0);
    return true;
}

static bool next_kept(struct list *list, struct bo_span *name_ret)
{
    while (next_line(list, name_ret)) {
        list->phase += list->n_kept;
        if (list->phase >= list->n) {
            list->phase -= list->n;
            return true;
        }
    }
    return false;
}

static void rewind_list(struct list *list)
{
    list->off = 0;
    list->phase = list->n - list->n_kept; /* keeps the first name */
}

static enum bo_status open_list(struct bo_span file, uint64_t max_functions, struct list *list,
                                struct bo_error *err)
{
    struct bo_span name;
    *list = (struct list){.file = file};
    for (; next_line(list, &name); list->n++)
        if (name.n == 0)
            return bo_fail(err, BO_CORRUPT, (uint64_t)(name.p - file.p), "line without a name");
    if (list->n > SIZE_MAX / sizeof(struct lprf_function))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "too many names");
    list->n_kept = max_functions == 0 || max_functions > list->n ? list->n : max_functions;
    rewind_list(list);
    return BO_OK;
}

/* ---- the profile ----------------------------------------------------------------------------- */

/* Reads the profile that counters are drawn from. */
static enum bo_status read_like(const struct bo_import_options *options, struct bo_arena *arena,
                                const struct lprf_model **like_ret, struct bo_error *err)
{
    void *like = NULL;
    if (!options || !options->counters_like.p)
        return bo_fail(
            err, BO_BAD_USAGE, BO_NO_OFFSET,
            "names have no counters: take some from a profile with --counters-like FILE");
    const enum bo_status status =
        bo_find_format("lprf")->parse(options->counters_like, arena, &like, err);
    if (status == BO_NO_MEMORY || status == BO_OVER_LIMIT)
        return status;
    if (status)
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET,
                       "the file of --counters-like is not a profile in text form");
    *like_ret = like;
    if ((*like_ret)->n_functions == 0 || (*like_ret)->n_functions > UINT32_MAX)
        return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET,
                       "the profile that --counters-like names has no functions to draw from");
    return BO_OK;
}

static bool copy_name(struct bo_span name, struct bo_arena *arena, struct bo_span *copy_ret)
{
    uint8_t *p = bo_alloc(arena, name.n);
    if (!p)
        return false;
    memcpy(p, name.p, name.n);
    *copy_ret = (struct bo_span){p, name.n};
    return true;
}

/* The offset in the file of the i-th kept name. */
static uint64_t place_of(struct list *list, size_t i)
{
    struct bo_span name = {list->file.p, 0};
    rewind_list(list);
    for (size_t k = 0; k <= i; k++)
        if (!next_kept(list, &name))
            return BO_NO_OFFSET;
    return (uint64_t)(name.p - list->file.p);
}

static enum bo_status import_names(struct bo_span file, const struct bo_import_options *options,
                                   struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct list list;
    const struct lprf_model *like = NULL;
    enum bo_status status = read_like(options, arena, &like, err);
    if (!status)
        status = open_list(file, options->max_functions, &list, err);
    if (status)
        return status;
    struct lprf_model *model = bo_alloc(arena, sizeof *model);
    struct lprf_function *functions = bo_alloc_array(arena, (size_t)list.n_kept, sizeof *functions);
    if (!model || !functions)
        return bo_fail_alloc(err, arena);
    struct bo_random random = bo_random_seeded(options->seed);
    struct bo_span name;
    size_t n = 0, flawed;
    for (; next_kept(&list, &name); n++) {
        const uint32_t drawn = bo_random_below(&random, (uint32_t)like->n_functions);
        functions[n] = like->functions[drawn];
        if (!copy_name(name, arena, &functions[n].name))
            return bo_fail_alloc(err, arena);
    }
    *model = (struct lprf_model){n, functions};
    struct bo_error error = {0};
    status = lprf_check_rules(model, arena, &flawed, &error);
    if (status == BO_CORRUPT)
        return bo_fail(err, status, place_of(&list, flawed), error.what);
    if (status)
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}

/* ---- the importer ---------------------------------------------------------------------------- */

/* A list of names looks like any text, so it is only used on request. */
static bool never(struct bo_span file)
{
    return false;
}

static const struct bo_import_option names_options[] = {
    {"--names", NULL, "the file is a list of names, one a line", BO_IMPORT_SELECT, 0, 0, 0},
    {"--counters-like", "FILE", "draw hashes and counters from the functions of this .proftext",
     BO_IMPORT_FILE, offsetof(struct bo_import_options, counters_like), 0, 0},
    {"--seed", "S", "of that draw (default 1)", BO_IMPORT_NUMBER,
     offsetof(struct bo_import_options, seed), UINT64_MAX, 0},
    {"--functions", "N", "keep N names, evenly spaced in the list", BO_IMPORT_NUMBER,
     offsetof(struct bo_import_options, max_functions), UINT64_MAX, 1},
    {.name = NULL},
};

const struct bo_importer lprf_names_importer = {
    .format = "lprf",
    .name = "names",
    .summary = "a list of symbols (--names), with counters like a real profile's",
    .options = names_options,
    .sniff = never,
    .import = import_names,
};
