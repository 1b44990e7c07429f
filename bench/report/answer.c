/* Answers in words. */
#include "bench/report/answer.h"

#include <math.h>
#include <string.h>

#include "bench/report/machines.h"
#include "bench/report/paths.h"
#include "bench/report/picks.h"
#include "bench/report/tsv.h"
#include "bench/report/uses.h"
#include "bench/runs/noise.h"
#include "harness/core/print.h"

/* The subject of the sentences. */
struct answer {
    const struct bo_format *format;
    const struct bo_run *const *runs; /* one per machine; the first is the format's */
    unsigned n_runs;
    const struct bo_run_document *const *documents; /* of the first run */
    unsigned n;
    const char *label;
    struct bo_main_pick main;
    struct bo_arena *arena;
};

/* Smaller factors are not reported as reasons against a codec. */
#define WORTH_NAMING 1.5

/* ---- phrases --------------------------------------------------------------------------------- */

/* "1.46 times smaller", "1.2 times larger", "as large as": less is better. */
static char *compared(struct bo_arena *arena, const struct bo_mean_ratio *ratio, const char *less,
                      const char *more, const char *equal)
{
    const double r = ratio->ratio;
    if (isnan(r))
        return bo_arena_printf(arena, "not measured against");
    if (!bo_is_difference(ratio) || strcmp(bo_significant(arena, fmax(r, 1 / r)), "1.00") == 0)
        return bo_arena_printf(arena, "%s", equal);
    return bo_arena_printf(arena, "%s times %s than", bo_significant(arena, fmax(r, 1 / r)),
                           r < 1 ? less : more);
}

static char *size_text(struct bo_arena *arena, const struct bo_mean_ratio *ratio)
{
    return compared(arena, ratio, "smaller", "larger", "as large as");
}

static char *time_text(struct bo_arena *arena, const struct bo_mean_ratio *ratio)
{
    return compared(arena, ratio, "faster", "slower", "not measurably faster or slower than");
}

/* "a", "a and b", "a, b and c". */
static char *listed(struct bo_arena *arena, const char *const *items, unsigned n, const char *last)
{
    char *text = bo_arena_printf(arena, "%s", "");
    for (unsigned i = 0; i < n; i++)
        text = bo_arena_printf(arena, "%s%s%s", text,
                               i == 0       ? ""
                               : i + 1 == n ? last
                                            : ", ",
                               items[i]);
    return text;
}

/* A ratio of times in a run. Its interval includes the A/A interval. */
static struct bo_mean_ratio times_in(const struct answer *a, const struct bo_run *run,
                                     const struct bo_run_document *const *documents, unsigned n,
                                     const char *codec, const char *other, const char *label,
                                     bool portable)
{
    struct bo_mean_ratio ratio = bo_time_over(documents, n, codec, other, label, portable);
    const struct bo_noise noise = bo_noise_of(run, a->format->name, NULL, label);
    if (bo_is_noise(&noise, ratio.ratio) || isnan(ratio.low) || isnan(ratio.high)) {
        ratio.low = fmin(ratio.low, 1);
        ratio.high = fmax(ratio.high, 1);
    }
    return ratio;
}

