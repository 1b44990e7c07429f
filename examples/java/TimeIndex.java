package statehist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads time-index, as codecs/statehist/README.md specifies it. Opening reads the heads of all lists and the names. A query
 * reads the records that it needs, and of those only the blocks of 64 changes that may contain the answer. Checkpoints are
 * not read: they contain values, and an answer here has start and end as well.
 *
 * <p>Values, times and places of records that were read once are kept, and of each attribute the interval that was read
 * last: views look up the same ones again. The first query of many attributes decodes all short timelines and keeps them
 * by attribute and by time, up to as many intervals as the cache of {@link HistoryTree} has room for.
 */
public final class TimeIndex implements History {
    private static final int MARGIN = 48;
    private static final int MAX_CLASSES = 64;
    private static final int MAX_SHAPES = 4095;
    private static final int CLASS_FIELD = 6;
    private static final int WIDTH_FIELD = 6;
    private static final int NULLS_FIELD = 2;
    private static final int COUNTING = 3;
    private static final int LOCAL_FIELD = 6;
    private static final long ALL = -1; // above all keys but one, as a number without sign
    private static final int N_TYPES = 5; // besides null: int, long, double, string, bool
    private static final int SHORT = Ascending.BLOCK + 1; // intervals of a timeline that is kept whole, at most
    private static final int MAX_KEPT = 1 << 20; // intervals of all these, at most
    private static final int MANY = 16; // a query of a sixteenth of all attributes keeps timelines

    private final Bits bits;
    private final long start;
    private final long end;
    private final boolean direct;
    private final int nQuarks;
    private final long nIntervals;
    private final Ascending times;
    private final Ascending stringEnds;
    private final int strings; // byte at which they start
    private final int stringsEnd;
    private final Values[] classes;
    private final int[] shapes;
    private final int shapeBits;
    private final int keyBits;
    private final Ascending places;
    private final long records; // in bits, as all that follows
    private final long recordsEnd;
    private final Attributes attributes;
    private final Interval[] last; // by quark: the interval that was read last
    private Kept kept; // null: no query of many attributes was run

    public TimeIndex(Path file) throws IOException {
        this(Files.readAllBytes(file));
    }

