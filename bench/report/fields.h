/*
 * Where a document's bytes are: its fields with their entropies, and each codec's bytes for them,
 * by the sections that it marks.
 */
#ifndef BO_REPORT_FIELDS_H
#define BO_REPORT_FIELDS_H

#include "bench/report/canvas.h"
#include "bench/report/grid.h"
#include "bench/runs/run.h"
#include "corpora/documents.h"

struct bo_field_size {
    const char *name;
    uint64_t n, n_distinct; /* values */
    double order0, order1;  /* bytes; see harness/coding/entropy.h */
};

/* The fields of a loaded document: an array in the arena. Returns how many. */
unsigned bo_field_sizes(const struct bo_document *document, struct bo_arena *arena,
                        struct bo_field_size **sizes_ret);

/* The fields in a section of a codec, "run lengths, value deltas"; "" for none; NULL if unknown. */
const char *bo_fields_of_section(const struct bo_format *format, const char *codec,
                                 const char *section);

/* Whether `name` is one of the names in "a, b, c". */
bool bo_is_listed(const char *names, const char *name);

/* One line per field, and their sums. */
void bo_fields_grid(const struct bo_field_size *fields, unsigned n, struct bo_arena *arena,
                    struct bo_grid *grid_ret);

/*
 * One line per codec and section: its bytes, and the entropies of the section's fields. A field
 * that is in several sections of a codec is listed in one line for all of them.
 */
void bo_stored_grid(const struct bo_document *document, const struct bo_sizes *sizes,
                    const struct bo_field_size *fields, unsigned n, struct bo_arena *arena,
                    struct bo_grid *grid_ret);

/* A bar of fields for each codec, below those of the two entropies. */
void bo_plot_fields(const struct bo_document *document, const struct bo_sizes *sizes,
                    const struct bo_field_size *fields, unsigned n, const char *path,
                    struct bo_drawing *drawing);

#endif
