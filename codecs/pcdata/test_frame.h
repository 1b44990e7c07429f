/*
 * Payloads made by hand, for tests of what readers refuse and accept: the frame of pcdata.h around
 * bytes that no encoder wrote. Shares nothing with pcdata_put_frame.
 */
#ifndef PCDATA_TEST_FRAME_H
#define PCDATA_TEST_FRAME_H

#define TEST_FORMAT "pcdata"

#include "codecs/pcdata/pcdata.h"
#include "harness/check/check.h"
#include "harness/test_format.h"

enum { TEST_AREA_OFF = 16, TEST_ROOM_NBYTES = 64 };

/* A table's entry in the directory. */
struct test_entry {
    uint32_t record_off, quanta;
};

struct test_payload {
    uint8_t p[1 << 17];
    size_t n;
    size_t directory_off;
};

static inline void test_append(struct test_payload *payload, uint64_t v, unsigned nbytes)
{
    for (unsigned i = 0; i < nbytes; i++)
        payload->p[payload->n++] = (uint8_t)(v >> (8 * i));
}

/* A payload whose area holds these bytes; each table has kind 2 and one reference. */
static inline void test_payload_make(struct test_payload *payload, unsigned quantum_log2,
                                     struct bo_span area, const struct test_entry *entries,
                                     uint32_t n_tables)
{
    assert_true(area.n + 13 * (uint64_t)n_tables < sizeof payload->p - 1024);
    payload->n = 0;
    test_append(payload, 1, 1);
    test_append(payload, quantum_log2, 1);
    test_append(payload, 0, 2);
    test_append(payload, n_tables, 4);
    test_append(payload, area.n, 4);
    test_append(payload, 0, 4);
    memcpy(payload->p + payload->n, area.p, area.n);
    payload->n += area.n;
    while (payload->n % 8)
        test_append(payload, 0, 1);
    for (unsigned i = 0; i < TEST_ROOM_NBYTES; i++)
        test_append(payload, 0, 1);
    payload->directory_off = payload->n;
    for (uint32_t t = 0; t < n_tables; t++) {
        test_append(payload, entries[t].record_off, 4);
        test_append(payload, entries[t].quanta, 4);
    }
    for (uint32_t t = 0; t < n_tables; t++)
        test_append(payload, 1, 4);
    for (uint32_t t = 0; t < n_tables; t++)
        test_append(payload, 2, 1);
}

static inline struct bo_span test_payload_span(const struct test_payload *payload)
{
    return (struct bo_span){payload->p, payload->n};
}

/* What a reader must say about some bytes. */
struct test_verdict {
    enum bo_status status;
    uint64_t off;
    const char *what;
};

static inline void test_expect_verdict(const char *codec, const char *doing, const char *row,
                                       const struct test_verdict *expected, enum bo_status status,
                                       const struct bo_error *error)
{
    if (status != expected->status ||
        (status && (error->status != status || error->off != expected->off ||
                    strcmp(error->what, expected->what) != 0)))
        fail_msg("%s: %s: %s: %s at byte %llu: %s; not %s at byte %llu: %s", codec, doing, row,
                 bo_status_name(status), (unsigned long long)error->off,
                 error->what ? error->what : "-", bo_status_name(expected->status),
                 (unsigned long long)expected->off, expected->what ? expected->what : "-");
}

/*
 * `codec` and every reader of its bytes: open and decode give this verdict, from bytes that end at
 * a guard page.
 */
static inline void test_expect(const char *codec, const char *row, struct bo_span in,
                               const struct test_verdict *expected)
{
    const struct bo_format *format = bo_find_format("pcdata");
    const struct bo_codec *encoding = bo_find_codec(format, codec);
    const struct bo_effort effort = bo_effort_default();
    struct bo_finding finding = {0};
    bool accepted;
    if (!encoding)
        fail_msg("no codec %s", codec);
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        struct bo_arena arena;
        struct bo_error error = {0};
        void *ret;
        if (bo_encoding_of(format, *c) != encoding)
            continue;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        enum bo_status status = (*c)->open(*c, in, &arena, &ret, &error);
        test_expect_verdict((*c)->name, "open", row, expected, status, &error);
        error = (struct bo_error){0};
        status = test_decode(*c, in, &arena, &ret, &error);
        test_expect_verdict((*c)->name, "decode", row, expected, status, &error);
        bo_arena_free(&arena);
    }
    if (!bo_check_bytes(format, encoding, in, &effort, &accepted, &finding))
        fail_msg("%s: %s: %s: %s", codec, row, finding.class, finding.detail);
    assert_int_equal(accepted, expected->status == BO_OK);
}

/* The area of a payload of one table, and the verdict on it; offsets count from its start. */
struct test_area {
    const char *row;
    struct bo_span area;
    uint32_t quanta; /* of the text */
    enum bo_status status;
    uint64_t off; /* of the error */
    const char *what;
    uint32_t record_off; /* 0 where the area is shorter */
};

static inline void test_expect_areas(const char *codec, const struct test_area *areas, size_t n)
{
    static struct test_payload payload;
    for (size_t i = 0; i < n; i++) {
        const struct test_area *c = &areas[i];
        const uint32_t off = c->record_off < c->area.n ? c->record_off : 0;
        const struct test_entry entry = {off, c->quanta};
        const struct test_verdict verdict = {c->status, TEST_AREA_OFF + c->off, c->what};
        test_payload_make(&payload, 0, c->area, &entry, 1);
        test_expect(codec, c->row, test_payload_span(&payload), &verdict);
    }
}

#endif
