/* The files that pages link to: pictures and CSV. */
#ifndef BO_REPORT_PICTURES_H
#define BO_REPORT_PICTURES_H

#include "bench/report/report.h"

/*
 * Draws the pictures of all documents that the report shows of the i-th run, and writes the CSV of
 * its formats, into an existing folder. False after a message.
 */
bool bo_pictures_draw(const struct bo_report *report, size_t i, const char *folder);

#endif
