/* v4-text: a recursive-descent parser; the depth of instances bounds the recursion. */
#include "codecs/autofdo/model.h"
#include "codecs/autofdo/v4/text.h"
#include "codecs/autofdo/v4/v4.h"
#include "harness/core/text.h"

/* Elements of lists that are being read, those of inner lists above those of outer ones. */
struct stack {
    uint8_t *p;
    size_t n, cap; /* elements */
};

struct parser {
    struct stack records, targets, callsites;
    struct bo_cursor at;
    struct bo_arena *arena;
    struct bo_error *err;
    struct autofdo_v4_found *functions;
    size_t n_functions, cap_functions;
    struct autofdo_v4_named *files;
    size_t n_files, cap_files;
    struct autofdo_name_table function_names, callee_names;
};

static enum bo_status fail_at(const struct parser *p, enum bo_status status, size_t off,
                              const char *what)
{
    return bo_fail(p->err, status, off, what);
}

static enum bo_status fail_alloc(const struct parser *p)
{
    return bo_fail_alloc(p->err, p->arena);
}

/* Fails because another token than expected, or the end of the text, is here. */
static enum bo_status fail_expected(const struct parser *p, const char *what)
{
    return bo_left(&p->at) ? fail_at(p, BO_CORRUPT, p->at.off, what)
                           : fail_at(p, BO_TRUNCATED, p->at.off, "text is incomplete");
}

/* Puts an element of nbytes on the stack; false when the arena refuses. */
static bool push(struct parser *p, struct stack *stack, const void *element, size_t nbytes)
{
    if (!bo_grow_elements(p->arena, &stack->p, stack->n, 1, &stack->cap, 16, nbytes))
        return false;
    memcpy(stack->p + stack->n++ * nbytes, element, nbytes);
    return true;
}

/* The element pushed last, of those from `base` on; NULL on an empty range. */
static const void *top(const struct stack *stack, size_t base, size_t nbytes)
{
    return stack->n > base ? stack->p + (stack->n - 1) * nbytes : NULL;
}

