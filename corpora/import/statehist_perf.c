/*
 * The importer of kernel traces as `perf script` prints them: the tracepoints of sched,
 * raw_syscalls and irq become states of threads and CPUs.
 *
 *   make 30599/30599 [000]  2990.476402123: sched:sched_switch: prev_comm=make prev_pid=30599 ...
 *
 * A line contains the name of a task, its thread or process/thread, the CPU, seconds, the event,
 * and the text for it, of the kernel or of a plugin of libtraceevent. The only comment that is read
 * is `# arch : x86_64`: it determines the names of system calls. Events that do not change states
 * are skipped.
 */
#include "corpora/import/import.h"
#include "corpora/import/kernel_states.h"
#include "harness/core/text.h"

/* ---- lines ----------------------------------------------------------------------------------- */

/* One event; spans point into the file. */
struct event {
    struct bo_span comm;
    uint32_t pid, tid, cpu; /* pid is tid if only the tid is known */
    bool has_pid, has_tid;  /* the kernel has no numbers for a task that has ended */
    int64_t time;           /* ns */
    struct bo_span name;    /* "sched:sched_switch" */
    struct bo_span text;    /* the kernel's text */
};

struct importer {
    struct bo_span file;
    struct bo_arena *arena;
    struct bo_error *err;
    struct kernel_states states;
    size_t n_events;
    bool is_x86_64;
};

static enum bo_status fail_at(const struct importer *in, const uint8_t *at, const char *what)
{
    return bo_fail(in->err, BO_CORRUPT, (uint64_t)(at - in->file.p), what);
}

static struct bo_span slice(const uint8_t *from, const uint8_t *to)
{
    return (struct bo_span){from, (size_t)(to - from)};
}

/*
 * Reads decimal digits, leading zeros allowed, at least one. False when the number exceeds `most`.
 */
static bool take_digits(const uint8_t **at, const uint8_t *end, uint64_t most, uint64_t *v_ret)
{
    const uint8_t *p = *at;
    uint64_t v = 0;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        v = 10 * v + (uint64_t)(*p - '0');
        if (v > most)
            return false;
    }
    const bool any = p > *at;
    *at = p;
    *v_ret = v;
    return any;
}

static bool take_char(const uint8_t **at, const uint8_t *end, char c)
{
    if (*at == end || **at != (uint8_t)c)
        return false;
    ++*at;
    return true;
}

static void skip_blanks(const uint8_t **at, const uint8_t *end)
{
    while (*at < end && **at == ' ')
        ++*at;
}

/* Reads seconds and a fraction of up to nine digits: perf prints six or nine. */
static bool take_time(const uint8_t **at, const uint8_t *end, int64_t *time_ret)
{
    uint64_t seconds, fraction;
    if (!take_digits(at, end, INT64_MAX / 1000000000 - 1, &seconds) || !take_char(at, end, '.'))
        return false;
    const uint8_t *start = *at;
    if (!take_digits(at, end, 999999999, &fraction) || *at - start > 9)
        return false;
    for (ptrdiff_t n = *at - start; n < 9; n++)
        fraction *= 10;
    *time_ret = (int64_t)(1000000000 * seconds + fraction);
    return true;
}

/* Reads from a bracket on: "[000]  2990.476402: sched:sched_switch: ..." */
static bool read_tail(const uint8_t *at, const uint8_t *end, struct event *event)
{
    uint64_t cpu;
    if (!take_char(&at, end, '[') || !take_digits(&at, end, KERNEL_MAX_CPUS - 1, &cpu) ||
        !take_char(&at, end, ']'))
        return false;
    event->cpu = (uint32_t)cpu;
    skip_blanks(&at, end);
    if (!take_time(&at, end, &event->time) || !take_char(&at, end, ':'))
        return false;
    skip_blanks(&at, end);
    const uint8_t *name = at;
    while (at < end && *at != ' ' && *at != '[') /* each bracket is tried: names end at the next */
        at++;
    if (at - name < 2 || at[-1] != ':')
        return false;
    event->name = slice(name, at - 1);
    skip_blanks(&at, end);
    event->text = slice(at, end);
    return true;
}

