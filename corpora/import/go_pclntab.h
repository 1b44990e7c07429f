/*
 * The function table of a Go binary (.gopclntab): where it lies, and the PCDATA tables that its
 * functions refer to.
 *
 * Four layouts are read: Go 1.2, 1.16, 1.18, and 1.20 and later, of either byte order and word
 * size. All have a header, a table of functions in the order of their PCs, a record for each
 * function, and the PCDATA tables, which the records name by their offset in an area of the table.
 */
#ifndef GO_PCLNTAB_H
#define GO_PCLNTAB_H

#include "codecs/pcdata/pcdata.h"
#include "corpora/import/elf_sections.h"
#include "corpora/import/import.h"

/* ---- position -------------------------------------------------------------------------------- */

/* The differences between the layouts. */
struct go_pclntab_layout {
    uint32_t magic;
    const char *since;  /* the first Go release that writes it */
    unsigned n_words;   /* of the header, after its first eight bytes */
    bool narrow;        /* the function table holds 32-bit offsets, not addresses */
    unsigned n_skipped; /* bytes in a function record between its PCDATA count and PCDATA offsets */
};

/*
 * A function table with a checked header. Its parts are inside `all`, and `all` is inside the file.
 */
struct go_pclntab {
    struct bo_elf elf;
    const struct go_pclntab_layout *layout;
    unsigned quantum_shift;
    uint32_t n_functions;
    struct bo_elf_part all;       /* the whole table, from its magic number on */
    struct bo_elf_part functions; /* the entries, two numbers per function */
    struct bo_elf_part records;   /* base of the entries' offsets */
    struct bo_elf_part tables;    /* base of the records' PCDATA offsets */
};

/*
 * Finds the function table of an ELF file: by its section's name or, in programs linked by the
 * system's linker, by its magic number. BO_UNSUPPORTED when the file is not an ELF file or has no
 * function table.
 */
enum bo_status go_pclntab_locate(struct bo_span file, struct go_pclntab *table_ret,
                                 struct bo_error *err);

/* ---- content --------------------------------------------------------------------------------- */

/* Statistics of an import, for tests and reports. */
struct go_pclntab_facts {
    uint32_t n_functions;   /* records read: all, or the drawn ones */
    uint32_t n_tableless;   /* of these, functions without any table */
    uint64_t tables_nbytes; /* size of the distinct tables in the file */
    /* bytes between the first table and the end of the last one that belong to no table */
    uint64_t gap_nbytes;
    uint64_t n_empty_runs; /* left out of the model: see go_pclntab.c */
};

/*
 * Reads the tables of all functions, or of those that the options select, into a model: distinct
 * tables by ascending offset, each under the first kind as which its first function uses it; `refs`
 * counts functions. facts_ret may be NULL.
 */
enum bo_status go_pclntab_read(const struct go_pclntab *table,
                               const struct bo_import_options *options, struct bo_arena *arena,
                               struct pcdata_model **model_ret, struct go_pclntab_facts *facts_ret,
                               struct bo_error *err);

extern const struct bo_importer pcdata_go_pclntab_importer;

/* ---- numbers in the file's byte order -------------------------------------------------------- */

static inline uint32_t go_pclntab_u32(const struct go_pclntab *table, size_t off)
{
    const uint8_t *p = table->elf.file.p + off;
    return table->elf.big_endian ? bo_be32(p) : bo_le32(p);
}

/* A number of 4 or 8 bytes. */
static inline uint64_t go_pclntab_word(const struct go_pclntab *table, size_t off, unsigned nbytes)
{
    const uint8_t *p = table->elf.file.p + off;
    if (nbytes == 4)
        return go_pclntab_u32(table, off);
    return table->elf.big_endian ? bo_be64(p) : bo_le64(p);
}

/* Size of a number in the function table, and of the PC at the start of a function's record. */
static inline unsigned go_pclntab_entry_nbytes(const struct go_pclntab *table)
{
    return table->layout->narrow ? 4 : table->elf.word_nbytes;
}

#endif
