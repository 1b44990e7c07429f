/* Opening a file of shared trees: its head, its codes, and where the blocks start. */
#include "codecs/autofdo/shared_trees/shared_trees.h"

/* ---- the head -------------------------------------------------------------------------------- */

/* Numbers of the head that are not kept. */
struct head {
    uint64_t n_names, n_paths, text_nbytes, n_spots, n_parts;
    uint64_t index_nbytes, strings_head_nbytes, strings_nbytes, structure_nbytes;
};

static enum bo_status read_head(struct autofdo_trees *trees, struct bo_cursor *c, struct head *head,
                                struct bo_error *err)
{
    uint64_t *const numbers[] = {&head->n_names,        &head->n_paths,
                                 &head->text_nbytes,    &head->n_spots,
                                 &head->n_parts,        &trees->first_timestamp,
                                 &head->index_nbytes,   &head->strings_head_nbytes,
                                 &head->strings_nbytes, &head->structure_nbytes};
    const uint8_t *p;
    if (!bo_get_bytes(c, 6, &p))
        return bo_fail(err, BO_TRUNCATED, trees->in.n, "file ends inside its header");
    if (memcmp(p, trees->kind->magic, 4) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "bad magic number");
    if (p[4] > 32 || p[5] > 64)
        return bo_fail(err, BO_CORRUPT, p[4] > 32 ? 4 : 5, "fields are too wide");
    trees->path_bits = p[4];
    trees->timestamp_bits = p[5];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const enum bo_status status = bo_get_uvarint64(c, numbers[i], err);
        if (status)
            return status;
    }
    return BO_OK;
}

/* The summary, except the number of functions, which the index stores. */
static enum bo_status read_summary(struct autofdo_trees *trees, struct bo_cursor *c,
                                   struct bo_error *err)
{
    struct autofdo_summary *summary = &trees->summary;
    uint64_t *const numbers[] = {&summary->total_count, &summary->max_count, &summary->max_head,
                                 &summary->n_counts};
    trees->summary_off = c->off;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const enum bo_status status = bo_get_uvarint64(c, numbers[i], err);
        if (status)
            return status;
    }
    uint64_t min_count = summary->max_count, n_counts = 0;
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS; i++) {
        uint64_t step, more;
        enum bo_status status = bo_get_uvarint64(c, &step, err);
        if (status || (status = bo_get_uvarint64(c, &more, err)))
            return status;
        min_count += (uint64_t)bo_unzigzag64(step);
        n_counts += more;
        summary->entries[i] = (struct autofdo_entry){min_count, n_counts};
    }
    return BO_OK;
}

/* The numbers of the head must fit the file before memory is allocated for them. */
static enum bo_status check_head(const struct autofdo_trees *trees, const struct head *head,
                                 const struct bo_cursor *c, struct bo_error *err)
{
    uint64_t left = bo_left(c);
    if ((trees->first_timestamp == 0) != (trees->timestamp_bits == 0))
        return bo_fail(err, BO_CORRUPT, 5,
                       "only one of first timestamp and width of timestamps is 0");
    if (head->index_nbytes > left || head->strings_nbytes > (left -= head->index_nbytes) ||
        head->structure_nbytes > (left -= head->strings_nbytes))
        return bo_fail(err, BO_TRUNCATED, trees->in.n, "sections run past the file's end");
    if (head->strings_head_nbytes > head->strings_nbytes)
        return bo_fail_here(err, BO_CORRUPT, c,
                            "blocks of strings start past the end of the strings");
    if (head->n_names > 8 * head->index_nbytes || head->n_paths > head->n_names)
        return bo_fail_here(err, BO_CORRUPT, c, "more names than the index has room for");
    if (head->text_nbytes > autofdo_max_text(trees->in.n))
        return bo_fail_here(err, BO_OVER_LIMIT, c,
                            "names expand to more than the limit for the file's size");
    if (head->n_spots > 8 * head->structure_nbytes ||
        head->n_parts > head->n_spots + 32 * head->structure_nbytes ||
        head->n_spots >= UINT32_MAX || head->n_parts >= UINT32_MAX)
        return bo_fail_here(err, BO_CORRUPT, c, "more places than the structure has room for");
    return BO_OK;
}

/* ---- the index ------------------------------------------------------------------------------- */

/*
 * Where n blocks start, from bit `at` on; they must fill a section of so many bytes, the last one
 * up to a byte's end.
 */
static enum bo_status read_starts(struct autofdo_trees *trees, struct autofdo_bits *bits,
                                  uint64_t at, size_t n, uint64_t section_nbytes, uint64_t *starts,
                                  struct bo_error *err)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t size;
        starts[i] = at;
        if (!autofdo_take_number(bits, &trees->tables[AUTOFDO_SIZES], &size) ||
            size > 8 * section_nbytes - at)
            return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->index, bits->bit),
                           "blocks are larger than their section");
        at += size;
    }
    starts[n] = at;
    if ((at + 7) / 8 != section_nbytes)
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->index, bits->bit),
                       "blocks do not fill their section");
    return BO_OK;
}