/* A number of a task, or -1. */
static bool take_task(const uint8_t **at, const uint8_t *end, uint32_t *number_ret, bool *has_ret)
{
    uint64_t number;
    *has_ret = !take_char(at, end, '-');
    if (!take_digits(at, end, *has_ret ? INT32_MAX : 1, &number))
        return false;
    *number_ret = (uint32_t)number;
    return *has_ret || number == 1;
}

/* Reads up to a bracket: "    make 30599/30599 ". Names may contain blanks and brackets. */
static bool read_head(const uint8_t *start, const uint8_t *end, struct event *event)
{
    while (end > start && end[-1] == ' ')
        end--;
    const uint8_t *at = end;
    while (at > start && ((at[-1] >= '0' && at[-1] <= '9') || at[-1] == '/' || at[-1] == '-'))
        at--;
    const uint8_t *name_end = at;
    if (at == start || at[-1] != ' ' || !take_task(&at, end, &event->tid, &event->has_tid))
        return false;
    event->pid = event->tid;
    event->has_pid = at < end && event->has_tid;
    if (at < end && (!take_char(&at, end, '/') ||
                     !take_task(&at, end, &event->tid, &event->has_tid) || at < end))
        return false;
    event->has_pid = event->has_pid && event->has_tid;
    skip_blanks(&start, name_end);
    while (name_end > start && name_end[-1] == ' ')
        name_end--;
    event->comm = slice(start, name_end);
    return name_end > start;
}

static bool read_event(struct bo_span line, struct event *event)
{
    const uint8_t *end = line.p + line.n, *at = line.p;
    for (; at < end && (at = memchr(at, '[', (size_t)(end - at))); at++)
        if (read_tail(at, end, event) && read_head(line.p, at, event))
            return true;
    return false;
}

/* ---- the text of an event -------------------------------------------------------------------- */

/*
 * Names of tasks come before the numbers that describe them, and any user can set a name to
 * "a pid=7". So fields are searched from the end, and so are the ends of names.
 */
static bool cut_at_last(struct bo_span *text, const char *word, struct bo_span *rest_ret)
{
    const size_t n = strlen(word);
    for (size_t i = text->n < n ? 0 : text->n - n + 1; i-- > 0;)
        if (memcmp(text->p + i, word, n) == 0) {
            *rest_ret = slice(text->p + i + n, text->p + text->n);
            text->n = i;
            return true;
        }
    return false;
}

/* A number, perhaps with zeros before it, and what follows it. */
static bool number_at(struct bo_span text, uint64_t most, uint32_t *v_ret)
{
    const uint8_t *at = text.p;
    uint64_t v;
    if (!take_digits(&at, text.p + text.n, most, &v))
        return false;
    *v_ret = (uint32_t)v;
    return true;
}

/* Priorities may be negative. */
static bool signed_at(struct bo_span text, int32_t *v_ret)
{
    const bool negative = text.n && text.p[0] == '-';
    uint32_t v;
    if (!number_at((struct bo_span){text.p + negative, text.n - negative}, INT32_MAX, &v))
        return false;
    *v_ret = negative ? -(int32_t)v : (int32_t)v;
    return true;
}

static bool number_of(struct bo_span text, const char *key, uint64_t most, uint32_t *v_ret)
{
    struct bo_span value;
    return cut_at_last(&text, key, &value) && number_at(value, most, v_ret);
}

static bool prio_of(struct bo_span text, const char *key, int32_t *v_ret)
{
    struct bo_span value;
    return cut_at_last(&text, key, &value) && signed_at(value, v_ret);
}

/* The number after the key that starts the text. */
static bool first_number_of(struct bo_span text, const char *key, uint32_t *v_ret)
{
    struct bo_span value;
    return bo_word_after(text, key, &value) && number_at(value, INT32_MAX, v_ret);
}

/* ---- events ---------------------------------------------------------------------------------- */

enum reading { READ, MALFORMED, REFUSED /* the arena refused memory */ };

static enum reading done(bool ok)
{
    return ok ? READ : REFUSED;
}

struct task {
    struct bo_span comm;
    uint32_t tid;
    int32_t prio;
};

