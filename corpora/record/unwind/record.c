/*
 * Records which PCs libgcc's unwinder looks up in the unwind table of one binary: a library for
 * LD_PRELOAD.
 *
 * libgcc (12 or later, with glibc 2.35 or later) finds the table of a PC by _dl_find_object, once
 * for each frame of a walk: the PC, or the byte before a return address. The call crosses
 * libraries, and this definition comes first. Walks are those of the program itself (exceptions,
 * backtrace()), or, if BAKEOFF_HZ is set, those of samples: so many times in a second of
 * processor time, a signal handler calls backtrace().
 *
 * A process appends its lookups to the file that BAKEOFF_RECORD names, when it ends; a process that
 * is killed or ends by _exit() appends nothing. A sample is an action. BAKEOFF_BINARY is the path
 * of the binary. A parent's lookups are not repeated by the child of a fork.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { MAX_LOOKUPS = 1 << 20, MAX_FRAMES = 256 };

static uint64_t lookups[MAX_LOOKUPS]; /* addresses in the binary; SAMPLE begins a sample */
static const uint64_t SAMPLE = UINT64_MAX;
static atomic_size_t n_lookups;
static atomic_flag is_sampling = ATOMIC_FLAG_INIT;
static _Thread_local bool in_sample;
static bool only_samples;
static uintptr_t loaded_at; /* where the binary is; 0: not in this process */
static int (*next)(void *, struct dl_find_object *);

static void append(uint64_t lookup)
{
    const size_t i = atomic_fetch_add(&n_lookups, 1);
    if (i < MAX_LOOKUPS)
        lookups[i] = lookup;
}

int _dl_find_object(void *pc, struct dl_find_object *result)
{
    if (!next)
        next = (int (*)(void *, struct dl_find_object *))dlsym(RTLD_NEXT, "_dl_find_object");
    const int status = next(pc, result);
    if (!status && loaded_at && result->dlfo_link_map->l_addr == loaded_at &&
        (in_sample || !only_samples))
        append((uintptr_t)pc - loaded_at);
    return status;
}

static void take_sample(int signal)
{
    void *frames[MAX_FRAMES];
    if (atomic_flag_test_and_set(&is_sampling))
        return; /* another thread's sample is not complete */
    in_sample = true;
    append(SAMPLE);
    backtrace(frames, MAX_FRAMES);
    in_sample = false;
    atomic_flag_clear(&is_sampling);
}

static void start_timer(void)
{
    const char *hz = getenv("BAKEOFF_HZ");
    const int n = hz ? atoi(hz) : 0;
    if (n < 1 || n > 100000)
        return;
    only_samples = true;
    const struct sigaction action = {.sa_handler = take_sample, .sa_flags = SA_RESTART};
    const struct timeval period = {n == 1, n == 1 ? 0 : 1000000 / n};
    const struct itimerval timer = {period, period};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* A child has no timer, and only its own lookups. */
static void begin_child(void)
{
    atomic_store(&n_lookups, 0);
    start_timer();
}

static int find_binary(struct dl_phdr_info *info, size_t n, void *wanted)
{
    char path[PATH_MAX];
    if (realpath(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", path) &&
        strcmp(path, wanted) == 0)
        loaded_at = info->dlpi_addr;
    return loaded_at != 0;
}

__attribute__((constructor)) static void begin(void)
{
    void *frame;
    char *binary = getenv("BAKEOFF_BINARY");
    if (!binary || !getenv("BAKEOFF_RECORD"))
        return;
    backtrace(&frame, 1); /* loads libgcc, which a signal handler must not do */
    dl_iterate_phdr(find_binary, binary);
    atomic_store(&n_lookups, 0);
    pthread_atfork(NULL, NULL, begin_child);
    start_timer();
}

__attribute__((destructor)) static void write_lookups(void)
{
    signal(SIGPROF, SIG_IGN);
    const char *path = getenv("BAKEOFF_RECORD");
    size_t n = atomic_load(&n_lookups), nbytes = 0;
    char *text = NULL;
    FILE *lines = path && n ? open_memstream(&text, &nbytes) : NULL;
    if (!lines)
        return;
    if (n > MAX_LOOKUPS)
        fprintf(stderr, "record: %zu lookups are not recorded\n", n - MAX_LOOKUPS);
    n = n < MAX_LOOKUPS ? n : MAX_LOOKUPS;
    for (size_t i = 0; i < n; i++)
        if (lookups[i] != SAMPLE)
            fprintf(lines, "point\t0x%llx\n", (unsigned long long)lookups[i]);
        else if (i + 1 < n && lookups[i + 1] != SAMPLE) /* not one without frames of the binary */
            fprintf(lines, "action\tsample\n");
    fclose(lines);
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, text, nbytes) != (ssize_t)nbytes)
        perror(path);
    close(fd);
}
