/* State histories in reports: tables, uses and texts. */
#include "codecs/statehist/report.h"

#include <stddef.h>

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
     "The whole encoding, including the JSON parts of the proposal's three codecs, the attribute "
     "tree, headers and free space in blocks.",
     "history", statehist_columns, NULL},
    {"What types.json saves", "Parts of the proposal's files, in bytes an interval.", "history",
     statehist_part_columns,
     "The proposal moves the type out of the intervals of a timeline that has only one type. Taken "
     "literally (null is a type, and nearly every timeline begins with it), this changes the "
     "intervals from {flat: intervals} to {typed: intervals} bytes; with a null bit for each "
     "value, to {typed-null: intervals}. types.json, which then contains the types, takes "
     "{types.json}. The proposal's argument is also not about the file that it would replace: "
     "Trace Compass's own file has stored times as variable-length numbers since 2019. That file "
     "is smaller than any of these, unless a history is so short that its blocks stay empty."},
    {.title = NULL},
};

static const struct bo_use statehist_uses[] = {
    {.use = "open", {"ns", BO_TIME, "open", NULL}, .picks = true},
    {.use = "open", {"memory, B", BO_COUNTER, "open", "open_bytes_allocated"}},
    {.use = "labels", {"recorded, ns", BO_TIME, "point/recorded", NULL}, .picks = true},
    {.use = "labels", {"names, ns", BO_TIME, "point/names", NULL}, .picks = true},
    {.use = "action", {"median, ns", BO_TIME, "actions/recorded", NULL}, .picks = true},
    {.use = "action", {"worst, ns", BO_COUNTER, "actions/recorded", "worst_action_ns"}},
    {.use = "point", {"uniform, ns", BO_TIME, "point/uniform", NULL}, .picks = true},
    {.use = "point", {"weighted, ns", BO_TIME, "point/weighted", NULL}, .picks = true},
    {.use = "point", {"first, ns", BO_TIME, "point/first", NULL}, .picks = true},
    {.use = "point", {"pages", BO_COUNTER, "point/uniform", "touched_pages"}},
    {.use = "state", {"full, ns", BO_TIME, "full-state/uniform", NULL}, .picks = true},
    {.use = "state", {"export, ns", BO_TIME, "export/uniform", NULL}, .picks = true},
    {.use = "timeline", {"whole, ns", BO_TIME, "range/whole", NULL}, .picks = true},
    {.use = "timeline", {"short, ns", BO_TIME, "range/short", NULL}, .picks = true},
    {.use = "timeline", {"of a kind, ns", BO_TIME, "range2d/whole", NULL}, .picks = true},
    {.use = "repaint", {"view, ns", BO_TIME, "window/view", NULL}, .picks = true},
    {.use = "repaint", {"overview, ns", BO_TIME, "window/overview", NULL}, .picks = true},
    {.use = "repaint", {"listed times, ns", BO_TIME, "times/view", NULL}, .picks = true},
    {.use = "scan", {"ns/interval", BO_TIME_PER_UNIT, "scan/whole", NULL}, .picks = true},
    {.use = "build", {"ns/interval", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "build", {"scratch, B", BO_COUNTER, "encode", "encode_scratch_bytes"}},
    {.use = NULL},
};

static const struct bo_uses statehist_use_cases = {
    .text =
        "A view of Trace Compass looks up *labels*, the names of threads, one after the other: "
        "those of a recorded session (*recorded*), or those of the threads that a CPU ran in "
        "consecutive intervals (*names*). The time of an *action* of the user is the sum of the "
        "times of its queries. An analysis looks up one attribute at one time (*point*; *first* is "
        "the first query together with `open`), or the whole *state* at a time; a snapshot is an "
        "*export* of the state, with intervals and strings. A view that *repaints* looks up the "
        "rows that it shows, at as many times as it has columns. A table reads a *timeline*. "
        "*Build* is the time to encode. *Scratch* is the memory that encoding needs in addition to "
        "the history and the file.",
    .uses = statehist_uses,
};

static const struct bo_use_fact statehist_needs[] = {
    {"time-index", "all intervals, whose times are in one table at the start"},
    {NULL, NULL},
};

static const struct bo_section_fields statehist_section_fields[] = {
    {"ht*", "leaf nodes", "lengths, types, nulls, ints, longs, doubles, string numbers, bools"},
    {"ht*", "core nodes", "lengths, types, nulls, ints, longs, doubles, string numbers, bools"},
    {"ht*", "attribute tree", "parents, attribute names"},
    {"flat", "history",
     "lengths, types, nulls, ints, longs, doubles, string numbers, bools, strings"},
    {"typed*", "history",
     "lengths, types, nulls, ints, longs, doubles, string numbers, bools, strings"},
    {"*", "tree", "parents, attribute names"},
    {"*", "types", "types"},
    {"time-index", "times", "lengths"},
    {"time-index", "values", "nulls, ints, longs, doubles, string numbers, bools"},
    {"time-index", "records", "lengths, types, nulls, ints, longs, doubles, string numbers, bools"},
    {"arrays", "starts", "lengths"},
    {"arrays", "values", "nulls, ints, longs, doubles, string numbers, bools"},
    {"*", "strings", "strings"},
    {"mixed-contexts", "changes",
     "lengths, types, nulls, ints, longs, doubles, string numbers, bools, strings"},
    {"sqlite", "database",
     "lengths, types, nulls, ints, longs, doubles, string numbers, bools, strings, parents, "
     "attribute names"},
    {"*", "state",
     "types, nulls, ints, longs, doubles, string numbers, bools, strings, parents, attribute "
     "names"},
    {"*", "which", "types"},
    {"*", "codes", "nulls, ints, longs, doubles, string numbers, bools"},
    {"*", "values", "nulls, ints, longs, doubles, string numbers, bools"},
    {"*", "paths", "parents, attribute names"},
    {"*", "files", ""},
    {"*", "header", ""},
    {"*", "head", ""},
    {"*", "shapes", ""},
    {"*", "places", ""},
    {"*", "checkpoints", ""},
    {"*", "margin", ""},
    {"*", "timelines", ""},
    {NULL, NULL, NULL},
};

const struct bo_format_report statehist_report = {
    .question =
        "A trace viewer stores what every thread, CPU and lock of a traced system did as intervals "
        "of time, and queries one attribute, all attributes, or those that a view shows. Would the "
        "proposed exchange format without type numbers save anything over the file that Trace "
        "Compass writes today, and how much does a better layout save?",
    .consumer =
        "**What the consumer reads.** In a recorded session of Trace Compass (71,171 queries in "
        "58 actions on a history of 58,428 attributes), 99.8 % of the queries look up one "
        "attribute at one time: *labels*, about 1,400 a repaint of one view. These take 86 % of "
        "the time of all queries, and queries nearly all of the time of a repaint. **In the "
        "consumer:** `examples/java/README.md` has the latency of each kind of action in Java, "
        "where Trace Compass reads its histories.",
    .main_label = "point/recorded point/names point/uniform",
    .sizes =
        "`bytes` is the whole encoding, including the proposal's JSON parts. Histories are equal "
        "if they describe the same states. `flat` and the proposal's codecs also store the order "
        "in which intervals were closed, which this comparison does not require.",
    .tables = statehist_tables,
    .uses = &statehist_use_cases,
    .needs = statehist_needs,
    .section_fields = statehist_section_fields,
};
