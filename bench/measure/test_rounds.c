/*
 * Whole runs on a toy format: correct codecs are measured; a codec that is wrong, crashes, hangs or
 * refuses only loses its own rows. No test fails because the machine is slow.
 */
#include "harness/core/test_cmocka.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure/cell.h"
#include "bench/measure/huge.h"
#include "bench/measure/interrupt.h"
#include "bench/measure/rounds.h"
#include "bench/measure/test_toy.h"
#include "harness/core/cpu.h"

enum { N_ROUNDS = 2 };

static struct {
    struct bo_format format;
    struct toy_model model;
    struct bo_document document;
    struct bo_bench_options options;
    struct bo_arena arena;
    struct bo_plan plan;
} run;

static int finish(void **state)
{
    bo_plan_close(&run.plan);
    bo_arena_free(&run.arena);
    run.plan = (struct bo_plan){.n_cells = 0};
    return 0;
}

/* Plans the run with its options, in place of the plan before. */
static void plan(void)
{
    struct bo_error err;
    finish(NULL);
    bo_arena_init(&run.arena, BO_ARENA_UNLIMITED);
    assert_int_equal(bo_plan_make(&run.options, &run.document, &run.arena, &run.plan, &err), BO_OK);
}

/* Starts a run on a document that claims to have this much text. */
static void start_on(const struct bo_codec *const *codecs, size_t text_nbytes)
{
    run.format = toy_format(codecs);
    run.format.merge = toy_merge;
    toy_fill(&run.model, 600);
    run.document = toy_document(&run.format, &run.model);
    run.document.text_nbytes = text_nbytes;
    run.options = (struct bo_bench_options){.rounds = N_ROUNDS,
                                            .budgets = true,
                                            .min_time_s = 0.0002,
                                            .verify_s = 0.05,
                                            .timeout_s = 60,
                                            .order_seed = 3};
    plan();
}

static void start(const struct bo_codec *const *codecs)
{
    start_on(codecs, 0);
}

static void measure(void)
{
    struct bo_error err;
    unsigned n_rounds;
    assert_int_equal(
        bo_rounds_run(run.plan.cells, run.plan.n_cells, &run.options, NULL, &n_rounds, &err),
        BO_OK);
    assert_int_equal(n_rounds, run.options.rounds);
}

/* Measures a codec beside the honest one. */
static void measure_with(const struct bo_codec *codec)
{
    const struct bo_codec *const codecs[] = {codec, &toy_honest, NULL};
    start(codecs);
    measure();
}

static const struct bo_bench_row *find_variant(const char *codec, const char *suffix,
                                               const char *label)
{
    for (unsigned c = 0; c < run.plan.n_cells; c++) {
        const struct bo_bench_cell *cell = &run.plan.cells[c];
        for (unsigned r = 0; r < cell->n_rows; r++)
            if (strcmp(cell->codec->name, codec) == 0 &&
                strcmp(cell->variant->suffix, suffix) == 0 &&
                strcmp(cell->rows[r].label, label) == 0)
                return &cell->rows[r];
    }
    return NULL;
}

/* The row of this name, without format and document; NULL when the plan has none. */
static const struct bo_bench_row *find_row(const char *codec, const char *label)
{
    return find_variant(codec, "", label);
}

/*
 * A repetition consists of enough batches for its time, also when the size of a batch is that of
 * the first one. A sixteenth of it is enough: the batch that was tried may have been interrupted.
 */
TEST(repetitions_fill_their_time)
{
    const struct bo_codec *const codecs[] = {&toy_honest, NULL};
    start(codecs);
    run.options.min_time_s = 0.05;
    measure();
    const struct bo_bench_row *row = find_row("honest", "get/uniform");
    assert_int_equal(row->n_times, N_ROUNDS);
    for (unsigned i = 0; i < N_ROUNDS; i++)
        assert_true(row->times[i].real_ns * (double)row->times[i].iterations > 0.05e9 / 16);
}

