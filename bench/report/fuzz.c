/* The results of fuzzing. */
#include "bench/report/fuzz.h"

#include <glob.h>
#include <math.h>
#include <string.h>

#include "bench/report/tsv.h"
#include "harness/core/print.h"
#include "harness/registry.h"

char *bo_executions_text(struct bo_arena *arena, double n)
{
    static const char *const suffixes[] = {"", " k", " M", " G", " T"};
    unsigned s = 0;
    if (n < 1000)
        return bo_arena_printf(arena, "%.0f", n);
    for (; s < 4 && n >= 1000; s++)
        n /= 1000;
    return bo_arena_printf(arena, "%s%s", bo_significant(arena, n), suffixes[s]);
}

/* Whether a cell is the format's name, then `next`, then any text; true without a format. */
static bool is_of_format(const char *cell, const char *format, char next)
{
    const size_t n = format ? strlen(format) : 0;
    return !format || (strncmp(cell, format, n) == 0 && cell[n] == next);
}

/* ---- planted faults -------------------------------------------------------------------------- */

enum fault_cell { FAULT, KIND, FILE_OF, TARGET, TEST, TEST_MS, LIBFUZZER_MS, AFL_MS };

static bool was_found(const struct bo_tsv_row *row, enum fault_cell cell)
{
    return !isnan(bo_tsv_number(row, cell));
}

/* With a format: the faults that a target of that format can find; else all. */
static void print_faults(const struct bo_page *page, const char *folder, const char *format)
{
    struct bo_grid grid;
    FILE *out = page->out;
    struct bo_arena *arena = page->arena;
    const struct bo_tsv faults = bo_tsv_read(folder, "faults", arena);
    size_t n = 0, by_tests = 0, by_engine = 0;
    if (!faults.made) {
        fprintf(out, "\nPlanted faults: not measured; `make fuzz-faults` measures them.\n");
        return;
    }
    bo_grid_begin(&grid, arena, 4, "fault", "kind", "planted in", "tests: by", "tests, s",
                  "libFuzzer, s", "AFL++, s", NULL);
    for (size_t i = 0; i < faults.n; i++) {
        const struct bo_tsv_row *row = &faults.rows[i];
        if (!is_of_format(row->cells[TARGET], format, '_'))
            continue;
        n++;
        by_tests += was_found(row, TEST_MS);
        by_engine += was_found(row, LIBFUZZER_MS) || was_found(row, AFL_MS);
        bo_grid_texts(&grid, row->cells[FAULT], row->cells[KIND], row->cells[FILE_OF],
                      row->cells[TEST], NULL);
        for (unsigned c = TEST_MS; c <= AFL_MS; c++)
            bo_grid_add(&grid, "%s", bo_significant(arena, bo_tsv_number(row, c) / 1000));
        bo_grid_end_row(&grid);
    }
    if (n == 0) {
        fprintf(out, "\nPlanted faults: none was run yet; `make fuzz-faults` runs them.\n");
        return;
    }
    fprintf(
        out,
        "\nPlanted faults: the bugs of `fuzz/faults` are planted one at a time, and the time until "
        "each is found is measured (%s). Of the %zu that were measured, the tests find %zu, and at "
        "least one engine finds %zu. Engines start from the seeds in git, and most faults are "
        "found by one of these seeds. The tests are a part of `make test` (gcc, with the effort of "
        "a slow variant); their seconds are those of the test that fails. `-`: not found in this "
        "time.\n\n",
        faults.made, n, by_tests, by_engine);
    bo_page_grid(page, &grid, "planted faults");
}

/* ---- the mutation score ---------------------------------------------------------------------- */

/* The columns of mutants.tsv. */
enum {
    MUTANT_DETECTED = 2,
    MUTANT_BY_COUNTS = 3, /* of the detected ones */
    MUTANT_SURVIVORS = 5,
    N_MUTANT_CELLS = 6
};

