/*
 * The importer of the YAML that clang prints (-Xclang -templight-dump): the format's own text form,
 * checked and laid out canonically.
 */
#include "corpora/import/import.h"
#include "harness/registry.h"

static bool begins_with(struct bo_span file, const char *word)
{
    return file.n >= strlen(word) && memcmp(file.p, word, strlen(word)) == 0;
}

/* Documents of YAML, perhaps behind comments; a trace of nothing is an empty file. */
static bool looks_like_yaml(struct bo_span file)
{
    return file.n == 0 || begins_with(file, "---\n") || begins_with(file, "---\r\n") ||
           begins_with(file, "# ");
}

static enum bo_status import_yaml(struct bo_span file, const struct bo_import_options *options,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    (void)options;
    return bo_find_format("templight")->parse(file, arena, model_ret, err);
}

const struct bo_importer templight_yaml_importer = {
    .format = "templight",
    .name = "yaml",
    .summary = "the YAML that clang prints with -Xclang -templight-dump",
    .sniff = looks_like_yaml,
    .import = import_yaml,
};
