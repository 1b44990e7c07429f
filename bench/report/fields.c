/* Bytes by field. */
#include "bench/report/fields.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/report/plot.h"
#include "harness/core/print.h"

unsigned bo_field_sizes(const struct bo_document *document, struct bo_arena *arena,
                        struct bo_field_size **sizes_ret)
{
    struct bo_sequences fields = {.arena = arena};
    document->format->fields(document->model, &fields);
    bo_abort_unless(!fields.refused);
    struct bo_field_size *sizes = bo_array_or_abort(arena, fields.n, sizeof *sizes);
    for (unsigned i = 0; i < fields.n; i++) {
        sizes[i] = (struct bo_field_size){.name = fields.items[i].name, .n = fields.items[i].n};
        sizes[i].order1 = bo_order1_nbits(&fields.items[i], arena) / 8;
        sizes[i].order0 = bo_order0_nbits(&fields.items[i], &sizes[i].n_distinct) / 8;
    }
    *sizes_ret = sizes;
    return fields.n;
}

const char *bo_fields_of_section(const struct bo_format *format, const char *codec,
                                 const char *section)
{
    const struct bo_section_fields *s = format->report ? format->report->section_fields : NULL;
    for (; s && s->codecs; s++)
        if (fnmatch(s->codecs, codec, 0) == 0 && strcmp(s->section, section) == 0)
            return s->fields;
    return NULL;
}

static void add_bytes(struct bo_grid *grid, double nbytes)
{
    bo_grid_add(grid, "%.0f", ceil(nbytes));
    bo_grid_value(grid, nbytes);
}

void bo_fields_grid(const struct bo_field_size *fields, unsigned n, struct bo_arena *arena,
                    struct bo_grid *grid_ret)
{
    double order0 = 0, order1 = 0;
    bo_grid_begin(grid_ret, arena, 1, "field", "values", "distinct", "order 0, B", "order 1, B",
                  NULL);
    for (unsigned i = 0; i < n; i++) {
        bo_grid_add(grid_ret, "%s", fields[i].name);
        bo_grid_add(grid_ret, "%" PRIu64, fields[i].n);
        bo_grid_add(grid_ret, "%" PRIu64, fields[i].n_distinct);
        add_bytes(grid_ret, fields[i].order0);
        add_bytes(grid_ret, fields[i].order1);
        bo_grid_end_row(grid_ret);
        order0 += fields[i].order0;
        order1 += fields[i].order1;
    }
    bo_grid_texts(grid_ret, "sum", "", "", NULL);
    add_bytes(grid_ret, order0);
    add_bytes(grid_ret, order1);
    bo_grid_end_row(grid_ret);
}

/* ---- as stored ------------------------------------------------------------------------------- */

bool bo_is_listed(const char *names, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = names; *p; p += strspn(p, ", ")) {
        const size_t length = strcspn(p, ",");
        if (length == n && memcmp(p, name, n) == 0)
            return true;
        p += length;
    }
    return false;
}

/* A codec's bytes for one list of fields. */
struct stored {
    const char *fields;   /* "" if it contains no field of the model */
    const char *sections; /* "index, chunks" */
    double nbytes;
};

/* Joins sections with the same fields to one line: an array in the arena. */
static unsigned gather(const struct bo_format *format, const struct bo_size *codec,
                       struct bo_arena *arena, struct stored **stored_ret)
{
    struct stored *stored = bo_array_or_abort(arena, codec->sections.n + 1u, sizeof *stored);
    unsigned n = 0;
    for (unsigned s = 0; s < codec->sections.n; s++) {
        const struct bo_pair *section = &codec->sections.items[s];
        const char *fields = bo_fields_of_section(format, codec->name, section->name);
        unsigned i = 0;
        fields = fields ? fields : "not known";
        while (i < n && strcmp(stored[i].fields, fields) != 0)
            i++;
        if (i == n)
            stored[n++] = (struct stored){fields, "", 0};
        stored[i].sections = bo_arena_printf(arena, "%s%s%s", stored[i].sections,
                                             *stored[i].sections ? ", " : "", section->name);
        stored[i].nbytes += section->number;
    }
    *stored_ret = stored;
    return n;
}

