package org.eclipse.tracecompass.statesystem.core.exceptions;

public class StateSystemDisposedException extends Exception {
    private static final long serialVersionUID = 1;
}
