package statehist.tracecompass;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

import org.eclipse.tracecompass.internal.provisional.datastore.core.condition.IntegerRangeCondition;
import org.eclipse.tracecompass.internal.provisional.datastore.core.condition.TimeRangeCondition;
import org.eclipse.tracecompass.statesystem.core.backend.IStateHistoryBackend;
import org.eclipse.tracecompass.statesystem.core.exceptions.StateSystemDisposedException;
import org.eclipse.tracecompass.statesystem.core.exceptions.TimeRangeException;
import org.eclipse.tracecompass.statesystem.core.interval.ITmfStateInterval;
import org.eclipse.tracecompass.statesystem.core.interval.TmfStateInterval;

import statehist.History;
import statehist.TimeIndex;

/**
 * A backend of Trace Compass' state system that reads a finished history from a time-index file:
 *
 *     StateSystemFactory.newStateSystem(new TimeIndexBackend("id", path), false)
 *
 * It does not build histories: insertPastState() throws UnsupportedOperationException. Queries may come from several threads. A
 * file that turns out to be damaged ends a query with an UncheckedIOException, whose message names the rule and the byte.
 */
public final class TimeIndexBackend implements IStateHistoryBackend {
    private final String id;
    private final Path file;
    private final History history;
    private Path tree; // of the attribute tree, once it was requested
    private volatile boolean isDisposed;

    /** Opens a file: the bytes that `bakeoff encode --raw statehist/time-index` writes. The id is that of the state system. */
    public TimeIndexBackend(String id, Path file) throws IOException {
        this.id = id;
        this.file = file;
        history = new TimeIndex(file);
    }

    @Override
    public String getSSID() {
        return id;
    }

    @Override
    public long getStartTime() {
        return history.start();
    }

    @Override
    public long getEndTime() {
        return history.end();
    }

    // ---- what a reader does not do --------------------------------------------------------------

    @Override
    public void insertPastState(long start, long end, int quark, Object value) throws TimeRangeException {
        throw new UnsupportedOperationException("a time-index file is finished: states cannot be added");
    }

    /** The history is finished. */
    @Override
    public void finishedBuilding(long end) throws TimeRangeException {
        if (end != history.end()) {
            throw new TimeRangeException("the history ends at " + history.end() + ", not at " + end);
        }
    }

    // ---- attribute tree -------------------------------------------------------------------------

    /**
     * The attribute tree as the state system reads it: in the form of a history tree file, in a file of its own that
     * {@link #dispose()} deletes.
     */
    @Override
    public synchronized FileInputStream supplyAttributeTreeReader() {
        try {
            if (tree == null) {
                tree = Files.createTempFile("attributes", ".tree");
                try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(tree))) {
                    history.attributes().writeTree(out);
                }
            }
            return new FileInputStream(tree.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public File supplyAttributeTreeWriterFile() {
        throw new UnsupportedOperationException("a time-index file is finished: its attribute tree cannot be written");
    }

    @Override
    public long supplyAttributeTreeWriterFilePosition() {
        throw new UnsupportedOperationException("a time-index file is finished: its attribute tree cannot be written");
    }

    // ---- end ------------------------------------------------------------------------------------

    @Override
    public void removeFiles() {
        dispose();
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void dispose() {
        isDisposed = true;
        try {
            history.close();
            if (tree != null) {
                Files.deleteIfExists(tree);
                tree = null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- queries --------------------------------------------------------------------------------

    private void checkTime(long time) throws TimeRangeException {
        if (time < history.start() || time > history.end()) {
            throw new TimeRangeException("time " + time + " is not in " + history.start() + " to " + history.end());
        }
    }

    private void checkOpen() throws StateSystemDisposedException {
        if (isDisposed) {
            throw new StateSystemDisposedException();
        }
    }

    private static ITmfStateInterval intervalOf(History.Interval i) {
        // State values have no bool: Trace Compass stores the text.
        Object value = i.value() instanceof Boolean ? i.value().toString() : i.value();
        return new TmfStateInterval(i.start(), i.end(), i.quark(), value);
    }

    @Override
    public void doQuery(List<ITmfStateInterval> states, long time)
            throws TimeRangeException, StateSystemDisposedException {
        checkOpen();
        checkTime(time);
        try {
            for (History.Interval i : history.full(time)) {
                // The list may be shorter: a state system that is read back has all attributes, others need not.
                if (i.quark() < states.size()) {
                    states.set(i.quark(), intervalOf(i));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ITmfStateInterval doSingularQuery(long time, int quark)
            throws TimeRangeException, StateSystemDisposedException {
        checkOpen();
        checkTime(time);
        if (quark < 0 || quark >= history.attributes().size()) {
            throw new IndexOutOfBoundsException("there is no attribute " + quark);
        }
        try {
            return intervalOf(history.single(quark, time));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Iterable<ITmfStateInterval> query2D(IntegerRangeCondition quarks, TimeRangeCondition times)
            throws TimeRangeException {
        return query2D(quarks, times, false);
    }

    /**
     * The intervals of these attributes that contain one of these times. They are read as the answer is iterated. The direction
     * is a hint, and is ignored.
     */
    @Override
    public Iterable<ITmfStateInterval> query2D(IntegerRangeCondition quarks, TimeRangeCondition times, boolean reverse)
            throws TimeRangeException {
        checkTime(times.min());
        checkTime(times.max());
        return () -> new Intervals(quarks, times);
    }

    private final class Intervals implements Iterator<ITmfStateInterval> {
        private final IntegerRangeCondition quarks;
        private final TimeRangeCondition times;
        private int quark; // of the next interval; after the last: there is none
        private long time; // that it contains

        Intervals(IntegerRangeCondition quarks, TimeRangeCondition times) {
            this.quarks = quarks;
            this.times = times;
            time = times.min();
            nextQuark(Math.max(0, quarks.min()));
        }

        private int lastQuark() {
            return Math.min(history.attributes().size() - 1, quarks.max());
        }

        private void nextQuark(int from) {
            for (quark = from; quark <= lastQuark() && !quarks.test(quark);) {
                quark++;
            }
        }

        @Override
        public boolean hasNext() {
            return quark <= lastQuark();
        }

        @Override
        public ITmfStateInterval next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            History.Interval i;
            try {
                i = history.single(quark, time);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            // The times after the interval: a list without those before, or a shorter span.
            TimeRangeCondition rest = i.end() < times.max() ? times.subCondition(i.end() + 1, times.max()) : null;
            if (rest != null) {
                time = rest.min();
            } else {
                time = times.min();
                nextQuark(quark + 1);
            }
            return intervalOf(i);
        }
    }
}
