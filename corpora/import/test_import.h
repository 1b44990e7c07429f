/*
 * Shared by the tests of importers: finds an importer by name, and checks which files it
 * recognises.
 *
 * The including file defines the format first: #define TEST_FORMAT "lprf".
 */
#ifndef BO_TEST_IMPORT_H
#define BO_TEST_IMPORT_H

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corpora/import/import.h"
#include "harness/core/files.h"
#include "harness/core/guard.h"
#include "harness/core/test_cmocka.h"

static inline const struct bo_importer *importer_called(const char *name)
{
    for (const struct bo_importer *const *i = bo_importers; *i; i++)
        if (strcmp((*i)->format, TEST_FORMAT) == 0 && strcmp((*i)->name, name) == 0)
            return *i;
    fail_msg("no importer %s", name);
    return NULL;
}

/*
 * Expects that the importer of this name recognises the bytes, which end at a guard page. NULL: no
 * importer does.
 */
static inline void assert_taken_by(const char *name, const void *bytes, size_t n)
{
    struct bo_guarded guarded;
    assert_true(bo_guarded_copy((struct bo_span){bytes, n}, &guarded));
    const struct bo_importer *importer = bo_find_importer(TEST_FORMAT, guarded.span);
    bo_guarded_free(&guarded);
    if (!name)
        assert_null(importer);
    else
        assert_string_equal(importer ? importer->name : "none", name);
}

/* A script in the place of a program, alone in a folder. */
struct test_tool {
    char folder[64], path[96];
};

static inline void make_tool(struct test_tool *tool, const char *name, const char *script)
{
    assert_true(bo_temporary_folder(tool->folder, sizeof tool->folder));
    snprintf(tool->path, sizeof tool->path, "%s/%s", tool->folder, name);
    assert_true(bo_output(tool->path, bo_span_of(script)));
    assert_int_equal(chmod(tool->path, 0755), 0);
}

static inline void remove_tool(const struct test_tool *tool)
{
    unlink(tool->path);
    rmdir(tool->folder);
}

#endif
