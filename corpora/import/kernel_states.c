/* The states of threads and CPUs, event by event. */
#include "corpora/import/kernel_states.h"

#include <stdio.h>

/* Values as in Trace Compass. */
enum thread_status {
    WAIT_BLOCKED = 1,
    RUN_USERMODE = 2,
    RUN_SYSCALL = 3,
    INTERRUPTED = 4,
    WAIT_FOR_CPU = 5,
    WAIT_UNKNOWN = 6,
};
enum cpu_status { CPU_IDLE = 0, CPU_USERMODE = 2, CPU_SYSCALL = 4, CPU_SOFT_IRQ = 8, CPU_IRQ = 16 };
enum soft_irq_status { SOFT_IRQ_RAISED = 1, SOFT_IRQ_RUNS = 8 }; /* or both */

/* ---- attributes ------------------------------------------------------------------------------ */

bool kernel_states_init(struct kernel_states *states, int64_t start, struct bo_arena *arena)
{
    *states = (struct kernel_states){.irqs = STATEHIST_ROOT, .soft_irqs = STATEHIST_ROOT};
    return state_system_init(&states->system, start, arena) &&
           bo_texts_init(&states->irq_numbers, true, arena) &&
           state_attribute(&states->system, STATEHIST_ROOT, bo_span_of("Threads"),
                           &states->threads) &&
           state_attribute(&states->system, STATEHIST_ROOT, bo_span_of("CPUs"), &states->cpus);
}

static bool numbered(struct kernel_states *states, uint32_t parent, uint32_t number,
                     uint32_t *quark_ret)
{
    char name[16];
    snprintf(name, sizeof name, "%lu", (unsigned long)number);
    return state_attribute(&states->system, parent, bo_span_of(name), quark_ret);
}

static bool cpu_node(struct kernel_states *states, uint32_t cpu, uint32_t *quark_ret)
{
    return numbered(states, states->cpus, cpu, quark_ret);
}

/* Each CPU has a thread 0 of its own, with the CPU in its name. */
static bool thread_node(struct kernel_states *states, uint32_t cpu, uint32_t tid,
                        uint32_t *quark_ret)
{
    char name[16];
    if (tid)
        return numbered(states, states->threads, tid, quark_ret);
    snprintf(name, sizeof name, "0_%lu", (unsigned long)cpu);
    return state_attribute(&states->system, states->threads, bo_span_of(name), quark_ret);
}

static bool set_int(struct kernel_states *states, uint32_t quark, int32_t value)
{
    return state_set(&states->system, quark, STATEHIST_INT, (uint64_t)(int64_t)value);
}

static bool set_null(struct kernel_states *states, uint32_t quark)
{
    return state_set(&states->system, quark, STATEHIST_NULL, 0);
}

static bool set_field(struct kernel_states *states, uint32_t node, const char *field, int32_t value)
{
    uint32_t quark;
    return state_attribute(&states->system, node, bo_span_of(field), &quark) &&
           set_int(states, quark, value);
}

static bool set_text(struct kernel_states *states, uint32_t node, const char *field,
                     struct bo_span value)
{
    uint32_t quark;
    return state_attribute(&states->system, node, bo_span_of(field), &quark) &&
           state_set_string(&states->system, quark, value);
}

static bool clear_field(struct kernel_states *states, uint32_t node, const char *field)
{
    uint32_t quark;
    return state_attribute(&states->system, node, bo_span_of(field), &quark) &&
           set_null(states, quark);
}

/* The current value of an attribute; null without one. */
static struct statehist_interval value_of(const struct kernel_states *states, uint32_t node,
                                          const char *field)
{
    const uint32_t quark = state_find(&states->system, node, bo_span_of(field));
    return quark == STATEHIST_ROOT ? (struct statehist_interval){.type = STATEHIST_NULL}
                                   : states->system.open[quark];
}

static bool is_in_syscall(const struct kernel_states *states, uint32_t thread)
{
    return value_of(states, thread, "System_call").type == STATEHIST_STRING;
}

