/* Runs LLVM's own program on a profile, so that .profdata and .profraw can be read. */
#ifndef LPRF_TOOL_H
#define LPRF_TOOL_H

#include "harness/arena.h"
#include "harness/bytes.h"
#include "harness/error.h"

/*
 * The profile as `llvm-profdata merge --text` prints it, in `arena`. Takes the llvm-profdata of the
 * PATH, else the newest of llvm-profdata-19 to -14. BO_UNSUPPORTED when there is none; BO_CORRUPT
 * when it refuses the profile, with what it says for a phrase (in `arena`, one line); BO_IO when it
 * cannot be run.
 */
enum bo_status lprf_tool_text(struct bo_span profile, struct bo_arena *arena,
                              struct bo_span *text_ret, struct bo_error *err);

#endif
