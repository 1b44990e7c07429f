/*
 * linear-index where the test vectors are silent: its readers against a plain loop at every PC.
 * Why: they are three implementations of one search, with over-reads, lanes and markers that
 * differ, and a vector only pins bytes.
 */
#include "codecs/pcdata/test_frame.h"
#include "harness/core/guard.h"

static const struct bo_format *format;

static int set_up(void **state)
{
    format = bo_find_format("pcdata");
    return format ? 0 : -1;
}

static bool reads_linear_index(const struct bo_codec *codec)
{
    return strcmp(bo_encoding_of(format, codec)->name, "linear-index") == 0;
}

/* ---- every PC of a model --------------------------------------------------------------------- */

static void check_table(const struct bo_codec *codec, void *reader,
                        const struct pcdata_model *model, uint32_t t)
{
    const struct pcdata_table *table = &model->tables[t];
    uint32_t run = 0;
    for (uint32_t pc = 0; pc < table->text_len; pc += model->quantum) {
        const struct pcdata_point q = {t, pc};
        int32_t value = 0;
        run += run + 1 < table->n_runs && table->runs[run + 1].pc == pc;
        if (codec->query(codec, reader, PCDATA_POINT, &q, 1, &value, NULL) != BO_OK ||
            value != table->runs[run].value)
            fail_msg("%s: table %u, PC %u: %d, not %d", codec->name, t, pc, value,
                     table->runs[run].value);
    }
}

static void check_every_pc(const struct pcdata_model *model)
{
    assert_null(pcdata_model_flaw(model, NULL));
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        struct bo_arena arena;
        struct bo_writer encoded;
        struct bo_guarded guarded;
        void *reader;
        if (!reads_linear_index(*c))
            continue;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&encoded, &arena);
        assert_int_equal((*c)->encode(*c, model, &encoded, NULL), BO_OK);
        assert_true(bo_guarded_copy(bo_writer_span(&encoded), &guarded));
        assert_int_equal((*c)->open(*c, guarded.span, &arena, &reader, NULL), BO_OK);
        for (uint32_t t = 0; t < model->n_tables; t++)
            check_table(*c, reader, model, t);
        bo_guarded_free(&guarded);
        bo_writer_free(&encoded);
        bo_arena_free(&arena);
    }
}

/* ---- dense chunks ---------------------------------------------------------------------------- */

enum { MAX_RUNS = 6000 };

static struct pcdata_run runs[MAX_RUNS];

/* One table of n runs, `step` quanta each; values by a rule. */
static void check_stepped(uint32_t n, uint32_t step, uint32_t quantum, int32_t (*value)(uint32_t i))
{
    for (uint32_t i = 0; i < n; i++)
        runs[i] = (struct pcdata_run){i * step * quantum, value(i)};
    const struct pcdata_table table = {
        .text_len = n * step * quantum, .n_runs = n, .refs = 1, .runs = runs};
    check_every_pc(&(struct pcdata_model){quantum, 1, &table});
}

static int32_t alternating(uint32_t i)
{
    return (int32_t)(i % 2);
}

/* Lengths 1, 2 and 4 bytes in every order, at the limits of each, and wrapping. */
static int32_t of_all_widths(uint32_t i)
{
    static const int32_t limits[] = {0,      127,        -128,      128,       -129,  32767, -32768,
                                     32768,  -32769,     INT32_MAX, INT32_MIN, -1,    1,     40000,
                                     -40000, 1073741824, 300,       -5,        99999, 17};
    return limits[(i + i / 20) % 20];
}

/*
 * Every number of listed PCs from none to 255, so every remainder of lanes, words and vlen bytes.
 */
TEST(test_every_n)
{
    for (uint32_t n = 1; n <= 256; n++)
        check_stepped(n, 1, 1, alternating);
}

TEST(test_dense_chunks)
{
    check_stepped(256, 1, 1, of_all_widths); /* n = 255 in the only chunk */
    check_stepped(600, 1, 1, of_all_widths); /* and behind an index */
    check_stepped(600, 1, 4, of_all_widths);
    check_stepped(512, 1, 2, alternating);
    check_stepped(1000, 3, 1, of_all_widths); /* changes on borders and off them */
}

/* ---- wide indexes, from the encoder and by hand ---------------------------------------------- */

