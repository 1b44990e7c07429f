/* A/A comparisons over the rows of a run. */
#include "bench/runs/noise.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/noop.h"
#include "bench/stats/layouts.h"
#include "bench/stats/stats.h"
#include "harness/core/print.h"

#define SHARE 0.95 /* the share of comparisons inside the interval */

/* Sums over the rows. */
struct tally {
    struct bo_differences within, between;
    double *sds; /* between layouts, by row */
    size_t n_sds, n_rows;
};

/* `kind` may be a label of that kind. */
static bool is_of_kind(const char *label, const char *kind)
{
    const size_t n = kind ? strcspn(kind, "/") : 0;
    return !kind || (strncmp(label, kind, n) == 0 && (label[n] == 0 || label[n] == '/'));
}

static void add_row(struct tally *tally, const struct bo_run_row *row)
{
    double *logs = bo_or_abort(malloc(row->n * sizeof *logs));
    const struct bo_repetitions repetitions = {logs, row->layouts, row->n};
    for (unsigned i = 0; i < row->n; i++)
        logs[i] = log(row->times_ns[i]);
    bo_differ_within(&repetitions, &tally->within);
    if (row->layouts)
        bo_differ_between(&repetitions, &tally->between);
    free(logs);
    if (!isnan(row->layout_sd))
        tally->sds[tally->n_sds++] = row->layout_sd;
    tally->n_rows++;
}

/* The ratio that SHARE of the differences do not exceed. */
static double limit_of(struct bo_differences *differences)
{
    bo_sort_doubles(differences->items, differences->n);
    return differences->n ? exp(bo_percentile(differences->items, differences->n, SHARE)) : NAN;
}

struct bo_noise bo_noise_of(const struct bo_run *run, const char *format, const char *document,
                            const char *kind)
{
    struct bo_arena arena;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    struct tally tally = {.within.arena = &arena,
                          .between.arena = &arena,
                          .sds = bo_array_or_abort(&arena, run->n_rows, sizeof *tally.sds)};
    for (size_t r = 0; r < run->n_rows; r++) {
        const struct bo_run_row *row = &run->rows[r];
        if (row->n && !row->failure && strcmp(row->codec, bo_noop_codec.name) != 0 &&
            strcmp(row->format, format) == 0 &&
            (!document || strcmp(row->document, document) == 0) && is_of_kind(row->label, kind))
            add_row(&tally, row);
    }
    const size_t n = tally.n_sds;
    const double layout_sd = bo_median(tally.sds, n);
    const struct bo_noise noise = {
        .within = limit_of(&tally.within),
        .n_within = tally.within.n,
        .between = limit_of(&tally.between),
        .n_between = tally.between.n,
        .limit = fmax(limit_of(&tally.within), limit_of(&tally.between)),
        .layout_sd = layout_sd,
        .largest_layout_sd = n ? tally.sds[n - 1] : NAN,
        .n_rows = tally.n_rows,
    };
    bo_arena_free(&arena);
    return noise;
}

bool bo_is_noise(const struct bo_noise *noise, double ratio)
{
    return !isnan(noise->limit) && fabs(log(ratio)) <= log(noise->limit);
}

char *bo_noise_text(const struct bo_noise *noise, const struct bo_environment *environment,
                    struct bo_arena *arena)
{
    const double n_layouts = bo_pair_number(&environment->layouts, "n");
    if (isnan(noise->limit))
        return NULL;
    return bo_arena_printf(arena,
                           "times that differ by less than %.1f%% show no difference (A/A, %s)",
                           100 * (noise->limit - 1),
                           noise->n_between ? bo_arena_printf(arena, "%.0f layouts", n_layouts)
                                            : "one layout: the effect of others was not measured");
}

/* To five decimals, which the files of results hold. */
static json_t *number_json(double v)
{
    return isfinite(v) ? json_real(round(v * 1e5) / 1e5) : json_null();
}

static json_t *kind_json(const struct bo_noise *noise)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I}", "within", number_json(noise->within), "between",
                     number_json(noise->between), "layout_sd", number_json(noise->layout_sd),
                     "largest_layout_sd", number_json(noise->largest_layout_sd), "rows",
                     (json_int_t)noise->n_rows);
}

json_t *bo_noise_json(const struct bo_run *run, const char *format, const char *document)
{
    json_t *kinds = json_object();
    for (size_t r = 0; r < run->n_rows; r++) {
        char kind[128];
        const char *label = run->rows[r].label;
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(label, "/"), label);
        if (strcmp(run->rows[r].format, format) != 0 || json_object_get(kinds, kind))
            continue;
        const struct bo_noise noise = bo_noise_of(run, format, document, kind);
        if (noise.n_rows)
            json_object_set_new(kinds, kind, kind_json(&noise));
    }
    return kinds;
}
