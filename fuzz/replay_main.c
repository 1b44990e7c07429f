/*
 * A plain main for any fuzz target: replays files, and all files of directories, without an engine.
 *
 *   <target> [-1] [-p] [-v] [-w FILE] [-c DIR] PATH...
 *   <target> -l
 *
 * -p, --print prints each input's model in the format's text form before it is checked: the
 * generated model and each mutation of it (model), the generated model and what is decoded after
 * the damage (damage), what each codec decodes (bytes), or what is imported (import).
 * -l lists the format's codecs in this build, in the order of the fuzzers' counts (bo_fuzz_count).
 * -1 stops after the first input that fails.
 * -w writes the costs of each codec's worst inputs, -c the lines that each operation covers
 * (observe.h).
 *
 * The inputs run in a child process. When one kills it, the parent prints the name of the file and
 * continues with the next. Exits 0 when all passed, 1 when one failed (or could not be read), 2
 * when there was nothing to replay.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz/limits.h"
#include "fuzz/observe.h"
#include "fuzz/target.h"

struct paths {
    char **items;
    size_t n;
};

struct options {
    bool verbose, stop_at_first;
    const char *worst, *coverage; /* files to write, or NULL */
};

_Noreturn static void die(const char *path)
{
    fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
    exit(2);
}

static void add_path(struct paths *paths, char *path)
{
    if (path)
        paths->items = realloc(paths->items, (paths->n + 1) * sizeof *paths->items);
    if (!path || !paths->items)
        die("list of inputs");
    paths->items[paths->n++] = path;
}

static char *join(const char *dir, const char *name)
{
    const size_t nbytes = strlen(dir) + strlen(name) + 2;
    char *path = malloc(nbytes);
    if (path)
        snprintf(path, nbytes, "%s/%s", dir, name);
    return path;
}

/* Names that start with a dot, such as .gitkeep, are not inputs. */
static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Adds a file, or the files in a directory, ordered by name. */
static void collect(struct paths *paths, const char *path)
{
    struct stat info;
    if (stat(path, &info))
        die(path);
    if (!S_ISDIR(info.st_mode)) {
        add_path(paths, strdup(path));
        return;
    }
    struct dirent **entries;
    const int n = scandir(path, &entries, is_visible, alphasort);
    if (n < 0)
        die(path);
    for (int i = 0; i < n; i++) {
        char *inner = join(path, entries[i]->d_name);
        if (!inner)
            die(path);
        collect(paths, inner);
        free(inner);
        free(entries[i]);
    }
    free(entries);
}

/* The file's bytes in a heap block of exactly that size (1 for an empty file). */
static uint8_t *read_file(const char *path, size_t *nbytes_ret)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        die(path);
    const long nbytes = ftell(file);
    if (nbytes < 0 || fseek(file, 0, SEEK_SET))
        die(path);
    uint8_t *data = malloc(nbytes ? (size_t)nbytes : 1);
    if (!data || fread(data, 1, (size_t)nbytes, file) != (size_t)nbytes)
        die(path);
    fclose(file);
    *nbytes_ret = (size_t)nbytes;
    return data;
}

/*
 * Limits the process to this many seconds of CPU time in user mode from now on; 0: no limit. The
 * kernel's time for new pages depends on the machine: on virtual ones it was more than the rest.
 */
static void limit_cpu_seconds(time_t seconds)
{
    const struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

/* The memory of the process so far. Engines apply the same limit. */
static void check_memory(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage))
        die("memory of the process");
    if (usage.ru_maxrss / 1024 > BO_FUZZ_MAX_RSS_MB) {
        fprintf(stderr, "too much memory: more than %d MiB\n", BO_FUZZ_MAX_RSS_MB);
        abort();
    }
}

static void replay(const char *path)
{
    size_t nbytes;
    bo_fuzz_observe_input(path);
    uint8_t *data = read_file(path, &nbytes);
    limit_cpu_seconds(BO_FUZZ_MAX_SECONDS);
    LLVMFuzzerTestOneInput(data, nbytes);
    limit_cpu_seconds(0);
    check_memory();
    free(data);
}

/* Runs inputs from *next on in a child, which advances *next. False when the child died. */
static bool replay_from(const struct paths *paths, volatile size_t *next,
                        const struct options *options)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        if (options->worst || options->coverage)
            bo_fuzz_format = bo_fuzz_observe(bo_fuzz_format);
        for (; *next < paths->n; (*next)++) {
            if (options->verbose)
                fprintf(stderr, "replay: %s\n", paths->items[*next]);
            replay(paths->items[*next]);
        }
        if ((options->worst && !bo_fuzz_write_worst(options->worst)) ||
            (options->coverage && !bo_fuzz_write_coverage(options->coverage)))
            die("cannot write the observations");
        exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child)
        die("wait");
    if (WIFSIGNALED(status))
        fprintf(stderr, "replay: %s\n",
                WTERMSIG(status) == SIGVTALRM
                    ? "too slow: the input takes more CPU time than allowed"
                    : strsignal(WTERMSIG(status)));
    return status == 0;
}

static size_t replay_all(const struct paths *paths, const char *program,
                         const struct options *options)
{
    volatile size_t *next =
        mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (next == MAP_FAILED)
        die("cannot create shared memory");
    size_t n_failed = 0;
    while (!replay_from(paths, next, options)) {
        n_failed++;
        if (*next == paths->n) {
            fputs("replay: FAILED after the last input (a leak?)\n", stderr);
            break;
        }
        fprintf(stderr, "replay: FAILED on %s; again: %s %s\n", paths->items[*next], program,
                paths->items[*next]);
        (*next)++;
        if (options->stop_at_first)
            break;
    }
    return n_failed;
}

int main(int argc, char **argv)
{
    const char *name = strrchr(argv[0], '/');
    struct options options = {0};
    struct paths paths = {0};
    static const struct option long_options[] = {{"print", no_argument, NULL, 'p'},
                                                 {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "1lpvw:c:", long_options, NULL)) != -1;)
        switch (option) {
        case 'p':
            bo_fuzz_prints = true;
            break;
        case 'l':
            for (const struct bo_codec *const *c = bo_fuzz_format->codecs; *c; c++)
                puts((*c)->name);
            return 0;
        case '1':
            options.stop_at_first = true;
            break;
        case 'v':
            options.verbose = true;
            break;
        case 'w':
            options.worst = optarg;
            break;
        case 'c':
            options.coverage = optarg;
            break;
        default:
            return 2;
        }
    for (int i = optind; i < argc; i++)
        collect(&paths, argv[i]);
    if (paths.n == 0) {
        fprintf(stderr, "replay: no inputs; usage: %s [-1] [-p] [-v] [-w FILE] [-c DIR] PATH...\n",
                argv[0]);
        return 2;
    }
    const size_t n_failed = replay_all(&paths, argv[0], &options);
    printf("%s: %zu inputs replayed, %zu failed\n", name ? name + 1 : argv[0], paths.n, n_failed);
    for (size_t i = 0; i < paths.n; i++)
        free(paths.items[i]);
    free(paths.items);
    return n_failed != 0;
}
