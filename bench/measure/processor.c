/* Identifies processors by their numbers: CPUID on x86-64, /proc/cpuinfo on Arm. */
#include "bench/measure/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "harness/core/cpu.h"

/* ---- names ----------------------------------------------------------------------------------- */

struct models {
    unsigned family, first, last; /* range of models */
    const char *name;
};

static const struct models amd[] = {
    {0x17, 0x00, 0x07, "amd-zen"},   {0x17, 0x08, 0x0f, "amd-zen+"}, {0x17, 0x11, 0x17, "amd-zen"},
    {0x17, 0x18, 0x18, "amd-zen+"},  {0x17, 0x20, 0x2f, "amd-zen"},  {0x17, 0x30, 0xaf, "amd-zen2"},
    {0x19, 0x00, 0x0f, "amd-zen3"},  {0x19, 0x10, 0x1f, "amd-zen4"}, {0x19, 0x20, 0x2f, "amd-zen3"},
    {0x19, 0x40, 0x4f, "amd-zen3+"}, {0x19, 0x50, 0x5f, "amd-zen3"}, {0x19, 0x60, 0x7f, "amd-zen4"},
    {0x19, 0xa0, 0xaf, "amd-zen4c"}, {0x1a, 0x00, 0x4f, "amd-zen5"}, {0x1a, 0x60, 0x7f, "amd-zen5"},
};

static const struct models intel[] = {
    {6, 0x2a, 0x2a, "intel-sandy-bridge"},   {6, 0x2d, 0x2d, "intel-sandy-bridge"},
    {6, 0x3a, 0x3a, "intel-ivy-bridge"},     {6, 0x3c, 0x3c, "intel-haswell"},
    {6, 0x3d, 0x3d, "intel-broadwell"},      {6, 0x3e, 0x3e, "intel-ivy-bridge"},
    {6, 0x3f, 0x3f, "intel-haswell"},        {6, 0x45, 0x46, "intel-haswell"},
    {6, 0x47, 0x47, "intel-broadwell"},      {6, 0x4e, 0x4e, "intel-skylake"},
    {6, 0x4f, 0x4f, "intel-broadwell"},      {6, 0x55, 0x55, "intel-skylake-server"},
    {6, 0x56, 0x56, "intel-broadwell"},      {6, 0x5e, 0x5e, "intel-skylake"},
    {6, 0x6a, 0x6a, "intel-ice-lake"},       {6, 0x6c, 0x6c, "intel-ice-lake"},
    {6, 0x7d, 0x7e, "intel-ice-lake"},       {6, 0x8c, 0x8d, "intel-tiger-lake"},
    {6, 0x8e, 0x8e, "intel-kaby-lake"},      {6, 0x8f, 0x8f, "intel-sapphire-rapids"},
    {6, 0x97, 0x97, "intel-alder-lake"},     {6, 0x9a, 0x9a, "intel-alder-lake"},
    {6, 0x9e, 0x9e, "intel-kaby-lake"},      {6, 0xa5, 0xa6, "intel-comet-lake"},
    {6, 0xa7, 0xa7, "intel-rocket-lake"},    {6, 0xaa, 0xaa, "intel-meteor-lake"},
    {6, 0xac, 0xac, "intel-meteor-lake"},    {6, 0xad, 0xae, "intel-granite-rapids"},
    {6, 0xaf, 0xaf, "intel-sierra-forest"},  {6, 0xb7, 0xb7, "intel-raptor-lake"},
    {6, 0xba, 0xba, "intel-raptor-lake"},    {6, 0xbd, 0xbd, "intel-lunar-lake"},
    {6, 0xbf, 0xbf, "intel-raptor-lake"},    {6, 0xc5, 0xc6, "intel-arrow-lake"},
    {6, 0xcf, 0xcf, "intel-emerald-rapids"},
};

static const char *name_in(const struct models *models, size_t n, unsigned family, unsigned model)
{
    for (size_t i = 0; i < n; i++)
        if (models[i].family == family && models[i].first <= model && model <= models[i].last)
            return models[i].name;
    return NULL;
}

const char *bo_microarchitecture(const char *vendor, unsigned family, unsigned model,
                                 unsigned features)
{
    if (strcmp(vendor, "AuthenticAMD") == 0)
        return name_in(amd, sizeof amd / sizeof *amd, family, model);
    if (strcmp(vendor, "GenuineIntel") != 0)
        return NULL;
    const char *name = name_in(intel, sizeof intel / sizeof *intel, family, model);
    if (family == 6 && features & BO_PROCESSOR_AVX10)
        return "intel-granite-rapids";
    return name && features & BO_PROCESSOR_AMX && !strstr(name, "-rapids") ? NULL : name;
}

