/*
 * The importer of LLVM's binary sample profiles (raw, extensible, compact), packed or not, through
 * LLVM's own reader.
 */
#include "corpora/import/import.h"
#include "corpora/import/profdata_tool.h"
#include "harness/registry.h"

/* "SPROF42" and a byte for the kind, as one number in a varint. */
static bool has_magic(struct bo_span file)
{
    struct bo_cursor in = bo_cursor(file);
    uint64_t magic;
    return bo_get_uvarint64(&in, &magic, NULL) == BO_OK && magic >> 8 == 0x5350524f463432;
}

/* The newest version reads most profiles. */
static const struct profdata_tool tool = {
    .newest = PROFDATA_NEWEST, .args = {"merge", "--sample", "--text", "-o", "-", "/dev/stdin", NULL}};

static enum bo_status import_profdata(struct bo_span file, const struct bo_import_options *options,
                                      struct bo_arena *arena, void **model_ret,
                                      struct bo_error *err)
{
    struct bo_span text;
    const enum bo_status status = profdata_tool_text(&tool, file, arena, &text, err);
    if (status)
        return status;
    /* An offset would refer to a text that the user does not see. */
    if (bo_find_format("autofdo")->parse(text, arena, model_ret, err) == BO_OK)
        return BO_OK;
    return bo_fail(err, err ? err->status : BO_CORRUPT, BO_NO_OFFSET,
                   err ? err->what : "output of llvm-profdata is not a profile");
}

const struct bo_importer autofdo_profdata_importer = {
    .format = "autofdo",
    .name = "profdata",
    .summary = "LLVM's binary sample profiles, through llvm-profdata (Debian: llvm)",
    .sniff = has_magic,
    .import = import_profdata,
};