static struct bo_mean_ratio times_over(const struct answer *a, const char *codec, const char *other,
                                       const char *label, bool portable)
{
    return times_in(a, a->runs[0], a->documents, a->n, codec, other, label, portable);
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* "the status quo `varint-delta`" */
static char *rival_text(struct bo_arena *arena, const char *what, const struct bo_run_codec *codec)
{
    return bo_arena_printf(arena, "%s `%s`", what, codec->name);
}

/* "1.55 times slower": the phrase without its last word. */
static char *without_than(char *phrase)
{
    char *than = strstr(phrase, " than");
    if (than)
        *than = 0;
    return phrase;
}

/* "1.46 times smaller and 3.64 times faster than the status quo `varint-delta`" */
static char *size_and_time(const struct answer *a, const struct bo_run_codec *to, const char *what)
{
    const struct bo_mean_ratio size =
        bo_bytes_over(a->documents, a->n, a->main.pick->name, to->name);
    const struct bo_mean_ratio time = times_over(a, a->main.pick->name, to->name, a->label, false);
    char *size_words = size_text(a->arena, &size), *time_words = time_text(a->arena, &time);
    char *rival = rival_text(a->arena, what, to);
    if (bo_is_unpacked(a->documents[0], to, a->label))
        rival = bo_arena_printf(a->arena, "%s (not a candidate: it reads the whole file in `open`)",
                                rival);
    const char *and = (size.ratio < 1) == (time.ratio < 1) ? "and" : "but";
    /* Two phrases with factors share what follows "than". */
    if (!strstr(size_words, " times ") || !strstr(time_words, " times "))
        return bo_arena_printf(a->arena, "%s %s, and %s it", size_words, rival, time_words);
    return bo_arena_printf(a->arena, "%s %s %s %s", without_than(size_words), and, time_words,
                           rival);
}

/* "; the best of bakeoff's own ...": if the pick is not one of bakeoff's own. */
static char *ours_text(const struct answer *a)
{
    const struct bo_pick *pick = &a->main.all;
    if (strcmp(a->main.pick->role, bo_role_name(BO_NEW)) == 0)
        return bo_arena_printf(a->arena, "%s", "");
    for (unsigned i = 1; i < pick->n_weighed; i++)
        if (strcmp(pick->codecs[i].codec->role, bo_role_name(BO_NEW)) == 0)
            return bo_arena_printf(
                a->arena,
                "; no codec of bakeoff's own wins: the product of size and time of the best of "
                "them, `%s`, is %s times as high",
                pick->codecs[i].codec->name,
                bo_significant(a->arena, pow(pick->codecs[i].score / pick->codecs[0].score, 2)));
    return bo_arena_printf(a->arena, "; no codec of bakeoff's own can be the pick");
}

/*
 * "1.67 times smaller ... than the status quo, and ... than the best proposal"; NULL: there is no
 * other codec.
 */
static char *against_text(const struct answer *a)
{
    const struct bo_run_codec *quo = a->main.status_quo.to, *proposal = a->main.proposal.to;
    char *against = NULL;
    if (quo && !bo_same_encoding(quo, a->main.pick))
        against = size_and_time(a, quo, "the status quo");
    if (proposal)
        against =
            bo_arena_printf(a->arena, "%s%s%s", against ? against : "", against ? ", and " : "",
                            size_and_time(a, proposal, "the best proposal"));
    return against;
}

/* ---- portable C ------------------------------------------------------------------------------ */

/*
 * "1.5 times slower than the status quo `varint-delta`", both in portable C; NULL: there is no
 * other codec.
 */
static char *portable_against(const struct answer *a, const struct bo_run_codec *reader,
                              const struct bo_run_codec *to, const char *what)
{
    if (!to || bo_same_encoding(to, reader))
        return NULL;
    const struct bo_run_codec *other = bo_fastest_reader(a->documents, a->n, to, a->label, true);
    if (!other)
        return bo_arena_printf(
            a->arena, "not measured against %s%s", rival_text(a->arena, what, to),
            bo_portable_failed(a->documents, a->n, to, a->label) ? ", which failed" : "");
    const struct bo_mean_ratio ratio = times_over(a, reader->name, other->name, a->label, true);
    return bo_arena_printf(a->arena, "%s %s", time_text(a->arena, &ratio),
                           rival_text(a->arena, what, other));
}

static bool is_portable(const struct answer *a, const struct bo_run_codec *codec)
{
    return !codec || bo_is_portable(a->documents[0], codec);
}

/* Whether the codecs that the answer compares have no other code. */
static bool all_are_portable(const struct answer *a)
{
    return is_portable(a, a->main.pick) && is_portable(a, a->main.status_quo.to) &&
           is_portable(a, a->main.proposal.to);
}

/*
 * "; in portable C ...": the comparisons of times in portable C. The other statements about times
 * are for the fastest paths.
 */
static char *portable_text(const struct answer *a)
{
    const struct bo_run_codec *reader =
        bo_fastest_reader(a->documents, a->n, a->main.pick, a->label, true);
    if (!reader)
        return bo_arena_printf(a->arena, "; its portable path %s in this run",
                               bo_portable_failed(a->documents, a->n, a->main.pick, a->label)
                                   ? "failed"
                                   : "was not measured");
    if (all_are_portable(a))
        return bo_arena_printf(a->arena, "; all of these times are of portable C");
    char *quo = portable_against(a, reader, a->main.status_quo.to, "the status quo");
    char *proposal = portable_against(a, reader, a->main.proposal.to, "the best proposal");
    if (!quo && !proposal)
        return bo_arena_printf(a->arena, "; it has a portable path, too");
    return bo_arena_printf(a->arena, "; in portable C `%s` is %s%s%s", reader->name, quo ? quo : "",
                           quo && proposal ? ", and " : "", proposal ? proposal : "");
}

/* ---- reasons against ------------------------------------------------------------------------- */

/* A reader of another codec's bytes is encoded by that codec. */
static const char *encoder_of(const struct bo_run_codec *codec)
{
    return codec->reads ? codec->reads : codec->name;
}

/* NULL if the pick is not worse by a significant factor. */
static char *encode_reason(const struct answer *a, const struct bo_run_codec *to)
{
    const struct bo_mean_ratio ratio =
        times_over(a, encoder_of(a->main.pick), encoder_of(to), "encode", false);
    if (!(ratio.ratio > WORTH_NAMING) || !bo_is_difference(&ratio))
        return NULL;
    return bo_arena_printf(a->arena,
                           "encoding has to be fast (it takes %s times as long as that of `%s`)",
                           bo_significant(a->arena, ratio.ratio), to->name);
}

static char *scratch_reason(const struct answer *a, const struct bo_run_codec *to)
{
    static const struct bo_figure scratch = {"scratch", BO_COUNTER, "encode",
                                             "encode_scratch_bytes"};
    const double ratio = bo_figure_over(a->documents, a->n, encoder_of(a->main.pick),
                                        encoder_of(to), &scratch, false)
                             .ratio;
    if (!(ratio > WORTH_NAMING))
        return NULL;
    return bo_arena_printf(
        a->arena, "the writer has little memory (it takes %s times the scratch memory of `%s`)",
        bo_significant(a->arena, ratio), to->name);
}

static char *code_reason(const struct answer *a, const struct bo_run_codec *to)
{
    enum { BYTES_COLUMN = 6 };
    const struct bo_tsv adoption = bo_tsv_read("results", "adoption", a->arena);
    const char *format = a->format->name;
    const double x =
        bo_tsv_number(bo_tsv_find(&adoption, format, encoder_of(a->main.pick)), BYTES_COLUMN);
    const double y = bo_tsv_number(bo_tsv_find(&adoption, format, encoder_of(to)), BYTES_COLUMN);
    if (!(x / y > WORTH_NAMING))
        return NULL;
    return bo_arena_printf(a->arena, "object code counts (%s, against %s of `%s`)",
                           bo_nbytes_text(a->arena, x), bo_nbytes_text(a->arena, y), to->name);
}

/* Requirements of a codec on its writer; NULL: none. */
static const char *needed_by(const struct answer *a, const struct bo_run_codec *codec)
{
    return a->format->report ? bo_fact_about(a->format->report->needs, encoder_of(codec)) : NULL;
}

/* NULL also if the other codec has the same requirement. */
static char *needs_reason(const struct answer *a, const struct bo_run_codec *to)
{
    const char *mine = needed_by(a, a->main.pick), *other = to ? needed_by(a, to) : NULL;
    if (!mine || (other && strcmp(mine, other) == 0))
        return NULL;
    return bo_arena_printf(a->arena, "the writer cannot wait for all of the data (it needs %s)",
                           mine);
}

static char *access_reason(const struct answer *a)
{
    const char *access = a->main.pick->access;
    if (strcmp(access, bo_access_name(BO_RANDOM)) == 0 || strcmp(access, "-") == 0)
        return NULL;
    return bo_arena_printf(
        a->arena, "a single answer has to be readable without the rest of the file (it reads %s)",
        strcmp(access, bo_access_name(BO_BLOCK)) == 0 ? "a block at a time" : "the whole file");
}

/* Portable code is a reason if it is slower than the codec that it would replace. */
static char *portable_reason(const struct answer *a)
{
    const struct bo_run_codec *reader =
        bo_fastest_reader(a->documents, a->n, a->main.pick, a->label, true);
    const struct bo_run_codec *to =
        a->main.status_quo.to
            ? bo_fastest_reader(a->documents, a->n, a->main.status_quo.to, a->label, true)
            : NULL;
    if (!reader || !to || reader == to || all_are_portable(a))
        return NULL;
    const struct bo_mean_ratio ratio = times_over(a, reader->name, to->name, a->label, true);
    if (!(ratio.ratio > 1) || !bo_is_difference(&ratio))
        return NULL;
    return bo_arena_printf(a->arena, "only portable C can run (it is %s times slower than `%s`)",
                           bo_significant(a->arena, ratio.ratio), to->name);
}

/* The uses whose pick is another encoding, on the largest document. */
static char *lost_uses(const struct answer *a)
{
    const struct bo_uses *uses = a->format->report ? a->format->report->uses : NULL;
    const struct bo_run_document *document = bo_run_document(a->runs[0], a->format->name, NULL);
    const struct bo_run_codec *best = NULL, **ranked;
    char *text = NULL;
    for (const struct bo_use *use = uses ? uses->uses : NULL; use && use->use; use++) {
        if (!use->picks || !bo_use_rank(document, uses, use, BO_IN_PLACE, a->arena, &ranked) ||
            bo_same_encoding(ranked[0], a->main.pick))
            continue;
        const struct bo_run_codec *mine =
            bo_fastest_reader(&document, 1, a->main.pick, use->figure.label, false);
        const struct bo_mean_ratio ratio = mine && bo_is_time(&use->figure)
                                               ? times_in(a, a->runs[0], &document, 1, mine->name,
                                                          ranked[0]->name, use->figure.label, false)
                                               : (struct bo_mean_ratio){NAN, NAN, NAN};
        /* The pick among all codecs may be a faster control, which the uses' picks exclude. */
        if (bo_is_time(&use->figure) && (!(ratio.ratio > 1) || !bo_is_difference(&ratio)))
            continue;
        text = bo_arena_printf(a->arena, "%s%s%s %s: `%s`", text ? text : "", text ? "; " : "",
                               use->use, use->figure.heading, ranked[0]->name);
        if (!isnan(ratio.ratio))
            text = bo_arena_printf(a->arena, "%s, %s times faster", text,
                                   bo_significant(a->arena, ratio.ratio));
        best = ranked[0];
    }
    return best ? bo_arena_printf(a->arena, "Another codec is better on %s for %s.", document->name,
                                  text)
                : NULL;
}

static char *not_if_text(const struct answer *a, const char *lost)
{
    const struct bo_run_codec *to =
        a->main.status_quo.to ? a->main.status_quo.to : a->documents[0]->baseline;
    const bool differs = to && !bo_same_encoding(to, a->main.pick);
    const char *reasons[] = {
        differs ? encode_reason(a, to) : NULL,
        differs ? scratch_reason(a, to) : NULL,
        differs ? code_reason(a, to) : NULL,
        needs_reason(a, to),
        portable_reason(a),
        access_reason(a),
        lost ? "a use for which another codec is better (below) is more important" : NULL,
    };
    unsigned n = 0;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i])
            reasons[n++] = reasons[i];
    return n ? bo_arena_printf(a->arena, "**Not if** %s.", listed(a->arena, reasons, n, ", or "))
             : bo_arena_printf(a->arena, "No reason against it was measured.");
}

