/*
 * Reading the text form of AutoFDO in one pass; text.c describes the syntax.
 *
 * Functions, records and callsites may come in any order. Records and callsites of one place (and
 * name) are added, as in LLVM; a sum above 2^64 - 1 is an error, as in LLVM. What LLVM would drop
 * without an error is an error, too.
 */
#include <stdlib.h>

#include "codecs/autofdo/model.h"
#include "codecs/autofdo/text.h"

/* ---- what is being read ---------------------------------------------------------------------- */

/* An instance whose lines are being read. */
struct level {
    struct bo_span name;
    uint32_t line, discriminator; /* where it is inlined */
    struct autofdo_record *records;
    struct autofdo_callsite *callsites;
    size_t n_records, cap_records; /* the room is reused for the next instance of this depth */
    size_t n_callsites, cap_callsites;
};

struct read_function {
    struct autofdo_function function;
    size_t off; /* of its line */
};

struct read_file {
    struct autofdo_file file;
    size_t off; /* of its line */
};

struct parser {
    struct bo_span text;
    size_t off;         /* where the line after this one starts */
    const uint8_t *p;   /* in this line: what is read next */
    const uint8_t *end; /* of this line */
    struct bo_arena *arena;
    struct bo_error *err;
    struct autofdo_name_table names; /* all names read so far, copied */
    struct level levels[AUTOFDO_MAX_DEPTH];
    unsigned depth;       /* instances that are open: the function's is levels[0] */
    bool is_canonical;    /* nothing in this function is out of order or duplicate so far */
    uint64_t head;        /* of this function */
    size_t function_off;  /* and where its line starts */
    uint64_t timestamp;   /* of the next function, or 0 */
    size_t timestamp_off; /* and where its line starts, while has_timestamp */
    bool has_timestamp;
    struct autofdo_target *targets; /* of this record */
    size_t cap_targets;
    struct read_function *functions;
    size_t n_functions, cap_functions;
    struct read_file *files;
    size_t n_files, cap_files;
};

static enum bo_status fail_at(const struct parser *p, const uint8_t *at, enum bo_status status,
                              const char *what)
{
    return bo_fail(p->err, status, (uint64_t)(at - p->text.p), what);
}

