/*
 * LLVM's program on sample profiles, one row for each of its files: what LLVM itself would use in
 * the place of GCC's. Binary and extbinary are as of LLVM 14; sections are packed with zlib.
 */
#include <string.h>

#include "bench/measure/programs.h"
#include "codecs/autofdo/autofdo.h"

/* The function in the middle of the names. */
static char *middle_name(const void *opaque)
{
    const struct autofdo_model *model = opaque;
    if (model->n_functions == 0)
        return NULL;
    const struct bo_span name = model->functions[model->n_functions / 2].body.name;
    return strndup((const char *)name.p, name.n);
}

/*
 * A file that `merge` writes with the given options. `show` of one function prints only that, but
 * reads as much as LLVM has to; of all, it prints a text; `merge` writes a file of the same kind.
 */
#define ROW(symbol, title, ...)                                                               \
    static const char *const symbol##_make[] = {"merge", "--sample", __VA_ARGS__, "-o",       \
                                                "@file", "@text",    NULL};                   \
    static const struct bo_program_job symbol##_jobs[] = {                                    \
        {"start (show --version)", {"show", "--version"}},                                    \
        {"show --sample --function=NAME", {"show", "--sample", "--function=@name", "@file"}}, \
        {"show --sample", {"show", "--sample", "@file"}},                                     \
        {"merge of two", {"merge", "--sample", __VA_ARGS__, "-o", "@out", "@file", "@file"}}, \
        {NULL, {NULL}},                                                                       \
    };                                                                                        \
    const struct bo_program autofdo_llvm_##symbol = {                                         \
        .format = "autofdo",                                                                  \
        .name = title,                                                                        \
        .commands = bo_llvm_profdata_commands,                                                \
        .version_args = bo_llvm_profdata_version_args,                                        \
        .make_args = symbol##_make,                                                           \
        .jobs = symbol##_jobs,                                                                \
        .subject = middle_name,                                                               \
    };

ROW(text, "llvm-profdata, text", "--text")
ROW(binary, "llvm-profdata, binary", "--binary")
ROW(extbinary, "llvm-profdata, extbinary", "--extbinary")
ROW(extbinary_packed, "llvm-profdata, extbinary with packed sections", "--extbinary",
    "--compress-all-sections")
