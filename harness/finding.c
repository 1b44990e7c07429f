/* Findings: what broke, told so that it can be counted and looked into. */
#include <stdio.h>

#include "harness/contest.h"

void bo_finding_set(struct bo_finding *finding, const struct bo_format *format,
                    const struct bo_query_kind *kind, const struct bo_codec *codec, const char *b,
                    const char *class)
{
    if (!finding)
        return;
    *finding = (struct bo_finding){
        .format = format->name,
        .kind = kind ? kind->name : "-",
        .a = codec->name,
        .b = b,
        .class = class,
    };
}

/* The detail of a finding that an error explains. */
void bo_finding_explain(struct bo_finding *finding, const char *doing, const struct bo_error *error)
{
    if (!finding)
        return;
    const int n = snprintf(finding->detail, sizeof finding->detail, "%s: %s", doing,
                           error->what ? error->what : bo_status_name(error->status));
    if (n > 0 && (size_t)n < sizeof finding->detail && error->off != BO_NO_OFFSET)
        snprintf(finding->detail + n, sizeof finding->detail - (size_t)n, " at byte %llu",
                 (unsigned long long)error->off);
}

void bo_finding_print(const struct bo_finding *finding, struct bo_writer *out)
{
    bo_put_text(out, "BAKEOFF-DIFF format=%s kind=%s a=%s b=%s class=%s\n", finding->format,
                finding->kind, finding->a, finding->b, finding->class);
    if (finding->detail[0])
        bo_put_text(out, "%s\n", finding->detail);
}

bool bo_well_told(enum bo_status status, const struct bo_error *error)
{
    return status > BO_OK && status < BO_STATUS_COUNT && error->status == status && error->what;
}