static bool set_running(struct kernel_states *states, uint32_t thread)
{
    return set_int(states, thread, is_in_syscall(states, thread) ? RUN_SYSCALL : RUN_USERMODE);
}

/* ---- scheduling ------------------------------------------------------------------------------ */

/* The state of a CPU outside of interrupts. */
static bool set_cpu_running(struct kernel_states *states, uint32_t cpu_quark, uint32_t thread,
                            uint32_t tid)
{
    return set_int(states, cpu_quark,
                   tid == 0                        ? CPU_IDLE
                   : is_in_syscall(states, thread) ? CPU_SYSCALL
                                                   : CPU_USERMODE);
}

static bool leave(struct kernel_states *states, uint32_t thread, enum kernel_prev_state state,
                  int32_t prio)
{
    static const int32_t status[] = {WAIT_FOR_CPU, WAIT_BLOCKED, 0, WAIT_UNKNOWN};
    if (!set_field(states, thread, "Prio", prio))
        return false;
    if (state == KERNEL_DEAD)
        return set_null(states, thread) && clear_field(states, thread, "Current_cpu_rq");
    return set_int(states, thread, status[state]) &&
           (state == KERNEL_RUNNABLE || clear_field(states, thread, "Current_cpu_rq"));
}

bool kernel_switch(struct kernel_states *states, uint32_t cpu, uint32_t prev_tid,
                   enum kernel_prev_state prev_state, int32_t prev_prio, struct bo_span next_comm,
                   uint32_t next_tid, int32_t next_prio)
{
    uint32_t prev, next, node;
    return thread_node(states, cpu, prev_tid, &prev) &&
           leave(states, prev, prev_state, prev_prio) &&
           thread_node(states, cpu, next_tid, &next) && set_running(states, next) &&
           set_field(states, next, "Current_cpu_rq", (int32_t)cpu) &&
           set_text(states, next, "Exec_name", next_comm) &&
           set_field(states, next, "Prio", next_prio) && cpu_node(states, cpu, &node) &&
           set_field(states, node, "Current_thread", (int32_t)next_tid) &&
           set_cpu_running(states, node, next, next_tid);
}

/* A wakeup does not change a thread that is running. */
bool kernel_wakeup(struct kernel_states *states, uint32_t tid, int32_t prio, uint32_t target_cpu)
{
    uint32_t thread;
    if (!thread_node(states, target_cpu, tid, &thread))
        return false;
    const struct statehist_interval *now = &states->system.open[thread];
    const bool runs =
        now->type == STATEHIST_INT &&
        (now->value == RUN_USERMODE || now->value == RUN_SYSCALL || now->value == INTERRUPTED);
    return (runs || set_int(states, thread, WAIT_FOR_CPU)) &&
           set_field(states, thread, "Current_cpu_rq", (int32_t)target_cpu) &&
           set_field(states, thread, "Prio", prio);
}

bool kernel_migrate(struct kernel_states *states, uint32_t tid, uint32_t to_cpu)
{
    uint32_t thread;
    return tid == 0 || (thread_node(states, to_cpu, tid, &thread) &&
                        set_field(states, thread, "Current_cpu_rq", (int32_t)to_cpu));
}

bool kernel_prio(struct kernel_states *states, uint32_t tid, int32_t prio)
{
    uint32_t thread;
    return tid == 0 ||
           (thread_node(states, 0, tid, &thread) && set_field(states, thread, "Prio", prio));
}

/* A child starts inside the system call that created it. */
bool kernel_fork(struct kernel_states *states, uint32_t parent_tid, uint32_t tid,
                 struct bo_span comm)
{
    uint32_t parent, child, system_call;
    if (tid == 0)
        return true;
    if (!thread_node(states, 0, parent_tid, &parent) || !thread_node(states, 0, tid, &child) ||
        !state_attribute(&states->system, child, bo_span_of("System_call"), &system_call))
        return false;
    const struct statehist_interval call = value_of(states, parent, "System_call");
    return set_field(states, child, "PPID", (int32_t)parent_tid) &&
           set_text(states, child, "Exec_name", comm) && set_int(states, child, WAIT_FOR_CPU) &&
           state_set(&states->system, system_call, (enum statehist_type)call.type, call.value);
}

