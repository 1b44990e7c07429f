/* Options of subcommands. */
#include "cli/options.h"

#include <stdio.h>

#include "cli/cli.h"
#include "harness/core/suggest.h"
#include "harness/core/text.h"

void (*bo_help_printer)(const struct bo_usage *usage);

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

/* The option that a word names. *inline_ret is the argument of --name=ARGUMENT or -nARGUMENT. */
static const struct bo_option *find_option(const struct bo_usage *usage, const char *word,
                                           const char **inline_ret)
{
    *inline_ret = NULL;
    for (const struct bo_option *o = usage->options; o && o->name; o++) {
        const size_t n = strlen(o->name);
        if (word[0] == '-' && o->letter && word[1] == o->letter && (word[2] == 0 || o->argument)) {
            *inline_ret = word[2] ? word + 2 : NULL;
            return o;
        }
        if (strncmp(word, o->name, n) == 0 && (word[n] == 0 || (word[n] == '=' && o->argument))) {
            *inline_ret = word[n] == '=' ? word + n + 1 : NULL;
            return o;
        }
    }
    return NULL;
}

static void unknown_option(const struct bo_usage *usage, const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    struct bo_suggestion near = bo_suggest(name);
    for (const struct bo_option *o = usage->options; o && o->name; o++)
        bo_suggest_offer(&near, o->name);
    bo_suggest_offer(&near, "--help");
    bo_usage_error(usage->command, "unknown option %s%s", word, bo_suggestion_text(&near));
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
            (bo_help_printer ? bo_help_printer : print_help)(usage);
            return -1;
        }
        const struct bo_option *option = find_option(usage, word, &value);
        if (!option) {
            unknown_option(usage, word);
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
        bo_usage_error(command, "%s expects a number up to %llu, not '%s'", option, max, text);
        return false;
    }
    *value_ret = v;
    return true;
}
