/* Runs programs without a shell, in a folder of their own. */
#include "bench/measure/programs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/core/bytes.h"
#include "harness/core/clock.h"
#include "harness/core/files.h"
#include "harness/core/workers.h"

enum { TIMEOUT_S = 60, LINE_NBYTES = 256 };

/* A program's working folder, which contains its files, and the name to look up. */
struct workshop {
    char folder[4096];
    int folder_fd;
    char *name;
    const char *command;
};

/* An argument with @name, if any, replaced; malloced. */
static char *fill_in(const struct workshop *shop, const char *arg)
{
    const char *at = shop->name ? strstr(arg, "@name") : NULL;
    char *filled;
    if (!at)
        return bo_or_abort(strdup(arg));
    bo_abort_unless(
        asprintf(&filled, "%.*s%s%s", (int)(at - arg), arg, shop->name, at + strlen("@name")) >= 0);
    return filled;
}

/* ---- a process ------------------------------------------------------------------------------- */

/*
 * In the child: executes the program. Its standard output goes to `out`, its standard error to
 * /dev/null.
 */
__attribute__((noreturn)) static void become(const struct workshop *shop, const char *const *args,
                                             int out)
{
    char *argv[BO_MAX_PROGRAM_ARGS + 2] = {(char *)(uintptr_t)shop->command};
    for (unsigned i = 0; i < BO_MAX_PROGRAM_ARGS && args[i]; i++)
        argv[i + 1] = fill_in(shop, args[i]);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(out >= 0 ? out : null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    alarm(TIMEOUT_S); /* survives exec: ends a program that hangs */
    if (fchdir(shop->folder_fd) == 0)
        execvp(shop->command, argv);
    _exit(127);
}

/*
 * Runs the program and waits for it. *ns_ret is its duration. False when it fails or does not
 * exist.
 */
static bool run_program(const struct workshop *shop, const char *const *args, int out,
                        uint64_t *ns_ret)
{
    int status = 1;
    fflush(NULL);
    const uint64_t start = bo_wall_ns();
    const pid_t pid = bo_fork();
    if (pid == 0)
        become(shop, args, out);
    const bool ended = pid > 0 && waitpid(pid, &status, 0) == pid;
    *ns_ret = bo_wall_ns() - start;
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The first line with "version" that the program prints; false when it cannot be run. */
static bool read_version(const struct workshop *shop, const char *const *args,
                         char line[LINE_NBYTES])
{
    uint64_t ns;
    bool found = false;
    FILE *printed = tmpfile();
    if (!printed)
        return false;
    const bool ok = run_program(shop, args, fileno(printed), &ns);
    rewind(printed);
    while (!found && fgets(line, LINE_NBYTES, printed))
        found = strstr(line, "version") != NULL;
    fclose(printed);
    if (!found)
        snprintf(line, LINE_NBYTES, "unknown");
    line[strcspn(line, "\n")] = 0;
    memmove(line, line + strspn(line, " "), strlen(line + strspn(line, " ")) + 1);
    return ok;
}

/* ---- the workshop ---------------------------------------------------------------------------- */

static bool write_text(const struct workshop *shop, const struct bo_document *document)
{
    char path[sizeof shop->folder + 8];
    struct bo_arena arena;
    struct bo_writer text;
    struct bo_error err;
    snprintf(path, sizeof path, "%s/text", shop->folder);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&text, &arena);
    const bool ok = document->format->print(document->model, &text, &err) == BO_OK &&
                    bo_output(path, bo_writer_span(&text));
    bo_writer_free(&text);
    bo_arena_free(&arena);
    return ok;
}

static bool enter(struct workshop *shop)
{
    return bo_temporary_folder(shop->folder, sizeof shop->folder) &&
           (shop->folder_fd = open(shop->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0;
}

static void leave(struct workshop *shop)
{
    unlinkat(shop->folder_fd, "text", 0);
    unlinkat(shop->folder_fd, "file", 0);
    unlinkat(shop->folder_fd, "out", 0);
    close(shop->folder_fd);
    rmdir(shop->folder);
    free(shop->name);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Runs jobs in turn, round by round, so that background load affects all of them alike. */
static bool time_jobs(const struct workshop *shop, const struct bo_program_job *jobs,
                      unsigned repetitions, json_t *all)
{
    bool ok = true;
    for (const struct bo_program_job *job = jobs; job->label; job++)
        json_array_append_new(all, json_pack("{s:s, s:[]}", "label", job->label, "wall_ns"));
    for (unsigned r = 0; r < repetitions && ok; r++)
        for (size_t i = 0; jobs[i].label && ok; i++) {
            uint64_t ns;
            ok = run_program(shop, jobs[i].args, -1, &ns);
            json_array_append_new(json_object_get(json_array_get(all, i), "wall_ns"),
                                  json_integer((json_int_t)ns));
        }
    return ok;
}

/* "ok", or the reason why the program has no figures. */
static const char *measure(struct workshop *shop, const struct bo_program *program,
                           const struct bo_document *document, unsigned repetitions, json_t *json)
{
    uint64_t ns;
    struct stat st;
    char version[LINE_NBYTES] = "";
    const char *const *command = program->commands;
    for (shop->command = *command; *command; command++) {
        shop->command = *command;
        if (read_version(shop, program->version_args, version))
            break;
    }
    if (!*command)
        return "not installed here";
    json_object_set_new(json, "version", json_string(version));
    shop->name = program->subject(document->model);
    if (!shop->name)
        return "the document has nothing to look up";
    if (!write_text(shop, document))
        return "cannot write the text form";
    if (!run_program(shop, program->make_args, -1, &ns) || fstatat(shop->folder_fd, "file", &st, 0))
        return "it refuses the text form";
    json_object_set_new(json, "bytes", json_integer((json_int_t)st.st_size));
    return time_jobs(shop, program->jobs, repetitions, json_object_get(json, "jobs"))
               ? "ok"
               : "one of its runs failed";
}

json_t *bo_program_json(const struct bo_program *program, const struct bo_document *document,
                        unsigned repetitions)
{
    struct workshop shop = {.name = NULL};
    json_t *json = json_pack("{s:s, s:[]}", "name", program->name, "jobs");
    const char *status = "no folder for its files";
    if (enter(&shop)) {
        status = measure(&shop, program, document, repetitions, json);
        leave(&shop);
    }
    json_object_set_new(json, "status", json_string(status));
    return json;
}

json_t *bo_programs_json(const struct bo_document *document, unsigned repetitions)
{
    const struct bo_format_report *report = document->format->report;
    if (!report || !report->programs)
        return NULL;
    json_t *all = json_array();
    for (const struct bo_program *p = report->programs; p->name; p++)
        json_array_append_new(all, bo_program_json(p, document, repetitions));
    return all;
}
