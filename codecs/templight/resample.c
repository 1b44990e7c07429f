/*
 * Traces of any number of Begins that are like a real one.
 *
 * The real trace is repeated, each time as that of other code: rare words in its names are replaced
 * (harness/names/renaming.h), so repeated and new instantiations keep the real order. From the last
 * repetition, or the only one, as many instantiations as are wanted are taken: whole ones that are
 * in no other, evenly spaced; of the last of these, the first Begins. Files and lines stay.
 */
#include "codecs/templight/resample.h"

#include "codecs/templight/model.h"
#include "harness/names/renaming.h"

struct play {
    const struct templight_trace *like;
    struct templight_builder builder;
    struct bo_renaming renaming;
    struct bo_span *names; /* of this repetition, by number; p is NULL before a name's first use */
    size_t n_begins, n_like, n_wanted;
};

static bool add(struct play *play, const struct templight_record *record)
{
    struct templight_entry entry = templight_entry_of(play->like, record);
    play->n_begins += !record->is_end;
    if (!record->is_end) {
        struct bo_span *name = &play->names[record->name];
        if (!name->p && !bo_rename(&play->renaming, entry.name, name))
            return false;
        entry.name = *name;
    }
    return templight_add_entry(&play->builder, &entry);
}

/* One instantiation that is in no other, from record i on; *end_ret is after it. */
static size_t count_begins(const struct templight_trace *like, size_t i, size_t *end_ret)
{
    size_t depth = 0, n = 0;
    do {
        n += !like->records[i].is_end;
        if (like->records[i].is_end)
            depth -= depth > 0;
        else
            depth++;
    } while (++i < like->n_records && depth);
    *end_ret = i;
    return n;
}

/* Its Begins until there are enough, and their Ends. */
static bool add_whole(struct play *play, size_t i, size_t end)
{
    size_t n_left_out = 0; /* Begins that are open and not there */
    for (; i < end; i++) {
        const struct templight_record *record = &play->like->records[i];
        const bool is_full = play->n_begins >= play->n_wanted;
        if (record->is_end && n_left_out)
            n_left_out--;
        else if (!record->is_end && (is_full || n_left_out))
            n_left_out++;
        else if (!add(play, record))
            return false;
    }
    return true;
}

static bool play_once(struct play *play)
{
    const size_t before = play->n_begins, left = play->n_wanted - before,
                 n = left < play->n_like ? left : play->n_like;
    size_t seen = 0, end;
    memset(play->names, 0, play->like->n_names * sizeof *play->names);
    bo_renaming_next(&play->renaming);
    for (size_t i = 0; i < play->like->n_records && play->n_begins < play->n_wanted; i = end) {
        seen += count_begins(play->like, i, &end);
        const double wanted = (double)n / (double)play->n_like * (double)seen;
        if ((double)(play->n_begins - before) < wanted && !add_whole(play, i, end))
            return false;
    }
    return true;
}

enum bo_status templight_resample(const void *like, size_t n_units, struct bo_random *random,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    const struct templight_model *real = like;
    struct play play = {.n_wanted = n_units};
    struct templight_model *model;
    play.like = real->n_traces ? &real->traces[0] : NULL;
    for (size_t i = 0; play.like && i < play.like->n_records; i++)
        play.n_like += !play.like->records[i].is_end;
    if (play.n_like == 0)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "document has no instantiations to draw from");
    templight_builder_init(&play.builder, false, arena);
    play.names = bo_zalloc_array(arena, (size_t)play.like->n_names + 1, sizeof *play.names);
    bool ok = play.names && bo_renaming_init(&play.renaming, random, arena);
    for (uint32_t i = 0; ok && i < play.like->n_names; i++)
        ok = bo_renaming_learn(&play.renaming, play.like->names[i]);
    ok = ok && bo_renaming_begin(&play.renaming, play.like->n_names) &&
         templight_start_trace(&play.builder, play.like->version, play.like->source);
    while (ok && play.n_begins < n_units)
        ok = play_once(&play);
    if (!ok || !templight_finish(&play.builder, &model))
        return bo_fail_alloc(err, arena);
    *model_ret = model;
    return BO_OK;
}
