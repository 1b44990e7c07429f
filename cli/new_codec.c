/* bakeoff new-codec: the skeleton of a codec, and its line in the format's list. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"

int bo_cmd_new_codec(int argc, char **argv);

enum { MAX_NAME = 40, MAX_PATH = 128 };

/* The names in the skeleton: "my-idea" of pcdata, my_idea in C. */
struct names {
    const char *format, *codec;
    char identifier[MAX_NAME + 1];
};

/* %1$s: the codec's name, %2$s: the format's, %3$s: the codec's name in C */
static const char skeleton[] =
    "/*\n"
    " * %1$s: what it does, in a sentence, and then its layout, byte by byte.\n"
    " *\n"
    " *   u32  ...\n"
    " */\n"
    "#include \"codecs/%2$s/%2$s.h\"\n"
    "\n"
    "/* ---- writing "
    "--------------------------------------------------------------------------------- */\n"
    "\n"
    "static enum bo_status encode(const struct bo_codec *self, const void *model,\n"
    "                             struct bo_writer *out, struct bo_error *err)\n"
    "{\n"
    "    bo_mark(out, \"all\"); /* sizes are reported by section */\n"
    "    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, \"not written yet\");\n"
    "}\n"
    "\n"
    "/* ---- reading "
    "--------------------------------------------------------------------------------- */\n"
    "\n"
    "static enum bo_status decode(const struct bo_codec *self, struct bo_span in,\n"
    "                             struct bo_arena *arena, void **model_ret, struct bo_error *err)\n"
    "{\n"
    "    return bo_fail(err, BO_CORRUPT, 0, \"not written yet\");\n"
    "}\n"
    "\n"
    "/* After BO_OK, no query may touch memory outside of the input, whatever it holds. */\n"
    "static enum bo_status open(const struct bo_codec *self, struct bo_span in,\n"
    "                           struct bo_arena *arena, void **reader_ret, struct bo_error *err)\n"
    "{\n"
    "    return bo_fail(err, BO_CORRUPT, 0, \"not written yet\");\n"
    "}\n"
    "\n"
    "static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,\n"
    "                            const void *queries, size_t n, void *answers,\n"
    "                            struct bo_error *err)\n"
    "{\n"
    "    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, \"not written yet\");\n"
    "}\n"
    "\n"
    "const struct bo_codec %2$s_%3$s = {\n"
    "    .name = \"%1$s\",\n"
    "    .summary = \"not written yet\",\n"
    "    .spec = \"codecs/%2$s/README.md#%1$s\",\n"
    "    .role = BO_NEW,\n"
    "    .access = BO_RANDOM,\n"
    "    .kinds = 0, /* 1u << of each kind that query answers */\n"
    "    .encode = encode,\n"
    "    .decode = decode,\n"
    "    .open = open,\n"
    "    .query = query,\n"
    "};\n";

static bool fail(const char *path)
{
    fprintf(stderr, "bakeoff: %s: %s\n", path, strerror(errno));
    return false;
}

/*
 * Accepts a-z, digits and hyphens, a letter first: the codec's name, and in C with underscores for
 * hyphens.
 */
static bool take_name(const char *name, struct names *names)
{
    const size_t n = strlen(name);
    if (n == 0 || n > MAX_NAME || name[0] < 'a' || name[0] > 'z' || name[n - 1] == '-' ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != n)
        return !bo_usage_error(
            "new-codec",
            "codec name '%s' must start with a letter a-z, contain only a-z, 0-9 and -, not end "
            "with -, and have at most %d characters",
            name, MAX_NAME);
    if (strcmp(name, "noop") == 0)
        return !bo_usage_error("new-codec", "noop is bakeoff's measurement of the driver alone");
    if (strncmp(name, "test-", 5) == 0)
        return !bo_usage_error("new-codec",
                               "codec name '%s' begins with test-: files test_*.c are tests", name);
    names->codec = name;
    for (size_t i = 0; i <= n; i++)
        names->identifier[i] = name[i] == '-' ? '_' : name[i];
    return true;
}

/*
 * Creates the file or appends to it. The text is shorter than a page, so it is written as a whole.
 */
static bool put(const char *path, int flags, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
    if (fd < 0)
        return fail(path);
    const size_t n = strlen(text);
    const bool ok = write(fd, text, n) == (ssize_t)n || fail(path);
    return close(fd) == 0 && ok;
}

static int write_skeleton(const struct names *names)
{
    char source[MAX_PATH], list[MAX_PATH], text[sizeof skeleton + 16 * MAX_NAME];
    snprintf(source, sizeof source, "codecs/%s/%s.c", names->format, names->identifier);
    snprintf(list, sizeof list, "codecs/%s/codecs.def", names->format);
    if (access(list, W_OK) != 0) {
        fprintf(stderr,
                "bakeoff: %s: %s; run this command in bakeoff's source tree, for a format in it\n",
                list, strerror(errno));
        return BO_EXIT_USAGE;
    }
    snprintf(text, sizeof text, skeleton, names->codec, names->format, names->identifier);
    if (!put(source, O_CREAT | O_EXCL, text))
        return BO_EXIT_USAGE;
    snprintf(text, sizeof text, "CODEC(%s)\n", names->identifier);
    if (!put(list, O_APPEND, text))
        return BO_EXIT_USAGE;
    printf("%s is written and listed in %s. `make verify-codec CODEC=%s/%s` lists what it lacks.\n",
           source, list, names->format, names->codec);
    return BO_EXIT_OK;
}

int bo_cmd_new_codec(int argc, char **argv)
{
    const struct bo_option options[] = {{NULL, 0, NULL, NULL, NULL, NULL}};
    const struct bo_usage usage = {
        "new-codec", "FORMAT NAME",
        "Writes codecs/FORMAT/NAME.c, a codec that compiles but supports no model, and its "
        "line\n"
        "in codecs/FORMAT/codecs.def. Run it in bakeoff's source tree. docs/adding-a-codec.md\n"
        "describes the next steps; for a codec outside of the tree see examples/plugin.",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n != 2)
        return bo_usage_error("new-codec", "expects a format and a name");
    const struct bo_format *format = bo_need_format("new-codec", argv[1]);
    struct names names = {.format = format ? format->name : NULL};
    if (!format || !take_name(argv[2], &names))
        return BO_EXIT_USAGE;
    if (bo_find_codec(format, names.codec))
        return bo_usage_error("new-codec", "%s already has a codec %s", format->name, names.codec);
    return write_skeleton(&names);
}
