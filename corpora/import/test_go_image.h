/*
 * Small Go binaries, built in memory: an ELF file around a function table of any layout, byte
 * order, word size and quantum. Written from the layouts' description and sharing no code with the
 * importer under test.
 *
 * The program has five functions and one hole between text sections:
 *
 *   function  pcsp  pcfile  pcln  pcdata
 *   0         A     B       C     -, D
 *   1         A     B       E
 *   2         -     -       -                no tables at all
 *   (hole)
 *   4         F     -       D     -, -, G    D: used as another kind than before
 *   5         A     A       E     A          A: three times in one function
 */
#ifndef TEST_GO_IMAGE_H
#define TEST_GO_IMAGE_H

#include "harness/core/bytes.h"

enum { IMAGE_CAP = 4096, IMAGE_N_ENTRIES = 6, IMAGE_N_TABLES = 7, IMAGE_MAX_RUNS = 5, HOLE = 3 };
enum image_layout { GO_1_2, GO_1_16, GO_1_18, GO_1_20, GO_1_26, IMAGE_N_LAYOUTS };
enum image_place { IN_OWN_SECTION, IN_SHARED_SECTION, WITHOUT_SECTIONS, IMAGE_N_PLACES };

/* The properties of the file. */
struct image_plan {
    enum image_layout layout;
    enum image_place place;
    unsigned word_nbytes, quantum;
    bool big_endian;
};

/* The file, and the offsets of the fields that tests damage. */
struct image {
    struct image_plan plan;
    uint8_t p[IMAGE_CAP];
    size_t n;
    size_t table, entries, entries_word, tables_word, tables_base;
    size_t record[IMAGE_N_ENTRIES];
    size_t pc_tables[IMAGE_N_ENTRIES]; /* the pcsp offset in each record */
    size_t table_start[IMAGE_N_TABLES];
    size_t section_header; /* of the table's section */
    size_t used;           /* no shorter prefix can be imported */
};

/* A table for the tests, with lengths in quanta. */
struct image_table {
    unsigned n_runs;
    struct {
        uint32_t length;
        int32_t value;
    } runs[IMAGE_MAX_RUNS];
    unsigned refs, kind; /* the expected values in the model */
};

static const struct image_table image_tables[IMAGE_N_TABLES] = {
    /* A */ {3, {{5, 0}, {3, 8}, {2, 0}}, 3, 0},
    /* B: begins with a zero byte */ {1, {{10, -1}}, 2, 1},
    /* C: deltas and lengths of several bytes */ {3, {{1, 10}, {300, 11}, {70000, -200000}}, 1, 2},
    /* D: the difference wraps around */
    {4, {{2, INT32_MAX}, {2, INT32_MIN}, {3, -1}, {3, 0}}, 2, 4},
    /* E */ {2, {{9, 1000}, {1, 999}}, 2, 2},
    /* F: after a run of -1 */ {3, {{4, -1}, {4, 16}, {1, -1}}, 1, 0},
    /* G */ {5, {{1, 1}, {1, 2}, {1, 1}, {1, 2}, {127, -3}}, 1, 5},
};

/* Rows of the table above: 0 for "-", else the number of the table plus one. */
struct image_function {
    unsigned pc_tables[3];
    unsigned n_pcdata;
    unsigned pcdata[3];
};

static const struct image_function image_functions[IMAGE_N_ENTRIES] = {
    {{1, 2, 3}, 2, {0, 4}}, {{1, 2, 5}, 0, {0}},       {{0, 0, 0}, 0, {0}},
    {{0, 0, 0}, 0, {0}},    {{6, 0, 4}, 3, {0, 0, 7}}, {{1, 1, 5}, 1, {1}},
};

/* ---- numbers in the plan's byte order -------------------------------------------------------- */

static void image_set(struct image *image, size_t off, unsigned nbytes, uint64_t v)
{
    for (unsigned i = 0; i < nbytes; i++) {
        const unsigned shift = 8 * (image->plan.big_endian ? nbytes - 1 - i : i);
        image->p[off + i] = (uint8_t)(v >> shift);
    }
}

static size_t image_put(struct image *image, unsigned nbytes, uint64_t v)
{
    const size_t off = image->n;
    image->n += nbytes;
    image_set(image, off, nbytes, v);
    return off;
}

static size_t image_put_word(struct image *image, uint64_t v)
{
    return image_put(image, image->plan.word_nbytes, v);
}

static void image_put_varint(struct image *image, uint32_t v)
{
    for (; v >= 128; v >>= 7)
        image->p[image->n++] = (uint8_t)(v | 128);
    image->p[image->n++] = (uint8_t)v;
}

static void image_align(struct image *image, size_t to)
{
    while (image->n % to)
        image->p[image->n++] = 0;
}

/* ---- the function table ---------------------------------------------------------------------- */

