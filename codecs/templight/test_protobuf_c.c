/*
 * Templight's messages, read by code that protoc-c makes of templight.proto. Why: this reader
 * shares nothing with ours but the schema, so a mistake that our writer and our readers have in
 * common, or a schema that says something else than the code, shows here. It is no codec: it sees
 * entries and names as two arrays, so it cannot refuse a name that comes too late; it does not know
 * which of a name's forms stood last; and it gives no place of a mistake.
 */
/* cmocka has a type of this name, too. */
#define SourceLocation templight_source_location
#include "build/generated/templight.pb-c.h"
#undef SourceLocation

#include "codecs/templight/test_model.h"
#include "harness/core/input.h"
#include "harness/registry.h"
#include "harness/core/test_fixture.h"

static const char *const codec_names[] = {"dict", "dict-wiki", "flat", "plain"};

/* ---- from messages to a model ---------------------------------------------------------------- */

/* Of one trace. */
struct tables {
    struct bo_span *names; /* by dictionary id, put together */
    struct bo_span *files;
    size_t n_files;
};

static struct bo_span span_of(ProtobufCBinaryData data)
{
    return (struct bo_span){data.data, data.len};
}

/* An entry's text with those of others for its markers; these come before it. */
static struct bo_span put_together(const DictionaryEntry *entry, const struct bo_span *names)
{
    struct bo_writer out;
    size_t n_markers = 0;
    bo_writer_init(&out, &arena);
    for (size_t i = 0; i < entry->marked_name.len; i++)
        if (entry->marked_name.data[i]) {
            bo_put_u8(&out, entry->marked_name.data[i]);
        } else {
            assert_true(n_markers < entry->n_marker_ids);
            const struct bo_span part = names[entry->marker_ids[n_markers++]];
            bo_put_bytes(&out, part.p, part.n);
        }
    assert_int_equal(n_markers, entry->n_marker_ids);
    uint8_t *copy = bo_alloc(&arena, out.n);
    if (out.n)
        memcpy(copy, out.p, out.n);
    const struct bo_span name = {copy, out.n};
    bo_writer_free(&out);
    return name;
}

static struct templight_place place_of(struct tables *tables,
                                       const templight_source_location *location)
{
    if (!location)
        return (struct templight_place){0};
    if (location->file_id == tables->n_files) {
        assert_true(location->has_file_name);
        tables->files[tables->n_files++] = span_of(location->file_name);
    }
    assert_true(location->file_id < tables->n_files);
    return (struct templight_place){true, tables->files[location->file_id], location->line,
                                    location->has_column ? location->column : 0};
}

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static struct templight_entry begin_of(struct tables *tables, const TemplightEntry__Begin *begin)
{
    const TemplateName *name = begin->name;
    assert_true(begin->has_kind);
    assert_int_equal(name->has_name + name->has_dict_id, 1);
    struct templight_entry entry = {
        .kind = (uint32_t)begin->kind,
        .name = name->has_dict_id ? tables->names[name->dict_id] : span_of(name->name),
        .has_time = begin->has_time_stamp,
        .has_memory = begin->has_memory_usage,
        .time_bits = bits_of(begin->time_stamp),
        .memory = begin->memory_usage,
    };
    entry.location = place_of(tables, begin->location);
    entry.origin = place_of(tables, begin->template_origin);
    return entry;
}

static struct templight_entry end_of(const TemplightEntry__End *end)
{
    return (struct templight_entry){
        .is_end = true,
        .has_time = end->has_time_stamp,
        .has_memory = end->has_memory_usage,
        .time_bits = bits_of(end->time_stamp),
        .memory = end->memory_usage,
    };
}

static void add_trace(struct templight_builder *builder, const TemplightTrace *trace)
{
    struct tables tables = {
        .names = bo_alloc_array(&arena, trace->n_names, sizeof *tables.names),
        .files = bo_alloc_array(&arena, 2 * trace->n_entries, sizeof *tables.files),
    };
    const struct bo_span source =
        trace->header->has_source_file ? span_of(trace->header->source_file) : (struct bo_span){0};
    for (size_t i = 0; i < trace->n_names; i++)
        tables.names[i] = put_together(trace->names[i], tables.names);
    assert_true(templight_start_trace(builder, trace->header->version, source));
    for (size_t i = 0; i < trace->n_entries; i++) {
        const TemplightEntry *entry = trace->entries[i];
        assert_true(!entry->begin != !entry->end);
        const struct templight_entry record =
            entry->begin ? begin_of(&tables, entry->begin) : end_of(entry->end);
        assert_true(templight_add_entry(builder, &record));
    }
}