TEST(test_wide_indexes)
{
    check_stepped(3000, 1, 1, alternating);   /* offsets of two bytes */
    check_stepped(6000, 4, 1, of_all_widths); /* the same, over 94 chunks */
    struct bo_random random = bo_random_seeded(1);
    for (uint32_t i = 0; i < MAX_RUNS; i++)
        runs[i] = (struct pcdata_run){i * 7, (int32_t)(bo_random_u32(&random) | 1u << 30)};
    /* Chunks of 256 values of 4 bytes, then constant ones: offsets of four bytes that go back. */
    static struct pcdata_run wide[40000];
    for (uint32_t i = 0; i < N_ELEMENTS(wide); i++)
        wide[i] = (struct pcdata_run){i, (int32_t)bo_random_u32(&random)};
    wide[N_ELEMENTS(wide) - 1].value = 5;
    const struct pcdata_table tables[] = {
        {.text_len = 7 * MAX_RUNS, .n_runs = MAX_RUNS, .refs = 1, .runs = runs},
        {.text_len = 60000, .n_runs = N_ELEMENTS(wide), .refs = 1, .runs = wide},
    };
    check_every_pc(&(struct pcdata_model){1, 2, tables});
}

/* Runs queries on all readers of a payload made by hand. */
static void expect_values(struct bo_span area, uint32_t quanta, const int32_t *at_256ths,
                          uint32_t n)
{
    static struct test_payload payload;
    const struct test_entry entry = {0, quanta};
    test_payload_make(&payload, 0, area, &entry, 1);
    test_expect("linear-index", "by hand", test_payload_span(&payload),
                &(struct test_verdict){BO_OK, 0, NULL});
    for (const struct bo_codec *const *c = format->codecs; *c; c++) {
        struct bo_arena arena;
        void *reader;
        if (!reads_linear_index(*c))
            continue;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        assert_int_equal((*c)->open(*c, test_payload_span(&payload), &arena, &reader, NULL), BO_OK);
        for (uint32_t i = 0; i < n; i++) {
            const struct pcdata_point q = {0, 256 * i};
            int32_t value = 0;
            assert_int_equal((*c)->query(*c, reader, PCDATA_POINT, &q, 1, &value, NULL), BO_OK);
            if (value != at_256ths[i])
                fail_msg("%s: chunk %u: %d, not %d", (*c)->name, i, value, at_256ths[i]);
        }
        bo_arena_free(&arena);
    }
}

/* Forms wider than the encoder would take, and later entries that look like markers. */
TEST(test_index_forms)
{
    static const int32_t five_six_five[] = {5, 6, 5};
    expect_values((struct bo_span)BYTES("\x03\x00\x00\x01\x05\x00\x01\x06"), 600, five_six_five, 3);
    expect_values((struct bo_span)BYTES("\xfe\x03\0\0\0\x00\x01\x05\x00\x01\x06"), 600,
                  five_six_five, 3);
    expect_values((struct bo_span)BYTES("\xff\x03\0\0\0\0\0\0\0\x00\x01\x05\x00\x01\x06"), 600,
                  five_six_five, 3);
    /* One chunk: the first byte is n, also where it looks like a marker. */
    uint8_t area[1 + 0xfe + 64 + 0xff];
    for (unsigned n = 0xfd; n <= 0xfe; n++) {
        area[0] = (uint8_t)n;
        for (unsigned i = 0; i < n; i++)
            area[1 + i] = (uint8_t)(i + 1);
        memset(area + 1 + n, 0x55, 64);
        if ((n + 1) % 4)
            area[1 + n + 63] = (uint8_t)(0x55 & ((1u << (n + 1) % 4 * 2) - 1));
        for (unsigned i = 0; i <= n; i++)
            area[1 + n + 64 + i] = (uint8_t)(i % 2 + 1);
        const int32_t one = 1;
        expect_values((struct bo_span){area, 1 + n + 64 + n + 1}, 256, &one, 1);
    }
}

/* The second entry of a u8 index may be fe or ff: it is an offset. */
TEST(test_marker_bytes_later)
{
    for (unsigned second = 0xfd; second <= 0xff; second++) {
        /* Chunk 0 constant in 3 bytes, chunk 1 fills up to `second`, chunk 2 constant. */
        uint8_t area[2 + 0xff + 3] = {3, (uint8_t)second, 0, 1, 5};
        const unsigned room = second - 3; /* 1 + n + vlen + n + 1, one or more values of 2 bytes */
        unsigned n = 0;
        while (1 + n + (n + 4) / 4 + n + 1 < room)
            n++;
        unsigned n_wide = 0;
        if (1 + n + (n + 4) / 4 + n + 1 > room)
            n--;
        n_wide = room - (1 + n + (n + 4) / 4 + n + 1);
        assert_true(n_wide <= n);
        uint8_t *p = area + 2 + 3;
        *p++ = (uint8_t)n;
        for (unsigned i = 0; i < n; i++)
            *p++ = (uint8_t)(i + 1);
        uint8_t *vlen = p;
        p += (n + 4) / 4;
        for (unsigned i = 0; i <= n; i++) {
            const bool wide = i > 0 && i <= n_wide;
            vlen[i / 4] |= (uint8_t)((wide ? 2u : 1u) << i % 4 * 2);
            *p++ = (uint8_t)(i % 2 + 1);
            if (wide)
                *p++ = 0;
        }
        memcpy(p, "\x00\x01\x09", 3);
        assert_int_equal(p + 3 - area, 2 + second + 3);
        static const int32_t expected[] = {5, 1, 9};
        expect_values((struct bo_span){area, 2 + second + 3}, 768, expected, 3);
    }
}

