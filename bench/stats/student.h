/* Student's t distribution. */
#ifndef BO_STUDENT_H
#define BO_STUDENT_H

/*
 * The probability that |T| exceeds |t|, with df > 0 degrees of freedom; they need not be integers.
 */
double bo_student_two_sided(double t, double df);

/* The t that |T| exceeds with the probability 1 - confidence (0 < confidence < 1). */
double bo_student_quantile(double confidence, double df);

#endif
