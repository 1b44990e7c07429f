/* bakeoff: finds the subcommand and runs it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/plugins.h"
#include "cli/version.h"
#include "harness/core/cpu.h"
#include "harness/core/suggest.h"

#define COMMAND(function, name, summary) int bo_cmd_##function(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

const struct bo_command bo_commands[] = {
#define COMMAND(function, name, summary) {name, summary, bo_cmd_##function},
#include "cli/commands.def"
#undef COMMAND
    {NULL, NULL, NULL},
};

static void print_help(FILE *to)
{
    fputs(
        "usage: bakeoff [--plugin FILE.so]... COMMAND [ARGUMENTS]\n"
        "Which encoding should a toolchain format use? Measures, checks and converts its codecs.\n"
        "\ncommands (each has --help):\n",
        to);
    for (const struct bo_command *c = bo_commands; c->name; c++)
        fprintf(to, "  %-10s %s\n", c->name, c->summary);
    fputs("\n--plugin adds codecs or formats of your own: docs/adding-a-format.md\n"
          "--version prints the version and the commit\n"
          "BAKEOFF_ISA=v1 (to v4) caps the level of x86-64 that codecs use; v1 is the portable "
          "path\n",
          to);
    fputs("\nexit codes: 0 success, 1 a check or comparison failed, 2 bad usage or bad input, "
          "130 interrupted bench\n",
          to);
}

static const struct bo_command *find_command(const char *name)
{
    struct bo_suggestion near = bo_suggest(name);
    for (const struct bo_command *c = bo_commands; c->name; c++) {
        if (strcmp(name, c->name) == 0)
            return c;
        bo_suggest_offer(&near, c->name);
    }
    bo_suggest_offer(&near, "help");
    fprintf(stderr, "bakeoff: no command '%s'%s; see `bakeoff --help`\n", name,
            bo_suggestion_text(&near));
    return NULL;
}

/* The exit code, unless standard output cannot be written. */
static int finish(int code)
{
    if (fflush(stdout) || ferror(stdout)) {
        fprintf(stderr, "bakeoff: standard output: cannot write\n");
        return BO_EXIT_USAGE;
    }
    return code;
}

static int run(const struct bo_command *command, int argc, char **argv)
{
    return finish(command->run(argc, argv));
}

static bool names_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* `help` alone, or `help COMMAND`, which is `COMMAND --help`. */
static int help(const char *name)
{
    char command_name[32], option[] = "--help", *argv[] = {command_name, option, NULL};
    if (!name) {
        print_help(stdout);
        return finish(BO_EXIT_OK);
    }
    const struct bo_command *command = find_command(name);
    snprintf(command_name, sizeof command_name, "%s", name);
    return command ? run(command, 2, argv) : BO_EXIT_USAGE;
}

/*
 * Files that are opened later must not become standard output. What is closed is opened so that
 * reading or writing it fails.
 */
static void open_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
            abort();
}

int main(int argc, char **argv)
{
    open_standard_streams();
    if (bo_cpu_bad_cap()) {
        fprintf(stderr, "bakeoff: BAKEOFF_ISA=%s: not one of v1, v2, v3, v4\n", bo_cpu_bad_cap());
        return BO_EXIT_USAGE;
    }
    while (argc > 2 && strcmp(argv[1], "--plugin") == 0) {
        if (!bo_load_plugin(argv[2]))
            return BO_EXIT_USAGE;
        argc -= 2;
        argv += 2;
    }
    if (argc == 2 && strcmp(argv[1], "--plugin") == 0) {
        fprintf(stderr, "bakeoff: --plugin needs FILE.so; see `bakeoff --help`\n");
        return BO_EXIT_USAGE;
    }
    if (argc < 2) {
        print_help(stderr);
        return BO_EXIT_USAGE;
    }
    const bool is_help = names_help(argv[1]), is_version = strcmp(argv[1], "--version") == 0;
    if (argc > (strcmp(argv[1], "help") == 0 ? 3 : 2) && (is_help || is_version)) {
        fprintf(stderr, "bakeoff: unexpected argument '%s'; see `bakeoff --help`\n",
                argv[argc - 1]);
        return BO_EXIT_USAGE;
    }
    if (is_version) {
        printf("bakeoff %s%s%s%s\n", BO_VERSION, *bo_commit ? " (" : "", bo_commit,
               *bo_commit ? ")" : "");
        return finish(BO_EXIT_OK);
    }
    if (is_help)
        return help(argv[2] && !names_help(argv[2]) ? argv[2] : NULL);
    const struct bo_command *command = find_command(argv[1]);
    return command ? run(command, argc - 1, argv + 1) : BO_EXIT_USAGE;
}