/* First chunks of every size around fd, fe and ff bytes, where the index changes its form. */
TEST(test_sizes_of_the_first_chunk)
{
    for (uint32_t n = 104; n <= 116; n++)
        for (uint32_t n_wide = 0; n_wide <= 4; n_wide++) {
            for (uint32_t i = 0; i < n; i++)
                runs[i] = (struct pcdata_run){2 * i, i % 2 ? i < 2 * n_wide ? 1000 : 1 : 0};
            runs[n] = (struct pcdata_run){300, 70};
            const struct pcdata_table table = {
                .text_len = 400, .n_runs = n + 1, .refs = 1, .runs = runs};
            check_every_pc(&(struct pcdata_model){1, 1, &table});
        }
}

/* A last offset of 2^16 - 1, the largest of a u16 index, and its neighbours. */
TEST(test_largest_u16_offset)
{
    enum { N_DENSE = 113, N_LISTED = 196, N_RUNS = N_DENSE * 256 + N_LISTED + 2 };
    static struct pcdata_run many[N_RUNS];
    const struct bo_codec *codec = bo_find_codec(format, "linear-index");
    const struct pcdata_table table = {
        .text_len = 256 * N_DENSE + 512, .n_runs = N_RUNS, .refs = 1, .runs = many};
    const struct pcdata_model model = {1, 1, &table};
    /* 113 chunks of 576 bytes, one of 444 bytes and one for each value of two bytes, then another.
     */
    for (uint32_t n_wide = 2; n_wide <= 4; n_wide++) {
        struct bo_arena arena;
        struct bo_writer out;
        for (uint32_t i = 0; i < N_RUNS; i++)
            many[i] =
                (struct pcdata_run){i, i % 2 == 0                                             ? 0
                                       : i > 256 * N_DENSE && i <= 256 * N_DENSE + 2 * n_wide ? 1000
                                                                                              : 1};
        many[N_RUNS - 1] = (struct pcdata_run){256 * N_DENSE + 256, 70};
        check_every_pc(&model);
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        bo_writer_init(&out, &arena);
        assert_int_equal(codec->encode(codec, &model, &out, NULL), BO_OK);
        assert_int_equal(out.p[TEST_AREA_OFF], n_wide <= 3 ? 0xfe : 0xff);
        bo_writer_free(&out);
        bo_arena_free(&arena);
    }
}

/* ---- at the end of the area ------------------------------------------------------------------ */

/*
 * Tables whose last value is a single byte at the area's end, after all lengths of what is before.
 */
TEST(test_last_bytes_of_the_area)
{
    static const struct pcdata_run first[] = {{0, 1}, {1, 70000}, {2, 1}};
    static struct pcdata_run last[255];
    for (uint32_t n = 1; n <= 40; n++) {
        for (uint32_t i = 0; i < n; i++)
            last[i] = (struct pcdata_run){i, (int32_t)(i % 3)};
        const struct pcdata_table tables[] = {
            {.text_len = 3, .n_runs = 1 + n % 3, .refs = 1, .runs = first},
            {.text_len = n, .n_runs = n, .refs = 1, .runs = last},
        };
        check_every_pc(&(struct pcdata_model){1, 2, tables});
    }
}

/* Texts of one quantum, of a chunk, and one quantum to each side. */
TEST(test_text_lengths)
{
    static const struct pcdata_run constant[] = {{0, -3}};
    for (uint32_t quantum = 1; quantum <= 4; quantum *= 2)
        for (uint32_t chunks = 1; chunks <= 3; chunks++)
            for (int d = -1; d <= 1; d++) {
                const uint32_t quanta = 256 * chunks + (uint32_t)d;
                const struct pcdata_run late[] = {{0, 1}, {(quanta - 1) * quantum, 2}};
                const struct pcdata_table tables[] = {
                    {.text_len = quantum, .n_runs = 1, .refs = 1, .runs = constant},
                    {.text_len = quanta * quantum, .n_runs = 1, .refs = 1, .runs = constant},
                    {.text_len = quanta * quantum, .n_runs = 2, .refs = 1, .runs = late},
                };
                check_every_pc(&(struct pcdata_model){quantum, 3, tables});
            }
}

TEST_FILE(set_up, NULL)