/* ---- confidence ------------------------------------------------------------------------------ */

static char *clarity_text(const struct answer *a)
{
    const struct bo_pick *pick = &a->main.all;
    static const char *const certainty[] = {
        [BO_IS_CLEAR] =
            "more than the 95% intervals of the medians and the A/A interval can explain",
        [BO_NOT_CLEAR] = "which the 95% intervals of the medians or the A/A interval can explain",
        [BO_NO_INTERVAL] = "but some medians have no 95% interval, so the order is uncertain",
    };
    if (!pick->runner_up)
        return bo_arena_printf(a->arena, "no other encoding was compared");
    const double ahead = pick->runner_up->score / pick->codecs[0].score;
    return bo_arena_printf(
        a->arena, "the product of size and time of the runner-up, `%s`, is %s times as high, %s",
        pick->runner_up->codec->name, bo_significant(a->arena, ahead * ahead),
        certainty[pick->clarity]);
}

/* The effect of a change of the weight of time. */
static char *weights_text(const struct answer *a)
{
    const struct bo_weight_range *range = &a->main.all.ranges[BO_MAIN_TIME];
    char *text = bo_arena_printf(a->arena, "%s", "");
    if (!range->above && !range->below)
        return bo_arena_printf(a->arena, "; no other weight of size and time changes the pick");
    if (range->above)
        text = bo_arena_printf(a->arena,
                               "; if time counts more than %s times as much as size, choose `%s`",
                               bo_significant(a->arena, range->high), range->above->codec->name);
    if (range->below)
        text = bo_arena_printf(
            a->arena, "%s; if size counts more than %s times as much as time, choose `%s`", text,
            bo_significant(a->arena, 1 / range->low), range->below->codec->name);
    return text;
}

