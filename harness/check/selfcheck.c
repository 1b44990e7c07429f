/*
 * selfcheck: runs every check of every codec. It needs only libc, so it runs on every target of a
 * cross compiler: 32-bit, big-endian, under each sanitizer.
 *
 *   selfcheck [--golden] [--generated N] [--light] [--first] [--checks-up-to BYTES] [--up-to BYTES]
 *             FORMAT GOLDEN.tsv DOCUMENT...
 *
 * Checks the documents, N generated models and a few extreme ones, then compares the size and hash
 * of every encoding with the golden file, which is the same for all machines. Its lines are:
 *
 *   DOCUMENT CODEC BYTES HASH MEMORY   an encoding; the hash is the XXH3 of the payload
 *   DOCUMENT fields BYTES HASH         the model's units and the values of its fields
 *   sections CODEC NAME=BYTES ...      the sections of all generated models
 *   kinds CODEC NAME ...               the kinds of queries that it answers
 *   queries KIND/WORKLOAD N HASH       texts and answers of the first queries on generated models,
 *                                      and how the workload is measured
 *   queries KIND/arguments N HASH      errors and answers of queries with random arguments
 *   damage CODEC N HASH                errors of damaged copies of the encodings of generated
 *                                      models and of queries on them, and the fields of those that
 *                                      are accepted
 *   damage text N HASH                 errors of damaged copies of text forms, and the fields of
 *                                      those that are accepted
 *   further CODEC N HASH               encodings of further generated models and of their changes
 *   further text N HASH                the text forms of these
 *
 * MEMORY is peak/left/requests: the peak in bytes, the bytes at the end, and the number of
 * requests, first of encoding, then of decoding, then of opening with some queries. It is compared
 * only in the build that is measured, on 64-bit machines. With --golden, selfcheck prints the
 * golden file instead. The last line is `N passed, M failed`.
 *
 * Options for builds in which checks are slow: documents whose text is longer than --checks-up-to
 * are only compared with the golden file. Documents longer than --up-to are left out. --light
 * reduces queries and damage to an eighth, and so the failing allocations on documents. Each of
 * these prints a line `note: ...`. --first stops at the first failure.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/check/agreement.h"
#include "harness/coding/entropy.h"
#include "harness/core/cpu.h"
#include "harness/core/hash.h"
#include "harness/registry.h"

enum {
    N_GOLDEN_GENERATED = 12,
    N_EXTREME = 4,
    N_MUTATIONS = 3,
    DAMAGE_UP_TO = 400,
    MAX_FAILURES = 60,
    MAX_TABLES = 12,
    MAX_CODECS = 64,
    MEMORY_QUERIES = 64, /* of each kind, of generated models */
    DRAWN_QUERIES = 16,  /* of each workload, of generated models */
    MAX_WORKLOADS = 32,
    /* of each encoding of a generated model: as many as have DAMAGED_NBYTES, within limits */
    DAMAGED_NBYTES = 100000,
    MIN_DAMAGED = 16,
    MAX_DAMAGED = 256,
    NBYTES_A_DAMAGED_BYTE = 4096, /* of memory, at most */
    NBYTES_A_DAMAGED_COPY = 4 << 20,
    PROBES_ONE_IN = 6, /* of a kind's probes, on each damaged copy that opens */
    ANSWERS_NBYTES = 64 << 10,
    FIRST_FURTHER = 1000, /* the first seed */
    N_FURTHER = 200,
    FURTHER_QUERIES = 64, /* of each kind */
    DAMAGED_TEXTS = 30,   /* of each text form of a further model */
    N_ARGUMENTS = 64,     /* lists of arguments for each kind, of generated models */
    MAX_NAMES = 64,
};

/* The sections of a codec's encodings, in the order in which they are first marked. */
struct sections {
    struct {
        char name[32];
        uint64_t nbytes;
    } items[BO_MAX_SECTIONS];
    unsigned n;
};

struct selfcheck {
    const struct bo_format *format;
    struct bo_span golden; /* the file's text; p is NULL when the golden file is to be printed */
    size_t max_checked_nbytes, max_nbytes; /* sizes of a document's text */
    struct bo_writer totals;               /* golden lines of all generated models, as produced */
    bool light;                            /* reduces the effort to an eighth */
    bool stop_at_first;                    /* stops at the first failure */
    unsigned long passed, failed;
};

static void note(struct selfcheck *s, bool ok, const char *document, const char *codec,
                 const char *check, const char *detail)
{
    s->passed += ok;
    s->failed += !ok;
    if (!ok)
        printf("FAILED %s/%s %s: %s: %s\n", s->format->name, codec, document, check, detail);
    if (!ok && s->stop_at_first)
        exit(1);
}

/* ---- golden sizes and hashes ----------------------------------------------------------------- */

/*
 * True when the golden file contains this line, or, if `line` has no newline, a line that starts
 * with it.
 */
