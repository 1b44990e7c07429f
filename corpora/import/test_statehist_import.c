/*
 * The importer of kernel traces: each rule of the states by a few events, bad lines by their
 * offsets, and the recordings next to the documents made from them. Why: documents are made once
 * and then trusted, and perf prints names of tasks, which may contain anything.
 */
#include <stdio.h>

#include "codecs/statehist/test_model.h"
#include "corpora/import/test_seeds.h"
#include "harness/core/input.h"

#include "corpora/import/test_timelines.h"

static enum bo_status import_text(const char *text, const struct statehist_model **model_ret,
                                  struct bo_error *error)
{
    void *model = NULL;
    const struct bo_span file = bo_span_of(text);
    const struct bo_importer *importer = bo_find_importer("statehist", file);
    *error = (struct bo_error){0};
    if (!importer || strcmp(importer->name, "perf") != 0)
        fail_msg("not taken for perf's: %s", text);
    const enum bo_status status = test_import(importer, file, NULL, &arena, &model, error);
    *model_ret = model;
    return status;
}

static const struct statehist_model *import_good(const char *text)
{
    const struct statehist_model *model;
    struct bo_error error;
    if (import_text(text, &model, &error))
        fail_msg("%s at byte %u", error.what, (unsigned)error.off);
    assert_null(statehist_model_flaw(model, &arena));
    return model;
}

/* Events at 1 s plus this many ns. */
#define AT(ns, comm, ids, cpu, event) "  " comm " " ids " [" cpu "] 1.000000" ns ": " event "\n"
#define SWITCH(prev, prev_state, next)                                                       \
    "sched:sched_switch: prev_comm=p prev_pid=" prev " prev_prio=120 prev_state=" prev_state \
    " ==> next_comm=n" next " next_pid=" next " next_prio=110"

/* ---- the rules ------------------------------------------------------------------------------- */

TEST(test_switches)
{
    const struct statehist_model *model = import_good(
        AT("000", "swapper", "0", "001", SWITCH("0", "R", "7"))
            AT("010", "n7", "7", "001", SWITCH("7", "S", "8"))
                AT("020", "n8", "8", "001", SWITCH("8", "R+", "9"))
                    AT("030", "n9", "9", "001", SWITCH("9", "X", "10"))
                        AT("040", "n10", "10", "001", SWITCH("10", "T", "0"))
                            AT("050", "swapper", "0", "001", SWITCH("0", "R", "7"))
                                AT("060", "n7", "7", "001",
                                   "sched:sched_stat_runtime: comm=n7 pid=7 runtime=1 [ns]"));
    expect_timeline(model, "CPUs/1", "2 40:0 50:2");
    expect_timeline(model, "CPUs/1/Current_thread", "7 10:8 20:9 30:10 40:0 50:7");
    expect_timeline(model, "Threads/7", "2 10:1 50:2");
    expect_timeline(model, "Threads/7/Current_cpu_rq", "1 10:n 50:1");
    expect_timeline(model, "Threads/7/Exec_name", "n7");
    expect_timeline(model, "Threads/7/Prio", "110 10:120 50:110");
    expect_timeline(model, "Threads/8", "n 10:2 20:5");
    expect_timeline(model, "Threads/8/Current_cpu_rq", "n 10:1");
    expect_timeline(model, "Threads/9", "n 20:2 30:n");
    expect_timeline(model, "Threads/10", "n 30:2 40:6");
    expect_timeline(model, "Threads/0_1", "5 40:2 50:5");
    assert_true(model->end == model->start + 60);
    assert_true(find(model, "Threads/0") == STATEHIST_ROOT);
    assert_true(find(model, "IRQs") == STATEHIST_ROOT);
}

TEST(test_system_calls)
{
    const struct statehist_model *model = import_good(
        "# arch : x86_64\n" AT("000", "a", "7/8", "000", SWITCH("0", "R", "8"))
            AT("010", "a", "7/8", "000", "raw_syscalls:sys_enter: NR 0 (3, 1, 2)")
                AT("020", "a", "7/8", "000", SWITCH("8", "D", "0")) AT("030", "a", "0/0", "000",
                                                                       SWITCH("0", "R", "8"))
                    AT("040", "a", "7/8", "000", "raw_syscalls:sys_exit: NR 0 = 12")
                        AT("050", "a", "7/8", "000", "raw_syscalls:sys_enter: NR 9999 ()")
                            AT("060", "a", "7/8", "000", "raw_syscalls:sys_exit: NR 9999 = -38")
                                AT("070", "a", "7/8", "000", "raw_syscalls:sys_enter: NR -1 ()"));
    expect_timeline(model, "Threads/8/System_call", "n 10:read 40:n 50:syscall_9999 60:n");
    expect_timeline(model, "Threads/8", "2 10:3 20:1 30:3 40:2 50:3 60:2");
    expect_timeline(model, "CPUs/0", "2 10:4 20:0 30:4 40:2 50:4 60:2");
    expect_timeline(model, "Threads/8/PID", "7");
}

