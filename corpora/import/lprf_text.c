/*
 * The importer of LLVM's .proftext: the format's own text form, checked and laid out canonically.
 */
#include "corpora/import/import.h"
#include "harness/registry.h"

static enum bo_status import_text(struct bo_span file, const struct bo_import_options *options,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    return bo_find_format("lprf")->parse(file, arena, model_ret, err);
}

const struct bo_importer lprf_proftext_importer = {
    .format = "lprf",
    .name = "proftext",
    .summary = "LLVM's text form of a profile, .proftext",
    .sniff = bo_looks_like_text,
    .import = import_text,
};
