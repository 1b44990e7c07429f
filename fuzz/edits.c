/*
 * Lists the small edits of C sources that `make mutants` plants.
 *
 *   edits N SEED FILE...
 *
 * Prints up to N edits, at most one per line, as TSV: file, line number, place, line, edited line;
 * the lines without indentation. The place is the enclosing function or table, followed by #2, #3,
 * ... for further occurrences of the same line in it. The fields except the number identify an edit
 * even after other lines were added or removed.
 *
 * Lines are chosen by a hash of SEED and their identity: edits of an unchanged line remain chosen
 * when other lines change, and the first N of 2 N edits are those of N. Preprocessor lines other
 * than #define, static assertions, comments and strings are not edited.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 512, MAX_PLACE = 80 };

/* The edit of a line: the one with the lowest hash of all its possible edits. */
struct edit {
    uint64_t line_hash, edit_hash;
    const char *file;
    unsigned number;
    char place[MAX_PLACE], line[MAX_LINE], edited[MAX_LINE];
};

struct edits {
    struct edit *items;
    size_t n;
};

static const struct operator_edit {
    const char *from, *to;
} operators[] = {
    {" < ", " <= "},
    {" <= ", " < "},
    {" > ", " >= "},
    {" >= ", " > "},
    {" == ", " != "},
    {" != ", " == "},
    {" + ", " - "},
    {" - ", " + "},
    {" * ", " + "},
    {" / ", " * "},
    {" % ", " / "},
    {" && ", " || "},
    {" || ", " && "},
    {" << ", " >> "},
    {" >> ", " << "},
    {" & ", " | "},
    {" | ", " & "},
    {" ^ ", " | "},
    {" += ", " -= "},
    {" -= ", " += "},
    {" |= ", " &= "},
    {" &= ", " |= "},
    {" <<= ", " >>= "},
    {" >>= ", " <<= "},
    {"++", "--"},
    {"--", "++"},
    {" true", " false"},
    {" false", " true"},
    {"(true", "(false"},
    {"(false", "(true"},
    {" continue;", " break;"},
    {" break;", " continue;"},
};

/* Statements that begin with these words are declarations or labels. */
static const char *const declarations[] = {
    "const ",   "static ",    "struct ",   "enum ",     "union ",    "unsigned ", "signed ",
    "int ",     "char ",      "bool ",     "double ",   "float ",    "size_t ",   "long ",
    "short ",   "uint8_t ",   "uint16_t ", "uint32_t ", "uint64_t ", "int8_t ",   "int16_t ",
    "int32_t ", "int64_t ",   "typedef ",  "extern ",   "void ",     "case ",     "default:",
    "ssize_t ", "_Noreturn ", "uintptr_t "};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* FNV-1a, continued from `hash`, with a terminator so that "a","bc" differs from "ab","c". */
static uint64_t hash_more(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3;
    return (hash ^ 0xff) * 0x100000001b3;
}

/* The finalizer of SplitMix64. FNV-1a alone gives similar texts hashes with similar high bits. */
static uint64_t hash_mixed(uint64_t hash)
{
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111eb;
    return hash ^ hash >> 31;
}

/* ---- the edits of one line ------------------------------------------------------------------- */

/* Considers replacing `length` bytes of the padded line at `at`. */
static void offer(struct edit *edit, const char *padded, size_t at, size_t length, const char *with)
{
    char edited[MAX_LINE];
    const int n =
        snprintf(edited, sizeof edited, "%.*s%s%s", (int)at, padded, with, padded + at + length);
    if (n < 0 || n >= MAX_LINE)
        return;
    for (char *end = edited + n; end > edited && end[-1] == ' ';)
        *--end = 0;
    const char *text = edited + strspn(edited, " ");
    const uint64_t hash = hash_mixed(hash_more(edit->line_hash, text));
    if (edit->edited[0] && hash >= edit->edit_hash)
        return;
    edit->edit_hash = hash;
    memcpy(edit->edited, text, strlen(text) + 1);
}

static void offer_operators(struct edit *edit, const char *padded, const char *code)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const char *from = operators[i].from;
        for (const char *at = code; (at = strstr(at, from)); at++)
            if (!is_word(from[strlen(from) - 1]) || !is_word(at[strlen(from)]))
                offer(edit, padded, (size_t)(at - code), strlen(from), operators[i].to);
    }
    for (size_t i = 1; code[i]; i++)
        if (code[i] == '!' && code[i + 1] != '=')
            offer(edit, padded, i, 1, "");
}