/* "make:30599 [120]", as libtraceevent's plugin for the scheduler prints tasks. */
static bool read_plugin_task(struct bo_span text, struct task *task)
{
    struct bo_span prio, tid;
    task->comm = text;
    if (!cut_at_last(&task->comm, " [", &prio) || prio.n < 2 || prio.p[prio.n - 1] != ']' ||
        !cut_at_last(&task->comm, ":", &tid))
        return false;
    return number_at(tid, INT32_MAX, &task->tid) && signed_at(prio, &task->prio);
}

/*
 * Letters such as "R+" or, of older kernels and of the plugin, "D|K". Kernels before 4.14 print an
 * end as x, and plugins from that time print an idle thread of a later kernel as W.
 */
static enum kernel_prev_state prev_state_of(struct bo_span state)
{
    for (size_t i = 0; i < state.n; i++)
        if (memchr("XZx", state.p[i], 3))
            return KERNEL_DEAD;
    switch (state.n ? state.p[0] : 0) {
    case 'R':
        return KERNEL_RUNNABLE;
    case 'S':
    case 'D':
    case 'I':
    case 'W':
        return KERNEL_BLOCKED;
    default:
        return KERNEL_OTHER;
    }
}

/* Both sides of an arrow, as the kernel or the plugin prints them. */
static bool read_switch(struct bo_span before, struct bo_span after, struct task *prev,
                        struct bo_span *state, struct task *next)
{
    struct bo_span text = before, unused;
    if (bo_word_after(after, "next_comm=", &next->comm) &&
        cut_at_last(&text, " prev_state=", state) && !memchr(state->p, ' ', state->n) &&
        number_of(text, " prev_pid=", INT32_MAX, &prev->tid) &&
        prio_of(text, " prev_prio=", &prev->prio) &&
        number_of(next->comm, " next_pid=", INT32_MAX, &next->tid) &&
        prio_of(next->comm, " next_prio=", &next->prio) &&
        cut_at_last(&next->comm, " next_pid=", &unused))
        return true;
    return cut_at_last(&before, " ", state) && read_plugin_task(before, prev) &&
           read_plugin_task(after, next);
}

static enum reading on_switch(struct importer *in, const struct event *e)
{
    enum { MAX_ARROWS = 4 }; /* of the event, and in the name of the next task */
    struct bo_span before = e->text, after, state;
    struct task prev, next;
    bool found = false;
    for (unsigned i = 0; i < MAX_ARROWS && !found && cut_at_last(&before, " ==> ", &after); i++) {
        after.n = (size_t)(e->text.p + e->text.n - after.p);
        found = read_switch(before, after, &prev, &state, &next);
    }
    if (!found)
        return MALFORMED;
    return done(state_clean_text(in->arena, &next.comm) &&
                kernel_switch(&in->states, e->cpu, prev.tid, prev_state_of(state), prev.prio,
                              next.comm, next.tid, next.prio));
}

/* "comm=make pid=8 prio=120 target_cpu=001", or the plugin's "make:8 [120] success=1 CPU:001". */
static enum reading on_wakeup(struct importer *in, const struct event *e)
{
    struct bo_span text = e->text, rest;
    struct task task;
    uint32_t cpu;
    if (number_of(text, " target_cpu=", KERNEL_MAX_CPUS - 1, &cpu)) {
        if (!number_of(text, " pid=", INT32_MAX, &task.tid) || !prio_of(text, " prio=", &task.prio))
            return MALFORMED;
    } else {
        if (!cut_at_last(&text, " CPU:", &rest) || !number_at(rest, KERNEL_MAX_CPUS - 1, &cpu))
            return MALFORMED;
        if (!read_plugin_task(text, &task) &&
            !(cut_at_last(&text, " success=", &rest) && read_plugin_task(text, &task)))
            return MALFORMED;
    }
    return done(kernel_wakeup(&in->states, task.tid, task.prio, cpu));
}

static enum reading on_migrate(struct importer *in, const struct event *e)
{
    uint32_t tid, cpu;
    if (!number_of(e->text, " pid=", INT32_MAX, &tid) ||
        !number_of(e->text, " dest_cpu=", KERNEL_MAX_CPUS - 1, &cpu))
        return MALFORMED;
    return done(kernel_migrate(&in->states, tid, cpu));
}

static enum reading on_prio(struct importer *in, const struct event *e)
{
    uint32_t tid;
    int32_t prio;
    if (!number_of(e->text, " pid=", INT32_MAX, &tid) || !prio_of(e->text, " newprio=", &prio))
        return MALFORMED;
    return done(kernel_prio(&in->states, tid, prio));
}