static bool has_line(struct bo_span golden, const char *line)
{
    const size_t n = strlen(line);
    for (size_t i = 0; i + n <= golden.n; i++)
        if ((i == 0 || golden.p[i - 1] == '\n') && memcmp(golden.p + i, line, n) == 0)
            return true;
    return false;
}

/* Compares a line with the golden file, or prints it. */
static void expect_line(struct selfcheck *s, const char *name, const char *codec, const char *line)
{
    if (s->golden.p)
        note(s, has_line(s->golden, line), name, codec, "golden", line);
    else
        fputs(line, stdout);
}

/* A line about all generated models, which every build produces. */
static void expect_total(struct selfcheck *s, const char *of, const char *line)
{
    expect_line(s, "generated", of, line);
    bo_put_text(&s->totals, "%s", line);
}

/* No line of these kinds remains of a workload, a check or a codec that is gone. */
static void check_totals(struct selfcheck *s)
{
    static const char *const kinds[] = {"sections\t", "kinds\t", "queries\t", "damage\t",
                                        "further\t"};
    char line[1024];
    for (size_t i = 0, end; i < s->golden.n; i = end) {
        const uint8_t *lf = memchr(s->golden.p + i, '\n', s->golden.n - i);
        end = lf ? (size_t)(lf - s->golden.p) + 1 : s->golden.n;
        snprintf(line, sizeof line, "%.*s", (int)(end - i), (const char *)s->golden.p + i);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strncmp(line, kinds[k], strlen(kinds[k])) == 0 &&
                !has_line(bo_writer_span(&s->totals), line))
                note(s, false, "generated", "-", "golden file has a line of its own", line);
    }
}

static void add_sections(struct sections *sections, const struct bo_writer *out)
{
    for (unsigned i = 0; i < out->n_sections; i++) {
        unsigned k = 0;
        while (k < sections->n && strcmp(sections->items[k].name, out->sections[i].name) != 0)
            k++;
        if (k == BO_MAX_SECTIONS)
            abort();
        if (k == sections->n)
            snprintf(sections->items[sections->n++].name, sizeof sections->items->name, "%s",
                     out->sections[i].name);
        sections->items[k].nbytes += bo_writer_section_nbytes(out, i);
    }
}

static void check_sections(struct selfcheck *s, const struct bo_codec *codec,
                           const struct sections *sections)
{
    char line[1024];
    size_t n = (size_t)snprintf(line, sizeof line, "sections\t%s\t", codec->name);
    for (unsigned i = 0; i < sections->n && n < sizeof line; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%s=%" PRIu64, i ? " " : "",
                              sections->items[i].name, sections->items[i].nbytes);
    if (n + 1 < sizeof line)
        memcpy(line + n, "\n", 2);
    expect_total(s, codec->name, line);
}

/* The kinds of queries that a codec answers. The golden file has those of codecs in all builds. */
static void check_kinds(struct selfcheck *s, const struct bo_codec *codec)
{
    char line[1024];
    note(s, codec->kinds && codec->kinds >> s->format->n_kinds == 0, "-", codec->name, "kinds",
         "none, or one that the format does not have");
    if (codec->optional)
        return;
    size_t n = (size_t)snprintf(line, sizeof line, "kinds\t%s\t", codec->name);
    for (unsigned k = 0; k < s->format->n_kinds && n < sizeof line; k++)
        if (codec->kinds >> k & 1)
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s", line[n - 1] == '\t' ? "" : " ",
                                  s->format->kinds[k].name);
    if (n + 1 < sizeof line)
        memcpy(line + n, "\n", 2);
    expect_total(s, codec->name, line);
}

/* A line of the golden file: how many queries or damaged copies, and a hash of their results. */
struct count {
    uint64_t n, hash;
};

static void add_results(uint64_t n, struct bo_span results, struct count *count)
{
    count->n += n;
    count->hash = bo_mix64(count->hash ^ bo_hash(results));
}

static void check_count(struct selfcheck *s, const char *what, const char *of,
                        const struct count *count)
{
    char line[256];
    snprintf(line, sizeof line, "%s\t%s\t%" PRIu64 "\t%016" PRIx64 "\n", what, of, count->n,
             count->hash);
    expect_total(s, of, line);
}

static void put_error(struct bo_writer *out, enum bo_status status, const struct bo_error *error)
{
    bo_put_text(out, "%s %" PRIu64 " %s\n", bo_status_name(status), error->off, error->what);
}

/* An argument of the command line: of a drawn query, a small number, or at a limit. */
static const char *draw_argument(struct bo_random *random, const char *const *names, size_t n_names,
                                 char *small, bool *is_large_ref)
{
    static const char *const large[] = {"300",
                                        "65536",
                                        "4294967295",
                                        "4294967296",
                                        "-4294967297",
                                        "1000000000",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "-1",
                                        "0x10",
                                        "9223372036854775807",
                                        "-9223372036854775809",
                                        "",
                                        "x",
                                        "1 ",
                                        "1e3"};
    const uint32_t way = bo_random_below(random, 4);
    if (way == 0) {
        *is_large_ref = true;
        return large[bo_random_below(random, sizeof large / sizeof *large)];
    }
    if (way == 1 && n_names)
        return names[bo_random_below(random, (uint32_t)n_names)];
    snprintf(small, 4, "%u", bo_random_below(random, way == 2 ? 3 : 24));
    return small;
}

