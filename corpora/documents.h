/*
 * Documents: models with a name and a provenance, from the corpora's manifest or from a user's
 * files.
 *
 * The corpora are searched in ./corpora, then next to the program's folder (../corpora).
 * BAKEOFF_CORPORA may name one more folder. The manifest gives the paths below it of documents that
 * may not be in the repository ("external"). The files of its subfolders, one a format, are
 * offered, too.
 */
#ifndef BO_DOCUMENTS_H
#define BO_DOCUMENTS_H

#include "corpora/import/import.h"
#include "harness/core/arena.h"
#include "harness/core/input.h"
#include "harness/format.h"
#include "harness/recorded.h"

/* One document of the corpora, loaded or not. */
struct bo_document {
    const struct bo_format *format;
    char *name; /* "esbuild-amd64-sample", or a user's file name */
    char *path; /* path of its text form, or of a file that an importer of the format accepts */
    /* "npm @esbuild/linux-x64 0.28.2, amd64, Go 1.26.5, MIT"; a path for a user's file */
    char *provenance;
    bool embedded;   /* is in the repository */
    bool external;   /* is in $BAKEOFF_CORPORA */
    bool sample;     /* embedded, but only a part of a document that can be fetched */
    bool scale;      /* made for curves over sizes, not for comparisons: used only when named */
    bool held_out;   /* held out: not used while codecs were designed, as its user states */
    char sealed[16]; /* "2026-11-24": the date of the seal in git (sealed.h); "" without one */
    bool present;    /* its file exists (fetched ones: after `make corpora`) */
    /* if not 0: the number of units to draw, distributed as in the document at `path` */
    uint64_t n_drawn;

    /* Set by bo_document_load: */
    void *model;
    uint64_t hash;      /* XXH3-64 of the canonical text form */
    size_t text_nbytes; /* size of that text */
    /* set by bo_document_load_recorded; NULL without recorded queries */
    struct bo_recorded *recorded;
    struct bo_arena arena;
};

struct bo_documents {
    struct bo_document *items;
    size_t n;
};

/* A choice of documents of the corpora. */
enum bo_document_choice {
    BO_DOCUMENTS_ALL,      /* also those that are not available */
    BO_DOCUMENTS_EMBEDDED, /* those in the repository */
    /*
     * Fetched documents, those of BAKEOFF_CORPORA and the embedded ones, without those for scale.
     * Samples of a format are used only if none of its documents was fetched.
     */
    BO_DOCUMENTS_BEST,
};

/* The folder of manifest.json, malloced, or NULL. */
char *bo_corpora_folder(void);

/* Lists documents of one format, or of all for NULL. False after a message. */
bool bo_documents_list(const struct bo_format *format, enum bo_document_choice choice,
                       struct bo_documents *documents);

/*
 * The format of a document, file or folder that a user names: the format of the corpora's document,
 * or the only format whose importer or text form accepts it. NULL after a message that lists the
 * formats, when none or several do.
 */
const struct bo_format *bo_documents_format(const char *command, const char *name_or_path);

/*
 * Appends a document, file or folder that a user names: a document of the corpora, a file (text
 * form, or anything importable), a folder that an importer accepts, or a folder of files, without
 * its notes and sources. False after a message, also when a folder has no document.
 */
bool bo_documents_add(const struct bo_format *format, const char *name_or_path,
                      struct bo_documents *documents);

/*
 * Appends the documents of a folder as held-out ones: the files of its subfolders that have names
 * of formats, or (with `format`, and without such a subfolder) its own files. Notes and sources are
 * skipped. False after a message, also when there is no document, or when a name is already in the
 * list.
 */
bool bo_documents_add_held_out(const struct bo_format *format, const char *folder,
                               struct bo_documents *documents);

/* Reads the document's model; false after a message. */
bool bo_document_load(struct bo_document *document);

/* Frees the model and the recorded workload of a loaded document. */
void bo_document_unload(struct bo_document *document);

/*
 * Loads the recorded workload of a loaded document: the file NAME.workload, also .zst and .xz, next
 * to the document's file; NAME is the document's name. True without *recorded when there is no such
 * file. False after a message, also when it was recorded on another document.
 */
bool bo_document_load_recorded(struct bo_document *document);

/* Reads a recorded workload into the arena; NULL after a message. */
struct bo_recorded *bo_recorded_load(const char *path, struct bo_arena *arena);

/* Prints "bakeoff: FILE: unknown query kind at byte 90, line 4 (corrupt)". */
void bo_recorded_say(const struct bo_input *in, const struct bo_error *err);

/* The path of that file, malloced, or NULL when it does not exist. */
char *bo_document_recorded_path(const struct bo_document *document);

/* Imports a folder. False after a message. */
bool bo_import_folder(const struct bo_importer *importer, const char *folder,
                      struct bo_arena *arena, void **model_ret);

/* Removes the i-th document from the list. */
void bo_documents_take_off(struct bo_documents *documents, size_t i);

/* The same with a message. */
void bo_documents_leave_out(struct bo_documents *documents, size_t i);

/* Releases the models and the list. */
void bo_documents_free(struct bo_documents *documents);

#endif