void bo_stored_grid(const struct bo_document *document, const struct bo_sizes *sizes,
                    const struct bo_field_size *fields, unsigned n, struct bo_arena *arena,
                    struct bo_grid *grid_ret)
{
    bo_grid_begin(grid_ret, arena, 3, "codec", "fields", "sections", "stored, B", "order 0, B",
                  "order 1, B", "stored over order 0", NULL);
    for (unsigned c = 0; c < sizes->n_codecs; c++) {
        struct stored *stored;
        const unsigned n_stored = gather(document->format, &sizes->codecs[c], arena, &stored);
        for (unsigned s = 0; s < n_stored; s++) {
            double order0 = 0, order1 = 0;
            for (unsigned i = 0; i < n; i++)
                if (bo_is_listed(stored[s].fields, fields[i].name)) {
                    order0 += fields[i].order0;
                    order1 += fields[i].order1;
                }
            bo_grid_texts(grid_ret, sizes->codecs[c].name,
                          *stored[s].fields ? stored[s].fields : "-", stored[s].sections, NULL);
            add_bytes(grid_ret, stored[s].nbytes);
            add_bytes(grid_ret, order0);
            add_bytes(grid_ret, order1);
            bo_grid_add(grid_ret, "%s",
                        order0 > 0 ? bo_significant(arena, stored[s].nbytes / order0) : "-");
            bo_grid_end_row(grid_ret);
        }
    }
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* A bar whose sections are fields or lists of fields. */
static struct bo_run_codec bar_of(struct bo_arena *arena, const char *name, unsigned n,
                                  struct bo_size **size_ret)
{
    struct bo_size *size = bo_array_or_abort(arena, 1, sizeof *size);
    *size = (struct bo_size){.name = name, .role = "-", .status = "ok", .has_bytes = true};
    size->sections.items = bo_array_or_abort(arena, n + 1u, sizeof *size->sections.items);
    *size_ret = size;
    return (struct bo_run_codec){
        .name = name, .role = "-", .access = "-", .path = "-", .size = size, .has_bytes = true};
}

static void add_part(struct bo_run_codec *bar, struct bo_size *size, const char *name,
                     double nbytes)
{
    size->sections.items[size->sections.n++] = (struct bo_pair){name, NULL, ceil(nbytes)};
    bar->bytes += (uint64_t)ceil(nbytes);
}

void bo_plot_fields(const struct bo_document *document, const struct bo_sizes *sizes,
                    const struct bo_field_size *fields, unsigned n, const char *path,
                    struct bo_drawing *drawing)
{
    struct bo_arena *arena = drawing->arena;
    struct bo_run_codec *bars = bo_array_or_abort(arena, sizes->n_codecs + 3u, sizeof *bars);
    struct bo_size *size;
    unsigned n_bars = 0;
    for (unsigned order = 0; order < 2; order++) {
        struct bo_run_codec *bar = &bars[n_bars++];
        *bar = bar_of(arena, order ? "order-1 entropy" : "order-0 entropy", n, &size);
        for (unsigned i = 0; i < n; i++)
            add_part(bar, size, fields[i].name, order ? fields[i].order1 : fields[i].order0);
    }
    for (unsigned c = 0; c < sizes->n_codecs; c++) {
        struct stored *stored;
        const unsigned n_stored = gather(document->format, &sizes->codecs[c], arena, &stored);
        if (!sizes->codecs[c].has_bytes)
            continue;
        struct bo_run_codec *bar = &bars[n_bars++];
        *bar = bar_of(arena, sizes->codecs[c].name, n_stored, &size);
        for (unsigned s = 0; s < n_stored; s++)
            add_part(bar, size, *stored[s].fields ? stored[s].fields : "no field",
                     stored[s].nbytes);
    }
    const struct bo_run_document drawn = {.format = document->format->name,
                                          .name = document->name,
                                          .codecs = bars,
                                          .n_codecs = n_bars,
                                          .baseline = &bars[n_bars > 2 ? 2 : 0]};
    bo_plot_sections(&drawn, path, drawing);
}
