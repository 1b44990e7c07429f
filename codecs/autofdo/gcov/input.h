/*
 * Reading a GCOV file: the state of a reader, and reading of integers and strings.
 */
#ifndef AUTOFDO_GCOV_INPUT_H
#define AUTOFDO_GCOV_INPUT_H

#include "codecs/autofdo/gcov/gcov.h"

struct gcov_name {
    struct bo_span span;
    uint32_t file;
    size_t off;      /* of the file's index */
    bool is_defined; /* a function or callee has this name */
};

struct gcov_input {
    const struct gcov_layout *layout;
    struct bo_cursor in;
    struct bo_arena *arena;
    struct bo_error *err;
    size_t owed; /* the least bytes of elements that are announced and not yet read */
    struct bo_span *files;
    uint32_t n_files;
    struct gcov_name *names;
    uint32_t n_names;
    struct autofdo_summary summary; /* v3: the stored one */
    size_t functions_off;           /* of their section */
    uint32_t length;                /* of the section that is being read, as stored */
    struct gcov_item *items;        /* a stack: the contents of the instances being read */
    size_t n_items, cap_items;
    bool has_equals; /* two items have one place and one name, but two indices of names */
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

/* A section's tag and its length. The length is not checked: it is wrong in real files. */
enum bo_status gcov_get_section(struct gcov_input *r, uint32_t tag, const char *what);

/*
 * A number of elements of at least nbytes each. Their bytes are added to r->owed. The code that
 * reads an element first subtracts nbytes from r->owed. So all announced elements fit the file
 * together. (Strings may be longer than nbytes; nothing is announced among strings.)
 */
enum bo_status gcov_get_number(struct gcov_input *r, size_t nbytes, uint32_t *n_ret);

/* ---- strings --------------------------------------------------------------------------------- */

/* A string, without its NUL and padding, which are checked; it points into the file. */
enum bo_status gcov_get_string(struct gcov_input *r, struct bo_span *string);

#endif
