/* Makes and checks conformance vectors. */
#include "corpora/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpora/vectors_models.h"
#include "harness/core/utf8.h"

enum {
    SCHEMA = 1,
    N_VALID = 24,
    MAX_TEXT = 4096,  /* bytes of a small model's text, and of an answer's */
    MAX_BYTES = 2048, /* of an encoding */
    /*
     * Limits for codecs without encodings of that size, such as history trees with nodes of 64 KiB:
     */
    N_LARGE = 3,
    MAX_LARGE_BYTES = 1 << 18,
    N_SEEDS = 400,
    N_ANSWERS = 6,      /* per query kind */
    N_SPREAD = 1 << 20, /* the answers are of queries spread over the first ones of a kind */
    MAX_DAMAGED = 1024, /* damaged bytes, from the start of an encoding */
    MAX_INVALID = 128,  /* rules */
    BUDGET = 1 << 26,   /* memory for one input, in bytes */
    MAX_ANSWER = 65536, /* bytes */
};

/* ---- text and hex ---------------------------------------------------------------------------- */

static json_t *hex_json(struct bo_span bytes)
{
    static const char digits[] = "0123456789abcdef";
    char *hex = malloc(2 * bytes.n + 1);
    if (!hex)
        abort();
    for (size_t i = 0; i < bytes.n; i++) {
        hex[2 * i] = digits[bytes.p[i] >> 4];
        hex[2 * i + 1] = digits[bytes.p[i] & 15];
    }
    json_t *json = json_stringn(hex, 2 * bytes.n);
    free(hex);
    return json;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False unless the text is hexadecimal and has whole bytes. */
static bool read_hex(const json_t *json, struct bo_arena *arena, struct bo_span *bytes_ret)
{
    const char *text = json_string_value(json);
    const size_t n = text ? strlen(text) / 2 : 0;
    uint8_t *p = bo_alloc(arena, n + 1);
    if (!text || strlen(text) % 2 || !p)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (digit(text[2 * i]) < 0 || digit(text[2 * i + 1]) < 0)
            return false;
        p[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    }
    *bytes_ret = (struct bo_span){p, n};
    return true;
}

/* Stores text as a string, or as hex if it is not UTF-8 or contains a NUL. */
static void set_text(json_t *object, const char *name, struct bo_span text)
{
    char hex_name[32];
    snprintf(hex_name, sizeof hex_name, "%s_hex", name);
    if (bo_is_utf8(text) && !memchr(text.p, 0, text.n))
        json_object_set_new(object, name, json_stringn((const char *)text.p, text.n));
    else
        json_object_set_new(object, hex_name, hex_json(text));
}

static bool get_text(const json_t *object, const char *name, struct bo_arena *arena,
                     struct bo_span *text_ret)
{
    char hex_name[32];
    const json_t *plain = json_object_get(object, name);
    snprintf(hex_name, sizeof hex_name, "%s_hex", name);
    if (!json_is_string(plain))
        return read_hex(json_object_get(object, hex_name), arena, text_ret);
    *text_ret =
        (struct bo_span){(const uint8_t *)json_string_value(plain), json_string_length(plain)};
    return true;
}

/* ---- valid vectors --------------------------------------------------------------------------- */

static bool print_model(const struct bo_format *format, const void *model, struct bo_arena *arena,
                        struct bo_span *text_ret)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    const bool ok = !format->print(model, &out, NULL);
    uint8_t *p = ok ? bo_alloc(arena, out.n + 1) : NULL;
    if (p && out.n)
        memcpy(p, out.p, out.n);
    *text_ret = (struct bo_span){p, out.n};
    bo_writer_free(&out);
    return p != NULL;
}

static bool encode(const struct bo_codec *codec, const void *model, struct bo_arena *arena,
                   struct bo_span *bytes_ret)
{
    struct bo_writer out;
    bo_writer_init(&out, arena);
    const bool ok = !codec->encode(codec, model, &out, NULL);
    uint8_t *p = ok ? bo_alloc(arena, out.n + 1) : NULL;
    if (p)
        memcpy(p, out.p, out.n);
    *bytes_ret = (struct bo_span){p, out.n};
    bo_writer_free(&out);
    return p != NULL;
}

