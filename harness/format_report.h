/*
 * What reports say of a format: its question and its uses in words, the figures by which codecs are
 * judged for each use, the tables that only this format has, and the field's own programs. A
 * format's are in codecs/FORMAT/report.c.
 */
#ifndef BO_FORMAT_REPORT_H
#define BO_FORMAT_REPORT_H

#include <stdbool.h>

/* ---- figures --------------------------------------------------------------------------------- */

/* One figure of a codec on a document. */
enum bo_figure_kind {
    BO_TIME,             /* ns an operation or query of the label */
    BO_TIME_PER_UNIT,    /* the same over the document's units */
    BO_COUNTER,          /* a counter of the label */
    BO_COUNTER_PER_UNIT, /* the same over the document's units */
    BO_SIZE_PER_UNIT,    /* bytes a unit */
    BO_OUTER_PER_UNIT,   /* bytes a unit under the outer compressor that `counter` names */
    BO_UNIT_RATE, /* the document's units named `counter` per ns of the label: GB/s of bytes */
    BO_FIRST_PART_PER_UNIT /* bytes a unit of all sections but those of the second part */
};

struct bo_figure {
    const char *heading; /* "lookup, hot, ns"; NULL ends a list */
    enum bo_figure_kind kind;
    const char *label, *counter;
};

/* ---- programs -------------------------------------------------------------------------------- */

enum { BO_MAX_PROGRAM_ARGS = 8 };

/*
 * One thing that a program does. In an argument, @text is replaced by the path of the document's
 * text form, @file by that of the program's own file, @out by one to write, @name by the name to
 * look up.
 */
struct bo_program_job {
    const char *label; /* NULL ends the list */
    const char *args[BO_MAX_PROGRAM_ARGS + 1];
};

struct bo_program {
    const char *name;                  /* NULL ends a list */
    const char *const *commands;       /* the first that can be run is taken; ends with NULL */
    const char *const *version_args;   /* it prints a line with "version" then; ends with NULL */
    const char *const *make_args;      /* makes @file from @text; ends with NULL */
    const struct bo_program_job *jobs; /* what is timed */
    /* What is looked up: a malloced string, NULL when the document has nothing to look up. */
    char *(*subject)(const void *model);
};

/* ---- tables and words ------------------------------------------------------------------------ */

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

/* The two parts of a format's codecs (bench/measure/axes.h), and the figures along each axis. */
struct bo_axes {
    const char *first, *second;         /* "index", "counters" */
    const char *const *second_sections; /* sections that the second part writes; ends with NULL */
    const struct bo_figure *first_figures, *second_figures; /* end with a NULL heading */
};

/* A figure by which codecs are judged for a use. */
struct bo_use {
    const char *use; /* "A"; NULL ends the list */
    struct bo_figure figure;
    /*
     * Not 0: a codec with a higher figure is not fit for the use; `fit` heads the verdict's column.
     */
    double limit;
    bool of_baseline; /* the limit is a factor on what the baseline has (bench/runs/run.h) */
    const char *fit;
    bool picks; /* the codec with the lowest figure, of those fit for the use, is its pick */
};

/* What is known of some codecs without a measurement. */
struct bo_use_fact {
    const char
        *codecs; /* names, a * being any text; the first that fits counts; NULL ends the list */
    const char *text;
};

/* What a format is used for. */
struct bo_uses {
    const char *text;          /* what each use is, and how its verdicts are made */
    const struct bo_use *uses; /* columns, the figures of a use side by side */
    const char *facts_use,
        *facts_heading; /* the use and the heading of a column of facts; or NULL */
    const struct bo_use_fact *facts;
    const char *given_use;  /* a use that every sound codec is fit for; NULL for none */
    const char *given_note; /* why */
};

/* Which fields of the model (bo_format.fields) are in a section that codecs mark. */
struct bo_section_fields {
    const char *codecs;  /* names, a * being any text; the first that fits counts; NULL ends */
    const char *section; /* as bo_mark names it */
    const char *fields;  /* "run lengths, value deltas"; "": none, it only makes reading faster */
};

/* How a table prints sizes. */
enum bo_size_form {
    BO_SIZE_BYTES,
    BO_SIZE_CHANGE,  /* "-43.2%", of the first column's bytes */
    BO_SIZE_SHARE,   /* "56.8%", of the first column's bytes */
    BO_SIZE_OF_UNIT, /* bytes of one of the document's units */
};

struct bo_size_column {
    const char *heading; /* NULL ends the list */
    enum bo_size_form form;
    const char *codec;   /* whose bytes, */
    const char *section; /* those of one section, or NULL; */
    const char *outer;   /* all under the outer compressor of this name, or NULL; */
    const char *program; /* or a program's, whose file it is (bo_program.name) */
};

/* Sizes with one line a document: a proposal's own argument, made anew. At most 24 columns. */
struct bo_size_table {
    const char *title, *text;  /* a NULL title ends a list */
    const char *first_heading; /* "Profile": what the documents are */
    const struct bo_size_column *columns;
    /*
     * A paragraph below it, or NULL: "{v4c}" is what that column comes to in all documents
     * together; changes as shares.
     */
    const char *answer;
};

/* All that reports say of a format in words, and the tables that only it has. */
struct bo_format_report {
    const char *question; /* two sentences */
    /*
     * By which codecs are placed and picked: the first of these, with spaces between, that a
     * document has, recorded ones before synthetic ones; NULL: the first query.
     */
    const char *main_label;
    const char *curve_label;            /* the query of the curves over sizes; NULL: the first */
    const char *sizes;                  /* what counts as bytes */
    const struct bo_extra *extras;      /* ends with a NULL title; or NULL */
    const struct bo_axes *axes;         /* of a format whose codecs have two parts; or NULL */
    const struct bo_uses *uses;         /* or NULL */
    const struct bo_size_table *tables; /* or NULL */
    const struct bo_program *programs;  /* or NULL */
    /*
     * What the writers of some codecs need that not every writer has: "all names, sorted". Ends
     * with NULL codecs; or NULL.
     */
    const struct bo_use_fact *needs;
    const struct bo_section_fields *section_fields; /* of all sections of all codecs; or NULL */
};

#endif
