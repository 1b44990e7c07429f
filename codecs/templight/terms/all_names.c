/* All names of a trace, spelled one after the other. */
#include "codecs/templight/terms/terms.h"

enum bo_status templight_spell_all(struct templight_terms *terms, struct bo_arena *arena,
                                   struct templight_all_names how, uint8_t *to, uint64_t cap,
                                   struct bo_span *names, uint64_t *n_ret, struct bo_error *err)
{
    const uint64_t before = how.framed ? sizeof(struct templight_text) : 0;
    uint64_t used = 0, total = 0;
    struct templight_known *known =
        bo_zalloc_array(arena, how.alone ? 0 : terms->cap_ranges, sizeof *known);
    if (!known)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < terms->n_names; i++) {
        uint32_t n;
        const bool fits = templight_has_room(terms, cap - used);
        uint8_t *text = fits ? to + used + before : terms->buffer;
        enum bo_status status =
            templight_spell_name(terms, i, fits && !how.alone ? known : NULL, text, &n, err);
        if (status)
            return status;
        const uint64_t padded = how.framed ? templight_padded(n) : n;
        if (cap - used < before + padded)
            return BO_OVER_LIMIT;
        if ((total += n) > terms->total_nbytes)
            return bo_fail(err, BO_CORRUPT, (uint64_t)(terms->stream.p - terms->in.p),
                           "names are longer than announced");
        if (how.framed && fits) {
            templight_frame_text(text, n);
        } else if (how.framed) {
            const struct templight_text head = {n};
            memcpy(to + used, &head, sizeof head);
            memcpy(to + used + before, text, n);
            memset(to + used + before + n, 0, (size_t)(padded - n));
        } else {
            if (!fits)
                memcpy(to + used, text, n);
            names[i] = (struct bo_span){to + used, n};
        }
        used += before + padded;
    }
    if (total != terms->total_nbytes)
        return bo_fail(err, BO_CORRUPT, (uint64_t)(terms->stream.p - terms->in.p),
                       "names are shorter than announced");
    *n_ret = used;
    return BO_OK;
}