/*
 * Adds the results of random arguments: the error, or, of the first few, the oracle's answer. It is
 * left out for arguments that may be numbers of billions of things.
 */
static void add_arguments(struct bo_agreement *c, struct bo_random *random,
                          const char *const *names, size_t n_names, struct count *parsed)
{
    enum { MAX_ARGUMENTS = 6, MAX_ANSWERED = 8 };
    unsigned n_answered = 0;
    struct bo_writer text;
    bo_writer_init(&text, c->arena);
    for (unsigned i = 0; i < N_ARGUMENTS; i++) {
        char small[MAX_ARGUMENTS][4], *args[MAX_ARGUMENTS];
        struct bo_error error = {.what = ""};
        bool has_large = false;
        const uint32_t n = bo_random_below(random, MAX_ARGUMENTS);
        for (uint32_t k = 0; k < n; k++)
            args[k] =
                (char *)(uintptr_t)draw_argument(random, names, n_names, small[k], &has_large);
        const enum bo_status status = c->kind->parse((int)n, args, c->arena, c->queries, &error);
        put_error(&text, status, &error);
        if (status || has_large || n_answered == MAX_ANSWERED)
            continue;
        n_answered++;
        const enum bo_status answered = bo_agreement_run_oracle(c, 1);
        bo_put_text(&text, "%s\n", bo_status_name(answered));
        if (!answered)
            c->kind->print(c->queries, (struct bo_span){c->expected.p, c->expected.n}, &text);
    }
    add_results(N_ARGUMENTS, bo_writer_span(&text), parsed);
    bo_writer_free(&text);
}

/* The name as an argument: up to its first NUL. */
static const char *copy_name(struct bo_span name, struct bo_arena *arena)
{
    char *copy = bo_alloc(arena, name.n + 1);
    if (!copy)
        abort();
    if (name.n)
        memcpy(copy, name.p, name.n);
    copy[name.n] = '\0';
    return copy;
}

/*
 * Adds the first queries of each workload on a model. The same seed must draw the same ones on
 * every machine.
 */
static void add_queries(const struct bo_format *format, unsigned long seed, const void *model,
                        struct count drawn[][MAX_WORKLOADS], struct count *parsed)
{
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        const size_t size = kind->query_size;
        struct bo_arena arena;
        struct bo_writer text;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&text, &arena);
        struct bo_agreement c = {.format = format, .kind = kind, .model = model, .arena = &arena};
        if (kind->n_workloads > MAX_WORKLOADS || !bo_agreement_init(&c))
            abort();
        const char *names[MAX_NAMES];
        size_t n_names = 0;
        for (unsigned w = 0; w < kind->n_workloads && size; w++) {
            struct bo_random random = bo_random_seeded(seed);
            const size_t n =
                kind->workloads[w].draw(model, &random, &arena, DRAWN_QUERIES, c.queries);
            for (size_t i = 0; i < n; i++) {
                struct bo_span name = {NULL, 0};
                if (kind->has_text)
                    memcpy(&name, c.queries, sizeof name);
                bo_put_bytes(&text, name.p, name.n);
                if (kind->has_text && n_names < MAX_NAMES)
                    names[n_names++] = copy_name(name, &arena);
                if (bo_agreement_run_oracle(&c, 1) == BO_OK)
                    kind->print(c.queries, (struct bo_span){c.expected.p, c.expected.n}, &text);
                memmove(c.queries, c.queries + size, (n - i - 1) * size);
            }
            add_results(n, bo_writer_span(&text), &drawn[k][w]);
            bo_writer_truncate(&text, 0);
        }
        if (kind->query_size) {
            struct bo_random random = bo_random_seeded(seed);
            add_arguments(&c, &random, names, n_names, &parsed[k]);
        }
        bo_writer_free(&text);
        bo_arena_free(&arena);
    }
}

static void check_queries(struct selfcheck *s, struct count drawn[][MAX_WORKLOADS],
                          const struct count *parsed)
{
    for (unsigned k = 0; k < s->format->n_kinds; k++) {
        const struct bo_query_kind *kind = &s->format->kinds[k];
        char label[128];
        if (parsed[k].n) {
            snprintf(label, sizeof label, "%s/arguments", kind->name);
            check_count(s, "queries", label, &parsed[k]);
        }
        for (unsigned w = 0; w < kind->n_workloads && kind->query_size; w++) {
            const struct bo_workload *workload = &kind->workloads[w];
            char how[64];
            snprintf(label, sizeof label, "%s/%s", kind->name, workload->name);
            const int n = snprintf(how, sizeof how, "%zu %d %d %zu", workload->n_queries,
                                   workload->dependent, workload->cold, workload->fresh);
            add_results(0, (struct bo_span){(const uint8_t *)how, (size_t)n}, &drawn[k][w]);
            check_count(s, "queries", label, &drawn[k][w]);
        }
    }
}

