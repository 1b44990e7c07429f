/* The table of formats, made from formats.def. */
#include "harness/registry.h"

#define FORMAT(name) extern const struct bo_format name##_format;
#include "codecs/formats.def"
#undef FORMAT

enum {
#define FORMAT(name) LISTED_##name,
#include "codecs/formats.def"
#undef FORMAT
    N_LISTED
};

const struct bo_format *bo_formats[] = {
#define FORMAT(name) &name##_format,
#include "codecs/formats.def"
#undef FORMAT
    [N_LISTED + BO_MAX_PLUGIN_FORMATS] = NULL,
};
