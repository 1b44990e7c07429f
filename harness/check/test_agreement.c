/*
 * Queries in findings. Why: a finding is read in a terminal, and its query is repeated by hand.
 */
#include "harness/check/agreement.h"
#include "harness/core/test_cmocka.h"

TEST(test_described)
{
    struct named_query {
        struct bo_span name;
        uint32_t words[14];
    };
    static const struct bo_query_kind named = {.query_size = 24, .has_text = true},
                                      numbers = {.query_size = 8},
                                      all = {.query_size = sizeof(struct named_query),
                                             .has_text = true};
    static const uint32_t words[2] = {7, UINT32_MAX};
    struct named_query query = {bo_span_of(" a~\"\\\n\x7f\xff"), {0, 4294967295}};
    char text[64];
    bo_agreement_describe_query(&(struct bo_agreement){.kind = &named}, (const uint8_t *)&query,
                                text, sizeof text);
    assert_string_equal(text, " \" a~\\x22\\\\x0a\\x7f\\xff\" 0 4294967295");
    bo_agreement_describe_query(&(struct bo_agreement){.kind = &numbers}, (const uint8_t *)words,
                                text, sizeof text);
    assert_string_equal(text, " 7 4294967295");
    for (unsigned i = 0; i < N_ELEMENTS(query.words); i++)
        query.words[i] = UINT32_MAX - i;
    query.name.n = 1;
    bo_agreement_describe_query(&(struct bo_agreement){.kind = &all}, (const uint8_t *)&query, text,
                                sizeof text);
    assert_string_equal(text, " \" \" 4294967295 4294967294 4294967293 4294967292 4294967291");
    query.name = bo_span_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    bo_agreement_describe_query(&(struct bo_agreement){.kind = &all}, (const uint8_t *)&query, text,
                                sizeof text);
    assert_string_equal(text, " \"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN\"");
}

TEST_FILE(NULL, NULL)
