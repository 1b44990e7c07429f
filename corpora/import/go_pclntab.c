/*
 * Reads the PCDATA tables of a Go binary.
 *
 * An entry of a function has its PC and the offset of its record. The record has the PC again,
 * three u32 that are not needed here, the offsets of the pcsp, pcfile and pcln tables, the number
 * of PCDATA tables, some more bytes, and the PCDATA tables' offsets. Offset 0 means that the
 * function has no such table.
 *
 * A table is a list of pairs, value delta (zigzag) and run length, both varints, starting with
 * value -1 at PC 0. A delta of zero ends it, except as the very first. Lengths count quanta.
 */
#include "corpora/import/go_pclntab.h"

#include <stdlib.h>

enum {
    N_PC_TABLES = 3,    /* pcsp, pcfile, pcln */
    FIRST_OFFSETS = 12, /* where their offsets start in a record, in bytes after its PC */
    COUNT = 24,         /* where the number of PCDATA tables is, likewise */
    MAX_PCDATA = PCDATA_MAX_KIND - N_PC_TABLES
};

/* ---- functions ------------------------------------------------------------------------------- */

/* The table offsets of one function, as file offsets of u32 arrays. */
struct function {
    size_t pc_tables_off; /* of N_PC_TABLES offsets */
    size_t pcdata_off;    /* of n_pcdata offsets */
    uint32_t n_pcdata;
};

/* Reads function i. A hole between text sections is a function without tables. */
static enum bo_status read_function(const struct go_pclntab *table, uint32_t i,
                                    struct function *function_ret, struct bo_error *err)
{
    const unsigned nbytes = go_pclntab_entry_nbytes(table);
    const size_t entry = table->functions.off + 2 * (size_t)i * nbytes;
    const uint64_t pc = go_pclntab_word(table, entry, nbytes);
    const uint64_t record = go_pclntab_word(table, entry + nbytes, nbytes);
    *function_ret = (struct function){0};
    if (record == (nbytes == 4 ? UINT32_MAX : UINT64_MAX))
        return BO_OK;

    const size_t fixed_nbytes = nbytes + COUNT + 4 + table->layout->n_skipped;
    if (record > table->records.n || table->records.n - record < fixed_nbytes)
        return bo_fail(err, BO_CORRUPT, entry + nbytes, "a function record is outside the table");
    const size_t off = table->records.off + record;
    if (go_pclntab_word(table, off, nbytes) != pc)
        return bo_fail(err, BO_CORRUPT, off, "a function record has another function's PC");

    const uint32_t n = go_pclntab_u32(table, off + nbytes + COUNT);
    if (n > MAX_PCDATA)
        return bo_fail(err, BO_CORRUPT, off + nbytes + COUNT, "a function has too many tables");
    if ((table->records.n - record - fixed_nbytes) / 4 < n)
        return bo_fail(err, BO_CORRUPT, off + nbytes + COUNT,
                       "a function record runs past the table");
    *function_ret = (struct function){off + nbytes + FIRST_OFFSETS, off + fixed_nbytes, n};
    return BO_OK;
}

/* Draws k of n in order, each set of k equally likely. */
struct draw {
    struct bo_random random;
    uint32_t n_left, k_left;
};

static struct draw draw_functions(const struct bo_import_options *options, uint32_t n)
{
    const uint64_t max = options ? options->max_functions : 0;
    return (struct draw){bo_random_seeded(options ? options->seed : 0), n,
                         max == 0 || max > n ? n : (uint32_t)max};
}

static bool draw_next(struct draw *draw)
{
    const bool taken =
        draw->k_left == draw->n_left || bo_random_below(&draw->random, draw->n_left) < draw->k_left;
    draw->n_left--;
    draw->k_left -= taken;
    return taken;
}

/* ---- references ------------------------------------------------------------------------------ */

struct reference {
    uint32_t table_off; /* in the table area */
    uint32_t function;
    uint8_t kind;
};

/* A growing list, or, if items is NULL, a counter. */
struct references {
    struct reference *items;
    size_t n;
};

static enum bo_status add_references(const struct go_pclntab *table, uint32_t i,
                                     const struct function *function, struct references *refs,
                                     struct bo_error *err)
{
    const uint32_t n = function->pc_tables_off ? N_PC_TABLES + function->n_pcdata : 0;
    for (uint32_t kind = 0; kind < n; kind++) {
        const size_t off = kind < N_PC_TABLES ? function->pc_tables_off + 4 * kind
                                              : function->pcdata_off + 4 * (kind - N_PC_TABLES);
        const uint32_t table_off = go_pclntab_u32(table, off);
        if (table_off == 0)
            continue;
        if (table_off >= table->tables.n)
            return bo_fail(err, BO_CORRUPT, off, "a PCDATA table is outside the table area");
        if (refs->items)
            refs->items[refs->n] = (struct reference){table_off, i, (uint8_t)kind};
        refs->n++;
    }
    return BO_OK;
}

