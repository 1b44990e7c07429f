/* Test vectors: the part that all formats share, and the table of readers. */
#include "corpora/import/vectors.h"

#include <sha2.h>
#include <stdio.h>

#include "corpora/import/pcdata_vectors.h"

static const struct bo_vector_reader readers[] = {
    {"pcdata", bo_pcdata_vector_model},
};

const struct bo_vector_reader *bo_find_vector_reader(const char *format)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcmp(readers[i].format, format) == 0)
            return &readers[i];
    return NULL;
}

/* The vector's member for this codec, such as linear_index_len for ("linear-index", "_len"). */
static const json_t *member_of(const json_t *vector, const struct bo_codec *codec,
                               const char *suffix)
{
    char key[96];
    snprintf(key, sizeof key, "%s%s", codec->name, suffix);
    for (char *p = key; *p; p++)
        *p = *p == '-' ? '_' : *p;
    return json_object_get(vector, key);
}

static void to_hex(const uint8_t *bytes, size_t n, char *hex)
{
    for (size_t i = 0; i < n; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    hex[2 * n] = 0;
}

/* NULL when the bytes equal those of the vector. */
static const char *compare(const json_t *hex, const json_t *nbytes, const json_t *sha256,
                           struct bo_span bytes, struct bo_arena *arena)
{
    if (nbytes && (!json_is_integer(nbytes) || json_integer_value(nbytes) != (json_int_t)bytes.n))
        return "the length differs";
    char *text = bo_alloc(arena, 2 * bytes.n + SHA256_DIGEST_STRING_LENGTH);
    if (!text)
        return "out of memory";
    to_hex(bytes.p, bytes.n, text);
    if (hex && (!json_is_string(hex) || strcmp(json_string_value(hex), text) != 0))
        return "the bytes differ";
    SHA256Data(bytes.p, bytes.n, text);
    if (sha256 && (!json_is_string(sha256) || strcmp(json_string_value(sha256), text) != 0))
        return "the SHA-256 differs";
    return NULL;
}

enum bo_vector_verdict bo_vector_check(const struct bo_codec *codec, const json_t *vector,
                                       const void *model, const char **why_ret)
{
    const json_t *hex = member_of(vector, codec, ""), *nbytes = member_of(vector, codec, "_len");
    const json_t *sha256 = member_of(vector, codec, "_sha256");
    if (!hex && !nbytes && !sha256)
        return BO_VECTOR_SILENT;
    struct bo_arena arena;
    struct bo_writer payload, counted;
    struct bo_error error = {0};
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&payload, &arena);
    bo_writer_init(&counted, &arena);
    if (codec->encode(codec, model, &payload, &error)) {
        *why_ret = error.what;
    } else {
        bo_writer_copy_counted(&payload, &counted);
        *why_ret = compare(hex, nbytes, sha256, bo_writer_span(&counted), &arena);
    }
    bo_writer_free(&counted);
    bo_writer_free(&payload);
    bo_arena_free(&arena);
    return *why_ret ? BO_VECTOR_FAIL : BO_VECTOR_PASS;
}
