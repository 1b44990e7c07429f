/*
 * The importer of LLVM's binary sample profiles (raw, extensible, compact), packed or not, through
 * LLVM's own reader.
 *
 * Profiles may have the GUID of a name in its place. LLVM prints it in decimal; this format's names
 * for GUIDs are "guid." and 16 hexadecimal digits.
 */
#include <inttypes.h>

#include "corpora/import/import.h"
#include "corpora/import/profdata_tool.h"
#include "harness/core/text.h"
#include "harness/registry.h"

/* ---- kinds of profiles ----------------------------------------------------------------------- */

enum { COMPACT = 2 }; /* no version after 16 has it */

/* "SPROF42" and a byte for the kind, as one number in a varint. */
static bool get_kind(struct bo_span file, unsigned *kind_ret)
{
    struct bo_cursor in = bo_cursor(file);
    uint64_t magic;
    if (bo_get_uvarint64(&in, &magic, NULL) || magic >> 8 != 0x5350524f463432)
        return false;
    *kind_ret = magic & 0xff;
    return true;
}

static bool has_magic(struct bo_span file)
{
    unsigned kind;
    return get_kind(file, &kind);
}

/* ---- GUIDs ----------------------------------------------------------------------------------- */

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* A name starts a line, or follows `LINE: `, `LINE: COUNT ` or the `:COUNT ` of another name. */
static bool is_start_of_name(const uint8_t *line, const uint8_t *at)
{
    if (at == line)
        return true;
    if (at[-1] != ' ')
        return false;
    while (at > line && at[-1] == ' ')
        at--;
    const uint8_t *before = at;
    while (at > line && is_digit(at[-1]))
        at--;
    const bool is_count = at < before && at - line >= 2 && at[-1] == ' ' && at[-2] == ':';
    return is_count || (at > line && at[-1] == ':');
}

static enum bo_status spell_guids(struct bo_span text, struct bo_writer *out, struct bo_error *err)
{
    const uint8_t *const end = text.p + text.n, *line = text.p, *copied = text.p;
    for (const uint8_t *at = text.p, *next; at < end; at = next) {
        uint64_t guid;
        next = at + 1;
        if (*at == '\n')
            line = next;
        if (!is_digit(*at))
            continue;
        while (next < end && is_digit(*next))
            next++;
        if (end - next < 2 || *next != ':' || !is_digit(next[1]) || !is_start_of_name(line, at) ||
            !bo_parse_u64((struct bo_span){at, (size_t)(next - at)}, UINT64_MAX, &guid))
            continue;
        bo_put_bytes(out, copied, (size_t)(at - copied));
        bo_put_text(out, "guid.%016" PRIx64, guid);
        copied = next;
    }
    bo_put_bytes(out, copied, (size_t)(end - copied));
    return bo_writer_status(out, err);
}

static enum bo_status parse(struct bo_span text, struct bo_arena *arena, void **model_ret,
                            struct bo_error *err)
{
    struct bo_writer spelled;
    bo_writer_init(&spelled, arena);
    enum bo_status status = spell_guids(text, &spelled, err);
    if (!status)
        status = bo_find_format("autofdo")->parse(bo_writer_span(&spelled), arena, model_ret, err);
    bo_writer_free(&spelled);
    if (status)
        err->off = BO_NO_OFFSET; /* it refers to a text that the user does not see */
    return status;
}

/* ---- the importer ---------------------------------------------------------------------------- */

#define ARGUMENTS                                                    \
    {                                                                \
        "merge", "--sample", "--text", "-o", "-", "/dev/stdin", NULL \
    }
/* The newest version reads most profiles. */
static const struct profdata_tool newest = {.newest = PROFDATA_NEWEST, .args = ARGUMENTS},
                                  of_compact = {.newest = 16, .args = ARGUMENTS};

static enum bo_status import_profdata(struct bo_span file, const struct bo_import_options *options,
                                      struct bo_arena *arena, void **model_ret,
                                      struct bo_error *err)
{
    struct bo_span text;
    struct bo_error unused = {0};
    unsigned kind = 0;
    err = err ? err : &unused;
    const bool is_compact = get_kind(file, &kind) && kind == COMPACT;
    const enum bo_status status =
        profdata_tool_text(is_compact ? &of_compact : &newest, file, arena, &text, err);
    if (is_compact &&
        (status == BO_UNSUPPORTED || (status == BO_CORRUPT && strstr(err->what, "Unrecognized"))))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "compact profiles require llvm-profdata 16 or earlier (Debian: llvm-14)");
    return status ? status : parse(text, arena, model_ret, err);
}

const struct bo_importer autofdo_profdata_importer = {
    .format = "autofdo",
    .name = "profdata",
    .summary = "LLVM's binary sample profiles, through llvm-profdata (Debian: llvm)",
    .sniff = has_magic,
    .import = import_profdata,
};
