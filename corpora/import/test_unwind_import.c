/*
 * The importer of unwind tables: every instruction, pointers, augmentations, and the errors for
 * invalid files. The tests make the files, since no real binary has most of this.
 */
#define TEST_FORMAT "unwind"
#include "corpora/import/test_import.h"
#include "corpora/import/test_seeds.h"

#include <stdio.h>

#include "codecs/unwind/unwind.h"
#include "harness/registry.h"

enum { EH_FRAME_AT = 0x240, TEXT = 0x10000, TEXT_NBYTES = 0x1000 };

/* ---- files ----------------------------------------------------------------------------------- */

static uint8_t file[0x11000];
static size_t n_section;
static bool big;

static void set(size_t at, unsigned n, uint64_t v)
{
    for (unsigned i = 0; i < n; i++)
        file[at + (big ? n - 1 - i : i)] = (uint8_t)(v >> 8 * i);
}

/* Appends bytes in hexadecimal to .eh_frame; spaces are skipped. */
static void put(const char *hex)
{
    for (; *hex; hex++) {
        unsigned v;
        if (*hex == ' ')
            continue;
        assert_int_equal(sscanf(hex, "%2x", &v), 1);
        file[EH_FRAME_AT + n_section++] = (uint8_t)v;
        hex++;
    }
}

/* A record: length, then 4 bytes of id, then the rest. */
static size_t begin_record(uint32_t id)
{
    const size_t at = n_section;
    n_section += 8;
    set(EH_FRAME_AT + at + 4, 4, id);
    return at;
}

static void end_record(size_t at)
{
    set(EH_FRAME_AT + at, 4, n_section - at - 4);
}

static size_t put_cie(const char *hex)
{
    const size_t at = begin_record(0);
    put(hex);
    end_record(at);
    return at;
}

static void put_fde(size_t cie, uint32_t start, uint32_t length, const char *hex)
{
    const size_t at = begin_record((uint32_t)(n_section + 4 - cie));
    set(EH_FRAME_AT + n_section, 4, start - (uint32_t)(EH_FRAME_AT + n_section));
    set(EH_FRAME_AT + n_section + 4, 4, length);
    n_section += 8;
    put(hex);
    end_record(at);
}

/* Writes headers of an ELF file. The address of its .eh_frame equals its offset. */
static void begin_file(unsigned machine)
{
    memset(file, 0, sizeof file);
    n_section = 0;
    big = machine == 22;
    memcpy(file, "\177ELF\2", 5);
    file[5] = big ? 2 : 1;
    set(16, 2, 3);
    set(18, 2, machine);
    set(32, 8, 64); /* one executable segment */
    set(40, 8, 256);
    set(54, 2, 56);
    set(56, 2, 1);
    set(58, 2, 64);
    set(60, 2, 3);
    set(62, 2, 2);
    set(64, 4, 1);
    set(68, 4, 5);
    set(64 + 16, 8, TEXT);
    set(64 + 40, 8, TEXT_NBYTES);
    memcpy(file + 512, "\0.eh_frame\0.shstrtab", 21);
    set(320, 4, 1); /* .eh_frame */
    set(324, 4, 1);
    set(320 + 16, 8, EH_FRAME_AT);
    set(320 + 24, 8, EH_FRAME_AT);
    set(384, 4, 11);
    set(388, 4, 3);
    set(384 + 24, 8, 512);
    set(384 + 32, 8, 21);
}

/* ---- expected results ------------------------------------------------------------------------ */

static enum bo_status import_file(struct bo_arena *arena, void **model_ret, struct bo_error *error)
{
    struct bo_guarded guarded;
    set(320 + 32, 8, n_section);
    assert_true(bo_guarded_copy((struct bo_span){file, EH_FRAME_AT + n_section}, &guarded));
    const enum bo_status status =
        test_import(importer_called("elf"), guarded.span, NULL, arena, model_ret, error);
    bo_guarded_free(&guarded);
    return status;
}