/*
 * Initialises an arena in which growable arrays start with a capacity of one element, so that even
 * short ones grow.
 */
static void arena_init(struct bo_arena *arena)
{
    bo_arena_init(arena, BO_ARENA_UNLIMITED);
    arena->max_first_cap = 1;
}

static void append_use(const struct bo_arena *arena, char end, char *line, size_t cap)
{
    const size_t n = strlen(line);
    snprintf(line + n, cap - n, "%zu/%zu/%" PRIu64 "%c", arena->peak_nbytes,
             arena->region_nbytes + arena->charged_nbytes, arena->n_allocs, end);
}

/*
 * Appends the use of memory to a line of the golden file: of encoding, of decoding, and of opening
 * the encoding with n_queries of each kind. It is measured in one build, on the portable paths: in
 * other builds, pointers are smaller or libraries are missing. False when one of these fails, or
 * when an answer differs from that of the decoded model.
 */
static bool append_memory(const struct bo_format *format, const struct bo_codec *codec,
                          const struct bo_arena *encoding_arena, struct bo_span encoding,
                          unsigned n_queries, char *line, size_t cap)
{
    struct bo_arena decoding, reading;
    struct bo_finding finding;
    struct bo_effort effort = bo_effort_default();
    uint64_t n_cases = 0;
    void *decoded, *reader;
    bool ok;
    bo_arena_init(&decoding, BO_ARENA_UNLIMITED);
    if (decoding.max_first_cap != SIZE_MAX || sizeof(void *) != 8)
        return true;
    arena_init(&decoding);
    arena_init(&reading);
    effort.max_queries = n_queries;
    bo_cpu_use_portable();
    ok = codec->decode(codec, encoding, &decoding, &decoded, NULL) == BO_OK &&
         codec->open(codec, encoding, &reading, &reader, NULL) == BO_OK &&
         (!n_queries ||
          bo_agreement_all_kinds(format, codec, decoded, reader, &effort, &n_cases, &finding));
    append_use(encoding_arena, ' ', line, cap);
    append_use(&decoding, ' ', line, cap);
    append_use(&reading, '\n', line, cap);
    (void)bo_cpu_choose();
    bo_arena_free(&decoding);
    bo_arena_free(&reading);
    return ok;
}

/* Writes the units and the fields of a model, with their names, 64 bits for a number. */
static void put_fields(const struct bo_format *format, const void *model, struct bo_writer *out)
{
    struct bo_sequences fields = {.arena = out->arena};
    struct bo_unit units[BO_MAX_UNITS];
    const unsigned n_units = format->units(model, units);
    for (unsigned i = 0; i < n_units; i++)
        bo_put_text(out, "%s %" PRIu64 "\n", units[i].name, units[i].n);
    if (format->fields)
        format->fields(model, &fields);
    for (unsigned i = 0; i < fields.n; i++) {
        const struct bo_sequence *field = &fields.items[i];
        bo_put_text(out, "%s\n", field->name);
        bo_put_bytes(out, field->bytes, field->is_text ? field->n : 0);
        for (size_t k = 0; !field->is_text && k < field->n; k++)
            bo_put_le64(out, field->numbers[k]);
    }
}

static void check_fields(struct selfcheck *s, const char *name, const void *model)
{
    struct bo_arena arena;
    struct bo_writer out;
    char line[128];
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    put_fields(s->format, model, &out);
    snprintf(line, sizeof line, "%s\tfields\t%zu\t%016" PRIx64 "\n", name, out.n,
             bo_hash(bo_writer_span(&out)));
    bo_writer_free(&out);
    bo_arena_free(&arena);
    expect_line(s, name, "-", line);
}

/* ---- golden errors --------------------------------------------------------------------------- */

/* A changed copy of an encoding, at p. Half of the changes are in the first bytes. */
static struct bo_span damage(struct bo_span in, uint8_t *p, struct bo_random *random)
{
    enum { HEAD_NBYTES = 64 };
    const uint32_t way = bo_random_below(random, 20);
    const size_t below = way % 2 && in.n > HEAD_NBYTES ? HEAD_NBYTES : in.n;
    const size_t at = bo_random_below(random, (uint32_t)below);
    if (way >= 16)
        return bo_with_extreme(in, at, bo_random_below(random, BO_N_EXTREMES), p);
    memcpy(p, in.p, in.n);
    if (way < 2)
        return (struct bo_span){p, at};
    p[at] = way < 4   ? 0xff
            : way < 8 ? (uint8_t)bo_random_below(random, 17)
                      : p[at] ^ (uint8_t)(1u << bo_random_below(random, 8));
    return (struct bo_span){p, in.n};
}

