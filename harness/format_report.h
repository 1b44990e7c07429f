/*
 * What reports say about a format: its question and its uses, the figures by which codecs are
 * judged for each use, tables for this format only, and the field's own programs. Each format
 * defines this in codecs/FORMAT/report.c.
 */
#ifndef BO_FORMAT_REPORT_H
#define BO_FORMAT_REPORT_H

#include <stdbool.h>

/* ---- figures --------------------------------------------------------------------------------- */

/* One figure of a codec on a document. */
enum bo_figure_kind {
    BO_TIME,             /* ns per operation or query of the label */
    BO_TIME_PER_UNIT,    /* the same divided by the document's units */
    BO_COUNTER,          /* a counter of the label */
    BO_COUNTER_PER_UNIT, /* the same divided by the document's units */
    BO_SIZE_PER_UNIT,    /* bytes per unit */
    BO_OUTER_PER_UNIT,   /* bytes per unit under the outer compressor that `counter` names */
    BO_UNIT_RATE, /* the document's units named `counter` per ns of the label: GB/s for bytes */
    BO_FIRST_PART_PER_UNIT /* bytes per unit of all sections except those listed in `counter` */
};

struct bo_figure {
    const char *heading; /* "lookup, hot, ns"; NULL ends a list */
    enum bo_figure_kind kind;
    const char *label, *counter;
};

/* ---- programs -------------------------------------------------------------------------------- */

enum { BO_MAX_PROGRAM_ARGS = 8 };

/*
 * One job of a program, which runs in a folder of its own: `text` is the document's text form,
 * `file` the program's own file, `out` a file to write. @name in an argument is replaced by the
 * name to look up.
 */
struct bo_program_job {
    const char *label; /* NULL ends the list */
    const char *args[BO_MAX_PROGRAM_ARGS + 1];
};

struct bo_program {
    const char *name;                /* NULL ends a list */
    const char *const *commands;     /* the first command that can be run is used; ends with NULL */
    const char *const *version_args; /* makes it print a line with "version"; ends with NULL */
    const char *const *make_args;    /* makes `file` from `text`; ends with NULL */
    const struct bo_program_job *jobs; /* the jobs that are timed */
    /* The thing to look up: a malloced string. NULL when the document has nothing to look up. */
    char *(*subject)(const void *model);
};

/* ---- tables and texts ------------------------------------------------------------------------ */

/* A time of one codec under one label. */
struct bo_extra_cell {
    const char *heading, *codec, *label;
};

enum { BO_MAX_EXTRA_CELLS = 6 };

/*
 * Cells that belong together; ends with a NULL heading. The ratio is the first cell's time divided
 * by the last one's.
 */
struct bo_extra_group {
    const char *heading;
    struct bo_extra_cell cells[BO_MAX_EXTRA_CELLS + 1];
};

/* A table with one line per document. */
struct bo_extra {
    const char *title, *text;
    const struct bo_extra_group *groups; /* ends with a NULL heading */
};

/* The two parts of a format's codecs (bench/measure/axes.h), and the figures along each axis. */
struct bo_axes {
    const char *first, *second;                             /* "index", "counters" */
    const struct bo_figure *first_figures, *second_figures; /* end with a NULL heading */
};

/* A figure by which codecs are judged for a use. */
struct bo_use {
    const char *use; /* "A"; NULL ends the list */
    struct bo_figure figure;
    /*
     * If not 0, a codec with a higher figure is unfit for the use; `fit` is the heading of the
     * verdict's column.
     */
    double limit;
    bool of_baseline; /* the limit is a factor of the baseline's figure (bench/runs/run.h) */
    const char *fit;
    bool picks; /* the fit codec with the lowest figure is the pick for the use */
};

/* A known fact about some codecs, not a measurement. */
struct bo_use_fact {
    const char *codecs; /* names, where * is any text; the first match counts; NULL ends the list */
    const char *text;
};

/* The uses of a format. */
struct bo_uses {
    const char *text;          /* the uses, and how their verdicts are made */
    const struct bo_use *uses; /* columns; the figures of a use are adjacent */
    const char *facts_use,
        *facts_heading; /* the use and the heading of a column of facts; or NULL */
    const struct bo_use_fact *facts;
    const char *given_use;  /* a use for which every correct codec is fit; NULL: none */
    const char *given_note; /* the reason */
};

/* The fields of the model (bo_format.fields) that a section contains. */
struct bo_section_fields {
    const char *codecs; /* names, where * is any text; the first match counts; NULL ends the list */
    const char *section; /* as bo_mark names it */
    /* "run lengths, value deltas"; "": no field, the section only speeds up reading */
    const char *fields;
};

/* How a table prints sizes. */
enum bo_size_form {
    BO_SIZE_BYTES,
    BO_SIZE_CHANGE,  /* "-43.2%", change from the first column's bytes */
    BO_SIZE_SHARE,   /* "56.8%", share of the first column's bytes */
    BO_SIZE_OF_UNIT, /* bytes per one of the document's units */
};

struct bo_size_column {
    const char *heading; /* NULL ends the list */
    enum bo_size_form form;
    const char *codec;   /* the codec whose bytes are shown: */
    const char *section; /* those of one section, or all (NULL), */
    const char *outer;   /* under the outer compressor of this name, or NULL; */
    const char *program; /* or the program whose file is shown (bo_program.name) */
};

/*
 * A table of sizes with one line per document: a proposal's own comparison, measured again. At most
 * 24 columns.
 */
struct bo_size_table {
    const char *title, *text;  /* a NULL title ends a list */
    const char *first_heading; /* "Profile": what the documents are */
    const struct bo_size_column *columns;
    /*
     * A paragraph below it, or NULL. "{v4c}" is replaced by that column's total over all documents;
     * changes as shares.
     */
    const char *answer;
};

/* All texts of a format in the report, and its own tables. */
struct bo_format_report {
    const char *question; /* two sentences */
    /* What today's program looks up, what that costs it, and what was measured in it; or NULL. */
    const char *consumer;
    /*
     * The label by which codecs are placed and picked: the first of these (separated by spaces)
     * that a document has, recorded before synthetic. NULL: the first query.
     */
    const char *main_label;
    const char *curve_label;            /* the query of the curves over sizes; NULL: the first */
    const char *sizes;                  /* definition of the bytes */
    const struct bo_extra *extras;      /* ends with a NULL title; or NULL */
    const struct bo_axes *axes;         /* for a format whose codecs have two parts; or NULL */
    const struct bo_uses *uses;         /* or NULL */
    const struct bo_size_table *tables; /* or NULL */
    const struct bo_program *programs;  /* or NULL */
    /*
     * Requirements of some codecs on their writers: "all names, sorted". Ends with NULL codecs; or
     * NULL.
     */
    const struct bo_use_fact *needs;
    const struct bo_section_fields *section_fields; /* for all sections of all codecs; or NULL */
};

#endif
