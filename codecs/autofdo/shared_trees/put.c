/*
 * Writing a file of shared trees, in two passes: one counts symbols for the codes, one writes them.
 */
#include "codecs/autofdo/shared_trees/shared_trees.h"

/* ---- where symbols go ------------------------------------------------------------------------ */

/* With bits.out NULL, symbols are only counted. */
struct sink {
    struct autofdo_code *codes;
    struct bo_bit_writer bits;
};

static void put_symbol(struct sink *sink, unsigned code, unsigned symbol)
{
    if (sink->bits.out)
        autofdo_put_symbol(&sink->bits, &sink->codes[code], symbol);
    else
        sink->codes[code].uses[symbol]++;
}

/* At most 64 bits as they are. */
static void put_bits(struct sink *sink, uint64_t v, unsigned nbits)
{
    if (!sink->bits.out)
        return;
    bo_put_bits(&sink->bits, (uint32_t)v, nbits < 32 ? nbits : 32);
    if (nbits > 32)
        bo_put_bits(&sink->bits, (uint32_t)(v >> 32), nbits - 32);
}

/* What follows a number's symbol. */
static void put_rest(struct sink *sink, uint64_t v)
{
    const unsigned symbol = autofdo_number_symbol(v);
    put_bits(sink, v - autofdo_number_base(symbol), autofdo_number_rest(symbol));
}

static void put_number(struct sink *sink, unsigned code, uint64_t v)
{
    put_symbol(sink, code, autofdo_number_symbol(v));
    put_rest(sink, v);
}

/* ---- lists and variants ---------------------------------------------------------------------- */

static void put_place(struct sink *sink, const struct autofdo_spot *spot,
                      const struct autofdo_spot *last)
{
    const uint32_t lines = spot->line - last->line;
    put_number(sink, spot->kind == AUTOFDO_RECORD ? AUTOFDO_RECORD_LINE : AUTOFDO_CALLSITE_LINE,
               lines);
    if (lines)
        put_number(sink, AUTOFDO_DISCRIMINATOR, spot->discriminator);
    else
        put_number(sink, AUTOFDO_STEP, spot->discriminator - last->discriminator);
}

static void put_spots(struct sink *sink, const struct autofdo_plan *plan,
                      const struct autofdo_plan_entry *entry)
{
    struct autofdo_spot last = {0};
    unsigned next = AUTOFDO_NEXT_FIRST;
    for (size_t i = 0; i < entry->n_spots; i++) {
        const struct autofdo_spot *spot = &plan->spots[entry->first_spot + i];
        put_symbol(sink, next, spot->kind);
        if (spot->kind == AUTOFDO_CALLSITE && next != AUTOFDO_NEXT_CALLSITE)
            last = (struct autofdo_spot){0};
        if (spot->kind != AUTOFDO_TARGET)
            put_place(sink, spot, &last);
        if (spot->kind != AUTOFDO_RECORD)
            put_bits(sink, spot->name, autofdo_index_bits(plan->n_names));
        last = *spot;
        next = autofdo_next_code(spot->kind);
    }
    put_symbol(sink, next, AUTOFDO_END);
}

/* Which places of the list the variant has, 4 at once. */
static void put_present(struct sink *sink, const struct autofdo_plan *plan, size_t n_spots,
                        const struct autofdo_plan_variant *variant)
{
    size_t part = 0;
    for (size_t spot = 0; spot < n_spots; spot += 4) {
        unsigned present = 0;
        for (; part < variant->n_parts; part++) {
            const size_t at = plan->parts[variant->first_part + part].spot;
            if (at >= spot + 4)
                break;
            present |= 1u << (at - spot);
        }
        put_symbol(sink, AUTOFDO_PRESENT, present);
    }
}

static void put_entry(struct sink *sink, const struct autofdo_plan *plan, size_t name)
{
    const struct autofdo_plan_entry *entry = &plan->entries[name];
    if (entry->n_variants == 0)
        return;
    put_spots(sink, plan, entry);
    for (size_t v = 0; v < entry->n_variants; v++) {
        const struct autofdo_plan_variant *variant = &plan->variants[entry->first_variant + v];
        if (entry->n_variants > 1)
            put_present(sink, plan, entry->n_spots, variant);
        for (size_t i = 0; i < variant->n_parts; i++) {
            const struct autofdo_part *part = &plan->parts[variant->first_part + i];
            const struct autofdo_spot *spot = &plan->spots[entry->first_spot + part->spot];
            if (spot->kind == AUTOFDO_CALLSITE)
                put_bits(sink, part->variant,
                         autofdo_index_bits(plan->entries[spot->name].n_variants));
        }
    }
}

