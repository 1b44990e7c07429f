/*
 * Recorded workloads. Why: the files come from other programs. A query that is misread, or counted
 * in the wrong action, would change a ranking unnoticed.
 */
#include <stdlib.h>

#include "harness/recorded.h"
#include "harness/registry.h"

#define TEST_FORMAT "pcdata"
#include "harness/core/test_fixture.h"

#define HEADER                       \
    "# bakeoff-workload 1\n"         \
    "# format: pcdata\n"             \
    "# document: 00000000000000ff\n" \
    "# program: a program, -n 3\n"   \
    "# version: 1.2\n"               \
    "# recorded: by hand\n"

static const char sample[] = HEADER "# stretch: 7\n"
                                    "action\topen \\t\\\\\n"
                                    "point\t0\t4\n"
                                    "hit\tpoint\t1\t8\n"
                                    "scan\t1\n"
                                    "point\t2\t0\n"
                                    "action\tclose\n"
                                    "scan\t0";

static enum bo_status parse(const char *text, size_t n, struct bo_recorded **recorded_ret,
                            struct bo_error *err)
{
    return bo_recorded_parse((struct bo_span){(const uint8_t *)text, n}, &arena, recorded_ret, err);
}

static bool is_text(struct bo_span span, const char *text)
{
    return span.n == strlen(text) && memcmp(span.p, text, span.n) == 0;
}

TEST(test_sample)
{
    struct bo_recorded *r;
    assert_int_equal(parse(sample, strlen(sample), &r, NULL), BO_OK);
    assert_ptr_equal(r->format, format);
    assert_true(r->header.document == 0xff && r->header.stretch == 7);
    assert_true(is_text(r->header.program, "a program, -n 3"));
    assert_true(is_text(r->header.version, "1.2") && is_text(r->header.means, "by hand"));
    const struct bo_recorded_kind *points = &r->kinds[0], *scans = &r->kinds[1];
    assert_int_equal(points->n, 3);
    assert_int_equal(points->n_hits, 1);
    assert_int_equal(scans->n, 2);
    static const uint32_t expected[] = {0, 4, 1, 8, 2, 0};
    assert_memory_equal(points->queries, expected, sizeof expected);
    assert_true(points->places[1].hit && !points->places[2].hit);
    assert_true(memcmp(sample + points->places[1].off, "hit", 3) == 0);
    assert_int_equal(r->n_actions, 2);
    assert_true(is_text(r->actions[0].name, "open \t\\"));
    assert_int_equal(r->actions[0].n, 3); /* a run of points, a scan, a run of points */
    assert_int_equal(r->runs[0].n, 2);
    assert_int_equal(r->actions[1].first, 3);
    assert_int_equal(scans->places[1].action, 1);
}

TEST(test_workloads)
{
    struct bo_recorded *r;
    struct bo_workload workloads[BO_N_RECORDED_WORKLOADS];
    unsigned n;
    assert_int_equal(parse(sample, strlen(sample), &r, NULL), BO_OK);
    assert_int_equal(bo_recorded_workloads(r, 0, &arena, workloads, &n, NULL), BO_OK);
    assert_int_equal(n, 3);
    assert_string_equal(workloads[0].name, "recorded");
    assert_int_equal(workloads[0].n_queries, 2);
    static const uint32_t missed[] = {0, 4, 2, 0};
    assert_memory_equal(workloads[0].given->queries, missed, sizeof missed);
    assert_string_equal(workloads[1].name, "recorded-all");
    assert_int_equal(workloads[1].n_queries, 3);
    static const uint32_t all[] = {0, 4, 1, 8, 2, 0};
    assert_memory_equal(workloads[1].given->queries, all, sizeof all);
    assert_true(workloads[2].cold);
    assert_int_equal(bo_recorded_workloads(r, 1, &arena, workloads, &n, NULL), BO_OK);
    assert_int_equal(n, 2); /* without hits */
    assert_string_equal(workloads[1].name, "recorded-cold");
    assert_int_equal(workloads[1].given->n_starts, 1);
    assert_int_equal(workloads[1].given->starts[0], 1);
}

/* The file, and the offset and phrase of the error. */
static const struct {
    const char *text, *at, *what;
} bad[] = {
    {"", "", "first line is not \"# bakeoff-workload 1\""},
    {"# bakeoff-workload 2\n", "# ", "first line is not \"# bakeoff-workload 1\""},
    {"# bakeoff-workload 1\n# format: nothing\n", "# format", "unknown format"},
    {"# bakeoff-workload 1\n# document: 1\n", "# document",
     "document's digest is not 16 lower-case hexadecimal digits"},
    {"# bakeoff-workload 1\n# colour: red\n", "# colour", "unknown field of the header"},
    {HEADER "# stretch: 0\n", "# stretch", "stretch is not a number from 1 to 1048576"},
    {HEADER "# version: 3\n", "# version: 3", "field of the header occurs twice"},
    {"# bakeoff-workload 1\n# format: pcdata\npoint\t0\t0\n", "point",
     "header lacks format, document, program, version or recorded"},
    {HEADER "point\t0\t0\n# end\n", "# end", "header line after the first query"},
    {HEADER "jump\t0\t0\n", "jump", "unknown query kind"},
    {HEADER "\n", "\n", "unknown query kind"},
    {HEADER "hit\n", "hit", "`hit` without a query"},
    {HEADER "hit\tjump\n", "jump", "unknown query kind"},
    {HEADER "point\t0\n", "point", "expects a table number and a PC"},
    {HEADER "scan\t\\x\n", "\\x", "escape is not one of \\t, \\n, \\r, \\\\"},
    {HEADER "scan\t0\naction\ta\n", "action", "query precedes the first action"},
    {HEADER "action\ta\naction\tb\n", "action\tb", "previous action has no queries"},
    {HEADER "action\ta\n", NULL, "last action has no queries"},
    {HEADER "scan\t0\\\n", "0\\", "escape is not one of \\t, \\n, \\r, \\\\"},
    {HEADER "action\ta\tb\n", "action", "action has no name or several fields"},
    {HEADER "action\n", "action\n", "action has no name or several fields"},
};