/* The first round is measured after the deadline, too; the others are not started. */
TEST(rounds_end_before_the_deadline)
{
    const struct bo_codec *const codecs[] = {&toy_honest, NULL};
    const uint64_t deadlines[] = {1, UINT64_MAX, 0};
    for (size_t i = 0; i < 3; i++) {
        struct bo_error err;
        unsigned n_rounds;
        start(codecs);
        run.options.deadline_ns = deadlines[i];
        assert_int_equal(
            bo_rounds_run(run.plan.cells, run.plan.n_cells, &run.options, NULL, &n_rounds, &err),
            BO_OK);
        assert_int_equal(n_rounds, i == 0 ? 1 : run.options.rounds);
        assert_int_equal(find_row("honest", "open")->n_times, n_rounds);
    }
}

/*
 * A run of 100 steps, some of them done, and a document of 10 of the others. All times are in ns,
 * from the start.
 */
TEST(a_time_limit_is_divided)
{
    static const struct {
        uint64_t done, now;
        double left;
        unsigned rounds;      /* of 6 */
        uint64_t nanoseconds; /* until the deadline */
    } rows[] = {
        {0, 0, 4000, 6, 1000},     /* the speed is not known */
        {0, 900, 200, 6, 50},      /* checks before the first document do not count as speed */
        {50, 5000, 6000, 6, 2000}, /* the other documents need 4000 */
        {50, 5000, 5000, 6, 1000}, /* enough for all */
        {50, 5000, 2500, 4, 500},  /* half of what all need */
        {50, 5000, 100, 1, 20},    /* the first repetition is always measured */
        {50, 5000, 0, 1, 0},       /* also after the limit */
        {90, 9000, 500, 4, 500},   /* the last document */
        {95, 9500, 500, 4, 500},   /* more steps than the progress expects */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct bo_progress progress = {.total = 100, .done = rows[i].done, .started_ns = 7};
        struct bo_bench_options options = {.rounds = 6};
        const uint64_t now = 7 + rows[i].now;
        bo_rounds_limit(&progress, rows[i].left, 10, now, &options);
        assert_int_equal(options.rounds, rows[i].rounds);
        assert_int_equal(options.deadline_ns - now, rows[i].nanoseconds);
    }
}

static void assert_sound(const char *codec, const char *label)
{
    const struct bo_bench_row *row = find_row(codec, label);
    assert_non_null(row);
    assert_string_equal(row->failure, "");
    assert_int_equal(row->n_times, N_ROUNDS);
    assert_true(row->times[0].iterations > 0);
    assert_true(row->times[0].real_ns > 0);
}

static void assert_failed(const char *codec, const char *label, const char *message)
{
    const struct bo_bench_row *row = find_row(codec, label);
    assert_non_null(row);
    assert_string_equal(row->failure, message);
    assert_int_equal(row->n_times, 0);
}

static double exact(const char *codec, const char *label, const char *name)
{
    const struct bo_counter *counter = bo_record_counter(&find_row(codec, label)->exact, name);
    assert_non_null(counter);
    return counter->value;
}

TEST(sound_codecs_are_measured)
{
    static const struct bo_codec *const codecs[] = {&toy_honest, &toy_second_reader, NULL};
    static const char *const labels[] = {"encode",     "decode",      "merge",     "open",
                                         "open-cold",  "get/uniform", "get/chain", "first/uniform",
                                         "first/each", "name/cold",   "name/each", "all/whole",
                                         "count/whole"};
    start(codecs);
    measure();
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        assert_sound("honest", labels[i]);
        if (i >= 3) {
            assert_sound("second", labels[i]);
            assert_sound("noop", labels[i]);
        }
    }
    assert_null(find_row("second", "encode")); /* it is honest's */
    assert_null(find_row("second", "merge"));
    assert_null(find_row("noop", "decode"));
    assert_null(find_row("honest", "get/nowhere"));
    assert_string_equal(find_row("honest", "get/chain")->name, "toy/honest/box/get/chain");
}

