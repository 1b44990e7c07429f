package org.eclipse.tracecompass.statesystem.core.backend;

import java.io.File;
import java.io.FileInputStream;
import java.util.List;

import org.eclipse.tracecompass.internal.provisional.datastore.core.condition.IntegerRangeCondition;
import org.eclipse.tracecompass.internal.provisional.datastore.core.condition.TimeRangeCondition;
import org.eclipse.tracecompass.statesystem.core.exceptions.StateSystemDisposedException;
import org.eclipse.tracecompass.statesystem.core.interval.ITmfStateInterval;

public interface IStateHistoryBackend {
    String getSSID();

    long getStartTime();

    long getEndTime();

    void insertPastState(long start, long end, int quark, Object value);

    void finishedBuilding(long end);

    FileInputStream supplyAttributeTreeReader();

    File supplyAttributeTreeWriterFile();

    long supplyAttributeTreeWriterFilePosition();

    void removeFiles();

    void dispose();

    void doQuery(List<ITmfStateInterval> states, long time) throws StateSystemDisposedException;

    ITmfStateInterval doSingularQuery(long time, int quark) throws StateSystemDisposedException;

    Iterable<ITmfStateInterval> query2D(IntegerRangeCondition quarks, TimeRangeCondition times);

    Iterable<ITmfStateInterval> query2D(IntegerRangeCondition quarks, TimeRangeCondition times, boolean reverse);
}
