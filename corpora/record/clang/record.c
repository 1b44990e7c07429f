/*
 * Records which functions clang 14 looks up in an instrumentation profile: a library for
 * LD_PRELOAD.
 *
 * clang's front end (libclang-cpp) calls llvm::IndexedInstrProfReader::getInstrProfRecord of
 * libLLVM, so the call crosses libraries and this definition comes first. The result is returned
 * through a pointer, which the caller passes as the first argument. Profiles of the IR kind
 * (-fprofile-use of -fprofile-generate) are read inside libLLVM and are not seen.
 *
 * A process appends its lookups as one action to the file that BAKEOFF_RECORD names, when it ends;
 * a process that is killed appends nothing. Parallel compilations may share the file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SYMBOL _ZN4llvm22IndexedInstrProfReader18getInstrProfRecordENS_9StringRefEm
#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)

void *SYMBOL(void *result, void *reader, const char *name, size_t name_nbytes, uint64_t hash);

static FILE *lines;
static char *text;
static size_t text_nbytes;

static void put_field(const char *p, size_t n)
{
    static const char codes[] = "tnr\\", bytes[] = "\t\n\r\\";
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < 4 && p[i] != bytes[k])
            k++;
        if (k < 4)
            fprintf(lines, "\\%c", codes[k]);
        else
            fputc(p[i], lines);
    }
}

__attribute__((destructor)) static void write_lines(void)
{
    const char *path = getenv("BAKEOFF_RECORD");
    if (!lines || !path || fclose(lines))
        return;
    lines = NULL;
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, text, text_nbytes) != (ssize_t)text_nbytes)
        perror(path);
    close(fd);
}

void *SYMBOL(void *result, void *reader, const char *name, size_t name_nbytes, uint64_t hash)
{
    static void *(*next)(void *, void *, const char *, size_t, uint64_t);
    if (!next)
        next = (void *(*)(void *, void *, const char *, size_t, uint64_t))dlsym(RTLD_NEXT,
                                                                                TEXT(SYMBOL));
    if (!lines && (lines = open_memstream(&text, &text_nbytes)))
        fprintf(lines, "action\tcompile\n");
    if (lines) {
        fprintf(lines, "lookup-key\t");
        put_field(name, name_nbytes);
        fprintf(lines, "\t%llu\n", (unsigned long long)hash);
    }
    return next(result, reader, name, name_nbytes, hash);
}