static char *held_out_text(const struct answer *a)
{
    const struct bo_run_document *const *documents;
    const unsigned n =
        bo_compared_documents(a->runs[0], a->format->name, NULL, true, a->arena, &documents);
    if (n == 0)
        return bo_arena_printf(a->arena, "No held-out document was measured.");
    const struct bo_main_pick held_out = bo_main_pick_of(a->runs[0], documents, n, a->arena);
    return bo_arena_printf(a->arena, "On %u held-out document%s the pick is `%s`.", n,
                           n == 1 ? "" : "s", held_out.pick ? held_out.pick->name : "none");
}

/* The random variation of a time. */
static char *luck_text(const struct answer *a)
{
    const struct bo_noise noise = bo_noise_of(a->runs[0], a->format->name, NULL, a->label);
    const char *text = bo_noise_text(&noise, &a->runs[0]->environment, a->arena);
    if (!text)
        return NULL;
    if (isnan(noise.layout_sd))
        return bo_arena_printf(a->arena, "Of `%s`, %s.", a->label, text);
    return bo_arena_printf(a->arena,
                           "Of `%s`, %s; the layout of functions changes a time by a standard "
                           "deviation of %.1f%% (the median of %zu rows), and of at most %.1f%%.",
                           a->label, text, 100 * noise.layout_sd, noise.n_rows,
                           100 * noise.largest_layout_sd);
}