TEST(test_wakeups)
{
#define WAKEUP(event, tid) "sched:" event ": comm=a pid=" tid " prio=100 target_cpu=003"
    const struct statehist_model *model = import_good(
        AT("000", "a", "1", "000", SWITCH("0", "R", "8"))
            AT("010", "a", "1", "000", WAKEUP("sched_wakeup", "8"))
                AT("020", "a", "1", "000", WAKEUP("sched_wakeup_new", "9"))
                    AT("030", "a", "1", "000", WAKEUP("sched_waking", "10"))
                        AT("040", "a", "1", "000",
                           "sched:sched_migrate_task: comm=a pid=9 prio=100 orig_cpu=3 dest_cpu=2")
                            AT("050", "a", "1", "000",
                               "sched:sched_pi_setprio: comm=a pid=9 oldprio=100 newprio=-3"));
    expect_timeline(model, "Threads/8", "2"); /* it runs */
    expect_timeline(model, "Threads/8/Current_cpu_rq", "0 10:3");
    expect_timeline(model, "Threads/8/Prio", "110 10:100");
    expect_timeline(model, "Threads/9", "n 20:5");
    expect_timeline(model, "Threads/9/Current_cpu_rq", "n 20:3 40:2");
    expect_timeline(model, "Threads/9/Prio", "n 20:100 50:-3");
    assert_true(find(model, "Threads/10") == STATEHIST_ROOT);
}

TEST(test_lives)
{
    const struct statehist_model *model = import_good(
        AT("000", "a", "8", "000", "raw_syscalls:sys_enter: NR 56 ()")
            AT("010", "a", "8", "000",
               "sched:sched_process_fork: comm=a b pid=8 child_comm=a b pid=3 child_pid=9")
                AT("020", "ls", "9", "001",
                   "sched:sched_process_exec: filename=/bin/ls pid=9 old_pid=9")
                    AT("030", "ls", "9", "001", "sched:sched_process_exit: comm=ls pid=9 prio=120")
                        AT("040", "ls", "0", "001",
                           "sched:sched_process_free: comm=ls pid=9 prio=120"));
    expect_timeline(model, "Threads/9", "n 10:5 40:n");
    expect_timeline(model, "Threads/9/PPID", "n 10:8 40:n");
    expect_timeline(model, "Threads/9/Exec_name", "n 10:a b pid=3 20:ls 40:n");
    expect_timeline(model, "Threads/9/System_call", "n 10:syscall_56 40:n");
}

TEST(test_interrupts)
{
    const struct statehist_model *model = import_good(
        AT("000", "a", "8", "000", "irq:irq_handler_exit: irq=5 ret=handled")
            AT("010", "a", "8", "000", SWITCH("0", "R", "8"))
                AT("020", "a", "8", "000", "irq:softirq_raise: vec=1 [action=TIMER]")
                    AT("030", "a", "8", "000", "irq:softirq_entry: vec=1 [action=TIMER]") AT(
                        "040", "a", "8", "000", "irq:irq_handler_entry: irq=14 name=ata piix")
                        AT("050", "a", "8", "000", "irq:softirq_raise: vec=1 [action=TIMER]")
                            AT("060", "a", "8", "000", "irq:irq_handler_exit: irq=14 ret=handled")
                                AT("070", "a", "8", "000", "irq:softirq_exit: vec=1 [action=TIMER]")
                                    AT("080", "a", "8", "000", SWITCH("8", "S", "0"))
                                        AT("090", "a", "0", "000",
                                           "irq:softirq_entry: vec=1 [action=TIMER]")
                                            AT("100", "a", "0", "000",
                                               "irq:softirq_exit: vec=1 [action=TIMER]"));
    expect_timeline(model, "CPUs/0", "n 10:2 30:8 40:16 60:8 70:2 80:0 90:8 100:0");
    expect_timeline(model, "Threads/8", "n 10:2 30:4 70:2 80:1");
    expect_timeline(model, "Threads/0_0", "n 10:5 80:2 90:4 100:2");
    expect_timeline(model, "CPUs/0/IRQs/14|ata piix", "n 40:0 60:n");
    expect_timeline(model, "IRQs/14|ata piix", "n 40:0 60:n");
    expect_timeline(model, "CPUs/0/Soft_IRQs/1", "n 20:1 30:8 50:9 70:1 90:8 100:n");
    expect_timeline(model, "Soft_IRQs/1", "n 20:1 30:8 50:9 70:1 90:8 100:n");
}

