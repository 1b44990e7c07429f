/*
 * What reads a GCOV file: the state of reading, and the integers and strings that everything in it
 * consists of.
 */
#ifndef AUTOFDO_GCOV_INPUT_H
#define AUTOFDO_GCOV_INPUT_H

#include "codecs/autofdo/gcov/gcov.h"

struct gcov_name {
    struct bo_span span;
    uint32_t file;
    size_t off;      /* of the file's index */
    bool is_defined; /* some function or callee has it */
};

struct gcov_input {
    const struct gcov_layout *layout;
    struct bo_cursor in;
    struct bo_arena *arena;
    struct bo_error *err;
    size_t owed; /* bytes that what was announced, and not yet read, takes at least */
    struct bo_span *files;
    uint32_t n_files;
    struct gcov_name *names;
    uint32_t n_names;
    struct autofdo_summary summary; /* v3: as the file has it */
    size_t functions_off;           /* of their section */
    uint32_t length;                /* of the section that is being read, as it says */
    struct gcov_item *items;        /* a stack: of instances being read, what they hold */
    size_t n_items, cap_items;
    bool has_equals; /* the table has a name twice, and somewhere both count the same thing */
};

/* ---- errors ---------------------------------------------------------------------------------- */

static inline enum bo_status gcov_fail_here(const struct gcov_input *r, enum bo_status status,
                                            const char *what)
{
    return bo_fail_here(r->err, status, &r->in, what);
}

static inline enum bo_status gcov_fail_at(const struct gcov_input *r, enum bo_status status,
                                          size_t off, const char *what)
{
    return bo_fail(r->err, status, off, what);
}

/* ---- integers -------------------------------------------------------------------------------- */

enum bo_status gcov_get_u32(struct gcov_input *r, uint32_t *v);
enum bo_status gcov_get_u64(struct gcov_input *r, uint64_t *v);

/* One that is at most GCOV_MAX_COUNT. */
enum bo_status gcov_get_count(struct gcov_input *r, uint64_t *v);

/* A word that can only have one value; `otherwise`, with the phrase, for any other. */
enum bo_status gcov_expect_u32(struct gcov_input *r, uint32_t expected, enum bo_status otherwise,
                               const char *what);

/* A section's tag, and its length, which means little: it is wrong in real files. */
enum bo_status gcov_get_section(struct gcov_input *r, uint32_t tag, const char *what);

/*
 * A number of things that take at least nbytes each. These are owed from now on: whoever reads one
 * takes nbytes from r->owed first. So all things that were announced have room in the file
 * together. (Strings may be longer than what is owed for them; nothing is announced among strings.)
 */
enum bo_status gcov_get_number(struct gcov_input *r, size_t nbytes, uint32_t *n_ret);

/* ---- strings --------------------------------------------------------------------------------- */

/* A string, without its NUL and padding, which are checked; it points into the file. */
enum bo_status gcov_get_string(struct gcov_input *r, struct bo_span *string);

#endif
