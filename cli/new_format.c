/* bakeoff new-format: the skeleton of a format, and its line in the list. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "harness/core/carry.h"

int bo_cmd_new_format(int argc, char **argv);

enum { MAX_NAME = 24, MAX_PATH = 128 };

/* ---- the files of the skeleton --------------------------------------------------------------- */

#define FILES(FILE)                                    \
    FILE(format_h, "format.h", "%s.h")                 \
    FILE(format_c, "format.c", "format.c")             \
    FILE(queries_c, "queries.c", "queries.c")          \
    FILE(rows_c, "rows.c", "rows.c")                   \
    FILE(report_c, "report.c", "report.c")             \
    FILE(codecs_def, "codecs.def", "codecs.def")       \
    FILE(limits_tsv, "limits.tsv", "limits.tsv")       \
    FILE(units_tsv, "units.tsv", "units.tsv")          \
    FILE(readme, "README.md", "README.md")             \
    FILE(test_model_c, "test_model.c", "test_model.c") \
    FILE(test_rejects_c, "test_rejects.c", "test_rejects.c")

#define FILE(symbol, template, path)            \
    extern const char bo_new_format_##symbol[]; \
    BO_CARRY(bo_new_format_##symbol, "cli/new_format/" template ".in");
FILES(FILE)
#undef FILE

static const struct {
    const char *text, *path; /* the path in the format's folder; %s is the format's name */
} files[] = {
#define FILE(symbol, template, path) {bo_new_format_##symbol, path},
    FILES(FILE)
#undef FILE
};

/* ---- differences between lines and JSON in the files ----------------------------------------- */

struct word {
    /* a name that the files have between @ and @, and its replacement */
    const char *name, *lines, *json;
};

static const struct word words[] = {
    {"TEXT", "BO_LINES", "BO_JSON"},
    {"PATTERN", "^0x", "^[{]\"key\""},
    {"TEXT_IN_WORDS",
     "The first line names the format and its version. Each further line is a record: its key in "
     "hexadecimal, a space, its value.",
     "The first line names the format and its version. Each further line is a record, a JSON "
     "object. Its key is a string, a hexadecimal number, as JSON readers round large numbers."},
    {"LINE_1", "@name@ 1", "{\"format\": \"@name@\", \"version\": 1}"},
    {"LINE_2", "0x1 10", "{\"key\": \"0x1\", \"value\": 10}"},
    {"LINE_3", "0xffffffffffffffff 0", "{\"key\": \"0xffffffffffffffff\", \"value\": 0}"},
    {"MISTAKES",
     "{\"@@name@ 2\\n\", BO_CORRUPT, @VERSION@},\n"
     "{\"@name@ 1\\n0x1@\", BO_CORRUPT, \"record ends before its field value\"},\n"
     "{\"@name@ 1\\n@1 2\", BO_CORRUPT, \"key is not a value in its range\"},\n"
     "{\"@name@ 1\\n0x1 @4294967296\", BO_CORRUPT, \"value is not a value in its range\"},\n"
     "{\"@name@ 1\\n0x1 2\\n@0x1 2\", BO_CORRUPT, \"key is out of order\"},",
     "{\"{\\\"format\\\": \\\"@name@\\\", \\\"version\\\": @2}\\n\", BO_CORRUPT, @VERSION@},\n"
     "{START \"{\\\"key\\\": \\\"0x1\\\"@}\", BO_CORRUPT,\n"
     "\"record ends before its field value\"},\n"
     "{START \"{\\\"key\\\": @1\", BO_CORRUPT, \"key is not a value in its range\"},"},
    {"VERSION", "\"first line does not name the format and its version 1\"",
     "\"first line does not name the format and its version 1\""},
    {"START", "", "#define START \"{\\\"format\\\": \\\"@name@\\\", \\\"version\\\": 1}\\n\"\n\n"},
};

/* ---- writing --------------------------------------------------------------------------------- */

/* The replacements for this format. */
struct names {
    char lower[MAX_NAME + 1], upper[MAX_NAME + 1];
    bool json;
};

/*
 * Prints the text with its names replaced. A replacement may contain further names. A lone @ stays.
 */
static void fill_in(FILE *out, const char *text, size_t n, const struct names *names)
{
    for (size_t i = 0; i < n; i++) {
        const char *with = NULL;
        size_t taken = 0;
        if (strncmp(text + i, "@name@", taken = 6) == 0)
            with = names->lower;
        else if (strncmp(text + i, "@NAME@", taken = 6) == 0)
            with = names->upper;
        for (size_t w = 0; !with && text[i] == '@' && w < sizeof words / sizeof *words; w++) {
            taken = strlen(words[w].name) + 2;
            if (strncmp(text + i + 1, words[w].name, taken - 2) == 0 && text[i + taken - 1] == '@')
                with = names->json ? words[w].json : words[w].lines;
        }
        if (!with) {
            fputc(text[i], out);
            continue;
        }
        if (with == names->lower || with == names->upper)
            fputs(with, out);
        else
            fill_in(out, with, strlen(with), names);
        i += taken - 1;
    }
}

static bool fail(const char *path)
{
    fprintf(stderr, "bakeoff: %s: %s\n", path, strerror(errno));
    return false;
}

/* With "x" the file must be new; with "a" the text is appended. */
static bool put(const char *path, const char *mode, const char *text, const struct names *names)
{
    FILE *out = fopen(path, mode);
    if (!out)
        return fail(path);
    fill_in(out, text, strlen(text), names);
    const bool ok = !ferror(out);
    return (fclose(out) == 0 && ok) || fail(path);
}

static int write_skeleton(const struct names *names)
{
    static const char list[] = "codecs/formats.def";
    char folder[MAX_PATH], path[2 * MAX_PATH];
    if (access(list, W_OK) != 0) {
        fprintf(stderr, "bakeoff: %s: %s; run this command in bakeoff's source tree\n", list,
                strerror(errno));
        return BO_EXIT_USAGE;
    }
    snprintf(folder, sizeof folder, "codecs/%s", names->lower);
    if (mkdir(folder, 0777) != 0 && !fail(folder))
        return BO_EXIT_USAGE;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[MAX_PATH];
        snprintf(name, sizeof name, files[i].path, names->lower);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (!put(path, "wx", files[i].text, names))
            return BO_EXIT_USAGE;
    }
    if (!put(list, "a", "FORMAT(@name@)\n", names))
        return BO_EXIT_USAGE;
    /* The layout of the skeleton depends on the length of the name. */
    snprintf(path, sizeof path, "! command -v clang-format >/dev/null || clang-format -i %s/*.[ch]",
             folder);
    if (system(path) != 0)
        fprintf(stderr, "bakeoff: %s: clang-format fails\n", folder);
    printf("%s is written and listed in %s. `make && make golden FORMATS=%s` builds it and accepts "
           "its sizes;\ndocs/adding-a-format.md describes the next steps.\n",
           folder, list, names->lower);
    return BO_EXIT_OK;
}

