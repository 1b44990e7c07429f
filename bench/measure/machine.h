/*
 * The environment of a run: everything that a reader needs to judge or repeat its figures. It never
 * contains the name of a host or a user.
 */
#ifndef BO_MACHINE_H
#define BO_MACHINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { BO_MAX_SLUG = 96 };

/*
 * A directory name for a processor and the number of them: "amd-epyc-9b45-2c" from "AMD EPYC 9B45
 * 64-Core Processor" and 2. Only a-z, 0-9 and single hyphens; marketing words are left out.
 */
void bo_machine_slug(const char *cpu_model, int n_cpus, char slug_ret[BO_MAX_SLUG]);

/*
 * The slug of this machine: from its microarchitecture, or from its model and family if that is
 * unknown.
 */
void bo_this_machine_slug(char slug_ret[BO_MAX_SLUG]);

/*
 * Google Benchmark's context: date, processors, caches, load, and under "bakeoff" the rest of the
 * environment (kernel, governor, compiler, flags, commit, libraries, clock). The caller owns it,
 * and adds the run's own facts.
 */
json_t *bo_machine_context(void);

/*
 * The number of bytes to write so that the data caches hold nothing else: three times the largest
 * cache, but 32 to 96 MiB. The context has it as cold_eviction_bytes.
 */
size_t bo_machine_eviction_nbytes(void);

/* bo_machine_eviction_nbytes for a cache of this size (0: unknown). */
size_t bo_eviction_nbytes_for(size_t cache_nbytes);

/* "gcc 12.2.0, -O2 -falign-functions=64, libc 2.36": how this program was compiled. */
void bo_machine_build(char *text_ret, size_t nbytes);

/* The first output line of a shell command. "" when it prints nothing; false when it fails. */
bool bo_first_line_of(const char *command, char *line_ret, size_t nbytes);

/* "2025-03-01T12:34:56Z" */
void bo_date_utc(char *date_ret, size_t nbytes);

#endif
