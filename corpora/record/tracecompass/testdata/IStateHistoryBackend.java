package org.eclipse.tracecompass.statesystem.core.backend;

public interface IStateHistoryBackend {
}
