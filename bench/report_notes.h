/*
 * What a report says of a format in words, and tables that only one format has. All that is
 * particular is in a table.
 */
#ifndef BO_REPORT_NOTES_H
#define BO_REPORT_NOTES_H

/* A time of one codec under one label. */
struct bo_extra_cell {
    const char *heading, *codec, *label;
};

enum { BO_MAX_EXTRA_CELLS = 6 };

/*
 * Cells that belong together; ends with a NULL heading. The ratio is the first cell's time over the
 * last one's.
 */
struct bo_extra_group {
    const char *heading;
    struct bo_extra_cell cells[BO_MAX_EXTRA_CELLS + 1];
};

/* A table with one line a document. */
struct bo_extra {
    const char *title, *text;
    const struct bo_extra_group *groups; /* ends with a NULL heading */
};

struct bo_notes {
    const char *format;
    const char *question;          /* two sentences */
    const char *sizes;             /* what counts as bytes */
    const struct bo_extra *extras; /* ends with a NULL title; or NULL */
};

/* NULL when nothing particular is to be said. */
const struct bo_notes *bo_notes_of(const char *format);

/* What no run measures, for every report; ends with NULL. */
extern const char *const bo_not_measured[];

#endif
