/*
 * The importer of Go binaries: on small programs of every layout with known tables, on damaged
 * ones, and on files that are not Go binaries. Why: every PCDATA figure depends on the import, and
 * it reads files of any origin.
 */
#include "harness/core/test_cmocka.h"

#include <stdio.h>

#include "corpora/import/go_pclntab.h"
#include "corpora/import/test_go_image.h"
#include "corpora/import/test_seeds.h"
#include "harness/core/guard.h"

/* ---- importing ------------------------------------------------------------------------------- */

static void for_each_plan(void (*check)(const struct image *image))
{
    for (unsigned i = 0; i < IMAGE_N_LAYOUTS * IMAGE_N_PLACES * 2 * 2 * 3; i++) {
        static struct image image;
        const struct image_plan plan = {
            .layout = i % IMAGE_N_LAYOUTS,
            .place = i / IMAGE_N_LAYOUTS % IMAGE_N_PLACES,
            .word_nbytes = i / (IMAGE_N_LAYOUTS * IMAGE_N_PLACES) % 2 ? 8 : 4,
            .big_endian = i / (IMAGE_N_LAYOUTS * IMAGE_N_PLACES * 2) % 2,
            .quantum = 1u << (i / (IMAGE_N_LAYOUTS * IMAGE_N_PLACES * 4) % 3),
        };
        image_build(&image, plan);
        check(&image);
    }
}

static struct image default_image(enum image_layout layout)
{
    struct image image;
    image_build(&image,
                (struct image_plan){
                    .layout = layout, .place = IN_OWN_SECTION, .word_nbytes = 8, .quantum = 1});
    return image;
}

static struct bo_span image_span(const struct image *image)
{
    return (struct bo_span){image->p, image->n};
}

/* Imports a copy that ends at a guard page. The caller frees the arena. */
static enum bo_status import_guarded(struct bo_span file, const struct bo_import_options *options,
                                     struct bo_arena *arena, struct pcdata_model **model_ret,
                                     struct bo_error *err)
{
    struct bo_guarded guarded;
    assert_true(bo_guarded_copy(file, &guarded));
    void *model = NULL;
    const enum bo_status status =
        test_import(&pcdata_go_pclntab_importer, guarded.span, options, arena, &model, err);
    bo_guarded_free(&guarded);
    *model_ret = model;
    return status;
}

/* Checks the rules of pcdata.h again, independently. */
static void assert_sound(const struct pcdata_model *model)
{
    for (uint32_t i = 0; i < model->n_tables; i++) {
        const struct pcdata_table *table = &model->tables[i];
        assert_true(table->n_runs > 0 && table->refs > 0);
        assert_int_equal(table->runs[0].pc, 0);
        assert_int_equal(table->text_len % model->quantum, 0);
        assert_true(table->runs[table->n_runs - 1].pc < table->text_len);
        for (uint32_t j = 1; j < table->n_runs; j++) {
            assert_true(table->runs[j - 1].pc < table->runs[j].pc);
            assert_true(table->runs[j - 1].value != table->runs[j].value);
            assert_int_equal(table->runs[j].pc % model->quantum, 0);
        }
    }
}

static void assert_named_error(enum bo_status status, const struct bo_error *err, size_t n)
{
    assert_true(status == BO_TRUNCATED || status == BO_CORRUPT || status == BO_UNSUPPORTED);
    assert_int_equal(err->status, status);
    assert_non_null(err->what);
    assert_true(err->off == BO_NO_OFFSET || err->off <= n);
}

/* ---- valid files ----------------------------------------------------------------------------- */

static void assert_table_is(const struct pcdata_table *table, const struct image_table *expected,
                            uint32_t quantum)
{
    uint32_t pc = 0;
    assert_int_equal(table->n_runs, expected->n_runs);
    for (uint32_t j = 0; j < table->n_runs; j++) {
        assert_int_equal(table->runs[j].pc, pc);
        assert_int_equal(table->runs[j].value, expected->runs[j].value);
        pc += expected->runs[j].length * quantum;
    }
    assert_int_equal(table->text_len, pc);
    assert_int_equal(table->refs, expected->refs);
    assert_int_equal(table->kind, expected->kind);
}

