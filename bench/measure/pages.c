/* Counts touched pages by page faults. */
#include "bench/measure/pages.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A signal handler can only access its data through a global. */
static struct {
    uint8_t *p;
    size_t nbytes, page;
    volatile size_t n_touched;
    uint8_t *opened; /* per page: made readable since the last rearm */
    struct sigaction before;
} watch;

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    const uintptr_t off = (uintptr_t)info->si_addr - (uintptr_t)watch.p;
    const size_t i = off / watch.page;
    if (off >= watch.nbytes || watch.opened[i] ||
        mprotect(watch.p + i * watch.page, watch.page, PROT_READ)) {
        signal(signal_number,
               /* not a fault of the watch: the instruction runs again and ends the process */
               SIG_DFL);
        return;
    }
    watch.opened[i] = 1;
    watch.n_touched++;
}

bool bo_pages_watch(struct bo_span buffer)
{
    watch.page = (size_t)sysconf(_SC_PAGESIZE);
    watch.p = (uint8_t *)(uintptr_t)buffer.p; /* for mprotect only */
    watch.nbytes = (buffer.n + watch.page - 1) / watch.page * watch.page;
    watch.n_touched = 0;
    watch.opened = calloc(watch.nbytes / watch.page + 1, 1);
    if (!watch.opened)
        return false;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, &watch.before)) {
        free(watch.opened);
        return false;
    }
    return true;
}

bool bo_pages_rearm(void)
{
    memset(watch.opened, 0, watch.nbytes / watch.page);
    watch.n_touched = 0;
    return watch.nbytes == 0 || mprotect(watch.p, watch.nbytes, PROT_NONE) == 0;
}

size_t bo_pages_touched(void)
{
    return watch.n_touched;
}

void bo_pages_unwatch(void)
{
    if (watch.nbytes)
        mprotect(watch.p, watch.nbytes, PROT_READ);
    sigaction(SIGSEGV, &watch.before, NULL);
    free(watch.opened);
    watch.opened = NULL;
}