/* Accepts a-z and digits, a letter first: the name becomes part of names in C. */
static bool take_name(const char *name, struct names *names)
{
    const size_t n = strlen(name);
    if (n == 0 || n > MAX_NAME || name[0] < 'a' || name[0] > 'z' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789") != n)
        return !bo_usage_error(
            "new-format",
            "format name '%s' must start with a letter a-z, contain only a-z and 0-9, "
            "and have at most %d characters",
            name, MAX_NAME);
    for (size_t i = 0; i <= n; i++) {
        names->lower[i] = name[i];
        names->upper[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
    }
    return true;
}

int bo_cmd_new_format(int argc, char **argv)
{
    const char *as = "lines";
    const struct bo_option options[] = {
        {"--as", 0, "FORM", "the text form: lines of values (the default), or json", &as, NULL},
        {NULL, 0, NULL, NULL, NULL, NULL}};
    const struct bo_usage usage = {
        "new-format", "NAME",
        "Writes codecs/NAME, a format with one codec that passes every check, and its line in\n"
        "codecs/formats.def. Run it in bakeoff's source tree. docs/adding-a-format.md has\n"
        "the next steps; for a format outside of the tree see examples/format-plugin.",
        options};
    struct names names = {.json = false};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 1)
        return bo_usage_error("new-format", "expects a name");
    names.json = strcmp(as, "json") == 0;
    if (!names.json && strcmp(as, "lines") != 0)
        return bo_usage_error("new-format", "--as is lines or json, not '%s'", as);
    if (!take_name(argv[1], &names))
        return BO_EXIT_USAGE;
    if (bo_find_format(names.lower))
        return bo_usage_error("new-format", "format %s already exists", names.lower);
    return write_skeleton(&names);
}
