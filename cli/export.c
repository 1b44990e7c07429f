/* bakeoff export: one codec as a folder of C files that builds by itself. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/version.h"
#include "harness/core/workers.h"

int bo_cmd_export(int argc, char **argv);
int bo_cmd_vectors(int argc, char **argv);

enum { MAX_PATH = 4096 };

/* ---- the sources ----------------------------------------------------------------------------- */

/*
 * Finds the source tree: the given one, else that of a program in build/ or build/VARIANT/, else
 * the copy that `make install` made.
 */
static bool find_source(const char *given, char *path_ret, size_t n)
{
    static const char *const places[] = {"..", "../..", "../share/bakeoff"};
    char program[MAX_PATH / 4], tool[MAX_PATH];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    if (strrchr(program, '/'))
        *strrchr(program, '/') = 0;
    for (size_t i = 0; i < (given ? 1 : sizeof places / sizeof *places); i++) {
        if (given)
            snprintf(path_ret, n, "%s", given);
        else
            snprintf(path_ret, n, "%s/%s", program, places[i]);
        snprintf(tool, sizeof tool, "%s/cli/export/amalgamate.py", path_ret);
        if (access(tool, R_OK) == 0)
            return true;
    }
    fprintf(stderr,
            "bakeoff: %s: not in bakeoff's source tree, from which export copies the code; use "
            "--source DIR\n",
            given ? given : program);
    return false;
}

static int write_code(const char *source, const char *name, const struct bo_codec *codec,
                      const char *folder, bool reader_only, const char *prefix)
{
    char tool[MAX_PATH], version[64], notes[512];
    snprintf(tool, sizeof tool, "%s/cli/export/amalgamate.py", source);
    snprintf(version, sizeof version, "%s%s%s", BO_VERSION, *bo_commit ? ", commit " : "",
             bo_commit);
    snprintf(notes, sizeof notes, "%s%s%s",
             codec->lazy ? "\n`open` checks only what it needs. A query that reads damaged bytes "
                           "fails with an error or gives a wrong answer. `decode` checks all rules "
                           "of the layout; it does not find damage that gives another valid "
                           "encoding.\n"
                         : "",
             codec->probabilistic ? "\nAnswers for absent keys may be wrong, with a probability "
                                    "that `SPECIFICATION.md` states.\n"
                                  : "",
             codec->reduce ? "\nThe encoding holds a part of the model only; `decode` and queries "
                             "answer with that part.\n"
                           : "");
    const pid_t child = bo_fork();
    if (child == 0) {
        execlp("python3", "python3", tool, source, name, folder,
               reader_only ? "reader-only" : "all", prefix ? prefix : "", codec->spec,
               codec->summary, version, notes, (char *)NULL);
        fprintf(stderr, "bakeoff: python3: %s\n", strerror(errno));
        _exit(BO_EXIT_USAGE);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        fprintf(stderr, "bakeoff: python3: %s\n", strerror(errno));
        return BO_EXIT_USAGE;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? BO_EXIT_OK : BO_EXIT_USAGE;
}

static bool is_empty(const char *folder)
{
    unsigned n = 0;
    DIR *directory = opendir(folder);
    while (directory && readdir(directory))
        n++;
    if (directory)
        closedir(directory);
    return n <= 2; /* itself and its parent; what cannot be read is reported later */
}

/* True when the file begins with the line that export/amalgamate.py writes into exported code. */
static bool is_exported_code(const char *path)
{
    char text[4097];
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    return strstr(text, "Made by `bakeoff export`") != NULL;
}

static bool has_export(const char *folder)
{
    char path[MAX_PATH];
    bool found = false;
    DIR *directory = opendir(folder);
    for (const struct dirent *e; !found && directory && (e = readdir(directory));) {
        const size_t n = strlen(e->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        found = n > 2 &&
                (strcmp(e->d_name + n - 2, ".c") == 0 || strcmp(e->d_name + n - 2, ".h") == 0) &&
                is_exported_code(path);
    }
    if (directory)
        closedir(directory);
    return found;
}

static bool make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || (errno == EEXIST && bo_is_folder(path)))
        return true;
    fprintf(stderr, "bakeoff: %s: %s\n", path, strerror(errno));
    return false;
}