/*
 * Prints one answer like `bakeoff query`: from the reader, or from the oracle if `reader` is NULL.
 */
static bool print_answer(const struct bo_codec *codec, void *reader, const void *model,
                         const struct bo_query_kind *kind, unsigned k, const void *query,
                         struct bo_arena *arena, struct bo_span *text_ret)
{
    struct bo_sink sink = {.p = bo_alloc(arena, MAX_ANSWER), .cap = MAX_ANSWER};
    void *answers = kind->answer_size ? (void *)sink.p : &sink;
    struct bo_writer out;
    if (!sink.p)
        return false;
    memset(sink.p, 0, MAX_ANSWER);
    if (reader ? codec->query(codec, reader, k, query, 1, answers, NULL)
               : kind->oracle(model, query, 1, answers))
        return false;
    const struct bo_span answer = {sink.p, kind->answer_size ? kind->answer_size : sink.n};
    bo_writer_init(&out, arena);
    kind->print(query, answer, &out);
    uint8_t *p = bo_alloc(arena, out.n + 1);
    if (p && out.n)
        memcpy(p, out.p, out.n);
    *text_ret = (struct bo_span){p, out.n};
    bo_writer_free(&out);
    return p != NULL;
}

/* The i-th query whose answer a vector contains: spread over the first queries of the kind. */
static bool query_at(const struct bo_query_kind *kind, const void *model, unsigned i, void *query)
{
    const uint64_t count = kind->count(model), n = count < N_SPREAD ? count : N_SPREAD;
    const uint64_t wanted = n <= N_ANSWERS ? i : i * (n - 1) / (N_ANSWERS - 1);
    bool ok = i < N_ANSWERS && i < n;
    for (uint64_t k = 0; ok && k <= wanted; k++)
        ok = kind->at(model, k, query);
    return ok;
}

/* All answers of a reader for a model: "answers": [{"kind": "point", "text": "..."}]. */
static json_t *answers_json(const struct bo_format *format, const struct bo_codec *codec,
                            const void *model, void *reader, struct bo_arena *arena)
{
    json_t *answers = json_array();
    for (unsigned k = 0; k < format->n_kinds; k++) {
        const struct bo_query_kind *kind = &format->kinds[k];
        _Alignas(16) uint8_t query[BO_MAX_QUERY_NBYTES];
        memset(query, 0, sizeof query);
        for (unsigned i = 0; (codec->kinds >> k & 1) && query_at(kind, model, i, query); i++) {
            struct bo_span text;
            if (!print_answer(codec, reader, model, kind, k, query, arena, &text) ||
                text.n > MAX_TEXT)
                continue;
            json_t *answer = json_pack("{s:s}", "kind", kind->name);
            set_text(answer, "text", text);
            json_array_append_new(answers, answer);
        }
    }
    return answers;
}

/*
 * The vector of one model: the part that the codec holds as text, its bytes, its answers. NULL if
 * it is too large or the codec cannot hold it.
 */
static json_t *valid_json(const struct bo_format *format, const struct bo_codec *codec,
                          const void *model, size_t max_text, size_t max_nbytes,
                          struct bo_arena *arena, struct bo_span *bytes_ret)
{
    struct bo_span text;
    void *held, *reader;
    if (!encode(codec, model, arena, bytes_ret) || bytes_ret->n > max_nbytes ||
        codec->decode(codec, *bytes_ret, arena, &held, NULL) ||
        !print_model(format, held, arena, &text) || text.n > max_text ||
        codec->open(codec, *bytes_ret, arena, &reader, NULL))
        return NULL;
    json_t *vector = json_object();
    set_text(vector, "model", text);
    json_object_set_new(vector, "bytes", hex_json(*bytes_ret));
    json_object_set_new(vector, "answers", answers_json(format, codec, held, reader, arena));
    return vector;
}

/* ---- invalid vectors ------------------------------------------------------------------------- */

struct rejected {
    json_t *vector;
    size_t nbytes;
};

struct rejections {
    const struct bo_codec *codec;
    struct rejected items[MAX_INVALID];
    unsigned n;
};

