/*
 * Names of machines. Why: results are public, so a name must contain the processor and nothing
 * else.
 */
#include "harness/core/test_cmocka.h"

#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/measure/caches.h"
#include "bench/measure/machine.h"
#include "bench/measure/processor.h"
#include "harness/core/cpu.h"

TEST(slugs)
{
    static const struct {
        const char *model;
        int n_cpus;
        const char *slug;
    } cases[] = {
        {"AMD EPYC 9B45", 2, "amd-epyc-9b45-2c"},
        {"AMD EPYC 7763 64-Core Processor", 4, "amd-epyc-7763-4c"},
        {"Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz", 16, "intel-xeon-e5-2686-v4-16c"},
        {"Neoverse-N1", 8, "neoverse-n1-8c"},
        {"amd-zen3", 2, "amd-zen3-2c"},
        {"  ../etc/passwd  ", 1, "etc-passwd-1c"},
        {"", 1, "1c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char slug[BO_MAX_SLUG];
        bo_machine_slug(cases[i].model, cases[i].n_cpus, slug);
        assert_string_equal(slug, cases[i].slug);
    }
}

TEST(a_long_model_is_cut)
{
    char model[400], slug[BO_MAX_SLUG];
    memset(model, 0, sizeof model);
    while (strlen(model) < 380)
        strcat(model, "word ");
    bo_machine_slug(model, 128, slug);
    assert_true(strlen(slug) < BO_MAX_SLUG);
    assert_string_equal(slug + strlen(slug) - 5, "-128c");
}

TEST(what_empties_the_caches)
{
    enum { MIB = 1 << 20 };
    assert_int_equal(bo_eviction_nbytes_for(0), 32 * MIB);
    assert_int_equal(bo_eviction_nbytes_for(1 * MIB), 32 * MIB);
    assert_int_equal(bo_eviction_nbytes_for(16 * MIB), 48 * MIB);
    assert_int_equal(bo_eviction_nbytes_for(32 * MIB), 96 * MIB);
    assert_int_equal(bo_eviction_nbytes_for((size_t)512 * MIB), 96 * MIB);
    bo_caches_empty();
    bo_caches_empty();
    char *exact = calloc(1, 130);
    assert_non_null(exact);
    bo_caches_flush(exact, 130);
    free(exact);
}

TEST(microarchitectures)
{
    assert_string_equal(bo_microarchitecture("AuthenticAMD", 0x19, 0x01, 0), "amd-zen3");
    assert_string_equal(bo_microarchitecture("AuthenticAMD", 0x19, 0x0f, 0), "amd-zen3");
    assert_string_equal(bo_microarchitecture("AuthenticAMD", 0x19, 0x10, 0), "amd-zen4");
    assert_string_equal(bo_microarchitecture("AuthenticAMD", 0x1a, 0x02, 0), "amd-zen5");
    assert_string_equal(bo_microarchitecture("GenuineIntel", 6, 0x8f, 0), "intel-sapphire-rapids");
    assert_null(bo_microarchitecture("GenuineIntel", 6, 0xff, 0));
    assert_string_equal(bo_microarchitecture("GenuineIntel", 6, 0xa7, 0), "intel-rocket-lake");
    assert_null(bo_microarchitecture("GenuineIntel", 0x19, 0x01, 0));
    assert_null(bo_microarchitecture("", 6, 0x8f, 0));
    const unsigned amx = BO_PROCESSOR_AMX, avx10 = BO_PROCESSOR_AVX10;
    assert_null(bo_microarchitecture("GenuineIntel", 6, 0xa7, amx));
    assert_string_equal(bo_microarchitecture("GenuineIntel", 6, 0x8f, amx),
                        "intel-sapphire-rapids");
    assert_string_equal(bo_microarchitecture("GenuineIntel", 6, 0xcf, amx), "intel-emerald-rapids");
    assert_string_equal(bo_microarchitecture("GenuineIntel", 6, 0xa7, amx | avx10),
                        "intel-granite-rapids");
    assert_string_equal(bo_arm_microarchitecture(0x41, 0xd0c), "neoverse-n1");
    assert_null(bo_arm_microarchitecture(0x42, 0xd0c));
}

/* The identity in results equals the fields of /proc/cpuinfo. */
TEST(the_identity_is_that_of_cpuinfo)
{
#ifdef __x86_64__
    static const char *const fields[][2] = {{"vendor_id", "vendor"},
                                            {"cpu family", "family"},
                                            {"model", "model"},
                                            {"stepping", "stepping"}};
    json_t *processor = bo_processor_json();
    for (size_t i = 0; i < N_ELEMENTS(fields); i++) {
        char printed[64], number[24];
        const json_t *value = json_object_get(processor, fields[i][1]);
        assert_true(bo_cpuinfo_field(fields[i][0], printed, sizeof printed));
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        assert_string_equal(i == 0 ? json_string_value(value) : number, printed);
    }
    json_decref(processor);
#endif
}

/* The paths in the context are those that this processor can run. */
TEST(paths_are_those_of_the_level)
{
    json_t *context = bo_machine_context();
    const json_t *ours = json_object_get(context, "bakeoff");
    const char *path =
        json_string_value(json_object_get(json_object_get(ours, "paths"), "pcdata/shape-code"));
    assert_string_equal(path, bo_cpu_path(BO_PATH_V3 | BO_PATH_VBMI2));
    assert_string_equal(bo_cpu_path(0), "portable");
    assert_true(bo_cpu_level() <= bo_cpu_own_level());
    assert_true(bo_cpu_has_v3() == (bo_cpu_level() >= 3));
    assert_true(bo_cpu_level() >= 4 || !bo_cpu_has_vbmi2());
    json_decref(context);
}

TEST(the_context_names_no_host)
{
    char host[256];
    json_t *context = bo_machine_context();
    assert_non_null(context);
    assert_true(json_integer_value(json_object_get(context, "num_cpus")) > 0);
    assert_non_null(json_object_get(json_object_get(context, "bakeoff"), "compiler"));
    assert_null(json_object_get(context, "host_name"));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(context, "bakeoff"),
                                                        "cold_eviction_bytes")),
                     bo_machine_eviction_nbytes());
    assert_int_equal(gethostname(host, sizeof host), 0);
    char *text = json_dumps(context, 0), quoted[300];
    snprintf(quoted, sizeof quoted, "\"%s\"", host);
    assert_null(strstr(text, quoted));
    free(text);
    json_decref(context);
}

TEST_FILE(NULL, NULL)
