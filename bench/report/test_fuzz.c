/* The fuzzing part of the report, from tables made here. */
#include "harness/core/test_cmocka.h"

#include <math.h>
#include <string.h>

#include "bench/report/fuzz.h"
#include "bench/report/test_printed.h"

static const struct {
    const char *name, *text;
} tables[] = {
    {"faults",
     "# 60 s an engine, 2026-11-22, commit 0123456789ab\n"
     "pcdata-run-end\toff-by-one run end\tcodecs/pcdata/varint_delta.c\tpcdata_model\t"
     "test_linear_index\t12\t1500\t250\n"
     "pcdata-hard\tcheckpoint one short\tcodecs/pcdata/x.c\tpcdata_model\t-\t-\t-\t59000\n"
     "pcdata-missed\tendian slip\tcodecs/pcdata/y.c\tpcdata_bytes\tselfcheck\t7000\t-\t-\n"},
    {"mutants", "# 9 edits, seed 1\nharness\t3\t2\t1\t1\t0\npcdata/raw\t6\t5\t2\t0\t1\n"},
    {"verify", "# format, document, result\n"
               "lprf\tprotoc\tok\t184\t0\t3\t75\t2026-11-20\t0123456789ab\n"
               "lprf\tre2\tfailed\t180\t4\t3\t7\t2026-11-23\tba9876543210\n"
               "lprf\tsqlite3\tnot run\t-\t-\t-\t-\t-\t-\n"
               "pcdata\tgo\tnot read\t-\t-\t-\t1\t2026-11-23\tba9876543210\n"},
    {"mutator", "# 60 s, from one byte\npcdata_bytes\tlibfuzzer\t900\t600\n"},
    {"codecs", "# 20 minutes a target\n"
               "pcdata/varint-delta\tabcdef\t1234567\t1000\t7200\n"
               "pcdata/raw\tabcdef\t5\t0\t7200\n"},
    {"coverage", "# seeds\npcdata/varint-delta\tdecode\t200\t3\t50\t25\n"
                 "pcdata/all\tall\t1000\t20\t500\t60\n"},
    {"gaps", "# seeds\npcdata/frame.c:12\tmemory runs out\t3\t0\treturn NULL;\n"
             "pcdata/frame.c:11\tmemory runs out\t0\t2\tif (!p)\n"
             "pcdata/frame.c:40\tother\t2\t0\tn = 3;\n"
             "pcdata/frame.c:50\tother\t0\t1\tif (n > 3)\n"
             "lprf/trie.c:9\tother\t1\t0\tn++;\n"},
    {"worst", "# gcc\n"
              "pcdata/varint-delta\topen\tx\t6400\t10\ty\t640\t64\n"
              "pcdata/varint-delta\tdecode\tx\t2000\t1000\ty\t5000\t100\n"},
    {"targets", "# 20 minutes\npcdata_bytes\tafl\t600\t5000\t321\t2\n"
                "pcdata_bytes\tcorpus\t10\t12\t100\t110\t90\t95\n"},
};

static int make_tables(void **state)
{
    set_up(state);
    make_folder();
    for (size_t i = 0; i < N_ELEMENTS(tables); i++)
        write_file(bo_arena_printf(&arena, "%s.tsv", tables[i].name), tables[i].text);
    return 0;
}

static int remove_tables(void **state)
{
    remove_folder();
    return tear_down(state);
}

static char *print(void (*page)(const char *, struct bo_arena *, FILE *), const char *from)
{
    page(from, &arena, printing());
    return printed_text();
}

