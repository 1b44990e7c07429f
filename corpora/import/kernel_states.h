/*
 * The states of Linux threads and CPUs that follow from a kernel's trace events, as Trace Compass'
 * kernel analysis has them: Threads/<tid>, CPUs/<n>, IRQs and Soft_IRQs.
 * corpora/statehist/README.md has the rules.
 */
#ifndef BO_KERNEL_STATES_H
#define BO_KERNEL_STATES_H

#include "corpora/import/state_system.h"

enum { KERNEL_MAX_CPUS = 1 << 16 }; /* CPUs have smaller numbers */

struct kernel_cpu {
    uint32_t irqs, soft_irqs; /* begun and not ended */
};

struct kernel_states {
    struct state_system system;
    /* quarks; the last two are created when first needed */
    uint32_t threads, cpus, irqs, soft_irqs;
    struct kernel_cpu *per_cpu;
    size_t n_cpus, cap_cpus;
    /* interrupts that began at least once */
    struct bo_texts irq_numbers; /* each 4 bytes */
    struct kernel_irq *known_irqs;
    size_t cap_known_irqs;
};

/* The name of an interrupt is only known from its begin. */
struct kernel_irq {
    struct bo_span name; /* "14/ata_piix" */
};

/* The state in which a thread left its CPU. */
enum kernel_prev_state { KERNEL_RUNNABLE, KERNEL_BLOCKED, KERNEL_DEAD, KERNEL_OTHER };

/* Each returns false when the arena refuses. Thread 0 is a different one on each CPU. */
bool kernel_states_init(struct kernel_states *states, int64_t start, struct bo_arena *arena);

bool kernel_switch(struct kernel_states *states, uint32_t cpu, uint32_t prev_tid,
                   enum kernel_prev_state prev_state, int32_t prev_prio, struct bo_span next_comm,
                   uint32_t next_tid, int32_t next_prio);
bool kernel_wakeup(struct kernel_states *states, uint32_t tid, int32_t prio, uint32_t target_cpu);
bool kernel_migrate(struct kernel_states *states, uint32_t tid, uint32_t to_cpu);
bool kernel_prio(struct kernel_states *states, uint32_t tid, int32_t prio);
bool kernel_fork(struct kernel_states *states, uint32_t parent_tid, uint32_t tid,
                 struct bo_span comm);
bool kernel_free(struct kernel_states *states, uint32_t tid);

/* The state or property of the thread that runs on a CPU: */
bool kernel_process(struct kernel_states *states, uint32_t cpu, uint32_t tid, uint32_t pid);
bool kernel_name(struct kernel_states *states, uint32_t cpu, uint32_t tid, struct bo_span comm);
bool kernel_sys_enter(struct kernel_states *states, uint32_t cpu, uint32_t tid,
                      struct bo_span name);
bool kernel_sys_exit(struct kernel_states *states, uint32_t cpu, uint32_t tid);

/* The end of an interrupt without a recorded begin changes nothing. */
bool kernel_irq_enter(struct kernel_states *states, uint32_t cpu, uint32_t irq,
                      struct bo_span name);
bool kernel_irq_exit(struct kernel_states *states, uint32_t cpu, uint32_t irq);
bool kernel_soft_irq_raise(struct kernel_states *states, uint32_t cpu, uint32_t vector);
bool kernel_soft_irq_enter(struct kernel_states *states, uint32_t cpu, uint32_t vector);
bool kernel_soft_irq_exit(struct kernel_states *states, uint32_t cpu, uint32_t vector);

/* The thread that runs on a CPU. False until the CPU's first switch. */
bool kernel_current_thread(const struct kernel_states *states, uint32_t cpu, uint32_t *tid_ret);

/* The state dump at a trace's start, for one thread. It only sets unknown values. */
bool kernel_dumped(struct kernel_states *states, uint32_t tid, uint32_t pid, uint32_t ppid,
                   struct bo_span comm, bool waits_for_cpu);

/* The name of a system call of which only the number is known: "syscall_439", in `room`. */
enum { KERNEL_CALL_ROOM = 24 };
struct bo_span kernel_numbered_call(uint32_t number, char room[KERNEL_CALL_ROOM]);

#endif
