/*
 * bakeoff generate: shell completion and the man page, from the option tables of --help, so that no
 * list is maintained twice.
 */
#include <stdio.h>

#include "bench/measure/operations.h"
#include "bench/measure/plan.h"
#include "bench/report/styles.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/version.h"
#include "corpora/documents.h"
#include "harness/core/suggest.h"

int bo_cmd_generate(int argc, char **argv);

/* Calls print(usage) for the usage of every command, in their order. */
static void for_every_command(void (*print)(const struct bo_usage *usage))
{
    bo_help_printer = print;
    for (const struct bo_command *c = bo_commands; c->name; c++) {
        char name[32], help[] = "--help", *argv[] = {name, help, NULL};
        snprintf(name, sizeof name, "%s", c->name);
        c->run(2, argv);
    }
    bo_help_printer = NULL;
}

static const char *summary_of(const char *command)
{
    for (const struct bo_command *c = bo_commands; c->name; c++)
        if (strcmp(c->name, command) == 0)
            return c->summary;
    return "";
}

/* Importers may have options of the same name. The first one represents all. */
static const struct bo_option *next_option(const struct bo_usage *usage, const struct bo_option *o)
{
    const struct bo_option *earlier;
    do {
        o = o ? o + 1 : usage->options;
        for (earlier = usage->options; o && o->name && strcmp(earlier->name, o->name) != 0;)
            earlier++;
    } while (o && o->name && earlier != o);
    return o && o->name ? o : NULL;
}

/* ---- values: completions of an option's argument or of a positional argument ----------------- */

enum values {
    NO_VALUES,
    FILES,
    FORMATS,
    CODECS,
    QUALIFIED_CODECS,
    KINDS,
    WORKLOADS,
    STYLES,
    LISTED
};

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static enum values values_of_option(const struct bo_option *o)
{
    static const struct {
        const char *name;
        enum values values;
    } known[] = {{"--format", FORMATS}, {"--codec", CODECS},   {"--kind", KINDS},
                 {"--style", STYLES},   {"--corpus", FILES},   {"--workload", WORKLOADS},
                 {"--json", FILES},     {"--counted", FORMATS}};
    if (!o->argument)
        return NO_VALUES;
    if (strchr(o->argument, '|'))
        return LISTED;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(o->name, known[i].name) == 0)
            return known[i].values;
    return strstr(o->argument, "FILE") || strstr(o->argument, "DIR") ||
                   strcmp(o->argument, "BUILD") == 0
               ? FILES
               : NO_VALUES;
}

static enum values values_of_word(const char *word)
{
    return starts_with(word, "FORMAT/")   ? QUALIFIED_CODECS
           : strstr(word, "FORMAT")       ? FORMATS
           : starts_with(word, "KIND")    ? KINDS
           : strchr(word, '|')            ? LISTED
           : starts_with(word, "COMMAND") ? NO_VALUES
                                          : FILES;
}

/* The i-th positional argument of a usage's first form, without brackets; false past the last. */
static bool positional(const struct bo_usage *usage, unsigned i, char *word_ret, size_t n)
{
    const char *p = usage->arguments;
    while (*(p += strspn(p, " \n"))) {
        const size_t length = strcspn(p, " \n");
        if (starts_with(p, "|") || starts_with(p, "[-") || starts_with(p, "-"))
            return false;
        if (i-- == 0) {
            snprintf(word_ret, n, "%.*s", (int)length, p + (*p == '['));
            word_ret[strcspn(word_ret, "]")] = 0;
            return true;
        }
        p += length;
    }
    return false;
}

/* Prints names once each: the list is short. */
struct unique {
    const char *names[512];
    size_t n;
};

static void print_once(struct unique *seen, const char *name)
{
    for (size_t i = 0; i < seen->n; i++)
        if (strcmp(seen->names[i], name) == 0)
            return;
    if (seen->n < sizeof seen->names / sizeof *seen->names)
        seen->names[seen->n++] = name;
    printf(" %s", name);
}

static void print_names_of(const struct bo_format *format, enum values values, struct unique *seen)
{
    if (values == FORMATS)
        print_once(seen, format->name);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        if (values == CODECS)
            print_once(seen, (*c)->name);
        else if (values == QUALIFIED_CODECS)
            printf(" %s/%s", format->name, (*c)->name);
    }
    for (unsigned k = 0; k < format->n_kinds; k++) {
        if (values == KINDS)
            print_once(seen, format->kinds[k].name);
        for (unsigned w = 0; values == WORKLOADS && w < format->kinds[k].n_workloads; w++)
            print_once(seen, format->kinds[k].workloads[w].name);
    }
}

