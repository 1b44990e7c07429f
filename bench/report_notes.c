/* The words and the particular tables. */
#include "bench/report_notes.h"

#include <stddef.h>
#include <string.h>

/* ---- pcdata ---------------------------------------------------------------------------------- */

/*
 * The benchmark that came with the proposal: three places in a table, today's decoder against the
 * proposed one.
 */
static const struct bo_extra_group pcdata_original_groups[] = {
    {"pc = random",
     {{"varint", "varint-delta", "point/hot"},
      {"cached, no hits", "varint-delta-cached", "point/hot"},
      {"cached, hits 7:1", "varint-delta-cached", "point/hot-7to1"},
      {"linear (alt)", "linear-index", "point/hot"}}},
    {"pc = 0",
     {{"varint", "varint-delta", "point/pc-0"},
      {"cached, no hits", "varint-delta-cached", "point/pc-0"},
      {"linear (alt)", "linear-index", "point/pc-0"}}},
    {"pc = 4096",
     {{"varint", "varint-delta", "point/pc-4096"},
      {"cached, no hits", "varint-delta-cached", "point/pc-4096"},
      {"linear (alt)", "linear-index", "point/pc-4096"}}},
    {NULL, {{NULL, NULL, NULL}}},
};

static const struct bo_extra pcdata_extras[] = {
    {"The original benchmark's table",
     "The Go benchmark of the proposal asks 1024 samples again and again, which the caches and "
     "the branch predictor learn. These are its columns, by its method, in ns a lookup; the ratio "
     "is varint over linear: how many times faster linear is. Here the cache stands before the C "
     "decoder; a hit rate of 7:1 is measured for random PCs only. Other readers of the linear "
     "index, and queries that no cache holds, are in the tables above.",
     pcdata_original_groups},
    {NULL, NULL, NULL},
};

/* ---- all ------------------------------------------------------------------------------------- */

static const struct bo_notes notes[] = {
    {"pcdata",
     "A Go binary keeps, for each function, tables from PC to file, line, stack depth and more, "
     "in delta-coded varints that a reader must walk from the start. Is there an encoding that "
     "answers one PC faster, as the proposed linear index does, without the bytes that it adds to "
     "every binary?",
     "`bytes` is the table area (Go's pctab), equal tables stored once by every codec. What is "
     "the same for all (header, room for wide loads, the directory with 4 bytes a reference and "
     "the text lengths) stands aside and does not count; an encoding that changes it counts it.",
     pcdata_extras},
};

const struct bo_notes *bo_notes_of(const char *format)
{
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strcmp(notes[i].format, format) == 0)
            return &notes[i];
    return NULL;
}

const char *const bo_not_measured[] = {
    "Instructions and cache misses: times and pages only.",
    "64-byte lines touched: pages of 4 KiB are counted.",
    "The worst case on hostile input: the fuzzers bound it, no table shows it.",
    "More than one thread: all figures are of one.",
    "Files read from a disk: `open-cold` finds its bytes in memory, and only its page table empty.",
    NULL,
};