/* ---- several machines ------------------------------------------------------------------------ */

/* "amd-zen4-2c", with the query of the common documents if it differs from that of the answer. */
static const char *compared_machine(const struct answer *a, unsigned k)
{
    const struct bo_run_document **documents;
    const unsigned n =
        bo_common_documents(a->runs[k], a->runs[0], a->format->name, a->arena, &documents);
    const char *label = n ? bo_run_main_label(documents[0]) : a->label;
    return strcmp(label, a->label) == 0
               ? bo_machine_of(a->runs[k])
               : bo_arena_printf(a->arena, "%s (by `%s`)", bo_machine_of(a->runs[k]), label);
}

/* The conclusions about the pick: by bytes and by time, against the status quo and a proposal. */
static const char *const conclusions[] = {
    "smaller than the status quo",
    "faster than the status quo",
    "smaller than the best proposal",
    "faster than the best proposal",
};
enum { N_CONCLUSIONS = sizeof conclusions / sizeof *conclusions };

/* A conclusion on each machine, over the documents that it has in common with the first. */
struct verdict {
    const char *held[BO_MAX_MACHINES], *failed[BO_MAX_MACHINES];
    unsigned n_held, n_failed;
};

static void judge(const struct answer *a, unsigned k, struct verdict verdicts[N_CONCLUSIONS])
{
    const struct bo_run_document **documents;
    const unsigned n =
        bo_common_documents(a->runs[k], a->runs[0], a->format->name, a->arena, &documents);
    if (n == 0)
        return;
    const char *label = bo_run_main_label(documents[0]);
    const struct bo_run_codec *to[] = {a->main.status_quo.to, a->main.proposal.to};
    for (unsigned i = 0; i < N_CONCLUSIONS; i++) {
        const struct bo_run_codec *other = to[i / 2];
        if (!other || bo_same_encoding(other, a->main.pick))
            continue;
        /* the fastest reader of an encoding may differ between machines */
        const struct bo_run_codec *mine =
            bo_fastest_reader(documents, n, a->main.pick, label, false);
        const struct bo_run_codec *theirs = bo_fastest_reader(documents, n, other, label, false);
        if (!mine || !theirs)
            continue;
        const struct bo_mean_ratio ratio =
            i % 2 ? times_in(a, a->runs[k], documents, n, mine->name, theirs->name, label, false)
                  : bo_bytes_over(documents, n, mine->name, theirs->name);
        if (isnan(ratio.ratio))
            continue;
        struct verdict *v = &verdicts[i];
        if (ratio.ratio < 1 && bo_is_difference(&ratio))
            v->held[v->n_held++] = compared_machine(a, k);
        else
            v->failed[v->n_failed++] = bo_arena_printf(
                a->arena, "%s (%s)", compared_machine(a, k),
                without_than(i % 2 ? time_text(a->arena, &ratio) : size_text(a->arena, &ratio)));
    }
}