/* Prints " a b c"; `listed` is "a|b|c" for LISTED. */
static void print_values(enum values values, const char *listed)
{
    struct unique seen = {.n = 0};
    if (values == LISTED)
        for (const char *p = listed; *p; p += strcspn(p, "|"), p += *p == '|')
            printf(" %.*s", (int)strcspn(p, "|"), p);
    for (const struct bo_table_style *s = bo_table_styles; values == STYLES && s->name; s++)
        print_once(&seen, s->name);
    for (const struct bo_format *const *f = bo_formats; *f; f++)
        print_names_of(*f, values, &seen);
    for (size_t o = 0; values == KINDS && o < BO_N_OPERATIONS; o++)
        print_once(&seen, bo_operations[o]);
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void bash_values(enum values values, const char *listed)
{
    if (values == FILES) {
        printf("files=1");
    } else if (values == NO_VALUES) {
        printf(":");
    } else {
        printf("words='");
        print_values(values, listed);
        printf("'");
    }
}

static void bash_command(const struct bo_usage *usage)
{
    char word[128];
    printf("    %s)\n        options='-h --help", usage->command);
    for (const struct bo_option *o = NULL; (o = next_option(usage, o));)
        printf(" %s", o->name);
    printf("'\n        case $previous in\n");
    for (const struct bo_option *o = NULL; (o = next_option(usage, o));) {
        if (!o->argument)
            continue;
        printf("        %s", o->name);
        if (o->letter)
            printf("|-%c", o->letter);
        printf(") ");
        bash_values(values_of_option(o), o->argument);
        printf("; return ;;\n");
    }
    printf("        esac\n        case $n in\n");
    for (unsigned i = 0; positional(usage, i, word, sizeof word); i++) {
        printf("        %u) ", i);
        bash_values(values_of_word(word), word);
        printf(" ;;\n");
    }
    printf("        *) files=1 ;;\n        esac ;;\n");
}

/* Prints " -o --output": the options of all commands that have an argument. */
static void bash_valued(const struct bo_usage *usage)
{
    for (const struct bo_option *o = NULL; (o = next_option(usage, o));) {
        if (!o->argument)
            continue;
        printf(" %s:%s", usage->command, o->name);
        if (o->letter)
            printf(" %s:-%c", usage->command, o->letter);
    }
}

static void print_commands(void)
{
    for (const struct bo_command *c = bo_commands; c->name; c++)
        printf(" %s", c->name);
}

static void print_bash(void)
{
    printf(
        "# Completion of bakeoff's command line for bash; `bakeoff generate bash` printed it.\n\n"
        "# What may follow: words in $words, files if $files, options in $options.\n"
        "_bakeoff_choices() { # COMMAND PREVIOUS-WORD POSITIONAL-WORDS-BEFORE\n"
        "    local command=$1 previous=$2 n=$3\n"
        "    case $command in\n"
        "    '') words='--help --version --plugin help");
    print_commands();
    printf("'; [[ $previous != --plugin ]] || { words=; files=1; } ;;\n"
           "    help) words='");
    print_commands();
    printf("' ;;\n");
    for_every_command(bash_command);
    printf("    esac\n}\n\n"
           "_bakeoff() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local command= n=0 i words= files= options= valued='");
    for_every_command(bash_valued);
    printf(" '\n"
           "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
           "        if [[ ! $command ]]; then\n"
           "            if [[ ${COMP_WORDS[i]} = --plugin ]]; then\n"
           "                i=$((i + 1))\n"
           "            else\n"
           "                command=${COMP_WORDS[i]}\n"
           "            fi\n"
           "        elif [[ $valued = *\" $command:${COMP_WORDS[i]} \"* ]]; then\n"
           "            i=$((i + 1))\n"
           "        elif [[ ${COMP_WORDS[i]} != -* ]]; then\n"
           "            n=$((n + 1))\n"
           "        fi\n"
           "    done\n"
           "    _bakeoff_choices \"$command\" \"$previous\" \"$n\"\n"
           "    [[ $current != -* ]] || { words+=\" $options\"; files=; }\n"
           "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
           "    [[ ! $files ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "
           "\"$current\")\n"
           "}\n\n"
           "complete -o filenames -F _bakeoff bakeoff\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Text inside '...' and [...] of _arguments. */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\''");
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_values(const char *what, enum values values, const char *listed)
{
    putchar(':');
    zsh_text(what);
    putchar(':');
    if (values == FILES) {
        printf("_files");
    } else if (values != NO_VALUES) {
        printf("(");
        print_values(values, listed);
        printf(")");
    }
    printf("' ");
}

static void zsh_command(const struct bo_usage *usage)
{
    char word[128];
    printf("        %s) _arguments -S '(-h --help)'{-h,--help}'[print help]' ", usage->command);
    for (const struct bo_option *o = NULL; (o = next_option(usage, o));) {
        if (o->letter)
            printf("'(-%c %s)'{-%c,%s}'[", o->letter, o->name, o->letter, o->name);
        else
            printf("'%s[", o->name);
        zsh_text(o->help);
        if (o->argument) {
            printf("]");
            zsh_values(o->argument, values_of_option(o), o->argument);
        } else {
            printf("]' ");
        }
    }
    for (unsigned i = 0; positional(usage, i, word, sizeof word); i++) {
        printf("'%u", i + 1);
        zsh_values(word, values_of_word(word), word);
    }
    printf("'*:file:_files' ;;\n");
}

static void print_zsh(void)
{
    printf("#compdef bakeoff\n"
           "# Completion of bakeoff's command line for zsh; `bakeoff generate zsh` printed it.\n\n"
           "_bakeoff() {\n"
           "    local context state line\n"
           "    local -a commands\n"
           "    commands=(\n");
    for (const struct bo_command *c = bo_commands; c->name; c++) {
        printf("        '%s:", c->name);
        zsh_text(c->summary);
        printf("'\n");
    }
    printf("    )\n"
           "    _arguments -C '*--plugin[load a format or codecs from a file]:file:_files' "
           "'--help[print help]' '--version[print the version]' "
           "'1:command:->command' '*::argument:->argument'\n"
           "    case $state in\n"
           "    command) _describe command commands ;;\n"
           "    argument)\n"
           "        case $words[1] in\n"
           "        help) _describe command commands ;;\n");
    for_every_command(zsh_command);
    printf("        esac ;;\n"
           "    esac\n"
           "}\n\n"
           "_bakeoff \"$@\"\n");
}

/* ---- the man page ---------------------------------------------------------------------------- */

/* Text for troff: requests and escapes are escaped, hyphens stay hyphens. */
static void man_text(const char *text)
{
    bool at_start = true;
    for (; *text; text++) {
        if (at_start && (*text == '.' || *text == '\''))
            printf("\\&");
        if (*text == '\\')
            printf("\\e");
        else if (*text == '-')
            printf("\\-");
        else if (!(at_start && *text == '\n'))
            putchar(*text);
        at_start = *text == '\n';
    }
}

static void man_command(const struct bo_usage *usage)
{
    printf(".SS ");
    man_text(usage->command);
    printf("\n");
    man_text(summary_of(usage->command));
    printf(".\n.PP\n.nf\n\\fBbakeoff ");
    man_text(usage->command);
    printf("\\fR ");
    man_text(usage->arguments);
    printf("\n.fi\n.PP\n.nf\n");
    man_text(usage->text);
    printf("\n.fi\n");
    for (const struct bo_option *o = usage->options; o && o->name; o++) {
        printf(".TP\n");
        if (o->letter)
            printf("\\fB\\-%c\\fR, ", o->letter);
        printf("\\fB");
        man_text(o->name);
        printf("\\fR");
        if (o->argument) {
            printf(" \\fI");
            man_text(o->argument);
            printf("\\fR");
        }
        printf("\n");
        man_text(o->help);
        printf("\n");
    }
}

static void print_man(void)
{
    printf(".TH BAKEOFF 1 \"\" \"bakeoff %s\" \"User Commands\"\n"
           ".SH NAME\n"
           "bakeoff \\- measure, check and convert encodings of toolchain formats\n"
           ".SH SYNOPSIS\n"
           "\\fBbakeoff\\fR [\\fB\\-\\-plugin\\fR \\fIFILE\\fR]... \\fICOMMAND\\fR "
           "[\\fIARGUMENTS\\fR]\n"
           ".SH DESCRIPTION\n"
           "Which encoding should a toolchain format use?\n"
           "bakeoff measures, checks and converts the encodings (codecs) of a format.\n"
           "\\fB\\-\\-plugin\\fR adds codecs or a format from a shared object.\n"
           "Every command prints its help with \\fB\\-\\-help\\fR.\n"
           ".SH COMMANDS\n",
           BO_VERSION);
    for_every_command(man_command);
    printf(
        ".SH EXIT STATUS\n"
        "0 on success, 1 when a check or comparison failed, 2 on bad usage or bad input, 130 when "
        "bench was interrupted.\n"
        ".SH ENVIRONMENT\n"
        ".TP\n\\fBBAKEOFF_CORPORA\\fR\n"
        "A folder of further documents, in subfolders named after their formats.\n");
}

/* ---- the command ----------------------------------------------------------------------------- */

int bo_cmd_generate(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } forms[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"man", print_man}};
    const struct bo_option options[] = {{NULL, 0, NULL, NULL, NULL, NULL}};
    const struct bo_usage usage = {
        "generate", "bash|zsh|man",
        "Prints shell completion or the man page, made from the help texts of all commands.\n"
        "`make install` installs them. For one session: source <(bakeoff generate bash)",
        options};
    const int n = bo_options_parse(&usage, argc, argv);
    if (n < 0)
        return bo_options_exit(n);
    if (n > 1)
        return bo_usage_error("generate", "expects one argument");
    struct bo_suggestion near = bo_suggest(n ? argv[1] : NULL);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        bo_suggest_offer(&near, forms[i].name);
        if (n != 1 || strcmp(argv[1], forms[i].name) != 0)
            continue;
        forms[i].print();
        return BO_EXIT_OK;
    }
    return bo_usage_error("generate", "needs one of bash, zsh, man%s", bo_suggestion_text(&near));
}
