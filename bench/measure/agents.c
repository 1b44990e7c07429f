/* Measures through other programs (agents). */
#include "bench/measure/agents.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure/interrupt.h"
#include "bench/measure/rounds.h"
#include "harness/core/hash.h"
#include "harness/core/workers.h"

/* Two programs with the same hash measure the same rows, with the same right answers. */
static uint64_t hash_plan(const struct bo_plan *plan)
{
    uint64_t hash = 0;
    for (unsigned c = 0; c < plan->n_cells; c++)
        for (unsigned r = 0; r < plan->cells[c].n_rows; r++) {
            const struct bo_bench_row *row = &plan->cells[c].rows[r];
            const struct bo_query_set *set = row->query_set;
            const struct bo_span label = {(const uint8_t *)row->label, strlen(row->label)};
            hash = bo_mix64(hash ^ bo_hash(label));
            if (set)
                hash =
                    bo_mix64(hash ^ bo_hash((struct bo_span){set->answers, set->answers_nbytes}));
        }
    return hash;
}

static void print_plan(const struct bo_plan *plan, char *line, size_t nbytes)
{
    snprintf(line, nbytes, "%u %u %016" PRIx64 "\n", plan->n_cells, plan->n_rows, hash_plan(plan));
}

/* ---- the parent's side ----------------------------------------------------------------------- */

__attribute__((noreturn)) static void become(const char *program, const char *const *words, int in,
                                             int out)
{
    enum { MAX_WORDS = 64 };
    const char *argv[MAX_WORDS + 2] = {program};
    unsigned n = 1;
    while (*words && n < MAX_WORDS)
        argv[n++] = *words++;
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    execv(program, (char **)(uintptr_t)argv);
    _exit(127);
}

static bool start_agent(struct bo_agent *agent, const char *program, const char *const *words)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
        return false;
    fflush(NULL);
    agent->pid = bo_fork();
    if (agent->pid == 0)
        become(program, words, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    agent->to = fdopen(to[1], "w");
    agent->from = fdopen(from[0], "r");
    return agent->pid > 0 && agent->to && agent->from;
}

static enum bo_status lost(struct bo_error *err)
{
    return bo_fail(err, BO_IO, BO_NO_OFFSET, "program that measures another layout ended early");
}

enum bo_status bo_agents_start(const struct bo_links *links, const char *const *words,
                               const struct bo_plan *plan, const struct bo_bench_options *options,
                               struct bo_agents *agents_ret, struct bo_error *err)
{
    char own[128], theirs[128];
    *agents_ret = (struct bo_agents){.n = 0};
    signal(SIGPIPE, SIG_IGN);
    print_plan(plan, own, sizeof own);
    for (unsigned k = 0; k < links->n; k++) {
        if (!start_agent(&agents_ret->agents[agents_ret->n++], links->programs[k], words))
            return bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot start a process");
        fprintf(agents_ret->agents[k].to, "%.17g %u %" PRIu64 "\n", options->min_time_s,
                options->timeout_s, options->order_seed);
        if (fflush(agents_ret->agents[k].to))
            return lost(err);
    }
    for (unsigned k = 0; k < links->n; k++) {
        if (!fgets(theirs, sizeof theirs, agents_ret->agents[k].from))
            return lost(err);
        if (strcmp(own, theirs) != 0)
            return bo_fail(err, BO_IO, BO_NO_OFFSET,
                           "program of another layout planned different rows");
    }
    return BO_OK;
}

void bo_agents_stop(struct bo_agents *agents)
{
    for (unsigned k = 0; k < agents->n; k++) {
        struct bo_agent *agent = &agents->agents[k];
        if (agent->pid > 0 && bo_interrupted())
            kill(agent->pid, SIGKILL);
        if (agent->to)
            fclose(agent->to);
        if (agent->from)
            fclose(agent->from);
        if (agent->pid > 0)
            waitpid(agent->pid, NULL, 0);
    }
    agents->n = 0;
}

enum bo_status bo_agents_run_cell(struct bo_agents *agents, unsigned layout,
                                  struct bo_bench_cell *cell, unsigned cell_index, unsigned round,
                                  struct bo_error *err)
{
    struct bo_agent *agent = &agents->agents[layout];
    struct bo_record record;
    fprintf(agent->to, "%u %u", cell_index, round);
    for (unsigned r = 0; r < cell->n_rows; r++)
        if (cell->rows[r].is_due)
            fprintf(agent->to, " %u", r);
    fputc('\n', agent->to);
    if (fflush(agent->to))
        return lost(err);
    bo_interrupt_kills(agent->pid);
    for (bool ended = false; !ended;) {
        if (fread(&record, sizeof record, 1, agent->from) != 1)
            return bo_interrupted() ? BO_OK : lost(err);
        if (!bo_record_is_valid(&record) || record.row >= cell->n_rows ||
            (record.type == BO_RECORD_TIME && !cell->rows[record.row].is_due))
            return lost(err);
        record.layout = layout;
        ended = bo_rounds_take(cell, &record, round);
    }
    bo_interrupt_kills(0);
    return BO_OK;
}

/* ---- the agent's side ------------------------------------------------------------------------ */

/* For the records of a cell, so that the parent sleeps while the agent's processes measure. */
enum { OUTPUT_NBYTES = 1 << 20 };

/*
 * Marks the rows that are due: the numbers after the cell's. False for a row that the cell does not
 * have.
 */
static bool mark_due(struct bo_bench_cell *cell, char *rest)
{
    bool ok = true;
    for (unsigned r = 0; r < cell->n_rows; r++)
        cell->rows[r].is_due = false;
    for (char *end; *rest && *rest != '\n' && ok; rest = end) {
        const unsigned long r = strtoul(rest, &end, 10);
        ok = end != rest && r < cell->n_rows;
        if (ok)
            cell->rows[r].is_due = true;
    }
    return ok;
}

/* Rows that are still due after a process has died are requested again. */
static bool serve_cell(struct bo_plan *plan, const struct bo_bench_options *options, char *line)
{
    const struct bo_record end = {.type = BO_RECORD_END};
    struct bo_error err;
    char *rest;
    const unsigned long c = strtoul(line, &rest, 10), round = strtoul(rest, &rest, 10);
    return c < plan->n_cells && mark_due(&plan->cells[c], rest) &&
           bo_rounds_run_cell(&plan->cells[c], options, (unsigned)round, stdout, &err) == BO_OK &&
           fwrite(&end, sizeof end, 1, stdout) == 1 && fflush(stdout) == 0;
}

bool bo_agent_serve(struct bo_plan *plan, struct bo_bench_options *options)
{
    char *line = NULL, hello[128];
    size_t cap = 0;
    bool ok =
        getline(&line, &cap, stdin) > 0 && sscanf(line, "%lf %u %" SCNu64, &options->min_time_s,
                                                  &options->timeout_s, &options->order_seed) == 3;
    signal(SIGINT, SIG_IGN); /* a terminal sends it to the parent, too, and the parent decides */
    print_plan(plan, hello, sizeof hello);
    setvbuf(stdout, NULL, _IOFBF, OUTPUT_NBYTES);
    fputs(hello, stdout);
    fflush(stdout);
    while (ok && getline(&line, &cap, stdin) > 0)
        ok = serve_cell(plan, options, line);
    free(line);
    return ok;
}
