/* Options of subcommands. */
#include "harness/cli/options.h"

#include <stdio.h>

#include "harness/cli/cli.h"
#include "harness/text.h"

static void print_help(const struct bo_usage *usage)
{
    printf("usage: bakeoff %s %s\n%s\n", usage->command, usage->arguments, usage->text);
    printf("\noptions:\n");
    for (const struct bo_option *o = usage->options; o && o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? (char[]){'-', o->letter, 0} : "",
                 o->letter ? ", " : "", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        printf("  %-24s %s\n", left, o->help);
    }
    printf("  %-24s %s\n", "-h, --help", "this text");
}

/* The option that a word names, with an argument given as --name=ARGUMENT in *inline_ret. */
static const struct bo_option *find_option(const struct bo_usage *usage, const char *word,
                                           const char **inline_ret)
{
    *inline_ret = NULL;
    for (const struct bo_option *o = usage->options; o && o->name; o++) {
        const size_t n = strlen(o->name);
        if (word[0] == '-' && word[1] == o->letter && o->letter && word[2] == 0)
            return o;
        if (strncmp(word, o->name, n) == 0 && (word[n] == 0 || (word[n] == '=' && o->argument))) {
            *inline_ret = word[n] == '=' ? word + n + 1 : NULL;
            return o;
        }
    }
    return NULL;
}

static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != 0 && (word[1] < '0' || word[1] > '9');
}

int bo_options_parse(const struct bo_usage *usage, int argc, char **argv)
{
    int n = 0;
    bool ended = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value;
        if (ended || !is_option(word)) {
            argv[1 + n++] = argv[i];
            continue;
        }
        if (strcmp(word, "--") == 0) {
            ended = true;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            print_help(usage);
            return -1;
        }
        const struct bo_option *option = find_option(usage, word, &value);
        if (!option) {
            bo_usage_error(usage->command, "unknown option %s", word);
            return -2;
        }
        if (option->flag) {
            *option->flag = true;
            continue;
        }
        if (!value && i + 1 == argc) {
            bo_usage_error(usage->command, "%s needs %s", option->name, option->argument);
            return -2;
        }
        *option->value = value ? value : argv[++i];
    }
    return n;
}

bool bo_option_u64(const char *command, const char *option, const char *text,
                   unsigned long long max, unsigned long long *value_ret)
{
    uint64_t v;
    if (!text)
        return true;
    if (!bo_parse_u64((struct bo_span){(const uint8_t *)text, strlen(text)}, max, &v)) {
        bo_usage_error(command, "%s takes a number up to %llu, not '%s'", option, max, text);
        return false;
    }
    *value_ret = v;
    return true;
}
