/* Sets of GUIDs: the struct bo_format that the harness uses. */
#include "codecs/guid/guid.h"
#include "codecs/guid/queries.h"

extern const struct bo_format_report guid_report;

#define BO_SHAPE guid_shape
#include "harness/records_format.h"

#define CODEC(name) extern const struct bo_codec guid_##name;
#include "codecs/guid/codecs.def"
#undef CODEC

static const struct bo_codec *const codecs[] = {
#define CODEC(name) &guid_##name,
#include "codecs/guid/codecs.def"
#undef CODEC
    NULL,
};

const struct bo_format guid_format = {
    .name = "guid",
    .summary = "sets of 64-bit GUIDs of functions, and where their profiles are",
    .report = &guid_report,
    .kinds = guid_kinds,
    .n_kinds = GUID_N_KINDS,
    .codecs = codecs,
    BO_RECORDS_OF_SHAPE,
};
