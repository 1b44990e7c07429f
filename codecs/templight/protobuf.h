/*
 * The wire format of protocol buffers, as far as Templight's messages need it: tagged fields whose
 * values are varints, eight or four bytes, or bytes with a length before them.
 */
#ifndef TEMPLIGHT_PROTOBUF_H
#define TEMPLIGHT_PROTOBUF_H

#include "harness/core/bytes.h"

enum templight_wire {
    TEMPLIGHT_WIRE_VARINT = 0,
    TEMPLIGHT_WIRE_8_BYTES = 1,
    TEMPLIGHT_WIRE_BYTES = 2, /* texts, messages, packed numbers */
    TEMPLIGHT_WIRE_4_BYTES = 5,
};

/* ---- reading --------------------------------------------------------------------------------- */

/* A field of a message; it points into the message. */
struct templight_field {
    uint32_t number;
    enum templight_wire wire;
    uint64_t value;       /* of the numbers; 0 for bytes */
    struct bo_span bytes; /* of TEMPLIGHT_WIRE_BYTES */
    size_t off;           /* of the tag, from the start of the input */
    size_t value_off;     /* of the value, for bytes: of the first one after the length */
};

/*
 * A message that is being read: a cursor whose `base` makes offsets those of the input. In the file
 * itself whatever runs past the end is BO_TRUNCATED; in a message, whose own length was sound, it
 * is BO_CORRUPT.
 */
struct templight_message {
    struct bo_cursor in;
    enum bo_status past_end;
};

static inline struct templight_message templight_file_message(struct bo_span in)
{
    return (struct templight_message){bo_cursor(in), BO_TRUNCATED};
}

/* The message that is a field's bytes. */
static inline struct templight_message templight_inner_message(const struct templight_field *field)
{
    return (struct templight_message){
        {.p = field->bytes.p, .n = field->bytes.n, .base = field->value_off}, BO_CORRUPT};
}

static inline bool templight_message_ends(const struct templight_message *message)
{
    return bo_left(&message->in) == 0;
}

/*
 * Reads a varint of up to ten bytes. It need not be the shortest form: writers that fill lengths in
 * later pad them. On an error, which names its first byte, the cursor does not move.
 */
enum bo_status templight_get_varint(struct templight_message *message, uint64_t *v_ret,
                                    struct bo_error *err);

/* Reads the next field. Groups, the unused wire types and field number 0 are BO_CORRUPT. */
enum bo_status templight_get_field(struct templight_message *message,
                                   struct templight_field *field_ret, struct bo_error *err);

/* Fails unless the field has this wire type. */
enum bo_status templight_expect_wire(const struct templight_field *field, enum templight_wire wire,
                                     struct bo_error *err);

/* The number of a varint field that has 32 bits. */
enum bo_status templight_field_u32(const struct templight_field *field, uint32_t *v_ret,
                                   struct bo_error *err);

/* ---- writing: fields whose numbers are below 16, so that a tag is a byte --------------------- */

static inline uint64_t templight_varint_field_nbytes(uint64_t v)
{
    return 1 + bo_uvarint_nbytes(v);
}

/* Of a field of n bytes: tag, length and all. */
static inline uint64_t templight_bytes_field_nbytes(uint64_t n)
{
    return 1 + bo_uvarint_nbytes(n) + n;
}

static inline void templight_put_varint_field(struct bo_writer *out, unsigned number, uint64_t v)
{
    bo_put_u8(out, (uint8_t)(number << 3 | TEMPLIGHT_WIRE_VARINT));
    bo_put_uvarint(out, v);
}

static inline void templight_put_8_bytes_field(struct bo_writer *out, unsigned number, uint64_t v)
{
    bo_put_u8(out, (uint8_t)(number << 3 | TEMPLIGHT_WIRE_8_BYTES));
    bo_put_le64(out, v);
}

/* Tag and length; the n bytes follow. */
static inline void templight_put_bytes_head(struct bo_writer *out, unsigned number, uint64_t n)
{
    bo_put_u8(out, (uint8_t)(number << 3 | TEMPLIGHT_WIRE_BYTES));
    bo_put_uvarint(out, n);
}

static inline void templight_put_text_field(struct bo_writer *out, unsigned number,
                                            struct bo_span text)
{
    templight_put_bytes_head(out, number, text.n);
    bo_put_bytes(out, text.p, text.n);
}

#endif
