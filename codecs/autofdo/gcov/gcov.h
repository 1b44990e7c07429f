/*
 * The GCOV layouts of AutoFDO profiles: gcov-v3, gcov-v2, gcov-v407. What they have in common.
 *
 * Layout (all integers little-endian, a u64 as its low word and its high word; nothing is aligned):
 *
 *   u32 "adcg"  u32 version  u32 0
 *   summary, v3:   u32 tag  5 x u64  u64 16  16 x (u32 cutoff, u64 least count, u64 counts)
 *   names:         u32 tag  u32 length  (v3: u32 number, the files)  u32 number, the names, each
 *                  followed in v3 by a u32 file index
 *   functions:     u32 tag  u32 length  u32 number, the functions
 *   module group:  u32 tag  u32 length  u32 0
 *   working set:   u32 tag  u32 length  128 x (u32 a tenth of the counters, u64 least count)
 *
 * README.md specifies what functions consist of, and the lengths.
 */
#ifndef AUTOFDO_GCOV_H
#define AUTOFDO_GCOV_H

#include "codecs/autofdo/autofdo.h"

/* ---- the numbers ----------------------------------------------------------------------------- */

#define GCOV_MAGIC UINT32_C(0x67636461)
#define GCOV_TAG_SUMMARY UINT32_C(0xa8000000)
#define GCOV_TAG_NAMES UINT32_C(0xaa000000)
#define GCOV_TAG_FUNCTIONS UINT32_C(0xac000000)
#define GCOV_TAG_MODULE_GROUP UINT32_C(0xae000000)
#define GCOV_TAG_WORKING_SET UINT32_C(0xaf000000)

#define GCOV_NO_FILE UINT32_MAX
#define GCOV_MAX_COUNT UINT64_C(0x7fffffffffffffff) /* GCC's counters are signed */

enum {
    GCOV_TARGET_TYPE = 7, /* GCC's kind of histogram for indirect calls */
    GCOV_N_WORKING_SETS = 128,
    GCOV_WORKING_SET_NBYTES = GCOV_N_WORKING_SETS * 12,
    GCOV_COUNTERS_PER_BLOCK = 10, /* as in the writers: counters are instructions */
};

/* The differences of the layouts. */
struct gcov_layout {
    uint32_t version;
    bool padded; /* strings are counted in words and filled up; else in bytes with their NUL */
    bool is_v3;  /* with the summary, files and timestamps */
};

/* ---- the parts ------------------------------------------------------------------------------- */

/*
 * Appends the encoding of a model whose discriminators are folded. BO_UNSUPPORTED for counts above
 * GCOV_MAX_COUNT and for numbers that do not fit 32 bits.
 */
enum bo_status gcov_write(const struct gcov_layout *layout, const struct autofdo_model *model,
                          struct bo_writer *out, struct bo_error *err);

/* Reads and checks everything. The model, in `arena`, points into `in`. */
enum bo_status gcov_read(const struct gcov_layout *layout, struct bo_span in,
                         struct bo_arena *arena, const struct autofdo_model **model_ret,
                         struct bo_error *err);

/*
 * The model with every discriminator d replaced by (d >> 16) | (d & 0xffff); records and callsites
 * that then have the same place are added up. `model` itself if nothing changes. Scratch memory
 * stays in `arena`.
 */
enum bo_status gcov_fold(const struct autofdo_model *model, struct bo_arena *arena,
                         const struct autofdo_model **folded_ret, struct bo_error *err);

/*
 * Adds up functions of one name, which are adjacent, and inside them elements of one place and
 * name. The least timestamp above 0 is kept.
 */
enum bo_status gcov_join(const struct autofdo_model *model, struct bo_arena *arena,
                         const struct autofdo_model **joined_ret, struct bo_error *err);

/* Whether a count, of the instance or of what it inlines, is above GCOV_MAX_COUNT. */
bool gcov_has_large_count(const struct autofdo_instance *instance);

/* ---- putting into order ---------------------------------------------------------------------- */

/* A record, callsite, target, function or name that is sorted. */
struct gcov_item {
    uint32_t line, discriminator; /* 0 without a place */
    struct bo_span name;          /* empty for a record */
    uint32_t index;               /* of the name */
    size_t off;                   /* in the file; for reading */
    union {
        struct autofdo_record record;
        struct autofdo_target target;
        struct autofdo_callsite callsite;
        struct autofdo_function function;
    } is;
};

/* By place, then name, then index. As memcmp. */
int gcov_compare_items(const struct gcov_item *a, const struct gcov_item *b);

/*
 * Stable. Uses scratch memory of `arena`, which is released; none if the items are in order
 * already. False if the arena refuses memory.
 */
bool gcov_sort_items(struct gcov_item *items, size_t n, struct bo_arena *arena);

#endif