TEST(exact_figures_are_exact)
{
    static const struct bo_codec *const codecs[] = {&toy_honest, NULL};
    start(codecs);
    measure();
    const struct bo_payload *payload = run.plan.cells[0].payload;
    assert_int_equal(payload->nbytes, 8 + 4 * 600);
    assert_int_equal(payload->counted_nbytes, 4 + 4 * 600); /* the padding does not count */
    assert_true(exact("honest", "open", "open_bytes_allocated") == 48);
    assert_true(exact("honest", "get/uniform", "set_queries") == 3000);
    assert_true(exact("honest", "get/uniform", "verified_queries") == 3000);
    assert_true(exact("honest", "get/uniform", "touched_pages") == 1); /* all fits one */
    assert_true(exact("noop", "get/uniform", "verified_queries") == 0);
    assert_true(exact("honest", "all/whole", "units_per_query") == 600);
    assert_null(bo_record_counter(&find_row("honest", "count/whole")->exact,
                                  "units_per_query")); /* its time does not grow */
    assert_true(exact("honest", "encode", "encode_scratch_bytes") == 0);
    assert_true(exact("honest", "merge", "merge_peak_bytes") >
                /* one decoded model, two summands, or their sum and the output */
                3 * sizeof(struct toy_model));
}

/* Memory besides the output counts as scratch; the output's own buffer does not. */
TEST(scratch_memory_is_counted_separately)
{
    struct bo_codec wasteful = {.name = "wasteful", TOY_CODEC};
    wasteful.encode = toy_encode_wasteful;
    measure_with(&wasteful);
    const double scratch = exact("wasteful", "encode", "encode_scratch_bytes");
    assert_true(scratch >= 3 * 1000 + 500);
    assert_true(scratch < 3 * 1008 + 4096); /* a writer's buffer grows by doubling */
    assert_true(exact("wasteful", "encode", "encode_peak_bytes") >= scratch);
}

TEST(a_codec_tells_what_is_wrong)
{
    struct bo_codec complain = {.name = "complain", TOY_CODEC};
    complain.query = toy_query_complain;
    measure_with(&complain);
    const char *failure = find_row("complain", "first/uniform")->failure;
    assert_memory_equal(failure, "refuses a query of ", 19);
    assert_non_null(strstr(failure, ": corrupt at byte 1042: a toy with a wheel off"));
    assert_sound("complain", "all/whole");
}

static enum bo_status forget_first(const struct bo_codec *self, const void *model,
                                   struct bo_arena *arena, void **ret, struct bo_error *err)
{
    struct toy_model *held = bo_alloc(arena, sizeof *held);
    if (!held)
        return bo_fail_alloc(err, arena);
    memcpy(held, model, sizeof *held);
    held->values[0] = 0;
    *ret = held;
    return BO_OK;
}

static enum bo_status encode_forgetful(const struct bo_codec *self, const void *model,
                                       struct bo_writer *out, struct bo_error *err)
{
    void *held = NULL;
    const enum bo_status status = forget_first(self, model, out->arena, &held, err);
    return status ? status : toy_encode(self, held, out, err);
}

static const struct bo_bench_document *document_of(const char *codec)
{
    for (unsigned c = 0; c < run.plan.n_cells; c++)
        if (strcmp(run.plan.cells[c].codec->name, codec) == 0)
            return run.plan.cells[c].on;
    return NULL;
}

/* Codecs that hold the same part share its queries, if these are of all the kinds they answer. */
TEST(parts_are_shared)
{
    struct bo_codec narrow = {.name = "narrow", .reduce = forget_first, TOY_CODEC};
    narrow.encode = encode_forgetful;
    struct bo_codec wide = narrow, twin = narrow;
    wide.name = "wide";
    twin.name = "twin";
    narrow.kinds = 1;
    const struct bo_codec *const codecs[] = {&toy_honest, &narrow, &wide, &twin, NULL};
    start(codecs);
    const struct bo_bench_document *whole = document_of("honest");
    assert_ptr_equal(whole->document, &run.document);
    assert_ptr_equal(run.plan.on, whole);
    assert_ptr_not_equal(document_of("narrow"), whole);
    assert_ptr_not_equal(document_of("wide"), whole);
    assert_ptr_not_equal(document_of("wide"), document_of("narrow"));
    assert_ptr_equal(document_of("twin"), document_of("wide"));
    for (unsigned i = 0; i < document_of("narrow")->n_sets; i++)
        assert_int_equal(document_of("narrow")->sets[i].kind_index, 0);
    measure();
    assert_sound("narrow", "get/uniform");
    assert_sound("twin", "all/whole");
}