/* With a row for each codec, or for those with survivors. */
static void print_mutants(const struct bo_page *page, const char *folder, bool survivors_only)
{
    const struct bo_tsv mutants = bo_tsv_read(folder, "mutants", page->arena);
    struct bo_grid grid;
    double n_detected = 0, n_by_counts = 0, n_survivors = 0;
    if (!mutants.made) {
        fprintf(page->out, "\nMutation score: not measured; `make mutants` measures it.\n");
        return;
    }
    bo_grid_begin(&grid, page->arena, 1, "codec", "edits", "detected", "by counts", "equivalent",
                  "survivors", NULL);
    for (size_t i = 0; i < mutants.n; i++) {
        const struct bo_tsv_row *row = &mutants.rows[i];
        n_detected += bo_tsv_number(row, MUTANT_DETECTED);
        n_by_counts += bo_tsv_number(row, MUTANT_BY_COUNTS);
        n_survivors += bo_tsv_number(row, MUTANT_SURVIVORS);
        if (survivors_only && bo_tsv_number(row, MUTANT_SURVIVORS) == 0)
            continue;
        for (unsigned c = 0; c < N_MUTANT_CELLS; c++)
            bo_grid_add(&grid, "%s", row->cells[c]);
        bo_grid_end_row(&grid);
    }
    fprintf(
        page->out,
        "\nMutation score: small random edits of the sources, planted one at a time (%s). Of %.0f "
        "that are not equivalent, the quick checks detect %.0f (%.1f%%), %.0f of them only by "
        "counts of instructions (*by counts*). An edit is equivalent if it compiles to the same "
        "code or cannot change a result (`fuzz/mutants/equivalent.tsv` lists the reasons); "
        "*shared* is code that several codecs of a format use.%s\n\n",
        mutants.made, n_detected + n_survivors, n_detected,
        100 * n_detected / fmax(1, n_detected + n_survivors), n_by_counts,
        survivors_only ? " The table has the codecs with survivors; results/fuzz.md has all." : "");
    bo_page_grid(page, &grid, "mutation score");
}

/* ---- real documents in full ------------------------------------------------------------------ */

/* The rows of verify.tsv for a format's documents. */
struct verified {
    size_t n_documents, n_verified;
    double n_passed, n_failed;
    const char *date, *commit; /* of the newest row */
};

/* The columns of verify.tsv. */
enum verified_cell { V_FORMAT, V_DOCUMENT, V_RESULT, V_PASSED, V_FAILED, V_DATE = 7, V_COMMIT };

static struct verified sum_up(const struct bo_tsv *rows, const char *format)
{
    struct verified sum = {.date = "-", .commit = "-"};
    for (size_t i = 0; i < rows->n; i++) {
        const struct bo_tsv_row *row = &rows->rows[i];
        if (strcmp(row->cells[V_FORMAT], format) != 0)
            continue;
        sum.n_documents++;
        if (isnan(bo_tsv_number(row, V_PASSED)))
            continue;
        sum.n_verified++;
        sum.n_passed += bo_tsv_number(row, V_PASSED);
        sum.n_failed += bo_tsv_number(row, V_FAILED);
        if (sum.n_verified == 1 || strcmp(row->cells[V_DATE], sum.date) > 0) {
            sum.date = row->cells[V_DATE];
            sum.commit = row->cells[V_COMMIT];
        }
    }
    return sum;
}

/* "Not finished: lprf/protoc, lprf/re2.", if there are such documents. */
static void print_documents(const struct bo_page *page, const struct bo_tsv *rows,
                            const char *result, const char *said)
{
    const char *before = said;
    for (size_t i = 0; i < rows->n; i++) {
        const char *const *cells = rows->rows[i].cells;
        if (strcmp(cells[V_RESULT], result) != 0)
            continue;
        fprintf(page->out, "%s %s/%s", before, cells[V_FORMAT], cells[V_DOCUMENT]);
        before = ",";
    }
    if (before != said)
        fprintf(page->out, ".\n");
}