/* All attributes of the thread become null. */
bool kernel_free(struct kernel_states *states, uint32_t tid)
{
    static const char *const fields[] = {"Exec_name", "Prio", "System_call",
                                         "PPID",      "PID",  "Current_cpu_rq"};
    uint32_t thread;
    if (tid == 0)
        return true;
    if (!thread_node(states, 0, tid, &thread) || !set_null(states, thread))
        return false;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const uint32_t quark = state_find(&states->system, thread, bo_span_of(fields[i]));
        if (quark != STATEHIST_ROOT && !set_null(states, quark))
            return false;
    }
    return true;
}

/* ---- the running thread ---------------------------------------------------------------------- */

bool kernel_process(struct kernel_states *states, uint32_t cpu, uint32_t tid, uint32_t pid)
{
    uint32_t thread;
    return tid == 0 || (thread_node(states, cpu, tid, &thread) &&
                        set_field(states, thread, "PID", (int32_t)pid));
}

bool kernel_name(struct kernel_states *states, uint32_t cpu, uint32_t tid, struct bo_span comm)
{
    uint32_t thread;
    return thread_node(states, cpu, tid, &thread) && set_text(states, thread, "Exec_name", comm);
}

bool kernel_sys_enter(struct kernel_states *states, uint32_t cpu, uint32_t tid, struct bo_span name)
{
    uint32_t thread, node;
    return thread_node(states, cpu, tid, &thread) &&
           set_text(states, thread, "System_call", name) && set_int(states, thread, RUN_SYSCALL) &&
           cpu_node(states, cpu, &node) && set_int(states, node, CPU_SYSCALL);
}

bool kernel_sys_exit(struct kernel_states *states, uint32_t cpu, uint32_t tid)
{
    uint32_t thread, node;
    return thread_node(states, cpu, tid, &thread) && clear_field(states, thread, "System_call") &&
           set_int(states, thread, RUN_USERMODE) && cpu_node(states, cpu, &node) &&
           set_int(states, node, CPU_USERMODE);
}

bool kernel_current_thread(const struct kernel_states *states, uint32_t cpu, uint32_t *tid_ret)
{
    char name[16];
    snprintf(name, sizeof name, "%lu", (unsigned long)cpu);
    const uint32_t node = state_find(&states->system, states->cpus, bo_span_of(name));
    if (node == STATEHIST_ROOT)
        return false;
    const struct statehist_interval now = value_of(states, node, "Current_thread");
    *tid_ret = (uint32_t)now.value;
    return now.type == STATEHIST_INT;
}

struct bo_span kernel_numbered_call(uint32_t number, char room[KERNEL_CALL_ROOM])
{
    snprintf(room, KERNEL_CALL_ROOM, "syscall_%lu", (unsigned long)number);
    return bo_span_of(room);
}

/* ---- the state before the trace began -------------------------------------------------------- */

static bool is_null(const struct kernel_states *states, uint32_t thread, const char *field)
{
    return value_of(states, thread, field).type == STATEHIST_NULL;
}