/* "a, b": all except the first `skipped` machines. */
static char *machines_of(const struct answer *a, unsigned skipped)
{
    const char *names[BO_MAX_MACHINES];
    for (unsigned k = skipped; k < a->n_runs; k++)
        names[k - skipped] = compared_machine(a, k);
    return listed(a->arena, names, a->n_runs - skipped, ", ");
}

/*
 * The conclusions that hold on all machines, and those that hold on some: "It is faster than ... on
 * a, but not on b."
 */
static char *machines_text(const struct answer *a, bool *same_ret)
{
    struct verdict verdicts[N_CONCLUSIONS] = {{.n_held = 0}};
    const char *all[N_CONCLUSIONS];
    unsigned n_all = 0;
    char *some = bo_arena_printf(a->arena, "%s", "");
    *same_ret = true;
    for (unsigned k = 0; k < a->n_runs; k++)
        judge(a, k, verdicts);
    for (unsigned i = 0; i < N_CONCLUSIONS; i++) {
        const struct verdict *v = &verdicts[i];
        if (!v->n_failed && v->n_held)
            all[n_all++] = conclusions[i];
        *same_ret &= !v->n_failed || !v->n_held;
        if (v->n_failed && v->n_held)
            some = bo_arena_printf(a->arena, "%s It is %s on %s, but not on %s.", some,
                                   conclusions[i], listed(a->arena, v->held, v->n_held, " and "),
                                   listed(a->arena, v->failed, v->n_failed, " and "));
        else if (v->n_failed)
            some = bo_arena_printf(a->arena, "%s It is not %s on %s.", some, conclusions[i],
                                   listed(a->arena, v->failed, v->n_failed, " and "));
    }
    if (a->n_runs == 1)
        return bo_arena_printf(
            a->arena,
            "This query was measured on one processor (%s). On another processor, the order of the "
            "times may differ.",
            machines_of(a, 0));
    if (n_all == 0)
        return bo_arena_printf(a->arena,
                               "%s: no advantage of `%s` holds on all of these machines.%s",
                               machines_of(a, 0), a->main.pick->name, some);
    return bo_arena_printf(a->arena, "%s: `%s` is %s on all of these machines.%s",
                           machines_of(a, 0), a->main.pick->name,
                           listed(a->arena, all, n_all, " and "), some);
}