/* How many variants each name has. */
static enum bo_status read_variants(struct autofdo_trees *trees, struct autofdo_bits *bits,
                                    uint64_t structure_nbytes, struct bo_error *err)
{
    const uint64_t in_structure = trees->n_names + 8 * structure_nbytes;
    const uint64_t max_variants = in_structure < UINT32_MAX ? in_structure : UINT32_MAX - 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < trees->n_names; i++) {
        uint64_t n;
        trees->first_variants[i] = (uint32_t)sum;
        if (!autofdo_take_number(bits, &trees->tables[AUTOFDO_VARIANTS], &n) ||
            n > max_variants - sum)
            return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->index, bits->bit),
                           "more variants than the structure has room for");
        sum += n;
    }
    trees->first_variants[trees->n_names] = (uint32_t)sum;
    return BO_OK;
}

/* Which names are functions', and how many of them are before each 64. */
static enum bo_status read_functions(struct autofdo_trees *trees, struct bo_error *err)
{
    const size_t n = ((size_t)trees->n_names + 7) / 8;
    const uint64_t end = trees->index.n;
    trees->is_function = trees->index.p + (end - n);
    if (trees->n_names % 8 && trees->is_function[n - 1] >> trees->n_names % 8)
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->index, 8 * (end - 1)),
                       "bits after the functions are not 0");
    for (size_t i = 0; i < n; i++) {
        if (i % 8 == 0)
            trees->ranks[i / 8] = trees->n_functions;
        trees->n_functions += (uint32_t)__builtin_popcount(trees->is_function[i]);
    }
    return BO_OK;
}

static enum bo_status read_index(struct autofdo_trees *trees, const struct head *head,
                                 size_t counts_nbytes, struct bo_error *err)
{
    const size_t functions_nbytes = ((size_t)trees->n_names + 7) / 8;
    struct autofdo_bits bits = {trees->index.p, trees->index.n - functions_nbytes, 0};
    for (unsigned i = 0; i < AUTOFDO_N_CODES; i++)
        if (!autofdo_read_code(&bits, autofdo_first_symbol(i), autofdo_max_symbols(i),
                               autofdo_spends_bits(i), &trees->tables[i]))
            return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->index, bits.bit),
                           "code lengths do not form a prefix code");
    enum bo_status status = read_variants(trees, &bits, head->structure_nbytes, err);
    if (status ||
        (status = read_starts(trees, &bits, 8 * head->strings_head_nbytes, trees->n_string_blocks,
                              head->strings_nbytes, trees->string_starts, err)) ||
        (status = read_starts(trees, &bits, 0, trees->n_entry_blocks, head->structure_nbytes,
                              trees->entry_starts, err)) ||
        (status = read_starts(trees, &bits, 0, trees->n_functions, counts_nbytes,
                              trees->count_starts, err)))
        return status;
    if ((bits.bit + 7) / 8 != bits.n || autofdo_peek(&bits))
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, &trees->index, bits.bit),
                       "first part of the index does not fill its bytes");
    return BO_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static enum bo_status alloc_trees(struct autofdo_trees *trees, struct bo_error *err)
{
    struct bo_arena *arena = trees->arena;
    const size_t n_names = trees->n_names, n_strings = n_names + trees->n_paths;
    const size_t n_variants = trees->first_variants[n_names];
    trees->texts = bo_zalloc_array(arena, n_strings, sizeof *trees->texts);
    trees->hashes = bo_zalloc_array(arena, n_names, sizeof *trees->hashes);
    trees->text = bo_alloc(arena, trees->text_cap);
    trees->n_entries_read = bo_zalloc_array(arena, trees->n_entry_blocks, 1);
    trees->next_entries = bo_alloc_array(arena, trees->n_entry_blocks, sizeof *trees->next_entries);
    trees->lists = bo_alloc_array(arena, n_names, sizeof *trees->lists);
    trees->spots = bo_alloc_array(arena, trees->spots_cap, sizeof *trees->spots);
    trees->variants = bo_alloc_array(arena, n_variants, sizeof *trees->variants);
    trees->parts = bo_alloc_array(arena, trees->parts_cap, sizeof *trees->parts);
    if (!trees->texts || !trees->hashes || !trees->text || !trees->n_entries_read ||
        !trees->next_entries || !trees->lists || !trees->spots || !trees->variants || !trees->parts)
        return bo_fail_alloc(err, arena);
    return BO_OK;
}

