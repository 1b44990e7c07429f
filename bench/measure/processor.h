/*
 * Identifies the processor. Results are kept by microarchitecture, since one marketing name covers
 * several.
 */
#ifndef BO_PROCESSOR_H
#define BO_PROCESSOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Features that distinguish Intel's server processors: CPUID leaf 7, EDX bit 24; 7.1, EDX bit 19.
 */
enum { BO_PROCESSOR_AMX = 1, BO_PROCESSOR_AVX10 = 2 };

/*
 * "amd-zen3" for AuthenticAMD 25 1 (CPUID's vendor, and its family and model with their extended
 * parts); NULL where it is not known. From the manufacturers' tables of families and models.
 *
 * A hypervisor may report another model than the processor's. Two features of Intel's override it:
 * with AVX10 the result is Granite Rapids; with AMX, a model other than Sapphire, Emerald or
 * Granite Rapids gives NULL.
 */
const char *bo_microarchitecture(const char *vendor, unsigned family, unsigned model,
                                 unsigned features);

/* The same for Arm's processors, by implementer and part: "neoverse-n1" for 0x41 0xd0c. */
const char *bo_arm_microarchitecture(unsigned implementer, unsigned part);

/* The value in the first line of /proc/cpuinfo that starts with `key`. False without one. */
bool bo_cpuinfo_field(const char *key, char *value_ret, size_t nbytes);

/* The microarchitecture of this machine, or NULL. */
const char *bo_this_microarchitecture(void);

/* "family 25 model 1", to distinguish processors whose name is unknown; "part d0c" for Arm. */
void bo_this_family(char *text_ret, size_t nbytes);

/*
 * {"vendor", "family", "model", "stepping", "microarchitecture", "isa", "extensions",
 * "hypervisor"}: the processor's description of itself, without missing values; and "isa_cap" if
 * BAKEOFF_ISA lowers the level.
 */
json_t *bo_processor_json(void);

#endif