/* A codec that cannot hold everything is measured on the part that it holds, if it has `reduce`. */
TEST(what_is_held_is_measured)
{
    struct bo_codec forgetful = {.name = "forgetful", .reduce = forget_first, TOY_CODEC};
    struct bo_codec reader = {.name = "reader", .reads = "forgetful", TOY_CODEC};
    struct bo_codec liar = {.name = "liar", TOY_CODEC};
    forgetful.encode = liar.encode = encode_forgetful;
    const struct bo_codec *const codecs[] = {&toy_honest, &forgetful, &reader, &liar, NULL};
    static const char *const labels[] = {"get/uniform", "first/uniform", "all/whole"};
    start(codecs);
    assert_int_not_equal(run.model.values[0], 0);
    measure();
    assert_sound("forgetful", "decode");
    assert_sound("forgetful", "merge");
    for (size_t i = 0; i < 3; i++) {
        assert_sound("honest", labels[i]);
        assert_sound("forgetful", labels[i]);
        assert_sound("reader", labels[i]);
    }
    assert_failed("liar", "decode", "corrupt: other values");
}

static unsigned n_opens_left; /* in each process */

static enum bo_status open_few(const struct bo_codec *self, struct bo_span in,
                               struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    if (!n_opens_left)
        return bo_fail(err, BO_CORRUPT, 7, "a toy that opens seldom");
    n_opens_left--;
    return toy_open(self, in, arena, reader_ret, err);
}

/* Measures a codec that can be opened this often, under some workloads. */
static void measure_reluctant(const char *workloads, unsigned n_opens)
{
    static struct bo_codec reluctant = {.name = "reluctant", TOY_CODEC};
    static const struct bo_codec *const codecs[] = {&reluctant, NULL};
    reluctant.open = open_few;
    n_opens_left = n_opens;
    start(codecs);
    assert_true(bo_filter_parse("get,name", &run.options.kinds));
    assert_true(bo_filter_parse(workloads, &run.options.workloads));
    plan();
    measure();
}

/* If the workload requires it, each query has a reader of its own. */
TEST(fresh_workloads_open_for_each)
{
    measure_reluctant("each", 1);
    assert_failed("reluctant", "name/each",
                  "refuses a query of 0 to 0: corrupt at byte 7: a toy that opens seldom");
}

/* All others use one reader for all rounds of a row, and another one to count pages. */
TEST(other_workloads_do_not)
{
    measure_reluctant("uniform,cold", 4);
    assert_sound("reluctant", "get/uniform");
    assert_sound("reluctant", "name/cold");
}

/*
 * On a document for curves, only the curves' operations are measured, of codecs that differ in the
 * first part.
 */
TEST(documents_for_curves_have_few_rows)
{
    static const struct bo_codec a = {.name = "trie+fixed", TOY_CODEC};
    static const struct bo_codec b = {.name = "trie+packed", TOY_CODEC};
    static const struct bo_codec c = {.name = "list+fixed", TOY_CODEC};
    const struct bo_codec *const codecs[] = {&a, &b, &c, &toy_honest, NULL};
    start(codecs);
    run.document.scale = true;
    plan();
    assert_null(find_row("trie+packed", "encode"));
    static const char *const names[] = {"trie+fixed", "list+fixed", "honest"};
    for (size_t i = 0; i < 3; i++) {
        assert_non_null(find_row(names[i], "encode"));
        assert_non_null(find_row(names[i], "open"));
        assert_non_null(find_row(names[i], "get/uniform"));
        assert_null(find_row(names[i], "decode"));
        assert_null(find_row(names[i], "get/chain"));
        assert_null(find_row(names[i], "all/whole"));
    }
    assert_int_equal(run.plan.n_rows, 3 * 3 + 2); /* the no-op codec has nothing to encode */
}

