/*
 * Files are written completely or not at all. Why: results and encodings replace older ones, which
 * must stay where writing fails. Files that are read may be packed, cut off or damaged.
 */
#include "harness/core/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/core/random.h"
#include "harness/core/source.h"
#include "harness/core/test_cmocka.h"

static void expect_content(const char *path, const char *expected)
{
    char content[16] = "";
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    content[fread(content, 1, sizeof content - 1, in)] = 0;
    fclose(in);
    assert_string_equal(content, expected);
}

TEST(test_whole_or_not_at_all)
{
    char folder[1024], path[1100];
    struct bo_outlet outlet;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    assert_true(bo_is_folder(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_false(bo_is_folder(path));
    assert_true(bo_output(path, bo_span_of("first")));
    assert_false(bo_is_folder(path));
    expect_content(path, "first");
    assert_true(bo_outlet_open(path, &outlet));
    assert_true(outlet.drain.write(outlet.drain.context, bo_span_of("second")));
    expect_content(path, "first"); /* until it is closed */
    (void)bo_outlet_close(&outlet, false);
    expect_content(path, "first");
    assert_true(bo_output(path, bo_span_of("third")));
    expect_content(path, "third");
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
}

/* A path without room for the six letters that make it unique. */
TEST(test_names_that_do_not_fit)
{
    static char parent[5000], long_folder[6000];
    char folder[8];
    assert_false(bo_temporary_folder(folder, sizeof folder));
    const char *usual = getenv("TMPDIR");
    char *kept = usual ? strdup(usual) : NULL;
    memset(parent, '/', sizeof parent - 1);
    setenv("TMPDIR", parent, true);
    errno = 0;
    assert_false(bo_temporary_folder(long_folder, sizeof long_folder));
    assert_int_equal(errno, ENAMETOOLONG);
    setenv("TMPDIR", "/tmp", true); /* "/tmp/bakeoff.", six letters and the NUL: 20 bytes */
    assert_false(bo_temporary_folder(long_folder, 19));
    assert_true(bo_temporary_folder(long_folder, 20));
    assert_int_equal(rmdir(long_folder), 0);
    if (kept)
        setenv("TMPDIR", kept, true);
    else
        unsetenv("TMPDIR");
    free(kept);
}

/* A link to a device is used in its place, so that a fault can only replace the link. */
static const char *link_to(const char *device, const char *folder, char *path, size_t n)
{
    snprintf(path, n, "%s/device", folder);
    assert_int_equal(symlink(device, path), 0);
    return path;
}

/* Devices are written in place. */
TEST(test_devices)
{
    char folder[1024], path[1100];
    struct bo_outlet outlet;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    assert_true(bo_output(link_to("/dev/null", folder, path, sizeof path), bo_span_of("x")));
    assert_int_equal(unlink(path), 0);
    link_to("/dev/full", folder, path, sizeof path);
    assert_false(bo_output(path, bo_span_of("x")));
    assert_true(bo_outlet_open(path, &outlet));
    assert_false(outlet.drain.write(outlet.drain.context, bo_span_of("x")));
    assert_false(outlet.drain.write(outlet.drain.context, bo_span_of("")));
    assert_int_equal(outlet.why_failed, ENOSPC);
    assert_false(bo_outlet_close(&outlet, true));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
}

/* Outputs that fail leave the older file, and no other one. */
TEST(test_failing_outputs)
{
    char folder[1024], path[1100], absent[1100];
    struct bo_outlet outlet;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(absent, sizeof absent, "%s/absent/file", folder);
    assert_false(bo_output(absent, bo_span_of("x")));
    assert_true(bo_output(path, bo_span_of("first")));
    assert_true(bo_outlet_open(path, &outlet));
    outlet.why_failed = ENOSPC;
    assert_false(outlet.drain.write(outlet.drain.context, bo_span_of("second")));
    assert_false(bo_outlet_close(&outlet, true));
    expect_content(path, "first");
    unlink(path);
    assert_true(bo_outlet_open(path, &outlet));
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(bo_outlet_close(&outlet, true)); /* a folder is not replaced */
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
    assert_true(bo_outlet_open(NULL, &outlet));
    assert_int_equal(outlet.fd, STDOUT_FILENO);
    assert_true(bo_outlet_close(&outlet, true));
    assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0); /* it stays open */
}

/* A new file has the permissions of an ordinary one. An empty TMPDIR is ignored. */
TEST(test_permissions)
{
    char folder[1024], path[1100];
    struct stat st;
    const char *usual = getenv("TMPDIR");
    char *kept = usual ? strdup(usual) : NULL;
    setenv("TMPDIR", "", true);
    assert_true(bo_temporary_folder(folder, sizeof folder));
    assert_memory_equal(folder, "/tmp/bakeoff.", 13);
    snprintf(path, sizeof path, "%s/file", folder);
    const mode_t mask = umask(027);
    assert_true(bo_output(path, bo_span_of("first")));
    umask(mask);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    unlink(path);
    rmdir(folder);
    if (kept)
        setenv("TMPDIR", kept, true);
    else
        unsetenv("TMPDIR");
    free(kept);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { MANY_NBYTES = 400000 };

enum { MESSAGE_ROOM = 1200 };

static bool open_saying(const char *path, struct bo_input *in, char message[MESSAGE_ROOM])
{
    FILE *messages = tmpfile();
    assert_non_null(messages);
    const int kept = dup(STDERR_FILENO);
    dup2(fileno(messages), STDERR_FILENO);
    const bool ok = bo_input_open(path, in);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(messages);
    message[fread(message, 1, MESSAGE_ROOM - 1, messages)] = 0;
    fclose(messages);
    return ok;
}

/* Writes a file, and reads it as a whole; `what`: the message of the expected error, or NULL. */
static void expect_read(struct bo_span content, struct bo_span expected, const char *what)
{
    char folder[1024], path[1100], message[MESSAGE_ROOM];
    struct bo_input in;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_true(bo_output(path, content));
    const bool ok = open_saying(path, &in, message);
    unlink(path);
    rmdir(folder);
    if (what) {
        if (ok || !strstr(message, what))
            fail_msg("%s, not %s", message, what);
        return;
    }
    assert_string_equal(message, "");
    assert_true(ok && bo_span_equal(in.bytes, expected));
    bo_input_close(&in);
}

/* Bytes that do not compress: more than are read at once, also packed. */
static struct bo_span many_bytes(void)
{
    static uint8_t bytes[MANY_NBYTES];
    struct bo_random random = bo_random_seeded(1);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = bo_random_u8(&random);
    return (struct bo_span){bytes, sizeof bytes};
}

static uint8_t packed_bytes[2 * MANY_NBYTES + 1000];

static struct bo_span pack_zstd(struct bo_span bytes)
{
    const size_t n = ZSTD_compress(packed_bytes, sizeof packed_bytes, bytes.p, bytes.n, 1);
    assert_false(ZSTD_isError(n));
    return (struct bo_span){packed_bytes, n};
}

static struct bo_span pack_xz(struct bo_span bytes)
{
    size_t n = 0;
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, bytes.p, bytes.n,
                                             packed_bytes, &n, sizeof packed_bytes),
                     LZMA_OK);
    return (struct bo_span){packed_bytes, n};
}

