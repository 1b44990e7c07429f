/*
 * Allocates and frees in every way that libc has, in several threads that free each other's memory.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_THREADS = 3, N_ROUNDS = 400 };

static void *passed[N_THREADS][N_ROUNDS]; /* memory passed from each thread to the next one */

static void *allocate(unsigned thread, unsigned round)
{
    void *p = NULL;
    switch (round % 5) {
    case 0:
        return malloc(round + 1);
    case 1:
        return calloc(thread + 2, round);
    case 2:
        return realloc(malloc(round), 3 * round);
    case 3:
        return posix_memalign(&p, 64, 1000 + round) ? NULL : p;
    default:
        return aligned_alloc(256, 256 * (1 + round % 7));
    }
}

static void *run(void *number)
{
    const unsigned thread = (unsigned)(uintptr_t)number;
    for (unsigned i = 0; i < N_ROUNDS; i++)
        passed[thread][i] = allocate(thread, i);
    return NULL;
}

static void *release(void *number)
{
    const unsigned thread = ((unsigned)(uintptr_t)number + 1) % N_THREADS;
    for (unsigned i = 0; i < N_ROUNDS; i++)
        if (i % 50 != 7) /* some leak */
            free(passed[thread][i]);
    return NULL;
}

static void run_all(void *(*start)(void *))
{
    pthread_t threads[N_THREADS];
    for (uintptr_t i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, start, (void *)i))
            exit(1);
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    run_all(run);
    run_all(release);
    void *huge = malloc(SIZE_MAX / 2); /* must fail */
    printf("%s\n", huge ? "not refused" : "done");
    free(realloc(malloc(10), 0));
    void *kept = malloc(24), *given = kept;
    if (posix_memalign(&given, sizeof(void *), SIZE_MAX / 2) == 0) /* must leave `given` as it is */
        printf("not refused\n");
    free(kept);
    return 0;
}