static void expect(const char *text, const char *what, enum bo_status expected, const char *note)
{
    struct bo_arena arena;
    struct bo_writer out;
    struct bo_error error = {0};
    void *model;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    const enum bo_status status = import_file(&arena, &model, &error);
    if (what) {
        assert_string_equal(error.what ? error.what : "-", what);
        assert_int_equal(status, expected);
        assert_true(error.off <= sizeof file);
    } else {
        if (status)
            fail_msg("%s", error.what);
        assert_int_equal(bo_find_format(TEST_FORMAT)->print(model, &out, NULL), BO_OK);
        bo_put_u8(&out, 0);
        const char *got = strstr((const char *)out.p, "fn");
        const char *end = got ? strstr(got, "real") : NULL;
        if (end)
            out.p[end - (const char *)out.p] = 0;
        assert_string_equal(got ? got : "", text);
        if (note)
            assert_string_equal(error.what ? error.what : "", note);
    }
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

#define CIE "01 7a5200 01 78 10 01 1b 0c0708 9001"

/* One function of 64 bytes with these instructions. */
static void expect_rows(const char *instructions, const char *rows)
{
    char text[512];
    begin_file(62);
    put_fde(put_cie(CIE), TEXT, 64, instructions);
    snprintf(text, sizeof text, "fn 0x10000 64\n%s", rows);
    expect(text, NULL, BO_OK, NULL);
}

static void expect_refusal(const char *instructions, const char *what)
{
    begin_file(62);
    put_fde(put_cie(CIE), TEXT, 64, instructions);
    expect(NULL, what, BO_CORRUPT, NULL);
}

/* ---- tests ----------------------------------------------------------------------------------- */

TEST(test_instructions)
{
    expect_rows("00", "0 sp+8 c-8 s\n");
    expect_rows("00 41 0e10 8602 43 0d06 02 20 0c0708 c6",
                "0 sp+8 c-8 s\n1 sp+16 c-8 c-16\n4 fp+16 c-8 c-16\n36 sp+8 c-8 s\n");
    expect_rows("00 0a 41 0e10 8602 44 0b", "0 sp+8 c-8 s\n1 sp+16 c-8 c-16\n5 sp+8 c-8 s\n");
    expect_rows("00 0a 41 0e10 0a 42 0e18 43 0b 44 0b",
                "0 sp+8 c-8 s\n1 sp+16 c-8 s\n3 sp+24 c-8 s\n6 sp+16 c-8 s\n10 sp+8 c-8 s\n");
    expect_rows("00 41 0710 41 0810 41 091003",
                "0 sp+8 c-8 s\n1 sp+8 u s\n2 sp+8 s s\n3 sp+8 r3 s\n");
    expect_rows("00 41 05 06 03 41 11 06 7d 41 14 06 02 41 15 06 7e 41 2f 06 04",
                "0 sp+8 c-8 s\n1 sp+8 c-8 c-24\n2 sp+8 c-8 c+24\n3 sp+8 c-8 v-16\n"
                "4 sp+8 c-8 v+16\n5 sp+8 c-8 c+32\n");
    expect_rows("00 41 120702 41 137f", "0 sp+8 c-8 s\n1 sp-16 c-8 s\n2 sp+8 c-8 s\n");
    expect_rows("00 41 0f 03 767806 41 0f 01 96 41 0c0710",
                "0 sp+8 c-8 s\n1 *fp-8 c-8 s\n2 x c-8 s\n"
                "3 sp+16 c-8 s\n");
    expect_rows("00 41 10 06 02 7600 41 16 06 02 7600 41 10 10 03 922000",
                "0 sp+8 c-8 s\n1 sp+8 c-8 *fp+0\n2 sp+8 c-8 x\n3 sp+8 *r32+0 x\n");
    /* An LEB128 that is longer than necessary; an advance by 0; two rows at one PC; args_size. */
    expect_rows("00 41 0e 908000 40 0e18 2e 04", "0 sp+8 c-8 s\n1 sp+24 c-8 s\n");
    /* A row that starts past the end is dropped, with all after it. */
    expect_rows("00 03 3f00 0e10 03 0100 0e18", "0 sp+8 c-8 s\n63 sp+16 c-8 s\n");
    expect_rows("00 41 0c 8001 08", "0 sp+8 c-8 s\n1 x c-8 s\n");
}

/* A return address that is signed with the PC has no rule here, until it is authenticated. */
TEST(test_signed_with_pc)
{
    begin_file(183);
    put_fde(put_cie("01 7a5200 04 78 1e 01 1b 0c1f00"), TEXT, 64,
            "00 41 2c 41 0e10 9e01 43 de 0e00 2c");
    expect("fn 0x10000 64\n0 sp+0 s s\n4 sp+0 x s\n8 sp+16 x s\n20 sp+0 s s\n", NULL, BO_OK,
           "dropped or changed: 2 rows with a return address signed with the PC");
}

TEST(test_refused_instructions)
{
    expect_refusal("00 0b", "DW_CFA_restore_state without a remembered state");
    expect_refusal("00 0f 01 96 0d06", "CFA has no register or offset to keep");
    expect_refusal("00 0f 05 96", "expression runs past the record's end");
    expect_refusal("00 0e 80808080808080808002", "operand is truncated");
    expect_refusal("00 0e 8080808080808080808001", "operand is truncated");
    expect_refusal("00 0e 80", "operand is truncated");
    expect_refusal("00 03 01", "operand is truncated");
    expect_refusal("00 2d", "signed return address on a machine other than arm64");
    expect_refusal("00 3f", "unknown instruction");
    expect_refusal("00 42 01 00000000", "location goes backwards");
    expect_refusal("05", "augmentation data runs past the record's end");
}

/* States remembered in one another, up to the limit and one more. */
TEST(test_remembered_states)
{
    enum { MOST = 1 << 16 };
    for (unsigned more = 0; more < 2; more++) {
        begin_file(62);
        const size_t cie = put_cie(CIE), fde = n_section;
        put_fde(cie, TEXT, 64, "00");
        memset(file + EH_FRAME_AT + n_section, 0x0a, MOST + more);
        n_section += MOST + more;
        end_record(fde);
        if (more)
            expect(NULL, "more than 65536 remembered states", BO_OVER_LIMIT, NULL);
        else
            expect("fn 0x10000 64\n0 sp+8 c-8 s\n", NULL, BO_OK, NULL);
    }
}

TEST(test_cies)
{
    static const struct {
        const char *cie, *what;
        enum bo_status status;
    } cases[] = {
        {"00 7a5200 01 78 10 01 1b 0c0708", "CIE version is not 1 or 3", BO_UNSUPPORTED},
        {"04 7a5200 01 78 10 01 1b 0c0708", "CIE version is not 1 or 3", BO_UNSUPPORTED},
        {"01 7a52", "augmentation string is not terminated", BO_CORRUPT},
        {"01 5200 01 78 10 01 1b 0c0708", "augmentation does not start with z", BO_UNSUPPORTED},
        {"01 7a5200 01 78 10 40 1b 0c0708", "augmentation data runs past the record's end",
         BO_CORRUPT},
        {"01 7a525000 01 78 10 01 1b 0c0708", "augmentation data is too short", BO_CORRUPT},
        {"01 7a5200 01 78 10 01 9b 0c0708", "pointer encoding is indirect or omitted", BO_CORRUPT},
        {"01 7a5200 01 78 10 01 ff 0c0708", "pointer encoding is indirect or omitted", BO_CORRUPT},
        {"01 7a5200 01 78 10 01 4b 0c0708", "base of the pointer encoding is unknown", BO_CORRUPT},
        {"01 7a5200 00 78 10 01 1b 0c0708", "advance with a code alignment factor of 0",
         BO_CORRUPT},
        {"01 7a5200 01 78 10 01 1b 0c0708 41", "CIE contains an advance instruction", BO_CORRUPT},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        begin_file(62);
        put_fde(put_cie(cases[i].cie), TEXT, 64, "00 41 0e10");
        expect(NULL, cases[i].what, cases[i].status, NULL);
    }
    /* Version 3, letters L P S B, a personality, an unknown letter, restore in a CIE. */
    begin_file(62);
    put_fde(put_cie("03 7a52504c5300 01 78 10 07 1b 00 0000000000000000 1b 0c0708 9001"), TEXT, 8,
            "00");
    expect(NULL, "pointer is truncated", BO_TRUNCATED, NULL);
    begin_file(62);
    put_fde(put_cie("03 7a5250534200 01 78 10 06 1b 03 00000000 0c0708 9001 c6"), TEXT, 8, "00");
    expect("fn 0x10000 8 S B\n0 sp+8 c-8 s\n", NULL, BO_OK, NULL);
    begin_file(62);
    put_fde(put_cie("01 7a525a00 01 78 10 03 1b 0102 0c0708 9001"), TEXT, 8, "00");
    expect("fn 0x10000 8\n0 sp+8 c-8 s\n", NULL, BO_OK,
           "dropped or changed: 1 CIEs with an unknown augmentation letter");
}

TEST(test_records)
{
    begin_file(62);
    const size_t cie = put_cie(CIE);
    put("00000000"); /* a terminator in the middle */
    put_fde(cie, TEXT + 16, 8, "00");
    put_fde(cie, TEXT, 24, "00"); /* overlaps the previous one in the section */
    put_fde(cie, TEXT + 16, 4, "00 41 0e10");
    put_fde(cie, TEXT + 64, 0, "00");
    put_fde(cie, TEXT - 16, 4, "00");
    expect("fn 0x10000 16\n0 sp+8 c-8 s\nfn 0x10010 8\n0 sp+8 c-8 s\n", NULL, BO_OK,
           "dropped or changed: 1 FDEs of length 0, 1 FDEs outside of executable segments, 1 FDEs "
           "with the start of another, 1 functions cut where the next starts");

    static const struct {
        const char *bytes, *what;
        enum bo_status status;
    } cases[] = {
        {"03000000 000000", "record is too short", BO_CORRUPT},
        {"04000000 00000000", "record is too short", BO_CORRUPT},
        {"ffffff00 00000000", "record runs past the section's end", BO_TRUNCATED},
        {"000000", "section ends inside a record's length", BO_TRUNCATED},
        {"ffffffff 00000000", "section ends inside a record's length", BO_TRUNCATED},
        {"10000000 01000000 0000000000000000 00000000", "CIE pointer does not point to a CIE",
         BO_CORRUPT},
        {"10000000 00010000 0000000000000000 00000000", "CIE pointer does not point to a CIE",
         BO_CORRUPT},
    };
    for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
        begin_file(62);
        put_cie(CIE);
        put(cases[i].bytes);
        expect(NULL, cases[i].what, cases[i].status, NULL);
    }
}

