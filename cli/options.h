/* Options of subcommands: one table defines the parser and the --help text. */
#ifndef BO_OPTIONS_H
#define BO_OPTIONS_H

#include <stdbool.h>

struct bo_option {
    const char *name;     /* "--json" */
    char letter;          /* 'o' for -o, or 0 */
    const char *argument; /* name of the argument in --help; NULL for a flag */
    const char *help;
    const char **value; /* for an option with an argument; the last one given wins */
    bool *flag;         /* for a flag */
};

struct bo_usage {
    const char *command;
    const char *arguments;           /* "FORMAT/CODEC F.txt -o F.bin" */
    const char *text;                /* what the command does: a few lines */
    const struct bo_option *options; /* ends with a NULL name */
};

/*
 * Parses argv[1..] and moves the positional arguments to the front of argv + 1. Returns their
 * number; -1 after --help was printed (the command then returns BO_EXIT_OK), -2 after a message
 * about bad usage. A lone "--" ends the options; words such as "-1" count as positional.
 */
int bo_options_parse(const struct bo_usage *usage, int argc, char **argv);

/* Called by --help instead of printing its text, unless NULL. `bakeoff generate` sets it. */
extern void (*bo_help_printer)(const struct bo_usage *usage);

/* The exit code for a negative result of bo_options_parse. */
static inline int bo_options_exit(int parsed)
{
    return parsed == -1 ? 0 : 2;
}

/*
 * Parses the decimal argument of an option. False after a message. If `text` is NULL, *value_ret is
 * unchanged.
 */
bool bo_option_u64(const char *command, const char *option, const char *text,
                   unsigned long long max, unsigned long long *value_ret);

#endif
