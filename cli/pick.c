/* bakeoff pick: which codec suits given wishes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/comparison.h"
#include "bench/report/pick.h"
#include "bench/report/picks.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/options.h"
#include "harness/core/print.h"
#include "harness/core/suggest.h"

int bo_cmd_pick(int argc, char **argv);

enum { N_MEASURES = 7, WIDTH = 160 };

/*
 * The measures that options can name. LOOKUP is the format's main row unless --row names another.
 */
enum { SIZE, PACKED, LOOKUP, OPEN, ENCODE, DECODE, MEMORY };

static const struct {
    const char *name;
    struct bo_figure figure;
} measures[N_MEASURES] = {
    [SIZE] = {"size", {"B", BO_SIZE_PER_UNIT, NULL, NULL}},
    [PACKED] = {"packed", {"B under zstd -19", BO_OUTER_PER_UNIT, NULL, "zstd19"}},
    [LOOKUP] = {"lookup", {"lookup, ns", BO_TIME, NULL, NULL}},
    [OPEN] = {"open", {"open, ns", BO_TIME, "open", NULL}},
    [ENCODE] = {"encode", {"encode, ns", BO_TIME, "encode", NULL}},
    [DECODE] = {"decode", {"decode, ns", BO_TIME, "decode", NULL}},
    [MEMORY] = {"memory", {"memory to open, B", BO_COUNTER, "open", "open_bytes_allocated"}},
};

/* The options of the command line, as texts. */
struct request {
    const char *weights[N_MEASURES], *limits[N_MEASURES];
    const char *speed, *use, *row, *corpus, *results;
    bool as_json, has_weight;
    struct bo_wish wishes[N_MEASURES]; /* the weights and limits in them */
};

/* ---- wishes ---------------------------------------------------------------------------------- */

/* The number that a text begins with: finite, or NaN. *rest_ret is what follows. */
static double parse_number(const char *text, const char **rest_ret)
{
    char *end;
    const double v = strtod(text, &end);
    *rest_ret = end;
    return end != text && isfinite(v) ? v : NAN;
}

/* "1.5" */
static bool parse_weight(const char *name, const char *text, struct bo_wish *wish)
{
    const char *rest;
    wish->weight = parse_number(text, &rest);
    return (*rest == 0 && wish->weight >= 0) ||
           !bo_usage_error("pick", "--%s expects a number of at least 0, not '%s'", name, text);
}

/* "+5%", "-20%" and "0.8x" are relative to the status quo; "30" is in the measure's unit. */
static bool parse_limit(const char *name, const char *text, struct bo_wish *wish)
{
    const char *rest;
    const double v = parse_number(text, &rest);
    const bool is_share = strcmp(rest, "%") == 0, is_factor = strcmp(rest, "x") == 0;
    wish->limit_kind = is_share || is_factor ? BO_LIMIT_OF_BASELINE : BO_LIMIT;
    wish->limit = is_share ? 1 + v / 100 : v;
    /* 105% may mean 1.05x or +105% */
    const bool is_known = is_share ? *text == '+' || *text == '-' : *rest == 0 || is_factor;
    return (is_known && wish->limit > 0) ||
           !bo_usage_error("pick",
                           "--max-%s expects +5%%, 0.8x or a number (a percentage needs a sign), "
                           "not '%s'",
                           name, text);
}

/* The minimum speed relative to the status quo: "2", "2x". */
static bool parse_speed(const char *text, struct bo_wish *wish)
{
    const char *rest;
    const double v = parse_number(text, &rest);
    wish->limit_kind = BO_LIMIT_OF_BASELINE;
    wish->limit = 1 / v;
    return ((*rest == 0 || strcmp(rest, "x") == 0) && v > 0) ||
           !bo_usage_error("pick", "--min-speed expects a factor such as 2x, not '%s'", text);
}

/* Parses the weights and limits of the options. False after a message. */
static bool parse_wishes(struct request *r)
{
    bool any_above_0 = !r->has_weight;
    for (unsigned m = 0; m < N_MEASURES; m++) {
        struct bo_wish *wish = &r->wishes[m];
        wish->weight = !r->has_weight && (m == SIZE || m == LOOKUP);
        if ((r->weights[m] && !parse_weight(measures[m].name, r->weights[m], wish)) ||
            (r->limits[m] && !parse_limit(measures[m].name, r->limits[m], wish)) ||
            (m == LOOKUP && r->speed && !parse_speed(r->speed, wish)))
            return false;
        any_above_0 = any_above_0 || wish->weight > 0;
    }
    const struct bo_wish *lookup = &r->wishes[LOOKUP];
    if (r->row && !(lookup->weight > 0) && lookup->limit_kind == BO_NO_LIMIT)
        return !bo_usage_error("pick", "--row needs a weight or a limit of the lookup");
    return any_above_0 || !bo_usage_error("pick", "no measure has a weight above 0");
}

