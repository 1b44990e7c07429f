/*
 * Chooses models for conformance vectors: choose_vectors [--add] FORMAT [CODEC...] prints lines of
 * corpora/vectors.def. fuzz/choose_vectors.sh builds and runs it.
 *
 * The codecs are built with a counter for each edge between their basic blocks. Each candidate
 * model is encoded, decoded and queried by each encoding, with its portable code and with that for
 * this processor. A model is kept if it reaches an edge that no earlier one reached; small models
 * come first. At the end, models whose edges are all reached by others are dropped, the largest
 * first. With --add, the models in vectors.def stay, and only lines of further ones are printed.
 * The environment variable EFFORT multiplies the number of drawn models; with 0, the candidates are
 * only entropy and texts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpora/vectors.h"
#include "corpora/vectors_models.h"
#include "harness/core/cpu.h"
#include "harness/registry.h"

enum {
    MAX_QUERIES = 300,    /* of a kind; the exported tests run more */
    N_DRAWN = 50,         /* of these: drawn where the answer changes */
    MAX_ANSWER = 1 << 22, /* bytes of an answer */
    BUDGET = 1 << 28,     /* bytes of memory for a model and its encoding */
    MAX_CHOSEN = 256,     /* models of an encoding */
    MAX_VECTOR = 400000,  /* bytes of text and encoding */
    FREE = 3000,          /* bytes that a vector may have for any number of new edges */
    BYTES_AN_EDGE = 6000, /* bytes that it may have in addition for each new edge */
    MAX_ENTROPY = 1024,   /* bytes */
    FUZZ_SCALE = 16,      /* of models that fuzz targets generate */
};

/* ---- counters of edges ----------------------------------------------------------------------- */

static uint8_t *counters;
static size_t n_counters;

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end);

void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end)
{
    counters = start;
    n_counters = (size_t)(end - start);
}

/* ---- one model by one codec ------------------------------------------------------------------ */

/* A model that is kept, and the edges that it reaches. */
struct chosen {
    struct bo_vector_model model;
    char *entropy;
    size_t nbytes;
    uint8_t *reached;
};

/* An encoding, with the edges that its vectors so far and the current model reach. */
struct encoding {
    const struct bo_codec *codec;
    uint8_t *reached; /* so far */
    uint8_t *by;      /* by this model */
    struct chosen chosen[MAX_CHOSEN];
    unsigned n;
};

static uint8_t *answer_room;

static void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "choose_vectors: no memory\n");
        exit(2);
    }
    return p;
}

/* Adds the edges that were reached since counting began. */
static void note_reached(struct encoding *e)
{
    for (size_t i = 0; i < n_counters; i++)
        e->by[i] |= counters[i] != 0;
}

static void begin_counting(void)
{
    memset(counters, 0, n_counters);
}

static void run_kind(const struct bo_format *format, struct encoding *e, unsigned k,
                     const void *model, void *reader)
{
    static uint8_t queries[MAX_QUERIES * BO_MAX_QUERY_NBYTES], drawn[N_DRAWN * BO_MAX_QUERY_NBYTES];
    const struct bo_query_kind *kind = &format->kinds[k];
    _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
    struct bo_random random = bo_random_seeded(k);
    struct bo_arena arena;
    size_t n = 0;
    bo_arena_init(&arena, BUDGET);
    memset(query, 0, sizeof query);
    while (n < MAX_QUERIES - N_DRAWN && kind->at(model, n, query))
        memcpy(queries + BO_MAX_QUERY_NBYTES * n++, query, sizeof query);
    const size_t size = kind->query_size,
                 n_drawn = size ? kind->draw_edges(model, &random, &arena, N_DRAWN, drawn) : 0;
    for (size_t i = 0; i < n_drawn; i++)
        memcpy(queries + BO_MAX_QUERY_NBYTES * n++, drawn + i * size, size);
    begin_counting();
    for (size_t i = 0; i < n; i++) {
        struct bo_sink sink = {.p = answer_room, .cap = MAX_ANSWER};
        memcpy(query, queries + BO_MAX_QUERY_NBYTES * i, sizeof query);
        e->codec->query(e->codec, reader, k, query, 1,
                        kind->answer_size ? (void *)answer_room : &sink, NULL);
    }
    bo_arena_free(&arena);
    note_reached(e);
}

