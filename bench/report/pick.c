/* Weighing codecs. */
#include "bench/report/pick.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/comparison.h"
#include "bench/report/grid.h"
#include "bench/report/paths.h"
#include "bench/report/uses.h"
#include "bench/runs/noise.h"
#include "harness/core/print.h"

/* ---- ratios ---------------------------------------------------------------------------------- */

static struct bo_mean_ratio value_of(const struct bo_run_document *document, const char *codec,
                                     const struct bo_wish *wish)
{
    return bo_figure_range(document, codec, &wish->figure, false);
}

/* True when a wish includes the time of opening. */
static bool opening_counts(const struct bo_pick *pick)
{
    for (unsigned w = 0; w < pick->n_wishes; w++) {
        const char *label = pick->wishes[w].figure.label;
        if (label && (strncmp(label, "open", strlen("open")) == 0 ||
                      bo_is_fresh_label(pick->documents[0], label)))
            return true;
    }
    return false;
}

/* The reason why a codec cannot be a pick; NULL when it can. */
static const char *flaw_of(const struct bo_pick *pick, const struct bo_run_codec *codec)
{
    if (bo_is_path(pick->documents[0], codec))
        return "a code path of the codec whose bytes it reads";
    if (codec->probabilistic)
        return "may answer wrongly for absent keys";
    if (codec->leaves_out)
        return "does not store everything";
    if (bo_is_library_control(codec))
        return "a control that uses a library";
    if (opening_counts(pick))
        return NULL;
    for (unsigned w = 0; w < pick->n_wishes; w++)
        if (bo_is_unpacked(pick->documents[0], codec, pick->wishes[w].figure.label))
            return "unpacks everything in open, which does not count here";
    return NULL;
}

/* Fills ratios and intervals; left_out names the missing measure. */
static void take_ratios(const struct bo_pick *pick, struct bo_picked_codec *c,
                        struct bo_arena *arena)
{
    const char *baseline = pick->documents[0]->baseline->name;
    for (unsigned w = 0; w < pick->n_wishes && !c->left_out; w++) {
        double sum = 0, sum_low = 0, sum_high = 0;
        for (unsigned d = 0; d < pick->n_documents && !c->left_out; d++) {
            const struct bo_run_document *document = pick->documents[d];
            const struct bo_mean_ratio v = value_of(document, c->codec->name, &pick->wishes[w]);
            const double of = value_of(document, baseline, &pick->wishes[w]).ratio;
            if (isnan(v.ratio)) {
                c->left_out = bo_arena_printf(arena, "has no %s on %s",
                                              pick->wishes[w].figure.heading, document->name);
                continue;
            }
            sum += log(v.ratio / of);
            sum_low += log(v.low / of);
            sum_high += log(v.high / of);
        }
        c->ratios[w] = exp(sum / pick->n_documents);
        c->lows[w] = exp(sum_low / pick->n_documents);
        c->highs[w] = exp(sum_high / pick->n_documents);
    }
}

/* A limit applies to every document, not to the mean. */
static void check_limits(const struct bo_pick *pick, struct bo_picked_codec *c,
                         struct bo_arena *arena)
{
    const char *baseline = pick->documents[0]->baseline->name;
    for (unsigned w = 0; w < pick->n_wishes; w++) {
        const struct bo_wish *wish = &pick->wishes[w];
        for (unsigned d = 0; d < pick->n_documents && !c->left_out; d++) {
            const struct bo_run_document *document = pick->documents[d];
            const double v = value_of(document, c->codec->name, wish).ratio;
            const double limit = wish->limit_kind == BO_LIMIT_OF_BASELINE
                                     ? wish->limit * value_of(document, baseline, wish).ratio
                                     : wish->limit;
            if (wish->limit_kind != BO_NO_LIMIT && v > limit)
                c->left_out = bo_arena_printf(
                    arena, "%s above the limit on %s: %s over %s", wish->figure.heading,
                    document->name, bo_significant(arena, v), bo_significant(arena, limit));
        }
    }
}

/* ---- scores ---------------------------------------------------------------------------------- */

