package org.eclipse.tracecompass.internal.provisional.datastore.core.condition;

public interface IntegerRangeCondition {
    int min();

    int max();

    boolean test(int element);
}
