/* Helpers for jansson. */
#include "cli/json.h"

#include <stdio.h>

int bo_json_print(json_t *value, int code)
{
    const bool ok =
        value && json_dumpf(value, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0;
    putchar('\n');
    json_decref(value);
    return ok ? code : 2;
}
