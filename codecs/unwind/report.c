/* What reports say of unwind tables. */
#include "codecs/unwind/report.h"

#include <stddef.h>

const struct bo_format_report unwind_report = {
    .question =
        "Stack walks read unwind tables: .eh_frame with its byte code today, SFrame if the Linux "
        "kernel's proposal prevails, ORC inside of the kernel. Is there an encoding that is much "
        "smaller than SFrame, keeps all facts, and is as simple and as fast to look up?",
    .sizes =
        "`bytes` is what would be in a binary: the sections of each encoding with all their "
        "search tables. The payload's header (version, machine, Base, sizes) is the same for all "
        "and does not count.",
};
