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
    (void)choose_with("v5");
    assert_int_equal(bo_cpu_level(), 1);
    assert_string_equal(bo_cpu_bad_cap(), "v5");
    assert_string_equal(bo_cpu_path(BO_PATH_V3 | BO_PATH_VBMI2), "portable");
    bo_cpu_use_portable();
    assert_int_equal(bo_cpu_level(), 1);
    (void)choose_with("v4");
    assert_int_equal(bo_cpu_level(), bo_cpu_own_level());
    assert_int_equal(kept ? setenv("BAKEOFF_ISA", kept, 1) : unsetenv("BAKEOFF_ISA"), 0);
    free(kept);
    (void)bo_cpu_choose();
}

TEST_FILE(NULL, NULL)
