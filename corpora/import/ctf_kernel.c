/*
 * The changes of states that follow from LTTng's kernel events.
 *
 * Events identify their thread only in contexts, which may not have been recorded ("tid", "pid",
 * "procname"). Without contexts, it is the thread that the CPU switched to last.
 */
#include "corpora/import/ctf_states.h"

/* ---- fields ---------------------------------------------------------------------------------- */

static bool number(struct ctf_kernel *kernel, const struct ctf_event *e, const char *field,
                   uint64_t most, uint32_t *v_ret)
{
    uint64_t v;
    kernel->lacks = field;
    if (!ctf_number(e, field, &v) || v > most)
        return false;
    *v_ret = (uint32_t)v;
    return true;
}

static bool tid_in(struct ctf_kernel *kernel, const struct ctf_event *e, const char *field,
                   uint32_t *tid_ret)
{
    return number(kernel, e, field, INT32_MAX, tid_ret);
}

static bool cpu_in(struct ctf_kernel *kernel, const struct ctf_event *e, const char *field,
                   uint32_t *cpu_ret)
{
    return number(kernel, e, field, KERNEL_MAX_CPUS - 1, cpu_ret);
}

static bool prio_in(struct ctf_kernel *kernel, const struct ctf_event *e, const char *field,
                    int32_t *prio_ret)
{
    uint64_t v;
    kernel->lacks = field;
    if (!ctf_number(e, field, &v) || (int64_t)v < INT32_MIN || (int64_t)v > INT32_MAX)
        return false;
    *prio_ret = (int32_t)v;
    return true;
}

static bool comm_in(struct ctf_kernel *kernel, const struct ctf_event *e, const char *field,
                    struct bo_span *comm_ret)
{
    kernel->lacks = field;
    return ctf_text(e, field, comm_ret);
}

static enum ctf_reading done(bool ok)
{
    return ok ? CTF_READ : CTF_REFUSED;
}

static bool clean(struct ctf_kernel *kernel, struct bo_span *text)
{
    return state_clean_text(kernel->states.system.builder.arena, text);
}

/* An event with its CPU, and its thread if that is known. */
struct event {
    const struct ctf_event *fields;
    uint32_t cpu, tid;
    bool has_tid;
};

/* ---- scheduling ------------------------------------------------------------------------------ */

/*
 * Bits of a task's state. Since Linux 4.14, tracers get the bits that the kernel reports, which
 * include one for idle kernel threads. Before, they got the scheduler's bits.
 */
enum {
    TASK_SLEEPS = 0x03, /* interruptible or not */
    TASK_STOPPED_OR_TRACED = 0x0c,
    TASK_EXITED = 0x30,
    TASK_IS_PARKED = 0x40,
    TASK_IS_IDLE = 0x80,
    OLD_TASK_DEAD = 0x40,
};

static enum kernel_prev_state prev_state_of(const struct ctf_kernel *kernel, uint64_t state)
{
    const unsigned dead = TASK_EXITED | (kernel->old_task_states ? OLD_TASK_DEAD : 0),
                   blocked = TASK_SLEEPS | (kernel->old_task_states ? 0 : TASK_IS_IDLE),
                   other = TASK_STOPPED_OR_TRACED | TASK_IS_PARKED;
    return state & dead      ? KERNEL_DEAD
           : state & blocked ? KERNEL_BLOCKED
           : state & other   ? KERNEL_OTHER
                             : KERNEL_RUNNABLE;
}

static enum ctf_reading on_switch(struct ctf_kernel *k, const struct event *e)
{
    uint32_t prev_tid, next_tid;
    int32_t prev_prio, next_prio;
    uint64_t state;
    struct bo_span comm;
    if (!tid_in(k, e->fields, "prev_tid", &prev_tid) ||
        !tid_in(k, e->fields, "next_tid", &next_tid) ||
        !prio_in(k, e->fields, "prev_prio", &prev_prio) ||
        !prio_in(k, e->fields, "next_prio", &next_prio) ||
        !comm_in(k, e->fields, "next_comm", &comm))
        return CTF_MALFORMED;
    k->lacks = "prev_state";
    if (!ctf_number(e->fields, "prev_state", &state))
        return CTF_MALFORMED;
    return done(clean(k, &comm) &&
                kernel_switch(&k->states, e->cpu, prev_tid, prev_state_of(k, state), prev_prio,
                              comm, next_tid, next_prio));
}

