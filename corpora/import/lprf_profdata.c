/*
 * The importer of LLVM's binary profiles, .profdata (indexed) and .profraw (as programs write
 * them), through LLVM's own reader.
 */
#include "corpora/import/import.h"
#include "corpora/import/profdata_tool.h"
#include "harness/registry.h"

/* ff "lprof" K 81, or backwards: K is i for an indexed profile, r or R for a raw one. */
static bool has_magic(struct bo_span file)
{
    enum { MAGIC_NBYTES = 8, KIND = 6 };
    uint8_t magic[MAGIC_NBYTES];
    if (file.n < MAGIC_NBYTES)
        return false;
    for (size_t i = 0; i < MAGIC_NBYTES; i++)
        magic[i] = file.p[file.p[0] == 0xff ? i : MAGIC_NBYTES - 1 - i];
    return memcmp(magic, "\xfflprof", KIND) == 0 && magic[KIND + 1] == 0x81 &&
           (magic[KIND] == 'i' || magic[KIND] == 'r' || magic[KIND] == 'R');
}

/*
 * LLVM's reader trusts the place of the index that an indexed profile's header tells: a profile cut
 * short reads as an empty one, or crashes it. Later versions than those known may lay headers out
 * differently; they are left to LLVM.
 */
static enum bo_status check_index_place(struct bo_span file, struct bo_error *err)
{
    enum { VERSION = 8, INDEX_OFF = 32, HEADER_NBYTES = 40, LAST_KNOWN_VERSION = 10 };
    enum { BUCKETS = 16 }; /* in the index, after the numbers of buckets and of entries */
    const bool indexed = file.p[0] == 0xff && file.p[6] == 'i';
    if (!indexed || file.n < HEADER_NBYTES ||
        (bo_le64(file.p + VERSION) & UINT64_MAX >> 8) > LAST_KNOWN_VERSION)
        return BO_OK;
    const uint64_t off = bo_le64(file.p + INDEX_OFF);
    const bool inside = off <= file.n && file.n - off >= BUCKETS &&
                        bo_le64(file.p + off) <= (file.n - off - BUCKETS) / sizeof(uint64_t);
    return inside ? BO_OK : bo_fail(err, BO_TRUNCATED, file.n, "file ends before its index does");
}

/* The plain name goes first: a .profraw is read only by the LLVM whose programs write it. */
static const struct profdata_tool tool = {
    .newest_first = false, .args = {"merge", "--text", "-o", "-", "/dev/stdin", NULL}};

static enum bo_status import_profdata(struct bo_span file, const struct bo_import_options *options,
                                      struct bo_arena *arena, void **model_ret,
                                      struct bo_error *err)
{
    (void)options;
    struct bo_span text;
    enum bo_status status = check_index_place(file, err);
    if (!status)
        status = profdata_tool_text(&tool, file, arena, &text, err);
    if (status)
        return status;
    /* An offset would be one of a text that nobody sees. */
    if (bo_find_format("lprf")->parse(text, arena, model_ret, err) == BO_OK)
        return BO_OK;
    return bo_fail(err, err ? err->status : BO_CORRUPT, BO_NO_OFFSET,
                   err ? err->what : "llvm-profdata prints what is no profile");
}

const struct bo_importer lprf_profdata_importer = {
    .format = "lprf",
    .name = "profdata",
    .summary = "LLVM's .profdata and .profraw, through llvm-profdata (Debian: llvm)",
    .sniff = has_magic,
    .import = import_profdata,
};
