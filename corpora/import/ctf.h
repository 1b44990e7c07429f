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

/* The text of its environment under that name ("domain"); NULL without such an entry. */
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

/* Callbacks. Any status but BO_OK ends the reading and becomes its result, with *err set. */
struct ctf_visitor {
    enum bo_status (*trace)(void *context, const struct ctf_trace *trace);
    enum bo_status (*event)(void *context, const struct ctf_event *event);
    void *context;
};

/*
 * Calls the visitor for each trace before the events of that trace. An error of babeltrace is
 * BO_CORRUPT, without an offset; its phrase is in `arena`. Run it in a process of its own
 * (apart.h): babeltrace 2.0 hangs on some bad traces. *n_lost_ret: events that the tracers dropped,
 * where traces count them.
 */
enum bo_status ctf_read(const char *folder, const struct ctf_visitor *visitor, uint64_t *n_lost_ret,
                        struct bo_arena *arena, struct bo_error *err);

#endif
