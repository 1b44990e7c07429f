/* Handles signals that interrupt a run. */
#include "bench/measure/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t interrupted;
static volatile pid_t victim; /* sig_atomic_t is an int, as pid_t is */

_Static_assert(sizeof(pid_t) == sizeof(sig_atomic_t), "a pid is read and written at once");

/* `timeout` sends a signal to a process and then to its group, so the process gets it twice. */
enum { ONE_REQUEST_S = 1 };

static void on_signal(int signal_number)
{
    static struct timespec first;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!interrupted)
        first = now;
    else if (now.tv_sec - first.tv_sec > ONE_REQUEST_S) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    interrupted = 1;
    if (victim > 0)
        kill(victim, SIGKILL);
}

void bo_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool bo_interrupted(void)
{
    return interrupted != 0;
}

void bo_interrupt_kills(pid_t pid)
{
    victim = pid;
}
