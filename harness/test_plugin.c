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
    return bo_register_plugin(&(struct bo_plugin){BO_PLUGIN_SIZES, "pcdata", codecs, NULL}, "p");
}

TEST(refusals)
{
    struct bo_codec flawed[17];
    for (unsigned i = 0; i < 17; i++) {
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
    flawed[16].name = "noop";
    static const char *const whys[] = {
        "a codec's name is not made of a-z, 0-9, - and +",
        "a codec's name is not made of a-z, 0-9, - and +",
        "codec varint-delta: another codec of the format has this name",
        "codec flawed: it has no summary or no spec",
        "codec flawed: it lacks encode, decode, open or query",
        "codec flawed: it lacks encode, decode, open or query",
        "codec flawed: it lacks encode, decode, open or query",
        "codec flawed: it reads the bytes of an unknown codec",
        "codec flawed: it answers kinds that the format does not have",
        "a codec's name is not made of a-z, 0-9, - and +",
        "codec flawed: it is a level of a codec whose encoder may not choose",
        "codec flawed: it is a level of a codec whose encoder may not choose",
        "codec flawed: it is a level of a codec whose encoder may not choose",
        "a codec's name is not made of a-z, 0-9, - and +",
        "codec flawed: it has no summary or no spec",
        "codec flawed: it lacks encode, decode, open or query",
        "codec noop: the name is of bakeoff's own measurement of the driver",
    };
    const size_t n = n_codecs();
    for (unsigned i = 0; i < 17; i++) {
        assert_string_equal(take(&sound, &flawed[i]), whys[i]);
        assert_int_equal(n_codecs(), n);
        assert_null(bo_find_codec(bo_find_format("pcdata"), "of-a-plugin"));
    }
    assert_string_equal(take(&sound, &sound),
                        "codec of-a-plugin: another codec of the format has this name");
}

TEST(other_versions_and_formats)
{
    const struct bo_codec *const codecs[] = {&sound, NULL};
    for (unsigned i = 0; i < BO_N_PLUGIN_SIZES; i++) {
        struct bo_plugin old = {BO_PLUGIN_SIZES, "pcdata", codecs, NULL};
        old.sizes[i] -= 8;
        assert_string_equal(bo_register_plugin(&old, "p"),
                            "it was built for another version of bakeoff's headers");
    }
    const struct bo_plugin absent = {BO_PLUGIN_SIZES, "absent", codecs, NULL},
                           nameless = {BO_PLUGIN_SIZES, NULL, codecs, NULL},
                           empty = {BO_PLUGIN_SIZES, "pcdata", NULL, NULL};
    assert_string_equal(bo_register_plugin(&absent, "p"), "it is for an unknown format");
    assert_string_equal(bo_register_plugin(&nameless, "p"), "it is for an unknown format");
    assert_string_equal(bo_register_plugin(&empty, "p"), "it has no codecs");
    assert_string_equal(bo_register_plugin(NULL, "p"), "its entry point returns nothing");
    assert_null(bo_loaded_plugin(0));
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
    return bo_register_plugin(&(struct bo_plugin){BO_PLUGIN_SIZES, NULL, NULL, format}, "f");
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
    static struct bo_query_kind many_kinds[BO_MAX_KINDS];
    static char kind_names[BO_MAX_KINDS][8];
    static struct bo_format added, flawed[21];
    for (unsigned i = 0; i < BO_MAX_KINDS; i++) {
        snprintf(kind_names[i], sizeof kind_names[i], "k%u", i);
        many_kinds[i] = like->kinds[0];
        many_kinds[i].name = kind_names[i];
    }
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
    flawed[6].kinds = many_kinds; /* not too many */
    flawed[6].n_kinds = BO_MAX_KINDS;
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
        "codec of-a-plugin: another codec of the format has this name",
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

TEST(query_kinds_are_checked)
{
    static const struct bo_codec *const codecs[] = {&sound, NULL};
    static const struct bo_format_report report = {.question = "q"};
    static const char functions[] = "query kind k: it lacks a function that it must have",
                      workload[] = "query kind k: a workload has no summary, no draw or no queries",
                      names[] = "query kind k: a workload's name is that of another one, or not "
                                "made of a-z, 0-9, - and +",
                      kind_name[] =
                          "a query kind's name is reserved, or not made of a-z, 0-9, - and +";
    const struct bo_query_kind like = bo_find_format("pcdata")->kinds[0];
    struct bo_workload w[2] = {like.workloads[0], like.workloads[0]};
    struct bo_query_kind kinds[2] = {like, like};
    struct bo_format format = *bo_find_format("pcdata");
    format.name = "kinds";
    format.report = &report;
    format.codecs = codecs;
    format.kinds = kinds;
    format.n_kinds = 1;
#define EXPECT(what, change)                             \
    do {                                                 \
        kinds[0] = like;                                 \
        kinds[0].name = "k";                             \
        kinds[0].workloads = w;                          \
        kinds[0].n_workloads = 1;                        \
        w[0] = w[1] = like.workloads[0];                 \
        change;                                          \
        assert_string_equal(take_format(&format), what); \
        assert_null(bo_find_format("kinds"));            \
    } while (0)
    EXPECT(kind_name, kinds[0].name = NULL);
    EXPECT(kind_name, kinds[0].name = "a/b");
    EXPECT(kind_name, kinds[0].name = "action");
    EXPECT(kind_name, kinds[0].name = "hit");
    EXPECT("query kind k: it has no summary or no usage", kinds[0].summary = NULL);
    EXPECT("query kind k: it has no summary or no usage", kinds[0].usage = NULL);
    EXPECT(functions, kinds[0].oracle = NULL);
    EXPECT(functions, kinds[0].count = NULL);
    EXPECT(functions, kinds[0].at = NULL);
    EXPECT(functions, kinds[0].draw_edges = NULL);
    EXPECT(functions, kinds[0].invalid_at = NULL);
    EXPECT(functions, kinds[0].parse = NULL);
    EXPECT(functions, kinds[0].print = NULL);
    EXPECT("query kind k: its queries are too large",
           kinds[0].query_size = BO_MAX_QUERY_NBYTES + 1);
    EXPECT("query kind k: its queries have no room for a text",
           (kinds[0].has_text = true, kinds[0].query_size = sizeof(struct bo_span) - 1));
    EXPECT("query kind k: it has no workloads", kinds[0].n_workloads = 0);
    EXPECT("query kind k: it has no workloads", kinds[0].workloads = NULL);
    EXPECT(names, w[0].name = NULL);
    EXPECT(names, w[0].name = "A");
    EXPECT(names, kinds[0].n_workloads = 2);
    EXPECT(workload, w[0].summary = NULL);
    EXPECT(workload, w[0].draw = NULL);
    EXPECT(workload, w[0].n_queries = 0);
    EXPECT("query kind k: a workload is dependent, and there is no link",
           (w[0].dependent = true, kinds[0].link = NULL));
    format.n_kinds = 2;
    EXPECT("query kind k: another kind has this name", (kinds[1] = kinds[0]));
}

/* The last test: afterwards there is no room for another plugin. */
TEST(too_many_plugins)
{
    unsigned n = 0;
    while (bo_loaded_plugin(n))
        n++;
    assert_in_range(n, 1, BO_MAX_PLUGINS);
    for (; n <= BO_MAX_PLUGINS; n++) {
        static struct bo_codec more[BO_MAX_PLUGINS];
        static char names[BO_MAX_PLUGINS][8];
        struct bo_codec *codec = &more[n % BO_MAX_PLUGINS];
        *codec = sound;
        codec->name = names[n % BO_MAX_PLUGINS];
        snprintf(names[n % BO_MAX_PLUGINS], sizeof names[0], "m%u", n);
        const char *flaw = take(codec, NULL);
        if (n < BO_MAX_PLUGINS)
            assert_null(flaw);
        else
            assert_string_equal(flaw, "there are too many plugins");
    }
    assert_string_equal(bo_loaded_plugin(0), "p");
}

TEST_FILE(NULL, NULL)
