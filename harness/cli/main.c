/* bakeoff: finds the subcommand and runs it. */
#include <stdio.h>

#include "harness/cli/cli.h"
#include "harness/cli/plugins.h"

#define COMMAND(function, name, summary) int bo_cmd_##function(int argc, char **argv);
#include "harness/cli/commands.def"
#undef COMMAND

const struct bo_command bo_commands[] = {
#define COMMAND(function, name, summary) {name, summary, bo_cmd_##function},
#include "harness/cli/commands.def"
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
        fprintf(to, "  %-9s %s\n", c->name, c->summary);
    fputs("\n--plugin adds codecs of your own: docs/adding-a-codec.md\n", to);
    fputs("\nexit codes: 0 success, 1 a check or comparison failed, 2 bad usage or bad input\n",
          to);
}

int main(int argc, char **argv)
{
    while (argc > 2 && strcmp(argv[1], "--plugin") == 0) {
        if (!bo_load_plugin(argv[2]))
            return BO_EXIT_USAGE;
        argc -= 2;
        argv += 2;
    }
    if (argc < 2) {
        print_help(stderr);
        return BO_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return BO_EXIT_OK;
    }
    for (const struct bo_command *c = bo_commands; c->name; c++) {
        if (strcmp(argv[1], c->name) != 0)
            continue;
        const int code = c->run(argc - 1, argv + 1);
        if (fflush(stdout) || ferror(stdout)) {
            fprintf(stderr, "bakeoff: standard output: cannot write\n");
            return BO_EXIT_USAGE;
        }
        return code;
    }
    fprintf(stderr, "bakeoff: no command '%s'; see `bakeoff --help`\n", argv[1]);
    return BO_EXIT_USAGE;
}
