/*
 * queries_alone: runs only the queries of one codec, for programs that observe a process from
 * outside, such as emulators that count instructions and tracers of memory accesses. It needs only
 * libc, so it runs on every target of a cross compiler.
 *
 * queries_alone FORMAT CODEC PAYLOAD
 *
 * It decodes the payload, opens it, and runs the queries of each kind twice. The second time, it
 * calls bo_queries_mark before and after the batch, then before each single query and after the
 * last. So a kind with n queries has 2 + n + 1 marks. It prints "payload ADDRESS BYTES", "mark
 * ADDRESS" and, for each kind in order, "kind NAME WORKLOAD N".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "harness/core/bytes.h"
#include "harness/registry.h"

enum { N_QUERIES = 64, MAX_ANSWERS = 64 << 20, SEED = 1 };

void bo_queries_mark(void);
__attribute__((noinline, noclone)) void bo_queries_mark(void)
{
    __asm__ volatile("" ::: "memory");
}

static void *need(void *p)
{
    if (!p || p == MAP_FAILED) {
        fprintf(stderr, "queries_alone: out of memory\n");
        exit(2);
    }
    return p;
}

/* Loads the payload to pages of its own, like a mapped file. */
static struct bo_span load(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END)) {
        fprintf(stderr, "queries_alone: %s: cannot be read\n", path);
        exit(2);
    }
    const size_t n = (size_t)ftell(in);
    uint8_t *p =
        need(mmap(NULL, n + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    rewind(in);
    if (fread(p, 1, n, in) != n)
        exit(2);
    fclose(in);
    return (struct bo_span){p, n};
}

/* A batch of one kind, and the buffer for its answers. */
struct querying {
    const struct bo_codec *codec;
    const struct bo_query_kind *kind;
    unsigned k;
    void *reader;
    const uint8_t *queries;
    uint8_t *answers;
};

static void run_queries(const struct querying *querying, size_t first, size_t n)
{
    struct bo_sink sink = {.p = querying->answers, .cap = MAX_ANSWERS};
    void *answers = querying->kind->answer_size ? (void *)querying->answers : (void *)&sink;
    const void *queries = querying->queries + first * querying->kind->query_size;
    if (querying->codec->query(querying->codec, querying->reader, querying->k, queries, n, answers,
                               NULL)) {
        fprintf(stderr, "queries_alone: %s rejects a query of %s\n", querying->codec->name,
                querying->kind->name);
        exit(1);
    }
}

static void run_kind(struct querying *querying, const void *model, struct bo_arena *arena)
{
    const struct bo_query_kind *kind = querying->kind;
    const struct bo_workload *workload = kind->workloads;
    struct bo_random random = bo_random_seeded(SEED);
    uint8_t *queries = need(bo_alloc_array(arena, N_QUERIES, kind->query_size + 1));
    const size_t n =
        kind->query_size ? workload->draw(model, &random, arena, N_QUERIES, queries) : 1;
    querying->queries = queries;
    printf("kind %s %s %zu\n", kind->name, workload->name, n);
    fflush(stdout);
    run_queries(querying, 0, n);
    bo_queries_mark();
    run_queries(querying, 0, n);
    bo_queries_mark();
    for (size_t i = 0; i < n; i++) {
        bo_queries_mark();
        run_queries(querying, i, 1);
    }
    bo_queries_mark();
}

int main(int argc, char **argv)
{
    struct bo_error error = {0};
    struct bo_arena arena, drawn;
    void *model, *reader;
    const struct bo_format *format = argc == 4 ? bo_find_format(argv[1]) : NULL;
    const struct bo_codec *codec = format ? bo_find_codec(format, argv[2]) : NULL;
    if (!codec) {
        fprintf(stderr, "usage: queries_alone FORMAT CODEC PAYLOAD\n");
        return 2;
    }
    const struct bo_span payload = load(argv[3]);
    printf("payload %" PRIxPTR " %zu\nmark %" PRIxPTR "\n", (uintptr_t)payload.p, payload.n,
           (uintptr_t)bo_queries_mark);
    fflush(stdout);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_arena_init(&drawn, BO_ARENA_UNLIMITED);
    if (codec->decode(codec, payload, &drawn, &model, &error) ||
        codec->open(codec, payload, &arena, &reader, &error)) {
        fprintf(stderr, "queries_alone: %s: %s\n", argv[3], error.what);
        return 1;
    }
    struct querying querying = {
        .codec = codec, .reader = reader, .answers = need(malloc(MAX_ANSWERS))};
    for (querying.k = 0; querying.k < format->n_kinds; querying.k++) {
        querying.kind = &format->kinds[querying.k];
        if (codec->kinds >> querying.k & 1)
            run_kind(&querying, model, &drawn);
    }
    return 0;
}
