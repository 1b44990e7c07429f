/* How much code a codec is. */
#ifndef BO_REPORT_CODE_H
#define BO_REPORT_CODE_H

#include "harness/format.h"

struct bo_code_size {
    char file[256];     /* "codecs/pcdata/varint_delta.c" */
    const char *shared; /* the first codec that is in the same file; NULL when this is it */
    long n_lines;       /* all of the file's lines; -1 when it is not at hand */
    long object_nbytes; /* code and constant data of the compiled file; -1 when it is not at hand */
};

/*
 * Codecs that differ in their second part (see axes.h) have one file, called after the first. Looks
 * for the sources in the current folder, then above the program's; for the object beside the
 * program.
 */
struct bo_code_size bo_code_measure(const struct bo_format *format, const struct bo_codec *codec);

#endif