/* Adds the errors of some queries. Limits are left out: sizes of answers depend on the machine. */
static void put_query_errors(const struct bo_format *format, const struct bo_codec *codec,
                             const struct bo_probes *probes, void *reader, struct bo_sink *sink,
                             struct bo_writer *out)
{
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        const size_t n = !(codec->kinds >> k & 1) ? 0 : kind->query_size ? probes->n[k] : 1;
        for (size_t i = 0; i < n; i += PROBES_ONE_IN) {
            struct bo_error error = {.what = ""};
            const uint8_t *query =
                kind->query_size ? probes->queries[k] + i * kind->query_size : NULL;
            sink->n = 0;
            const enum bo_status status = codec->query(
                codec, reader, k, query, 1, kind->answer_size ? (void *)sink->p : sink, &error);
            if (status && status != BO_OVER_LIMIT && status != BO_NO_MEMORY)
                put_error(out, status, &error);
        }
    }
}

/*
 * Adds the results of decoding, opening and querying damaged copies of a model's encoding. Their
 * memory must stay within a multiple of the copy's bytes, whatever numbers the copy announces.
 */
static void add_damage(struct selfcheck *s, const char *name, const struct bo_codec *codec,
                       const void *model, struct bo_span encoding, struct count *damaged)
{
    const struct bo_format *format = s->format;
    struct bo_probes probes;
    struct bo_random random = bo_random_seeded(encoding.n);
    struct bo_arena copies;
    struct bo_writer results;
    bo_arena_init(&copies, BO_ARENA_UNLIMITED);
    bo_writer_init(&results, &copies);
    bo_probes_draw(format, model, &copies, &probes);
    bool is_modest = true;
    uint8_t *copy = bo_alloc(&copies, encoding.n + BO_MAX_EXTREME_NBYTES);
    struct bo_sink sink = {.p = bo_alloc(&copies, ANSWERS_NBYTES), .cap = ANSWERS_NBYTES};
    if (!copy || !sink.p)
        abort();
    const size_t affordable = DAMAGED_NBYTES / (encoding.n + 1);
    const size_t n = encoding.n == 0            ? 0
                     : affordable < MIN_DAMAGED ? MIN_DAMAGED
                     : affordable > MAX_DAMAGED ? MAX_DAMAGED
                                                : affordable;
    for (size_t i = 0; i < n; i++) {
        struct bo_arena arena;
        struct bo_error decode_error = {.what = ""}, open_error = {.what = ""};
        void *decoded, *reader;
        const struct bo_span in = damage(encoding, copy, &random);
        bo_arena_init(&arena, bo_effort_default().budget_nbytes);
        const enum bo_status status = codec->decode(codec, in, &arena, &decoded, &decode_error);
        put_error(&results, status, &decode_error);
        if (!status)
            put_fields(format, decoded, &results);
        const enum bo_status opened = codec->open(codec, in, &arena, &reader, &open_error);
        put_error(&results, opened, &open_error);
        if (!opened)
            put_query_errors(format, codec, &probes, reader, &sink, &results);
        is_modest &= arena.refusal == BO_OK &&
                     arena.peak_nbytes <= in.n * NBYTES_A_DAMAGED_BYTE + NBYTES_A_DAMAGED_COPY;
        bo_arena_free(&arena);
    }
    note(s, is_modest, name, codec->name, "memory", "a damaged copy takes too much");
    add_results(n, bo_writer_span(&results), damaged);
    bo_writer_free(&results);
    bo_arena_free(&copies);
}

/* Totals over the generated models, for one codec. */
struct totals {
    struct sections sections;
    struct count damaged;
};

/*
 * Compares every encoding of a model with the golden file. Adds to `totals`, an array with one
 * element per codec, which is NULL for a document.
 */
static void check_golden(struct selfcheck *s, const char *name, const void *model,
                         struct totals *totals)
{
    for (const struct bo_codec *const *c = s->format->codecs; *c; c++) {
        if ((*c)->reads || (*c)->optional)
            continue;
        struct bo_arena arena;
        struct bo_writer out;
        struct bo_error error = {0};
        char line[512];
        arena_init(&arena);
        bo_writer_init(&out, &arena);
        const enum bo_status status = (*c)->encode(*c, model, &out, &error);
        if (status)
            snprintf(line, sizeof line, "%s\t%s\t%s\n", name, (*c)->name, error.what);
        else
            snprintf(line, sizeof line, "%s\t%s\t%" PRIu64 "\t%016" PRIx64 "\t", name, (*c)->name,
                     bo_writer_counted(&out), bo_hash(bo_writer_span(&out)));
        if (!status && !append_memory(s->format, *c, &arena, bo_writer_span(&out),
                                      totals ? MEMORY_QUERIES : 0, line, sizeof line))
            note(s, false, name, (*c)->name, "golden", "cannot be read back");
        if (totals && !status) {
            add_sections(&totals[c - s->format->codecs].sections, &out);
            add_damage(s, name, *c, model, bo_writer_span(&out),
                       &totals[c - s->format->codecs].damaged);
        }
        bo_writer_free(&out);
        bo_arena_free(&arena);
        expect_line(s, name, (*c)->name, line);
    }
}