TEST(test_plain_files)
{
    static const struct bo_span contents[] = {
        BYTES(""),
        BYTES("x"),
        BYTES("\x28\xb5\x2f"),
        BYTES("\x28\xb5\x2f\xfe"),
        BYTES("\xfd"
              "7zXZ"),
    };
    for (size_t i = 0; i < N_ELEMENTS(contents); i++)
        expect_read(contents[i], contents[i], NULL);
    expect_read(many_bytes(), many_bytes(), NULL);
}

/* A 32-bit program must not read the first bytes of such a file as the whole file. */
TEST(test_huge_files)
{
    const uint64_t nbytes = (UINT64_C(4) << 30) + 5;
    char folder[1024], path[1100], message[MESSAGE_ROOM];
    struct bo_input in;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_true(bo_output(path, (struct bo_span){NULL, 0}));
    assert_int_equal(truncate(path, (off_t)nbytes), 0); /* sparse */
    const bool ok = open_saying(path, &in, message);
    unlink(path);
    rmdir(folder);
    assert_int_equal(ok, SIZE_MAX > nbytes);
    if (ok)
        assert_true(in.bytes.n == nbytes);
    else
        assert_non_null(strstr(message, "is larger than the address space"));
    bo_input_close(&in);
}

/* Two packed files in a row are one. Bytes that are missing or changed are errors. */
TEST(test_packed_files)
{
    static const struct {
        struct bo_span (*pack)(struct bo_span bytes);
        const char *early, *damaged;
    } kinds[] = {{pack_zstd, "zstd data ends early", "damaged zstd data"},
                 {pack_xz, "xz data ends early", "damaged xz data"}};
    const struct bo_span many = many_bytes(), few = BYTES("few");
    for (size_t k = 0; k < N_ELEMENTS(kinds); k++) {
        expect_read(kinds[k].pack((struct bo_span)BYTES("")), (struct bo_span){NULL, 0}, NULL);
        expect_read(kinds[k].pack(few), few, NULL);
        struct bo_span packed = kinds[k].pack(many);
        expect_read(packed, many, NULL);
        expect_read((struct bo_span){packed.p, packed.n - 1}, many, kinds[k].early);
        expect_read((struct bo_span){packed.p, 200000}, many, kinds[k].early);
        expect_read((struct bo_span){packed.p, 6}, many, kinds[k].early);
        memcpy(packed_bytes + packed.n, "other bytes", 12);
        expect_read((struct bo_span){packed.p, packed.n + 12}, many, kinds[k].damaged);
        packed_bytes[k ? 7 : 4] ^= 0x08; /* of the header */
        expect_read(packed, many, kinds[k].damaged);
        packed = kinds[k].pack(few);
        memcpy(packed_bytes + packed.n, packed.p, packed.n);
        expect_read((struct bo_span){packed.p, 2 * packed.n}, (struct bo_span)BYTES("fewfew"),
                    NULL);
    }
}

