/*
 * The report as one HTML page that needs nothing else: no network, and for its tables no scripts.
 */
#ifndef BO_REPORT_HTML_H
#define BO_REPORT_HTML_H

#include "bench/report/report.h"

struct bo_html_options {
    const char *folder; /* the report's: pictures are under it, as pages name them */
    const char *charts; /* JavaScript of the chart library; NULL: pictures alone */
};

/*
 * Prints the page of the same runs as bo_report_print, by the same functions.
 * Each document's figures are there again as JSON (bo_comparison_json), from which charts are
 * drawn.
 */
void bo_html_print(const struct bo_report *report, const struct bo_html_options *options);

/* JSON for a script element: no "<" of it can end the element. */
void bo_html_json(struct json_t *value, FILE *out);

#endif
