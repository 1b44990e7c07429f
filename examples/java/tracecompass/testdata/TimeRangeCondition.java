package org.eclipse.tracecompass.internal.provisional.datastore.core.condition;

public interface TimeRangeCondition {
    long min();

    long max();

    TimeRangeCondition subCondition(long low, long high);
}
