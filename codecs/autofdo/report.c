/* AutoFDO in reports: tables, uses and texts. */
#include "codecs/autofdo/report.h"

#include <stddef.h>
#include <string.h>

#include "codecs/autofdo/autofdo.h"

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
    {"LLVM extbinary %", BO_SIZE_CHANGE, .codec = "extbinary"},
    {"the same, sections compressed %", BO_SIZE_CHANGE, .codec = "extbinary-zlib"},
    {"LLVM, GUIDs, split %", BO_SIZE_CHANGE, .codec = "extbinary-md5-split"},
    {"LLVM, Eytzinger %", BO_SIZE_CHANGE, .codec = "extbinary-eytzinger"},
    {"v3 + zstd -19 %", BO_SIZE_CHANGE, .codec = "gcov-v3", .outer = "zstd19"},
    {"v4c + zstd -19 %", BO_SIZE_CHANGE, .codec = "v4-compact", .outer = "zstd19"},
    {"shared-trees %", BO_SIZE_CHANGE, .codec = "shared-trees"},
    {"shared-trees-zstd %", BO_SIZE_CHANGE, .codec = "shared-trees-zstd"},
    {.heading = NULL},
};

static const struct bo_size_table autofdo_tables[] = {
    {"The proposal's own table",
     "Section 7 of the proposal gives the sizes of v3, v4 and v4 compact, and what v4 saves. This "
     "table gives them for our profiles, together with what the reviewer requested: LLVM's "
     "encodings of the same profiles. The codecs write the same bytes as llvm-profdata. v4 from "
     "section 4.5 on is our reconstruction.",
     "Profile", autofdo_columns,
     "**Was it compared with LLVM's formats?** Sizes are relative to v3, for all profiles "
     "together. v4 takes {v4 %}, v4 compact {v4c %}. LLVM's extbinary with all names takes "
     "{LLVM extbinary %}, and {the same, sections compressed %} with compressed sections. With "
     "64-bit GUIDs in place of the names it takes {LLVM, GUIDs, split %}, and {LLVM, Eytzinger %} "
     "with the tables of LLVM's main branch. A general compressor over v3, which rules out partial "
     "reading, takes {v3 + zstd -19 %}. **Should each translation unit have a string table of its "
     "own?** Separate tables cost the difference to one table for all: v4 {v4 %} against "
     "{v4, one table %}, compact {v4c %} against {v4c, one table %}. Partial reading does not need "
     "separate tables: an encoding with one dictionary of names, read by parts, takes "
     "{shared-trees %}, and {shared-trees-zstd %} with names in compressed blocks."},
    {.title = NULL}};

static const struct bo_extra_group autofdo_llvm_groups[] = {
    {"open and read one function",
     {{"v3", "gcov-v3", "function/first"},
      {"v4", "v4", "function/first"},
      {"LLVM extbinary", "extbinary", "function/first"},
      {"LLVM GUIDs, split", "extbinary-md5-split", "function/first"},
      {"LLVM Eytzinger", "extbinary-eytzinger", "function/first"},
      {"shared-trees", "shared-trees", "function/first"}}},
    {"read all functions",
     {{"v3", "gcov-v3", "scan/whole"},
      {"v4", "v4", "scan/whole"},
      {"LLVM extbinary", "extbinary", "scan/whole"},
      {"LLVM GUIDs, split", "extbinary-md5-split", "scan/whole"},
      {"LLVM Eytzinger", "extbinary-eytzinger", "scan/whole"},
      {"shared-trees", "shared-trees", "scan/whole"}}},
    {NULL, {{NULL, NULL, NULL}}},
};

static const struct bo_extra autofdo_extras[] = {
    {"How does it compare with LLVM's?",
     "This is a question of a reviewer of the proposal. Times are in ns a query; the ratio is v3 "
     "over shared-trees. The first group includes what LLVM reads before its first function: all "
     "names and offsets of extbinary, all offsets with GUIDs, and neither with the tables of "
     "LLVM's main branch. This command prints the times and the bytes in 72 columns: `bakeoff "
     "table autofdo --style rfc --codec 'gcov-v3,v4,v4-compact,extbinary*,shared-trees' --kind "
     "function,scan --workload first,whole`.",
     autofdo_llvm_groups},
    {NULL, NULL, NULL},
};

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
    {.use = "scan",
     {"open and scan, ns/function", BO_TIME_PER_UNIT, "scan/once", NULL},
     .picks = true},
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
        "with all that is inlined into it, and their names. *First* is one such query together "
        "with `open`: the cost for a compiler that runs one query. The other times are of a reader "
        "that stays open and may keep what it has read. *Build* is the time to encode. *Scratch* "
        "is the memory that encoding needs in addition to the profile and the file. *Pages* are "
        "the distinct 4 KiB pages of the file that one query reads, in a reader that has read "
        "nothing else since it was opened. Codecs that decode everything in `open` then read no "
        "pages; their cost is in *open* and *first*.",
    .uses = autofdo_uses,
};

/* ---- programs -------------------------------------------------------------------------------- */

/*
 * LLVM's program for sample profiles, with one row for each of its file formats, which LLVM uses
 * instead of GCC's. Compressed sections use zlib.
 */
