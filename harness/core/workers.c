/* Worker processes that take jobs from a shared counter. */
#include "harness/core/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORKERS = 256, TICK_MS = 100 };

/* Memory that all processes share. */
struct shared {
    atomic_size_t next;                 /* the next job to take */
    atomic_size_t current[MAX_WORKERS]; /* the current job of each worker */
};

struct pool {
    const struct bo_jobs *jobs;
    struct shared *shared;
    atomic_bool *finished; /* by job */
    uint8_t *results;
    size_t nbytes; /* size of the mapping that holds all of these */
    pid_t workers[MAX_WORKERS];
    unsigned n_workers;
    int wake[2];   /* a pipe: workers write a byte after each job */
    size_t n_done; /* jobs whose results were passed to `done` */
};

pid_t bo_fork(void)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) /* it ended before the call above */
            _exit(1);
    }
    return pid;
}

unsigned bo_n_processors(void)
{
    cpu_set_t set;
    const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : (unsigned)n;
}

static size_t aligned(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

static bool pool_init(struct pool *pool, const struct bo_jobs *jobs, unsigned n_workers)
{
    *pool = (struct pool){.jobs = jobs, .n_workers = n_workers, .wake = {-1, -1}};
    pool->nbytes = aligned(sizeof *pool->shared) + aligned(jobs->n * sizeof *pool->finished) +
                   jobs->n * jobs->result_nbytes;
    uint8_t *p =
        mmap(NULL, pool->nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return false;
    pool->shared = (struct shared *)p;
    pool->finished = (atomic_bool *)(p + aligned(sizeof *pool->shared));
    pool->results = (uint8_t *)pool->finished + aligned(jobs->n * sizeof *pool->finished);
    return pipe2(pool->wake, O_CLOEXEC | O_NONBLOCK) == 0;
}

static void pool_free(struct pool *pool)
{
    for (unsigned i = 0; i < 2; i++)
        if (pool->wake[i] >= 0)
            close(pool->wake[i]);
    if (pool->shared)
        munmap(pool->shared, pool->nbytes);
}

static void *result_of(const struct pool *pool, size_t job)
{
    return pool->results + job * pool->jobs->result_nbytes;
}

/* For a build that measures coverage: its counts are written at exit, which _exit skips. */
extern int __llvm_profile_write_file(void) __attribute__((weak));

/* The main loop of a worker. */
static void work(struct pool *pool, unsigned worker)
{
    const struct bo_jobs *jobs = pool->jobs;
    for (;;) {
        const size_t job = atomic_fetch_add(&pool->shared->next, 1);
        atomic_store(&pool->shared->current[worker], job);
        if (job >= jobs->n) {
            if (__llvm_profile_write_file)
                __llvm_profile_write_file();
            _exit(0);
        }
        jobs->run(jobs->context, job, result_of(pool, job));
        atomic_store(&pool->finished[job], true);
        /* if the pipe is full, the reader is awake anyway */
        const ssize_t ignored = write(pool->wake[1], "", 1);
        (void)ignored;
    }
}

static bool start_worker(struct pool *pool, unsigned worker)
{
    atomic_store(&pool->shared->current[worker], pool->jobs->n);
    const pid_t pid = bo_fork();
    if (pid == 0)
        work(pool, worker);
    pool->workers[worker] = pid > 0 ? pid : 0;
    if (pid < 0)
        fprintf(stderr, "bakeoff: cannot start a process: %s\n", strerror(errno));
    return pid > 0;
}

/*
 * Handles a worker that ended while it ran a job: the job has crashed, and another worker
 * continues.
 */
static void bury(struct pool *pool, unsigned worker, int status)
{
    const size_t job = atomic_load(&pool->shared->current[worker]);
    char how[64];
    pool->workers[worker] = 0;
    if (job >= pool->jobs->n)
        return;
    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "%s", strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "exit code %d", WEXITSTATUS(status));
    pool->jobs->crashed(pool->jobs->context, job, how, result_of(pool, job));
    atomic_store(&pool->finished[job], true);
    start_worker(pool, worker);
}

/* Handles workers that ended. Returns the number of workers left. */
static unsigned reap(struct pool *pool)
{
    unsigned n_left = 0;
    for (unsigned w = 0; w < pool->n_workers; w++) {
        int status;
        if (pool->workers[w] && waitpid(pool->workers[w], &status, WNOHANG) == pool->workers[w])
            bury(pool, w, status);
        n_left += pool->workers[w] != 0;
    }
    return n_left;
}

/* Waits until a job finishes, at most for one tick. */
static void wait_for_workers(const struct pool *pool)
{
    struct pollfd fd = {.fd = pool->wake[0], .events = POLLIN};
    char bytes[256];
    if (poll(&fd, 1, TICK_MS) > 0)
        while (read(pool->wake[0], bytes, sizeof bytes) > 0)
            ;
}

/* False when `tick` ends the workers. */
static bool hand_over(struct pool *pool)
{
    const struct bo_jobs *jobs = pool->jobs;
    size_t n_finished = 0;
    for (; pool->n_done < jobs->n && atomic_load(&pool->finished[pool->n_done]); pool->n_done++)
        jobs->done(jobs->context, pool->n_done, result_of(pool, pool->n_done));
    for (size_t job = 0; job < jobs->n; job++)
        n_finished += atomic_load(&pool->finished[job]);
    return !jobs->tick || jobs->tick(jobs->context, n_finished);
}

static bool end_workers(const struct pool *pool)
{
    for (unsigned w = 0; w < pool->n_workers; w++)
        if (pool->workers[w]) {
            kill(pool->workers[w], SIGKILL);
            waitpid(pool->workers[w], NULL, 0);
        }
    return false;
}

static bool run_here(struct pool *pool)
{
    const struct bo_jobs *jobs = pool->jobs;
    for (size_t job = 0; job < jobs->n; job++) {
        jobs->run(jobs->context, job, result_of(pool, job));
        atomic_store(&pool->finished[job], true);
        if (!hand_over(pool))
            return false;
    }
    return true;
}

static bool run_in_workers(struct pool *pool)
{
    fflush(NULL);
    signal(SIGCHLD, SIG_DFL); /* ignored, if the caller ignored it: ends would have no status */
    for (unsigned w = 0; w < pool->n_workers; w++)
        if (!start_worker(pool, w) && w == 0)
            return false;
    while (reap(pool) > 0) {
        wait_for_workers(pool);
        if (!hand_over(pool))
            return end_workers(pool);
    }
    if (!hand_over(pool))
        return false;
    if (pool->n_done < pool->jobs->n)
        fprintf(stderr, "bakeoff: all worker processes ended early\n");
    return pool->n_done == pool->jobs->n;
}

bool bo_jobs_run(const struct bo_jobs *jobs, unsigned n_workers)
{
    struct pool pool;
    if (jobs->n == 0)
        return true;
    const unsigned n = n_workers < MAX_WORKERS ? n_workers : MAX_WORKERS;
    bool ok = pool_init(&pool, jobs, n < jobs->n ? n : (unsigned)jobs->n);
    if (!ok)
        fprintf(stderr, "bakeoff: cannot create shared memory: %s\n", strerror(errno));
    ok = ok && (n ? run_in_workers(&pool) : run_here(&pool));
    pool_free(&pool);
    return ok;
}
