package statehist;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * A state history that is open for random access. The queries are those of Trace Compass' state system. Times are
 * nanoseconds, and both ends of all spans are included. A quark is the number of an attribute.
 *
 * <p>All methods may be called from several threads; queries of one reader run one after the other. Queries throw
 * {@link FormatException} where the file is damaged, and IllegalArgumentException for a quark that does not exist, a time
 * outside of the history, and a span that ends before it starts.
 */
public interface History extends Closeable {
    /** One state of one attribute; the value is null, an Integer, a Long, a Double, a String or a Boolean. */
    record Interval(int quark, long start, long end, Object value) {
        boolean contains(long time) {
            return start <= time && time <= end;
        }
    }

    long start();

    long end();

    Attributes attributes();

    /** The interval of an attribute at a time. */
    Interval single(int quark, long time) throws IOException;

    /** The intervals of all attributes at a time, by quark. */
    List<Interval> full(long time) throws IOException;

    /**
     * The intervals of these attributes that contain one of these times, each once, in any order. Quarks and times ascend
     * strictly.
     */
    List<Interval> times(int[] quarks, long[] times) throws IOException;

    /** The intervals of these attributes that contain a time from one to another, in any order. Quarks ascend strictly. */
    List<Interval> range2d(int[] quarks, long from, long to) throws IOException;

    @Override
    void close() throws IOException;

    /** Rejects times that are outside of the history, or not in order. */
    default void checkTimes(long from, long to) {
        if (from > to || from < start() || to > end()) {
            throw new IllegalArgumentException("times " + from + " to " + to + " are not in the history");
        }
    }

    default void checkQuarks(int... quarks) {
        for (int quark : quarks) {
            if (quark < 0 || quark >= attributes().size()) {
                throw new IllegalArgumentException("there is no attribute " + quark);
            }
        }
    }
}