/* Two changes at one time count as one. A change there and back leaves two equal neighbours. */
TEST(test_changes_at_once)
{
    const struct statehist_model *model =
        import_good(AT("000", "a", "8", "000", SWITCH("0", "R", "8"))
                        AT("010", "a", "8", "000", "raw_syscalls:sys_enter: NR 1 ()")
                            AT("010", "a", "8", "000", "raw_syscalls:sys_exit: NR 1 = 0")
                                AT("020", "a", "8", "000", SWITCH("8", "R", "9")));
    expect_timeline(model, "Threads/8", "2 10:2 20:5");
}

/* The states of a thread that leaves its CPU, with those of old kernels and of lists. */
TEST(test_states_of_leaving_threads)
{
    static const struct {
        const char *state, *timeline;
    } cases[] = {
        {"S", "2 10:1"},  {"D|K", "2 10:1"}, {"I", "2 10:1"},   {"W", "2 10:1"},
        {"R", "2 10:5"},  {"R+", "2 10:5"},  {"T", "2 10:6"},   {"t|K", "2 10:6"},
        {"P", "2 10:6"},  {"X", "2 10:n"},   {"Z", "2 10:n"},   {"x", "2 10:n"},
        {"x+", "2 10:n"}, {"X|Z", "2 10:n"}, {"D|x", "2 10:n"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char text[400];
        snprintf(text, sizeof text,
                 AT("000", "a", "0", "001", SWITCH("0", "R", "7"))
                     AT("010", "a", "7", "001", SWITCH("7", "%s", "8")),
                 cases[i].state);
        expect_timeline(import_good(text), "Threads/7", cases[i].timeline);
    }
}

/* The plugin of libtraceevent that perf may use for three events prints them in its own layout. */
TEST(test_layout_of_plugin)
{
    const struct statehist_model *model = import_good(
        AT("000", "swapper", "0", "003", "sched:sched_switch: swapper/3:0 [120] R ==> a b:c:7 [-2]")
            AT("010", "a b:c", "7", "003",
               "sched:sched_wakeup: rcu_sched:9 [120] success=1 CPU:001")
                AT("020", "a b:c", "7", "003", "sched:sched_wakeup_new: x [1]:10 [110] CPU:002")
                    AT("030", "a b:c", "7", "003",
                       "sched:sched_switch: a b:c:7 [-1] D|W ==> x:1 [7] ==> y:8 [100]")
                        AT("040", "y", "8", "003",
                           "sched:sched_switch: x:1 [7] ==> y:8 [100] x ==> next_comm=z:11 [1]"));
    expect_timeline(model, "CPUs/3/Current_thread", "7 30:8 40:11");
    expect_timeline(model, "Threads/7", "2 30:1");
    expect_timeline(model, "Threads/7/Prio", "-2 30:-1");
    expect_timeline(model, "Threads/7/Exec_name", "a b:c");
    expect_timeline(model, "Threads/8", "n 30:2 40:n");
    expect_timeline(model, "Threads/8/Exec_name", "n 30:x:1 [7] ==> y");
    expect_timeline(model, "Threads/9", "n 10:5");
    expect_timeline(model, "Threads/9/Prio", "n 10:120");
    expect_timeline(model, "Threads/9/Current_cpu_rq", "n 10:1");
    expect_timeline(model, "Threads/10/Current_cpu_rq", "n 20:2");
    expect_timeline(model, "Threads/10/Prio", "n 20:110");
    expect_timeline(model, "Threads/11/Exec_name", "n 40:next_comm=z");
}

/* Any user can give a task a name of up to 15 bytes, such as fields of the event. */
TEST(test_names_like_fields)
{
#define SWITCH_OF(prev_comm, state, next_comm, next)                                         \
    "sched:sched_switch: prev_comm=" prev_comm " prev_pid=7 prev_prio=120 prev_state=" state \
    " ==> next_comm=" next_comm " next_pid=" next " next_prio=110"
    const struct statehist_model *model = import_good(
        AT("000", "a", "7", "000",
           "sched:sched_wakeup: comm=a pid=9 pid=10 prio=120 target_cpu=000")
            AT("010", "a", "7", "000", SWITCH_OF("a prev_state=Z", "S", "n", "11"))
                AT("020", "a", "7", "001", SWITCH_OF("a prev_pid=99", "D", "a next_pid=5", "12"))
                    AT("030", "a", "7", "002", SWITCH_OF(" ==> next_comm=", "S", "a", "13"))
                        AT("040", "a", "7", "004", SWITCH_OF("a", "S", " ==> next_comm=", "14"))
                            AT("050", "a", "7", "000",
                               "sched:sched_process_fork: comm=a pid=3 pid=8 child_comm=a pid=3 "
                               "child_pid=15")
                                AT("060", "a", "7", "000",
                                   "sched:sched_migrate_task: comm= dest_cpu=5 pid=10 prio=120 "
                                   "orig_cpu=0 dest_cpu=2")
                                    AT("070", "a", "7", "000",
                                       "irq:irq_handler_entry: irq=14 name=x irq=15"));
    expect_timeline(model, "Threads/10", "5");
    assert_true(find(model, "Threads/9") == STATEHIST_ROOT);
    assert_true(find(model, "Threads/99") == STATEHIST_ROOT);
    expect_timeline(model, "Threads/7", "n 10:1");
    expect_timeline(model, "Threads/12/Exec_name", "n 20:a next_pid=5");
    expect_timeline(model, "Threads/13/Exec_name", "n 30:a");
    expect_timeline(model, "Threads/14/Exec_name", "n 40: ==> next_comm=");
    expect_timeline(model, "Threads/15/PPID", "n 50:8");
    expect_timeline(model, "Threads/15/Exec_name", "n 50:a pid=3");
    expect_timeline(model, "Threads/10/Current_cpu_rq", "0 60:2");
    expect_timeline(model, "IRQs/14|x irq=15", "n 70:0");
}

/* ---- lines ----------------------------------------------------------------------------------- */

TEST(test_names_like_lines)
{
    const struct statehist_model *model = import_good(
        "\n# a comment\n"
        "x [001] 5.5: a: b  12/13  [002]     3.5:   sched:sched_process_exec:  filename=x\n"
        "\xff\xfe 14 [002] 3.500000001: sched:sched_process_exec: filename=x\n"
        "y 15 [002] 4.000000: unknown:event: anything\n");
    expect_timeline(model, "Threads/13/Exec_name", "x [001] 5.5: a: b");
    expect_timeline(model, "Threads/13/PID", "12");
    expect_timeline(model, "Threads/14/Exec_name", "n 1:??");
    assert_true(model->start == INT64_C(3500000000) && model->end == INT64_C(4000000000));
}

/* A task that has ended has no numbers: perf prints -1. Its last switch names it in the text. */
TEST(test_tasks_without_numbers)
{
    const struct statehist_model *model = import_good(
        AT("000", "swapper", "0", "000", SWITCH("0", "R", "7"))
            AT("010", ":-1", "-1/-1", "000", SWITCH("7", "X", "8"))
                AT("020", ":-1", "-1", "000", "raw_syscalls:sys_enter: NR 1 (0)")
                    AT("030", ":-1", "-1", "000", "raw_syscalls:sys_exit: NR 1 = 0")
                        AT("040", ":-1", "-1", "000", "sched:sched_process_exec: filename=x"));
    expect_timeline(model, "Threads/7", "2 10:n");
    expect_timeline(model, "Threads/8", "n 10:2");
    assert_true(find(model, "Threads/1") == STATEHIST_ROOT);
}

/* A name of more than 256 bytes is cut between characters. */
TEST(test_long_names)
{
    char text[1024] = "a 1 [000] 2.0: irq:irq_handler_entry: irq=14 name=";
    for (unsigned i = 0; i < 150; i++)
        strcat(text, "\xc3\xa9");
    strcat(text, "\n");
    import_good(text);
}

TEST(test_bad_lines)
{
    static const char first[] = "a 1 [000] 2.0: x:y: z\n";
    static const struct {
        const char *text;
        size_t off; /* offset from the end of the first line */
        enum bo_status status;
        const char *what;
    } cases[] = {
        {"a 1 [000] 2.0: x:y: z", 21, BO_TRUNCATED, "file ends inside a line"},
        {"a 1 [000] 1.999999999: x:y: z\n", 0, BO_CORRUPT,
         "time is before that of the previous event"},
        {"a 1 000 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a [000] 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"1 [000] 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a 1 [65536] 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a 1 [000] 2.0000000001: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a 1 [000] 9223372036.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a 2147483648 [000] 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a 1/ [000] 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a -2 [000] 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a - [000] 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a 1/-2 [000] 2.0: x:y: z\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a 1 [000] 2.0: x:y\n", 0, BO_CORRUPT, "line is not an event of perf script"},
        {"a 1 [000] 2.0: sched:sched_switch: prev_comm=a\n", 35, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: sched:sched_wakeup: comm=a pid=x prio=1 target_cpu=0\n", 35, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: sched:sched_switch: a:1 [120] S ==> b:2\n", 35, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: sched:sched_wakeup: a:1 CPU:000\n", 35, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: sched:sched_migrate_task: comm=a pid=1\n", 41, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: sched:sched_pi_setprio: comm=a pid=1\n", 39, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: sched:sched_process_fork: comm=a pid=1\n", 41, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: sched:sched_process_free: comm=a\n", 41, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: raw_syscalls:sys_enter:\n", 38, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: irq:irq_handler_entry: irq=1\n", 38, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: irq:irq_handler_exit: x\n", 37, BO_CORRUPT,
         "fields of the event are missing or malformed"},
        {"a 1 [000] 2.0: irq:softirq_entry: x\n", 34, BO_CORRUPT,
         "fields of the event are missing or malformed"},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        char text[200];
        const struct statehist_model *model;
        struct bo_error error;
        snprintf(text, sizeof text, "%s%s", first, cases[i].text);
        assert_int_equal(import_text(text, &model, &error), cases[i].status);
        if (error.off != sizeof first - 1 + cases[i].off || strcmp(error.what, cases[i].what) != 0)
            fail_msg("%s: %s at byte %u", text, error.what, (unsigned)error.off);
    }
}

TEST(test_sniffing)
{
    static const char *const others[] = {"",
                                         "\n",
                                         "# a comment\n# of another file\n",
                                         "a 1 [000] 2.0: x:y: z",
                                         "Q\t0\t-1\ta\n",
                                         "---\n",
                                         "# arch : x86_64\nx\n"};
    /* the first bytes of a file whose header is longer */
    static const char header[] = "# captured on : a day\n# arch : x86_64\n# cpu";
    for (size_t i = 0; i < N_ELEMENTS(others); i++)
        assert_null(bo_find_importer("statehist", bo_span_of(others[i])));
    assert_string_equal(bo_find_importer("statehist", bo_span_of(header))->name, "perf");
    assert_string_equal(bo_find_importer("statehist", bo_span_of(HISTORY(1, 2)))->name, "text");
}

/* Each allocation fails in turn. */
TEST(test_failing_allocations)
{
    static const char text[] = AT("000", "a", "8/8", "000", SWITCH("0", "R", "8"))
        AT("010", "\xff", "8/8", "000", "irq:irq_handler_entry: irq=14 name=x")
            AT("020", "a", "8/8", "000", "raw_syscalls:sys_enter: NR 1 ()");
    const struct bo_span file = bo_span_of(text);
    enum bo_status status = BO_NO_MEMORY;
    for (uint64_t n = 1; status != BO_OK; n++) {
        struct bo_arena small;
        struct bo_error error = {0};
        void *model;
        bo_arena_init(&small, BO_ARENA_UNLIMITED);
        small.fail_at = n;
        status = bo_find_importer("statehist", file)->import(file, NULL, &small, &model, &error);
        assert_int_equal(status, small.n_allocs < n ? BO_OK : BO_NO_MEMORY);
        assert_int_equal(error.status, status);
        bo_arena_free(&small);
    }
}

/* ---- recordings ------------------------------------------------------------------------------ */

static void *import_file(const char *path, const struct bo_import_options *options)
{
    struct bo_input in;
    struct bo_error error;
    void *model = NULL;
    assert_true(bo_input_open(path, &in));
    const struct bo_importer *importer = bo_find_importer("statehist", in.bytes);
    assert_non_null(importer);
    if (test_import(importer, in.bytes, options, &arena, &model, &error))
        fail_msg("%s: %s at byte %u", path, error.what, (unsigned)error.off);
    bo_input_close(&in);
    return model;
}

TEST(test_recordings)
{
    const struct bo_import_options middle = {.instant = UINT64_C(3527063619246)};
    const struct bo_import_options outside = {.instant = 1};
    expect_file(import_file("corpora/statehist/perf/make.txt.xz", NULL),
                "corpora/statehist/make.tsv.xz");
    expect_file(import_file("corpora/statehist/perf/pipes.txt.xz", NULL),
                "corpora/statehist/pipes.tsv.xz");
    expect_file(import_file("corpora/statehist/make.tsv.xz", &middle),
                "corpora/statehist/make-middle.tsv.xz");
    struct bo_error error;
    void *model;
    const struct bo_span text = bo_span_of(HISTORY(5, 9));
    assert_int_equal(
        bo_find_importer("statehist", text)->import(text, &outside, &arena, &model, &error),
        BO_OUT_OF_RANGE);
}

TEST_FILE(set_up, tear_down)
