/* Version 4: builds a model from functions and files in any order. */
#include <stdlib.h>

#include "codecs/autofdo/v4/v4.h"

static int compare_offs(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_found(const void *a, const void *b)
{
    const struct autofdo_v4_found *x = a, *y = b;
    const int order = bo_span_compare(x->function.body.name, y->function.body.name);
    return order ? order : compare_offs(x->off, y->off);
}

static int compare_named(const void *a, const void *b)
{
    const struct autofdo_v4_named *x = a, *y = b;
    const int order = bo_span_compare(x->file.name, y->file.name);
    return order ? order : compare_offs(x->off, y->off);
}

static enum bo_status sort(struct autofdo_v4_found *functions, size_t n_functions,
                           struct autofdo_v4_named *files, size_t n_files, struct bo_error *err)
{
    if (n_functions)
        qsort(functions, n_functions, sizeof *functions, compare_found);
    if (n_files)
        qsort(files, n_files, sizeof *files, compare_named);
    for (size_t i = 1; i < n_functions; i++)
        if (bo_span_equal(functions[i - 1].function.body.name, functions[i].function.body.name))
            return bo_fail(err, BO_CORRUPT, functions[i].off, "duplicate function");
    for (size_t i = 1; i < n_files; i++)
        if (bo_span_equal(files[i - 1].file.name, files[i].file.name))
            return bo_fail(err, BO_CORRUPT, files[i].off, "duplicate file of a function");
    return BO_OK;
}

enum bo_status autofdo_v4_assemble(struct autofdo_v4_found *functions, size_t n_functions,
                                   struct autofdo_v4_named *files, size_t n_files,
                                   struct bo_arena *arena, struct autofdo_model **model_ret,
                                   struct bo_error *err)
{
    const enum bo_status status = sort(functions, n_functions, files, n_files, err);
    if (status)
        return status;
    struct autofdo_model *model = bo_alloc(arena, sizeof *model);
    struct autofdo_function *sorted = bo_alloc_array(arena, n_functions, sizeof *sorted);
    struct autofdo_file *sorted_files = bo_alloc_array(arena, n_files, sizeof *sorted_files);
    if (!model || !sorted || !sorted_files)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < n_functions; i++)
        sorted[i] = functions[i].function;
    for (size_t i = 0; i < n_files; i++)
        sorted_files[i] = files[i].file;
    *model = (struct autofdo_model){n_functions, sorted, n_files, sorted_files};
    *model_ret = model;
    return BO_OK;
}