static void print_verified(const struct bo_page *page, const char *folder)
{
    const struct bo_tsv rows = bo_tsv_read(folder, "verify", page->arena);
    struct bo_grid grid;
    if (!rows.made) {
        fprintf(page->out,
                "\nReal documents in full: not verified; `make verify-corpora` verifies them.\n");
        return;
    }
    bo_grid_begin(&grid, page->arena, 1, "format", "documents", "verified", "checks passed",
                  "failed", "last verified", "commit", NULL);
    for (const struct bo_format *const *f = bo_formats; *f; f++) {
        const struct verified sum = sum_up(&rows, (*f)->name);
        if (sum.n_documents == 0)
            continue;
        bo_grid_add(&grid, "%s", (*f)->name);
        bo_grid_add(&grid, "%zu", sum.n_documents);
        bo_grid_add(&grid, "%zu", sum.n_verified);
        bo_grid_add(&grid, "%.0f", sum.n_passed);
        bo_grid_add(&grid, "%.0f", sum.n_failed);
        bo_grid_texts(&grid, sum.date, sum.commit, NULL);
        bo_grid_end_row(&grid);
    }
    fprintf(page->out,
            "\nReal documents in full: every check of every codec at `--effort full`, without "
            "limits by size (`make verify-corpora`; `results/fuzz/verify.tsv` has a row for each "
            "document).\n\n");
    bo_page_grid(page, &grid, "real documents in full");
    fputc('\n', page->out);
    print_documents(page, &rows, "failed", "Checks failed on");
    print_documents(page, &rows, "not read", "Not read:");
    print_documents(page, &rows, "not run", "Not finished:");
}

/* ---- the mutator ----------------------------------------------------------------------------- */

static void print_mutator(const struct bo_page *page, const char *folder)
{
    const struct bo_tsv mutator = bo_tsv_read(folder, "mutator", page->arena);
    struct bo_grid grid;
    if (!mutator.made) {
        fprintf(page->out, "\nThe mutator: not measured; `make fuzz-mutator` measures it.\n");
        return;
    }
    bo_grid_begin(&grid, page->arena, 2, "target", "engine", "with it", "without", "ratio", NULL);
    for (size_t i = 0; i < mutator.n; i++) {
        const struct bo_tsv_row *row = &mutator.rows[i];
        for (unsigned c = 0; c < 4; c++)
            bo_grid_add(&grid, "%s", row->cells[c]);
        bo_grid_add(&grid, "%.2f", bo_tsv_number(row, 2) / bo_tsv_number(row, 3));
        bo_grid_end_row(&grid);
    }
    fprintf(
        page->out,
        "\nEdges that are covered without seeds, with the structure-aware mutator and with only "
        "the engine's own mutations (%s):\n\n",
        mutator.made);
    bo_page_grid(page, &grid, "the mutator");
}

/* ---- codecs ---------------------------------------------------------------------------------- */

/* "97/88": percent of lines, of branches. */
static char *coverage_cell(const struct bo_tsv *coverage, const char *codec, const char *operation,
                           struct bo_arena *arena)
{
    const struct bo_tsv_row *row = bo_tsv_find(coverage, codec, operation);
    if (!row)
        return bo_arena_printf(arena, "-");
    const double lines = floor(100 * (1 - bo_tsv_number(row, 3) / bo_tsv_number(row, 2)));
    const double branches = floor(100 * (1 - bo_tsv_number(row, 5) / bo_tsv_number(row, 4)));
    return bo_tsv_number(row, 4) > 0 ? bo_arena_printf(arena, "%.0f/%.0f", lines, branches)
                                     : bo_arena_printf(arena, "%.0f", lines);
}

/*
 * The cost per byte of the worst unit, for open and decode. Cells `cost` and `cost + 1` are cost
 * and bytes.
 */