/* All references of the functions that the options select, ordered by function and kind. */
static enum bo_status walk_functions(const struct go_pclntab *table,
                                     const struct bo_import_options *options,
                                     struct references *refs, struct go_pclntab_facts *facts,
                                     struct bo_error *err)
{
    struct draw draw = draw_functions(options, table->n_functions);
    facts->n_functions = facts->n_tableless = 0;
    refs->n = 0;
    for (uint32_t i = 0; i < table->n_functions; i++) {
        if (!draw_next(&draw))
            continue;
        struct function function;
        enum bo_status status = read_function(table, i, &function, err);
        const size_t n_before = refs->n;
        if (!status)
            status = add_references(table, i, &function, refs, err);
        if (status)
            return status;
        facts->n_functions += function.pc_tables_off != 0;
        facts->n_tableless += function.pc_tables_off != 0 && refs->n == n_before;
        /* Each takes four bytes of its own unless records overlap, so the work is linear. */
        if (refs->n > table->records.n / 4)
            return bo_fail(err, BO_CORRUPT, table->records.off, "function records overlap");
    }
    return BO_OK;
}

static int compare_references(const void *a_p, const void *b_p)
{
    const struct reference *a = a_p, *b = b_p;
    if (a->table_off != b->table_off)
        return a->table_off < b->table_off ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->kind - b->kind;
}

/* Collects the references by table, and those of each table by function. */
static enum bo_status collect_references(const struct go_pclntab *table,
                                         const struct bo_import_options *options,
                                         struct bo_arena *arena, struct references *refs,
                                         struct go_pclntab_facts *facts, struct bo_error *err)
{
    *refs = (struct references){0};
    enum bo_status status = walk_functions(table, options, refs, facts, err);
    if (status)
        return status;
    refs->items = bo_alloc_array(arena, refs->n, sizeof *refs->items);
    if (!refs->items)
        return bo_fail_alloc(err, arena);
    status = walk_functions(table, options, refs, facts, err);
    if (!status)
        qsort(refs->items, refs->n, sizeof *refs->items, compare_references);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* The result of walking over one table. */
struct walked {
    uint32_t n_runs;
    uint32_t n_empty;  /* runs of length zero */
    uint32_t text_len; /* bytes */
};

/* Reads one pair of the table. At the table's end, *end_ret is true and there is no pair. */
static enum bo_status get_pair(struct bo_cursor *c, bool first, uint32_t *delta_ret,
                               uint32_t *length_ret, bool *end_ret, struct bo_error *err)
{
    enum bo_status status = bo_get_uvarint32(c, delta_ret, err);
    *end_ret = !first && *delta_ret == 0;
    if (!status && !*end_ret)
        status = bo_get_uvarint32(c, length_ret, err);
    return status;
}

/*
 * Reads the table at the cursor including its end. The runs are kept unless `runs` is NULL. Runs of
 * length zero contain no PC and are not kept (Go's assembler for s390x makes some, if lines change
 * faster than its quantum).
 */
static enum bo_status walk_table(struct bo_cursor *c, unsigned quantum_shift,
                                 struct pcdata_run *runs, struct walked *walked_ret,
                                 struct bo_error *err)
{
    struct walked walked = {0};
    uint32_t value = UINT32_MAX, last_value = 0;
    uint64_t pc = 0; /* bytes */
    for (bool first = true;; first = false) {
        const struct bo_cursor pair = *c;
        uint32_t delta, length;
        bool end;
        const enum bo_status status = get_pair(c, first, &delta, &length, &end, err);
        if (status)
            return status;
        if (end)
            break;
        value += (uint32_t)bo_unzigzag32(delta);
        if (length == 0) {
            if (first)
                return bo_fail_here(err, BO_CORRUPT, &pair, "a table's first run is empty");
            walked.n_empty++;
            continue;
        }
        if (first || value != last_value) {
            if (runs)
                runs[walked.n_runs] = (struct pcdata_run){(uint32_t)pc, (int32_t)value};
            walked.n_runs++;
            last_value = value;
        }
        pc += (uint64_t)length << quantum_shift;
        if (pc > UINT32_MAX)
            return bo_fail_here(err, BO_UNSUPPORTED, &pair, "a function of 4 GiB or more");
    }
    walked.text_len = (uint32_t)pc;
    *walked_ret = walked;
    return BO_OK;
}

static struct bo_cursor table_cursor(const struct go_pclntab *table, uint32_t table_off)
{
    return bo_cursor_at(table->elf.file, table->tables.off + table_off,
                        table->tables.n - table_off);
}

/* The tables found so far, without runs, and their offsets. */
struct found {
    struct pcdata_table *tables;
    uint32_t *offs; /* in the table area */
    uint32_t n;
    uint64_t n_runs;
};

/* Measures each distinct table. Tables must not overlap. */
static enum bo_status measure_tables(const struct go_pclntab *table, const struct references *refs,
                                     struct found *found, struct go_pclntab_facts *facts,
                                     struct bo_error *err)
{
    size_t end = 0;
    facts->tables_nbytes = facts->gap_nbytes = facts->n_empty_runs = 0;
    for (size_t i = 0; i < refs->n; i++) {
        const struct reference *ref = &refs->items[i];
        if (i > 0 && ref->table_off == ref[-1].table_off) {
            found->tables[found->n - 1].refs += ref->function != ref[-1].function;
            continue;
        }
        struct bo_cursor c = table_cursor(table, ref->table_off);
        if (ref->table_off < end)
            return bo_fail_here(err, BO_CORRUPT, &c, "PCDATA tables overlap");
        struct walked walked;
        const enum bo_status status = walk_table(&c, table->quantum_shift, NULL, &walked, err);
        if (status)
            return status;
        found->tables[found->n] = (struct pcdata_table){
            .text_len = walked.text_len, .n_runs = walked.n_runs, .refs = 1, .kind = ref->kind};
        found->n_runs += walked.n_runs;
        facts->n_empty_runs += walked.n_empty;
        facts->tables_nbytes += c.off;
        facts->gap_nbytes += found->n ? ref->table_off - end : 0;
        end = ref->table_off + c.off;
        found->offs[found->n++] = ref->table_off;
    }
    return BO_OK;
}

static size_t count_distinct(const struct references *refs)
{
    size_t n = 0;
    for (size_t i = 0; i < refs->n; i++)
        n += i == 0 || refs->items[i].table_off != refs->items[i - 1].table_off;
    return n;
}

/* Stores the measured tables' runs in one array. */
static enum bo_status fill_tables(const struct go_pclntab *table, struct found *found,
                                  struct bo_arena *arena, struct bo_error *err)
{
    struct pcdata_run *runs = bo_alloc_array(arena, found->n_runs, sizeof *runs);
    if (!runs)
        return bo_fail_alloc(err, arena);
    for (uint32_t i = 0; i < found->n; i++) {
        struct bo_cursor c = table_cursor(table, found->offs[i]);
        struct walked walked;
        const enum bo_status status = walk_table(&c, table->quantum_shift, runs, &walked, err);
        if (status)
            return status;
        found->tables[i].runs = runs;
        runs += found->tables[i].n_runs;
    }
    return BO_OK;
}

enum bo_status go_pclntab_read(const struct go_pclntab *table,
                               const struct bo_import_options *options, struct bo_arena *arena,
                               struct pcdata_model **model_ret, struct go_pclntab_facts *facts_ret,
                               struct bo_error *err)
{
    struct references refs;
    struct go_pclntab_facts facts;
    enum bo_status status = collect_references(table, options, arena, &refs, &facts, err);
    if (status)
        return status;

