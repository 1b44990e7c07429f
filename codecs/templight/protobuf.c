/* The wire format of protocol buffers, the reader. */
#include "codecs/templight/protobuf.h"

enum { MAX_VARINT_NBYTES = 10, MAX_FIELD_NUMBER = (1 << 29) - 1 };

enum bo_status templight_get_varint(struct templight_message *message, uint64_t *v_ret,
                                    struct bo_error *err)
{
    struct bo_cursor *in = &message->in;
    const uint8_t *p = in->p + in->off;
    const size_t left = bo_left(in);
    uint64_t v = 0;
    for (unsigned i = 0; i < MAX_VARINT_NBYTES; i++) {
        if (i == left)
            return bo_fail_here(err, message->past_end, in, "varint runs past the end");
        if (i == MAX_VARINT_NBYTES - 1 && p[i] > 1)
            break;
        v |= (uint64_t)(p[i] & 0x7f) << 7 * i;
        if (p[i] < 0x80) {
            in->off += i + 1;
            *v_ret = v;
            return BO_OK;
        }
    }
    return bo_fail_here(err, BO_CORRUPT, in, "varint does not fit 64 bits");
}

static enum bo_status get_tag(struct templight_message *message, struct templight_field *field,
                              struct bo_error *err)
{
    uint64_t tag = 0;
    *field = (struct templight_field){.off = message->in.base + message->in.off};
    const enum bo_status status = templight_get_varint(message, &tag, err);
    if (status)
        return status;
    if (tag >> 3 == 0 || tag >> 3 > MAX_FIELD_NUMBER)
        return bo_fail(err, BO_CORRUPT, field->off, "field number is 0 or above 2^29 - 1");
    field->number = (uint32_t)(tag >> 3);
    field->wire = (enum templight_wire)(tag & 7);
    field->value_off = message->in.base + message->in.off;
    return BO_OK;
}

static enum bo_status get_fixed(struct templight_message *message, struct templight_field *field,
                                struct bo_error *err)
{
    const size_t n = field->wire == TEMPLIGHT_WIRE_8_BYTES ? 8 : 4;
    const uint8_t *p;
    if (!bo_get_bytes(&message->in, n, &p))
        return bo_fail_here(err, message->past_end, &message->in, "number runs past the end");
    field->value = n == 8 ? bo_le64(p) : bo_le32(p);
    return BO_OK;
}

static enum bo_status get_bytes(struct templight_message *message, struct templight_field *field,
                                struct bo_error *err)
{
    const size_t length_off = message->in.base + message->in.off;
    uint64_t n = 0;
    const enum bo_status status = templight_get_varint(message, &n, err);
    if (status)
        return status;
    if (n > bo_left(&message->in))
        return bo_fail(err, message->past_end, length_off, "length runs past the end");
    field->bytes.n = (size_t)n;
    field->value_off = message->in.base + message->in.off;
    bo_get_bytes(&message->in, field->bytes.n, &field->bytes.p);
    return BO_OK;
}

enum bo_status templight_get_field(struct templight_message *message,
                                   struct templight_field *field_ret, struct bo_error *err)
{
    const enum bo_status status = get_tag(message, field_ret, err);
    if (status)
        return status;
    switch (field_ret->wire) {
    case TEMPLIGHT_WIRE_VARINT:
        return templight_get_varint(message, &field_ret->value, err);
    case TEMPLIGHT_WIRE_8_BYTES:
    case TEMPLIGHT_WIRE_4_BYTES:
        return get_fixed(message, field_ret, err);
    case TEMPLIGHT_WIRE_BYTES:
        return get_bytes(message, field_ret, err);
    }
    return bo_fail(err, BO_CORRUPT, field_ret->off, "wire type is a group or unknown");
}

enum bo_status templight_expect_wire(const struct templight_field *field, enum templight_wire wire,
                                     struct bo_error *err)
{
    return field->wire == wire
               ? BO_OK
               : bo_fail(err, BO_CORRUPT, field->off, "wire type does not match the field");
}

enum bo_status templight_field_u32(const struct templight_field *field, uint32_t *v_ret,
                                   struct bo_error *err)
{
    const enum bo_status status = templight_expect_wire(field, TEMPLIGHT_WIRE_VARINT, err);
    if (status)
        return status;
    if (field->value > UINT32_MAX)
        return bo_fail(err, BO_CORRUPT, field->value_off, "number does not fit 32 bits");
    *v_ret = (uint32_t)field->value;
    return BO_OK;
}
