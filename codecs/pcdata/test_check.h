/*
 * What tests of the generic checks share: a format of one or two codecs, a document, and the
 * simplest faults. A test plants faults in `faulty`, a copy of a real codec, and runs a check on
 * it.
 */
#ifndef BO_TEST_CHECK_H
#define BO_TEST_CHECK_H

#include <stdlib.h>

#include "codecs/pcdata/pcdata.h"
#include "harness/check/check.h"
#include "harness/core/test_cmocka.h"
#include "harness/registry.h"

/* ---- a format of one or two codecs, and a document ------------------------------------------- */

static const struct bo_span text = BYTES("pcdata 1\nquantum 2\n"
                                         "table 640 kind=pcsp refs=1\n0 -1\n20 8\n30 0\n600 16\n"
                                         "table 8 kind=pcln refs=3\n0 7\n"
                                         "table 30 kind=pcdata1 refs=2\n0 -2\n6 40000\n8 -2\n");

static const struct bo_format *pcdata;
static const struct bo_codec *real; /* what a faulty codec calls */
static struct bo_codec faulty;
static const struct bo_codec *codecs[3];
static struct bo_format format;
static struct bo_arena arena;
static void *model;

static inline int set_up(void **state)
{
    pcdata = bo_find_format("pcdata");
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    return pcdata->parse(text, &arena, &model, NULL);
}

static inline int tear_down(void **state)
{
    bo_arena_free(&arena);
    return 0;
}

/* Makes `faulty` a copy of a real codec, alone in its format. */
static inline void start_from(const char *name)
{
    real = bo_find_codec(pcdata, name);
    assert_non_null(real);
    faulty = *real;
    faulty.name = "faulty";
    codecs[0] = &faulty;
    codecs[1] = codecs[2] = NULL;
    format = *pcdata;
    format.codecs = codecs;
}

static inline struct bo_effort small_effort(void)
{
    struct bo_effort effort = bo_effort_default();
    effort.max_damage_full = 400;
    effort.n_damage_sample = 20;
    return effort;
}

static inline struct bo_check_result run_check(const char *name)
{
    const struct bo_effort effort = small_effort();
    return bo_find_check(name)->run(&format, &faulty, model, &effort);
}

/* Whether the document's bytes pass without anybody who wants to know the finding. */
static inline bool passes_silently(void)
{
    struct bo_writer out;
    const struct bo_effort effort = small_effort();
    bo_writer_init(&out, &arena);
    assert_int_equal(faulty.encode(&faulty, model, &out, NULL), BO_OK);
    const bool ok = bo_check_bytes(&format, &faulty, bo_writer_span(&out), &effort, NULL, NULL);
    bo_writer_free(&out);
    return ok;
}

/* ---- faults that more than one test plants --------------------------------------------------- */

static unsigned n_calls; /* of the fault at work; each use of a fault starts at 0 */

static inline enum bo_status fail_read(const struct bo_codec *self, struct bo_span in,
                                       struct bo_arena *a, void **ret, struct bo_error *err)
{
    (void)in, (void)a, (void)ret;
    return bo_fail(err, BO_CORRUPT, 5, "planted");
}

/* Takes the last run of the first table away. */
static inline void drop_run(void *m)
{
    struct pcdata_table *tables =
        (struct pcdata_table *)(uintptr_t)((struct pcdata_model *)m)->tables;
    if (((struct pcdata_model *)m)->n_tables && tables[0].n_runs > 1)
        tables[0].n_runs--;
}

#endif