/* ---- the generic checks ---------------------------------------------------------------------- */

static void check_all(struct selfcheck *s, const char *name, const void *model,
                      const struct bo_effort *effort)
{
    struct bo_shared_encoding shared = {0};
    struct bo_effort with_encoding = *effort;
    for (const struct bo_codec *const *c = s->format->codecs; *c; c++) {
        bo_share_encoding(&shared, s->format, *c, model, &with_encoding);
        for (const struct bo_check *check = bo_checks; check->name; check++) {
            const struct bo_check_result r = check->run(s->format, *c, model, &with_encoding);
            if (r.outcome != BO_SKIP)
                note(s, r.outcome == BO_PASS, name, (*c)->name, check->name,
                     r.finding.detail[0] ? r.finding.detail : r.finding.class);
        }
    }
    bo_shared_encoding_free(&shared);
}

static struct bo_effort effort_of(const struct selfcheck *s)
{
    const unsigned part = s->light ? 8 : 1;
    struct bo_effort effort = bo_effort_default();
    effort.max_queries = 4000 / part;
    effort.max_damage_full = DAMAGE_UP_TO / part;
    effort.n_damage_sample = 80 / part;
    effort.max_failures = MAX_FAILURES / part;
    return effort;
}

static bool generate(const struct bo_format *format, uint64_t seed, unsigned n_mutations,
                     struct bo_arena *arena, void **model_ret)
{
    struct bo_error error;
    struct bo_random random = bo_random_seeded(seed);
    enum bo_status status =
        format->generate(&random, (size_t)(seed % MAX_TABLES), arena, model_ret, &error);
    for (unsigned i = 0; i < n_mutations && !status; i++)
        status = format->mutate(*model_ret, &random, arena, model_ret, &error);
    return status == BO_OK;
}

/* Checks a few extreme models. Few seeds give one, so this searches for them. */
static void check_extreme(struct selfcheck *s)
{
    const struct bo_effort effort = effort_of(s);
    unsigned n_left = s->light ? 1 : N_EXTREME;
    for (unsigned long seed = N_GOLDEN_GENERATED + 1; n_left; seed++) {
        struct bo_random aside;
        const struct bo_random random = bo_random_seeded(seed);
        if (!bo_random_extreme(&random, &aside))
            continue;
        struct bo_arena arena;
        void *model;
        char name[32];
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        snprintf(name, sizeof name, "extreme-%lu", seed);
        const bool ok = generate(s->format, seed, 0, &arena, &model);
        note(s, ok, name, "-", "generate", "failed");
        if (ok)
            check_all(s, name, model, &effort);
        bo_arena_free(&arena);
        n_left--;
    }
}

/* Writes a copy of a text with one change. */
static void put_damaged_text(struct bo_span text, struct bo_random *random, struct bo_writer *out)
{
    static const char bytes[] = " \n\t-0189:.@x\"", large[] = "99999999999999999999";
    const size_t at = bo_random_below(random, (uint32_t)text.n);
    size_t line = at, next = at + 1;
    while (line > 0 && text.p[line - 1] != '\n')
        line--;
    while (next < text.n && text.p[next - 1] != '\n')
        next++;
    /* `by` replaces [from, to): another byte. */
    size_t from = at, to = at + 1;
    struct bo_span by = {(const uint8_t *)bytes + bo_random_below(random, sizeof bytes - 1), 1};
    switch (bo_random_below(random, 10)) {
    case 0: /* a byte more */
        to = at;
        break;
    case 1: /* a byte less */
        by.n = 0;
        break;
    case 2: /* a line twice */
        from = to = line;
        by = (struct bo_span){text.p + line, next - line};
        break;
    case 3: /* a line less */
        from = line;
        to = next;
        by.n = 0;
        break;
    case 4: /* a larger number */
        to = at;
        by = bo_span_of(large);
        break;
    case 5: /* an earlier end */
        to = text.n;
        by.n = 0;
        break;
    default:
        break;
    }
    bo_put_bytes(out, text.p, from);
    bo_put_bytes(out, by.p, by.n);
    bo_put_bytes(out, text.p + to, text.n - to);
}

/* Adds the text form of a model, and the results of parsing damaged copies of it. */
static void add_text(const struct bo_format *format, const void *model, struct count *texts,
                     struct count *damaged)
{
    struct bo_arena arena;
    struct bo_writer text, copy, results;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    bo_writer_init(&copy, &arena);
    bo_writer_init(&results, &arena);
    format->print(model, &text, NULL);
    add_results(1, bo_writer_span(&text), texts);
    struct bo_random random = bo_random_seeded(text.n);
    const size_t n = text.n ? DAMAGED_TEXTS : 0;
    for (size_t i = 0; i < n; i++) {
        struct bo_arena parsed;
        struct bo_error error = {.what = ""};
        void *of_copy;
        bo_writer_truncate(&copy, 0);
        put_damaged_text(bo_writer_span(&text), &random, &copy);
        bo_arena_init(&parsed, bo_effort_default().budget_nbytes);
        const enum bo_status status =
            format->parse(bo_writer_span(&copy), &parsed, &of_copy, &error);
        put_error(&results, status, &error);
        if (!status)
            put_fields(format, of_copy, &results);
        bo_arena_free(&parsed);
    }
    add_results(n, bo_writer_span(&results), damaged);
    bo_writer_free(&results);
    bo_writer_free(&copy);
    bo_writer_free(&text);
    bo_arena_free(&arena);
}

