/*
 * The importer of LTTng's traces. Kernel traces are written here, packet by packet, in the layouts
 * of LTTng's kernel tracer. The embedded perf recordings, rewritten as such traces, must become the
 * same histories. Rules without a counterpart in perf's text are tested with a few events each. A
 * recorded trace of user space has its history beside it. Then errors are tested. Why: no kernel
 * trace can be recorded where this test runs, and the two importers must follow the same rules.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "codecs/statehist/test_model.h"
#include "corpora/import/import.h"
#include "corpora/import/memory_states.h"
#include "harness/core/files.h"
#include "harness/core/input.h"

#include "corpora/import/test_timelines.h"

enum { N_CPUS = 3, COMM_N = 16, FIRST_CALL = 1000 };

static const char *const calls[] = {
#define SYSCALL(number, name) [number] = #name,
#include "corpora/import/syscalls_x86_64.def"
#undef SYSCALL
};

/* ---- writing kernel traces ------------------------------------------------------------------- */

/* Variants of the metadata. */
struct kind {
    const char *host, *tracer, *release, *context, *child_pid;
};

static const struct kind usual = {"box", "lttng-modules", "6.1.0",
                                  "int32_t _tid; int32_t _pid; letter _procname[16];", ""};
static const struct kind without_contexts = {"box", "lttng-modules", "6.1.0", "",
                                             "int32_t _child_pid;"};

struct trace {
    char folder[200];
    struct kind kind;
    struct bo_writer events[N_CPUS]; /* one packet each */
    uint64_t first[N_CPUS], last[N_CPUS];
};

/* The running thread. It only affects contexts. */
struct who {
    uint32_t cpu;
    int32_t tid, pid;
    const char *comm;
};

static bool is_built = true; /* the importer */

static void begin_trace(struct trace *trace, struct kind kind)
{
    if (!is_built)
        skip();
    *trace = (struct trace){.kind = kind};
    assert_true(bo_temporary_folder(trace->folder, sizeof trace->folder));
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++)
        bo_writer_init(&trace->events[cpu], &arena);
}

static void put_comm(struct bo_writer *to, const char *comm)
{
    char room[COMM_N] = "";
    memcpy(room, comm, strlen(comm) < COMM_N ? strlen(comm) : COMM_N - 1);
    bo_put_bytes(to, room, COMM_N);
}

/* Writes the head of an event. Its fields follow. */
static struct bo_writer *put_event(struct trace *trace, const struct who *who, uint64_t time,
                                   uint32_t id)
{
    struct bo_writer *to = &trace->events[who->cpu];
    if (bo_writer_span(to).n == 0)
        trace->first[who->cpu] = time;
    trace->last[who->cpu] = time;
    bo_put_le16(to, 65535);
    bo_put_le32(to, id);
    bo_put_le64(to, time);
    if (trace->kind.context[0]) {
        bo_put_le32(to, (uint32_t)who->tid);
        bo_put_le32(to, (uint32_t)who->pid);
        put_comm(to, who->comm);
    }
    return to;
}

static void put_switch(struct trace *trace, const struct who *who, uint64_t time, int32_t prev_tid,
                       int64_t prev_state, int32_t next_tid)
{
    struct bo_writer *to = put_event(trace, who, time, 1);
    char comm[16];
    put_comm(to, "p");
    bo_put_le32(to, (uint32_t)prev_tid);
    bo_put_le32(to, 20);
    bo_put_le64(to, (uint64_t)prev_state);
    snprintf(comm, sizeof comm, "n%d", (int)next_tid);
    put_comm(to, comm);
    bo_put_le32(to, (uint32_t)next_tid);
    bo_put_le32(to, 10);
}

