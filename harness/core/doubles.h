/* Doubles as text: the shortest decimal that reads back the same bits. */
#ifndef BO_DOUBLES_H
#define BO_DOUBLES_H

#include "harness/core/bytes.h"

/* Room for any double's text, with its NUL. */
enum { BO_DOUBLE_NBYTES = 32 };

static inline double bo_double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline uint64_t bo_double_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline bool bo_double_is_finite(uint64_t bits)
{
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

/*
 * The text of a finite double, given by its bits: the fewest digits that give these bits back, in
 * the layout of printf's %g ("1", "-0", "0.1", "1e+22", "5e-324"). Returns its length.
 */
size_t bo_double_text(uint64_t bits, char text[BO_DOUBLE_NBYTES]);

/*
 * The bits of the double nearest to a decimal. A decimal has an optional minus, digits with an
 * optional point, and an optional exponent. False for other texts, and for values beyond the
 * largest double.
 */
bool bo_parse_double(struct bo_span word, uint64_t *bits_ret);

#endif
