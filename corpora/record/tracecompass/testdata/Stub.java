/*
 * Classes of the shape and names that Record.java reaches, over 70 attributes that each have one interval a microsecond.
 * They stand in for Trace Compass in the test.
 */
package org.eclipse.tracecompass.statesystem.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

final class Stub implements ITmfStateSystem {
    private static final long END = 9_999;

    public static final class Interval {
        private final long time;

        Interval(long time) {
            this.time = time;
        }

        public long getEndTime() {
            return time / 1000 * 1000 + 999;
        }
    }

    @Override
    public Object querySingleState(long time, int quark) {
        return new Interval(time);
    }

    @Override
    public List<Object> queryFullState(long time) {
        return new ArrayList<>();
    }

    @Override
    public Iterable<Object> query2D(Collection<Integer> quarks, Collection<Long> times) {
        return new ArrayList<>();
    }

    @Override
    public Iterable<Object> query2D(Collection<Integer> quarks, long start, long end) {
        return new ArrayList<>();
    }

    @Override
    public long getStartTime() {
        return 0;
    }

    @Override
    public long getCurrentEndTime() {
        return END;
    }

    @Override
    public int getNbAttributes() {
        return 70;
    }

    @Override
    public List<Integer> getQuarks(String... pattern) {
        return new ArrayList<>();
    }
}
