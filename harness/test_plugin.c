/* Plugins: which are accepted, which are rejected and why, and that a rejection changes nothing. */
#include "harness/core/test_cmocka.h"

#include <stdio.h>

#include "harness/plugin.h"
#include "harness/registry.h"

static enum bo_status no_encode(const struct bo_codec *self, const void *model,
                                struct bo_writer *out, struct bo_error *err)
{
    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "no");
}

static enum bo_status no_read(const struct bo_codec *self, struct bo_span in,
                              struct bo_arena *arena, void **ret, struct bo_error *err)
{
    return bo_fail(err, BO_CORRUPT, 0, "no");
}

static enum bo_status no_query(const struct bo_codec *self, void *reader, unsigned kind,
                               const void *queries, size_t n, void *answers, struct bo_error *err)
{
    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "no");
}

static const struct bo_codec sound = {
    .name = "of-a-plugin",
    .summary = "s",
    .spec = "s",
    .encode = no_encode,
    .decode = no_read,
    .open = no_read,
    .query = no_query,
};

static size_t n_codecs(void)
{
    const struct bo_codec *const *codecs = bo_find_format("pcdata")->codecs;
    size_t n = 0;
    while (codecs[n])
        n++;
    return n;
}

static const char *take(const struct bo_codec *first, const struct bo_codec *second)
{
    const struct bo_codec *codecs[] = {first, second, NULL};
    return bo_register_plugin(&(struct bo_plugin){sizeof(struct bo_codec), "pcdata", codecs, NULL});
}

TEST(refusals)
{
    struct bo_codec flawed[16];
    for (unsigned i = 0; i < 16; i++) {
        flawed[i] = sound;
        flawed[i].name = "flawed";
    }
    flawed[0].name = "Upper";
    flawed[1].name = "";
    flawed[2].name = "varint-delta";
    flawed[3].summary = NULL;
    flawed[4].decode = NULL;
    flawed[5].query = NULL;
    flawed[6].encode = NULL;
    flawed[7].reads = "nothing";
    flawed[8].kinds = 1u << bo_find_format("pcdata")->n_kinds;
    flawed[9].name = "a/b";
    flawed[10].level_of = "absent";
    flawed[11].level_of = sound.name; /* which is canonical */
    flawed[12].level_of = flawed[12].reads = "shape-code";
    flawed[13].name = NULL;
    flawed[14].spec = NULL;
    flawed[15].open = NULL;
    static const char *const whys[] = {
        "a codec's name is not made of a-z, 0-9, - and +",
        "a codec's name is not made of a-z, 0-9, - and +",
        "a codec has the name of another one of the format",
        "a codec has no summary or no spec",
        "a codec lacks encode, decode, open or query",
        "a codec lacks encode, decode, open or query",
        "a codec lacks encode, decode, open or query",
        "a codec reads the bytes of an unknown one",
        "a codec answers kinds that the format does not have",
        "a codec's name is not made of a-z, 0-9, - and +",
        "a level is not one of a codec whose encoder may choose",
        "a level is not one of a codec whose encoder may choose",
        "a level is not one of a codec whose encoder may choose",
        "a codec's name is not made of a-z, 0-9, - and +",
        "a codec has no summary or no spec",
        "a codec lacks encode, decode, open or query",
    };
    const size_t n = n_codecs();
    for (unsigned i = 0; i < 16; i++) {
        assert_string_equal(take(&sound, &flawed[i]), whys[i]);
        assert_int_equal(n_codecs(), n);
        assert_null(bo_find_codec(bo_find_format("pcdata"), "of-a-plugin"));
    }
    assert_string_equal(take(&sound, &sound), "a codec has the name of another one of the format");
}

TEST(other_versions_and_formats)
{
    const struct bo_codec *const codecs[] = {&sound, NULL};
    assert_string_equal(
        bo_register_plugin(&(struct bo_plugin){sizeof sound - 8, "pcdata", codecs, NULL}),
        "it was built for another version of harness/codec.h");
    assert_string_equal(
        bo_register_plugin(&(struct bo_plugin){sizeof sound, "absent", codecs, NULL}),
        "it is of a format that there is not");
    assert_string_equal(bo_register_plugin(&(struct bo_plugin){sizeof sound, NULL, codecs, NULL}),
                        "it is of a format that there is not");
}

