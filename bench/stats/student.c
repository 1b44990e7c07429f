/* Student's t distribution, by the incomplete beta function. */
#include "bench/stats/student.h"

#include <math.h>

/*
 * The continued fraction of the incomplete beta function I_x(a, b) (Abramowitz and Stegun 26.5.8),
 * evaluated by Lentz's method. It converges fast for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (int m = 1; m < 1000; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        const double steps[] = {even, odd};
        double change = 1;
        for (int i = 0; i < 2; i++) {
            d = 1 + steps[i] * d;
            c = 1 + steps[i] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = c * d;
            f *= change;
        }
        if (fabs(change - 1) < 1e-14)
            break;
    }
    return f;
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1)
        return x >= 1;
    const double log_front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
    return x < (a + 1) / (a + b + 2) ? exp(log_front) * beta_fraction(a, b, x) / a
                                     : 1 - exp(log_front) * beta_fraction(b, a, 1 - x) / b;
}

double bo_student_two_sided(double t, double df)
{
    return incomplete_beta(df / 2, 0.5, df / (df + t * t));
}

/* The density at t. */
static double student_density(double t, double df)
{
    return exp(lgamma((df + 1) / 2) - lgamma(df / 2) - (df + 1) / 2 * log1p(t * t / df)) /
           sqrt(df * acos(-1));
}

/* Newton's method. The probability is convex, so steps from 0 on never pass the quantile. */
double bo_student_quantile(double confidence, double df)
{
    double t = 0, step = 1;
    for (int i = 0; i < 200 && step > t * 1e-15 && t < 1e12; i++) {
        step = (bo_student_two_sided(t, df) - (1 - confidence)) / (2 * student_density(t, df));
        t += step;
    }
    return t;
}