static char *worst_cell(const struct bo_tsv *worst, const char *codec, unsigned cost,
                        struct bo_arena *arena)
{
    double most = NAN;
    for (size_t i = 0; i < worst->n; i++) {
        const struct bo_tsv_row *row = &worst->rows[i];
        const double v = bo_tsv_number(row, cost) / fmax(64, bo_tsv_number(row, cost + 1));
        if (strcmp(row->cells[0], codec) == 0 && (isnan(most) || v > most))
            most = v;
    }
    return bo_significant(arena, most);
}

static void add_codec(const char *name, const struct bo_tsv *codecs, const struct bo_tsv *coverage,
                      const struct bo_tsv *worst, struct bo_grid *grid)
{
    static const char *const operations[] = {"encode", "open", "query", "decode"};
    const struct bo_tsv_row *row = bo_tsv_find(codecs, name, NULL);
    struct bo_arena *arena = grid->arena;
    bo_grid_texts(grid, name, bo_executions_text(arena, bo_tsv_number(row, 2)),
                  bo_executions_text(arena, bo_tsv_number(row, 3)),
                  bo_significant(arena, bo_tsv_number(row, 4) / 3600), NULL);
    for (unsigned o = 0; o < 4; o++)
        bo_grid_add(grid, "%s", coverage_cell(coverage, name, operations[o], arena));
    bo_grid_texts(grid, worst_cell(worst, name, 3, arena), worst_cell(worst, name, 6, arena), NULL);
    bo_grid_end_row(grid);
}

/* Of one format's codecs, or (NULL) of all. */
static void print_codecs(const struct bo_page *page, const char *folder, const char *format)
{
    struct bo_arena *arena = page->arena;
    const struct bo_tsv codecs = bo_tsv_read(folder, "codecs", arena);
    const struct bo_tsv coverage = bo_tsv_read(folder, "coverage", arena);
    const struct bo_tsv worst = bo_tsv_read(folder, "worst", arena);
    struct bo_grid grid;
    if (!codecs.made && !coverage.made && !worst.made) {
        fprintf(
            page->out,
            "\nExecutions, coverage and worst cases: not measured; `make fuzz-nightly` measures "
            "them.\n");
        return;
    }
    bo_grid_begin(&grid, arena, 1, "codec", "executions", "accepted", "hours", "encode", "open",
                  "query", "decode", "worst ns/B", "worst B/B", NULL);
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        for (const struct bo_codec *const *c = (*f)->codecs; *c; c++)
            if (!format || strcmp((*f)->name, format) == 0)
                add_codec(bo_arena_printf(arena, "%s/%s", (*f)->name, (*c)->name), &codecs,
                          &coverage, &worst, &grid);
    fprintf(
        page->out,
        "\nExecutions are inputs that the codec received in nightly runs of the same sources; "
        "these may have changed since. Accepted inputs are those that it opened and decoded, or "
        "encoded (%s). Hours are those of the engines, shared by the format's codecs. For each "
        "operation: lines/branches that the corpus covers in the functions that the operation "
        "enters, in percent (%s). Worst: the highest cost of opening or decoding an input, divided "
        "by its bytes (at least 64), in nanoseconds and in bytes of memory (%s).\n\n",
        codecs.made ? codecs.made : "not measured", coverage.made ? coverage.made : "not measured",
        worst.made ? worst.made : "not measured");
    bo_page_grid(page, &grid, "executions, coverage and worst cases");
}

/* ---- code that no input reaches -------------------------------------------------------------- */

/* Reasons assigned by fuzz/gaps.awk; the last one is the default. */
static const char *const reasons[] = {"memory runs out",
                                      "answer buffer is too small",
                                      "larger than fuzz inputs",
                                      "invalid call",
                                      "another processor",
                                      "passes on an error",
                                      "other"};
enum { N_REASONS = sizeof reasons / sizeof *reasons };

