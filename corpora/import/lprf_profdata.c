/*
 * The importer of LLVM's binary profiles, .profdata (indexed) and .profraw (as programs write
 * them): indexed ones of versions 12 and 13 with the codec `profdata`, which holds most of them,
 * all others through LLVM's own reader.
 */
#include "corpora/import/import.h"
#include "corpora/import/profdata_tool.h"
#include "harness/registry.h"

/* ff "lprof" K 81, or reversed. K is i for an indexed profile, r or R for a raw one. */
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

enum { VERSION = 8, INDEX_OFF = 32, HEADER_NBYTES = 40 };

static bool is_indexed(struct bo_span file)
{
    return file.n >= HEADER_NBYTES && file.p[0] == 0xff && file.p[6] == 'i';
}

/*
 * LLVM's reader trusts the offset of the index in the header of an indexed profile. It reads a
 * truncated profile as an empty one, or crashes. Versions later than the known ones may have
 * another header, so this check leaves them to LLVM.
 */
static enum bo_status check_index_place(struct bo_span file, struct bo_error *err)
{
    enum { LAST_KNOWN_VERSION = 13 };
    enum { BUCKETS = 16 }; /* in the index, after the numbers of buckets and of entries */
    if ((bo_le64(file.p + VERSION) & UINT64_MAX >> 8) > LAST_KNOWN_VERSION)
        return BO_OK;
    const uint64_t off = bo_le64(file.p + INDEX_OFF);
    const bool inside = off <= file.n && file.n - off >= BUCKETS &&
                        bo_le64(file.p + off) <= (file.n - off - BUCKETS) / sizeof(uint64_t);
    return inside ? BO_OK : bo_fail(err, BO_TRUNCATED, file.n, "file ends before its index does");
}

/* Decodes with the codec. Version 12 differs from its version 13 only in the version number. */
static enum bo_status decode(struct bo_span file, struct bo_arena *arena, void **model_ret,
                             struct bo_error *err)
{
    const struct bo_codec *codec = bo_find_codec(bo_find_format("lprf"), "profdata");
    const uint64_t version = bo_le64(file.p + VERSION);
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    if (version != 12 && version != 13)
        return BO_UNSUPPORTED;
    uint8_t *copy = bo_alloc(arena, file.n);
    if (!copy)
        return bo_fail_alloc(err, arena);
    memcpy(copy, file.p, file.n);
    bo_set_le64(copy + VERSION, 13);
    const struct bo_span in = {copy, file.n};
    const enum bo_status status = codec->decode(codec, in, arena, model_ret, err);
    if (status)
        bo_arena_rewind(arena, mark);
    return status;
}

/*
 * Our decoder's error, with the offset of what it rejects, when llvm-profdata is missing. LLVM may
 * read what our decoder rejects, such as value profiles.
 */
static enum bo_status fail_alone(const struct bo_error *ours, struct bo_arena *arena,
                                 struct bo_error *err)
{
    static const char then[] =
        "; llvm-profdata, which may read this file, is not installed (Debian: llvm)";
    const size_t n = strlen(ours->what);
    char *what = bo_alloc(arena, n + sizeof then);
    if (!what)
        return bo_fail_alloc(err, arena);
    memcpy(what, ours->what, n);
    memcpy(what + n, then, sizeof then);
    return bo_fail(err, ours->status, ours->off, what);
}

/*
 * Later versions read all indexed profiles of earlier ones. A .profraw is only read by the LLVM
 * version that wrote it, so for these the plain name comes first.
 */
static const struct profdata_tool tools[] = {
    {.newest = 0, .args = {"merge", "--text", "-o", "-", "/dev/stdin", NULL}},
    {.newest = PROFDATA_NEWEST, .args = {"merge", "--text", "-o", "-", "/dev/stdin", NULL}}};

static enum bo_status import_profdata(struct bo_span file, const struct bo_import_options *options,
                                      struct bo_arena *arena, void **model_ret,
                                      struct bo_error *err)
{
    struct bo_span text;
    struct bo_error ours = {0}, unused = {0};
    const bool indexed = is_indexed(file);
    err = err ? err : &unused;
    enum bo_status status = indexed ? check_index_place(file, err) : BO_OK;
    if (!status && indexed) {
        *err = (struct bo_error){0};
        const enum bo_status own = decode(file, arena, model_ret, err);
        if (own == BO_OK || own == BO_NO_MEMORY || own == BO_OVER_LIMIT)
            return own;
        ours = *err;
        *err = (struct bo_error){0}; /* llvm-profdata may accept it: then nothing is left to say */
    }
    if (!status)
        status = profdata_tool_text(&tools[indexed], file, arena, &text, err);
    if (status == BO_UNSUPPORTED && ours.status)
        return fail_alone(&ours, arena, err);
    /* Neither reads the file, and only ours says where it is damaged. */
    if (status == BO_CORRUPT && (ours.status == BO_CORRUPT || ours.status == BO_TRUNCATED))
        return bo_fail(err, ours.status, ours.off, ours.what);
    if (status)
        return status;
    if (bo_find_format("lprf")->parse(text, arena, model_ret, err) == BO_OK)
        return BO_OK;
    /* What the text cannot hold either, such as bitmaps of MC/DC. */
    if (ours.status == BO_UNSUPPORTED)
        return bo_fail(err, ours.status, ours.off, ours.what);
    /* An offset would refer to a text that the user does not see. */
    return bo_fail(err, err->status, BO_NO_OFFSET, err->what);
}

const struct bo_importer lprf_profdata_importer = {
    .format = "lprf",
    .name = "profdata",
    .summary = "LLVM's .profdata, and others and .profraw through llvm-profdata (Debian: llvm)",
    .sniff = has_magic,
    .import = import_profdata,
};
