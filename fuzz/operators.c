/* The operators: those for encodings, those for entropy, and range moves, which both share. */
#include "fuzz/operators.h"

/* Longest range that one operator moves, in bytes. */
enum { MAX_RANGE = 256, NEAR = 16, TAIL = 16 };

typedef void fuzz_operator(struct bo_fuzz_buffer *b, struct bo_random *r);

/* ---- positions ------------------------------------------------------------------------------- */

static size_t below(struct bo_random *r, size_t bound)
{
    return bo_random_below(r, bound < UINT32_MAX ? (uint32_t)bound : UINT32_MAX);
}

/* An offset below b->n (which is not 0), preferably at the start or end of a structure. */
static size_t pick_off(const struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t n_near = b->n < NEAR ? b->n : NEAR;
    switch (bo_random_below(r, 4)) {
    case 0:
        return below(r, n_near);
    case 1:
        return b->n - 1 - below(r, n_near);
    case 2:
        if (b->n_marks) {
            const size_t off = b->marks[below(r, b->n_marks)].off + below(r, NEAR);
            return off < b->n ? off : b->n - 1;
        }
        break;
    }
    return below(r, b->n);
}

/* From 1 to MAX_RANGE, at most the bytes from `off` on. Short lengths are more likely. */
static size_t pick_length(const struct bo_fuzz_buffer *b, size_t off, struct bo_random *r)
{
    const size_t left = b->n - off, most = left < MAX_RANGE ? left : MAX_RANGE;
    const size_t scale = (size_t)1 << bo_random_below(r, 9);
    return 1 + below(r, scale < most ? scale : most);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/*
 * Makes room for up to `want` bytes at off <= b->n. Returns the number of bytes that the capacity
 * allowed.
 */
static size_t open_gap(struct bo_fuzz_buffer *b, size_t off, size_t want)
{
    const size_t room = b->cap - b->n, nbytes = want < room ? want : room;
    memmove(b->p + off + nbytes, b->p + off, b->n - off);
    b->n += nbytes;
    return nbytes;
}

static void remove_range(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t off = pick_off(b, r), nbytes = pick_length(b, off, r);
    memmove(b->p + off, b->p + off + nbytes, b->n - off - nbytes);
    b->n -= nbytes;
}

static void duplicate_range(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t off = pick_off(b, r), nbytes = pick_length(b, off, r);
    const size_t made = open_gap(b, off + nbytes, nbytes);
    memcpy(b->p + off + nbytes, b->p + off, made);
}

static void overwrite_range(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t from = pick_off(b, r), to = pick_off(b, r);
    const size_t nbytes = pick_length(b, from > to ? from : to, r);
    memmove(b->p + to, b->p + from, nbytes);
}

static void swap_ranges(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t x = pick_off(b, r), y = pick_off(b, r);
    const size_t nbytes = pick_length(b, x > y ? x : y, r);
    for (size_t i = 0; i < nbytes; i++) {
        const uint8_t byte = b->p[x + i];
        b->p[x + i] = b->p[y + i];
        b->p[y + i] = byte;
    }
}

static void zero_range(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t off = pick_off(b, r);
    memset(b->p + off, 0, pick_length(b, off, r));
}

static void insert_random(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t off = pick_off(b, r), made = open_gap(b, off, 1 + bo_random_below(r, 16));
    for (size_t i = 0; i < made; i++)
        b->p[off + i] = bo_random_u8(r);
}

static void append(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t off = b->n, made = open_gap(b, off, 1 + bo_random_below(r, 16));
    memset(b->p + off, bo_random_one_in(r, 2) ? bo_random_u8(r) : 0, made);
}

static void truncate_tail(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    b->n = pick_off(b, r);
}

void bo_fuzz_splice(struct bo_fuzz_buffer *b, struct bo_span from, size_t max_nbytes,
                    struct bo_random *r)
{
    if (from.n == 0)
        return;
    const size_t from_off = below(r, from.n), left = from.n - from_off;
    const size_t want = 1 + below(r, left < max_nbytes ? left : max_nbytes);
    const size_t off = below(r, b->n + 1), made = open_gap(b, off, want);
    memcpy(b->p + off, from.p + from_off, made);
}

/* ---- integers -------------------------------------------------------------------------------- */

/* An integer of 1, 2, 4 or 8 bytes, in either byte order, inside the buffer. */
struct place {
    uint8_t *p;
    unsigned width; /* bytes */
    bool big_endian;
};

/* If the buffer is too short, `width` is smaller than drawn. */
static struct place pick_place(const struct bo_fuzz_buffer *b, struct bo_random *r)
{
    size_t off = pick_off(b, r);
    unsigned width = 1u << bo_random_below(r, 4);
    while (width > b->n)
        width /= 2;
    if (bo_random_one_in(r, 2))
        off -= off % width;
    if (off > b->n - width)
        off = b->n - width;
    return (struct place){b->p + off, width, bo_random_one_in(r, 8)};
}

static unsigned byte_index(struct place at, unsigned i)
{
    return at.big_endian ? at.width - 1 - i : i;
}

static uint64_t load(struct place at)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < at.width; i++)
        v |= (uint64_t)at.p[byte_index(at, i)] << (8 * i);
    return v;
}

