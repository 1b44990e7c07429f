/*
 * What an importer is: it reads a real file of the field (a Go binary, a profile, a trace) into a
 * format's model.
 *
 * Importers share no code with the codecs of their format, so that what they read is an
 * independent witness. Adding one is one file and one line in importers.def.
 */
#ifndef BO_IMPORT_H
#define BO_IMPORT_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"
#include "harness/core/stream.h"

/* What to take from a source. Zeros, or a NULL pointer to this, take everything. */
struct bo_import_options {
    uint64_t max_functions;       /* keep so many whole functions, as the importer says; 0: all */
    uint64_t seed;                /* of whatever is drawn */
    struct bo_span counters_like; /* a profile's text form; p is NULL without one */
    uint64_t instant;             /* keep the state at this time alone; 0: all times */
};

enum bo_import_option_kind {
    BO_IMPORT_NUMBER, /* a uint64_t of the options */
    BO_IMPORT_FILE,   /* a struct bo_span of the options: the file's bytes, unpacked */
    BO_IMPORT_SELECT, /* a flag without a field: chooses this importer for any file */
};

/* One option that an importer takes. The command line makes its parser and --help from these. */
struct bo_import_option {
    const char *name;     /* "--functions" */
    const char *argument; /* what --help calls it; NULL for a flag */
    const char *help;
    enum bo_import_option_kind kind;
    size_t field; /* of a value: its place in struct bo_import_options */
    uint64_t max; /* of a number */
};

struct bo_importer {
    const char *format;                     /* whose model it makes: "pcdata" */
    const char *name;                       /* "go-pclntab" */
    const char *summary;                    /* one line: what it reads */
    const struct bo_import_option *options; /* end with a NULL name; NULL when it takes none */

    /* True when the file looks like one of its own. Looks at the first bytes only. */
    bool (*sniff)(struct bo_span file);

    /*
     * Makes the model in `arena`; it does not point into the file. Every number in the file is
     * checked before it is used: bad input ends as BO_TRUNCATED, BO_CORRUPT or BO_UNSUPPORTED
     * with its offset in the file. What another program says of a file is BO_CORRUPT without an
     * offset; such a phrase is not static but lives in `arena`. Where *err has a phrase though all
     * went well, it is a note for the user, in `arena`, too.
     */
    enum bo_status (*import)(struct bo_span file, const struct bo_import_options *options,
                             struct bo_arena *arena, void **model_ret, struct bo_error *err);

    /*
     * The text form of what `import` makes, written while the file is read, in memory that does not
     * grow with its records; NULL for importers that read a file as a whole. Takes no options.
     */
    enum bo_status (*stream)(struct bo_source *file, struct bo_drain *out, struct bo_error *err);

    /*
     * Of importers of folders, which have none of the functions above (those of files have none of
     * these): the same two, with notes as above.
     */
    bool (*sniff_folder)(const char *folder);
    enum bo_status (*import_folder)(const char *folder, struct bo_arena *arena, void **model_ret,
                                    struct bo_error *err);
};

extern const struct bo_importer *const bo_importers[]; /* NULL-terminated */

/* The first importer of the format that takes the file, or the folder, for its own; or NULL. */
const struct bo_importer *bo_find_importer(const char *format, struct bo_span file);
const struct bo_importer *bo_find_folder_importer(const char *format, const char *folder);

/*
 * True for what is not binary, of an empty file, too: text forms have no NUL, and the magics of
 * LLVM's binary profiles are no text.
 */
bool bo_looks_like_text(struct bo_span file);

#endif
