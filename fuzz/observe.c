/* Watching codecs at work: each operation goes through a function that knows its codec's number. */
#include "fuzz/observe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum operation { ENCODE, OPEN, QUERY, DECODE, N_OPERATIONS };
static const char *const operation_names[] = {"encode", "open", "query", "decode"};

enum { MAX_CODECS = 64, MIN_NBYTES = 64 };

/*
 * The most that an operation cost, by bytes read (at least MIN_NBYTES, as every call costs
 * something).
 */
struct extreme {
    double per_byte;
    uint64_t cost; /* ns, or bytes allocated */
    size_t nbytes;
    char *path;
};

struct watched {
    struct extreme slowest, hungriest;
    uint64_t *counters; /* of coverage, as long as the region */
};

static struct {
    const struct bo_format *format;
    const char *path;
    struct watched watched[MAX_CODECS][N_OPERATIONS];
    uint64_t *before; /* counters at the start of an operation */
} observer;

/* ---- coverage -------------------------------------------------------------------------------- */

#define WEAK __attribute__((weak))
WEAK uint64_t *__llvm_profile_begin_counters(void);
WEAK uint64_t *__llvm_profile_end_counters(void);
WEAK void __llvm_profile_set_filename(const char *path);
WEAK int __llvm_profile_write_file(void);

static size_t n_counters(void)
{
    return __llvm_profile_begin_counters
               ? (size_t)(__llvm_profile_end_counters() - __llvm_profile_begin_counters())
               : 0;
}

