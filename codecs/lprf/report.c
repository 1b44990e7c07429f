/* LPRF in reports: tables, uses and texts. */
#include "codecs/lprf/report.h"

#include <stddef.h>
#include <string.h>

#include "codecs/lprf/lprf.h"

static const struct bo_figure lprf_index_figures[] = {
    {"index, B/function", BO_FIRST_PART_PER_UNIT, NULL, "counters, hashes"},
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

static const struct bo_axes lprf_axes = {"index", "counters", lprf_index_figures,
                                         lprf_counter_figures};

/* The memory that a dying process may still use for each function: two pointers. */
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

/* The number of passes of encoding over the functions. The header is patched at the end. */
static const struct bo_use_fact lprf_passes[] = {
    {"profdata", "sorts names"},
    {"list+u64", "2"},
    {"list+varint", "2"},
    {"list+packed", "3"},
    {"*hash*+packed", "4"},
    {"*hash*", "3"},
    {"accel+packed", "4"},
    {"accel+*", "3"},
    {"trie+*", "sorts names"},
    {"front-coded+*", "sorts names"},
    {"phrases*", "sorts names"},
    {"fingerprints*", "sorts names"},
    {NULL, NULL},
};

static const struct bo_uses lprf_use_cases = {
    "The proposal's uses: **A** find one function's counters; **B** write the file from a process "
    "that ends; **C** iterate over everything, and merge two files (decode both, add up, encode); "
    "**D** be compact; **E** be the same on every machine. *Build* is the time to encode. "
    "*Scratch* is the memory that encoding needs in addition to the functions and the file. A "
    "codec *streams* if its scratch memory is at most 16 bytes a function, so that a dying process "
    "can still write the file. *Passes* is the number of passes over all functions: one to place "
    "what a table or dictionary needs, one for the index, one for the records. *Sorts names* means "
    "that encoding must sort the names first, which a dying process should not do.",
    lprf_uses,
    "B",
    "passes",
    lprf_passes,
    "E",
    "the bytes are identical on little- and big-endian and on 32- and 64-bit machines: `make test` "
    "compares the size and hash of each encoding of the embedded documents with "
    "codecs/lprf/golden.tsv on x86-64 and on 32-bit big-endian PowerPC (there only for documents "
    "within the limits of `codecs/lprf/limits.tsv`). Optional codecs, which use libraries, are "
    "built only for the machine itself."};

/* ---- programs -------------------------------------------------------------------------------- */

/* LLVM's program for profiles, with the commands that its users run from a shell. */
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
static const char *const make_args[] = {"merge", "-o", "file", "text", NULL};

/* `show` reads the whole file: it prints every function whose name contains the given one. */
static const struct bo_program_job jobs[] = {
    {"start (show --version)", {"show", "--version"}},
    {"show --counts --function=NAME", {"show", "--counts", "--function=@name", "file"}},
    {"show --text", {"show", "--text", "--all-functions", "file"}},
    {"merge of two", {"merge", "-o", "out", "file", "file"}},
    {NULL, {NULL}},
};

/* The function in the middle of the file. */
static char *middle_name(const void *opaque)
{
    const struct lprf_model *model = opaque;
    if (model->n_functions == 0)
        return NULL;
    const struct bo_span name = model->functions[model->n_functions / 2].name;
    return strndup((const char *)name.p, name.n);
}

static const struct bo_program lprf_programs[] = {
    {
        .name = "llvm-profdata",
        .commands = llvm_profdata_commands,
        .version_args = llvm_profdata_version_args,
        .make_args = make_args,
        .jobs = jobs,
        .subject = middle_name,
    },
    {.name = NULL},
};

static const struct bo_use_fact lprf_needs[] = {
    {"phrases*", "all names, sorted, from which the phrases are chosen"},
    {"front-coded+*", "all names, sorted"},
    {"trie+*", "all names, sorted"},
    {"profdata", "all names, sorted"},
    {NULL, NULL},
};

static const struct bo_section_fields lprf_section_fields[] = {
    {"profdata", "hashes", "hashes, counter counts"},
    {"profdata", "counters", "counters"},
    {"*", "names", "names"},
    {"*", "rules", "names"},
    {"*", "hashes", "hashes"},
    {"*", "counters", "counter counts, counters"},
    {"*", "header", ""},
    {"*", "tables", ""},
    {"*", "offsets", ""},
    {"*", "order", ""},
    {"*", "pilots", ""},
    {"*", "fingerprints", ""},
    {NULL, NULL, NULL},
};

const struct bo_format_report lprf_report = {
    .question =
        "A profile of an instrumented program records how often each function and each of its "
        "branches ran: the program writes it when it exits, and a compiler looks up single "
        "functions by name. Which index from names to counters, and which coding of the counters, "
        "should the file have?",
    .consumer =
        "**What the consumer reads.** clang opens a profile twice in a compilation, and looks up "
        "each function of its unit once: 10 to 300 functions typically, 2,603 in sqlite3.c. The "
        "reader takes at most 0.04 % of a compilation. **In the consumer,** a faster lookup "
        "therefore changes nothing that a user of clang can measure. What can be improved are "
        "bytes on disk, and tools that read everything (`llvm-profdata merge`).",
    .main_label = "lookup/once",
    .curve_label = "lookup/uniform",
    .sizes = "`bytes` is the whole file.",
    .axes = &lprf_axes,
    .uses = &lprf_use_cases,
    .programs = lprf_programs,
    .needs = lprf_needs,
    .section_fields = lprf_section_fields,
};
