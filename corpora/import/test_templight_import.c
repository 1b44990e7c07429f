/*
 * The importer of clang's YAML: which files it takes for its own, and that it reads them. Why: the
 * first bytes decide who reads a file, and a file that nobody takes cannot be imported.
 */
#include "codecs/templight/templight.h"
#include "corpora/import/import.h"
#include "harness/guard.h"
#include "harness/test_cmocka.h"

/* The importer that takes these bytes, which end at a guard page; NULL: none. */
static const char *taker_of(const char *bytes)
{
    struct bo_guarded guarded;
    const struct bo_span span = {(const uint8_t *)bytes, strlen(bytes)};
    assert_true(bo_guarded_copy(span, &guarded));
    const struct bo_importer *importer = bo_find_importer("templight", guarded.span);
    bo_guarded_free(&guarded);
    return importer ? importer->name : NULL;
}

static void test_sniffing(void **state)
{
    (void)state;
    static const char *const yaml[] = {"", "---\n", "---\r\nname: a\r\n", "# trace: {version"};
    static const char *const other[] = {"-", "--", "---", "--- a\n", "\n\x0f", "#!", "name: a\n"};
    for (size_t i = 0; i < N_ELEMENTS(yaml); i++)
        assert_string_equal(taker_of(yaml[i]), "yaml");
    for (size_t i = 0; i < N_ELEMENTS(other); i++)
        if (taker_of(other[i]) && strcmp(taker_of(other[i]), "yaml") == 0)
            fail_msg("yaml takes %s", other[i]);
}

static void test_reading(void **state)
{
    (void)state;
    static const char text[] = "---\nname: 'a<b>'\nkind: Memoization\nevent: Begin\n"
                               "orig: ''\npoi: 'x.h:1:2'\n";
    static const char cut[] = "---\nname: 'a<b>'\nkind: Memoization\n";
    struct bo_arena arena;
    struct bo_error error;
    void *opaque;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_span good = {(const uint8_t *)text, sizeof text - 1};
    const struct bo_importer *importer = bo_find_importer("templight", good);
    assert_int_equal(importer->import(good, NULL, &arena, &opaque, &error), BO_OK);
    const struct templight_model *model = opaque;
    assert_int_equal(model->traces[0].n_records, 1);
    assert_memory_equal(model->traces[0].names[0].p, "a<b>", 4);
    const struct bo_span bad = {(const uint8_t *)cut, sizeof cut - 1};
    assert_int_equal(importer->import(bad, NULL, &arena, &opaque, &error), BO_TRUNCATED);
    assert_true(error.off == bad.n);
    bo_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sniffing),
        cmocka_unit_test(test_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
