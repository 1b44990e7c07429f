/*
 * Marks memory that must not be accessed, for AddressSanitizer and MemorySanitizer. Other builds
 * ignore it.
 */
#ifndef BO_FORBID_H
#define BO_FORBID_H

#if defined(__SANITIZE_ADDRESS__)
#define BO_WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BO_WITH_ASAN 1
#elif __has_feature(memory_sanitizer)
#define BO_WITH_MSAN 1
#endif
#endif

#if defined(BO_WITH_ASAN)
#include <sanitizer/asan_interface.h>
#define BO_FORBID(p, n) __asan_poison_memory_region(p, n)
#define BO_ALLOW(p, n) __asan_unpoison_memory_region(p, n)
#elif defined(BO_WITH_MSAN)
#include <sanitizer/msan_interface.h>
#define BO_FORBID(p, n) __msan_poison(p, n)
#define BO_ALLOW(p, n) __msan_poison(p, n) /* it may be written, and then read */
#else
#define BO_FORBID(p, n) ((void)0)
#define BO_ALLOW(p, n) ((void)0)
#endif

#endif