/* Integer constants by one up and one down. */
static void offer_constants(struct edit *edit, const char *padded, const char *code)
{
    for (size_t i = 1, end; code[i]; i = end > i ? end : i + 1) {
        char with[40], *suffix;
        end = i;
        if (!isdigit((unsigned char)code[i]) || is_word(code[i - 1]) || code[i - 1] == '.')
            continue;
        while (is_word(code[end]) || code[end] == '.')
            end++;
        const unsigned long long value = strtoull(code + i, &suffix, 0);
        const int n_suffix = (int)(code + end - suffix);
        const bool hex = code[i] == '0' && code[i + 1] == 'x';
        if (strspn(suffix, "uUlL") < (size_t)n_suffix) /* a floating-point constant */
            continue;
        snprintf(with, sizeof with, hex ? "%#llx%.*s" : "%llu%.*s", value + 1, n_suffix, suffix);
        offer(edit, padded, i, end - i, with);
        snprintf(with, sizeof with, hex ? "%#llx%.*s" : "%llu%.*s", value - 1, n_suffix, suffix);
        if (value > 0)
            offer(edit, padded, i, end - i, with);
    }
}

/* x[i] to x[i + 1]; an upper-case index is the size of an array. */
static void offer_indexes(struct edit *edit, const char *padded, const char *code)
{
    for (size_t i = 1; code[i]; i++) {
        if (code[i] != '[' || !is_word(code[i - 1]) || isdigit((unsigned char)code[i + 1]))
            continue;
        size_t end = i + 1;
        bool lower = false;
        for (; is_word(code[end]) || code[end] == '.'; end++)
            lower |= islower((unsigned char)code[end]) != 0;
        if (lower && code[end] == ']')
            offer(edit, padded, end, 0, " + 1");
    }
}

/* Negates the condition of an if or while that ends on this line. */
static void offer_conditions(struct edit *edit, const char *padded, const char *code)
{
    static const char *const words[] = {" if (", " while ("};
    for (unsigned w = 0; w < 2; w++)
        for (const char *at = code; (at = strstr(at, words[w])); at++) {
            const size_t begin = (size_t)(at - code) + strlen(words[w]);
            size_t end = begin;
            for (int depth = 1; code[end]; end++)
                if ((depth += (code[end] == '(') - (code[end] == ')')) == 0)
                    break;
            if (!code[end])
                continue;
            char with[MAX_LINE];
            snprintf(with, sizeof with, "!(%.*s)", (int)(end - begin), padded + begin);
            offer(edit, padded, begin, end - begin, with);
        }
}

/* Removes a statement of one line. `before` is the last character of code before it. */
static void offer_removal(struct edit *edit, const char *padded, const char *code, char before)
{
    const size_t n = strlen(code);
    int depth = 0;
    const bool is_return = starts_with(code + 1, "return");
    if (n < 3 || code[n - 2] != ';' || code[1] == '}' ||
        !strchr(is_return ? ")e" : ";{})e:", before))
        return;
    for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
        if (starts_with(code + 1, declarations[i]))
            return;
    for (size_t i = 0; i < n; i++)
        if ((depth += (code[i] == '(') - (code[i] == ')')) < 0)
            return;
    if (depth == 0)
        offer(edit, padded, 1, n - 2, ";");
}

/* ---- the lines of a file --------------------------------------------------------------------- */

/* Blanks comments and quoted text, so that `code` has the same columns as `line`. */
static void mask(const char *line, char *code, bool *in_comment)
{
    char quote = 0;
    size_t i = 0;
    for (; line[i]; i++) {
        code[i] = line[i];
        if (*in_comment) {
            code[i] = ' ';
            if (line[i] == '*' && line[i + 1] == '/') {
                code[++i] = ' ';
                *in_comment = false;
            }
        } else if (quote) {
            if (line[i] == quote) {
                quote = 0;
                continue;
            }
            code[i] = '@';
            if (line[i] == '\\' && line[i + 1])
                code[++i] = '@';
        } else if (line[i] == '"' || line[i] == '\'') {
            quote = line[i];
        } else if (line[i] == '/' && (line[i + 1] == '*' || line[i + 1] == '/')) {
            *in_comment = true;
            code[i] = ' ';
            if (line[i + 1] == '/')
                break;
            code[++i] = ' ';
        }
    }
    if (line[i]) { /* the rest is a comment */
        *in_comment = false;
        memset(code + i, ' ', strlen(line + i));
        i += strlen(line + i);
    }
    code[i] = 0;
}