/* GNU ld's PLT: one function becomes two. Elsewhere, its expression is treated like any other. */
TEST(test_plt)
{
    static const char plt[] = "00 0e10 46 0e18 4a 0f 0b 77088000 3f1a 3b2a 3324 22 00000000";
    begin_file(62);
    put_fde(put_cie(CIE), TEXT, 64, plt);
    expect("fn 0x10000 16\n0 sp+16 c-8 s\n6 sp+24 c-8 s\n"
           "fn 0x10010 48 rep=16\n0 sp+8 c-8 s\n11 sp+16 c-8 s\n",
           NULL, BO_OK, NULL);
    begin_file(62);
    put_fde(put_cie(CIE), TEXT + 8, 64, plt);
    expect("fn 0x10008 64\n0 sp+16 c-8 s\n6 sp+24 c-8 s\n16 x c-8 s\n", NULL, BO_OK,
           "dropped or changed: 1 PLT expressions outside of GNU ld's place");
}

TEST(test_machines)
{
    begin_file(183); /* key B, a remembered toggle, one toggled twice at one PC */
    put_fde(put_cie("01 7a524200 04 78 1e 01 1b 0c1f00"), TEXT, 40,
            "00 41 2d 41 0a 0e20 9e03 9d04 46 0b 41 2d 41 2d2d");
    expect("fn 0x10000 40 B\n0 sp+0 s s\n4 sp+0 s s a\n8 sp+32 c-24 c-32 a\n32 sp+0 s s a\n"
           "36 sp+0 s s\n",
           NULL, BO_OK, NULL);
    begin_file(22); /* big-endian, RA in a floating-point register, a return register of 0 */
    const size_t cie = put_cie("01 7a5200 01 78 0e 01 1b 0c0fa001");
    put_fde(cie, TEXT, 30, "00 44 090e10 44 090b12");
    put_fde(put_cie("01 7a525300 01 78 00 01 1b 0c0fa001"), TEXT + 32, 30, "00 140014");
    expect("fn 0x10000 30\n0 sp+160 s s\n4 sp+160 r16 s\n8 sp+160 r16 r18\n"
           "fn 0x10020 30 S\n0 sp+160 v-160 s\n",
           NULL, BO_OK, NULL);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Two functions, at TEXT and TEXT + 64, and n_text of 32 bytes as .text at TEXT + text_off. */
static void expect_calls(unsigned machine, const char *cie, uint64_t text_off, const char *text,
                         size_t n_text, const uint64_t *expected, size_t n)
{
    enum { TEXT_AT = 0x220, NAMES_AT = 512, SECTION = 448 };
    struct bo_arena arena;
    struct bo_error error = {0};
    void *model;
    begin_file(machine);
    const size_t cie_at = put_cie(cie);
    put_fde(cie_at, TEXT, 64, "00");
    put_fde(cie_at, TEXT + 64, 64, "00");
    set(60, 2, 4);
    memcpy(file + NAMES_AT + 21, ".text", 6);
    set(384 + 32, 8, 27);
    set(SECTION, 4, 21);
    set(SECTION + 4, 4, 1);
    set(SECTION + 16, 8, TEXT + text_off);
    set(SECTION + 24, 8, TEXT_AT);
    set(SECTION + 32, 8, n_text);
    memcpy(file + TEXT_AT, text, 32);
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    assert_int_equal(import_file(&arena, &model, &error), BO_OK);
    const struct unwind_model *m = model;
    assert_int_equal(m->n_calls, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(m->calls[i], expected[i]);
    bo_arena_free(&arena);
}

/*
 * The return address of each direct call of a function's start. In each text: a call forwards, one
 * of the middle of a function, one backwards, other instructions, and a call at the end, which is
 * whole or lacks a byte.
 */
TEST(test_calls)
{
    static const char amd64[32] = "\xe8\x3b\0\0\0\xe8\x37\0\0\0\xe8\xf1\xff\xff\xff\xe8\x2c\0\0\0";
    static const char arm64[32] = "\0\0\0\0\x0f\0\0\x94\x0f\0\0\x94\xfd\xff\xff\x97"
                                  "\x0c\0\0\x14\x0b\0\0\x90\x0a\0\0\x94";
    static const char s390x[32] = "\xc0\xe5\0\0\0\x20\xc0\xe5\0\0\0\x1e\xc0\xe5\xff\xff\xff\xfa"
                                  "\xc0\xe5\0\0\0\x17";
    static const char last[32] = "\xe8\0\0\1\0", odd[32] = "x\xc0\xe5\0\0\0\x1f";
    static const uint64_t of_amd64[] = {TEXT + 5, TEXT + 15, TEXT + 20},
                          of_arm64[] = {TEXT + 8, TEXT + 16, TEXT + 28},
                          of_s390x[] = {TEXT + 6, TEXT + 18, TEXT + 24}, of_odd[] = {TEXT + 8};
    static const char arm64_cie[] = "01 7a5200 04 78 1e 01 1b 0c1f00",
                      s390x_cie[] = "01 7a5200 01 78 0e 01 1b 0c0fa001";
    for (unsigned lacking = 0; lacking < 2; lacking++) {
        expect_calls(62, CIE, 0, amd64, 20 - lacking, of_amd64, 3 - lacking);
        expect_calls(183, arm64_cie, 0, arm64, 28 - lacking, of_arm64, 3 - lacking);
        expect_calls(22, s390x_cie, 0, s390x, 24 - lacking, of_s390x, 3 - lacking);
    }
    /* A call whose return address is beyond the address space is left out. */
    expect_calls(62, CIE, UINT64_MAX - 4 - TEXT, last, 5, NULL, 0);
    /* In a .text at an odd address, instructions begin at the next even one. */
    expect_calls(22, s390x_cie, 1, odd, 7, of_odd, 1);
}

TEST(test_elf)
{
    begin_file(62);
    file[4] = 1;
    expect(NULL, "not an ELF file of 64 bits", BO_UNSUPPORTED, NULL);
    begin_file(3);
    expect(NULL, "machine is not amd64, arm64 or s390x", BO_UNSUPPORTED, NULL);
    begin_file(62);
    set(16, 2, 1);
    expect(NULL, "file is relocatable: its addresses are unknown", BO_UNSUPPORTED, NULL);
    begin_file(62);
    set(40, 8, sizeof file);
    expect(NULL, "the file ends before its section headers", BO_TRUNCATED, NULL);
    begin_file(62); /* an empty section has no functions */
    expect("", NULL, BO_OK, NULL);
}

TEST_FILE(NULL, NULL)
