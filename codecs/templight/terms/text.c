/* Texts as phrases. */
#include "codecs/templight/terms/text.h"

enum { LONGEST = BO_MAX_PHRASE_NBYTES }; /* that is worth phrases */

enum bo_status templight_plan_texts(const struct bo_span *texts, size_t n, struct bo_arena *arena,
                                    struct templight_text_plan *plan, struct bo_error *err)
{
    struct bo_span *in_grammar = bo_alloc_array(arena, n, sizeof *in_grammar);
    size_t n_in_grammar = 0, n_codes = 0;
    *plan = (struct templight_text_plan){.texts = texts};
    plan->first_codes = bo_alloc_array(arena, n, sizeof *plan->first_codes);
    plan->n_codes = bo_zalloc_array(arena, n, sizeof *plan->n_codes);
    if (!in_grammar || !plan->first_codes || !plan->n_codes)
        return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < n; i++)
        if (texts[i].n && texts[i].n <= LONGEST)
            in_grammar[n_in_grammar++] = texts[i];
    if (n_in_grammar == 0)
        return BO_OK;
    const enum bo_status status =
        bo_make_grammar(in_grammar, n_in_grammar, BO_GRAMMAR_SMALL, arena, &plan->grammar, err);
    if (status == BO_UNSUPPORTED)
        return BO_OK; /* all texts as they are, then */
    if (status)
        return status;
    plan->has_grammar = true;
    for (size_t i = 0, k = 0; i < n; i++) {
        if (texts[i].n == 0 || texts[i].n > LONGEST)
            continue;
        plan->first_codes[i] = n_codes;
        plan->n_codes[i] = plan->grammar.n_name_codes[k++];
        n_codes += plan->n_codes[i];
    }
    return BO_OK;
}

void templight_put_texts_grammar(const struct templight_text_plan *plan, const char *section,
                                 struct bo_writer *out)
{
    struct bo_writer grammar; /* which marks sections of its own */
    bo_mark(out, section);
    bo_put_u8(out, plan->has_grammar);
    if (!plan->has_grammar)
        return;
    bo_writer_init(&grammar, out->arena);
    bo_put_grammar(&plan->grammar, &grammar);
    if (grammar.status)
        out->status = out->status ? out->status : grammar.status;
    else
        bo_put_bytes(out, grammar.p, grammar.n);
    bo_writer_free(&grammar);
}

void templight_put_text(struct templight_bit_writer *w, const struct templight_text_plan *plan,
                        size_t text)
{
    const struct bo_span bytes = plan->texts[text];
    const unsigned n = plan->has_grammar ? plan->n_codes[text] : 0;
    templight_put_bits(w, n, TEMPLIGHT_TEXT_CODES_BITS);
    for (unsigned i = 0; i < n; i++)
        templight_put_bits(w, plan->grammar.codes[plan->first_codes[text] + i],
                           plan->grammar.code_bits);
    if (n)
        return;
    templight_put_bits(w, (uint32_t)bytes.n, 32);
    for (size_t i = 0; i < bytes.n; i++)
        templight_put_bits(w, bytes.p[i], 8);
}

enum bo_status templight_open_texts(struct bo_span in, struct bo_cursor *c,
                                    uint64_t *phrases_nbytes, struct bo_arena *arena,
                                    struct templight_text_reader *reader, struct bo_error *err)
{
    uint8_t has_phrases;
    *reader = (struct templight_text_reader){.has_phrases = false};
    if (!bo_get_u8(c, &has_phrases))
        return bo_fail_here(err, BO_TRUNCATED, c, "file ends before the texts");
    if (has_phrases > 1)
        return bo_fail(err, BO_CORRUPT, (uint64_t)c->base + c->off - 1,
                       "number of grammars is neither 0 nor 1");
    reader->has_phrases = has_phrases;
    if (!has_phrases)
        return BO_OK;
    size_t at = c->base + c->off;
    const enum bo_status status =
        bo_open_phrases(in, &at, c->base + c->n, SIZE_MAX, arena, &reader->phrases, err);
    if (status)
        return status;
    *phrases_nbytes += reader->phrases.text_cap;
    if (*phrases_nbytes > bo_max_text_nbytes(in.n))
        return bo_fail(err, BO_CORRUPT, c->base + c->off + BO_PHRASES_TEXT_OFF,
                       "phrases are longer than the file allows");
    c->off = at - c->base;
    return BO_OK;
}

bool templight_take_raw_text(struct templight_bits *bits, struct templight_output *out)
{
    const uint32_t n = templight_take_bits(bits, 32);
    if (n > out->cap - out->n || bits->bit + 8 * (uint64_t)n > 8 * (uint64_t)bits->n)
        return false;
    for (uint32_t i = 0; i < n; i++)
        out->to[out->n++] = (uint8_t)templight_take_bits(bits, 8);
    return true;
}

bool templight_measure_text(struct templight_text_reader *reader, struct templight_bits bits,
                            uint32_t *nbytes_ret)
{
    struct bo_phrases *phrases = &reader->phrases;
    const unsigned n = templight_take_bits(&bits, TEMPLIGHT_TEXT_CODES_BITS);
    uint64_t nbytes = 0;
    if (n == 0) {
        *nbytes_ret = templight_take_bits(&bits, 32);
        return *nbytes_ret <= bits.n;
    }
    for (unsigned i = 0; reader->has_phrases && i < n; i++) {
        const uint32_t code = templight_take_bits(&bits, phrases->code_bits);
        if (phrases->table[code].nbytes == BO_NOT_YET && bo_expand_phrase(phrases, code))
            return false;
        nbytes += phrases->table[code].nbytes;
    }
    *nbytes_ret = (uint32_t)nbytes; /* at most 15 phrases of 64 KiB */
    return reader->has_phrases;
}