TEST(slow_rows_are_repeated_less)
{
    static const struct {
        double ns;
        unsigned rounds, repetitions;
    } cases[] = {{1e6, 20, 20}, {3e8, 20, 5}, {3e9, 20, 3}, {2e10, 20, 1},
                 {1e6, 5, 5},   {3e8, 5, 1},  {2e10, 5, 1}, {3e8, 60, 15}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bo_record times[1] = {{.real_ns = cases[i].ns / 4, .iterations = 4}};
        struct bo_bench_row row = {.times = times};
        const struct bo_bench_options options = {.rounds = cases[i].rounds};
        unsigned n = 0;
        while (n < cases[i].rounds && bo_row_is_due(&row, &options, n))
            row.n_times = row.n_rounds = ++n;
        assert_int_equal(n, cases[i].repetitions);
    }
}

TEST(a_repetition_is_shorter_where_rows_are_many)
{
    assert_true(bo_plan_min_time(10, 20, 600) == 0.008);
    const double middle = bo_plan_min_time(5000, 20, 600);
    assert_true(middle > 0.001 && middle < 0.008);
    assert_true(bo_plan_min_time(5000, 40, 600) < middle);
    assert_true(bo_plan_min_time(500000, 20, 600) == 0.001);
}

TEST(a_wrong_codec_costs_its_wrong_rows)
{
    struct bo_codec wrong = {.name = "wrong", TOY_CODEC};
    wrong.query = toy_query_wrong;
    struct bo_codec undo = {.name = "undo", TOY_CODEC};
    undo.decode = toy_decode_wrong;
    const struct bo_codec *const codecs[] = {&toy_honest, &wrong, &undo, NULL};
    start(codecs);
    measure();
    assert_failed("wrong", "get/uniform", "wrong answer: query 7 of the set");
    /* runs one query per call, which this codec answers */
    assert_sound("wrong", "get/chain");
    assert_sound("wrong", "first/uniform");
    assert_failed("undo", "decode", "corrupt: other values");
    assert_failed("undo", "merge", "corrupt: other values");
    assert_sound("undo", "get/uniform");
    assert_sound("honest", "get/uniform");
}

TEST(a_crash_costs_its_row)
{
    struct bo_codec crash = {.name = "crash", TOY_CODEC};
    crash.query = toy_query_crash;
    measure_with(&crash);
    assert_memory_equal(find_row("crash", "get/uniform")->failure, "crashed: ", 9);
    assert_memory_equal(find_row("crash", "get/chain")->failure, "crashed: ", 9);
    assert_sound("crash", "first/uniform");
    assert_sound("crash", "open");
    assert_sound("honest", "get/uniform");
}

TEST(a_hang_costs_its_row)
{
    struct bo_codec hang = {.name = "hang", TOY_CODEC};
    hang.query = toy_query_hang;
    const struct bo_codec *const codecs[] = {&hang, NULL};
    start(codecs);
    run.options.timeout_s = 2;
    measure();
    assert_failed("hang", "first/uniform", "not done after 2 s");
    assert_sound("hang", "get/uniform");
}

static enum bo_status kill_the_worker(const struct bo_codec *self, void *reader, unsigned kind,
                                      const void *queries, size_t n, void *answers,
                                      struct bo_error *err)
{
    kill(getppid(), SIGKILL);
    pause();
    return toy_query(self, reader, kind, queries, n, answers, err);
}

/* The process that checks an encoding dies: its queries fail, and nothing else. */
TEST(a_dead_worker_costs_its_queries)
{
    struct bo_codec killer = {.name = "killer", TOY_CODEC};
    killer.query = kill_the_worker;
    measure_with(&killer);
    assert_failed("killer", "get/uniform", "its process ended early: Killed");
    assert_sound("killer", "encode");
    assert_sound("honest", "get/uniform");
}

