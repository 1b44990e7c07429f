/* Measures the cost of the operations of codecs, through codecs that wrap them. */
#include "fuzz/observe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum operation { ENCODE, OPEN, QUERY, DECODE, N_OPERATIONS };
static const char *const operation_names[] = {"encode", "open", "query", "decode"};

enum { MAX_CODECS = 64, MIN_NBYTES = 64 };

/*
 * The largest cost of an operation, relative to the bytes read (at least MIN_NBYTES, as every call
 * has a fixed cost).
 */
struct extreme {
    bool is_beyond; /* of a limit that results.sh has, too */
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
        __llvm_profile_set_filename("/dev/null"); /* the file that would be written at exit */
    return ok;
}

/* ---- costs ----------------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A cost above `limit`, at which the work is not linear, comes before any below it. */
static void keep_extreme(struct extreme *extreme, uint64_t cost, uint64_t limit, size_t nbytes)
{
    const double per_byte = (double)cost / (double)(nbytes > MIN_NBYTES ? nbytes : MIN_NBYTES);
    const bool is_beyond = cost > limit;
    if (extreme->path &&
        (is_beyond == extreme->is_beyond ? per_byte <= extreme->per_byte : extreme->is_beyond))
        return;
    free(extreme->path);
    *extreme = (struct extreme){is_beyond, per_byte, cost, nbytes,
                                strdup(observer.path ? observer.path : "-")};
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

/* The `own` member of an observed codec: the codec itself, and the costs of its operations. */
struct observed {
    const struct bo_codec *inner;
    struct watched *watched; /* by operation */
};

static enum bo_status reduce(const struct bo_codec *self, const void *model, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    const struct observed *o = self->own;
    return o->inner->reduce(o->inner, model, arena, model_ret, err);
}

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct observed *o = self->own;
    start_counting();
    const enum bo_status status = o->inner->encode(o->inner, model, out, err);
    stop_counting(&o->watched[ENCODE]);
    return status;
}

/* Reads bytes with open or decode. From here on, memory of the arena is counted. */
static enum bo_status read(const struct observed *o, enum operation operation, struct bo_span in,
                           struct bo_arena *arena, void **ret, struct bo_error *err)
{
    const struct bo_codec *inner = o->inner;
    struct watched *watched = &o->watched[operation];
    const size_t peak = arena->peak_nbytes, live = arena->region_nbytes + arena->charged_nbytes;
    arena->peak_nbytes = live;
    start_counting();
    const uint64_t start = now_ns();
    const enum bo_status status = operation == OPEN ? inner->open(inner, in, arena, ret, err)
                                                    : inner->decode(inner, in, arena, ret, err);
    const uint64_t ns = now_ns() - start;
    stop_counting(watched);
    keep_extreme(&watched->slowest, ns, 10000000 + 20000 * (uint64_t)in.n, in.n);
    keep_extreme(&watched->hungriest, arena->peak_nbytes - live, 1048576 + 4096 * (uint64_t)in.n,
                 in.n);
    arena->peak_nbytes = arena->peak_nbytes > peak ? arena->peak_nbytes : peak;
    return status;
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    return read(self->own, OPEN, in, arena, reader_ret, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    return read(self->own, DECODE, in, arena, model_ret, err);
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    const struct observed *o = self->own;
    start_counting();
    const enum bo_status status = o->inner->query(o->inner, reader, kind, queries, n, answers, err);
    stop_counting(&o->watched[QUERY]);
    return status;
}

/* ---- the format ------------------------------------------------------------------------------ */

const struct bo_format *bo_fuzz_observe(const struct bo_format *format)
{
    static struct observed inner[MAX_CODECS];
    static struct bo_codec codecs[MAX_CODECS];
    static const struct bo_codec *list[MAX_CODECS + 1];
    static struct bo_format observed;
    observer.format = format;
    observed = *format;
    observed.codecs = list;
    for (unsigned c = 0; format->codecs[c]; c++) {
        if (c == MAX_CODECS)
            abort();
        inner[c] = (struct observed){format->codecs[c], observer.watched[c]};
        codecs[c] = *format->codecs[c];
        codecs[c].own = &inner[c];
        if (codecs[c].reduce)
            codecs[c].reduce = reduce;
        codecs[c].encode = encode;
        codecs[c].open = open;
        codecs[c].query = query;
        codecs[c].decode = decode;
        list[c] = &codecs[c];
    }
    return &observed;
}

void bo_fuzz_observe_input(const char *path)
{
    observer.path = path;
}
