/* The program's version and the commit of the build, both from the Makefile. */
#ifndef BO_VERSION_H
#define BO_VERSION_H

#ifndef BO_VERSION
#define BO_VERSION "unknown"
#endif
#ifndef BO_COMMIT
#define BO_COMMIT "" /* not built in a git checkout */
#endif

/*
 * The array has the same size in every build, so that other texts do not move with the commit's
 * name: libc's instructions for a text depend on its place in a page.
 */
static const char bo_commit[64] = BO_COMMIT;

#endif
