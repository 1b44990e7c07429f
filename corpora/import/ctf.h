/*
 * Traces in the Common Trace Format, read with libbabeltrace2: all traces below a folder, their
 * events in order of time. Memory does not grow with the traces' length.
 */
#ifndef BO_CTF_H
#define BO_CTF_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"

/* ---- folders: also without libbabeltrace2 ---------------------------------------------------- */

/*
 * Calls found() for each folder with metadata, the given one or one below it, ordered by name,
 * until it returns false. False when the folder cannot be listed, or has more than 65536 entries.
 */
bool ctf_find(const char *folder, bool (*found)(void *context, const char *path), void *context);

/* True when the folder has a trace. */
bool ctf_is_in(const char *folder);

/* True when its metadata is text, or consists of complete packets. */
bool ctf_metadata_is_whole(const char *folder);

/* ---- traces ---------------------------------------------------------------------------------- */

struct ctf_trace; /* the properties of a trace that are known before its events */

/* The text of its environment under that name ("domain"); NULL without such an entry. */
const char *ctf_environment(const struct ctf_trace *trace, const char *name);

/* One event. Its pointers are valid only as long as the event. */
struct ctf_event {
    const char *name;
    int64_t time_ns; /* from the clock's origin, usually the epoch */
    const void *payload, *common_context, *context, *packet_context; /* babeltrace's, or NULL */
};

/*
 * A field of the event's payload or contexts, by name. False when it is missing, or is no integer
 * (which is sign-extended) or no text.
 */
bool ctf_number(const struct ctf_event *event, const char *field, uint64_t *v_ret);
bool ctf_text(const struct ctf_event *event, const char *field, struct bo_span *text_ret);
bool ctf_context_number(const struct ctf_event *event, const char *field, uint64_t *v_ret);
bool ctf_context_text(const struct ctf_event *event, const char *field, struct bo_span *text_ret);

/* Callbacks. A status other than BO_OK ends the reading and becomes its result, with *err set. */
struct ctf_visitor {
    enum bo_status (*trace)(void *context, const struct ctf_trace *trace);
    enum bo_status (*event)(void *context, const struct ctf_event *event);
    void *context;
};

/*
 * Reads the traces. Calls the visitor for each trace before the events of that trace. An error of
 * babeltrace is BO_CORRUPT without an offset; its phrase is in `arena`. Run it in a process of its
 * own (apart.h), since babeltrace 2.0 hangs on some bad traces. *n_lost_ret is the number of events
 * that the tracers dropped, if the traces count them.
 */
enum bo_status ctf_read(const char *folder, const struct ctf_visitor *visitor, uint64_t *n_lost_ret,
                        struct bo_arena *arena, struct bo_error *err);

#endif
