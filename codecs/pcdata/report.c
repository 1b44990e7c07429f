/* PCDATA in reports: tables, uses and texts. */
#include "codecs/pcdata/report.h"

#include <stddef.h>

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
     "The Go benchmark of the proposal looks up 1024 samples repeatedly, which the caches and the "
     "branch predictor learn. This table has the columns of that benchmark, measured by its "
     "method, in ns a lookup. The ratio is varint over linear, the speedup by linear. Here the "
     "cache is in front of the C decoder; a hit rate of 7:1 is measured for random PCs only. Other "
     "readers of the linear index, and queries that no cache holds, are in the tables above.",
     pcdata_original_groups},
    {NULL, NULL, NULL},
};

/* How much larger tables may become for speed: the growth that the proposal names, rounded up. */
#define PCDATA_MAX_GROWTH 1.25

static const struct bo_use pcdata_uses[] = {
    {.use = "any PC", {"recorded, ns", BO_TIME, "point/recorded", NULL}, .picks = true},
    {.use = "any PC", {"recorded, cold, ns", BO_TIME, "point/recorded-cold", NULL}, .picks = true},
    {.use = "any PC", {"skewed, ns", BO_TIME, "point/skewed", NULL}, .picks = true},
    {.use = "any PC", {"uniform, ns", BO_TIME, "point/uniform", NULL}, .picks = true},
    {.use = "any PC", {"hot, ns", BO_TIME, "point/hot", NULL}, .picks = true},
    {.use = "any PC", {"pages", BO_COUNTER, "point/uniform", "touched_pages"}},
    {.use = "any PC",
     {"B/table", BO_SIZE_PER_UNIT, NULL, NULL},
     .limit = PCDATA_MAX_GROWTH,
     .of_baseline = true,
     .fit = "ships"},
    {.use = "any PC", {"pc-4096, ns", BO_TIME, "point/pc-4096", NULL}, .picks = true},
    {.use = "any PC", {"traceback, ns", BO_TIME, "point/traceback", NULL}, .picks = true},
    {.use = "any PC", {"chain, ns", BO_TIME, "point/chain", NULL}, .picks = true},
    {.use = "any PC",
     {"with the start of the run, ns", BO_TIME, "span/uniform", NULL},
     .picks = true},
    {.use = "small", {"B/table", BO_SIZE_PER_UNIT, NULL, NULL}, .picks = true},
    {.use = "whole", {"scan, ns", BO_TIME, "scan/uniform", NULL}, .picks = true},
    {.use = "build", {"ns/table", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "build", {"scratch, B/table", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes"}},
    {.use = NULL},
};

static const struct bo_uses pcdata_use_cases = {
    .text =
        "A runtime looks up *any PC* of a program. *Recorded* queries are those of a real program; "
        "for *cold*, the caches are emptied before each 64 queries, about one stack walk. *Skewed* "
        "queries are drawn with a similar distribution. *Uniform* draws from all PCs, and *hot* "
        "repeats 1024 of them. *Traceback* looks up the PCs of a traceback. In a *chain*, each "
        "answer leads to the next query. *Pc-4096* looks up PCs 4096 bytes into a function, as in "
        "the proposal's argument. Tables are in every binary: a codec *ships* if they are at most "
        "a quarter larger than today's. A linker needs *small* tables, and builds them: *scratch* "
        "is the memory that encoding needs in addition to the model and the output. A tool reads "
        "them *whole*.",
    .uses = pcdata_uses,
};

static const struct bo_use_fact pcdata_needs[] = {
    {"shape-code*", "every table of the program, from which the shapes are chosen"},
    {NULL, NULL},
};

static const struct bo_section_fields pcdata_section_fields[] = {
    {"run-array", "counts", "run counts"},
    {"run-array", "starts", "run lengths"},
    {"run-array", "values", "value deltas"},
    {"*", "values", "run counts, run lengths, value deltas"},
    {"*", "runs", "run counts, run lengths, value deltas"},
    {"*", "chunks", "run counts, run lengths, value deltas"},
    {"*", "shaped records", "run counts, run lengths, value deltas"},
    {"*", "split records", "run counts, run lengths, value deltas"},
    {"*", "single blocks", "run counts, run lengths, value deltas"},
    {"*", "blocks", "run counts, run lengths, value deltas"},
    {"*", "lists", "run counts, run lengths, value deltas"},
    {"*", "long lists", "run counts, run lengths, value deltas"},
    {"*", "dictionary", ""},
    {"*", "index", ""},
    {NULL, NULL, NULL},
};

const struct bo_format_report pcdata_report = {
    .question =
        "A Go binary keeps, for each function, tables from PC to file, line, stack depth and "
        "more, in delta-coded varints that a reader must walk from the start. Is there an "
        "encoding that answers one PC faster, as the proposed linear index does, without the "
        "bytes that it adds to every binary?",
    .consumer =
        "**What the consumer reads.** The Go runtime looks up one PC in one table. Five recorded "
        "programs run 9,200 to 3,570,000 such queries a second; half of them end in the first two "
        "runs of a table, and 98 to 100 % were run before in the same program. They take about "
        "1 % of the CPU time of ordinary Go programs, 5 % of one with deep stacks under the "
        "collector, and 22 % of one full of panics and stack traces, which is the most that a "
        "reader can save. **In the consumer:** "
        "`results/go-runtime.md` has sizes and times of Go programs whose linker and runtime use "
        "three of these encodings.",
    .main_label = "point/recorded point/skewed",
    .sizes =
        "`bytes` is the table area (Go's pctab); every codec stores equal tables once. Parts that "
        "are the same for all codecs (header, padding for wide loads, the directory with 4 bytes a "
        "reference and the text lengths) are listed separately and do not count. An encoding that "
        "changes such a part counts it.",
    .extras = pcdata_extras,
    .uses = &pcdata_use_cases,
    .needs = pcdata_needs,
    .section_fields = pcdata_section_fields,
};
