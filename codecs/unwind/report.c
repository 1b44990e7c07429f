/* Unwind tables in reports: tables, uses and texts. */
#include "codecs/unwind/report.h"

#include <stddef.h>

static const struct bo_use unwind_uses[] = {
    {.use = "sample", {"uniform, ns", BO_TIME, "point/uniform", NULL}, .picks = true},
    {.use = "sample", {"hot, ns", BO_TIME, "point/hot", NULL}, .picks = true},
    {.use = "walk", {"calls, ns", BO_TIME, "point/calls", NULL}, .picks = true},
    {.use = "walk", {"chain, ns", BO_TIME, "point/chain", NULL}, .picks = true},
    {.use = "walk", {"recorded, ns", BO_TIME, "point/recorded", NULL}, .picks = true},
    {.use = "walk", {"recorded, cold, ns", BO_TIME, "point/recorded-cold", NULL}, .picks = true},
    {.use = "walk", {"miss, ns", BO_TIME, "point/miss", NULL}},
    {.use = "small", {"B/function", BO_SIZE_PER_UNIT, NULL, NULL}, .picks = true},
    {.use = "whole", {"scan, ns/function", BO_TIME_PER_UNIT, "scan/whole", NULL}, .picks = true},
    {.use = "start", {"open, ns/function", BO_TIME_PER_UNIT, "open", NULL}, .picks = true},
    {.use = "build", {"ns/function", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "build",
     {"scratch, B/function", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes"}},
    {.use = NULL},
};

static const struct bo_uses unwind_use_cases = {
    .text =
        "A profiler looks up the PC of a *sample*: every byte of text is equally likely "
        "(*uniform*), or the same 1024 PCs are repeated (*hot*). A stack *walk* looks up calls: "
        "independent ones (*calls*), ones where each answer leads to the next lookup (*chain*), or "
        "those that libgcc looked up in samples of a program (*recorded*; *cold* with the caches "
        "emptied before each sample). A binary needs *small* tables, and a tool reads them "
        "*whole*. *Start* is the work of a reader before the first lookup. *Build* is the time to "
        "encode. *Scratch* is the memory that encoding needs in addition to the model and the "
        "output. Compact unwind is correct only in the body of a function. ORC, compact unwind and "
        "the deltas do not store function boundaries, so they are measured on models without them.",
    .uses = unwind_uses,
};

static const struct bo_use_fact unwind_needs[] = {
    {"sequences", "every function of the binary, from which the sequences are chosen"},
    {"sequences-fixed", "the fixed dictionary; functions whose sequence is not in it share theirs"},
    {"compact-unwind", "every function of the binary, from which the common forms are chosen"},
    {NULL, NULL},
};

/* The contents of states are not a field of the model. Dictionaries contain them, too. */
static const struct bo_section_fields unwind_section_fields[] = {
    {"eh-frame", ".eh_frame", "holes before functions, distances of rows, state numbers"},
    {"sframe-*", "rows", "distances of rows, state numbers"},
    {"orc", "addresses", "holes before functions, distances of rows"},
    {"orc", "entries", "state numbers"},
    {"compact-unwind", "pages", "holes before functions, distances of rows, state numbers"},
    {"delta*", "pages", ""},
    {"delta4", "rows", "distances of rows, state numbers"},
    {"rows", "rows", "distances of rows, state numbers"},
    {"sequences*", "blocks", "holes before functions, distances of rows, state numbers"},
    {"sequences*", "records", "distances of rows"},
    {"sequences*", "dictionary", "state numbers"},
    {"*", "rows", "holes before functions, distances of rows, state numbers"},
    {"*", "functions", "holes before functions"},
    {"*", "starts", "holes before functions"},
    {"*", ".eh_frame_hdr", ""},
    {"*", "infos", ""},
    {"*", "function ends", ""},
    {"*", "row ends", ""},
    {"*", "index", ""},
    {"*", "lookup", ""},
    {"*", "header", ""},
    {NULL, NULL, NULL},
};

static const struct bo_size_column unwind_size_columns[] = {
    {.heading = "sframe-v3", .form = BO_SIZE_BYTES, .codec = "sframe-v3"},
    {.heading = "eh-frame, lean", .form = BO_SIZE_SHARE, .codec = "eh-frame"},
    {.heading = "sframe-v1", .form = BO_SIZE_SHARE, .codec = "sframe-v1"},
    {.heading = "sframe-v2", .form = BO_SIZE_SHARE, .codec = "sframe-v2"},
    {.heading = "orc", .form = BO_SIZE_SHARE, .codec = "orc"},
    {.heading = "compact", .form = BO_SIZE_SHARE, .codec = "compact-unwind"},
    {.heading = "delta16", .form = BO_SIZE_SHARE, .codec = "delta16"},
    {.heading = "delta8", .form = BO_SIZE_SHARE, .codec = "delta8"},
    {.heading = "delta4", .form = BO_SIZE_SHARE, .codec = "delta4"},
    {.heading = "rows", .form = BO_SIZE_SHARE, .codec = "rows"},
    {.heading = "sequences", .form = BO_SIZE_SHARE, .codec = "sequences"},
    {.heading = "fixed", .form = BO_SIZE_SHARE, .codec = "sequences-fixed"},
    {.heading = NULL},
};

static const struct bo_size_table unwind_tables[] = {
    {.title = "The bytes of the rivals, over those of SFrame version 3",
     .text =
         "All encode the same rows. ORC is counted with its lookup table, which the kernel builds "
         "when it starts. Compact unwind is small because it drops most rows: it describes only "
         "the body of a function, and on arm64 it drops two of three functions of gcc's code.",
     .first_heading = "Binary",
     .columns = unwind_size_columns,
     .answer = "In all binaries together, sequences takes {sequences} of SFrame version 3's bytes, "
               "and lean .eh_frame with its header {eh-frame, lean}."},
    {.title = NULL},
};

const struct bo_format_report unwind_report = {
    .question =
        "Stack walks read unwind tables: .eh_frame with its byte code today, SFrame if the "
        "proposal to the Linux kernel is accepted, ORC inside the kernel. Is there an encoding "
        "that is much smaller than SFrame, keeps all facts, and is as simple and as fast to look "
        "up?",
    .main_label = "point/uniform",
    .sizes =
        "`bytes` is what would be in a binary: the sections of each encoding with all their search "
        "tables, ORC's lookup and the dictionary of sequences included. The payload's header "
        "(version, machine, Base, sizes) is the same for all and does not count. The .eh_frame of "
        "a real binary is larger than the lean one by 6 to 15 % on amd64, 25 to 56 % on arm64 and "
        "31 to 38 % on s390x, because it also contains where other registers are saved.",
    .uses = &unwind_use_cases,
    .tables = unwind_tables,
    .needs = unwind_needs,
    .section_fields = unwind_section_fields,
};
