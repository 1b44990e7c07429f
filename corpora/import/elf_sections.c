/* Finds a section of an ELF file in memory, with libelf. */
#include "corpora/import/elf_sections.h"

#include <gelf.h>

bool bo_elf_sniff(struct bo_span file)
{
    return file.n >= SELFMAG && memcmp(file.p, ELFMAG, SELFMAG) == 0;
}

enum bo_status bo_elf_identify(struct bo_span file, struct bo_elf *elf_ret, struct bo_error *err)
{
    if (!bo_elf_sniff(file))
        return bo_fail(err, BO_UNSUPPORTED, 0, "not an ELF file");
    if (file.n < EI_NIDENT)
        return bo_fail(err, BO_TRUNCATED, file.n, "the file ends inside its ELF header");
    const unsigned class = file.p[EI_CLASS], order = file.p[EI_DATA];
    if (class != ELFCLASS32 && class != ELFCLASS64)
        return bo_fail(err, BO_CORRUPT, EI_CLASS, "unknown ELF word size");
    if (order != ELFDATA2LSB && order != ELFDATA2MSB)
        return bo_fail(err, BO_CORRUPT, EI_DATA, "unknown ELF byte order");
    const size_t header_nbytes = class == ELFCLASS32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
    if (file.n < header_nbytes)
        return bo_fail(err, BO_TRUNCATED, file.n, "the file ends inside its ELF header");
    *elf_ret = (struct bo_elf){
        .file = file,
        .big_endian = order == ELFDATA2MSB,
        .word_nbytes = class == ELFCLASS32 ? 4 : 8,
    };
    return BO_OK;
}

/* Checks that the file has section headers and that they are inside it. */
static enum bo_status check_headers(Elf *libelf, size_t file_nbytes, bool *any_ret,
                                    struct bo_error *err)
{
    GElf_Ehdr header;
    *any_ret = false;
    if (!gelf_getehdr(libelf, &header))
        return bo_fail(err, BO_CORRUPT, 0, "ELF header is invalid");
    if (header.e_shoff == 0)
        return BO_OK;
    const uint64_t table_nbytes = (uint64_t)header.e_shnum * header.e_shentsize;
    if (header.e_shoff >= file_nbytes || table_nbytes > file_nbytes - header.e_shoff)
        return bo_fail(err, BO_TRUNCATED, file_nbytes, "the file ends before its section headers");
    *any_ret = true;
    return BO_OK;
}

static bool lies_inside(const GElf_Shdr *header, size_t file_nbytes)
{
    return header->sh_offset <= file_nbytes && header->sh_size <= file_nbytes - header->sh_offset;
}

static enum bo_status find_section(Elf *libelf, size_t file_nbytes, const char *const *names,
                                   bool *found_ret, struct bo_elf_part *part_ret,
                                   struct bo_error *err)
{
    bool any;
    const enum bo_status status = check_headers(libelf, file_nbytes, &any, err);
    if (status || !any)
        return status;
    size_t name_table;
    GElf_Shdr names_header;
    if (elf_getshdrstrndx(libelf, &name_table) != 0 ||
        !gelf_getshdr(elf_getscn(libelf, name_table), &names_header))
        return bo_fail(err, BO_CORRUPT, 0, "section names are invalid");
    if (!lies_inside(&names_header, file_nbytes))
        return bo_fail(err, BO_TRUNCATED, file_nbytes, "the file ends before its section names");

    size_t best = SIZE_MAX;
    GElf_Shdr best_header = {0};
    for (Elf_Scn *section = NULL; (section = elf_nextscn(libelf, section));) {
        GElf_Shdr header;
        const char *name = NULL;
        if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS)
            name = elf_strptr(libelf, name_table, header.sh_name);
        for (size_t i = 0; name && i < best && names[i]; i++)
            if (strcmp(name, names[i]) == 0) {
                best = i;
                best_header = header;
            }
    }
    if (best == SIZE_MAX)
        return BO_OK;
    if (!lies_inside(&best_header, file_nbytes))
        return bo_fail(err, BO_TRUNCATED, file_nbytes, "a section runs past the end of the file");
    *found_ret = true;
    *part_ret = (struct bo_elf_part){best_header.sh_offset, best_header.sh_size};
    return BO_OK;
}

enum bo_status bo_elf_find_section(const struct bo_elf *elf, const char *const *names,
                                   bool *found_ret, struct bo_elf_part *part_ret,
                                   struct bo_error *err)
{
    *found_ret = false;
    elf_version(EV_CURRENT);
    /* libelf requires writable memory but, without elf_update, writes nothing. */
    Elf *libelf = elf_memory((char *)(uintptr_t)elf->file.p, elf->file.n);
    if (!libelf)
        return bo_fail(err, BO_CORRUPT, 0, "ELF header is invalid");
    const enum bo_status status =
        find_section(libelf, elf->file.n, names, found_ret, part_ret, err);
    elf_end(libelf);
    return status;
}
