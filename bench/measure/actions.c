/* Plans and times the actions of a recorded session. */
#include "bench/measure/actions.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/measure/query_batches.h"
#include "bench/stats/stats.h"
#include "harness/core/clock.h"

/* ---- the plan -------------------------------------------------------------------------------- */

/* The queries of one kind, in chunks that end where runs end. */
static enum bo_status draw_kind(const struct bo_recorded *recorded, unsigned k, const void *model,
                                struct bo_arena *arena, struct bo_query_set *query_set,
                                struct bo_error *err)
{
    const struct bo_recorded_kind *of = &recorded->kinds[k];
    struct bo_given *given = bo_array_or_abort(arena, 1, sizeof *given);
    struct bo_workload *workload = bo_array_or_abort(arena, 1, sizeof *workload);
    size_t *starts = bo_array_or_abort(arena, recorded->n_runs, sizeof *starts);
    *given = (struct bo_given){.queries = of->queries, .starts = starts};
    for (size_t r = 0; r < recorded->n_runs; r++)
        if (recorded->runs[r].kind == k)
            starts[given->n_starts++] = recorded->runs[r].first;
    *workload =
        (struct bo_workload){.name = BO_ACTIONS_WORKLOAD, .n_queries = of->n, .given = given};
    return bo_query_set_draw(recorded->format, &recorded->format->kinds[k], workload, model, arena,
                             query_set, err);
}

/* The chunks of all runs, in order. Runs of a kind use its chunks one after the other. */
static void lay_out(struct bo_actions *actions, const struct bo_query_set *query_set,
                    struct bo_arena *arena)
{
    const struct bo_recorded *recorded = actions->recorded;
    size_t next[BO_MAX_KINDS] = {0}, n_steps = 0, n = 0;
    for (unsigned k = 0; k < recorded->format->n_kinds; k++)
        n_steps += query_set[k].n_chunks;
    actions->steps = bo_array_or_abort(arena, n_steps, sizeof *actions->steps);
    actions->firsts = bo_array_or_abort(arena, recorded->n_actions + 1, sizeof *actions->firsts);
    for (size_t a = 0; a < recorded->n_actions; a++) {
        const struct bo_recorded_action *action = &recorded->actions[a];
        actions->firsts[a] = n;
        for (size_t r = action->first; r < action->first + action->n; r++) {
            const struct bo_recorded_run *run = &recorded->runs[r];
            const struct bo_query_set *of = &query_set[run->kind];
            size_t *c = &next[run->kind];
            for (; *c < of->n_chunks && of->chunks[*c].first < run->first + run->n; ++*c)
                actions->steps[n++] = (struct bo_step){of, &of->chunks[*c]};
        }
    }
    actions->firsts[recorded->n_actions] = n;
    actions->n = recorded->n_actions;
}

enum bo_status bo_actions_make(const struct bo_recorded *recorded, const void *model,
                               struct bo_arena *arena, struct bo_actions *actions_ret,
                               struct bo_error *err)
{
    struct bo_actions *actions = actions_ret;
    *actions = (struct bo_actions){.recorded = recorded};
    struct bo_query_set *query_set =
        bo_array_or_abort(arena, recorded->format->n_kinds, sizeof *query_set);
    for (unsigned k = 0; k < recorded->format->n_kinds; k++) {
        if (!recorded->kinds[k].n)
            continue;
        const enum bo_status status = draw_kind(recorded, k, model, arena, &query_set[k], err);
        if (status)
            return status;
        if (query_set[k].n < recorded->kinds[k].n)
            return BO_OK; /* the answers are too large */
        actions->kinds |= 1u << k;
        if (query_set[k].max_answers_nbytes > actions->max_answers_nbytes)
            actions->max_answers_nbytes = query_set[k].max_answers_nbytes;
    }
    lay_out(actions, query_set, arena);
    return BO_OK;
}

/* ---- a repetition ---------------------------------------------------------------------------- */

enum { MAX_PASSES = 32 };

