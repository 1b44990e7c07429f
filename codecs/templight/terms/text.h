/*
 * Texts in streams of bits: as phrases of a grammar (harness/coding/grammar.md), or uncoded.
 *
 * 4 bits are the number of codes, which follow; 0: 32 bits of length and the bytes follow.
 */
#ifndef TEMPLIGHT_TERMS_TEXT_H
#define TEMPLIGHT_TERMS_TEXT_H

#include "codecs/templight/terms/prefix_code.h"
#include "harness/coding/grammar.h"

enum {
    TEMPLIGHT_TEXT_CODES_BITS = 4,
    TEMPLIGHT_SLACK = 32, /* bytes after a text that spelling it may overwrite */
};

/* ---- writing --------------------------------------------------------------------------------- */

struct templight_text_plan {
    const struct bo_span *texts;
    size_t *first_codes; /* by text; SIZE_MAX: the text is stored uncoded */
    uint8_t *n_codes;
    bool has_grammar;
    struct bo_grammar grammar;
};

/* Plans for texts, which must stay where they are. Long ones, and empty ones, have no codes. */
enum bo_status templight_plan_texts(const struct bo_span *texts, size_t n, struct bo_arena *arena,
                                    struct templight_text_plan *plan, struct bo_error *err);

/* Appends whether there is a grammar, and the grammar, to a section. */
void templight_put_texts_grammar(const struct templight_text_plan *plan, const char *section,
                                 struct bo_writer *out);

void templight_put_text(struct templight_bit_writer *w, const struct templight_text_plan *plan,
                        size_t text);

/* ---- reading --------------------------------------------------------------------------------- */

struct templight_text_reader {
    bool has_phrases;
    struct bo_phrases phrases;
};

/*
 * Reads what templight_put_texts_grammar writes; moves the cursor, which ends where `in` is cut.
 * *phrases_nbytes are those of all grammars of the file so far, which bo_max_text_nbytes limits.
 */
enum bo_status templight_open_texts(struct bo_span in, struct bo_cursor *c,
                                    uint64_t *phrases_nbytes, struct bo_arena *arena,
                                    struct templight_text_reader *reader, struct bo_error *err);

/* The output of spelling, with TEMPLIGHT_SLACK bytes of room beyond cap. */
struct templight_output {
    uint8_t *to;
    uint32_t n, cap;
};

/* Appends a short text with one copy of a fixed size: 32 bytes may be read and written. */
static inline bool templight_copy_short(struct templight_output *out, const uint8_t *from,
                                        uint32_t n)
{
    if (n > out->cap - out->n)
        return false;
    if (__builtin_expect(n <= TEMPLIGHT_SLACK, 1))
        memcpy(out->to + out->n, from, TEMPLIGHT_SLACK);
    else
        memcpy(out->to + out->n, from, n);
    out->n += n;
    return true;
}

/*
 * The same for texts of any length, in pieces of that size. The text may itself be in the output,
 * if it is complete there.
 */
static inline bool templight_copy_text(struct templight_output *out, struct bo_span text)
{
    uint8_t piece[TEMPLIGHT_SLACK];
    if (text.n > out->cap - out->n)
        return false;
    for (size_t i = 0; i == 0 || __builtin_expect(i < text.n, 0); i += sizeof piece) {
        memcpy(piece, text.p + i, sizeof piece);
        memcpy(out->to + out->n + i, piece, sizeof piece);
    }
    out->n += (uint32_t)text.n;
    return true;
}

bool templight_take_raw_text(struct templight_bits *bits, struct templight_output *out);

/* False for an invalid text, or one that is too long. */
static inline bool templight_spell_text(struct templight_text_reader *reader,
                                        struct templight_bits *bits, struct templight_output *out)
{
    struct bo_phrases *phrases = &reader->phrases;
    const unsigned n = templight_take_bits(bits, TEMPLIGHT_TEXT_CODES_BITS);
    if (n == 0)
        return templight_take_raw_text(bits, out);
    if (!reader->has_phrases)
        return false;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t code = templight_take_bits(bits, phrases->code_bits);
        struct bo_phrase phrase = phrases->table[code];
        if (__builtin_expect(phrase.nbytes == BO_NOT_YET, 0)) {
            if (bo_expand_phrase(phrases, code))
                return false;
            phrase = phrases->table[code];
        }
        if (!templight_copy_short(out, phrases->text + phrase.off, phrase.nbytes))
            return false;
    }
    return true;
}

/* The length of the text at these bits. False when they are not a valid text. */
bool templight_measure_text(struct templight_text_reader *reader, struct templight_bits bits,
                            uint32_t *nbytes_ret);

static inline void templight_pass_text(const struct templight_text_reader *reader,
                                       struct templight_bits *bits)
{
    const unsigned n = templight_take_bits(bits, TEMPLIGHT_TEXT_CODES_BITS);
    if (n)
        bits->bit += (uint64_t)n * reader->phrases.code_bits;
    else
        bits->bit += 8 * (uint64_t)templight_take_bits(bits, 32);
}

#endif
