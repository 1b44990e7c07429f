/*
 * The importer of unwind tables: an ELF64 file of amd64, arm64 or s390x, from its .eh_frame.
 *
 * The search table in .eh_frame_hdr is not read: it may be absent or wrong. Omissions are counted
 * and reported: FDEs of length 0, those outside executable segments, those with the start of an
 * earlier one, rows past their function's end. Where functions overlap, the earlier one ends at the
 * start of the later.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "corpora/import/import.h"
#include "corpora/import/unwind_cfi.h"

enum { MAX_CALLS = 65536, MAX_SEGMENTS = 64 };

/* ---- ELF ------------------------------------------------------------------------------------- */

struct part {
    bool found;
    size_t off, n;
    uint64_t address;
};

struct elf {
    struct bo_span file;
    struct bo_error *err;
    bool big_endian;
    enum unwind_arch arch;
    struct part eh_frame, hdr, text;
    struct segment {
        uint64_t start, end;
    } segments[MAX_SEGMENTS]; /* executable ones */
    unsigned n_segments;
};

static uint64_t word(const struct elf *elf, size_t off, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | elf->file.p[off + (elf->big_endian ? i : n - 1 - i)];
    return v;
}

static bool is_inside(const struct elf *elf, uint64_t off, uint64_t n)
{
    return off <= elf->file.n && n <= elf->file.n - off;
}

/* Checks a table of n entries of `size` bytes at `off`, as stated in a header. */
static enum bo_status check_table(const struct elf *elf, uint64_t off, uint64_t n, uint64_t size,
                                  uint64_t least, const char *what)
{
    if (n && size < least)
        return bo_fail(elf->err, BO_CORRUPT, BO_NO_OFFSET, what);
    return is_inside(elf, off, n * size) ? BO_OK
                                         : bo_fail(elf->err, BO_TRUNCATED, elf->file.n, what);
}

static enum bo_status get_segments(struct elf *elf)
{
    const uint64_t off = word(elf, 32, 8), size = word(elf, 54, 2), n = word(elf, 56, 2);
    const enum bo_status status =
        check_table(elf, off, n, size, 56, "the file ends before its program headers");
    for (uint64_t i = 0; i < n && !status; i++) {
        const size_t at = (size_t)(off + i * size);
        const uint64_t start = word(elf, at + 16, 8), nbytes = word(elf, at + 40, 8);
        if (word(elf, at, 4) != 1 || !(word(elf, at + 4, 4) & 1) || elf->n_segments == MAX_SEGMENTS)
            continue;
        elf->segments[elf->n_segments++] =
            (struct segment){start, nbytes > UINT64_MAX - start ? UINT64_MAX : start + nbytes};
    }
    return status;
}

static enum bo_status get_sections(struct elf *elf)
{
    enum { NOBITS = 8 };
    static const char *const names[] = {".eh_frame", ".eh_frame_hdr", ".text"};
    struct part *const parts[] = {&elf->eh_frame, &elf->hdr, &elf->text};
    const uint64_t off = word(elf, 40, 8), size = word(elf, 58, 2), n = word(elf, 60, 2),
                   names_at = word(elf, 62, 2);
    const enum bo_status status =
        check_table(elf, off, n, size, 64, "the file ends before its section headers");
    if (status)
        return status;
    if (names_at >= n)
        return bo_fail(elf->err, BO_UNSUPPORTED, 62, "the file has no section names");
    const uint64_t text_off = word(elf, (size_t)(off + names_at * size) + 24, 8),
                   text_n = word(elf, (size_t)(off + names_at * size) + 32, 8);
    if (!is_inside(elf, text_off, text_n))
        return bo_fail(elf->err, BO_TRUNCATED, elf->file.n,
                       "the file ends before its section names");
    for (uint64_t i = 0; i < n; i++) {
        const size_t at = (size_t)(off + i * size);
        const uint64_t name = word(elf, at, 4);
        if (word(elf, at + 4, 4) == NOBITS)
            continue;
        for (unsigned k = 0; k < 3; k++) {
            const size_t name_n = strlen(names[k]) + 1;
            if (parts[k]->found || name > text_n || text_n - name < name_n ||
                memcmp(elf->file.p + text_off + name, names[k], name_n) != 0)
                continue;
            const uint64_t part_off = word(elf, at + 24, 8), part_n = word(elf, at + 32, 8);
            if (!is_inside(elf, part_off, part_n))
                return bo_fail(elf->err, BO_TRUNCATED, at,
                               "a section runs past the end of the file");
            *parts[k] =
                (struct part){true, (size_t)part_off, (size_t)part_n, word(elf, at + 16, 8)};
        }
    }
    return BO_OK;
}

