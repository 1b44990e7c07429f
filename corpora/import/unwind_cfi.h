/*
 * A reader of .eh_frame sections for the importer of unwind tables. It supports everything that
 * DWARF and the GNU extensions allow. Shares nothing with the codec eh-frame. Sources: DWARF 5
 * section 6.4; the Linux Standard Base, "Exception Frames"; the AArch64 ABI's DW_CFA_AARCH64_*.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include "codecs/unwind/unwind.h"

struct unwind_cfi_section {
    struct bo_span bytes;
    size_t off;       /* offset of the section in the file, for errors */
    uint64_t address; /* address at which it is loaded */
    uint64_t text;    /* address of .text, for pointers relative to it */
    enum unwind_arch arch;
    bool big_endian;
};

/* The functions read, and counts of omitted things. */
struct unwind_cfi_functions {
    struct unwind_function *p; /* in the section's order */
    size_t n, cap;
    uint32_t *first; /* the first row of each */
    size_t cap_first;
    struct unwind_row *rows;
    size_t n_rows, cap_rows;
    uint64_t n_empty;          /* FDEs of length 0 */
    uint64_t n_cut_rows;       /* rows past their function's end */
    uint64_t n_unknown;        /* CIEs with an unknown augmentation letter */
    uint64_t n_other_pointer;  /* PLT expressions at places where GNU ld does not write them */
    uint64_t n_signed_with_pc; /* rows whose return address became an expression */
};

/*
 * Reads all functions. Errors name offsets in the file; memory is the arena's. Work is linear in
 * the section.
 */
enum bo_status unwind_cfi_read(const struct unwind_cfi_section *section, struct bo_arena *arena,
                               struct unwind_cfi_functions *functions, struct bo_error *err);

#endif
