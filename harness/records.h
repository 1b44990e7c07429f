/*
 * Models that are arrays of records with named fields, from a declaration: the text form, the rules
 * of order, comparing, generating, small changes, resampling, counts and entropy. A format declares
 * a struct bo_shape, and records_format.h defines the functions of struct bo_format from it.
 *
 *     struct symtab_symbol {
 *         uint64_t address;
 *         struct bo_span name;
 *     };
 *     static const struct bo_field fields[] = {
 *         BO_FIELD(struct symtab_symbol, address, BO_HEX),
 *         BO_FIELD(struct symtab_symbol, name, BO_NAME),
 *     };
 *
 * The model is a struct bo_records, its items an array of the format's own struct. A format whose
 * model has another shape writes its functions by hand.
 */
#ifndef BO_RECORDS_H
#define BO_RECORDS_H

#include "harness/format.h"

/* ---- the declaration ------------------------------------------------------------------------- */

/* The type and notation of a field. */
enum bo_field_form {
    BO_DECIMAL, /* an unsigned integer of 1, 2, 4 or 8 bytes */
    BO_HEX,     /* the same, written as 0x1f */
    BO_SIGNED,  /* a signed integer of 1, 2, 4 or 8 bytes, without `max` and `optional` */
    BO_NAME,    /* a struct bo_span: any bytes; in JSON, UTF-8. The last field, after others */
};

struct bo_field {
    const char *name;
    enum bo_field_form form;
    size_t off, nbytes; /* of the member in the record */
    uint64_t max;       /* the largest value of an unsigned field; 0: the largest of its width */
    bool uniform;       /* a hash: generated uniformly over its range, not mostly small */
    bool optional;      /* unsigned: the largest number of its width means absent, written as `-` */
    const char *missing, *wrong, *descends; /* phrases of errors */
};

/* A member of the record. Further members of struct bo_field may follow: `.uniform = true`. */
#define BO_FIELD(record, member, ...)                                                            \
    {                                                                                            \
        .name = #member, .form = __VA_ARGS__, .off = offsetof(record, member),                   \
        .nbytes = sizeof(((record *)NULL)->member),                                              \
        .missing = "record ends before its field " #member,                                      \
        .wrong = #member " is not a value in its range", .descends = #member " is out of order", \
    }

/* The order of the records, by the first one or two fields. */
enum bo_record_order {
    BO_ANY_ORDER,
    BO_ASCENDING, /* the first field is not below that of the previous record */
    BO_MAP,       /* the first field is above that of the previous record: keys are distinct */
    BO_INTERVALS, /* the first two are start and end, unsigned, start < end; no two overlap */
};

enum bo_record_text {
    BO_LINES, /* one line per record, its values separated by spaces */
    BO_JSON,  /* one JSON object per line */
};

struct bo_shape {
    const char *name; /* the format's */
    const char *unit; /* plural name of a record: "symbols" */
    size_t record_nbytes;
    const struct bo_field *fields;
    unsigned n_fields;
    enum bo_record_order order;
    enum bo_record_text text;
    /*
     * An additional rule: returns NULL, or a static phrase for the rule that `record` breaks.
     * `before` is the previous record, NULL for the first. May be NULL.
     */
    const char *(*flaw)(const void *before, const void *record);
};

/* The model. It does not point into the text or bytes that it was parsed from. */
struct bo_records {
    void *items;
    size_t n;
};

/* NULL for a declaration that follows these rules, else a static phrase. Parsing calls it. */
const char *bo_shape_flaw(const struct bo_shape *shape);

/* ---- records --------------------------------------------------------------------------------- */

static inline void *bo_record(const struct bo_shape *shape, const struct bo_records *records,
                              size_t i)
{
    return (uint8_t *)records->items + i * shape->record_nbytes;
}

/* The number in a field that is not a name. A signed number is its two's complement in 64 bits. */
uint64_t bo_field_number(const struct bo_field *field, const void *record);
void bo_field_set_number(const struct bo_field *field, void *record, uint64_t v);

/* The largest valid number of the field. The value for "absent" is excluded. */
uint64_t bo_field_max(const struct bo_field *field);
/* The value of an absent optional field: all ones in the member's width. */
uint64_t bo_field_none(const struct bo_field *field);

/*
 * NULL when `record` may follow `before` (NULL for the first record), else a static phrase. The
 * decoder of a codec calls it for each record.
 */
const char *bo_record_flaw(const struct bo_shape *shape, const void *before, const void *record);

/* The first broken rule in the records, as a phrase; NULL if all hold. */
const char *bo_records_flaw(const struct bo_shape *shape, const struct bo_records *records);

/*
 * Sorts the records by the order's rule and drops those that still break a rule. False when the
 * arena refuses.
 */
bool bo_records_settle(const struct bo_shape *shape, struct bo_records *records,
                       struct bo_arena *arena);

/*
 * The index of the first record whose first field is not below `key`, by binary search in ordered
 * records; n if no record does. For oracles: codecs search their bytes with their own code.
 */
size_t bo_records_lower_bound(const struct bo_shape *shape, const struct bo_records *records,
                              uint64_t key);

/* ---- the members of struct bo_format of the same names --------------------------------------- */

/*
 * The text form. Its first line is `NAME 1`, in JSON `{"format": "NAME", "version": 1}`. Numbers
 * are decimal, or hexadecimal with 0x (in JSON as strings). In lines, a name is the rest of the
 * line: a backslash is written as \\, bytes below 0x20 and 0x7f as \x0a, an empty name as \e. In
 * JSON, the members of an object are in the order of the fields, strings have the escapes of JSON,
 * and \\, \" and \u000a are those that are printed. Empty lines and lines that start with # are
 * skipped.
 */
enum bo_status bo_records_parse(const struct bo_shape *shape, struct bo_span text,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err);
enum bo_status bo_records_print(const struct bo_shape *shape, const void *model,
                                struct bo_writer *out, struct bo_error *err);
const char *bo_records_differ(const struct bo_shape *shape, const void *a, const void *b);

/*
 * Numbers of all magnitudes, with one model in 16 at their limits; names as compilers make them,
 * and unusual ones.
 */
enum bo_status bo_records_generate(const struct bo_shape *shape, struct bo_random *random,
                                   size_t scale, struct bo_arena *arena, void **model_ret,
                                   struct bo_error *err);
enum bo_status bo_records_mutate(const struct bo_shape *shape, const void *model,
                                 struct bo_random *random, struct bo_arena *arena, void **model_ret,
                                 struct bo_error *err);

/*
 * The first field of ordered records grows by steps of `like`, or is drawn uniformly if it is
 * uniform. The other fields come from records of `like`. It stops before a number would overflow.
 */
enum bo_status bo_records_resample(const struct bo_shape *shape, const void *like, size_t n_units,
                                   struct bo_random *random, struct bo_arena *arena,
                                   void **model_ret, struct bo_error *err);
unsigned bo_records_units(const struct bo_shape *shape, const void *model,
                          struct bo_unit *units_ret);

/* Each field is a sequence; the first field of ordered records is stored as differences. */
void bo_records_fields(const struct bo_shape *shape, const void *model, struct bo_sequences *out);

#endif