static enum bo_status open_elf(struct bo_span file, struct elf *elf, struct bo_error *err)
{
    enum { HEADER = 64, CLASS64 = 2, RELOCATABLE = 1 };
    *elf = (struct elf){.file = file, .err = err};
    if (file.n < HEADER)
        return bo_fail(err, BO_TRUNCATED, file.n, "the file ends inside its ELF header");
    if (memcmp(file.p, "\177ELF", 4) != 0)
        return bo_fail(err, BO_UNSUPPORTED, 0, "not an ELF file");
    if (file.p[4] != CLASS64)
        return bo_fail(err, BO_UNSUPPORTED, 4, "not an ELF file of 64 bits");
    if (file.p[5] != 1 && file.p[5] != 2)
        return bo_fail(err, BO_CORRUPT, 5, "unknown ELF byte order");
    elf->big_endian = file.p[5] == 2;
    if (word(elf, 16, 2) == RELOCATABLE)
        return bo_fail(err, BO_UNSUPPORTED, 16, "file is relocatable: its addresses are unknown");
    static const uint16_t machines[UNWIND_N_ARCHS] = {62, 183, 22};
    unsigned arch = 0;
    while (arch < UNWIND_N_ARCHS && machines[arch] != word(elf, 18, 2))
        arch++;
    if (arch == UNWIND_N_ARCHS || unwind_machines[arch].big_endian != elf->big_endian)
        return bo_fail(err, BO_UNSUPPORTED, 18, "machine is not amd64, arm64 or s390x");
    elf->arch = (enum unwind_arch)arch;
    const enum bo_status status = get_segments(elf);
    return status ? status : get_sections(elf);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Omissions that are not counted by the reader of the section. */
struct dropped {
    uint64_t n_outside, n_equal, n_overlap;
};

/* A function to be added, sorted by start and then by its position in the section. */
struct entry {
    uint64_t start;
    size_t number;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const int order = (x->start > y->start) - (x->start < y->start);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static bool is_executable(const struct elf *elf, uint64_t pc)
{
    bool inside = false;
    for (unsigned i = 0; i < elf->n_segments; i++)
        inside |= pc >= elf->segments[i].start && pc < elf->segments[i].end;
    return inside;
}

static enum bo_status add_functions(const struct elf *elf, const struct unwind_cfi_functions *all,
                                    struct unwind_builder *b, struct dropped *dropped)
{
    struct entry *entries = bo_alloc_array(b->arena, all->n, sizeof *entries);
    size_t n = 0;
    if (!entries)
        return bo_fail_alloc(elf->err, b->arena);
    for (size_t i = 0; i < all->n; i++)
        if (is_executable(elf, all->p[i].start))
            entries[n++] = (struct entry){all->p[i].start, i};
    dropped->n_outside = all->n - n;
    if (n)
        qsort(entries, n, sizeof *entries, compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || entries[i].start != entries[kept - 1].start)
            entries[kept++] = entries[i];
    dropped->n_equal = n - kept;
    for (size_t i = 0; i < kept; i++) {
        const struct unwind_function *f = &all->p[entries[i].number];
        const struct unwind_row *rows = &all->rows[all->first[entries[i].number]];
        uint32_t length = f->length;
        if (i + 1 < kept && entries[i + 1].start - f->start < length) {
            length = (uint32_t)(entries[i + 1].start - f->start);
            dropped->n_overlap++;
        }
        if (!unwind_add_function(b, f->start, length, f->flags, f->rep))
            return bo_fail_alloc(elf->err, b->arena);
        for (uint32_t r = 0; r < f->n_rows && rows[r].off < length; r++)
            if (!unwind_add_row(b, rows[r].off, &rows[r].state))
                return bo_fail_alloc(elf->err, b->arena);
    }
    return kept < UINT32_MAX / 2
               ? BO_OK
               : bo_fail(elf->err, BO_OVER_LIMIT, elf->eh_frame.off, "too many functions");
}

/* ---- calls ----------------------------------------------------------------------------------- */

/*
 * Decodes a direct call at offset `at` of .text: its return address and its target. False for any
 * other instruction.
 */
static bool get_call(const struct elf *elf, size_t at, uint64_t *after_ret, uint64_t *target_ret)
{
    const uint8_t *p = elf->file.p + elf->text.off + at;
    const size_t left = elf->text.n - at;
    const uint64_t pc = elf->text.address + at;
    if (elf->arch == UNWIND_AMD64) {
        if (left < 5 || p[0] != 0xe8)
            return false;
        *after_ret = pc + 5;
        *target_ret = *after_ret + (uint64_t)(int64_t)(int32_t)bo_le32(p + 1);
    } else if (elf->arch == UNWIND_ARM64) {
        if (left < 4 || bo_le32(p) >> 26 != 0x25)
            return false;
        *after_ret = pc + 4;
        *target_ret = pc + (uint64_t)((int64_t)(int32_t)(bo_le32(p) << 6) >> 4);
    } else {
        if (left < 6 || p[0] != 0xc0 || p[1] != 0xe5)
            return false;
        *after_ret = pc + 6;
        *target_ret = pc + (uint64_t)((int64_t)(int32_t)bo_be32(p + 2) * 2);
    }
    return *after_ret > pc;
}

static bool is_start(const struct unwind_model *model, uint64_t pc)
{
    size_t low = 0, n = model->n_functions;
    while (n) {
        const size_t half = n / 2;
        const bool above = model->functions[low + half].start < pc;
        low = above ? low + half + 1 : low;
        n = above ? n - half - 1 : half;
    }
    return low < model->n_functions && model->functions[low].start == pc;
}

static bool add_calls(const struct elf *elf, struct unwind_model *model, struct bo_arena *arena)
{
    const size_t step = unwind_machines[elf->arch].code_factor;
    const size_t misaligned = (size_t)(-elf->text.address & (step - 1));
    uint64_t *calls = NULL, after, target;
    size_t n = 0, cap = 0;
    for (size_t at = misaligned; at < elf->text.n; at += step) {
        if (!get_call(elf, at, &after, &target) || !is_start(model, target))
            continue;
        if (!bo_grow(arena, &calls, n, 1, &cap))
            return false;
        calls[n++] = after;
    }
    if (n > MAX_CALLS) {
        for (size_t i = 0; i < MAX_CALLS; i++)
            calls[i] = calls[(size_t)((uint64_t)i * n / MAX_CALLS)];
        n = MAX_CALLS;
    }
    model->calls = calls;
    model->n_calls = (uint32_t)n;
    return true;
}

/* ---- the importer ---------------------------------------------------------------------------- */

static bool sniff(struct bo_span file)
{
    return file.n >= 4 && memcmp(file.p, "\177ELF", 4) == 0;
}

/* A note about omissions; empty if nothing was omitted. */
static enum bo_status note_dropped(const struct unwind_cfi_functions *all,
                                   const struct dropped *dropped, struct bo_arena *arena,
                                   struct bo_error *err)
{
    const struct {
        uint64_t n;
        const char *what;
    } counts[] = {
        {all->n_empty, "FDEs of length 0"},
        {dropped->n_outside, "FDEs outside of executable segments"},
        {dropped->n_equal, "FDEs with the start of another"},
        {dropped->n_overlap, "functions cut where the next starts"},
        {all->n_cut_rows, "rows past their function's end"},
        {all->n_unknown, "CIEs with an unknown augmentation letter"},
        {all->n_other_pointer, "PLT expressions outside of GNU ld's place"},
        {all->n_signed_with_pc, "rows with a return address signed with the PC"},
    };
    enum { NOTE_NBYTES = 640 };
    char *note = NULL;
    size_t n = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!counts[i].n)
            continue;
        if (!note && !(note = bo_alloc(arena, NOTE_NBYTES)))
            return bo_fail_alloc(err, arena);
        n += (size_t)snprintf(note + n, NOTE_NBYTES - n, "%s%" PRIu64 " %s",
                              n ? ", " : "dropped or changed: ", counts[i].n, counts[i].what);
    }
    if (note && err)
        *err = (struct bo_error){BO_OK, BO_NO_OFFSET, note};
    return BO_OK;
}

