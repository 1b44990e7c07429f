/*
 * shared-trees: names as phrases of a grammar, in blocks of 16 that store each name as its
 * difference from the name before; inlined trees stored once; counts in prefix codes. Any function
 * can be read on its own, without decompressing others. README.md has the layout.
 */
#include "harness/coding/grammar.h"

#include "codecs/autofdo/shared_trees/shared_trees.h"

enum {
    PHRASES_NBYTES_OFF = 36
}; /* in a grammar: how long all phrases are (harness/coding/grammar.md) */

/* ---- writing --------------------------------------------------------------------------------- */

/* The bytes that string i shares with the one before; its last byte is never shared. */
static size_t shared_nbytes(const struct autofdo_plan *plan, size_t i)
{
    if (i % AUTOFDO_BLOCK_NAMES == 0)
        return 0;
    const struct bo_span last = plan->strings[i - 1], own = plan->strings[i];
    return bo_common_prefix(last, (struct bo_span){own.p, own.n - 1});
}

static enum bo_status put_strings(const struct autofdo_plan *plan, struct autofdo_code *codes,
                                  struct bo_writer *out, uint64_t *starts, struct bo_error *err)
{
    const size_t n = plan->n_names + plan->n_paths;
    struct bo_grammar grammar;
    struct bo_span *own = bo_alloc_array(plan->arena, n, sizeof *own);
    if (!own)
        return bo_fail_alloc(err, plan->arena);
    for (size_t i = 0; i < n; i++) {
        const size_t shared = shared_nbytes(plan, i);
        own[i] = (struct bo_span){plan->strings[i].p + shared, plan->strings[i].n - shared};
        if (i % AUTOFDO_BLOCK_NAMES)
            codes[AUTOFDO_SHARED].uses[autofdo_number_symbol(shared)]++;
    }
    const enum bo_status status =
        bo_make_grammar(own, n, BO_GRAMMAR_SMALL, plan->arena, &grammar, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        codes[AUTOFDO_PIECES].uses[grammar.n_name_codes[i]]++;
    autofdo_fit_code(&codes[AUTOFDO_SHARED], autofdo_spends_bits(AUTOFDO_SHARED));
    autofdo_fit_code(&codes[AUTOFDO_PIECES], autofdo_spends_bits(AUTOFDO_PIECES));
    bo_put_grammar(&grammar, out);
    struct bo_bit_writer bits = {out, 0};
    const uint32_t *code = grammar.codes;
    for (size_t i = 0; i < n; i++) {
        const size_t shared = plan->strings[i].n - own[i].n;
        if (i % AUTOFDO_BLOCK_NAMES == 0) {
            starts[i / AUTOFDO_BLOCK_NAMES] = autofdo_bits_put(&bits);
        } else {
            const unsigned symbol = autofdo_number_symbol(shared);
            autofdo_put_symbol(&bits, &codes[AUTOFDO_SHARED], symbol);
            bo_put_bits(&bits, (uint32_t)(shared - autofdo_number_base(symbol)),
                        autofdo_number_rest(symbol));
        }
        autofdo_put_symbol(&bits, &codes[AUTOFDO_PIECES], grammar.n_name_codes[i]);
        for (unsigned k = 0; k < grammar.n_name_codes[i]; k++)
            bo_put_bits(&bits, *code++, grammar.code_bits);
    }
    starts[autofdo_n_blocks(n, AUTOFDO_BLOCK_NAMES)] = autofdo_bits_put(&bits);
    return bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A block whose first strings have been spelled. */
struct started {
    uint64_t bit; /* of the next string */
    uint32_t n;   /* strings spelled; 0: the bit is not known */
};

struct speller {
    struct bo_phrases phrases;
    struct started *blocks;
};

/* Each phrase is a part of a string, so all phrases are at most as long as all strings. */
static enum bo_status open_strings(struct autofdo_trees *trees, size_t head_nbytes,
                                   struct bo_error *err)
{
    size_t off = (size_t)(trees->strings.p - trees->in.p);
    const size_t end = off + head_nbytes;
    struct speller *speller = bo_alloc(trees->arena, sizeof *speller);
    if (!speller)
        return bo_fail_alloc(err, trees->arena);
    speller->blocks =
        bo_zalloc_array(trees->arena, trees->n_string_blocks, sizeof *speller->blocks);
    if (!speller->blocks)
        return bo_fail_alloc(err, trees->arena);
    if (head_nbytes >= PHRASES_NBYTES_OFF + 4 &&
        bo_le32(trees->in.p + off + PHRASES_NBYTES_OFF) > trees->text_cap)
        return bo_fail(err, BO_CORRUPT, off + PHRASES_NBYTES_OFF,
                       "phrases are longer than the strings");
    const enum bo_status status =
        bo_open_phrases(trees->in, &off, end, SIZE_MAX, trees->arena, &speller->phrases, err);
    if (status)
        return status;
    if (off != end)
        return bo_fail(err, BO_CORRUPT, off, "bytes after the grammar");
    const uint64_t last = trees->string_starts[trees->n_string_blocks];
    const struct autofdo_bits rest = autofdo_bits_of(&trees->strings, last);
    if (autofdo_peek(&rest))
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->strings, last),
                       "padding is not 0");
    trees->speller = speller;
    return BO_OK;
}