static const char *const llvm_profdata_commands[] = {"llvm-profdata-22",
                                                     "llvm-profdata-21",
                                                     "llvm-profdata-20",
                                                     "llvm-profdata-19",
                                                     "llvm-profdata-18",
                                                     "llvm-profdata-17",
                                                     "llvm-profdata-16",
                                                     "llvm-profdata-15",
                                                     "llvm-profdata-14",
                                                     "llvm-profdata",
                                                     NULL};
static const char *const llvm_profdata_version_args[] = {"show", "--version", NULL};

/* The function in the middle of the names. */
static char *middle_name(const void *opaque)
{
    const struct autofdo_model *model = opaque;
    if (model->n_functions == 0)
        return NULL;
    const struct bo_span name = model->functions[model->n_functions / 2].body.name;
    return strndup((const char *)name.p, name.n);
}

/*
 * The jobs on a file that `merge` writes with the given options. `show` of one function reads as
 * much as LLVM has to, and prints only that function. `show` of all functions prints them as text.
 * `merge` writes a file of the same format.
 */
#define JOBS(symbol, ...)                                                                    \
    static const char *const symbol##_make[] = {"merge", "--sample", __VA_ARGS__, "-o",      \
                                                "file",  "text",     NULL};                  \
    static const struct bo_program_job symbol##_jobs[] = {                                   \
        {"start (show --version)", {"show", "--version"}},                                   \
        {"show --sample --function=NAME", {"show", "--sample", "--function=@name", "file"}}, \
        {"show --sample", {"show", "--sample", "file"}},                                     \
        {"merge of two", {"merge", "--sample", __VA_ARGS__, "-o", "out", "file", "file"}},   \
        {NULL, {NULL}},                                                                      \
    };

JOBS(text, "--text")
JOBS(binary, "--binary")
JOBS(extbinary, "--extbinary")
JOBS(extbinary_packed, "--extbinary", "--compress-all-sections")
#undef JOBS

#define PROGRAM(symbol, title)                                                  \
    {                                                                           \
        .name = title, .commands = llvm_profdata_commands,                      \
        .version_args = llvm_profdata_version_args, .make_args = symbol##_make, \
        .jobs = symbol##_jobs, .subject = middle_name,                          \
    }

static const struct bo_program autofdo_programs[] = {
    PROGRAM(text, "llvm-profdata, text"),
    PROGRAM(binary, "llvm-profdata, binary"),
    PROGRAM(extbinary, "llvm-profdata, extbinary"),
    PROGRAM(extbinary_packed, "llvm-profdata, extbinary with packed sections"),
    {.name = NULL},
};

static const struct bo_use_fact autofdo_needs[] = {
    {"shared-trees*", "all functions of the profile, so that equal trees are stored once"},
    {NULL, NULL},
};

static const struct bo_section_fields autofdo_section_fields[] = {
    {"gcov*", "counts", "counts, heads"},
    {"extbinary*", "counts", "counts, heads"},
    {"*", "counts", "counts, heads, calls of targets"},
    {"gcov*", "targets", "name numbers, calls of targets"},
    {"extbinary*", "targets", "name numbers, calls of targets"},
    {"v4-text", "structure",
     "name numbers, record counts, callsite counts, lines, discriminators, target counts of "
     "records, counts, heads, calls of targets, timestamps, names"},
    {"*", "structure",
     "name numbers, record counts, callsite counts, lines, discriminators, target counts of "
     "records"},
    {"*", "functions",
     "name numbers, record counts, callsite counts, lines, discriminators, target counts of "
     "records, counts, heads, calls of targets"},
    {"*", "names", "names"},
    {"*", "files", "paths, path numbers"},
    {"*", "callee files", "paths, path numbers"},
    {"*", "timestamps", "timestamps"},
    {"*", "header", ""},
    {"*", "summary", ""},
    {"*", "working set", ""},
    {"*", "totals", ""},
    {"*", "index", ""},
    {"*", "function offsets", ""},
    {NULL, NULL, NULL},
};

const struct bo_format_report autofdo_report = {
    .question =
        "A sampled profile gives a compiler the counts of each function, line and inlined call. "
        "The proposed version 4 of GCC's format lets it read one part of the file without the "
        "rest, and is smaller: is it also small and fast to read in part when compared with LLVM's "
        "formats, a general compressor, and an encoding designed for both?",
    .consumer =
        "**What the consumer reads.** GCC opens a profile and reads all of it once, before it "
        "compiles the first function: this is *scan* together with `open`. **In the consumer,** a "
        "profile of 398 KB adds 10 ms to a compilation, which is the most that a reader can save. "
        "No compiler reads GCC's profiles in part today, so *function*, *first* has no consumer "
        "yet.",
    .main_label = "scan/once",
    .curve_label = "function/uniform",
    .sizes = "`bytes` is the whole file. GCOV stores 16 bits of a discriminator. v2, v407 and "
             "extbinary store neither timestamps nor files. These codecs are measured on what they "
             "store. Codecs with GUIDs do not store names.",
    .extras = autofdo_extras,
    .tables = autofdo_tables,
    .uses = &autofdo_use_cases,
    .programs = autofdo_programs,
    .needs = autofdo_needs,
    .section_fields = autofdo_section_fields,
};