const char *bo_arm_microarchitecture(unsigned implementer, unsigned part)
{
    static const struct {
        unsigned part;
        const char *name;
    } arm[] = {{0xd07, "cortex-a57"},  {0xd08, "cortex-a72"},  {0xd0b, "cortex-a76"},
               {0xd0c, "neoverse-n1"}, {0xd40, "neoverse-v1"}, {0xd49, "neoverse-n2"},
               {0xd4f, "neoverse-v2"}, {0xd83, "neoverse-v3"}, {0xd8e, "neoverse-n3"}};
    for (size_t i = 0; i < sizeof arm / sizeof *arm; i++)
        if (implementer == 0x41 && arm[i].part == part)
            return arm[i].name;
    return NULL;
}

/* ---- this processor -------------------------------------------------------------------------- */

bool bo_cpuinfo_field(const char *key, char *value_ret, size_t nbytes)
{
    char line[512];
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(value_ret, nbytes, "%.*s", (int)strcspn(colon, "\n"), colon);
        found = true;
    }
    if (file)
        fclose(file);
    return found;
}

#if defined(__x86_64__)

struct identity {
    char vendor[13], hypervisor[13]; /* hypervisor: "" without one */
    unsigned family, model, stepping, features;
};

static void put_word(char *text, unsigned word)
{
    memcpy(text, &word, 4);
}

static struct identity identify(void)
{
    struct identity id = {.family = 0};
    unsigned a, b, c, d;
    if (__get_cpuid(0, &a, &b, &c, &d)) {
        put_word(id.vendor, b);
        put_word(id.vendor + 4, d);
        put_word(id.vendor + 8, c);
    }
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return id;
    id.stepping = a & 15;
    id.model = a >> 4 & 15;
    id.family = a >> 8 & 15;
    if (id.family == 6 || id.family == 15)
        id.model |= (a >> 16 & 15) << 4;
    if (id.family == 15)
        id.family += a >> 20 & 255;
    if (c >> 31) { /* a hypervisor is present and names itself in its first leaf */
        __cpuid(0x40000000, a, b, c, d);
        put_word(id.hypervisor, b);
        put_word(id.hypervisor + 4, c);
        put_word(id.hypervisor + 8, d);
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        const unsigned last_subleaf = a;
        id.features |= d >> 24 & 1 ? BO_PROCESSOR_AMX : 0;
        if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
            id.features |= d >> 19 & 1 ? BO_PROCESSOR_AVX10 : 0;
    }
    return id;
}

const char *bo_this_microarchitecture(void)
{
    const struct identity id = identify();
    return bo_microarchitecture(id.vendor, id.family, id.model, id.features);
}

void bo_this_family(char *text_ret, size_t nbytes)
{
    const struct identity id = identify();
    snprintf(text_ret, nbytes, "family %u model %u", id.family, id.model);
}

static void put_identity(json_t *json)
{
    const struct identity id = identify();
    json_object_set_new(json, "vendor", json_string(id.vendor));
    json_object_set_new(json, "family", json_integer(id.family));
    json_object_set_new(json, "model", json_integer(id.model));
    json_object_set_new(json, "stepping", json_integer(id.stepping));
    if (*id.hypervisor)
        json_object_set_new(json, "hypervisor", json_string(id.hypervisor));
    char extensions[128] = "";
#define EXTENSION(name)               \
    if (__builtin_cpu_supports(name)) \
    strcat(extensions, *extensions ? " " name : name)
    EXTENSION("popcnt");
    EXTENSION("bmi2");
    EXTENSION("avx2");
    EXTENSION("avx512f");
    EXTENSION("avx512vbmi");
    EXTENSION("avx512vbmi2");
#undef EXTENSION
    json_object_set_new(json, "extensions", json_string(extensions));
    json_object_set_new(json, "isa", json_sprintf("x86-64-v%u", bo_cpu_own_level()));
    if (bo_cpu_level() < bo_cpu_own_level())
        json_object_set_new(json, "isa_cap", json_sprintf("x86-64-v%u", bo_cpu_level()));
}

#else

/* 0 if missing. */
static unsigned number_of(const char *key)
{
    char value[64];
    return bo_cpuinfo_field(key, value, sizeof value) ? (unsigned)strtoul(value, NULL, 0) : 0;
}

const char *bo_this_microarchitecture(void)
{
    return bo_arm_microarchitecture(number_of("CPU implementer"), number_of("CPU part"));
}

void bo_this_family(char *text_ret, size_t nbytes)
{
    snprintf(text_ret, nbytes, "part %x", number_of("CPU part"));
}

static void put_identity(json_t *json)
{
}

#endif

json_t *bo_processor_json(void)
{
    json_t *json = json_object();
    const char *name = bo_this_microarchitecture();
    if (name)
        json_object_set_new(json, "microarchitecture", json_string(name));
    put_identity(json);
    return json;
}
