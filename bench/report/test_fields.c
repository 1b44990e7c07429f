/* Bytes by field, the acceptance matrix, and counts of lines and instructions. */
#include "bench/report/test_sample.h"

#include "bench/measure/sizes.h"
#include "bench/report/parts.h"
#include "bench/report/fields.h"
#include "harness/core/print.h"
#include "harness/registry.h"

/* Small documents: two tables of PCs, whose fields are counted by hand. */
TEST(fields_by_hand)
{
    static const char text[] = "pcdata 1\nquantum 4\ntable 640 kind=pcsp refs=1\n0 0\n64 16\n"
                               "table 640 kind=pcsp refs=1\n0 0\n128 16\n";
    const struct bo_format *format = bo_find_format("pcdata");
    struct bo_document document = {.format = format, .name = "tiny"};
    struct bo_field_size *fields;
    struct bo_grid grid;
    assert_int_equal(format->parse((struct bo_span){(const uint8_t *)text, strlen(text)}, &arena,
                                   &document.model, NULL),
                     BO_OK);
    const unsigned n = bo_field_sizes(&document, &arena, &fields);
    assert_int_equal(n, 3);
    assert_string_equal(fields[1].name, "run lengths");
    assert_int_equal(fields[1].n, 4);
    assert_int_equal(fields[1].n_distinct, 4); /* 16, 144, 32 and 128 */
    assert_true(fields[1].order0 == 1 && fields[1].order1 == 0);
    assert_true(fields[2].n_distinct == 2 && fields[2].order0 == 0.5); /* 1 and 16, in turn */

    fields[0].order1 = 3; /* of the two tables: 0 */
    bo_fields_grid(fields, n, &arena, &grid);
    assert_has(grid_text(&grid), "| sum |  |  | 2 | 3 |");

    const struct bo_sizes_options options = {.compress = false};
    const struct bo_sizes sizes = bo_sizes_measure(&document, &options, &arena);
    bo_stored_grid(&document, &sizes, fields, n, &arena, &grid);
    const char *stored = grid_text(&grid);
    assert_has(stored, "| run-array | run counts | counts | ");
    assert_has(stored, "| run-array | run lengths | starts | ");
    assert_has(stored, "| shape-code | - | dictionary | ");
}

/* A section without a mapping, or a field that does not exist, would be missing in the tables. */
TEST(every_section_is_mapped)
{
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        struct bo_random random = bo_random_seeded(7);
        struct bo_document document = {.format = *f, .name = "generated"};
        struct bo_field_size *fields;
        if (!(*f)->report) /* of a plugin */
            continue;
        assert_int_equal((*f)->generate(&random, 40, &arena, &document.model, NULL), BO_OK);
        const unsigned n = bo_field_sizes(&document, &arena, &fields);
        assert_true(n > 1);
        const struct bo_sizes_options options = {.compress = false};
        const struct bo_sizes sizes = bo_sizes_measure(&document, &options, &arena);
        for (unsigned c = 0; c < sizes.n_codecs; c++)
            for (unsigned s = 0; s < sizes.codecs[c].sections.n; s++)
                if (!bo_fields_of_section(*f, sizes.codecs[c].name,
                                          sizes.codecs[c].sections.items[s].name))
                    fail_msg("%s/%s: no fields for the section %s", (*f)->name,
                             sizes.codecs[c].name, sizes.codecs[c].sections.items[s].name);
    }
}

TEST(pictures_have_bars_of_fields)
{
    const struct bo_format *format = bo_find_format("pcdata");
    struct bo_random random = bo_random_seeded(7);
    struct bo_document document = {.format = format, .name = "generated"};
    struct bo_field_size *fields;
    struct bo_drawing drawing;
    make_folder();
    assert_int_equal(format->generate(&random, 40, &arena, &document.model, NULL), BO_OK);
    const unsigned n = bo_field_sizes(&document, &arena, &fields);
    const struct bo_sizes_options options = {.compress = false};
    const struct bo_sizes sizes = bo_sizes_measure(&document, &options, &arena);
    bo_drawing_begin(&drawing, &arena);
    bo_plot_fields(&document, &sizes, fields, n, path_in("fields.svg"), &drawing);
    assert_true(bo_drawing_end(&drawing));
    assert_file_has("fields.svg", ">order-0 entropy<");
    assert_file_has("fields.svg", ">run lengths<");
    assert_int_equal(remove_folder(), 1);
}

/* ---- acceptance ------------------------------------------------------------------------------ */

TEST(disagreements_are_listed)
{
    make_folder();
    write_file(
        "acceptance.tsv",
        "# Made by hand.\n#format\tcodec\timplementation\tvalid\taccepted\tinvalid\trejected\n"
        "box\ta\tC codec\t10\t10\t5\t5\t-\nbox\tb\tC codec\t10\t10\t6\t6\t-\n"
        "box\tb\ttool 7\t10\t9\t6\t4\tbytes after the end; vector 3\n");
    const struct bo_page page = printing_page(NULL);
    bo_page_acceptance(&page, folder);
    bo_page_acceptance(&page, "/nowhere");
    char *text = printed_text();
    assert_has(text, "| box | C codec | 2 | 20 | 20 | 11 | 11 |\n");
    assert_has(text, "| box | tool 7 | 1 | 10 | 9 | 6 | 4 |\n");
    assert_has(text, "- tool 7 disagrees about box/b: bytes after the end; vector 3.\n");
    assert_lacks(text, "C codec disagrees");
    remove_folder();
}

/* ---- counts ---------------------------------------------------------------------------------- */

TEST(counts_of_one_query_are_one_row)
{
    make_folder();
    write_file("lines.tsv", "# Lines.\nbox\td\ta\tget/any\t2.50\nbag\td\ta\tget/any\t7.00\n");
    write_file("portable_insns.tsv",
               "# Counts.\narm64\tbox\td\ta\tget/any\t90.25\n"
               "s390x\tbox\td\tb\tget/any\t80.50\narm64\tbox\td\tb\tget/any\t70.00\n");
    const struct bo_page page = printing_page(NULL);
    bo_page_counts(&page, folder, "box");
    char *text = printed_text();
    assert_has(text, "These are counts, not times");
    assert_has(text, "| d | a | get/any | 2.50 | 90.25 | - |\n"
                     "| d | b | get/any | - | 70.00 | 80.50 |\n");
    assert_lacks(text, "| 7.00 |");
    assert_lacks(strstr(text, "| d | b |") + 1, "| d |");
    const struct bo_page empty = printing_page(NULL);
    bo_page_counts(&empty, folder, "sack");
    text = printed_text();
    assert_string_equal(text, "");
    remove_folder();
}

TEST_FILE(set_up, tear_down)