static bool valid_prefix(const char *prefix)
{
    return prefix[0] >= 'a' && prefix[0] <= 'z' &&
           strspn(prefix, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(prefix);
}

/*
 * Copies the vectors of the source tree, or makes them like `bakeoff vectors`. A second reader has
 * the vectors of the codec that it reads; a level has its own, because it encodes to other bytes.
 */
static bool write_vectors(const struct bo_format *format, const struct bo_codec *codec,
                          const char *tree, char *path)
{
    char command[] = "vectors", output[] = "-o", name[256], kept[MAX_PATH];
    char *argv[] = {command, name, output, path, NULL};
    const char *encoding = bo_encoding_of(format, codec)->name;
    struct bo_input in;
    snprintf(name, sizeof name, "%s/%s", format->name, encoding);
    snprintf(kept, sizeof kept, "%s/corpora/vectors/%s-%s.json.xz", tree, format->name, encoding);
    if (access(kept, R_OK) != 0)
        return bo_cmd_vectors(4, argv) == BO_EXIT_OK;
    if (!bo_input_open(kept, &in))
        return false;
    const bool ok = bo_output(path, in.bytes);
    bo_input_close(&in);
    return ok;
}

int bo_cmd_export(int argc, char **argv)
{
    const char *folder = NULL, *prefix = NULL, *source = NULL;
    bool reader_only = false;
    const struct bo_option options[] = {
        {"--output", 'o', "DIR", "the folder to write: new, empty, or of an earlier export",
         &folder, NULL},
        {"--reader-only", 0, NULL, "without the encoder", NULL, &reader_only},
        {"--prefix", 0, "PREFIX", "put before all public names: \"my_\"", &prefix, NULL},
        {"--source", 0, "DIR", "bakeoff's source tree, if it is not beside the program", &source,
         NULL},
        {NULL, 0, NULL, NULL, NULL, NULL},
    };
    const struct bo_usage usage = {
        "export", "FORMAT/CODEC -o DIR",
        "Writes the codec as a folder of C files that builds by itself: reader, writer,\n"
        "specification, vectors, test, fuzz target, licence. Needs python3.\n"
        "docs/adopting.md describes what is in the folder.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 1 || !folder)
        return bo_usage_error("export", "expects FORMAT/CODEC and -o DIR");
    if (prefix && !valid_prefix(prefix))
        return bo_usage_error(
            "export", "prefix '%s' must start with a letter a-z and contain only a-z, 0-9 and _",
            prefix);
    const struct bo_format *format;
    const struct bo_codec *codec = bo_need_codec("export", argv[1], &format);
    char tree[MAX_PATH / 2], vectors[MAX_PATH];
    snprintf(vectors, sizeof vectors, "%s/vectors.json.new", folder); /* the tool renames it */
    const bool had_folder = access(folder, F_OK) == 0;
    if (codec && had_folder && !is_empty(folder) && !has_export(folder)) {
        fprintf(stderr, "bakeoff: export: %s is not empty, and not a folder of an earlier export\n",
                folder);
        return BO_EXIT_USAGE;
    }
    if (!codec || !find_source(source, tree, sizeof tree) || !make_folder(folder))
        return BO_EXIT_USAGE;
    const int code = write_vectors(format, codec, tree, vectors)
                         ? write_code(tree, argv[1], codec, folder, reader_only, prefix)
                         : BO_EXIT_USAGE;
    if (code != BO_EXIT_OK)
        unlink(vectors);
    if (code != BO_EXIT_OK && !had_folder)
        rmdir(folder);
    return code;
}
