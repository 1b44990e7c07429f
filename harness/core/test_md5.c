/* MD5. Why: tables in files of other programs are ordered by it, so every bit counts. */
#include "harness/core/md5.h"
#include "harness/core/test_cmocka.h"

/* The first 8 bytes of the digest, as programs print them. */
static uint64_t digest(struct bo_span bytes)
{
    uint8_t p[8];
    bo_set_le64(p, bo_md5_low64(bytes));
    return bo_be64(p);
}

/* Test vectors of RFC 1321. */
TEST(test_rfc)
{
    assert_true(digest(bo_span_of("")) == UINT64_C(0xd41d8cd98f00b204));
    assert_true(digest(bo_span_of("a")) == UINT64_C(0x0cc175b9c0f1b6a8));
    assert_true(digest(bo_span_of("abc")) == UINT64_C(0x900150983cd24fb0));
    assert_true(digest(bo_span_of("message digest")) == UINT64_C(0xf96b697d7cb7938d));
}

/*
 * Every length up to three blocks. The expected number was computed in the same way with Python's
 * hashlib.
 */
TEST(test_lengths)
{
    uint8_t bytes[200];
    uint64_t sum = 0;
    memset(bytes, 'x', sizeof bytes);
    for (size_t n = 0; n < sizeof bytes; n++)
        sum = (sum ^ digest((struct bo_span){bytes, n})) * 3 + 1;
    assert_true(sum == UINT64_C(0x9a9469ae7ef19092));
}

TEST_FILE(NULL, NULL)
