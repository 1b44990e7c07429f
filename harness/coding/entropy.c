/* Entropy of sequences of numbers and of bytes. */
#include "harness/coding/entropy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sequence of this name, with room for n more values. NULL when the arena refuses. */
static struct bo_sequence *sequence_of(struct bo_sequences *s, const char *name, bool is_text,
                                       size_t n)
{
    unsigned i = 0;
    while (i < s->n && s->items[i].name != name && strcmp(s->items[i].name, name) != 0)
        i++;
    if (i == s->n && s->n < BO_MAX_SEQUENCES)
        s->items[s->n++] = (struct bo_sequence){.name = name, .is_text = is_text};
    if (i == BO_MAX_SEQUENCES) {
        s->refused = true;
        return NULL;
    }
    struct bo_sequence *sequence = &s->items[i];
    s->refused = s->refused ||
                 !(is_text ? bo_grow(s->arena, &sequence->bytes, sequence->n, n, &sequence->cap)
                           : bo_grow(s->arena, &sequence->numbers, sequence->n, n, &sequence->cap));
    return s->refused ? NULL : sequence;
}

void bo_add_number(struct bo_sequences *sequences, const char *name, uint64_t v)
{
    struct bo_sequence *sequence = sequence_of(sequences, name, false, 1);
    if (sequence)
        sequence->numbers[sequence->n++] = v;
}

void bo_add_text(struct bo_sequences *sequences, const char *name, struct bo_span text)
{
    struct bo_sequence *sequence = sequence_of(sequences, name, true, text.n);
    if (!sequence || !text.n)
        return;
    memcpy(sequence->bytes + sequence->n, text.p, text.n);
    sequence->n += text.n;
}

/* ---- entropy --------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Total bits of a symbol that occurs `count` times among n. */
static double symbol_nbits(uint64_t count, uint64_t n)
{
    return count ? (double)count * log2((double)n / (double)count) : 0;
}

double bo_order0_nbits(struct bo_sequence *sequence, uint64_t *n_distinct_ret)
{
    const size_t n = sequence->n;
    uint64_t counts[256] = {0};
    double nbits = 0;
    *n_distinct_ret = 0;
    if (sequence->is_text) {
        for (size_t i = 0; i < n; i++)
            counts[sequence->bytes[i]]++;
        for (unsigned byte = 0; byte < 256; byte++) {
            nbits += symbol_nbits(counts[byte], n);
            *n_distinct_ret += counts[byte] > 0;
        }
        return nbits;
    }
    if (n)
        qsort(sequence->numbers, n, sizeof *sequence->numbers, compare_numbers);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && sequence->numbers[j] == sequence->numbers[i]; j++)
            ;
        nbits += symbol_nbits(j - i, n);
        ++*n_distinct_ret;
    }
    return nbits;
}

struct step {
    uint64_t before, v;
};

static int compare_steps(const void *a, const void *b)
{
    const struct step *x = a, *y = b;
    const int order = (x->before > y->before) - (x->before < y->before);
    return order ? order : (x->v > y->v) - (x->v < y->v);
}

/* Bits of n steps: for each preceding value, the cost of its successors by their frequencies. */
static double steps_nbits(struct step *steps, size_t n)
{
    double nbits = 0;
    qsort(steps, n, sizeof *steps, compare_steps);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && steps[end].before == steps[i].before;)
            end++;
        for (size_t j = i, k; j < end; j = k) {
            for (k = j + 1; k < end && steps[k].v == steps[j].v; k++)
                ;
            nbits += symbol_nbits(k - j, end - i);
        }
    }
    return nbits;
}

double bo_order1_nbits(const struct bo_sequence *sequence, struct bo_arena *arena)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    if (sequence->n < 2)
        return 0;
    struct step *steps = bo_alloc_array(arena, sequence->n - 1, sizeof *steps);
    if (!steps)
        return -1;
    for (size_t i = 1; i < sequence->n; i++)
        steps[i - 1] = sequence->is_text
                           ? (struct step){sequence->bytes[i - 1], sequence->bytes[i]}
                           : (struct step){sequence->numbers[i - 1], sequence->numbers[i]};
    const double nbits = steps_nbits(steps, sequence->n - 1);
    bo_arena_rewind(arena, mark);
    return nbits;
}
