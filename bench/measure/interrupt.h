/* SIGINT and SIGTERM while a run measures: it stops, and keeps what it has. */
#ifndef BO_INTERRUPT_H
#define BO_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * From now on the first SIGINT or SIGTERM makes bo_interrupted true and kills the process that
 * bo_interrupt_kills names. The second one ends this program.
 */
void bo_interrupt_watch(void);

bool bo_interrupted(void);

/* The process to kill; 0 for none. The caller still waits for it. */
void bo_interrupt_kills(pid_t pid);

#endif
