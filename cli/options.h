/* Options of subcommands: one table gives the parser and the --help text. */
#ifndef BO_OPTIONS_H
#define BO_OPTIONS_H

#include <stdbool.h>

struct bo_option {
    const char *name;     /* "--json" */
    char letter;          /* 'o' for -o, or 0 */
    const char *argument; /* what --help calls it; NULL for a flag */
    const char *help;
    const char **value; /* of an option with an argument; the last one given wins */
    bool *flag;         /* of a flag */
};

struct bo_usage {
    const char *command;
    const char *arguments;           /* "FORMAT/CODEC F.txt -o F.bin" */
    const char *text;                /* what the command does: a few lines */
    const struct bo_option *options; /* ends with a NULL name */
};

/*
 * Parses argv[1..], moving the positional arguments to the front of argv + 1. Returns how many
 * there are; -1 after --help was printed (the command then returns BO_EXIT_OK), -2 after a message
 * about bad usage. A lone "--" ends the options; words such as "-1" count as positional.
 */
int bo_options_parse(const struct bo_usage *usage, int argc, char **argv);

/* What --help calls instead of printing its text, unless NULL: `bakeoff generate` sets it. */
extern void (*bo_help_printer)(const struct bo_usage *usage);

/* The exit code for a negative result of bo_options_parse. */
static inline int bo_options_exit(int parsed)
{
    return parsed == -1 ? 0 : 2;
}

/*
 * A decimal argument of an option; false after a message. `text` NULL leaves *value_ret as it is.
 */
bool bo_option_u64(const char *command, const char *option, const char *text,
                   unsigned long long max, unsigned long long *value_ret);

#endif
