/*
 * Version 4 of GCC's AutoFDO profile, as proposed: what its writer and its readers share. The
 * layout is in README.md.
 */
#ifndef AUTOFDO_V4_H
#define AUTOFDO_V4_H

#include "codecs/autofdo/autofdo.h"

enum {
    AUTOFDO_V4_MAGIC = 0x67636f76, /* "gcov" */
    AUTOFDO_V4_VERSION = 4,
    AUTOFDO_V4_HEADER_NBYTES = 48,
    AUTOFDO_V4_RANGE_NBYTES = 16, /* an entry of the section table: offset and size */
    AUTOFDO_V4_SUMMARY_OFF = 16,  /* where the header has the summary's range */
    AUTOFDO_V4_FILES_OFF = 32,    /* and that of the file names */
    AUTOFDO_V4_COMPACT = 0x80,    /* in the header's bitmask and in a section's */
    AUTOFDO_V4_TERMINAL = 0x80,   /* in a trie node's */
    AUTOFDO_V4_MAX_CHILDREN = 127,
    AUTOFDO_V4_MAX_LABEL = 65535, /* bytes; also of a path */
};

/* Types of sections. */
enum autofdo_v4_type {
    AUTOFDO_V4_STRINGS = 1,
    AUTOFDO_V4_SUMMARY,
    AUTOFDO_V4_FILES,
    AUTOFDO_V4_SYMBOLS,
    AUTOFDO_V4_INFO,
    AUTOFDO_V4_CALLEE_FILES, /* ours */
};

/* A location record's first byte: type << 5, flags, and the code of the count's width. */
enum {
    AUTOFDO_V4_COUNT = 0,
    AUTOFDO_V4_CALLSITE = 1, /* types above are unknown */
    AUTOFDO_V4_HAS_DISCRIMINATOR = 0x10,
    AUTOFDO_V4_HAS_TARGETS = 0x08,
    AUTOFDO_V4_WIDTH = 0x07,
};

/*
 * The most bytes of all names in a table of so many bytes: the strings of a trie of n bytes can
 * have n^2 bytes in total. Writers obey this limit, too.
 */
static inline uint64_t autofdo_v4_max_spelt(size_t section_nbytes)
{
    return (64u << 10) + 64 * (uint64_t)section_nbytes;
}

/* The code of the least width that holds a count: 0, 1, 2, 4, 8 bytes. */
static inline unsigned autofdo_v4_width_code(uint64_t count)
{
    return count == 0            ? 0
           : count <= UINT8_MAX  ? 1
           : count <= UINT16_MAX ? 2
           : count <= UINT32_MAX ? 3
                                 : 4;
}

/* ---- the writer ------------------------------------------------------------------------------ */

/*
 * `compact` makes integers varints; `one_table` gives all files the same string table. As
 * bo_codec.encode.
 */
enum bo_status autofdo_v4_encode(const struct autofdo_model *model, bool compact, bool one_table,
                                 struct bo_writer *out, struct bo_error *err);

/* An integer of at most nbytes bytes: big-endian in so many, or a varint. */
void autofdo_v4_put(struct bo_writer *out, bool compact, unsigned nbytes, uint64_t v);

/*
 * The trie of n names, sorted, each once; a name's place is its string id. BO_UNSUPPORTED when a
 * node or a label is too big.
 */
enum bo_status autofdo_v4_put_trie(struct bo_writer *out, bool compact, const struct bo_span *names,
                                   size_t n, struct bo_error *err);

/* ---- reading integers ------------------------------------------------------------------------ */

/* Reads a section: integers are varints where it is compact. */
struct autofdo_v4_cursor {
    struct bo_cursor at;
    bool compact;
};

/* An integer of nbytes (1, 2, 4, 8) bytes, or a varint that holds no more than these could. */
enum bo_status autofdo_v4_take(struct autofdo_v4_cursor *c, unsigned nbytes, uint64_t *v_ret,
                               struct bo_error *err);

/* The same for a number of elements of at least min_nbytes each, which follow. */
enum bo_status autofdo_v4_take_number(struct autofdo_v4_cursor *c, size_t min_nbytes,
                                      uint32_t *n_ret, struct bo_error *err);

/* A length of 2 bytes and so many bytes. */
enum bo_status autofdo_v4_take_text(struct autofdo_v4_cursor *c, struct bo_span *text_ret,
                                    struct bo_error *err);

/* BO_CORRUPT when the section goes on. */
enum bo_status autofdo_v4_take_end(const struct autofdo_v4_cursor *c, struct bo_error *err);

/* ---- the file: header, section table, file names --------------------------------------------- */

/* The functions of one source file, and the numbers of their sections. */
struct autofdo_v4_unit {
    struct bo_span path;
    uint32_t strings, symbols, info;
    size_t off; /* of its entry among the file names */
};

struct autofdo_v4_file {
    struct bo_span in;
    bool compact;
    uint64_t n_sections;                   /* those of the header counted: numbers end below */
    uint64_t summary_number, files_number; /* by their place in the file */
    uint32_t n_units;
    struct autofdo_v4_unit *units; /* by path */
};

/* Checks the section table and reads the file names; reads nothing else. */
enum bo_status autofdo_v4_open(struct bo_span in, struct bo_arena *arena,
                               struct autofdo_v4_file *file, struct bo_error *err);

