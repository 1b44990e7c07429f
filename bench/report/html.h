/*
 * The report as one self-contained HTML page: it needs no network, and its tables need no scripts.
 */
#ifndef BO_REPORT_HTML_H
#define BO_REPORT_HTML_H

#include "bench/report/report.h"

struct bo_html_options {
    const char *folder; /* the report's folder, which contains the pictures */
    const char *charts; /* JavaScript of the chart library; NULL: only pictures */
};

/*
 * Prints the page of the same runs as bo_report_print, with the same functions. The figures of each
 * document are included as JSON (bo_comparison_json), from which charts are drawn.
 */
void bo_html_print(const struct bo_report *report, const struct bo_html_options *options);

/* JSON for a script element: no "<" in it can end the element. */
void bo_html_json(struct json_t *value, FILE *out);

#endif
