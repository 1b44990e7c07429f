/* Sizes as tables. */
#include "bench/report/sizes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/measure/compress.h"
#include "bench/measure/plan.h"
#include "bench/measure/sizes.h"
#include "bench/report/comparison.h"

/* ---- a document ------------------------------------------------------------------------------ */

/* The reference of all lines of a table. */
struct base {
    uint64_t baseline_bytes, n_units;
    const char *unit;
    bool compressed, aside;
};

/* The bytes of the first status quo, or else of the first codec. */
static uint64_t baseline_bytes(const struct bo_sizes *sizes)
{
    for (unsigned i = 0; i < sizes->n_codecs; i++)
        if (strcmp(sizes->codecs[i].role, bo_role_name(BO_STATUS_QUO)) == 0 &&
            sizes->codecs[i].bytes)
            return sizes->codecs[i].bytes;
    return sizes->n_codecs ? sizes->codecs[0].bytes : 0;
}

static struct base base_of(const struct bo_sizes *sizes, bool machine_dependent)
{
    struct base base = {.baseline_bytes = baseline_bytes(sizes), .unit = "units"};
    if (sizes->units.n) {
        base.unit = sizes->units.items[0].name;
        base.n_units = (uint64_t)sizes->units.items[0].number;
    }
    for (unsigned i = 0; i < sizes->n_codecs; i++) {
        base.aside = base.aside || sizes->codecs[i].aside.n;
        base.compressed = base.compressed || (machine_dependent && sizes->codecs[i].compressed.n);
    }
    return base;
}

/* "index 12, chunks 345" */
static char *sections_cell(struct bo_arena *arena, const struct bo_pairs *sections)
{
    char *text = bo_arena_printf(arena, "%s", "");
    for (unsigned i = 0; i < sections->n; i++)
        text = bo_arena_printf(arena, "%s%s%s %.0f", text, i ? ", " : "", sections->items[i].name,
                               sections->items[i].number);
    return text;
}

/* Bytes, ratio, bytes a unit. */
static void add_bytes(const struct base *base, double bytes, struct bo_grid *grid)
{
    struct bo_arena *arena = grid->arena;
    bo_grid_column(grid, "bytes", bo_fixed(arena, bytes, 0));
    bo_grid_column(grid, "ratio", bo_fixed(arena, bytes / (double)base->baseline_bytes, 3));
    bo_grid_column(grid, bo_arena_printf(arena, "B/%s", bo_singular(arena, base->unit)),
                   bo_fixed(arena, bytes / (double)base->n_units, 2));
}

static struct bo_run_codec marked(const struct bo_size *codec)
{
    return (struct bo_run_codec){.name = codec->name,
                                 .probabilistic = codec->probabilistic,
                                 .leaves_out = codec->leaves_out};
}

static void add_codec(const struct base *base, const struct bo_size *codec, struct bo_grid *grid)
{
    struct bo_arena *arena = grid->arena;
    const char *refusal = codec->has_bytes ? NULL : bo_refusal_in(codec->status);
    const struct bo_run_codec with_marks = marked(codec);
    bo_grid_column(grid, "codec", bo_codec_cell(arena, &with_marks));
    bo_grid_column(grid, "role", codec->role);
    bo_grid_column(grid, "sections",
                   codec->has_bytes ? sections_cell(arena, &codec->sections)
                   : refusal        ? bo_arena_printf(arena, "not held: %s", refusal)
                                    : bo_arena_printf(arena, "failed: %s", codec->status));
    if (base->aside)
        bo_grid_column(grid, "aside", sections_cell(arena, &codec->aside));
    add_bytes(base, codec->has_bytes ? (double)codec->bytes : NAN, grid);
    for (const struct bo_compressor *c = bo_compressors; base->compressed && c->name; c++)
        bo_grid_column(grid, c->like,
                       bo_fixed(arena, bo_pair_number(&codec->compressed, c->name), 0));
    bo_grid_end_row(grid);
}

