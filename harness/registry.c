/* Finding formats, codecs and query kinds by name. */
#include "harness/registry.h"

const struct bo_format *bo_find_format(const char *name)
{
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        if (strcmp((*f)->name, name) == 0)
            return *f;
    return NULL;
}

const struct bo_codec *bo_find_codec(const struct bo_format *format, const char *name)
{
    for (const struct bo_codec *const *c = format->codecs; *c; c++)
        if (strcmp((*c)->name, name) == 0)
            return *c;
    return NULL;
}

const struct bo_query_kind *bo_find_kind(const struct bo_format *format, const char *name)
{
    for (unsigned k = 0; k < format->n_kinds; k++)
        if (strcmp(format->kinds[k].name, name) == 0)
            return &format->kinds[k];
    return NULL;
}

const struct bo_workload *bo_find_workload(const struct bo_query_kind *kind, const char *name)
{
    for (unsigned w = 0; w < kind->n_workloads; w++)
        if (strcmp(kind->workloads[w].name, name) == 0)
            return &kind->workloads[w];
    return NULL;
}

const struct bo_codec *bo_encoding_of(const struct bo_format *format, const struct bo_codec *codec)
{
    return codec->reads ? bo_find_codec(format, codec->reads) : codec;
}

const struct bo_codec *bo_layout_of(const struct bo_format *format, const struct bo_codec *codec)
{
    return codec->level_of ? bo_find_codec(format, codec->level_of) : bo_encoding_of(format, codec);
}

enum bo_status bo_held_model(const struct bo_format *format, const struct bo_codec *codec,
                             const void *model, struct bo_arena *arena, const void **held_ret,
                             struct bo_error *err)
{
    const struct bo_codec *encoding = bo_encoding_of(format, codec);
    void *reduced = NULL;
    const enum bo_status status =
        encoding->reduce ? encoding->reduce(encoding, model, arena, &reduced, err) : BO_OK;
    *held_ret = encoding->reduce ? reduced : model;
    return status;
}

double bo_entropy_floor_nbytes(const struct bo_format *format, const void *model,
                               struct bo_arena *arena)
{
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    struct bo_sequences fields = {.arena = arena};
    uint64_t n_distinct;
    double nbits = 0;
    format->fields(model, &fields);
    for (unsigned i = 0; i < fields.n; i++)
        nbits += bo_order0_nbits(&fields.items[i], &n_distinct);
    bo_arena_rewind(arena, mark);
    return fields.refused ? -1 : nbits / 8;
}
