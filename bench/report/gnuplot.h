/* Running gnuplot. */
#ifndef BO_REPORT_GNUPLOT_H
#define BO_REPORT_GNUPLOT_H

#include <stdbool.h>

/* Sends the script to gnuplot and what it prints to the file `path`. False after a message. */
bool bo_gnuplot(const char *script, const char *path);

#endif