static void put_entries(struct sink *sink, const struct autofdo_plan *plan, uint64_t *starts)
{
    for (size_t i = 0; i < plan->n_names; i++) {
        if (sink->bits.out && i % AUTOFDO_BLOCK_NAMES == 0)
            starts[i / AUTOFDO_BLOCK_NAMES] = autofdo_bits_put(&sink->bits);
        put_entry(sink, plan, i);
    }
    if (sink->bits.out)
        starts[autofdo_n_blocks(plan->n_names, AUTOFDO_BLOCK_NAMES)] =
            autofdo_bits_put(&sink->bits);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static void put_count(struct sink *sink, struct autofdo_recent *recent, uint64_t count)
{
    const uint64_t last = recent->counts[0];
    const unsigned code = autofdo_count_code(last);
    unsigned at = 0;
    while (at < recent->n && recent->counts[at] != count)
        at++;
    if (at < recent->n) {
        put_symbol(sink, code, at);
    } else {
        const uint64_t step = bo_zigzag64((int64_t)(count - last));
        put_symbol(sink, code, AUTOFDO_RECENT + autofdo_number_symbol(step));
        put_rest(sink, step);
    }
    autofdo_recent_move(recent, at, count);
}

static void put_counts_of(struct sink *sink, struct autofdo_recent *recent,
                          const struct autofdo_instance *instance)
{
    for (size_t i = 0; i < instance->n_records; i++) {
        const struct autofdo_record *record = &instance->records[i];
        put_count(sink, recent, record->count);
        for (size_t t = 0; t < record->n_targets; t++)
            put_count(sink, recent, record->targets[t].count);
    }
    for (size_t i = 0; i < instance->n_callsites; i++)
        put_counts_of(sink, recent, &instance->callsites[i].callee);
}

static void put_counts(struct sink *sink, const struct autofdo_model *model, uint64_t *starts)
{
    for (size_t i = 0; i < model->n_functions; i++) {
        struct autofdo_recent recent;
        autofdo_recent_start(&recent);
        if (sink->bits.out)
            starts[i] = autofdo_bits_put(&sink->bits);
        put_count(sink, &recent, model->functions[i].head);
        put_counts_of(sink, &recent, &model->functions[i].body);
    }
    if (sink->bits.out)
        starts[model->n_functions] = autofdo_bits_put(&sink->bits);
}

/* ---- the index ------------------------------------------------------------------------------- */

/* The sections while they are made, and where their blocks start. */
struct parts {
    struct bo_writer strings, structure, counts, index;
    uint64_t *string_starts, *entry_starts, *count_starts;
    size_t n_string_blocks, n_entry_blocks;
};

static void put_sizes(struct sink *sink, const uint64_t *starts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_number(sink, AUTOFDO_SIZES, starts[i + 1] - starts[i]);
}

static void put_index(struct sink *sink, const struct autofdo_plan *plan, const struct parts *parts)
{
    for (size_t i = 0; i < plan->n_names; i++)
        put_number(sink, AUTOFDO_VARIANTS, plan->entries[i].n_variants);
    put_sizes(sink, parts->string_starts, parts->n_string_blocks);
    put_sizes(sink, parts->entry_starts, parts->n_entry_blocks);
    put_sizes(sink, parts->count_starts, plan->model->n_functions);
}

/* One bit for each name: whether it is the name of a function. */
static void put_functions(const struct autofdo_plan *plan, struct bo_writer *out)
{
    const size_t n = (plan->n_names + 7) / 8;
    uint8_t *bits = bo_put_space(out, n);
    if (!bits)
        return;
    memset(bits, 0, n);
    for (size_t i = 0; i < plan->model->n_functions; i++)
        bits[plan->functions[i] / 8] |= (uint8_t)(1 << plan->functions[i] % 8);
}

static void fit_codes(struct autofdo_code *codes, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++)
        autofdo_fit_code(&codes[i], autofdo_spends_bits(i));
}

