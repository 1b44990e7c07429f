/* The forms in which `bakeoff table` prints a comparison. */
#ifndef BO_REPORT_STYLES_H
#define BO_REPORT_STYLES_H

#include "bench/report/comparison.h"

enum { BO_RFC_WIDTH = 72 }; /* columns of plain text that mails and RFCs hold */

/* What is to be printed. */
struct bo_table {
    const struct bo_run *run;
    const char *format;
    const struct bo_run_document *document; /* the one that styles for people show */
    const struct bo_run_document *only;     /* the one that styles for programs show; NULL: all */
    struct bo_label_filter filter;
    bool is_chosen;      /* the documents have the codecs that the user chose: all are shown */
    const char *options; /* " --kind point", those of `bakeoff table` that chose; or NULL */
};

struct bo_table_style {
    const char *name;
    bool one_document; /* for people */
    void (*print)(struct bo_table *table, struct bo_arena *arena, FILE *out);
};

extern const struct bo_table_style bo_table_styles[]; /* ends with a NULL name */

#endif
