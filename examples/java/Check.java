package statehist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Compares the two readers with each other on one history, query by query, and damages both files:
 *
 *     Check HISTORY.ht HISTORY.time-index SEED
 *
 * A damaged file must give answers or a FormatException, and nothing else.
 */
final class Check {
    private static final int N_POINTS = 200_000; // of the ends of intervals
    private static final int N_OTHERS = 60;
    private static final int N_DAMAGED = 400; // of a small file
    private static final int N_DAMAGED_LARGE = 20;
    private static final int LARGE = 1 << 22;

    private final Random random;
    private long compared;
    private int nDamaged;

    private Check(long seed) {
        random = new Random(seed);
    }

    public static void main(String[] arguments) throws IOException {
        Path ht = Path.of(arguments[0]);
        Path timeIndex = Path.of(arguments[1]);
        Check check = new Check(Long.parseLong(arguments[2]));
        try (History a = new HistoryTree(ht); History b = new TimeIndex(timeIndex); History few = new TimeIndex(timeIndex)) {
            check.compare(a, b, few);
        }
        int rejected = check.damage("ht", ht) + check.damage("time-index", timeIndex);
        System.out.println(check.compared + " answers agree, " + rejected + " of " + check.nDamaged
                + " damaged files rejected");
    }

    private void expect(String query, Object a, Object b) {
        if (!a.equals(b)) {
            throw new IllegalStateException("ht and time-index differ: " + query + ": " + a + ", " + b);
        }
        compared++;
    }

    /** A list as a set: the order is unspecified. Each interval occurs once. */
    private static Set<History.Interval> once(List<History.Interval> intervals) {
        Set<History.Interval> set = new HashSet<>(intervals);
        if (set.size() != intervals.size()) {
            throw new IllegalStateException("an interval occurs twice");
        }
        return set;
    }

    /** `few` is a reader of b's file that runs no query of many attributes, and so keeps no timelines. */
    private void compare(History a, History b, History few) throws IOException {
        expect("start", a.start(), b.start());
        expect("end", a.end(), b.end());
        int n = a.attributes().size();
        expect("attributes", n, b.attributes().size());
        for (int q = 0; q < n; q++) {
            expect("name " + q, a.attributes().name(q), b.attributes().name(q));
            expect("parent " + q, a.attributes().parent(q), b.attributes().parent(q));
        }
        int[] all = IntStream.range(0, n).toArray();
        List<History.Interval> intervals = b.range2d(all, b.start(), b.end());
        expect("all intervals", once(a.range2d(all, a.start(), a.end())), once(intervals));
        // The first and the last time of an interval belong to it, whichever of them a query has.
        for (int i = 0; i < Math.min(N_POINTS, intervals.size()); i++) {
            History.Interval interval = intervals.size() <= N_POINTS ? intervals.get(i)
                    : intervals.get(random.nextInt(intervals.size()));
            for (long time : new long[] { interval.start(), interval.end() }) {
                expect("point of ht", interval, a.single(interval.quark(), time));
                expect("point of time-index", interval, b.single(interval.quark(), time));
                expect("point of time-index, nothing kept", interval, few.single(interval.quark(), time));
            }
        }
        for (int i = 0; i < N_OTHERS; i++) {
            // Times of changes, and times between them.
            History.Interval interval = intervals.get(random.nextInt(intervals.size()));
            long from = i % 2 == 0 ? interval.start() : timeOf(a);
            long to = timeOf(a);
            long first = Math.min(from, to);
            long last = Math.max(from, to);
            int[] quarks = random.ints(1 + random.nextInt(n), 0, n).sorted().distinct().toArray();
            long[] times = random.longs(1 + random.nextInt(200)).map(x -> timeOf(a)).sorted().distinct().toArray();
            expect("full " + from, a.full(from), b.full(from));
            expect("range2d " + first + " " + last, once(a.range2d(quarks, first, last)),
                    once(b.range2d(quarks, first, last)));
            int[] one = { interval.quark() };
            expect("range2d " + one[0], once(b.range2d(one, first, last)), once(few.range2d(one, first, last)));
            expect("times " + one[0], once(b.times(one, times)), once(few.times(one, times)));
            expect("times " + Arrays.toString(times), once(a.times(quarks, times)), once(b.times(quarks, times)));
        }
    }

    private long timeOf(History history) {
        long length = history.end() - history.start();
        return history.start() + (length <= 0 ? 0 : (long) (random.nextDouble() * length));
    }

    /** How many of the damaged files were rejected when they were opened or queried. */
    private int damage(String encoding, Path file) throws IOException {
        byte[] data = Files.readAllBytes(file);
        Path damaged = Files.createTempFile("damaged", "." + encoding);
        int rejected = 0;
        try {
            int n = data.length < LARGE ? N_DAMAGED : N_DAMAGED_LARGE;
            nDamaged += n;
            for (int i = 0; i < n; i++) {
                byte[] copy = i % 4 == 0 ? Arrays.copyOf(data, random.nextInt(data.length)) : data.clone();
                for (int k = random.nextInt(4); k >= 0 && i % 4 != 0; k--) {
                    // At least half of the changes are in the first 8 KiB, where the heads are: they affect more reads.
                    int at = random.nextInt(random.nextBoolean() ? Math.min(8192, copy.length) : copy.length);
                    copy[at] = (byte) (i % 4 == 1 ? copy[at] ^ 1 << random.nextInt(8) : random.nextInt(256));
                }
                Files.write(damaged, copy);
                rejected += isRejected(encoding, damaged) ? 1 : 0;
            }
        } finally {
            Files.delete(damaged);
        }
        if (rejected == 0) {
            throw new IllegalStateException(encoding + ": no damaged file is rejected");
        }
        return rejected;
    }

    private boolean isRejected(String encoding, Path file) throws IOException {
        try (History history = Answers.open(encoding, file)) {
            int n = history.attributes().size();
            if (n == 0 || history.start() > history.end()) {
                return false;
            }
            for (int i = 0; i < 20; i++) {
                history.single(random.nextInt(n), timeOf(history));
            }
            history.full(history.end());
            history.range2d(IntStream.range(0, n).toArray(), history.start(), history.start());
            history.times(IntStream.range(0, n).toArray(), new long[] { history.start(), history.end() });
            return false;
        } catch (FormatException | java.io.EOFException e) {
            return true;
        }
    }
}