static enum reading on_fork(struct importer *in, const struct event *e)
{
    uint32_t parent, tid;
    struct bo_span text = e->text, comm, unused;
    if (!cut_at_last(&text, " child_comm=", &comm) ||
        !number_of(text, " pid=", INT32_MAX, &parent) ||
        !number_of(comm, " child_pid=", INT32_MAX, &tid) ||
        !cut_at_last(&comm, " child_pid=", &unused))
        return MALFORMED;
    return done(state_clean_text(in->arena, &comm) && kernel_fork(&in->states, parent, tid, comm));
}

static enum reading on_free(struct importer *in, const struct event *e)
{
    uint32_t tid;
    if (!number_of(e->text, " pid=", INT32_MAX, &tid))
        return MALFORMED;
    return done(kernel_free(&in->states, tid));
}

/* The task already has its new name. */
static enum reading on_exec(struct importer *in, const struct event *e)
{
    struct bo_span comm = e->comm;
    return done(!e->has_tid || (state_clean_text(in->arena, &comm) &&
                                kernel_name(&in->states, e->cpu, e->tid, comm)));
}

static struct bo_span system_call_name(const struct importer *in, uint32_t number,
                                       char room[KERNEL_CALL_ROOM])
{
    static const char *const names[] = {
#define SYSCALL(number, name) [number] = #name,
#include "corpora/import/syscalls_x86_64.def"
#undef SYSCALL
    };
    if (in->is_x86_64 && number < sizeof names / sizeof *names && names[number])
        return bo_span_of(names[number]);
    return kernel_numbered_call(number, room);
}

/* "NR 16 (3f, 2400, ...)". A task that leaves a signal handler enters call -1. */
static enum reading on_sys_enter(struct importer *in, const struct event *e)
{
    char room[KERNEL_CALL_ROOM];
    struct bo_span rest;
    uint32_t number;
    int32_t value;
    if (!bo_word_after(e->text, "NR ", &rest) || !signed_at(rest, &value))
        return MALFORMED;
    if (value < 0 || !e->has_tid)
        return READ;
    number = (uint32_t)value;
    return done(kernel_sys_enter(&in->states, e->cpu, e->tid, system_call_name(in, number, room)));
}

static enum reading on_sys_exit(struct importer *in, const struct event *e)
{
    return done(!e->has_tid || kernel_sys_exit(&in->states, e->cpu, e->tid));
}

/* "irq=14 name=ata_piix" */
static enum reading on_irq_entry(struct importer *in, const struct event *e)
{
    static const char key[] = " name=";
    uint32_t number;
    const uint8_t *end = e->text.p + e->text.n,
                  *at = memmem(e->text.p, e->text.n, key, strlen(key));
    if (!first_number_of(e->text, "irq=", &number) || !at)
        return MALFORMED;
    struct bo_span name = slice(at + strlen(key), end);
    return done(state_clean_text(in->arena, &name) &&
                kernel_irq_enter(&in->states, e->cpu, number, name));
}

static enum reading on_irq_exit(struct importer *in, const struct event *e)
{
    uint32_t number;
    if (!first_number_of(e->text, "irq=", &number))
        return MALFORMED;
    return done(kernel_irq_exit(&in->states, e->cpu, number));
}

static enum reading on_soft_irq_raise(struct importer *in, const struct event *e)
{
    uint32_t vector;
    return first_number_of(e->text, "vec=", &vector)
               ? done(kernel_soft_irq_raise(&in->states, e->cpu, vector))
               : MALFORMED;
}

static enum reading on_soft_irq_entry(struct importer *in, const struct event *e)
{
    uint32_t vector;
    return first_number_of(e->text, "vec=", &vector)
               ? done(kernel_soft_irq_enter(&in->states, e->cpu, vector))
               : MALFORMED;
}

static enum reading on_soft_irq_exit(struct importer *in, const struct event *e)
{
    uint32_t vector;
    return first_number_of(e->text, "vec=", &vector)
               ? done(kernel_soft_irq_exit(&in->states, e->cpu, vector))
               : MALFORMED;
}

