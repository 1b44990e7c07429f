/*
 * A C program to be built with -fprofile-instr-generate: functions with file-local names, one that
 * never runs, several regions, and a counter past 2^32. Prints a checksum.
 */
#include <stdint.h>
#include <stdio.h>

static unsigned never_called(unsigned x)
{
    return x ? x * 3 : 1;
}

static uint64_t spin(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += i & 1;
    return sum;
}

static unsigned choose(unsigned x)
{
    switch (x % 5) {
    case 0:
        return 1;
    case 1:
    case 2:
        return x > 10 ? 2 : 3;
    default:
        return x & 1 ? 4 : 5;
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    uint64_t sum = argc > 99 ? never_called((unsigned)argc) : 0;
    for (unsigned i = 0; i < 1000; i++)
        sum += choose(i);
    for (int i = 0; i < 3; i++)
        sum += spin((uint64_t)3 << 31);
    return printf("%llu\n", (unsigned long long)sum) < 0;
}