static void check_tables(const struct image *image)
{
    struct bo_arena arena;
    struct pcdata_model *model;
    struct bo_error err = {0};
    bo_arena_init(&arena, 1 << 20);
    assert_int_equal(import_guarded(image_span(image), NULL, &arena, &model, &err), BO_OK);
    assert_int_equal(model->quantum, image->plan.quantum);
    assert_int_equal(model->n_tables, IMAGE_N_TABLES);
    for (unsigned i = 0; i < IMAGE_N_TABLES; i++)
        assert_table_is(&model->tables[i], &image_tables[i], model->quantum);
    assert_sound(model);
    bo_arena_free(&arena);
}

TEST(test_every_layout)
{
    for_each_plan(check_tables);
}

static void check_facts(const struct image *image)
{
    struct bo_arena arena;
    struct go_pclntab table;
    struct go_pclntab_facts facts;
    struct pcdata_model *model;
    bo_arena_init(&arena, 1 << 20);
    assert_int_equal(go_pclntab_locate(image_span(image), &table, NULL), BO_OK);
    assert_int_equal(table.all.off, image->table);
    assert_int_equal(table.n_functions, IMAGE_N_ENTRIES);
    assert_int_equal(go_pclntab_read(&table, NULL, &arena, &model, &facts, NULL), BO_OK);
    assert_int_equal(facts.n_functions, IMAGE_N_ENTRIES - 1);
    assert_int_equal(facts.n_tableless, 1);
    assert_int_equal(facts.n_empty_runs, 0);
    assert_int_equal(facts.gap_nbytes, 0);
    const size_t last = image->table_start[IMAGE_N_TABLES - 1];
    assert_int_equal(facts.tables_nbytes, last + 11 - image->table_start[0]);
    bo_arena_free(&arena);
}

TEST(test_facts)
{
    for_each_plan(check_facts);
}

/* Go for s390x rounds line changes down to quanta, so that some runs contain no PC. */
TEST(test_empty_runs_are_left_out)
{
    struct image image = default_image(GO_1_18);
    const struct image_table as_read = {3, {{1, 1}, {2, 2}, {127, -3}}, 1, 5};
    const struct pcdata_run expected[] = {{0, 1}, {1, 2}, {3, -3}};
    uint8_t *g = image.p + image.table_start[6];
    assert_memory_equal(g, ((uint8_t[]){4, 1, 2, 1, 1, 1, 2, 1, 9, 127, 0}), 11);
    g[5] = 0; /* 1, 2, (1), 2, -3: the neighbours of the empty run are equal */

    struct bo_arena arena;
    struct pcdata_model *model;
    bo_arena_init(&arena, 1 << 20);
    assert_int_equal(import_guarded(image_span(&image), NULL, &arena, &model, NULL), BO_OK);
    assert_table_is(&model->tables[6], &as_read, 1);
    assert_memory_equal(model->tables[6].runs, expected, sizeof expected);
    bo_arena_free(&arena);
}

/* ---- drawing functions ----------------------------------------------------------------------- */

static uint32_t count_tables(const struct image *image, uint32_t max_functions, uint64_t seed,
                             uint32_t *n_functions_ret)
{
    const struct bo_import_options options = {.max_functions = max_functions, .seed = seed};
    struct bo_arena arena;
    struct go_pclntab table;
    struct go_pclntab_facts facts;
    struct pcdata_model *model;
    bo_arena_init(&arena, 1 << 20);
    assert_int_equal(go_pclntab_locate(image_span(image), &table, NULL), BO_OK);
    assert_int_equal(go_pclntab_read(&table, &options, &arena, &model, &facts, NULL), BO_OK);
    const uint32_t n = model->n_tables;
    assert_sound(model);
    bo_arena_free(&arena);
    *n_functions_ret = facts.n_functions;
    return n;
}

