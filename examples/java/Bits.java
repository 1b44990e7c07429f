package statehist;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.ByteBuffer;

/** Little-endian numbers in an array of bytes, at any bit. Positions are bits from the array's start. */
final class Bits {
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    final byte[] data;

    Bits(byte[] data) {
        this.data = data;
    }

    /** n bits, 0 to 64. It loads up to 9 bytes, so the array needs a margin after the last number. */
    long get(long at, int n) throws FormatException {
        if (n == 0) {
            return 0;
        }
        if (at < 0 || at >>> 3 >= data.length - 8) {
            throw new FormatException("number runs past the end", data.length);
        }
        int i = (int) (at >>> 3);
        int shift = (int) (at & 7);
        long word = (long) WORD.get(data, i) >>> shift;
        if (shift + n > 64) {
            word |= (long) (data[i + 8] & 0xff) << (64 - shift);
        }
        return n == 64 ? word : word & ((1L << n) - 1);
    }

    static int width(long x) {
        return 64 - Long.numberOfLeadingZeros(x);
    }

    static String utf8(byte[] data, int from, int n, String rule) throws FormatException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data, from, n)).toString();
        } catch (CharacterCodingException e) {
            throw new FormatException(rule, from);
        }
    }
}
