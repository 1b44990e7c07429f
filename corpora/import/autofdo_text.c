/*
 * The importer of LLVM's sample profiles as text: the format's own text form, checked and laid out
 * canonically.
 */
#include "corpora/import/import.h"
#include "harness/registry.h"

static enum bo_status import_text(struct bo_span file, const struct bo_import_options *options,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    return bo_find_format("autofdo")->parse(file, arena, model_ret, err);
}

const struct bo_importer autofdo_text_importer = {
    .format = "autofdo",
    .name = "text",
    .summary = "LLVM's text form of a sample profile",
    .sniff = bo_looks_like_text,
    .import = import_text,
};
