/* The words and the particular tables. */
#include "bench/report/notes.h"

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

/* How much larger tables may become for speed: the growth that the proposal names, rounded up. */
#define PCDATA_MAX_GROWTH 1.25

static const struct bo_use pcdata_uses[] = {
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
    {.use = "small", {"B/table", BO_SIZE_PER_UNIT, NULL, NULL}, .picks = true},
    {.use = "whole", {"scan, ns", BO_TIME, "scan/uniform", NULL}, .picks = true},
    {.use = "build", {"ns/table", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "build", {"scratch, B/table", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes"}},
    {.use = NULL},
};

static const struct bo_uses pcdata_use_cases = {
    .text =
        "A runtime looks up *any PC* of a program: uniformly, 1024 of them again and again, in a "
        "traceback, where one answer leads to the next query (*chain*), or, as in the proposal's "
        "argument, 4096 bytes into a function (*pc-4096*). Tables are in every binary: a codec "
        "*ships* "
        "when they are at most a quarter larger than today's. A linker wants them *small*, and "
        "builds "
        "them: *scratch* is the memory that encoding takes beside the model and the output. A tool "
        "reads them *whole*.",
    .uses = pcdata_uses,
};

/* ---- lprf ------------------------------------------------------------------------------------ */

static const char *const lprf_counter_sections[] = {"counters", "hashes", NULL};

static const struct bo_figure lprf_index_figures[] = {
    {"index, B/function", BO_FIRST_PART_PER_UNIT, NULL, NULL},
    {"lookup hot, ns", BO_TIME, "lookup/hot", NULL},
    {"lookup uniform, ns", BO_TIME, "lookup/uniform", NULL},
    {"lookup cold, ns", BO_TIME, "lookup/cold", NULL},
    {"lookup miss, ns", BO_TIME, "lookup/miss", NULL},
    {"contains hot, ns", BO_TIME, "contains/hot", NULL},
    {"contains uniform, ns", BO_TIME, "contains/uniform", NULL},
    {"contains cold, ns", BO_TIME, "contains/cold", NULL},
    {"contains miss, ns", BO_TIME, "contains/miss", NULL},
    {"open, ns", BO_TIME, "open", NULL},
    {"pages, lookup uniform", BO_COUNTER, "lookup/uniform", "touched_pages"},
    {NULL, BO_TIME, NULL, NULL},
};

static const struct bo_figure lprf_counter_figures[] = {
    {"file, B/function", BO_SIZE_PER_UNIT, NULL, NULL},
    {"file under zstd -19, B/function", BO_OUTER_PER_UNIT, NULL, "zstd19"},
    {"lookup hot, ns", BO_TIME, "lookup/hot", NULL},
    {"lookup cold, ns", BO_TIME, "lookup/cold", NULL},
    {"iterate, ns/function", BO_TIME_PER_UNIT, "iterate/whole", NULL},
    {"encode, ns/function", BO_TIME_PER_UNIT, "encode", NULL},
    {"decode, ns/function", BO_TIME_PER_UNIT, "decode", NULL},
    {NULL, BO_TIME, NULL, NULL},
};

static const struct bo_axes lprf_axes = {"index", "counters", lprf_counter_sections,
                                         lprf_index_figures, lprf_counter_figures};

/* What a dying process may still take for each function: two pointers. */
enum { LPRF_STREAM_SCRATCH_NBYTES = 16 };

static const struct bo_use lprf_uses[] = {
    {.use = "A", {"lookup hot, ns", BO_TIME, "lookup/hot", NULL}, .picks = true},
    {.use = "A", {"lookup cold, ns", BO_TIME, "lookup/cold", NULL}, .picks = true},
    {.use = "A", {"pages a lookup", BO_COUNTER, "lookup/uniform", "touched_pages"}},
    {.use = "B", {"build, ns/function", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "B",
     {"scratch, B/function", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes"},
     .limit = LPRF_STREAM_SCRATCH_NBYTES,
     .fit = "streams"},
    {.use = "C", {"iterate, ns/function", BO_TIME_PER_UNIT, "iterate/whole", NULL}, .picks = true},
    {.use = "C",
     {"sorted, ns/function", BO_TIME_PER_UNIT, "iterate-sorted/whole", NULL},
     .picks = true},
    {.use = "C", {"merge, ns/function", BO_TIME_PER_UNIT, "merge", NULL}, .picks = true},
    {.use = "D", {"B/function", BO_SIZE_PER_UNIT, NULL, NULL}, .picks = true},
    {.use = "D", {"zstd -19, B/function", BO_OUTER_PER_UNIT, NULL, "zstd19"}, .picks = true},
    {.use = NULL},
};

/* How often encoding goes over the functions; the header is patched at the end. */
static const struct bo_use_fact lprf_passes[] = {
    {"list+u64", "2"},
    {"list+varint", "2"},
    {"list+packed", "3"},
    {"*hash*+packed", "4"},
    {"*hash*", "3"},
    {"accel+packed", "4"},
    {"accel+*", "3"},
    {"trie+*", "sorts names"},
    {"front-coded+*", "sorts names"},
    {"phrases+*", "sorts names"},
    {"fingerprints+*", "sorts names"},
    {NULL, NULL},
};

static const struct bo_uses lprf_use_cases = {
    "The proposal's uses: **A** find one function's counters; **B** write the file from a process "
    "that ends; **C** go over everything, and merge two files (decode both, add up, encode); **D** "
    "be compact; **E** be the same on every machine. *Build* is the time to encode, *scratch* the "
    "memory "
    "that encoding takes beside the functions themselves and the file. A codec *streams*, so that "
    "a process could still write it "
    "as it dies, when that is at most 16 bytes a function. *Passes* is how often it goes over all "
    "functions: once to place what a table or dictionary needs, once for the index, once for the "
    "records; or that it must sort the names first, which no dying process should.",
    lprf_uses,
    "B",
    "passes",
    lprf_passes,
    "E",
    "the bytes are identical on little- and big-endian and on 32- and 64-bit machines: `make test` "
    "compares the size and hash of each encoding of the embedded documents with "
    "codecs/lprf/golden.tsv on all of them, s390x and i686 too (there of the documents within the "
    "limits that the Makefile sets). Optional codecs, on top of libraries, are built for the "
    "machine itself alone."};

/* ---- AutoFDO --------------------------------------------------------------------------------- */

static const struct bo_size_column autofdo_columns[] = {
    {"v3", BO_SIZE_BYTES, .codec = "gcov-v3"},
    {"v4", BO_SIZE_BYTES, .codec = "v4"},
    {"v4c", BO_SIZE_BYTES, .codec = "v4-compact"},
    {"v4 %", BO_SIZE_CHANGE, .codec = "v4"},
    {"v4c %", BO_SIZE_CHANGE, .codec = "v4-compact"},
    {"v4, one table %", BO_SIZE_CHANGE, .codec = "v4-one-table"},
    {"v4c, one table %", BO_SIZE_CHANGE, .codec = "v4-compact-one-table"},
    {"LLVM text %", BO_SIZE_CHANGE, .program = "llvm-profdata, text"},
    {"LLVM binary %", BO_SIZE_CHANGE, .program = "llvm-profdata, binary"},
    {"LLVM extbinary %", BO_SIZE_CHANGE, .program = "llvm-profdata, extbinary"},
    {"the same, sections compressed %", BO_SIZE_CHANGE,
     .program = "llvm-profdata, extbinary with packed sections"},
    {"v3 + zstd -19 %", BO_SIZE_CHANGE, .codec = "gcov-v3", .outer = "zstd19"},
    {"v4c + zstd -19 %", BO_SIZE_CHANGE, .codec = "v4-compact", .outer = "zstd19"},
    {"shared-trees %", BO_SIZE_CHANGE, .codec = "shared-trees"},
    {"shared-trees-zstd %", BO_SIZE_CHANGE, .codec = "shared-trees-zstd"},
    {.heading = NULL},
};

static const struct bo_size_table autofdo_tables[] = {
    {"The proposal's own table",
     "Section 7 of the proposal gives the sizes of v3, v4 and v4 compact, and what v4 saves. Here "
     "they "
     "are for our profiles, and beside them what the reviewer asked for: LLVM's encodings of the "
     "same "
     "profiles, written by llvm-profdata. v4 from section 4.5 on is our reconstruction.",
     "Profile", autofdo_columns,
     "**Was it compared with LLVM's formats?** In bytes of v3, all profiles together: v4 takes {v4 "
     "%}, "
     "v4 compact {v4c %}. LLVM's extbinary takes {LLVM extbinary %}, and "
     "{the same, sections compressed %} with compressed sections, with all names kept. A general "
     "compressor over v3, which ends partial reading, takes {v3 + zstd -19 %}. "
     "**Should each translation unit have a string table of its own?** Independence costs the "
     "difference to one table for all: v4 {v4 %} against {v4, one table %}, compact {v4c %} "
     "against "
     "{v4c, one table %}. Reading in part does not need it: an encoding with one dictionary of "
     "names, "
     "read by parts, takes {shared-trees %}, and {shared-trees-zstd %} with names in compressed "
     "blocks."},
    {.title = NULL}};

static const struct bo_use autofdo_uses[] = {
    {.use = "summary", {"ns", BO_TIME, "summary/whole", NULL}, .picks = true},
    {.use = "function", {"uniform, ns", BO_TIME, "function/uniform", NULL}, .picks = true},
    {.use = "function", {"hot, ns", BO_TIME, "function/hot", NULL}, .picks = true},
    {.use = "function", {"cold, ns", BO_TIME, "function/cold", NULL}, .picks = true},
    {.use = "function", {"first, ns", BO_TIME, "function/first", NULL}, .picks = true},
    {.use = "function", {"miss, ns", BO_TIME, "function/miss", NULL}},
    {.use = "function", {"pages", BO_COUNTER, "function/uniform", "touched_pages"}},
    {.use = "tu", {"ns", BO_TIME, "tu/uniform", NULL}, .picks = true},
    {.use = "tu", {"first, ns", BO_TIME, "tu/first", NULL}, .picks = true},
    {.use = "tu", {"pages", BO_COUNTER, "tu/uniform", "touched_pages"}},
    {.use = "open", {"ns", BO_TIME, "open", NULL}, .picks = true},
    {.use = "open", {"cold, ns", BO_TIME, "open-cold", NULL}},
    {.use = "open", {"bytes allocated", BO_COUNTER, "open", "open_bytes_allocated"}},
    {.use = "scan", {"ns/function", BO_TIME_PER_UNIT, "scan/whole", NULL}, .picks = true},
    {.use = "merge", {"ns/function", BO_TIME_PER_UNIT, "merge", NULL}, .picks = true},
    {.use = "build", {"ns/function", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "build",
     {"scratch, B/function", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes"}},
    {.use = NULL},
};

static const struct bo_uses autofdo_use_cases = {
    .text =
        "Partial reading is the proposal's first goal. A compiler reads the summary, then what "
        "concerns its translation unit (*tu*: all functions of one source file) or one *function* "
        "with all that is inlined into it, and their names. *First* is one such query of a reader "
        "just opened, opening included: the cost of a compiler that runs one query. The other "
        "times "
        "are of a reader that stays open and may keep what it has read. *Build* is the time to "
        "encode, "
        "*scratch* the memory that encoding takes beside the profile and the file. *Pages* are the "
        "distinct 4 KiB "
        "pages of the file that one query reads, of a reader that has read nothing else since it "
        "was "
        "opened; codecs that decode everything when they open read none then, and show it in "
        "*open* "
        "and *first*.",
    .uses = autofdo_uses,
};

/* ---- Templight ------------------------------------------------------------------------------- */

static const struct bo_size_column templight_name_columns[] = {
    {"dict, B", BO_SIZE_BYTES, .codec = "dict", .section = "names"},
    {"dict-wiki", BO_SIZE_SHARE, .codec = "dict-wiki", .section = "names"},
    {"flat", BO_SIZE_SHARE, .codec = "flat", .section = "names"},
    {"plain", BO_SIZE_SHARE, .codec = "plain", .section = "names"},
    {"front-coded", BO_SIZE_SHARE, .codec = "front-coded", .section = "names"},
    {"terms", BO_SIZE_SHARE, .codec = "terms", .section = "names"},
    {"predicted", BO_SIZE_SHARE, .codec = "predicted", .section = "names"},
    {.heading = NULL},
};

static const struct bo_size_column templight_reference_columns[] = {
    {"dict", BO_SIZE_OF_UNIT, .codec = "dict", .section = "refs"},
    {"dict-wiki", BO_SIZE_OF_UNIT, .codec = "dict-wiki", .section = "refs"},
    {"flat", BO_SIZE_OF_UNIT, .codec = "flat", .section = "refs"},
    {"front-coded", BO_SIZE_OF_UNIT, .codec = "front-coded", .section = "refs"},
    {"terms", BO_SIZE_OF_UNIT, .codec = "terms", .section = "refs"},
    {"predicted", BO_SIZE_OF_UNIT, .codec = "predicted", .section = "refs"},
    {.heading = NULL},
};

static const struct bo_size_column templight_trace_columns[] = {
    {"dict", BO_SIZE_OF_UNIT, .codec = "dict"},
    {"dict-wiki", BO_SIZE_OF_UNIT, .codec = "dict-wiki"},
    {"flat", BO_SIZE_OF_UNIT, .codec = "flat"},
    {"plain", BO_SIZE_OF_UNIT, .codec = "plain"},
    {"front-coded", BO_SIZE_OF_UNIT, .codec = "front-coded"},
    {"terms", BO_SIZE_OF_UNIT, .codec = "terms"},
    {"predicted", BO_SIZE_OF_UNIT, .codec = "predicted"},
    {"dict + zstd", BO_SIZE_OF_UNIT, .codec = "dict", .outer = "zstd19"},
    {"dict + xz", BO_SIZE_OF_UNIT, .codec = "dict", .outer = "xz9"},
    {"flat + xz", BO_SIZE_OF_UNIT, .codec = "flat", .outer = "xz9"},
    {"front-coded + xz", BO_SIZE_OF_UNIT, .codec = "front-coded", .outer = "xz9"},
    {"terms + xz", BO_SIZE_OF_UNIT, .codec = "terms", .outer = "xz9"},
    {.heading = NULL},
};

static const struct bo_size_table templight_tables[] = {
    {"The names",
     "What the names take: the dictionary, with all tags and lengths, or in `plain` each record's "
     "text. Shares are of the dictionary of Templight's own writer.",
     "trace", templight_name_columns,
     "**What would the wiki's splitting have saved?** Read literally, it keeps scopes together, "
     "and its "
     "dictionary takes {dict-wiki} of the code's; names once, but whole, take {flat}. "
     "`terms` answers one name by itself in {terms}; `predicted`, for archives, takes "
     "{predicted}."},
    {"The references", "Bytes a Begin for saying which name it has.", "trace",
     templight_reference_columns, NULL},
    {"The whole trace",
     "Bytes a Begin for everything: Ends, kinds and places, too. clang's traces hold no times, so "
     "none "
     "are counted.",
     "trace", templight_trace_columns, NULL},
    {.title = NULL},
};

static const struct bo_use templight_uses[] = {
    {.use = "open", {"ns", BO_TIME, "open", NULL}, .picks = true},
    {.use = "open", {"memory, B", BO_COUNTER, "open", "open_bytes_allocated"}, .picks = true},
    {.use = "name", {"uniform, ns", BO_TIME, "name/uniform", NULL}, .picks = true},
    {.use = "name", {"used, ns", BO_TIME, "name/used", NULL}, .picks = true},
    {.use = "name", {"cold, ns", BO_TIME, "name/cold", NULL}, .picks = true},
    {.use = "name", {"first, ns", BO_TIME, "name/first", NULL}, .picks = true},
    {.use = "name", {"pages", BO_COUNTER, "name/uniform", "touched_pages"}},
    {.use = "names", {"GB/s", BO_UNIT_RATE, "expand-all/whole", "name bytes"}},
    {.use = "names", {"ns/begin", BO_TIME_PER_UNIT, "expand-all/whole", NULL}, .picks = true},
    {.use = "stream", {"ns/begin", BO_TIME_PER_UNIT, "stream/whole", NULL}, .picks = true},
    {.use = "find", {"hit, ns", BO_TIME, "find/hit", NULL}, .picks = true},
    {.use = "find", {"miss, ns", BO_TIME, "find/miss", NULL}},
    {.use = "build", {"ns/begin", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "build", {"scratch, B/begin", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes"}},
    {.use = NULL},
};

static const struct bo_uses templight_use_cases = {
    .text =
        "The wiki describes three ways to read the dictionary, and says that the fast ones take "
        "more "
        "memory: `dict` reads message by message, `dict-batch` loads and expands everything first, "
        "`dict-naive` puts a name together with a stack when it is looked up. *Open* is what each "
        "does before the first answer, and the memory that it keeps. *Name* is one by its number "
        "(*first*: "
        "of a file just opened), "
        "*names* all of them (GB/s of their text), *stream* every record with its name's text at "
        "hand, *find* a name's number by its text. *Build* is the time to encode, *scratch* the "
        "memory "
        "that encoding takes beside the trace and the file.",
    .uses = templight_uses,
};

/* ---- state histories ------------------------------------------------------------------------- */

static const struct bo_size_column statehist_columns[] = {
    {"ht", BO_SIZE_OF_UNIT, .codec = "ht"},
    {"flat", BO_SIZE_OF_UNIT, .codec = "flat"},
    {"typed", BO_SIZE_OF_UNIT, .codec = "typed"},
    {"typed-null", BO_SIZE_OF_UNIT, .codec = "typed-null"},
    {"arrays", BO_SIZE_OF_UNIT, .codec = "arrays"},
    {"sqlite", BO_SIZE_OF_UNIT, .codec = "sqlite"},
    {"time-index", BO_SIZE_OF_UNIT, .codec = "time-index"},
    {"mixed-contexts", BO_SIZE_OF_UNIT, .codec = "mixed-contexts"},
    {"ht + zstd", BO_SIZE_OF_UNIT, .codec = "ht", .outer = "zstd19"},
    {"flat + zstd", BO_SIZE_OF_UNIT, .codec = "flat", .outer = "zstd19"},
    {"typed + zstd", BO_SIZE_OF_UNIT, .codec = "typed", .outer = "zstd19"},
    {"typed-null + zstd", BO_SIZE_OF_UNIT, .codec = "typed-null", .outer = "zstd19"},
    {"time-index + zstd", BO_SIZE_OF_UNIT, .codec = "time-index", .outer = "zstd19"},
    {.heading = NULL},
};

static const struct bo_size_column statehist_part_columns[] = {
    {"flat: intervals", BO_SIZE_OF_UNIT, .codec = "flat", .section = "history"},
    {"typed: intervals", BO_SIZE_OF_UNIT, .codec = "typed", .section = "history"},
    {"typed-null: intervals", BO_SIZE_OF_UNIT, .codec = "typed-null", .section = "history"},
    {"types.json", BO_SIZE_OF_UNIT, .codec = "typed-null", .section = "types"},
    {"tree.json", BO_SIZE_OF_UNIT, .codec = "typed-null", .section = "tree"},
    {"ht: attribute tree", BO_SIZE_OF_UNIT, .codec = "ht", .section = "attribute tree"},
    {.heading = NULL},
};

static const struct bo_size_table statehist_tables[] = {
    {"Bytes an interval",
     "All of the encoding: the JSON parts of the proposal's three, the attribute tree, headers and "
     "empty room in blocks, too.",
     "history", statehist_columns, NULL},
    {"What types.json saves", "Parts of the proposal's files, in bytes an interval.", "history",
     statehist_part_columns,
     "The proposal moves the type out of the intervals where a timeline has one. To the letter "
     "(null is a "
     "type, and nearly every timeline begins with it) the intervals go from {flat: intervals} to "
     "{typed: intervals} bytes; with a null bit beside each value, to {typed-null: intervals}. "
     "types.json, which then says the types, takes {types.json}. The file that it would replace is "
     "not the one that it argues with, either: Trace Compass's own has stored times as "
     "variable-length "
     "numbers since 2019, and is smaller than any of these unless a history is so short that its "
     "blocks "
     "stay empty."},
    {.title = NULL},
};

static const struct bo_use statehist_uses[] = {
    {.use = "open", {"ns", BO_TIME, "open", NULL}, .picks = true},
    {.use = "open", {"memory, B", BO_COUNTER, "open", "open_bytes_allocated"}},
    {.use = "point", {"uniform, ns", BO_TIME, "point/uniform", NULL}, .picks = true},
    {.use = "point", {"weighted, ns", BO_TIME, "point/weighted", NULL}, .picks = true},
    {.use = "point", {"first, ns", BO_TIME, "point/first", NULL}, .picks = true},
    {.use = "point", {"pages", BO_COUNTER, "point/uniform", "touched_pages"}},
    {.use = "state", {"full, ns", BO_TIME, "full-state/uniform", NULL}, .picks = true},
    {.use = "state", {"export, ns", BO_TIME, "export/uniform", NULL}, .picks = true},
    {.use = "timeline", {"whole, ns", BO_TIME, "range/whole", NULL}, .picks = true},
    {.use = "timeline", {"short, ns", BO_TIME, "range/short", NULL}, .picks = true},
    {.use = "repaint", {"view, ns", BO_TIME, "window/view", NULL}, .picks = true},
    {.use = "repaint", {"overview, ns", BO_TIME, "window/overview", NULL}, .picks = true},
    {.use = "scan", {"ns/interval", BO_TIME_PER_UNIT, "scan/whole", NULL}, .picks = true},
    {.use = "build", {"ns/interval", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "build", {"scratch, B", BO_COUNTER, "encode", "encode_scratch_bytes"}},
    {.use = NULL},
};

static const struct bo_uses statehist_use_cases = {
    .text =
        "An analysis looks up one attribute at one time (*point*; *first* is the first query of a "
        "file "
        "just opened), or the whole *state* at a time; a snapshot is an *export* of it, with "
        "intervals "
        "and strings. A view that *repaints* looks up the rows that it shows at as many times as "
        "it has "
        "columns; a table reads a *timeline*. *Build* is the time to encode, *scratch* the memory "
        "that "
        "encoding takes beside the history and the file.",
    .uses = statehist_uses,
};

/* ---- all ------------------------------------------------------------------------------------- */

static const struct bo_notes notes[] = {
    {.format = "pcdata",
     .question =
         "A Go binary keeps, for each function, tables from PC to file, line, stack depth and "
         "more, in delta-coded varints that a reader must walk from the start. Is there an "
         "encoding that answers one PC faster, as the proposed linear index does, without the "
         "bytes that it adds to every binary?",
     .sizes =
         "`bytes` is the table area (Go's pctab), equal tables stored once by every codec. What is "
         "the same for all (header, room for wide loads, the directory with 4 bytes a reference "
         "and the text lengths) stands aside and does not count; an encoding that changes it "
         "counts it.",
     .extras = pcdata_extras,
     .uses = &pcdata_use_cases},
    {.format = "lprf",
     .question =
         "A profile of an instrumented program says how often each function and each of its "
         "branches ran: the program writes it as it ends, and a compiler looks single functions up "
         "by their names. Which index from names to counters, and which coding of the "
         "counters, should the file have?",
     .sizes = "`bytes` is the whole file.",
     .axes = &lprf_axes,
     .uses = &lprf_use_cases},
    {.format = "autofdo",
     .question =
         "A sampled profile tells a compiler how hot each function, line and inlined call was. The "
         "proposed version 4 of GCC's format lets it read one part of the file by itself, and is "
         "smaller: is it small, and quick to read in part, beside LLVM's formats, a general "
         "compressor, and an encoding made for both?",
     .main_label = "function/first",
     .curve_label = "function/uniform",
     .sizes = "`bytes` is the whole file. GCOV keeps 16 bits of a discriminator, and v2 and v407 "
              "neither timestamps nor files: they are measured on what they hold.",
     .tables = autofdo_tables,
     .uses = &autofdo_use_cases},
    {.format = "templight",
     .question =
         "A trace of template instantiation names hundreds of thousands of instantiations, in "
         "names "
         "that repeat each other's parts. Templight splits them into a dictionary inside of a "
         "protobuf, not quite as its wiki says: what does either rule save, and what do the ways "
         "to "
         "read it back cost in time and memory?",
     .sizes =
         "`bytes` is the whole file; clang's traces hold no times. The protobuf has no place for "
         "the origin of an End: it is measured on what it holds.",
     .main_label = "name/first",
     .curve_label = "name/uniform",
     .tables = templight_tables,
     .uses = &templight_use_cases},
    {.format = "statehist",
     .question =
         "A trace viewer keeps what every thread, CPU and lock of a traced system did, as "
         "intervals of "
         "time, and asks them for one attribute, for all, or for what a view shows. Would an "
         "exchange "
         "format without type numbers, as proposed, save anything beside the file that Trace "
         "Compass "
         "writes today, and what can be had by a better layout?",
     .main_label = "point/uniform",
     .sizes =
         "`bytes` is all of the encoding, the proposal's JSON parts included. Histories are equal "
         "when they say the same; the order in which intervals were closed is kept by `flat` and "
         "the proposal's, and not counted for.",
     .tables = statehist_tables,
     .uses = &statehist_use_cases},
};

const struct bo_notes *bo_notes_of(const char *format)
{
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        if (strcmp(notes[i].format, format) == 0)
            return &notes[i];
    return NULL;
}

const char *const bo_not_measured[] = {
    "Cache misses: times and pages only. `bakeoff insns` counts instructions.",
    "64-byte lines touched: pages of 4 KiB are counted.",
    "The worst case on hostile input: the fuzzers bound it, no table shows it.",
    "More than one thread: all figures are of one.",
    "Files read from a disk: `open-cold` finds its bytes in memory, and only its page table empty.",
    NULL,
};
