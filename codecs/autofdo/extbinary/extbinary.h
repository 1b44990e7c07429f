/*
 * LLVM's extensible binary sample profile: the differences of its forms, and the state of a reader.
 * README.md in the folder above specifies the layouts.
 */
#ifndef AUTOFDO_EXTBINARY_H
#define AUTOFDO_EXTBINARY_H

#include "codecs/autofdo/autofdo.h"
#include "codecs/autofdo/model.h"

/* ---- forms ----------------------------------------------------------------------------------- */

enum extbinary_section {
    EXTBINARY_SUMMARY,
    EXTBINARY_NAMES,
    EXTBINARY_CONTEXTS,
    EXTBINARY_OFFSETS,
    EXTBINARY_FUNCTIONS, /* of a split form: those with callsites */
    EXTBINARY_FLAT_OFFSETS,
    EXTBINARY_FLAT_FUNCTIONS, /* those without; of split forms alone */
    EXTBINARY_SYMBOLS,
    EXTBINARY_METADATA,
    EXTBINARY_N_SECTIONS
};

enum {
    EXTBINARY_MAX_SECTIONS = 8, /* of one form */
    EXTBINARY_MAGIC_NBYTES = 9,
    EXTBINARY_TABLE_OFF = EXTBINARY_MAGIC_NBYTES + 1 + 8,
    EXTBINARY_ENTRY_NBYTES = 4 * 8, /* kind, flags, offset, bytes */
    EXTBINARY_GUID_NBYTES = 8,
    EXTBINARY_EYTZINGER_COUNTS = 3, /* names of each array, as u64 */
    EXTBINARY_OFFSET_NBYTES = 4,    /* of an Eytzinger form */
};

#define EXTBINARY_COMPRESSED UINT64_C(1)
#define EXTBINARY_FLAT UINT64_C(2)
/* Flags of the names: GUIDs, of 8 bytes each; one name contains EXTBINARY_UNIQUE; Eytzinger. */
#define EXTBINARY_GUIDS (UINT64_C(3) << 32)
#define EXTBINARY_HAS_UNIQUE (UINT64_C(4) << 32)
#define EXTBINARY_EYTZINGER_NAMES (UINT64_C(8) << 32)
/* Flag of the offsets. */
#define EXTBINARY_EYTZINGER_OFFSETS (UINT64_C(2) << 32)
#define EXTBINARY_UNIQUE ".__uniq."

struct extbinary_reader;

/* A form; codec.own points to one. */
struct extbinary_form {
    uint8_t version, n_sections;
    struct {
        enum extbinary_section section;
        uint64_t flags;
    } table[EXTBINARY_MAX_SECTIONS];
    uint8_t order[EXTBINARY_MAX_SECTIONS]; /* places in the table, in the order of the bytes */
    bool has_guids, is_split, is_eytzinger;
    /*
     * Of a form with compressed sections, else NULL. `pack` appends the stored form of a section
     * that is not empty; `unpack` replaces the sections of a reader by their contents.
     */
    enum bo_status (*pack)(struct bo_span raw, struct bo_writer *out, struct bo_error *err);
    enum bo_status (*unpack)(struct extbinary_reader *r, struct bo_error *err);
};

extern const uint8_t extbinary_magic[EXTBINARY_MAGIC_NBYTES];
extern const uint8_t extbinary_kinds[EXTBINARY_N_SECTIONS]; /* in the file, by section */

static inline const struct extbinary_form *extbinary_form_of(const struct bo_codec *codec)
{
    return codec->own;
}

static inline size_t extbinary_data_off(const struct extbinary_form *form)
{
    return EXTBINARY_TABLE_OFF + form->n_sections * (size_t)EXTBINARY_ENTRY_NBYTES;
}

/* ---- GUIDs ----------------------------------------------------------------------------------- */

/*
 * The GUID of a name: the first 8 bytes of its MD5, little-endian. The name "guid." and 16
 * lower-case hexadecimal digits has the GUID that the digits state. Decoding makes such names, and
 * encoding a decoded model gives the same GUIDs.
 */
uint64_t extbinary_guid(struct bo_span name);

