/* Finding formats, codecs and query kinds by name. The list of formats is codecs/formats.c. */
#ifndef BO_REGISTRY_H
#define BO_REGISTRY_H

#include "harness/format.h"

/* NULL-terminated. Only plugin.h changes it; it has room for this many formats of plugins. */
enum { BO_MAX_PLUGIN_FORMATS = 8 };
extern const struct bo_format *bo_formats[];

/* Each returns NULL when there is no such name. */
const struct bo_format *bo_find_format(const char *name);
const struct bo_codec *bo_find_codec(const struct bo_format *format, const char *name);
const struct bo_query_kind *bo_find_kind(const struct bo_format *format, const char *name);
const struct bo_workload *bo_find_workload(const struct bo_query_kind *kind, const char *name);

/* The codec whose bytes `codec` reads: itself, or the one that `reads` names. */
const struct bo_codec *bo_encoding_of(const struct bo_format *format, const struct bo_codec *codec);

/* The codec that specifies the bytes of `codec`: also for a level, which has an encoding itself. */
const struct bo_codec *bo_layout_of(const struct bo_format *format, const struct bo_codec *codec);

/*
 * The part of the model that the bytes read by `codec` hold: all of it, or the result of the
 * encoding's `reduce`, in `arena`.
 */
enum bo_status bo_held_model(const struct bo_format *format, const struct bo_codec *codec,
                             const void *model, struct bo_arena *arena, const void **held_ret,
                             struct bo_error *err);

/* The sum of the order-0 entropies of the model's fields; negative when the arena refuses. */
double bo_entropy_floor_nbytes(const struct bo_format *format, const void *model,
                               struct bo_arena *arena);

static inline unsigned bo_kind_index(const struct bo_format *format,
                                     const struct bo_query_kind *kind)
{
    return (unsigned)(kind - format->kinds);
}

#endif
