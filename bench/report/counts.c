/* Counts of lines and instructions. */
#include "bench/report/parts.h"

#include <string.h>

#include "bench/report/tsv.h"

/* The source of a count: a file, and the machine in the first column of its rows, if any. */
static const struct source {
    const char *file, *machine, *heading;
} sources[] = {
    {"lines", NULL, "64 B lines"},
    {"portable_insns", "arm64", "instructions, arm64"},
    {"portable_insns", "s390x", "instructions, s390x"},
};

enum { N_SOURCES = sizeof sources / sizeof *sources, N_KEYS = 4 };

/* The key's cells: format, document, codec, query. NULL for a row of another source. */
static const char *const *key_of(const struct source *source, const struct bo_tsv_row *row)
{
    if (!source->machine)
        return row->cells;
    return strcmp(row->cells[0], source->machine) == 0 ? row->cells + 1 : NULL;
}

static bool is_same_key(const char *const *a, const char *const *b)
{
    for (unsigned i = 0; i < N_KEYS; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

/* The count of a key in a source, or NULL. */
static const char *count_of(const struct source *source, const struct bo_tsv *tsv,
                            const char *const *key)
{
    for (size_t i = 0; i < tsv->n; i++) {
        const char *const *other = key_of(source, &tsv->rows[i]);
        if (other && is_same_key(key, other))
            return other[N_KEYS];
    }
    return NULL;
}

void bo_page_counts(const struct bo_page *page, const char *folder, const char *format)
{
    struct bo_tsv tsv[N_SOURCES];
    struct bo_grid grid;
    bo_grid_init(&grid, page->arena, 3);
    for (unsigned s = 0; s < N_SOURCES; s++)
        tsv[s] = bo_tsv_read(folder, sources[s].file, page->arena);
    for (unsigned s = 0; s < N_SOURCES; s++)
        for (size_t i = 0; i < tsv[s].n; i++) {
            const char *const *key = key_of(&sources[s], &tsv[s].rows[i]);
            bool is_known = !key || strcmp(key[0], format) != 0;
            for (unsigned before = 0; before < s && !is_known; before++)
                is_known = count_of(&sources[before], &tsv[before], key) != NULL;
            if (is_known)
                continue;
            bo_grid_column(&grid, "document", key[1]);
            bo_grid_column(&grid, "codec", key[2]);
            bo_grid_column(&grid, "query", key[3]);
            for (unsigned c = 0; c < N_SOURCES; c++) {
                const char *count = count_of(&sources[c], &tsv[c], key);
                bo_grid_column(&grid, sources[c].heading, count ? count : "-");
            }
            bo_grid_end_row(&grid);
        }
    if (bo_grid_n_rows(&grid) == 0)
        return;
    fprintf(page->out,
            "\n### Lines and instructions\n\n"
            "These are counts, not times: means over 64 queries of a warm reader "
            "(`bench/watch.sh`). Lines are the distinct 64-byte lines of the input that a query "
            "reads on x86-64-v3. They exclude data that the reader unpacked or copied in `open`. "
            "Instructions are those of the portable path under qemu-user, including those of libc. "
            "-: not counted.\n\n");
    bo_page_grid(page, &grid, "lines and instructions");
}