#define ORDER_0 "order-0 entropy"
#define ORDER_0_NOTE                                                                            \
    "The " ORDER_0 " is the sum over the fields of the model, without the cost of statistics. " \
    "It is not a lower bound: a codec that uses context can be smaller."

static void add_entropy(const struct base *base, const struct bo_sizes *sizes, struct bo_grid *grid)
{
    bo_grid_texts(grid, ORDER_0, "-", "", NULL);
    if (base->aside)
        bo_grid_add(grid, "%s", "");
    add_bytes(base, trunc(sizes->entropy_floor), grid);
    for (const struct bo_compressor *c = bo_compressors; base->compressed && c->name; c++)
        bo_grid_add(grid, "%s", "");
    bo_grid_end_row(grid);
}

void bo_sizes_grid(const struct bo_sizes *sizes, bool machine_dependent, struct bo_arena *arena,
                   struct bo_grid *grid_ret)
{
    const struct base base = base_of(sizes, machine_dependent);
    bo_grid_init(grid_ret, arena, base.aside ? 4 : 3);
    for (unsigned i = 0; i < sizes->n_codecs; i++)
        add_codec(&base, &sizes->codecs[i], grid_ret);
    if (machine_dependent && !isnan(sizes->entropy_floor))
        add_entropy(&base, sizes, grid_ret);
}

const char *bo_sizes_note(const struct bo_sizes *sizes, bool machine_dependent,
                          struct bo_arena *arena)
{
    struct bo_run_codec *codecs = bo_array_or_abort(arena, sizes->n_codecs, sizeof *codecs);
    for (unsigned i = 0; i < sizes->n_codecs; i++)
        codecs[i] = marked(&sizes->codecs[i]);
    const struct bo_run_document document = {.codecs = codecs, .n_codecs = sizes->n_codecs};
    const char *marks = bo_mark_note(&document, arena);
    if (!machine_dependent || isnan(sizes->entropy_floor))
        return marks;
    return bo_arena_printf(arena, "%s%s" ORDER_0_NOTE, marks ? marks : "", marks ? " " : "");
}

/* ---- the checked page ------------------------------------------------------------------------ */

/* Optional codecs do not exist on every machine. */
static bool is_everywhere(void *context, const struct bo_document *document,
                          const struct bo_codec *codec)
{
    return !codec->optional;
}

static bool print_document(struct bo_document *document, FILE *out)
{
    const struct bo_sizes_options options = {.compress = false, .wants = is_everywhere};
    if (!bo_document_load(document))
        return false;
    struct bo_arena arena;
    struct bo_grid grid;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    const struct bo_sizes sizes = bo_sizes_measure(document, &options, &arena);
    fprintf(out, "\n**%s, %s** (XXH3-64 %016" PRIx64 "): %s\n\n", document->format->name,
            document->name, document->hash, bo_counts_text(&sizes.units, &arena));
    bo_sizes_grid(&sizes, false, &arena, &grid);
    bo_grid_markdown(&grid, out);
    const char *note = bo_sizes_note(&sizes, false, &arena);
    if (note)
        fprintf(out, "\n%s\n", note);
    bo_arena_free(&arena);
    return true;
}

bool bo_sizes_page(FILE *out)
{
    struct bo_documents documents;
    if (!bo_documents_list(NULL, BO_DOCUMENTS_EMBEDDED, &documents))
        return false;
    struct bo_progress progress = bo_progress_start("sizes", documents.n);
    bool ok = true;
    fputs("# Sizes of the embedded documents\n\n"
          "Exact, and the same on every machine: `bakeoff report --check-sizes` computes them anew "
          "and fails if this page differs.\n",
          out);
    for (size_t i = 0; i < documents.n && ok; i++) {
        ok = print_document(&documents.items[i], out);
        bo_progress_step(&progress, 1, documents.items[i].name);
    }
    bo_progress_end(&progress);
    bo_documents_free(&documents);
    return ok;
}