    /** Opens the bytes of a file. They must not change. */
    public TimeIndex(byte[] data) throws FormatException {
        bits = new Bits(data);
        Cursor c = new Cursor(bits, 0, data.length);
        String head = "file ends inside its header";
        if (c.le(4, head) != 0x31584954) {
            throw new FormatException("magic number is not that of time-index", 0);
        }
        start = c.le(8, head);
        end = c.le(8, head);
        int keys = c.u8(head);
        if (start > end || keys > 1) {
            throw new FormatException(start > end ? "history ends before it starts"
                    : "kind of keys is neither 0 nor 1", 4);
        }
        direct = keys == 1;
        long[] numbers = new long[6];
        long[] sizes = new long[8];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = c.varint(32);
        }
        if (direct && numbers[2] != 0) {
            throw new FormatException("unused table of times", 20);
        }
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = c.varint(64);
        }
        Cursor[] sections = new Cursor[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            sections[i] = c.take(sizes[i], "section runs past the file's end");
        }
        Cursor margin = c.take(MARGIN, "file ends before the end of the margin");
        c.expectEnd("bytes follow the end");
        while (margin.at < margin.end) {
            if (margin.u8("margin") != 0) {
                throw new FormatException("margin is not 0", margin.at - 1);
            }
        }
        nIntervals = numbers[1];
        long nBytes = sizes[5];
        if (numbers[0] > Integer.MAX_VALUE) {
            throw new FormatException("too many quarks", 21);
        }
        if (nIntervals > 8 * nBytes || nIntervals < numbers[0]) {
            throw new FormatException("number of intervals is out of range", 21);
        }
        if (numbers[4] < 1 || numbers[4] > MAX_CLASSES) {
            throw new FormatException("number of classes is not 1 to 64", 21);
        }
        if (numbers[5] > MAX_SHAPES || numbers[5] > sizes[3] / 4) {
            throw new FormatException("more shapes than their section has room for", 21);
        }
        String more = "bytes after the content of a section";
        nQuarks = (int) numbers[0];
        times = new Ascending(sections[0], numbers[2]);
        sections[0].expectEnd(more);
        stringEnds = new Ascending(sections[1], numbers[3]);
        strings = sections[1].at;
        stringsEnd = sections[1].end;
        classes = new Values[(int) numbers[4]];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = new Values(sections[2]);
        }
        sections[2].expectEnd(more);
        shapes = new int[(int) numbers[5]];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = (int) sections[3].le(4, "shapes run past their section's end");
            int n = shapes[i] & 127;
            boolean counts = (shapes[i] >>> 19 & 3) == COUNTING && (shapes[i] >>> 21 & 63) > 0; // in a dictionary
            if (n == 0 || n > 65 || (shapes[i] >>> 7 & 63) >= classes.length || counts || shapes[i] >>> 27 != 0) {
                throw new FormatException("shape has an invalid field", sections[3].at - 4);
            }
        }
        sections[3].expectEnd(more);
        shapeBits = Math.max(1, Bits.width(shapes.length));
        keyBits = Bits.width(direct ? end - start : times.n);
        places = new Ascending(sections[4], nQuarks);
        sections[4].expectEnd(more);
        records = 8L * sections[5].at;
        recordsEnd = 8L * sections[5].end;
        attributes = readTree(sections[7]);
        last = new Interval[nQuarks];
    }

    // ---- values ---------------------------------------------------------------------------------

    /** The values of a class by code, from 1 on. */
    private final class Values {
        private final Ascending[] lists = new Ascending[N_TYPES];
        private final int n;
        private final int codeBits;
        private Object[][] known; // by code, in pieces of 64; null: not read yet

        Values(Cursor c) throws FormatException {
            long[] counts = new long[N_TYPES];
            long sum = 0;
            for (int t = 0; t < N_TYPES; t++) {
                sum += counts[t] = c.varint(32);
            }
            for (int t = 0; t < N_TYPES; t++) {
                lists[t] = new Ascending(c, counts[t]);
            }
            if (sum > Integer.MAX_VALUE - 2) {
                throw new FormatException("class has too many values", c.at);
            }
            n = (int) sum;
            codeBits = Bits.width(n);
        }

        Object get(int code) throws FormatException {
            if (code == 0) {
                return null;
            }
            if (code < 0 || code > n) {
                throw new FormatException("value code is out of range", records / 8);
            }
            if (known == null) {
                known = new Object[n / 64 + 1][];
            }
            Object[] piece = known[code / 64];
            if (piece == null) {
                piece = known[code / 64] = new Object[64];
            }
            return piece[code % 64] != null ? piece[code % 64] : (piece[code % 64] = read(code - 1));
        }

        private Object read(int code) throws FormatException {
            int type = 0;
            int i = code;
            while (i >= lists[type].n) {
                i -= lists[type++].n;
            }
            long v = lists[type].at(i);
            long most = type == 0 ? 0xffffffffL : type == 3 ? stringEnds.n - 1L : type == 4 ? 1 : -1L;
            if (Long.compareUnsigned(v, most) > 0 || (type == 3 && stringEnds.n == 0)) {
                throw new FormatException("value is out of its type's range", records / 8);
            }
            return switch (type) {
            case 0 -> (Object) (int) (v - (1L << 31));
            case 1 -> (Object) (v ^ Long.MIN_VALUE);
            case 2 -> (Object) Double.longBitsToDouble(v);
            case 3 -> string((int) v);
            default -> (Object) (v == 1);
            };
        }
    }

    private String string(int i) throws FormatException {
        long from = i == 0 ? 0 : stringEnds.at(i - 1) - (i - 1);
        long to = stringEnds.at(i) - i;
        if (from < 0 || from > to || to > stringsEnd - strings) {
            throw new FormatException("string runs past the end", strings);
        }
        return Bits.utf8(bits.data, strings + (int) from, (int) (to - from), "string is not UTF-8");
    }

    // ---- records --------------------------------------------------------------------------------

    /** A time as timelines are searched for it: a change has happened if its key is at most this; -1: none has. */
    private long moment(long time) throws FormatException {
        return direct ? time - start : times.count(time - start) - 1L;
    }

    private long timeOf(long key) throws FormatException {
        if (!direct && (key < 0 || key >= times.n)) {
            throw new FormatException("change key is out of range", records / 8);
        }
        long time = direct ? key : times.at((int) key);
        if (time == 0 || Long.compareUnsigned(time, end - start) > 0) {
            throw new FormatException("change lies outside of the history", records / 8);
        }
        return start + time;
    }

    /** The record of one quark. Of its blocks, one is unpacked at a time. */
    private final class Timeline {
        private int quark = -1; // none is open
        private int n; // intervals
        private Values values;
        private int shape; // 0: there are blocks, each with its own
        private long at; // of the shaped record's fields, or of the entries
        private long blocks;
        private int placeBits;
        private int entryBits;
        private int firstCode;
        private final long[] keys = new long[Ascending.BLOCK];
        // The block whose head was read, or -1, and how many of its keys are in `keys`.
        private int block;
        private int nUnpacked;
        private long base;
        private int l;
        private long lows;
        private long row;
        private int nKeys;
        private int nulls;
        private int nLocal;
        private int storedBits;
        private long local;
        private long stored;

        private FormatException damaged(String rule) {
            return new FormatException(rule, at / 8);
        }

        Timeline open(int q) throws FormatException {
            quark = -1;
            long place = places.at(q);
            at = records + place;
            if (place < 0 || at >= recordsEnd) {
                at = recordsEnd;
                throw damaged("record lies after all records");
            }
            block = -1;
            int number = (int) bits.get(at, shapeBits);
            if (number > shapes.length) {
                throw damaged("shape number is out of range");
            }
            at += shapeBits;
            if (number == 0) {
                openLarge();
            } else {
                shape = shapes[number - 1];
                n = shape & 127;
                values = classes[shape >>> 7 & 63];
            }
            quark = q;
            return this;
        }

        private void openLarge() throws FormatException {
            shape = 0;
            int number = (int) bits.get(at, CLASS_FIELD);
            int width = (int) bits.get(at + CLASS_FIELD, WIDTH_FIELD);
            if (number >= classes.length || width > 32) {
                throw damaged("class of a record is out of range, or too many intervals");
            }
            values = classes[number];
            at += CLASS_FIELD + WIDTH_FIELD;
            long count = bits.get(at, width);
            placeBits = (int) bits.get(at + width, WIDTH_FIELD);
            at += width + WIDTH_FIELD;
            firstCode = (int) bits.get(at, values.codeBits);
            at += values.codeBits;
            entryBits = keyBits + Ascending.LOW_FIELD + NULLS_FIELD + LOCAL_FIELD + placeBits;
            blocks = at + (count + 62) / Ascending.BLOCK * entryBits;
            if (count == 0 || count > nIntervals || placeBits > 56 || blocks > recordsEnd) {
                throw damaged("record runs past the end, or has no interval");
            }
            n = (int) count;
        }

        private void head(int b) throws FormatException {
            if (b == block) {
                return;
            }
            block = -1;
            int nCodes;
            if (shape != 0) {
                nKeys = n - 1;
                nCodes = n;
                base = nKeys > 0 ? bits.get(at, keyBits) : 0;
                lows = at + (nKeys > 0 ? keyBits : 0);
                l = shape >>> 13 & 63;
                nulls = shape >>> 19 & 3;
                nLocal = shape >>> 21 & 63;
            } else {
                long entry = at + (long) b * entryBits;
                nKeys = Math.min(Ascending.BLOCK, n - 1 - b * Ascending.BLOCK);
                nCodes = nKeys;
                base = bits.get(entry, keyBits);
                entry += keyBits;
                l = (int) bits.get(entry, Ascending.LOW_FIELD);
                nulls = (int) bits.get(entry + Ascending.LOW_FIELD, NULLS_FIELD);
                entry += Ascending.LOW_FIELD + NULLS_FIELD;
                nLocal = (int) bits.get(entry, LOCAL_FIELD);
                lows = blocks + bits.get(entry + LOCAL_FIELD, placeBits);
            }
            storedBits = nLocal > 0 ? Bits.width(nLocal - 1) : values.codeBits;
            local = lows + (long) Math.max(0, nKeys - 1) * l;
            stored = local + (long) nLocal * values.codeBits;
            int nStored = nulls == 0 ? nCodes : nulls == 1 ? (nCodes + 1) / 2 : nulls == 2 ? nCodes / 2 : 1;
            row = stored + (long) nStored * storedBits;
            if (row > recordsEnd || (nulls == COUNTING && nLocal > 0)) {
                throw damaged("block runs past the end, or counts in a dictionary");
            }
            block = b;
            nUnpacked = 0;
        }

        /** Unpacks a block, up to the first key above a moment. */
        private void load(int b, long moment) throws FormatException {
            head(b);
            if (nUnpacked < nKeys && (nUnpacked == 0 || Long.compareUnsigned(keys[nUnpacked - 1], moment) <= 0)) {
                nUnpacked = Ascending.unpack(bits, base, l, nKeys, lows, row, moment, keys);
            }
        }

        /** The number of the interval at a moment. `isLast`: no later moments of this record follow. */
        int find(long moment, boolean isLast) throws FormatException {
            if (n == 1 || (!direct && moment < 0)) {
                return 0;
            }
            int b = 0;
            if (shape == 0) {
                b = Ascending.countEntries(bits, at, entryBits, keyBits, (n + 62) / Ascending.BLOCK, moment) - 1;
                if (b < 0) {
                    return 0;
                }
            }
            load(b, isLast ? moment : ALL);
            return b * Ascending.BLOCK + Ascending.count(keys, nUnpacked, moment);
        }

        /** The first key of a block of a large record. */
        private long base(int b) throws FormatException {
            return bits.get(at + (long) b * entryBits, keyBits);
        }

        /** When change i happens: the start of interval i + 1. */
        private long change(int i) throws FormatException {
            int b = i / Ascending.BLOCK;
            int k = i % Ascending.BLOCK;
            if (shape == 0 && b != block && k == 0) {
                return timeOf(base(b));
            }
            if (b != block || k >= nUnpacked) {
                load(b, ALL);
            }
            return timeOf(keys[k]);
        }

        private int code(int interval) throws FormatException {
            int i = interval;
            if (shape == 0) {
                if (i == 0) {
                    return firstCode;
                }
                head((i - 1) / Ascending.BLOCK);
                i = (i - 1) % Ascending.BLOCK;
            } else {
                head(0);
            }
            if (nulls == COUNTING) {
                return (int) bits.get(stored, storedBits) + i;
            }
            if (nulls != 0) {
                if (i % 2 != nulls - 1) {
                    return 0;
                }
                i /= 2;
            }
            long code = bits.get(stored + (long) i * storedBits, storedBits);
            if (nLocal == 0) {
                return (int) code;
            }
            if (code >= nLocal) {
                throw damaged("value code is out of range");
            }
            return (int) bits.get(local + code * values.codeBits, values.codeBits);
        }

        Interval get(int i) throws FormatException {
            return get(i, i == 0 ? start : change(i - 1));
        }

        /** Interval i, which starts at `from`. */
        Interval get(int i, long from) throws FormatException {
            Object value = values.get(code(i));
            long to = i == n - 1 ? end : change(i) - 1;
            if (from > to) {
                throw damaged("keys do not ascend");
            }
            return new Interval(quark, from, to, value);
        }
    }

    /** The intervals of all short timelines, by quark, then time. */
    private final class Kept {
        private final int[] first = new int[nQuarks + 1]; // by quark, and their number; equal: the timeline is not kept
        private long[] starts = new long[(int) Math.min(nIntervals, MAX_KEPT)];
        private Interval[] intervals = new Interval[starts.length];
        private final int[] others; // quarks whose timelines are not kept
        private final Changes changes;

        Kept() {
            Timeline t = new Timeline();
            for (int quark = 0; quark < nQuarks; quark++) {
                first[quark + 1] = first[quark];
                try {
                    if (t.open(quark).n <= Math.min(SHORT, starts.length - first[quark])) {
                        first[quark + 1] += keep(t, first[quark]);
                    }
                } catch (FormatException e) {
                    // Not kept: a query that needs this timeline reports the damage.
                }
            }
            starts = Arrays.copyOf(starts, first[nQuarks]);
            intervals = Arrays.copyOf(intervals, first[nQuarks]);
            others = IntStream.range(0, nQuarks).filter(quark -> !has(quark)).toArray();
            changes = new Changes(starts, intervals);
        }

        private int keep(Timeline t, int at) throws FormatException {
            long from = start;
            for (int i = 0; i < t.n; i++) {
                starts[at + i] = from;
                intervals[at + i] = t.get(i, from);
                if (intervals[at + i].end() < from) {
                    throw t.damaged("times are damaged");
                }
                from = intervals[at + i].end() + 1;
            }
            return t.n;
        }

        boolean has(int quark) {
            return first[quark] < first[quark + 1];
        }

        /** The number of the interval of a quark at a time. */
        int find(int quark, long time) {
            int i = Arrays.binarySearch(starts, first[quark], first[quark + 1], time);
            return i < 0 ? -i - 2 : i;
        }
    }

    /**
     * The same intervals for full states: the states at N_STEPS times, and the changes between these. So a full state reads
     * the changes of one step, one after the other, and not all intervals.
     */
    private final class Changes {
        private static final int N_STEPS = 16;

        private final long nsPerStep = Long.divideUnsigned(end - start, N_STEPS) + 1;
        private final Interval[][] states = new Interval[N_STEPS][]; // at the begin of each step, by quark
        private final int[] first = new int[N_STEPS + 1]; // by step, and their number
        // By step, then quark, then time.
        private final long[] starts;
        private final int[] quarks;
        private final Interval[] intervals;

        Changes(long[] keptStarts, Interval[] kept) {
            for (long from : keptStarts) {
                first[step(from) + 1]++;
            }
            Arrays.parallelPrefix(first, Integer::sum);
            int[] next = first.clone();
            starts = new long[kept.length];
            quarks = new int[kept.length];
            intervals = new Interval[kept.length];
            for (int i = 0; i < kept.length; i++) {
                int at = next[step(keptStarts[i])]++;
                starts[at] = keptStarts[i];
                quarks[at] = kept[i].quark();
                intervals[at] = kept[i];
            }
            states[0] = new Interval[nQuarks];
            for (int step = 1; step < N_STEPS; step++) {
                states[step] = until(step - 1, end);
            }
        }

        private int step(long time) {
            return (int) Long.divideUnsigned(time - start, nsPerStep);
        }

        /** The states after the changes of a step up to a time, by quark; null: the timeline is not kept. */
        private Interval[] until(int step, long time) {
            Interval[] found = states[step].clone();
            for (int i = first[step]; i < first[step + 1]; i++) {
                if (starts[i] <= time) {
                    found[quarks[i]] = intervals[i];
                }
            }
            return found;
        }

        Interval[] at(long time) {
            return until(step(time), time);
        }
    }

    /** Called before a query of n attributes. */
    private void keep(int n) {
        if (kept == null && n >= (nQuarks + MANY - 1) / MANY) {
            kept = new Kept();
        }
    }

    // ---- queries --------------------------------------------------------------------------------

    /** The interval of a quark at a time; `t` is a timeline to use. */
    private Interval read(Timeline t, int quark, long time, long moment, boolean isLast) throws FormatException {
        if (kept != null && kept.has(quark)) {
            return kept.intervals[kept.find(quark, time)];
        }
        Interval state = last[quark];
        if (state == null || !state.contains(time)) {
            if (t.quark != quark) {
                t.open(quark);
            }
            state = t.get(t.find(moment, isLast));
            if (!state.contains(time)) { // else a query of several times would not end
                throw t.damaged("times are damaged");
            }
            last[quark] = state;
        }
        return state;
    }

    @Override
    public synchronized Interval single(int quark, long time) throws FormatException {
        checkQuarks(quark);
        checkTimes(time, time);
        Interval state = last[quark];
        return state != null && state.contains(time) ? state : read(new Timeline(), quark, time, moment(time), true);
    }

    @Override
    public synchronized List<Interval> full(long time) throws FormatException {
        checkTimes(time, time);
        keep(nQuarks);
        long moment = moment(time);
        Timeline t = new Timeline();
        Interval[] states = kept.changes.at(time);
        for (int quark : kept.others) {
            states[quark] = read(t, quark, time, moment, true);
        }
        return Arrays.asList(states);
    }

    @Override
    public synchronized List<Interval> times(int[] quarks, long[] wanted) throws FormatException {
        checkQuarks(quarks);
        keep(quarks.length);
        long[] moments = new long[wanted.length];
        for (int i = 0; i < wanted.length; i++) {
            checkTimes(wanted[i], wanted[i]);
            moments[i] = moment(wanted[i]);
        }
        Timeline t = new Timeline();
        List<Interval> states = new ArrayList<>();
        for (int quark : quarks) {
            for (int i = 0; i < wanted.length;) {
                Interval state = read(t, quark, wanted[i], moments[i], i == wanted.length - 1);
                states.add(state);
                while (i < wanted.length && wanted[i] <= state.end()) {
                    i++;
                }
            }
        }
        return states;
    }

    @Override
    public synchronized List<Interval> range2d(int[] quarks, long from, long to) throws FormatException {
        checkQuarks(quarks);
        checkTimes(from, to);
        keep(quarks.length);
        long begin = moment(from);
        long end = moment(to);
        Timeline t = new Timeline();
        List<Interval> states = new ArrayList<>();
        for (int quark : quarks) {
            if (kept != null && kept.has(quark)) {
                states.addAll(Arrays.asList(kept.intervals).subList(kept.find(quark, from), kept.find(quark, to) + 1));
                continue;
            }
            t.open(quark);
            int until = t.find(end, false);
            for (int i = t.find(begin, false); i <= until; i++) {
                states.add(last[quark] = t.get(i));
            }
        }
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
    public void close() {
        // All is in memory.
    }

    // ---- attributes -----------------------------------------------------------------------------

    private Attributes readTree(Cursor c) throws FormatException {
        long count = c.varint(32);
        if (count > c.end - c.at) {
            throw new FormatException("more names than bytes", c.at);
        }
        String[] names = new String[(int) count];
        for (int i = 0; i < names.length; i++) {
            Cursor name = c.take(c.varint(32), "name runs past the tree's end");
            names[i] = Bits.utf8(bits.data, name.at, name.end - name.at, "name is not UTF-8");
            if (names[i].indexOf('\0') >= 0) {
                throw new FormatException("name holds a NUL", name.at);
            }
            if (names[i].matches("0|[1-9][0-9]{0,8}")) {
                throw new FormatException("name that is a number is not stored as a number", name.at);
            }
        }
        if (nQuarks > 8L * (c.end - c.at)) {
            throw new FormatException("more quarks than bits", c.at);
        }
        return new Tree(8L * c.at, 8L * c.end, names).read();
    }

    /** The part of the tree after the names. A symbol is 4 x name + relation. */
    private final class Tree {
        private long at;
        private final long end;
        private final String[] names;

        Tree(long at, long end, String[] names) {
            this.at = at;
            this.end = end;
            this.names = names;
        }

        private long next(int n) throws FormatException {
            if (n > end - at) {
                throw new FormatException("tree ends too early", at / 8);
            }
            long v = bits.get(at, n);
            at += n;
            return v;
        }

        Attributes read() throws FormatException {
            Attributes tree = new Attributes(nQuarks);
            int[] following = new int[4 * (names.length + 1)];
            int[] last = new int[4];
            int before = 0;
            int used = 0; // names, which come in the order of first use
            for (int q = 0; q < nQuarks; q++) {
                int symbol;
                if (next(1) == 1) {
                    symbol = following[before];
                } else {
                    int relation = (int) next(2);
                    long name = next(Bits.width(names.length));
                    if (name > names.length) {
                        throw new FormatException("no such name", at / 8);
                    }
                    symbol = (int) (4 * name) + relation;
                }
                int parent = switch (symbol % 4) {
                case 0 -> tree.parent(q - 1);
                case 1 -> q - 1;
                case 2 -> tree.parent(tree.parent(q - 1));
                default -> (int) next(Bits.width(q)) - 1;
                };
                if (parent >= q) {
                    throw new FormatException("parent is not a smaller quark", at / 8);
                }
                if (symbol / 4 > used && symbol / 4 != ++used) {
                    throw new FormatException("name out of the order of first use", at / 8);
                }
                tree.add(parent, symbol < 4 ? number(last, symbol) : names[symbol / 4 - 1]);
                following[before] = symbol;
                before = symbol;
            }
            if (end - at >= 8 || next((int) (end - at)) != 0) {
                throw new FormatException("bits after the tree are not 0", at / 8);
            }
            return tree;
        }

        private String number(int[] last, int symbol) throws FormatException {
            int zeros = 0;
            while (next(1) == 0) {
                if (++zeros > 31) {
                    throw new FormatException("number has more than nine digits", at / 8);
                }
            }
            long v = (1L << zeros) + next(zeros) - 1;
            long step = (v & 1) == 0 ? v >>> 1 : -(v >>> 1) - 1;
            last[symbol] += (int) step;
            if (last[symbol] < 0 || last[symbol] > 999_999_999) {
                throw new FormatException("number has more than nine digits", at / 8);
            }
            return Integer.toString(last[symbol]);
        }
    }
}