/* The length without data: that of "name is not UTF-8" in "name is not UTF-8: quark 7". */
static size_t phrase_nbytes(const char *what)
{
    const char *data = what;
    /* A colon that is itself the subject, as in "no : after a name", follows a blank. */
    while ((data = strstr(data, ": ")) && (data == what || data[-1] == ' '))
        data++;
    return data ? (size_t)(data - what) : strlen(what);
}

/* Copies the phrase: a reader may overwrite it with its next one. */
static const char *rule_of(const json_t *vector)
{
    return json_string_value(json_object_get(vector, "rule"));
}

static bool same_rule(const char *a, const char *b)
{
    const size_t n = phrase_nbytes(a);
    return n == phrase_nbytes(b) && memcmp(a, b, n) == 0;
}

static void offer(struct rejections *all, struct bo_span bytes)
{
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&arena, BUDGET);
    const enum bo_status status = all->codec->decode(all->codec, bytes, &arena, &model, &error);
    if (status && status != BO_NO_MEMORY && error.what) {
        unsigned i = 0;
        while (i < all->n && !same_rule(rule_of(all->items[i].vector), error.what))
            i++;
        if (i < MAX_INVALID && (i == all->n || bytes.n < all->items[i].nbytes)) {
            if (i == all->n)
                all->items[all->n++] = (struct rejected){0};
            json_decref(all->items[i].vector);
            all->items[i].nbytes = bytes.n;
            all->items[i].vector = json_pack(
                "{s:s, s:s, s:o, s:o}", "rule", error.what, "status", bo_status_name(status),
                "offset",
                error.off == BO_NO_OFFSET ? json_null() : json_integer((json_int_t)error.off),
                "bytes", hex_json(bytes));
        }
    }
    bo_arena_free(&arena);
}