/* Moves all elements from `base` on from the stack to an array of their own. */
static void *pop(struct parser *p, struct stack *stack, size_t base, size_t nbytes)
{
    void *array = bo_alloc_array(p->arena, stack->n - base, nbytes);
    if (array && stack->n > base)
        memcpy(array, stack->p + base * nbytes, (stack->n - base) * nbytes);
    stack->n = base;
    return array;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* Blanks, ends of lines, and comments: from # to the end of the line. */
static void skip_blanks(struct parser *p)
{
    struct bo_cursor *at = &p->at;
    bool in_comment = false;
    for (; at->off < at->n; at->off++) {
        const uint8_t byte = at->p[at->off];
        if (byte == '#')
            in_comment = true;
        else if (byte == '\n')
            in_comment = false;
        else if (!in_comment && byte != ' ' && byte != '\t' && byte != '\r')
            return;
    }
}

/* Skips the byte if it is next. */
static bool take_byte(struct parser *p, uint8_t byte)
{
    skip_blanks(p);
    if (!bo_left(&p->at) || p->at.p[p->at.off] != byte)
        return false;
    p->at.off++;
    return true;
}

/* Skips the word if it is next, and not the start of a longer word. */
static bool take_word(struct parser *p, const char *word)
{
    const size_t n = strlen(word);
    skip_blanks(p);
    const uint8_t *next = p->at.p + p->at.off;
    if (bo_left(&p->at) < n || memcmp(next, word, n) != 0 ||
        (bo_left(&p->at) > n && autofdo_v4_text_is_rest(next[n])))
        return false;
    p->at.off += n;
    return true;
}

static bool take_arrow(struct parser *p)
{
    skip_blanks(p);
    if (bo_left(&p->at) < 2 || memcmp(p->at.p + p->at.off, "->", 2) != 0)
        return false;
    p->at.off += 2;
    return true;
}

static enum bo_status take_integer(struct parser *p, uint64_t max, const char *too_high,
                                   uint64_t *v_ret)
{
    skip_blanks(p);
    const size_t off = p->at.off;
    struct bo_span digits = {p->at.p + off, 0};
    while (off + digits.n < p->at.n && is_digit(digits.p[digits.n]))
        digits.n++;
    if (digits.n == 0)
        return fail_expected(p, "expected an integer");
    if (digits.n > 1 && digits.p[0] == '0')
        return fail_at(p, BO_CORRUPT, off, "integer begins with 0");
    if (!bo_parse_u64(digits, max, v_ret))
        return fail_at(p, BO_CORRUPT, off, too_high);
    p->at.off += digits.n;
    return BO_OK;
}

static enum bo_status take_count(struct parser *p, uint64_t *count_ret)
{
    if (!take_byte(p, '='))
        return fail_expected(p, "expected =");
    return take_integer(p, UINT64_MAX, "count is above 2^64 - 1", count_ret);
}

static enum bo_status take_place(struct parser *p, uint32_t *line_ret, uint32_t *discriminator_ret)
{
    uint64_t line = 0, discriminator = 0;
    enum bo_status status = take_integer(p, AUTOFDO_MAX_LINE, "line is above 65535", &line);
    if (!status && bo_left(&p->at) && p->at.p[p->at.off] == '.') {
        const size_t off = ++p->at.off;
        if (!bo_left(&p->at) || !is_digit(p->at.p[off]))
            return fail_expected(p, "expected a discriminator");
        status = take_integer(p, UINT32_MAX, "discriminator is above 2^32 - 1", &discriminator);
        if (!status && discriminator == 0)
            return fail_at(p, BO_CORRUPT, off, "discriminator is 0");
    }
    *line_ret = (uint32_t)line;
    *discriminator_ret = (uint32_t)discriminator;
    return status;
}

/* A hexadecimal digit's value and one; 0: no such digit. */
static const uint8_t hex_digits[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

/* Bytes of the escape that starts with the backslash at `at`; 0 when it is invalid. */
static size_t escape_nbytes(const uint8_t *at, const uint8_t *end)
{
    if (end - at >= 4 && at[1] == 'x' && hex_digits[at[2]] * hex_digits[at[3]] != 0)
        return 4;
    return end - at >= 2 && (at[1] == '"' || at[1] == '\\') ? 2 : 0;
}

/* Copies a string's text of n bytes, whose escapes are all valid. */
static enum bo_status copy_string(struct parser *p, const uint8_t *in, size_t n,
                                  struct bo_span *text_ret)
{
    uint8_t *copy = bo_alloc(p->arena, n);
    if (!copy)
        return fail_alloc(p);
    for (size_t i = 0; i < n; i++)
        if (*in != '\\') {
            copy[i] = *in++;
        } else if (in[1] != 'x') {
            copy[i] = in[1];
            in += 2;
        } else {
            copy[i] = (uint8_t)((hex_digits[in[2]] - 1) << 4 | (hex_digits[in[3]] - 1));
            in += 4;
        }
    *text_ret = (struct bo_span){copy, n};
    return BO_OK;
}

static enum bo_status take_string(struct parser *p, struct bo_span *text_ret)
{
    skip_blanks(p);
    if (!take_byte(p, '"'))
        return fail_expected(p, "expected \"");
    const uint8_t *const first = p->at.p + p->at.off, *const end = p->at.p + p->at.n, *at = first;
    const uint8_t *bad_escape = NULL;
    size_t n = 0; /* bytes without escapes */
    for (; at < end && *at >= ' ' && *at != '"'; at++, n++) {
        if (*at != '\\')
            continue;
        const size_t nbytes = escape_nbytes(at, end);
        if (!nbytes && !bad_escape)
            bad_escape = at;
        at += nbytes ? nbytes - 1 : end - at > 1;
    }
    p->at.off = (size_t)(at - p->at.p);
    if (at >= end || *at != '"')
        return fail_expected(p, "control character in a string");
    if (bad_escape)
        return fail_at(p, BO_CORRUPT, (size_t)(bad_escape - p->at.p), "unknown escape");
    p->at.off++;
    *text_ret = (struct bo_span){first, n};
    return n < (size_t)(at - first) ? copy_string(p, first, n, text_ret) : BO_OK;
}

static enum bo_status take_name(struct parser *p, struct bo_span *name_ret)
{
    skip_blanks(p);
    const size_t off = p->at.off;
    struct bo_span name = {p->at.p + off, 0};
    enum bo_status status = BO_OK;
    if (bo_left(&p->at) && autofdo_v4_text_is_first(name.p[0])) {
        while (bo_left(&p->at) && autofdo_v4_text_is_rest(p->at.p[p->at.off]))
            p->at.off++;
        name.n = p->at.off - off;
    } else {
        status = bo_left(&p->at) && name.p[0] != '"' ? fail_expected(p, "expected a name")
                                                     : take_string(p, &name);
    }
    if (!status && autofdo_name_flaw(name))
        return fail_at(p, BO_CORRUPT, off, autofdo_name_flaw(name));
    *name_ret = name;
    return status;
}

static enum bo_status take_path(struct parser *p, struct bo_span *path_ret)
{
    skip_blanks(p);
    const size_t off = p->at.off;
    const enum bo_status status = take_string(p, path_ret);
    if (!status && autofdo_path_flaw(*path_ret))
        return fail_at(p, BO_CORRUPT, off, autofdo_path_flaw(*path_ret));
    return status;
}

/* After an entry of a list in braces: another one comes, or the closing brace. */
static enum bo_status take_separator(struct parser *p, bool *goes_on_ret)
{
    *goes_on_ret = take_byte(p, ',');
    return *goes_on_ret || take_byte(p, '}') ? BO_OK : fail_expected(p, "expected , or }");
}

static enum bo_status take_open_list(struct parser *p)
{
    if (!take_byte(p, '='))
        return fail_expected(p, "expected =");
    return take_byte(p, '{') ? BO_OK : fail_expected(p, "expected {");
}

/* ---- instances ------------------------------------------------------------------------------- */

static bool records_follow(const struct autofdo_record *a, const struct autofdo_record *b)
{
    return !a ||
           autofdo_place(a->line, a->discriminator) < autofdo_place(b->line, b->discriminator);
}

static enum bo_status parse_counts(struct parser *p, struct autofdo_instance *instance,
                                   struct autofdo_record **records_ret)
{
    const size_t base = p->records.n;
    bool goes_on = true;
    enum bo_status status = take_open_list(p);
    while (!status && goes_on) {
        struct autofdo_record record = {.line = 0};
        skip_blanks(p);
        const size_t off = p->at.off;
        status = take_place(p, &record.line, &record.discriminator);
        if (!status && !records_follow(top(&p->records, base, sizeof record), &record))
            return fail_at(p, BO_CORRUPT, off, "places are not in order");
        if (!status)
            status = take_count(p, &record.count);
        if (!status)
            status = take_separator(p, &goes_on);
        if (!status && !push(p, &p->records, &record, sizeof record))
            return fail_alloc(p);
    }
    if (status)
        return status;
    instance->n_records = p->records.n - base;
    instance->records = *records_ret = pop(p, &p->records, base, sizeof **records_ret);
    return *records_ret ? BO_OK : fail_alloc(p);
}

static bool targets_follow(const struct autofdo_target *a, const struct autofdo_target *b)
{
    return !a || bo_span_compare(a->name, b->name) < 0;
}

static enum bo_status parse_targets(struct parser *p, struct autofdo_record *record)
{
    const size_t base = p->targets.n;
    bool goes_on = true;
    enum bo_status status = take_byte(p, '{') ? BO_OK : fail_expected(p, "expected {");
    while (!status && goes_on) {
        struct autofdo_target target = {{NULL, 0}, 0};
        skip_blanks(p);
        const size_t off = p->at.off;
        status = take_name(p, &target.name);
        if (!status && !targets_follow(top(&p->targets, base, sizeof target), &target))
            return fail_at(p, BO_CORRUPT, off, "targets are not in order");
        if (!status)
            status = take_count(p, &target.count);
        if (!status)
            status = take_separator(p, &goes_on);
        if (!status && !push(p, &p->targets, &target, sizeof target))
            return fail_alloc(p);
    }
    if (status)
        return status;
    record->n_targets = p->targets.n - base;
    record->targets = pop(p, &p->targets, base, sizeof *record->targets);
    return record->targets ? BO_OK : fail_alloc(p);
}

/* Places of targets have counts, and are in the order of these counts. */
static enum bo_status parse_callsites(struct parser *p, struct autofdo_record *records, size_t n)
{
    size_t i = 0;
    bool goes_on = true;
    enum bo_status status = take_open_list(p);
    while (!status && goes_on) {
        uint32_t line = 0, discriminator = 0;
        skip_blanks(p);
        const size_t off = p->at.off;
        status = take_place(p, &line, &discriminator);
        if (status)
            return status;
        const uint64_t place = autofdo_place(line, discriminator);
        while (i < n && autofdo_place(records[i].line, records[i].discriminator) < place)
            i++;
        if (i == n || autofdo_place(records[i].line, records[i].discriminator) != place)
            return fail_at(p, BO_CORRUPT, off, "place of a call has no count or is not in order");
        if (!take_arrow(p))
            return fail_expected(p, "expected ->");
        status = parse_targets(p, &records[i++]);
        if (!status)
            status = take_separator(p, &goes_on);
    }
    return status;
}

static enum bo_status parse_instance(struct parser *p, unsigned depth,
                                     struct autofdo_instance *instance);

static bool callsites_follow(const struct autofdo_callsite *a, const struct autofdo_callsite *b)
{
    const uint64_t x = a ? autofdo_place(a->line, a->discriminator) : 0;
    const uint64_t y = autofdo_place(b->line, b->discriminator);
    return !a || x < y || (x == y && bo_span_compare(a->callee.name, b->callee.name) < 0);
}

/* A place, the callee's name, and its instance in braces. */
static enum bo_status parse_callsite(struct parser *p, unsigned depth,
                                     const struct autofdo_callsite *last,
                                     struct autofdo_callsite *callsite)
{
    size_t number;
    skip_blanks(p);
    const size_t off = p->at.off;
    enum bo_status status = take_place(p, &callsite->line, &callsite->discriminator);
    if (!status && !take_arrow(p))
        return fail_expected(p, "expected ->");
    if (!status)
        status = take_name(p, &callsite->callee.name);
    if (status)
        return status;
    if (!callsites_follow(last, callsite))
        return fail_at(p, BO_CORRUPT, off, "callees are not in order");
    if (depth == AUTOFDO_MAX_DEPTH)
        return fail_at(p, BO_OVER_LIMIT, off, "instances are nested more than 256 deep");
    if (!autofdo_names_add(&p->callee_names, callsite->callee.name, &number))
        return fail_alloc(p);
    if (!take_byte(p, '{'))
        return fail_expected(p, "expected {");
    return parse_instance(p, depth + 1, &callsite->callee);
}

static enum bo_status parse_inlined(struct parser *p, unsigned depth,
                                    struct autofdo_instance *instance)
{
    const size_t base = p->callsites.n;
    bool goes_on = true;
    enum bo_status status = take_open_list(p);
    while (!status && goes_on) {
        struct autofdo_callsite callsite = {.line = 0};
        status = parse_callsite(p, depth, top(&p->callsites, base, sizeof callsite), &callsite);
        if (!status)
            status = take_separator(p, &goes_on);
        if (!status && !push(p, &p->callsites, &callsite, sizeof callsite))
            return fail_alloc(p);
    }
    if (status)
        return status;
    instance->n_callsites = p->callsites.n - base;
    instance->callsites = pop(p, &p->callsites, base, sizeof *instance->callsites);
    return instance->callsites ? BO_OK : fail_alloc(p);
}

/* The contents of an instance's braces, and the closing brace. */
static enum bo_status parse_instance(struct parser *p, unsigned depth,
                                     struct autofdo_instance *instance)
{
    struct autofdo_record *records = NULL;
    enum bo_status status = BO_OK;
    if (take_word(p, "counts"))
        status = parse_counts(p, instance, &records);
    if (!status && take_word(p, "callsites"))
        status = parse_callsites(p, records, instance->n_records);
    if (!status && take_word(p, "inlined"))
        status = parse_inlined(p, depth, instance);
    if (!status && !take_byte(p, '}'))
        return fail_expected(p, "expected counts, callsites, inlined or }, in this order");
    return status;
}

/* ---- functions and files --------------------------------------------------------------------- */

static enum bo_status add_file(struct parser *p, struct autofdo_file file, size_t off)
{
    if (!bo_grow(p->arena, &p->files, p->n_files, 1, &p->cap_files))
        return fail_alloc(p);
    p->files[p->n_files++] = (struct autofdo_v4_named){file, off};
    return BO_OK;
}

/* Parses what follows the word `function`. */
static enum bo_status parse_function(struct parser *p, struct autofdo_v4_found *found)
{
    size_t number;
    struct autofdo_function *function = &found->function;
    *found = (struct autofdo_v4_found){.off = p->at.off};
    enum bo_status status = take_name(p, &function->body.name);
    if (!status && !autofdo_names_add(&p->function_names, function->body.name, &number))
        return fail_alloc(p);
    if (!status && !take_byte(p, '{'))
        return fail_expected(p, "expected {");
    if (!status && !take_word(p, "head"))
        return fail_expected(p, "expected head");
    if (!status)
        status = take_count(p, &function->head);
    if (!status && take_word(p, "timestamp")) {
        skip_blanks(p);
        const size_t off = p->at.off;
        status = take_count(p, &function->timestamp);
        if (!status && function->timestamp == 0)
            return fail_at(p, BO_CORRUPT, off, "timestamp is 0");
    }
    return status ? status : parse_instance(p, 1, &function->body);
}

/* The functions of one file, up to the closing brace; path is NULL where they have none. */
static enum bo_status parse_functions(struct parser *p, const struct bo_span *path)
{
    enum bo_status status = BO_OK;
    if (!take_byte(p, '{'))
        return fail_expected(p, "expected {");
    do {
        struct autofdo_v4_found found;
        if (!take_word(p, "function"))
            return fail_expected(p, "expected function");
        skip_blanks(p);
        status = parse_function(p, &found);
        if (status)
            return status;
        if (!bo_grow(p->arena, &p->functions, p->n_functions, 1, &p->cap_functions))
            return fail_alloc(p);
        p->functions[p->n_functions++] = found;
        if (path)
            status = add_file(p, (struct autofdo_file){found.function.body.name, *path}, found.off);
    } while (!status && !take_byte(p, '}'));
    return status;
}

static enum bo_status parse_file(struct parser *p)
{
    struct bo_span path;
    skip_blanks(p);
    if (!bo_left(&p->at) || p->at.p[p->at.off] != '"')
        return parse_functions(p, NULL);
    const enum bo_status status = take_path(p, &path);
    return status ? status : parse_functions(p, &path);
}

/* The files of callees that are not functions of their own. */
static enum bo_status parse_callee_files(struct parser *p)
{
    bool goes_on = true;
    enum bo_status status = take_open_list(p);
    while (!status && goes_on) {
        struct autofdo_file file;
        size_t number;
        skip_blanks(p);
        const size_t off = p->at.off;
        status = take_name(p, &file.name);
        if (status)
            return status;
        if (!autofdo_names_find(&p->callee_names, file.name, &number))
            return fail_at(p, BO_CORRUPT, off, "file of a name that is not inlined");
        if (autofdo_names_find(&p->function_names, file.name, &number))
            return fail_at(p, BO_CORRUPT, off, "file of a function is already given by its name");
        if (!take_byte(p, '='))
            return fail_expected(p, "expected =");
        status = take_path(p, &file.path);
        if (!status)
            status = add_file(p, file, off);
        if (!status)
            status = take_separator(p, &goes_on);
    }
    return status;
}

static enum bo_status parse_profile(struct parser *p)
{
    uint64_t version = 0;
    if (!take_word(p, "gcov"))
        return fail_expected(p, "expected gcov");
    skip_blanks(p);
    const size_t off = p->at.off;
    enum bo_status status = take_integer(p, UINT64_MAX, "version is above 2^64 - 1", &version);
    if (!status && version != AUTOFDO_V4_VERSION)
        return fail_at(p, BO_UNSUPPORTED, off, "version is not 4");
    while (!status && take_word(p, "file"))
        status = parse_file(p);
    if (!status && take_word(p, "files"))
        status = parse_callee_files(p);
    skip_blanks(p);
    if (!status && bo_left(&p->at))
        return fail_expected(p, "expected file, files or the end");
    return status;
}

enum bo_status autofdo_v4_text_decode(const struct bo_codec *self, struct bo_span in,
                                      struct bo_arena *arena, void **model_ret,
                                      struct bo_error *err)
{
    struct parser p = {.at = bo_cursor(in), .arena = arena, .err = err};
    struct autofdo_model *model = NULL;
    if (!autofdo_names_init(&p.function_names, 0, arena) ||
        !autofdo_names_init(&p.callee_names, 0, arena))
        return fail_alloc(&p);
    enum bo_status status = parse_profile(&p);
    if (!status)
        status =
            autofdo_v4_assemble(p.functions, p.n_functions, p.files, p.n_files, arena, &model, err);
    *model_ret = model;
    return status;
}
