package statehist;

/**
 * A list of ascending 64-bit numbers of time-index, in blocks of 64. A block that was read once is kept unpacked: 8 bytes a
 * number.
 */
final class Ascending {
    static final int BLOCK = 64;
    static final int LOW_FIELD = 6;
    private static final int ROW_BITS = 256;

    final int n;
    private final Bits bits;
    private final long first;
    private final int baseBits;
    private final int placeBits;
    private final long entries;
    private final long rows;
    private final long end;
    private final long[][] blocks;

    /** Reads the head of a list of n numbers, and leaves the cursor after the list. */
    Ascending(Cursor c, long count) throws FormatException {
        bits = c.bits;
        long b = 0;
        long o = 0;
        Cursor body = new Cursor(bits, c.at, c.at);
        int head = c.at;
        first = count > 0 ? c.varint(64) : 0;
        if (count > 1) {
            b = c.u8("list ends inside its header");
            o = c.u8("list ends inside its header");
            body = c.take(c.varint(64), "list runs past its section's end");
        }
        if (b > 64 || o > 56) {
            throw new FormatException("list has fields of too many bits", head);
        }
        baseBits = (int) b;
        placeBits = (int) o;
        entries = 8L * body.at;
        end = 8L * body.end;
        long nBlocks = (count + BLOCK - 1) / BLOCK;
        rows = entries + (count > 1 ? nBlocks * (baseBits + LOW_FIELD + placeBits) : 0);
        // Blocks may share bits, so only the entries limit the count.
        if (rows > end || count > Integer.MAX_VALUE) {
            throw new FormatException("list has more numbers than bytes", head);
        }
        n = (int) count;
        blocks = new long[(int) nBlocks][];
        if (n > 1 && base(0) != first) {
            throw new FormatException("first block of a list does not start at 0", head);
        }
    }

    private long base(int block) throws FormatException {
        return n == 1 ? first : first + bits.get(entries + (long) block * (baseBits + LOW_FIELD + placeBits), baseBits);
    }

    private long[] block(int b) throws FormatException {
        return blocks[b] != null ? blocks[b] : (blocks[b] = unpack(b));
    }

    private long[] unpack(int b) throws FormatException {
        int m = Math.min(BLOCK, n - BLOCK * b);
        long[] numbers = new long[m];
        if (n == 1) {
            numbers[0] = first;
            return numbers;
        }
        long entry = entries + (long) b * (baseBits + LOW_FIELD + placeBits) + baseBits;
        int l = (int) bits.get(entry, LOW_FIELD);
        long at = rows + bits.get(entry + LOW_FIELD, placeBits);
        long row = at + (long) (m - 1) * l;
        if (row > end) {
            throw new FormatException("list runs past its section's end", entry / 8);
        }
        unpack(bits, base(b), l, m, at, row, -1, numbers);
        return numbers;
    }

    /**
     * The m numbers of a block whose lows and row are at these bits, up to the first one above a limit. Returns how many these
     * are. All comparisons are of numbers without sign.
     */
    static int unpack(Bits bits, long base, int l, int m, long lows, long row, long limit, long[] numbers)
            throws FormatException {
        numbers[0] = base;
        int k = 1;
        for (int at = 0; k < m && Long.compareUnsigned(numbers[k - 1], limit) <= 0; at += 64) {
            if (at == ROW_BITS) {
                throw new FormatException("block has a row of more than 256 bits", row / 8);
            }
            for (long word = bits.get(row + at, 64); word != 0 && k < m; word &= word - 1) {
                int place = at + Long.numberOfTrailingZeros(word);
                numbers[k] = l == 0 ? base + 1 + place
                        : base + ((long) (place - (k - 1)) << l) + bits.get(lows + (long) (k - 1) * l, l);
                if (Long.compareUnsigned(numbers[k - 1], numbers[k]) >= 0) {
                    throw new FormatException("numbers do not ascend", row / 8);
                }
                k++;
                if (Long.compareUnsigned(numbers[k - 1], limit) > 0) {
                    break;
                }
            }
        }
        return k;
    }

    long at(int i) throws FormatException {
        return block(i / BLOCK)[i % BLOCK];
    }

    /** How many numbers are at most x, as numbers without sign. */
    int count(long x) throws FormatException {
        if (n == 0 || Long.compareUnsigned(x, first) < 0) {
            return 0;
        }
        int b = n == 1 ? 0 : countEntries(bits, entries, baseBits + LOW_FIELD + placeBits, baseBits, blocks.length, x - first) - 1;
        long[] numbers = block(b);
        return b * BLOCK + count(numbers, numbers.length, x);
    }

    /** Of n entries of so many bits, which start with an ascending number of `width` bits: how many of these are at most x. */
    static int countEntries(Bits bits, long entries, int entryBits, int width, int n, long x) throws FormatException {
        int low = 0;
        for (int high = n; low < high;) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(bits.get(entries + (long) middle * entryBits, width), x) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** How many of the first m numbers are at most x. */
    static int count(long[] numbers, int m, long x) {
        int low = 0;
        for (int high = m; low < high;) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(numbers[middle], x) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