static double score_of(const struct bo_pick *pick, const double *ratios)
{
    double sum = 0, weights = 0;
    for (unsigned w = 0; w < pick->n_wishes; w++) {
        if (pick->wishes[w].weight <= 0)
            continue; /* its ratio may be NaN */
        sum += pick->wishes[w].weight * log(ratios[w]);
        weights += pick->wishes[w].weight;
    }
    return exp(sum / weights);
}

static bool beats(const struct bo_pick *pick, const struct bo_picked_codec *a,
                  const struct bo_picked_codec *b)
{
    bool better = false;
    for (unsigned w = 0; w < pick->n_wishes; w++) {
        if (pick->wishes[w].weight <= 0)
            continue;
        if (a->ratios[w] > b->ratios[w])
            return false;
        better = better || a->ratios[w] < b->ratios[w];
    }
    return better;
}

/* Weighed codecs first, by score; codecs with equal scores stay in the format's order. */
static int by_score(const void *a, const void *b)
{
    const struct bo_picked_codec *x = a, *y = b;
    if (isnan(x->score) != isnan(y->score))
        return isnan(x->score) ? 1 : -1;
    if (x->score != y->score && !isnan(x->score))
        return x->score < y->score ? -1 : 1;
    return (x->codec > y->codec) - (x->codec < y->codec);
}

/*
 * Scores are linear in the weights, on a logarithmic scale. When a weight w changes by d, the
 * winner ties with another codec at d (log ratio of the winner - log ratio of the other) =
 * difference of the scores. A weight below NO_WEIGHT is 0 plus a rounding error.
 */
#define NO_WEIGHT 1e-9

static struct bo_weight_range range_of(const struct bo_pick *pick, unsigned w)
{
    const struct bo_picked_codec *winner = &pick->codecs[0];
    const double weight = pick->wishes[w].weight;
    struct bo_weight_range range = {.low = 0, .high = INFINITY};
    double weights = 0;
    for (unsigned i = 0; i < pick->n_wishes; i++)
        weights += pick->wishes[i].weight;
    for (unsigned i = 1; i < pick->n_weighed; i++) {
        const struct bo_picked_codec *other = &pick->codecs[i];
        if (bo_same_encoding(other->codec, winner->codec))
            continue;
        const double ahead = weights * log(other->score / winner->score);
        const double slope = log(winner->ratios[w] / other->ratios[w]);
        const double at = slope != 0 ? weight + ahead / slope : NAN;
        if (slope > 0 && at < range.high) {
            range.high = at;
            range.above = other;
        } else if (slope < 0 && at > fmax(range.low, NO_WEIGHT)) {
            range.low = at;
            range.below = other;
        }
    }
    return range;
}

const char *const bo_clarity_names[] = {"yes", "no", "no rival", "no 95% interval"};

static enum bo_clarity clarity_of(const struct bo_pick *pick)
{
    if (!pick->runner_up)
        return BO_NO_RIVAL;
    const double high = score_of(pick, pick->codecs[0].highs);
    const double low = score_of(pick, pick->runner_up->lows);
    double noisy[BO_MAX_WISHES];
    for (unsigned w = 0; w < pick->n_wishes; w++)
        noisy[w] = pick->codecs[0].ratios[w] * fmax(pick->wishes[w].noise, 1);
    if (score_of(pick, noisy) >= pick->runner_up->score)
        return BO_NOT_CLEAR;
    return isnan(high) || isnan(low) ? BO_NO_INTERVAL : high < low ? BO_IS_CLEAR : BO_NOT_CLEAR;
}