/* The name that a line at the left margin declares: the word before its first punctuation. */
static void name_place(const char *line, char *place)
{
    if (starts_with(line, "#define "))
        line += strlen("#define ");
    const char *end = line + strcspn(line, "(=[{;");
    while (end > line && !is_word(end[-1]))
        end--;
    const char *begin = end;
    while (begin > line && is_word(begin[-1]))
        begin--;
    if (end > begin)
        snprintf(place, MAX_PLACE - 8, "%.*s", (int)(end - begin), begin);
}

static bool is_edited(const char *code, bool continued)
{
    return (continued || code[0] != '#' || starts_with(code, "#define ")) &&
           !strstr(code, "tatic_assert");
}

/* State while a file is read. */
struct reader {
    const char *file;
    uint64_t seed_hash;
    size_t first; /* index of its first edit */
    unsigned number;
    bool in_comment, continued;
    char before; /* the last character of code before the line */
    char place[MAX_PLACE];
};

static void add_line(struct reader *reader, struct edits *edits, const char *raw, const char *mask_)
{
    char padded[MAX_LINE + 2], code[MAX_LINE + 2];
    const char *line = raw + strspn(raw, " ");
    struct edit edit = {.file = reader->file, .number = reader->number};
    snprintf(padded, sizeof padded, " %s ", line);
    snprintf(code, sizeof code, " %s ", mask_ + (line - raw));
    size_t n = strlen(code);
    while (n > 2 && code[n - 2] == ' ')
        n--;
    code[n] = 0; /* one blank stays at the end */
    snprintf(edit.line, sizeof edit.line, "%s", line);
    unsigned occurrence = 1;
    const size_t n_place = strlen(reader->place);
    for (size_t i = reader->first; i < edits->n; i++)
        occurrence += strncmp(edits->items[i].place, reader->place, n_place) == 0 &&
                      strchr("#", edits->items[i].place[n_place]) &&
                      strcmp(edits->items[i].line, line) == 0;
    snprintf(edit.place, sizeof edit.place, occurrence > 1 ? "%s#%u" : "%s", reader->place,
             occurrence);
    edit.line_hash =
        hash_mixed(hash_more(hash_more(hash_more(reader->seed_hash, edit.file), edit.place), line));
    offer_operators(&edit, padded, code);
    offer_constants(&edit, padded, code);
    offer_indexes(&edit, padded, code);
    offer_conditions(&edit, padded, code);
    offer_removal(&edit, padded, code, reader->before);
    if (!edit.edited[0])
        return;
    if ((edits->n & (edits->n - 1)) == 0) /* the array is full at each power of two */
        edits->items = realloc(edits->items, (edits->n ? 2 * edits->n : 1) * sizeof *edits->items);
    if (!edits->items)
        abort();
    edits->items[edits->n++] = edit;
}

static bool add_file(struct edits *edits, const char *file, const char *seed)
{
    struct reader reader = {.file = file, .first = edits->n, .place = "-", .before = ';'};
    char line[MAX_LINE], code[MAX_LINE];
    FILE *in = fopen(file, "r");
    if (!in)
        return false;
    reader.seed_hash = hash_more(0xcbf29ce484222325, seed);
    while (fgets(line, sizeof line, in)) {
        reader.number++;
        line[strcspn(line, "\n")] = 0;
        mask(line, code, &reader.in_comment);
        if (isalpha((unsigned char)code[0]) || starts_with(code, "#define "))
            name_place(code, reader.place);
        if (is_edited(code, reader.continued))
            add_line(&reader, edits, line, code);
        size_t n = strlen(code);
        reader.continued = n && code[n - 1] == '\\';
        while (n && code[n - 1] == ' ')
            n--;
        if (n)
            reader.before = code[0] == '#' ? ';' : code[n - 1];
    }
    fclose(in);
    return true;
}

static int by_hash(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    return (x->line_hash > y->line_hash) - (x->line_hash < y->line_hash);
}

int main(int argc, char **argv)
{
    struct edits edits = {0};
    if (argc < 4) {
        fprintf(stderr, "usage: edits N SEED FILE...\n");
        return 2;
    }
    for (int i = 3; i < argc; i++)
        if (!add_file(&edits, argv[i], argv[2])) {
            fprintf(stderr, "edits: %s: cannot read\n", argv[i]);
            return 2;
        }
    const size_t n = strtoul(argv[1], NULL, 10);
    if (edits.n)
        qsort(edits.items, edits.n, sizeof *edits.items, by_hash);
    for (size_t i = 0; i < edits.n && i < n; i++)
        printf("%s\t%u\t%s\t%s\t%s\n", edits.items[i].file, edits.items[i].number,
               edits.items[i].place, edits.items[i].line, edits.items[i].edited);
    free(edits.items);
    return 0;
}
