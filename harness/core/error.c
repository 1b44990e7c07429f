/* Names of the statuses. */
#include "harness/core/error.h"

const char *bo_status_name(enum bo_status status)
{
    static const char *const names[BO_STATUS_COUNT] = {
        [BO_OK] = "ok",
        [BO_TRUNCATED] = "truncated",
        [BO_CORRUPT] = "corrupt",
        [BO_UNSUPPORTED] = "unsupported",
        [BO_OVER_LIMIT] = "over limit",
        [BO_NO_MEMORY] = "no memory",
        [BO_OUT_OF_RANGE] = "out of range",
        [BO_BAD_USAGE] = "bad usage",
        [BO_IO] = "input/output error",
    };
    return (unsigned)status < BO_STATUS_COUNT ? names[status] : "unknown status";
}
