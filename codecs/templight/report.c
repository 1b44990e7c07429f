/* Templight in reports: tables, uses and texts. */
#include "codecs/templight/report.h"

#include <stddef.h>

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
     "The bytes of the names: the dictionary with all tags and lengths, or, in `plain`, the text "
     "of each record. Shares are relative to the dictionary of Templight's own writer.",
     "trace", templight_name_columns,
     "**What would the wiki's splitting have saved?** Read literally, it does not split scopes, "
     "and its dictionary takes {dict-wiki} of that of Templight's code. Whole names, each stored "
     "once, take {flat}. `terms`, which can read a single name, takes {terms}. `predicted`, for "
     "archives, takes {predicted}."},
    {"The references", "Bytes a Begin for the reference to its name.", "trace",
     templight_reference_columns, NULL},
    {"The whole trace",
     "Bytes a Begin for the whole trace, including Ends, kinds and locations. clang's traces "
     "contain no times, so none are counted.",
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
    {.use = "stream",
     {"open and stream, ns/begin", BO_TIME_PER_UNIT, "stream/once", NULL},
     .picks = true},
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
        "more memory: `dict` reads message by message, `dict-batch` loads and expands everything "
        "first, `dict-naive` builds a name with a stack when it is looked up. *Open* is the time "
        "until the first query can be run, and the memory that the reader then holds. *Name* looks "
        "up one name by its number (*first*: together with `open`). *Names* expands all names "
        "(GB/s of their text). *Stream* reads every record with the text of its name. *Find* looks "
        "up the number of a name by its text. *Build* is the time to encode. *Scratch* is the "
        "memory that encoding needs in addition to the trace and the file.",
    .uses = templight_uses,
};

static const struct bo_use_fact templight_needs[] = {
    {"terms", "the whole trace, from which the terms are collected"},
    {"predicted", "the whole trace"},
    {NULL, NULL},
};

static const struct bo_section_fields templight_section_fields[] = {
    {"*", "names", "names"},
    {"*", "refs", "name numbers"},
    {"*", "locations", "file numbers, lines, columns, files"},
    {"*", "times", "times, memory"},
    {"*", "structure", "shapes, kinds"},
    {"*", "header", ""},
    {NULL, NULL, NULL},
};

const struct bo_format_report templight_report = {
    .question =
        "A trace of template instantiation contains the names of hundreds of thousands of "
        "instantiations, which repeat each other's parts. Templight splits the names into a "
        "dictionary inside a protobuf, by a rule that differs from the one in its wiki: what does "
        "each rule save, and what do the ways to read the names back cost in time and memory?",
    .consumer =
        "**What the consumer reads.** The Templight tools open a trace and read it once from front "
        "to back: this is *stream* together with `open`. No tool looks up one name, so *name*, "
        "*first* has no consumer yet. **In the consumer** nothing was measured.",
    .sizes =
        "`bytes` is the whole file; clang's traces contain no times. The protobuf cannot store the "
        "origin of an End, so its sizes are of traces without these origins.",
    .main_label = "stream/once",
    .curve_label = "name/uniform",
    .tables = templight_tables,
    .uses = &templight_use_cases,
    .needs = templight_needs,
    .section_fields = templight_section_fields,
};