bool bo_pick_codec(const struct bo_run_document *const *documents, unsigned n_documents,
                   const struct bo_wish *wishes, unsigned n_wishes, struct bo_arena *arena,
                   struct bo_pick *pick_ret, const char **why_ret)
{
    const struct bo_run_document *document = documents[0];
    struct bo_pick pick = {
        .wishes = wishes, .n_wishes = n_wishes, .documents = documents, .n_documents = n_documents};
    if (!document->baseline) {
        *why_ret = bo_arena_printf(arena, "%s has no codecs", document->name);
        return false;
    }
    for (unsigned w = 0; w < n_wishes; w++)
        for (unsigned d = 0; d < n_documents; d++)
            if (isnan(value_of(documents[d], document->baseline->name, &wishes[w]).ratio)) {
                *why_ret = bo_arena_printf(arena, "%s has no %s on %s", document->baseline->name,
                                           wishes[w].figure.heading, documents[d]->name);
                return false;
            }
    pick.codecs = bo_array_or_abort(arena, document->n_codecs + 1u, sizeof *pick.codecs);
    for (unsigned i = 0; i < document->n_codecs; i++) {
        struct bo_picked_codec *c = &pick.codecs[pick.n_codecs];
        if (document->codecs[i].is_noop)
            continue;
        const char *flaw = flaw_of(&pick, &document->codecs[i]);
        *c = (struct bo_picked_codec){.codec = &document->codecs[i], .score = NAN};
        c->left_out = flaw ? bo_arena_printf(arena, "%s", flaw) : NULL;
        take_ratios(&pick, c, arena);
        check_limits(&pick, c, arena);
        if (!c->left_out) {
            c->score = score_of(&pick, c->ratios);
            pick.n_weighed++;
        }
        pick.n_codecs++;
    }
    qsort(pick.codecs, pick.n_codecs, sizeof *pick.codecs, by_score);
    for (unsigned i = 0; i < pick.n_weighed; i++) {
        pick.codecs[i].on_front = true;
        for (unsigned j = 0; j < pick.n_weighed; j++)
            pick.codecs[i].on_front &= !beats(&pick, &pick.codecs[j], &pick.codecs[i]);
    }
    for (unsigned i = pick.n_weighed; i-- > 1;)
        if (!bo_same_encoding(pick.codecs[i].codec, pick.codecs[0].codec))
            pick.runner_up = &pick.codecs[i];
    for (unsigned w = 0; w < n_wishes && pick.n_weighed; w++)
        pick.ranges[w] = range_of(&pick, w);
    pick.clarity = clarity_of(&pick);
    *pick_ret = pick;
    return true;
}

void bo_wishes_set_noise(const struct bo_run *run, const char *format, struct bo_wish *wishes,
                         unsigned n)
{
    for (unsigned w = 0; w < n; w++)
        if (wishes[w].figure.kind == BO_TIME && wishes[w].figure.label)
            wishes[w].noise = bo_noise_of(run, format, NULL, wishes[w].figure.label).limit;
}