TEST(codecs_are_added)
{
    static struct bo_codec second, reader, level;
    second = reader = level = sound;
    second.name = "second";
    reader.name = "reader";
    reader.reads = "second";
    level.name = "level";
    level.level_of = "shape-code";
    const size_t n = n_codecs();
    const struct bo_codec *const first = bo_find_format("pcdata")->codecs[0];
    assert_null(take(&sound, &second));
    assert_null(take(&reader, NULL)); /* another plugin, which reads the bytes of the first */
    const struct bo_format *format = bo_find_format("pcdata");
    assert_null(take(&level, NULL));
    assert_int_equal(n_codecs(), n + 4);
    assert_ptr_equal(format->codecs[0], first);
    assert_ptr_equal(bo_find_codec(format, "of-a-plugin"), &sound);
    assert_ptr_equal(bo_encoding_of(format, bo_find_codec(format, "reader")), &second);
    assert_ptr_equal(bo_layout_of(format, bo_find_codec(format, "reader")), &second);
    assert_ptr_equal(bo_encoding_of(format, &level), &level);
    assert_ptr_equal(bo_layout_of(format, &level), bo_find_codec(format, "shape-code"));
    assert_null(bo_find_codec(bo_find_format("lprf"), "second"));
}

static const char *take_format(const struct bo_format *format)
{
    return bo_register_plugin(&(struct bo_plugin){sizeof sound, NULL, NULL, format});
}

TEST(formats_are_added)
{
    static const struct bo_codec *const codecs[] = {&sound, NULL},
                                        *const twice[] = {&sound, &sound, NULL},
                                        *const none[] = {NULL};
    static const struct bo_format_report report = {.question = "q"},
                                         no_question = {.question = NULL};
    static const struct bo_codec *most[BO_MAX_PLUGIN_CODECS + 2];
    static struct bo_codec copies[BO_MAX_PLUGIN_CODECS + 1];
    static char codec_names[BO_MAX_PLUGIN_CODECS + 1][8];
    const struct bo_format *const like = bo_find_format("pcdata");
    static struct bo_format added, flawed[21];
    added = *like;
    added.name = "ofaplugin";
    added.report = &report;
    added.codecs = codecs;
    for (unsigned i = 0; i < 21; i++)
        flawed[i] = added;
    flawed[0].name = "of-a-plugin";
    flawed[1].name = "pcdata";
    flawed[2].summary = NULL;
    flawed[3].report = NULL;
    flawed[4].mutate = NULL;
    flawed[5].n_kinds = 0;
    flawed[6].codecs = none;
    flawed[6].n_kinds = BO_MAX_KINDS; /* not too many */
    flawed[7].codecs = twice;
    flawed[8].n_kinds = BO_MAX_KINDS + 1;
    flawed[9].name = "a+b";
    flawed[10].report = &no_question;
    flawed[11].parse = NULL;
    flawed[12].print = NULL;
    flawed[13].differ = NULL;
    flawed[14].generate = NULL;
    flawed[15].units = NULL;
    flawed[16].fields = NULL;
    flawed[17].kinds = NULL;
    flawed[18].codecs = NULL;
    flawed[19].codecs = most;
    flawed[20].name = NULL;
    for (unsigned i = 0; i <= BO_MAX_PLUGIN_CODECS; i++) {
        snprintf(codec_names[i], sizeof codec_names[i], "c%u", i);
        copies[i] = sound;
        copies[i].name = codec_names[i];
        most[i] = &copies[i];
    }
    static const char *const whys[] = {
        "the format's name is not made of a-z and 0-9",
        "the format has the name of another one",
        "the format has no summary or no report with a question",
        "the format has no summary or no report with a question",
        "the format lacks a function that it must have",
        "the format has no query kinds, or too many",
        "the format has no codecs",
        "a codec has the name of another one of the format",
        "the format has no query kinds, or too many",
        "the format's name is not made of a-z and 0-9",
        "the format has no summary or no report with a question",
        "the format lacks a function that it must have",
        "the format lacks a function that it must have",
        "the format lacks a function that it must have",
        "the format lacks a function that it must have",
        "the format lacks a function that it must have",
        "the format lacks a function that it must have",
        "the format has no query kinds, or too many",
        "the format has no codecs",
        "the format has too many codecs",
        "the format's name is not made of a-z and 0-9",
    };
    for (unsigned i = 0; i < 21; i++) {
        assert_string_equal(take_format(&flawed[i]), whys[i]);
        assert_null(bo_find_format("ofaplugin"));
    }
    most[BO_MAX_PLUGIN_CODECS] = NULL;
    added.codecs = most; /* as many as there may be */
    assert_null(take_format(&added));
    added.codecs = codecs;
    assert_ptr_equal(bo_find_format("ofaplugin"), &added);
    assert_string_equal(take_format(&added), "the format has the name of another one");
    static struct bo_format more[BO_MAX_PLUGIN_FORMATS];
    for (unsigned i = 0; i < BO_MAX_PLUGIN_FORMATS; i++) {
        static char names[BO_MAX_PLUGIN_FORMATS][8];
        more[i] = added;
        snprintf(names[i], sizeof names[i], "more%u", i);
        more[i].name = names[i];
        const char *flaw = take_format(&more[i]);
        if (i + 1 < BO_MAX_PLUGIN_FORMATS)
            assert_null(flaw);
        else
            assert_string_equal(flaw, "there are too many formats of plugins");
    }
}

TEST_FILE(NULL, NULL)