static enum ctf_reading on_wakeup(struct ctf_kernel *k, const struct event *e)
{
    uint32_t tid, cpu;
    int32_t prio;
    return tid_in(k, e->fields, "tid", &tid) && prio_in(k, e->fields, "prio", &prio) &&
                   cpu_in(k, e->fields, "target_cpu", &cpu)
               ? done(kernel_wakeup(&k->states, tid, prio, cpu))
               : CTF_MALFORMED;
}

static enum ctf_reading on_migrate(struct ctf_kernel *k, const struct event *e)
{
    uint32_t tid, cpu;
    return tid_in(k, e->fields, "tid", &tid) && cpu_in(k, e->fields, "dest_cpu", &cpu)
               ? done(kernel_migrate(&k->states, tid, cpu))
               : CTF_MALFORMED;
}

static enum ctf_reading on_prio(struct ctf_kernel *k, const struct event *e)
{
    uint32_t tid;
    int32_t prio;
    return tid_in(k, e->fields, "tid", &tid) && prio_in(k, e->fields, "newprio", &prio)
               ? done(kernel_prio(&k->states, tid, prio))
               : CTF_MALFORMED;
}

/* Old tracers do not record the child's process. */
static enum ctf_reading on_fork(struct ctf_kernel *k, const struct event *e)
{
    uint32_t parent, tid, pid;
    struct bo_span comm;
    if (!tid_in(k, e->fields, "parent_tid", &parent) || !tid_in(k, e->fields, "child_tid", &tid) ||
        !comm_in(k, e->fields, "child_comm", &comm))
        return CTF_MALFORMED;
    return done(
        clean(k, &comm) && kernel_fork(&k->states, parent, tid, comm) &&
        (!tid_in(k, e->fields, "child_pid", &pid) || kernel_process(&k->states, e->cpu, tid, pid)));
}

static enum ctf_reading on_free(struct ctf_kernel *k, const struct event *e)
{
    uint32_t tid;
    return tid_in(k, e->fields, "tid", &tid) ? done(kernel_free(&k->states, tid)) : CTF_MALFORMED;
}

/*
 * The event has the program's path, but no name. Without a context, the next switch gives the name.
 */
static enum ctf_reading on_exec(struct ctf_kernel *k, const struct event *e)
{
    struct bo_span comm;
    return !e->has_tid || !ctf_context_text(e->fields, "procname", &comm)
               ? CTF_READ
               : done(clean(k, &comm) && kernel_name(&k->states, e->cpu, e->tid, comm));
}

static enum ctf_reading on_dumped(struct ctf_kernel *k, const struct event *e)
{
    enum { WAITS_FOR_CPU = 2 };
    uint32_t tid, pid, ppid;
    uint64_t status;
    struct bo_span comm;
    if (!tid_in(k, e->fields, "tid", &tid) || !tid_in(k, e->fields, "pid", &pid) ||
        !tid_in(k, e->fields, "ppid", &ppid) || !comm_in(k, e->fields, "name", &comm))
        return CTF_MALFORMED;
    k->lacks = "status";
    if (!ctf_number(e->fields, "status", &status))
        return CTF_MALFORMED;
    return done(clean(k, &comm) &&
                kernel_dumped(&k->states, tid, pid, ppid, comm, status == WAITS_FOR_CPU));
}

/* ---- interrupts ------------------------------------------------------------------------------ */

static enum ctf_reading on_irq_entry(struct ctf_kernel *k, const struct event *e)
{
    uint32_t irq;
    struct bo_span name;
    return number(k, e->fields, "irq", INT32_MAX, &irq) && comm_in(k, e->fields, "name", &name)
               ? done(clean(k, &name) && kernel_irq_enter(&k->states, e->cpu, irq, name))
               : CTF_MALFORMED;
}

static enum ctf_reading on_irq_exit(struct ctf_kernel *k, const struct event *e)
{
    uint32_t irq;
    return number(k, e->fields, "irq", INT32_MAX, &irq)
               ? done(kernel_irq_exit(&k->states, e->cpu, irq))
               : CTF_MALFORMED;
}

static enum ctf_reading on_soft_irq(struct ctf_kernel *k, const struct event *e,
                                    bool (*change)(struct kernel_states *states, uint32_t cpu,
                                                   uint32_t vector))
{
    uint32_t vector;
    return number(k, e->fields, "vec", INT32_MAX, &vector)
               ? done(change(&k->states, e->cpu, vector))
               : CTF_MALFORMED;
}