/* Adds the gaps in files of the format: "pcdata/frame.c:12". */
static void add_gaps(const struct bo_tsv *coverage, const struct bo_tsv *gaps, const char *format,
                     struct bo_grid *grid)
{
    const char *name = bo_arena_printf(grid->arena, "%s/all", format);
    bo_grid_column(grid, "format", format);
    bo_grid_column(grid, "covered, %", coverage_cell(coverage, name, "all", grid->arena));
    for (unsigned r = 0; r < N_REASONS; r++) {
        double lines = 0, branches = 0;
        for (const struct bo_tsv_row *gap = gaps->rows; gap < gaps->rows + gaps->n; gap++)
            if (is_of_format(gap->cells[0], format, '/') &&
                strcmp(gap->cells[1], reasons[r]) == 0) {
                lines += bo_tsv_number(gap, 2);
                branches += bo_tsv_number(gap, 3);
            }
        bo_grid_column(grid, reasons[r],
                       bo_arena_printf(grid->arena, "%.0f/%.0f", lines, branches));
    }
    bo_grid_end_row(grid);
}

static void print_gaps(const struct bo_page *page, const char *folder)
{
    const struct bo_tsv coverage = bo_tsv_read(folder, "coverage", page->arena);
    const struct bo_tsv gaps = bo_tsv_read(folder, "gaps", page->arena);
    struct bo_grid grid;
    fprintf(page->out, "\n## What no input reaches\n\n");
    if (!gaps.made) {
        fprintf(page->out, "Not measured; `make fuzz-nightly` measures it.\n");
        return;
    }
    bo_grid_init(&grid, page->arena, 1);
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        add_gaps(&coverage, &gaps, (*f)->name, &grid);
    fprintf(
        page->out,
        "Lines/branches of all functions that some operation of some codec enters: the covered "
        "ones in percent, and the number of others by probable reason, which is inferred from the "
        "words in the line (%s). The goal is 95/90. In the targets, only the first four "
        "allocations can fail, and inputs have at most 32 KiB. The tests cover the rest: they make "
        "each allocation fail, and check sizes at their limits.\n\n",
        gaps.made);
    bo_page_grid(page, &grid, "what no input reaches");
    fprintf(page->out,
            "\nThe lines of \"other\"; of adjacent lines, only the first is listed:\n\n");
    for (const struct bo_tsv_row *gap = gaps.rows; gap < gaps.rows + gaps.n; gap++)
        if (strcmp(gap->cells[1], "other") == 0 && bo_tsv_number(gap, 2) > 0)
            fprintf(page->out, "- %s: `%s`\n", gap->cells[0], gap->cells[4]);
}

/* ---- targets --------------------------------------------------------------------------------- */

static void print_targets(const struct bo_page *page, const char *folder)
{
    struct bo_arena *arena = page->arena;
    FILE *out = page->out;
    const struct bo_tsv targets = bo_tsv_read(folder, "targets", arena);
    struct bo_grid runs, corpora;
    if (!targets.made) {
        fprintf(out, "\n## Targets\n\nNot measured; `make fuzz-nightly` measures them.\n");
        return;
    }
    bo_grid_begin(&runs, arena, 2, "target", "engine", "s", "executions", "coverage", "buckets",
                  NULL);
    bo_grid_begin(&corpora, arena, 1, "target", "files", "features", "coverage", NULL);
    for (size_t i = 0; i < targets.n; i++) {
        const char *const *cells = targets.rows[i].cells;
        const bool is_corpus = strcmp(cells[1], "corpus") == 0;
        struct bo_grid *grid = is_corpus ? &corpora : &runs;
        bo_grid_add(grid, "%s", cells[0]);
        for (unsigned c = 1; c < 6 && !is_corpus; c++)
            bo_grid_add(grid, "%s", cells[c]);
        for (unsigned c = 2; c < 8 && is_corpus; c += 2)
            bo_grid_add(grid, "%s -> %s", cells[c], cells[c + 1]);
        bo_grid_end_row(grid);
    }
    fprintf(out, "\n## Targets\n\nThe last nightly run: %s.\n\n", targets.made);
    bo_page_grid(page, &runs, "the last nightly run");
    fprintf(out, "\nThe corpus before and after this run:\n\n");
    bo_page_grid(page, &corpora, "the corpus");
}