/* Makes all sections but the fields; codes are computed as soon as their symbols are counted. */
static enum bo_status make_parts(const struct autofdo_plan *plan,
                                 const struct autofdo_strings *kind, struct autofdo_code *codes,
                                 struct parts *parts, struct bo_error *err)
{
    struct sink count = {codes, {NULL, 0}};
    put_entries(&count, plan, NULL);
    put_counts(&count, plan->model, NULL);
    fit_codes(codes, AUTOFDO_NEXT_FIRST, AUTOFDO_N_CODES);
    put_entries(&(struct sink){codes, {&parts->structure, 0}}, plan, parts->entry_starts);
    put_counts(&(struct sink){codes, {&parts->counts, 0}}, plan->model, parts->count_starts);
    const enum bo_status status =
        kind->put(plan, codes, &parts->strings, parts->string_starts, err);
    if (status)
        return status;
    put_index(&count, plan, parts);
    fit_codes(codes, AUTOFDO_SIZES, AUTOFDO_SIZES + 1);
    fit_codes(codes, AUTOFDO_VARIANTS, AUTOFDO_VARIANTS + 1);
    struct sink index = {codes, {&parts->index, 0}};
    for (unsigned i = 0; i < AUTOFDO_N_CODES; i++)
        autofdo_put_code(&codes[i], &index.bits);
    put_index(&index, plan, parts);
    put_functions(plan, &parts->index);
    return BO_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The first timestamp, and the width of the others from there on. 0 without timestamps. */
static unsigned timestamp_bits(const struct autofdo_model *model, uint64_t *first_ret)
{
    uint64_t first = 0, last = 0;
    for (size_t i = 0; i < model->n_functions; i++) {
        const uint64_t timestamp = model->functions[i].timestamp;
        if (timestamp && (first == 0 || timestamp < first))
            first = timestamp;
        if (timestamp > last)
            last = timestamp;
    }
    *first_ret = first;
    return first ? bo_bit_width(last - first + 1) : 0;
}

static void put_fields(const struct autofdo_plan *plan, unsigned path_bits,
                       unsigned timestamp_nbits, uint64_t first, struct bo_writer *out)
{
    bo_mark(out, "files");
    struct sink files = {NULL, {out, 0}};
    for (size_t i = 0; i < plan->n_names; i++)
        put_bits(&files, plan->path_of[i], path_bits);
    bo_mark(out, "timestamps");
    struct sink timestamps = {NULL, {out, 0}};
    for (size_t i = 0; i < plan->model->n_functions; i++) {
        const uint64_t timestamp = plan->model->functions[i].timestamp;
        put_bits(&timestamps, timestamp ? timestamp - first + 1 : 0, timestamp_nbits);
    }
}

static void put_summary(const struct autofdo_summary *summary, struct bo_writer *out)
{
    uint64_t min_count = summary->max_count, n_counts = 0;
    bo_mark(out, "summary");
    bo_put_uvarint(out, summary->total_count);
    bo_put_uvarint(out, summary->max_count);
    bo_put_uvarint(out, summary->max_head);
    bo_put_uvarint(out, summary->n_counts);
    for (unsigned i = 0; i < AUTOFDO_N_CUTOFFS; i++) {
        const struct autofdo_entry *entry = &summary->entries[i];
        bo_put_uvarint(out, bo_zigzag64((int64_t)(entry->min_count - min_count)));
        bo_put_uvarint(out, entry->n_counts - n_counts);
        min_count = entry->min_count;
        n_counts = entry->n_counts;
    }
}

static void put_part(struct bo_writer *out, const char *name, const struct bo_writer *part)
{
    bo_mark(out, name);
    bo_put_bytes(out, part->p, part->n);
}

static void put_file(const struct autofdo_plan *plan, const struct autofdo_strings *kind,
                     const struct parts *parts, const struct autofdo_summary *summary,
                     struct bo_writer *out)
{
    uint64_t first;
    const unsigned timestamp_nbits = timestamp_bits(plan->model, &first);
    const unsigned path_bits = plan->model->n_files ? bo_bit_width(plan->n_paths + 1) : 0;
    bo_mark(out, "header");
    bo_put_bytes(out, kind->magic, sizeof kind->magic);
    bo_put_u8(out, (uint8_t)path_bits);
    bo_put_u8(out, (uint8_t)timestamp_nbits);
    bo_put_uvarint(out, plan->n_names);
    bo_put_uvarint(out, plan->n_paths);
    bo_put_uvarint(out, plan->text_nbytes);
    bo_put_uvarint(out, plan->n_spots);
    bo_put_uvarint(out, plan->n_parts);
    bo_put_uvarint(out, first);
    bo_put_uvarint(out, parts->index.n);
    bo_put_uvarint(out, parts->string_starts[0] / 8);
    bo_put_uvarint(out, parts->strings.n);
    bo_put_uvarint(out, parts->structure.n);
    put_summary(summary, out);
    put_part(out, "index", &parts->index);
    put_fields(plan, path_bits, timestamp_nbits, first, out);
    put_part(out, "names", &parts->strings);
    put_part(out, "structure", &parts->structure);
    put_part(out, "counts", &parts->counts);
}

static enum bo_status put_planned(const struct autofdo_plan *plan,
                                  const struct autofdo_strings *kind, struct parts *parts,
                                  struct bo_writer *out, struct bo_error *err)
{
    struct bo_arena *arena = out->arena;
    const size_t start = out->n;
    struct autofdo_code *codes = bo_zalloc_array(arena, AUTOFDO_N_CODES, sizeof *codes);
    parts->n_string_blocks = autofdo_n_blocks(plan->n_names + plan->n_paths, kind->block_strings);
    parts->n_entry_blocks = autofdo_n_blocks(plan->n_names, AUTOFDO_BLOCK_NAMES);
    parts->string_starts = bo_zalloc_array(arena, parts->n_string_blocks + 1, 8);
    parts->entry_starts = bo_zalloc_array(arena, parts->n_entry_blocks + 1, 8);
    parts->count_starts = bo_zalloc_array(arena, plan->model->n_functions + 1, 8);
    if (!codes || !parts->string_starts || !parts->entry_starts || !parts->count_starts)
        return bo_fail_alloc(err, arena);
    struct autofdo_summary summary;
    enum bo_status status = autofdo_summarize(plan->model, arena, &summary, err);
    if (status || (status = make_parts(plan, kind, codes, parts, err)) ||
        (status = bo_writer_status(&parts->strings, err)) ||
        (status = bo_writer_status(&parts->structure, err)) ||
        (status = bo_writer_status(&parts->counts, err)) ||
        (status = bo_writer_status(&parts->index, err)))
        return status;
    put_file(plan, kind, parts, &summary, out);
    const uint64_t nbytes = out->n - start;
    if (!out->status && plan->text_nbytes > autofdo_max_text(nbytes))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "names expand to more than the limit for the file's size");
    if (!out->status && plan->target_nbytes > autofdo_max_target_nbytes(nbytes))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "names of targets expand to more than the limit for the file's size");
    if (!out->status && plan->expanded > autofdo_max_expanded(nbytes))
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "trees expand to more than the limit for their size");
    return bo_writer_status(out, err);
}

enum bo_status autofdo_put_plan(const struct autofdo_plan *plan, const struct autofdo_strings *kind,
                                struct bo_writer *out, struct bo_error *err)
{
    struct parts parts;
    bo_writer_init(&parts.strings, out->arena);
    bo_writer_init(&parts.structure, out->arena);
    bo_writer_init(&parts.counts, out->arena);
    bo_writer_init(&parts.index, out->arena);
    const enum bo_status status = put_planned(plan, kind, &parts, out, err);
    bo_writer_free(&parts.strings);
    bo_writer_free(&parts.structure);
    bo_writer_free(&parts.counts);
    bo_writer_free(&parts.index);
    return status;
}

enum bo_status autofdo_put_trees(const struct autofdo_model *model,
                                 const struct autofdo_strings *kind, struct bo_writer *out,
                                 struct bo_error *err)
{
    struct autofdo_plan plan;
    const enum bo_status status = autofdo_plan_trees(model, out->arena, &plan, err);
    return status ? status : autofdo_put_plan(&plan, kind, out, err);
}
