/*
 * Codecs that consist of two parts: "trie+varint" is the index `trie` with the counters `varint`.
 * Such a format has a codec for each pair, and tables show one axis at a time.
 */
#ifndef BO_AXES_H
#define BO_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "harness/format.h"

/* The second part, "varint" in "trie+varint"; NULL for a codec of one part. */
static inline const char *bo_second_part(const char *codec)
{
    const char *plus = strrchr(codec, '+');
    return plus ? plus + 1 : NULL;
}

/* The length of the first part, or of the whole name if there is only one part. */
static inline size_t bo_first_part_length(const char *codec)
{
    const char *second = bo_second_part(codec);
    return second ? (size_t)(second - codec) - 1 : strlen(codec);
}

/*
 * True when a codec is on the first axis: its second part is that of the format's first codec of
 * two parts, or it has only one part.
 */
static inline bool bo_on_first_axis(const struct bo_format *format, const char *codec)
{
    const struct bo_codec *const *first = format->codecs;
    const char *second = bo_second_part(codec);
    while (*first && !bo_second_part((*first)->name))
        first++;
    return !*first || !second || strcmp(second, bo_second_part((*first)->name)) == 0;
}

#endif