/* True when the document has the row; false after a message. */
static bool has_row(const struct bo_run_document *document, const char *row, struct bo_arena *arena)
{
    const char *rows = "";
    for (unsigned l = 0; l < document->n_labels; l++) {
        if (strcmp(document->labels[l], row) == 0)
            return true;
        rows = bo_arena_printf(arena, "%s %s", rows, document->labels[l]);
    }
    return !bo_usage_error("pick", "%s has no row '%s'; the rows are%s", document->name, row, rows);
}

/* The measures of the options; without any, size and lookup. Returns their number. */
static unsigned make_wishes(const struct request *r, const struct bo_run_document *document,
                            struct bo_arena *arena, struct bo_wish *wishes)
{
    const char *row = r->row ? r->row : bo_run_main_label(document);
    unsigned n = 0;
    for (unsigned m = 0; m < N_MEASURES; m++) {
        struct bo_wish wish = r->wishes[m];
        wish.name = measures[m].name;
        wish.figure = measures[m].figure;
        if (m == LOOKUP && row) {
            wish.figure.label = row;
            wish.figure.heading = bo_arena_printf(arena, "%s, ns", row);
        }
        if ((m == SIZE || m == PACKED) && document->unit)
            wish.figure.heading = bo_arena_printf(arena, m == SIZE ? "B/%s" : "B/%s under zstd -19",
                                                  bo_singular(arena, document->unit));
        if (m == LOOKUP && !row && !r->has_weight)
            wish.weight = 0; /* no option sets it, and the document has no query */
        if (wish.weight > 0 || wish.limit_kind != BO_NO_LIMIT)
            wishes[n++] = wish;
    }
    return n;
}

static bool take_use(const char *format, const char *use, struct bo_wish *wishes, unsigned *n_ret)
{
    const struct bo_format_report *notes = bo_report_of(format);
    const char *last = NULL;
    *n_ret = notes && notes->uses ? bo_wishes_of_use(notes->uses, use, wishes) : 0;
    if (*n_ret)
        return true;
    struct bo_suggestion near = bo_suggest(use);
    for (const struct bo_use *u = notes && notes->uses ? notes->uses->uses : NULL; u && u->use; u++)
        bo_suggest_offer(&near, u->picks ? u->use : NULL);
    fprintf(stderr, "bakeoff: pick: %s has no use '%s'%s%s", format, use, bo_suggestion_text(&near),
            notes && notes->uses ? "; uses:" : "\n");
    for (const struct bo_use *u = notes && notes->uses ? notes->uses->uses : NULL; u && u->use;
         u++) {
        if (u->picks && (!last || strcmp(last, u->use) != 0))
            fprintf(stderr, " %s", u->use);
        last = u->picks ? u->use : last;
    }
    if (last)
        fputc('\n', stderr);
    return false;
}

/* ---- picking --------------------------------------------------------------------------------- */

/* Prints whether the pick is also the pick on the held-out documents. */
static void print_held_out(const char *format, const struct bo_run *run, const struct bo_pick *pick,
                           struct bo_arena *arena)
{
    const struct bo_run_document *const *documents;
    const unsigned n = bo_compared_documents(run, format, NULL, true, arena, &documents);
    struct bo_pick other;
    const char *why, *name = pick->codecs[0].codec->name;
    if (!n)
        return;
    printf("On the %u held-out document%s: ", n, n == 1 ? "" : "s");
    if (!bo_pick_codec(documents, n, pick->wishes, pick->n_wishes, arena, &other, &why)) {
        printf("%s\n", why);
        return;
    }
    for (unsigned c = 0; c < other.n_codecs; c++) {
        if (strcmp(other.codecs[c].codec->name, name) != 0)
            continue;
        if (other.codecs[c].left_out)
            printf("%s is not compared: %s.\n", name, other.codecs[c].left_out);
        else
            printf("%s is number %u of %u, score %.3f (%.3f on the others).\n", name, c + 1,
                   other.n_weighed, other.codecs[c].score, pick->codecs[0].score);
    }
}

/* Picks by the n given wishes, or (n is 0) by the weights and limits of the options. */
static int pick(const struct request *r, const char *format, const struct bo_run *run,
                struct bo_wish *wishes, unsigned n_wishes, struct bo_arena *arena)
{
    const struct bo_run_document *const *documents;
    const unsigned n = bo_compared_documents(run, format, r->corpus, false, arena, &documents);
    struct bo_pick answer;
    const char *why;
    if (!n)
        return bo_no_document("pick", run, format, r->corpus);
    if (r->row && !has_row(documents[0], r->row, arena))
        return BO_EXIT_USAGE;
    if (!n_wishes)
        n_wishes = make_wishes(r, documents[0], arena, wishes);
    bo_wishes_set_noise(run, format, wishes, n_wishes);
    if (!bo_pick_codec(documents, n, wishes, n_wishes, arena, &answer, &why))
        return bo_usage_error("pick", "%s", why);
    const int code = answer.n_weighed ? BO_EXIT_OK : BO_EXIT_FAILED;
    if (r->as_json)
        return bo_json_print(bo_pick_json(&answer), code);
    bo_pick_print(&answer, WIDTH, arena, stdout);
    if (answer.n_weighed && !r->corpus)
        print_held_out(format, run, &answer, arena);
    return code;
}

