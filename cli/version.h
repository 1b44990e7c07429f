/* The program's version and the commit of the build, both from the Makefile. */
#ifndef BO_VERSION_H
#define BO_VERSION_H

#ifndef BO_VERSION
#define BO_VERSION "unknown"
#endif
#ifndef BO_COMMIT
#define BO_COMMIT "" /* not built in a git checkout */
#endif

#endif
