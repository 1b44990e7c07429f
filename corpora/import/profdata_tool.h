/* Runs LLVM's own program on a profile, so that LLVM's binary files can be read. */
#ifndef PROFDATA_TOOL_H
#define PROFDATA_TOOL_H

#include "harness/core/arena.h"
#include "harness/core/bytes.h"
#include "harness/core/error.h"

enum { PROFDATA_MAX_ARGS = 7 };

/* Which program is run, and how. */
struct profdata_tool {
    /*
     * Of the programs on the PATH: the newest of llvm-profdata-22 to -14, then plain llvm-profdata,
     * whose version is unknown; or the plain one before all others.
     */
    bool newest_first;
    /* It reads /dev/stdin and prints the text form; ends with NULL. At most 31 bytes each. */
    const char *args[PROFDATA_MAX_ARGS + 1];
};

/*
 * The profile's text form as the program prints it, in `arena`. BO_UNSUPPORTED when there is no
 * such program; BO_CORRUPT when it refuses the profile, with what it says for a phrase (in
 * `arena`, one line); BO_IO when it cannot be run.
 */
enum bo_status profdata_tool_text(const struct profdata_tool *tool, struct bo_span profile,
                                  struct bo_arena *arena, struct bo_span *text_ret,
                                  struct bo_error *err);

#endif
