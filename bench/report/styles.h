/* The forms in which `bakeoff table` prints a comparison. */
#ifndef BO_REPORT_STYLES_H
#define BO_REPORT_STYLES_H

#include "bench/report/comparison.h"

enum { BO_RFC_WIDTH = 72 }; /* width of plain text in mails and RFCs */

/* What is to be printed. */
struct bo_table {
    const struct bo_run *run;
    const char *format;
    const struct bo_run_document *document; /* the document that styles for people show */
    /* the only document that styles for programs show; NULL: all */
    const struct bo_run_document *only;
    struct bo_label_filter filter;
    bool is_chosen; /* the user selected the codecs of the documents: all are shown */
    /* " --kind point", the options of `bakeoff table` that selected; or NULL */
    const char *options;
};

struct bo_table_style {
    const char *name;
    bool one_document; /* prints one document, for people; else all documents, for programs */
    void (*print)(struct bo_table *table, struct bo_arena *arena, FILE *out);
};

extern const struct bo_table_style bo_table_styles[]; /* ends with a NULL name */

/*
 * Results as lines of Go's benchmark format, so that `benchstat -col /codec` reads them:
 * configuration lines, then one line per repetition for each wanted row. A line has a name with the
 * corpus, kind, workload and codec as keys, the iterations, and pairs of value and unit. A failure
 * is printed in the format of `go test`.
 */
void bo_print_gobench(struct bo_table *table, struct bo_arena *arena, FILE *out);

#endif