static void store(struct place at, uint64_t v)
{
    for (unsigned i = 0; i < at.width; i++)
        at.p[byte_index(at, i)] = (uint8_t)(v >> (8 * i));
}

static void flip_bit(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    b->p[pick_off(b, r)] ^= (uint8_t)(1u << bo_random_below(r, 8));
}

/* Writes a power of two, or one more or less: a limit of types, loops or buffers. */
static void set_to_boundary(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const struct place at = pick_place(b, r);
    const unsigned shift = 1 + bo_random_below(r, 64);
    const uint64_t around = shift == 64 ? 0 : (uint64_t)1 << shift;
    store(at, around + bo_random_below(r, 3) - 1);
}

static void nudge(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const struct place at = pick_place(b, r);
    const uint64_t by = 1 + bo_random_below(r, 4);
    store(at, bo_random_one_in(r, 2) ? load(at) - by : load(at) + by);
}

/*
 * Writes an offset or length in this buffer, or one more or less: the integer's own offset (a
 * cycle), the end, the length from here to the end, or any offset.
 */
static void set_to_place(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const struct place at = pick_place(b, r);
    const uint64_t here = (uint64_t)(at.p - b->p), end = b->n;
    const uint64_t places[] = {here, end, end - here, pick_off(b, r)};
    store(at, places[bo_random_below(r, 4)] + bo_random_below(r, 3) - 1);
}

/* ---- varints --------------------------------------------------------------------------------- */

/*
 * Writes groups of all ones: the largest varint of its type, or one above it. Half of the time it
 * takes the place of one byte, so that a small number becomes large and the rest stays as it was.
 */
static void set_to_long_varint(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t off = pick_off(b, r), n = 1 + bo_random_below(r, 11);
    if (bo_random_below(r, 2))
        open_gap(b, off + 1, n - 1);
    const size_t left = b->n - off, end = n < left ? n : left;
    memset(b->p + off, 0xff, end);
    b->p[off + end - 1] = (uint8_t)((1u << bo_random_below(r, 8)) - 1);
}

/* Encodes the same value with one group more than necessary. */
static void make_varint_overlong(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    size_t off = pick_off(b, r);
    while (off + 1 < b->n && b->p[off] >= 0x80)
        off++;
    if (open_gap(b, off + 1, 1)) {
        b->p[off] |= 0x80;
        b->p[off + 1] = 0;
    }
}

static void toggle_continuation(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    b->p[pick_off(b, r)] ^= 0x80;
}

/* ---- entropy of a generator ------------------------------------------------------------------ */

static void set_small(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    b->p[pick_off(b, r)] = (uint8_t)bo_random_below(r, 9);
}

static void set_random(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    b->p[pick_off(b, r)] = bo_random_u8(r);
}

static void nudge_byte(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    b->p[pick_off(b, r)] += (uint8_t)(bo_random_below(r, 9) - 4);
}

/* Changes the parameters, which are in the tail, for the same model. */
static void redraw_tail(struct bo_fuzz_buffer *b, struct bo_random *r)
{
    const size_t most = b->n < TAIL ? b->n : TAIL, nbytes = 1 + below(r, most);
    for (size_t i = 0; i < nbytes; i++)
        b->p[b->n - 1 - i] = bo_random_u8(r);
}

/* ---- the two tables -------------------------------------------------------------------------- */

static fuzz_operator *const encoding_operators[] = {
    truncate_tail,   flip_bit,    set_to_boundary,     nudge,
    set_to_place,    swap_ranges, remove_range,        duplicate_range,
    overwrite_range, zero_range,  set_to_long_varint,  make_varint_overlong,
    insert_random,   append,      toggle_continuation,
};

static fuzz_operator *const entropy_operators[] = {
    nudge_byte,      set_small,  set_random, flip_bit,    remove_range,  duplicate_range,
    overwrite_range, zero_range, append,     redraw_tail, insert_random,
};

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

void bo_fuzz_apply_operator(enum bo_fuzz_input input, struct bo_fuzz_buffer *b, struct bo_random *r)
{
    if (b->n == 0)
        append(b, r);
    else if (input == BO_FUZZ_ENCODING)
        encoding_operators[bo_random_below(r, COUNT(encoding_operators))](b, r);
    else
        entropy_operators[bo_random_below(r, COUNT(entropy_operators))](b, r);
}
