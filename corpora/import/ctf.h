/*
 * Traces in the Common Trace Format, read with libbabeltrace2: all traces below a folder, their
 * events in order of time. Memory does not grow with the traces' length.
 */
#ifndef BO_CTF_H
#define BO_CTF_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"

/* ---- folders: without libbabeltrace2, too ---------------------------------------------------- */

/*
 * Calls found() for each folder that has metadata, the named one or one below, in order of names,
 * until it returns false. False when the folder cannot be listed, or has more than 65536 entries.
 */
bool ctf_find(const char *folder, bool (*found)(void *context, const char *path), void *context);

/* Whether there is any. */
bool ctf_is_in(const char *folder);

/* Whether its metadata is text, or packets none of which is cut short. */
bool ctf_metadata_is_whole(const char *folder);

/* ---- traces ---------------------------------------------------------------------------------- */

struct ctf_trace; /* what is known of one trace before its events */

/* The text of its environment under that name ("domain"); NULL when there is none. */
const char *ctf_environment(const struct ctf_trace *trace, const char *name);

/* One event; what it points to goes with it. */
struct ctf_event {
    const char *name;
    int64_t time_ns; /* from the clock's origin, which is the epoch as a rule */
    const void *payload, *common_context, *context, *packet_context; /* babeltrace's, or NULL */
};

/*
 * A field by its name: of what was recorded, or of the event's contexts. False when it is not
 * there, or is no integer (it is sign-extended), or no text.
 */
bool ctf_number(const struct ctf_event *event, const char *field, uint64_t *v_ret);
bool ctf_text(const struct ctf_event *event, const char *field, struct bo_span *text_ret);
bool ctf_context_number(const struct ctf_event *event, const char *field, uint64_t *v_ret);
bool ctf_context_text(const struct ctf_event *event, const char *field, struct bo_span *text_ret);

/* Who is told. Both return other than BO_OK to end the reading with that, *err filled. */
struct ctf_visitor {
    enum bo_status (*trace)(void *context, const struct ctf_trace *trace);
    enum bo_status (*event)(void *context, const struct ctf_event *event);
    void *context;
};

/*
 * Each trace is told before its events are. What babeltrace says of bad ones is BO_CORRUPT, without
 * an offset; phrases live in `arena`. To be done apart (apart.h): babeltrace 2.0 hangs on some bad
 * traces. n_lost_ret: events that the tracers dropped, as far as they say.
 */
enum bo_status ctf_read(const char *folder, const struct ctf_visitor *visitor, uint64_t *n_lost_ret,
                        struct bo_arena *arena, struct bo_error *err);

#endif