/* Where section `number`, which is below n_sections, starts: its bitmask. */
size_t autofdo_v4_section_off(const struct autofdo_v4_file *file, uint64_t number);

/* A cursor after the bitmask of section `number`, which must be of this type. */
enum bo_status autofdo_v4_enter(const struct autofdo_v4_file *file, uint64_t number,
                                enum autofdo_v4_type type, struct autofdo_v4_cursor *c,
                                struct bo_error *err);

/* The unit of this path, or NULL. */
const struct autofdo_v4_unit *autofdo_v4_find_unit(const struct autofdo_v4_file *file,
                                                   struct bo_span path);

enum bo_status autofdo_v4_read_summary(const struct autofdo_v4_file *file,
                                       struct autofdo_summary *summary_ret, struct bo_error *err);

/* ---- string tables --------------------------------------------------------------------------- */

/* A table's strings by their ids, which are their ranks. */
struct autofdo_v4_strings {
    uint32_t n;
    struct bo_span *names;
    uint64_t *hashes; /* of autofdo_hash_name */
};

/* Reads all strings of a section, into the arena, and checks the section. */
enum bo_status autofdo_v4_load_strings(const struct autofdo_v4_file *file, uint32_t section,
                                       struct bo_arena *arena, struct autofdo_v4_strings *strings,
                                       struct bo_error *err);

/* Walks the trie by the name's bytes. *found_ret is false if the name is not in the table. */
enum bo_status autofdo_v4_find_string(const struct autofdo_v4_file *file, uint32_t section,
                                      struct bo_span name, bool *found_ret, uint32_t *id_ret,
                                      struct bo_error *err);

/* ---- symbol names: which functions a unit has, and where ------------------------------------- */

/* A function: its string id, and its bytes in the unit's info section. */
struct autofdo_v4_symbol {
    uint32_t id;
    size_t off;    /* of its entry among the names, for errors */
    size_t at, to; /* from the info section's first byte */
};

struct autofdo_v4_symbols {
    struct autofdo_v4_cursor c;
    uint32_t n, n_read;
    size_t info_nbytes;
    uint32_t next_id; /* of the entry that was read ahead */
    uint64_t next_at;
    size_t next_off;
};

/* Starts to read a unit's functions; there is at least one. */
enum bo_status autofdo_v4_open_symbols(const struct autofdo_v4_file *file,
                                       const struct autofdo_v4_unit *unit,
                                       struct autofdo_v4_symbols *symbols, struct bo_error *err);

/* The next of them; symbols->n is their number. */
enum bo_status autofdo_v4_next_symbol(struct autofdo_v4_symbols *symbols,
                                      struct autofdo_v4_symbol *symbol_ret, struct bo_error *err);

/* The one with this string id: by binary search if entries have one size, else from the start. */
enum bo_status autofdo_v4_find_symbol(const struct autofdo_v4_file *file,
                                      const struct autofdo_v4_unit *unit, uint32_t id,
                                      bool *found_ret, struct autofdo_v4_symbol *symbol_ret,
                                      struct bo_error *err);

/* ---- symbol info ----------------------------------------------------------------------------- */

/*
 * Rebuilds a function in `arena`. is_callee[id] is set for each string that names a callee in it;
 * names point into `strings`.
 */
enum bo_status autofdo_v4_build(const struct autofdo_v4_file *file,
                                const struct autofdo_v4_unit *unit,
                                const struct autofdo_v4_symbol *symbol,
                                const struct autofdo_v4_strings *strings, struct bo_arena *arena,
                                bool *is_callee, struct autofdo_function *function_ret,
                                struct bo_error *err);

/*
 * Visits a function without rebuilding it and adds it to answer->digest. With a sink, also sets
 * answer's head, timestamp, and n_targets, and puts the targets to the sink.
 */
enum bo_status autofdo_v4_visit(const struct autofdo_v4_file *file,
                                const struct autofdo_v4_unit *unit,
                                const struct autofdo_v4_symbol *symbol,
                                const struct autofdo_v4_strings *strings,
                                struct autofdo_answer *answer, struct bo_sink *sink,
                                struct bo_error *err);

/* ---- the whole file -------------------------------------------------------------------------- */

/* As bo_codec.decode. Also checks what readers of a part do not read. */
enum bo_status autofdo_v4_decode(const struct bo_codec *self, struct bo_span in,
                                 struct bo_arena *arena, void **model_ret, struct bo_error *err);

/* ---- a model from its parts ------------------------------------------------------------------ */

/* A function as found, and the position of its name. */
struct autofdo_v4_found {
    struct autofdo_function function;
    size_t off;
};

/* The source of a function's file: implied by its unit, or stored by name. */
struct autofdo_v4_named {
    struct autofdo_file file;
    size_t off;
};

/*
 * Makes a model in `arena` from functions and files in any order, which it sorts. BO_CORRUPT when
 * a function or the file of a function occurs twice.
 */
enum bo_status autofdo_v4_assemble(struct autofdo_v4_found *functions, size_t n_functions,
                                   struct autofdo_v4_named *files, size_t n_files,
                                   struct bo_arena *arena, struct autofdo_model **model_ret,
                                   struct bo_error *err);

#endif
