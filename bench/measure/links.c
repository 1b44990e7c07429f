/* Links this program in other orders. */
#include "bench/measure/links.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/measure/machine.h"
#include "harness/core/files.h"
#include "harness/core/input.h"
#include "harness/core/print.h"
#include "harness/core/random.h"
#include "harness/core/workers.h"

static bool complain(const char *path, const char *what)
{
    fprintf(stderr, "bakeoff: bench: --layouts: %s: %s\n", path, what);
    return false;
}

/* ---- lists of words -------------------------------------------------------------------------- */

struct words {
    char **items;
    size_t n, cap;
    struct bo_arena *arena;
};

static void add_word(struct words *words, char *word)
{
    bo_abort_unless(bo_grow(words->arena, &words->items, words->n, 1, &words->cap));
    words->items[words->n++] = word;
}

static void shuffle(char **words, size_t n, struct bo_random *random)
{
    for (size_t i = n; i-- > 1;) {
        const size_t j = bo_random_below(random, (uint32_t)i + 1);
        char *word = words[i];
        words[i] = words[j];
        words[j] = word;
    }
}

/* ---- the functions --------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cold parts that the compiler split from functions are not ordered. */
static bool is_ordered(const ElfW(Sym) * symbol, const char *name)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_size && !strstr(name, ".cold");
}

/* Lists the names of the functions in the symbol tables of a file. The file is this program. */
static void list_functions(struct bo_span file, struct words *names)
{
    const ElfW(Ehdr) *head = (const void *)file.p;
    const ElfW(Shdr) *sections = (const void *)(file.p + head->e_shoff);
    for (unsigned s = 0; s < head->e_shnum; s++) {
        if (sections[s].sh_type != SHT_SYMTAB)
            continue;
        const ElfW(Sym) *symbols = (const void *)(file.p + sections[s].sh_offset);
        const char *texts = (const char *)file.p + sections[sections[s].sh_link].sh_offset;
        for (size_t i = 0; i < sections[s].sh_size / sizeof *symbols; i++)
            if (is_ordered(&symbols[i], texts + symbols[i].st_name))
                add_word(names, bo_arena_printf(names->arena, "%s", texts + symbols[i].st_name));
    }
}

/* Reads each name once, sorted, so that the order of the original link does not matter. */
static bool read_functions(const char *program, struct words *names)
{
    struct bo_input in;
    size_t n = 0;
    if (!bo_input_open(program, &in))
        return false;
    list_functions(in.bytes, names);
    bo_input_close(&in);
    if (names->n == 0)
        return complain(program, "the program has no symbol table");
    qsort(names->items, names->n, sizeof *names->items, by_name);
    for (size_t i = 0; i < names->n; i++)
        if (n == 0 || strcmp(names->items[n - 1], names->items[i]) != 0)
            names->items[n++] = names->items[i];
    names->n = n;
    return true;
}

/* ---- how the program was linked -------------------------------------------------------------- */

static bool is_object(const char *word)
{
    const size_t n = strlen(word);
    return n > 2 && strcmp(word + n - 2, ".o") == 0;
}

/* Checks that no object was compiled after the program was linked. */
static bool check_objects(const char *link_path, const struct words *words)
{
    struct stat link, object;
    if (stat(link_path, &link))
        return complain(link_path, strerror(errno));
    for (size_t i = 1; i < words->n; i++) {
        char path[PATH_MAX];
        if (!is_object(words->items[i]))
            continue;
        snprintf(path, sizeof path, "%s/%s", words->items[0], words->items[i]);
        if (stat(path, &object))
            return complain(path, "the build tree lacks this object: run `make`");
        if (object.st_mtim.tv_sec > link.st_mtim.tv_sec)
            return complain(path, "the object is newer than the program: run `make`");
    }
    return true;
}

/*
 * Reads PROGRAM.link: the folder in which it was linked, then the words of the command, one per
 * line.
 */
static bool read_link(const char *program, struct words *words)
{
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.link", program);
    if (access(path, R_OK))
        return complain(path, "no such file: layouts are linked from the build tree, beside whose "
                              "program `make` writes it; --layouts 0 measures without");
    struct bo_input in;
    if (!bo_input_open(path, &in))
        return false;
    char *rest = bo_arena_printf(words->arena, "%.*s", (int)in.bytes.n, (const char *)in.bytes.p);
    bo_input_close(&in);
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line)
            add_word(words, line);
    if (words->n < 3)
        return complain(path, "no command of a link");
    return check_objects(path, words);
}

