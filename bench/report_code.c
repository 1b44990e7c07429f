/* Counting lines and bytes of code. */
#include "bench/report_code.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/axes.h"
#include "harness/registry.h"

/* The program's folder with its slash, `up` folders above; false when there is none so high. */
static bool program_folder(int up, char folder_ret[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", folder_ret, PATH_MAX - 1);
    if (n <= 0)
        return false;
    folder_ret[n] = 0;
    for (; up >= 0; up--) {
        char *slash = strrchr(folder_ret, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static long count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    long n = 0;
    for (int c; (c = getc(file)) != EOF;)
        n += c == '\n';
    fclose(file);
    return n;
}

static long find_and_count(const char *file)
{
    long n = count_lines(file);
    for (int up = 1; n < 0 && up <= 3; up++) {
        char folder[PATH_MAX], path[PATH_MAX + 300];
        if (!program_folder(up, folder))
            break;
        snprintf(path, sizeof path, "%s/%s", folder, file);
        n = count_lines(path);
    }
    return n;
}

/* ---- the object ------------------------------------------------------------------------------ */

/*
 * Sections that are loaded and hold bytes of the file: code and constants, not names and debug
 * information.
 */
static long loaded_nbytes(Elf *elf)
{
    long n = 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_ALLOC) &&
            header.sh_type != SHT_NOBITS)
            n += (long)header.sh_size;
    }
    return n;
}

static long measure_object(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const long n = elf && elf_kind(elf) == ELF_K_ELF ? loaded_nbytes(elf) : -1;
    elf_end(elf);
    close(fd);
    return n;
}

/* build/bakeoff is a copy of build/VARIANT/bakeoff, whose objects lie in build/VARIANT/obj. */
static long find_and_measure(const char *file)
{
#ifdef __clang__
    static const char *const folders[] = {"obj", "clang/obj"};
#else
    static const char *const folders[] = {"obj", "gcc/obj"};
#endif
    char folder[PATH_MAX], path[PATH_MAX + 300];
    long n = -1;
    for (size_t i = 0; n < 0 && i < 2 && program_folder(0, folder); i++) {
        snprintf(path, sizeof path, "%s/%s/%.*so", folder, folders[i], (int)strlen(file) - 1, file);
        n = measure_object(path);
    }
    return n;
}

/* ---- a codec --------------------------------------------------------------------------------- */

/* The codec's own, or one called after it, or that of the encoding it reads. Returns its lines. */
static long find_file(const struct bo_format *format, const struct bo_codec *codec, char *path,
                      size_t size)
{
    if (codec->file) {
        snprintf(path, size, "%s", codec->file);
        return find_and_count(path);
    }
    const int n = snprintf(path, size, "codecs/%s/", format->name);
    snprintf(path + n, size - (size_t)n, "%.*s.c", (int)bo_first_part_length(codec->name),
             codec->name);
    for (char *p = path + n; *p; p++)
        if (*p == '-')
            *p = '_';
    const long n_lines = find_and_count(path);
    return n_lines < 0 && codec->reads
               ? find_file(format, bo_encoding_of(format, codec), path, size)
               : n_lines;
}

struct bo_code_size bo_code_measure(const struct bo_format *format, const struct bo_codec *codec)
{
    struct bo_code_size size = {.shared = NULL};
    char other[sizeof size.file];
    size.n_lines = find_file(format, codec, size.file, sizeof size.file);
    size.object_nbytes = find_and_measure(size.file);
    for (const struct bo_codec *const *c = format->codecs; *c != codec && !size.shared; c++) {
        find_file(format, *c, other, sizeof other);
        if (strcmp(other, size.file) == 0)
            size.shared = (*c)->name;
    }
    return size;
}
