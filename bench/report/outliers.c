/* Names outliers among repetitions. */
#include "bench/report/outliers.h"

#include <math.h>

#include "bench/stats/stats.h"

#define FENCE 1.5

char *bo_outliers_text(const struct bo_run_row *row, struct bo_arena *arena, unsigned *n_ret)
{
    char *text = NULL;
    *n_ret = 0;
    if (row->n == 0)
        return NULL;
    double *times = bo_array_or_abort(arena, 2 * (size_t)row->n, sizeof *times);
    double *sorted = times + row->n;
    for (unsigned i = 0; i < row->n; i++)
        sorted[i] = times[i] = log(row->times_ns[i]);
    bo_sort_doubles(sorted, row->n);
    const double q1 = bo_percentile(sorted, row->n, 0.25), q3 = bo_percentile(sorted, row->n, 0.75);
    for (unsigned i = 0; i < row->n; i++) {
        if (times[i] >= q1 - FENCE * (q3 - q1) && times[i] <= q3 + FENCE * (q3 - q1))
            continue;
        text = bo_arena_printf(arena, "%s%s#%u", text ? text : "", text ? " " : "", i + 1);
        ++*n_ret;
    }
    return text;
}

char *bo_outliers_note(const struct bo_run_document *document, struct bo_label_filter *filter,
                       struct bo_arena *arena)
{
    unsigned n_outliers = 0, n_all = 0;
    char *text = NULL;
    for (unsigned c = 0; c < document->n_codecs; c++) {
        const char *before = text ? "; " : "", *codec = document->codecs[c].name;
        for (unsigned l = 0; l < document->n_labels; l++) {
            const struct bo_run_row *row = document->codecs[c].rows[l];
            if (!row || row->failure || !bo_label_wanted(filter, document->labels[l]))
                continue;
            unsigned n;
            const char *names = bo_outliers_text(row, arena, &n);
            n_all += row->n;
            n_outliers += n;
            if (!names)
                continue;
            text = bo_arena_printf(arena, "%s%s%s%s%s %s", text ? text : "", before, codec,
                                   *codec ? " " : "", document->labels[l], names);
            before = ", ";
            codec = "";
        }
    }
    return text ? bo_arena_printf(arena,
                                  "%u of %u repetitions are outliers, beyond 1.5 interquartile "
                                  "ranges of the quartiles, and stay in all figures: %s",
                                  n_outliers, n_all, text)
                : NULL;
}