/* ---- the whole answer ------------------------------------------------------------------------ */

/* One sentence: choose X for U, by how much, in portable C and on other machines. */
static char *choose_text(const struct answer *a, bool same)
{
    char *against = against_text(a);
    char *text = bo_arena_printf(a->arena,
                                 "**Choose `%s`** (%s) if size and the time of `%s` have equal "
                                 "weight",
                                 a->main.pick->name, a->main.pick->role, a->label);
    if (against)
        text = bo_arena_printf(a->arena, "%s: on %s it is %s%s", text, bo_machine_of(a->runs[0]),
                               against, portable_text(a));
    if (against && a->n_runs > 1)
        text = bo_arena_printf(a->arena, "%s; %s on %s", text,
                               same ? "the conclusions are the same" : "not all of this holds",
                               machines_of(a, 1));
    return bo_arena_printf(a->arena, "%s%s.", text, ours_text(a));
}

/* The basis of the first sentence's figures. */
static char *basis_text(const struct answer *a)
{
    const bool has_path = strcmp(a->main.pick->path, "-") != 0;
    return bo_arena_printf(
        a->arena, "Factors are geometric means over %u document%s%s%s.%s", a->n,
        a->n == 1 ? "" : "s", has_path ? ", of code path " : "", has_path ? a->main.pick->path : "",
        a->main.proposal.to || strcmp(a->main.pick->role, bo_role_name(BO_PROPOSED)) == 0
            ? ""
            : " No proposal could be compared.");
}

char *bo_answer_text(const struct bo_run *const *runs, size_t n_runs,
                     const struct bo_format *format, struct bo_arena *arena)
{
    struct answer a = {.format = format, .arena = arena};
    bool same;
    a.n = bo_compared_documents(runs[0], format->name, NULL, false, arena, &a.documents);
    if (a.n == 0 || a.documents[0]->n_codecs == 0)
        return NULL;
    a.label = bo_run_main_label(a.documents[0]);
    a.main = bo_main_pick_of(runs[0], a.documents, a.n, arena);
    if (!a.main.pick || !a.label || a.main.all.n_weighed < 2)
        return NULL;
    a.n_runs = bo_machine_runs(runs, n_runs, format->name, arena, &a.runs);
    const char *machines = machines_text(&a, &same), *lost = lost_uses(&a);
    const char *details[] = {basis_text(&a), lost, machines, luck_text(&a), held_out_text(&a)};
    char *text = bo_arena_printf(arena, "%s %s **How sure:** %s%s.\n\n", choose_text(&a, same),
                                 not_if_text(&a, lost), clarity_text(&a), weights_text(&a));
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        if (details[i])
            text = bo_arena_printf(arena, "%s- %s\n", text, details[i]);
    return text;
}

char *bo_plain_text(struct bo_arena *arena, const char *markdown)
{
    char *text = bo_arena_printf(arena, "%s", markdown), *to = text;
    for (const char *p = text; *p; p++)
        if (*p != '`' && *p != '*')
            *to++ = *p;
    *to = 0;
    return text;
}