/* The name with this GUID, in `arena`; p is NULL if the arena refuses memory. */
struct bo_span extbinary_guid_name(uint64_t guid, struct bo_arena *arena);

/*
 * Replaces all names of a model by those of their GUIDs, in canonical order. BO_UNSUPPORTED when
 * two functions, callees of one place or targets of one record have one GUID.
 */
enum bo_status extbinary_rename(const struct autofdo_model *model, struct bo_arena *arena,
                                struct autofdo_model **renamed_ret, struct bo_error *err);

/* ---- Eytzinger order ------------------------------------------------------------------------- */

/* place_ret[r]: where the key of rank r of n lies. The children of i lie at 2 i + 1 and 2 i + 2. */
void extbinary_eytzinger_places(size_t n, size_t *place_ret);

/* Looks up one of n keys of 8 bytes. */
bool extbinary_eytzinger_find(const uint8_t *keys, size_t n, uint64_t key, size_t *place_ret);

/* ---- reading --------------------------------------------------------------------------------- */

/* The position of a function. */
struct extbinary_place {
    size_t start, end; /* in `in` */
    size_t name;
    enum extbinary_section section;
};

struct extbinary_reader {
    const struct extbinary_form *form;
    struct bo_span in; /* the file; of a compressed form, what its sections contain */
    struct bo_arena *arena;
    size_t starts[EXTBINARY_N_SECTIONS], sizes[EXTBINARY_N_SECTIONS]; /* in `in` */
    size_t packed_starts[EXTBINARY_N_SECTIONS]; /* in the file, when is_unpacked */
    bool is_unpacked;
    struct autofdo_summary summary;
    size_t n_names;
    struct bo_span *names;   /* by index; NULL in forms with GUIDs */
    const uint8_t *guids;    /* by index, 8 bytes each; in forms with GUIDs */
    size_t n_nested, n_flat; /* of an Eytzinger form: names of functions in both sections */
    struct autofdo_name_table functions; /* of other forms: keys, numbered as `places` */
    struct extbinary_place *places;
    size_t n_places, cap_places;
};

/*
 * What a compiler reads before its first function: the section table, the summary, and, except in
 * an Eytzinger form, all offsets and (as strings) all names. Error offsets are those of `in`.
 */
enum bo_status extbinary_open(struct extbinary_reader *r, struct bo_error *err);

/*
 * All functions of an Eytzinger form, in the order of their bytes, which must leave no gap.
 */
enum bo_status extbinary_list(const struct extbinary_reader *r, struct bo_arena *arena,
                              struct extbinary_place **places_ret, size_t *n_ret,
                              struct bo_error *err);

/* The names of an Eytzinger form are in their order, and distinct. */
enum bo_status extbinary_check_names(const struct extbinary_reader *r, struct bo_error *err);

/*
 * Finds the function of a name. *place_ret is its position; *is_there_ret is false when no function
 * has that name. In an Eytzinger form the end of a function is not known, and `end` is that of the
 * section.
 */
enum bo_status extbinary_find(const struct extbinary_reader *r, struct bo_span name,
                              struct extbinary_place *place_ret, bool *is_there_ret,
                              struct bo_error *err);

/* The function that lies at `place`; with `to_the_end`, it must end where the place does. */
enum bo_status extbinary_read(const struct extbinary_reader *r, const struct extbinary_place *place,
                              bool to_the_end, struct bo_arena *arena,
                              struct autofdo_function *function, struct bo_error *err);

/* ---- the codecs' functions, as in struct bo_codec -------------------------------------------- */

enum bo_status extbinary_reduce(const struct bo_codec *self, const void *model,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err);
enum bo_status extbinary_encode(const struct bo_codec *self, const void *model,
                                struct bo_writer *out, struct bo_error *err);
enum bo_status extbinary_decode(const struct bo_codec *self, struct bo_span in,
                                struct bo_arena *arena, void **model_ret, struct bo_error *err);
enum bo_status extbinary_open_codec(const struct bo_codec *self, struct bo_span in,
                                    struct bo_arena *arena, void **reader_ret,
                                    struct bo_error *err);
enum bo_status extbinary_query(const struct bo_codec *self, void *reader, unsigned kind,
                               const void *queries, size_t n, void *answers, struct bo_error *err);

#endif