/* Reads the codes of a string's own part, and expands them to `to`. */
static bool spell(struct autofdo_trees *trees, struct autofdo_bits *bits, uint8_t *to, size_t cap,
                  size_t *n_ret)
{
    struct bo_phrases *phrases = &((struct speller *)trees->speller)->phrases;
    uint32_t codes[BO_MAX_NAME_CODES];
    const unsigned n = autofdo_take_symbol(bits, &trees->tables[AUTOFDO_PIECES]);
    if (n == 0 || n > BO_MAX_NAME_CODES)
        return false;
    for (unsigned i = 0; i < n; i++)
        codes[i] = (uint32_t)autofdo_take_bits(bits, phrases->code_bits);
    return bo_spell(phrases, codes, n, to, cap, n_ret) == BO_OK && *n_ret <= cap;
}

/* Reads string i after those that have been spelled. */
static enum bo_status load_string(struct autofdo_trees *trees, uint32_t i,
                                  struct autofdo_bits *bits, struct bo_error *err)
{
    const uint64_t off = autofdo_off_of(trees, &trees->strings, bits->bit);
    uint8_t *text = trees->text + trees->n_text;
    size_t room = trees->text_cap - trees->n_text, n_own;
    uint64_t shared = 0;
    if (i % AUTOFDO_BLOCK_NAMES) {
        const struct autofdo_text *last = &trees->texts[i - 1];
        if (!autofdo_take_number(bits, &trees->tables[AUTOFDO_SHARED], &shared) ||
            shared > last->n || shared > room)
            return bo_fail(err, BO_CORRUPT, off, "prefix of a string is too long");
        memcpy(text, trees->text + last->off, (size_t)shared);
    }
    if (!spell(trees, bits, text + shared, room - (size_t)shared, &n_own))
        return bo_fail(err, BO_CORRUPT, off, "codes of a string are invalid");
    const struct bo_span string = {text, (size_t)shared + n_own};
    const char *flaw = autofdo_string_flaw(trees, i, (uint32_t)shared, string);
    if (flaw)
        return bo_fail(err, BO_CORRUPT, off, flaw);
    trees->texts[i] = (struct autofdo_text){trees->n_text, (uint32_t)string.n};
    trees->n_text += (uint32_t)string.n;
    return BO_OK;
}

/* After a failure, the state of the reader is as before. */
static enum bo_status load_strings(struct autofdo_trees *trees, uint32_t i, struct bo_error *err)
{
    const uint32_t block = i / AUTOFDO_BLOCK_NAMES, first = block * AUTOFDO_BLOCK_NAMES;
    const uint32_t n_strings = trees->n_names + trees->n_paths, n_text = trees->n_text;
    struct started *started = &((struct speller *)trees->speller)->blocks[block];
    const uint32_t begin = first + started->n;
    const uint64_t end_bit = trees->string_starts[block + 1];
    struct autofdo_bits bits =
        autofdo_bits_of(&trees->strings, started->n ? started->bit : trees->string_starts[block]);
    enum bo_status status = BO_OK;
    uint32_t next = begin;
    for (; next <= i && !status; next++)
        status = load_string(trees, next, &bits, err);
    const bool is_all = next - first == AUTOFDO_BLOCK_NAMES || next == n_strings;
    if (!status && (is_all ? bits.bit != end_bit : bits.bit > end_bit))
        status = bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->strings, bits.bit),
                         "block does not end where the index says");
    if (status) {
        trees->n_text = n_text;
        for (uint32_t k = begin; k <= i; k++)
            trees->texts[k].n = 0;
        return status;
    }
    *started = (struct started){bits.bit, next - first};
    return BO_OK;
}

static enum bo_status finish_strings(const struct autofdo_trees *trees, struct bo_error *err)
{
    return bo_expect_all_used(&((const struct speller *)trees->speller)->phrases, trees->arena,
                              autofdo_off_of(trees, &trees->strings, 8 * PHRASES_NBYTES_OFF), err);
}

const struct autofdo_strings autofdo_phrases = {
    .magic = {'a', 'f', 's', 't'},
    .block_strings = AUTOFDO_BLOCK_NAMES,
    .put = put_strings,
    .open = open_strings,
    .load = load_strings,
    .finish = finish_strings,
};

/* ---- the codec ------------------------------------------------------------------------------- */

static enum bo_status encode(const struct bo_codec *self, const void *model, struct bo_writer *out,
                             struct bo_error *err)
{
    return autofdo_put_trees(model, &autofdo_phrases, out, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    return autofdo_decode_trees(in, &autofdo_phrases, arena, model_ret, err);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct autofdo_trees *trees;
    const enum bo_status status = autofdo_open_trees(in, &autofdo_phrases, arena, &trees, err);
    if (!status)
        *reader_ret = trees;
    return status;
}

const struct bo_codec autofdo_shared_trees = {
    .name = "shared-trees",
    .summary = "each inlined tree once, names as phrases of a grammar, counts in prefix codes",
    .spec = "codecs/autofdo/README.md#shared-trees",
    .choices = "the grammar of names, the order of variants, the code lengths",
    .role = BO_NEW,
    .access = BO_RANDOM,
    .lazy = true,
    .kinds = (1u << AUTOFDO_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open,
    .query = autofdo_query_trees,
};