/* What protobuf-c reads in the bytes. */
static const struct templight_model *read_by_protobuf_c(struct bo_span bytes)
{
    struct templight_builder builder;
    struct templight_model *model;
    TemplightTraceCollection *file =
        templight_trace_collection__unpack(NULL, bytes.n, bytes.p ? bytes.p : (uint8_t *)"");
    assert_non_null(file);
    templight_builder_init(&builder, true, &arena);
    for (size_t t = 0; t < file->n_traces; t++)
        add_trace(&builder, file->traces[t]);
    assert_true(templight_finish(&builder, &model));
    templight_trace_collection__free_unpacked(file, NULL);
    return model;
}

/* ---- what we write --------------------------------------------------------------------------- */

static void expect_held(const struct templight_model *model)
{
    void *held = NULL;
    assert_int_equal(templight_without_own_origins(NULL, model, &arena, &held, NULL), BO_OK);
    for (size_t c = 0; c < N_ELEMENTS(codec_names); c++) {
        struct bo_writer out;
        bo_writer_init(&out, &arena);
        const struct bo_codec *codec = bo_find_codec(format, codec_names[c]);
        assert_int_equal(codec->encode(codec, model, &out, NULL), BO_OK);
        const char *difference = format->differ(held, read_by_protobuf_c(bo_writer_span(&out)));
        if (difference)
            fail_msg("%s: %s", codec_names[c], difference);
        bo_writer_free(&out);
    }
}

TEST(test_generated)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        const struct bo_arena_mark mark = bo_arena_mark(&arena);
        expect_held(generate_model(seed, 100, &arena));
        bo_arena_rewind(&arena, mark);
    }
}

TEST(test_real)
{
    struct bo_input in;
    void *model;
    assert_true(bo_input_open("corpora/templight/small_tuple.yaml.xz", &in));
    assert_int_equal(format->parse(in.bytes, &arena, &model, NULL), BO_OK);
    bo_input_close(&in);
    assert_true(count_units(model) > 3000);
    expect_held(model);
}

/* ---- what we take ---------------------------------------------------------------------------- */

/* Names in more than one form: the only input that we accept and the arrays cannot express. */
static bool has_name_in_two_forms(struct bo_span bytes)
{
    bool found = false;
    TemplightTraceCollection *file = templight_trace_collection__unpack(NULL, bytes.n, bytes.p);
    if (!file)
        return false;
    for (size_t t = 0; t < file->n_traces; t++)
        for (size_t i = 0; i < file->traces[t]->n_entries; i++) {
            const TemplightEntry__Begin *begin = file->traces[t]->entries[i]->begin;
            found |= begin && begin->name->has_name + begin->name->has_compressed_name +
                                      begin->name->has_dict_id >
                                  1;
        }
    templight_trace_collection__free_unpacked(file, NULL);
    return found;
}

/* Of damaged bytes that our reader takes, it reads what protobuf-c does. */
TEST(test_damaged)
{
    unsigned n_taken = 0, n_refused = 0;
    for (uint64_t seed = 0; seed < 15; seed++)
        for (size_t c = 0; c < N_ELEMENTS(codec_names); c++) {
            const struct bo_arena_mark mark = bo_arena_mark(&arena);
            struct bo_random random = bo_random_seeded(seed);
            const struct bo_codec *codec = bo_find_codec(format, codec_names[c]);
            struct bo_writer out;
            bo_writer_init(&out, &arena);
            assert_int_equal(codec->encode(codec, generate_model(seed, 20, &arena), &out, NULL),
                             BO_OK);
            for (unsigned i = 0; i < 100 && out.n; i++) {
                const size_t at = bo_random_below(&random, out.n);
                const uint8_t before = out.p[at];
                void *ours = NULL;
                out.p[at] = i % 2 ? bo_random_u8(&random)
                                  : (uint8_t)(before ^ 1u << bo_random_below(&random, 8));
                if (codec->decode(codec, bo_writer_span(&out), &arena, &ours, NULL) != BO_OK) {
                    n_refused++;
                } else if (!has_name_in_two_forms(bo_writer_span(&out))) {
                    const char *difference =
                        format->differ(ours, read_by_protobuf_c(bo_writer_span(&out)));
                    if (difference)
                        fail_msg("%s, seed %u, byte %zu: %s", codec->name, (unsigned)seed, at,
                                 difference);
                    n_taken++;
                }
                out.p[at] = before;
            }
            bo_writer_free(&out);
            bo_arena_rewind(&arena, mark);
        }
    assert_true(n_taken > 1000);
    assert_true(n_refused > 1000);
}

TEST_FILE(set_up, tear_down)
