/*
 * Printing the text form of state histories:
 *
 *   # statehistory-tsv 1
 *   # quarks: 2
 *   # intervals: 3
 *   # start: 100
 *   # end: 199
 *   Q	0	-1	Threads
 *   Q	1	0	390
 *   I	1	100	149	n
 *   I	0	100	199	n
 *   I	1	150	199	s	bash
 *
 * with tabs between all fields, also before the value of a null, which is empty. text_parse.c reads
 * it. See README.md.
 */
#include "codecs/statehist/text.h"

#include "harness/core/doubles.h"

static const char letters[STATEHIST_N_TYPES] = {'n', 'i', 'l', 'd', 's', 'b'};

void statehist_put_i64(struct bo_writer *out, int64_t v)
{
    if (v < 0)
        bo_put_u8(out, '-');
    bo_put_decimal(out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* The letter after the backslash, or 0. */
static uint8_t escape_of(uint8_t c)
{
    switch (c) {
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\\':
        return '\\';
    case '\0':
        return '0';
    default:
        return 0;
    }
}

void statehist_put_text(struct bo_writer *out, struct bo_span text)
{
    size_t done = 0;
    for (size_t i = 0; i < text.n; i++) {
        const uint8_t escaped[2] = {'\\', escape_of(text.p[i])};
        if (!escaped[1])
            continue;
        bo_put_bytes(out, text.p + done, i - done);
        bo_put_bytes(out, escaped, sizeof escaped);
        done = i + 1;
    }
    if (text.n > done)
        bo_put_bytes(out, text.p + done, text.n - done);
}

#define BITS_OF_NAN UINT64_C(0x7ff8000000000000)
#define SIGN_BIT (UINT64_C(1) << 63)

static void put_double(struct bo_writer *out, uint64_t bits)
{
    char text[BO_DOUBLE_NBYTES];
    if (bo_double_is_finite(bits))
        bo_put_bytes(out, text, bo_double_text(bits, text));
    else if (bits == BITS_OF_NAN)
        bo_put_text(out, "NaN");
    else if (bits << 12)
        bo_put_text(out, "0x%016llx", (unsigned long long)bits);
    else
        bo_put_text(out, bits & SIGN_BIT ? "-Infinity" : "Infinity");
}

void statehist_put_value(struct bo_writer *out, uint32_t type, uint64_t value,
                         struct bo_span string)
{
    const uint8_t head[2] = {(uint8_t)letters[type], '\t'};
    bo_put_bytes(out, head, sizeof head);
    switch ((enum statehist_type)type) {
    case STATEHIST_INT:
    case STATEHIST_LONG:
        statehist_put_i64(out, (int64_t)value);
        break;
    case STATEHIST_DOUBLE:
        put_double(out, value);
        break;
    case STATEHIST_STRING:
        statehist_put_text(out, string);
        break;
    case STATEHIST_BOOL:
        bo_put_text(out, value ? "true" : "false");
        break;
    default:
        break;
    }
}

static void put_interval(struct bo_writer *out, const struct statehist_model *model,
                         const struct statehist_interval *at)
{
    const struct bo_span none = {NULL, 0};
    bo_put_bytes(out, "I\t", 2);
    bo_put_decimal(out, at->quark);
    bo_put_u8(out, '\t');
    statehist_put_i64(out, at->start);
    bo_put_u8(out, '\t');
    statehist_put_i64(out, at->end);
    bo_put_u8(out, '\t');
    statehist_put_value(out, at->type, at->value,
                        at->type == STATEHIST_STRING ? model->strings[at->value] : none);
    bo_put_u8(out, '\n');
}

enum bo_status statehist_print(const void *opaque, struct bo_writer *out, struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    bo_put_text(out, "# statehistory-tsv 1\n# quarks: %lu\n# intervals: %llu\n",
                (unsigned long)model->n_quarks, (unsigned long long)model->n_intervals);
    bo_put_text(out, "# start: %lld\n# end: %lld\n", (long long)model->start,
                (long long)model->end);
    for (uint32_t q = 0; q < model->n_quarks && !out->status; q++) {
        const struct statehist_attribute *attribute = &model->attributes[q];
        bo_put_bytes(out, "Q\t", 2);
        bo_put_decimal(out, q);
        bo_put_u8(out, '\t');
        statehist_put_i64(out,
                          attribute->parent == STATEHIST_ROOT ? -1 : (int64_t)attribute->parent);
        bo_put_u8(out, '\t');
        statehist_put_text(out, attribute->name);
        bo_put_u8(out, '\n');
    }
    for (size_t i = 0; i < model->n_intervals && !out->status; i++)
        put_interval(out, model, &model->intervals[model->closing[i]]);
    return bo_writer_status(out, err);
}
