/* Where and how a run was measured. */
#ifndef BO_REPORT_ENVIRONMENT_H
#define BO_REPORT_ENVIRONMENT_H

#include "bench/report/page.h"

/* A table of facts, and the commands that measure it again. */
void bo_page_environment(const struct bo_page *page);

#endif
