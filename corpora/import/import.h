/*
 * An importer reads a real file of the field (a Go binary, a profile, a trace) into a format's
 * model.
 *
 * Importers share no code with the codecs of their format, so their models are an independent
 * check. A new one needs one file and one line in importers.def.
 */
#ifndef BO_IMPORT_H
#define BO_IMPORT_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"
#include "harness/core/stream.h"

#define BO_IMPORT_ALL_TIMES UINT64_MAX

/* Options of an import. A NULL pointer to this selects everything. */
struct bo_import_options {
    /* the number of whole functions to keep, chosen by the importer; 0: all */
    uint64_t max_functions;
    uint64_t seed;                /* for everything that is drawn */
    struct bo_span counters_like; /* a profile's text form; p is NULL without one */
    uint64_t instant; /* keep only the state at this time, unless it is BO_IMPORT_ALL_TIMES */
};

enum bo_import_option_kind {
    BO_IMPORT_NUMBER, /* stored in a uint64_t of the options */
    /* stored in a struct bo_span of the options: the file's bytes, decompressed */
    BO_IMPORT_FILE,
    BO_IMPORT_SELECT, /* a flag without a field: selects this importer for any file */
};

/* One option of an importer. The command line derives its parser and --help from these. */
struct bo_import_option {
    const char *name;     /* "--functions" */
    const char *argument; /* name of the argument in --help; NULL for a flag */
    const char *help;
    enum bo_import_option_kind kind;
    size_t field;      /* for a value: its offset in struct bo_import_options */
    uint64_t max, min; /* for a number: the largest and the smallest that a user may give */
};

struct bo_importer {
    const char *format;                     /* the format of the model: "pcdata" */
    const char *name;                       /* "go-pclntab" */
    const char *summary;                    /* one line: the files that it reads */
    const struct bo_import_option *options; /* end with a NULL name; NULL without options */

    /* True when the file looks like one that this importer reads. Only examines the first bytes. */
    bool (*sniff)(struct bo_span file);

    /*
     * Makes the model in `arena`; it does not point into the file. Every number in the file is
     * checked before it is used: bad input ends in BO_TRUNCATED, BO_CORRUPT or BO_UNSUPPORTED with
     * its offset in the file. An error of another program about the file is BO_CORRUPT without an
     * offset; such a phrase is not static but in `arena`. If *err has a phrase after a success, it
     * is a note for the user, also in `arena`.
     */
    enum bo_status (*import)(struct bo_span file, const struct bo_import_options *options,
                             struct bo_arena *arena, void **model_ret, struct bo_error *err);

    /*
     * Writes the text form of the model that `import` would make, while it reads the file, in
     * memory that does not grow with the number of records. NULL for importers that read whole
     * files. Has no options.
     */
    enum bo_status (*stream)(struct bo_source *file, struct bo_drain *out, struct bo_error *err);

    /*
     * For importers of folders, which have none of the functions above (importers of files have
     * none of these): the same two functions, with notes as above.
     */
    bool (*sniff_folder)(const char *folder);
    enum bo_status (*import_folder)(const char *folder, struct bo_arena *arena, void **model_ret,
                                    struct bo_error *err);
};

extern const struct bo_importer *const bo_importers[]; /* NULL-terminated */

/* The first importer of the format that recognises the file or the folder; or NULL. */
const struct bo_importer *bo_find_importer(const char *format, struct bo_span file);
const struct bo_importer *bo_find_folder_importer(const char *format, const char *folder);

/*
 * True for a file that is not binary, or is empty. Text forms have no NUL, and the magic numbers of
 * LLVM's binary profiles are not text.
 */
bool bo_looks_like_text(struct bo_span file);

#endif