TEST(test_no_files)
{
    struct bo_input in;
    struct bo_file_source source;
    assert_false(bo_input_open("/absent/file", &in));
    assert_false(bo_input_open("/tmp", &in));
    assert_false(bo_source_open("/tmp", &source));
}

/* Bytes are available in advance, and then in pieces. */
TEST(test_pieces)
{
    char folder[1024], path[1100];
    struct bo_file_source file;
    uint8_t piece[7];
    size_t n, n_read = 0;
    assert_true(bo_temporary_folder(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/file", folder);
    for (unsigned is_packed = 0; is_packed < 2; is_packed++) {
        const struct bo_span many = many_bytes(), content = is_packed ? pack_zstd(many) : many;
        assert_true(bo_output(path, content));
        assert_true(bo_source_open(path, &file));
        assert_int_equal(file.head.n, 1 << 16);
        assert_memory_equal(file.head.p, many.p, file.head.n);
        for (n_read = 0; n_read < many.n; n_read += n) {
            assert_null(file.source.read(file.source.context, piece, sizeof piece, &n));
            assert_true(n > 0 && n <= sizeof piece && n <= many.n - n_read);
            assert_memory_equal(piece, many.p + n_read, n);
        }
        assert_null(file.source.read(file.source.context, piece, sizeof piece, &n));
        assert_int_equal(n, 0);
        bo_source_close(&file);
        assert_int_equal(file.fd, -1);
    }
    unlink(path);
    rmdir(folder);
}

TEST_FILE(NULL, NULL)
