/*
 * Template: the struct bo_codec of one codec, LPRF_ENTRY with the name LPRF_ENTRY_NAME. If the
 * codec is a level of another one, LPRF_ENTRY_LEVEL_OF is the name of that codec. Included by
 * coded.h.
 */
const struct bo_codec LPRF_PASTE3(lprf, LPRF_ENTRY, LPRF_CODING) = {
    .name = LPRF_ENTRY_NAME "+" LPRF_QUOTE(LPRF_CODING),
    .summary = LPRF_INDEX_SUMMARY,
    .spec = "codecs/lprf/README.md#" LPRF_INDEX_NAME,
#ifdef LPRF_INDEX_READS
    .reads = LPRF_INDEX_READS "+" LPRF_QUOTE(LPRF_CODING),
#endif
#ifdef LPRF_ENTRY_LEVEL_OF
    .level_of = LPRF_ENTRY_LEVEL_OF,
#endif
#ifdef LPRF_INDEX_CHOICES
    .choices = LPRF_INDEX_CHOICES,
#endif
    .role = LPRF_INDEX_ROLE,
    .access = BO_RANDOM,
    .lazy = true,
#ifdef LPRF_INDEX_OPTIONAL
    .optional = true,
#endif
#ifdef LPRF_INDEX_PROBABILISTIC
    .probabilistic = true,
#endif
#ifdef LPRF_INDEX_KEEPS
    .keeps = true,
#endif
    .kinds = (1u << LPRF_N_KINDS) - 1,
    .encode = CODED(encode),
    .decode = CODED(decode),
    .open = CODED(open),
    .query = CODED(query),
};