/* Adds the encodings of a model, no bytes where it has none. Checks round trips, some queries. */
static void add_further(struct selfcheck *s, const void *model, const struct bo_effort *effort,
                        struct count *encodings)
{
    static const char *const names[] = {"round-trip", "oracle"};
    struct bo_shared_encoding shared = {0};
    struct bo_effort with_encoding = *effort;
    for (const struct bo_codec *const *c = s->format->codecs; *c; c++) {
        bo_share_encoding(&shared, s->format, *c, model, &with_encoding);
        if (!(*c)->reads && !(*c)->optional)
            add_results(1, with_encoding.encoding, &encodings[c - s->format->codecs]);
        for (unsigned k = 0; k < 2 && s->golden.p; k++) {
            const struct bo_check_result r =
                bo_find_check(names[k])->run(s->format, *c, model, &with_encoding);
            if (r.outcome != BO_SKIP)
                note(s, r.outcome == BO_PASS, "further", (*c)->name, names[k],
                     r.finding.detail[0] ? r.finding.detail : r.finding.class);
        }
    }
    bo_shared_encoding_free(&shared);
}

/* Many models, for shapes that few models have. check_extreme has the extreme ones. */
static void check_further(struct selfcheck *s)
{
    struct count texts = {0, 0}, damaged = {0, 0}, encodings[MAX_CODECS] = {{0, 0}};
    struct bo_effort effort = effort_of(s);
    effort.max_queries = FURTHER_QUERIES;
    for (uint64_t seed = FIRST_FURTHER; seed < FIRST_FURTHER + N_FURTHER; seed++) {
        struct bo_random aside;
        const struct bo_random random = bo_random_seeded(seed);
        struct bo_arena arena;
        void *model;
        if (bo_random_extreme(&random, &aside))
            continue;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const bool ok = generate(s->format, seed, seed % 2 ? N_MUTATIONS : 0, &arena, &model);
        note(s, ok, "further", "-", "generate", "failed");
        if (ok) {
            add_text(s->format, model, &texts, &damaged);
            add_further(s, model, &effort, encodings);
        }
        bo_arena_free(&arena);
    }
    for (const struct bo_codec *const *c = s->format->codecs; *c; c++)
        if (!(*c)->reads && !(*c)->optional)
            check_count(s, "further", (*c)->name, &encodings[c - s->format->codecs]);
    check_count(s, "further", "text", &texts);
    check_count(s, "damage", "text", &damaged);
}

static void check_generated(struct selfcheck *s, unsigned long n)
{
    struct bo_effort effort = effort_of(s);
    effort.max_failures = MAX_FAILURES; /* the models are small */
    struct totals *totals = calloc(MAX_CODECS, sizeof *totals);
    struct count drawn[BO_MAX_KINDS][MAX_WORKLOADS] = {{{0, 0}}}, parsed[BO_MAX_KINDS] = {{0, 0}};
    if (!totals)
        abort();
    for (unsigned long seed = 1; seed <= (n > N_GOLDEN_GENERATED ? n : N_GOLDEN_GENERATED);
         seed++) {
        struct bo_arena arena;
        void *model = NULL;
        char name[32];
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        snprintf(name, sizeof name, "generated-%lu", seed);
        const bool ok = generate(s->format, seed, 0, &arena, &model);
        note(s, ok, name, "-", "generate", "failed");
        if (ok && seed <= N_GOLDEN_GENERATED) {
            check_golden(s, name, model, totals);
            check_fields(s, name, model);
            add_queries(s->format, seed, model, drawn, parsed);
        }
        if (s->golden.p && seed <= n) {
            const bool changes = generate(s->format, seed, N_MUTATIONS, &arena, &model);
            note(s, changes, name, "-", "mutate", "failed");
            if (changes)
                check_all(s, name, model, &effort);
        }
        bo_arena_free(&arena);
    }
    if (s->golden.p)
        check_extreme(s);
    for (const struct bo_codec *const *c = s->format->codecs; *c; c++) {
        if (!(*c)->reads && !(*c)->optional) {
            const struct totals *of = &totals[c - s->format->codecs];
            check_sections(s, *c, &of->sections);
            check_count(s, "damage", (*c)->name, &of->damaged);
        }
        check_kinds(s, *c);
    }
    check_queries(s, drawn, parsed);
    check_further(s);
    free(totals);
    if (s->golden.p && n < N_GOLDEN_GENERATED)
        printf("note: generated %s: sizes and hashes of %d, all checks of %lu\n", s->format->name,
               N_GOLDEN_GENERATED, n);
}

