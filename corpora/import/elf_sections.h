/* ELF files, as far as importers need them: byte order, word size, position of a section. */
#ifndef BO_ELF_SECTIONS_H
#define BO_ELF_SECTIONS_H

#include "harness/core/bytes.h"

struct bo_elf {
    struct bo_span file;
    bool big_endian;
    unsigned word_nbytes; /* 4 or 8 */
};

/* A part of a file, which is inside the file. */
struct bo_elf_part {
    size_t off, n; /* bytes */
};

/* True when the bytes start as every ELF file does. */
bool bo_elf_sniff(struct bo_span file);

/* Reads the identification; the span is kept and must outlive *elf_ret. Nothing needs releasing. */
enum bo_status bo_elf_identify(struct bo_span file, struct bo_elf *elf_ret, struct bo_error *err);

/*
 * Finds the first section in the file with one of the names (NULL-terminated; an earlier name wins
 * over a later one). BO_OK with *found_ret false when no section has such a name, or without
 * section headers. BO_TRUNCATED when the file ends before its section headers or before the section
 * does.
 */
enum bo_status bo_elf_find_section(const struct bo_elf *elf, const char *const *names,
                                   bool *found_ret, struct bo_elf_part *part_ret,
                                   struct bo_error *err);

#endif