    const size_t n = count_distinct(&refs);
    struct found found = {
        .tables = bo_alloc_array(arena, n, sizeof *found.tables),
        .offs = bo_alloc_array(arena, n, sizeof *found.offs),
    };
    struct pcdata_model *model = bo_alloc(arena, sizeof *model);
    if (!found.tables || !found.offs || !model)
        return bo_fail_alloc(err, arena);
    status = measure_tables(table, &refs, &found, &facts, err);
    if (!status)
        status = fill_tables(table, &found, arena, err);
    if (status)
        return status;

    *model = (struct pcdata_model){1u << table->quantum_shift, found.n, found.tables};
    *model_ret = model;
    if (facts_ret)
        *facts_ret = facts;
    return BO_OK;
}

/* ---- the importer ---------------------------------------------------------------------------- */

static enum bo_status import_elf(struct bo_span file, const struct bo_import_options *options,
                                 struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    struct go_pclntab table;
    struct pcdata_model *model;
    enum bo_status status = go_pclntab_locate(file, &table, err);
    if (!status)
        status = go_pclntab_read(&table, options, arena, &model, NULL, err);
    if (!status)
        *model_ret = model;
    return status;
}

static const struct bo_import_option go_options[] = {
    {"--functions", "N", "keep a sample of N whole functions", BO_IMPORT_NUMBER,
     offsetof(struct bo_import_options, max_functions), UINT32_MAX, 1},
    {"--seed", "S", "of the sample (default 1)", BO_IMPORT_NUMBER,
     offsetof(struct bo_import_options, seed), UINT64_MAX, 0},
    {.name = NULL},
};

const struct bo_importer pcdata_go_pclntab_importer = {
    .format = "pcdata",
    .name = "go-pclntab",
    .summary = "the function tables of a Go program: ELF, Go 1.2 or later, any architecture",
    .options = go_options,
    .sniff = bo_elf_sniff,
    .import = import_elf,
};
