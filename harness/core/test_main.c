/*
 * The test program of a folder: runs the tests of each file in a process of its own, so that a
 * crash does not hide the results of other files. `PROGRAM [FILE...]` runs only those files
 * (codecs/lprf/test_model.c).
 */
#include "harness/core/test_main.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MAX_FILES = 256,
    LIMIT_S = 120, /* of processor time for a file: what hangs, or is slow by orders of magnitude */
};

static struct bo_test_file files[MAX_FILES];
static unsigned n_files;

/* Tests request impossible sizes: AddressSanitizer must return NULL for them, like malloc. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

void bo_test_register(const char *path, int (*run)(void))
{
    if (n_files == MAX_FILES)
        abort();
    files[n_files++] = (struct bo_test_file){path, run};
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct bo_test_file *)a)->path, ((const struct bo_test_file *)b)->path);
}

static bool is_wanted(const struct bo_test_file *file, int argc, char **argv)
{
    bool wanted = argc == 1;
    for (int i = 1; i < argc; i++)
        wanted |= strcmp(argv[i], file->path) == 0;
    return wanted;
}

/* False when a test failed, or the process did not exit normally: SIGXCPU after LIMIT_S. */
static bool run_apart(const struct bo_test_file *file)
{
    int status = -1;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){LIMIT_S, LIMIT_S + 10});
        exit(file->run() ? EXIT_FAILURE : EXIT_SUCCESS);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        printf("FAILED: %s: cannot be run\n", file->path);
        return false;
    }
    if (WIFSIGNALED(status))
        printf("FAILED: %s: %s\n", file->path, strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status))
        printf("FAILED: %s\n", file->path);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    unsigned n_run = 0, n_failed = 0;
    qsort(files, n_files, sizeof *files, by_path);
    for (unsigned i = 0; i < n_files; i++)
        if (is_wanted(&files[i], argc, argv)) {
            n_run++;
            n_failed += !run_apart(&files[i]);
        }
    const unsigned n_wanted = argc > 1 ? (unsigned)argc - 1 : n_files;
    if (n_run != n_wanted)
        printf("FAILED: %u of %u files are not in this program\n", n_wanted - n_run, n_wanted);
    printf("test files: %u passed, %u failed\n", n_run - n_failed, n_failed);
    return n_failed || n_run != n_wanted || !n_run;
}