/* Allocates room for the contents of the index. */
static enum bo_status alloc_index(struct autofdo_trees *trees, struct bo_error *err)
{
    struct bo_arena *arena = trees->arena;
    const size_t n_names = trees->n_names;
    trees->ranks = bo_alloc_array(arena, n_names / 64 + 1, sizeof *trees->ranks);
    trees->first_variants = bo_alloc_array(arena, n_names + 1, sizeof *trees->first_variants);
    trees->string_starts = bo_alloc_array(arena, trees->n_string_blocks + 1, 8);
    trees->entry_starts = bo_alloc_array(arena, trees->n_entry_blocks + 1, 8);
    if (!trees->ranks || !trees->first_variants || !trees->string_starts || !trees->entry_starts)
        return bo_fail_alloc(err, arena);
    return BO_OK;
}

/* Returns the next bytes as a section. */
static bool take_section(struct bo_cursor *c, uint64_t nbytes, struct autofdo_section *section)
{
    section->n = (size_t)nbytes;
    return nbytes <= bo_left(c) && bo_get_bytes(c, section->n, &section->p);
}

/* Fields fill whole bytes; the rest of the last one is 0. */
static enum bo_status take_fields(struct autofdo_trees *trees, struct bo_cursor *c, uint64_t n,
                                  unsigned nbits, struct autofdo_section *section,
                                  struct bo_error *err)
{
    const uint64_t end = n * nbits;
    if (!take_section(c, (end + 7) / 8, section))
        return bo_fail(err, BO_TRUNCATED, trees->in.n, "fields run past the file's end");
    const struct autofdo_bits rest = autofdo_bits_of(section, end);
    if (autofdo_peek(&rest))
        return bo_fail(err, BO_CORRUPT, autofdo_off_of(trees, section, end), "padding is not 0");
    return BO_OK;
}

/* Finds the sections after the index, and reads the latter. */
static enum bo_status take_sections(struct autofdo_trees *trees, struct bo_cursor *c,
                                    const struct head *head, struct bo_error *err)
{
    (void)take_section(c, head->index_nbytes, &trees->index); /* has a bit for each name */
    enum bo_status status = alloc_index(trees, err);
    if (status || (status = read_functions(trees, err)) ||
        (status = take_fields(trees, c, trees->n_names, trees->path_bits, &trees->paths, err)) ||
        (status = take_fields(trees, c, trees->n_functions, trees->timestamp_bits,
                              &trees->timestamps, err)))
        return status;
    if (!take_section(c, head->strings_nbytes, &trees->strings) ||
        !take_section(c, head->structure_nbytes, &trees->structure))
        return bo_fail(err, BO_TRUNCATED, trees->in.n, "sections run past the file's end");
    (void)take_section(c, bo_left(c), &trees->counts);
    trees->count_starts = bo_alloc_array(trees->arena, (size_t)trees->n_functions + 1, 8);
    if (!trees->count_starts)
        return bo_fail_alloc(err, trees->arena);
    return read_index(trees, head, trees->counts.n, err);
}

enum bo_status autofdo_open_trees(struct bo_span in, const struct autofdo_strings *kind,
                                  struct bo_arena *arena, struct autofdo_trees **trees_ret,
                                  struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    struct head head;
    struct autofdo_trees *trees = bo_alloc(arena, sizeof *trees);
    if (!trees)
        return bo_fail_alloc(err, arena);
    memset(trees, 0, offsetof(struct autofdo_trees, tables));
    memset((uint8_t *)trees + offsetof(struct autofdo_trees, is_function), 0,
           sizeof *trees - offsetof(struct autofdo_trees, is_function));
    trees->in = in;
    trees->arena = arena;
    trees->kind = kind;
    enum bo_status status = read_head(trees, &c, &head, err);
    if (status || (status = read_summary(trees, &c, err)) ||
        (status = check_head(trees, &head, &c, err)))
        return status;
    if (head.n_names >= UINT32_MAX / 2)
        return bo_fail_here(err, BO_UNSUPPORTED, &c, "2^31 - 1 names or more");
    trees->n_names = (uint32_t)head.n_names;
    trees->n_paths = (uint32_t)head.n_paths;
    trees->text_cap = (uint32_t)head.text_nbytes;
    trees->spots_cap = (uint32_t)head.n_spots;
    trees->parts_cap = (uint32_t)head.n_parts;
    trees->n_string_blocks =
        autofdo_n_blocks((size_t)trees->n_names + trees->n_paths, kind->block_strings);
    trees->n_entry_blocks = autofdo_n_blocks(trees->n_names, AUTOFDO_BLOCK_NAMES);
    if ((status = take_sections(trees, &c, &head, err)) || (status = alloc_trees(trees, err)) ||
        (status = kind->open(trees, (size_t)head.strings_head_nbytes, err)))
        return status;
    trees->summary.n_functions = trees->n_functions;
    *trees_ret = trees;
    return BO_OK;
}
