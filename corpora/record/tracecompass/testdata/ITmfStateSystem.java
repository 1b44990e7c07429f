package org.eclipse.tracecompass.statesystem.core;

import java.util.Collection;
import java.util.List;

public interface ITmfStateSystem {
    Object querySingleState(long time, int quark);

    List<Object> queryFullState(long time);

    Iterable<Object> query2D(Collection<Integer> quarks, Collection<Long> times);

    Iterable<Object> query2D(Collection<Integer> quarks, long start, long end);

    long getStartTime();

    long getCurrentEndTime();

    int getNbAttributes();

    List<Integer> getQuarks(String... pattern);
}