static enum ctf_reading on_soft_irq_raise(struct ctf_kernel *k, const struct event *e)
{
    return on_soft_irq(k, e, kernel_soft_irq_raise);
}

static enum ctf_reading on_soft_irq_entry(struct ctf_kernel *k, const struct event *e)
{
    return on_soft_irq(k, e, kernel_soft_irq_enter);
}

static enum ctf_reading on_soft_irq_exit(struct ctf_kernel *k, const struct event *e)
{
    return on_soft_irq(k, e, kernel_soft_irq_exit);
}

/* ---- system calls ---------------------------------------------------------------------------- */

/* The system call in an event's name, which follows one of the prefixes. NULL without a prefix. */
static const char *after(const char *name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (strncmp(name, *prefixes, strlen(*prefixes)) == 0)
            return name + strlen(*prefixes);
    return NULL;
}

/* The prefixes since LTTng 2.6, and before. */
static enum ctf_reading on_system_call(struct ctf_kernel *k, const struct event *e)
{
    static const char *const entries[] = {"syscall_entry_", "compat_syscall_entry_", "sys_",
                                          "compat_sys_", NULL};
    static const char *const exits[] = {"syscall_exit_", "compat_syscall_exit_", "exit_syscall",
                                        NULL};
    char room[KERNEL_CALL_ROOM];
    uint32_t id;
    const char *entered = after(e->fields->name, entries);
    if (!e->has_tid)
        return CTF_READ;
    if (entered && strcmp(entered, "unknown") == 0 && number(k, e->fields, "id", INT32_MAX, &id))
        return done(kernel_sys_enter(&k->states, e->cpu, e->tid, kernel_numbered_call(id, room)));
    if (entered)
        return done(kernel_sys_enter(&k->states, e->cpu, e->tid, bo_span_of(entered)));
    return after(e->fields->name, exits) ? done(kernel_sys_exit(&k->states, e->cpu, e->tid))
                                         : CTF_READ;
}

/* ---- all of it ------------------------------------------------------------------------------- */

enum ctf_reading ctf_kernel_event(struct ctf_kernel *kernel, const struct ctf_event *event)
{
    static const struct handler {
        const char *event;
        enum ctf_reading (*handle)(struct ctf_kernel *kernel, const struct event *e);
    } handlers[] = {
        {"sched_switch", on_switch},
        {"sched_wakeup", on_wakeup},
        {"sched_wakeup_new", on_wakeup},
        {"sched_migrate_task", on_migrate},
        {"sched_pi_setprio", on_prio},
        {"sched_process_fork", on_fork},
        {"sched_process_exec", on_exec},
        {"sched_process_free", on_free},
        {"lttng_statedump_process_state", on_dumped},
        {"irq_handler_entry", on_irq_entry},
        {"irq_handler_exit", on_irq_exit},
        {"irq_softirq_raise", on_soft_irq_raise},
        {"irq_softirq_entry", on_soft_irq_entry},
        {"irq_softirq_exit", on_soft_irq_exit},
        {"softirq_raise", on_soft_irq_raise}, /* before LTTng 2.3 */
        {"softirq_entry", on_soft_irq_entry},
        {"softirq_exit", on_soft_irq_exit},
    };
    struct event e = {.fields = event};
    uint64_t cpu, tid, pid;
    kernel->lacks = "cpu_id";
    if (!ctf_context_number(event, "cpu_id", &cpu) || cpu >= KERNEL_MAX_CPUS)
        return CTF_MALFORMED;
    e.cpu = (uint32_t)cpu;
    const bool has_context = ctf_context_number(event, "tid", &tid) && tid <= INT32_MAX;
    e.has_tid = has_context || kernel_current_thread(&kernel->states, e.cpu, &e.tid);
    if (has_context)
        e.tid = (uint32_t)tid;
    if (has_context && ctf_context_number(event, "pid", &pid) && pid <= INT32_MAX &&
        !kernel_process(&kernel->states, e.cpu, e.tid, (uint32_t)pid))
        return CTF_REFUSED;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (strcmp(event->name, handlers[i].event) == 0)
            return handlers[i].handle(kernel, &e);
    return on_system_call(kernel, &e);
}
