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
    uint8_t *opened;            /* per page: made readable since the last rearm */
    size_t first[BO_FEW_PAGES]; /* the first of them */
    bool is_armed;              /* all other pages are protected */
    struct sigaction before;
} watch;

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
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
    if (watch.n_touched < BO_FEW_PAGES)
        watch.first[watch.n_touched] = i;
    watch.n_touched++;
}

bool bo_pages_watch(struct bo_span buffer)
{
    watch.page = (size_t)sysconf(_SC_PAGESIZE);
    watch.p = (uint8_t *)(uintptr_t)buffer.p; /* for mprotect only */
    watch.nbytes = (buffer.n + watch.page - 1) / watch.page * watch.page;
    watch.n_touched = 0;
    watch.is_armed = false;
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
    const size_t n = watch.n_touched;
    bool ok = true;
    watch.n_touched = 0;
    if (watch.is_armed && n <= BO_FEW_PAGES) {
        for (size_t k = 0; k < n && ok; k++) {
            watch.opened[watch.first[k]] = 0;
            ok = mprotect(watch.p + watch.first[k] * watch.page, watch.page, PROT_NONE) == 0;
        }
        return ok;
    }
    memset(watch.opened, 0, watch.nbytes / watch.page);
    watch.is_armed = true;
    return watch.nbytes == 0 || mprotect(watch.p, watch.nbytes, PROT_NONE) == 0;
}

size_t bo_pages_touched(void)
{
    return watch.n_touched;
}

bool bo_pages_disarm(void)
{
    watch.is_armed = false;
    return watch.nbytes == 0 || mprotect(watch.p, watch.nbytes, PROT_READ) == 0;
}

void bo_pages_unwatch(void)
{
    bo_pages_disarm();
    sigaction(SIGSEGV, &watch.before, NULL);
    free(watch.opened);
    watch.opened = NULL;
}
