/* The header of a file that holds one codec's payload. */
#include "harness/file.h"

#include "harness/core/hash.h"
#include "harness/registry.h"

static const uint8_t magic[8] = {0x89, 'B', 'K', 'O', '\r', '\n', 0x1a, '\n'};

enum { HEADER_VERSION = 1, FIXED_NBYTES = 32, HEADER_ALIGN = 64 };

void bo_file_put(const struct bo_format *format, const struct bo_codec *codec,
                 struct bo_span payload, struct bo_writer *out)
{
    const size_t n_format = strlen(format->name), n_codec = strlen(codec->name);
    const size_t used = FIXED_NBYTES + n_format + n_codec;
    const size_t header_nbytes = (used + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN;
    bo_put_bytes(out, magic, sizeof magic);
    bo_put_u8(out, HEADER_VERSION);
    bo_put_u8(out, (uint8_t)n_format);
    bo_put_u8(out, (uint8_t)n_codec);
    bo_put_u8(out, 0);
    bo_put_le32(out, (uint32_t)header_nbytes);
    bo_put_le64(out, payload.n);
    bo_put_le64(out, bo_hash(payload));
    bo_put_bytes(out, format->name, n_format);
    bo_put_bytes(out, codec->name, n_codec);
    bo_put_zeros(out, header_nbytes - used);
    bo_put_bytes(out, payload.p, payload.n);
}

void bo_file_names(struct bo_span file, struct bo_span *format_ret, struct bo_span *codec_ret)
{
    *format_ret = *codec_ret = (struct bo_span){file.p, 0};
    if (file.n < FIXED_NBYTES || memcmp(file.p, magic, sizeof magic) != 0)
        return;
    const size_t n_format = file.p[9], n_codec = file.p[10];
    if (FIXED_NBYTES + n_format + n_codec > file.n)
        return;
    *format_ret = (struct bo_span){file.p + FIXED_NBYTES, n_format};
    *codec_ret = (struct bo_span){file.p + FIXED_NBYTES + n_format, n_codec};
}

enum bo_status bo_file_open(const struct bo_format *format, const struct bo_codec *codec,
                            struct bo_span file, struct bo_span *payload_ret, struct bo_error *err)
{
    if (file.n && memcmp(file.p, magic, file.n < sizeof magic ? file.n : sizeof magic) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "not a file that `encode` wrote (bad magic number)");
    if (file.n < FIXED_NBYTES)
        return bo_fail(err, BO_TRUNCATED, file.n, "ends inside the file header");
    if (file.p[8] != HEADER_VERSION)
        return bo_fail(err, BO_UNSUPPORTED, 8, "unknown version of the file header");
    const size_t n_format = file.p[9], n_codec = file.p[10];
    const uint64_t header_nbytes = bo_le32(file.p + 12), payload_nbytes = bo_le64(file.p + 16);
    const size_t names_end = FIXED_NBYTES + n_format + n_codec;
    if (file.p[11] != 0)
        return bo_fail(err, BO_CORRUPT, 11, "reserved byte is not 0");
    if (header_nbytes % HEADER_ALIGN)
        return bo_fail(err, BO_CORRUPT, 12, "size of the file header is not a multiple of 64");
    if (header_nbytes < names_end)
        return bo_fail(err, BO_CORRUPT, 9, "names exceed the file header");
    if (header_nbytes > file.n)
        return bo_fail(err, BO_TRUNCATED, file.n, "ends inside the file header");

    const struct bo_span format_name = {file.p + FIXED_NBYTES, n_format};
    const struct bo_span codec_name = {file.p + FIXED_NBYTES + n_format, n_codec};
    const struct bo_codec *encoding = bo_layout_of(format, codec);
    const struct bo_span wanted = {(const uint8_t *)encoding->name, strlen(encoding->name)};
    if (!bo_span_equal(format_name,
                       (struct bo_span){(const uint8_t *)format->name, strlen(format->name)}))
        return bo_fail(err, BO_BAD_USAGE, FIXED_NBYTES, "file is of another format");
    if (!bo_span_equal(codec_name, wanted))
        return bo_fail(err, BO_BAD_USAGE, FIXED_NBYTES + n_format,
                       "file was written by another codec");

    for (size_t i = names_end; i < header_nbytes; i++)
        if (file.p[i])
            return bo_fail(err, BO_CORRUPT, names_end, "file header does not end in zeros");
    if (payload_nbytes > file.n - header_nbytes)
        return bo_fail(err, BO_TRUNCATED, file.n, "file is shorter than its payload");
    if (payload_nbytes < file.n - header_nbytes)
        return bo_fail(err, BO_CORRUPT, header_nbytes + payload_nbytes, "bytes follow the payload");
    *payload_ret = (struct bo_span){file.p + header_nbytes, (size_t)payload_nbytes};
    if (bo_hash(*payload_ret) != bo_le64(file.p + 24))
        return bo_fail(err, BO_CORRUPT, header_nbytes, "payload does not match its checksum");
    return BO_OK;
}
