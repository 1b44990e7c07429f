/* The styles of tables. */
#include "bench/report/styles.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "bench/measure/axes.h"
#include "bench/report/answer.h"
#include "bench/report/caption.h"
#include "bench/report/front.h"
#include "bench/report/outliers.h"
#include "bench/report/paths.h"
#include "bench/runs/noise.h"
#include "harness/format_report.h"
#include "harness/registry.h"

/* The options of `bakeoff table` that print this again. */
static char *options_of(const struct bo_table *table, const char *style, struct bo_arena *arena)
{
    return bo_arena_printf(arena, "--style %s%s", style, table->options ? table->options : "");
}

/* The sentence about A/A differences, for all rows of the format in the run; or NULL. */
static char *noise_text(const struct bo_table *table, struct bo_arena *arena)
{
    const struct bo_noise noise = bo_noise_of(table->run, table->format, NULL, NULL);
    return bo_noise_text(&noise, &table->run->environment, arena);
}

static void print_markdown(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    const char **failures;
    const struct bo_caption caption =
        bo_caption_make(table->document, options_of(table, "md", arena), arena);
    bo_comparison(table->document, &table->filter, BO_WITH_INTERVAL, arena, &grid);
    bo_grid_markdown(&grid, out);
    const size_t n = bo_comparison_failures(table->document, arena, &failures);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s- %s\n", i ? "" : "\n", failures[i]);
    fprintf(out, "\n%s. Corpus: %s. %s. Machine: %s. Run: %s. To repeat it: `%s`\n", caption.what,
            caption.corpus, caption.sample, caption.machine, caption.run, caption.command);
    const char *marks = bo_mark_note(table->document, arena);
    if (marks)
        fprintf(out, "\n%s\n", marks);
    const char *outliers = bo_outliers_note(table->document, &table->filter, arena);
    if (outliers)
        fprintf(out, "\n%s.\n", outliers);
    const char *noise = noise_text(table, arena);
    if (noise)
        fprintf(out, "\nOf all rows, %s.\n", noise);
}

/* The codecs in an RFC table: few enough to read. */
struct shortlist {
    const struct bo_run_document *document;
    const struct bo_format *format; /* NULL: unknown */
    struct bo_front_point *points;
    size_t n;
    const char *answer; /* of the run, in Markdown; "" without one */
    struct bo_arena *arena;
};

/*
 * The front, the status quo, failures, proposals, and the codecs that the answer names. Where a
 * codec is named by two parts (lprf: index+counters), only proposals that differ in the first.
 */
static bool on_shortlist(const struct bo_run_codec *codec, void *arg)
{
    const struct shortlist *list = arg;
    const char *label;
    if (strstr(list->answer, bo_arena_printf(list->arena, "`%s`", codec->name)))
        return true;
    if (bo_is_path(list->document, codec))
        return bo_is_portable(list->document, codec);
    for (size_t i = 0; i < list->n; i++)
        if (list->points[i].on_front &&
            (list->points[i].codec == codec || (bo_is_path(list->document, list->points[i].codec) &&
                                                bo_same_encoding(list->points[i].codec, codec))))
            return true;
    if (!bo_run_refusal(codec) && bo_first_failure(list->document, codec, BO_AS_IS, &label))
        return true;
    return strcmp(codec->role, bo_role_name(BO_STATUS_QUO)) == 0 ||
           (strcmp(codec->role, bo_role_name(BO_PROPOSED)) == 0 &&
            (!list->format || bo_on_first_axis(list->format, codec->name)));
}

static void print_choice(const struct bo_run_document *shown, const struct bo_run_document *all,
                         bool has_answer, struct bo_arena *arena, FILE *out)
{
    const struct bo_format_report *notes = bo_report_of(all->format);
    const char *axis = notes && notes->axes ? notes->axes->first : NULL;
    if (shown->n_codecs == all->n_codecs)
        return;
    const char *text = bo_arena_printf(
        arena,
        "%u of %u codecs: the Pareto front of bytes and %s, the status quo%s and the proposals%s%s."
        " With --codec '*' the table has all.",
        shown->n_codecs, all->n_codecs, bo_run_main_label(all),
        has_answer ? ", the codecs that the answer names" : "", axis ? ", one of each " : "",
        axis ? axis : "");
    bo_print_wrapped(out, text, BO_RFC_WIDTH, "");
}

static void print_answer(const char *text, struct bo_arena *arena, FILE *out)
{
    for (const char *p = bo_plain_text(arena, text); *p;) {
        const size_t n = strcspn(p, "\n");
        bo_print_wrapped(out, bo_arena_printf(arena, "%.*s", (int)n, p), BO_RFC_WIDTH, "");
        p += n + strspn(p + n, "\n");
        putc('\n', out);
    }
}