static void image_put_table(struct image *image, unsigned number)
{
    const struct image_table *table = &image_tables[number];
    uint32_t last = UINT32_MAX;
    image->table_start[number] = image->n;
    for (unsigned i = 0; i < table->n_runs; i++) {
        const uint32_t delta = (uint32_t)table->runs[i].value - last;
        image_put_varint(image, delta >> 31 ? 2 * ~delta + 1 : 2 * delta);
        image_put_varint(image, table->runs[i].length);
        last = (uint32_t)table->runs[i].value;
    }
    image_put(image, 1, 0);
}

static bool image_is_narrow(const struct image *image)
{
    return image->plan.layout >= GO_1_18;
}

static unsigned image_entry_nbytes(const struct image *image)
{
    return image_is_narrow(image) ? 4 : image->plan.word_nbytes;
}

static uint64_t image_pc(const struct image *image, unsigned function)
{
    return (image_is_narrow(image) ? 0 : 0x401000) + 0x200 * function;
}

static void image_put_record(struct image *image, unsigned function)
{
    const struct image_function *f = &image_functions[function];
    const enum image_layout layout = image->plan.layout;
    image->record[function] = image->n;
    image_put(image, image_entry_nbytes(image), image_pc(image, function));
    image_put(image, 4, 77); /* name */
    image_put(image, 4, 8);  /* size of the arguments */
    image_put(image, 4, 0);  /* where deferred calls return */
    image->pc_tables[function] = image->n;
    for (unsigned i = 0; i < 3; i++)
        image_put(image, 4, f->pc_tables[i]); /* a number, until image_link_tables */
    image_put(image, 4, f->n_pcdata);
    if (layout >= GO_1_16)
        image_put(image, 4, 5); /* compilation unit */
    if (layout >= GO_1_20)
        image_put(image, 4, 12); /* start line */
    image_put(image, 4, 0x01020300);
    for (unsigned i = 0; i < f->n_pcdata; i++)
        image_put(image, 4, f->pcdata[i]);
}

/* Converts table numbers in the records to offsets, after both are placed. */
static void image_link_tables(struct image *image)
{
    for (unsigned i = 0; i < IMAGE_N_ENTRIES; i++) {
        const struct image_function *f = &image_functions[i];
        if (i == HOLE)
            continue;
        size_t off = image->pc_tables[i];
        for (unsigned k = 0; k < 3 + f->n_pcdata; k++, off += 4) {
            if (k == 3)
                off += image->plan.layout == GO_1_2 ? 8 : image->plan.layout < GO_1_20 ? 12 : 16;
            const unsigned number = k < 3 ? f->pc_tables[k] : f->pcdata[k - 3];
            const size_t start = number ? image->table_start[number - 1] - image->tables_base : 0;
            image_set(image, off, 4, start);
        }
    }
}

static void image_put_entries(struct image *image)
{
    image->entries = image->n;
    for (unsigned i = 0; i < IMAGE_N_ENTRIES; i++) {
        image_put(image, image_entry_nbytes(image), image_pc(image, i));
        image_put(image, image_entry_nbytes(image), UINT64_MAX); /* placeholder until it is known */
    }
    image_put(image, image_entry_nbytes(image), image_pc(image, IMAGE_N_ENTRIES));
}

static void image_put_records(struct image *image, size_t records_base)
{
    for (unsigned i = 0; i < IMAGE_N_ENTRIES; i++) {
        if (i == HOLE)
            continue;
        image_align(image, 4);
        const unsigned nbytes = image_entry_nbytes(image);
        image_set(image, image->entries + (2 * i + 1) * nbytes, nbytes, image->n - records_base);
        image_put_record(image, i);
    }
}

static void image_put_tables(struct image *image)
{
    for (unsigned i = 0; i < IMAGE_N_TABLES; i++)
        image_put_table(image, i);
}

static void image_put_pclntab(struct image *image)
{
    static const uint32_t magics[] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1, 0xfffffff1};
    const enum image_layout layout = image->plan.layout;
    const unsigned word = image->plan.word_nbytes;
    image_align(image, 32);
    if (image->plan.place != IN_OWN_SECTION)
        image_put(image, 4, 0); /* minimal alignment of a table */
    image->table = image->tables_base = image_put(image, 4, magics[layout]);
    image_put(image, 2, 0);
    image_put(image, 1, image->plan.quantum);
    image_put(image, 1, word);
    image_put_word(image, IMAGE_N_ENTRIES);
    if (layout == GO_1_2) {
        image_put_entries(image);
        image_put_records(image, image->table);
        image_put_tables(image);
        image_link_tables(image);
        image->used = image->n;
        return;
    }
    image_put_word(image, 1); /* files */
    if (layout >= GO_1_18)
        image_put_word(image, layout >= GO_1_26 ? 0 : 0x401000); /* where the text starts */
    for (unsigned i = 0; i < 3; i++)
        image_put_word(image, 0); /* names, units, files: empty */
    image->tables_word = image_put_word(image, 0);
    image->entries_word = image_put_word(image, 0);

    if (layout == GO_1_20)
        image_align(image, 32); /* Go 1.26 puts the first area directly after the header */
    image->tables_base = image->n;
    image_set(image, image->tables_word, word, image->n - image->table);
    image_put(image, 1, 0); /* offset 0 means: no table */
    image_put_tables(image);
    image_align(image, word);
    image_set(image, image->entries_word, word, image->n - image->table);
    image_put_entries(image);
    image_put_records(image, image->entries);
    image_link_tables(image);
    image->used = image->n;
    for (unsigned i = 0; layout >= GO_1_26 && i < 64; i++)
        image_put(image, 1, 0xff - i); /* function data, which the area of functions ends with */
}

