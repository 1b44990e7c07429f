/*
 * Finding a Go binary's function table, and reading its header.
 *
 *   0   u32   magic, in the file's byte order
 *   4   u16   0
 *   6   u8    PC quantum: 1, 2 or 4
 *   7   u8    word size: 4 or 8
 *   8   words: the number of functions; from Go 1.16 on also the number of files, from Go 1.18 on
 *       where the text starts, and from Go 1.16 on the offsets of five areas: function names,
 *       compilation units, file names, PCDATA tables, functions
 *
 * Offsets count from the magic. In the Go 1.2 layout there are no areas: the functions follow the
 * header, and all offsets, also those of PCDATA tables, count from the magic.
 */
#include "corpora/import/go_pclntab.h"

enum { FIXED_NBYTES = 8 };

static const struct go_pclntab_layout layouts[] = {
    {.magic = 0xfffffffb, .since = "1.2", .n_words = 1, .n_skipped = 4},
    {.magic = 0xfffffffa, .since = "1.16", .n_words = 7, .n_skipped = 8},
    {.magic = 0xfffffff0, .since = "1.18", .n_words = 8, .narrow = true, .n_skipped = 8},
    {.magic = 0xfffffff1, .since = "1.20", .n_words = 8, .narrow = true, .n_skipped = 12},
};

static const struct go_pclntab_layout *find_layout(uint32_t magic)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].magic == magic)
            return &layouts[i];
    return NULL;
}

static size_t part_end(struct bo_elf_part part)
{
    return part.off + part.n;
}

/* Reads the first eight bytes: sets the layout and the quantum. */
static enum bo_status read_fixed(struct go_pclntab *table, struct bo_error *err)
{
    const size_t off = table->all.off;
    if (table->all.n < FIXED_NBYTES)
        return bo_fail(err, BO_TRUNCATED, part_end(table->all), "the function table has no header");
    const uint8_t *p = table->elf.file.p + off;
    table->layout = find_layout(go_pclntab_u32(table, off));
    if (!table->layout)
        return bo_fail(err, BO_UNSUPPORTED, off, "unknown magic of a Go function table");
    if (p[4] != 0 || p[5] != 0)
        return bo_fail(err, BO_CORRUPT, off + 4, "the function table's padding is not zero");
    if (p[6] != 1 && p[6] != 2 && p[6] != 4)
        return bo_fail(err, BO_CORRUPT, off + 6, "the PC quantum is not 1, 2 or 4");
    if (p[7] != table->elf.word_nbytes)
        return bo_fail(err, BO_CORRUPT, off + 7, "the word size differs from the ELF header's");
    table->quantum_shift = p[6] >> 1;
    return BO_OK;
}

/* Word i of the header. read_words has checked that it exists. */
static uint64_t header_word(const struct go_pclntab *table, unsigned i)
{
    const unsigned nbytes = table->elf.word_nbytes;
    return go_pclntab_word(table, table->all.off + FIXED_NBYTES + i * nbytes, nbytes);
}

/* The areas of Go 1.16 and later: the last two words are the offsets of tables and functions. */
static enum bo_status read_areas(struct go_pclntab *table, struct bo_error *err)
{
    const unsigned last = table->layout->n_words - 1, word = table->elf.word_nbytes;
    const uint64_t tables = header_word(table, last - 1), functions = header_word(table, last);
    const size_t word_off = table->all.off + FIXED_NBYTES + (last - 1) * word;
    if (functions > table->all.n)
        return bo_fail(err, BO_CORRUPT, word_off + word, "the function area is outside the table");
    if (tables > functions)
        return bo_fail(err, BO_CORRUPT, word_off, "the PCDATA area does not end at the functions");
    table->tables = (struct bo_elf_part){table->all.off + tables, functions - tables};
    table->records = (struct bo_elf_part){table->all.off + functions, table->all.n - functions};
    table->functions = table->records;
    return BO_OK;
}