/* ---- open buckets ---------------------------------------------------------------------------- */

/* Counts the accepted findings, fuzz/known/TARGET/NAME, and lists them when `out` is given. */
static size_t list_known(FILE *out)
{
    size_t n_known = 0;
    glob_t found;
    if (glob("fuzz/known/*/*", 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i], *dot = strrchr(path, '.');
        if (dot && strcmp(dot, ".md") == 0)
            continue;
        n_known++;
        if (out)
            fprintf(out, "- `%s` ([why](../%s.md))\n", path + strlen("fuzz/known/"), path);
    }
    globfree(&found);
    return n_known;
}

/* ---- the pages ------------------------------------------------------------------------------- */

void bo_fuzz_section(const char *folder, struct bo_arena *arena, FILE *out)
{
    const struct bo_page page = {.arena = arena, .out = out};
    const struct bo_tsv codecs = bo_tsv_read(folder, "codecs", arena);
    double executions = 0;
    size_t n_codecs = 0;
    for (size_t i = 0; i < codecs.n; i++) {
        const double n = bo_tsv_number(&codecs.rows[i], 2);
        executions += n;
        n_codecs += n > 0;
    }
    fprintf(out, "\n## Fuzzing\n\n"
                 "Two engines fuzz codecs with bytes, models and damaged encodings "
                 "([fuzz/README.md](fuzz/README.md)). ");
    if (codecs.made)
        fprintf(out,
                "Nightly runs so far: %s executions of %zu codecs, an input counted for each codec "
                "that received it (%s). ",
                bo_executions_text(arena, executions), n_codecs, codecs.made);
    fprintf(out,
            "Accepted findings that are open: %zu. [results/fuzz.md](results/fuzz.md) has the "
            "executions by codec and target, the coverage, the planted faults with the time until "
            "each is found, and the coverage with and without the mutator.\n",
            list_known(NULL));
    print_verified(&page, folder);
    print_mutants(&page, folder, true);
}

void bo_fuzz_format(const struct bo_page *page, const char *folder, const char *format)
{
    print_codecs(page, folder, format);
    print_faults(page, folder, format);
}

void bo_fuzz_page(const char *folder, struct bo_arena *arena, FILE *out)
{
    const struct bo_page page = {.arena = arena, .out = out};
    fprintf(out, "# Fuzzing\n\n"
                 "Written by `bakeoff report` from the tables in results/fuzz. "
                 "[fuzz/README.md](../fuzz/README.md) describes the targets.\n");
    fprintf(out, "\n## Codecs\n");
    print_codecs(&page, folder, NULL);
    print_gaps(&page, folder);
    print_targets(&page, folder);
    fprintf(out, "\n## Open buckets\n\n");
    if (list_known(out) == 0)
        fprintf(out, "None.\n");
    fprintf(out, "\n## Planted faults\n");
    print_faults(&page, folder, NULL);
    fprintf(out, "\n## Real documents in full\n");
    print_verified(&page, folder);
    fprintf(out, "\n## Mutation score\n");
    print_mutants(&page, folder, false);
    fprintf(out, "\n## The mutator\n");
    print_mutator(&page, folder);
}

void bo_fuzz_mark_run(const char *folder, struct bo_run *run)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_tsv codecs = bo_tsv_read(folder, "codecs", &arena);
    for (size_t d = 0; d < run->n_documents; d++)
        for (unsigned c = 0; c < run->documents[d].n_codecs; c++) {
            struct bo_run_codec *codec = &run->documents[d].codecs[c];
            const struct bo_tsv_row *row = bo_tsv_find(
                &codecs, bo_arena_printf(&arena, "%s/%s", run->documents[d].format, codec->name),
                NULL);
            codec->n_survived = bo_tsv_number(row, 2);
            run->documents[d].has_survived |= row != NULL;
        }
    bo_arena_free(&arena);
}