TEST(test_draw)
{
    const struct image image = default_image(GO_1_20);
    unsigned seen[IMAGE_N_TABLES + 1] = {0};
    uint32_t n_functions;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const uint32_t n = count_tables(&image, 1, seed, &n_functions);
        assert_true(n_functions <= 1);
        assert_int_equal(count_tables(&image, 1, seed, &n_functions), n);
        seen[n]++;
    }
    /* Of the six entries, two have no tables; the others have four, three, three and two tables. */
    assert_in_range(seen[0], 40, 95);
    assert_in_range(seen[4], 15, 55);
    assert_in_range(seen[3], 40, 95);
    assert_in_range(seen[2], 15, 55);
    assert_int_equal(count_tables(&image, IMAGE_N_ENTRIES, 1, &n_functions), IMAGE_N_TABLES);
    assert_int_equal(count_tables(&image, 1000, 1, &n_functions), IMAGE_N_TABLES);
    assert_int_equal(n_functions, IMAGE_N_ENTRIES - 1);
}

/* ---- bad input: the error and its offset ----------------------------------------------------- */

/* Expects the file to be rejected with exactly this status and offset. */
static void expect_error(const struct image *image, enum bo_status status, uint64_t off)
{
    struct bo_arena arena;
    struct pcdata_model *model;
    struct bo_error err = {0};
    bo_arena_init(&arena, 1 << 20);
    const enum bo_status got = import_guarded(image_span(image), NULL, &arena, &model, &err);
    if (got != status || err.off != off)
        print_error("%s at %llu: %s\n", bo_status_name(got), (unsigned long long)err.off,
                    err.what ? err.what : "");
    assert_int_equal(got, status);
    assert_true(err.off == off);
    assert_named_error(got, &err, image->n);
    bo_arena_free(&arena);
}

/* Sets nbytes at `off` to v, expects the error, and restores them. */
static void expect_after(struct image *image, size_t off, unsigned nbytes, uint64_t v,
                         enum bo_status status, uint64_t error_off)
{
    const struct image before = *image;
    image_set(image, off, nbytes, v);
    expect_error(image, status, error_off);
    *image = before;
}

TEST(test_bad_header)
{
    struct image image = default_image(GO_1_18);
    const size_t table = image.table;
    expect_after(&image, 4, 1, 3, BO_CORRUPT, 4);
    expect_after(&image, 5, 1, 0, BO_CORRUPT, 5);
    expect_after(&image, table, 4, 0xfffffff2, BO_UNSUPPORTED, table);
    expect_after(&image, table + 5, 1, 1, BO_CORRUPT, table + 4);
    expect_after(&image, table + 6, 1, 3, BO_CORRUPT, table + 6);
    expect_after(&image, table + 7, 1, 4, BO_CORRUPT, table + 7);
    expect_after(&image, table + 8, 8, UINT64_MAX, BO_CORRUPT, table + 8);
    expect_after(&image, table + 8, 8, 1000, BO_CORRUPT, table + 8);
    expect_after(&image, image.tables_word, 8, image.n, BO_CORRUPT, image.tables_word);
    expect_after(&image, image.entries_word, 8, image.n, BO_CORRUPT, image.entries_word);
    /* the section: its size in the file, then where it lies */
    expect_after(&image, image.section_header + 32, 8, 4, BO_TRUNCATED, table + 4);
    expect_after(&image, image.section_header + 32, 8, 40, BO_TRUNCATED, table + 40);
    expect_after(&image, image.section_header + 32, 8, image.n, BO_TRUNCATED, image.n);
    expect_after(&image, image.section_header + 24, 8, UINT64_MAX, BO_TRUNCATED, image.n);
    /* the section of names, just before it, and where all section headers are */
    expect_after(&image, image.section_header - 64 + 24, 8, image.n, BO_TRUNCATED, image.n);
    expect_after(&image, 40, 8, image.n - 8, BO_TRUNCATED, image.n);
}