/* ---- linking --------------------------------------------------------------------------------- */

static bool write_order(const char *path, const struct words *names)
{
    FILE *out = fopen(path, "w");
    bool ok = out != NULL;
    for (size_t i = 0; i < names->n && ok; i++)
        ok = fprintf(out, "%s\n", names->items[i]) > 0;
    ok = (!out || fclose(out) == 0) && ok;
    return ok || complain(path, strerror(errno));
}

static bool run_linker(const char *folder, char *const *argv)
{
    int status = -1;
    fflush(NULL);
    const pid_t pid = bo_fork();
    if (pid == 0) {
        if (chdir(folder) == 0)
            execvp(argv[0], argv);
        _exit(127);
    }
    return (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0) ||
           complain(argv[0], "linking in another order failed");
}

/*
 * Functions of the same name in several files share one place in the list. Their relative order is
 * that of their objects, so objects are shuffled, too.
 */
static bool link_in_order(const struct words *words, const char *order, char *program,
                          struct bo_random *random)
{
    char option[PATH_MAX + 32];
    struct words argv = {.arena = words->arena};
    size_t first = 1, n = 0;
    snprintf(option, sizeof option, "-Wl,--symbol-ordering-file=%s", order);
    for (size_t i = 1; i < words->n; i++)
        add_word(&argv, words->items[i]);
    while (first < argv.n && !is_object(argv.items[first]))
        first++;
    while (first + n < argv.n && is_object(argv.items[first + n]))
        n++;
    shuffle(argv.items + first, n, random);
    char *const more[] = {
        "-fuse-ld=lld", "-Wl,--no-warn-symbol-ordering", "-Wl,-S", option, "-o", program, NULL};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        add_word(&argv, more[i]);
    return run_linker(words->items[0], argv.items);
}

static bool link_all(struct bo_links *links, unsigned n, const struct words *words,
                     struct words *names)
{
    bool ok = true;
    for (unsigned k = 0; k < n && ok; k++) {
        char order[sizeof links->folder + 16];
        struct bo_random random = bo_random_seeded(bo_mix64(links->seed) + k);
        snprintf(order, sizeof order, "%s/order", links->folder);
        bo_abort_unless(asprintf(&links->programs[k], "%s/layout-%u", links->folder, k) >= 0);
        links->n = k + 1;
        qsort(names->items, names->n, sizeof *names->items, by_name);
        shuffle(names->items, names->n, &random);
        ok = write_order(order, names) && link_in_order(words, order, links->programs[k], &random);
        unlink(order);
    }
    return ok;
}

bool bo_links_make(unsigned n, uint64_t seed, struct bo_links *links_ret)
{
    char program[PATH_MAX];
    struct bo_arena arena;
    struct words words = {.arena = &arena}, names = {.arena = &arena};
    *links_ret = (struct bo_links){.seed = seed};
    if (!realpath("/proc/self/exe", program))
        return complain("/proc/self/exe", strerror(errno));
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bool ok = read_link(program, &words) && read_functions(program, &names);
    links_ret->n_functions = (unsigned)names.n;
    if (ok && !bo_first_line_of("ld.lld --version 2>/dev/null", links_ret->linker,
                                sizeof links_ret->linker))
        ok = complain("ld.lld", "not installed; `make deps-bench` installs it");
    links_ret->linker[strcspn(links_ret->linker, "(")] = 0;
    while (*links_ret->linker && links_ret->linker[strlen(links_ret->linker) - 1] == ' ')
        links_ret->linker[strlen(links_ret->linker) - 1] = 0;
    if (ok && !bo_temporary_folder(links_ret->folder, sizeof links_ret->folder))
        ok = complain("temporary folder", strerror(errno));
    ok = ok && link_all(links_ret, n, &words, &names);
    bo_arena_free(&arena);
    return ok;
}

void bo_links_remove(struct bo_links *links)
{
    for (unsigned k = 0; k < links->n; k++) {
        unlink(links->programs[k]);
        free(links->programs[k]);
    }
    if (*links->folder)
        rmdir(links->folder);
    *links = (struct bo_links){.n = 0};
}
