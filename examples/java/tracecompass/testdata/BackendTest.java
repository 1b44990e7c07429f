package statehist.tracecompass;

import java.io.InputStream;
import java.io.ObjectInputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.eclipse.tracecompass.internal.provisional.datastore.core.condition.IntegerRangeCondition;
import org.eclipse.tracecompass.internal.provisional.datastore.core.condition.TimeRangeCondition;
import org.eclipse.tracecompass.statesystem.core.exceptions.StateSystemDisposedException;
import org.eclipse.tracecompass.statesystem.core.exceptions.TimeRangeException;
import org.eclipse.tracecompass.statesystem.core.interval.ITmfStateInterval;

import statehist.History;
import statehist.HistoryTree;

/** Compares the backend with the history tree's reader: BackendTest HISTORY.ht HISTORY.time-index. */
final class BackendTest {
    private static int passed;

    private BackendTest() {
    }

    private record Quarks(int[] list) implements IntegerRangeCondition {
        @Override
        public int min() {
            return list[0];
        }

        @Override
        public int max() {
            return list[list.length - 1];
        }

        @Override
        public boolean test(int element) {
            return Arrays.binarySearch(list, element) >= 0;
        }
    }

    private record Times(long[] list) implements TimeRangeCondition {
        @Override
        public long min() {
            return list[0];
        }

        @Override
        public long max() {
            return list[list.length - 1];
        }

        @Override
        public TimeRangeCondition subCondition(long low, long high) {
            long[] rest = Arrays.stream(list).filter(t -> low <= t && t <= high).toArray();
            return rest.length == 0 ? null : new Times(rest);
        }
    }

    private record Span(long min, long max) implements TimeRangeCondition {
        @Override
        public TimeRangeCondition subCondition(long low, long high) {
            return low > max || high < min ? null : new Span(Math.max(low, min), Math.min(high, max));
        }
    }

    private static void expect(String what, Object got, Object expected) {
        if (!expected.equals(got)) {
            throw new IllegalStateException(what + ": " + got + " instead of " + expected);
        }
        passed++;
    }

    private static History.Interval of(ITmfStateInterval i) {
        return new History.Interval(i.getAttribute(), i.getStartTime(), i.getEndTime(), i.getValue());
    }

    private static Set<History.Interval> all(Iterable<ITmfStateInterval> intervals) {
        Set<History.Interval> set = new HashSet<>();
        for (ITmfStateInterval i : intervals) {
            if (!set.add(of(i))) {
                throw new IllegalStateException("an interval occurs twice");
            }
        }
        return set;
    }

    private interface Call {
        void run() throws Exception;
    }

    private static void expectThrown(Class<? extends Exception> type, Call call) throws Exception {
        try {
            call.run();
        } catch (Exception e) {
            if (type.isInstance(e)) {
                passed++;
                return;
            }
            throw e;
        }
        throw new IllegalStateException("no " + type.getSimpleName());
    }

    public static void main(String[] arguments) throws Exception {
        TimeIndexBackend backend = new TimeIndexBackend("test", Path.of(arguments[1]));
        try (History history = new HistoryTree(Path.of(arguments[0]))) {
            compare(backend, history);
        }
        backend.dispose();
        expectThrown(StateSystemDisposedException.class, () -> backend.doSingularQuery(backend.getStartTime(), 0));
        System.out.println(passed + " passed: the backend answers as the history tree does");
    }

    private static void compare(TimeIndexBackend backend, History history) throws Exception {
        long start = history.start();
        long end = history.end();
        int n = history.attributes().size();
        expect("id", backend.getSSID(), "test");
        expect("start", backend.getStartTime(), start);
        expect("end", backend.getEndTime(), end);
        int[] some = { 0, 3, n / 2, n - 1 };
        long[] times = new long[50];
        for (int i = 0; i < times.length; i++) {
            times[i] = start + (end - start) / times.length * i;
            List<ITmfStateInterval> states = new ArrayList<>(Collections.nCopies(n, null));
            backend.doQuery(states, times[i]);
            expect("full", states.stream().map(BackendTest::of).toList(), history.full(times[i]));
            for (int quark : some) {
                expect("single", of(backend.doSingularQuery(times[i], quark)), history.single(quark, times[i]));
            }
        }
        expect("list of times", all(backend.query2D(new Quarks(some), new Times(times))),
                new HashSet<>(history.times(some, times)));
        expect("span", all(backend.query2D(new Quarks(some), new Span(times[3], times[30]), true)),
                new HashSet<>(history.range2d(some, times[3], times[30])));
        try (InputStream tree = backend.supplyAttributeTreeReader(); ObjectInputStream in = new ObjectInputStream(tree)) {
            expect("magic number of the tree", in.readInt(), 0x06EC3671);
            expect("attributes of the tree", ((List<?>) in.readObject()).size(), n);
        }
        expectThrown(TimeRangeException.class, () -> backend.doSingularQuery(end + 1, 0));
        expectThrown(TimeRangeException.class, () -> backend.query2D(new Quarks(some), new Span(start - 1, end)));
        expectThrown(IndexOutOfBoundsException.class, () -> backend.doSingularQuery(end, n));
        expectThrown(UnsupportedOperationException.class, () -> backend.insertPastState(start, end, 0, null));
        expectThrown(TimeRangeException.class, () -> backend.finishedBuilding(end + 1));
        backend.finishedBuilding(end);
    }
}