TEST(test_bad_functions)
{
    struct image image = default_image(GO_1_18);
    const size_t entry = image.entries, record = image.record[0], count = record + 28;
    expect_after(&image, entry + 4, 4, 1u << 20, BO_CORRUPT, entry + 4);
    expect_after(&image, entry + 4, 4, image.record[1] - image.entries, BO_CORRUPT,
                 image.record[1]);
    expect_after(&image, record, 4, 5, BO_CORRUPT, record);
    expect_after(&image, count, 4, 253, BO_CORRUPT, count);
    expect_after(&image, image.record[5] + 28, 4, 200, BO_CORRUPT, image.record[5] + 28);
    expect_after(&image, record + 16, 4, UINT32_MAX, BO_CORRUPT, record + 16);
}

enum { SOME_TABLE = 8 };

/* A file whose last record, which no entry refers to yet, is of a function with n PCDATA tables. */
static struct image wide_image(unsigned n, size_t *record_ret)
{
    struct image image = {
        .plan = {.layout = GO_1_2, .word_nbytes = 8, .quantum = 1, .place = IN_OWN_SECTION}};
    image_put_elf_header(&image);
    image_align(&image, 32);
    image_put_pclntab(&image);
    *record_ret = image.n;
    image_put(&image, 8, 0);
    for (unsigned i = 0; i < 3; i++)
        image_put(&image, 4, 0);
    for (unsigned i = 0; i < 3; i++)
        image_put(&image, 4, SOME_TABLE);
    image_put(&image, 4, n);
    image_put(&image, 4, 0);
    for (unsigned i = 0; i < n; i++)
        image_put(&image, 4, SOME_TABLE);
    return image;
}

/* Entry i refers to the record. */
static void refer_to(struct image *image, unsigned i, size_t record)
{
    image_set(image, image->entries + 16 * i, 8, 0);
    image_set(image, image->entries + 16 * i + 8, 8, record - image->table);
}

/* Many entries that refer to one record would cause much work for a small file. */
TEST(test_overlapping_records)
{
    size_t record;
    struct image image = wide_image(250, &record);
    for (unsigned i = 0; i < IMAGE_N_ENTRIES; i++)
        refer_to(&image, i, record);
    image_put_sections(&image, image.table, ".gopclntab");
    expect_error(&image, BO_CORRUPT, image.table);
}

/* The kinds of tables are numbered by one byte, and three kinds are not PCDATA. */
TEST(test_many_tables)
{
    enum { COUNT = 8 + 6 * 4 };
    size_t record;
    struct image image = wide_image(253, &record);
    refer_to(&image, 0, record);
    image_put_sections(&image, image.table, ".gopclntab");
    expect_error(&image, BO_CORRUPT, record + COUNT);
    image_set(&image, record + COUNT, 4, 252); /* accepted; the bytes at SOME_TABLE are no table */
    expect_error(&image, BO_CORRUPT, image.table + SOME_TABLE);
}

TEST(test_bad_tables)
{
    struct image image = default_image(GO_1_18);
    const size_t pcsp = image.record[0] + 16, a = image.table_start[0];
    /* 02 05 10 03 0f 02 00: an empty first run, a wide varint, one not in its shortest form */
    expect_after(&image, a + 1, 1, 0, BO_CORRUPT, a);
    expect_after(&image, image.table_start[2] + 2, 4, 0xffffffff, BO_CORRUPT,
                 image.table_start[2] + 2);
    expect_after(&image, a, 2, 0x0082, BO_CORRUPT, a);
    /* a reference into the middle of a table */
    expect_after(&image, pcsp, 4, 3, BO_CORRUPT, a + 2);
    /* a table without an end */
    image_build(&image,
                (struct image_plan){
                    .layout = GO_1_2, .place = WITHOUT_SECTIONS, .word_nbytes = 4, .quantum = 4});
    image.n--;
    expect_error(&image, BO_TRUNCATED, image.n);
    image.n++;
    /* 2^30 quanta of four bytes */
    static const uint8_t long_run[] = {4, 0x80, 0x80, 0x80, 0x80, 4, 0};
    memcpy(image.p + image.table_start[6], long_run, sizeof long_run);
    expect_error(&image, BO_UNSUPPORTED, image.table_start[6]);
}

