/* Runs LLVM's own program on a profile, so that LLVM's binary files can be read. */
#ifndef PROFDATA_TOOL_H
#define PROFDATA_TOOL_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"

enum { PROFDATA_MAX_ARGS = 7, PROFDATA_NEWEST = 22, PROFDATA_OLDEST = 14 };

/* A program and its arguments. */
struct profdata_tool {
    /*
     * Tries llvm-profdata-<newest> to -14 in PATH, newest first, then plain llvm-profdata, whose
     * version is unknown. 0: tries plain llvm-profdata first, then -22 to -14
     */
    unsigned newest;
    /* It reads /dev/stdin and prints the text form; ends with NULL. At most 31 bytes each. */
    const char *args[PROFDATA_MAX_ARGS + 1];
};

/*
 * The profile's text form as printed by the program, in `arena`. BO_UNSUPPORTED when no program is
 * found. BO_CORRUPT when it rejects the profile; the phrase is its message (in `arena`, one line).
 * BO_OVER_LIMIT when it exceeds 600 s of processor time, 16 GiB of memory or 4 GiB of output. BO_IO
 * when it cannot be run. It ends when this process does.
 */
enum bo_status profdata_tool_text(const struct profdata_tool *tool, struct bo_span profile,
                                  struct bo_arena *arena, struct bo_span *text_ret,
                                  struct bo_error *err);

#endif