static const struct handler {
    const char *event;
    enum reading (*handle)(struct importer *in, const struct event *e);
} handlers[] = {
    {"sched:sched_switch", on_switch},        {"sched:sched_wakeup", on_wakeup},
    {"sched:sched_wakeup_new", on_wakeup},    {"sched:sched_migrate_task", on_migrate},
    {"sched:sched_pi_setprio", on_prio},      {"sched:sched_process_fork", on_fork},
    {"sched:sched_process_exec", on_exec},    {"sched:sched_process_free", on_free},
    {"raw_syscalls:sys_enter", on_sys_enter}, {"raw_syscalls:sys_exit", on_sys_exit},
    {"irq:irq_handler_entry", on_irq_entry},  {"irq:irq_handler_exit", on_irq_exit},
    {"irq:softirq_raise", on_soft_irq_raise}, {"irq:softirq_entry", on_soft_irq_entry},
    {"irq:softirq_exit", on_soft_irq_exit},
};

/* ---- all of it ------------------------------------------------------------------------------- */

static enum bo_status handle(struct importer *in, struct bo_span line, const struct event *event)
{
    if (in->n_events++ == 0 && !kernel_states_init(&in->states, event->time, in->arena))
        return bo_fail_alloc(in->err, in->arena);
    if (event->time < in->states.system.now)
        return fail_at(in, line.p, "time is before that of the previous event");
    in->states.system.now = event->time;
    if (event->has_pid && !kernel_process(&in->states, event->cpu, event->tid, event->pid))
        return bo_fail_alloc(in->err, in->arena);
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        if (!bo_word_is(event->name, handlers[i].event))
            continue;
        const enum reading reading = handlers[i].handle(in, event);
        if (reading == READ)
            return BO_OK;
        return reading == REFUSED
                   ? bo_fail_alloc(in->err, in->arena)
                   : fail_at(in, event->text.p, "fields of the event are missing or malformed");
    }
    return BO_OK;
}

static enum bo_status read_line(struct importer *in, struct bo_span line)
{
    struct event event;
    if (line.n == 0)
        return BO_OK;
    if (line.p[0] == '#') {
        in->is_x86_64 |= bo_word_is(line, "# arch : x86_64");
        return BO_OK;
    }
    if (!read_event(line, &event))
        return fail_at(in, line.p, "line is not an event of perf script");
    return handle(in, line, &event);
}

static enum bo_status import_perf(struct bo_span file, const struct bo_import_options *options,
                                  struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct importer in = {.file = file, .arena = arena, .err = err};
    struct statehist_model *model;
    for (size_t off = 0; off < file.n;) {
        const uint8_t *line = file.p + off, *newline = memchr(line, '\n', file.n - off);
        if (!newline)
            return bo_fail(err, BO_TRUNCATED, file.n, "file ends inside a line");
        const enum bo_status status = read_line(&in, slice(line, newline));
        if (status)
            return status;
        off = (size_t)(newline - file.p) + 1;
    }
    if (in.n_events == 0)
        return bo_fail(err, BO_CORRUPT, file.n, "file has no events");
    const enum bo_status status = state_system_finish(&in.states.system, &model, err);
    if (!status)
        *model_ret = model;
    return status;
}

/*
 * An event follows the comments, if any. Those of `perf script --header` can be longer than what is
 * here of the file; then one of them must be the machine's architecture.
 */
static bool looks_like_perf(struct bo_span file)
{
    static const char arch[] = "# arch : ";
    struct event event;
    bool has_arch = false;
    for (size_t off = 0; off < file.n;) {
        const uint8_t *line = file.p + off, *newline = memchr(line, '\n', file.n - off);
        if (!newline)
            return has_arch;
        if (newline > line && line[0] != '#')
            return read_event(slice(line, newline), &event);
        has_arch = has_arch || ((size_t)(newline - line) > strlen(arch) &&
                                memcmp(line, arch, strlen(arch)) == 0);
        off = (size_t)(newline - file.p) + 1;
    }
    return has_arch;
}

const struct bo_importer statehist_perf_importer = {
    .format = "statehist",
    .name = "perf",
    .summary = "kernel traces that `perf script` prints: sched, raw_syscalls and irq tracepoints",
    .sniff = looks_like_perf,
    .import = import_perf,
};
