/* Reads the environment. */
#include "bench/measure/machine.h"

#include <ctype.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <limits.h>
#include <lz4.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "bench/measure/events.h"
#include "bench/measure/gbench_shim.h"
#include "bench/measure/heap.h"
#include "bench/measure/processor.h"
#include "bench/stats/stats.h"
#include "harness/core/clock.h"
#include "harness/core/cpu.h"
#include "harness/core/hash.h"
#include "harness/core/input.h"
#include "harness/plugin.h"
#include "harness/registry.h"

#ifndef BO_CFLAGS
#define BO_CFLAGS "not recorded by the build"
#endif

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)

/* ---- small files ----------------------------------------------------------------------------- */

/* The first line of a file, without its newline; false for an empty file. */
static bool read_line(const char *path, char *line_ret, size_t nbytes)
{
    FILE *file = fopen(path, "r");
    const bool ok = file && fgets(line_ret, (int)nbytes, file);
    if (file)
        fclose(file);
    if (ok)
        line_ret[strcspn(line_ret, "\n")] = 0;
    return ok;
}

/* ---- the processor --------------------------------------------------------------------------- */

static void cpu_model(char *model_ret, size_t nbytes)
{
    static const char *const keys[] = {"model name", "cpu model", "Model", "cpu\t", "uarch"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (bo_cpuinfo_field(keys[i], model_ret, nbytes))
            return;
    struct utsname system;
    uname(&system);
    snprintf(model_ret, nbytes, "%s", system.machine);
}

/* Words that do not identify the processor. */
static bool is_noise(const char *word, size_t n)
{
    static const char *const noise[] = {"r", "tm", "c", "cpu", "processor", "core", "with"};
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        if (strlen(noise[i]) == n && strncasecmp(word, noise[i], n) == 0)
            return true;
    return false;
}

/* "64-Core": the number is part of a word that is left out. */
static bool counts_cores(const char *word, size_t n)
{
    return strspn(word, "0123456789") == n && strncasecmp(word + n, "-core", 5) == 0;
}

void bo_machine_slug(const char *model, int n_cpus, char slug_ret[BO_MAX_SLUG])
{
    size_t n = 0;
    const char *p = model;
    while (*p && *p != '@') { /* the frequency follows @ */
        size_t word = 0;
        while (isalnum((unsigned char)p[word]))
            word++;
        if (word && !is_noise(p, word) && !counts_cores(p, word) && n + word + 20 < BO_MAX_SLUG) {
            for (size_t i = 0; i < word; i++)
                slug_ret[n++] = (char)tolower((unsigned char)p[i]);
            slug_ret[n++] = '-';
        }
        p += word ? word : 1;
    }
    snprintf(slug_ret + n, BO_MAX_SLUG - n, "%dc", n_cpus);
}

void bo_this_machine_slug(char slug_ret[BO_MAX_SLUG])
{
    char model[256], family[64], text[sizeof model + sizeof family + 1];
    const char *name = bo_this_microarchitecture();
    json_t *machine = bo_gbench_machine();
    cpu_model(model, sizeof model);
    bo_this_family(family, sizeof family);
    snprintf(text, sizeof text, "%s %s", model, family);
    bo_machine_slug(name ? name : text,
                    (int)json_integer_value(json_object_get(machine, "num_cpus")), slug_ret);
    json_decref(machine);
}

size_t bo_eviction_nbytes_for(size_t cache_nbytes)
{
    enum { TIMES = 3, LEAST = 32 << 20, MOST = 96 << 20 };
    if (cache_nbytes >= MOST / TIMES)
        return MOST;
    return TIMES * cache_nbytes < LEAST ? LEAST : TIMES * cache_nbytes;
}

/* From Google Benchmark's reading of /sys; from the C library if that file is missing. */
size_t bo_machine_eviction_nbytes(void)
{
    json_t *machine = bo_gbench_machine();
    const json_t *cache;
    json_int_t largest = 0;
    size_t i;
    json_array_foreach(json_object_get(machine, "caches"), i, cache)
    {
        const json_int_t nbytes = json_integer_value(json_object_get(cache, "size"));
        largest = nbytes > largest ? nbytes : largest;
    }
    json_decref(machine);
    if (largest == 0 && sysconf(_SC_LEVEL3_CACHE_SIZE) > 0)
        largest = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bo_eviction_nbytes_for((size_t)largest);
}

/* ---- the code -------------------------------------------------------------------------------- */

bool bo_first_line_of(const char *command, char *line_ret, size_t nbytes)
{
    FILE *printed = popen(command, "re");
    *line_ret = 0;
    if (printed && fgets(line_ret, (int)nbytes, printed))
        line_ret[strcspn(line_ret, "\n")] = 0;
    while (printed && getc(printed) != EOF) /* a closed pipe would end the program by a signal */
        ;
    return printed && pclose(printed) == 0;
}

/* The commit of the tree that contains this program, with "+changes" when files differ from it. */
static void describe_commit(char *commit_ret, size_t nbytes)
{
#define GIT "exec 2>/dev/null; cd \"$(dirname \"$(readlink /proc/$PPID/exe)\")\" && git "
    char line[64];
    snprintf(commit_ret, nbytes, "unknown");
    if (!bo_first_line_of(GIT "rev-parse HEAD", line, sizeof line))
        return;
    snprintf(commit_ret, nbytes, "%.40s", line);
    if (bo_first_line_of(GIT "status --porcelain -uno", line, sizeof line) && line[0])
        strncat(commit_ret, "+changes", nbytes - strlen(commit_ret) - 1);
}

/* The hash of a file; "unknown" when it cannot be read. */
static void hash_file(const char *path, char hash_ret[17])
{
    struct bo_input in;
    snprintf(hash_ret, 17, "unknown");
    if (bo_input_open(path, &in)) {
        snprintf(hash_ret, 17, "%016" PRIx64, bo_hash(in.bytes));
        bo_input_close(&in);
    }
}

/* "ranges.so 0123456789abcdef, ...": the plugins with the hashes of their files; NULL without. */
static json_t *plugins_json(void)
{
    json_t *text = NULL;
    const char *path;
    for (unsigned i = 0; (path = bo_loaded_plugin(i)); i++) {
        char hash[17];
        const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        json_t *before = text;
        hash_file(path, hash);
        text = before ? json_sprintf("%s, %s %s", json_string_value(before), name, hash)
                      : json_sprintf("%s %s", name, hash);
        json_decref(before);
    }
    return text;
}

/* From the file name of the loaded library; "unknown" if it is linked statically. */
static void google_benchmark_version(char *version_ret, size_t nbytes)
{
    static const char soname[] = "libbenchmark.so.";
    char line[PATH_MAX + 128];
    FILE *maps = fopen("/proc/self/maps", "r");
    snprintf(version_ret, nbytes, "unknown");
    while (maps && fgets(line, sizeof line, maps)) {
        const char *at = strstr(line, soname);
        if (at) {
            at += strlen(soname);
            snprintf(version_ret, nbytes, "%.*s", (int)strcspn(at, "\n "), at);
            break;
        }
    }
    if (maps)
        fclose(maps);
}

static json_t *libraries_json(void)
{
    char benchmark[64];
    google_benchmark_version(benchmark, sizeof benchmark);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "benchmark", benchmark, "libc",
        gnu_get_libc_version(), "zstd", ZSTD_versionString(), "lz4", LZ4_versionString(), "xz",
        lzma_version_string(), "jansson", JANSSON_VERSION, "xxhash",
        STRING(XXH_VERSION_MAJOR) "." STRING(XXH_VERSION_MINOR) "." STRING(XXH_VERSION_RELEASE));
}