TEST(the_page_has_all_figures)
{
    static const char *const needed[] = {
        /* executions, accepted, hours; lines/branches, floored; the worse of open and decode */
        "\n| pcdata/varint-delta | 1.23 M | 1.00 k | 2.00 | - | - | - | 98/50 | 100 | 50.0 |\n",
        "\n| pcdata/raw | 5 | 0 | 2.00 | - | - | - | - | - | - |\n",
        "\n| pcdata | 98/88 | 3/2 | 0/0 | 0/0 | 0/0 | 0/0 | 0/0 | 2/1 |\n",
        "\n- pcdata/frame.c:40: `n = 3;`\n- lprf/trie.c:9: `n++;`\n",
        "\n| pcdata_bytes | afl | 600 | 5000 | 321 | 2 |\n",
        "\n| pcdata_bytes | 10 -> 12 | 100 -> 110 | 90 -> 95 |\n",
        "\n| pcdata_bytes | libfuzzer | 900 | 600 | 1.50 |\n",
        "Of the 3 that were measured, the tests find 2, and at least one engine finds 2.",
        ("\n| pcdata-run-end | off-by-one run end | codecs/pcdata/varint_delta.c | "
         "test_linear_index | 0.0120 | 1.50 | 0.250 |\n"),
        "\n| harness | 3 | 2 | 1 | 1 | 0 |\n",
        "\n| pcdata-missed | endian slip | codecs/pcdata/y.c | selfcheck | 7.00 | - | - |\n",
    };
    char *text = print(bo_fuzz_page, folder);
    assert_has_all(text, needed, N_ELEMENTS(needed));
    /* a codec that is in no table keeps its row */
    assert_has(text, "\n| pcdata/linear-index | - | - | - | - | - | - | - | - | - |\n");
}

TEST(the_section_has_the_scores)
{
    char *text = print(bo_fuzz_section, folder);
    assert_has(text, "1.23 M executions of 2 codecs, an input counted for each codec that");
    assert_has(
        text,
        "(9 edits, seed 1). Of 8 that are not equivalent, the quick checks detect 7 (87.5%), 3 of "
        "them only by counts of instructions");
    assert_has(text, "\n| pcdata/raw | 6 | 5 | 2 | 0 | 1 |\n");
    assert_lacks(text, "\n| harness |"); /* no survivors */
    assert_has(text, "\n| lprf | 3 | 2 | 364 | 4 | 2026-11-23 | ba9876543210 |\n");
    assert_has(text, "\n| pcdata | 1 | 0 | 0 | 0 | - | - |\n");
    assert_has(text, "\nChecks failed on lprf/re2.\nNot read: pcdata/go.\nNot finished: "
                     "lprf/sqlite3.\n");
}

static char *print_format(const char *format)
{
    const struct bo_page page = printing_page(NULL);
    bo_fuzz_format(&page, folder, format);
    return printed_text();
}

TEST(a_format_has_its_own)
{
    char *text = print_format("pcdata");
    assert_has(text, "| pcdata/varint-delta | 1.23 M |");
    assert_has(text, "\n| pcdata-missed |");
    assert_lacks(text, "lprf");
    text = print_format("lprf");
    assert_has(text, "| lprf/list+u64 | - |");
    assert_has(text, "Planted faults: none was run yet");
    assert_lacks(text, "pcdata");
}

TEST(what_is_not_there_is_not_measured)
{
    char *text = print(bo_fuzz_page, "/nowhere");
    assert_has(text, "Planted faults: not measured");
    assert_has(text, "Real documents in full: not verified; `make verify-corpora` verifies them.");
    assert_has(text, "The mutator: not measured");
    assert_has(text, "Mutation score: not measured; `make mutants` measures it.");
    assert_has(text, "## Codecs\n\n"
                     "Executions, coverage and worst cases: not measured; `make fuzz-nightly` "
                     "measures them.\n");
    assert_has(text, "## What no input reaches\n\n"
                     "Not measured; `make fuzz-nightly` measures it.\n");
    assert_has(text, "## Targets\n\nNot measured; `make fuzz-nightly` measures them.\n");
}

TEST(codecs_of_a_run_have_survived)
{
    struct bo_run_codec codecs[] = {{.name = "varint-delta"}, {.name = "linear-index"}};
    struct bo_run_document documents[] = {
        {.format = "pcdata", .codecs = codecs, .n_codecs = 2},
        {.format = "lprf", .codecs = codecs, .n_codecs = 1},
    };
    struct bo_run run = {.documents = documents, .n_documents = 1};
    bo_fuzz_mark_run(folder, &run);
    assert_true(documents[0].has_survived);
    assert_true(codecs[0].n_survived == 1234567);
    assert_true(isnan(codecs[1].n_survived));
    run.documents = &documents[1];
    bo_fuzz_mark_run(folder, &run);
    assert_false(documents[1].has_survived);
}

TEST_FILE(make_tables, remove_tables)