TEST(test_rejects)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct bo_recorded *r;
        struct bo_error err = {0};
        const size_t n = strlen(bad[i].text);
        /* The last occurrence, as the header may contain the same name. */
        const char *at = bad[i].at ? bad[i].text : bad[i].text + n;
        for (const char *p = bad[i].text; bad[i].at && *bad[i].at && (p = strstr(p, bad[i].at));
             p++)
            at = p;
        const enum bo_status status = parse(bad[i].text, n, &r, &err);
        assert_true(status == BO_CORRUPT || status == BO_UNSUPPORTED);
        assert_string_equal(err.what, bad[i].what);
        assert_int_equal(err.off, at - bad[i].text);
    }
}

/* A NUL is not a digit, though strchr finds it. */
TEST(test_nul_in_digest)
{
    char text[sizeof sample];
    struct bo_recorded *r;
    struct bo_error err = {0};
    memcpy(text, sample, sizeof text);
    strstr(text, "# document: ")[strlen("# document: ")] = 0;
    assert_int_equal(parse(text, sizeof text - 1, &r, &err), BO_CORRUPT);
    assert_string_equal(err.what, "document's digest is not 16 lower-case hexadecimal digits");
}

/*
 * Every prefix, and every byte replaced by some others: the result is an error inside the file, or
 * a workload.
 */
TEST(test_damage)
{
    static const char bytes[] = {0, '\t', '\n', '\\', '#', '0', '9', 'p', (char)0xff};
    char text[sizeof sample];
    struct bo_recorded *r;
    struct bo_error err;
    for (size_t n = 0; n < sizeof sample; n++) {
        char *exact = malloc(n + !n); /* sanitizers detect a read past its end */
        memcpy(exact, sample, n);
        if (parse(exact, n, &r, &err))
            assert_true(err.off <= n && err.what);
        free(exact);
    }
    for (size_t i = 0; i + 1 < sizeof sample; i++)
        for (size_t b = 0; b < sizeof bytes; b++) {
            memcpy(text, sample, sizeof text);
            text[i] = bytes[b];
            if (parse(text, sizeof sample - 1, &r, &err))
                assert_true(err.off < sizeof sample && err.what);
        }
}

TEST(test_any_allocation_may_fail)
{
    enum bo_status status = BO_NO_MEMORY;
    for (uint64_t i = 1; status != BO_OK; i++) {
        struct bo_arena limited;
        struct bo_recorded *r;
        struct bo_workload workloads[BO_N_RECORDED_WORKLOADS];
        struct bo_error err = {0};
        unsigned n;
        bo_arena_init(&limited, BO_ARENA_UNLIMITED);
        limited.fail_at = i;
        limited.max_first_cap = 1;
        status = bo_recorded_parse((struct bo_span){(const uint8_t *)sample, strlen(sample)},
                                   &limited, &r, &err);
        if (status == BO_OK)
            status = bo_recorded_workloads(r, 0, &limited, workloads, &n, &err);
        assert_true(status == BO_OK || status == BO_NO_MEMORY);
        bo_arena_free(&limited);
    }
}

/* A query outside the document is reported at its line. */
TEST(test_check)
{
    static const char text[] = "pcdata 1\nquantum 1\ntable 10 kind=pcsp refs=1\n0 0\n4 8\n";
    static const char good[] = HEADER "point\t0\t9\nscan\t0\n",
                      wrong[] = HEADER "scan\t0\nscan\t1\n";
    void *model;
    struct bo_recorded *r;
    struct bo_error err = {0};
    assert_int_equal(
        format->parse((struct bo_span){(const uint8_t *)text, strlen(text)}, &arena, &model, &err),
        BO_OK);
    assert_int_equal(parse(good, strlen(good), &r, &err), BO_OK);
    assert_int_equal(bo_recorded_check(r, model, &arena, &err), BO_OK);
    assert_int_equal(parse(wrong, strlen(wrong), &r, &err), BO_OK);
    assert_int_equal(bo_recorded_check(r, model, &arena, &err), BO_OUT_OF_RANGE);
    assert_int_equal(err.off, strlen(wrong) - strlen("scan\t1\n"));
}

TEST_FILE(set_up, tear_down)