static void *allocate(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

static void start_counting(void)
{
    const size_t n = n_counters();
    if (n == 0)
        return;
    if (!observer.before)
        observer.before = allocate(n, sizeof *observer.before);
    memcpy(observer.before, __llvm_profile_begin_counters(), n * sizeof *observer.before);
}

static void stop_counting(struct watched *watched)
{
    const size_t n = n_counters();
    if (n == 0)
        return;
    if (!watched->counters)
        watched->counters = allocate(n, sizeof *watched->counters);
    const uint64_t *after = __llvm_profile_begin_counters();
    for (size_t i = 0; i < n; i++)
        watched->counters[i] += after[i] - observer.before[i];
}

bool bo_fuzz_write_coverage(const char *dir)
{
    const size_t n = n_counters();
    bool ok = true;
    for (unsigned c = 0; n && ok && c < MAX_CODECS; c++)
        for (unsigned o = 0; o < N_OPERATIONS && ok; o++) {
            const uint64_t *counters = observer.watched[c][o].counters;
            char path[1024];
            if (!counters)
                continue;
            memcpy(__llvm_profile_begin_counters(), counters, n * sizeof *counters);
            snprintf(path, sizeof path, "%s/%s.%s.profraw", dir, observer.format->codecs[c]->name,
                     operation_names[o]);
            __llvm_profile_set_filename(path);
            ok = __llvm_profile_write_file() == 0;
        }
    if (n)
        __llvm_profile_set_filename("/dev/null"); /* for the file that is written at exit */
    return ok;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void keep_extreme(struct extreme *extreme, uint64_t cost, size_t nbytes)
{
    const double per_byte = (double)cost / (double)(nbytes > MIN_NBYTES ? nbytes : MIN_NBYTES);
    if (extreme->path && per_byte <= extreme->per_byte)
        return;
    free(extreme->path);
    *extreme =
        (struct extreme){per_byte, cost, nbytes, strdup(observer.path ? observer.path : "-")};
}

bool bo_fuzz_write_worst(const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    for (unsigned c = 0; c < MAX_CODECS && observer.format->codecs[c]; c++)
        for (unsigned o = 0; o < N_OPERATIONS; o++) {
            const struct extreme *s = &observer.watched[c][o].slowest;
            const struct extreme *h = &observer.watched[c][o].hungriest;
            if (s->path)
                fprintf(out, "%s\t%s\t%s\t%" PRIu64 "\t%zu\t%s\t%" PRIu64 "\t%zu\n",
                        observer.format->codecs[c]->name, operation_names[o], s->path, s->cost,
                        s->nbytes, h->path, h->cost, h->nbytes);
        }
    return fclose(out) == 0;
}

/* ---- operations ------------------------------------------------------------------------------ */

static const struct bo_codec *codec_at(unsigned number)
{
    return observer.format->codecs[number];
}

static enum bo_status encode(unsigned number, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    start_counting();
    const enum bo_status status = codec_at(number)->encode(model, out, err);
    stop_counting(&observer.watched[number][ENCODE]);
    return status;
}

/* Reads bytes with open or decode. Memory of the arena is counted from here on. */
static enum bo_status read(unsigned number, enum operation operation, struct bo_span in,
                           struct bo_arena *arena, void **ret, struct bo_error *err)
{
    const struct bo_codec *codec = codec_at(number);
    struct watched *watched = &observer.watched[number][operation];
    const size_t peak = arena->peak_nbytes, live = arena->region_nbytes + arena->charged_nbytes;
    arena->peak_nbytes = live;
    start_counting();
    const uint64_t start = now_ns();
    const enum bo_status status =
        operation == OPEN ? codec->open(in, arena, ret, err) : codec->decode(in, arena, ret, err);
    const uint64_t ns = now_ns() - start;
    stop_counting(watched);
    keep_extreme(&watched->slowest, ns, in.n);
    keep_extreme(&watched->hungriest, arena->peak_nbytes - live, in.n);
    arena->peak_nbytes = arena->peak_nbytes > peak ? arena->peak_nbytes : peak;
    return status;
}

static enum bo_status query(unsigned number, void *reader, unsigned kind, const void *queries,
                            size_t n, void *answers, struct bo_error *err)
{
    start_counting();
    const enum bo_status status = codec_at(number)->query(reader, kind, queries, n, answers, err);
    stop_counting(&observer.watched[number][QUERY]);
    return status;
}

/* X(i) for the hexadecimal i below MAX_CODECS. */
#define EIGHT(X, at) X(at##0) X(at##1) X(at##2) X(at##3) X(at##4) X(at##5) X(at##6) X(at##7)
#define EIGHT_MORE(X, at) X(at##8) X(at##9) X(at##a) X(at##b) X(at##c) X(at##d) X(at##e) X(at##f)
#define SIXTEEN(X, at) EIGHT(X, at) EIGHT_MORE(X, at)
#define EACH_NUMBER(X) SIXTEEN(X, 0x0) SIXTEEN(X, 0x1) SIXTEEN(X, 0x2) SIXTEEN(X, 0x3)

#define DEFINE_OPERATIONS(i)                                                                      \
    static enum bo_status encode_##i(const void *model, struct bo_writer *out,                    \
                                     struct bo_error *err)                                        \
    {                                                                                             \
        return encode(i, model, out, err);                                                        \
    }                                                                                             \
    static enum bo_status open_##i(struct bo_span in, struct bo_arena *arena, void **reader_ret,  \
                                   struct bo_error *err)                                          \
    {                                                                                             \
        return read(i, OPEN, in, arena, reader_ret, err);                                         \
    }                                                                                             \
    static enum bo_status query_##i(void *reader, unsigned kind, const void *queries, size_t n,   \
                                    void *answers, struct bo_error *err)                          \
    {                                                                                             \
        return query(i, reader, kind, queries, n, answers, err);                                  \
    }                                                                                             \
    static enum bo_status decode_##i(struct bo_span in, struct bo_arena *arena, void **model_ret, \
                                     struct bo_error *err)                                        \
    {                                                                                             \
        return read(i, DECODE, in, arena, model_ret, err);                                        \
    }
EACH_NUMBER(DEFINE_OPERATIONS)

/* ---- the format ------------------------------------------------------------------------------ */

const struct bo_format *bo_fuzz_observe(const struct bo_format *format)
{
#define OPERATIONS(i) \
    {.encode = encode_##i, .open = open_##i, .query = query_##i, .decode = decode_##i},
    static const struct bo_codec operations[MAX_CODECS] = {EACH_NUMBER(OPERATIONS)};
    static struct bo_codec codecs[MAX_CODECS];
    static const struct bo_codec *list[MAX_CODECS + 1];
    static struct bo_format observed;
    observer.format = format;
    observed = *format;
    observed.codecs = list;
    for (unsigned c = 0; format->codecs[c]; c++) {
        if (c == MAX_CODECS)
            abort();
        codecs[c] = *format->codecs[c];
        codecs[c].encode = operations[c].encode;
        codecs[c].open = operations[c].open;
        codecs[c].query = operations[c].query;
        codecs[c].decode = operations[c].decode;
        list[c] = &codecs[c];
    }
    return &observed;
}

void bo_fuzz_observe_input(const char *path)
{
    observer.path = path;
}
