/*
 * The importer of state histories as text: the format's own text form, checked and laid out
 * canonically; or its state at one time.
 */
#include "codecs/statehist/model.h"
#include "corpora/import/import.h"
#include "harness/registry.h"

static bool looks_like_text(struct bo_span file)
{
    static const char magic[] = "# statehistory-tsv";
    return file.n >= sizeof magic - 1 && memcmp(file.p, magic, sizeof magic - 1) == 0;
}

static enum bo_status import_text(struct bo_span file, const struct bo_import_options *options,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    const enum bo_status status = bo_find_format("statehist")->parse(file, arena, model_ret, err);
    if (status || !options || options->instant == BO_IMPORT_ALL_TIMES)
        return status;
    return statehist_take_instant(*model_ret, (int64_t)options->instant, arena, model_ret, err);
}

static const struct bo_import_option options[] = {
    {.name = "--instant",
     .argument = "TIME",
     .help = "keep the state at this time alone: a snapshot",
     .kind = BO_IMPORT_NUMBER,
     .field = offsetof(struct bo_import_options, instant),
     .max = INT64_MAX},
    {.name = NULL},
};

const struct bo_importer statehist_text_importer = {
    .format = "statehist",
    .name = "text",
    .summary = "statehistory-tsv, the text form of state histories",
    .options = options,
    .sniff = looks_like_text,
    .import = import_text,
};