static FILE *create(const struct trace *trace, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", trace->folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

static void write_metadata(const struct trace *trace)
{
    const struct {
        const char *name, *value;
    } open[] = {
        {"@HOST@", trace->kind.host},           {"@TRACER@", trace->kind.tracer},
        {"@RELEASE@", trace->kind.release},     {"@CONTEXT@", trace->kind.context},
        {"@CHILD_PID@", trace->kind.child_pid},
    };
    struct bo_input in;
    FILE *file = create(trace, "metadata");
    assert_true(bo_input_open("corpora/import/testdata/kernel_trace/metadata.tsdl", &in));
    for (const uint8_t *at = in.bytes.p, *end = at + in.bytes.n; at < end;) {
        size_t i = 0;
        while (i < N_ELEMENTS(open) && ((size_t)(end - at) < strlen(open[i].name) ||
                                        memcmp(at, open[i].name, strlen(open[i].name)) != 0))
            i++;
        if (i < N_ELEMENTS(open)) {
            fputs(open[i].value, file);
            at += strlen(open[i].name);
        } else {
            fputc(*at++, file);
        }
    }
    bo_input_close(&in);
    for (size_t i = 0; i < N_ELEMENTS(calls); i++)
        if (calls[i])
            fprintf(
                file,
                "event { id = %zu; name = \"syscall_entry_%s\"; stream_id = 0; fields := struct { "
                "}; };\n"
                "event { id = %zu; name = \"syscall_exit_%s\"; stream_id = 0; fields := struct { "
                "}; };\n",
                FIRST_CALL + 2 * i, calls[i], FIRST_CALL + 2 * i + 1, calls[i]);
    assert_int_equal(fclose(file), 0);
}

static void write_stream(struct trace *trace, uint32_t cpu)
{
    enum { HEAD_NBYTES = 4 + 16 + 4 + 5 * 8 + 4 };
    static const uint8_t uuid[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    char name[32];
    const struct bo_span events = bo_writer_span(&trace->events[cpu]);
    const uint64_t nbits = 8 * (uint64_t)(HEAD_NBYTES + events.n);
    struct bo_writer head;
    bo_writer_init(&head, &arena);
    bo_put_le32(&head, 0xc1fc1fc1);
    bo_put_bytes(&head, uuid, sizeof uuid);
    bo_put_le32(&head, 0);
    bo_put_le64(&head, trace->first[cpu]);
    bo_put_le64(&head, trace->last[cpu]);
    bo_put_le64(&head, nbits);
    bo_put_le64(&head, nbits);
    bo_put_le64(&head, 0);
    bo_put_le32(&head, cpu);
    assert_int_equal(bo_writer_span(&head).n, HEAD_NBYTES);
    snprintf(name, sizeof name, "channel0_%u", (unsigned)cpu);
    FILE *file = create(trace, name);
    assert_int_equal(fwrite(bo_writer_span(&head).p, 1, HEAD_NBYTES, file), HEAD_NBYTES);
    assert_int_equal(fwrite(events.p, 1, events.n, file), events.n);
    assert_int_equal(fclose(file), 0);
    bo_writer_free(&head);
}

static void end_trace(struct trace *trace)
{
    write_metadata(trace);
    for (unsigned cpu = 0; cpu < N_CPUS; cpu++) {
        if (bo_writer_span(&trace->events[cpu]).n)
            write_stream(trace, cpu);
        bo_writer_free(&trace->events[cpu]);
    }
}

static void remove_folder(const char *folder)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

/* ---- imports --------------------------------------------------------------------------------- */

static enum bo_status import_folder(const char *folder, const struct statehist_model **model_ret,
                                    struct bo_error *error)
{
    void *model = NULL;
    const struct bo_importer *importer = bo_find_folder_importer("statehist", folder);
    *error = (struct bo_error){0};
    assert_non_null(importer);
    const enum bo_status status = importer->import_folder(folder, &arena, &model, error);
    *model_ret = model;
    return status;
}

static const struct statehist_model *import_good(struct trace *trace)
{
    const struct statehist_model *model;
    struct bo_error error;
    end_trace(trace);
    if (import_folder(trace->folder, &model, &error))
        fail_msg("%s", error.what);
    assert_null(statehist_model_flaw(model, &arena));
    assert_null(error.what);
    remove_folder(trace->folder);
    return model;
}

static void expect_refused(const char *folder, enum bo_status status, const char *what)
{
    const struct statehist_model *model;
    struct bo_error error;
    const enum bo_status got = import_folder(folder, &model, &error);
    if (got != status || !strstr(error.what ? error.what : "", what))
        fail_msg("%s: %s; not %s", bo_status_name(got), error.what, what);
    assert_int_equal(error.status, status);
    assert_true(error.off == BO_NO_OFFSET);
}

static void expect_refused_trace(struct trace *trace, enum bo_status status, const char *what)
{
    end_trace(trace);
    expect_refused(trace->folder, status, what);
    remove_folder(trace->folder);
}

/* ---- perf's text as a kernel trace ----------------------------------------------------------- */

/* The number, or the text up to a blank, after a key. */
static long number_behind(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    if (!at)
        fail_msg("no %s: %s", key, line);
    return strtol(at + strlen(key), NULL, 10);
}

static const char *text_behind(const char *line, const char *key, const char *stop, char room[64])
{
    const char *at = strstr(line, key);
    assert_non_null(at);
    at += strlen(key);
    const char *end = stop ? strstr(at, stop) : at + strlen(at);
    const size_t n = (size_t)(end - at);
    assert_true(n < 64);
    memcpy(room, at, n);
    room[n] = 0;
    return room;
}

static uint64_t bits_of_state(char letter)
{
    static const char letters[] = "SDTtXZPI";
    const char *at = strchr(letters, letter);
    return letter == 'R' ? 0 : (uint64_t)1 << (at ? at - letters : 2);
}

static void write_switch(struct trace *trace, const struct who *who, uint64_t time,
                         const char *text)
{
    char comm[64], state[64];
    struct bo_writer *to = put_event(trace, who, time, 1);
    put_comm(to, "p");
    bo_put_le32(to, (uint32_t)number_behind(text, " prev_pid="));
    bo_put_le32(to, (uint32_t)number_behind(text, " prev_prio="));
    text_behind(text, " prev_state=", " ", state);
    bo_put_le64(to, state[1] == '+' ? 0x100 : bits_of_state(state[0]));
    put_comm(to, text_behind(text, "next_comm=", " next_pid=", comm));
    bo_put_le32(to, (uint32_t)number_behind(text, " next_pid="));
    bo_put_le32(to, (uint32_t)number_behind(text, " next_prio="));
}

/* comm, tid and then the numbers after these keys */
static void write_thread(struct bo_writer *to, const char *text, const char *const *keys)
{
    put_comm(to, "c");
    for (; *keys; keys++)
        bo_put_le32(to, (uint32_t)number_behind(text, *keys));
}

static void write_system_call(struct trace *trace, const struct who *who, uint64_t time,
                              const char *text, bool is_exit)
{
    const long number = number_behind(text, "NR ");
    if (number < 0) {
        put_event(trace, who, time, is_exit ? 18 : 0);
        if (is_exit)
            bo_put_le64(&trace->events[who->cpu], 0);
    } else if ((size_t)number < N_ELEMENTS(calls) && calls[number]) {
        put_event(trace, who, time, FIRST_CALL + 2 * (uint32_t)number + is_exit);
    } else {
        struct bo_writer *to = put_event(trace, who, time, 15 + is_exit);
        bo_put_le32(to, (uint32_t)number);
        if (is_exit)
            bo_put_le64(to, 0);
    }
}

static void write_fork(struct trace *trace, const struct who *who, uint64_t time, const char *text)
{
    char comm[64];
    struct bo_writer *to = put_event(trace, who, time, 6);
    put_comm(to, "c");
    bo_put_le32(to, (uint32_t)number_behind(text, " pid="));
    put_comm(to, text_behind(text, " child_comm=", " child_pid=", comm));
    bo_put_le32(to, (uint32_t)number_behind(text, " child_pid="));
}

static void write_exec(struct trace *trace, const struct who *who, uint64_t time)
{
    struct bo_writer *to = put_event(trace, who, time, 7);
    bo_put_bytes(to, "/x", 3);
    bo_put_le32(to, (uint32_t)who->tid);
    bo_put_le32(to, (uint32_t)who->tid);
}

static void write_irq(struct trace *trace, const struct who *who, uint64_t time, const char *text,
                      bool is_exit)
{
    char name[64];
    struct bo_writer *to = put_event(trace, who, time, 9 + is_exit);
    bo_put_le32(to, (uint32_t)number_behind(text, "irq="));
    if (is_exit)
        bo_put_le32(to, 1);
    else
        bo_put_bytes(to, name, strlen(text_behind(text, " name=", NULL, name)) + 1);
}

static void write_event(struct trace *trace, const struct who *who, uint64_t time,
                        const char *event, const char *text)
{
    static const struct {
        const char *event;
        uint32_t id;
        const char *keys[5];
    } of_threads[] = {
        {"sched:sched_wakeup", 2, {" pid=", " prio=", " target_cpu=", NULL}},
        {"sched:sched_wakeup_new", 3, {" pid=", " prio=", " target_cpu=", NULL}},
        {"sched:sched_migrate_task", 4, {" pid=", " prio=", " orig_cpu=", " dest_cpu=", NULL}},
        {"sched:sched_pi_setprio", 5, {" pid=", " oldprio=", " newprio=", NULL}},
        {"sched:sched_process_free", 8, {" pid=", " prio=", NULL}},
    };
    static const char *const soft_irqs[] = {"irq:softirq_raise", "irq:softirq_entry",
                                            "irq:softirq_exit"};
    for (size_t i = 0; i < N_ELEMENTS(of_threads); i++)
        if (strcmp(event, of_threads[i].event) == 0) {
            write_thread(put_event(trace, who, time, of_threads[i].id), text, of_threads[i].keys);
            return;
        }
    for (uint32_t i = 0; i < N_ELEMENTS(soft_irqs); i++)
        if (strcmp(event, soft_irqs[i]) == 0) {
            bo_put_le32(put_event(trace, who, time, 11 + i), (uint32_t)number_behind(text, "vec="));
            return;
        }
    if (strcmp(event, "sched:sched_switch") == 0)
        write_switch(trace, who, time, text);
    else if (strcmp(event, "sched:sched_process_fork") == 0)
        write_fork(trace, who, time, text);
    else if (strcmp(event, "sched:sched_process_exec") == 0)
        write_exec(trace, who, time);
    else if (strncmp(event, "raw_syscalls:sys_e", 18) == 0)
        write_system_call(trace, who, time, text, event[18] == 'x');
    else if (strncmp(event, "irq:irq_handler_e", 17) == 0)
        write_irq(trace, who, time, text, event[17] == 'x');
    else
        put_event(trace, who, time, 0);
}

/* "NAME PID/TID [CPU] SECONDS.NANOSECONDS: EVENT: TEXT", as in the recordings. */
static void write_line(struct trace *trace, char *line)
{
    char event[64], *bracket = strstr(line, " [");
    unsigned cpu, tid, pid;
    unsigned long long seconds, nanoseconds;
    int n;
    while (bracket && sscanf(bracket, " [%u] %llu.%9llu: %63[^ ] %n", &cpu, &seconds, &nanoseconds,
                             event, &n) != 4)
        bracket = strstr(bracket + 1, " [");
    if (line[0] == '#')
        return;
    if (!bracket || cpu >= N_CPUS)
        fail_msg("not read: %s", line);
    event[strlen(event) - 1] = 0; /* the colon */
    *bracket = 0;
    char *ids = strrchr(line, ' ');
    assert_int_equal(sscanf(ids, " %u/%u", &pid, &tid), 2);
    *ids = 0;
    while (*line == ' ')
        line++;
    const struct who who = {cpu, (int32_t)tid, (int32_t)pid, line};
    write_event(trace, &who, UINT64_C(1000000000) * seconds + nanoseconds, event, bracket + n);
}

static void expect_same_as_perf(const char *recording, const char *history)
{
    struct bo_input in;
    struct trace trace;
    begin_trace(&trace, usual);
    assert_true(bo_input_open(recording, &in));
    for (const uint8_t *at = in.bytes.p, *end = at + in.bytes.n; at < end;) {
        char line[1000];
        const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
        assert_true(newline && newline - at < (long)sizeof line);
        memcpy(line, at, (size_t)(newline - at));
        line[newline - at] = 0;
        write_line(&trace, line);
        at = newline + 1;
    }
    bo_input_close(&in);
    expect_file(import_good(&trace), history);
}

TEST(test_same_as_perf)
{
    expect_same_as_perf("corpora/statehist/perf/pipes.txt.xz", "corpora/statehist/pipes.tsv.xz");
    expect_same_as_perf("corpora/statehist/perf/make.txt.xz", "corpora/statehist/make.tsv.xz");
}

/* ---- events that perf's text does not have --------------------------------------------------- */

static const struct who nobody = {.cpu = 1, .comm = ""};

/*
 * The thread of a system call follows from the last switch. Before the first switch, it belongs to
 * no thread.
 */
TEST(test_without_contexts)
{
    struct trace trace;
    begin_trace(&trace, without_contexts);
    put_event(&trace, &nobody, 1000, FIRST_CALL + 2);     /* write */
    put_event(&trace, &nobody, 1010, FIRST_CALL + 2 + 1); /* and its exit */
    put_switch(&trace, &nobody, 1020, 0, 0, 7);
    put_event(&trace, &nobody, 1030, FIRST_CALL);
    bo_put_le32(put_event(&trace, &nobody, 1040, 15), 999);
    put_event(&trace, &nobody, 1050, FIRST_CALL + 1);
    put_event(&trace, &nobody, 1060, 17); /* the name before LTTng 2.6 */
    bo_put_le64(put_event(&trace, &nobody, 1070, 18), 0);
    write_exec(&trace, &nobody, 1080);
    struct bo_writer *to = put_event(&trace, &nobody, 1090, 6);
    put_comm(to, "n7");
    bo_put_le32(to, 7);
    put_comm(to, "child");
    bo_put_le32(to, 9);
    bo_put_le32(to, 8);
    const struct statehist_model *model = import_good(&trace);
    expect_timeline(model, "Threads/7/System_call", "n 30:read 40:syscall_999 50:n 60:read 70:n");
    expect_timeline(model, "Threads/7", "n 20:2 30:3 50:2 60:3 70:2");
    expect_timeline(model, "Threads/7/Exec_name", "n 20:n7");
    expect_timeline(model, "CPUs/1", "n 20:2 30:4 50:2 60:4 70:2");
    expect_timeline(model, "Threads/9/PPID", "n 90:7");
    expect_timeline(model, "Threads/9/PID", "n 90:8");
    expect_timeline(model, "Threads/9/Exec_name", "n 90:child");
    assert_true(find(model, "Threads/0") == STATEHIST_ROOT);
    assert_true(model->start == 1000 && model->end == 1090);
}

static void expect_states(const char *release, const char *expected)
{
    static const int64_t states[] = {0, 1, 2, 0x402, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x100};
    struct trace trace;
    struct kind kind = without_contexts;
    kind.release = release;
    begin_trace(&trace, kind);
    for (size_t i = 0; i < N_ELEMENTS(states); i++) {
        put_switch(&trace, &nobody, 1000 + 2 * i, 0, 0, 7);
        put_switch(&trace, &nobody, 1000 + 2 * i + 1, 7, states[i], 0);
    }
    expect_timeline(import_good(&trace), "Threads/7", expected);
}

TEST(test_task_states)
{
    expect_states("6.1.0-18-amd64",
                  "2 1:5 2:2 3:1 4:2 5:1 6:2 7:1 8:2 9:6 10:2 11:6 12:2 13:n 14:2 15:n 16:2 17:6 "
                  "18:2 19:1 20:2 21:5");
    expect_states("4.9.0-6-amd64",
                  "2 1:5 2:2 3:1 4:2 5:1 6:2 7:1 8:2 9:6 10:2 11:6 12:2 13:n 14:2 15:n 16:2 17:n "
                  "18:2 19:5 20:2 21:5");
}

static void put_dumped(struct trace *trace, uint64_t time, int32_t tid, int32_t pid, int32_t status)
{
    struct bo_writer *to = put_event(trace, &nobody, time, 14);
    bo_put_le32(to, (uint32_t)tid);
    bo_put_le32(to, (uint32_t)pid);
    bo_put_le32(to, 3);
    put_comm(to, "dumped");
    bo_put_le32(to, (uint32_t)status);
}

/* Known values stay. */
TEST(test_state_dump)
{
    struct trace trace;
    begin_trace(&trace, without_contexts);
    put_switch(&trace, &nobody, 1000, 0, 0, 7);
    put_dumped(&trace, 1010, 7, 7, 5);
    put_dumped(&trace, 1020, 8, 7, 2);
    put_dumped(&trace, 1030, 9, 9, 5);
    put_dumped(&trace, 1040, 0, 0, 5);
    const struct statehist_model *model = import_good(&trace);
    expect_timeline(model, "Threads/7", "2");
    expect_timeline(model, "Threads/7/Exec_name", "n7");
    expect_timeline(model, "Threads/7/PPID", "n 10:3");
    expect_timeline(model, "Threads/8", "n 20:5");
    expect_timeline(model, "Threads/8/PPID", "n 20:7");
    expect_timeline(model, "Threads/8/PID", "n 20:7");
    expect_timeline(model, "Threads/9", "n 30:6");
    expect_timeline(model, "Threads/9/Exec_name", "n 30:dumped");
    assert_true(find(model, "Threads/0") == STATEHIST_ROOT);
}

/* ---- user space ------------------------------------------------------------------------------ */

TEST(test_memory)
{
    const struct statehist_model *model;
    struct bo_error error;
    char folder[200], command[500];
    assert_true(bo_temporary_folder(folder, sizeof folder));
    snprintf(command, sizeof command, "tar -C '%s' -xJf corpora/statehist/ctf/ls-memory.tar.xz",
             folder);
    assert_int_equal(system(command), 0);
    if (import_folder(folder, &model, &error))
        fail_msg("%s", error.what);
    expect_file(model, "corpora/statehist/ls-memory.tsv.xz");
    remove_folder(folder);
}

/* Threads with and without a number; blocks that another thread frees; addresses of no block. */
TEST(test_memory_states)
{
    const struct memory_thread named = {7, bo_span_of("one")}, unnamed = {8, {NULL, 0}},
                               others = {-1, bo_span_of("hidden")};
    struct memory_states states;
    struct statehist_model *model;
    assert_true(memory_states_init(&states, 100, &arena));
    const struct {
        const struct memory_thread *thread;
        uint64_t address, nbytes; /* 0 bytes: freed */
    } events[] = {
        {&named, 1, 10}, {&unnamed, 2, 20}, {&others, 3, 30}, {&named, 4, 40}, {&unnamed, 1, 0},
        {&others, 5, 0}, {&named, 2, 0},    {&named, 2, 5},   {&named, 2, 6},
    };
    for (size_t i = 0; i < N_ELEMENTS(events); i++) {
        states.system.now = 101 + (int64_t)i;
        assert_true(
            memory_allocate(&states, events[i].thread, events[i].address, events[i].nbytes));
    }
    assert_int_equal(state_system_finish(&states.system, &model, NULL), BO_OK);
    expect_timeline(model, "7/UST_MEMORY_MEMORY_ATTRIBUTE", "n 1:10 4:50 7:30 8:35 9:41");
    expect_timeline(model, "8/UST_MEMORY_MEMORY_ATTRIBUTE", "n 2:20 5:10");
    expect_timeline(model, "-1/UST_MEMORY_MEMORY_ATTRIBUTE", "n 3:30");
    expect_timeline(model, "7/UST_MEMORY_PROCNAME_ATTRIBUTE", "n 1:one");
    expect_timeline(model, "-1/UST_MEMORY_PROCNAME_ATTRIBUTE", "n 3:Others");
    assert_true(find(model, "8/UST_MEMORY_PROCNAME_ATTRIBUTE") == STATEHIST_ROOT);
}

/* A failed posix_memalign leaves the caller's pointer in out_ptr, here that of another block. */
TEST(test_failed_memalign)
{
    struct trace trace;
    struct kind kind = usual;
    kind.tracer = "lttng-ust";
    kind.context = "int32_t _vtid; int32_t _pid; letter _procname[16];";
    const struct who who = {0, 7, 7, "a"};
    begin_trace(&trace, kind);
    struct bo_writer *to = put_event(&trace, &who, 1000, 20);
    bo_put_le64(to, 10);
    bo_put_le64(to, 64);
    for (unsigned i = 0; i < 2; i++) {
        to = put_event(&trace, &who, 1010 + 10 * i, 21);
        bo_put_le64(to, i ? 128 : 64);
        bo_put_le64(to, 8);
        bo_put_le64(to, 5000);
        bo_put_le32(to, i ? 0 : 12);
    }
    const struct statehist_model *model = import_good(&trace);
    expect_timeline(model, "7/UST_MEMORY_MEMORY_ATTRIBUTE", "10 20:5010");
}

/* ---- rejected traces ------------------------------------------------------------------------- */

TEST(test_malformed_events)
{
    struct trace trace;
    begin_trace(&trace, without_contexts);
    put_switch(&trace, &nobody, 1000, 0, 0, -7);
    expect_refused_trace(&trace, BO_CORRUPT,
                         "sched_switch at 1000 ns: no next_tid, or beyond its range");
    begin_trace(&trace, without_contexts);
    bo_put_le32(put_event(&trace, &nobody, 5, 19), 3);
    expect_refused_trace(&trace, BO_CORRUPT,
                         "irq_handler_entry at 5 ns: no name, or beyond its range");
}

TEST(test_damaged_traces)
{
    struct trace trace;
    begin_trace(&trace, usual);
    put_event(&trace, &nobody, 5, 4000);
    expect_refused_trace(&trace, BO_CORRUPT, "babeltrace: cannot read the trace: ");
    begin_trace(&trace, usual);
    bo_put_bytes(put_event(&trace, &nobody, 5, 1), "x", 1);
    expect_refused_trace(&trace, BO_CORRUPT, "babeltrace: cannot read the trace: ");
    begin_trace(&trace, usual);
    put_event(&trace, &nobody, 5, 0);
    trace.kind.context = "unknown_type x;";
    expect_refused_trace(&trace, BO_CORRUPT, "babeltrace: cannot read the trace: ");
    begin_trace(&trace, usual);
    expect_refused_trace(&trace, BO_CORRUPT, "file has no events");
}

/* For metadata that ends inside a packet, babeltrace 2.0 would run forever. */
TEST(test_metadata_cut_short)
{
    static const uint8_t heads[2][37] = {
        {0x57, 0x1d, 0xd1, 0x75, [24] = 200, 5, 0, 0, [28] = 0, 8, 0, 0},
        {0x75, 0xd1, 0x1d, 0x57, [24] = 0, 0, 5, 200, [28] = 0, 0, 8, 0},
    };
    for (unsigned i = 0; i < 2; i++)
        for (size_t n = 10; n <= sizeof heads[i]; n += 27) {
            struct trace trace;
            begin_trace(&trace, usual);
            FILE *file = create(&trace, "metadata");
            fwrite(heads[i], 1, n, file);
            fclose(file);
            expect_refused(trace.folder, BO_TRUNCATED, "metadata packet is truncated");
            remove_folder(trace.folder);
        }
}

TEST(test_unknown_environments)
{
    struct trace trace, other;
    struct kind kind = usual;
    kind.tracer = "barectf";
    begin_trace(&trace, kind);
    put_event(&trace, &nobody, 5, 0);
    expect_refused_trace(&trace, BO_UNSUPPORTED,
                         "trace comes neither from LTTng's kernel tracer nor");
    for (unsigned i = 0; i < 2; i++) {
        kind = usual;
        *(i ? &kind.tracer : &kind.host) = i ? "lttng-ust" : "other-box";
        begin_trace(&trace, usual);
        put_event(&trace, &nobody, 5, 0);
        begin_trace(&other, kind);
        put_event(&other, &nobody, 6, 0);
        end_trace(&trace);
        remove_folder(other.folder);
        snprintf(other.folder, sizeof other.folder, "%.180s/below", trace.folder);
        assert_int_equal(mkdir(other.folder, 0700), 0);
        end_trace(&other);
        expect_refused(
            trace.folder, BO_UNSUPPORTED,
            i ? "folder has a kernel trace and a user-space trace; pass the folder of one"
              : "folder has traces of several machines; pass the folder of one");
        remove_folder(trace.folder);
    }
}

TEST(test_other_folders)
{
    char folder[200], path[300];
    assert_null(bo_find_folder_importer("statehist", "corpora/statehist"));
    assert_null(bo_find_folder_importer("statehist", "no/such/folder"));
    assert_null(bo_find_folder_importer("pcdata", "corpora/statehist"));
    assert_true(bo_temporary_folder(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/metadata", folder);
    FILE *file = fopen(path, "wb");
    fputs("/* CTF 2 */ ...", file);
    fclose(file);
    assert_null(bo_find_folder_importer("statehist", folder));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); /* which nobody opens to write */
    assert_null(bo_find_folder_importer("statehist", folder));
    remove_folder(folder);
}

/* Each of our allocations fails in turn, in the reading process and in this one. */
TEST(test_failing_allocations)
{
    struct trace trace;
    begin_trace(&trace, usual);
    const struct who who = {0, 8, 8, "\xff"};
    put_switch(&trace, &who, 1000, 0, 0, 8);
    bo_put_bytes(put_event(&trace, &who, 1010, 9), "\x05\0\0\0x", 6);
    end_trace(&trace);
    enum bo_status status = BO_NO_MEMORY;
    for (uint64_t n = 1; status != BO_OK; n++) {
        struct bo_arena small;
        struct bo_error error = {0};
        void *model;
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        status = bo_find_folder_importer("statehist", trace.folder)
                     ->import_folder(trace.folder, &small, &model, &error);
        assert_true(status == BO_NO_MEMORY || (status == BO_OK && small.n_allocs < n));
        assert_int_equal(error.status, status);
        bo_arena_free(&small);
    }
    remove_folder(trace.folder);
}

/* A build without the library reports it. */
static bool can_import(void)
{
    struct trace trace;
    struct bo_error error;
    const struct statehist_model *model;
    set_up(NULL);
    begin_trace(&trace, usual);
    end_trace(&trace);
    const bool can = import_folder(trace.folder, &model, &error) != BO_UNSUPPORTED;
    if (!can)
        print_message("tests that need traces are skipped: %s\n", error.what);
    remove_folder(trace.folder);
    tear_down(NULL);
    return can;
}

static int find_importer(void **state)
{
    is_built = can_import();
    return set_up(state);
}

TEST_FILE(find_importer, tear_down)
