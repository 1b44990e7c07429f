package org.eclipse.tracecompass.statesystem.core.interval;

public interface ITmfStateInterval {
    long getStartTime();

    long getEndTime();

    int getAttribute();

    Object getValue();
}
