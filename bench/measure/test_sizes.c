/*
 * Sizes: exact sums by section, second readers left out, refusals reported; and the sizes under the
 * outer compressors.
 */
#include "harness/core/test_cmocka.h"

#include <zstd.h>

#include "bench/measure/compress.h"
#include "bench/measure/sizes.h"
#include "bench/measure/test_toy.h"

TEST(the_whole_object)
{
    struct bo_codec refuse = {.name = "refuse", TOY_CODEC};
    refuse.encode = toy_encode_refuse;
    const struct bo_codec *const codecs[] = {&toy_honest, &toy_second_reader, &refuse, NULL};
    const struct bo_format format = toy_format(codecs);
    struct toy_model model;
    toy_fill(&model, 40);
    const struct bo_document document = toy_document(&format, &model);
    const struct bo_sizes_options options = {.compress = false};
    json_t *is = bo_sizes_json(&document, &options);
    json_t *should = json_pack(
        "{s:s, s:{s:i}, s:i, s:[{s:s, s:s, s:s, s:i, s:{s:i, s:i}, s:{s:i}, s:s},"
        "{s:s, s:s, s:s, s:s}]}",
        "name", "box", "units", "values", 40, "entropy_floor", 6, "codecs", /* 5.5 up */
        "name", "honest", "role", "new", "access", "random", "bytes", 164, "sections", "count", 4,
        "values", 160, "aside", "padding", 4, "status", "ok", /* honest */
        "name", "refuse", "role", "new", "access", "random", "status", "unsupported: toys only");
    assert_non_null(should);
    assert_true(json_equal(is, should));
    assert_int_equal(bo_sizes_count(&format), 2);
    json_decref(is);
    json_decref(should);
}

static bool only_honest(void *context, const struct bo_document *document,
                        const struct bo_codec *codec)
{
    assert_string_equal(document->name, "box");
    return strcmp(codec->name, "honest") == 0;
}

TEST(compressed_sizes_are_of_the_counted_bytes)
{
    const struct bo_codec *const codecs[] = {&toy_honest, NULL};
    const struct bo_format format = toy_format(codecs);
    struct toy_model model;
    toy_fill(&model, 1000);
    const struct bo_document document = toy_document(&format, &model);
    const struct bo_sizes_options options = {.compress = true, .wants = only_honest};
    json_t *json = bo_sizes_json(&document, &options);
    const json_t *codec = json_array_get(json_object_get(json, "codecs"), 0);
    uint32_t counted[1001] = {BO_FROM_LE(32, 1000)};
    for (unsigned i = 0; i < 1000; i++)
        counted[1 + i] = BO_FROM_LE(32, model.values[i]);
    const struct bo_span span = {(const uint8_t *)counted, sizeof counted};
    for (const struct bo_compressor *c = bo_compressors; c->name; c++) {
        const json_int_t n = json_integer_value(json_object_get(codec, c->name));
        assert_int_equal(n, c->compressed_nbytes(span));
        assert_true(n > 1000 && n < 4004); /* 9 random bits in each 32 */
    }
    json_decref(json);
}

TEST(compressors_compress)
{
    static uint8_t same[100000], noise[100000];
    struct bo_random random = bo_random_seeded(1);
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = bo_random_u8(&random);
    for (const struct bo_compressor *c = bo_compressors; c->name; c++) {
        assert_true(c->compressed_nbytes((struct bo_span){same, sizeof same}) < 600);
        const uint64_t n = c->compressed_nbytes((struct bo_span){noise, sizeof noise});
        assert_true(n > sizeof noise && n < sizeof noise + 200);
        assert_true(c->compressed_nbytes((struct bo_span){same, 0}) < 64);
    }
}

/* Words drawn from a few: an input for which the levels of zstd differ. */
TEST(zstd_is_at_its_level)
{
    static uint8_t text[60000], out[70000];
    struct bo_random random = bo_random_seeded(2);
    for (size_t i = 0; i + 4 <= sizeof text; i += 4) {
        const uint32_t word = bo_random_below(&random, 700) * 2654435761u;
        memcpy(text + i, &word, 4);
    }
    const size_t level19 = ZSTD_compress(out, sizeof out, text, sizeof text, 19);
    assert_int_not_equal(level19, ZSTD_compress(out, sizeof out, text, sizeof text, 18));
    assert_string_equal(bo_compressors[0].name, "zstd19");
    assert_int_equal(bo_compressors[0].compressed_nbytes((struct bo_span){text, sizeof text}),
                     level19);
}

TEST_FILE(NULL, NULL)
