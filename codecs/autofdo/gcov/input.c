/* GCOV, the reader: integers and strings, each checked against the rest of the file. */
#include "codecs/autofdo/gcov/input.h"

/* ---- integers -------------------------------------------------------------------------------- */

enum bo_status gcov_get_u32(struct gcov_input *r, uint32_t *v)
{
    return bo_get_le32(&r->in, v) ? BO_OK
                                  : gcov_fail_here(r, BO_TRUNCATED, "file ends inside an integer");
}

enum bo_status gcov_get_u64(struct gcov_input *r, uint64_t *v)
{
    return bo_get_le64(&r->in, v) ? BO_OK
                                  : gcov_fail_here(r, BO_TRUNCATED, "file ends inside an integer");
}

enum bo_status gcov_get_count(struct gcov_input *r, uint64_t *v)
{
    const size_t off = r->in.off;
    const enum bo_status status = gcov_get_u64(r, v);
    if (!status && *v > GCOV_MAX_COUNT)
        return gcov_fail_at(r, BO_CORRUPT, off, "count is above 2^63 - 1");
    return status;
}

enum bo_status gcov_expect_u32(struct gcov_input *r, uint32_t expected, enum bo_status otherwise,
                               const char *what)
{
    const size_t off = r->in.off;
    uint32_t v;
    const enum bo_status status = gcov_get_u32(r, &v);
    return !status && v != expected ? gcov_fail_at(r, otherwise, off, what) : status;
}

enum bo_status gcov_get_section(struct gcov_input *r, uint32_t tag, const char *what)
{
    const enum bo_status status = gcov_expect_u32(r, tag, BO_CORRUPT, what);
    return status ? status : gcov_get_u32(r, &r->length);
}

enum bo_status gcov_get_number(struct gcov_input *r, size_t nbytes, uint32_t *n_ret)
{
    const size_t off = r->in.off;
    const enum bo_status status = gcov_get_u32(r, n_ret);
    const size_t left = bo_left(&r->in);
    if (!status && (r->owed > left || *n_ret > (left - r->owed) / nbytes))
        return gcov_fail_at(r, BO_TRUNCATED, off,
                            "count exceeds what the rest of the file can hold");
    if (!status)
        r->owed += *n_ret * nbytes;
    return status;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Of n bytes, the last `n_nul` at most are NUL, and at least one is. */
static enum bo_status cut_string(struct gcov_input *r, const uint8_t *p, size_t n, size_t n_nul,
                                 struct bo_span *string)
{
    const size_t off = r->in.off - n;
    const uint8_t *nul = memchr(p, 0, n);
    string->p = p;
    string->n = nul ? (size_t)(nul - p) : n;
    if (!nul)
        return gcov_fail_at(r, BO_CORRUPT, off + n - 1, "string does not end with NUL");
    if (n - string->n > n_nul)
        return gcov_fail_at(r, BO_CORRUPT, off + string->n, "NUL inside a string");
    for (size_t i = string->n; i < n; i++)
        if (p[i])
            return gcov_fail_at(r, BO_CORRUPT, off + i, "padding is not 0");
    return BO_OK;
}

enum bo_status gcov_get_string(struct gcov_input *r, struct bo_span *string)
{
    const size_t off = r->in.off, unit = r->layout->padded ? 4 : 1;
    const uint8_t *p = NULL;
    uint32_t n;
    enum bo_status status = gcov_get_u32(r, &n);
    if (status)
        return status;
    if (n == 0)
        return gcov_fail_at(r, BO_CORRUPT, off, "string has no room for its NUL");
    if (n > bo_left(&r->in) / unit || !bo_get_bytes(&r->in, n * unit, &p))
        return gcov_fail_at(r, BO_TRUNCATED, off, "string runs past the end");
    return cut_string(r, p, n * unit, unit, string);
}
