/* LLVM's program for profiles, as of LLVM 14: what its users do with a profile from a shell. */
#include <string.h>

#include "bench/measure/programs.h"
#include "codecs/lprf/lprf.h"

static const char *const make_args[] = {"merge", "-o", "@file", "@text", NULL};

/*
 * `show` goes through the whole file: it prints every function whose name contains the one given.
 */
static const struct bo_program_job jobs[] = {
    {"start (show --version)", {"show", "--version"}},
    {"show --counts --function=NAME", {"show", "--counts", "--function=@name", "@file"}},
    {"show --text", {"show", "--text", "--all-functions", "@file"}},
    {"merge of two", {"merge", "-o", "@out", "@file", "@file"}},
    {NULL, {NULL}},
};

/* The function in the middle of the file. */
static char *middle_name(const void *opaque)
{
    const struct lprf_model *model = opaque;
    if (model->n_functions == 0)
        return NULL;
    const struct bo_span name = model->functions[model->n_functions / 2].name;
    return strndup((const char *)name.p, name.n);
}

const struct bo_program lprf_llvm_profdata = {
    .format = "lprf",
    .name = "llvm-profdata",
    .commands = bo_llvm_profdata_commands,
    .version_args = bo_llvm_profdata_version_args,
    .make_args = make_args,
    .jobs = jobs,
    .subject = middle_name,
};