static void run_queries(const struct bo_format *format, struct encoding *e, const void *model,
                        struct bo_span bytes, size_t keep_nbytes)
{
    struct bo_arena arena;
    void *reader;
    bo_arena_init(&arena, BUDGET);
    arena.keep_nbytes = keep_nbytes;
    begin_counting();
    const bool opened = !e->codec->open(e->codec, bytes, &arena, &reader, NULL);
    note_reached(e);
    /* Runs all queries twice, since the reader may answer the second ones from what it has kept. */
    for (unsigned round = 0; opened && round < 2; round++)
        for (unsigned k = 0; k < format->n_kinds; k++)
            if (e->codec->kinds >> k & 1)
                run_kind(format, e, k, model, reader);
    bo_arena_free(&arena);
}

/* Bytes of text and encoding; 0 where the encoding cannot hold the model. Sets e->by. */
static size_t run_model(const struct bo_format *format, struct encoding *e, const void *model)
{
    const struct bo_codec *codec = e->codec;
    struct bo_arena arena;
    struct bo_writer out, text;
    void *held;
    size_t nbytes = 0;
    bo_arena_init(&arena, BUDGET);
    bo_writer_init(&out, &arena);
    bo_writer_init(&text, &arena);
    memset(e->by, 0, n_counters);
    for (unsigned portable = 0; portable < (codec->paths ? 2 : 1); portable++) {
        if (portable)
            bo_cpu_use_portable();
        else
            bo_cpu_choose();
        bo_writer_truncate(&out, 0);
        begin_counting();
        const bool ok = !codec->encode(codec, model, &out, NULL) && out.n <= MAX_VECTOR &&
                        !codec->decode(codec, bo_writer_span(&out), &arena, &held, NULL);
        note_reached(e);
        if (!ok || format->print(held, &text, NULL) || text.n > MAX_VECTOR)
            break;
        nbytes = out.n + text.n;
        run_queries(format, e, held, bo_writer_span(&out), SIZE_MAX);
        if (codec->keeps)
            run_queries(format, e, held, bo_writer_span(&out), 0);
        bo_writer_truncate(&text, 0);
    }
    bo_writer_free(&text);
    bo_writer_free(&out);
    bo_arena_free(&arena);
    return nbytes;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static void keep(struct encoding *e, const struct bo_vector_model *model, size_t nbytes)
{
    if (e->n == MAX_CHOSEN)
        return;
    struct chosen *c = &e->chosen[e->n++];
    c->model = *model;
    if (model->entropy)
        c->model.entropy = need(strdup(model->entropy));
    c->nbytes = nbytes;
    c->reached = need(malloc(n_counters));
    memcpy(c->reached, e->by, n_counters);
    for (size_t i = 0; i < n_counters; i++)
        e->reached[i] |= e->by[i];
}

static void offer(const struct bo_format *format, struct encoding *encodings, unsigned n,
                  const struct bo_vector_model *of)
{
    struct bo_arena arena;
    void *model;
    bo_arena_init(&arena, BUDGET);
    if (bo_vector_model_make(format, of, &arena, &model))
        for (unsigned i = 0; i < n; i++) {
            struct encoding *e = &encodings[i];
            const size_t nbytes = run_model(format, e, model);
            size_t n_new = 0;
            for (size_t k = 0; nbytes && k < n_counters; k++)
                n_new += e->by[k] && !e->reached[k];
            if (n_new && nbytes <= MAX_VECTOR && nbytes <= FREE + n_new * BYTES_AN_EDGE)
                keep(e, of, nbytes);
        }
    bo_arena_free(&arena);
}

static void start_with(const struct bo_format *format, struct encoding *e, const void *model)
{
    if (run_model(format, e, model))
        for (size_t k = 0; k < n_counters; k++)
            e->reached[k] |= e->by[k];
}

/*
 * Adds the edges that the small models reach, which every encoding has as vectors. With `adds`,
 * also those of the models in vectors.def.
 */
static void start(const struct bo_format *format, struct encoding *e, bool adds)
{
    json_t *valid = bo_vectors_make_small(format, e->codec);
    struct bo_arena arena;
    void *model;
    for (size_t i = 0; i < json_array_size(valid); i++) {
        const json_t *text = json_object_get(json_array_get(valid, i), "model");
        const struct bo_span span = {(const uint8_t *)json_string_value(text),
                                     json_string_length(text)};
        bo_arena_init(&arena, BUDGET);
        if (text && !format->parse(span, &arena, &model, NULL))
            start_with(format, e, model);
        bo_arena_free(&arena);
    }
    json_decref(valid);
    for (const struct bo_vector_model *of = bo_vector_models; adds && of->encoding; of++) {
        const char *codec = strchr(of->encoding, '/') + 1;
        bo_arena_init(&arena, BUDGET);
        if (strcmp(codec, e->codec->name) == 0 &&
            strncmp(of->encoding, format->name, (size_t)(codec - of->encoding - 1)) == 0 &&
            bo_vector_model_make(format, of, &arena, &model))
            start_with(format, e, model);
        bo_arena_free(&arena);
    }
}

/* Drops models whose edges are all reached by others, the largest first. */
static void drop_spare(struct encoding *e, const uint8_t *small)
{
    uint32_t *n_by = need(calloc(n_counters, sizeof *n_by));
    for (size_t k = 0; k < n_counters; k++)
        n_by[k] = small[k];
    for (unsigned i = 0; i < e->n; i++)
        for (size_t k = 0; k < n_counters; k++)
            n_by[k] += e->chosen[i].reached[k];
    for (;;) {
        unsigned largest = e->n;
        for (unsigned i = 0; i < e->n; i++) {
            bool spare = true;
            for (size_t k = 0; spare && k < n_counters; k++)
                spare = !e->chosen[i].reached[k] || n_by[k] > 1;
            if (spare && (largest == e->n || e->chosen[i].nbytes > e->chosen[largest].nbytes))
                largest = i;
        }
        if (largest == e->n)
            break;
        for (size_t k = 0; k < n_counters; k++)
            n_by[k] -= e->chosen[largest].reached[k];
        memmove(&e->chosen[largest], &e->chosen[largest + 1],
                (--e->n - largest) * sizeof *e->chosen);
    }
    free(n_by);
}

static void print_chosen(const struct bo_format *format, const struct encoding *e)
{
    size_t nbytes = 0, n_edges = 0;
    for (unsigned i = 0; i < e->n; i++) {
        const struct bo_vector_model *m = &e->chosen[i].model;
        nbytes += e->chosen[i].nbytes;
        printf("%s(\"%s/%s\", ",
               m->text           ? "MODEL"
               : m->entropy      ? "ENTROPY"
               : m->n_resampled  ? "RESAMPLED"
               : m->noise_nbytes ? "NOISE"
                                 : "SEEDED",
               format->name, e->codec->name);
        if (m->text)
            printf("%s)\n", m->encoding);
        else if (m->entropy)
            printf("\"%s\", %zu)\n", m->entropy, m->scale);
        else if (m->n_resampled)
            printf("%llu, %zu, %zu)\n", (unsigned long long)m->seed, m->scale, m->n_resampled);
        else if (m->noise_nbytes)
            printf("%llu, %zu, %zu)\n", (unsigned long long)m->seed, m->scale, m->noise_nbytes);
        else
            printf("%llu, %zu)\n", (unsigned long long)m->seed, m->scale);
    }
    for (size_t k = 0; k < n_counters; k++)
        n_edges += e->reached[k];
    fprintf(stderr, "%s/%s: %u models, %zu bytes, %zu edges\n", format->name, e->codec->name, e->n,
            nbytes, n_edges);
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void offer_texts(const struct bo_format *format, struct encoding *encodings, unsigned n)
{
    for (const struct bo_vector_text *t = bo_vector_texts; t->format; t++)
        if (strcmp(t->format, format->name) == 0) {
            const struct bo_vector_model of = {t->name, t->text, NULL, 0, 0, 0, 0};
            offer(format, encodings, n, &of);
        }
}

/* Offers entropy from standard input, in hex, one model per line: inputs that fuzzers found. */
static void offer_entropy(const struct bo_format *format, struct encoding *encodings, unsigned n)
{
    char line[2 * MAX_ENTROPY + 2];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        const struct bo_vector_model of = {NULL, NULL, line, 0, FUZZ_SCALE, 0, 0};
        if (*line)
            offer(format, encodings, n, &of);
    }
}

static void offer_drawn(const struct bo_format *format, struct encoding *encodings, unsigned n,
                        unsigned effort)
{
    static const struct {
        size_t scale;
        unsigned n;
    } rounds[] = {{8, 24},   {27, 24},   {64, 20},  {160, 16},
                  {400, 12}, {1000, 10}, {2600, 6}, {6000, 4}};
    for (size_t r = 0; r < sizeof rounds / sizeof *rounds; r++)
        for (unsigned i = 0; i < rounds[r].n * effort; i++) {
            struct bo_vector_model of = {.seed = i,
                                         .scale = rounds[r].scale,
                                         .noise_nbytes =
                                             i % 4 == 1 ? (size_t)64 << (i / 4 % 6) : 0};
            if (format->resample && i % 4 == 3) {
                of.n_resampled = of.scale;
                of.scale = 6;
            }
            offer(format, encodings, n, &of);
        }
}

static bool is_wanted(const struct bo_codec *codec, char *const *names, int n)
{
    bool wanted = n == 0;
    for (int i = 0; i < n; i++)
        wanted |= strcmp(codec->name, names[i]) == 0;
    return wanted && !codec->reads && !codec->level_of && !codec->optional;
}

int main(int argc, char **argv)
{
    const struct bo_format **format = bo_formats;
    const bool adds = argc > 1 && strcmp(argv[1], "--add") == 0;
    argc -= adds;
    argv += adds;
    while (argc > 1 && *format && strcmp((*format)->name, argv[1]) != 0)
        format++;
    if (argc < 2 || !*format || !n_counters) {
        fprintf(
            stderr,
            "choose_vectors: takes [--add] FORMAT [CODEC...], and entropy from standard input\n");
        return 2;
    }
    answer_room = need(malloc(MAX_ANSWER));
    struct encoding *encodings = NULL;
    unsigned n = 0;
    for (const struct bo_codec *const *codec = (*format)->codecs; *codec; codec++)
        if (is_wanted(*codec, argv + 2, argc - 2)) {
            encodings = need(realloc(encodings, (n + 1) * sizeof *encodings));
            encodings[n] = (struct encoding){.codec = *codec,
                                             .reached = need(calloc(1, n_counters)),
                                             .by = need(calloc(1, n_counters))};
            n++;
        }
    uint8_t **small = need(calloc(n + 1, sizeof *small));
    for (unsigned i = 0; i < n; i++) {
        start(*format, &encodings[i], adds);
        small[i] = need(malloc(n_counters));
        memcpy(small[i], encodings[i].reached, n_counters);
    }
    const char *effort = getenv("EFFORT");
    offer_entropy(*format, encodings, n);
    offer_texts(*format, encodings, n);
    offer_drawn(*format, encodings, n, effort ? (unsigned)atoi(effort) : 1);
    for (unsigned i = 0; i < n; i++) {
        drop_spare(&encodings[i], small[i]);
        print_chosen(*format, &encodings[i]);
    }
    return 0;
}
