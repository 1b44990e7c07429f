/* Sets of GUIDs in reports: uses and texts. */
#include "codecs/guid/guid.h"

static const struct bo_use uses[] = {
    {.use = "find", {"uniform, ns", BO_TIME, "find/uniform", NULL}, .picks = true},
    {.use = "find", {"chain, ns", BO_TIME, "find/chain", NULL}, .picks = true},
    {.use = "find", {"cold, ns", BO_TIME, "find/cold", NULL}, .picks = true},
    {.use = "find", {"absent, ns", BO_TIME, "find/miss", NULL}, .picks = true},
    {.use = "open", {"first, ns", BO_TIME, "find/first", NULL}, .picks = true},
    {.use = "small", {"B/guid", BO_SIZE_PER_UNIT, NULL, NULL}, .picks = true},
    {.use = "build", {"ns/guid", BO_TIME_PER_UNIT, "encode", NULL}, .picks = true},
    {.use = "build", {"scratch, B/guid", BO_COUNTER_PER_UNIT, "encode", "encode_scratch_bytes"}},
    {.use = NULL},
};

static const struct bo_use_fact facts[] = {
    {"fingerprint-32", "wrong in about 2^-32"},
    {"perfect-hash-32", "wrong in about 2^-32"},
    {"*", "exactly"},
    {NULL, NULL},
};

static const struct bo_uses use_cases = {
    .text =
        "A compiler *finds* the functions of a module in a profile of many more functions; it must "
        "reject GUIDs that are absent. Each compilation *opens* the profile again. The profile "
        "should be *small*. *Build* is the time to encode. *Scratch* is the memory that encoding "
        "needs in addition to the model and the output. `fingerprint-32` and `perfect-hash-32` "
        "answer wrongly for one absent GUID in 2^32, so they are not compared with codecs that "
        "reject exactly.",
    .uses = uses,
    .facts_use = "find",
    .facts_heading = "rejects absent GUIDs",
    .facts = facts,
};

extern const struct bo_format_report guid_report;

static const struct bo_use_fact needs[] = {
    {"*", "all GUIDs, sorted"},
    {NULL, NULL},
};

static const struct bo_section_fields section_fields[] = {
    {"chained", "buckets", ""},    {"*", "guids", "guid"}, {"*", "buckets", "guid"},
    {"*", "rests", "guid"},        {"*", "directory", ""}, {"chained", "items", "guid, nbytes"},
    {"*", "offsets", "nbytes"},    {"*", "pilots", ""},    {"*", "entries", "guid, nbytes"},
    {"*", "list", "guid, nbytes"}, {"*", "padding", ""},   {NULL, NULL, NULL},
};

const struct bo_format_report guid_report = {
    .question = "A sample profile names functions by 64-bit GUIDs. LLVM replaces the table that it "
                "builds at each start by an Eytzinger order with 12 bytes a function. Is there an "
                "exact layout that is smaller and faster, and needs no work in `open` either?",
    .main_label = "find/uniform",
    .curve_label = "find/uniform",
    .sizes = "`bytes` is the whole encoding: GUIDs, and where each body starts and ends, but not "
             "the bodies. `members` has no bodies.",
    .uses = &use_cases,
    .needs = needs,
    .section_fields = section_fields,
};
