/* The level of x86-64 in use. Why: a cap that has no effect measures the wrong code. */
#include <stdlib.h>

#include "harness/core/cpu.h"
#include "harness/core/test_cmocka.h"

static unsigned choose_with(const char *cap)
{
    assert_int_equal(setenv("BAKEOFF_ISA", cap, 1), 0);
    return bo_cpu_choose();
}

TEST(test_caps)
{
    const char *before = getenv("BAKEOFF_ISA");
    char *kept = before ? strdup(before) : NULL;
    static const char *const caps[] = {"v1", "v2", "v3", "v4"};
    for (unsigned i = 0; i < N_ELEMENTS(caps); i++) {
        const unsigned own = bo_cpu_own_level(), chosen = choose_with(caps[i]);
        assert_int_equal(bo_cpu_paths(), chosen);
        assert_int_equal(bo_cpu_level(), own < i + 1 ? own : i + 1);
        assert_null(bo_cpu_bad_cap());
    }
    static const char *const bad[] = {"v5", "v0", "v", "v11", "w1", "1"};
    for (unsigned i = 0; i < N_ELEMENTS(bad); i++) {
        (void)choose_with(bad[i]);
        assert_int_equal(bo_cpu_level(), 1);
        assert_string_equal(bo_cpu_bad_cap(), bad[i]);
        assert_string_equal(bo_cpu_path(BO_PATH_V3 | BO_PATH_VBMI2), "portable");
    }
    (void)choose_with(""); /* is no cap */
    assert_int_equal(bo_cpu_level(), bo_cpu_own_level());
    assert_null(bo_cpu_bad_cap());
    (void)choose_with("v3");
    const bool has_v3 = bo_cpu_own_level() >= 3;
    assert_string_equal(bo_cpu_path(0), "portable");
    assert_string_equal(bo_cpu_path(BO_PATH_V3), has_v3 ? "x86-64-v3" : "portable");
    assert_string_equal(bo_cpu_path(BO_PATH_VBMI2), "portable"); /* above the cap */
    assert_string_equal(bo_cpu_path(BO_PATH_V3 | BO_PATH_VBMI2), has_v3 ? "x86-64-v3" : "portable");
    (void)choose_with("v1");
    assert_string_equal(bo_cpu_path(BO_PATH_V3), "portable");
    bo_cpu_use_portable();
    assert_int_equal(bo_cpu_level(), 1);
    (void)choose_with("v4");
    assert_int_equal(bo_cpu_level(), bo_cpu_own_level());
    assert_string_equal(bo_cpu_path(BO_PATH_VBMI2),
                        bo_cpu_has_vbmi2() ? "x86-64-v4+vbmi2" : "portable");
    assert_int_equal(kept ? setenv("BAKEOFF_ISA", kept, 1) : unsetenv("BAKEOFF_ISA"), 0);
    free(kept);
    (void)bo_cpu_choose();
}

TEST_FILE(NULL, NULL)
