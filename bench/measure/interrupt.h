/* SIGINT and SIGTERM during a run: the run stops and keeps its results so far. */
#ifndef BO_INTERRUPT_H
#define BO_INTERRUPT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Installs the handlers. The first SIGINT or SIGTERM makes bo_interrupted true and kills the
 * process given to bo_interrupt_kills. A signal that arrives at least two seconds after the first
 * one ends this program.
 */
void bo_interrupt_watch(void);

bool bo_interrupted(void);

/* Sets the process to kill; 0 for none. The caller must still wait for it. */
void bo_interrupt_kills(pid_t pid);

#endif