/* In a process of its own, since an interrupt stays. */
TEST(an_interrupt_ends_the_checks)
{
    struct bo_codec hang = {.name = "hang", TOY_CODEC};
    hang.query = toy_query_hang;
    const struct bo_codec *const codecs[] = {&hang, NULL};
    const pid_t pid = fork();
    if (pid == 0) {
        struct bo_error err;
        unsigned n_rounds;
        start(codecs);
        run.options.timeout_s = 300;
        alarm(60); /* ends this process if it waits for the hanging one */
        bo_interrupt_watch();
        if (fork() == 0) {
            usleep(500000); /* by then the workers run, which do not get the signal */
            kill(getppid(), SIGTERM);
            _exit(0);
        }
        _exit(bo_rounds_run(run.plan.cells, run.plan.n_cells, &run.options, NULL, &n_rounds, &err)
                  ? 100
                  : (int)n_rounds);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(a_codec_that_cannot_hold_the_document)
{
    struct bo_codec refuse = {.name = "refuse", TOY_CODEC};
    refuse.encode = toy_encode_refuse;
    measure_with(&refuse);
    assert_failed("refuse", "encode", "unsupported: toys only");
    assert_failed("refuse", "get/uniform", "unsupported: toys only");
    assert_sound("noop", "get/uniform");
    for (unsigned c = 0; c < run.plan.n_cells; c++) {
        const char *refusal = bo_cell_refusal(&run.plan.cells[c]);
        if (run.plan.cells[c].codec == &refuse)
            assert_string_equal(refusal, "toys only");
        else
            assert_null(refusal);
    }
}

TEST(filters_choose_rows)
{
    static const struct bo_codec *const codecs[] = {&toy_honest, &toy_second_reader, NULL};
    start(codecs);
    assert_true(bo_filter_parse("second", &run.options.codecs));
    assert_true(bo_filter_parse("get,nothing", &run.options.kinds));
    assert_true(bo_filter_parse("chain", &run.options.workloads));
    plan();
    assert_int_equal(run.plan.n_rows, 2);
    assert_non_null(find_row("second", "get/chain"));
    assert_non_null(find_row("noop", "get/chain"));
    assert_null(bo_filter_unmatched(&run.options.workloads, NULL));
    assert_string_equal(bo_filter_unmatched(&run.options.kinds, NULL), "nothing");
}

TEST(lists_of_names)
{
    struct bo_filter names;
    const char *suggestion;
    assert_true(bo_filter_parse(NULL, &names));
    assert_true(bo_filter_allows(&names, "anything"));
    assert_true(bo_filter_parse("a,b", &names));
    assert_int_equal(names.n, 2);
    assert_false(bo_filter_allows(&names, "c"));
    assert_true(bo_filter_parse("trie+*,list*", &names));
    assert_true(bo_filter_allows(&names, "trie+u64"));
    assert_false(bo_filter_allows(&names, "front+u64"));
    assert_string_equal(bo_filter_unmatched(&names, NULL), "list*");
    assert_true(bo_filter_parse("front+u64,tire+u64", &names));
    assert_true(bo_filter_allows(&names, "front+u64"));
    assert_false(bo_filter_allows(&names, "list+u64"));
    assert_false(bo_filter_allows(&names, "trie+u64"));
    assert_string_equal(bo_filter_unmatched(&names, &suggestion), "tire+u64");
    assert_string_equal(suggestion, " (did you mean 'trie+u64'?)");
    assert_true(bo_filter_parse("list*", &names));
    assert_true(bo_filter_allows(&names, "list"));
    assert_null(bo_filter_unmatched(&names, NULL));
    assert_false(bo_filter_parse("", &names));
    assert_false(bo_filter_parse("a,,b", &names));
    assert_false(bo_filter_parse("a,", &names));
}

/* ---- variants -------------------------------------------------------------------------------- */

/* Bytes that a hoarder keeps after open, besides one byte for each available path. */
enum { HOARD_NBYTES = 40000 };

/* get/uniform, chain and nowhere; first/uniform; name/cold; all/whole; count/whole. */
enum { N_HUGE_ROWS = 7 };

static enum bo_status open_hoarder(const struct bo_codec *self, struct bo_span in,
                                   struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    const size_t kept = arena->keep_nbytes < HOARD_NBYTES ? arena->keep_nbytes : HOARD_NBYTES;
    if (!bo_alloc(arena, kept) || (bo_cpu_has_v3() && !bo_alloc(arena, 1600)))
        return bo_fail_alloc(err, arena);
    return toy_open(self, in, arena, reader_ret, err);
}

static double counter_of(const struct bo_bench_row *row, const char *name)
{
    const struct bo_counter *counter = bo_record_counter(&row->times[0], name);
    assert_non_null(counter);
    return counter->value;
}

TEST(variants_have_budgets_and_paths)
{
    struct bo_codec hoarder = {.name = "hoarder", .keeps = true, .paths = BO_PATH_V3, TOY_CODEC};
    hoarder.open = open_hoarder;
    measure_with(&hoarder);
    assert_null(find_variant("honest", "@keep=0", "get/uniform"));
    assert_null(find_variant("honest", "@portable", "get/uniform"));
    assert_null(find_variant("hoarder", "@keep=0", "decode"));
    static const struct {
        const char *suffix;
        double kept;
    } cases[] = {{"", HOARD_NBYTES}, {"@keep=0", 0}, {"@keep=1048576", HOARD_NBYTES}};
    const double plain = bo_cpu_has_v3() ? 1600 : 0;
    double without = 0;
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        const struct bo_bench_row *row = find_variant("hoarder", cases[i].suffix, "get/uniform");
        assert_non_null(row);
        assert_int_equal(row->n_times, N_ROUNDS);
        assert_true(counter_of(row, "fresh_ns") > 0);
        if (i == 0)
            without = counter_of(row, "reader_bytes") - cases[i].kept - plain;
        assert_true(counter_of(row, "reader_bytes") == without + plain + cases[i].kept);
    }
    assert_in_range(without, 0, 100);
    assert_null(bo_record_counter(&find_row("honest", "get/uniform")->times[0], "fresh_ns"));
    const struct bo_bench_row *portable = find_variant("hoarder", "@portable", "get/uniform");
    assert_int_equal(portable != NULL, bo_cpu_has_v3());
    if (portable) {
        assert_string_equal(portable->name, "toy/hoarder@portable/box/get/uniform");
        assert_true(counter_of(portable, "reader_bytes") == without + HOARD_NBYTES);
        assert_non_null(find_variant("hoarder", "@portable", "open"));
        assert_null(find_variant("hoarder", "@portable", "encode"));
    }
    struct bo_bench_options without_budgets = run.options;
    without_budgets.budgets = false;
    for (unsigned v = 0; v < BO_N_VARIANTS; v++)
        assert_int_equal(bo_has_variant(&without_budgets, &run.document, &hoarder, &bo_variants[v]),
                         bo_has_variant(&run.options, &run.document, &hoarder, &bo_variants[v]) &&
                             bo_variants[v].keep_nbytes == SIZE_MAX);
}

/*
 * Allocates 3 MB in open, and 1600 bytes more if the process may not have huge pages. If it may, it
 * rejects an input or memory that cannot be in huge pages.
 */
static enum bo_status open_watchful(const struct bo_codec *self, struct bo_span in,
                                    struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    const bool forbidden = prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1;
    uint8_t *kept = bo_alloc(arena, 3000000);
    if (!kept || (forbidden && !bo_alloc(arena, 1600)))
        return bo_fail_alloc(err, arena);
    memset(kept, 1, 3000000);
    if (arena->huge_pages == forbidden)
        return bo_fail(err, BO_CORRUPT, 0, "huge pages are not as planned");
    if (arena->huge_pages && (uintptr_t)in.p % BO_HUGE_PAGE)
        return bo_fail(err, BO_CORRUPT, 0, "the input is not aligned to a huge page");
    return toy_open(self, in, arena, reader_ret, err);
}

TEST(large_documents_are_measured_in_huge_pages)
{
    static struct bo_codec watchful = {.name = "watchful", .keeps = true, TOY_CODEC};
    static const struct bo_codec *const codecs[] = {&watchful, NULL};
    watchful.open = open_watchful;
    start_on(codecs, BO_HUGE_TEXT_NBYTES - 1);
    assert_null(find_variant("watchful", "@huge", "get/uniform"));
    start_on(codecs, BO_HUGE_TEXT_NBYTES);
    measure();
    assert_sound("watchful", "get/uniform");
    const struct bo_bench_row *small = find_row("watchful", "get/uniform");
    const struct bo_bench_row *huge = find_variant("watchful", "@huge", "get/uniform");
    assert_null(bo_record_counter(&small->times[0], "huge_bytes"));
    assert_non_null(bo_record_counter(&small->exact, "touched_pages"));
    assert_int_equal(huge != NULL, bo_huge_allowed());
    if (huge) {
        assert_string_equal(huge->failure, "");
        assert_int_equal(huge->n_times, N_ROUNDS);
        assert_true(counter_of(small, "reader_bytes") == counter_of(huge, "reader_bytes") + 1600);
        /* The system may have none left: 0. */
        assert_true(fmod(counter_of(huge, "huge_bytes"), BO_HUGE_PAGE) == 0);
        /* the pages would be split */
        assert_null(bo_record_counter(&huge->exact, "touched_pages"));
        assert_null(find_variant("watchful", "@huge", "open"));
        assert_null(find_variant("watchful", "@huge", "decode"));
        assert_null(find_variant("watchful", "@huge", "first/each")); /* opens readers */
    }
    /* Rows are counted without drawing, including sets that turn out empty. */
    const uint64_t n_rows = bo_plan_count_rows(&run.options, &run.document);
    run.document.text_nbytes = 0;
    assert_int_equal(n_rows - bo_plan_count_rows(&run.options, &run.document),
                     huge ? N_HUGE_ROWS : 0);
}

/* True if the mapping of p has the flag of MADV_HUGEPAGE. The system may have no such page left. */
static bool requests_huge_pages(const void *p)
{
    char line[512];
    bool is_mine = false, requests = false;
    uintptr_t start, end;
    FILE *smaps = fopen("/proc/self/smaps", "r");
    assert_non_null(smaps);
    while (fgets(line, sizeof line, smaps)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
            is_mine = start <= (uintptr_t)p && (uintptr_t)p < end;
        requests |= is_mine && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg ");
    }
    fclose(smaps);
    return requests;
}

TEST(only_requested_huge_pages_count)
{
    char text[] = "10-20 rw-p 0 0 0\nAnonHugePages:    2048 kB\nVmFlags: rd wr \n"
                  "20-30 rw-p 0 0 0\nAnonHugePages:    4096 kB\nVmFlags: rd wr hg \n"
                  "30-40 rw-p 0 0 0\nAnonHugePages:       0 kB\nVmFlags: rd hg nh \n"
                  "40-50 rw-p 0 0 0\nAnonHugePages:    6144 kB\nVmFlags: hg \n";
    FILE *smaps = fmemopen(text, strlen(text), "r");
    assert_non_null(smaps);
    assert_int_equal(bo_huge_nbytes_in(smaps), (4096 + 6144) << 10);
    fclose(smaps);
}

/* Bytes in huge pages are counted if the mapping requested them. */
TEST(huge_pages_are_counted)
{
    enum { NBYTES = 3000000, N_PAGES = 2 };
    const uint64_t before = bo_huge_nbytes();
    uint8_t *p = bo_huge_map(NBYTES);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % BO_HUGE_PAGE, 0);
    for (size_t i = 0; i < (size_t)N_PAGES * BO_HUGE_PAGE; i += 4096)
        assert_int_equal(p[i]++, 0);
    assert_in_range(bo_huge_nbytes() - before, 0,
                    bo_huge_allowed() ? (size_t)N_PAGES * BO_HUGE_PAGE : 0);
    assert_int_equal(requests_huge_pages(p), bo_huge_allowed());
    assert_null(bo_huge_map(SIZE_MAX));
    bo_huge_return(p + 5, 3 * 4096 - 5); /* the first page is shared with others and stays */
    assert_int_equal(p[0], 1);
    assert_int_equal(p[4096], 0);
    assert_int_equal(p[2 * 4096], 0);
    assert_int_equal(p[3 * 4096], 1);
    bo_huge_return(p + 4 * 4096 + 5, 4096); /* no whole page */
    assert_int_equal(p[4 * 4096], 1);
    assert_int_equal(p[5 * 4096], 1);
}

TEST_FILE(NULL, finish)
