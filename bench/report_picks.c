/* Picks as a table. */
#include "bench/report_picks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/pick.h"
#include "bench/report_text.h"

unsigned bo_compared_documents(const struct bo_run *run, const char *format, const char *corpus,
                               bool held_out, struct bo_arena *arena,
                               const struct bo_run_document *const **documents_ret)
{
    const struct bo_run_document **documents =
        bo_alloc_array(arena, run->n_documents + 1, sizeof *documents);
    unsigned n = 0;
    if (!documents)
        abort();
    for (size_t d = 0; d < run->n_documents; d++) {
        const struct bo_run_document *document = &run->documents[d];
        if (strcmp(document->format, format) == 0 &&
            (corpus ? strcmp(document->name, corpus) == 0
                    : !document->scale && document->held_out == held_out))
            documents[n++] = document;
    }
    *documents_ret = documents;
    return n;
}

/* What `bakeoff pick` weighs when nothing is said: bytes and the main query's time, alike. */
enum { SIZE, LOOKUP, N_MAIN_WISHES };

static void main_wishes(const struct bo_run_document *document, struct bo_arena *arena,
                        struct bo_wish *wishes_ret)
{
    const char *label = bo_run_main_label(document);
    const struct bo_figure time = {bo_arena_printf(arena, "%s, ns", label ? label : "no query"),
                                   BO_TIME, label, NULL};
    wishes_ret[SIZE] = (struct bo_wish){
        .name = "size", .figure = {"bytes", BO_SIZE_PER_UNIT, NULL, NULL}, .weight = 1};
    wishes_ret[LOOKUP] = (struct bo_wish){.name = "lookup", .figure = time, .weight = 1};
}

struct bo_main_pick bo_main_pick_of(const struct bo_run_document *const *documents, unsigned n,
                                    struct bo_arena *arena)
{
    struct bo_wish wishes[N_MAIN_WISHES];
    struct bo_pick pick;
    const char *why;
    main_wishes(documents[0], arena, wishes);
    if (!bo_pick_codec(documents, n, wishes, N_MAIN_WISHES, arena, &pick, &why) || !pick.n_weighed)
        return (struct bo_main_pick){.size = NAN, .time = NAN};
    return (struct bo_main_pick){.pick = pick.codecs[0].codec,
                                 .runner_up = pick.n_weighed > 1 ? pick.codecs[1].codec : NULL,
                                 .size = pick.codecs[0].ratios[SIZE],
                                 .time = pick.codecs[0].ratios[LOOKUP],
                                 .is_clear = pick.is_clear};
}