/*
 * The optional codecs of this program and their libraries: "lprf/marisa+*": "on libmarisa 0.2.6".
 */
static json_t *optional_codecs_json(void)
{
    json_t *all = json_object();
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (const struct bo_optional *o = (*f)->optionals; o && o->codecs; o++) {
            char name[64];
            snprintf(name, sizeof name, "%s/%s", (*f)->name, o->codecs);
            json_object_set_new(all, name,
                                o->version ? json_sprintf("on %s %s", o->library, o->version)
                                           : json_sprintf("not built (no %s)", o->library));
        }
    return all;
}

/* The code path of each codec that has several: "pcdata/shape-code": "x86-64-v3". */
static json_t *paths_json(void)
{
    json_t *paths = json_object();
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (const struct bo_codec *const *c = (*f)->codecs; *c; c++)
            if ((*c)->paths) {
                char name[128];
                snprintf(name, sizeof name, "%s/%s", (*f)->name, (*c)->name);
                json_object_set_new(paths, name, json_string(bo_cpu_path((*c)->paths)));
            }
    return paths;
}

static const char *compiler(void)
{
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

void bo_machine_build(char *text_ret, size_t nbytes)
{
    snprintf(text_ret, nbytes, "%s, %s, libc %s", compiler(), BO_CFLAGS, gnu_get_libc_version());
}

/* The cost of reading the thread's clock: the median of many, in nanoseconds. */
static double clock_cost_ns(void)
{
    enum { N = 1001 };
    double costs[N];
    for (int i = 0; i < N; i++) {
        const uint64_t start = bo_cpu_ns();
        costs[i] = (double)(bo_cpu_ns() - start);
    }
    return bo_median(costs, N);
}

/* ---- all of it ------------------------------------------------------------------------------- */

void bo_date_utc(char *date_ret, size_t nbytes)
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(date_ret, nbytes, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static json_t *events_json(void)
{
    struct bo_events events;
    json_t *names = json_array();
    bo_events_open(&events, bo_processor_events);
    for (unsigned i = 0; i < events.n; i++)
        json_array_append_new(names, json_string(events.events[i]->name));
    bo_events_close(&events);
    return names;
}

static json_t *bakeoff_json(void)
{
    char model[256], slug[BO_MAX_SLUG], commit[64], kernel[300];
    char governor[64] = "none", huge_pages[64] = "none", program[17];
    struct utsname system;
    cpu_model(model, sizeof model);
    bo_this_machine_slug(slug);
    describe_commit(commit, sizeof commit);
    hash_file("/proc/self/exe", program);
    uname(&system);
    snprintf(kernel, sizeof kernel, "%s %s", system.sysname, system.release);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, sizeof governor);
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", huge_pages, sizeof huge_pages);
    return json_pack(
        "{s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, "
        "s:f, s:I, s:o*}",
        "machine", slug, "cpu", model, "processor", bo_processor_json(), "architecture",
        system.machine, "kernel", kernel, "governor", governor, "huge_pages", huge_pages,
        "compiler", compiler(), "flags", BO_CFLAGS, "commit", commit, "program_xxh3", program,
        "allocator", bo_heap_name(), "libraries", libraries_json(), "optional_codecs",
        optional_codecs_json(), "paths", paths_json(), "events", events_json(), "clock",
        "thread CPU time", "clock_cost_ns", clock_cost_ns(), "cold_eviction_bytes",
        (json_int_t)bo_machine_eviction_nbytes(), "plugins", plugins_json());
}

json_t *bo_machine_context(void)
{
    char date[32];
    bo_date_utc(date, sizeof date);
    json_t *context = json_pack("{s:s, s:s}", "date", date, "executable", "bakeoff");
    json_object_update_new(context, bo_gbench_machine());
    json_object_set_new(context, "bakeoff", bakeoff_json());
    return context;
}