TEST(test_not_go)
{
    struct image image = default_image(GO_1_20);
    image.p[0] = 'M';
    expect_error(&image, BO_UNSUPPORTED, 0);
    image.n = 0;
    expect_error(&image, BO_UNSUPPORTED, 0);
    image_build(&image, (struct image_plan){.layout = GO_1_20,
                                            .place = IN_SHARED_SECTION,
                                            .word_nbytes = 4,
                                            .big_endian = true,
                                            .quantum = 2});
    image.p[image.table + 3] = 0;
    expect_error(&image, BO_UNSUPPORTED, BO_NO_OFFSET);
}

/* ---- bad input: arbitrary bytes -------------------------------------------------------------- */

static void check_prefixes(const struct image *image)
{
    for (size_t n = 0; n < image->used; n++) {
        struct bo_arena arena;
        struct pcdata_model *model;
        struct bo_error err = {0};
        bo_arena_init(&arena, 1 << 20);
        const enum bo_status status =
            import_guarded((struct bo_span){image->p, n}, NULL, &arena, &model, &err);
        assert_named_error(status, &err, n);
        bo_arena_free(&arena);
    }
}

TEST(test_every_prefix)
{
    for_each_plan(check_prefixes);
}

static void check_changes(const struct image *image)
{
    static struct image changed;
    if (image->plan.quantum != 1)
        return;
    changed = *image;
    for (size_t i = 0; i < image->n; i++)
        for (unsigned bit = 0; bit < 9; bit++) {
            struct bo_arena arena;
            void *model = NULL;
            struct bo_error err = {0};
            changed.p[i] ^= bit < 8 ? 1u << bit : 0xff;
            bo_arena_init(&arena, 1 << 20);
            const enum bo_status status = test_import(
                &pcdata_go_pclntab_importer, image_span(&changed), NULL, &arena, &model, &err);
            if (status == BO_OK)
                assert_sound(model);
            else
                assert_named_error(status, &err, image->n);
            bo_arena_free(&arena);
            changed.p[i] = image->p[i];
        }
}

TEST(test_every_byte_changed)
{
    for_each_plan(check_changes);
}

TEST(test_out_of_memory)
{
    const struct image image = default_image(GO_1_16);
    struct bo_arena arena;
    struct bo_error err;
    void *model;
    uint64_t n = 1;
    for (;; n++) {
        bo_arena_init(&arena, 1 << 20);
        arena.fail_at = n;
        const enum bo_status status = test_import(&pcdata_go_pclntab_importer, image_span(&image),
                                                  NULL, &arena, &model, &err);
        bo_arena_free(&arena);
        if (status == BO_OK)
            break;
        assert_int_equal(status, BO_NO_MEMORY);
    }
    assert_true(n > 3);
    bo_arena_init(&arena, 100);
    assert_int_equal(
        test_import(&pcdata_go_pclntab_importer, image_span(&image), NULL, &arena, &model, &err),
        BO_OVER_LIMIT);
    bo_arena_free(&arena);
}

TEST(test_finding_an_importer)
{
    const struct image image = default_image(GO_1_20);
    const struct bo_span text = {(const uint8_t *)"pcdata 1\n", 9};
    assert_ptr_equal(bo_find_importer("pcdata", image_span(&image)), &pcdata_go_pclntab_importer);
    assert_null(bo_find_importer("pcdata", text));
    assert_null(bo_find_importer("no such format", image_span(&image)));
}

TEST_FILE(NULL, NULL)
