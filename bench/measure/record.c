/* Records as lines. */
#include "bench/measure/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[BO_RECORD_TYPE_COUNT] = {
    [BO_RECORD_START] = "start", [BO_RECORD_TIME] = "time",       [BO_RECORD_EXACT] = "exact",
    [BO_RECORD_FAIL] = "fail",   [BO_RECORD_PAYLOAD] = "payload", [BO_RECORD_END] = "end",
};

void bo_record_count(struct bo_record *record, const char *name, double value)
{
    if (record->n_counters == BO_MAX_COUNTERS || strlen(name) >= BO_COUNTER_NAME)
        abort();
    struct bo_counter *counter = &record->counters[record->n_counters++];
    strcpy(counter->name, name);
    counter->value = value;
}

const struct bo_counter *bo_record_counter(const struct bo_record *record, const char *name)
{
    for (unsigned i = 0; i < record->n_counters; i++)
        if (strcmp(record->counters[i].name, name) == 0)
            return &record->counters[i];
    return NULL;
}

void bo_record_print(const struct bo_record *record, FILE *out)
{
    fprintf(out, "%s %u %" PRIu64 " %.17g %.17g", type_names[record->type], record->row,
            record->iterations, record->real_ns, record->cpu_ns);
    for (unsigned i = 0; i < record->n_counters; i++)
        fprintf(out, " %s=%.17g", record->counters[i].name, record->counters[i].value);
    fputs(" | ", out);
    for (const char *p = record->message; *p; p++)
        putc((unsigned char)*p < ' ' ? ' ' : *p, out);
    putc('\n', out);
}

static bool parse_type(const char **p, enum bo_record_type *type_ret)
{
    for (unsigned t = 0; t < BO_RECORD_TYPE_COUNT; t++) {
        const size_t n = strlen(type_names[t]);
        if (strncmp(*p, type_names[t], n) == 0 && (*p)[n] == ' ') {
            *p += n + 1;
            *type_ret = t;
            return true;
        }
    }
    return false;
}

/* A decimal number and the space after it. */
static bool parse_count(const char **p, uint64_t *v_ret)
{
    if (**p < '0' || **p > '9')
        return false;
    char *end;
    errno = 0;
    *v_ret = strtoull(*p, &end, 10);
    if (errno || *end != ' ')
        return false;
    *p = end + 1;
    return true;
}

static bool parse_real(const char **p, double *v_ret)
{
    if (**p == ' ')
        return false;
    char *end;
    *v_ret = strtod(*p, &end);
    if (end == *p || *end != ' ')
        return false;
    *p = end + 1;
    return true;
}

static bool parse_counter(const char **p, struct bo_record *record)
{
    const size_t n = strcspn(*p, "= ");
    if ((*p)[n] != '=' || n == 0 || n >= BO_COUNTER_NAME || record->n_counters == BO_MAX_COUNTERS)
        return false;
    struct bo_counter *counter = &record->counters[record->n_counters++];
    memcpy(counter->name, *p, n);
    counter->name[n] = 0;
    *p += n + 1;
    return parse_real(p, &counter->value);
}

bool bo_record_parse(const char *line, struct bo_record *record_ret)
{
    const char *p = line;
    uint64_t row;
    *record_ret = (struct bo_record){0};
    if (!parse_type(&p, &record_ret->type) || !parse_count(&p, &row) || row > UINT32_MAX ||
        !parse_count(&p, &record_ret->iterations) || !parse_real(&p, &record_ret->real_ns) ||
        !parse_real(&p, &record_ret->cpu_ns))
        return false;
    record_ret->row = (unsigned)row;
    while (*p != '|')
        if (!parse_counter(&p, record_ret))
            return false;
    if (p[1] != ' ' || strlen(p + 2) >= BO_MAX_MESSAGE)
        return false;
    strcpy(record_ret->message, p + 2);
    return true;
}
