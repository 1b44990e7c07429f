/*
 * The importer of LTTng's traces, folders in the Common Trace Format. Kernel events become states
 * of threads and CPUs. A program's calls of malloc and free become the memory that each thread has
 * allocated. corpora/statehist/README.md has the rules.
 */
#include "corpora/import/apart.h"
#include "corpora/import/ctf_states.h"
#include "corpora/import/import.h"
#include "harness/registry.h"

#ifdef BO_WITH_BABELTRACE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum tracer { NO_TRACER, KERNEL_TRACER, USER_TRACER };

struct importer {
    struct bo_arena *arena;
    struct bo_error *err;
    enum tracer tracer; /* of all traces so far */
    char *host;         /* of the traces; empty if they have none */
    bool has_begun;
    union {
        struct ctf_kernel kernel;
        struct ctf_memory memory;
    };
};

static enum bo_status fail(struct importer *in, enum bo_status status, const char *what)
{
    return bo_fail(in->err, status, BO_NO_OFFSET, what);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static bool environment_is(const struct ctf_trace *trace, const char *name, const char *value)
{
    const char *found = ctf_environment(trace, name);
    return found && strcmp(found, value) == 0;
}

static enum tracer tracer_of(const struct ctf_trace *trace)
{
    return environment_is(trace, "tracer_name", "lttng-modules") ? KERNEL_TRACER
           : environment_is(trace, "tracer_name", "lttng-ust")   ? USER_TRACER
                                                                 : NO_TRACER;
}

/* "4.9.0-6-amd64" is. False for a trace without a release. */
static bool is_before_4_14(const char *release)
{
    char *end;
    const unsigned long major = release ? strtoul(release, &end, 10) : 5;
    return major < 4 || (major == 4 && *end == '.' && strtoul(end + 1, NULL, 10) < 14);
}

static enum bo_status same_host(struct importer *in, const struct ctf_trace *trace)
{
    const char *host = ctf_environment(trace, "hostname");
    const size_t n = host ? strlen(host) : 0;
    if (in->host)
        return strcmp(in->host, host ? host : "") == 0
                   ? BO_OK
                   : fail(in, BO_UNSUPPORTED,
                          "folder has traces of several machines; pass the folder of one");
    in->host = bo_alloc(in->arena, n + 1);
    if (!in->host)
        return bo_fail_alloc(in->err, in->arena);
    memcpy(in->host, host ? host : "", n + 1);
    return BO_OK;
}

static enum bo_status take_trace(void *context, const struct ctf_trace *trace)
{
    struct importer *in = context;
    const enum tracer tracer = tracer_of(trace);
    if (!tracer)
        return fail(
            in, BO_UNSUPPORTED,
            "trace comes neither from LTTng's kernel tracer nor from its user-space tracer");
    if (in->tracer && in->tracer != tracer)
        return fail(in, BO_UNSUPPORTED,
                    "folder has a kernel trace and a user-space trace; pass the folder of one");
    in->tracer = tracer;
    if (tracer == KERNEL_TRACER && !in->has_begun)
        in->kernel.old_task_states = is_before_4_14(ctf_environment(trace, "kernel_release"));
    return same_host(in, trace);
}

/* ---- events ---------------------------------------------------------------------------------- */

static struct state_system *system_of(struct importer *in)
{
    return in->tracer == KERNEL_TRACER ? &in->kernel.states.system : &in->memory.states.system;
}

static bool begin(struct importer *in, int64_t start)
{
    in->has_begun = true;
    return in->tracer == KERNEL_TRACER ? kernel_states_init(&in->kernel.states, start, in->arena)
                                       : memory_states_init(&in->memory.states, start, in->arena);
}

static enum bo_status malformed(struct importer *in, const struct ctf_event *event,
                                const char *field)
{
    char text[200];
    const int n = snprintf(text, sizeof text, "%.80s at %" PRId64 " ns: no %s, or beyond its range",
                           event->name, event->time_ns, field);
    char *kept = bo_alloc(in->arena, (size_t)n + 1);
    if (!kept)
        return bo_fail_alloc(in->err, in->arena);
    memcpy(kept, text, (size_t)n + 1);
    return fail(in, BO_CORRUPT, kept);
}

static enum bo_status take_event(void *context, const struct ctf_event *event)
{
    struct importer *in = context;
    if (!in->has_begun && !begin(in, event->time_ns))
        return bo_fail_alloc(in->err, in->arena);
    struct state_system *system = system_of(in);
    if (event->time_ns < system->now)
        return fail(in, BO_CORRUPT, "time is before that of the previous event");
    system->now = event->time_ns;
    const bool is_kernel = in->tracer == KERNEL_TRACER;
    const enum ctf_reading reading =
        is_kernel ? ctf_kernel_event(&in->kernel, event) : ctf_memory_event(&in->memory, event);
    if (reading == CTF_REFUSED)
        return bo_fail_alloc(in->err, in->arena);
    return reading == CTF_MALFORMED
               ? malformed(in, event, is_kernel ? in->kernel.lacks : in->memory.lacks)
               : BO_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum bo_status finish(struct importer *in, void **model_ret)
{
    struct statehist_model *model;
    if (!in->has_begun)
        return fail(in, BO_CORRUPT, "file has no events");
    if (in->tracer == USER_TRACER && in->memory.n_events == 0)
        return fail(in, BO_UNSUPPORTED,
                    "no memory events; record with liblttng-ust-libc-wrapper.so");
    const enum bo_status status = state_system_finish(system_of(in), &model, in->err);
    if (!status)
        *model_ret = model;
    return status;
}

/* States stay unchanged until the next recorded event. */
static enum bo_status note_losses(struct importer *in, uint64_t n_lost)
{
    char text[80], *kept;
    const int n =
        snprintf(text, sizeof text,
                 "the tracer lost events, at least %" PRIu64 ": states may be wrong", n_lost);
    kept = bo_alloc(in->arena, (size_t)n + 1);
    if (!kept)
        return bo_fail_alloc(in->err, in->arena);
    memcpy(kept, text, (size_t)n + 1);
    return bo_fail(in->err, BO_OK, BO_NO_OFFSET, kept);
}

/* Reads a history into its text form. */
static enum bo_status read_history(const char *folder, struct bo_writer *out, struct bo_error *err)
{
    struct importer in = {.arena = out->arena, .err = err};
    const struct ctf_visitor visitor = {take_trace, take_event, &in};
    uint64_t n_lost;
    void *model = NULL;
    enum bo_status status = ctf_read(folder, &visitor, &n_lost, in.arena, err);
    if (!status)
        status = finish(&in, &model);
    if (!status)
        status = bo_find_format("statehist")->print(model, out, err);
    return !status && n_lost ? note_losses(&in, n_lost) : status;
}

static enum bo_status work(void *folder, struct bo_writer *out, struct bo_error *err)
{
    return read_history(folder, out, err);
}

static enum bo_status import_ctf(const char *folder, struct bo_arena *arena, void **model_ret,
                                 struct bo_error *err)
{
    const struct apart apart = {
        .who = "babeltrace",
        .patience_s = 20,
        .memory_nbytes = UINT64_C(16) << 30,
        .work = work,
        .context = (char *)folder,
    };
    struct bo_span text;
    const enum bo_status status = apart_run(&apart, arena, &text, err);
    return status ? status : bo_find_format("statehist")->parse(text, arena, model_ret, err);
}

#else

static enum bo_status import_ctf(const char *folder, struct bo_arena *arena, void **model_ret,
                                 struct bo_error *err)
{
    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                   "CTF traces require libbabeltrace2, which this program was built without");
}

#endif

const struct bo_importer statehist_ctf_importer = {
    .format = "statehist",
    .name = "ctf",
    .summary = "folders with LTTng's traces: of the kernel, or of a program's malloc and free",
    .sniff_folder = ctf_is_in,
    .import_folder = import_ctf,
};
