/* The styles of tables. */
#include "bench/report_styles.h"

#include "bench/report_caption.h"
#include "bench/report_gobench.h"

static void print_markdown(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    const char **failures;
    const struct bo_caption caption = bo_caption_make(table->run, table->document, arena);
    bo_comparison(table->document, &table->filter, BO_WITH_INTERVAL, arena, &grid);
    bo_grid_markdown(&grid, out);
    const size_t n = bo_comparison_failures(table->document, arena, &failures);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s- failed: %s\n", i ? "" : "\n", failures[i]);
    fprintf(out, "\n%s. Corpus: %s. %s. Machine: %s. Run: %s. Again: `%s`\n", caption.what,
            caption.corpus, caption.sample, caption.machine, caption.run, caption.command);
}

static void print_rfc(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    const char **failures;
    const struct bo_caption caption = bo_caption_make(table->run, table->document, arena);
    bo_comparison(table->document, &table->filter, BO_WITH_PERCENT, arena, &grid);
    bo_grid_text(&grid, BO_RFC_WIDTH, out);
    putc('\n', out);
    const size_t n = bo_comparison_failures(table->document, arena, &failures);
    for (size_t i = 0; i < n; i++)
        bo_print_wrapped(out, bo_arena_printf(arena, "Failed: %s", failures[i]), BO_RFC_WIDTH,
                         "          ");
    bo_caption_print(&caption, BO_RFC_WIDTH, out);
    bo_print_wrapped(out, "+-: the farther end of the interval, in percent of the median.",
                     BO_RFC_WIDTH, "");
}

static void print_tex(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    const char **failures;
    const struct bo_caption caption = bo_caption_make(table->run, table->document, arena);
    bo_comparison(table->document, &table->filter, BO_WITH_INTERVAL, arena, &grid);
    fprintf(out, "\\begin{table}\n\\centering\n");
    bo_grid_tex(&grid, out);
    fprintf(out, "\\caption{");
    const char *const sentences[] = {caption.what,    caption.corpus, caption.sample,
                                     caption.machine, caption.run,    caption.command};
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        bo_print_tex(sentences[i], out);
        fprintf(out, ". ");
    }
    const size_t n = bo_comparison_failures(table->document, arena, &failures);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "Failed: ");
        bo_print_tex(failures[i], out);
        fprintf(out, ". ");
    }
    fprintf(out, "}\n\\end{table}\n");
}

static void print_csv(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    bo_comparison_raw(table->run, table->format, table->only, &table->filter, arena, &grid);
    bo_grid_csv(&grid, out);
}

static void print_gobench(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    bo_gobench_print(table->run, table->format, table->only, &table->filter, arena, out);
}

const struct bo_table_style bo_table_styles[] = {
    {"md", true, print_markdown}, {"rfc", true, print_rfc},          {"csv", false, print_csv},
    {"tex", true, print_tex},     {"gobench", false, print_gobench}, {NULL, false, NULL},
};