/* The parent of a thread is its process; the parent of a process is another process. */
bool kernel_dumped(struct kernel_states *states, uint32_t tid, uint32_t pid, uint32_t ppid,
                   struct bo_span comm, bool waits_for_cpu)
{
    uint32_t thread;
    if (tid == 0)
        return true;
    if (!thread_node(states, 0, tid, &thread))
        return false;
    const bool has_status = states->system.open[thread].type != STATEHIST_NULL;
    return (!is_null(states, thread, "Exec_name") || set_text(states, thread, "Exec_name", comm)) &&
           (!is_null(states, thread, "PPID") ||
            set_field(states, thread, "PPID", (int32_t)(tid == pid ? ppid : pid))) &&
           (!is_null(states, thread, "PID") || set_field(states, thread, "PID", (int32_t)pid)) &&
           (has_status || set_int(states, thread, waits_for_cpu ? WAIT_FOR_CPU : WAIT_UNKNOWN));
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* The thread that runs on a CPU, if known: after its first switch. */
static bool current_thread(struct kernel_states *states, uint32_t cpu, uint32_t node,
                           bool *known_ret, uint32_t *tid_ret, uint32_t *thread_ret)
{
    const struct statehist_interval now = value_of(states, node, "Current_thread");
    *known_ret = now.type == STATEHIST_INT;
    *tid_ret = (uint32_t)now.value;
    return !*known_ret || thread_node(states, cpu, *tid_ret, thread_ret);
}

/* An attribute below a directory of the CPU, and the attribute of the same name for all CPUs. */
static bool interrupt_nodes(struct kernel_states *states, uint32_t cpu, const char *directory,
                            uint32_t *all, struct bo_span name, uint32_t *one_ret,
                            uint32_t *all_ret)
{
    uint32_t node, folder;
    return cpu_node(states, cpu, &node) &&
           state_attribute(&states->system, node, bo_span_of(directory), &folder) &&
           state_attribute(&states->system, folder, name, one_ret) &&
           (*all != STATEHIST_ROOT ||
            state_attribute(&states->system, STATEHIST_ROOT, bo_span_of(directory), all)) &&
           state_attribute(&states->system, *all, name, all_ret);
}

static bool interrupt(struct kernel_states *states, uint32_t cpu, enum cpu_status status)
{
    uint32_t node, tid, thread;
    bool known;
    return cpu_node(states, cpu, &node) &&
           current_thread(states, cpu, node, &known, &tid, &thread) &&
           (!known || set_int(states, thread, INTERRUPTED)) && set_int(states, node, status);
}

/* The interrupt depth of a CPU. */
static struct kernel_cpu *cpu_of(struct kernel_states *states, uint32_t cpu)
{
    if (cpu >= states->n_cpus) {
        const size_t n = states->n_cpus;
        const size_t n_more = (size_t)cpu + 1 - n;
        if (!bo_grow(states->system.builder.arena, &states->per_cpu, n, n_more, &states->cap_cpus))
            return NULL;
        memset(states->per_cpu + n, 0, n_more * sizeof *states->per_cpu);
        states->n_cpus = n + n_more;
    }
    return &states->per_cpu[cpu];
}

/* Returns to the interrupted state: another interrupt, or a thread. */
static bool resume(struct kernel_states *states, uint32_t cpu)
{
    uint32_t node, tid, thread;
    bool known;
    const struct kernel_cpu *depth = cpu_of(states, cpu);
    if (!depth || !cpu_node(states, cpu, &node) ||
        !current_thread(states, cpu, node, &known, &tid, &thread))
        return false;
    if (depth->irqs || depth->soft_irqs)
        return set_int(states, node, depth->irqs ? CPU_IRQ : CPU_SOFT_IRQ);
    return known ? set_running(states, thread) && set_cpu_running(states, node, thread, tid)
                 : set_null(states, node);
}

static const struct kernel_irq *find_irq(const struct kernel_states *states, uint32_t number)
{
    const struct bo_span bytes = {(const uint8_t *)&number, sizeof number};
    const uint32_t i = bo_texts_find(&states->irq_numbers, bytes);
    return i == BO_NO_TEXT ? NULL : &states->known_irqs[i];
}

/* The first name of an interrupt stays. */
static const struct kernel_irq *know_irq(struct kernel_states *states, uint32_t number,
                                         struct bo_span name)
{
    const struct kernel_irq *known = find_irq(states, number);
    const struct bo_span bytes = {(const uint8_t *)&number, sizeof number};
    struct bo_arena *arena = states->system.builder.arena;
    uint32_t i;
    char digits[16];
    if (known)
        return known;
    const size_t n = (size_t)snprintf(digits, sizeof digits, "%lu/", (unsigned long)number);
    uint8_t *joined = bo_alloc(arena, n + name.n);
    if (!joined ||
        !bo_grow(arena, &states->known_irqs, states->irq_numbers.n, 1, &states->cap_known_irqs) ||
        !bo_texts_add(&states->irq_numbers, bytes, &i))
        return NULL;
    memcpy(joined, digits, n);
    if (name.n)
        memcpy(joined + n, name.p, name.n);
    states->known_irqs[i] = (struct kernel_irq){{joined, n + name.n}};
    return &states->known_irqs[i];
}

bool kernel_irq_enter(struct kernel_states *states, uint32_t cpu, uint32_t number,
                      struct bo_span name)
{
    uint32_t one, all;
    const struct kernel_irq *irq = know_irq(states, number, name);
    struct kernel_cpu *depth = cpu_of(states, cpu);
    if (!irq || !depth)
        return false;
    depth->irqs++;
    return interrupt_nodes(states, cpu, "IRQs", &states->irqs, irq->name, &one, &all) &&
           set_int(states, one, (int32_t)cpu) && set_int(states, all, (int32_t)cpu) &&
           interrupt(states, cpu, CPU_IRQ);
}

bool kernel_irq_exit(struct kernel_states *states, uint32_t cpu, uint32_t number)
{
    uint32_t one, all;
    const struct kernel_irq *irq = find_irq(states, number);
    if (!irq)
        return true;
    struct kernel_cpu *depth = cpu_of(states, cpu);
    if (!depth)
        return false;
    depth->irqs -= depth->irqs > 0; /* a trace may begin inside an interrupt */
    return interrupt_nodes(states, cpu, "IRQs", &states->irqs, irq->name, &one, &all) &&
           set_null(states, one) && set_null(states, all) && resume(states, cpu);
}

/* Sets the bits of one vector, on one CPU and on all CPUs (the latter reflect the latest CPU). */
static bool set_bits(struct kernel_states *states, uint32_t cpu, uint32_t vector, uint64_t kept,
                     uint64_t added)
{
    uint32_t nodes[2];
    char name[16];
    snprintf(name, sizeof name, "%lu", (unsigned long)vector);
    if (!interrupt_nodes(states, cpu, "Soft_IRQs", &states->soft_irqs, bo_span_of(name), &nodes[0],
                         &nodes[1]))
        return false;
    const struct statehist_interval *now = &states->system.open[nodes[0]];
    const uint64_t bits = ((now->type == STATEHIST_INT ? now->value : 0) & kept) | added;
    for (unsigned i = 0; i < 2; i++)
        if (!(bits ? set_int(states, nodes[i], (int32_t)bits) : set_null(states, nodes[i])))
            return false;
    return true;
}

bool kernel_soft_irq_raise(struct kernel_states *states, uint32_t cpu, uint32_t vector)
{
    return set_bits(states, cpu, vector, SOFT_IRQ_RUNS, SOFT_IRQ_RAISED);
}

bool kernel_soft_irq_enter(struct kernel_states *states, uint32_t cpu, uint32_t vector)
{
    struct kernel_cpu *depth = cpu_of(states, cpu);
    if (!depth)
        return false;
    depth->soft_irqs++;
    return set_bits(states, cpu, vector, 0, SOFT_IRQ_RUNS) && interrupt(states, cpu, CPU_SOFT_IRQ);
}

bool kernel_soft_irq_exit(struct kernel_states *states, uint32_t cpu, uint32_t vector)
{
    struct kernel_cpu *depth = cpu_of(states, cpu);
    if (!depth)
        return false;
    depth->soft_irqs -= depth->soft_irqs > 0;
    return set_bits(states, cpu, vector, SOFT_IRQ_RAISED, 0) && resume(states, cpu);
}
