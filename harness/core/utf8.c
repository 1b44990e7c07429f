/* UTF-8: reads, writes and checks code points. */
#include "harness/core/utf8.h"

size_t bo_utf8_take(const uint8_t *p, size_t n, uint32_t *code_ret)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = p[0] < 0x80                    ? 1
                          : p[0] >= 0xc2 && p[0] < 0xe0  ? 2
                          : p[0] >= 0xe0 && p[0] < 0xf0  ? 3
                          : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                                         : 0;
    if (length == 0 || length > n)
        return 0;
    uint32_t code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    *code_ret = code;
    return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0
                                                                                        : length;
}

size_t bo_utf8_put(uint32_t code, uint8_t *to)
{
    if (code < 0x80) {
        to[0] = (uint8_t)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6)
        to[i] = (uint8_t)(0x80 | (code & 0x3f));
    to[0] = (uint8_t)(0xf00u >> length | code);
    return length;
}

bool bo_is_utf8(struct bo_span text)
{
    uint32_t code;
    for (size_t i = 0, n; i < text.n; i += n) {
        n = bo_utf8_take(text.p + i, text.n - i, &code);
        if (n == 0)
            return false;
    }
    return true;
}