static void print_rfc(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    struct shortlist list = {
        .document = table->document, .format = bo_find_format(table->format), .arena = arena};
    /* not if the user selected rows or codecs */
    const char *answer = list.format && !(table->options && *table->options)
                             ? bo_answer_text(&table->run, 1, list.format, arena)
                             : NULL;
    list.answer = answer ? answer : "";
    list.n =
        bo_front_points(table->document, bo_run_main_label(table->document), arena, &list.points);
    const struct bo_run_document *document =
        table->is_chosen ? table->document
                         : bo_document_with(table->document, on_shortlist, &list, arena);
    const char **failures;
    const struct bo_caption caption =
        bo_caption_make(document, options_of(table, "rfc", arena), arena);
    bo_comparison(document, &table->filter, BO_WITH_PERCENT, arena, &grid);
    print_answer(list.answer, arena, out);
    bo_grid_text(&grid, BO_RFC_WIDTH, out);
    putc('\n', out);
    const size_t n = bo_comparison_failures(document, arena, &failures);
    for (size_t i = 0; i < n; i++)
        bo_print_wrapped(out, failures[i], BO_RFC_WIDTH, "  ");
    const char *marks = bo_mark_note(document, arena);
    if (marks)
        bo_print_wrapped(out, marks, BO_RFC_WIDTH, "");
    bo_caption_print(&caption, BO_RFC_WIDTH, arena, out);
    const char *outliers = bo_outliers_note(document, &table->filter, arena);
    if (outliers)
        bo_print_wrapped(out, bo_arena_printf(arena, "%s.", outliers), BO_RFC_WIDTH, "  ");
    const char *noise = noise_text(table, arena);
    if (noise)
        bo_print_wrapped(out, bo_arena_printf(arena, "Of all rows, %s.", noise), BO_RFC_WIDTH, "");
    print_choice(document, table->document, answer != NULL, arena, out);
    if (bo_count_intervals(document).n_with)
        bo_print_wrapped(out, "+-: the farther end of the 95% interval, in percent of the median.",
                         BO_RFC_WIDTH, "");
}

static void print_tex(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    const char **failures;
    const struct bo_caption caption =
        bo_caption_make(table->document, options_of(table, "tex", arena), arena);
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
        bo_print_tex(failures[i], out);
        fprintf(out, ". ");
    }
    const char *marks = bo_mark_note(table->document, arena);
    if (marks)
        bo_print_tex(bo_arena_printf(arena, "%s ", marks), out);
    const char *outliers = bo_outliers_note(table->document, &table->filter, arena);
    if (outliers)
        bo_print_tex(bo_arena_printf(arena, "%s.", outliers), out);
    fprintf(out, "}\n\\end{table}\n");
}

static void print_csv(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    struct bo_grid grid;
    bo_comparison_raw(table->run, table->format, table->only, &table->filter, arena, &grid);
    bo_grid_csv(&grid, out);
}

/* The units of print_json's figures. */
static json_t *json_units(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "bytes", "B", "ratio",
                     "1, over the bytes of the document's `baseline`", "bytes_per_unit",
                     "B, over the document's number of `unit`", "*_ns",
                     "ns, an operation or query, CPU time", "*_bytes", "B", "touched_pages",
                     "pages of 4 KiB");
}

/* Everything that a reader needs to compare the figures with others, once for all documents. */
static json_t *run_json(const struct bo_run *run)
{
    static const char *const facts[] = {"machine",  "cpu",   "architecture", "kernel",
                                        "compiler", "flags", "commit",       "date"};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        json_object_set_new(object, facts[i],
                            json_string(bo_environment_fact(&run->environment, facts[i])));
    const double n_cpus = bo_environment_number(&run->environment, "num_cpus");
    if (!isnan(n_cpus))
        json_object_set_new(object, "num_cpus", json_integer((json_int_t)n_cpus));
    if (run->environment.seeds.n)
        json_object_set_new(object, "seeds", bo_counts_json(&run->environment.seeds));
    return object;
}

static void print_json(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    enum { FLAGS = JSON_INDENT(1) | JSON_REAL_PRECISION(9) };
    json_t *documents = json_array();
    for (size_t d = 0; d < table->run->n_documents; d++) {
        const struct bo_run_document *document = &table->run->documents[d];
        if (table->only ? document == table->only : strcmp(document->format, table->format) == 0)
            json_array_append_new(documents, bo_comparison_json(document, &table->filter));
    }
    const bool has_layouts = bo_pair_number(&table->run->environment.layouts, "n") > 1;
    json_t *object = json_pack(
        "{s:s, s:o, s:{s:s, s:s, s:f}, s:o, s:o}", "format", table->format, "run",
        run_json(table->run), "interval", "of",
        has_layouts ? "the mean over layouts, extended to the median" : "the median, low to high",
        "method", has_layouts ? "Student's t" : "order statistics", "confidence", BO_CONFIDENCE,
        "units", json_units(), "documents", documents);
    json_dumpf(object, out, FLAGS);
    putc('\n', out);
    json_decref(object);
}

const struct bo_table_style bo_table_styles[] = {
    {"md", true, print_markdown},
    {"rfc", true, print_rfc},
    {"csv", false, print_csv},
    {"tex", true, print_tex},
    {"gobench", false, bo_print_gobench},
    {"json", false, print_json},
    {NULL, false, NULL},
};
