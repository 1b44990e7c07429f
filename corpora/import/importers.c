/* The table of importers, from importers.def, and the choice of one by the content of a file. */
#include "corpora/import/import.h"

#define IMPORTER(format, name, input) extern const struct bo_importer format##_##name##_importer;
#include "corpora/import/importers.def"
#undef IMPORTER

const struct bo_importer *const bo_importers[] = {
#define IMPORTER(format, name, input) &format##_##name##_importer,
#include "corpora/import/importers.def"
#undef IMPORTER
    NULL,
};

const struct bo_importer *bo_find_importer(const char *format, struct bo_span file)
{
    for (const struct bo_importer *const *i = bo_importers; *i; i++)
        if ((*i)->sniff && strcmp((*i)->format, format) == 0 && (*i)->sniff(file))
            return *i;
    return NULL;
}

const struct bo_importer *bo_find_folder_importer(const char *format, const char *folder)
{
    for (const struct bo_importer *const *i = bo_importers; *i; i++)
        if ((*i)->sniff_folder && strcmp((*i)->format, format) == 0 && (*i)->sniff_folder(folder))
            return *i;
    return NULL;
}

bool bo_looks_like_text(struct bo_span file)
{
    enum { LOOKED_AT_NBYTES = 4096 };
    const size_t n = file.n < LOOKED_AT_NBYTES ? file.n : LOOKED_AT_NBYTES;
    return n == 0 || (file.p[0] != 0xff && file.p[0] != 0x81 && !memchr(file.p, 0, n));
}