static enum bo_status fail_memory(const struct parser *p)
{
    return bo_fail_alloc(p->err, p->arena);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Reads a decimal number up to max at *at and advances *at; otherwise false, *at unchanged. */
static bool scan_number(const uint8_t **at, const uint8_t *end, uint64_t max, uint64_t *v_ret)
{
    const uint8_t *p = *at;
    uint64_t v = 0;
    for (; p < end && is_digit(*p); p++) {
        const uint64_t digit = *p - (uint64_t)'0';
        if (v > (max - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    if (p == *at)
        return false;
    *at = p;
    *v_ret = v;
    return true;
}

static bool take_number(struct parser *p, uint64_t max, uint64_t *v_ret)
{
    return scan_number(&p->p, p->end, max, v_ret);
}

static bool take_byte(struct parser *p, uint8_t c)
{
    if (p->p == p->end || *p->p != c)
        return false;
    p->p++;
    return true;
}

/*
 * Reads the number between the last colon before *end and *end, and moves *end to that colon. If no
 * number up to 2^64 - 1 is there, returns false and does not change *end.
 */
static bool take_last_number(const struct parser *p, const uint8_t **end, uint64_t *v_ret)
{
    const uint8_t *digits = *end;
    while (digits > p->p && is_digit(digits[-1]))
        digits--;
    const uint8_t *colon = digits - 1;
    if (digits == p->p || *colon != ':' || !scan_number(&digits, *end, UINT64_MAX, v_ret))
        return false;
    *end = colon;
    return true;
}

/* Copies a name; equal names are copied once. */
static enum bo_status keep_name(struct parser *p, const uint8_t *start, const uint8_t *end,
                                struct bo_span *name_ret)
{
    const struct bo_span name = {start, (size_t)(end - start)};
    size_t number;
    if (autofdo_names_find(&p->names, name, &number)) {
        *name_ret = p->names.names[number];
        return BO_OK;
    }
    const char *flaw = autofdo_name_flaw(name);
    if (flaw)
        return fail_at(p, start, BO_CORRUPT, flaw);
    *name_ret = name;
    return bo_keep_span(p->arena, name_ret) && autofdo_names_add(&p->names, *name_ret, &number)
               ? BO_OK
               : fail_memory(p);
}

/* ---- instances ------------------------------------------------------------------------------- */

static void open_instance(struct parser *p, struct bo_span name, uint32_t line,
                          uint32_t discriminator)
{
    struct level *level = &p->levels[p->depth++];
    level->name = name;
    level->line = line;
    level->discriminator = discriminator;
    level->n_records = level->n_callsites = 0;
}

/* Copies the contents of an instance to the model. */
static bool keep_instance(struct parser *p, const struct level *level,
                          struct autofdo_instance *instance)
{
    const size_t n_records = level->n_records, n_callsites = level->n_callsites;
    struct autofdo_record *records = bo_alloc_array(p->arena, n_records, sizeof *records);
    struct autofdo_callsite *callsites = bo_alloc_array(p->arena, n_callsites, sizeof *callsites);
    if (!records || !callsites)
        return false;
    if (n_records)
        memcpy(records, level->records, n_records * sizeof *records);
    if (n_callsites)
        memcpy(callsites, level->callsites, n_callsites * sizeof *callsites);
    *instance = (struct autofdo_instance){level->name, n_records, n_callsites, records, callsites};
    return true;
}

/* Closes the innermost instance, which was inlined, and puts it into the one around it. */
static enum bo_status close_callee(struct parser *p)
{
    const struct level *level = &p->levels[--p->depth];
    struct level *around = &p->levels[p->depth - 1];
    const size_t n = around->n_callsites;
    if (!bo_grow(p->arena, &around->callsites, n, 1, &around->cap_callsites))
        return fail_memory(p);
    struct autofdo_callsite *const callsites = around->callsites;
    around->n_callsites++;
    callsites[n].line = level->line;
    callsites[n].discriminator = level->discriminator;
    if (!keep_instance(p, level, &callsites[n].callee))
        return fail_memory(p);
    if (n) {
        const uint64_t before =
            autofdo_place(callsites[n - 1].line, callsites[n - 1].discriminator);
        const uint64_t place = autofdo_place(level->line, level->discriminator);
        p->is_canonical &=
            before < place ||
            (before == place && bo_span_compare(callsites[n - 1].callee.name, level->name) < 0);
    }
    return BO_OK;
}

/* Closes instances until only `depth` are open; the function's own instance stays open. */
static enum bo_status close_callees(struct parser *p, unsigned depth)
{
    enum bo_status status = BO_OK;
    while (p->depth > depth && !status)
        status = close_callee(p);
    return status;
}

/* Closes the function, if one is open, and brings it into canonical order. */
static enum bo_status close_function(struct parser *p)
{
    if (p->depth == 0)
        return BO_OK;
    enum bo_status status = close_callees(p, 1);
    if (status)
        return status;
    if (!bo_grow(p->arena, &p->functions, p->n_functions, 1, &p->cap_functions))
        return fail_memory(p);
    p->depth = 0;
    struct read_function *read = &p->functions[p->n_functions++];
    *read = (struct read_function){{.head = p->head, .timestamp = p->timestamp}, p->function_off};
    if (!keep_instance(p, &p->levels[0], &read->function.body))
        return fail_memory(p);
    if (!p->is_canonical) {
        const struct autofdo_instance raw = read->function.body, *const part = &raw;
        uint64_t n_saturated = 0;
        status = autofdo_sum_instances(&part, 1, false, p->arena, &read->function.body,
                                       &n_saturated, p->err);
        if (!status && n_saturated)
            return bo_fail(p->err, BO_CORRUPT, p->function_off,
                           "counts of one place add up to more than 2^64 - 1");
    }
    return status;
}

/* ---- lines inside a function ----------------------------------------------------------------- */

static int compare_targets(const void *a, const void *b)
{
    const struct autofdo_target *x = a, *y = b;
    return bo_span_compare(x->name, y->name);
}

/* The end of ` NAME:COUNT`: the first colon with digits, and then a blank or the line's end. */
static const uint8_t *find_target_end(const struct parser *p)
{
    bool after_colon = false;
    for (const uint8_t *at = p->p; at < p->end; at++) {
        if (after_colon && *at == ' ' && at[-1] != ':')
            return at;
        after_colon = *at == ':' || (after_colon && is_digit(*at));
    }
    return p->end;
}

/* The next ` NAME:COUNT` of a record's line. LLVM allows several blanks, and blanks in names. */
static enum bo_status take_target(struct parser *p, struct autofdo_target *target)
{
    while (take_byte(p, ' '))
        ;
    const uint8_t *start = p->p, *end = find_target_end(p);
    const uint8_t *name_end = end;
    if (!take_last_number(p, &name_end, &target->count))
        return fail_at(p, start, BO_CORRUPT, "target is not NAME:COUNT");
    p->p = end;
    return keep_name(p, start, name_end, &target->name);
}

/* The rest of a record's line. */
static enum bo_status take_targets(struct parser *p, struct autofdo_record *record)
{
    const uint8_t *start = p->p;
    size_t n = 0;
    while (p->p < p->end) {
        if (!bo_grow(p->arena, &p->targets, n, 1, &p->cap_targets))
            return fail_memory(p);
        const enum bo_status status = take_target(p, &p->targets[n++]);
        if (status)
            return status;
    }
    struct autofdo_target *kept = bo_alloc_array(p->arena, n, sizeof *kept);
    if (!kept)
        return fail_memory(p);
    memcpy(kept, p->targets, n * sizeof *kept);
    qsort(kept, n, sizeof *kept, compare_targets);
    for (size_t i = 1; i < n; i++)
        if (compare_targets(&kept[i - 1], &kept[i]) == 0)
            return fail_at(p, start, BO_CORRUPT, "record has two targets with the same name");
    record->targets = kept;
    record->n_targets = n;
    return BO_OK;
}

/* ` COUNT [NAME:COUNT]...` */
static enum bo_status take_record(struct parser *p, uint32_t line, uint32_t discriminator)
{
    struct level *level = &p->levels[p->depth - 1];
    const size_t n = level->n_records;
    if (!bo_grow(p->arena, &level->records, n, 1, &level->cap_records))
        return fail_memory(p);
    struct autofdo_record *record = &level->records[n];
    *record = (struct autofdo_record){.line = line, .discriminator = discriminator};
    if (!take_number(p, UINT64_MAX, &record->count))
        return fail_at(p, p->p, BO_CORRUPT, "count is not a number below 2^64");
    if (p->p < p->end && *p->p != ' ')
        return fail_at(p, p->p, BO_CORRUPT, "count is not followed by a blank");
    level->n_records++;
    if (n)
        p->is_canonical &= autofdo_place(record[-1].line, record[-1].discriminator) <
                           autofdo_place(line, discriminator);
    return p->p < p->end ? take_targets(p, record) : BO_OK;
}

/* `NAME:TOTAL` opens a callee. */
static enum bo_status take_callee(struct parser *p, uint32_t line, uint32_t discriminator)
{
    const uint8_t *end = p->end;
    uint64_t total;
    struct bo_span name;
    if (!take_last_number(p, &end, &total))
        return fail_at(p, p->p, BO_CORRUPT, "neither a count nor a callee as NAME:TOTAL");
    const enum bo_status status = keep_name(p, p->p, end, &name);
    if (status)
        return status;
    if (p->depth == AUTOFDO_MAX_DEPTH)
        return fail_at(p, p->p, BO_OVER_LIMIT, "instances are nested more than 256 deep");
    open_instance(p, name, line, discriminator);
    return BO_OK;
}

/* A line with n_blanks before p->p: it belongs to the open instance of that depth. */
static enum bo_status take_inner_line(struct parser *p, size_t n_blanks)
{
    uint64_t line, discriminator = 0;
    if (n_blanks > p->depth)
        return fail_at(p, p->p, BO_CORRUPT,
                       p->depth ? "indentation exceeds the number of open instances"
                                : "line outside of a function");
    const enum bo_status status = close_callees(p, (unsigned)n_blanks);
    if (status)
        return status;
    if (*p->p == '!')
        return fail_at(p, p->p, BO_UNSUPPORTED,
                       "metadata (probe checksums, attributes) is not supported");
    if (!take_number(p, AUTOFDO_MAX_LINE, &line))
        return fail_at(p, p->p, BO_CORRUPT, "line is not a number up to 65535");
    if (take_byte(p, '.') && !take_number(p, UINT32_MAX, &discriminator))
        return fail_at(p, p->p, BO_CORRUPT, "discriminator is not a number below 2^32");
    if (!take_byte(p, ':') || !take_byte(p, ' ') || p->p == p->end)
        return fail_at(p, p->p, BO_CORRUPT, "no ': ' and count or callee after a place");
    return is_digit(*p->p) ? take_record(p, (uint32_t)line, (uint32_t)discriminator)
                           : take_callee(p, (uint32_t)line, (uint32_t)discriminator);
}

/* ---- lines outside of functions -------------------------------------------------------------- */

/* `NAME:TOTAL:HEAD` */
static enum bo_status take_header(struct parser *p)
{
    const uint8_t *start = p->p, *end = p->end;
    uint64_t total;
    struct bo_span name;
    enum bo_status status = close_function(p);
    if (status)
        return status;
    if (*start == '[')
        return fail_at(p, start, BO_UNSUPPORTED,
                       "profiles with calling contexts are not supported");
    if (!take_last_number(p, &end, &p->head) || !take_last_number(p, &end, &total))
        return fail_at(p, start, BO_CORRUPT, "function is not NAME:TOTAL:HEAD");
    status = keep_name(p, start, end, &name);
    if (status)
        return status;
    if (!p->has_timestamp)
        p->timestamp = 0;
    p->has_timestamp = false;
    p->is_canonical = true;
    p->function_off = (size_t)(start - p->text.p);
    open_instance(p, name, 0, 0);
    return BO_OK;
}

/* Skips the word and the blank after it, or the word that ends its line. */
static bool take_word(struct parser *p, const char *word)
{
    const size_t n = strlen(word), left = (size_t)(p->end - p->p);
    if (left < n || memcmp(p->p, word, n) != 0 || (left > n && p->p[n] != ' '))
        return false;
    p->p += n + (left > n);
    return true;
}

/*
 * `NAME`, a tab, `PATH`: the path is the rest of the line, or is empty; then the tab may be absent.
 */
static enum bo_status take_file(struct parser *p, const uint8_t *start)
{
    const uint8_t *name_end = p->p;
    while (name_end < p->end && *name_end != '\t')
        name_end++;
    struct autofdo_file file;
    const enum bo_status status = keep_name(p, p->p, name_end, &file.name);
    if (status)
        return status;
    p->p = name_end + (name_end < p->end);
    file.path = (struct bo_span){p->p, (size_t)(p->end - p->p)};
    const char *flaw = autofdo_path_flaw(file.path);
    if (flaw)
        return fail_at(p, p->p, BO_CORRUPT, flaw);
    if (!bo_keep_span(p->arena, &file.path) ||
        !bo_grow(p->arena, &p->files, p->n_files, 1, &p->cap_files))
        return fail_memory(p);
    p->files[p->n_files++] = (struct read_file){file, (size_t)(start - p->text.p)};
    return BO_OK;
}

/* A comment that begins with #@ contains data that LLVM cannot store; others are skipped. */
static enum bo_status take_comment(struct parser *p)
{
    const uint8_t *start = p->p;
    if (p->end - p->p < 2 || p->p[1] != '@')
        return BO_OK;
    p->p += 2;
    if (!take_byte(p, ' '))
        return fail_at(p, start, BO_CORRUPT, "no blank after #@");
    if (take_word(p, "file"))
        return take_file(p, start);
    if (!take_word(p, "timestamp"))
        return fail_at(p, start, BO_CORRUPT, "#@ is neither for a timestamp nor for a file");
    if (p->has_timestamp)
        return fail_at(p, start, BO_CORRUPT, "function has two timestamps");
    const enum bo_status status = close_function(p);
    if (status)
        return status;
    if (!take_number(p, UINT64_MAX, &p->timestamp) || p->p < p->end)
        return fail_at(p, p->p, BO_CORRUPT, "timestamp is not a number below 2^64");
    p->has_timestamp = true;
    p->timestamp_off = (size_t)(start - p->text.p);
    return BO_OK;
}

/* A line between p->p and p->end, which is not empty. */
static enum bo_status take_line(struct parser *p)
{
    if (*p->p == '#')
        return take_comment(p);
    const uint8_t *start = p->p;
    while (take_byte(p, ' '))
        ;
    const size_t n_blanks = (size_t)(p->p - start);
    if (p->p == p->end)
        return fail_at(p, start, BO_CORRUPT, "line has nothing but blanks");
    if (*p->p == '#')
        return BO_OK;
    if (n_blanks == 0)
        return take_header(p);
    if (p->has_timestamp)
        return fail_at(p, start, BO_CORRUPT, "timestamp does not precede a function");
    return take_inner_line(p, n_blanks);
}

static enum bo_status take_lines(struct parser *p)
{
    enum bo_status status = BO_OK;
    while (p->off < p->text.n && !status) {
        const uint8_t *start = p->text.p + p->off;
        const size_t left = p->text.n - p->off;
        const uint8_t *newline = memchr(start, '\n', left);
        size_t n = newline ? (size_t)(newline - start) : left;
        p->off += n + (newline != NULL);
        if (newline && n && start[n - 1] == '\r')
            n--;
        p->p = start;
        p->end = start + n;
        if (n)
            status = take_line(p);
    }
    if (!status && p->has_timestamp)
        return bo_fail(p->err, BO_CORRUPT, p->timestamp_off,
                       "timestamp does not precede a function");
    return status ? status : close_function(p);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int compare_read_functions(const void *a, const void *b)
{
    const struct read_function *x = a, *y = b;
    const int order = autofdo_compare_functions(&x->function, &y->function);
    return order ? order : (x->off > y->off) - (x->off < y->off);
}

/* Sorts functions by name. Of two with one name, LLVM would drop the first. */
static enum bo_status keep_functions(struct parser *p, struct autofdo_model *model)
{
    const size_t n = p->n_functions;
    struct autofdo_function *functions = bo_alloc_array(p->arena, n, sizeof *functions);
    if (!functions)
        return fail_memory(p);
    if (n)
        qsort(p->functions, n, sizeof *p->functions, compare_read_functions);
    for (size_t f = 0; f < n; f++) {
        functions[f] = p->functions[f].function;
        if (f && autofdo_compare_functions(&functions[f - 1], &functions[f]) == 0)
            return bo_fail(p->err, BO_CORRUPT, p->functions[f].off,
                           "two functions have the same name");
    }
    model->n_functions = n;
    model->functions = functions;
    return BO_OK;
}

static int compare_read_files(const void *a, const void *b)
{
    const struct read_file *x = a, *y = b;
    const int order = autofdo_compare_files(&x->file, &y->file);
    return order ? order : (x->off > y->off) - (x->off < y->off);
}

/* Marks, by the numbers of names, those of instances. */
static void mark_instances(const struct parser *p, const struct autofdo_instance *instance,
                           bool *is_instance)
{
    size_t number;
    if (autofdo_names_find(&p->names, instance->name, &number))
        is_instance[number] = true;
    for (size_t i = 0; i < instance->n_callsites; i++)
        mark_instances(p, &instance->callsites[i].callee, is_instance);
}

/* Sorts files by the name of their function, which must be in the profile. */
static enum bo_status keep_files(struct parser *p, struct autofdo_model *model)
{
    const size_t n = p->n_files;
    struct autofdo_file *files = bo_alloc_array(p->arena, n, sizeof *files);
    bool *is_instance = bo_zalloc_array(p->arena, p->names.n, sizeof *is_instance);
    if (!files || !is_instance)
        return fail_memory(p);
    if (n)
        qsort(p->files, n, sizeof *p->files, compare_read_files);
    for (size_t f = 0; f < model->n_functions && n; f++)
        mark_instances(p, &model->functions[f].body, is_instance);
    for (size_t i = 0; i < n; i++) {
        const size_t off = p->files[i].off;
        size_t number = 0;
        files[i] = p->files[i].file;
        if (i && autofdo_compare_files(&files[i - 1], &files[i]) == 0)
            return bo_fail(p->err, BO_CORRUPT, off, "function has two files");
        if (!autofdo_names_find(&p->names, files[i].name, &number) || !is_instance[number])
            return bo_fail(p->err, BO_CORRUPT, off,
                           "file of a function that is not in the profile");
    }
    model->n_files = n;
    model->files = files;
    return BO_OK;
}

enum bo_status autofdo_parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                             struct bo_error *err)
{
    struct parser p = {.text = text, .arena = arena, .err = err};
    const uint8_t *nul = text.n ? memchr(text.p, '\0', text.n) : NULL;
    if (nul)
        return bo_fail(err, BO_CORRUPT, (uint64_t)(nul - text.p), "text holds a NUL");
    struct autofdo_model *model = bo_alloc(arena, sizeof *model);
    if (!model || !autofdo_names_init(&p.names, 0, arena))
        return fail_memory(&p);
    enum bo_status status = take_lines(&p);
    if (!status)
        status = keep_functions(&p, model);
    if (!status)
        status = keep_files(&p, model);
    if (status)
        return status;
    *model_ret = model;
    return BO_OK;
}
