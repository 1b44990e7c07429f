package org.eclipse.tracecompass.statesystem.core.interval;

public final class TmfStateInterval implements ITmfStateInterval {
    private final long start;
    private final long end;
    private final int attribute;
    private final Object value;

    public TmfStateInterval(long start, long end, int attribute, Object value) {
        this.start = start;
        this.end = end;
        this.attribute = attribute;
        this.value = value;
    }

    @Override
    public long getStartTime() {
        return start;
    }

    @Override
    public long getEndTime() {
        return end;
    }

    @Override
    public int getAttribute() {
        return attribute;
    }

    @Override
    public Object getValue() {
        return value;
    }
}
