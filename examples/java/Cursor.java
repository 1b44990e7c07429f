package statehist;

/** Reads a part of a file from front to back. */
final class Cursor {
    final Bits bits;
    final int end;
    int at;

    Cursor(Bits bits, int at, int end) {
        this.bits = bits;
        this.at = at;
        this.end = end;
    }

    private void need(int n, String rule) throws FormatException {
        if (n > end - at) {
            throw new FormatException(rule, at);
        }
    }

    int u8(String rule) throws FormatException {
        need(1, rule);
        return bits.data[at++] & 0xff;
    }

    long le(int nBytes, String rule) throws FormatException {
        need(nBytes, rule);
        long v = 0;
        for (int i = 0; i < nBytes; i++) {
            v |= (long) (bits.data[at++] & 0xff) << 8 * i;
        }
        return v;
    }

    /** A varint of so many bits: 32 or 64. */
    long varint(int width) throws FormatException {
        int first = at;
        long v = 0;
        for (int shift = 0;; shift += 7) {
            int next = u8("varint runs past the end");
            long group = next & 127;
            if (shift >= width || (shift > 0 && group >>> (width - shift) != 0)) {
                throw new FormatException("varint overflows its type", first);
            }
            v |= group << shift;
            if (next < 128) {
                if (next == 0 && shift > 0) {
                    throw new FormatException("varint is not in its shortest form", first);
                }
                return v;
            }
        }
    }

    /** The next n bytes as a part. */
    Cursor take(long n, String rule) throws FormatException {
        if (n < 0 || n > end - at) {
            throw new FormatException(rule, at);
        }
        at += (int) n;
        return new Cursor(bits, at - (int) n, at);
    }

    void expectEnd(String rule) throws FormatException {
        if (at != end) {
            throw new FormatException(rule, at);
        }
    }
}
