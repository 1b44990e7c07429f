/* Records of measuring processes. */
#include "bench/measure/record.h"

#include <stdlib.h>
#include <string.h>

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

bool bo_record_is_valid(const struct bo_record *record)
{
    if (record->type >= BO_RECORD_TYPE_COUNT || record->n_counters > BO_MAX_COUNTERS)
        return false;
    for (unsigned i = 0; i < record->n_counters; i++)
        if (!memchr(record->counters[i].name, 0, BO_COUNTER_NAME))
            return false;
    return memchr(record->message, 0, BO_MAX_MESSAGE) != NULL;
}
