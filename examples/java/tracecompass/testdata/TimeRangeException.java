package org.eclipse.tracecompass.statesystem.core.exceptions;

public class TimeRangeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TimeRangeException(String message) {
        super(message);
    }
}