static int pick_from(const struct request *r, const char *format)
{
    struct bo_wish wishes[BO_MAX_WISHES];
    unsigned n_wishes = 0;
    if (r->use && !take_use(format, r->use, wishes, &n_wishes))
        return BO_EXIT_USAGE;
    struct bo_run run;
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const bool ok = r->results ? bo_run_load(r->results, &run)
                               : bo_run_load_newest("results", NULL, format, &run);
    const int code = ok ? pick(r, format, &run, wishes, n_wishes, &arena) : BO_EXIT_USAGE;
    if (bo_parts_note(&run) && !r->as_json && code != BO_EXIT_USAGE)
        bo_print_wrapped(stdout, bo_parts_note(&run), WIDTH, "");
    bo_arena_free(&arena);
    bo_run_free(&run);
    return code;
}

int bo_cmd_pick(int argc, char **argv)
{
    struct request r = {.speed = NULL};
    const struct bo_option options[] = {
        {"--size", 0, "W", "weight of the bytes (1 when no weight is given)", &r.weights[SIZE],
         NULL},
        {"--packed", 0, "W", "of the bytes under zstd -19", &r.weights[PACKED], NULL},
        {"--lookup", 0, "W", "of the time of a query (1 when no weight is given)",
         &r.weights[LOOKUP], NULL},
        {"--open", 0, "W", "of the time to open", &r.weights[OPEN], NULL},
        {"--encode", 0, "W", "of the time to encode", &r.weights[ENCODE], NULL},
        {"--decode", 0, "W", "of the time to decode", &r.weights[DECODE], NULL},
        {"--memory", 0, "W", "of the memory that opening takes", &r.weights[MEMORY], NULL},
        {"--max-size", 0, "L", "at most: +5%, 0.8x (over the status quo), or bytes a unit",
         &r.limits[SIZE], NULL},
        {"--max-packed", 0, "L", "the same under zstd -19", &r.limits[PACKED], NULL},
        {"--max-lookup", 0, "L", "of a query; a number is ns", &r.limits[LOOKUP], NULL},
        {"--max-open", 0, "L", "of opening, ns", &r.limits[OPEN], NULL},
        {"--max-encode", 0, "L", "of encoding, ns", &r.limits[ENCODE], NULL},
        {"--max-decode", 0, "L", "of decoding, ns", &r.limits[DECODE], NULL},
        {"--max-memory", 0, "L", "of the memory that opening takes, bytes", &r.limits[MEMORY],
         NULL},
        {"--min-speed", 0, "S", "queries at least so many times as fast as the status quo: 2x",
         &r.speed, NULL},
        {"--row", 0, "KIND/WORKLOAD", "which queries (default: the format's main ones)", &r.row,
         NULL},
        {"--use", 0, "U", "instead of weights: a use that the format's proposal names", &r.use,
         NULL},
        {"--corpus", 0, "X", "on this document (default: all)", &r.corpus, NULL},
        {"--results", 0, "FILE", "of `bench --json` (default: the newest in results/)", &r.results,
         NULL},
        {"--json", 0, NULL, "for programs", NULL, &r.as_json},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "pick", "FORMAT [--size W] [--lookup W] ... [--max-size L] ... | --use U",
        "Picks the codec with the lowest score. A score is the geometric mean of the codec's "
        "ratios\n"
        "to the status quo, by weights; limits must hold on every document. Prints the Pareto\n"
        "front, the pick and the runner-up of another encoding, whether the pick is clear within\n"
        "the 95% intervals of the medians, how far each weight may move before the pick changes,\n"
        "and the figures. Exits with 1 when no codec meets the limits.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n > 1)
        return bo_usage_error("pick", "expects one format");
    bool has_wish = r.speed || r.row;
    for (unsigned m = 0; m < N_MEASURES; m++) {
        r.has_weight = r.has_weight || r.weights[m];
        has_wish = has_wish || r.weights[m] || r.limits[m];
    }
    if (r.use && has_wish)
        return bo_usage_error("pick", "--use cannot be combined with weights, limits or --row");
    if (r.speed && r.limits[LOOKUP])
        return bo_usage_error("pick", "--min-speed cannot be combined with --max-lookup");
    if (!parse_wishes(&r))
        return BO_EXIT_USAGE;
    const struct bo_format *format = bo_need_format("pick", n ? argv[1] : NULL);
    return format ? pick_from(&r, format->name) : BO_EXIT_USAGE;
}