/* ---- the ELF file around it ------------------------------------------------------------------ */

static void image_put_section_header(struct image *image, uint32_t name, uint32_t type, size_t off,
                                     size_t n)
{
    image_put(image, 4, name);
    image_put(image, 4, type);
    image_put_word(image, 0); /* flags */
    image_put_word(image, 0); /* address */
    image_put_word(image, off);
    image_put_word(image, n);
    image_put(image, 4, 0);   /* link */
    image_put(image, 4, 0);   /* info */
    image_put_word(image, 1); /* alignment */
    image_put_word(image, 0); /* entry size */
}

/* Identification and header; where the section headers are is filled in by image_put_sections. */
static void image_put_elf_header(struct image *image)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F'};
    const bool wide = image->plan.word_nbytes == 8;
    memcpy(image->p, magic, sizeof magic);
    image->n = sizeof magic;
    image_put(image, 1, wide ? 2 : 1);
    image_put(image, 1, image->plan.big_endian ? 2 : 1);
    image_put(image, 1, 1);
    image->n = 16;
    image_put(image, 2, 2);   /* an executable */
    image_put(image, 2, 62);  /* the machine does not matter */
    image_put(image, 4, 1);   /* version */
    image_put_word(image, 0); /* entry point */
    image_put_word(image, 0); /* program headers */
    image_put_word(image, 0); /* section headers */
    image_put(image, 4, 0);   /* flags */
    image_put(image, 2, wide ? 64 : 52);
    image_put(image, 2, 0);
    image_put(image, 2, 0);
    image_put(image, 2, 0); /* size of a section header */
    image_put(image, 2, 0); /* number of section headers */
    image_put(image, 2, 0); /* the section of names */
}

static void image_put_sections(struct image *image, size_t start, const char *section_name)
{
    const bool wide = image->plan.word_nbytes == 8;
    const size_t end = image->n, names = image->n;
    const char own_name[] = "\0.shstrtab\0";
    memcpy(image->p + image->n, own_name, sizeof own_name - 1);
    image->n += sizeof own_name - 1;
    memcpy(image->p + image->n, section_name, strlen(section_name) + 1);
    image->n += strlen(section_name) + 1;
    const size_t names_end = image->n;

    image_align(image, 8);
    image_set(image, wide ? 40 : 32, image->plan.word_nbytes, image->n);
    image_set(image, wide ? 58 : 46, 2, wide ? 64 : 40);
    image_set(image, wide ? 60 : 48, 2, 3);
    image_set(image, wide ? 62 : 50, 2, 1);
    image_put_section_header(image, 0, 0, 0, 0);
    image_put_section_header(image, 1, 3, names, names_end - names);
    image->section_header = image->n;
    image_put_section_header(image, sizeof own_name - 1, 1, start, end - start);
}

/* Bytes that resemble a function table for a few bytes. */
static void image_put_decoys(struct image *image)
{
    static const uint8_t quanta[] = {1, 1, 3, 1}, functions[] = {0, 1, 2, 4};
    image_align(image, 4);
    for (unsigned i = 0; i < sizeof quanta; i++) {
        image_put(image, 4, 0xfffffffb);
        image_put(image, 2, 0);
        image_put(image, 1, quanta[i]);
        image_put(image, 1, image->plan.word_nbytes);
        image_put_word(image, functions[i]);
    }
    for (unsigned i = 0; i < 64; i++)
        image_put(image, 4, 0xfffffffb - i);
}

static void image_build(struct image *image, struct image_plan plan)
{
    *image = (struct image){.plan = plan};
    image_put_elf_header(image);
    if (plan.place == IN_OWN_SECTION)
        image_align(image, 32);
    const size_t start = image->n;
    if (plan.place != IN_OWN_SECTION)
        image_put_decoys(image);
    image_put_pclntab(image);
    if (plan.place == IN_OWN_SECTION)
        image_put_sections(image, start, ".gopclntab");
    else if (plan.place == IN_SHARED_SECTION)
        image_put_sections(image, start, ".data.rel.ro");
    if (plan.place != WITHOUT_SECTIONS)
        image->used = image->n;
}

#endif
