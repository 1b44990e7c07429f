/* Running gnuplot. */
#ifndef BO_REPORT_GNUPLOT_H
#define BO_REPORT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Sends a script of SVG pictures to gnuplot, drops the first one, and writes the others to the
 * paths. False after a message that names the first picture that was not drawn.
 */
bool bo_gnuplot(const char *script, const char *const *paths, size_t n_paths);

#endif