/* ---- documents ------------------------------------------------------------------------------- */

static bool read_file(const char *path, struct bo_arena *arena, struct bo_span *bytes_ret)
{
    FILE *file = fopen(path, "rb");
    long n = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        n = ftell(file);
    uint8_t *p = n >= 0 ? bo_alloc(arena, (size_t)n) : NULL;
    bool ok = p && fseek(file, 0, SEEK_SET) == 0 && fread(p, 1, (size_t)n, file) == (size_t)n;
    if (file)
        fclose(file);
    *bytes_ret = (struct bo_span){p, ok ? (size_t)n : 0};
    return ok;
}

static void check_text(struct selfcheck *s, const char *name, struct bo_span text,
                       struct bo_arena *arena)
{
    struct bo_error error = {.what = "cannot parse"};
    void *model = NULL;
    const bool ok = s->format->parse(text, arena, &model, &error) == BO_OK;
    note(s, ok, name, "-", "parse", error.what);
    if (!ok)
        return;
    struct bo_writer again;
    bo_writer_init(&again, arena);
    s->format->print(model, &again, &error);
    note(s, bo_span_equal(bo_writer_span(&again), text), name, "-", "text-form",
         "prints other text than it parsed");
    bo_writer_free(&again);
    check_golden(s, name, model, NULL);
    const struct bo_effort effort = effort_of(s);
    if (s->golden.p && text.n <= s->max_checked_nbytes)
        check_all(s, name, model, &effort);
    else if (s->golden.p)
        printf("note: %s: sizes and hashes only: %zu bytes of text, all checks run up to %zu\n",
               name, text.n, s->max_checked_nbytes);
}

static void check_document(struct selfcheck *s, const char *path)
{
    struct bo_arena arena;
    struct bo_span text;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (!read_file(path, &arena, &text))
        note(s, false, name, "-", "read", "cannot read");
    else if (s->golden.p && text.n > s->max_nbytes)
        printf("note: %s: left out: %zu bytes of text, this run takes up to %zu\n", name, text.n,
               s->max_nbytes);
    else
        check_text(s, name, text, &arena);
    bo_arena_free(&arena);
}

/*
 * Prints a note for the codecs whose libraries this program was built without; they are not
 * checked.
 */
static void note_missing(const struct bo_format *format)
{
    for (const struct bo_optional *o = format->optionals; o && o->codecs; o++)
        if (!o->version)
            printf("note: %s/%s: built without %s\n", format->name, o->codecs, o->library);
}

/* Parses the options. Returns the index of the first other argument. */
static int parse_options(int argc, char **argv, struct selfcheck *s, bool *golden_ret,
                         unsigned long *n_generated_ret)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--golden") == 0)
            *golden_ret = true;
        else if (strcmp(argv[i], "--light") == 0)
            s->light = true;
        else if (strcmp(argv[i], "--first") == 0)
            s->stop_at_first = true;
        else if (i + 1 == argc)
            break;
        else if (strcmp(argv[i], "--generated") == 0)
            *n_generated_ret = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--checks-up-to") == 0)
            s->max_checked_nbytes = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--up-to") == 0)
            s->max_nbytes = strtoul(argv[++i], NULL, 10);
        else
            break;
    }
    return i;
}

int main(int argc, char **argv)
{
    struct selfcheck s = {.max_checked_nbytes = SIZE_MAX, .max_nbytes = SIZE_MAX};
    unsigned long n_generated = N_GOLDEN_GENERATED;
    bool print_golden = false;
    const int i = parse_options(argc, argv, &s, &print_golden, &n_generated);
    s.format = i < argc ? bo_find_format(argv[i]) : NULL;
    if (!s.format || i + 1 >= argc) {
        fprintf(stderr, "usage: selfcheck [--golden] [--generated N] [--light] [--first] "
                        "[--checks-up-to BYTES]\n"
                        "                 [--up-to BYTES] FORMAT GOLDEN.tsv DOCUMENT...\n");
        return 2;
    }
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (!print_golden && !read_file(argv[i + 1], &arena, &s.golden)) {
        fprintf(stderr, "selfcheck: %s: cannot read\n", argv[i + 1]);
        return 2;
    }
    if (s.light && s.golden.p)
        printf("note: %s: an eighth of the queries and damage, and of failing allocations on "
               "documents\n",
               s.format->name);
    if (!print_golden)
        note_missing(s.format);
    bo_writer_init(&s.totals, &arena);
    check_generated(&s, n_generated);
    if (!print_golden)
        check_totals(&s);
    for (int d = i + 2; d < argc; d++)
        check_document(&s, argv[d]);
    bo_writer_free(&s.totals);
    bo_arena_free(&arena);
    if (!print_golden)
        printf("%lu passed, %lu failed\n", s.passed, s.failed);
    return s.failed ? 1 : 0;
}
