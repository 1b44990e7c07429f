/* Forks the processes, reads their records, and interprets their exits. */
#include "bench/measure/rounds.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure/agents.h"
#include "bench/measure/caches.h"
#include "bench/measure/cell.h"
#include "bench/measure/interrupt.h"
#include "bench/measure/operations.h"
#include "harness/core/clock.h"
#include "harness/core/workers.h"

enum { NO_ROW = -1 };

/* A measuring process, as seen by its parent. */
struct listener {
    struct bo_bench_cell *cell;
    const struct bo_bench_options *options;
    unsigned round;
    pid_t pid;
    int from_child;
    uint64_t deadline_ns;
    FILE *relay;             /* NULL, or where to write the records that were taken */
    struct bo_record record; /* being received */
    size_t n_received;       /* bytes of it */
    int row;                 /* row in progress, or NO_ROW */
    bool ended, timed_out, nonsense;
};

/* ---- records --------------------------------------------------------------------------------- */

/* The first failure counts. Control characters in the message become spaces. */
static void fail_row(struct bo_bench_row *row, const char *message)
{
    if (row->failure[0])
        return;
    snprintf(row->failure, sizeof row->failure, "%s", message[0] ? message : "failed");
    for (char *p = row->failure; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
}

/* Ends the row's part of the round, with or without a repetition. */
static void end_row(struct bo_bench_row *row, unsigned round)
{
    row->is_due = false;
    row->n_rounds = round + 1;
}

bool bo_rounds_take(struct bo_bench_cell *cell, const struct bo_record *record, unsigned round)
{
    struct bo_bench_row *row = &cell->rows[record->row];
    switch (record->type) {
    case BO_RECORD_EXACT:
        row->exact = *record;
        break;
    case BO_RECORD_TIME:
        end_row(row, round);
        row->times[row->n_times++] = *record;
        break;
    case BO_RECORD_FAIL:
        end_row(row, round);
        fail_row(row, record->message);
        break;
    case BO_RECORD_PAYLOAD:
        cell->payload->nbytes = record->payload_nbytes;
        cell->payload->counted_nbytes = record->payload_counted_nbytes;
        cell->payload->ready = true;
        break;
    default:
        break;
    }
    return record->type == BO_RECORD_END;
}

static void relay_record(FILE *relay, const struct bo_record *record)
{
    if (relay && record->type != BO_RECORD_END)
        fwrite(record, sizeof *record, 1, relay);
}

static void take_record(struct listener *listener, const struct bo_record *record)
{
    if (record->type == BO_RECORD_START)
        listener->row = (int)record->row;
    else if (record->type == BO_RECORD_TIME || record->type == BO_RECORD_FAIL)
        listener->row = NO_ROW;
    struct bo_bench_row *row = &listener->cell->rows[record->row];
    if (record->type == BO_RECORD_TIME && row->n_times == listener->options->rounds) {
        listener->nonsense = true;
        return;
    }
    listener->ended = bo_rounds_take(listener->cell, record, listener->round);
    relay_record(listener->relay, record);
    if (record->type == BO_RECORD_EXACT && listener->options->checks) {
        row->is_due = false;
        listener->row = NO_ROW;
    }
}

/* Reads what has arrived of a record. False at the end of the pipe. */
static bool receive(struct listener *listener)
{
    struct bo_record *record = &listener->record;
    const ssize_t n = read(listener->from_child, (char *)record + listener->n_received,
                           sizeof *record - listener->n_received);
    if (n <= 0)
        return false;
    listener->n_received += (size_t)n;
    if (listener->n_received < sizeof *record)
        return true;
    listener->n_received = 0;
    if (bo_record_is_valid(record) && record->row < listener->cell->n_rows)
        take_record(listener, record);
    else
        listener->nonsense = true;
    return true;
}

/* Reads until the process closes its end, its time is over, or the run is interrupted. */
static void listen_to_end(struct listener *listener)
{
    while (!bo_interrupted()) {
        const uint64_t now = bo_wall_ns();
        if (now >= listener->deadline_ns) {
            listener->timed_out = true;
            return;
        }
        struct pollfd pipe_end = {.fd = listener->from_child, .events = POLLIN};
        const uint64_t left_ms = (listener->deadline_ns - now) / 1000000 + 1;
        if (poll(&pipe_end, 1, (int)left_ms) > 0 && !receive(listener))
            return;
    }
}

/* ---- processes ------------------------------------------------------------------------------- */

static bool any_due(const struct bo_bench_cell *cell)
{
    for (unsigned i = 0; i < cell->n_rows; i++)
        if (cell->rows[i].is_due)
            return true;
    return false;
}

/*
 * A crash must end the process, whatever handlers the parent (a test, a sanitizer) has installed.
 */
static void reset_signals(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    signal(SIGINT, SIG_IGN); /* a terminal sends it to the parent, too, and the parent decides */
    signal(SIGTERM, SIG_IGN);
}

/*
 * The main function of the child. It dies with its parent and leaves by _exit, so that no buffer of
 * the parent is flushed twice.
 */
__attribute__((noreturn)) static void live_as_child(struct listener *listener, int to_parent_fd)
{
    reset_signals();
    FILE *to_parent = fdopen(to_parent_fd, "w");
    if (!to_parent)
        _exit(1);
    bo_cell_run(listener->cell, listener->options, listener->round, to_parent);
    fclose(to_parent);
    _exit(0);
}

static struct bo_record failure_of(unsigned row, const char *message)
{
    struct bo_record record = {.type = BO_RECORD_FAIL, .row = row};
    snprintf(record.message, sizeof record.message, "%s", message);
    return record;
}

/* Fails a row of the cell, or (NO_ROW) all rows that are due. */
static void fail_rows(struct bo_bench_cell *cell, int row, const char *message, unsigned round,
                      FILE *relay)
{
    for (unsigned r = 0; r < cell->n_rows; r++) {
        const struct bo_record record = failure_of(r, message);
        if (row == NO_ROW ? !cell->rows[r].is_due : r != (unsigned)row)
            continue;
        bo_rounds_take(cell, &record, round);
        relay_record(relay, &record);
    }
}

static void describe_death(const struct listener *listener, int wait_status, char *message)
{
    if (listener->timed_out)
        snprintf(message, BO_MAX_MESSAGE, "not done after %u s", listener->options->timeout_s);
    else if (WIFSIGNALED(wait_status))
        snprintf(message, BO_MAX_MESSAGE, "crashed: %s", strsignal(WTERMSIG(wait_status)));
    else if (listener->nonsense)
        snprintf(message, BO_MAX_MESSAGE, "its process wrote an invalid record");
    else
        snprintf(message, BO_MAX_MESSAGE, "its process ended early with status %d",
                 WEXITSTATUS(wait_status));
}

/*
 * A process that died during a row fails that row; the other rows get another process. A process
 * that died outside any row, for example while encoding or loading the document, fails all rows. So
 * every process that dies fails at least one row, and the loop ends.
 */
static void judge_death(struct listener *listener, int wait_status)
{
    char message[BO_MAX_MESSAGE];
    describe_death(listener, wait_status, message);
    fail_rows(listener->cell, listener->row, message, listener->round, listener->relay);
}

static enum bo_status start_child(struct listener *listener, struct bo_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot create a pipe");
    fflush(NULL);
    listener->pid = bo_fork();
    if (listener->pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot start a process");
    }
    if (listener->pid == 0) {
        close(ends[0]);
        live_as_child(listener, ends[1]);
    }
    close(ends[1]);
    listener->from_child = ends[0];
    return BO_OK;
}

enum bo_status bo_rounds_run_cell(struct bo_bench_cell *cell,
                                  const struct bo_bench_options *options, unsigned round,
                                  FILE *relay, struct bo_error *err)
{
    struct listener listener = {
        .cell = cell, .options = options, .round = round, .relay = relay, .row = NO_ROW};
    const enum bo_status status = start_child(&listener, err);
    if (status)
        return status;
    listener.deadline_ns = bo_wall_ns() + (uint64_t)options->timeout_s * 1000000000u;
    bo_interrupt_kills(listener.pid);
    listen_to_end(&listener);
    bo_interrupt_kills(0);
    if (listener.timed_out || bo_interrupted())
        kill(listener.pid, SIGKILL);
    close(listener.from_child);
    int wait_status = 0;
    waitpid(listener.pid, &wait_status, 0);
    if (!bo_interrupted() && (!listener.ended || listener.nonsense || any_due(cell)))
        judge_death(&listener, wait_status);
    return BO_OK;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/*
 * The result of a job, the checks of one encoding's cells: a record of each cell's payload and of
 * each of its rows. A worker returns them, since it changes only its copy of the cells.
 */
struct checking {
    struct bo_bench_cell *cells;
    unsigned n_cells, n_jobs;
    unsigned *firsts; /* the first cell of each job, whose encoding is that of the others */
    struct bo_bench_options options;
    struct bo_progress *progress;
};

/* The next cell of the job after cell c, or n_cells. */
static unsigned next_cell(const struct checking *checking, unsigned c)
{
    const struct bo_payload *payload = checking->cells[c++].payload;
    while (c < checking->n_cells && checking->cells[c].payload != payload)
        c++;
    return c;
}

static void check_cell(struct bo_bench_cell *cell, const struct bo_bench_options *options)
{
    struct bo_error err;
    for (unsigned r = 0; r < cell->n_rows; r++)
        cell->rows[r].is_due = cell->rows[r].operation == BO_QUERY;
    while (any_due(cell) && !bo_interrupted())
        if (bo_rounds_run_cell(cell, options, 0, NULL, &err)) {
            char message[BO_MAX_MESSAGE];
            bo_say_error(&err, message, sizeof message);
            fail_rows(cell, NO_ROW, message, 0, NULL);
        }
}

static void run_check(void *context, size_t job, void *result)
{
    const struct checking *checking = context;
    struct bo_record *record = result;
    for (unsigned c = checking->firsts[job]; c < checking->n_cells; c = next_cell(checking, c)) {
        struct bo_bench_cell *cell = &checking->cells[c];
        const struct bo_payload *payload = cell->payload;
        check_cell(cell, &checking->options);
        *record++ = (struct bo_record){.type = payload->ready ? BO_RECORD_PAYLOAD : BO_RECORD_START,
                                       .payload_nbytes = payload->nbytes,
                                       .payload_counted_nbytes = payload->counted_nbytes};
        for (unsigned r = 0; r < cell->n_rows; r++) {
            const struct bo_bench_row *row = &cell->rows[r];
            *record++ = row->failure[0] ? failure_of(r, row->failure) : row->exact;
        }
    }
}

static void check_crashed(void *context, size_t job, const char *how, void *result)
{
    const struct checking *checking = context;
    struct bo_record *record = result;
    char message[BO_MAX_MESSAGE];
    snprintf(message, sizeof message, "its process ended early: %s", how);
    for (unsigned c = checking->firsts[job]; c < checking->n_cells; c = next_cell(checking, c)) {
        record++;
        for (unsigned r = 0; r < checking->cells[c].n_rows; r++, record++)
            if (checking->cells[c].rows[r].operation == BO_QUERY)
                *record = failure_of(r, message);
    }
}

static void check_done(void *context, size_t job, const void *result)
{
    const struct checking *checking = context;
    const struct bo_record *record = result;
    for (unsigned c = checking->firsts[job]; c < checking->n_cells; c = next_cell(checking, c)) {
        struct bo_bench_cell *cell = &checking->cells[c];
        char detail[128];
        for (unsigned r = 0; r <= cell->n_rows; r++)
            bo_rounds_take(cell, record++, 0);
        snprintf(detail, sizeof detail, "%s/%s, checks", cell->on->document->format->name,
                 cell->on->document->name);
        if (checking->progress)
            bo_progress_step(checking->progress, cell->n_rows * bo_row_steps(cell->on->document),
                             detail);
    }
}

static bool go_on(void *context, size_t n_finished)
{
    return !bo_interrupted();
}

/*
 * Compares the answers of all query rows and counts their pages. Nothing is timed, so all
 * processors are used; cells of one encoding are one job, which encodes once.
 */
static enum bo_status check(struct bo_bench_cell *cells, unsigned n_cells,
                            const struct bo_bench_options *options, struct bo_progress *progress,
                            struct bo_error *err)
{
    struct checking checking = {.cells = cells,
                                .n_cells = n_cells,
                                .firsts = bo_or_abort(calloc(n_cells + 1, sizeof *checking.firsts)),
                                .options = *options,
                                .progress = progress};
    size_t max_records = 0;
    for (unsigned c = 0; c < n_cells; c++) {
        size_t n_records = 0;
        unsigned before = 0;
        while (cells[before].payload != cells[c].payload)
            before++;
        if (before < c)
            continue;
        for (unsigned i = c; i < n_cells; i = next_cell(&checking, i))
            n_records += 1 + cells[i].n_rows;
        max_records = n_records > max_records ? n_records : max_records;
        checking.firsts[checking.n_jobs++] = c;
    }
    checking.options.checks = true;
    checking.options.agents = NULL;
    const struct bo_jobs jobs = {.n = checking.n_jobs,
                                 .result_nbytes = max_records * sizeof(struct bo_record),
                                 .context = &checking,
                                 .run = run_check,
                                 .crashed = check_crashed,
                                 .done = check_done,
                                 .tick = go_on};
    const bool ok = bo_jobs_run(&jobs, bo_n_processors());
    free(checking.firsts);
    return ok || bo_interrupted()
               ? BO_OK
               : bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot run the checks of answers");
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static enum bo_status run_round(struct bo_bench_cell *cells, unsigned n_cells,
                                const struct bo_bench_options *options, unsigned round,
                                const unsigned *order, struct bo_progress *progress,
                                struct bo_error *err)
{
    for (unsigned i = 0; i < n_cells; i++) {
        struct bo_bench_cell *cell = &cells[order[i]];
        char detail[128];
        snprintf(detail, sizeof detail, "%s/%s, repetition %u of %u",
                 cell->on->document->format->name, cell->on->document->name, round + 1,
                 options->rounds);
        for (unsigned r = 0; r < cell->n_rows; r++)
            cell->rows[r].is_due = bo_row_is_due(&cell->rows[r], options, round);
        while (any_due(cell) && !bo_interrupted()) {
            struct bo_agents *agents = options->agents;
            const enum bo_status status =
                agents ? bo_agents_run_cell(agents, round % agents->n, cell, order[i], round, err)
                       : bo_rounds_run_cell(cell, options, round, NULL, err);
            if (status)
                return status;
        }
        if (progress)
            bo_progress_step(progress, cell->n_rows * bo_row_steps(cell->on->document), detail);
    }
    return BO_OK;
}

static bool any_cold(const struct bo_bench_cell *cells, unsigned n_cells)
{
    for (unsigned c = 0; c < n_cells; c++)
        for (unsigned r = 0; r < cells[c].n_rows; r++) {
            const struct bo_query_set *query_set = cells[c].rows[r].query_set;
            if (query_set && query_set->workload->cold)
                return true;
        }
    return false;
}

void bo_rounds_limit(const struct bo_progress *progress, double left_ns, double steps,
                     uint64_t now_ns, struct bo_bench_options *options)
{
    const double spent_ns = (double)(now_ns - progress->started_ns);
    const double step_ns = progress->done ? spent_ns / (double)progress->done : 0;
    const double others = fmax(0, (double)(progress->total - progress->done) - steps);
    const double needed_ns = step_ns * (steps + others);
    if (needed_ns > left_ns)
        options->rounds =
            (unsigned)fmin(options->rounds, 1 + options->rounds * left_ns / needed_ns);
    const double spare_ns = step_ns > 0 ? left_ns - step_ns * others : left_ns / 4;
    options->deadline_ns = now_ns + (uint64_t)fmax(left_ns * steps / (steps + others), spare_ns);
}

enum bo_status bo_rounds_run(struct bo_bench_cell *cells, unsigned n_cells,
                             const struct bo_bench_options *options, struct bo_progress *progress,
                             unsigned *n_rounds_ret, struct bo_error *err)
{
    unsigned *order = bo_or_abort(calloc(n_cells + 1, sizeof *order));
    struct bo_random random = bo_random_seeded(options->order_seed);
    enum bo_status status = check(cells, n_cells, options, progress, err);
    if (any_cold(cells, n_cells))
        bo_caches_prepare(); /* here, so that all processes share its pages */
    *n_rounds_ret = 0;
    uint64_t round_ns = 0; /* of the last round */
    while (*n_rounds_ret < options->rounds && status == BO_OK) {
        const uint64_t start = bo_wall_ns();
        if (options->deadline_ns && *n_rounds_ret && start + round_ns > options->deadline_ns)
            break;
        bo_shuffle(order, n_cells, &random);
        status = run_round(cells, n_cells, options, *n_rounds_ret, order, progress, err);
        if (bo_interrupted())
            break;
        ++*n_rounds_ret;
        round_ns = bo_wall_ns() - start;
    }
    free(order);
    return status;
}
