/*
 * What a reader keeps of a trace's names for later queries, within the arena's keep_nbytes: their
 * texts, and a table that finds a name by its text. (Events of records: records.h.) Each is made
 * when queries have done as much work without it as making it takes. So a reader that answers few
 * queries keeps nothing, and no sequence of queries takes more than about twice the time that it
 * would take with the better choice.
 */
#ifndef TEMPLIGHT_TERMS_KEPT_H
#define TEMPLIGHT_TERMS_KEPT_H

#include "codecs/templight/terms/terms.h"

struct terms_kept {
    uint64_t n_spelled; /* names that queries have spelled */
    /* It was made, or could not be: then queries go on without it. */
    bool tried_texts, tried_slots;
    uint8_t *texts;   /* the names as TEMPLIGHT_EXPAND_ALL answers them; NULL: not kept */
    uint32_t *places; /* by name: where it starts in them, in units of 8 bytes; and the end */
    /*
     * Open addressing, from the hash's upper bits on: a name's number + 1 in the lower name_bits,
     * bits of the hash above; 0: a free slot. NULL: not kept.
     */
    uint32_t *slots;
    unsigned slot_bits, name_bits;
};

/* The text of a name, when texts are kept. */
static inline struct bo_span terms_kept_text(const struct terms_kept *kept, uint32_t name)
{
    const uint8_t *at = kept->texts + 8 * (size_t)kept->places[name];
    struct templight_text head;
    memcpy(&head, at, sizeof head);
    return (struct bo_span){at + sizeof head, (size_t)head.nbytes};
}

/*
 * Keep it from now on, unless it takes more than *left bytes, of which it takes what it needs.
 * BO_NO_MEMORY when there is no memory; nothing has changed then. Names that cannot be spelled are
 * not kept, and are an error of the query for them.
 */
enum bo_status terms_keep_texts(struct terms_kept *kept, struct templight_terms *terms,
                                struct bo_arena *arena, size_t *left, struct bo_error *err);
enum bo_status terms_keep_slots(struct terms_kept *kept, struct templight_terms *terms,
                                struct bo_arena *arena, size_t *left, struct bo_error *err);

/* The number of the name with this text, or TEMPLIGHT_NONE, when slots are kept. */
enum bo_status terms_find_kept(struct terms_kept *kept, struct templight_terms *terms,
                               struct bo_span text, uint32_t *answer, struct bo_error *err);

/*
 * Lists all names of a trace. Their bytes are the kept texts if there are any, else in the arena.
 * If `alone`, each name is decoded from the file, without kept texts or the text of other names.
 */
enum bo_status terms_list_names(struct terms_kept *kept, struct templight_terms *terms,
                                struct bo_arena *arena, bool alone, struct bo_span **names_ret,
                                struct bo_error *err);

#endif
