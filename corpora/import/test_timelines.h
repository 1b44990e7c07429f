/*
 * Attributes of a history by their paths, and whole histories, for tests of importers. Included
 * last.
 */
#ifndef BO_TEST_TIMELINES_H
#define BO_TEST_TIMELINES_H

#include <stdio.h>

#include "codecs/statehist/test_model.h"
#include "harness/core/input.h"
#include "harness/core/test_fixture.h"

/* "Threads/12/Prio"; a name's own slash is written as a bar. */
static inline uint32_t find(const struct statehist_model *model, const char *path)
{
    uint32_t parent = STATEHIST_ROOT;
    while (*path) {
        char name[64];
        const size_t n = strcspn(path, "/");
        uint32_t q = 0;
        assert_true(n < sizeof name);
        for (size_t i = 0; i < n; i++)
            name[i] = path[i] == '|' ? '/' : path[i];
        const struct bo_span wanted = {(const uint8_t *)name, n};
        while (q < model->n_quarks && !(model->attributes[q].parent == parent &&
                                        bo_span_equal(model->attributes[q].name, wanted)))
            q++;
        if (q == model->n_quarks)
            return STATEHIST_ROOT;
        parent = q;
        path += n + (path[n] == '/');
    }
    return parent;
}

/*
 * An attribute's timeline as text: "n 100:5 130:n": the first value, then changes with their times.
 */
static inline void expect_timeline(const struct statehist_model *model, const char *path,
                                   const char *expected)
{
    char text[400] = "";
    const uint32_t quark = find(model, path);
    if (quark == STATEHIST_ROOT)
        fail_msg("no %s", path);
    for (uint32_t i = model->first[quark]; i < model->first[quark + 1]; i++) {
        const struct statehist_interval *at = &model->intervals[i];
        char *to = text + strlen(text);
        if (i > model->first[quark])
            to += sprintf(to, " %d:", (int)(at->start - model->start));
        if (at->type == STATEHIST_NULL)
            sprintf(to, "n");
        else if (at->type == STATEHIST_STRING)
            sprintf(to, "%.*s", (int)model->strings[at->value].n,
                    (const char *)model->strings[at->value].p);
        else
            sprintf(to, "%d", (int)(int64_t)at->value);
    }
    if (strcmp(text, expected) != 0)
        fail_msg("%s: %s; not %s", path, text, expected);
}

/* Compares the printed text of a model with a file's bytes. */
static inline void expect_file(const void *model, const char *path)
{
    struct bo_input in;
    struct bo_writer text;
    bo_writer_init(&text, &arena);
    assert_int_equal(format->print(model, &text, NULL), BO_OK);
    assert_true(bo_input_open(path, &in));
    if (!bo_span_equal(bo_writer_span(&text), in.bytes))
        fail_msg("another history than %s", path);
    bo_input_close(&in);
    bo_writer_free(&text);
}

#endif
