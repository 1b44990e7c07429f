/* Helpers for jansson, for commands that print JSON. */
#ifndef BO_JSON_H
#define BO_JSON_H

#include <jansson.h>
#include <stdbool.h>

/*
 * Prints the value and a newline to standard output, releases the value, and returns the exit code
 * `code`.
 */
int bo_json_print(json_t *value, int code);

#endif
