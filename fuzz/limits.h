/*
 * Limits on the cost and the length of one input, for engines, replays, seeds and OSS-Fuzz. Shell
 * scripts read the numbers from the lines below (limit_of in engines.sh).
 */
#ifndef BO_FUZZ_LIMITS_H
#define BO_FUZZ_LIMITS_H

enum {
    BO_FUZZ_MAX_INPUT_NBYTES = 32768, /* a history tree of three nodes has 17 KiB */
    BO_FUZZ_MAX_SECONDS = 4,          /* engines count wall time, replays user time */
    BO_FUZZ_MAX_RSS_MB = 512,
    BO_FUZZ_MAX_ALLOCATION_MB = 256,
};

#endif