static bool run_step(const struct bo_opened *opened, const struct bo_step *step,
                     struct bo_sink *answers, struct bo_record *record)
{
    struct bo_error err;
    const enum bo_status status = bo_query_set_run(step->query_set, step->chunk, opened->codec,
                                                   opened->reader, answers, &err);
    if (status)
        snprintf(record->message, sizeof record->message, "refuses a query of %zu to %zu: %s",
                 step->chunk->first, step->chunk->first + step->chunk->n - 1,
                 bo_status_name(status));
    return status == BO_OK;
}

/* Runs all steps once as a warm-up. If `compare` is set, the answers are compared. */
static bool run_all(const struct bo_opened *opened, const struct bo_actions *actions, bool compare,
                    struct bo_sink *answers, struct bo_record *record)
{
    for (size_t s = 0; s < actions->firsts[actions->n]; s++) {
        const struct bo_step *step = &actions->steps[s];
        size_t wrong;
        if (!run_step(opened, step, answers, record))
            return false;
        if (compare && !bo_query_set_is_right(step->query_set, step->chunk, answers, &wrong)) {
            snprintf(record->message, sizeof record->message, "wrong answer: %s query %zu",
                     step->query_set->kind->name, wrong);
            return false;
        }
    }
    return true;
}

/*
 * Times each action at most `n_passes` times into times[i * MAX_PASSES + pass]. Returns the number
 * of passes.
 */
static size_t time_actions(const struct bo_opened *opened, const struct bo_actions *actions,
                           double min_time_s, struct bo_sink *answers, double *times,
                           struct bo_record *record)
{
    const uint64_t start = bo_cpu_ns();
    size_t pass = 0;
    while (pass < MAX_PASSES && (pass == 0 || (double)(bo_cpu_ns() - start) < min_time_s * 1e9)) {
        for (size_t a = 0; a < actions->n; a++) {
            const uint64_t before = bo_cpu_ns();
            for (size_t s = actions->firsts[a]; s < actions->firsts[a + 1]; s++)
                if (!run_step(opened, &actions->steps[s], answers, record))
                    return 0;
            times[a * MAX_PASSES + pass] = (double)(bo_cpu_ns() - before);
        }
        pass++;
    }
    return pass;
}

static void sum_up(double *times, size_t n_actions, size_t n_passes, struct bo_record *record)
{
    double sum = 0;
    for (size_t a = 0; a < n_actions; a++) {
        times[a] = bo_median(times + a * MAX_PASSES, n_passes);
        sum += times[a];
    }
    record->iterations = n_actions * n_passes;
    record->real_ns = bo_median(times, n_actions);
    record->cpu_ns = sum / (double)n_actions;
    bo_record_count(record, "p10_ns", bo_percentile(times, n_actions, 0.1));
    bo_record_count(record, "p90_ns", bo_percentile(times, n_actions, 0.9));
    bo_record_count(record, "mean_ns", record->cpu_ns);
    bo_record_count(record, "worst_action_ns", times[n_actions - 1]);
    bo_record_count(record, "batches", (double)n_passes);
}

bool bo_measure_actions(const struct bo_opened *opened, const struct bo_bench_row *row,
                        double min_time_s, bool is_first, struct bo_record *record,
                        struct bo_record *exact)
{
    const struct bo_actions *actions = row->actions;
    const size_t room = actions->max_answers_nbytes + 1;
    struct bo_sink answers = {.p = bo_or_abort(malloc(room)), .cap = room};
    double *times = bo_or_abort(calloc(actions->n * MAX_PASSES, sizeof *times));
    size_t n_passes = 0;
    if (run_all(opened, actions, is_first, &answers, record))
        n_passes = time_actions(opened, actions, min_time_s, &answers, times, record);
    if (n_passes)
        sum_up(times, actions->n, n_passes, record);
    if (n_passes && is_first)
        bo_record_count(exact, "actions", (double)actions->n);
    free(times);
    free(answers.p);
    return n_passes > 0;
}