static enum bo_status import(struct bo_span file, const struct bo_import_options *options,
                             struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct elf elf;
    struct unwind_cfi_functions all;
    struct dropped dropped = {0};
    struct unwind_builder b = {.arena = arena};
    enum bo_status status = open_elf(file, &elf, err);
    if (status)
        return status;
    if (!elf.eh_frame.found)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "the file has no .eh_frame section");
    const struct unwind_cfi_section section = {
        .bytes = {file.p + elf.eh_frame.off, elf.eh_frame.n},
        .off = elf.eh_frame.off,
        .address = elf.eh_frame.address,
        .text = elf.text.address,
        .arch = elf.arch,
        .big_endian = elf.big_endian,
    };
    status = unwind_cfi_read(&section, arena, &all, err);
    status = status ? status : add_functions(&elf, &all, &b, &dropped);
    if (status)
        return status;
    struct unwind_model *model = unwind_build(&b, elf.arch);
    if (!model || (elf.text.found && !add_calls(&elf, model, arena)))
        return bo_fail_alloc(err, arena);
    model->real_nbytes = elf.eh_frame.n;
    model->real_hdr_nbytes = elf.hdr.found ? elf.hdr.n : 0;
    *model_ret = model;
    return note_dropped(&all, &dropped, arena, err);
}

const struct bo_importer unwind_elf_importer = {
    .format = "unwind",
    .name = "elf",
    .summary = "an ELF file of amd64, arm64 or s390x with .eh_frame",
    .sniff = sniff,
    .import = import,
};