static enum bo_status read_words(struct go_pclntab *table, struct bo_error *err)
{
    const size_t header_nbytes =
        FIXED_NBYTES + (size_t)table->layout->n_words * table->elf.word_nbytes;
    if (table->all.n < header_nbytes)
        return bo_fail(err, BO_TRUNCATED, part_end(table->all),
                       "the function table ends inside its header");
    table->tables = table->records = table->all;
    table->functions =
        (struct bo_elf_part){table->all.off + header_nbytes, table->all.n - header_nbytes};
    if (table->layout->n_words > 1) {
        const enum bo_status status = read_areas(table, err);
        if (status)
            return status;
    }
    /* n entries of two numbers each, and the last function's end */
    const uint64_t n = header_word(table, 0);
    const size_t room = table->functions.n / go_pclntab_entry_nbytes(table);
    if (n > UINT32_MAX || room == 0 || n > (room - 1) / 2)
        return bo_fail(err, BO_CORRUPT, table->all.off + FIXED_NBYTES,
                       "function count exceeds the size of the table");
    table->n_functions = (uint32_t)n;
    return BO_OK;
}

static enum bo_status read_header(const struct bo_elf *elf, struct bo_elf_part all,
                                  struct go_pclntab *table_ret, struct bo_error *err)
{
    *table_ret = (struct go_pclntab){.elf = *elf, .all = all};
    const enum bo_status status = read_fixed(table_ret, err);
    return status ? status : read_words(table_ret, err);
}

/* True when the record of the first function repeats the PC of its entry. */
static bool first_record_fits(const struct go_pclntab *table)
{
    const unsigned nbytes = go_pclntab_entry_nbytes(table);
    if (table->n_functions == 0)
        return false;
    const uint64_t pc = go_pclntab_word(table, table->functions.off, nbytes);
    const uint64_t record = go_pclntab_word(table, table->functions.off + nbytes, nbytes);
    if (record > table->records.n || table->records.n - record < nbytes)
        return false;
    return go_pclntab_word(table, table->records.off + record, nbytes) == pc;
}

/* Searches for a plausible header in a part of the file. The table then ends with the part. */
static bool scan(const struct bo_elf *elf, struct bo_elf_part part, struct go_pclntab *table_ret)
{
    const uint8_t *p = elf->file.p;
    const size_t low_byte = elf->big_endian ? 3 : 0;
    const size_t end = part_end(part);
    for (size_t off = (part.off + 3) & ~(size_t)3; off < end && end - off >= FIXED_NBYTES;
         off += 4) {
        /* All magic numbers are ff ff ff f?: one comparison rejects nearly everything. */
        if (p[off + 1] != 0xff || p[off + 2] != 0xff || (p[off + low_byte] & 0xf0) != 0xf0)
            continue;
        if (read_header(elf, (struct bo_elf_part){off, end - off}, table_ret, NULL) == BO_OK &&
            first_record_fits(table_ret))
            return true;
    }
    return false;
}

enum bo_status go_pclntab_locate(struct bo_span file, struct go_pclntab *table_ret,
                                 struct bo_error *err)
{
    static const char *const own[] = {".gopclntab", ".data.rel.ro.gopclntab", NULL};
    static const char *const shared[] = {".data.rel.ro", NULL};
    struct bo_elf elf;
    struct bo_elf_part part;
    bool found;
    enum bo_status status = bo_elf_identify(file, &elf, err);
    if (!status)
        status = bo_elf_find_section(&elf, own, &found, &part, err);
    if (status)
        return status;
    if (found)
        return read_header(&elf, part, table_ret, err);

    status = bo_elf_find_section(&elf, shared, &found, &part, err);
    if (status)
        return status;
    if (found && scan(&elf, part, table_ret))
        return BO_OK;
    if (scan(&elf, (struct bo_elf_part){0, file.n}, table_ret))
        return BO_OK;
    return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                   "not a Go binary: it has no function table (.gopclntab)");
}
