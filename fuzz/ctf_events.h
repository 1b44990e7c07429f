/*
 * Events for the importer of LTTng's traces, as text, without libbabeltrace2: ctf_events.c takes
 * the place of corpora/import/ctf.c, ctf_folders.c and apart.c.
 *
 * The first line is the trace's environment, each other line is an event:
 *
 *     lttng-modules 5.10.0 host
 *     100 sched_switch prev_tid=1 prev_comm=init next_tid=2 next_comm=sh cpu_id=0
 *
 * The first word of an event is the time since the previous event, in ns. A value that is a decimal
 * number is an integer; any other value is a string. An event's contexts are among its fields.
 */
#ifndef BO_FUZZ_CTF_EVENTS_H
#define BO_FUZZ_CTF_EVENTS_H

#include "harness/core/bytes.h"

/* The events that the importer reads, for any folder. */
extern struct bo_span bo_fuzz_events;

#endif