unsigned bo_wishes_of_use(const struct bo_uses *uses, const char *use, struct bo_wish *wishes_ret)
{
    unsigned n = 0;
    for (const struct bo_use *u = uses->uses; u->use && n < BO_MAX_WISHES; u++)
        if (strcmp(u->use, use) == 0 && (u->picks || u->limit > 0))
            wishes_ret[n++] = (struct bo_wish){.name = u->figure.heading,
                                               .figure = u->figure,
                                               .weight = u->picks ? 1 : 0,
                                               .limit_kind = u->limit <= 0    ? BO_NO_LIMIT
                                                             : u->of_baseline ? BO_LIMIT_OF_BASELINE
                                                                              : BO_LIMIT,
                                               .limit = u->limit};
    return n;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void print_codecs(const struct bo_pick *pick, unsigned width, struct bo_arena *arena,
                         FILE *out)
{
    struct bo_grid grid;
    bo_grid_init(&grid, arena, 2);
    bo_grid_texts(&grid, "codec", "role", NULL); /* also if no codec meets the limits */
    for (unsigned w = 0; w < pick->n_wishes; w++)
        bo_grid_add(&grid, "%s", pick->wishes[w].figure.heading);
    bo_grid_texts(&grid, "score", "front", NULL);
    bo_grid_end_row(&grid);
    for (unsigned i = 0; i < pick->n_weighed; i++) {
        const struct bo_picked_codec *c = &pick->codecs[i];
        bo_grid_texts(&grid, c->codec->name, c->codec->role, NULL);
        for (unsigned w = 0; w < pick->n_wishes; w++)
            bo_grid_add(&grid, "%s", bo_significant(arena, c->ratios[w]));
        bo_grid_texts(&grid, bo_significant(arena, c->score), c->on_front ? "yes" : "", NULL);
        bo_grid_end_row(&grid);
    }
    bo_grid_text(&grid, width, out);
}

/* True when all weighed figures are sizes of encodings, which do not vary. */
static bool is_exact(const struct bo_pick *pick)
{
    bool exact = true;
    for (unsigned w = 0; w < pick->n_wishes; w++) {
        const enum bo_figure_kind kind = pick->wishes[w].figure.kind;
        exact = exact && (!(pick->wishes[w].weight > 0) || kind == BO_SIZE_PER_UNIT ||
                          kind == BO_OUTER_PER_UNIT || kind == BO_FIRST_PART_PER_UNIT);
    }
    return exact;
}

static void print_answer(const struct bo_pick *pick, unsigned width, struct bo_arena *arena,
                         FILE *out)
{
    static const char *const certainty[] = {
        [BO_IS_CLEAR] = "more than the 95% intervals of the medians and the A/A interval can "
                        "explain: the pick is clear",
        [BO_NOT_CLEAR] = "which the 95% intervals of the medians or the A/A interval can explain: "
                         "the pick is not clear",
        [BO_NO_INTERVAL] = "but a median of fewer than 6 repetitions has no 95% interval: whether "
                           "the pick is clear is unknown",
    };
    const struct bo_picked_codec *c = pick->codecs;
    const char *text = "No codec meets the limits.", *why = certainty[pick->clarity];
    if (is_exact(pick))
        why = pick->clarity == BO_IS_CLEAR ? "by exact figures: the pick is clear"
                                           : "by exact figures: the pick is not clear";
    if (pick->n_weighed && !pick->runner_up)
        text = bo_arena_printf(arena, "The pick: %s. No codec of another encoding was compared.",
                               c->codec->name);
    else if (pick->n_weighed)
        text = bo_arena_printf(
            arena, "The pick: %s. The runner-up of another encoding, %s, scores %.1f%% higher, %s.",
            c->codec->name, pick->runner_up->codec->name,
            100 * (pick->runner_up->score / c->score - 1), why);
    putc('\n', out);
    bo_print_wrapped(out, text, width, "");
}

/* The effect of changing each weight alone, one sentence each; none for the only weight. */
static void print_ranges(const struct bo_pick *pick, unsigned width, struct bo_arena *arena,
                         FILE *out)
{
    unsigned n_weights = 0;
    for (unsigned w = 0; w < pick->n_wishes; w++)
        n_weights += pick->wishes[w].weight > 0;
    if (n_weights < 2)
        return;
    for (unsigned w = 0; w < pick->n_wishes && pick->n_weighed; w++) {
        const struct bo_weight_range *range = &pick->ranges[w];
        const struct bo_picked_codec *below = range->below, *above = range->above;
        if (pick->wishes[w].weight <= 0)
            continue;
        const char *text = bo_arena_printf(
            arena,
            "The weight of %s is %g. The pick is the same for any weight above %s%s%s%s%s%s%s.",
            pick->wishes[w].figure.heading, pick->wishes[w].weight,
            below ? bo_significant(arena, range->low) : "0", above ? " and below " : "",
            above ? bo_significant(arena, range->high) : "", below ? "; below that it is " : "",
            below ? below->codec->name : "",
            !above  ? ""
            : below ? ", above that "
                    : "; above that it is ",
            above ? above->codec->name : "");
        bo_print_wrapped(out, text, width, "  ");
    }
}

static void add_evidence(const struct bo_pick *pick, const struct bo_run_document *document,
                         const char *codec, struct bo_grid *grid)
{
    bo_grid_column(grid, "document", document->name);
    bo_grid_column(grid, "codec", codec);
    for (unsigned w = 0; w < pick->n_wishes; w++) {
        const struct bo_mean_ratio v = value_of(document, codec, &pick->wishes[w]);
        char *text = bo_significant(grid->arena, v.ratio);
        if (v.low < v.high)
            text = bo_arena_printf(grid->arena, "%s [%s, %s]", text,
                                   bo_significant(grid->arena, v.low),
                                   bo_significant(grid->arena, v.high));
        bo_grid_column(grid, pick->wishes[w].figure.heading, text);
    }
    bo_grid_end_row(grid);
}

/* The figures themselves, of the baseline, the pick and the runner-up. */
static void print_evidence(const struct bo_pick *pick, unsigned width, struct bo_arena *arena,
                           FILE *out)
{
    const char *names[3] = {pick->documents[0]->baseline->name};
    unsigned n = 1;
    if (pick->n_weighed && strcmp(pick->codecs[0].codec->name, names[0]) != 0)
        names[n++] = pick->codecs[0].codec->name;
    if (pick->runner_up && strcmp(pick->runner_up->codec->name, names[0]) != 0)
        names[n++] = pick->runner_up->codec->name;
    struct bo_grid grid;
    bo_grid_init(&grid, arena, 2);
    for (unsigned d = 0; d < pick->n_documents; d++)
        for (unsigned i = 0; i < n; i++)
            add_evidence(pick, pick->documents[d], names[i], &grid);
    bo_grid_text(&grid, width, out);
}

void bo_pick_print(const struct bo_pick *pick, unsigned width, struct bo_arena *arena, FILE *out)
{
    fprintf(out, "%s, %u document%s; ratios to %s, geometric means; less is better\n\n",
            pick->documents[0]->format, pick->n_documents, pick->n_documents == 1 ? "" : "s",
            bo_named_with_role(arena, pick->documents[0]->baseline));
    print_codecs(pick, width, arena, out);
    print_answer(pick, width, arena, out);
    print_ranges(pick, width, arena, out);
    if (pick->n_codecs > pick->n_weighed)
        fprintf(out, "\nNot compared:\n");
    for (unsigned i = pick->n_weighed; i < pick->n_codecs; i++)
        fprintf(out, "  %s: %s\n", pick->codecs[i].codec->name, pick->codecs[i].left_out);
    fprintf(out, "\nThe figures:\n\n");
    print_evidence(pick, width, arena, out);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static json_t *codec_json(const struct bo_pick *pick, const struct bo_picked_codec *c)
{
    json_t *object = json_pack("{s:s, s:s}", "codec", c->codec->name, "role", c->codec->role);
    if (c->left_out) {
        json_object_set_new(object, "left_out", json_string(c->left_out));
        return object;
    }
    json_t *ratios = json_object();
    for (unsigned w = 0; w < pick->n_wishes; w++)
        json_object_set_new(ratios, pick->wishes[w].name, json_real(c->ratios[w]));
    json_object_update_new(object, json_pack("{s:o, s:f, s:b}", "ratios", ratios, "score", c->score,
                                             "on_front", (int)c->on_front));
    return object;
}

json_t *bo_pick_json(const struct bo_pick *pick)
{
    json_t *codecs = json_array(), *documents = json_array(), *ranges = json_object();
    for (unsigned i = 0; i < pick->n_codecs; i++)
        json_array_append_new(codecs, codec_json(pick, &pick->codecs[i]));
    for (unsigned d = 0; d < pick->n_documents; d++)
        json_array_append_new(documents, json_string(pick->documents[d]->name));
    for (unsigned w = 0; w < pick->n_wishes && pick->n_weighed; w++)
        if (pick->wishes[w].weight > 0)
            json_object_set_new(ranges, pick->wishes[w].name,
                                json_pack("{s:f, s:o, s:o}", "weight", pick->wishes[w].weight,
                                          "low", bo_number_json(pick->ranges[w].low), "high",
                                          bo_number_json(pick->ranges[w].high)));
    return json_pack("{s:s, s:o, s:s, s:s?, s:s?, s:b, s:s, s:o, s:o}", "format",
                     pick->documents[0]->format, "documents", documents, "baseline",
                     pick->documents[0]->baseline->name, "pick",
                     pick->n_weighed ? pick->codecs[0].codec->name : NULL, "runner_up",
                     pick->runner_up ? pick->runner_up->codec->name : NULL, "is_clear",
                     pick->clarity == BO_IS_CLEAR, "clear", bo_clarity_names[pick->clarity],
                     "weights", ranges, "codecs", codecs);
}