/* Tries prefixes, an additional byte, and one or two neighbouring flipped bits. */
static void damage(struct rejections *all, struct bo_span bytes)
{
    const size_t n = bytes.n < MAX_DAMAGED ? bytes.n : MAX_DAMAGED;
    uint8_t *copy = malloc(bytes.n + 1);
    if (!copy)
        abort();
    for (size_t i = 0; i < n; i++)
        offer(all, (struct bo_span){bytes.p, i});
    memcpy(copy, bytes.p, bytes.n);
    copy[bytes.n] = 0;
    offer(all, (struct bo_span){copy, bytes.n + 1});
    for (size_t bit = 0; bit < 8 * n; bit++)
        for (unsigned mask = 1; mask <= 3; mask += 2) {
            const uint8_t flipped = (uint8_t)(mask << bit % 8);
            copy[bit / 8] ^= flipped;
            offer(all, (struct bo_span){copy, bytes.n});
            copy[bit / 8] ^= flipped;
        }
    free(copy);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Valid vectors with distinct bytes, and the invalid vectors found by damaging them. */
struct making {
    const struct bo_format *format;
    const struct bo_codec *codec;
    json_t *valid, *seen;
    struct rejections *rejections; /* NULL: of valid vectors alone */
};

/* The largest sizes in bytes of a vector's text, of its encoding, and of an encoding to damage. */
struct limits {
    size_t text, nbytes, damaged;
};

/* Adds a model's vector, unless it is larger. */
static void add_valid(struct making *m, const struct bo_vector_model *of,
                      const struct limits *limits)
{
    struct bo_arena arena;
    struct bo_span bytes;
    void *model;
    bo_arena_init(&arena, BUDGET);
    json_t *vector =
        bo_vector_model_make(m->format, of, &arena, &model)
            ? valid_json(m->format, m->codec, model, limits->text, limits->nbytes, &arena, &bytes)
            : NULL;
    const char *hex = vector ? json_string_value(json_object_get(vector, "bytes")) : NULL;
    if (vector && !json_object_get(m->seen, hex)) {
        json_object_set_new(m->seen, hex, json_true());
        json_array_append(m->valid, vector);
        if (m->rejections && bytes.n <= limits->damaged)
            damage(m->rejections, bytes);
    }
    json_decref(vector);
    bo_arena_free(&arena);
}

/* Up to n, of encodings of at most so many bytes. */
static void add_small(struct making *m, size_t n, size_t max_nbytes)
{
    const struct limits limits = {MAX_TEXT, max_nbytes, max_nbytes};
    for (uint64_t seed = 0; seed < N_SEEDS && json_array_size(m->valid) < n; seed++) {
        const struct bo_vector_model of = bo_vector_model_at(seed);
        add_valid(m, &of, &limits);
    }
}

static void add_all_small(struct making *m)
{
    add_small(m, N_VALID, MAX_BYTES);
    if (json_array_size(m->valid) == 0)
        add_small(m, N_LARGE, MAX_LARGE_BYTES);
}

static bool is_of(const struct making *m, const char *encoding)
{
    char own[128];
    snprintf(own, sizeof own, "%s/%s", m->format->name, m->codec->name);
    return strcmp(encoding, own) == 0;
}

static void add_chosen(struct making *m)
{
    const struct limits limits = {SIZE_MAX, SIZE_MAX, 0};
    for (const struct bo_vector_model *of = bo_vector_models; of->encoding; of++)
        if (is_of(m, of->encoding))
            add_valid(m, of, &limits);
}

/*
 * Adds the listed damage of valid vectors. Damage that the codec accepts is stale, and is reported.
 */
static void add_damaged(const struct making *m, json_t *invalid)
{
    for (const struct bo_vector_damage *d = bo_vector_damages; d->encoding; d++) {
        const json_t *whole = json_object_get(json_array_get(m->valid, d->valid), "bytes");
        const char *hex = json_string_value(whole);
        if (!is_of(m, d->encoding) || !hex || strlen(hex) / 2 < d->off + d->n)
            continue;
        struct rejections one = {.codec = m->codec};
        struct bo_arena arena;
        struct bo_span bytes;
        json_t *damaged =
            json_sprintf("%.*s%s%s", (int)(2 * d->off), hex, d->hex, hex + 2 * (d->off + d->n));
        bo_arena_init(&arena, BUDGET);
        if (read_hex(damaged, &arena, &bytes))
            offer(&one, bytes);
        if (one.n)
            json_array_append_new(invalid, one.items[0].vector);
        else
            fprintf(stderr, "bakeoff: vectors: %s: damage of vector %u at byte %u is accepted\n",
                    d->encoding, (unsigned)d->valid, (unsigned)d->off);
        bo_arena_free(&arena);
        json_decref(damaged);
    }
}

json_t *bo_vectors_make_small(const struct bo_format *format, const struct bo_codec *codec)
{
    struct making m = {format, codec, json_array(), json_object(), NULL};
    add_all_small(&m);
    json_decref(m.seen);
    return m.valid;
}

json_t *bo_vectors_make(const struct bo_format *format, const struct bo_codec *codec)
{
    struct making m = {format, codec, json_array(), json_object(), NULL};
    json_t *invalid = json_array();
    m.rejections = calloc(1, sizeof *m.rejections);
    if (!m.rejections)
        abort();
    m.rejections->codec = codec;
    add_all_small(&m);
    add_chosen(&m);
    for (unsigned i = 0; i < m.rejections->n; i++)
        json_array_append_new(invalid, m.rejections->items[i].vector);
    add_damaged(&m, invalid);
    free(m.rejections);
    json_decref(m.seen);
    return json_pack("{s:i, s:s, s:s, s:o, s:o}", "schema", SCHEMA, "format", format->name, "codec",
                     codec->name, "valid", m.valid, "invalid", invalid);
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool say(struct bo_vector_finding *finding, const char *what)
{
    snprintf(finding->detail, sizeof finding->detail, "%s", what);
    return false;
}

/* The answers of the kinds that the codec supports. Some readers support fewer kinds. */
static json_t *answers_to(const struct bo_format *format, const struct bo_codec *codec,
                          const json_t *answers)
{
    json_t *kept = json_array();
    for (size_t i = 0; i < json_array_size(answers); i++) {
        json_t *answer = json_array_get(answers, i);
        const char *name = json_string_value(json_object_get(answer, "kind"));
        for (unsigned k = 0; name && k < format->n_kinds; k++)
            if ((codec->kinds >> k & 1) && strcmp(format->kinds[k].name, name) == 0)
                json_array_append(kept, answer);
    }
    return kept;
}

static bool check_valid(const struct bo_format *format, const struct bo_codec *codec,
                        const json_t *vector, struct bo_arena *arena,
                        struct bo_vector_finding *finding)
{
    struct bo_span text, bytes, again;
    struct bo_error error = {0};
    void *model, *held, *reader;
    if (!get_text(vector, "model", arena, &text) ||
        !read_hex(json_object_get(vector, "bytes"), arena, &bytes))
        return say(finding, "no model, or no bytes in hex");
    if (format->parse(text, arena, &model, &error))
        return say(finding, error.what);
    if (!codec->reads && (!encode(codec, model, arena, &again) || again.n != bytes.n ||
                          memcmp(again.p, bytes.p, bytes.n) != 0))
        return say(finding, "model encodes to other bytes");
    if (codec->decode(codec, bytes, arena, &held, &error) ||
        codec->open(codec, bytes, arena, &reader, &error))
        return say(finding, error.what);
    const char *difference = format->differ(model, held);
    if (difference)
        return say(finding, difference);
    json_t *wanted = answers_to(format, codec, json_object_get(vector, "answers"));
    for (unsigned by_oracle = 0; by_oracle < 2; by_oracle++) {
        json_t *answers = answers_json(format, codec, model, by_oracle ? NULL : reader, arena);
        if (!json_equal(answers, wanted))
            say(finding, by_oracle ? "the oracle gives other answers" : "other answers");
        json_decref(answers);
    }
    json_decref(wanted);
    return !*finding->detail;
}

static bool check_invalid(const struct bo_codec *codec, const json_t *vector,
                          struct bo_arena *arena, struct bo_vector_finding *finding)
{
    struct bo_span bytes;
    struct bo_error error = {0};
    void *model;
    const char *rule = json_string_value(json_object_get(vector, "rule"));
    const char *wanted = json_string_value(json_object_get(vector, "status"));
    const json_t *offset = json_object_get(vector, "offset");
    if (!rule || !wanted || !read_hex(json_object_get(vector, "bytes"), arena, &bytes))
        return say(finding, "no rule, status or bytes in hex");
    const enum bo_status status = codec->decode(codec, bytes, arena, &model, &error);
    if (!status)
        return say(finding, "accepted");
    const json_int_t off = error.off == BO_NO_OFFSET ? -1 : (json_int_t)error.off,
                     wanted_off = json_is_integer(offset) ? json_integer_value(offset) : -1;
    if (strcmp(error.what, rule) == 0 && strcmp(bo_status_name(status), wanted) == 0 &&
        off == wanted_off)
        return true;
    snprintf(finding->detail, sizeof finding->detail,
             "rejected with '%s' (%s, offset %lld), expected '%s' (%s, offset %lld); -1: no offset",
             error.what, bo_status_name(status), (long long)off, rule, wanted,
             (long long)wanted_off);
    return false;
}

bool bo_vectors_check(const struct bo_format *format, const struct bo_codec *codec,
                      const json_t *vectors,
                      void (*note)(void *context, const char *name,
                                   const struct bo_vector_finding *finding),
                      void *context, const char **why_ret)
{
    static const char *const lists[] = {"valid", "invalid"};
    if (json_integer_value(json_object_get(vectors, "schema")) != SCHEMA) {
        *why_ret = "unknown schema";
        return false;
    }
    for (unsigned l = 0; l < 2; l++) {
        const json_t *list = json_object_get(vectors, lists[l]);
        if (!json_is_array(list)) {
            *why_ret = "no array of valid or invalid vectors";
            return false;
        }
        for (size_t i = 0; i < json_array_size(list); i++) {
            struct bo_arena arena;
            struct bo_vector_finding finding = {.detail = ""};
            const json_t *vector = json_array_get(list, i);
            bo_arena_init(&arena, BUDGET);
            snprintf(finding.name, sizeof finding.name, "%s %zu", lists[l], i);
            const bool ok = l == 0 ? check_valid(format, codec, vector, &arena, &finding)
                                   : check_invalid(codec, vector, &arena, &finding);
            note(context, finding.name, ok ? NULL : &finding);
            bo_arena_free(&arena);
        }
    }
    return true;
}
