/* Layouts as a random effect. */
#include "bench/stats/layouts.h"

#include <math.h>
#include <stdlib.h>

#include "bench/stats/stats.h"
#include "bench/stats/student.h"

static unsigned layout_of(const struct bo_repetitions *repetitions, size_t i)
{
    return repetitions->layouts ? repetitions->layouts[i] : 0;
}

/* Selects the values of a layout in the order of their measurement. Returns their number. */
static size_t select_layout(const struct bo_repetitions *repetitions, unsigned layout,
                            double *values_ret)
{
    size_t n = 0;
    for (size_t i = 0; i < repetitions->n; i++)
        if (layout_of(repetitions, i) == layout)
            values_ret[n++] = repetitions->log_times[i];
    return n;
}

static double sum_of_squares(const double *values, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    return squares;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* The variance of a median of n values, relative to that of one value. */
static double median_factor(size_t n)
{
    return (n < 3 ? 1 : acos(-1) / 2) / (double)n;
}

static double variance_of_medians(const struct bo_layout_effect *effect)
{
    return sum_of_squares(effect->medians, effect->n_layouts) / (effect->n_layouts - 1);
}

struct bo_layout_effect bo_layout_effect(const struct bo_repetitions *repetitions,
                                         double confidence)
{
    struct bo_layout_effect effect = {.interval = {NAN, NAN, 0}, .between = NAN, .within = NAN};
    double *values = bo_or_abort(malloc((repetitions->n + 1) * sizeof *values));
    double squares = 0, factors = 0;
    size_t df = 0;
    for (unsigned l = 0; l < BO_MAX_LAYOUTS; l++) {
        const size_t n = select_layout(repetitions, l, values);
        if (n == 0)
            continue;
        squares += sum_of_squares(values, n);
        df += n - 1;
        factors += median_factor(n);
        effect.medians[effect.n_layouts++] = bo_median(values, n);
    }
    free(values);
    const unsigned k = effect.n_layouts;
    effect.mean = mean_of(effect.medians, k);
    effect.within = df ? sqrt(squares / (double)df) : NAN;
    if (k < 2)
        return effect;
    const double variance = variance_of_medians(&effect);
    const double half = bo_student_quantile(confidence, k - 1) * sqrt(variance / k);
    effect.interval = (struct bo_interval){effect.mean - half, effect.mean + half, confidence};
    if (df)
        effect.between = sqrt(fmax(0, variance - factors / k * effect.within * effect.within));
    return effect;
}

double bo_layouts_differ(const struct bo_layout_effect *a, const struct bo_layout_effect *b,
                         double confidence, double *shift_ret, struct bo_interval *interval_ret)
{
    *shift_ret = b->mean - a->mean;
    *interval_ret = (struct bo_interval){NAN, NAN, 0};
    if (a->n_layouts < 2 || b->n_layouts < 2)
        return 1;
    const double x = variance_of_medians(a) / a->n_layouts;
    const double y = variance_of_medians(b) / b->n_layouts;
    if (x + y == 0)
        return *shift_ret == 0;
    const double df = (x + y) * (x + y) / (x * x / (a->n_layouts - 1) + y * y / (b->n_layouts - 1));
    const double half = bo_student_quantile(confidence, df) * sqrt(x + y);
    *interval_ret = (struct bo_interval){*shift_ret - half, *shift_ret + half, confidence};
    return bo_student_two_sided(*shift_ret / sqrt(x + y), df);
}

/* ---- one codec measured as two --------------------------------------------------------------- */

static void add_difference(struct bo_differences *differences, double difference)
{
    bo_abort_unless(
        bo_grow(differences->arena, &differences->items, differences->n, 1, &differences->cap));
    differences->items[differences->n++] = fabs(difference);
}

void bo_differ_within(const struct bo_repetitions *repetitions, struct bo_differences *differences)
{
    const size_t room = repetitions->n + 1;
    double *values = bo_or_abort(malloc(3 * room * sizeof *values));
    for (unsigned l = 0; l < BO_MAX_LAYOUTS; l++) {
        double *const halves[] = {values + room, values + 2 * room};
        const size_t n = select_layout(repetitions, l, values);
        for (size_t i = 0; i < n; i++)
            halves[i % 2][i / 2] = values[i];
        if (n >= 2)
            add_difference(differences,
                           bo_median(halves[0], (n + 1) / 2) - bo_median(halves[1], n / 2));
    }
    free(values);
}

/* The mean of the medians of those layouts whose bits are set. */
static double mean_of_group(const struct bo_layout_effect *effect, unsigned group)
{
    double values[BO_MAX_LAYOUTS];
    size_t n = 0;
    for (unsigned l = 0; l < effect->n_layouts; l++)
        if (group >> l & 1)
            values[n++] = effect->medians[l];
    return mean_of(values, n);
}

void bo_differ_between(const struct bo_repetitions *repetitions, struct bo_differences *differences)
{
    const struct bo_layout_effect effect = bo_layout_effect(repetitions, 0.95);
    const unsigned all = (1u << effect.n_layouts) - 1;
    const int half = (int)effect.n_layouts / 2;
    for (unsigned a = 1; a <= all && half; a++) {
        const unsigned others = __builtin_popcount(a) == half ? all & ~a : 0;
        for (unsigned b = others; b > a; b = (b - 1) & others)
            if (__builtin_popcount(b) == half)
                add_difference(differences, mean_of_group(&effect, a) - mean_of_group(&effect, b));
    }
}
