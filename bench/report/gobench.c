/* Go's benchmark format. */
#include "bench/report/styles.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Go's names of architectures, where they differ from the kernel's. */
static const char *go_architecture(const char *machine)
{
    static const char *const names[][2] = {
        {"x86_64", "amd64"},
        {"i386", "386"},
        {"i486", "386"},
        {"i586", "386"},
        {"i686", "386"},
        {"aarch64", "arm64"},
        {"loongarch64", "loong64"},
        {"armv7l", "arm"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(machine, names[i][0]) == 0)
            return names[i][1];
    return machine;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A name must be one word of printable characters. '/' separates its parts. */
static void print_word(const char *text, FILE *out)
{
    for (; *text; text++)
        putc(isgraph((unsigned char)*text) && *text != '/' ? *text : '_', out);
}

/*
 * Go interprets a number after the last hyphen as the number of processors, and only compares names
 * with the same number. If the name of one codec ends like that, all names get a number.
 */
static bool ends_like_processors(const char *name)
{
    const char *hyphen = strrchr(name, '-');
    return hyphen && hyphen[1] && strspn(hyphen + 1, "0123456789") == strlen(hyphen + 1);
}

static bool need_processors(const struct bo_run *run, const char *format)
{
    for (size_t i = 0; i < run->n_rows; i++)
        if (strcmp(run->rows[i].format, format) == 0 && ends_like_processors(run->rows[i].codec))
            return true;
    return false;
}

/* The output of the lines, and their shared state. */
struct printer {
    bool processors; /* names end in the number of processors, 1 */
    struct bo_arena *arena;
    FILE *out;
};

static void print_name(const struct printer *printer, const struct bo_run_row *row)
{
    FILE *out = printer->out;
    const char *slash = strchr(row->label, '/');
    fprintf(out, "Benchmark%c", toupper((unsigned char)row->format[0]));
    print_word(row->format + 1, out);
    fputs("/corpus=", out);
    print_word(row->document, out);
    fprintf(out, "/kind=%.*s", slash ? (int)(slash - row->label) : (int)strlen(row->label),
            row->label);
    if (slash) {
        fputs("/workload=", out);
        print_word(slash + 1, out);
    }
    fputs("/codec=", out);
    print_word(row->codec, out);
    if (printer->processors)
        fputs("-1", out);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Counters of an entry, and Go's units for them; the first two are those of -benchmem. */
static const struct {
    const char *counter, *unit;
} extras[] = {
    {"heap_allocated_bytes", "B/op"},      {"encode_allocs", "allocs/op"},
    {"decode_allocs", "allocs/op"},        {"open_allocs", "allocs/op"},
    {"encode_peak_bytes", "peak-B/op"},    {"decode_peak_bytes", "peak-B/op"},
    {"open_bytes_allocated", "peak-B/op"}, {"touched_pages", "pages/op"},
};

/* The value of the i-th repetition; NaN without one. */
static double value_of(const struct bo_run_row *row, const char *name, unsigned i)
{
    const struct bo_row_values *counter = bo_values_of(row, name);
    return counter ? counter->values[i] : NAN;
}

static void print_repetition(const struct printer *printer, const struct bo_run_document *document,
                             const struct bo_run_codec *codec, const struct bo_run_row *row,
                             unsigned repetition)
{
    FILE *out = printer->out;
    print_name(printer, row);
    fprintf(out, " %.0f %.6g ns/op", value_of(row, "iterations", repetition),
            row->times_ns[repetition]);
    if (codec->has_bytes && document->n_units)
        fprintf(out, " %.6g B/%s", (double)codec->bytes / (double)document->n_units,
                bo_singular(printer->arena, document->unit));
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        const double v = value_of(row, extras[i].counter, repetition);
        if (!isnan(v))
            fprintf(out, " %.10g %s", v, extras[i].unit);
    }
    putc('\n', out);
}

static void print_row(const struct printer *printer, const struct bo_run_document *document,
                      const struct bo_run_codec *codec, const struct bo_run_row *row)
{
    if (row->failure) {
        fputs("--- FAIL: ", printer->out);
        print_name(printer, row);
        fprintf(printer->out, "\n    %s\n", row->failure);
        return;
    }
    for (unsigned i = 0; i < row->n; i++)
        print_repetition(printer, document, codec, row, i);
}

/* Label by label, so that the codecs to be compared are adjacent. */
static void print_document(const struct printer *printer, const struct bo_run_document *document,
                           struct bo_label_filter *filter)
{
    if (bo_count_intervals(document).n_without) /* benchstat ignores such a line */
        fputs("# Fewer than 6 repetitions have no 95% interval of their median.\n", printer->out);
    for (unsigned l = 0; l < document->n_labels; l++)
        for (unsigned c = 0; bo_label_wanted(filter, document->labels[l]) && c < document->n_codecs;
             c++)
            if (document->codecs[c].rows[l])
                print_row(printer, document, &document->codecs[c], document->codecs[c].rows[l]);
}

/* benchstat does not combine the figures of two processors or two runs. */
static void print_machine(const struct bo_run_document *document, struct bo_arena *arena, FILE *out)
{
    const char *part = bo_shard_text(document->environment, arena);
    fprintf(out, "goos: linux\ngoarch: %s\npkg: bakeoff\ncpu: %s\n",
            go_architecture(bo_environment_fact(document->environment, "architecture")),
            bo_environment_fact(document->environment, "cpu"));
    if (part)
        fprintf(out, "part: %s\n", part);
}

void bo_print_gobench(struct bo_table *table, struct bo_arena *arena, FILE *out)
{
    const struct bo_run *run = table->run;
    const struct printer printer = {need_processors(run, table->format), arena, out};
    const struct bo_run_document *last = NULL;
    for (size_t d = 0; d < run->n_documents; d++) {
        const struct bo_run_document *one = &run->documents[d];
        if (table->only ? one != table->only : strcmp(one->format, table->format) != 0)
            continue;
        if (!last || last->environment != one->environment)
            print_machine(one, arena, out);
        print_document(&printer, one, &table->filter);
        last = one;
    }
}
