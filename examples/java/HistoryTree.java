package statehist;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the history tree files of Trace Compass (ht), as codecs/statehist/README.md specifies them. Opening reads the header
 * and the attribute tree. A query goes from the root to each node that may contain the answer; a node is read and decoded
 * whole, and 200 of them are kept.
 */
public final class HistoryTree implements History {
    private static final int HEADER = 4096;
    private static final int CACHED_NODES = 200;
    private static final int NODE_HEAD = 37;
    private static final int MARGIN = 16; // varints are loaded as words
    private static final int CHILD_BYTES = 30;
    private static final int CORE_BYTES = 41;
    private static final int NO_PARENT = -1;

    private final FileChannel file;
    private final int blockSize;
    private final int maxChildren;
    private final int nNodes;
    private final int root;
    private final long start;
    private final long end;
    private final Attributes attributes;
    private final Map<Integer, Node> cache = new LinkedHashMap<>(2 * CACHED_NODES, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Node> eldest) {
            return size() > CACHED_NODES;
        }
    };

    public HistoryTree(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.READ);
        try {
            Bits head = new Bits(read(0, HEADER));
            Cursor c = new Cursor(head, 0, HEADER);
            String early = "file ends inside its header";
            if (c.le(4, early) != 0x05FFA900) {
                throw new FormatException("magic number is not that of a history tree", 0);
            }
            if (c.le(4, early) != 11) {
                throw new FormatException("history tree is not of version 11", 4);
            }
            c.le(4, early); // version of the program that computed the states
            blockSize = (int) c.le(4, early);
            maxChildren = (int) c.le(4, early);
            nNodes = (int) c.le(4, early);
            root = (int) c.le(4, early);
            start = c.le(8, early);
            while (c.at < c.end) {
                if (c.u8(early) != 0) {
                    throw new FormatException("unused part of the header is not 0", c.at - 1);
                }
            }
            if (blockSize < HEADER || blockSize > 1 << 24) {
                throw new FormatException("blocks are not of 4096 to 2^24 bytes", 12);
            }
            if (maxChildren < 2 || maxChildren > (blockSize - CORE_BYTES) / CHILD_BYTES) {
                throw new FormatException("maximum number of children is below 2 or exceeds a block", 16);
            }
            if (nNodes <= 0 || nNodes > (file.size() - HEADER) / blockSize) {
                throw new FormatException(nNodes <= 0 ? "there are no nodes"
                        : "nodes run past the end of the file", 20);
            }
            if (root < 0 || root >= nNodes) {
                throw new FormatException("root is not among the nodes", 24);
            }
            Bits node = new Bits(read(offset(root), NODE_HEAD));
            if (node.get(8, 64) != start) {
                throw new FormatException("root does not start where the history starts", offset(root) + 1);
            }
            end = node.get(8 * 9, 64);
            long tree = offset(nNodes);
            if (file.size() - tree > Integer.MAX_VALUE - 2 * MARGIN) {
                throw new FormatException("attribute tree is too long", tree);
            }
            attributes = new AttributeTree(read(tree, (int) (file.size() - tree)), tree).read();
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private long offset(int node) {
        return HEADER + (long) node * blockSize;
    }

    private byte[] read(long at, int n) throws IOException {
        byte[] bytes = new byte[n + MARGIN];
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, n);
        while (buffer.hasRemaining()) {
            if (file.read(buffer, at + buffer.position()) < 0) {
                throw new EOFException("file ends at byte " + (at + buffer.position()));
            }
        }
        return bytes;
    }

    // ---- nodes ----------------------------------------------------------------------------------

    private static final class Node {
        long start;
        long end;
        int parent;
        int[] children; // of a leaf: none
        long[] childStarts;
        long[] childEnds;
        int[] childMinQuarks;
        int[] childMaxQuarks;
        // Of the intervals, by end.
        long[] starts;
        long[] ends;
        int[] quarks;
        Object[] values;

        /** The first interval that does not end before a time. */
        int firstFrom(long time) {
            int low = 0;
            for (int high = ends.length; low < high;) {
                int middle = (low + high) >>> 1;
                if (ends[middle] < time) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        Interval get(int i) {
            return new Interval(quarks[i], starts[i], ends[i], values[i]);
        }
    }

    private Node node(int number) throws IOException {
        Node node = cache.get(number);
        if (node == null) {
            node = new NodeReader(number).read();
            cache.put(number, node);
        }
        return node;
    }

    private final class NodeReader {
        private final int number;
        private final long offset;
        private final Bits bits;
        private int at;

        NodeReader(int number) throws IOException {
            this.number = number;
            offset = offset(number);
            bits = new Bits(HistoryTree.this.read(offset, blockSize));
        }

        private FormatException bad(String rule) {
            return new FormatException(rule, offset + at);
        }

        private int i32() throws FormatException {
            at += 4;
            return (int) bits.get(8L * (at - 4), 32);
        }

        private long i64() throws FormatException {
            at += 8;
            return bits.get(8L * (at - 8), 64);
        }

        private int u8() throws FormatException {
            return (int) bits.get(8L * at++, 8);
        }

        private long varint() throws FormatException {
            int n = u8();
            if (n > 8) {
                throw bad("number has more than 8 bytes");
            }
            long v = bits.get(8L * at, 8 * n);
            at += n;
            return v - 3;
        }

        private void checkRoom(String rule) throws FormatException {
            if (at > blockSize) {
                throw bad(rule);
            }
        }

        Node read() throws FormatException {
            Node node = new Node();
            int kind = u8();
            if (kind != 1 && kind != 2) {
                throw bad("node is neither core nor leaf");
            }
            node.start = i64();
            node.end = i64();
            if (node.start > node.end) {
                throw bad("node ends before it starts");
            }
            at += 8; // smallest and largest quark
            if (i32() != number) {
                throw bad("node number differs from its position");
            }
            node.parent = i32();
            int n = i32();
            if (n < 0 || n > blockSize / 7) {
                throw bad("node has more intervals than fit its block");
            }
            node.children = new int[0];
            if (kind == 1) {
                readChildren(node);
            }
            node.starts = new long[n];
            node.ends = new long[n];
            node.quarks = new int[n];
            node.values = new Object[n];
            for (int i = 0; i < n; i++) {
                readInterval(node, i);
            }
            return node;
        }

        private void readChildren(Node node) throws FormatException {
            int n = i32();
            if (n < 1 || n > maxChildren) {
                throw bad("number of children of a core node is out of range");
            }
            int[] numbers = new int[maxChildren];
            long[] starts = new long[maxChildren];
            long[] ends = new long[maxChildren];
            int[] min = new int[maxChildren];
            int[] max = new int[maxChildren];
            for (int i = 0; i < maxChildren; i++) {
                numbers[i] = i32();
            }
            for (int i = 0; i < maxChildren; i++) {
                starts[i] = varint();
            }
            for (int i = 0; i < maxChildren; i++) {
                ends[i] = varint();
            }
            for (int i = 0; i < maxChildren; i++) {
                min[i] = i32();
            }
            for (int i = 0; i < maxChildren; i++) {
                max[i] = i32();
            }
            checkRoom("node's content runs past its block");
            for (int i = 0; i < n; i++) {
                if (numbers[i] < 0 || numbers[i] >= nNodes || (i > 0 && numbers[i] <= numbers[i - 1])) {
                    throw bad("child numbers are out of range or do not ascend");
                }
            }
            node.children = Arrays.copyOf(numbers, n);
            node.childStarts = Arrays.copyOf(starts, n);
            node.childEnds = Arrays.copyOf(ends, n);
            node.childMinQuarks = Arrays.copyOf(min, n);
            node.childMaxQuarks = Arrays.copyOf(max, n);
        }

        private void readInterval(Node node, int i) throws FormatException {
            checkRoom("node's content runs past its block");
            long first = node.start + varint();
            long last = first + varint();
            int quark = i32();
            int type = (byte) u8();
            if (first < node.start || first > node.end) {
                throw bad("interval starts outside of its node");
            }
            if (last < first || last > node.end) {
                throw bad("interval ends outside of its node");
            }
            if (i > 0 && last < node.ends[i - 1]) {
                throw bad("intervals of the node are not in order");
            }
            if (quark < 0 || quark >= attributes.size()) {
                throw bad("quark is not in the attribute tree");
            }
            node.starts[i] = first;
            node.ends[i] = last;
            node.quarks[i] = quark;
            node.values[i] = switch (type) {
            case -1 -> null;
            case 0 -> (Object) i32();
            case 1 -> (Object) string();
            case 2 -> (Object) i64();
            case 3 -> (Object) Double.longBitsToDouble(i64());
            case 20 -> throw bad("value is of the custom type with this id");
            default -> throw bad("unknown type of a value");
            };
            checkRoom("node's content runs past its block");
        }

        private String string() throws FormatException {
            at += 2;
            int n = (short) bits.get(8L * (at - 2), 16);
            if (n < 0) {
                throw bad("length of a string is below 0");
            }
            if (n >= blockSize - at) {
                throw bad("string runs past its node's block");
            }
            String text = Bits.utf8(bits.data, at, n, "string is not UTF-8");
            at += n;
            if (u8() != 0) {
                throw bad("string does not end with a 0");
            }
            return text;
        }
    }

    /** What a query does with a node. */
    private interface Visitor {
        /** Whether the walk goes on. */
        boolean visit(Node node);
    }

    private record Visit(int parent, int number, long start, long end) {
    }

    /**
     * Goes from the root to all nodes that have times and quarks of these spans. A node must name the parent from which it
     * is reached, and the children of a node differ, so no node is visited twice.
     */
    private void walk(long from, long to, int minQuark, int maxQuark, Visitor visitor) throws IOException {
        ArrayDeque<Visit> waiting = new ArrayDeque<>();
        waiting.push(new Visit(NO_PARENT, root, start, end));
        while (!waiting.isEmpty()) {
            Visit visit = waiting.pop();
            Node node = node(visit.number);
            if (node.parent != visit.parent) {
                throw new FormatException("parent of a node is not the node that lists it", offset(visit.number));
            }
            if (node.start != visit.start || node.end != visit.end) {
                throw new FormatException("parent has another start or end of the node", offset(visit.number));
            }
            if (!visitor.visit(node)) {
                return;
            }
            for (int i = node.children.length; i-- > 0;) {
                if (node.childStarts[i] <= to && node.childEnds[i] >= from && node.childMinQuarks[i] <= maxQuark
                        && node.childMaxQuarks[i] >= minQuark) {
                    waiting.push(new Visit(visit.number, node.children[i], node.childStarts[i], node.childEnds[i]));
                }
            }
        }
    }

    // ---- queries --------------------------------------------------------------------------------

    private FormatException noInterval() {
        return new FormatException("an attribute has no interval at this time", offset(root));
    }

    @Override
    public synchronized Interval single(int quark, long time) throws IOException {
        checkQuarks(quark);
        checkTimes(time, time);
        Interval[] found = new Interval[1];
        walk(time, time, quark, quark, node -> {
            for (int i = node.firstFrom(time); i < node.ends.length; i++) {
                if (node.quarks[i] == quark && node.starts[i] <= time) {
                    found[0] = node.get(i);
                    return false;
                }
            }
            return true;
        });
        if (found[0] == null) {
            throw noInterval();
        }
        return found[0];
    }

    @Override
    public synchronized List<Interval> full(long time) throws IOException {
        checkTimes(time, time);
        Interval[] states = new Interval[attributes.size()];
        walk(time, time, 0, Integer.MAX_VALUE, node -> {
            for (int i = node.firstFrom(time); i < node.ends.length; i++) {
                if (node.starts[i] <= time) {
                    states[node.quarks[i]] = node.get(i);
                }
            }
            return true;
        });
        for (Interval state : states) {
            if (state == null) {
                throw noInterval();
            }
        }
        return Arrays.asList(states);
    }

    @Override
    public synchronized List<Interval> times(int[] quarks, long[] times) throws IOException {
        checkQuarks(quarks);
        if (quarks.length == 0 || times.length == 0) {
            return List.of();
        }
        checkTimes(times[0], times[times.length - 1]);
        return collect(quarks, times[0], times[times.length - 1], times);
    }

    @Override
    public synchronized List<Interval> range2d(int[] quarks, long from, long to) throws IOException {
        checkQuarks(quarks);
        checkTimes(from, to);
        return quarks.length == 0 ? List.of() : collect(quarks, from, to, null);
    }

    /** Whether one of these ascending times is in a span. */
    private static boolean hasTime(long[] times, long from, long to) {
        int i = Arrays.binarySearch(times, from);
        return i >= 0 || (-i - 1 < times.length && times[-i - 1] <= to);
    }

    /** The intervals that overlap a span and, if there are times, contain one of these. */
    private List<Interval> collect(int[] quarks, long from, long to, long[] times) throws IOException {
        BitSet wanted = new BitSet();
        for (int quark : quarks) {
            wanted.set(quark);
        }
        List<Interval> states = new ArrayList<>();
        walk(from, to, quarks[0], quarks[quarks.length - 1], node -> {
            for (int i = node.firstFrom(from); i < node.ends.length; i++) {
                if (wanted.get(node.quarks[i]) && node.starts[i] <= to
                        && (times == null || hasTime(times, node.starts[i], node.ends[i]))) {
                    states.add(node.get(i));
                }
            }
            return true;
        });
        return states;
    }

    @Override
    public long start() {
        return start;
    }

    @Override
    public long end() {
        return end;
    }

    @Override
    public Attributes attributes() {
        return attributes;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    // ---- attribute tree -------------------------------------------------------------------------

    /** What Java's object streams write for an int and an ArrayList of String[]. No class is looked up. */
    private static final class AttributeTree {
        private static final String LIST = "ACED0005770406EC3671737200136A6176612E7574696C2E41727261794C697374"
                + "7881D21D99C7619D03000149000473697A657870";
        private static final String ARRAY_CLASS = "7200135B4C6A6176612E6C616E672E537472696E673B"
                + "ADD256E7E91D7B470200007870";
        private static final String ARRAY_REFERENCE = "71007E0002";
        private static final int FIRST_HANDLE = 0x7E0003;
        private static final int REFERENCE = 0x71;
        private static final int STRING = 0x74;
        private static final int ARRAY = 0x75;
        private static final int LONG_STRING = 0x7C;
        private static final int END = 0x78;
        private static final String SAME = "*";

        private record Key(int parent, String name) {
        }

        private final ByteBuffer in;
        private final long offset;
        private final List<String> objects = new ArrayList<>(); // by handle; null: an array

        AttributeTree(byte[] data, long offset) {
            in = ByteBuffer.wrap(data, 0, data.length - MARGIN);
            this.offset = offset;
        }

        private FormatException bad(String rule) {
            return new FormatException(rule, offset + in.position());
        }

        private void need(long n) throws FormatException {
            if (n < 0 || n > in.remaining()) {
                throw bad("attribute tree ends early");
            }
        }

        private int u8() throws FormatException {
            need(1);
            return in.get() & 0xff;
        }

        private int i32() throws FormatException {
            need(4);
            return in.getInt();
        }

        private void expect(String hex, String rule) throws FormatException {
            for (int i = 0; i < hex.length(); i += 2) {
                if (u8() != Integer.parseInt(hex, i, i + 2, 16)) {
                    throw bad(rule);
                }
            }
        }

        Attributes read() throws FormatException {
            expect(LIST, "attribute tree is not a list");
            int n = i32();
            expect("7704", "attribute tree is not a list");
            if (i32() != n || n < 0 || n > in.remaining() / 10) {
                throw bad("attribute tree ends early");
            }
            Attributes attributes = new Attributes(n);
            Map<Key, Integer> quarks = new HashMap<>(2 * n);
            List<String> path = List.of();
            List<String> before;
            int[] beforeQuarks = new int[0];
            for (int q = 0; q < n; q++) {
                if (u8() != ARRAY) {
                    throw bad("path is not an array of strings");
                }
                expect(q == 0 ? ARRAY_CLASS : ARRAY_REFERENCE, "path is not an array of strings");
                objects.add(null);
                int depth = i32();
                if (depth <= 0) {
                    throw bad("path has no names");
                }
                need(depth);
                before = path;
                path = new ArrayList<>(depth);
                int[] pathQuarks = new int[depth];
                int parent = -1;
                boolean same = true; // as the path before, so far
                for (int k = 0; k < depth; k++) {
                    String name = name();
                    boolean star = k < before.size() && name.equals(SAME);
                    path.add(star ? before.get(k) : name);
                    same &= star;
                    if (k == depth - 1) {
                        if (quarks.putIfAbsent(new Key(parent, path.get(k)), q) != null) {
                            throw bad("duplicate attribute");
                        }
                        pathQuarks[k] = q;
                    } else {
                        Integer found = same ? (Integer) beforeQuarks[k] : quarks.get(new Key(parent, path.get(k)));
                        if (found == null) {
                            throw bad("path contains an attribute that does not precede it");
                        }
                        parent = pathQuarks[k] = found;
                    }
                }
                attributes.add(parent, path.get(depth - 1));
                beforeQuarks = pathQuarks;
            }
            if (u8() != END) {
                throw bad("attribute tree ends early");
            }
            if (in.hasRemaining()) {
                throw bad("bytes after the attribute tree");
            }
            return attributes;
        }

        private String name() throws FormatException {
            int kind = u8();
            if (kind == REFERENCE) {
                int i = i32() - FIRST_HANDLE;
                if (i < 0 || i >= objects.size() || objects.get(i) == null) {
                    throw bad("reference is not to a name before it");
                }
                return objects.get(i);
            }
            long n;
            if (kind == STRING) {
                need(2);
                n = in.getShort() & 0xffff;
            } else if (kind == LONG_STRING) {
                need(8);
                n = in.getLong();
            } else {
                throw bad("path contains an object that is not a name");
            }
            need(n);
            String name = text((int) n);
            objects.add(name);
            return name;
        }

        /** Java's UTF-8: a char in one to three bytes, surrogates one by one. */
        private String text(int n) throws FormatException {
            StringBuilder text = new StringBuilder(n);
            for (int end = in.position() + n; in.position() < end;) {
                int c = in.get() & 0xff;
                int more = c < 0x80 ? 0 : c >> 5 == 6 ? 1 : c >> 4 == 14 ? 2 : -1;
                if (more < 0 || more > end - in.position()) {
                    throw bad("name is not in Java's UTF-8");
                }
                int unit = more == 0 ? c : more == 1 ? c & 31 : c & 15;
                for (int i = 0; i < more; i++) {
                    int next = in.get() & 0xff;
                    if (next >> 6 != 2) {
                        throw bad("name is not in Java's UTF-8");
                    }
                    unit = unit << 6 | (next & 63);
                }
                if (unit == 0) {
                    throw bad("name holds a NUL");
                }
                text.append((char) unit);
            }
            return text.toString();
        }
    }
}
